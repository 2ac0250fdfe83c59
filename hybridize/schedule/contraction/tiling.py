# SPDX-License-Identifier: Apache-2.0
"""Choose how a contraction is tiled: its form, the register tiles of the micro-kernel, the panels packed into scratch.

Plain arithmetic on sizes and a `Target`; nothing here writes IR. `out[b, i, j] = sum over k of x[b, i, k] w[b, k, j]`.

Any size may be a `Dim`, known at the call only. What is right for every size then depends on the symbols; what is only
a matter of speed (blocks, groups, whether to copy) is decided by the sizes of the call that is being compiled.
"""

from __future__ import annotations

from typing import Literal

from hybridize.base.dims import hint, is_symbolic, same
from hybridize.base.dtypes import bfloat16, float32
from hybridize.base.frozen import changed, frozen
from hybridize.base.memo import remembered
from hybridize.machine.arithmetic import Arithmetic
from hybridize.schedule.contraction import panels, thresholds
from hybridize.schedule.contraction.product import Product, hinted

Form = Literal["dots", "rows", "columns", "either"]
Order = Literal["once", "blocks", "streams"]


@frozen
class Tiling:
    """The tiling of a contraction (the terms are those of BLIS: micro-kernel, panel, packing).

    dots: both operands in vectors along k, in place. rows: tiles of [x rows, w columns]. columns: the transposed
    product, tiles of [w columns, x rows], flipped when stored; for w stored [n, k] and few rows of x it packs x, not w.
    either: dots for fewer rows than `few_rows`, else rows; each call tells.
    """

    form: Form
    along_k: bool
    """True if the operand that is broadcast is contiguous along k."""
    sections: tuple[panels.ColumnPanels, ...]
    group: int
    """Panels that are packed together, then used together for each tile of rows."""
    k_block: int
    """Terms that are summed in one go."""
    order: Order
    """once: all of k. blocks: k is cut where a panel would not stay in the second-level cache. streams: the first rows
    of a w that lies far away and is read once, from end to end, then the next, the sums waiting nearby."""
    x_row: int
    """Bytes between the rows of the copy of x that is made first, or 0 where x is read in place."""
    x_tiles: bool
    """True if that copy is made tile by tile, each [k][rows]: x is stored [k, m], and its rows lie far apart."""
    flips: bool
    """True if w [k, n] is flipped first, whole: for dots."""
    ahead: bool
    """True if the rows of x for the next tile are fetched while one is computed: x comes from far away."""
    panel_ahead: int
    """Bytes from where tiles read a panel to where they fetch it, or 0: w comes from far away, and is read once."""
    few_rows: int
    """Of the form `either`: below so many rows, dot products of w in place are faster than flipping it."""
    summation: panels.Summation
    """The order in which tiles sum their terms."""
    tiles_together: int = 1
    """Tiles of x that are copied beside each other: few lines at their ends are read twice."""

    def __str__(self) -> str:
        words = [f"{self.form}: {self.order}, {self.k_block!r} terms at a time"]
        words += [f"broadcast along {'k' if self.along_k else 'rows'}"]
        words += [f"panels in groups of {self.group}" if self.group > 1 else "", "fetched ahead" if self.ahead else ""]
        copied = f"x copied{f', {self.tiles_together} tiles at a time' * self.x_tiles}, rows of {self.x_row!r} bytes"
        words += [f"panels fetched {self.panel_ahead} bytes ahead" if self.panel_ahead else ""]
        words += [copied if not same(self.x_row, 0) else ""]
        words += [f"dots below {self.few_rows} rows" if self.form == "either" else "", str(self.summation)]
        return "\n  ".join([", ".join(filter(None, words)), *map(str, self.sections)])


