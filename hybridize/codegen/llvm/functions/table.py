# SPDX-License-Identifier: Apache-2.0
"""The scalar functions of the loop IR as LLVM instructions, for one element or a vector of them.

Registers: bool is i1, float16 and bfloat16 are `float`s that hold a value of the narrow type (each result is rounded
to it, so overflow and rounding are those of the type); all others are themselves. Transcendental functions
are `float32`'s and `float64`'s; those that have no code there are called from the C library, lane by lane.
"""

from __future__ import annotations

import functools
from collections.abc import Callable

from hybridize.base.dtypes import DType, bfloat16, bool_, float16, float32, float64, int32
from hybridize.base.errors import CodegenError
from hybridize.codegen.llvm.functions import halves
from hybridize.codegen.llvm.functions.float32 import EMITTERS
from hybridize.codegen.llvm.functions.remainders import fmod
from hybridize.codegen.llvm.functions.rounding import ROUNDINGS, rounded
from hybridize.codegen.llvm.functions.vectors import Vectors
from hybridize.codegen.llvm.text import SCALARS, Function, in_names, splat, vector
from hybridize.loops.functions import FUNCTIONS
from hybridize.machine.target import Target


def register_dtype(dtype: DType) -> DType:
    """The dtype whose registers hold values of `dtype`."""
    return float32 if dtype in (float16, bfloat16) else dtype


@functools.cache
def register(dtype: DType, lanes: int) -> str:
    """The LLVM type of a register of `lanes` elements of `dtype`."""
    return vector(SCALARS[register_dtype(dtype).name], lanes)


def constant(value: float | int | bool, dtype: DType, lanes: int) -> str:
    """A number in every lane, in register form, without its type."""
    if dtype in (float16, bfloat16):
        value = float(dtype.type(value))
    return splat(value, register_dtype(dtype), lanes)


def kind_of(dtype: DType) -> str:
    """`b`, `i`, `u` or `f`."""
    return dtype.kind if dtype.kind in "biu" else "f"


def intrinsic(f: Function, name: str, dtype: DType, lanes: int, args: list[str], extra: str = "") -> str:
    """Call `llvm.<name>` overloaded on one type, all arguments and the result having it."""
    kind = register(dtype, lanes)
    full = f"llvm.{name}.{in_names(register(dtype, 1), lanes)}"
    types = [kind] * len(args) + ([extra.split()[0]] if extra else [])
    symbol = f.module.declare(full, kind, types)
    text = ", ".join(f"{kind} {arg}" for arg in args)
    return f.op(f"call {kind} {symbol}({text}{', ' + extra if extra else ''})")


def emit_call(
    f: Function, function: str, args: list[str], arg_dtype: DType, result_dtype: DType, lanes: int, target: Target
) -> str:
    """Apply a function of the table `FUNCTIONS` to registers of `lanes` elements; returns the result's register."""
    kind = kind_of(arg_dtype)
    if function == "bitcast":
        return _bitcast(f, args[0], arg_dtype, result_dtype, lanes)
    if function in _COMPARISONS:
        return _compare(f, function, args, arg_dtype, lanes)
    if kind == "b":
        return _boolean(f, function, args, lanes)
    if kind in "iu":
        return _Integer(f, arg_dtype, lanes).emit(function, args)
    if arg_dtype == float16 and function in _EXTREMES:
        args = args[::-1]  # of equal ones, which zeros of either sign are, NumPy takes the first here, else the second
    result = _Float(f, register_dtype(arg_dtype), lanes, target).emit(function, args)
    if result_dtype == bool_ or FUNCTIONS[function].exact:
        return result
    return narrowed(f, result, result_dtype, lanes)


_EXTREMES = ("max", "min", "fmax", "fmin")


def narrowed(f: Function, value: str, dtype: DType, lanes: int) -> str:
    """A `float` rounded to the narrow `dtype`, still as a `float`; others as they are."""
    return halves.rounded(f, value, dtype, lanes) if dtype in (float16, bfloat16) else value


def _int(value: int, lanes: int, bits: int = 32) -> str:
    return str(value) if lanes == 1 else f"splat (i{bits} {value})"


