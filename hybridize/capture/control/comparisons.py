# SPDX-License-Identifier: Apache-2.0
"""Comparisons: `==`, `<` and their kin, whose special methods the user may have written."""

from __future__ import annotations

import dataclasses
import operator
from collections import deque
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from hybridize.array.ndarray import ndarray
from hybridize.array.operators import functions
from hybridize.array.symbol import Symbol
from hybridize.base.tracebacks import as_python
from hybridize.capture.control.branches import truth_under
from hybridize.capture.control.identity import is_same_item
from hybridize.capture.control.rolled_lists import unroll
from hybridize.capture.control.special import KNOWN, answered, dataclass_of, is_users_object, known_beside, method
from hybridize.capture.control.truth import as_bool, is_one, not_, truth
from hybridize.capture.trace.recording import Recording, current_trace
from hybridize.contract.places import static
from hybridize.contract.snapshots import CONTAINERS

_REFLECTED = {"lt": "gt", "gt": "lt", "le": "ge", "ge": "le", "eq": "eq", "ne": "ne"}
_SIGNS = {"lt": "<", "gt": ">", "le": "<=", "ge": ">="}


@as_python
def comparison(name: str, left: Any, right: Any) -> Any:
    """`left < right`, or another comparison."""
    trace = current_trace()
    if type(left) in KNOWN and type(right) in KNOWN:
        if trace is not None and type(left) is type(right) and type(left) in CONTAINERS:
            return _of_containers(trace, name, left, right)
        return getattr(operator, name)(left, right)
    left, right = known_beside(left, right)
    if trace is None or name not in _REFLECTED or not (is_users_object(left) or is_users_object(right)):
        return getattr(operator, name)(left, right)
    forward, backward = _method(trace, left, name), _method(trace, right, _REFLECTED[name])
    if forward is None and backward is None:
        return getattr(operator, name)(left, right)
    x, y = type(left), type(right)
    forward = forward or _native(left, name)
    backward = backward or _native(right, _REFLECTED[name])
    tries = [(forward, right), (backward, left)]
    answer = answered(tries[::-1] if x is not y and issubclass(y, x) else tries)
    if answer is not NotImplemented:
        return answer
    if name in ("eq", "ne"):
        return (left is right) is (name == "eq")
    raise TypeError(f"{_SIGNS[name]!r} not supported between instances of {x.__name__!r} and {y.__name__!r}")


def _of_containers(trace: Recording, name: str, left: Any, right: Any) -> Any:
    """A comparison of two containers, which compares what is in them."""
    unroll(trace, (left, right))
    if isinstance(left, (dict, set, frozenset)):
        trace.root.keyed(left, right)
        trace.root.keyed(right)
        parts = [*left.values(), *right.values()] if isinstance(left, dict) else []
        trace.root.keyed(part for part in parts)
    elif any(map(_has_objects, (*left, *right))):
        return _of_sequences(name, list(left), list(right))
    return getattr(operator, name)(left, right)


def _has_objects(value: Any) -> bool:
    """Tell whether a value, or something in it, is an array or of a class of the user's."""
    if isinstance(value, (list, tuple, deque)) and type(value) in CONTAINERS:
        return any(map(_has_objects, value))
    return isinstance(value, (Symbol, ndarray)) or is_users_object(value)


class Ordered:
    """A value that is compared as converted code compares it."""

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value: Any = value

    def __lt__(self, other: Ordered) -> Any:
        return truth(comparison("lt", self.value, other.value))

    def __gt__(self, other: Ordered) -> Any:
        return truth(comparison("gt", self.value, other.value))


def _method(trace: Recording, owner: Any, name: str) -> Callable[..., Any] | None:
    if is_users_object(owner) and (fields := dataclass_of(type(owner), f"__{name}__")) is not None:
        return _by_fields(trace, owner, name, fields)
    member = method(trace, owner, f"__{name}__")
    if member is None and name == "ne" and static(type(owner), "__ne__") is object.__ne__:
        equal = _method(trace, owner, "eq")
        return None if equal is None else lambda other: _opposite(equal(other))
    return member


def _by_fields(trace: Recording, owner: Any, name: str, kind: Any) -> Callable[..., Any]:
    """A comparison that `dataclasses` generated: of tuples of the fields."""
    read = trace.root.converter(getattr)
    names = [field.name for field in dataclasses.fields(kind) if field.compare]

    def compared(other: Any) -> Any:
        if type(other) is not type(owner):
            return NotImplemented
        return _of_sequences(name, *([read(one, name) for name in names] for one in (owner, other)))

    return compared


def _of_sequences(name: str, left: Sequence[Any], right: Sequence[Any]) -> Any:
    """The comparison of two sequences: of the first items that differ, else of the lengths."""
    if name in ("eq", "ne") and len(left) != len(right):
        return name == "ne"
    for start, (x, y) in enumerate(zip(left, right, strict=False)):
        equal = _are_equal(x, y)
        if equal is False:
            return _of_different(name, x, y)
        if equal is not True:
            return as_bool(_by_data(name, left[start:], right[start:], equal))
    return getattr(operator, name)(len(left), len(right))


def _by_data(name: str, left: Sequence[Any], right: Sequence[Any], equal: Symbol) -> Any:
    """The same where data decides that the first items are `equal`."""
    if not all(map(is_one, (*left, *right))):
        here = truth_under(functions.logical_not(equal), partial(_of_different, name, left[0], right[0]))
        return _chosen(equal, truth_under(equal, partial(_of_sequences, name, left[1:], right[1:])), here)
    answer: Any = getattr(operator, name)(len(left), len(right))
    for x, y in reversed(list(zip(left, right, strict=False))):  # comparisons of numbers raise nothing
        same = _are_equal(x, y)
        if same is not True:
            here = truth(_of_different(name, x, y))
            answer = here if same is False else _chosen(same, answer, here)
    return answer


def _are_equal(x: Any, y: Any) -> Any:
    """Tell whether Python takes two items for equal: True, False or a symbol of type bool[]."""
    return True if is_same_item(x, y) else truth(comparison("eq", x, y))


def _chosen(test: Symbol, then: Any, orelse: Any) -> Any:
    """One of two truths."""
    return functions.logical_or(
        functions.logical_and(test, then), functions.logical_and(functions.logical_not(test), orelse)
    )


def _of_different(name: str, x: Any, y: Any) -> Any:
    """The comparison of two sequences whose first different items are these."""
    return name == "ne" if name in ("eq", "ne") else comparison(name, x, y)


def _opposite(answer: Any) -> Any:
    return answer if answer is NotImplemented else not_(answer)


def _native(owner: Any, name: str) -> Callable[..., Any]:
    own = getattr(type(owner), f"__{name}__")
    return lambda other: own(owner, other)
