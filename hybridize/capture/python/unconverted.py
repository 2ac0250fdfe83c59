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
import types
from collections import deque
from collections.abc import Callable, Iterable
from types import FunctionType, MethodType
from typing import Any

import numpy

from hybridize.array.operators import Operators
from hybridize.array.storage import Storage
from hybridize.base.errors import CaptureError, HybridizeError
from hybridize.base.participation import is_of_package
from hybridize.capture.control.signals import assign, content
from hybridize.capture.convert import statements as convert
from hybridize.capture.outside.objects import set_slots, slots, static
from hybridize.capture.outside.trust import is_trusted_class, is_trusted_file, is_trusted_module
from hybridize.capture.python.builtins import REPLACED
from hybridize.capture.python.classes import is_dispatcher
from hybridize.capture.python.semantics import Semantics
from hybridize.capture.trace.recording import Recording
from hybridize.contract.places import Attribute, Closure, Global, Members
from hybridize.contract.snapshots import CONTAINERS, MISSING, own, refill

_CONSTANT = (
    Operators, numpy.generic, numpy.dtype, int, float, complex, str, bytes, slice, range, types.CodeType,
    BaseException, Storage, type(None),
)  # fmt: skip
_FUNCTIONS = (FunctionType, MethodType, types.BuiltinFunctionType, functools.partial)
_FIXED = (int, float, complex, str, bytes, type(None), numpy.dtype)
_ASKING = frozenset({"isinstance", "type", "print"})
"""Builtins that a method which is called as it is must not call: they would see symbols."""
_MAKING = frozenset({"__init__", "__new__", "__init_subclass__", "__post_init__", "__class_getitem__"})
"""Methods that nobody calls who has the object."""
_BY_SYMBOLS = (TypeError, ValueError, OverflowError)
"""Exceptions that code of others raises where it gets a symbol instead of an array or a number."""


def called(router: Semantics, trace: Recording, function: FunctionType, args: Any, kwargs: Any) -> Any:
    """Call a function without source as it is, and depend on all that it can reach.

    Raises:
        CaptureError E431: it changes something of that, which calls of the program would not do, or cannot be followed.
    """
    reached = Reached(trace, router)
    reached.function(function, set())
    for argument in (*args, *kwargs.values()):
        reached.value(argument, names_of(function.__code__))
    reached.start()
    made = reached.with_builtins(router, function)
    guarded = set(trace.root.world.guards)
    try:
        result = made(*args, **kwargs)
    except BaseException as error:
        changed = reached.put_back()
        if isinstance(error, CaptureError) and convert.is_edited(function):
            raise trace.root.refusing(CaptureError(
                "E411", f"{function.__name__}() cannot be converted: its source in {function.__code__.co_filename} is "
                f"not what was imported; called as it is: {error.what}",
                help="restart Python, or import it again",
            )) from error  # fmt: skip
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


def depend_on_names(trace: Recording, function: FunctionType) -> None:
    """Depend on everything that a function could read by name."""
    Reached(trace, None).function(function, set())


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
        return is_trusted_module(value.__name__)
    return isinstance(value, type | types.BuiltinFunctionType) and is_trusted_module(value.__module__ or "")


