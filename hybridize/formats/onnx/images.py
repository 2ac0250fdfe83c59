# SPDX-License-Identifier: Apache-2.0
"""Rows of ONNX over images: other sizes, blocks of pixels, places that data say, regions, columns of windows."""

from __future__ import annotations

import fractions
import math
from collections.abc import Sequence
from typing import Any

import numpy

from hybridize import ops
from hybridize.base import dims
from hybridize.base.dtypes import float64, int64, is_float
from hybridize.formats.foreign.known import Known
from hybridize.formats.foreign.walk import Application
from hybridize.formats.onnx.linear import check_kernel
from hybridize.formats.onnx.vocabulary import ONNX
from hybridize.ops.library import rescaling, resizing
from hybridize.ops.library.columns import col2im
from hybridize.ops.library.deformation import modulated_deformable_convolution
from hybridize.ops.library.regions import means_of_regions, roi_pooling
from hybridize.ops.library.rescaling import Extent, Sampling, rescaled
from hybridize.ops.library.sampling import BORDERS, affine_grid, sampled
from hybridize.ops.op import Operand, type_of

# ---------------------------------------------------------------------------------------------------------- other sizes


def _count(size: Any, scale: float) -> Any:
    """The elements of a scaled axis, in the precision of the scale; of a size that only calls know, by a fraction."""
    if not dims.is_symbolic(size):
        return int(numpy.float32(size) * numpy.float32(scale))
    part = fractions.Fraction(scale).limit_denominator(1024)
    if numpy.float32(part.numerator / part.denominator) != numpy.float32(scale):
        return int(numpy.float32(int(size)) * numpy.float32(scale))
    return size * part.numerator // part.denominator


def _by_scales(x: Operand, scales: Sequence[float], axes: Sequence[int]) -> dict[int, Extent]:
    """The new sizes; none where all are the old ones: nothing is sampled then, as ONNX Runtime and PyTorch have it."""
    shape, pairs = type_of(x).shape, zip(axes, scales, strict=True)
    extents = {axis: Extent(_count(shape[axis], scale), scale) for axis, scale in pairs if scale != 1}
    return {} if all(dims.same(one.count, shape[axis]) for axis, one in extents.items()) else extents


def _simple(n: Application, x: Operand, scales: Sequence[float]) -> Operand:
    """Of operator sets before 11: places are quotients; the nearest element is before them, of smaller axes after."""
    kernel = n.text("mode", "nearest", ("nearest", "linear", "bilinear")).removeprefix("bi")
    for axis, one in _by_scales(x, scales, range(type_of(x).ndim)).items():
        form = Sampling(kernel, "asymmetric", "floor" if (one.scale or 1) >= 1 else "ceil")
        x = rescaled(x, {axis: one}, form)
    return x


@ONNX("Upsample", until=8)
def upsample_by_attribute(n: Application, x: Operand) -> Operand:
    """An array with more elements along its axes."""
    return _simple(n, x, n.numbers("scales"))


@ONNX("Upsample", since=9, known=(1,))
@ONNX("Resize", until=10, known=(1,))
def resize_by_scales(n: Application, x: Operand, scales: Known) -> Operand:
    """An array with other numbers of elements along its axes."""
    return _simple(n, x, scales.pinned().tolist())


@ONNX("Resize", since=11, known=(1, 2, 3))
def resize(
    n: Application, x: Operand, roi: Known | None = None, scales: Known | None = None, sizes: Known | None = None
) -> Operand:
    """An array with other numbers of elements along some axes, by scales or by sizes."""
    kind = type_of(x)
    axes = n.axes_of(n.integers("axes", range(kind.ndim)), kind.ndim)
    places = n.text("coordinate_transformation_mode", "half_pixel", rescaling.PLACES)
    form = Sampling(
        n.text("mode", "nearest", rescaling.KERNELS), places,
        n.text("nearest_mode", "round_prefer_floor", rescaling.ROUNDINGS), n.number("cubic_coeff_a", -0.75),
        n.flag("exclude_outside"), n.flag("antialias"),
    )  # fmt: skip
    outside = n.number("extrapolation_value", 0.0)
    policy = n.text("keep_aspect_ratio_policy", "stretch", ("stretch", "not_larger", "not_smaller"))
    if scales is not None and scales.array.size:
        chosen = _by_scales(x, scales.pinned().tolist(), axes)
    elif sizes is not None and sizes.array.size:
        chosen = _by_sizes(kind.shape, sizes.list(), axes, policy)
    else:
        n.fail("it has neither scales nor sizes")
    if places != "tf_crop_and_resize":
        if form.smooth:  # an axis that stays as long is not smoothed
            chosen = {axis: one for axis, one in chosen.items() if not dims.same(one.count, kind.shape[axis])}
        return rescaled(x, chosen, form)
    if roi is None or roi.array.size != 2 * len(axes):
        n.fail("tf_crop_and_resize needs the beginning and the end of a region along each axis")
    region = roi.pinned().reshape(2, -1).T.tolist()
    pairs = dict(zip(axes, region, strict=True))
    whole = {axis: Extent(kind.shape[axis]) for axis in axes} | chosen
    cropped = {axis: Extent(one.count, one.scale, tuple(pairs[axis])) for axis, one in whole.items()}
    return rescaled(x, cropped, form, outside)


