# SPDX-License-Identifier: Apache-2.0
"""Scatters without atomics: the order in which a row takes what is added to it is that of the tuples.

copy      the base becomes the result, unless it lies there
sort      the tuples by the rows that they name, or runs of them, and merge these
scatter   the first of those that name a row runs along them, a thread for each element of the row
"""

from __future__ import annotations

import math

from hybridize.base.dtypes import int64
from hybridize.codegen.llvm.device.merging import sorted_side
from hybridize.codegen.llvm.device.sorting import Lines
from hybridize.codegen.llvm.routines.cells import Cells
from hybridize.codegen.llvm.text import Function
from hybridize.codegen.llvm.threads import thread_of_all
from hybridize.schedule.device.routine_kernels import RoutineKernel
from hybridize.schedule.steps import RoutineStep


def write_copy(f: Function, step: RoutineStep, kernel: RoutineKernel) -> None:
    """Copy the base to the result, a thread for each element."""
    cells, index = Cells(f, step.inputs[0].dtype), thread_of_all(f)
    inside = f.test("slt", index, kernel.units)
    with f.when(f.op(f"and i1 {inside}, {f.op('icmp ne ptr %o0, %i0')}")):
        cells.store(cells.load("%i0", index, 1), "%o0", index, 1)


class TupleLines(Lines):
    """The only line of a scatter: numbers of tuples, by the rows of the base that they name."""

    def __init__(self, f: Function, step: RoutineStep) -> None:
        where = step.inputs[1]
        super().__init__(f, step, math.prod(where.shape[:-1]), Cells(f, int64), numbered=True)

    def key(self, line: str, index: str) -> str:
        f, (base, where) = self.f, self.step.inputs[:2]
        indices, depth, row = Cells(f, where.dtype), where.shape[-1], "0"
        for axis in range(depth):
            number = indices.load("%i1", f.plus(f.times(index, depth), axis), 1)
            row = f.plus(f.times(row, base.shape[axis]), f.between(number, 0, f.minus(base.shape[axis], 1)))
        return row


def write_rows(f: Function, step: RoutineStep, kernel: RoutineKernel) -> None:
    """Replace or add to the rows of the result, a thread for each element of a tuple's row."""
    base, where = step.inputs[:2]
    (mode,) = step.routine.parameters
    depth, tuples = where.shape[-1], math.prod(where.shape[:-1])
    row = math.prod(base.shape[depth:])
    cells, words, index = Cells(f, base.dtype), Cells(f, int64), thread_of_all(f)
    keys, numbers = sorted_side(TupleLines(f, step), "0", kernel.tile)
    last = f.minus(tuples, 1)
    with f.when(f.test("slt", index, kernel.units)):
        place, column = f.op(f"udiv i64 {index}, {f.size(row)}"), f.op(f"urem i64 {index}, {f.size(row)}")
        key = words.load(keys, place, 1)
        # Of those that name a row the first adds up all, or the last replaces it.
        neighbour = f.smin(f.plus(place, 1), last) if mode == "set" else f.smax(f.minus(place, 1), 0)
        is_edge = f.test("eq", place, last if mode == "set" else 0)
        differs = f.test("ne", words.load(keys, neighbour, 1), key)
        to = f.plus(f.times(key, row), column)

        def element(at: str) -> str:
            return f.plus(f.times(words.load(numbers, at, 1), row), column)

        with f.when(f.op(f"or i1 {is_edge}, {differs}")):
            if mode == "set":
                cells.store(cells.load("%i2", element(place), 1), "%o0", to, 1)
                return
            with f.loop(place, f.size(tuples), some=True) as loop:
                value = cells.arithmetic(
                    "add", cells.load_number("%o0", to, 1), cells.load_number("%i2", element(loop.index), 1), 1
                )
                cells.store_number(value, "%o0", to, 1)
                following = f.smin(f.plus(loop.index, 1), last)
                loop.more = f.test("eq", words.load(keys, following, 1), key)
