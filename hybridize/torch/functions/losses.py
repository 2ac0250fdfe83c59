# SPDX-License-Identifier: Apache-2.0
"""Losses, as torch has them in C: reductions come as numbers."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy

from hybridize import ops
from hybridize.array.functions import ctc
from hybridize.array.functions.alignments import NEVER
from hybridize.array.operands import operand as of_symbol
from hybridize.array.operands import result
from hybridize.base.dims import product
from hybridize.base.dtypes import bool_, int64, is_float
from hybridize.base.errors import CaptureError
from hybridize.base.types import TensorType
from hybridize.ops import Operand, composites, type_of
from hybridize.ops.library.losses import losses_of_labels
from hybridize.torch.functions import rules
from hybridize.torch.functions.activations import log_sigmoid
from hybridize.torch.functions.linear import pairwise_distance
from hybridize.torch.functions.operands import between, check_constants, operand, within
from hybridize.torch.functions.pointwise import (
    add,
    aligned,
    clamp_min,
    divide,
    equal,
    multiply,
    negative,
    not_equal,
    subtract,
    where,
    xlogy,
)
from hybridize.torch.functions.reductions import sum_of
from hybridize.torch.functions.table import computes

NONE, MEAN, SUM = 0, 1, 2
REDUCTIONS = {"none": NONE, "mean": MEAN, "sum": SUM}


def reduced(loss: Operand, reduction: int) -> Operand:
    """Return a loss of elements, its mean or its sum, by the number of a reduction."""
    if reduction == NONE:
        return loss
    axes = tuple(range(type_of(loss).ndim))
    return composites.mean(loss, axes) if reduction == MEAN else ops.sum(loss, axes)


@computes("nn.mse_loss")
def _mse_loss(input: Operand, target: Operand, reduction: int = MEAN) -> Operand:
    apart = ops.sub(*aligned(input, target))
    return reduced(ops.mul(apart, apart), reduction)


@computes("nn.l1_loss")
def _l1_loss(input: Operand, target: Operand, reduction: int = MEAN) -> Operand:
    return reduced(ops.abs(subtract(input, target)), reduction)


def _parabola(x: Operand, bound: Any, far: Callable[[Operand, Operand], Operand]) -> tuple[Operand, Operand]:
    """Return half the square of differences that are near 0, 0 of others, and where they are near; NaN is near."""
    is_near = ops.bit_not(far(ops.abs(x), ops.like(bound, x)))
    inner = ops.where(is_near, x, ops.like(0, x))
    return ops.mul(ops.mul(inner, inner), ops.like(0.5, inner)), is_near


@computes("nn.smooth_l1_loss")
def _smooth_l1_loss(input: Operand, target: Operand, reduction: int = MEAN, beta: Any = 1.0) -> Operand:
    """d d / (2 beta) of differences below beta, else the distance less beta / 2."""
    rules.expect(beta >= 0)
    apart = ops.sub(*aligned(input, target))
    distance = ops.abs(apart)
    if beta == 0:
        return reduced(distance, reduction)
    parabola, is_near = _parabola(apart, beta, ops.ge)
    straight = ops.sub(distance, ops.like(0.5 * beta, distance))
    return reduced(ops.where(is_near, ops.div(parabola, ops.like(beta, parabola)), straight), reduction)


@computes("nn.huber_loss")
def _huber_loss(input: Operand, target: Operand, reduction: int = MEAN, delta: Any = 1.0) -> Operand:
    """d d / 2 of differences up to delta, else delta times the distance less delta / 2."""
    rules.expect(delta > 0)
    apart = ops.sub(*aligned(input, target))
    parabola, is_near = _parabola(apart, delta, ops.gt)
    straight = ops.mul(ops.sub(ops.abs(apart), ops.like(0.5 * delta, apart)), ops.like(delta, apart))
    return reduced(rules.written_as(ops.where(is_near, parabola, straight), type_of(input).dtype), reduction)


@computes("nn.soft_margin_loss")
def _soft_margin_loss(input: Operand, target: Operand, reduction: int = MEAN) -> Operand:
    check_constants("soft_margin_loss", target=target)
    apart = rules.written_as(multiply(negative(input), target), type_of(input).dtype)
    return reduced(ops.log1p(ops.exp(apart)), reduction)


@computes("nn.binary_cross_entropy", kinds="f", alike="input target")
def _binary_cross_entropy(
    input: Operand, target: Operand, weight: Operand | None = None, reduction: int = MEAN
) -> Operand:
    """-target log x - (1 - target) log(1 - x), with logarithms from -100 on.

    The gradient is PyTorch's, (x - target) / max(x (1 - x), 1e-12): where a probability is 0 or 1 the logarithms go on
    as parabolas, whose slopes are (1 - x) 1e12 and -x 1e12.
    """
    check_constants("binary_cross_entropy", weight=weight)
    x, one = input, ops.like(1, input)
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
        loss = ops.mul(loss, operand(weight, type_of(x).dtype, type_of(x).shape))
    return reduced(loss, reduction)


@computes("binary_cross_entropy_with_logits")
def _with_logits(
    input: Operand,
    target: Operand,
    weight: Operand | None = None,
    pos_weight: Operand | None = None,
    reduction: int = MEAN,
) -> Operand:
    """(1 - target) x less the logarithm of the sigmoid, times what positive answers weigh; in the target's dtype."""
    check_constants("binary_cross_entropy_with_logits", weight=weight, pos_weight=pos_weight)
    softened = log_sigmoid(input)
    if pos_weight is not None:
        softened = multiply(add(multiply(subtract(pos_weight, 1), target), 1), softened)
    dtype = type_of(target).dtype
    loss = rules.written_as(multiply(subtract(1, target), input), dtype)
    loss = rules.written_as(subtract(loss, softened), dtype)
    return reduced(loss if weight is None else rules.written_as(multiply(loss, weight), dtype), reduction)


