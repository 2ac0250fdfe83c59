# SPDX-License-Identifier: Apache-2.0
"""Integers that stand for real numbers: (q - zero) scale. Sums of their products are exact; rounding is half to even.

    q = clamp(zero + round(x / scale))       x = (q - zero) scale       `quantized`, `dequantized`
    sums of (a - zero_a) (b - zero_b)        int32, by `exact_product` of `integers`, or any other sum with that result
    clamp(zero + round(sums multiplier))     `requantized`; the multiplier is scale_a scale_b / scale

Scales and zeros are one number, one for each place along an axis, or one for each block along it: `along` stretches
them to the array that they belong to.
"""

from __future__ import annotations

from typing import Any

import numpy

from hybridize.base import dims
from hybridize.base.dtypes import DType, float32, int16, int32, is_float, uint8
from hybridize.base.types import Shape
from hybridize.ops.analysis import round
from hybridize.ops.arithmetic import add, bit_and, div, eq, gt, max, min, mul, shift_right, sub, where
from hybridize.ops.library.products import matrix_product
from hybridize.ops.op import Operand, constant, scalar, type_of
from hybridize.ops.reductions import reduce_max, reduce_min
from hybridize.ops.slicing import part
from hybridize.ops.views import broadcast, cast, like, reshape, spread, wide


def along(x: Operand, shape: Shape, axis: int, block: int = 0) -> Operand:
    """Return scales or zeros stretched to the shape of the array that they belong to.

    Args:
        x: [] or [1], [n] for the places of an axis, or the array's axes with that one in blocks.
        shape: of the array.
        axis: that they go along.
        block: how many places one number is for; 0: there are no blocks.
    """
    own = type_of(x).shape
    if block:
        whole = (*own[: axis + 1], block, *own[axis + 1 :])
        apart = reshape(x, (*own[: axis + 1], 1, *own[axis + 1 :]))
        each = reshape(broadcast(apart, whole), (*own[:axis], own[axis] * block, *own[axis + 1 :]))
        return part(each, axis, 0, shape[axis])
    if len(own) == 1 and not dims.same(own[0], 1):
        x = reshape(x, tuple(own[0] if k == axis else 1 for k in range(len(shape))))
    elif len(own) <= 1:
        x = reshape(x, (1,) * len(shape))
    return broadcast(x, shape)


