# SPDX-License-Identifier: Apache-2.0
"""Gaussian elimination, and equations with triangular matrices: what machine code solves equations by.

Sources: Golub and Van Loan, Matrix Computations, 4th edition, chapter 3; Giles, Collected matrix derivative results for
forward and reverse mode algorithmic differentiation, 2008.
"""

from __future__ import annotations

import math
from typing import Any

import numpy
from numpy.typing import NDArray

from hybridize.base.dtypes import int64
from hybridize.base.errors import MatrixShapeError
from hybridize.base.frozen import frozen
from hybridize.base.types import TensorType
from hybridize.loops.expr import Element, Routine
from hybridize.ops.arithmetic import add, neg
from hybridize.ops.indexing import take_along_axis
from hybridize.ops.matmul import matmul
from hybridize.ops.matrices import Factor, identity, lower, turned
from hybridize.ops.op import Operand, bind, bind1, type_of
from hybridize.ops.sorting import arg_sort
from hybridize.ops.views import Gradient, spread

Arrays = tuple[NDArray[Any], ...]


@frozen
class LU(Factor):
    """L and U in one matrix, the order of the rows of x in L U (i64), and the sign of that order, 1 or -1.

    L is 1 on the diagonal; row by row the largest element of each column is the pivot. U of a singular matrix has a 0
    on its diagonal.
    """

    def types(self, x: TensorType) -> tuple[TensorType, ...]:  # type: ignore[override]
        self.square(x)
        return x, x.with_shape(x.shape[:-1]).with_dtype(int64), x.with_shape(x.shape[:-2])

    def reference(self, x: NDArray[Any]) -> Arrays:
        n = x.shape[-1]
        matrices = x.reshape(math.prod(x.shape[:-2]), n, n).copy()
        order = numpy.tile(numpy.arange(n), (len(matrices), 1))
        sign = numpy.ones(len(matrices), x.dtype)
        stack = numpy.arange(len(matrices))
        for k in range(n):
            pivot = k + abs(matrices[:, k:, k]).argmax(-1)
            for rows in (matrices, order):
                rows[stack, pivot], rows[stack, k] = rows[stack, k], rows[stack, pivot]
            sign[pivot != k] *= -1
            divisor = matrices[:, k, k, None]
            matrices[:, k + 1 :, k] /= numpy.where(divisor == 0, 1, divisor)
            matrices[:, k + 1 :, k + 1 :] -= matrices[:, k + 1 :, k, None] * matrices[:, k, None, k + 1 :]
        return matrices.reshape(x.shape), order.reshape(x.shape[:-1]).astype(int64), sign.reshape(x.shape[:-2])

    def vjp(self, g: tuple[Operand | None, ...], y: tuple[Operand, ...], x: Operand) -> tuple[Gradient, ...]:
        """P^T L^-T (tril(L^T g_L, -1) + triu(g_U U^T)) U^-T"""
        if g[0] is None:
            return (None,)
        both, order, _ = y
        left, right = add(lower(both, 0.0), identity(both)), turned(lower(turned(both)))
        by_left, by_right = lower(g[0], 0.0), turned(lower(turned(g[0])))
        inner = add(lower(matmul(left, by_left, True), 0.0), turned(lower(matmul(right, by_right, False, True))))
        half = solve_triangular(both, inner, lower=True, unit=True, transposed=True)
        whole = turned(solve_triangular(both, turned(half), lower=False))
        return (rows_at(whole, arg_sort(order, type_of(order).ndim - 1)),)

    def lower(self, x: Element, *, types: tuple[TensorType, ...]) -> Routine:
        return Routine("lu")


@frozen
class SolveTriangular(Factor):
    """y such that t y = b, or t^T y = b, for triangular t and matrices b; the other triangle of t is not read.

    Elements are infinite or NaN where the diagonal has a 0. If `unit`, the diagonal is not read: it is 1.
    """

    low: bool
    """The lower triangle, or else the upper one."""
    unit: bool = False
    transposed: bool = False

    def types(self, t: TensorType, b: TensorType) -> tuple[TensorType, ...]:  # type: ignore[override]
        if b.shape[-2] != self.square(t):
            raise MatrixShapeError("E169", f"{self.name} needs as many equations as unknowns, got {t} and {b}")
        return (b,)

    def reference(self, t: NDArray[Any], b: NDArray[Any]) -> Arrays:
        matrix = numpy.swapaxes(t, -1, -2) if self.transposed else t
        y, n = b.copy(), t.shape[-1]
        ahead = self.low != self.transposed
        with numpy.errstate(all="ignore"):
            for i in range(n) if ahead else reversed(range(n)):
                known = slice(0, i) if ahead else slice(i + 1, n)
                y[..., i, :] -= (matrix[..., i, None, known] @ y[..., known, :])[..., 0, :]
                if not self.unit:
                    y[..., i, :] /= matrix[..., i, i, None]
        return (y,)

    def eager(self, t: NDArray[Any], b: NDArray[Any]) -> Arrays:
        diagonal = numpy.diagonal(t, axis1=-2, axis2=-1)
        if not self.unit and not (abs(diagonal) > 0).all():
            return self.reference(t, b)
        matrix = numpy.tril(t) if self.low else numpy.triu(t)
        if self.unit:
            matrix = (
                matrix
                - diagonal[..., None] * numpy.eye(t.shape[-1], dtype=t.dtype)
                + numpy.eye(t.shape[-1], dtype=t.dtype)
            )
        return (numpy.linalg.solve(numpy.swapaxes(matrix, -1, -2) if self.transposed else matrix, b),)

    def vjp(self, g: tuple[Operand], y: tuple[Operand], t: Operand, b: Operand) -> tuple[Gradient, ...]:
        by_b = bind1(SolveTriangular(self.low, self.unit, not self.transposed), t, g[0])
        by_t = neg(matmul(y[0], by_b, False, True) if self.transposed else matmul(by_b, y[0], False, True))
        diagonal = 0.0 if self.unit else 1.0
        return (lower(by_t, diagonal) if self.low else turned(lower(turned(by_t), diagonal))), by_b

    def lower(self, t: Element, b: Element, *, types: tuple[TensorType, ...]) -> Routine:
        return Routine("solve_triangular", (self.low, self.unit, self.transposed))


def solve_triangular(t: Operand, b: Operand, *, lower: bool, unit: bool = False, transposed: bool = False) -> Operand:
    """y such that t y = b, or t^T y = b, where only one triangle of t is looked at."""
    return bind1(SolveTriangular(lower, unit, transposed), t, b)


def factored(x: Operand) -> tuple[Operand, ...]:
    """The factors, order and sign of `LU`."""
    return bind(LU(), x)


def rows_at(x: Operand, order: Operand) -> Operand:
    """Rows of matrices in another order, which is one for each matrix."""
    kind = type_of(x)
    return take_along_axis(x, spread(order, kind.shape, (kind.ndim - 1,)), kind.ndim - 2)


def solved(both: Operand, order: Operand, b: Operand, transposed: bool = False) -> Operand:
    """y such that x y = b, or x^T y = b, by the factors of x."""
    if not transposed:
        half = solve_triangular(both, rows_at(b, order), lower=True, unit=True)
        return solve_triangular(both, half, lower=False)
    half = solve_triangular(both, b, lower=False, transposed=True)
    whole = solve_triangular(both, half, lower=True, unit=True, transposed=True)
    return rows_at(whole, arg_sort(order, type_of(order).ndim - 1))
