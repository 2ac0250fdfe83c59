# SPDX-License-Identifier: Apache-2.0
"""Running totals of a long column by all threads of a block, as many elements at a time as there are threads.

Of those, each thread adds to its own the total that lies 1, 2, 4, ... elements before it, and then what came before all
of them. So sums of floats have an order of their own, which follows from the length.
"""

from __future__ import annotations

import math

import numpy

from hybridize.base.dtypes import DType, float32
from hybridize.codegen.llvm.routines.cells import Cells
from hybridize.codegen.llvm.routines.emit import running_total
from hybridize.codegen.llvm.text import Function, literal
from hybridize.codegen.llvm.threads import SharedMemory, block, thread, wait_for_block
from hybridize.schedule.device.routine_kernels import RoutineKernel
from hybridize.schedule.steps import RoutineStep


def write(f: Function, step: RoutineStep, kernel: RoutineKernel) -> None:
    """Write `cum_sum`, `cum_prod` or `cum_max`: a block for each column."""
    (axis,), (kind,), (out,) = step.routine.parameters, step.inputs, step.outputs
    n, inner, threads = kind.shape[axis], math.prod(kind.shape[axis + 1 :]), kernel.launch.threads
    source, result = Cells(f, kind.dtype), Cells(f, out.dtype)
    number, memory = result.number_type(1), SharedMemory(f)
    sides = [memory.array(number, threads, max(4, out.dtype.itemsize)) for _ in range(2)]
    carried = memory.array(number, 1, max(4, out.dtype.itemsize))
    row, column = f.op(f"udiv i64 {block(f)}, {f.size(inner)}"), f.op(f"urem i64 {block(f)}, {f.size(inner)}")
    start, own, last = f.plus(f.times(row, n * inner), column), thread(f), f.minus(n, 1)

    def together(x: str, y: str) -> str:
        return running_total(result, step.routine.name, x, y, 1)

    with f.loop("0", f.size(n), threads, carry=[(number, _nothing(result, out.dtype, step.routine.name))]) as turn:
        index = f.plus(turn.index, own)
        # Those beyond the end take part with the last element, and store nothing.
        at = f.plus(f.times(f.smin(index, last), inner), start)
        total = source.load_number("%i0", at, 1)
        for step_number in range(threads.bit_length() - 1):
            distance, side = 1 << step_number, sides[step_number % 2]
            f.do(f"store {number} {total}, ptr {f.element(side, own, number)}")
            wait_for_block(f)
            place = f.smax(f.minus(own, distance), 0)
            before = f.op(f"load {number}, ptr {f.element(side, place, number)}")
            reaches = f.test("sge", own, distance)
            total = result.choose(reaches, together(before, total), total, number, 1)
        total = together(turn.values[0], total)
        with f.when(f.test("sle", index, last)):
            result.store_number(total, "%o0", at, 1)
        with f.when(f.test("eq", own, threads - 1)):
            f.do(f"store {number} {total}, ptr {carried}")
        wait_for_block(f)
        turn.following = [f.op(f"load {number}, ptr {carried}")]


def _nothing(cells: Cells, dtype: DType, name: str) -> str:
    """Return the total of nothing: it changes no element that comes after it, zeros of either sign included."""
    if name == "cum_prod":
        value: float = 1
    elif name == "cum_sum":
        value = -0.0 if cells.floating else 0
    else:
        value = -math.inf if cells.floating else int(numpy.iinfo(dtype).min)
    return literal(value, float32 if cells.half else dtype)
