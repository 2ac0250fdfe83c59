# SPDX-License-Identifier: Apache-2.0
"""The complementary error function and its scaled and logarithmic forms, exact in parts of themselves."""

from __future__ import annotations

import math
from typing import Final

from hybridize.base.dtypes import bfloat16, float32, float64
from hybridize.ops.analysis import erf, exp, log, log1p
from hybridize.ops.arithmetic import add, div, ge, lt, max, min, mul, neg, sub, where
from hybridize.ops.composite import composite
from hybridize.ops.library.histories import head, with_slope
from hybridize.ops.op import Operand, type_of
from hybridize.ops.views import cast, like, stop_gradient, wide

_SHORT: Final = (
    0.28209478757089007, 0.28209570629650843, 0.24680219150865546, 0.17666101682177196, 0.08233783241182614,
    -0.006487549518898107, -0.019610552659949765, -0.18506099691885308, 0.20417163535331115, -0.06307239226896291,
)  # fmt: skip
_LONG: Final = (
    0.2820947917738805, 0.28209479177226876, 0.2468329430480136, 0.1763092287762731, 0.0837474697272336,
    -0.004420737186555014, -0.05655202680830324, -0.055574092440758754, 0.013097294316734297, -0.05096367097013068,
    0.5111799856148217, -1.6034856722546322, 4.186197301482352, -8.739214783132727, 13.12897233185865,
    -13.84818704332237, 10.188152891213258, -5.114943815393572, 1.6579843817470088, -0.3068786756811786,
    0.02355703491952102,
)  # fmt: skip
"""erfc(x) exp(x^2) / t by powers of t = 2 / (2 + x) for x from 0.5 on, fitted at Chebyshev's points: errors of 5e-8 and
8e-15 of the whole."""


def erfc(x: Operand) -> Operand:
    """Return 1 - erf(x)."""
    dtype = type_of(x).dtype
    return cast(with_slope("erfc", _erfc, _slope, cast(x, wide(dtype))), dtype)


def _slope(x: Operand) -> Operand:
    return mul(like(-2 / math.sqrt(math.pi), x), exp(neg(mul(x, x))))


def _erfc(x: Operand) -> Operand:
    far = min(max(x, like(0.5, x)), like(32, x))  # from where on it is 0
    return where(ge(x, like(0.5, x)), mul(_exp_of_square(far, -1), _scaled(far)), sub(like(1, x), erf(x)))


def _scaled(far: Operand) -> Operand:
    """erfc(x) exp(x^2) for x from 0.5 on."""
    t = div(like(2, far), add(far, like(2, far)))
    coefficients = _LONG if type_of(far).dtype == float64 else _SHORT
    total = like(coefficients[-1], far)
    for one in coefficients[-2::-1]:
        total = add(mul(total, t), like(one, far))
    return mul(t, total)


def _exp_of_square(x: Operand, sign: int) -> Operand:
    """exp(x^2) or exp(-x^2): x^2 = high^2 + (x - high)(x + high), the first exact, as it may be a large exponent."""
    dtype = type_of(x).dtype
    high = stop_gradient(cast(cast(x, float32 if dtype == float64 else bfloat16), dtype))
    square, rest = mul(high, high), mul(sub(x, high), add(x, high))
    return mul(exp(square), exp(rest)) if sign > 0 else mul(exp(neg(square)), exp(neg(rest)))


@composite("erfcx")
def erfcx(x: Operand) -> Operand:
    """Return exp(x^2) (1 - erf(x)) of floats, which neither overflows nor becomes 0 for large x."""
    dtype = type_of(x).dtype
    x = cast(x, wide(dtype))
    half = like(0.5, x)
    beyond = ge(x, half)
    near = where(beyond, half, x)
    value = mul(_exp_of_square(max(near, like(-32, x)), 1), sub(like(1, x), erf(near)))
    slope = sub(mul(mul(like(2, x), near), value), like(2 / math.sqrt(math.pi), x))  # of an overflow: infinite, not NaN
    return cast(where(beyond, _scaled(where(beyond, x, half)), head(near, value, slope, scaled=True)), dtype)


@composite("log_ndtr")
def log_ndtr(x: Operand) -> Operand:
    """Return the logarithm of the part of the standard normal distribution below x, for floats.

    Below -1 it is log(erfcx(z) / 2) - z^2 of z = -x / sqrt(2), and elsewhere log1p(-erfc(-z) / 2).
    """
    dtype = type_of(x).dtype
    x = cast(x, wide(dtype))
    low = lt(x, like(-1, x))
    z = mul(like(math.sqrt(0.5), x), x)
    depth = min(where(low, neg(z), like(1, x)), like(1e15, x))  # beyond, the square alone has a slope
    tail = where(low, z, like(0, x))
    below = sub(log(mul(like(0.5, x), erfcx(depth))), mul(tail, tail))
    above = log1p(mul(like(-0.5, x), erfc(where(low, like(0, x), z))))
    return cast(where(low, below, above), dtype)
