# SPDX-License-Identifier: Apache-2.0
"""Losses of regression: a number was predicted, another one was right."""

from __future__ import annotations

import math
from typing import Any

from hybridize.array import np
from hybridize.array.ndarray import ndarray
from hybridize.array.operands import array
from hybridize.base.errors import ArgumentError
from hybridize.gluon.loss.base import Loss, weighted
from hybridize.gluon.loss.direct import Squares, direct


class L2Loss(Loss):
    """Return half the squared difference: weight / 2 (label - pred)².

    Args:
        weight: a number that the loss is multiplied by.
        batch_axis: the axis that counts the samples.

    Called with `pred`, any float shape; `label`, as many elements; `sample_weight`, None or what broadcasts to
    `pred`. Gives [batch], the mean over a sample.

    >>> from hybridize import np
    >>> from hybridize.gluon import loss
    >>> loss.L2Loss()(np.array([[1, 2], [3, 4]]), np.array([[1, 0], [3, 4]]))
    array([1., 0.])
    """

    def __init__(self, weight: float | None = 1.0, batch_axis: int = 0, **kwargs: Any) -> None:
        super().__init__(weight, batch_axis, **kwargs)

    def forward(self, pred: Any, label: Any, sample_weight: Any = None) -> ndarray:
        if sample_weight is None and self._batch_axis == 0 and direct(pred, label) and label.dtype is pred.dtype:
            return Squares.of(pred, self._like(label, pred), 1.0 if self._weight is None else self._weight)
        pred = array(pred)
        loss = weighted(np.square(self._like(label, pred) - pred), 0.5, sample_weight)
        return self._finished(loss)


class L1Loss(Loss):
    """Return the mean of weight abs(label - pred) for each sample.

    Args:
        weight: a number that the loss is multiplied by, or None.
        batch_axis: the axis that counts the samples.

    Called with `pred`, any float shape; `label`, as many elements; `sample_weight`, None or what broadcasts to
    `pred`. Gives [batch], the mean over a sample.

    >>> from hybridize import np
    >>> from hybridize.gluon import loss
    >>> loss.L1Loss()(np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([[1.0, 0.0], [3.0, 4.0]]))
    array([1., 0.])
    """

    def forward(self, pred: Any, label: Any, sample_weight: Any = None) -> ndarray:
        pred = array(pred)
        return self._finished(np.absolute(self._like(label, pred) - pred), sample_weight)


class HuberLoss(Loss):
    """Return the L1 loss with a round corner, the mean for each sample.

    That is d² / (2 rho) where d = abs(label - pred) is at most rho, and d - rho / 2 elsewhere.

    Args:
        rho: where the parabola becomes a line.
        weight: a number that the loss is multiplied by, or None.
        batch_axis: the axis that counts the samples.

    Called with `pred`, any float shape; `label`, as many elements; `sample_weight`, None or what broadcasts to
    `pred`. Gives [batch], the mean over a sample.

    Raises:
        ArgumentError E366: `rho` is not positive.

    >>> from hybridize import np
    >>> from hybridize.gluon import loss
    >>> loss.HuberLoss(rho=1)(np.array([[0.5], [3.0]]), np.zeros((2, 1)))
    array([0.125, 2.5  ])
    """

    def __init__(self, rho: float = 1, weight: float | None = None, batch_axis: int = 0, **kwargs: Any) -> None:
        super().__init__(weight, batch_axis, **kwargs)
        if not hasattr(rho, "__float__") or not rho > 0:
            raise ArgumentError("E366", f"rho of HuberLoss must be positive, got {rho!r}", help="use L1Loss for rho=0")
        self._rho = rho

    def forward(self, pred: Any, label: Any, sample_weight: Any = None) -> ndarray:
        pred, rho = array(pred), self._rho
        distance = np.absolute(self._like(label, pred) - pred)
        far = distance > rho
        loss = np.where(far, distance - 0.5 * rho, np.square(np.where(far, 0, distance)) * (0.5 / rho))
        return self._finished(loss, sample_weight)


class PoissonNLLLoss(Loss):
    """Return pred - target log(pred), the mean for each sample.

    This is the negative log-likelihood of a count whose Poisson distribution has the mean `pred`.

    With `from_logits`, `pred` is the logarithm of that mean: exp(pred) - target pred.

    Args:
        weight: a number that the loss is multiplied by, or None.
        from_logits: whether `pred` is a logarithm.
        batch_axis: the axis that counts the samples.
        compute_full: add log(target!) by Stirling's formula, target log(target) - target + log(2 pi target) / 2,
            where the target is above 1.

    Called with `pred`, any float shape; `target`, as many elements; `sample_weight`, None or what broadcasts to
    `pred`; `epsilon`, added to `pred` under the logarithm. Gives [batch], the mean over a sample.

    >>> from hybridize import np
    >>> from hybridize.gluon import loss
    >>> loss.PoissonNLLLoss(from_logits=False)(np.array([[1.0], [2.0]]), np.array([[1.0], [2.0]])).round(3)
    array([1.   , 0.614])
    """

    def __init__(
        self,
        weight: float | None = None,
        from_logits: bool = True,
        batch_axis: int = 0,
        compute_full: bool = False,
        **kwargs: Any,
    ) -> None:
        super().__init__(weight, batch_axis, **kwargs)
        self._from_logits = from_logits
        self._compute_full = compute_full

    def forward(self, pred: Any, target: Any, sample_weight: Any = None, epsilon: float = 1e-08) -> ndarray:
        pred = array(pred)
        target = self._like(target, pred, "target")
        if self._from_logits:
            loss = np.exp(pred) - target * pred
        else:
            loss = pred - target * np.log(pred + epsilon)
        if self._compute_full:
            large = np.maximum(target, 1)  # no logarithm of 0, which times 0 would be NaN
            factor = large * np.log(large) - large + 0.5 * np.log(large * (2 * math.pi))
            loss = loss + np.where(target > 1, factor, 0)
        return self._finished(loss, sample_weight)
