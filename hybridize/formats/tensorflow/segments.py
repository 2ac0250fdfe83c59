# SPDX-License-Identifier: Apache-2.0
"""Rows of TensorFlow that gather elements by numbers: segments, counts, places in sorted arrays, reversed sequences."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy

from hybridize import ops
from hybridize.base.dtypes import float64, int32, int64, is_float
from hybridize.formats.foreign.arrays import filled
from hybridize.formats.foreign.known import Known, operand_of
from hybridize.formats.foreign.vocabulary import Value
from hybridize.formats.foreign.walk import Application
from hybridize.formats.tensorflow.indices import points_of
from hybridize.formats.tensorflow.shapes import dtype_of
from hybridize.formats.tensorflow.vocabulary import TENSORFLOW
from hybridize.ops.library.bounds import check
from hybridize.ops.library.scatters import scattered
from hybridize.ops.op import Operand, type_of

_FAR: Final = 1 << 62
"""Beyond all indices."""


def _of_nothing(reduction: str, dtype: Any) -> Any:
    """The value of a segment without elements."""
    if reduction in ("add", "mul"):
        return int(reduction == "mul")
    limits = numpy.finfo(dtype) if is_float(dtype) else numpy.iinfo(dtype)
    return limits.min if reduction == "max" else limits.max


def _segments(reduction: str) -> Callable[..., Operand]:
    def row(n: Application, x: Operand, numbers: Operand, count: Known) -> Operand:
        kind, at = type_of(x), type_of(numbers)
        numbers, size = ops.cast(numbers, int64), count.item()
        check(numbers, -_FAR, size, f"{n.place}: segments")
        place = ops.where(ops.lt(numbers, ops.like(0, numbers)), ops.like(size, numbers), numbers)
        empty = filled(_of_nothing(reduction, kind.dtype), (size + 1, *kind.shape[at.ndim :]), kind.dtype)
        whole = scattered(empty, ops.reshape(place, (*at.shape, 1)), x, reduction)
        return ops.part(whole, 0, 0, size)  # without the row of negative numbers, which count nowhere

    return row


for _name, _reduction in {"Sum": "add", "Prod": "mul", "Max": "max", "Min": "min"}.items():
    TENSORFLOW(f"UnsortedSegment{_name}", known=(2,))(_segments(_reduction))


def _scattered(reduction: str) -> Callable[..., Operand]:
    def row(n: Application, x: Operand, points: Operand, updates: Operand) -> Operand:
        return scattered(x, points_of(n, points, type_of(x).shape), updates, reduction)

    return row


TENSORFLOW("TensorScatterMax")(_scattered("max"))
TENSORFLOW("TensorScatterMin")(_scattered("min"))


@TENSORFLOW("DenseBincount", values=True)
def counts(n: Application, numbers: Value, most: Value, heavy: Value) -> Operand:
    """The count of each number, or the sum of its weights: of an array, or of each row of a matrix.

    The size is known where a least and a most one are the same, though it is computed of the numbers.
    """
    x, size, weights = operand_of(numbers), n.known(most, 1), operand_of(heavy)
    kind, of = type_of(x), type_of(weights)
    check(ops.cast(x, int64), 0, _FAR, f"{n.place} counts")
    has_weights = of.ndim == kind.ndim and not (of.shape[0] == 0 and kind.shape[0] != 0)
    shape = (*kind.shape, size.item())
    own = ops.eq(ops.spread(ops.cast(x, int64), shape, (kind.ndim,)), ops.iota(shape, kind.ndim, int64))
    if n.flag("binary_output"):
        return ops.cast(ops.any(own, (kind.ndim - 1,)), of.dtype)
    values = ops.spread(weights, shape, (kind.ndim,)) if has_weights else filled(1, shape, of.dtype)
    return ops.sum(ops.where(own, values, ops.like(0, values)), (kind.ndim - 1,))


@TENSORFLOW("HistogramFixedWidth", known=(2,))
def histogram(n: Application, x: Operand, ends: Operand, bins: Known) -> Operand:
    """The counts of elements in so many equal parts of a range; those beyond lie in the first or the last."""
    count = bins.item()
    x = ops.reshape(x, (type_of(x).size,))
    low, high = (ops.broadcast(ops.part(ops.cast(ends, float64), 0, k, k + 1), type_of(x).shape) for k in (0, 1))
    step = ops.div(ops.sub(high, low), ops.like(count, low))
    place = ops.floor(ops.div(ops.sub(ops.cast(x, float64), low), step))
    place = ops.max(ops.min(place, ops.like(count - 1, place)), ops.like(0, place))
    dtype = dtype_of(n, "dtype", int32)
    points = ops.reshape(ops.cast(place, int64), (type_of(x).size, 1))
    return ops.scatter_nd(filled(0, (count,), dtype), points, filled(1, type_of(x).shape, dtype), "add")


def _bound(beside: Callable[[Operand, Operand], Operand]) -> Callable[..., Operand]:
    def row(n: Application, x: Operand, values: Operand) -> Operand:
        (rows, size), (_, count) = type_of(x).shape, type_of(values).shape
        shape = rows, count, size
        less = beside(ops.spread(x, shape, (1,)), ops.spread(values, shape, (2,)))
        return ops.sum(ops.cast(less, dtype_of(n, "out_type", int32)), (2,))

    return row


TENSORFLOW("LowerBound")(_bound(ops.lt))
TENSORFLOW("UpperBound")(_bound(ops.le))


@TENSORFLOW("ReverseSequence")
def reversed_sequences(n: Application, x: Operand, lengths: Operand) -> Operand:
    """The first elements along an axis in reverse order, as many as each part of the batch has; the others stay."""
    kind = type_of(x)
    along, batch = n.axis(x, "seq_dim"), n.axis(x, "batch_dim", 0)
    check(ops.cast(lengths, int64), 0, kind.shape[along] + 1, f"{n.place}: lengths of sequences")
    place = ops.iota(kind.shape, along, int64)
    length = ops.spread(ops.cast(lengths, int64), kind.shape, tuple(k for k in range(kind.ndim) if k != batch))
    mirrored = ops.sub(ops.sub(length, ops.like(1, length)), place)
    return ops.take_along_axis(x, ops.where(ops.lt(place, length), mirrored, place), along)


@TENSORFLOW("ListDiff", known=(0, 1))
def difference(n: Application, x: Known, y: Known) -> tuple[Known, Known]:
    """The known numbers that are not among others, and where they are."""
    others = y.list()
    places = [k for k, number in enumerate(x.list()) if number not in others]
    return Known.of([x.list()[k] for k in places], x.dtype), Known.of(places, dtype_of(n, "out_idx", int32))
