# SPDX-License-Identifier: Apache-2.0
"""Scatters without atomics: the order in which a row takes what is added to it is that of the tuples.

copy      the base becomes the result, unless it lies there
order     the tuples are sorted by the rows that they name
scatter   the first of those that name a row runs along them, a thread for each element of the row
"""

from __future__ import annotations

import math

from hybridize.base.dtypes import int64
from hybridize.codegen.llvm.device.sorting import BlockSorter, sides_of
from hybridize.codegen.llvm.routines.cells import Cells
from hybridize.codegen.llvm.text import Function
from hybridize.codegen.llvm.threads import thread_of_all
from hybridize.schedule.device.routines import RoutineKernel
from hybridize.schedule.steps import RoutineStep


def write_copy(f: Function, step: RoutineStep, kernel: RoutineKernel) -> None:
    """Copy the base to the result, a thread for each element."""
    cells, index = Cells(f, step.inputs[0].dtype), thread_of_all(f)
    inside = f.test("slt", index, kernel.units)
    with f.when(f.op(f"and i1 {inside}, {f.op('icmp ne ptr %o0, %i0')}")):
        cells.store(cells.load("%i0", index, 1), "%o0", index, 1)


def write_order(f: Function, step: RoutineStep, kernel: RoutineKernel) -> None:
    """Sort the numbers of the tuples by the rows of the base that they name, which one block does."""
    base, where = step.inputs[:2]
    depth, tuples = where.shape[-1], math.prod(where.shape[:-1])
    areas = {area: f.at("%scratch", at) for area, at in step.scratch.offsets}
    keys, indices = Cells(f, int64), Cells(f, where.dtype)
    sorter = BlockSorter(f, tuples, keys, sides_of(areas, numbered=True), kernel.launch.threads)
    with sorter.each() as index:
        row = "0"
        for axis in range(depth):
            number = indices.load("%i1", f.plus(f.times(index, depth), axis), 1)
            row = f.plus(f.times(row, base.shape[axis]), f.between(number, 0, f.minus(base.shape[axis], 1)))
        sorter.put(index, row)
    result = sorter.sort()
    elsewhere = f.op(f"icmp ne ptr {result[0]}, {sorter.sides[0][0]}")
    with f.when(elsewhere), sorter.each() as index:
        for source, target in zip(result, sorter.sides[0], strict=True):
            keys.store(keys.load(source, index, 1), target, index, 1)


def write_rows(f: Function, step: RoutineStep, kernel: RoutineKernel) -> None:
    """Replace or add to the rows of the result, a thread for each element of a tuple's row."""
    base, where = step.inputs[:2]
    (mode,) = step.routine.parameters
    depth, tuples = where.shape[-1], math.prod(where.shape[:-1])
    row = math.prod(base.shape[depth:])
    cells, words, index = Cells(f, base.dtype), Cells(f, int64), thread_of_all(f)
    areas = {area: f.at("%scratch", at) for area, at in step.scratch.offsets}
    keys, numbers = areas["keys"], areas["numbers"]
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
