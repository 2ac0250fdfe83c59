# SPDX-License-Identifier: Apache-2.0
"""MobileNet v3, as in "Searching for MobileNetV3" (Howard and others, 2019). MXNet has none: names are our own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from hybridize.array import np
from hybridize.array.ndarray import ndarray
from hybridize.gluon import nn
from hybridize.gluon.block import Block
from hybridize.gluon.hybrid_block import HybridBlock
from hybridize.gluon.model_zoo.files import constructor
from hybridize.gluon.model_zoo.vision.parts import Classifier, NetworkPart, chain, relu

if TYPE_CHECKING:
    from hybridize.gluon.nn.basic import Dense
    from hybridize.gluon.nn.containers import HybridSequential
    from hybridize.gluon.nn.convolution import Conv2D
    from hybridize.gluon.nn.pooling import GlobalAvgPool2D


def _hard_sigmoid(x: Any) -> Any:
    return np.clip(x + 3, 0, 6) / 6


class HardSwish(HybridBlock):
    """x · clip(x + 3, 0, 6) / 6."""

    def forward(self, x: Any) -> ndarray:
        return x * _hard_sigmoid(x)


class SqueezeExcite(NetworkPart):
    """Scale channels by what two pointwise convolutions make of their means (*squeeze and excite*).

    Args:
        channels: that come in and out.
        narrow: channels between the convolutions.
    """

    def __init__(self, channels: int, narrow: int, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.pool: GlobalAvgPool2D = nn.GlobalAvgPool2D()
        self.reduce: Conv2D = nn.Conv2D(narrow, 1, activation="relu", in_channels=channels)
        self.expand: Conv2D = nn.Conv2D(channels, 1, in_channels=narrow)

    def forward(self, x: Any) -> ndarray:
        return x * _hard_sigmoid(self.expand(self.reduce(self.pool(x))))


def _normalized(channels: int, kernel: int, stride: int = 1, groups: int = 1) -> list[Block]:
    convolution = nn.Conv2D(channels, kernel, stride, kernel // 2, groups=groups, use_bias=False)
    return [convolution, nn.BatchNorm(epsilon=1e-3, momentum=0.99)]


def _eighths(channels: float) -> int:
    """The multiple of 8 next to a number of channels, which takes less than a tenth away."""
    multiple = max(8, int(channels + 4) // 8 * 8)
    return multiple if multiple >= 0.9 * channels else multiple + 8


class InvertedResidual(NetworkPart):
    """Pointwise, depthwise, squeeze and excite, pointwise; what came in is added where sizes agree.

    Args:
        before: channels that come in.
        kernel: height and width of the depthwise window.
        wide: channels inside.
        channels: that come out.
        excites: whether there is squeeze and excite.
        swish: HardSwish, else ReLU.
        stride: of the depthwise convolution.
    """

    def __init__(
        self, before: int, kernel: int, wide: int, channels: int, excites: bool, swish: bool, stride: int, **kwargs: Any
    ) -> None:
        super().__init__(**kwargs)

        def activation() -> Block:
            return HardSwish() if swish else relu()

        blocks: list[Block] = [*_normalized(wide, 1), activation()] if wide != before else []
        blocks += [*_normalized(wide, kernel, stride, wide), activation()]
        blocks += [SqueezeExcite(wide, _eighths(wide / 4))] if excites else []
        self.body: HybridSequential = chain(*blocks, *_normalized(channels, 1))
        self.is_added: bool = stride == 1 and before == channels

    def forward(self, x: Any) -> ndarray:
        y = self.body(x)
        return x + y if self.is_added else y


LARGE = (
    (3, 16, 16, False, False, 1), (3, 64, 24, False, False, 2), (3, 72, 24, False, False, 1),
    (5, 72, 40, True, False, 2), (5, 120, 40, True, False, 1), (5, 120, 40, True, False, 1),
    (3, 240, 80, False, True, 2), (3, 200, 80, False, True, 1), (3, 184, 80, False, True, 1),
    (3, 184, 80, False, True, 1), (3, 480, 112, True, True, 1), (3, 672, 112, True, True, 1),
    (5, 672, 160, True, True, 2), (5, 960, 160, True, True, 1), (5, 960, 160, True, True, 1),
)  # fmt: skip
"""Of each block: window, channels inside, channels, squeeze and excite, HardSwish, stride."""
SMALL = (
    (3, 16, 16, True, False, 2), (3, 72, 24, False, False, 2), (3, 88, 24, False, False, 1),
    (5, 96, 40, True, True, 2), (5, 240, 40, True, True, 1), (5, 240, 40, True, True, 1),
    (5, 120, 48, True, True, 1), (5, 144, 48, True, True, 1), (5, 288, 96, True, True, 2),
    (5, 576, 96, True, True, 1), (5, 576, 96, True, True, 1),
)  # fmt: skip


class MobileNetV3(Classifier):
    """Return scores of classes by inverted residuals with squeeze and excite, for images of 224 × 224.

    `mobilenet_v3_large` and `mobilenet_v3_small` return the networks of the paper.

    Args:
        blocks: of each residual: height and width of its window, channels inside, channels that come out, whether it
            has squeeze and excite, HardSwish (else ReLU), stride.
        hidden: numbers before the last layer.
        multiplier: of all other numbers of channels.
        classes: numbers that come out for an image.

    >>> from hybridize.gluon.model_zoo import vision
    >>> net = vision.MobileNetV3([(3, 16, 16, True, False, 2)], hidden=32, classes=10)
    >>> net.output
    Dense(None -> 10, linear)
    """

    def __init__(
        self,
        blocks: Sequence[tuple[int, int, int, bool, bool, int]],
        hidden: int,
        multiplier: float = 1.0,
        classes: int = 1000,
        **kwargs: Any,
    ) -> None:
        super().__init__(classes, **kwargs)
        with self._internal_scope():
            before = _eighths(16 * multiplier)
            layers: list[Block] = [*_normalized(before, 3, 2), HardSwish()]
            for kernel, inside, out, excites, swish, stride in blocks:
                wide, channels = _eighths(inside * multiplier), _eighths(out * multiplier)
                layers.append(InvertedResidual(before, kernel, wide, channels, excites, swish, stride))
                before = channels
            layers += [*_normalized(6 * before, 1), HardSwish(), nn.GlobalAvgPool2D(), nn.Flatten()]
            self.features: HybridSequential = chain(*layers, nn.Dense(hidden), HardSwish(), nn.Dropout(0.2))
            self.output: Dense = nn.Dense(classes)


mobilenet_v3_large: Callable[..., MobileNetV3] = constructor("mobilenetv3_large", MobileNetV3, LARGE, 1280)
mobilenet_v3_small: Callable[..., MobileNetV3] = constructor("mobilenetv3_small", MobileNetV3, SMALL, 1024)
