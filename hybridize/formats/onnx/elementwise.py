# SPDX-License-Identifier: Apache-2.0
"""Rows of ONNX that compute element by element: arithmetic, comparisons, activations, casts."""

from __future__ import annotations

from typing import Any

from hybridize import ops
from hybridize.base.dtypes import DType, bool_, float32, float64, is_float
from hybridize.formats.foreign.arrays import elementwise, folded, logical_not, quotient
from hybridize.formats.foreign.known import Known
from hybridize.formats.foreign.vocabulary import Value
from hybridize.formats.foreign.walk import Application
from hybridize.formats.onnx.messages import DTYPES, NAMES
from hybridize.formats.onnx.vocabulary import ONNX
from hybridize.ops import composites
from hybridize.ops.composites import uniform
from hybridize.ops.op import Operand, type_of

ONNX.plain({
    "Add": elementwise(ops.add), "Sub": elementwise(ops.sub), "Mul": elementwise(ops.mul),
    "Div": elementwise(quotient), "Equal": elementwise(ops.eq), "Less": elementwise(ops.lt),
    "Greater": elementwise(ops.gt), "LessOrEqual": elementwise(ops.le), "GreaterOrEqual": elementwise(ops.ge),
    "And": elementwise(ops.bit_and), "Or": elementwise(ops.bit_or), "Xor": elementwise(ops.bit_xor),
    "BitwiseAnd": elementwise(ops.bit_and), "BitwiseOr": elementwise(ops.bit_or),
    "BitwiseXor": elementwise(ops.bit_xor), "BitwiseNot": ops.bit_not, "Not": logical_not,
    "Max": folded(ops.max), "Min": folded(ops.min), "Sum": folded(ops.add),
    "Abs": ops.abs, "Neg": ops.neg, "Sign": ops.sign, "Sqrt": ops.sqrt, "Exp": ops.exp, "Log": ops.log,
    "Floor": ops.floor, "Ceil": ops.ceil, "Round": ops.round, "Erf": ops.erf, "Sin": ops.sin, "Cos": ops.cos,
    "Tan": ops.tan, "Asin": ops.arcsin, "Acos": ops.arccos, "Atan": ops.arctan, "Sinh": ops.sinh, "Cosh": ops.cosh,
    "Asinh": ops.arcsinh, "Acosh": ops.arccosh, "Atanh": ops.arctanh, "Tanh": ops.tanh, "Sigmoid": ops.sigmoid,
    "Relu": composites.relu, "Softsign": lambda x: composites.activation(x, "softsign"),
    "Mish": lambda x: composites.activation(x, "mish"), "IsNaN": ops.isnan,
    "Reciprocal": lambda x: ops.div(ops.like(1, x), x),
})  # fmt: skip


@ONNX("Identity", values=True)
def identity(n: Application, x: Value) -> Value:
    """The value itself: an array, or a sequence of them."""
    return (x,)


@ONNX("Mean")
def mean(n: Application, *xs: Operand) -> Operand:
    """The mean of arrays, element by element."""
    total = folded(ops.add)(*xs)
    return ops.div(total, ops.like(len(xs), total))


@ONNX("Pow")
def power(n: Application, x: Operand, y: Operand) -> Operand:
    """A power, of the type of its base."""
    kind, other = type_of(x).dtype, type_of(y).dtype
    if kind == other:
        return elementwise(ops.pow)(x, y)
    wide = float64 if not is_float(kind) or kind == float64 else float32
    return ops.cast(elementwise(ops.pow)(ops.cast(x, wide), ops.cast(y, wide)), kind)


@ONNX("Mod")
def remainder(n: Application, x: Operand, y: Operand) -> Operand:
    """The remainder, with the sign of the divisor, or as C has it where `fmod` says so."""
    return elementwise(ops.fmod if n.flag("fmod") else ops.mod)(x, y)


