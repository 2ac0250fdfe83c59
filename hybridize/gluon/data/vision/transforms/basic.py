# SPDX-License-Identifier: Apache-2.0
"""Compositions of transforms, and conversions between dtypes and layouts."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

import numpy

from hybridize.array import images, np, random
from hybridize.array.images import image_of
from hybridize.base.dtypes import as_dtype
from hybridize.base.errors import ArgumentError
from hybridize.gluon.hybrid_block import HybridBlock
from hybridize.gluon.nn.containers import Chain, HybridSequential, Sequential


class Compose(Sequential):
    """Transforms one after the other."""

    def __init__(self, transforms: Sequence[Any]) -> None:
        super().__init__()
        self.add(*transforms)


class HybridCompose(HybridSequential):
    """The same of hybrid transforms, compiled as one program."""

    def __init__(self, transforms: Sequence[Any]) -> None:
        super().__init__()
        self.add(*transforms)
        self.hybridize()


class Sometimes(HybridBlock, ABC):
    """The base of changes that an image has with a probability; several images all have it, or none of them.

    Args:
        p: the probability.
    """

    def __init__(self, p: float = 0.5) -> None:
        super().__init__()
        self._p = probability(p)

    def forward(self, x: Any) -> Any:
        x = image_of(x)
        return np.where(random.uniform() < self._p, self._other(x), x)

    @abstractmethod
    def _other(self, x: Any) -> Any:
        """Return the image as it is changed."""


class _OfTransforms(Chain):
    def __init__(self, transforms: Any, p: float = 0.5) -> None:
        super().__init__()
        self.add(*(transforms if isinstance(transforms, (list, tuple)) else (transforms,)))
        self._p = probability(p)


class RandomApply(_OfTransforms, Sequential):
    """Transforms, all of them with the probability `p`, none of them otherwise."""

    def forward(self, x: Any, *args: Any) -> Any:
        return super().forward(x, *args) if float(random.uniform()) < self._p else x


class HybridRandomApply(_OfTransforms, HybridSequential):
    """The same of hybrid transforms that keep shape and dtype: both results are computed, one is taken."""

    def forward(self, x: Any) -> Any:
        return np.where(random.uniform() < self._p, super().forward(x), x)


class Cast(HybridBlock):
    """Elements of another dtype."""

    def __init__(self, dtype: Any = "float32") -> None:
        super().__init__()
        self._dtype = as_dtype(dtype)

    def forward(self, x: Any) -> Any:
        return image_of(x).astype(self._dtype)


class ToTensor(HybridBlock):
    """An image (height, width, channels) of 0 to 255 to (channels, height, width) of 0 to 1, as float32."""

    def forward(self, x: Any) -> Any:
        return images.to_tensor(x)


class Normalize(HybridBlock):
    """(x - mean) / std of an image with channels first; a number, or one for each channel."""

    def __init__(self, mean: Any = 0.0, std: Any = 1.0) -> None:
        super().__init__()
        self._mean = numpy.asarray(mean, numpy.float32).reshape(-1, 1, 1)
        self._std = numpy.asarray(std, numpy.float32).reshape(-1, 1, 1)
        if not (self._std != 0).all():
            raise ArgumentError("E384", f"Normalize divides by std, got {std!r}", help="std must not be 0")

    def forward(self, x: Any) -> Any:
        return (x - np.array(self._mean)) / np.array(self._std)


def probability(p: float) -> float:
    """`p`, if it is one."""
    if not 0 <= p <= 1:
        raise ArgumentError("E384", f"a probability must be from 0 to 1, got {p!r}")
    return p
