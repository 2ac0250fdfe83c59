# SPDX-License-Identifier: Apache-2.0
"""Images at places that data say: each element of the result is interpolated around a point of its own."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Sequence

from hybridize.base.dtypes import int64
from hybridize.base.errors import ArgumentError
from hybridize.base.types import Shape, TensorType
from hybridize.ops.analysis import floor, isfinite, round
from hybridize.ops.arithmetic import abs, add, bit_and, div, eq, ge, le, lt, max, min, mod, mul, sub, where
from hybridize.ops.indexing import gather_nd
from hybridize.ops.library.einstein import einsum
from hybridize.ops.op import Operand, type_of
from hybridize.ops.slicing import concat, iota, slice
from hybridize.ops.views import broadcast, cast, full, like, reshape, transpose, wide

WAYS = ("linear", "nearest", "cubic")
BORDERS = ("zeros", "border", "reflection")
Sampler = Callable[[Sequence[Operand]], Operand]
"""Elements of the images at whole places, one operand of places for each axis."""


def sampled(x: Operand, grid: Operand, way: str, border: str, corners: bool) -> Operand:
    """Return images [n, c, o...] at the points of a grid.

    Args:
        x: [n, c, i...], with two or three axes i; "cubic" takes two.
        grid: [n, o..., axes], a point for each element of the result: its place along the last axis of x first, from
            -1 to 1 over that axis.
        way: one of `WAYS`: between the elements around a point, the nearest one, or by Keys' kernel.
        border: one of `BORDERS`: elements beyond the image are 0, the nearest of the image, or its mirror's.
        corners: -1 and 1 are the middles of the outermost elements, else their outer edges.

    Raises:
        ArgumentError E399: no such way or border.
    """
    for name, value, options in (("way", way, WAYS), ("border", border, BORDERS)):
        if value not in options:
            raise ArgumentError("E399", f"sampled with {name}={value!r}", help=f"one of {', '.join(options)}")
    kind = type_of(x)
    sizes, total = kind.shape[2:], wide(kind.dtype)
    points = cast(grid, total)
    places = [_unscaled(_column(points, len(sizes) - 1 - k), size, corners) for k, size in enumerate(sizes)]
    read = reader(x, type_of(grid).shape[1:-1], border == "zeros")
    if way == "cubic":
        return cast(_cubic(read, places, sizes, border, corners), kind.dtype)
    inside = [_inside(place, size, border, corners) for place, size in zip(places, sizes, strict=True)]
    if way == "nearest":
        return cast(read([round(place) for place in inside]), kind.dtype)
    return cast(interpolated(read, inside), kind.dtype)


def affine_grid(matrices: Operand, sizes: Shape, corners: bool) -> Operand:
    """Return the points of images mapped by a matrix for each: [n, o..., axes], as `sampled` takes them.

    Args:
        matrices: [n, axes, axes + 1], of floats: a point (the place along the last axis first, ..., 1) is multiplied.
        sizes: o, of the images.
        corners: see `sampled`.
    """
    kind = TensorType(sizes, type_of(matrices).dtype)
    columns = [_from_minus_one(kind, axis, corners) for axis in reversed(range(len(sizes)))]
    points = concat(*(reshape(one, (*sizes, 1)) for one in (*columns, full(1, kind))), axis=len(sizes))
    letters = "hwd"[: len(sizes)]
    return einsum(f"{letters}k,nik->n{letters}i", (points, matrices))


def _from_minus_one(kind: TensorType, axis: int, corners: bool) -> Operand:
    """Numbers from -1 to 1 along an axis: its elements, or their middles."""
    count = kind.shape[axis]
    if corners and count == 1:
        return full(0, kind)
    number = cast(iota(kind.shape, axis, kind.dtype), kind.dtype)
    if not corners:
        number = add(number, like(0.5, number))
    whole = full(count - 1 if corners else count, kind)
    return sub(div(mul(number, like(2, number)), whole), like(1, number))


def interpolated(read: Sampler, places: Sequence[Operand]) -> Operand:
    """Return what lies between the elements around places, as a `reader` reads them; places are not rounded."""
    neighbours = []
    for place in places:
        low = floor(place)
        share = sub(place, low)
        neighbours.append([(low, sub(like(1, share), share)), (add(low, like(1, low)), share)])
    return _weighed(read, neighbours)


def _column(points: Operand, number: int) -> Operand:
    shape = type_of(points).shape
    starts, stops = (0,) * (len(shape) - 1) + (number,), (*shape[:-1], number + 1)
    return reshape(slice(points, starts, stops, (1,) * len(shape)), shape[:-1])


def _unscaled(place: Operand, size: int, corners: bool) -> Operand:
    """Places from -1 to 1 as places in an axis."""
    one, half = like(1, place), like(0.5, place)
    if corners:
        return mul(add(place, one), mul(like(size - 1, place), half))
    return mul(sub(mul(add(place, one), like(size, place)), one), half)


def _inside(place: Operand, size: int, border: str, corners: bool) -> Operand:
    """Places moved into the axis; those beyond it have no slope, and a NaN is its beginning."""
    if border == "zeros":
        return place
    if border == "reflection":
        place = _mirrored(place, size, corners)
    zero, last = like(0, place), like(size - 1, place)
    inner = where(ge(place, last), last, place)
    inner = where(le(place, zero), zero, inner)
    return where(eq(place, place), inner, zero)


def _mirrored(place: Operand, size: int, corners: bool) -> Operand:
    """Places reflected at both ends of an axis, as often as it takes."""
    low = 0.0 if corners else -0.5
    span = like(size - 1 if corners else size, place)
    if corners and size == 1:
        return like(0, place)
    apart = abs(sub(place, like(low, place)))
    extra = mod(apart, span)
    turns = floor(div(apart, span))
    even = le(mod(turns, like(2, turns)), like(0.5, turns))
    return add(where(even, extra, sub(span, extra)), like(low, place))


def reader(x: Operand, out: Sequence[int], zeros: bool, numbers: Operand | None = None) -> Sampler:
    """Return the elements at places, 0 beyond the image where `zeros`, as [n, c, o...].

    Args:
        x: [n, c, i...].
        out: o, one place for each.
        zeros: what lies beyond is 0, else the nearest element.
        numbers: which image each place [n, o...] is in; None: there are as many places as images.
    """
    n, channels, *sizes = type_of(x).shape
    rank = len(sizes)
    last = transpose(x, (0, *range(2, rank + 2), 1))
    shape = (n, *out) if numbers is None else type_of(numbers).shape
    image = iota(shape, 0, int64) if numbers is None else numbers

    def read(places: Sequence[Operand]) -> Operand:
        inside: Operand | None = None
        columns = [image]
        for place, size in zip(places, sizes, strict=True):
            zero, most = like(0, place), like(size - 1, place)
            fits = bit_and(ge(place, zero), le(place, most))
            inside = fits if inside is None else bit_and(inside, fits)
            safe = where(isfinite(place), min(max(place, zero), most), zero)
            columns.append(cast(safe, int64))
        points = concat(*(reshape(column, (*shape, 1)) for column in columns), axis=len(shape))
        samples = transpose(gather_nd(last, points), (0, len(shape), *range(1, len(shape))))
        samples = cast(samples, wide(type_of(x).dtype))
        if not zeros or inside is None:
            return samples
        return where(_over_channels(inside, channels), samples, like(0, samples))

    return read


def _over_channels(x: Operand, channels: int) -> Operand:
    """[n, o...] over [n, c, o...]."""
    n, *out = type_of(x).shape
    return broadcast(reshape(x, (n, 1, *out)), (n, channels, *out))


def _weighed(read: Sampler, neighbours: Sequence[Sequence[tuple[Operand, Operand]]]) -> Operand:
    """Return the sum of elements, one for each choice of a neighbour along each axis, times their weights.

    Args:
        read: gives the elements.
        neighbours: along each axis, the places and their weights.
    """
    terms = []
    for chosen in itertools.product(*neighbours):
        samples = read([at for at, _ in chosen])
        weight = functools.reduce(mul, [share for _, share in chosen])
        terms.append(mul(samples, _over_channels(weight, type_of(samples).shape[1])))
    return functools.reduce(add, terms)


def _cubic(read: Sampler, places: Sequence[Operand], sizes: Sequence[int], border: str, corners: bool) -> Operand:
    """Sums over the four nearest elements along both axes, weighed by Keys' kernel with a slope of -0.75."""
    neighbours = []
    for place, size in zip(places, sizes, strict=True):
        low = floor(place)
        share = sub(place, low)
        neighbours.append(
            [
                (
                    _inside(add(low, like(step, low)), size, border, corners),
                    _keys(sub(share, like(step, share)), step in (0, 1)),
                )
                for step in (-1, 0, 1, 2)
            ]
        )
    return _weighed(read, neighbours)


def _keys(distance: Operand, near: bool) -> Operand:
    """The weight of an element at a distance up to 1, or from 1 to 2."""
    slope = -0.75
    x = where(lt(distance, like(0, distance)), sub(like(0, distance), distance), distance)
    factors = (slope + 2, -(slope + 3), 0, 1) if near else (slope, -5 * slope, 8 * slope, -4 * slope)
    value = like(factors[0], x)
    for factor in factors[1:]:
        value = add(mul(value, x), like(factor, x))
    return value
