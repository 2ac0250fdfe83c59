# SPDX-License-Identifier: Apache-2.0
"""A progress bar of the training, on terminals."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from hybridize.base.config import CONFIG
from hybridize.gluon.contrib.estimator.events import BatchEnd, EpochBegin, TrainBegin, TrainEnd
from hybridize.gluon.contrib.estimator.handlers import metrics_of, text_of

if TYPE_CHECKING:
    from hybridize.metric.base import EvalMetric


class ProgressHandler(TrainBegin, EpochBegin, BatchEnd, TrainEnd):
    """Show a bar of the batches, the remaining time, and metrics, on a terminal.

    Args:
        metrics: whose values are shown.
        console: where; None: standard error. Nothing is shown unless it is a terminal, or with HYBRIDIZE_PROGRESS=0.
        priority: after the metrics.

    >>> from hybridize import metric
    >>> from hybridize.gluon.contrib.estimator import ProgressHandler
    >>> handler = ProgressHandler(metrics=metric.Accuracy())  # estimator.fit(..., event_handlers=[handler])
    """

    def __init__(self, metrics: Any = None, console: Console | None = None, priority: float = math.inf) -> None:
        self.metrics: list[EvalMetric] = metrics_of(metrics)
        self.priority = priority
        self._console = Console(stderr=True) if console is None else console
        self._progress: Progress | None = None
        self._task: Any = None

    def train_begin(self, estimator: Any, *args: Any, **kwargs: Any) -> None:
        if not (self._console.is_terminal and CONFIG.progress):
            return
        self._progress = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeRemainingColumn(),
            TextColumn("{task.fields[told]}"),
            console=self._console,
            transient=True,
        )
        self._progress.start()
        length = _length(kwargs.get("train_data"))
        total = estimator.max_batch or (None if length is None else length * estimator.max_epoch)
        self._task = self._progress.add_task("training", total=total, completed=estimator.batch, told="")

    def epoch_begin(self, estimator: Any, *args: Any, **kwargs: Any) -> None:
        if self._progress is not None:
            of = f"/{estimator.max_epoch}" if estimator.max_epoch else ""
            self._progress.update(self._task, description=f"epoch {estimator.epoch + 1}{of}")

    def batch_end(self, estimator: Any, *args: Any, **kwargs: Any) -> None:
        if self._progress is not None:
            self._progress.update(self._task, advance=1, told=text_of(self.metrics))

    def train_end(self, estimator: Any, *args: Any, **kwargs: Any) -> None:
        self.aborted(estimator)

    def aborted(self, estimator: Any) -> None:
        if self._progress is not None:
            self._progress.stop()
            self._progress = None


def _length(batches: Any) -> int | None:
    try:
        return len(batches)
    except TypeError:
        return None
