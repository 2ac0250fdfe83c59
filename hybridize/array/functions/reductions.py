# SPDX-License-Identifier: Apache-2.0
"""Functions of many elements: sums, extremes, their positions, running sums, moments."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy

from hybridize import ops
from hybridize.array.functions.elementwise import (
    absolute,
    copy,
    divide,
    equal,
    exp,
    isnan,
    log,
    logical_not,
    maximum,
    minimum,
    multiply,
    not_equal,
    root,
    square,
    subtract,
    where,
)
from hybridize.array.functions.shapes import expand_dims, ravel, reshape
from hybridize.array.ndarray import ndarray, wrap
from hybridize.array.operands import array, axes_of, axis_of, cast, finished, operand, public, reduced_axes, result
from hybridize.base.access import ACCESS
from hybridize.base.dims import is_symbolic
from hybridize.base.dtypes import as_dtype, bool_, float32, float64, is_float
from hybridize.base.errors import ArgumentError, ShapeError
from hybridize.base.promotion import accumulator, floating
from hybridize.ops.op import ACTIVE, Op, bind1

_NUMPY = numpy.ndarray


def _direct(reduce: Callable[..., Any], a: Any, axis: Any, keepdims: Any) -> Any:
    """NumPy's own reduction of a float array when nobody captures; None where that is not it."""
    if type(a) is ndarray and not ACTIVE and (axis is None or type(axis) is int):
        data = a._data
        given = data.dtype
        if (given is float32 or given is float64) and data.size:
            writes = ACCESS.writes
            try:
                data = reduce(data, axis, None, None, bool(keepdims))
            except ValueError:
                return None
            if ACCESS.writes is not writes:
                return None  # it may have been written meanwhile
            return wrap(data if type(data) is _NUMPY else numpy.asarray(data))
    return None


def _reduce(make: Callable[[tuple[int, ...]], Op], x: Any, axis: Any, keepdims: bool, name: str) -> Any:
    """Apply a reduction op to an array, over normalised axes."""
    axes = reduced_axes(axis, x.ndim, name)
    if not axes:
        return copy(x) if name in ("sum", "prod", "max", "min") else x.astype(bool)
    reduced = result(bind1(make(axes), operand(x)))
    return _kept(reduced, x.shape, axes) if keepdims else reduced


def _kept(reduced: Any, shape: tuple[int, ...], axes: tuple[int, ...]) -> Any:
    return reshape(reduced, tuple(1 if i in axes else length for i, length in enumerate(shape)))


def _sum(name: str, op: Callable[[tuple[int, ...]], Op], reduce: Callable[..., Any], text: str) -> Callable[..., Any]:
    def function(
        a: Any, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: bool = False, initial: Any = None
    ) -> Any:
        if out is None and dtype is None and initial is None:
            direct = _direct(reduce, a, axis, keepdims)
            if direct is not None:
                return direct
        x = array(a)
        wanted = accumulator(x.dtype) if dtype is None else as_dtype(dtype)
        if x.dtype != wanted:
            x = x.astype(wanted)
        total = _reduce(op, x, axis, keepdims, name)
        if initial is not None:
            start = result(cast(operand(initial), wanted))
            total = total + start if name == "sum" else total * start
        return finished(total, out)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = text
    return public(function)


def _extreme(name: str, op: Callable[[tuple[int, ...]], Op], reduce: Callable[..., Any], pair: Any, text: str) -> Any:
    def function(a: Any, axis: Any = None, out: Any = None, keepdims: bool = False, initial: Any = None) -> Any:
        if out is None and initial is None:
            direct = _direct(reduce, a, axis, keepdims)
            if direct is not None:
                return direct
        x = array(a)
        axes = reduced_axes(axis, x.ndim, name)
        if not math.prod(x.shape[i] for i in axes):
            if initial is None:
                raise ShapeError(
                    "E109", f"{name} of {x.type} over no elements", help="say initial=, or test x.size first"
                )
            shape = tuple(1 if i in axes else n for i, n in enumerate(x.shape) if keepdims or i not in axes)
            return finished(copy(result(bind1(ops.Broadcast(shape), cast(operand(initial), x.dtype)))), out)
        best = _reduce(op, x, axis, keepdims, name)
        return finished(best if initial is None else pair(best, result(cast(operand(initial), x.dtype))), out)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = text
    return public(function)


sum = _sum(
    "sum", ops.Sum, numpy.add.reduce, "The sum over `axis` (all axes when None); integers and bools sum in 64 bits."
)
prod = _sum("prod", ops.Prod, numpy.multiply.reduce, "The product over `axis`; integers and bools in 64 bits.")
max = _extreme(
    "max", ops.ReduceMax, numpy.maximum.reduce, maximum, "The largest element over `axis`; NaN where there is one."
)
min = _extreme(
    "min", ops.ReduceMin, numpy.minimum.reduce, minimum, "The smallest element over `axis`; NaN where there is one."
)


