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

Array = NDArray[Any]


def _elementwise(function: Callable[[float], float]) -> Callable[[Array], Array]:
    """A function of one float64 as one of arrays of any float dtype."""

    def apply(x: Array) -> Array:
        flat = x.astype(numpy.float64).ravel()
        values = numpy.fromiter(map(function, flat.tolist()), numpy.float64, flat.size)
        return values.reshape(x.shape).astype(x.dtype)

    return apply


@_elementwise
def gamma(x: float) -> float:
    """The gamma function as C has it: NaN at its poles, infinite beyond what floats hold."""
    if math.isnan(x) or x == -math.inf or (x < 0 and x == math.floor(x)):
        return math.nan
    if x == 0:
        return math.copysign(math.inf, x)
    try:
        return math.gamma(x)
    except OverflowError:
        return math.inf


@_elementwise
def gammaln(x: float) -> float:
    """The logarithm of the absolute value of the gamma function: infinite at its poles."""
    if math.isinf(x) or (x <= 0 and x == math.floor(x)):
        return math.inf
    return math.lgamma(x)


@_elementwise
def erfinv(y: float) -> float:
    """Newton's method on erf (on erfc near 1, where erf is flat), from Winitzki's approximation."""
    if not abs(y) < 1:
        return math.copysign(math.inf, y) if abs(y) == 1 else math.nan
    if y == 0:
        return y
    a = 0.147
    logarithm = math.log1p(-y * y)
    half = 2 / (math.pi * a) + logarithm / 2
    x = math.sqrt(math.sqrt(half * half - logarithm / a) - half)
    for _ in range(4):
        error = math.erf(x) - abs(y) if x < 1 else (1 - abs(y)) - math.erfc(x)
        x -= error / (2 / math.sqrt(math.pi) * math.exp(-x * x))
    return math.copysign(x, y)


erf: Callable[[Array], Array] = _elementwise(math.erf)


def expm1(x: Array) -> Array:
    """exp(x) - 1; of complex numbers from its parts, without cancellation, and as C's `cexp` has it at infinity."""
    if x.dtype.kind != "c":
        return numpy.expm1(x)
    real, imag = x.real, x.imag
    result = numpy.empty(x.shape, x.dtype)
    result.real = numpy.where(
        imag == 0, numpy.expm1(real), numpy.expm1(real) * numpy.cos(imag) - 2 * numpy.sin(imag / 2) ** 2
    )
    result.imag = numpy.where(imag == 0, imag, numpy.exp(real) * numpy.sin(imag))
    unknown = ~numpy.isfinite(imag)
    result[unknown & (real == -numpy.inf)] = -1
    result[unknown & (real == numpy.inf)] = complex(numpy.inf, numpy.nan)
    result.real += 0.0  # of -0
    return result


def tanh(x: Array) -> Array:
    """The hyperbolic tangent; of complex numbers with the sign of the imaginary part kept at infinity."""
    result = numpy.asarray(numpy.tanh(x))
    if x.dtype.kind == "c":
        ends = numpy.isinf(x.real) & numpy.isfinite(x.imag)
        result.imag[ends] = numpy.copysign(0.0, x.imag[ends])
    return result


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
