# SPDX-License-Identifier: Apache-2.0
"""Plan contractions whose lanes are an axis of x, and w's or not: tiles of vectors over a window.

    out[rows][lanes] = sum over s of x[rows + s][lanes] * w[s][lanes]

The lanes of vectors are an axis that x and the result share, and lie one after the other in both. In a *depthwise*
convolution w has that axis, too: no element is broadcast, and there is no product of matrices within. What a tile saves
is loads. Its *rows* are a box of the result, as 2 x 4 pixels; a *turn* goes through a box of the sums, as 3 x 3 taps.
Each vector of x that a turn reads is loaded once, for all rows and sums that it is multiplied for: 24 loads of x for
the 72 multiplications of that tile. How large the boxes are is decided by counting loads and registers (`tile_of`).

Where all sums are one turn, nothing but lanes goes on within a tile: the loop over lanes is the innermost, as memory is
then read from end to end. The gradient by the weight has the window for rows (3 x 3 sums in registers) and pixels for
sums, which a tile's own loops go through.

Where w does not have the lanes, which are then pixels of a line, or images, its elements are *broadcast*, and rows are
pixels and columns of w, as 4 x 6. A turn goes through its sums one after the other: for each, so many vectors of x are
multiplied by so many elements of w.

Lanes may also be an axis that is *summed* over and both operands have: pixels of a line in the gradient by a weight
with few columns. Each sum is then a vector, whose lanes are added up when all else is. Tiles are as for elements of w
that are broadcast.

Parts of the result that see other elements of the window are boxes with tiles of their own, as in tiles over taps.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from typing import Any

from hybridize.base import dims
from hybridize.base.dims import hint, is_symbolic, product, same, text
from hybridize.base.dtypes import is_float
from hybridize.base.frozen import changed, frozen
from hybridize.base.precision import default_precision
from hybridize.loops.contraction import Contraction, Subscript
from hybridize.machine.target import Target
from hybridize.schedule.contraction import thresholds
from hybridize.schedule.contraction.parts import Part
from hybridize.schedule.contraction.plan import ContractionPlan, ElementTypes, factor_text
from hybridize.schedule.homes import Home


@frozen
class LaneAxis:
    """An axis of the contraction as tiles walk it."""

    axis: int
    x: tuple[int, ...]
    """Along each axis of x, the indices from one of a part to the next."""
    w: tuple[int, ...]
    step: int
    """Indices of the whole from one of a part to the next."""


@frozen
class LanePart:
    """A box of the result."""

    x: int
    """The first element of x."""
    w: int
    firsts: tuple[int, ...]
    """The first index of the result, by axis."""
    sizes: tuple[int, ...]
    """Of all axes of the contraction."""


@frozen
class LaneTurn:
    """A turn of a tile, in vectors."""

    x_loads: int
    w_loads: int
    products: int
    sums: int


@frozen
class LaneTiles:
    """Tiles of one kind, and the parts of the result that they compute."""

    rows: tuple[tuple[int, int], ...]
    """Axes of the result, each with its indices in a tile; slowest first. Tiles of a line follow the last one."""
    sums: tuple[tuple[int, int], ...]
    """Axes that are summed over, each with its indices in a turn; slowest first."""
    parts: tuple[LanePart, ...]

    @property
    def can_be_cut(self) -> bool:
        """True if a part may have fewer rows along some axis than a tile has: it is then done row by row."""
        return not all(dims.proven(part.sizes[axis], count) for part in self.parts for axis, count in self.rows)

    def lines(self, part: LanePart) -> int:
        """Lines of tiles of a part."""
        return product((part.sizes[axis] + count - 1) // count for axis, count in self.rows[:-1])


@frozen
class LanePlan(ContractionPlan):
    """The plan of a contraction whose lanes are an axis of x, and of the result or summed over.

    Tiles that have several vectors of sums store as `stores` says.
    """

    lane: int
    """The axis that lies along vectors."""
    length: int
    """Of that axis."""
    axes: tuple[LaneAxis, ...]
    """Of the contraction."""
    x: tuple[int, ...]
    """Elements from one index to the next along each axis of x."""
    w: tuple[int, ...]
    tiles: tuple[LaneTiles, ...]
    by_lanes: bool
    """True if threads share the vectors of lanes; else the lines of all parts."""
    parts: int = 0
    """Terms that have a sum of their own, where there are more, about; 0: there are no parts."""

    @property
    def vectors(self) -> int:
        """Vectors of lanes. The last one ends with the lanes, where these fill one; else, or of sums, it is masked."""
        return (self.length + self.lanes - 1) // self.lanes

    @property
    def is_masked(self) -> bool:
        """True if there may be fewer lanes than a vector has."""
        return not (same(self.length % self.lanes, 0) if self.is_summed else dims.proven(self.length, self.lanes))

    @property
    def is_broadcast(self) -> bool:
        """True if w does not have the lanes: each of its elements is multiplied by whole vectors of x."""
        return not any(self.axes[self.lane].w)

    @property
    def is_summed(self) -> bool:
        """True if lanes are summed over."""
        return self.lane >= len(self.sizes)

    @property
    def is_apart(self) -> bool:
        """True if a turn goes through its sums one after the other."""
        return self.is_broadcast or self.is_summed

    @property
    def units(self) -> int:
        return self.vectors if self.by_lanes else self.lines

    @property
    def lines(self) -> int:
        """Lines of tiles of all parts, one part after the other."""
        return sum((tiles.lines(part) for tiles in self.tiles for part in tiles.parts), 0)

    @property
    def scratch_bytes(self) -> int:
        return 0  # all sums are in registers

    def x_stride(self, axis: int) -> int:
        """Elements of x from one index of an axis to the next."""
        return sum((by * step for by, step in zip(self.axes[axis].x, self.x, strict=True)), 0)

    def w_stride(self, axis: int) -> int:
        """Elements of w from one index of an axis to the next."""
        return sum((by * step for by, step in zip(self.axes[axis].w, self.w, strict=True)), 0)

    def turn(self, tiles: LaneTiles) -> LaneTurn:
        """Count what a turn of tiles does."""
        counted = (*tiles.rows, *tiles.sums)
        factors = tuple((self.axes[axis].x, self.axes[axis].w) for axis, _ in counted)
        return _turn(factors, len(tiles.rows), tuple(count for _, count in counted), self.is_apart)

    def terms(self, tiles: LaneTiles, axes: Sequence[tuple[int, int]]) -> int:
        """Terms of each sum over some axes of tiles, in the call that is compiled."""
        sizes = [max(hint(part.sizes[axis]) for part in tiles.parts) for axis, _ in axes]
        each = zip(axes, sizes, strict=True)
        return math.prod(-(-size // self.lanes) if axis == self.lane else size for (axis, _), size in each)

    def together(self, tiles: LaneTiles, axes: Sequence[tuple[int, int]]) -> int:
        """Indices of the first of some axes whose terms have sums of their own; 0 where it has no such parts."""
        inner = self.terms(tiles, axes[1:])
        return max(1, self.parts // max(1, inner)) if self.terms(tiles, axes) > self.parts >= max(1, inner) else 0

    def __str__(self) -> str:
        def listed(axes: tuple[tuple[int, int], ...]) -> str:
            return " ".join(f"a{axis}:{count}" for axis, count in axes) or "-"

        def steps(stride: Callable[[int], int]) -> str:
            return " ".join(f"a{k}*{factor_text(stride(k))}" for k in range(len(self.axes)) if not same(stride(k), 0))

        units = "vectors" if self.by_lanes else "lines"
        loads = "broadcasts" if self.is_broadcast else "loads"
        masked = f"{', masked' if self.is_masked else ''}{', summed' if self.is_summed else ''}"
        long = any(self.together(tiles, tiles.sums[k:]) for tiles in self.tiles for k in range(len(tiles.sums)))
        parts = f", parts of {self.parts} terms" if long else ""
        lines = [
            f"lanes {self.elements}: a{self.lane}<{text(self.length)}> in {text(self.vectors)} vectors "
            f"of {self.lanes}{masked}, {text(self.units)} {units}{parts}, stores {self.stores}",
            f"  x {steps(self.x_stride)}",
            f"  w {steps(self.w_stride)}",
        ]
        for tiles in self.tiles:
            turn = self.turn(tiles)
            lines.append(
                f"  tiles of {listed(tiles.rows)}, turns of {listed(tiles.sums)}: "
                f"{turn.x_loads} + {turn.w_loads} {loads} for {turn.products} products"
            )
            lines += [f"    {self._part_text(part, tiles)}" for part in tiles.parts]
        return "\n".join(lines)

    def _part_text(self, part: LanePart, tiles: LaneTiles) -> str:
        box = []
        for axis, _ in tiles.rows:
            first, step = text(part.firsts[axis]), self.axes[axis].step
            box.append(f"{first}+{'' if step == 1 else f'{step}*'}{text(part.sizes[axis])}")
        sums = "x".join(text(part.sizes[axis]) for axis, _ in tiles.sums) or "1"
        return f"[{', '.join(box)}] {sums} sums, x from {text(part.x)}, w from {text(part.w)}"


def lane_plan(
    contraction: Contraction, lane: int, parts: Sequence[Part], homes: tuple[Home, Home], target: Target
) -> LanePlan:
    """Tile the parts of a contraction, no index of which leaves x, along a lane that lies close in both homes."""
    elements = ElementTypes(default_precision(contraction.precision.accumulate), contraction.integers)
    first, (x, w) = parts[0], homes
    axes = tuple(
        LaneAxis(axis, _factors(first.contraction.x, axis), _factors(first.contraction.w, axis), first.places[axis][0])
        for axis in range(len(contraction.sizes))
    )
    plan = LanePlan(
        elements=elements, lanes=elements.arithmetic(target).lanes, sizes=contraction.shape, stores="results",
        lane=lane, length=contraction.sizes[lane], axes=axes, x=x.strides, w=w.strides, tiles=(),
        by_lanes=False, parts=thresholds.SUMMED if is_float(contraction.precision.accumulate) else 0,
    )  # fmt: skip
    tiles: dict[Any, tuple[LaneTiles, list[LanePart]]] = {}
    cut = _cut(contraction, parts)
    for part in parts:
        tile = _tiles(plan, part.contraction, cut, contraction.sizes, target)
        one_turn = tuple(axis not in cut and same(part.contraction.sizes[axis], count) for axis, count in tile.sums)
        key = tile.rows, tile.sums, one_turn
        tiles.setdefault(key, (tile, []))[1].append(_box(part, x, w))
    plan = changed(plan, tiles=tuple(changed(tile, parts=tuple(boxes)) for tile, boxes in tiles.values()))
    few = hint(plan.lines) < thresholds.SHARED_LINES and hint(plan.vectors) > hint(plan.lines)
    return changed(plan, by_lanes=few and not plan.is_summed)


def _cut(contraction: Contraction, parts: Sequence[Part]) -> frozenset[int]:
    """The summed axes of which so many parts have not all that each should not have tiles of its own."""
    if len(parts) <= thresholds.CODE_PARTS:
        return frozenset()
    sums = range(contraction.rank, len(contraction.sizes))
    return frozenset(
        axis for axis in sums if any(not same(part.contraction.sizes[axis], contraction.sizes[axis]) for part in parts)
    )


def _factors(subscripts: Sequence[Subscript], axis: int) -> tuple[int, ...]:
    return tuple(index.coefficient(axis) for index in subscripts)


def _box(part: Part, x: Home, w: Home) -> LanePart:
    """A part as tiles compute it."""
    contraction = part.contraction

    def start(subscripts: Sequence[Subscript], home: Home) -> int:
        return sum((index.offset * step for index, step in zip(subscripts, home.strides, strict=True)), home.offset)

    firsts = tuple(first for _, first in part.places[: contraction.rank])
    return LanePart(start(contraction.x, x), start(contraction.w, w), firsts, contraction.sizes)


def _tiles(
    plan: LanePlan, contraction: Contraction, cut: frozenset[int], most: Sequence[int], target: Target
) -> LaneTiles:
    """The tiles of a part, as yet without it.

    A turn has all indices of the sums that come last. Those that the parts have more or less of come first, and one at
    a time: then the same code serves many parts, chosen for the `most` indices that these may have.
    """

    def slowest(axis: int) -> tuple[bool, int, int]:
        stride = abs(hint(plan.x_stride(axis)))
        return stride > 0, -stride, axis

    rank = contraction.rank
    rows = sorted((axis for axis in range(rank) if axis != plan.lane), key=slowest)
    all_sums = range(rank, len(contraction.sizes))
    sums = sorted(all_sums, key=lambda axis: (axis == plan.lane, axis not in cut, slowest(axis)))
    all_sizes = [most[axis] if axis in cut else contraction.sizes[axis] for axis in (*rows, *sums)]
    sizes = tuple((hint(size), is_symbolic(size)) for size in all_sizes)
    if plan.is_summed:  # a turn has one vector of a line
        sizes = (*sizes[:-1], (1, False))
    factors = tuple((plan.axes[axis].x, plan.axes[axis].w) for axis in (*rows, *sums))
    arithmetic = plan.elements.arithmetic(target)
    registers = target.registers - thresholds.OTHER_REGISTERS - arithmetic.product_registers
    boxes = tile_of(sizes, factors, len(rows), registers, plan.is_apart)
    return LaneTiles(
        tuple(zip(rows, boxes[: len(rows)], strict=True)), tuple(zip(sums, boxes[len(rows) :], strict=True)), ()
    )


Factors = tuple[tuple[tuple[int, ...], tuple[int, ...]], ...]
"""For each axis of a tile, the indices of x and of w from one to the next, along each of their axes."""


@lru_cache(4096)
def tile_of(
    sizes: tuple[tuple[int, bool], ...], factors: Factors, rows: int, registers: int, apart: bool = False
) -> tuple[int, ...]:
    """Choose the boxes of a tile and of its turns: of those whose vectors fit the registers, the fastest by estimate.

    `sizes` are those of the axes, rows first, each with True where only the call knows it. `apart`: a turn goes through
    its sums one after the other.
    """
    best, least = (1,) * len(sizes), math.inf
    boxes = _apart_rows(sizes[:rows], factors, registers) if apart else _rows(sizes[:rows], factors, rows)
    for box in boxes:
        for turn in _sums(sizes[rows:]):
            counts = (*box, *turn)
            lane_turn = _turn(factors, rows, counts, apart)
            if not _fits(lane_turn, factors, rows, counts, registers, apart):
                continue
            cycles = _cycles(lane_turn, sizes, rows, counts, factors, apart)
            if cycles < least:
                best, least = counts, cycles
    return best


_COUNTS = range(2, 9)
"""Indices of an axis that a box may have besides one."""


def _rows(sizes: Sequence[tuple[int, bool]], factors: Factors, rows: int) -> Iterator[tuple[int, ...]]:
    """The boxes of rows that may pay: several indices of an axis that windows move along."""
    counts = []
    for axis, (size, _) in enumerate(sizes):
        along = [k for k, by in enumerate(factors[axis][0]) if by]
        moves = any(inner[0][k] for inner in factors[rows:] for k in along)
        some = _COUNTS if axis == rows - 1 else thresholds.BOX_ROWS
        counts.append(
            (1, *(count for count in _COUNTS if moves and count <= size and (count in some or count == size)))
        )
    return itertools.product(*counts)


def _apart_rows(sizes: Sequence[tuple[int, bool]], factors: Factors, registers: int) -> Iterator[tuple[int, ...]]:
    """The boxes of rows that may pay: several indices of axes that one operand has, the other being reused."""
    boxes: list[tuple[int, ...]] = [()]
    for (size, _), (x, w) in zip(sizes, factors, strict=False):
        alone = any(x) != any(w)
        counts = (1, *(count for count in _COUNTS if alone and count <= size))
        boxes = [(*box, count) for box in boxes for count in counts if math.prod(box) * count <= registers]
    return iter(boxes)


def _sums(sizes: Sequence[tuple[int, bool]]) -> Iterator[tuple[int, ...]]:
    """The boxes of sums: all indices of some of the last axes, several of the one before these, one of others."""
    inner: tuple[int, ...] = ()
    for axis in reversed(range(len(sizes))):
        size, unknown = sizes[axis]
        before = (1,) * axis
        yield (*before, 1, *inner)
        for count in _COUNTS:
            if count < size and count % 2 == 0 and count * math.prod(inner) <= thresholds.TURN_SUMS:
                yield (*before, count, *inner)
        if unknown or size * math.prod(inner) > thresholds.TURN_SUMS or size == 0:
            return
        inner = (size, *inner)
    yield inner


def _fits(turn: LaneTurn, factors: Factors, rows: int, counts: Sequence[int], registers: int, apart: bool) -> bool:
    """Tell whether the vectors of a turn fit the registers, and its code is not too long.

    Over several lines of a window, LLVM computes one sum after the other, which takes the elements of a line of x, too.
    """
    inner = counts[rows:]
    if apart:
        # What several sums of a turn see, LLVM keeps in registers; of the next sum it loads x ahead.
        again = turn.x_loads > _turn(factors, rows, counts).x_loads
        long = turn.products > thresholds.APART_PRODUCTS and math.prod(inner) > 1
        each = turn.x_loads // math.prod(inner)
        ahead = turn.sums + 2 * each <= registers + thresholds.OTHER_REGISTERS or math.prod(inner) == 1
        return turn.sums + each <= registers and ahead and not again and not long
    if sum(count > 1 for count in inner) > 1:
        alone = (*(1 for _ in counts[: rows - 1]), counts[rows - 1], *(1 for _ in inner[1:]), inner[-1])
        line = _turn(factors, rows, alone)
        registers = registers - line.x_loads
    long = turn.products > thresholds.TURN_PRODUCTS and math.prod(inner) > 1
    return turn.sums + turn.w_loads <= registers and not long


def _turn(factors: Factors, rows: int, counts: Sequence[int], apart: bool = False) -> LaneTurn:
    """Count what a turn over boxes of rows and sums does."""
    if apart:
        inner = math.prod(counts[rows:])
        one = _turn(factors[:rows], rows, counts[:rows])
        return LaneTurn(one.x_loads * inner, one.w_loads * inner, one.products * inner, one.sums)

    def loads(of: int) -> int:
        count = 1
        for along in range(len(factors[0][of])):
            count *= _different(tuple((by[of][along], n) for by, n in zip(factors, counts, strict=True) if n > 1))
        return count

    return LaneTurn(loads(0), loads(1), math.prod(counts), math.prod(counts[:rows]))


@lru_cache(4096)
def _different(along: tuple[tuple[int, int], ...]) -> int:
    """The number of values of a sum of factor * index, each index below a count."""
    values = {0}
    for by, count in along:
        values = {value + by * index for value in values for index in range(count)} if by else values
    return len(values)


def _cycles(
    turn: LaneTurn,
    sizes: Sequence[tuple[int, bool]],
    rows: int,
    counts: Sequence[int],
    factors: Factors,
    apart: bool,
) -> float:
    """The cycles that all tiles of a part take for one vector of lanes, about."""
    tiles = math.prod(-(-size // count) for (size, _), count in zip(sizes[:rows], counts[:rows], strict=True))
    turns = math.prod(size // count for (size, _), count in zip(sizes[rows:], counts[rows:], strict=True))
    inner = math.prod(counts[rows:])
    rest = math.prod(size for size, _ in sizes[rows:]) - turns * inner
    several = turns + rest > 1
    chain = thresholds.LATENCY * inner if several or apart else 0
    loads = turn.x_loads + turn.w_loads
    each = (
        max(turn.products, loads, chain) / 2
        + loads * thresholds.LOAD_CYCLES
        + (thresholds.TURN_CYCLES if several else 0)
    )
    if rest:
        one = _turn(factors, rows, (*counts[:rows], *(1 for _ in counts[rows:])), apart)
        loads = one.x_loads + one.w_loads
        each_of_rest = (
            max(one.products, loads, thresholds.LATENCY) / 2 + loads * thresholds.LOAD_CYCLES + thresholds.TURN_CYCLES
        )
        return tiles * (turns * each + rest * each_of_rest + turn.sums + thresholds.LANE_TILE_CYCLES)
    return tiles * (turns * each + turn.sums + thresholds.LANE_TILE_CYCLES)


def lane_cycles(plan: LanePlan) -> int:
    """The cycles that a plan takes, about, where everything it reads lies near."""
    total = 0.0
    for tiles in plan.tiles:
        counted = (*tiles.rows, *tiles.sums)
        factors = tuple((plan.axes[axis].x, plan.axes[axis].w) for axis, _ in counted)
        counts = tuple(count for _, count in counted)
        for part in tiles.parts:
            summed = plan.lane if plan.is_summed else -1
            sizes = [(hint(plan.vectors if axis == summed else part.sizes[axis]), False) for axis, _ in counted]
            total += _cycles(plan.turn(tiles), sizes, len(tiles.rows), counts, factors, plan.is_apart)
    return int(total if plan.is_summed else total * hint(plan.vectors))