@computes("kl_div")
def _kl_div(input: Operand, target: Operand, reduction: int = MEAN, *, log_target: bool = False) -> Operand:
    rules.expect(is_float(type_of(input).dtype) and is_float(type_of(target).dtype))
    if log_target:
        return reduced(multiply(ops.exp(target), subtract(target, input)), reduction)
    return reduced(subtract(xlogy(target, target), multiply(target, input)), reduction)


@computes("poisson_nll_loss")
def _poisson_nll_loss(
    input: Operand, target: Operand, log_input: bool, full: bool, eps: Any, reduction: int
) -> Operand:
    if log_input:
        loss = subtract(_real(ops.exp, input), multiply(target, input))
    else:
        loss = subtract(input, multiply(target, _real(ops.log, add(input, eps))))
    if full:
        logs = multiply(0.5, _real(ops.log, multiply(2 * math.pi, target)))
        stirling = add(subtract(multiply(target, _real(ops.log, target)), target), logs)
        loss = add(loss, where(ops.le(target, ops.like(1, target)), 0, stirling))
    return reduced(loss, reduction)


def _float(x: Any) -> Any:
    """Return a parameter that is a float to torch, also where an int is passed."""
    return float(x) if isinstance(x, int) else x


def _real(function: Callable[[Operand], Operand], x: Operand) -> Operand:
    """Return a function of real numbers of a tensor."""
    return function(ops.cast(x, rules.kind(rules.float_operand(x), ()).dtype))


@computes("hinge_embedding_loss")
def _hinge_embedding_loss(input: Operand, target: Operand, margin: Any = 1.0, reduction: int = MEAN) -> Operand:
    zero = ops.like(0, input)
    apart = clamp_min(ops.sub(ops.like(margin, input), input), 0)
    other, same = where(not_equal(target, 1), apart, zero), where(not_equal(target, -1), input, zero)
    return reduced(add(other, same), reduction)


@computes("margin_ranking_loss")
def _margin_ranking_loss(
    input1: Operand, input2: Operand, target: Operand, margin: Any = 0.0, reduction: int = MEAN
) -> Operand:
    apart = multiply(negative(target), subtract(input1, input2))
    return reduced(clamp_min(add(apart, _float(margin)), 0), reduction)


