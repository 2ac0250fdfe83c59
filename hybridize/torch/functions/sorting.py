# SPDX-License-Identifier: Apache-2.0
"""Functions of torch that sort, or look for where a number belongs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from hybridize import ops
from hybridize.array.functions import searching
from hybridize.array.operands import operand as of_symbol
from hybridize.array.operands import result
from hybridize.base.dims import product
from hybridize.base.dtypes import int32, int64
from hybridize.ops import Operand, type_of
from hybridize.torch.functions.operands import operand, required
from hybridize.torch.functions.rules import axis_of, common, expect, is_tensor, kind
from hybridize.torch.functions.table import computes


def by(function: Callable[..., Any], *xs: Operand, **keywords: Any) -> Operand:
    """Return what a function of arrays gives of operands."""
    return of_symbol(function(*map(result, xs), **keywords))


def ordered(x: Operand, dim: int, descending: bool) -> tuple[Operand, Operand]:
    """Return the elements along an axis in order, and where they were."""
    axis = axis_of(dim, type_of(x).ndim)
    if not type_of(x).ndim:
        return x, operand(0, int64)
    order = ops.arg_sort(x, axis, bool(descending))
    return ops.take_along_axis(x, order, axis), order  # through their places their gradient goes back


@computes("sort")
def _sort(input: Operand, dim: Any = -1, descending: Any = False, *, stable: bool | None = None) -> Any:
    return torch.return_types.sort(ordered(input, dim, descending))


@computes("argsort")
def _argsort(input: Operand, dim: int = -1, descending: bool = False, *, stable: bool = False) -> Operand:
    return ordered(input, dim, descending)[1]


@computes("msort")
def _msort(input: Operand) -> Operand:
    return ordered(input, 0, False)[0]


@computes("topk", kinds="fiu")
def _topk(input: Operand, k: int, dim: int = -1, largest: bool = True, sorted: bool = True) -> Any:
    shape = type_of(input).shape
    axis = axis_of(dim, len(shape))
    expect(0 <= k <= (shape[axis] if shape else 1))
    if not shape:
        return torch.return_types.topk((input, operand(0, int64)))
    order = ops.part(ops.arg_sort(input, axis, bool(largest)), axis, 0, k)
    return torch.return_types.topk((ops.take_along_axis(input, order, axis), order))


@computes("kthvalue")
def _kthvalue(input: Operand, k: Any, dim: int = -1, keepdim: bool = False) -> Any:
    shape = type_of(input).shape
    axis = axis_of(dim, len(shape))
    expect(1 <= k <= (shape[axis] if shape else 1))
    expect(type_of(input).dtype.kind != "b" or not shape)
    pair = ordered(input, dim, False)
    if not shape:
        return torch.return_types.kthvalue(pair)
    parts = [ops.part(one, axis, k - 1, k) for one in pair]
    if not keepdim:
        parts = [ops.reshape(one, (*shape[:axis], *shape[axis + 1 :])) for one in parts]
    return torch.return_types.kthvalue((parts[0], parts[1]))


def _numbers(x: Any, beside: Operand) -> Operand:
    if is_tensor(x):
        return x
    return operand(x, kind(common(beside, x), ()).dtype)


def placed(edges: Operand, x: Operand, right: bool, out_int32: bool) -> Operand:
    """Return where numbers belong among sorted ones; both may have as many lines, of axes in front.

    Where there are lines, each number is compared with all of its line.
    """
    dtype = kind(common(edges, x), ()).dtype
    edges, x = ops.cast(edges, dtype), ops.cast(x, dtype)
    shape, sizes = type_of(edges).shape, type_of(x).shape
    expect(dtype.kind != "b" or 0 in sizes)
    if len(shape) == 1:
        flat = ops.reshape(x, (product(sizes),))
        places = ops.reshape(by(searching.searchsorted, edges, flat, side="right" if right else "left"), sizes)
        return ops.cast(places, int32 if out_int32 else int64)
    wide = (*sizes, shape[-1])
    line = ops.broadcast(ops.reshape(edges, (*shape[:-1], 1, shape[-1])), wide)
    number = ops.broadcast(ops.reshape(x, (*sizes, 1)), wide)
    below = ops.bit_not(ops.gt(line, number)) if right else ops.bit_not(ops.ge(line, number))
    counted = ops.sum(ops.cast(below, int64), (len(sizes),))
    return ops.cast(counted, int32 if out_int32 else int64)


@computes("searchsorted", also="self=input values=input")
def _searchsorted(
    sorted_sequence: Operand,
    input: Any,
    *,
    out_int32: bool = False,
    right: bool = False,
    side: str | None = None,
    sorter: Operand | None = None,
) -> Operand:
    x = _numbers(input, sorted_sequence)
    expect(side in (None, "left", "right"))
    expect(side != "left" or not right)
    shape, sizes = type_of(sorted_sequence).shape, type_of(x).shape
    expect(len(shape) == 1 or (len(shape) == len(sizes) and shape[:-1] == sizes[:-1]))
    if sorter is not None:
        sorted_sequence = ops.take_along_axis(sorted_sequence, sorter, len(shape) - 1)
    return placed(sorted_sequence, x, right or side == "right", out_int32)


@computes("bucketize")
def _bucketize(input: Any, boundaries: Operand, *, out_int32: bool = False, right: bool = False) -> Operand:
    expect(type_of(boundaries).ndim == 1)
    return placed(boundaries, _numbers(input, boundaries), right, out_int32)


@computes("isin", also="element=x elements=x test_element=tests test_elements=tests")
def _isin(x: Any, tests: Any, *, assume_unique: bool = False, invert: bool = False) -> Operand:
    dtype = kind(common(x, tests), ()).dtype
    expect(all(type_of(one).dtype.kind != "b" for one in (x, tests) if is_tensor(one)))
    x, tests = (operand(one, dtype, type_of(one).shape if is_tensor(one) else ()) for one in (x, tests))
    shape = type_of(x).shape
    count = product(type_of(tests).shape)
    wide = (*shape, count)
    same = ops.eq(ops.broadcast(ops.reshape(x, (*shape, 1)), wide), ops.broadcast(ops.reshape(tests, (count,)), wide))
    present = ops.any(same, (len(shape),))
    return ops.bit_not(present) if invert else present


def _span(x: Operand) -> tuple[Operand, Operand]:
    """Return the ends of a range that holds all elements: the smallest and the largest, or 1 beside a single one."""
    low, high = ops.reduce_min(x, (0,)), ops.reduce_max(x, (0,))
    required(ops.isfinite(ops.sub(high, low)), "torch.histc: range is not finite")
    beside = ops.where(ops.eq(low, high), ops.like(1, low), ops.like(0, low))
    return ops.sub(low, beside), ops.add(high, beside)


@computes("histc", kinds="f")
def _histc(input: Operand, bins: int = 100, min: Any = 0, max: Any = 0) -> Operand:
    """Elements by the bins that they fall into; the last one has its upper end."""
    expect(bins > 0 and min <= max)
    dtype = type_of(input).dtype
    x = ops.reshape(input, (product(type_of(input).shape),))
    sizes = type_of(x).shape
    low, high = _span(x) if min == max and 0 not in sizes else (operand(min, dtype), operand(max, dtype))
    low, high = ops.broadcast(low, sizes), ops.broadcast(high, sizes)
    inside = ops.bit_and(ops.ge(x, low), ops.le(x, high))
    share = ops.div(ops.mul(ops.sub(x, low), operand(bins, dtype, sizes)), ops.sub(high, low))
    number = ops.cast(ops.floor(ops.where(inside, share, ops.like(0, share))), int64)
    number = ops.min(number, ops.like(bins - 1, number))
    points = ops.reshape(number, (*sizes, 1))
    return ops.scatter_nd(operand(0, dtype, (bins,)), points, ops.cast(inside, dtype), "add")
