# SPDX-License-Identifier: Apache-2.0
"""Integers of another scale without floats: products with whole multipliers, and shifts that round.

`quantized` has the same by floats, and says what integers stand for.
"""

from __future__ import annotations

from typing import Any

import numpy
from numpy.typing import NDArray

from hybridize.base.dtypes import DType, int64
from hybridize.ops.arithmetic import add, bit_and, gt, lt, max, min, mul, shift_right, sub, where
from hybridize.ops.indexing import gather
from hybridize.ops.library.quantized import along
from hybridize.ops.op import Operand, constant, type_of
from hybridize.ops.views import cast, like


def requantized_twice(
    sums: Operand,
    multiplier: NDArray[Any],
    zero: int,
    dtype: DType,
    low: float | None = None,
    high: float | None = None,
) -> Operand:
    """Return sums of products of integers as integers of another scale, rounded twice, as without floats.

    A multiplier is m 2^(e - 31), m from 2^30 on: the high half of twice the product with m is rounded, half up, then
    what is shifted out of it, half away from zero.

    Args:
        sums: int32.
        multiplier: float64, one number or one for each place of the last axis.
        zero: the integer of 0 in the result.
        dtype: of the result.
        low: the least integer, where an activation sets one; None: that of the dtype.
        high: the greatest integer.
    """
    shape = type_of(sums).shape
    parts, exponents = numpy.frexp(numpy.asarray(multiplier, numpy.float64))
    whole = numpy.rint(parts * (1 << 31)).astype(numpy.int64)
    exponents = numpy.where(whole == 1 << 31, exponents + 1, exponents)
    whole = numpy.where(whole == 1 << 31, 1 << 30, whole)
    # So small a multiplier leaves nothing.
    whole = numpy.where(exponents < -31, 0, whole)
    right = numpy.clip(-exponents, 0, 31)

    def constant_of(numbers: NDArray[Any]) -> Operand:
        array = numpy.asarray(numbers, numpy.int64).reshape(-1)
        return along(constant(array), shape, len(shape) - 1)

    factor = constant_of(whole << numpy.clip(exponents, 0, 31))
    product = mul(cast(sums, int64), factor)
    nought, half = like(0, product), like(1 << 30, product)
    below = lt(product, nought)
    size = add(where(below, sub(sub(nought, product), like(1, product)), product), half)
    high_half = shift_right(size, like(31, size))
    high_half = where(below, sub(nought, high_half), high_half)
    mask = constant_of((1 << right) - 1)
    threshold = add(shift_right(mask, like(1, mask)), cast(lt(high_half, nought), int64))
    more = cast(gt(bit_and(high_half, mask), threshold), int64)
    y = add(add(shift_right(high_half, constant_of(right)), more), like(zero, product))
    ends = numpy.iinfo(dtype)
    least, most = (end if limit is None else limit for end, limit in ((ends.min, low), (ends.max, high)))
    return cast(min(max(y, like(least, y)), like(most, y)), dtype)


def looked_up(q: Operand, table: NDArray[Any]) -> Operand:
    """Return an element of a table for each integer of eight bits, whose first element is for the least of them."""
    index = cast(q, int64)
    index = sub(index, like(numpy.iinfo(type_of(q).dtype).min, index))
    return gather(constant(table), index, 0)
