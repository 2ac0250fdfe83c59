# SPDX-License-Identifier: Apache-2.0
"""NumPy's functions of sets, and counts, where a gradient must pass, or elements are on a device.

NumPy says at the host which elements, `take` takes them where they are.
"""

from __future__ import annotations

from typing import Any

import numpy

from hybridize import ops
from hybridize.array.functions.searching import take
from hybridize.array.functions.shapes import concatenate, ravel
from hybridize.array.ndarray import wrap
from hybridize.array.operands import array, operand, result
from hybridize.base.dtypes import float32, float64
from hybridize.base.types import TensorType


def unique(
    ar: Any,
    return_index: bool = False,
    return_inverse: bool = False,
    return_counts: bool = False,
    axis: int | None = None,
    **kwargs: Any,
) -> Any:
    """The elements, or the slices along `axis`, that differ, in order; each stands for the first of its like."""
    x = array(ar)
    find: Any = numpy.unique
    _, index, *rest = find(x.asnumpy(), True, return_inverse, return_counts, axis, **kwargs)
    values = take(ravel(x) if axis is None else x, index, axis or 0)
    more = [wrap(part) for part in ([index] if return_index else []) + rest]
    return (values, *more) if more else values


def union1d(ar1: Any, ar2: Any) -> Any:
    """The elements of both that differ, in order."""
    return unique(concatenate([ravel(array(ar1)), ravel(array(ar2))]))


def intersect1d(ar1: Any, ar2: Any, assume_unique: bool = False, return_indices: bool = False) -> Any:
    """The elements that are in both, in order: those of the first."""
    x = array(ar1)
    _, *at = numpy.intersect1d(x.asnumpy(), array(ar2).asnumpy(), assume_unique, True)
    values = take(ravel(x), at[0], 0)
    return (values, *map(wrap, at)) if return_indices else values


def setdiff1d(ar1: Any, ar2: Any, assume_unique: bool = False) -> Any:
    """The elements of the first that are not in the second, in order."""
    x = ravel(array(ar1))
    x = x if assume_unique else unique(x)
    return take(x, numpy.flatnonzero(numpy.isin(x.asnumpy(), array(ar2).asnumpy(), assume_unique, invert=True)), 0)


def bincount(x: Any, /, weights: Any = None, minlength: int = 0) -> Any:
    """The sums of the weights of each number."""
    numbers = array(x).asnumpy()
    counts = numpy.bincount(numbers, minlength=minlength)  # NumPy says what is no number to count
    if weights is None:
        return wrap(counts)
    size, w = len(counts), array(weights)
    w = w.astype(w.dtype if w.dtype == float64 else float32, copy=False)
    start = ops.full(0, TensorType((size,), w.dtype))
    return result(ops.scatter_nd(start, numbers.astype("i8")[:, None], operand(w), "add"))
