# SPDX-License-Identifier: Apache-2.0
"""Inverses, solutions and determinants of matrices, by LAPACK.

Sources: Giles, Collected matrix derivative results for forward and reverse mode algorithmic differentiation, 2008;
Golub and Pereyra, The differentiation of pseudo-inverses, 1973.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy
from numpy.typing import NDArray

from hybridize.base.dtypes import bool_
from hybridize.base.errors import DTypeError, ShapeError
from hybridize.base.frozen import frozen
from hybridize.base.types import TensorType
from hybridize.ops.arithmetic import add, mul, neg, sub
from hybridize.ops.cases import sample_array
from hybridize.ops.matmul import matmul
from hybridize.ops.matrices import Factor, inner, of_any_sizes, over, singular, turned, well
from hybridize.ops.op import Operand, Sample, bind1
from hybridize.ops.views import Gradient

Arrays = tuple[NDArray[Any], ...]


@frozen
class Inverse(Factor):
    """The inverse of square matrices. Where one has none: an error if `strict`, else infinities."""

    strict: bool = True

    def types(self, x: TensorType) -> tuple[TensorType, ...]:  # type: ignore[override]
        self.square(x)
        return (x,)

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

    @classmethod
    def samples(cls) -> Iterator[Sample]:
        for shape in ((3, 3), (2, 2, 2), (1, 1), (0, 0)):
            yield Sample((well(shape),), cls())
        yield Sample((sample_array((2, 3)),), cls(), fails=ShapeError)
        yield Sample((sample_array((2, 2), "f2"),), cls(), fails=DTypeError)
        yield Sample((sample_array((2,)),), cls(), fails=ShapeError)


def _inverse_or_infinite(x: NDArray[Any]) -> NDArray[Any]:
    try:
        return numpy.asarray(numpy.linalg.inv(x))
    except numpy.linalg.LinAlgError:
        return numpy.full_like(x, numpy.inf)


@frozen
class Solve(Factor):
    """y such that x y = b, for square x and matrices b. Where there is none: an error if `strict`, else infinities."""

    strict: bool = True

    def types(self, x: TensorType, b: TensorType) -> tuple[TensorType, ...]:  # type: ignore[override]
        if b.shape[-2] != self.square(x):
            raise ShapeError("E169", f"{self.name} takes as many equations as unknowns, got {x} and {b}")
        return (b,)

    def reference(self, x: NDArray[Any], b: NDArray[Any]) -> Arrays:
        try:
            return (numpy.linalg.solve(x, b),)
        except numpy.linalg.LinAlgError:
            if self.strict:
                raise
        return (numpy.matmul(Inverse(False).reference(x)[0], b),)

    def vjp(self, g: tuple[Operand], y: tuple[Operand], x: Operand, b: Operand) -> tuple[Gradient, ...]:
        by_b = solve(turned(x), g[0])
        return neg(matmul(by_b, y[0], False, True)), by_b

    @classmethod
    def samples(cls) -> Iterator[Sample]:
        yield Sample((well((3, 3)), sample_array((3, 2))), cls())
        yield Sample((well((2, 2, 2)), sample_array((2, 2, 1))), cls())
        yield Sample((well((3, 3)), sample_array((3, 0))), cls())
        yield Sample((well((3, 3)), sample_array((2, 3))), cls(), fails=ShapeError)
        yield Sample((well((3, 3)), sample_array((3, 3), "f8")), cls(), fails=DTypeError)


@frozen
class Det(Factor):
    """The determinant of square matrices."""

    def types(self, x: TensorType) -> tuple[TensorType, ...]:  # type: ignore[override]
        self.square(x)
        return (x.with_shape(x.shape[:-2]),)

    def reference(self, x: NDArray[Any]) -> Arrays:
        return (numpy.asarray(numpy.linalg.det(x)),)

    def vjp(self, g: tuple[Operand], y: tuple[Operand], x: Operand) -> tuple[Gradient, ...]:
        return (mul(over(g[0], x), bind1(Cofactor(), x)),)

    @classmethod
    def samples(cls) -> Iterator[Sample]:
        for shape in ((3, 3), (2, 2, 2), (1, 1), (0, 0)):
            yield Sample((well(shape),), cls())
        yield Sample((singular(),), cls())
        yield Sample((sample_array((2, 3)),), cls(), fails=ShapeError)


@frozen
class Cofactor(Factor):
    """The derivative of the determinant by each element: det(x) x^-T, or its limit where there is no inverse.

    With x = U S V^T it is det(U V) U diag(products of all other singular values) V^T.
    """

    def types(self, x: TensorType) -> tuple[TensorType, ...]:  # type: ignore[override]
        self.square(x)
        return (x,)

    def reference(self, x: NDArray[Any]) -> Arrays:
        u, s, vh = numpy.linalg.svd(x)
        return (_orientation(u, vh) * (u * _products_of_others(s)[..., None, :]) @ vh,)

    def vjp(self, g: tuple[Operand], y: tuple[Operand], x: Operand) -> tuple[Gradient, ...]:
        return (bind1(CofactorPullback(), x, g[0]),)

    @classmethod
    def samples(cls) -> Iterator[Sample]:
        for shape in ((3, 3), (2, 2, 2), (1, 1), (4, 4)):
            yield Sample((well(shape),), cls())
        yield Sample((singular(),), cls())
        yield Sample((sample_array((2, 3)),), cls(), fails=ShapeError)


@frozen
class CofactorPullback(Factor):
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
        made = -products * numpy.swapaxes(inner, -1, -2)
        along = numpy.arange(n)
        made[..., along, along] = (products @ inner[..., along, along][..., None])[..., 0]
        return (u @ made @ vh,)

    def vjp(self, g: tuple[Operand], y: tuple[Operand], x: Operand, given: Operand) -> tuple[Gradient, ...]:
        """Of y = <given, K> C - C given^T K, with C the cofactors and K = x^-T, which is linear in `given`."""
        cofactors, k = bind1(Cofactor(), x), turned(inverse(x))
        by_c = sub(mul(inner(given, k), g[0]), matmul(matmul(g[0], k, False, True), given))
        by_k = sub(mul(inner(g[0], cofactors), given), matmul(given, matmul(cofactors, g[0], True)))
        by_x = sub(bind1(CofactorPullback(), x, by_c), matmul(matmul(k, by_k, False, True), k))
        return by_x, bind1(CofactorPullback(), x, g[0])

    @classmethod
    def samples(cls) -> Iterator[Sample]:
        for shape in ((3, 3), (2, 2, 2), (4, 4)):
            yield Sample((well(shape), sample_array(shape, seed=1)), cls())
        yield Sample((sample_array((2, 3)), sample_array((2, 3))), cls(), fails=ShapeError)


def _orientation(u: NDArray[Any], vh: NDArray[Any]) -> NDArray[Any]:
    """det(U V) of orthogonal matrices, 1 or -1, to multiply matrices with."""
    return numpy.asarray(numpy.rint(numpy.linalg.det(u) * numpy.linalg.det(vh))[..., None, None], u.dtype)


def _products_of_others(s: NDArray[Any]) -> NDArray[Any]:
    """The product of all elements of s[..., n] but the one at each place."""
    ones = numpy.ones_like(s[..., :1])
    before = numpy.cumprod(numpy.concatenate([ones, s[..., :-1]], -1), -1)
    after = numpy.cumprod(numpy.concatenate([ones, s[..., :0:-1]], -1), -1)[..., ::-1]
    return numpy.asarray(before * after)


def _products_of_pairs(s: NDArray[Any]) -> NDArray[Any]:
    """The product of all elements of s[..., n] but two, for each two of them: [..., n, n], 0 on the diagonal."""
    same = numpy.eye(s.shape[-1], dtype=bool_)
    products = _products_of_others(numpy.where(same, 1, s[..., None, :]))
    return numpy.asarray(numpy.where(same, 0, products), s.dtype)


@frozen
class SlogDet(Factor):
    """The sign of the determinant, and the logarithm of its magnitude."""

    def types(self, x: TensorType) -> tuple[TensorType, ...]:  # type: ignore[override]
        self.square(x)
        kind = x.with_shape(x.shape[:-2])
        return kind, kind

    def reference(self, x: NDArray[Any]) -> Arrays:
        return tuple(numpy.asarray(part) for part in numpy.linalg.slogdet(x))

    def vjp(self, g: tuple[Operand, ...], y: tuple[Operand, ...], x: Operand) -> tuple[Gradient, ...]:
        return (mul(over(g[1], x), turned(bind1(Inverse(False), x))),)

    @classmethod
    def samples(cls) -> Iterator[Sample]:
        for shape in ((3, 3), (2, 2, 2), (1, 1)):
            yield Sample((well(shape),), cls())
            yield Sample((-well(shape),), cls())
        yield Sample((sample_array((2, 3)),), cls(), fails=ShapeError)


@frozen
class PseudoInverse(Factor):
    """The inverse in the sense of Moore and Penrose; singular values up to `rcond` times the largest count as 0.

    The gradient is that among matrices of one rank.
    """

    rcond: float = 1e-15

    def types(self, x: TensorType) -> tuple[TensorType, ...]:  # type: ignore[override]
        *b, m, n = x.shape
        return (x.with_shape((*b, n, m)),)

    def reference(self, x: NDArray[Any]) -> Arrays:
        return (numpy.asarray(numpy.linalg.pinv(x, self.rcond)),)

    def vjp(self, g: tuple[Operand], y: tuple[Operand], x: Operand) -> tuple[Gradient, ...]:
        """-p^T g p^T + (1 - x p) g^T p p^T + p^T p g^T (1 - p x)"""
        p, by = y[0], g[0]
        found = neg(matmul(matmul(p, by, True), p, False, True))
        along = matmul(by, p, True)
        found = add(found, matmul(sub(along, matmul(x, matmul(p, along))), p, False, True))
        under = matmul(p, by, False, True)
        return (add(found, matmul(p, sub(under, matmul(matmul(under, p), x)), True)),)

    @classmethod
    def samples(cls) -> Iterator[Sample]:
        yield from of_any_sizes(cls())


@frozen
class LeastSquares(Factor):
    """y with the least |x y - b|^2, and of those the one with the least |y|^2, for matrices b.

    Singular values of x up to `rcond` times the largest count as 0.
    """

    rcond: float

    def types(self, x: TensorType, b: TensorType) -> tuple[TensorType, ...]:  # type: ignore[override]
        if x.ndim != 2 or b.shape[0] != x.shape[0]:
            raise ShapeError("E169", f"{self.name} takes a matrix and as many rows of results, got {x} and {b}")
        return (b.with_shape((x.shape[1], b.shape[1])),)

    def reference(self, x: NDArray[Any], b: NDArray[Any]) -> Arrays:
        return (numpy.asarray(numpy.linalg.lstsq(x, b, self.rcond)[0]),)

    def vjp(self, g: tuple[Operand], y: tuple[Operand], x: Operand, b: Operand) -> tuple[Gradient, ...]:
        """y is p b, where p is the pseudo-inverse."""
        op = PseudoInverse(self.rcond)
        p = bind1(op, x)
        return (*op.vjp((matmul(g[0], b, False, True),), (p,), x), matmul(p, g[0], True))

    @classmethod
    def samples(cls) -> Iterator[Sample]:
        for shape in ((3, 3), (4, 2), (2, 4), (1, 1)):
            yield Sample((well(shape), sample_array((shape[0], 2), seed=1)), cls(1e-6))
        yield Sample((sample_array((2, 3)), sample_array((3, 3))), cls(1e-6), fails=ShapeError)


def inverse(x: Operand) -> Operand:
    """The inverse of square matrices."""
    return bind1(Inverse(), x)


def solve(x: Operand, b: Operand) -> Operand:
    """y such that x y = b; infinities where there is none."""
    return bind1(Solve(False), x, b)
