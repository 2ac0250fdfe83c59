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
    """The image by a random factor."""

    _change = images.random_brightness


class RandomContrast(_Random):
    """Differences to the mean brightness of the image by a random factor."""

    _change = images.random_contrast


class RandomSaturation(_Random):
    """Differences to the brightness of each pixel by a random factor."""

    _change = images.random_saturation


class RandomHue(_Random):
    """Hues turned by up to `amount` whole turns; lightness and saturation stay."""

    _change = images.random_hue


class RandomLighting(HybridBlock):
    """A random step along the principal directions of ImageNet's colours, normally distributed by `alpha`."""

    def __init__(self, alpha: float) -> None:
        super().__init__()
        self._alpha = alpha

    def forward(self, x: Any) -> Any:
        return images.random_lighting(x, self._alpha)


class RandomGray(Sometimes):
    """The image without colours, with the probability `p`, still of three channels."""

    def _other(self, x: Any) -> Any:
        return images.as_colours(x, np.broadcast_to(images.grey(images.colours_of(x)), x.shape))


class RandomColorJitter(HybridBlock):
    """Brightness, contrast, saturation and hue changed in a random order, each by up to what is given."""

    def __init__(self, brightness: float = 0, contrast: float = 0, saturation: float = 0, hue: float = 0) -> None:
        super().__init__()
        self._amounts = brightness, contrast, saturation, hue

    def forward(self, x: Any) -> Any:
        return images.random_color_jitter(x, *self._amounts)
