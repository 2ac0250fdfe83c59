# SPDX-License-Identifier: Apache-2.0
"""Rows of TFLite on integers of 16 bits that stand for numbers, with weights of eight (16x8), as LiteRT computes them.

The integer of 0 is 0. XNNPACK has none of these operators, so that one formula is for both roundings.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Final

import numpy
from numpy.typing import NDArray

from hybridize import ops
from hybridize.base.dtypes import float32, float64, int16, int32, int64, is_float
from hybridize.formats.foreign.arrays import kept, stretched
from hybridize.formats.foreign.known import Known
from hybridize.formats.foreign.walk import Application
from hybridize.formats.tflite.elementwise import LIMITS
from hybridize.formats.tflite.linear import (
    convolved,
    convolved_by_channel,
    pools,
    products,
    rows_of,
    transposed_to,
    with_axes_kept,
)
from hybridize.formats.tflite.shapes import axes_of, concatenation, extremes, filled_around
from hybridize.formats.tflite.vocabulary import SHORT, TFLITE, Quantization
from hybridize.ops.library import fixed_point
from hybridize.ops.library import quantized as integers_of
from hybridize.ops.op import Operand, scalar, type_of
from hybridize.ops.windows import window_max, window_sum


def _scales(n: Application, side: str, k: int) -> NDArray[Any]:
    """The scales of an input (`of`) or an output (`to`)."""
    one: Quantization | None = n.attributes[side][k] if k < len(n.attributes[side]) else None
    if one is None or one.zeros.any():
        n.fail(f"its {'input' if side == 'of' else 'output'} {k} has no scale, or an integer of 0 that is not 0")
    scales: NDArray[Any] = one.scales
    return scales


def _scale(n: Application, side: str, k: int) -> float:
    """The only scale of an activation of 16 bits."""
    scales = _scales(n, side, k)
    if len(scales) != 1:
        n.fail("activations have one scale, these have several")
    return float(scales[0])


def _placed(n: Application, y: Operand) -> Operand:
    """Integers of the result's scale as the result, within the ends of an activation."""
    if n.attributes["types"][0] != int16:
        n.fail(f"results of {n.attributes['types'][0]} are not supported beside integers of 16 bits")
    number, scale = n.integer("activation", 0), numpy.float32(_scale(n, "to", 0))
    if number and number not in LIMITS:
        n.fail(f"the fused activation {number} is not supported on integers")
    low, high = (None if limit is None else int(numpy.floor(numpy.abs(limit) / scale + numpy.float32(0.5)) *
                 numpy.sign(limit)) for limit in (LIMITS[number] if number else (None, None)))  # fmt: skip
    ends = numpy.iinfo(int16)
    return fixed_point.placed(y, 0, int16, ends.min if low is None else max(low, ends.min),
                              ends.max if high is None else min(high, ends.max))  # fmt: skip


def _check_general(n: Application) -> None:
    if n.flag("powers_of_two", True):
        n.fail("integers of 16 bits whose scales are powers of two are not supported",
               help="convert the model with a converter of today")  # fmt: skip


# ------------------------------------------------------------------------------------------------------------- products


def _product(
    n: Application,
    x: Operand,
    w: Operand,
    bias: Operand | None,
    axis: int,
    sums_of: Any,
    of: int = 0,
    short: bool = True,
) -> Operand:
    """Sums of products, exact in float64, as the result."""
    if type_of(x).dtype != int16 or type_of(w).dtype.itemsize != 1:
        n.fail(f"products of {type_of(x)} and {type_of(w)} are not supported")
    scales = _scales(n, "of", 1)
    if len(scales) > 1 and n.attributes["of"][1].axis != axis:
        n.fail("scales of a weight go along the channels of the result")
    sums = ops.cast(sums_of(n, ops.cast(x, float64), ops.cast(w, float64)), int64)
    shape = type_of(sums).shape
    if bias is not None:
        sums = ops.add(sums, integers_of.along(ops.cast(bias, int64), shape, len(shape) - 1))
    by = scales.astype("f8") * _scale(n, "of", of) / _scale(n, "to", 0)
    return _placed(n, fixed_point.rounded_once(sums, fixed_point.Multiplier.of(by), short))


@TFLITE("CONV_2D" + SHORT)
def convolution(n: Application, x: Operand, w: Operand, bias: Operand | None = None) -> Operand:
    """The convolution, plus a bias of each channel."""
    return _product(n, x, w, bias, 0, convolved)


