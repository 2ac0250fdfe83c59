# SPDX-License-Identifier: Apache-2.0
"""MXNet 1's linear algebra: BLAS and LAPACK by their names, over the last two axes."""

from __future__ import annotations

from typing import Any

import numpy

from hybridize.array import np, npx
from hybridize.array.operands import array


def gemm2(
    A: Any, B: Any, transpose_a: bool = False, transpose_b: bool = False, alpha: float = 1.0, axis: int = -2
) -> Any:
    """Return alpha times the matrix products of A and B.

    Args:
        A: matrices.
        B: matrices.
        transpose_a: transpose A first.
        transpose_b: transpose B first.
        alpha: the factor of the products.
        axis: the axis of the rows.

    >>> nd.linalg.gemm2(nd.ones((2, 2)), nd.ones((2, 2)), alpha=3.0).asnumpy()
    array([[6., 6.],
           [6., 6.]], dtype=float32)
    """
    if axis != -2:
        product = gemm2(np.moveaxis(A, axis, -2), np.moveaxis(B, axis, -2), transpose_a, transpose_b, alpha)
        return np.moveaxis(product, -2, axis)
    x, y = (np.swapaxes(m, -1, -2) if turned else array(m) for m, turned in ((A, transpose_a), (B, transpose_b)))
    return _scaled(np.matmul(x, y), alpha)


def gemm(
    A: Any,
    B: Any,
    C: Any,
    transpose_a: bool = False,
    transpose_b: bool = False,
    alpha: float = 1.0,
    beta: float = 1.0,
    axis: int = -2,
) -> Any:
    """Return alpha times the matrix products of A and B, plus beta C.

    Args:
        A: matrices.
        B: matrices.
        C: matrices of the shape of the result.
        transpose_a: transpose A first.
        transpose_b: transpose B first.
        alpha: the factor of the products.
        beta: the factor of C.
        axis: the axis of the rows.

    >>> nd.linalg.gemm(nd.ones((2, 2)), nd.ones((2, 2)), nd.ones((2, 2)), beta=10.0).asnumpy()
    array([[12., 12.],
           [12., 12.]], dtype=float32)
    """
    return gemm2(A, B, transpose_a, transpose_b, alpha, axis) + _scaled(array(C), beta)


def syrk(A: Any, transpose: bool = False, alpha: float = 1.0) -> Any:
    """Return alpha A Aᵀ; with `transpose`, alpha Aᵀ A.

    Args:
        A: matrices.
        transpose: the transposed matrix comes first.
        alpha: the factor.

    >>> nd.linalg.syrk(nd.array([[1, 2]])).asnumpy()
    array([[5.]], dtype=float32)
    """
    return gemm2(A, A, transpose, not transpose, alpha)


def trmm(
    A: Any, B: Any, transpose: bool = False, rightside: bool = False, lower: bool = True, alpha: float = 1.0
) -> Any:
    """Return alpha A B of the lower or upper triangle of A; with `rightside`, alpha B A.

    Args:
        A: square matrices.
        B: matrices.
        transpose: transpose the triangle first.
        rightside: the triangle stands on the right.
        lower: the lower triangle; the upper one otherwise.
        alpha: the factor.

    >>> nd.linalg.trmm(nd.array([[2, 9], [1, 3]]), nd.ones((2, 1))).asnumpy()
    array([[2.],
           [4.]], dtype=float32)
    """
    triangle = _triangle(A, lower, transpose)
    return _scaled(np.matmul(B, triangle) if rightside else np.matmul(triangle, B), alpha)


def trsm(
    A: Any, B: Any, transpose: bool = False, rightside: bool = False, lower: bool = True, alpha: float = 1.0
) -> Any:
    """Return the X of A X = alpha B for the lower or upper triangle of A; with `rightside`, of X A = alpha B.

    Args:
        A: square matrices.
        B: matrices.
        transpose: transpose the triangle first.
        rightside: the triangle stands on the right.
        lower: the lower triangle; the upper one otherwise.
        alpha: the factor.

    Raises:
        LinAlgError E520: a zero on the diagonal.

    >>> nd.linalg.trsm(nd.array([[2, 0], [0, 4]]), nd.array([[2], [8]])).asnumpy()
    array([[1.],
           [2.]], dtype=float32)
    """
    right = _scaled(array(B), alpha)
    if rightside:
        return np.swapaxes(np.linalg.solve(_triangle(A, lower, not transpose), np.swapaxes(right, -1, -2)), -1, -2)
    return np.linalg.solve(_triangle(A, lower, transpose), right)


def potri(A: Any) -> Any:
    """Return the inverses of L Lᵀ of lower triangles L, as `potrf` gives them.

    >>> nd.linalg.potri(nd.array([[2, 0], [0, 4]])).asnumpy()
    array([[0.25  , 0.    ],
           [0.    , 0.0625]], dtype=float32)
    """
    triangle = _triangle(A, True, False)
    return np.linalg.inv(gemm2(triangle, triangle, transpose_b=True))


