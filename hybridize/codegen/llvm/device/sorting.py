# SPDX-License-Identifier: Apache-2.0
"""Sorting by all threads of a block: runs are merged from the bottom up, stable, NaN counting as the largest.

In each round a thread takes its elements, one after the other, and finds the place of each in the merged run: the
elements of its own run before it, and those of the neighbour that go before it, which a binary search counts. Elements
go from one copy of the line to the other.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

from hybridize.base.dims import is_symbolic
from hybridize.base.dtypes import int64
from hybridize.codegen.llvm.routines.cells import Cells
from hybridize.codegen.llvm.text import Function
from hybridize.codegen.llvm.threads import SharedMemory, block, thread, wait_for_block
from hybridize.schedule.device.routines import RoutineKernel
from hybridize.schedule.steps import RoutineStep

Side = Sequence[str]
"""Pointers to the keys, then to the numbers where there are any, of a copy of the line."""


def write_lines(f: Function, step: RoutineStep, kernel: RoutineKernel) -> None:
    """Write `sort` or `arg_sort`: a block for each line."""
    axis, descending = step.routine.parameters
    (kind,) = step.inputs
    n, inner = kind.shape[axis], math.prod(kind.shape[axis + 1 :])
    numbered = step.routine.name == "arg_sort"
    keys = Cells(f, kind.dtype)
    if kernel.launch.shared_bytes:
        memory = SharedMemory(f)
        kinds = [(keys.scalar, kind.dtype.itemsize), ("i64", 8)][: 1 + numbered]
        sides: list[Side] = [[memory.array(one, n, itemsize) for one, itemsize in kinds] for _ in range(2)]
    else:
        own = f.at("%scratch", f.times(block(f), step.scratch.nbytes))
        areas = {area: f.at(own, at) for area, at in step.scratch.offsets}
        sides = sides_of(areas, numbered=numbered)
    sorter = BlockSorter(f, n, keys, sides, kernel.launch.threads, descending=bool(descending))
    row, column = f.op(f"udiv i64 {block(f)}, {f.size(inner)}"), f.op(f"urem i64 {block(f)}, {f.size(inner)}")
    start = f.plus(f.times(row, n * inner), column)
    with sorter.each() as index:
        sorter.put(index, keys.load("%i0", f.plus(f.times(index, inner), start), 1))
    result = sorter.sort()
    cells = sorter.numbers if numbered else keys
    with sorter.each() as index:
        cells.store(cells.load(result[-1], index, 1), "%o0", f.plus(f.times(index, inner), start), 1)


def sides_of(areas: Mapping[str, str], *, numbered: bool) -> list[Side]:
    """The copies of a line that lie in areas of scratch."""
    kinds = ("keys", "numbers") if numbered else ("keys",)
    return [[areas[kind] for kind in kinds], [areas[f"other {kind}"] for kind in kinds]]


class BlockSorter:
    """Sorts a line of `n` keys, and the numbers of their places with them, if there is room for these."""

    def __init__(
        self, f: Function, n: int, keys: Cells, sides: Sequence[Side], threads: int, *, descending: bool = False
    ) -> None:
        self.f, self.n, self.keys, self.sides = f, n, keys, sides
        self.numbers = Cells(f, int64)
        self._threads, self._descending = threads, descending

    @contextmanager
    def each(self) -> Iterator[str]:
        """Write what runs for each element, the threads taking turns."""
        with self.f.loop(thread(self.f), self.f.size(self.n), self._threads) as loop:
            yield loop.index

    def put(self, index: str, key: str) -> None:
        """Store a key, and its number, in the line that will be sorted."""
        keys, *numbers = self.sides[0]
        self.keys.store(key, keys, index, 1)
        for pointer in numbers:
            self.numbers.store(index, pointer, index, 1)

    def sort(self) -> Side:
        """Merge until the line is one run; returns where it lies then. All threads have waited for each other."""
        f, count = self.f, len(self.sides[0])
        wait_for_block(f)
        rounds = self._rounds()
        carry = [("ptr", pointer) for side in self.sides for pointer in side]
        with f.loop("0", rounds, carry=carry) as loop:
            source, target = loop.values[:count], loop.values[count:]
            self._round(loop.index, source, target)
            wait_for_block(f)
            loop.following = [*target, *source]
        return loop.results[:count]

    def _rounds(self) -> str:
        """The logarithm of n to base 2, rounded up."""
        if not is_symbolic(self.n):
            return str(math.ceil(math.log2(self.n)) if self.n > 1 else 0)
        f = self.f
        zeros = f.module.declare("llvm.ctlz.i64", "i64", ["i64", "i1"])
        last = f.op(f"call i64 {zeros}(i64 {f.smax(f.minus(self.n, 1), 0)}, i1 false)")
        return f.minus(64, last)

    def _round(self, number: str, source: Side, target: Side) -> None:
        """Merge neighbouring runs of 2^number elements."""
        f, keys = self.f, self.keys
        width = f.op(f"shl i64 1, {number}")
        with self.each() as index:
            key = keys.load(source[0], index, 1)
            value = keys.number(key, 1)
            run = f.op(f"lshr i64 {index}, {number}")
            first = f.op(f"shl i64 {run}, {number}")
            other = f.op(f"shl i64 {f.op(f'xor i64 {run}, 1')}, {number}")
            is_right = f.op(f"trunc i64 {run} to i1")
            end = f.smin(f.plus(other, width), self.n)
            with f.loop("0", f.plus(number, 1), carry=[("i64", other)]) as search:
                # Those that go before lie before all others: steps of half the size each.
                ahead = f.plus(search.values[0], f.op(f"lshr i64 {width}, {search.index}"))
                place = f.smin(f.minus(ahead, 1), f.minus(self.n, 1))
                near = keys.load_number(source[0], place, 1)
                less, more = keys.before(near, value, self._descending), keys.before(value, near, self._descending)
                goes_before = f.op(f"select i1 {is_right}, i1 {f.op(f'xor i1 {more}, true')}, i1 {less}")
                goes_before = f.op(f"and i1 {goes_before}, {f.test('sle', ahead, end)}")
                search.following = [f.op(f"select i1 {goes_before}, i64 {ahead}, i64 {search.values[0]}")]
            before = f.plus(f.minus(index, first), f.minus(search.results[0], other))
            to = f.plus(f.smin(first, other), before)
            keys.store(key, target[0], to, 1)
            if len(source) > 1:
                self.numbers.store(self.numbers.load(source[1], index, 1), target[1], to, 1)
