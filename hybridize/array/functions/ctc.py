# SPDX-License-Identifier: Apache-2.0
"""Connectionist temporal classification: how probable a label is under scores whose alignment is not known."""

from __future__ import annotations

import math
import operator
from typing import Any

from hybridize import ops
from hybridize.array import functions as np
from hybridize.array.device import is_away
from hybridize.array.functions.alignments import NEVER, summed
from hybridize.array.functions.bounds import check
from hybridize.array.functions.neural import log_softmax, used
from hybridize.array.functions.searching import along
from hybridize.array.ndarray import ndarray
from hybridize.array.operands import array, operand, public, result
from hybridize.array.operands import indices as index_operand
from hybridize.base.dtypes import bfloat16, float16, float32, int64
from hybridize.base.errors import ArgumentError, ShapeError
from hybridize.base.promotion import floating
from hybridize.base.types import TensorType
from hybridize.ops.op import Operand, bind, type_of
from hybridize.ops.tracing import make_graph


@public
def ctc_loss(
    data: Any,
    label: Any,
    data_lengths: Any = None,
    label_lengths: Any = None,
    use_data_lengths: bool | None = None,
    use_label_lengths: bool | None = None,
    blank_label: str = "first",
) -> Any:
    """Return -log of the probability of all alignments of `data` [steps, batch, classes] that read as `label`.

    An alignment has one class for each step; it is read by joining equal neighbours and leaving blanks out. All are
    summed at once, step by step, by the logarithms of the probabilities of their beginnings (equations 6 to 8).

    Source: Graves et al. 2006, section 4.1.

    Args:
        data: [steps, batch, classes], any float; scores, of which the softmax is taken.
        label: [batch, length], classes; after the end of a shorter one 0 (blank first) or -1 (blank last).
        data_lengths: [batch], how many steps count; None: all.
        label_lengths: [batch], how long the labels are; None: until the first 0 or -1.
        use_data_lengths: False: `data_lengths` does not count; by default what is given does.
        use_label_lengths: the same of `label_lengths`.
        blank_label: `first`, the blank is class 0 and labels count from 1, or `last`, and they count from 0.

    Returns:
        [batch], float; infinite, with gradient 0, where the label has no alignment because it is too long.

    Raises:
        ShapeError E139: axes or sizes that do not go together.
        ArgumentError E367: `blank_label` is neither.

    >>> npx.ctc_loss(np.zeros((3, 1, 3)), np.array([[1, 2]])).round(4)
    array([1.6864])
    """
    if blank_label not in ("first", "last"):
        raise ArgumentError("E367", f"ctc_loss has no blank_label {blank_label!r}", help="use first or last")
    data_lengths = used(data_lengths, use_data_lengths, "ctc_loss", "data_lengths")
    label_lengths = used(label_lengths, use_label_lengths, "ctc_loss", "label_lengths")
    x, classes = array(data), result(index_operand(label))
    if x.ndim != 3 or classes.ndim != 2 or x.shape[1] != classes.shape[0]:
        raise ShapeError(
            "E139",
            f"ctc_loss needs scores [steps, batch, classes] and labels [batch, length], got {x.type} and "
            f"{array(label).type}",
            help="of CTCLoss, layout and label_layout say which axis is which",
        )
    steps, batch = operator.index(x.shape[0]), x.shape[1]
    wide = float32 if x.dtype in (float16, bfloat16) else floating(x.dtype)
    blank = 0 if blank_label == "first" else x.shape[2] - 1
    sizes = _counted(classes, 0 if blank_label == "first" else -1) if label_lengths is None else label_lengths
    sizes = result(index_operand(sizes))
    check(operand(sizes), 0, classes.shape[1] + 1, f"ctc_loss, lengths of labels {classes.type}", "a label is as long")
    is_label = np.less(np.arange(classes.shape[1], dtype=int64), np.expand_dims(sizes, 1))
    classes = np.where(is_label, classes, blank)  # what comes after the end of a label may be any number
    check(operand(classes), 0, x.shape[2], f"ctc_loss of {x.shape[2]} classes, labels")
    scores = log_softmax(x.astype(wide), -1)
    path, ends = path_of(classes, blank), np.reshape(sizes, (batch, 1)) * 2
    counted = None if data_lengths is None else counting(steps, data_lengths)
    parts = path, ends, counted
    arrays = [part for part in (scores, *parts) if part is not None]
    if steps and all(type(one) is ndarray and not is_away(one.device) for one in arrays):
        plain = path.asnumpy(), ends.asnumpy(), None if counted is None else counted.asnumpy()
        total = summed(scores, lambda of: composed(of, *plain, blank), *plain, blank)
    else:
        total = composed(scores, *parts, blank)
    loss = np.where(total > 0.5 * NEVER, -total, math.inf)
    return loss if x.dtype == wide else loss.astype(floating(x.dtype))


