# SPDX-License-Identifier: Apache-2.0
"""Metrics of regression: distances and correlations of numbers and vectors."""

from __future__ import annotations

import math
from typing import Any

import numpy

from hybridize.base.errors import ArgumentError, ShapeError
from hybridize.metric.base import Array, Measured, Names, alias, register, rows, same_size


def _samples(name: str, label: Array, pred: Array) -> tuple[Array, Array]:
    """Both as float64 [batch, elements]; predictions take the shape of labels, so that nothing is broadcast."""
    same_size(name, label, pred)
    count = label.shape[0] if label.ndim else 1
    shape = (count, math.prod(label.shape[1:]))
    return label.reshape(shape).astype(numpy.float64), pred.reshape(shape).astype(numpy.float64)


class _Distance(Measured):
    """A mean over samples of something that is 0 where label and prediction are equal."""

    def _measure(self, label: Array, pred: Array) -> tuple[float, int]:
        x, y = _samples(type(self).__name__, label, pred)
        return float(self._distances(x - y).sum()), len(x)

    def _distances(self, differences: Array) -> Array:
        """One for each row."""
        return numpy.asarray(numpy.abs(differences).mean(1))


@register
class MAE(_Distance):
    """Compute the mean absolute error.

    Args:
        name: what `get` gives with the value.
        output_names: which predictions `update_dict` takes.
        label_names: which labels.

    >>> from hybridize import metric, np
    >>> error = metric.MAE()
    >>> error.update(np.array([1.0, 2.0]), np.array([1.0, 4.0]))
    >>> error.get()
    ('mae', 1.0)
    """

    def __init__(self, name: str = "mae", output_names: Names = None, label_names: Names = None) -> None:
        super().__init__(name, output_names, label_names)


@register
class MSE(_Distance):
    """Compute the mean squared error.

    Args:
        name: what `get` gives with the value.
        output_names: which predictions `update_dict` takes.
        label_names: which labels.

    >>> from hybridize import metric, np
    >>> error = metric.MSE()
    >>> error.update(np.array([1.0, 2.0]), np.array([1.0, 4.0]))
    >>> error.get()
    ('mse', 2.0)
    """

    def __init__(self, name: str = "mse", output_names: Names = None, label_names: Names = None) -> None:
        super().__init__(name, output_names, label_names)

    def _distances(self, differences: Array) -> Array:
        return numpy.asarray(numpy.square(differences).mean(1))


@register
class RMSE(MSE):
    """Compute the root of the mean squared error.

    Args:
        name: what `get` gives with the value.
        output_names: which predictions `update_dict` takes.
        label_names: which labels.

    >>> from hybridize import metric, np
    >>> error = metric.RMSE()
    >>> error.update(np.array([1.0, 2.0]), np.array([3.0, 4.0]))
    >>> error.get()
    ('rmse', 2.0)
    """

    def __init__(self, name: str = "rmse", output_names: Names = None, label_names: Names = None) -> None:
        super().__init__(name, output_names, label_names)

    def _value(self, total: Any, count: Any) -> float:
        return math.sqrt(total / count)


@register
class MeanPairwiseDistance(_Distance):
    """Average sum(abs(label - pred)**p)**(1 / p) over samples.

    Args:
        name: what `get` gives with the value.
        output_names: which predictions `update_dict` takes.
        label_names: which labels.
        p: of the norm.

    Raises:
        ArgumentError E372: `p` is not positive.

    >>> from hybridize import metric, np
    >>> distance = metric.MeanPairwiseDistance()
    >>> distance.update(np.array([[0.0, 0.0]]), np.array([[3.0, 4.0]]))
    >>> distance.get()
    ('mpd', 5.0)
    """

    def __init__(self, name: str = "mpd", output_names: Names = None, label_names: Names = None, p: float = 2) -> None:
        super().__init__(name, output_names, label_names, p=p)
        if not p > 0:
            raise ArgumentError("E372", f"p of {type(self).__name__} must be positive, got {p!r}")
        self.p = p

    def _distances(self, differences: Array) -> Array:
        return numpy.asarray(numpy.linalg.norm(differences, self.p, axis=1))


