# SPDX-License-Identifier: Apache-2.0
"""Matrices packed beforehand: whether that pays, and how a w then lies in memory."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Iterator, Sequence

from hybridize.base.dims import is_symbolic, same
from hybridize.base.dims import product as product_of
from hybridize.base.dtypes import DType, bool_, int64, is_float
from hybridize.base.frozen import changed, frozen
from hybridize.base.memo import remembered
from hybridize.loops.expr import Expr
from hybridize.loops.index import Interner, Space
from hybridize.loops.kernel import Param, Statement
from hybridize.machine.arithmetic import Arithmetic
from hybridize.machine.target import Target
from hybridize.schedule.contraction import thresholds
from hybridize.schedule.contraction.panels import ColumnPanels, Pack, column_panels, lead_bytes, panel_vectors
from hybridize.schedule.contraction.product import Product, Strides, hinted, normalised
from hybridize.schedule.contraction.tiling import make_tiling, turns_of
from hybridize.schedule.kernel import Kernel, Nest
from hybridize.schedule.nests import Nests
from hybridize.schedule.together import LoopedStatement


@frozen
class Packing:
    """The second operand of products packed into panels, one after the other, each [k][columns]."""

    dtype: DType
    """Of the operand."""
    packed: DType
    """Of the elements in the panels."""
    lanes: int
    matrices: int
    n: int
    k: int
    transpose_w: bool
    """As in `Product`, of the operand before packing."""
    sections: tuple[ColumnPanels, ...]
    matrix_bytes: int
    """Bytes of one matrix, packed."""
    gates: int = 1
    """As in `Product`: each panel is [tile][k][gate of the tile][columns of one gate]."""
    strides: Strides | None = None
    """As in `Product`, of the operand."""

    @property
    def lead_bytes(self) -> int:
        """Bytes of a matrix before its panels, which are 0."""
        return lead_bytes(self.sections)

    @property
    def members(self) -> tuple[tuple[int, int], ...]:
        """The axes that count matrices, each with the elements from one to the next."""
        return ((self.matrices, self.n * self.k),) if self.strides is None else self.strides.members

    @property
    def source_elements(self) -> int:
        """Elements of the operand's memory from its first to its last."""
        if self.strides is None:
            return self.matrices * self.n * self.k
        long, across = (self.k, self.n) if self.transpose_w else (self.n, self.k)
        return functools.reduce(
            lambda total, one: total + (one[0] - 1) * one[1],
            self.strides.members,
            (across - 1) * self.strides.row + long,
        )

    @property
    def nbytes(self) -> int:
        """Bytes of all matrices, packed."""
        return self.matrices * self.matrix_bytes

    def __str__(self) -> str:
        stored = "[n, k]" if self.transpose_w else "[k, n]"
        widths = " + ".join(
            f"{part.count!r} x {part.across}{f' {part.turns} in turns' if part.turns > 1 else ''}"
            for part in self.sections
        )
        gates = "" if self.gates == 1 else f" of {self.gates} gates"
        apart = "" if self.strides is None else f"; in {self.strides}"
        sizes = f"{stored} n {self.n!r} k {self.k!r}"
        of = self.dtype.name if self.dtype == self.packed else f"{self.dtype.name} as {self.packed.name}"
        return f"{of} {self.matrices!r} {sizes}; panels {widths} vectors of {self.lanes}{gates}{apart}"


@remembered
def make_packing(product: Product, arithmetic: Arithmetic) -> Packing:
    """Return the packing that products like this one read, however many rows they have."""
    pack: Pack = "flip" if product.transpose_w else "copy"
    gates = product.gates
    sections = column_panels(product.columns, arithmetic.lanes, panel_vectors(arithmetic), pack, gates)
    sections = tuple(changed(part, turns=turns_of(product, arithmetic, part)) for part in sections)
    row = sum(section.count * section.across for section in sections) * arithmetic.packed_bytes
    matrices = 1 if product.shared_w else product.batch
    nbytes = lead_bytes(sections) + row * product.k
    strides = product.w_strides
    return Packing(
        product.stored,
        arithmetic.packed,
        arithmetic.lanes,
        matrices,
        product.n,
        product.k,
        product.transpose_w,
        sections,
        nbytes,
        gates,
        strides,
    )


def of_one_member(product: Product) -> Product:
    """The product of one member of the batch, whose second operand may lie within that of all."""
    strides = product.w_strides
    return changed(product, batch=1, w_strides=None if strides is None else Strides(strides.row))


def members_of(product: Product) -> tuple[tuple[int, int], ...]:
    """Of each axis of the batch, slowest first, its size and the elements from one second operand to the next."""
    if product.w_strides is None:
        return ((product.batch, product.n * product.k),)
    return product.w_strides.members


@frozen
class PanelSet:
    """Equal panels of a packed operand beside each other: each [tile][term][gate of the tile][column of one gate]."""

    start: int
    """Columns of each gate before them."""
    count: int
    vectors: int
    """Across all gates of a tile."""
    gates: int = 1
    """Of a tile."""
    tiles: int = 1
    turns: int = 1
    """As in `ColumnPanels`."""


Element = Callable[[Space, Sequence[Expr], Sequence[Expr], Expr, Expr], Expr]
"""`element(space, groups, terms, gate, column)`: of the operand, as it is packed."""