def columns_block(product: Product, arithmetic: Arithmetic) -> int:
    """Columns of the result that the form `columns` makes together, of all their gates; whole registers."""
    lanes = arithmetic.lanes
    return max(lanes, thresholds.FLIPPED_COLUMNS // product.gates // lanes * lanes)


def gates_fit(product: Product, arithmetic: Arithmetic) -> bool:
    """Tell whether the sums of an element can come to one epilogue: else they are stored, and loops read them.

    A tile has at least a register of each of its gates.
    """
    return not is_symbolic(product.n) and product.columns >= arithmetic.lanes


def _flip_pays(product: Product, arithmetic: Arithmetic) -> bool:
    """Tell whether w [k, n] is so narrow that it is flipped first, and then computed with along k."""
    many = is_symbolic(product.m) or product.m >= thresholds.FLIP_ROWS
    return many and _below(product.n, thresholds.FEW_COLUMNS) and not product.transpose_x and not arithmetic.converts


def _few_rows(product: Product, arithmetic: Arithmetic) -> int:
    """Return `Tiling.few_rows` (flipping x may be faster still)."""
    if arithmetic.target.registers < 32:
        return arithmetic.lanes
    # Where the columns are not known either, there are often as few of them, and little to flip: measured.
    return arithmetic.lanes * 3 // 4 if is_symbolic(product.n) else arithmetic.lanes * 7 // 4


def _form(product: Product, arithmetic: Arithmetic) -> Form:
    if product.packed:
        return "rows"
    if not product.transpose_w:
        return "dots" if _flip_pays(product, arithmetic) else "rows"
    few = _below(product.m, arithmetic.lanes) or _below(product.n, thresholds.FEW_COLUMNS)
    if not product.transpose_x and few:
        return "dots"
    if is_symbolic(product.m):
        return "rows" if product.transpose_x else "either"
    return "columns" if not is_symbolic(product.n) and _columns_pay(product, arithmetic) else "rows"


def _below(size: int, limit: int) -> bool:
    """Tell whether a size is known to be less."""
    return not is_symbolic(size) and size < limit


def _columns_pay(product: Product, arithmetic: Arithmetic) -> bool:
    """Tell whether packing x and flipping the result moves less than packing w, with panels that are mostly full."""
    product = hinted(product)
    moved = product.m * product.n + (0 if product.transpose_x else product.m * product.k)
    full = product.m >= arithmetic.lanes and product.m >= 0.75 * arithmetic.lanes * -(-product.m // arithmetic.lanes)
    panel_bytes = product.k * panels.panel_vectors(arithmetic) * arithmetic.vector_bytes
    return (
        moved < product.n * product.k
        and full
        and panel_bytes <= arithmetic.target.l2_bytes // 2
        and not arithmetic.converts
    )


def _wide_vectors(arithmetic: Arithmetic, rows: int) -> int:
    """Vectors of a tile for fewer rows than a full tile has: wider, so that enough sums are in flight."""
    normal = panels.panel_vectors(arithmetic)
    if rows >= panels.tile_rows(arithmetic, normal):
        return normal
    vectors = normal
    while vectors < 8 and panels.tile_rows(arithmetic, vectors + 1) >= rows and arithmetic.is_float:
        vectors += 1
    return vectors


@remembered
def make_tiling(product: Product, arithmetic: Arithmetic, block: int = 0) -> Tiling:
    """Decide how a product, already `normalised`, is computed; in a band, by calls of at most `block` rows."""
    form = _form(product, arithmetic)
    x_along_k, w_along_k = not product.transpose_x, product.transpose_w
    rows, columns, along_k, panels_along_k = product.m, product.columns, x_along_k, w_along_k
    if form == "columns":
        rows, columns, along_k, panels_along_k = product.n, product.m, w_along_k, x_along_k
    vectors = (
        panels.panel_vectors(arithmetic) if product.packed or is_symbolic(rows) else _wide_vectors(arithmetic, rows)
    )
    pack: panels.Pack = ""
    k, l2 = hint(product.k), arithmetic.target.l2_bytes
    if not product.packed:
        strides = product.x_strides if form == "columns" else product.w_strides
        row = columns if strides is None else strides.row
        copied = arithmetic.converts or _w_is_copied(arithmetic, hint(rows), hint(row), k, apart=strides is not None)
        pack = "flip" if panels_along_k else "copy" if copied else ""
    streams = form == "rows" and not pack and _streams(product, arithmetic, vectors)
    # Where sums wait in memory anyway, tiles have one gate each, and what they read lies as it did.
    gates = 1 if form == "columns" or streams else product.gates
    if streams:
        vectors = min(vectors, columns // arithmetic.lanes)  # what is left over is read from before its start
    parts = panels.column_panels(columns, arithmetic.lanes, vectors, "copy" if product.packed else pack, gates)
    if product.packed:
        parts = tuple(changed(part, pack="") for part in parts)
    beside = panels.gates_beside(vectors, gates)
    panel_row = vectors // beside * gates * arithmetic.vector_bytes
    x_row = _x_row(product, arithmetic, form)
    once = k * panel_row <= l2 // 2 and not streams
    x_tiles = product.transpose_x and not same(x_row, 0) and not is_symbolic(rows) and once
    if x_tiles:
        x_row = product.k * arithmetic.bytes + thresholds.TILE_GAP_BYTES
    # All panels read the same copy of x, so they have tiles of the same heights.
    widest = max((part.vectors for part in parts), default=1)
    heights = [panels.tile_heights(arithmetic, rows, widest if x_tiles else part.vectors, along_k) for part in parts]
    parts = tuple(changed(part, heights=height) for part, height in zip(parts, heights, strict=True))
    blocks = -(-k * panel_row // (l2 // 4)) if k * panel_row > l2 // 2 else 1
    k_block = max(1, -(-k // blocks))
    if blocks > 1:
        k_block = -(-k_block // thresholds.SUMMED) * thresholds.SUMMED
    group = 1
    if blocks == 1 and (block or hint(rows)) * k * arithmetic.bytes > l2 // 4:
        group = max(1, l2 // 2 // (k_block * panel_row))
    if blocks == 1 and is_symbolic(product.k):
        k_block = product.k
    order: Order = "blocks" if blocks > 1 else "once"
    if streams:
        order, k_block, group = "streams", thresholds.STREAM_TERMS_OF_ONE if rows == 1 else thresholds.STREAM_TERMS, 1
    flips = form == "dots" and not product.transpose_w
    ahead = (
        not x_tiles and order == "once" and k >= thresholds.LONG_TERMS and hint(rows) * k * arithmetic.bytes > l2 // 2
    )
    few = _few_rows(product, arithmetic) if form == "either" else 0
    one_tile = not is_symbolic(rows) and all(rows <= max(part.heights, default=0) for part in parts)
    far = product.packed and hint(product.n) * k * arithmetic.packed.itemsize > l2 // 2
    panel_ahead = thresholds.PANEL_AHEAD_BYTES if one_tile and far and order == "once" else 0
    if product.packed and product.narrow:
        parts = tuple(
            changed(part, pack=_converted(product, arithmetic, part, order), turns=turns_of(product, arithmetic, part))
            for part in parts
        )
    summation = panels.summation(product.k, arithmetic, along_k)
    if streams:  # whose few rows are added to memory every few terms
        summation = changed(summation, parts=0)
    return Tiling(
        form=form, along_k=along_k, sections=parts, group=group, k_block=k_block, order=order, x_row=x_row,
        x_tiles=x_tiles, flips=flips, ahead=ahead, panel_ahead=panel_ahead, few_rows=few, summation=summation,
        tiles_together=thresholds.TILES_TOGETHER if x_tiles else 1,
    )  # fmt: skip


def turns_of(product: Product, arithmetic: Arithmetic, section: panels.ColumnPanels) -> int:
    """Return the registers of a packed panel whose elements lie in turns: those of integers of a byte, and of
    bfloat16, where all that tiles do is to make float32 of them; 1 where none do.
    """
    prologue, stored = product.prologue, arithmetic.packed
    if not product.narrow or arithmetic.accumulate != float32 or not (prologue is None or prologue.makes_floats):
        return 1
    is_byte = stored.itemsize == 1 and stored.kind in "iu"
    if not is_byte and stored != bfloat16:
        return 1
    turns = float32.itemsize // stored.itemsize
    wide = arithmetic.vector_bytes >= thresholds.TURN_REGISTER_BYTES[stored.itemsize]
    return turns if wide and section.vectors % turns == 0 else 1


def _converted(product: Product, arithmetic: Arithmetic, section: panels.ColumnPanels, order: Order) -> panels.Pack:
    """The way in which the elements of packed panels, which are as they are stored, are converted for tiles of rows.

    Where tiles only make floats of them, each does so for itself, on the ports that multiply-adds leave free. Measured
    on Zen 4, 3 to 64 rows of all types: 0.90 to 1.01 of the time of float32 panels. Multiplications take the same ports
    as sums, and machines without multiply-adds have none to spare; nor has NEON, whose conversions take those of
    multiply-adds. There the registers of a tile have no room for what it would keep.
    """
    rows, tallest = hint(product.m), max(section.heights)
    only_floats = product.prologue is None or product.prologue.makes_floats
    if only_floats and arithmetic.target.fma and not arithmetic.by_lane:
        return ""
    whole = product.filled is None and product.read_columns is None  # the first tile reads all of a panel
    if whole and not is_symbolic(product.m) and order == "once" and not arithmetic.by_lane:
        return "keep" if rows > tallest else ""
    return "widen" if rows > thresholds.CONVERTED_TILES * tallest else ""


def _streams(product: Product, arithmetic: Arithmetic, vectors: int) -> bool:
    """Tell whether w [k, n] is far away and read once: going down its columns would jump from each k to the next."""
    if product.packed or is_symbolic(product.m) or is_symbolic(product.n) or not arithmetic.is_float:
        return False
    far = product.n * hint(product.k) * arithmetic.bytes > arithmetic.target.l2_bytes // 2
    return 0 < product.m <= thresholds.STREAM_ROWS and far and product.n >= 2 * vectors * arithmetic.lanes


def _w_is_copied(arithmetic: Arithmetic, rows: int, row: int, k: int, *, apart: bool) -> bool:
    """Tell whether w [k, n], of which `rows` rows of x read a panel at a time, is read faster from a copy.

    Its rows are `row` elements from each other; if they lie `apart`, there is something else between.

    Measured: where its rows fall on the same few sets of the first-level cache; where its vectors lie across two lines
    (1000 x 256 times 256 x 1000: 199 instead of 155 GFLOP/s); where a panel does not stay in the second-level cache
    (2000 x 1120 times 1120 x 256 of rows of 1 KiB: 110 instead of 99 GFLOP/s).
    """
    tiles, row = rows // panels.tile_rows(arithmetic, panels.panel_vectors(arithmetic)), row * arithmetic.stored_bytes
    panel = panels.panel_vectors(arithmetic) * arithmetic.vector_bytes
    # Rows of a multiple of a power of two have their parts of a panel on few sets of the second-level cache.
    power = row & -row
    crowded = power > panel and k * power > arithmetic.target.l2_bytes // 2
    # What lies apart is on many pages.
    slow = apart or row % thresholds.LINE_BYTES > 0 or crowded
    enough = (
        tiles > thresholds.COLLIDING_TILES
        if row % thresholds.COLLIDING_BYTES == 0
        else slow and tiles > thresholds.CROSSING_TILES
    )
    return enough and k > thresholds.LONG_TERMS


def _x_row(product: Product, arithmetic: Arithmetic, form: Form) -> int:
    if form not in ("rows", "either"):
        return 0
    row, columns = hint(product.x_row) * arithmetic.stored_bytes, hint(product.n)
    collides = row % thresholds.COLLIDING_BYTES == 0 and columns > thresholds.COLLIDING_TILES * panels.tile_rows(
        arithmetic, panels.panel_vectors(arithmetic)
    )
    crosses = (
        row % thresholds.LINE_BYTES > 0
        and columns > thresholds.CROSSING_PANELS * panels.panel_vectors(arithmetic) * arithmetic.lanes
    )
    if product.transpose_x and (collides or crosses) and hint(product.k) > thresholds.LONG_TERMS:
        return product.m * arithmetic.bytes + thresholds.LINE_BYTES
    return (product.m if product.transpose_x else product.k) * arithmetic.bytes if arithmetic.converts else 0
