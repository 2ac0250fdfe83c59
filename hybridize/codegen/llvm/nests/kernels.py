# SPDX-License-Identifier: Apache-2.0
"""A kernel of the loop IR as one LLVM function `(ptr params..., ptr locals...)`.

Loops over rows outside, then per row each statement's own loops, the innermost in vectors; or, where a nest has a
lane axis, rows in vectors and everything inside in plain loops. The rest of a vector loop is one masked turn.

A *ranged* kernel runs a range of the turns of its outermost loop, which it is told by two more arguments: each turn is
the same code, whoever runs it, so that any division into ranges gives the same bits.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from hybridize.base.dims import Size, is_symbolic, same
from hybridize.base.frozen import frozen
from hybridize.codegen.llvm.contraction.micro import fetch
from hybridize.codegen.llvm.nests.accumulators import ColumnAccumulators
from hybridize.codegen.llvm.nests.counted import counted_lanes, ends_masked
from hybridize.codegen.llvm.nests.elements import Elements
from hybridize.codegen.llvm.nests.memory import Width
from hybridize.codegen.llvm.nests.panels import Panel, SideBySide, find_panel, find_side_by_side
from hybridize.codegen.llvm.nests.positions import Array, Lane
from hybridize.codegen.llvm.nests.tiles import Tile, along, find_tile, turned
from hybridize.codegen.llvm.text import Function, LoopBlock, Module
from hybridize.loops.expr import Expr, Fold, Load
from hybridize.loops.index import bit
from hybridize.loops.kernel import Kernel, Nest, Statement
from hybridize.loops.measure import lanes_for, walk, weight, widest
from hybridize.machine.target import Target

Range = tuple[int, int, int]
"""A loop: axis, start, stop."""


FETCHED = 1024
"""Bytes of a row from which the next one is asked for; shorter ones come by themselves."""


@frozen
class Outermost:
    """The outermost loop of a nest: `size` in steps of `step`, the last of which may be shorter."""

    axis: int
    size: int
    step: int

    @property
    def turns(self) -> int:
        """The number of times it runs."""
        return (self.size + self.step - 1) // self.step


def emit_kernel(module: Module, name: str, kernel: Kernel, target: Target, ranged: bool = False) -> Function:
    """Write `kernel` as the function `name`; a ranged one takes the turns `first` to `last` as further arguments."""
    f = Function(module, name, _params(kernel, ranged))
    for nest in kernel.nests:
        _Nest(f, kernel, nest, target, ranged).emit()
    f.do("ret void")
    return f


def _params(kernel: Kernel, ranged: bool) -> list[tuple[str, str]]:
    buffers = enumerate((*kernel.params, *kernel.locals))
    params = [(f"ptr {'' if buffer.shared else 'noalias '}nocapture", f"b{i}") for i, buffer in buffers]
    return [*params, ("i64", "first"), ("i64", "last")] if ranged else params


def outermost_loop(kernel: Kernel, nest: Nest, target: Target) -> Outermost | None:
    """The loop that a ranged kernel of this nest alone is cut along; None where there is none to be cut."""
    return _Nest(Function(Module(), "asked", _params(kernel, True)), kernel, nest, target).outermost()


class _Nest:
    """Writes one nest."""

    def __init__(self, f: Function, kernel: Kernel, nest: Nest, target: Target, ranged: bool = False) -> None:
        self.f = f
        self.nest = nest
        self.target = target
        written = {statement.buffer for statement in nest.statements}
        arrays = {
            number: Array(
                f"%b{number}",
                param.dtype,
                per_lane=nest.lane is not None and number >= len(kernel.params),
                written=number in written,
            )
            for number, param in enumerate((*kernel.params, *kernel.locals))
        }
        self.elements = Elements(f, target, arrays, dict(enumerate(nest.rows)))
        self.elements.rows = _bits(0, len(nest.rows))
        self.elements.row_lane = nest.lane
        self.side_by_side = find_side_by_side(nest, self.elements.free, target)
        self.panel = find_panel(nest, self.elements.free, target)
        self.groups = together(nest.statements)
        for group in self.groups:
            for statement, reads in _forwarded(group):
                for read in reads:
                    self.elements.pinned[id(read)] = _bits(0, len(nest.rows) + len(statement.sizes))
        self.cut = self.outermost() if ranged else None
        """The loop that runs the range, until it is written."""

    def outermost(self) -> Outermost | None:
        """The loop that can be run in ranges."""
        rows, sizes = self.nest.rows, self.nest.statements[0].sizes if self.groups else ()
        if not self.groups or any(same(size, 0) for size in (*rows, *sizes)) or (not rows and len(self.groups) > 1):
            return None
        if rows:
            step = 1
            if self.nest.lane == 0:
                step = self.nest.lanes if self.panel is None else self.panel.page
            elif self.side_by_side is not None and len(rows) == 1:
                step = self.side_by_side.rows
            return Outermost(0, rows[0], step)
        return self._outermost_of(self.groups[0], sizes) if sizes else None

    def _outermost_of(self, group: Sequence[Statement], sizes: Sequence[int]) -> Outermost | None:
        """Of statements that are all there is."""
        if len(group) == 1 and _is_copy(group[0], len(sizes) - 1):
            return Outermost(0, sizes[0], 1) if len(sizes) > 1 else None
        tile = find_tile(group, 0, self.target)
        if tile is not None:
            outer = [axis for axis in range(len(sizes) - 1) if axis != tile.axis]
            return Outermost(outer[0], sizes[outer[0]], 1) if outer else Outermost(0, sizes[0], tile.lanes)
        return Outermost(0, sizes[0], self._lanes_of(group, sizes[0])[0] if len(sizes) == 1 else 1)

    @contextmanager
    def _turns(self, axis: int, start: int, stop: int, step: int = 1) -> Iterator[LoopBlock]:
        """A loop; where it is the one that is cut, over the range."""
        with self._uncut(axis) as cut:
            first, last = self._range(cut, stop) if cut is not None else (start, stop)
            with self.f.loop(first, last, step) as loop:
                yield loop

    @contextmanager
    def _uncut(self, axis: int) -> Iterator[Outermost | None]:
        """Yield the cut if it is this axis' loop that is cut, else None; loops inside are not cut."""
        cut = self.cut
        if cut is None or cut.axis != axis:
            yield None
            return
        self.cut = None
        yield cut
        self.cut = cut

    def _range(self, cut: Outermost, stop: Size) -> tuple[str, str]:
        """The range in steps of the loop, up to `stop`."""
        first, last = (self.f.op(f"mul i64 %{name}, {cut.step}") for name in ("first", "last"))
        return first, self.f.op(f"call i64 {self.elements.smin()}(i64 {last}, i64 {self.f.size(stop)})")

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
        if not any(same(size, 0) for size in self.nest.rows):
            self._rows(0)

    def _rows(self, axis: int) -> None:
        if axis == len(self.nest.rows):
            self._row()
            return
        self.elements.hoist(_roots(self.nest.statements), bit(axis))
        size = self.nest.rows[axis]
        if self.panel is not None and axis == self.nest.lane:
            self._panels(axis, size, self.panel)
        elif axis == self.nest.lane:
            values = [statement.value for statement in self.nest.statements]
            lanes = self.nest.lanes, min(self.nest.lanes, self.target.lanes(widest(*values)))
            self._lanes(axis, (0, size), lanes, lambda: self._rows(axis + 1))
        elif self.side_by_side is not None and axis == len(self.nest.rows) - 1:
            self._side_by_side(axis, size, self.side_by_side)
        else:
            self._loop(axis, 0, size, lambda: self._rows(axis + 1))

    def _row(self) -> None:
        """Write the body of a row, or of a vector of rows; twice where its length may be that of a vector or not."""
        f, elements = self.f, self.elements
        short = self._short()
        if short is None:
            for group in self.groups:
                self._statements(group)
            return
        size, lanes = short
        few = f.on_entry(f"icmp sle i64 {f.size(size)}, {lanes}", ("few", f.size(size), lanes))
        many = f.on_entry(f"icmp sgt i64 {f.size(size)}, {lanes}", ("many", f.size(size), lanes))
        for condition, is_few in ((few, True), (many, False)):
            with f.when(condition), elements.scope():
                elements.short = size, is_few
                for group in self.groups:
                    self._statements(group)
                elements.short = None

    def _short(self) -> tuple[int, int] | None:
        """A length of rows that is not known, and the narrowest vector for what is done along them; None: no such."""
        if not self.nest.rows or self.nest.lane is not None:
            return None
        values = [statement.value for statement in self.nest.statements]
        folds = [node for node in walk(*values, indices=False) if isinstance(node, Fold)]
        sizes = [statement.sizes[-1] for statement in self.nest.statements if statement.sizes]
        sizes += [fold.size for fold in folds]
        if not sizes or not all(is_symbolic(size) and same(size, sizes[0]) for size in sizes):
            return None
        lanes = self.target.lanes(widest(*values))
        return (sizes[0], lanes) if lanes > 1 and ends_masked(self.elements, sizes[0], lanes) else None

    def _side_by_side(self, axis: int, size: int, side_by_side: SideBySide) -> None:
        """Rows that are folded a few at a time; what is left, one by one."""
        f, elements, whole = self.f, self.elements, size // side_by_side.rows * side_by_side.rows
        with self._turns(axis, 0, whole, side_by_side.rows) as block, elements.scope():
            rows = [elements.row(axis, f.op(f"add i64 {block.index}, {k}")) for k in range(side_by_side.rows)]
            for fold in side_by_side.folds:
                elements.fold_rows(fold, rows)
            for row in rows:
                with elements.at(row):
                    self._rows(axis + 1)
        if not same(whole, size):
            with self._rest(axis):
                self._loop(axis, whole, size, lambda: self._rows(axis + 1))

    def _panels(self, axis: int, size: int, panel: Panel) -> None:
        """Rows in lanes, a panel of them at a time: the folds one after the other, then what is made of them."""
        f, elements = self.f, self.elements
        with self._uncut(axis) as cut:
            first, last = self._range(cut, size) if cut is not None else (0, size)
            with f.loop(first, last, panel.columns) as block, elements.scope():
                end = f.op(f"add i64 {block.index}, {panel.columns}")
                end = f.op(f"call i64 {elements.smin()}(i64 {end}, i64 {last})")
                totals = ColumnAccumulators(elements, panel, axis, (block.index, end, size))
                for fold in panel.folds:
                    totals.fold(fold)
                totals.columns(lambda: self._rows(axis + 1))

    def _statements(self, group: Sequence[Statement]) -> None:
        """Statements that share their inner loops."""
        sizes = group[0].sizes
        for k, size in enumerate(sizes):
            self.elements.space.ranges[len(self.nest.rows) + k] = size
        if any(same(size, 0) for size in sizes):
            return
        first = len(self.nest.rows)
        inner = [(first + k, 0, size) for k, size in enumerate(sizes)]
        tile = find_tile(group, first, self.target) if self.nest.lane is None else None
        if self.nest.lane is None and len(group) == 1 and inner and _is_copy(group[0], inner[-1][0]):
            self._copies(group[0], inner)
        elif tile is None:
            self._inner(group, inner)
        else:
            self._tiles(group, inner, tile)

    def _inner(self, group: Sequence[Statement], loops: Sequence[Range]) -> None:
        """Loops over (axis, start, stop), outermost first."""
        if not loops:
            self._turn(group)
            return
        (axis, start, stop), rest = loops[0], loops[1:]
        self.elements.hoist(_roots(group), _axes_of(loops))
        if not rest and self.nest.lane is None:
            next_row = self._next_row(group, axis)

            def turn() -> None:
                self._turn(group)
                self._fetch(next_row)

            self._lanes(axis, (start, stop), self._lanes_of(group, stop - start), turn)
        else:
            self._loop(axis, start, stop, lambda: self._inner(group, rest))

    def _next_row(self, group: Sequence[Statement], axis: int) -> list[tuple[Load, int]]:
        """Return the loads along `axis` of the last statements, each with the distance to the same element of the next
        row.

        A row is read several times but only once from afar: that time waits, at each new page anew.
        """
        row = len(self.nest.rows) - 1
        if row < 0 or group is not self.groups[-1]:
            return []
        found = []
        for load in walk(*(statement.value for statement in group), indices=False, folds=False):
            if not isinstance(load, Load) or along(load.indices[0], axis) != 1:
                continue
            step = along(load.indices[0], row)
            if step is None or is_symbolic(step) or self.elements.arrays[load.operand].written:
                continue
            if FETCHED <= step * load.dtype.itemsize <= self.target.l1_bytes // 4:
                found.append((load, step))
        return found

    def _fetch(self, next_row: Sequence[tuple[Load, int]]) -> None:
        """Have this turn's part of the next row brought near."""
        lane = self.elements.lane
        if lane is None or lane.width.mask is not None:
            return
        for load, step in next_row:
            size = load.dtype.itemsize
            pointer = self.elements.pointer(load.operand, load.indices[0])
            fetch(self.f, pointer, step * size, lane.width.lanes * size)

    def _lanes_of(self, group: Sequence[Statement], size: int) -> tuple[int, int]:
        """Lanes for the innermost loop of statements, and for what is left."""
        values = [statement.value for statement in group]
        base = self.target.lanes(widest(*values))
        lanes = lanes_for(base, weight(*values), size, self.target.registers)
        return lanes, min(lanes, base)

    def _copies(self, statement: Statement, loops: Sequence[Range]) -> None:
        """A statement that copies runs of elements, by the C library's means."""
        (axis, start, stop), rest = loops[0], loops[1:]
        self.elements.hoist(_roots([statement]), _axes_of(loops))
        if rest:
            self._loop(axis, start, stop, lambda: self._copies(statement, rest))
            return
        source = statement.value
        assert isinstance(source, Load)
        with self.elements.bound(axis, self.f.size(start)):
            target = self.elements.pointer(statement.buffer, statement.index)
            origin = self.elements.pointer(source.operand, source.indices[0])
        name = self.f.module.declare("llvm.memcpy.p0.p0.i64", "void", ["ptr", "ptr", "i64", "i1"])
        nbytes = self.f.size((stop - start) * source.dtype.itemsize)
        self.f.do(f"call void {name}(ptr {target}, ptr {origin}, i64 {nbytes}, i1 false)")

    def _tiles(self, group: Sequence[Statement], loops: Sequence[Range], tile: Tile) -> None:
        """The loop over the tile's axis and the last one in tiles; what is left of either, in plain loops."""
        outer = [loop for loop in loops[:-1] if loop[0] != tile.axis]
        if outer:
            (axis, start, stop), rest = outer[0], [loop for loop in loops if loop[0] != outer[0][0]]
            self.elements.hoist(_roots(group), _axes_of(loops))
            self._loop(axis, start, stop, lambda: self._tiles(group, rest, tile))
            return
        (across, _, columns), (lane, _, size) = loops
        whole_columns, whole = columns // tile.lanes * tile.lanes, size // tile.lanes * tile.lanes
        f, elements = self.f, self.elements
        elements.hoist(_roots(group), _axes_of(loops))
        width = Width(tile.lanes)
        with (
            self._turns(across, 0, whole_columns, tile.lanes) as block,
            elements.bound(across, block.index),
            f.loop(0, whole, tile.lanes) as loop,
            elements.bound(lane, loop.index, Lane(lane, width)),
        ):
            self._tile(group, tile, block.index)
        if not same(whole, size):
            with self._rest(across):
                self._inner(group, [(across, 0, whole_columns), (lane, whole, size)])
        if not same(whole_columns, columns):
            with self._rest(across):
                self._inner(group, [(across, whole_columns, columns), (lane, 0, size)])

    def _tile(self, group: Sequence[Statement], tile: Tile, column: str) -> None:
        """One turn for each column of a tile."""
        found = [(load, turned(self.f, self.elements, tile, load, stride)) for load, stride in tile.loads]
        for k in range(tile.lanes):
            index = self.f.op(f"add i64 {column}, {k}")
            with self.elements.bound(tile.axis, index):
                for load, registers in found:
                    self.elements.remember(load, registers[k])
                self._turn(group)

    def _turn(self, group: Sequence[Statement]) -> None:
        """One turn of the innermost loop; what one statement stores, the next has in registers."""
        for statement, reads in _forwarded(group):
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

    def _lanes(self, axis: int, over: tuple[int, int], widths: tuple[int, int], body: Callable[[], None]) -> None:
        """A loop in vectors; the narrower of two widths is for what is left, where the size is not known."""
        (start, stop), lanes = over, widths[0]
        if is_symbolic(start) or is_symbolic(stop):
            with self._uncut(axis) as cut:
                part = None if cut is None else self._range(cut, stop)
                counted_lanes(self.elements, axis, over, widths, body, part)
            return
        main = start + (stop - start) // lanes * lanes
        whole = Lane(axis, Width(lanes))
        if main == start + lanes and (self.cut is None or self.cut.axis != axis):
            with self.elements.bound(axis, str(start), whole):
                body()
        elif main > start:
            with self._turns(axis, start, main, lanes) as loop, self.elements.bound(axis, loop.index, whole):
                body()
        if stop > main:
            width = 1
            while width < stop - main:
                width *= 2
            lane = Lane(axis, Width.first(stop - main, width))
            with self._rest(axis), self.elements.bound(axis, str(main), lane):
                body()


