# SPDX-License-Identifier: Apache-2.0
"""Regions of images, as detectors propose them, in a fixed number of bins: their maxima, their interpolated means.

A region is (image, left, top, right, bottom), and `spatial_scale` times that in pixels. Gradients reach the images; the
regions, which MXNet takes for given, have none. A region whose number is of no image gives 0.
"""

from __future__ import annotations

from hybridize.base import dims
from hybridize.base.dtypes import DType, int64, is_float
from hybridize.base.errors import ArgumentError, DTypeError, ShapeError
from hybridize.base.types import TensorType
from hybridize.ops.analysis import ceil, floor, isfinite
from hybridize.ops.arithmetic import abs, add, bit_and, div, ge, gt, le, lt, max, min, mul, sign, sub, where
from hybridize.ops.composite import composite
from hybridize.ops.contract import contract
from hybridize.ops.indexing import gather, gather_nd
from hybridize.ops.library.sampling import interpolated, reader
from hybridize.ops.op import Operand, scalar, type_of
from hybridize.ops.reductions import arg_max, reduce_max
from hybridize.ops.slicing import concat, iota, slice
from hybridize.ops.views import broadcast, cast, full, like, reshape, stop_gradient, sum, transpose, wide

Pair = tuple[int, int]
"""Of rows and of columns."""
_NEAR = 7
"""Of points at most a pixel and more than half a pixel apart, four lie within a pixel of a place; and one more on
either side, and a last one, since the first is found by rounding."""


@composite("ROIPooling")
def roi_pooling(x: Operand, rois: Operand, pooled_size: Pair, spatial_scale: float) -> Operand:
    """Return the maxima of the bins of regions.

    Bins begin and end at whole pixels, so they overlap where a region is no multiple of them; one that lies beyond its
    image is 0. The gradient goes to the first maximum of each.

    Args:
        x: [n, c, h, w].
        rois: [k, 5]; the last row and column of a region, rounded to pixels, belong to it.
        pooled_size: the number of bins, y and x.
        spatial_scale: pixels of x for one of the regions.

    Returns:
        [k, c, y, x].

    Raises:
        ArgumentError E399: the scale is not from 0 to 1.
        DTypeError E239: integers.
        ShapeError E182: they do not fit together.
    """
    _check("ROIPooling", x, rois, spatial_scale)
    kind = type_of(x)
    n, c, h, w = kind.shape
    count = type_of(rois).shape[0]
    sides, image, valid = _read(rois, wide(kind.dtype), n)
    rounded = [nearest(_scaled(side, spatial_scale)) for side in sides]
    down, right = pooled_size
    top, bottom = _bins(rounded[1], rounded[3], down, h)
    left, end = _bins(rounded[0], rounded[2], right, w)

    lowest = scalar(float("-inf"), kind.dtype)
    inner = (count, c, h, right, w)
    region_images = reshape(gather(x, image, 0), (count, c, h, 1, w))
    lines = where(
        _spread(_between(left, end, w), (count, 1, 1, right, w), inner),
        broadcast(region_images, inner),
        broadcast(reshape(lowest, (1,) * 5), inner),
    )
    column = max(arg_max(lines, 4), _index(left, (count, 1, 1, right), (count, c, h, right), w))
    outer = (count, c, down, right, h)
    best = transpose(reduce_max(lines, (4,)), (0, 1, 3, 2))
    images = where(
        _spread(_between(top, bottom, h), (count, 1, down, 1, h), outer),
        broadcast(reshape(best, (count, c, 1, right, h)), outer),
        broadcast(reshape(lowest, (1,) * 5), outer),
    )
    shape = (count, c, down, right)
    row = max(arg_max(images, 4), _index(top, (count, 1, down, 1), shape, h))
    places = [iota(shape, axis, int64) for axis in (0, 1, 3)]
    column = gather_nd(column, _points(places[0], places[1], row, places[2]))
    number = broadcast(reshape(image, (count, 1, 1, 1)), shape)
    maxima = gather_nd(x, _points(number, places[1], row, column))
    some = bit_and(
        broadcast(reshape(gt(bottom, top), (count, 1, down, 1)), shape),
        broadcast(reshape(gt(end, left), (count, 1, 1, right)), shape),
    )
    some = bit_and(some, broadcast(reshape(valid, (count, 1, 1, 1)), shape))
    return where(some, maxima, like(0, maxima))


