# SPDX-License-Identifier: Apache-2.0
"""Functions of torch that move elements into new tensors: joined, repeated, turned, cut to a triangle."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Sequence
from typing import Any

import numpy
import torch

from hybridize import ops
from hybridize.array.functions import creation, linear
from hybridize.array.functions import shapes as arrays
from hybridize.base.dims import product
from hybridize.base.dtypes import int64
from hybridize.base.errors import CaptureError
from hybridize.ops import Operand, type_of
from hybridize.torch.functions import rules
from hybridize.torch.functions.operands import operand
from hybridize.torch.functions.shapes import diagonal as diagonal_of
from hybridize.torch.functions.sorting import by
from hybridize.torch.functions.table import Sizes, computes


def dtype_of_all(tensors: Sequence[Operand]) -> torch.dtype:
    """Return the dtype of tensors joined: those without axes count as others do."""
    return functools.reduce(torch.promote_types, (rules.torch_dtype(type_of(x).dtype) for x in tensors))


def joined(tensors: Sequence[Operand], dim: int, dtype: torch.dtype | None = None) -> Operand:
    """Return tensors one after another along an axis; one of sizes [0] fits beside all.

    Raises:
        RuntimeError: there are none, or their sizes differ; in torch's words.
    """
    rules.expect(tensors)
    kinds = [type_of(x) for x in tensors]
    rules.expect(all(one.ndim for one in kinds))
    wide = [x for x, one in zip(tensors, kinds, strict=True) if one.ndim != 1 or one.shape[0] != 0] or list(tensors[:1])
    first = type_of(wide[0])
    axis = rules.axis_of(dim, first.ndim)
    for x in wide:
        shape = type_of(x).shape
        rules.expect(len(shape) == first.ndim)
        for other, (size, wanted) in enumerate(zip(shape, first.shape, strict=True)):
            rules.expect(other == axis or size == wanted)
    wanted_kind = rules.kind(dtype_of_all(tensors), ()).dtype
    total = ops.concat(*(ops.cast(x, wanted_kind) for x in wide), axis=axis)
    return total if dtype is None else ops.cast(total, rules.kind(dtype, ()).dtype)


@computes("cat", "concat", "concatenate")
def _cat(tensors: Sequence[Operand], dim: int = 0) -> Operand:
    return joined(tensors, dim)


@computes("stack")
def _stack(tensors: Sequence[Operand], dim: int = 0) -> Operand:
    rules.expect(tensors)
    shape = type_of(tensors[0]).shape
    axis = rules.axis_of(dim, len(shape) + 1)
    rules.expect(all(type_of(x).shape == shape for x in tensors))
    return joined([ops.reshape(x, (*shape[:axis], 1, *shape[axis:])) for x in tensors], axis)


def _at_least(x: Operand, ndim: int) -> Operand:
    return ops.reshape(x, rules.at_least(type_of(x).shape, ndim))


@computes("hstack")
def _hstack(tensors: Sequence[Operand]) -> Operand:
    wide = [_at_least(x, 1) for x in tensors]
    return joined(wide, 0 if wide and type_of(wide[0]).ndim == 1 else 1)


@computes("vstack", "row_stack")
def _vstack(tensors: Sequence[Operand]) -> Operand:
    return joined([_at_least(x, 2) for x in tensors], 0)


@computes("dstack")
def _dstack(tensors: Sequence[Operand]) -> Operand:
    return joined([_at_least(x, 3) for x in tensors], 2)


@computes("column_stack")
def _column_stack(tensors: Sequence[Operand]) -> Operand:
    columns = [ops.reshape(x, (product(type_of(x).shape), 1)) if type_of(x).ndim < 2 else x for x in tensors]
    return joined(columns, 1)


@computes("block_diag")
def _block_diag(tensors: Sizes) -> Operand:
    dtype = rules.kind(dtype_of_all(tensors), ()).dtype
    blocks = [ops.cast(_at_least(x, 2), dtype) for x in tensors]
    rules.expect(all(type_of(x).ndim <= 2 for x in blocks))
    columns = sum(type_of(x).shape[1] for x in blocks)
    rows, start = [], 0
    for x in blocks:
        width = type_of(x).shape[1]
        rows.append(ops.pad(x, operand(0, dtype), (0, start), (0, columns - start - width)))
        start = start + width
    return ops.concat(*rows, axis=0)


@computes("cartesian_prod")
def _cartesian_prod(tensors: Sizes) -> Operand:
    if len(tensors) == 1:
        return tensors[0]
    rules.expect(all(type_of(x).dtype == type_of(tensors[0]).dtype for x in tensors))
    sizes = tuple(product(type_of(x).shape) for x in tensors)
    columns = []
    for axis, x in enumerate(tensors):
        row = ops.reshape(x, tuple(size if k == axis else 1 for k, size in enumerate(sizes)))
        columns.append(ops.reshape(ops.broadcast(row, sizes), (product(sizes), 1)))
    return joined(columns, 1)


@computes("combinations")
def _combinations(input: Operand, r: int = 2, with_replacement: bool = False) -> Operand:
    (size,) = type_of(input).shape
    if r == 0:
        return operand(0, type_of(input).dtype, (0,))
    count = int(size)
    choose = itertools.combinations_with_replacement if with_replacement else itertools.combinations
    picked = list(choose(range(count), r))
    if not picked:
        return rules.nothing_of(input, (0, r))
    columns = [ops.gather(input, ops.constant(_numbers([row[k] for row in picked])), 0) for k in range(r)]
    return ops.concat(*(ops.reshape(one, (len(picked), 1)) for one in columns), axis=1)


def _numbers(values: Sequence[int]) -> Any:
    return numpy.asarray(values, numpy.int64)


# Repeated.


@computes("Tensor.repeat", also="repeats=times")
def repeated(x: Operand, times: Sizes) -> Operand:
    """Return a tensor repeated as a whole, so often along each axis."""
    shape = type_of(x).shape
    rules.expect(len(times) >= len(shape))
    rules.expect(all(type(one) is not int or one >= 0 for one in times))
    wide = (*(1,) * (len(times) - len(shape)), *shape)
    apart = ops.reshape(x, tuple(n for size in wide for n in (1, size)))
    every = ops.broadcast(apart, tuple(n for pair in zip(times, wide, strict=True) for n in pair))
    return ops.reshape(every, tuple(size * one for size, one in zip(wide, times, strict=True)))


@computes("tile")
def _tile(input: Operand, dims: Sizes) -> Operand:
    return repeated(input, (*(1,) * (type_of(input).ndim - len(dims)), *dims))


@computes("repeat_interleave")
def _repeat_interleave(input: Operand, repeats: Any = None, dim: Any = None, *, output_size: Any = None) -> Operand:
    if repeats is None or hasattr(repeats, "type"):
        if repeats is None or type_of(repeats).shape not in ((), (1,)) or output_size is None:
            raise CaptureError(
                "E422",
                "repeat_interleave with a tensor of counts: the size of the result depends on data",
                help="pass one integer, or index with precomputed indices",
            )
        shape = type_of(input).shape
        size = product(shape) if dim is None else shape[rules.axis_of(dim, len(shape))]
        repeats = output_size // size
    rules.expect(type(repeats) is not int or repeats >= 0)
    x = ops.reshape(input, (product(type_of(input).shape),)) if dim is None else input
    shape = type_of(x).shape
    axis = rules.axis_of(dim or 0, len(shape))
    if not shape:
        x, shape = ops.reshape(x, (1,)), (1,)
    apart = ops.reshape(x, (*shape[: axis + 1], 1, *shape[axis + 1 :]))
    wide = ops.broadcast(apart, (*shape[: axis + 1], repeats, *shape[axis + 1 :]))
    return ops.reshape(wide, (*shape[:axis], shape[axis] * repeats, *shape[axis + 1 :]))


# Turned.


def flipped(x: Operand, axes: Sequence[int]) -> Operand:
    """Return a tensor with the elements along axes in reverse."""
    return functools.reduce(ops.flip, axes, x)


@computes("flip")
def _flip(input: Operand, dims: Sizes) -> Operand:
    ndim = type_of(input).ndim
    axes = [rules.axis_of(axis, ndim) for axis in ([dims] if isinstance(dims, int) else dims)]
    for axis in axes:
        rules.expect(axes.count(axis) <= 1)
    return flipped(input, axes if ndim else ())


@computes("fliplr")
def _fliplr(input: Operand) -> Operand:
    rules.expect(type_of(input).ndim >= 2)
    return flipped(input, (1,))


@computes("flipud")
def _flipud(input: Operand) -> Operand:
    rules.expect(type_of(input).ndim >= 1)
    return flipped(input, (0,))


@computes("rot90")
def _rot90(input: Operand, k: int = 1, dims: Sequence[int] = (0, 1)) -> Operand:
    ndim = type_of(input).ndim
    rules.expect(len(dims) == 2)
    rules.expect(ndim >= 2)
    first, second = rules.axis_of(dims[0], ndim), rules.axis_of(dims[1], ndim)
    rules.expect(first != second)
    return by(arrays.rot90, input, k=k, axes=(first, second))


@computes("roll")
def _roll(input: Operand, shifts: Any, dims: Any = ()) -> Operand:
    by = list(shifts) if isinstance(shifts, (tuple, list)) else [shifts]
    axes = list(dims) if isinstance(dims, (tuple, list)) else [dims]
    shape = type_of(input).shape
    rules.expect(by)
    rules.expect(shape or not axes)
    if not axes and len(by) == 1:
        return ops.reshape(_rolled(ops.reshape(input, (product(shape),)), by[0], 0), shape)
    rules.expect(len(by) == len(axes))
    for shift, axis in zip(by, axes, strict=True):
        input = _rolled(input, shift, rules.axis_of(axis, len(shape)))
    return input


def _rolled(x: Operand, shift: Any, axis: int) -> Operand:
    shape = type_of(x).shape
    size = shape[axis]
    if size == 0:
        return x
    start = (-shift) % size
    return ops.concat(ops.part(x, axis, start, size), ops.part(x, axis, 0, start), axis=axis)


# Triangles and diagonals.


def _triangle(name: str, function: Callable[..., Any]) -> None:
    @computes(name)
    def entry(input: Operand, diagonal: int = 0) -> Operand:
        rules.expect(type_of(input).ndim >= 2)
        return by(function, input, k=diagonal)


_triangle("tril", creation.tril)
_triangle("triu", creation.triu)


def on_diagonals(x: Operand, offset: int, first: int, second: int) -> Operand:
    """Return matrices, in two axes, whose diagonals are the last axis of a tensor; zeros elsewhere."""
    shape = type_of(x).shape
    ndim = len(shape) + 1
    i, j = rules.axis_of(first, ndim), rules.axis_of(second, ndim)
    rules.expect(i != j)
    size = shape[-1] + abs(offset)
    wide = (*shape[:-1], size, shape[-1])
    row = ops.iota(wide, ndim - 2, int64)
    place = ops.add(ops.iota(wide, ndim - 1, int64), operand(max(-offset, 0), int64, wide))
    spread = ops.broadcast(ops.reshape(x, (*shape[:-1], 1, shape[-1])), wide)
    square = ops.where(ops.eq(row, place), spread, operand(0, type_of(x).dtype, wide))
    low, high = [0] * ndim, [0] * ndim
    low[-1], high[-1] = max(offset, 0), max(-offset, 0)
    square = ops.pad(square, operand(0, type_of(x).dtype), tuple(low), tuple(high))
    rest = iter(range(ndim - 2))
    return ops.transpose(square, tuple(ndim - 2 if k == i else ndim - 1 if k == j else next(rest) for k in range(ndim)))


@computes("diag_embed")
def _diag_embed(input: Operand, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Operand:
    return on_diagonals(input, offset, dim1, dim2)


@computes("diagflat")
def _diagflat(input: Operand, offset: int = 0) -> Operand:
    return on_diagonals(ops.reshape(input, (product(type_of(input).shape),)), offset, 0, 1)


@computes("diag")
def _diag(input: Operand, diagonal: int = 0) -> Operand:
    shape = type_of(input).shape
    if len(shape) == 1:
        return on_diagonals(input, diagonal, 0, 1)
    rules.expect(len(shape) == 2)
    return by(diagonal_of, input, offset=diagonal, first=0, second=1)


@computes("trace", kinds="fiu")
def _trace(input: Operand) -> Operand:
    rules.expect(type_of(input).ndim == 2)
    diagonal = by(diagonal_of, input, offset=0, first=0, second=1)
    return ops.sum(diagonal if type_of(input).dtype.kind not in "biu" else ops.cast(diagonal, int64), (0,))


@computes("kron")
def _kron(input: Operand, other: Operand) -> Operand:
    dtype = rules.kind(rules.common(input, other), ()).dtype
    return by(linear.kron, ops.cast(input, dtype), ops.cast(other, dtype))


@computes("linalg.cross", kinds="fiu", alike="input other")
def _linalg_cross(input: Operand, other: Operand, *, dim: int = -1) -> Operand:
    return _cross(input, other, dim)


@computes("cross", kinds="fiu", alike="input other")
def _cross(input: Operand, other: Operand, dim: int | None = None) -> Operand:
    shape, dtype = rules.shape_of(input, other), rules.common(input, other)
    if dim is None:
        axes = [axis for axis, size in enumerate(shape) if size == 3]
        rules.expect(axes)
        dim = axes[0]
    axis = rules.axis_of(dim, len(shape))
    rules.expect(shape[axis] == 3)
    x, y = (operand(one, rules.kind(dtype, ()).dtype, shape) for one in (input, other))
    return by(linear.cross, x, y, axis=axis)
