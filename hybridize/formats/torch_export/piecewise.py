# SPDX-License-Identifier: Apache-2.0
"""Functions that are given by pieces: activations, and what has a value of its own at a pole.

A piece is computed of all elements, those where another one is chosen too. There it might overflow, and its slope
times the 0 that `where` passes back would be NaN; so a piece that is not finite everywhere takes its argument through
a `where` of the same condition.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from hybridize import ops
from hybridize.base.dtypes import bfloat16, float16, float32, is_float
from hybridize.formats.torch_export.registry import Types, aten, operand
from hybridize.ops import Operand, composites
from hybridize.ops.library.histories import with_gradient_of

_SELU_SCALE, _SELU_ALPHA = 1.0507009873554805, 1.6732632423543772


def _in_floats(types: Types, x: Any, function: Callable[[Operand], Operand]) -> Operand:
    """Apply `function` in the dtype of the result; short floats are computed in float32 and rounded once."""
    kind = types[0]
    wide = float32 if kind.dtype in (float16, bfloat16) else kind.dtype
    return ops.cast(function(operand(x, wide, kind.shape)), kind.dtype)


@aten("sign.default")
def _sign(types: Types, x: Operand) -> Operand:
    """-1, 0 or 1; 0 of NaN, where ours is NaN."""
    x = operand(x, types[0].dtype, types[0].shape)
    return ops.where(ops.isnan(x), ops.like(0, x), ops.sign(x)) if is_float(types[0].dtype) else ops.sign(x)


@aten("hardtanh.default")
def _hardtanh(types: Types, x: Operand, low: float = -1.0, high: float = 1.0) -> Operand:
    """At a bound the gradient is 0, other than that of `clamp`."""
    kind = types[0]
    lowest, highest = operand(low, kind.dtype, kind.shape), operand(high, kind.dtype, kind.shape)
    return ops.where(ops.le(x, lowest), lowest, ops.where(ops.ge(x, highest), highest, x))


@aten("gelu.default")
def _gelu(types: Types, x: Operand, *, approximate: str = "none") -> Operand:
    return composites.gelu(x, approximate == "tanh")


@aten("silu.default")
def _silu(types: Types, x: Operand) -> Operand:
    return ops.mul(x, ops.sigmoid(x))


@aten("mish.default")
def _mish(types: Types, x: Operand) -> Operand:
    return composites.activation(x, "mish")


@aten("softplus.default")
def _softplus(types: Types, x: Operand, beta: float = 1.0, threshold: float = 20.0) -> Operand:
    """log(1 + exp(beta x)) / beta, and x where beta x is above the threshold."""

    def function(x: Operand) -> Operand:
        scaled = ops.mul(x, ops.like(beta, x))
        straight = ops.gt(scaled, ops.like(threshold, x))
        bent = ops.log1p(ops.exp(ops.where(straight, ops.like(0, x), scaled)))
        return ops.where(straight, x, ops.div(bent, ops.like(beta, x)))

    return _in_floats(types, x, function)


@aten("hardswish.default")
def _hardswish(types: Types, x: Operand) -> Operand:
    """0 up to -3, x from 3 on, x (x + 3) / 6 between: torch's slopes at the joints."""

    def function(x: Operand) -> Operand:
        zero, below = ops.like(0, x), ops.le(x, ops.like(-3, x))
        between = ops.bit_and(ops.lt(x, ops.like(3, x)), ops.bit_not(below))
        inner = ops.where(between, x, zero)
        bent = ops.div(ops.mul(inner, ops.add(inner, ops.like(3, x))), ops.like(6, x))
        flat = ops.stop_gradient(ops.mul(x, zero))  # of minus infinity it is NaN
        return ops.where(between, bent, ops.where(below, flat, x))

    return _in_floats(types, x, function)


@aten("hardsigmoid.default")
def _hardsigmoid(types: Types, x: Operand) -> Operand:
    """0 up to -3, 1 from 3 on, a line between."""
    line = ops.div(ops.add(x, ops.like(3, x)), ops.like(6, x))
    above = ops.where(ops.ge(x, ops.like(3, x)), ops.like(1, x), line)
    joined = ops.where(ops.le(x, ops.like(-3, x)), ops.like(0, x), above)
    return ops.where(ops.isnan(x), ops.stop_gradient(x), joined)


