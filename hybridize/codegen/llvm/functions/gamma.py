# SPDX-License-Identifier: Apache-2.0
"""The gamma function of float64, below 2 ulp: Stirling's series, with sums of two floats where an error would grow.

    Γ(a) = e^E / (a (a + 1) ... (y - 1)),  E = (y - 1/2) log y - y + log(2π) / 2 + 1 / (12 y) - ...

where y = a + n is at least 8, and to the left Γ(-a) = -π / (a sin(πa) Γ(a)). E reaches 1000, whence log y needs 64
bits.
"""

from __future__ import annotations

import math

from hybridize.codegen.llvm.functions import wide
from hybridize.codegen.llvm.functions.pairs import (
    TWO_THIRDS,
    Pair,
    added,
    chosen,
    exp,
    log,
    minus,
    multiplied,
    numbers,
    over,
    plus,
    settled,
    times,
)
from hybridize.codegen.llvm.functions.rounding import rounded
from hybridize.codegen.llvm.functions.vectors import Vectors

SHIFTED = 8
"""From here on the series is used."""
HUGE = 200.0
"""Here gamma is infinite, and its inverse 0."""
# Of 1 / y, 1 / y^3, ..., the highest power first: 2^-61 at 8.
STIRLING = (
    -236364091 / 1506960, 77683 / 5796, -174611 / 125400, 43867 / 244188, -3617 / 122400, 1 / 156, -691 / 360360,
    1 / 1188, -1 / 1680, 1 / 1260, -1 / 360, 1 / 12,
)  # fmt: skip
HALF_LOG_TWO_PI = (0.9189385332046728, -3.878294158067242e-17)
PI = (math.pi, 1.2246467991473532e-16)
LOG = tuple(2 / (2 * k + 1) for k in range(12, 1, -1))
# (sin πb - πb) / b^3 and (1 - cos πb) / b^2, as functions of b^2 below 1/16.
SIN = tuple((-1) ** k * math.pi ** (2 * k + 1) / math.factorial(2 * k + 1) for k in range(9, 0, -1))
COS = tuple((-1) ** (k + 1) * math.pi ** (2 * k) / math.factorial(2 * k) for k in range(10, 0, -1))


# Parts of the formula


def _log(w: Vectors, y: str) -> Pair:
    """log y of normal y: k ln 2 + 2 artanh s, where s = (m - 1) / (m + 1); all but the last powers of s in pairs."""
    root_half = 0x3FE6A09E667F3BCD
    moved = w.iop("sub", w.to_bits(y), w.integer(root_half))
    k = w.to_float(w.iop("ashr", moved, w.integer(52)))
    m = w.from_bits(w.iop("add", w.iop("and", moved, w.integer((1 << 52) - 1)), w.integer(root_half)))
    zero = w.number(0.0)
    s = over(w, (w.sub(m, w.number(1.0)), zero), added(w, m, w.number(1.0)))
    square = times(w, s, s)
    cubic = times(w, times(w, square, s), numbers(w, TWO_THIRDS))
    z = square[0]
    tail = w.mul(w.mul(w.mul(z, z), s[0]), w.poly(z, LOG))
    first, lost = added(w, w.mul(k, w.number(wide.LN2_HIGH)), w.add(s[0], s[0]))
    second, lost_again = added(w, first, cubic[0])
    small = w.fma(k, w.number(wide.LN2_LOW), w.add(w.add(s[1], s[1]), cubic[1]))
    return settled(w, second, w.add(w.add(lost, lost_again), w.add(small, tail)))


def _exponent(w: Vectors, y: Pair) -> Pair:
    """E; what y[1] adds is in proportion to the slope of E, log y - 1 / (2 y)."""
    log = _log(w, y[0])
    weight = w.sub(y[0], w.number(0.5))
    inverse = w.div(w.number(1.0), y[0])
    series = w.mul(inverse, w.poly(w.mul(inverse, inverse), STIRLING))
    total, lost = multiplied(w, weight, log[0])
    small = w.fma(weight, log[1], lost)
    small = w.fma(y[1], w.fma(inverse, w.number(-0.5), log[0]), small)
    for term in (w.neg(y[0]), w.number(HALF_LOG_TWO_PI[0]), series):
        total, lost = added(w, total, term)
        small = w.add(small, lost)
    return total, w.add(small, w.number(HALF_LOG_TWO_PI[1]))


