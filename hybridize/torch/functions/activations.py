# SPDX-License-Identifier: Apache-2.0
"""Activations: functions of an element, and softmax along an axis."""

from __future__ import annotations

from typing import Any

from hybridize import ops
from hybridize.base.types import TensorType
from hybridize.ops import Operand, type_of
from hybridize.torch.functions.operands import operand
from hybridize.torch.functions.rules import aten, axis_of, common, expect, kind, torch_dtype
from hybridize.torch.functions.table import computes


def floats(name: str, x: Operand) -> TensorType:
    """Return the type of an operand of a function of floats.

    Raises:
        RuntimeError: it has others; in torch's words.
    """
    return _checked(name, type_of(x))


def _checked(name: str, of: TensorType) -> TensorType:
    expect(torch_dtype(of.dtype).is_floating_point)
    return of


@computes("relu6", kinds="fiu")
def _relu6(input: Operand) -> Operand:
    return _hardtanh(input, 0.0, 6.0)


@computes("hardtanh", kinds="fiu")
def _hardtanh(input: Operand, min_val: Any = -1.0, max_val: Any = 1.0) -> Operand:
    expect(type_of(input).dtype.kind != "u" or min(min_val, max_val) >= 0)
    return aten("hardtanh.default", type_of(input), input, min_val, max_val)


@computes("gelu")
def _gelu(input: Operand, *, approximate: str = "none") -> Operand:
    expect(approximate in ("none", "tanh"))
    return aten("gelu.default", floats("GeluKernelImpl", input), input, approximate=approximate)


def _register(name: str, kernel: str) -> None:
    @computes(name)
    def entry(input: Operand) -> Operand:
        return aten(f"{name}.default", floats(kernel, input), input)


for _name in ("silu", "mish", "hardswish", "hardsigmoid"):
    _register(_name, f"{_name}_cpu")
_register("selu", "elu_cpu")


@computes("elu")
def _elu(input: Operand, alpha: Any = 1.0, scale: Any = 1, input_scale: Any = 1) -> Operand:
    return aten("elu.default", floats("elu_cpu", input), input, alpha, scale, input_scale)


@computes("celu")
def _celu(input: Operand, alpha: Any = 1.0) -> Operand:
    expect(alpha != 0)
    return aten("celu.default", floats("elu_cpu", input), input, alpha)


@computes("leaky_relu")
def _leaky_relu(input: Operand, negative_slope: Any = 0.01) -> Operand:
    return aten("leaky_relu.default", floats("leaky_relu_cpu", input), input, negative_slope)


@computes("prelu", alike="input weight")
def _prelu(input: Operand, weight: Operand) -> Operand:
    """A slope below 0 for each channel, axis 1, or one for all."""
    of, by = floats("prelu", input), type_of(weight)
    expect(by.ndim <= 1)
    if by.ndim == 1 and by.shape[0] != 1:
        channels = of.shape[1] if of.ndim > 1 else 1
        expect(of.ndim)
        expect(by.shape[0] == channels)
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


@computes("softplus")
def _softplus(input: Operand, beta: Any = 1, threshold: Any = 20) -> Operand:
    return aten("softplus.default", floats("softplus_cpu", input), input, beta, threshold)


@computes("F.softsign", kinds="fiu")
def _softsign(input: Operand) -> Operand:
    of = kind(common(input, 1.0), type_of(input).shape)
    x = operand(input, of.dtype, of.shape)
    return ops.div(x, ops.add(ops.abs(x), ops.like(1, x)))


@computes("softshrink")
def _softshrink(input: Operand, lambd: Any = 0.5) -> Operand:
    """Move what is beyond the band to 0 by its width; NaN stays."""
    of = floats("softshrink_cpu", input)
    expect(not isinstance(lambd, (int, float)) or lambd >= 0)
    width = operand(lambd, of.dtype, of.shape)
    above, below = ops.gt(input, width), ops.lt(input, ops.neg(width))
    inside = ops.where(ops.isnan(input), input, ops.mul(input, ops.like(0, input)))
    return ops.where(above, ops.sub(input, width), ops.where(below, ops.add(input, width), inside))


@computes("hardshrink")
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
    expect(of.ndim)
    axis = axis_of(dim, of.ndim)
    expect(of.shape[axis] % 2 == 0)
    result = of.with_shape((*of.shape[:axis], of.shape[axis] // 2, *of.shape[axis + 1 :]))
    return aten("glu.default", result, input, axis)


@computes("threshold")
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
