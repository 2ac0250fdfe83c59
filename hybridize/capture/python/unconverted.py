# SPDX-License-Identifier: Apache-2.0
"""Calls of functions without source (`exec`, `python -c`, a prompt), which cannot be converted: they run as they are.

Nobody sees what such a function reads and writes. So the program depends on all that it can reach by the names in its
code, and a function that changes any of that is refused. Builtins that ask what a value is, and functions of the
user's, are for it those of converted code.
"""

from __future__ import annotations

import builtins
import dis
import functools
import sys
import threading
import types
import weakref
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from types import FunctionType, MethodType
from typing import Any, cast

import numpy

from hybridize.array.operators import Operators
from hybridize.array.storage import Storage
from hybridize.array.symbol import Symbol
from hybridize.base.errors import CaptureError, HybridizeError
from hybridize.base.loading import load_module
from hybridize.base.members import module_of
from hybridize.base.participation import is_of_package
from hybridize.base.tracebacks import innermost
from hybridize.capture.control.signals import assign, content
from hybridize.capture.convert import statements as convert
from hybridize.capture.outside import trust
from hybridize.capture.outside.objects import remembers, set_slots, slots
from hybridize.capture.python.builtins import REPLACED
from hybridize.capture.python.classes import is_dispatcher
from hybridize.capture.python.semantics import Semantics
from hybridize.capture.trace.recording import Recording
from hybridize.contract.places import Attribute, Closure, Global, Imported, Members, Unbound, static
from hybridize.contract.snapshots import CONTAINERS, MISSING, own, refill

_CONSTANT = (
    Operators, numpy.generic, numpy.dtype, int, float, complex, str, bytes, slice, range, types.CodeType,
    BaseException, Storage, type(None),
)  # fmt: skip
_FUNCTIONS = (FunctionType, MethodType, types.BuiltinFunctionType, functools.partial)
_ARRAYS = ("hybridize", "numpy", "torch")
"""Packages whose functions are what programs are made of."""
_FIXED = (int, float, complex, str, bytes, type(None), numpy.dtype)
_ASKING = frozenset({"isinstance", "type", "print"})
"""Builtins that a method which is called as it is must not call: they would see symbols."""
_RUNNING = frozenset(
    {"eval", "exec", "compile", "globals", "locals", "open", "input", "id", "breakpoint", "__import__"}
)
"""Builtins that it must not call, since nobody knows what they reach."""
_BY_NAME = {"getattr", "hasattr", "vars", "dir", "attrgetter", "methodcaller", "__dict__", "__getattribute__"}
"""Names in code that may find attributes by names which are not in it."""
_WRITING = frozenset({builtins.setattr, builtins.delattr, builtins.vars})
"""Builtins that stay as they are: what they change is noticed afterwards."""
_MAKING = frozenset({"__init__", "__new__", "__init_subclass__", "__post_init__", "__class_getitem__"})
"""Methods that nobody calls who has the object."""
_COMPARING = frozenset({"IS_OP", "CONTAINS_OP"})
"""Instructions of Python that ask whether two objects are one."""
_BY_SYMBOLS = (TypeError, ValueError, OverflowError)
"""Exceptions that code of others raises where it gets a symbol instead of an array or a number."""


def without_bytecode(trace: Recording, function: Any) -> CaptureError:
    """Return the refusal of a function that another compiler has made: nothing tells what it reads, or writes."""
    return trace.refusal(
        "E403", f"{function.__name__}() is a {type(function).__name__}: a tool has compiled it to machine code, and "
        "hybridize reads bytecode",
        help="leave its module out of what the tool compiles, and put the file of the module beside the program",
    )  # fmt: skip


