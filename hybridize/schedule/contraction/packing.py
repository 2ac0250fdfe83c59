# SPDX-License-Identifier: Apache-2.0
"""Second operands in panels of columns: how they lie in memory, the loops that bring them there, and whether packing
them beforehand pays.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

from hybridize.base.dims import is_symbolic, same
from hybridize.base.dims import product as product_of
from hybridize.base.dtypes import DType, bool_, int64, is_float
from hybridize.base.frozen import changed, frozen
from hybridize.base.memo import remembered
from hybridize.loops.contraction import Contraction
from hybridize.loops.expr import Expr
from hybridize.loops.index import Interner, Space
from hybridize.loops.kernel import Param, Statement
from hybridize.machine.arithmetic import Arithmetic
from hybridize.machine.target import Target
from hybridize.schedule.contraction import thresholds
from hybridize.schedule.contraction.panels import ColumnPanels, Pack, column_panels, lead_bytes, panel_vectors
from hybridize.schedule.contraction.product import Product, Strides, hinted, normalised
from hybridize.schedule.contraction.taps import TapAxis, TapPlan
from hybridize.schedule.contraction.tiling import make_tiling, turns_of
from hybridize.schedule.homes import Home
from hybridize.schedule.kernel import Kernel, Nest
from hybridize.schedule.nests import Nests
from hybridize.schedule.tiles import LARGEST, SMALLEST
from hybridize.schedule.together import LoopedStatement

Axes = tuple[tuple[int, int], ...]
"""Axes that are counted as one, slowest first: the size of each, and the elements of the operand from one to the
next."""


@frozen
class Packing:
    """The second operand of contractions in panels, those of a group one after the other.

    Each is [tile][term][gate of the tile][column of one gate].
    """

    dtype: DType
    """Of the operand."""
    packed: DType
    """Of the elements in the panels."""
    lanes: int
    sections: tuple[ColumnPanels, ...]
    """Of a group."""
    groups: tuple[Axes, ...]
    terms: tuple[Axes, ...]
    columns: int
    """Of each gate; those that panels hold beyond are 0."""
    column: int
    """Elements of the operand from one column to the next."""
    gate: int
    """From one gate to the next."""
    start: int
    """The first element of the operand."""
    source_elements: int
    """Elements of the operand's memory."""

    @property
    def lead(self) -> int:
        """Elements of a group before its panels, which are 0."""
        return lead_bytes(self.sections) // self.packed.itemsize

    @property
    def group_elements(self) -> int:
        """Elements of the panels of one group, and of what is before them."""
        across = sum((panels.count * panels.across for panels in self.sections), 0) * self.lanes
        return self.lead + across * product_of(size for axes in self.terms for size, _ in axes)

    @property
    def matrix_bytes(self) -> int:
        """Bytes of the panels of one group."""
        return self.group_elements * self.packed.itemsize

    @property
    def nbytes(self) -> int:
        """Bytes of all panels."""
        return product_of(size for axes in self.groups for size, _ in axes) * self.matrix_bytes

    @property
    def term_axes(self) -> Axes:
        """The axes of terms, slowest first."""
        return tuple(axis for axes in self.terms for axis in axes)

    def run(self, machine: Target) -> tuple[int, ...]:
        """Numbers of the `term_axes` that lie in one run in the operand, slowest first; columns lie further apart.

        Squares of a run and of columns are then turned in registers, and each line of memory is read once: a weight's
        last axis are the few elements of a window, which panels keep apart. Nothing, where loops as panels lie are as
        good.
        """
        lanes = machine.lanes(self.dtype.itemsize)
        sizes, strides = (tuple(axis[k] for axis in self.term_axes) for k in range(2))
        known = not any(map(is_symbolic, (self.column, *sizes, *strides)))
        if self.dtype != self.packed or not known or not SMALLEST <= lanes <= LARGEST:
            return ()
        run: list[int] = []
        length = 1
        for axis in sorted(range(len(sizes)), key=lambda axis: (abs(strides[axis]), sizes[axis])):
            if sizes[axis] > 1 and strides[axis] != length:
                break
            run.append(axis)
            length *= sizes[axis]
        several = sum(sizes[axis] > 1 for axis in run) > 1
        return tuple(reversed(run)) if several and abs(self.column) > 1 else ()