def _sine(w: Vectors, a: str) -> tuple[Pair, str]:
    """|sin(πa)| for a >= 0, and a float of its sign; 0 for whole a."""
    turn = w.sub(a, w.mul(rounded(w, "rint", w.mul(a, w.number(0.5))), w.number(2.0)))
    b = w.abs(turn)
    b = w.select(w.compare("ogt", b, w.number(0.5)), w.sub(w.number(1.0), b), b)
    steep = w.compare("olt", b, w.number(0.25))
    c = w.select(steep, b, w.sub(w.number(0.5), b))
    z = w.mul(c, c)
    line, lost = multiplied(w, c, w.number(PI[0]))
    rising = settled(w, line, w.add(w.fma(c, w.number(PI[1]), lost), w.mul(w.mul(c, z), w.poly(z, SIN))))
    flat = settled(w, w.number(1.0), w.neg(w.mul(z, w.poly(z, COS))))
    return (w.select(steep, rising[0], flat[0]), w.select(steep, rising[1], flat[1])), turn


NEAR_ZERO = 0.2
"""The distance to 1 and to 2, where log gamma is 0, below which a polynomial gives it."""
# log(gamma(1 + t)) / t and log(gamma(2 + t)) / t; Chebyshev, 2^-62 and 2^-68.
NEAR_ONE = (
    0.06548233623971626, -0.06926806831052475, 0.06173274259554006, -0.0658605608350294, 0.07146449468806439,
    -0.07696570237078018, 0.08335309031674268, -0.0909532280069395, 0.10009946795800884, -0.11133427685623695,
    0.12550966944321493, -0.1440498966830933, 0.16955717699772652, -0.20738555102900882, 0.2705808084277841,
    -0.40068563438653093, 0.8224670334241132, -0.5772156649015329,
)  # fmt: skip
NEAR_TWO = (
    -2.1079805058658416e-06, 4.5210468889543235e-06, -9.43533513480078e-06, 2.049838442497534e-05,
    -4.4926364042847215e-05, 9.945778338823202e-05, -0.0002231547563666988, 0.0005096695203070993,
    -0.0011927539117208093, 0.0028905103307788243, -0.007385551028673921, 0.02058080842778441, -0.0673523010531981,
    0.3224670334241132, 0.42278433509846713,
)  # fmt: skip


def log_gamma(w: Vectors, x: str) -> str:
    """log |gamma(x)|, infinite at zeros and negative whole numbers.

    E less the logarithm of what the shift multiplied; to the left the logarithm of pi / (a sin(pi a)) takes that away.
    Beside its zeros to the left of 0 the error is that of the logarithms, below 2^-58.
    """
    zero, one = w.number(0.0), w.number(1.0)
    size = w.abs(x)
    tiny = w.compare("olt", size, w.number(2.0**-57))
    a = w.select(tiny, one, size)
    shifted, shift = (one, zero), zero
    for step in range(SHIFTED):
        below = w.compare("olt", a, w.number(float(SHIFTED - step)))
        shifted = chosen(w, below, times(w, shifted, added(w, a, w.number(float(step)))), shifted)
        shift = w.select(below, w.number(step + 1.0), shift)
    exponent = _exponent(w, added(w, a, shift))
    negative = w.logic("and", w.compare("olt", x, zero), w.compare("oge", size, w.number(2.0**-57)))
    sine, _ = _sine(w, a)
    pole = w.logic("and", negative, w.compare("oeq", sine[0], zero))
    sine = chosen(w, pole, (one, zero), sine)
    reflected = over(w, times(w, numbers(w, PI), shifted), times(w, sine, (a, zero)))
    logarithm = log(w, chosen(w, tiny, (size, zero), chosen(w, negative, reflected, shifted)))
    y = w.add(*plus(w, exponent, minus(w, logarithm)))
    y = w.select(negative, w.neg(y), y)
    y = w.select(tiny, w.neg(w.add(*logarithm)), y)
    for centre, series in ((1.0, NEAR_ONE), (2.0, NEAR_TWO)):
        t = w.sub(x, w.number(centre))
        y = w.select(w.compare("olt", w.abs(t), w.number(NEAR_ZERO)), w.add(w.mul(t, w.poly(t, series)), zero), y)
    infinite = w.logic("or", pole, w.logic("or", w.compare("oeq", size, w.number(wide.INF)), w.compare("oeq", x, zero)))
    y = w.select(w.compare("olt", w.abs(y), w.number(wide.INF)), y, w.number(wide.INF))
    y = w.select(infinite, w.number(wide.INF), y)
    return w.select(w.compare("uno", x, x), x, y)


