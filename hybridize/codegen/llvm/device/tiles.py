# SPDX-License-Identifier: Apache-2.0
"""Write the tiles of a launch: operands by way of shared memory, sums in registers, the epilogue over waiting sums."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Final

from hybridize.base.dims import is_symbolic
from hybridize.codegen.llvm.contraction.arithmetic import ArithmeticEmitter
from hybridize.codegen.llvm.device.fetching import Panel, member_of
from hybridize.codegen.llvm.device.numbers import numbers_of
from hybridize.codegen.llvm.device.results import ResultWriter, load_sums, store_sums
from hybridize.codegen.llvm.text import vector
from hybridize.codegen.llvm.threads import (
    KernelFunction,
    SharedMemory,
    block,
    end_copies,
    thread,
    wait_for_block,
    wait_for_copies,
)
from hybridize.machine.target import Target
from hybridize.schedule.contraction.ending import Ending
from hybridize.schedule.device.contractions import BlockPlan, BlockSums


class TileWriter(ABC):
    """Writes the tiles of one launch."""

    def __init__(self, f: KernelFunction, plan: BlockPlan, sums: BlockSums, ending: Ending, target: Target) -> None:
        self.f, self.grid, self.tile = f, sums.grid, sums.grid.tile
        self.arithmetic = ArithmeticEmitter.of_elements(plan.elements, target)
        self.numbers = numbers = numbers_of(f, sums)
        assert target.device is not None
        self.together = target.device.together
        """Terms that are written one after the other."""
        self.memory = SharedMemory(f)
        self.thread = numbers.narrowed(thread(f))
        grid, tile = self.grid, self.tile
        width = tile.n // grid.gates
        across, down = (grid.columns + width - 1) // width, (grid.m + tile.m - 1) // tile.m
        number = numbers.narrowed(block(f))
        column_tile, number = numbers.rest(number, across), numbers.over(number, across)
        row_tile, number = numbers.rest(number, down), numbers.over(number, down)
        self.member = numbers.rest(number, grid.batch) if grid.parts > 1 else number
        self.part = numbers.over(number, grid.batch) if grid.parts > 1 else "0"
        if not is_symbolic(grid.batch) and grid.batch == 1:
            self.member = "0"
        self.row, self.column = numbers.times(row_tile, tile.m), numbers.times(column_tile, width)
        self.panels: list[Panel] = []
        for side, pointer in enumerate(("%x", "%w")):
            member = member_of(numbers, pointer, sums.operands[side], self.member)
            copies = target.device.copies
            self.panels.append(Panel(numbers, self.arithmetic, self.memory, sums, side, member, copies=copies))
        self.waiting = self.memory.array(self.arithmetic.type, tile.strip_elements, self.arithmetic.bytes)
        self.results = ResultWriter(f, plan, sums, ending, target)

    def emit(self) -> None:
        """Write the tiles."""
        grid, tile, width = self.grid, self.tile, self.tile.n // self.grid.gates
        rows, columns = self.panels
        rows.share(self.thread, self.row, grid.m, tile.m, 0)
        columns.share(self.thread, self.column, grid.columns, width, 0 if grid.gates == 1 else grid.columns)
        self._store(self._sums())

    # Sums

    def _sums(self) -> list[str]:
        """Return the sums of a thread, row by row."""
        f, grid, tile, numbers = self.f, self.grid, self.tile, self.numbers
        ahead = (tile.stages - 1) * tile.k
        """Terms between those that are multiplied and those that are brought."""
        turns, first = (grid.terms + tile.k - 1) // tile.k, numbers.times(self.part, grid.terms)
        if not is_symbolic(turns) and turns == 0:
            return [self.arithmetic.nothing] * tile.sums
        for stage in range(tile.stages - 1):
            values = self._fetch(numbers.plus(first, stage * tile.k), str(stage))
            self._store_fetched(values, str(stage))
        zeros = [(self.arithmetic.type, self.arithmetic.nothing)] * tile.sums
        with f.loop(0, turns, 1, zeros) as loop:
            index, sums = numbers.narrowed(loop.index), list(loop.values)
            here, there = (numbers.rest(numbers.plus(index, one), tile.stages) for one in (0, tile.stages - 1))
            if any(panel.is_copied for panel in self.panels):
                wait_for_copies(f, tile.stages - 2)
            wait_for_block(f)
            values = self._fetch(numbers.plus(first, numbers.times(index, tile.k), ahead), there)
            sums = self._of_terms(here, sums)
            self._store_fetched(values, there)
            loop.following = sums
        return loop.results

    def _fetch(self, first: str, stage: str) -> list[str]:
        """Fetch the panels from term `first` on: copies to a stage are on their way, or the thread has the elements."""
        k, values = self.grid.k, list[str]()
        for panel in self.panels:
            if panel.is_copied:
                panel.copy(first, k, stage)
            else:
                values += panel.fetched(first, k)
        if any(panel.is_copied for panel in self.panels):
            end_copies(self.f)
        return values

    def _store_fetched(self, values: Sequence[str], stage: str) -> None:
        """Put the elements that a thread has into a stage."""
        left = iter(values)
        for panel in self.panels:
            if not panel.is_copied:
                panel.store(left, stage)

    @abstractmethod
    def _of_terms(self, stage: str, sums: Sequence[str]) -> list[str]:
        """Return the sums with the products of all terms of the panels added."""

    # Results

    def _store(self, sums: Sequence[str]) -> None:
        """Store the results, strip by strip."""
        f, tile = self.f, self.tile
        each = tile.sums // tile.strips
        self.results.open_batch(self.numbers, self.member)
        with f.loop(0, tile.strips) as strips:
            for strip in range(tile.strips):
                part = sums[strip * each : (strip + 1) * each]
                if tile.strips == 1:
                    self._wait(part)
                    continue
                with f.when(f.test("eq", strips.index, strip)):
                    self._wait(part)
            wait_for_block(f)
            self._stored(self.numbers.narrowed(strips.index))
            if tile.strips > 1:
                wait_for_block(f)

    @abstractmethod
    def _wait(self, sums: Sequence[str]) -> None:
        """Put the sums of a strip into shared memory."""

    @abstractmethod
    def _row_of(self, strip: str, line: str) -> str:
        """Return the row of the tile that a line of a strip is."""

    def _stored(self, strip: str) -> None:
        """Store all elements of a strip, neighbouring ones by one thread and the next ones."""
        f, tile, grid, numbers = self.f, self.tile, self.grid, self.numbers
        width, at_once = tile.n // grid.gates, self.results.elements.neighbours
        count = tile.m // tile.strips * width // at_once
        with f.loop(thread(f), count, tile.threads) as loop, self.results.elements.scope():
            index = numbers.narrowed(loop.index)
            line = numbers.over(index, width // at_once)
            column = numbers.times(numbers.rest(index, width // at_once), at_once)
            first = numbers.plus(numbers.times(line, tile.n), column)
            row, column = numbers.plus(self.row, self._row_of(strip, line)), numbers.plus(self.column, column)
            inside = f.op(f"and i1 {numbers.is_below(row, grid.m)}, {numbers.is_below(column, grid.columns)}")
            with f.when(inside):
                totals = [self._total(first, gate * width) for gate in range(grid.gates)]
                if grid.after is not None:
                    self._part(row, column, totals)
                else:
                    with self.results.at(numbers, row, column):
                        self.results.store(totals)

    def _total(self, first: str, offset: int) -> str:
        """Load sums of neighbours that wait."""
        place = self.numbers.element(self.waiting, self.numbers.plus(first, offset), self.arithmetic.type)
        return load_sums(self.f, self.arithmetic, place, self.results.elements.neighbours)

    def _part(self, row: str, column: str, totals: Sequence[str]) -> None:
        """Put parts of sums into scratch."""
        grid, numbers = self.grid, self.numbers
        member = numbers.plus(numbers.times(self.part, grid.batch), self.member)
        line = numbers.times(numbers.plus(numbers.times(member, grid.m), row), grid.n)
        for gate, total in enumerate(totals):
            place = numbers.plus(line, column, gate * grid.columns)
            to = numbers.element("%parts", place, self.arithmetic.type)
            store_sums(self.f, self.arithmetic, total, to, self.results.elements.neighbours)


class ThreadTileWriter(TileWriter):
    """Writes tiles whose threads multiply each for themselves, term by term."""

    def __init__(self, f: KernelFunction, plan: BlockPlan, sums: BlockSums, ending: Ending, target: Target) -> None:
        super().__init__(f, plan, sums, ending, target)
        groups = self.tile.n // self.tile.columns
        # Before a loop that a sum of no terms does not enter: the results need them, too.
        self.places: Final = self.numbers.over(self.thread, groups), self.numbers.rest(self.thread, groups)
        """The rows and the columns of the thread, counted in groups."""

    def _of_terms(self, stage: str, sums: Sequence[str]) -> list[str]:
        """Return the sums with the products of all terms of the panels added."""
        numbers, group = self.numbers, self.tile.group(self.arithmetic.bytes)
        starts = [
            numbers.plus(numbers.times(stage, panel.stage), numbers.times(place, group))
            for panel, place in zip(self.panels, self.places, strict=True)
        ]
        if self.tile.k <= self.together:
            return self._multiplied(starts, self.tile.k, sums)
        with self.f.loop(0, self.tile.k, self.together, [(self.arithmetic.type, one) for one in sums]) as loop:
            first = numbers.narrowed(loop.index)
            starts = [
                numbers.plus(start, numbers.times(first, panel.pitch))
                for panel, start in zip(self.panels, starts, strict=True)
            ]
            loop.following = self._multiplied(starts, self.together, loop.values)
        return loop.results

    def _multiplied(self, starts: Sequence[str], count: int, sums: Sequence[str]) -> list[str]:
        """Return the sums with the products of some terms added, the first of which begins so in each panel."""
        for term in range(count):
            x, w = (self._read(side, start, term) for side, start in enumerate(starts))
            sums = [
                self.arithmetic.multiply_add(self.f, x[number // len(w)], w[number % len(w)], total)
                for number, total in enumerate(sums)
            ]
        return list(sums)

    def _read(self, side: int, start: str, term: int) -> list[str]:
        """Load the elements of a panel that a thread multiplies, so many terms on: groups of neighbours, far apart."""
        f, panel, arithmetic, numbers = self.f, self.panels[side], self.arithmetic, self.numbers
        group = self.tile.group(arithmetic.bytes)
        kind, values = vector(arithmetic.type, group), []
        for first in range(0, panel.rows, group):
            index = numbers.plus(start, term * panel.pitch + panel.apart(first))
            place = numbers.element(panel.array, index, arithmetic.type)
            several = f.op(f"load {kind}, ptr {place}, align {group * arithmetic.bytes}")
            values += [f.op(f"extractelement {kind} {several}, i64 {lane}") for lane in range(group)]
        return values

    def _wait(self, sums: Sequence[str]) -> None:
        """Put the sums of a strip into shared memory: the strip's rows of the first thread, then of the next ones."""
        f, tile, numbers = self.f, self.tile, self.numbers
        rows, group = tile.rows // tile.strips, tile.group(self.arithmetic.bytes)
        start = numbers.plus(numbers.times(self.places[0], rows * tile.n), numbers.times(self.places[1], group))
        kind = vector(self.arithmetic.type, group)
        for number in range(0, len(sums), group):
            r, c = divmod(number, tile.columns)
            to = numbers.element(
                self.waiting, numbers.plus(start, r * tile.n + self.panels[1].apart(c)), self.arithmetic.type
            )
            several = "poison"
            for lane, total in enumerate(sums[number : number + group]):
                several = f.op(f"insertelement {kind} {several}, {self.arithmetic.type} {total}, i64 {lane}")
            store_sums(f, self.arithmetic, several, to, group)

    def _row_of(self, strip: str, line: str) -> str:
        numbers, rows = self.numbers, self.tile.rows // self.tile.strips
        group = self.tile.group(self.arithmetic.bytes)
        number = numbers.plus(numbers.times(strip, rows), numbers.rest(line, rows))
        row = numbers.plus(numbers.times(numbers.over(line, rows), group), numbers.rest(number, group))
        return numbers.plus(row, numbers.times(numbers.over(number, group), self.panels[0].apart(group)))
