# SPDX-License-Identifier: Apache-2.0
"""Rows of TFLite on integers that stand for numbers: sums are exact, and are rounded once or twice.

`rounding="float"`: once, half to even, after a product of float32, as LiteRT computes where users run it (XNNPACK).
`rounding="reference"`: twice, in integers, as TFLite for microcontrollers does.
"""

from __future__ import annotations

from typing import Any

import numpy
from numpy.typing import NDArray

from hybridize import ops
from hybridize.base.dtypes import DType, int8, int32, is_float, uint8
from hybridize.formats.foreign.known import Known
from hybridize.formats.foreign.vocabulary import Application
from hybridize.formats.tflite.elementwise import LIMITS
from hybridize.formats.tflite.linear import convolved, convolved_by_channel, pools, rows_of, with_axes_kept
from hybridize.formats.tflite.shapes import concatenation, filled_around
from hybridize.formats.tflite.vocabulary import QUANTIZED, TFLITE, Quantization
from hybridize.ops.library import fixed_point
from hybridize.ops.library import quantized as integers_of
from hybridize.ops.op import Operand, scalar, type_of
from hybridize.ops.windows import window_max

EIGHT = (int8, uint8)


def _scale(n: Application, side: str, k: int) -> Quantization:
    """What the integers of an input (`of`) or an output (`to`) stand for."""
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


def _reference(n: Application) -> bool:
    return n.text("rounding", "float") == "reference"


def _ends(n: Application, dtype: DType, scale: numpy.float32, zero: int) -> tuple[int, int]:
    """The least and the greatest integer of a result, as its activation says."""
    ends = numpy.iinfo(dtype)
    number = n.integer("activation", 0)
    if number and number not in LIMITS:
        n.fail(f"the fused activation {number} is not supported on integers")
    low, high = LIMITS[number] if number else (None, None)

    def place(limit: float) -> int:
        apart = numpy.float32(limit) / scale
        return zero + int(numpy.copysign(numpy.floor(numpy.abs(apart) + numpy.float32(0.5)), apart))

    return (ends.min if low is None else max(ends.min, place(low)),
            ends.max if high is None else min(ends.max, place(high)))  # fmt: skip


def _requantized(n: Application, sums: Operand, factors: NDArray[Any], others: Any = 1) -> Operand:
    """Sums of products as the result: their scale is that of the factors, each beside the other's."""
    dtype = _result(n)
    scale, zero = _single(n, "to", 0)
    low, high = _ends(n, dtype, scale, zero)
    if _reference(n):
        multiplier = factors.astype("f8") * numpy.asarray(others, "f8") / numpy.float64(scale)
        return fixed_point.requantized_twice(sums, multiplier, zero, dtype, low, high)
    by = factors.astype("f4") * numpy.asarray(others, "f4") / scale
    shape = type_of(sums).shape
    multiplier = integers_of.along(ops.constant(numpy.atleast_1d(by)), shape, len(shape) - 1)
    nought = ops.full(zero, type_of(sums).with_dtype(int32)) if zero else None
    return integers_of.requantized(sums, multiplier, nought, dtype, low, high)


def _less_zero(x: Operand, zero: int) -> Operand:
    """Integers of eight bits less that of 0, as int32."""
    x = ops.cast(x, int32)
    return ops.sub(x, ops.like(zero, x)) if zero else x


def _weights(n: Application, w: Operand, axis: int) -> tuple[Operand, NDArray[Any]]:
    """A weight less its zeros, and its scales along the channels of the result."""
    one = _scale(n, "of", 1)
    if type_of(w).dtype not in EIGHT:
        n.fail(f"weights of {type_of(w).dtype} are not supported, only int8 and uint8")
    if len(one.scales) > 1 and (one.axis != axis or one.zeros.any()):
        n.fail("scales of a weight go along the channels of the result, and their zeros are 0")
    return _less_zero(w, int(one.zeros[0])), one.scales


def _with_bias(sums: Operand, bias: Operand | None) -> Operand:
    if bias is None:
        return sums
    shape = type_of(sums).shape
    return ops.add(sums, integers_of.along(ops.cast(bias, int32), shape, len(shape) - 1))


def _product(n: Application, x: Operand, w: Operand, bias: Operand | None, axis: int, sums_of: Any) -> Operand:
    """An operator with a weight: exact sums, and its result."""
    scale, zero = _single(n, "of", 0)
    weights, scales = _weights(n, w, axis)
    if type_of(x).dtype not in EIGHT:
        n.fail(f"activations of {type_of(x).dtype} are not supported, only int8 and uint8")
    return _requantized(n, _with_bias(sums_of(n, _less_zero(x, zero), weights), bias), scales, scale)


