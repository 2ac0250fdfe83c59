# SPDX-License-Identifier: Apache-2.0
"""The metrics that MXNet 1.9.1 reduces in another way than 2.0; all else is that of `hybridize.metric`."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from hybridize import metric
from hybridize.base.names import face, replacing
from hybridize.metric.base import Array, EvalMetric, Measured, Names, created


class _ByArray(Measured):
    """The base of metrics that are the mean of those of the arrays that `update` was given, whatever their sizes."""

    _macro = True
    """False: of all numbers, as in hybridize."""

    def _measure(self, label: Array, pred: Array) -> tuple[Any, int]:
        total, count = super()._measure(label, pred)
        if not self._macro:
            return total, count
        return super()._value(total, count) if count else math.nan, 1

    def _joined(self, before: Any, total: Any) -> Any:
        return before + total if self._macro else super()._joined(before, total)

    def _value(self, total: Any, count: Any) -> float:
        return float(total / count if self._macro else super()._value(total, count))


class _Averaged(_ByArray):
    """Those of which the user says it: "macro" is the mean over arrays, "micro" over all numbers."""

    def __init__(
        self,
        name: str | None = None,
        output_names: Names = None,
        label_names: Names = None,
        average: str = "macro",
        **kwargs: Any,
    ) -> None:
        if name is not None:
            kwargs["name"] = name
        super().__init__(output_names=output_names, label_names=label_names, **kwargs)
        self._macro = average == "macro"
        self._kwargs["average"] = average


class MAE(_ByArray, metric.MAE):
    """The mean of the mean absolute errors of arrays."""


class MSE(_ByArray, metric.MSE):
    """The mean of the mean squared errors of arrays."""


class RMSE(_ByArray, metric.RMSE):
    """The mean of the roots of the mean squared errors of arrays."""


class F1(_Averaged, metric.F1):
    """The harmonic mean of precision and recall of two classes."""


class MCC(_Averaged, metric.MCC):
    """Matthews' correlation of two classes."""


class PearsonCorrelation(_Averaged, metric.PearsonCorrelation):
    """Pearson's correlation."""


def create(metric: Any, *args: Any, **kwargs: Any) -> EvalMetric:
    """The metric that `metric` stands for.

    Args:
        metric: as of `hybridize.metric.create`.
        args: settings, where it is a name or a class.
        kwargs: the same.

    Raises:
        ArgumentError E368: there is no such metric.
    """
    return created(_KINDS, metric, *args, **kwargs)


class CompositeEvalMetric(metric.CompositeEvalMetric):
    """Several metrics of the same labels and predictions; `get` gives lists.

    Args:
        metrics: what `create` takes, each.
        name: of the whole.
        output_names: which predictions `update_dict` hands on; None: all.
        label_names: which labels.
    """

    _create = staticmethod(create)


_KINDS = replacing(globals(), metric)

__dir__: Callable[[], list[str]]
__getattr__: Callable[[str], Any]
__getattr__, __dir__ = face(globals(), metric.__name__)