def to_memory(f: Function, value: str, dtype: DType, lanes: int) -> tuple[str, str]:
    """A register as what lies in memory: (type, value). bool is a byte, 16-bit floats are i16."""
    if dtype == bool_:
        kind = vector("i8", lanes)
        return kind, f.op(f"zext {vector('i1', lanes)} {value} to {kind}")
    if dtype in (float16, bfloat16):
        return vector("i16", lanes), halves.exact(f, value, dtype, lanes)
    return register(dtype, lanes), value


@functools.cache
def memory(dtype: DType, lanes: int) -> str:
    """The LLVM type of `lanes` elements in memory."""
    if dtype == bool_:
        return vector("i8", lanes)
    return vector("i16" if dtype in (float16, bfloat16) else SCALARS[dtype.name], lanes)


def from_memory(f: Function, value: str, dtype: DType, lanes: int) -> str:
    """Convert a value loaded as `memory(dtype, lanes)` to a register."""
    kind = memory(dtype, lanes)
    if dtype == bool_:
        return f.op(f"icmp ne {kind} {value}, zeroinitializer" if lanes > 1 else f"icmp ne i8 {value}, 0")
    if dtype in (float16, bfloat16):
        return halves.widened(f, value, dtype, lanes)
    return value


# Bits and casts


def _bitcast(f: Function, value: str, source: DType, result: DType, lanes: int) -> str:
    if source == result:
        return value
    kind, raw = to_memory(f, value, source, lanes)
    wanted = memory(result, lanes)
    cast = raw if kind == wanted else f.op(f"bitcast {kind} {raw} to {wanted}")
    return from_memory(f, cast, result, lanes)


def emit_cast(f: Function, value: str, source: DType, result: DType, lanes: int) -> str:
    """Convert between dtypes: floats to integers truncate and saturate (NaN gives 0), to bool compare with zero."""
    if source == result:
        return value
    have, want = kind_of(source), kind_of(result)
    old, new = register(source, lanes), register(result, lanes)
    if want == "b":
        return f.op(f"{'fcmp une' if have == 'f' else 'icmp ne'} {old} {value}, {constant(0, source, lanes)}")
    if have == "f":
        return (
            _from_float(f, value, source, result, lanes)
            if want == "f"
            else _to_integer(f, value, source, result, lanes)
        )
    if want == "f":
        wide = f.op(f"{'sitofp' if have == 'i' else 'uitofp'} {old} {value} to {new}")
        return narrowed(f, wide, result, lanes)
    small, big = 8 * source.itemsize if have != "b" else 1, 8 * result.itemsize
    if small == big:
        return value
    return f.op(f"{'trunc' if small > big else 'sext' if have == 'i' else 'zext'} {old} {value} to {new}")


def _from_float(f: Function, value: str, source: DType, result: DType, lanes: int) -> str:
    old, new = register(source, lanes), register(result, lanes)
    if source == float64 and result == float16:  # NumPy rounds once
        return narrowed(f, halves.rounded_to_odd(f, value, lanes), result, lanes)
    if source == float64 and result == bfloat16:  # ml_dtypes, and PyTorch, round to float32 first
        return narrowed(f, f.op(f"fptrunc {old} {value} to {new}"), result, lanes)
    if old == new:
        return narrowed(f, value, result, lanes)
    return f.op(f"{'fptrunc' if result == float32 else 'fpext'} {old} {value} to {new}")


def _to_integer(f: Function, value: str, source: DType, result: DType, lanes: int) -> str:
    """Clamped first, so that the conversion is defined; x86 does `llvm.fptosi.sat` one element at a time."""
    real = register_dtype(source)
    kind, signed, bits = register(real, lanes), result.kind == "i", 8 * result.itemsize
    most = 2 ** (bits - signed) - 1
    least, beyond = -float(most + 1) if signed else 0.0, float(most + 1)
    exact = int(real.type(most)) == most

    def bounded(x: str, word: str, bound: float) -> str:
        limit = constant(bound, real, lanes)
        return select(f, f.op(f"fcmp {word} {kind} {x}, {limit}"), limit, x, real, lanes)

    inside = bounded(value, "olt", least)
    if exact:
        inside = bounded(inside, "ogt", float(most))
    # Only NaN is not below the bound, or also what is too large where the greatest integer is no float.
    fits = f.op(f"fcmp olt {kind} {inside}, {constant(beyond, real, lanes)}")
    inside = select(f, fits, inside, constant(0, real, lanes), real, lanes)
    wide = result if bits >= 32 else int32
    integer = f.op(f"fpto{wide.kind.replace('i', 's')}i {kind} {inside} to {register(wide, lanes)}")
    if not exact:
        large = f.op(f"fcmp oge {kind} {value}, {constant(beyond, real, lanes)}")
        integer = select(f, large, constant(most, wide, lanes), integer, wide, lanes)
    return emit_cast(f, integer, wide, result, lanes)


