# SPDX-License-Identifier: Apache-2.0
"""Elements of memory and the numbers they stand for: routines compute half floats as float32, bool as bytes."""

from __future__ import annotations

from hybridize.base.dtypes import DType, bfloat16, float16, float32
from hybridize.codegen.llvm.functions import halves
from hybridize.codegen.llvm.functions.table import memory
from hybridize.codegen.llvm.text import SCALARS, Function, broadcast, vector


class Cells:
    """Reads, writes, compares and adds elements of one dtype in a function."""

    def __init__(self, f: Function, dtype: DType) -> None:
        self.f = f
        self.dtype = dtype
        self.scalar: str = memory(dtype, 1)
        """The type in memory, and in registers where elements are only moved."""
        self.half: bool = dtype in (float16, bfloat16)
        self.floating: bool = self.half or dtype.kind == "f"
        self.number_scalar: str = SCALARS[float32.name] if self.half else self.scalar

    def type(self, lanes: int) -> str:
        """Of moved elements."""
        return vector(self.scalar, lanes)

    def number_type(self, lanes: int) -> str:
        """Of numbers computed with."""
        return vector(self.number_scalar, lanes)

    def address(self, base: str, position: str) -> str:
        """Of element `position`."""
        return self.f.element(base, position, self.scalar)

    def load(self, base: str, position: str, lanes: int) -> str:
        """Consecutive elements, as they are."""
        address = self.address(base, position)
        return self.f.op(f"load {self.type(lanes)}, ptr {address}, align {self.dtype.itemsize}")

    def store(self, value: str, base: str, position: str, lanes: int) -> None:
        """Write consecutive elements."""
        address = self.address(base, position)
        self.f.do(f"store {self.type(lanes)} {value}, ptr {address}, align {self.dtype.itemsize}")

    def number(self, value: str, lanes: int) -> str:
        """Elements as numbers."""
        if not self.half:
            return value
        return halves.widened(self.f, value, self.dtype, lanes)

    def load_number(self, base: str, position: str, lanes: int) -> str:
        """Consecutive elements as numbers."""
        return self.number(self.load(base, position, lanes), lanes)

    def store_number(self, value: str, base: str, position: str, lanes: int) -> None:
        """Write numbers as elements."""
        if self.half:
            value = halves.shortened(self.f, value, self.dtype, lanes)
        self.store(value, base, position, lanes)

    def splat(self, value: str, lanes: int) -> str:
        """An element in every lane."""
        return broadcast(self.f, value, self.scalar, lanes)

    def arithmetic(self, op: str, x: str, y: str, lanes: int) -> str:
        """`add` or `mul` of numbers; of bools, or and and."""
        if self.dtype.kind == "b":
            op = {"add": "or", "mul": "and"}[op]
        return self.f.op(f"{'f' if self.floating else ''}{op} {self.number_type(lanes)} {x}, {y}")

    def choose(self, condition: str, x: str, y: str, type_: str, lanes: int) -> str:
        """x where the condition holds, else y."""
        return self.f.op(f"select {vector('i1', lanes)} {condition}, {type_} {x}, {type_} {y}")

    def compare(self, x: str, y: str, greater: bool, lanes: int, unordered: bool = False) -> str:
        """x > y or x < y, as i1; `unordered` also where either is NaN."""
        word = "gt" if greater else "lt"
        if self.floating:
            return self.f.op(f"fcmp {'u' if unordered else 'o'}{word} {self.number_type(lanes)} {x}, {y}")
        sign = "s" if self.dtype.kind == "i" else "u"
        return self.f.op(f"icmp {sign}{word} {self.number_type(lanes)} {x}, {y}")

    def beyond(self, x: str, best: str, greater: bool, lanes: int) -> str:
        """Tell whether x beats the best so far: a NaN beats every number, nothing beats a NaN."""
        better = self.compare(x, best, greater, lanes, unordered=True)
        if not self.floating:
            return better
        number = self.f.op(f"fcmp ord {self.number_type(lanes)} {best}, {best}")
        return self.f.op(f"and {vector('i1', lanes)} {better}, {number}")

    def before(self, x: str, y: str, descending: bool) -> str:
        """Tell whether x must stand before y when sorted; equals keep their order, and NaN is the largest of all."""
        if descending:
            x, y = y, x
        less = self.compare(x, y, False, 1)
        if not self.floating:
            return less
        last = self.f.op(f"fcmp uno {self.number_type(1)} {y}, {y}")
        number = self.f.op(f"fcmp ord {self.number_type(1)} {x}, {x}")
        return self.f.op(f"or i1 {less}, {self.f.op(f'and i1 {last}, {number}')}")
