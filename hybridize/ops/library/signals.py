# SPDX-License-Identifier: Apache-2.0
"""Signals in time and their spectra: windows, frames, discrete Fourier transforms of parts, and bands of pitch."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Final

import numpy
from numpy.typing import NDArray

from hybridize.base import dims
from hybridize.base.dtypes import DType, float64, int64
from hybridize.ops.analysis import cos
from hybridize.ops.arithmetic import add, div, mul
from hybridize.ops.complexes import from_parts, imag, real
from hybridize.ops.fourier import Fourier, InverseRealFourier, RealFourier
from hybridize.ops.indexing import gather
from hybridize.ops.library.products import matrix_product
from hybridize.ops.op import Operand, bind1, constant, scalar, type_of
from hybridize.ops.slicing import concat, iota, pad, part
from hybridize.ops.views import broadcast, cast, like, reshape, transpose


def cosine_window(size: Any, coefficients: Sequence[float], periodic: bool, dtype: DType) -> Operand:
    """Return a sum of cosines whose signs alternate, [size]: that of Hann has the coefficients 1/2, 1/2.

    Args:
        size: of the window.
        coefficients: of the cosines of 0, 1, 2, ... periods.
        periodic: the first number follows the last, else both are equal.
        dtype: of the result; it is computed in float64.
    """
    place = iota((size,), 0, float64)
    total = like(coefficients[0], place)
    length = like(size if periodic else dims.maximum(size - 1, 1), place)
    for k, coefficient in enumerate(coefficients[1:], 1):
        angle = div(mul(like(2 * math.pi * k, place), place), length)
        total = add(total, mul(like((-1) ** k * coefficient, place), cos(angle)))
    return cast(total, dtype)


def frames(x: Operand, length: Any, step: Any, window: Operand | None = None) -> Operand:
    """Return parts of a signal, [batch, frames, length, ...] of [batch, time, ...], each `step` after the one before.

    Args:
        x: the signal.
        length: of a frame.
        step: from one to the next.
        window: that each is multiplied by, [length].
    """
    time = type_of(x).shape[1]
    count = (time - length) // step + 1
    first = iota((count, length), 0, int64)
    places = add(mul(first, like(step, first)), iota((count, length), 1, int64))
    parts = gather(x, places, 1)
    if window is None:
        return parts
    shape = type_of(parts).shape
    weights = reshape(cast(window, type_of(parts).dtype), (length, *(1,) * (len(shape) - 3)))
    return mul(parts, broadcast(weights, shape))


def spectrum(x: Operand, axis: int, length: int, inverse: bool = False, onesided: bool = False) -> Operand:
    """Return the discrete Fourier transform of a signal whose last axis has its real part, or its real and imaginary.

    Short ones are a product with a matrix, which kernels compute for any sizes of the other axes; longer ones are
    NumPy's.

    Args:
        x: [..., 1 or 2], float32 or float64.
        axis: of time.
        length: of the signal: it is cut off there, or zeros follow it.
        inverse: back from the spectrum.
        onesided: the half of the spectrum that says all of a real signal: what is given, or of an inverse taken.

    Returns:
        [..., 2], or [..., 1] of the inverse of one half.
    """
    half, real_again = length // 2 + 1, inverse and onesided
    x = of_length(x, axis, half if real_again else length)
    if length <= _SHORT:
        return _by_matrix(x, axis, length, inverse, onesided)
    shape = type_of(x).shape
    parts = [reshape(part(x, len(shape) - 1, k, k + 1), shape[:-1]) for k in range(shape[-1])]
    if real_again and len(parts) == 1:
        parts.append(like(0, parts[0]))
    signal = parts[0] if len(parts) == 1 else from_parts(*parts)
    if real_again:
        y = bind1(InverseRealFourier(axis, length), signal)
        return reshape(y, (*type_of(y).shape, 1))
    z = bind1(RealFourier(axis) if onesided and len(parts) == 1 else Fourier(axis, inverse), signal)
    shape = type_of(z).shape
    y = concat(*(reshape(one, (*shape, 1)) for one in (real(z), imag(z))), axis=len(shape))
    return part(y, axis, 0, half) if onesided else y


_SHORT: Final = 1024
"""The longest transform that is a product with a matrix."""


def _by_matrix(x: Operand, axis: int, length: int, inverse: bool, onesided: bool) -> Operand:
    """The same as a product of rows of parts and times with a matrix of cosines and sines."""
    kind = type_of(x)
    last = kind.ndim - 1
    time, parts = kind.shape[axis], kind.shape[last]
    count, gives = (length, 1) if inverse and onesided else (length // 2 + 1 if onesided else length, 2)
    numbers = numpy.arange(time)[:, None] * numpy.arange(count) % length
    angles = numbers * ((2 if inverse else -2) * math.pi / length)
    cosines, sines = numpy.cos(angles), numpy.sin(angles)
    matrix = numpy.stack([numpy.stack([cosines, sines], 1)[:, :gives], numpy.stack([-sines, cosines], 1)[:, :gives]])
    if inverse:
        matrix /= length
        if onesided:  # what is left out are the conjugates of all but the ends
            matrix[:, [k for k in range(time) if k and 2 * k != length]] *= 2
    order = [k for k in range(last) if k != axis] + [last, axis]
    turned = transpose(x, tuple(order))
    weight = constant(matrix[:parts].reshape(parts * time, gives * count).astype(kind.dtype))
    y = matrix_product(reshape(turned, (*type_of(turned).shape[:-2], parts * time)), weight)
    y = reshape(y, (*type_of(y).shape[:-1], gives, count))
    return transpose(y, tuple(order.index(k) for k in range(kind.ndim)))


def of_length(x: Operand, axis: int, length: int) -> Operand:
    """Return an array cut off along an axis, or with zeros behind it, so that it has a length there."""
    kind = type_of(x)
    size = int(kind.shape[axis])
    if size >= length:
        return part(x, axis, 0, length)
    more = tuple(length - size if k == axis else 0 for k in range(kind.ndim))
    return pad(x, scalar(0, kind.dtype), (0,) * kind.ndim, more)


def mel_weights(bands: int, length: int, rate: float, low: float, high: float) -> NDArray[Any]:
    """Return how much each frequency of one half of a spectrum is in each of a number of triangular bands of pitch.

    Args:
        bands: their number; pitches lie evenly on the mel scale.
        length: of the transform.
        rate: samples per second.
        low: where the first band begins, in hertz.
        high: near where the last ends.
    """
    pitches = [2595 * math.log10(1 + edge / 700) for edge in (low, high)]
    steps = numpy.arange(bands + 2) * ((pitches[1] - pitches[0]) / (bands + 2)) + pitches[0]
    edges = ((length + 1) * (700 * (10 ** (steps / 2595) - 1)) // rate).astype(int)
    left, middle, right = edges[:-2], edges[1:-1], edges[2:]
    place = numpy.arange(length // 2 + 1)[:, None]
    rising = numpy.where(middle > left, (place - left) / numpy.maximum(middle - left, 1), 1.0)
    falling = (right - place) / numpy.maximum(right - middle, 1)
    weights = numpy.where((place >= left) & (place <= middle), rising, 0.0)
    return numpy.where((place >= middle) & (place < right), falling, weights)
