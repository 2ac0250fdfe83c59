# SPDX-License-Identifier: Apache-2.0
"""What converted code calls wherever capture has to look: reads of the world around, calls, writes, control flow.

One `Router` belongs to one converted function. Where nothing is captured (a converted closure that outlived its
capture, say) every method does what Python does.
"""

from __future__ import annotations

import builtins
import functools
import operator
import types
from collections.abc import Callable, Mapping
from types import FunctionType, MethodType
from typing import Any, cast

import numpy

from hybridize.array.ndarray import ndarray
from hybridize.array.operators import Operators
from hybridize.array.storage import Storage
from hybridize.array.symbol import Symbol
from hybridize.base.dims import is_symbolic
from hybridize.base.dtypes import CODES
from hybridize.base.errors import CaptureError
from hybridize.capture.control import statements
from hybridize.capture.control.operators import and_, choose, compare, or_
from hybridize.capture.control.signals import BREAK, CONTINUE, Returned, Stack, assign, content
from hybridize.capture.control.truth import not_, plain
from hybridize.capture.convert import statements as convert
from hybridize.capture.outside import objects as states
from hybridize.capture.outside.trust import (
    FUNCTIONS,
    is_for_outside,
    is_iterator,
    is_trusted_class,
    is_trusted_file,
    is_trusted_module,
    opaque_name,
)
from hybridize.capture.python import writes
from hybridize.capture.python.arguments import numbers_given
from hybridize.capture.python.builtins import REPLACED
from hybridize.capture.trace.recording import Recording, Trace, current_trace
from hybridize.contract.guards import (
    CONTAINERS,
    MISSING,
    AttributeGuard,
    CellGuard,
    GlobalGuard,
    Guard,
    ItemGuard,
    WholeGuard,
)

_BUILTINS = (
    types.BuiltinFunctionType, types.MethodWrapperType, types.MethodDescriptorType, types.WrapperDescriptorType,
)  # fmt: skip
_METHODS = (*_BUILTINS, types.ClassMethodDescriptorType, FunctionType, classmethod, staticmethod)
_CONSTANT = (
    Operators, numpy.ndarray, numpy.generic, numpy.dtype, int, float, complex, str, bytes, slice, range, types.CodeType,
    BaseException, Storage,
)  # fmt: skip
"""Classes whose instances have no attributes that change, but for arrays, which are looked at otherwise."""
_LOOKING = frozenset({"builtins", "copy", "dataclasses", "operator", "_operator", "json", "itertools"})
"""Modules of Python whose functions look into their arguments."""
_Key = tuple[Any, ...]


