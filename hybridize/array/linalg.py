# SPDX-License-Identifier: Apache-2.0
"""`np.linalg`: norms and products compile; factorisations are NumPy's (LAPACK), imperatively, and have gradients."""

from __future__ import annotations

from typing import Any, NoReturn

import numpy

from hybridize.array.functions import linear
from hybridize.array.functions.creation import eye
from hybridize.array.functions.linear import cross, matmul, outer, tensordot, vecdot
from hybridize.array.functions.norms import matrix_norm, norm, svdvals, vector_norm
from hybridize.array.functions.searching import data_dependent, recorded
from hybridize.array.functions.shapes import swapaxes
from hybridize.array.operands import array, public
from hybridize.base.errors import ShapeError
from hybridize.base.missing import missing

_LAPACK = (
    "svd", "qr", "solve", "cholesky", "inv", "det", "slogdet", "eig", "eigh", "eigvals", "eigvalsh", "pinv", "lstsq",
    "tensorinv", "tensorsolve", "matrix_rank", "cond",
)  # fmt: skip

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
) = (
    data_dependent(
        f"linalg.{name}", getattr(numpy.linalg, name), None if name == "matrix_rank" else recorded(name, "factors")
    )
    for name in _LAPACK
)


@public
def trace(x: Any, /, *, offset: int = 0, dtype: Any = None) -> Any:
    """The sums of a diagonal of the matrices in the last two axes."""
    return linear.trace(x, offset, -2, -1, dtype)


@public
def matrix_transpose(x: Any, /) -> Any:
    """The last two axes exchanged; a view."""
    return swapaxes(x, -1, -2)


@public
def matrix_power(a: Any, n: int) -> Any:
    """The product of `n` copies of a square matrix; its inverse for negative `n`."""
    x = array(a)
    if x.ndim < 2 or x.shape[-1] != x.shape[-2]:
        raise ShapeError("E115", f"matrix_power takes square matrices, got {x.type}")
    if n < 0:
        x, n = inv(x), -n
    found = None
    while n:
        if n & 1:
            found = x if found is None else matmul(found, x)
        x, n = matmul(x, x), n >> 1
    return found if found is not None else eye(x.shape[-1], dtype=x.dtype)


__all__ = [
    *_LAPACK,
    "cross",
    "matmul",
    "matrix_norm",
    "matrix_power",
    "matrix_transpose",
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
    raise missing(
        "hybridize.np.linalg", name, globals(), (name,) if theirs else (), {name: what.format(name)} if theirs else {}
    )
