# SPDX-License-Identifier: Apache-2.0
"""Plan contractions with windows: a register tile over a table of taps (*batch-reduce* product).

    out[rows][columns] = sum over taps t and terms k of x[row + table[t] + k] * w[t][k][columns]

A *tap* is one position of a window: one value of each summed axis but the innermost, whose terms lie a constant stride
apart in x. Rows are pixels along the innermost axis that x and the result share, a constant stride apart too; columns
are in vectors, from panels into which w was packed, `[group][panel][tap][term][column]`. Sums stay in registers over
all taps and terms. A convolution in a channels-last home is this with terms = channels; a product of matrices is one
tap. Where a panel is more than the second-level cache holds, as of the gradient by a weight, all tiles go over one
*block* of taps after the other, and sums wait in scratch in between.

The *parts* of a result differ in what they see: the phases of a strided gradient, the sides of an image that is read
as it lies. Each is a box of the result, and reads its share of the taps of one packed w. Parts whose tiles are the same
code are lines of a table.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping

from hybridize.base.dims import hint, is_symbolic, known, product, same, text
from hybridize.base.dtypes import DType
from hybridize.base.frozen import changed, frozen
from hybridize.machine.arithmetic import Arithmetic
from hybridize.machine.target import Target
from hybridize.runtime.pool import CHUNKS_EACH
from hybridize.schedule.contraction import thresholds
from hybridize.schedule.contraction.panels import ColumnPanels, Distances, lane_registers, rows_by_lane, tile_rows
from hybridize.schedule.contraction.plan import ContractionPlan, factor_text
from hybridize.schedule.contraction.prologue import Prologue


@frozen
class TapAxis:
    """An axis of the contraction as tiles walk it."""

    axis: int
    """Its number among the axes of the contraction."""
    size: int
    """Of the whole contraction: w is packed over all of it."""
    x: int
    """Elements of x from one index of a part to the next."""
    step: int = 1
    """Indices of the whole from one of a part to the next."""
    w: int = 0
    """From one index of a part to the next: terms of a panel, or elements of the packed w where this is an axis of
    groups."""


@frozen
class TapPart:
    """A box of the result: where it begins, how far it reaches along the axes of its tiles, its terms."""

    start: int
    """The first element of x."""
    group: int
    """Its first element of the packed w, in the first panel."""
    term: int
    """The first term of the panels."""
    firsts: tuple[int, ...]
    """The first index of the result, by axis."""
    lines: tuple[int, ...]
    """Sizes of the axes that are counted outside of the tiles."""
    rows: int
    taps: tuple[int, ...]
    """Sizes of the axes of taps."""
    terms: int

    @property
    def units(self) -> int:
        """Lines of rows."""
        return product(self.lines)

    @property
    def sums(self) -> int:
        """Terms of an element."""
        return product(self.taps) * self.terms


@frozen
class TapTiles:
    """Tiles of one kind, and the parts of the result that they compute."""

    row: TapAxis
    outer: tuple[TapAxis, ...]
    """Axes that are counted outside of the tiles, slowest first: those of rows, and groups of which parts have some."""
    heights: tuple[int, ...]
    """Rows of a tile, for each kind of panels."""
    parts: tuple[TapPart, ...]
    distances: tuple[Distances, ...] = ()
    """The place of the distance between rows in x, for each kind of panels."""

    @property
    def placed(self) -> str:
        """Words for the place of distances."""
        return f"distances {', '.join(dict.fromkeys(self.distances))}"


@frozen
class TapBlocks:
    """Blocks of taps, through which tiles go one after the other."""

    count: int = 1
    outside: bool = False
    """True if all panels go through a block before the next one: x stays near, and the sums of all panels wait."""

    def __str__(self) -> str:
        order = "all panels" if self.outside else "each panel"
        return "" if same(self.count, 1) else f", {order} by {text(self.count)} blocks of taps"


@frozen
class TapPlan(ContractionPlan):
    """The plan of a contraction with windows."""

    groups: tuple[TapAxis, ...]
    """Axes that x, w and the result share, all of them in every part."""
    spread: tuple[TapAxis, ...]
    """Other axes of groups: panels are packed for each, and some parts have some of them."""
    column: TapAxis
    taps: tuple[TapAxis, ...]
    terms: tuple[TapAxis, ...]
    """Axes whose elements lie one after the other in x, counted as one; slowest first."""
    panels: tuple[ColumnPanels, ...]
    tiles: tuple[TapTiles, ...]
    band: int
    """Units that every panel goes through before the next ones: so many keep x and the result near."""
    blocks: TapBlocks
    by_panels: bool = False
    """True if threads share the lines of one panel after the other; else lines, through all panels."""
    parts: int = 0
    """Terms that have a sum of their own, where there are more, about; 0: there are no parts."""
    widens: bool = False
    """True if each panel is converted once, in scratch, for all tiles of a band."""

    @property
    def tap_count(self) -> int:
        """Taps of a panel."""
        return product(axis.size for axis in self.taps)

    @property
    def term_count(self) -> int:
        """Terms of a tap of a panel."""
        return product(axis.size for axis in self.terms)

    @property
    def together(self) -> int:
        """Taps whose terms are summed together, where sums have parts."""
        return max(1, self.parts // max(1, hint(self.term_count)))

    @property
    def columns(self) -> int:
        """Columns of the packed w, those among them that do not exist counted too."""
        return sum((part.count * part.vectors for part in self.panels), 0) * self.lanes

    @property
    def packed_groups(self) -> tuple[TapAxis, ...]:
        """Axes of groups in the order in which panels are packed."""
        return (*self.groups, *self.spread)

    @property
    def packed_elements(self) -> int:
        """Elements of the packed w."""
        return product(axis.size for axis in self.packed_groups) * self.columns * self.tap_count * self.term_count

    @functools.cached_property
    def table_bytes(self) -> int:
        """Scratch for the table; 0 where it is a constant of the code."""
        table = table_of(self)
        return 0 if table.is_constant else (table.numbers * 8 + 63) // 64 * 64

    @property
    def scratch_bytes(self) -> int:
        # The table, then sums that wait, or a panel that was converted.
        if same(self.blocks.count, 1):
            return self.table_bytes + (self._panel_bytes if self.widens else 0)
        widest = max(panels.vectors for panels in self.panels) * self.lanes
        return (
            self.table_bytes
            + self.waiting_rows * (self.columns if self.blocks.outside else widest) * self.elements.itemsize
        )

    @property
    def _panel_bytes(self) -> int:
        """Bytes of the widest panel, converted."""
        widest = max(panels.vectors for panels in self.panels) * self.lanes
        return (self.tap_count * self.term_count * widest * self.elements.itemsize + 63) // 64 * 64

    @property
    def waiting_rows(self) -> int:
        """Rows of sums that wait while a band goes through its blocks, each tile's for itself."""
        parts = [(part, max(tiles.heights)) for tiles in self.tiles for part in tiles.parts]
        return sum((self.held_lines(part) * (part.rows + height) for part, height in parts), 0)

    def held_lines(self, part: TapPart) -> int:
        """Lines of a part that a band has at most."""
        most = hint(part.units) <= hint(self.band) and not is_symbolic(part.units)
        return part.units if most or same(self.band, self.lines) else self.band

    @property
    def lines(self) -> int:
        """Lines of rows of all parts, one part after the other."""
        return sum((part.units for tiles in self.tiles for part in tiles.parts), 0)

    @property
    def panel_count(self) -> int:
        """Panels of all widths."""
        return sum((panels.count for panels in self.panels), 0)

    @property
    def units(self) -> int:
        return self.panel_count * self.lines if self.by_panels else self.lines

    def __str__(self) -> str:
        def listed(axes: tuple[TapAxis, ...]) -> str:
            return " ".join(f"a{axis.axis}<{text(axis.size)}>*{factor_text(axis.x)}" for axis in axes) or "-"

        lines = [
            f"taps {self.elements}: groups {listed(self.packed_groups)}",
            f"  sum over {listed(self.taps)} then {listed(self.terms)}{self._parts}",
        ]
        for panels in self.panels:
            far = [
                *([f"fetched {panels.ahead} bytes ahead"] if panels.ahead else []),
                *([f"{panels.share} bytes of the next a row, {panels.lines} lines a turn"] if panels.share else []),
            ]
            lines.append(
                f"  columns a{self.column.axis} from {panels.start}: {text(panels.count)} panels of {panels.vectors} "
                f"vectors of {self.lanes}, {', '.join([f'{panels.unroll} terms a turn', *far])}"
            )
        panel, prologue = self.elements.panel, self.elements.prologue
        if panel is not None:
            lines[0] += f"; panels of {panel.name}{', each converted to scratch' if self.widens else ''}"
            lines += [str(prologue)] if prologue is not None else []
        words = f"{', threads share panels' if self.by_panels else ''}, stores {self.stores}"
        lines.append(f"  bands of {text(self.band)} of {text(self.lines)} lines{self.blocks}{words}")
        for tiles in self.tiles:
            heights = ", ".join(map(str, tiles.heights))
            lines.append(f"  tiles of {heights} rows, {listed((*tiles.outer, tiles.row))}, {tiles.placed}")
            lines += [f"    {_part_text(part, tiles)}" for part in tiles.parts]
        return "\n".join(lines)

    @property
    def _parts(self) -> str:
        return f", parts of {self.together} taps and {self.parts} terms at most" if self.parts else ""


