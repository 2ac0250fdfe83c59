# SPDX-License-Identifier: Apache-2.0
"""Factors of matrices, and equations with triangular ones, by all threads of a block.

The code is that of processors, in `routines`: the threads share its loops over lines, and wait where one reads what
another stored. So elements that know nothing of each other are what they are on a processor. Sums along lines have an
order of their own. Equations are solved the other way around: what is known of an unknown is subtracted from all others
at once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Self

from hybridize.base.dtypes import DType
from hybridize.codegen.llvm.routines.emit import WRITERS, WRITERS_WITH_SCRATCH
from hybridize.codegen.llvm.routines.factors import size
from hybridize.codegen.llvm.routines.reals import Position, Reals
from hybridize.codegen.llvm.routines.units import areas_of
from hybridize.codegen.llvm.text import Function
from hybridize.codegen.llvm.threads import (
    KernelFunction,
    SharedMemory,
    block,
    block_in_rows,
    from_below,
    from_first,
    thread,
    wait_for_block,
    wait_for_warp,
)
from hybridize.machine.target import Target
from hybridize.schedule.device.routine_kernels import RoutineKernel
from hybridize.schedule.steps import RoutineStep


def write(f: Function, step: RoutineStep, kernel: RoutineKernel, target: Target) -> None:
    """Write the routine of a matrix by a block for each, or for each column of the right side of equations."""
    routine, operands = step.routine, (step.inputs, step.outputs, target)
    if routine.name == "solve_triangular":
        _write_triangular(f, step, target)
        return
    f.unit = block(f)
    if routine.name in WRITERS:
        WRITERS[routine.name](f, routine, *operands, TeamReals)
    else:
        WRITERS_WITH_SCRATCH[routine.name](f, routine, *operands, areas_of(f, step.scratch), TeamReals)


class TeamReals(Reals):
    """Writes loops over lines for the threads of a block, or of a warp, which share them."""

    def __init__(self, f: Function, dtype: DType, target: Target) -> None:
        super().__init__(f, dtype, target)
        assert isinstance(f, KernelFunction)
        assert target.device is not None
        self._rank, self._threads, self._warp = thread(f), f.bounds["tid.x"], target.device.warp
        self._wait, self._memory = wait_for_block, SharedMemory(f)
        self._states: dict[str, str] = {}
        """Arrays for a number of each warp, by their type."""

    def _of_warp(self, rank: str) -> Self:
        """The same for a thread of a warp."""
        one = type(self)(self.f, self.dtype, self.target)
        one._rank, one._threads, one._wait = rank, self._warp, wait_for_warp
        return one

    def meet(self) -> None:
        self._wait(self.f)

    @contextmanager
    def alone(self) -> Iterator[None]:
        with self.f.when(self.f.test("eq", self._rank, 0)):
            yield

    @contextmanager
    def spread(self, start: Position, stop: Position) -> Iterator[str]:
        with self.f.loop(self.f.plus(self._rank, str(start)), stop, self._threads) as loop:
            yield loop.index

    @contextmanager
    def each_line(self, start: Position, stop: Position) -> Iterator[tuple[Reals, str]]:
        """Warps take lines, and their threads the elements of these."""
        f = self.f
        warp, rank = (f.op(f"{op} i64 {self._rank}, {self._warp}") for op in ("udiv", "urem"))
        with f.loop(f.plus(warp, str(start)), stop, self._threads // self._warp) as loop:
            yield self._of_warp(rank), loop.index

    def each(self, count: Position, body: Callable[[str, int], None]) -> None:
        with self.spread(0, count) as index:
            body(index, 1)

    def subtract_combination(
        self, to: str, first: Position, count: Position, factor: Callable[[Position], str],
        line: Callable[[Position], str], length: Position, group: int = 4,
    ) -> None:  # fmt: skip
        """Each thread has its element of the line in a register until all is subtracted, in order."""
        f = self.f
        with self.spread(0, length) as offset:
            total, at = self.load(to, offset), self.f.operand(first)
            whole = f.op(f"and i64 {f.minus(count, at)}, {-group}")
            middle = f.plus(at, whole)
            for start, stop, step in ((at, middle, group), (middle, f.operand(count), 1)):
                with f.loop(start, stop, step, carry=[(self.type, total)]) as loop:
                    value = loop.values[0]
                    for number in range(step):
                        k = f.plus(loop.index, number)
                        value = self.fma(self.neg(factor(k)), self.load(line(k), offset), value)
                    loop.following = [value]
                total = loop.results[0]
            self.store(total, to, offset)

    @contextmanager
    def each_pair(self, count: Position) -> Iterator[tuple[Reals, str, str]]:
        """Warps take pairs whose numbers have one sum, then those of the next sum: no two of them share a line."""
        f = self.f
        with f.loop(1, self.minus(self.plus(count, count), 2)) as sums:
            start = f.smax(0, self.plus(self.minus(sums.index, count), 1))
            stop = f.op(f"lshr i64 {f.plus(sums.index, 1)}, 1")
            with self.each_line(start, stop) as (one, first):
                yield one, first, f.minus(sums.index, first)
            self.meet()

    def agree(self, pointer: str, choose: Callable[[str, str], str]) -> None:
        (number,) = self._together([self.get(pointer)], ["i64"], lambda x, y: [choose(x[0], y[0])])
        self.put(number, pointer)

    def farthest_from_zero(self, start: Position, stop: Position, element: Callable[[Position], str]) -> str:
        return self._first(start, stop, lambda number: self.abs(self.load(element(number))), "ogt")

    def extreme(self, line: str, start: Position, stop: Position, word: str) -> str:
        return self._first(start, stop, lambda number: self.load(line, number), word)

    def first_from(self, least: str, line: str, count: Position) -> str:
        def is_large(value: str) -> str:
            magnitude = self.abs(value)
            some = self.compare("ogt", magnitude, self.number(0))
            return self.f.op(f"and i1 {some}, {self.compare('oge', magnitude, least)}")

        def known(number: Position) -> str:
            return self.select(is_large(self.load(line, number)), self.number(1), self.number(0))

        value = self.load(line, self._first(0, count, known, "ogt"))
        return self.select(is_large(value), value, self.number(0))

    def _first(self, start: Position, stop: Position, element: Callable[[Position], str], word: str) -> str:
        """The threads begin with the first element; their best ones meet, of equal ones the first."""
        f, kinds = self.f, (self.type, "i64")

        def better(x: Sequence[str], y: Sequence[str]) -> list[str]:
            earlier = f.op(f"and i1 {self.compare('oeq', y[0], x[0])}, {f.test('slt', y[1], x[1])}")
            better = f.op(f"or i1 {self.compare(word, y[0], x[0])}, {earlier}")
            return [self.select(better, y[0], x[0]), f.op(f"select i1 {better}, i64 {y[1]}, i64 {x[1]}")]

        carry = list(zip(kinds, (element(start), str(start)), strict=True))
        first = f.plus(f.plus(self._rank, str(start)), 1)
        with f.loop(first, stop, self._threads, carry) as loop:
            loop.following = better(loop.values, [element(loop.index), loop.index])
        return self._together(loop.results, kinds, better)[1]

    def _folded(
        self, count: Position, term: Callable[[str, int, str], str], combine: Callable[[str, str, str], str]
    ) -> str:
        with self.f.loop(self._rank, count, self._threads, [(self.type, self.number(0))]) as loop:
            loop.following = [term(loop.index, 1, loop.values[0])]
        return self._together(loop.results, [self.type], lambda x, y: [combine(self.type, x[0], y[0])])[0]

    def _together(
        self, state: Sequence[str], kinds: Sequence[str], combine: Callable[[Sequence[str], Sequence[str]], list[str]]
    ) -> list[str]:
        """The states of all threads as one: those of a warp by registers, halves first, then those of its warps."""
        f, distance = self.f, self._warp // 2
        while distance:
            behind = [from_below(f, x, kind, distance) for x, kind in zip(state, kinds, strict=True)]
            state, distance = combine(state, behind), distance // 2
        if self._wait is wait_for_warp:
            return [from_first(f, x, kind) for x, kind in zip(state, kinds, strict=True)]
        warps = self._threads // self._warp
        for kind in kinds:
            if kind not in self._states:
                self._states[kind] = self._memory.array(kind, warps, 8)
        arrays = [self._states[kind] for kind in kinds]
        warp, rank = (f.op(f"{op} i64 {self._rank}, {self._warp}") for op in ("udiv", "urem"))
        with f.when(f.test("eq", rank, 0)):
            for x, kind, array in zip(state, kinds, arrays, strict=True):
                f.do(f"store {kind} {x}, ptr {f.element(array, warp, kind)}")
        self.meet()

        def read(number: str) -> list[str]:
            return [
                f.op(f"load {kind}, ptr {f.element(array, number, kind)}")
                for kind, array in zip(kinds, arrays, strict=True)
            ]

        with f.loop(1, warps, carry=list(zip(kinds, read("0"), strict=True))) as loop:
            loop.following = combine(loop.values, read(loop.index))
        return loop.results

    def unit_line(self, to: str, position: Position, length: Position) -> None:
        with self.spread(0, length) as offset:
            there = self.f.test("eq", offset, position)
            self.store(self.select(there, self.number(1), self.number(0)), to, offset)

    def identity(self, to: str, lines: Position, length: Position) -> None:
        with self.each_line(0, lines) as (one, number):
            one.unit_line(self.at(to, self.times(number, length)), number, length)

    def turn(
        self, lines: str, k: Position, above: Position, by: tuple[str, str], length: Position, notes: Sequence[str]
    ) -> None:
        for number, line in zip(by, notes, strict=True):
            self.store(number, line, k)

    def turn_as_noted(self, lines: str, stop: str, start: Position, length: Position, notes: Sequence[str]) -> None:
        """Each thread has an element of the upper line in a register until it has met all others."""
        f = self.f
        self.agree(stop, f.smin)
        end = self.get(stop)
        with self.spread(0, length) as offset:
            column = self.at(lines, offset)
            first = self.load(column, self.times(start, length))
            with f.loop(0, f.minus(f.minus(start, end), 1), carry=[(self.type, first)]) as loop:
                above = self.minus(start, loop.index)
                k = self.minus(above, 1)
                cosine, sine = (self.load(line, k) for line in notes)
                (upper,), lower = loop.values, self.load(column, self.times(k, length))
                value = self.fma(sine, lower, self.mul(cosine, upper))
                self.store(value, column, self.times(above, length))
                loop.following = [self.fma(cosine, lower, self.neg(self.mul(sine, upper)))]
            self.store(loop.results[0], column, self.times(self.plus(end, 1), length))


def _write_triangular(f: Function, step: RoutineStep, target: Target) -> None:
    """y with t y = b, or t^T y = b. Until the end y has what its diagonal has not divided yet."""
    lower, unit, transposed = step.routine.parameters
    kind, side = step.inputs
    r, ahead = TeamReals(f, kind.dtype, target), lower != transposed
    n, m = size(f, kind.shape[-1]), size(f, side.shape[-1])
    number, column = block_in_rows(f, m)
    t, first = r.at("%i0", r.times(number, r.times(n, n))), r.plus(r.times(number, r.times(n, m)), column)
    b, y = r.at("%i1", first), r.at("%o0", first)

    def element(i: Position, k: Position) -> str:
        return r.load(t, r.plus(r.times(k, n), i) if transposed else r.plus(r.times(i, n), k))

    with r.spread(0, n) as i:
        r.store(r.load(b, r.times(i, m)), y, r.times(i, m))
    with f.loop(0, r.minus(n, 1)) as steps:
        r.meet()
        k = steps.index if ahead else r.minus(r.minus(n, 1), steps.index)
        known = r.load(y, r.times(k, m))
        if not unit:
            known = r.div(known, element(k, k))
        with r.spread(r.plus(k, 1) if ahead else 0, n if ahead else k) as i:
            place = r.at(y, r.times(i, m))
            r.store(r.fma(r.neg(element(i, k)), known, r.load(place)), place)
    if not unit:
        r.meet()
        with r.spread(0, n) as i:
            r.store(r.div(r.load(y, r.times(i, m)), element(i, i)), y, r.times(i, m))
