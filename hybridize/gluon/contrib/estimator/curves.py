# SPDX-License-Identifier: Apache-2.0
"""Curves of losses and metrics that grow while a net is trained: as SVG, in a notebook and in a file."""

from __future__ import annotations

import math
import os
from typing import Any

from hybridize.base import charts
from hybridize.base.errors import ValueArgumentError
from hybridize.base.html import Markup
from hybridize.base.notebooks import show_again
from hybridize.base.participation import ReadPolicy
from hybridize.formats.atomic import write_atomically
from hybridize.gluon.contrib.estimator.events import BatchEnd, EpochEnd, TrainBegin
from hybridize.gluon.contrib.estimator.handlers import metrics_of

_PARTS = ("training", "train", "validation", "val", "test")
"""Words before the name of a metric, whose curves are drawn together."""
_STYLE = (
    "<style>svg{color:#1f2328;background:#fff}@media(prefers-color-scheme:dark){svg{color:#e6e8ec;background:#111}}"
)


class Curves:
    """Draw curves that grow while a net is trained, in a training loop of your own. It needs no other package.

    Args:
        xlabel: what the points are counted in.

    In a notebook it shows itself. Curves named `training loss` and `validation loss` are drawn together.

    >>> from hybridize.gluon.contrib.estimator import Curves
    >>> curves = Curves("epoch")
    >>> for epoch in range(3):
    ...     curves.add(epoch, {"training loss": 1 / (epoch + 1), "training accuracy": 0.5})
    >>> sorted(curves.points)
    ['training accuracy', 'training loss']
    """

    __hybridize_read__ = ReadPolicy.OUTSIDE

    def __init__(self, xlabel: str = "epoch") -> None:
        self.xlabel = xlabel
        self.points: dict[str, list[tuple[float, float]]] = {}
        """The points by the name of the curve."""

    def add(self, x: float, values: dict[str, Any]) -> None:
        """Add a point to each of some curves.

        Args:
            x: where it is.
            values: its height by the name of the curve, a number or an array of one; what is not finite is a gap.
        """
        for name, value in values.items():
            self.points.setdefault(name, []).append((float(x), float(value)))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the curves as an SVG file, which is light or dark as the reader's screen.

        Raises:
            ArgumentError E338: that is no path of a file.
            WriteError E335: it cannot be written there.
        """
        picture = self._repr_svg_().replace("<title>", f"{_STYLE}</style><title>", 1)
        write_atomically(path, [picture.encode()])

    def _repr_svg_(self) -> Markup:
        """Return the picture, as notebooks show it."""
        panels: dict[str, dict[str, list[tuple[float, float]]]] = {}
        for name, points in self.points.items():
            part, _, rest = name.partition(" ")
            part, title = (part, rest) if rest and part in _PARTS else ("", name)
            panels.setdefault(title, {})[part] = points
        return charts.drawn(panels, self.xlabel)


class CurvesHandler(TrainBegin, BatchEnd, EpochEnd):
    """Draw metrics while the estimator trains: in a notebook below the cell, and in a file.

    Args:
        metrics: which; None: all that the estimator measures.
        path: the SVG file to write at each point; None: no file.
        interval: `epoch`, or after how many batches a point is drawn.
        priority: after all others.

    Raises:
        ValueArgumentError E390: another `interval`.

    >>> from hybridize.gluon.contrib.estimator import CurvesHandler
    >>> handler = CurvesHandler(path="curves.svg")
    >>> handler.curves.points
    {}
    """

    def __init__(
        self,
        metrics: Any = None,
        path: str | os.PathLike[str] | None = None,
        interval: int | str = "epoch",
        priority: float = math.inf,
    ) -> None:
        if interval != "epoch" and not (isinstance(interval, int) and interval > 0):
            raise ValueArgumentError("E390", f"interval takes a number of batches or 'epoch', got {interval!r}")
        self.metrics = None if metrics is None else metrics_of(metrics)
        self.path, self.interval, self.priority = path, interval, priority
        self.curves = Curves("epoch" if interval == "epoch" else "batch")
        """The curves; they go on when the training is continued."""

    def train_begin(self, estimator: Any, *args: Any, **kwargs: Any) -> None:
        if self.metrics is None:
            self.metrics = metrics_of([*estimator.train_metrics, *estimator.val_metrics])

    def batch_end(self, estimator: Any, *args: Any, **kwargs: Any) -> None:
        if isinstance(self.interval, int) and (estimator.batch + 1) % self.interval == 0:
            self._draw(estimator.batch + 1)

    def epoch_end(self, estimator: Any, *args: Any, **kwargs: Any) -> None:
        if self.interval == "epoch":
            self._draw(estimator.epoch + 1)

    def _draw(self, x: int) -> None:
        pairs = [pair for one in self.metrics or () for pair in one.get_name_value()]
        self.curves.add(x, {name: value for name, value in pairs if isinstance(value, int | float)})
        show_again(self.curves)
        if self.path is not None:
            self.curves.save(self.path)