def _is_copy(statement: Statement, axis: int) -> bool:
    """Tell whether a statement copies elements that lie one after the other along `axis`."""
    source = statement.value
    if not isinstance(source, Load) or source.operand == statement.buffer:
        return False
    steps = along(source.indices[0], axis), along(statement.index, axis)
    return all(step is not None and same(step, 1) for step in steps)


def together(statements: Sequence[Statement]) -> list[list[Statement]]:
    """Consecutive statements that may share their loops: a later one reads earlier results only in the same turn."""
    groups: list[list[Statement]] = []
    for statement in statements:
        if groups and groups[-1][0].sizes == statement.sizes and _same_turn(groups[-1], statement):
            groups[-1].append(statement)
        else:
            groups.append([statement])
    return groups


def _same_turn(earlier: Sequence[Statement], statement: Statement) -> bool:
    stored = {s.buffer: s.index for s in earlier}
    inside = {id(node) for fold in walk(statement.value) if isinstance(fold, Fold) for node in walk(fold.body)}
    return all(
        node.indices[0] is stored[node.operand] and id(node) not in inside
        for node in walk(statement.value)
        if isinstance(node, Load) and node.operand in stored
    )


def _forwarded(group: Sequence[Statement]) -> list[tuple[Statement, list[Load]]]:
    """Each statement with the loads, in later ones of its turn, of what it stores."""
    found = []
    below: dict[int, dict[int, Load]] = {}
    for statement in reversed(group):
        found.append((statement, list(below.get(statement.buffer, {}).values())))
        for node in walk(statement.value):
            if isinstance(node, Load):
                below.setdefault(node.operand, {})[id(node)] = node
    return found[::-1]


def _roots(statements: Sequence[Statement]) -> list[Expr]:
    return [expr for statement in statements for expr in (statement.index, statement.value)]


def _axes_of(loops: Sequence[Range]) -> int:
    bits = 0
    for axis, _, _ in loops:
        bits |= bit(axis)
    return bits


def _bits(first: int, stop: int) -> int:
    bits = 0
    for axis in range(first, stop):
        bits |= bit(axis)
    return bits
