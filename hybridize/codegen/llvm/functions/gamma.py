# SPDX-License-Identifier: Apache-2.0
"""The gamma function of float64, below 2 ulp: Stirling's series, with sums of two floats where an error would grow.

    Γ(a) = e^E / (a (a + 1) ... (y - 1)),  E = (y - 1/2) log y - y + log(2π) / 2 + 1 / (12 y) - ...

where y = a + n is at least 8, and to the left Γ(-a) = -π / (a sin(πa) Γ(a)). E reaches 1000, whence log y needs 64
bits. A `Pair` is an unevaluated sum of which the second float is small beside the first.
"""

from __future__ import annotations

import math

from hybridize.codegen.llvm.functions import wide
from hybridize.codegen.llvm.functions.rounding import rounded
from hybridize.codegen.llvm.functions.vectors import Vectors

Pair = tuple[str, str]

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
TWO_THIRDS = (2 / 3, 3.700743415417188e-17)
LOG = tuple(2 / (2 * k + 1) for k in range(12, 1, -1))
# (sin πb - πb) / b^3 and (1 - cos πb) / b^2, as functions of b^2 below 1/16.
SIN = tuple((-1) ** k * math.pi ** (2 * k + 1) / math.factorial(2 * k + 1) for k in range(9, 0, -1))
COS = tuple((-1) ** (k + 1) * math.pi ** (2 * k) / math.factorial(2 * k) for k in range(10, 0, -1))


# Sums of two floats


def _sum(w: Vectors, x: str, y: str) -> Pair:
    """x + y and what it lost."""
    total = w.add(x, y)
    rest = w.sub(total, x)
    return total, w.add(w.sub(x, w.sub(total, rest)), w.sub(y, rest))


def _settled(w: Vectors, x: str, y: str) -> Pair:
    """The same where x is the greater."""
    total = w.add(x, y)
    return total, w.sub(y, w.sub(total, x))


def _product(w: Vectors, x: str, y: str) -> Pair:
    """x y and what it lost."""
    product = w.mul(x, y)
    if w.target.fma:
        return product, w.fma(x, y, w.neg(product))
    (a, b), (c, d) = _halves(w, x), _halves(w, y)
    lost = w.sub(w.mul(a, c), product)
    return product, w.add(w.add(w.add(lost, w.mul(a, d)), w.mul(b, c)), w.mul(b, d))


def _halves(w: Vectors, x: str) -> Pair:
    """x as a sum of two floats of 26 bits, whose products are exact."""
    moved = w.mul(x, w.number(2.0**27 + 1))
    upper = w.sub(moved, w.sub(moved, x))
    return upper, w.sub(x, upper)


def _times(w: Vectors, x: Pair, y: Pair) -> Pair:
    product, lost = _product(w, x[0], y[0])
    return _settled(w, product, w.fma(x[0], y[1], w.fma(x[1], y[0], lost)))


def _over(w: Vectors, x: Pair, y: Pair) -> Pair:
    quotient = w.div(x[0], y[0])
    product, lost = _product(w, quotient, y[0])
    rest = w.add(w.sub(w.sub(x[0], product), lost), w.sub(x[1], w.mul(quotient, y[1])))
    return quotient, w.div(rest, y[0])


def _numbers(w: Vectors, pair: tuple[float, float]) -> Pair:
    return w.number(pair[0]), w.number(pair[1])


# Parts of the formula


def _log(w: Vectors, y: str) -> Pair:
    """log y of normal y: k ln 2 + 2 artanh s, where s = (m - 1) / (m + 1); all but the last powers of s in pairs."""
    root_half = 0x3FE6A09E667F3BCD
    moved = w.iop("sub", w.to_bits(y), w.integer(root_half))
    k = w.to_float(w.iop("ashr", moved, w.integer(52)))
    m = w.from_bits(w.iop("add", w.iop("and", moved, w.integer((1 << 52) - 1)), w.integer(root_half)))
    zero = w.number(0.0)
    s = _over(w, (w.sub(m, w.number(1.0)), zero), _sum(w, m, w.number(1.0)))
    square = _times(w, s, s)
    cubic = _times(w, _times(w, square, s), _numbers(w, TWO_THIRDS))
    z = square[0]
    tail = w.mul(w.mul(w.mul(z, z), s[0]), w.poly(z, LOG))
    first, lost = _sum(w, w.mul(k, w.number(wide.LN2_HIGH)), w.add(s[0], s[0]))
    second, lost_again = _sum(w, first, cubic[0])
    small = w.fma(k, w.number(wide.LN2_LOW), w.add(w.add(s[1], s[1]), cubic[1]))
    return _settled(w, second, w.add(w.add(lost, lost_again), w.add(small, tail)))