def _part_text(part: TapPart, tiles: TapTiles) -> str:
    """A part: the box of the result, the sums of an element, where they begin."""
    box = []
    for axis, size in zip((*tiles.outer, tiles.row), (*part.lines, part.rows), strict=True):
        first, step = text(part.firsts[axis.axis]), axis.step
        box.append(f"{first}+{'' if step == 1 else f'{step}*'}{text(size)}")
    taps = "x".join(map(text, part.taps)) or "1"
    sums = f"{taps} taps of {text(part.terms)} terms from {text(part.term)}"
    return f"[{', '.join(box)}] {sums}, x from {text(part.start)}"


@frozen
class TapTable:
    """The numbers that tiles read: lists of taps, and what parts of the same tiles do not share."""

    taps: tuple[TapAxis, ...]
    lists: tuple[tuple[tuple[int, ...], int], ...]
    """For each list the sizes of its axes, and its place. A tap is two numbers: its distance in x, in bytes of
    elements, and in terms of the panel."""
    shared: tuple[dict[str, int], ...]
    """For each of the plan's tiles, what all of its parts share, by names: fields of `TapPart`, the place of the list
    of taps, the units before the part, and its first row of sums that wait."""
    varying: tuple[dict[str, list[int]], ...]
    """For each of the plan's tiles, numbers of each part."""
    places: tuple[int, ...]
    """For each of the plan's tiles, the place of its first part's numbers; those of the next part follow."""
    numbers: int
    """Of all of it."""

    @property
    def is_constant(self) -> bool:
        """True if it is text of the code: known beforehand, and not long."""
        if is_symbolic(self.numbers) or self.numbers > thresholds.TABLE_NUMBERS:
            return False
        varying = (number for fields in self.varying for numbers in fields.values() for number in numbers)
        lists = (size for sizes, _ in self.lists for size in sizes)
        return known((*varying, *lists, *(axis.x for axis in self.taps), *(axis.w for axis in self.taps)))


