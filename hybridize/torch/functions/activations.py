# SPDX-License-Identifier: Apache-2.0
"""Activations: functions of an element, and softmax along an axis."""

from __future__ import annotations

from typing import Any

from hybridize import ops
from hybridize.base.types import TensorType
from hybridize.formats.torch_export.registry import operand
from hybridize.ops import Operand, type_of
from hybridize.torch.functions.rules import (
    aten,
    axis_of,
    common,
    dtype_name,
    kind,
    not_implemented,
    python_number,
    torch_dtype,
)
from hybridize.torch.functions.table import computes


def floats(name: str, x: Operand) -> TensorType:
    """Return the type of an operand of a function of floats.

    Raises:
        NotImplementedError: it has others; in torch's words.
    """
    return _checked(name, type_of(x))


def _checked(name: str, of: TensorType) -> TensorType:
    if not torch_dtype(of.dtype).is_floating_point:
        raise not_implemented(f"\"{name}\" not implemented for '{dtype_name(of.dtype)}'")
    return of


@computes("relu6", kinds="fiu")
def _relu6(input: Operand) -> Operand:
    return _hardtanh(input, 0.0, 6.0)


@computes("hardtanh", kinds="fiu", held="min_val max_val")
def _hardtanh(input: Operand, min_val: Any = -1.0, max_val: Any = 1.0) -> Operand:
    if type_of(input).dtype.kind == "u" and min(min_val, max_val) < 0:
        raise RuntimeError("cannot do hardtanh on an unsigned type with negative limits")
    return aten("hardtanh.default", type_of(input), input, min_val, max_val)


@computes("gelu")
def _gelu(input: Operand, *, approximate: str = "none") -> Operand:
    if approximate not in ("none", "tanh"):
        raise RuntimeError("approximate argument must be either none or tanh.")
    return aten("gelu.default", floats("GeluKernelImpl", input), input, approximate=approximate)


def _register(name: str, kernel: str) -> None:
    @computes(name)
    def entry(input: Operand) -> Operand:
        return aten(f"{name}.default", floats(kernel, input), input)


for _name in ("silu", "mish", "hardswish", "hardsigmoid"):
    _register(_name, f"{_name}_cpu")
_register("selu", "elu_cpu")


@computes("elu", scales="alpha scale input_scale")
def _elu(input: Operand, alpha: Any = 1.0, scale: Any = 1, input_scale: Any = 1) -> Operand:
    factors = map(python_number, (alpha, scale, input_scale))
    return aten("elu.default", floats("elu_cpu", input), input, *factors)


@computes("celu", scales="alpha")
def _celu(input: Operand, alpha: Any = 1.0) -> Operand:
    if python_number(alpha) == 0:
        raise RuntimeError("ZeroDivisionError: alpha cannot be 0 for CELU")
    return aten("celu.default", floats("elu_cpu", input), input, python_number(alpha))


@computes("leaky_relu", scales="negative_slope")
def _leaky_relu(input: Operand, negative_slope: Any = 0.01) -> Operand:
    return aten("leaky_relu.default", floats("leaky_relu_cpu", input), input, negative_slope)


@computes("prelu", alike="input weight")
def _prelu(input: Operand, weight: Operand) -> Operand:
    """A slope below 0 for each channel, axis 1, or one for all."""
    of, by = floats("prelu", input), type_of(weight)
    if by.ndim > 1:
        raise RuntimeError(f"prelu: Expected `weight` to be a scalar or 1D tensor, but got: ndim = {by.ndim}")
    if by.ndim == 1 and by.shape[0] != 1:
        channels = of.shape[1] if of.ndim > 1 else 1
        if not of.ndim:
            raise RuntimeError("Not allow zero-dim input tensor.")
        if by.shape[0] != channels:
            raise RuntimeError(
                f"Mismatch of parameter numbers and input channel size. Found parameter numbers = {by.shape[0]} and "
                f"channel size = {channels}."
            )
        slope = ops.reshape(weight, (by.shape[0], *(1,) * (of.ndim - 2))) if of.ndim > 1 else weight
    else:
        slope = ops.reshape(weight, ())
    slope = operand(slope, of.dtype, of.shape)
    return ops.where(ops.gt(input, ops.like(0, input)), input, ops.mul(input, slope))


