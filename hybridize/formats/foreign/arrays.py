# SPDX-License-Identifier: Apache-2.0
"""Stretching, shapes with unknown sizes, slices, indices: arrays as the vocabularies of all frameworks have them.

Shapes are those of operands, whose sizes may be dims; numbers that say them come as ints or dims.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from typing import Any, Final

from hybridize import ops
from hybridize.base import dims
from hybridize.base.dtypes import DType, int64, is_float
from hybridize.base.errors import ShapeError
from hybridize.base.types import Shape, TensorType
from hybridize.ops import composites
from hybridize.ops.library.bounds import check
from hybridize.ops.op import Operand, type_of

FAR: Final = (1 << 31) - 1
"""A stop from here on means the end of an axis: models write the largest number of 32 or 64 bits."""


def stretched(*operands: Operand) -> list[Operand]:
    """Return operands stretched to one shape.

    Raises:
        ShapeError E101: they do not stretch to one.
    """
    shapes = [type_of(x).shape for x in operands]
    shape = dims.broadcast(*shapes)
    if shape is None:
        kinds = " and ".join(str(type_of(x)) for x in operands)
        raise ShapeError("E101", f"{kinds} do not stretch to one shape")
    return [aligned(x, shape) for x in operands]


def aligned(x: Operand, shape: Shape) -> Operand:
    """Return an operand stretched to a shape of as many axes or more."""
    own = type_of(x).shape
    return ops.broadcast(ops.reshape(x, (1,) * (len(shape) - len(own)) + tuple(own)), shape)


def elementwise(function: Callable[..., Operand]) -> Callable[..., Operand]:
    """Return a function of operands of one shape as one of operands that stretch to one."""

    @functools.wraps(function)
    def apply(*operands: Operand) -> Operand:
        return function(*stretched(*operands))

    return apply


def folded(function: Callable[..., Operand]) -> Callable[..., Operand]:
    """Return a function of two operands as one of any number, from the left."""

    def apply(first: Operand, *rest: Operand) -> Operand:
        for x in rest:
            first = function(*stretched(first, x))
        return first

    return apply


def reshaped(x: Operand, sizes: Sequence[Any], zero_copies: bool = False) -> Operand:
    """Return an operand under another shape.

    Args:
        x: any.
        sizes: numbers or dims; one may be -1: what is left.
        zero_copies: a size of 0 is that of the same axis of `x`.

    Raises:
        ShapeError E104: the elements do not fit.
    """
    own = type_of(x).shape
    if zero_copies:
        sizes = [own[k] if is_number(size, 0) and k < len(own) else size for k, size in enumerate(sizes)]
    unknown = [k for k, size in enumerate(sizes) if is_number(size, -1)]
    rest = math.prod(size for k, size in enumerate(sizes) if k not in unknown)
    total = math.prod(own)
    if unknown:
        size = _quotient(total, rest, own, sizes)
        sizes = [size if k == unknown[0] else one for k, one in enumerate(sizes)]
        rest = rest * size
    if len(unknown) > 1 or not (dims.same(rest, total) or rest == total):
        raise ShapeError("E104", f"{type_of(x)} has no shape [{', '.join(map(dims.text, sizes))}]")
    return ops.reshape(x, tuple(sizes))


def _quotient(total: Any, rest: Any, own: Sequence[Any], sizes: Sequence[Any]) -> Any:
    """The size that -1 stands for; factors that both sides have are not divided, so that dims stay simple."""
    left = list(own)
    divisors = []
    for size in sizes:
        if is_number(size, -1):
            continue
        position = next((k for k, one in enumerate(left) if dims.same(one, size)), None)
        if position is None:
            divisors.append(size)
        else:
            del left[position]
    total, rest = math.prod(left), math.prod(divisors)
    return total if dims.same(rest, 1) else total // rest if dims.is_symbolic(rest) or rest else 0


def is_number(size: Any, number: int) -> bool:
    """Tell whether a size is this very number, asking nothing of a dim."""
    return not dims.is_symbolic(size) and size == number


def part_of(
    x: Operand, starts: Sequence[Any], stops: Sequence[Any], steps: Sequence[int], axes: Sequence[int]
) -> Operand:
    """Return the elements that Python's slices of these axes have: negative numbers count from the end."""
    shape = type_of(x).shape
    begin, end, by = [0] * len(shape), list(shape), [1] * len(shape)
    for axis, start, stop, step in zip(axes, starts, stops, steps, strict=True):
        begin[axis], end[axis], by[axis] = limits(shape[axis], start, stop, int(step))
    return ops.slice(x, tuple(begin), tuple(end), tuple(by))