def _by_sizes(shape: Sequence[Any], sizes: list[Any], axes: Sequence[int], policy: str) -> dict[int, Extent]:
    if policy == "stretch":
        pairs = {axis: size for axis, size in zip(axes, sizes, strict=True) if not dims.same(size, shape[axis])}
        return {axis: Extent(size, _whole_scale(shape[axis], size)) for axis, size in pairs.items()}
    ratios = [
        numpy.float32(int(size)) / numpy.float32(int(shape[axis])) for axis, size in zip(axes, sizes, strict=True)
    ]
    scale = float(min(ratios) if policy == "not_larger" else max(ratios))
    return {
        axis: Extent(math.floor(numpy.float32(int(shape[axis])) * numpy.float32(scale) + 0.5), scale) for axis in axes
    }


def _whole_scale(size: Any, count: Any) -> float | None:
    """The scale where it is a whole number and a size is known to calls only."""
    if not dims.is_symbolic(size):
        return None
    for scale in (2, 4, 8, 3, 16, 32):
        if dims.same(size * scale, count):
            return float(scale)
    return None


# ------------------------------------------------------------------------------------------------ pixels and channels


@ONNX("DepthToSpace")
def depth_to_space(n: Application, x: Operand) -> Operand:
    """Channels as blocks of pixels: those of a block lie far apart (DCR), or together (CRD)."""
    block, (count, channels, height, width) = n.integer("blocksize"), type_of(x).shape
    if n.text("mode", "DCR", ("DCR", "CRD")) == "DCR":
        return resizing.depth_to_space(x, block)
    apart = ops.reshape(x, (count, channels // (block * block), block, block, height, width))
    rows = ops.transpose(apart, (0, 1, 4, 2, 5, 3))
    return ops.reshape(rows, (count, channels // (block * block), height * block, width * block))


@ONNX("SpaceToDepth")
def space_to_depth(n: Application, x: Operand) -> Operand:
    """Blocks of pixels as channels: those of a block lie far apart (DCR), or together (CRD)."""
    block, (count, channels, height, width) = n.integer("blocksize"), type_of(x).shape
    if n.text("mode", "DCR", ("DCR", "CRD")) == "DCR":
        return resizing.space_to_depth(x, block)
    apart = ops.reshape(x, (count, channels, height // block, block, width // block, block))
    rows = ops.transpose(apart, (0, 1, 3, 5, 2, 4))
    return ops.reshape(rows, (count, channels * block * block, height // block, width // block))


@ONNX("CenterCropPad", known=(1,))
def centered(n: Application, x: Operand, sizes: Known) -> Operand:
    """The middle of an array, or an array in the middle of zeros."""
    kind = type_of(x)
    for axis, size in zip(n.axes_of(n.integers("axes", range(kind.ndim)), kind.ndim), sizes.list(), strict=True):
        own = type_of(x).shape[axis]
        if size < own:
            x = ops.part(x, axis, (own - size) // 2, (own - size) // 2 + size)
        elif size > own:
            before = (size - own) // 2
            sides = [
                tuple(many if k == axis else 0 for k in range(kind.ndim)) for many in (before, size - own - before)
            ]
            x = ops.pad(x, ops.scalar(0, kind.dtype), *sides)
    return x


@ONNX("Col2Im", known=(1, 2))
def image_of_columns(n: Application, x: Operand, sizes: Known, block: Known) -> Operand:
    """Columns of windows added up where their elements were in an image."""
    kernel = tuple(map(int, block.list()))
    rank = len(kernel)
    strides, dilations = n.integers("strides", (1,) * rank), n.integers("dilations", (1,) * rank)
    pads = n.integers("pads", (0,) * 2 * rank)
    around = tuple(low + size + high for low, size, high in zip(pads[:rank], sizes.list(), pads[rank:], strict=True))
    y = col2im(x, around, kernel, strides, dilations, (0,) * rank)
    for axis, (low, size) in enumerate(zip(pads, sizes.list(), strict=False)):
        y = ops.part(y, 2 + axis, low, low + size)
    return y


# ------------------------------------------------------------------------------------------------ places that data say


@ONNX("GridSample")
def grid_sample(n: Application, x: Operand, grid: Operand) -> Operand:
    """Images at the points of a grid."""
    way = n.text("mode", "linear", ("bilinear", "bicubic", "linear", "cubic", "nearest")).removeprefix("bi")
    border = n.text("padding_mode", "zeros", BORDERS)
    if way == "cubic" and type_of(x).ndim != 4:
        n.fail(f"cubic interpolation of {type_of(x)}", help="images of two axes may be interpolated so")
    dtype, corners = type_of(x).dtype, n.flag("align_corners")
    if is_float(dtype):
        return sampled(x, grid, way, border, corners)
    return ops.cast(sampled(ops.cast(x, float64), grid, way, border, corners), dtype)


@ONNX("AffineGrid", known=(1,))
def affine_points(n: Application, theta: Operand, size: Known) -> Operand:
    """The points of images of a size, mapped by a matrix for each."""
    return affine_grid(theta, tuple(size.list()[2:]), n.flag("align_corners"))


@ONNX("RoiAlign")
def align_regions(n: Application, x: Operand, regions: Operand, images: Operand) -> Operand:
    """The mean of points in each bin of regions."""
    if n.text("mode", "avg", ("avg", "max")) == "max":
        n.fail("the mode is max, which takes the largest of weighed pixels", help="it may be avg")
    default = "half_pixel" if n.node.version >= 16 else "output_half_pixel"
    places = n.text("coordinate_transformation_mode", default, ("half_pixel", "output_half_pixel"))
    image = ops.reshape(ops.cast(images, type_of(regions).dtype), (type_of(images).shape[0], 1))
    bins = n.integer("output_height", 1), n.integer("output_width", 1)
    rows = ops.concat(image, regions, axis=1)
    scale = n.number("spatial_scale", 1.0)
    ratio, aligned = n.integer("sampling_ratio", 0), places == "half_pixel"
    return means_of_regions(x, rows, bins, scale, ratio, False, aligned, False)


@ONNX("MaxRoiPool")
def pool_regions(n: Application, x: Operand, regions: Operand) -> Operand:
    """The largest pixel of each bin of regions."""
    height, width = n.integers("pooled_shape")
    return roi_pooling(x, regions, (height, width), n.number("spatial_scale", 1.0))


@ONNX("DeformConv")
def bent_convolution(
    n: Application, x: Operand, w: Operand, offset: Operand, bias: Operand | None = None, mask: Operand | None = None
) -> Operand:
    """A convolution each element of whose windows is moved."""
    if type_of(x).ndim != 4:
        n.fail(f"it is of {type_of(x)}", help="images have two axes")
    check_kernel(n, w)
    top, left, bottom, right = n.integers("pads", (0,) * 4)
    if (top, left) != (bottom, right):
        x = ops.pad(x, ops.scalar(0, type_of(x).dtype), (0, 0, top, left), (0, 0, bottom, right))
        top = left = 0
    if mask is None:
        rows = type_of(offset).shape
        mask = ops.full(1, type_of(x).with_shape((rows[0], rows[1] // 2, *rows[2:])))
    (down, right), (apart, beside) = n.integers("strides", (1, 1)), n.integers("dilations", (1, 1))
    steps, distances = (down, right), (apart, beside)
    groups, parts = n.integer("group", 1), n.integer("offset_group", 1)
    return modulated_deformable_convolution(x, offset, mask, w, bias, steps, distances, (top, left), groups, parts)


@ONNX("MaxUnpool", known=(2,))
def unpool(n: Application, x: Operand, places: Operand, sizes: Known | None = None) -> Operand:
    """Elements back at their places in arrays of zeros; places count over the whole array."""
    shape = type_of(x).shape
    kernel = n.integers("kernel_shape")
    rank = len(kernel)
    strides, pads = n.integers("strides", (1,) * rank), n.integers("pads", (0,) * 2 * rank)
    own = tuple((size - 1) * step + window - low - high for size, step, window, low, high in
                zip(shape[2:], strides, kernel, pads[:rank], pads[rank:], strict=True))  # fmt: skip
    whole = (*shape[:2], *own)
    flat = ops.full(0, type_of(x).with_shape((math.prod(whole),)))
    count = math.prod(shape)
    at = ops.reshape(ops.cast(places, int64), (count, 1))
    y = ops.reshape(ops.scatter_nd(flat, at, ops.reshape(x, (count,)), "set"), whole)
    if sizes is None:
        return y
    rest = tuple(size - own for size, own in zip(sizes.list(), whole, strict=True))
    return ops.pad(y, ops.scalar(0, type_of(x).dtype), (0,) * len(rest), rest)
