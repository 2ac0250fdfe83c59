# SPDX-License-Identifier: Apache-2.0
"""MXNet's `image` operators: images as arrays [height, width, channels], or several of them, changed and prepared.

Colours of uint8 stay within 0 and 255, fractions cut off.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy

from hybridize.array import np, random
from hybridize.array.operands import array, public, several
from hybridize.base.colours import DEVIATIONS, DIRECTIONS, LUMA
from hybridize.base.dtypes import float32
from hybridize.base.errors import ArgumentError

NEAREST, BILINEAR = 0, 1
_PRINCIPAL = DIRECTIONS.astype(float32) * DEVIATIONS.astype(float32)
"""Principal directions of ImageNet's colours, each by its deviation."""


@public
def to_tensor(data: Any) -> Any:
    """Turn images [height, width, channels] of 0 to 255 into [channels, height, width] of 0 to 1, as float32.

    >>> npx.image.to_tensor(np.full((1, 2, 1), 255, dtype="uint8"))
    array([[[1., 1.]]])
    """
    x = image_of(data)
    axes = (2, 0, 1) if x.ndim == 3 else (0, 3, 1, 2)
    return np.transpose(x, axes).astype(float32) / 255.0


@public
def normalize(data: Any, mean: Any = 0.0, std: Any = 1.0) -> Any:
    """Return (x - mean) / std of images [channels, height, width]; one number, or one for each channel.

    Raises:
        ArgumentError E384: another number of axes, or of numbers.

    >>> npx.image.normalize(np.full((1, 1, 2), 3.0), mean=1.0, std=2.0)
    array([[[1., 1.]]])
    """
    x = image_of(data, "[channels, height, width]")
    channels = x.shape[-3]
    columns = [numpy.asarray(several(one), numpy.float32).reshape(-1, 1, 1) for one in (mean, std)]
    for column in columns:
        if len(column) not in (1, channels):
            text = f"normalize of {x.type}: {len(column)} numbers for {channels} channels"
            raise ArgumentError("E384", text, help="give one, or one for each channel")
    shift, scale = (np.array(column).astype(x.dtype) for column in columns)
    return (x - shift) / scale


@public
def crop(data: Any, x: int = 0, y: int = 0, width: int = 1, height: int = 1) -> Any:
    """Return the part of images that begins at column `x` and row `y`.

    Raises:
        ArgumentError E384: it is not within the image.

    >>> npx.image.crop(np.ones((4, 4, 3)), 1, 0, 2, 3).shape
    (3, 2, 3)
    """
    images = image_of(data)
    h, w = images.shape[-3:-1]
    if min(x, y) < 0:
        raise ArgumentError("E384", f"a crop must begin within the image, got ({x}, {y})")
    if x + width > w or y + height > h:
        raise ArgumentError("E384", f"a crop of {width} × {height} at ({x}, {y}) exceeds the image of {w} × {h}")
    return images[..., y : y + height, x : x + width, :]


@public
def random_crop(
    data: Any,
    xrange: Any = (0.0, 1.0),
    yrange: Any = (0.0, 1.0),
    width: int = 0,
    height: int = 0,
    interp: int = BILINEAR,
) -> Any:
    """Return a part of images of a size, which begins at random within shares of where it may.

    Args:
        data: the images; smaller ones are enlarged.
        xrange: shares of the columns that a part may begin at.
        yrange: the same of rows.
        width: of the part.
        height: of the part.
        interp: as of `resize`.

    >>> npx.image.random_crop(np.ones((4, 4, 3)), width=2, height=3).shape
    (3, 2, 3)
    """
    x = image_of(data)
    h, w = x.shape[-3:-1]
    if w < width or h < height:
        x = resize(x, (max(w, width), max(h, height)), False, interp)
    for axis, size, (low, high) in ((-3, height, yrange), (-2, width, xrange)):
        first = np.floor(random.uniform(low, high) * (x.shape[axis] - size)).astype("int64")
        x = np.take(x, first + np.arange(size, dtype="int64"), axis=axis)
    return x