class Router:
    """The `__hybridize__` of one converted function."""

    __slots__ = ("_cells", "function", "names")

    BREAK = BREAK
    CONTINUE = CONTINUE

    # Control flow: see `capture.flow`.
    enter = staticmethod(Stack)
    returned = staticmethod(Returned)
    done = staticmethod(statements.done)
    block = staticmethod(statements.block)
    if_ = staticmethod(statements.if_)
    while_ = staticmethod(statements.while_)
    for_ = staticmethod(statements.for_)
    choose = staticmethod(choose)
    and_ = staticmethod(and_)
    or_ = staticmethod(or_)
    not_ = staticmethod(not_)
    compare = staticmethod(compare)
    assert_ = staticmethod(statements.assert_)
    raised = staticmethod(statements.raised)
    caught = staticmethod(statements.caught)
    plain = staticmethod(plain)
    slice = slice

    # Writes: see `capture.writes`.
    new = staticmethod(writes.new)

    def __init__(self, function: FunctionType) -> None:
        self.function = function
        self.names = function.__globals__
        self._cells: dict[str, types.CellType] | None = None

    # ----------------------------------------------------------------------------------------------------- reads

    def read_global(self, name: str, value: Any, whole: bool = True) -> Any:
        """A name of the user's module."""
        trace = current_trace()
        if trace is None or name not in self.names:
            return value
        key = ("name", id(self.names), name)
        if _unguarded(trace, key):
            return _guarded(trace.root, key, GlobalGuard(self.names, name, value, trace.root.location()), name, whole)
        return met(trace.root, value, name, whole)

    def read_closure(self, name: str, value: Any, whole: bool = True) -> Any:
        """A variable of a function around the converted one."""
        trace = current_trace()
        if trace is None:
            return value
        cell = self._cell(name)
        key = ("cell", id(cell))
        if _unguarded(trace, key):
            return _guarded(trace.root, key, CellGuard(cell, name, value, trace.root.location()), name, whole)
        return met(trace.root, value, name, whole)

    def read_attribute(self, owner: Any, name: str, whole: bool = True) -> Any:
        """`owner.name`."""
        trace = current_trace()
        kind = type(owner)
        if trace is None or kind is Symbol:
            return _number_attribute(owner, name) if kind is Symbol and owner.weak is not None else getattr(owner, name)
        if kind is ndarray:
            return getattr(trace.lift(owner), name)
        if kind is types.ModuleType:
            return _module_attribute(trace.root, owner, name, whole)
        if kind in CONTAINERS or kind is super:
            return getattr(owner, name)
        try:
            return attribute(self, trace, owner, name, whole)
        except AttributeError:
            states.missing(trace, owner, name)
            raise

    def read_item(self, owner: Any, key: Any, whole: bool = True) -> Any:
        """`owner[key]`."""
        trace = current_trace()
        kind = type(owner)
        if trace is None or kind is Symbol:
            return owner[key]
        if kind is ndarray:
            return trace.lift(owner)[key]
        if kind in CONTAINERS or isinstance(owner, Mapping):
            return item(trace.root, owner, plain(key), whole)
        method = _python_method(kind, "__getitem__")
        if method is not None:
            return self.call(method, owner, key)
        states.used(trace, owner, "__getitem__")
        return met(trace.root, owner[plain(key)], "an item", whole)

    # ----------------------------------------------------------------------------------------------------- calls

    def call(self, function: Any, /, *args: Any, **kwargs: Any) -> Any:
        """`function(*args, **kwargs)`: converted where it is the user's, as it is where it is trusted."""
        trace = current_trace()
        if trace is None:
            return function(*args, **kwargs)
        match function:
            case FunctionType():
                return self._call_function(trace, function, args, kwargs)
            case MethodType():
                if not is_trusted_file(getattr(getattr(function.__func__, "__code__", None), "co_filename", "")):
                    return self.call(function.__func__, function.__self__, *args, **kwargs)
                return self._call_trusted(trace, function, args, kwargs)
            case type():
                return self._call_class(trace, function, args, kwargs)
            case functools.partial() if getattr(function.func, "__func__", None) is Router.call:
                return function(*args, **kwargs)  # a function of the user's that was handed to trusted code
            case functools.partial():
                for argument in (*function.args, *function.keywords.values()):
                    if type(argument) in CONTAINERS and id(argument) not in trace.root.fresh:
                        trace.root.external.setdefault(id(argument), argument)  # kept from call to call
                return self.call(function.func, *function.args, *args, **{**function.keywords, **kwargs})
            case functools._lru_cache_wrapper():
                return self.call(function.__wrapped__, *args, **kwargs)
        if not isinstance(function, _BUILTINS):
            method = _python_method(type(function), "__call__")
            if method is not None:
                return self.call(method, function, *args, **kwargs)
        return self._call_trusted(trace, function, args, kwargs)

    def context(self, manager: Any) -> Any:
        """What a `with` enters: methods of the user's are called as all others."""
        method = None if current_trace() is None else _python_method(type(manager), "__enter__")
        return manager if method is None else _Context(self, manager)

    @staticmethod
    def through(iterable: Any) -> Any:
        """What a comprehension goes through."""
        trace = current_trace()
        if trace is not None:
            states.through(trace, iterable)
        return iterable

    def _call_function(self, trace: Recording, function: FunctionType, args: Any, kwargs: Any) -> Any:
        if convert.is_converted(function):
            return function(*args, **kwargs)
        if is_trusted_file(function.__code__.co_filename):
            return self._call_trusted(trace, function, args, kwargs)
        for default in (*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values()):
            if type(default) in CONTAINERS and id(default) not in trace.root.fresh:
                trace.root.external.setdefault(id(default), default)  # kept from call to call, as globals are
        made = convert.converted(function, Router(function))
        if made is not None:
            return made(*args, **kwargs)
        guard_all(trace.root, function)
        return function(*args, **kwargs)

    def _call_class(self, trace: Recording, kind: type, args: Any, kwargs: Any) -> Any:
        init: Any = _static(kind, "__init__")
        plain = _static(kind, "__new__") is _static(object, "__new__")
        if (
            not plain
            or type(kind) is not type
            or is_trusted_class(kind)
            or not isinstance(init, FunctionType)
            or is_trusted_file(init.__code__.co_filename)
            or convert.converted_code(init.__code__, init.__globals__) is None
        ):
            made = self._call_trusted(trace, kind, args, kwargs)
            # A class with a `__new__` of its own may give an object that was there before.
            new = (plain or is_trusted_class(kind)) and not isinstance(made, Operators)
            return writes.new(made) if new else made
        made = writes.new(object.__new__(kind))
        self.call(init, made, *args, **kwargs)
        return made

    def _call_trusted(self, trace: Recording, function: Any, args: Any, kwargs: Any) -> Any:
        replaced = REPLACED.get(function) if function.__hash__ is not None else None
        if replaced is not None:
            return replaced(self, *args, **kwargs)
        owner = getattr(function, "__self__", None)
        if type(owner) in CONTAINERS:
            return writes.container_method(self, trace, owner, function, args, kwargs)
        if type(owner) in (int, float) and any(map(is_symbolic, args)):
            return function(
                *(int(x) if is_symbolic(x) else x for x in args)
            )  # (2).__eq__(n): numbers do not know of sizes
        opaque = opaque_name(function)
        if opaque is not None:
            raise trace.root.refusing(CaptureError(
                "E420", f"{opaque}() yields other data at each call, which a compiled program cannot see",
                help="call it outside and pass the result as an argument; hybridize.random draws inside programs",
            ))  # fmt: skip
        wrapped = getattr(function, "__wrapped__", None)
        if isinstance(wrapped, FunctionType) and not is_trusted_file(wrapped.__code__.co_filename):
            guard_all(trace.root, wrapped)
        if is_for_outside(function, args, kwargs):
            raise trace.root.refusing(CaptureError(
                "E407", f"{function.__qualname__}() inside of a compiled function: Python would have to do it at each "
                "call",
                help="call it before or after the compiled function",
            ))  # fmt: skip
        args, kwargs = numbers_given(function, args, kwargs)
        name = getattr(function, "__name__", "__call__")
        seen = states.before(trace, function if owner is None else owner, name)
        if owner is builtins or getattr(function, "__module__", None) in _LOOKING:
            for argument in args:
                if type(argument) not in CONTAINERS:
                    states.used(trace, argument, name)
        if any(isinstance(argument, FUNCTIONS) for argument in args) or kwargs:
            args = tuple(self._handed(argument) for argument in args)
            kwargs = {name: self._handed(argument) for name, argument in kwargs.items()}
        result = function(*args, **kwargs)
        if seen is not None:
            states.after(trace, seen, name)
        kind = type(result)
        if kind is ndarray:
            return trace.lift(result)
        if kind in CONTAINERS and id(result) not in trace.root.external:
            writes.new(result)
        return result

    def _handed(self, argument: Any) -> Any:
        """A function of the user's that trusted code will call: converted when it is called."""
        if not isinstance(argument, FUNCTIONS):
            return argument
        inner: Any = argument.__func__ if isinstance(argument, MethodType) else argument
        code = getattr(inner, "__code__", None)
        if code is None or convert.is_converted(inner) or is_trusted_file(code.co_filename):
            return argument
        return functools.wraps(inner)(functools.partial(self.call, argument))

    # ---------------------------------------------------------------------------------------------------- writes

    def set_attribute(self, value: Any, owner: Any, name: str) -> None:
        """`owner.name = value`."""
        writes.set_attribute(self, value, owner, name)

    def set_item(self, value: Any, owner: Any, key: Any) -> None:
        """`owner[key] = value`."""
        writes.set_item(self, value, owner, key)

    def delete_attribute(self, owner: Any, name: str) -> None:
        """`del owner.name`."""
        writes.delete(self, owner, f"attribute {name!r}", delattr, name)

    def delete_item(self, owner: Any, key: Any) -> None:
        """`del owner[key]`."""
        writes.delete(self, owner, "an item", operator.delitem, key)

    def update_attribute(self, owner: Any, name: str, method: str, value: Any) -> None:
        """`owner.name += value`, or another operator."""
        before = self.read_attribute(owner, name)
        after = getattr(operator, method)(before, value)
        if after is not before or not isinstance(after, Operators):  # arrays are written in place
            writes.set_attribute(self, after, owner, name)

    def update_item(self, owner: Any, key: Any, method: str, value: Any) -> None:
        """`owner[key] += value`, or another operator."""
        before = self.read_item(owner, key)
        writes.set_item(self, getattr(operator, method)(before, value), owner, key)

    def writing_global(self, name: str, _: None) -> None:
        """Before a write to a name of the module."""
        names = self.names
        old = names.get(name, MISSING)
        writes.remember(lambda: names.__setitem__(name, old) if old is not MISSING else names.pop(name, None))

    def wrote_global(self, name: str, value: Any) -> None:
        """After a write to a name of the module."""
        write = functools.partial(self.names.__setitem__, name)
        writes.wrote_variable(("name", id(self.names), name), value, name, write)

    def writing_closure(self, name: str, _: None) -> None:
        """Before a write to a variable of a function around the converted one."""
        cell = self._cell(name)
        old = content(cell)
        writes.remember(lambda: assign(cell, old))

    def wrote_closure(self, name: str, value: Any) -> None:
        """After a write to a variable of a function around the converted one."""
        cell = self._cell(name)
        writes.wrote_variable(("cell", id(cell)), value, name, functools.partial(assign, cell))

    def writing_enclosing(self, name: str, _: None) -> None:
        """Before a write to a variable of a function around that is converted too."""
        trace = current_trace()
        if trace is not None and trace.depth:
            raise writes.refused(trace, f"the variable {name!r} of the function around is set")

    def wrote_enclosing(self, name: str, value: Any) -> None:
        """After a write to a variable of a function around that is converted too: nothing more to say."""

    def _cell(self, name: str) -> types.CellType:
        """The cell of a variable of a function around the converted one."""
        if self._cells is None:
            self._cells = dict(zip(self.function.__code__.co_freevars, self.function.__closure__ or (), strict=True))
        return self._cells[name]


