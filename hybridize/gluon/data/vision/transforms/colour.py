# SPDX-License-Identifier: Apache-2.0
"""Transforms of the colours of an image (height, width, channels): those of integers stay within 0 and 255."""

from __future__ import annotations

import math
from typing import Any

import numpy

from hybridize.array import np, random
from hybridize.base.colours import DEVIATIONS, DIRECTIONS, LUMA, TO_YIQ
from hybridize.base.dtypes import float32
from hybridize.base.errors import ArgumentError
from hybridize.gluon.block import Block
from hybridize.gluon.data.vision.transforms.basic import Sometimes, as_image
from hybridize.gluon.hybrid_block import HybridBlock

_PRINCIPAL = DIRECTIONS.astype(float32) * DEVIATIONS.astype(float32)
"""Principal directions of ImageNet's colours, each by its deviation."""


class _Random(HybridBlock):
    """A change of colours by a factor from 1 - amount to 1 + amount."""

    def __init__(self, amount: float) -> None:
        super().__init__()
        if not amount >= 0:
            raise ArgumentError("E384", f"{type(self).__name__} takes an amount of 0 or more, got {amount!r}")
        self._amount = amount

    def forward(self, x: Any) -> Any:
        x = as_image(x)
        y = self._by(_floats(x), random.uniform(1 - self._amount, 1 + self._amount))
        return _as(x, y)

    def _by(self, x: Any, factor: Any) -> Any:
        return x * factor


class RandomBrightness(_Random):
    """The image by a random factor."""


class RandomContrast(_Random):
    """Differences to the mean brightness of the image by a random factor."""

    def _by(self, x: Any, factor: Any) -> Any:
        mean = np.mean(_grey(x), axis=(-3, -2), keepdims=True)
        return mean + (x - mean) * factor


class RandomSaturation(_Random):
    """Differences to the brightness of each pixel by a random factor."""

    def _by(self, x: Any, factor: Any) -> Any:
        grey = _grey(x)
        return grey + (x - grey) * factor


class RandomHue(_Random):
    """Colours turned around the axis from black to white by an angle up to `amount` half turns."""

    def _by(self, x: Any, factor: Any) -> Any:
        angle = (factor - 1) * math.pi
        u, w = np.cos(angle), np.sin(angle)
        # The turn is linear in the two: three constant matrices in RGB.
        still, cosine, sine = (
            np.array((numpy.linalg.inv(TO_YIQ) @ numpy.array(turn, float) @ TO_YIQ).T.astype(numpy.float32))
            for turn in (
                [[1, 0, 0], [0, 0, 0], [0, 0, 0]],
                [[0, 0, 0], [0, 1, 0], [0, 0, 1]],
                [[0, 0, 0], [0, 0, -1], [0, 1, 0]],
            )
        )
        return np.matmul(x, still + cosine * u + sine * w)


class RandomLighting(HybridBlock):
    """A random step along the principal directions of ImageNet's colours, normally distributed by `alpha`."""

    def __init__(self, alpha: float) -> None:
        super().__init__()
        self._alpha = alpha

    def forward(self, x: Any) -> Any:
        x = as_image(x)
        return _as(x, _floats(x) + np.matmul(np.array(_PRINCIPAL), random.normal(size=(3,)) * self._alpha))


class RandomGray(Sometimes):
    """The image without colours, with the probability `p`, still of three channels."""

    def _other(self, x: Any) -> Any:
        return _as(x, np.broadcast_to(_grey(_floats(x)), x.shape))


class RandomColorJitter(Block):
    """Brightness, contrast, saturation and hue changed in a random order, each by up to what is given."""

    def __init__(self, brightness: float = 0, contrast: float = 0, saturation: float = 0, hue: float = 0) -> None:
        super().__init__()
        kinds = (RandomBrightness, brightness), (RandomContrast, contrast), (RandomSaturation, saturation)
        self._steps = [kind(amount) for kind, amount in (*kinds, (RandomHue, hue)) if amount]

    def forward(self, x: Any) -> Any:
        for index in random.permutation(len(self._steps)).asnumpy() if self._steps else ():
            x = self._steps[index](x)
        return x


def _floats(x: Any) -> Any:
    return x.astype(float32) if x.dtype.kind in "iub" else x


def _as(x: Any, y: Any) -> Any:
    """`y` in the dtype of the image `x`."""
    return np.clip(np.rint(y), 0, 255).astype(x.dtype) if x.dtype.kind in "iub" else y.astype(x.dtype)


def _grey(x: Any) -> Any:
    return np.sum(x * np.array(LUMA).astype(x.dtype), axis=-1, keepdims=True)
