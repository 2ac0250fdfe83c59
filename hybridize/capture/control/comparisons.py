# SPDX-License-Identifier: Apache-2.0
"""Comparisons: `==`, `<` and their kin, whose special methods the user may have written."""

from __future__ import annotations

import dataclasses
import operator
from collections import deque
from collections.abc import Callable
from typing import Any

from hybridize.capture.control.special import KNOWN, answered, dataclass_of, is_users_object, method
from hybridize.capture.control.truth import not_, truth
from hybridize.capture.outside.objects import static
from hybridize.capture.trace.recording import Recording, current_trace
from hybridize.contract.snapshots import CONTAINERS

_REFLECTED = {"lt": "gt", "gt": "lt", "le": "ge", "ge": "le", "eq": "eq", "ne": "ne"}
_SIGNS = {"lt": "<", "gt": ">", "le": "<=", "ge": ">="}


def comparison(name: str, left: Any, right: Any) -> Any:
    """`left < right`, or another comparison."""
    trace = current_trace()
    if type(left) in KNOWN and type(right) in KNOWN:
        if trace is not None and type(left) is type(right) and type(left) in CONTAINERS:
            return _of_containers(trace, name, left, right)
        return getattr(operator, name)(left, right)
    if trace is None or name not in _REFLECTED or not (is_users_object(left) or is_users_object(right)):
        return getattr(operator, name)(left, right)
    forward, backward = _method(trace, left, name), _method(trace, right, _REFLECTED[name])
    if forward is None and backward is None:
        return getattr(operator, name)(left, right)
    x, y = type(left), type(right)
    forward = forward or _native(left, name)
    backward = backward or _native(right, _REFLECTED[name])
    tries = [(forward, right), (backward, left)]
    found = answered(tries[::-1] if x is not y and issubclass(y, x) else tries)
    if found is not NotImplemented:
        return found
    if name in ("eq", "ne"):
        return (left is right) is (name == "eq")
    raise TypeError(f"{_SIGNS[name]!r} not supported between instances of {x.__name__!r} and {y.__name__!r}")


def _of_containers(trace: Recording, name: str, left: Any, right: Any) -> Any:
    """A comparison of two containers, which compares what is in them."""
    if isinstance(left, (dict, set, frozenset)):
        trace.root.keyed(left, right)
        trace.root.keyed(right)
        parts = [*left.values(), *right.values()] if isinstance(left, dict) else []
        trace.root.keyed(part for part in parts)
    elif name in ("eq", "ne") and len(left) == len(right) and any(map(_has_objects, (*left, *right))):
        return _of_tuples(name, list(left), list(right))
    return getattr(operator, name)(left, right)


def _has_objects(value: Any) -> bool:
    """Tell whether a value, or something in it, is of a class of the user's."""
    if isinstance(value, (list, tuple, deque)) and type(value) in CONTAINERS:
        return any(map(_has_objects, value))
    return is_users_object(value)


class Ordered:
    """A value that is compared as converted code compares it."""

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value

    def __lt__(self, other: Ordered) -> Any:
        return truth(comparison("lt", self.value, other.value))

    def __gt__(self, other: Ordered) -> Any:
        return truth(comparison("gt", self.value, other.value))


def _method(trace: Recording, owner: Any, name: str) -> Callable[..., Any] | None:
    if is_users_object(owner) and (fields := dataclass_of(type(owner), f"__{name}__")) is not None:
        return _by_fields(trace, owner, name, fields)
    found = method(trace, owner, f"__{name}__")
    if found is None and name == "ne" and static(type(owner), "__ne__") is object.__ne__:
        equal = _method(trace, owner, "eq")
        return None if equal is None else lambda other: _opposite(equal(other))
    return found


def _by_fields(trace: Recording, owner: Any, name: str, made: Any) -> Callable[..., Any]:
    """A comparison that `dataclasses` generated: of tuples of the fields."""
    read = trace.root.converter(getattr)
    names = [field.name for field in dataclasses.fields(made) if field.compare]

    def compared(other: Any) -> Any:
        if type(other) is not type(owner):
            return NotImplemented
        return _of_tuples(name, *([read(one, name) for name in names] for one in (owner, other)))

    return compared


def _of_tuples(name: str, left: list[Any], right: list[Any]) -> Any:
    """The comparison of two tuples of one length: of the first parts that differ."""
    for x, y in zip(left, right, strict=True):
        if x is not y and not bool(truth(comparison("eq", x, y))):
            return name == "ne" if name in ("eq", "ne") else comparison(name, x, y)
    return name in ("eq", "le", "ge")


def _opposite(found: Any) -> Any:
    return found if found is NotImplemented else not_(found)


def _native(owner: Any, name: str) -> Callable[..., Any]:
    own = getattr(type(owner), f"__{name}__")
    return lambda other: own(owner, other)
