# SPDX-License-Identifier: Apache-2.0
"""Rows of TensorFlow about stacks of matrices: their diagonals, factors, inverses; and Fourier transforms.

The signs of singular vectors and of eigenvectors are ours; see `ops.signs`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from hybridize import ops
from hybridize.base import dims
from hybridize.base.dtypes import float64, int32, int64
from hybridize.formats.foreign.arrays import aligned, elementwise
from hybridize.formats.foreign.known import Known
from hybridize.formats.foreign.walk import Application
from hybridize.formats.tensorflow.shapes import dtype_of
from hybridize.formats.tensorflow.vocabulary import TENSORFLOW
from hybridize.ops import complexes, matrices
from hybridize.ops.elimination import factored, solve_triangular
from hybridize.ops.factors import QR, SVD, Cholesky, Eigh
from hybridize.ops.fourier import Fourier, InverseRealFourier, RealFourier
from hybridize.ops.library.signals import of_length
from hybridize.ops.op import Operand, bind, bind1, type_of
from hybridize.ops.solutions import Det, Inverse, SlogDet, Solve
from hybridize.ops.world import Solvable

# ------------------------------------------------------------------------------------------------------------ diagonals


def _smaller(x: Any, y: Any) -> Any:
    return x + y - dims.maximum(x, y)


class _Diagonals:
    """The diagonals `k` of matrices, from the highest to the lowest, as rows of an array whose length is the longest's.

    The main diagonal is 0, those above it are positive.
    """

    def __init__(self, n: Application, sizes: Sequence[Any], k: list[int]) -> None:
        self.rows, self.columns = sizes
        self.low, self.high = int(k[0]), int(k[-1])
        self.longest = _smaller(self.length(min(self.high, 0)), self.length(max(self.low, 0)))
        above, below = n.text("align", "RIGHT_LEFT" if n.node.op.endswith("V3") else "LEFT_LEFT").split("_")
        self.is_left = {1: above == "LEFT", -1: below == "LEFT", 0: "LEFT" in (above, below)}

    def length(self, k: int) -> Any:
        """The number of elements of a diagonal."""
        return _smaller(self.rows + min(k, 0), self.columns - max(k, 0))

    def first(self, k: int) -> Any:
        """The place of a diagonal's first element in its row."""
        return 0 if self.is_left[(k > 0) - (k < 0)] else self.longest - self.length(k)

    def each(self) -> Iterator[tuple[int, int]]:
        """Each diagonal and its row."""
        return ((k, self.high - k) for k in range(self.low, self.high + 1))

    def put_into(self, base: Operand, rows: Operand, is_one: bool) -> Operand:
        """Matrices with these diagonals; of `is_one` there is no axis of rows."""
        shape = type_of(base).shape
        grid = (self.rows, self.columns)
        row, column = (ops.iota(grid, axis, int64) for axis in (0, 1))
        last = type_of(rows).ndim - 1
        for k, number in self.each():
            one = rows
            if not is_one:
                one = ops.part(rows, last - 1, number, number + 1)
                one = ops.reshape(one, (*type_of(one).shape[:-2], type_of(one).shape[-1]))
            if k == 0 and is_one and dims.same(self.rows, self.columns):
                spread = matrices.by_column(one, base)
            else:
                place = ops.add(ops.min(row, column), ops.like(self.first(k), row))
                place = ops.max(ops.min(place, ops.like(self.longest - 1, place)), ops.like(0, place))
                spread = ops.gather(one, place, type_of(one).ndim - 1)
            own = ops.eq(ops.sub(column, row), ops.like(k, row))
            base = ops.where(aligned(own, shape), spread, base)
        return base

    def of(self, x: Operand, is_one: bool, filler: Operand) -> Operand:
        """The diagonals of matrices as rows."""
        *batch, _, _ = type_of(x).shape
        flat = ops.reshape(x, (*batch, self.rows * self.columns))
        rows = []
        for k, _ in sorted(self.each(), reverse=True):
            length, first = self.length(k), self.first(k)
            place = ops.iota((length,), 0, int64)
            start = max(-k, 0) * self.columns + max(k, 0)
            place = ops.add(ops.mul(place, ops.like(self.columns + 1, place)), ops.like(start, place))
            row = ops.gather(flat, place, len(batch))
            none = (0,) * len(batch)
            row = ops.pad(row, filler, (*none, first), (*none, self.longest - length - first))
            rows.append(row if is_one else ops.reshape(row, (*batch, 1, self.longest)))
        return rows[0] if is_one else ops.concat(*rows, axis=len(batch))


def _has_one(k: Known) -> bool:
    return len(set(k.list())) == 1


