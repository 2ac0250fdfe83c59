# SPDX-License-Identifier: Apache-2.0
"""`np.linalg`'s inverses and factorisations where a gradient must pass: NumPy's signatures, as ops with rules."""

from __future__ import annotations

import math
from typing import Any

import numpy

from hybridize.array.functions.elementwise import absolute, divide, multiply, sign, square, subtract
from hybridize.array.functions.linear import matmul
from hybridize.array.functions.norms import norm
from hybridize.array.functions.reductions import sum as sum_
from hybridize.array.functions.searching import along, argsort
from hybridize.array.functions.shapes import concatenate, expand_dims, ravel, reshape, swapaxes, transpose
from hybridize.array.ndarray import wrap
from hybridize.array.operands import array, broadcast, operand, result
from hybridize.base import dims
from hybridize.base.errors import ArgumentError
from hybridize.base.promotion import floating, promote
from hybridize.ops import factors, solutions
from hybridize.ops.op import Op, bind


def _results(op: Op, *xs: Any) -> list[Any]:
    return [result(y) for y in bind(op, *(operand(x) for x in xs))]


def _aligned(a: Any, b: Any) -> tuple[Any, Any]:
    """Two arrays as floats of one dtype."""
    x, y = array(a), array(b)
    dtype = floating(promote(x.dtype, y.dtype))
    return x.astype(dtype, copy=False), y.astype(dtype, copy=False)


def _named(function: Any, *parts: Any) -> Any:
    """The class of tuples that NumPy's function gives."""
    return type(function(numpy.eye(1)))(*parts)


def inv(a: Any) -> Any:
    """The inverse of square matrices."""
    return _results(solutions.Inverse(), a)[0]


def solve(a: Any, b: Any) -> Any:
    """x such that a x = b; `b` is a vector, or matrices."""
    x, y = _aligned(a, b)
    columns = expand_dims(y, 1) if y.ndim == 1 else y
    batch = dims.broadcast(x.shape[:-2], columns.shape[:-2])
    if batch is None:
        batch = x.shape[:-2]  # NumPy says what does not fit
    left, right = (result(broadcast(operand(z), (*batch, *z.shape[-2:]))) for z in (x, columns))
    found = _results(solutions.Solve(), left, right)[0]
    return reshape(found, found.shape[:-1]) if y.ndim == 1 else found


def det(a: Any) -> Any:
    """The determinant of square matrices."""
    return _results(solutions.Det(), a)[0]


def slogdet(a: Any) -> Any:
    """The sign of the determinant and the logarithm of its magnitude."""
    return _named(numpy.linalg.slogdet, *_results(solutions.SlogDet(), a))


def cholesky(a: Any, /, *, upper: bool = False) -> Any:
    """L such that L L^T = a, or its transpose if `upper`."""
    return _results(factors.Cholesky(bool(upper)), a)[0]


def qr(a: Any, mode: str = "reduced") -> Any:
    """q with orthonormal columns and r upper triangular such that q r = a.

    Raises:
        ArgumentError E393: the mode is raw, or complete and q would have columns that `a` does not determine.
    """
    m, n = array(a).shape[-2:]
    if mode not in ("reduced", "r") and not (mode == "complete" and m <= n):
        raise ArgumentError(
            "E393",
            f"qr of {array(a).type} with mode={mode!r} has no gradient: not all columns are determined",
            help="say mode='reduced'",
        )
    q, r = _results(factors.QR(), a)
    return r if mode == "r" else _named(numpy.linalg.qr, q, r)


def eigh(a: Any, UPLO: str = "L") -> Any:
    """Eigenvalues of symmetric matrices, ascending, and eigenvectors."""
    return _named(numpy.linalg.eigh, *_results(factors.Eigh(UPLO.upper() == "U"), a))


def eigvalsh(a: Any, UPLO: str = "L") -> Any:
    """Eigenvalues of symmetric matrices, ascending."""
    return _results(factors.Eigh(UPLO.upper() == "U"), a)[0]


def eig(a: Any) -> Any:
    """Eigenvalues and eigenvectors of square matrices.

    Raises:
        ArgumentError E394: an eigenvalue is no real number.
    """
    _check_real(a, "eig")
    return _named(numpy.linalg.eig, *_results(factors.Eig(), a))


def eigvals(a: Any) -> Any:
    """Eigenvalues of square matrices.

    Raises:
        ArgumentError E394: one is no real number.
    """
    _check_real(a, "eigvals")
    return _results(factors.Eig(), a)[0]


