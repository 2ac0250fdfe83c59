# SPDX-License-Identifier: Apache-2.0
"""Sine, cosine and tangent of float64, of any angle, for one lane: where there is no C library to ask.

An angle is k pi/2 + r with |r| <= pi/4 a sum of two floats. Up to 2^20, pi/2 in four parts is taken away k times. Of
others the quarter turns are a product of integers, as in `turns`: 53 bits times 192 bits of 2 / pi, modulo 4.
"""

from __future__ import annotations

import itertools
import math
from typing import Final

from hybridize.codegen.llvm.functions.pairs import Pair, added, minus, multiplied, numbers, over, settled, times
from hybridize.codegen.llvm.functions.vectors import Vectors
from hybridize.codegen.llvm.functions.wide import COS, SIN

TWO_OVER_PI: Final = (
    0xA2F9836E4E441529, 0xFC2757D1F534DDC0, 0xDB6295993C439041, 0xFE5163ABDEBBC561, 0xB7246E3A424DD2E0,
    0x06492EEA09D1921C, 0xFE1DEB1CB129A73E, 0xE88235F52EBB4484, 0xE99C7026B45F7E41, 0x3991D639835339F4,
    0x9C845F8BBDF9283B, 0x1FF897FFDE05980F, 0xEF2F118B5A0A6D1F, 0x6D367ECF27CB09B7, 0x4F463F669E5FEA2D,
    0x7527BAC7EBE5F17B, 0x3D0739F78A5292EA, 0x6BFB5FB11F8D5D08, 0x56033046FC7B6BAB, 0xF0CFBC209AF4361D,
)  # fmt: skip
"""The bits of 2 / pi behind the point, in words of 64."""
HALF_PI: Final = (1.5707963267341256, 6.077100506303966e-11, 2.0222662487111665e-21, 8.4784276603689e-32)
"""pi/2 in parts, the first three of 33 bits: their products with up to 2^20 quarter turns are exact."""
HALF_PI_PAIR: Final = (math.pi / 2, 6.123233995736766e-17)
FAR: Final = 2.0**20


def _quarter_turns(w: Vectors, x: str) -> tuple[Pair, str]:
    """The rest of an angle, and the number of its quarter turns as an i64."""
    f = w.f
    far = w.f.op(f"xor i1 {w.compare('ole', w.abs(x), w.number(FAR))}, true")
    beyond, after, start = f.fresh("far"), f.fresh("after"), f.label
    inside = w.select(far, w.number(0.0), x)
    n, k = w.rounded(inside, 2 / math.pi)
    rest, lost = w.fma(n, w.number(-HALF_PI[0]), inside), w.number(0.0)
    for part in HALF_PI[1:3]:
        rest, more = added(w, rest, w.mul(n, w.number(-part)))
        lost = w.add(lost, more)
    near = settled(w, rest, w.fma(n, w.number(-HALF_PI[3]), lost))
    f.branch(far, beyond, after, begin=beyond)
    distant, turns = _far_quarter_turns(w, x)
    end = f.label
    f.enter(after)
    first, second = (
        f.op(f"phi double [ {one}, %{start} ], [ {other}, %{end} ]") for one, other in zip(near, distant, strict=True)
    )
    return (first, second), f.op(f"phi i64 [ {k}, %{start} ], [ {turns}, %{end} ]")


