# SPDX-License-Identifier: Apache-2.0
"""Choose how a contraction is tiled: its form, the register tiles of the micro-kernel, the panels packed into scratch.

Plain arithmetic on sizes and a `Target`; nothing here writes IR. `out[b, i, j] = sum over k of x[b, i, k] w[b, k, j]`.

Any size may be a `Dim`, known at the call only. What is right for every size then depends on the symbols; what is only
a matter of speed (blocks, groups, whether to copy) is decided by the sizes of the call that is being compiled.
"""

from __future__ import annotations

from typing import Literal

from hybridize.base import dims
from hybridize.base.dims import hint, is_symbolic, same
from hybridize.base.dtypes import DType
from hybridize.base.frozen import changed, frozen
from hybridize.codegen.llvm.contraction.arithmetic import Arithmetic

Form = Literal["dots", "rows", "columns", "either"]
Pack = Literal["", "flip", "copy"]
Order = Literal["once", "blocks", "streams"]


@frozen
class ContractionSpec:
    """Sizes and layouts of one product of matrices; operands and result are C-contiguous.

    Numbers of 16-bit floats are multiplied and summed in float32, integers in their own type (they wrap), bool by
    and/or.
    """

    dtype: DType
    m: int
    n: int
    k: int
    batch: int = 1
    transpose_x: bool = False
    """x is stored [batch, k, m], not [batch, m, k]."""
    transpose_w: bool = False
    """w is stored [batch, n, k], not [batch, k, n]."""
    shared_x: bool = False
    """x has no batch axis: every member of the batch reads the same."""
    shared_w: bool = False
    """w has no batch axis."""
    packed: bool = False
    """w is the result of the function that `emit_pack` writes, not the operand itself."""


@frozen
class ColumnPanels:
    """Equal panels of columns beside each other."""

    start: int
    count: int
    vectors: int
    """Registers across a panel."""
    width: int
    """Columns of a panel; what the registers hold beyond is dropped."""
    pack: Pack
    """The way a panel comes to scratch; empty where it is read in place."""
    skip: int = 0
    """Columns that the registers hold before those of the panel: it is read from so far before its start."""
    ragged: bool = False
    """True if the last panel ends where the columns do, which is found at the call."""


@frozen
class RowTiles:
    """Equal tiles of rows below each other."""

    start: int
    count: int
    height: int


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
    sections: tuple[ColumnPanels, ...]
    group: int
    """Panels that are packed together, then used together for each tile of rows."""
    k_block: int
    """Terms that are summed in one go."""
    order: Order
    """once: all of k. blocks: k is cut where a panel would not stay in the second-level cache. streams: the first rows
    of a w that lies far away and is read once, from end to end, then the next, the sums waiting nearby."""
    x_row: int
    """Bytes between the rows of the copy of x that is made first, or 0 where x is read in place."""
    flips: bool
    """True if w [k, n] is flipped first, whole: for dots."""
    ahead: bool
    """True if the rows of x for the next tile are fetched while one is computed: x comes from far away."""


# Tallest tiles, by their width in vectors, whose sums, row of w and broadcast LLVM keeps in so many registers: one row
# more and it spills within the loop, at a third of the speed. Integers need one more for the product.
_ROWS = {32: {1: 24, 2: 12, 3: 8, 4: 6}, 16: {1: 12, 2: 6, 3: 4, 4: 2}}
_INTEGER_ROWS = {32: {1: 16, 2: 10, 3: 7, 4: 5}, 16: {1: 8, 2: 4, 3: 3, 4: 2}}


