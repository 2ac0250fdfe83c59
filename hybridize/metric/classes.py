# SPDX-License-Identifier: Apache-2.0
"""Metrics of classification that are means over samples."""

from __future__ import annotations

import math
from typing import Any

import numpy

from hybridize.base.errors import ArgumentError, ShapeError, ValueArgumentError
from hybridize.metric.base import Array, Measured, Names, alias, as_numpy, register, rows, same_size


def integers(x: Array) -> Array:
    """Classes, whatever the dtype they came in."""
    return x if x.dtype.kind in "iu" else x.astype(numpy.int64)


def flat_pair(name: str, label: Array, pred: Array) -> tuple[Array, Array]:
    """Both with one axis, and as many elements."""
    same_size(name, label, pred)
    return label.reshape(-1), pred.reshape(-1)


def classes_of(name: str, label: Array, pred: Array, axis: int) -> tuple[Array, Array]:
    """The classes that were right, and those predicted, with one axis each.

    Predictions in the shape of the labels are classes; otherwise they are scores along `axis`.
    """
    if pred.shape != label.shape:
        if not -pred.ndim <= axis < pred.ndim:
            raise _no_axis(name, axis, pred)
        pred = pred.argmax(axis)
    return flat_pair(name, integers(label), integers(pred))


def _no_axis(name: str, axis: int, pred: Array) -> ShapeError:
    what = f"{name} looks for classes along axis {axis} of predictions {list(pred.shape)}"
    return ShapeError("E140", what, help=f"{name}(axis=...) says along which they are")


def over_threshold(pred: Array, threshold: Any) -> Array:
    """Tell which probabilities are above a threshold, or above one for each class along the last axis."""
    limit = as_numpy(threshold)
    if limit.ndim and (limit.ndim != 1 or not pred.ndim or limit.shape[0] != pred.shape[-1]):
        raise ShapeError(
            "E140",
            f"thresholds {list(limit.shape)} for predictions {list(pred.shape)}",
            help="give one number, or one for each class",
        )
    return numpy.asarray(pred > limit)


@alias("acc")
@register
class Accuracy(Measured):
    """Count the predictions that were right, as a part of all predictions.

    Args:
        axis: of the scores of the classes, where predictions have another shape than labels.
        name: what `get` gives with the value.
        output_names: which predictions `update_dict` takes.
        label_names: which labels.

    >>> from hybridize import metric, np
    >>> accuracy = metric.Accuracy()
    >>> accuracy.update(np.array([0, 1, 1]), np.array([[0.3, 0.7], [0.0, 1.0], [0.4, 0.6]]))
    >>> accuracy.get()
    ('accuracy', 0.6666666666666666)
    """

    def __init__(
        self, axis: int = 1, name: str = "accuracy", output_names: Names = None, label_names: Names = None
    ) -> None:
        super().__init__(name, output_names, label_names, axis=axis)
        self.axis = axis

    def _measure(self, label: Array, pred: Array) -> tuple[int, int]:
        label, pred = classes_of(type(self).__name__, label, pred, self.axis)
        return int((label == pred).sum()), label.size


