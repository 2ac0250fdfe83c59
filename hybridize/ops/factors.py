# SPDX-License-Identifier: Apache-2.0
"""Factors of matrices: Cholesky's, QR, eigenvalues of symmetric ones, singular values.

Sources: Giles, Collected matrix derivative results for forward and reverse mode algorithmic differentiation, 2008;
Seeger et al., Auto-differentiating linear algebra, 2017.
"""

from __future__ import annotations

from typing import Any

import numpy
from numpy.typing import NDArray

from hybridize.base.errors import ArgumentError
from hybridize.base.frozen import frozen
from hybridize.base.types import TensorType
from hybridize.loops.expr import Element, Routine
from hybridize.ops import matrices
from hybridize.ops.arithmetic import add, div, mul, sub
from hybridize.ops.elimination import solve_triangular
from hybridize.ops.matmul import matmul
from hybridize.ops.op import OfComplex, Operand, bind, type_of
from hybridize.ops.signs import signed_eigh, signed_svd
from hybridize.ops.slicing import concat
from hybridize.ops.views import Gradient, like, spread

Arrays = tuple[NDArray[Any], ...]


@frozen
class Cholesky(matrices.Factor):
    """L such that L L^T = x, for x symmetric and positive definite; one triangle is read: the `upper` one gives L^T.

    Where x is not positive definite: an error if `strict`, else minus infinity. The gradient is symmetric, as x is.
    """

    of_complex = OfComplex.VALUED
    upper: bool = False
    strict: bool = True

    def reference(self, x: NDArray[Any]) -> Arrays:
        try:
            return (numpy.linalg.cholesky(x, upper=self.upper),)
        except numpy.linalg.LinAlgError:
            if self.strict:
                raise
        factors = [self._factor_or_infinite(each) for each in x.reshape(-1, *x.shape[-2:])]
        return (numpy.stack(factors).reshape(x.shape),)

    def _factor_or_infinite(self, x: NDArray[Any]) -> NDArray[Any]:
        try:
            return numpy.asarray(numpy.linalg.cholesky(x, upper=self.upper))
        except numpy.linalg.LinAlgError:
            return numpy.full_like(x, -numpy.inf)

    def vjp(self, g: tuple[Operand], y: tuple[Operand], x: Operand) -> tuple[Gradient, ...]:
        """L^-T phi(L^T g) L^-1, made symmetric; phi is the lower triangle with half of the diagonal."""
        factor, by_factor = (matrices.turned(y[0]), matrices.turned(g[0])) if self.upper else (y[0], g[0])
        inner = matrices.lower(matmul(factor, by_factor, True), 0.5)
        left = solve_triangular(factor, inner, lower=True, transposed=True)
        whole = solve_triangular(factor, matrices.turned(left), lower=True, transposed=True)
        return (mul(add(whole, matrices.turned(whole)), like(0.5, x)),)

    @property
    def has_routine(self) -> bool:
        return not self.strict

    def expanded(self, x: Operand) -> tuple[Operand, ...]:
        # Whoever binds a strict one asserts that there are factors.
        return bind(Cholesky(self.upper, False), x)

    def lower(self, x: Element, *, types: tuple[TensorType, ...]) -> Routine:
        return Routine("cholesky", (self.upper,))


@frozen
class QR(matrices.Factor):
    """q with orthonormal columns and r upper triangular, such that q r = x: [m, k] and [k, n], with k = min(m, n).

    If `complete`, [m, m] and [m, n].
    """

    of_complex = OfComplex.VALUED
    complete: bool = False

    def types(self, x: TensorType) -> tuple[TensorType, ...]:  # type: ignore[override]
        *b, m, n = x.shape
        k = m if self.complete else min(m, n)
        return x.with_shape((*b, m, k)), x.with_shape((*b, k, n))

    def reference(self, x: NDArray[Any]) -> Arrays:
        return tuple(numpy.linalg.qr(x, "complete" if self.complete else "reduced"))

    def vjp(self, g: tuple[Operand, ...], y: tuple[Operand, ...], x: Operand) -> tuple[Gradient, ...]:
        """(g_q + q sym(r g_r^T - g_q^T q)) r^-T, where sym mirrors the lower triangle; of a wide x = [a, b], q and the
        left part of r are of a alone, and the rest of r is q^T b.

        Raises:
            ArgumentError E393: q has columns that x does not determine.
        """
        (q, r), (by_q, by_r) = y, g
        m, n = type_of(x).shape[-2:]
        if self.complete and m > n:
            raise undetermined(type_of(x), "complete")
        if m < n:
            rest, by_rest = matmul(q, matrices.columns(r, m, n)), matrices.columns(by_r, m, n)
            by_q = add(by_q, matmul(rest, by_rest, False, True))
            r, by_r = matrices.columns(r, 0, m), matrices.columns(by_r, 0, m)
        apart = sub(matmul(r, by_r, False, True), matmul(by_q, q, True))
        whole = add(by_q, matmul(q, add(matrices.lower(apart), matrices.turned(matrices.lower(apart, 0.0)))))
        gradient = matrices.turned(solve_triangular(r, matrices.turned(whole), lower=False))
        return (gradient if m >= n else concat(gradient, matmul(q, by_rest), axis=type_of(x).ndim - 1),)

    def lower(self, x: Element, *, types: tuple[TensorType, ...]) -> Routine:
        m, n = types[0].shape[-2:]
        return Routine("qr", (bool(m < n),))


