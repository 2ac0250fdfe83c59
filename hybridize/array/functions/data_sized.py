# SPDX-License-Identifier: Apache-2.0
"""Functions whose results have sizes that data decides: NumPy computes them, and programs that cannot refuse them."""

from __future__ import annotations

from typing import Any

import numpy

from hybridize.array.functions.searching import data_dependent, recorded

_BY_NUMPY = (
    "unique",
    "nonzero",
    "flatnonzero",
    "argwhere",
    "bincount",
    "setdiff1d",
    "union1d",
    "intersect1d",
    "genfromtxt",
    "setxor1d",
    "trim_zeros",
    "unique_all",
    "unique_counts",
    "unique_inverse",
    "unique_values",
    "einsum_path",
    "sort_complex",
)


def _unique_values(x: Any, /) -> Any:
    """NumPy's `unique_values` in ascending order, which its own is in some versions."""
    return numpy.unique(x, equal_nan=False)


_NUMPYS = {"unique_values": _unique_values}
_WITH_GRADIENTS = ("unique", "bincount", "setdiff1d", "union1d", "intersect1d")

(
    unique,
    nonzero,
    flatnonzero,
    argwhere,
    bincount,
    setdiff1d,
    union1d,
    intersect1d,
    genfromtxt,
    setxor1d,
    trim_zeros,
    unique_all,
    unique_counts,
    unique_inverse,
    unique_values,
    einsum_path,
    sort_complex,
) = (
    data_dependent(
        name, _NUMPYS.get(name, getattr(numpy, name)), recorded(name, "sets") if name in _WITH_GRADIENTS else None
    )
    for name in _BY_NUMPY
)
