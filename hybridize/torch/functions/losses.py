# SPDX-License-Identifier: Apache-2.0
"""Losses, as torch has them in C: reductions come as numbers."""

from __future__ import annotations

import math
from typing import Any

from hybridize import ops
from hybridize.base.dims import product
from hybridize.base.dtypes import bool_, int64, is_float
from hybridize.base.errors import CaptureError
from hybridize.base.types import TensorType
from hybridize.formats.torch_export.losses import reduced
from hybridize.formats.torch_export.refusals import within
from hybridize.formats.torch_export.registry import operand
from hybridize.ops import Operand, type_of
from hybridize.torch.functions.linear import pairwise_distance
from hybridize.torch.functions.rules import as_float, aten, common, kind, shape_of, torch_dtype
from hybridize.torch.functions.table import computes

NONE, MEAN, SUM = 0, 1, 2
REDUCTIONS = {"none": NONE, "mean": MEAN, "sum": SUM}


def _pair(x: Operand, y: Operand, real: bool = False) -> tuple[Operand, Operand]:
    """Return two operands in the dtype and sizes that they have in common; that of floats where it is `real`."""
    dtype = common(x, y)
    of = kind(as_float(dtype) if real else dtype, shape_of(x, y))
    return operand(x, of.dtype, of.shape), operand(y, of.dtype, of.shape)


def _times(x: Operand, weight: Operand | None) -> Operand:
    return x if weight is None else ops.mul(x, operand(weight, type_of(x).dtype, type_of(x).shape))


@computes("nn.mse_loss")
def _mse_loss(input: Operand, target: Operand, reduction: int = MEAN) -> Operand:
    x, y = _pair(input, target)
    apart = ops.sub(x, y)
    return reduced(ops.mul(apart, apart), reduction)


@computes("nn.l1_loss")
def _l1_loss(input: Operand, target: Operand, reduction: int = MEAN) -> Operand:
    return reduced(ops.abs(ops.sub(*_pair(input, target))), reduction)


def _scalar(x: Operand, y: Operand, reduction: int) -> TensorType:
    return kind(common(x, y), shape_of(x, y) if reduction == NONE else ())


@computes("nn.smooth_l1_loss")
def _smooth_l1_loss(input: Operand, target: Operand, reduction: int = MEAN, beta: Any = 1.0) -> Operand:
    if beta < 0:
        raise RuntimeError("smooth_l1_loss does not support negative values for beta.")
    return aten("smooth_l1_loss.default", _scalar(input, target, reduction), input, target, reduction, beta)


@computes("nn.huber_loss")
def _huber_loss(input: Operand, target: Operand, reduction: int = MEAN, delta: Any = 1.0) -> Operand:
    if delta <= 0:
        raise RuntimeError("huber_loss does not support non-positive values for delta.")
    return aten("huber_loss.default", _scalar(input, target, reduction), input, target, reduction, delta)


@computes("nn.soft_margin_loss")
def _soft_margin_loss(input: Operand, target: Operand, reduction: int = MEAN) -> Operand:
    x, y = _pair(input, target)
    return reduced(ops.log1p(ops.exp(ops.neg(ops.mul(x, y)))), reduction)


@computes("nn.binary_cross_entropy")
def _binary_cross_entropy(
    input: Operand, target: Operand, weight: Operand | None = None, reduction: int = MEAN
) -> Operand:
    of = type_of(input)
    result = of if reduction == NONE else of.with_shape(())
    return aten("binary_cross_entropy.default", result, input, target, weight, reduction)


@computes("binary_cross_entropy_with_logits")
def _with_logits(
    input: Operand,
    target: Operand,
    weight: Operand | None = None,
    pos_weight: Operand | None = None,
    reduction: int = MEAN,
) -> Operand:
    """(1 - target) x less the logarithm of the sigmoid, times what positive answers weigh."""
    x, y = _pair(input, target)
    softened = _log_sigmoid(x)
    if pos_weight is not None:
        of = type_of(x)
        weighed = ops.sub(operand(pos_weight, of.dtype, of.shape), ops.like(1, x))
        softened = ops.mul(softened, ops.add(ops.mul(weighed, y), ops.like(1, x)))
    loss = ops.sub(ops.mul(ops.sub(ops.like(1, y), y), x), softened)
    return reduced(_times(loss, weight), reduction)


