# SPDX-License-Identifier: Apache-2.0
"""Prepare operands as MXNet's operators do before they compute: broadcasting, promotion, axes, reductions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy

from hybridize import ops
from hybridize.base.dtypes import DType
from hybridize.base.errors import AxisError, ShapeError
from hybridize.base.promotion import promote, with_weak
from hybridize.base.types import Shape
from hybridize.ops.op import Op, Operand, bind1, constant, type_of


def shape_of(x: Operand) -> Shape:
    """Shape of an operand."""
    return type_of(x).shape


def dtype_of(x: Operand) -> DType:
    """Dtype of an operand."""
    return type_of(x).dtype


def cast(x: Operand, dtype: DType) -> Operand:
    """`x` as `dtype`."""
    return x if dtype_of(x) == dtype else bind1(ops.Cast(dtype), x)


def broadcast(x: Operand, shape: Shape) -> Operand:
    """`x` stretched to `shape`."""
    return x if shape_of(x) == shape else bind1(ops.Broadcast(shape), x)


def reshape(x: Operand, shape: Shape) -> Operand:
    """`x` in another shape of as many elements."""
    return x if shape_of(x) == shape else bind1(ops.Reshape(shape), x)


def transpose(x: Operand, axes: Sequence[int]) -> Operand:
    """`x` with its axes in another order."""
    return x if list(axes) == list(range(len(axes))) else bind1(ops.Transpose(tuple(axes)), x)


def full(value: Any, shape: Shape, dtype: DType) -> Operand:
    """`value` everywhere."""
    return broadcast(constant(numpy.asarray(value).astype(dtype)), shape)


def like(value: Any, x: Operand) -> Operand:
    """`value` everywhere, in the type of `x`."""
    return full(value, shape_of(x), dtype_of(x))


def aligned(*xs: Operand) -> list[Operand]:
    """Operands of one dtype and one shape, by the rules of NumPy and our promotion table."""
    dtype = dtype_of(xs[0])
    for x in xs[1:]:
        dtype = promote(dtype, dtype_of(x))
    try:
        shape = numpy.broadcast_shapes(*map(shape_of, xs))
    except ValueError:
        kinds = " and ".join(str(type_of(x)) for x in xs)
        raise ShapeError("E101", f"shapes do not broadcast: {kinds}") from None
    return [broadcast(cast(x, dtype), shape) for x in xs]


def apply(op: Op, *xs: Operand) -> Operand:
    """An elementwise op on operands that need not be aligned."""
    return bind1(op, *aligned(*xs))


def with_scalar(x: Operand, value: float, is_int: bool, *, legacy: bool) -> tuple[Operand, Operand]:
    """`x` and a number beside it. MXNet 1.x's operators keep the dtype of `x`, those of `np` promote it."""
    if not legacy:
        x = cast(x, with_weak(dtype_of(x), int if is_int else float))
    return x, like(value, x)


def axis_of(axis: int, ndim: int) -> int:
    """An axis counted from the front."""
    if not -ndim <= axis < max(ndim, 1):
        raise AxisError("E111", f"axis {axis} of an array of {ndim} axes")
    return axis % max(ndim, 1)


def axes_of(axes: Sequence[int] | None, ndim: int, exclude: bool = False) -> tuple[int, ...]:
    """Axes counted from the front, in order; all for None; `exclude` takes the others."""
    if axes is None:
        return tuple(range(ndim))
    chosen = {axis_of(axis, ndim) for axis in axes}
    return tuple(axis for axis in range(ndim) if (axis in chosen) != exclude)


def keeping(reduced: Operand, x: Operand, axes: Sequence[int], keepdims: bool) -> Operand:
    """A reduction's result, with sizes of 1 where axes of `x` were."""
    if not keepdims:
        return reduced
    return reshape(reduced, tuple(1 if k in axes else size for k, size in enumerate(shape_of(x))))


def sliced(x: Operand, bounds: Sequence[tuple[int | None, int | None, int | None]]) -> Operand:
    """`x[begin:end:step, ...]`, with NumPy's rules for what lies outside; axes that are not given stay whole."""
    shape = shape_of(x)
    starts, stops, steps = [], [], []
    for size, bound in zip(shape, [*bounds, *[(None, None, None)] * (len(shape) - len(bounds))], strict=True):
        start, stop, step = slice(*bound).indices(size)
        starts.append(start)
        stops.append(stop)
        steps.append(step)
    if starts == [0] * len(shape) and stops == list(shape) and steps == [1] * len(shape):
        return x
    return bind1(ops.Slice(tuple(starts), tuple(stops), tuple(steps)), x)
