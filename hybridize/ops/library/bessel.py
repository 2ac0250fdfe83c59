# SPDX-License-Identifier: Apache-2.0
"""Bessel functions, by series."""

from __future__ import annotations

import math

from hybridize.ops.analysis import exp, sqrt
from hybridize.ops.arithmetic import abs, add, div, eq, le, lt, max, min, mul, neg, sub, where
from hybridize.ops.composite import composite
from hybridize.ops.library.histories import with_slope
from hybridize.ops.op import Operand, type_of
from hybridize.ops.views import cast, like, wide

_NEAR = 8.0
_TERMS = tuple(tuple(1.0 / (math.factorial(k) * math.factorial(k + n)) for k in range(26)) for n in (0, 1))
"""Of the series of I0(x) and of 2 I1(x) / x in x^2 / 4, whose terms are all positive: what counts up to `_NEAR`."""
_FAR = ((
    -7.233180487874754e-18, -4.830504485944182e-18, 4.46562142029676e-17, 3.461222867697461e-17,
    -2.8276239805165836e-16, -3.425485619677219e-16, 1.7725601330565263e-15, 3.8116806693526224e-15,
    -9.554846698828307e-15, -4.150569347287222e-14, 1.54008621752141e-14, 3.8527783827421426e-13,
    7.180124451383666e-13, -1.7941785315068062e-12, -1.3215811840447713e-11, -3.1499165279632416e-11,
    1.1889147107846439e-11, 4.94060238822497e-10, 3.3962320257083865e-09, 2.266668990498178e-08,
    2.0489185894690638e-07, 2.8913705208347567e-06, 6.889758346916825e-05, 0.0033691164782556943,
    0.8044904110141088,
), (
    7.517296310842105e-18, 4.414348323071708e-18, -4.6503053684893586e-17, -3.209525921993424e-17,
    2.96262899764595e-16, 3.3082023109209285e-16, -1.8803547755107825e-15, -3.8144030724370075e-15,
    1.0420276984128802e-14, 4.272440016711951e-14, -2.1015418427726643e-14, -4.0835511110921974e-13,
    -7.198551776245908e-13, 2.0356285441470896e-12, 1.4125807436613782e-11, 3.2526035830154884e-11,
    -1.8974958123505413e-11, -5.589743462196584e-10, -3.835380385964237e-09, -2.6314688468895196e-08,
    -2.512236237870209e-07, -3.882564808877691e-06, -0.00011058893876262371, -0.009761097491361469,
    0.7785762350182801,
))  # fmt: skip
"""Chebyshev coefficients of exp(-x) sqrt(x) I(x) of both orders in 32 / x - 2 beyond `_NEAR`, the highest first.

Source: interpolation at 64 points in 40 digits. Those of order 0 are Clenshaw's, of 1962.
"""


@composite("i0")
def bessel_i0(x: Operand) -> Operand:
    """Return the modified Bessel function of the first kind and order 0 of floats."""
    return with_slope("i0", lambda x: _modified(x, 0, scaled=False), lambda x: _modified(x, 1, scaled=False), x)


@composite("i1")
def bessel_i1(x: Operand) -> Operand:
    """Return the modified Bessel function of the first kind and order 1 of floats."""
    return with_slope("i1", lambda x: _modified(x, 1, scaled=False), _slope_of_order_1, x)


def _slope_of_order_1(x: Operand) -> Operand:
    """I0(x) - I1(x) / x, multiplied by exp(|x|) at the end, so that it becomes infinite and not NaN."""
    middle = eq(x, like(0, x))
    part = div(_modified(x, 1, scaled=True), where(middle, like(1, x), x))
    return where(middle, like(0.5, x), mul(exp(abs(x)), sub(_modified(x, 0, scaled=True), part)))


@composite("i0e")
def scaled_bessel_i0(x: Operand) -> Operand:
    """Return exp(-|x|) times the modified Bessel function of order 0, which is finite everywhere."""
    return _modified(x, 0, scaled=True)


@composite("i1e")
def scaled_bessel_i1(x: Operand) -> Operand:
    """Return exp(-|x|) times the modified Bessel function of order 1."""
    return _modified(x, 1, scaled=True)


def _modified(x: Operand, order: int, scaled: bool) -> Operand:
    dtype = type_of(x).dtype
    x = cast(x, wide(dtype))
    size = abs(x)
    inside = le(size, like(_NEAR, x))
    near, far = min(size, like(_NEAR, x)), max(size, like(_NEAR, x))
    square = mul(mul(near, near), like(0.25, x))
    low = like(_TERMS[order][-1], x)
    for term in _TERMS[order][-2::-1]:
        low = add(mul(low, square), like(term, x))
    high = _chebyshev(sub(div(like(32.0, x), far), like(2.0, x)), _FAR[order])
    if order:  # odd, with a slope at 0
        low = mul(low, mul(where(inside, x, near), like(0.5, x)))
        high = mul(high, where(lt(x, like(0, x)), like(-1, x), like(1, x)))
    low, high = (mul(low, exp(neg(near))), high) if scaled else (low, mul(exp(far), high))
    return cast(where(inside, low, div(high, sqrt(far))), dtype)


def _chebyshev(x: Operand, coefficients: tuple[float, ...]) -> Operand:
    """A Chebyshev series, by Clenshaw's recurrence."""
    first, second, third = like(coefficients[0], x), like(0.0, x), like(0.0, x)
    for coefficient in coefficients[1:]:
        third, second = second, first
        first = add(sub(mul(x, second), third), like(coefficient, x))
    return mul(sub(first, third), like(0.5, x))