def unpacked(x: Operand, bits: int) -> Operand:
    """Return the numbers of a few bits that lie in bytes, the low bits first: [..., k] as u8[..., 8 k / bits]."""
    shape = (*type_of(x).shape, 8 // bits)
    shifts = constant(numpy.arange(0, 8, bits, dtype=uint8))
    apart = shift_right(spread(x, shape, (len(shape) - 1,)), spread(shifts, shape, tuple(range(len(shape) - 1))))
    return reshape(bit_and(apart, like((1 << bits) - 1, apart)), (*shape[:-2], shape[-2] * shape[-1]))


def quantized(
    x: Operand, scale: Operand, zero: Operand | None, dtype: DType, low: float | None = None, high: float | None = None
) -> Operand:
    """Return floats as integers, the nearest ones, those half way even; what is beyond the ends becomes an end.

    Args:
        x: floats.
        scale: of their shape and dtype.
        zero: the integer of 0, of their shape, any dtype; None: 0.
        dtype: of the result.
        low: the least integer; None: that of the dtype.
        high: the greatest integer.
    """
    return _saturated(round(div(x, scale)), zero, dtype, low, high)


def dequantized(q: Operand, scale: Operand, zero: Operand | None) -> Operand:
    """Return numbers as the floats that they stand for, of the dtype of the scale; all operands are of one shape.

    They are integers, or shorter floats, held by longer ones.
    """
    kind = type_of(scale).dtype
    if zero is not None:
        total = wide(kind) if is_float(type_of(q).dtype) else int32
        q = sub(cast(q, total), cast(zero, total))
    return cast(mul(cast(q, wide(kind)), cast(scale, wide(kind))), kind)


def integers(q: Operand, zero: Operand | None) -> Operand:
    """Return integers less that of 0, as int16 where they have eight bits, else as int32; operands are of one shape."""
    dtype = int16 if type_of(q).dtype.itemsize == 1 else int32
    return cast(q, dtype) if zero is None else sub(cast(q, dtype), cast(zero, dtype))


def exact_product(x: Operand, y: Operand) -> Operand:
    """Return the product of matrices of integers, as int32.

    Args:
        x: int16 or int32 [..., m, k].
        y: of the same dtype, [..., k, n].
    """
    return matrix_product(x, y, int32)


def requantized(
    sums: Operand,
    multiplier: Operand,
    zero: Operand | None,
    dtype: DType,
    low: float | None = None,
    high: float | None = None,
) -> Operand:
    """Return sums of products of integers as integers of another scale, rounded once, half to even.

    Args:
        sums: int32.
        multiplier: float32, of their shape: the scales of the factors over that of the result.
        zero: the integer of 0 in the result, of their shape; None: 0.
        dtype: of the result.
        low: the least integer, where an activation sets one; None: that of the dtype.
        high: the greatest integer.
    """
    return _saturated(round(mul(cast(sums, float32), multiplier)), zero, dtype, low, high)


def _saturated(whole: Operand, zero: Operand | None, dtype: DType, low: float | None, high: float | None) -> Operand:
    """Whole floats, moved by zero, as integers."""
    ends = numpy.iinfo(dtype)
    least, most = (end if limit is None else limit for end, limit in ((ends.min, low), (ends.max, high)))
    if zero is not None:
        whole = add(whole, cast(zero, type_of(whole).dtype))
    return cast(min(max(whole, like(least, whole)), like(most, whole)), dtype)


def dynamic_scale(x: Operand) -> tuple[Operand, Operand]:
    """Return the scale and the zero with which all numbers of an array, and 0, are integers from 0 to 255.

    Returns:
        The scale, of the dtype of x, and the zero, u8; both [].
    """
    every = tuple(range(type_of(x).ndim))
    nought = scalar(0, type_of(x).dtype)
    low, high = min(reduce_min(x, every), nought), max(reduce_max(x, every), nought)
    span = sub(high, low)
    scale = where(eq(span, nought), like(1, span), div(span, like(255, span)))
    first = div(sub(nought, low), scale)
    zero = cast(round(min(max(first, nought), like(255, first))), uint8)
    return scale, zero


def dynamic_product(x: Operand, weight: Operand, scale: Operand) -> Operand:
    """Return the product of floats with a matrix of integers; the floats become integers by a scale of their own.

    Args:
        x: float32 [m, k].
        weight: int16 [k, n].
        scale: of the weight, float32 [] or [n].
    """
    shape = type_of(x).shape
    own, zero = dynamic_scale(x)
    q = quantized(x, broadcast(own, shape), broadcast(zero, shape), uint8)
    sums = exact_product(integers(q, broadcast(zero, shape)), weight)
    by = broadcast(reshape(scale, (1, *type_of(scale).shape)) if type_of(scale).ndim else scale, type_of(sums).shape)
    return mul(cast(sums, float32), mul(broadcast(own, type_of(sums).shape), by))


def own_integers(x: Operand, axes: tuple[int, ...]) -> tuple[Operand, Operand]:
    """Return floats as integers of eight bits less that of 0, as int16, and the float that one of them is.

    Each place of the other axes has a scale of its own, with which all of its numbers, and 0, are from -128 to 127.

    Args:
        x: float32.
        axes: along which the scale is one.

    Returns:
        The integers, and the steps without these axes.
    """
    shape = type_of(x).shape
    low, high = reduce_min(x, axes), reduce_max(x, axes)
    nought = like(0, low)
    low, high = min(low, nought), max(high, nought)
    span = sub(high, low)
    scale = where(eq(span, nought), like(1, span), div(like(255, span), span))
    below, above = mul(low, scale), mul(high, scale)
    short = gt(add(sub(below, like(128, low)), add(above, like(127, low))), nought)
    first = where(short, sub(like(-128, low), below), sub(like(127, low), above))
    zero = round(min(max(first, like(-128, first)), like(127, first)))
    by, apart = spread(scale, shape, axes), spread(zero, shape, axes)
    whole = add(round(mul(x, by)), apart)
    whole = sub(min(max(whole, like(-128, whole)), like(127, whole)), apart)
    return cast(whole, int16), div(like(1, scale), scale)


def as_float(x: Operand) -> Operand:
    """Return numbers in the float dtype in which they are quantized: float32 for integers and short floats."""
    kind: Any = type_of(x).dtype
    return cast(x, wide(kind) if is_float(kind) else float32)
