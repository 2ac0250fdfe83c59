# SPDX-License-Identifier: Apache-2.0
"""Losses of vectors that should be near or far: triplets, cosines, batches of pairs."""

from __future__ import annotations

from typing import Any

from hybridize.array import np, npx
from hybridize.array.ndarray import ndarray
from hybridize.array.operands import array
from hybridize.base.dtypes import float32
from hybridize.base.errors import ArgumentError, ShapeError
from hybridize.gluon.checking import check_number
from hybridize.gluon.loss.base import Loss, LossWithMargin, sum_of_samples, weighted


class TripletLoss(LossWithMargin):
    """Return max(0, margin + sum((positive - pred)²) - sum((negative - pred)²)) for each sample.

    Args:
        margin: by how much the negative example should be farther away.
        weight: a number that the loss is multiplied by, or None.
        batch_axis: the axis that counts the samples.

    Called with `pred`, any float shape; `positive` and `negative`, as many elements; `sample_weight`, None or [batch].
    Gives [batch].

    Raises:
        ArgumentError E331: the margin is no number.

    >>> from hybridize import np
    >>> from hybridize.gluon import loss
    >>> anchor, positive, negative = np.zeros((1, 2)), np.zeros((1, 2)), np.array([[0.5, 0.5]])
    >>> loss.TripletLoss()(anchor, positive, negative)
    array([0.5])
    """

    def forward(self, pred: Any, positive: Any, negative: Any, sample_weight: Any = None) -> ndarray:
        pred = array(pred)
        near = np.square(self._like(positive, pred, "positive") - pred)
        far = np.square(self._like(negative, pred, "negative") - pred)
        loss = npx.relu(sum_of_samples(near - far, self._batch_axis) + self._margin)
        return weighted(loss, self._weight, sample_weight)


class CosineEmbeddingLoss(Loss):
    """Return 1 - cos(input1, input2) for pairs labelled 1, and max(0, cos(input1, input2) - margin) for the others.

    Args:
        weight: a number that the loss is multiplied by, or None.
        batch_axis: 0; accepted for MXNet.
        margin: from which cosine on unlike vectors cost something.

    Called with `input1` and `input2`, [batch, n]; `label`, [batch], of 1 and -1; `sample_weight`, None or [batch, 1].
    Gives [batch]. The cosine of a vector of zeros is 0.

    Raises:
        ArgumentError E331: the margin is no number.

    >>> from hybridize import np
    >>> from hybridize.gluon import loss
    >>> x, y = np.array([[1.0, 0.0], [1.0, 0.0]]), np.array([[1.0, 0.0], [0.0, 1.0]])
    >>> loss.CosineEmbeddingLoss()(x, y, np.array([1, 1])).round(3)
    array([0., 1.])
    """

    def __init__(self, weight: float | None = None, batch_axis: int = 0, margin: float = 0, **kwargs: Any) -> None:
        super().__init__(weight, batch_axis, **kwargs)
        self._margin = check_number(self, "margin", margin)

    def forward(self, input1: Any, input2: Any, label: Any, sample_weight: Any = None) -> ndarray:
        y = array(input2)
        cosine = np.reshape(_cosine(self._like(input1, y, "input1"), y), (-1, 1))
        like = self._like(label, cosine)
        loss = np.where(like == 1, 1 - cosine, npx.relu(cosine - self._margin))
        return self._finished(loss, sample_weight)


def _cosine(x: Any, y: Any) -> Any:
    """The cosine of the angle between vectors along the last axis; 0, and so is its slope, where one has no length.

    Lengths are kept away from 0 before the root is taken, whose slope there is infinite. Halves are computed in
    float32: the squares of small and of large ones are none of theirs.
    """
    dtype = x.dtype
    x, y = (v.astype(float32) if v.dtype.itemsize < 4 else v for v in (x, y))
    squares = [np.sum(np.square(v), -1) for v in (x, y)]
    lengths = [np.sqrt(np.maximum(square, 1e-30)) for square in squares]
    cosine = np.sum(x * y, -1) / np.maximum(lengths[0] * lengths[1], 1e-12)
    cosine = np.where(np.logical_and(squares[0] > 0, squares[1] > 0), cosine, 0)
    return cosine.astype(dtype) if dtype.itemsize < 4 else cosine


class SDMLLoss(Loss):
    """Compare two batches of vectors, where row i of `x1` belongs to row i of `x2` and to no other row.

    The method is smoothed deep metric learning.

    The divergence of softmax(-distances²) of a row to all rows from a distribution that gives its own
    1 - smoothing_parameter, and shares the rest among the others.

    Args:
        smoothing_parameter: what is left for the other rows, from 0 to 1.
        weight: a number that the loss is multiplied by.
        batch_axis: 0; accepted for MXNet.

    Called with `x1` and `x2`, [batch, n]. Gives [batch]: of the divergence the sum, as in MXNet 1.9 and the paper.

    Raises:
        ArgumentError E366: `smoothing_parameter` is no probability.
        ShapeError E139: `x1` and `x2` are not [batch, n] of one size, with two rows at least.

    Source: Bonadiman, Kumar & Mittal 2019, equation 3.

    >>> from hybridize import np
    >>> from hybridize.gluon import loss
    >>> loss.SDMLLoss()(np.array([[0.0], [5.0]]), np.array([[0.0], [5.0]])).shape
    (2,)
    """

    def __init__(
        self, smoothing_parameter: float = 0.3, weight: float | None = 1.0, batch_axis: int = 0, **kwargs: Any
    ) -> None:
        super().__init__(weight, batch_axis, **kwargs)
        if not hasattr(smoothing_parameter, "__float__") or not 0 <= smoothing_parameter < 1:
            raise ArgumentError("E366", f"SDMLLoss: smoothing_parameter must be in [0, 1), got {smoothing_parameter!r}")
        self.smoothing_parameter = smoothing_parameter

    def forward(self, x1: Any, x2: Any) -> ndarray:
        x1, x2 = array(x1), array(x2)
        if x1.ndim != 2 or x2.ndim != 2 or x1.shape != x2.shape or x1.shape[0] < 2:
            raise ShapeError(
                "E139",
                f"SDMLLoss needs two batches [batch, n] of the same shape, got {x1.type} and {x2.type}",
                help="row i of one batch is paired with row i of the other; give at least two rows",
            )
        distances = np.sum(np.square(np.expand_dims(x1, 1) - np.expand_dims(x2, 0)), 2)
        scores = npx.log_softmax(-distances, 1)
        others = npx.shape_array(x1)[0].astype(scores.dtype) - 1  # an array: one program serves all batches
        rows = np.arange(x1.shape[0])
        target = np.where(
            np.expand_dims(rows, 1) == rows, 1 - self.smoothing_parameter, self.smoothing_parameter / others
        )
        loss = target * (np.log(target + 1e-12) - scores)
        return weighted(sum_of_samples(loss, 0), self._weight)
