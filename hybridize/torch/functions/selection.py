# SPDX-License-Identifier: Apache-2.0
"""Functions of torch whose results have as many elements as data decides: those that a mask selects, distinct ones.

Such a size is asked of the capture (`Recording.decided`), which specializes the program on it, or does not: then the
function is refused.
"""

from __future__ import annotations

from typing import Any

import numpy

from hybridize import ops
from hybridize.array.symbol import Symbol
from hybridize.base.dims import product
from hybridize.base.dtypes import bool_, float32, float64, int64
from hybridize.base.errors import CaptureError
from hybridize.capture.trace.recording import current_trace
from hybridize.ops import Operand, type_of
from hybridize.torch.functions.operands import flattened, operand, underived
from hybridize.torch.functions.rules import expect, shape_of
from hybridize.torch.functions.sorting import ordered, placed
from hybridize.torch.functions.table import computes


def undecided(what: str) -> CaptureError:
    """The error for a result of which data decides the size."""
    return CaptureError(
        "E422",
        f"{what} cannot be compiled: how many elements that gives depends on data",
        help="torch.where(mask, x, other) keeps the sizes; x[mask] = value and (x * mask).sum() work as well",
    )


def number_of(value: Operand, what: str) -> int:
    """Return the integer that data decides, which the program is specialized on.

    Raises:
        CaptureError E422: it is not known before the call, or the program is not to be specialized.
    """
    trace = current_trace()
    known = None if trace is None else trace.decided(Symbol.of(trace, value))
    if known is None:
        raise undecided(what)
    return int(known)


def positions(mask: Operand, what: str) -> Operand:
    """Return where a mask is true, its elements counted row by row: the k-th is where k + 1 of them are counted first.

    Raises:
        CaptureError E422: how many that are stays data.
    """
    flat = flattened(ops.cast(mask, bool_))
    count = number_of(ops.sum(ops.cast(flat, int64), (0,)), what)
    if count == 0:
        return operand(0, int64, (0,))
    counted = ops.cum_sum(ops.cast(flat, int64), 0)
    return placed(counted, ops.constant(numpy.arange(1, count + 1)), False, False)


def coordinates(mask: Operand, what: str) -> list[Operand]:
    """Return where a mask is true: the index along each axis of each such element.

    Raises:
        CaptureError E422: how many that are stays data.
    """
    left = positions(mask, what)
    indices: list[Operand] = []
    for size in reversed(type_of(mask).shape):
        wide = operand(size, int64, type_of(left).shape)
        indices.insert(0, ops.mod(left, wide))
        left = ops.floor_div(left, wide)
    return indices


def _picked(x: Operand, places: Operand) -> Operand:
    """Return elements of a tensor of one axis."""
    return ops.gather(x, places, 0)


@computes("masked_select")
def _masked_select(input: Operand, mask: Operand) -> Operand:
    expect(type_of(mask).dtype.kind == "b")
    shape = shape_of(input, mask)
    places = positions(ops.broadcast(mask, shape), "torch.masked_select()")
    return _picked(flattened(ops.broadcast(input, shape)), places)


@computes("masked_scatter")
def _masked_scatter(input: Operand, mask: Operand, source: Operand) -> Operand:
    """The k-th element that the mask selects becomes the k-th of `source`: no size depends on data."""
    expect(type_of(mask).dtype.kind == "b")
    expect(type_of(input).dtype == type_of(source).dtype)
    shape = shape_of(input, mask)
    here = ops.broadcast(mask, shape)
    if product(shape) == 0 or product(type_of(source).shape) == 0:
        return ops.broadcast(input, shape)
    counted = ops.cum_sum(ops.cast(flattened(here), int64), 0)
    last = operand(product(type_of(source).shape) - 1, int64, (product(shape),))
    places = ops.min(
        ops.max(ops.sub(counted, operand(1, int64, (product(shape),))), operand(0, int64, (product(shape),))), last
    )
    return ops.where(here, ops.reshape(_picked(flattened(source), places), shape), ops.broadcast(input, shape))


