# SPDX-License-Identifier: Apache-2.0
"""ResNet: "Deep residual learning" (v1) and "Identity mappings in deep residual networks" (v2; He and others, 2015-16).

A block of v1 normalizes after each convolution and applies ReLU to the sum; one of v2 does both before, so that the
sum goes through unchanged.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from hybridize.array import npx
from hybridize.array.ndarray import ndarray
from hybridize.base.errors import ArgumentError
from hybridize.base.names import late
from hybridize.gluon import nn
from hybridize.gluon.block import Block
from hybridize.gluon.hybrid_block import HybridBlock
from hybridize.gluon.model_zoo.files import constructor, of_family
from hybridize.gluon.model_zoo.vision.parts import Classifier, NetworkPart, chain, normalized, relu

if TYPE_CHECKING:
    from hybridize.gluon.nn.basic import Dense
    from hybridize.gluon.nn.containers import HybridSequential
    from hybridize.gluon.nn.convolution import Conv2D


def _by_3(channels: int, stride: int, in_channels: int) -> nn.Conv2D:
    return nn.Conv2D(channels, 3, stride, 1, use_bias=False, in_channels=in_channels)


class _BlockV1(NetworkPart, ABC):
    """The base of the blocks of v1: ReLU of what came in, or of its shortcut, and of what `body` makes of it."""

    def __init__(
        self, channels: int, stride: int, downsample: bool = False, in_channels: int = 0, **kwargs: Any
    ) -> None:
        super().__init__(**kwargs)
        self.body: HybridSequential = chain(*self._body(channels, stride, in_channels))
        # The shortcut is made after the body: 1.x names count in this order.
        shortcut = normalized(channels, 1, stride, in_channels=in_channels) if downsample else None
        self.downsample: HybridSequential | None = None if shortcut is None else chain(*shortcut)

    @abstractmethod
    def _body(self, channels: int, stride: int, in_channels: int) -> list[Block]:
        """Make the layers of `body`."""

    def forward(self, x: Any) -> ndarray:
        short = x if self.downsample is None else self.downsample(x)
        return npx.activation(short + self.body(x), act_type="relu")


class BasicBlockV1(_BlockV1):
    """Add the input to two 3 × 3 convolutions of it.

    Args:
        channels: that come out.
        stride: of the first convolution.
        downsample: whether what came in goes through a pointwise convolution, too.
        in_channels: that come in; 0 if the first input tells.

    >>> from hybridize import np
    >>> from hybridize.gluon.model_zoo import vision
    >>> block = vision.BasicBlockV1(8, 1, in_channels=8)
    >>> block.initialize()
    >>> block(np.ones((1, 8, 4, 4))).shape
    (1, 8, 4, 4)
    """

    def _body(self, channels: int, stride: int, in_channels: int) -> list[Block]:
        first = normalized(channels, 3, stride, 1, in_channels=in_channels)
        return [*first, relu(), *normalized(channels, 3, 1, 1, in_channels=channels)]


class BottleneckV1(_BlockV1):
    """Add the input to three convolutions of it: pointwise, 3 × 3 with a quarter of the channels, pointwise.

    Args:
        channels: that come out.
        stride: of the first convolution.
        downsample: whether what came in goes through a pointwise convolution, too.
        in_channels: that come in; 0 if the first input tells.

    >>> from hybridize import np
    >>> from hybridize.gluon.model_zoo import vision
    >>> block = vision.BottleneckV1(8, 1, in_channels=8)
    >>> block.initialize()
    >>> block(np.ones((1, 8, 4, 4))).shape
    (1, 8, 4, 4)
    """

    def _body(self, channels: int, stride: int, in_channels: int) -> list[Block]:
        narrow = channels // 4
        first: list[Block] = [nn.Conv2D(narrow, 1, stride), nn.BatchNorm(), relu()]
        second: list[Block] = [*normalized(narrow, 3, 1, 1, in_channels=narrow), relu()]
        return [*first, *second, nn.Conv2D(channels, 1), nn.BatchNorm()]


class _BlockV2(NetworkPart, ABC):
    """The base of the blocks of v2: convolutions of normalized values, cut at 0, added to what came in."""

    def __init__(
        self, channels: int, stride: int, downsample: bool = False, in_channels: int = 0, **kwargs: Any
    ) -> None:
        super().__init__(**kwargs)
        convolutions = self._convolutions(channels, stride, in_channels)
        self._depth = len(convolutions)
        for number, convolution in enumerate(convolutions, 1):
            setattr(self, f"bn{number}", nn.BatchNorm())
            setattr(self, f"conv{number}", convolution)
        self.downsample: Conv2D | None = (
            nn.Conv2D(channels, 1, stride, use_bias=False, in_channels=in_channels) if downsample else None
        )

    @abstractmethod
    def _convolutions(self, channels: int, stride: int, in_channels: int) -> list[nn.Conv2D]:
        """Make the convolutions."""

    def forward(self, x: Any) -> ndarray:
        y, short = x, x
        for number in range(1, self._depth + 1):
            y = npx.activation(getattr(self, f"bn{number}")(y), act_type="relu")
            if number == 1 and self.downsample is not None:
                short = self.downsample(y)
            y = getattr(self, f"conv{number}")(y)
        return y + short


class BasicBlockV2(_BlockV2):
    """Normalize the input and apply ReLU and two 3 × 3 convolutions; add the input.

    Args:
        channels: that come out.
        stride: of the first convolution.
        downsample: whether what is added goes through a pointwise convolution.
        in_channels: that come in; 0 if the first input tells.

    >>> from hybridize import np
    >>> from hybridize.gluon.model_zoo import vision
    >>> block = vision.BasicBlockV2(8, 1, in_channels=8)
    >>> block.initialize()
    >>> block(np.ones((1, 8, 4, 4))).shape
    (1, 8, 4, 4)
    """

    def _convolutions(self, channels: int, stride: int, in_channels: int) -> list[nn.Conv2D]:
        return [_by_3(channels, stride, in_channels), _by_3(channels, 1, channels)]


class BottleneckV2(_BlockV2):
    """Add the input to three convolutions of normalized values.

    The middle one is 3 × 3 with a quarter of the channels; the others are pointwise.

    Args:
        channels: that come out.
        stride: of the 3 × 3 convolution.
        downsample: whether what is added goes through a pointwise convolution.
        in_channels: that come in; 0 if the first input tells.

    >>> from hybridize import np
    >>> from hybridize.gluon.model_zoo import vision
    >>> block = vision.BottleneckV2(8, 1, in_channels=8)
    >>> block.initialize()
    >>> block(np.ones((1, 8, 4, 4))).shape
    (1, 8, 4, 4)
    """

    def _convolutions(self, channels: int, stride: int, in_channels: int) -> list[nn.Conv2D]:
        narrow = channels // 4
        first, last = (nn.Conv2D(count, 1, use_bias=False) for count in (narrow, channels))
        return [first, _by_3(narrow, stride, narrow), last]


class _ResNet(Classifier):
    """The base of both versions: a first convolution, and stages of blocks, each half as high and wide."""

    def __init__(
        self,
        block: Callable[..., HybridBlock],
        layers: Sequence[int],
        channels: Sequence[int],
        classes: int = 1000,
        thumbnail: bool = False,
        **kwargs: Any,
    ) -> None:
        super().__init__(classes, **kwargs)
        with self._internal_scope():
            first = [*self._before(), *_first(channels[0], thumbnail)]
            self.features: HybridSequential = chain(*first, *self._stages(block, layers, channels), *self._after())
            self.output: Dense = nn.Dense(classes, in_units=channels[-1])

    def _before(self) -> list[Block]:
        """Make what stands before the first convolution."""
        return []

    def _after(self) -> list[Block]:
        """Make what stands between the stages and the output."""
        return [nn.GlobalAvgPool2D()]

    def _stages(self, block: Callable[..., HybridBlock], layers: Sequence[int], channels: Sequence[int]) -> list[Block]:
        if len(layers) != len(channels) - 1:
            what = f"{type(self).__name__} with {len(layers)} numbers of layers and {len(channels)} of channels"
            raise ArgumentError("E331", what, help="channels has one more entry, the channels of the first convolution")
        stages: list[Block] = []
        for number, (count, before, after) in enumerate(zip(layers, channels[:-1], channels[1:], strict=True), 1):
            stage = nn.HybridSequential(prefix=f"stage{number}_")
            with stage._internal_scope():
                stage.add(block(after, 1 if number == 1 else 2, after != before, in_channels=before, prefix=""))
                stage.add(*(block(after, 1, False, in_channels=after, prefix="") for _ in range(count - 1)))
            stages.append(stage)
        return stages


def _first(channels: int, thumbnail: bool) -> list[Block]:
    """Make the first convolution, and of large images a pooling."""
    if thumbnail:
        return [_by_3(channels, 1, 0)]
    return [*normalized(channels, 7, 2, 3), relu(), nn.MaxPool2D(3, 2, 1)]


class ResNetV1(_ResNet):
    """Return scores of classes by stages of blocks that add to what comes in, for images of 224 × 224.

    `get_resnet(1, 18)` and its like return the networks of the paper.

    Args:
        block: `BasicBlockV1` or `BottleneckV1`.
        layers: blocks of each stage.
        channels: of the first convolution and of each stage.
        classes: numbers that come out for an image.
        thumbnail: for small images (32 × 32): a first convolution of 3 × 3, and no pooling.

    >>> from hybridize.gluon.model_zoo import vision
    >>> net = vision.ResNetV1(vision.BasicBlockV1, [1, 1], [8, 8, 16], classes=10, thumbnail=True)
    >>> net.initialize()
    >>> net(np.ones((1, 3, 8, 8))).shape
    (1, 10)
    """


class ResNetV2(_ResNet):
    """Return scores of classes by stages of blocks that normalize before they convolve, for images of 224 × 224.

    `get_resnet(2, 18)` and its like return the networks of the paper.

    Args:
        block: `BasicBlockV2` or `BottleneckV2`.
        layers: blocks of each stage.
        channels: of the first convolution and of each stage.
        classes: numbers that come out for an image.
        thumbnail: for small images (32 × 32): a first convolution of 3 × 3, and no pooling.

    >>> from hybridize.gluon.model_zoo import vision
    >>> net = vision.ResNetV2(vision.BasicBlockV2, [1, 1], [8, 8, 16], classes=10, thumbnail=True)
    >>> net.initialize()
    >>> net(np.ones((1, 3, 8, 8))).shape
    (1, 10)
    """

    def _before(self) -> list[Block]:
        return [nn.BatchNorm(scale=False, center=False)]

    def _after(self) -> list[Block]:
        return [nn.BatchNorm(), relu(), *super()._after(), nn.Flatten()]


BASIC, BOTTLENECK = (64, 64, 128, 256, 512), (64, 256, 512, 1024, 2048)
"""Channels of the first convolution and of the stages."""
SIZES = {
    18: ((2, 2, 2, 2), BASIC),
    34: ((3, 4, 6, 3), BASIC),
    50: ((3, 4, 6, 3), BOTTLENECK),
    101: ((3, 4, 23, 3), BOTTLENECK),
    152: ((3, 8, 36, 3), BOTTLENECK),
}
"""Blocks of each stage, and channels, by the number of layers."""


def _nets(version: int, net: Callable[..., _ResNet], basic: Any, bottleneck: Any) -> dict[int, Callable[..., _ResNet]]:
    return {
        layers: constructor(f"resnet{layers}_v{version}", net, basic if sizes is BASIC else bottleneck, counts, sizes)
        for layers, (counts, sizes) in SIZES.items()
    }


VERSIONS = {
    1: _nets(1, ResNetV1, BasicBlockV1, BottleneckV1),
    2: _nets(2, ResNetV2, BasicBlockV2, BottleneckV2),
}
resnet152_v1: Callable[..., _ResNet]
resnet101_v1: Callable[..., _ResNet]
resnet50_v1: Callable[..., _ResNet]
resnet34_v1: Callable[..., _ResNet]
resnet18_v1: Callable[..., _ResNet]
resnet18_v1, resnet34_v1, resnet50_v1, resnet101_v1, resnet152_v1 = VERSIONS[1].values()
resnet152_v2: Callable[..., _ResNet]
resnet101_v2: Callable[..., _ResNet]
resnet50_v2: Callable[..., _ResNet]
resnet34_v2: Callable[..., _ResNet]
resnet18_v2: Callable[..., _ResNet]
resnet18_v2, resnet34_v2, resnet50_v2, resnet101_v2, resnet152_v2 = VERSIONS[2].values()


def get_resnet(
    version: int, num_layers: int, pretrained: bool = False, device: Any = None, root: Any = None, **kwargs: Any
) -> HybridBlock:
    """Return a ResNet by its version, 1 or 2, and its number of layers: 18, 34, 50, 101 or 152.

    Args:
        version: 1 normalizes after convolutions, 2 before.
        num_layers: those that have weights.
        pretrained: load the parameters that `root` holds.
        device: of the parameters that are loaded.
        root: the folder of parameters.
        kwargs: of the class: `classes`, `thumbnail`.

    Raises:
        ArgumentError E331: another version, or another number of layers.
        LoadError E615: `pretrained`, and there is no file.

    >>> from hybridize.gluon.model_zoo import vision
    >>> net = vision.get_resnet(2, 18, classes=10)
    >>> type(net).__name__
    'ResNetV2'
    """
    if version not in VERSIONS:
        raise ArgumentError("E331", f"the version of ResNet must be 1 or 2, got {version!r}", help="pass 1 or 2")
    return of_family("ResNet", VERSIONS[version], num_layers)(pretrained, device, root, **kwargs)


__dir__: Callable[[], list[str]]
__getattr__: Callable[[str], Any]
__getattr__, __dir__ = late(globals(), {})
