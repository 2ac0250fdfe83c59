# SPDX-License-Identifier: Apache-2.0
"""Rows of TensorFlow that compute element by element: arithmetic, comparisons, activations, casts."""

from __future__ import annotations

import math
from typing import Any

import numpy

from hybridize import ops
from hybridize.base.dtypes import bool_, float64, is_float
from hybridize.formats.foreign.arrays import (
    aligned,
    elementwise,
    logical_not,
    quotient,
    selected,
    squared_difference,
)
from hybridize.formats.foreign.known import Assembled, Known, operand_of
from hybridize.formats.foreign.vocabulary import Row, Value
from hybridize.formats.foreign.walk import Application, folded
from hybridize.formats.tensorflow.vocabulary import TENSORFLOW
from hybridize.ops import composites
from hybridize.ops.library.bessel import bessel_i0, scaled_bessel_i0
from hybridize.ops.library.errors import erfc
from hybridize.ops.library.floats import next_after
from hybridize.ops.library.gammas import polygamma
from hybridize.ops.op import Operand, type_of


def quotient_or_zero(x: Operand, y: Operand) -> Operand:
    """A quotient that is 0 where the divisor is."""
    none = ops.eq(y, ops.like(0, y))
    return ops.where(none, ops.like(0, x), ops.div(x, ops.where(none, ops.like(1, y), y)))


def _product_or_zero(x: Operand, y: Operand) -> Operand:
    return ops.where(ops.eq(y, ops.like(0, y)), ops.like(0, x), ops.mul(x, y))


def _x_log(log: Any) -> Any:
    """X times the logarithm of y, 0 where x is 0."""

    def product(x: Operand, y: Operand) -> Operand:
        none = ops.eq(x, ops.like(0, x))
        return ops.where(none, ops.like(0, x), ops.mul(x, log(ops.where(none, ops.like(1, y), y))))

    return product


def _quotient_of_zero(x: Operand, y: Operand) -> Operand:
    """A quotient that is 0 where the dividend is."""
    none = ops.eq(x, ops.like(0, x))
    return ops.where(none, ops.like(0, x), ops.div(x, ops.where(none, ops.like(1, y), y)))


def _normal_quantile(x: Operand) -> Operand:
    """The number below which a share of the normal distribution lies."""
    wide = ops.cast(x, float64)
    share = ops.erfinv(ops.sub(ops.add(wide, wide), ops.like(1, wide)))
    return ops.cast(ops.mul(share, ops.like(math.sqrt(2), share)), type_of(x).dtype)


def _square(x: Operand) -> Operand:
    return ops.mul(x, x)


def clipped(x: Operand, low: float, high: float) -> Operand:
    """Numbers moved between two."""
    return ops.max(ops.like(low, x), ops.min(ops.like(high, x), x))


def elu(x: Operand) -> Operand:
    """X, and exp(x) - 1 where it is negative."""
    return ops.where(ops.lt(x, ops.like(0, x)), ops.expm1(x), x)


def _softplus(x: Operand) -> Operand:
    return composites.activation(x, "softrelu")


TENSORFLOW.plain({
    "Add": elementwise(ops.add), "AddV2": elementwise(ops.add), "Sub": elementwise(ops.sub),
    "Mul": elementwise(ops.mul), "RealDiv": elementwise(ops.div), "Div": elementwise(quotient),
    "TruncateDiv": elementwise(composites.integer_quotient), "TruncateMod": elementwise(ops.fmod),
    "FloorDiv": elementwise(ops.floor_div), "FloorMod": elementwise(ops.mod), "Mod": elementwise(ops.fmod),
    "Pow": elementwise(ops.pow),
    "DivNoNan": elementwise(quotient_or_zero), "MulNoNan": elementwise(_product_or_zero),
    "SquaredDifference": elementwise(squared_difference), "Atan2": elementwise(ops.arctan2),
    "Xlogy": elementwise(_x_log(ops.log)), "Xlog1py": elementwise(_x_log(ops.log1p)),
    "Xdivy": elementwise(_quotient_of_zero), "NextAfter": elementwise(next_after),
    "Less": elementwise(ops.lt), "Greater": elementwise(ops.gt),
    "LessEqual": elementwise(ops.le), "GreaterEqual": elementwise(ops.ge),
    "LogicalAnd": elementwise(ops.bit_and), "LogicalOr": elementwise(ops.bit_or), "LogicalNot": logical_not,
    "BitwiseAnd": elementwise(ops.bit_and), "BitwiseOr": elementwise(ops.bit_or),
    "BitwiseXor": elementwise(ops.bit_xor), "Invert": ops.bit_not,
    "LeftShift": elementwise(ops.shift_left), "RightShift": elementwise(ops.shift_right),
    "SelectV2": elementwise(ops.where),
    "Abs": ops.abs, "Neg": ops.neg, "Sign": ops.sign, "Sqrt": ops.sqrt, "Rsqrt": ops.rsqrt, "Square": _square,
    "Exp": ops.exp, "Expm1": ops.expm1, "Log": ops.log, "Log1p": ops.log1p, "Sin": ops.sin, "Cos": ops.cos,
    "Tan": ops.tan, "Asin": ops.arcsin, "Acos": ops.arccos, "Atan": ops.arctan, "Sinh": ops.sinh, "Cosh": ops.cosh,
    "Asinh": ops.arcsinh, "Acosh": ops.arccosh, "Atanh": ops.arctanh, "Tanh": ops.tanh, "Sigmoid": ops.sigmoid,
    "Erfinv": ops.erfinv, "Ndtri": _normal_quantile, "BesselI0": bessel_i0, "BesselI0e": scaled_bessel_i0,
    "Erf": ops.erf, "Erfc": erfc, "Lgamma": ops.gammaln, "Digamma": ops.digamma, "Floor": ops.floor, "Ceil": ops.ceil,
    "Rint": ops.round, "Round": ops.round, "IsNan": ops.isnan, "IsInf": ops.isinf, "IsFinite": ops.isfinite,
    "Relu": composites.relu, "Relu6": lambda x: clipped(x, 0, 6), "Elu": elu, "Softplus": _softplus,
    "Selu": lambda x: composites.leaky_relu(x, act_type="selu"),
    "Softsign": lambda x: composites.activation(x, "softsign"),
    "Reciprocal": lambda x: ops.div(ops.like(1, x), x), "Inv": lambda x: ops.div(ops.like(1, x), x),
    "OnesLike": lambda x: ops.like(1, x),
    "StopGradient": ops.stop_gradient, "PreventGradient": ops.stop_gradient,
})  # fmt: skip


