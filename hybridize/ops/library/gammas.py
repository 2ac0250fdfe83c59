# SPDX-License-Identifier: Apache-2.0
"""Derivatives of the logarithm of the gamma function."""

from __future__ import annotations

import math
from functools import reduce

from hybridize.ops.analysis import digamma, round, tan
from hybridize.ops.arithmetic import add, bit_not, bit_or, div, eq, lt, mul, sub, where
from hybridize.ops.op import Operand
from hybridize.ops.powers import pow
from hybridize.ops.views import like

_BERNOULLI = (
    1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730, 7 / 6, -3617 / 510, 43867 / 798, -174611 / 330, 854513 / 138,
    -236364091 / 2730,
)  # fmt: skip
"""Bernoulli's numbers of even order."""


def polygamma(n: int, x: Operand) -> Operand:
    """Return the derivative of order `n` of the digamma function, as a composition; infinite at poles.

    Ten terms of the sum of reciprocal powers, then the formula of Euler and Maclaurin for the rest; below 0 by
    reflection, whose derivatives are polynomials of the cotangent.

    Source: NIST Digital Library of Mathematical Functions, 5.15.1, 5.15.6, 25.11.5.
    """
    if not n:
        return digamma(x)
    sign = -1.0 if n % 2 == 0 else 1.0
    zero, one = like(0, x), like(1, x)
    left = lt(x, zero)
    z = where(left, sub(one, x), x)
    total = like(0, x)
    for k in range(10):
        total = add(total, pow(add(z, like(k, x)), like(-(n + 1.0), x)))
    far = add(z, like(10, x))
    rest = add(like(1 / n, x), div(like(0.5, x), far))
    square = div(one, mul(far, far))
    power = square
    for j, number in enumerate(_BERNOULLI, 1):
        rising = math.prod(range(n + 1, n + 2 * j)) / math.factorial(2 * j)
        rest = add(rest, mul(like(number * rising, x), power))
        power = mul(power, square)
    right = mul(like(sign * math.factorial(n), x), add(total, mul(rest, pow(far, like(-float(n), x)))))
    coefficients = [0.0, 1.0]  # of the cotangent's powers, from 0 on
    for _ in range(n):
        slope = [*(k * number for k, number in enumerate(coefficients)), 0.0, 0.0][1:]
        coefficients = [-(p + q) for p, q in zip([*slope, 0.0], [0.0, 0.0, *slope], strict=False)]
    apart = sub(x, round(x))
    pole = eq(x, round(x))  # minus infinity, too
    angle = mul(like(math.pi, x), where(bit_or(pole, bit_not(left)), like(0.5, x), apart))
    cotangent = div(one, tan(angle))
    derivative = reduce(lambda y, number: add(mul(y, cotangent), like(number, x)), reversed(coefficients), zero)
    reflected = sub(mul(like(-sign, x), right), mul(like(math.pi ** (n + 1), x), derivative))
    return where(left, where(pole, like(sign * math.inf, x), reflected), right)