def _exponent(w: Vectors, y: Pair) -> Pair:
    """E; what y[1] adds is in proportion to the slope of E, log y - 1 / (2 y)."""
    log = _log(w, y[0])
    weight = w.sub(y[0], w.number(0.5))
    inverse = w.div(w.number(1.0), y[0])
    series = w.mul(inverse, w.poly(w.mul(inverse, inverse), STIRLING))
    total, lost = _product(w, weight, log[0])
    small = w.fma(weight, log[1], lost)
    small = w.fma(y[1], w.fma(inverse, w.number(-0.5), log[0]), small)
    for term in (w.neg(y[0]), w.number(HALF_LOG_TWO_PI[0]), series):
        total, lost = _sum(w, total, term)
        small = w.add(small, lost)
    return total, w.add(small, w.number(HALF_LOG_TWO_PI[1]))


def _exp(w: Vectors, x: Pair) -> tuple[Pair, str, str]:
    """e^x = pair * 2^n: the pair, n as a float and as an integer."""
    n, k = w.rounded(x[0], 1.4426950408889634)
    # The first product is exact, and so is the difference.
    r = w.fma(n, w.number(-wide.LN2_HIGH), x[0])
    r, rest = _sum(w, r, w.fma(n, w.number(-wide.LN2_LOW), x[1]))
    total, lost = _settled(w, w.number(1.0), r)
    tail = w.mul(w.mul(r, r), w.poly(r, wide.EXP))
    return _settled(w, total, w.add(w.fma(rest, total, lost), tail)), n, k


def _sine(w: Vectors, a: str) -> tuple[Pair, str]:
    """|sin(πa)| for a >= 0, and a float of its sign; 0 for whole a."""
    turn = w.sub(a, w.mul(rounded(w, "rint", w.mul(a, w.number(0.5))), w.number(2.0)))
    b = w.abs(turn)
    b = w.select(w.compare("ogt", b, w.number(0.5)), w.sub(w.number(1.0), b), b)
    steep = w.compare("olt", b, w.number(0.25))
    c = w.select(steep, b, w.sub(w.number(0.5), b))
    z = w.mul(c, c)
    line, lost = _product(w, c, w.number(PI[0]))
    rising = _settled(w, line, w.add(w.fma(c, w.number(PI[1]), lost), w.mul(w.mul(c, z), w.poly(z, SIN))))
    flat = _settled(w, w.number(1.0), w.neg(w.mul(z, w.poly(z, COS))))
    return (w.select(steep, rising[0], flat[0]), w.select(steep, rising[1], flat[1])), turn


def gamma(w: Vectors, x: str) -> str:
    """As in C: infinite at zeros, NaN at negative whole numbers."""
    if w.target.device is not None and not w.target.device.float64:
        return _gamma_of_single(w, x)
    zero, one = w.number(0.0), w.number(1.0)
    a = w.at_most(w.abs(x), w.number(HUGE))
    product, shift = (one, zero), zero
    for step in range(SHIFTED):
        below = w.compare("olt", a, w.number(float(SHIFTED - step)))
        further = _times(w, product, _sum(w, a, w.number(float(step))))
        product = w.select(below, further[0], product[0]), w.select(below, further[1], product[1])
        shift = w.select(below, w.number(step + 1.0), shift)
    power, n, k = _exp(w, _exponent(w, _sum(w, a, shift)))
    right = _over(w, power, product)
    sine, sign = _sine(w, w.abs(x))
    left = _over(w, _numbers(w, PI), _times(w, _times(w, sine, (a, zero)), right))
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
