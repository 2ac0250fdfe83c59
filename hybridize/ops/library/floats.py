# SPDX-License-Identifier: Apache-2.0
"""Floats by their parts: the next one, the mantissa with the exponent, and a float of both."""

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
    max,
    min,
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
from hybridize.ops.views import cast, like, wide

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
    neighbour = where(eq(x, like(0, x)), least, stepped)
    neighbour = where(eq(x, towards), towards, neighbour)
    return where(bit_or(ne(x, x), ne(towards, towards)), add(x, towards), neighbour)


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
    mantissa = where(plain, div(div(normal, _power(half, x)), _power(sub(exponent, half), x)), x)
    exponent = where(plain, where(small, sub(exponent, like(64, bits)), exponent), like(0, bits))
    return cast(mantissa, dtype), cast(exponent, int32)


def _power(exponent: Operand, of: Operand) -> Operand:
    """2 to the power of integers that are exponents of normal floats, in the dtype of `of`."""
    dtype = type_of(of).dtype
    width, offset = _FORM[dtype]
    return bitcast(shift_left(add(exponent, like(offset, exponent)), like(width, exponent)), dtype)


@composite("ldexp")
def scaled(x: Operand, exponent: Operand) -> Operand:
    """Return x 2^exponent of floats and integers of one shape, rounded once; beyond the floats infinite, or 0."""
    dtype = type_of(x).dtype
    x = cast(x, wide(dtype))
    width, offset = _FORM[type_of(x).dtype]
    if type_of(exponent).dtype.itemsize > 4:
        exponent = min(max(exponent, like(-8 * offset if type_of(exponent).dtype.kind == "i" else 0, exponent)),
                       like(8 * offset, exponent))  # fmt: skip
    left = cast(exponent, _WORD[type_of(x).dtype])
    # Steps whose product is exact, until a power is left that is a float: only the last product rounds.
    for _ in range(2):
        down = where(lt(left, like(1 - offset, left)), like(1 - offset + width + 1, left), like(0, left))
        step = where(gt(left, like(offset, left)), like(offset, left), down)
        x, left = mul(x, _power(step, x)), sub(left, step)
    last = min(max(left, like(1 - offset, left)), like(offset, left))
    return cast(mul(x, _power(last, x)), dtype)