def _log_sigmoid(x: Operand) -> Operand:
    zero = ops.like(0, x)
    return ops.sub(ops.shared_min(x, zero), ops.log1p(ops.exp(ops.neg(ops.abs(x)))))


@computes("kl_div")
def _kl_div(input: Operand, target: Operand, reduction: int = MEAN, *, log_target: bool = False) -> Operand:
    x, y = _pair(input, target)
    if log_target:
        return reduced(ops.mul(ops.exp(y), ops.sub(y, x)), reduction)
    own = aten("xlogy.Tensor", type_of(y), y, y)
    return reduced(ops.sub(own, ops.mul(y, x)), reduction)


@computes("poisson_nll_loss")
def _poisson_nll_loss(
    input: Operand, target: Operand, log_input: bool, full: bool, eps: Any, reduction: int
) -> Operand:
    x, y = _pair(input, target, real=True)
    if log_input:
        loss = ops.sub(ops.exp(x), ops.mul(y, x))
    else:
        loss = ops.sub(x, ops.mul(y, ops.log(ops.add(x, ops.like(eps, x)))))
    if full:
        large = ops.gt(y, ops.like(1, y))
        safe = ops.where(large, y, ops.like(1, y))
        half = ops.mul(ops.log(ops.mul(ops.like(2 * math.pi, y), safe)), ops.like(0.5, y))
        stirling = ops.add(ops.sub(ops.mul(safe, ops.log(safe)), safe), half)
        loss = ops.add(loss, ops.where(large, stirling, ops.like(0, y)))
    return reduced(loss, reduction)


@computes("hinge_embedding_loss")
def _hinge_embedding_loss(input: Operand, target: Operand, margin: Any = 1.0, reduction: int = MEAN) -> Operand:
    shape = shape_of(input, target)
    x, y = (operand(one, type_of(one).dtype, shape) for one in (input, target))  # the target is only compared
    zero = ops.like(0, x)
    apart = _at_least_0(ops.sub(ops.like(margin, x), x))
    other, same = ops.ne(y, ops.like(1, y)), ops.ne(y, ops.like(-1, y))
    return reduced(ops.add(ops.where(other, apart, zero), ops.where(same, x, zero)), reduction)


def _at_least_0(x: Operand) -> Operand:
    """Return what is below 0 as 0; at 0 the gradient goes through, as `clamp_min` has it."""
    return aten("clamp_min.default", type_of(x), x, 0)


@computes("margin_ranking_loss")
def _margin_ranking_loss(
    input1: Operand, input2: Operand, target: Operand, margin: Any = 0.0, reduction: int = MEAN
) -> Operand:
    x, y = _pair(input1, input2)
    of = kind(as_float(common(x, target)), shape_of(x, target))
    apart = operand(ops.sub(x, y), of.dtype, of.shape)
    signed = ops.mul(ops.neg(operand(target, of.dtype, of.shape)), apart)
    return reduced(_at_least_0(ops.add(signed, ops.like(margin, signed))), reduction)


@computes("cosine_embedding_loss")
def _cosine_embedding_loss(
    input1: Operand, input2: Operand, target: Operand, margin: Any = 0.0, reduction: int = MEAN
) -> Operand:
    x, y = _pair(input1, input2, real=True)
    axes = (type_of(x).ndim - 1,)
    tiny = ops.like(1e-12, ops.sum(x, axes))  # torch's, of all dtypes
    square, other = (ops.add(ops.sum(ops.mul(one, one), axes), tiny) for one in (x, y))
    cosine = ops.div(ops.sum(ops.mul(x, y), axes), ops.sqrt(ops.mul(square, other)))
    of = type_of(cosine)
    wanted = operand(target, type_of(target).dtype, of.shape)
    zero = ops.like(0, cosine)
    near, far = ops.sub(ops.like(1, cosine), cosine), _at_least_0(ops.sub(cosine, ops.like(margin, cosine)))
    loss = ops.add(
        ops.where(ops.eq(wanted, ops.like(1, wanted)), near, zero),
        ops.where(ops.eq(wanted, ops.like(-1, wanted)), far, zero),
    )
    return reduced(loss, reduction)


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
    return reduced(_at_least_0(ops.sub(ops.add(ops.like(margin, near), near), far)), reduction)


