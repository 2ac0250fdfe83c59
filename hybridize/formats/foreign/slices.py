# SPDX-License-Identifier: Apache-2.0
"""Slices whose ends may be data: an element, so many of them, or a range that only its ends together make an array of.

A list in a loop is written so by frameworks whose graphs have no lists: all before a place, the element, all behind it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NoReturn

import numpy

from hybridize import ops
from hybridize.base import dims
from hybridize.base.dtypes import int64
from hybridize.base.errors import CaptureError
from hybridize.formats.foreign.arrays import is_number, strided_part, wrapped
from hybridize.formats.foreign.known import LARGEST, Assembled, Known, Vector, operand_of
from hybridize.formats.foreign.vocabulary import Value
from hybridize.formats.foreign.walk import Application
from hybridize.ops.library.bounds import check
from hybridize.ops.op import Operand, type_of

MOST_NUMBERS = 16
"""Elements of the longest vector that is kept as single numbers, as shapes and places are."""


class UnsizedPart(Assembled):
    """The elements of an axis before a place that is data, or from it on: no array, as its size is data.

    Attributes:
        x: the array.
        axis: of it.
        place: int64 without axes.
        before: True for those before the place, False for those from it on.
        node: that gives it, in messages.
    """

    __slots__ = ("axis", "before", "node", "place", "x")
    place: Operand
    x: Value
    axis: int
    before: bool
    node: str

    def __init__(self, x: Value, axis: int, place: Operand, before: bool, node: str) -> None:
        self.x, self.axis, self.place, self.before, self.node = x, axis, place, before, node

    def operand(self) -> NoReturn:
        """Refuse it.

        Raises:
            CaptureError E463: always.
        """
        raise CaptureError(
            "E463", f"{self.node} gives an array whose size is data: shapes are part of a program",
            help="take parts of known sizes, or mask what is not to count",
        )  # fmt: skip


def rank(x: Value) -> int:
    """Return the number of axes of a value."""
    if isinstance(x, Vector):
        return 1
    return rank(x.x) if isinstance(x, UnsizedPart) else x.array.ndim if isinstance(x, Known) else type_of(x).ndim


def _is_known(value: Value, k: int) -> bool:
    return isinstance(value, Known) or (isinstance(value, Vector) and isinstance(value.parts[k], Known))


def _place(value: Value, k: int) -> Operand:
    """A number of a vector as an operand."""
    part = operand_of(value.parts[k]) if isinstance(value, Vector) else ops.part(value, 0, k, k + 1)
    return ops.cast(ops.reshape(part, ()), int64)


def _number(n: Application, value: Value, k: int, position: int) -> Any:
    """A number of a vector that must be known."""
    if isinstance(value, Vector):
        return n.known(value.parts[k], position).item()
    return n.known(value, position).list()[k]


def strided(n: Application, x: Value, begin: Value, end: Value, strides: Value, masks: Sequence[int]) -> Value:
    """Return the elements that a slice of an array has; a single place of an axis may be data.

    Args:
        n: the node.
        x: the array.
        begin: the first places.
        end: before which they end.
        strides: their distances.
        masks: see `strided_part`.
    """
    steps = n.known(strides, 3).list()
    if isinstance(x, Vector) and len(steps) == 1 and masks[4] and isinstance(begin, Known):
        return x.parts[begin.item()]
    picked = [k for k in range(len(steps)) if masks[4] >> k & 1 and not _is_known(begin, k)]
    if not picked and all(isinstance(one, Known) for one in (x, begin, end)) and x.array.size <= LARGEST:
        array = x.array[_python_index(masks, begin.list(), end.list(), steps)]
        return Known(numpy.asarray(array, x.array.dtype), x.dtype)
    x = operand_of(x)
    count = range(len(steps))
    begins = [0 if k in picked or masks[0] >> k & 1 else _number(n, begin, k, 1) for k in count]
    ends = [0 if (masks[4] | masks[1]) >> k & 1 else _number(n, end, k, 2) for k in count]
    after = type_of(x).ndim - sum(not (masks[2] | masks[3]) >> k & 1 for k in count)
    if after < 0:
        n.fail(f"{type_of(x)} has no {len(steps)} axes to slice")
    for k in picked:
        axis = sum(after if masks[2] >> j & 1 else not masks[3] >> j & 1 for j in range(k))
        x = ops.slice_at(x, wrapped(_place(begin, k), type_of(x).shape[axis]), axis, 1)
    return strided_part(x, begins, ends, steps, *masks)


def _python_index(masks: Sequence[int], begins: Sequence[Any], ends: Sequence[Any], steps: Sequence[int]) -> Any:
    index: list[Any] = []
    for k, step in enumerate(steps):
        if masks[2] >> k & 1:
            index.append(Ellipsis)
        elif masks[3] >> k & 1:
            index.append(None)
        elif masks[4] >> k & 1:
            index.append(int(begins[k]))
        else:
            low = None if masks[0] >> k & 1 else int(begins[k])
            index.append(slice(low, None if masks[1] >> k & 1 else int(ends[k]), step))
    return tuple(index)


def some(n: Application, x: Value, begin: Value, sizes: Value) -> Value:
    """Return so many elements of each axis, from a place on that may be data; a size of -1 is the rest.

    Where the size is data, or the rest begins at data, that is a `UnsizedPart`.
    """
    y = whole = operand_of(x)
    ranges = []
    for axis, own in enumerate(type_of(whole).shape):
        if not _is_known(sizes, axis):
            if not is_number(_number(n, begin, axis, 1), 0):
                n.known(sizes, 2)
            ranges.append(UnsizedPart(x, axis, _place(sizes, axis), True, n.place))
            continue
        length = _number(n, sizes, axis, 2)
        rest = is_number(length, -1)
        if _is_known(begin, axis):
            start = _number(n, begin, axis, 1)
            if not (rest and is_number(start, 0)):
                y = ops.part(y, axis, start, own if rest else start + length)
        elif rest:
            ranges.append(UnsizedPart(x, axis, _place(begin, axis), False, n.place))
        else:
            place = _place(begin, axis)
            check(place, 0, own - length + 1, f"{n.place}, {dims.text(length)} elements of an axis of {dims.text(own)}")
            y = ops.slice_at(y, place, axis, length)
    if ranges and (len(ranges) > 1 or y is not whole):
        n.known(begin, 1)
        n.known(sizes, 2)
    return ranges[0] if ranges else y


def joined(n: Application, xs: Sequence[Value], axis: int) -> Value:
    """Return arrays one after the other along an axis: numbers that are known stay so, ranges around an element go."""
    vector = _vector(xs)
    if vector is not None:
        return vector
    if len(xs) == 3 and isinstance(xs[0], UnsizedPart) and isinstance(xs[2], UnsizedPart):
        before, behind = xs[0], xs[2]
        if before.before and not behind.before and before.x is behind.x and before.axis == behind.axis == axis:
            x, element = operand_of(before.x), operand_of(xs[1])
            own, length = type_of(x).shape[axis], type_of(element).shape[axis]
            what = f"{n.place}, {dims.text(length)} elements into an axis of {dims.text(own)}"
            check(before.place, 0, own - length + 1, what)
            check(ops.sub(behind.place, before.place), length, length + 1, what, "what is behind them begins there")
            return ops.update_at(x, before.place, element, axis)
    return ops.concat(*map(operand_of, xs), axis=axis)


def _vector(xs: Sequence[Value]) -> Vector | None:
    """Numbers one after the other of which some are known; None where they are arrays, or all of one kind."""
    if all(isinstance(x, Known) for x in xs) or not any(isinstance(x, (Known, Vector)) for x in xs):
        return None
    parts: list[Any] = []
    for x in xs:
        if isinstance(x, Vector):
            parts += x.parts
        elif isinstance(x, UnsizedPart):
            return None
        elif isinstance(x, Known):
            if x.array.ndim != 1 or x.array.size > MOST_NUMBERS or x.dtype.kind not in "iu":
                return None
            parts += [Known.of(one, x.dtype) for one in x.list()]
        else:
            if type_of(x).ndim != 1 or dims.is_symbolic(type_of(x).shape[0]) or type_of(x).shape[0] > MOST_NUMBERS:
                return None
            parts += [ops.reshape(ops.part(x, 0, k, k + 1), ()) for k in range(type_of(x).shape[0])]
    return Vector(parts)
