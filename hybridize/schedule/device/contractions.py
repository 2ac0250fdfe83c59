# SPDX-License-Identifier: Apache-2.0
"""Contractions on a device: products of matrices, and those of index maps, as tiles of rows, columns and terms.

    convolution           x[n, c, s*y + d*r - p]  w[o, c, r]  ->  [n, o, y]
    as implicit product   rows o, columns (n, y), terms (c, r); zeros beyond the border of x

Nothing is copied: each element is found by the index maps where a tile brings it into shared memory. Contractions whose
indices are divided, as of gradients of strided windows, are a launch for each phase (see `contraction.phases`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial

from hybridize.base.dims import hint, product, same, text
from hybridize.base.dtypes import DType, bfloat16, float16, float32
from hybridize.base.frozen import changed, frozen
from hybridize.base.types import Shape
from hybridize.loops.contraction import Contraction, Role, roles
from hybridize.machine.device import DeviceTarget
from hybridize.machine.target import Target
from hybridize.schedule.contraction.ending import Ending
from hybridize.schedule.contraction.matrices import MatrixProduct, matrix_product
from hybridize.schedule.contraction.parts import Part, whole
from hybridize.schedule.contraction.phases import phases
from hybridize.schedule.contraction.plan import ContractionPlan, ElementTypes
from hybridize.schedule.contraction.product import Product
from hybridize.schedule.device import thresholds
from hybridize.schedule.device.neighbours import accesses_of, factor_of, neighbours_at_once
from hybridize.schedule.device.operands import BlockOperand, mapped_operand, matrix_operands
from hybridize.schedule.device.tiles import BlockGrid, Unit, make_grid
from hybridize.schedule.kernel import Launch


@frozen
class PlacedAxis:
    """An axis of the result, and the index that the first and the next ones of a launch are."""

    axis: int
    size: int
    step: int = 1
    first: int = 0


@frozen
class BlockSums:
    """The tiles of a launch: operands, the axes of the result by batch, rows and columns."""

    grid: BlockGrid
    operands: tuple[BlockOperand, BlockOperand]
    axes: tuple[tuple[PlacedAxis, ...], tuple[PlacedAxis, ...], tuple[PlacedAxis, ...]]
    neighbours: tuple[int, int] = (1, 1)
    """Elements of each operand that a thread brings into shared memory at once."""
    stored: int = 1
    """Results along the last axis of columns that a thread stores at once."""

    def widened(self, most: tuple[int, int], ending: Ending, nbytes: int) -> BlockSums:
        """Return the same tiles, whose threads bring and store as many elements at once as may be: so many of each
        operand at most, and so many bytes of results.
        """
        grid, tile = self.grid, self.grid.tile
        width = tile.n // grid.gates
        x, w = self.operands
        x_count = x.neighbours(most[0], (tile.k if x.by_terms else tile.m,))
        w_count = w.neighbours(most[1], (tile.k,) if w.by_terms else (width, grid.columns))
        stored = math.gcd(width, self._results_at_once(ending, nbytes))
        after = grid.after and Launch.of(grid.batch * grid.m * grid.columns // stored, thresholds.THREADS)
        return changed(self, grid=changed(grid, after=after), neighbours=(x_count, w_count), stored=stored)

    def _results_at_once(self, ending: Ending, nbytes: int) -> int:
        """Count the neighbours whose epilogue a thread may compute at once."""
        last = self.axes[2][-1] if self.axes[2] else PlacedAxis(0, 1)
        accesses = [one for one in accesses_of(ending.stores, last.axis) if one.buffer >= 0]
        stored = {one.buffer for one in ending.stores}
        is_read_back = any(load.operand in stored for load in ending.loads)
        is_aligned = all(ending.params[one.buffer].aligned for one in accesses)
        if not same(last.step, 1) or is_read_back or not is_aligned or ending.following == "heavy":
            return 1
        dtypes = {number: one.dtype for number, one in enumerate(ending.params)}
        count = neighbours_at_once(accesses, dtypes, nbytes, thresholds.MOST_NEIGHBOURS)
        return math.gcd(count, factor_of(last.size), factor_of(last.first))

    def __str__(self) -> str:
        counts = zip(("x", "w", "results"), (*self.neighbours, self.stored), strict=True)
        names = [f"{count} of {name}" for name, count in counts if count > 1]
        return f"{self.grid}\nat once {', '.join(names)}" if names else str(self.grid)


@frozen
class BlockPlan(ContractionPlan):
    """The plan of a contraction on a device: each block of a launch computes a tile."""

    name: str
    """The sum, as it is printed."""
    launches: tuple[BlockSums, ...]
    """Each of other elements of the result."""
    is_mapped: bool = False
    """True if operands are found by index maps."""

    @property
    def units(self) -> int:
        return 1

    @property
    def scratch_bytes(self) -> int:
        return max((one.grid.part_elements * self.elements.itemsize for one in self.launches), default=0)

    def __str__(self) -> str:
        lines = [self.name]
        for one in self.launches:
            if self.is_mapped:
                x, w = one.operands
                sizes = ", ".join(f"{name} {text(getattr(one.grid, name))}" for name in ("batch", "m", "n", "k"))
                lines += [sizes, f"  x {x}", f"  w {w}"]
            lines.append(str(one))
        return "\n".join(lines)


@frozen
class ImplicitProduct:
    """A contraction whose tiles find their operands by index maps."""

    contraction: Contraction
    """Its operands in the order in which the tiles take them."""
    swapped: bool
    """True if that is not the order of the node."""
    shapes: tuple[Shape, Shape]
    batch: tuple[int, ...]
    rows: tuple[int, ...]
    columns: tuple[int, ...]
    """They have the axis along which elements of the result lie side by side."""

    def is_like(self, other: ImplicitProduct) -> bool:
        """Tell whether the same kind of tiles computes another contraction of the operands in this order."""
        return not other.swapped


def block_product(contraction: Contraction, shapes: tuple[Shape, Shape]) -> MatrixProduct | ImplicitProduct | None:
    """Find the tiles that suit a contraction; None where it is a loop of folds."""
    matrices = matrix_product(contraction, shapes)
    if matrices is None:
        return implicit_product(contraction, shapes)
    if matrices.product.integers > 1 or _are_few(matrices.product.m, matrices.product.n):
        return None
    return matrices


def implicit_product(contraction: Contraction, shapes: tuple[Shape, Shape]) -> ImplicitProduct | None:
    """Return the contraction as tiles by index maps; None where rows or columns are few, or there are no elements."""
    sums, sizes = contraction.precision, contraction.sizes
    if contraction.integers > 1 or not (sums.is_default or sums.result == sums.accumulate):
        return None
    if any(same(size, 0) for size in (*sizes, *shapes[0], *shapes[1])):
        return None
    kinds = roles(contraction)
    batch, rows, columns = (
        tuple(axis for axis, role in enumerate(kinds) if role is wanted)
        for wanted in (Role.BATCH, Role.ROW, Role.COLUMN)
    )
    if _are_few(product(sizes[axis] for axis in rows), product(sizes[axis] for axis in columns)):
        return None
    last = max((axis for axis in (*rows, *columns) if not same(sizes[axis], 1)), default=-1)
    if last in columns:
        return ImplicitProduct(contraction, False, shapes, batch, rows, columns)
    turned = changed(contraction, x=contraction.w, w=contraction.x)
    return ImplicitProduct(turned, True, (shapes[1], shapes[0]), batch, columns, rows)


def _are_few(m: int, n: int) -> bool:
    """Tell whether tiles would be mostly empty."""
    return min(hint(m), hint(n)) < thresholds.FEW_ROWS


def plan_of_matrices(of: Product, target: Target) -> BlockPlan:
    """Decide the tiles of a product of matrices."""
    grid = _grids(of.elements, target)(batch=of.batch, m=of.m, n=of.n, k=of.k, gates=of.gates)
    axes = (PlacedAxis(0, of.batch),), (PlacedAxis(1, of.m),), (PlacedAxis(2, of.columns),)
    return BlockPlan(
        elements=of.elements, lanes=1, sizes=(of.batch, of.m, of.columns), stores="buffer", name=str(of),
        launches=(BlockSums(grid, matrix_operands(of), axes),),
    )  # fmt: skip


def plan_of_maps(of: ImplicitProduct, strides: tuple[Sequence[int], Sequence[int]], target: Target) -> BlockPlan:
    """Decide the tiles of a contraction whose operands lie with these strides."""
    contraction = of.contraction
    elements = ElementTypes(contraction.precision)
    grids = _grids(elements, target)
    launches = tuple(_sums_of(part, of, strides, grids) for part in phases(contraction) or (whole(contraction),))

    def listed(axes: Sequence[int]) -> str:
        return " ".join(f"a{axis}<{text(contraction.sizes[axis])}>" for axis in axes) or "-"

    rank = len(contraction.shape)
    terms = range(rank, len(contraction.sizes))
    name = f"{elements} by maps: batch {listed(of.batch)}, rows {listed(of.rows)}, columns {listed(of.columns)}, "
    return BlockPlan(
        elements=elements, lanes=1, sizes=contraction.shape, stores="buffer", name=f"{name}terms {listed(terms)}",
        launches=launches, is_mapped=True,
    )  # fmt: skip


def _grids(elements: ElementTypes, target: Target) -> Callable[..., BlockGrid]:
    """Return what decides the tiles of sums of these elements, by their sizes."""
    assert target.device is not None
    unit = unit_of(elements, target.device)
    return partial(make_grid, target.device, itemsize=elements.arithmetic(target).bytes, unit=unit)


def unit_of(elements: ElementTypes, device: DeviceTarget) -> Unit:
    """Choose who multiplies elements: tensor cores those of 16-bit floats, and float32 where the target says so."""
    operand, accumulate = elements.types.operand, elements.types.accumulate
    if accumulate != float32 or not device.tensor_cores:
        return "fma"
    units: dict[DType, Unit] = {bfloat16: "bf16", float16: "f16"}
    if device.tf32:
        units[float32] = "tf32"
    return units.get(operand, "fma")


def _sums_of(
    part: Part, of: ImplicitProduct, strides: tuple[Sequence[int], Sequence[int]], grids: Callable[..., BlockGrid]
) -> BlockSums:
    """Decide the tiles of a phase, as `grids` decides them."""
    contraction, places = part.contraction, part.places
    terms = tuple(range(contraction.rank, len(contraction.sizes)))
    sides = of.batch, of.rows, of.columns
    batch, m, n, k = (product(contraction.sizes[axis] for axis in axes) for axes in (*sides, terms))
    x, w = (
        mapped_operand(contraction, subscripts, shape, steps, (of.batch, along, terms))
        for subscripts, shape, steps, along in zip(
            (contraction.x, contraction.w), of.shapes, strides, (of.rows, of.columns), strict=True
        )
    )
    placed = (tuple(PlacedAxis(axis, contraction.sizes[axis], *places[axis]) for axis in axes) for axes in sides)
    members, rows, columns = placed
    return BlockSums(grids(batch=batch, m=m, n=n, k=k), (x, w), (members, rows, columns))
