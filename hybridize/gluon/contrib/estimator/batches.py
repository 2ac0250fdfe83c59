# SPDX-License-Identifier: Apache-2.0
"""The computation of one batch."""

from __future__ import annotations

from typing import Any

from hybridize import autograd
from hybridize.array.device import cpu
from hybridize.base.errors import ValueArgumentError
from hybridize.base.participation import ReadPolicy
from hybridize.gluon.utils import split_and_load

Parts = list[Any]


class BatchProcessor:
    """Compute predictions and losses of a batch, and gradients in training. Derive from it to change this.

    `Estimator(..., batch_processor=...)` uses it. A batch is (data, labels).

    >>> from hybridize.gluon.contrib.estimator import BatchProcessor
    >>> class Reversed(BatchProcessor):  # of batches that are (labels, data)
    ...     def fit_batch(self, estimator, train_batch, batch_axis=0):
    ...         label, data = train_batch
    ...         return super().fit_batch(estimator, (data, label), batch_axis)
    >>> processor = Reversed()
    """

    __hybridize_read__ = ReadPolicy.OUTSIDE

    def fit_batch(self, estimator: Any, train_batch: Any, batch_axis: int = 0) -> tuple[Parts, Parts, Parts, Parts]:
        """Compute the gradients of a batch. Return its data, labels, predictions and losses.

        Each is a list with an array for each device.

        Args:
            estimator: who asks.
            train_batch: (data, labels).
            batch_axis: along which the batch is cut for several devices.

        Raises:
            ValueArgumentError E391: the batch is no such pair.
        """
        data, label = self._parts(estimator, train_batch, batch_axis)
        with autograd.record():
            pred = [estimator.net(x) for x in data]
            loss = [estimator.loss(y_hat, y) for y_hat, y in zip(pred, label, strict=True)]
        autograd.backward(loss)
        return data, label, pred, loss

    def evaluate_batch(self, estimator: Any, val_batch: Any, batch_axis: int = 0) -> tuple[Parts, Parts, Parts, Parts]:
        """Return what `fit_batch` returns, without gradients, by the net and the loss of validation."""
        data, label = self._parts(estimator, val_batch, batch_axis)
        pred = [estimator.val_net(x) for x in data]
        loss = [estimator.val_loss(y_hat, y) for y_hat, y in zip(pred, label, strict=True)]
        return data, label, pred, loss

    def _parts(self, estimator: Any, batch: Any, batch_axis: int) -> tuple[Parts, Parts]:
        if not isinstance(batch, (list, tuple)) or len(batch) < 2:
            text = f"{len(batch)} parts" if isinstance(batch, (list, tuple)) else type(batch).__name__
            raise ValueArgumentError(
                "E391",
                f"a batch must be (data, labels), got {text}",
                help="pass your own BatchProcessor as batch_processor= to read batches of another form",
            )
        data, label = batch[0], batch[1]
        if estimator.device == [cpu()]:
            return [data], [label]
        cut = (split_and_load(x, estimator.device, batch_axis, even_split=False) for x in (data, label))
        return next(cut), next(cut)
