# SPDX-License-Identifier: Apache-2.0
"""Choose how dot products go through their operands, x [m, k] and w [n, k], both in vectors along k.

The form for few rows, above all one: w is read once, some of its rows at a time, as fast as the cache gives it. What
does not stay in the first caches is read as *streams*: the rows of w that are read together lie a part of a block of
columns apart, so that each goes on from row to row. Rows beside each other are in one page of memory, where hardware
fetches little ahead. Measured on Zen 4 with a row of 512 times 512 x 512 (C, intrinsics, one core, others at work):
from memory 26 GB/s instead of 9, as many as a plain read; from the third-level cache 59 instead of 46; from the second
55 instead of 47.
"""

from __future__ import annotations

from hybridize.base.dims import hint, is_symbolic
from hybridize.base.frozen import frozen
from hybridize.machine.arithmetic import Arithmetic
from hybridize.schedule.contraction import thresholds
from hybridize.schedule.contraction.panels import parts_of, row_tiles
from hybridize.schedule.contraction.product import Product


@frozen
class DotsTile:
    """The function that sums some rows of x times some rows of w, lane by lane."""

    rows: int
    columns: int
    """Rows of w."""
    turns: int
    """Vectors of k that have sums of their own."""
    whole: bool
    """True if k is known to be a multiple of what a turn takes."""
    parts: int
    """Turns that have sums of their own, where there are more; 0: there are no parts."""


@frozen
class DotsRange:
    """Columns from `start` to `stop`, `width` of them at a time."""

    start: int
    stop: int
    width: int


@frozen
class Dots:
    """The dot products of one product."""

    heights: tuple[int, ...]
    """The most rows of x in a tile where their number is known, else the rows of the tallest function."""
    height: int
    """Rows that there is room for."""
    ranges: tuple[DotsRange, ...]
    """The columns, range after range."""
    block: int
    """Columns of the result that there is room for, with the sums of all their gates."""
    any_columns: int
    """Rows of w of the function for columns whose number is not known. One that is left is computed so many times, into
    places behind the sums that nobody reads."""
    tiles: tuple[DotsTile, ...]
    """The functions: for each number of rows, the most columns first."""
    ahead: int
    """Bytes from where w is read to where it is fetched, where it does not stay in the second-level cache from one call
    to the next, and is read once; else 0."""
    w_row: int
    """Bytes between the rows of w: as stored, or flipped first."""
    streams: int = 1
    """Rows of w that are read together from as many parts of a block of columns; 1: those beside each other are."""

    def __str__(self) -> str:
        parts = "".join({f", parts of {tile.parts} turns": None for tile in self.tiles if tile.parts})
        tiles = ", ".join(f"{tile.rows}x{tile.columns}x{tile.turns}" for tile in self.tiles)
        ranges = ", ".join(f"{part.start!r}..{part.stop!r} by {part.width!r}" for part in self.ranges)
        far = f", {self.streams} streams" if self.streams > 1 else ""
        far += f", w fetched {self.ahead} bytes ahead" if self.ahead else ""
        w = f"w in rows of {self.w_row!r} bytes"
        return f"dots: rows x columns x vectors of k {tiles}; columns {ranges}; {w}{far}{parts}"

    def of_rows(self, rows: int) -> tuple[DotsTile, ...]:
        """The functions for so many rows, the most columns first."""
        return tuple(tile for tile in self.tiles if tile.rows == rows)


