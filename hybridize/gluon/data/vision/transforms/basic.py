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
    """Apply transforms one after the other.

    >>> from hybridize import np
    >>> from hybridize.gluon.data.vision import transforms
    >>> change = transforms.Compose([transforms.CenterCrop(4), transforms.ToTensor()])
    >>> change(np.ones((8, 8, 3), dtype="uint8")).shape
    (3, 4, 4)
    """

    def __init__(self, transforms: Sequence[Any]) -> None:
        super().__init__()
        self.add(*transforms)


class HybridCompose(HybridSequential):
    """Apply hybrid transforms one after the other, compiled as one program.

    >>> from hybridize import np
    >>> from hybridize.gluon.data.vision import transforms
    >>> change = transforms.HybridCompose([transforms.ToTensor(), transforms.Normalize(0.5, 0.5)])
    >>> change(np.ones((8, 8, 3), dtype="uint8")).shape
    (3, 8, 8)
    """

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
    """Apply all transforms with probability `p`, and otherwise none.

    >>> from hybridize import np
    >>> from hybridize.gluon.data.vision import transforms
    >>> transforms.RandomApply([transforms.CenterCrop(4)], p=1.0)(np.ones((8, 8, 3))).shape
    (4, 4, 3)
    """

    def forward(self, x: Any, *args: Any) -> Any:
        return super().forward(x, *args) if float(random.uniform()) < self._p else x


class HybridRandomApply(_OfTransforms, HybridSequential):
    """Apply a hybrid transform with probability `p`. It must keep shape and dtype: both results are computed.

    >>> from hybridize import np
    >>> from hybridize.gluon.data.vision import transforms
    >>> transforms.HybridRandomApply(transforms.RandomFlipLeftRight(), p=1.0)(np.ones((8, 8, 3))).shape
    (8, 8, 3)
    """

    def forward(self, x: Any) -> Any:
        return np.where(random.uniform() < self._p, super().forward(x), x)


class Cast(HybridBlock):
    """Convert an image to another dtype.

    >>> from hybridize import np
    >>> from hybridize.gluon.data.vision import transforms
    >>> transforms.Cast("float16")(np.ones((2, 2, 3))).dtype
    dtype('float16')
    """

    def __init__(self, dtype: Any = "float32") -> None:
        super().__init__()
        self._dtype = as_dtype(dtype)

    def forward(self, x: Any) -> Any:
        return image_of(x).astype(self._dtype)


class ToTensor(HybridBlock):
    """Convert an image [height, width, channels] of 0 to 255 to float32 [channels, height, width] of 0 to 1.

    >>> from hybridize import np
    >>> from hybridize.gluon.data.vision import transforms
    >>> x = transforms.ToTensor()(np.full((4, 5, 3), 255, dtype="uint8"))
    >>> x.shape, x.max()
    ((3, 4, 5), array(1.))
    """

    def forward(self, x: Any) -> Any:
        return images.to_tensor(x)


class Normalize(HybridBlock):
    """Return (x - mean) / std of an image [channels, height, width].

    Mean and std are numbers, or one number for each channel.

    >>> from hybridize import np
    >>> from hybridize.gluon.data.vision import transforms
    >>> transforms.Normalize(mean=0.5, std=0.25)(np.ones((1, 1, 2)))
    array([[[2., 2.]]])
    """

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
