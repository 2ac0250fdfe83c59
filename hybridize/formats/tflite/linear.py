# SPDX-License-Identifier: Apache-2.0
"""Rows of TFLite that multiply and add over axes or windows: products, convolutions, pooling, images of other sizes.

Images are [n, h, w, c]; weights of convolutions [o, h, w, c], of depthwise ones [1, h, w, o].
"""

from __future__ import annotations

import struct
from typing import Any, NamedTuple

import numpy

from hybridize import ops
from hybridize.base.dtypes import DType
from hybridize.formats.foreign.arrays import reshaped, same_pads
from hybridize.formats.foreign.known import Known
from hybridize.formats.foreign.walk import Application
from hybridize.formats.tflite.elementwise import activated
from hybridize.formats.tflite.vocabulary import TFLITE
from hybridize.ops import composites
from hybridize.ops.interpolation import linear, step_of
from hybridize.ops.library.convolution_layers import with_bias
from hybridize.ops.library.pooling import means_of_windows
from hybridize.ops.library.products import matrix_product
from hybridize.ops.library.resizing import picked, resized
from hybridize.ops.op import Operand, type_of
from hybridize.ops.windows import window_max, window_sum

Pairs = tuple[tuple[Any, Any], ...]
SAME, VALID = 0, 1


class ImageWindows(NamedTuple):
    """The windows of an operator over images: their distances, the elements around, the distances inside of one."""

    strides: tuple[int, int]
    pads: Pairs
    dilations: tuple[int, int]

    @classmethod
    def of(cls, n: Application, x: Operand, window: tuple[Any, ...]) -> ImageWindows:
        """Return those that the attributes of a node say."""
        strides = n.integer("stride_h", 0), n.integer("stride_w", 0)
        dilations = n.integer("dilation_h", 1), n.integer("dilation_w", 1)
        if min(*strides, *dilations) < 1:
            n.fail(f"strides are {strides} and dilations {dilations}: they must be positive")
        none = ((0, 0), (0, 0))
        sizes = type_of(x).shape[1:3]
        pads = same_pads(sizes, window, strides, dilations) if n.integer("padding", SAME) == SAME else none
        return cls(strides, pads, dilations)


def images(n: Application, x: Operand, *others: Operand) -> None:
    """Refuse operands that have not four axes."""
    for one in (x, *others):
        if type_of(one).ndim != 4:
            n.fail(f"it takes images and weights of four axes, not {type_of(one)}")


def convolved(n: Application, x: Operand, w: Operand, result: DType | None = None) -> Operand:
    """Return a convolution without bias; channels are in groups where the weight has fewer."""
    images(n, x, w)
    _, height, width, channels = type_of(w).shape
    windows = ImageWindows.of(n, x, (height, width))
    groups = type_of(x).shape[3] // channels if channels else 1
    return ops.convolution(x, w, *windows, groups, 1, True, result)


def convolved_by_channel(n: Application, x: Operand, w: Operand, result: DType | None = None) -> Operand:
    """Return a convolution without bias of each channel by weights of its own."""
    images(n, x, w)
    _, height, width, _ = type_of(w).shape
    windows = ImageWindows.of(n, x, (height, width))
    return ops.convolution(x, ops.transpose(w, (3, 1, 2, 0)), *windows, type_of(x).shape[3], 1, True, result)


@TFLITE("CONV_2D")
def convolution(n: Application, x: Operand, w: Operand, bias: Operand | None = None) -> Operand:
    """The convolution, plus a bias of each channel."""
    return activated(n, with_bias("Convolution", convolved(n, x, w), bias, True))


@TFLITE("DEPTHWISE_CONV_2D")
def depthwise_convolution(n: Application, x: Operand, w: Operand, bias: Operand | None = None) -> Operand:
    """The convolution of each channel by itself, plus a bias of each."""
    return activated(n, with_bias("Convolution", convolved_by_channel(n, x, w), bias, True))