@public
def any(a: Any, axis: Any = None, out: Any = None, keepdims: bool = False) -> Any:
    """True where any element over `axis` is true (not zero)."""
    x = array(a)
    return finished(_reduce(ops.Any, x if x.dtype == bool_ else not_equal(x, 0), axis, keepdims, "any"), out)


@public
def all(a: Any, axis: Any = None, out: Any = None, keepdims: bool = False) -> Any:
    """True where all elements over `axis` are true (not zero)."""
    x = array(a)
    return finished(_reduce(ops.All, x if x.dtype == bool_ else not_equal(x, 0), axis, keepdims, "all"), out)


def _count(x: Any, axis: Any, name: str) -> int:
    return math.prod(x.shape[i] for i in axes_of(axis, x.ndim, name))


def _number(count: Any) -> Any:
    """A count to compute with."""
    return count if is_symbolic(count) else float(count)


@public
def mean(a: Any, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: bool = False) -> Any:
    """The arithmetic mean over `axis`; of integers float32, of no elements NaN."""
    if dtype is None and out is None:
        total = _direct(numpy.add.reduce, a, axis, keepdims)
        if total is not None:
            data = total._data
            if axis is not None:
                axis_of(axis, a._data.ndim, "mean")  # NumPy sums one element along axis 0, but has no mean of it
            data /= a._data.size if axis is None else a._data.shape[axis]
            return total
    x = array(a)
    wanted = floating(x.dtype) if dtype is None else as_dtype(dtype)
    count = _count(x, axis, "mean")
    total = sum(x if x.dtype == wanted else x.astype(wanted), axis, keepdims=keepdims)
    value = divide(total, _number(count))
    return finished(value if value.dtype == wanted else value.astype(wanted), out)


@public
def average(a: Any, axis: Any = None, weights: Any = None, returned: bool = False) -> Any:
    """The mean over `axis`, each element weighted; with `returned` also the sum of the weights."""
    x = array(a)
    if weights is None:
        value = mean(x, axis)
        total = multiply(ones_of(value), _number(_count(x, axis, "average")))
    else:
        w = array(weights)
        if w.shape != x.shape:
            if w.ndim != 1 or axis is None:
                raise ShapeError(
                    "E131", f"average: weights {w.type} do not fit {x.type}", help="give axis= for a vector of weights"
                )
            axis_index = axis_of(axis, x.ndim, "average")
            w = reshape(w, tuple(-1 if i == axis_index else 1 for i in range(x.ndim)))
        ones = ones_of(x)
        total = sum(w * ones, axis)
        value = divide(sum((x * ones) * w, axis), total)
    return (value, total) if returned else value


def ones_of(x: Any) -> Any:
    """Ones of the shape and dtype of `x`."""
    return result(bind1(ops.Broadcast(x.shape), cast(1, floating(x.dtype))))


@public
def var(a: Any, axis: Any = None, dtype: Any = None, out: Any = None, ddof: float = 0, keepdims: bool = False) -> Any:
    """The mean square distance from the mean over `axis`, divided by n - ddof."""
    x = array(a)
    wanted = floating(x.dtype) if dtype is None else as_dtype(dtype)
    x = x if x.dtype == wanted else x.astype(wanted)
    centred = subtract(x, mean(x, axis, keepdims=True))
    count = _count(x, axis, "var") - ddof
    return finished(divide(sum(square(centred), axis, keepdims=keepdims), _number(count if count > 0 else 0)), out)


@public
def std(a: Any, axis: Any = None, dtype: Any = None, out: Any = None, ddof: float = 0, keepdims: bool = False) -> Any:
    """The square root of the variance over `axis`."""
    return finished(root(var(a, axis, dtype, None, ddof, keepdims)), out)


def _arg_reduction(name: str, op: Callable[[int], Op], text: str) -> Callable[..., Any]:
    method = getattr(numpy.ndarray, name)

    def function(a: Any, axis: int | None = None, out: Any = None, keepdims: bool = False) -> Any:
        if type(a) is ndarray and not ACTIVE and out is None and type(axis) is int and not keepdims:
            writes = ACCESS.writes
            try:
                found = method(a._data, axis)
            except (ValueError, TypeError):  # bfloat16 is no number to NumPy
                found = None
            if found is not None and ACCESS.writes is writes:
                return wrap(found if type(found) is _NUMPY else numpy.asarray(found))
        x = array(a)
        reduced_axes(axis, x.ndim, name)
        flat = ravel(x) if axis is None or not x.ndim else x
        along = axis_of(0 if axis is None else axis, flat.ndim, name)
        if not flat.shape[along]:
            raise ShapeError("E109", f"{name} of {x.type} over no elements")
        found = result(bind1(op(along), operand(flat)))
        if keepdims:
            found = reshape(found, (1,) * x.ndim) if axis is None or not x.ndim else expand_dims(found, along)
        return finished(found, out)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = text
    return public(function)


argmax = _arg_reduction(
    "argmax", ops.ArgMax, "The index of the first largest element along `axis`, int64; of NaN where there is one."
)
argmin = _arg_reduction(
    "argmin", ops.ArgMin, "The index of the first smallest element along `axis`, int64; of NaN where there is one."
)


