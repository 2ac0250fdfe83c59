# SPDX-License-Identifier: Apache-2.0
"""`Estimator`: a net with all that its training needs, and the loop."""

from __future__ import annotations

import copy
import logging
import sys
from collections.abc import Sequence
from operator import attrgetter
from typing import Any

from hybridize.array.device import Device, cpu
from hybridize.base.advice import warn
from hybridize.base.errors import ValueArgumentError
from hybridize.base.participation import ReadPolicy
from hybridize.gluon.block import Block
from hybridize.gluon.contrib.estimator import events
from hybridize.gluon.contrib.estimator.batches import BatchProcessor
from hybridize.gluon.contrib.estimator.handlers import (
    GradientUpdateHandler,
    LoggingHandler,
    MetricHandler,
    StoppingHandler,
    ValidationHandler,
    metrics_of,
)
from hybridize.gluon.contrib.estimator.progress import ProgressHandler
from hybridize.gluon.loss import Loss, SoftmaxCrossEntropyLoss
from hybridize.gluon.parameter import checked_devices
from hybridize.gluon.trainer import Trainer
from hybridize.io import DataIter
from hybridize.metric import Accuracy, EvalMetric
from hybridize.metric import Loss as LossMetric


class _Output(logging.StreamHandler[Any]):
    """Writes to what is `sys.stdout` when it writes: a progress bar, or a test, may have put another in its place."""

    def __init__(self) -> None:
        logging.Handler.__init__(self)

    @property
    def stream(self) -> Any:
        return sys.stdout


class _Logger(logging.Logger):
    """Of one estimator. `logging` does not know it, and so would not make it forget what an earlier level let pass."""

    def isEnabledFor(self, level: int) -> bool:  # noqa: N802, the name is logging's
        return level >= self.getEffectiveLevel() and not self.disabled


