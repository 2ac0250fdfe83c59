# SPDX-License-Identifier: Apache-2.0
"""Activations: functions of an element, and softmax along an axis."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hybridize import ops
from hybridize.base.dtypes import is_float
from hybridize.ops import Operand, composites, type_of
from hybridize.ops.library import gates
from hybridize.torch import draws
from hybridize.torch.functions.operands import operand
from hybridize.torch.functions.rules import axis_of, expect, in_floats, python_number
from hybridize.torch.functions.table import computes
from hybridize.torch.memory import dtype_of


def _number(x: Any, like: Operand) -> Operand:
    """Return a number, which a call may know alone, as an operand of the type of another one."""
    return operand(x, type_of(like).dtype, type_of(like).shape)


@computes("relu6", kinds="fiu")
def _relu6(input: Operand) -> Operand:
    return _hardtanh(input, 0.0, 6.0)


@computes("hardtanh", kinds="fiu", held="min_val max_val")
def _hardtanh(input: Operand, min_val: Any = -1.0, max_val: Any = 1.0) -> Operand:
    """At a bound the gradient is 0, other than that of `clamp`."""
    expect(type_of(input).dtype.kind != "u" or min(min_val, max_val) >= 0)
    lowest, highest = _number(min_val, input), _number(max_val, input)
    return ops.where(ops.le(input, lowest), lowest, ops.where(ops.ge(input, highest), highest, input))


@computes("gelu", kinds="f")
def _gelu(input: Operand, *, approximate: str = "none") -> Operand:
    expect(approximate in ("none", "tanh"))
    return composites.gelu(input, approximate == "tanh")


def _register(name: str, function: Callable[[Operand], Operand]) -> None:
    @computes(name, kinds="f")
    def entry(input: Operand) -> Operand:
        return in_floats(function, input)


def _hardswish(x: Operand) -> Operand:
    """0 up to -3, x from 3 on, x (x + 3) / 6 between: torch's slopes at the joints."""
    zero, below = ops.like(0, x), ops.le(x, ops.like(-3, x))
    between = ops.bit_and(ops.lt(x, ops.like(3, x)), ops.bit_not(below))
    inner = ops.where(between, x, zero)
    curve = ops.div(ops.mul(inner, ops.add(inner, ops.like(3, x))), ops.like(6, x))
    flat = ops.stop_gradient(ops.mul(x, zero))  # of minus infinity it is NaN
    return ops.where(between, curve, ops.where(below, flat, x))


def _hardsigmoid(x: Operand) -> Operand:
    """0 up to -3, 1 from 3 on, a line between."""
    line = ops.div(ops.add(x, ops.like(3, x)), ops.like(6, x))
    above = ops.where(ops.ge(x, ops.like(3, x)), ops.like(1, x), line)
    joined = ops.where(ops.le(x, ops.like(-3, x)), ops.like(0, x), above)
    return ops.where(ops.isnan(x), ops.stop_gradient(x), joined)


def log_sigmoid(x: Operand) -> Operand:
    """Return min(x, 0) - log(1 + exp(-|x|))."""
    # The slope of the absolute value at 0 is 0, and that of the minimum one half: together torch's.
    return ops.sub(ops.shared_min(x, ops.like(0, x)), ops.log1p(ops.exp(ops.neg(ops.abs(x)))))


_register("silu", lambda x: composites.activation(x, "silu"))
_register("mish", lambda x: composites.activation(x, "mish"))
_register("hardswish", _hardswish)
_register("hardsigmoid", _hardsigmoid)
_register("selu", lambda x: composites.leaky_relu(x, act_type="selu"))
_register("F.logsigmoid", log_sigmoid)


@computes("elu", kinds="f", scales="alpha scale input_scale")
def _elu(input: Operand, alpha: Any = 1.0, scale: Any = 1, input_scale: Any = 1) -> Operand:
    """x where it is positive, else alpha (exp(input_scale x) - 1); all of it times scale."""

    def function(x: Operand) -> Operand:
        below = ops.le(x, ops.like(0, x))
        inner = ops.mul(ops.where(below, x, ops.like(0, x)), _number(input_scale, x))
        return ops.mul(ops.where(below, ops.mul(ops.expm1(inner), _number(alpha, x)), x), _number(scale, x))

    return in_floats(function, input)


