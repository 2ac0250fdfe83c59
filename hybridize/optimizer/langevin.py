# SPDX-License-Identifier: Apache-2.0
"""Gradient descent with noise, which samples weights by how well they fit."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from hybridize.array import np
from hybridize.optimizer.base import Optimizer, Scalars, gradient, register
from hybridize.optimizer.captured import capturable
from hybridize.optimizer.kernels import Slots


@register
class SGLD(Optimizer):
    """Take half a step and add normal noise of variance `lr` (stochastic gradient Langevin dynamics).

        w = w - lr / 2 * g + sqrt(lr) * noise

    Welling and Teh, "Bayesian learning via stochastic gradient Langevin dynamics" (2011). The noise is drawn of the
    state of `np.random`.

    Args:
        learning_rate: step size; 0.1 unless a scheduler says it.
        kwargs: of `Optimizer`.

    >>> from hybridize import np, optimizer
    >>> weight = np.array([1.0, 2.0])
    >>> optimizer.get_updater(optimizer.SGLD(learning_rate=1e-6))(0, np.array([0.5, -0.5]), weight)
    >>> weight.round(1)
    array([1., 2.])
    """

    default_rate: ClassVar[float] = 0.1

    def __init__(self, learning_rate: float | None = None, **kwargs: Any) -> None:
        super().__init__(learning_rate=learning_rate, **kwargs)

    def scalars(self, lr: float, wd: float, t: int) -> dict[str, float]:
        return {"half": lr / 2, "wd": wd, "spread": lr**0.5}

    @staticmethod
    def formula(w: Any, g: Any, slots: Slots, s: Scalars) -> tuple[Any, Slots]:
        (noise,) = slots
        return w - s.half * gradient(w, g, s) + s.spread * noise, (noise,)

    @capturable
    def step(self, indices: Sequence[Any], weights: Sequence[Any], grads: Sequence[Any], states: Sequence[Any]) -> None:
        """Update each weight of a list once.

        Args:
            indices: which weights they are, each once.
            weights: changed in place.
            grads: one for each, of its shape.
            states: None for each; noise is drawn anew.
        """
        noise = [np.random.normal(0.0, 1.0, one.shape, ctx=one.device).astype(one.dtype) for one in weights]
        super().step(indices, weights, grads, noise)