def called(router: Semantics, trace: Recording, function: FunctionType, args: Any, kwargs: Any) -> Any:
    """Call a function without source as it is, and depend on all that it can reach.

    Raises:
        CaptureError E431: it changes something of that, which calls of the program would not do, or cannot be followed.
    """
    if trace.root.library is not None:  # whose code takes numbers of Python only
        args = tuple([_known(trace, arg) for arg in args])
        kwargs = {name: _known(trace, arg) for name, arg in kwargs.items()}
    if any(step.opname in _COMPARING for step in dis.get_instructions(function)):
        trace.root.inputs.compare_arguments()
    reached = Reached(trace, router)
    reached.all((function, *args, *kwargs.values()))
    copy = reached.with_builtins(router, function)
    guarded = set(trace.root.world.guards)
    try:
        result = copy(*args, **kwargs)
    except BaseException as error:
        changed = reached.put_back()
        if isinstance(error, CaptureError) and convert.is_edited(function):
            raise trace.refusal(
                "E411", f"{function.__name__}() cannot be converted: its source in {function.__code__.co_filename} is "
                f"not what was imported; called as it is: {error.what}",
                help="restart Python, or import the module again; if a tool rewrites its code as it is imported, leave "
                "the module out of that",
            ) from error  # fmt: skip
        if _lacks_source(error, function):
            raise trace.refusal(
                "E401", f"{cast(CaptureError, error).what}; the source of {function.__name__}(), from which control "
                f"flow on data is converted, is not there: {_origin(function)}", loc=cast(CaptureError, error).loc,
                help=f"{_remedy()}, or use np.where, npx.cond or npx.while_loop",
            ) from error  # fmt: skip
        if not isinstance(error, Exception) or isinstance(error, CaptureError):
            raise
        if changed or _is_of_symbols(error):
            raise reached.refused(f"{function.__name__}() raises {type(error).__name__} ({error})") from error
        raise
    if reached.put_back():
        raise reached.refused(f"{function.__name__}() changes what is outside of it")
    trace.root.world.forget_between(guarded)
    reached.finish(result)
    return result


def _known(trace: Recording, x: Any) -> Any:
    """Return the number that a symbol among the arguments stands for, on which the program then depends."""
    number = trace.number_of(x) if type(x) is Symbol and x.weak is not None else None
    return x if number is None else number


def _lacks_source(error: BaseException, function: FunctionType) -> bool:
    """Tell whether a function that needed a value failed because its source is missing; said once of one error."""
    is_ours = isinstance(error, CaptureError) and error.code == "E401" and not isinstance(error.__cause__, CaptureError)
    return is_ours and not convert.has_source(function)


def _origin(function: FunctionType) -> str:
    file = function.__code__.co_filename
    if file.startswith("<"):
        return "it was made of text"
    return f"there is no file {file}" + (", as this program is frozen" if _is_frozen() else "")


def _remedy() -> str:
    """Say how a function comes to have a source."""
    if _is_frozen():
        return "add the file to what is frozen (with PyInstaller: --add-data NAME.py:.)"
    return "put the function into a file that Python imports"


def _is_frozen() -> bool:
    return getattr(sys, "frozen", False)


def depend_on_names(trace: Recording, function: FunctionType) -> None:
    """Depend on everything that a function could read by name."""
    Reached(trace, None).all((function,))


def reads_outside(function: Any) -> bool:
    """Tell whether a function may read anything but its arguments, constants and modules that are trusted."""
    if not isinstance(function, FunctionType):
        return True
    defaults = (*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values())
    cells = [content(cell) for cell in function.__closure__ or ()]
    names = names_of(function.__code__) & function.__globals__.keys()
    values = [function.__globals__[name] for name in names]
    return not all(isinstance(x, _FIXED) for x in (*defaults, *cells)) or not all(map(_is_trusted, values))


def _is_trusted(value: Any) -> bool:
    if isinstance(value, types.ModuleType):
        return trust.is_trusted_module(value.__name__)
    return isinstance(value, type | types.BuiltinFunctionType) and trust.is_trusted_module(module_of(value))


