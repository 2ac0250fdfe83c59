# SPDX-License-Identifier: Apache-2.0
"""Blocks made of blocks: one after the other, or side by side."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Self

from hybridize.array.functions import shapes
from hybridize.array.ndarray import ndarray
from hybridize.base.advice import warn
from hybridize.base.participation import outside_only
from hybridize.base.tracebacks import leaves
from hybridize.gluon.block import Block
from hybridize.gluon.hybrid_block import HybridBlock
from hybridize.gluon.naming import open_scope


class Chain(Block, layer=False):
    """Adding, counting and indexing of blocks in order."""

    @outside_only("changes what the net is made of")
    @leaves
    def add(self, *blocks: Block) -> None:
        """Append blocks."""
        for block in blocks:
            self.register_child(block)

    def __len__(self) -> int:
        return len(self._children)

    def __iter__(self) -> Iterator[Block]:
        return iter(self._children.values())

    def __getitem__(self, key: int | slice) -> Any:
        """The block at a position, or a container of the same kind of several, which share their parameters."""
        blocks = list(self._children.values())[key]
        if not isinstance(blocks, list):
            return blocks
        part = self._like()
        part.add(*blocks)
        return part

    def _like(self) -> Self:
        with open_scope(None, internal=not self._first_generation):
            return type(self)(prefix=self._prefix)


def _through(chain: Chain, x: Any, args: tuple[Any, ...]) -> Any:
    """`x` through all blocks; what a block returns besides its first result are further arguments of the next."""
    for block in chain._children.values():
        x = block(x, *args)
        args = ()
        if isinstance(x, (tuple, list)):
            x, args = x[0], tuple(x[1:])
    return (x, *args) if args else x


class Sequential(Chain, layer=False):
    """Apply blocks one after the other. Python runs the chain; `hybridize()` compiles each HybridBlock in it by itself.

    >>> from hybridize import np
    >>> from hybridize.gluon import nn
    >>> net = nn.Sequential()
    >>> net.add(nn.Dense(8, activation="relu"), nn.Dense(2))
    >>> net.initialize()
    >>> net(np.ones((4, 3))).shape, len(net)
    ((4, 2), 2)
    """

    def forward(self, x: Any, *args: Any) -> ndarray:
        return _through(self, x, args)

    @leaves
    def hybridize(self, active: bool = True, **kwargs: Any) -> None:
        """Compile every HybridBlock in the chain."""
        if self._children and all(isinstance(child, HybridBlock) for child in self._children.values()):
            warn(
                f"All children of this {type(self).__name__} layer {self.name!r} are HybridBlocks. Consider using "
                "HybridSequential for the best performance."
            )
        super().hybridize(active, **kwargs)


class HybridSequential(Chain, HybridBlock, layer=False):
    """Apply HybridBlocks one after the other. `hybridize()` compiles them as one program.

    >>> from hybridize import np
    >>> from hybridize.gluon import nn
    >>> net = nn.HybridSequential()
    >>> net.add(nn.Dense(8, activation="relu"), nn.Dense(2))
    >>> net.initialize()
    >>> net.hybridize()
    >>> net(np.ones((4, 3))).shape
    (4, 2)
    """

    def forward(self, x: Any, *args: Any) -> ndarray:
        return _through(self, x, args)


class _SideBySide(Chain):
    """Blocks that all read the same input; their results are joined.

    Args:
        axis: along which the results are concatenated.
    """

    def __init__(self, axis: int = -1, prefix: str | None = None, params: Any = None) -> None:
        super().__init__(prefix, params)
        self.axis = axis

    def _like(self) -> Self:
        return type(self)(self.axis, self._prefix)

    def forward(self, x: Any) -> ndarray:
        return shapes.concatenate([block(x) for block in self._children.values()], axis=self.axis)


class Concatenate(_SideBySide):
    """Call blocks with the same input and concatenate their results (`Concurrent` in MXNet 1.x).

    >>> from hybridize import np
    >>> from hybridize.gluon import nn
    >>> net = nn.Concatenate(axis=1)
    >>> net.add(nn.Dense(2), nn.Dense(3))
    >>> net.initialize()
    >>> net(np.ones((4, 5))).shape
    (4, 5)
    """


class HybridConcatenate(_SideBySide, HybridBlock):
    """Call HybridBlocks with the same input and concatenate their results (`HybridConcurrent` in MXNet 1.x).

    `hybridize()` compiles them as one program.

    >>> from hybridize import np
    >>> from hybridize.gluon import nn
    >>> net = nn.HybridConcatenate(axis=1)
    >>> net.add(nn.Dense(2), nn.Dense(3))
    >>> net.initialize()
    >>> net(np.ones((4, 5))).shape
    (4, 5)
    """
