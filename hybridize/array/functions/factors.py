# SPDX-License-Identifier: Apache-2.0
"""`np.linalg`'s inverses and factors where a gradient must pass, or a program is captured: NumPy's signatures, as ops.

Imperatively an op raises where a matrix has no inverse or no factors; a program asserts that it has, and so does an
op on a device.
"""

from __future__ import annotations

import math
from typing import Any

import numpy

from hybridize.array import functions as np
from hybridize.array.device import AWAY
from hybridize.array.functions.norms import norm
from hybridize.array.functions.searching import along
from hybridize.array.operands import array, broadcast, floats, operand, result
from hybridize.array.policies import together
from hybridize.base import dims
from hybridize.base.dtypes import float64, int32, int64, is_complex
from hybridize.base.errors import ArgumentError, CaptureError
from hybridize.base.locations import user_location
from hybridize.base.promotion import NUMBERS, floating
from hybridize.ops import eigenvalues, factors, solutions
from hybridize.ops.arithmetic import bit_not, eq, lt, ne
from hybridize.ops.elimination import factored
from hybridize.ops.matrices import diagonal_of
from hybridize.ops.op import Op, Operand, bind, capturing, type_of
from hybridize.ops.reductions import all as all_
from hybridize.ops.views import cast, like
from hybridize.ops.world import Solvable


def _results(op: Op, *xs: Any) -> list[Any]:
    return [result(y) for y in bind(op, *(operand(x) for x in xs))]


def _assert(condition: Operand, message: str) -> None:
    """Have the program raise NumPy's error at the user's line unless all elements are true."""
    line = user_location()
    everything = all_(condition, tuple(range(type_of(condition).ndim))) if type_of(condition).ndim else condition
    bind(Solvable(message if line is None else f"{message} ({line})"), everything)


def _by_program(x: Any) -> bool:
    """Tell whether a program computes with an array, and not NumPy, which raises by itself."""
    return capturing() or (bool(AWAY) and x._away() is not None)


def _assert_regular(x: Any) -> None:
    """Have a program raise where a matrix has no inverse; of complex numbers NumPy does."""
    if _by_program(x) and not is_complex(x.dtype):
        diagonal = diagonal_of(factored(cast(operand(x), float64))[0])
        _assert(ne(diagonal, like(0, diagonal)), "Singular matrix")


def _tuple(function: Any, *parts: Any) -> Any:
    """The class of tuples that NumPy's function gives."""
    return type(function(numpy.eye(1)))(*parts)


def inv(a: Any) -> Any:
    """The inverse of square matrices."""
    x = floats(a)
    _assert_regular(x)
    return _results(solutions.Inverse(), x)[0]


def solve(a: Any, b: Any) -> Any:
    """x such that a x = b; `b` is a vector, or matrices."""
    x, y = together((a, b), floating)
    columns = np.expand_dims(y, 1) if y.ndim == 1 else y
    batch = dims.broadcast(x.shape[:-2], columns.shape[:-2])
    if batch is None:
        batch = x.shape[:-2]  # NumPy says what does not fit
    left, right = (result(broadcast(operand(z), (*batch, *z.shape[-2:]))) for z in (x, columns))
    _assert_regular(left)
    solution = _results(solutions.Solve(), left, right)[0]
    return np.reshape(solution, solution.shape[:-1]) if y.ndim == 1 else solution


def det(a: Any) -> Any:
    """The determinant of square matrices."""
    return _results(solutions.Det(), floats(a))[0]


def slogdet(a: Any) -> Any:
    """The sign of the determinant and the logarithm of its magnitude."""
    return _tuple(numpy.linalg.slogdet, *_results(solutions.SlogDet(), floats(a)))


def cholesky(a: Any, /, *, upper: bool = False) -> Any:
    """L such that L L^T = a, or its transpose if `upper`."""
    factor = _results(factors.Cholesky(bool(upper)), floats(a))[0]
    if _by_program(factor) and not is_complex(factor.dtype):
        diagonal = diagonal_of(operand(factor))
        # Not a comparison that NaN fails: it passes imperatively.
        _assert(bit_not(lt(diagonal, like(0, diagonal))), "Matrix is not positive definite")
    return factor


