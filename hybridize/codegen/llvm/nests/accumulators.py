# SPDX-License-Identifier: Apache-2.0
"""Folds of a panel of columns: their totals lie in memory, and rows of the matrix are added to them as they lie."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from hybridize.base import dims
from hybridize.base.frozen import frozen
from hybridize.codegen.llvm.functions.table import register
from hybridize.codegen.llvm.nests.elements import Elements
from hybridize.codegen.llvm.nests.folding import Folding, State
from hybridize.codegen.llvm.nests.memory import Width
from hybridize.codegen.llvm.nests.positions import Lane
from hybridize.loops.expr import Expr, Fold
from hybridize.loops.index import bit
from hybridize.schedule.kernel import Panels


@frozen
class _Line:
    """Arrays with one total per column of a panel: one array for each accumulator of folds that run in one loop."""

    folding: Folding
    lanes: int
    arrays: tuple[str, ...]

    @classmethod
    def new(cls, folding: Folding, panel: Panels) -> _Line:
        """One on the stack; the last vector may reach beyond the columns."""
        count = panel.page * panel.pages + panel.lanes
        return cls(folding, panel.lanes, tuple(folding.f.alloca(kind, count) for kind in folding.types(1)))

    def _pointers(self, column: str) -> list[str]:
        return [
            self.folding.f.op(f"getelementptr inbounds {register(dtype, 1)}, ptr {array}, i64 {column}")
            for dtype, array in zip(self.folding.accumulators, self.arrays, strict=True)
        ]

    def load(self, column: str) -> State:
        """The totals from `column` on."""
        return [
            self.folding.f.op(f"load {register(dtype, self.lanes)}, ptr {pointer}, align {dtype.itemsize}")
            for dtype, pointer in zip(self.folding.accumulators, self._pointers(column), strict=True)
        ]

    def store(self, column: str, totals: State) -> None:
        """Set the totals from `column` on."""
        pointers = self._pointers(column)
        for dtype, pointer, total in zip(self.folding.accumulators, pointers, totals, strict=True):
            self.folding.f.do(f"store {register(dtype, self.lanes)} {total}, ptr {pointer}, align {dtype.itemsize}")

    def add(self, column: str, totals: State) -> None:
        """Combine the totals from `column` on with those of later elements."""
        self.store(column, self.folding.combined(self.load(column), totals, self.lanes))


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
        """Compute the totals of a fold and of those that run in its loop; folds that they need are known."""
        folding = self._elements.folding(fold)
        chain, elements = self._elements.chain(folding)
        line = self._line(folding)
        self._over(chain, elements, line)
        self._known.append(line)

    def _line(self, folding: Folding) -> _Line:
        line = _Line.new(folding, self._panel)
        with self._f.loop(0, self._panel.page * self._panel.pages, self._panel.lanes) as loop:
            line.store(loop.index, folding.empty(self._panel.lanes))
        return line

    def _each(self, body: Callable[[str], None]) -> None:
        """Run `body(column, counted from the panel's first)` with vectors of the panel's columns."""
        f, elements, lanes = self._f, self._elements, self._panel.lanes
        whole = self._size // lanes * lanes

        def turn(index: str, width: Width) -> None:
            with elements.bound(self._axis, index, Lane(self._axis, width)):
                column = f.op(f"sub i64 {index}, {self._start}")
                for line in self._known:
                    elements.remember_results(line.folding, line.load(column), lanes)
                body(column)

        if whole:
            stop = f.smin(self._stop, whole)
            with f.loop(self._start, stop, lanes) as loop:
                turn(loop.index, Width(lanes))
        if whole < self._size:
            with f.when(f.op(f"icmp eq i64 {self._stop}, {self._size}")):
                turn(str(whole), Width.first(self._size - whole, lanes))

    def _over(self, chain: Sequence[tuple[int, int]], elements: Sequence[Sequence[Expr]], line: _Line) -> None:
        """Fold over the variables of `chain`, outermost first."""
        (variable, size), rest, terms = chain[0], chain[1:], self._panel.terms
        if rest:
            with self._f.loop(0, size) as loop, self._elements.bound(variable, loop.index):
                self._over(rest, elements, line)
            return
        whole, steps = size // terms * terms, self._elements.steps(line.folding, variable, terms=terms)
        if dims.is_symbolic(size):
            self._level(variable, (0, whole), steps, elements, line)
            with self._f.loop(whole, size) as loop:
                self._rows(variable, (loop.index, 1), elements, line)
            return
        if whole:
            self._level(variable, (0, whole), steps, elements, line)
        if whole < size:
            self._rows(variable, (str(whole), size - whole), elements, line)

    def _level(
        self,
        variable: int,
        over: tuple[int | str, int | str],
        steps: Sequence[int],
        elements: Sequence[Sequence[Expr]],
        line: _Line,
    ) -> None:
        """Fold a range of matrix rows in parts of the first of `steps`; long sums in levels of short ones."""
        f, (step, *inner) = self._f, steps
        with f.loop(*over, step) as loop:
            if not inner:
                self._rows(variable, (loop.index, step), elements, line)
                return
            last = over[1] if isinstance(over[1], str) else f.size(over[1])
            end = f.op(f"add i64 {loop.index}, {step}")
            end = f.smin(end, last)
            part = self._line(line.folding)
            self._level(variable, (loop.index, end), inner, elements, part)
            lanes, combined = self._panel.lanes, line.folding.combined
            self._each(lambda column: line.store(column, combined(line.load(column), part.load(column), lanes)))

    def _rows(self, variable: int, over: tuple[str, int], parts: Sequence[Sequence[Expr]], line: _Line) -> None:
        """Fold a few matrix rows, from the first of (first, count) on."""
        elements, folding, (first, count) = self._elements, line.folding, over
        roots = [part for element in parts for part in element]
        with elements.scope():
            rows = [elements.row(variable, self._f.op(f"add i64 {first}, {k}")) for k in range(count)]
            for row in rows:
                with elements.at(row):
                    elements.hoist(roots, bit(self._axis))

            def turn(column: str) -> None:
                values = []
                for row in rows:
                    with elements.at(row), elements.scope():
                        for part in roots:
                            elements.settle(part)
                        values.append([[elements.spread(part) for part in element] for element in parts])
                total = folding.entered(values[0], self._panel.lanes)
                for value in values[1:]:
                    total = folding.stepped(total, value, self._panel.lanes)
                line.add(column, total)

            self._each(turn)
