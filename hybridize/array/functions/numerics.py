# SPDX-License-Identifier: Apache-2.0
"""Phases, and statistics of what is not NaN."""

from __future__ import annotations

import math
from typing import Any

from hybridize.array.functions.elementwise import (
    absolute,
    add,
    divide,
    equal,
    floor_divide,
    greater,
    isnan,
    less,
    logical_and,
    logical_not,
    maximum,
    mod,
    root,
    square,
    subtract,
)
from hybridize.array.functions.elementwise import where as choose
from hybridize.array.functions.reductions import (
    correction_of,
    cumsum,
    diff,
    mask_of,
    mean,
    nanmean,
    rounded,
    sum,
    summed,
)
from hybridize.array.functions.searching import along, merged, sort
from hybridize.array.functions.shapes import concatenate, reshape
from hybridize.array.operands import array, axis_of, finished, public
from hybridize.base.dtypes import int64, is_complex, is_float
from hybridize.base.promotion import floating


@public
def unwrap(p: Any, discont: Any = None, axis: int = -1, *, period: Any = 2 * math.pi) -> Any:
    """`p`, to which multiples of `period` are added so that neighbours along `axis` are less than half of it apart.

    Args:
        p: any array.
        discont: the least distance that is mended, half of `period` at least.
        axis: an axis.
        period: what is added.
    """
    a = array(p)
    along = axis_of(axis, a.ndim, "unwrap")
    whole = isinstance(period, int) and not is_float(a.dtype)
    a = a if whole or is_float(a.dtype) else a.astype(floating(a.dtype))
    apart = diff(a, axis=along)
    low = -(period // 2) if whole else -period / 2
    folded = add(mod(subtract(apart, low), period), low)
    if not whole or period % 2 == 0:
        folded = choose(logical_and(equal(folded, low), greater(apart, 0)), -low, folded)
    limit = period / 2 if discont is None else discont
    turns = choose(less(absolute(apart), limit), 0, subtract(folded, apart)).astype(a.dtype)
    first = (slice(None),) * along
    return concatenate([a[(*first, slice(0, 1))], add(a[(*first, slice(1, None))], cumsum(turns, along))], along)


@public
def nanvar(
    a: Any, axis: Any = None, dtype: Any = None, out: Any = None, ddof: float = 0, keepdims: bool = False, *,
    where: Any = True, mean: Any = None, correction: float | None = None,
) -> Any:  # fmt: skip
    """The mean square distance from the mean over `axis` of what is not NaN, their number less `ddof`.

    `where`, `mean` and `correction` as of `np.var`.
    """
    x, wanted = summed(a, dtype, out)
    value = _variance(x, axis, correction_of("nanvar", ddof, correction), keepdims, where, mean)
    return finished(rounded(value, wanted), out)


def _variance(x: Any, axis: Any, ddof: float, keepdims: bool, where: Any, mean: Any) -> Any:
    there = logical_not(isnan(x))
    there = there if where is True else logical_and(there, mask_of(where))
    centre = nanmean(x, axis, keepdims=True, where=where) if mean is None else mean
    centred = choose(there, subtract(x, centre), 0.0)
    centred = absolute(centred) if is_complex(x.dtype) else centred
    count = subtract(sum(there, axis, keepdims=keepdims).astype(centred.dtype), ddof)
    return divide(sum(square(centred), axis, keepdims=keepdims), choose(greater(count, 0), count, math.nan))


@public
def nanstd(
    a: Any, axis: Any = None, dtype: Any = None, out: Any = None, ddof: float = 0, keepdims: bool = False, *,
    where: Any = True, mean: Any = None, correction: float | None = None,
) -> Any:  # fmt: skip
    """The square root of the variance over `axis` of what is not NaN; arguments as of `nanvar`."""
    x, wanted = summed(a, dtype, out)
    value = root(_variance(x, axis, correction_of("nanstd", ddof, correction), keepdims, where, mean))
    return finished(rounded(value, wanted), out)


@public
def nanmedian(a: Any, axis: Any = None, out: Any = None, overwrite_input: bool = False, keepdims: bool = False) -> Any:
    """The middle along `axis` of what is not NaN; NaN where nothing else is there."""
    flat, axis_index, kept = merged(array(a), axis, "nanmedian")
    flat = flat.astype(floating(flat.dtype), copy=False)
    count = sum(logical_not(isnan(flat)), axis_index, keepdims=True).astype(int64)
    ordered = sort(flat, axis_index)  # NaN is sorted last
    middle = [maximum(floor_divide(subtract(count, k), 2), 0) for k in (1, 0)]
    found = mean(concatenate([along(ordered, at, axis_index) for at in middle], axis_index), axis_index, keepdims=True)
    return finished(
        reshape(found, kept if keepdims else tuple(n for k, n in enumerate(flat.shape) if k != axis_index)), out
    )