@remembered
def make_packing(product: Product, arithmetic: Arithmetic) -> Packing:
    """Return the packing that products like this one read, however many rows they have."""
    pack: Pack = "flip" if product.transpose_w else "copy"
    per_column, per_term = (product.w_row, 1) if product.transpose_w else (1, product.w_row)
    members = members_of(product)
    sections = column_panels(product.columns, arithmetic.lanes, panel_vectors(arithmetic), pack, product.gates)
    long, across = (product.k, product.n) if product.transpose_w else (product.n, product.k)
    elements = sum(((size - 1) * stride for size, stride in members), (across - 1) * product.w_row + long)
    return Packing(
        dtype=product.stored, packed=arithmetic.packed, lanes=arithmetic.lanes,
        sections=tuple(changed(part, turns=turns_of(product, arithmetic, part)) for part in sections),
        groups=tuple((member,) for member in members), terms=(((product.k, per_term),),),
        columns=product.columns, column=per_column, gate=product.columns * per_column, start=0,
        source_elements=elements,
    )  # fmt: skip


def packing_of_taps(plan: TapPlan, contraction: Contraction, home: Home, dtype: DType) -> Packing:
    """The packing that tiles over taps read of a second operand of that type, which lies in a home."""
    strides: dict[int, int] = {}
    start = home.offset
    for index, step in zip(contraction.w, home.strides, strict=True):
        start = start + index.offset * step
        for axis, coefficient in index.terms:
            strides[axis] = strides.get(axis, 0) + coefficient * step

    def walked(axes: Sequence[TapAxis]) -> Axes:
        return tuple((axis.size, strides.get(axis.axis, 0)) for axis in axes)

    return Packing(
        dtype=dtype, packed=plan.elements.in_panels, lanes=plan.lanes, sections=plan.panels,
        groups=(walked(plan.packed_groups),), terms=(walked(plan.taps), walked(plan.terms)),
        columns=plan.column.size, column=strides.get(plan.column.axis, 0), gate=0, start=start,
        source_elements=home.elements,
    )  # fmt: skip


def of_one_member(product: Product) -> Product:
    """The product of one member of the batch, whose second operand may lie within that of all."""
    strides = product.w_strides
    return changed(product, batch=1, w_strides=None if strides is None else Strides(strides.row))


def members_of(product: Product) -> tuple[tuple[int, int], ...]:
    """Of each axis of the batch, slowest first, its size and the elements from one second operand to the next."""
    if product.w_strides is None:
        return ((1 if product.shared_w else product.batch, product.n * product.k),)
    return product.w_strides.members