class Reached:
    """All that a function without source can reach by the names in its code, each part looked at once.

    The names are those in the code of everything that is reached: what one function finds another may ask for more.
    """

    def __init__(self, trace: Recording, router: Semantics | None) -> None:
        self._trace, self._world, self._router = trace, trace.root.world, router
        self._met: dict[int, Any] = {}
        self._names: set[str] = set()
        self._roots: list[Any] = []
        self._objects: list[Any] = []
        """Instances of which methods may read all that they remember."""
        self._seen: dict[int, Any] = {}
        self._held: dict[tuple[int, str], tuple[_Snapshot, tuple[int, int]]] = {}
        """Stock of all that can be changed, each with the point of the capture at which it was taken."""
        if router is not None:
            trace.root.inputs.pin_sizes("code without source is called, which may need them as plain numbers")

    def all(self, values: Iterable[Any]) -> None:
        """Depend on all that can be found in some values, and take stock of it, before code finds it."""
        self._roots += values
        known = -1
        while known != len(self._names):  # names met later may be asked of what was met before
            known = len(self._names)
            self._met.clear()
            for value in self._roots:
                self._value(value)
        for one in self._objects:
            if id(one) not in self._seen and not isinstance(one, type):
                self._seen[id(one)] = self._world.before_call(one, "__getattribute__")

    def _function(self, function: FunctionType) -> None:
        """Depend on everything that a function could read by name, and on its attributes."""
        if is_dispatcher(function):
            raise self.refused(f"{function.__name__}() goes by the class of a value, and is called")
        if trust.is_trusted_file(function.__code__.co_filename):
            self._of_python(function)
            return
        if convert.is_converted(function):
            return
        world, code, table = self._world, function.__code__, function.__globals__
        world.read_code(function)
        names = names_of(code)
        self._names |= names
        for name in sorted(names & table.keys()):
            world.read(Global(table, name), table[name], name)
            self._value(table[name])
        of_python: Any = function
        for name in sorted((names & of_python.__builtins__.keys()) - table.keys()):
            world.read_builtin(of_python, name)
        for name in sorted(_globals_of(code) - table.keys() - of_python.__builtins__.keys()):
            world.read(Global(table, name), MISSING)
        for name, level in _imports_of(code):
            self._imported(name, level)
        self._hold(table, "names", partial(dict, table), partial(refill, table))
        for name, cell in zip(code.co_freevars, function.__closure__ or (), strict=True):
            self._hold_cell(cell)
            world.read(Closure(cell, name), content(cell), name)
            if content(cell) is not MISSING:
                self._value(content(cell))
        for default in (*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values()):
            self._value(default)
        self._attributes(function, own(function))
        self._hold(function, "own", lambda: dict(own(function)), lambda old: refill(own(function), old))

    def _imported(self, name: str, level: int) -> None:
        """Depend on a module that code imports, as `import` will find it."""
        root = name.partition(".")[0]
        if level or (root not in sys.modules and not trust.is_trusted_module(root)):
            raise self.refused(f"{'.' * level}{name} is imported")
        if not trust.is_trusted_module(root):
            self._world.read(Imported(sys.modules, name), sys.modules.get(name, MISSING), name, whole=False)
        self._value(sys.modules[root] if root in sys.modules else load_module(root))

    def _value(self, value: Any) -> None:
        """Depend on what code that nobody has read can find in a value by the names."""
        if isinstance(value, MethodType):
            self._value(value.__self__)
            self._method(value.__func__)
            return
        if id(value) in self._met or isinstance(value, _CONSTANT):
            return
        self._met[id(value)] = value
        if isinstance(value, numpy.ndarray):
            self._world.wrap(value)
            self._hold(value, "data", lambda: {0: value.tobytes()}, lambda old: _write(value, old[0]))
        elif isinstance(value, (list, dict, set, deque)) or type(value) in CONTAINERS:
            self._container(value)
        elif isinstance(value, FunctionType):
            self._function(value)
        elif isinstance(value, types.BuiltinFunctionType | types.MethodWrapperType):
            self._of_python(value)
        elif isinstance(value, functools._lru_cache_wrapper):
            raise self.refused(f"{value.__name__}() keeps results, and is called")
        elif isinstance(value, functools.partial):
            for part in (value.func, *value.args, value.keywords):
                self._value(part)
        elif isinstance(value, types.ModuleType):
            self._module(value)
        elif isinstance(value, weakref.ref):
            self._value(self._world.read_referent(value))
        elif type(value) in weakref.ProxyTypes or isinstance(value, types.GeneratorType):
            raise self.refused(f"a {type(value).__name__} is used")
        else:
            self._object(value)

    def _of_python(self, function: FunctionType | types.BuiltinFunctionType | types.MethodWrapperType) -> None:
        """A function of Python's, which must not tell of what nobody guards."""
        if trust.opaque_name(function) is not None or trust.asks_interpreter(function):
            raise self.refused(f"{function.__qualname__}() is called, which gives other data at other times")
        owner = getattr(function, "__self__", None)  # of `log.append`, under a name of its own
        if not isinstance(owner, types.ModuleType):
            self._value(owner)

    def _container(self, value: Any) -> None:
        world = self._world
        changes = not isinstance(value, tuple | frozenset)
        if value is sys.modules:
            raise self.refused("sys.modules is read")
        if world.is_own(value):
            if changes:
                self._trace.note_container(value, self._trace.root.location())
        else:
            world.wrap(value, "a container")
            if changes:
                self._hold(value, "parts", lambda: _parts(value), lambda old: refill(value, _content(value, old)))
        if type(value) not in CONTAINERS:
            self._object(value)
        for part in (*value, *value.values()) if isinstance(value, dict) else value:
            self._value(part)

    def _method(self, member: Any) -> None:
        """A function that is called as a method, past the router."""
        if _is_python(member) and self._router is not None:
            names = (_ASKING | _RUNNING) & names_of(member.__code__) - member.__globals__.keys()
            if names or _matches(member.__code__):
                what = f"calls {', '.join(sorted(names))}" if names else "matches classes"
                raise self.refused(f"{member.__qualname__}() {what}")
        self._value(member)

    def _module(self, module: types.ModuleType) -> None:
        table, trusted = vars(module), trust.is_trusted_module(module.__name__)
        if trusted and module.__name__.partition(".")[0] in _ARRAYS and not module.__name__.startswith("numpy.random"):
            return
        keys = table.keys() if not trusted and self._names & _BY_NAME else self._names
        for name in sorted(keys):
            value = table.get(name, MISSING)
            if value is not MISSING or not trusted:
                self._world.read(Global(table, name), value, name, whole=not trusted)
            if value is not MISSING:
                self._value(value)
        if not trusted:
            self._hold(table, "names", partial(dict, table), partial(refill, table))
            return
        names = frozenset(self._names)  # the others are Python's business: what it imports, say
        stock = f"{len(names)} names"
        self._hold(table, stock, lambda: {name: table.get(name, MISSING) for name in names}, partial(_set_names, table))

    def _attributes(self, owner: Any, values: dict[str, Any]) -> None:
        """Depend on the attributes of an object that have one of the names, and on its not having the others."""
        outside = not self._world.is_own(owner)
        for name in sorted(self._names):
            if name in values:
                if outside:
                    self._world.read(Attribute(owner, name), values[name], name)
                self._value(values[name])
            elif outside:
                self._world.read_absent(owner, name, own=True)

    def _object(self, value: Any) -> None:
        kind: Any = value if isinstance(value, type) else type(value)
        trusted = trust.is_trusted_class(kind)
        if trusted and (value is kind or is_of_package(kind)):
            if value is kind:
                self._told_by_python(value)
            else:
                self._objects.append(value)
            return
        if value is not kind:
            self._instance(value, kind)
        if trusted:
            self._told_by_python(value)
            return
        if kind is not value:
            self._met[id(kind)] = kind
        for base in kind.__mro__:
            if not trust.is_trusted_class(base):
                self._hold(base, "class", partial(dict, vars(base)), partial(_set_class, base))
        self._world.read(Members(kind), Members(kind).read(), whole=False)
        self._members(kind)
        meta: Any = type(kind)
        if not trust.is_trusted_class(meta):
            self._value(meta)

    def _instance(self, value: Any, kind: Any) -> None:
        """Depend on what an instance remembers."""
        entry = self._world.fresh.get(id(value))
        if entry is None:
            self._objects.append(value)
        if entry is None or entry[1] is not self._trace:
            self._hold(value, "own", lambda: dict(own(value)), lambda old: refill(own(value), old))
            self._hold(value, "slots", lambda: slots(value), partial(set_slots, value))
        if is_of_package(kind):
            self._attributes(value, {name: part for name, part in own(value).items() if name[:1] != "_"})
            return
        for name, part in (own(value) | slots(value)).items():
            if entry is None and not remembers(cast(Any, kind)):
                self._world.read(Attribute(value, name), part, name, whole=False)
            if not (trust.is_trusted_class(kind) and isinstance(part, FunctionType)):  # `os.environ` has some
                self._value(part)

    def _told_by_python(self, value: Any) -> None:
        """Depend on attributes of an object of Python's, by the names.

        Raises:
            CaptureError E431: one of them is a method that tells of what nobody guards, or changes that.
        """
        kind: Any = value if isinstance(value, type) else type(value)
        if trust.is_iterator(value):
            raise self.refused(f"a {kind.__name__} is used, which yields other data each time")
        for name in sorted(name for name in self._names if static(kind, name) is not MISSING or name in own(value)):
            member = getattr(value, name, MISSING)
            if isinstance(member, types.BuiltinFunctionType | MethodType | types.MethodWrapperType):
                if (
                    trust.changes_unseen(kind, name)
                    or trust.asks_interpreter(member)
                    or trust.opaque_name(member) is not None
                ):
                    raise self.refused(f"{kind.__name__}.{name}() is called, which no call of a program would do")
            elif value is not kind and member is not MISSING:
                self._world.read_opaque(Attribute(value, name), member)
        if isinstance(value, threading.local):
            for name, member in vars(value).items():
                self._world.read(Attribute(value, name), member, name)
            self._hold(value, "own", lambda: dict(vars(value)), lambda old: refill(vars(value), old))

    def _members(self, kind: Any) -> None:
        """Depend on what a class and those that it is derived of have under the names: `super()` finds them, too."""
        bases = [base for base in kind.__mro__ if not trust.is_trusted_class(base)]
        wanted = self._names | _special(kind)
        if self._names & _BY_NAME:
            wanted = wanted.union(*(vars(base) for base in bases))
        for base in bases:
            for name in sorted(wanted & vars(base).keys()):
                member = vars(base)[name]
                if isinstance(member, types.MemberDescriptorType | types.GetSetDescriptorType):
                    continue
                if isinstance(member, functools.cached_property):
                    if name in self._names:
                        raise self.refused(f"{kind.__name__}.{name} keeps its value, and is read")
                    continue
                self._world.read(Unbound(base, name), member, name)
                if isinstance(member, property):
                    for function in (member.fget, member.fset, member.fdel):
                        if function is not None:
                            self._method(function)
                else:
                    self._method(member.__func__ if isinstance(member, classmethod | staticmethod) else member)

    def _hold(
        self, owner: Any, what: str, read: Callable[[], dict[Any, Any]], write: Callable[[dict[Any, Any]], object]
    ) -> None:
        """Remember what something holds, once."""
        if (id(owner), what) not in self._held:
            self._held[id(owner), what] = _Snapshot(read, write), self._world.mark()

    def _hold_cell(self, cell: types.CellType) -> None:
        self._hold(cell, "content", lambda: {0: content(cell)}, lambda old: assign(cell, old[0]))

    # --------------------------------------------------------------------------------------------- before and after

    def with_builtins(self, router: Semantics, function: FunctionType) -> FunctionType:
        """Give the function with names of its own: builtins and functions of the user's are those of converted code."""
        names = dict(function.__globals__)
        namespace = names.get("__builtins__", builtins)
        table = dict(namespace if isinstance(namespace, dict) else vars(namespace))
        for name, value in table.items():
            is_function = (
                not isinstance(value, type) or value is type
            )  # other classes are compared with what `type` gives
            if not is_function or value.__hash__ is None or value in _WRITING:
                continue
            if value in REPLACED or trust.opaque_name(value) is not None:
                table[name] = functools.partial(router.call, value)
        names["__builtins__"] = table
        for name in names_of(function.__code__) & names.keys():
            handed = router.handed(names[name])
            if isinstance(handed, functools.partial) and handed is not names[name]:
                handed = functools.wraps(names[name])(functools.partial(self._followed, handed))
                self._hold(handed, "own", partial(dict, vars(handed)), _leave)
            names[name] = handed
        self._hold(names, "names", partial(dict, names), _leave)
        copy = FunctionType(function.__code__, names, function.__name__, function.__defaults__, function.__closure__)
        copy.__kwdefaults__ = function.__kwdefaults__
        return copy

    def _followed(self, function: Any, *args: Any, **kwargs: Any) -> Any:
        """Call a function of the user's, converted, and depend on what can be found in its result."""
        result = function(*args, **kwargs)
        if not isinstance(result, types.GeneratorType):
            self.all((result,))
        return result

    def put_back(self) -> bool:
        """Let all be as it was before; tell whether it was not."""
        changed = [(snapshot, mark) for snapshot, mark in self._held.values() if snapshot.is_changed]
        for snapshot, mark in reversed(changed):
            self._world.back(mark)  # what converted code has written since goes first
            snapshot.put_back()
        return bool(changed)

    def finish(self, result: Any) -> None:
        """Depend on what objects remember, and hear of those that the function has made."""
        for seen in filter(None, self._seen.values()):
            self._world.after_call(seen, "__getattribute__")
        self._record(result)

    def _record(self, value: Any) -> None:
        new = id(value) not in self._met and not self._world.is_users(value) and not self._world.is_own(value)
        if not new or isinstance(value, (*_CONSTANT, *_FUNCTIONS, numpy.ndarray, types.ModuleType, type)):
            return
        self._world.made(value, self._trace)
        parts = value.values() if isinstance(value, dict) else value if type(value) in CONTAINERS else ()
        for part in (*parts, *own(value).values(), *slots(value).values()):
            self._record(part)

    def refused(self, what: str) -> CaptureError:
        """The error for what cannot be followed."""
        return self._trace.refusal(
            "E431", f"{what}, and its source is not there to be read", help="put the code into a file"
        )  # fmt: skip


