# SPDX-License-Identifier: Apache-2.0
"""Blocks that give losses besides their results, as those of Bayesian nets."""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import wraps
from typing import Any

from hybridize.base.errors import StateError, ValueArgumentError
from hybridize.gluon.dependence import convert
from hybridize.gluon.hybrid_block import HybridBlock
from hybridize.gluon.nn.containers import Chain


class _Collecting(threading.local):
    """The blocks whose `forward` runs, the innermost last, each with its losses so far."""

    def __init__(self) -> None:
        self.blocks: list[tuple[StochasticBlock, list[Any]]] = []


_COLLECTING = _Collecting()


class StochasticBlock(HybridBlock, layer=False):
    """Collect losses of `forward`, which calls `add_loss`. `losses` returns those of the last call.

    class Layer(StochasticBlock):
        @StochasticBlock.collectLoss
        def forward(self, loc, scale):
            posterior = Normal(loc, scale)
            self.add_loss(kl_divergence(posterior, Normal(0, 1)))
            return posterior.sample()

    >>> from hybridize import np
    >>> from hybridize.gluon import probability
    >>> class Layer(probability.StochasticBlock):
    ...     @probability.StochasticBlock.collectLoss
    ...     def forward(self, loc):
    ...         self.add_loss(probability.kl_divergence(probability.Normal(loc, 1.0), probability.Normal()))
    ...         return loc
    >>> layer = Layer()
    >>> y = layer(np.array([2.0]))
    >>> layer.losses
    [array([2.])]
    """

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        vars(self)["_losses"] = []

    def add_loss(self, loss: Any) -> None:
        """Take a loss, within a `forward` that is decorated.

        Raises:
            StateError E509: it is not, or does not run.
        """
        if not _COLLECTING.blocks or _COLLECTING.blocks[-1][0] is not self:
            what = f"{type(self).__name__}.add_loss is called outside of its forward"
            raise StateError("E509", what, help="decorate forward with StochasticBlock.collectLoss")
        _COLLECTING.blocks[-1][1].append(loss)

    @staticmethod
    def collectLoss(func: Callable[..., Any]) -> Callable[..., Any]:  # noqa: N802 - MXNet's name
        """Decorate `forward`: its losses are collected beside its result."""

        @wraps(func)
        def forward(self: StochasticBlock, *args: Any, **kwargs: Any) -> Any:
            _COLLECTING.blocks.append((self, []))
            try:
                result = convert(func)(self, *args, **kwargs)
                return result, tuple(_COLLECTING.blocks[-1][1])
            finally:
                _COLLECTING.blocks.pop()

        forward.collects_losses = True  # type: ignore[attr-defined]
        return forward

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Run the block, and keep its losses."""
        if not hasattr(type(self).forward, "collects_losses"):
            what = f"{type(self).__name__}.forward is not decorated"
            raise ValueArgumentError("E345", what, help="decorate it with StochasticBlock.collectLoss")
        result, losses = super().__call__(*args, **kwargs)
        vars(self)["_losses"] = list(losses)
        return result

    @property
    def losses(self) -> list[Any]:
        """The losses of the last call."""
        return list(vars(self)["_losses"])


class StochasticSequential(Chain, StochasticBlock):
    """Apply blocks one after the other. `losses` has a list for each `StochasticBlock` among them.

    >>> from hybridize import np
    >>> from hybridize.gluon import nn, probability
    >>> net = probability.StochasticSequential()
    >>> net.add(nn.Dense(2))
    >>> net.initialize()
    >>> net(np.ones((1, 3))).shape, net.losses
    ((1, 2), [])
    """

    @StochasticBlock.collectLoss
    def forward(self, x: Any, *args: Any) -> Any:
        for block in self._children.values():
            x = block(x, *args)
            args = ()
            if isinstance(x, (tuple, list)):
                x, *args = x  # type: ignore[assignment]
            if isinstance(block, StochasticBlock):
                self.add_loss(block.losses)
        return (x, *args) if args else x