class _Context:
    """A context manager of the user's class, while capturing."""

    def __init__(self, router: Router, manager: Any) -> None:
        self._router, self._manager = router, manager

    def __enter__(self) -> Any:
        return self._router.call(_static(type(self._manager), "__enter__"), self._manager)

    def __exit__(self, *error: Any) -> Any:
        return self._router.call(_static(type(self._manager), "__exit__"), self._manager, *error)


def routed(function: Callable[..., Any]) -> Callable[..., Any]:
    """`function` as capture calls it: converted where it is the user's."""
    return functools.partial(_OUTSIDE.call, function)


def _number_attribute(symbol: Symbol, name: str) -> Any:
    """An attribute of a Python number."""
    if not hasattr(symbol.weak, name):
        raise AttributeError(f"{symbol.weak.__name__!r} object has no attribute {name!r}")  # type: ignore[union-attr]
    return getattr(symbol._concretize("item"), name)


def _guarded(root: Trace, key: _Key, guard: Guard, name: str, whole: bool) -> Any:
    """What a guard has found, of which the program depends from now on; or as each call finds it."""
    if (new := root.fed.read(root, key, guard)) is not None:
        return new
    root.guards[key] = guard
    return met(root, guard.expected, name, whole)


def _unguarded(trace: Recording, key: _Key) -> bool:
    """Whether a read needs a guard: neither guarded yet nor of what the program itself has written."""
    return key not in trace.root.guards and key not in trace.root.written_attributes


