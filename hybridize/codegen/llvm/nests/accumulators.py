# SPDX-License-Identifier: Apache-2.0
"""Folds of a panel of columns: their totals lie in memory, and rows of the matrix are added to them as they lie."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from hybridize.base import dims
from hybridize.base.frozen import frozen
from hybridize.codegen.llvm.functions.table import combine, constant, narrowed, register
from hybridize.codegen.llvm.nests.elements import BLOCK, MANY, Elements, levels
from hybridize.codegen.llvm.nests.memory import Width
from hybridize.codegen.llvm.nests.positions import Lane
from hybridize.loops.expr import Expr, Fold
from hybridize.loops.index import bit, identity
from hybridize.loops.kernel import Panels


@frozen
class _Line:
    """An array with one total per column of a panel."""

    elements: Elements
    fold: Fold
    lanes: int
    array: str

    @classmethod
    def new(cls, elements: Elements, fold: Fold, panel: Panels) -> _Line:
        """One on the stack; the last vector may reach beyond the columns."""
        array = elements.f.alloca(register(fold.dtype, 1), panel.page * panel.pages + panel.lanes)
        return cls(elements, fold, panel.lanes, array)

    @property
    def type(self) -> str:
        """Of a vector of totals."""
        return register(self.fold.dtype, self.lanes)

    @property
    def nothing(self) -> str:
        """The total of no elements."""
        return constant(identity(self.fold.kind, self.fold.dtype), self.fold.dtype, self.lanes)

    def _pointer(self, column: str) -> str:
        scalar = register(self.fold.dtype, 1)
        return self.elements.f.op(f"getelementptr inbounds {scalar}, ptr {self.array}, i64 {column}")

    def load(self, column: str) -> str:
        """The totals from `column` on."""
        return self.elements.f.op(f"load {self.type}, ptr {self._pointer(column)}, align {self.fold.dtype.itemsize}")

    def store(self, column: str, totals: str) -> None:
        """Set the totals from `column` on."""
        pointer = self._pointer(column)
        self.elements.f.do(f"store {self.type} {totals}, ptr {pointer}, align {self.fold.dtype.itemsize}")

    def combined(self, x: str, y: str) -> str:
        """One step of the fold."""
        return combine(self.elements.f, self.fold.kind, x, y, self.fold.dtype, self.lanes, self.elements.target)


class ColumnAccumulators:
    """The folds of one panel: columns `start` to `stop` (registers) of an axis of `size`."""

    def __init__(self, elements: Elements, panel: Panels, axis: int, columns: tuple[str, str, int]) -> None:
        self._elements = elements
        self._f = elements.f
        self._panel = panel
        self._axis = axis
        self._start, self._stop, self._size = columns
        self._known: list[_Line] = []

    def columns(self, body: Callable[[], None]) -> None:
        """Run `body` with vectors of columns, the folds that are known at hand."""
        self._each(lambda _: body())

    def fold(self, fold: Fold) -> None:
        """Compute the totals of a fold; those that it needs are known."""
        chain, body = self._elements.chain(fold)
        line = self._line(fold)
        self._over(chain, body, line)
        self._known.append(line)

    def _line(self, fold: Fold) -> _Line:
        line = _Line.new(self._elements, fold, self._panel)
        with self._f.loop(0, self._panel.page * self._panel.pages, self._panel.lanes) as loop:
            line.store(loop.index, line.nothing)
        return line

    def _each(self, body: Callable[[str], None]) -> None:
        """Run `body(column, counted from the panel's first)` with vectors of the panel's columns."""
        f, elements, lanes = self._f, self._elements, self._panel.lanes
        whole = self._size // lanes * lanes

        def turn(index: str, width: Width) -> None:
            with elements.bound(self._axis, index, Lane(self._axis, width)):
                column = f.op(f"sub i64 {index}, {self._start}")
                for line in self._known:
                    elements.remember(line.fold, narrowed(f, line.load(column), line.fold.dtype, lanes))
                body(column)

        if whole:
            stop = f.op(f"call i64 {elements.smin()}(i64 {self._stop}, i64 {whole})")
            with f.loop(self._start, stop, lanes) as loop:
                turn(loop.index, Width(lanes))
        if whole < self._size:
            with f.when(f.op(f"icmp eq i64 {self._stop}, {self._size}")):
                turn(str(whole), Width.first(self._size - whole, lanes))

    def _over(self, chain: Sequence[tuple[int, int]], body: Expr, line: _Line) -> None:
        """Fold over the variables of `chain`, outermost first."""
        (variable, size), rest, terms = chain[0], chain[1:], self._panel.terms
        if rest:
            with self._f.loop(0, size) as loop, self._elements.bound(variable, loop.index):
                self._over(rest, body, line)
            return
        whole = size // terms * terms
        if dims.is_symbolic(size):
            self._level(variable, (0, whole), terms * levels(line.fold, MANY), body, line)
            with self._f.loop(whole, size) as loop:
                self._rows(variable, (loop.index, 1), body, line)
            return
        if whole:
            self._level(variable, (0, whole), terms * levels(line.fold, whole // terms), body, line)
        if whole < size:
            self._rows(variable, (str(whole), size - whole), body, line)

    def _level(self, variable: int, over: tuple[int | str, int | str], span: int, body: Expr, line: _Line) -> None:
        """Fold a range of matrix rows in parts of `span`; long sums in levels of short ones."""
        f = self._f
        with f.loop(*over, span) as loop:
            if span == self._panel.terms:
                self._rows(variable, (loop.index, span), body, line)
                return
            last = over[1] if isinstance(over[1], str) else f.size(over[1])
            end = f.op(f"add i64 {loop.index}, {span}")
            end = f.op(f"call i64 {self._elements.smin()}(i64 {end}, i64 {last})")
            part = self._line(line.fold)
            self._level(variable, (loop.index, end), span // BLOCK, body, part)
            self._each(lambda column: line.store(column, line.combined(line.load(column), part.load(column))))

    def _rows(self, variable: int, over: tuple[str, int], body: Expr, line: _Line) -> None:
        """Fold a few matrix rows, from the first of (first, count) on."""
        elements, (first, count) = self._elements, over
        with elements.scope():
            rows = [elements.row(variable, self._f.op(f"add i64 {first}, {k}")) for k in range(count)]
            for row in rows:
                with elements.at(row):
                    elements.hoist([body], bit(self._axis))

            def turn(column: str) -> None:
                values = []
                for row in rows:
                    with elements.at(row), elements.scope():
                        elements.settle(body)
                        values.append(elements.spread(body))
                total = values[0]
                for value in values[1:]:
                    total = line.combined(total, value)
                line.store(column, line.combined(line.load(column), total))

            self._each(turn)