def _running(name: str, op: Callable[[int], Op], text: str) -> Callable[..., Any]:
    def function(a: Any, axis: int | None = None, dtype: Any = None, out: Any = None) -> Any:
        x = array(a)
        wanted = accumulator(x.dtype) if dtype is None else as_dtype(dtype)
        x = ravel(x) if axis is None or not x.ndim else x
        along = axis_of(0 if axis is None else axis, x.ndim, name)
        return finished(result(bind1(op(along), cast(operand(x), wanted))), out)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = text
    return public(function)


cumsum = _running("cumsum", ops.CumSum, "The sums of all elements up to each, along `axis` (flat when None).")
cumprod = _running("cumprod", ops.CumProd, "The products of all elements up to each, along `axis` (flat when None).")


@public
def ptp(a: Any, axis: Any = None, out: Any = None, keepdims: bool = False) -> Any:
    """The largest element less the smallest, over `axis`."""
    return finished(subtract(max(a, axis, keepdims=keepdims), min(a, axis, keepdims=keepdims)), out)


@public
def count_nonzero(a: Any, axis: Any = None, *, keepdims: bool = False) -> Any:
    """Count the elements over `axis` that are not zero, as int64."""
    x = array(a)
    return sum(x if x.dtype == bool_ else not_equal(x, 0), axis, keepdims=keepdims)


@public
def logsumexp(a: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """log(sum(exp(x))) over `axis`, without overflow."""
    x = array(a)
    top = max(x, axis, keepdims=True)
    top = where(equal(absolute(top), math.inf), 0.0, top)
    total = log(sum(exp(subtract(x, top)), axis, keepdims=True)) + top
    return (
        total
        if keepdims
        else reshape(total, tuple(n for i, n in enumerate(x.shape) if i not in axes_of(axis, x.ndim, "logsumexp")))
    )


def _without_nan(x: Any, instead: float) -> Any:
    return where(isnan(x), instead, x) if is_float(x.dtype) else x


@public
def nansum(a: Any, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: bool = False) -> Any:
    """The sum over `axis`, NaN counted as 0."""
    return sum(_without_nan(array(a), 0.0), axis, dtype, out, keepdims)


@public
def nanprod(a: Any, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: bool = False) -> Any:
    """The product over `axis`, NaN counted as 1."""
    return prod(_without_nan(array(a), 1.0), axis, dtype, out, keepdims)


@public
def nanmean(a: Any, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: bool = False) -> Any:
    """The mean over `axis` of what is not NaN."""
    x = array(a)
    return finished(
        divide(nansum(x, axis, dtype, None, keepdims), sum(logical_not(isnan(x)), axis, keepdims=keepdims)), out
    )


def _nan_extreme(x: Any, axis: Any, keepdims: bool, reduce: Any, worst: float) -> Any:
    """The extreme of what is not NaN; NaN where nothing else is there."""
    best = reduce(_without_nan(x, worst), axis, keepdims=keepdims)
    return where(all(isnan(x), axis, keepdims=keepdims), math.nan, best) if is_float(x.dtype) else best


@public
def nanmax(a: Any, axis: Any = None, out: Any = None, keepdims: bool = False) -> Any:
    """The largest element over `axis` that is not NaN."""
    return finished(_nan_extreme(array(a), axis, keepdims, max, -math.inf), out)


@public
def nanmin(a: Any, axis: Any = None, out: Any = None, keepdims: bool = False) -> Any:
    """The smallest element over `axis` that is not NaN."""
    return finished(_nan_extreme(array(a), axis, keepdims, min, math.inf), out)


@public
def diff(a: Any, n: int = 1, axis: int = -1) -> Any:
    """Each element less the one before it along `axis`, `n` times."""
    if n < 0:
        raise ArgumentError("E308", f"diff: n must not be negative, got {n}")
    x = array(a)
    along = axis_of(axis, x.ndim, "diff")
    before = (slice(None),) * along
    for _ in range(n):
        later, earlier = x[(*before, slice(1, None))], x[(*before, slice(None, -1))]
        x = not_equal(later, earlier) if x.dtype == bool_ else subtract(later, earlier)
    return x


@public
def ediff1d(ary: Any) -> Any:
    """Each element of the flat array less the one before it."""
    return diff(ravel(ary))


@public
def trapezoid(y: Any, x: Any = None, dx: float = 1.0, axis: int = -1) -> Any:
    """The integral of `y` along `axis` by the trapezoidal rule."""
    y = array(y)
    y = y.astype(floating(y.dtype), copy=False)
    along = axis_of(axis, y.ndim, "trapezoid")
    before = (slice(None),) * along
    middle = multiply(y[(*before, slice(1, None))] + y[(*before, slice(None, -1))], 0.5)
    if x is None:
        return multiply(sum(middle, along), dx)
    points = array(x)
    steps = diff(points.astype(floating(points.dtype), copy=False))
    if steps.ndim == 1:
        steps = reshape(steps, tuple(-1 if i == along else 1 for i in range(y.ndim)))
    return sum(middle * steps, along)
