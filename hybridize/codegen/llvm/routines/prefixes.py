# SPDX-License-Identifier: Apache-2.0
"""Products with the first rows of a matrix, as many as data says: dot products with each, and their weighted sums.

The matrix is read once, from the first row on, and no further than it counts; the few rows of the other operand stay in
the first cache. Dot products take four rows of the matrix at a time, each with a register of partial sums; sums take
four registers of columns at a time, over all rows.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from hybridize.base.dims import is_symbolic, same
from hybridize.base.dtypes import float32
from hybridize.base.types import TensorType
from hybridize.codegen.llvm.routines.cells import Cells
from hybridize.codegen.llvm.routines.units import each_unit
from hybridize.codegen.llvm.text import Function, broadcast, in_names, shuffled, vector
from hybridize.loops.expr import Routine
from hybridize.machine.target import Target
from hybridize.schedule import thresholds

Types = Sequence[TensorType]


class _Numbers(Cells):
    """Elements as numbers, with fused multiply-adds where the machine has them, and sums over lanes."""

    def __init__(self, f: Function, kind: TensorType, target: Target) -> None:
        super().__init__(f, kind.dtype)
        self.fma = target.fma
        self.lanes = target.lanes(max(float32.itemsize, kind.dtype.itemsize))

    def zero(self, lanes: int) -> str:
        return "zeroinitializer" if lanes > 1 else "0.0"

    def multiply_add(self, x: str, y: str, total: str, lanes: int) -> str:
        kind = self.number_type(lanes)
        word = f"llvm.{'fma' if self.fma else 'fmuladd'}.{in_names(self.number_scalar, lanes)}"
        name = self.f.module.declare(word, kind, [kind] * 3)
        return self.f.op(f"call {kind} {name}({kind} {x}, {kind} {y}, {kind} {total})")

    def total(self, x: str, lanes: int) -> str:
        """The sum of all lanes, halves added to halves."""
        while lanes > 1:
            lanes //= 2
            kind, wide = vector(self.number_scalar, lanes), vector(self.number_scalar, 2 * lanes)
            halves = []
            for first in (0, lanes):
                if lanes == 1:
                    halves.append(self.f.op(f"extractelement {wide} {x}, i32 {first}"))
                else:
                    halves.append(shuffled(self.f, wide, x, range(first, first + lanes)))
            x = self.f.op(f"fadd {kind} {halves[0]}, {halves[1]}")
        return x

    def spread(self, x: str, lanes: int) -> str:
        """A number in every lane."""
        return broadcast(self.f, x, self.number_scalar, lanes)


def _count(f: Function, rows: int) -> str:
    """The number of rows that count, brought between 0 and all."""
    return f.between(f.op("load i64, ptr %i2, align 8"), 0, rows)


def _whole(size: int, lanes: int) -> int:
    """As much of a row as whole registers hold."""
    return size // lanes * lanes


def write_dots(f: Function, routine: Routine, inputs: Types, outputs: Types, target: Target) -> None:
    """Write `dots_until`."""
    x, rows, _ = inputs
    batch, (m, d), n = math.prod(x.shape[:-2]), x.shape[-2:], rows.shape[-2]
    if any(same(size, 0) for size in (batch, m, n)):
        return
    numbers = _Numbers(f, x, target)
    count = _count(f, n)
    if target.device is not None:
        with each_unit(f, batch, m, n) as (member, query, k):
            row, first = f.plus(f.times(member, m), query), f.plus(f.times(member, n), k)
            numbers.store_number(numbers.zero(1), "%o0", f.plus(f.times(row, n), k), 1)
            with f.when(f.test("slt", k, count)):
                (total,) = _dots(numbers, f.times(row, d), [f.times(first, d)], d)
                numbers.store_number(total, "%o0", f.plus(f.times(row, n), k), 1)
        return
    whole = f.op(f"and i64 {count}, {-thresholds.PREFIXES_TOGETHER}")
    with f.loop(0, batch) as members, f.loop(0, m) as queries:
        row = f.plus(f.times(members.index, m), queries.index)
        query, first, result = f.times(row, d), f.times(members.index, n * d), f.times(row, n)

        def dots(at: str, together: int) -> None:
            starts = [f.plus(first, f.times(f.plus(at, k), d)) for k in range(together)]
            for k, total in enumerate(_dots(numbers, query, starts, d)):
                numbers.store_number(total, "%o0", f.plus(result, at, k), 1)

        with f.loop(0, whole, thresholds.PREFIXES_TOGETHER) as four:
            dots(four.index, thresholds.PREFIXES_TOGETHER)
        with f.loop(whole, count) as one:
            dots(one.index, 1)
        zero = numbers.zero(1)
        with f.loop(count, f.size(n)) as rest:
            numbers.store_number(zero, "%o0", f.plus(result, rest.index), 1)


def _dots(numbers: _Numbers, query: str, starts: Sequence[str], d: int) -> list[str]:
    """The products of a row of x and rows of the matrix."""
    f, lanes = numbers.f, numbers.lanes

    def along(first: int, last: int, width: int, totals: Sequence[str]) -> list[str]:
        kind = numbers.number_type(width)
        with f.loop(first, last, width, [(kind, total) for total in totals]) as terms:
            own = numbers.load_number("%i0", f.plus(query, terms.index), width)
            terms.following = [
                numbers.multiply_add(own, numbers.load_number("%i1", f.plus(start, terms.index), width), total, width)
                for start, total in zip(starts, terms.values, strict=True)
            ]
        return terms.results

    whole = _whole(d, lanes) if lanes > 1 else 0
    totals = [numbers.zero(1)] * len(starts)
    if not same(whole, 0):
        totals = [numbers.total(x, lanes) for x in along(0, whole, lanes, [numbers.zero(lanes)] * len(starts))]
    return totals if same(whole, d) else along(whole, d, 1, totals)


def write_sums(f: Function, routine: Routine, inputs: Types, outputs: Types, target: Target) -> None:
    """Write `sum_until`."""
    x, rows, _ = inputs
    batch, (m, n), d = math.prod(x.shape[:-2]), x.shape[-2:], rows.shape[-1]
    if any(same(size, 0) for size in (batch, m, d)):
        return
    numbers = _Numbers(f, x, target)
    count = _count(f, n)

    def starts(member: str, result: str) -> tuple[str, str, str]:
        """The first weight, the first row and the first result of a row of x."""
        row = f.plus(f.times(member, m), result)
        return f.times(row, n), f.times(member, n * d), f.times(row, d)

    def columns(of: tuple[str, str, str], at: str, width: int, together: int) -> None:
        weights, first, result = of
        kind = numbers.number_type(width)
        begin = [(kind, numbers.zero(width))] * together
        with f.loop(0, count, 1, begin) as terms:
            weight = numbers.spread(numbers.load_number("%i0", f.plus(weights, terms.index), 1), width)
            start = f.plus(first, f.times(terms.index, d), at)
            terms.following = [
                numbers.multiply_add(weight, numbers.load_number("%i1", f.plus(start, k * width), width), total, width)
                for k, total in enumerate(terms.values)
            ]
        for k, total in enumerate(terms.results):
            numbers.store_number(total, "%o0", f.plus(result, at, k * width), width)

    if target.device is not None:
        with each_unit(f, batch, m, d) as (member, result, column):
            columns(starts(member, result), column, 1, 1)
        return
    with f.loop(0, batch) as members, f.loop(0, m) as results:
        of, done = starts(members.index, results.index), 0
        for width, together in ((numbers.lanes, thresholds.PREFIXES_TOGETHER), (numbers.lanes, 1), (1, 1)):
            end = done + (d - done) // (width * together) * (width * together)
            if is_symbolic(end) or not same(done, end):
                with f.loop(done, end, width * together) as block:
                    columns(of, block.index, width, together)
            done = end