def gelqf(A: Any) -> Any:
    """Return the lower triangle L and Q, with orthonormal rows: A = L Q; Q comes first.

    >>> q, l = nd.linalg.gelqf(nd.array([[3, 4]]))
    >>> nd.dot(l, q).asnumpy().round(4)
    array([[3., 4.]], dtype=float32)
    """
    q, r = np.linalg.qr(np.swapaxes(A, -1, -2))
    return [np.swapaxes(q, -1, -2), np.swapaxes(r, -1, -2)]


def syevd(A: Any) -> Any:
    """Return U, whose rows are the eigenvectors of symmetric matrices, and their eigenvalues in ascending order.

    Of each vector the element that is largest in magnitude is positive.

    >>> nd.linalg.syevd(nd.array([[2, 0], [0, 3]]))[1].asnumpy()
    array([2., 3.], dtype=float32)
    """
    values, vectors = np.linalg.eigh(A)
    rows = np.swapaxes(vectors, -1, -2)
    largest = np.take_along_axis(rows, np.expand_dims(np.argmax(np.abs(rows), -1), -1), -1)
    return [rows * npx.stop_gradient(np.sign(largest)), values]


def khatri_rao(*args: Any) -> Any:
    """Return the Khatri-Rao product of matrices: each column is the Kronecker product of their columns.

    >>> nd.khatri_rao(nd.array([[1, 2]]), nd.array([[3, 4], [5, 6]])).asnumpy()
    array([[ 3.,  8.],
           [ 5., 12.]], dtype=float32)
    """
    first, *rest = map(array, args)
    for one in rest:
        first = np.reshape(np.expand_dims(first, 1) * np.expand_dims(one, 0), (-1, one.shape[1]))
    return first


def sumlogdiag(A: Any) -> Any:
    """Return the sums of the logarithms of the diagonals of square matrices.

    >>> nd.linalg.sumlogdiag(nd.array([[1, 5], [5, 1]])).asnumpy()
    array([0.], dtype=float32)
    """
    return np.sum(np.log(np.diagonal(A, 0, -2, -1)), -1)


def extractdiag(A: Any, offset: int = 0) -> Any:
    """Return the diagonals of square matrices, `offset` above the main one.

    >>> nd.linalg.extractdiag(nd.array([[1, 2], [3, 4]])).asnumpy()
    array([1., 4.], dtype=float32)
    """
    return np.diagonal(A, offset, -2, -1)


def makediag(A: Any, offset: int = 0) -> Any:
    """Return square matrices that are zero but for one diagonal, `offset` above the main one.

    >>> nd.linalg.makediag(nd.array([1, 2])).asnumpy()
    array([[1., 0.],
           [0., 2.]], dtype=float32)
    """
    x = array(A)
    size = int(x.shape[-1]) + abs(offset)
    return _placed(x, size, numpy.nonzero(numpy.eye(size, k=offset)))


def extracttrian(A: Any, offset: int = 0, lower: bool = True) -> Any:
    """Return the elements of a triangle of square matrices, row by row.

    Args:
        A: matrices [..., n, n].
        offset: the diagonal that the triangle begins at.
        lower: the lower triangle; the upper one otherwise.

    >>> nd.linalg.extracttrian(nd.array([[1, 2], [3, 4]])).asnumpy()
    array([1., 3., 4.], dtype=float32)
    """
    x = array(A)
    return x[(..., *_of_triangle(int(x.shape[-1]), offset, lower))]


def maketrian(A: Any, offset: int = 0, lower: bool = True) -> Any:
    """Return square matrices that are zero but for a triangle, whose elements you pass row by row.

    Args:
        A: the elements [..., count].
        offset: the diagonal that the triangle begins at.
        lower: the lower triangle; the upper one otherwise.

    >>> nd.linalg.maketrian(nd.array([1, 2, 3])).asnumpy()
    array([[1., 0.],
           [2., 3.]], dtype=float32)
    """
    x = array(A)
    inner = int((numpy.sqrt(8 * int(x.shape[-1]) + 1) - 1) / 2)
    size = inner + abs(offset)
    return _placed(x, size, _of_triangle(size, offset, lower))


def _scaled(x: Any, by: float) -> Any:
    return x if by == 1.0 else x * by


def _triangle(A: Any, lower: bool, turned: bool) -> Any:
    triangle = np.tril(A) if lower else np.triu(A)
    return np.swapaxes(triangle, -1, -2) if turned else triangle


def _of_triangle(size: int, offset: int, lower: bool) -> tuple[Any, ...]:
    """Rows and columns of a triangle; `lower` says which where `offset` is 0."""
    below = offset < 0 or (offset == 0 and lower)
    return numpy.tril_indices(size, offset) if below else numpy.triu_indices(size, offset)


def _placed(x: Any, size: int, places: tuple[Any, ...]) -> Any:
    """Matrices of `size` with the elements of the last axis in `places`, and zeros elsewhere."""
    index = numpy.full((size, size), x.shape[-1])
    index[places] = numpy.arange(x.shape[-1])
    with_zero = np.concatenate([x, np.zeros((*x.shape[:-1], 1), x.dtype)], -1)
    return np.take(with_zero, np.array(index), -1)