class Implicit(Reached):
    """All that methods of objects reach which a function of Python's calls as they are, `json.dumps(v)` say.

    Args:
        trace: in charge.
        router: of the calling function; None for methods that see nothing of a call, of keys.
        function: the function of Python's.
        objects: what it is given, of the user's classes.
    """

    def __init__(self, trace: Recording, router: Semantics | None, function: Any, objects: Iterable[Any]) -> None:
        super().__init__(trace, router)
        self._name = getattr(function, "__name__", type(function).__name__)
        self.all(objects)

    def check(self) -> None:
        """Refuse what the methods have changed."""
        if self.put_back():
            raise self.refused(f"{self._name}() calls methods that change what is outside of it")

    def refused(self, what: str) -> CaptureError:
        """The error for what cannot be followed."""
        return self._trace.refusal(
            "E431", f"{what}, and {self._name}() calls user-defined methods without capturing them",
            help="call it outside the function, or call the methods directly in the function",
        )  # fmt: skip

    def _method(self, member: Any) -> None:
        if _is_python(member) and member.__name__ in _MAKING:
            self._value(member)
        else:
            super()._method(member)


class _Snapshot:
    """Something that can be changed, and what it held."""

    def __init__(self, read: Callable[[], dict[Any, Any]], write: Callable[[dict[Any, Any]], object]) -> None:
        self._read, self._write = read, write
        self._before = read()

    @property
    def is_changed(self) -> bool:
        return _differ(self._read(), self._before)

    def put_back(self) -> None:
        self._write(self._before)


