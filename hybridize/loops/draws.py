# SPDX-License-Identifier: Apache-2.0
"""Formulas of random numbers, written once: over NumPy arrays for imperative code, over expressions for machine code.

A rejection method decides by the last bits of its formulas. So these are made of operations that IEEE 754 rounds in one
way only (no library's logarithm, no contraction), in the order that stands here: both give the same numbers, to the
bit. Numbers are whatever has Python's operators; an `ExactArithmetic` knows the rest. Where a result is nobody else's,
the operators are `+=` and its like, which write over an array, and give a new expression.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Protocol

from hybridize.base.dtypes import DType, float32, float64, int32, int64, uint32, uint64
from hybridize.base.frozen import frozen
from hybridize.loops.expr import Expr, call, cast, const, select

Number = Any
"""A NumPy array, or a `Term`."""

_MULTIPLIERS = 0xD2511F53, 0xCD9E8D57
_WEYL = 0x9E3779B9, 0xBB67AE85
_ROUNDS = 10
_MASK = (1 << 32) - 1


class ExactArithmetic(Protocol):
    """Operations on numbers besides Python's operators."""

    def halves(self, word: Number, multiplier: int) -> tuple[Number, Number]:
        """The upper and the lower 32 bits of the product of a word and a constant."""

    def word(self, total: Number) -> Number:
        """The sum of two words as a word."""

    def cast(self, x: Number, dtype: DType) -> Number:
        """`x` as another dtype."""

    def bitcast(self, x: Number, dtype: DType) -> Number:
        """The bits of `x` as those of another dtype."""

    def root(self, x: Number) -> Number:
        """The square root."""

    def choose(self, condition: Number, then: Number, orelse: Number) -> Number:
        """`then` where the condition holds, else `orelse`."""


# Expressions as numbers


class Term:
    """An expression under Python's operators; Python numbers beside it take its dtype."""

    __slots__ = ("expr",)

    def __init__(self, expr: Expr) -> None:
        self.expr: Expr = expr

    def _by(self, function: str, other: Term | complex, swapped: bool = False) -> Term:
        pair = self.expr, other.expr if isinstance(other, Term) else const(other, self.expr.dtype)
        return Term(call(function, *(pair[::-1] if swapped else pair)))

    def __add__(self, other: Term | complex) -> Term:
        return self._by("add", other)

    def __sub__(self, other: Term | complex) -> Term:
        return self._by("sub", other)

    def __rsub__(self, other: complex) -> Term:
        return self._by("sub", other, swapped=True)

    def __mul__(self, other: Term | complex) -> Term:
        return self._by("mul", other)

    def __truediv__(self, other: Term | complex) -> Term:
        return self._by("div", other)

    def __rtruediv__(self, other: complex) -> Term:
        return self._by("div", other, swapped=True)

    def __and__(self, other: Term | int) -> Term:
        return self._by("and", other)

    def __or__(self, other: Term | int) -> Term:
        return self._by("or", other)

    def __xor__(self, other: Term | int) -> Term:
        return self._by("xor", other)

    def __lshift__(self, other: int) -> Term:
        return self._by("shl", other)

    def __rshift__(self, other: int) -> Term:
        return self._by("shr", other)

    def __lt__(self, other: Term | complex) -> Term:
        return self._by("lt", other)

    def __le__(self, other: Term | complex) -> Term:
        return self._by("le", other)

    def __ge__(self, other: Term | complex) -> Term:
        return self._by("ge", other)

    def __invert__(self) -> Term:
        return Term(call("not", self.expr))