# Comparisons

_COMPARISONS = {"eq": "oeq eq eq", "ne": "une ne ne", "lt": "olt slt ult", "le": "ole sle ule",
                "gt": "ogt sgt ugt", "ge": "oge sge uge"}  # fmt: skip


def _compare(f: Function, function: str, args: list[str], dtype: DType, lanes: int) -> str:
    real, signed, unsigned = _COMPARISONS[function].split()
    kind = kind_of(dtype)
    word = f"fcmp {real}" if kind == "f" else f"icmp {signed if kind == 'i' else unsigned}"
    return f.op(f"{word} {register(dtype, lanes)} {args[0]}, {args[1]}")


def compare_integers(f: Function, function: str, x: str, y: str, kind: str) -> str:
    """Compare signed integers of any LLVM type by a function of the table."""
    return f.op(f"icmp {_COMPARISONS[function].split()[1]} {kind} {x}, {y}")


def select(f: Function, condition: str, then: str, orelse: str, dtype: DType, lanes: int) -> str:
    """Lane by lane, `then` where the i1 holds."""
    kind = register(dtype, lanes)
    return f.op(f"select {vector('i1', lanes)} {condition}, {kind} {then}, {kind} {orelse}")


def _boolean(f: Function, function: str, args: list[str], lanes: int) -> str:
    kind = vector("i1", lanes)
    word = {
        "and": "and",
        "mul": "and",
        "min": "and",
        "fmin": "and",
        "or": "or",
        "add": "or",
        "max": "or",
        "fmax": "or",
        "xor": "xor",
        "sub": "xor",
    }.get(function)
    if word is not None:
        return f.op(f"{word} {kind} {args[0]}, {args[1]}")
    if function == "not":
        return f.op(f"xor {kind} {args[0]}, {constant(True, bool_, lanes)}")
    if function in ("abs", "sign"):
        return args[0]
    raise CodegenError("E953", f"{function} is not defined for bool")


# Integers


