# SPDX-License-Identifier: Apache-2.0
"""Transforms that move pixels: sizes, crops, flips. Sizes are (width, height), or one number for both."""

from __future__ import annotations

from typing import Any

from hybridize.array import images, np
from hybridize.array.images import BILINEAR, NEAREST, image_of, pair, resized
from hybridize.base.errors import ArgumentError, ValueArgumentError
from hybridize.gluon.block import Block
from hybridize.gluon.data.vision.transforms.basic import Sometimes, probability
from hybridize.gluon.hybrid_block import HybridBlock
from hybridize.image.parts import between, drawn_part, imrotate, random_rotate, up_to


class _Sized(Block):
    def __init__(self, size: Any, interpolation: int = BILINEAR) -> None:
        super().__init__()
        self._size = pair(size)
        self._interpolation = _interpolation_of(interpolation)


class Resize(_Sized, HybridBlock):
    """Resize an image.

    Args:
        size: (width, height), or one number: both, or with `keep_ratio` the shorter one.
        keep_ratio: whether a single number leaves the ratio of width and height as it is.
        interpolation: 1 is bilinear between the middles of pixels, 0 takes the nearest; without smoothing before.

    Raises:
        ArgumentError E384: another interpolation, or a size that is none.

    >>> from hybridize import np
    >>> from hybridize.gluon.data.vision import transforms
    >>> transforms.Resize((4, 2))(np.ones((8, 8, 3))).shape
    (2, 4, 3)
    """

    def __init__(self, size: Any, keep_ratio: bool = False, interpolation: int = BILINEAR) -> None:
        super().__init__(size, interpolation)
        self._keep = keep_ratio and isinstance(size, int)

    def forward(self, x: Any) -> Any:
        return images.resize(x, self._size[0] if self._keep else self._size, self._keep, self._interpolation)


class CropResize(HybridBlock):
    """Return the part of an image at (x, y), counted from the left and the top, and resize it if you ask for it.

    >>> from hybridize import np
    >>> from hybridize.gluon.data.vision import transforms
    >>> transforms.CropResize(x=1, y=2, width=4, height=3)(np.ones((8, 8, 3))).shape
    (3, 4, 3)
    """

    def __init__(
        self, x: int, y: int, width: int, height: int, size: Any = None, interpolation: int | None = None
    ) -> None:
        super().__init__()
        if min(x, y) < 0:
            raise ArgumentError("E384", f"a crop must begin within the image, got ({x}, {y})")
        self._part = x, y, *pair((width, height))
        self._size = None if size is None else pair(size)
        self._interpolation = _interpolation_of(BILINEAR if interpolation is None else interpolation)

    def forward(self, image: Any) -> Any:
        part = images.crop(image, *self._part)
        return part if self._size is None else resized(part, *self._size, self._interpolation)


class CenterCrop(_Sized, HybridBlock):
    """Return the middle of an image [height, width, channels]. If the image is smaller, enlarge it.

    >>> from hybridize import np
    >>> from hybridize.gluon.data.vision import transforms
    >>> transforms.CenterCrop((4, 2))(np.ones((8, 8, 3))).shape
    (2, 4, 3)
    """

    def forward(self, x: Any) -> Any:
        return _middle(image_of(x), *self._size, self._interpolation)


class RandomCrop(_Sized):
    """Return a part of an image, at a random position.

    Args:
        size: of the part; an image that is smaller is enlarged.
        pad: pixels to add at each side before, or those at (left, right, top, bottom).
        pad_value: what those are filled with.
        interpolation: as of `Resize`.

    >>> from hybridize import np
    >>> from hybridize.gluon.data.vision import transforms
    >>> transforms.RandomCrop(4, pad=1)(np.ones((8, 8, 3))).shape
    (4, 4, 3)
    """

    def __init__(self, size: Any, pad: Any = None, pad_value: float = 0, interpolation: int = BILINEAR) -> None:
        super().__init__(size, interpolation)
        sides = (pad,) * 4 if isinstance(pad, int) else pad or (0, 0, 0, 0)
        if len(sides) != 4 or min(sides) < 0:
            raise ArgumentError("E384", f"pad must be one number or four: left, right, top, bottom; got {pad!r}")
        self._pad = tuple(sides)
        self._value = pad_value

    def forward(self, x: Any) -> Any:
        x = image_of(x)
        if any(self._pad):
            left, right, top, bottom = self._pad
            before = ((0, 0),) * (x.ndim - 3)
            x = np.pad(x, (*before, (top, bottom), (left, right), (0, 0)), constant_values=self._value)
        width, height = self._size
        h, w = x.shape[-3:-1]
        if w < width or h < height:
            return _middle(x, width, height, self._interpolation)
        left, top = up_to(w - width), up_to(h - height)
        return x[..., top : top + height, left : left + width, :]


