# SPDX-License-Identifier: Apache-2.0
"""Recognise contractions that are products of matrices in order, either one transposed, or shared by a batch."""

from __future__ import annotations

from collections.abc import Sequence

from hybridize.base.dims import product, same
from hybridize.base.dtypes import DType, float32, is_float
from hybridize.base.frozen import frozen
from hybridize.base.types import Shape
from hybridize.loops.contraction import Contraction, Subscript
from hybridize.schedule.contraction.product import Product


@frozen
class MatrixProduct:
    """A contraction of the form y[batch, m, n] = sum over k of x[batch, m, k] w[batch, k, n]."""

    contraction: Contraction
    shapes: tuple[Shape, Shape]
    transpose_x: bool
    """x lies as [batch, k, m]."""
    transpose_w: bool
    shared_x: bool
    """x is one matrix for the whole batch."""
    shared_w: bool

    @property
    def batch(self) -> int:
        """Products that are computed."""
        return product(self.contraction.shape[:-2])


def product_of(of: MatrixProduct, dtype: DType) -> Product:
    """The sizes of a product; a batch of rows against one matrix is one product of more rows."""
    *_, m, n, k = of.contraction.sizes
    if of.shared_w and not of.shared_x and not of.transpose_x:
        return Product(dtype, of.batch * m, n, k, 1, of.transpose_x, of.transpose_w)
    return Product(dtype, m, n, k, of.batch, of.transpose_x, of.transpose_w, of.shared_x, of.shared_w)


def matrix_product(contraction: Contraction, shapes: tuple[Shape, Shape], dtype: DType) -> MatrixProduct | None:
    """The product of matrices of this dtype that a contraction is; None where it is none."""
    rank, sizes = contraction.rank, contraction.sizes
    wide = float32 if is_float(dtype) and dtype.itemsize == 2 else dtype
    if rank < 2 or len(sizes) != rank + 1 or contraction.result != dtype or contraction.accumulate != wide:
        return None
    batch, m, n, k = tuple(range(rank - 2)), rank - 2, rank - 1, rank
    x = _matrix(contraction.x, sizes, shapes[0], batch, (m, k))
    w = _matrix(contraction.w, sizes, shapes[1], batch, (k, n))
    if x is None or w is None:
        return None
    return MatrixProduct(contraction, shapes, x[0], w[0], x[1], w[1])


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
