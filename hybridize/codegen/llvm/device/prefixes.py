# SPDX-License-Identifier: Apache-2.0
"""Running totals of a long column by all threads of a block, as many elements at a time as there are threads.

Of those, each thread adds to its own the total that lies 1, 2, 4, ... elements before it, and then what came before all
of them. Columns of several parts have the totals of parts before. So sums of floats have an order of their own, which
follows from the length.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy

from hybridize.base.dims import same
from hybridize.base.dtypes import DType, float32
from hybridize.codegen.llvm.routines.cells import Cells
from hybridize.codegen.llvm.routines.emit import running_total
from hybridize.codegen.llvm.text import Function, literal
from hybridize.codegen.llvm.threads import SharedMemory, block, block_in_rows, thread, wait_for_block
from hybridize.schedule.device.routine_kernels import RoutineKernel
from hybridize.schedule.steps import RoutineStep


def write(f: Function, step: RoutineStep, kernel: RoutineKernel) -> None:
    """Write a kernel of `cum_sum`, `cum_prod` or `cum_max`: see `schedule.device.prefixes`."""
    _WRITERS[kernel.part](_Columns(f, step, kernel))


class _Columns:
    """Columns of parts of `tile` elements each, which blocks add up."""

    def __init__(self, f: Function, step: RoutineStep, kernel: RoutineKernel) -> None:
        (axis,), (kind,), (out,) = step.routine.parameters, step.inputs, step.outputs
        self.f, self._name, self.threads = f, step.routine.name, kernel.launch.threads
        self.n, self.tile, self._inner = kind.shape[axis], kernel.tile, math.prod(kind.shape[axis + 1 :])
        self.parts = (self.n + self.tile - 1) // self.tile
        self._source, self._result = Cells(f, kind.dtype), Cells(f, out.dtype)
        self.number = self._result.number_type(1)
        self.itemsize = max(4, out.dtype.itemsize)
        self._scratch = step.scratch.nbytes
        self.nothing = _nothing(self._result, out.dtype, self._name)

    def together(self, x: str, y: str) -> str:
        """Return the total of what came before, and an element."""
        return running_total(self._result, self._name, x, y, 1)

    def total(self, column: str, part: str) -> str:
        """Return the address of the total of a part, or of all parts up to it."""
        f = self.f
        return f.element(f.at("%scratch", f.times(column, self._scratch)), part, self.number)

    def load(self, address: str) -> str:
        """Load a total."""
        return self.f.op(f"load {self.number}, ptr {address}")

    def store(self, total: str, address: str) -> None:
        """Store a total."""
        self.f.do(f"store {self.number} {total}, ptr {address}")

    def element(self, column: str) -> Callable[[str], str]:
        """Return the places of a column's elements in memory."""
        f, inner = self.f, self._inner
        row, place = (f.op(f"{op} i64 {column}, {f.size(inner)}") for op in ("udiv", "urem"))
        start = f.plus(f.times(row, self.n * inner), place)
        return lambda index: f.plus(f.times(index, inner), start)

    def read(self, place: str) -> str:
        """Load an element of a column."""
        return self._source.load_number("%i0", place, 1)

    def write(self, total: str, place: str) -> None:
        """Store a result."""
        self._result.store_number(total, "%o0", place, 1)

    def run(
        self, start: str, stop: str, before: str, read: Callable[[str], str], write: Callable[[str, str], None]
    ) -> None:
        """Write the running totals of some elements, after those `before`."""
        f, number, threads, memory = self.f, self.number, self.threads, SharedMemory(self.f)
        itemsize, own, last = self.itemsize, thread(f), f.minus(stop, 1)
        sides = [memory.array(number, threads, itemsize) for _ in range(2)]
        carried = memory.array(number, 1, itemsize)
        with f.loop(start, stop, threads, carry=[(number, before)]) as turn:
            index = f.plus(turn.index, own)
            # Those beyond the end take part with the last element, and store nothing.
            at = f.smin(index, last)
            total = read(at)
            for step_number in range(threads.bit_length() - 1):
                distance, side = 1 << step_number, sides[step_number % 2]
                self.store(total, f.element(side, own, number))
                wait_for_block(f)
                earlier = self.load(f.element(side, f.smax(f.minus(own, distance), 0), number))
                reaches = f.test("sge", own, distance)
                total = self._result.choose(reaches, self.together(earlier, total), total, number, 1)
            total = self.together(turn.values[0], total)
            with f.when(f.test("sle", index, last)):
                write(total, at)
            with f.when(f.test("eq", own, threads - 1)):
                self.store(total, carried)
            wait_for_block(f)
            turn.following = [self.load(carried)]


