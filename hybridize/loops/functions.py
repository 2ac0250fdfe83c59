# SPDX-License-Identifier: Apache-2.0
"""The scalar functions of the loop IR: each is described once, but for how a machine computes it (that is codegen's).

Arithmetic wraps for integers; division and remainder follow NumPy (floor), with 0 for an integer divided by 0.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from enum import Enum
from typing import Any

import numpy

from hybridize.base.dtypes import DType, bool_
from hybridize.base.frozen import frozen

Scalar = Any
"""A NumPy scalar."""
Meaning = Callable[..., Any]
"""From the dtype of the result and the arguments."""


class Kind(Enum):
    """The dtypes that a scalar function takes and gives."""

    FLOATS = "floats"
    INTEGERS = "integers"
    """And bools, for the bit operations."""
    NUMBERS = "numbers"
    """Of any dtype."""
    TRUTH = "truth"
    """Gives a bool: comparisons of any dtype, tests of floats."""


@frozen
class ScalarFunction:
    """A function of scalars of one dtype."""

    name: str
    arity: int
    kind: Kind
    meaning: Meaning
    cost: int = 1
    """In additions, roughly."""
    exact: bool = False
    """True if the result of arguments of a narrow float is one too, in whatever wider one it is computed."""

    @property
    def truth(self) -> bool:
        """Tell whether it gives a bool, whatever it takes."""
        return self.kind is Kind.TRUTH

    @property
    def compares(self) -> bool:
        """Tell whether it compares two numbers."""
        return self.truth and self.arity == 2

    @property
    def weight(self) -> int:
        """Instructions, roughly: one, or many."""
        return 16 if self.cost >= 8 else 1

    @property
    def dear(self) -> bool:
        """Tell whether a result that is needed twice is kept rather than computed again."""
        return self.cost >= 14


def _by(function: Callable[..., Any]) -> Meaning:
    """The meaning that a NumPy function has for arrays without axes."""
    return lambda dtype, *args: function(*map(numpy.asarray, args))


def _bits_of(x: Any) -> Any:
    """The bits of the number in two's complement, where NumPy counts those of the absolute value."""
    return numpy.bitwise_count(x.view(f"u{x.dtype.itemsize}")).astype(x.dtype)


def _through_float(function: Callable[[float], float]) -> Meaning:
    """The meaning that a function of Python floats has; NaN is handed on."""

    def meaning(dtype: DType, x: Scalar) -> float:
        number = float(x)
        return number if math.isnan(number) else function(number)

    return meaning


def _logical(of_bools: Callable[[bool, bool], bool], function: Callable[..., Any]) -> Meaning:
    """The meaning of arithmetic, which for bools is one of logic."""

    def meaning(dtype: DType, x: Scalar, y: Scalar) -> Any:
        if numpy.asarray(x).dtype == bool_:
            return of_bools(bool(x), bool(y))
        return function(numpy.asarray(x), numpy.asarray(y))

    return meaning


def _either(x: bool, y: bool) -> bool:
    return x or y


def _both(x: bool, y: bool) -> bool:
    return x and y


def _differ(x: bool, y: bool) -> bool:
    return x != y


def _divided(function: Callable[..., Any]) -> Meaning:
    """The meaning of a division or remainder: 0 for integers divided by 0."""

    def meaning(dtype: DType, x: Scalar, y: Scalar) -> Any:
        if dtype.kind in "iu" and int(y) == 0:
            return 0
        return function(numpy.asarray(x), numpy.asarray(y))

    return meaning


def _shifted(function: Callable[..., Any]) -> Meaning:
    """The meaning of a shift: all bits go where it is by as many as there are, or more."""

    def meaning(dtype: DType, x: Scalar, y: Scalar) -> Any:
        if not 0 <= int(y) < 8 * dtype.itemsize:
            return -1 if function is numpy.right_shift and dtype.kind == "i" and x < 0 else 0
        return function(numpy.asarray(x), numpy.asarray(y))

    return meaning


def _power(dtype: DType, x: Scalar, y: Scalar) -> Any:
    if dtype.kind == "i" and int(y) < 0:
        return {1: 1, -1: 1 if int(y) % 2 == 0 else -1}.get(int(x), 0)
    return numpy.power(numpy.asarray(x), numpy.asarray(y))


def _upper_half(dtype: DType, x: Scalar, y: Scalar) -> int:
    bits = 8 * dtype.itemsize
    return (int(x) * int(y) >> bits) & ((1 << bits) - 1)


def _same_bits(dtype: DType, x: Scalar) -> Any:
    return numpy.asarray(x).reshape(1).view(dtype)[0]


