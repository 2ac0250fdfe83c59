# SPDX-License-Identifier: Apache-2.0
"""Rows of TensorFlow that take and put elements at indices, of arrays and of variables, and order them."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy

from hybridize import ops
from hybridize.base import dims
from hybridize.base.dtypes import int32, int64
from hybridize.formats.foreign.arrays import (
    aligned,
    filled,
    is_number,
)
from hybridize.formats.foreign.known import Known, operand_of
from hybridize.formats.foreign.shared import known_places
from hybridize.formats.foreign.vocabulary import Value
from hybridize.formats.foreign.walk import Application
from hybridize.formats.tensorflow.assigns import WRITES, held, hold
from hybridize.formats.tensorflow.shapes import dtype_of, with_part
from hybridize.formats.tensorflow.vocabulary import TENSORFLOW
from hybridize.ops.library.bounds import check
from hybridize.ops.op import Operand, type_of


@TENSORFLOW("Gather")
def gather_rows(n: Application, x: Operand, indices: Operand) -> Operand:
    """The rows at indices."""
    return gathered(n, x, indices, 0)


@TENSORFLOW("GatherV2", known=(2,))
def gather(n: Application, x: Operand, indices: Operand, axis: Known) -> Operand:
    """The elements at indices along an axis; each of the batch has its own where there are axes of it."""
    return gathered(n, x, indices, n.axis_of(axis.item(), type_of(x).ndim))


def gathered(n: Application, x: Operand, indices: Operand, along: int) -> Operand:
    """Return elements at indices along an axis, of as many batches as an attribute says."""
    kind, at = type_of(x), type_of(indices)
    batch = n.integer("batch_dims", 0)
    batch += at.ndim if batch < 0 else 0
    indices = within(n, indices, kind.shape[along])
    if not batch:
        return ops.gather(x, indices, along)
    order = (*range(batch), along, *(k for k in range(batch, kind.ndim) if k != along))
    turned = ops.transpose(x, order)
    shape = type_of(turned).shape
    rows, length = math.prod(shape[:batch]), shape[batch]
    first = ops.reshape(ops.iota((rows,), 0, int64), (*at.shape[:batch], *[1] * (at.ndim - batch)))
    if not same_all(shape[:batch], at.shape[:batch]):
        n.fail(f"the first {batch} axes of {kind} and {at} differ")
    places = ops.add(indices, aligned(ops.mul(first, ops.like(length, first)), at.shape))
    y = ops.gather(ops.reshape(turned, (rows * length, *shape[batch + 1 :])), places, 0)
    before, inner = along - batch, at.ndim - batch
    moved = (*range(batch), *range(batch + inner, batch + inner + before), *range(batch, batch + inner),
             *range(batch + inner + before, type_of(y).ndim))  # fmt: skip
    return ops.transpose(y, moved)


def within(n: Application, indices: Operand, size: Any) -> Operand:
    """Return indices of an axis as int64; those that are out of bounds are refused."""
    indices = ops.cast(indices, int64)
    check(indices, 0, size, f"{n.place}, an axis of {dims.text(size)} elements")
    return indices


def points_of(n: Application, points: Operand, shape: Sequence[Any]) -> Operand:
    """Return points in an array of a shape as int64; those that are out of bounds are refused."""
    n.text("bad_indices_policy", "", ("", "DEFAULT", "ERROR"))
    points = ops.cast(points, int64)
    last = type_of(points).ndim - 1
    for axis in range(int(type_of(points).shape[-1])):
        within(n, ops.part(points, last, axis, axis + 1), shape[axis])
    return points


def same_all(x: Sequence[Any], y: Sequence[Any]) -> bool:
    """Tell whether sizes are the same."""
    return len(x) == len(y) and all(dims.same(a, b) or a == b for a, b in zip(x, y, strict=True))


@TENSORFLOW("GatherNd")
def gather_nd(n: Application, x: Operand, points: Operand) -> Operand:
    """The elements or rows at points."""
    return ops.gather_nd(x, points_of(n, points, type_of(x).shape))


@TENSORFLOW("ScatterNd", known=(2,))
def scatter_nd(n: Application, points: Operand, updates: Operand, sizes: Known) -> Operand:
    """Zeros, with updates added at points."""
    zeros = filled(0, sizes.list(), type_of(updates).dtype)
    return ops.scatter_nd(zeros, points_of(n, points, sizes.list()), updates, "add")


@TENSORFLOW("TensorScatterUpdate")
def scatter_update(n: Application, x: Operand, points: Operand, updates: Operand) -> Operand:
    """An array with updates at points."""
    return ops.scatter_nd(x, points_of(n, points, type_of(x).shape), updates, "set")


@TENSORFLOW("TensorScatterAdd")
def scatter_add(n: Application, x: Operand, points: Operand, updates: Operand) -> Operand:
    """An array with updates added at points."""
    return ops.scatter_nd(x, points_of(n, points, type_of(x).shape), updates, "add")


@TENSORFLOW("TensorScatterSub")
def scatter_sub(n: Application, x: Operand, points: Operand, updates: Operand) -> Operand:
    """An array with updates subtracted at points."""
    return ops.scatter_nd(x, points_of(n, points, type_of(x).shape), ops.neg(updates), "add")


@TENSORFLOW("Where", values=True)
def places(n: Application, condition: Value) -> Known:
    """The places that are true, whose number must be known."""
    return known_places(n, condition, "where(condition, x, y)")


@TENSORFLOW("OneHot", known=(1,))
def one_hot(n: Application, indices: Operand, depth: Known, on: Operand, off: Operand) -> Operand:
    """One number where a class is, another elsewhere, along a new axis."""
    kind = type_of(indices)
    axis = n.axis_of(n.integer("axis", -1), kind.ndim + 1)
    shape = (*kind.shape[:axis], depth.item(), *kind.shape[axis:])
    own = ops.eq(ops.spread(ops.cast(indices, int64), shape, (axis,)), ops.iota(shape, axis, int64))
    return ops.where(own, aligned(on, shape), aligned(off, shape))


@TENSORFLOW("InvertPermutation")
def inverse(n: Application, order: Operand) -> Operand:
    """The permutation that undoes another."""
    return ops.cast(ops.arg_sort(order, 0), type_of(order).dtype)


@TENSORFLOW("MatrixBandPart", known=(1, 2))
def band(n: Application, x: Operand, below: Known, above: Known) -> Operand:
    """Matrices, 0 but for so many diagonals below and above the main one; -1: all of them."""
    shape = type_of(x).shape
    row, column = (ops.iota(shape, len(shape) - k, int64) for k in (2, 1))
    apart = ops.sub(row, column)
    inside = None
    for most, distance in ((below.item(), apart), (above.item(), ops.neg(apart))):
        if is_number(most, -1):
            continue
        fits = ops.le(distance, ops.like(most, distance))
        inside = fits if inside is None else ops.bit_and(inside, fits)
    return x if inside is None else ops.where(inside, x, ops.like(0, x))


@TENSORFLOW("TopKV2", known=(1,))
def top_k(n: Application, x: Operand, count: Known) -> tuple[Operand, Operand]:
    """The largest elements of the last axis, and where they are."""
    axis = type_of(x).ndim - 1
    order = ops.part(ops.arg_sort(x, axis, True), axis, 0, count.item())
    return ops.take_along_axis(x, order, axis), ops.cast(order, dtype_of(n, "index_type", int32))


@TENSORFLOW("InTopKV2")
def in_top_k(n: Application, x: Operand, targets: Operand, count: Operand) -> Operand:
    """Tell for each row whether fewer elements than so many are larger than that of its target, which is finite."""
    rows, classes = type_of(x).shape
    of_target = ops.eq(
        ops.iota((rows, classes), 1, type_of(targets).dtype), aligned(ops.reshape(targets, (rows, 1)), (rows, classes))
    )
    value = ops.sum(ops.where(of_target, x, ops.like(0, x)), (1,))
    larger = ops.gt(x, aligned(ops.reshape(value, (rows, 1)), (rows, classes)))
    few = ops.lt(ops.sum(ops.cast(larger, int64), (1,)), aligned(ops.cast(count, int64), (rows,)))
    return ops.bit_and(few, ops.bit_and(ops.any(of_target, (1,)), ops.isfinite(value)))


@TENSORFLOW("DynamicStitch", "ParallelDynamicStitch", values=True)
def stitch(n: Application, *xs: Value) -> Value:
    """Rows from several arrays, each at its places in the result, which must be known."""
    half = len(xs) // 2
    at = [n.known(x, k).pinned() for k, x in enumerate(xs[:half])]
    source = {int(place): number for number, place in enumerate(numpy.concatenate([one.reshape(-1) for one in at]))}
    count = max(source, default=-1) + 1
    if len(source) < count:
        n.fail("some rows of the result have no source")
    order = [source[place] for place in range(count)]
    data = xs[half:]
    if all(isinstance(x, Known) and x.array.ndim == places.ndim for x, places in zip(data, at, strict=True)):
        flat = [number for x in data for number in x.list()]
        return Known.of([flat[k] for k in order], data[0].dtype)
    rows = []
    for x, places in zip(data, at, strict=True):
        operand = operand_of(x)
        inner = type_of(operand).shape[places.ndim :]
        rows.append(ops.reshape(operand, (places.size, *inner)))
    joined = ops.concat(*rows, axis=0) if len(rows) > 1 else rows[0]
    return ops.gather(joined, ops.constant(numpy.array(order, int64)), 0)


@TENSORFLOW("ResourceGather", values=True)
def gather_of_variable(n: Application, variable: Value, indices: Value) -> Operand:
    """The rows of a variable at indices; each of the batch has its own where there are axes of it."""
    return gathered(n, held(n, variable), operand_of(indices), 0)


@TENSORFLOW("ResourceGatherNd", values=True)
def gather_nd_of_variable(n: Application, variable: Value, points: Value) -> Operand:
    """The elements or rows of a variable at points."""
    value = held(n, variable)
    return ops.gather_nd(value, points_of(n, operand_of(points), type_of(value).shape))


def _scattered(mode: str, rows: bool, sign: int = 1) -> Callable[..., tuple[()]]:
    def row(n: Application, variable: Value, at: Value, updates: Value) -> tuple[()]:
        points, base = operand_of(at), held(n, variable)
        if rows:
            points = ops.reshape(points, (*type_of(points).shape, 1))
        points = points_of(n, points, type_of(base).shape)
        inner = type_of(base).shape[type_of(points).shape[-1] :]
        values = aligned(operand_of(updates), (*type_of(points).shape[:-1], *inner))
        hold(n, variable, ops.scatter_nd(base, points, values if sign > 0 else ops.neg(values), mode))
        return ()

    return row


@TENSORFLOW("ResourceStridedSliceAssign", values=True)
def assign_part(n: Application, variable: Value, begin: Value, end: Value, strides: Value, new: Value) -> tuple[()]:
    """Let a part of a variable hold other elements."""
    hold(n, variable, with_part(n, held(n, variable), begin, end, strides, operand_of(new)))
    return ()


WRITES.add("ResourceStridedSliceAssign")
for _kind, _rows in (("", True), ("Nd", False)):
    for _way, _mode, _sign in (("Add", "add", 1), ("Sub", "add", -1), ("Update", "set", 1)):
        TENSORFLOW(f"ResourceScatter{_kind}{_way}", values=True)(_scattered(_mode, _rows, _sign))
        WRITES.add(f"ResourceScatter{_kind}{_way}")