@computes("cosine_embedding_loss")
def _cosine_embedding_loss(
    input1: Operand, input2: Operand, target: Operand, margin: Any = 0.0, reduction: int = MEAN
) -> Operand:
    def along(x: Operand, y: Operand) -> Operand:
        return sum_of(multiply(x, y), -1)

    square, other = (add(along(one, one), 1e-12) for one in (input1, input2))  # torch's, of all dtypes
    cosine = divide(along(input1, input2), ops.sqrt(multiply(square, other)))
    zero = ops.like(0, cosine)
    near, far = subtract(1, cosine), clamp_min(subtract(cosine, _float(margin)), 0)
    return reduced(add(where(equal(target, 1), near, zero), where(equal(target, -1), far, zero)), reduction)


@computes("triplet_margin_loss")
def _triplet_margin_loss(
    anchor: Operand,
    positive: Operand,
    negative: Operand,
    margin: Any = 1.0,
    p: Any = 2.0,
    eps: Any = 1e-6,
    swap: bool = False,
    reduction: int = MEAN,
) -> Operand:
    near, far = pairwise_distance(anchor, positive, p, eps), pairwise_distance(anchor, negative, p, eps)
    if swap:
        far = ops.shared_min(far, pairwise_distance(positive, negative, p, eps))
    return reduced(clamp_min(subtract(add(_float(margin), near), far), 0), reduction)


@computes("nn.multilabel_margin_loss")
def _multilabel_margin_loss(input: Operand, target: Operand, reduction: int = MEAN) -> Operand:
    """The sum over labels j and other classes i of max(0, 1 - x[j] + x[i]), by the number of classes.

    Labels end before the first negative number of a row.
    """
    of = type_of(input)
    rules.expect(of.shape == type_of(target).shape and (of.ndim != 1 or of.shape[0] != 0))
    rows, classes = (of.shape[0] if of.ndim > 1 else 1), (of.shape[-1] if of.ndim else 1)
    flat, cube = (rows, classes), (rows, classes, classes)  # of labels and classes
    x, labels = ops.reshape(input, flat), ops.reshape(ops.cast(target, int64), flat)
    prefix = ops.cum_prod(ops.cast(ops.ge(labels, ops.like(0, labels)), int64), 1)
    counted = ops.eq(prefix, ops.like(1, prefix))
    labels = within(ops.where(counted, labels, ops.like(0, labels)), classes, message="target is out of range")
    named = ops.eq(ops.spread(labels, cube, (2,)), ops.iota(cube, 2, int64))
    of_label = ops.spread(counted, cube, (2,))
    is_label = ops.any(ops.bit_and(named, of_label), (1,))
    apart = ops.sub(ops.spread(x, cube, (1,)), ops.spread(ops.take_along_axis(x, labels, 1), cube, (2,)))
    margin = composites.relu(ops.add(apart, ops.like(1, apart)))
    other = ops.bit_not(ops.spread(is_label, cube, (1,)))
    total = ops.sum(ops.where(ops.bit_and(of_label, other), margin, ops.like(0, margin)), (1, 2))
    loss = ops.div(total, ops.like(classes, total))
    return reduced(loss if of.ndim > 1 else ops.reshape(loss, ()), reduction)


