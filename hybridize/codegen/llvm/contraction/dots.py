# SPDX-License-Identifier: Apache-2.0
"""Write products as dot products: x [m, k] and w [n, k], both in vectors along k."""

from __future__ import annotations

from hybridize.base.dims import is_symbolic
from hybridize.base.frozen import frozen
from hybridize.codegen.llvm.contraction.micro import any_dots, dots, flip, move, sums
from hybridize.codegen.llvm.contraction.out import StoredSums
from hybridize.codegen.llvm.contraction.share import BatchMember, PartOfMember
from hybridize.codegen.llvm.contraction.tiles import each_tile
from hybridize.schedule.contraction.dots import Dots, DotsTile


def emit_flipped(member: BatchMember, to: str) -> None:
    """Write w, stored [k, n], as [n, k]."""
    f, arithmetic, product, dots = member.f, member.arithmetic, member.plan.product, member.plan.dots
    assert dots is not None, "w is flipped for dot products"
    row, name = product.w_row * arithmetic.stored_bytes, flip(f.module, arithmetic)
    with f.loop(0, product.k, arithmetic.lanes) as loop:
        left = f.op(f"sub i64 {f.operand(product.k)}, {loop.index}")
        source, target = f.at(member.w, f.times(loop.index, row)), f.at(to, f.times(loop.index, arithmetic.bytes))
        move(f, name, (target, dots.w_row), (source, row), left, product.n)


def emit_dots(member: BatchMember) -> None:
    """Write the product for one member of the batch."""
    f, plan, arithmetic, dots = member.f, member.plan, member.arithmetic, member.plan.dots
    assert dots is not None, "the plan of this form has them"
    raw_row = arithmetic.lanes + dots.any_columns - 1
    raw, c = (
        f.alloca(arithmetic.type, dots.height * raw_row * arithmetic.lanes),
        f.alloca(arithmetic.type, dots.height * plan.product.gates * dots.block),
    )
    for part in dots.ranges:
        with f.loop(*member.stretch(part.start, part.stop, part.width), part.width) as loop:
            panel = f.at(member.w, f.times(loop.index, dots.w_row))
            columns = _Columns(member, dots, panel, loop.index, width=part.width, raw=raw, c=c)
            each_tile(f, plan.product.m, dots.heights, member.share, columns.tile)


