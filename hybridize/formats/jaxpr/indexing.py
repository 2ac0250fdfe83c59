# SPDX-License-Identifier: Apache-2.0
"""Rows of jaxprs that read or write parts of an array at places that data say.

Dimension numbers say how: each place of `indices` (all axes but the last) has a window of the array, which begins where
its indices say, each for one axis of the array; axes of both that go together have the same place in both.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy

from hybridize import ops
from hybridize.base import dims
from hybridize.base.dtypes import DType, bool_, int64, is_inexact
from hybridize.base.frozen import frozen
from hybridize.base.types import TensorType
from hybridize.formats.foreign.known import Known, operand_of
from hybridize.formats.foreign.vocabulary import Value
from hybridize.formats.foreign.walk import Application
from hybridize.formats.jaxpr.elementwise import maximum, minimum
from hybridize.formats.jaxpr.vocabulary import JAXPR, graph_of, of_any_shape, sizes
from hybridize.ops.op import Operand, bind, scalar, type_of
from hybridize.ops.tracing import make_graph


@frozen(eq=False)
class _Windows:
    """The windows of an array at the places of indices.

    Args:
        shape: of the array.
        lead: the axes of the places.
        axes: of the array, the one that each index is for.
        pairs: axes of the array with the axis of the places that each goes with.
        extent: the size of a window along each axis of the array.
        dropped: axes along which the window is one element, and that it has not.
    """

    shape: tuple[Any, ...]
    lead: tuple[Any, ...]
    axes: tuple[int, ...]
    pairs: dict[int, int]
    extent: tuple[Any, ...]
    dropped: frozenset[int]

    @property
    def placed(self) -> list[int]:
        """Axes of the array along which a window is not all there is."""
        return [
            axis for axis, (size, whole) in enumerate(zip(self.extent, self.shape, strict=True))
            if axis in self.axes or axis in self.pairs or not dims.same(size, whole)
        ]  # fmt: skip

    @property
    def order(self) -> tuple[int, ...]:
        """The axes of the array, those that are `placed` first."""
        placed = self.placed
        return (*placed, *(axis for axis in range(len(self.shape)) if axis not in placed))

    @property
    def own(self) -> list[int]:
        """The axes that windows have."""
        return [axis for axis in range(len(self.shape)) if axis not in self.dropped]

    @property
    def inner(self) -> list[int]:
        """The axes that windows have, in the order of `points` and of what follows them."""
        return [axis for axis in self.order if axis not in self.dropped]

    def limits(self) -> list[Any]:
        """The last place at which a window may begin, for each index."""
        return [self.shape[axis] - self.extent[axis] for axis in self.axes]

    def points(self, starts: dict[int, Operand]) -> Operand:
        """Return the points of all elements of windows: places, then the placed axes that windows have."""
        inside = [axis for axis in self.placed if axis not in self.dropped]
        shape = (*self.lead, *(self.extent[axis] for axis in inside))
        columns = []
        for axis in self.placed:
            place = None
            if axis in starts:
                place = ops.broadcast(ops.reshape(starts[axis], (*self.lead, *[1] * len(inside))), shape)
            elif axis in self.pairs:
                place = ops.iota(shape, self.pairs[axis], int64)
            if axis in inside and not dims.same(self.extent[axis], 1):
                offset = ops.iota(shape, len(self.lead) + inside.index(axis), int64)
                place = offset if place is None else ops.add(place, offset)
            place = ops.full(0, TensorType(shape, int64)) if place is None else place
            columns.append(ops.reshape(place, (*shape, 1)))
        return ops.concat(*columns, axis=len(shape))


class _Places:
    """The places where windows begin, moved into the array as the mode says, and which of them count.

    Args:
        windows: of the array.
        indices: data or known numbers; the last axis has one for each of the axes.
        mode: `clip` or `fill`: what is not wholly inside does not count.
    """

    def __init__(self, windows: _Windows, indices: Value, mode: str) -> None:
        limits = windows.limits()
        outside = not _inside(indices, limits)
        counts = mode == "fill" and outside
        numbers = ops.cast(operand_of(indices), int64)
        self.starts: dict[int, Operand] = {}
        self.valid: Operand | None = None
        for column, (axis, limit) in enumerate(zip(windows.axes, limits, strict=True)):
            last = len(windows.lead)
            start = ops.reshape(ops.part(numbers, last, column, column + 1), windows.lead)
            zero, most = ops.like(0, start), ops.like(limit, start)
            if counts:
                inside = ops.bit_and(ops.ge(start, zero), ops.le(start, most))
                self.valid = inside if self.valid is None else ops.bit_and(self.valid, inside)
            if outside:
                start = ops.max(ops.min(start, most), zero)
            self.starts[axis] = start


def _mode(n: Application, otherwise: str) -> str:
    """The mode of a node; of what is promised to be inside, what XLA does where the promise is not kept."""
    mode = n.text("mode")
    return otherwise if mode == "promise_in_bounds" else mode


def _inside(indices: Value, limits: Sequence[Any]) -> bool:
    """Tell whether indices are known, and all inside."""
    if not isinstance(indices, Known) or indices.symbolic or any(map(dims.is_symbolic, limits)):
        return False
    numbers = indices.array.reshape(-1, len(limits)).astype(int64)
    return bool(((numbers >= 0) & (numbers <= numpy.array(limits, int64))).all())


def _read_windows(n: Application, x: Operand, indices: Value, extent: Sequence[Any]) -> _Windows:
    shape = indices.array.shape if isinstance(indices, Known) else type_of(indices).shape
    pairs = dict(zip(sizes(n, "operand_batching_dims"), sizes(n, "indices_batching_dims"), strict=True))
    dropped = frozenset((*sizes(n, "dropped"), *pairs))
    return _Windows(type_of(x).shape, tuple(shape[:-1]), sizes(n, "index_axes"), pairs, tuple(extent), dropped)


@JAXPR("gather", values=True)
def gather(n: Application, array: Value, indices: Value) -> Operand:
    """The windows of an array at places that data say."""
    x = operand_of(array)
    windows = _read_windows(n, x, indices, sizes(n, "slice_sizes"))
    places = _Places(windows, indices, _mode(n, "clip"))
    result = _gathered(x, windows, places)
    ndim = type_of(result).ndim
    inside = n.integers("offset_dims")
    filler = n.attributes.get("fill_value")
    if places.valid is not None:
        lead = type_of(places.valid).shape
        valid = ops.reshape(places.valid, (*lead, *[1] * (ndim - len(lead))))
        shape = type_of(result).shape
        number = _filler(filler, type_of(result).dtype)
        result = ops.where(ops.broadcast(valid, shape), result, ops.like(number, result))
    # The result has the places first, then the windows; theirs are the axes `offset_dims`.
    outside = [axis for axis in range(ndim) if axis not in inside]
    source = {axis: number for number, axis in enumerate((*outside, *inside))}
    return ops.transpose(result, tuple(source[axis] for axis in range(ndim)))


def _gathered(x: Operand, windows: _Windows, places: _Places) -> Operand:
    """The places, and behind them the axes of windows in the order of the array."""
    lead, placed = windows.lead, windows.placed
    if len(placed) == 1 and placed[0] in windows.axes and dims.same(windows.extent[placed[0]], 1):
        (axis,) = placed
        y = ops.gather(x, places.starts[axis], axis)  # the places stand where the axis was
        count = len(lead)
        order = (*range(axis, axis + count), *range(axis), *range(axis + count, type_of(y).ndim))
        y = ops.transpose(y, order)
        if axis in windows.dropped:
            return y
        shape = type_of(y).shape
        return ops.reshape(y, (*shape[: count + axis], 1, *shape[count + axis :]))
    if _is_along_axis(windows):
        (axis,) = windows.axes
        return ops.take_along_axis(x, places.starts[axis], axis)
    if not placed:
        y = ops.reshape(x, tuple(windows.shape[axis] for axis in windows.own))
        return ops.broadcast(ops.reshape(y, (*[1] * len(lead), *type_of(y).shape)), (*lead, *type_of(y).shape))
    y = ops.gather_nd(ops.transpose(x, windows.order), windows.points(places.starts))
    turn = [windows.inner.index(axis) for axis in windows.own]
    return ops.transpose(y, (*range(len(lead)), *(len(lead) + k for k in turn)))


def _is_along_axis(windows: _Windows) -> bool:
    """Tell whether each place has one element, of its own place along all axes but one."""
    ndim = len(windows.shape)
    return (
        len(windows.axes) == 1 and len(windows.lead) == ndim and len(windows.dropped) == ndim
        and all(windows.pairs.get(axis) == axis for axis in range(ndim) if axis != windows.axes[0])
        and all(dims.same(windows.lead[axis], windows.shape[axis]) for axis in windows.pairs)
    )  # fmt: skip


def _filler(value: Any, kind: DType) -> Any:
    """The number that stands where nothing is."""
    if value is not None:
        return value
    if is_inexact(kind):
        return math.nan
    if kind == bool_:
        return True
    return numpy.iinfo(kind).max if kind.kind == "u" else numpy.iinfo(kind).min


_JOINED: dict[str, Callable[[Operand, Operand], Operand]] = {
    "scatter-mul": ops.mul, "scatter-min": minimum, "scatter-max": maximum,
}  # fmt: skip


@JAXPR("scatter", "scatter-add", "scatter-sub", *_JOINED, values=True)
def scatter(n: Application, array: Value, indices: Value, new: Value) -> Operand:
    """An array whose windows at places that data say are replaced by others, or joined with them."""
    x, updates = operand_of(array), operand_of(new)
    kind = type_of(x)
    of_updates = type_of(updates).shape
    inside = n.integers("update_window_dims")
    dropped = (*sizes(n, "dropped"), *sizes(n, "operand_batching_dims"))
    sizes_inside = iter([of_updates[axis] for axis in inside])
    extent = [1 if axis in dropped else next(sizes_inside) for axis in range(kind.ndim)]
    windows = _read_windows(n, x, indices, extent)
    outside = [axis for axis in range(len(of_updates)) if axis not in inside]
    updates = ops.transpose(updates, (*outside, *inside))
    places = _Places(windows, indices, _mode(n, "fill"))
    lead = len(windows.lead)
    updates = ops.transpose(updates, (*range(lead), *(lead + windows.own.index(axis) for axis in windows.inner)))
    if n.node.op == "scatter-sub":
        updates = ops.neg(updates)
    if not windows.placed:
        return _over_whole(n, x, updates, windows)
    base = ops.transpose(x, windows.order)
    points = windows.points(places.starts)
    count = type_of(points).shape[-1]
    size = type_of(base).shape[0]
    if places.valid is not None:  # what does not count goes to a row more, which is cut off
        more = (1, *[0] * (kind.ndim - 1))
        base = ops.pad(base, scalar(0, kind.dtype), (0,) * kind.ndim, more)
        shape = type_of(points).shape
        valid = ops.reshape(places.valid, (*windows.lead, *[1] * (len(shape) - lead)))
        beyond = ops.eq(ops.iota(shape, len(shape) - 1, int64), ops.full(0, TensorType(shape, int64)))
        gone = ops.where(beyond, ops.full(size, TensorType(shape, int64)), ops.full(0, TensorType(shape, int64)))
        points = ops.where(ops.broadcast(valid, shape), points, gone)
    join = _by_program(n) if n.has("function") else _JOINED.get(n.node.op)
    if join is None:
        mode = "set" if n.node.op == "scatter" else "add"
        if mode == "add" and kind.dtype == bool_:
            n.fail("bools are not added")
        result = ops.scatter_nd(base, points, updates, mode)
    else:
        result = _in_turn(base, points, updates, join, count)
    result = ops.part(result, 0, 0, size) if places.valid is not None else result
    order = windows.order
    return ops.transpose(result, tuple(order.index(axis) for axis in range(kind.ndim)))


def _by_program(n: Application) -> Callable[[Operand, Operand], Operand]:
    """The function that a node applies to each element and its update."""
    graph = of_any_shape(graph_of(n, "function"))
    names = [port.name for port in graph.inputs]

    def join(x: Operand, update: Operand) -> Operand:
        (result,) = n.walk.graph(graph, dict(zip(names, (x, update), strict=True)))
        return operand_of(result)

    return join


def _over_whole(n: Application, x: Operand, updates: Operand, windows: _Windows) -> Operand:
    """The whole array replaced by, or joined with, each of the updates."""
    if n.has("function"):
        n.fail("a function of the whole array is not supported", help="apply it to the array itself")
    shape = tuple(windows.shape)
    rows = ops.reshape(updates, (math.prod(windows.lead), *shape))
    if n.node.op == "scatter":
        count = type_of(rows).shape[0]
        return ops.reshape(ops.part(rows, 0, count - 1, count), shape)
    fold = {"scatter-mul": ops.prod, "scatter-min": ops.reduce_min, "scatter-max": ops.reduce_max}
    total = fold.get(n.node.op, ops.sum)(rows, (0,))
    return _JOINED.get(n.node.op, ops.add)(x, total)


def _in_turn(
    base: Operand, points: Operand, updates: Operand, join: Callable[[Operand, Operand], Operand], count: int
) -> Operand:
    """An array with updates joined to it one after the other, as no op does all at once."""
    shape = type_of(base).shape
    rest = shape[count:]
    rows = math.prod(shape[:count])
    width = math.prod(rest)
    number = ops.part(points, type_of(points).ndim - 1, 0, 1)
    for axis in range(1, count):
        number = ops.mul(number, ops.like(shape[axis], number))
        number = ops.add(number, ops.part(points, type_of(points).ndim - 1, axis, axis + 1))
    length = math.prod(type_of(number).shape)
    flat = ops.reshape(base, (rows, width))

    def step(present: Operand, at: Operand, update: Operand) -> list[Operand]:
        own = ops.slice_at(present, at, 0, 1)
        return [ops.update_at(present, at, join(own, ops.reshape(update, (1, width))), 0)]

    kinds = [type_of(flat), TensorType((), int64), TensorType((width,), type_of(base).dtype)]
    scan = ops.Scan(make_graph(step, kinds), length, False, 1)
    (result,) = bind(scan, flat, ops.reshape(number, (length,)), ops.reshape(updates, (length, width)))
    return ops.reshape(result, shape)
