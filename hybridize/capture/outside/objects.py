# SPDX-License-Identifier: Apache-2.0
"""What objects remember whose methods are called as they are: nobody watches which attributes those read.

So a program depends on all of it: on a scheduler's settings, a metric's sums, the content of a `Counter`. A call that
changes it is refused, as calls of the program would not. Blocks and parameters tell by themselves when they change
(`watch`), and trainers and optimizers have their own ways (`capture.step`).
"""

from __future__ import annotations

import contextvars
import types
from array import array as plain_array
from collections import UserDict, UserList, deque
from collections.abc import Callable
from copy import copy
from enum import Enum
from functools import cache, partial
from typing import Any

import numpy

from hybridize.array.operators import Operators
from hybridize.array.storage import Storage
from hybridize.base.errors import CaptureError
from hybridize.base.frozen import frozen
from hybridize.base.locations import SourceLoc
from hybridize.capture.outside.trust import is_trusted_file
from hybridize.capture.trace.recording import Recording, Trace
from hybridize.contract.guards import CONTAINERS, MISSING, AttributeGuard, Guard, same
from hybridize.ops.op import imperatively

_REMEMBERING = ("hybridize.lr_scheduler", "hybridize.init", "hybridize.metric", "hybridize.gluon.data.batchify")
"""Modules of ours whose objects are settings and sums; those of all others tell by themselves when they change."""
_DATA = ("hybridize.gluon.data", "hybridize.gluon.contrib.estimator")
"""Modules of ours whose objects give other data at each call."""
_CHANGING = frozenset({"update", "update_dict", "reset", "reset_local", "add", "remove_metric"})
_NOT_STATES = (
    Operators, type, types.FunctionType, types.MethodType, types.ModuleType, types.BuiltinFunctionType, numpy.ndarray,
    numpy.generic, numpy.dtype, numpy.ufunc, Storage, Enum,
)  # fmt: skip
_APART = ("torch", "logging")
"""Packages whose objects are not looked into: modules of torch are converted as a whole, and a log is like `print`."""


class _Part:
    """What an object remembered: its class and what it held, by name or key."""

    __slots__ = ("items", "kind")

    def __init__(self, kind: type, items: list[tuple[Any, Any]]) -> None:
        self.kind, self.items = kind, items


@cache
def _remembers(kind: Any) -> bool:
    """Whether methods of a class that are not converted may read what an instance remembers."""
    if issubclass(kind, _NOT_STATES) or issubclass(kind, (int, float, complex, str, bytes, type(None))):
        return False
    modules = [base.__module__ for base in kind.__mro__]
    ours = [module for module in modules if module.split(".")[0] == "hybridize"]
    if ours:
        return any(module.startswith(_REMEMBERING) for module in ours)
    return not any(module.split(".")[0] in _APART for module in modules)


@cache
def gives_data(kind: Any) -> bool:
    """Whether instances of a class are for what stands around a compiled function: data, or the training itself."""
    if hasattr(kind, "watching"):  # a block: a transform
        return False
    modules = [base.__module__ for base in kind.__mro__]
    return any(m.startswith(_DATA) and not m.startswith(_REMEMBERING) for m in modules)


@cache
def has_own_account(kind: Any) -> bool:
    """Whether it is a class of ours, or derived of one, whose attributes steps may change: trainers, optimizers, ..."""
    return any(base.__module__.split(".")[0] == "hybridize" for base in kind.__mro__)


def state_of(value: Any, seen: frozenset[int] = frozenset()) -> Any:
    """What a value is and holds, as deep as plain objects and containers go, for `alike`."""
    kind: Any = type(value)
    if not _remembers(kind) or id(value) in seen:
        return value
    seen |= {id(value)}
    items: list[tuple[Any, Any]] = []
    if isinstance(value, dict):
        items += [(key, state_of(item, seen)) for key, item in value.items()]
    elif isinstance(value, (list, tuple, deque)):
        items += [(None, state_of(item, seen)) for item in value]
    elif isinstance(value, (set, frozenset)):
        items.append((None, tuple(sorted(value, key=repr))))
    elif isinstance(value, (bytearray, plain_array)):
        items.append((None, bytes(value)))
    elif isinstance(value, contextvars.ContextVar):
        items.append((None, state_of(value.get(MISSING), seen)))
    for name, item in own(value).items():
        items.append((name, state_of(item, seen)))
    for base in kind.__mro__:
        slots = base.__dict__.get("__slots__", ())
        for name in (slots,) if isinstance(slots, str) else slots:
            if name not in ("__dict__", "__weakref__"):
                items.append((name, state_of(getattr(value, name, MISSING), seen)))
    return _Part(kind, items)