def table_of(plan: TapPlan) -> TapTable:
    """Lay out the table of a plan."""
    places: dict[tuple[int, ...], int] = {}
    end = rows = before = 0
    for sizes in dict.fromkeys(part.taps for tiles in plan.tiles for part in tiles.parts):
        places[sizes] = end
        end = end + 2 * product(sizes)
    shared: list[dict[str, int]] = []
    varying: list[dict[str, list[int]]] = []
    begins = []
    for tiles in plan.tiles:
        offsets, begin = [], []
        for part in tiles.parts:
            offsets.append(0 if same(plan.blocks.count, 1) else rows)
            rows = rows + plan.held_lines(part) * (part.rows + max(tiles.heights))
            begin.append(before)
            before = before + part.units
        fields = _fields(tiles, places) | {"held": offsets, "before": begin}
        shared.append({name: each[0] for name, each in fields.items() if all(same(one, each[0]) for one in each)})
        varying.append({name: each for name, each in fields.items() if name not in shared[-1]})
        begins.append(end)
        end = end + len(tiles.parts) * len(varying[-1])
    return TapTable(plan.taps, tuple(places.items()), tuple(shared), tuple(varying), tuple(begins), end)


def _fields(tiles: TapTiles, places: Mapping[tuple[int, ...], int]) -> dict[str, list[int]]:
    """The numbers of parts, by names."""
    parts = tiles.parts
    fields = {
        "start": [part.start for part in parts],
        "group": [part.group for part in parts],
        "term": [part.term for part in parts],
        "rows": [part.rows for part in parts],
        "list": [places[part.taps] for part in parts],
        "taps": [product(part.taps) for part in parts],
        "terms": [part.terms for part in parts],
    }
    for axis in range(len(parts[0].firsts)):
        fields[f"first{axis}"] = [part.firsts[axis] for part in parts]
    for number in range(len(tiles.outer)):
        fields[f"line{number}"] = [part.lines[number] for part in parts]
    return fields


