# SPDX-License-Identifier: Apache-2.0
"""The events of a training loop: a handler derives from those that it wants to hear of."""

from __future__ import annotations

from typing import Any

from hybridize.base.participation import ReadPolicy


class EventHandler:
    """Base of handlers. Those of lower `priority` hear of an event first; 0 where there is none."""

    __hybridize_read__ = ReadPolicy.OUTSIDE

    priority: float = 0

    def aborted(self, estimator: Any) -> None:
        """Training ends by an exception; `train_end` does not come."""


class TrainBegin(EventHandler):
    """Hears that `fit` begins."""

    def train_begin(self, estimator: Any, *args: Any, **kwargs: Any) -> None:
        """Before the first epoch."""


class TrainEnd(EventHandler):
    """Hears that `fit` ends."""

    def train_end(self, estimator: Any, *args: Any, **kwargs: Any) -> None:
        """After the last epoch."""


class EpochBegin(EventHandler):
    """Hears that an epoch, or a validation, begins."""

    def epoch_begin(self, estimator: Any, *args: Any, **kwargs: Any) -> None:
        """Before the first batch."""


class EpochEnd(EventHandler):
    """Hears that an epoch, or a validation, ends."""

    def epoch_end(self, estimator: Any, *args: Any, **kwargs: Any) -> bool | None:
        """After the last batch; true ends the training."""
        return False


class BatchBegin(EventHandler):
    """Hears that a batch comes."""

    def batch_begin(self, estimator: Any, *args: Any, **kwargs: Any) -> None:
        """Before anything is computed of `batch`."""


class BatchEnd(EventHandler):
    """Hears what became of a batch."""

    def batch_end(self, estimator: Any, *args: Any, **kwargs: Any) -> bool | None:
        """After `backward`: `batch`, and lists `pred`, `label`, `loss`, one each a device; true ends the epoch."""
        return False
