# SPDX-License-Identifier: Apache-2.0
"""Give each axis of a contraction its part in the tiles, and find the homes that its operands would best have.

The first operand is broadcast, an element at a time, and may have windows; the second is packed into panels. They
change places where only the second has windows, or only the first has columns.
"""

from __future__ import annotations

from collections.abc import Sequence

from hybridize.base import dims
from hybridize.base.dims import Size, hint, same
from hybridize.base.dtypes import DType, bool_
from hybridize.base.frozen import changed, frozen
from hybridize.base.types import Shape
from hybridize.loops.contraction import Contraction, Role, Subscript, extent, outside, roles
from hybridize.machine.target import Target
from hybridize.schedule.contraction.phases import Phase, phases
from hybridize.schedule.contraction.taps import TapAxis, TapPlan, tap_panels
from hybridize.schedule.homes import Halo, Home, no_halo, wider


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
    sums: tuple[int, ...]
    phases: tuple[Phase, ...]
    """Its parts, whose indices are not divided: each has tiles of its own."""
    halo: Halo
    """Elements beyond x that indices of any phase reach, before and after, on each of its axes."""

    @property
    def has_windows(self) -> bool:
        """True if an index of x has several axes in it."""
        return any(len(index.terms) > 1 for index in self.contraction.x)

    @property
    def needs_halo(self) -> bool:
        """True if indices of x leave it."""
        return any(before or after for before, after in self.halo)

    def operand_order(self) -> tuple[int, ...]:
        """The axes of x, slowest first, as tiles would have them: channels last."""
        return _channels_last([len(index.terms) > 1 for index in self.contraction.x])

    def result_order(self) -> tuple[int, ...]:
        """The axes of the result, slowest first, as tiles would store them: columns last."""
        moving = {axis for index in self.contraction.x if len(index.terms) > 1 for axis in index.axes}
        order = _channels_last([axis in moving for axis in range(self.contraction.rank)])
        return (*(axis for axis in order if axis != self.column), self.column)


def _channels_last(moves: Sequence[bool]) -> tuple[int, ...]:
    """Axes of images in order, those of pixels (which windows move over) before all others but the first."""
    pixels = [axis for axis, moving in enumerate(moves) if moving]
    others = [axis for axis, moving in enumerate(moves) if not moving]
    if not pixels or not others or pixels[0] < others[0]:
        return (*pixels, *others)
    return (others[0], *pixels, *others[1:])


def arrangement(contraction: Contraction, shapes: tuple[Shape, Shape], lanes: int) -> Arrangement | None:
    """Find the parts of the axes; None where tiles do not suit the contraction, which is then a loop of folds."""
    # An operand without elements has no memory; where indices leave it, the result may have elements yet.
    empty = any(same(size, 0) for size in (*contraction.sizes, *shapes[0], *shapes[1]))
    if empty or contraction.accumulate == bool_:
        return None
    for swapped in (False, True):
        one = contraction
        given = shapes
        if swapped:
            one = changed(contraction, x=contraction.w, w=contraction.x)
            given = (shapes[1], shapes[0])
        found = _arranged(one, given, swapped, lanes)
        if found is not None:
            return found
    return None


def _arranged(contraction: Contraction, shapes: tuple[Shape, Shape], swapped: bool, lanes: int) -> Arrangement | None:
    sizes, rank = contraction.sizes, contraction.rank
    if any(len(index.terms) > 1 for index in contraction.w) or any(outside(contraction.w, sizes, shapes[1])):
        return None
    parts = phases(contraction) if all(same(index.divisor, 1) for index in contraction.w) else None
    if parts is None:
        return None
    halo = _halo_of(parts, shapes[0])
    columns = [axis for axis, role in enumerate(roles(contraction)) if role is Role.COLUMN]
    rows = [axis for axis, role in enumerate(roles(contraction)) if role is Role.ROW]
    if halo is None or not columns or not rows:
        return None
    wide = [axis for axis in columns if not dims.is_symbolic(sizes[axis]) and sizes[axis] * _EMPTY >= lanes]
    if not wide:
        return None
    column = max(wide, key=lambda axis: (min(sizes[axis], lanes), axis))
    groups = tuple(axis for axis in range(rank) if axis != column and axis not in rows)
    sums = tuple(range(rank, len(sizes)))
    return Arrangement(contraction, swapped, shapes, groups, tuple(rows), column, sums, parts, halo)


_EMPTY = 4
"""Lanes for each column, at most: with fewer columns, loops of folds along another axis are better."""


def _halo_of(parts: Sequence[Phase], shape: Shape) -> Halo | None:
    """The halo of x that serves all phases."""
    halo = no_halo(shape)
    for phase in parts:
        if not phase.is_empty:
            found = _halo(phase.contraction.x, phase.contraction.sizes, shape)
            if found is None:
                return None
            halo = wider(halo, found)
    return halo