@computes("rrelu")
def _rrelu(
    input: Operand, lower: Any = 0.125, upper: Any = 1.0 / 3, training: bool = False, generator: Any = None
) -> Operand:
    of = floats("rrelu_with_noise_out_cpu", input)
    return aten("rrelu_with_noise_functional.default", [of, of], input, input, lower, upper, training)[0]


@computes("softplus", scales="beta threshold")
def _softplus(input: Operand, beta: Any = 1, threshold: Any = 20) -> Operand:
    of = floats("softplus_cpu", input)
    return aten("softplus.default", of, input, python_number(beta), python_number(threshold))


@computes("F.softsign", kinds="fiu")
def _softsign(input: Operand) -> Operand:
    of = kind(common(input, 1.0), type_of(input).shape)
    x = operand(input, of.dtype, of.shape)
    return ops.div(x, ops.add(ops.abs(x), ops.like(1, x)))


@computes("softshrink")
def _softshrink(input: Operand, lambd: Any = 0.5) -> Operand:
    """Move what is beyond the band to 0 by its width; NaN stays."""
    of = floats("softshrink_cpu", input)
    if isinstance(lambd, (int, float)) and lambd < 0:
        raise RuntimeError(f"lambda must be greater or equal to 0, but found to be {lambd:g}.")
    width = operand(lambd, of.dtype, of.shape)
    above, below = ops.gt(input, width), ops.lt(input, ops.neg(width))
    inside = ops.where(ops.isnan(input), input, ops.mul(input, ops.like(0, input)))
    return ops.where(above, ops.sub(input, width), ops.where(below, ops.add(input, width), inside))


@computes("hardshrink", held="lambd")
def _hardshrink(input: Operand, lambd: Any = 0.5) -> Operand:
    of = floats("hardshrink_cpu", input)
    width = operand(lambd, of.dtype, of.shape)
    inside = ops.bit_and(ops.le(input, width), ops.ge(input, ops.neg(width)))
    return ops.where(inside, ops.like(0, input), input)


@computes("F.logsigmoid")
def _log_sigmoid(input: Operand) -> Operand:
    """min(x, 0) - log(1 + exp(-|x|))."""
    floats("log_sigmoid_cpu", input)
    zero = ops.like(0, input)
    # The slope of the absolute value at 0 is 0, and that of the minimum one half: together torch's.
    bent = ops.log1p(ops.exp(ops.neg(ops.abs(input))))
    return ops.sub(ops.shared_min(input, zero), bent)


@computes("glu")
def _glu(input: Operand, dim: int = -1) -> Operand:
    of = floats("glu_cpu", input)
    if not of.ndim:
        raise RuntimeError("glu does not support 0-dimensional tensors")
    axis = axis_of(dim, of.ndim)
    if of.shape[axis] % 2 != 0:
        raise RuntimeError(f"Halving dimension must be even, but dimension {axis} is size {of.shape[axis]}")
    result = of.with_shape((*of.shape[:axis], of.shape[axis] // 2, *of.shape[axis + 1 :]))
    return aten("glu.default", result, input, axis)


@computes("threshold", kinds="fiu", held="value", scales="threshold")
def _threshold(input: Operand, threshold: Any, value: Any) -> Operand:
    """NaN is kept; its gradient is none."""
    of = type_of(input)
    low = operand(threshold, of.dtype, of.shape)
    return ops.where(ops.le(input, low), operand(value, of.dtype, of.shape), input)


def _register_along(name: str) -> None:
    @computes(name, f"special.{name}")
    def entry(input: Operand, dim: int, dtype: Any = None) -> Operand:
        of = type_of(input)
        axis = axis_of(dim, of.ndim)
        result = of if dtype is None else kind(dtype, of.shape)
        if 0 in of.shape:  # torch does not ask for its dtype
            return ops.cast(input, result.dtype)
        _checked(f"{name}_lastdim_kernel_impl", result)
        if of.ndim:
            return aten(f"{name}.int", result, input, axis)
        return ops.reshape(aten(f"{name}.int", result.with_shape((1,)), ops.reshape(input, (1,)), 0), ())


_register_along("softmax")
_register_along("log_softmax")
