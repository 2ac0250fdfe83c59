# SPDX-License-Identifier: Apache-2.0
"""Rows of jaxprs that move elements: shapes, slices, padding, sorting. Sizes in attributes may be dims."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hybridize import ops
from hybridize.base import dims
from hybridize.base.dtypes import bool_, int32, int64, uint8
from hybridize.formats.foreign.arrays import filled, is_number, with_axes, without_axes
from hybridize.formats.foreign.known import Known
from hybridize.formats.foreign.vocabulary import Value
from hybridize.formats.foreign.walk import Application
from hybridize.formats.jaxpr.vocabulary import JAXPR, dtype_of, sizes
from hybridize.ops.op import Operand, type_of


@JAXPR("broadcast_in_dim")
def broadcast(n: Application, x: Operand, *_: Operand) -> Operand:
    """An array stretched, its axes at these places of the result."""
    shape, places = sizes(n, "shape"), sizes(n, "broadcast_dimensions")
    own = dict(zip(places, type_of(x).shape, strict=True))
    return ops.broadcast(ops.reshape(x, tuple(own.get(axis, 1) for axis in range(len(shape)))), shape)


@JAXPR("reshape")
def reshape(n: Application, x: Operand, *_: Operand) -> Operand:
    """An array under another shape."""
    if n.attributes.get("dimensions") is not None:
        x = ops.transpose(x, sizes(n, "dimensions"))
    return ops.reshape(x, sizes(n, "new_sizes"))


@JAXPR("squeeze")
def squeeze(n: Application, x: Operand) -> Operand:
    """An array without some axes of size 1."""
    return without_axes(x, n.axes_of(n.integers("dimensions"), type_of(x).ndim))


@JAXPR("transpose")
def transpose(n: Application, x: Operand) -> Operand:
    """An array with its axes in another order."""
    return ops.transpose(x, n.integers("permutation"))


@JAXPR("concatenate")
def concatenate(n: Application, *xs: Operand) -> Operand:
    """Arrays one after the other."""
    return ops.concat(*xs, axis=n.integer("dimension"))


@JAXPR("stack")
def stack(n: Application, *xs: Operand) -> Operand:
    """Arrays beside each other along a new axis."""
    axis = n.axis_of(n.integer("axis"), type_of(xs[0]).ndim + 1)
    return ops.concat(*(with_axes(x, (axis,)) for x in xs), axis=axis)


@JAXPR("unstack")
def unstack(n: Application, x: Operand) -> tuple[Operand, ...]:
    """The parts of an array that stand beside each other along an axis, without it."""
    axis = n.axis(x)
    return tuple(without_axes(ops.part(x, axis, k, k + 1), (axis,)) for k in range(len(n.node.outputs)))


@JAXPR("tile")
def tile(n: Application, x: Operand) -> Operand:
    """An array so many times along each axis."""
    shape, times = type_of(x).shape, sizes(n, "reps")
    apart = ops.reshape(x, tuple(one for size in shape for one in (1, size)))
    pairs = list(zip(times, shape, strict=True))
    whole = ops.broadcast(apart, tuple(one for pair in pairs for one in pair))
    return ops.reshape(whole, tuple(count * size for count, size in pairs))


@JAXPR("empty", "empty2")
def empty(n: Application) -> Operand:
    """An array whose elements nobody reads."""
    return filled(0, n.attributes.get("shape", ()), dtype_of(n, "dtype"))


@JAXPR("slice")
def part(n: Application, x: Operand) -> Operand:
    """Elements between two places of each axis, by steps."""
    starts, stops = sizes(n, "start_indices"), sizes(n, "limit_indices")
    return ops.slice(x, starts, stops, n.attributes.get("strides") or (1,) * len(starts))


@JAXPR("rev")
def reverse(n: Application, x: Operand) -> Operand:
    """The elements in the opposite order along some axes."""
    for axis in n.integers("dimensions"):
        x = ops.flip(x, axis)
    return x


@JAXPR("split")
def split(n: Application, x: Operand) -> tuple[Operand, ...]:
    """Parts of an array along an axis."""
    axis, start, parts = n.axis(x), 0, []
    for size in sizes(n, "sizes"):
        parts.append(ops.part(x, axis, start, start + size))
        start = start + size
    return tuple(parts)


@JAXPR("iota")
def iota(n: Application, *_: Operand) -> Operand:
    """Each element its own place along an axis."""
    kind = dtype_of(n, "dtype")
    numbers = ops.iota(sizes(n, "shape"), n.integer("dimension"), int64 if kind == bool_ else kind)
    return ops.cast(numbers, kind)


@JAXPR("dim_as_value", values=True)
def size(n: Application) -> Value:
    """A size as a number: data of the program where only calls know it."""
    number, kind = n.attributes["dim"], int64 if n.flag("wide") else int32
    return ops.cast(ops.size_of(number), kind) if dims.is_symbolic(number) else Known.of(number, kind)


@JAXPR("pad")
def pad(n: Application, x: Operand, value: Operand) -> Operand:
    """An array with elements before, after and between its own; negative numbers take some away at the ends."""
    config = sizes(n, "padding_config")
    return padded(x, value, *zip(*config, strict=True)) if config else x


def padded(x: Operand, value: Operand, low: Sequence[Any], high: Sequence[Any], between: Sequence[int]) -> Operand:
    """Return an array with elements of a value before, after and between its own; see `pad`."""
    if any(between):
        kind = type_of(x)
        apart = tuple(
            size if not gap or is_number(size, 0) else (size - 1) * (gap + 1) + 1
            for size, gap in zip(kind.shape, between, strict=True)
        )
        steps = tuple(gap + 1 for gap in between)
        x = ops.update_slice(ops.broadcast(value, apart), x, (0,) * kind.ndim, apart, steps)
    shape = type_of(x).shape
    starts = tuple(0 if one >= 0 else -one for one in low)
    stops = tuple(size if one >= 0 else size + one for size, one in zip(shape, high, strict=True))
    x = ops.slice(x, starts, stops, (1,) * len(shape))
    before, after = (tuple(one if one >= 0 else 0 for one in ends) for ends in (low, high))
    return x if not any((*before, *after)) else ops.pad(x, value, before, after)


@JAXPR("dynamic_slice", values=True)
def slice_at(n: Application, x: Value, *starts: Value) -> Operand:
    """So many elements of each axis, from places that data say, moved within the array."""
    x, shape = _operand(x), sizes(n, "slice_sizes")
    for axis, (start, length) in enumerate(zip(starts, shape, strict=False)):
        size = type_of(x).shape[axis]
        if dims.same(size, length):
            continue
        if isinstance(start, Known):
            first = min(max(start.item(), 0), size - length)
            x = ops.part(x, axis, first, first + length)
        else:
            x = ops.slice_at(x, ops.cast(start, int64), axis, length)
    return x


@JAXPR("dynamic_update_slice", values=True)
def update_at(n: Application, x: Value, update: Value, *starts: Value) -> Operand:
    """An array with a part replaced, at a place that data say, moved within the array."""
    places = [ops.cast(_operand(start), int64) for start in starts]
    return _replaced(_operand(x), _operand(update), places, 0)


def _replaced(x: Operand, update: Operand, starts: Sequence[Operand], axis: int) -> Operand:
    """An array with a part replaced that is as large as the array along the axes before one."""
    shape, part_shape = type_of(x).shape, type_of(update).shape
    rest = [k for k in range(axis, len(shape)) if not dims.same(shape[k], part_shape[k])]
    if not rest:
        return update
    first = rest[0]
    if len(rest) > 1:
        update = _replaced(ops.slice_at(x, starts[first], first, part_shape[first]), update, starts, first + 1)
    return ops.update_at(x, starts[first], update, first)


def _operand(value: Value) -> Operand:
    return value.operand() if isinstance(value, Known) else value


@JAXPR("sort")
def sort(n: Application, *xs: Operand) -> tuple[Operand, ...]:
    """Arrays in the order of the first of them, where those are equal of the next."""
    axis, keys = n.integer("dimension"), n.integer("num_keys", 1)
    if len(xs) == 1 and type_of(xs[0]).dtype != bool_:
        return (ops.sort(xs[0], axis),)
    order = None
    for x in reversed(xs[:keys]):
        key = ops.cast(x, uint8) if type_of(x).dtype == bool_ else x
        key = key if order is None else ops.take_along_axis(key, order, axis)
        turn = ops.arg_sort(key, axis)
        order = turn if order is None else ops.take_along_axis(order, turn, axis)
    assert order is not None
    return tuple(ops.take_along_axis(x, order, axis) for x in xs)


@JAXPR("top_k")
def largest(n: Application, x: Operand) -> tuple[Operand, Operand]:
    """The largest elements along an axis, the largest first, and their places."""
    return _first(n, x, n.axis(x, default=-1), True)


@JAXPR("approx_top_k")
def nearly_largest(n: Application, x: Operand) -> tuple[Operand, Operand]:
    """The same, or the smallest ones: all of them, though some may be missed."""
    if not n.flag("aggregate_to_topk", True):
        n.fail("more elements than were asked for are not supported", help="aggregate_to_topk=True")
    return _first(n, x, n.axis(x, "reduction_dimension", -1), n.flag("is_max_k", True))


def _first(n: Application, x: Operand, axis: int, largest: bool) -> tuple[Operand, Operand]:
    order = ops.part(ops.arg_sort(x, axis, largest), axis, 0, n.attributes["k"])
    return ops.take_along_axis(x, order, axis), ops.cast(order, int32)