class Reached:
    """All that a function without source can reach by the names in its code, each part looked at once."""

    def __init__(self, trace: Recording, router: Semantics | None) -> None:
        self._trace, self._world, self._router = trace, trace.root.world, router
        self._met: dict[int, Any] = {}
        self._objects: list[Any] = []
        """Instances of which methods may read all that they remember."""
        self._seen: list[Any] = []
        self._held: list[_Held] = []
        trace.root.inputs.pin_sizes()  # it may ask sizes for their class

    def function(self, function: FunctionType, asked: set[str]) -> None:
        """Depend on everything that a function could read by name, and on its attributes of names that are asked."""
        self._met[id(function)] = function
        world = self._world
        world.read_code(function)
        names = names_of(function.__code__)
        for name in sorted(names & function.__globals__.keys()):
            value = function.__globals__[name]
            world.read(Global(function.__globals__, name), value, name)
            self.value(value, names)
        of_python: Any = function
        for name in sorted((names & of_python.__builtins__.keys()) - function.__globals__.keys()):
            world.read_builtin(of_python, name)
        for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
            self._hold(_of_cell(cell))
            if content(cell) is not MISSING:
                world.read(Closure(cell, name), content(cell), name)
                self.value(content(cell), names)
        for default in (*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values()):
            self.value(default, names)
        self._attributes(function, own(function), names | asked)
        self._hold(_Held(lambda: dict(own(function)), lambda old: refill(own(function), old)))

    def value(self, value: Any, names: set[str]) -> None:
        """Depend on what code that nobody has read can find in a value by some names."""
        if isinstance(value, MethodType):
            self.value(value.__self__, names)
            self._method(value.__func__, names)
            return
        if id(value) in self._met or isinstance(value, _CONSTANT):
            return
        self._met[id(value)] = value
        if isinstance(value, numpy.ndarray):
            self._world.wrap(value)
            self._hold(_Held(lambda: {0: value.tobytes()}, lambda old: _write(value, old[0])))
        elif isinstance(value, (list, dict, set, deque)) or type(value) in CONTAINERS:
            self._container(value, names)
        elif isinstance(value, FunctionType):
            self._function(value, names)
        elif isinstance(value, functools._lru_cache_wrapper):
            raise self.refused(f"{value.__name__}() keeps results, and is called")
        elif isinstance(value, functools.partial):
            for part in (value.func, *value.args, value.keywords):
                self.value(part, names)
        elif isinstance(value, types.ModuleType):
            self._module(value, names)
        else:
            self._object(value, names)

    def _container(self, value: Any, names: set[str]) -> None:
        world = self._world
        made = world.fresh.get(id(value))
        if made is not None:
            if not isinstance(value, tuple | frozenset):
                self._trace.note_container(value, self._trace.root.location())
        else:
            world.wrap(value, "a container")
            if not isinstance(value, tuple | frozenset):
                self._hold(_Held(lambda: _parts(value), lambda old: refill(value, _content(value, old))))
        if type(value) not in CONTAINERS:
            self._object(value, names)
        for part in value.values() if isinstance(value, dict) else value:
            self.value(part, names)

    def _function(self, function: FunctionType, names: set[str]) -> None:
        if is_dispatcher(function):
            raise self.refused(f"{function.__name__}() goes by the class of a value, and is called")
        if not is_trusted_file(function.__code__.co_filename) and not convert.is_converted(function):
            self.function(function, names)

    def _method(self, member: Any, names: set[str]) -> None:
        """A function that is called as a method, past the router."""
        if _is_python(member):
            asked = _ASKING & names_of(member.__code__) - member.__globals__.keys()
            if self._router is not None and (asked or _matches(member.__code__)):
                what = f"calls {', '.join(sorted(asked))}" if asked else "matches classes"
                raise self.refused(f"{member.__qualname__}() {what}")
        self.value(member, names)

    def _module(self, module: types.ModuleType, names: set[str]) -> None:
        if is_trusted_module(module.__name__):
            return
        table = vars(module)
        for name in sorted(names & table.keys()):
            self._world.read(Global(table, name), table[name], name)
            self.value(table[name], names)
        self._hold(_Held(lambda: dict(table), lambda old: _put_back(table, old)))

    def _attributes(self, owner: Any, held: dict[str, Any], names: set[str]) -> None:
        for name in sorted(names & held.keys()):
            if not self._world.is_own(owner):
                self._world.read(Attribute(owner, name), held[name], name)
            self.value(held[name], names)

    def _object(self, value: Any, names: set[str]) -> None:
        kind: Any = value if isinstance(value, type) else type(value)
        if is_trusted_class(kind) and (value is kind or is_of_package(kind)):
            self._objects.append(value)
            return
        if value is not kind:
            made = self._world.fresh.get(id(value))
            if made is None:
                self._objects.append(value)
            if made is None or made[1] is not self._trace:
                self._hold(_Held(lambda: dict(own(value)), lambda old: refill(own(value), old)))
                self._hold(_Held(lambda: slots(value), lambda old: set_slots(value, old)))
            if is_of_package(kind):
                self._attributes(value, {name: part for name, part in own(value).items() if name[:1] != "_"}, names)
            else:
                for part in (own(value) | slots(value)).values():
                    self.value(part, names)
        if is_trusted_class(kind):
            return
        if kind is not value:
            self._met[id(kind)] = kind
        for base in kind.__mro__:
            if not is_trusted_class(base):
                self._hold(_of_class(base))
        self._world.read(Members(kind), Members(kind).read(), whole=False)
        for name in sorted(names | _special(kind)):
            member = static(kind, name)
            if member is MISSING:
                continue
            if isinstance(member, functools.cached_property):
                raise self.refused(f"{kind.__name__}.{name} keeps its value, and is read")
            if isinstance(member, property):
                member = member.fget
            elif isinstance(member, (classmethod, staticmethod)):
                member = member.__func__
            place = Attribute(kind, name)
            self._world.read(place, place.read(), name)
            self._method(member, names)

    def _hold(self, held: _Held) -> None:
        self._held.append(held)

    # --------------------------------------------------------------------------------------------- before and after

    def start(self) -> None:
        """Take stock before the call."""
        for one in self._objects:
            seen = None if isinstance(one, type) else self._world.before_call(one, "__getattribute__")
            if seen is not None:
                self._seen.append(seen)

    def with_builtins(self, router: Semantics, function: FunctionType) -> FunctionType:
        """Give the function with names of its own: builtins and functions of the user's are those of converted code."""
        names = dict(function.__globals__)
        given = names.get("__builtins__", builtins)
        table = dict(given if isinstance(given, dict) else vars(given))
        for name, value in table.items():
            asked = not isinstance(value, type) or value is type  # other classes are compared with what `type` gives
            if asked and value.__hash__ is not None and value in REPLACED:
                table[name] = functools.partial(router.call, value)
        names["__builtins__"] = table
        for name in names_of(function.__code__) & names.keys():
            handed = names[name] = router.handed(names[name])
            if isinstance(handed, functools.partial):
                self._hold(_of_copy(vars(handed)))
        self._hold(_of_copy(names))
        made = FunctionType(function.__code__, names, function.__name__, function.__defaults__, function.__closure__)
        made.__kwdefaults__ = function.__kwdefaults__
        return made

    def put_back(self) -> bool:
        """Let all be as it was before; tell whether it was not."""
        changed = [held for held in self._held if held.is_changed]
        for held in changed:
            held.put_back()
        return bool(changed)

    def finish(self, result: Any) -> None:
        """Depend on what objects remember, and hear of those that the function has made."""
        for seen in self._seen:
            self._world.after_call(seen, "__getattribute__")
        self._made(result)

    def _made(self, value: Any) -> None:
        new = id(value) not in self._met and not self._world.is_users(value) and not self._world.is_own(value)
        if not new or isinstance(value, (*_CONSTANT, *_FUNCTIONS, numpy.ndarray, types.ModuleType, type)):
            return
        self._world.made(value, self._trace)
        parts = value.values() if isinstance(value, dict) else value if type(value) in CONTAINERS else ()
        for part in (*parts, *own(value).values(), *slots(value).values()):
            self._made(part)

    def refused(self, what: str) -> CaptureError:
        """The error for what cannot be followed."""
        return self._trace.root.refusing(CaptureError(
            "E431", f"{what}, and its source is not there to be read", help="put it into a file"
        ))  # fmt: skip