def alike(now: Any, then: Any) -> bool:
    """Whether what `state_of` saw is there still."""
    if type(then) is not _Part or type(now) is not _Part:
        return same(now, then)
    return (
        now.kind is then.kind
        and len(now.items) == len(then.items)
        and all(same(a, c) and alike(b, d) for (a, b), (c, d) in zip(now.items, then.items, strict=True))
    )


class StateGuard(Guard):
    """All that an object remembers."""

    __slots__ = ("owner",)

    def __init__(self, owner: Any, state: Any, loc: SourceLoc | None) -> None:
        super().__init__(state, loc)
        self.owner = owner

    def now(self) -> Any:
        return state_of(self.owner)

    def holds(self) -> bool:
        return alike(state_of(self.owner), self.expected)

    def source(self, refer: Callable[[Any], str]) -> str:
        return f"{refer(state_of)}({refer(self.owner)})"

    def check(self, refer: Callable[[Any], str]) -> str:
        return f"{refer(alike)}({self.source(refer)}, {refer(self.expected)})"

    def what(self) -> str:
        return f"what the {type(self.owner).__name__} remembers"

    def change(self) -> str:
        return f"{self.what()} has changed"


class LengthGuard(Guard):
    """How many items an object says it has."""

    __slots__ = ("owner",)

    def __init__(self, owner: Any, length: int, loc: SourceLoc | None) -> None:
        super().__init__(length, loc)
        self.owner = owner

    def now(self) -> Any:
        return len(self.owner)

    def source(self, refer: Callable[[Any], str]) -> str:
        return f"len({refer(self.owner)})"

    def what(self) -> str:
        return f"the length of a {type(self.owner).__name__}"


class ValueGuard(AttributeGuard):
    """An attribute that is made anew each time it is asked for: by what it holds."""

    __slots__ = ()

    def holds(self) -> bool:
        return alike(state_of(self.now()), self.expected)

    def check(self, refer: Callable[[Any], str]) -> str:
        return f"{refer(alike)}({refer(state_of)}({self.source(refer)}), {refer(self.expected)})"

    def change(self) -> str:
        return f"{self.what()} has changed"


_OPERATORS = tuple(
    f"__{name}__" for name in (
        "bool", "add", "radd", "sub", "rsub", "mul", "rmul", "truediv", "rtruediv", "pow", "neg", "lt", "gt", "le",
        "ge", "matmul", "rmatmul", "float", "int", "index", "str", "format", "contains",
    )
)  # fmt: skip


@cache
def speaks(kind: Any) -> bool:
    """Whether Python itself calls methods of a class: those of operators, or of a collection that is unpacked."""
    if not _remembers(kind) or kind in CONTAINERS:
        return False
    if issubclass(kind, (dict, list, set, deque, UserDict, UserList)):
        return True
    methods = (getattr(kind, name, None) for name in (*_OPERATORS, "__iter__", "__eq__"))
    return any(is_users(method) for method in methods)


def is_users(method: Any) -> bool:
    """Whether a method was written by the user."""
    code = getattr(method, "__code__", None)
    return code is not None and code.co_filename != "<string>" and not is_trusted_file(code.co_filename)


def own(owner: Any) -> dict[str, Any]:
    """The attributes of an instance, without asking it."""
    try:
        found: dict[str, Any] = object.__getattribute__(owner, "__dict__")
    except AttributeError:
        return {}
    return found


def missing(trace: Recording, owner: Any, name: str) -> None:
    """Let the program depend on an attribute's not being there."""
    root = trace.root
    key = ("attribute", id(owner), name)
    if key not in root.guards and key not in root.written_attributes and id(owner) not in root.fresh:
        guard = AbsenceGuard(owner, name, MISSING, root.location())
        if not isinstance(owner, Operators) and guard.holds():
            root.guards[key] = guard


class AbsenceGuard(AttributeGuard):
    """An attribute that was asked for and is not there."""

    __slots__ = ()

    def source(self, refer: Callable[[Any], str]) -> str:
        return f"getattr({refer(self.owner)}, {self.name!r}, {refer(MISSING)})"


@frozen
class Seen:
    """An object before a call of one of its methods."""

    owner: Any
    state: Any
    held: list[tuple[Any, Any]]
    """Containers that it is or has, and copies of them."""


