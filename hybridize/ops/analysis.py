# SPDX-License-Identifier: Apache-2.0
"""Functions of analysis of one argument: rounding, roots, exponentials, logarithms, trigonometry. All take floats."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy

from hybridize.loops.functions import FUNCTIONS
from hybridize.ops import special
from hybridize.ops.arithmetic import add, bit_not, bit_or, div, eq, lt, mul, neg, sub, where
from hybridize.ops.elementwise import Unary, UnaryFunction, unary
from hybridize.ops.op import OfComplex, Operand
from hybridize.ops.views import like


class Complex(Unary, abstract=True):
    """Base of the functions of complex numbers, too, whose slopes are derivatives there."""

    of_complex = OfComplex.HOLOMORPHIC


class Floor(Unary, meaning=numpy.floor, slope=lambda g, y, x: like(0, x)):
    """The largest integer not above x."""


class Ceil(Unary, meaning=numpy.ceil, slope=lambda g, y, x: like(0, x)):
    """The smallest integer not below x."""


class Round(Unary, meaning=numpy.rint, slope=lambda g, y, x: like(0, x)):
    """The nearest integer, halves to even."""

    of_complex = OfComplex.RULED


class Trunc(Unary, meaning=numpy.trunc, slope=lambda g, y, x: like(0, x)):
    """The integer part of x."""


class Sqrt(Complex, meaning=numpy.sqrt, slope=lambda g, y, x: div(mul(g, like(0.5, y)), y)):
    """The square root of x."""


class Rsqrt(Complex, meaning=special.rsqrt, slope=lambda g, y, x: mul(mul(g, like(-0.5, x)), div(y, x))):
    """1 / sqrt(x)"""


class Cbrt(Unary, meaning=numpy.cbrt, slope=lambda g, y, x: div(mul(g, y), mul(like(3, x), x))):
    """The cube root of x."""


class Exp(Complex, meaning=numpy.exp, slope=lambda g, y, x: mul(g, y)):
    """e to the power of x."""


class Exp2(Complex, meaning=numpy.exp2, slope=lambda g, y, x: mul(g, mul(y, like(math.log(2), x)))):
    """2 to the power of x."""


class Expm1(Complex, meaning=special.expm1, slope=lambda g, y, x: mul(g, add(y, like(1, x)))):
    """exp(x) - 1, exact for small x."""


class Log(Complex, meaning=numpy.log, slope=lambda g, y, x: div(g, x)):
    """The natural logarithm of x."""


class Log2(Complex, meaning=numpy.log2, slope=lambda g, y, x: div(g, mul(x, like(math.log(2), x)))):
    """The logarithm of x to base 2."""


class Log10(Complex, meaning=numpy.log10, slope=lambda g, y, x: div(g, mul(x, like(math.log(10), x)))):
    """The logarithm of x to base 10."""


class Log1p(Complex, meaning=numpy.log1p, slope=lambda g, y, x: div(g, add(x, like(1, x)))):
    """log(1 + x), exact for small x."""


class Sin(Complex, meaning=numpy.sin, slope=lambda g, y, x: mul(g, cos(x))):
    """The sine of x, in radians."""


class Cos(Complex, meaning=numpy.cos, slope=lambda g, y, x: neg(mul(g, sin(x)))):
    """The cosine of x, in radians."""


class Tan(Complex, meaning=numpy.tan, slope=lambda g, y, x: mul(g, add(mul(y, y), like(1, x)))):
    """The tangent of x, in radians."""


class Arcsin(Complex, meaning=numpy.arcsin, slope=lambda g, y, x: mul(g, rsqrt(_one_less_square(x)))):
    """The angle whose sine is x."""


class Arccos(Complex, meaning=numpy.arccos, slope=lambda g, y, x: neg(mul(g, rsqrt(_one_less_square(x))))):
    """The angle whose cosine is x."""


class Arctan(Complex, meaning=numpy.arctan, slope=lambda g, y, x: div(g, add(mul(x, x), like(1, x)))):
    """The angle whose tangent is x."""


class Sinh(Complex, meaning=numpy.sinh, slope=lambda g, y, x: mul(g, cosh(x))):
    """The hyperbolic sine of x."""


class Cosh(Complex, meaning=numpy.cosh, slope=lambda g, y, x: mul(g, sinh(x))):
    """The hyperbolic cosine of x."""


class Tanh(Complex, meaning=special.tanh, slope=lambda g, y, x: mul(g, _one_less_square(y))):
    """The hyperbolic tangent of x."""


class Arcsinh(Complex, meaning=numpy.arcsinh, slope=lambda g, y, x: mul(g, rsqrt(add(mul(x, x), like(1, x))))):
    """The number whose hyperbolic sine is x."""


class Arccosh(Unary, meaning=numpy.arccosh, slope=lambda g, y, x: mul(g, rsqrt(sub(mul(x, x), like(1, x))))):
    """The number whose hyperbolic cosine is x."""

    of_complex = OfComplex.VALUED


class Arctanh(Complex, meaning=numpy.arctanh, slope=lambda g, y, x: div(g, _one_less_square(x))):
    """The number whose hyperbolic tangent is x."""


class Erf(
    Unary, meaning=special.erf, slope=lambda g, y, x: mul(g, mul(exp(neg(mul(x, x))), like(2 / math.sqrt(math.pi), x)))
):
    """The error function, 2 / sqrt(pi) times the integral of exp(-t t) from 0 to x."""


class Erfinv(
    Unary, meaning=special.erfinv, slope=lambda g, y, x: mul(g, mul(exp(mul(y, y)), like(math.sqrt(math.pi) / 2, x)))
):
    """The number whose error function is x."""


class Gamma(Unary, meaning=special.gamma, slope=lambda g, y, x: mul(g, mul(y, digamma(x)))):
    """The gamma function; NaN at negative integers."""


class Gammaln(Unary, meaning=special.gammaln, slope=lambda g, y, x: mul(g, digamma(x))):
    """The logarithm of the absolute value of the gamma function."""


class Sigmoid(Unary, meaning=special.sigmoid, slope=lambda g, y, x: mul(g, mul(y, sub(like(1, y), y)))):
    """1 / (1 + exp(-x))"""


class Isnan(Unary, meaning=numpy.isnan, slope=lambda g, y, x: None):
    """True where x is NaN."""

    of_complex = OfComplex.RULED


class Isinf(Unary, meaning=numpy.isinf, slope=lambda g, y, x: None):
    """True where x is infinite."""

    of_complex = OfComplex.RULED


class Isfinite(Unary, meaning=numpy.isfinite, slope=lambda g, y, x: None):
    """True where x is neither NaN nor infinite."""

    of_complex = OfComplex.RULED


floor: UnaryFunction = unary(Floor)
ceil: UnaryFunction = unary(Ceil)
round: UnaryFunction = unary(Round)
trunc: UnaryFunction = unary(Trunc)
sqrt: UnaryFunction = unary(Sqrt)
rsqrt: UnaryFunction = unary(Rsqrt)
cbrt: UnaryFunction = unary(Cbrt)
exp: UnaryFunction = unary(Exp)
exp2: UnaryFunction = unary(Exp2)
expm1: UnaryFunction = unary(Expm1)
log: UnaryFunction = unary(Log)
log2: UnaryFunction = unary(Log2)
log10: UnaryFunction = unary(Log10)
log1p: UnaryFunction = unary(Log1p)
sin: UnaryFunction = unary(Sin)
cos: UnaryFunction = unary(Cos)
tan: UnaryFunction = unary(Tan)
arcsin: UnaryFunction = unary(Arcsin)
arccos: UnaryFunction = unary(Arccos)
arctan: UnaryFunction = unary(Arctan)
sinh: UnaryFunction = unary(Sinh)
cosh: UnaryFunction = unary(Cosh)
tanh: UnaryFunction = unary(Tanh)
arcsinh: UnaryFunction = unary(Arcsinh)
arccosh: UnaryFunction = unary(Arccosh)
arctanh: UnaryFunction = unary(Arctanh)
erf: UnaryFunction = unary(Erf)
erfinv: UnaryFunction = unary(Erfinv)
gamma: UnaryFunction = unary(Gamma)
gammaln: UnaryFunction = unary(Gammaln)
sigmoid: UnaryFunction = unary(Sigmoid)
isnan: UnaryFunction = unary(Isnan)
isinf: UnaryFunction = unary(Isinf)
isfinite: UnaryFunction = unary(Isfinite)


ANALYSIS: Mapping[str, type[Unary]] = {
    op.word: op
    for op in tuple(globals().values())
    if isinstance(op, type) and issubclass(op, Unary) and hasattr(op, "scalar")
}
"""The ops of this module by their words, which are the names of the functions that apply them."""
SMOOTH: Mapping[str, type[Unary]] = {word: op for word, op in ANALYSIS.items() if FUNCTIONS[op.scalar].smooth}
"""Those that neither round nor test."""


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
