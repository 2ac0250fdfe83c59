# SPDX-License-Identifier: Apache-2.0
"""Give each axis of a contraction its part in the tiles, and find the homes that its operands would best have.

The first operand is broadcast, an element at a time, and may have windows; the second is packed into panels. They
change places where only the second has windows, or only the first has columns.

Where windows move over the first operand and the second one has no axis of its own that fills vectors, lanes are an
axis that both have, as in depthwise convolution, or one that only the first has, as the pixels of a line where there
are few channels, or one that is summed over, as those pixels in the gradient by such a weight (`contraction.lanes`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any

from hybridize.base import dims
from hybridize.base.dims import Size, hint, is_symbolic, same
from hybridize.base.dtypes import DType, bool_
from hybridize.base.frozen import changed, frozen
from hybridize.base.memo import remembered
from hybridize.base.precision import default_precision
from hybridize.base.types import Shape
from hybridize.loops.contraction import Contraction, Role, Subscript, extent, outside, roles
from hybridize.machine.arithmetic import Arithmetic
from hybridize.machine.target import Target
from hybridize.schedule.contraction import taps as tap_plans
from hybridize.schedule.contraction import thresholds
from hybridize.schedule.contraction.borders import borders, share_inside
from hybridize.schedule.contraction.lanes import LanePlan, lane_cycles, lane_plan
from hybridize.schedule.contraction.panels import ColumnPanels, parts_of
from hybridize.schedule.contraction.parts import Part
from hybridize.schedule.contraction.phases import phases
from hybridize.schedule.contraction.plan import ElementTypes
from hybridize.schedule.homes import Halo, Home, in_order, no_halo, ordered, wider


@frozen
class Arrangement:
    """A contraction with the parts of its axes."""

    contraction: Contraction
    """Its operands in the order in which the tiles take them."""
    swapped: bool
    """True if that is not the order of the node."""
    shapes: tuple[Shape, Shape]
    groups: tuple[int, ...]
    rows: tuple[int, ...]
    column: int
    """The axis along the lanes of vectors."""
    along: Role
    """Of that axis. Of columns, w is packed into panels and x is broadcast; of rows, w is broadcast; of a batch, and of
    sums, nothing is. The lanes of sums are added up in the end."""
    sums: tuple[int, ...]
    phases: tuple[Part, ...]
    """Its parts, whose indices are not divided: each has tiles of its own."""
    halo: Halo
    """Elements beyond x that indices of any phase reach, before and after, on each of its axes."""

    @property
    def windows(self) -> tuple[Subscript, ...]:
        """The indices of x along which windows move: those of rows and other axes together."""
        return tuple(
            index for index in self.contraction.x if len(index.terms) > 1 and not set(self.rows).isdisjoint(index.axes)
        )

    @property
    def has_windows(self) -> bool:
        """True if windows move over x."""
        return bool(self.windows)

    @property
    def needs_halo(self) -> bool:
        """True if indices of x leave it."""
        return any(before or after for before, after in self.halo)

    @property
    def is_shared(self) -> bool:
        """True if lanes are an axis that both operands have."""
        return self.along in (Role.BATCH, Role.SUM)

    @property
    def has_panels(self) -> bool:
        """True if lanes are an axis of w alone, which is packed into panels."""
        return self.along is Role.COLUMN

    def is_like(self, other: Arrangement) -> bool:
        """Tell whether the same kind of tiles computes another contraction of the operands in this order."""
        return not other.swapped and self.along == other.along

    def operand_order(self) -> tuple[int, ...]:
        """The axes of x, slowest first, as tiles would have them: channels last, or where lanes are rows, these."""
        if self.along in (Role.ROW, Role.SUM):
            return _last(range(len(self.contraction.x)), self._lane_of(self.contraction.x))
        order = _channels_last([index in self.windows for index in self.contraction.x])
        return _last(order, self._lane_of(self.contraction.x)) if self.is_shared else order

    def second_order(self) -> tuple[int, ...]:
        """The axes of w, slowest first, as tiles read it where both operands have the lanes: these last."""
        return _last(range(len(self.contraction.w)), self._lane_of(self.contraction.w))

    def _lane_of(self, subscripts: Sequence[Subscript]) -> int:
        """The axis of an operand along which the lanes lie."""
        return next(k for k, index in enumerate(subscripts) if self.column in index.axes)

    def result_order(self) -> tuple[int, ...]:
        """The axes of the result, slowest first, as tiles would store them: lanes last."""
        if self.along is Role.SUM:
            return tuple(range(self.contraction.rank))
        if self.along is Role.ROW:
            return _last(range(self.contraction.rank), self.column)
        moving = {axis for index in self.windows for axis in index.axes}
        order = _channels_last([axis in moving for axis in range(self.contraction.rank)])
        return (*(axis for axis in order if axis != self.column), self.column)


def _last(order: Iterable[int], axis: int) -> tuple[int, ...]:
    """An order of axes with one of them last."""
    return (*(one for one in order if one != axis), axis)


def _channels_last(moves: Sequence[bool]) -> tuple[int, ...]:
    """Axes of images in order, those of pixels (which windows move over) before all others but the first."""
    pixels = [axis for axis, moving in enumerate(moves) if moving]
    others = [axis for axis, moving in enumerate(moves) if not moving]
    if not pixels or not others or pixels[0] < others[0]:
        return (*pixels, *others)
    return (others[0], *pixels, *others[1:])


@remembered
def arrangement(contraction: Contraction, shapes: tuple[Shape, Shape], lanes: int) -> Arrangement | None:
    """Find the parts of the axes; None where tiles do not suit the contraction, which is then a loop of folds."""
    # An operand without elements has no memory; where indices leave it, the result may have elements yet.
    empty = any(same(size, 0) for size in (*contraction.sizes, *shapes[0], *shapes[1]))
    if empty or contraction.precision.accumulate == bool_:
        return None
    tiled, shared, rows = (_either(one, contraction, shapes, lanes) for one in (_arranged, _shared, _along_rows))
    best = tiled or shared
    if tiled is not None and shared is not None:
        best = tiled if 2 * hint(contraction.sizes[tiled.column]) >= lanes else shared
    if best is None or (rows is not None and _is_fuller(rows, best, lanes)):
        best = rows
    summed = _either(_along_sums, contraction, shapes, lanes)
    if best is None or summed is None or best is rows:
        return best or summed
    return summed if _is_fuller(summed, best, lanes) else best


def _is_fuller(one: Arrangement, other: Arrangement, lanes: int) -> bool:
    """Tell whether one arrangement uses so many more lanes than another that it is better."""
    return _lane_share(one, lanes) >= thresholds.FULLER_TIMES * _lane_share(other, lanes)


def _lane_share(arranged: Arrangement, lanes: int) -> float:
    """The share of lanes that are in use."""
    return _share(hint(arranged.contraction.sizes[arranged.column]), lanes)


def _share(size: int, lanes: int) -> float:
    return size / (-(-size // lanes) * lanes)


def _either(
    arranged: Callable[[Contraction, tuple[Shape, Shape], bool, int], Arrangement | None],
    contraction: Contraction,
    shapes: tuple[Shape, Shape],
    lanes: int,
) -> Arrangement | None:
    """Arrange a contraction by either operand in the place of the first."""
    result = arranged(contraction, shapes, False, lanes)
    if result is not None:
        return result
    turned = changed(contraction, x=contraction.w, w=contraction.x)
    return arranged(turned, (shapes[1], shapes[0]), True, lanes)


def _arranged(contraction: Contraction, shapes: tuple[Shape, Shape], swapped: bool, lanes: int) -> Arrangement | None:
    sizes = contraction.sizes
    if any(len(index.terms) > 1 for index in contraction.w) or any(outside(contraction.w, sizes, shapes[1])):
        return None
    parts = phases(contraction) if all(same(index.divisor, 1) for index in contraction.w) else None
    halo = None if parts is None else _halo_of(parts, shapes[0])
    columns = [axis for axis, role in enumerate(roles(contraction)) if role is Role.COLUMN]
    rows = [axis for axis, role in enumerate(roles(contraction)) if role is Role.ROW]
    if parts is None or halo is None or not columns or not rows:
        return None
    wide = [axis for axis in columns if hint(sizes[axis]) * thresholds.EMPTY_LANES >= lanes]
    if not wide:
        return None
    column = max(wide, key=lambda axis: (not is_symbolic(sizes[axis]), min(hint(sizes[axis]), lanes), axis))
    return _arrangement(contraction, swapped, shapes, rows, (column, Role.COLUMN), (parts, halo))


def _arrangement(
    contraction: Contraction,
    swapped: bool,
    shapes: tuple[Shape, Shape],
    rows: Sequence[int],
    lanes: tuple[int, Role],
    moved: tuple[tuple[Part, ...], Halo],
) -> Arrangement:
    """Make an arrangement: axes of the result that are neither rows nor lanes are groups."""
    rank, (lane, role), (parts, halo) = contraction.rank, lanes, moved
    groups = tuple(axis for axis in range(rank) if axis != lane and axis not in rows)
    sums = tuple(range(rank, len(contraction.sizes)))
    return Arrangement(
        contraction=contraction, swapped=swapped, shapes=shapes, groups=groups, rows=tuple(rows), column=lane,
        along=role, sums=sums, phases=parts, halo=halo,
    )  # fmt: skip


def _moved(contraction: Contraction, shapes: tuple[Shape, Shape]) -> tuple[tuple[Part, ...], Halo] | None:
    """Return the parts of axes where windows move over x, and their halo; None where w is not read as it is."""
    if any(outside(contraction.w, contraction.sizes, shapes[1])) or not _are_known(contraction):
        return None
    parts = phases(contraction)
    halo = None if parts is None else _halo_of(parts, shapes[0])
    return None if parts is None or halo is None else (parts, halo)


def _roles_and_rows(contraction: Contraction) -> tuple[tuple[Role, ...], tuple[int, ...]]:
    axis_roles = roles(contraction)
    return axis_roles, tuple(axis for axis, role in enumerate(axis_roles) if role is Role.ROW)


def _shared(contraction: Contraction, shapes: tuple[Shape, Shape], swapped: bool, lanes: int) -> Arrangement | None:
    """The parts of axes where windows move over x, and the lanes of vectors are an axis that both operands have."""
    sizes, rank, moved = contraction.sizes, contraction.rank, _moved(contraction, shapes)
    axis_roles, rows = _roles_and_rows(contraction)
    if moved is None or any(role is Role.COLUMN and not same(sizes[axis], 1) for axis, role in enumerate(axis_roles)):
        return None
    wide = [
        axis
        for axis, role in enumerate(axis_roles)
        if role is Role.BATCH
        and hint(sizes[axis]) * thresholds.EMPTY_LANES >= lanes
        and _is_alone(axis, contraction.x, sizes)
        and _is_alone(axis, contraction.w, sizes)
    ]
    if not wide:
        return None
    lane = max(wide, key=lambda axis: (not is_symbolic(sizes[axis]), min(hint(sizes[axis]), lanes), axis))
    result = _arrangement(contraction, swapped, shapes, rows, (lane, Role.BATCH), moved)
    return result if any(_moves(index, sizes, rank) for index in contraction.x) else None


def _along_rows(contraction: Contraction, shapes: tuple[Shape, Shape], swapped: bool, lanes: int) -> Arrangement | None:
    """The parts of axes where windows move over x, and the lanes of vectors are an axis that w does not have.

    Of a line of pixels, or of images if these fill many more lanes.
    """
    sizes, rank, moved = contraction.sizes, contraction.rank, _moved(contraction, shapes)
    axis_roles, rows = _roles_and_rows(contraction)
    columns = [axis for axis, role in enumerate(axis_roles) if role is Role.COLUMN]
    if moved is None or not columns:
        return None
    wide = [axis for axis in rows if hint(sizes[axis]) * thresholds.EMPTY_LANES >= lanes]
    wide = [axis for axis in wide if _is_in_line(axis, contraction.x, moved[0], rank)]
    if not wide or not any(_moves(index, sizes, rank) for index in contraction.x):
        return None
    lane = _in_line(wide, contraction, shapes[0], lanes)
    return _arrangement(contraction, swapped, shapes, rows, (lane, Role.ROW), moved)


def _along_sums(contraction: Contraction, shapes: tuple[Shape, Shape], swapped: bool, lanes: int) -> Arrangement | None:
    """The parts of axes where windows move over x, and the lanes of vectors are an axis that is summed over.

    As the pixels of a line in the gradient by a weight. Long sums only: lanes are added up in the end.
    """
    sizes, rank, moved = contraction.sizes, contraction.rank, _moved(contraction, shapes)
    axis_roles, rows = _roles_and_rows(contraction)
    if moved is None or not rows or Role.COLUMN not in axis_roles:
        return None
    terms = math.prod(hint(size) for size in sizes[rank:])
    wide = [
        axis
        for axis in range(rank, len(sizes))
        if _is_summed_in_line(axis, contraction, moved[0])
        and terms // hint(sizes[axis]) * -(-hint(sizes[axis]) // lanes) >= thresholds.SUMMED_VECTORS
    ]
    if not wide or not any(_moves(index, sizes, rank) for index in contraction.x):
        return None
    lane = _in_line(wide, contraction, shapes[0], lanes)
    return _arrangement(contraction, swapped, shapes, rows, (lane, Role.SUM), moved)


def _in_line(wide: Sequence[int], contraction: Contraction, shape: Shape, lanes: int) -> int:
    """Choose lanes among axes: that of the pixels of a line, the last one of x, or another if it is much fuller.

    Lanes are as full as what they multiply counts: those of a line see its halo too, which images would leave out.
    """
    places = {axis: place for place, index in enumerate(contraction.x) for axis in index.axes}
    sizes, rank = contraction.sizes, contraction.rank

    def share(axis: int) -> float:
        index, size = contraction.x[places[axis]], shape[places[axis]]
        return _share(hint(sizes[axis]), lanes) * share_inside(index, size, sizes, rank)

    chosen = max(wide, key=lambda axis: places[axis])
    for axis in wide:
        if share(axis) >= thresholds.FULLER_IMAGES_TIMES * share(chosen):
            chosen = axis
    return chosen


def _is_summed_in_line(axis: int, contraction: Contraction, parts: Sequence[Part]) -> bool:
    """Tell whether neighbours along an axis that is summed over are neighbours in both operands, in every part."""
    having = [index for index in contraction.x if axis in index.axes]
    if len(having) != 1 or not same(having[0].divisor, 1) or having[0].coefficient(axis) != 1:
        return False
    alone = all(one == axis or one < contraction.rank for one in having[0].axes)
    alone = alone and _is_alone(axis, contraction.w, contraction.sizes)
    return alone and all(part.places[axis] == (1, 0) for part in parts)


def _is_in_line(axis: int, subscripts: Sequence[Subscript], parts: Sequence[Part], rank: int) -> bool:
    """Tell whether neighbours along an axis of the result see neighbours of x, in every part."""
    having = [index for index in subscripts if axis in index.axes]
    if len(having) != 1 or not same(having[0].divisor, 1) or having[0].coefficient(axis) != 1:
        return False
    alone = all(one == axis or one >= rank for one in having[0].axes)
    return alone and all(part.places[axis] == (1, 0) for part in parts)


def _are_known(contraction: Contraction) -> bool:
    """Tell whether all that subscripts multiply and divide by is known."""
    both = (*contraction.x, *contraction.w)
    return dims.known(by for index in both for by in (index.divisor, *(by for _, by in index.terms)))


def _is_alone(axis: int, subscripts: Sequence[Subscript], sizes: Sequence[int]) -> bool:
    """Tell whether one axis of an operand is that of the contraction, and no other one depends on it."""
    having = [index for index in subscripts if axis in index.axes]
    if len(having) != 1 or not same(having[0].divisor, 1) or having[0].coefficient(axis) != 1:
        return False
    return all(one == axis or same(sizes[one], 1) for one in having[0].axes)


def _moves(index: Subscript, sizes: Sequence[int], rank: int) -> bool:
    """Tell whether windows move along an index: by an axis of the result, over several elements."""
    wide = [axis for axis in index.axes if not same(sizes[axis], 1)]
    return any(axis < rank for axis in wide) and any(axis >= rank for axis in wide)


def _halo_of(parts: Sequence[Part], shape: Shape) -> Halo | None:
    """The halo of x that serves all phases."""
    halo = no_halo(shape)
    for phase in parts:
        if not phase.is_empty:
            phase_halo = _halo(phase.contraction.x, phase.contraction.sizes, shape)
            if phase_halo is None:
                return None
            halo = wider(halo, phase_halo)
    return halo


def _halo(subscripts: Sequence[Subscript], sizes: Sequence[int], shape: Shape) -> Halo | None:
    """The elements beyond an operand that indices reach, on each of its axes; None where their number is not known."""
    halo: list[tuple[int, int]] = []
    for index, size, leaves in zip(subscripts, shape, outside(subscripts, sizes, shape), strict=True):
        if not leaves:
            halo.append((0, 0))
            continue
        ends = extent(index, sizes)
        if ends is None:
            return None
        before, after = _most(-ends[0]), _most(ends[1] - (size - 1))
        if before is None or after is None:
            return None
        halo.append((max(0, before), max(0, after)))
    return tuple(halo)


def _most(x: Size) -> int | None:
    """The most that a size may be, where that is about what it is: windows may end before x does."""
    most = dims.bounds(x)[1]
    return most if most - hint(x) <= thresholds.HALO_SLACK else None


def suits(arranged: Arrangement, home: Home, target: Target) -> bool:
    """Tell whether tiles read x well in a home: terms close together, or few, or all near."""
    order = arranged.operand_order()
    if not order:
        return True  # one number
    last = order[-1]
    if not arranged.has_panels:
        return same(home.strides[last], 1)
    if not arranged.has_windows:
        return True
    count, stride = hint(arranged.shapes[0][last]), hint(home.strides[last])
    near = count * stride * arranged.contraction.precision.accumulate.itemsize <= target.l1_bytes // 2
    return same(home.strides[last], 1) or count < 2 * thresholds.RUN_TERMS or near


@frozen
class OperandReading:
    """The homes in which tiles read the operands, and their plan."""

    home: Home
    """Of the first operand."""
    copied: bool
    """True if it is brought there first."""
    second: Home
    """Of the second one: where it is read, or packed from."""
    packed: bool
    """True if it is packed, or brought there, first."""
    plan: tap_plans.TapPlan | LanePlan


@remembered
def reading(
    arranged: Arrangement, first: tuple[Home, DType], second: tuple[Home, DType], target: Target
) -> OperandReading:
    """Choose where tiles read the operands, whose homes and dtypes are given: there, or in a copy.

    The first one is read as it lies where its terms, or the lanes, lie close together and indices either do not leave
    it and its halo, or leave it so that the parts of the result which see the same taps are few and large (`borders`).
    A copy, or what it lies in, may have the halo and such parts yet, which then leave out what that would add: where
    windows are large and images small, half of all terms.
    The second one is packed into panels, or, where it has the lanes, read where these lie close together, or broadcast
    from where it lies.
    """
    home, dtype = first
    accumulate = arranged.contraction.precision.accumulate
    beside, packed = second[0], True
    if arranged.is_shared:
        order = arranged.second_order()
        packed = second[1] != accumulate or not same(beside.strides[order[-1]], 1)
        beside = ordered(arranged.shapes[1], order) if packed else beside
    elif not arranged.has_panels:
        packed = second[1] != accumulate
        beside = in_order(arranged.shapes[1]) if packed else beside

    def plan(parts: Sequence[Part], at: Home) -> tap_plans.TapPlan | LanePlan:
        if arranged.has_panels:
            return tap_plan(arranged, parts, at, target)
        return lane_plan(arranged.contraction, arranged.column, parts, (at, beside), target)

    shape = arranged.shapes[0]
    near = ordered(shape, arranged.operand_order(), arranged.halo)
    as_it_is = dtype == accumulate and suits(arranged, home, target)
    covered = as_it_is and home.covers(arranged.halo)
    at, bare = (home, home) if covered else (near, home if as_it_is else ordered(shape, arranged.operand_order()))
    default = OperandReading(at, not covered, beside, packed, plan(arranged.phases, at))
    if not arranged.needs_halo or (arranged.has_panels and (covered or not as_it_is)):
        return default
    cut = [borders(part, shape) for part in arranged.phases]
    parts = [part for pieces in cut if pieces is not None for part in pieces]
    whole = arranged.has_panels or all(_has_all(part, arranged) for part in parts)
    if (
        None in cut
        or not whole
        or len(parts) > (thresholds.TAP_PARTS if arranged.has_panels else thresholds.LANE_PARTS)
    ):
        return default
    here = plan(parts, bare)
    moved = (2 * hint(near.elements) - (0 if as_it_is else 2 * hint(bare.elements))) * accumulate.itemsize
    saved = 0 if covered else moved // thresholds.COPIED_BYTES
    factor = thresholds.HALO_TIMES if covered else 1
    if factor * _cycles(here, target) <= _cycles(default.plan, target) + saved:
        return OperandReading(bare, not as_it_is, beside, packed, here)
    return default


def _has_all(part: Part, arranged: Arrangement) -> bool:
    """Tell whether a part has all lanes."""
    axis = arranged.column
    return part.places[axis] == (1, 0) and same(part.contraction.sizes[axis], arranged.contraction.sizes[axis])


def _cycles(plan: tap_plans.TapPlan | LanePlan, target: Target) -> int:
    """The cycles that a plan takes, about."""
    return lane_cycles(plan) if isinstance(plan, LanePlan) else tap_plans.cycles(plan, target)


def tap_plan(arranged: Arrangement, parts: Sequence[Part], x: Home, target: Target) -> tap_plans.TapPlan:
    """Tile the parts of a contraction whose first operand lies in a home that no index of a part leaves."""
    contraction = arranged.contraction
    elements = ElementTypes(default_precision(contraction.precision.accumulate), contraction.integers)
    arithmetic, itemsize = elements.arithmetic(target), elements.itemsize
    walk = _Walk(arranged, tuple(parts), x)
    taps, terms = walk.sums()
    main = max(walk.parts, key=lambda part: hint(dims.product(part.contraction.sizes)))
    counts, row = main.contraction.sizes, walk.row(main)
    sums = tuple(dims.product(counts[axis.axis] for axis in axes) for axes in (taps, terms))
    column = walk.axis(arranged.column)
    strides = row.x * itemsize, terms[-1].x * itemsize
    panels = tap_plans.tap_panels(column.size, counts[row.axis], strides, (sums[0], sums[1]), arithmetic)
    columns = sum((part.count * part.vectors for part in panels), 0) * arithmetic.lanes
    per_group = columns * _count(taps) * _count(terms)
    groups, spread = walk.groups(per_group)
    tiles: dict[Any, tuple[tap_plans.TapTiles, list[tap_plans.TapPart]]] = {}
    for part in walk.parts:
        tile = walk.tiles(part, spread, panels, arithmetic)
        key = tile.row.axis, tile.heights, is_symbolic(part.contraction.sizes[tile.row.axis])
        tiles.setdefault(key, (tile, []))[1].append(walk.box(part, tile, taps, terms, spread))
    plan = tap_plans.TapPlan(
        elements=elements, lanes=arithmetic.lanes, sizes=contraction.shape, stores="results", groups=groups,
        spread=spread, column=column, taps=taps, terms=terms, panels=panels,
        tiles=tuple(changed(tile, parts=tuple(boxes)) for tile, boxes in tiles.values()), band=1,
        blocks=tap_plans.TapBlocks(), parts=parts_of(_count(taps) * _count(terms), arithmetic),
    )  # fmt: skip
    blocks = tap_plans.tap_blocks(plan, hint(x.elements) * itemsize, target)
    band = _band(plan, x, target) if same(blocks.count, 1) else tap_plans.block_band(plan, target)
    plan = changed(plan, band=band, blocks=blocks)
    return changed(plan, panels=_shares(plan, target))


@frozen
class _Walk:
    """The walk of tiles through parts of a contraction whose first operand lies in a home."""

    arranged: Arrangement
    parts: tuple[Part, ...]
    x: Home

    def axis(self, axis: int) -> tap_plans.TapAxis:
        """An axis of the contraction. Coefficients and steps are those of every part."""
        part = self.parts[0]
        strides = zip(part.contraction.x, self.x.strides, strict=True)
        stride = sum((index.coefficient(axis) * step for index, step in strides), 0)
        return tap_plans.TapAxis(axis, self.arranged.contraction.sizes[axis], stride, part.places[axis][0])

    def is_cut(self, axis: int) -> bool:
        """Tell whether some part has not all of an axis."""
        size = self.arranged.contraction.sizes[axis]
        return any(part.places[axis] != (1, 0) or not same(part.contraction.sizes[axis], size) for part in self.parts)

    def sums(self) -> tuple[tuple[tap_plans.TapAxis, ...], tuple[tap_plans.TapAxis, ...]]:
        """The axes of taps and of terms, w being the terms of a panel from one index to the next."""
        axes = [self.axis(axis) for axis in self.arranged.sums]
        counts = {axis.axis: max(hint(part.contraction.sizes[axis.axis]) for part in self.parts) for axis in axes}
        stride, groups = 1, []
        for group in reversed(_terms(axes, counts, {axis.axis for axis in axes if self.is_cut(axis.axis)})):
            strided: list[tap_plans.TapAxis] = []
            for axis in reversed(group):
                strided.insert(0, changed(axis, w=stride * axis.step))
                stride = stride * axis.size
            groups.append(tuple(strided))
        terms, taps = groups
        return taps, terms

    def groups(self, elements: int) -> tuple[tuple[tap_plans.TapAxis, ...], tuple[tap_plans.TapAxis, ...]]:
        """The axes of groups, those that all parts have and others; `elements` are those of a packed group."""
        axes = [self.axis(axis) for axis in self.arranged.groups]
        spread: list[tap_plans.TapAxis] = []
        for axis in reversed([axis for axis in axes if self.is_cut(axis.axis)]):
            spread.insert(0, changed(axis, w=elements * axis.step))
            elements = elements * axis.size
        return tuple(axis for axis in axes if not self.is_cut(axis.axis)), tuple(spread)

    def row(self, part: Part) -> tap_plans.TapAxis:
        """The axis along which the rows of a part's tiles lie."""
        sizes = part.contraction.sizes
        rows = [self.axis(axis) for axis in self.arranged.rows]
        return min(rows, key=lambda axis: (-min(hint(sizes[axis.axis]), thresholds.TALL_ROWS), abs(hint(axis.x))))

    def tiles(
        self,
        part: Part,
        spread: Sequence[tap_plans.TapAxis],
        panels: Sequence[ColumnPanels],
        arithmetic: Arithmetic,
    ) -> tap_plans.TapTiles:
        """The tiles of a part."""
        row = self.row(part)
        outer = [*spread, *(self.axis(axis) for axis in self.arranged.rows if axis != row.axis)]
        outer.sort(key=lambda axis: -abs(hint(axis.x)))
        size = part.contraction.sizes[row.axis]
        strides = row.x * arithmetic.stored.itemsize, self.sums()[1][-1].x * arithmetic.stored.itemsize
        heights = tuple(tap_plans.tile_height(each.vectors, size, strides, each.unroll, arithmetic) for each in panels)
        distances = tuple(
            tap_plans.row_distances(strides, height, each.unroll, arithmetic.target)
            for height, each in zip(heights, panels, strict=True)
        )
        return tap_plans.TapTiles(row, tuple(outer), heights, (), distances)

    def box(
        self,
        part: Part,
        tiles: tap_plans.TapTiles,
        taps: Sequence[tap_plans.TapAxis],
        terms: Sequence[tap_plans.TapAxis],
        spread: Sequence[tap_plans.TapAxis],
    ) -> tap_plans.TapPart:
        """A part as tiles of some kind compute it."""
        contraction = part.contraction
        sizes, firsts = contraction.sizes, [first for _, first in part.places]
        start = sum((index.offset * step for index, step in zip(contraction.x, self.x.strides, strict=True)), 0)

        def packed(axes: Iterable[tap_plans.TapAxis]) -> int:
            return sum((axis.w // axis.step * firsts[axis.axis] for axis in axes), 0)

        return tap_plans.TapPart(
            start=self.x.offset + start, group=packed(spread), term=packed((*taps, *terms)),
            firsts=tuple(firsts[: contraction.rank]), lines=tuple(sizes[axis.axis] for axis in tiles.outer),
            rows=sizes[tiles.row.axis], taps=tuple(sizes[axis.axis] for axis in taps),
            terms=dims.product(sizes[axis.axis] for axis in terms),
        )  # fmt: skip


def _count(axes: Sequence[tap_plans.TapAxis]) -> int:
    return dims.product(axis.size for axis in axes)


def _terms(
    sums: list[tap_plans.TapAxis], counts: Mapping[int, int], cut: Collection[int]
) -> tuple[list[tap_plans.TapAxis], list[tap_plans.TapAxis]]:
    """Part the summed axes into those of taps and those that the inner loop runs along.

    `counts` are the most indices of each that a part has; of those `cut`, some parts have not all.
    """
    runs = [axis for axis in sums if same(axis.x, 1) and counts[axis.axis] > 1]
    last = runs[0] if runs else max(sums, key=lambda axis: counts[axis.axis])
    terms, rest = [last], [axis for axis in sums if axis is not last]
    while terms[0].axis not in cut:
        reach = terms[0].x * terms[0].size
        slower = next((axis for axis in rest if axis.step == 1 and same(axis.x, reach)), None)
        if slower is None:
            break
        terms.insert(0, slower)
        rest.remove(slower)
    longest = max(rest, key=lambda axis: counts[axis.axis], default=None)
    run = math.prod(counts[axis.axis] for axis in terms)
    if longest is not None and run < thresholds.RUN_TERMS < counts[longest.axis]:
        return [axis for axis in sums if axis is not longest], [longest]
    return rest, terms


def _shares(plan: tap_plans.TapPlan, target: Target) -> tuple[ColumnPanels, ...]:
    """The panels, told how much of the next one each row of the largest part brings near.

    They may come from afar even where the second-level cache could hold all of them: other steps have used it since
    the call before. Where they are near, what is fetched for nothing costs nothing that could be measured.
    """
    per_column = hint(plan.tap_count * plan.term_count) * plan.elements.in_panels.itemsize // hint(plan.blocks.count)
    count = hint(sum((panels.count for panels in plan.panels), 0) * _count(plan.packed_groups))
    nbytes = hint(plan.packed_elements) * plan.elements.in_panels.itemsize
    if count < 2 or plan.blocks.outside or nbytes <= target.l1_bytes:
        return plan.panels
    parts = [(part, tiles) for tiles in plan.tiles for part in tiles.parts]
    part, tiles = max(parts, key=lambda one: hint(one[0].units * one[0].rows))
    rows, sums = max(1, hint(part.units * part.rows)), max(1, hint(part.sums) // hint(plan.blocks.count))

    def with_share(panels: ColumnPanels, height: int) -> ColumnPanels:
        share = -(-per_column * panels.vectors * plan.lanes // rows)
        step = -(-share * height * panels.unroll // sums)
        lines = max(1, (step + thresholds.LINE_BYTES // 2) // thresholds.LINE_BYTES)
        return changed(panels, share=share, lines=min(lines, thresholds.TURN_LINES), step=step)

    return tuple(map(with_share, plan.panels, tiles.heights))


def _band(plan: tap_plans.TapPlan, x: Home, target: Target) -> int:
    """Lines of rows that stay in the second-level cache while all panels are gone through."""
    lines = plan.lines
    near = target.l2_bytes // 2
    x_bytes = hint(x.elements) * plan.elements.itemsize
    w_bytes = hint(plan.packed_elements) * plan.elements.itemsize
    if x_bytes <= near or w_bytes >= x_bytes:
        return lines
    line_bytes = max(1, x_bytes // max(1, hint(lines)))
    return max(1, near // line_bytes)
