# SPDX-License-Identifier: Apache-2.0
"""Floats by their parts: the next one, and the mantissa with the exponent."""

from __future__ import annotations

from hybridize.base.dtypes import DType, bfloat16, float16, float32, float64, int16, int32, int64
from hybridize.ops.analysis import isfinite
from hybridize.ops.arithmetic import (
    abs,
    add,
    bit_and,
    bit_or,
    div,
    eq,
    gt,
    lt,
    mul,
    ne,
    shift_left,
    shift_right,
    sub,
    where,
)
from hybridize.ops.bits import bitcast
from hybridize.ops.composite import composite
from hybridize.ops.op import Operand, type_of
from hybridize.ops.powers import copysign
from hybridize.ops.views import cast, like

_WORD: dict[DType, DType] = {float64: int64, float32: int32, float16: int16, bfloat16: int16}
_FORM: dict[DType, tuple[int, int]] = {float64: (52, 1023), float32: (23, 127)}
"""The width of the mantissa, and what is added to the exponent."""


@composite("nextafter")
def next_after(x: Operand, towards: Operand) -> Operand:
    """Return the float beside `x` in the direction of another of its dtype, which is itself where they are equal."""
    dtype = type_of(x).dtype
    word = _WORD[dtype]
    bits = bitcast(x, word)
    up = eq(gt(towards, x), gt(x, like(0, x)))  # away from 0
    stepped = bitcast(add(bits, where(up, like(1, bits), like(-1, bits))), dtype)
    least = copysign(bitcast(like(1, bits), dtype), towards)
    found = where(eq(x, like(0, x)), least, stepped)
    found = where(eq(x, towards), towards, found)
    return where(bit_or(ne(x, x), ne(towards, towards)), add(x, towards), found)


@composite("frexp")
def mantissa_and_exponent(x: Operand) -> tuple[Operand, Operand]:
    """Return (m, e) with x = m 2^e and m from 1/2 to 1, e as int32; what is 0, infinite or NaN is its own mantissa."""
    dtype = type_of(x).dtype
    x = cast(x, float32) if dtype in (float16, bfloat16) else x
    width, offset = _FORM[type_of(x).dtype]
    plain = bit_and(isfinite(x), gt(abs(x), like(0, x)))
    small = lt(abs(x), bitcast(like(1 << width, bitcast(x, _WORD[type_of(x).dtype])), type_of(x).dtype))
    normal = where(plain, where(small, mul(x, like(2.0**64, x)), x), like(1, x))
    bits = bitcast(normal, _WORD[type_of(x).dtype])
    field = bit_and(shift_right(bits, like(width, bits)), like(2 * offset + 1, bits))
    exponent = sub(field, like(offset - 1, bits))
    # 2^exponent may be no float, but the powers of both its halves are.
    half = shift_right(exponent, like(1, bits))
    power = [
        bitcast(shift_left(add(part, like(offset, bits)), like(width, bits)), type_of(x).dtype)
        for part in (half, sub(exponent, half))
    ]
    mantissa = where(plain, div(div(normal, power[0]), power[1]), x)
    exponent = where(plain, where(small, sub(exponent, like(64, bits)), exponent), like(0, bits))
    return cast(mantissa, dtype), cast(exponent, int32)
