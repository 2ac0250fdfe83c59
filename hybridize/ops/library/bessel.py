# SPDX-License-Identifier: Apache-2.0
"""Bessel functions, by series."""

from __future__ import annotations

import math

from hybridize.ops.analysis import exp, sqrt
from hybridize.ops.arithmetic import abs, add, div, le, max, min, mul, neg, sub, where
from hybridize.ops.composite import composite
from hybridize.ops.op import Operand, type_of
from hybridize.ops.views import cast, like, wide

_NEAR = 8.0
_TERMS = tuple(1.0 / math.factorial(k) ** 2 for k in range(26))
"""Of the series in x^2 / 4, whose terms are all positive: those that count up to `_NEAR`."""
_FAR = (
    -7.233180487874754e-18, -4.830504485944182e-18, 4.46562142029676e-17, 3.461222867697461e-17,
    -2.8276239805165836e-16, -3.425485619677219e-16, 1.7725601330565263e-15, 3.8116806693526224e-15,
    -9.554846698828307e-15, -4.150569347287222e-14, 1.54008621752141e-14, 3.8527783827421426e-13,
    7.180124451383666e-13, -1.7941785315068062e-12, -1.3215811840447713e-11, -3.1499165279632416e-11,
    1.1889147107846439e-11, 4.94060238822497e-10, 3.3962320257083865e-09, 2.266668990498178e-08,
    2.0489185894690638e-07, 2.8913705208347567e-06, 6.889758346916825e-05, 0.0033691164782556943,
    0.8044904110141088,
)  # fmt: skip
"""Chebyshev coefficients of exp(-x) sqrt(x) I0(x) in 32 / x - 2 beyond `_NEAR`, the highest first.

Source: Clenshaw, Chebyshev series for mathematical functions, 1962; by way of Cephes and NumPy.
"""


@composite("i0")
def bessel_i0(x: Operand) -> Operand:
    """Return the modified Bessel function of the first kind and order 0 of floats."""
    dtype = type_of(x).dtype
    x = cast(x, wide(dtype))
    inside = le(abs(x), like(_NEAR, x))
    near = min(max(x, like(-_NEAR, x)), like(_NEAR, x))
    square = mul(mul(near, near), like(0.25, x))
    low = like(_TERMS[-1], x)
    for term in _TERMS[-2::-1]:
        low = add(mul(low, square), like(term, x))
    far = max(abs(x), like(_NEAR, x))
    high = div(mul(exp(far), _chebyshev(sub(div(like(32.0, x), far), like(2.0, x)))), sqrt(far))
    return cast(where(inside, low, high), dtype)


def scaled_bessel_i0(x: Operand) -> Operand:
    """Return exp(-|x|) times the same."""
    return mul(bessel_i0(x), exp(neg(abs(x))))


def _chebyshev(x: Operand) -> Operand:
    """The Chebyshev series of `_FAR`, by Clenshaw's recurrence."""
    first, second, third = like(_FAR[0], x), like(0.0, x), like(0.0, x)
    for coefficient in _FAR[1:]:
        third, second = second, first
        first = add(sub(mul(x, second), third), like(coefficient, x))
    return mul(sub(first, third), like(0.5, x))