@aten("leaky_relu.default")
def _leaky_relu(types: Types, x: Operand, slope: float = 0.01) -> Operand:
    kind = types[0]
    zero = operand(0, kind.dtype, kind.shape)
    return ops.where(ops.gt(x, zero), x, ops.mul(x, operand(slope, kind.dtype, kind.shape)))


@aten("elu.default")
def _elu(types: Types, x: Operand, alpha: float = 1.0, scale: float = 1.0, input_scale: float = 1.0) -> Operand:
    """x where it is positive, else alpha (exp(input_scale x) - 1); all of it times scale."""

    def function(x: Operand) -> Operand:
        zero = ops.like(0, x)
        below = ops.le(x, zero)
        scaled = ops.mul(ops.where(below, x, zero), ops.like(input_scale, x))
        y = ops.where(below, ops.mul(ops.expm1(scaled), ops.like(alpha, x)), x)
        return y if scale == 1 else ops.mul(y, ops.like(scale, x))

    return _in_floats(types, x, function)


@aten("celu.default")
def _celu(types: Types, x: Operand, alpha: float = 1.0) -> Operand:
    return _elu(types, x, alpha, 1.0, 1 / alpha)


@aten("selu.default")
def _selu(types: Types, x: Operand) -> Operand:
    return _elu(types, x, _SELU_ALPHA, _SELU_SCALE)


@aten("sinc.default")
def _sinc(types: Types, x: Operand) -> Operand:
    """sin(pi x) / (pi x), and 1 at 0, where its slope is 0."""

    def function(x: Operand) -> Operand:
        middle = ops.eq(x, ops.like(0, x))
        angle = ops.mul(ops.where(middle, ops.like(1, x), x), ops.like(math.pi, x))
        return ops.where(middle, ops.like(1, x), ops.div(ops.sin(angle), angle))

    return _in_floats(types, x, function)


@aten("logit.default")
def _logit(types: Types, x: Operand, eps: float | None = None) -> Operand:
    """log(x / (1 - x)), of x between eps and 1 - eps where eps is given."""

    def function(x: Operand) -> Operand:
        if eps is not None:
            low, high = ops.like(eps, x), ops.like(1 - eps, x)
            x = ops.where(ops.lt(x, low), low, ops.where(ops.gt(x, high), high, x))
        return ops.sub(ops.log(x), ops.log1p(ops.neg(x)))

    return _in_floats(types, x, function)


@aten("special_entr.default")
def _entr(types: Types, x: Operand) -> Operand:
    """-x log x, 0 at 0, -infinity of what is negative."""

    def function(x: Operand) -> Operand:
        zero = ops.like(0, x)
        positive = ops.bit_or(ops.gt(x, zero), ops.isnan(x))
        inner = ops.where(positive, x, ops.like(1, x))
        apart = ops.where(ops.lt(x, zero), ops.like(-math.inf, x), zero)
        return ops.where(positive, ops.neg(ops.mul(inner, ops.log(inner))), apart)

    return _in_floats(types, x, function)


def times_log(logarithm: Callable[[Operand], Operand], pole: float) -> Callable[[Operand, Operand], Operand]:
    """Return x times a logarithm, infinite at `pole`, which is 0 where x is."""

    def product(x: Operand, y: Operand) -> Operand:
        infinite = ops.bit_or(ops.le(y, ops.like(pole, y)), ops.eq(y, ops.like(math.inf, y)))
        nothing = ops.bit_and(ops.eq(x, ops.like(0, x)), infinite)
        safe = ops.where(nothing, ops.like(1, y), y)
        product = ops.mul(x, logarithm(safe))
        at_pole = ops.bit_and(nothing, ops.eq(y, ops.like(pole, y)))  # the slope there is 0 / 0
        steep = ops.add(product, ops.mul(y, ops.where(at_pole, ops.like(math.nan, y), ops.like(0, y))))
        return with_gradient_of(steep, ops.where(nothing, ops.like(0, x), product))

    return product