def transposed(
    n: Application, x: Operand, w: Operand, sizes: tuple[Any, ...] | None, strides: tuple[int, int], same: bool,
    result: DType | None = None,
) -> Operand:  # fmt: skip
    """Return a transposed convolution without bias.

    Args:
        n: the node.
        x: images.
        w: [o, h, w, c].
        sizes: height and width of the result; None: as large as it can be.
        strides: the distance, in the result, of what neighbours in x give.
        same: what the result lacks is cut off evenly at both ends, and not at the end alone.
        result: the dtype of the result; None: that of the operands.
    """
    images(n, x, w)
    if min(strides) < 1:
        n.fail(f"strides are {strides}: they must be positive")
    pads, more = [], []
    window = type_of(w).shape[1:3]
    for k, (size, taps, step) in enumerate(zip(type_of(x).shape[1:3], window, strides, strict=True)):
        whole = (size - 1) * step + taps
        target = (size * step if same else whole) if sizes is None else sizes[k]
        ((low, _),) = same_pads((target,), (taps,), (step,), (1,)) if same else ((0, 0),)
        over = whole - low - target
        pads.append((low, over if over > 0 else 0))
        more.append(0 if over > 0 else -over)
    w = ops.transpose(w, (3, 1, 2, 0))
    return ops.transposed_convolution(x, w, strides, tuple(pads), 1, 1, tuple(more), True, result)


@TFLITE("TRANSPOSE_CONV", known=(0,))
def transposed_convolution(
    n: Application, sizes: Known, w: Operand, x: Operand, bias: Operand | None = None
) -> Operand:
    """The gradient of a convolution by its input as a layer, plus a bias of each channel."""
    return activated(n, with_bias("Deconvolution", transposed_to(n, sizes, w, x), bias, True))


def transposed_to(n: Application, sizes: Known, w: Operand, x: Operand, result: DType | None = None) -> Operand:
    """Return a transposed convolution without bias whose result has the given sizes."""
    strides = n.integer("stride_h", 0), n.integer("stride_w", 0)
    return transposed(n, x, w, tuple(sizes.list()[1:3]), strides, n.integer("padding", SAME) == SAME, result)


@TFLITE("Convolution2DTransposeBias")
def transposed_convolution_of_mediapipe(n: Application, x: Operand, w: Operand, bias: Operand | None = None) -> Operand:
    """The same, as MediaPipe's operator has it: its options are the bytes of three C integers."""
    custom = n.attributes.get("custom", b"")
    if len(custom) < 12:
        n.fail(f"its options have {len(custom)} bytes, not 12")
    padding, width, height = struct.unpack("<3i", bytes(bytearray(custom[:12])))
    return with_bias("Deconvolution", transposed(n, x, w, None, (height, width), padding == 1), bias, True)


@TFLITE("CONV_3D")
def convolution_of_volumes(n: Application, x: Operand, w: Operand, bias: Operand | None = None) -> Operand:
    """The convolution of images of three axes, plus a bias of each channel."""
    *kernel, channels, _ = type_of(w).shape
    strides, dilations = (tuple(n.integer(f"{name}_{axis}", 1) for axis in "dhw") for name in ("stride", "dilation"))
    none = ((0, 0),) * 3
    pads = none if n.integer("padding", SAME) else same_pads(type_of(x).shape[1:4], kernel, strides, dilations)
    groups = type_of(x).shape[4] // channels
    y = ops.convolution(x, ops.transpose(w, (4, 0, 1, 2, 3)), strides, pads, dilations, groups, 1, True)
    return activated(n, with_bias("Convolution", y, bias, True))


def rows_of(n: Application, x: Operand, w: Operand) -> Operand:
    """Return an operand as a matrix whose rows are as long as those of a weight."""
    if n.integer("format", 0):
        n.fail(f"weights in the order {n.integer('format')} are not supported")
    if type_of(w).ndim != 2:
        n.fail(f"its weight has two axes, not those of {type_of(w)}")
    return reshaped(x, (-1, type_of(w).shape[1]))


def with_axes_kept(n: Application, y: Operand, x: Operand) -> Operand:
    """Return rows under the axes that an operand had, where the node keeps them."""
    return ops.reshape(y, (*type_of(x).shape[:-1], type_of(y).shape[1])) if n.flag("keep_axes") else y


@TFLITE("FULLY_CONNECTED")
def fully_connected(n: Application, x: Operand, w: Operand, bias: Operand | None = None) -> Operand:
    """The products of rows with those of a weight, plus a bias."""
    y = composites.fully_connected(rows_of(n, x, w), w, bias, False)
    return activated(n, with_axes_kept(n, y, x))


@TFLITE("BATCH_MATMUL")
def products(n: Application, x: Operand, y: Operand) -> Operand:
    """The products of matrices, each turned or not."""
    return products_as(n, x, y, None)


