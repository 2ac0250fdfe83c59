# SPDX-License-Identifier: Apache-2.0
"""Inverses, solutions and determinants of matrices: by LAPACK, or in machine code by elimination and singular values.

Sources: Giles, Collected matrix derivative results for forward and reverse mode algorithmic differentiation, 2008;
Golub and Pereyra, The differentiation of pseudo-inverses, 1973.
"""

from __future__ import annotations

from typing import Any

import numpy
from numpy.typing import NDArray

from hybridize.base.dims import same
from hybridize.base.dtypes import bool_, int64
from hybridize.base.errors import MatrixShapeError
from hybridize.base.frozen import frozen
from hybridize.base.types import TensorType
from hybridize.ops import matrices
from hybridize.ops.analysis import exp, log
from hybridize.ops.arithmetic import abs, add, bit_or, div, eq, gt, mul, neg, sign, sub, where
from hybridize.ops.elimination import factored, solved
from hybridize.ops.factors import SVD
from hybridize.ops.matmul import matmul
from hybridize.ops.op import OfComplex, Operand, bind, bind1, type_of
from hybridize.ops.reductions import any as any_
from hybridize.ops.reductions import prod, reduce_max
from hybridize.ops.slicing import iota
from hybridize.ops.views import Gradient, like, spread, sum

Arrays = tuple[NDArray[Any], ...]


@frozen
class Inverse(matrices.Factor):
    """The inverse of square matrices. Where one has none: an error if `strict`, else infinities."""

    of_complex = OfComplex.HOLOMORPHIC
    strict: bool = True

    def reference(self, x: NDArray[Any]) -> Arrays:
        try:
            return (numpy.linalg.inv(x),)
        except numpy.linalg.LinAlgError:
            if self.strict:
                raise
        flat = x.reshape(-1, *x.shape[-2:])
        return (numpy.stack([_inverse_or_infinite(each) for each in flat]).reshape(x.shape),)

    def vjp(self, g: tuple[Operand], y: tuple[Operand], x: Operand) -> tuple[Gradient, ...]:
        return (neg(matmul(matmul(y[0], g[0], True), y[0], False, True)),)

    def expanded(self, x: Operand) -> tuple[Operand, ...]:
        return (bind1(Solve(self.strict), x, matrices.identity(x)),)


def _inverse_or_infinite(x: NDArray[Any]) -> NDArray[Any]:
    return _solution_or_infinite(x, numpy.eye(x.shape[-1], dtype=x.dtype))


def _solution_or_infinite(x: NDArray[Any], b: NDArray[Any]) -> NDArray[Any]:
    try:
        return numpy.asarray(numpy.linalg.solve(x, b))
    except numpy.linalg.LinAlgError:
        return numpy.full_like(b, numpy.inf)


@frozen
class Solve(matrices.Factor):
    """y such that x y = b, or x^T y = b, for square x and matrices b.

    Where there is none: an error if `strict`, else infinities.
    """

    of_complex = OfComplex.HOLOMORPHIC
    strict: bool = True
    transposed: bool = False

    def types(self, x: TensorType, b: TensorType) -> tuple[TensorType, ...]:  # type: ignore[override]
        if b.shape[-2] != self.square(x):
            raise MatrixShapeError("E169", f"{self.name} needs as many equations as unknowns, got {x} and {b}")
        return (b,)

    def reference(self, x: NDArray[Any], b: NDArray[Any]) -> Arrays:
        if self.transposed:
            x = numpy.swapaxes(x, -1, -2)
        try:
            return (numpy.linalg.solve(x, b),)
        except numpy.linalg.LinAlgError:
            if self.strict:
                raise
        stacks = (each.reshape(-1, *each.shape[-2:]) for each in (x, b))
        return (numpy.stack([_solution_or_infinite(*pair) for pair in zip(*stacks, strict=True)]).reshape(b.shape),)

    def vjp(self, g: tuple[Operand], y: tuple[Operand], x: Operand, b: Operand) -> tuple[Gradient, ...]:
        by_b = bind1(Solve(False, not self.transposed), x, g[0])
        return neg(matmul(y[0], by_b, False, True) if self.transposed else matmul(by_b, y[0], False, True)), by_b

    def expanded(self, x: Operand, b: Operand) -> tuple[Operand, ...]:
        both, order, _ = factored(x)
        y = solved(both, order, b, self.transposed)
        # Whoever binds a strict one asserts that there is a solution.
        return (y if self.strict else where(matrices.over(_is_singular(both), y), like(numpy.inf, y), y),)