class _Terms:
    """The arithmetic of expressions; words are uint32."""

    def halves(self, word: Term, multiplier: int) -> tuple[Term, Term]:
        factor = const(multiplier, uint32)
        return Term(call("umulh", word.expr, factor)), Term(call("mul", word.expr, factor))

    def word(self, total: Term) -> Term:
        return total

    def cast(self, x: Term, dtype: DType) -> Term:
        return Term(cast(x.expr, dtype))

    def bitcast(self, x: Term, dtype: DType) -> Term:
        return Term(call("bitcast", x.expr, dtype=dtype))

    def root(self, x: Term) -> Term:
        return Term(call("sqrt", x.expr))

    def choose(self, condition: Term, then: Term, orelse: Term) -> Term:
        return Term(select(condition.expr, then.expr, orelse.expr))


TERMS: ExactArithmetic = _Terms()


# Random words


def philox(a: ExactArithmetic, counter: Sequence[Number], key: Sequence[Number]) -> list[Number]:
    """Return the four random words of a counter of four words, under a key of two: Philox4x32-10.

    Source: Salmon et al., Parallel random numbers: as easy as 1, 2, 3, SC 2011.
    """
    words, keys = list(counter), list(key)
    for _ in range(_ROUNDS):
        (high0, low0), (high1, low1) = (a.halves(words[2 * k], _MULTIPLIERS[k]) for k in range(2))
        high1 ^= words[1]
        high1 ^= keys[0]
        high0 ^= words[3]
        high0 ^= keys[1]
        words = [high1, low1, high0, low0]
        keys = [a.word(keys[k] + _WEYL[k]) for k in range(2)]
    return words


# Functions of floats


@frozen
class _Precision:
    """The format of a float in bits, and the lengths of its series."""

    dtype: DType
    whole: DType
    """Integers of the same size."""
    mantissa: int
    root_half: int
    """The bits of the square root of a half."""
    one: int
    """The bits of 1."""
    logarithm: int
    circle: int


_PRECISIONS = {
    float32: _Precision(float32, int32, 23, 0x3F3504F3, 0x3F800000, 5, 6),
    float64: _Precision(float64, int64, 52, 0x3FE6A09E667F3BCD, 0x3FF0000000000000, 11, 9),
}


def _series(z: Number, coefficients: Sequence[float]) -> Number:
    """A polynomial, by Horner's rule."""
    total: Number = z * coefficients[-1]
    for coefficient in coefficients[-2:0:-1]:
        total += coefficient
        total *= z
    total += coefficients[0]
    return total


def logarithm(a: ExactArithmetic, x: Number, dtype: DType) -> Number:
    """Return the natural logarithm of positive numbers, none of them subnormal.

    x = 2^k m with m about 1; log m = 2 artanh(s) with s = (m - 1) / (m + 1).
    """
    p = _PRECISIONS[dtype]
    bits = a.bitcast(x, p.whole) + (p.one - p.root_half)
    exponent = bits >> p.mantissa
    exponent -= p.one >> p.mantissa
    bits &= (1 << p.mantissa) - 1
    bits += p.root_half
    rest = a.bitcast(bits, dtype) - 1.0
    s = rest / (rest + 2.0)
    terms = _series(s * s, [2 / (2 * k + 1) for k in range(p.logarithm)])
    terms *= s
    whole = a.cast(exponent, dtype)
    whole *= math.log(2)
    whole += terms
    return whole


def unit(a: ExactArithmetic, words: Sequence[Number], dtype: DType) -> Number:
    """Return uniform numbers in (0, 1), at the middles of equal parts: of a word for float32, of two for float64.

    The lowest bits of the (last) word have no part in it.
    """
    p = _PRECISIONS[dtype]
    if dtype == float32:
        bits = words[0] >> 9
    else:
        high, low = (a.cast(word, uint64) for word in words)
        bits = ((high << 32) | low) >> 12
    number = a.cast(a.cast(bits, p.whole), dtype)
    number += 0.5
    number *= 2.0**-p.mantissa
    return number


