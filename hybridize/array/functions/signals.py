# SPDX-License-Identifier: Apache-2.0
"""Sequences of samples: convolution, correlation, slopes, and the windows that they are cut out with."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy

from hybridize import ops
from hybridize.array import functions as np
from hybridize.array import operands
from hybridize.array.methods import functions
from hybridize.array.policies import promoted
from hybridize.base.dtypes import as_dtype, bool_, float32, float64, int32, is_inexact
from hybridize.base.errors import ArgumentError, ShapeError, ValueArgumentError
from hybridize.base.promotion import floating
from hybridize.ops.library.bessel import bessel_i0


def _vectors(name: str, a: Any, v: Any) -> tuple[Any, Any]:
    """Two vectors of one dtype, neither of them empty."""
    x, y = np.atleast_1d(a), np.atleast_1d(v)
    if x.ndim != 1 or y.ndim != 1 or not x.shape[0] or not y.shape[0]:
        raise ShapeError("E118", f"{name} takes two non-empty vectors, got {x.type} and {y.type}")
    return x, y


def _slid(name: str, x: Any, y: Any, before: int, after: int) -> Any:
    """The sums of products of `y` with each part of `x` of its length, zeros around `x`."""
    dtype = x.dtype
    summed = int32 if dtype == bool_ else dtype  # of bools: whether any pair is true, counted
    image = np.reshape(x, (1, 1, -1))
    kernel = np.reshape(y, (1, 1, -1))
    sums = ops.convolution(
        operands.cast(operands.operand(image), summed),
        operands.cast(operands.operand(kernel), summed),
        padding=((before, after),),
    )
    return np.reshape(operands.result(operands.cast(sums, dtype)), -1)


_MODES = ("full", "same", "valid")


@promoted("a", "v")
def convolve(a: Any, v: Any, mode: str = "full") -> Any:
    """Return the convolution of two vectors: the sums over m of a[m] v[n - m].

    Args:
        a: a vector.
        v: a vector; the shorter one slides along the longer one.
        mode: `full`, every n where both overlap; `same`, as many as the longer one has; `valid`, where the shorter one
            lies within the longer one.

    Raises:
        ShapeError E118: there is none, or it is no vector.
        ValueArgumentError E345: there is no such mode.

    >>> np.convolve(np.array([1, 2, 3]), np.array([1, 10]))
    array([ 1., 12., 23., 30.])
    """
    operands.one_of(mode, _MODES, "convolve", "mode")
    x, y = _vectors("convolve", a, v)
    if y.shape[0] > x.shape[0]:
        x, y = y, x
    before, after = _margins(y.shape[0], mode)
    return _slid("convolve", x, y[::-1], before, after)


def _margins(taps: int, mode: str) -> tuple[int, int]:
    """The numbers of elements by which the shorter vector begins before the longer one, and ends behind it."""
    if mode == "valid":
        return 0, 0
    return (taps - 1, taps - 1) if mode == "full" else (taps // 2, taps - 1 - taps // 2)


@promoted("a", "v")
def correlate(a: Any, v: Any, mode: str = "valid") -> Any:
    """Return the correlation of two vectors: the sums over n of a[n + k] conj(v[n]); `mode` as in `convolve`.

    >>> np.correlate(np.array([1, 2, 3]), np.array([1, 10]))
    array([21., 32.])
    """
    operands.one_of(mode, _MODES, "correlate", "mode")
    x, y = _vectors("correlate", a, v)
    y = functions.conj(y)
    if y.shape[0] <= x.shape[0]:
        return _slid("correlate", x, y, *_margins(y.shape[0], mode))
    return _slid("correlate", y, x, *_margins(x.shape[0], mode))[::-1]


@operands.public
def gradient(f: Any, *varargs: Any, axis: Any = None, edge_order: int = 1) -> Any:
    """Return the slopes of samples along each axis: central differences, one-sided ones at the ends.

    Args:
        f: samples.
        varargs: the distance of samples, or their places (a vector): none (1), one for all axes, or one for each.
        axis: an axis, or several; None: all of them.
        edge_order: 1 or 2, the order of the differences at the ends.

    Returns:
        An array in the shape of `f`, or for several axes a tuple of them.

    Raises:
        ArgumentError E344: another number of distances than of axes.
        ShapeError E135: fewer samples than edge_order + 1 along an axis, or another number of places than of samples.

    >>> np.gradient(np.array([1, 2, 4, 7]))
    array([1. , 1.5, 2.5, 3. ])
    """
    x = operands.array(f)
    if edge_order not in (1, 2):
        raise ValueArgumentError("E345", f"gradient: edge_order must be 1 or 2, got {edge_order!r}")
    axes = operands.axes_of(axis, x.ndim, "gradient")
    if isinstance(axis, (tuple, list)):
        axes = tuple(operands.axes_of(one, x.ndim, "gradient")[0] for one in axis)
    if len(varargs) not in (0, 1, len(axes)):
        raise ArgumentError("E344", f"gradient: {len(varargs)} distances for {len(axes)} axes", help="give one or all")
    distances = varargs or (1.0,)
    distances = distances * len(axes) if len(distances) == 1 else distances
    x = x.astype(floating(x.dtype), copy=False)
    slopes = tuple(_slope(x, along, by, edge_order) for along, by in zip(axes, distances, strict=True))
    return slopes[0] if len(axes) == 1 else slopes


def _slope(x: Any, axis: int, distance: Any, edge_order: int) -> Any:
    n = x.shape[axis]
    if n < edge_order + 1:
        what = f"gradient of {x.type} along axis {axis}: too few samples"
        raise ShapeError("E135", what, help=f"differences of order {edge_order} take {edge_order + 1}")
    at = partial(operands.cut, x, axis)
    places = distance if isinstance(distance, (int, float)) else operands.array(distance, x.dtype)
    if not isinstance(places, (int, float)) and not is_inexact(places.dtype):
        places = places.astype(float64)  # of unsigned integers no difference is negative
    if isinstance(places, (int, float)) or not places.ndim:
        inner = (at(2, None) - at(0, -2)) / (places * 2.0)
        steps = [places] * 4
    else:
        if places.ndim != 1 or places.shape[0] != n:
            raise ShapeError("E135", f"gradient: coordinates {places.type} for {n} samples", help="give one for each")
        apart = np.diff(places).astype(x.dtype)
        wide = np.reshape(apart, tuple(-1 if k == axis else 1 for k in range(x.ndim)))
        low, high = operands.cut(wide, axis, -1), operands.cut(wide, axis, 1, None)
        inner = (
            at(0, -2) * (-high / (low * (low + high)))
            + at(1, -1) * ((high - low) / (low * high))
            + at(2, None) * (low / (high * (low + high)))
        )
        steps = [apart[0], apart[min(1, n - 2)], apart[-1], apart[max(-2, 1 - n)]]
    if edge_order == 1:
        first = (at(1, 2) - at(0, 1)) / steps[0]
        last = (at(n - 1, n) - at(n - 2, n - 1)) / steps[2]
    else:
        first = _end([at(0, 1), at(1, 2), at(2, 3)], steps[0], steps[1])
        last = -_end([at(n - 1, n), at(n - 2, n - 1), at(n - 3, n - 2)], steps[2], steps[3])
    return np.concatenate([first, inner, last], axis).astype(x.dtype, copy=False)


def _end(samples: list[Any], near: Any, far: Any) -> Any:
    """The slope at the first of three samples, by a parabola."""
    both = near + far
    return (
        samples[0] * (-(both + near) / (near * both))
        + samples[1] * (both / (near * far))
        + samples[2] * (-near / (far * both))
    )


@operands.public
def i0(x: Any) -> Any:
    """Return the modified Bessel function of the first kind and order 0.

    >>> np.i0(np.array([0, 1])).round(4)
    array([1.    , 1.2661])
    """
    return operands.result(bessel_i0(operands.float_operand(x)))


def _window(theirs: Callable[[int], Any], text: str) -> Callable[..., Any]:
    """A window of NumPy's, which is computed in float64."""

    def function(M: int, dtype: Any = None) -> Any:
        return _as_window(theirs(int(M)), dtype)

    function.__name__ = function.__qualname__ = theirs.__name__
    function.__doc__ = text
    return operands.creates()(function)


def _as_window(window: numpy.ndarray[Any, Any], dtype: Any) -> Any:
    return operands.result(operands.outside_operand(window.astype(float32 if dtype is None else as_dtype(dtype))))


bartlett: Callable[..., Any] = _window(numpy.bartlett, "The Bartlett window: a triangle that is 0 at both ends.")
blackman: Callable[..., Any] = _window(numpy.blackman, "The Blackman window.")
hamming: Callable[..., Any] = _window(numpy.hamming, "The Hamming window.")
hanning: Callable[..., Any] = _window(numpy.hanning, "The Hann window.")


@operands.creates()
def kaiser(M: int, beta: float, dtype: Any = None) -> Any:
    """Return the Kaiser window of `M` points; the larger `beta`, the narrower the window.

    >>> np.kaiser(3, 5).round(3)
    array([0.037, 1.   , 0.037])
    """
    return _as_window(numpy.kaiser(int(M), float(beta)), dtype)
