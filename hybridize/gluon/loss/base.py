# SPDX-License-Identifier: Apache-2.0
"""The base of losses: labels in the shape of predictions, weights, the mean over a sample."""

from __future__ import annotations

from typing import Any

from hybridize.array import np
from hybridize.array.operands import array
from hybridize.base.errors import ArgumentError, ShapeError
from hybridize.base.promotion import NUMBERS
from hybridize.gluon.checking import check_number
from hybridize.gluon.hybrid_block import HybridBlock


class Loss(HybridBlock):
    """Compare predictions with labels and return one number for each sample. The base of losses.

    Subclasses define `forward(self, pred, label, sample_weight=None)`, or MXNet 1.x's `hybrid_forward(self, F, ...)`.

    Args:
        weight: a number that the loss is multiplied by, or None.
        batch_axis: the axis that counts the samples; over the others the mean is taken.

    Raises:
        ArgumentError E365: `weight` is no number.

    >>> from hybridize import gluon, np
    >>> class Squared(gluon.loss.Loss):
    ...     def forward(self, pred, label):
    ...         return ((pred - label) ** 2).mean(axis=1)
    >>> Squared(weight=None, batch_axis=0)(np.zeros((2, 3)), np.ones((2, 3)))
    array([1., 1.])
    """

    _repr_form = "batch_axis={0._batch_axis}, w={0._weight}"

    def __init__(self, weight: float | None = None, batch_axis: int = 0, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        if weight is not None and not isinstance(weight, NUMBERS):
            raise ArgumentError(
                "E365",
                f"the weight of {type(self).__name__} must be one number, got {type(weight).__name__}",
                help="pass weights of samples or elements to the call: loss(pred, label, sample_weight)",
            )
        self._weight = weight
        self._batch_axis = batch_axis

    def _finished(self, loss: Any, sample_weight: Any = None) -> Any:
        """Elements weighted, and their mean for each sample."""
        return mean_of_samples(weighted(loss, self._weight, sample_weight), self._batch_axis)

    def _like(self, label: Any, pred: Any, what: str = "label") -> Any:
        """A label in the shape of the prediction."""
        x = array(label)
        if x.ndim == pred.ndim and x.shape == pred.shape:
            return x
        if x.size != pred.size:
            raise ShapeError(
                "E139",
                f"{type(self).__name__} needs one {what} for each prediction, got {x.type} and {pred.type}",
                help="the numbers of elements must be equal; labels are not broadcast",
            )
        return np.reshape(x, pred.shape)


class LossWithMargin(Loss):
    """Base of losses that begin at a distance, `margin`."""

    def __init__(self, margin: float = 1, weight: float | None = None, batch_axis: int = 0, **kwargs: Any) -> None:
        super().__init__(weight, batch_axis, **kwargs)
        self._margin = check_number(self, "margin", margin)


def weighted(loss: Any, weight: float | None, sample_weight: Any = None) -> Any:
    """`loss` times `sample_weight`, of which one broadcasts to the other's shape, times `weight`; None is 1.

    Only a loss with as many axes broadcasts: one of `[batch, steps, 1]` takes weights of `[batch, steps, classes]`.

    Raises:
        ShapeError E139: `sample_weight` has another shape.
    """
    if sample_weight is not None:
        loss = _times(loss, array(sample_weight))
    return loss if weight is None or weight == 1 else loss * weight


def _times(loss: Any, by: Any) -> Any:
    why: ShapeError | None = None
    try:
        product = loss * by
        shapes = [one.shape for one in (loss, by) if one.ndim == loss.ndim]
        if product.ndim == loss.ndim and product.shape in shapes:
            return product
    except ShapeError as error:
        why = error
    raise ShapeError(
        "E139",
        f"sample_weight {by.type} does not broadcast to the loss {loss.type}",
        help="give one weight for each sample as [batch, 1]: sample_weight.reshape((-1, 1))",
    ) from why


def others(x: Any, axis: int) -> tuple[int, ...]:
    """All axes of `x` but one.

    Raises:
        ShapeError E139: it has no such axis.
    """
    if not -x.ndim <= axis < x.ndim:
        raise ShapeError(
            "E139",
            f"batch_axis={axis} is out of bounds for a prediction {x.type}",
            help="batch_axis must be an axis of the prediction",
        )
    return tuple(i for i in range(x.ndim) if i != axis % x.ndim)


def mean_of_samples(x: Any, batch_axis: int) -> Any:
    """The mean over all axes but `batch_axis`: [batch]."""
    axes = others(x, batch_axis)
    return np.mean(x, axes) if axes else x


def sum_of_samples(x: Any, batch_axis: int) -> Any:
    """The sum over all axes but `batch_axis`: [batch]."""
    axes = others(x, batch_axis)
    return np.sum(x, axes) if axes else x


def _apply_weighting(F: Any, loss: Any, weight: float | None = None, sample_weight: Any = None) -> Any:
    """`weighted` as losses written for MXNet 1.x call it."""
    return weighted(loss, weight, sample_weight)


def _reshape_like(F: Any, x: Any, y: Any) -> Any:
    """The elements of `x` in the shape of `y`, as losses written for MXNet 1.x call it."""
    return np.reshape(x, y.shape)
