# SPDX-License-Identifier: Apache-2.0
"""The linear algebra of the array API standard, `hybridize.array_api.linalg`: eigenvalues are complex numbers there."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hybridize.array import linalg
from hybridize.array.functions.elementwise import astype
from hybridize.base.dtypes import complex_of
from hybridize.base.names import late, places


def eig(x: Any, /) -> Any:
    """The eigenvalues of square matrices, and eigenvectors as columns, complex; imperatively."""
    pair = linalg.eig(x)
    return type(pair)(*(astype(part, complex_of(part.dtype), copy=False) for part in pair))


def eigvals(x: Any, /) -> Any:
    """The eigenvalues of square matrices, complex; imperatively."""
    values = linalg.eigvals(x)
    return astype(values, complex_of(values.dtype), copy=False)


_OF_NP = (
    "cholesky cross det diagonal eigh eigvalsh inv matmul matrix_norm matrix_power matrix_rank matrix_transpose outer "
    "pinv qr slogdet solve svd svdvals tensordot trace vecdot vector_norm"
)
PLACES = places("hybridize.array", {"linalg": _OF_NP})
"""Places of the names that are those of `np.linalg`."""

__all__ = sorted([*PLACES, "eig", "eigvals"])

__dir__: Callable[[], list[str]]
__getattr__: Callable[[str], Any]
__getattr__, __dir__ = late(globals(), PLACES)