@ONNX("Where")
def where(n: Application, condition: Operand, x: Operand, y: Operand) -> Operand:
    """An element of one array or the other."""
    return elementwise(ops.where)(condition, x, y)


def dtype_of(n: Application, name: str, default: DType | None = None) -> DType:
    """Return an attribute that is the number of an element type."""
    if default is not None and not n.has(name):
        return default
    number = n.integer(name)
    if number not in DTYPES:
        n.fail(f"the type {NAMES.get(number, number)} is not supported")
    return DTYPES[number]


@ONNX("Cast")
def cast(n: Application, x: Operand) -> Operand:
    """An array as another type."""
    return cast_to(x, dtype_of(n, "to"))


@ONNX("CastLike")
def cast_like(n: Application, x: Operand, other: Operand) -> Operand:
    """An array as the type of another."""
    return cast_to(x, type_of(other).dtype)


def cast_to(x: Operand, dtype: DType) -> Operand:
    """Return an array as another type; a number is true that is not 0."""
    if dtype == bool_ and type_of(x).dtype != bool_:
        return ops.ne(x, ops.like(0, x))
    return ops.cast(x, dtype)


@ONNX("Clip", until=10)
def clip_by_attributes(n: Application, x: Operand) -> Operand:
    """Numbers moved between two."""
    if n.has("min"):
        x = ops.max(x, ops.like(n.number("min"), x))
    return ops.min(x, ops.like(n.number("max"), x)) if n.has("max") else x


@ONNX("Clip", since=11)
def clip(n: Application, x: Operand, low: Operand | None = None, high: Operand | None = None) -> Operand:
    """Numbers moved between two."""
    x = x if low is None else elementwise(ops.max)(x, low)
    return x if high is None else elementwise(ops.min)(x, high)


@ONNX("HardSigmoid")
def hard_sigmoid(n: Application, x: Operand) -> Operand:
    """max(0, min(1, alpha x + beta))."""
    y = ops.add(ops.mul(ops.like(n.number("alpha", 0.2), x), x), ops.like(n.number("beta", 0.5), x))
    return ops.max(ops.like(0, x), ops.min(ops.like(1, x), y))


@ONNX("HardSwish")
def hard_swish(n: Application, x: Operand) -> Operand:
    """X max(0, min(1, x / 6 + 0.5))."""
    y = ops.add(ops.mul(ops.like(1 / 6, x), x), ops.like(0.5, x))
    return ops.mul(x, ops.max(ops.like(0, x), ops.min(ops.like(1, x), y)))


@ONNX("LeakyRelu")
def leaky_relu(n: Application, x: Operand) -> Operand:
    """X, and a part of it where it is negative."""
    return ops.where(ops.lt(x, ops.like(0, x)), ops.mul(x, ops.like(n.number("alpha", 0.01), x)), x)


@ONNX("PRelu")
def prelu(n: Application, x: Operand, slope: Operand) -> Operand:
    """X, and a part of it where it is negative, by channel as a rule."""
    return elementwise(lambda x, slope: ops.where(ops.lt(x, ops.like(0, x)), ops.mul(x, slope), x))(x, slope)


def _exponential(x: Operand, scale: float, above: float = 1.0, width: float = 1.0) -> Operand:
    """X times a number, and scale (exp(x / width) - 1) where it is negative."""
    inner = x if width == 1 else ops.div(x, ops.like(width, x))
    positive = x if above == 1 else ops.mul(ops.like(above, x), x)
    return ops.where(ops.lt(x, ops.like(0, x)), ops.mul(ops.like(scale, x), ops.expm1(inner)), positive)


@ONNX("Elu")
def elu(n: Application, x: Operand) -> Operand:
    """X, and alpha (exp(x) - 1) where it is negative."""
    return _exponential(x, n.number("alpha", 1.0))