class Estimator:
    """Train a net: `fit` runs the loop, and handlers do the rest.

        estimator = Estimator(net, gluon.loss.SoftmaxCrossEntropyLoss(), trainer=trainer)
        estimator.fit(train_data, val_data, epochs=10, event_handlers=EarlyStoppingHandler(estimator.val_metrics[0]))

    Args:
        net: a block.
        loss: a `gluon.loss.Loss`.
        train_metrics: what to measure in training; None: accuracy where the loss is a cross-entropy. The loss itself is
            measured, too.
        val_metrics: in validation; None: the same.
        initializer: of the net, where it is not initialized yet.
        trainer: None: SGD with a learning rate of 0.001.
        device: a device or a list, to which the net is moved where it is elsewhere; None: `cpu()`.
        val_net: the net that is validated; None: `net`.
        val_loss: the loss of validation; None: `loss`.
        batch_processor: what computes a batch; None: a `BatchProcessor`.
        context: MXNet 1.x's name of `device`.

    Raises:
        ValueArgumentError E390: one of these is of another kind.
        DeviceError: a device is not there.

    Attributes:
        epoch: which one it is, from 0; after `fit` how many there were.
        batch: which one it is of all batches since the beginning, from 0.
        logger: a `logging.Logger` that writes to standard output.

    >>> from hybridize import gluon, metric, np
    >>> from hybridize.gluon import nn
    >>> from hybridize.gluon.contrib.estimator import Estimator
    >>> net = nn.Dense(1)
    >>> net.initialize("ones")
    >>> trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.01})
    >>> batches = gluon.data.DataLoader(gluon.data.ArrayDataset(np.ones((4, 2)), np.ones((4, 1))), batch_size=2)
    >>> estimator = Estimator(net, gluon.loss.L2Loss(), train_metrics=metric.MSE(), trainer=trainer)
    >>> estimator.logger.setLevel("ERROR")
    >>> estimator.fit(batches, epochs=1)
    >>> estimator.train_metrics[0].name
    'training mse'
    """

    __hybridize_read__ = ReadPolicy.OUTSIDE
    epoch: int
    batch: int
    logger: _Logger

    def __init__(
        self,
        net: Block,
        loss: Loss,
        train_metrics: Any = None,
        val_metrics: Any = None,
        initializer: Any = None,
        trainer: Trainer | None = None,
        device: Any = None,
        val_net: Block | None = None,
        val_loss: Loss | None = None,
        batch_processor: Any = None,
        context: Any = None,
    ) -> None:
        self.net: Any = _of_kind("net", net, Block)
        self.loss: Any = _of_kind("loss", loss, Loss)
        self.val_net: Any = self.net if val_net is None else _of_kind("val_net", val_net, Block)
        self.val_loss: Any = self.loss if val_loss is None else _of_kind("val_loss", val_loss, Loss)
        self.train_metrics: list[EvalMetric] = metrics_of(train_metrics)
        if not self.train_metrics and isinstance(loss, SoftmaxCrossEntropyLoss):
            self.train_metrics.append(Accuracy())
        if not train_metrics or not any(isinstance(one, LossMetric) for one in self.train_metrics):
            self.train_metrics.append(LossMetric(type(loss).__name__))
        self.val_metrics: list[EvalMetric] = metrics_of(val_metrics) or [
            copy.deepcopy(one) for one in self.train_metrics
        ]
        _named_for(self.train_metrics, "training")
        _named_for(self.val_metrics, "validation")
        self.logger = _Logger("Estimator", logging.INFO)
        self.logger.addHandler(_Output())
        target = device if device is not None else context
        devices = target if isinstance(target, (list, tuple)) else [cpu() if target is None else target]
        self.device: list[Device] = checked_devices([_of_kind("device", one, Device) for one in devices])
        self._initialize(initializer)
        if target is not None and self.net._all_parameters().list_device() != self.device:
            self.net.reset_device(self.device)
        if trainer is None:
            warn("No trainer specified: the Estimator uses SGD with a learning rate of 0.001.")
            trainer = Trainer(net.collect_params(), "sgd", {"learning_rate": 0.001})
        self.trainer: Trainer = _of_kind("trainer", trainer, Trainer)
        self.batch_processor: BatchProcessor | Any = BatchProcessor() if batch_processor is None else batch_processor
        for method in ("fit_batch", "evaluate_batch"):
            if not callable(getattr(self.batch_processor, method, None)):
                text = f"a batch_processor has fit_batch and evaluate_batch, {type(batch_processor).__name__} has not"
                raise ValueArgumentError("E390", text, help="derive it from BatchProcessor")
        self.max_epoch: int | None = None
        self.max_batch: int | None = None
        self.batch_axis: int = 0
        self.epoch = self.batch = 0

    def _initialize(self, initializer: Any) -> None:
        waiting = [p for p in self.net._all_parameters().values() if p._array is None and not p.deferred]
        if waiting:
            self.net.initialize(*(() if initializer is None else (initializer,)), device=self.device)
        elif initializer is not None:
            warn("Network already fully initialized: the initializer of the Estimator is ignored.")

    # ------------------------------------------------------------------------------------------------- the loops

    def fit(
        self,
        train_data: Any,
        val_data: Any = None,
        epochs: int | None = None,
        event_handlers: Any = None,
        batches: int | None = None,
        batch_axis: int = 0,
    ) -> None:
        """Train for a number of epochs, or of batches.

        Args:
            train_data: gives (data, labels), again for each epoch: a `DataLoader`, or a list.
            val_data: the same, evaluated after each epoch; or None.
            epochs: how many.
            event_handlers: one or a list. A StoppingHandler, and, where there is none, a GradientUpdateHandler, a
                MetricHandler, a ValidationHandler, a LoggingHandler and a ProgressHandler are added.
            batches: how many, instead of `epochs`.
            batch_axis: which axis counts samples.

        Raises:
            ValueArgumentError E390: a loss that is not one number for each sample; a LoggingHandler with a metric that
                nobody measures; data from an iterator of `hybridize.io`.
            ValueArgumentError E391: not exactly one of `epochs` and `batches`; an epoch without batches.
            ValueArgumentError E391: a batch that is not (data, labels).
            StateError E565: a loss is NaN.
        """
        limits = [x for x in (epochs, batches) if x]
        if len(limits) != 1 or not isinstance(limits[0], int) or limits[0] < 0:
            raise ValueArgumentError(
                "E391",
                f"fit takes either a number of epochs or a number of batches, got {epochs!r} and {batches!r}",
                help="use fit(..., epochs=10)",
            )
        _repeatable(train_data, val_data)
        self.max_epoch, self.max_batch, self.batch_axis = epochs, batches, batch_axis
        self.epoch = self.batch = 0
        handlers = self._with_defaults(event_handlers, val_data)
        try:
            self._tell(handlers, events.TrainBegin, "train_begin", train_data=train_data)
            while not self._epoch(handlers, train_data, batch_axis):
                pass
            self._tell(handlers, events.TrainEnd, "train_end")
        except BaseException:
            for handler in handlers:
                handler.aborted(self)
            raise

    def _tell(
        self, handlers: list[events.EventHandler], kind: type[events.EventHandler], method: str, **what: Any
    ) -> list[Any]:
        """Tell the handlers of an event that it happens, and return their answers."""
        return [getattr(handler, method)(self, **what) for handler in _who(handlers, kind)]

    def _epoch(self, handlers: list[events.EventHandler], train_data: Any, batch_axis: int) -> bool:
        """Train for an epoch, and tell whether it was the last."""
        self._tell(handlers, events.EpochBegin, "epoch_begin")
        first = self.batch
        for batch in train_data:
            self._tell(handlers, events.BatchBegin, "batch_begin", batch=batch)
            _, label, pred, loss = self.batch_processor.fit_batch(self, batch, batch_axis)
            stop = self._tell(handlers, events.BatchEnd, "batch_end", batch=batch, pred=pred, label=label, loss=loss)
            self.batch += 1
            if any(stop):
                break
        if self.batch == first:
            raise ValueArgumentError(
                "E391",
                f"there are no batches in epoch {self.epoch}",
                help="the training data must be iterable again in each epoch, as a DataLoader or a list is",
            )
        self.batch -= 1  # to those who hear of the end of the epoch it is still the present one
        ended = self._tell(handlers, events.EpochEnd, "epoch_end")
        self.batch += 1
        self.epoch += 1
        return any(ended)

    def evaluate(self, val_data: Any, batch_axis: int = 0, event_handlers: Any = None) -> None:
        """Measure `val_metrics` over other data.

        Args:
            val_data: gives (data, labels).
            batch_axis: which axis counts samples.
            event_handlers: one or a list; where there is none, a MetricHandler and a LoggingHandler are added.
        """
        _repeatable(val_data)
        handlers = _with_others(
            event_handlers, MetricHandler(self.val_metrics), LoggingHandler(metrics=self.val_metrics)
        )
        self._tell(handlers, events.EpochBegin, "epoch_begin")
        for batch in val_data:
            self._tell(handlers, events.BatchBegin, "batch_begin", batch=batch)
            _, label, pred, loss = self.batch_processor.evaluate_batch(self, batch, batch_axis)
            self._tell(handlers, events.BatchEnd, "batch_end", batch=batch, pred=pred, label=label, loss=loss)
        self._tell(handlers, events.EpochEnd, "epoch_end")

    def _with_defaults(self, event_handlers: Any, val_data: Any) -> list[events.EventHandler]:
        others: list[events.EventHandler] = [
            StoppingHandler(),
            GradientUpdateHandler(),
            MetricHandler(self.train_metrics),
            LoggingHandler(metrics=self.train_metrics),
            ProgressHandler(self.train_metrics),
        ]
        if val_data is not None:
            others.append(ValidationHandler(val_data, self.evaluate))
        handlers = _with_others(event_handlers, *others)
        self._check_metrics(handlers)
        return handlers

    def _check_metrics(self, handlers: list[events.EventHandler]) -> None:
        measuring = [one for handler in _who(handlers, MetricHandler) for one in handler.metrics]
        known = {id(one) for one in (*self.train_metrics, *self.val_metrics, *measuring)}
        for one in (one for handler in _who(handlers, LoggingHandler) for one in handler.metrics):
            if id(one) not in known:
                text = f"a LoggingHandler tells the metric {one.name!r}, which nobody measures"
                raise ValueArgumentError("E390", text, help="use metrics of estimator.train_metrics and val_metrics")


