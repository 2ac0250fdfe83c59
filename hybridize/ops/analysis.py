# SPDX-License-Identifier: Apache-2.0
"""Functions of analysis of one argument: rounding, roots, exponentials, logarithms, trigonometry. All take floats."""

from __future__ import annotations

import math

import numpy

from hybridize.ops import special
from hybridize.ops.arithmetic import add, bit_not, bit_or, div, eq, lt, mul, neg, sub, where
from hybridize.ops.elementwise import Gradient, Unary, unary
from hybridize.ops.op import OfComplex, Operand
from hybridize.ops.views import like


class Floor(Unary):
    """The largest integer not above x."""

    scalar, meaning = "floor", numpy.floor

    def gradient(self, g: Operand, y: Operand, x: Operand) -> Gradient:
        return like(0, x)


class Ceil(Unary):
    """The smallest integer not below x."""

    scalar, meaning = "ceil", numpy.ceil

    def gradient(self, g: Operand, y: Operand, x: Operand) -> Gradient:
        return like(0, x)


class Round(Unary):
    """The nearest integer, halves to even."""

    of_complex = OfComplex.RULED
    scalar, meaning = "round", numpy.rint

    def gradient(self, g: Operand, y: Operand, x: Operand) -> Gradient:
        return like(0, x)


class Trunc(Unary):
    """The integer part of x."""

    scalar, meaning = "trunc", numpy.trunc

    def gradient(self, g: Operand, y: Operand, x: Operand) -> Gradient:
        return like(0, x)


class Sqrt(Unary):
    """The square root."""

    of_complex = OfComplex.HOLOMORPHIC
    scalar, meaning, domain = "sqrt", numpy.sqrt, (0.3, 3.0)

    def gradient(self, g: Operand, y: Operand, x: Operand) -> Gradient:
        return div(mul(g, like(0.5, y)), y)


class Rsqrt(Unary):
    """1 / sqrt(x)"""

    of_complex = OfComplex.HOLOMORPHIC
    scalar, meaning, domain = "rsqrt", staticmethod(special.rsqrt), (0.3, 3.0)

    def gradient(self, g: Operand, y: Operand, x: Operand) -> Gradient:
        return mul(mul(g, like(-0.5, x)), div(y, x))


class Cbrt(Unary):
    """The cube root."""

    scalar, meaning, domain = "cbrt", numpy.cbrt, (0.3, 3.0)

    def gradient(self, g: Operand, y: Operand, x: Operand) -> Gradient:
        return div(mul(g, y), mul(like(3, x), x))


class Exp(Unary):
    """e to the power of x."""

    of_complex = OfComplex.HOLOMORPHIC
    scalar, meaning = "exp", numpy.exp

    def gradient(self, g: Operand, y: Operand, x: Operand) -> Gradient:
        return mul(g, y)


class Exp2(Unary):
    """2 to the power of x."""

    of_complex = OfComplex.HOLOMORPHIC
    scalar, meaning = "exp2", numpy.exp2

    def gradient(self, g: Operand, y: Operand, x: Operand) -> Gradient:
        return mul(g, mul(y, like(math.log(2), x)))


class Expm1(Unary):
    """exp(x) - 1, exact for small x."""

    of_complex = OfComplex.HOLOMORPHIC
    scalar, meaning = "expm1", staticmethod(special.expm1)

    def gradient(self, g: Operand, y: Operand, x: Operand) -> Gradient:
        return mul(g, add(y, like(1, x)))


class Log(Unary):
    """The natural logarithm."""

    of_complex = OfComplex.HOLOMORPHIC
    scalar, meaning, domain = "log", numpy.log, (0.3, 3.0)

    def gradient(self, g: Operand, y: Operand, x: Operand) -> Gradient:
        return div(g, x)


class Log2(Unary):
    """The logarithm to base 2."""

    of_complex = OfComplex.HOLOMORPHIC
    scalar, meaning, domain = "log2", numpy.log2, (0.3, 3.0)

    def gradient(self, g: Operand, y: Operand, x: Operand) -> Gradient:
        return div(g, mul(x, like(math.log(2), x)))


class Log10(Unary):
    """The logarithm to base 10."""

    of_complex = OfComplex.HOLOMORPHIC
    scalar, meaning, domain = "log10", numpy.log10, (0.3, 3.0)

    def gradient(self, g: Operand, y: Operand, x: Operand) -> Gradient:
        return div(g, mul(x, like(math.log(10), x)))


class Log1p(Unary):
    """log(1 + x), exact for small x."""

    of_complex = OfComplex.HOLOMORPHIC
    scalar, meaning, domain = "log1p", numpy.log1p, (-0.9, 2.0)

    def gradient(self, g: Operand, y: Operand, x: Operand) -> Gradient:
        return div(g, add(x, like(1, x)))


