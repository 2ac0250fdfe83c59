# SPDX-License-Identifier: Apache-2.0
"""Functions that write to what they are given: those of `operator`, `object.__setattr__`, `list.append(l, x)`.

They go the ways of the statements that they stand for. What else writes to a container behind the back of capture,
`heapq.heappush` say, is noticed by what the container holds after the call.
"""

from __future__ import annotations

import builtins
import operator
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from hybridize.array.ndarray import ndarray
from hybridize.array.symbol import Symbol, described
from hybridize.base.errors import CaptureError
from hybridize.base.members import class_member
from hybridize.capture.control.special import IN_PLACE
from hybridize.capture.control.truth import refusal
from hybridize.capture.outside.objects import is_users
from hybridize.capture.python import writes
from hybridize.capture.python.semantics import Semantics
from hybridize.capture.trace.recording import Recording, Trace, current_trace
from hybridize.contract.places import Attribute, Key
from hybridize.contract.snapshots import CONTAINERS, MISSING, refill


def _in_place(name: str) -> Callable[..., Any]:
    """Make what does as `operator.iadd` and kin do: the augmented assignment."""
    function, method = getattr(operator, name), "iadd" if name == "iconcat" else name

    def change(router: Semantics, owner: Any, value: Any) -> Any:
        trace = current_trace()
        if trace is None:
            return function(owner, value)
        if isinstance(owner, ndarray):
            owner = trace.lift(owner)
        special = class_member(type(owner), f"__{method}__")
        return router.call(special, owner, value) if is_users(special) else writes.augmented(owner, method, value)

    return change


class _Stored(Attribute):
    """An attribute of an object, written past what its class makes of it."""

    __slots__ = ()

    @property
    def key(self) -> Key:
        return Attribute(self.owner, self.name).key  # however it is written, it is read as all others

    def write(self, value: Any) -> None:
        if value is not MISSING:
            object.__setattr__(self.owner, self.name, value)
        else:
            object.__delattr__(self.owner, self.name)


def store(router: Semantics, owner: Any, name: str, value: Any) -> None:
    """Set an attribute as `object.__setattr__` does."""
    trace = current_trace()
    if trace is not None and writes.set_by_class(router, trace, value, owner, name):
        return
    own = trace is not None and trace.root.world.is_own(owner)
    if trace is not None and own:
        trace.changes_own(owner, f"the attribute {name!r} is set")
    if trace is None or isinstance(owner, type) or own:
        object.__setattr__(owner, name, value)
        return
    if trace.depth:
        raise writes.refused(trace, f"the attribute {name!r} is set")
    trace.root.world.write(_Stored(owner, name), value)


class _Names(Mapping[str, Any]):
    """Stands for `globals()`: the names of the user's module, each guarded where it is read."""

    def __init__(self, router: Semantics) -> None:
        self._router = router

    def __getitem__(self, name: str) -> Any:
        names = self._router.names
        if name not in names:
            self._refuse(f"asks for {name!r}, which is not there")
        return self._router.read_global(name, names[name])

    def __contains__(self, name: Any) -> bool:
        self[name]
        return True

    def __iter__(self) -> Iterator[str]:
        raise self._refuse("is gone through")

    def __len__(self) -> int:
        raise self._refuse("is measured")

    def __setitem__(self, name: str, value: Any) -> None:
        self._refuse("is written")

    def _refuse(self, what: str) -> CaptureError:
        raise refusal("E428", f"globals() {what} inside of a compiled function", help="use the variables by name")


def _vars(router: Semantics, *args: Any) -> Any:
    """Give what `vars(owner)` gives, each item guarded where it is read."""
    trace = current_trace()
    if not args and trace is not None:
        raise trace.refusal(
            "E428", "vars() of local variables inside a compiled function", help="use the variables by name"
        )  # fmt: skip
    owner, *_ = args
    table = vars(*args)
    if trace is not None and isinstance(table, dict) and not trace.root.world.is_own(owner):
        return trace.root.world.table(owner)
    return table


def _running_text(name: str) -> Callable[..., Any]:
    def refuse(router: Semantics, *args: Any, **kwargs: Any) -> Any:
        raise refusal(
            "E428", f"{name}() inside a compiled function: the code in its text cannot be captured",
            help="write the code directly, or call it outside the compiled function",
        )  # fmt: skip

    return refuse


REPLACED: dict[Any, Callable[..., Any]] = {
    getattr(operator, name): _in_place(name) for name in ("iconcat", *(f"i{sign}" for sign in IN_PLACE))
} | {
    operator.setitem: lambda router, owner, key, value, /: router.set_item(value, owner, key),
    operator.delitem: lambda router, owner, key, /: router.delete_item(owner, key),
    operator.getitem: lambda router, owner, key, /: router.read_item(owner, key),
    builtins.delattr: lambda router, owner, name, /: router.delete_attribute(owner, name),
    builtins.globals: lambda router: _Names(router) if current_trace() is not None else router.names,
    builtins.vars: _vars,
    builtins.eval: _running_text("eval"),
    builtins.exec: _running_text("exec"),
    object.__setattr__: store,
}
"""Replacements of functions, called with the router before the arguments."""


class Held:
    """The contents of the containers among the arguments of a call, before it."""

    def __init__(self, trace: Recording, args: tuple[Any, ...]) -> None:
        self._trace, self._mark = trace, trace.root.world.mark()
        self._before = [
            (x, x.copy())
            for x in args
            if type(x) in CONTAINERS and hasattr(x, "copy") and (_may_be_elsewhere(trace, x) or trace.depth)
        ]

    def check(self, function: Any) -> None:
        """Refuse a call that has changed one of them.

        Raises:
            CaptureError E431: a container of the user's, or of a branch, is not what it was.
        """
        for owner, before in self._before:
            if not _holds(owner, before):
                self._trace.root.world.back(self._mark)  # what converted code has written in between goes first
                refill(owner, before)
                name = getattr(function, "__qualname__", type(function).__name__)
                raise self._trace.refusal(
                    "E431",
                    f"{name}() changes a {type(owner).__name__} of the surroundings, which a program cannot do again",
                    help="work on a copy, or change it outside the function",
                )


def _may_be_elsewhere(trace: Recording, container: Any) -> bool:
    """Tell whether a container is the user's, or stands for one that calls find."""
    world = trace.root.world
    return world.is_outside(container) or world.fed.is_container(container)


def _holds(owner: Any, before: Any) -> bool:
    if len(owner) != len(before):
        return False
    if isinstance(owner, (set, frozenset)):
        return all(one in before for one in owner)
    if isinstance(owner, dict):
        return all(key in before and before[key] is value for key, value in owner.items()) and list(owner) == list(
            before
        )
    return all(now is then for now, then in zip(owner, before, strict=True))


def check_leaks(trace: Trace) -> None:
    """Refuse a capture that has left a value of the program in a container of the user's.

    Raises:
        CaptureError E429: calls of the program would not put it there.
    """
    for container in trace.world.outside.values():
        if isinstance(container, tuple):  # nothing is put into one: the call has made it
            continue
        for x in container.values() if isinstance(container, dict) else container:
            if type(x) is Symbol:
                kind = type(container).__name__
                raise CaptureError(
                    "E429",
                    f"a {kind} outside the function would store {described(x)}, a captured value",
                    help="return the value instead, or store it by a statement of the function itself",
                )
