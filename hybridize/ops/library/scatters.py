# SPDX-License-Identifier: Apache-2.0
"""Elements at places that data say: read, set, added, multiplied, or compared with what is there."""

from __future__ import annotations

import math
from typing import Final

from hybridize.base.dtypes import bool_, int64
from hybridize.ops.arithmetic import add, max, min, mul
from hybridize.ops.control import Scan
from hybridize.ops.dynamic_slices import slice_at, update_at
from hybridize.ops.indexing import gather, scatter_nd
from hybridize.ops.op import Operand, bind, type_of
from hybridize.ops.slicing import concat, iota, part
from hybridize.ops.sorting import arg_sort
from hybridize.ops.tracing import make_graph
from hybridize.ops.views import broadcast, cast, like, reshape

REDUCTIONS: Final = ("none", "add", "mul", "max", "min")


def points_along(indices: Operand, axis: int) -> Operand:
    """Return the points [..., axes] that indices along an axis name, one for each of their elements."""
    shape = type_of(indices).shape
    columns = [cast(indices, int64) if k == axis else iota(shape, k, int64) for k in range(len(shape))]
    return concat(*(reshape(column, (*shape, 1)) for column in columns), axis=len(shape))


def scattered(base: Operand, points: Operand, updates: Operand, reduction: str) -> Operand:
    """Return `base` with updates put to points, by what is there already.

    Args:
        base: any array.
        points: i64 [..., k], of elements or of parts of `base`; they lie within it.
        updates: [..., rest of base].
        reduction: one of `REDUCTIONS`: "none" sets, the last one of several; the others combine all of them.
    """
    if type_of(base).dtype == bool_:  # whether any is true, or all
        reduction = {"add": "max", "mul": "min"}.get(reduction, reduction)
    if reduction in ("none", "add"):
        return scatter_nd(base, points, updates, "set" if reduction == "none" else "add")
    shape = type_of(base).shape
    places, values = _flat(points, shape), reshape(updates, (math.prod(type_of(updates).shape),))
    flat = reshape(base, (math.prod(shape),))
    if reduction == "mul":
        return reshape(_in_turn(flat, places, values), shape)
    # What is set last stays: the largest of sorted ones, and elements that none reach are compared with themselves.
    order = arg_sort(values, 0, reduction == "min")
    extremes = scatter_nd(flat, reshape(gather(places, order, 0), (*type_of(order).shape, 1)),
                          gather(values, order, 0), "set")  # fmt: skip
    return reshape((max if reduction == "max" else min)(flat, extremes), shape)


def _flat(points: Operand, shape: tuple[int, ...]) -> Operand:
    """The places of all elements that points name, in the flat array."""
    *front, count = type_of(points).shape
    whole = math.prod(front), math.prod(shape[count:])
    rows = reshape(points, (whole[0], count))
    place = iota(whole, 1, int64)
    for k in range(count):
        column = broadcast(part(rows, 1, k, k + 1), whole)
        place = add(place, mul(column, like(math.prod(shape[k + 1 :]), column)))
    return reshape(place, (whole[0] * whole[1],))


def _in_turn(flat: Operand, places: Operand, values: Operand) -> Operand:
    """A flat array whose elements at places are multiplied, one after the other."""

    def step(total: Operand, place: Operand, value: Operand) -> list[Operand]:
        product = mul(slice_at(total, place, 0, 1), reshape(value, (1,)))
        return [update_at(total, place, product, 0)]

    kinds = [type_of(flat), *(type_of(x).with_shape(()) for x in (places, values))]
    length = type_of(places).shape[0]
    return bind(Scan(make_graph(step, kinds), length, num_carry=1), flat, places, values)[0]