def _bins(first: Operand, last: Operand, bins: int, size: int) -> tuple[Operand, Operand]:
    """Return where bins [k, bins] begin and end, in whole pixels within an axis."""
    shape = (type_of(first).shape[0], bins)
    length = max(add(sub(last, first), like(1, first)), like(1, first))
    step = broadcast(reshape(div(length, like(bins, length)), (shape[0], 1)), shape)
    start = broadcast(reshape(first, (shape[0], 1)), shape)
    number = cast(iota(shape, 1, int64), type_of(first).dtype)

    def within(place: Operand) -> Operand:
        return min(max(add(place, start), like(0, start)), like(size, start))

    return within(floor(mul(number, step))), within(ceil(mul(add(number, like(1, number)), step)))


def _between(begin: Operand, end: Operand, size: int) -> Operand:
    """True [k, bins, size] where an element lies in a bin."""
    k, bins = type_of(begin).shape
    shape = (k, bins, size)
    place = cast(iota(shape, 2, int64), type_of(begin).dtype)
    low, high = (broadcast(reshape(side, (k, bins, 1)), shape) for side in (begin, end))
    return bit_and(ge(place, low), lt(place, high))


def _index(place: Operand, ones: tuple[int, ...], shape: tuple[int, ...], size: int) -> Operand:
    """Return where bins begin as indices, which lie in the axis."""
    safe = where(isfinite(place), min(place, like(size - 1, place)), like(0, place))
    return _spread(cast(safe, int64), ones, shape)


def _spread(x: Operand, ones: tuple[int, ...], shape: tuple[int, ...]) -> Operand:
    return broadcast(reshape(x, ones), shape)


def _points(*columns: Operand) -> Operand:
    shape = (*type_of(columns[0]).shape, 1)
    return concat(*(reshape(column, shape) for column in columns), axis=len(shape) - 1)


@composite("_contrib_ROIAlign")
def roi_align(
    x: Operand,
    rois: Operand,
    pooled_size: Pair,
    spatial_scale: float,
    sample_ratio: int,
    position_sensitive: bool,
    aligned: bool,
) -> Operand:
    """Return the means of points in the bins of regions, each interpolated between its four nearest pixels.

    A point up to a pixel beyond the image is at its border, and further out 0.

    Args:
        x: [n, c, h, w].
        rois: [k, 5].
        pooled_size: the number of bins, y and x.
        spatial_scale: pixels of x for one of the regions.
        sample_ratio: points along each axis of a bin; below 1: as many as it has pixels, which data say, so all pixels
            of an image are weighed for each region that is in it.
        position_sensitive: each bin has channels of its own: c is the product of channels and bins.
        aligned: a pixel's middle is where its number is, half a pixel up and left; regions of no size are 0. Else a
            region is of one pixel at least.

    Returns:
        [k, c, y, x], or [k, c / (y x), y, x].

    Raises:
        ArgumentError E399: the scale is not from 0 to 1.
        DTypeError E239: integers.
        ShapeError E182: they do not fit together.
    """
    return means_of_regions(x, rois, pooled_size, spatial_scale, sample_ratio, position_sensitive, aligned, aligned)


