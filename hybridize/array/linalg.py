# SPDX-License-Identifier: Apache-2.0
"""`np.linalg`: imperatively NumPy's (LAPACK), compiled by routines of our own; either way with gradients.

What may give complex numbers, `eig` and `eigvals`, is imperative only.
"""

from __future__ import annotations

from hybridize.base.missing import by_numpy
from hybridize.base.names import late, places, with_texts

PLACES = places(
    "hybridize.array",
    {
        "functions.lapack": (
            "cholesky cond det eig eigh eigvals eigvalsh inv lstsq matrix_rank pinv qr slogdet solve svd svdvals "
            "tensorinv tensorsolve"
        ),
        "functions.linear": "matmul multi_dot tensordot vecdot",
        "functions.norms": "matrix_norm norm vector_norm",
        "matrix_functions": "cross diagonal matrix_power matrix_transpose outer trace",
    },
) | {"LinAlgError": "numpy.linalg:LinAlgError"}
"""Places of the names."""

__all__ = sorted(PLACES)

__getattr__, __dir__ = late(
    globals(), PLACES, by_numpy("numpy.linalg"), with_texts("hybridize.array.texts", "np.linalg")
)