def _is_singular(both: Operand) -> Operand:
    """True for each pair of factors with a 0 on the diagonal of U."""
    diagonal = matrices.diagonal_of(both)
    return any_(eq(diagonal, like(0, diagonal)), (type_of(diagonal).ndim - 1,))


@frozen
class Det(matrices.Factor):
    """The determinant of square matrices."""

    of_complex = OfComplex.VALUED

    def types(self, x: TensorType) -> tuple[TensorType, ...]:  # type: ignore[override]
        self.square(x)
        return (x.with_shape(x.shape[:-2]),)

    def reference(self, x: NDArray[Any]) -> Arrays:
        return (numpy.asarray(numpy.linalg.det(x)),)

    def vjp(self, g: tuple[Operand], y: tuple[Operand], x: Operand) -> tuple[Gradient, ...]:
        return (mul(matrices.over(g[0], x), bind1(Cofactor(), x)),)

    def expanded(self, x: Operand) -> tuple[Operand, ...]:
        turn, logarithm = _sign_and_logarithm(x)
        return (mul(turn, exp(logarithm)),)


@frozen
class Cofactor(matrices.Factor):
    """The derivative of the determinant by each element: det(x) x^-T, or its limit where there is no inverse.

    With x = U S V^T it is det(U V) U diag(products of all other singular values) V^T.
    """

    def reference(self, x: NDArray[Any]) -> Arrays:
        u, s, vh = numpy.linalg.svd(x)
        return (_orientation(u, vh) * (u * _products_of_others(s)[..., None, :]) @ vh,)

    def vjp(self, g: tuple[Operand], y: tuple[Operand], x: Operand) -> tuple[Gradient, ...]:
        return (bind1(CofactorPullback(), x, g[0]),)

    def expanded(self, x: Operand) -> tuple[Operand, ...]:
        u, s, vh = bind(SVD(), x)
        scaled = mul(matrices.by_column(_others(s), u), _turning(u, vh))
        return (matmul(mul(u, scaled), vh),)


@frozen
class CofactorPullback(matrices.Factor):
    """The rule of `Cofactor`: with G = det(U V) U^T g V it is U R V^T, where R_ii = sum over j of p_ij G_jj,
    R_ij = -p_ij G_ji, and p_ij is the product of all singular values but the i-th and the j-th, 0 for i = j.

    Its own rule is for matrices that have an inverse.
    """

    def types(self, x: TensorType, g: TensorType) -> tuple[TensorType, ...]:  # type: ignore[override]
        self.square(x)
        return (x,)

    def reference(self, x: NDArray[Any], g: NDArray[Any]) -> Arrays:
        u, s, vh = numpy.linalg.svd(x)
        n = s.shape[-1]
        inner = _orientation(u, vh) * (numpy.swapaxes(u, -1, -2) @ g @ numpy.swapaxes(vh, -1, -2))
        products = _products_of_pairs(s)
        gradient = -products * numpy.swapaxes(inner, -1, -2)
        along = numpy.arange(n)
        gradient[..., along, along] = (products @ inner[..., along, along][..., None])[..., 0]
        return (u @ gradient @ vh,)

    def vjp(self, g: tuple[Operand], y: tuple[Operand], x: Operand, cofactor_gradient: Operand) -> tuple[Gradient, ...]:
        """Of y = <g, K> C - C g^T K, with C the cofactors and K = x^-T, linear in g, the `cofactor_gradient`."""
        cofactors, k = bind1(Cofactor(), x), matrices.turned(inverse(x))
        by_c = sub(
            mul(matrices.inner(cofactor_gradient, k), g[0]), matmul(matmul(g[0], k, False, True), cofactor_gradient)
        )
        by_k = sub(
            mul(matrices.inner(g[0], cofactors), cofactor_gradient),
            matmul(cofactor_gradient, matmul(cofactors, g[0], True)),
        )
        by_x = sub(bind1(CofactorPullback(), x, by_c), matmul(matmul(k, by_k, False, True), k))
        return by_x, bind1(CofactorPullback(), x, g[0])

    def expanded(self, x: Operand, g: Operand) -> tuple[Operand, ...]:
        u, s, vh = bind(SVD(), x)
        inner = mul(matmul(matmul(u, g, True), vh, False, True), _turning(u, vh))
        pairs = _pairs(s)
        along = sum(mul(pairs, matrices.by_column(matrices.diagonal_of(inner), pairs)), (type_of(pairs).ndim - 1,))
        gradient = sub(matrices.diagonal(along), mul(pairs, matrices.turned(inner)))
        return (matmul(matmul(u, gradient), vh),)