def _parts(container: Any) -> dict[Any, Any]:
    """Give the content of a container, by key, by number, or (of a set) each by itself."""
    if isinstance(container, dict):
        return dict(dict.items(container))
    return {part: part for part in container} if isinstance(container, set) else dict(enumerate(container))


def _content(container: Any, parts: dict[Any, Any]) -> Iterable[Any]:
    return parts if isinstance(container, dict) else parts.values()


def _write(array: Any, data: bytes) -> None:
    array[...] = numpy.frombuffer(data, array.dtype).reshape(array.shape)


def _leave(before: dict[str, Any]) -> None:
    """Leave a table that only this call has: a change to it is one to what it was copied from."""


def _set_names(table: dict[str, Any], before: dict[str, Any]) -> None:
    for name, value in before.items():
        Global(table, name).write(value)


def _set_class(kind: type, before: dict[str, Any]) -> None:
    for name in {*vars(kind), *before}:
        if vars(kind).get(name, MISSING) is not before.get(name, MISSING):
            Attribute(kind, name).write(before.get(name, MISSING))


def _differ(now: dict[Any, Any], before: dict[Any, Any]) -> bool:
    """Tell whether two tables hold other names, or other objects under them."""
    if now.keys() != before.keys() or list(now) != list(before):
        return True
    return any(x is not before[name] and not (type(x) is bytes and x == before[name]) for name, x in now.items())


