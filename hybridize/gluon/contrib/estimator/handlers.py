# SPDX-License-Identifier: Apache-2.0
"""Handlers that make a training loop: update, measure, validate, log, stop."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import Any

import numpy

from hybridize.base.advice import warn
from hybridize.base.errors import StateError, ValueArgumentError
from hybridize.gluon.contrib.estimator.events import BatchBegin, BatchEnd, EpochBegin, EpochEnd, TrainBegin, TrainEnd
from hybridize.metric import CompositeEvalMetric, EvalMetric, Loss


def metrics_of(metrics: Any) -> list[EvalMetric]:
    """Metrics as a list, those of a composite apart.

    Raises:
        ValueArgumentError E390: something else is among them.
    """
    if isinstance(metrics, CompositeEvalMetric):
        return [one for each in metrics.metrics for one in metrics_of(each)]
    listed = [metrics] if isinstance(metrics, EvalMetric) else list(metrics or ())
    for one in listed:
        if not isinstance(one, EvalMetric):
            raise ValueArgumentError("E390", f"{type(one).__name__} is no EvalMetric", help="use metric.create(...)")
    return listed


def improves(monitor: Any, mode: str, who: str) -> bool:
    """Tell whether larger values of `monitor` are better.

    Raises:
        ValueArgumentError E390: `monitor` is no single metric, or `mode` is none of auto, min, max.
    """
    if not isinstance(monitor, EvalMetric) or isinstance(monitor, CompositeEvalMetric):
        raise ValueArgumentError(
            "E390",
            f"{who} monitors one metric, got {type(monitor).__name__}",
            help="pass a metric of estimator.train_metrics or estimator.val_metrics",
        )
    if mode not in ("auto", "min", "max"):
        raise ValueArgumentError("E390", f"{who} has no mode {mode!r}", help="use auto, min or max")
    name = monitor.name.lower()
    return mode == "max" or (mode == "auto" and any(word in name for word in _LARGER_IS_BETTER))


_LARGER_IS_BETTER = ("acc", "f1", "fbeta", "mcc", "pcc", "pearson", "cos_sim")


def value_of(monitor: EvalMetric) -> float:
    """Return the present value of a metric that is watched.

    Raises:
        ValueArgumentError E390: more than one number.
    """
    name, value = monitor.get()
    try:
        return float(value)
    except (TypeError, ValueError):
        text = f"a metric that is watched gives one number, {name} gave {value!r}"
        raise ValueArgumentError("E390", text, help="average='macro' averages over the classes") from None


def text_of(metrics: list[EvalMetric]) -> str:
    """Names and values for people."""
    pairs = [pair for one in metrics for pair in one.get_name_value()]
    return ", ".join(
        f"{name}: {value:.4f}" if isinstance(value, float) else f"{name}: {value}" for name, value in pairs
    )


class StoppingHandler(TrainBegin, BatchEnd, EpochEnd):
    """Stop the training after `max_epoch` epochs or `max_batch` batches.

    Args:
        max_epoch: epochs; what `fit` was told counts.
        max_batch: batches; the same.

    >>> from hybridize.gluon.contrib.estimator import StoppingHandler
    >>> handler = StoppingHandler(max_epoch=3)
    """

    max_epoch: Any
    max_batch: Any

    def __init__(self, max_epoch: int | None = None, max_batch: int | None = None) -> None:
        self.max_epoch, self.max_batch = max_epoch, max_batch
        self.stop_training: bool = False

    def train_begin(self, estimator: Any, *args: Any, **kwargs: Any) -> None:
        self.max_epoch, self.max_batch = estimator.max_epoch, estimator.max_batch
        self.stop_training = False

    def batch_end(self, estimator: Any, *args: Any, **kwargs: Any) -> bool:
        self.stop_training = self.stop_training or estimator.batch + 1 == self.max_batch
        return self.stop_training

    def epoch_end(self, estimator: Any, *args: Any, **kwargs: Any) -> bool:
        self.stop_training = self.stop_training or estimator.epoch + 1 == self.max_epoch
        return self.stop_training


class GradientUpdateHandler(BatchEnd):
    """Call `trainer.step` after each batch, unless its loss is NaN.

    Args:
        priority: before all others.

    Raises:
        StateError E565: a loss is NaN; the parameters are as they were before the batch.
        ValueArgumentError E390: a loss is not one number for each sample.

    >>> from hybridize.gluon.contrib.estimator import GradientUpdateHandler
    >>> handler = GradientUpdateHandler(priority=-2000)
    """

    def __init__(self, priority: float = -2000) -> None:
        self.priority = priority

    def batch_end(self, estimator: Any, *args: Any, **kwargs: Any) -> None:
        loss = kwargs["loss"]
        losses = loss if isinstance(loss, list) else [loss]
        if any(numpy.isnan(numpy.asarray(one)).any() for one in losses):
            raise StateError(
                "E565",
                f"the loss is NaN in epoch {estimator.epoch}, batch {estimator.batch}; the parameters have not "
                "been updated by it",
                help="check the data of that batch, or use a smaller learning rate",
            )
        if not all(one.ndim for one in losses):
            raise ValueArgumentError(
                "E390",
                f"{type(estimator.loss).__name__} gives one number for a batch: by how many samples gradients "
                "are to be divided is not known",
                help="return one number for each sample, or use your own GradientUpdateHandler",
            )
        estimator.trainer.step(sum(one.shape[0] for one in losses))


class MetricHandler(EpochBegin, BatchEnd):
    """Add each batch to metrics, and reset them before each epoch.

    Args:
        metrics: a metric or a list; `metric.Loss` takes the losses, others labels and predictions.
        priority: before those who look at the metrics.

    >>> from hybridize import metric
    >>> from hybridize.gluon.contrib.estimator import MetricHandler
    >>> handler = MetricHandler([metric.Accuracy()])
    """

    def __init__(self, metrics: Any, priority: float = -1000) -> None:
        self.metrics: list[EvalMetric] = metrics_of(metrics)
        self.priority = priority

    def epoch_begin(self, estimator: Any, *args: Any, **kwargs: Any) -> None:
        for one in self.metrics:
            one.reset()

    def batch_end(self, estimator: Any, *args: Any, **kwargs: Any) -> None:
        for one in self.metrics:
            one.update(kwargs["label"], kwargs["loss"] if isinstance(one, Loss) else kwargs["pred"])


class ValidationHandler(TrainBegin, BatchEnd, EpochEnd):
    """Evaluate the net on other data.

    Args:
        val_data: batches.
        eval_fn: what evaluates, `estimator.evaluate`.
        epoch_period: after how many epochs; None: never.
        batch_period: after how many batches; None: never.
        priority: before those who look at the metrics.
        event_handlers: for the evaluation.

    >>> from hybridize.gluon.contrib.estimator import ValidationHandler
    >>> handler = ValidationHandler([], lambda val_data, batch_axis=0: None, epoch_period=2)
    """

    val_data: Any
    eval_fn: Callable[..., Any]
    epoch_period: int | None
    batch_period: int | None
    priority: float
    event_handlers: Any

    def __init__(
        self,
        val_data: Any,
        eval_fn: Callable[..., Any],
        epoch_period: int | None = 1,
        batch_period: int | None = None,
        priority: float = -1000,
        event_handlers: Any = None,
    ) -> None:
        self.val_data, self.eval_fn = val_data, eval_fn
        self.epoch_period, self.batch_period = epoch_period, batch_period
        self.priority, self.event_handlers = priority, event_handlers

    def batch_end(self, estimator: Any, *args: Any, **kwargs: Any) -> None:
        if self.batch_period and (estimator.batch + 1) % self.batch_period == 0:
            self._evaluate(estimator)

    def epoch_end(self, estimator: Any, *args: Any, **kwargs: Any) -> None:
        if self.epoch_period and (estimator.epoch + 1) % self.epoch_period == 0:
            self._evaluate(estimator)

    def _evaluate(self, estimator: Any) -> None:
        self.eval_fn(val_data=self.val_data, batch_axis=estimator.batch_axis, event_handlers=self.event_handlers)


class LoggingHandler(TrainBegin, TrainEnd, EpochBegin, EpochEnd, BatchBegin, BatchEnd):
    """Write the progress to `estimator.logger`.

    Args:
        log_interval: `epoch`, or after how many batches.
        metrics: whose values are told.
        priority: after all others.

    Raises:
        ValueArgumentError E390: another `log_interval`.

    >>> from hybridize import metric
    >>> from hybridize.gluon.contrib.estimator import LoggingHandler
    >>> handler = LoggingHandler(log_interval=10, metrics=[metric.Accuracy()])
    """

    def __init__(self, log_interval: int | str = "epoch", metrics: Any = None, priority: float = math.inf) -> None:
        if log_interval != "epoch" and not (isinstance(log_interval, int) and log_interval > 0):
            raise ValueArgumentError("E390", f"log_interval takes a number of batches or 'epoch', got {log_interval!r}")
        self.log_interval = log_interval
        self.metrics: list[EvalMetric] = metrics_of(metrics)
        self.priority = priority
        self._training = False
        self._began = self._epoch_began = self._interval_began = 0.0
        self._samples = 0

    def train_begin(self, estimator: Any, *args: Any, **kwargs: Any) -> None:
        self._training, self._began = True, time.perf_counter()
        goal = f"{estimator.max_epoch} epochs" if estimator.max_epoch else f"{estimator.max_batch} batches"
        rate, kind = estimator.trainer.learning_rate, type(estimator.trainer.optimizer).__name__
        estimator.logger.info(f"Training begin: {goal}, {kind}, learning rate {rate:.4g}")

    def train_end(self, estimator: Any, *args: Any, **kwargs: Any) -> None:
        seconds = time.perf_counter() - self._began
        estimator.logger.info(f"Train finished: {seconds:.1f} s, {estimator.epoch} epochs, {text_of(self.metrics)}")

    def epoch_begin(self, estimator: Any, *args: Any, **kwargs: Any) -> None:
        self._epoch_began = self._interval_began = time.perf_counter()
        self._samples = 0
        if self._training:
            rate = estimator.trainer.learning_rate
            estimator.logger.info(f"[Epoch {estimator.epoch}] Begin, learning rate {rate:.4g}")

    def batch_begin(self, estimator: Any, *args: Any, **kwargs: Any) -> None:
        """Do nothing: an interval begins where the last one ended."""

    def batch_end(self, estimator: Any, *args: Any, **kwargs: Any) -> None:
        self._samples += sum(len(one) for one in kwargs["label"])
        if isinstance(self.log_interval, int) and self._training and estimator.batch % self.log_interval == 0:
            now = time.perf_counter()
            estimator.logger.info(
                f"[Epoch {estimator.epoch}][Batch {estimator.batch}][Samples {self._samples}] "
                f"time/interval: {now - self._interval_began:.3f} s, {text_of(self.metrics)}"
            )
            self._interval_began = now

    def epoch_end(self, estimator: Any, *args: Any, **kwargs: Any) -> None:
        seconds = time.perf_counter() - self._epoch_began
        what = "Finished" if self._training else "Validated"
        estimator.logger.info(f"[Epoch {estimator.epoch}] {what} in {seconds:.3f} s, {text_of(self.metrics)}")


class EarlyStoppingHandler(TrainBegin, EpochEnd, TrainEnd):
    """Stop the training when a metric has not improved for some epochs.

    Args:
        monitor: one of `estimator.train_metrics` or `estimator.val_metrics`.
        min_delta: by how much it must get better.
        patience: for how many epochs it may not.
        mode: `min`, less is better; `max`; `auto`: by its name, accuracies, F scores and correlations are to grow.
        baseline: what is to be surpassed at first.

    Raises:
        ValueArgumentError E390: `monitor` is no single metric or has no single value, or `mode` is another.

    >>> from hybridize import metric
    >>> from hybridize.gluon.contrib.estimator import EarlyStoppingHandler
    >>> handler = EarlyStoppingHandler(metric.Accuracy(), patience=3, mode="max")
    """

    monitor: EvalMetric
    min_delta: float
    patience: int
    baseline: float | None
    wait: int
    stopped_epoch: int

    def __init__(
        self,
        monitor: EvalMetric,
        min_delta: float = 0,
        patience: int = 0,
        mode: str = "auto",
        baseline: float | None = None,
    ) -> None:
        self._sign = 1 if improves(monitor, mode, type(self).__name__) else -1
        self.monitor, self.min_delta, self.patience, self.baseline = monitor, abs(min_delta), patience, baseline
        self._start()

    def _start(self) -> None:
        self.wait = self.stopped_epoch = 0
        self.stop_training: bool = False
        self.best: float = -math.inf * self._sign if self.baseline is None else self.baseline

    def train_begin(self, estimator: Any, *args: Any, **kwargs: Any) -> None:
        self._start()

    def epoch_end(self, estimator: Any, *args: Any, **kwargs: Any) -> bool:
        value = value_of(self.monitor)
        if math.isnan(value):
            what = f"{self.monitor.name} was not measured in epoch {estimator.epoch}"
            warn(f"{what}: EarlyStoppingHandler watches what nobody updates")
        elif self._sign * (value - self.best) > self.min_delta:
            self.best, self.wait = value, 0
        else:
            self.wait += 1
            if self.wait >= self.patience:
                self.stopped_epoch, self.stop_training = estimator.epoch, True
        return self.stop_training

    def train_end(self, estimator: Any, *args: Any, **kwargs: Any) -> None:
        if self.stop_training:
            text = f"early stopping, as {self.monitor.name} got no better than {self.best:.4f}"
            estimator.logger.info(f"[Epoch {self.stopped_epoch}] {text}")