@TFLITE("CONV_2D" + QUANTIZED)
def convolution(n: Application, x: Operand, w: Operand, bias: Operand | None = None) -> Operand:
    """The convolution, plus a bias of each channel."""
    return _product(n, x, w, bias, 0, convolved)


@TFLITE("DEPTHWISE_CONV_2D" + QUANTIZED)
def depthwise_convolution(n: Application, x: Operand, w: Operand, bias: Operand | None = None) -> Operand:
    """The convolution of each channel by itself, plus a bias of each."""
    return _product(n, x, w, bias, 3, convolved_by_channel)


@TFLITE("FULLY_CONNECTED" + QUANTIZED)
def fully_connected(n: Application, x: Operand, w: Operand, bias: Operand | None = None) -> Operand:
    """The products of rows with those of a weight, plus a bias."""
    y = _product(n, x, w, bias, 0, lambda n, x, w: ops.matmul(rows_of(n, x, w), w, False, True))
    return with_axes_kept(n, y, x)


# -------------------------------------------------------------------------------------------------- to and from numbers


@TFLITE("QUANTIZE" + QUANTIZED)
def quantize(n: Application, x: Operand) -> Operand:
    """Floats as integers, or integers as those of another scale."""
    dtype = _result(n)
    scale, zero = _single(n, "to", 0)
    if is_float(type_of(x).dtype):
        nought = ops.full(zero, type_of(x).with_dtype(int32))
        return integers_of.quantized(x, ops.full(scale, type_of(x)), nought, dtype)
    own, its_zero = _single(n, "of", 0)
    whole = _less_zero(x, its_zero)
    if own == scale:
        y = ops.add(whole, ops.like(zero, whole))
        ends = numpy.iinfo(dtype)
        return ops.cast(ops.min(ops.max(y, ops.like(ends.min, y)), ops.like(ends.max, y)), dtype)
    return _requantized(n, whole, numpy.atleast_1d(own))


@TFLITE("DEQUANTIZE" + QUANTIZED)
def dequantize(n: Application, x: Operand) -> Operand:
    """The floats that integers stand for."""
    one, shape = _scale(n, "of", 0), type_of(x).shape
    scales, zeros = (integers_of.along(ops.constant(array), shape, one.axis) for array in (one.scales, one.zeros))
    return integers_of.dequantized(x, scales, zeros if one.zeros.any() else None)


def _table(n: Application, x: Operand, function: Any) -> Operand:
    """A function of numbers on integers of eight bits, by a table of its 256 results."""
    of, dtype = type_of(x).dtype, _result(n)
    if of not in EIGHT:
        n.fail(f"activations of {of} are not supported, only int8 and uint8")
    scale, zero = _single(n, "of", 0)
    to, nought = _single(n, "to", 0)
    ends, own = numpy.iinfo(dtype), numpy.iinfo(of)
    every = (numpy.arange(own.min, own.max + 1) - zero).astype("f4") * scale
    numbers = function(every) / to
    return fixed_point.looked_up(x, numpy.clip(numpy.rint(numbers) + nought, ends.min, ends.max).astype(dtype))


@TFLITE("LOGISTIC" + QUANTIZED)
def logistic(n: Application, x: Operand) -> Operand:
    """1 / (1 + exp(-x))."""
    return _table(n, x, lambda x: 1 / (1 + numpy.exp(-x)))


@TFLITE("TANH" + QUANTIZED)
def tanh(n: Application, x: Operand) -> Operand:
    """The hyperbolic tangent."""
    return _table(n, x, numpy.tanh)


# ---------------------------------------------------------------------------------------------------------- same scales


def _same(n: Application, *inputs: int) -> tuple[numpy.float32, int]:
    """The scale and the zero of the result, which are those of inputs."""
    scale, zero = _single(n, "to", 0)
    for k in inputs:
        if _single(n, "of", k) != (scale, zero):
            n.fail(f"its input {k} has another scale or zero than its result")
    return scale, zero


@TFLITE("CONCATENATION" + QUANTIZED)
def joined(n: Application, *xs: Operand) -> Operand:
    """Arrays one after the other."""
    _same(n, *range(len(xs)))
    return concatenation(n, *xs)


@TFLITE("PAD" + QUANTIZED, known=(1,))
def pad(n: Application, x: Operand, pads: Known) -> Operand:
    """What stands for 0, around an array."""
    _, zero = _same(n, 0)
    return filled_around(n, x, pads, scalar(zero, type_of(x).dtype))


@TFLITE("MAX_POOL_2D" + QUANTIZED)
def max_pool(n: Application, x: Operand) -> Operand:
    """The largest element of each window."""
    low, high = _ends(n, _result(n), *_same(n, 0))
    y = window_max(x, *pools(n, x))
    return ops.min(ops.max(y, ops.like(low, y)), ops.like(high, y))
