# SPDX-License-Identifier: Apache-2.0
"""The events of a training loop: a handler derives from those that it wants to hear of."""

from __future__ import annotations

from typing import Any

from hybridize.base.participation import ReadPolicy


class EventHandler:
    """Handle events of the training loop. The base of handlers.

    A handler derives from the classes of the events that it wants: `TrainBegin`, `EpochEnd` and so on. Handlers of
    lower `priority` run first; the default is 0.

    >>> from hybridize.gluon.contrib.estimator import EventHandler, TrainBegin
    >>> class Report(TrainBegin):
    ...     priority = 10
    ...     def train_begin(self, estimator, *args, **kwargs):
    ...         print("training begins")
    >>> isinstance(Report(), EventHandler)
    True
    """

    __hybridize_read__ = ReadPolicy.OUTSIDE

    priority: float = 0

    def aborted(self, estimator: Any) -> None:
        """Hear that the training ends by an exception. `train_end` does not come then."""


class TrainBegin(EventHandler):
    """Run `train_begin` when `fit` begins.

    >>> from hybridize.gluon.contrib.estimator import TrainBegin
    >>> class Report(TrainBegin):
    ...     def train_begin(self, estimator, *args, **kwargs):
    ...         print("training begins")
    >>> Report().train_begin(None)
    training begins
    """

    def train_begin(self, estimator: Any, *args: Any, **kwargs: Any) -> None:
        """Hear that the training begins, before the first epoch."""


class TrainEnd(EventHandler):
    """Run `train_end` when `fit` ends.

    >>> from hybridize.gluon.contrib.estimator import TrainEnd
    >>> class Report(TrainEnd):
    ...     def train_end(self, estimator, *args, **kwargs):
    ...         print("training has ended")
    >>> Report().train_end(None)
    training has ended
    """

    def train_end(self, estimator: Any, *args: Any, **kwargs: Any) -> None:
        """Hear that the training has ended, after the last epoch."""


class EpochBegin(EventHandler):
    """Run `epoch_begin` when an epoch, or a validation, begins.

    >>> from hybridize.gluon.contrib.estimator import EpochBegin
    >>> class Report(EpochBegin):
    ...     def epoch_begin(self, estimator, *args, **kwargs):
    ...         print("an epoch begins")
    >>> Report().epoch_begin(None)
    an epoch begins
    """

    def epoch_begin(self, estimator: Any, *args: Any, **kwargs: Any) -> None:
        """Hear that an epoch begins, before its first batch."""


class EpochEnd(EventHandler):
    """Run `epoch_end` when an epoch, or a validation, ends.

    >>> from hybridize.gluon.contrib.estimator import EpochEnd
    >>> class Report(EpochEnd):
    ...     def epoch_end(self, estimator, *args, **kwargs):
    ...         print("an epoch has ended")
    >>> Report().epoch_end(None)
    an epoch has ended
    """

    def epoch_end(self, estimator: Any, *args: Any, **kwargs: Any) -> bool | None:
        """Hear that an epoch has ended, after its last batch. Return True to end the training."""
        return False


class BatchBegin(EventHandler):
    """Run `batch_begin` before each batch.

    >>> from hybridize.gluon.contrib.estimator import BatchBegin
    >>> class Report(BatchBegin):
    ...     def batch_begin(self, estimator, *args, batch):
    ...         print("a batch of", len(batch[0]))
    >>> Report().batch_begin(None, batch=(np.ones((4, 2)), np.ones(4)))
    a batch of 4
    """

    def batch_begin(self, estimator: Any, *args: Any, **kwargs: Any) -> None:
        """Hear that `batch` comes next, before anything is computed."""


class BatchEnd(EventHandler):
    """Run `batch_end` after each batch, with its predictions and losses.

    >>> from hybridize.gluon.contrib.estimator import BatchEnd
    >>> class Report(BatchEnd):
    ...     def batch_end(self, estimator, *args, batch, pred, label, loss):
    ...         print(loss)
    """

    def batch_end(self, estimator: Any, *args: Any, **kwargs: Any) -> bool | None:
        """Hear of the results of `batch`, after `backward`. Return True to end the epoch.

        `pred`, `label` and `loss` are lists with an array for each device.
        """
        return False
