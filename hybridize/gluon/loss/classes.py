# SPDX-License-Identifier: Apache-2.0
"""Losses of classification: probabilities, scores or margins of classes were predicted."""

from __future__ import annotations

from typing import Any

from hybridize.array import np, npx
from hybridize.array.functions.searching import along
from hybridize.array.ndarray import ndarray
from hybridize.array.operands import array, axis_of, indices, result
from hybridize.base.errors import ShapeError, ValueArgumentError
from hybridize.gluon.loss.base import Loss, LossWithMargin
from hybridize.gluon.loss.direct import BinaryEntropy, check_labels, cross_entropy, direct


class SigmoidBinaryCrossEntropyLoss(Loss):
    """Return the cross entropy of two classes from scores: the mean for each sample.

    It is -(label log(p) pos_weight + (1 - label) log(1 - p)), where p is sigmoid(pred).

    Args:
        from_sigmoid: `pred` is p already; less exact than scores.
        weight: a number that the loss is multiplied by, or None.
        batch_axis: the axis that counts the samples.

    Called with `pred`, any float shape; `label`, as many numbers from 0 to 1; `sample_weight`, None or what broadcasts
    to `pred`; `pos_weight`, None or weights of the positive part that broadcast to `pred` ([1, classes], say).
    Gives [batch], the mean over a sample.

    >>> from hybridize.gluon import loss
    >>> entropy = loss.SigmoidBinaryCrossEntropyLoss()
    >>> entropy(np.array([[0.0], [2.0]]), np.array([[1.0], [1.0]])).round(3)
    array([0.693, 0.127])
    """

    def __init__(
        self, from_sigmoid: bool = False, weight: float | None = None, batch_axis: int = 0, **kwargs: Any
    ) -> None:
        super().__init__(weight, batch_axis, **kwargs)
        self._from_sigmoid = from_sigmoid

    def forward(self, pred: Any, label: Any, sample_weight: Any = None, pos_weight: Any = None) -> ndarray:
        plain = sample_weight is None and pos_weight is None and not self._from_sigmoid and self._batch_axis == 0
        if plain and direct(pred, label) and label.dtype is pred.dtype:
            return BinaryEntropy.of(pred, self._like(label, pred), 1.0 if self._weight is None else self._weight)
        pred = array(pred)
        label = self._like(label, pred)
        if self._from_sigmoid:
            yes, no = -np.log(pred + 1e-12), -np.log(1.0 - pred + 1e-12)
        else:
            yes, no = _surprises(pred)
        loss = (yes if pos_weight is None else yes * pos_weight) * label + no * (1.0 - label)
        return self._finished(loss, sample_weight)


def _surprises(score: Any) -> tuple[Any, Any]:
    """-log(sigmoid(x)) and -log(1 - sigmoid(x)).

    Each by its own logarithm: the shorter max(x, 0) - x label + log1p(exp(-abs(x))) has no second derivative at 0,
    where a net with weights of 0 begins.
    """
    return np.logaddexp(0.0, -score), np.logaddexp(0.0, score)


class SoftmaxCrossEntropyLoss(Loss):
    """Return -log(softmax(pred)) of the right class, or its mean under the distribution `label`.

    Args:
        axis: the axis of the classes.
        sparse_label: `label` counts classes from 0; False: it is a distribution, in the shape of `pred`.
        from_logits: `pred` is log(p) already, from `log_softmax`.
        weight: a number that the loss is multiplied by, or None.
        batch_axis: the axis that counts the samples.

    Called with `pred`, [batch, classes] or any float shape; `label`, integers (or floats that hold them) in the shape
    of `pred` without `axis`, or a distribution in the shape of `pred`; `sample_weight`, None or what broadcasts to
    `pred` with `axis` of size 1. Gives [batch], the mean over a sample.

    Raises:
        ShapeError E139: labels and predictions do not go together.
        OutOfBoundsError E110: a label is none of the classes.

    >>> from hybridize import np
    >>> from hybridize.gluon import loss
    >>> loss.SoftmaxCrossEntropyLoss()(np.array([[0, 0], [-1000, 1000]]), np.array([1, 1]))
    array([0.6931472, 0.       ])
    """

    def __init__(
        self,
        axis: int = -1,
        sparse_label: bool = True,
        from_logits: bool = False,
        weight: float | None = None,
        batch_axis: int = 0,
        **kwargs: Any,
    ) -> None:
        super().__init__(weight, batch_axis, **kwargs)
        self._axis = axis
        self._sparse_label = sparse_label
        self._from_logits = from_logits

    def forward(self, pred: Any, label: Any, sample_weight: Any = None) -> ndarray:
        of_rows = self._axis in (1, -1) and self._sparse_label and not self._from_logits and self._batch_axis == 0
        if of_rows and sample_weight is None and direct(pred, label) and label.shape == pred.shape[:1]:
            return cross_entropy(pred, label, 1.0 if self._weight is None else self._weight)
        pred = array(pred)
        axis = axis_of(self._axis, pred.ndim, type(self).__name__)
        scores = pred if self._from_logits else npx.log_softmax(pred, axis)
        if self._sparse_label:
            classes = indices(self._class_indices(label, pred, axis))
            check_labels(classes, pred.shape[axis])
            loss = -along(scores, np.expand_dims(result(classes), axis), axis)
        else:
            loss = -np.sum(scores * self._like(label, pred), axis, keepdims=True)
        return self._finished(loss, sample_weight)

    def _class_indices(self, label: Any, pred: Any, axis: int) -> Any:
        """The labels in the shape of the prediction without its classes."""
        x = array(label)
        shape = pred.shape[:axis] + pred.shape[axis + 1 :]
        if x.ndim == len(shape) and x.shape == shape:
            return x
        if x.ndim != pred.ndim or x.shape != (*pred.shape[:axis], 1, *pred.shape[axis + 1 :]):
            raise ShapeError(
                "E139",
                f"{type(self).__name__} needs labels of the shape {shape}, got {x.type} for {pred.type}",
                help="sparse labels are class indices; for distributions pass sparse_label=False",
            )
        return np.reshape(x, shape)


