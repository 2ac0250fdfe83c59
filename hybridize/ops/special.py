# SPDX-License-Identifier: Apache-2.0
"""Functions that NumPy lacks, for arrays: computed in float64 and rounded once, so they serve as the meaning of ops.

Source: erf, gamma and lgamma are the C library's, through `math`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy
from numpy.typing import NDArray

from hybridize.loops import functions as _functions

Array = NDArray[Any]


def _elementwise(function: Callable[[float], float]) -> Callable[[Array], Array]:
    """A function of one float64 as one of arrays of any float dtype."""

    def apply(x: Array) -> Array:
        flat = x.astype(numpy.float64).ravel()
        values = numpy.fromiter(map(function, flat.tolist()), numpy.float64, flat.size)
        return values.reshape(x.shape).astype(x.dtype)

    return apply


erf = _elementwise(math.erf)
gamma = _elementwise(_functions.gamma)
gammaln = _elementwise(_functions.gammaln)
erfinv = _elementwise(_functions.erfinv)


def _through_float32(function: Callable[[Array], Array]) -> Callable[[Array], Array]:
    """Short floats are computed in float32 and rounded once, as NumPy does for its own functions."""

    def apply(x: Array) -> Array:
        if x.dtype.itemsize == 2:
            return function(x.astype(numpy.float32)).astype(x.dtype)
        return numpy.asarray(function(x))

    return apply


@_through_float32
def sigmoid(x: Array) -> Array:
    """1 / (1 + exp(-x)), without overflow on either side."""
    y = numpy.exp(-numpy.abs(x))
    one = x.dtype.type(1)
    return numpy.asarray(numpy.where(x >= 0, one, y) / (one + y))


@_through_float32
def rsqrt(x: Array) -> Array:
    """1 / sqrt(x)"""
    one = x.dtype.type(1)
    return numpy.asarray(one / numpy.sqrt(x))
