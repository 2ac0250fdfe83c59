# SPDX-License-Identifier: Apache-2.0
"""Layers without parameters that move pixels: padding by reflection, channels that become pixels."""

from __future__ import annotations

import math
from typing import Any

from hybridize.array.functions import legacy_shapes, shapes
from hybridize.array.ndarray import ndarray
from hybridize.base.errors import ArgumentError, ShapeError
from hybridize.gluon.hybrid_block import HybridBlock
from hybridize.gluon.windowed import Windowed
from hybridize.ops.convolution import each_axis

COPY, MERGE, SPLIT = -2, -5, -6
"""Codes of `npx.reshape`, by which a file of a net holds for images of all sizes."""


class ReflectionPad2D(HybridBlock):
    """Pad images [batch, channels, height, width] with their own pixels, mirrored at the outermost pixels.

    Args:
        padding: pixels on each side; or MXNet's eight numbers, before and after each of the four axes.

    >>> from hybridize import np
    >>> from hybridize.gluon import nn
    >>> nn.ReflectionPad2D(1)(np.array([[[[1.0, 2.0], [3.0, 4.0]]]]))[0, 0]
    array([[4., 3., 4., 3.],
           [2., 1., 2., 1.],
           [4., 3., 4., 3.],
           [2., 1., 2., 1.]])
    """

    _repr_form = "padding={0._padding}"

    def __init__(self, padding: Any = 0, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        if isinstance(padding, (tuple, list)):
            self._padding = each_axis("ReflectionPad2D", "padding", padding, 8, default=0, least=0)
        else:
            self._padding = (0,) * 4 + each_axis("ReflectionPad2D", "padding", padding, 1, default=0, least=0) * 4

    def forward(self, x: Any) -> ndarray:
        if x.ndim != 4:
            what = f"ReflectionPad2D of {x.ndim} axes, {list(x.shape)}"
            raise ShapeError("E179", what, help="the input must be [batch, channels, height, width]")
        return legacy_shapes.pad(x, mode="reflect", pad_width=self._padding)


class _PixelShuffle(Windowed):
    """Base of the layers: the factors, one for each axis of the image."""

    def __init__(self, factor: Any, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        if factor is None:
            raise ArgumentError("E398", f"{type(self).__name__} with factor=None", help="use an integer of 1 or more")
        self._factors = self._numbers("factor", factor)

    def forward(self, x: Any) -> ndarray:
        rank, rest = self._rank, math.prod(self._factors)
        name = type(self).__name__
        if x.ndim != rank + 2:
            axes = f"[batch, channels, {', '.join(('depth', 'height', 'width')[-rank:])}]"
            raise ShapeError("E179", f"{name} of {x.ndim} axes, {list(x.shape)}", help=f"the input must be {axes}")
        if x.shape[1] % rest:
            what = f"{name} by {self._factors} of {x.shape[1]} channels"
            raise ShapeError("E179", what, help=f"the number of channels must be a multiple of {rest}")
        image = (COPY,) * rank
        x = legacy_shapes.reshape(x, (COPY, SPLIT, -1, rest, *image))
        for number, factor in enumerate(self._factors[:-1]):
            rest //= factor
            x = legacy_shapes.reshape(x, (*(COPY,) * (2 + number), SPLIT, factor, rest, *image))
        order = [axis for k in range(rank) for axis in (2 + rank + k, 2 + k)]
        return legacy_shapes.reshape(shapes.transpose(x, (0, 1, *order)), (COPY, COPY, *(MERGE,) * rank))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._factors[0] if self._rank == 1 else self._factors})"


class PixelShuffle1D(_PixelShuffle, rank=1):
    """Make elements of a line from channels: [n, f c, w] to [n, c, w f].

    Args:
        factor: f, by how much the line grows.

    >>> from hybridize import np
    >>> from hybridize.gluon import nn
    >>> nn.PixelShuffle1D(2)(np.array([[[1.0, 3.0], [2.0, 4.0]]]))
    array([[[1., 2., 3., 4.]]])
    """


class PixelShuffle2D(_PixelShuffle, rank=2):
    """Make pixels of an image from channels: [n, f g c, h, w] to [n, c, h f, w g].

    Args:
        factor: f and g, by how much height and width grow, or one number for both.

    >>> from hybridize import np
    >>> from hybridize.gluon import nn
    >>> nn.PixelShuffle2D(2)(np.ones((1, 12, 3, 3))).shape
    (1, 3, 6, 6)
    """


class PixelShuffle3D(_PixelShuffle, rank=3):
    """Make elements of a volume from channels: [n, e f g c, d, h, w] to [n, c, d e, h f, w g].

    Args:
        factor: e, f and g, by how much depth, height and width grow, or one number for all.

    >>> from hybridize import np
    >>> from hybridize.gluon import nn
    >>> nn.PixelShuffle3D(2)(np.ones((1, 8, 3, 3, 3))).shape
    (1, 1, 6, 6, 6)
    """
