# SPDX-License-Identifier: Apache-2.0
"""Rows of TFLite by indices and order: the largest elements, scattered ones, segments, diagonals, selected boxes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy

from hybridize import ops
from hybridize.base import dims
from hybridize.base.dtypes import int32, int64
from hybridize.formats.foreign.arrays import aligned, filled
from hybridize.formats.foreign.known import Known
from hybridize.formats.foreign.shared import known_places
from hybridize.formats.foreign.vocabulary import Value
from hybridize.formats.foreign.walk import Application
from hybridize.formats.tflite.shapes import points_of
from hybridize.formats.tflite.vocabulary import TFLITE
from hybridize.ops.library.bounds import check
from hybridize.ops.library.boxes import selected_boxes
from hybridize.ops.library.scatters import scattered
from hybridize.ops.library.sequences import sequence_reverse
from hybridize.ops.op import Operand, type_of

# ---------------------------------------------------------------------------------------------------------------- order


@TFLITE("TOPK_V2", known=(1,))
def top(n: Application, x: Operand, count: Known) -> tuple[Operand, Operand]:
    """The largest elements of the last axis, in order, and where they were; of equal ones the first."""
    axis, many = type_of(x).ndim - 1, count.item()
    if not dims.is_symbolic(many) and (many < 0 or many > type_of(x).shape[axis]):
        n.fail(f"axis {axis} of {type_of(x)} has no {many} elements")
    order = ops.part(ops.arg_sort(x, axis, True), axis, 0, many)
    return ops.take_along_axis(x, order, axis), ops.cast(order, n.attributes["types"][1])


@TFLITE("REVERSE_SEQUENCE")
def reverse_sequence(n: Application, x: Operand, lengths: Operand) -> Operand:
    """The steps of each sequence in reverse order; what follows its end stays."""
    ndim = type_of(x).ndim
    time, batch = (n.axis_of(n.integer(name, 0), ndim) for name in ("time", "batch"))
    if time == batch:
        n.fail(f"its steps and its sequences go along one axis, {time}")
    order = (batch, time, *(axis for axis in range(ndim) if axis not in (batch, time)))
    y = sequence_reverse(ops.transpose(x, order), ops.cast(lengths, int64), 1)
    return ops.transpose(y, tuple(order.index(axis) for axis in range(ndim)))


@TFLITE("BUCKETIZE")
def bucketize(n: Application, x: Operand) -> Operand:
    """The number of boundaries that are not above each element."""
    limits = numpy.asarray(n.numbers("boundaries", ()), "f4")
    shape = (*type_of(x).shape, len(limits))
    each = ops.broadcast(ops.reshape(ops.cast(x, limits.dtype), (*shape[:-1], 1)), shape)
    return ops.sum(ops.cast(ops.ge(each, aligned(ops.constant(limits), shape)), int32), (len(shape) - 1,))


# ------------------------------------------------------------------------------------------------------------- scatters


@TFLITE("SCATTER_ND", known=(2,))
def scatter_nd(n: Application, points: Operand, updates: Operand, sizes: Known) -> Operand:
    """Zeros, with updates added at points."""
    shape = tuple(sizes.list())
    return scattered(filled(0, shape, type_of(updates).dtype), points_of(n, points, shape), updates, "add")


@TFLITE("SPARSE_TO_DENSE", known=(1,))
def sparse_to_dense(n: Application, points: Operand, sizes: Known, values: Operand, other: Operand) -> Operand:
    """A number everywhere, with values at points."""
    shape, at = tuple(sizes.list()), type_of(points).shape
    points = ops.reshape(points, (at[0] if at else 1, len(shape)))
    values = aligned(values, type_of(points).shape[:1])
    return scattered(aligned(ops.reshape(other, ()), shape), points_of(n, points, shape), values, "none")


@TFLITE("DYNAMIC_UPDATE_SLICE")
def updated(n: Application, x: Operand, update: Operand, begin: Operand) -> Operand:
    """An array with a part replaced from a place on, which is moved to where the part fits."""
    own, part = type_of(x).shape, type_of(update).shape
    columns = []
    for axis, (size, length) in enumerate(zip(own, part, strict=True)):
        start = ops.cast(ops.reshape(ops.part(begin, 0, axis, axis + 1), ()), int64)
        start = ops.min(ops.max(start, ops.like(0, start)), ops.like(size - length, start))
        place = ops.iota(part, axis, int64)
        columns.append(ops.reshape(ops.add(place, ops.broadcast(start, part)), (*part, 1)))
    return ops.scatter_nd(x, ops.concat(*columns, axis=len(part)), update, "set")


def _segments(n: Application, x: Operand, numbers: Operand, count: Any, first: Any, fold: str) -> Operand:
    """The rows of each number folded; rows of negative numbers count nowhere."""
    kind, at = type_of(x), type_of(numbers).ndim
    numbers = ops.cast(numbers, int64)
    check(numbers, -(1 << 31), count, f"{n.place}, {dims.text(count)} segments")
    # Those that count nowhere get a segment of their own behind the others.
    numbers = ops.where(ops.lt(numbers, ops.like(0, numbers)), ops.like(count, numbers), numbers)
    rest = kind.shape[at:]
    whole = scattered(filled(first, (count + 1, *rest), kind.dtype),
                      ops.reshape(numbers, (*type_of(numbers).shape, 1)), x, fold)  # fmt: skip
    return ops.part(whole, 0, 0, count)


def _least(dtype: Any) -> Any:
    return -numpy.finfo(dtype).max if dtype.kind == "f" else numpy.iinfo(dtype).min


def _most(dtype: Any) -> Any:
    return numpy.finfo(dtype).max if dtype.kind == "f" else numpy.iinfo(dtype).max


def _of_segments(first: Callable[[Any], Any], fold: str) -> Callable[..., Operand]:
    def row(n: Application, x: Operand, numbers: Operand, count: Known) -> Operand:
        return _segments(n, x, numbers, count.item(), first(type_of(x).dtype), fold)

    return row


for _name, _first, _fold in (("SUM", lambda _: 0, "add"), ("PROD", lambda _: 1, "mul"), ("MAX", _least, "max"),
                             ("MIN", _most, "min")):  # fmt: skip
    TFLITE(f"UNSORTED_SEGMENT_{_name}", known=(2,))(_of_segments(_first, _fold))


@TFLITE("SEGMENT_SUM", known=(1,))
def segment_sum(n: Application, x: Operand, numbers: Known) -> Operand:
    """The sums of rows of each number, as many as the numbers, which must be known, say."""
    each = numbers.pinned()
    if (numpy.diff(each) & ~1).any() or each.min(initial=0) < 0:
        n.fail("its numbers of segments go up by 0 or 1")
    return _segments(n, x, ops.constant(each), int(each.max(initial=-1)) + 1, 0, "add")


# ------------------------------------------------------------------------------------------------------------ diagonals


def _on_diagonal(shape: Any) -> Operand:
    row, column = (ops.iota(shape, len(shape) - k, int64) for k in (2, 1))
    return ops.eq(row, column)


@TFLITE("MATRIX_DIAG")
def matrix_diag(n: Application, x: Operand) -> Operand:
    """Matrices of zeros with these diagonals."""
    *front, size = type_of(x).shape
    shape = (*front, size, size)
    y = ops.broadcast(ops.reshape(x, (*front, 1, size)), shape)
    return ops.where(_on_diagonal(shape), y, ops.like(0, y))


@TFLITE("MATRIX_SET_DIAG")
def matrix_set_diag(n: Application, x: Operand, diagonal: Operand) -> Operand:
    """Matrices with other diagonals."""
    shape = type_of(x).shape
    rows, columns = shape[-2:]
    if rows < columns:
        spread = ops.broadcast(ops.reshape(diagonal, (*shape[:-1], 1)), shape)
    else:
        spread = ops.broadcast(ops.reshape(diagonal, (*shape[:-2], 1, columns)), shape)
    return ops.where(_on_diagonal(shape), spread, x)


# ---------------------------------------------------------------------------------------------------------------- boxes


def _selected(
    n: Application, boxes: Operand, scores: Operand, count: Known, overlap: Known, least: Known, sigma: float = 0.0
) -> tuple[Operand, Operand, Operand]:
    best, values, some = selected_boxes(boxes, scores, count.item(), float(overlap.item()), float(least.item()), sigma)
    return ops.cast(best, int32), values, ops.cast(some, int32)


@TFLITE("NON_MAX_SUPPRESSION_V4", known=(2, 3, 4))
def non_max_suppression(
    n: Application, boxes: Operand, scores: Operand, count: Known, overlap: Known, least: Known
) -> tuple[Operand, Operand]:
    """The numbers of the best boxes that do not overlap a better one, and how many there are."""
    best, _, some = _selected(n, boxes, scores, count, overlap, least)
    return best, some


@TFLITE("NON_MAX_SUPPRESSION_V5", known=(2, 3, 4, 5))
def soft_non_max_suppression(
    n: Application, boxes: Operand, scores: Operand, count: Known, overlap: Known, least: Known, sigma: Known
) -> tuple[Operand, Operand, Operand]:
    """The same, with their scores, which fall with each better box that they overlap."""
    return _selected(n, boxes, scores, count, overlap, least, float(sigma.item()))


# -------------------------------------------------------------------------------------------- results of unknown number


@TFLITE("WHERE", values=True)
def places(n: Application, condition: Value) -> Known:
    """The places of what is not 0, whose number must be known."""
    return known_places(n, condition, "tf.where(condition, x, y)")
