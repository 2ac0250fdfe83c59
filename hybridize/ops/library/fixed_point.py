# SPDX-License-Identifier: Apache-2.0
"""Integers of another scale without floats: products with whole multipliers, and shifts that round.

`quantized` has the same by floats, and says what integers stand for. A multiplier is m 2^(e - 31), m from 2^30 on.
"""

from __future__ import annotations

import math
from builtins import max as max_of
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy
from numpy.typing import NDArray

from hybridize.base.dtypes import DType, int32, int64
from hybridize.ops.arithmetic import add, bit_and, gt, lt, max, min, mul, shift_right, sub, where
from hybridize.ops.composites import integer_quotient
from hybridize.ops.indexing import gather
from hybridize.ops.library.quantized import along
from hybridize.ops.op import Operand, constant, type_of
from hybridize.ops.views import cast, like


class Multiplier(NamedTuple):
    """m 2^(e - 31), one or one for each place of the last axis."""

    whole: NDArray[Any]
    exponent: NDArray[Any]

    @classmethod
    def of(cls, number: Any) -> Multiplier:
        """Return the nearest multipliers to positive numbers."""
        parts, exponents = numpy.frexp(numpy.asarray(number, numpy.float64))
        whole = numpy.rint(parts * (1 << 31)).astype(numpy.int64)
        over = whole == 1 << 31
        whole, exponents = numpy.where(over, 1 << 30, whole), numpy.where(over, exponents + 1, exponents)
        return cls(numpy.where(exponents < -31, 0, whole), exponents)  # so small a number leaves nothing


def rounded_twice(x: Operand, by: Multiplier) -> Operand:
    """Return the product of integers and a multiplier, as int64.

    The high half of twice the product with m is rounded, half up, then what is shifted out of it, half away from zero.

    Args:
        x: of at most 32 bits.
        by: one, or one for each place of the last axis.
    """
    shape = type_of(x).shape

    def numbers(array: NDArray[Any]) -> Operand:
        return along(constant(array.astype(numpy.int64).reshape(-1)), shape, len(shape) - 1)

    left, right = numpy.clip(by.exponent, 0, 31), numpy.clip(-by.exponent, 0, 31)
    product = mul(cast(x, int64), numbers(by.whole << left))
    nought = like(0, product)
    below = lt(product, nought)
    size = add(where(below, sub(like(-1, product), product), product), like(1 << 30, product))
    high = shift_right(size, like(31, size))
    high = where(below, sub(nought, high), high)
    if not right.any():
        return high
    mask = (1 << right) - 1
    threshold = add(numbers(mask >> 1), cast(lt(high, nought), int64))
    more = cast(gt(bit_and(high, numbers(mask)), threshold), int64)
    return add(shift_right(high, numbers(right)), more)


def placed(y: Operand, zero: int, dtype: DType, low: float | None = None, high: float | None = None) -> Operand:
    """Return integers moved by that of 0, within their type or an activation's ends.

    Args:
        y: int32 or int64.
        zero: the integer of 0.
        dtype: of the result.
        low: the least integer; None: that of the dtype.
        high: the greatest one.
    """
    ends = numpy.iinfo(dtype)
    least, most = (end if limit is None else limit for end, limit in ((ends.min, low), (ends.max, high)))
    y = add(y, like(zero, y)) if zero else y
    return cast(min(max(y, like(least, y)), like(most, y)), dtype)


def weighted_sum(terms: Sequence[tuple[Operand, int, float]]) -> Operand:
    """Return the sum of integers times positive or negative numbers, rounded once, half up, as int32.

    The largest number becomes a whole one of 21 bits, and the others have its exponent.

    Args:
        terms: integers of eight bits, that of 0 among them, and the float32 number.
    """
    largest = max_of(abs(number) for _, _, number in terms)
    shift = 20 - (math.frexp(largest)[1] - 1)
    total: Operand | None = None
    bias = 1 << (shift - 1)
    for x, zero, number in terms:
        whole = int(numpy.rint(numpy.float32(math.ldexp(number, shift))))
        bias -= whole * zero
        product = mul(cast(x, int32), like(whole, cast(x, int32)))
        total = product if total is None else add(total, product)
    assert total is not None
    total = add(total, like(bias, total))
    return shift_right(total, like(shift, total))


def means(sums: Operand, counts: Operand) -> Operand:
    """Return whole quotients of sums and counts, rounded half away from zero."""
    half, nought = shift_right(counts, like(1, counts)), like(0, sums)
    return integer_quotient(add(sums, where(lt(nought, sums), half, sub(nought, half))), counts)


def looked_up(q: Operand, table: NDArray[Any]) -> Operand:
    """Return an element of a table for each integer of eight bits, whose first element is for the least of them."""
    index = cast(q, int64)
    index = sub(index, like(numpy.iinfo(type_of(q).dtype).min, index))
    return gather(constant(table), index, 0)