@computes("celu", kinds="f", scales="alpha")
def _celu(input: Operand, alpha: Any = 1.0) -> Operand:
    factor = python_number(alpha)
    expect(factor != 0)
    return _elu(input, factor, 1, 1 / factor)


@computes("leaky_relu", kinds="f", scales="negative_slope")
def _leaky_relu(input: Operand, negative_slope: Any = 0.01) -> Operand:
    return ops.where(ops.gt(input, ops.like(0, input)), input, ops.mul(input, _number(negative_slope, input)))


@computes("prelu", kinds="f", alike="input weight")
def _prelu(input: Operand, weight: Operand) -> Operand:
    """A slope below 0 for each channel, axis 1, or one for all."""
    of, by = type_of(input), type_of(weight)
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


@computes("rrelu", kinds="f")
def _rrelu(
    input: Operand, lower: Any = 0.125, upper: Any = 1.0 / 3, training: bool = False, generator: Any = None
) -> Operand:
    expect(lower <= upper)
    of, slope = type_of(input), ops.like((lower + upper) / 2, input)
    if training:
        spread = ops.mul(draws.uniform(of.shape, of.dtype), ops.like(upper - lower, input))
        slope = ops.add(spread, ops.like(lower, input))
    return ops.mul(input, ops.where(ops.gt(input, ops.like(0, input)), ops.like(1, input), slope))


@computes("softplus", kinds="f", scales="beta threshold")
def _softplus(input: Operand, beta: Any = 1, threshold: Any = 20) -> Operand:
    """log(1 + exp(beta x)) / beta, and x where beta x is above the threshold."""

    def function(x: Operand) -> Operand:
        scaled = ops.mul(x, _number(beta, x))
        straight = ops.gt(scaled, _number(threshold, x))
        curve = ops.log1p(ops.exp(ops.where(straight, ops.like(0, x), scaled)))
        return ops.where(straight, x, ops.div(curve, _number(beta, x)))

    return in_floats(function, input)


@computes("softshrink", kinds="f")
def _softshrink(input: Operand, lambd: Any = 0.5) -> Operand:
    """Move what is beyond the band to 0 by its width; NaN stays."""
    expect(not isinstance(lambd, (int, float)) or lambd >= 0)
    width = _number(lambd, input)
    above, below = ops.gt(input, width), ops.lt(input, ops.neg(width))
    inside = ops.where(ops.isnan(input), input, ops.mul(input, ops.like(0, input)))
    return ops.where(above, ops.sub(input, width), ops.where(below, ops.add(input, width), inside))


@computes("hardshrink", kinds="f", held="lambd")
def _hardshrink(input: Operand, lambd: Any = 0.5) -> Operand:
    width = _number(lambd, input)
    inside = ops.bit_and(ops.le(input, width), ops.ge(input, ops.neg(width)))
    return ops.where(inside, ops.like(0, input), input)


@computes("glu", kinds="f")
def _glu(input: Operand, dim: int = -1) -> Operand:
    expect(type_of(input).ndim)
    return gates.glu(input, axis_of(dim, type_of(input).ndim))


@computes("threshold", kinds="fiu", held="value", scales="threshold")
def _threshold(input: Operand, threshold: Any, value: Any) -> Operand:
    """NaN is kept; its gradient is none."""
    return ops.where(ops.le(input, _number(threshold, input)), _number(value, input), input)


def _register_along(name: str, by: Callable[[Operand, int], Operand]) -> None:
    @computes(name, f"special.{name}")
    def entry(input: Operand, dim: int, dtype: Any = None) -> Operand:
        shape = type_of(input).shape
        axis, x = axis_of(dim, len(shape)), input if dtype is None else ops.cast(input, dtype_of(dtype))
        expect(is_float(type_of(x).dtype) or 0 in shape)  # of nothing torch does not ask for the dtype
        return ops.reshape(by(ops.reshape(x, shape or (1,)), axis), shape)


_register_along("softmax", composites.softmax)
_register_along("log_softmax", composites.log_softmax)
