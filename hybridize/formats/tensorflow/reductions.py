# SPDX-License-Identifier: Apache-2.0
"""Rows of TensorFlow that fold axes: sums, means, extremes, positions, running sums, softmax."""

from __future__ import annotations

from collections.abc import Callable

from hybridize import ops
from hybridize.formats.foreign.arrays import kept
from hybridize.formats.foreign.known import Known
from hybridize.formats.foreign.vocabulary import Application
from hybridize.formats.tensorflow.vocabulary import TENSORFLOW
from hybridize.ops import composites
from hybridize.ops.op import Operand, type_of


def _row(fold: Callable[[Operand, tuple[int, ...]], Operand]) -> Callable[..., Operand]:
    def reduced(n: Application, x: Operand, axes: Known) -> Operand:
        kind = type_of(x)
        along = tuple(sorted(set(n.axes_of(axes.list(), kind.ndim))))
        return kept(fold(x, along), kind, along, n.flag("keep_dims")) if along else x

    return reduced


for _name, _fold in {
    "Sum": ops.sum, "Mean": composites.mean, "Max": ops.reduce_max, "Min": ops.reduce_min, "Prod": ops.prod,
    "All": ops.all, "Any": ops.any,
}.items():  # fmt: skip
    TENSORFLOW(_name, known=(1,))(_row(_fold))


@TENSORFLOW("Softmax")
def softmax(n: Application, x: Operand) -> Operand:
    """The softmax along the last axis."""
    return composites.softmax(x, type_of(x).ndim - 1)


@TENSORFLOW("LogSoftmax")
def log_softmax(n: Application, x: Operand) -> Operand:
    """The logarithm of the softmax along the last axis."""
    return composites.log_softmax(x, type_of(x).ndim - 1)
