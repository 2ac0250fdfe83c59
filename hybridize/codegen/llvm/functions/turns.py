# SPDX-License-Identifier: Apache-2.0
"""Quarter turns of large angles, by integers (Payne and Hanek): where there is no C library to ask.

A float32 is m 2^e with an integer m of 24 bits. Of 2 / pi times 2^e only the bits below 4 count, as 4 quarter turns are
none; m times 96 of these, modulo 4, has a fraction of more bits than any float32 comes close to a quarter turn.
"""

from __future__ import annotations

import math
from typing import Final

from hybridize.codegen.llvm.functions.vectors import Vectors

TWO_OVER_PI: Final = (
    0xA2F9836E, 0x4E441529, 0xFC2757D1, 0xF534DDC0, 0xDB629599, 0x3C439041, 0xFE5163AB, 0xDEBBC561,
)  # fmt: skip
"""The bits of 2 / pi behind the point, in words of 32."""


def far_quarter_turns(w: Vectors, x: str) -> tuple[str, str]:
    """x as k pi/2 + r with |r| <= pi/4, as doubles; of one lane, a float32 of 2^20 or more, or less than -2^20."""
    f = w.f

    def op(word: str, a: str, b: str | int) -> str:
        return f.op(f"{word} i64 {a}, {b}")

    raw = f.op(f"bitcast double {x} to i64")
    mantissa = op("or", op("lshr", op("and", raw, (1 << 52) - 1), 29), 1 << 23)
    exponent = op("sub", op("and", op("lshr", raw, 52), 0x7FF), 1023 + 23)
    # Word 0 is zeros. The window begins with the bit whose weight is 2 after the multiplication by 2^e.
    place = f.between(op("add", exponent, 30), 0, 32 * (len(TWO_OVER_PI) - 3) + 31)
    shift = op("and", place, 31)
    words = ", ".join(f"i32 {word}" for word in (0, *TWO_OVER_PI))
    table = f.module.constant("two_over_pi", f"[{len(TWO_OVER_PI) + 1} x i32]", f"[{words}]")
    start = f.element(table, op("lshr", place, 5), "i32")
    high, low = (_pair(w, f.at(start, offset)) for offset in (0, 8))
    funnel = f.module.declare("llvm.fshl.i64", "i64", ["i64"] * 3)
    upper = f.op(f"call i64 {funnel}(i64 {high}, i64 {low}, i64 {shift})")
    lower = op("lshr", op("shl", low, shift), 32)
    turns = op("add", op("mul", mantissa, upper), op("lshr", op("mul", mantissa, lower), 32))
    quarter = op("lshr", op("add", turns, 1 << 61), 62)
    rest = f.op(f"sitofp i64 {op('sub', turns, op('shl', quarter, 62))} to double")
    r = w.mul(rest, w.number(math.pi / 2 * 2.0**-62))
    negative = f.op(f"icmp slt i64 {raw}, 0")
    r = f.op(f"select i1 {negative}, double {w.neg(r)}, double {r}")
    quarter = f.op(f"select i1 {negative}, i64 {op('sub', '0', quarter)}, i64 {quarter}")
    return w.add(r, w.sub(x, x)), quarter  # NaN for infinite angles


def _pair(w: Vectors, pointer: str) -> str:
    """Two words of the table as one."""
    f = w.f
    first, second = (f.op(f"zext i32 {f.load(pointer, offset, 'i32')} to i64") for offset in (0, 4))
    return f.op(f"or i64 {f.op(f'shl i64 {first}, 32')}, {second}")
