# SPDX-License-Identifier: Apache-2.0
"""Metrics of classification that need the counts of all batches together: F scores and correlations."""

from __future__ import annotations

import math
from typing import Any

import numpy

from hybridize.base.errors import ArgumentError, ShapeError, ValueArgumentError
from hybridize.metric.base import Array, Measured, Names, register, rows, same_size
from hybridize.metric.classes import classes_of, flat_pair, integers, over_threshold

TRUE_POSITIVE, FALSE_POSITIVE, FALSE_NEGATIVE, TRUE_NEGATIVE = range(4)
"""Rows of a table of counts, [4, classes]."""


def _table(name: str, kind: str, label: Array, pred: Array, threshold: Any) -> Array:
    """Count how often each class was predicted and right, [4, classes], of one batch."""
    right, guesses = _MARKS[kind](name, integers(label), pred, threshold)
    return numpy.stack(
        [(right & guesses).sum(0), (~right & guesses).sum(0), (right & ~guesses).sum(0), (~right & ~guesses).sum(0)]
    )


def _binary(name: str, label: Array, pred: Array, threshold: Any) -> tuple[Array, Array]:
    if label.size and not ((label == 0) | (label == 1)).all():
        raise ValueArgumentError(
            "E373",
            f"{name} of two classes needs labels 0 and 1, got {label.min()} to {label.max()}",
            help='class_type="multiclass" takes more',
        )
    if pred.ndim and pred.shape[-1] == 2 and pred.shape[:-1] == _narrow(label).shape:
        pred = pred[..., 1]
    elif _narrow(pred).shape != _narrow(label).shape:
        raise ShapeError(
            "E140",
            f"{name} of two classes got predictions {list(pred.shape)} for labels {list(label.shape)}",
            help='class_type="multiclass" takes more than two columns',
        )
    label, guesses = flat_pair(name, label, over_threshold(pred, threshold))
    return (label == 1)[:, None], guesses[:, None]


def _narrow(x: Array) -> Array:
    """Without a last axis of size 1."""
    return x[..., 0] if x.ndim > 1 and x.shape[-1] == 1 else x


def _multiclass(name: str, label: Array, pred: Array, threshold: Any) -> tuple[Array, Array]:
    if not pred.ndim:
        raise ShapeError("E140", f"{name} takes classes along the last axis of the predictions, but they have no axes")
    scores, count = rows(pred), pred.shape[-1]
    same_size(name, label, scores[:, 0] if count else scores)
    label = label.reshape(-1)
    if label.size and not ((label >= 0) & (label < count)).all():
        raise ValueArgumentError(
            "E373",
            f"{name}: predictions have {count} classes, but labels go from {label.min()} to {label.max()}",
            help="classes are numbered from 0",
        )
    guesses = scores.argmax(1) if count else label
    classes = numpy.arange(count)
    return label[:, None] == classes, guesses[:, None] == classes


def _multilabel(name: str, label: Array, pred: Array, threshold: Any) -> tuple[Array, Array]:
    if pred.shape != label.shape or not pred.ndim:
        raise ShapeError("E140", f"{name} needs a label per prediction, got {list(label.shape)} for {list(pred.shape)}")
    return rows(label == 1), rows(over_threshold(pred, threshold))


_MARKS = {"binary": _binary, "multiclass": _multiclass, "multilabel": _multilabel}


@register
class Fbeta(Measured):
    """Compute (1 + beta²) precision recall / (beta² precision + recall). It is 0 where the divisor is 0.

    Args:
        name: what `get` gives with the value.
        output_names: which predictions `update_dict` takes.
        label_names: which labels.
        class_type: `binary`, labels 0 and 1, predictions in their shape or with a last axis of 1 or 2, probabilities;
            `multiclass`, labels count from 0, predictions are scores along the last axis; `multilabel`, labels 0 and 1
            and probabilities in one shape, classes along the last axis.
        beta: how much more recall counts than precision.
        threshold: above which a probability means 1; a number, or one for each class.
        average: `micro`, over the counts of all classes together; `macro`, the mean over the classes; None, an array
            with one for each class.

    Raises:
        ArgumentError E372: an unknown `class_type` or `average`; a `beta` that is no number from 0 on.

    >>> from hybridize import metric, np
    >>> score = metric.Fbeta(beta=2)
    >>> score.update(np.array([1, 1, 0]), np.array([[0.1, 0.9], [0.8, 0.2], [0.7, 0.3]]))
    >>> round(score.get()[1], 4)
    0.5556
    """

    def __init__(
        self,
        name: str = "fbeta",
        output_names: Names = None,
        label_names: Names = None,
        class_type: str = "binary",
        beta: float = 1,
        threshold: Any = 0.5,
        average: str | None = "micro",
    ) -> None:
        settings = {"class_type": class_type, "beta": beta, "threshold": threshold, "average": average}
        super().__init__(name, output_names, label_names, **settings)
        if class_type not in _MARKS or average not in ("micro", "macro", None):
            raise ArgumentError(
                "E372",
                f"{type(self).__name__} has no class_type {class_type!r} with average {average!r}",
                help=f"classes are {', '.join(_MARKS)}; averages micro, macro or None",
            )
        if not 0 <= beta < math.inf:
            raise ArgumentError("E372", f"beta of {type(self).__name__} must be a number of 0 or more, got {beta!r}")
        self.threshold: Any
        self.class_type: str
        self.beta: float
        self.class_type, self.beta, self.threshold, self.average = class_type, beta, threshold, average

    def _measure(self, label: Array, pred: Array) -> tuple[Array, int]:
        table = _table(type(self).__name__, self.class_type, label, pred, self.threshold)
        return table, int(table[:, 0].sum()) if table.shape[1] else 0

    def _joined(self, before: Any, total: Any) -> Any:
        if not isinstance(before, float) and before.shape != total.shape:
            what = f"{self.name} of {before.shape[1]} classes was given {total.shape[1]}"
            raise ShapeError("E140", what, help="call reset() before measuring something else")
        return before + total

    def _value(self, total: Any, count: Any) -> Any:
        table = total.sum(1, keepdims=True) if self.average == "micro" else total
        scores = _f_scores(table, self.beta)
        return scores if self.average is None else float(scores.mean())


