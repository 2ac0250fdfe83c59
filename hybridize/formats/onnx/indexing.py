# SPDX-License-Identifier: Apache-2.0
"""Rows of ONNX by indices and positions: elements gathered and scattered, ordered, masked by where they are."""

from __future__ import annotations

from typing import Any

import numpy

from hybridize import ops
from hybridize.base import dims
from hybridize.base.dtypes import int64
from hybridize.formats.foreign.arrays import aligned, from_end, wrapped
from hybridize.formats.foreign.known import Known
from hybridize.formats.foreign.walk import Application
from hybridize.formats.onnx.elementwise import dtype_of
from hybridize.formats.onnx.vocabulary import ONNX
from hybridize.ops.library.scatters import REDUCTIONS, points_along, scattered
from hybridize.ops.library.sequences import sequence_reverse
from hybridize.ops.op import Operand, type_of


@ONNX("GatherND")
def gather_nd(n: Application, x: Operand, indices: Operand) -> Operand:
    """The parts at points; the first axes of both may be a batch."""
    batch = n.integer("batch_dims", 0)
    shape, rows = type_of(x).shape, type_of(indices).shape
    count = rows[-1]
    columns = [wrapped(ops.part(indices, len(rows) - 1, k, k + 1), shape[batch + k]) for k in range(count)]
    own = [ops.iota((*rows[:-1], 1), k, int64) for k in range(batch)]
    return ops.gather_nd(x, ops.concat(*own, *columns, axis=len(rows) - 1))


@ONNX("Scatter", "ScatterElements")
def scatter_elements(n: Application, x: Operand, indices: Operand, updates: Operand) -> Operand:
    """An array with an element for each index put along an axis."""
    axis = n.axis(x, default=0)
    points = points_along(wrapped(indices, type_of(x).shape[axis]), axis)
    return scattered(x, points, updates, n.text("reduction", "none", REDUCTIONS))


@ONNX("ScatterND")
def scatter_nd(n: Application, x: Operand, indices: Operand, updates: Operand) -> Operand:
    """An array with parts put to points."""
    shape, last = type_of(x).shape, type_of(indices).ndim - 1
    columns = [wrapped(ops.part(indices, last, k, k + 1), shape[k]) for k in range(type_of(indices).shape[-1])]
    points = ops.concat(*columns, axis=last)
    return scattered(x, points, updates, n.text("reduction", "none", REDUCTIONS))


@ONNX("OneHot", known=(1,))
def one_hot(n: Application, indices: Operand, depth: Known, values: Operand) -> Operand:
    """The second of two values where the position along a new axis is the index, the first elsewhere."""
    rank = type_of(indices).ndim + 1
    axis = n.axis_of(n.integer("axis", -1), rank)
    own = type_of(indices).shape
    count = depth.item() if depth.symbolic else int(depth.item())
    shape = (*own[:axis], count, *own[axis:])
    places = ops.reshape(from_end(ops.cast(indices, int64), count), (*own[:axis], 1, *own[axis:]))
    here = ops.eq(ops.iota(shape, axis, int64), ops.broadcast(places, shape))
    off, on = (aligned(ops.part(values, 0, k, k + 1), shape) for k in range(2))
    return ops.where(here, on, off)


@ONNX("Trilu", known=(1,))
def triangle(n: Application, x: Operand, offset: Known | None = None) -> Operand:
    """The part of matrices on and above a diagonal, or on and below it; zeros elsewhere."""
    shape = type_of(x).shape
    row, column = _positions(shape, 0 if offset is None else offset.item())
    inside = ops.ge(column, row) if n.flag("upper", True) else ops.le(column, row)
    return ops.where(inside, x, ops.like(0, x))


@ONNX("EyeLike")
def eye_like(n: Application, x: Operand) -> Operand:
    """A matrix of the shape of another, with ones on a diagonal."""
    shape = type_of(x).shape
    row, column = _positions(shape, n.integer("k", 0))
    return ops.cast(ops.eq(row, column), dtype_of(n, "dtype", type_of(x).dtype))


def _positions(shape: Any, offset: Any) -> tuple[Operand, Operand]:
    """The rows of elements, moved to a diagonal, and their columns."""
    rank = len(shape)
    row, column = (ops.iota(shape, rank - 2 + k, int64) for k in range(2))
    return ops.add(row, ops.like(offset, row)), column


@ONNX("ReverseSequence")
def reverse_sequence(n: Application, x: Operand, lengths: Operand) -> Operand:
    """The steps of each sequence in reverse order; what follows its end stays."""
    time, batch = n.integer("time_axis", 0), n.integer("batch_axis", 1)
    if {time, batch} != {0, 1}:
        n.fail(f"the axes of time and batch are {time} and {batch}", help="they may be 0 and 1, or 1 and 0")
    return sequence_reverse(x, ops.cast(lengths, int64), time)


@ONNX("TopK", known=(1,))
def top(n: Application, x: Operand, count: Known | None = None) -> tuple[Operand, Operand]:
    """The largest or smallest elements along an axis, in order, and where they were."""
    axis = n.axis(x, default=-1)
    many = n.integer("k") if count is None else count.item()
    if many < 0 or many > type_of(x).shape[axis]:
        n.fail(f"axis {axis} of {type_of(x)} has no {dims.text(many)} elements")
    order = ops.part(ops.arg_sort(x, axis, n.flag("largest", True)), axis, 0, many)
    return ops.take_along_axis(x, order, axis), order


# -------------------------------------------------------------------------------------------- results of unknown number


@ONNX("NonZero", known=(0,))
def nonzero(n: Application, x: Known) -> Known:
    """The places of elements that are not 0, where these are known."""
    return Known(numpy.stack(numpy.nonzero(x.pinned())).astype(int64), int64)


@ONNX("Compress", known=(1,))
def compress(n: Application, x: Operand, condition: Known) -> Operand:
    """The elements along an axis, or of the flat array, that a known mask chooses."""
    places = numpy.flatnonzero(condition.pinned())
    if not n.has("axis"):
        return ops.gather(ops.reshape(x, (type_of(x).size,)), ops.constant(places), 0)
    return ops.gather(x, ops.constant(places), n.axis(x))


@ONNX("Unique", known=(0,))
def unique(n: Application, x: Known) -> tuple[Known, ...]:
    """The elements, or parts along an axis, that differ, where these are known; with places and counts."""
    axis = n.integer("axis") if n.has("axis") else None
    values, first, back, counts = numpy.unique(x.pinned(), True, True, True, axis=axis)
    back = back.reshape(-1)
    if not n.flag("sorted", True):
        order = numpy.argsort(first)
        values = numpy.take(values, order, 0 if axis is None else axis)
        rank = numpy.empty_like(order)
        rank[order] = numpy.arange(len(order))
        first, back, counts = first[order], rank[back], counts[order]
    return Known(values, x.dtype), *(Known(part.astype(int64), int64) for part in (first, back, counts))