def _check_real(a: Any, name: str) -> None:
    x = array(a)
    if numpy.linalg.eigvals(x.asnumpy()).dtype.kind == "c":
        raise ArgumentError(
            "E394",
            f"{name}: {x.type} has eigenvalues that are no real numbers, which have no gradient here",
            help="np.linalg.eigh takes symmetric matrices",
        )


def svd(a: Any, full_matrices: bool = True, compute_uv: bool = True, hermitian: bool = False) -> Any:
    """u, s, v^T with a = u s v^T. Columns that `a` does not determine are constants."""
    x = array(a)
    u, s, vh = _of_symmetric(x) if hermitian else _results(factors.SVD(), x)
    if not compute_uv:
        return s
    m, n = x.shape[-2:]
    if full_matrices and m != n:
        whole_u, _, whole_vh = numpy.linalg.svd(x.asnumpy())
        u = concatenate([u, wrap(numpy.ascontiguousarray(whole_u[..., min(m, n) :]))], -1)
        vh = concatenate([vh, wrap(numpy.ascontiguousarray(whole_vh[..., min(m, n) :, :]))], -2)
    return _named(numpy.linalg.svd, u, s, vh)


def _of_symmetric(x: Any) -> tuple[Any, Any, Any]:
    """Singular values and vectors of symmetric matrices: magnitudes of eigenvalues, the largest first."""
    values, vectors = _results(factors.Eigh(), x)
    order = argsort(absolute(values))[..., ::-1]
    values = along(values, order, values.ndim - 1)
    u = along(vectors, expand_dims(order, -2), vectors.ndim - 1)
    return u, absolute(values), swapaxes(multiply(u, expand_dims(sign(values), -2)), -1, -2)


def svdvals(x: Any, /) -> Any:
    """Singular values, the largest first."""
    return _results(factors.SVD(), x)[1]


_DEFAULT: Any = object()


def pinv(a: Any, rcond: Any = None, hermitian: bool = False, *, rtol: Any = _DEFAULT) -> Any:
    """The pseudo-inverse. `hermitian` says how NumPy computes it, which makes no difference to what it is."""
    x = array(a)
    if rcond is None:
        rcond = 1e-15 if rtol is _DEFAULT else _accuracy(x) if rtol is None else rtol
    return _results(solutions.PseudoInverse(float(rcond)), x)[0]


def _accuracy(x: Any) -> float:
    return float(max(x.shape[-2:]) * numpy.finfo(x.dtype).eps)


def lstsq(a: Any, b: Any, rcond: float | None = None) -> Any:
    """x with the least |a x - b|^2, of those the least |x|^2; that sum, by columns; the rank; the singular values."""
    x, y = _aligned(a, b)
    limit = _accuracy(x) if rcond is None else float(rcond)
    _, sums, rank, _ = numpy.linalg.lstsq(x.asnumpy(), y.asnumpy(), limit)
    columns = expand_dims(y, 1) if y.ndim == 1 else y
    found = _results(solutions.LeastSquares(limit), x, columns)[0]
    left = sum_(square(subtract(columns, matmul(x, found))), 0) if sums.size else wrap(sums)
    return reshape(found, found.shape[:1]) if y.ndim == 1 else found, left, rank, svdvals(x)


def tensorinv(a: Any, ind: int = 2) -> Any:
    """The inverse of a tensor, seen as a matrix from its last axes to its first `ind`."""
    x = array(a)
    rows = math.prod(x.shape[:ind])
    return reshape(inv(reshape(x, (rows, x.size // max(rows, 1)))), (*x.shape[ind:], *x.shape[:ind]))


def tensorsolve(a: Any, b: Any, axes: Any = None) -> Any:
    """x such that the product of `a` and x over all axes of x is `b`."""
    x, y = _aligned(a, b)
    if axes is not None:
        x = transpose(x, [*(k for k in range(x.ndim) if k not in axes), *axes])
    shape = x.shape[y.ndim :]
    return reshape(solve(reshape(x, (y.size, math.prod(shape))), ravel(y)), shape)


def cond(x: Any, p: Any = None) -> Any:
    """Condition number: norm(x, p) norm(inverse, p), the growth of errors when equations with the matrix are solved."""
    if p in (None, 2, -2):
        s = svdvals(x)
        largest, smallest = s[..., 0], s[..., -1]
        return divide(smallest, largest) if p == -2 else divide(largest, smallest)
    return multiply(norm(x, p, (-2, -1)), norm(inv(x), p, (-2, -1)))