def limits(size: Any, start: Any, stop: Any, step: int) -> tuple[Any, Any, int]:
    """Return the range of an axis that a slice of Python's has, from 0 on; an end of -1 is before the first element."""
    if step > 0:
        begin = _clipped(start, size, 0, size)
        end = _clipped(stop, size, 0, size)
        if not (dims.same(end, size) and is_number(begin, 0)) and end < begin:
            end = begin
        return begin, end, step
    begin = _clipped(start, size, -1, size - 1)
    if is_number(begin, -1):
        return 0, 0, 1
    end = -1 if not dims.is_symbolic(stop) and stop <= -FAR else _clipped(stop, size, -1, size - 1)
    return begin, min(begin, end) if not dims.is_symbolic(begin) else end, step


def _clipped(place: Any, size: Any, low: Any, high: Any) -> Any:
    if is_number(place, 0):
        return 0
    if not dims.is_symbolic(place):
        if place >= FAR:
            return high
        if place <= -FAR:
            return low
        if place < 0:
            place = place + size
    elif dims.same(place, size):
        return high if not dims.same(high, size) else place
    return low if place < low else high if place > high else place


def taken(x: Operand, indices: Operand, axis: int) -> Operand:
    """Return the elements at indices along an axis; negative ones count from the end."""
    return ops.gather(x, wrapped(indices, type_of(x).shape[axis]), axis)


def wrapped(indices: Operand, size: Any) -> Operand:
    """Return indices, negative ones of which count from the end of an axis, from 0 on, as int64.

    Those that are out of bounds are refused, where they are known or else when the program runs.
    """
    indices = ops.cast(indices, int64)
    check(indices, -size, size, f"an axis of {dims.text(size)} elements")
    return from_end(indices, size)


def from_end(indices: Operand, size: Any) -> Operand:
    """Return int64 indices from 0 on, negative ones of which count from the end of an axis; others stay."""
    zero = ops.like(0, indices)
    return ops.where(ops.lt(indices, zero), ops.add(indices, ops.like(size, indices)), indices)


def without_axes(x: Operand, axes: Sequence[int]) -> Operand:
    """Return an operand without these axes, of size 1."""
    shape = type_of(x).shape
    for axis in axes:
        if not shape[axis] == 1:
            raise ShapeError("E106", f"axis {axis} of {type_of(x)} cannot be left out: its size is not 1")
    return ops.reshape(x, tuple(size for axis, size in enumerate(shape) if axis not in axes))


def with_axes(x: Operand, axes: Sequence[int]) -> Operand:
    """Return an operand with new axes of size 1, at these places of the result."""
    own = iter(type_of(x).shape)
    ndim = type_of(x).ndim + len(axes)
    return ops.reshape(x, tuple(1 if axis in axes else next(own) for axis in range(ndim)))


def kept(y: Operand, of: TensorType, axes: Sequence[int], keep: bool) -> Operand:
    """Return a reduced operand, with size 1 along the axes that it was reduced along where they are kept."""
    if not keep:
        return y
    return ops.reshape(y, tuple(1 if axis in axes else size for axis, size in enumerate(of.shape)))


def filled(value: Any, shape: Sequence[Any], dtype: DType) -> Operand:
    """Return an operand that is one number everywhere."""
    return ops.full(value, TensorType(tuple(shape), dtype))


def tiled(x: Operand, times: Sequence[Any]) -> Operand:
    """Return an operand repeated along each axis."""
    shape = type_of(x).shape
    apart = tuple(size for own in shape for size in (1, own))
    wider = tuple(size for own, count in zip(shape, times, strict=True) for size in (count, own))
    whole = tuple(own * count for own, count in zip(shape, times, strict=True))
    return ops.reshape(ops.broadcast(ops.reshape(x, apart), wider), whole)


def running(
    x: Operand, axis: int, run: Callable[..., Operand], empty: float, exclusive: bool, reverse: bool
) -> Operand:
    """Return running sums or products along an axis.

    Args:
        x: any numbers.
        axis: from 0 on.
        run: `cum_sum`, `cum_prod`.
        empty: the sum or product of nothing.
        exclusive: leave each element out of its own.
        reverse: run from the end.
    """
    kind = type_of(x)
    if reverse:
        x = ops.flip(x, axis)
    if exclusive:
        one = tuple(int(k == axis) for k in range(kind.ndim))
        shifted = ops.part(x, axis, 0, kind.shape[axis] - 1)
        x = ops.pad(shifted, ops.scalar(empty, kind.dtype), one, (0,) * kind.ndim)
    y = run(x, axis)
    return ops.flip(y, axis) if reverse else y