def _f_scores(table: Array, beta: float) -> Array:
    hits, wrong, missed = table[TRUE_POSITIVE], table[FALSE_POSITIVE], table[FALSE_NEGATIVE]
    weighted = (1 + beta**2) * hits
    return numpy.asarray(weighted / numpy.maximum(weighted + wrong + beta**2 * missed, 1e-12))


@register
class F1(Fbeta):
    """Compute the harmonic mean of precision and recall.

    Args:
        name: what `get` gives with the value.
        output_names: which predictions `update_dict` takes.
        label_names: which labels.
        class_type: `binary`, `multiclass` or `multilabel`, as in `Fbeta`.
        threshold: above which a probability means 1; a number, or one for each class.
        average: `micro`, `macro` or None, as in `Fbeta`.

    >>> from hybridize import metric, np
    >>> score = metric.F1()
    >>> score.update(np.array([1, 1, 0]), np.array([[0.1, 0.9], [0.8, 0.2], [0.7, 0.3]]))
    >>> round(score.get()[1], 4)
    0.6667
    """

    def __init__(
        self,
        name: str = "f1",
        output_names: Names = None,
        label_names: Names = None,
        class_type: str = "binary",
        threshold: Any = 0.5,
        average: str | None = "micro",
    ) -> None:
        super().__init__(name, output_names, label_names, class_type, 1, threshold, average)
        del self._kwargs["beta"]


@register
class MCC(Measured):
    """Compute Matthews' correlation of two classes: (TP TN - FP FN) / sqrt((TP + FP)(TP + FN)(TN + FP)(TN + FN)).

    Factors of 0 below the root count as 1.

    Args:
        name: what `get` gives with the value.
        output_names: which predictions `update_dict` takes.
        label_names: which labels.

    >>> from hybridize import metric, np
    >>> score = metric.MCC()
    >>> score.update(np.array([1, 1, 0]), np.array([[0.1, 0.9], [0.8, 0.2], [0.7, 0.3]]))
    >>> round(score.get()[1], 4)
    0.5
    """

    def __init__(self, name: str = "mcc", output_names: Names = None, label_names: Names = None) -> None:
        super().__init__(name, output_names, label_names)

    def _measure(self, label: Array, pred: Array) -> tuple[Array, int]:
        table = _table(type(self).__name__, "binary", label, pred, 0.5)
        return table, int(table.sum())

    def _value(self, total: Any, count: Any) -> float:
        hits, wrong, missed, rest = (float(x) for x in total[:, 0])
        factors = hits + wrong, hits + missed, rest + wrong, rest + missed
        return (hits * rest - wrong * missed) / math.prod(math.sqrt(x or 1.0) for x in factors)


@register
class PCC(Measured):
    """Compute the correlation of predicted and right classes, for any number of classes.

    For two classes it is `MCC`.

    Args:
        name: what `get` gives with the value; NaN where all predictions, or all labels, are one class.
        output_names: which predictions `update_dict` takes.
        label_names: which labels.

    Source: Gorodkin 2004, equation 8.

    >>> from hybridize import metric, np
    >>> score = metric.PCC()
    >>> score.update(np.array([1, 1, 0]), np.array([[0.1, 0.9], [0.8, 0.2], [0.7, 0.3]]))
    >>> round(score.get()[1], 4)
    0.5
    """

    def __init__(self, name: str = "pcc", output_names: Names = None, label_names: Names = None) -> None:
        super().__init__(name, output_names, label_names)

    def _measure(self, label: Array, pred: Array) -> tuple[Array, int]:
        """The confusion matrix, [predicted, right]."""
        label, pred = classes_of(type(self).__name__, label, pred, 1)
        if label.size and min(label.min(), pred.min()) < 0:
            raise ValueArgumentError("E373", f"PCC: classes are numbered from 0, got {min(label.min(), pred.min())}")
        count = 1 + int(max(label.max(initial=0), pred.max(initial=0)))
        return numpy.bincount(pred * count + label, minlength=count * count).reshape(count, count), label.size

    def _joined(self, before: Any, total: Any) -> Any:
        if isinstance(before, float):
            return total
        count = max(len(before), len(total))
        return sum(numpy.pad(x, (0, count - len(x))) for x in (before, total))

    def _value(self, total: Any, count: Any) -> float:
        guesses, right = total.sum(1, dtype=numpy.float64), total.sum(0, dtype=numpy.float64)
        spread = float((guesses * (count - guesses)).sum()), float((right * (count - right)).sum())
        if not (spread[0] and spread[1]):
            return math.nan
        return float((count * total.diagonal() - guesses * right).sum()) / (math.sqrt(spread[0]) * math.sqrt(spread[1]))
