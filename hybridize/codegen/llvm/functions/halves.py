# SPDX-License-Identifier: Apache-2.0
"""float16 and bfloat16: bits in memory, `float`s that hold a value of the narrow type in registers.

LLVM's own types for them become calls into a compiler's run-time library, element by element, wherever the machine
lacks an instruction, and fail to compile for some machines. So only conversions between float16 and float32 use them,
where the target has the instruction; all else is integer arithmetic on whole vectors, rounding to nearest even.
"""

from __future__ import annotations

from hybridize.base.dtypes import DType, float16, float32, float64
from hybridize.codegen.llvm.functions.vectors import Registers
from hybridize.codegen.llvm.text import Function, vector


def widened(f: Function, bits: str, dtype: DType, lanes: int) -> str:
    """i16 as `float`."""
    w = _Words(f, lanes)
    if dtype != float16:
        return w.from_bits(w.iop("shl", w.from_short(bits), 16))
    if f.module.halves:
        short, half = vector("i16", lanes), vector("half", lanes)
        return f.op(f"fpext {half} {f.op(f'bitcast {short} {bits} to {half}')} to {w.type}")
    return _widened_half(w, bits)


def shortened(f: Function, value: str, dtype: DType, lanes: int) -> str:
    """`float` rounded to i16; NaN stays NaN."""
    w = _Words(f, lanes)
    if dtype != float16:
        return w.to_short(w.iop("lshr", _rounded_bfloat(w, value), 16))
    if f.module.halves:
        half = vector("half", lanes)
        return f.op(f"bitcast {half} {f.op(f'fptrunc {w.type} {value} to {half}')} to {vector('i16', lanes)}")
    return _shortened_half(w, value)


def rounded(f: Function, value: str, dtype: DType, lanes: int) -> str:
    """`float` rounded to the narrow type, still as a `float`."""
    if dtype != float16:
        w = _Words(f, lanes)
        return w.from_bits(w.iop("and", _rounded_bfloat(w, value), -65536))
    return widened(f, shortened(f, value, dtype, lanes), dtype, lanes)


def exact(f: Function, value: str, dtype: DType, lanes: int) -> str:
    """`float` that holds a value of the narrow type, as i16."""
    if dtype == float16:
        return shortened(f, value, dtype, lanes)
    w = _Words(f, lanes)
    return w.to_short(w.iop("lshr", w.to_bits(value), 16))


def rounded_to_odd(f: Function, value: str, lanes: int) -> str:
    """`double` as `float`, discarded bits kept in the last one: rounding that once more rounds only once in all."""
    w = _Words(f, lanes)
    single = w.narrowed(value)
    back = w.widened(single)
    wide = Registers(f, float64, lanes)
    over = wide.compare("ogt", wide.abs(back), wide.abs(value))
    same = wide.compare("ueq", back, value)
    bits = w.to_bits(single)
    odd = w.iop("or", w.choose(over, w.iop("sub", bits, 1), bits), 1)
    return w.from_bits(w.choose(same, bits, odd))


class _Words(Registers):
    """Floats of 32 bits and their bits."""

    def __init__(self, f: Function, lanes: int) -> None:
        super().__init__(f, float32, lanes)

    def from_short(self, bits: str) -> str:
        return self.f.op(f"zext {vector('i16', self.lanes)} {bits} to {self.itype}")

    def to_short(self, bits: str) -> str:
        return self.f.op(f"trunc {self.itype} {bits} to {vector('i16', self.lanes)}")


def _rounded_bfloat(w: _Words, value: str) -> str:
    """Bits whose upper half is `value` rounded to bfloat16; the machine's own instruction would drop subnormals."""
    raw = w.to_bits(value)
    odd = w.iop("and", w.iop("lshr", raw, 16), 1)
    nearest = w.iop("add", raw, w.iop("add", odd, 32767))
    nan = w.compare("uno", value, value)
    return w.choose(nan, w.iop("or", raw, 0x400000), nearest)


def _widened_half(w: _Words, bits: str) -> str:
    """The exponent moves up by 112; infinity and NaN have the largest one; subnormals are integers times 2^-24."""
    wide = w.from_short(bits)
    size = w.iop("and", wide, 0x7FFF)
    fraction = w.iop("shl", size, 13)
    normal = w.iop("add", fraction, 112 << 23)
    large = w.choose(w.iop("icmp sge", size, 0x7C00), w.iop("or", fraction, 0x7F800000), normal)
    small = w.to_bits(w.mul(w.to_float(size), w.number(2.0**-24)))
    sign = w.iop("shl", w.iop("and", wide, 0x8000), 16)
    return w.from_bits(w.iop("or", w.choose(w.iop("icmp slt", size, 0x400), small, large), sign))


def _shortened_half(w: _Words, value: str) -> str:
    """The exponent moves down by 112 and 13 bits are rounded off; the float adder rounds what becomes subnormal."""
    bits = w.to_bits(value)
    size = w.iop("and", bits, 0x7FFFFFFF)
    # Adding 0.5 leaves the bits of a subnormal at the bottom of the significand.
    small = w.iop("sub", w.to_bits(w.add(w.from_bits(size), w.number(0.5))), 0x3F000000)
    odd = w.iop("and", w.iop("lshr", size, 13), 1)
    normal = w.iop("lshr", w.iop("add", w.iop("add", size, 0xFFF - (112 << 23)), odd), 13)
    result = w.choose(w.iop("icmp slt", size, 113 << 23), small, normal)
    result = w.choose(w.iop("icmp sge", size, 143 << 23), 0x7C00, result)
    result = w.choose(w.iop("icmp sgt", size, 0x7F800000), 0x7E00, result)
    return w.to_short(w.iop("or", result, w.iop("and", w.iop("lshr", bits, 16), 0x8000)))