@alias("top_k_accuracy", "top_k_acc")
@register
class TopKAccuracy(Measured):
    """Count the labels whose score was among the `top_k` greatest, as a part of all labels.

    Of equal scores the first count.

    Args:
        top_k: how many.
        name: what `get` gives with the value, with `top_k` added.
        output_names: which predictions `update_dict` takes.
        label_names: which labels.

    Raises:
        ArgumentError E372: `top_k` is no positive integer.

    >>> from hybridize import metric, np
    >>> accuracy = metric.TopKAccuracy(top_k=2)
    >>> accuracy.update(np.array([0, 2]), np.array([[0.3, 0.6, 0.1], [0.5, 0.4, 0.1]]))
    >>> accuracy.get()
    ('top_k_accuracy_2', 0.5)
    """

    def __init__(
        self, top_k: int = 1, name: str = "top_k_accuracy", output_names: Names = None, label_names: Names = None
    ) -> None:
        super().__init__(f"{name}_{top_k}", output_names, label_names, top_k=top_k)
        if not isinstance(top_k, (int, numpy.integer)) or top_k < 1:
            raise ArgumentError("E372", f"top_k of TopKAccuracy must be an integer of 1 or more, got {top_k!r}")
        self.top_k = top_k
        self._own_name = name

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "name": self._own_name}

    def _measure(self, label: Array, pred: Array) -> tuple[int, int]:
        if pred.ndim == 1:
            label, pred = flat_pair(type(self).__name__, integers(label), integers(pred))
            return int((label == pred).sum()), label.size
        if pred.ndim != 2 or label.size != len(pred):
            raise ShapeError(
                "E140",
                f"TopKAccuracy needs labels [batch] and scores [batch, classes], got {list(label.shape)} and "
                f"{list(pred.shape)}",
            )
        label, classes = integers(label).reshape(-1, 1), numpy.arange(pred.shape[1])
        known = (label >= 0) & (label < pred.shape[1])
        own = numpy.take_along_axis(pred, numpy.where(known, label, 0), 1)
        before = ~(pred <= own) | ((pred == own) & (classes < label))  # a NaN is before all, and all before it
        right = known[:, 0] & (before.sum(1) < min(self.top_k, pred.shape[1]))
        return int(right.sum()), len(pred)


@register
class BinaryAccuracy(Measured):
    """Count the labels 0 and 1 whose prediction lies on the right side of the threshold, as a part of all labels.

    Args:
        name: what `get` gives with the value.
        output_names: which predictions `update_dict` takes.
        label_names: which labels.
        threshold: a number, or one for each class along the last axis.

    >>> from hybridize import metric, np
    >>> accuracy = metric.BinaryAccuracy(threshold=0.5)
    >>> accuracy.update(np.array([0, 1]), np.array([0.3, 0.4]))
    >>> accuracy.get()
    ('binary_accuracy', 0.5)
    """

    def __init__(
        self,
        name: str = "binary_accuracy",
        output_names: Names = None,
        label_names: Names = None,
        threshold: Any = 0.5,
    ) -> None:
        super().__init__(name, output_names, label_names, threshold=threshold)
        self.threshold = threshold

    def _measure(self, label: Array, pred: Array) -> tuple[int, int]:
        label, pred = flat_pair(type(self).__name__, integers(label), over_threshold(pred, self.threshold))
        return int((label == pred).sum()), label.size