def gamma(w: Vectors, x: str) -> str:
    """As in C: infinite at zeros, NaN at negative whole numbers."""
    if w.target.device is not None and not w.target.device.float64:
        return _gamma_of_single(w, x)
    zero, one = w.number(0.0), w.number(1.0)
    a = w.at_most(w.abs(x), w.number(HUGE))
    product, shift = (one, zero), zero
    for step in range(SHIFTED):
        below = w.compare("olt", a, w.number(float(SHIFTED - step)))
        further = times(w, product, added(w, a, w.number(float(step))))
        product = w.select(below, further[0], product[0]), w.select(below, further[1], product[1])
        shift = w.select(below, w.number(step + 1.0), shift)
    power, n, k = exp(w, _exponent(w, added(w, a, shift)))
    right = over(w, power, product)
    sine, sign = _sine(w, w.abs(x))
    left = over(w, numbers(w, PI), times(w, times(w, sine, (a, zero)), right))
    negative = w.compare("olt", x, zero)
    y = w.select(negative, w.copysign(w.add(*left), w.neg(sign)), w.add(*right))
    inverse = w.f.op(f"select {w.btype} {negative}, {w.itype} {w.iop('sub', w.integer(0), k)}, {w.itype} {k}")
    y = w.scaled(y, w.select(negative, w.neg(n), n), inverse)
    pole = w.logic("and", negative, w.compare("oeq", sine[0], zero))
    y = w.select(pole, w.number(wide.NAN), y)
    y = w.select(w.compare("olt", w.abs(x), w.number(2.0**-57)), w.div(one, x), y)
    return w.select(w.compare("uno", x, x), x, y)


def _gamma_of_single(w: Vectors, x: str) -> str:
    """The same to the digits of a float32, of which it is one lane: floats for pairs, and steps in a loop."""
    zero, one, f = w.number(0.0), w.number(1.0), w.f
    a = w.at_most(w.abs(x), w.number(HUGE))
    with f.loop(0, SHIFTED, 1, [(w.type, one), (w.type, a)]) as loop:
        product, y = loop.values
        below = w.compare("olt", y, w.number(float(SHIFTED)))
        loop.following = [w.select(below, w.mul(product, y), product), w.select(below, w.add(y, one), y)]
    product, y = loop.results
    inverse = w.div(one, y)
    series = w.fma(inverse, w.poly(w.mul(inverse, inverse), STIRLING), w.number(sum(HALF_LOG_TWO_PI)))
    exponent = w.add(w.sub(w.mul(w.sub(y, w.number(0.5)), wide.log(w, y)), y), series)
    right = w.div(wide.exp(w, exponent), product)
    turn = w.sub(w.abs(x), w.mul(rounded(w, "rint", w.mul(w.abs(x), w.number(0.5))), w.number(2.0)))
    b = w.abs(turn)
    b = w.select(w.compare("ogt", b, w.number(0.5)), w.sub(one, b), b)
    steep = w.compare("olt", b, w.number(0.25))
    c = w.select(steep, b, w.sub(w.number(0.5), b))
    z = w.mul(c, c)
    rising = w.fma(w.mul(c, z), w.poly(z, SIN), w.mul(c, w.number(math.pi)))
    sine = w.select(steep, rising, w.sub(one, w.mul(z, w.poly(z, COS))))
    left = w.copysign(w.div(w.number(math.pi), w.mul(w.mul(sine, a), right)), w.neg(turn))
    y = w.select(w.compare("olt", x, zero), left, right)
    pole = w.logic("and", w.compare("olt", x, zero), w.compare("oeq", sine, zero))
    y = w.select(pole, w.number(wide.NAN), y)
    y = w.select(w.compare("oeq", x, zero), w.div(one, x), y)
    return w.select(w.compare("uno", x, x), x, y)