class KLDivLoss(Loss):
    """Return the mean of label (log(label) - pred), the distance of a distribution from `label`.

    `pred` is its logarithm.

    Args:
        from_logits: `pred` is log(p), from `log_softmax`; False: scores, whose log_softmax is taken.
        axis: the axis of that log_softmax.
        weight: a number that the loss is multiplied by, or None.
        batch_axis: the axis that counts the samples.

    Called with `pred`, any float shape; `label`, as many probabilities; `sample_weight`, None or what broadcasts to
    `pred`. Gives [batch], the mean over a sample as in MXNet 2.0; the divergence itself, and what MXNet 1.9 gives, is
    the sum: `weight=n` for n classes.

    >>> from hybridize import np
    >>> from hybridize.gluon import loss
    >>> loss.KLDivLoss()(np.log(np.array([[0.5, 0.5]])), np.array([[0.25, 0.75]])).round(3)
    array([0.065])
    """

    def __init__(
        self, from_logits: bool = True, axis: int = -1, weight: float | None = None, batch_axis: int = 0, **kwargs: Any
    ) -> None:
        super().__init__(weight, batch_axis, **kwargs)
        self._from_logits = from_logits
        self._axis = axis

    def forward(self, pred: Any, label: Any, sample_weight: Any = None) -> ndarray:
        pred = array(pred)
        label = self._like(label, pred)
        scores = pred if self._from_logits else npx.log_softmax(pred, self._axis)
        return self._finished(label * (np.log(label + 1e-12) - scores), sample_weight)


class HingeLoss(LossWithMargin):
    """Return the mean of max(0, margin - pred label) for each sample. Labels are -1 and 1.

    Args:
        margin: from where on a right prediction costs nothing.
        weight: a number that the loss is multiplied by, or None.
        batch_axis: the axis that counts the samples.

    Called with `pred`, any float shape; `label`, as many of -1 and 1; `sample_weight`, None or what broadcasts to
    `pred`. Gives [batch], the mean over a sample.

    Raises:
        ArgumentError E331: the margin is no number.

    >>> from hybridize import np
    >>> from hybridize.gluon import loss
    >>> loss.HingeLoss()(np.array([[0.5], [2.0]]), np.array([[1], [-1]]))
    array([0.5, 3. ])
    """

    def forward(self, pred: Any, label: Any, sample_weight: Any = None) -> ndarray:
        return self._finished(self._missing(array(pred), label), sample_weight)

    def _missing(self, pred: Any, label: Any) -> Any:
        return npx.relu(self._margin - pred * self._like(label, pred))


class SquaredHingeLoss(HingeLoss):
    """Return the mean of max(0, margin - pred label)² for each sample. Labels are -1 and 1.

    Args:
        margin: from where on a right prediction costs nothing.
        weight: a number that the loss is multiplied by, or None.
        batch_axis: the axis that counts the samples.

    Called with `pred`, any float shape; `label`, as many of -1 and 1; `sample_weight`, None or what broadcasts to
    `pred`. Gives [batch], the mean over a sample.

    >>> from hybridize import np
    >>> from hybridize.gluon import loss
    >>> loss.SquaredHingeLoss()(np.array([[0.5], [2.0]]), np.array([[1], [-1]]))
    array([0.25, 9.  ])
    """

    def forward(self, pred: Any, label: Any, sample_weight: Any = None) -> ndarray:
        return self._finished(np.square(self._missing(array(pred), label)), sample_weight)


class LogisticLoss(Loss):
    """Return the mean of log(1 + exp(-pred label)) for each sample. Labels are -1 and 1, or 0 and 1.

    Args:
        weight: a number that the loss is multiplied by, or None.
        batch_axis: the axis that counts the samples.
        label_format: `signed`, -1 and 1, or `binary`, 0 and 1.

    Called with `pred`, any float shape; `label`, as many; `sample_weight`, None or what broadcasts to `pred`.
    Gives [batch], the mean over a sample.

    Raises:
        ArgumentError E366: `label_format` is neither.

    >>> from hybridize import np
    >>> from hybridize.gluon import loss
    >>> loss.LogisticLoss()(np.array([[0.0], [2.0]]), np.array([[1], [-1]])).round(3)
    array([0.693, 2.127])
    """

    def __init__(
        self, weight: float | None = None, batch_axis: int = 0, label_format: str = "signed", **kwargs: Any
    ) -> None:
        super().__init__(weight, batch_axis, **kwargs)
        if label_format not in ("signed", "binary"):
            raise ValueArgumentError(
                "E345", f"LogisticLoss has no label_format {label_format!r}", help="use signed (-1, 1) or binary (0, 1)"
            )
        self._label_format = label_format

    def forward(self, pred: Any, label: Any, sample_weight: Any = None) -> ndarray:
        pred = array(pred)
        label = self._like(label, pred)
        positive = (label + 1.0) * 0.5 if self._label_format == "signed" else label
        yes, no = _surprises(pred)
        return self._finished(yes * positive + no * (1.0 - positive), sample_weight)