def _write_totals(columns: _Columns) -> None:
    """Write what adds up a part of a column, which is not the last one: each thread the elements that are its share,
    then neighbours, twice as far apart in each round, so that their order stays.
    """
    f, own = columns.f, thread(columns.f)
    column, part = block_in_rows(f, columns.parts - 1)
    share, place = columns.tile // columns.threads, columns.element(column)
    start = f.plus(f.times(part, columns.tile), f.times(own, share))
    with f.loop(1, f.size(share), carry=[(columns.number, columns.read(place(start)))]) as loop:
        loop.following = [columns.together(loop.values[0], columns.read(place(f.plus(start, loop.index))))]
    totals = SharedMemory(f).array(columns.number, columns.threads, columns.itemsize)
    mine = f.element(totals, own, columns.number)
    columns.store(loop.results[0], mine)
    with f.loop(0, columns.threads.bit_length() - 1) as rounds:
        wait_for_block(f)
        distance = f.op(f"shl i64 1, {rounds.index}")
        rest = f.op(f"and i64 {own}, {f.minus(f.op(f'shl i64 {distance}, 1'), 1)}")
        with f.when(f.test("eq", rest, 0)):
            other = columns.load(f.element(totals, f.plus(own, distance), columns.number))
            columns.store(columns.together(columns.load(mine), other), mine)
    with f.when(f.test("eq", own, 0)):
        columns.store(columns.load(mine), columns.total(column, part))


def _write_offsets(columns: _Columns) -> None:
    """Write what makes totals of parts running totals."""
    f, column = columns.f, block(columns.f)

    def write(total: str, part: str) -> None:
        columns.store(total, columns.total(column, part))

    columns.run(
        "0", f.size(columns.parts - 1), columns.nothing, lambda part: columns.load(columns.total(column, part)), write
    )


def _write_parts(columns: _Columns) -> None:
    """Write the running totals of a part of a column."""
    f, before = columns.f, columns.nothing
    if same(columns.parts, 1):
        column, start, stop = block(f), "0", f.size(columns.n)
    else:
        column, part = block_in_rows(f, columns.parts)
        start = f.times(part, columns.tile)
        stop = f.smin(f.plus(start, columns.tile), columns.n)
        is_first, first = f.test("eq", part, 0), f.label
        later, begin = f.fresh("later"), f.fresh("begin")
        f.branch(is_first, begin, later, begin=later)
        total = columns.load(columns.total(column, f.minus(part, 1)))
        f.enter(begin)
        before = f.op(f"phi {columns.number} [ {before}, %{first} ], [ {total}, %{later} ]")
    place = columns.element(column)
    columns.run(
        start, stop, before, lambda at: columns.read(place(at)), lambda total, at: columns.write(total, place(at))
    )


_WRITERS = {"totals": _write_totals, "offsets": _write_offsets, "prefixes": _write_parts}


def _nothing(cells: Cells, dtype: DType, name: str) -> str:
    """Return the total of nothing: it changes no element that comes after it, zeros of either sign included."""
    if name == "cum_prod":
        value: float = 1
    elif name == "cum_sum":
        value = -0.0 if cells.floating else 0
    else:
        value = -math.inf if cells.floating else int(numpy.iinfo(dtype).min)
    return literal(value, float32 if cells.half else dtype)
