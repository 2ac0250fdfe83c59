# SPDX-License-Identifier: Apache-2.0
"""Images seen through a projection: each element of the result lies somewhere in an image."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from hybridize.base.dtypes import float32, int64
from hybridize.ops.analysis import trunc
from hybridize.ops.arithmetic import add, div, eq, gt, lt, max, min, mul, neg, sub, where
from hybridize.ops.library.regions import nearest
from hybridize.ops.library.sampling import interpolated, reader
from hybridize.ops.op import Operand, type_of
from hybridize.ops.slicing import iota, part
from hybridize.ops.views import broadcast, cast, like, reshape, spread, transpose

BORDERS: Final = ("CONSTANT", "REFLECT", "WRAP", "NEAREST")


def projected(
    x: Operand, maps: Operand, sizes: Sequence[Any], way: str, border: str, filler: Operand | None
) -> Operand:
    """Return images [n, *sizes, c]: the pixel at column a and row b is the one at the place that a map says.

    The place is (m0 a + m1 b + m2, m3 a + m4 b + m5) / (m6 a + m7 b + 1), a column and a row.

    Args:
        x: [n, h, w, c].
        maps: [n or 1, 8].
        sizes: of the result, height and width.
        way: "NEAREST" or "BILINEAR", between the four pixels around a place.
        border: one of `BORDERS`: what lies beyond an image.
        filler: a number, of "CONSTANT"; None: 0.
    """
    kind = type_of(x)
    count, height, width, channels = kind.shape
    out = (count, *sizes)
    maps = broadcast(cast(maps, float32), (count, 8))
    factors = [spread(reshape(part(maps, 1, k, k + 1), (count,)), out, (1, 2)) for k in range(8)]
    row, column = (cast(iota(out, axis, int64), float32) for axis in (1, 2))

    def line(k: int, rest: Operand) -> Operand:
        return add(add(mul(factors[k], column), mul(factors[k + 1], row)), rest)

    depth = line(6, like(1, row))
    nowhere = eq(depth, like(0, depth))
    safe = where(nowhere, like(1, depth), depth)
    places = [_inside(div(line(k, factors[k + 2]), safe), size, border) for k, size in ((3, height), (0, width))]
    shifted = cast(x, float32)
    value = None if filler is None else reshape(cast(filler, float32), ())
    if value is not None:
        shifted = sub(shifted, broadcast(value, kind.shape))
    read = reader(transpose(shifted, (0, 3, 1, 2)), sizes, border == "CONSTANT")
    y = read([nearest(one) for one in places]) if way == "NEAREST" else interpolated(read, places)
    y = transpose(y, (0, 2, 3, 1))
    shape = (*out, channels)
    y = where(spread(nowhere, shape, (3,)), like(0, y), y)
    return cast(y if value is None else add(y, broadcast(value, shape)), kind.dtype)


def _inside(place: Operand, size: Any, border: str) -> Operand:
    """Places moved into an axis."""
    if border == "CONSTANT":
        return place
    zero, last = like(0, place), like(size - 1, place)
    below, above = lt(place, zero), gt(place, last)
    if border == "REFLECT":
        twice = like(2 * size, place)
        low = add(place, mul(twice, trunc(div(neg(place), twice))))
        low = where(lt(low, like(-size, low)), add(low, twice), sub(neg(low), like(1, low)))
        high = sub(place, mul(twice, trunc(div(place, twice))))
        high = where(lt(high, like(size, high)), high, sub(sub(twice, high), like(1, high)))
    elif border == "WRAP":
        whole, step = like(size, place), max(last, like(1, last))
        low = add(place, mul(whole, add(trunc(div(neg(place), step)), like(1, place))))
        high = sub(place, mul(whole, trunc(div(place, step))))
    else:
        low = high = place
    moved = where(below, low, where(above, high, place))
    return max(min(moved, last), zero)
