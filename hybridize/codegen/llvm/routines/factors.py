# SPDX-License-Identifier: Apache-2.0
"""Cholesky's and Gauss' factors of matrices, and equations with triangular ones.

Matrices lie by rows. Each row is finished by subtracting a combination of rows that are finished already, so that all
inner loops run along rows. Sources: Golub and Van Loan, Matrix Computations, 4th edition, chapters 3 and 4.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from hybridize.base.dims import is_symbolic, same
from hybridize.base.types import TensorType
from hybridize.codegen.llvm.routines.reals import Position, Reals
from hybridize.codegen.llvm.routines.units import each_unit
from hybridize.codegen.llvm.text import Function
from hybridize.loops.expr import Routine
from hybridize.machine.target import Target
from hybridize.schedule import thresholds

Types = Sequence[TensorType]


def size(f: Function, x: int) -> Position:
    """A size: the number, where it is known."""
    return f.size(x) if is_symbolic(x) else x


@contextmanager
def each_matrix(f: Function, *operands: tuple[str, TensorType, int]) -> Iterator[list[str]]:
    """Write what runs for each of stacks of (pointer, type, rank): gives the address of each one's last `rank` axes."""
    _, first, rank = operands[0]
    with each_unit(f, math.prod(first.shape[: first.ndim - rank])) as (number,):
        addresses = []
        for base, kind, rank in operands:
            nbytes = math.prod(kind.shape[kind.ndim - rank :]) * kind.dtype.itemsize
            addresses.append(f.at(base, f.times(number, nbytes)))
        yield addresses


def write_cholesky(
    f: Function, routine: Routine, inputs: Types, outputs: Types, target: Target, reals: type[Reals] = Reals
) -> None:
    """U with U^T U = x, or its transpose; minus infinity throughout where x is not positive definite."""
    (upper,) = routine.parameters
    kind = inputs[0]
    if same(kind.size, 0):
        return
    r, n = reals(f, kind.dtype, target), size(f, kind.shape[-1])
    with each_matrix(f, ("%i0", kind, 2), ("%o0", kind, 2)) as (x, y):
        wrong = r.counter(0)
        with f.loop(0, n) as rows:
            i = rows.index
            row = r.at(y, r.times(i, n))
            tail, length = r.at(row, i), r.minus(n, i)
            if upper:
                r.copy(tail, r.at(x, r.plus(r.times(i, n), i)), length)
            else:
                with r.spread(i, n) as column:
                    r.store(r.load(x, r.plus(r.times(column, n), i)), row, column)
            r.subtract_combination(
                tail, 0, i, lambda k: r.load(y, r.plus(r.times(k, n), i)),
                lambda k: r.at(y, r.plus(r.times(k, n), i)), length,
            )  # fmt: skip
            r.meet()
            pivot = r.load(tail)
            with f.when(r.compare("ole", pivot, r.number(0))):
                r.put(1, wrong)
            r.meet()
            r.scale(tail, "fdiv", r.sqrt(pivot), length)
            r.meet()
        with f.loop(0, n) as rows, r.spread(0, rows.index) as column:
            low = r.plus(r.times(rows.index, n), column)
            high = r.plus(r.times(column, n), rows.index)
            if not upper:
                r.store(r.load(y, high), y, low)
            r.store(r.number(0), y, low if upper else high)
        r.meet()
        with f.when(f.op(f"icmp ne i64 {r.get(wrong)}, 0")):
            r.fill(y, r.number(-math.inf), r.times(n, n))


def write_lu(
    f: Function, routine: Routine, inputs: Types, outputs: Types, target: Target, reals: type[Reals] = Reals
) -> None:
    """Gaussian elimination with partial pivoting: both factors in one matrix, the order of the rows, its sign."""
    kind = inputs[0]
    r, n = reals(f, kind.dtype, target), size(f, kind.shape[-1])
    operands = [("%i0", kind, 2), ("%o0", kind, 2), ("%o1", outputs[1], 1), ("%o2", outputs[2], 0)]
    with each_matrix(f, *operands) as (x, y, order, sign):
        r.copy(y, x, r.times(n, n))
        with r.alone():
            r.store(r.number(1), sign)
        with r.spread(0, n) as row:
            f.store(row, f.element(order, row))
        r.meet()
        elimination = _Elimination(r, n, y, order, sign)
        panel = thresholds.ELIMINATED_COLUMNS
        whole: Position = n // panel * panel if isinstance(n, int) else f.op(f"and i64 {n}, {-panel}")
        for start, stop, width in ((0, whole, panel), (whole, n, 1)):
            if start != stop:
                with f.loop(start, stop, width) as panels:
                    elimination.panel(panels.index, width)


