# SPDX-License-Identifier: Apache-2.0
"""Losses whose decompositions by PyTorch have other values or gradients than the losses themselves."""

from __future__ import annotations

from typing import Any

from hybridize import ops
from hybridize.base.dims import broadcast
from hybridize.base.dtypes import bool_, int64
from hybridize.base.errors import CaptureError
from hybridize.formats.torch_export.refusals import between, within
from hybridize.formats.torch_export.registry import Types, aten, operand
from hybridize.ops import Operand, composites, type_of

_NONE, _MEAN = 0, 1
"""PyTorch's numbers of reductions; the third is a sum."""


def reduced(loss: Operand, reduction: int) -> Operand:
    """Return a loss of elements, its mean or its sum, by the number of a reduction."""
    if reduction == _NONE:
        return loss
    axes = tuple(range(type_of(loss).ndim))
    return composites.mean(loss, axes) if reduction == _MEAN else ops.sum(loss, axes)


@aten("binary_cross_entropy.default")
def _binary_cross_entropy(
    types: Types, x: Operand, target: Operand, weight: Operand | None = None, reduction: int = _MEAN
) -> Operand:
    """-target log x - (1 - target) log(1 - x), with logarithms from -100 on.

    The gradient is PyTorch's, (x - target) / max(x (1 - x), 1e-12): where a probability is 0 or 1 the logarithms go on
    as parabolas, whose slopes are (1 - x) 1e12 and -x 1e12.
    """
    kind = type_of(x)
    one, target = ops.like(1, x), operand(target, kind.dtype, kind.shape)
    between(x, "all elements of input should be between 0 and 1")
    between(target, "all elements of target should be between 0 and 1")
    square = ops.mul(ops.mul(x, x), ops.like(0.5e12, x))
    saturated = ops.lt(ops.mul(x, ops.sub(one, x)), ops.like(1e-12, x))
    inner = ops.where(saturated, ops.like(0.5, x), x)

    def bounded(logarithm: Operand, slope: Operand) -> Operand:
        value = ops.stop_gradient(ops.max(logarithm, ops.like(-100, x)))
        return ops.add(value, ops.sub(slope, ops.stop_gradient(slope)))

    of_one = ops.where(saturated, bounded(ops.log(x), ops.sub(ops.mul(x, ops.like(1e12, x)), square)), ops.log(inner))
    of_zero = ops.where(saturated, bounded(ops.log1p(ops.neg(x)), ops.neg(square)), ops.log1p(ops.neg(inner)))
    loss = ops.sub(ops.mul(ops.sub(target, one), of_zero), ops.mul(target, of_one))
    if weight is not None:
        loss = ops.mul(loss, operand(weight, kind.dtype, kind.shape))
    return reduced(loss, reduction)


@aten("smooth_l1_loss.default")
def _smooth_l1(types: Types, x: Any, target: Any, reduction: int = _MEAN, beta: float = 1.0) -> Operand:
    """d d / (2 beta) of differences below beta, else the distance less beta / 2."""
    apart, distance = _difference(types, x, target)
    if beta == 0:
        return reduced(distance, reduction)
    near = ops.bit_not(ops.ge(distance, ops.like(beta, distance)))  # NaN, too, whose slope is NaN
    inner = ops.where(near, apart, ops.like(0, apart))
    bent = ops.div(ops.mul(ops.mul(inner, inner), ops.like(0.5, inner)), ops.like(beta, inner))
    return reduced(ops.where(near, bent, ops.sub(distance, ops.like(0.5 * beta, distance))), reduction)


@aten("huber_loss.default")
def _huber(types: Types, x: Any, target: Any, reduction: int = _MEAN, delta: float = 1.0) -> Operand:
    """d d / 2 of differences up to delta, else delta times the distance less delta / 2."""
    apart, distance = _difference(types, x, target)
    near = ops.bit_not(ops.gt(distance, ops.like(delta, distance)))  # NaN, too
    inner = ops.where(near, apart, ops.like(0, apart))
    bent = ops.mul(ops.mul(inner, inner), ops.like(0.5, inner))
    straight = ops.mul(ops.sub(distance, ops.like(0.5 * delta, distance)), ops.like(delta, distance))
    return reduced(ops.where(near, bent, straight), reduction)


def _difference(types: Types, x: Any, target: Any) -> tuple[Operand, Operand]:
    """Return the difference of two broadcast tensors, and its size."""
    shape = broadcast(type_of(x).shape, type_of(target).shape) or ()
    apart = ops.sub(operand(x, types[0].dtype, shape), operand(target, types[0].dtype, shape))
    return apart, ops.abs(apart)


@aten("multilabel_margin_loss_forward.default")
def _multilabel_margin(types: Types, x: Operand, target: Operand, reduction: int) -> tuple[Operand, Operand]:
    """The sum over labels j and other classes i of max(0, 1 - x[j] + x[i]), by the number of classes.

    Labels end before the first negative number of a row.

    Returns:
        the loss, and 1 for each class that is a label.

    Raises:
        CaptureError E422: the loss of one sample without a reduction, whose shape PyTorch's tracer takes for another.
    """
    single, shape = type_of(x).ndim < 2, type_of(x).shape
    if single and reduction == _NONE:
        raise CaptureError(
            "E422", "a MultiLabelMarginLoss of one sample without reduction cannot be compiled", help='reduction="sum"'
        )
    rows = 1 if single else shape[0]
    classes = type_of(x).size if single else shape[1]
    flat, dtype = (rows, classes), type_of(x).dtype
    x, labels = ops.reshape(x, flat), ops.reshape(operand(target, int64, type_of(target).shape), flat)
    given = ops.cum_prod(ops.cast(ops.ge(labels, ops.like(0, labels)), int64), 1)
    counted = ops.eq(given, ops.like(1, given))
    labels = within(ops.where(counted, labels, ops.like(0, labels)), classes, message="target is out of range")
    cube = (rows, classes, classes)  # of labels and classes
    named = ops.eq(ops.spread(labels, cube, (2,)), ops.iota(cube, 2, int64))
    of_label = ops.spread(counted, cube, (2,))
    is_label = ops.any(ops.bit_and(named, of_label), (1,))
    apart = ops.sub(ops.spread(x, cube, (1,)), ops.spread(ops.take_along_axis(x, labels, 1), cube, (2,)))
    margin = composites.relu(ops.add(apart, ops.like(1, apart)))
    other = ops.bit_not(ops.spread(is_label, cube, (1,)))
    total = ops.sum(ops.where(ops.bit_and(of_label, other), margin, ops.like(0, margin)), (1, 2))
    loss = ops.div(total, ops.like(classes, total))
    return reduced(loss, reduction), ops.reshape(ops.cast(operand(is_label, bool_, flat), dtype), types[1].shape)
