# SPDX-License-Identifier: Apache-2.0
"""Write the arithmetic of contractions: vectors of one element type loaded, multiplied, summed, transposed.

`element` is the LLVM type of an element in the operands' memory, `type` of one computed with: float for 16-bit floats,
i8 for bool, else the same. The numbers (lanes, bytes) are those of `machine.arithmetic`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

from hybridize.base.dtypes import DType, bool_, float32
from hybridize.base.precision import Precision, wide
from hybridize.codegen.llvm.functions.halves import widened
from hybridize.codegen.llvm.functions.table import memory
from hybridize.codegen.llvm.registers import interleaved, masked_load, side_by_side
from hybridize.codegen.llvm.text import Function, llvm_type, shuffled, vector
from hybridize.machine.arithmetic import Arithmetic
from hybridize.machine.target import Target
from hybridize.schedule.contraction.plan import ElementTypes


class ArithmeticEmitter(Arithmetic):
    """An arithmetic that writes itself as instructions."""

    def __init__(self, of: Precision | DType, target: Target, integers: int = 1, packed: DType | None = None) -> None:
        super().__init__(of, target, integers, packed)
        dtype = self.stored
        self.element: str = memory(dtype, 1)
        """LLVM's type of an element in the operands."""
        self.type: str = "i8" if dtype == bool_ else llvm_type(self.accumulate)
        """LLVM's type of an element as it is computed with."""
        self.vector: str = vector(self.type, self.lanes)
        """LLVM's type of a register."""
        into = "" if self.accumulate == wide(dtype) else f".{self.accumulate.name}"
        self.code = f"{dtype.name}{into}{_INTEGERS[integers]}"
        """The name of the element type within names of functions."""

    @classmethod
    def of_elements(cls, elements: ElementTypes, target: Target) -> Self:
        """The arithmetic of the elements of a contraction."""
        return cls(elements.types, target, elements.integers, elements.panel)

    def load(self, f: Function, pointer: str, lanes: int, mask: str | None = None) -> str:
        """`lanes` stored elements as computed ones; 0 where the mask is off."""
        stored = vector(self.element, lanes)
        if mask is None:
            value = f.op(f"load {stored}, ptr {pointer}, align {self.stored_bytes}")
        else:
            value = masked_load(f, pointer, self.element, lanes, self.stored_bytes, mask)
        return self.widen(f, value, lanes)

    def widen(self, f: Function, value: str, lanes: int) -> str:
        """Stored elements in a register as computed ones."""
        return self._converted(f, value, self.stored, lanes)

    def _converted(self, f: Function, value: str, dtype: DType, lanes: int) -> str:
        """Elements of a type in memory as computed ones."""
        if dtype == self.accumulate:
            return value
        if self.is_float and dtype.itemsize == 2:
            value, dtype = widened(f, value, dtype, lanes), float32
            if self.accumulate == float32:
                return value
        word = "fpext" if self.is_float else "sext" if dtype.kind == "i" else "zext"
        return f.op(f"{word} {vector(memory(dtype, 1), lanes)} {value} to {vector(self.type, lanes)}")

    def load_computed(self, f: Function, pointer: str, lanes: int | None = None) -> str:
        """Elements that are in memory as they are computed with: tiles, sums and panels."""
        return f.op(f"load {vector(self.type, lanes or self.lanes)}, ptr {pointer}, align {self.bytes}")

    def store_computed(self, f: Function, value: str, pointer: str, lanes: int | None = None) -> None:
        """The reverse of `load_computed`."""
        f.do(f"store {vector(self.type, lanes or self.lanes)} {value}, ptr {pointer}, align {self.bytes}")

    def load_packed(self, f: Function, pointer: str) -> str:
        """A register of elements of a panel that was packed beforehand, as they are computed with."""
        value = f.op(f"load {vector(memory(self.packed, 1), self.lanes)}, ptr {pointer}, align {self.packed.itemsize}")
        return self._converted(f, value, self.packed, self.lanes)

    def broadcast(self, f: Function, pointer: str) -> str:
        """One computed element in every lane."""
        one = f.op(f"load {self.type}, ptr {pointer}, align {self.bytes}")
        first = f.op(f"insertelement {self.vector} poison, {self.type} {one}, i32 0")
        return shuffled(f, self.vector, first, [0] * self.lanes)

    def lane(self, f: Function, value: str, lanes: int, lane: int) -> str:
        """A lane of a register of so many computed elements in every lane."""
        if not self.takes_halves:
            return shuffled(f, vector(self.type, lanes), value, [lane] * self.lanes)
        # By halves, which is how products take them.
        if lanes == 1:
            lanes, value = self.lanes, f.op(f"insertelement {self.vector} poison, {self.type} {value}, i32 0")
        halves = vector("i16", 2 * lanes)
        value = f.op(f"bitcast {vector(self.type, lanes)} {value} to {halves}")
        value = shuffled(f, halves, value, [2 * lane, 2 * lane + 1] * self.lanes)
        return f.op(f"bitcast {vector('i16', 2 * self.lanes)} {value} to {self.vector}")

    @property
    def broadcasts_bits(self) -> bool:
        """True if `broadcast_as_bits` is faster; never in a library, whose levels are for any maker's processors."""
        return self.target.cpu.startswith("znver") and self.target.vector_bytes >= 32 and self.type == "float"

    def broadcast_as_bits(self, f: Function, pointer: str) -> str:
        """One computed element in every lane, by an instruction for integers.

        On Zen 4 that of floats takes a place in the pipes of arithmetic, that of integers none: a term of a row and
        four vectors of converted bytes takes 6.0 cycles, not 6.6. LLVM makes the one for floats of either, so it is
        written as it is. Measured in C, loops of both.
        """
        return f.op(f'call {self.vector} asm "vpbroadcastd $1, $0", "=v,*m"(ptr elementtype({self.type}) {pointer})')

    def multiply_add(self, f: Function, x: str, w: str, total: str) -> str:
        """x w + total; for bool, `(x and w) or total`."""
        if self.takes_halves:
            return self.pairs_added(f, x, self.halves_apart(f, [w])[0], total)
        if self.integers > 1:
            return self._several_added(f, x, w, total)
        if self.stored == bool_:
            return f.op(f"or {self.vector} {f.op(f'and {self.vector} {x}, {w}')}, {total}")
        if not self.is_float:
            return f.op(f"add {self.vector} {f.op(f'mul {self.vector} {x}, {w}')}, {total}")
        # On a machine without the instruction llvm.fma becomes a call for each element; llvm.fmuladd does not.
        kind = "fma" if self.target.fma else "fmuladd"
        suffix = f"{f'v{self.lanes}' if self.lanes > 1 else ''}f{8 * self.bytes}"
        name = f.module.declare(f"llvm.{kind}.{suffix}", self.vector, [self.vector] * 3)
        return f.op(f"call {self.vector} {name}({self.vector} {x}, {self.vector} {w}, {self.vector} {total})")

    def halves_apart(self, f: Function, columns: Sequence[str]) -> list[str]:
        """One or two registers of pairs with the lower halves first, then the upper ones, as `pairs_added` takes them:
        of two registers the halves of one kind come apart together.
        """
        halves = vector("i16", 2 * self.lanes)
        first, *others = [f.op(f"bitcast {self.vector} {one} to {halves}") for one in columns]
        second = others[0] if others else first
        lower, upper = (shuffled(f, halves, first, [*range(half, 4 * self.lanes, 2)], second) for half in (0, 1))
        each = range(self.lanes)
        starts = [(k * self.lanes, (2 + k) * self.lanes) for k in range(len(columns))]
        return [shuffled(f, halves, lower, [start + i for start in both for i in each], upper) for both in starts]

    def pairs_added(self, f: Function, x: str, w: str, total: str) -> str:
        """The products of the lower halves of the elements added to a sum, then those of the upper: NEON's products of
        16-bit integers are of 32, and take one lane of a register for all. Those of w are `halves_apart`.
        """
        halves, short = vector("i16", 2 * self.lanes), vector("i16", self.lanes)
        whole = f.op(f"bitcast {self.vector} {x} to {halves}")
        for upper in (0, 1):
            one = shuffled(f, halves, whole, 2 * [*range(upper, 2 * self.lanes, 2)])
            parts = [
                shuffled(f, halves, one, range(self.lanes)),
                shuffled(f, halves, w, range(upper * self.lanes, (upper + 1) * self.lanes)),
            ]
            wide = [f.op(f"sext {short} {one} to {self.vector}") for one in parts]
            total = f.op(f"add {self.vector} {total}, {f.op(f'mul {self.vector} {wide[0]}, {wide[1]}')}")
        return total

    def _several_added(self, f: Function, x: str, w: str, total: str) -> str:
        """The products of the integers in the elements added to a sum: by one instruction where the machine has it."""
        if self.integers == 4 and self.target.dots_bytes and self.lanes == 4:
            of_bytes = vector("i8", 16)
            sides = [f"{of_bytes} {f.op(f'bitcast {self.vector} {one} to {of_bytes}')}" for one in (w, x)]
            kinds = [self.vector, of_bytes, of_bytes]
            name = f.module.declare("llvm.aarch64.neon.sdot.v4i32.v16i8", self.vector, kinds)
            return f.op(f"call {self.vector} {name}({self.vector} {total}, {', '.join(sides)})")
        return f.op(f"add {self.vector} {self._products(f, x, w)}, {total}")

    def _products(self, f: Function, x: str, w: str) -> str:
        """The sum of the products of the integers in the elements."""
        instruction = _PAIRS.get((self.target.processor, self.lanes)) if self.integers == 2 else None
        if instruction:
            halves = vector("i16", 2 * self.lanes)
            name = f.module.declare(f"llvm.{instruction}", self.vector, [halves, halves])
            pairs = [f"{halves} {f.op(f'bitcast {self.vector} {one} to {halves}')}" for one in (x, w)]
            return f.op(f"call {self.vector} {name}({', '.join(pairs)})")
        bits, total = 32 // self.integers, ""
        for number in range(self.integers):
            up, down = (self._number(by) for by in (32 - bits * (number + 1), 32 - bits))
            raised = [f.op(f"shl {self.vector} {one}, {up}") for one in (x, w)]
            sides = [f.op(f"ashr {self.vector} {one}, {down}") for one in raised]
            product = f.op(f"mul {self.vector} {', '.join(sides)}")
            total = f.op(f"add {self.vector} {total}, {product}") if total else product
        return total

    def _number(self, number: int) -> str:
        """An integer in every lane."""
        return f"splat (i32 {number})" if self.lanes > 1 else str(number)

    def add(self, f: Function, x: str, y: str, lanes: int) -> str:
        """Sum of two vectors of `lanes` elements."""
        word = "or" if self.stored == bool_ else "fadd" if self.is_float else "add"
        return f.op(f"{word} {vector(self.type, lanes)} {x}, {y}")

    @property
    def zero(self) -> str:
        """A vector of zeros."""
        return "zeroinitializer"

    @property
    def nothing(self) -> str:
        """One zero, as it is computed with."""
        return "0.0" if self.is_float else "0"

    def shuffle(self, f: Function, x: str, y: str, lanes: int, picks: Sequence[int]) -> str:
        """Lanes of `x` (0 to lanes - 1) and of `y` (from lanes on) in a new order."""
        return shuffled(f, vector(self.type, lanes), x, picks, y)

    def transposed(self, f: Function, rows: Sequence[str]) -> list[str]:
        """A piece of each of `lanes` rows, given by pointers, as `chunk` registers: the first elements, the second, ...

        Pieces of rows that are far apart are loaded beside each other, so that only shuffles within pieces remain: less
        work than shuffling whole rows, and less to compile.
        """
        pieces = []
        for row in range(self.chunk):
            piece = side_by_side(f, rows[row :: self.chunk], self.element, self.chunk, self.stored_bytes)
            pieces.append(self.widen(f, piece, self.lanes))
        return self._within(f, pieces)

    def _within(self, f: Function, rows: Sequence[str]) -> list[str]:
        """Flip the small square that each piece of these 2 or 4 registers holds."""
        if len(rows) == 2:
            return [self.interleave(f, rows[0], rows[1], 1, high) for high in (False, True)]
        pairs = [
            (self.interleave(f, rows[0], rows[1], 1, high), self.interleave(f, rows[2], rows[3], 1, high))
            for high in (False, True)
        ]
        return [self.interleave(f, x, y, 2, high) for x, y in pairs for high in (False, True)]

    def interleave(self, f: Function, x: str, y: str, group: int, high: bool) -> str:
        """In each piece, groups of elements of `x` and `y` in turn, from the piece's lower or upper half."""
        return self.shuffle(f, x, y, self.lanes, interleaved(self.lanes, self.chunk, group, high))

    def pieces(self, f: Function, x: str, y: str, odd: bool) -> str:
        """The even or the odd pieces of `x`, then those of `y`."""
        starts = range(self.chunk if odd else 0, 2 * self.lanes, 2 * self.chunk)
        return self.shuffle(f, x, y, self.lanes, [start + i for start in starts for i in range(self.chunk)])

    def _sums_of_all(self, f: Function, level: list[str]) -> str:
        """`sums` for as many vectors as there are lanes: first within pieces, then across them."""
        group = 1
        while group < self.chunk:
            level = [
                self.add(f, self.interleave(f, x, y, group, False), self.interleave(f, x, y, group, True), self.lanes)
                for x, y in zip(level[0::2], level[1::2], strict=True)
            ]
            group *= 2
        while len(level) > 1:
            level = [
                self.add(f, self.pieces(f, x, y, False), self.pieces(f, x, y, True), self.lanes)
                for x, y in zip(level[0::2], level[1::2], strict=True)
            ]
        return level[0]

    def sums(self, f: Function, vectors: Sequence[str]) -> str:
        """The sum over the lanes of each of 1, 2, 4, ... `lanes` vectors, as one vector with a lane for each."""
        if len(vectors) == self.lanes and self.chunk:
            return self._sums_of_all(f, list(vectors))
        lanes, level, step = self.lanes, list(vectors), 1
        while len(level) > 1:
            low = [lanes + (lane ^ step) if lane & step else lane for lane in range(lanes)]
            high = [lanes + lane if lane & step else lane | step for lane in range(lanes)]
            level = [
                self.add(f, self.shuffle(f, x, y, lanes, low), self.shuffle(f, x, y, lanes, high), lanes)
                for x, y in zip(level[0::2], level[1::2], strict=True)
            ]
            step *= 2
        total = level[0]
        while lanes > len(vectors):
            half = lanes // 2
            upper = self.shuffle(f, total, "poison", lanes, range(half, lanes)) if half > 1 else ""
            if half == 1:
                first, second = (f.op(f"extractelement {vector(self.type, 2)} {total}, i32 {i}") for i in (0, 1))
                return self.add(f, first, second, 1)
            lower = self.shuffle(f, total, "poison", lanes, range(half))
            total = self.add(f, lower, upper, half)
            lanes = half
        return total


_INTEGERS = {1: "", 2: ".pairs", 4: ".fours"}
"""Words in the names of functions, by the integers in an element."""
_PAIRS = {
    ("x86_64", 4): "x86.sse2.pmadd.wd", ("x86_64", 8): "x86.avx2.pmadd.wd", ("x86_64", 16): "x86.avx512.pmaddw.d.512",
    ("wasm32", 4): "wasm.dot",
}  # fmt: skip
"""The instructions for products of pairs, by processors and lanes."""
