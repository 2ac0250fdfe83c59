# SPDX-License-Identifier: Apache-2.0
"""Rows of ONNX that scale arrays by their own statistics: of a batch, of images, of groups, of the last axes."""

from __future__ import annotations

from typing import Any

from hybridize import ops
from hybridize.base import dims
from hybridize.base.dtypes import float32, is_float
from hybridize.formats.foreign.arrays import aligned, kept
from hybridize.formats.foreign.walk import Application
from hybridize.formats.onnx.vocabulary import ONNX
from hybridize.ops import composites
from hybridize.ops.library.columns import local_response_norm
from hybridize.ops.library.norms import norm
from hybridize.ops.op import Operand, type_of
from hybridize.ops.views import wide as widened


@ONNX("BatchNormalization")
def batch_norm(n: Application, x: Operand, gamma: Operand, beta: Operand, mean: Operand, variance: Operand) -> Any:
    """Channels scaled and moved by their means and variances: those of the model, or of the batch while it trains."""
    if n.node.version < 14 and sum(map(bool, n.node.outputs)) > 1:
        n.fail("it trains", help="export the model for inference, or in operator set 14 or later")
    if not n.flag("spatial", True):
        n.fail("the attribute spatial is 0: statistics of each element are not supported")
    eps, momentum = n.number("epsilon", 1e-5), n.number("momentum", 0.9)
    if not n.flag("training_mode"):
        return composites.batch_norm(x, gamma, beta, mean, variance, 1, eps)
    y, centre, square = composites.batch_norm_of_batch(x, gamma, beta, 1, eps)

    def moved(old: Operand, new: Operand) -> Operand:
        new = ops.cast(new, type_of(old).dtype)
        return ops.add(ops.mul(old, ops.like(momentum, old)), ops.mul(new, ops.like(1 - momentum, new)))

    return y, moved(mean, centre), moved(variance, square)


@ONNX("InstanceNormalization")
def instance_norm(n: Application, x: Operand, gamma: Operand, beta: Operand) -> Operand:
    """Images scaled and moved by their own mean and variance."""
    return composites.instance_norm(x, gamma, beta, n.number("epsilon", 1e-5))


@ONNX("LayerNormalization")
def layer_norm(n: Application, x: Operand, gamma: Operand, beta: Operand | None = None) -> Any:
    """The last axes, from one on, scaled and moved by their mean and variance."""
    kind = type_of(x)
    axis, eps = n.axis(x, default=-1), n.number("epsilon", 1e-5)
    stashed = float32 if n.integer("stash_type", 1) == 1 else kind.dtype
    axes = tuple(range(axis, kind.ndim))
    if len(n.node.outputs) == 1 and axis == kind.ndim - 1 and type_of(gamma).ndim == 1:
        shift = ops.like(0, gamma) if beta is None else beta
        if dims.same(type_of(gamma).shape[0], kind.shape[-1]):
            return composites.layer_norm(x, gamma, shift, axis, eps)
    wide = ops.cast(x, widened(kind.dtype)) if is_float(kind.dtype) else x
    centre = composites.mean(wide, axes)
    apart = ops.sub(wide, ops.spread(centre, kind.shape, axes))
    square = composites.mean(ops.mul(apart, apart), axes)
    inverse = ops.rsqrt(ops.add(square, ops.like(eps, square)))
    y = ops.cast(ops.mul(apart, ops.spread(inverse, kind.shape, axes)), kind.dtype)
    y = ops.mul(y, aligned(gamma, kind.shape))
    y = y if beta is None else ops.add(y, aligned(beta, kind.shape))
    ones = tuple(1 if k in axes else size for k, size in enumerate(kind.shape))
    return y, *(ops.reshape(ops.cast(one, stashed), ones) for one in (centre, inverse))


@ONNX("GroupNormalization")
def group_norm(n: Application, x: Operand, gamma: Operand, beta: Operand) -> Operand:
    """Groups of channels scaled and moved by their mean and variance."""
    groups, channels = n.integer("num_groups"), type_of(x).shape[1]
    if n.node.version < 21:  # a number for each group

        def spread(part: Operand) -> Operand:
            each = channels // groups
            return ops.reshape(ops.broadcast(ops.reshape(part, (groups, 1)), (groups, each)), (channels,))

        gamma, beta = spread(gamma), spread(beta)
    return composites.group_norm(x, gamma, beta, groups, n.number("epsilon", 1e-5))


@ONNX("RMSNormalization", "SimplifiedLayerNormalization")
def rms_norm(n: Application, x: Operand, scale: Operand) -> Operand:
    """The last axes, from one on, divided by the root of the mean of their squares, and scaled."""
    kind = type_of(x)
    axes = tuple(range(n.axis(x, default=-1), kind.ndim))
    total = float32 if n.integer("stash_type", 1) == 1 and kind.dtype.itemsize < 4 else kind.dtype
    wide = ops.cast(x, total)
    square = composites.mean(ops.mul(wide, wide), axes)
    inverse = ops.rsqrt(ops.add(square, ops.like(n.number("epsilon", 1e-5), square)))
    y = ops.cast(ops.mul(wide, ops.spread(inverse, kind.shape, axes)), type_of(scale).dtype)
    return ops.mul(y, aligned(scale, kind.shape))


@ONNX("MeanVarianceNormalization")
def standardised(n: Application, x: Operand) -> Operand:
    """An array without its mean along some axes, divided by the deviation."""
    kind = type_of(x)
    axes = n.axes_of(n.integers("axes", (0, 2, 3)), kind.ndim)
    wide = ops.cast(x, widened(kind.dtype))
    apart = ops.sub(wide, ops.spread(composites.mean(wide, axes), kind.shape, axes))
    deviation = ops.sqrt(composites.mean(ops.mul(apart, apart), axes))
    below = ops.add(deviation, ops.like(1e-9, deviation))
    return ops.cast(ops.div(apart, ops.spread(below, kind.shape, axes)), kind.dtype)


@ONNX("LpNormalization")
def divided_by_norm(n: Application, x: Operand) -> Operand:
    """An array divided by its norm along an axis; zeros stay."""
    kind, axis = type_of(x), n.axis(x, default=-1)
    length = norm(x, n.integer("p", 2), (axis,))
    safe = ops.where(ops.eq(length, ops.like(0, length)), ops.like(1, length), length)
    return ops.div(x, ops.spread(safe, kind.shape, (axis,)))


@ONNX("LRN")
def response_norm(n: Application, x: Operand) -> Operand:
    """Channels divided by a power of the squares of those around them."""
    alpha, beta, bias = n.number("alpha", 1e-4), n.number("beta", 0.75), n.number("bias", 1.0)
    return local_response_norm(x, alpha, beta, bias, n.integer("size"))


@ONNX("GlobalLpPool")
def global_norm(n: Application, x: Operand) -> Operand:
    """The norm of each channel."""
    axes = tuple(range(2, type_of(x).ndim))
    return kept(norm(x, n.integer("p", 2), axes), type_of(x), axes, True)
