# SPDX-License-Identifier: Apache-2.0
"""Positions in sequences: numbers, sines and cosines that are added to vectors, rotations of pairs of components."""

from __future__ import annotations

import math

import numpy

from hybridize.base import dims
from hybridize.base.dtypes import DType, float32, float64, int64, is_float
from hybridize.base.errors import ArgumentError, ShapeError
from hybridize.ops.analysis import cos, sin
from hybridize.ops.arithmetic import add, floor_div, mul, sub
from hybridize.ops.composite import composite
from hybridize.ops.op import Operand, constant, type_of
from hybridize.ops.slicing import concat, iota
from hybridize.ops.slicing import slice as sliced
from hybridize.ops.views import broadcast, cast, like, reshape, wide

PAIRINGS = ("halves", "neighbours")
"""Component k goes with k + size / 2, or 2 k with 2 k + 1."""


def frequencies(count: int, size: int, base: float, dtype: DType) -> Operand:
    """base ** (-2 k / size) for k from 0 to count - 1, computed in float64."""
    return constant((float(base) ** (numpy.arange(count) * (-2.0 / size))).astype(dtype))


def _angles(places: Operand, factors: Operand) -> Operand:
    """Places [...] times factors [k]: [..., k]"""
    shape = (*type_of(places).shape, type_of(factors).shape[0])
    place = broadcast(reshape(cast(places, type_of(factors).dtype), (*shape[:-1], 1)), shape)
    return mul(place, broadcast(factors, shape))


def sinusoids(places: Operand, size: int, base: float = 10000.0, dtype: DType = float32) -> Operand:
    """Return the sine and cosine of places, in turns, of `size` / 2 frequencies: [..., size].

    Component 2 k is sin(place / base ** (2 k / size)), 2 k + 1 the cosine of the same; an odd size ends with a sine.

    Args:
        places: of any dtype.
        size: of a vector.
        base: the longest wave is 2 pi times this.
        dtype: of the result.
    """
    pairs = (size + 1) // 2
    angles = _angles(places, frequencies(pairs, size, base, wide(dtype)))
    shape = type_of(angles).shape
    both = concat(*(reshape(turn(angles), (*shape, 1)) for turn in (sin, cos)), axis=len(shape))
    flat = reshape(both, (*shape[:-1], 2 * pairs))
    if size % 2:
        flat = sliced(flat, (0,) * len(shape), (*shape[:-1], size), (1,) * len(shape))
    return cast(flat, dtype)


@composite("_contrib_arange_like", lambda **_: {"dtype": None})
def arange_like(
    x: Operand, start: float = 0.0, step: float = 1.0, repeat: int = 1, axis: int | None = None, dtype: DType = float32
) -> Operand:
    """Return start, start + step, ... for each element of `x`, or along an axis of it; each number `repeat` times."""
    shape = type_of(x).shape
    count = math.prod(shape) if axis is None else shape[axis]
    number = iota((count,), 0, int64)
    if repeat != 1:
        number = floor_div(number, like(repeat, number))
    line = cast(number, wide(dtype) if is_float(dtype) else float64)
    line = cast(add(mul(line, like(step, line)), like(start, line)), dtype)
    return reshape(line, shape) if axis is None else line