class Implicit(Reached):
    """All that methods of objects reach which a function of Python's calls as they are, `json.dumps(v)` say.

    Args:
        trace: in charge.
        router: of the calling function.
        function: the function of Python's.
        objects: what it is given, of the user's classes.
    """

    def __init__(self, trace: Recording, router: Semantics, function: Any, objects: Iterable[Any]) -> None:
        super().__init__(trace, router)
        self._name = getattr(function, "__name__", type(function).__name__)
        for one in objects:
            self.value(one, set())
        self.start()

    def check(self) -> None:
        """Refuse what the methods have changed."""
        if self.put_back():
            raise self.refused(f"{self._name}() calls methods that change what is outside of it")

    def refused(self, what: str) -> CaptureError:
        """The error for what cannot be followed."""
        return self._trace.root.refusing(CaptureError(
            "E431", f"{what}, and {self._name}() calls methods of the user's as they are",
            help="call it outside of the function, or call the methods in the function itself",
        ))  # fmt: skip

    def _method(self, member: Any, names: set[str]) -> None:
        if _is_python(member) and member.__name__ in _MAKING:
            self.value(member, names)
        else:
            super()._method(member, names)


class _Held:
    """Something that can be changed, and what it held."""

    def __init__(self, read: Callable[[], dict[Any, Any]], write: Callable[[dict[Any, Any]], object]) -> None:
        self._read, self._write = read, write
        self._before = read()

    @property
    def is_changed(self) -> bool:
        return _differ(self._read(), self._before)

    def put_back(self) -> None:
        self._write(self._before)


