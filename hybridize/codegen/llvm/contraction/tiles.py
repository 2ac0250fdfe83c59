# SPDX-License-Identifier: Apache-2.0
"""Write products as register tiles: one operand broadcast, the other in panels of vectors.

`emit_rows` broadcasts x and has panels of w. `emit_columns` swaps the two, computing the transposed product, and flips
each block while it is in the first-level cache: for w stored [n, k] and few rows that moves less than packing w.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from hybridize.base.dims import is_symbolic, maximum, same
from hybridize.base.frozen import changed, frozen
from hybridize.codegen.llvm.contraction.arithmetic import ArithmeticEmitter
from hybridize.codegen.llvm.contraction.micro import (
    Light,
    Tile,
    TileEnding,
    any_tile,
    copy,
    flip,
    move,
    rows_together,
    tile,
    widened,
    widening,
)
from hybridize.codegen.llvm.contraction.out import StoredSums
from hybridize.codegen.llvm.contraction.prologue import PrologueEmitter, in_turns
from hybridize.codegen.llvm.contraction.share import BatchMember, BlockOfRows, PartOfMember, Share, Whole
from hybridize.codegen.llvm.text import Function
from hybridize.schedule.contraction.panels import ColumnPanels, lead_bytes, row_tiles
from hybridize.schedule.contraction.product import Product
from hybridize.schedule.contraction.tiling import Tiling, columns_block


@frozen
class _Broadcast:
    """The operand that is broadcast: where row 0 is, how far its rows are apart, and one k from the next, in bytes."""

    pointer: str
    row: int
    k: int
    along_k: bool
    tiles: bool = False
    """True if each tile lies by itself, `k` bytes for one of its rows."""

    def stride(self, rows: str | int) -> int:
        """Bytes between rows, or from one k to the next of a tile of so many rows."""
        if self.tiles:
            assert isinstance(rows, int), "tiles of a number of rows that only calls know lie in no copy"
            return self.k * rows
        return self.row if self.along_k else self.k


def each_tile(
    f: Function,
    total: int,
    heights: tuple[int, ...],
    share: Share | BlockOfRows | Whole,
    body: Callable[[str, str | int], None],
) -> None:
    """Write `body(first row, height)` for each tile of `total` rows, or of those that the call computes.

    Tiles of a known number of rows are as even as the first of `heights` allows, and their heights known, the loops
    over equal ones being separate. Else a height is a register: `heights` are all that are written.
    """
    if isinstance(share, BlockOfRows):
        _each_of_block(f, heights, share, body)
        return
    if is_symbolic(total):
        _each_of_any(f, f.size(total), heights, share, body)
        return
    parts = row_tiles(total, heights[0])
    first, last = share.turns(f, "rows", sum(part.count for part in parts))
    before = 0
    for part in parts:
        with f.loop(*_overlap(f, first, last, before, part.count)) as loop:
            body(f.plus(f.times(loop.index, part.height), part.start), part.height)
        before += part.count


def _each_of_block(
    f: Function, heights: tuple[int, ...], block: BlockOfRows, body: Callable[[str, str | int], None]
) -> None:
    """`each_tile` of the rows of a block; the last may have another number of them."""

    def shifted(row: str, height: str | int) -> None:
        body(f.plus(block.start, row), height)

    if is_symbolic(block.blocks.rows):
        _each_of_any(f, block.count, heights, Whole(), shifted)
        return
    for count in block.blocks.sizes:
        with f.when(f.op(f"icmp eq i64 {block.count}, {count}")):
            each_tile(f, count, heights, Whole(), shifted)


def _cut(f: Function, total: str, heights: tuple[int, ...]) -> tuple[str, str, str]:
    """Count the tiles, the tall ones among them, and those of three rows, where what is left is cut into 3 and 2."""
    tall = heights[0]
    if len(heights) == 1:
        return f.op(f"udiv i64 {f.op(f'add i64 {total}, {tall - 1}')}, {tall}"), "", ""
    # A single row is not left: a tall tile fewer leaves enough. All the rest may be one tall tile.
    most = f.smax(f.op(f"sub i64 {total}, 2"), 0)
    count = f.op(f"udiv i64 {most}, {tall}")
    rest = f.op(f"sub i64 {total}, {f.op(f'mul i64 {count}, {tall}')}")
    one_more = f.op(f"zext i1 {f.op(f'icmp eq i64 {rest}, {tall}')} to i64")
    count = f.op(f"add i64 {count}, {one_more}")
    rest = f.op(f"sub i64 {total}, {f.op(f'mul i64 {count}, {tall}')}")
    short = f.op(f"udiv i64 {f.op(f'add i64 {rest}, 2')}, 3")
    twos = f.op(f"sub i64 {f.op(f'mul i64 {short}, 3')}, {rest}")
    threes = f.smax(f.op(f"sub i64 {short}, {twos}"), 0)
    return f.op(f"add i64 {count}, {short}"), count, threes


def _each_of_any(
    f: Function, total: str, heights: tuple[int, ...], share: Share | Whole, body: Callable[[str, str | int], None]
) -> None:
    """`each_tile` of an unknown number of rows: tall tiles, then those of three rows, then those of two."""
    tiles, tall, threes = _cut(f, total, heights)
    with f.loop(*share.turns(f, "rows", tiles)) as loop:
        row, height = f.times(loop.index, heights[0]), str(heights[0])
        if len(heights) > 1:
            three, two = heights[1:]
            both = f.op(f"add i64 {tall}, {threes}")
            before = f.umin(loop.index, tall)
            most = f.umin(loop.index, both)
            row = f.op(f"add i64 {f.times(before, heights[0] - three)}, {f.times(most, three - two)}")
            row = f.op(f"add i64 {row}, {f.times(loop.index, two)}")
            last = f.op(f"icmp uge i64 {loop.index}, {both}")
            height = f.op(f"select i1 {last}, i64 {two}, i64 {three}")
            first = f.op(f"icmp ult i64 {loop.index}, {tall}")
            height = f.op(f"select i1 {first}, i64 {heights[0]}, i64 {height}")
        left = f.op(f"sub i64 {total}, {row}")
        body(row, f.umin(left, height))


def _overlap(f: Function, first: str | int, last: str | int, before: int, count: int) -> tuple[str | int, str | int]:
    """Return the turns, from `first` to `last` of all, that fall into a loop of `count` turns after `before` others."""
    if isinstance(first, int):
        return 0, count
    first, last = (f.op(f"sub i64 {f.operand(turn)}, {before}") for turn in (first, last))
    return f.smax(first, 0), f.smin(last, count)


def _call_tile(
    f: Function,
    arithmetic: ArithmeticEmitter,
    heights: tuple[int, ...],
    form: Tile,
    rows: str | int,
    pointers: Sequence[tuple[str, str | int]],
    *,
    k: str | int,
    more: str = "false",
    near: tuple[str, str] | None = None,
    gate: int = 0,
    light: Sequence[str] = (),
    further: Sequence[str] = (),
) -> None:
    """One register tile of a form that is completed here.

    Args:
        f: the function that calls it.
        arithmetic: of the product.
        heights: of which there are tiles.
        form: its vectors, gates and so on.
        rows: how many there are.
        pointers: c, x and the panel, each with its stride.
        k: the number of terms.
        more: an i1, true where c is added to.
        near: what is brought near, and the bytes of each term.
        gate: bytes from one gate of the panel to the next, where it is read in place.
        light: arguments of what elements of the panel go through.
        further: arguments of the ending.
    """
    stride = pointers[2][1]
    dense = arithmetic.by_lane and not isinstance(stride, str) and same(stride, form.row_bytes(arithmetic))
    form = changed(form, adds="" if more == "false" else "first", brings=near is not None, dense=dense)
    arguments = [text for p, stride in pointers for text in (f"ptr {p}", f"i64 {f.operand(stride)}")]
    arguments += [f"i64 {f.operand(k)}", f"i1 {more}", *([] if near is None else [f"ptr {near[0]}", f"i64 {near[1]}"])]
    arguments += [*[f"i64 {f.operand(gate)}"] * (form.gates > 1), *light]
    if isinstance(rows, str):
        name = any_tile(f.module, arithmetic, heights, changed(form, ahead=0, ending=None))
        f.call(name, [f"i64 {rows}", *arguments])
        return
    f.call(tile(f.module, arithmetic, changed(form, rows=rows)), [*arguments, *further])


@frozen
class _Panels:
    """The operand that is in panels, as it is in memory: `along_k` when its columns are contiguous along k."""

    pointer: str
    stride: int
    along_k: bool
    gate: int = 0
    """Bytes from a column to that of the next gate."""


def _pack(
    member: BatchMember,
    section: ColumnPanels,
    source: _Panels,
    columns: tuple[str, str | int],
    terms: tuple[str, str | int, int],
    to: str,
) -> None:
    """Pack a panel gate by gate: `columns` are its first one and how many it has, `terms` the first one, how many there
    are, and for how many there is room.
    """
    f, arithmetic, (column, width), (k, count, rows) = member.f, member.arithmetic, columns, terms
    stride = section.vectors * arithmetic.vector_bytes
    for gate in range(section.gates * section.tiles):
        tile, beside = divmod(gate, section.gates)
        origin = f.at(source.pointer, source.gate * gate)
        panel = f.at(to, rows * stride * tile + beside * (stride // section.gates))
        if section.pack == "copy":
            w = f.at(f.at(origin, f.times(column, arithmetic.stored_bytes)), f.times(k, source.stride))
            move(f, copy(f.module, arithmetic), (panel, stride), (w, source.stride), count, width)
            continue
        name = flip(f.module, arithmetic)
        w = f.at(f.at(origin, f.times(column, source.stride)), f.times(k, arithmetic.stored_bytes))
        with f.loop(0, width, arithmetic.lanes) as loop:
            left = f.op(f"sub i64 {f.operand(width)}, {loop.index}")
            strip = f.at(w, f.times(loop.index, source.stride))
            part = f.at(panel, f.times(loop.index, arithmetic.bytes))
            move(f, name, (part, stride), (strip, source.stride), left, count)


def _copied(member: BatchMember, scratch: str) -> str:
    """x as it is computed with, in the same layout or tile by tile."""
    f, plan, arithmetic, x = member.f, member.plan, member.arithmetic, member.x
    product, x_row = plan.product, plan.tiling.x_row
    if same(x_row, 0):
        return x
    if plan.tiling.x_tiles:
        apart = product.x_row * arithmetic.stored_bytes
        for part in row_tiles(product.m, plan.tiling.sections[0].heights[0]):
            name = rows_together(f.module, arithmetic, part.height)
            with f.loop(0, part.count, plan.tiling.tiles_together) as loop:
                row = f.plus(f.times(loop.index, part.height), part.start)
                to = f.at(scratch, f.times(row, x_row))
                source = f.at(x, f.times(row, arithmetic.stored_bytes))
                left = f.op(f"sub i64 {part.count}, {loop.index}")
                tiles = f.umin(left, plan.tiling.tiles_together)
                move(f, name, (to, x_row * part.height), (source, apart), product.k, tiles)
        return scratch
    rows, width = (product.k, product.m) if product.transpose_x else (product.m, product.k)
    x_bytes = product.x_row * arithmetic.stored_bytes
    move(f, copy(f.module, arithmetic), (scratch, x_row), (x, x_bytes), rows, width)
    return scratch


def _width(f: Function, section: ColumnPanels, column: str, columns: int) -> str | int:
    """Columns of the panel that begins at `column` (of all), of `columns`."""
    if not section.ragged:
        return section.width
    left = f.op(f"sub i64 {f.size(columns)}, {column}")
    return f.umin(left, f.operand(section.width))


def emit_rows(member: BatchMember, prologue: PrologueEmitter | None = None) -> None:
    """Write the product for one member of the batch: x broadcast, w in panels."""
    f, plan, arithmetic, w = member.f, member.plan, member.arithmetic, member.w
    product, tiling, layout = plan.product, plan.tiling, plan.scratch
    x = _copied(member, f.at("%scratch", layout.copied))
    x_row = product.x_row * arithmetic.bytes if same(tiling.x_row, 0) else tiling.x_row
    if tiling.along_k:
        broadcast = _Broadcast(x, x_row, arithmetic.bytes, along_k=True)
    elif tiling.x_tiles:
        broadcast = _Broadcast(x, x_row, arithmetic.bytes, along_k=False, tiles=True)
    else:
        broadcast = _Broadcast(x, arithmetic.bytes, x_row, along_k=False)
    stored_row = product.w_row * arithmetic.stored_bytes
    sections: list[_Rows] = []
    for section in tiling.sections:
        if product.packed:
            before = section.start * product.k * product.gates * arithmetic.packed.itemsize
            before += lead_bytes(tiling.sections)
            source = _Panels(f.at(w, before), section.vectors * arithmetic.packed_bytes, along_k=False)
        else:
            source = _Panels(w, stored_row, product.transpose_w, _gate_bytes(product, arithmetic))
        panels, sums = f.at("%scratch", layout.panels), f.at("%scratch", layout.sums)
        light = None
        if product.narrow:
            if section.turns > 1:
                light = in_turns(arithmetic.packed, arithmetic.lanes)
            else:
                light = widening(arithmetic) if prologue is None else prologue.light(f, section)
        sections.append(_Rows(member, section, broadcast, source, panels=panels, sums=sums, light=light))
    if tiling.order == "streams":
        _in_streams(sections)
        return
    for one in sections:
        if tiling.order == "blocks":
            one.in_blocks()
        else:
            one.at_once()


def _gate_bytes(product: Product, arithmetic: ArithmeticEmitter) -> int:
    """Bytes of w, as stored, from a column to that of the next gate."""
    along = product.w_row if product.transpose_w else 1
    return 0 if product.gates == 1 else product.n // product.gates * along * arithmetic.stored_bytes


@frozen
class _Operands:
    """The operands of a tile: rows of x, a panel, so many terms of them."""

    x: str
    panel: str
    terms: str | int
    column: str
    """The first of the panel, relative to its section."""
    first: str = "0"
    """The term that it begins with."""
    near: tuple[str, str] | None = None
    """Memory that is brought near for the next tile, and the bytes of each term."""
    converted: str = ""
    """The panel where elements of the packed one are left, converted, for the tiles of other rows."""


@frozen
class _Rows(PartOfMember):
    """One section of `emit_rows`."""

    section: ColumnPanels
    broadcast: _Broadcast
    source: _Panels
    panels: str
    sums: str
    light: Light | None
    """The way of elements of packed panels that hold them as they are stored."""

    @property
    def product(self) -> Product:
        """The product."""
        return self.member.plan.product

    @property
    def tiling(self) -> Tiling:
        """The tiling of the product."""
        return self.member.plan.tiling

    @property
    def panel_stride(self) -> int:
        """Bytes from one k to the next within a panel, wherever it is read."""
        if self.section.pack:
            return self.section.vectors * self.arithmetic.vector_bytes
        return self.source.stride

    def panel(self, column: str, first: str, k: str) -> str:
        """Return a pointer to the panel that begins at `column` (relative to the section), `first` being its group's
        first.
        """
        f, arithmetic, section = self.f, self.arithmetic, self.section
        if section.pack:
            index = f.op(f"sub i64 {column}, {first}")
            per_column = arithmetic.bytes * self.tiling.k_block * section.gates * section.tiles
            # Columns of a whole panel are as wide as its registers; a narrower one is alone in its section.
            return f.at(self.panels, f.times(index, per_column))
        if self.product.packed:
            return self.packed(column, k)
        absolute = f.plus(column, section.start - section.skip)
        panel = f.at(self.source.pointer, f.times(absolute, arithmetic.stored_bytes))
        return f.at(panel, f.op(f"mul i64 {k}, {f.operand(self.panel_stride)}"))

    def packed(self, column: str, k: str) -> str:
        """A pointer to a panel that was packed beforehand."""
        per_column = self.arithmetic.packed.itemsize * self.product.k * self.section.gates * self.section.tiles
        panel = self.f.at(self.source.pointer, self.f.times(column, per_column))
        return self.f.at(panel, self.f.op(f"mul i64 {k}, {self.f.operand(self.source.stride)}"))

    def arguments(self, column: str, k: str, tile: str) -> list[str]:
        """Arguments of the way of elements: the member of the batch, the first column and term of a tile."""
        if self.light is None or not self.light.params:
            return []
        columns = self.product.n // self.product.gates
        first = self.f.plus(column, self.section.start)
        first = self.f.plus(first, self.f.times(tile, self.section.gates * columns))
        known = {"w.batch": self.member.batch, "w.column": first, "w.term": k}
        return [f"{type} {known.get(name, f'%{name}')}" for type, name in self.light.params]

    def widen(self, column: str, first: str, k: str, count: str | int) -> None:
        """Convert a packed panel to scratch, tile by tile."""
        f, section, arithmetic = self.f, self.section, self.arithmetic
        assert self.light is not None, "panels of other elements are read as they are"
        name = widened(f.module, arithmetic, self.light, section.vectors)
        to, source = self.panel(column, first, k), self.packed(column, k)
        row = section.vectors * arithmetic.vector_bytes
        with f.loop(0, section.tiles) as loop:
            pointers = (
                f.at(to, f.times(loop.index, self.tiling.k_block * row)),
                f.at(source, f.times(loop.index, self.product.k * self.source.stride)),
            )
            passed = [f"ptr {pointer}" for pointer in pointers]
            f.call(name, [*passed, f"i64 {f.operand(count)}", *self.arguments(column, k, loop.index)])

    def pack(self, column: str, first: str, k: str, count: str | int) -> None:
        """Bring a panel to scratch."""
        if self.section.pack == "widen":
            self.widen(column, first, k, count)
        elif self.section.pack:
            to = self.panel(column, first, k)
            absolute = self.f.plus(column, self.section.start)
            width = _width(self.f, self.section, absolute, self.product.columns)
            terms = k, count, self.tiling.k_block
            _pack(self.member, self.section, self.source, (absolute, width), terms, to)

    def columns(self) -> tuple[str | int, str | int]:
        """First and last (exclusive) column of the panels that this call computes."""
        width, count = self.section.width, self.section.count
        first, last = self.member.share.turns(self.f, "panels", count)
        if isinstance(first, int):
            return 0, width * count
        return self.f.times(first, width), self.f.times(self.f.operand(last), width)

    def at_once(self) -> None:
        """All of k: groups of panels, tiles of rows, panels of the group."""
        f, section, out = self.f, self.section, self.member
        width, (start, total) = section.width, self.columns()
        group = width * (self.tiling.group if is_symbolic(section.count) else min(self.tiling.group, section.count))
        with f.loop(start, total, group) as outer:
            end = f.op(f"add i64 {outer.index}, {f.operand(group)}")
            stop = f.umin(f.operand(total), end)
            if section.pack and not section.keeps:
                with f.loop(outer.index, stop, width) as loop:
                    self.pack(loop.index, outer.index, "0", self.product.k)
            converted = f.alloca("i64", 1) if section.keeps else ""
            if converted:
                f.do(f"store i64 0, ptr {converted}, align 8")

            def tiles(row: str, height: str | int) -> None:
                if not converted:
                    of_rows(row, height, keeps=False)
                    return
                before = f.op(f"icmp ne i64 {f.op(f'load i64, ptr {converted}, align 8')}, 0")
                with f.when(before):
                    of_rows(row, height, keeps=False)
                with f.when(f.op(f"xor i1 {before}, true")):
                    of_rows(row, height, keeps=True)
                f.do(f"store i64 1, ptr {converted}, align 8")

            def of_rows(row: str, height: str | int, *, keeps: bool) -> None:
                x = f.at(self.broadcast.pointer, f.times(row, self.broadcast.row))
                terms = self.before(row, height, self.product.filled, 0, self.product.k)
                end = self.before(row, height, self.product.read_columns, section.start, stop)
                with f.loop(outer.index, end, width) as loop:
                    panel = self.panel(loop.index, outer.index, "0")
                    converted = panel if keeps else ""
                    panel = self.packed(loop.index, "0") if keeps else panel
                    near = None
                    if self.tiling.ahead:
                        following = f.at(x, f.times(f.operand(height), self.broadcast.row))
                        near = self.part_of(following, loop.index, outer.index)
                    operands = _Operands(x, panel, terms, loop.index, near=near, converted=converted)
                    if section.ragged and out.plain:
                        self.direct_or_not(row, height, operands)
                    elif out.takes(section):
                        column = f.plus(loop.index, section.start)
                        c, ending = out.at(row, column), out.ending(row, column)
                        self.tile(height, operands, c, c_stride=out.row_bytes, ending=ending)
                    else:
                        self.tile(height, operands, self.sums)
                        self.finish(self.sums, row, loop.index, height)

            each_tile(f, self.product.m, self.heights, self.member.share, tiles)

    def before(self, row: str, height: str | int, reach: int | None, start: int, stop: str | int) -> str | int:
        """The end of what the rows of a tile reach of a range up to `stop`, counted from `start`."""
        if reach is None:
            return stop
        f = self.f
        last = f.plus(f.plus(row, height), reach - 1 - start)
        return f.between(last, 0, stop)

    def before_end(self, last: str | int, first: str, count: str) -> str:
        """The terms of a block of `count` from `first` on that come before the `last` of all."""
        if self.product.filled is None:
            return count
        f = self.f
        left = f.smax(f.op(f"sub i64 {f.operand(last)}, {first}"), 0)
        return f.smin(left, count)

    def direct_or_not(self, row: str, height: str | int, operands: _Operands) -> None:
        """A tile that is stored in the result itself where its panel is whole."""
        f, section, out = self.f, self.section, self.member
        absolute = f.plus(operands.column, section.start)
        width = f.operand(_width(f, section, absolute, self.product.columns))
        whole = f.op(f"icmp eq i64 {width}, {f.operand(section.width)}")
        target = out.at(row, absolute)
        c = f.op(f"select i1 {whole}, ptr {target}, ptr {self.sums}")
        dense, apart = section.vectors * self.arithmetic.vector_bytes, f.operand(out.row_bytes)
        stride = f.op(f"select i1 {whole}, i64 {apart}, i64 {dense}")
        self.tile(height, operands, c, c_stride=stride)
        with f.when(f.op(f"xor i1 {whole}, true")):
            self.finish(self.sums, row, operands.column, height)

    def part_of(self, x: str, column: str, first: str) -> tuple[str, str]:
        """Return the part of the rows at `x` that a tile brings near, one with each panel of the group that begins at
        `first`: a pointer, and the bytes of each term.
        """
        f, section = self.f, self.section
        if not self.broadcast.along_k:  # its lines are as far apart as its terms
            return x, f.operand(self.broadcast.k)
        panels = self.tiling.group if is_symbolic(section.count) else min(self.tiling.group, section.count)
        rate = -(-self.heights[0] * self.broadcast.k // panels)
        nth = f.op(f"udiv i64 {f.op(f'sub i64 {column}, {first}')}, {f.operand(section.width)}")
        return f.at(x, f.times(nth, rate * self.product.k)), str(rate)

    def in_blocks(self) -> None:
        """Blocks of k, the sums of a panel's tiles kept in scratch between them."""
        f, section, block = self.f, self.section, self.tiling.k_block
        row_bytes = section.across * self.arithmetic.vector_bytes
        with f.loop(*self.columns(), section.width) as loop:
            with f.loop(0, maximum(self.product.k, 1), block) as blocks:  # at least once: no terms give zeros
                left = f.op(f"sub i64 {f.operand(self.product.k)}, {blocks.index}")
                count = f.umin(block, left)
                more = f.op(f"icmp ne i64 {blocks.index}, 0")
                self.pack(loop.index, loop.index, blocks.index, count)
                panel = self.panel(loop.index, loop.index, blocks.index)
                x = f.at(self.broadcast.pointer, f.times(blocks.index, self.broadcast.k))

                def add(row: str, height: str | int) -> None:
                    c = f.at(self.sums, f.times(self.scratch_row(row), row_bytes))
                    last = self.before(row, height, self.product.filled, 0, self.product.k)
                    terms = self.before_end(last, blocks.index, count)
                    rows = f.at(x, f.times(row, self.broadcast.row))
                    self.tile(height, _Operands(rows, panel, terms, loop.index, first=blocks.index), c, more)

                each_tile(f, self.product.m, self.heights, self.member.share, add)

            def finish(row: str, height: str | int) -> None:
                self.finish(f.at(self.sums, f.times(self.scratch_row(row), row_bytes)), row, loop.index, height)

            share = self.member.share
            if isinstance(share, Whole):
                finish("0", self.product.m)
            elif isinstance(share, BlockOfRows):
                finish(share.start, share.count)
            else:
                each_tile(f, self.product.m, self.heights, self.member.share, finish)

    def scratch_row(self, row: str) -> str:
        """The place of a row among those whose sums wait in scratch."""
        share = self.member.share
        return self.f.op(f"sub i64 {row}, {share.start}") if isinstance(share, BlockOfRows) else row

    @property
    def heights(self) -> tuple[int, ...]:
        """Heights of tiles, the tallest first."""
        return self.section.heights

    def tile(
        self,
        rows: str | int,
        operands: _Operands,
        c: str,
        more: str = "false",
        *,
        c_stride: str | int | None = None,
        ending: tuple[TileEnding, Sequence[str]] | None = None,
    ) -> None:
        """The register tiles that have all gates, mostly one; their sums, added to those in c where `more` holds, are
        dense unless `c_stride` says how far apart the rows are.
        """
        f, section, converted = self.f, self.section, operands.converted
        row = section.vectors * self.arithmetic.vector_bytes
        in_place = not section.pack and not self.product.packed
        light = None if section.pack and not converted else self.light
        panel_stride = self.source.stride if converted else self.panel_stride
        following = 0
        if section.tiles > 1:
            terms = self.product.k if converted or not section.pack else self.tiling.k_block
            following = section.gates * self.source.gate if in_place else terms * panel_stride
        with f.loop(0, section.tiles) as loop:
            pointers = (
                (f.at(c, f.times(loop.index, row)), section.tiles * row if c_stride is None else c_stride),
                (operands.x, self.broadcast.stride(rows)),
                (f.at(operands.panel, f.times(loop.index, following)), panel_stride),
            )
            end, further = ending or (None, ())
            form = Tile(
                0,
                section.vectors,
                self.broadcast.along_k,
                self.tiling.summation,
                ahead=row if self.tiling.order == "streams" else self.tiling.panel_ahead,
                gates=section.gates if in_place else 1,
                ending=end,
                light=light,
                keeps=bool(converted),
            )
            gate = self.source.gate if in_place else 0
            passed = [] if light is None else self.arguments(operands.column, operands.first, loop.index)
            passed += [f"ptr {f.at(converted, f.times(loop.index, self.tiling.k_block * row))}"] if converted else []
            _call_tile(
                f, self.arithmetic, self.heights, form, rows, pointers,
                k=operands.terms, more=more, near=operands.near, gate=gate, light=passed, further=further,
            )  # fmt: skip

    def finish(self, c: str, row: str, column: str, rows: str | int, gate: str | int | None = None) -> None:
        """Sums of a tile through the epilogue; those of its gates lie beside each other unless `gate` says how many
        bytes apart.
        """
        section, absolute = self.section, self.f.plus(column, self.section.start)
        stride = section.across * self.arithmetic.vector_bytes
        c = self.f.at(c, section.skip * self.arithmetic.bytes)
        width = _width(self.f, section, absolute, self.product.columns)
        beside = stride // (section.gates * section.tiles)
        sums = StoredSums(c, stride, beside if gate is None else gate)
        self.member.store(sums, row, absolute, rows, width)


