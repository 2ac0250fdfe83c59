# SPDX-License-Identifier: Apache-2.0
"""float16 and bfloat16: bits in memory, `float`s that hold a value of the narrow type in registers.

LLVM's own types for them become calls into a compiler's run-time library, element by element, wherever the machine
lacks an instruction, and fail to compile for some machines. So only conversions between float16 and float32 use them,
where the target has the instruction; all else is integer arithmetic on whole vectors, rounding to nearest even.
"""

from __future__ import annotations

from hybridize.base.dtypes import DType, float16, float32
from hybridize.base.frozen import frozen
from hybridize.codegen.llvm.text import Function, splat, vector


def widened(f: Function, bits: str, dtype: DType, lanes: int) -> str:
    """i16 as `float`."""
    w = _Words(f, lanes)
    if dtype != float16:
        return w.as_float(w.op("shl", w.from_short(bits), 16))
    if f.module.halves:
        short, half = vector("i16", lanes), vector("half", lanes)
        return f.op(f"fpext {half} {f.op(f'bitcast {short} {bits} to {half}')} to {w.single}")
    return _widened_half(w, bits)


def shortened(f: Function, value: str, dtype: DType, lanes: int) -> str:
    """`float` rounded to i16; NaN stays NaN."""
    w = _Words(f, lanes)
    if dtype != float16:
        return w.to_short(w.op("lshr", _rounded_bfloat(w, value), 16))
    if f.module.halves:
        half = vector("half", lanes)
        return f.op(f"bitcast {half} {f.op(f'fptrunc {w.single} {value} to {half}')} to {vector('i16', lanes)}")
    return _shortened_half(w, value)


def rounded(f: Function, value: str, dtype: DType, lanes: int) -> str:
    """`float` rounded to the narrow type, still as a `float`."""
    if dtype != float16:
        w = _Words(f, lanes)
        return w.as_float(w.op("and", _rounded_bfloat(w, value), -65536))
    return widened(f, shortened(f, value, dtype, lanes), dtype, lanes)


def exact(f: Function, value: str, dtype: DType, lanes: int) -> str:
    """`float` that holds a value of the narrow type, as i16."""
    if dtype == float16:
        return shortened(f, value, dtype, lanes)
    w = _Words(f, lanes)
    return w.to_short(w.op("lshr", w.bits_of(value), 16))


def rounded_to_odd(f: Function, value: str, lanes: int) -> str:
    """`double` as `float`, discarded bits kept in the last one: rounding that once more rounds only once in all."""
    w = _Words(f, lanes)
    double = vector("double", lanes)
    single = f.op(f"fptrunc {double} {value} to {w.single}")
    back = f.op(f"fpext {w.single} {single} to {double}")
    suffix = f"v{lanes}f64" if lanes > 1 else "f64"
    fabs = f.module.declare(f"llvm.fabs.{suffix}", double, [double])
    sizes = [f.op(f"call {double} {fabs}({double} {x})") for x in (back, value)]
    over = f.op(f"fcmp ogt {double} {sizes[0]}, {sizes[1]}")
    same = f.op(f"fcmp ueq {double} {back}, {value}")
    bits = w.bits_of(single)
    odd = w.op("or", w.select(over, w.op("sub", bits, 1), bits), 1)
    return w.as_float(w.select(same, bits, odd))


@frozen
class _Words:
    """Arithmetic on i32, the bits of `float`s."""

    f: Function
    lanes: int

    @property
    def type(self) -> str:
        return vector("i32", self.lanes)

    @property
    def single(self) -> str:
        return vector("float", self.lanes)

    def number(self, value: int | str) -> str:
        if isinstance(value, str):
            return value
        return str(value) if self.lanes == 1 else f"splat (i32 {value})"

    def op(self, word: str, x: str, y: int | str) -> str:
        """An instruction, or a comparison; the second operand may be a number."""
        return self.f.op(f"{word} {self.type} {x}, {self.number(y)}")

    def select(self, condition: str, then: int | str, orelse: str) -> str:
        flags = vector("i1", self.lanes)
        return self.f.op(f"select {flags} {condition}, {self.type} {self.number(then)}, {self.type} {orelse}")

    def bits_of(self, value: str) -> str:
        return self.f.op(f"bitcast {self.single} {value} to {self.type}")

    def as_float(self, bits: str) -> str:
        return self.f.op(f"bitcast {self.type} {bits} to {self.single}")

    def from_short(self, bits: str) -> str:
        return self.f.op(f"zext {vector('i16', self.lanes)} {bits} to {self.type}")

    def to_short(self, bits: str) -> str:
        return self.f.op(f"trunc {self.type} {bits} to {vector('i16', self.lanes)}")

    def float_op(self, word: str, x: str, y: float) -> str:
        return self.f.op(f"{word} {self.single} {x}, {splat(y, float32, self.lanes)}")


def _rounded_bfloat(w: _Words, value: str) -> str:
    """Bits whose upper half is `value` rounded to bfloat16; the machine's own instruction would drop subnormals."""
    raw = w.bits_of(value)
    odd = w.op("and", w.op("lshr", raw, 16), 1)
    nearest = w.op("add", raw, w.op("add", odd, 32767))
    nan = w.f.op(f"fcmp uno {w.single} {value}, {value}")
    return w.select(nan, w.op("or", raw, 0x400000), nearest)


def _widened_half(w: _Words, bits: str) -> str:
    """The exponent moves up by 112; infinity and NaN have the largest one; subnormals are integers times 2^-24."""
    wide = w.from_short(bits)
    size = w.op("and", wide, 0x7FFF)
    fraction = w.op("shl", size, 13)
    normal = w.op("add", fraction, 112 << 23)
    large = w.select(w.op("icmp sge", size, 0x7C00), w.op("or", fraction, 0x7F800000), normal)
    count = w.f.op(f"sitofp {w.type} {size} to {w.single}")
    small = w.bits_of(w.float_op("fmul", count, 2.0**-24))
    sign = w.op("shl", w.op("and", wide, 0x8000), 16)
    return w.as_float(w.op("or", w.select(w.op("icmp slt", size, 0x400), small, large), sign))


def _shortened_half(w: _Words, value: str) -> str:
    """The exponent moves down by 112 and 13 bits are rounded off; the float adder rounds what becomes subnormal."""
    bits = w.bits_of(value)
    size = w.op("and", bits, 0x7FFFFFFF)
    # Adding 0.5 leaves the bits of a subnormal at the bottom of the significand.
    small = w.op("sub", w.bits_of(w.float_op("fadd", w.as_float(size), 0.5)), 0x3F000000)
    odd = w.op("and", w.op("lshr", size, 13), 1)
    normal = w.op("lshr", w.op("add", w.op("add", size, 0xFFF - (112 << 23)), odd), 13)
    result = w.select(w.op("icmp slt", size, 113 << 23), small, normal)
    result = w.select(w.op("icmp sge", size, 143 << 23), 0x7C00, result)
    result = w.select(w.op("icmp sgt", size, 0x7F800000), 0x7E00, result)
    return w.to_short(w.op("or", result, w.op("and", w.op("lshr", bits, 16), 0x8000)))