@TENSORFLOW("MatrixDiag")
def diagonal_matrices(n: Application, x: Operand) -> Operand:
    """Matrices that are 0 but for their main diagonal."""
    return matrices.diagonal(x)


@TENSORFLOW("MatrixDiagV2", "MatrixDiagV3", known=(1, 2, 3))
def band_matrices(n: Application, x: Operand, k: Known, rows: Known, columns: Known, filler: Operand) -> Operand:
    """Matrices that are one number but for some diagonals."""
    low, high = k.list()[0], k.list()[-1]
    *batch, longest = type_of(x).shape
    if not _has_one(k):
        batch.pop()
    least = longest - min(high, 0), longest + max(low, 0)
    sizes = [one.item() for one in (rows, columns)]
    if sizes == [-1, -1]:
        sizes = [dims.maximum(*least)] * 2
    height, width = (least[axis] if size == -1 else size for axis, size in enumerate(sizes))
    base = ops.broadcast(ops.reshape(filler, ()), (*batch, height, width))
    return _Diagonals(n, (height, width), k.list()).put_into(base, x, _has_one(k))


@TENSORFLOW("MatrixSetDiag")
def with_diagonal(n: Application, x: Operand, diagonal: Operand) -> Operand:
    """Matrices with another main diagonal."""
    return with_diagonals(n, x, diagonal, Known.of(0))


@TENSORFLOW("MatrixSetDiagV2", "MatrixSetDiagV3", known=(2,))
def with_diagonals(n: Application, x: Operand, diagonals: Operand, k: Known) -> Operand:
    """Matrices with other diagonals."""
    return _Diagonals(n, type_of(x).shape[-2:], k.list()).put_into(x, diagonals, _has_one(k))


@TENSORFLOW("MatrixDiagPart")
def main_diagonals(n: Application, x: Operand) -> Operand:
    """The main diagonals of matrices."""
    return diagonals_of(n, x, Known.of(0), ops.scalar(0, type_of(x).dtype))


@TENSORFLOW("MatrixDiagPartV2", "MatrixDiagPartV3", known=(1,))
def diagonals_of(n: Application, x: Operand, k: Known, filler: Operand) -> Operand:
    """Some diagonals of matrices, shorter ones filled up."""
    return _Diagonals(n, type_of(x).shape[-2:], k.list()).of(x, _has_one(k), filler)


@TENSORFLOW("Diag")
def diagonal_array(n: Application, x: Operand) -> Operand:
    """An array of twice the axes, 0 but where the first half of the indices is the second."""
    shape = type_of(x).shape
    return ops.reshape(matrices.diagonal(ops.reshape(x, (math.prod(shape),))), (*shape, *shape))


