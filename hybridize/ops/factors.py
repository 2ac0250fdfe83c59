# SPDX-License-Identifier: Apache-2.0
"""Factorisations of matrices, by LAPACK: Cholesky's, QR, eigenvalues, singular values.

Sources: Giles, Collected matrix derivative results for forward and reverse mode algorithmic differentiation, 2008;
Seeger et al., Auto-differentiating linear algebra, 2017.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy
from numpy.typing import NDArray

from hybridize.base.errors import ShapeError
from hybridize.base.frozen import frozen
from hybridize.base.types import TensorType
from hybridize.ops.arithmetic import add, div, mul, sub
from hybridize.ops.cases import sample_array
from hybridize.ops.matmul import matmul
from hybridize.ops.matrices import (
    Factor,
    by_column,
    by_row,
    columns,
    diagonal,
    diagonal_of,
    differences,
    half,
    masked,
    of_any_sizes,
    positive,
    quotients,
    skew,
    turned,
    well,
)
from hybridize.ops.op import Operand, Sample, type_of
from hybridize.ops.slicing import concat
from hybridize.ops.solutions import solve
from hybridize.ops.views import Gradient, like, spread

Arrays = tuple[NDArray[Any], ...]


@frozen
class Cholesky(Factor):
    """L such that L L^T = x, for x symmetric and positive definite; one triangle is read: the `upper` one gives L^T.

    The gradient is a symmetric matrix, as x is.
    """

    upper: bool = False

    def types(self, x: TensorType) -> tuple[TensorType, ...]:  # type: ignore[override]
        self.square(x)
        return (x,)

    def reference(self, x: NDArray[Any]) -> Arrays:
        return (numpy.linalg.cholesky(x, upper=True) if self.upper else numpy.linalg.cholesky(x),)

    def vjp(self, g: tuple[Operand], y: tuple[Operand], x: Operand) -> tuple[Gradient, ...]:
        """L^-T phi(L^T g) L^-1, made symmetric; phi is the lower triangle with half of the diagonal."""
        factor, by_factor = (turned(y[0]), turned(g[0])) if self.upper else (y[0], g[0])
        left = solve(turned(factor), masked(matmul(factor, by_factor, True), half))
        whole = solve(turned(factor), turned(left))
        return (mul(add(whole, turned(whole)), like(0.5, x)),)

    @classmethod
    def samples(cls) -> Iterator[Sample]:
        for upper in (False, True):
            for shape in ((3, 3), (2, 2, 2), (1, 1), (0, 0)):
                yield Sample((positive(shape),), cls(upper))
        yield Sample((sample_array((2, 3)),), cls(), fails=ShapeError)


@frozen
class QR(Factor):
    """q with orthonormal columns and r upper triangular, such that q r = x: [m, k] and [k, n], with k = min(m, n)."""

    def types(self, x: TensorType) -> tuple[TensorType, ...]:  # type: ignore[override]
        *b, m, n = x.shape
        k = min(m, n)
        return x.with_shape((*b, m, k)), x.with_shape((*b, k, n))

    def reference(self, x: NDArray[Any]) -> Arrays:
        return tuple(numpy.linalg.qr(x))

    def vjp(self, g: tuple[Operand, ...], y: tuple[Operand, ...], x: Operand) -> tuple[Gradient, ...]:
        """(g_q + q sym(r g_r^T - g_q^T q)) r^-T, where sym mirrors the lower triangle; of a wide x = [a, b], q and the
        left part of r are of a alone, and the rest of r is q^T b.
        """
        (q, r), (by_q, by_r) = y, g
        m, n = type_of(x).shape[-2:]
        if m < n:
            rest, by_rest = matmul(q, columns(r, m, n)), columns(by_r, m, n)
            by_q = add(by_q, matmul(rest, by_rest, False, True))
            r, by_r = columns(r, 0, m), columns(by_r, 0, m)
        apart = sub(matmul(r, by_r, False, True), matmul(by_q, q, True))
        low, under = masked(apart, numpy.tri), masked(apart, lambda k: numpy.tri(k, k, -1))
        whole = add(by_q, matmul(q, add(low, turned(under))))
        found = turned(solve(r, turned(whole)))
        return (found if m >= n else concat(found, matmul(q, by_rest), axis=type_of(x).ndim - 1),)

    @classmethod
    def samples(cls) -> Iterator[Sample]:
        yield from of_any_sizes(cls())


@frozen
class Eigh(Factor):
    """The eigenvalues of symmetric matrices, ascending, and unit eigenvectors as columns; one triangle is read.

    The gradient is a symmetric matrix, as x is; of eigenvectors it is infinite where eigenvalues come again.
    """

    upper: bool = False

    def types(self, x: TensorType) -> tuple[TensorType, ...]:  # type: ignore[override]
        self.square(x)
        return x.with_shape(x.shape[:-1]), x

    def reference(self, x: NDArray[Any]) -> Arrays:
        return tuple(numpy.linalg.eigh(x, "U" if self.upper else "L"))

    def vjp(self, g: tuple[Operand, ...], y: tuple[Operand, ...], x: Operand) -> tuple[Gradient, ...]:
        values, vectors = y
        turn = quotients(skew(matmul(vectors, g[1], True)), differences(values))
        inner = add(mul(turn, like(0.5, turn)), diagonal(g[0]))
        return (matmul(matmul(vectors, inner), vectors, False, True),)

    @classmethod
    def samples(cls) -> Iterator[Sample]:
        for upper in (False, True):
            for shape in ((3, 3), (2, 2, 2), (1, 1)):
                yield Sample((positive(shape),), cls(upper))
        yield Sample((sample_array((2, 3)),), cls(), fails=ShapeError)


@frozen
class Eig(Factor):
    """The eigenvalues of square matrices, all real, and unit eigenvectors as columns."""

    def types(self, x: TensorType) -> tuple[TensorType, ...]:  # type: ignore[override]
        self.square(x)
        return x.with_shape(x.shape[:-1]), x

    def reference(self, x: NDArray[Any]) -> Arrays:
        return tuple(numpy.ascontiguousarray(part.real) for part in numpy.linalg.eig(x))

    def vjp(self, g: tuple[Operand, ...], y: tuple[Operand, ...], x: Operand) -> tuple[Gradient, ...]:
        """Vectors keep their length: what would change it is taken away."""
        values, vectors = y
        moved = matmul(vectors, g[1], True)
        lengths = mul(matmul(vectors, vectors, True), by_column(diagonal_of(moved), x))
        inner = add(quotients(sub(moved, lengths), differences(values)), diagonal(g[0]))
        return (solve(turned(vectors), matmul(inner, vectors, False, True)),)

    @classmethod
    def samples(cls) -> Iterator[Sample]:
        for shape in ((3, 3), (2, 2, 2), (1, 1)):
            yield Sample((numpy.triu(well(shape)) + 0.1 * positive(shape),), cls())
        yield Sample((sample_array((2, 3)),), cls(), fails=ShapeError)


@frozen
class SVD(Factor):
    """u [m, k], s [k] descending, v^T [k, n] with x = u diag(s) v^T, k = min(m, n), columns of u and v orthonormal.

    The gradient of u and v is infinite where singular values come again, or two are 0.
    """

    def types(self, x: TensorType) -> tuple[TensorType, ...]:  # type: ignore[override]
        *b, m, n = x.shape
        k = min(m, n)
        return x.with_shape((*b, m, k)), x.with_shape((*b, k)), x.with_shape((*b, k, n))

    def reference(self, x: NDArray[Any]) -> Arrays:
        return tuple(numpy.linalg.svd(x, full_matrices=False))

    def vjp(self, g: tuple[Operand, ...], y: tuple[Operand, ...], x: Operand) -> tuple[Gradient, ...]:
        u, s, vh = y
        by_u, by_s, by_vh = g
        m, n = type_of(x).shape[-2:]
        k = min(m, n)
        square = type_of(matmul(u, u, True))
        apart = differences(mul(s, s))
        over, along = spread(s, square.shape, (square.ndim - 1,)), spread(s, square.shape, (square.ndim - 2,))
        left = mul(quotients(skew(matmul(u, by_u, True)), apart), along)
        right = mul(over, quotients(skew(matmul(vh, by_vh, False, True)), apart))
        found = matmul(matmul(u, add(add(left, right), diagonal(by_s))), vh)
        if m > k:
            beyond = sub(by_u, matmul(u, matmul(u, by_u, True)))
            found = add(found, matmul(div(beyond, by_column(s, beyond)), vh))
        if n > k:
            beyond = sub(by_vh, matmul(matmul(by_vh, vh, False, True), vh))
            found = add(found, matmul(u, div(beyond, by_row(s, beyond))))
        return (found,)

    @classmethod
    def samples(cls) -> Iterator[Sample]:
        yield from of_any_sizes(cls())
