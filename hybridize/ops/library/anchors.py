# SPDX-License-Identifier: Apache-2.0
"""Anchors: boxes around each pixel of an image, of which detectors say what lies in them."""

from __future__ import annotations

import builtins
import math
from collections.abc import Sequence

import numpy

from hybridize.base import dims
from hybridize.base.dtypes import int64, is_float
from hybridize.base.errors import ArgumentError, DTypeError, ShapeError
from hybridize.base.types import TensorType
from hybridize.ops.arithmetic import add, div, max, min, mul, sub
from hybridize.ops.composite import composite
from hybridize.ops.op import Operand, constant, type_of
from hybridize.ops.sizes import size_of
from hybridize.ops.slicing import concat, iota
from hybridize.ops.views import broadcast, cast, like, reshape


@composite("_contrib_MultiBoxPrior")
def multibox_prior(
    x: Operand,
    sizes: tuple[float, ...],
    ratios: tuple[float, ...],
    clip: bool,
    steps: tuple[float, ...],
    offsets: tuple[float, ...],
) -> Operand:
    """Return anchors around each pixel: all sizes at the first ratio, then the first size at the other ratios.

    Args:
        x: [n, c, h, w], of which the height and width are taken.
        sizes: shares of the height of the image.
        ratios: of width to height.
        clip: whether edges beyond the image are moved to it.
        steps: the distance of pixels, y and x, as a share of the image; where one is not above 0: 1/h and 1/w.
        offsets: where a pixel's middle is in it, y and x, from 0 to 1.

    Returns:
        [1, h w k, 4]: left, top, right and bottom as shares of the image; pixels row by row.

    Raises:
        ArgumentError E399: no sizes or ratios, or some that are not above 0; `steps` or `offsets` that do not fit.
        DTypeError E239: integers.
        ShapeError E182: these are no images.
    """
    kind = type_of(x)
    _check(kind, sizes, ratios, steps, offsets)
    _, _, h, w = kind.shape
    dtype = kind.dtype
    count = len(sizes) + len(ratios) - 1
    lengths = [cast(size_of(size), dtype) for size in (h, w)]
    measured = [(size, ratios[0]) for size in sizes] + [(sizes[0], ratio) for ratio in ratios[1:]]
    tall, wide = (
        constant(numpy.array([size / 2 * math.sqrt(ratio) ** power for size, ratio in measured], dtype))
        for power in (-1, 1)
    )
    wide = mul(wide, broadcast(div(*lengths), (count,)))
    edges = []
    for axis, half in ((1, wide), (0, tall)):
        length = lengths[axis]
        step = like(steps[axis], length) if builtins.min(steps) > 0 else div(like(1, length), length)
        middle = cast(iota((h, w, count), axis, int64), dtype)
        middle = mul(add(middle, like(offsets[axis], middle)), broadcast(step, (h, w, count)))
        around = broadcast(reshape(half, (1, 1, count)), (h, w, count))
        edges.append((sub(middle, around), add(middle, around)))
    (left, right), (top, bottom) = edges
    boxes = concat(*(reshape(edge, (1, h * w * count, 1)) for edge in (left, top, right, bottom)), axis=2)
    return min(max(boxes, like(0, boxes)), like(1, boxes)) if clip else boxes


def _check(
    kind: TensorType,
    sizes: Sequence[float],
    ratios: Sequence[float],
    steps: Sequence[float],
    offsets: Sequence[float],
) -> None:
    if not (sizes and ratios) or builtins.min(*sizes, *ratios) <= 0:
        got = f"sizes={tuple(sizes)} and ratios={tuple(ratios)}"
        raise ArgumentError("E399", f"MultiBoxPrior with {got}", help="give one or more sizes and ratios, all positive")
    if len(steps) != 2 or len(offsets) != 2 or steps[0] * steps[1] < 0 or not all(0 <= one <= 1 for one in offsets):
        got = f"steps={tuple(steps)} and offsets={tuple(offsets)}"
        raise ArgumentError("E399", f"MultiBoxPrior with {got}", help="both are (y, x); offsets are from 0 to 1")
    if not is_float(kind.dtype):
        raise DTypeError("E239", f"MultiBoxPrior of {kind}", help='cast it first: x.astype("float32")')
    if kind.ndim != 4 or dims.same(kind.shape[2] * kind.shape[3], 0):
        raise ShapeError("E182", f"MultiBoxPrior of {kind}", help="the input is [batch, channels, height, width]")