@TFLITE("DEPTHWISE_CONV_2D" + SHORT)
def depthwise_convolution(n: Application, x: Operand, w: Operand, bias: Operand | None = None) -> Operand:
    """The convolution of each channel by itself, plus a bias of each."""
    return _product(n, x, w, bias, 3, convolved_by_channel)


@TFLITE("TRANSPOSE_CONV" + SHORT, known=(0,))
def transposed_convolution(
    n: Application, sizes: Known, w: Operand, x: Operand, bias: Operand | None = None
) -> Operand:
    """The gradient of a convolution by its input as a layer, plus a bias of each channel."""
    return _product(n, x, w, bias, 0, lambda n, x, w: transposed_to(n, sizes, w, x), 2)


@TFLITE("FULLY_CONNECTED" + SHORT)
def fully_connected(n: Application, x: Operand, w: Operand, bias: Operand | None = None) -> Operand:
    """The products of rows with those of a weight, plus a bias."""
    y = _product(n, rows_of(n, x, w), w, bias, 0, lambda n, x, w: ops.matmul(x, w, False, True), short=False)
    return with_axes_kept(n, y, x)


@TFLITE("BATCH_MATMUL" + SHORT)
def matmul(n: Application, x: Operand, y: Operand) -> Operand:
    """The products of matrices, each turned or not."""
    by = fixed_point.Multiplier.of(_scale(n, "of", 0) * _scale(n, "of", 1) / _scale(n, "to", 0))
    sums = ops.cast(products(n, ops.cast(x, float64), ops.cast(y, float64)), int64)
    return _placed(n, fixed_point.rounded_once(sums, by, True))


# ----------------------------------------------------------------------------------------------------------- arithmetic


def _sum(join: Callable[..., Operand]) -> Any:
    def row(n: Application, x: Operand, y: Operand) -> Operand:
        _check_general(n)
        scales = [_scale(n, "of", k) for k in range(2)]
        most = 2 * max(scales)
        sides = []
        for q, own in zip(stretched(x, y), scales, strict=True):
            whole = ops.cast(q, int32)
            whole = ops.mul(whole, ops.like(1 << 15, whole))
            sides.append(fixed_point.rounded_twice(whole, fixed_point.Multiplier.of(own / most)))
        by = fixed_point.Multiplier.of(most / ((1 << 15) * _scale(n, "to", 0)))
        return _placed(n, fixed_point.rounded_twice(join(*sides), by))

    return row


TFLITE("ADD" + SHORT)(_sum(ops.add))
TFLITE("SUB" + SHORT)(_sum(ops.sub))


@TFLITE("MUL" + SHORT)
def product(n: Application, x: Operand, y: Operand) -> Operand:
    """The products of two arrays, element by element."""
    of_x, of_y, to = (numpy.float32(_scale(n, side, k)) for side, k in (("of", 0), ("of", 1), ("to", 0)))
    x, y = (ops.cast(q, int32) for q in stretched(x, y))
    return _placed(n, fixed_point.rounded_twice(ops.mul(x, y), fixed_point.Multiplier.of(of_x * of_y / to)))