@remembered
def packing_kernel(packing: Packing, machine: Target) -> Kernel:
    """Copy the operand, param 1, into panels, param 0: ordinary loops, in squares that are turned where columns lie
    further apart than terms; columns that do not exist are 0.
    """
    elements = packing.nbytes // packing.packed.itemsize
    params = Param(packing.packed, elements, True), Param(packing.dtype, packing.source_elements, False)
    nests, copies = Nests(machine, params, Interner()), list[Nest]()
    if packing.lead:
        copies.append(_before(nests, packing))
    run, panels = packing.run(machine), list[ColumnPanels]()
    for section in packing.sections:
        width, whole = section.across * packing.lanes, 0
        if run and not is_symbolic(packing.columns):
            whole = min(section.count, (packing.columns - section.start) // width)
        if whole:
            copies.append(_in_order(nests, packing, changed(section, count=whole), run))
        panels.append(changed(section, start=section.start + whole * width, count=section.count - whole))
    for section in panels:
        copies += _into(nests, packing, section)
    return Kernel(params, (), tuple(copies))


def _before(nests: Nests, packing: Packing) -> Nest:
    """The loop that fills what each group has before its panels."""
    groups = tuple(map(_size, packing.groups))
    sizes = (*groups, packing.lead)
    space = Space(nests.interner, dict(enumerate(sizes)))
    group, element = tuple(map(space.axis, range(len(groups)))), space.axis(len(groups))
    place = space.affine([(space.flat(group, groups), packing.group_elements), (element, 1)])
    return nests.nest([LoopedStatement(sizes, Statement(0, place, zero_of(nests.interner, packing.packed)))])


def _into(nests: Nests, packing: Packing, panels: ColumnPanels) -> list[Nest]:
    """The loops that fill equal panels of each group in the order of the panels."""
    interner, copies = nests.interner, list[Nest]()
    group_sizes, term_sizes = (tuple(map(_size, axes)) for axes in (packing.groups, packing.terms))
    k, zero = product_of(term_sizes), zero_of(interner, packing.packed)
    across, of_gate = panels.vectors * packing.lanes, panels.vectors // panels.gates * packing.lanes
    for first, count, lane_of_first, width in _pieces(panels, of_gate, packing.columns):
        outer = (*group_sizes, count, panels.tiles, panels.gates, *term_sizes)
        looped = (*(size for size in outer if not same(size, 1)), width)
        space, numbers = Space(interner, dict(enumerate(looped))), itertools.count()
        axes = tuple(interner.number(0) if same(size, 1) else space.axis(next(numbers)) for size in outer)
        axes = (*axes, space.axis(len(looped) - 1))
        groups, (panel, tile, gate) = axes[: len(group_sizes)], axes[len(group_sizes) :][:3]
        terms, lane = axes[len(group_sizes) + 3 : -1], axes[-1]
        term = space.flat(terms, term_sizes)
        row, before = [(gate, of_gate), (lane, 1)], lane_of_first
        if panels.turns > 1:
            row, before = _in_turns(space, space.affine(row, before), panels.turns, packing.lanes), 0
        within = [(tile, across * k), (term, across), *row]
        place = space.affine(
            [(space.flat(groups, group_sizes), packing.group_elements), (panel, panels.tiles * across * k), *within],
            packing.lead + (panels.start + first * of_gate) * panels.gates * panels.tiles * k + before,
        )
        column = space.affine([(panel, of_gate), (lane, 1)], panels.start + first * of_gate + lane_of_first)
        number = space.affine([(tile, panels.gates), (gate, 1)])
        counted = [*zip(packing.groups, groups, strict=True), *zip(packing.terms, terms, strict=True)]
        value = zero
        if is_symbolic(packing.columns):
            inside = interner.call(int64, "min", (column, interner.number(packing.columns - 1)))
            exists = interner.call(bool_, "lt", (column, interner.number(packing.columns)))
            value = interner.select(exists, _element(space, packing, counted, number, inside), zero)
        elif panels.start + first * of_gate + lane_of_first < packing.columns:
            value = _element(space, packing, counted, number, column)
        copies.append(nests.nest([LoopedStatement(looped, Statement(0, place, value))]))
    return copies


def _in_turns(space: Space, column: Expr, turns: int, lanes: int) -> list[tuple[Expr, int]]:
    """The place of a column of a term where so many registers have their elements in turns."""
    register = space.floordiv(column, lanes)
    together = space.floordiv(column, turns * lanes)
    return [(together, turns * lanes), (space.mod(column, lanes), turns), (space.mod(register, turns), 1)]


def _size(axes: Axes) -> int:
    return product_of(size for size, _ in axes)


def _element(space: Space, packing: Packing, counted: Sequence[tuple[Axes, Expr]], gate: Expr, column: Expr) -> Expr:
    """An element of the operand, as it is packed."""
    steps = [(gate, packing.gate), (column, packing.column)]
    for axes, index in counted:
        steps += _steps(space, axes, index)
    loaded = space.interner.load(packing.dtype, 1, (space.affine(steps, packing.start),))
    return space.interner.cast(loaded, packing.packed)


def _steps(space: Space, axes: Axes, index: Expr) -> list[tuple[Expr, int]]:
    """The index along each of several axes that are counted as one, with the elements from one to the next."""
    parts = space.divided([size for size, _ in axes], index)
    return [(part, stride) for part, (_, stride) in zip(parts, axes, strict=True)]


def _in_order(nests: Nests, packing: Packing, panels: ColumnPanels, run: Sequence[int]) -> Nest:
    """The loops that fill panels in the order in which the operand lies; where its run is long enough for squares, as
    many columns as one has, from end to end.
    """
    interner, width, axes = nests.interner, panels.vectors * packing.lanes, packing.term_axes
    per_column, along = _size(axes), product_of(axes[number][0] for number in run)
    others = [number for number in range(len(axes)) if number not in run]
    lanes = packing.lanes if along >= packing.lanes else width
    groups = tuple(map(_size, packing.groups))
    sizes = (*groups, panels.count, *(axes[number][0] for number in others), width // lanes, along, lanes)
    space = Space(interner, dict(enumerate(sizes)))
    looped = tuple(space.axis(number) for number in range(len(sizes)))
    counted, (panel, *outer, vector, index, lane) = looped[: len(groups)], looped[len(groups) :]
    indices = dict(zip(others, outer, strict=True))
    indices.update(zip(run, space.divided([axes[number][0] for number in run], index), strict=True))
    flat = space.flat(counted, groups)
    places = [(flat, packing.group_elements), (panel, width * per_column), (vector, lanes), (lane, 1)]
    step = width
    for number in reversed(range(len(axes))):
        places.append((indices[number], step))
        step *= axes[number][0]
    column = space.affine([(panel, width), (vector, lanes), (lane, 1)], panels.start)
    steps = [(column, packing.column), (index, 1), *((indices[number], axes[number][1]) for number in others)]
    for of_group, at in zip(packing.groups, counted, strict=True):
        steps += _steps(space, of_group, at)
    value = interner.load(packing.dtype, 1, (space.affine(steps, packing.start),))
    statement = Statement(0, space.affine(places, panels.start * per_column), value)
    return nests.nest([LoopedStatement(sizes, statement)])


def zero_of(interner: Interner, dtype: DType) -> Expr:
    """The number 0."""
    return interner.const(dtype, 0.0 if is_float(dtype) else False if dtype == bool_ else 0)


def _pieces(panels: ColumnPanels, width: int, columns: int) -> Iterator[tuple[int, int, int, int]]:
    """Parts of panels all of whose columns exist, or none: the first panel and their number, the first column of each
    and the number of these. Of columns that only calls know, all panels are one.
    """
    if is_symbolic(columns):
        yield 0, panels.count, 0, width
        return
    full = min(panels.count, (columns - panels.start) // width)
    left = columns - panels.start - full * width
    if full:
        yield 0, full, 0, width
    if full < panels.count:
        yield full, 1, 0, left
        yield full, 1, left, width - left


def ordering_kernel(product: Product, machine: Target) -> Kernel:
    """Copy w, param 1, as matrices [k, n] one after the other, param 0: panels of no known size lie in place then."""
    interner = Interner()
    matrices = 1 if product.shared_w else product.batch
    row = product.k if product.transpose_w else product.n
    strides = product.w_strides or Strides(row, ((matrices, product.n * product.k),))
    sizes = (*(size for size, _ in strides.members), product.k, product.n)
    elements = matrices * product.n * product.k
    source_elements = make_packing(product, product.arithmetic(machine)).source_elements
    params = (Param(product.dtype, elements, True), Param(product.dtype, source_elements, False))
    space = Space(interner, dict(enumerate(sizes)))
    axes = tuple(space.axis(axis) for axis in range(len(sizes)))
    place = space.flat(axes, sizes)
    members = [(axis, stride) for axis, (_, stride) in zip(axes, strides.members, strict=False)]
    term, column = (1, strides.row) if product.transpose_w else (strides.row, 1)
    source = space.affine([*members, (axes[-2], term), (axes[-1], column)])
    copy = LoopedStatement(sizes, Statement(0, place, interner.load(product.dtype, 1, (source,))))
    return Kernel(params, (), (Nests(machine, params, interner).nest([copy]),))


@remembered
def packing_pays(product: Product, arithmetic: Arithmetic) -> bool:
    """Tell whether w is read faster when it was packed beforehand than in place.

    Measured, packing itself not counted. In place wins on some machines where a product is bound by reading w once: one
    row with w contiguous along k (`Target.packs_from`). It is as good where no call packs anything and w stays in the
    second-level cache.
    """
    if is_symbolic(product.n) or is_symbolic(product.k) or (is_symbolic(product.batch) and not product.shared_w):
        return False
    product = hinted(product)
    if not (product.m and product.n and product.k):
        return False
    if product.prologue is not None:
        return True  # only tiles of packed panels have it
    if not (arithmetic.is_float or arithmetic.integers > 1 or arithmetic.converts):
        return False
    product = normalised(changed(product, packed=False))
    tiling = make_tiling(product, arithmetic)
    large = product.n * product.k * arithmetic.stored_bytes > arithmetic.target.l2_bytes // 2
    if tiling.flips:
        return False
    if not product.transpose_w:
        return large or any(section.pack for section in tiling.sections)
    few = arithmetic.target.packs_from
    if arithmetic.converts:
        few = max(few, thresholds.CONVERTED_ROWS)
    elif large:
        few = min(few, thresholds.FAR_PACKED_ROWS)
    if product.n < thresholds.FEW_COLUMNS or product.m < few:
        return False
    return tiling.form != "columns" or arithmetic.target.registers >= 32
