# SPDX-License-Identifier: Apache-2.0
"""Sorting by all threads of a block: runs are merged from the bottom up, stable, NaN counting as the largest.

In each round a thread takes its elements, one after the other, and finds the place of each in the merged run: the
elements of its own run before it, and those of the neighbour that go before it, which a binary search counts. Elements
go from one copy of the line to the other. Longer lines are merged the same way by many blocks, see `merging`.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from hybridize.base.dims import is_symbolic
from hybridize.base.dtypes import int64
from hybridize.codegen.llvm.routines.cells import Cells
from hybridize.codegen.llvm.text import Function
from hybridize.codegen.llvm.threads import SharedMemory, block, thread, wait_for_block
from hybridize.schedule.device.routine_kernels import RoutineKernel
from hybridize.schedule.steps import RoutineStep

Side = Sequence[str]
"""Pointers to the keys, then to the numbers where there are any, of a copy of the line."""


class Lines(ABC):
    """The lines that a routine sorts: `n` keys each, and the numbers of their places with them where asked for."""

    def __init__(
        self, f: Function, step: RoutineStep, n: int, keys: Cells, *, numbered: bool, descending: bool = False
    ) -> None:
        self.f, self.step, self.n, self.keys = f, step, n, keys
        self.numbered, self.descending = numbered, descending
        self.numbers = Cells(f, int64)

    @abstractmethod
    def key(self, line: str, index: str) -> str:
        """Return the key at a place of a line."""

    def side(self, line: str, other: str | int) -> Side:
        """Return the copy of a line in scratch, or the other one where the i64 is 1."""
        f, offsets = self.f, dict(self.step.scratch.offsets)
        own = f.at("%scratch", f.times(line, self.step.scratch.nbytes))
        kinds = ("keys", "numbers")[: 1 + self.numbered]
        return [f.at(own, f.plus(f.times(other, offsets[f"other {x}"] - offsets[x]), offsets[x])) for x in kinds]

    def cells(self) -> list[Cells]:
        """Return the cells of the keys, and of the numbers where there are any."""
        return [self.keys, self.numbers][: 1 + self.numbered]

    def shared(self, memory: SharedMemory, n: int) -> list[Side]:
        """Reserve two copies of so many elements in shared memory; a kind is one array: WGSL has no other pointers."""
        kinds = [(one.dtype.itemsize, memory.array(one.scalar, 2 * n, one.dtype.itemsize)) for one in self.cells()]
        return [[self.f.at(array, number * n * nbytes) for nbytes, array in kinds] for number in range(2)]


class AxisLines(Lines):
    """The lines along an axis that `sort` and `arg_sort` sort."""

    def __init__(self, f: Function, step: RoutineStep) -> None:
        axis, descending = step.routine.parameters
        (kind,) = step.inputs
        keys, numbered = Cells(f, kind.dtype), step.routine.name == "arg_sort"
        super().__init__(f, step, kind.shape[axis], keys, numbered=numbered, descending=bool(descending))
        self.inner = math.prod(kind.shape[axis + 1 :])

    def place(self, line: str, index: str) -> str:
        """Return the place of an element in memory."""
        f = self.f
        row, column = f.op(f"udiv i64 {line}, {f.size(self.inner)}"), f.op(f"urem i64 {line}, {f.size(self.inner)}")
        return f.plus(f.times(index, self.inner), f.plus(f.times(row, self.n * self.inner), column))

    def key(self, line: str, index: str) -> str:
        return self.keys.load("%i0", self.place(line, index), 1)

    def finish(self, side: Side, index: str, place: str) -> None:
        """Store the result at a place of memory."""
        cells = self.cells()[-1]
        cells.store(cells.load(side[-1], index, 1), "%o0", place, 1)


def write_sort(f: Function, lines: Lines, kernel: RoutineKernel) -> None:
    """Write what sorts a line by a block, and stores the result where the routine has one."""
    line, memory = block(f), SharedMemory(f)
    if kernel.launch.shared_bytes:
        sides = lines.shared(memory, lines.n)
    else:
        sides = [lines.side(line, number) for number in range(2)]
    sorter = BlockSorter(lines, lines.n, sides, kernel.launch.threads)
    with sorter.each() as index:
        sorter.put(index, lines.key(line, index), index)
    result = sorter.sort(rounds_of(f, lines.n))
    if isinstance(lines, AxisLines):
        with sorter.each() as index:
            lines.finish(result, index, lines.place(line, index))


def rounds_of(f: Function, count: int) -> str:
    """Count the rounds that make one run of so many: the logarithm to base 2, rounded up."""
    if not is_symbolic(count):
        return str(math.ceil(math.log2(count)) if count > 1 else 0)
    zeros = f.module.declare("llvm.ctlz.i64", "i64", ["i64", "i1"])
    return f.minus(64, f.op(f"call i64 {zeros}(i64 {f.smax(f.minus(count, 1), 0)}, i1 false)"))


class BlockSorter:
    """Sorts `n` elements of a line by the threads of a block."""

    def __init__(self, lines: Lines, n: int | str, sides: Sequence[Side], threads: int) -> None:
        self.lines, self.f, self.n, self.sides = lines, lines.f, n, sides
        self._threads = threads

    @contextmanager
    def each(self) -> Iterator[str]:
        """Write what runs for each element, the threads taking turns."""
        with self.f.loop(thread(self.f), self.f.operand(self.n), self._threads) as loop:
            yield loop.index

    def put(self, index: str, key: str, number: str) -> None:
        """Store a key, and its number, in the line that will be sorted."""
        for cells, value, pointer in zip(self.lines.cells(), (key, number), self.sides[0], strict=False):
            cells.store(value, pointer, index, 1)

    def sort(self, rounds: str) -> Side:
        """Merge for some rounds; returns where the line lies then. All threads have waited for each other."""
        f, count = self.f, len(self.sides[0])
        wait_for_block(f)
        carry = [("ptr", pointer) for side in self.sides for pointer in side]
        with f.loop("0", rounds, carry=carry) as loop:
            source, target = loop.values[:count], loop.values[count:]
            self._round(loop.index, source, target)
            wait_for_block(f)
            loop.following = [*target, *source]
        return loop.results[:count]

    def _round(self, number: str, source: Side, target: Side) -> None:
        """Merge neighbouring runs of 2^number elements."""
        f, lines = self.f, self.lines
        width = f.op(f"shl i64 1, {number}")
        with self.each() as index:
            key = lines.keys.load(source[0], index, 1)
            run = f.op(f"lshr i64 {index}, {number}")
            first = f.op(f"shl i64 {run}, {number}")
            other = f.op(f"shl i64 {f.op(f'xor i64 {run}, 1')}, {number}")
            is_right = f.op(f"trunc i64 {run} to i1")
            end = f.smin(f.plus(other, width), self.n)
            ahead = number_before(lines, source[0], key, (other, end), is_right, f.plus(number, 1))
            before = f.plus(f.minus(index, first), f.minus(ahead, other))
            to = f.plus(f.smin(first, other), before)
            lines.keys.store(key, target[0], to, 1)
            if len(source) > 1:
                lines.numbers.store(lines.numbers.load(source[1], index, 1), target[1], to, 1)


def number_before(lines: Lines, pointer: str, key: str, run: tuple[str, str], is_right: str, steps: str | int) -> str:
    """Return the place in a sorted run, from its first to its end, behind those that go before a key.

    Equals go before where the i1 says that the key's own run `is_right` of this one. The steps are one more than the
    logarithm of the largest run.
    """
    f, keys = lines.f, lines.keys
    first, end = run
    value, last = keys.number(key, 1), f.smax(f.minus(end, 1), 0)

    def goes_before(place: str) -> str:
        near = keys.load_number(pointer, f.smin(place, last), 1)
        less, more = keys.before(near, value, lines.descending), keys.before(value, near, lines.descending)
        return f.op(f"select i1 {is_right}, i1 {f.op(f'xor i1 {more}, true')}, i1 {less}")

    return farthest(f, first, end, steps, lambda ahead: goes_before(f.minus(ahead, 1)))


def farthest(f: Function, first: str, end: str, steps: str | int, holds: Callable[[str], str]) -> str:
    """Return the largest number after `first` and up to `end` for which an i1 holds, which it does for all before; the
    `first` where there is none.

    Those for which it holds lie before all others: steps of half the size each. `holds` is asked of numbers beyond the
    end, too.
    """
    turns = f.operand(steps)
    widest = f.op(f"shl i64 1, {f.minus(turns, 1)}")
    with f.loop("0", turns, carry=[("i64", first)]) as search:
        ahead = f.plus(search.values[0], f.op(f"lshr i64 {widest}, {search.index}"))
        goes = f.op(f"and i1 {holds(ahead)}, {f.test('sle', ahead, end)}")
        search.following = [f.op(f"select i1 {goes}, i64 {ahead}, i64 {search.values[0]}")]
    return search.results[0]
