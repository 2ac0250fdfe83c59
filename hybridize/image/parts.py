# SPDX-License-Identifier: Apache-2.0
"""Parts of images, borders around them, rotations, and colours by mean and deviation."""

from __future__ import annotations

import math
from collections.abc import Sequence
from numbers import Number
from typing import Any

import numpy
from numpy.typing import NDArray

from hybridize.array import np, random
from hybridize.array.nd_array import like
from hybridize.array.ndarray import ndarray
from hybridize.base.dtypes import float32
from hybridize.base.errors import DTypeError, ShapeError, ValueArgumentError
from hybridize.image.resizing import BICUBIC, as_pixels, imresize, interpolation

Part = tuple[int, int, int, int]
"""Left, top, width and height."""
_TRIES = 10


def between(low: float, high: float) -> float:
    """Draw a number from `hybridize.random`."""
    return low + (high - low) * float(random.uniform())


def up_to(last: int) -> int:
    """Draw one of 0, 1, ..., last."""
    return min(last, int((last + 1) * float(random.uniform())))


def scale_down(src_size: tuple[int, int], size: tuple[int, int]) -> tuple[int, int]:
    """Shrink a size, (width, height), until it fits into another, with the ratio that it has.

    Args:
        src_size: the size in which the result must fit.
        size: the size to shrink.

    >>> from hybridize import image
    >>> image.scale_down((640, 480), (720, 120))
    (640, 106)
    """
    w, h = size
    src_w, src_h = src_size
    wide, high = float(w), float(h)
    if src_h < high:
        wide, high = wide * src_h / high, float(src_h)
    if src_w < wide:
        wide, high = float(src_w), high * src_w / wide
    return int(wide), int(high)


def fixed_crop(src: Any, x0: int, y0: int, w: int, h: int, size: Any = None, interp: int = BICUBIC) -> ndarray:
    """Return the part of an image at (x0, y0), of width `w` and height `h`.

    With `size`, (width, height), the part is resized.

    Args:
        src: (height, width, channels).
        x0, y0: column and row of the upper left pixel.
        w, h: width and height of the part.
        size: (width, height) of the result; None: that of the part.
        interp: see `imresize`.

    Raises:
        ShapeError E181: the part is not within the image.

    >>> from hybridize import image, np
    >>> image.fixed_crop(np.ones((8, 8, 3)), 1, 2, 4, 3).shape
    (3, 4, 3)
    """
    height, width = as_pixels(src).shape[:2]
    if not (x0 >= 0 and y0 >= 0 and 0 < w <= width - x0 and 0 < h <= height - y0):
        raise ShapeError("E181", f"a crop of {w} × {h} at ({x0}, {y0}) exceeds the image of {width} × {height}")
    part: ndarray = src[y0 : y0 + h, x0 : x0 + w]
    if size is None or (w, h) == tuple(size):
        return part
    new_w, new_h = size
    return imresize(part, new_w, new_h, interpolation(interp, (h, w, new_h, new_w)))


def random_crop(src: Any, size: tuple[int, int], interp: int = BICUBIC) -> tuple[ndarray, Part]:
    """Return a part of an image of the size (width, height), at a random position. A smaller image is enlarged.

    Args:
        src: (height, width, channels).
        size: (width, height) of the part.
        interp: see `imresize`.

    Returns:
        The part, and left, top, width and height of it in the image.

    >>> from hybridize import image, np
    >>> image.random_crop(np.ones((8, 8, 3)), (4, 2))[0].shape
    (2, 4, 3)
    """
    h, w = as_pixels(src).shape[:2]
    new_w, new_h = scale_down((w, h), size)
    x0, y0 = up_to(w - new_w), up_to(h - new_h)
    return fixed_crop(src, x0, y0, new_w, new_h, size, interp), (x0, y0, new_w, new_h)


def center_crop(src: Any, size: tuple[int, int], interp: int = BICUBIC) -> tuple[ndarray, Part]:
    """Return the middle of an image, of the size (width, height), and where it is. A smaller image is enlarged.

    Args:
        src: (height, width, channels).
        size: (width, height) of the part.
        interp: see `imresize`.

    Returns:
        The part, and left, top, width and height of it in the image.

    >>> from hybridize import image, np
    >>> part, (x, y, width, height) = image.center_crop(np.ones((8, 8, 3)), (4, 2))
    >>> part.shape, (x, y)
    ((2, 4, 3), (2, 3))
    """
    h, w = as_pixels(src).shape[:2]
    new_w, new_h = scale_down((w, h), size)
    x0, y0 = (w - new_w) // 2, (h - new_h) // 2
    return fixed_crop(src, x0, y0, new_w, new_h, size, interp), (x0, y0, new_w, new_h)