@register
class MeanCosineSimilarity(Measured):
    """Average the cosine of the angles between labels and predictions, which are vectors along the last axis.

    Args:
        name: what `get` gives with the value.
        output_names: which predictions `update_dict` takes.
        label_names: which labels.
        eps: the product of two lengths is at least that.

    >>> from hybridize import metric, np
    >>> similarity = metric.MeanCosineSimilarity()
    >>> similarity.update(np.array([[1.0, 0.0]]), np.array([[2.0, 0.0]]))
    >>> similarity.get()
    ('cos_sim', 1.0)
    """

    def __init__(
        self, name: str = "cos_sim", output_names: Names = None, label_names: Names = None, eps: float = 1e-8
    ) -> None:
        super().__init__(name, output_names, label_names, eps=eps)
        self.eps = eps

    def _measure(self, label: Array, pred: Array) -> tuple[float, int]:
        if label.shape != pred.shape or not label.ndim:
            raise ShapeError(
                "E140",
                f"{type(self).__name__} compares vectors, got {list(label.shape)} and {list(pred.shape)}",
                help="both must have the same shape",
            )
        x, y = (rows(each).astype(numpy.float64) for each in (label, pred))
        lengths = numpy.sqrt((x * x).sum(1)) * numpy.sqrt((y * y).sum(1))
        return float(((x * y).sum(1) / numpy.maximum(lengths, self.eps)).sum()), len(x)


@alias("pearsonr")
@register
class PearsonCorrelation(Measured):
    """Compute Pearson's correlation of all labels with all predictions. It is NaN if either does not vary.

    Args:
        name: what `get` gives with the value.
        output_names: which predictions `update_dict` takes.
        label_names: which labels.

    Source: sums of squares of parts are joined as in Chan, Golub & LeVeque 1983.

    >>> from hybridize import metric, np
    >>> correlation = metric.PearsonCorrelation()
    >>> correlation.update(np.array([1.0, 2.0, 3.0]), np.array([3.0, 5.0, 7.0]))
    >>> round(correlation.get()[1], 4)
    1.0
    """

    def __init__(self, name: str = "pearsonr", output_names: Names = None, label_names: Names = None) -> None:
        super().__init__(name, output_names, label_names)

    def _measure(self, label: Array, pred: Array) -> tuple[Array, int]:
        """[n, mean x, mean y, sum (x - mean)², sum (y - mean)², sum (x - mean)(y - mean)]"""
        if label.shape != pred.shape:
            raise ShapeError(
                "E140",
                f"PearsonCorrelation compares numbers, got {list(label.shape)} and {list(pred.shape)}",
                help="both must have the same shape",
            )
        if not label.size:
            return numpy.zeros(6), 0
        x, y = (each.reshape(-1).astype(numpy.float64) for each in (label, pred))
        dx, dy = x - x.mean(), y - y.mean()
        return numpy.array([x.size, x.mean(), y.mean(), dx @ dx, dy @ dy, dx @ dy]), x.size

    def _joined(self, before: Any, total: Any) -> Any:
        if isinstance(before, float) or not total[0]:
            return total if isinstance(before, float) else before
        n, m = before[0], total[0]
        dx, dy = total[1:3] - before[1:3]
        shares = n * m / (n + m) * numpy.array([dx * dx, dy * dy, dx * dy])
        means = before[1:3] + (m / (n + m)) * numpy.array([dx, dy])
        return numpy.array([n + m, *means, *(before[3:] + total[3:] + shares)])

    def _value(self, total: Any, count: Any) -> float:
        scale = math.sqrt(total[3]) * math.sqrt(total[4])
        return float(total[5]) / scale if scale else math.nan
