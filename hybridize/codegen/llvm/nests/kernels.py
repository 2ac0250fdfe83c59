# SPDX-License-Identifier: Apache-2.0
"""A kernel of the loop IR as one LLVM function `(ptr params..., ptr locals...)`.

Loops over rows outside, then per row each statement's own loops, the innermost in vectors; or, where a nest has a
lane axis, rows in vectors and everything inside in plain loops. The rest of a vector loop is one masked turn.

A *ranged* kernel runs a range of the turns of its outermost loop, which it is told by two more arguments: each turn is
the same code, whoever runs it, so that any division into ranges gives the same bits.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager

from hybridize.base.dims import is_symbolic, same
from hybridize.codegen.llvm.nests.accumulators import ColumnAccumulators
from hybridize.codegen.llvm.nests.counted import counted_lanes
from hybridize.codegen.llvm.nests.elements import Elements
from hybridize.codegen.llvm.nests.memory import Width
from hybridize.codegen.llvm.nests.memory import load as load_elements
from hybridize.codegen.llvm.nests.positions import Array, Lane
from hybridize.codegen.llvm.nests.tiles import turn, turned
from hybridize.codegen.llvm.registers import fetch
from hybridize.codegen.llvm.text import Function, LoopBlock, Module
from hybridize.loops.expr import Expr, Fold, Load
from hybridize.loops.index import Index, bit, upward
from hybridize.loops.kernel import Param, Statement, roots_of
from hybridize.loops.measure import walk
from hybridize.machine.target import Target
from hybridize.schedule import kernel as kernels
from hybridize.schedule.parallel import SharedLoop

Range = tuple[int, kernels.LoopAxis]
"""An axis and its number."""
Part = tuple[int, int, int]
"""A loop over part of an axis: its number, start, stop."""


def emit_kernel(
    module: Module, name: str, kernel: kernels.Kernel, target: Target, shared: SharedLoop | None = None
) -> Function:
    """Write `kernel` as the function `name`; where its nests have a `shared` loop, the turns of that to run, `first` to
    `last`, are further arguments.

    One that only copies, or has tiles turned around, calls functions that do.
    """
    f = Function(module, name, _params(kernel, shared is not None), works=False)
    for nest in kernel.nests:
        NestWriter(f, kernel, nest, target, shared).emit()
    return f


def emit_rows(module: Module, name: str, kernel: kernels.Kernel, target: Target) -> Function:
    """Write a kernel of one nest as the function `name`, of whose rows, counted as one, `first` to `last` are run."""
    (nest,) = kernel.nests
    f = Function(module, name, _params(kernel, ranged=True))
    NestWriter(f, kernel, nest, target).emit_rows()
    return f


def _params(kernel: kernels.Kernel, ranged: bool) -> list[tuple[str, str]]:
    buffers = enumerate((*kernel.params, *kernel.locals))
    params = [(f"ptr {_promises(buffer)}nocapture", f"b{i}") for i, buffer in buffers]
    return [*params, ("i64", "first"), ("i64", "last")] if ranged else params


def _promises(buffer: Param) -> str:
    """Attributes that LLVM may rely on: a table may be read before it is known whether a loop turns."""
    readable = f"align 64 dereferenceable({buffer.size * buffer.dtype.itemsize}) " if buffer.table else ""
    return f"{'' if buffer.shared else 'noalias '}{readable}"


class NestWriter:
    """Writes one nest."""

    def __init__(
        self, f: Function, kernel: kernels.Kernel, nest: kernels.Nest, target: Target, shared: SharedLoop | None = None
    ) -> None:
        self.f = f
        self.nest = nest
        self.rows = len(nest.rows)
        self.statements = nest.statements
        self.lane = nest.lane
        written = {statement.buffer for statement in self.statements}
        loads = {node.operand for node in walk(*roots_of(self.statements)) if isinstance(node, Load)}
        buffers = (*kernel.params, *kernel.locals)
        arrays = {
            number: self._array(number, buffers[number], is_row=number >= len(kernel.params), written=number in written)
            for number in written | loads
        }
        self.elements = self._writer(target, arrays)
        self.elements.rows = _bits(0, self.rows)
        self.elements.row_lane = self.lane
        for body in nest.bodies:
            for _, reads in _forwarded(body.statements):
                for read in reads:
                    self.elements.pinned[id(read)] = _bits(0, self.rows + len(body.axes))
        self.elements.siblings = self._siblings()
        self.cut = shared
        """The loop that runs the range, until it is written."""

    def _array(self, number: int, buffer: Param, *, is_row: bool, written: bool) -> Array:
        """A buffer of the kernel; rows are those that it keeps."""
        return Array(
            f"%b{number}",
            buffer.dtype,
            per_lane=self.lane is not None and is_row,
            written=written,
            table=buffer.table,
        )

    def _writer(self, target: Target, arrays: Mapping[int, Array]) -> Elements:
        """Return the writer of the nest's expressions."""
        nest = self.nest
        sizes = {axis: row.size for axis, row in enumerate(nest.rows)}
        folds, levels = {one.fold: one for one in nest.folds}, {one.variable: one for one in nest.levels}
        return Elements(self.f, target, arrays, sizes, folds, levels)

    def _siblings(self) -> dict[int, list[Fold]]:
        """The folds of each loop that has several: those of one variable that are one number for a row."""
        groups: dict[int, list[Fold]] = {}
        for node in walk(*roots_of(self.statements)):
            if isinstance(node, Fold):
                for part in upward(node):
                    self.elements.free(part)
                if not self.elements.free(node) & ~self.elements.rows:
                    groups.setdefault(node.variable, []).append(node)
        return {variable: folds for variable, folds in groups.items() if len(folds) > 1}

    @contextmanager
    def _turns(self, axis: int, start: int, stop: int, step: int = 1) -> Iterator[LoopBlock]:
        """A loop; where it is the one that is cut, over the range."""
        with self._uncut(axis) as cut:
            first, last = self._range(cut, stop) if cut is not None else (start, stop)
            with self.f.loop(first, last, step) as loop:
                yield loop

    @contextmanager
    def _uncut(self, axis: int) -> Iterator[SharedLoop | None]:
        """Yield the cut if it is this axis' loop that is cut, else None; loops inside are not cut."""
        cut = self.cut
        if cut is None or cut.axis != axis:
            yield None
            return
        self.cut = None
        yield cut
        self.cut = cut

    def _range(self, cut: SharedLoop, stop: int) -> tuple[str, str]:
        """The range in steps of the loop, up to `stop`."""
        first, last = (self.f.op(f"mul i64 %{name}, {cut.step}") for name in ("first", "last"))
        return first, self.f.smin(last, stop)

    @contextmanager
    def _rest(self, axis: int) -> Iterator[None]:
        """Write what comes after the whole steps; of the loop that is cut, only the last range runs it."""
        with self._uncut(axis) as cut:
            if cut is None:
                yield
                return
            last = self.f.op(f"icmp eq i64 %last, {self.f.size(cut.turns)}")
            with self.f.when(last), self.elements.scope():
                yield

    def emit(self) -> None:
        """Write the nest."""
        if not any(same(axis.size, 0) for axis in self.nest.rows):
            self._rows(0)

    def emit_rows(self) -> None:
        """Write the nest for a range of its rows."""
        f, sizes = self.f, [axis.size for axis in self.nest.rows]
        self.elements.hoist(roots_of(self.statements), _bits(0, self.rows))
        with f.loop("%first", "%last") as loop, ExitStack() as open_axes:
            index = loop.index
            for axis in range(self.rows - 1, -1, -1):
                size = f.size(sizes[axis])
                place = f.op(f"urem i64 {index}, {size}") if axis else index
                index = f.op(f"udiv i64 {index}, {size}") if axis else index
                open_axes.enter_context(self.elements.bound(axis, place))
            self._row()

    def _rows(self, axis: int) -> None:
        if axis == self.rows:
            self._row()
            return
        self.elements.hoist(roots_of(self.statements), bit(axis))
        row = self.nest.rows[axis]
        match row.kind:
            case kernels.Panels() as panels:
                self._panels(axis, row.size, panels)
            case kernels.Lanes() as lanes:
                self._lanes(axis, (0, row.size), lanes, lambda: self._rows(axis + 1))
            case kernels.SideBySide() as side_by_side:
                self._side_by_side(axis, row.size, side_by_side)
            case _:
                self._loop(axis, 0, row.size, lambda: self._rows(axis + 1))

    def _row(self) -> None:
        """Write the body of a row, or of a vector of rows; twice where short rows have code of their own."""
        f, elements, apart = self.f, self.elements, self.nest.few
        if apart is None:
            for body in self.nest.bodies:
                self._body(body)
            return
        size, lanes = f.size(apart.size), apart.lanes
        few = f.on_entry(f"icmp sle i64 {size}, {lanes}", ("few", size, lanes))
        many = f.on_entry(f"icmp sgt i64 {size}, {lanes}", ("many", size, lanes))
        for condition, is_few in ((few, True), (many, False)):
            with f.when(condition), elements.scope():
                elements.few = is_few
                for body in self.nest.bodies:
                    self._body(body)
                elements.few = False

    def _side_by_side(self, axis: int, size: int, side_by_side: kernels.SideBySide) -> None:
        """Rows that are folded a few at a time; what is left, one by one."""
        f, elements, whole = self.f, self.elements, size // side_by_side.rows * side_by_side.rows
        with self._turns(axis, 0, whole, side_by_side.rows) as block, elements.scope():
            rows = [elements.row(axis, f.op(f"add i64 {block.index}, {k}")) for k in range(side_by_side.rows)]
            for fold in _first_of_loops(side_by_side.folds):
                elements.fold_rows(fold, rows)
            for row in rows:
                with elements.at(row):
                    self._rows(axis + 1)
        if not same(whole, size):
            with self._rest(axis):
                self._loop(axis, whole, size, lambda: self._rows(axis + 1))

    def _panels(self, axis: int, size: int, panels: kernels.Panels) -> None:
        """Rows in lanes, a panel of them at a time: the folds one after the other, then what is made of them."""
        f, elements, columns = self.f, self.elements, panels.page * panels.pages
        with self._uncut(axis) as cut:
            first, last = self._range(cut, size) if cut is not None else (0, size)
            with f.loop(first, last, columns) as block, elements.scope():
                end = f.op(f"add i64 {block.index}, {columns}")
                end = f.smin(end, last)
                totals = ColumnAccumulators(elements, panels, axis, (block.index, end, size))
                for fold in _first_of_loops(panels.folds):
                    totals.fold(fold)
                totals.columns(lambda: self._rows(axis + 1))

    # Bodies

    def _body(self, body: kernels.Body) -> None:
        """Write inner loops and what stands in them."""
        loops = list(enumerate(body.axes, self.rows))
        for number, axis in loops:
            self.elements.space.ranges[number] = axis.size
        if any(same(axis.size, 0) for axis in body.axes):
            return
        tiled = next(((number, axis.kind) for number, axis in loops if isinstance(axis.kind, kernels.Tiles)), None)
        if loops and isinstance(body.axes[-1].kind, kernels.Memcpy):
            self._copies(body.statements[0], loops)
        elif tiled is None:
            self._inner(body, [(number, 0, axis.size) for number, axis in loops], self._vectors(body))
        else:
            self._tiles(body, loops, *tiled)

    def _vectors(self, body: kernels.Body) -> kernels.Lanes | None:
        """The vectors of the innermost loop."""
        if not body.axes:
            return None
        axis = body.axes[-1]
        kind = axis.few if self.elements.few and axis.few is not None else axis.kind
        return kind if isinstance(kind, kernels.Lanes) else None

    def _inner(self, body: kernels.Body, loops: Sequence[Part], lanes: kernels.Lanes | None) -> None:
        """Loops over (axis, start, stop), outermost first, the innermost in vectors where it has any."""
        if not loops:
            self._turn(body)
            return
        (axis, start, stop), rest = loops[0], loops[1:]
        self.elements.hoist(roots_of(body.statements), _axes_of(axis for axis, _, _ in loops))
        if rest or lanes is None:
            self._loop(axis, start, stop, lambda: self._inner(body, rest, lanes))
            return

        def turn() -> None:
            self._turn(body)
            self._fetch(body.fetches)

        self._lanes(axis, (start, stop), lanes, turn)

    def _fetch(self, fetches: Sequence[kernels.Fetch]) -> None:
        """Have this turn's part of the next row brought near."""
        lane = self.elements.lane
        if lane is None or lane.width.mask is not None:
            return
        for one in fetches:
            load, size = one.load, one.load.dtype.itemsize
            pointer = self.elements.pointer(load.operand, load.indices[0])
            fetch(self.f, pointer, one.distance * size, lane.width.lanes * size)

    def _copies(self, statement: Statement, loops: Sequence[Range]) -> None:
        """A statement that copies runs of elements, by the C library's means."""
        (number, axis), rest = loops[0], loops[1:]
        self.elements.hoist(roots_of([statement]), _axes_of(number for number, _ in loops))
        if rest:
            self._loop(number, 0, axis.size, lambda: self._copies(statement, rest))
            return
        source = statement.value
        assert isinstance(source, Load)
        if any(isinstance(node, Load) for node in walk(statement.index, *source.indices)):
            self.f.works = True  # it reads where each run lies
        with self.elements.bound(number, "0"):
            target = self.elements.pointer(statement.buffer, statement.index)
            origin = self.elements.pointer(source.operand, source.indices[0])
        self.f.copy(target, origin, axis.size * source.dtype.itemsize)

    def _tiles(self, body: kernels.Body, loops: Sequence[Range], across: int, tiles: kernels.Tiles) -> None:
        """The loop over the tiles' axis and the last one in tiles; what is left of either, in plain loops."""
        f, elements, roots = self.f, self.elements, roots_of(body.statements)
        elements.hoist(roots, _axes_of(number for number, _ in loops))
        outer = next((loop for loop in loops[:-1] if loop[0] != across), None)
        if outer is not None:
            rest = [loop for loop in loops if loop is not outer]
            self._loop(outer[0], 0, outer[1].size, lambda: self._tiles(body, rest, across, tiles))
            return
        columns, (lane, size) = loops[0][1].size, (loops[1][0], loops[1][1].size)
        whole_columns, whole = columns // tiles.lanes * tiles.lanes, size // tiles.lanes * tiles.lanes
        with (
            self._turns(across, 0, whole_columns, tiles.lanes) as block,
            elements.bound(across, block.index),
        ):
            if not self._copied_tiles(body, across, tiles, (lane, whole)):
                with (
                    f.loop(0, whole, tiles.lanes) as loop,
                    elements.bound(lane, loop.index, Lane(lane, Width(tiles.lanes))),
                ):
                    self._tile(body, across, tiles, block.index)
            if tiles.part:
                last = Lane(lane, Width.first(tiles.part, tiles.lanes))
                with elements.bound(lane, f.size(whole), last):
                    self._tile(body, across, tiles, block.index, tiles.part)
        if not same(whole, size) and not tiles.part:
            with self._rest(across):
                self._inner(body, [(across, 0, whole_columns), (lane, whole, size)], tiles.rest)
        if not same(whole_columns, columns):
            with self._rest(across):
                self._inner(body, [(across, whole_columns, columns), (lane, 0, size)], self._vectors(body))

    def _copied_tiles(self, body: kernels.Body, across: int, tiles: kernels.Tiles, over: tuple[int, int]) -> bool:
        """Call the function that turns tiles, along the last axis, if the body does nothing else; tell whether."""
        f, elements, (lane, size) = self.f, self.elements, over
        if len(body.statements) != 1 or len(tiles.loads) != 1:
            return False
        (statement,), ((load, load_stride),) = body.statements, tiles.loads
        dtype = elements.arrays[load.operand].dtype
        if (
            statement.value is not load
            or elements.arrays[statement.buffer].dtype != dtype
            or load_stride is None
            or not self._straight(statement.index, lane)
        ):
            return False
        name, nbytes = turn(f.module, dtype, tiles.lanes), dtype.itemsize
        origin, store_stride = f.size(load_stride * nbytes), elements.stride(statement.index, across)
        if store_stride is not None:
            with elements.bound(lane, "0", Lane(lane, Width(tiles.lanes))):
                to = elements.pointer(statement.buffer, statement.index)
                start = elements.pointer(load.operand, load.indices[0])
            f.call(name, _turned(to, f.size(store_stride * nbytes), start, origin, f.size(size)))
            return True
        # Rows lie at no one distance from each other: they go there from a tile beside.
        row, column = tiles.lanes * nbytes, elements.axes[across]
        tile = f.alloca("i8", tiles.lanes * row)
        with f.loop(0, size, tiles.lanes) as loop, elements.bound(lane, loop.index, Lane(lane, Width(tiles.lanes))):
            start = elements.pointer(load.operand, load.indices[0])
            f.call(name, _turned(tile, str(row), start, origin, str(tiles.lanes)))
            with (
                f.loop(0, tiles.lanes, carry=[("ptr", tile)]) as rows,
                elements.bound(across, f.op(f"add i64 {column}, {rows.index}")),
            ):
                elements.remember(load, load_elements(f, rows.values[0], dtype, Width(tiles.lanes)))
                self._turn(body)
                rows.following = [f.at(rows.values[0], str(row))]
        return True

    def _straight(self, address: Expr, lane: int) -> bool:
        """Tell whether consecutive indices of an axis lie side by side."""
        stride = self.elements.stride(address, lane)
        return stride is not None and same(stride, 1)

    def _stepping(self, body: kernels.Body, axis: int, lane: int) -> list[tuple[int, Index, str, int]]:
        """Vectors of a body that an even step leads to from one index of `axis` to the next: operand, address, pointer
        to the first, step.
        """
        accesses = [(statement.buffer, statement.index) for statement in body.statements]
        loads = [node for node in walk(*(statement.value for statement in body.statements)) if isinstance(node, Load)]
        accesses += [(load.operand, load.indices[0]) for load in loads]
        vectors = []
        for operand, address in {(operand, id(address)): (operand, address) for operand, address in accesses}.values():
            step = self.elements.stride(address, axis)
            if not isinstance(address, Index) or step is None or not self._straight(address, lane):
                continue
            if self.elements.is_open(address):
                vectors.append((operand, address, self.elements.pointer(operand, address), step))
        return vectors

    def _tile(self, body: kernels.Body, axis: int, tiles: kernels.Tiles, column: str, rows: int | None = None) -> None:
        """One turn for each column of a tile, which may have fewer rows."""
        assert self.elements.lane is not None
        loads = [(load, turned(self.f, self.elements, tiles.lanes, load, stride, rows)) for load, stride in tiles.loads]
        stepping = self._stepping(body, axis, self.elements.lane.axis)
        for k in range(tiles.lanes):
            index = self.f.op(f"add i64 {column}, {k}")
            with self.elements.bound(axis, index):
                for operand, address, start, step in stepping:
                    self.elements.place(operand, address, start, k * step)
                for load, registers in loads:
                    self.elements.remember(load, registers[k])
                self._turn(body)

    def _turn(self, body: kernels.Body) -> None:
        """One turn of the innermost loop; what one statement stores, the next has in registers."""
        self.f.works = True
        for statement, reads in _forwarded(body.statements):
            result = self.elements.store(statement.buffer, statement.index, statement.value)
            for read in reads:
                self.elements.remember(read, result)

    def _loop(self, axis: int, start: int, stop: int, body: Callable[[], None]) -> None:
        if same(stop, start + 1) and (self.cut is None or self.cut.axis != axis):
            with self.elements.bound(axis, self.f.size(start)):
                body()
            return
        with self._turns(axis, start, stop) as loop, self.elements.bound(axis, loop.index):
            body()

    def _lanes(self, axis: int, over: tuple[int, int], lanes: kernels.Lanes, body: Callable[[], None]) -> None:
        """A loop in vectors."""
        start, stop = over
        if is_symbolic(start) or is_symbolic(stop):
            with self._uncut(axis) as cut:
                part = None if cut is None else self._range(cut, stop)
                counted_lanes(self.elements, axis, over, lanes, body, part)
            return
        main = start
        for width in lanes.whole:
            main = start + (stop - start) // width * width
            # A thread's range begins with a whole step of the loop that is cut.
            step = width if self.cut is None or self.cut.axis != axis else self.cut.step
            whole = Lane(axis, Width(width), math.gcd(start, width, step))
            if main == start + width and (self.cut is None or self.cut.axis != axis):
                with self.elements.bound(axis, str(start), whole):
                    body()
            else:
                with self._turns(axis, start, main, width) as loop, self.elements.bound(axis, loop.index, whole):
                    body()
        if lanes.rest:
            lane = Lane(axis, Width.first(stop - main, lanes.rest))
            with self._rest(axis), self.elements.bound(axis, str(main), lane):
                body()


def _turned(to: str, to_stride: str, start: str, stride: str, size: str) -> list[str]:
    """The arguments of the function that turns tiles."""
    return [f"ptr {to}", f"i64 {to_stride}", f"ptr {start}", f"i64 {stride}", f"i64 {size}"]


def _forwarded(group: Sequence[Statement]) -> list[tuple[Statement, list[Load]]]:
    """Each statement with the loads, in later ones of its turn, of what it stores."""
    pairs = []
    below: dict[int, dict[int, Load]] = {}
    for statement in reversed(group):
        pairs.append((statement, list(below.get(statement.buffer, {}).values())))
        for node in walk(statement.value):
            if isinstance(node, Load):
                below.setdefault(node.operand, {})[id(node)] = node
    return pairs[::-1]


def _first_of_loops(folds: Sequence[Fold]) -> Iterable[Fold]:
    """One fold of each loop."""
    return {fold.variable: fold for fold in folds}.values()


def _axes_of(axes: Iterable[int]) -> int:
    bits = 0
    for axis in axes:
        bits |= bit(axis)
    return bits


def _bits(first: int, stop: int) -> int:
    bits = 0
    for axis in range(first, stop):
        bits |= bit(axis)
    return bits