def _in_streams(sections: list[_Rows]) -> None:
    """A few rows of w at a time, those of a gate from end to end; one tile of x. The sums of all columns wait in
    scratch.
    """
    one = sections[0]
    f, block, product, bytes = one.f, one.tiling.k_block, one.product, one.arithmetic.bytes
    columns = [part.columns() for part in sections]
    apart = (
        sum(part.section.count * part.section.vectors for part in sections) * product.m * one.arithmetic.vector_bytes
    )

    def sums(part: _Rows, column: str) -> str:
        # Panels of a section are as wide as their registers, or one alone: they lie in a row.
        return f.at(part.sums, f.times(f.plus(column, part.section.start), product.m * bytes))

    with f.loop(0, maximum(product.k, 1), block) as blocks:  # at least once: no terms give zeros
        left = f.op(f"sub i64 {f.operand(product.k)}, {blocks.index}")
        count = f.umin(block, left)
        more = f.op(f"icmp ne i64 {blocks.index}, 0")
        x = f.at(one.broadcast.pointer, f.times(blocks.index, one.broadcast.k))
        with f.loop(0, product.gates) as gate:
            for part, (first, last) in zip(sections, columns, strict=True):
                with f.loop(first, last, part.section.width) as loop:
                    panel = f.at(
                        part.panel(loop.index, loop.index, blocks.index), f.times(gate.index, part.source.gate)
                    )
                    c = f.at(sums(part, loop.index), f.times(gate.index, apart))
                    part.tile(product.m, _Operands(x, panel, count, loop.index), c, more)
    for part, (first, last) in zip(sections, columns, strict=True):
        with f.loop(first, last, part.section.width) as loop:
            part.finish(sums(part, loop.index), "0", loop.index, product.m, apart)