class RandomResizedCrop(_Sized):
    """Return a part of an image with random position, area and ratio, resized to a fixed size.

    Args:
        size: of the result.
        scale: least and greatest area of the part, as a fraction of the image.
        ratio: least and greatest width divided by height of the part.
        interpolation: as of `Resize`.

    >>> from hybridize import np
    >>> from hybridize.gluon.data.vision import transforms
    >>> transforms.RandomResizedCrop(4)(np.ones((8, 8, 3))).shape
    (4, 4, 3)
    """

    def __init__(
        self,
        size: Any,
        scale: tuple[float, float] = (0.08, 1.0),
        ratio: tuple[float, float] = (3 / 4, 4 / 3),
        interpolation: int = BILINEAR,
    ) -> None:
        super().__init__(size, interpolation)
        if not (0 < scale[0] <= scale[1] <= 1 and 0 < ratio[0] <= ratio[1]):
            raise ArgumentError("E384", f"scale must be between 0 and 1, and ratio positive; got {scale} and {ratio}")
        self._scale = scale
        self._ratio = ratio

    def forward(self, x: Any) -> Any:
        x = image_of(x)
        height, width = x.shape[-3:-1]
        part = drawn_part(height, width, self._scale, self._ratio)
        if part is None:
            return _middle(x, *self._size, self._interpolation)
        left, top, width, height = part
        return resized(x[..., top : top + height, left : left + width, :], *self._size, self._interpolation)


class Rotate(Block):
    """Rotate images [channels, height, width], float32, around their middles. A batch is rotated by one angle.

    Args:
        rotation_degrees: the angle.
        zoom_in: enlarge so that nothing comes from outside.
        zoom_out: shrink so that nothing is cut off.

    >>> from hybridize import np
    >>> from hybridize.gluon.data.vision import transforms
    >>> transforms.Rotate(90)(np.ones((3, 8, 8))).shape
    (3, 8, 8)
    """

    def __init__(self, rotation_degrees: float, zoom_in: bool = False, zoom_out: bool = False) -> None:
        super().__init__()
        self._settings = rotation_degrees, zoom_in, zoom_out

    def forward(self, x: Any) -> Any:
        return imrotate(x, *self._settings)


class RandomRotation(Block):
    """Rotate images [channels, height, width], float32, by a random angle. Each image of a batch has its own.

    Args:
        angle_limits: the least and the greatest angle, in degrees.
        zoom_in: as of `Rotate`.
        zoom_out: as of `Rotate`.
        rotate_with_proba: the probability that anything is turned.

    Raises:
        ValueArgumentError E361: the limits are not in order.
        ArgumentError E384: the probability is none.

    >>> from hybridize import np
    >>> from hybridize.gluon.data.vision import transforms
    >>> transforms.RandomRotation((-10, 10))(np.ones((3, 8, 8))).shape
    (3, 8, 8)
    """

    def __init__(
        self,
        angle_limits: tuple[float, float],
        zoom_in: bool = False,
        zoom_out: bool = False,
        rotate_with_proba: float = 1.0,
    ) -> None:
        super().__init__()
        if len(angle_limits) != 2 or angle_limits[0] >= angle_limits[1]:
            raise ValueArgumentError("E361", f"angle_limits must be two numbers in order, got {angle_limits}")
        self._settings = (angle_limits[0], angle_limits[1]), zoom_in, zoom_out
        self._p = probability(rotate_with_proba)

    def forward(self, x: Any) -> Any:
        return random_rotate(x, *self._settings) if between(0, 1) < self._p else x


class RandomFlipLeftRight(Sometimes):
    """Mirror an image left to right with probability `p`. A batch of images is mirrored as a whole or not at all.

    >>> from hybridize import np
    >>> from hybridize.gluon.data.vision import transforms
    >>> transforms.RandomFlipLeftRight(p=1.0)(np.array([[[1.0], [2.0]]])).tolist()
    [[[2.0], [1.0]]]
    """

    def _other(self, x: Any) -> Any:
        return images.flip_left_right(x)


class RandomFlipTopBottom(Sometimes):
    """Turn an image upside down with probability `p`. A batch of images is turned as a whole or not at all.

    >>> from hybridize import np
    >>> from hybridize.gluon.data.vision import transforms
    >>> transforms.RandomFlipTopBottom(p=1.0)(np.array([[[1.0]], [[2.0]]])).tolist()
    [[[2.0]], [[1.0]]]
    """

    def _other(self, x: Any) -> Any:
        return images.flip_top_bottom(x)


def _middle(x: Any, width: int, height: int, interpolation: int) -> Any:
    h, w = x.shape[-3:-1]
    part_h, part_w = min(h, height), min(w, width)
    top, left = (h - part_h) // 2, (w - part_w) // 2
    return resized(x[..., top : top + part_h, left : left + part_w, :], width, height, interpolation)


def _interpolation_of(interpolation: int) -> int:
    if interpolation not in (NEAREST, BILINEAR):
        raise ArgumentError("E384", f"unknown interpolation {interpolation!r}", help="use 1 (bilinear) or 0 (nearest)")
    return interpolation