def make_dots(product: Product, arithmetic: Arithmetic, flips: bool) -> Dots:
    """Decide how the dot products of a product with some rows and columns are computed."""
    lanes, many = arithmetic.lanes, arithmetic.target.registers >= 32
    any_columns = 4 if many and not is_symbolic(product.n) else 2
    streams = _streams(product, arithmetic)
    far = streams == 1 and _far(product, arithmetic)
    heights: tuple[int, ...]
    if is_symbolic(product.m):
        heights, height, block = thresholds.DOTS_ANY_ROWS[1:], thresholds.DOTS_ANY_ROWS[1], lanes
        written: tuple[int, ...] = thresholds.DOTS_ANY_ROWS
    else:
        limit = 8 if many and not arithmetic.takes_halves else 4  # sums and operands must fit the registers
        parts = row_tiles(product.m, limit)
        heights, height, written = (limit,), parts[0].height, tuple(part.height for part in parts)
        # Sums of several registers' columns are stored together where that does not mean reading w again for each tile.
        block = lanes if product.m > height else max(lanes, thresholds.DOTS_COLUMNS // product.gates // lanes * lanes)
    if is_symbolic(product.n):
        block = lanes
    else:
        block = min(block, max(lanes, product.columns // lanes * lanes))
    tiles = []
    for rows in written:
        for columns in (any_columns,) if is_symbolic(product.m) else _columns(arithmetic, rows, far or streams > 1):
            turns = _turns(arithmetic, rows, columns, product.k)
            whole = not is_symbolic(product.k) and product.k % (turns * lanes) == 0
            apart = parts_of(product.k // (turns * lanes), arithmetic)
            tiles.append(DotsTile(rows, columns, turns, whole, apart))
    w_row = flipped_row(product, arithmetic) if flips else product.w_row * arithmetic.stored_bytes
    ranges = _ranges(product.columns, block, lanes)
    return Dots(
        heights=heights, height=height, ranges=ranges, block=block, any_columns=any_columns, tiles=tuple(tiles),
        ahead=thresholds.DOTS_AHEAD_BYTES if far else 0, w_row=w_row, streams=streams,
    )  # fmt: skip


def _streams(product: Product, arithmetic: Arithmetic) -> int:
    """Return `Dots.streams`: as many as a tile has columns, where w is more than the first cache holds."""
    if is_symbolic(product.m) or product.m > 3 or is_symbolic(product.n) or is_symbolic(product.k) or product.gates > 1:
        return 1
    large = product.n * product.k * arithmetic.stored_bytes > arithmetic.target.l1_bytes
    streams = _columns(arithmetic, product.m, True)[0]
    return streams if large and arithmetic.lanes % streams == 0 and product.n >= 4 * arithmetic.lanes else 1


def _far(product: Product, arithmetic: Arithmetic) -> bool:
    few = not is_symbolic(product.m) and product.m <= 3
    return few and hint(product.n) * hint(product.k) * arithmetic.stored_bytes > 2 * arithmetic.target.l2_bytes


def _columns(arithmetic: Arithmetic, rows: int, far: bool) -> tuple[int, ...]:
    """Rows of w per turn, then for what that leaves. Two are read as fast as one from nearby; from far away more
    streams are faster. Four at once also where they save reading x.
    """
    several = far or (4 <= rows <= 6 and not arithmetic.takes_halves)
    return (4, 2, 1) if several and arithmetic.target.registers >= 32 else (2, 1)


def _turns(arithmetic: Arithmetic, rows: int, columns: int, k: int) -> int:
    """Vectors of k per turn, so that about sixteen sums are in flight and little of k remains."""
    most = max(1, (16 if arithmetic.target.registers >= 32 else 8) // (rows * columns))
    vectors = hint(k) // arithmetic.lanes
    if vectors <= most:
        return max(1, vectors)
    return min(range(most, most // 2, -1), key=lambda turns: vectors % turns)


def flipped_row(product: Product, arithmetic: Arithmetic) -> int:
    """Bytes between the rows of a w [k, n] that was flipped: whole registers, as no less is written."""
    return (product.k + arithmetic.lanes - 1) // arithmetic.lanes * arithmetic.vector_bytes


def _ranges(n: int, block: int, lanes: int) -> tuple[DotsRange, ...]:
    """Whole blocks, whole registers, the rest."""
    blocks, whole = n // block * block, n // lanes * lanes
    first, last = DotsRange(0, blocks, block), DotsRange(whole, n, n - whole)
    if is_symbolic(n):
        return first, last
    ranges = (first, DotsRange(blocks, whole, whole - blocks), last)
    return tuple(one for one in ranges if one.start < one.stop)