def to_batch(x: Operand, blocks: Sequence[Any], pads: Sequence[Any], value: float = 0) -> Operand:
    """Return each place of blocks of the axes after the first one as an array of its own, one after the other.

    Args:
        x: any.
        blocks: the size of a block along each of these axes.
        pads: elements before and after each of them, one axis after the other.
        value: which these have.
    """
    ndim, count = type_of(x).ndim, len(blocks)
    rest = [0] * (ndim - 1 - count)
    x = ops.pad(x, ops.scalar(value, type_of(x).dtype), (0, *pads[::2], *rest), (0, *pads[1::2], *rest))
    batch, *own = type_of(x).shape
    apart = [size for one, block in zip(own, blocks, strict=False) for size in (one // block, block)]
    x = ops.reshape(x, (batch, *apart, *own[count:]))
    order = (*range(2, 2 * count + 1, 2), 0, *range(1, 2 * count, 2), *range(2 * count + 1, type_of(x).ndim))
    return ops.reshape(ops.transpose(x, order), (batch * math.prod(blocks), *apart[::2], *own[count:]))


def from_batch(x: Operand, blocks: Sequence[Any], crops: Sequence[Any]) -> Operand:
    """Return arrays as the places of blocks of the axes after the first one, without so many elements at their ends."""
    batch, *own = type_of(x).shape
    count = len(blocks)
    x = ops.reshape(x, (*blocks, batch // math.prod(blocks), *own))
    pairs = [axis for k in range(count) for axis in (count + 1 + k, k)]
    x = ops.transpose(x, (count, *pairs, *range(2 * count + 1, type_of(x).ndim)))
    whole = [one * block for one, block in zip(own, blocks, strict=False)]
    y = ops.reshape(x, (batch // math.prod(blocks), *whole, *own[count:]))
    inner = own[count:]
    stops = (type_of(y).shape[0], *(size - cut for size, cut in zip(whole, crops[1::2], strict=True)), *inner)
    return ops.slice(y, (0, *crops[::2], *[0] * len(inner)), stops, (1,) * type_of(y).ndim)


def quotient(x: Operand, y: Operand) -> Operand:
    """Return a quotient, of integers without what is left over."""
    return ops.div(x, y) if is_float(type_of(x).dtype) else composites.integer_quotient(x, y)


def squared_difference(x: Operand, y: Operand) -> Operand:
    """Return the square of a difference."""
    apart = ops.sub(x, y)
    return ops.mul(apart, apart)


def logical_not(x: Operand) -> Operand:
    """True where an operand of bools is not."""
    return ops.eq(x, ops.like(False, x))


def selected(condition: Operand, x: Operand, y: Operand) -> Operand:
    """Return the elements of one array or of another; a condition of one axis chooses rows."""
    rows = type_of(x).ndim - 1
    if type_of(condition).ndim == 1 and rows > 0:
        condition = ops.reshape(condition, (*type_of(condition).shape, *[1] * rows))
    return ops.where(*stretched(condition, x, y))


def same_pads(
    sizes: Sequence[Any], windows: Sequence[Any], steps: Sequence[int], dilations: Sequence[int]
) -> tuple[tuple[Any, Any], ...]:
    """Return the elements before and after each axis with which there is a window for each step, as SAME has them."""
    pairs = []
    for size, window, step, apart in zip(sizes, windows, steps, dilations, strict=True):
        whole = dims.maximum((-(-size // step) - 1) * step + (window - 1) * apart + 1 - size, 0)
        pairs.append((whole // 2, whole - whole // 2))
    return tuple(pairs)


def strided_part(
    x: Operand, begin: Sequence[Any], end: Sequence[Any], steps: Sequence[int], begin_mask: int = 0, end_mask: int = 0,
    ellipsis_mask: int = 0, new_mask: int = 0, shrink_mask: int = 0,
) -> Operand:  # fmt: skip
    """Return a part as TensorFlow's StridedSlice says it: bit k of a mask is about the k-th number.

    Args:
        x: any.
        begin: the first elements.
        end: before which they end.
        steps: their distances.
        begin_mask: from the first element on.
        end_mask: up to the last one.
        ellipsis_mask: all axes that no other number is for.
        new_mask: a new axis of size 1.
        shrink_mask: one element, without its axis.
    """

    def has(mask: int, k: int) -> bool:
        return bool(mask >> k & 1)

    shape = type_of(x).shape
    plain = [k for k in range(len(begin)) if not has(ellipsis_mask, k) and not has(new_mask, k)]
    starts, stops, by, axes = [], [], [], []
    sizes: list[Any] = []  # of the result: an axis of the part, 1 of a new one
    axis = 0
    for k in range(len(begin)):
        if has(ellipsis_mask, k):
            rest = len(shape) - len(plain)
            sizes += range(axis, axis + rest)
            axis += rest
        elif has(new_mask, k):
            sizes.append(None)
        elif has(shrink_mask, k):
            starts.append(begin[k])
            stops.append(FAR if is_number(begin[k], -1) else begin[k] + 1)
            by.append(1)
            axes.append(axis)
            axis += 1
        else:
            forward = steps[k] > 0
            starts.append((0 if forward else FAR) if has(begin_mask, k) else begin[k])
            stops.append((FAR if forward else -FAR) if has(end_mask, k) else end[k])
            by.append(steps[k])
            axes.append(axis)
            sizes.append(axis)
            axis += 1
    sizes += range(axis, len(shape))
    y = part_of(x, starts, stops, by, axes)
    own = type_of(y).shape
    return ops.reshape(y, tuple(1 if one is None else own[one] for one in sizes))