@computes("nn.multilabel_margin_loss")
def _multilabel_margin_loss(input: Operand, target: Operand, reduction: int = MEAN) -> Operand:
    of, by = type_of(input), type_of(target)
    if of.shape != by.shape:
        raise RuntimeError(f"inconsistent target size: {list(by.shape)} for input of size: {list(of.shape)}")
    result = of.with_shape(of.shape[:-1] if reduction == NONE and of.ndim > 1 else ())
    found = aten("multilabel_margin_loss_forward.default", [result, of], input, target, reduction)
    return found[0]


@computes("nn.multi_margin_loss")
def _multi_margin_loss(
    input: Operand, target: Operand, p: Any = 1, margin: Any = 1.0, weight: Operand | None = None, reduction: int = MEAN
) -> Operand:
    """The sum over the other classes of max(0, margin - x[target] + x[i])^p, by the number of classes."""
    of = type_of(input)
    if p not in (1, 2):
        raise RuntimeError("multi_margin_loss: only p == 1 and p == 2 supported")
    rows = of.shape[0] if of.ndim > 1 else 1
    classes = of.shape[-1] if of.ndim else 1
    flat = (rows, classes)
    x, labels = ops.reshape(input, flat), within(ops.reshape(target, (rows,)), classes, message="target out of range")
    own = ops.take_along_axis(x, ops.reshape(labels, (rows, 1)), 1)
    margins = _at_least_0(ops.add(ops.sub(x, operand(own, of.dtype, flat)), ops.like(margin, x)))
    if p == 2:
        margins = ops.mul(margins, margins)
    if weight is not None:
        margins = ops.mul(margins, ops.spread(ops.gather(weight, labels, 0), flat, (1,)))
    others = ops.ne(ops.iota(flat, 1, int64), ops.spread(labels, flat, (1,)))
    total = ops.sum(ops.where(others, margins, ops.like(0, x)), (1,))
    loss = ops.div(total, ops.like(classes, total))
    found = reduced(loss, reduction)
    return ops.reshape(found, ()) if of.ndim < 2 and reduction == NONE else found


# Of classes.


@computes("nn.nll_loss_nd", "nn.nll_loss", "nn.nll_loss2d")
def _nll_loss(
    input: Operand, target: Operand, weight: Operand | None = None, reduction: int = MEAN, ignore_index: Any = -100
) -> Operand:
    return _of_labels(input, target, weight, reduction, ignore_index, 0.0)


