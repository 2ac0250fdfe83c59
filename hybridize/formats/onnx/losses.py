# SPDX-License-Identifier: Apache-2.0
"""Rows of ONNX's losses of labels."""

from __future__ import annotations

from typing import Any

from hybridize import ops
from hybridize.base.dtypes import int64
from hybridize.formats.foreign.walk import Application
from hybridize.formats.onnx.vocabulary import ONNX
from hybridize.ops import composites
from hybridize.ops.library.losses import losses_of_labels
from hybridize.ops.op import Operand, type_of


@ONNX("NegativeLogLikelihoodLoss")
def of_logarithms(n: Application, logs: Operand, labels: Operand, weight: Operand | None = None) -> Operand:
    """Minus the logarithms of the classes that are named, each, their sum, or their mean by what they weigh."""
    labels, skipped = ops.cast(labels, int64), None
    if n.has("ignore_index"):
        skipped = ops.eq(labels, ops.like(n.integer("ignore_index"), labels))
        labels = ops.where(skipped, ops.like(0, labels), labels)
    loss, shares = losses_of_labels(logs, labels, skipped, weight, 1)
    reduction, every = n.text("reduction", "mean", ("none", "mean", "sum")), tuple(range(type_of(loss).ndim))
    if reduction == "none":
        return loss
    return ops.sum(loss, every) if reduction == "sum" else ops.div(ops.sum(loss, every), ops.sum(shares, every))


@ONNX("SoftmaxCrossEntropyLoss")
def of_scores(n: Application, scores: Operand, labels: Operand, weight: Operand | None = None) -> Any:
    """The same of scores, and the logarithms of their softmax."""
    logs = composites.log_softmax(scores, 1)
    return of_logarithms(n, logs, labels, weight), logs