@computes("nn.multi_margin_loss")
def _multi_margin_loss(
    input: Operand, target: Operand, p: Any = 1, margin: Any = 1.0, weight: Operand | None = None, reduction: int = MEAN
) -> Operand:
    """The sum over the other classes of max(0, margin - x[target] + x[i])^p, by the number of classes."""
    check_constants("multi_margin_loss", weight=weight)
    of = type_of(input)
    rules.expect(p in (1, 2))
    rows = of.shape[0] if of.ndim > 1 else 1
    classes = of.shape[-1] if of.ndim else 1
    flat = (rows, classes)
    rules.expect(
        classes != 0 and type_of(target).dtype == int64 and (weight is None or type_of(weight).shape == (classes,))
    )
    x, labels = ops.reshape(input, flat), within(ops.reshape(target, (rows,)), classes, message="target out of range")
    own = ops.take_along_axis(x, ops.reshape(labels, (rows, 1)), 1)
    margins = clamp_min(ops.add(ops.sub(x, operand(own, of.dtype, flat)), ops.like(margin, x)), 0)
    if p == 2:
        margins = ops.mul(margins, margins)
    if weight is not None:
        margins = ops.mul(margins, ops.spread(ops.gather(weight, labels, 0), flat, (1,)))
    others = ops.ne(ops.iota(flat, 1, int64), ops.spread(labels, flat, (1,)))
    total = ops.sum(ops.where(others, margins, ops.like(0, x)), (1,))
    loss = ops.div(total, ops.like(classes, total))
    return reduced(loss if of.ndim > 1 else ops.reshape(loss, ()), reduction)


# Of classes.


@computes("nn.nll_loss_nd", "nn.nll_loss", "nn.nll_loss2d", alike="input weight")
def _nll_loss(
    input: Operand, target: Operand, weight: Operand | None = None, reduction: int = MEAN, ignore_index: Any = -100
) -> Operand:
    return _of_labels(input, target, weight, reduction, ignore_index, 0.0)


@computes("nn.cross_entropy_loss", alike="input weight")
def _cross_entropy_loss(
    input: Operand,
    target: Operand,
    weight: Operand | None = None,
    reduction: int = MEAN,
    ignore_index: Any = -100,
    label_smoothing: Any = 0.0,
) -> Operand:
    of, by = type_of(input), type_of(target)
    rules.expect(of.ndim)
    rules.expect(0.0 <= label_smoothing <= 1.0)
    axis = 0 if of.ndim == 1 else 1
    rules.expect(is_float(of.dtype))
    logs = composites.log_softmax(input, axis)
    if of.shape != by.shape or not is_float(by.dtype):
        return _of_labels(logs, target, weight, reduction, ignore_index, label_smoothing)
    shares, classes = operand(target, of.dtype, of.shape), of.shape[axis]
    if label_smoothing > 0:
        shares = ops.add(
            ops.mul(shares, ops.like(1 - label_smoothing, shares)),
            ops.div(ops.like(label_smoothing, shares), ops.like(classes, shares)),
        )
    weighed = ops.mul(logs, shares)
    if weight is not None:
        weighed = ops.mul(weighed, _by_class(weight, of, axis))
    loss = ops.neg(ops.sum(weighed, (axis,)))
    if reduction != MEAN:
        return reduced(loss, reduction)
    rows = product(type_of(loss).shape)
    total = reduced(loss, SUM)
    return ops.div(total, ops.like(rows, total))


def _by_class(weight: Operand, of: TensorType, axis: int) -> Operand:
    shape = (of.shape[axis], *(1,) * (of.ndim - 1 - axis))
    return operand(ops.reshape(weight, shape), of.dtype, of.shape)


def _of_labels(
    x: Operand, target: Operand, weight: Operand | None, reduction: int, ignored: Any, smoothing: Any
) -> Operand:
    """Return minus the logarithms of the classes that are named; a mean is by what they weigh."""
    check_constants("nll_loss_forward", weight=weight)
    of, by = type_of(x), type_of(target)
    rules.expect(of.ndim)
    axis = 0 if of.ndim == 1 else 1
    classes, rows = of.shape[axis], (*of.shape[:axis], *of.shape[axis + 1 :])
    rules.expect(by.shape == rows and not is_float(by.dtype) and by.dtype != bool_)
    labels = operand(target, int64, by.shape)
    skipped = ops.eq(labels, ops.like(ignored, labels))
    labels = within(ops.where(skipped, ops.like(0, labels), labels), classes)
    loss, shares = losses_of_labels(x, labels, skipped, weight, axis)
    count = ops.sum(shares, tuple(range(len(rows))))
    if not smoothing:
        return _averaged(loss, count, reduction)
    each = x if weight is None else ops.mul(x, _by_class(weight, of, axis))
    even = ops.where(skipped, operand(0, of.dtype, rows), ops.neg(ops.sum(each, (axis,))))
    sharp, smooth = _averaged(loss, count, reduction), _averaged(even, count, reduction)
    part = ops.div(operand(smoothing, of.dtype, ()), operand(classes, of.dtype, ()))
    part = operand(part, of.dtype, type_of(smooth).shape)
    return ops.add(ops.mul(sharp, ops.like(1 - smoothing, sharp)), ops.mul(smooth, part))


