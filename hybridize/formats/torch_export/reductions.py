# SPDX-License-Identifier: Apache-2.0
"""Operators that make fewer elements of many: sums, statistics, norms, extremes."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from hybridize import ops
from hybridize.base.dtypes import bfloat16, bool_, float16, float32, float64, is_float
from hybridize.base.errors import CaptureError
from hybridize.formats.torch_export.registry import Types, aten, axes_of, operand
from hybridize.ops import Operand, composites, type_of


def _reduced(types: Types, y: Operand) -> Operand:
    return ops.reshape(y, types[0].shape)


@aten("sum.dim_IntList")
def _sum(types: Types, x: Operand, axes: Any = None, keepdims: bool = False, *, dtype: Any = None) -> Operand:
    x = operand(x, types[0].dtype, type_of(x).shape)
    return _reduced(types, ops.sum(x, axes_of(axes, type_of(x).ndim)))


@aten("mean.dim")
def _mean(types: Types, x: Operand, axes: Any = None, keepdims: bool = False, *, dtype: Any = None) -> Operand:
    x = operand(x, types[0].dtype, type_of(x).shape)
    return _reduced(types, composites.mean(x, axes_of(axes, type_of(x).ndim)))


@aten("amax.default")
def _amax(types: Types, x: Operand, axes: Any = None, keepdims: bool = False) -> Operand:
    return _reduced(types, ops.reduce_max(x, axes_of(axes, type_of(x).ndim)))


@aten("amin.default")
def _amin(types: Types, x: Operand, axes: Any = None, keepdims: bool = False) -> Operand:
    return _reduced(types, ops.reduce_min(x, axes_of(axes, type_of(x).ndim)))


@aten("any.dims")
def _any(types: Types, x: Operand, axes: Any = None, keepdims: bool = False) -> Operand:
    return _reduced(types, ops.any(operand(x, bool_, type_of(x).shape), axes_of(axes, type_of(x).ndim)))


@aten("argmax.default")
def _argmax(types: Types, x: Operand, axis: int | None = None, keepdims: bool = False) -> Operand:
    if axis is None:
        x, axis = ops.reshape(x, (type_of(x).size,)), 0
    return _reduced(types, ops.arg_max(x, axis % type_of(x).ndim))


@aten("cumsum.default")
def _cumsum(types: Types, x: Operand, axis: int, *, dtype: Any = None) -> Operand:
    return ops.cum_sum(operand(x, types[0].dtype, types[0].shape), axis % max(types[0].ndim, 1))


@aten("argmin.default")
def _argmin(types: Types, x: Operand, axis: int | None = None, keepdims: bool = False) -> Operand:
    if axis is None:
        x, axis = ops.reshape(x, (type_of(x).size,)), 0
    return _reduced(types, ops.arg_min(x, axis % type_of(x).ndim))


def _extreme(position: Callable[[Operand, int], Operand]) -> Any:
    """Values with their positions: the gradient goes to the one that is given, however many are equal."""

    def translate(types: Types, x: Operand, axis: int, keepdims: bool = False) -> tuple[Operand, Operand]:
        if not type_of(x).ndim:
            return x, operand(0, types[1].dtype)
        axis %= type_of(x).ndim
        shape = type_of(x).shape
        positions = ops.reshape(position(x, axis), (*shape[:axis], 1, *shape[axis + 1 :]))
        values = ops.take_along_axis(x, positions, axis)
        return ops.reshape(values, types[0].shape), ops.reshape(positions, types[1].shape)

    return translate


aten("max.dim")(_extreme(ops.arg_max))
aten("min.dim")(_extreme(ops.arg_min))


@aten("max.default")
def _max(types: Types, x: Operand) -> Operand:
    return _amax(types, x)


@aten("min.default")
def _min(types: Types, x: Operand) -> Operand:
    return _amin(types, x)


@aten("all.dims")
def _all(types: Types, x: Operand, axes: Any = None, keepdims: bool = False) -> Operand:
    return _reduced(types, ops.all(operand(x, bool_, type_of(x).shape), axes_of(axes, type_of(x).ndim)))


@aten("prod.default", "prod.dim_int")
def _prod(types: Types, x: Operand, axis: int | None = None, keepdims: bool = False, *, dtype: Any = None) -> Operand:
    x = operand(x, types[0].dtype, type_of(x).shape)
    return _reduced(types, ops.prod(x, axes_of(axis, type_of(x).ndim)))


@aten("cumprod.default")
def _cumprod(types: Types, x: Operand, axis: int, *, dtype: Any = None) -> Operand:
    x = operand(x, types[0].dtype, types[0].shape)
    return ops.cum_prod(x, axis % types[0].ndim) if types[0].ndim else x


@aten("var.correction")
def _var(types: Types, x: Operand, axes: Any = None, *, correction: float | None = 1, keepdim: bool = False) -> Operand:
    chosen = axes_of(axes, type_of(x).ndim)
    return _reduced(types, composites.variance(x, chosen, 1 if correction is None else correction))


@aten("var_mean.correction")
def _var_mean(
    types: Types, x: Operand, axes: Any = None, *, correction: float | None = 1, keepdim: bool = False
) -> tuple[Operand, Operand]:
    mean = ops.reshape(composites.mean(x, axes_of(axes, type_of(x).ndim)), types[1].shape)
    return _var(types, x, axes, correction=correction), mean


@aten("std.correction")
def _std(types: Types, x: Operand, axes: Any = None, *, correction: float | None = 1, keepdim: bool = False) -> Operand:
    """The root of the variance; its gradient where that is 0 is 0."""
    kind = types[0]
    wide = operand(x, float32 if kind.dtype in (float16, bfloat16) else float64, type_of(x).shape)
    variance = composites.variance(wide, axes_of(axes, type_of(x).ndim), 1 if correction is None else correction)
    nothing = ops.eq(variance, ops.like(0, variance))
    root = ops.sqrt(ops.where(nothing, ops.like(1, variance), variance))
    return _reduced(types, ops.cast(ops.where(nothing, ops.like(0, root), root), kind.dtype))


@aten("std_mean.correction")
def _std_mean(
    types: Types, x: Operand, axes: Any = None, *, correction: float | None = 1, keepdim: bool = False
) -> tuple[Operand, Operand]:
    mean = ops.reshape(composites.mean(x, axes_of(axes, type_of(x).ndim)), types[1].shape)
    return _std(types, x, axes, correction=correction), mean


@aten("linalg_vector_norm.default")
def _vector_norm(
    types: Types, x: Operand, order: float = 2, axes: Any = None, keepdims: bool = False, *, dtype: Any = None
) -> Operand:
    return _reduced(types, norm(operand(x, types[0].dtype, type_of(x).shape), order, axes_of(axes, type_of(x).ndim)))


def norm(x: Operand, order: float, axes: tuple[int, ...]) -> Operand:
    """(sum |x|^order)^(1 / order) along `axes`; its gradient where it is 0 is 0."""
    size = ops.abs(x)
    if order == 1:
        return ops.sum(size, axes)
    if math.isinf(order):
        return ops.reduce_max(size, axes) if order > 0 else ops.reduce_min(size, axes)
    if order == 0:
        one = ops.like(1, size)
        return ops.sum(ops.where(ops.isnan(size), one, ops.sign(size)), axes)  # of slope 0, not without one
    if order < 0 or not is_float(type_of(x).dtype):
        raise CaptureError("E422", f"the norm of order {order:g} cannot be compiled", help="write it as a formula")
    total = ops.sum(ops.mul(x, x) if order == 2 else ops.pow(size, ops.like(order, x)), axes)
    nothing = ops.eq(total, ops.like(0, total))
    safe = ops.where(nothing, ops.like(1, total), total)
    root = ops.sqrt(safe) if order == 2 else ops.pow(safe, ops.like(1 / order, safe))
    return ops.where(nothing, ops.like(0, total), root)


@aten("_cdist_forward.default")
def _cdist(types: Types, x: Operand, y: Operand, order: float, mode: int | None) -> Operand:
    """The norm of each difference of a row of `x` and one of `y`."""
    left, right, rows = type_of(x).shape, type_of(y).shape, types[0].shape
    wide = (*rows, left[-1])
    apart = ops.sub(
        ops.broadcast(ops.reshape(x, (*left[:-1], 1, left[-1])), wide),
        ops.broadcast(ops.reshape(y, (*right[:-2], 1, *right[-2:])), wide),
    )
    return norm(apart, order, (len(rows),))