def qr(a: Any, mode: str = "reduced") -> Any:
    """q with orthonormal columns and r upper triangular such that q r = a.

    Raises:
        CaptureError E403: a program is captured, and the mode is raw.
        ArgumentError E393: the mode is raw, or complete and q would have columns that `a` does not determine.
    """
    x = floats(a)
    m, n = x.shape[-2:]
    if mode == "raw" and capturing():
        raise CaptureError(
            "E403",
            "qr with mode='raw' cannot be compiled: the raw factors are an internal format of LAPACK",
            help="pass mode='reduced'",
        )
    if mode not in ("reduced", "complete", "r") or (mode == "complete" and m > n and not capturing()):
        raise factors.undetermined(x.type, mode)
    q, r = _results(factors.QR(mode == "complete"), x)
    return r if mode == "r" else _tuple(numpy.linalg.qr, q, r)


def eigh(a: Any, UPLO: str = "L", *, upper: bool | None = None) -> Any:
    """Eigenvalues of symmetric matrices, ascending, and eigenvectors; of the lower triangle, or the `upper` one."""
    return _tuple(numpy.linalg.eigh, *_spectrum(a, UPLO if upper is None else "LU"[bool(upper)]))


def eigvalsh(a: Any, UPLO: str = "L", *, upper: bool | None = None) -> Any:
    """Eigenvalues of symmetric matrices, ascending; of the lower triangle, or the `upper` one."""
    return _spectrum(a, UPLO if upper is None else "LU"[bool(upper)])[0]


def _spectrum(a: Any, triangle: str) -> list[Any]:
    spectrum = _results(factors.Eigh(triangle.upper() == "U"), floats(a))
    _assert_found(spectrum[0], "Eigenvalues did not converge")
    return spectrum


def _singular(x: Any, full: bool = False) -> list[Any]:
    parts = _results(factors.SVD(full), x)
    _assert_found(parts[1], "SVD did not converge")
    return parts


def _assert_found(values: Any, message: str) -> None:
    """Have a program that is captured raise where values were not found: they are no numbers."""
    if capturing():
        _assert(eq(operand(values), operand(values)), message)


def eig(a: Any) -> Any:
    """Eigenvalues and eigenvectors of square matrices.

    Raises:
        ArgumentError E394: an eigenvalue is no real number.
    """
    _check_real(a, "eig")
    return _tuple(numpy.linalg.eig, *_results(eigenvalues.Eig(), a))


def eigvals(a: Any) -> Any:
    """Eigenvalues of square matrices.

    Raises:
        ArgumentError E394: one is no real number.
    """
    _check_real(a, "eigvals")
    return _results(eigenvalues.Eig(), a)[0]


def _check_real(a: Any, name: str) -> None:
    x = array(a)
    if numpy.linalg.eigvals(x.asnumpy()).dtype.kind == "c":
        raise ArgumentError(
            "E394",
            f"{name}: {x.type} has eigenvalues that are not real numbers, which have no gradient here",
            help="np.linalg.eigh takes symmetric matrices",
        )


def svd(a: Any, full_matrices: bool = True, compute_uv: bool = True, hermitian: bool = False) -> Any:
    """u, s, v^T with a = u s v^T. Columns that `a` does not determine are constants."""
    x = floats(a)
    m, n = x.shape[-2:]
    full = bool(full_matrices and compute_uv and m != n)
    u, s, vh = _of_symmetric(x) if hermitian else _singular(x, full)
    return _tuple(numpy.linalg.svd, u, s, vh) if compute_uv else s


def _of_symmetric(x: Any) -> tuple[Any, Any, Any]:
    """Singular values and vectors of symmetric matrices: magnitudes of eigenvalues, the largest first."""
    values, vectors = _spectrum(x, "L")
    order = np.argsort(np.absolute(values))[..., ::-1]
    values = along(values, order, values.ndim - 1)
    u = along(vectors, np.expand_dims(order, -2), vectors.ndim - 1)
    v = np.multiply(u, np.expand_dims(np.sign(values), -2))
    return u, np.absolute(values), _adjoint(v)


def svdvals(x: Any, /) -> Any:
    """Singular values, the largest first."""
    return _singular(floats(x))[1]


_DEFAULT: Any = object()


def pinv(a: Any, rcond: Any = None, hermitian: bool = False, *, rtol: Any = _DEFAULT) -> Any:
    """The pseudo-inverse. `hermitian` says how NumPy computes it, which makes no difference to what it is.

    Singular values that are `rcond` of the largest, or less, count as 0; an array has a part for each matrix.
    """
    x = floats(a)
    if rcond is None:
        rcond = 1e-15 if rtol is _DEFAULT else _accuracy(x) if rtol is None else rtol
    if not isinstance(rcond, (str, *NUMBERS)) and (capturing() or array(rcond).ndim):
        u, values, vh = _singular(x, False)
        limit = np.multiply(np.expand_dims(array(rcond), -1), np.max(values, -1, keepdims=True, initial=0))
        inverted = np.where(np.greater(values, limit), np.reciprocal(np.where(values == 0, 1, values)), 0)
        return np.matmul(np.multiply(_adjoint(vh), np.expand_dims(inverted, -2)), _adjoint(u)).astype(x.dtype)
    if capturing():
        _assert_found(svdvals(x), "SVD did not converge")
    return _results(solutions.PseudoInverse(float(rcond)), x)[0]