def _is_of_symbols(error: Exception) -> bool:
    """Tell whether an exception may be that of code which got a symbol, and was not raised by a line of the user's."""
    if not isinstance(error, _BY_SYMBOLS) or isinstance(error, HybridizeError):
        return False
    at = innermost(error)
    if at is None or trust.is_trusted_file(at.tb_frame.f_code.co_filename):
        return True
    return dis.opname[at.tb_frame.f_code.co_code[at.tb_lasti]] != "RAISE_VARARGS"


def _special(kind: type) -> set[str]:
    """Names of the special methods of a class, which no code need name."""
    bases = [base for base in kind.__mro__ if not trust.is_trusted_class(base)]
    members = {name: member for base in bases for name, member in vars(base).items() if name[:2] == "__"}
    return {name for name, member in members.items() if _is_python(getattr(member, "__func__", member))}


def _is_python(member: Any) -> bool:
    return isinstance(member, FunctionType) and not trust.is_trusted_file(member.__code__.co_filename)


def _matches(code: types.CodeType) -> bool:
    """Tell whether code has a pattern of classes."""
    return any(instruction.opname == "MATCH_CLASS" for instruction in dis.get_instructions(code))


def names_of(code: types.CodeType) -> set[str]:
    """List the names in code, and strings that may be some."""
    names = {*code.co_names, *code.co_freevars}
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            names |= names_of(constant)
        elif isinstance(constant, str) and constant.replace(".", "_").isidentifier():
            names.update(constant.split("."))  # of an `attrgetter`, say
    return names


def _parts_of(code: types.CodeType) -> Iterator[types.CodeType]:
    """List code, and that of the functions, classes and comprehensions in it."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _parts_of(constant)


def _globals_of(code: types.CodeType) -> set[str]:
    """List the names that code looks up among those of the module."""
    instructions = (one for part in _parts_of(code) for one in dis.get_instructions(part))
    return {one.argval for one in instructions if one.opname in ("LOAD_GLOBAL", "LOAD_NAME")}


def _imports_of(code: types.CodeType) -> list[tuple[str, int]]:
    """List the modules that code imports, and how many packages up each is looked for."""
    modules: list[tuple[str, int]] = []
    for part in _parts_of(code):
        instructions = list(dis.get_instructions(part))
        for number, one in enumerate(instructions):
            if one.opname == "IMPORT_NAME":
                modules.append((one.argval, instructions[number - 2].argval))
    return modules
