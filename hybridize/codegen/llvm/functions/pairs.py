# SPDX-License-Identifier: Apache-2.0
"""Sums of two floats of which the second is small beside the first: twice the digits, where an error would grow."""

from __future__ import annotations

from hybridize.codegen.llvm.functions import wide
from hybridize.codegen.llvm.functions.vectors import Vectors

Pair = tuple[str, str]
"""An unevaluated sum."""

TWO_THIRDS = (2 / 3, 3.700743415417188e-17)
TWO_FIFTHS = (2 / 5, -2.2204460492503132e-17)
ARTANH = tuple(2 / (2 * k + 1) for k in range(12, 2, -1))


def added(w: Vectors, x: str, y: str) -> Pair:
    """x + y and what it lost."""
    total = w.add(x, y)
    rest = w.sub(total, x)
    return total, w.add(w.sub(x, w.sub(total, rest)), w.sub(y, rest))


def settled(w: Vectors, x: str, y: str) -> Pair:
    """The same where x is the greater."""
    total = w.add(x, y)
    return total, w.sub(y, w.sub(total, x))


def multiplied(w: Vectors, x: str, y: str) -> Pair:
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


def times(w: Vectors, x: Pair, y: Pair) -> Pair:
    """x y."""
    product, lost = multiplied(w, x[0], y[0])
    return settled(w, product, w.fma(x[0], y[1], w.fma(x[1], y[0], lost)))


def over(w: Vectors, x: Pair, y: Pair) -> Pair:
    """x / y."""
    quotient = w.div(x[0], y[0])
    product, lost = multiplied(w, quotient, y[0])
    rest = w.add(w.sub(w.sub(x[0], product), lost), w.sub(x[1], w.mul(quotient, y[1])))
    return quotient, w.div(rest, y[0])


def numbers(w: Vectors, pair: tuple[float, float]) -> Pair:
    """A constant."""
    return w.number(pair[0]), w.number(pair[1])


def plus(w: Vectors, x: Pair, y: Pair) -> Pair:
    """x + y, to the digits of the greater of their firsts."""
    total, lost = added(w, x[0], y[0])
    return settled(w, total, w.add(lost, w.add(x[1], y[1])))


def minus(w: Vectors, x: Pair) -> Pair:
    """-x."""
    return w.neg(x[0]), w.neg(x[1])


def chosen(w: Vectors, condition: str, x: Pair, y: Pair) -> Pair:
    """x where a condition holds, else y."""
    return w.select(condition, x[0], y[0]), w.select(condition, x[1], y[1])


def root(w: Vectors, x: Pair) -> Pair:
    """The square root of x >= 0."""
    first = w.sqrt(x[0])
    square, lost = multiplied(w, first, first)
    rest = w.add(w.sub(w.sub(x[0], square), lost), x[1])
    correction = w.div(rest, w.add(first, first))
    return settled(w, first, w.select(w.compare("ogt", first, w.number(0.0)), correction, first))


def log(w: Vectors, x: Pair) -> Pair:
    """The natural logarithm of positive numbers, subnormal ones included, to 2^-70 of it.

    k ln 2 + 2 artanh s, where s = (m - 1) / (m + 1) and the first float is m 2^k; the powers of s up to the fifth in
    pairs. What the second adds is its part of the first.
    """
    small = w.compare("olt", x[0], w.number(2.0**-1022))
    y = w.select(small, w.mul(x[0], w.number(2.0**54)), x[0])
    root_half = 0x3FE6A09E667F3BCD
    moved = w.iop("sub", w.to_bits(y), w.integer(root_half))
    k = w.to_float(w.iop("ashr", moved, w.integer(52)))
    k = w.select(small, w.sub(k, w.number(54.0)), k)
    m = w.from_bits(w.iop("add", w.iop("and", moved, w.integer((1 << 52) - 1)), w.integer(root_half)))
    s = over(w, (w.sub(m, w.number(1.0)), w.number(0.0)), added(w, m, w.number(1.0)))
    square = times(w, s, s)
    series = added(w, w.number(TWO_FIFTHS[0]), w.mul(square[0], w.poly(square[0], ARTANH)))
    series = series[0], w.add(series[1], w.number(TWO_FIFTHS[1]))
    series = plus(w, times(w, series, square), numbers(w, TWO_THIRDS))
    rest = times(w, times(w, series, square), s)
    whole = w.mul(k, w.number(wide.LN2_HIGH)), w.mul(k, w.number(wide.LN2_LOW))
    total = plus(w, whole, plus(w, (w.add(s[0], s[0]), w.add(s[1], s[1])), rest))
    return total[0], w.add(total[1], w.div(x[1], x[0]))


def exp(w: Vectors, x: Pair) -> tuple[Pair, str, str]:
    """e^x = pair * 2^n: the pair, n as a float and as an integer."""
    n, k = w.rounded(x[0], 1.4426950408889634)
    # The first product is exact, and so is the difference.
    r = w.fma(n, w.number(-wide.LN2_HIGH), x[0])
    r, rest = added(w, r, w.fma(n, w.number(-wide.LN2_LOW), x[1]))
    total, lost = settled(w, w.number(1.0), r)
    tail = w.mul(w.mul(r, r), w.poly(r, wide.EXP))
    return settled(w, total, w.add(w.fma(rest, total, lost), tail)), n, k
