# SPDX-License-Identifier: Apache-2.0
"""Functions that NumPy computes, most of them since data decides the sizes of their results; programs refuse them.

Which there are says `np.PLACES`; each is made when it is first asked for.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy

from hybridize.array.functions.searching import data_dependent, recorded
from hybridize.base.dtypes import as_dtype

_NUMPYS: dict[str, Callable[..., Any]] = {
    "fromiter": lambda iter, dtype, count=-1: numpy.fromiter(iter, as_dtype(dtype), count),
    "unique_values": lambda x, /: numpy.unique(x, equal_nan=False),  # whose order is ascending in all versions
}
_WITH_GRADIENTS = ("unique", "bincount", "setdiff1d", "union1d", "intersect1d")


def _function(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(name)
    numpys = _NUMPYS.get(name) or getattr(numpy, name)
    function = data_dependent(name, numpys, recorded(name, "sets") if name in _WITH_GRADIENTS else None)
    return globals().setdefault(name, function)


__getattr__ = _function
