# SPDX-License-Identifier: Apache-2.0
"""Identity of objects: `is`, `is not` and `id()`, which calls may answer otherwise where arguments are arrays."""

from __future__ import annotations

from typing import Any

from hybridize.array.symbol import Symbol
from hybridize.base.faces import Face
from hybridize.capture.trace.recording import current_trace


def is_same(left: Any, right: Any) -> bool:
    """`left is right`; the program then depends on which of its arguments are one array.

    Raises:
        CaptureError E441: data decides which array one of them is.
        CaptureError E431: one is a container that calls read anew.
    """
    trace = current_trace()
    if trace is None:
        return left is right
    left, right = _array(trace.lifted(left)), _array(trace.lifted(right))
    if type(left) is Symbol and type(right) is Symbol:
        trace.compare(left, right)
    elif left is not right and type(left) is type(right):
        for one in (left, right):
            trace.root.world.fed.check_container(trace.root, one, "asked for its identity")
    return left is right


def is_same_item(item: Any, value: Any) -> bool:
    """Tell whether `in` and `==` of sequences take an item for a value without comparing them: it is the very object.

    Where data decides that, they are compared: equal they are then as well, but for NaN.
    """
    trace = current_trace()
    if trace is not None:
        item, value = _array(trace.lifted(item)), _array(trace.lifted(value))
        if (
            type(item) is Symbol
            and type(value) is Symbol
            and trace.root.aliases.may_be_one(item._cell, value._cell, trace)
        ):
            return item is value
    return is_same(item, value)


def _array(value: Any) -> Any:
    """Return the array of a face, by which another library's arrays are told apart; whatever else as it is."""
    return value.array if isinstance(value, Face) else value


def is_different(left: Any, right: Any) -> bool:
    """`left is not right`."""
    return not is_same(left, right)


def key_of(value: Any, among: Any = None) -> Any:
    """Return what a dict or set has as its key or member for a value: for an array of another library that object.

    Args:
        value: what is looked up, or becomes a key.
        among: the dict or set; None for one that is being written out.

    Raises:
        CaptureError E422: it is an array among the arguments, and the dict or set is there before, or written out.
    """
    if type(value) is tuple and any(isinstance(part, Face) for part in value):
        return tuple([key_of(part, among) for part in value])
    trace = current_trace()
    if trace is None or not isinstance(value, Face) or (among is not None and value in among):
        return value
    if value.of is None and trace.root.inputs.object_of(value.array) is not None:
        if among is None or trace.root.world.is_outside(among):
            raise trace.refusal(
                "E422", "a tensor argument is used as a key, but each call may pass a different tensor",
                help="use a name or a number as the key, or x is y to compare objects",
            )  # fmt: skip
        return next((key for key in among if is_same(key, value)), value)
    if value.of is None or among is None or value.of in among:
        return value if value.of is None else value.of
    faces = (key for key in among if isinstance(key, Face) and key.of is None)
    return next((key for key in faces if is_same(key, value)), value.of)


def number_of(value: Any) -> int:
    """`id(value)`.

    Raises:
        CaptureError E420: it is an object from outside, in whose place another one may come.
        CaptureError E422: it is an array among the arguments, which is another one at each call.
    """
    trace = current_trace()
    symbol = None if trace is None else _array(trace.lifted(value))
    if trace is None:
        return id(value)
    if type(symbol) is not Symbol:
        if not trace.root.world.is_own(value):
            raise trace.refusal(
                "E420", f"id() of a {type(value).__name__} that is created outside and may be replaced by another one",
                help="use x is y to compare objects",
            )  # fmt: skip
        return id(value)
    known = trace.root.inputs.object_of(symbol)
    if known is None:
        return id(symbol)
    trace.check_identity(symbol)
    if known.arguments or known.outside is None:
        raise trace.refusal(
            "E422", "id() of an array argument, which is a different object at each call",
            help="use x is y to compare objects, and any(x is y for y in seen) to search for one",
        )  # fmt: skip
    return id(known.outside)