class Sin(Unary):
    """The sine of x, in radians."""

    of_complex = OfComplex.HOLOMORPHIC
    scalar, meaning = "sin", numpy.sin

    def gradient(self, g: Operand, y: Operand, x: Operand) -> Gradient:
        return mul(g, cos(x))


class Cos(Unary):
    """The cosine of x, in radians."""

    of_complex = OfComplex.HOLOMORPHIC
    scalar, meaning = "cos", numpy.cos

    def gradient(self, g: Operand, y: Operand, x: Operand) -> Gradient:
        return neg(mul(g, sin(x)))


class Tan(Unary):
    """The tangent of x, in radians."""

    of_complex = OfComplex.HOLOMORPHIC
    scalar, meaning, domain = "tan", numpy.tan, (-1.2, 1.2)

    def gradient(self, g: Operand, y: Operand, x: Operand) -> Gradient:
        return mul(g, add(mul(y, y), like(1, x)))


class Arcsin(Unary):
    """The angle whose sine is x."""

    of_complex = OfComplex.HOLOMORPHIC
    scalar, meaning, domain = "arcsin", numpy.arcsin, (-0.9, 0.9)

    def gradient(self, g: Operand, y: Operand, x: Operand) -> Gradient:
        return mul(g, rsqrt(_one_less_square(x)))


class Arccos(Unary):
    """The angle whose cosine is x."""

    of_complex = OfComplex.HOLOMORPHIC
    scalar, meaning, domain = "arccos", numpy.arccos, (-0.9, 0.9)

    def gradient(self, g: Operand, y: Operand, x: Operand) -> Gradient:
        return neg(mul(g, rsqrt(_one_less_square(x))))


class Arctan(Unary):
    """The angle whose tangent is x."""

    of_complex = OfComplex.HOLOMORPHIC
    scalar, meaning = "arctan", numpy.arctan

    def gradient(self, g: Operand, y: Operand, x: Operand) -> Gradient:
        return div(g, add(mul(x, x), like(1, x)))


class Sinh(Unary):
    """The hyperbolic sine."""

    of_complex = OfComplex.HOLOMORPHIC
    scalar, meaning = "sinh", numpy.sinh

    def gradient(self, g: Operand, y: Operand, x: Operand) -> Gradient:
        return mul(g, cosh(x))


class Cosh(Unary):
    """The hyperbolic cosine."""

    of_complex = OfComplex.HOLOMORPHIC
    scalar, meaning = "cosh", numpy.cosh

    def gradient(self, g: Operand, y: Operand, x: Operand) -> Gradient:
        return mul(g, sinh(x))


class Tanh(Unary):
    """The hyperbolic tangent."""

    of_complex = OfComplex.HOLOMORPHIC
    scalar, meaning = "tanh", staticmethod(special.tanh)

    def gradient(self, g: Operand, y: Operand, x: Operand) -> Gradient:
        return mul(g, _one_less_square(y))


class Arcsinh(Unary):
    """The number whose hyperbolic sine is x."""

    of_complex = OfComplex.HOLOMORPHIC
    scalar, meaning = "arcsinh", numpy.arcsinh

    def gradient(self, g: Operand, y: Operand, x: Operand) -> Gradient:
        return mul(g, rsqrt(add(mul(x, x), like(1, x))))


class Arccosh(Unary):
    """The number whose hyperbolic cosine is x."""

    of_complex = OfComplex.VALUED
    scalar, meaning, domain = "arccosh", numpy.arccosh, (1.2, 3.0)

    def gradient(self, g: Operand, y: Operand, x: Operand) -> Gradient:
        return mul(g, rsqrt(sub(mul(x, x), like(1, x))))


class Arctanh(Unary):
    """The number whose hyperbolic tangent is x."""

    of_complex = OfComplex.HOLOMORPHIC
    scalar, meaning, domain = "arctanh", numpy.arctanh, (-0.9, 0.9)

    def gradient(self, g: Operand, y: Operand, x: Operand) -> Gradient:
        return div(g, _one_less_square(x))


class Erf(Unary):
    """The error function, 2 / sqrt(pi) times the integral of exp(-t t) from 0 to x."""

    scalar, meaning = "erf", staticmethod(special.erf)

    def gradient(self, g: Operand, y: Operand, x: Operand) -> Gradient:
        return mul(g, mul(exp(neg(mul(x, x))), like(2 / math.sqrt(math.pi), x)))


