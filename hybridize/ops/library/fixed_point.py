# SPDX-License-Identifier: Apache-2.0
"""Integers of another scale without floats: products with whole multipliers, and shifts that round.

`quantized` has the same by floats, and says what integers stand for. A multiplier is m 2^(e - 31), m from 2^30 on.
"""

from __future__ import annotations

import math
from builtins import max as max_of
from builtins import min as min_of
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy
from numpy.typing import NDArray

from hybridize.base.dtypes import DType, int32, int64
from hybridize.ops.arithmetic import add, bit_and, gt, lt, max, min, mul, shift_right, sub, where
from hybridize.ops.composites import integer_quotient
from hybridize.ops.indexing import gather
from hybridize.ops.interpolation import step_of
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


def rounded_once(x: Operand, by: Multiplier, short: bool = False) -> Operand:
    """Return the product of integers and a multiplier, rounded once, half up, as int64.

    Args:
        x: int64, of at most 32 bits.
        by: one, or one for each place of the last axis.
        short: the multiplier has 15 bits, and x up to 48.
    """
    shape = type_of(x).shape
    whole, shift = by.whole, 31 - by.exponent.astype(numpy.int64)
    if short:
        whole, shift = numpy.where(whole < 0x7FFF0000, (whole + (1 << 15)) >> 16, 0x7FFF), shift - 16

    def numbers(array: NDArray[Any]) -> Operand:
        return along(constant(array.astype(numpy.int64).reshape(-1)), shape, len(shape) - 1)

    return shift_right(add(mul(x, numbers(whole)), numbers(1 << (shift - 1))), numbers(shift))


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


def weighted_sum(terms: Sequence[tuple[Operand, int, Any]]) -> Operand:
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


def times_byte(x: Operand, number: Any) -> Operand:
    """Return integers times a number, as a whole one with eight bits behind the point, rounded half up."""
    y = mul(x, like(int(numpy.rint(numpy.float32(256) * numpy.float32(number))), x))
    return shift_right(add(y, like(128, y)), like(8, y))


def hard_swish_table(
    scale: numpy.float32, zero: int, to: numpy.float32, nought: int, dtype: DType, of: DType
) -> NDArray[Any]:
    """Return x max(0, min(1, x / 6 + 0.5)) for every integer of eight bits, by integers of 16 bits.

    Args:
        scale: of the integers.
        zero: the integer of 0.
        to: the scale of the results.
        nought: the integer of 0 among them.
        dtype: of the results.
        of: of the integers.
    """

    def short(number: float) -> tuple[int, int]:
        whole, exponent = Multiplier.of(number)
        return min_of((int(whole) + (1 << 15)) >> 16, (1 << 15) - 1), int(exponent)

    def saturated(y: NDArray[Any]) -> NDArray[Any]:
        within: NDArray[Any] = numpy.clip(y, -(1 << 15), (1 << 15) - 1)
        return within

    def high(y: NDArray[Any], by: Any, rounds: bool) -> NDArray[Any]:
        product = y * by
        if rounds:
            product = product + numpy.where(product >= 0, 1 << 14, 1 - (1 << 14))
        return saturated(numpy.where(product < 0, -(-product >> 15), product >> 15))

    def halved(y: NDArray[Any], times: int) -> NDArray[Any]:
        mask = (1 << times) - 1
        return (y >> times) + ((y & mask) > (mask >> 1) + (y < 0))

    fine = numpy.float32(1 / 128) * scale
    out, out_exponent = short(float(fine) / float(to))
    gate, gate_exponent = short(float(fine) / float(numpy.float32(3 / 32768)))
    ends, own = numpy.iinfo(dtype), numpy.iinfo(of)
    x = (numpy.arange(own.min, own.max + 1) - zero) << 7
    share = saturated(x << (gate_exponent - 1)) if gate_exponent > 0 else x
    share = high(share, gate, True)
    share = saturated(share << 1) if gate_exponent > 0 else halved(share, -gate_exponent)
    share = (share + (1 << 15)) >> 1
    y = halved(high(share, high(x, out, True), False), max_of(-out_exponent, 0)) + nought
    table: NDArray[Any] = numpy.clip(y, ends.min, ends.max).astype(dtype)
    return table


Places = tuple[NDArray[Any], NDArray[Any], NDArray[Any]]
"""For each element of a result: the elements below and above, and the whole weight of the one above."""


def places_of_eleven_bits(size: int, count: int, half: bool, corners: bool) -> Places:
    """Return the neighbours of `count` points along an axis of `size` elements, with weights from 0 to 2048.

    Args:
        size: of the axis.
        count: of points.
        half: a point is the middle of the part of the axis that it is for, not its beginning.
        corners: the first and the last points are elements.
    """
    step = numpy.float32(step_of(size, count, corners and count > 1))
    at = numpy.arange(count, dtype="f4")
    at = numpy.maximum((at + numpy.float32(0.5)) * step - numpy.float32(0.5), 0) if half else at * step
    below = numpy.minimum(at.astype(int), size - 1)
    return below, numpy.minimum(below + 1, size - 1), numpy.rint((at - below) * numpy.float32(2048)).astype(int)


def places_of_ten_bits(size: int, count: int, half: bool, corners: bool) -> Places:
    """Return the same with weights from 0 to 1024, of a step that is whole, too; see `places_of_eleven_bits`."""
    one = 1 << 10
    step = (size * one + count // 2) // count
    if corners and count > 1:
        step = ((size - 1) * one + (count - 1) // 2) // (count - 1)
    at = numpy.arange(count) * step + (step // 2 - one // 2 if half else 0)
    below = numpy.clip(at // one, 0, size - 1)
    return below, numpy.minimum(-(-at // one), size - 1), at - one * below


def interpolated(x: Operand, rows: Places, columns: Places, bits: int) -> Operand:
    """Return images [n, h, w, c] of another size: sums of four pixels by whole weights, rounded.

    Args:
        x: integers of eight bits.
        rows: see `places_of_eleven_bits`.
        columns: the same.
        bits: of the weights: of 11 sums are rounded half up, of 10 half away from zero.
    """
    whole, one = cast(x, int32), 1 << bits
    for axis, (below, above, weight) in ((2, columns), (1, rows)):
        low, high = (gather(whole, constant(at.astype(numpy.int64)), axis) for at in (below, above))
        shape = type_of(low).shape
        part = along(constant(weight.astype(numpy.int32)), shape, axis)
        whole = add(mul(low, like(one, low)), mul(sub(high, low), part))
    half, square = like(1 << (2 * bits - 1), whole), like(2 * bits, whole)
    if bits == 11:
        return cast(shift_right(add(whole, half), square), type_of(x).dtype)
    nought = like(0, whole)
    away = add(whole, where(lt(nought, whole), half, sub(nought, half)))
    return cast(integer_quotient(away, like(1 << 2 * bits, away)), type_of(x).dtype)
