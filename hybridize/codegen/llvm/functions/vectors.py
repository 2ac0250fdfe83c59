# SPDX-License-Identifier: Apache-2.0
"""Arithmetic on vectors of floats, written into a function one instruction at a time.

A `Vectors` stands for `lanes` floats of 32 or 64 bits, and the integers of the same width beside them. Operands are
registers or constants as text, without types. Nothing here may be reassociated or assumed finite.
"""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Sequence

from hybridize.base.dtypes import DType, float32, float64
from hybridize.codegen.llvm.text import Function, shuffled, splat, vector
from hybridize.machine.target import Target


class Registers:
    """Writes into `f` what every machine can do; `dtype` is float32 or float64."""

    def __init__(self, f: Function, dtype: DType, lanes: int) -> None:
        self.f = f
        self.dtype = dtype
        self.lanes = lanes

    @functools.cached_property
    def bits(self) -> int:
        """Width of an element."""
        return 8 * self.dtype.itemsize

    @functools.cached_property
    def type(self) -> str:
        """`<16 x float>`."""
        return vector("float" if self.dtype == float32 else "double", self.lanes)

    @functools.cached_property
    def itype(self) -> str:
        """`<16 x i32>`."""
        return vector(f"i{self.bits}", self.lanes)

    @functools.cached_property
    def btype(self) -> str:
        """`<16 x i1>`."""
        return vector("i1", self.lanes)

    @functools.cached_property
    def suffix(self) -> str:
        """`v16f32`, as in the names of intrinsics."""
        return f"v{self.lanes}f{self.bits}" if self.lanes > 1 else f"f{self.bits}"

    # Constants

    def number(self, value: float) -> str:
        """A float in every lane."""
        return splat(value, self.dtype, self.lanes)

    def integer(self, value: int) -> str:
        """An integer in every lane."""
        return str(value) if self.lanes == 1 else f"splat (i{self.bits} {value})"

    # Floats

    def op(self, word: str, x: str, y: str) -> str:
        """An instruction of two operands: `fadd`, or a comparison."""
        return self.f.op(f"{word} {self.type} {x}, {y}")

    def add(self, x: str, y: str) -> str:
        """x + y."""
        return self.op("fadd", x, y)

    def sub(self, x: str, y: str) -> str:
        """x - y."""
        return self.op("fsub", x, y)

    def mul(self, x: str, y: str) -> str:
        """X y."""
        return self.op("fmul", x, y)

    def div(self, x: str, y: str) -> str:
        """x / y."""
        return self.op("fdiv", x, y)

    def neg(self, x: str) -> str:
        """-x, also of NaN and zero."""
        return self.f.op(f"fneg {self.type} {x}")

    def intrinsic(self, name: str, *args: str) -> str:
        """`llvm.name` over vectors of this type."""
        callee = self.f.module.declare(f"llvm.{name}.{self.suffix}", self.type, [self.type] * len(args))
        return self.f.op(f"call {self.type} {callee}({', '.join(f'{self.type} {arg}' for arg in args)})")

    def abs(self, x: str) -> str:
        """|x|."""
        return self.intrinsic("fabs", x)

    def sqrt(self, x: str) -> str:
        """Square root, correctly rounded."""
        return self.intrinsic("sqrt", x)

    def copysign(self, x: str, sign: str) -> str:
        """|x| with the sign of the other.

        Not LLVM's own: it looks for the sign before a conversion, and so asks for a float64 as a float16.
        """
        top = 1 << (self.bits - 1)
        magnitude = self.iop("and", self.to_bits(x), self.integer(top - 1))
        return self.from_bits(self.iop("or", magnitude, self.iop("and", self.to_bits(sign), self.integer(-top))))

    # Comparisons and choices

    def compare(self, predicate: str, x: str, y: str) -> str:
        """`fcmp`; the result is a vector of i1."""
        return self.op(f"fcmp {predicate}", x, y)

    def select(self, condition: str, x: str, y: str) -> str:
        """X where the condition holds, else y."""
        return self.f.op(f"select {self.btype} {condition}, {self.type} {x}, {self.type} {y}")

    def logic(self, op: str, x: str, y: str) -> str:
        """`and`, `or`, `xor` of conditions."""
        return self.f.op(f"{op} {self.btype} {x}, {y}")

    def at_most(self, x: str, limit: str) -> str:
        """The lesser; NaN in x stays. (One instruction on x86.)."""
        return self.select(self.compare("olt", limit, x), limit, x)

    def at_least(self, x: str, limit: str) -> str:
        """The greater; NaN in x stays."""
        return self.select(self.compare("ogt", limit, x), limit, x)

    # Bits

    def to_bits(self, x: str) -> str:
        """The bits of floats, as integers."""
        return self.f.op(f"bitcast {self.type} {x} to {self.itype}")

    def from_bits(self, x: str) -> str:
        """Floats from their bits."""
        return self.f.op(f"bitcast {self.itype} {x} to {self.type}")

    def iop(self, op: str, x: str, y: str | int) -> str:
        """An integer instruction, or a comparison; the second operand may be a number for every lane."""
        return self.f.op(f"{op} {self.itype} {x}, {y if isinstance(y, str) else self.integer(y)}")

    def choose(self, condition: str, x: str | int, y: str) -> str:
        """Integers: x where the condition holds, else y."""
        then = x if isinstance(x, str) else self.integer(x)
        return self.f.op(f"select {self.btype} {condition}, {self.itype} {then}, {self.itype} {y}")

    def to_float(self, x: str) -> str:
        """Integers as floats."""
        return self.f.op(f"sitofp {self.itype} {x} to {self.type}")

    @property
    def mantissa(self) -> int:
        """Bits of the stored significand."""
        return 23 if self.dtype == float32 else 52

    @property
    def bias(self) -> int:
        """Of the exponent."""
        return 127 if self.dtype == float32 else 1023

    # Between precisions

    def widened(self, x: str) -> str:
        """f32 lanes as f64; `wide()` computes on them."""
        return self.f.op(f"fpext {self.type} {x} to {vector('double', self.lanes)}")

    def narrowed(self, x: str) -> str:
        """F64 lanes rounded to f32 (called on the f32 writer)."""
        return self.f.op(f"fptrunc {vector('double', self.lanes)} {x} to {self.type}")

    # Lane by lane

    def any(self, condition: str) -> str:
        """Tell whether a condition holds in some lane, as i1."""
        if self.lanes == 1:
            return condition
        callee = self.f.module.declare(f"llvm.vector.reduce.or.v{self.lanes}i1", "i1", [self.btype])
        return self.f.op(f"call i1 {callee}({self.btype} {condition})")

    def per_lane(self, function: str, *args: str) -> str:
        """Call a function of the C library on each lane."""
        scalar = "float" if self.dtype == float32 else "double"
        callee = self.f.module.declare(function, scalar, [scalar] * len(args), "nounwind")
        result = "poison"
        for lane in range(self.lanes):
            items = list(args)
            if self.lanes > 1:
                items = [self.f.op(f"extractelement {self.type} {arg}, i32 {lane}") for arg in args]
            value = self.f.op(f"call {scalar} {callee}({', '.join(f'{scalar} {item}' for item in items)})")
            if self.lanes == 1:
                return value
            result = self.f.op(f"insertelement {self.type} {result}, {scalar} {value}, i32 {lane}")
        return result