def products_as(n: Application, x: Operand, y: Operand, result: DType | None) -> Operand:
    """Return the products as numbers of a dtype, that of the operands where it is None."""

    def turned(z: Operand) -> Operand:
        ndim = type_of(z).ndim
        return ops.transpose(z, (*range(ndim - 2), ndim - 1, ndim - 2))

    return matrix_product(turned(x) if n.flag("adjoint_x") else x, turned(y) if n.flag("adjoint_y") else y, result)


# -------------------------------------------------------------------------------------------------------------- pooling


def pools(n: Application, x: Operand) -> tuple[tuple[int, ...], ...]:
    """Return windows, strides, elements before and behind, for each axis of images."""
    images(n, x)
    kernel = n.integer("filter_h", 0), n.integer("filter_w", 0)
    if min(kernel) < 1:
        n.fail(f"windows are {kernel}: they must be positive")
    strides, pads, _ = ImageWindows.of(n, x, kernel)
    (top, bottom), (left, right) = pads
    return (1, *kernel, 1), (1, *strides, 1), (0, top, left, 0), (0, bottom, right, 0)


@TFLITE("MAX_POOL_2D")
def max_pool(n: Application, x: Operand) -> Operand:
    """The largest element of each window."""
    return activated(n, window_max(x, *pools(n, x)))


@TFLITE("AVERAGE_POOL_2D")
def average_pool(n: Application, x: Operand) -> Operand:
    """The mean of the elements of each window that are in the image."""
    kernel, strides, low, high = (numbers[1:3] for numbers in pools(n, x))
    return activated(n, means_of_windows(x, (1, 2), kernel, strides, low, high, False))


@TFLITE("L2_NORMALIZATION")
def l2_normalization(n: Application, x: Operand) -> Operand:
    """Rows of the last axis over their lengths."""
    shape, last = type_of(x).shape, type_of(x).ndim - 1
    length = ops.sqrt(ops.sum(ops.mul(x, x), (last,)))
    return activated(n, ops.div(x, ops.spread(ops.max(length, ops.like(1e-6, length)), shape, (last,))))


@TFLITE("LOCAL_RESPONSE_NORMALIZATION")
def response_normalization(n: Application, x: Operand) -> Operand:
    """Elements over powers of sums of squares around them, along the channels."""
    radius, ndim = n.integer("radius", 0), type_of(x).ndim
    ones, none = (1,) * ndim, (0,) * (ndim - 1)
    around = window_sum(ops.mul(x, x), (*ones[1:], 2 * radius + 1), ones, (*none, radius), (*none, radius))
    base = ops.add(ops.mul(around, ops.like(n.number("alpha", 0.0), x)), ops.like(n.number("bias", 0.0), x))
    return ops.mul(x, ops.pow(base, ops.like(-n.number("beta", 0.0), x)))


# ------------------------------------------------------------------------------------------------ images of other sizes


@TFLITE("RESIZE_BILINEAR", known=(1,))
def resize_bilinear(n: Application, x: Operand, sizes: Known) -> Operand:
    """Images of another size, interpolated between their four nearest pixels."""
    images(n, x)
    corners, half = n.flag("corners"), n.flag("half")
    own = type_of(x).shape
    rows = {axis: linear(int(own[axis]), int(size), corners, middle=half)
            for axis, size in zip((1, 2), sizes.list(), strict=True)}  # fmt: skip
    return resized(x, rows)


@TFLITE("RESIZE_NEAREST_NEIGHBOR", known=(1,))
def resize_nearest(n: Application, x: Operand, sizes: Known) -> Operand:
    """Images of another size, whose pixels are the nearest ones."""
    images(n, x)
    corners, half = n.flag("corners"), n.flag("half")
    places = {}
    for axis, count in zip((1, 2), map(int, sizes.list()), strict=True):
        size = int(type_of(x).shape[axis])
        step = numpy.float32(step_of(size, count, corners and count > 1))
        at = (numpy.arange(count, dtype="f4") + numpy.float32(0.5 if half else 0)) * step
        whole = numpy.floor(at + numpy.float32(0.5)) if corners else numpy.floor(at)
        places[axis] = numpy.clip(whole, 0, size - 1).astype(int).tolist()
    return picked(x, places)
