# SPDX-License-Identifier: Apache-2.0
"""Images in other sizes, as OpenCV makes them: each axis by a matrix of weights, without smoothing but for areas."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy
from numpy.typing import NDArray

from hybridize.array import random
from hybridize.array.nd_array import like
from hybridize.array.ndarray import ndarray
from hybridize.array.operands import finished
from hybridize.base.errors import ShapeError, ValueArgumentError

NEAREST, BILINEAR, BICUBIC, AREA, LANCZOS = range(5)
_AUTO, _ANY = 9, 10


def interpolation(interp: int, sizes: tuple[int, int, int, int] | None = None) -> int:
    """Return one of the five interpolations for a number of MXNet's.

    Args:
        interp: 0 to 4; 9: bicubic to enlarge, areas to shrink, else bilinear; 10: one at random.
        sizes: height and width before and after.

    Raises:
        ValueArgumentError E361: another number.
    """
    if interp == _AUTO:
        if sizes is None:
            return BICUBIC
        h, w, new_h, new_w = sizes
        return BICUBIC if new_h > h and new_w > w else AREA if new_h < h and new_w < w else BILINEAR
    if interp == _ANY:
        return int(random.randint(0, 5))
    if interp not in range(5):
        raise ValueArgumentError("E361", f"interp must be 0 to 4, 9 or 10, got {interp!r}")
    return interp


def imresize(src: Any, w: int, h: int, interp: int = BILINEAR, out: Any = None) -> ndarray:
    """Resize an image.

    Args:
        src: (height, width, channels).
        w: width.
        h: height.
        interp: 0 nearest, 1 bilinear, 2 bicubic, 3 means of areas, 4 Lanczos, 9 one that suits, 10 one at random.
        out: the array to write to.

    Returns:
        (h, w, channels), in the dtype of `src`; integers are rounded and stay within their range.

    Raises:
        ShapeError E181: `src` is no image.
        ValueArgumentError E361: a size below 1, or another interpolation.

    >>> from hybridize import image, np
    >>> image.imresize(np.ones((8, 8, 3)), 4, 2).shape
    (2, 4, 3)
    """
    pixels = as_pixels(src)
    if w < 1 or h < 1:
        raise ValueArgumentError("E361", f"an image must be at least 1 × 1, got {w} × {h}")
    kind = interpolation(interp, (*pixels.shape[:2], h, w))
    image: ndarray = finished(like(src, ndarray(resized(pixels, w, h, kind))), out)
    return image


def resize_short(src: Any, size: int, interp: int = BICUBIC) -> ndarray:
    """Resize an image so that its shorter edge is `size`, and keep its ratio.

    Args:
        src: (height, width, channels).
        size: pixels of the shorter edge.
        interp: see `imresize`.

    >>> from hybridize import image, np
    >>> image.resize_short(np.ones((4, 8, 3)), 2).shape
    (2, 4, 3)
    """
    h, w = as_pixels(src).shape[:2]
    new_w, new_h = (size, size * h // w) if h > w else (size * w // h, size)
    return imresize(src, new_w, new_h, interp)


def as_pixels(src: Any) -> NDArray[Any]:
    """Return an image as a NumPy array (height, width, channels).

    Raises:
        ShapeError E181: it has another number of axes, or no pixels.
    """
    pixels = numpy.asarray(src)
    if pixels.ndim != 3 or not pixels.size:
        what = f"an image has the shape (height, width, channels), got {pixels.shape}"
        raise ShapeError("E181", what, help="x.expand_dims(axis=2) adds an axis of channels")
    return pixels


def resized(pixels: NDArray[Any], w: int, h: int, kind: int) -> NDArray[Any]:
    """Return an image in another size."""
    if pixels.shape[:2] == (h, w):
        return pixels.copy()
    if kind == NEAREST:
        rows, columns = (numpy.arange(new) * old // new for new, old in ((h, pixels.shape[0]), (w, pixels.shape[1])))
        return numpy.ascontiguousarray(pixels[rows][:, columns])
    shrinks = h <= pixels.shape[0] and w <= pixels.shape[1]
    weights = _areas if kind == AREA and shrinks else _WEIGHTS[kind]
    dtype = numpy.float64 if pixels.dtype == numpy.float64 else numpy.float32
    y = numpy.tensordot(weights(pixels.shape[0], h).astype(dtype), pixels.astype(dtype, copy=False), 1)
    y = numpy.tensordot(weights(pixels.shape[1], w).astype(dtype), y, (1, 1)).swapaxes(0, 1)
    if pixels.dtype.kind in "iu":
        limits = numpy.iinfo(pixels.dtype)
        y = numpy.rint(y).clip(limits.min, limits.max)
    return numpy.ascontiguousarray(y.astype(pixels.dtype))


def _taps(old: int, new: int, first: int, count: int, weight: Callable[[Any], Any]) -> NDArray[Any]:
    """Weights of `count` pixels around each place; beyond the border the last pixel goes on."""
    at = (numpy.arange(new) + 0.5) * (old / new) - 0.5
    low = numpy.floor(at).astype(int)
    weights = numpy.zeros((new, old))
    values = numpy.stack([weight(at - low - tap) for tap in range(first, first + count)])
    values = values / values.sum(0)
    for tap, value in zip(range(first, first + count), values, strict=True):
        numpy.add.at(weights, (numpy.arange(new), (low + tap).clip(0, old - 1)), value)
    return weights


def _cubic(old: int, new: int) -> NDArray[Any]:
    a = -0.75  # OpenCV's

    def weight(x: Any) -> Any:
        x = abs(x)
        near = ((a + 2) * x - (a + 3)) * x * x + 1
        return numpy.where(x <= 1, near, ((a * x - 5 * a) * x + 8 * a) * x - 4 * a)

    return _taps(old, new, -1, 4, weight)


def _areas(old: int, new: int) -> NDArray[Any]:
    """The share of each old pixel in each new one."""
    edges = numpy.arange(new + 1) * (old / new)
    begin, end, pixel = edges[:-1, None], edges[1:, None], numpy.arange(old)
    overlap: NDArray[Any] = (numpy.minimum(end, pixel + 1) - numpy.maximum(begin, pixel)).clip(0)
    return overlap * (new / old)


def _enlarged_areas(old: int, new: int) -> NDArray[Any]:
    """OpenCV's areas where an axis grows: a new pixel mixes two old ones only where it covers both."""
    weights = numpy.zeros((new, old))
    for i in range(new):
        low = math.floor(i * old / new)
        part = (i + 1) - (low + 1) * (new / old)
        part = part - math.floor(part) if part > 0 else 0.0
        weights[i, min(low, old - 1)] += 1 - part
        weights[i, min(low + 1, old - 1)] += part
    return weights


_WEIGHTS = {
    BILINEAR: lambda old, new: _taps(old, new, 0, 2, lambda x: 1 - abs(x)),
    BICUBIC: _cubic,
    AREA: _enlarged_areas,
    LANCZOS: lambda old, new: _taps(old, new, -3, 8, lambda x: numpy.sinc(x) * numpy.sinc(x / 4)),
}