class Vectors(Registers):
    """Writes what machines do in ways of their own, too."""

    def __init__(self, f: Function, dtype: DType, lanes: int, target: Target) -> None:
        super().__init__(f, dtype, lanes)
        self.target = target

    def wide(self) -> Vectors:
        """The same lanes in double precision."""
        return Vectors(self.f, float64, self.lanes, self.target)

    def of(self, lanes: int) -> Vectors:
        """The same floats, so many at once."""
        return Vectors(self.f, self.dtype, lanes, self.target)

    def fma(self, x: str, y: str, z: str) -> str:
        """X y + z, rounded once where the machine can; no algorithm here relies on it."""
        return self.intrinsic("fma" if self.target.fma else "fmuladd", x, y, z)

    def poly(self, x: str, coefficients: Sequence[float]) -> str:
        """Horner's rule; the highest power first."""
        device = self.target.device
        if device is not None and not device.float64 and self.dtype == float64:
            return self._poly_of_table(x, coefficients)
        total, *others = self._added(coefficients)
        for coefficient in others:
            total = self.fma(total, x, coefficient)
        return total

    def _poly_of_table(self, x: str, coefficients: Sequence[float]) -> str:
        """The same in a loop, where each multiply-add is many instructions."""
        f, (first, *others) = self.f, map(self.number, coefficients)
        table = self._table(self.type, others)
        with f.loop(0, len(others), 1, [(self.type, first)]) as loop:
            loop.following = [
                self.fma(loop.values[0], x, f.load(f.element(table, loop.index, self.type), 0, self.type))
            ]
        return loop.results[0]

    def _added(self, numbers: Sequence[float]) -> list[str]:
        """Numbers to which multiply-adds add: constants, or loaded from a table of as many registers as there are."""
        constants = [self.number(value) for value in numbers]
        if not self.target.adds_in_place or self.lanes == 1:
            return constants
        # LLVM takes what is loaded from a constant out of loops, and then has more numbers than registers.
        name = self._table(self.type, constants)
        table = self.f.on_entry(f"freeze ptr {name}", name)
        nbytes = self.lanes * self.dtype.itemsize
        places = (self.f.at(table, nbytes * number) for number in range(len(numbers)))
        return [self.f.op(f"load {self.type}, ptr {place}, align 16") for place in places]

    def factors(self, *numbers: float) -> list[str]:
        """Numbers that multiply-adds multiply by: constants, or lanes of one register."""
        constants = [self.number(value) for value in numbers]
        if not self.target.by_lane or self.lanes == 1:
            return constants
        one, count = self.of(1), self.target.lanes(self.dtype.itemsize)
        name = self._table(one.type, [one.number(value) for value in (*numbers, *[0.0] * (-len(numbers) % count))])
        several = self.of(count)
        loads = range(0, len(numbers), count)
        loaded = [
            self.f.op(f"load {several.type}, ptr {self.f.at(name, k * self.dtype.itemsize)}, align 16") for k in loads
        ]
        return [
            shuffled(self.f, several.type, loaded[k // count], [k % count] * self.lanes) for k in range(len(numbers))
        ]

    def _table(self, kind: str, constants: Sequence[str]) -> str:
        """A constant of the module: these values, one after the other."""
        value = f"[{', '.join(f'{kind} {one}' for one in constants)}]"
        name = f"numbers.{hashlib.sha256(value.encode()).hexdigest()[:16]}"
        return self.f.module.constant(name, f"[{len(constants)} x {kind}]", value)

    def rounded(self, x: str, factor: float) -> tuple[str, str]:
        """x * factor rounded to an integer: as a float, and as an integer. Needs |x factor| < 2^21.

        Adding 1.5 * 2^mantissa leaves the integer in the low bits: no conversion, hence defined for NaN too.
        """
        if self.regroups:
            n = self.intrinsic("rint", self.mul(x, self.number(factor)))
            return n, self.f.op(f"fptosi {self.type} {n} to {self.itype}")
        magic = 1.5 * 2.0**self.mantissa
        moved = self.fma(x, self.number(factor), self.number(magic))
        bits = ((self.bias + self.mantissa) << self.mantissa) | (1 << (self.mantissa - 1))
        return self.sub(moved, self.number(magic)), self.iop("sub", self.to_bits(moved), self.integer(bits))

    @property
    def regroups(self) -> bool:
        """True if the compiler that gets the code may regroup sums of these floats."""
        device = self.target.device
        return device is not None and not device.exact and self.dtype == float32

    def fixed(self, x: str) -> str:
        """X as it was rounded, whatever it is made of: to be taken from a number that it is close to."""
        return self.intrinsic("arithmetic.fence", x) if self.regroups else x

    def power_of_two(self, k: str) -> str:
        """2^k for integers that keep it normal."""
        biased = self.iop("add", k, self.integer(self.bias))
        return self.from_bits(self.iop("shl", biased, self.integer(self.mantissa)))

    def scaled(self, x: str, n: str, k: str) -> str:
        """X 2^n for the same integer as float n and as integer k; overflow and gradual underflow are right."""
        if self.target.scales and self.dtype == float32 and self.lanes in (32, 64):
            half = self.of(self.lanes // 2)
            parts = [half.scaled(self._half(x, side), self._half(n, side), k) for side in (0, 1)]
            return shuffled(self.f, half.type, parts[0], range(self.lanes), parts[1])
        if self.target.scales and self.dtype == float32 and self.lanes == 16:
            name = "llvm.x86.avx512.mask.scalef.ps.512"
            callee = self.f.module.declare(name, self.type, [self.type] * 3 + ["i16", "i32"])
            args = f"{self.type} {x}, {self.type} {n}, {self.type} zeroinitializer, i16 -1, i32 4"
            return self.f.op(f"call {self.type} {callee}({args})")
        # Twice by half the exponent: each power is normal, and only the second product rounds.
        first = self.iop("ashr", k, self.integer(1))
        rest = self.iop("sub", k, first)
        return self.mul(self.mul(x, self.power_of_two(first)), self.power_of_two(rest))

    def _half(self, x: str, side: int) -> str:
        """The lower or upper half of the lanes; registers of the machine are not divided by it."""
        count = self.lanes // 2
        return shuffled(self.f, self.type, x, range(side * count, (side + 1) * count))
