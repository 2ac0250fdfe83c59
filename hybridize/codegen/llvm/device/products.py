# SPDX-License-Identifier: Apache-2.0
"""Sums of products as a kernel of a GPU: a tile for each block, operands by way of shared memory, the epilogue.

Panels of both operands, some terms of a tile, are brought into shared memory while those before are multiplied. Sums
stay in registers, and wait in shared memory for the epilogue, which is written once, in a loop over the elements. Parts
of sums wait in scratch for the next launch, which adds them up and has the epilogue.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import Final

from hybridize.base.dims import is_symbolic, known
from hybridize.base.dtypes import bool_
from hybridize.codegen.llvm.contraction.arithmetic import ArithmeticEmitter
from hybridize.codegen.llvm.contraction.epilogue import accumulated, elements_of_result
from hybridize.codegen.llvm.device.fetching import Panel, member_of
from hybridize.codegen.llvm.device.numbers import LARGEST, Numbers
from hybridize.codegen.llvm.device.threads import (
    KernelFunction,
    SharedMemory,
    block,
    end_copies,
    kernel_function,
    thread,
    wait_for_block,
    wait_for_copies,
)
from hybridize.codegen.llvm.functions.table import register as register_type
from hybridize.codegen.llvm.nests.elements import Elements
from hybridize.codegen.llvm.text import Function, Module, vector
from hybridize.loops.kernel import Param
from hybridize.machine.target import Target
from hybridize.schedule.contraction.ending import Ending
from hybridize.schedule.device.contractions import BlockPlan, BlockSums, PlacedAxis
from hybridize.schedule.kernel import Launch

COPIED: Final = (4, 8)
"""Bytes of elements that are copied without a register between."""
THREADS_AT_ONCE: Final = 512
"""Threads of a processor, at least, so that one has 128 registers at most: a tile of 128 x 128 fits, and two blocks."""


def emit_tiles(
    module: Module, name: str, plan: BlockPlan, sums: BlockSums, ending: Ending, target: Target
) -> KernelFunction:
    """Write the tiles of a launch as `name`: `(ptr x, ptr w, <params of the epilogue>, ptr parts)`; the last one where
    the plan has scratch.
    """
    f = _kernel(module, name, plan, ending, sums.grid.launch, from_parts=False)
    _TileWriter(f, plan, sums, ending, target).emit()
    return f


def emit_sums_of_parts(
    module: Module, name: str, plan: BlockPlan, sums: BlockSums, ending: Ending, target: Target
) -> KernelFunction:
    """Write the launch that adds up parts, a thread for each element of the result, with the same parameters."""
    after = sums.grid.after
    assert after is not None
    f = _kernel(module, name, plan, ending, after, from_parts=True)
    grid = sums.grid
    numbers = numbers_of(f, sums)
    arithmetic = ArithmeticEmitter.of_elements(plan.elements, target)
    results = _ResultWriter(f, plan, sums, ending, target)
    index = numbers.plus(numbers.times(numbers.narrowed(block(f)), after.threads), numbers.narrowed(thread(f)))
    with f.when(numbers.is_below(index, grid.batch * grid.m * grid.columns)):
        member, row, column = numbers.places(index, (grid.batch, grid.m, grid.columns))
        place = numbers.plus(numbers.times(numbers.plus(numbers.times(member, grid.m), row), grid.n), column)
        firsts = [
            numbers.element("%parts", numbers.plus(place, gate * grid.columns), arithmetic.type)
            for gate in range(grid.gates)
        ]
        kind, apart = arithmetic.type, grid.batch * grid.m * grid.n
        begin = [(kind, arithmetic.load_computed(f, one, 1)) for one in firsts]
        with f.loop(1, grid.parts, 1, begin) as loop:
            at = numbers.times(numbers.narrowed(loop.index), apart)
            parts = [arithmetic.load_computed(f, numbers.element(one, at, kind), 1) for one in firsts]
            loop.following = [arithmetic.add(f, total, part, 1) for total, part in zip(loop.values, parts, strict=True)]
        results.open_batch(numbers, member)
        with results.at(numbers, row, column):
            results.store(loop.results)
    return f


def _kernel(
    module: Module, name: str, plan: BlockPlan, ending: Ending, launch: Launch, *, from_parts: bool
) -> KernelFunction:
    operands: list[tuple[str, Param | None]] = [("x", None), ("w", None)]
    params = [*operands, *((f"e{number}", param) for number, param in enumerate(ending.params))]
    if plan.scratch_bytes:
        params.append(("parts", Param(plan.elements.dtype, 1, not from_parts)))
    least = max(1, THREADS_AT_ONCE // launch.threads)
    return kernel_function(module, name, params, launch.threads, launch.blocks, 1 if from_parts else least)


def numbers_of(f: Function, sums: BlockSums) -> Numbers:
    """The numbers of a kernel: of 32 bits where no index of it is larger, those beyond the last tile counted too."""
    grid, sizes = sums.grid, [sums.grid.batch, sums.grid.m, sums.grid.n, sums.grid.k, sums.grid.part_elements]
    for operand in sums.operands:
        sizes += [operand.elements, operand.first, *(size for one in operand.borders for size in (one.size, one.first))]
        for walk in (operand.batch, operand.along, operand.terms):
            sizes += [*walk.sizes, *walk.steps]
    if not known(sizes):
        return Numbers(f, is_small=False)
    tile = grid.tile
    beyond = [tile.m, tile.n, 2 * tile.k]
    most = [grid.batch * (grid.m + tile.m) * (grid.n + tile.n), grid.part_elements, grid.k + 2 * tile.k]
    for operand in sums.operands:
        steps = [abs(step) for walk in (operand.along, operand.terms) for step in walk.steps]
        most.append(2 * operand.elements + abs(operand.first) + max(beyond) * sum(steps))
        most += [2 * one.size * one.divisor + abs(one.first) + max(beyond) * sum(map(abs, (*one.along, *one.terms)))
                 for one in operand.borders]  # fmt: skip
    return Numbers(f, is_small=max(most) < LARGEST)


class _ResultWriter:
    """Writes the epilogue at elements of the result, told by batch, row and column."""

    def __init__(self, f: Function, plan: BlockPlan, sums: BlockSums, ending: Ending, target: Target) -> None:
        self._f, self._ending, self._axes = f, ending, sums.axes
        self._stored = ArithmeticEmitter.of_elements(plan.elements, target).stored
        self.elements: Elements = elements_of_result(f, target, ending.params, plan.sizes, placed=False)

    def open_batch(self, numbers: Numbers, member: str) -> None:
        """Take a member of the batch for the rest of the kernel."""
        for axis, place in self._places(numbers, 0, member):
            self.elements.axes[axis], self.elements.depth[axis] = place, 0

    @contextmanager
    def at(self, numbers: Numbers, row: str, column: str) -> Iterator[None]:
        """Open the axes of rows and columns."""
        with ExitStack() as stack:
            stack.enter_context(self.elements.scope())
            for side, index in ((1, row), (2, column)):
                for axis, place in self._places(numbers, side, index):
                    stack.enter_context(self.elements.bound(axis, place))
            yield

    def _places(self, numbers: Numbers, side: int, index: str) -> list[tuple[int, str]]:
        axes: tuple[PlacedAxis, ...] = self._axes[side]
        places = numbers.places(index, [one.size for one in axes])
        return [
            (one.axis, numbers.wide(numbers.plus(numbers.times(place, one.step), one.first)))
            for one, place in zip(axes, places, strict=True)
        ]

    def store(self, totals: Sequence[str]) -> None:
        """The epilogue of an element, the sum of each gate being given as it waits in memory."""
        if self._stored == bool_:
            totals = [self._f.op(f"trunc i8 {total} to {register_type(bool_, 1)}") for total in totals]
        accumulated(self._f, self.elements, self._ending, totals, 1)


class _TileWriter:
    """Writes the tiles of one launch."""

    def __init__(self, f: KernelFunction, plan: BlockPlan, sums: BlockSums, ending: Ending, target: Target) -> None:
        self.f, self.grid, self.tile = f, sums.grid, sums.grid.tile
        self.arithmetic = ArithmeticEmitter.of_elements(plan.elements, target)
        self.numbers = numbers = numbers_of(f, sums)
        copies = target.device is not None and target.device.copies
        self.is_copied = copies and not self.arithmetic.converts and self.arithmetic.bytes in COPIED
        """True if operands go to shared memory without a register between."""
        self.memory = SharedMemory(f)
        self.thread = numbers.narrowed(thread(f))
        grid, tile, itemsize = self.grid, self.tile, self.arithmetic.bytes
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
        self.panels = [
            Panel(
                numbers, self.arithmetic, operand, self._array(tile.panel_elements(span, itemsize)),
                span, rows, tile, member_of(numbers, base, operand, self.member),
            )
            for base, operand, span, rows in zip(
                ("%x", "%w"), sums.operands, (tile.m, tile.n), (tile.rows, tile.columns), strict=True
            )
        ]  # fmt: skip
        self.waiting = self._array(tile.strip_elements)
        groups = tile.n // tile.columns
        self.places = numbers.over(self.thread, groups), numbers.rest(self.thread, groups)
        """The rows and the columns of the thread, counted in groups."""
        self.results = _ResultWriter(f, plan, sums, ending, target)

    def _array(self, count: int) -> str:
        return self.memory.array(self.arithmetic.type, count, self.arithmetic.bytes)

    def emit(self) -> None:
        """Write the tiles."""
        grid, tile, width = self.grid, self.tile, self.tile.n // self.grid.gates
        rows, columns = self.panels
        rows.share(self.thread, self.row, grid.m, tile.m, 0)
        columns.share(self.thread, self.column, grid.columns, width, 0 if grid.gates == 1 else grid.columns)
        self._store(self._sums())

    # Sums

    def _sums(self) -> list[str]:
        """The sums of a thread, row by row."""
        f, grid, tile, numbers = self.f, self.grid, self.tile, self.numbers
        ahead = (tile.stages - 1) * tile.k
        """Terms between those that are multiplied and those that are brought."""
        turns, first = (grid.terms + tile.k - 1) // tile.k, numbers.times(self.part, grid.terms)
        if not is_symbolic(turns) and turns == 0:
            return [self.arithmetic.nothing] * (tile.rows * tile.columns)
        for stage in range(tile.stages - 1):
            self._bring(numbers.plus(first, stage * tile.k), str(stage))
        zeros = [(self.arithmetic.type, self.arithmetic.nothing)] * (tile.rows * tile.columns)
        with f.loop(0, turns, 1, zeros) as loop:
            index, sums = numbers.narrowed(loop.index), list(loop.values)
            here, there = (numbers.rest(numbers.plus(index, one), tile.stages) for one in (0, tile.stages - 1))
            if self.is_copied:
                wait_for_copies(f, tile.stages - 2)
            wait_for_block(f)
            values = self._begun(numbers.plus(first, numbers.times(index, tile.k), ahead), there)
            for term in range(tile.k):
                sums = self._multiplied(here, term, sums)
            self._kept(values, there)
            loop.following = sums
        return loop.results

    def _bring(self, first: str, stage: str) -> None:
        """Bring the panels from term `first` on into a stage."""
        self._kept(self._begun(first, stage), stage)

    def _begun(self, first: str, stage: str) -> list[str]:
        """Begin to bring them: copies are on their way, or a thread has the elements."""
        k, values = self.grid.k, list[str]()
        for panel in self.panels:
            if self.is_copied:
                panel.copy(first, k, self.numbers.times(stage, self.tile.k * panel.pitch))
            else:
                values += panel.fetched(first, k)
        if self.is_copied:
            end_copies(self.f)
        return values

    def _kept(self, values: Sequence[str], stage: str) -> None:
        """Put the elements that a thread has into a stage."""
        left = iter(values)
        if not self.is_copied:
            for panel in self.panels:
                panel.keep(left, self.numbers.times(stage, self.tile.k * panel.pitch))

    def _multiplied(self, stage: str, term: int, sums: Sequence[str]) -> list[str]:
        """The sums with the products of one term of the panels added."""
        x, w = (self._read(side, stage, term) for side in (0, 1))
        return [
            self.arithmetic.multiply_add(self.f, x[number // len(w)], w[number % len(w)], total)
            for number, total in enumerate(sums)
        ]

    def _read(self, side: int, stage: str, term: int) -> list[str]:
        """The elements of a panel at one term that a thread multiplies: groups of neighbours, far apart."""
        f, panel, arithmetic, numbers = self.f, self.panels[side], self.arithmetic, self.numbers
        group = self.tile.group(arithmetic.bytes)
        base = numbers.plus(numbers.times(stage, self.tile.k * panel.pitch), numbers.times(self.places[side], group))
        kind, values = vector(arithmetic.type, group), []
        for first in range(0, panel.rows, group):
            index = numbers.plus(base, term * panel.pitch + panel.apart(first))
            place = numbers.element(panel.array, index, arithmetic.type)
            several = f.op(f"load {kind}, ptr {place}, align {group * arithmetic.bytes}")
            values += [f.op(f"extractelement {kind} {several}, i64 {lane}") for lane in range(group)]
        return values

    # Results

    def _store(self, sums: Sequence[str]) -> None:
        """Store the results, strip by strip."""
        f, tile = self.f, self.tile
        rows = tile.rows // tile.strips
        self.results.open_batch(self.numbers, self.member)
        with f.loop(0, tile.strips) as strips:
            for strip in range(tile.strips):
                part = sums[strip * rows * tile.columns : (strip + 1) * rows * tile.columns]
                if tile.strips == 1:
                    self._wait(part)
                    continue
                with f.when(f.test("eq", strips.index, strip)):
                    self._wait(part)
            wait_for_block(f)
            self._stored(self.numbers.narrowed(strips.index), rows)
            if tile.strips > 1:
                wait_for_block(f)

    def _wait(self, sums: Sequence[str]) -> None:
        """Put the sums of a strip into shared memory: the strip's rows of the first thread, then of the next ones."""
        f, tile, numbers = self.f, self.tile, self.numbers
        rows, group = tile.rows // tile.strips, tile.group(self.arithmetic.bytes)
        start = numbers.plus(numbers.times(self.places[0], rows * tile.n), numbers.times(self.places[1], group))
        for number, total in enumerate(sums):
            r, c = divmod(number, tile.columns)
            place = r * tile.n + self.panels[1].apart(c // group * group) + c % group
            to = numbers.element(self.waiting, numbers.plus(start, place), self.arithmetic.type)
            self.arithmetic.store_computed(f, total, to, 1)

    def _stored(self, strip: str, rows: int) -> None:
        """Store all elements of a strip, neighbouring ones by neighbouring threads."""
        f, tile, grid, numbers = self.f, self.tile, self.grid, self.numbers
        width, group = tile.n // grid.gates, tile.group(self.arithmetic.bytes)
        with f.loop(thread(f), tile.m // tile.strips * width, tile.threads) as loop, self.results.elements.scope():
            index = numbers.narrowed(loop.index)
            line, column = numbers.over(index, width), numbers.rest(index, width)
            first = numbers.plus(numbers.times(line, tile.n), column)
            number = numbers.plus(numbers.times(strip, rows), numbers.rest(line, rows))
            row = numbers.plus(numbers.times(numbers.over(line, rows), group), numbers.rest(number, group))
            row = numbers.plus(row, numbers.times(numbers.over(number, group), self.panels[0].apart(group)))
            row, column = numbers.plus(self.row, row), numbers.plus(self.column, column)
            inside = f.op(f"and i1 {numbers.is_below(row, grid.m)}, {numbers.is_below(column, grid.columns)}")
            with f.when(inside):
                totals = [self._total(first, gate * width) for gate in range(grid.gates)]
                if grid.after is not None:
                    self._part(row, column, totals)
                else:
                    with self.results.at(numbers, row, column):
                        self.results.store(totals)

    def _total(self, first: str, offset: int) -> str:
        """A sum that waits."""
        place = self.numbers.element(self.waiting, self.numbers.plus(first, offset), self.arithmetic.type)
        return self.arithmetic.load_computed(self.f, place, 1)

    def _part(self, row: str, column: str, totals: Sequence[str]) -> None:
        """Put parts of sums into scratch."""
        grid, numbers = self.grid, self.numbers
        member = numbers.plus(numbers.times(self.part, grid.batch), self.member)
        line = numbers.times(numbers.plus(numbers.times(member, grid.m), row), grid.n)
        for gate, total in enumerate(totals):
            place = numbers.plus(line, column, gate * grid.columns)
            to = numbers.element("%parts", place, self.arithmetic.type)
            self.arithmetic.store_computed(self.f, total, to, 1)