@computes("nn.cross_entropy_loss")
def _cross_entropy_loss(
    input: Operand,
    target: Operand,
    weight: Operand | None = None,
    reduction: int = MEAN,
    ignore_index: Any = -100,
    label_smoothing: Any = 0.0,
) -> Operand:
    of, by = type_of(input), type_of(target)
    if not of.ndim:
        raise RuntimeError("input must have at least one dimension")
    if not 0.0 <= label_smoothing <= 1.0:
        raise RuntimeError(f"label_smoothing must be between 0.0 and 1.0. Got: {label_smoothing}")
    axis = 0 if of.ndim == 1 else 1
    logs = aten("log_softmax.int", of, input, axis)
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
    of, by = type_of(x), type_of(target)
    if not of.ndim:
        raise RuntimeError("Expected 1 or more dimensions (got 0)")
    axis = 0 if of.ndim == 1 else 1
    classes, rows = of.shape[axis], (*of.shape[:axis], *of.shape[axis + 1 :])
    if by.shape != rows:
        if axis and by.ndim and by.shape[0] != of.shape[0]:
            raise ValueError(f"Expected input batch_size ({of.shape[0]}) to match target batch_size ({by.shape[0]}).")
        raise RuntimeError(f"Expected target size {list(rows)}, got {list(by.shape)}")
    if is_float(by.dtype) or by.dtype == bool_:
        raise RuntimeError(f"expected scalar type Long but found {torch_dtype(by.dtype)}")
    labels = operand(target, int64, by.shape)
    skipped = ops.eq(labels, ops.like(ignored, labels))
    labels = within(ops.where(skipped, ops.like(0, labels), labels), classes)
    lone = (*rows[:axis], 1, *rows[axis:])
    picked = ops.reshape(ops.take_along_axis(x, ops.reshape(labels, lone), axis), rows)
    zero = operand(0, of.dtype, rows)
    shares = operand(1, of.dtype, rows) if weight is None else ops.cast(ops.gather(weight, labels, 0), of.dtype)
    shares = ops.where(skipped, zero, shares)
    loss = ops.neg(ops.where(skipped, zero, ops.mul(picked, shares)))
    count = ops.sum(shares, tuple(range(len(rows))))
    if not smoothing:
        return _averaged(loss, count, reduction)
    each = x if weight is None else ops.mul(x, _by_class(weight, of, axis))
    even = ops.where(skipped, zero, ops.neg(ops.sum(each, (axis,))))
    sharp, smooth = _averaged(loss, count, reduction), _averaged(even, count, reduction)
    part = ops.div(operand(smoothing, of.dtype, ()), operand(classes, of.dtype, ()))
    part = operand(part, of.dtype, type_of(smooth).shape)
    return ops.add(ops.mul(sharp, ops.like(1 - smoothing, sharp)), ops.mul(smooth, part))


def _averaged(loss: Operand, count: Operand, reduction: int) -> Operand:
    if reduction != MEAN:
        return reduced(loss, reduction)
    return ops.div(reduced(loss, SUM), count)


@computes("ctc_loss")
def _ctc_loss(
    log_probs: Operand,
    targets: Operand,
    input_lengths: Any,
    target_lengths: Any,
    blank: Any = 0,
    reduction: int = MEAN,
    zero_infinity: bool = False,
) -> Operand:
    raise CaptureError("E422", "ctc_loss cannot be compiled", help="compute it outside, of what the module returns")


@computes("F.gaussian_nll_loss")
def _gaussian_nll_loss(
    input: Operand, target: Operand, var: Any, full: bool = False, eps: Any = 1e-6, reduction: str = "mean"
) -> Operand:
    """Variances are from 0, which the program asserts; those below eps count as that, their slope goes through."""
    of = type_of(input)
    if isinstance(var, (int, float)):
        if var < 0:
            raise ValueError("var has negative entry/entries")
        var = operand(var, of.dtype, of.shape)
    by = type_of(var)
    if by.shape != of.shape:
        if by.shape == of.shape[:-1]:
            var = ops.reshape(var, (*by.shape, 1))
        elif by.ndim != of.ndim or [y for x, y in zip(of.shape, by.shape, strict=True) if x != y] != [1]:
            raise ValueError("var is of incorrect size")
    if reduction not in REDUCTIONS:
        raise ValueError(f"{reduction} is not valid")
    zero = ops.like(0, var)
    fine = ops.bit_not(ops.any(ops.lt(var, zero), tuple(range(type_of(var).ndim))))
    ops.bind(ops.Permitted("var has negative entry/entries"), fine)
    moved = ops.sub(aten("clamp_min.default", type_of(var), var, eps), var)
    var = ops.add(var, ops.stop_gradient(moved))
    x, y = _pair(input, target)
    apart = ops.sub(x, y)
    total = kind(common(apart, var), shape_of(apart, var))
    spread, apart = operand(var, total.dtype, total.shape), operand(apart, total.dtype, total.shape)
    loss = ops.add(ops.log(spread), ops.div(ops.mul(apart, apart), spread))
    if full:
        loss = ops.add(loss, ops.like(math.log(2 * math.pi), loss))
    return reduced(ops.mul(loss, ops.like(0.5, loss)), REDUCTIONS[reduction])
