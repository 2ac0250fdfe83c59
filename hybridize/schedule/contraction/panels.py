# SPDX-License-Identifier: Apache-2.0
"""Register tiles and the panels of columns that they go down: how tall, how wide, how a size is cut into them.

Any size may be a `Dim`, known at the call only: then several heights and widths are written, and a call takes those
that fit it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Literal

from hybridize.base import dims
from hybridize.base.dims import is_symbolic, same
from hybridize.base.frozen import changed, frozen
from hybridize.machine.arithmetic import Arithmetic
from hybridize.schedule.contraction import thresholds

Pack = Literal["", "flip", "copy", "widen", "keep"]


@frozen
class ColumnPanels:
    """Equal panels of columns beside each other: those of w, or in the form `columns` those of x."""

    start: int
    count: int
    vectors: int
    """Registers across a tile over the panel."""
    width: int
    """Columns of a panel, of each gate; what the registers hold beyond is dropped."""
    pack: Pack
    """The way a panel comes to scratch; empty where it is read in place. widen: a packed one, of elements as they are
    stored, which are converted once for many tiles. keep: the first tile of rows converts them, and stores them there.
    """
    skip: int = 0
    """Columns that the registers hold before those of the panel: it is read from so far before its start."""
    ragged: bool = False
    """True if the last panel ends where the columns do, which is found at the call."""
    gates: int = 1
    """Gates that a tile has side by side, each in as many registers; columns are counted for one gate."""
    tiles: int = 1
    """Tiles that have all gates of the panel's columns: it is as many narrower panels, one after the other."""
    whole: bool = False
    """True if the columns of every panel fill its registers: a tile of sums is a block of the result."""
    turns: int = 1
    """Registers whose elements lie in turns in a packed panel: those of 32-bit lane l are lane l of each of them."""
    heights: tuple[int, ...] = ()
    """Of products. Heights of the register tiles over these panels, the tallest first: the most rows of a tile where
    their number is known, all that are written where it is not."""
    unroll: int = 1
    """Over taps. Terms that one turn of its tiles' loop sums."""
    ahead: int = 0
    """Bytes from where tiles read a panel to where they fetch it; 0: nowhere."""
    share: int = 0
    """Bytes of the panel after this one that a row of the largest part brings into the second-level cache."""
    lines: int = 0
    """Lines of memory of it that a turn brings, at most."""
    step: int = 0
    """Bytes of it from where a turn brings lines to where the next one does: they lie at equal distances in these."""

    @property
    def keeps(self) -> bool:
        """True if the first tile of rows converts a panel for those of others."""
        return self.pack == "keep"

    @property
    def across(self) -> int:
        """Registers across all tiles over the panel."""
        return self.vectors * self.tiles

    def __str__(self) -> str:
        start, count, width = ("?" if is_symbolic(size) else size for size in (self.start, self.count, self.width))
        gates = "" if self.gates == self.tiles == 1 else f" x {self.gates * self.tiles} gates"
        tiles = "" if self.tiles == 1 else f"{self.tiles} tiles of "
        words = [f"panels from {start}: {count} of {width}{gates} in {tiles}{self.vectors} vectors"]
        if self.heights:
            words.append(f"tiles of {' or '.join(map(str, self.heights))} rows")
        words += [f"{_PACKED[self.pack]} to scratch" if self.pack else ""]
        words += [
            f"read from {self.skip} before" if self.skip else "",
            f"{self.turns} vectors in turns" if self.turns > 1 else "",
        ]
        words += ["the last ends where the columns do" if self.ragged else ""]
        return ", ".join(filter(None, words))


def lead_bytes(sections: Iterable[ColumnPanels]) -> int:
    """Bytes of packed panels before the first: of bytes in turns some are read from two bytes before on."""
    return thresholds.LINE_BYTES if any(section.turns == 4 for section in sections) else 0


_PACKED: Mapping[Pack, str] = {
    "flip": "flipped",
    "copy": "copied",
    "widen": "converted",
    "keep": "converted by the first tile",
}


