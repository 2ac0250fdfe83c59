# SPDX-License-Identifier: Apache-2.0
"""The remainder of a division of floats, exact, by long division of their bits: where there is no C library."""

from __future__ import annotations

from hybridize.base.dtypes import float32
from hybridize.codegen.llvm.functions.vectors import Vectors


def fmod(v: Vectors, x: str, y: str) -> str:
    """x - y times the whole part of x / y, with the sign of x, of one lane; NaN for an infinite x, and for a y of 0."""
    f = v.f
    bits, mantissa = (32, 23) if v.dtype == float32 else (64, 52)
    kind, one = f"i{bits}", 1 << mantissa
    largest = ((1 << (bits - 1)) - 1) ^ (one - 1)
    """The bits of infinity."""

    def op(word: str, a: str, b: str | int) -> str:
        return f.op(f"{word} {kind} {a}, {b}")

    def select(condition: str, a: str, b: str) -> str:
        return f.op(f"select i1 {condition}, {kind} {a}, {kind} {b}")

    def shift_of(magnitude: str) -> str:
        """By how much the highest bit of a magnitude is below that of a normal number."""
        zeros = f.module.declare(f"llvm.ctlz.{kind}", kind, [kind, "i1"])
        count = f.op(f"call {kind} {zeros}({kind} {magnitude}, i1 false)")
        return op("sub", count, bits - 1 - mantissa)

    def parts(magnitude: str) -> tuple[str, str]:
        """(exponent, mantissa with its highest bit); those of numbers below the normal ones, too."""
        exponent = op("lshr", magnitude, mantissa)
        normal = f.op(f"icmp ne {kind} {exponent}, 0")
        shift = shift_of(magnitude)
        whole = op("or", op("and", magnitude, one - 1), one)
        small = op("shl", magnitude, shift)
        return select(normal, exponent, op("sub", "1", shift)), select(normal, whole, small)

    raw_x, raw_y = (f.op(f"bitcast {v.type} {one_of} to {kind}") for one_of in (x, y))
    size_x, size_y = (op("and", raw, (1 << (bits - 1)) - 1) for raw in (raw_x, raw_y))
    sign = op("xor", raw_x, size_x)
    (exponent, start), (least, divisor) = parts(size_x), parts(size_y)
    turns = op("sub", exponent, least)
    count = turns if bits == 64 else f.op(f"sext i32 {turns} to i64")

    def less(rest: str) -> str:
        """A rest from which the divisor is taken, if it fits."""
        return select(f.op(f"icmp uge {kind} {rest}, {divisor}"), op("sub", rest, divisor), rest)

    with f.loop("0", count, 1, [(kind, start)]) as loop:
        loop.following = [op("shl", less(loop.values[0]), 1)]
    rest = less(loop.results[0])
    shift = shift_of(rest)
    place = op("sub", least, shift)
    whole = op("or", op("and", op("shl", rest, shift), one - 1), op("shl", place, mantissa))
    below = op("sub", "1", place)
    shifted = op("shl", rest, shift)
    small = op("lshr", shifted, select(f.op(f"icmp ult {kind} {below}, {bits}"), below, str(bits - 1)))
    result = select(f.op(f"icmp sgt {kind} {place}, 0"), whole, small)
    result = select(f.op(f"icmp eq {kind} {rest}, 0"), "0", result)
    result = op("or", select(f.op(f"icmp ult {kind} {size_x}, {size_y}"), size_x, result), sign)
    value = f.op(f"bitcast {kind} {result} to {v.type}")
    is_number = f.op(
        f"and i1 {f.op(f'icmp ult {kind} {size_x}, {largest}')}, {f.op(f'icmp ule {kind} {size_y}, {largest}')}"
    )
    is_number = f.op(f"and i1 {is_number}, {f.op(f'icmp ne {kind} {size_y}, 0')}")
    return f.op(f"select i1 {is_number}, {v.type} {value}, {v.type} {v.number(float('nan'))}")