def into_panels(
    nests: Nests,
    dtype: DType,
    panels: Sequence[PanelSet],
    lanes: int,
    sizes: tuple[tuple[int, ...], tuple[int, ...]],
    per_group: int,
    columns: int,
    element: Element,
    lead: int = 0,
) -> list[Nest]:
    """Copy elements into the panels of each group, param 0; columns that do not exist are 0.

    Args:
        nests: of the kernel.
        dtype: of the panels.
        panels: of a group.
        lanes: of a vector.
        sizes: of the axes that count groups, and of those that count terms.
        per_group: elements of all panels of a group.
        columns: of each gate.
        element: of the operand.
        lead: elements of a group before its panels, which become 0.
    """
    (group_sizes, term_sizes), interner = sizes, nests.interner
    k, copies = product_of(term_sizes), list[Nest]()
    zero = zero_of(interner, dtype)
    if lead:
        space = Space(interner, dict(enumerate((*group_sizes, lead))))
        group = space.flat(tuple(map(space.axis, range(len(group_sizes)))), group_sizes)
        place = space.affine([(group, per_group), (space.axis(len(group_sizes)), 1)])
        copies.append(nests.nest((), [LoopedStatement((*group_sizes, lead), Statement(0, place, zero))]))
    for each in panels:
        across, of_gate = each.vectors * lanes, each.vectors // each.gates * lanes
        for first, count, lane_of_first, width in _pieces(each, of_gate, columns):
            outer = (*group_sizes, count, each.tiles, each.gates, *term_sizes)
            looped = (*(size for size in outer if not same(size, 1)), width)
            space, numbers = Space(interner, dict(enumerate(looped))), itertools.count()
            axes = tuple(interner.number(0) if same(size, 1) else space.axis(next(numbers)) for size in outer)
            axes = (*axes, space.axis(len(looped) - 1))
            groups, (panel, tile, gate) = axes[: len(group_sizes)], axes[len(group_sizes) :][:3]
            terms, lane = axes[len(group_sizes) + 3 : -1], axes[-1]
            term = space.flat(terms, term_sizes)
            row, before = [(gate, of_gate), (lane, 1)], lane_of_first
            if each.turns > 1:
                flat, together = space.affine(row, before), each.turns * lanes
                register = space.mod(space.floordiv(flat, lanes), each.turns)
                row = [(space.floordiv(flat, together), together), (space.mod(flat, lanes), each.turns), (register, 1)]
                before = 0
            within = [(tile, across * k), (term, across), *row]
            place = space.affine(
                [(space.flat(groups, group_sizes), per_group), (panel, each.tiles * across * k), *within],
                lead + (each.start + first * of_gate) * each.gates * each.tiles * k + before,
            )
            column = space.affine([(panel, of_gate), (lane, 1)], each.start + first * of_gate + lane_of_first)
            value = zero
            if is_symbolic(columns):
                inside = interner.call(int64, "min", (column, interner.number(columns - 1)))
                exists = interner.call(bool_, "lt", (column, interner.number(columns)))
                number = space.affine([(tile, each.gates), (gate, 1)])
                value = interner.select(exists, element(space, groups, terms, number, inside), zero)
            elif each.start + first * of_gate + lane_of_first < columns:
                value = element(space, groups, terms, space.affine([(tile, each.gates), (gate, 1)]), column)
            copies.append(nests.nest((), [LoopedStatement(looped, Statement(0, place, value))]))
    return copies


def zero_of(interner: Interner, dtype: DType) -> Expr:
    """The number 0."""
    return interner.const(dtype, 0.0 if is_float(dtype) else False if dtype == bool_ else 0)


def _pieces(panels: PanelSet, width: int, columns: int) -> Iterator[tuple[int, int, int, int]]:
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


@remembered
def packing_kernel(packing: Packing, machine: Target) -> Kernel:
    """Copy the operand, param 1, into panels, param 0: ordinary loops, in squares that are turned where it lies
    [n, k].
    """
    of, to, n, k = packing.dtype, packing.packed, packing.n, packing.k
    interner = Interner()
    params = Param(to, packing.nbytes // to.itemsize, True), Param(of, packing.source_elements, False)
    nests = Nests(machine, params, interner)
    row = (k if packing.transpose_w else n) if packing.strides is None else packing.strides.row
    per_column, per_term = (row, 1) if packing.transpose_w else (1, row)
    per_gate, members = n // packing.gates * per_column, packing.members

    def element(space: Space, which: Sequence[Expr], terms: Sequence[Expr], gate: Expr, column: Expr) -> Expr:
        matrices = [(axis, stride) for axis, (_, stride) in zip(which, members, strict=True)]
        place = space.affine([*matrices, (terms[0], per_term), (gate, per_gate), (column, per_column)])
        return interner.cast(interner.load(of, 1, (place,)), to)

    panels = [
        PanelSet(each.start, each.count, each.vectors, each.gates, each.tiles, each.turns) for each in packing.sections
    ]
    sizes = tuple(size for size, _ in members), (k,)
    per_matrix = packing.matrix_bytes // to.itemsize
    lead = packing.lead_bytes // to.itemsize
    copies = into_panels(nests, to, panels, packing.lanes, sizes, per_matrix, n // packing.gates, element, lead)
    return Kernel(params, (), tuple(copies))


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
    return Kernel(params, (), (Nests(machine, params, interner).nest((), [copy]),))


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
    if not (arithmetic.is_float or arithmetic.paired or arithmetic.converts):
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