def random_size_crop(
    src: Any, size: tuple[int, int], area: Any, ratio: tuple[float, float], interp: int = BICUBIC
) -> tuple[ndarray, Part]:
    """Return a part of random position, area and ratio, in a fixed size. If none fits, return the middle.

    Args:
        src: (height, width, channels).
        size: (width, height) of the result.
        area: least and greatest area of the part, as a fraction of the image; one number: the least, and up to 1.
        ratio: least and greatest width divided by height.
        interp: see `imresize`.

    Returns:
        The part, and left, top, width and height of it in the image.

    >>> from hybridize import image, np
    >>> image.random_size_crop(np.ones((8, 8, 3)), (4, 2), (0.5, 1.0), (0.75, 1.25))[0].shape
    (2, 4, 3)
    """
    h, w = as_pixels(src).shape[:2]
    part = drawn_part(h, w, area if isinstance(area, (tuple, list)) else (area, 1.0), ratio)
    return center_crop(src, size, interp) if part is None else (fixed_crop(src, *part, size, interp), part)


def drawn_part(h: int, w: int, area: Sequence[float], ratio: tuple[float, float]) -> Part | None:
    """Draw a part of an image by its share of the area and its width over its height; None where none fits.

    Args:
        h: of the image.
        w: of the image.
        area: the least and the greatest share.
        ratio: the least and the greatest one.
    """
    for _ in range(_TRIES):
        target = h * w * between(area[0], area[1])
        drawn = math.exp(between(math.log(ratio[0]), math.log(ratio[1])))
        new_w, new_h = round(math.sqrt(target * drawn)), round(math.sqrt(target / drawn))
        if 0 < new_w <= w and 0 < new_h <= h:
            return up_to(w - new_w), up_to(h - new_h), new_w, new_h
    return None


def color_normalize(src: Any, mean: Any, std: Any = None) -> Any:
    """Subtract `mean` from an image of floats and divide by `std`, in place as in MXNet. None leaves a step out.

    Args:
        src: an image of floats, (height, width, channels).
        mean: what to subtract, for each channel.
        std: what to divide by, for each channel.

    >>> from hybridize import image, np
    >>> image.color_normalize(np.ones((1, 1, 3)), np.array([0.5, 0.5, 0.5]), np.array([0.5, 0.5, 0.5])).tolist()
    [[[1.0, 1.0, 1.0]]]
    """
    if mean is not None:
        src -= np.asarray(mean)
    if std is not None:
        src /= np.asarray(std)
    return src


def copyMakeBorder(  # noqa: N802 - OpenCV's name
    src: Any, top: int, bot: int, left: int, right: int, type: int = 0, value: Any = 0.0, values: Any = None
) -> ndarray:
    """Return an image with borders.

    Args:
        src: (height, width, channels).
        top, bot, left, right: pixels at each side.
        type: 0 fills them with `value`, 1 with the nearest pixel, 2 and 4 with the image in a mirror, with the last
            pixel twice or once, 3 with the other side.
        value: of `type` 0, for all channels.
        values: the same, for each channel.

    Raises:
        ValueArgumentError E361: another type.

    >>> from hybridize import image, np
    >>> image.copyMakeBorder(np.ones((4, 4, 3)), 1, 1, 2, 2).shape
    (6, 8, 3)
    """
    modes = {0: "constant", 1: "edge", 2: "symmetric", 3: "wrap", 4: "reflect"}
    if type not in modes:
        raise ValueArgumentError("E361", f"the border type must be one of {', '.join(map(str, modes))}, got {type!r}")
    pixels = as_pixels(src)
    sides = ((top, bot), (left, right), (0, 0))
    if type != 0:
        return like(src, ndarray(numpy.pad(pixels, sides, modes[type])))  # type: ignore[no-any-return, call-overload]
    canvas = numpy.empty(tuple(n + sum(side) for n, side in zip(pixels.shape, sides, strict=True)), pixels.dtype)
    canvas[...] = value if values is None else numpy.asarray(values)
    canvas[top : top + pixels.shape[0], left : left + pixels.shape[1]] = pixels
    return like(src, ndarray(canvas))  # type: ignore[no-any-return]


