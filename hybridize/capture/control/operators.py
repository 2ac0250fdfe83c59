# SPDX-License-Identifier: Apache-2.0
"""Operators that Python does not let classes define: `and`, `or`, chained comparisons, `in`, `a if test else b`."""

from __future__ import annotations

import operator
from collections import deque
from typing import Any, cast

from hybridize.array.ndarray import ndarray
from hybridize.array.operators import functions
from hybridize.array.symbol import Symbol, check_classes, described
from hybridize.base.errors import CaptureError
from hybridize.base.faces import Face
from hybridize.base.tracebacks import as_python
from hybridize.capture.control import branches
from hybridize.capture.control.comparisons import comparison
from hybridize.capture.control.identity import is_same, key_of
from hybridize.capture.control.joining import Mismatch, joined, spec_of
from hybridize.capture.control.mixed import MixedValue
from hybridize.capture.control.rolled_lists import unroll
from hybridize.capture.control.selected import Selected, includes
from hybridize.capture.control.signals import Part
from hybridize.capture.control.special import KNOWN, goes_on, method, steps
from hybridize.capture.control.truth import as_bool, not_, plain, truth
from hybridize.capture.trace.recording import current_trace
from hybridize.contract.places import static
from hybridize.contract.snapshots import MISSING


def and_(value: Any, *others: Part) -> Any:
    """`value and other() and ...`."""
    if not others:
        return value
    known = truth(value)
    other, *rest = others
    if type(known) is Symbol:
        return branches.either(known, lambda: and_(other(), *rest), lambda: _alternative(value, False), (None, False))
    return and_(other(), *rest) if known else value


def or_(value: Any, *others: Part) -> Any:
    """`value or other() or ...`."""
    if not others:
        return value
    known = truth(value)
    other, *rest = others
    if type(known) is Symbol:
        return branches.either(known, lambda: _alternative(value, True), lambda: or_(other(), *rest), (True, None))
    return value if known else or_(other(), *rest)


def _alternative(value: Any, true: bool) -> Any:
    """A value whose truth is known."""
    if type(value) is not MixedValue:
        return value
    first, *others = value.left(true)
    try:
        for one in others:
            joined(spec_of(first.value), spec_of(one.value))
    except Mismatch:
        return value.of([first, *others])
    choice = first.value
    for one in others:
        choice = branches.choose(one.condition, lambda one=one: one.value, lambda choice=choice: choice)
    return choice


def compare(left: Any, name: str, right: Part, *others: Any) -> Any:
    """`left < right() < ...`: each operand is computed once, and only when needed."""
    other = right()
    match name:
        case "in":
            result = contains(other, left)
        case "not in":
            result = not_(contains(other, left))
        case "is_" | "is_not" if type(left) is Symbol and left.weak is bool and type(other) is bool:
            result = left if other is (name == "is_") else not_(left)
        case "is_" | "is_not":
            result = is_same(left, other) is (name == "is_")
        case _:
            result = comparison(name, left, other)
    return and_(result, lambda: compare(other, *others)) if others else result


@as_python
def contains(container: Any, value: Any) -> Any:
    """`value in container`."""
    trace = current_trace()
    if trace is not None and type(container) not in KNOWN:
        member = method(trace, container, "__contains__")
        if member is not None:
            return as_bool(truth(member(value)))
        if static(type(container), "__contains__") is MISSING and (items := steps(container)) is not container:
            return includes(value, items)
    if isinstance(container, Face):
        return as_bool(truth(cast(Any, container).__contains__(value)))  # what `in` would ask the truth of
    if type(container) is Symbol:
        check_classes(operator.contains, container, 0)
    if trace is not None and isinstance(container, (Symbol, ndarray)):
        return as_bool(functions.any(functions.equal(container, value)))
    value = plain(value)
    if isinstance(container, (dict, set, frozenset)):
        value = key_of(value, container)
    unroll(trace, (container, value))
    if trace is not None:
        goes_on(trace, container)
        trace.root.world.read_special(container, "__contains__", "__iter__")
    if trace is not None and type(value) is not Symbol:
        trace.root.world.read_membership(container, value)
    if type(value) is Symbol and isinstance(container, (dict, set, frozenset)):
        raise CaptureError(
            "E422",
            f"{described(value)} cannot be used as a key: it has no value while capturing",
            help="use Python values as keys, or compare with each: any(x == y for y in values)",
        )
    if trace is not None and isinstance(container, (dict, set, frozenset)):
        trace.root.keyed((value,), container)
    if trace is not None and (type(container) in (list, tuple, deque, Selected)):
        return includes(value, container)
    return value in container


def choose(test: Any, then: Part, orelse: Part) -> Any:
    """`then() if test else orelse()`."""
    known = truth(test)
    if type(known) is Symbol:
        return branches.choose(known, then, orelse)
    return then() if known else orelse()
