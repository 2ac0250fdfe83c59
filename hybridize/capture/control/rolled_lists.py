# SPDX-License-Identifier: Apache-2.0
"""Lists with the items of a loop's rounds in them: what Python does with lists, done with arrays stacked over these."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import Any, cast

from hybridize.array.functions.shapes import concatenate, moveaxis, ravel, reshape, stack
from hybridize.array.nd_array import as_nd, holds_nd
from hybridize.array.operands import array
from hybridize.array.placing import beside
from hybridize.array.symbol import Symbol
from hybridize.base.faces import Face
from hybridize.base.nested import flatten, unflatten
from hybridize.capture.control.joining import Mismatch, Spec, joined, spec_of
from hybridize.capture.control.rolled import ROLLED, EarlierItems, RolledItems, is_rolled
from hybridize.capture.control.signals import Unrollable
from hybridize.capture.outside.objects import is_plain
from hybridize.capture.trace.recording import Recording
from hybridize.contract.snapshots import own, refill
from hybridize.ops import Cast
from hybridize.ops.op import bind1, in_charge


def length(items: list[Any]) -> Any:
    """Return the number of items of such a list."""
    total: Any = sum(type(item) not in ROLLED for item in items)
    for item in items:
        if type(item) in ROLLED:
            total = item.count if type(total) is int and not total else item.count + total
    return total


def get(items: list[Any], index: Any) -> Any:
    """Return an item of such a list, or a part of it."""
    if type(index) is slice:
        return _part(items, index)
    if type(index) is Symbol:
        return rows_of(items).item(index)
    at = 0 if index >= 0 else -1
    for item in items if index >= 0 else reversed(items):
        if type(item) is EarlierItems:
            return item.item(None if index >= 0 else index - at - 1)
        count = item.count if type(item) is RolledItems else 1
        if index >= 0:
            if index - at < count:
                return item.item(index - at) if type(item) is RolledItems else item
            at = at + count
        else:
            if at - index < count:
                return item.item(index - at - 1) if type(item) is RolledItems else item
            at = at - count
    raise IndexError("list index out of range")


def _part(items: list[Any], part: slice) -> list[Any]:
    if part == slice(None, None, None):
        return list(items)
    if part == slice(None, None, -1):
        return [one.cut(part) if type(one) in ROLLED else one for one in reversed(items)]
    if len(items) == 1 and part.step in (None, 1):
        cut = items[0].cut(part)
        return [cut] if cut.count > 0 else []
    return unrolled(items)[part]


def reversed_list(items: list[Any]) -> list[Any]:
    """Return `items[::-1]`."""
    return _part(items, slice(None, None, -1))


def rows_of(items: list[Any]) -> RolledItems:
    """Return all items of such a list as one.

    Raises:
        Unrollable: they have no type in common.
    """
    parts: list[RolledItems] = []
    specs: list[Spec] = []
    for rolled, group in groupby(items, lambda item: type(item) in ROLLED):
        for one in [*group] if rolled else [_rolled([*group])]:
            if type(one) is EarlierItems:
                one.item(0)
            parts.append(one)
            specs.append(spec_of(one.item(0)))
    try:
        for spec in specs[1:]:
            if joined(specs[0], spec) != specs[0]:
                raise Mismatch
    except Mismatch:
        raise Unrollable("items of a list have several types") from None
    if len(parts) == 1:
        return parts[0]
    structure = flatten(parts[0].stacked)[1]
    columns = zip(*(flatten(part.stacked)[0] for part in parts), strict=True)
    leaves = [_like(column[0], concatenate(column)) if type(column[0]) is Symbol else column[0] for column in columns]
    return RolledItems(unflatten(structure, leaves), parts[0].kinds)


def _rolled(items: Sequence[Any]) -> RolledItems:
    """Plain items as one."""
    spec = spec_of(items[0])
    if any(spec_of(item) != spec for item in items[1:]) or not spec.types:
        raise Unrollable("items of a list have several types")
    columns = [flatten(item)[0] for item in items]
    leaves = [
        leaf.value
        if leaf.type is None
        else _like(columns[0][k], stack([_as_array(column[k], leaf.type) for column in columns]))
        for k, leaf in enumerate(spec.leaves)
    ]
    return RolledItems(
        unflatten(spec.structure, leaves), tuple(leaf.weak for leaf in spec.leaves if leaf.type is not None)
    )


def _like(item: Any, together: Any) -> Any:
    """Let items that were put together be NDArrays where one is."""
    return as_nd(together) if holds_nd(item) else together


def _as_array(x: Any, kind: Any) -> Any:
    result = array(x, dtype=kind.dtype) if type(x) is not Symbol or x.of_nd else x
    if type(result) is Symbol and result.weak is not None:
        trace = in_charge(Recording)
        value = result.operand()
        result = Symbol.of(trace, value if value.type.dtype == kind.dtype else bind1(Cast(kind.dtype), value))
    return result


# --------------------------------------------------------------------------------------------------- as Python's list


def unrolled(items: list[Any]) -> list[Any]:
    """Return the items of such a list one by one; the program then depends on how many there are."""
    parts: list[Any] = []
    for item in items:
        if type(item) is EarlierItems:
            item.item(0)
        elif type(item) is RolledItems:
            parts += [item.item(number) for number in range(int(item.count))]
        else:
            parts.append(item)
    return parts


def unroll(trace: Recording | None, value: Any, depth: int = 8) -> None:
    """Let all such lists in a value, so deep, be as Python's, with the items one by one."""
    if trace is None or not trace.root.rolls or depth < 0:
        return
    if is_rolled(value):
        refill(value, unrolled(value))
    if isinstance(value, (list, tuple)):
        parts: Any = value
    elif isinstance(value, dict):
        parts = value.values()
    elif is_plain(cast(Any, type(value))) and trace.root.world.is_own(value):
        parts = own(value).values()
    else:
        return
    for part in parts:
        unroll(trace, part, depth - 1)


# ------------------------------------------------------------------------------------------------------- as one array


def stacked(items: list[Any], axis: int = 0) -> Any:
    """Return what `np.stack` gives of such a list."""
    return _new(moveaxis(_array(items), 0, axis))


def joined_along(items: list[Any], axis: int | None = 0) -> Any:
    """Return what `np.concatenate` gives of such a list."""
    whole = _array(items)
    if axis is None:
        return _new(ravel(whole))
    if whole.ndim < 2 or not -whole.ndim < axis < whole.ndim - 1:
        raise Unrollable("an error of the function")
    axis = axis % (whole.ndim - 1)
    moved = moveaxis(whole, 0, axis)
    shape = moved.shape
    return _new(reshape(moved, (*shape[:axis], shape[axis] * shape[axis + 1], *shape[axis + 2 :])))


def _array(items: list[Any]) -> Symbol:
    stacked = rows_of(items).stacked
    symbol: Any = stacked.array if isinstance(stacked, Face) else stacked
    if type(symbol) is not Symbol:
        raise Unrollable("items of a list are no arrays")
    return symbol


def _new(view: Symbol) -> Symbol:
    trace = in_charge(Recording)
    symbol: Symbol = beside(Symbol.of(trace, view.operand()), view)
    return symbol