@public
def resize(data: Any, size: Any = 0, keep_ratio: bool = False, interp: int = BILINEAR) -> Any:
    """Return images of another size, `size` or (width, height).

    Args:
        data: the images.
        size: (width, height), or one number: both, or with `keep_ratio` the shorter one.
        keep_ratio: whether a single number leaves the ratio of width and height as it is.
        interp: 1 is bilinear between the middles of pixels, 0 takes the nearest; without smoothing before.

    Raises:
        ArgumentError E384: another interpolation, or a size that is none.

    >>> npx.image.resize(np.ones((4, 4, 3)), (2, 3)).shape
    (3, 2, 3)
    """
    if interp not in (NEAREST, BILINEAR):
        text = "use 1 (bilinear) or 0 (nearest); image.imresize knows more, outside of programs"
        raise ArgumentError("E384", f"unknown interpolation {interp!r}", help=text)
    x = image_of(data)
    sizes = several(size)
    width, height = pair(size if len(sizes) > 1 else sizes[0])
    if keep_ratio and len(sizes) == 1:
        h, w = x.shape[-3:-1]
        height, width = (h * width // w, width) if h > w else (height, w * height // h)
    return resized(x, width, height, interp)


@public
def flip_left_right(data: Any) -> Any:
    """Return images mirrored from left to right.

    >>> npx.image.flip_left_right(np.array([[[1], [2]]]))
    array([[[2.],
            [1.]]])
    """
    return image_of(data)[..., ::-1, :]


@public
def flip_top_bottom(data: Any) -> Any:
    """Return images upside down.

    >>> npx.image.flip_top_bottom(np.array([[[1]], [[2]]]))
    array([[[2.]],
    <BLANKLINE>
           [[1.]]])
    """
    return image_of(data)[..., ::-1, :, :]


@public
def random_flip_left_right(data: Any, p: float = 0.5) -> Any:
    """Mirror images from left to right with the probability `p`; several images all, or none of them.

    >>> npx.image.random_flip_left_right(np.array([[[1], [2]]]), p=1.0)
    array([[[2.],
            [1.]]])
    """
    return np.where(random.uniform() < p, flip_left_right(data), data)


@public
def random_flip_top_bottom(data: Any, p: float = 0.5) -> Any:
    """Turn images upside down with the probability `p`; several images all, or none of them.

    >>> npx.image.random_flip_top_bottom(np.array([[[1]], [[2]]]), p=1.0)
    array([[[2.]],
    <BLANKLINE>
           [[1.]]])
    """
    return np.where(random.uniform() < p, flip_top_bottom(data), data)


def _brighter(x: Any, factor: Any) -> Any:
    return x * factor


def _contrasted(x: Any, factor: Any) -> Any:
    mean = np.mean(grey(x), axis=(-3, -2), keepdims=True)
    return x * factor + mean * (1 - factor)


def _saturated(x: Any, factor: Any) -> Any:
    return x if x.shape[-1] == 1 else x * factor + grey(x) * (1 - factor)


def _turned(x: Any, factor: Any) -> Any:
    """Images whose hues are turned by `factor` whole turns; lightness and saturation stay."""
    if x.shape[-1] == 1:
        return x
    colours = x / 255.0
    high, low = np.max(colours, -1), np.min(colours, -1)
    apart, light = high - low, (high + low) / 2
    coloured = apart > numpy.finfo(float32).eps
    span = np.where(coloured, apart, 1.0)
    strong = span / np.where(coloured, np.where(light < 0.5, high + low, 2.0 - high - low), 1.0)
    red, green, blue = (colours[..., k] for k in range(3))
    hue = np.where(
        high == red,
        (green - blue) / span,
        np.where(high == green, (blue - red) / span + 2.0, (red - green) / span + 4.0),
    )
    hue = np.mod(np.where(coloured, hue, 0.0) + factor * 6.0, 6.0)
    top = np.where(light <= 0.5, light * (1.0 + strong), light + strong - light * strong)
    bottom = 2.0 * light - top
    shares = (np.abs(hue - 3.0) - 1.0, 2.0 - np.abs(hue - 2.0), 2.0 - np.abs(hue - 4.0))
    parts = [np.where(coloured, bottom + (top - bottom) * np.clip(share, 0.0, 1.0), light) for share in shares]
    return np.stack(parts, -1) * 255.0


_Change = Callable[[Any, Any], Any]


def _changed(data: Any, change: _Change, low: float, high: float) -> Any:
    """Images that are changed by a random factor."""
    x = image_of(data)
    return as_colours(x, change(colours_of(x), random.uniform(low, high)))


@public
def random_brightness(data: Any, min_factor: float, max_factor: float) -> Any:
    """Multiply images by a random factor from `min_factor` to `max_factor`.

    >>> npx.image.random_brightness(np.ones((2, 2, 3)), 0.5, 1.5).shape
    (2, 2, 3)
    """
    return _changed(data, _brighter, min_factor, max_factor)


@public
def random_contrast(data: Any, min_factor: float, max_factor: float) -> Any:
    """Multiply the differences to the mean brightness by a random factor from `min_factor` to `max_factor`.

    >>> npx.image.random_contrast(np.ones((2, 2, 3)), 0.5, 1.5).shape
    (2, 2, 3)
    """
    return _changed(data, _contrasted, min_factor, max_factor)


@public
def random_saturation(data: Any, min_factor: float, max_factor: float) -> Any:
    """Multiply the differences to the brightness of each pixel by a random factor from `min_factor` to `max_factor`.

    >>> npx.image.random_saturation(np.ones((2, 2, 3)), 0.5, 1.5).shape
    (2, 2, 3)
    """
    return _changed(data, _saturated, min_factor, max_factor)


@public
def random_hue(data: Any, min_factor: float, max_factor: float) -> Any:
    """Turn the hues of images by a random number of whole turns, from `min_factor` to `max_factor`.

    >>> npx.image.random_hue(np.ones((2, 2, 3)), -0.1, 0.1).shape
    (2, 2, 3)
    """
    return _changed(data, _turned, min_factor, max_factor)


@public
def random_color_jitter(
    data: Any, brightness: float = 0.0, contrast: float = 0.0, saturation: float = 0.0, hue: float = 0.0
) -> Any:
    """Change brightness, contrast, saturation and hue of images in a random order, each by up to its amount.

    >>> npx.image.random_color_jitter(np.ones((2, 2, 3)), brightness=0.1, contrast=0.1, saturation=0.1, hue=0.1).shape
    (2, 2, 3)
    """
    x = image_of(data)
    amounts = ((_brighter, brightness), (_contrasted, contrast), (_saturated, saturation))
    steps: list[tuple[_Change, Any]] = [(change, random.uniform(*around(one))) for change, one in amounts if one]
    if hue:
        steps.append((_turned, random.uniform(-hue, hue)))
    if not steps:
        return x
    order = random.permutation(len(steps))
    for place in range(len(steps)):
        results = [as_colours(x, change(colours_of(x), factor)) for change, factor in steps]
        for number, result in enumerate(results):
            x = np.where(order[place] == number, result, x)
    return x


@public
def adjust_lighting(data: Any, alpha: Any) -> Any:
    """Add a step along the principal directions of ImageNet's colours to images; `alpha` has three numbers.

    >>> npx.image.adjust_lighting(np.zeros((1, 1, 3)), (0, 0, 0))
    array([[[0., 0., 0.]]])
    """
    x = image_of(data)
    return as_colours(x, colours_of(x) + np.matmul(np.array(_PRINCIPAL), array(alpha, float32)))


@public
def random_lighting(data: Any, alpha_std: float = 0.05) -> Any:
    """Add a random step along the principal directions of ImageNet's colours, normally distributed by `alpha_std`.

    >>> npx.image.random_lighting(np.ones((2, 2, 3))).shape
    (2, 2, 3)
    """
    return adjust_lighting(data, random.normal(size=(3,)) * alpha_std)


def around(amount: float) -> tuple[float, float]:
    """Return the least and the greatest factor of a change by up to an amount."""
    return max(0.0, 1.0 - amount), 1.0 + amount


def grey(x: Any) -> Any:
    """The brightness of pixels, [..., 1]."""
    return x if x.shape[-1] == 1 else np.sum(x * np.array(LUMA).astype(x.dtype), axis=-1, keepdims=True)


def colours_of(x: Any) -> Any:
    """An image as floats."""
    return x.astype(float32) if x.dtype.kind in "iub" else x


def as_colours(x: Any, y: Any) -> Any:
    """`y` in the dtype of the image `x`."""
    return np.clip(y, 0, 255).astype(x.dtype) if x.dtype.kind in "iub" else y.astype(x.dtype)


def resized(x: Any, width: int, height: int, interpolation: int) -> Any:
    """Images in another size, in their own dtype; one axis after the other."""
    if x.shape[-3:-1] == (height, width):
        return x
    if interpolation == NEAREST:
        for axis, size in ((-3, height), (-2, width)):
            old = x.shape[axis]
            x = np.take(x, np.array(numpy.arange(size) * old // size), axis=axis)
        return x
    dtype = x.dtype
    y = colours_of(x)
    for axis, size in ((-3, height), (-2, width)):
        old = y.shape[axis]
        if old == size:
            continue
        at = ((numpy.arange(size) + 0.5) * (old / size) - 0.5).clip(0, old - 1)
        low = numpy.floor(at).astype(numpy.int64)
        part = (at - low).astype(numpy.float32).reshape((size, 1, 1) if axis == -3 else (size, 1))
        first = np.take(y, np.array(low), axis=axis)
        second = np.take(y, np.array(numpy.minimum(low + 1, old - 1)), axis=axis)
        y = first + (second - first) * np.array(part).astype(y.dtype)
    return np.rint(y).astype(dtype) if dtype.kind in "iub" else y


def pair(size: Any) -> tuple[int, int]:
    """Return (width, height) of a size, which may be one number for both."""
    sizes: Sequence[Any] = tuple(size) if isinstance(size, (tuple, list)) else (size, size)
    if len(sizes) != 2 or not all(isinstance(one, int) and one > 0 for one in sizes):
        raise ArgumentError("E384", f"a size must be a number of pixels or (width, height), got {size!r}")
    return sizes[0], sizes[1]


def image_of(x: Any, axes: str = "[height, width, channels]") -> Any:
    """An array of ours of three axes, or four.

    Raises:
        ArgumentError E384: another number of axes.
    """
    x = np.array(x, dtype=x.dtype) if isinstance(x, numpy.ndarray) else array(x)
    if x.ndim not in (3, 4):
        raise ArgumentError(
            "E384",
            f"an image is {axes}, a batch of images has one axis before these, got shape {x.shape}",
            help="x[..., None] adds the channel axis of a grey image",
        )
    return x


__all__ = [
    "adjust_lighting", "crop", "flip_left_right", "flip_top_bottom", "normalize", "random_brightness",
    "random_color_jitter", "random_contrast", "random_crop", "random_flip_left_right", "random_flip_top_bottom",
    "random_hue", "random_lighting", "random_saturation", "resize", "to_tensor",
]  # fmt: skip
