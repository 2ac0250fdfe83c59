# SPDX-License-Identifier: Apache-2.0
"""Losses of labels: minus the logarithms of the probabilities of the classes that are named."""

from __future__ import annotations

from hybridize.ops.arithmetic import mul, neg, where
from hybridize.ops.indexing import gather, take_along_axis
from hybridize.ops.op import Operand, type_of
from hybridize.ops.views import cast, like, reshape


def losses_of_labels(
    logs: Operand, labels: Operand, skipped: Operand | None, weight: Operand | None, axis: int
) -> tuple[Operand, Operand]:
    """Return the loss of each label, and what it weighs.

    Args:
        logs: logarithms of probabilities, with the classes along an axis.
        labels: i64, the classes that are named, of the shape of the others.
        skipped: true where a label does not count; None: all do.
        weight: of each class, [classes]; None: 1.
        axis: of the classes.
    """
    shape = type_of(labels).shape
    lone = (*shape[:axis], 1, *shape[axis:])
    picked = reshape(take_along_axis(logs, reshape(labels, lone), axis), shape)
    shares = like(1, picked) if weight is None else cast(gather(weight, labels, 0), type_of(logs).dtype)
    loss = mul(picked, shares)
    if skipped is not None:
        shares, loss = (where(skipped, like(0, one), one) for one in (shares, loss))
    return neg(loss), shares
