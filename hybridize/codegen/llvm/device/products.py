# SPDX-License-Identifier: Apache-2.0
"""A product of matrices as a kernel of a GPU: a tile for each block, operands by way of shared memory, the epilogue.

Panels of both operands, some terms of a tile, are brought into shared memory while those before are multiplied. Sums
stay in registers, and wait in shared memory for the epilogue, which is written once, in a loop over the elements.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import field

from hybridize.base.dims import same
from hybridize.base.dtypes import bool_
from hybridize.base.frozen import frozen, mutable
from hybridize.codegen.llvm.contraction.arithmetic import ArithmeticEmitter
from hybridize.codegen.llvm.contraction.epilogue import accumulated, elements_of_result
from hybridize.codegen.llvm.device.threads import (
    SharedMemory,
    block,
    kernel_function,
    thread,
    wait_for_block,
)
from hybridize.codegen.llvm.functions.table import register as register_type
from hybridize.codegen.llvm.text import Function, Module, vector
from hybridize.loops.kernel import Param
from hybridize.machine.target import Target
from hybridize.schedule.contraction.ending import Ending
from hybridize.schedule.contraction.product import Strides
from hybridize.schedule.device.tiles import BlockPlan


def emit_block_product(module: Module, name: str, plan: BlockPlan, ending: Ending, target: Target) -> Function:
    """Write the function `name`: `(ptr x, ptr w, <params of the epilogue>)`."""
    operands: list[tuple[str, Param | None]] = [("x", None), ("w", None)]
    params = [*operands, *((f"e{number}", param) for number, param in enumerate(ending.params))]
    f = kernel_function(module, name, params, plan.launch.threads)
    _ProductWriter(f, plan, ending, target).emit()
    return f


@frozen
class _Fetch:
    """An element of a panel that a thread brings: where it is, where it goes, and where it counts."""

    side: int
    pointer: str
    """Of the element at term 0."""
    step: int
    """Elements from one term to the next."""
    term: str
    inside: str
    to: str
    """Within the panels of the operand."""


@mutable
class _Panel:
    """The panels of one operand in shared memory."""

    span: int
    """Rows or columns of the tile."""
    rows: int
    """Those of a thread."""
    array: str
    pitch: int
    fetches: list[_Fetch] = field(default_factory=list)


class _ProductWriter:
    """Writes one product."""

    def __init__(self, f: Function, plan: BlockPlan, ending: Ending, target: Target) -> None:
        self.f, self.plan, self.ending, self.target = f, plan, ending, target
        self.tile, self.product = plan.tile, plan.product
        self.arithmetic = ArithmeticEmitter.of_elements(plan.elements, target)
        self.memory = SharedMemory(f)
        tile, itemsize = self.tile, self.arithmetic.bytes
        self.panels = [
            _Panel(span, rows, self._array(tile.panel_elements(span, itemsize)), tile.pitch(span, itemsize))
            for span, rows in ((tile.m, tile.rows), (tile.n, tile.columns))
        ]
        self.waiting = self._array(tile.strip_elements)
        across = tile.n // tile.columns
        self.places = (f.op(f"udiv i64 {thread(f)}, {across}"), f.op(f"urem i64 {thread(f)}, {across}"))
        """The rows and the columns of the thread, counted in groups."""
        of = self.product
        width = tile.n // of.gates
        tiles_across, tiles_down = (of.columns + width - 1) // width, (of.m + tile.m - 1) // tile.m
        number = block(f)
        column_tile = f.op(f"urem i64 {number}, {f.size(tiles_across)}")
        number = f.op(f"udiv i64 {number}, {f.size(tiles_across)}")
        row_tile = f.op(f"urem i64 {number}, {f.size(tiles_down)}")
        self.batch = "0" if same(of.batch, 1) else f.op(f"udiv i64 {number}, {f.size(tiles_down)}")
        self.row, self.column = f.times(row_tile, tile.m), f.times(column_tile, width)

    def _array(self, count: int) -> str:
        return self.memory.array(self.arithmetic.type, count, self.arithmetic.bytes)

    def emit(self) -> None:
        """Write the product."""
        self._find_fetches()
        sums = self._sums()
        self._store(sums)

    # Operands

    def _find_fetches(self) -> None:
        """Have the threads share each panel: neighbours bring elements that lie side by side."""
        of, f = self.product, self.f
        operands = (
            ("%x", of.transpose_x, of.x_row, of.x_strides, of.shared_x, of.m * of.k),
            ("%w", not of.transpose_w, of.w_row, of.w_strides, of.shared_w, of.k * of.n),
        )
        for side, (base, by_terms, row, strides, shared, elements) in enumerate(operands):
            panel, first = self.panels[side], (self.row, self.column)[side]
            start = base if shared else self._member(base, strides, elements)
            for along, term in self._shares(panel.span, fast_terms=not by_terms):
                index, inside = self._along(side, first, along)
                pointer = self._element(start, f.times(index, 1 if by_terms else row))
                to = f.plus(f.times(term, panel.pitch), along)
                panel.fetches.append(_Fetch(side, pointer, row if by_terms else 1, term, inside, to))

    def _member(self, base: str, strides: Strides | None, elements: int) -> str:
        """The matrix of the batch that the block works on."""
        return self._element(base, self._offset(strides, elements))

    def _offset(self, strides: Strides | None, elements: int) -> str:
        f = self.f
        if self.batch == "0":
            return "0"
        if strides is None:
            return f.times(self.batch, elements)
        offset, left = "0", self.batch
        for number, (size, stride) in enumerate(reversed(strides.members)):
            last = number == len(strides.members) - 1
            place = left if last else f.op(f"urem i64 {left}, {f.size(size)}")
            left = left if last else f.op(f"udiv i64 {left}, {f.size(size)}")
            offset = f.plus(offset, f.times(place, stride))
        return offset

    def _shares(self, span: int, *, fast_terms: bool) -> Iterator[tuple[str, str]]:
        """(index along the tile, term) of each element of a panel that a thread brings."""
        f, count = self.f, span * self.tile.k
        for first in range(0, count, self.tile.threads):
            linear = f.plus(thread(f), first)
            fast = self.tile.k if fast_terms else span
            inner, outer = f.op(f"urem i64 {linear}, {fast}"), f.op(f"udiv i64 {linear}, {fast}")
            yield (outer, inner) if fast_terms else (inner, outer)

    def _along(self, side: int, first: str, along: str) -> tuple[str, str]:
        """A row of x, or a column of w, and whether there is one; the columns of a tile are those of all gates."""
        f, of = self.f, self.product
        if side == 0:
            index = f.plus(first, along)
            return index, f.test("slt", index, of.m)
        if of.gates == 1:
            index = f.plus(first, along)
            return index, f.test("slt", index, of.n)
        width = self.tile.n // of.gates
        index = f.plus(first, f.op(f"urem i64 {along}, {width}"))
        inside = f.test("slt", index, of.columns)
        return f.plus(index, f.times(f.op(f"udiv i64 {along}, {width}"), of.columns)), inside

    def _element(self, base: str, index: str) -> str:
        return self.f.element(base, index, self.arithmetic.element)

    def _fetched(self, first: str) -> list[str]:
        """The elements that a thread brings of the panels from term `first` on; zeros beyond the operands."""
        f, of, values = self.f, self.product, []
        for panel in self.panels:
            for one in panel.fetches:
                term = f.plus(first, one.term)
                there = f.op(f"and i1 {one.inside}, {f.test('slt', term, of.k)}")
                pointer = self._element(one.pointer, f.times(term, one.step))
                values.append(self._guarded(there, pointer))
        return values

    def _guarded(self, there: str, pointer: str) -> str:
        """An element where it is there, else 0."""
        f, kind, before = self.f, self.arithmetic.type, self.f.label
        then, after = f.fresh("there"), f.fresh("past")
        f.branch(there, then, after, begin=then)
        value = self.arithmetic.load(f, pointer, 1)
        last = f.label
        f.enter(after)
        return f.op(f"phi {kind} [ {self._zero}, %{before} ], [ {value}, %{last} ]")

    @property
    def _zero(self) -> str:
        return "0.0" if self.arithmetic.is_float else "0"

    def _keep(self, values: Sequence[str], half: str) -> None:
        """Put brought elements into the panels of a stage."""
        f, left = self.f, iter(values)
        for panel in self.panels:
            offset = f.times(half, self.tile.k * panel.pitch)
            for one in panel.fetches:
                place = f.element(panel.array, f.plus(offset, one.to), self.arithmetic.type)
                self.arithmetic.store_computed(f, next(left), place, 1)

    # Sums

    def _sums(self) -> list[str]:
        """The sums of a thread, row by row."""
        f, tile, kind = self.f, self.tile, self.arithmetic.type
        count = tile.rows * tile.columns
        self._keep(self._fetched("0"), "0")
        wait_for_block(f)
        turns = (self.product.k + tile.k - 1) // tile.k
        with f.loop(0, turns, 1, [(kind, self._zero)] * count) as loop:
            half = f.op(f"and i64 {loop.index}, 1")
            ahead = self._fetched(f.times(f.plus(loop.index, 1), tile.k))
            sums = list(loop.values)
            for term in range(tile.k):
                x, w = (self._read(side, half, term) for side in (0, 1))
                for r in range(tile.rows):
                    for c in range(tile.columns):
                        number = r * tile.columns + c
                        sums[number] = self.arithmetic.multiply_add(f, x[r], w[c], sums[number])
            self._keep(ahead, f.op(f"xor i64 {half}, 1"))
            wait_for_block(f)
            loop.following = sums
        return loop.results

    def _read(self, side: int, half: str, term: int) -> list[str]:
        """The elements of a panel at one term that a thread multiplies: groups of neighbours, far apart."""
        f, panel, arithmetic = self.f, self.panels[side], self.arithmetic
        group = self.tile.group(arithmetic.bytes)
        base = f.plus(f.times(half, self.tile.k * panel.pitch), f.times(self.places[side], group))
        kind, values = vector(arithmetic.type, group), []
        for first in range(0, panel.rows, group):
            index = f.plus(base, term * panel.pitch + self._apart(panel, first))
            place = f.element(panel.array, index, arithmetic.type)
            several = f.op(f"load {kind}, ptr {place}, align {group * arithmetic.bytes}")
            values += [f.op(f"extractelement {kind} {several}, i64 {lane}") for lane in range(group)]
        return values

    def _apart(self, panel: _Panel, number: int) -> int:
        """Rows of the tile between a thread's first one and that of the group which begins with `number`."""
        return number * (panel.span // panel.rows)

    # Results

    def _store(self, sums: Sequence[str]) -> None:
        """Store the results, strip by strip."""
        f, tile = self.f, self.tile
        rows = tile.rows // tile.strips
        with f.loop(0, tile.strips) as strips:
            for strip in range(tile.strips):
                part = sums[strip * rows * tile.columns : (strip + 1) * rows * tile.columns]
                if tile.strips == 1:
                    self._wait(part)
                    continue
                with f.when(f.test("eq", strips.index, strip)):
                    self._wait(part)
            wait_for_block(f)
            self._results(strips.index, rows)
            if tile.strips > 1:
                wait_for_block(f)

    def _wait(self, sums: Sequence[str]) -> None:
        """Put the sums of a strip into shared memory: the strip's rows of the first thread, then of the next ones."""
        f, tile = self.f, self.tile
        rows, group = tile.rows // tile.strips, tile.group(self.arithmetic.bytes)
        start = f.times(self.places[0], rows * tile.n)
        start = f.plus(start, f.times(self.places[1], group))
        for number, total in enumerate(sums):
            r, c = divmod(number, tile.columns)
            place = r * tile.n + self._apart(self.panels[1], c // group * group) + c % group
            to = f.element(self.waiting, f.plus(start, place), self.arithmetic.type)
            self.arithmetic.store_computed(f, total, to, 1)

    def _results(self, strip: str, rows: int) -> None:
        """The epilogue of all elements of a strip, neighbouring ones by neighbouring threads."""
        f, tile, of, arithmetic = self.f, self.tile, self.product, self.arithmetic
        width, group = tile.n // of.gates, tile.group(arithmetic.bytes)
        count = tile.m // tile.strips * width
        elements = elements_of_result(f, self.target, self.ending.params, self.plan.sizes, placed=False)
        elements.axes[0], elements.depth[0] = self.batch, 0
        with f.loop(thread(f), count, tile.threads) as loop, elements.scope():
            line, column = f.op(f"udiv i64 {loop.index}, {width}"), f.op(f"urem i64 {loop.index}, {width}")
            first = f.element(self.waiting, f.plus(f.times(line, tile.n), column), arithmetic.type)
            number = f.plus(f.times(strip, rows), f.op(f"urem i64 {line}, {rows}"))
            row = f.plus(f.times(f.op(f"udiv i64 {line}, {rows}"), group), f.op(f"urem i64 {number}, {group}"))
            apart = self.panels[0].span // self.panels[0].rows
            row = f.plus(row, f.times(f.op(f"udiv i64 {number}, {group}"), group * apart))
            row, column = f.plus(self.row, row), f.plus(self.column, column)
            inside = f.op(f"and i1 {f.test('slt', row, of.m)}, {f.test('slt', column, of.columns)}")
            with f.when(inside), elements.scope(), elements.bound(1, row), elements.bound(2, column):
                totals = [self._total(first, gate * width) for gate in range(of.gates)]
                accumulated(f, elements, self.ending, totals, 1)

    def _total(self, first: str, offset: int) -> str:
        """A sum that waits, as a register of its type."""
        f, arithmetic = self.f, self.arithmetic
        total = arithmetic.load_computed(f, f.element(first, offset, arithmetic.type), 1)
        if arithmetic.stored != bool_:
            return total
        return f.op(f"trunc i8 {total} to {register_type(bool_, 1)}")
