# SPDX-License-Identifier: Apache-2.0
"""Phases, and statistics of what is not NaN."""

from __future__ import annotations

import math
from typing import Any

from hybridize.array import functions as np
from hybridize.array.functions.elementwise import root
from hybridize.array.functions.reductions import deviation, mask_of
from hybridize.array.functions.searching import along, merged
from hybridize.array.operands import array, axis_of, cut, finished, public
from hybridize.base.dtypes import int64, is_complex, is_float
from hybridize.base.promotion import floating


@public
def unwrap(p: Any, discont: Any = None, axis: int = -1, *, period: Any = 2 * math.pi) -> Any:
    """Add multiples of `period` so that neighbours along an axis are less than half of it apart.

    Args:
        p: any array.
        discont: the least distance that is mended, half of `period` at least.
        axis: an axis.
        period: what is added.

    >>> np.unwrap(np.array([0, 6.0, 6.2])).round(4)
    array([ 0.    , -0.2832, -0.0832])
    """
    a = array(p)
    along = axis_of(axis, a.ndim, "unwrap")
    whole = isinstance(period, int) and not is_float(a.dtype)
    a = a if whole or is_float(a.dtype) else a.astype(floating(a.dtype))
    apart = np.diff(a, axis=along)
    low = -(period // 2) if whole else -period / 2
    folded = np.add(np.mod(np.subtract(apart, low), period), low)
    if not whole or period % 2 == 0:
        folded = np.where(np.logical_and(np.equal(folded, low), np.greater(apart, 0)), -low, folded)
    limit = period / 2 if discont is None else discont
    turns = np.where(np.less(np.absolute(apart), limit), 0, np.subtract(folded, apart)).astype(a.dtype)
    rest = np.add(cut(a, along, 1, None), np.cumsum(turns, along))
    return np.concatenate([cut(a, along, 1), rest], along)


def _variance(x: Any, axis: Any, ddof: float, keepdims: bool, where: Any, mean: Any) -> Any:
    present = np.logical_not(np.isnan(x))
    present = present if where is True else np.logical_and(present, mask_of(where))
    centre = np.nanmean(x, axis, keepdims=True, where=where) if mean is None else mean
    centred = np.where(present, np.subtract(x, centre), 0.0)
    centred = np.absolute(centred) if is_complex(x.dtype) else centred
    count = np.subtract(np.sum(present, axis, keepdims=keepdims).astype(centred.dtype), ddof)
    count = np.where(np.greater(count, 0), count, math.nan)
    return np.divide(np.sum(np.square(centred), axis, keepdims=keepdims), count)


@deviation(_variance)
def nanvar(variance: Any) -> Any:
    """Return the variance of the elements that are not NaN; arguments are those of `var`.

    `where`, `mean` and `correction` as of `np.var`.

    >>> np.nanvar(np.array([1, np.nan, 3]))
    array(1.)
    """
    return variance


@deviation(_variance)
def nanstd(variance: Any) -> Any:
    """Return the standard deviation of the elements that are not NaN; arguments are those of `var`.

    >>> np.nanstd(np.array([1, np.nan, 3]))
    array(1.)
    """
    return root(variance)


@public
def nanmedian(a: Any, axis: Any = None, out: Any = None, overwrite_input: bool = False, keepdims: bool = False) -> Any:
    """Return the middle of the elements along an axis that are not NaN; arguments are those of `median`.

    >>> np.nanmedian(np.array([1, np.nan, 3, 4]))
    array(3.)
    """
    flat, axis_index, shape = merged(array(a), axis, "nanmedian")
    flat = flat.astype(floating(flat.dtype), copy=False)
    count = np.sum(np.logical_not(np.isnan(flat)), axis_index, keepdims=True).astype(int64)
    ordered = np.sort(flat, axis_index)  # NaN is sorted last
    middle = [np.maximum(np.floor_divide(np.subtract(count, k), 2), 0) for k in (1, 0)]
    both = np.concatenate([along(ordered, at, axis_index) for at in middle], axis_index)
    medians = np.mean(both, axis_index)
    return finished(np.reshape(medians, shape) if keepdims else medians, out)