def means_of_regions(
    x: Operand,
    rois: Operand,
    pooled_size: Pair,
    spatial_scale: float,
    sample_ratio: int,
    position_sensitive: bool,
    aligned: bool,
    sized: bool,
) -> Operand:
    """Return what `roi_align` does; `sized`: regions of no size, or turned round, are 0, else they have points, too."""
    _check("ROIAlign", x, rois, spatial_scale)
    kind, total = type_of(x), wide(type_of(x).dtype)
    n, c, h, w = kind.shape
    count, (down, right) = type_of(rois).shape[0], pooled_size
    if position_sensitive and c % (down * right):
        raise ShapeError(
            "E182",
            f"ROIAlign of {kind} with position_sensitive=True",
            help=f"the number of channels must be a multiple of the {down * right} bins",
        )
    sides, image, valid = _read(rois, total, n)
    sides = [_scaled(side, spatial_scale) for side in sides]
    if aligned:
        sides = [sub(side, like(0.5, side)) for side in sides]
    begins, lengths = (sides[1], sides[0]), [sub(sides[3], sides[1]), sub(sides[2], sides[0])]
    for length in lengths if sized else ():
        valid = bit_and(valid, gt(length, like(0, length)))
    if not aligned:
        lengths = [max(length, like(1, length)) for length in lengths]
    steps = [div(length, like(bins, length)) for length, bins in zip(lengths, pooled_size, strict=True)]
    source = cast(x, total)
    if position_sensitive:
        c = c // (down * right)
        source = transpose(reshape(source, (n, c, down * right, h, w)), (0, 2, 1, 3, 4))
    if sample_ratio > 0:
        means = _at_points(source, image, begins, steps, pooled_size, sample_ratio)
    else:
        means = _weighed(source, image, begins, steps, pooled_size)
    shape = type_of(means).shape
    some = broadcast(reshape(valid, (count, 1, 1, 1)), shape)
    return cast(where(some, means, like(0, means)), kind.dtype)


def _at_points(
    x: Operand, image: Operand, begins: tuple[Operand, Operand], steps: list[Operand], bins: Pair, ratio: int
) -> Operand:
    """Return the means of `ratio` points along each axis of a bin; x may have an axis of bins before its channels."""
    *_, c, h, w = type_of(x).shape
    count, (down, right) = type_of(image).shape[0], bins
    shape = (count, down, ratio, right, ratio)
    number = broadcast(reshape(image, (count, 1, 1, 1, 1)), shape)
    if type_of(x).ndim == 5:
        each = add(
            mul(iota(shape, 1, int64), full(right, TensorType(shape, int64))), iota(shape, 3, int64)
        )  # fmt: skip
        number = add(mul(number, full(down * right, type_of(number))), each)
        x = reshape(x, (type_of(x).shape[0] * down * right, c, h, w))
    places: list[Operand] = []
    inside: Operand | None = None
    for which, (size, amount) in enumerate(zip((h, w), bins, strict=True)):
        sample = iota((count, amount, ratio), 2, int64)
        place = _place(begins[which], steps[which], sample, full(ratio, TensorType((count,), type_of(steps[0]).dtype)))
        place = reshape(place, (count, amount, ratio, 1, 1) if which == 0 else (count, 1, 1, amount, ratio))
        fits = broadcast(_near(place, size), shape)
        inside = fits if inside is None else bit_and(inside, fits)
        places.append(broadcast(_moved(place, size), shape))
    assert inside is not None
    samples = interpolated(reader(x, (), False, number), places)
    around = type_of(samples).shape
    samples = where(broadcast(reshape(inside, (count, 1, *shape[1:])), around), samples, like(0, samples))
    samples = sum(samples, (3, 5))
    return div(samples, like(ratio * ratio, samples))


def _weighed(x: Operand, image: Operand, begins: tuple[Operand, Operand], steps: list[Operand], bins: Pair) -> Operand:
    """Return the means of as many points as bins have pixels: sums over images, weighed by rows and by columns."""
    h, w = type_of(x).shape[-2:]
    rows, columns = (
        _weights(begin, step, amount, size)
        for begin, step, amount, size in zip(begins, steps, bins, (h, w), strict=True)
    )
    count, (down, right) = type_of(image).shape[0], bins
    images = gather(x, image, 0)
    if type_of(x).ndim == 5:
        c = type_of(x).shape[2]
        images = reshape(images, (count, down, right, c, h, w))
        return contract("khwcy,khy->kchw", contract("khwcyx,kwx->khwcy", images, columns, {}), rows, {})
    return contract("kcyw,khy->kchw", contract("kcyx,kwx->kcyw", images, columns, {}), rows, {})


