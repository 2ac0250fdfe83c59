# SPDX-License-Identifier: Apache-2.0
"""MXNet's `callback`: what loops call after each batch or epoch, to log how fast and how well they go.

In: an object with `epoch`, `nbatch`, the number of the batch in it, and `eval_metric`, a metric or None; any object of
the user's with these will do, and `BatchEndParam` is one. Out: lines of Python's logging, at the level INFO.
"""

from __future__ import annotations

import logging
import math
import os
import time
from collections.abc import Callable
from typing import Any, NamedTuple

from hybridize.base.errors import ValueArgumentError
from hybridize.base.names import refuses
from hybridize.base.participation import ReadPolicy
from hybridize.model import save_checkpoint


class BatchEndParam(NamedTuple):
    """The argument of callbacks after a batch: its place in the training, the metric, and the caller's variables.

    >>> from hybridize import callback
    >>> callback.BatchEndParam(epoch=0, nbatch=1, eval_metric=None)
    BatchEndParam(epoch=0, nbatch=1, eval_metric=None, locals=None)
    """

    epoch: int
    nbatch: int
    eval_metric: Any
    locals: Any = None


def _values(metric: Any) -> list[tuple[str, float]]:
    values: list[tuple[str, float]] = list(metric.get_name_value())
    return values


class Speedometer:
    """Log examples per second, and the metric, after every `frequent` batches.

    Args:
        batch_size: examples of a batch.
        frequent: the number of batches between two lines.
        auto_reset: start the metric again after each line.

    Raises:
        ValueArgumentError E361: `frequent` is below 1.

    >>> from hybridize import callback
    >>> speed = callback.Speedometer(batch_size=32, frequent=2)
    >>> speed(callback.BatchEndParam(epoch=0, nbatch=1, eval_metric=None, locals=None))
    """

    __hybridize_read__ = ReadPolicy.OUTSIDE
    frequent: int
    auto_reset: bool
    batch_size: int

    def __init__(self, batch_size: int, frequent: int = 50, auto_reset: bool = True) -> None:
        if frequent < 1:
            raise ValueArgumentError("E361", f"frequent must be 1 or more batches, got {frequent!r}")
        self.batch_size, self.frequent, self.auto_reset = batch_size, frequent, auto_reset
        self._began: float | None = None
        self._last = 0

    def __call__(self, param: Any) -> None:
        """Hear that a batch has ended."""
        count, now = param.nbatch, time.perf_counter()
        if self._began is None or count < self._last:  # the first, or an epoch began
            self._began, self._last = now, count
            return
        self._last = count
        if count % self.frequent:
            return
        speed = self.frequent * self.batch_size / max(now - self._began, 1e-9)
        words = [f"Epoch[{param.epoch}] Batch [{count}]", f"Speed: {speed:.2f} samples/sec"]
        if param.eval_metric is not None:
            if self.auto_reset:
                words[0] = f"Epoch[{param.epoch}] Batch [{count - self.frequent}-{count}]"
            words += [f"{name}={value:f}" for name, value in _values(param.eval_metric)]
            if self.auto_reset:
                param.eval_metric.reset()
        logging.info("\t".join(words))
        self._began = time.perf_counter()


class ProgressBar:
    """Log a bar that shows how many batches of an epoch have ended.

    Args:
        total: batches of an epoch.
        length: letters of the whole bar.

    >>> from hybridize import callback
    >>> bar = callback.ProgressBar(total=2)
    >>> bar(callback.BatchEndParam(epoch=0, nbatch=1, eval_metric=None, locals=None))
    """

    __hybridize_read__ = ReadPolicy.OUTSIDE
    bar_len: int
    total: int

    def __init__(self, total: int, length: int = 80) -> None:
        self.total, self.bar_len = total, length

    def __call__(self, param: Any) -> None:
        """Hear that a batch has ended."""
        filled = round(self.bar_len * param.nbatch / self.total)
        percent = math.ceil(100 * param.nbatch / self.total)
        logging.info("[%s] %s%%\r", "=" * filled + "-" * (self.bar_len - filled), percent)


class LogValidationMetricsCallback:
    """Log the metric of a validation at the end of an epoch.

    >>> from hybridize import callback
    >>> log = callback.LogValidationMetricsCallback()
    >>> log(callback.BatchEndParam(epoch=0, nbatch=1, eval_metric=None, locals=None))
    """

    __hybridize_read__ = ReadPolicy.OUTSIDE

    def __call__(self, param: Any) -> None:
        """Hear that a validation has ended."""
        for name, value in _values(param.eval_metric) if param.eval_metric is not None else ():
            logging.info("Epoch[%d] Validation-%s=%f", param.epoch, name, value)


def log_train_metric(period: int, auto_reset: bool = False) -> Callable[[Any], None]:
    """Return a function that logs the metric after every `period` batches.

    Args:
        period: the number of batches between two lines.
        auto_reset: start the metric again after each line.

    >>> from hybridize import callback
    >>> log = callback.log_train_metric(period=2)
    >>> log(callback.BatchEndParam(epoch=0, nbatch=1, eval_metric=None, locals=None))
    """

    def log(param: Any) -> None:
        if param.nbatch % period == 0 and param.eval_metric is not None:
            for name, value in _values(param.eval_metric):
                logging.info("Iter[%d] Batch[%d] Train-%s=%f", param.epoch, param.nbatch, name, value)
            if auto_reset:
                param.eval_metric.reset()

    return log


def do_checkpoint(prefix: str | os.PathLike[str], period: int = 1) -> Callable[..., None]:
    """Return a function that writes an expression and its parameters after every `period` epochs.

    Args:
        prefix: how the names of the files begin; see `model.save_checkpoint`.
        period: the number of epochs between two files; below 1 it is 1.

    >>> from hybridize import callback, sym
    >>> import os, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save = callback.do_checkpoint(os.path.join(folder, "net"))
    ...     save(0, sym.Variable("x") + 1, {}, {})
    ...     sorted(os.listdir(folder))
    ['net-0001.params', 'net-symbol.json']
    """
    period = max(1, int(period))

    def write(iter_no: int, sym: Any, arg: Any, aux: Any) -> None:
        if (iter_no + 1) % period == 0:
            save_checkpoint(prefix, iter_no + 1, sym, arg, aux)

    return write


__getattr__: Callable[[str], Any] = refuses(__name__, globals(), instead={
    "module_checkpoint": "do_checkpoint, or gluon.contrib.estimator.CheckpointHandler",
})  # fmt: skip