@frozen
class RowTiles:
    """Equal tiles of rows below each other."""

    start: int
    count: int
    height: int


Distances = Literal["in registers", "in the code"]
"""The place of the distances of a tile's rows in x: a tile of products serves all strides, one of taps has its own."""


def tile_rows(arithmetic: Arithmetic, vectors: int, distances: Distances = "in registers", along_k: bool = True) -> int:
    """Rows of a register tile `vectors` wide, at most: what a product takes must fit the registers, too."""
    if arithmetic.by_lane:
        terms = arithmetic.turn_terms if along_k else arithmetic.lanes
        return rows_by_lane(arithmetic, vectors, (None, arithmetic.bytes), terms)
    registers = arithmetic.target.registers
    kind = distances if arithmetic.is_float else "integers"
    table = (
        thresholds.TILE_ROWS[registers][kind] if registers in thresholds.TILE_ROWS else ()
    )  # others are counted, and one is left
    rows = table[vectors - 1] if vectors <= len(table) else (registers - 2 - vectors) // vectors
    if not arithmetic.is_float and arithmetic.bytes != 4:
        rows = thresholds.LONG_PRODUCT_ROWS
    return max(1, min(rows, (registers - 1 - vectors - arithmetic.product_registers) // vectors))


@frozen
class Window:
    """The vector of memory that an element is in."""

    start: int
    """Bytes from where the element's place is counted."""
    lanes: int
    lane: int


def windows(places: Collection[int], size: int, lanes: int) -> dict[int, Window]:
    """Return the vector that each element is loaded in, for machines whose multiply-adds take one lane of a register.

    `places` are where elements of `size` bytes lie. Vectors have `lanes` elements, or fewer where not as many lie one
    behind the other; they reach over these elements alone, the last of them over some that the one before it has.
    """
    windows: dict[int, Window] = {}
    run: list[int] = []
    for place in [*sorted(places), None]:
        if run and place != run[-1] + size:
            wide = min(lanes, 1 << len(run).bit_length() - 1)
            for number, one in enumerate(run):
                first = min(number // wide * wide, len(run) - wide)
                windows[one] = Window(run[first], wide, number - first)
            run = []
        if place is not None:
            run.append(place)
    return windows


def rows_by_lane(
    arithmetic: Arithmetic, vectors: int, strides: tuple[int | None, int], terms: int, most: int = 1
) -> int:
    """Return the most rows of a tile, from `most` on, whose sums, elements of x and two vectors of w fit the registers.

    `strides` are the bytes from one row to the next and from one term; None: rows lie anywhere. A turn has so many
    terms. Vectors of panels that are converted take a register more, and those of pairs the halves of both; elements
    of 16 bits have lanes in half of the registers alone, where other values are, too.
    """
    halves = arithmetic.takes_halves
    free = arithmetic.target.registers - min(vectors, 2) - (arithmetic.packed != arithmetic.accumulate) - 3 * halves
    room = arithmetic.target.registers // (4 if halves else 1)
    while (own := lane_registers(arithmetic, most + 1, strides, terms)) <= room and (most + 1) * vectors + own <= free:
        most += 1
    return most


def lane_registers(arithmetic: Arithmetic, rows: int, strides: tuple[int | None, int], terms: int) -> int:
    """Return the vectors of x that a turn of so many terms and rows takes lanes of."""
    row, term = strides
    if row is None:
        return rows * lane_registers(arithmetic, 1, (0, term), terms)
    places = {number * row + k * term for number in range(rows) for k in range(terms)}
    loaded = windows(places, arithmetic.bytes, arithmetic.lanes).values()
    several, single = ({window.start for window in loaded if (window.lanes > 1) == wide} for wide in (True, False))
    return len(several) + min(len(single), thresholds.SINGLE_ELEMENTS)


@frozen
class Summation:
    """The order in which a tile sums its terms: where it is the same, sums round alike."""

    in_flight: int
    """Sums that are in flight, at least: a tile of fewer has several sets of them, which take terms in turn."""
    unroll: int
    """Terms that a turn of its loop sums, where there is one set. Sums keep their order."""
    parts: int = 0
    """Terms that have a sum of their own, where there are more; 0: there are no parts."""

    def sets(self, rows: int, vectors: int) -> int:
        """Sets of sums of a tile: where there is more than one, terms are summed in another order."""
        return max(1, self.in_flight // (rows * vectors))

    def __str__(self) -> str:
        turns = f", {self.unroll} terms a turn" if self.unroll > 1 else ""
        return f"{self.in_flight} sums in flight{turns}{f', parts of {self.parts} terms' if self.parts else ''}"


def parts_of(terms: int, arithmetic: Arithmetic) -> int:
    """The terms of a part of sums of so many; 0 where they have no parts."""
    return thresholds.SUMMED if arithmetic.is_float and not dims.proven(thresholds.SUMMED - terms, 0) else 0


def summation(terms: int, arithmetic: Arithmetic, along_k: bool) -> Summation:
    """The order in which tiles of products sum so many terms, which lie one behind the other in what is broadcast if
    it is read along k.
    """
    together = arithmetic.turn_terms if along_k else 1
    return Summation(thresholds.LATENCY, max(arithmetic.target.unroll, together), parts_of(terms, arithmetic))


def tile_heights(arithmetic: Arithmetic, rows: int, vectors: int, along_k: bool) -> tuple[int, ...]:
    """Heights of the tiles for `rows` rows: the most rows of one, or, for an unknown number, all that are written.

    Of the last of these, some rows may not be there. Every height is a function to compile. Two and three add up to any
    number, at no more multiplications than there are sums. Narrow tiles, which a product has one of beside the wide
    ones, take a row twice instead.
    """
    tall = tile_rows(arithmetic, vectors, along_k=along_k)
    if not is_symbolic(rows):
        return (tall,)
    if vectors < panel_vectors(arithmetic) and vectors <= 2:
        return (min(tall, thresholds.NARROW_ROWS),)
    return (tall, *thresholds.SHORT_ROWS) if tall > thresholds.SHORT_ROWS[0] else (tall,)


def panel_vectors(arithmetic: Arithmetic) -> int:
    """Width of a panel in vectors, where there are columns enough."""
    return 4 if arithmetic.target.registers >= 32 and (arithmetic.is_float or arithmetic.by_lane) else 2


def gates_beside(vectors: int, gates: int) -> int:
    """Gates that tiles `vectors` wide have side by side: as many as fit, so that equal tiles have all of them."""
    return max(count for count in range(1, min(vectors, gates) + 1) if gates % count == 0)


def row_tiles(total: int, limit: int) -> tuple[RowTiles, ...]:
    """Cut `total` rows into as few tiles as `limit` allows, of two heights that differ by one, the taller first."""
    if total == 0:
        return ()
    tiles = -(-total // limit)
    height = -(-total // tiles)
    tall = total - (height - 1) * tiles
    parts = (RowTiles(0, tall, height), RowTiles(tall * height, tiles - tall, height - 1))
    return tuple(part for part in parts if part.count and part.height)


def column_panels(columns: int, lanes: int, vectors: int, pack: Pack, gates: int = 1) -> tuple[ColumnPanels, ...]:
    """Full panels, then a narrower one; `columns` are those of each gate, `vectors` those of a tile.

    Where its last register is not full, that one is read from before its start, or packed, for lack of columns there.
    """
    sections = _any_sections if is_symbolic(columns) else _sections
    beside = gates_beside(vectors, gates)
    return tuple(
        changed(
            section,
            vectors=section.vectors * beside,
            gates=beside,
            tiles=gates // beside,
            whole=same(section.width, section.vectors * lanes) and not section.ragged,
        )
        for section in sections(columns, lanes, vectors // beside, pack)
    )


def _sections(columns: int, lanes: int, vectors: int, pack: Pack) -> tuple[ColumnPanels, ...]:
    """`column_panels` of a known number of columns."""
    width = vectors * lanes
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
