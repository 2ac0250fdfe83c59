# SPDX-License-Identifier: Apache-2.0
"""Contractions as dot products: x [m, k] and w [n, k], both in place, in vectors along k.

The form for few rows, above all one: w is read once, four rows at a time, as fast as the cache gives it.
"""

from __future__ import annotations

from hybridize.base.dims import hint, is_symbolic
from hybridize.base.frozen import frozen
from hybridize.codegen.llvm.contraction.arithmetic import Arithmetic
from hybridize.codegen.llvm.contraction.form import ContractionSpec, row_tiles
from hybridize.codegen.llvm.contraction.micro import any_dots, at, dots, flip, operand, plus, sums, times
from hybridize.codegen.llvm.contraction.out import Out
from hybridize.codegen.llvm.contraction.share import Share, Whole
from hybridize.codegen.llvm.contraction.tiles import each_tile, stretch
from hybridize.codegen.llvm.text import Function

_BLOCK = 256
"""Columns whose sums are kept until they are stored, where one tile of rows is all."""


_ANY_ROWS = (2, 4)
"""Rows of the functions for numbers of rows that are not known; the last row stands in for those that are not there."""


def _any_columns(spec: ContractionSpec, arithmetic: Arithmetic) -> int:
    """Rows of w per turn where those of x are not known. One that is left is computed so many times."""
    return 4 if arithmetic.target.registers >= 32 and not is_symbolic(spec.n) else 2


def _raw_row(spec: ContractionSpec, arithmetic: Arithmetic) -> int:
    """Vectors from one row of sums, lane by lane, to the next: what is computed of a single column is stored behind."""
    return arithmetic.lanes + _any_columns(spec, arithmetic) - 1


def _dots_rows(arithmetic: Arithmetic) -> int:
    """Rows of x at most per turn: sums and operands must fit the registers."""
    return 8 if arithmetic.target.registers >= 32 else 4


def _far(arithmetic: Arithmetic, spec: ContractionSpec) -> bool:
    """Tell whether w does not stay in the second-level cache from one call to the next, and is read once."""
    few = not is_symbolic(spec.m) and spec.m <= 3
    return few and hint(spec.n) * hint(spec.k) * arithmetic.stored_bytes > 2 * arithmetic.target.l2_bytes


def _dots_columns(arithmetic: Arithmetic, rows: int, far: bool) -> int:
    """Rows of w per turn. Two are read as fast as one from nearby; from far away more streams are faster. Four at once
    also where they save reading x.
    """
    return 4 if (far or 4 <= rows <= 6) and arithmetic.target.registers >= 32 else 2


