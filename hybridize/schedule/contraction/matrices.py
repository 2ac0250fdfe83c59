# SPDX-License-Identifier: Apache-2.0
"""Recognise contractions that are products of matrices in order, either one transposed, or shared by a batch."""

from __future__ import annotations

from collections.abc import Sequence

from hybridize.base.dims import hint, product, same
from hybridize.base.frozen import changed, frozen
from hybridize.base.precision import Precision
from hybridize.base.types import Shape
from hybridize.loops.contraction import Contraction, Subscript, subscript
from hybridize.schedule.contraction.product import Product, Strides
from hybridize.schedule.homes import Home, is_contiguous


@frozen
class MatrixProduct:
    """A contraction of the form y[batch, m, n] = sum over k of x[batch, m, k] w[batch, k, n]."""

    contraction: Contraction
    shapes: tuple[Shape, Shape]
    product: Product
    """As one of the rows of the whole batch, where these meet one matrix."""
    shared_w: bool
    """The second operand is one matrix for the whole batch."""

    @property
    def batch(self) -> int:
        """Products that are computed."""
        return product(self.contraction.shape[:-2])

    @property
    def batch_axes(self) -> int:
        """The axes that count products."""
        return self.contraction.rank - 2

    @property
    def is_merged(self) -> bool:
        """True if it is one product of the rows of the whole batch, against one matrix."""
        return self.shared_w and not self.product.shared_w


@frozen
class MatrixLayout:
    """The matrices of a value as they lie in memory."""

    strides: Strides | None
    """None where they lie one after the other."""
    turned: bool = False
    """True if they lie transposed: it is their last axis but one whose elements lie close together."""


def memory_order(home: Home, shape: Shape, *, merged: bool) -> MatrixLayout | None:
    """Find how the matrices of a value of this shape lie at a home; None where products cannot read or store them.

    `merged`: the rows of all matrices are those of one.
    """
    if is_contiguous(home, shape):
        return MatrixLayout(None)
    if home.has_halo or len(shape) < 2:
        return None
    *batch, rows, columns = ((size, stride) for size, stride in zip(shape, home.strides, strict=True))
    turned = not same(columns[1], 1)
    if turned:
        rows, columns = columns, rows
    if not same(columns[1], 1) or hint(rows[1]) < 1 or (turned and merged):
        return None
    members: list[tuple[int, int]] = []
    for size, stride in batch:
        if same(size, 1):
            continue
        if members and same(members[-1][1], size * stride):
            members[-1] = (members[-1][0] * size, stride)
        else:
            members.append((size, stride))
    if not merged:
        return MatrixLayout(Strides(rows[1], tuple(members)), turned)
    if len(members) > 1 or (members and not same(members[0][1], rows[0] * rows[1])):
        return None
    return MatrixLayout(Strides(rows[1]))


def where_they_lie(of: Product, x: MatrixLayout, w: MatrixLayout, out: MatrixLayout) -> Product:
    """A product whose operands and result lie so."""
    if x.strides is None and w.strides is None and out.strides is None:
        return of
    return changed(
        of,
        transpose_x=of.transpose_x != x.turned,
        transpose_w=of.transpose_w != w.turned,
        x_strides=x.strides,
        w_strides=w.strides,
        out_strides=out.strides,
    )


def matrix_product(contraction: Contraction, shapes: tuple[Shape, Shape]) -> MatrixProduct | None:
    """The product of matrices that a contraction is; None where it is none.

    A convolution whose window is one element is one, too, over a single line of pixels: those of images may have zeros
    around them, where what comes before or after has windows, and are read and stored so by taps.
    """
    if sum(not same(size, 1) for size in contraction.shape) <= 2:
        contraction = _of_one_tap(contraction)
    rank, sizes = contraction.rank, contraction.sizes
    if rank < 2 or len(sizes) != rank + 1 or not _has_tiles(contraction.precision):
        return None
    batch, m, n, k = tuple(range(rank - 2)), rank - 2, rank - 1, rank
    x = _matrix(contraction.x, sizes, shapes[0], batch, (m, k))
    w = _matrix(contraction.w, sizes, shapes[1], batch, (k, n))
    if x is None or w is None:
        return None
    (transpose_x, shared_x), (transpose_w, shared_w) = x, w
    count, sums = product(contraction.shape[:-2]), contraction.precision
    of = Product(
        sums.operand, sizes[m], sizes[n], sizes[k], transpose_x=transpose_x, transpose_w=transpose_w,
        integers=contraction.integers, precision=None if sums.is_default else sums,
    )  # fmt: skip
    if shared_w and not shared_x and not transpose_x:
        of = changed(of, m=count * of.m)
    else:
        of = changed(of, batch=count, shared_x=shared_x, shared_w=shared_w)
    return MatrixProduct(contraction, shapes, of, shared_w)


def _of_one_tap(contraction: Contraction) -> Contraction:
    """A contraction without the axes of windows that are one element; one axis that is summed over stays."""
    rank, sizes = contraction.rank, contraction.sizes
    windows = [axis for axis in range(rank, len(sizes)) if same(sizes[axis], 1)]
    windows = windows[: len(sizes) - rank - 1]
    numbers = {axis: number for number, axis in enumerate(k for k in range(len(sizes)) if k not in windows)}

    def moved(index: Subscript) -> Subscript:
        return subscript([(numbers[k], by) for k, by in index.terms if k in numbers], index.offset, index.divisor)

    if not windows:
        return contraction
    x, w = (tuple(map(moved, one)) for one in (contraction.x, contraction.w))
    return changed(contraction, sizes=tuple(sizes[axis] for axis in numbers), x=x, w=w)


def _has_tiles(precision: Precision) -> bool:
    """Tell whether tiles of matrices have a precision: results are rounded as operands are, or not at all."""
    return precision.is_default or precision.result == precision.accumulate


def _matrix(
    subscripts: Sequence[Subscript], sizes: Sequence[int], shape: Shape, batch: tuple[int, ...], matrix: tuple[int, int]
) -> tuple[bool, bool] | None:
    """(its matrices are transposed, it has one for the whole batch); None where it has no matrices of these axes."""
    for axes, swapped in ((matrix, False), (matrix[::-1], True)):
        for members, shared in ((batch, False), ((), True)):
            if (not shared or batch) and _goes_over(subscripts, sizes, shape, (*members, *axes)):
                return swapped, shared
    return None


def _goes_over(subscripts: Sequence[Subscript], sizes: Sequence[int], shape: Shape, axes: tuple[int, ...]) -> bool:
    """Tell whether an operand is just these axes in order; more axes of size 1 may stand before them."""
    more = len(subscripts) - len(axes)
    return (
        more >= 0
        and all(same(size, 1) and _is_first(index) for index, size in zip(subscripts[:more], shape, strict=False))
        and all(
            same(size, sizes[axis]) and (index.axis == axis or (same(size, 1) and _is_first(index)))
            for index, size, axis in zip(subscripts[more:], shape[more:], axes, strict=True)
        )
    )


def _is_first(index: Subscript) -> bool:
    """Tell whether an index is always 0."""
    return not index.terms and same(index.offset, 0)
