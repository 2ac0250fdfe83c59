# SPDX-License-Identifier: Apache-2.0
"""DenseNet, as in "Densely connected convolutional networks" (Huang and others, 2016)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from hybridize.gluon import nn
from hybridize.gluon.block import Block
from hybridize.gluon.model_zoo.files import constructor, of_family
from hybridize.gluon.model_zoo.vision.parts import Classifier, chain, normalized, relu, side_by_side

if TYPE_CHECKING:
    from hybridize.gluon.nn.basic import Dense
    from hybridize.gluon.nn.containers import HybridSequential


SIZES = {
    121: (64, 32, (6, 12, 24, 16)),
    161: (96, 48, (6, 12, 36, 24)),
    169: (64, 32, (6, 12, 32, 32)),
    201: (64, 32, (6, 12, 48, 32)),
}
"""Channels of the first convolution, channels that a layer adds, layers of each block, by the number of layers."""


def _layer(growth: int, narrow: int, dropout: float) -> nn.HybridConcatenate:
    """A layer: what came in, and `growth` channels more."""
    blocks: list[Block] = [nn.BatchNorm(), relu(), nn.Conv2D(narrow * growth, 1, use_bias=False)]
    blocks += [nn.BatchNorm(), relu(), nn.Conv2D(growth, 3, padding=1, use_bias=False)]
    blocks += [nn.Dropout(dropout)] if dropout else []
    return side_by_side(nn.Identity(), chain(*blocks))


class DenseNet(Classifier):
    """Return scores of classes by blocks of layers that each see all before them, for images of 224 × 224.

    Args:
        num_init_features: channels of the first convolution.
        growth_rate: channels that a layer adds.
        block_config: layers of each block.
        bn_size: channels of a layer's first convolution, as a multiple of what it adds.
        dropout: the part of a layer's channels that is dropped in training.
        classes: numbers that come out for an image.

    >>> from hybridize.gluon.model_zoo import vision
    >>> net = vision.DenseNet(16, growth_rate=8, block_config=[2, 2], classes=10)
    >>> net.output
    Dense(None -> 10, linear)
    """

    def __init__(
        self,
        num_init_features: int,
        growth_rate: int,
        block_config: Sequence[int],
        bn_size: int = 4,
        dropout: float = 0,
        classes: int = 1000,
        **kwargs: Any,
    ) -> None:
        super().__init__(classes, **kwargs)
        with self._internal_scope():
            blocks: list[Block] = [*normalized(num_init_features, 7, 2, 3), relu(), nn.MaxPool2D(3, 2, 1)]
            channels = num_init_features
            for number, layers in enumerate(block_config, 1):
                stage = nn.HybridSequential(prefix=f"stage{number}_")
                with stage._internal_scope():
                    stage.add(*(_layer(growth_rate, bn_size, dropout) for _ in range(layers)))
                blocks.append(stage)
                channels += layers * growth_rate
                if number < len(block_config):
                    channels //= 2
                    between: list[Block] = [nn.BatchNorm(), relu(), nn.Conv2D(channels, 1, use_bias=False)]
                    blocks.append(chain(*between, nn.AvgPool2D(2, 2)))
            self.features: HybridSequential = chain(*blocks, nn.BatchNorm(), relu(), nn.AvgPool2D(7), nn.Flatten())
            self.output: Dense = nn.Dense(classes)


NETS = {layers: constructor(f"densenet{layers}", DenseNet, *sizes) for layers, sizes in SIZES.items()}
densenet201: Callable[..., DenseNet]
densenet169: Callable[..., DenseNet]
densenet161: Callable[..., DenseNet]
densenet121: Callable[..., DenseNet]
densenet121, densenet161, densenet169, densenet201 = NETS.values()


def get_densenet(
    num_layers: int, pretrained: bool = False, device: Any = None, root: Any = None, **kwargs: Any
) -> DenseNet:
    """Return a DenseNet by its number of layers: 121, 161, 169 or 201.

    Args:
        num_layers: those that have weights.
        pretrained: load the parameters that `root` holds.
        device: of the parameters that are loaded.
        root: the folder of parameters.
        kwargs: of `DenseNet`.

    Raises:
        ArgumentError E331: another number of layers.
        LoadError E615: `pretrained`, and there is no file.

    >>> from hybridize.gluon.model_zoo import vision
    >>> net = vision.get_densenet(121, classes=10)
    """
    return of_family("DenseNet", NETS, num_layers)(pretrained, device, root, **kwargs)
