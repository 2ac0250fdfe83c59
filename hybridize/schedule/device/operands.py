# SPDX-License-Identifier: Apache-2.0
"""The places of the elements of an operand, for the tiles of a device: matrices, and whatever index maps say.

A tile is over rows and columns, which count axes of the result as one, and over terms, which count the axes that are
summed over. So is an operand's element: a step for each index of an axis, and *borders*, axes of the operand that an
index may leave. What is outside is 0, as zeros around images are.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from hybridize.base.dims import product, same, text
from hybridize.base.frozen import frozen
from hybridize.base.types import Shape
from hybridize.loops.contraction import Contraction, Subscript, outside
from hybridize.schedule.contraction.product import Product, Strides
from hybridize.schedule.device.neighbours import factor_of


@frozen
class StridedWalk:
    """Axes that are counted as one, the last one fastest."""

    sizes: tuple[int, ...]
    steps: tuple[int, ...]
    """Elements of an operand from one index of each to the next."""

    def __str__(self) -> str:
        return " ".join(f"{text(size)}*{text(step)}" for size, step in zip(self.sizes, self.steps, strict=True)) or "-"


@frozen
class Border:
    """An axis of an operand that indices may leave, or whose indices are divided.

    Coefficients are those of a walk's axes.
    """

    size: int
    first: int
    batch: tuple[int, ...]
    along: tuple[int, ...]
    terms: tuple[int, ...]
    divisor: int = 1
    """There are elements only at its multiples."""
    step: int = 0
    """Elements from one quotient to the next; 0 without a divisor, where walks have all steps."""

    def __str__(self) -> str:
        divided = "" if same(self.divisor, 1) else f" / {text(self.divisor)} by {text(self.step)}"
        by = ", ".join(" ".join(map(text, one)) or "-" for one in (self.batch, self.along, self.terms))
        return f"[{by}] from {text(self.first)}{divided} in {text(self.size)}"


@frozen
class BlockOperand:
    """The elements of an operand, by the members of a batch, along a side of tiles, and by terms."""

    elements: int
    """From the first to the last one in memory."""
    first: int
    batch: StridedWalk
    along: StridedWalk
    terms: StridedWalk
    borders: tuple[Border, ...] = ()
    by_terms: bool = False
    """True if neighbouring terms lie closer together than neighbours along the tile."""

    def neighbours(self, most: int, multiples: Sequence[int]) -> int:
        """Count the neighbours that a thread brings at once, so many at most: they lie side by side, from a multiple of
        their number on, and a tile has all of them or none.

        Whatever of the tile has to be a multiple of them, too, is among the `multiples`.
        """
        fast, slow = (self.terms, self.along) if self.by_terms else (self.along, self.terms)
        leaving = (one.terms if self.by_terms else one.along for one in self.borders)
        if not fast.steps or not same(fast.steps[-1], 1) or any(not same(by[-1], 0) for by in leaving):
            return 1
        steps = (*fast.steps[:-1], *slow.steps, *self.batch.steps, *(one.step for one in self.borders))
        return math.gcd(most, *map(factor_of, (fast.sizes[-1], self.first, *steps, *multiples)))

    def __str__(self) -> str:
        by = ", ".join(map(str, (self.batch, self.along, self.terms)))
        borders = "".join(f"; within {border}" for border in self.borders)
        return f"{by} from {text(self.first)}{borders}"


def matrix_operands(of: Product) -> tuple[BlockOperand, BlockOperand]:
    """Return the operands of a product of matrices."""
    x = _matrix(of, of.m, of.x_row, of.x_strides, along_row=not of.transpose_x, shared=of.shared_x)
    return x, _matrix(of, of.n, of.w_row, of.w_strides, along_row=of.transpose_w, shared=of.shared_w)


def _matrix(
    of: Product, span: int, row: int, strides: Strides | None, *, along_row: bool, shared: bool
) -> BlockOperand:
    """Return an operand whose rows go along the tile, or over terms."""
    rows, close = (span, of.k) if along_row else (of.k, span)
    if shared or same(of.batch, 1):
        batch, reach = StridedWalk((), ()), (rows - 1) * row + close
    elif strides is None:
        batch, reach = StridedWalk((of.batch,), (rows * close,)), of.batch * rows * close
    else:
        batch = StridedWalk(tuple(size for size, _ in strides.members), tuple(step for _, step in strides.members))
        reach = (rows - 1) * row + close + sum((size - 1) * step for size, step in strides.members)
    along, terms = (row, 1) if along_row else (1, row)
    return BlockOperand(
        reach, 0, batch, StridedWalk((span,), (along,)), StridedWalk((of.k,), (terms,)), by_terms=along_row
    )


def mapped_operand(
    contraction: Contraction,
    subscripts: Sequence[Subscript],
    shape: Shape,
    strides: Sequence[int],
    axes: tuple[Sequence[int], Sequence[int], Sequence[int]],
) -> BlockOperand:
    """Return the operand that subscripts are of, in memory of these strides; `axes` are those of the batch, along the
    tile, and of terms.
    """
    sizes = contraction.sizes
    leaving = outside(subscripts, sizes, shape)
    steps = dict.fromkeys(range(len(sizes)), 0)
    first, bordered = 0, list[tuple[Subscript, int, int]]()
    for index, size, stride, leaves in zip(subscripts, shape, strides, leaving, strict=True):
        divided = not same(index.divisor, 1)
        if leaves or divided:
            bordered.append((index, size, stride if divided else 0))
        if not divided:
            first = first + index.offset * stride
            for axis, by in index.terms:
                steps[axis] = steps[axis] + by * stride
    moving = {axis for index, _, _ in bordered for axis in index.axes}
    members, side, terms = (_merged(part, sizes, steps, moving) for part in axes)

    def walk(groups: Sequence[tuple[int, ...]]) -> StridedWalk:
        counts = (product(sizes[axis] for axis in group) for group in groups)
        return StridedWalk(tuple(counts), tuple(steps[group[-1]] for group in groups))

    def border(index: Subscript, size: int, step: int) -> Border:
        batch, along, by_terms = (
            tuple(index.coefficient(group[-1]) for group in groups) for groups in (members, side, terms)
        )
        return Border(
            size=size, first=index.offset, batch=batch, along=along, terms=by_terms, divisor=index.divisor, step=step
        )

    return BlockOperand(
        elements=sum(((size - 1) * stride for size, stride in zip(shape, strides, strict=True)), 1),
        first=first,
        batch=walk(members),
        along=walk(side),
        terms=walk(terms),
        borders=tuple(border(*one) for one in bordered),
        by_terms=_is_by_terms(walk(side), walk(terms)),
    )


def _merged(
    axes: Sequence[int], sizes: Sequence[int], steps: Mapping[int, int], moving: set[int]
) -> list[tuple[int, ...]]:
    """Group axes that are as good as one for an operand; those of one index are left out."""
    groups: list[tuple[int, ...]] = []
    for axis in axes:
        if same(sizes[axis], 1):
            continue
        last = groups[-1][-1] if groups else -1
        if groups and not {axis, last} & moving and same(steps[last], steps[axis] * sizes[axis]):
            groups[-1] = (*groups[-1], axis)
        else:
            groups.append((axis,))
    return groups


def _is_by_terms(along: StridedWalk, terms: StridedWalk) -> bool:
    """Tell whether the fastest axis of terms has neighbours in memory, and that of the tile's side has not."""
    near = [bool(walk.steps) and same(walk.steps[-1], 1) for walk in (along, terms)]
    return near[1] and not near[0]