def _orientation(u: NDArray[Any], vh: NDArray[Any]) -> NDArray[Any]:
    """det(U V) of orthogonal matrices, 1 or -1, to multiply matrices with."""
    return numpy.asarray(numpy.rint(numpy.linalg.det(u) * numpy.linalg.det(vh))[..., None, None], u.dtype)


def _products_of_others(s: NDArray[Any]) -> NDArray[Any]:
    """The product of all elements of s[..., n] but the one at each position."""
    ones = numpy.ones_like(s[..., :1])
    before = numpy.cumprod(numpy.concatenate([ones, s[..., :-1]], -1), -1)
    after = numpy.cumprod(numpy.concatenate([ones, s[..., :0:-1]], -1), -1)[..., ::-1]
    return numpy.asarray(before * after)


def _products_of_pairs(s: NDArray[Any]) -> NDArray[Any]:
    """The product of all elements of s[..., n] but two, for each two of them: [..., n, n], 0 on the diagonal."""
    same = numpy.eye(s.shape[-1], dtype=bool_)
    products = _products_of_others(numpy.where(same, 1, s[..., None, :]))
    return numpy.asarray(numpy.where(same, 0, products), s.dtype)


def _turning(u: Operand, vh: Operand) -> Operand:
    """det(U V) of orthogonal matrices, as matrices of one number each."""
    return matrices.over(mul(_sign_and_logarithm(u)[0], _sign_and_logarithm(vh)[0]), u)


def _others(s: Operand) -> Operand:
    """The product of all elements of s[..., n] but the one at each position."""
    *b, n = type_of(s).shape
    rows = spread(s, (*b, n, n), (len(b),))
    return prod(where(matrices.on_diagonal(rows), like(1, rows), rows), (len(b) + 1,))


def _pairs(s: Operand) -> Operand:
    """The product of all elements of s[..., n] but two, for each two of them: [..., n, n], 0 on the diagonal."""
    *b, n = type_of(s).shape
    rank, shape = len(b), (*b, n, n, n)
    first, second, position = (iota(shape, rank + k, int64) for k in range(3))
    elements = spread(s, shape, (rank, rank + 1))
    left_out = bit_or(eq(position, first), eq(position, second))
    products = prod(where(left_out, like(1, elements), elements), (rank + 2,))
    return where(matrices.on_diagonal(products), like(0, products), products)


@frozen
class SlogDet(matrices.Factor):
    """The sign of the determinant, and the logarithm of its magnitude."""

    of_complex = OfComplex.VALUED

    def types(self, x: TensorType) -> tuple[TensorType, ...]:  # type: ignore[override]
        self.square(x)
        kind = x.with_shape(x.shape[:-2])
        return kind, matrices.magnitudes(kind)

    def reference(self, x: NDArray[Any]) -> Arrays:
        return tuple(numpy.asarray(part) for part in numpy.linalg.slogdet(x))

    def vjp(self, g: tuple[Operand, ...], y: tuple[Operand, ...], x: Operand) -> tuple[Gradient, ...]:
        return (mul(matrices.over(g[1], x), matrices.turned(bind1(Inverse(False), x))),)

    def expanded(self, x: Operand) -> tuple[Operand, ...]:
        return _sign_and_logarithm(x)