def _of_cell(cell: types.CellType) -> _Held:
    return _Held(lambda: {0: content(cell)}, lambda old: assign(cell, old[0]))


def _of_class(kind: type) -> _Held:
    return _Held(lambda: dict(vars(kind)), lambda old: _set_class(kind, old))


def _of_copy(table: dict[str, Any]) -> _Held:
    """A table that only this call has: a change to it is one to what it was copied from."""
    return _Held(lambda: dict(table), lambda _: None)


def _parts(container: Any) -> dict[Any, Any]:
    """Give the content of a container, by key, by number, or (of a set) each by itself."""
    if isinstance(container, dict):
        return dict(dict.items(container))
    return {part: part for part in container} if isinstance(container, set) else dict(enumerate(container))


def _content(container: Any, parts: dict[Any, Any]) -> Iterable[Any]:
    return parts if isinstance(container, dict) else parts.values()


def _write(array: Any, data: bytes) -> None:
    array[...] = numpy.frombuffer(data, array.dtype).reshape(array.shape)


def _put_back(table: dict[str, Any], before: dict[str, Any]) -> None:
    table.clear()
    table.update(before)


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
    at = error.__traceback__
    while at is not None and at.tb_next is not None:
        at = at.tb_next
    if at is None or is_trusted_file(at.tb_frame.f_code.co_filename):
        return True
    return dis.opname[at.tb_frame.f_code.co_code[at.tb_lasti]] != "RAISE_VARARGS"


def _special(kind: type) -> set[str]:
    """Names of the special methods of a class, which no code need name."""
    bases = [base for base in kind.__mro__ if not is_trusted_class(base)]
    return {name for base in bases for name in vars(base) if name[:2] == "__" and _is_python(vars(base)[name])}


def _is_python(member: Any) -> bool:
    return isinstance(member, FunctionType) and not is_trusted_file(member.__code__.co_filename)


def _matches(code: types.CodeType) -> bool:
    """Tell whether code has a pattern of classes."""
    return any(instruction.opname == "MATCH_CLASS" for instruction in dis.get_instructions(code))


def names_of(code: types.CodeType) -> set[str]:
    """List the names in code, and strings that may be some."""
    names = {*code.co_names, *code.co_freevars}
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            names |= names_of(constant)
        elif isinstance(constant, str) and constant.isidentifier():
            names.add(constant)
    return names
