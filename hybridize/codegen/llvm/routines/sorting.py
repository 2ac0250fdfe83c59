# SPDX-License-Identifier: Apache-2.0
"""Sorting along an axis: merging from the bottom up, stable, NaN counting as the largest.

Each line is copied to scratch, as keys and, for `arg_sort`, their numbers; runs of 1, 2, 4, ... are merged from one
half of the scratch into the other.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from hybridize.base.dims import is_symbolic, same
from hybridize.base.dtypes import int64
from hybridize.base.types import TensorType
from hybridize.codegen.llvm.routines.cells import Cells
from hybridize.codegen.llvm.routines.units import each_unit
from hybridize.codegen.llvm.text import Function
from hybridize.loops.expr import Routine
from hybridize.machine.target import Target


def write(
    f: Function,
    routine: Routine,
    inputs: Sequence[TensorType],
    outputs: Sequence[TensorType],
    target: Target,
    areas: Mapping[str, str],
) -> None:
    """Write the body of `sort` or `arg_sort` with parameters (axis, descending)."""
    axis, descending = routine.parameters
    shape = inputs[0].shape
    outer, n, inner = math.prod(shape[:axis]), shape[axis], math.prod(shape[axis + 1 :])
    if any(same(size, 0) for size in (outer, n, inner)):
        return
    sorter = _Sorter(f, inputs[0], n, bool(descending), areas)
    with each_unit(f, outer, inner) as (row, column):
        start = f.plus(f.times(row, n * inner), column)
        sorter.fetch(start, inner)
        sorter.deliver(start, inner, sorter.sort())


class _Sorter:
    def __init__(self, f: Function, type_: TensorType, n: int, descending: bool, areas: Mapping[str, str]) -> None:
        self.f = f
        self.n = n
        self.descending = descending
        self.numbered = "numbers" in areas
        self.keys = Cells(f, type_.dtype)
        self.numbers = Cells(f, int64)
        kinds = ("keys", "numbers") if self.numbered else ("keys",)
        self.sides = [[areas[kind] for kind in kinds], [areas[f"other {kind}"] for kind in kinds]]
        """Pointers to the keys, then to the numbers where there are any, of both copies."""

    def fetch(self, start: str, stride: int) -> None:
        """Bring a line into the first side."""
        f = self.f
        with f.loop(0, self.n) as loop:
            position = f.plus(f.times(loop.index, stride), start)
            self.keys.store(self.keys.load("%i0", position, 1), self.sides[0][0], loop.index, 1)
            if self.numbered:
                self.numbers.store(loop.index, self.sides[0][1], loop.index, 1)

    def deliver(self, start: str, stride: int, side: Sequence[str]) -> None:
        """Write the sorted line from where its keys and numbers are."""
        f = self.f
        cells = self.numbers if self.numbered else self.keys
        source = side[-1]
        with f.loop(0, self.n) as loop:
            position = f.plus(f.times(loop.index, stride), start)
            cells.store(cells.load(source, loop.index, 1), "%o0", position, 1)

    def sort(self) -> Sequence[str]:
        """Merge until the line is one run; returns where its keys and numbers lie, which depends on n alone."""
        rounds = self._rounds()
        if rounds != 0:
            f = self.f
            count = len(self.sides[0])
            carry = [("i64", "1"), *(("ptr", pointer) for side in self.sides for pointer in side)]
            with f.loop(0, rounds, carry=carry) as loop:
                width, *pointers = loop.values
                source, target = pointers[:count], pointers[count:]
                self._round(width, source, target)
                loop.following = [f.op(f"shl i64 {width}, 1"), *target, *source]
            if isinstance(rounds, str):
                return loop.results[1 : 1 + count]
        return self.sides[int(rounds) % 2]

    def _rounds(self) -> int | str:
        """The logarithm of n to base 2, rounded up."""
        if not is_symbolic(self.n):
            return math.ceil(math.log2(self.n)) if self.n > 1 else 0
        zeros = self.f.module.declare("llvm.ctlz.i64", "i64", ["i64", "i1"])
        # A line of no element has no rounds either: the count for -1 is 64.
        last = self.f.op(f"call i64 {zeros}(i64 {self.f.size(self.n - 1)}, i1 false)")
        rounds = self.f.minus(64, last)
        some = self.f.test("sgt", self.f.size(self.n), 0)
        return self.f.op(f"select i1 {some}, i64 {rounds}, i64 0")

    def _round(self, width: str, source: Sequence[str], target: Sequence[str]) -> None:
        """Merge neighbouring runs of `width` elements."""
        f = self.f
        pair = f.op(f"shl i64 {width}, 1")
        with f.loop(0, self.n, pair) as loop:
            middle = f.smin(f.plus(loop.index, width), self.n)
            end = f.smin(f.plus(loop.index, pair), self.n)
            carry = [("i64", loop.index), ("i64", middle)]
            with f.loop(loop.index, end, carry=carry) as merge:
                left, right = merge.values
                take_right = self._from_right(source[0], left, middle, right, end)
                from_ = f.op(f"select i1 {take_right}, i64 {right}, i64 {left}")
                self.keys.store(self.keys.load(source[0], from_, 1), target[0], merge.index, 1)
                if self.numbered:
                    self.numbers.store(self.numbers.load(source[1], from_, 1), target[1], merge.index, 1)
                step = f.op(f"zext i1 {take_right} to i64")
                following = f.plus(right, step)
                merge.following = [f.plus(left, f.minus(1, step)), following]

    def _from_right(self, keys: str, left: str, middle: str, right: str, end: str) -> str:
        """Tell whether the next element is the right run's: the left run is used up, or the right one is truly less."""
        f = self.f
        left_done, right_left = f.test("sge", left, middle), f.test("slt", right, end)
        # Positions are brought into the line where a run is used up; what is read there does not matter.
        x = self.keys.load_number(keys, f.smin(right, self.n - 1), 1)
        y = self.keys.load_number(keys, f.smin(left, self.n - 1), 1)
        less = f.op(f"and i1 {self.keys.before(x, y, self.descending)}, {right_left}")
        return f.op(f"or i1 {left_done}, {less}")
