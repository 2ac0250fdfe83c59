# SPDX-License-Identifier: Apache-2.0
"""Transforms of the colours of an image (height, width, channels): those of integers stay within 0 and 255."""

from __future__ import annotations

from typing import Any

from hybridize.array import images, np
from hybridize.array.images import around
from hybridize.base.errors import ArgumentError
from hybridize.gluon.data.vision.transforms.basic import Sometimes
from hybridize.gluon.hybrid_block import HybridBlock


class _Random(HybridBlock):
    """A change of colours by a factor from 1 - amount to 1 + amount, and not below 0."""

    _change: Any

    def __init__(self, amount: float) -> None:
        super().__init__()
        if not amount >= 0:
            raise ArgumentError("E384", f"{type(self).__name__} takes an amount of 0 or more, got {amount!r}")
        self._amount = amount

    def forward(self, x: Any) -> Any:
        return type(self)._change(x, *around(self._amount))


class RandomBrightness(_Random):
    """Multiply an image by a random factor.

    >>> from hybridize import np
    >>> from hybridize.gluon.data.vision import transforms
    >>> transforms.RandomBrightness(0.2)(np.ones((8, 8, 3))).shape
    (8, 8, 3)
    """

    _change = images.random_brightness


class RandomContrast(_Random):
    """Multiply the differences to the mean brightness of the image by a random factor.

    >>> from hybridize import np
    >>> from hybridize.gluon.data.vision import transforms
    >>> transforms.RandomContrast(0.2)(np.ones((8, 8, 3))).shape
    (8, 8, 3)
    """

    _change = images.random_contrast


class RandomSaturation(_Random):
    """Multiply the differences to the brightness of each pixel by a random factor.

    >>> from hybridize import np
    >>> from hybridize.gluon.data.vision import transforms
    >>> transforms.RandomSaturation(0.2)(np.ones((8, 8, 3))).shape
    (8, 8, 3)
    """

    _change = images.random_saturation


class RandomHue(_Random):
    """Turn hues by up to `amount` whole turns. Lightness and saturation stay.

    >>> from hybridize import np
    >>> from hybridize.gluon.data.vision import transforms
    >>> transforms.RandomHue(0.1)(np.ones((8, 8, 3))).shape
    (8, 8, 3)
    """

    _change = images.random_hue


class RandomLighting(HybridBlock):
    """Add a random step along the principal directions of ImageNet's colours, normal with standard deviation `alpha`.

    >>> from hybridize import np
    >>> from hybridize.gluon.data.vision import transforms
    >>> transforms.RandomLighting(0.1)(np.ones((8, 8, 3))).shape
    (8, 8, 3)
    """

    def __init__(self, alpha: float) -> None:
        super().__init__()
        self._alpha = alpha

    def forward(self, x: Any) -> Any:
        return images.random_lighting(x, self._alpha)


class RandomGray(Sometimes):
    """Remove the colours of an image with probability `p`. The result still has three channels.

    >>> from hybridize import np
    >>> from hybridize.gluon.data.vision import transforms
    >>> transforms.RandomGray(p=1.0)(np.ones((1, 1, 3))).shape
    (1, 1, 3)
    """

    def _other(self, x: Any) -> Any:
        return images.as_colours(x, np.broadcast_to(images.grey(images.colours_of(x)), x.shape))


class RandomColorJitter(HybridBlock):
    """Change brightness, contrast, saturation and hue in a random order, each by up to its argument.

    >>> from hybridize import np
    >>> from hybridize.gluon.data.vision import transforms
    >>> transforms.RandomColorJitter(brightness=0.2, contrast=0.2)(np.ones((8, 8, 3))).shape
    (8, 8, 3)
    """

    def __init__(self, brightness: float = 0, contrast: float = 0, saturation: float = 0, hue: float = 0) -> None:
        super().__init__()
        self._amounts = brightness, contrast, saturation, hue

    def forward(self, x: Any) -> Any:
        return images.random_color_jitter(x, *self._amounts)
