# SPDX-License-Identifier: Apache-2.0
"""ATen operators in terms of ours: the only place that names them.

Each entry is a function (types of the results, *arguments, **keywords) -> operand or tuple of operands; arguments
that were tensors are operands, the rest are Python values. Shapes and dtypes of results are PyTorch's own.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy

from hybridize import ops
from hybridize.base.dims import broadcast, known, maximum, product
from hybridize.base.dtypes import float64, int64, is_float
from hybridize.base.types import TensorType
from hybridize.ops import Operand, composites, type_of
from hybridize.torch.aten.registry import Types, aten, axes_of
from hybridize.torch.functions.operands import operand


@aten("linear.default")
def _linear(types: Types, x: Operand, weight: Operand, bias: Operand | None = None) -> Operand:
    return composites.fully_connected(x, weight, bias, False)


@aten("matmul.default")
def _matmul(types: Types, x: Operand, y: Operand) -> Operand:
    left, right = type_of(x).shape, type_of(y).shape
    if len(left) == 1:
        x = ops.reshape(x, (1, *left))
    if len(right) == 1:
        y = ops.reshape(y, (*right, 1))
    batch = broadcast(type_of(x).shape[:-2], type_of(y).shape[:-2]) or ()
    x = ops.broadcast(x, (*batch, *type_of(x).shape[-2:]))
    y = ops.broadcast(y, (*batch, *type_of(y).shape[-2:]))
    return ops.reshape(ops.matmul(x, y), types[0].shape)


@aten("softmax.int")
def _softmax(types: Types, x: Operand, axis: int, dtype: Any = None) -> Operand:
    return composites.softmax(operand(x, types[0].dtype, types[0].shape), axis % types[0].ndim)


@aten("log_softmax.int")
def _log_softmax(types: Types, x: Operand, axis: int, dtype: Any = None) -> Operand:
    return composites.log_softmax(operand(x, types[0].dtype, types[0].shape), axis % types[0].ndim)


@aten("layer_norm.default")
def _layer_norm(
    types: Types,
    x: Operand,
    shape: Sequence[int],
    weight: Any = None,
    bias: Any = None,
    eps: float = 1e-5,
    cudnn: bool = False,
) -> Operand:
    return _normalize(types[0], x, shape, weight, bias, eps)


@aten("native_group_norm.default")
def _group_norm(
    types: Types, x: Operand, weight: Any, bias: Any, batch: int, channels: int, size: int, groups: int, eps: float
) -> tuple[Operand | None, ...]:
    gamma, beta = (
        operand(default if part is None else part, types[0].dtype, (channels,))
        for part, default in ((weight, 1.0), (bias, 0.0))
    )
    return composites.group_norm(x, gamma, beta, groups, eps), None, None


def _normalize(kind: TensorType, x: Operand, shape: Sequence[int], weight: Any, bias: Any, eps: float) -> Operand:
    """Layer norm over the trailing axes `shape`, as one row."""
    rows = (*kind.shape[: kind.ndim - len(shape)], product(shape))
    row = ops.reshape(x, rows) if len(shape) != 1 else x
    gamma = operand(1.0 if weight is None else ops.reshape(weight, rows[-1:]), kind.dtype, rows[-1:])
    beta = operand(0.0 if bias is None else ops.reshape(bias, rows[-1:]), kind.dtype, rows[-1:])
    return ops.reshape(composites.layer_norm(row, gamma, beta, len(rows) - 1, eps), kind.shape)


# Shapes.


def _bound(at: int | None, size: int, default: int) -> int:
    """Return the start or stop of a slice within the axis; a negative one counts from the end."""
    if at is None:
        return default
    at = at + size if at < 0 else at
    return 0 if at < 0 else size if at > size else at


@aten("slice_scatter.default")
def _slice_scatter(
    types: Types,
    x: Operand,
    part: Operand,
    axis: int = 0,
    start: int | None = None,
    stop: int | None = None,
    step: int = 1,
) -> Operand:
    shape = types[0].shape
    axis %= len(shape)
    first = _bound(start, shape[axis], 0)
    starts = tuple(first if k == axis else 0 for k in range(len(shape)))
    last = maximum(first, _bound(stop, shape[axis], shape[axis]))
    stops = tuple(last if k == axis else size for k, size in enumerate(shape))
    steps = tuple(step if k == axis else 1 for k in range(len(shape)))
    return ops.update_slice(x, operand(part, types[0].dtype, type_of(part).shape), starts, stops, steps)


@aten("select_scatter.default")
def _select_scatter(types: Types, x: Operand, part: Operand, axis: int, index: int) -> Operand:
    shape = types[0].shape
    axis %= len(shape)
    index = index + shape[axis] if index < 0 else index
    starts = tuple(index if k == axis else 0 for k in range(len(shape)))
    stops = tuple(index + 1 if k == axis else size for k, size in enumerate(shape))
    wide = tuple(1 if k == axis else size for k, size in enumerate(shape))
    part = ops.reshape(operand(part, types[0].dtype, type_of(part).shape), wide)
    return ops.update_slice(x, part, starts, stops, (1,) * len(shape))


@aten("flip.default")
def _flip(types: Types, x: Operand, axes: Sequence[int]) -> Operand:
    shape = types[0].shape
    starts, stops, steps = [0] * len(shape), list(shape), [1] * len(shape)
    for axis in axes_of(axes, len(shape)):
        starts[axis], stops[axis], steps[axis] = shape[axis] - 1, -1, -1
    return ops.slice(x, tuple(starts), tuple(stops), tuple(steps))


@aten("constant_pad_nd.default")
def _pad(types: Types, x: Operand, pad: Sequence[int], value: float = 0) -> Operand:
    ndim = type_of(x).ndim
    low, high = [0] * ndim, [0] * ndim
    for i in range(len(pad) // 2):
        low[ndim - 1 - i], high[ndim - 1 - i] = pad[2 * i], pad[2 * i + 1]
    shape = type_of(x).shape
    if min(pad) < 0:
        starts = tuple(max(0, -p) for p in low)
        stops = tuple(n - max(0, -p) for n, p in zip(shape, high, strict=True))
        x = ops.slice(x, starts, stops, (1,) * ndim)
    padded = tuple(max(0, p) for p in low), tuple(max(0, p) for p in high)
    return ops.pad(x, operand(value, types[0].dtype), *padded)


@aten("repeat.default")
def _repeat(types: Types, x: Operand, repeats: Sequence[int]) -> Operand:
    shape = (*(1,) * (len(repeats) - type_of(x).ndim), *type_of(x).shape)
    apart = tuple(n for pair in zip((1,) * len(shape), shape, strict=True) for n in pair)
    wide = tuple(n for pair in zip(repeats, shape, strict=True) for n in pair)
    return ops.reshape(ops.broadcast(ops.reshape(x, apart), wide), types[0].shape)


# Creation.


@aten("arange.start_step")
def _arange(types: Types, start: float, stop: float, step: float = 1, **_: Any) -> Operand:
    kind = types[0]
    if known((start, stop, step)):  # type: ignore[arg-type]
        return ops.constant(numpy.arange(start, stop, step).astype(kind.dtype))
    # In the widest numbers of its kind, as start and step may be fractions of what an index counts.
    wide = kind.with_dtype(float64 if is_float(kind.dtype) else int64)
    index = ops.mul(ops.iota(wide.shape, 0, wide.dtype), operand(step, wide.dtype, wide.shape))
    return ops.cast(ops.add(index, operand(start, wide.dtype, wide.shape)), kind.dtype)
