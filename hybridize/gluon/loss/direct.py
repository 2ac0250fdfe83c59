# SPDX-License-Identifier: Apache-2.0
"""The losses of most training loops where nobody captures: a few passes of NumPy, one operation of a recording.

The operations that these losses are made of cost, imperatively, more than their arithmetic for a batch of hundreds.
Cross-entropy, of most trainings, is one compiled program for any batch and any number of classes.
What is captured, and what is differentiated twice, is made of those operations all the same.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy
from numpy.typing import NDArray

from hybridize import autograd
from hybridize.array import np, npx
from hybridize.array.buffer import buffer_of, host_view, is_away
from hybridize.array.functions.bounds import check
from hybridize.array.ndarray import ndarray, wrap
from hybridize.array.placing import beside
from hybridize.array.single import General
from hybridize.autograd import fused
from hybridize.base import dims
from hybridize.base.dtypes import float32, float64, index_numbers, int64, is_float
from hybridize.base.spans import LISTENERS, OPERATION, is_heard, span
from hybridize.ops import any as any_of
from hybridize.ops import cast, eq
from hybridize.ops.op import Operand, capturing, taping
from hybridize.ops.views import like
from hybridize.ops.views import sum as sum_of

Array = NDArray[Any]


def direct(pred: Any, label: Any) -> bool:
    """Tell whether both are arrays of numbers on one device, the prediction [batch, n] of a float that NumPy knows, at
    the host.
    """
    return (
        type(pred) is ndarray
        and type(label) is ndarray
        and (pred.dtype is float32 or pred.dtype is float64)
        and pred.ndim == 2
        and pred.size > 0
        and not capturing()
        and pred.device == label.device
        and not is_away(buffer_of(pred))
    )


def cross_entropy(pred: ndarray, label: ndarray, weight: float) -> Any:
    """-weight log(softmax(pred)) at the label: [batch] of [batch, classes] and [batch]."""
    if LISTENERS and is_heard(OPERATION):
        return span(OPERATION, "cross_entropy", cross_entropy, pred, label, weight)
    x, numbers = host_view(pred), host_view(label)
    labels = index_numbers(numbers) if is_float(numbers.dtype) else numbers.astype(int64, copy=False)
    loss, slope, wrong = _CROSS_ENTROPY(x, labels)
    if wrong:
        check_labels(labels, x.shape[1])
    if weight != 1:
        loss *= weight
    tape = taping()
    if tape is None:
        return beside(wrap(loss), pred)
    labels = labels.copy() if labels is numbers else labels
    return beside(tape.made("cross_entropy", (pred,), loss, labels, slope, weight), pred)


def _surprise(x: Operand, labels: Operand) -> list[Operand]:
    """The loss, its slope, and whether a label is no class."""
    loss, slope, own = fused.cross_entropy(x, labels)
    return [loss, slope, any_of(eq(sum_of(cast(own, int64), (1,)), like(0, cast(labels, int64))), (0,))]


_CROSS_ENTROPY = General(_surprise, _surprise, "softmax cross-entropy", ("nc", "n"), structure="tuple")


def check_labels(classes: Any, count: int) -> None:
    """Refuse labels that are none of `count` classes: at once, or by an assertion of a program."""
    help = f"labels are from 0 to {dims.text(count - 1)}; leave samples out by a sample_weight of 0, not by their label"
    check(classes, 0, count, f"labels of {dims.text(count)} classes", help)


class _RowLoss(autograd.Function, ABC):
    """A weight times the mean of each row's losses: [batch] of two arrays [batch, n] of one dtype."""

    def __init__(self, weight: float) -> None:
        self._weight = weight

    @classmethod
    def of(cls, pred: ndarray, label: ndarray, weight: float) -> Any:
        """Compute the loss, as one operation of a recording where there is one."""
        if LISTENERS and is_heard(OPERATION):
            return span(OPERATION, cls.__name__, cls.of, pred, label, weight)
        one = cls(weight)
        return one.forward(pred, label) if taping() is None else one(pred, label)

    def forward(self, pred: ndarray, label: ndarray) -> ndarray:
        self.save_for_backward(pred, label)
        return beside(wrap(self._value(host_view(pred), host_view(label))), pred)

    def backward(self, g: ndarray) -> tuple[Any, Any]:
        pred, label = self.saved_tensors
        by = np.expand_dims(g * (self._weight / pred.shape[1]), 1)
        of_pred, of_label = self._slopes(pred, label)
        return of_pred * by, of_label * by

    @abstractmethod
    def _value(self, x: Array, y: Array) -> Array:
        """Return the loss of each row."""

    @abstractmethod
    def _slopes(self, pred: ndarray, label: ndarray) -> tuple[Any, Any]:
        """Return the slopes of each element's loss, by the prediction and by the label."""


class Squares(_RowLoss):
    """(label - pred)² / 2."""

    def _value(self, x: Array, y: Array) -> Array:
        difference = y - x
        loss = numpy.einsum("ij,ij->i", difference, difference)
        loss *= 0.5 * self._weight / difference.shape[1]
        return numpy.asarray(loss)

    def _slopes(self, pred: ndarray, label: ndarray) -> tuple[Any, Any]:
        return pred - label, label - pred


class BinaryEntropy(_RowLoss):
    """-y log(p) - (1 - y) log(1 - p), p the sigmoid."""

    def _value(self, x: Array, y: Array) -> Array:
        loss = numpy.maximum(x, 0)
        loss -= x * y  # 0 where the score is right: what is small is added to it after this
        rest = numpy.absolute(x)
        numpy.exp(numpy.negative(rest, out=rest), out=rest)
        loss += numpy.log1p(rest, out=rest)
        return numpy.asarray(loss.mean(1) if self._weight == 1 else loss.mean(1) * x.dtype.type(self._weight))

    def _slopes(self, pred: ndarray, label: ndarray) -> tuple[Any, Any]:
        return npx.sigmoid(pred) - label, -pred