class _Integer:
    """Functions of integers: they wrap, and dividing by zero gives zero."""

    def __init__(self, f: Function, dtype: DType, lanes: int) -> None:
        self.f = f
        self.dtype = dtype
        self.lanes = lanes
        self.kind = register(dtype, lanes)
        self.signed = dtype.kind == "i"
        self.zero = constant(0, dtype, lanes)
        self.one = constant(1, dtype, lanes)

    def op(self, word: str, x: str, y: str) -> str:
        return self.f.op(f"{word} {self.kind} {x}, {y}")

    def select(self, condition: str, then: str, orelse: str) -> str:
        return select(self.f, condition, then, orelse, self.dtype, self.lanes)

    def emit(self, function: str, args: list[str]) -> str:
        word = {"add": "add", "sub": "sub", "mul": "mul", "and": "and", "or": "or", "xor": "xor"}.get(function)
        if word is not None:
            return self.op(word, *args)
        method = getattr(self, f"_{function}", None)
        if method is None:
            raise CodegenError("E953", f"{function} is not defined for {self.dtype.name}")
        result: str = method(*args)
        return result

    def _neg(self, x: str) -> str:
        return self.op("sub", self.zero, x)

    def _not(self, x: str) -> str:
        return self.op("xor", x, constant(-1, self.dtype, self.lanes))

    def _abs(self, x: str) -> str:
        return intrinsic(self.f, "abs", self.dtype, self.lanes, [x], "i1 false") if self.signed else x

    def _sign(self, x: str) -> str:
        some = self.op("icmp ne", x, self.zero)
        if not self.signed:
            return self.select(some, self.one, self.zero)
        down = self.op("icmp slt", x, self.zero)
        return self.select(down, constant(-1, self.dtype, self.lanes), self.select(some, self.one, self.zero))

    def _popcount(self, x: str) -> str:
        return intrinsic(self.f, "ctpop", self.dtype, self.lanes, [x])

    def _max(self, x: str, y: str) -> str:
        return intrinsic(self.f, "smax" if self.signed else "umax", self.dtype, self.lanes, [x, y])

    def _min(self, x: str, y: str) -> str:
        return intrinsic(self.f, "smin" if self.signed else "umin", self.dtype, self.lanes, [x, y])

    _fmax, _fmin = _max, _min

    def _divided(self, x: str, y: str) -> tuple[str, str, str, str]:
        """(quotient, remainder, y is 0, y is -1), truncated, with 1 in place of both special divisors."""
        none = self.op("icmp eq", y, self.zero)
        if not self.signed:
            safe = self.select(none, self.one, y)
            quotient = self.op("udiv", x, safe)
            return quotient, self.op("sub", x, self.op("mul", quotient, safe)), none, none
        minus = self.op("icmp eq", y, constant(-1, self.dtype, self.lanes))
        special = self.f.op(f"or {vector('i1', self.lanes)} {none}, {minus}")
        safe = self.select(special, self.one, y)
        quotient = self.op("sdiv", x, safe)
        return quotient, self.op("sub", x, self.op("mul", quotient, safe)), none, minus

    def _floored(self, remainder: str, y: str) -> str:
        """Tell whether rounding down differs from rounding to zero."""
        flags = vector("i1", self.lanes)
        some = self.op("icmp ne", remainder, self.zero)
        opposite = self.op("icmp slt", self.op("xor", remainder, y), self.zero)
        return self.f.op(f"and {flags} {some}, {opposite}")

    def _floordiv(self, x: str, y: str) -> str:
        quotient, remainder, none, minus = self._divided(x, y)
        if self.signed:
            down = self.op("sub", quotient, self.one)
            quotient = self.select(self._floored(remainder, y), down, quotient)
            quotient = self.select(minus, self._neg(x), quotient)
        return self.select(none, self.zero, quotient)

    def _mod(self, x: str, y: str) -> str:
        _, remainder, _, _ = self._divided(x, y)
        if not self.signed:
            return remainder
        return self.select(self._floored(remainder, y), self.op("add", remainder, y), remainder)

    def _fmod(self, x: str, y: str) -> str:
        return self._divided(x, y)[1]

    def _shifted(self, word: str, x: str, y: str, beyond: str) -> str:
        bits = constant(8 * self.dtype.itemsize, self.dtype, self.lanes)
        fits = self.op("icmp ult", y, bits)
        return self.select(fits, self.op(word, x, self.select(fits, y, self.zero)), beyond)

    def _shl(self, x: str, y: str) -> str:
        return self._shifted("shl", x, y, self.zero)

    def _shr(self, x: str, y: str) -> str:
        if not self.signed:
            return self._shifted("lshr", x, y, self.zero)
        most = constant(8 * self.dtype.itemsize - 1, self.dtype, self.lanes)
        return self._shifted("ashr", x, y, self.op("ashr", x, most))

    def _umulh(self, x: str, y: str) -> str:
        bits = 8 * self.dtype.itemsize
        wide = vector(f"i{2 * bits}", self.lanes)
        a, b = (self.f.op(f"zext {self.kind} {value} to {wide}") for value in (x, y))
        high = self.f.op(f"lshr {wide} {self.f.op(f'mul {wide} {a}, {b}')}, {_int(bits, self.lanes, 2 * bits)}")
        return self.f.op(f"trunc {wide} {high} to {self.kind}")

    def _pow(self, x: str, y: str) -> str:
        bits = 8 * self.dtype.itemsize
        carry = [(self.kind, self.one), (self.kind, x), (self.kind, y)]
        with self.f.loop(0, bits, 1, carry) as loop:
            result, base, exponent = loop.values
            odd = self.op("icmp ne", self.op("and", exponent, self.one), self.zero)
            result = self.select(odd, self.op("mul", result, base), result)
            loop.following = [result, self.op("mul", base, base), self.op("lshr", exponent, self.one)]
        if not self.signed:
            return loop.results[0]
        # x ** negative: 1 and -1 have a reciprocal, everything else truncates to 0.
        negative = self.op("icmp slt", y, self.zero)
        odd = self.op("icmp ne", self.op("and", y, self.one), self.zero)
        minus = constant(-1, self.dtype, self.lanes)
        unit = self.select(self.op("icmp eq", x, self.one), self.one, self.zero)
        unit = self.select(self.op("icmp eq", x, minus), self.select(odd, minus, self.one), unit)
        return self.select(negative, unit, loop.results[0])


