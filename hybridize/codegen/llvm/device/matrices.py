# SPDX-License-Identifier: Apache-2.0
"""Factors of matrices, and equations with triangular ones, by all threads of a block.

The factors are those that `routines.factors` writes: the threads share its loops over lines, and wait where one reads
what another stored. So each element is what it is on a processor. Equations are solved the other way around: what is
known of an unknown is subtracted from all others at once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Self

from hybridize.base.dtypes import DType
from hybridize.codegen.llvm.routines import factors
from hybridize.codegen.llvm.routines.factors import size
from hybridize.codegen.llvm.routines.reals import Position, Reals
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
)
from hybridize.machine.target import Target
from hybridize.schedule.device.routine_kernels import RoutineKernel
from hybridize.schedule.steps import RoutineStep


def write(f: Function, step: RoutineStep, kernel: RoutineKernel, target: Target) -> None:
    """Write `cholesky`, `lu` or `solve_triangular`: a block for each matrix, or for each column of its right side."""
    if step.routine.name == "solve_triangular":
        _write_triangular(f, step, target)
    else:
        f.unit = block(f)
        writer = factors.write_cholesky if step.routine.name == "cholesky" else factors.write_lu
        writer(f, step.routine, step.inputs, step.outputs, target, TeamReals)


class TeamReals(Reals):
    """Writes loops over lines for the threads of a block, or of a warp, which share them."""

    def __init__(self, f: Function, dtype: DType, target: Target) -> None:
        super().__init__(f, dtype, target)
        assert isinstance(f, KernelFunction)
        assert target.device is not None
        self._rank, self._threads, self._warp = thread(f), f.bounds["tid.x"], target.device.warp

    def _of_warp(self, rank: str) -> Self:
        """The same for a thread of a warp."""
        one = type(self)(self.f, self.dtype, self.target)
        one._rank, one._threads = rank, self._warp
        return one

    def meet(self) -> None:
        wait_for_block(self.f)

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

    def farthest_from_zero(self, start: Position, stop: Position, element: Callable[[Position], str]) -> str:
        """The threads begin with the first element; their best ones meet, of equal ones the first."""
        f, kinds = self.f, (self.type, "i64")
        best = [self.abs(self.load(element(start))), str(start)]
        first = f.plus(f.plus(self._rank, str(start)), 1)
        with f.loop(first, stop, self._threads, carry=list(zip(kinds, best, strict=True))) as loop:
            loop.following = self.farther(element, loop.index, loop.values)
        best, distance = loop.results, self._warp // 2
        while distance:
            behind = [from_below(f, x, kind, distance) for x, kind in zip(best, kinds, strict=True)]
            best, distance = self._better(best, behind), distance // 2
        if self._threads == self._warp:
            return from_first(f, best[1], "i64")
        memory, warps = SharedMemory(f), self._threads // self._warp
        arrays = [
            memory.array(kind, warps, nbytes) for kind, nbytes in zip(kinds, (self.dtype.itemsize, 8), strict=True)
        ]
        warp, rank = (f.op(f"{op} i64 {self._rank}, {self._warp}") for op in ("udiv", "urem"))
        with f.when(f.test("eq", rank, 0)):
            for x, kind, array in zip(best, kinds, arrays, strict=True):
                f.do(f"store {kind} {x}, ptr {f.element(array, warp, kind)}")
        self.meet()

        def state(number: str) -> list[str]:
            return [
                f.op(f"load {kind}, ptr {f.element(array, number, kind)}")
                for kind, array in zip(kinds, arrays, strict=True)
            ]

        with f.loop(1, warps, carry=list(zip(kinds, state("0"), strict=True))) as loop:
            loop.following = self._better(loop.values, state(loop.index))
        return loop.results[1]

    def _better(self, x: Sequence[str], y: Sequence[str]) -> list[str]:
        """The one of two (magnitude, number) that is farther from zero, of equal ones the first."""
        f = self.f
        earlier = f.op(f"and i1 {self.compare('oeq', y[0], x[0])}, {f.test('slt', y[1], x[1])}")
        better = f.op(f"or i1 {self.compare('ogt', y[0], x[0])}, {earlier}")
        return [self.select(better, y[0], x[0]), f.op(f"select i1 {better}, i64 {y[1]}, i64 {x[1]}")]


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