_WIDTHS = range(1, 5)
"""Vectors of a panel that are considered; the last where there are registers enough."""


def tap_panels(
    columns: int, rows: int, strides: tuple[int, int], sums: tuple[int, int], arithmetic: Arithmetic
) -> tuple[ColumnPanels, ...]:
    """Choose panels for so many columns and rows; `sums` are taps and terms of a tap.

    `strides` are the bytes from one row to the next, and from one term.
    """
    lanes, target = arithmetic.lanes, arithmetic.target
    vectors = -(-hint(columns) // lanes)
    best = min(
        (width for width in _WIDTHS if width <= vectors and (target.registers >= 32 or width < _WIDTHS[-1])),
        key=lambda width: (_cost(vectors, width, rows, strides, hint(sums[1]), arithmetic), -width),
    )
    parts = [(0, vectors // best, best), (vectors // best * best, 1, vectors % best)]
    if target.by_lane and parts[0][1] > 1 and not parts[1][2] and not same(columns % lanes, 0):
        # The last panel, of whose last vector fewer columns exist, has code of its own.
        parts = [(0, vectors // best - 1, best), (vectors - best, 1, best)]
    if is_symbolic(columns):
        parts = [(0, (columns + best * lanes - 1) // (best * lanes), best)]
    panels = []
    for start, count, width in parts:
        if width and not same(count, 0):
            taps, terms = map(hint, sums)
            height = tile_height(width, rows, strides, _together(strides, terms, arithmetic), arithmetic)
            unroll = _unrolled(strides, height, width, terms, arithmetic)
            tall = target.registers >= 32 and height > thresholds.FAR_ROWS
            far = taps * terms * width * target.vector_bytes > target.l1_bytes // 2
            ahead = thresholds.TAP_AHEAD_BYTES if tall and far else 0
            panels.append(ColumnPanels(start * lanes, count, width, width * lanes, "", unroll=unroll, ahead=ahead))
    return tuple(panels)


def _unrolled(strides: tuple[int, int], height: int, width: int, terms: int, arithmetic: Arithmetic) -> int:
    """Choose the terms of a turn.

    Where rows see the same elements within a turn, LLVM keeps these in registers. That is best for a whole run of few
    terms, as a line of a window over neighbouring pixels, whose rows are then loaded once for all of them; where sums
    need the registers, a turn is one term.
    """
    target = arithmetic.target
    if arithmetic.by_lane and known(strides):
        free = target.registers - height * width - min(width, 2)
        several = terms, arithmetic.turn_terms, arithmetic.lanes
        counts = {count for count in several if count <= min(terms, thresholds.TURN_TERMS)}
        counts = {count for count in counts if lane_registers(arithmetic, height, strides, count) <= free}
        return max(counts, default=1) if same(strides[1], arithmetic.bytes) else 1
    if target.unroll == 1:
        return 1
    unroll = min(thresholds.TAP_TERMS, max(1, terms))
    if len(_places(strides, height, unroll)) == height * unroll:
        return unroll
    few = [count for count in (terms, unroll) if count <= thresholds.TURN_TERMS]
    fits = (count for count in few if len(_places(strides, height, count)) + (height + 2) * width < target.registers)
    return next(fits, 1)


def _places(strides: tuple[int, int], height: int, unroll: int) -> set[int]:
    """The places, in bytes, that the rows of a tile see in a turn."""
    row, term = map(hint, strides)
    return {i * row + k * term for i in range(height) for k in range(unroll)}


def _cost(vectors: int, width: int, rows: int, strides: tuple[int, int], terms: int, arithmetic: Arithmetic) -> float:
    """Cycles of one term of all rows and columns, about, and the calls of tiles that they take."""
    total = 0.0
    for count, wide in ((vectors // width, width), (1, vectors % width)):
        if wide:
            together = _together(strides, terms, arithmetic)
            height = tile_height(wide, rows, strides, together, arithmetic)
            tiles = -(-hint(rows) // height)
            products: float = height * wide
            if together > 1 and known(strides) and strides[0] >= together * strides[1]:  # each row has its own loads
                products += wide / 2 + lane_registers(arithmetic, height, strides, together) / together
            total += (
                count * tiles * (max(products, height + wide, thresholds.LATENCY) / 2 + thresholds.TILE_TERM_CYCLES)
            )
    return total


def cycles(plan: TapPlan, target: Target) -> int:
    """The cycles that a plan takes, about, where everything it reads lies in the second-level cache."""
    total = 0
    for tiles in plan.tiles:
        for number, panels in enumerate(plan.panels):
            height = tiles.heights[number]
            term = max(height * panels.vectors, height + panels.vectors, thresholds.LATENCY) // 2
            nbytes = panels.vectors * plan.lanes * plan.elements.itemsize
            for part in tiles.parts:
                count = hint(panels.count) * hint(part.units) * -(-hint(part.rows) // height)
                far = hint(part.sums) * nbytes > target.l1_bytes
                total += count * (
                    hint(part.sums) * max(term, nbytes // thresholds.L2_PANEL_BYTES if far else 0)
                    + thresholds.TILE_CYCLES
                )
    return total * hint(product(axis.size for axis in plan.groups))


def _together(strides: tuple[int, int], terms: int, arithmetic: Arithmetic) -> int:
    """Choose the terms of a turn that a tile has room for, at least: those of a vector of a row, unless rows that lie
    one behind the other fill vectors by themselves.
    """
    walks = same(strides[1], arithmetic.bytes) and not same(strides[0], arithmetic.bytes)
    return min(terms, arithmetic.turn_terms) if walks else 1


def tile_height(width: int, rows: int, strides: tuple[int, int], together: int, arithmetic: Arithmetic) -> int:
    """Rows of a tile, so many terms `together` in a turn: of the fewest tiles of a line the lowest, so that rows done
    twice are few.
    """
    limit = tile_rows(arithmetic, width, "in the code")
    if arithmetic.by_lane and known(strides):
        limit = rows_by_lane(arithmetic, width, strides, together)
    if not arithmetic.is_float and arithmetic.lanes == 2:
        limit = min(limit, thresholds.WHOLE_PAIRS // width)
    if hint(strides[0]) >= thresholds.FAR_ROW_BYTES:
        limit = min(limit, thresholds.FAR_ROWS)
    count = max(1, hint(rows))
    if is_symbolic(rows):
        return min(limit, thresholds.FAR_ROWS)
    tiles = -(-count // limit)
    return -(-count // tiles)


def row_distances(strides: tuple[int, int], height: int, unroll: int, target: Target) -> Distances:
    """Choose the place of the distance between the rows of a tile, `strides` being the bytes to the next row and term.

    In a register it is an argument, and functions serve all of them. It stays in the code where rows see the same
    elements within a turn, which LLVM then loads once; where an address has no room for a register, or there are not
    enough for the multiples of it.
    """
    term = strides[1]
    walks = known((term,)) and not same(term, 0)
    if target.processor != "x86_64" or not walks or height > thresholds.DISTANT_ROWS:
        return "in the code"
    return "in registers" if unroll == 1 or len(_places(strides, height, unroll)) == height * unroll else "in the code"


def tap_blocks(plan: TapPlan, x_bytes: int, target: Target) -> TapBlocks:
    """Choose the blocks of a plan, whose x is so large: one where a panel stays near from tile to tile by itself."""
    part = max((part for tiles in plan.tiles for part in tiles.parts), key=lambda part: hint(part.sums * part.units))
    tiles = next(tiles for tiles in plan.tiles if part in tiles.parts)
    sums, taps, near = hint(part.sums), product(part.taps), target.l2_bytes // 4
    panel_bytes = sums * max(panels.vectors for panels in plan.panels) * plan.lanes * plan.elements.itemsize
    rows = sum(hint(one.units * one.rows) for kind in plan.tiles for one in kind.parts)
    # A tap of a gradient by a weight reads a part of x, so blocks cut that, too; one of a convolution reads all of it.
    is_cut = rows * hint(part.terms) * plan.elements.itemsize < x_bytes
    if is_cut:
        # Each tile goes over all pixels: of x it takes a line each, and all at one distance, so that they share few
        # sets of the cache and fill as much of it as lies between the first and the last.
        reach = min(sums * abs(hint(plan.terms[-1].x)) * plan.elements.itemsize, x_bytes)
        wanted = -(-max(panel_bytes, x_bytes) // near) if panel_bytes + reach > 3 * near else 1
    else:
        # The next panel comes meanwhile. Measured: of 2 MiB, 1.1 MiB are read again and again at full speed.
        far = hint(plan.packed_elements) * plan.elements.itemsize > 2 * near
        wanted = -(-2 * panel_bytes // (2 * near - min(x_bytes, near))) if far else 1
    if wanted == 1 or rows <= max(tiles.heights):
        return TapBlocks()
    taps_each = max(1, hint(taps) // max(1, min(wanted, sums // thresholds.BLOCK_TERMS)))
    count = (taps + taps_each - 1) // taps_each
    panels = hint(sum((panels.count for panels in plan.panels), 0))
    # All panels read x again where it does not stay near; or all sums go through memory for each block.
    again = (panels - 1) * x_bytes if is_cut and x_bytes > near else 0
    return TapBlocks(count, again > 2 * hint(count) * rows * hint(plan.columns) * plan.elements.itemsize)


def block_band(plan: TapPlan, target: Target) -> int:
    """Choose the lines whose sums wait together near the tiles."""
    width = max(panels.vectors for panels in plan.panels) * plan.lanes * plan.elements.itemsize
    parts = [(part, max(tiles.heights)) for tiles in plan.tiles for part in tiles.parts]
    nbytes = max(1, sum(hint(part.units * (part.rows + height)) for part, height in parts) * width)
    lines = hint(plan.lines) * target.l2_bytes // 8 // nbytes
    return plan.lines if lines >= hint(plan.lines) else max(1, lines)


def narrowed(plan: TapPlan, stored: DType, prologue: Prologue | None) -> TapPlan:
    """The plan with panels of elements as they are stored, which tiles convert, or a panel at a time for many tiles."""
    rows = max(
        sum(hint(part.units) * -(-hint(part.rows) // max(tiles.heights)) for part in tiles.parts)
        for tiles in plan.tiles
    )
    widens = rows > thresholds.CONVERTED_TILES and same(plan.blocks.count, 1) and not plan.spread
    panels = plan.panels
    if widens:
        panels = tuple(changed(one, ahead=0, share=0, lines=0, step=0) for one in panels)
    elements = changed(plan.elements, panel=stored, prologue=prologue)
    return changed(plan, elements=elements, widens=widens, panels=panels)


def shared_by(plan: TapPlan, x_bytes: int, threads: int, target: Target) -> TapPlan:
    """Choose what threads share: lines of rows, each of whose ranges reads all panels, or the lines of one panel after
    the other, each of whose ranges reads all of x, which is so large.
    """
    if is_symbolic(plan.lines) or is_symbolic(plan.panel_count) or plan.panel_count < 2:
        return plan
    work, w_bytes = cycles(plan, target), hint(plan.packed_elements) * plan.elements.itemsize

    def duration(units: int, again: int) -> float:
        """The cycles of the thread that has most to do, about."""
        ranges = min(units, CHUNKS_EACH * threads)
        rate = thresholds.L2_CORE_BYTES if again <= target.l2_bytes // 2 else thresholds.SHARED_CORE_BYTES
        return work * -(-units // threads) / units + again * ranges / threads / rate

    by_panels = duration(plan.panel_count * plan.lines, x_bytes) < duration(plan.lines, w_bytes)
    return changed(plan, by_panels=True) if by_panels else plan
