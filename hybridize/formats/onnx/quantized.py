# SPDX-License-Identifier: Apache-2.0
"""Rows of ONNX with integers that stand for real numbers: what is float is float, sums of integers are exact."""

from __future__ import annotations

from typing import Any

from hybridize import ops
from hybridize.base.dtypes import DType, float32, int32, is_float, uint8
from hybridize.formats.foreign.arrays import aligned, stretched
from hybridize.formats.foreign.walk import Application
from hybridize.formats.onnx.linear import windows_of
from hybridize.formats.onnx.messages import DTYPES, NAMES
from hybridize.formats.onnx.vocabulary import ONNX
from hybridize.ops.library.quantized import (
    along,
    as_float,
    dequantized,
    dynamic_scale,
    exact_product,
    integers,
    quantized,
    requantized,
)
from hybridize.ops.op import Operand, type_of


def _numbered(n: Application, name: str, otherwise: DType) -> DType:
    """The dtype whose number an attribute is."""
    number = n.integer(name, 0)
    if number and number not in DTYPES:
        n.fail(f"integers of {NAMES.get(number, f'type {number}')} are not supported")
    return DTYPES[number] if number else otherwise


def _places(n: Application, x: Operand, *parameters: Operand | None) -> list[Any]:
    """Scales and zeros stretched to an array."""
    kind = type_of(x)
    axis = n.integer("axis", 1)
    axis = n.axis_of(axis, kind.ndim) if kind.ndim > 1 else 0
    block = n.integer("block_size", 0)
    return [None if one is None else along(one, kind.shape, axis, block) for one in parameters]


@ONNX("QuantizeLinear")
def quantize(n: Application, x: Operand, scale: Operand, zero: Operand | None = None) -> Operand:
    """Floats as integers, by one scale, one for each place of an axis, or one for each block."""
    dtype = _numbered(n, "output_dtype", uint8 if zero is None else type_of(zero).dtype)
    if zero is not None and dtype != type_of(zero).dtype:
        n.fail(f"the integers are to be {dtype.name}, their zero is {type_of(zero).dtype.name}")
    precision, real = _numbered(n, "precision", type_of(scale).dtype), as_float(x)
    if is_float(precision) and precision.itemsize > type_of(real).dtype.itemsize:
        n.fail(f"quotients of {precision.name} are not supported for {type_of(x)}", help="cast the input")
    if is_float(dtype) or dtype.itemsize > 2:
        n.fail(f"floats as {dtype.name} are not supported, only as integers of 8 or 16 bits")
    by, nought = _places(n, x, as_float(scale), zero)
    return quantized(real, by, nought, dtype)


@ONNX("DequantizeLinear")
def dequantize(n: Application, x: Operand, scale: Operand, zero: Operand | None = None) -> Operand:
    """The floats that integers stand for."""
    by, nought = _places(n, x, scale, zero)
    return ops.cast(dequantized(x, by, nought), _numbered(n, "output_dtype", type_of(scale).dtype))


@ONNX("DynamicQuantizeLinear")
def dynamic_quantize(n: Application, x: Operand) -> tuple[Operand, ...]:
    """Floats as integers from 0 to 255, by a scale of their own."""
    scale, zero = dynamic_scale(x)
    shape = type_of(x).shape
    return quantized(x, aligned(scale, shape), aligned(zero, shape), uint8), scale, zero


def _of_rows(x: Operand | None, of: Operand, axis: int) -> Any:
    """A scale or zero of a matrix: one, one for each place of an axis from the end, or an array that stretches."""
    if x is None:
        return None
    kind = type_of(of)
    return along(x, kind.shape, max(kind.ndim + axis, 0)) if type_of(x).ndim == 1 else aligned(x, kind.shape)


@ONNX("MatMulInteger")
def integer_matmul(
    n: Application, x: Operand, y: Operand, zero_x: Operand | None = None, zero_y: Operand | None = None
) -> Operand:
    """The product of matrices of integers less their zeros, exactly."""
    return exact_product(integers(x, _of_rows(zero_x, x, -2)), integers(y, _of_rows(zero_y, y, -1)))


@ONNX("QLinearMatMul")
def quantized_matmul(
    n: Application, x: Operand, scale_x: Operand, zero_x: Operand, y: Operand, scale_y: Operand, zero_y: Operand,
    scale: Operand, zero: Operand,
) -> Operand:  # fmt: skip
    """The product of matrices that integers stand for, as integers."""
    sums = integer_matmul(n, x, y, zero_x, zero_y)
    shape = type_of(sums).shape
    by_x, by_y, by = (ops.cast(one, float32) for one in (scale_x, scale_y, scale))
    if type_of(by_x).ndim == 1:
        by_x = ops.reshape(by_x, (*type_of(by_x).shape, 1))
    multiplier = ops.div(*stretched(ops.mul(*stretched(by_x, by_y)), by))
    if type_of(multiplier).ndim > len(shape):
        multiplier = ops.reshape(multiplier, shape)
    return requantized(sums, aligned(multiplier, shape), aligned(zero, shape), type_of(zero).dtype)


@ONNX("ConvInteger")
def integer_convolution(
    n: Application, x: Operand, w: Operand, zero_x: Operand | None = None, zero_w: Operand | None = None
) -> Operand:
    """The convolution of integers less their zeros, exactly."""
    shapes = type_of(x).shape, type_of(w).shape
    zeros = [None if zero is None else along(zero, shape, 0)
             for zero, shape in zip((zero_x, zero_w), shapes, strict=True)]  # fmt: skip
    return ops.convolution(integers(x, zeros[0]), integers(w, zeros[1]), *windows_of(n, x, w), result=int32)


@ONNX("QLinearConv")
def quantized_convolution(
    n: Application, x: Operand, scale_x: Operand, zero_x: Operand, w: Operand, scale_w: Operand, zero_w: Operand,
    scale: Operand, zero: Operand, bias: Operand | None = None,
) -> Operand:  # fmt: skip
    """The convolution of what integers stand for, as integers; the scale of weights may be one for each channel."""
    sums = integer_convolution(n, x, w, zero_x, zero_w)
    shape = type_of(sums).shape
    if bias is not None:
        sums = ops.add(sums, along(ops.cast(bias, int32), shape, 1))
    by_x, by_w, by = (along(ops.cast(one, float32), shape, 1) for one in (scale_x, scale_w, scale))
    return requantized(sums, ops.div(ops.mul(by_x, by_w), by), along(zero, shape, 1), type_of(zero).dtype)
