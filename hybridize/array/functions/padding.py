# SPDX-License-Identifier: Apache-2.0
"""Elements around an array: numbers, its own elements again, or statistics of those at its ends."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy

from hybridize import ops
from hybridize.array import functions as np
from hybridize.array.functions.elementwise import copy
from hybridize.array.ndarray import ndarray
from hybridize.array.operands import array as array_of
from hybridize.array.operands import axis_of, cast, cut, operand, public, result
from hybridize.array.symbol import Symbol
from hybridize.base import dims
from hybridize.base.dtypes import float32, is_integer
from hybridize.base.errors import ArgumentError, ShapeError, ValueArgumentError
from hybridize.ops.library.padding import MODES, padded
from hybridize.ops.op import bind1

_STATISTICS: dict[str, Callable[..., Any]] = {
    "maximum": np.max,
    "minimum": np.min,
    "mean": np.mean,
    "median": np.median,
}
_ALL = (*MODES, *_STATISTICS, "linear_ramp", "empty")


def _pad_widths(pad_width: Any, ndim: int) -> list[list[int]]:
    """Return for each axis how much wider it becomes at its two ends."""
    if isinstance(pad_width, dict):
        widths: list[list[int]] = [[0, 0] for _ in range(ndim)]
        for axis, pair in pad_width.items():
            widths[axis_of(axis, ndim, "pad")] = [pair, pair] if isinstance(pair, int) else list(pair)
        return widths
    rows = pad_width if isinstance(pad_width, (tuple, list)) else ()
    if len(rows) == ndim and any(isinstance(row, tuple) and len(row) == 2 and not dims.known(row) for row in rows):
        return [list(row) for row in rows]
    numbers = numpy.asarray(pad_width)
    if numbers.size and numbers.dtype.kind not in "iub":
        raise ArgumentError("E308", f"pad: widths must be integers, got {pad_width!r}")
    widths = numpy.broadcast_to(numbers.astype(numpy.int64), (ndim, 2)).tolist()
    return widths


@public
def pad(
    array: Any,
    pad_width: Any,
    mode: Any = "constant",
    *,
    constant_values: Any = 0,
    end_values: Any = 0,
    stat_length: Any = None,
) -> Any:
    """Return an array that is wider by `pad_width` elements at both ends of each axis.

    Args:
        array: any array.
        pad_width: an integer, a pair (before, after), or a pair for each axis; or a dict of pairs by axes.
        mode: constant, edge, reflect, symmetric, wrap, maximum, minimum, mean, median, linear_ramp or empty (zeros), as
            in NumPy.
        constant_values: the numbers that `constant` fills in; in the forms of `pad_width`.
        end_values: the numbers where `linear_ramp` ends.
        stat_length: how many elements at an end a statistic is of; None: all along the axis.

    >>> np.pad(np.array([1, 2]), (1, 2), constant_values=9)
    array([9., 1., 2., 9., 9.])
    >>> np.pad(np.array([1, 2, 3]), 1, mode="reflect")
    array([2., 1., 2., 3., 2.])
    """
    x = array_of(array)
    widths = _pad_widths(pad_width, x.ndim)
    if any(width < 0 for pair in widths for width in pair):
        raise ValueArgumentError("E345", f"pad: widths must not be negative, got {pad_width!r}")
    if mode not in _ALL:
        raise ArgumentError("E310", f"pad: no mode {mode!r}", help=f"one of {', '.join(_ALL)}")
    if mode in ("constant", "empty"):
        return _with_constants(x, widths, 0 if mode == "empty" else constant_values)
    ends = _pairs(end_values, x.ndim)
    lengths = [(None, None)] * x.ndim if stat_length is None else _pad_widths(stat_length, x.ndim)
    for axis, (before, after) in enumerate(widths):
        if not before and not after:
            continue
        if mode in MODES:
            x = result(padded(operand(x), axis, before, after, mode))
        elif not x.shape[axis]:
            raise ShapeError("E135", f"pad: {mode} of {x.type} along axis {axis}, which is empty")
        elif mode == "linear_ramp":
            x = _ramped(x, axis, before, after, ends[axis])
        else:
            x = _extended(x, axis, before, after, _STATISTICS[mode], lengths[axis])
    return x if x is not array else copy(x)


def _pairs(numbers: Any, ndim: int) -> list[list[Any]]:
    """Two numbers for each axis, which may be values of a program."""
    if not isinstance(numbers, (tuple, list)):
        return [[numbers, numbers] for _ in range(ndim)]
    rows = list(numbers)
    if not any(isinstance(row, (tuple, list)) for row in rows):
        return [rows * 2 if len(rows) == 1 else rows for _ in range(ndim)]
    rows = [list(row) * 2 if len(row) == 1 else list(row) for row in rows]
    rows = rows * ndim if len(rows) == 1 else rows
    if len(rows) != ndim or any(len(row) != 2 for row in rows):
        raise ShapeError("E135", f"pad: {numbers!r} must be one pair for each of {ndim} axes", help="give one for each")
    return rows


def _with_constants(x: Any, widths: list[list[int]], values: Any) -> Any:
    if not isinstance(values, (tuple, list)) and getattr(values, "ndim", 0) == 0:
        low, high = tuple(before for before, _ in widths), tuple(after for _, after in widths)
        return result(bind1(ops.Pad(low, high), operand(x), cast(operand(values), x.dtype)))
    values = values.tolist() if isinstance(values, (ndarray, Symbol, numpy.ndarray)) else values
    for axis, ((before, after), (first, last)) in enumerate(zip(widths, _pairs(values, x.ndim), strict=True)):
        parts = [np.full(_along(x, axis, n), one, x.dtype) for n, one in ((before, first), (after, last))]
        x = np.concatenate([parts[0], x, parts[1]], axis)
    return x


def _along(x: Any, axis: int, length: int) -> tuple[int, ...]:
    """The shape of an array with another length of one axis."""
    return tuple(length if k == axis else size for k, size in enumerate(x.shape))


def _extended(x: Any, axis: int, before: int, after: int, statistic: Any, lengths: Any) -> Any:
    """`x` with a statistic of the elements at each end beyond it."""
    size = x.shape[axis]
    parts = []
    for width, length, first in ((before, lengths[0], True), (after, lengths[1], False)):
        count = size if length is None else min(length, size)
        if not count:
            raise ValueArgumentError("E345", "pad: stat_length must be 1 or more, got 0")
        end = cut(x, axis, count) if first else cut(x, axis, size - count, size)
        value = statistic(end, axis=axis, keepdims=True)
        value = np.rint(value) if is_integer(x.dtype) and not is_integer(value.dtype) else value
        parts.append(np.broadcast_to(np.astype(value, x.dtype, copy=False), _along(x, axis, width)))
    return np.concatenate([parts[0], x, parts[1]], axis)


def _ramped(x: Any, axis: int, before: int, after: int, ends: list[Any]) -> Any:
    """`x` with even steps from its ends to two numbers."""
    wide = x if not is_integer(x.dtype) else x.astype(float32 if x.dtype.itemsize < 4 else "float64")
    parts = []
    for width, end, first in ((before, ends[0], True), (after, ends[1], False)):
        edge = cut(wide, axis, 1) if first else cut(wide, axis, -1, None)
        number = np.arange(width, dtype=wide.dtype)
        share = number if first else number[::-1]
        share = np.reshape(share, tuple(-1 if k == axis else 1 for k in range(x.ndim))) / max(width, 1)
        ramp = (edge - end) * share + end
        ramp = np.floor(ramp) if is_integer(x.dtype) else ramp  # as `linspace`
        parts.append(np.astype(ramp, x.dtype, copy=False))
    return np.concatenate([parts[0], x, parts[1]], axis)