def _weights(begin: Operand, step: Operand, bins: int, size: int) -> Operand:
    """Return the share [k, bins, size] of each element of an axis in the mean of the points of each bin.

    Points are at most an element apart, and more than half of one where there are several in a bin, so few are near an
    element: only those are looked at.
    """
    dtype, count = type_of(begin).dtype, type_of(begin).shape[0]
    amount = max(ceil(step), like(1, step))
    shape = (count, bins, size, _NEAR)
    element = cast(iota(shape, 2, int64), dtype)
    number = cast(iota(shape, 1, int64), dtype)

    def over(x: Operand) -> Operand:
        return broadcast(reshape(x, (count, 1, 1, 1)), shape)

    base = add(over(begin), mul(number, over(step)))
    apart = over(div(step, amount))
    one = like(1, element)
    first = floor(sub(div(sub(sub(element, one), base), apart), like(0.5, element)))
    first = max(sub(first, one), like(0, first))
    sample = add(first, cast(iota(shape, 3, int64), dtype))
    place = add(base, div(mul(add(sample, like(0.5, sample)), over(step)), over(amount)))
    share = sub(one, abs(sub(_moved(place, size), element)))
    valid = bit_and(bit_and(lt(sample, over(amount)), _near(place, size)), gt(share, like(0, share)))
    total = sum(where(valid, share, like(0, share)), (3,))
    return div(total, broadcast(reshape(amount, (count, 1, 1)), (count, bins, size)))


def _place(begin: Operand, step: Operand, sample: Operand, amount: Operand) -> Operand:
    """Return the place of points `sample` [k, bins, points] of each bin."""
    shape, dtype = type_of(sample).shape, type_of(begin).dtype
    start, length, all_of = (broadcast(reshape(x, (shape[0], 1, 1)), shape) for x in (begin, step, amount))
    number, point = cast(iota(shape, 1, int64), dtype), cast(sample, dtype)
    return add(add(start, mul(number, length)), div(mul(add(point, like(0.5, point)), length), all_of))


def _near(place: Operand, size: int) -> Operand:
    """True where a place is at most a pixel beyond the image."""
    return bit_and(ge(place, like(-1, place)), le(place, like(size, place)))


def _moved(place: Operand, size: int) -> Operand:
    return min(max(place, like(0, place)), like(size - 1, place))


def nearest(x: Operand) -> Operand:
    """Return whole numbers nearest to others, halves away from 0."""
    size = abs(x)
    below = floor(size)
    up = ge(sub(size, below), like(0.5, size))
    return mul(sign(x), where(up, add(below, like(1, below)), below))


def _scaled(side: Operand, scale: float) -> Operand:
    return mul(side, like(scale, side))


def _read(rois: Operand, total: DType, images: int) -> tuple[list[Operand], Operand, Operand]:
    """Return the four sides [k] of regions, the numbers of their images, and where there is such an image."""
    count = type_of(rois).shape[0]
    regions = stop_gradient(cast(rois, total))
    number, *sides = (
        reshape(slice(regions, (0, k), (count, k + 1), (1, 1)), (count,)) for k in range(5)
    )  # fmt: skip
    valid = bit_and(gt(number, like(-1, number)), lt(number, like(images, number)))
    return sides, cast(where(valid, number, like(0, number)), int64), valid


def _check(name: str, x: Operand, rois: Operand, scale: float) -> None:
    kind, places = type_of(x), type_of(rois)
    for each in (kind, places):
        if not is_float(each.dtype):
            raise DTypeError("E239", f"{name} of {kind} in {places}", help='cast it first: x.astype("float32")')
    if kind.ndim != 4 or places.ndim != 2 or places.shape[1] != 5:
        raise ShapeError(
            "E182",
            f"{name} of {kind} in {places}",
            help="images are [batch, channels, height, width]; regions are [count, 5]: image, left, top, right, bottom",
        )
    n, _, h, w = kind.shape
    if dims.same(n * h * w, 0):
        raise ShapeError("E182", f"{name} of {kind}", help="the images have no pixels: give larger images")
    if not 0 <= scale <= 1:
        raise ArgumentError("E399", f"{name} with spatial_scale={scale}", help="spatial_scale must be from 0 to 1")