def emit_columns(member: BatchMember) -> None:
    """Write the product for one member of the batch: w broadcast, x in panels, blocks flipped when stored."""
    f, arithmetic, product, tiling = member.f, member.arithmetic, member.plan.product, member.plan.tiling
    layout = member.plan.scratch
    panels, c, flipped = (f.at("%scratch", offset) for offset in (layout.panels, layout.sums, layout.flipped))
    broadcast = _Broadcast(member.w, product.w_row * arithmetic.bytes, arithmetic.bytes, along_k=True)
    source = _Panels(member.x, product.x_row * arithmetic.stored_bytes, not product.transpose_x)
    columns, together = product.columns, columns_block(product, arithmetic)
    whole, gate_bytes = columns // together * together, _gate_bytes(product, arithmetic)
    for section in tiling.sections:
        stride = section.vectors * arithmetic.vector_bytes
        with f.loop(0, section.width * section.count, section.width) as loop:
            row = f.plus(loop.index, section.start)
            panel, panel_stride = panels, stride
            if section.pack:
                _pack(member, section, source, (row, section.width), ("0", product.k, product.k), panels)
            else:
                panel = f.at(member.x, f.times(f.plus(row, -section.skip), arithmetic.bytes))
                panel_stride = source.stride
            for start, stop in ((0, whole), (whole, columns)):
                if start == stop:
                    continue
                height = min(together, stop - start)
                with f.loop(*member.stretch(start, stop, height), height) as block:
                    begin = f.at(member.w, f.times(block.index, broadcast.row))
                    with f.loop(0, product.gates) as gate:
                        rows = f.at(begin, f.times(gate.index, gate_bytes))
                        sums = f.at(c, f.times(gate.index, height * stride))
                        for part in row_tiles(height, section.heights[0]):
                            with f.loop(0, part.count) as inner:
                                first = f.plus(f.times(inner.index, part.height), part.start)
                                row_of_w = f.at(rows, f.times(first, broadcast.row))
                                pointers = (
                                    (f.at(sums, f.times(first, stride)), stride),
                                    (row_of_w, broadcast.stride(part.height)),
                                    (panel, panel_stride),
                                )
                                form = Tile(0, section.vectors, True, tiling.summation)
                                heights = (part.height,)
                                _call_tile(f, arithmetic, heights, form, part.height, pointers, k=product.k)
                    to_stride = _flip_sums(f, arithmetic, c, flipped, product.gates * height, section.vectors)
                    wanted = StoredSums(f.at(flipped, section.skip * to_stride), to_stride, height * arithmetic.bytes)
                    member.store(wanted, row, block.index, section.width, height)


def _flip_sums(f: Function, arithmetic: ArithmeticEmitter, c: str, to: str, rows: int, vectors: int) -> int:
    """c [rows][columns] as [columns][rows]; returns the bytes between its rows."""
    name = flip(f.module, arithmetic)
    lanes, stride = arithmetic.lanes, vectors * arithmetic.vector_bytes
    to_stride = -(-rows // lanes) * arithmetic.vector_bytes
    with f.loop(0, rows, lanes) as loop:
        source = f.at(c, f.times(loop.index, stride))
        left = f.op(f"sub i64 {rows}, {loop.index}")
        strip = f.at(to, f.times(loop.index, arithmetic.bytes))
        move(f, name, (strip, to_stride), (source, stride), left, vectors * lanes)
    return to_stride