class Erfinv(Unary):
    """The number whose error function is x."""

    scalar, meaning, domain = "erfinv", staticmethod(special.erfinv), (-0.9, 0.9)

    def gradient(self, g: Operand, y: Operand, x: Operand) -> Gradient:
        return mul(g, mul(exp(mul(y, y)), like(math.sqrt(math.pi) / 2, x)))


class Gamma(Unary):
    """The gamma function; NaN at negative integers."""

    scalar, meaning, domain = "gamma", staticmethod(special.gamma), (0.3, 3.0)

    def gradient(self, g: Operand, y: Operand, x: Operand) -> Gradient:
        return mul(g, mul(y, digamma(x)))


class Gammaln(Unary):
    """The logarithm of the absolute value of the gamma function."""

    scalar, meaning, domain = "gammaln", staticmethod(special.gammaln), (0.3, 3.0)

    def gradient(self, g: Operand, y: Operand, x: Operand) -> Gradient:
        return mul(g, digamma(x))


class Sigmoid(Unary):
    """1 / (1 + exp(-x))"""

    scalar, meaning = "sigmoid", staticmethod(special.sigmoid)

    def gradient(self, g: Operand, y: Operand, x: Operand) -> Gradient:
        return mul(g, mul(y, sub(like(1, y), y)))


class Isnan(Unary):
    """True where x is NaN."""

    of_complex = OfComplex.RULED
    scalar, meaning = "isnan", numpy.isnan

    def gradient(self, g: Operand, y: Operand, x: Operand) -> Gradient:
        return None


class Isinf(Unary):
    """True where x is infinite."""

    of_complex = OfComplex.RULED
    scalar, meaning = "isinf", numpy.isinf

    def gradient(self, g: Operand, y: Operand, x: Operand) -> Gradient:
        return None


class Isfinite(Unary):
    """True where x is neither NaN nor infinite."""

    of_complex = OfComplex.RULED
    scalar, meaning = "isfinite", numpy.isfinite

    def gradient(self, g: Operand, y: Operand, x: Operand) -> Gradient:
        return None


floor = unary(Floor)
ceil = unary(Ceil)
round = unary(Round)
trunc = unary(Trunc)
sqrt = unary(Sqrt)
rsqrt = unary(Rsqrt)
cbrt = unary(Cbrt)
exp = unary(Exp)
exp2 = unary(Exp2)
expm1 = unary(Expm1)
log = unary(Log)
log2 = unary(Log2)
log10 = unary(Log10)
log1p = unary(Log1p)
sin = unary(Sin)
cos = unary(Cos)
tan = unary(Tan)
arcsin = unary(Arcsin)
arccos = unary(Arccos)
arctan = unary(Arctan)
sinh = unary(Sinh)
cosh = unary(Cosh)
tanh = unary(Tanh)
arcsinh = unary(Arcsinh)
arccosh = unary(Arccosh)
arctanh = unary(Arctanh)
erf = unary(Erf)
erfinv = unary(Erfinv)
gamma = unary(Gamma)
gammaln = unary(Gammaln)
sigmoid = unary(Sigmoid)
isnan = unary(Isnan)
isinf = unary(Isinf)
isfinite = unary(Isfinite)


def _one_less_square(x: Operand) -> Operand:
    """1 - x x, without cancellation near 1."""
    one = like(1, x)
    return mul(sub(one, x), add(one, x))


def digamma(x: Operand) -> Operand:
    """The logarithmic derivative of the gamma function, as a composition; NaN at negative integers.

    Below 0.5 by reflection, then ten steps of the recurrence, then the asymptotic series at x + 10 or more.

    Source: Abramowitz and Stegun 6.3.5, 6.3.7, 6.3.18.
    """
    one = like(1, x)
    left = lt(x, like(0.5, x))
    z = where(left, sub(one, x), x)
    steps = like(0, x)
    for k in range(10):
        steps = add(steps, div(one, add(z, like(k, x))))
    far = add(z, like(10, x))
    square = div(one, mul(far, far))
    series = like(0, x)
    for coefficient in (1 / 132, -1 / 240, 1 / 252, -1 / 120, 1 / 12):
        series = mul(square, add(series, like(coefficient, x)))
    right = sub(sub(sub(log(far), div(like(0.5, x), far)), series), steps)
    apart = sub(x, round(x))
    pole = eq(apart, like(0, x))
    middle = eq(x, like(0, x))
    angle = mul(like(math.pi, x), where(bit_or(pole, bit_not(left)), like(0.5, x), apart))
    reflected = sub(right, div(like(math.pi, x), tan(angle)))
    at_pole = where(middle, div(like(-1, x), where(middle, x, one)), like(math.nan, x))
    return where(left, where(pole, at_pole, reflected), right)
