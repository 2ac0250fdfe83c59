# SPDX-License-Identifier: Apache-2.0
"""SqueezeNet, as in "AlexNet-level accuracy with 50x fewer parameters" (Iandola and others, 2016)."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from hybridize.base.errors import ArgumentError
from hybridize.gluon import nn
from hybridize.gluon.block import Block
from hybridize.gluon.model_zoo.files import constructor
from hybridize.gluon.model_zoo.vision.parts import Classifier, chain, relu, side_by_side

if TYPE_CHECKING:
    from hybridize.gluon.nn.containers import HybridSequential


POOL = 0
"""Stands for a pooling between the fire modules, which are named by their squeezed channels."""
VERSIONS = {
    "1.0": (96, 7, (16, 16, 32, POOL, 32, 48, 48, 64, POOL, 64)),
    "1.1": (64, 3, (16, 16, POOL, 32, 32, POOL, 48, 48, 64, 64)),
}
"""Channels and window of the first convolution, then the fire modules."""


def _fire(squeezed: int) -> nn.HybridSequential:
    """A fire module: few channels, then four times as many by 1 × 1 and by 3 × 3 windows."""
    narrow = chain(nn.Conv2D(squeezed, 1), relu())
    wide = [chain(nn.Conv2D(4 * squeezed, size, padding=size // 2), relu()) for size in (1, 3)]
    return chain(narrow, side_by_side(*wide))


class SqueezeNet(Classifier):
    """Return scores of classes by fire modules and a last convolution, for images of 224 × 224.

    Args:
        version: "1.0", or "1.1", which takes less than half of the multiplications.
        classes: numbers that come out for an image.

    Raises:
        ArgumentError E331: there is no such version.

    >>> from hybridize.gluon.model_zoo import vision
    >>> net = vision.SqueezeNet("1.1", classes=10)
    >>> net.output[0]
    Conv2D(None -> 10, kernel_size=(1, 1), stride=(1, 1))
    """

    def __init__(self, version: str, classes: int = 1000, **kwargs: Any) -> None:
        super().__init__(classes, **kwargs)
        if version not in VERSIONS:
            what = f"SqueezeNet has versions {', '.join(VERSIONS)}, not {version!r}"
            raise ArgumentError("E331", what, help="pass one of these texts")
        channels, size, modules = VERSIONS[version]
        with self._internal_scope():
            blocks: list[Block] = [nn.Conv2D(channels, size, 2), relu(), nn.MaxPool2D(3, 2, ceil_mode=True)]
            blocks += [nn.MaxPool2D(3, 2, ceil_mode=True) if one == POOL else _fire(one) for one in modules]
            self.features: HybridSequential = chain(*blocks, nn.Dropout(0.5))
            self.output: HybridSequential = chain(nn.Conv2D(classes, 1), relu(), nn.AvgPool2D(13), nn.Flatten())


squeezenet1_0: Callable[..., SqueezeNet] = constructor("squeezenet1.0", SqueezeNet, "1.0")
squeezenet1_1: Callable[..., SqueezeNet] = constructor("squeezenet1.1", SqueezeNet, "1.1")


def get_squeezenet(
    version: str, pretrained: bool = False, device: Any = None, root: Any = None, **kwargs: Any
) -> SqueezeNet:
    """Return a SqueezeNet by its version, "1.0" or "1.1".

    Args:
        version: of the network.
        pretrained: load the parameters that `root` holds.
        device: of the parameters that are loaded.
        root: the folder of parameters.
        kwargs: of `SqueezeNet`.

    Raises:
        ArgumentError E331: another version.
        LoadError E615: `pretrained`, and there is no file.

    >>> from hybridize.gluon.model_zoo import vision
    >>> net = vision.get_squeezenet("1.1", classes=10)
    """
    return constructor(f"squeezenet{version}", SqueezeNet, version)(pretrained, device, root, **kwargs)