def tile_rows(arithmetic: Arithmetic, vectors: int) -> int:
    """Rows of a register tile `vectors` wide, at most."""
    if not arithmetic.is_float and arithmetic.dtype.itemsize != 4:
        return 4  # products of these integers take several instructions and registers
    registers = arithmetic.target.registers
    rows = (_ROWS if arithmetic.is_float else _INTEGER_ROWS)[registers]
    return rows.get(vectors) or max(1, (registers - 2 - vectors) // vectors)


_SHORT = (3, 2)
"""Heights of the tiles for what tall ones leave of an unknown number of rows."""
_NARROW_ROWS = 4
"""Rows of a narrow tile, of which a few columns are made, where their number is not known."""


def any_heights(arithmetic: Arithmetic, vectors: int) -> tuple[int, ...]:
    """Heights of the tiles for an unknown number of rows; of the last, some rows may not be there.

    Every height is a function to compile. Two and three add up to any number, at no more multiplications than there
    are sums. Narrow tiles, which a product has one of beside the wide ones, take a row twice instead.
    """
    tall = tile_rows(arithmetic, vectors)
    if vectors < panel_vectors(arithmetic) and vectors <= 2:
        return (min(tall, _NARROW_ROWS),)
    return (tall, *_SHORT) if tall > _SHORT[0] else (tall,)


def panel_vectors(arithmetic: Arithmetic) -> int:
    """Width of a panel in vectors, where there are columns enough."""
    return 4 if arithmetic.target.registers >= 32 and arithmetic.is_float else 2


def row_tiles(total: int, limit: int) -> tuple[RowTiles, ...]:
    """Cut `total` rows into as few tiles as `limit` allows, of two heights that differ by one, the taller first."""
    if total == 0:
        return ()
    tiles = -(-total // limit)
    height = -(-total // tiles)
    tall = total - (height - 1) * tiles
    parts = (RowTiles(0, tall, height), RowTiles(tall * height, tiles - tall, height - 1))
    return tuple(part for part in parts if part.count and part.height)


def column_panels(columns: int, lanes: int, vectors: int, pack: Pack) -> tuple[ColumnPanels, ...]:
    """Full panels, then a narrower one.

    Where its last register is not full, that one is read from before its start, or packed, for lack of columns there.
    """
    width = vectors * lanes
    if is_symbolic(columns):
        return _any_sections(columns, lanes, vectors, pack)
    full, rest = divmod(columns, width)
    parts = []
    if full:
        parts.append(ColumnPanels(0, full, vectors, width, pack))
    if rest:
        narrow = -(-rest // lanes)
        skip = 0 if pack else narrow * lanes - rest
        lacks = skip > full * width
        parts.append(ColumnPanels(full * width, 1, narrow, rest, "copy" if lacks else pack, 0 if lacks else skip))
    return tuple(parts)


def _any_sections(columns: int, lanes: int, vectors: int, pack: Pack) -> tuple[ColumnPanels, ...]:
    """`column_panels` of an unknown number of columns: of panels 1, 2, 4, ... vectors wide, one each at most."""
    width = vectors * lanes
    full, rest = columns // width, columns % width
    needed = (rest + lanes - 1) // lanes
    left = needed % vectors
    if pack:
        parts = [ColumnPanels(0, full + needed // vectors, vectors, width, pack, ragged=True)]
    else:
        parts = [
            ColumnPanels(0, full, vectors, width, ""),
            ColumnPanels(full * width, needed // vectors, vectors, rest, "copy"),
        ]
    for wide in (4, 2, 1):
        if wide < vectors:
            before = left // (2 * wide) * (2 * wide) * lanes
            # The lesser of the panel's own width and what is left.
            narrow = rest - before + wide * lanes - dims.maximum(rest - before, wide * lanes)
            parts.append(ColumnPanels(full * width + before, left // wide % 2, wide, narrow, pack or "copy"))
    return tuple(parts)


def _wide_vectors(arithmetic: Arithmetic, rows: int) -> int:
    """Vectors of a tile for fewer rows than a full tile has: wider, so that enough sums are in flight."""
    normal = panel_vectors(arithmetic)
    if rows >= tile_rows(arithmetic, normal):
        return normal
    vectors = normal
    while vectors < 8 and tile_rows(arithmetic, vectors + 1) >= rows and arithmetic.is_float:
        vectors += 1
    return vectors


def hinted(spec: ContractionSpec) -> ContractionSpec:
    """The product as it is in the call that is being compiled."""
    return changed(spec, m=hint(spec.m), n=hint(spec.n), k=hint(spec.k), batch=hint(spec.batch))


def normalised(spec: ContractionSpec) -> ContractionSpec:
    """The same product with a vector operand called contiguous along k, which it is either way."""
    transpose_x = spec.transpose_x and not same(spec.m, 1) and not same(spec.k, 1)
    transpose_w = spec.transpose_w if spec.packed or not same(spec.n, 1) else True
    return changed(spec, transpose_x=transpose_x, transpose_w=transpose_w)


_FEW_COLUMNS = 8
"""Below so many columns a panel would be mostly empty."""


_ROWS_PER_FLIP = 4
"""Rows of x that make up for flipping a narrow w."""


def _flip_pays(spec: ContractionSpec, arithmetic: Arithmetic) -> bool:
    """Tell whether w [k, n] is so narrow that it is flipped first, and then computed with along k."""
    many = is_symbolic(spec.m) or spec.m >= _ROWS_PER_FLIP
    return many and _below(spec.n, _FEW_COLUMNS) and not spec.transpose_x and not arithmetic.converts


def few_rows(spec: ContractionSpec, arithmetic: Arithmetic) -> int:
    """Below so many rows, dot products of w in place are faster than flipping it (flipping x may be faster still)."""
    if arithmetic.target.registers < 32:
        return arithmetic.lanes
    # Where the columns are not known either, there are often as few of them, and little to flip: measured.
    return arithmetic.lanes * 3 // 4 if is_symbolic(spec.n) else arithmetic.lanes * 7 // 4


def _form(spec: ContractionSpec, arithmetic: Arithmetic) -> Form:
    if spec.packed:
        return "rows"
    if not spec.transpose_w:
        return "dots" if _flip_pays(spec, arithmetic) else "rows"
    few = _below(spec.m, arithmetic.lanes) or _below(spec.n, _FEW_COLUMNS)
    if not spec.transpose_x and few:
        return "dots"
    if is_symbolic(spec.m):
        return "rows" if spec.transpose_x else "either"
    return "columns" if not is_symbolic(spec.n) and _columns_pay(spec, arithmetic) else "rows"


def _below(size: int, limit: int) -> bool:
    """Tell whether a size is known to be less."""
    return not is_symbolic(size) and size < limit


def _columns_pay(spec: ContractionSpec, arithmetic: Arithmetic) -> bool:
    """Tell whether packing x and flipping the result moves less than packing w, with panels that are mostly full."""
    spec = hinted(spec)
    moved = spec.m * spec.n + (0 if spec.transpose_x else spec.m * spec.k)
    full = spec.m >= arithmetic.lanes and spec.m >= 0.75 * arithmetic.lanes * -(-spec.m // arithmetic.lanes)
    panel_bytes = spec.k * panel_vectors(arithmetic) * arithmetic.vector_bytes
    return (
        moved < spec.n * spec.k and full and panel_bytes <= arithmetic.target.l2_bytes // 2 and not arithmetic.converts
    )


_CONVERTED_ROWS = 4
"""Rows of x that make up for panels of floats, which are twice as long as the short floats that they are made of."""
_FAR_ROWS = 2
"""Rows of x from which on packing pays on every machine where w is far away."""


def packing_pays(spec: ContractionSpec, arithmetic: Arithmetic) -> bool:
    """Tell whether w is read faster when it was packed beforehand than in place.

    Measured, packing itself not counted. In place wins on some machines where a product is bound by reading w once: one
    row with w contiguous along k (`Target.packs_from`). It is as good where no call packs anything and w stays in the
    second-level cache.
    """
    if is_symbolic(spec.n) or is_symbolic(spec.k) or (is_symbolic(spec.batch) and not spec.shared_w):
        return False
    spec = hinted(spec)
    if not (spec.m and spec.n and spec.k and arithmetic.is_float):
        return False
    spec = normalised(changed(spec, packed=False))
    tiling = make_tiling(spec, arithmetic)
    large = spec.n * spec.k * arithmetic.stored_bytes > arithmetic.target.l2_bytes // 2
    if tiling.flips:
        return False
    if not spec.transpose_w:
        return large or any(section.pack for section in tiling.sections)
    few = arithmetic.target.packs_from
    if arithmetic.converts:
        few = max(few, _CONVERTED_ROWS)
    elif large:
        few = min(few, _FAR_ROWS)
    if spec.n < _FEW_COLUMNS or spec.m < few:
        return False
    return tiling.form != "columns" or arithmetic.target.registers >= 32


def make_tiling(spec: ContractionSpec, arithmetic: Arithmetic) -> Tiling:
    """Decide how `spec`, already `normalised`, is computed."""
    form = _form(spec, arithmetic)
    if form == "columns":
        rows, columns, along_k, panels_along_k = spec.n, spec.m, spec.transpose_w, not spec.transpose_x
    else:
        rows, columns, along_k, panels_along_k = spec.m, spec.n, not spec.transpose_x, spec.transpose_w
    vectors = panel_vectors(arithmetic) if spec.packed or is_symbolic(rows) else _wide_vectors(arithmetic, rows)
    pack: Pack = ""
    k = hint(spec.k)
    if not spec.packed:
        copied = arithmetic.converts or _strides_collide(arithmetic, hint(rows), hint(columns), k)
        pack = "flip" if panels_along_k else "copy" if copied else ""
    parts = column_panels(columns, arithmetic.lanes, vectors, "copy" if spec.packed else pack)
    if spec.packed:
        parts = tuple(changed(part, pack="") for part in parts)
    panel_row = vectors * arithmetic.vector_bytes
    l2 = arithmetic.target.l2_bytes
    blocks = -(-k * panel_row // (l2 // 4)) if k * panel_row > l2 // 2 else 1
    k_block = max(1, -(-k // blocks))
    group = 1
    if blocks == 1 and hint(rows) * k * arithmetic.bytes > l2 // 4:
        group = max(1, l2 // 2 // (k_block * panel_row))
    if blocks == 1 and is_symbolic(spec.k):
        k_block = spec.k
    order: Order = "blocks" if blocks > 1 else "once"
    if form == "rows" and not pack and _streams(spec, arithmetic, parts):
        order, k_block, group = "streams", _STREAMS_OF_ONE if rows == 1 else _STREAMS, 1
    flips = form == "dots" and not spec.transpose_w
    ahead = along_k and order == "once" and k >= _LONG and hint(rows) * k * arithmetic.bytes > l2 // 2
    return Tiling(form, along_k, parts, group, k_block, order, _x_row(spec, arithmetic, form), flips, ahead)


_LONG = 64
"""Terms that a tile sums at least, for the time to fetch something meanwhile."""


_STREAMS = 16
"""Rows of w that are read beside each other, as many as the hardware fetches ahead of."""
_STREAMS_OF_ONE = 8
"""The same for a single row of x."""
_STREAM_ROWS = 2
"""With more rows of x the multiplications take longer than w takes to come."""


def _streams(spec: ContractionSpec, arithmetic: Arithmetic, parts: tuple[ColumnPanels, ...]) -> bool:
    """Tell whether w [k, n] is far away and read once: going down its columns would jump from each k to the next."""
    if spec.packed or is_symbolic(spec.m) or is_symbolic(spec.n) or not arithmetic.is_float or not parts:
        return False
    far = spec.n * hint(spec.k) * arithmetic.bytes > arithmetic.target.l2_bytes // 2
    return 0 < spec.m <= _STREAM_ROWS and far and parts[0].count > 1


def _strides_collide(arithmetic: Arithmetic, uses: int, width: int, k: int) -> bool:
    """Tell whether k rows `width` long, read in `uses` small parts, would fall on the same few cache lines."""
    return (
        uses > 4 * tile_rows(arithmetic, panel_vectors(arithmetic)) and width * arithmetic.bytes % 2048 == 0 and k > 64
    )


def _x_row(spec: ContractionSpec, arithmetic: Arithmetic, form: Form) -> int:
    if form not in ("rows", "either"):
        return 0
    width = spec.m if spec.transpose_x else spec.k
    if spec.transpose_x and _strides_collide(arithmetic, hint(spec.n), hint(spec.m), hint(spec.k)):
        return width * arithmetic.bytes + 64
    return width * arithmetic.bytes if arithmetic.converts else 0