def before(trace: Recording, owner: Any, name: str) -> Seen | None:
    """Look at an object whose method `name` is about to be called as it is; None where nothing depends on it.

    Raises:
        CaptureError E406: it gives other data at each call, or the method is one that changes it.
    """
    root = trace.root
    kind: Any = type(owner)
    if id(owner) in root.fresh:
        return None
    if gives_data(kind):
        raise root.refusing(CaptureError(
            "E406", f"{kind.__name__} is used inside of a compiled function, which would keep what it gives now",
            help="use it outside, and pass the arrays as arguments",
        ))  # fmt: skip
    if hasattr(kind, "watching"):
        _watch(trace, owner)
    if not _remembers(kind):
        return None
    if name in _CHANGING and has_own_account(kind):
        raise _changes(root, kind, name)
    holders = [owner, own(owner), *own(owner).values()]
    return Seen(owner, state_of(owner), [(one, copy(one)) for one in holders if isinstance(one, (dict, list, set))])


def _watch(trace: Recording, block: Any) -> None:
    """Let the program depend on what a block and all in it consist of."""
    trace.depend(block.watch)
    for child in block._children.values():
        _watch(trace, child)


def after(trace: Recording, seen: Seen, name: str) -> None:
    """Let the program depend on what the object remembers, now that its method was called.

    Raises:
        CaptureError E406: the call has changed it.
    """
    root, owner = trace.root, seen.owner
    if not alike(state_of(owner), seen.state):
        for container, content in seen.held:
            container.clear()
            (container.extend if isinstance(container, list) else container.update)(content)
        raise _changes(root, type(owner), name)
    key = ("state", id(owner))
    if type(seen.state) is _Part and seen.state.items and key not in root.guards:
        root.guards[key] = StateGuard(owner, seen.state, root.location())


def _changes(root: Trace, kind: type, name: str) -> CaptureError:
    return root.refusing(CaptureError(
        "E406", f"{kind.__name__}.{name}() changes the object in Python, which calls of a program would not do",
        help="call it outside of the compiled function, with what that returns",
    ))  # fmt: skip


def used(trace: Recording, owner: Any, name: str) -> None:
    """Let the program depend on an object that is gone through, or of which an item is read, by code of its own."""
    seen = before(trace, owner, name)
    if seen is not None:
        after(trace, seen, name)


def read(trace: Recording, owner: Any, name: str, value: Any) -> None:
    """Let the program depend on an attribute of an object whose class nobody watches.

    What the program itself has written is what it was written to be, and what a graph says is no Python value.
    """
    root = trace.root
    key = ("attribute", id(owner), name)
    if name == "fresh_grad" and getattr(owner, "_variable", None) in root.history.fresh:
        return  # the program itself has written the gradient, or used it up
    written = key in root.guards or key in root.written_attributes or id(owner) in root.fresh
    if written or isinstance(value, (Operators, types.MethodType, types.BuiltinFunctionType, types.MethodWrapperType)):
        return
    guard: Guard = AttributeGuard(owner, name, value, root.location())
    kind: Any = type(value)
    if not guard.holds() and _remembers(kind):  # made anew each time that it is asked for
        guard = ValueGuard(owner, name, state_of(value), root.location())
    if guard.holds():
        root.guards[key] = guard


def measured(trace: Recording, owner: Any, length: int) -> None:
    """Let the program depend on the length of an object that may give other data at each call."""
    key = ("length", id(owner))
    if key not in trace.root.guards and id(owner) not in trace.root.fresh:
        trace.root.guards[key] = LengthGuard(owner, length, trace.root.location())


def through(trace: Recording, iterable: Any) -> None:
    """Hear that a loop goes through an object: by code of its own, where it is no container."""
    if type(iterable) not in CONTAINERS and not hasattr(type(iterable), "__next__"):
        used(trace, iterable, "__iter__")


def number(trace: Recording, owner: Any, name: str, kind: type | None) -> Any:
    """A number that steps change, `trainer.learning_rate` say: at each call what it is then, at this place.

    Raises:
        CaptureError E407: it is no number.
    """
    if kind is None:
        raise trace.root.refusing(CaptureError(
            "E407", f"{type(owner).__name__}.{name} is read inside of a compiled function, whose calls change it",
            help="read it outside, after the call",
        ))  # fmt: skip
    with imperatively():
        now = getattr(owner, name)
    return now if isinstance(now, Operators) else trace.reading(partial(getattr, owner, name), kind)