def undetermined(x: TensorType, mode: str) -> ArgumentError:
    """The error of a gradient that passes columns which a matrix does not determine."""
    return ArgumentError(
        "E393", f"qr of {x} with mode={mode!r} has no gradient: not all columns are determined",
        help="pass mode='reduced'",
    )  # fmt: skip


@frozen
class Eigh(matrices.Factor):
    """The eigenvalues of symmetric matrices, ascending, and unit eigenvectors as columns; one triangle is read.

    The signs of eigenvectors are those of `ops.signs`.

    The gradient is a symmetric matrix, as x is; of eigenvectors it is infinite where eigenvalues come again.
    """

    of_complex = OfComplex.VALUED
    upper: bool = False

    def types(self, x: TensorType) -> tuple[TensorType, ...]:  # type: ignore[override]
        self.square(x)
        return matrices.magnitudes(x.with_shape(x.shape[:-1])), x

    def reference(self, x: NDArray[Any]) -> Arrays:
        return signed_eigh(*numpy.linalg.eigh(x, "U" if self.upper else "L"))

    def vjp(self, g: tuple[Operand, ...], y: tuple[Operand, ...], x: Operand) -> tuple[Gradient, ...]:
        values, vectors = y
        turn = matrices.quotients(matrices.skew(matmul(vectors, g[1], True)), matrices.differences(values))
        inner = add(mul(turn, like(0.5, turn)), matrices.diagonal(g[0]))
        return (matmul(matmul(vectors, inner), vectors, False, True),)

    def lower(self, x: Element, *, types: tuple[TensorType, ...]) -> Routine:
        return Routine("eigh", (self.upper,))


@frozen
class SVD(matrices.Factor):
    """u [m, k], s [k] descending, v^T [k, n] with x = u diag(s) v^T, k = min(m, n), columns of u and v orthonormal.

    If `full`, u [m, m] and v^T [n, n]: columns that x does not determine are constants to gradients. The gradient of u
    and v is infinite where singular values come again, or two are 0. Signs are those of `ops.signs`.
    """

    of_complex = OfComplex.VALUED
    full: bool = False

    def types(self, x: TensorType) -> tuple[TensorType, ...]:  # type: ignore[override]
        *b, m, n = x.shape
        k = min(m, n)
        rows, columns = (m, n) if self.full else (k, k)
        return x.with_shape((*b, m, rows)), matrices.magnitudes(x.with_shape((*b, k))), x.with_shape((*b, columns, n))

    def reference(self, x: NDArray[Any]) -> Arrays:
        return signed_svd(*numpy.linalg.svd(x, full_matrices=self.full))

    def vjp(self, g: tuple[Operand, ...], y: tuple[Operand, ...], x: Operand) -> tuple[Gradient, ...]:
        u, s, vh = y
        by_u, by_s, by_vh = g
        m, n = type_of(x).shape[-2:]
        k = min(m, n)
        if self.full:
            u, by_u = (matrices.columns(part, 0, k) for part in (u, by_u))
            vh, by_vh = (matrices.turned(matrices.columns(matrices.turned(part), 0, k)) for part in (vh, by_vh))
        square = type_of(matmul(u, u, True))
        apart = matrices.differences(mul(s, s))
        over, along = spread(s, square.shape, (square.ndim - 1,)), spread(s, square.shape, (square.ndim - 2,))
        left = mul(matrices.quotients(matrices.skew(matmul(u, by_u, True)), apart), along)
        right = mul(over, matrices.quotients(matrices.skew(matmul(vh, by_vh, False, True)), apart))
        gradient = matmul(matmul(u, add(add(left, right), matrices.diagonal(by_s))), vh)
        if m > k:
            beyond = sub(by_u, matmul(u, matmul(u, by_u, True)))
            gradient = add(gradient, matmul(div(beyond, matrices.by_column(s, beyond)), vh))
        if n > k:
            beyond = sub(by_vh, matmul(matmul(by_vh, vh, False, True), vh))
            gradient = add(gradient, matmul(u, div(beyond, matrices.by_row(s, beyond))))
        return (gradient,)

    def lower(self, x: Element, *, types: tuple[TensorType, ...]) -> Routine:
        m, n = types[0].shape[-2:]
        return Routine("svd", (bool(m >= n),))