@composite("rotary_embedding")
def rotary_embedding(
    x: Operand,
    places: Operand | None = None,
    axis: int = -2,
    base: float = 10000.0,
    pairing: str = "halves",
    size: int | None = None,
) -> Operand:
    """Rotate pairs of components by their place in the sequence times a frequency, one for each pair.

    Products of rotated queries and keys depend on the distance of their places alone.

    Args:
        x: [..., components].
        places: [time], or [n, time], n the first size of `x`; 0, 1, 2, ... if None.
        axis: of time, counted from the end: -2 or -3.
        base: pair k turns by base ** (-2 k / size) for each place.
        pairing: one of `PAIRINGS`.
        size: how many components turn, from the first; all if None.

    Raises:
        ArgumentError E323: there is no such pairing.
        ShapeError E197: the size is odd, or larger than there are components; or the places do not fit.
    """
    kind = type_of(x)
    turned = kind.shape[-1] if size is None and kind.ndim else size or 0
    if kind.ndim < -axis or turned % 2 or not 0 <= turned <= kind.shape[-1]:
        help = "an even number of components turns, [..., time, components]"
        raise ShapeError("E197", f"rotary_embedding of {dims.text(turned)} components of {kind}", help=help)
    if pairing not in PAIRINGS:
        raise ArgumentError("E323", f"rotary_embedding has no pairing {pairing!r}", help="use halves or neighbours")
    pairs = turned // 2
    angles = _angles(_places(x, places, axis), frequencies(pairs, max(turned, 1), base, wide(kind.dtype)))
    return rotated(x, cos(angles), sin(angles), pairing)


def rotated(x: Operand, cosine: Operand, sine: Operand, pairing: str = "halves") -> Operand:
    """Rotate pairs of the first components by angles.

    Args:
        x: [..., components], any float dtype.
        cosine: of the angles, which stretches to [..., pairs].
        sine: of them.
        pairing: one of `PAIRINGS`.
    """
    kind, pairs = type_of(x), type_of(cosine).shape[-1]
    dtype, shape = wide(kind.dtype), (*kind.shape[:-1], pairs)
    cosine, sine = (broadcast(cast(turn, dtype), shape) for turn in (cosine, sine))
    left, right = (cast(part, dtype) for part in _pairs(x, pairs, pairing))
    first, second = sub(mul(left, cosine), mul(right, sine)), add(mul(right, cosine), mul(left, sine))
    if pairing == "neighbours":
        columns = [reshape(part, (*shape, 1)) for part in (first, second)]
        y = reshape(concat(*columns, axis=kind.ndim), (*kind.shape[:-1], 2 * pairs))
    else:
        y = concat(first, second, axis=kind.ndim - 1)
    y = cast(y, kind.dtype)
    if 2 * pairs == kind.shape[-1]:
        return y
    rest = sliced(x, (*(0,) * (kind.ndim - 1), 2 * pairs), kind.shape, (1,) * kind.ndim)
    return concat(y, rest, axis=kind.ndim - 1)


def _pairs(x: Operand, pairs: int, pairing: str) -> tuple[Operand, Operand]:
    """The components that turn, apart by their place in a pair."""
    shape = type_of(x).shape
    zeros, ones = (0,) * (len(shape) - 1), (1,) * (len(shape) - 1)
    if pairing == "neighbours":
        bounds = [(k, 2 * pairs, 2) for k in (0, 1)]
    else:
        bounds = [(k * pairs, (k + 1) * pairs, 1) for k in (0, 1)]
    first, second = (sliced(x, (*zeros, low), (*shape[:-1], high), (*ones, step)) for low, high, step in bounds)
    return first, second


def _places(x: Operand, places: Operand | None, axis: int) -> Operand:
    """Places over the axes of `x` but the last, each of size 1 or as there: [..., time, 1...]"""
    shape = type_of(x).shape
    time = len(shape) + axis
    ones = [1] * (len(shape) - 1)
    ones[time] = shape[time]
    if places is None:
        return reshape(iota((shape[time],), 0, int64), tuple(ones))
    kind = type_of(places)
    if kind.ndim == 2 and time > 0:
        ones[0] = kind.shape[0]
        fits = kind.shape[0] in (1, shape[0]) and kind.shape[1] == shape[time]
    else:
        fits = kind.ndim == 1 and kind.shape[0] == shape[time]
    if not fits:
        help = "one for each place in time, [time], or for each of the batch, [batch, time]"
        raise ShapeError("E197", f"rotary_embedding of {type_of(x)} at places {kind}", help=help)
    return reshape(places, tuple(ones))
