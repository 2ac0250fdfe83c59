# SPDX-License-Identifier: Apache-2.0
"""VGG, as in "Very deep convolutional networks for large-scale image recognition" (Simonyan, Zisserman, 2014)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from hybridize.base.errors import ArgumentError
from hybridize.gluon import nn
from hybridize.gluon.block import Block
from hybridize.gluon.model_zoo.files import constructor, of_family
from hybridize.gluon.model_zoo.vision.parts import Classifier, chain, relu
from hybridize.init import Xavier

if TYPE_CHECKING:
    from hybridize.gluon.nn.basic import Dense
    from hybridize.gluon.nn.containers import HybridSequential


FILTERS = (64, 128, 256, 512, 512)
DEPTHS = {11: (1, 1, 2, 2, 2), 13: (2, 2, 2, 2, 2), 16: (2, 2, 3, 3, 3), 19: (2, 2, 4, 4, 4)}
"""Convolutions of each stage, by the number of layers that have weights."""


class VGG(Classifier):
    """Return scores of classes by stages of 3 × 3 convolutions and three dense layers, for images of 224 × 224.

    Each stage is half as high and wide as the one before.

    Args:
        layers: convolutions of each stage.
        filters: channels of each stage.
        classes: numbers that come out for an image.
        batch_norm: normalize after each convolution.

    Raises:
        ArgumentError E331: `layers` and `filters` have different lengths.

    >>> from hybridize.gluon.model_zoo import vision
    >>> net = vision.VGG([1, 1], [8, 16], classes=10)
    >>> net.output
    Dense(None -> 10, linear)
    """

    def __init__(
        self,
        layers: Sequence[int],
        filters: Sequence[int],
        classes: int = 1000,
        batch_norm: bool = False,
        **kwargs: Any,
    ) -> None:
        super().__init__(classes, **kwargs)
        if len(layers) != len(filters):
            what = f"VGG with {len(layers)} numbers of layers and {len(filters)} of filters"
            raise ArgumentError("E331", what, help="give one entry of each for every stage")
        with self._internal_scope():
            blocks: list[Block] = []
            for count, channels in zip(layers, filters, strict=True):
                for _ in range(count):
                    drawn = Xavier(rnd_type="gaussian", factor_type="out", magnitude=2)
                    blocks.append(nn.Conv2D(channels, 3, padding=1, weight_initializer=drawn))
                    blocks += [nn.BatchNorm()] if batch_norm else []
                    blocks.append(relu())
                blocks.append(nn.MaxPool2D(strides=2))
            for _ in range(2):
                blocks += [nn.Dense(4096, activation="relu", weight_initializer="normal"), nn.Dropout(0.5)]
            self.features: HybridSequential = chain(*blocks)
            self.output: Dense = nn.Dense(classes, weight_initializer="normal")


PLAIN = {layers: constructor(f"vgg{layers}", VGG, depths, FILTERS) for layers, depths in DEPTHS.items()}
NORMALIZED = {
    layers: constructor(f"vgg{layers}_bn", VGG, depths, FILTERS, batch_norm=True) for layers, depths in DEPTHS.items()
}
vgg19: Callable[..., VGG]
vgg16: Callable[..., VGG]
vgg13: Callable[..., VGG]
vgg11: Callable[..., VGG]
vgg11, vgg13, vgg16, vgg19 = PLAIN.values()
vgg19_bn: Callable[..., VGG]
vgg16_bn: Callable[..., VGG]
vgg13_bn: Callable[..., VGG]
vgg11_bn: Callable[..., VGG]
vgg11_bn, vgg13_bn, vgg16_bn, vgg19_bn = NORMALIZED.values()


def get_vgg(num_layers: int, pretrained: bool = False, device: Any = None, root: Any = None, **kwargs: Any) -> VGG:
    """Return a VGG by its number of layers: 11, 13, 16 or 19. With `batch_norm=True` it is normalized.

    Args:
        num_layers: those that have weights.
        pretrained: load the parameters that `root` holds.
        device: of the parameters that are loaded.
        root: the folder of parameters.
        kwargs: of `VGG`.

    Raises:
        ArgumentError E331: another number of layers.
        LoadError E615: `pretrained`, and there is no file.

    >>> from hybridize.gluon.model_zoo import vision
    >>> net = vision.get_vgg(11, classes=10)
    """
    nets = NORMALIZED if kwargs.pop("batch_norm", False) else PLAIN
    return of_family("VGG", nets, num_layers)(pretrained, device, root, **kwargs)