def _halo(subscripts: Sequence[Subscript], sizes: Sequence[int], shape: Shape) -> Halo | None:
    """The elements beyond an operand that indices reach, on each of its axes; None where their number is not known."""
    found: list[tuple[int, int]] = []
    for index, size, leaves in zip(subscripts, shape, outside(subscripts, sizes, shape), strict=True):
        if not leaves:
            found.append((0, 0))
            continue
        ends = extent(index, sizes)
        if ends is None:
            return None
        before, after = _most(-ends[0]), _most(ends[1] - (size - 1))
        if before is None or after is None:
            return None
        found.append((max(0, before), max(0, after)))
    return tuple(found)


_SLACK = 8
"""Elements by which a halo may be wider than it must be at the sizes of the call that is compiled."""


def _most(x: Size) -> int | None:
    """The most that a size may be, where that is about what it is: windows may end before x does."""
    most = dims.bounds(x)[1]
    return most if most - hint(x) <= _SLACK else None


def suits(arranged: Arrangement, home: Home) -> bool:
    """Tell whether tiles read x well in a home: with zeros where indices leave it, and terms close together."""
    if not home.covers(arranged.halo):
        return False
    if not arranged.has_windows:
        return True
    last = arranged.operand_order()[-1]
    few = hint(arranged.shapes[0][last]) < 2 * _RUN
    return same(home.strides[last], 1) or few


def lanes_of(dtype: DType, target: Target) -> int:
    """Elements of a contraction's arithmetic in a vector register; small integers use the lanes of 32-bit ones."""
    return target.lanes(max(4, dtype.itemsize))


def tap_plan(arranged: Arrangement, phase: Phase, x: Home, w: Home, target: Target) -> TapPlan:
    """Tile a phase of a contraction whose operands lie in these homes; x has the halo that its windows need."""
    contraction, sizes = phase.contraction, phase.contraction.sizes
    dtype = contraction.accumulate
    lanes = lanes_of(dtype, target)

    def stride(subscripts: Sequence[Subscript], home: Home, axis: int) -> int:
        return sum((index.coefficient(axis) * step for index, step in zip(subscripts, home.strides, strict=True)), 0)

    def tapped(axis: int) -> TapAxis:
        return TapAxis(axis, sizes[axis], stride(contraction.x, x, axis), stride(contraction.w, w, axis))

    start = x.offset + sum((index.offset * step for index, step in zip(contraction.x, x.strides, strict=True)), 0)
    rows = sorted(map(tapped, arranged.rows), key=lambda axis: -abs(hint(axis.x)))
    row = min(rows, key=lambda axis: (-min(hint(axis.size), _TALL), abs(hint(axis.x))))
    outer = tuple(axis for axis in rows if axis is not row)
    taps, terms = _terms([] if phase.is_empty else [tapped(axis) for axis in arranged.sums])
    if phase.is_empty:
        terms = [TapAxis(-1, 0, 0)]
    column = tapped(arranged.column)
    panels = tap_panels(column.size, row.size, row.x * dtype.itemsize, _count(terms), lanes, target)
    lines = _count(outer)
    plan = TapPlan(
        dtype,
        lanes,
        sizes[: contraction.rank],
        start,
        tuple(map(tapped, arranged.groups)),
        outer,
        row,
        column,
        tuple(taps),
        tuple(terms),
        panels,
        lines,
    )
    return changed(plan, band=_band(plan, x, target))


_TALL = 7
"""Rows that make a good tile."""
_RUN = 4
"""Terms that lie one after the other in x, from which on they are better than more terms further apart."""


def _count(axes: Sequence[TapAxis]) -> int:
    return dims.product(axis.size for axis in axes)


def _terms(sums: list[TapAxis]) -> tuple[list[TapAxis], list[TapAxis]]:
    """Part the summed axes into those of taps and those that the inner loop runs along."""
    if not sums:
        return [], [TapAxis(-1, 1, 0)]
    runs = [axis for axis in sums if same(axis.x, 1) and hint(axis.size) > 1]
    last = runs[0] if runs else max(sums, key=lambda axis: hint(axis.size))
    terms, rest = [last], [axis for axis in sums if axis is not last]
    while True:
        slower = next((axis for axis in rest if same(axis.x, terms[0].x * terms[0].size)), None)
        if slower is None:
            break
        terms.insert(0, slower)
        rest.remove(slower)
    longest = max(rest, key=lambda axis: hint(axis.size), default=None)
    if longest is not None and hint(_count(terms)) < _RUN < hint(longest.size):
        return [axis for axis in sums if axis is not longest], [longest]
    return rest, terms


def _band(plan: TapPlan, x: Home, target: Target) -> int:
    """Lines of rows that stay in the second-level cache while all panels are gone through."""
    lines = plan.units
    near = target.l2_bytes // 2
    x_bytes = hint(x.elements) * plan.dtype.itemsize
    w_bytes = hint(plan.packed_elements) * plan.dtype.itemsize
    if x_bytes <= near or w_bytes >= x_bytes:
        return lines
    line_bytes = max(1, x_bytes // max(1, hint(lines)))
    return max(1, near // line_bytes)