def _far_quarter_turns(w: Vectors, x: str) -> tuple[Pair, str]:
    """The same of an angle beyond `FAR`; NaN for one that is none."""
    f = w.f

    def op(word: str, a: str, b: str | int) -> str:
        return f.op(f"{word} i64 {a}, {b}")

    funnel = f.module.declare("llvm.fshl.i64", "i64", ["i64"] * 3)

    def shifted(high: str, low: str, by: str) -> str:
        return f.op(f"call i64 {funnel}(i64 {high}, i64 {low}, i64 {by})")

    raw = w.to_bits(x)
    mantissa = op("or", op("and", raw, (1 << 52) - 1), 1 << 52)
    exponent = op("and", op("lshr", raw, 52), 0x7FF)
    # Word 0 is zeros. The window begins with the bit whose weight is 2 when the point is where x has it.
    place = f.between(op("sub", exponent, 1023 + 52 - 62), 0, 64 * (len(TWO_OVER_PI) - 2) - 1)
    words = ", ".join(f"i64 {word}" for word in (0, *TWO_OVER_PI))
    table = f.module.constant("two_over_pi.long", f"[{len(TWO_OVER_PI) + 1} x i64]", f"[{words}]")
    start, shift = f.element(table, op("lshr", place, 6)), op("and", place, 63)
    four = [f.load(start, 8 * number) for number in range(4)]
    a, b, c = (shifted(high, low, shift) for high, low in itertools.pairwise(four))
    middle, carried = op("mul", mantissa, b), _upper(w, mantissa, c)
    low = op("add", middle, carried)
    carry = f.op(f"zext i1 {f.test('ult', low, carried)} to i64")
    high = op("add", op("add", op("mul", mantissa, a), _upper(w, mantissa, b)), carry)
    quarter = op("lshr", op("add", high, 1 << 61), 62)
    high = op("sub", high, op("shl", quarter, 62))
    # The magnitude of the rest, a number of 128 bits, and its first 53 bits and 64 more.
    below = f.test("slt", high, 0)
    borrow = f.op(f"zext i1 {f.test('ne', low, 0)} to i64")
    high = f.op(f"select i1 {below}, i64 {op('sub', op('sub', '0', high), borrow)}, i64 {high}")
    low = f.op(f"select i1 {below}, i64 {op('sub', '0', low)}, i64 {low}")
    short = f.test("eq", high, 0)
    high = f.op(f"select i1 {short}, i64 {low}, i64 {high}")
    low = f.op(f"select i1 {short}, i64 0, i64 {low}")
    zeros = f.module.declare("llvm.ctlz.i64", "i64", ["i64", "i1"])
    count = op("and", f.op(f"call i64 {zeros}(i64 {high}, i1 false)"), 63)
    high, low = shifted(high, low, count), op("shl", low, count)
    first = f.op(f"uitofp i64 {op('lshr', high, 11)} to double")
    second = f.op(f"uitofp i64 {op('or', op('shl', high, 53), op('lshr', low, 11))} to double")
    away = op("add", count, f.op(f"select i1 {short}, i64 64, i64 0"))
    unit = w.power_of_two(op("sub", "-51", away))
    turned = w.mul(first, unit), w.mul(w.mul(second, w.number(2.0**-64)), unit)
    rest = times(w, turned, numbers(w, HALF_PI_PAIR))
    down = f.op(f"xor i1 {below}, {f.test('slt', raw, 0)}")
    nothing = w.sub(x, x)  # NaN of what is no number
    rest = (
        w.add(w.select(down, w.neg(rest[0]), rest[0]), nothing),
        w.select(down, w.neg(rest[1]), rest[1]),
    )
    return rest, f.op(f"select i1 {f.test('slt', raw, 0)}, i64 {op('sub', '0', quarter)}, i64 {quarter}")


def _upper(w: Vectors, x: str, y: str) -> str:
    """The upper half of a product."""
    f = w.f
    x, y = (f.op(f"zext i64 {one} to i128") for one in (x, y))
    whole = f.op(f"mul i128 {x}, {y}")
    return f.op(f"trunc i128 {f.op(f'lshr i128 {whole}, 64')} to i64")


def _sine(w: Vectors, r: Pair) -> Pair:
    z = w.mul(r[0], r[0])
    slope = w.fma(z, w.number(-0.5), w.number(1.0))
    return settled(w, r[0], w.fma(w.mul(w.poly(z, SIN), z), r[0], w.mul(r[1], slope)))


def _cosine(w: Vectors, r: Pair) -> Pair:
    z, lost = multiplied(w, r[0], r[0])
    half = w.mul(z, w.number(0.5))
    first, rest = settled(w, w.number(1.0), w.neg(half))
    rest = w.fma(lost, w.number(-0.5), rest)
    small = w.fma(w.mul(w.poly(z, COS[:-1]), z), z, w.fma(r[0], w.neg(r[1]), rest))
    return settled(w, first, small)


def _circular(w: Vectors, x: str, turn: int) -> str:
    """sin(x + turn pi/2)."""
    r, k = _quarter_turns(w, x)
    if turn:
        k = w.iop("add", k, turn)
    odd = w.iop("icmp ne", w.iop("and", k, 1), 0)
    y = w.select(odd, w.add(*_cosine(w, r)), w.add(*_sine(w, r)))
    return w.from_bits(w.iop("xor", w.to_bits(y), w.iop("shl", w.iop("and", k, 2), 62)))


def sin(w: Vectors, x: str) -> str:
    """Sine."""
    return w.select(w.compare("oeq", x, w.number(0.0)), x, _circular(w, x, 0))


def cos(w: Vectors, x: str) -> str:
    """Cosine."""
    return _circular(w, x, 1)


def tan(w: Vectors, x: str) -> str:
    """Tangent."""
    r, k = _quarter_turns(w, x)
    sine, cosine = _sine(w, r), _cosine(w, r)
    odd = w.iop("icmp ne", w.iop("and", k, 1), 0)
    turned = minus(w, cosine)
    above = w.select(odd, turned[0], sine[0]), w.select(odd, turned[1], sine[1])
    below = w.select(odd, sine[0], cosine[0]), w.select(odd, sine[1], cosine[1])
    return w.select(w.compare("oeq", x, w.number(0.0)), x, w.add(*over(w, above, below)))
