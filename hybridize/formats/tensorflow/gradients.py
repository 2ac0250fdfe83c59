# SPDX-License-Identifier: Apache-2.0
"""Rows of TensorFlow that its own gradients are made of: a `GradientTape` inside of a function that was saved.

Where a gradient is no short formula it is that of our op: `pulled`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hybridize import ops
from hybridize.base import dims
from hybridize.base.dtypes import int32, int64
from hybridize.base.types import TensorType
from hybridize.formats.foreign.arrays import elementwise, filled
from hybridize.formats.foreign.known import Known, operand_of
from hybridize.formats.foreign.walk import Application
from hybridize.formats.tensorflow.linear import channels_last
from hybridize.formats.tensorflow.shapes import mirrored, strided
from hybridize.formats.tensorflow.vocabulary import TENSORFLOW
from hybridize.formats.tensorflow.windows import (
    average,
    by_input,
    convolved,
    depth_filters,
    over_all_axes,
    resized,
    response_norm,
    spanned,
    windows_of,
)
from hybridize.ops import composites
from hybridize.ops.op import Operand, type_of
from hybridize.ops.tracing import make_graph


def pulled(function: Callable[..., Operand], g: Operand, x: Operand, *others: Operand) -> Operand:
    """Return the gradient of a function by the first of its operands, from that by its result."""
    graph = make_graph(lambda *xs: [function(*xs)], [type_of(one) for one in (x, *others)])
    gradient = ops.pullback(graph, [x, *others], [g])[0]
    return ops.like(0, x) if gradient is None else gradient


def _zeros(n: Application, sizes: Known, g: Operand) -> Operand:
    return filled(0, sizes.list(), type_of(g).dtype)


# ---------------------------------------------------------------------------------------------------------- elementwise


def _where_positive(g: Operand, x: Operand) -> Operand:
    return ops.where(ops.gt(x, ops.like(0, x)), g, ops.like(0, g))


def _below_six(g: Operand, x: Operand) -> Operand:
    return ops.where(ops.lt(x, ops.like(6, x)), _where_positive(g, x), ops.like(0, g))


def _of_elu(g: Operand, y: Operand) -> Operand:
    return ops.where(ops.lt(y, ops.like(0, y)), ops.mul(ops.add(y, ops.like(1, y)), g), g)


def _of_selu(g: Operand, y: Operand) -> Operand:
    scale, alpha = 1.0507009873554805, 1.7580993408473766
    below = ops.mul(ops.add(y, ops.like(alpha, y)), g)
    return ops.where(ops.lt(y, ops.like(0, y)), below, ops.mul(g, ops.like(scale, g)))


def _of_softsign(g: Operand, x: Operand) -> Operand:
    size = ops.add(ops.abs(x), ops.like(1, x))
    return ops.div(g, ops.mul(size, size))


def _of_rsqrt(y: Operand, g: Operand) -> Operand:
    return ops.mul(ops.mul(g, ops.like(-0.5, g)), ops.mul(ops.mul(y, y), y))


TENSORFLOW.plain({
    "ReluGrad": elementwise(_where_positive), "Relu6Grad": elementwise(_below_six), "EluGrad": elementwise(_of_elu),
    "SeluGrad": elementwise(_of_selu), "SoftsignGrad": elementwise(_of_softsign),
    "SoftplusGrad": elementwise(lambda g, x: ops.mul(g, ops.sigmoid(x))),
    "TanhGrad": lambda y, g: ops.mul(g, ops.sub(ops.like(1, y), ops.mul(y, y))),
    "SigmoidGrad": lambda y, g: ops.mul(g, ops.mul(y, ops.sub(ops.like(1, y), y))),
    "RsqrtGrad": _of_rsqrt, "SqrtGrad": lambda y, g: ops.div(ops.mul(g, ops.like(0.5, g)), y),
    "ReciprocalGrad": lambda y, g: ops.neg(ops.mul(g, ops.mul(y, y))),
    "InvGrad": lambda y, g: ops.neg(ops.mul(g, ops.mul(y, y))),
})  # fmt: skip


@TENSORFLOW("LeakyReluGrad")
def leaky_relu(n: Application, g: Operand, x: Operand) -> Operand:
    """The gradient, and a part of it where the operand is negative."""
    return ops.where(ops.gt(x, ops.like(0, x)), g, ops.mul(g, ops.like(n.number("alpha", 0.2), g)))


# --------------------------------------------------------------------------------------------------------------- shapes


@TENSORFLOW("BroadcastGradientArgs", known=(0, 1))
def summed_axes(n: Application, x: Known, y: Known) -> tuple[Known, Known]:
    """The axes along which each of two shapes was stretched to the other: its gradient is summed over them."""
    shapes = [tuple(one.list()) for one in (x, y)]
    whole = dims.broadcast(*shapes)
    if whole is None:
        n.fail(f"{x.list()} and {y.list()} do not stretch to one shape")
    results = []
    for shape in shapes:
        wide = (1,) * (len(whole) - len(shape)) + shape
        axes = [k for k, size in enumerate(whole) if k < len(whole) - len(shape) or not dims.same(wide[k], size)]
        results.append(Known.of(axes, x.dtype if x.dtype in (int32, int64) else int32))
    return results[0], results[1]


@TENSORFLOW("ConcatOffset", known=tuple(range(64)))
def offsets(n: Application, axis: Known, *shapes: Known) -> tuple[Known, ...]:
    """The beginnings of joined arrays."""
    along, total, results = axis.item(), 0, []
    for shape in shapes:
        sizes = shape.list()
        results.append(Known.of([total if k == along % len(sizes) else 0 for k in range(len(sizes))], int32))
        total = total + sizes[along]
    return tuple(results)


@TENSORFLOW("StridedSliceGrad", values=True)
def strided_slice(n: Application, sizes: Any, begin: Any, end: Any, strides: Any, g: Any) -> Operand:
    """The gradient of a slice: zeros, and it where the slice was."""
    g = operand_of(g)
    x = _zeros(n, n.known(sizes, 0), g)
    if isinstance(begin, Known):
        return pulled(lambda x: operand_of(strided(n, x, begin, end, strides)), g, x)
    return pulled(lambda x, begin: operand_of(strided(n, x, begin, end, strides)), g, x, operand_of(begin))


@TENSORFLOW("MirrorPadGrad", known=(1,))
def mirror_pad(n: Application, g: Operand, widths: Known) -> Operand:
    """The gradient of a padded array: that of what was repeated is added to where it came from."""
    numbers = widths.list()
    sizes = [size - a - b for size, a, b in zip(type_of(g).shape, numbers[::2], numbers[1::2], strict=True)]
    return pulled(lambda x: mirrored(n, x, widths), g, filled(0, sizes, type_of(g).dtype))


# -------------------------------------------------------------------------------------------------------------- windows


@TENSORFLOW("BiasAddGrad")
def bias(n: Application, g: Operand) -> Operand:
    """The sum over all axes but the channels."""
    ndim = type_of(g).ndim
    channels = ndim - 1 if channels_last(n) else 1
    return ops.sum(g, tuple(k for k in range(ndim) if k != channels))


@TENSORFLOW("Conv2DBackpropFilter", "Conv3DBackpropFilterV2", known=(1,))
def filters(n: Application, x: Operand, sizes: Known, g: Operand) -> Operand:
    """The gradient of a convolution by its filters."""
    return pulled(lambda w, x: convolved(n, x, w), g, _zeros(n, sizes, g), x)


@TENSORFLOW("DepthwiseConv2dNativeBackpropFilter", known=(1,))
def filters_by_depth(n: Application, x: Operand, sizes: Known, g: Operand) -> Operand:
    """The gradient of a depthwise convolution by its filters."""
    return pulled(lambda w, x: convolved(n, x, depth_filters(w)), g, _zeros(n, sizes, g), x)


@TENSORFLOW("Conv3DBackpropInputV2", known=(0,))
def input_of_convolution(n: Application, sizes: Known, w: Operand, g: Operand) -> Operand:
    """The gradient of a convolution over three axes by its input."""
    return by_input(n, sizes.list(), w, g, 1)


@TENSORFLOW("MaxPoolGrad", "MaxPool3DGrad")
def max_pool(n: Application, x: Operand, y: Operand, g: Operand) -> Operand:
    """The gradient of the largest elements: all of it goes to the first one."""
    return pulled(lambda x: ops.window_max(x, *over_all_axes(x, *windows_of(n, x))), g, x)


@TENSORFLOW("AvgPoolGrad", "AvgPool3DGrad", known=(0,))
def average_pool(n: Application, sizes: Known, g: Operand) -> Operand:
    """The gradient of means of windows."""
    return pulled(lambda x: average(n, x), g, _zeros(n, sizes, g))


@TENSORFLOW("ResizeBilinearGrad")
def resize_bilinear(n: Application, g: Operand, x: Operand) -> Operand:
    """The gradient of images that were resized."""
    sizes = Known.of(list(type_of(g).shape[1:3]))
    return pulled(lambda x: resized(n, x, sizes), g, x)


@TENSORFLOW("ResizeBicubicGrad")
def resize_bicubic(n: Application, g: Operand, x: Operand) -> Operand:
    """The gradient of images that were resized."""
    sizes = Known.of(list(type_of(g).shape[1:3]))
    return pulled(lambda x: spanned(n, x, sizes), g, x)


@TENSORFLOW("LRNGrad")
def response_norm_gradient(n: Application, g: Operand, x: Operand, y: Operand) -> Operand:
    """The gradient of numbers that were divided by those of the channels around them."""
    return pulled(lambda x: response_norm(n, x), g, x)


@TENSORFLOW("MaxPoolGradWithArgmax")
def max_pool_with_places(n: Application, x: Operand, g: Operand, places: Operand) -> Operand:
    """The gradient of the largest elements: all of it goes to the first one."""
    return max_pool(n, x, g, g)


@TENSORFLOW("ResizeNearestNeighborGrad", known=(1,))
def resize_nearest(n: Application, g: Operand, sizes: Known) -> Operand:
    """The gradient of images whose pixels were repeated."""
    shape, larger = type_of(g).shape, Known.of(list(type_of(g).shape[1:3]))
    x = filled(0, (shape[0], *sizes.list(), shape[3]), type_of(g).dtype)
    return pulled(lambda x: resized(n, x, larger), g, x)


@TENSORFLOW("FusedBatchNormGrad", "FusedBatchNormGradV2", "FusedBatchNormGradV3")
def batch_norm(
    n: Application, g: Operand, x: Operand, gamma: Operand, mean: Operand, variance: Operand, *rest: Operand
) -> Any:
    """The gradients of a normalized batch by it, by the scale and by what was added."""
    kind, eps = type_of(x), n.number("epsilon", 1e-4)
    axis = kind.ndim - 1 if channels_last(n) else 1
    if n.flag("is_training", True):
        by_x, by_gamma, by_beta = composites.gradients_of_batch(g, None, (mean, variance), x, gamma, axis, eps, False)
        return ops.cast(by_x, kind.dtype), by_gamma, by_beta, ops.like(0, mean), ops.like(0, mean)
    axes = tuple(k for k in range(kind.ndim) if k != axis)
    inverse = ops.rsqrt(ops.add(variance, ops.like(eps, variance)))
    wide: TensorType = kind.with_dtype(type_of(mean).dtype)
    g, x = ops.cast(g, wide.dtype), ops.cast(x, wide.dtype)
    apart = ops.mul(ops.sub(x, ops.spread(mean, wide.shape, axes)), ops.spread(inverse, wide.shape, axes))
    by_x = ops.mul(g, ops.spread(ops.mul(gamma, inverse), wide.shape, axes))
    by_gamma, by_beta = ops.sum(ops.mul(g, apart), axes), ops.sum(g, axes)
    return ops.cast(by_x, kind.dtype), by_gamma, by_beta, ops.like(0, mean), ops.like(0, mean)