@ONNX("Selu")
def selu(n: Application, x: Operand) -> Operand:
    """Gamma x, and gamma alpha (exp(x) - 1) where it is negative."""
    gamma = n.number("gamma", 1.05070102214813232421875)
    return _exponential(x, n.number("alpha", 1.67326319217681884765625) * gamma, gamma)


@ONNX("Celu")
def celu(n: Application, x: Operand) -> Operand:
    """X, and alpha (exp(x / alpha) - 1) where it is negative."""
    alpha = n.number("alpha", 1.0)
    return _exponential(x, alpha, 1.0, alpha)


@ONNX("Swish")
def swish(n: Application, x: Operand) -> Operand:
    """X times the sigmoid of alpha x."""
    return ops.mul(x, ops.sigmoid(ops.mul(ops.like(n.number("alpha", 1.0), x), x)))


@ONNX("Shrink")
def shrink(n: Application, x: Operand) -> Operand:
    """X moved towards 0, and 0 in between; of integers cut off."""
    kind, edge, move = type_of(x), n.number("lambd", 0.5), n.number("bias", 0.0)
    x = x if is_float(kind.dtype) else ops.cast(x, float64)
    inner = ops.where(ops.gt(x, ops.like(edge, x)), ops.sub(x, ops.like(move, x)), ops.like(0, x))
    y = ops.where(ops.lt(x, ops.like(-edge, x)), ops.add(x, ops.like(move, x)), inner)
    return ops.cast(y, kind.dtype)


@ONNX("ThresholdedRelu")
def thresholded(n: Application, x: Operand) -> Operand:
    """X where it is above a number, else 0."""
    return ops.where(ops.gt(x, ops.like(n.number("alpha", 1.0), x)), x, ops.like(0, x))


@ONNX("BitCast")
def bitcast_to(n: Application, x: Operand) -> Operand:
    """The same bits as another type."""
    dtype, own = dtype_of(n, "to"), type_of(x).dtype
    if bool_ in (dtype, own) and dtype.itemsize == own.itemsize:  # a byte that is 0 or 1
        return cast_to(x, dtype)
    return ops.bitcast(x, dtype)


@ONNX("Gelu")
def gelu(n: Application, x: Operand) -> Operand:
    """X Phi(x)."""
    return composites.gelu(x, {"none": "erf"}.get(n.text("approximate", "none", ("none", "tanh")), "tanh"))


@ONNX("Softplus")
def softplus(n: Application, x: Operand) -> Operand:
    """log(1 + exp(x))."""
    return ops.log_add_exp(x, ops.like(0, x))


@ONNX("Dropout", known=(1, 2))
def dropout(n: Application, x: Operand, ratio: Known | None = None, training: Known | None = None) -> Any:
    """The array itself, or while the model trains some of its elements as 0, and the others more."""
    kind, p = type_of(x), 0.5 if ratio is None else float(ratio.item())
    if training is None or not training.item() or p == 0:
        return (x, ops.full(True, kind.with_dtype(bool_))) if len(n.node.outputs) > 1 else x
    chance = uniform(n.key(), kind.shape, kind.dtype if kind.dtype.itemsize > 2 else float32)
    stays = ops.ge(chance, ops.like(p, chance))
    return ops.where(stays, ops.mul(x, ops.like(0.0 if p >= 1 else 1 / (1 - p), x)), ops.like(0, x)), stays


@ONNX("IsInf")
def isinf(n: Application, x: Operand) -> Operand:
    """True where a number is infinite."""
    y, zero = ops.isinf(x), ops.like(0, x)
    if not n.flag("detect_negative", True):
        y = ops.bit_and(y, ops.gt(x, zero))
    return y if n.flag("detect_positive", True) else ops.bit_and(y, ops.lt(x, zero))


@ONNX("BitShift")
def shift(n: Application, x: Operand, y: Operand) -> Operand:
    """Integers with their bits moved."""
    left = n.text("direction", None, ("LEFT", "RIGHT")) == "LEFT"
    return elementwise(ops.shift_left if left else ops.shift_right)(x, y)