def met(root: Trace, value: Any, name: str, whole: bool) -> Any:
    """A value of the world around, as converted code gets it: arrays are lifted, containers guarded."""
    kind: Any = type(value)
    if kind is ndarray:
        return root.lift(value, name)
    if isinstance(value, numpy.ndarray):
        if value.dtype in CODES:
            return root.lift_numpy(value, name)
        guard_whole(root, value, name)
        return value
    if kind in CONTAINERS:
        if id(value) not in root.fresh:
            root.external.setdefault(id(value), value)
            if whole:
                guard_whole(root, value, name)
        return value
    if is_iterator(value):
        raise root.refusing(CaptureError(
            "E421", f"{name!r} is an iterator ({kind.__name__}): it yields other data at each call",
            help="pass what it yields as an argument, or make it inside the function",
        ))  # fmt: skip
    if whole and states.speaks(kind):
        states.used(root, value, "an operator")
    return value


def guard_whole(root: Trace, container: Any, name: str) -> None:
    """Guard the content of a container of the user's, as it was before the program changed it."""
    key = ("whole", id(container))
    if key in root.guards:
        return
    guard = WholeGuard(container, name or "a container", root.location())
    before = writes.before(root, container)
    if before is not MISSING:
        guard.expected = before
    root.guards[key] = guard
    _keep_arrays(root, container)


