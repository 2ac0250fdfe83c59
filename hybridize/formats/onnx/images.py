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
from hybridize.base.dtypes import float32
from hybridize.formats.foreign.known import Known
from hybridize.formats.foreign.vocabulary import Application
from hybridize.formats.onnx.vocabulary import ONNX
from hybridize.ops.library import rescaling
from hybridize.ops.library.rescaling import Axis, Sampling, rescaled
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


def _by_scales(x: Operand, scales: Sequence[float], axes: Sequence[int]) -> dict[int, Axis]:
    shape = type_of(x).shape
    return {axis: Axis(_count(shape[axis], scale), scale) for axis, scale in zip(axes, scales, strict=True) if scale != 1}


def _simple(n: Application, x: Operand, scales: Sequence[float]) -> Operand:
    """Of operator sets before 11: places are quotients; what is nearest is before them, or after where the axis shrinks."""
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
    if scales is not None and scales.array.size:
        chosen = _by_scales(x, scales.pinned().tolist(), axes)
    elif sizes is not None and sizes.array.size:
        chosen = _by_sizes(n, kind.shape, sizes.list(), axes)
    else:
        n.fail("it has neither scales nor sizes")
    if places != "tf_crop_and_resize":
        return rescaled(x, chosen, form)
    if roi is None or roi.array.size != 2 * len(axes):
        n.fail("tf_crop_and_resize needs the beginning and the end of a region along each axis")
    region = roi.pinned().reshape(2, -1).T.tolist()
    pairs = dict(zip(axes, region, strict=True))
    whole = {axis: Axis(kind.shape[axis]) for axis in axes} | chosen
    cropped = {axis: Axis(one.count, one.scale, tuple(pairs[axis])) for axis, one in whole.items()}
    return rescaled(x, cropped, form, n.number("extrapolation_value", 0.0))


def _by_sizes(n: Application, shape: Sequence[Any], sizes: list[Any], axes: Sequence[int]) -> dict[int, Axis]:
    policy = n.text("keep_aspect_ratio_policy", "stretch", ("stretch", "not_larger", "not_smaller"))
    if policy == "stretch":
        pairs = {axis: size for axis, size in zip(axes, sizes, strict=True) if not dims.same(size, shape[axis])}
        return {axis: Axis(size, _whole_scale(shape[axis], size)) for axis, size in pairs.items()}
    ratios = [numpy.float32(int(size)) / numpy.float32(int(shape[axis])) for axis, size in zip(axes, sizes, strict=True)]
    scale = float(min(ratios) if policy == "not_larger" else max(ratios))
    return {axis: Axis(math.floor(numpy.float32(int(shape[axis])) * numpy.float32(scale) + 0.5), scale) for axis in axes}


def _whole_scale(size: Any, count: Any) -> float | None:
    """The scale where it is a whole number and a size is known to calls only."""
    if not dims.is_symbolic(size):
        return None
    for scale in (2, 4, 8, 3, 16, 32):
        if dims.same(size * scale, count):
            return float(scale)
    return None
