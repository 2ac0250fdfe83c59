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


def expm1(x: Array) -> Array:
    """exp(x) - 1; of complex numbers from its parts, without cancellation, and as C's `cexp` has it at infinity."""
    if x.dtype.kind != "c":
        return numpy.expm1(x)
    real, imag = x.real, x.imag
    found = numpy.empty(x.shape, x.dtype)
    found.real = numpy.where(
        imag == 0, numpy.expm1(real), numpy.expm1(real) * numpy.cos(imag) - 2 * numpy.sin(imag / 2) ** 2
    )
    found.imag = numpy.where(imag == 0, imag, numpy.exp(real) * numpy.sin(imag))
    unknown = ~numpy.isfinite(imag)
    found[unknown & (real == -numpy.inf)] = -1
    found[unknown & (real == numpy.inf)] = complex(numpy.inf, numpy.nan)
    found.real += 0.0  # of -0
    return found


def tanh(x: Array) -> Array:
    """The hyperbolic tangent; of complex numbers with the sign of the imaginary part kept at infinity."""
    found = numpy.asarray(numpy.tanh(x))
    if x.dtype.kind == "c":
        ends = numpy.isinf(x.real) & numpy.isfinite(x.imag)
        found.imag[ends] = numpy.copysign(0.0, x.imag[ends])
    return found


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