@TENSORFLOW("Identity", "Snapshot", "PlaceholderWithDefault", values=True)
def identity(n: Application, x: Value) -> Value:
    """The value itself, whatever it is."""
    return x


@TENSORFLOW("Equal")
def equal(n: Application, x: Operand, y: Operand) -> Operand:
    """True where two are equal."""
    return elementwise(ops.eq)(x, y)


@TENSORFLOW("NotEqual")
def not_equal(n: Application, x: Operand, y: Operand) -> Operand:
    """True where two differ."""
    return elementwise(ops.ne)(x, y)


@TENSORFLOW("Select")
def select(n: Application, condition: Operand, x: Operand, y: Operand) -> Operand:
    """An element of one or the other; a vector of conditions chooses rows."""
    return selected(condition, x, y)


@TENSORFLOW("ApproximateEqual")
def close(n: Application, x: Operand, y: Operand) -> Operand:
    """True where two differ by less than the tolerance."""
    apart = ops.abs(ops.sub(x, y))
    return ops.lt(apart, ops.like(n.number("tolerance", 1e-5), apart))


@TENSORFLOW("Cast")
def cast(n: Application, x: Operand) -> Operand:
    """An array as another type; numbers that are not 0 are true."""
    dtype = n.attributes.get("DstT")
    if n.flag("Truncate") and is_float(type_of(x).dtype):
        n.fail("casts that cut bits off are not supported", help="cast without Truncate, to the nearest number")
    if not isinstance(dtype, numpy.dtype):
        n.fail(f"casts to {dtype} are not supported")
    if dtype == bool_ and type_of(x).dtype != bool_:
        return ops.ne(x, ops.like(0, x))
    return ops.cast(x, dtype)


@TENSORFLOW("LeakyRelu")
def leaky_relu(n: Application, x: Operand) -> Operand:
    """X, and a part of it where it is negative."""
    return ops.where(ops.gt(x, ops.like(0, x)), x, ops.mul(x, ops.like(n.number("alpha", 0.2), x)))


@TENSORFLOW("ClipByValue")
def clip(n: Application, x: Operand, low: Operand, high: Operand) -> Operand:
    """Numbers moved between two."""
    return elementwise(ops.max)(elementwise(ops.min)(x, high), low)


@TENSORFLOW("Polygamma", known=(0,))
def derivative_of_digamma(n: Application, order: Known, x: Operand) -> Operand:
    """The derivative of one order of the digamma function."""
    orders = {float(one) for one in order.list()}
    if len(orders) != 1 or not min(orders).is_integer() or min(orders) < 0:
        n.fail(f"derivatives of the orders {sorted(orders)} are not supported", help="use one whole number")
    return aligned(polygamma(int(orders.pop()), x), type_of(x).shape)


class AtLeast(Assembled):
    """A number of data that is not below `low`."""

    __slots__ = ("low", "value")
    low: int
    value: Operand

    def __init__(self, low: int, value: Operand) -> None:
        self.low, self.value = low, value

    def operand(self) -> Operand:
        """The number itself."""
        return self.value


def _extreme(n: Application, apply: Any, x: Value, y: Value) -> Value:
    if isinstance(x, Known) and isinstance(y, Known):
        results = folded(Row(elementwise(apply), plain=True), n, [x, y])
        if results is not None:
            return results[0]
    return elementwise(apply)(operand_of(x), operand_of(y))


def _whole(x: Value) -> int | None:
    is_one = isinstance(x, Known) and not x.symbolic and not x.array.ndim and x.dtype.kind in "iu"
    return x.item() if is_one else None


@TENSORFLOW("Maximum", values=True)
def maximum(n: Application, x: Value, y: Value) -> Value:
    """The larger of two."""
    result, low = _extreme(n, ops.max, x, y), _whole(x) if _whole(y) is None else _whole(y)
    return result if low is None or isinstance(result, Known) else AtLeast(low, result)


@TENSORFLOW("Minimum", values=True)
def minimum(n: Application, x: Value, y: Value) -> Value:
    """The smaller of two; a known number where the other is never below it."""
    for one, other in ((x, y), (y, x)):
        high = _whole(other)
        if isinstance(one, AtLeast) and high is not None and high <= one.low and type_of(one.value).ndim == 0:
            return other
    return _extreme(n, ops.min, x, y)
