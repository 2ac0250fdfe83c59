# SPDX-License-Identifier: Apache-2.0
"""Rows of TFLite on integers that stand for numbers: sums are exact, and are rounded once or twice.

`rounding="float"`: once, half to even, after a product of float32, as LiteRT computes where users run it (XNNPACK).
`rounding="reference"`: twice, in integers, as TFLite for microcontrollers does.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any, Final

import numpy
from numpy.typing import NDArray

from hybridize import ops
from hybridize.base.dtypes import DType, float32, float64, int8, int16, int32, int64, is_float, uint8
from hybridize.formats.foreign.arrays import kept, stretched, to_batch
from hybridize.formats.foreign.known import Known
from hybridize.formats.foreign.vocabulary import Value
from hybridize.formats.foreign.walk import Application
from hybridize.formats.tflite.elementwise import LIMITS, activated
from hybridize.formats.tflite.linear import (
    convolved,
    convolved_by_channel,
    images,
    pools,
    products_as,
    rows_of,
    transposed_to,
    with_axes_kept,
)
from hybridize.formats.tflite.shapes import axes_of, concatenation, extremes, filled_around
from hybridize.formats.tflite.vocabulary import QUANTIZED, TFLITE, Quantization
from hybridize.ops.library import fixed_point
from hybridize.ops.library import quantized as integers_of
from hybridize.ops.op import Operand, scalar, type_of
from hybridize.ops.windows import window_max, window_sum

EIGHT = (int8, uint8)


def _scale(n: Application, side: str, k: int) -> Quantization:
    """The scales and zeros of an input (`of`) or an output (`to`)."""
    one: Quantization | None = n.attributes[side][k] if k < len(n.attributes[side]) else None
    if one is None:
        word = "input" if side == "of" else "output"
        n.fail(f"its {word} {k} is no quantized tensor, others of it are",
               help="convert the model with integers for activations, too, or without quantization")  # fmt: skip
    return one


def _single(n: Application, side: str, k: int) -> tuple[numpy.float32, int]:
    """The only scale and zero of an input or an output."""
    one = _scale(n, side, k)
    if len(one.scales) != 1:
        n.fail("activations have one scale, these have several")
    return one.scales[0], int(one.zeros[0])


def _result(n: Application) -> DType:
    """The type of the result, which has eight bits."""
    dtype: DType = n.attributes["types"][0]
    if dtype not in EIGHT:
        n.fail(f"results of {dtype} are not supported, only int8 and uint8")
    return dtype


def _check_eight(n: Application, x: Operand) -> DType:
    """Return the type of an activation, which has eight bits."""
    of = type_of(x).dtype
    if of not in EIGHT:
        n.fail(f"activations of {of} are not supported, only int8 and uint8")
    return of


def _reference(n: Application) -> bool:
    return n.text("rounding", "float") == "reference"


def _ends(
    n: Application, dtype: DType, scale: numpy.float32, zero: int, activation: int | None = None
) -> tuple[int, int]:
    """The least and the greatest integer of a result, as an activation says: its own where none is given."""
    ends = numpy.iinfo(dtype)
    number = n.integer("activation", 0) if activation is None else activation
    if number and number not in LIMITS:
        n.fail(f"the fused activation {number} is not supported on integers")
    low, high = LIMITS[number] if number else (None, None)

    def place(limit: float) -> int:
        apart = numpy.float32(limit) / scale
        return zero + int(numpy.copysign(numpy.floor(numpy.abs(apart) + numpy.float32(0.5)), apart))

    return (ends.min if low is None else max(ends.min, place(low)),
            ends.max if high is None else min(ends.max, place(high)))  # fmt: skip


def _requantized(n: Application, sums: Operand, factors: NDArray[Any], others: Any = 1, twice: bool = False) -> Operand:
    """Sums of products as the result: their scale is that of the factors, each beside the other's.

    `twice` where LiteRT rounds so whatever the mode is: XNNPACK has not the operator.
    """
    dtype = _result(n)
    scale, zero = _single(n, "to", 0)
    low, high = _ends(n, dtype, scale, zero)
    if twice or _reference(n):
        multiplier = factors.astype("f8") * numpy.asarray(others, "f8") / numpy.float64(scale)
        y = fixed_point.rounded_twice(sums, fixed_point.Multiplier.of(multiplier))
        return fixed_point.placed(y, zero, dtype, low, high)
    by = factors.astype("f4") * numpy.asarray(others, "f4") / scale
    shape = type_of(sums).shape
    multiplier = integers_of.along(ops.constant(numpy.atleast_1d(by)), shape, len(shape) - 1)
    nought = ops.full(zero, type_of(sums).with_dtype(int32)) if zero else None
    return integers_of.requantized(sums, multiplier, nought, dtype, low, high)


def _less_zero(x: Operand, zero: int, dtype: DType = int32) -> Operand:
    """Integers of eight bits less that of 0, as numbers of a dtype that holds them."""
    x = ops.cast(x, dtype)
    return ops.sub(x, ops.like(zero, x)) if zero else x


def _weights(n: Application, w: Operand, axis: int) -> tuple[int, NDArray[Any]]:
    """The zero of a weight, and its scales along the channels of the result."""
    one = _scale(n, "of", 1)
    if type_of(w).dtype not in EIGHT:
        n.fail(f"weights of {type_of(w).dtype} are not supported, only int8 and uint8")
    if len(one.scales) > 1 and (one.axis != axis or one.zeros.any()):
        n.fail("scales of a weight go along the channels of the result, and their zeros are 0")
    return int(one.zeros[0]), one.scales


def _with_bias(sums: Operand, bias: Operand | None) -> Operand:
    if bias is None:
        return sums
    shape = type_of(sums).shape
    return ops.add(sums, integers_of.along(ops.cast(bias, int32), shape, len(shape) - 1))


def _product(
    n: Application,
    x: Operand,
    w: Operand,
    bias: Operand | None,
    axis: int,
    sums_of: Any,
    of: int = 0,
    twice: bool = False,
) -> Operand:
    """An operator with a weight: exact sums, and its result.

    Args:
        n: the node.
        x: whole numbers, or floats.
        w: the weight.
        bias: of each channel.
        axis: of the weight, along which its scales are.
        sums_of: the sums, of the node, `x` and `w` less their zeros, and their dtype.
        of: the number of `x` among the inputs.
        twice: whether the result is rounded in two steps.
    """
    if is_float(type_of(x).dtype):
        return _of_floats(n, x, w, bias, axis, sums_of)
    scale, zero = _single(n, "of", of)
    zero_w, scales = _weights(n, w, axis)
    _check_eight(n, x)
    sums = sums_of(n, _less_zero(x, zero, int16), _less_zero(w, zero_w, int16), int32)
    return _requantized(n, _with_bias(sums, bias), scales, scale, twice)


def _of_floats(n: Application, x: Operand, w: Operand, bias: Operand | None, axis: int, sums_of: Any) -> Operand:
    """The same of floats, which become integers by a scale of each image or row."""
    zero_w, scales = _weights(n, w, axis)
    whole, steps = integers_of.own_integers(x, tuple(range(1, type_of(x).ndim)))
    sums = ops.cast(sums_of(n, whole, _less_zero(w, zero_w, int16), int32), float32)
    shape = type_of(sums).shape
    y = ops.mul(sums, integers_of.along(steps, shape, 0))
    y = ops.mul(y, integers_of.along(ops.constant(scales), shape, len(shape) - 1))
    y = y if bias is None else ops.add(y, integers_of.along(bias, shape, len(shape) - 1))
    return activated(n, y)


@TFLITE("CONV_2D" + QUANTIZED)
def convolution(n: Application, x: Operand, w: Operand, bias: Operand | None = None) -> Operand:
    """The convolution, plus a bias of each channel."""
    return _product(n, x, w, bias, 0, convolved)


@TFLITE("DEPTHWISE_CONV_2D" + QUANTIZED)
def depthwise_convolution(n: Application, x: Operand, w: Operand, bias: Operand | None = None) -> Operand:
    """The convolution of each channel by itself, plus a bias of each."""
    return _product(n, x, w, bias, 3, convolved_by_channel)


@TFLITE("TRANSPOSE_CONV" + QUANTIZED, known=(0,))
def transposed_convolution(
    n: Application, sizes: Known, w: Operand, x: Operand, bias: Operand | None = None
) -> Operand:
    """The gradient of a convolution by its input as a layer, plus a bias of each channel."""
    # XNNPACK leaves it to LiteRT's own kernel where the file computes the sizes.
    twice = n.walk.maker(n.node.inputs[0]) != ""
    return _product(n, x, w, bias, 0, lambda n, x, w, result: transposed_to(n, sizes, w, x, result), 2, twice)


@TFLITE("FULLY_CONNECTED" + QUANTIZED)
def fully_connected(n: Application, x: Operand, w: Operand, bias: Operand | None = None) -> Operand:
    """The products of rows with those of a weight, plus a bias."""
    y = _product(n, rows_of(n, x, w), w, bias, 0, lambda n, x, w, result: ops.contract("ac,bc->ab", x, w, None, result))
    return with_axes_kept(n, y, x)


# ---------------------------------------------------------------------------------------------------------- arithmetic


def _sum(sign: int) -> Any:
    def row(n: Application, x: Operand, y: Operand) -> Operand:
        dtype, (scale, zero) = _result(n), _single(n, "to", 0)
        low, high = _ends(n, dtype, scale, zero)
        (of_x, zero_x), (of_y, zero_y) = _single(n, "of", 0), _single(n, "of", 1)
        x, y = stretched(x, y)
        if not _reference(n):
            total = fixed_point.weighted_sum([(x, zero_x, of_x / scale), (y, zero_y, sign * (of_y / scale))])
            return fixed_point.placed(total, zero, dtype, low, high)
        most = 2 * max(float(of_x), float(of_y))

        def scaled(q: Operand, nought: int, own: numpy.float32) -> Operand:
            whole = _less_zero(q, nought)
            whole = ops.mul(whole, ops.like(1 << 20, whole))
            return fixed_point.rounded_twice(whole, fixed_point.Multiplier.of(float(own) / most))

        join = ops.add if sign > 0 else ops.sub
        total = join(scaled(x, zero_x, of_x), scaled(y, zero_y, of_y))
        by = fixed_point.Multiplier.of(most / ((1 << 20) * float(scale)))
        return fixed_point.placed(fixed_point.rounded_twice(total, by), zero, dtype, low, high)

    return row


TFLITE("ADD" + QUANTIZED)(_sum(1))
TFLITE("SUB" + QUANTIZED)(_sum(-1))


@TFLITE("MUL" + QUANTIZED)
def product(n: Application, x: Operand, y: Operand) -> Operand:
    """The products of two arrays, element by element."""
    (of_x, zero_x), (of_y, zero_y) = _single(n, "of", 0), _single(n, "of", 1)
    x, y = stretched(x, y)
    return _requantized(n, ops.mul(_less_zero(x, zero_x), _less_zero(y, zero_y)), numpy.atleast_1d(of_x), of_y)


@TFLITE("SQUARED_DIFFERENCE" + QUANTIZED)
def squared_difference(n: Application, x: Operand, y: Operand) -> Operand:
    """The squares of differences."""
    (of_x, zero_x), (of_y, zero_y) = _single(n, "of", 0), _single(n, "of", 1)
    scale, zero = _single(n, "to", 0)
    most = 2 * max(float(of_x), float(of_y))
    whole = [_less_zero(q, nought) for q, nought in zip(stretched(x, y), (zero_x, zero_y), strict=True)]
    first, second = (_rescaled(ops.mul(q, ops.like(1 << 7, q)), float(own) / most)
                     for q, own in zip(whole, (of_x, of_y), strict=True))  # fmt: skip
    apart = ops.sub(first, second)
    total = _rescaled(ops.mul(apart, apart), most * most / ((1 << 14) * float(scale)))
    return fixed_point.placed(total, zero, _result(n))


@TFLITE("BATCH_MATMUL" + QUANTIZED)
def matmul(n: Application, x: Operand, y: Operand) -> Operand:
    """The products of matrices, each turned or not; rows of floats become integers by a scale of each."""
    of_y, zero_y = _single(n, "of", 1)
    if is_float(type_of(x).dtype):
        last = type_of(x).ndim - 1
        whole, steps = integers_of.own_integers(x, (last - 1 if n.flag("adjoint_x") else last,))
        sums, steps = stretched(
            ops.cast(products_as(n, whole, _less_zero(y, zero_y, int16), int32), float32),
            ops.reshape(steps, (*type_of(steps).shape, 1)),
        )
        return ops.mul(ops.mul(sums, steps), ops.like(of_y, sums))
    of_x, zero_x = _single(n, "of", 0)
    for one in (x, y):
        _check_eight(n, one)
    sums = products_as(n, _less_zero(x, zero_x, int16), _less_zero(y, zero_y, int16), int32)
    return _requantized(n, sums, numpy.atleast_1d(of_x), of_y, twice=True)


@TFLITE("MEAN" + QUANTIZED, known=(1,))
def mean(n: Application, x: Operand, axes: Known) -> Operand:
    """The mean along axes."""
    dtype, along = _result(n), axes_of(n, x, axes)
    (own, its_zero), (scale, zero) = _single(n, "of", 0), _single(n, "to", 0)
    shape = type_of(x).shape
    count = int(math.prod(shape[axis] for axis in along))
    sums = kept(ops.sum(_less_zero(x, its_zero), along), type_of(x), along, n.flag("keep"))
    if not _reference(n):
        by = (own / scale) * (numpy.float32(1) / numpy.float32(count))
        y = ops.mul(ops.cast(sums, float32), ops.full(by, type_of(sums).with_dtype(float32)))
        y = ops.round(ops.add(y, ops.like(zero, y)))  # that of 0 is added first: ties go to another integer
        return fixed_point.placed(ops.cast(y, int32), 0, dtype)
    whole, exponent = fixed_point.Multiplier.of(float(own) / float(scale))
    shift = min(count.bit_length() - 1, 32, 31 + int(exponent))
    by_count = fixed_point.Multiplier((whole << shift) // count, exponent - shift)
    return fixed_point.placed(fixed_point.rounded_twice(sums, by_count), zero, dtype)


@TFLITE("AVERAGE_POOL_2D" + QUANTIZED)
def average_pool(n: Application, x: Operand) -> Operand:
    """The mean of the elements of each window that are in the image, half away from zero."""
    dtype = _result(n)
    low, high = _ends(n, dtype, *_same(n, 0))
    fields = pools(n, x)
    whole = ops.cast(x, int32)
    sums = window_sum(whole, *fields)
    counts = window_sum(ops.full(1, type_of(whole)), *fields)
    return fixed_point.placed(fixed_point.means(sums, counts), 0, dtype, low, high)


@TFLITE("SOFTMAX" + QUANTIZED)
def softmax(n: Application, x: Operand) -> Operand:
    """The softmax of the last axis, whose exponentials are of a table of 256."""
    dtype, (scale, _), (to, zero) = _result(n), _single(n, "of", 0), _single(n, "to", 0)
    shape, last = type_of(x).shape, type_of(x).ndim - 1
    table = numpy.exp(-(scale * numpy.float32(n.number("beta", 0.0))) * numpy.arange(256).astype("f4"))
    below = ops.sub(ops.spread(ops.reduce_max(ops.cast(x, int32), (last,)), shape, (last,)), ops.cast(x, int32))
    each = ops.gather(ops.constant(table.astype("f4")), ops.cast(below, int64), 0)
    part = ops.div(each, ops.spread(ops.sum(each, (last,)), shape, (last,)))
    return integers_of.requantized(part, ops.full(numpy.float32(1) / to, type_of(part)),
                                   ops.full(zero, type_of(part).with_dtype(int32)), dtype)  # fmt: skip


@TFLITE("LOG_SOFTMAX" + QUANTIZED)
def log_softmax(n: Application, x: Operand) -> Operand:
    """The logarithm of the softmax of the last axis, whose exponentials are of a table of 256."""
    dtype, (scale, _), (to, zero) = _result(n), _single(n, "of", 0), _single(n, "to", 0)
    shape, last = type_of(x).shape, type_of(x).ndim - 1
    whole = ops.cast(x, int32)
    largest = ops.reduce_max(whole, (last,))
    table = numpy.exp(-scale * numpy.arange(256).astype("f4")).astype("f4")
    below = ops.cast(ops.sub(ops.spread(largest, shape, (last,)), whole), int64)
    total = ops.log(ops.sum(ops.gather(ops.constant(table), below, 0), (last,)))
    most = ops.div(ops.add(ops.mul(ops.cast(largest, float32), ops.like(scale, total)), total), ops.like(to, total))
    y = ops.cast(whole, float32)
    y = ops.sub(ops.mul(y, ops.like(scale / to, y)), ops.spread(most, shape, (last,)))
    return fixed_point.placed(ops.cast(ops.round(y), int32), zero, dtype)


@TFLITE("L2_NORMALIZATION" + QUANTIZED)
def l2_normalization(n: Application, x: Operand) -> Operand:
    """Rows of the last axis over their lengths, half away from zero."""
    dtype, (_, zero), (scale, nought) = _result(n), _single(n, "of", 0), _single(n, "to", 0)
    if n.integer("activation", 0):
        n.fail("it has a fused activation, which is not supported on integers")
    shape, last = type_of(x).shape, type_of(x).ndim - 1
    whole = _less_zero(x, zero)
    total = ops.cast(ops.sum(ops.mul(whole, whole), (last,)), float64)
    length = ops.spread(ops.sqrt(ops.max(total, ops.like(1, total))), shape, (last,))
    y = ops.div(ops.mul(ops.cast(whole, float64), ops.like(1 / float(scale), length)), length)
    size = ops.floor(ops.add(ops.abs(y), ops.like(0.5, y)))
    return fixed_point.placed(ops.cast(ops.mul(ops.sign(y), size), int32), nought, dtype)


def _compared(function: Any) -> Any:
    def row(n: Application, x: Operand, y: Operand) -> Operand:
        sides = []
        for k, q in enumerate(stretched(x, y)):
            _check_eight(n, q)
            scale, zero = _single(n, "of", k)
            whole = _less_zero(q, zero)
            sides.append(_rescaled(ops.mul(whole, ops.like(1 << 8, whole)), float(scale)))
        return function(*sides)

    return row


for _name, _comparison in {"EQUAL": ops.eq, "NOT_EQUAL": ops.ne, "LESS": ops.lt, "LESS_EQUAL": ops.le,
                         "GREATER": ops.gt, "GREATER_EQUAL": ops.ge}.items():  # fmt: skip
    TFLITE(_name + QUANTIZED)(_compared(_comparison))


@TFLITE("SUM" + QUANTIZED, known=(1,))
def total(n: Application, x: Operand, axes: Known) -> Operand:
    """The sums along axes."""
    dtype, along = _result(n), axes_of(n, x, axes)
    (own, its_zero), (scale, zero) = _single(n, "of", 0), _single(n, "to", 0)
    sums = kept(ops.sum(_less_zero(x, its_zero), along), type_of(x), along, n.flag("keep"))
    y = ops.cast(sums, float32)
    y = ops.mul(y, ops.like(own / scale, y))
    return fixed_point.placed(ops.cast(ops.round(y), int32), zero, dtype)


# -------------------------------------------------------------------------------------------------- to and from numbers


@TFLITE("QUANTIZE" + QUANTIZED)
def quantize(n: Application, x: Operand) -> Operand:
    """Floats as integers, or integers as those of another scale."""
    dtype, of = _result(n), type_of(x).dtype
    scale, zero = _single(n, "to", 0)
    if is_float(of):
        return _quantized_floats(n, x, scale, zero, dtype)
    _check_eight(n, x)
    own, its_zero = _single(n, "of", 0)
    whole = _less_zero(x, its_zero)
    if own == scale:
        return fixed_point.placed(whole, zero, dtype)
    if _reference(n) or of != dtype:
        return fixed_point.placed(_rescaled(whole, float(own) / float(scale)), zero, dtype)
    return fixed_point.placed(fixed_point.times_byte(whole, own / scale), zero, dtype)


def _quantized_floats(n: Application, x: Operand, scale: numpy.float32, zero: int, dtype: DType) -> Operand:
    """Floats over a scale: times its inverse, half to even; or divided by it, half away from zero."""
    nought = ops.full(zero, type_of(x).with_dtype(int32))
    if not _reference(n):
        return integers_of.requantized(x, ops.full(numpy.float32(1) / scale, type_of(x)), nought, dtype)
    y = ops.div(x, ops.like(scale, x))
    whole = ops.trunc(y)
    away = ops.ge(ops.abs(ops.sub(y, whole)), ops.like(0.5, y))
    y = ops.where(away, ops.add(whole, ops.sign(y)), whole)
    return integers_of.requantized(y, ops.full(1, type_of(y)), nought, dtype)


@TFLITE("DEQUANTIZE" + QUANTIZED)
def dequantize(n: Application, x: Operand) -> Operand:
    """The floats that integers stand for."""
    one, shape = _scale(n, "of", 0), type_of(x).shape
    scales, zeros = (integers_of.along(ops.constant(array), shape, one.axis) for array in (one.scales, one.zeros))
    return integers_of.dequantized(x, scales, zeros if one.zeros.any() else None)


def _table(n: Application, x: Operand, function: Any, whole: Any = numpy.rint) -> Operand:
    """A function of numbers on integers of eight bits, by a table of its 256 results."""
    of, dtype = _check_eight(n, x), _result(n)
    scale, zero = _single(n, "of", 0)
    to, nought = _single(n, "to", 0)
    ends, own = numpy.iinfo(dtype), numpy.iinfo(of)
    every = (numpy.arange(own.min, own.max + 1) - zero).astype("f4") * scale
    with numpy.errstate(all="ignore"):
        numbers = numpy.nan_to_num(whole(function(every) / to) + nought, nan=ends.min)
    return fixed_point.looked_up(x, numpy.clip(numbers, ends.min, ends.max).astype(dtype))


@TFLITE("LOGISTIC" + QUANTIZED)
def logistic(n: Application, x: Operand) -> Operand:
    """1 / (1 + exp(-x))."""
    return _table(n, x, lambda x: 1 / (1 + numpy.exp(-x)))


@TFLITE("TANH" + QUANTIZED)
def tanh(n: Application, x: Operand) -> Operand:
    """The hyperbolic tangent."""
    return _table(n, x, numpy.tanh)


def _tabulated(function: Any) -> Any:
    return lambda n, x: _table(n, x, function)


_TABLES: Final[Mapping[str, Callable[[Any], Any]]] = {
    "ABS": numpy.abs, "ELU": lambda x: numpy.where(x < 0, numpy.expm1(x), x), "EXP": numpy.exp, "LOG": numpy.log,
    "RSQRT": lambda x: 1 / numpy.sqrt(x),
}  # fmt: skip
for _name, _table_of in _TABLES.items():
    TFLITE(_name + QUANTIZED)(_tabulated(_table_of))


@TFLITE("SQRT" + QUANTIZED)
def square_root(n: Application, x: Operand) -> Operand:
    """The square root, cut off towards that of 0."""
    return _table(n, x, numpy.sqrt, numpy.trunc)


@TFLITE("GELU" + QUANTIZED)
def gelu(n: Application, x: Operand) -> Operand:
    """X Phi(x), or nearly."""
    if n.flag("approximate"):
        slope = math.sqrt(2 / math.pi)
        return _table(n, x, lambda x: x / 2 * (1 + numpy.tanh(slope * (x + 0.044715 * x**3))))
    return _table(n, x, lambda x: x / 2 * (1 + numpy.vectorize(math.erf)(x / math.sqrt(2))))


@TFLITE("HARD_SWISH" + QUANTIZED)
def hard_swish(n: Application, x: Operand) -> Operand:
    """X max(0, min(1, x / 6 + 0.5)), by a table of what integers of 16 bits give."""
    _check_eight(n, x)
    table = fixed_point.hard_swish_table(*_single(n, "of", 0), *_single(n, "to", 0), _result(n), type_of(x).dtype)
    return fixed_point.looked_up(x, table)


def _rescaled(whole: Operand, number: float) -> Operand:
    """Integers times a number, rounded twice."""
    return fixed_point.rounded_twice(whole, fixed_point.Multiplier.of(number))


def _limited(activation: int) -> Any:
    def row(n: Application, x: Operand) -> Operand:
        _check_eight(n, x)
        (own, its_zero), (scale, zero), dtype = _single(n, "of", 0), _single(n, "to", 0), _result(n)
        y = _rescaled(_less_zero(x, its_zero), float(own) / float(scale))
        return fixed_point.placed(y, zero, dtype, *_ends(n, dtype, scale, zero, activation))

    return row


for _number, _name in ((1, "RELU"), (2, "RELU_N1_TO_1"), (3, "RELU6")):
    TFLITE(_name + QUANTIZED)(_limited(_number))


@TFLITE("LEAKY_RELU" + QUANTIZED)
def leaky_relu(n: Application, x: Operand) -> Operand:
    """X, and a part of it where it is negative."""
    _check_eight(n, x)
    (own, its_zero), (scale, zero) = _single(n, "of", 0), _single(n, "to", 0)
    whole, slope = _less_zero(x, its_zero), numpy.float32(n.number("alpha", 0.0))
    below = ops.lt(whole, ops.like(0, whole))
    if _reference(n):
        parts = [_rescaled(whole, float(own) * by / float(scale)) for by in (1.0, float(slope))]
        return fixed_point.placed(ops.where(below, parts[1], parts[0]), zero, _result(n))
    y = ops.where(below, fixed_point.times_byte(whole, own / scale * slope), fixed_point.times_byte(whole, own / scale))
    return fixed_point.placed(y, zero, _result(n))


@TFLITE("PRELU" + QUANTIZED)
def prelu(n: Application, x: Operand, slope: Operand) -> Operand:
    """X, and a part of it where it is negative, by channel as a rule."""
    _check_eight(n, x)
    (own, its_zero), (by, nought), (scale, zero) = _single(n, "of", 0), _single(n, "of", 1), _single(n, "to", 0)
    whole, slopes = stretched(_less_zero(x, its_zero), _less_zero(slope, nought))
    below = _rescaled(ops.mul(whole, slopes), float(own) * float(by) / float(scale))
    y = ops.where(ops.lt(whole, ops.like(0, whole)), below, _rescaled(whole, float(own) / float(scale)))
    return fixed_point.placed(y, zero, _result(n))


# ---------------------------------------------------------------------------------------------------------- same scales


def _same(n: Application, *inputs: int) -> tuple[numpy.float32, int]:
    """The scale and the zero of the result, which are those of inputs."""
    scale, zero = _single(n, "to", 0)
    for k in inputs:
        if _single(n, "of", k) != (scale, zero):
            n.fail(f"its input {k} has another scale or zero than its result")
    return scale, zero


@TFLITE("CONCATENATION" + QUANTIZED, mixed=())
def joined(n: Application, *xs: Value) -> Value:
    """Arrays one after the other."""
    _same(n, *range(len(xs)))
    return concatenation(n, *xs)


@TFLITE("PAD" + QUANTIZED, known=(1,))
def pad(n: Application, x: Operand, pads: Known) -> Operand:
    """The integers of 0 around an array."""
    _, zero = _same(n, 0)
    return filled_around(n, x, pads, scalar(zero, type_of(x).dtype))


@TFLITE("MAX_POOL_2D" + QUANTIZED)
def max_pool(n: Application, x: Operand) -> Operand:
    """The largest element of each window."""
    low, high = _ends(n, _result(n), *_same(n, 0))
    y = window_max(x, *pools(n, x))
    return ops.min(ops.max(y, ops.like(low, y)), ops.like(high, y))


extremes(QUANTIZED, lambda n, count: _same(n, *range(count)))


@TFLITE("SPACE_TO_BATCH_ND" + QUANTIZED, known=(1, 2))
def space_to_batch(n: Application, x: Operand, blocks: Known, pads: Known) -> Operand:
    """Each place of blocks of the axes after the first one as an image of its own."""
    return to_batch(x, blocks.list(), pads.list(), _same(n, 0)[1])


@TFLITE("RESIZE_BILINEAR" + QUANTIZED, known=(1,))
def resize_bilinear(n: Application, x: Operand, sizes: Known) -> Operand:
    """Images of another size, interpolated between their four nearest pixels by whole weights."""
    images(n, x)
    _same(n, 0)
    own, counts = type_of(x).shape[1:3], [int(size) for size in sizes.list()]
    corners = n.flag("corners")
    half = n.flag("half") and not corners
    between = fixed_point.places_of_ten_bits if _reference(n) else fixed_point.places_of_eleven_bits
    rows = [between(int(size), count, half, corners) for size, count in zip(own, counts, strict=True)]
    return fixed_point.interpolated(x, rows[0], rows[1], 10 if _reference(n) else 11)