@TFLITE("MEAN" + SHORT, known=(1,))
def mean(n: Application, x: Operand, axes: Known) -> Operand:
    """The mean along axes."""
    along = axes_of(n, x, axes)
    count = int(math.prod(type_of(x).shape[axis] for axis in along))
    sums = kept(ops.sum(ops.cast(x, int64), along), type_of(x), along, n.flag("keep"))
    whole, exponent = fixed_point.Multiplier.of(_scale(n, "of", 0) / _scale(n, "to", 0))
    shift = min(count.bit_length() - 1, 32, 31 + int(exponent))
    by = fixed_point.Multiplier((whole << shift) // count, exponent - shift)
    return _placed(n, fixed_point.rounded_twice(sums, by))


@TFLITE("AVERAGE_POOL_2D" + SHORT)
def average_pool(n: Application, x: Operand) -> Operand:
    """The mean of the elements of each window that are in the image, half away from zero."""
    whole, fields = ops.cast(x, int32), pools(n, x)
    return _placed(n, fixed_point.means(window_sum(whole, *fields), window_sum(ops.full(1, type_of(whole)), *fields)))


@TFLITE("MAX_POOL_2D" + SHORT)
def max_pool(n: Application, x: Operand) -> Operand:
    """The largest element of each window."""
    return _placed(n, ops.cast(window_max(x, *pools(n, x)), int32))


# -------------------------------------------------------------------------------------------------------------- tables


def _half_away(y: NDArray[Any]) -> NDArray[Any]:
    whole: NDArray[Any] = numpy.copysign(numpy.floor(numpy.abs(y) + 0.5), y)
    return whole


_HIGHER: Final = """
4 8 12 14 15 16 17 19 20 21 22 25 27 28 29 30 31 33 34 35 37 39 40 41 43 44 45 46 49 50 54 62 63 64 66 82 86 93 100 103
112 116 135 255
"""
"""Numbers of the entries of LiteRT's table that are one above the nearest whole number."""
_SIGMOIDS: Final = numpy.minimum(_half_away(65536 / (1 + numpy.exp(-numpy.arange(257) / 24))), 65535).astype("i8")
_SIGMOIDS[[int(number) for number in _HIGHER.split()]] += 1


def _steps(n: Application) -> NDArray[Any]:
    """Every integer of 16 bits at the scale of LiteRT's table of 256 sigmoids, whose steps are of 1 / 24."""
    shift, scale = 0, _scale(n, "of", 0)
    if math.frexp(scale)[0] == 0.5:
        n.fail("a scale that is a power of two is not supported", help="convert the model with a converter of today")
    by = scale * 4096 * 3
    while by <= 32767 / 2 and shift <= 30:
        by, shift = by * 2, shift + 1
    every = numpy.arange(-(1 << 15), 1 << 15, dtype="i8")
    steps: NDArray[Any] = (every * int(by) + (1 << shift >> 1)) >> shift
    return steps


def _between(sizes: NDArray[Any], bits: int) -> NDArray[Any]:
    at = numpy.minimum(sizes >> bits, 255)
    whole: NDArray[Any] = (_SIGMOIDS[at] << bits) + (sizes & ((1 << bits) - 1)) * (_SIGMOIDS[at + 1] - _SIGMOIDS[at])
    return whole


def _looked_up(x: Operand, table: NDArray[Any]) -> Operand:
    """An element of a table for each integer of 16 bits."""
    index = ops.cast(x, int64)
    return ops.gather(ops.constant(table), ops.add(index, ops.like(1 << 15, index)), 0)


@TFLITE("LOGISTIC" + SHORT)
def logistic(n: Application, x: Operand) -> Operand:
    """1 / (1 + exp(-x)), between 256 of its values."""
    steps = _steps(n)
    y = numpy.where(numpy.abs(steps) >> 9 >= 255, 0x7FFF << 10, _between(numpy.abs(steps), 9))
    y = numpy.where(steps >= 0, y + (1 << 9), (1 << 25) - y + (1 << 9) - 1) >> 10
    return _looked_up(x, y.astype("i2"))


@TFLITE("TANH" + SHORT)
def tanh(n: Application, x: Operand) -> Operand:
    """The hyperbolic tangent, between 256 values of 1 / (1 + exp(-2 x))."""
    steps = _steps(n)
    y = numpy.where(numpy.abs(steps) >> 8 >= 255, 0xFFFF << 8, _between(numpy.abs(steps), 8))
    y = numpy.where(steps >= 0, y - (1 << 23) + (1 << 7), -y + (1 << 23) + (1 << 7) - 1) >> 8
    return _looked_up(x, y.astype("i2"))


def _table(function: Any, low: float, high: float) -> NDArray[Any]:
    """A function from `low` to `high` for every integer of 16 bits, in 2^-15, between 513 of its values.

    Each value is moved by half the error in the middle between it and the next one.
    """
    step, to = (high - low) / 512, 1 << 15
    at = low + numpy.arange(512) * step
    here, middle, there = (function(at + k * step) * to for k in (0, 0.5, 1))
    error = _half_away((there + _half_away(here)) / 2) - _half_away(middle)
    values = numpy.append(_half_away(here) - _half_away(error / 2), _half_away(function(numpy.array(high)) * to))
    values = numpy.clip(values, -(1 << 15), (1 << 15) - 1).astype("i8")
    every = numpy.arange(-(1 << 15), 1 << 15)
    k, part = 256 + (every >> 7), every & 0x7F
    table: NDArray[Any] = (values[k] + (((values[k + 1] - values[k]) * part + 64) >> 7)).astype("i2")
    return table


@TFLITE("SOFTMAX" + SHORT)
def softmax(n: Application, x: Operand) -> Operand:
    """The softmax of the last axis, exponentials and the inverse of their sum by tables."""
    shape, last = type_of(x).shape, type_of(x).ndim - 1
    whole = ops.cast(x, int32)
    below = ops.sub(whole, ops.spread(ops.reduce_max(whole, (last,)), shape, (last,)))
    by = fixed_point.Multiplier.of(_scale(n, "of", 0) * n.number("beta", 0.0) / (10 / 65535))
    place = fixed_point.rounded_twice(below, by)
    place = ops.max(ops.add(place, ops.like(32767, place)), ops.like(-32768, place))
    each = ops.cast(_looked_up(place, _table(numpy.exp, -10.0, 0.0)), int64)
    total = ops.sum(each, (last,))
    # The number of bits of the sum decides by how much it is shifted to 17 bits, and the results back.
    bits = ops.sum(ops.cast(ops.ge(
        ops.broadcast(ops.reshape(total, (*type_of(total).shape, 1)), (*type_of(total).shape, 31)),
        ops.broadcast(ops.constant((1 << numpy.arange(31)).astype("i8")), (*type_of(total).shape, 31)),
    ), int64), (type_of(total).ndim,))  # fmt: skip
    left = ops.sub(ops.like(31, bits), bits)
    near = ops.shift_right(ops.add(ops.mul(total, _power(left)), ops.like(1 << 13, total)), ops.like(14, total))
    at = ops.sub(near, ops.like((1 << 15) + (1 << 16), near))
    at = ops.min(ops.max(at, ops.like(-32768, at)), ops.like(32767, at))
    inverse = ops.cast(_looked_up(at, _table(lambda x: 1 / (1 + x), 0.0, 1.0)), int64)
    right = ops.spread(ops.sub(bits, ops.like(1, bits)), shape, (last,))
    y = ops.mul(each, ops.spread(inverse, shape, (last,)))
    y = ops.shift_right(ops.add(y, _power(ops.sub(right, ops.like(1, right)))), right)
    return ops.cast(ops.min(ops.max(y, ops.like(0, y)), ops.like(32767, y)), int16)


def _power(exponent: Operand) -> Operand:
    """Powers of two, by a table."""
    return ops.gather(ops.constant((1 << numpy.arange(32)).astype("i8")), exponent, 0)


# --------------------------------------------------------------------------------------------- numbers; the same scales


@TFLITE("QUANTIZE" + SHORT)
def quantize(n: Application, x: Operand) -> Operand:
    """Floats times the inverse of a scale, half to even, or integers of another scale, rounded twice."""
    to = _scale(n, "to", 0)
    if not is_float(type_of(x).dtype):
        by = fixed_point.Multiplier.of(_scale(n, "of", 0) / to)
        return _placed(n, fixed_point.rounded_twice(ops.cast(x, int32), by))
    y = ops.round(ops.mul(x, ops.like(1 / numpy.float32(to), x)))
    y = ops.min(ops.max(y, ops.like(-32768, y)), ops.like(32767, y))
    return _placed(n, ops.cast(y, int32))


@TFLITE("DEQUANTIZE" + SHORT)
def dequantize(n: Application, x: Operand) -> Operand:
    """The floats that integers stand for."""
    y = ops.cast(x, float32)
    return ops.mul(y, ops.like(_scale(n, "of", 0), y))


def _check_same(n: Application, count: int) -> None:
    """Refuse inputs of another scale than the result's."""
    if any(_scale(n, "of", k) != _scale(n, "to", 0) for k in range(count)):
        n.fail("an input has another scale than its result")


@TFLITE("CONCATENATION" + SHORT, mixed=())
def joined(n: Application, *xs: Any) -> Any:
    """Arrays one after the other."""
    _check_same(n, len(xs))
    return concatenation(n, *xs)


@TFLITE("PAD" + SHORT, known=(1,))
def pad(n: Application, x: Operand, pads: Known) -> Operand:
    """The integers of 0 around an array."""
    _check_same(n, 1)
    return filled_around(n, x, pads, scalar(0, int16))


@TFLITE("RELU" + SHORT)
def relu(n: Application, x: Operand) -> Operand:
    """Negative integers as 0."""
    by = fixed_point.Multiplier.of(_scale(n, "of", 0) / _scale(n, "to", 0))
    y = fixed_point.rounded_twice(ops.cast(x, int32), by)
    return _placed(n, ops.max(y, ops.like(0, y)))


extremes(SHORT, _check_same)
