# SPDX-License-Identifier: Apache-2.0
"""Rows of ONNX that fold axes: sums, means, extremes, positions, running sums, softmax."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy

from hybridize import ops
from hybridize.base import dims
from hybridize.base.dtypes import float64, int64, is_float
from hybridize.formats.foreign.arrays import kept
from hybridize.formats.foreign.known import Known
from hybridize.formats.foreign.shared import running_row
from hybridize.formats.foreign.walk import Application
from hybridize.formats.onnx.vocabulary import ONNX
from hybridize.ops import composites
from hybridize.ops.library.norms import log_sum_exp, norm
from hybridize.ops.op import Operand, type_of
from hybridize.ops.views import remaining


def _square_sum(x: Operand, axes: tuple[int, ...]) -> Operand:
    return ops.sum(ops.mul(x, x), axes)


def _extreme(fold: Callable[[Operand, tuple[int, ...]], Operand], first: bool) -> Any:
    """The largest or smallest element; of nothing, the smallest or largest number of the type."""

    def row(x: Operand, axes: tuple[int, ...]) -> Operand:
        kind = type_of(x)
        if not any(dims.same(kind.shape[axis], 0) for axis in axes):
            return fold(x, axes)
        ends = {"b": (False, True), "f": (-math.inf, math.inf), "V": (-math.inf, math.inf)}
        low, high = ends.get(kind.dtype.kind) or (getattr(numpy.iinfo(kind.dtype), end) for end in ("min", "max"))
        return ops.full(low if first else high, kind.with_shape(remaining(kind.shape, axes)))

    return row


def _of_floats(fold: Callable[[Operand, tuple[int, ...]], Operand]) -> Callable[[Operand, tuple[int, ...]], Operand]:
    """A fold that has fractions, which of integers are cut off."""

    def row(x: Operand, axes: tuple[int, ...]) -> Operand:
        dtype = type_of(x).dtype
        return fold(x, axes) if is_float(dtype) else ops.cast(fold(ops.cast(x, float64), axes), dtype)

    return row


_FOLDS: dict[str, Callable[[Operand, tuple[int, ...]], Operand]] = {
    "ReduceSum": ops.sum, "ReduceMean": _of_floats(composites.mean), "ReduceMax": _extreme(ops.reduce_max, True),
    "ReduceMin": _extreme(ops.reduce_min, False),
    "ReduceProd": ops.prod, "ReduceSumSquare": _square_sum, "ReduceL1": lambda x, axes: ops.sum(ops.abs(x), axes),
    "ReduceL2": _of_floats(lambda x, axes: norm(x, 2, axes)),
    "ReduceLogSum": _of_floats(lambda x, axes: ops.log(ops.sum(x, axes))),
    "ReduceLogSumExp": _of_floats(log_sum_exp),
}  # fmt: skip


def _row(fold: Callable[[Operand, tuple[int, ...]], Operand]) -> Callable[..., Operand]:
    def reduced(n: Application, x: Operand, axes: Known | None = None) -> Operand:
        kind = type_of(x)
        chosen = n.integers("axes", ()) if axes is None else tuple(axes.list())
        nothing, keeps = n.flag("noop_with_empty_axes"), n.flag("keepdims", True)
        along = tuple(sorted(n.axes_of(chosen, kind.ndim)))
        if not along and not nothing:
            along = tuple(range(kind.ndim))
        return kept(fold(x, along), kind, along, keeps)

    return reduced


for _name, _fold in _FOLDS.items():
    ONNX(_name, known=(1,))(_row(_fold))


def _position(first: Callable[..., Operand]) -> Callable[..., Operand]:
    def row(n: Application, x: Operand) -> Operand:
        kind, axis = type_of(x), n.axis(x, default=0)
        if n.flag("select_last_index"):
            size = kind.shape[axis]
            y = first(ops.flip(x, axis), axis)
            y = ops.sub(ops.like(size - 1, y), y)
        else:
            y = first(x, axis)
        return kept(y, kind, (axis,), n.flag("keepdims", True))

    return row


ONNX("ArgMax")(_position(ops.arg_max))
ONNX("ArgMin")(_position(ops.arg_min))


ONNX("CumSum", known=(1,))(running_row(ops.cum_sum, 0))
ONNX("CumProd", known=(1,))(running_row(ops.cum_prod, 1))


def _over_one_axis(function: Callable[[Operand, int], Operand]) -> Callable[..., Operand]:
    return lambda n, x: function(x, n.axis(x, default=-1))


def _over_the_rest(function: Callable[[Operand, int], Operand]) -> Callable[..., Operand]:
    """Of operator sets before 13: all axes from one on are one."""

    def row(n: Application, x: Operand) -> Any:
        shape, axis = type_of(x).shape, n.axis(x, default=1)
        flat = ops.reshape(x, (math.prod(shape[:axis]), math.prod(shape[axis:])))
        return ops.reshape(function(flat, 1), shape)

    return row


def _largest(x: Operand, axis: int) -> Operand:
    """One where the first of the largest elements along an axis is, else zero."""
    kind = type_of(x)
    place = ops.spread(ops.arg_max(x, axis), kind.shape, (axis,))
    return ops.cast(ops.eq(ops.iota(kind.shape, axis, int64), place), kind.dtype)


_ALONG = {"Softmax": composites.softmax, "LogSoftmax": composites.log_softmax, "Hardmax": _largest}
for _name, _function in _ALONG.items():
    ONNX(_name, since=13)(_over_one_axis(_function))
    ONNX(_name, until=12)(_over_the_rest(_function))
