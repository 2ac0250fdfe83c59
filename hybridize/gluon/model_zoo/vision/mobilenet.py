# SPDX-License-Identifier: Apache-2.0
"""MobileNet v1 (Howard and others, 2017), and v2, of inverted residuals (Sandler and others, 2018).

Both separate windows from sums over channels: a depthwise convolution, then a pointwise one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from hybridize.array import np
from hybridize.array.ndarray import ndarray
from hybridize.gluon import nn
from hybridize.gluon.block import Block
from hybridize.gluon.hybrid_block import HybridBlock
from hybridize.gluon.model_zoo.files import Net, constructor
from hybridize.gluon.model_zoo.vision.parts import Classifier, NetworkPart, chain, normalized, relu

if TYPE_CHECKING:
    from hybridize.gluon.nn.basic import Dense
    from hybridize.gluon.nn.containers import HybridSequential


class RELU6(HybridBlock):
    """x cut at 0 and 6."""

    def forward(self, x: Any) -> ndarray:
        return np.clip(x, 0, 6)


SEPARABLE = (
    (64, 1), (128, 2), (128, 1), (256, 2), (256, 1), (512, 2), *((512, 1),) * 5, (1024, 2), (1024, 1),
)  # fmt: skip
"""Channels that come out of a pair of convolutions of v1, and the stride of its first one."""


class MobileNet(Classifier):
    """Return scores of classes by pairs of a depthwise and a pointwise convolution, for images of 224 × 224.

    Args:
        multiplier: of all numbers of channels, 0.25 at least.
        classes: numbers that come out for an image.

    >>> from hybridize.gluon.model_zoo import vision
    >>> net = vision.MobileNet(0.25, classes=10)
    >>> net.output
    Dense(None -> 10, linear)
    """

    def __init__(self, multiplier: float = 1.0, classes: int = 1000, **kwargs: Any) -> None:
        super().__init__(classes, **kwargs)
        with self._internal_scope():
            channels = int(32 * multiplier)
            blocks: list[Block] = [*normalized(channels, 3, 2, 1), relu()]
            for width, stride in SEPARABLE:
                blocks += [*normalized(channels, 3, stride, 1, groups=channels), relu()]
                channels = int(width * multiplier)
                blocks += [*normalized(channels, 1), relu()]
            self.features: HybridSequential = chain(*blocks, nn.GlobalAvgPool2D(), nn.Flatten())
            self.output: Dense = nn.Dense(classes)


class LinearBottleneck(NetworkPart):
    """Apply an inverted residual: many channels inside, few between, and no ReLU where channels are few.

    Args:
        in_channels: that come in.
        channels: that come out; as many as came in are added to these, if pixels are as many.
        t: channels inside, as a multiple of those that come in.
        stride: of the depthwise convolution.

    >>> from hybridize.gluon.model_zoo import vision
    >>> block = vision.LinearBottleneck(8, 16, t=2, stride=2)
    >>> block.initialize()
    >>> block(np.ones((1, 8, 4, 4))).shape
    (1, 16, 2, 2)
    """

    def __init__(self, in_channels: int, channels: int, t: int, stride: int, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.use_shortcut: bool = stride == 1 and in_channels == channels
        wide = in_channels * t
        with self._internal_scope():
            widened = [*normalized(wide, 1), RELU6()]
            windows = [*normalized(wide, 3, stride, 1, groups=wide), RELU6()]
            self.out: HybridSequential = chain(*widened, *windows, *normalized(channels, 1))

    def forward(self, x: Any) -> ndarray:
        y = self.out(x)
        return y + x if self.use_shortcut else y


INVERTED = ((1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2), (6, 96, 3, 1), (6, 160, 3, 2), (6, 320, 1, 1))
"""Of the blocks of v2: times as many channels inside, channels, how many blocks, stride of the first."""


class MobileNetV2(Classifier):
    """Return scores of classes by inverted residuals, for images of 224 × 224.

    Args:
        multiplier: of all numbers of channels but the last one, which it does not make smaller.
        classes: numbers that come out for an image.

    >>> from hybridize.gluon.model_zoo import vision
    >>> net = vision.MobileNetV2(0.25, classes=10)
    >>> list(net.collect_params(".*output.*"))
    ['output.0.weight']
    """

    def __init__(self, multiplier: float = 1.0, classes: int = 1000, **kwargs: Any) -> None:
        super().__init__(classes, **kwargs)
        with self._internal_scope():
            self.features: HybridSequential = nn.HybridSequential(prefix="features_")
            with self.features._internal_scope():
                before = int(32 * multiplier)
                self.features.add(*normalized(before, 3, 2, 1), RELU6())
                for times, width, count, first in INVERTED:
                    channels = int(width * multiplier)
                    for number in range(count):
                        self.features.add(LinearBottleneck(before, channels, times, 1 if number else first))
                        before = channels
                last = int(1280 * multiplier) if multiplier > 1.0 else 1280
                self.features.add(*normalized(last, 1), RELU6(), nn.GlobalAvgPool2D())
            self.output: HybridSequential = nn.HybridSequential(prefix="output_")
            with self.output._internal_scope():
                self.output.add(nn.Conv2D(classes, 1, use_bias=False, prefix="pred_"), nn.Flatten())


def _maker(family: str, net: Callable[..., Net], multiplier: float) -> Callable[..., Net]:
    two = f"{multiplier:.2f}"  # files have 1.0, 0.75, 0.5, 0.25
    return constructor(f"{family}{two[:-1] if two in ('1.00', '0.50') else two}", net, multiplier)


def get_mobilenet(
    multiplier: float, pretrained: bool = False, device: Any = None, root: Any = None, **kwargs: Any
) -> MobileNet:
    """Return a MobileNet v1 by the multiplier of its channels.

    Args:
        multiplier: 1.0, 0.75, 0.5 or 0.25 where there are files; any from 0.25 on.
        pretrained: load the parameters that `root` holds.
        device: of the parameters that are loaded.
        root: the folder of parameters.
        kwargs: of `MobileNet`.

    Raises:
        LoadError E615: `pretrained`, and there is no file.

    >>> from hybridize.gluon.model_zoo import vision
    >>> net = vision.get_mobilenet(0.25, classes=10)
    """
    return _maker("mobilenet", MobileNet, multiplier)(pretrained, device, root, **kwargs)


def get_mobilenet_v2(
    multiplier: float, pretrained: bool = False, device: Any = None, root: Any = None, **kwargs: Any
) -> MobileNetV2:
    """Return a MobileNet v2 by the multiplier of its channels.

    Args:
        multiplier: 1.0, 0.75, 0.5 or 0.25 where there are files; any from 0.25 on.
        pretrained: load the parameters that `root` holds.
        device: of the parameters that are loaded.
        root: the folder of parameters.
        kwargs: of `MobileNetV2`.

    Raises:
        LoadError E615: `pretrained`, and there is no file.

    >>> from hybridize.gluon.model_zoo import vision
    >>> net = vision.get_mobilenet_v2(0.25, classes=10)
    """
    return _maker("mobilenetv2_", MobileNetV2, multiplier)(pretrained, device, root, **kwargs)


MULTIPLIERS = (1.0, 0.75, 0.5, 0.25)
mobilenet0_25: Callable[..., MobileNet]
mobilenet0_5: Callable[..., MobileNet]
mobilenet0_75: Callable[..., MobileNet]
mobilenet1_0: Callable[..., MobileNet]
mobilenet1_0, mobilenet0_75, mobilenet0_5, mobilenet0_25 = (
    _maker("mobilenet", MobileNet, multiplier) for multiplier in MULTIPLIERS
)
mobilenet_v2_0_25: Callable[..., MobileNetV2]
mobilenet_v2_0_5: Callable[..., MobileNetV2]
mobilenet_v2_0_75: Callable[..., MobileNetV2]
mobilenet_v2_1_0: Callable[..., MobileNetV2]
mobilenet_v2_1_0, mobilenet_v2_0_75, mobilenet_v2_0_5, mobilenet_v2_0_25 = (
    _maker("mobilenetv2_", MobileNetV2, multiplier) for multiplier in MULTIPLIERS
)