def composed(scores: Any, path: Any, ends: Any, counted: Any, blank: int) -> Any:
    """The logarithms of the probabilities [batch] of labels.

    Args:
        scores: [steps, batch, classes], logarithms of probabilities.
        path: [batch, states], the classes of the label with blanks between.
        ends: [batch, 1], the last state of the path.
        counted: [steps, batch], whether a step is one of the sequence's; None: all are.
        blank: the class of blanks.
    """
    wide, steps = scores.dtype, operator.index(scores.shape[0])
    batch, states = path.shape[0], operator.index(path.shape[1])
    emitted = np.maximum(along(scores, np.expand_dims(path, 0), 2), NEVER)
    skips = np.where(np.logical_and(path != blank, path != _shifted(path, 2, blank)), 0.0, NEVER).astype(wide)
    start = np.concatenate([np.full((batch, 1), 0.0, dtype=wide), np.full((batch, states - 1), NEVER, dtype=wide)], 1)
    last = _last([start, emitted] if counted is None else [start, emitted, counted], skips, steps)
    total = np.logaddexp(
        along(last, ends, 1),
        np.where(ends > 0, along(last, np.maximum(ends - 1, 0), 1), NEVER),
    )
    return np.reshape(total, (batch,))


def _counted(classes: Any, after: int) -> Any:
    """The lengths of labels [batch, length] that end before the first class `after`."""
    length = classes.shape[1]
    if length == 0:
        return np.zeros((classes.shape[0],), dtype=int64)
    return np.min(np.where(classes == after, np.arange(length, dtype=int64), length), 1)


def path_of(classes: Any, blank: int) -> Any:
    """Labels [batch, length] with a blank before, between and after: [batch, 2 length + 1]."""
    batch, length = classes.shape
    pairs = np.stack([np.full_like(classes, blank), classes], 2)
    return np.concatenate([np.reshape(pairs, (batch, 2 * length)), np.full((batch, 1), blank, dtype=int64)], 1)


def _shifted(path: Any, by: int, blank: int) -> Any:
    """Shift a path `by` positions to later ones, blanks coming first."""
    batch, length = path.shape
    return np.concatenate([np.full((batch, min(by, length)), blank, dtype=int64), path[:, : max(length - by, 0)]], 1)


def counting(steps: int, lengths: Any) -> Any:
    """[steps, batch]: whether the step is one of the sequence's."""
    return np.reshape(np.arange(steps, dtype=int64), (-1, 1)) < np.reshape(result(index_operand(lengths)), (1, -1))


def _last(inputs: list[Any], skips: Any, steps: int) -> Any:
    """The logarithms of the probabilities of all beginnings of the path, after the last step.

    A beginning that stands at state s has come from s, from s - 1, or, where `skips` is 0, from s - 2.
    """
    operands = [operand(x) for x in (*inputs, skips)]
    kinds = [type_of(x) for x in operands]
    batch, states = kinds[0].shape

    def before(x: Operand, by: int) -> Operand:
        front = ops.slice(x, (0, 0), (batch, states - by), (1, 1))
        return ops.concat(ops.full(NEVER, TensorType((batch, by), kinds[0].dtype)), front, axis=1)

    def step(x: Operand, emitted: Operand, *rest: Operand) -> list[Operand]:
        arrived = x
        if states > 1:
            arrived = ops.log_add_exp(arrived, before(x, 1))
            arrived = ops.log_add_exp(arrived, ops.add(before(x, 2), rest[-1]))
        after = ops.add(arrived, emitted)
        if len(rest) > 1:
            after = ops.where(ops.broadcast(ops.reshape(rest[0], (batch, 1)), (batch, states)), after, x)
        return [after]

    slices = [TensorType(kind.shape[1:], kind.dtype) for kind in kinds[1:-1]]
    return result(bind(ops.Scan(make_graph(step, [kinds[0], *slices, kinds[-1]]), steps, False, 1), *operands)[0])