def normals(
    a: ExactArithmetic, radius: Sequence[Number], angle: Sequence[Number], dtype: DType
) -> tuple[Number, Number]:
    """Return two independent standard normal numbers, by Box and Muller's method, of the words for one number each.

    The angle is from the quarter of the circle around 0; two bits that `unit` left choose the quarter.
    """
    p = _PRECISIONS[dtype]
    distance = logarithm(a, unit(a, radius, dtype), dtype)
    distance *= -2.0
    distance = a.root(distance)
    around = unit(a, angle, dtype)
    around -= 0.5
    around *= math.pi / 2
    square = around * around
    sine = _series(square, [(-1) ** k / math.factorial(2 * k + 1) for k in range(p.circle)])
    sine *= around
    cosine = _series(square, [(-1) ** k / math.factorial(2 * k) for k in range(p.circle)])
    # By bits: a choice by a condition that no processor foresees takes longer than a logarithm.
    last = a.cast(angle[-1], p.whole)
    distance *= a.cast(1 - (last & 2), dtype)
    sine, cosine = a.bitcast(sine, p.whole), a.bitcast(cosine, p.whole)
    exchanged = sine ^ cosine
    exchanged &= (last & 1) - 1
    sine ^= exchanged
    cosine ^= exchanged
    return a.bitcast(sine, dtype) * distance, a.bitcast(cosine, dtype) * distance


# Gamma numbers

_SQUEEZE = 0.0331


def candidates(
    a: ExactArithmetic, pair: Number, attempt: Number, key: tuple[Sequence[Number], Sequence[Number]], dtype: DType
) -> tuple[tuple[Number, Number], tuple[Number, Number]]:
    """Return two normal numbers, and two uniform ones to judge them by, for the elements 2 pair and 2 pair + 1.

    They are a function of the key (words of the seed, words of the stream), the pair (uint64) and the number of the
    attempt (a word, below 2^16), which are the counter of the generator: so no element depends on another one's luck.
    """
    seed, stream = key

    def block(number: Number) -> list[Number]:
        counter = a.cast(number & _MASK, uint32), a.cast(number >> 32, uint32) ^ (attempt << 16)
        return philox(a, [*counter, *stream], seed)

    if dtype == float32:
        words = block(pair)
        return normals(a, words[:1], words[1:2], dtype), (unit(a, words[2:3], dtype), unit(a, words[3:], dtype))
    words, others = block(pair << 1), block((pair << 1) | 1)
    return normals(a, words[:2], words[2:], dtype), (unit(a, others[:2], dtype), unit(a, others[2:], dtype))


def _d_and_v(a: ExactArithmetic, shape: Number, x: Number) -> tuple[Number, Number]:
    """Marsaglia and Tsang's d and v of a normal number; the candidate is d v."""
    d = shape - 1 / 3
    t = x * (1.0 / a.root(d * 9.0)) + 1.0
    return d, t * t * t


def squeezed(a: ExactArithmetic, shape: Number, x: Number, u: Number) -> tuple[Number, Number]:
    """Return a candidate for a gamma number of a shape of at least 1, and a bool: true only where it is accepted.

    Nearly all that are accepted are so by this test, which takes no logarithm. NaN is accepted.

    Source: Marsaglia and Tsang, A simple method for generating gamma variables, 2000.
    """
    d, v = _d_and_v(a, shape, x)
    square = x * x
    return d * v, (u < 1.0 - square * square * _SQUEEZE) & ~(v <= 0.0)


def judged(a: ExactArithmetic, shape: Number, x: Number, u: Number) -> tuple[Number, Number]:
    """Return a candidate, as `squeezed` does, and a bool: true exactly where it is accepted."""
    value, quickly = squeezed(a, shape, x, u)
    x, u = a.cast(x, float64), a.cast(u, float64)
    d, v = _d_and_v(a, a.cast(shape, float64), x)
    bound = x * x * 0.5 + d * (1.0 - v + logarithm(a, v, float64))
    return value, quickly | ~((v <= 0.0) | (logarithm(a, u, float64) >= bound))