def _sigmoid(x: float) -> float:
    return 1 / (1 + math.exp(-x)) if x >= 0 else math.exp(x) / (1 + math.exp(x))


def _rsqrt(x: float) -> float:
    return math.nan if x < 0 else math.copysign(math.inf, x) if x == 0 else 1 / math.sqrt(x)


def gamma(x: float) -> float:
    """The gamma function as C has it: NaN at its poles, infinite beyond what floats hold."""
    if math.isnan(x) or x == -math.inf or (x < 0 and x == math.floor(x)):
        return math.nan
    if x == 0:
        return math.copysign(math.inf, x)
    try:
        return math.gamma(x)
    except OverflowError:
        return math.inf


def gammaln(x: float) -> float:
    """The logarithm of the absolute value of the gamma function: infinite at its poles."""
    if math.isinf(x) or (x <= 0 and x == math.floor(x)):
        return math.inf
    return math.lgamma(x)


def erfinv(y: float) -> float:
    """Newton's method on erf (on erfc near 1, where erf is flat), from Winitzki's approximation."""
    if not abs(y) < 1:
        return math.copysign(math.inf, y) if abs(y) == 1 else math.nan
    if y == 0:
        return y
    a = 0.147
    logarithm = math.log1p(-y * y)
    half = 2 / (math.pi * a) + logarithm / 2
    x = math.sqrt(math.sqrt(half * half - logarithm / a) - half)
    for _ in range(4):
        error = math.erf(x) - abs(y) if x < 1 else (1 - abs(y)) - math.erfc(x)
        x -= error / (2 / math.sqrt(math.pi) * math.exp(-x * x))
    return math.copysign(x, y)