@frozen
class _Columns(PartOfMember):
    """`width` columns of the product, the first of which is `column`, at `w`."""

    functions: Dots
    w: str
    column: str
    width: int
    raw: str
    """Room for the sums of a tile, lane by lane."""
    c: str
    """Room for the sums, in rows of `functions.block` for each gate."""

    @property
    def raw_bytes(self) -> int:
        """From one row of sums, lane by lane, to the next: what is computed of a single column is stored behind."""
        return (self.arithmetic.lanes + self.functions.any_columns - 1) * self.arithmetic.vector_bytes

    def tile(self, row: str, height: str | int) -> None:
        """One tile of rows: into c, then out."""
        f, arithmetic, width = self.f, self.arithmetic, self.width
        product, lanes = self.plan.product, arithmetic.lanes
        gate_sums = self.functions.block * arithmetic.bytes
        c_stride = product.gates * gate_sums
        x = f.at(self.member.x, f.times(row, product.x_row * arithmetic.stored_bytes))
        with f.loop(0, product.gates) as gate:
            w = f.at(self.w, f.times(gate.index, product.columns * self.functions.w_row))
            c = f.at(self.c, f.times(gate.index, gate_sums))
            if self.functions.streams > 1 and width % lanes == 0:
                self.streamed(height, x, w, c, c_stride)
            else:
                self.registers(height, x, w, c, c_stride)
        self.member.store(StoredSums(self.c, c_stride, gate_sums), row, self.column, height, width)

    def registers(self, height: str | int, x: str, w: str, c: str, c_stride: int) -> None:
        """The sums of all columns, a register of them at a time, into c."""
        f, arithmetic, width = self.f, self.arithmetic, self.width
        lanes = arithmetic.lanes
        step = width if is_symbolic(width) else min(lanes, width)
        with f.loop(0, width, step) as loop:
            self.register(height, x, f.at(w, f.times(loop.index, self.functions.w_row)), step)
            reduce = sums(f.module, arithmetic, lanes if is_symbolic(step) else 1 << (step - 1).bit_length())
            target = f.at(c, f.times(loop.index, arithmetic.bytes))
            with f.loop(0, height) as inner:
                to = f.at(target, f.times(inner.index, c_stride))
                source = f.at(self.raw, f.times(inner.index, self.raw_bytes))
                f.do(f"call void @{reduce}(ptr {to}, ptr {source})")

    def streamed(self, rows: str | int, x: str, w: str, c: str, c_stride: int) -> None:
        """The sums of all columns, one of each part of them at a time, into c."""
        f, functions, arithmetic = self.f, self.functions, self.arithmetic
        streams, lanes = functions.streams, arithmetic.lanes
        apart, together = self.width // streams, lanes // streams
        tiles = tuple(tile for tile in functions.tiles if tile.columns == streams and tile.rows == rows)
        by_stream = f.alloca(arithmetic.type, lanes)
        with f.loop(0, apart, together) as loop:
            first = f.at(w, f.times(loop.index, functions.w_row))
            for number in range(together):
                row = f.at(first, f.times(str(number), functions.w_row))
                self.sum(tiles, rows, x, row, str(number * streams), apart * functions.w_row)
            reduce = sums(f.module, arithmetic, lanes)
            with f.loop(0, rows) as inner:
                source = f.at(self.raw, f.times(inner.index, self.raw_bytes))
                f.do(f"call void @{reduce}(ptr {by_stream}, ptr {source})")
                target = f.at(f.at(c, f.times(inner.index, c_stride)), f.times(loop.index, arithmetic.bytes))
                for number in range(lanes):
                    place = number % streams * apart + number // streams
                    value = f.op(f"load {arithmetic.type}, ptr {f.at(by_stream, number * arithmetic.bytes)}")
                    f.do(f"store {arithmetic.type} {value}, ptr {f.at(target, place * arithmetic.bytes)}")

    def register(self, rows: str | int, x: str, w: str, width: int) -> None:
        """Lane by lane sums of at most a register's width of columns."""
        f, functions = self.f, self.functions
        if isinstance(rows, str) or is_symbolic(width):
            # Several at once; those that are left one by one, several times each, into places that nobody reads.
            columns = functions.any_columns
            tiles = functions.tiles if isinstance(rows, str) else functions.of_rows(rows)
            tiles = tuple(tile for tile in tiles if tile.columns == columns)
            whole = width // columns
            with f.loop(0, whole) as loop:
                self.columns(tiles, rows, x, w, f.times(loop.index, columns), functions.w_row)
            with f.loop(whole * columns, width) as loop:
                self.columns(tiles, rows, x, w, loop.index, 0)
            return
        done = 0
        for tile in functions.of_rows(rows):
            count = (width - done) // tile.columns
            if not count:
                continue
            with f.loop(0, count) as loop:
                column = f.plus(f.times(loop.index, tile.columns), done)
                self.columns((tile,), rows, x, w, column, functions.w_row)
            done += count * tile.columns

    def columns(self, tiles: tuple[DotsTile, ...], rows: str | int, x: str, w: str, column: str, w_stride: int) -> None:
        """Lane by lane sums of the columns of a tile, from `column` of the register on."""
        self.sum(tiles, rows, x, self.f.at(w, self.f.times(column, self.functions.w_row)), column, w_stride)

    def sum(self, tiles: tuple[DotsTile, ...], rows: str | int, x: str, w: str, place: str, w_stride: int) -> None:
        """Lane by lane sums of the columns of a tile, which begin at `w`; rows in a register choose one of `tiles`."""
        f, arithmetic, k = self.f, self.arithmetic, self.plan.product.k
        x_row = self.plan.product.x_row * arithmetic.stored_bytes
        columns = tiles[0].columns
        parts = max(tile.parts for tile in tiles)
        if isinstance(rows, str):
            turns, whole = {tile.rows: tile.turns for tile in tiles}, all(tile.whole for tile in tiles)
            begin = f"{any_dots(f.module, arithmetic, columns, turns, whole, parts)}(i64 {rows}, "
        else:
            (tile,) = tiles
            ahead = self.functions.ahead
            name = dots(f.module, arithmetic, rows, columns, tile.turns, tile.whole, ahead=ahead, parts=parts)
            begin = f"{name}("
        c = f.at(self.raw, f.times(place, arithmetic.vector_bytes))
        f.do(
            f"call void @{begin}ptr {c}, i64 {self.raw_bytes}, ptr {x}, "
            f"i64 {f.operand(x_row)}, ptr {w}, "
            f"i64 {f.operand(w_stride)}, i64 {f.operand(k)})"
        )