@computes("nonzero", "argwhere")
def _nonzero(input: Operand, *, as_tuple: bool = False) -> Any:
    shape = type_of(input).shape
    mask = input if type_of(input).dtype.kind == "b" else ops.ne(input, operand(0, type_of(input).dtype, shape))
    if as_tuple and not shape:
        mask = ops.reshape(mask, (1,))
    indices = coordinates(mask, "torch.nonzero()")
    if as_tuple:
        return tuple(indices)
    if not indices:
        return operand(0, int64, (type_of(positions(mask, "torch.nonzero()")).shape[0], 0))
    return ops.concat(*(ops.reshape(one, (*type_of(one).shape, 1)) for one in indices), axis=1)


def _runs(x: Operand, what: str) -> tuple[Operand, Operand, Operand]:
    """Return the first element of each run of equal ones, the run of each element, and the sizes of the runs."""
    (count,) = type_of(x).shape
    if count == 0:
        none = operand(0, int64, (0,))
        return x, none, none
    one, rest = (
        operand(True, bool_, (1,)),
        ops.ne(ops.slice(x, (1,), (count,), (1,)), ops.slice(x, (0,), (count - 1,), (1,))),
    )
    first = ops.concat(one, rest, axis=0)
    starts = positions(first, what)
    runs = ops.sub(ops.cum_sum(ops.cast(first, int64), 0), operand(1, int64, (count,)))
    ends = ops.concat(ops.slice(starts, (1,), (type_of(starts).shape[0],), (1,)), operand(count, int64, (1,)), axis=0)
    return _picked(x, starts), runs, ops.sub(ends, starts)


def _with_extras(values: Operand, *extras: tuple[bool, Operand]) -> Any:
    operands = [one for wanted, one in extras if wanted]
    return (values, *operands) if operands else values


_UNDERIVED = "the derivative for '{}' is not implemented."


@computes("unique")
def _unique(
    input: Operand,
    sorted: bool = True,
    return_inverse: bool = False,
    return_counts: bool = False,
    dim: int | None = None,
) -> Any:
    if dim is not None:
        raise undecided("torch.unique() of rows")
    x = flattened(input)
    values, order = ordered(x, 0, False)
    elements, runs, counts = _runs(values, "torch.unique()")
    inverse = ops.reshape(_picked(runs, ordered(order, 0, False)[1]), type_of(input).shape)
    elements = underived(elements, _UNDERIVED.format("_unique2"), input, error=NotImplementedError)
    return _with_extras(elements, (return_inverse, inverse), (return_counts, counts))


@computes("unique_consecutive")
def _unique_consecutive(
    input: Operand, return_inverse: bool = False, return_counts: bool = False, dim: int | None = None
) -> Any:
    if dim is not None:
        raise undecided("torch.unique_consecutive() of rows")
    elements, runs, counts = _runs(flattened(input), "torch.unique_consecutive()")
    elements = underived(elements, _UNDERIVED.format("unique_consecutive"), input, error=NotImplementedError)
    return _with_extras(elements, (return_inverse, ops.reshape(runs, type_of(input).shape)), (return_counts, counts))


@computes("bincount")
def _bincount(input: Operand, weights: Operand | None = None, minlength: int = 0) -> Operand:
    expect(type_of(input).ndim == 1 and type_of(input).dtype.kind in "iu")
    expect(minlength >= 0)
    (count,) = type_of(input).shape
    x = ops.cast(input, int64)
    size = minlength
    if count != 0:
        least, most = ops.reduce_min(x, (0,)), ops.reduce_max(x, (0,))
        if not number_of(ops.ge(least, operand(0, int64)), "torch.bincount()"):
            raise RuntimeError("bincount only supports 1-d non-negative integral inputs.")
        size = max(minlength, number_of(most, "torch.bincount()") + 1)
    dtype = int64
    if weights is not None:
        expect(type_of(weights).shape == type_of(input).shape)
        dtype = float32 if type_of(weights).dtype == float32 else float64
    added = operand(1, dtype, (count,)) if weights is None else ops.cast(weights, dtype)
    counts = ops.scatter_nd(operand(0, dtype, (size,)), ops.reshape(x, (count, 1)), added, "add")
    return underived(counts, "derivative for aten::bincount is not implemented", weights)