def _who(handlers: list[events.EventHandler], kind: type[Any]) -> list[Any]:
    return [handler for handler in handlers if isinstance(handler, kind)]


def _with_others(handlers: Any, *others: events.EventHandler) -> list[events.EventHandler]:
    """List handlers by priority, with those of others of whose class there is none, and what stops in any case."""
    listed = list(handlers) if isinstance(handlers, Sequence) else [] if handlers is None else [handlers]
    for one in listed:
        _of_kind("event handler", one, events.EventHandler)
    added = [one for one in others if isinstance(one, StoppingHandler) or not _who(listed, type(one))]
    return sorted([*listed, *added], key=attrgetter("priority"))


def _repeatable(*several: Any) -> None:
    """Refuse MXNet 1's iterators: they end after an epoch, and may fill their last batch up with examples again."""
    for one in several:
        if isinstance(one, DataIter):
            text = f"an Estimator takes what gives its batches again for each epoch, got {type(one).__name__}"
            raise ValueArgumentError("E390", text, help="gluon.data.DataLoader(gluon.data.ArrayDataset(x, label), 32)")


def _of_kind(what: str, x: Any, kind: type[Any]) -> Any:
    if not isinstance(x, kind):
        raise ValueArgumentError("E390", f"{what} of an Estimator must be a {kind.__name__}, got {type(x).__name__}")
    return x


def _named_for(metrics: list[EvalMetric], what: str) -> None:
    """Put `training` or `validation` before the names, once."""
    for one in metrics:
        one.name = f"{what} {one.name.removeprefix('training ').removeprefix('validation ')}"
