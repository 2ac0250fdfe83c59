# SPDX-License-Identifier: Apache-2.0
"""Metrics of one's own: a function of labels and predictions, and losses that are only averaged."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy

from hybridize.base.errors import ArgumentError
from hybridize.metric.base import Measured, Names, as_numpy, check_label_shapes, listed, register


@register
class Loss(Measured):
    """Average the values that it gets as predictions, and ignore the labels.

    Args:
        name: what `get` gives with the value.
        output_names: which predictions `update_dict` takes.
        label_names: which labels.

    >>> from hybridize import metric, np
    >>> mean = metric.Loss()
    >>> mean.update(None, np.array([1.0, 3.0]))
    >>> mean.get()
    ('loss', 2.0)
    """

    def __init__(self, name: str = "loss", output_names: Names = None, label_names: Names = None) -> None:
        super().__init__(name, output_names, label_names)

    def update(self, labels: Any, preds: Any) -> None:
        for pred in listed(preds):
            values = as_numpy(pred)
            self._add(float(values.sum(dtype=numpy.float64)), values.size)


@register
class Torch(Loss):
    """Compute `Loss`, under MXNet's name for losses that PyTorch computed.

    Args:
        name: what `get` gives with the value.
        output_names: which predictions `update_dict` takes.
        label_names: which labels.

    >>> from hybridize import metric, np
    >>> mean = metric.Torch()
    >>> mean.update(None, np.array([1.0, 3.0]))
    >>> mean.get()
    ('torch', 2.0)
    """

    def __init__(self, name: str = "torch", output_names: Names = None, label_names: Names = None) -> None:
        super().__init__(name, output_names, label_names)


@register
class CustomMetric(Measured):
    """Average the results of a function of labels and predictions, which are NumPy arrays.

    Args:
        feval: (label, pred), two NumPy arrays -> a number for the batch, or a sum and a count.
        name: what `get` gives with the value; None: the function's.
        allow_extra_outputs: there may be more predictions than labels; the rest is not looked at.
        output_names: which predictions `update_dict` takes.
        label_names: which labels.

    >>> from hybridize import metric, np
    >>> largest = metric.CustomMetric(lambda label, pred: abs(label - pred).max(), name="largest")
    >>> largest.update(np.array([1.0, 2.0]), np.array([1.0, 4.0]))
    >>> largest.get()
    ('largest', 2.0)
    """

    def __init__(
        self,
        feval: Callable[..., Any],
        name: str | None = None,
        allow_extra_outputs: bool = False,
        output_names: Names = None,
        label_names: Names = None,
    ) -> None:
        if not callable(feval):
            raise ArgumentError("E368", f"CustomMetric takes a function (label, pred), got {type(feval).__name__}")
        if name is None:
            own = getattr(feval, "__name__", type(feval).__name__)
            name = f"custom({own})" if "<" in own else own
        super().__init__(name, output_names, label_names)
        self._feval = feval
        self._allow_extra_outputs = allow_extra_outputs

    def update(self, labels: Any, preds: Any) -> None:
        labels, preds = listed(labels), listed(preds)
        if not self._allow_extra_outputs:
            check_label_shapes(labels, preds)
        for label, pred in zip(labels, preds, strict=False):
            score = self._feval(as_numpy(label), as_numpy(pred))
            self._add(*(score if isinstance(score, tuple) else (score, 1)))

    def get_config(self) -> dict[str, Any]:
        raise ArgumentError(
            "E374",
            f"{self.name} holds a function, so it cannot be described by settings",
            help="create the metric again from the function",
        )


def np(numpy_feval: Callable[..., Any], name: str | None = None, allow_extra_outputs: bool = False) -> CustomMetric:
    """Return a metric that averages a function of NumPy arrays.

    Args:
        numpy_feval: (label, pred) -> a number for the batch, or a sum and a count.
        name: what `get` gives with the value; None: the function's.
        allow_extra_outputs: there may be more predictions than labels.

    >>> from hybridize import metric
    >>> import numpy
    >>> largest = metric.np(lambda label, pred: abs(label - pred).max(), name="largest")
    >>> largest.update(numpy.array([1.0, 2.0]), numpy.array([1.0, 4.0]))
    >>> largest.get()
    ('largest', 2.0)
    """
    return CustomMetric(numpy_feval, name, allow_extra_outputs)
