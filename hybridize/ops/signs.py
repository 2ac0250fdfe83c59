# SPDX-License-Identifier: Apache-2.0
"""Signs of eigenvectors and singular vectors, which no matrix determines: chosen, so that everybody gives the same."""

from __future__ import annotations

from typing import Any

import numpy
from numpy.typing import NDArray

SMALL = 0.3457
"""An element counts from here on, as a part of the largest: no ratio that structured matrices have, as 1/2 or 1/3."""


def signs(vectors: NDArray[Any]) -> NDArray[Any]:
    """1 or -1 for each column of [..., m, n], that makes its first element which is not small positive.

    Complex columns stay as LAPACK gives them: nobody else computes them.
    """
    if not vectors.shape[-2] or vectors.dtype.kind == "c":
        return numpy.ones((*vectors.shape[:-2], vectors.shape[-1]), vectors.dtype)
    magnitudes = abs(vectors)
    first = (magnitudes >= SMALL * magnitudes.max(-2, keepdims=True)).argmax(-2)
    chosen = numpy.take_along_axis(vectors, first[..., None, :], -2)[..., 0, :]
    return numpy.where(chosen < 0, -1, 1).astype(vectors.dtype)


def signed_eigh(values: NDArray[Any], vectors: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """Eigenvalues and eigenvectors with the signs of this module."""
    return values, vectors * signs(vectors)[..., None, :]


def signed_svd(u: NDArray[Any], s: NDArray[Any], vh: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """Singular values and vectors with the signs of this module: those of u decide, and v follows.

    Vectors without a singular value are left as they are.
    """
    k = s.shape[-1]
    turn = signs(u[..., :k])
    u, vh = u.copy(), vh.copy()
    u[..., :k] *= turn[..., None, :]
    vh[..., :k, :] *= turn[..., None]
    return u, s, vh