def _keep_arrays(root: Trace, container: Any, seen: frozenset[int] = frozenset()) -> None:
    """Remember NumPy arrays in a container as the user's, so that they are lifted where they are used."""
    if id(container) in seen:
        return
    seen |= {id(container)}
    for part in container.values() if isinstance(container, dict) else container:
        if type(part) in CONTAINERS:
            _keep_arrays(root, part, seen)
        elif isinstance(part, numpy.ndarray) and part.dtype in CODES:
            root.foreign.setdefault(id(part), ndarray(part)).storage.exposed = True


def guard_all(root: Trace, function: FunctionType) -> None:
    """Guard everything that a function without source could read by name; it may ask sizes for their class too."""
    root.pin_sizes()
    names = function.__globals__
    for name in _names_of(function.__code__):
        if name in names:
            guard = GlobalGuard(names, name, names[name], root.location())
            _guard_foreign(root, ("name", id(names), name), guard, name)
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        try:
            value = cell.cell_contents
        except ValueError:
            continue
        _guard_foreign(root, ("cell", id(cell)), CellGuard(cell, name, value, root.location()), name)


def _guard_foreign(root: Trace, key: _Key, guard: Guard, name: str) -> None:
    root.guards.setdefault(key, guard)
    met(root, guard.expected, name, whole=True)


def _names_of(code: types.CodeType) -> set[str]:
    names = set(code.co_names)
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            names |= _names_of(constant)
    return names


def _module_attribute(root: Trace, module: types.ModuleType, name: str, whole: bool) -> Any:
    value = getattr(module, name)
    if is_trusted_module(module.__name__):
        return value
    names = vars(module)
    key = ("name", id(names), name)
    if name in names and _unguarded(root, key):
        root.guards[key] = GlobalGuard(names, name, value, root.location())
    return met(root, value, name, whole)