def _sign_and_logarithm(x: Operand) -> tuple[Operand, ...]:
    """The sign of the determinant, and the logarithm of its magnitude: a product would overflow where it need not."""
    both, _, turn = factored(x)
    diagonal = matrices.diagonal_of(both)
    last = (type_of(diagonal).ndim - 1,)
    return mul(turn, prod(sign(diagonal), last)), sum(log(abs(diagonal)), last)


@frozen
class PseudoInverse(matrices.Factor):
    """The inverse in the sense of Moore and Penrose; singular values up to `rcond` times the largest count as 0.

    The gradient is that among matrices of one rank.
    """

    of_complex = OfComplex.VALUED
    rcond: float = 1e-15

    def types(self, x: TensorType) -> tuple[TensorType, ...]:  # type: ignore[override]
        *b, m, n = x.shape
        return (x.with_shape((*b, n, m)),)

    def reference(self, x: NDArray[Any]) -> Arrays:
        return (numpy.asarray(numpy.linalg.pinv(x, self.rcond)),)

    def vjp(self, g: tuple[Operand], y: tuple[Operand], x: Operand) -> tuple[Gradient, ...]:
        """-p^T g p^T + (1 - x p) g^T p p^T + p^T p g^T (1 - p x)"""
        p, by = y[0], g[0]
        gradient = neg(matmul(matmul(p, by, True), p, False, True))
        along = matmul(by, p, True)
        gradient = add(gradient, matmul(sub(along, matmul(x, matmul(p, along))), p, False, True))
        under = matmul(p, by, False, True)
        return (add(gradient, matmul(p, sub(under, matmul(matmul(under, p), x)), True)),)

    def expanded(self, x: Operand) -> tuple[Operand, ...]:
        u, s, vh = bind(SVD(), x)
        return (
            matmul(vh, mul(matrices.turned(u), matrices.by_row(_reciprocals(s, self.rcond), matrices.turned(u))), True),
        )


def _reciprocals(s: Operand, rcond: float) -> Operand:
    """1 / s of singular values, 0 of those that count as 0."""
    if same(type_of(s).size, 0):
        return s
    *b, k = type_of(s).shape
    largest = spread(reduce_max(s, (len(b),)), (*b, k), (len(b),))
    counts = gt(s, mul(largest, like(rcond, s)))
    return where(counts, div(like(1, s), where(counts, s, like(1, s))), like(0, s))


@frozen
class LeastSquares(matrices.Factor):
    """y with the least |x y - b|^2, and of those the one with the least |y|^2, for matrices b.

    Singular values of x up to `rcond` times the largest count as 0.
    """

    of_complex = OfComplex.VALUED
    rcond: float

    def types(self, x: TensorType, b: TensorType) -> tuple[TensorType, ...]:  # type: ignore[override]
        if x.ndim != 2 or b.shape[0] != x.shape[0]:
            raise MatrixShapeError("E169", f"{self.name} takes a matrix and as many rows of results, got {x} and {b}")
        return (b.with_shape((x.shape[1], b.shape[1])),)

    def reference(self, x: NDArray[Any], b: NDArray[Any]) -> Arrays:
        return (numpy.asarray(numpy.linalg.lstsq(x, b, self.rcond)[0]),)

    def vjp(self, g: tuple[Operand], y: tuple[Operand], x: Operand, b: Operand) -> tuple[Gradient, ...]:
        """y is p b, where p is the pseudo-inverse."""
        op = PseudoInverse(self.rcond)
        p = bind1(op, x)
        return (*op.vjp((matmul(g[0], b, False, True),), (p,), x), matmul(p, g[0], True))

    def expanded(self, x: Operand, b: Operand) -> tuple[Operand, ...]:
        u, s, vh = bind(SVD(), x)
        along = matmul(u, b, True)
        return (matmul(vh, mul(along, matrices.by_row(_reciprocals(s, self.rcond), along)), True),)


def inverse(x: Operand) -> Operand:
    """The inverse of square matrices."""
    return bind1(Inverse(), x)


def solve(x: Operand, b: Operand) -> Operand:
    """y such that x y = b; infinities where there is none."""
    return bind1(Solve(False), x, b)
