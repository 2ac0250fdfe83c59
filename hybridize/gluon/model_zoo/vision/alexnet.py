# SPDX-License-Identifier: Apache-2.0
"""AlexNet, as in "One weird trick for parallelizing convolutional neural networks" (Krizhevsky, 2014)."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from hybridize.gluon import nn
from hybridize.gluon.model_zoo.files import constructor
from hybridize.gluon.model_zoo.vision.parts import Classifier, chain

if TYPE_CHECKING:
    from hybridize.gluon.nn.basic import Dense
    from hybridize.gluon.nn.containers import HybridSequential


class AlexNet(Classifier):
    """Return scores of classes by five convolutions and three dense layers, for images of 224 × 224 and more.

    Args:
        classes: numbers that come out for an image.

    >>> from hybridize.gluon.model_zoo import vision
    >>> vision.AlexNet(classes=10).output
    Dense(None -> 10, linear)
    """

    def __init__(self, classes: int = 1000, **kwargs: Any) -> None:
        super().__init__(classes, **kwargs)
        with self._internal_scope():
            self.features: HybridSequential = chain(
                nn.Conv2D(64, 11, 4, 2, activation="relu"),
                nn.MaxPool2D(3, 2),
                nn.Conv2D(192, 5, padding=2, activation="relu"),
                nn.MaxPool2D(3, 2),
                *(nn.Conv2D(channels, 3, padding=1, activation="relu") for channels in (384, 256, 256)),
                nn.MaxPool2D(3, 2),
                nn.Flatten(),
                nn.Dense(4096, activation="relu"),
                nn.Dropout(0.5),
                nn.Dense(4096, activation="relu"),
                nn.Dropout(0.5),
            )
            self.output: Dense = nn.Dense(classes)


alexnet: Callable[..., AlexNet] = constructor("alexnet", AlexNet)