def attribute(router: Router, trace: Recording, owner: Any, name: str, whole: bool) -> Any:
    """An attribute of an object of any class."""
    kind: Any = type(owner)
    root = trace.root
    static = _static(kind, name)
    numbers = getattr(kind, "numbers_of_steps", None)
    if numbers is not None and name in numbers and id(owner) not in root.fresh:
        return states.number(trace, owner, name, numbers[name])
    if isinstance(static, property) and isinstance(static.fget, FunctionType):
        value = router.call(static.fget, owner)
        if is_trusted_file(static.fget.__code__.co_filename):
            states.read(trace, owner, name, value)
        return value
    if isinstance(static, functools.cached_property) and name not in vars(owner):
        return router.call(static.func, owner)
    own = states.own(owner)
    watch = own.get("watch")
    if isinstance(watch, Storage):  # a parameter tells when its array is replaced, a block when the attribute is
        watching = getattr(owner, "watching", None)
        value = getattr(owner, name)
        if watching is not None:
            guard = AttributeGuard(owner, name, value, root.location())
            if (new := root.fed.watched(root, guard)) is not None:
                return new
        trace.depend(watch if watching is None else watching(name))
        if watching is None and static is MISSING:
            states.read(trace, owner, name, value)
        return met(root, value, name, whole)
    if is_trusted_class(kind) and not isinstance(owner, type):
        value = getattr(owner, name)
        if isinstance(owner, _CONSTANT) or (isinstance(static, _METHODS) and name not in own):
            return trace.lift(value) if type(value) is ndarray else value
        key = ("attribute", id(owner), name)
        kept = name in own and (type(value) is ndarray or not states.has_own_account(kind))  # of a namespace, say
        if kept and _unguarded(trace, key) and id(owner) not in root.fresh and not isinstance(value, Symbol):
            return _guarded(root, key, AttributeGuard(owner, name, value, root.location()), name, whole)
        states.read(trace, owner, name, value)
        return met(root, value, name, whole)
    if isinstance(static, (FunctionType, classmethod, staticmethod)) and name not in own:
        return getattr(owner, name)
    if static is MISSING and name not in own and not isinstance(owner, type):
        dynamic = _python_method(kind, "__getattr__")
        if dynamic is not None:
            return router.call(dynamic, owner, name)
    value = getattr(owner, name)
    if isinstance(owner, type) and isinstance(value, FUNCTIONS):
        return value
    if isinstance(owner, type) and is_trusted_class(owner) and not isinstance(value, (int, float, str)):
        return value
    key = ("attribute", id(owner), name)
    if _unguarded(trace, key) and id(owner) not in root.fresh:
        return _guarded(root, key, AttributeGuard(owner, name, value, root.location()), name, whole)
    return value if id(owner) in root.fresh and type(value) in CONTAINERS else met(root, value, name, whole)


def item(root: Trace, owner: Any, key: Any, whole: bool) -> Any:
    """An item of a container."""
    if isinstance(key, Symbol):
        if isinstance(owner, (dict, set)):
            raise root.refusing(
                CaptureError(
                    "E422", f"{key!r} cannot be a key: it has no value while capturing", help="keys are Python values"
                )
            )
        return owner[key]  # asks for its number
    try:
        value = owner[key]
    except LookupError:
        if id(owner) in root.external or type(owner) not in CONTAINERS:
            guard_whole(root, owner, "a container")
        raise
    if id(owner) not in root.external and type(owner) in CONTAINERS:
        return root.lift(value) if type(value) is ndarray else value
    name = repr(key)
    if isinstance(owner, tuple):
        return met(root, value, name, whole)
    guarded = ("item", id(owner), key)
    simple = type(key) in (int, str, bool, float, tuple, type(None))
    if simple and guarded in root.written_attributes:
        return met(root, value, name, whole)
    if simple and guarded not in root.guards:
        guard = ItemGuard(owner, key, value, root.location())
        if (new := root.fed.read(root, guarded, guard)) is not None:
            return new
    if not simple or writes.before(root, owner) is not MISSING:
        guard_whole(root, owner, "a container")
    elif _unguarded(root, guarded):
        root.guards[guarded] = ItemGuard(owner, key, value, root.location())
        root.external.setdefault(id(owner), owner)
    return met(root, value, name, whole)


def _static(kind: type, name: str) -> Any:
    """What the class says an attribute is, without asking the instance."""
    for base in kind.__mro__:
        if name in base.__dict__:
            return base.__dict__[name]
    return MISSING


def _python_method(kind: type, name: str) -> FunctionType | None:
    """A special method of a class that the user wrote in Python."""
    method = _static(kind, name)
    if isinstance(method, FunctionType) and not is_trusted_file(method.__code__.co_filename):
        return method
    return None


def _nothing() -> None:
    """The function of the router that belongs to none."""


_OUTSIDE = Router(cast(FunctionType, _nothing))