def imrotate(src: Any, rotation_degrees: Any, zoom_in: bool = False, zoom_out: bool = False) -> ndarray:
    """Rotate images around their middles, bilinear between pixels. Pixels from outside are 0.

    Args:
        src: float32 (channels, height, width), or (batch, channels, height, width).
        rotation_degrees: one angle; for a batch also one for each.
        zoom_in: enlarge so that nothing comes from outside.
        zoom_out: shrink so that nothing is cut off.

    Raises:
        DTypeError E251: another dtype.
        ShapeError E181: another number of axes, or of angles.
        ValueArgumentError E361: both zooms.

    >>> from hybridize import image, np
    >>> image.imrotate(np.ones((3, 8, 8)), 90).shape
    (3, 8, 8)
    """
    if zoom_in and zoom_out:
        raise ValueArgumentError("E361", "an image cannot be zoomed both in and out", help="set zoom_in or zoom_out")
    pixels = numpy.asarray(src)
    if pixels.dtype != float32:
        raise DTypeError("E251", f"images are rotated in float32, got {pixels.dtype}", help='src.astype("float32")')
    if pixels.ndim not in (3, 4) or (pixels.ndim == 3 and not isinstance(rotation_degrees, Number)):
        what = f"one angle turns (channels, height, width), several a batch; got {pixels.shape}"
        raise ShapeError("E181", what)
    batch = pixels if pixels.ndim == 4 else pixels[None]
    angles = numpy.radians(numpy.asarray(rotation_degrees, numpy.float64))
    if not angles.ndim:
        angles = numpy.repeat(angles, len(batch))
    if angles.shape != (len(batch),):
        raise ShapeError("E181", f"{len(batch)} images need as many angles, got {angles.shape}")
    turned = numpy.stack([_turned(one, angle, zoom_in, zoom_out) for one, angle in zip(batch, angles, strict=True)])
    return like(src, ndarray(turned if pixels.ndim == 4 else turned[0]))  # type: ignore[no-any-return]


def _turned(pixels: NDArray[Any], angle: float, zoom_in: bool, zoom_out: bool) -> NDArray[Any]:
    _, h, w = pixels.shape
    y, x = (numpy.arange(h) - (h - 1) / 2)[:, None], numpy.arange(w) - (w - 1) / 2
    scale = 1.0
    if zoom_in or zoom_out:
        rho, corner = math.hypot(h, w), math.atan(h / w)
        turns = (corner + abs(angle), corner - abs(angle))
        wide = max(abs(rho * math.cos(turn)) for turn in turns)
        high = max(abs(rho * math.sin(turn)) for turn in turns)
        scale = max(wide / w, high / h) if zoom_out else min(w / wide, h / high)
    at_x = scale * (x * math.cos(angle) - y * math.sin(angle)) + (w - 1) / 2
    at_y = scale * (x * math.sin(angle) + y * math.cos(angle)) + (h - 1) / 2
    low_x, low_y = numpy.floor(at_x).astype(int), numpy.floor(at_y).astype(int)
    image = numpy.zeros(pixels.shape)
    for step_y in (0, 1):
        for step_x in (0, 1):
            i, j = low_y + step_y, low_x + step_x
            weight = (1 - abs(at_y - i)) * (1 - abs(at_x - j)) * ((i >= 0) & (i < h) & (j >= 0) & (j < w))
            image += pixels[:, i.clip(0, h - 1), j.clip(0, w - 1)] * weight
    return image.astype(pixels.dtype)


def random_rotate(
    src: Any, angle_limits: tuple[float, float], zoom_in: bool = False, zoom_out: bool = False
) -> ndarray:
    """Rotate images by random angles between two limits, in degrees; see `imrotate`.

    Args:
        src: float32 (channels, height, width), or (batch, channels, height, width).
        angle_limits: the least and the greatest angle, in degrees.
        zoom_in, zoom_out: see `imrotate`.

    >>> from hybridize import image, np
    >>> image.random_rotate(np.ones((3, 8, 8)), (-10, 10)).shape
    (3, 8, 8)
    """
    count = 1 if len(src.shape) == 3 else src.shape[0]
    angles = [between(*angle_limits) for _ in range(count)]
    return imrotate(src, angles[0] if len(src.shape) == 3 else angles, zoom_in, zoom_out)