@alias("ce")
@register
class CrossEntropy(Measured):
    """Average -log(p) of the right class over all labels.

    Args:
        eps: p is at least that.
        ignore_label: a label that does not count; None: all count.
        axis: of the classes.
        from_logits: predictions are scores, of which the softmax is taken, not probabilities.
        name: what `get` gives with the value.
        output_names: which predictions `update_dict` takes.
        label_names: which labels.

    Raises:
        ArgumentError E372: `eps` is negative.

    >>> from hybridize import metric, np
    >>> entropy = metric.CrossEntropy()
    >>> entropy.update(np.array([0, 1]), np.array([[0.5, 0.5], [0.5, 0.5]]))
    >>> name, value = entropy.get()
    >>> name, round(value, 4)
    ('cross-entropy', 0.6931)
    """

    def __init__(
        self,
        eps: float = 1e-12,
        ignore_label: int | None = None,
        axis: int = -1,
        from_logits: bool = False,
        name: str = "cross-entropy",
        output_names: Names = None,
        label_names: Names = None,
    ) -> None:
        settings = {"eps": eps, "ignore_label": ignore_label, "axis": axis, "from_logits": from_logits}
        super().__init__(name, output_names, label_names, **settings)
        if eps is None or eps < 0:
            raise ArgumentError(
                "E372",
                f"eps of {type(self).__name__} must be 0 or more, got {eps!r}",
                help="eps comes before ignore_label; pass ignore_label by keyword",
            )
        self.from_logits: bool
        self.ignore_label: int | None
        self.eps: float
        self.axis: int
        self.eps, self.ignore_label, self.axis, self.from_logits = eps, ignore_label, axis, from_logits

    def _measure(self, label: Array, pred: Array) -> tuple[float, int]:
        name = type(self).__name__
        if not -pred.ndim <= self.axis < pred.ndim:
            raise _no_axis(name, self.axis, pred)
        scores = rows(numpy.moveaxis(pred, self.axis, -1).astype(numpy.float64))
        if label.size != len(scores):
            raise ShapeError(
                "E140",
                f"{name} needs a label for each prediction, got {list(label.shape)} for {list(pred.shape)}",
                help=f"the classes are along axis {self.axis} of the prediction",
            )
        classes = integers(label).reshape(-1)
        if self.ignore_label is not None:
            counted = classes != self.ignore_label
            classes, scores = classes[counted], scores[counted]
        strange = (classes < 0) | (classes >= scores.shape[1])
        if strange.any():
            raise ValueArgumentError(
                "E373",
                f"{name}: the label {classes[strange][0]} is not one of {scores.shape[1]} classes",
                help="classes are numbered from 0; ignore_label leaves labels out",
            )
        own = scores[numpy.arange(len(classes)), classes]
        with numpy.errstate(divide="ignore"):
            least = numpy.log(numpy.float64(self.eps))
            logs = own - _log_sum_exp(scores) if self.from_logits else numpy.log(own)
        return float(-numpy.maximum(logs, least).sum()), classes.size


def _log_sum_exp(scores: Array) -> Array:
    greatest = scores.max(1, initial=-numpy.inf, keepdims=True)
    return numpy.asarray(numpy.log(numpy.exp(scores - greatest).sum(1)) + greatest[:, 0])


@alias("nll_loss")
@register
class NegativeLogLikelihood(CrossEntropy):
    """Compute `CrossEntropy` of probabilities, under MXNet 1.x's name.

    Args:
        eps: the probability is at least that.
        name: what `get` gives with the value.
        output_names: which predictions `update_dict` takes.
        label_names: which labels.

    >>> from hybridize import metric, np
    >>> likelihood = metric.NegativeLogLikelihood()
    >>> likelihood.update(np.array([0]), np.array([[0.5, 0.5]]))
    >>> round(likelihood.get()[1], 4)
    0.6931
    """

    def __init__(
        self, eps: float = 1e-12, name: str = "nll-loss", output_names: Names = None, label_names: Names = None
    ) -> None:
        super().__init__(eps, name=name, output_names=output_names, label_names=label_names)
        self._kwargs = {"eps": eps}


@register
class Perplexity(CrossEntropy):
    """Compute exp of the cross-entropy.

    A perplexity of 10 means that the model chose as if among 10 equally probable classes.

    Args:
        eps: a probability is at least that.
        ignore_label: a label that does not count; None: all count.
        axis: of the classes.
        from_logits: predictions are scores, of which the softmax is taken, not probabilities.
        name: what `get` gives with the value.
        output_names: which predictions `update_dict` takes.
        label_names: which labels.

    >>> from hybridize import metric, np
    >>> perplexity = metric.Perplexity()
    >>> perplexity.update(np.array([0, 1]), np.array([[0.5, 0.5], [0.5, 0.5]]))
    >>> round(perplexity.get()[1], 4)
    2.0
    """

    def __init__(
        self,
        eps: float = 1e-12,
        ignore_label: int | None = None,
        axis: int = -1,
        from_logits: bool = False,
        name: str = "perplexity",
        output_names: Names = None,
        label_names: Names = None,
    ) -> None:
        super().__init__(eps, ignore_label, axis, from_logits, name, output_names, label_names)

    def _value(self, total: Any, count: Any) -> Any:
        mean = total / count
        return math.inf if mean > 700 else math.exp(mean)  # NaN stays NaN