def _averaged(loss: Operand, count: Operand, reduction: int) -> Operand:
    if reduction != MEAN:
        return reduced(loss, reduction)
    return ops.div(reduced(loss, SUM), count)


@computes("ctc_loss", kinds="f")
def _ctc_loss(
    log_probs: Operand,
    targets: Any,
    input_lengths: Any,
    target_lengths: Any,
    blank: Any = 0,
    reduction: int = MEAN,
    zero_infinity: bool = False,
) -> Operand:
    """The mean is of losses that are divided by the lengths of their targets."""
    of = type_of(log_probs)
    alone = of.ndim == 2
    steps, batch, classes = (of.shape[0], 1, of.shape[1]) if alone else of.shape
    rules.expect(0 <= blank < classes)
    lengths = _lengths(target_lengths, batch)
    labels = ops.cast(_padded(targets, target_lengths, batch), int64)
    wide = type_of(labels).shape
    within(lengths, wide[1] + 1, message="target_lengths are at most the length of the targets")
    counts = ops.broadcast(ops.reshape(lengths, (batch, 1)), wide)
    labels = ops.where(ops.lt(ops.iota(wide, 1, int64), counts), labels, ops.like(blank, labels))
    labels = within(labels, classes, message="targets out of range")
    scores = ops.reshape(log_probs, (steps, batch, classes))
    counted = ctc.counting(steps, result(_lengths(input_lengths, batch)))
    ends = ops.mul(ops.reshape(lengths, (batch, 1)), operand(2, int64, (batch, 1)))
    path = ctc.path_of(result(labels), blank)
    loss = ops.neg(of_symbol(ctc.composed(result(scores), path, result(ends), counted, blank)))
    never = ops.gt(loss, ops.like(-0.5 * NEVER, loss))
    loss = ops.where(never, ops.like(0 if zero_infinity else math.inf, loss), loss)
    if reduction == MEAN:
        loss = ops.div(loss, ops.cast(ops.max(lengths, ops.like(1, lengths)), of.dtype))
    return ops.reshape(loss, ()) if alone and reduction == NONE else reduced(loss, reduction)


def _lengths(x: Any, batch: Any) -> Operand:
    """Return lengths, a tensor or numbers, as a tensor of as many as there are sequences."""
    lengths = x if rules.is_tensor(x) else ops.constant(numpy.array(x, numpy.int64))
    return ops.reshape(ops.cast(lengths, int64), (batch,))


def _padded(targets: Operand, lengths: Any, batch: Any) -> Operand:
    """Return labels as rows of one length; those that are all in one row are cut.

    Raises:
        CaptureError E422: where they are cut, data decides.
    """
    if type_of(targets).ndim == 2 or batch == 1:
        return ops.reshape(targets, (batch, product(type_of(targets).shape[-1:])))
    if rules.is_tensor(lengths):
        raise CaptureError(
            "E422",
            "ctc_loss with concatenated targets and a tensor of lengths cannot be compiled",
            help="pass targets of sizes (batch, length)",
        )
    longest, rows, start = max(lengths, default=0), [], 0
    for length in lengths:
        row = ops.slice(targets, (start,), (start + length,), (1,))
        rows.append(ops.reshape(ops.pad(row, operand(0, type_of(row).dtype), (0,), (longest - length,)), (1, longest)))
        start += length
    return ops.concat(*rows, axis=0)
