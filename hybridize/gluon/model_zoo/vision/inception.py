# SPDX-License-Identifier: Apache-2.0
"""Inception v3, as in "Rethinking the Inception architecture for computer vision" (Szegedy and others, 2015)."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from hybridize.gluon import nn
from hybridize.gluon.block import Block
from hybridize.gluon.model_zoo.files import constructor
from hybridize.gluon.model_zoo.vision.parts import Classifier, chain, relu, side_by_side

if TYPE_CHECKING:
    from hybridize.gluon.nn.basic import Dense
    from hybridize.gluon.nn.containers import HybridSequential


def _convolution(channels: int, kernel: Any, strides: int = 1, padding: Any = 0) -> nn.HybridSequential:
    layers = nn.Conv2D(channels, kernel, strides, padding, use_bias=False), nn.BatchNorm(epsilon=0.001)
    return chain(*layers, relu())


def _around(channels: int, kernel: int | tuple[int, int]) -> nn.HybridSequential:
    """A convolution whose padding keeps height and width."""
    height, width = (kernel, kernel) if isinstance(kernel, int) else kernel
    return _convolution(channels, kernel, padding=(height // 2, width // 2))


def _halving(channels: int) -> nn.HybridSequential:
    return _convolution(channels, 3, 2)


def _averaged(channels: int) -> nn.HybridSequential:
    """Averages of 3 × 3 pixels, and a pointwise convolution."""
    return chain(nn.AvgPool2D(3, 1, 1), _convolution(channels, 1))


def _largest() -> nn.HybridSequential:
    return chain(nn.MaxPool2D(3, 2))


FLAT, TALL = (1, 7), (7, 1)
"""Windows of seven pixels beside or above each other: two of them see what one of 7 × 7 sees."""


def _same_size(pooled: int) -> list[Block]:
    """Windows of 1 × 1, 5 × 5 and 3 × 3 twice, and averages."""
    return [
        chain(_convolution(64, 1)),
        chain(_convolution(48, 1), _around(64, 5)),
        chain(_convolution(64, 1), _around(96, 3), _around(96, 3)),
        _averaged(pooled),
    ]


def _to_17() -> list[Block]:
    """Half the height and width, from 35 × 35 pixels."""
    return [chain(_halving(384)), chain(_convolution(64, 1), _around(96, 3), _halving(96)), _largest()]


def _sevens(narrow: int) -> list[Block]:
    """Windows of 7 × 7, in two or four steps, and averages."""
    return [
        chain(_convolution(192, 1)),
        chain(_convolution(narrow, 1), _around(narrow, FLAT), _around(192, TALL)),
        chain(
            _convolution(narrow, 1), _around(narrow, TALL), _around(narrow, FLAT), _around(narrow, TALL),
            _around(192, FLAT),
        ),
        _averaged(192),
    ]  # fmt: skip


def _to_8() -> list[Block]:
    """Half the height and width, from 17 × 17 pixels."""
    return [
        chain(_convolution(192, 1), _halving(320)),
        chain(_convolution(192, 1), _around(192, FLAT), _around(192, TALL), _halving(192)),
        _largest(),
    ]


def _wide() -> list[Block]:
    """The last modules: windows of three pixels beside and above each other, both of one operand."""

    def fork() -> nn.HybridConcatenate:
        return side_by_side(chain(_around(384, (1, 3))), chain(_around(384, (3, 1))))

    return [
        chain(_convolution(320, 1)),
        chain(chain(_convolution(384, 1)), fork()),
        chain(chain(_convolution(448, 1), _around(384, 3)), fork()),
        _averaged(192),
    ]


MODULES = (
    ("A1_", _same_size, 32), ("A2_", _same_size, 64), ("A3_", _same_size, 64), ("B_", _to_17),
    ("C1_", _sevens, 128), ("C2_", _sevens, 160), ("C3_", _sevens, 160), ("C4_", _sevens, 192), ("D_", _to_8),
    ("E1_", _wide), ("E2_", _wide),
)  # fmt: skip
"""The modules in order: the start of their 1.x names, what makes their branches, and of which number."""


class Inception3(Classifier):
    """Return scores of classes by modules of branches with windows of several sizes, for images of 299 × 299.

    Args:
        classes: numbers that come out for an image.

    >>> from hybridize.gluon.model_zoo import vision
    >>> vision.Inception3(classes=10).output
    Dense(None -> 10, linear)
    """

    def __init__(self, classes: int = 1000, **kwargs: Any) -> None:
        super().__init__(classes, **kwargs)
        with self._internal_scope():
            blocks: list[Block] = [_convolution(32, 3, 2), _convolution(32, 3), _around(64, 3), nn.MaxPool2D(3, 2)]
            blocks += [_convolution(80, 1), _convolution(192, 3), nn.MaxPool2D(3, 2)]
            for prefix, branches, *numbers in MODULES:
                module = nn.HybridConcatenate(axis=1, prefix=prefix)
                with module._internal_scope():
                    module.add(*branches(*numbers))
                blocks.append(module)
            self.features: HybridSequential = chain(*blocks, nn.AvgPool2D(8), nn.Dropout(0.5))
            self.output: Dense = nn.Dense(classes)


inception_v3: Callable[..., Inception3] = constructor("inceptionv3", Inception3)