@TENSORFLOW("DiagPart")
def diagonal_of_array(n: Application, x: Operand) -> Operand:
    """The elements whose first half of the indices is the second."""
    shape = type_of(x).shape[: type_of(x).ndim // 2]
    size = math.prod(shape)
    return ops.reshape(main_diagonals(n, ops.reshape(x, (size, size))), shape)


@TENSORFLOW("Cross")
def cross(n: Application, x: Operand, y: Operand) -> Operand:
    """The cross products of vectors of three components."""
    last = type_of(x).ndim - 1
    first, second = (
        ops.concat(ops.part(one, last, by, 3), ops.part(one, last, 0, by), axis=last) for one, by in ((x, 1), (y, 1))
    )
    turned = ops.sub(ops.mul(x, second), ops.mul(first, y))
    return ops.concat(ops.part(turned, last, 1, 3), ops.part(turned, last, 0, 1), axis=last)


# -------------------------------------------------------------------------------------------------------------- factors


@TENSORFLOW("Cholesky")
def cholesky(n: Application, x: Operand) -> Operand:
    """The lower triangle whose product with its transposed is a matrix; NaN where there is none."""
    y = bind1(Cholesky(False, False), x)
    return matrices.lower(ops.where(ops.isinf(y), ops.like(math.nan, y), y))


def _inverted(n: Application, x: Operand) -> None:
    """Stop where a matrix has no inverse."""
    diagonal = matrices.diagonal_of(factored(ops.cast(x, float64))[0])
    fine = ops.ne(diagonal, ops.like(0, diagonal))
    bind(Solvable(f"{n.place}: the matrix has no inverse"), ops.all(fine, tuple(range(type_of(fine).ndim))))


@TENSORFLOW("MatrixInverse")
def inverse(n: Application, x: Operand) -> Operand:
    """The inverse of matrices, or of their transposed."""
    _inverted(n, x)
    y = bind1(Inverse(False), x)
    return matrices.turned(y) if n.flag("adjoint") else y


@TENSORFLOW("MatrixSolve")
def solution(n: Application, x: Operand, b: Operand) -> Operand:
    """The solution of linear equations."""
    _inverted(n, x)
    return bind1(Solve(False, n.flag("adjoint")), x, b)


@TENSORFLOW("MatrixTriangularSolve")
def triangular_solution(n: Application, x: Operand, b: Operand) -> Operand:
    """The solution of triangular equations; stacks stretch to each other."""
    shapes = type_of(x).shape, type_of(b).shape
    batch = dims.broadcast(shapes[0][:-2], shapes[1][:-2])
    if batch is None:
        n.fail(f"{type_of(x)} and {type_of(b)} are no stacks of one shape")
    x, b = (aligned(one, (*batch, *shape[-2:])) for one, shape in zip((x, b), shapes, strict=True))
    return solve_triangular(x, b, lower=n.flag("lower", True), transposed=n.flag("adjoint"))


@TENSORFLOW("MatrixDeterminant")
def determinant(n: Application, x: Operand) -> Operand:
    """The determinants of matrices."""
    return bind1(Det(), x)


@TENSORFLOW("LogMatrixDeterminant")
def logarithm_of_determinant(n: Application, x: Operand) -> tuple[Operand, ...]:
    """The signs of determinants, and the logarithms of their magnitudes."""
    return tuple(bind(SlogDet(), x))


@TENSORFLOW("Svd")
def singular_values(n: Application, x: Operand) -> tuple[Operand, ...]:
    """The singular values of matrices, and their singular vectors as columns."""
    left, values, right = bind(SVD(n.flag("full_matrices")), x)
    return (values, left, matrices.turned(right)) if n.flag("compute_uv", True) else (values,)


@TENSORFLOW("Qr")
def orthonormal(n: Application, x: Operand) -> tuple[Operand, ...]:
    """Matrices as orthonormal columns times an upper triangle."""
    return tuple(bind(QR(n.flag("full_matrices")), x))


@TENSORFLOW("SelfAdjointEigV2")
def eigenvectors(n: Application, x: Operand) -> tuple[Operand, ...]:
    """The eigenvalues of symmetric matrices, ascending, and their eigenvectors as columns: of the lower triangle, which
    alone has a gradient.
    """
    x = ops.add(matrices.lower(x), matrices.turned(matrices.lower(x, 0.0)))
    values, vectors = bind(Eigh(False), x)
    return (values, vectors) if n.flag("compute_v", True) else (values,)


@TENSORFLOW("Lu")
def triangles(n: Application, x: Operand) -> tuple[Operand, Operand]:
    """The triangular factors of matrices in one, and the order of rows that they are of."""
    factors, order, _ = factored(x)
    return factors, ops.cast(order, dtype_of(n, "output_idx_type", int32))


# ----------------------------------------------------------------------------------------------------- complex numbers


def _transposed(n: Application, x: Operand, axes: Known) -> Operand:
    return complexes.conj(ops.transpose(x, n.axes_of(axes.list(), type_of(x).ndim)))


TENSORFLOW("ConjugateTranspose", known=(1,))(_transposed)
TENSORFLOW.plain({
    "Real": complexes.real, "Imag": complexes.imag, "Conj": complexes.conj,
    "Complex": elementwise(complexes.from_parts), "ComplexAbs": ops.abs,
    "Angle": lambda z: ops.arctan2(complexes.imag(z), complexes.real(z)),
})  # fmt: skip


def _transform(rank: int, inverse: bool) -> Callable[..., Operand]:
    def row(n: Application, x: Operand) -> Operand:
        for axis in range(type_of(x).ndim - rank, type_of(x).ndim):
            x = bind1(Fourier(axis, inverse), x)
        return x

    return row


def _real_transform(rank: int, inverse: bool) -> Callable[..., Operand]:
    def row(n: Application, x: Operand, lengths: Known) -> Operand:
        first = type_of(x).ndim - rank
        sizes = [int(size) for size in lengths.list()]
        last = type_of(x).ndim - 1
        for axis, size in enumerate(sizes, first):
            x = of_length(x, axis, size // 2 + 1 if inverse and axis == last else size)
        if not inverse:
            x = bind1(RealFourier(last), x)
        for axis in range(first, last):
            x = bind1(Fourier(axis, inverse), x)
        return bind1(InverseRealFourier(last, sizes[-1]), x) if inverse else x

    return row


for _rank, _of in ((1, ""), (2, "2D"), (3, "3D")):
    TENSORFLOW(f"FFT{_of}")(_transform(_rank, False))
    TENSORFLOW(f"IFFT{_of}")(_transform(_rank, True))
    TENSORFLOW(f"RFFT{_of}", known=(1,))(_real_transform(_rank, False))
    TENSORFLOW(f"IRFFT{_of}", known=(1,))(_real_transform(_rank, True))