# Floats


_OF_VECTORS = frozenset(("add", "sub", "mul", "div", "neg", "abs", "sqrt", "copysign"))
"""Functions of floats that `Vectors` has."""


class _Float(Vectors):
    """Functions of float32 and float64."""

    def call(self, function: str, *args: str) -> str:
        return self.emit(function, list(args))

    def emit(self, function: str, args: list[str]) -> str:
        if function in _OF_VECTORS:
            result: str = getattr(self, function)(*args)
            return result
        rounding = "rint" if function == "round" else function
        if rounding in ROUNDINGS:
            return rounded(self, rounding, args[0])
        if function in EMITTERS:
            return EMITTERS[function](self.f, args, self.dtype, self.lanes, self.target)
        if function == "fmod" and self.target.device is not None:
            return fmod(self, *args)
        if function in ("fmod", "nextafter"):
            return self.per_lane(f"{function}{'f' if self.dtype == float32 else ''}", *args)
        method: Callable[..., str] | None = getattr(self, f"_{function}", None)
        if method is None:
            raise CodegenError("E953", f"{function} is not defined for {self.dtype.name}")
        return method(*args)

    def _sign(self, x: str) -> str:
        zero = self.number(0.0)
        none = self.select(self.op("fcmp oeq", x, zero), zero, x)
        down = self.select(self.op("fcmp olt", x, zero), self.number(-1.0), none)
        return self.select(self.op("fcmp ogt", x, zero), self.number(1.0), down)

    def _isnan(self, x: str) -> str:
        return self.op("fcmp uno", x, x)

    def _isinf(self, x: str) -> str:
        return self.op("fcmp oeq", self.abs(x), self.number(float("inf")))

    def _isfinite(self, x: str) -> str:
        return self.op("fcmp olt", self.abs(x), self.number(float("inf")))

    def _signbit(self, x: str) -> str:
        return self.iop("icmp slt", self.to_bits(x), self.integer(0))

    def _extreme(self, word: str, x: str, y: str) -> str:
        # The comparison is false for NaN and then takes y, which is one instruction; a NaN in x is put back.
        best = self.select(self.op(f"fcmp {word}", x, y), x, y)
        return self.select(self.op("fcmp uno", x, x), x, best)

    def _max(self, x: str, y: str) -> str:
        return self._extreme("ogt", x, y)

    def _min(self, x: str, y: str) -> str:
        return self._extreme("olt", x, y)

    def _fmax(self, x: str, y: str) -> str:
        return self.select(self.op("fcmp uno", x, x), y, self.select(self.op("fcmp ugt", x, y), x, y))

    def _fmin(self, x: str, y: str) -> str:
        return self.select(self.op("fcmp uno", x, x), y, self.select(self.op("fcmp ult", x, y), x, y))

    def _divmod(self, x: str, y: str) -> tuple[str, str]:
        """(quotient before rounding, remainder) as NumPy has them for y != 0."""
        zero = self.number(0.0)
        remainder = self.call("fmod", x, y)
        quotient = self.op("fdiv", self.op("fsub", x, remainder), y)
        some = self.op("fcmp une", remainder, zero)
        less, negative = self.op("fcmp olt", remainder, zero), self.op("fcmp olt", y, zero)
        differ = self.logic("xor", less, negative)
        wrong = self.logic("and", some, differ)
        quotient = self.select(wrong, self.op("fsub", quotient, self.number(1.0)), quotient)
        remainder = self.select(wrong, self.op("fadd", remainder, y), remainder)
        return quotient, self.select(some, remainder, self.copysign(zero, y))

    def _floordiv(self, x: str, y: str) -> str:
        zero = self.number(0.0)
        quotient, _ = self._divmod(x, y)
        down = self.call("floor", quotient)
        near = self.op("fcmp ogt", self.op("fsub", quotient, down), self.number(0.5))
        down = self.select(near, self.op("fadd", down, self.number(1.0)), down)
        plain = self.op("fdiv", x, y)
        down = self.select(self.op("fcmp oeq", quotient, zero), self.copysign(zero, plain), down)
        return self.select(self.op("fcmp oeq", y, zero), plain, down)

    def _mod(self, x: str, y: str) -> str:
        _, remainder = self._divmod(x, y)
        return self.select(self.op("fcmp oeq", y, self.number(0.0)), self.number(float("nan")), remainder)
