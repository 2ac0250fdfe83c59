# SPDX-License-Identifier: Apache-2.0
"""Checkpoints: all that a training needs to go on, as files that are there when they are whole."""

from __future__ import annotations

import json
import math
import os
import re
from typing import Any

import numpy

from hybridize.array import random
from hybridize.array.ndarray import ndarray
from hybridize.base.errors import LoadError, ValueArgumentError
from hybridize.formats.atomic import write_atomically
from hybridize.gluon.contrib.estimator.events import BatchEnd, EpochEnd, TrainBegin
from hybridize.gluon.contrib.estimator.handlers import improves, value_of
from hybridize.metric import EvalMetric


class CheckpointHandler(TrainBegin, BatchEnd, EpochEnd):
    """Save the net, the trainer and the state of the random numbers during training, and resume from them.

    A checkpoint is `PREFIX-epochEbatchB.params`, `.states` and `.json`; the last is written when the others are whole,
    and without it they do not count. A training that is resumed at the end of an epoch gives the same bits as one that
    was not interrupted.

    Args:
        model_dir: the folder; made where it is not there.
        model_prefix: the beginning of the names.
        monitor: one of `estimator.train_metrics` or `estimator.val_metrics`, for `save_best`.
        verbose: tell `estimator.logger` what is saved.
        save_best: save `PREFIX-best` whenever `monitor` is better than ever.
        mode: `min`, less is better; `max`; `auto`: by its name.
        epoch_period: after how many epochs to save; None: never.
        batch_period: after how many batches.
        max_checkpoints: the oldest go when there are more, 1 at least; the best is not counted.
        resume_from_checkpoint: go on from the newest checkpoint in the folder, if there is one.

    Raises:
        ValueArgumentError E390: `monitor` is no metric, or `mode` another; `max_checkpoints` is no positive integer.

    >>> import tempfile
    >>> from hybridize.gluon.contrib.estimator import CheckpointHandler
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     handler = CheckpointHandler(folder, model_prefix="net", epoch_period=2)
    """

    model_dir: str
    model_prefix: str
    monitor: EvalMetric | None
    verbose: int
    save_best: bool
    epoch_period: int | None
    batch_period: int | None
    max_checkpoints: int
    resume_from_checkpoint: bool

    def __init__(
        self,
        model_dir: str | os.PathLike[str],
        model_prefix: str = "model",
        monitor: EvalMetric | None = None,
        verbose: int = 0,
        save_best: bool = False,
        mode: str = "auto",
        epoch_period: int | None = 1,
        batch_period: int | None = None,
        max_checkpoints: int = 5,
        resume_from_checkpoint: bool = False,
    ) -> None:
        if not isinstance(max_checkpoints, int) or max_checkpoints < 1:
            raise ValueArgumentError(
                "E390",
                f"max_checkpoints must be an integer of 1 or more, got {max_checkpoints!r}",
                help="epoch_period=None saves only the best",
            )
        self._sign = 0
        if save_best:
            self._sign = 1 if improves(monitor, mode, type(self).__name__) else -1
        self.model_dir, self.model_prefix = os.fspath(model_dir), model_prefix
        self.monitor, self.verbose, self.save_best = monitor, verbose, save_best
        self.epoch_period, self.batch_period = epoch_period, batch_period
        self.max_checkpoints, self.resume_from_checkpoint = max_checkpoints, resume_from_checkpoint
        self.best: float = -math.inf
        os.makedirs(self.model_dir, exist_ok=True)

    def train_begin(self, estimator: Any, *args: Any, **kwargs: Any) -> None:
        self.best = -math.inf
        if not self.resume_from_checkpoint:
            return
        names = self.saved()
        if names:
            self._resume(estimator, names[-1])
        else:
            estimator.logger.info(f"CheckpointHandler: no checkpoint in {self.model_dir}, training from the beginning")

    def batch_end(self, estimator: Any, *args: Any, **kwargs: Any) -> None:
        if self.batch_period and (estimator.batch + 1) % self.batch_period == 0:
            self._save(estimator, f"epoch{estimator.epoch}batch{estimator.batch}", whole=False)

    def epoch_end(self, estimator: Any, *args: Any, **kwargs: Any) -> None:
        if self.save_best:
            assert self.monitor is not None
            value = value_of(self.monitor) * self._sign
            if value > self.best:
                self.best = value
                self._save(estimator, "best", whole=True)
        if self.epoch_period and (estimator.epoch + 1) % self.epoch_period == 0:
            self._save(estimator, f"epoch{estimator.epoch}batch{estimator.batch}", whole=True)

    def saved(self) -> list[str]:
        """Return the checkpoints in the folder, oldest first, without the ends of their names."""
        pattern = re.compile(re.escape(self.model_prefix) + r"-epoch(\d+)batch(\d+)\.json")
        matches = [match for name in os.listdir(self.model_dir) if (match := pattern.fullmatch(name))]
        checkpoints = sorted((int(match[2]), int(match[1]), match[0]) for match in matches)
        return [os.path.join(self.model_dir, name.removesuffix(".json")) for _, _, name in checkpoints]

    def _save(self, estimator: Any, name: str, whole: bool) -> None:
        path = os.path.join(self.model_dir, f"{self.model_prefix}-{name}")
        if os.path.exists(f"{path}.json"):
            os.remove(f"{path}.json")
        estimator.net.save_parameters(f"{path}.params")
        estimator.trainer.save_states(f"{path}.states")
        best = None if math.isinf(self.best) else self.best
        note = {
            "epoch": estimator.epoch + whole,
            "batch": estimator.batch + 1,
            "best": best,
            "random": [int(word) for word in random.state.asnumpy()],
        }
        write_atomically(f"{path}.json", [json.dumps(note).encode()])
        if self.verbose:
            estimator.logger.info(f"[Epoch {estimator.epoch}] CheckpointHandler: saved {path}")
        for old in self.saved()[: -self.max_checkpoints]:
            for ending in (".json", ".states", ".params"):  # the one that makes it count goes first
                if os.path.exists(old + ending):
                    os.remove(old + ending)

    def _resume(self, estimator: Any, path: str) -> None:
        """Take what a checkpoint holds; where it is damaged, nothing has changed.

        Raises:
            LoadError E610 to E616, E660 to E663: one of its files is damaged, or of another net or trainer.
            LoadError E669: the files are not those of a checkpoint.
            ValueArgumentError E391: there is nothing left to train.
        """
        try:
            with open(f"{path}.json", encoding="utf-8") as file:
                note = json.load(file)
            epoch, batch, best = int(note["epoch"]), int(note["batch"]), note["best"]
            state = numpy.array(note["random"], dtype=numpy.uint64).reshape(2)
        except (ValueError, KeyError, TypeError, OverflowError) as error:
            raise LoadError("E669", f"{path}.json is not a checkpoint: {error}", help="remove it to resume") from error
        if (estimator.max_epoch or math.inf) <= epoch or (estimator.max_batch or math.inf) <= batch:
            raise ValueArgumentError(
                "E391",
                f"{path} has {epoch} epochs, {batch} batches: nothing is left to train",
                help="pass more epochs or batches to fit, or do not set resume_from_checkpoint",
            )
        parameters = estimator.net._all_parameters().values()
        before = [(one, one.list_data()[0].copy()) for one in parameters if one._array is not None]
        estimator.net.load_parameters(f"{path}.params")
        try:
            estimator.trainer.load_states(f"{path}.states")
        except LoadError:
            for one, data in before:  # all or nothing
                one.set_data(data)
            raise
        random.state[...] = ndarray(state)
        estimator.epoch, estimator.batch = epoch, batch
        self.best = -math.inf if best is None else float(best)
        estimator.logger.info(f"CheckpointHandler: goes on from {path}, epoch {epoch}, batch {batch}")