def _adjoint(x: Any) -> Any:
    return np.conj(np.swapaxes(x, -1, -2))


def _accuracy(x: Any) -> float:
    return float(max(x.shape[-2:]) * numpy.finfo(x.dtype).eps)


def lstsq(a: Any, b: Any, rcond: float | None = None) -> Any:
    """x with the least |a x - b|^2, of those the least |x|^2; that sum, by columns; the rank; the singular values.

    Singular values that are `rcond` of the largest, or less, count as 0; a part that is not between 0 and 1 is the
    rounding of the dtype, as in LAPACK.
    """
    x, y = together((a, b), floating)
    limit = _accuracy(x) if rcond is None else float(rcond)
    if not 0 < limit < 1:
        limit = float(numpy.finfo(x.dtype).eps) / 2
    m, n = x.shape
    columns = np.expand_dims(y, 1) if y.ndim == 1 else y
    values = svdvals(x)
    is_large = np.greater(values, np.multiply(values[:1], limit))
    rank = np.sum(is_large, 0, dtype=int32) if values.size else np.zeros((), int32)
    solution = _results(solutions.LeastSquares(limit), x, columns)[0]
    left_over = np.subtract(columns, np.matmul(x, solution))
    sums = np.sum(np.square(np.absolute(left_over) if is_complex(left_over.dtype) else left_over), 0)
    if m <= n or not columns.size:
        sums = sums[:0]
    elif capturing():
        # Imperatively there are no sums then: that many is no size which is known before.
        whole = eq(operand(rank), like(n, operand(rank)))
        _assert(whole, "lstsq of columns that depend on each other: say pinv(a) @ b")
    elif rank < n:
        sums = sums[:0]
    return np.reshape(solution, solution.shape[:1]) if y.ndim == 1 else solution, sums, rank, values


def matrix_rank(A: Any, tol: Any = None, hermitian: bool = False, *, rtol: Any = None) -> Any:
    """The number of singular values above `tol`, or above `rtol` times the largest."""
    x = floats(A)
    if x.ndim < 2:
        return np.any(np.not_equal(x, 0)).astype(int64)
    values = np.absolute(eigvalsh(x)) if hermitian else svdvals(x)
    if not values.shape[-1]:
        return np.zeros(values.shape[:-1], int64)
    if tol is not None:
        limit = np.expand_dims(array(tol), -1)
    else:
        part = _accuracy(x) if rtol is None else np.expand_dims(array(rtol), -1)
        limit = np.multiply(np.max(values, -1, keepdims=True), part)
    return np.sum(np.greater(values, limit), -1, dtype=int64)


def tensorinv(a: Any, ind: int = 2) -> Any:
    """The inverse of a tensor, seen as a matrix from its last axes to its first `ind`."""
    x = array(a)
    rows = math.prod(x.shape[:ind])
    return np.reshape(inv(np.reshape(x, (rows, x.size // max(rows, 1)))), (*x.shape[ind:], *x.shape[:ind]))


def tensorsolve(a: Any, b: Any, axes: Any = None) -> Any:
    """x such that the product of `a` and x over all axes of x is `b`."""
    x, y = together((a, b), floating)
    if axes is not None:
        x = np.transpose(x, [*(k for k in range(x.ndim) if k not in axes), *axes])
    shape = x.shape[y.ndim - x.ndim :]
    return np.reshape(solve(np.reshape(x, (y.size, math.prod(shape))), np.ravel(y)), shape)


def cond(x: Any, p: Any = None) -> Any:
    """The condition number, by which errors grow where equations are solved: norm(x, p) norm(inverse, p)."""
    x = floats(x)
    if p in (None, 2, -2):
        s = svdvals(x)
        largest, smallest = s[..., 0], s[..., -1]
        number = np.divide(smallest, largest) if p == -2 else np.divide(largest, smallest)
    else:
        inverse = _results(solutions.Inverse(False), x)[0]
        number = np.multiply(norm(x, p, (-2, -1)), norm(inverse, p, (-2, -1)))
    has_nan = np.any(np.isnan(x), (-2, -1))
    has_none = np.logical_and(np.isnan(number), np.logical_not(has_nan))  # no inverse
    return np.where(has_none, math.inf, number)