def _dots_turns(arithmetic: Arithmetic, rows: int, columns: int, k: int) -> int:
    """Vectors of k per turn, so that about sixteen sums are in flight and little of k remains."""
    most = max(1, (16 if arithmetic.target.registers >= 32 else 8) // (rows * columns))
    vectors = hint(k) // arithmetic.lanes
    if vectors <= most:
        return max(1, vectors)
    return min(range(most, most // 2, -1), key=lambda turns: vectors % turns)


def flipped_row(spec: ContractionSpec, arithmetic: Arithmetic) -> int:
    """Bytes between the rows of a w [k, n] that was flipped: whole registers, as `flip` writes no less."""
    return (spec.k + arithmetic.lanes - 1) // arithmetic.lanes * arithmetic.vector_bytes


def emit_flipped(f: Function, spec: ContractionSpec, arithmetic: Arithmetic, w: str, to: str) -> None:
    """Write w, stored [k, n], as [n, k]."""
    row, name = spec.n * arithmetic.stored_bytes, flip(f.module, arithmetic)
    with f.loop(0, spec.k, arithmetic.lanes) as loop:
        left = f.op(f"sub i64 {operand(f, spec.k)}, {loop.index}")
        source, target = at(f, w, times(f, loop.index, row)), at(f, to, times(f, loop.index, arithmetic.bytes))
        f.do(
            f"call void @{name}(ptr {target}, i64 {operand(f, flipped_row(spec, arithmetic))}, ptr {source}, "
            f"i64 {operand(f, row)}, i64 {left}, i64 {operand(f, spec.n)})"
        )


def emit_dots(
    f: Function,
    spec: ContractionSpec,
    arithmetic: Arithmetic,
    x: str,
    w: str,
    w_row: int,
    batch: str,
    share: Share | Whole,
    out: Out,
) -> None:
    """Write the product for one member of the batch; the rows of w, [n, k], are `w_row` bytes apart."""
    lanes = arithmetic.lanes
    limit = _dots_rows(arithmetic)
    if is_symbolic(spec.m):
        heights, height, block = _ANY_ROWS[1:], _ANY_ROWS[1], lanes
    else:
        heights, height = (limit,), row_tiles(spec.m, limit)[0].height
        # Sums of several registers' columns are stored together where that does not mean reading w again for each tile.
        block = lanes if spec.m > height else _BLOCK
    if is_symbolic(spec.n):
        block = lanes
    else:
        block = min(block, max(lanes, spec.n // lanes * lanes))
    raw, c = (
        f.alloca(arithmetic.type, height * _raw_row(spec, arithmetic) * lanes),
        f.alloca(arithmetic.type, height * block),
    )
    for start, stop, width in _cuts(spec.n, block, lanes):
        with f.loop(*stretch(f, share, start, stop, width), width) as loop:
            panel = at(f, w, times(f, loop.index, w_row))
            columns = _Columns(f, spec, arithmetic, x, panel, w_row, loop.index, width, batch, raw, c, block, out)
            each_tile(f, spec.m, heights, share, columns.tile)


def _cuts(n: int, block: int, lanes: int) -> list[tuple[int, int, int]]:
    """Ranges of columns (start, stop, step): whole blocks, whole registers, the rest."""
    blocks, whole = n // block * block, n // lanes * lanes
    cuts = [(0, blocks, block), (blocks, whole, whole - blocks), (whole, n, n - whole)]
    if is_symbolic(n):
        return [cuts[0], cuts[2]]
    return [cut for cut in cuts if cut[0] < cut[1]]


@frozen
class _Columns:
    """`width` columns of the product, the first of which is `column`, at `w`."""

    f: Function
    spec: ContractionSpec
    arithmetic: Arithmetic
    x: str
    w: str
    w_row: int
    column: str
    width: int
    batch: str
    raw: str
    """Room for the sums of a tile, lane by lane."""
    c: str
    """Room for the sums, in rows of `block`."""
    block: int
    out: Out

    def tile(self, row: str, height: str | int) -> None:
        """One tile of rows: into c, then out."""
        f, arithmetic, width = self.f, self.arithmetic, self.width
        lanes, c_stride = arithmetic.lanes, self.block * arithmetic.bytes
        step = width if is_symbolic(width) else min(lanes, width)
        x = at(f, self.x, times(f, row, self.spec.k * arithmetic.stored_bytes))
        with f.loop(0, width, step) as loop:
            self.register(height, x, at(f, self.w, times(f, loop.index, self.w_row)), step)
            reduce = sums(f.module, arithmetic, lanes if is_symbolic(step) else 1 << (step - 1).bit_length())
            target = at(f, self.c, times(f, loop.index, arithmetic.bytes))
            with f.loop(0, height) as inner:
                to = at(f, target, times(f, inner.index, c_stride))
                source = at(
                    f, self.raw, times(f, inner.index, _raw_row(self.spec, arithmetic) * arithmetic.vector_bytes)
                )
                f.do(f"call void @{reduce}(ptr {to}, ptr {source})")
        self.out.store(self.c, c_stride, row, self.column, height, width, self.batch)

    def register(self, rows: str | int, x: str, w: str, width: int) -> None:
        """Lane by lane sums of at most a register's width of columns."""
        f, far = self.f, _far(self.arithmetic, self.spec)
        if isinstance(rows, str) or is_symbolic(width):
            # Several at once; those that are left one by one, several times each, into places that nobody reads.
            columns = _any_columns(self.spec, self.arithmetic)
            whole = width // columns
            with f.loop(0, whole) as loop:
                self.dots(rows, x, w, times(f, loop.index, columns), columns, self.w_row)
            with f.loop(whole * columns, width) as loop:
                self.dots(rows, x, w, loop.index, columns, 0)
            return
        done = 0
        for columns in (_dots_columns(self.arithmetic, rows, far), 2, 1):
            count = (width - done) // columns
            if not count:
                continue
            with f.loop(0, count) as loop:
                self.dots(rows, x, w, plus(f, times(f, loop.index, columns), done), columns, self.w_row)
            done += count * columns

    def dots(self, rows: str | int, x: str, w: str, column: str, columns: int, w_stride: int) -> None:
        """Lane by lane sums of `columns` columns, from `column` of the register on."""
        f, arithmetic, k = self.f, self.arithmetic, self.spec.k
        name = _dots(f, arithmetic, rows, columns, k, _far(arithmetic, self.spec))
        c = at(f, self.raw, times(f, column, arithmetic.vector_bytes))
        f.do(
            f"call void @{name}ptr {c}, i64 {_raw_row(self.spec, arithmetic) * arithmetic.vector_bytes}, ptr {x}, "
            f"i64 {operand(f, k * arithmetic.stored_bytes)}, ptr {at(f, w, times(f, column, self.w_row))}, "
            f"i64 {operand(f, w_stride)}, i64 {operand(f, k)})"
        )


def _dots(f: Function, arithmetic: Arithmetic, rows: str | int, columns: int, k: int, far: bool) -> str:
    """The beginning of a call of the function for so many rows and columns."""
    if isinstance(rows, str):
        any_turns = {height: _dots_turns(arithmetic, height, columns, k) for height in _ANY_ROWS}
        whole = _is_whole(arithmetic, k, *any_turns.values())
        return f"{any_dots(f.module, arithmetic, columns, any_turns, whole)}(i64 {rows}, "
    turns = _dots_turns(arithmetic, rows, columns, k)
    return f"{dots(f.module, arithmetic, rows, columns, turns, _is_whole(arithmetic, k, turns), ahead=far)}("


def _is_whole(arithmetic: Arithmetic, k: int, *turns: int) -> bool:
    """Tell whether k is known to be a multiple of what a turn takes."""
    return not is_symbolic(k) and all(k % (turn * arithmetic.lanes) == 0 for turn in turns)
