# SPDX-License-Identifier: Apache-2.0
"""`np.linalg`: imperatively NumPy's (LAPACK), compiled by routines of our own; either way with gradients.

What may give complex numbers, `eig` and `eigvals`, is imperative only.
"""

from __future__ import annotations

import inspect
from functools import partial
from typing import Any, NoReturn

import numpy

from hybridize.array.functions import creation, linear
from hybridize.array.functions.creation import eye
from hybridize.array.functions.linear import matmul, multi_dot, tensordot, vecdot
from hybridize.array.functions.matrix_arguments import check, check_floats
from hybridize.array.functions.norms import matrix_norm, norm, svdvals, vector_norm
from hybridize.array.functions.searching import data_dependent, recorded
from hybridize.array.functions.shapes import swapaxes
from hybridize.array.operands import array, axis_of, public
from hybridize.base.errors import MatrixShapeError, ShapeError
from hybridize.base.missing import missing
from hybridize.ops.signs import signed_eigh, signed_svd

_LAPACK = (
    "svd", "qr", "solve", "cholesky", "inv", "det", "slogdet", "eig", "eigh", "eigvals", "eigvalsh", "pinv", "lstsq",
    "tensorinv", "tensorsolve", "matrix_rank", "cond",
)  # fmt: skip


def _eigh(a: Any, UPLO: Any = "L") -> Any:
    pair = numpy.linalg.eigh(a, UPLO)
    return type(pair)(*signed_eigh(*pair))


def _svd(a: Any, full_matrices: bool = True, compute_uv: bool = True, hermitian: bool = False) -> Any:
    if not compute_uv:
        return numpy.linalg.svd(a, full_matrices, False, hermitian)
    parts = numpy.linalg.svd(a, full_matrices, True, hermitian)
    return type(parts)(*signed_svd(*parts))


def _matrix_rank(A: Any, tol: Any = None, hermitian: bool = False, *, rtol: Any = None) -> Any:
    return numpy.asarray(numpy.linalg.matrix_rank(A, tol, hermitian, rtol=rtol))  # of a vector, too


_AS_PROGRAMS: dict[str, Any] = {"eigh": _eigh, "svd": _svd, "matrix_rank": _matrix_rank}
"""Functions that give what programs give: signs that no matrix determines, an array where NumPy has a Python number."""
_IMPERATIVE = ("eig", "eigvals")
"""Functions whose results may be complex."""


def _function(name: str) -> Any:
    ours = recorded(name, "factors")
    numpys = _AS_PROGRAMS.get(name) or getattr(numpy.linalg, name)
    passing = None if name == "matrix_rank" else ours
    captured = None if name in _IMPERATIVE else ours
    function: Any = data_dependent(f"linalg.{name}", numpys, passing, captured, partial(check, name))
    function.__signature__ = inspect.signature(getattr(numpy.linalg, name))
    return function


(
    svd,
    qr,
    solve,
    cholesky,
    inv,
    det,
    slogdet,
    eig,
    eigh,
    eigvals,
    eigvalsh,
    pinv,
    lstsq,
    tensorinv,
    tensorsolve,
    matrix_rank,
    cond,
) = map(_function, _LAPACK)


@public
def trace(x: Any, /, *, offset: int = 0, dtype: Any = None) -> Any:
    """The sums of a diagonal of the matrices in the last two axes."""
    return linear.trace(x, offset, -2, -1, dtype)


@public
def diagonal(x: Any, /, *, offset: int = 0) -> Any:
    """A diagonal of the matrices in the last two axes, as the last axis; a copy."""
    return creation.diagonal(x, offset, -2, -1)


@public
def matrix_transpose(x: Any, /) -> Any:
    """The last two axes exchanged; a view."""
    return swapaxes(x, -1, -2)


@public
def outer(x1: Any, x2: Any, /) -> Any:
    """Every element of a vector times every element of another: [m, n].

    Raises:
        ShapeError E118: an argument is no vector.
    """
    for one in (x1, x2):
        if array(one).ndim != 1:
            raise ShapeError(
                "E118", f"linalg.outer takes vectors, got {array(one).type}", help="np.outer flattens its arguments"
            )
    return linear.outer(x1, x2)


@public
def cross(x1: Any, x2: Any, /, *, axis: int = -1) -> Any:
    """The vector product of vectors of three components along `axis`.

    Raises:
        ShapeError E102: they have another number of components.
    """
    for one in (x1, x2):
        x = array(one)
        if x.shape[axis_of(axis, x.ndim, "cross")] != 3:
            what = f"linalg.cross takes vectors of three components, got {x.type}"
            raise ShapeError("E102", what, help="np.cross also takes vectors of two components")
    return linear.cross(x1, x2, axis=axis)


@public
def matrix_power(a: Any, n: int) -> Any:
    """The product of `n` copies of a square matrix; its inverse for negative `n`."""
    x = array(a)
    if x.ndim < 2 or x.shape[-1] != x.shape[-2]:
        raise MatrixShapeError("E115", f"matrix_power takes square matrices, got {x.type}")
    if n < 0:
        check_floats("matrix_power", x)
        x, n = inv(x), -n
    product = None
    while n:
        if n & 1:
            product = x if product is None else matmul(product, x)
        x, n = matmul(x, x), n >> 1
    return product if product is not None else eye(x.shape[-1], dtype=x.dtype)


LinAlgError = numpy.linalg.LinAlgError

__all__ = [
    *_LAPACK,
    "LinAlgError",
    "cross",
    "diagonal",
    "matmul",
    "matrix_norm",
    "matrix_power",
    "matrix_transpose",
    "multi_dot",
    "norm",
    "outer",
    "svdvals",
    "tensordot",
    "trace",
    "vecdot",
    "vector_norm",
]


def __getattr__(name: str) -> NoReturn:
    what = "numpy.linalg.{} on x.asnumpy(), outside of compiled functions"
    theirs = not name.startswith("__") and hasattr(numpy.linalg, name)
    raise missing("hybridize.np.linalg", name, globals(), {name: what.format(name)} if theirs else {})
