# SPDX-License-Identifier: Apache-2.0
"""Rows of TensorFlow about the contents of images: colours, contrast, patches, regions; and fake quantization."""

from __future__ import annotations

import itertools
from typing import Any

from hybridize import ops
from hybridize.base.dtypes import float32, int64
from hybridize.formats.foreign.arrays import aligned, same_pads
from hybridize.formats.foreign.known import Known
from hybridize.formats.foreign.walk import Application
from hybridize.formats.tensorflow.vocabulary import TENSORFLOW
from hybridize.formats.tensorflow.windows import images_of, over_all_axes, windows_of
from hybridize.ops import composites
from hybridize.ops.library.bounds import check
from hybridize.ops.library.colours import fake_quantized, hue_saturation_value, red_green_blue, saturated, turned
from hybridize.ops.library.regions import nearest
from hybridize.ops.library.sampling import interpolated, reader
from hybridize.ops.op import Operand, type_of

TENSORFLOW.plain({
    "RGBToHSV": hue_saturation_value, "HSVToRGB": red_green_blue,
    "AdjustHue": lambda x, by: turned(x, aligned(by, type_of(x).shape[:-1])),
    "AdjustSaturation": lambda x, by: saturated(x, aligned(by, type_of(x).shape[:-1])),
})  # fmt: skip


@TENSORFLOW("AdjustContrastv2")
def contrast(n: Application, x: Operand, factor: Operand) -> Operand:
    """Images [..., height, width, channels] whose distances from the mean of each channel are multiplied."""
    kind = type_of(x)
    wide = ops.cast(x, float32)
    axes = (kind.ndim - 3, kind.ndim - 2)
    mean = ops.spread(composites.mean(wide, axes), kind.shape, axes)
    y = ops.add(ops.mul(ops.sub(wide, mean), aligned(ops.cast(factor, float32), kind.shape)), mean)
    return ops.cast(y, kind.dtype)


@TENSORFLOW("ExtractImagePatches")
def patches(n: Application, x: Operand) -> Operand:
    """The windows over images, each a row of channels."""
    kind = type_of(x)
    sizes, steps, rates = (images_of(n, name) for name in ("ksizes", "strides", "rates"))
    images = kind.shape[1:3]
    pads: Any = ((0, 0), (0, 0))
    if n.text("padding", None, ("SAME", "VALID")) == "SAME":
        pads = same_pads(images, sizes, steps, rates)
    low, high = zip((0, 0), *pads, (0, 0), strict=True)
    x = ops.pad(x, ops.scalar(0, kind.dtype), low, high)
    shape = type_of(x).shape
    counts = [(whole - (size - 1) * rate - 1) // step + 1
              for whole, size, step, rate in zip(shape[1:3], sizes, steps, rates, strict=True)]  # fmt: skip
    parts = []
    for place in itertools.product(*map(range, sizes)):
        starts = [k * rate for k, rate in zip(place, rates, strict=True)]
        stops = [start + (count - 1) * step + 1 for start, count, step in zip(starts, counts, steps, strict=True)]
        parts.append(ops.slice(x, (0, *starts, 0), (shape[0], *stops, shape[3]), (1, *steps, 1)))
    return ops.concat(*parts, axis=3)


@TENSORFLOW("CropAndResize", known=(3,))
def crops(n: Application, x: Operand, boxes: Operand, numbers: Operand, sizes: Known) -> Operand:
    """Regions of images at other sizes: boxes from 0 to 1 (top, left, bottom, right), each of the image of a number."""
    images, height, width, channels = type_of(x).shape
    way, beyond = n.text("method", "bilinear", ("bilinear", "nearest")), n.number("extrapolation_value", 0)
    count = type_of(boxes).shape[0]
    check(ops.cast(numbers, int64), 0, images, f"{n.place}: numbers of images")
    shape = (count, *sizes.list(), channels)
    out = shape[:3]
    places, inside = [], None
    for axis, size in enumerate((height, width)):
        first, last = (ops.spread(_column(boxes, k), out, (1, 2)) for k in (axis, axis + 2))
        most, steps = ops.like(size - 1, first), out[axis + 1] - 1
        if out[axis + 1] == 1:
            place = ops.mul(ops.mul(ops.add(first, last), ops.like(0.5, first)), most)
        else:
            step = ops.div(ops.mul(ops.sub(last, first), most), ops.like(steps, first))
            number = ops.cast(ops.iota(out, axis + 1, int64), type_of(first).dtype)
            place = ops.add(ops.mul(first, most), ops.mul(number, step))
        fits = ops.bit_and(ops.ge(place, ops.like(0, place)), ops.le(place, most))
        inside = fits if inside is None else ops.bit_and(inside, fits)
        places.append(nearest(place) if way == "nearest" else place)
    image = ops.spread(ops.cast(numbers, int64), out, (1, 2))
    read = reader(ops.cast(ops.transpose(x, (0, 3, 1, 2)), float32), out[1:], False, image)
    y = ops.transpose(read(places) if way == "nearest" else interpolated(read, places), (0, 2, 3, 1))
    return ops.where(ops.spread(inside, shape, (3,)), y, ops.like(beyond, y))


def _column(x: Operand, k: int) -> Operand:
    return ops.reshape(ops.part(x, 1, k, k + 1), (type_of(x).shape[0],))


@TENSORFLOW("MaxPoolWithArgmax")
def max_pool_with_places(n: Application, x: Operand) -> tuple[Operand, Operand]:
    """The largest element of each window, and the number of each in its image, or in the batch."""
    windows = over_all_axes(x, *windows_of(n, x))
    batch, height, width, channels = type_of(x).shape
    shape = (batch, height, width, channels)
    place = ops.iota((batch * height * width * channels,), 0, int64)
    if not n.flag("include_batch_in_index"):
        place = ops.mod(place, ops.like(height * width * channels, place))
    chosen = ops.window_take(ops.reshape(place, shape), ops.window_arg_max(x, *windows), *windows)
    return ops.window_max(x, *windows), ops.cast(chosen, n.attributes.get("Targmax", int64))


# ---------------------------------------------------------------------------------------------------- fake quantization


def _fake(n: Application, x: Operand, low: Operand, high: Operand) -> Operand:
    shape = type_of(x).shape
    return fake_quantized(
        x, aligned(low, shape), aligned(high, shape), int(n.flag("narrow_range")), (1 << n.integer("num_bits", 8)) - 1
    )


@TENSORFLOW("FakeQuantWithMinMaxArgs")
def fake_quantized_by_attributes(n: Application, x: Operand) -> Operand:
    """Numbers as so many steps of a range tell them."""
    return _fake(n, x, ops.like(n.number("min", -6), x), ops.like(n.number("max", 6), x))


@TENSORFLOW("FakeQuantWithMinMaxVars", "FakeQuantWithMinMaxVarsPerChannel")
def fake_quantized_numbers(n: Application, x: Operand, low: Operand, high: Operand) -> Operand:
    """Numbers as so many steps of a range tell them, of one range or one for each channel."""
    return _fake(n, x, low, high)