class _Elimination:
    def __init__(self, r: Reals, n: Position, y: str, order: str, sign: str) -> None:
        self.r, self.f, self.n, self.y, self.order, self.sign = r, r.f, n, y, order, sign

    def element(self, row: Position, column: Position) -> str:
        """The address of an element."""
        r = self.r
        return r.at(self.y, r.plus(r.times(row, self.n), column))

    def panel(self, first: Position, width: int) -> None:
        """Eliminate some columns: at once in their own rows, then in the rest of the matrix."""
        r, n = self.r, self.n
        columns = [r.plus(first, k) for k in range(width)]
        after = r.plus(first, width)
        for k, column in enumerate(columns):
            self._exchange(column)
            pivot = r.load(self.element(column, column))
            # Below a pivot of 0 there are only zeros: any divisor leaves them as they are.
            divisor = r.select(r.compare("oeq", pivot, r.number(0)), r.number(1), pivot)
            mine = [r.load(self.element(column, other)) for other in columns[k + 1 :]]
            with r.spread(r.plus(column, 1), n) as row:
                pointer = self.element(row, column)
                factor = r.div(r.load(pointer), divisor)
                r.store(factor, pointer)
                for other, above in zip(columns[k + 1 :], mine, strict=True):
                    pointer = self.element(row, other)
                    r.store(r.fma(r.neg(factor), above, r.load(pointer)), pointer)
            if k + 1 < width:
                r.meet()
        rest = r.minus(n, after)
        for k in range(1, width):
            lines = [
                (r.neg(r.load(self.element(columns[k], columns[j]))), self.element(columns[j], after)) for j in range(k)
            ]
            r.add_multiples(self.element(columns[k], after), lines, rest)
        r.meet()
        tops = [self.element(column, after) for column in columns]
        with r.each_line(after, n) as (line, row):
            factors = [r.neg(r.load(self.element(row, column))) for column in columns]
            line.add_multiples(self.element(row, after), list(zip(factors, tops, strict=True)), rest)
        r.meet()

    def _exchange(self, column: Position) -> None:
        """Bring the row with the largest element of a column, from the diagonal down, to the diagonal."""
        r, f, n = self.r, self.f, self.n
        row = r.farthest_from_zero(column, n, lambda number: self.element(number, column))
        with f.when(f.op(f"icmp ne i64 {row}, {column}")):
            r.swap(self.element(row, 0), self.element(column, 0), n)
            with r.alone():
                left, right = f.element(self.order, row), f.element(self.order, column)
                one, other = f.load(left), f.load(right)
                f.store(other, left)
                f.store(one, right)
                r.store(r.neg(r.load(self.sign)), self.sign)
        r.meet()


def write_triangular(f: Function, routine: Routine, inputs: Types, outputs: Types, target: Target) -> None:
    """y with t y = b, or t^T y = b; other elements of t than those of one triangle are not read."""
    lower, unit, transposed = routine.parameters
    kind = inputs[0]
    r = Reals(f, kind.dtype, target)
    n, m = size(f, kind.shape[-1]), size(f, inputs[1].shape[-1])
    with _each_system(r, n, m, inputs) as (t, b, y, length):
        if length == m:
            r.copy(y, b, r.times(n, m))
        else:
            with f.loop(0, n) as rows:
                r.store(r.load(b, r.times(rows.index, m)), y, r.times(rows.index, m))
        with f.loop(0, n) as steps:
            # The rows above decide a row where the triangle in use is the lower one, else those below.
            ahead = lower != transposed
            i = steps.index if ahead else r.minus(r.minus(n, 1), steps.index)
            row = r.at(y, r.times(i, m))
            first, last = (0, i) if ahead else (r.plus(i, 1), n)

            def factor(k: Position, i: Position = i) -> str:
                return r.load(t, r.plus(r.times(k, n), i) if transposed else r.plus(r.times(i, n), k))

            if length == m == 1 and not transposed:
                count = r.minus(last, first)
                known = r.dot(r.at(t, r.plus(r.times(i, n), first)), r.at(y, first), count)
                r.store(r.sub(r.load(row), known), row)
            else:
                r.subtract_combination(row, first, last, factor, lambda k: r.at(y, r.times(k, m)), length)
            if not unit:
                r.scale(row, "fdiv", factor(i), length)


@contextmanager
def _each_system(r: Reals, n: Position, m: Position, inputs: Types) -> Iterator[tuple[str, str, str, Position]]:
    """Write what runs for each matrix: its address, those of both sides, and how many of their columns are solved for.

    On a device each of the columns is one thread's.
    """
    f, (kind, side) = r.f, inputs
    if r.target.device is None:
        with each_matrix(f, ("%i0", kind, 2), ("%i1", side, 2), ("%o0", side, 2)) as (t, b, y):
            yield t, b, y, m
        return
    with each_unit(f, math.prod(kind.shape[:-2]), side.shape[-1]) as (number, column):
        matrix = r.at("%i0", r.times(number, r.times(n, n)))
        first = r.plus(r.times(number, r.times(n, m)), column)
        yield matrix, r.at("%i1", first), r.at("%o0", first), 1
