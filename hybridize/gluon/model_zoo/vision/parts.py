# SPDX-License-Identifier: Apache-2.0
"""Parts of the networks of the zoo: chains of layers, normalized convolutions, a first and a last part.

The 1.x name of a layer (`resnetv10_stage1_conv0_weight`) counts what was made before it in the scope that is open, so
the order in which layers are made is part of a network's files.
"""

from __future__ import annotations

from typing import Any

from hybridize.array.ndarray import ndarray
from hybridize.gluon import nn
from hybridize.gluon.block import Block
from hybridize.gluon.hybrid_block import HybridBlock


def chain(*blocks: Block) -> nn.HybridSequential:
    """Put blocks one after the other, without a name of their own."""
    block = nn.HybridSequential(prefix="")
    block.add(*blocks)
    return block


def side_by_side(*blocks: Block) -> nn.HybridConcatenate:
    """Join the results of blocks along the channels."""
    block = nn.HybridConcatenate(axis=1, prefix="")
    block.add(*blocks)
    return block


def normalized(
    channels: int, kernel: Any, strides: Any = 1, padding: Any = 0, *, groups: int = 1, in_channels: int = 0
) -> list[Block]:
    """Make a convolution without a bias, and the batch normalization after it."""
    convolution = nn.Conv2D(channels, kernel, strides, padding, groups=groups, use_bias=False, in_channels=in_channels)
    return [convolution, nn.BatchNorm()]


def relu() -> nn.Activation:
    """Make the layer max(x, 0)."""
    return nn.Activation("relu")


class NetworkPart(HybridBlock):
    """The base of networks and of their parts, which are made of layers and are none."""

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(layer=False, **kwargs)


class Classifier(NetworkPart):
    """The base of the networks: `output` of `features` of an image.

    Args:
        classes: numbers that come out for an image.
        prefix: of the 1.x names.
        params: shared with another block.
    """

    features: HybridBlock
    output: HybridBlock

    def __init__(self, classes: int = 1000, prefix: str | None = None, params: Any = None) -> None:
        super().__init__(prefix, params)
        self._classes = classes

    def forward(self, x: Any) -> ndarray:
        return self.output(self.features(x))
