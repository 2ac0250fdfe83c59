# SPDX-License-Identifier: Apache-2.0
"""Rows of TensorFlow about images: convolutions, pooling, other sizes, normalization by channels."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from hybridize import ops
from hybridize.base import dims
from hybridize.base.dtypes import float32
from hybridize.base.types import Shape
from hybridize.formats.foreign.arrays import same_pads
from hybridize.formats.foreign.known import Known
from hybridize.formats.foreign.walk import Application
from hybridize.formats.tensorflow.linear import channels_last
from hybridize.formats.tensorflow.vocabulary import TENSORFLOW
from hybridize.ops import composites
from hybridize.ops.library.columns import local_response_norm
from hybridize.ops.library.convolution_layers import LAYOUTS, convolution_layer
from hybridize.ops.library.pooling import means_of_windows
from hybridize.ops.library.rescaling import Extent, Sampling, rescaled
from hybridize.ops.library.resizing import resized as rows_of_pixels
from hybridize.ops.library.spans import KERNELS, area_spans, cubic_spans, kernel_spans
from hybridize.ops.op import Operand, type_of

Pairs = tuple[tuple[Any, Any], ...]


def images_of(n: Application, name: str, default: int = 1) -> tuple[int, ...]:
    """Return the numbers that an attribute has for the axes of images, of one for each axis."""
    numbers = n.integers(name, (default,) * 4)
    if len(numbers) not in (3, 4, 5):
        n.fail(f"the attribute {name} is {list(numbers)}")
    inner, others = (numbers[1:-1], (numbers[0], numbers[-1])) if channels_last(n) else (numbers[2:], numbers[:2])
    if any(number != 1 for number in others):
        n.fail(f"the attribute {name} is {list(numbers)}: windows over batch or channels are not supported")
    return inner


def pads_of(
    n: Application, sizes: Sequence[Any], kernel: Sequence[Any], strides: Sequence[int], dilations: Sequence[int]
) -> Pairs:
    """Return the elements before and after each axis of images."""
    way = n.text("padding", None, ("SAME", "VALID", "EXPLICIT"))
    numbers = n.integers("explicit_paddings", ())
    if way == "EXPLICIT":
        pairs = tuple(zip(numbers[::2], numbers[1::2], strict=True))
        return pairs[1:-1] if channels_last(n) else pairs[2:]
    if way == "VALID":
        return ((0, 0),) * len(kernel)
    return same_pads(sizes, kernel, strides, dilations)


def pixels(n: Application, shape: Shape) -> Shape:
    """Return the sizes of images."""
    return shape[1:-1] if channels_last(n) else shape[2:]


def filters(w: Operand, last: bool) -> Operand:
    """Return filters [r..., in, out] as [out, r..., in], or as [out, in, r...]."""
    rank = type_of(w).ndim - 2
    windows = tuple(range(rank))
    return ops.transpose(w, (rank + 1, *windows, rank) if last else (rank + 1, rank, *windows))


def depth_filters(w: Operand) -> Operand:
    """Return filters [r..., channels, each] as those of a convolution of as many groups: [r..., 1, channels * each]."""
    shape = type_of(w).shape
    return ops.reshape(w, (*shape[:-2], 1, shape[-2] * shape[-1]))


@TENSORFLOW("Conv2D", "Conv3D")
def convolution(n: Application, x: Operand, w: Operand) -> Operand:
    """The convolution; channels are in groups where filters have fewer."""
    return convolved(n, x, w)


@TENSORFLOW("DepthwiseConv2dNative")
def depthwise_convolution(n: Application, x: Operand, w: Operand) -> Operand:
    """The convolution of each channel by itself."""
    return convolved(n, x, depth_filters(w))


def convolved(n: Application, x: Operand, w: Operand) -> Operand:
    """Return the convolution that the attributes say."""
    last, kernel = channels_last(n), type_of(w).shape[:-2]
    strides, dilations = images_of(n, "strides"), _dilations(n, len(kernel))
    pads = pads_of(n, pixels(n, type_of(x).shape), kernel, strides, dilations)
    channels = type_of(x).shape[-1 if last else 1]
    groups = channels // type_of(w).shape[-2]
    w = filters(w, last)
    if all(low is high or dims.same(low, high) for low, high in pads):
        layout = LAYOUTS[len(kernel)][int(last)]
        return convolution_layer(x, w, None, strides, dilations, tuple(low for low, _ in pads), groups, layout)
    return ops.convolution(x, w, strides, pads, dilations, groups, 1, last)


def _dilations(n: Application, rank: int) -> tuple[int, ...]:
    return images_of(n, "dilations") if n.has("dilations") else (1,) * rank


@TENSORFLOW("Conv2DBackpropInput", known=(0,))
def transposed_convolution(n: Application, sizes: Known, w: Operand, g: Operand) -> Operand:
    """The gradient of a convolution by its input: the transposed convolution."""
    return by_input(n, sizes.list(), w, g, 1)


@TENSORFLOW("DepthwiseConv2dNativeBackpropInput", known=(0,))
def transposed_depthwise(n: Application, sizes: Known, w: Operand, g: Operand) -> Operand:
    """The gradient of a depthwise convolution by its input."""
    return by_input(n, sizes.list(), w, g, type_of(w).shape[-2])


def by_input(n: Application, sizes: Sequence[Any], w: Operand, g: Operand, groups: int) -> Operand:
    """Return the gradient of a convolution by its input of these sizes."""
    last, shape = channels_last(n), type_of(w).shape
    kernel = shape[:-2]
    rank = len(kernel)
    strides, dilations = images_of(n, "strides"), _dilations(n, rank)
    whole = pixels(n, tuple(sizes))
    pads = pads_of(n, whole, kernel, strides, dilations)
    if groups == 1:
        groups = sizes[-1 if last else 1] // shape[-2]
        order = (rank + 1, *range(rank), rank) if last else (rank + 1, rank, *range(rank))
        w = ops.transpose(w, order)
    else:
        w = ops.transpose(depth_filters(w), (rank + 1, *range(rank), rank) if last else (rank + 1, rank, *range(rank)))
    more = tuple(
        size - ((own - 1) * step + (window - 1) * apart + 1 - low - high)
        for size, own, step, window, apart, (low, high) in zip(
            whole, pixels(n, type_of(g).shape), strides, kernel, dilations, pads, strict=True
        )
    )
    return ops.transposed_convolution(g, w, strides, pads, dilations, groups, more, last)


def windows_of(n: Application, x: Operand) -> tuple[Any, ...]:
    """Return the axes of images, their windows and steps, and the elements before and after them."""
    shape = type_of(x).shape
    kernel, strides = images_of(n, "ksize"), images_of(n, "strides")
    pads = pads_of(n, pixels(n, shape), kernel, strides, (1,) * len(kernel))
    first = 1 if channels_last(n) else 2
    axes = tuple(range(first, first + len(kernel)))
    return axes, kernel, strides, tuple(low for low, _ in pads), tuple(high for _, high in pads)


def over_all_axes(x: Operand, axes: Sequence[int], kernel: Any, strides: Any, low: Any, high: Any) -> list[Any]:
    """Return windows, steps and elements before and after, one for each axis of an operand."""
    ndim, numbers = type_of(x).ndim, ((kernel, 1), (strides, 1), (low, 0), (high, 0))
    return [tuple(one[axes.index(k)] if k in axes else rest for k in range(ndim)) for one, rest in numbers]


@TENSORFLOW("MaxPool", "MaxPool3D")
def max_pool(n: Application, x: Operand) -> Operand:
    """The largest element of each window."""
    return ops.window_max(x, *over_all_axes(x, *windows_of(n, x)))


@TENSORFLOW("AvgPool", "AvgPool3D")
def average_pool(n: Application, x: Operand) -> Operand:
    """The mean of the elements that each window has of the image."""
    return average(n, x)


def average(n: Application, x: Operand) -> Operand:
    """Return the means of windows that the attributes say."""
    axes, kernel, strides, low, high = windows_of(n, x)
    return means_of_windows(x, axes, kernel, strides, low, high, False)


@TENSORFLOW("ResizeBilinear", "ResizeNearestNeighbor", known=(1,))
def resize(n: Application, x: Operand, sizes: Known) -> Operand:
    """Images of other sizes, of the pixels around each place."""
    return resized(n, x, sizes)


def resized(n: Application, x: Operand, sizes: Known) -> Operand:
    """Return images of other sizes, [batch, height, width, channels], as operator and attributes say."""
    corners, middle = n.flag("align_corners"), n.flag("half_pixel_centers")
    if "Nearest" in n.node.op:
        places = "align_corners" if corners else "tf_half_pixel_for_nn" if middle else "asymmetric"
        form = Sampling("nearest", places, "round_prefer_ceil" if corners else "floor")
    else:
        places = "align_corners" if corners else "half_pixel" if middle else "asymmetric"
        form = Sampling("linear", places)
        x = ops.cast(x, float32)
    axes = zip((1, 2), sizes.list(), type_of(x).shape[1:3], strict=True)
    return rescaled(x, {axis: Extent(count, None) for axis, count, size in axes if not dims.same(count, size)}, form)


@TENSORFLOW("ResizeBicubic", "ResizeArea", known=(1,))
def resize_by_spans(n: Application, x: Operand, sizes: Known) -> Operand:
    """Images of other sizes, as float32: of four pixels along each axis, or of means of parts."""
    return spanned(n, x, sizes)


def spanned(n: Application, x: Operand, sizes: Known) -> Operand:
    """Return images of other sizes, as operator and attributes say."""
    corners, middle = n.flag("align_corners"), n.flag("half_pixel_centers")
    rows = {}
    for axis, count in enumerate(_known_sizes(n, x, sizes), 1):
        size = type_of(x).shape[axis]
        if "Area" in n.node.op:
            rows[axis] = area_spans(size, count, corners)
        else:
            rows[axis] = cubic_spans(size, count, middle, corners)
    return rows_of_pixels(ops.cast(x, float32), rows)


def _known_sizes(n: Application, x: Operand, sizes: Known) -> Sequence[int]:
    if any(map(dims.is_symbolic, (*type_of(x).shape[1:3], *sizes.list()))):
        n.fail(f"it resizes {type_of(x)}, whose height and width are not known", help="let the model have one size")
    return sizes.list()


@TENSORFLOW("ScaleAndTranslate", known=(1, 2, 3))
def scaled(n: Application, x: Operand, sizes: Known, scales: Known, shifts: Known) -> Operand:
    """Images that are stretched and moved, as float32, sampled by a kernel that may grow as they shrink."""
    kernel, smooth = n.text("kernel_type", "lanczos3", tuple(KERNELS)), n.flag("antialias", True)
    numbers = zip(_known_sizes(n, x, sizes), scales.list(), shifts.list(), strict=True)
    rows = {axis: kernel_spans(type_of(x).shape[axis], count, scale, shift, kernel, smooth)
            for axis, (count, scale, shift) in enumerate(numbers, 1)}  # fmt: skip
    return rows_of_pixels(ops.cast(x, float32), rows)


@TENSORFLOW("LRN")
def response_norm(n: Application, x: Operand) -> Operand:
    """Each number divided by a power of the sum of squares of the channels around it."""
    count = 2 * n.integer("depth_radius", 5) + 1
    alpha, beta, bias = (n.number(*one) for one in (("alpha", 1.0), ("beta", 0.5), ("bias", 1.0)))
    y = local_response_norm(ops.transpose(x, (0, 3, 1, 2)), alpha * count, beta, bias, count)
    return ops.transpose(y, (0, 2, 3, 1))


# -------------------------------------------------------------------------------------------------------- normalization


@TENSORFLOW("FusedBatchNorm", "FusedBatchNormV2", "FusedBatchNormV3")
def batch_norm(n: Application, x: Operand, gamma: Operand, beta: Operand, mean: Operand, variance: Operand) -> Any:
    """Channels scaled and moved by their means and variances, those of the batch while it trains."""
    kind, eps, factor = type_of(x), n.number("epsilon", 1e-4), n.number("exponential_avg_factor", 1.0)
    axis = kind.ndim - 1 if channels_last(n) else 1
    if not n.flag("is_training", True):
        y = composites.batch_norm(x, gamma, beta, mean, variance, axis, eps)
        return y, mean, variance, mean, variance, mean
    y, centre, square = composites.batch_norm_of_batch(x, gamma, beta, axis, eps)
    count = math.prod(size for k, size in enumerate(kind.shape) if k != axis)
    unbiased = ops.div(ops.mul(square, ops.like(count, square)), ops.like(dims.maximum(count - 1, 1), square))
    running = [
        new if factor == 1 else ops.add(ops.mul(old, ops.like(1 - factor, old)), ops.mul(new, ops.like(factor, new)))
        for old, new in ((mean, centre), (variance, unbiased))
    ]
    return y, *running, centre, square, centre