_ALL = (
    ScalarFunction("neg", 1, Kind.NUMBERS, _by(numpy.negative), exact=True),
    ScalarFunction("abs", 1, Kind.NUMBERS, _by(numpy.abs), exact=True),
    ScalarFunction("sign", 1, Kind.NUMBERS, _by(numpy.sign), exact=True),
    ScalarFunction("floor", 1, Kind.FLOATS, _by(numpy.floor), exact=True),
    ScalarFunction("ceil", 1, Kind.FLOATS, _by(numpy.ceil), exact=True),
    ScalarFunction("round", 1, Kind.FLOATS, _by(numpy.rint), exact=True),
    ScalarFunction("trunc", 1, Kind.FLOATS, _by(numpy.trunc), exact=True),
    ScalarFunction("sqrt", 1, Kind.FLOATS, _by(numpy.sqrt), 4),
    ScalarFunction("rsqrt", 1, Kind.FLOATS, _through_float(_rsqrt), 6),
    ScalarFunction("cbrt", 1, Kind.FLOATS, _by(numpy.cbrt), 30),
    ScalarFunction("exp", 1, Kind.FLOATS, _by(numpy.exp), 14),
    ScalarFunction("exp2", 1, Kind.FLOATS, _by(numpy.exp2), 14),
    ScalarFunction("expm1", 1, Kind.FLOATS, _by(numpy.expm1), 18),
    ScalarFunction("log", 1, Kind.FLOATS, _by(numpy.log), 16),
    ScalarFunction("log2", 1, Kind.FLOATS, _by(numpy.log2), 16),
    ScalarFunction("log10", 1, Kind.FLOATS, _by(numpy.log10), 18),
    ScalarFunction("log1p", 1, Kind.FLOATS, _by(numpy.log1p), 18),
    ScalarFunction("sin", 1, Kind.FLOATS, _by(numpy.sin), 20),
    ScalarFunction("cos", 1, Kind.FLOATS, _by(numpy.cos), 20),
    ScalarFunction("tan", 1, Kind.FLOATS, _by(numpy.tan), 30),
    ScalarFunction("arcsin", 1, Kind.FLOATS, _by(numpy.arcsin), 20),
    ScalarFunction("arccos", 1, Kind.FLOATS, _by(numpy.arccos), 20),
    ScalarFunction("arctan", 1, Kind.FLOATS, _by(numpy.arctan), 20),
    ScalarFunction("sinh", 1, Kind.FLOATS, _by(numpy.sinh), 24),
    ScalarFunction("cosh", 1, Kind.FLOATS, _by(numpy.cosh), 24),
    ScalarFunction("tanh", 1, Kind.FLOATS, _by(numpy.tanh), 18),
    ScalarFunction("arcsinh", 1, Kind.FLOATS, _by(numpy.arcsinh), 30),
    ScalarFunction("arccosh", 1, Kind.FLOATS, _by(numpy.arccosh), 30),
    ScalarFunction("arctanh", 1, Kind.FLOATS, _by(numpy.arctanh), 30),
    ScalarFunction("erf", 1, Kind.FLOATS, _through_float(math.erf), 24),
    ScalarFunction("erfinv", 1, Kind.FLOATS, _through_float(erfinv), 60),
    ScalarFunction("gammaln", 1, Kind.FLOATS, _through_float(gammaln), 80),
    ScalarFunction("gamma", 1, Kind.FLOATS, _through_float(gamma), 80),
    ScalarFunction("sigmoid", 1, Kind.FLOATS, _through_float(_sigmoid), 16),
    ScalarFunction("isnan", 1, Kind.TRUTH, _by(numpy.isnan)),
    ScalarFunction("isinf", 1, Kind.TRUTH, _by(numpy.isinf)),
    ScalarFunction("isfinite", 1, Kind.TRUTH, _by(numpy.isfinite)),
    ScalarFunction("signbit", 1, Kind.TRUTH, _by(numpy.signbit)),
    ScalarFunction("not", 1, Kind.INTEGERS, _by(numpy.invert)),
    ScalarFunction("popcount", 1, Kind.INTEGERS, _by(_bits_of)),
    ScalarFunction("add", 2, Kind.NUMBERS, _logical(_either, numpy.add)),
    ScalarFunction("sub", 2, Kind.NUMBERS, _logical(_differ, numpy.subtract)),
    ScalarFunction("mul", 2, Kind.NUMBERS, _logical(_both, numpy.multiply)),
    ScalarFunction("div", 2, Kind.FLOATS, _by(numpy.divide), 4),
    ScalarFunction("floordiv", 2, Kind.NUMBERS, _divided(numpy.floor_divide), 8),
    ScalarFunction("mod", 2, Kind.NUMBERS, _divided(numpy.remainder), 10),
    ScalarFunction("fmod", 2, Kind.NUMBERS, _divided(numpy.fmod), 12),
    ScalarFunction("pow", 2, Kind.NUMBERS, _power, 40),
    ScalarFunction("max", 2, Kind.NUMBERS, _logical(_either, numpy.maximum), exact=True),
    ScalarFunction("min", 2, Kind.NUMBERS, _logical(_both, numpy.minimum), exact=True),
    ScalarFunction("fmax", 2, Kind.NUMBERS, _logical(_either, numpy.fmax), exact=True),
    ScalarFunction("fmin", 2, Kind.NUMBERS, _logical(_both, numpy.fmin), exact=True),
    ScalarFunction("arctan2", 2, Kind.FLOATS, _by(numpy.arctan2), 30),
    ScalarFunction("hypot", 2, Kind.FLOATS, _by(numpy.hypot), 12),
    ScalarFunction("copysign", 2, Kind.FLOATS, _by(numpy.copysign), exact=True),
    ScalarFunction("nextafter", 2, Kind.FLOATS, _by(numpy.nextafter)),
    ScalarFunction("logaddexp", 2, Kind.FLOATS, _by(numpy.logaddexp), 40),
    ScalarFunction("and", 2, Kind.INTEGERS, _by(numpy.bitwise_and)),
    ScalarFunction("or", 2, Kind.INTEGERS, _by(numpy.bitwise_or)),
    ScalarFunction("xor", 2, Kind.INTEGERS, _by(numpy.bitwise_xor)),
    ScalarFunction("shl", 2, Kind.INTEGERS, _shifted(numpy.left_shift)),
    ScalarFunction("shr", 2, Kind.INTEGERS, _shifted(numpy.right_shift)),
    ScalarFunction("umulh", 2, Kind.INTEGERS, _upper_half, 4),
    ScalarFunction("eq", 2, Kind.TRUTH, _by(numpy.equal)),
    ScalarFunction("ne", 2, Kind.TRUTH, _by(numpy.not_equal)),
    ScalarFunction("lt", 2, Kind.TRUTH, _by(numpy.less)),
    ScalarFunction("le", 2, Kind.TRUTH, _by(numpy.less_equal)),
    ScalarFunction("gt", 2, Kind.TRUTH, _by(numpy.greater)),
    ScalarFunction("ge", 2, Kind.TRUTH, _by(numpy.greater_equal)),
    ScalarFunction("bitcast", 1, Kind.NUMBERS, _same_bits),
)
FUNCTIONS: dict[str, ScalarFunction] = {function.name: function for function in _ALL}
"""Every scalar function by its name."""
