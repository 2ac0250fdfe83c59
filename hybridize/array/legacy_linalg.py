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
    """Alpha times the matrix products over the last two axes, or over `axis`, the one of the rows, and the last."""
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
    """Alpha times the matrix products, plus beta C."""
    return gemm2(A, B, transpose_a, transpose_b, alpha, axis) + _scaled(array(C), beta)


def syrk(A: Any, transpose: bool = False, alpha: float = 1.0) -> Any:
    """Alpha A A^T, or alpha A^T A."""
    return gemm2(A, A, transpose, not transpose, alpha)


def trmm(
    A: Any, B: Any, transpose: bool = False, rightside: bool = False, lower: bool = True, alpha: float = 1.0
) -> Any:
    """Alpha A B, or alpha B A, of the lower or upper triangle of A."""
    triangle = _triangle(A, lower, transpose)
    return _scaled(np.matmul(B, triangle) if rightside else np.matmul(triangle, B), alpha)


def trsm(
    A: Any, B: Any, transpose: bool = False, rightside: bool = False, lower: bool = True, alpha: float = 1.0
) -> Any:
    """The X of A X = alpha B, or of X A = alpha B, for the lower or upper triangle of A.

    Raises:
        LinAlgError E520: a zero on the diagonal.
    """
    right = _scaled(array(B), alpha)
    if rightside:
        return np.swapaxes(np.linalg.solve(_triangle(A, lower, not transpose), np.swapaxes(right, -1, -2)), -1, -2)
    return np.linalg.solve(_triangle(A, lower, transpose), right)


def potri(A: Any) -> Any:
    """The inverse of L L^T for the lower triangle L, as `potrf` gives it."""
    triangle = _triangle(A, True, False)
    return np.linalg.inv(gemm2(triangle, triangle, transpose_b=True))


def gelqf(A: Any) -> Any:
    """Q and L: A = L Q, the rows of Q are orthonormal, L is a lower triangle."""
    q, r = np.linalg.qr(np.swapaxes(A, -1, -2))
    return [np.swapaxes(q, -1, -2), np.swapaxes(r, -1, -2)]


def syevd(A: Any) -> Any:
    """U, whose rows are the eigenvectors of symmetric matrices, and their eigenvalues, which ascend.

    Of each vector the element that is largest in magnitude is positive.
    """
    values, vectors = np.linalg.eigh(A)
    rows = np.swapaxes(vectors, -1, -2)
    largest = np.take_along_axis(rows, np.expand_dims(np.argmax(np.abs(rows), -1), -1), -1)
    return [rows * npx.stop_gradient(np.sign(largest)), values]


def khatri_rao(*args: Any) -> Any:
    """The products of matrices by columns: each column is the Kronecker product of theirs."""
    first, *rest = map(array, args)
    for one in rest:
        first = np.reshape(np.expand_dims(first, 1) * np.expand_dims(one, 0), (-1, one.shape[1]))
    return first


def sumlogdiag(A: Any) -> Any:
    """The sum of the logarithms of the diagonal."""
    return np.sum(np.log(np.diagonal(A, 0, -2, -1)), -1)


def extractdiag(A: Any, offset: int = 0) -> Any:
    """The diagonal that lies `offset` above the main one."""
    return np.diagonal(A, offset, -2, -1)


def makediag(A: Any, offset: int = 0) -> Any:
    """Square matrices, zeros but for one diagonal, `offset` above the main one."""
    x = array(A)
    size = int(x.shape[-1]) + abs(offset)
    return _placed(x, size, numpy.nonzero(numpy.eye(size, k=offset)))


def extracttrian(A: Any, offset: int = 0, lower: bool = True) -> Any:
    """The elements of a triangle row by row: that from the diagonal `offset` on, away from the main one."""
    x = array(A)
    return x[(..., *_of_triangle(int(x.shape[-1]), offset, lower))]


def maketrian(A: Any, offset: int = 0, lower: bool = True) -> Any:
    """Square matrices, zeros but for a triangle, whose elements are given row by row."""
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
