# SPDX-License-Identifier: Apache-2.0
"""Rows of TensorFlow that fold axes: sums, means, extremes, positions, running sums, softmax, losses."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy

from hybridize import ops
from hybridize.base.dtypes import float32, int32, int64
from hybridize.formats.foreign.arrays import aligned, kept
from hybridize.formats.foreign.known import Known
from hybridize.formats.foreign.shared import running_row
from hybridize.formats.foreign.walk import Application
from hybridize.formats.tensorflow.shapes import dtype_of
from hybridize.formats.tensorflow.vocabulary import TENSORFLOW
from hybridize.ops import composites
from hybridize.ops.library.norms import log_cum_sum_exp
from hybridize.ops.op import Operand, type_of


def _row(fold: Callable[[Operand, tuple[int, ...]], Operand]) -> Callable[..., Operand]:
    def reduced(n: Application, x: Operand, axes: Known) -> Operand:
        kind, keeps = type_of(x), n.flag("keep_dims")
        along = tuple(sorted(set(n.axes_of(axes.list(), kind.ndim))))
        return kept(fold(x, along), kind, along, keeps) if along else x

    return reduced


for _name, _fold in {
    "Sum": ops.sum, "Mean": composites.mean, "Max": ops.reduce_max, "Min": ops.reduce_min, "Prod": ops.prod,
    "EuclideanNorm": lambda x, axes: ops.sqrt(ops.sum(ops.mul(x, x), axes)), "All": ops.all, "Any": ops.any,
}.items():  # fmt: skip
    TENSORFLOW(_name, known=(1,))(_row(_fold))


def _position(first: Callable[..., Operand]) -> Callable[..., Operand]:
    def row(n: Application, x: Operand, axis: Known) -> Operand:
        y = first(x, n.axis_of(axis.item(), type_of(x).ndim))
        return ops.cast(y, dtype_of(n, "output_type", int64))

    return row


TENSORFLOW("ArgMax", known=(1,))(_position(ops.arg_max))
TENSORFLOW("ArgMin", known=(1,))(_position(ops.arg_min))


TENSORFLOW("Cumsum", known=(1,))(running_row(ops.cum_sum, 0))
TENSORFLOW("Cumprod", known=(1,))(running_row(ops.cum_prod, 1))
TENSORFLOW("CumulativeLogsumexp", known=(1,))(running_row(log_cum_sum_exp, -math.inf))


@TENSORFLOW("Softmax")
def softmax(n: Application, x: Operand) -> Operand:
    """The softmax along the last axis."""
    return composites.softmax(x, type_of(x).ndim - 1)


@TENSORFLOW("LogSoftmax")
def log_softmax(n: Application, x: Operand) -> Operand:
    """The logarithm of the softmax along the last axis."""
    return composites.log_softmax(x, type_of(x).ndim - 1)


@TENSORFLOW("L2Loss")
def half_square_sum(n: Application, x: Operand) -> Operand:
    """Half the sum of squares."""
    total = ops.sum(ops.mul(x, x), tuple(range(type_of(x).ndim)))
    return ops.mul(total, ops.like(0.5, total))


@TENSORFLOW("SparseSoftmaxCrossEntropyWithLogits")
def cross_entropy_of_classes(n: Application, logits: Operand, labels: Operand) -> tuple[Operand, Operand]:
    """The loss of each row whose class is given, and its gradient by the logits."""
    kind = type_of(logits)
    own = composites.one_hot(ops.cast(labels, int64), kind.shape[1], dtype=kind.dtype)
    return _cross_entropy(logits, own)


@TENSORFLOW("SoftmaxCrossEntropyWithLogits")
def cross_entropy(n: Application, logits: Operand, labels: Operand) -> tuple[Operand, Operand]:
    """The loss of each row whose probabilities are given, and its gradient by the logits."""
    return _cross_entropy(logits, labels)


def _cross_entropy(logits: Operand, labels: Operand) -> tuple[Any, ...]:
    logs = composites.log_softmax(logits, 1)
    loss = ops.neg(ops.sum(ops.mul(logs, labels), (1,)))
    return loss, ops.sub(ops.exp(logs), labels)


@TENSORFLOW("Bucketize")
def bucketize(n: Application, x: Operand) -> Operand:
    """The number of boundaries that are not above each element."""
    kind, ends = type_of(x), numpy.array(n.numbers("boundaries"), float32)
    shape = (*kind.shape, len(ends))
    above = ops.ge(ops.spread(ops.cast(x, float32), shape, (kind.ndim,)), aligned(ops.constant(ends), shape))
    return ops.sum(ops.cast(above, int32), (kind.ndim,))
