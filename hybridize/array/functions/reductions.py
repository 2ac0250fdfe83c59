# SPDX-License-Identifier: Apache-2.0
"""Functions of many elements: sums, extremes, their positions, running sums, moments."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import wraps
from typing import Any

import numpy

from hybridize import ops
from hybridize.array import functions as np
from hybridize.array import operands
from hybridize.array.functions.elementwise import copy, root
from hybridize.array.ndarray import at_once, ndarray
from hybridize.array.policies import like_safely, promoted
from hybridize.base.dims import is_symbolic
from hybridize.base.dtypes import DType, as_dtype, bool_, castable, float32, float64, is_complex, is_float, is_inexact
from hybridize.base.errors import ArgumentError, DTypeError, ShapeError, ValueArgumentError
from hybridize.base.promotion import accumulator, floating
from hybridize.ops.op import ACTIVE, Op, bind1
from hybridize.ops.views import wide


def _direct(reduce: Callable[..., Any], a: Any, axis: Any, keepdims: Any) -> Any:
    """NumPy's own reduction of a float array when nobody captures; None where that is not it."""
    if type(a) is ndarray and not ACTIVE and (axis is None or type(axis) is int):
        data = a._data
        if (data.dtype is float32 or data.dtype is float64) and data.size:
            return at_once(reduce, data, axis, None, None, bool(keepdims))
    return None


def _reduce(make: Callable[[tuple[int, ...]], Op], x: Any, axis: Any, keepdims: bool, name: str) -> Any:
    """Apply a reduction op to an array, over normalised axes."""
    axes = operands.reduced_axes(axis, x.ndim, name)
    if not axes:
        return copy(x) if name in ("sum", "prod", "max", "min") else x.astype(bool)
    reduced = operands.result(bind1(make(axes), operands.operand(x)))
    return np.reshape(reduced, [1 if k in axes else n for k, n in enumerate(x.shape)]) if keepdims else reduced


def _chosen(x: Any, mask: Any, instead: Any) -> Any:
    """`x` with a number in the place of the elements that are not chosen; stretched where the mask is larger."""
    return np.where(mask_of(mask), x, operands.result(operands.cast(operands.operand(instead), x.dtype)))


def mask_of(mask: Any) -> Any:
    """The bools of a `where=`.

    Raises:
        DTypeError E208: they are none.
    """
    chosen = operands.array(mask)
    if chosen.dtype != bool_:
        raise DTypeError("E208", f"where= takes bools, got {chosen.type}", help="compare with 0: x != 0")
    return chosen


def _sum(name: str, op: Callable[[tuple[int, ...]], Op], reduce: Callable[..., Any], text: str) -> Callable[..., Any]:
    def function(
        a: Any,
        axis: Any = None,
        dtype: Any = None,
        out: Any = None,
        keepdims: bool = False,
        initial: Any = None,
        where: Any = True,
    ) -> Any:
        if out is None and dtype is None and initial is None and where is True:
            direct = _direct(reduce, a, axis, keepdims)
            if direct is not None:
                return direct
        x = operands.array(a)
        if where is not True:
            x = _chosen(x, where, 0 if name == "sum" else 1)
        wanted = _dtype_of_result(dtype, out, accumulator(x.dtype))
        shorter = is_float(wanted) and is_float(x.dtype) and wanted.itemsize < x.dtype.itemsize
        if x.dtype != wanted and not shorter:  # a shorter float is what the result is rounded to, once
            x = x.astype(wanted)
        total = _reduce(op, x, axis, keepdims, name)
        total = total.astype(wanted) if shorter else total
        if initial is not None:
            start = operands.result(operands.cast(operands.operand(initial), wanted))
            total = total + start if name == "sum" else total * start
        return operands.finished(total, out)

    return operands.described(function, name, text)


def _extreme(name: str, op: Callable[[tuple[int, ...]], Op], reduce: Callable[..., Any], pair: Any, text: str) -> Any:
    def function(
        a: Any, axis: Any = None, out: Any = None, keepdims: bool = False, initial: Any = None, where: Any = True
    ) -> Any:
        if out is None and initial is None and where is True:
            direct = _direct(reduce, a, axis, keepdims)
            if direct is not None:
                return direct
        x = operands.array(a)
        if where is not True:
            if initial is None:
                raise ValueArgumentError("E345", f"{name}: where= may select no elements", help="pass initial=")
            x = _chosen(x, where, initial)
        axes = operands.reduced_axes(axis, x.ndim, name)
        if not math.prod(x.shape[i] for i in axes):
            if initial is None:
                raise ShapeError("E109", f"{name} of {x.type} over no elements", help="pass initial= or test x.size")
            shape = tuple(1 if i in axes else n for i, n in enumerate(x.shape) if keepdims or i not in axes)
            return operands.finished(
                copy(operands.result(bind1(ops.Broadcast(shape), operands.cast(operands.operand(initial), x.dtype)))),
                out,
            )
        best = _reduce(op, x, axis, keepdims, name)
        return operands.finished(
            best if initial is None else pair(best, operands.result(operands.cast(operands.operand(initial), x.dtype))),
            out,
        )

    return operands.described(function, name, text)


sum: Callable[..., Any] = _sum(
    "sum", ops.Sum, numpy.add.reduce, "The sum over `axis` (all when None); integers and bools sum in 64 bits."
)
prod: Callable[..., Any] = _sum(
    "prod", ops.Prod, numpy.multiply.reduce, "The product over `axis`; integers and bools in 64 bits."
)
max: Any = _extreme(
    "max", ops.ReduceMax, numpy.maximum.reduce, np.maximum, "The largest element over `axis`; NaN if any is."
)
min: Any = _extreme(
    "min", ops.ReduceMin, numpy.minimum.reduce, np.minimum, "The smallest element over `axis`; NaN if any is."
)
shared_max: Any = _extreme(
    "max", ops.SharedReduceMax, numpy.maximum.reduce, np.maximum, "`max`, whose ties share slopes."
)
shared_min: Any = _extreme(
    "min", ops.SharedReduceMin, numpy.minimum.reduce, np.minimum, "`min`, whose ties share slopes."
)


def _truth(x: Any) -> Any:
    return x if x.dtype == bool_ else np.not_equal(x, 0)


@operands.public
def any(a: Any, axis: Any = None, out: Any = None, keepdims: bool = False, *, where: Any = True) -> Any:
    """Return whether any element over an axis is true (not zero), as bools.

    Args:
        a: an array.
        axis: an axis, several in a tuple, or None for all.
        out: an array that the result is written to.
        keepdims: reduced axes stay with size 1.
        where: bools: the elements that count.

    >>> np.any(np.array([[1, 0], [0, 0]]), axis=1)
    array([ True, False])
    """
    x = _truth(operands.array(a))
    x = x if where is True else _chosen(x, where, False)
    return operands.finished(_reduce(ops.Any, x, axis, keepdims, "any"), out)


@operands.public
def all(a: Any, axis: Any = None, out: Any = None, keepdims: bool = False, *, where: Any = True) -> Any:
    """Return whether all elements over an axis are true (not zero), as bools.

    Args:
        a: an array.
        axis: an axis, several in a tuple, or None for all.
        out: an array that the result is written to.
        keepdims: reduced axes stay with size 1.
        where: bools: the elements that count.

    >>> np.all(np.array([[1, 0], [2, 3]]), axis=1)
    array([False,  True])
    """
    x = _truth(operands.array(a))
    x = x if where is True else _chosen(x, where, True)
    return operands.finished(_reduce(ops.All, x, axis, keepdims, "all"), out)


def _count(x: Any, axis: Any, name: str) -> int:
    return math.prod(x.shape[i] for i in operands.axes_of(axis, x.ndim, name))


def _number(count: Any) -> Any:
    """A count to compute with."""
    return count if is_symbolic(count) else float(count)


def _chosen_count(x: Any, axis: Any, mask: Any, dtype: Any) -> Any:
    """The number of elements over `axis` that a mask chooses, with reduced axes kept."""
    return sum(np.broadcast_to(mask_of(mask), x.shape), axis, keepdims=True).astype(dtype)


def _dtype_of_result(dtype: Any, out: Any, own: DType) -> DType:
    """The dtype that a call asks for: a sum that goes into wider numbers is one of those."""
    if dtype is not None:
        return as_dtype(dtype)
    wider = out is not None and is_inexact(own) and castable(own, getattr(out, "dtype", own), "safe")
    return out.dtype if wider else own


def summed(a: Any, dtype: Any, out: Any = None) -> tuple[Any, DType]:
    """An array in the dtype that its sums and counts are kept in, and the dtype of the result."""
    x = operands.array(a)
    wanted = _dtype_of_result(dtype, out, floating(x.dtype))
    sum_dtype = wide(wanted)
    return x if x.dtype == sum_dtype else x.astype(sum_dtype), wanted


def rounded(x: Any, dtype: DType) -> Any:
    """A result in the dtype that a call gives; that of complex numbers may be of real ones."""
    return x if x.dtype == dtype or is_complex(dtype) else x.astype(dtype)


@operands.public
def mean(
    a: Any, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: bool = False, *, where: Any = True
) -> Any:
    """Return the arithmetic mean over an axis; NaN of no elements.

    Integers give float32, where NumPy gives float64.

    Args:
        a: an array.
        axis: an axis, several in a tuple, or None for all.
        dtype: to compute in, and of the result.
        out: an array that the result is written to.
        keepdims: reduced axes stay with size 1.
        where: bools: the elements that count.

    >>> np.mean(np.array([[1, 2], [3, 6]]), axis=0)
    array([2., 4.])
    """
    if dtype is None and out is None and where is True:
        total = _direct(numpy.add.reduce, a, axis, keepdims)
        if total is not None:
            data = total._data
            if axis is not None:
                operands.axis_of(
                    axis, a._data.ndim, "mean"
                )  # NumPy sums one element along axis 0, but has no mean of it
            data /= a._data.size if axis is None else a._data.shape[axis]
            return total
    x, wanted = summed(a, dtype, out)
    if where is True:
        value = np.divide(sum(x, axis, keepdims=keepdims), _number(_count(x, axis, "mean")))
    else:
        value = np.divide(sum(x, axis, keepdims=True, where=where), _chosen_count(x, axis, where, x.dtype))
        value = value if keepdims else _dropped(value, x, axis, "mean")
    return operands.finished(rounded(value, wanted), out)


def _dropped(value: Any, x: Any, axis: Any, name: str) -> Any:
    """A reduction of `x` without the axes that were kept."""
    axes = operands.axes_of(axis, x.ndim, name)
    return np.reshape(value, tuple(length for k, length in enumerate(value.shape) if k not in axes))


@promoted("a", "weights", to=floating)
def average(a: Any, axis: Any = None, weights: Any = None, returned: bool = False, *, keepdims: bool = False) -> Any:
    """Return the weighted mean over an axis.

    Args:
        a: an array.
        axis: an axis, several in a tuple, or None for all.
        weights: of the elements, or of the positions along the axis; None: all weigh the same.
        returned: also give the sum of the weights.
        keepdims: reduced axes stay with size 1.

    >>> np.average(np.array([1, 2, 3]), weights=np.array([3, 1, 0]))
    array(1.25)
    """
    if weights is None:
        x = a
        value = mean(x, axis, keepdims=keepdims)
        total = np.multiply(ones_of(value), _number(_count(x, axis, "average")))
    else:
        (x, wanted), w = summed(a, None), summed(weights, None)[0]
        if w.shape != x.shape:
            axes = operands.axes_of(axis, x.ndim, "average")
            if axis is None or w.shape != tuple(x.shape[i] for i in axes):
                raise ShapeError("E131", f"average: weights {w.type} for {x.type}", help="pass axis= with a vector")
            w = np.reshape(w, tuple(x.shape[i] if i in axes else 1 for i in range(x.ndim)))
        total = sum(np.broadcast_to(w, x.shape), axis, keepdims=keepdims)
        value = np.divide(sum(x * w, axis, keepdims=keepdims), total).astype(wanted, copy=False)
        total = total.astype(wanted, copy=False)
    return (value, total) if returned else value


def ones_of(x: Any) -> Any:
    """Ones of the shape and dtype of `x`."""
    return operands.result(bind1(ops.Broadcast(x.shape), operands.cast(1, floating(x.dtype))))


def _variance(x: Any, axis: Any, ddof: float, keepdims: bool, where: Any, mean: Any) -> Any:
    centred = np.subtract(x, _mean(x, axis, keepdims=True, where=where) if mean is None else mean)
    masked = where is not True
    squares = np.square(np.absolute(centred) if is_complex(centred.dtype) else centred)
    total = sum(squares, axis, keepdims=keepdims or masked, where=where)
    if not masked:
        count = _count(x, axis, "var") - ddof
        return np.divide(total, _number(count if count > 0 else 0))
    value = np.divide(total, np.maximum(np.subtract(_chosen_count(x, axis, where, total.dtype), ddof), 0))
    return value if keepdims else _dropped(value, x, axis, "var")


_mean = mean


def deviation(variance: Callable[..., Any]) -> Callable[[Callable[[Any], Any]], Callable[..., Any]]:
    """Make a function of the variance one of arrays; `variance` computes that."""

    def decorate(function: Callable[[Any], Any]) -> Callable[..., Any]:
        name = function.__name__

        def call(
            a: Any, axis: Any = None, dtype: Any = None, out: Any = None, ddof: float = 0, keepdims: bool = False, *,
            where: Any = True, mean: Any = None, correction: float | None = None,
        ) -> Any:  # fmt: skip
            if correction is not None and ddof != 0:
                raise ArgumentError("E344", f"{name}: ddof and correction mean the same, got both", help="pass one")
            x, wanted = summed(a, dtype, out)
            value = variance(x, axis, ddof if correction is None else correction, keepdims, where, mean)
            return operands.finished(rounded(function(value), wanted), out)

        return operands.described(call, name, str(function.__doc__))

    return decorate


@deviation(_variance)
def var(variance: Any) -> Any:
    """Return the variance over an axis: the mean square distance from the mean.

    Args:
        a: any array.
        axis: an axis, several, or None: all elements.
        dtype: in which it is computed.
        out: where to write the result.
        ddof: the sum of squares is divided by n - ddof.
        keepdims: keep reduced axes with size 1.
        where: bools: the elements that count.
        mean: the mean, with reduced axes kept, where it is known.
        correction: the same as `ddof`.

    >>> np.var(np.array([1, 3, 5, 7]))
    array(5.)
    """
    return variance


@deviation(_variance)
def std(variance: Any) -> Any:
    """Return the standard deviation over an axis: the square root of the variance; arguments are those of `var`.

    >>> np.std(np.array([1, 3, 5, 7])).round(4)
    array(2.2361)
    """
    return root(variance)


def _arg_reduction(name: str, op: Callable[[int], Op], text: str) -> Callable[..., Any]:
    method = getattr(numpy.ndarray, name)

    def function(a: Any, axis: int | None = None, out: Any = None, keepdims: bool = False) -> Any:
        if type(a) is ndarray and not ACTIVE and out is None and type(axis) is int and not keepdims:
            indices = at_once(method, a._data, axis)
            if indices is not None:
                return indices
        x = operands.array(a)
        operands.reduced_axes(axis, x.ndim, name)
        flat = np.ravel(x) if axis is None or not x.ndim else x
        along = operands.axis_of(0 if axis is None else axis, flat.ndim, name)
        if not flat.shape[along]:
            raise ShapeError("E109", f"{name} of {x.type} over no elements")
        indices = operands.result(bind1(op(along), operands.operand(flat)))
        if keepdims:
            indices = (
                np.reshape(indices, (1,) * x.ndim) if axis is None or not x.ndim else np.expand_dims(indices, along)
            )
        return operands.finished(indices, out)

    return operands.described(function, name, text)


argmax: Callable[..., Any] = _arg_reduction(
    "argmax", ops.ArgMax, "The index of the first largest element along `axis`, int64; of a NaN if any."
)
argmin: Callable[..., Any] = _arg_reduction(
    "argmin", ops.ArgMin, "The index of the first smallest element along `axis`, int64; of a NaN if any."
)


def _running(name: str, op: Callable[[int], Op], text: str) -> Callable[..., Any]:
    def function(a: Any, axis: int | None = None, dtype: Any = None, out: Any = None) -> Any:
        x = operands.array(a)
        wanted = accumulator(x.dtype) if dtype is None else as_dtype(dtype)
        x = np.ravel(x) if axis is None or not x.ndim else x
        along = operands.axis_of(0 if axis is None else axis, x.ndim, name)
        return operands.finished(operands.result(bind1(op(along), operands.cast(operands.operand(x), wanted))), out)

    return operands.described(function, name, text)


cumsum: Callable[..., Any] = _running(
    "cumsum", ops.CumSum, "The sums of all elements up to each, along `axis` (flat when None)."
)
cumprod: Callable[..., Any] = _running(
    "cumprod", ops.CumProd, "The products of all elements up to each, along `axis` (flat when None)."
)


@operands.public
def ptp(a: Any, axis: Any = None, out: Any = None, keepdims: bool = False) -> Any:
    """Return the largest element less the smallest one, over an axis.

    >>> np.ptp(np.array([[1, 9], [7, 2]]), axis=1)
    array([8., 5.])
    """
    return operands.finished(np.subtract(max(a, axis, keepdims=keepdims), min(a, axis, keepdims=keepdims)), out)


@operands.public
def count_nonzero(a: Any, axis: Any = None, *, keepdims: bool = False) -> Any:
    """Count the elements over an axis that are not zero, as int64.

    >>> np.count_nonzero(np.array([[0, 1, 7], [0, 0, 2]]), axis=1)
    array([2, 1], dtype=int64)
    """
    return sum(_truth(operands.array(a)), axis, keepdims=keepdims)


@operands.public
def logsumexp(a: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """Return log(sum(exp(x))) over an axis, without overflow.

    >>> npx.logsumexp(np.array([1000, 1000])).round(2)
    array(1000.69)
    """
    x = operands.array(a)
    top = max(x, axis, keepdims=True)
    top = np.where(np.equal(np.absolute(top), math.inf), 0.0, top)
    total = np.log(sum(np.exp(np.subtract(x, top)), axis, keepdims=True)) + top
    return total if keepdims else _dropped(total, x, axis, "logsumexp")


def without_nan(x: Any, instead: float) -> Any:
    """An array with a number in the place of NaN."""
    return np.where(np.isnan(x), instead, x) if is_inexact(x.dtype) else x


def _counting_nan(function: Callable[..., Any], instead: float, text: str) -> Callable[..., Any]:
    """A function of an array that has a number in the place of NaN."""

    @wraps(function)
    def call(a: Any, *args: Any, **kwargs: Any) -> Any:
        return function(without_nan(operands.array(a), instead), *args, **kwargs)

    return operands.described(call, f"nan{function.__name__}", text)


nansum: Callable[..., Any] = _counting_nan(
    sum, 0.0, "The sum over `axis`, NaN counted as 0; `initial` and `where` as of `sum`."
)
nanprod: Callable[..., Any] = _counting_nan(
    prod, 1.0, "The product over `axis`, NaN counted as 1; `initial` and `where` as of `prod`."
)
nancumsum: Callable[..., Any] = _counting_nan(
    cumsum, 0.0, "The running sums along `axis` (flat when None); NaN counts as 0."
)
nancumprod: Callable[..., Any] = _counting_nan(
    cumprod, 1.0, "The running products along `axis` (flat when None); NaN counts as 1."
)


@operands.public
def nanmean(
    a: Any, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: bool = False, *, where: Any = True
) -> Any:
    """Return the mean over an axis of the elements that are not NaN; arguments are those of `mean`.

    >>> np.nanmean(np.array([2, np.nan, 3]))
    array(2.5)
    """
    x, wanted = summed(a, dtype, out)
    total = nansum(x, axis, None, None, keepdims, where=where)
    count = sum(np.logical_not(np.isnan(x)), axis, keepdims=keepdims, where=where)
    return operands.finished(np.divide(total, count).astype(wanted, copy=False), out)


def _nan_extreme(reduce: Callable[..., Any], worst: float, text: str) -> Callable[..., Any]:
    """The extreme of what is not NaN; NaN where nothing else is there."""

    def function(
        a: Any, axis: Any = None, out: Any = None, keepdims: bool = False, initial: Any = None, where: Any = True
    ) -> Any:
        x = operands.array(a)
        best = reduce(without_nan(x, worst), axis, None, keepdims, initial, where)
        if initial is None and is_inexact(x.dtype):
            best = np.where(all(np.isnan(x), axis, keepdims=keepdims), math.nan, best)
        return operands.finished(best, out)

    return operands.described(function, f"nan{reduce.__name__}", text)


nanmax: Callable[..., Any] = _nan_extreme(
    max, -math.inf, "The largest non-NaN element over `axis`; `initial` and `where` as of `max`."
)
nanmin: Callable[..., Any] = _nan_extreme(
    min, math.inf, "The smallest non-NaN element over `axis`; `initial` and `where` as of `min`."
)


@promoted("a", "prepend", "append")
def diff(a: Any, n: int = 1, axis: int = -1, prepend: Any = None, append: Any = None) -> Any:
    """Return the differences of neighbours along an axis, `n` times.

    Args:
        a: any array.
        n: how often.
        axis: an axis.
        prepend: what comes before the first element along the axis: a number, or an array.
        append: what comes after the last one.

    >>> np.diff(np.array([1, 4, 9, 16]))
    array([3., 5., 7.])
    """
    if n < 0:
        raise ArgumentError("E308", f"diff: n must not be negative, got {n}")
    x = a
    along = operands.axis_of(axis, x.ndim, "diff")
    if n and (prepend is not None or append is not None):
        one = tuple(1 if k == along else length for k, length in enumerate(x.shape))
        ends = [end if end is None or end.ndim else np.broadcast_to(end, one) for end in (prepend, append)]
        x = np.concatenate([part for part in (ends[0], x, ends[1]) if part is not None], along)
    for _ in range(n):
        later, earlier = operands.cut(x, along, 1, None), operands.cut(x, along, -1)
        x = np.not_equal(later, earlier) if x.dtype == bool_ else np.subtract(later, earlier)
    return x


@promoted("ary", "to_end", "to_begin", to=like_safely)
def ediff1d(ary: Any, to_end: Any = None, to_begin: Any = None) -> Any:
    """Return the differences of neighbours in the flat array, between `to_begin` and `to_end` where you pass them.

    >>> np.ediff1d(np.array([1, 4, 9]), to_begin=0)
    array([0., 3., 5.])
    """
    x = diff(np.ravel(ary))
    parts = [np.ravel(part) for part in (to_begin, x, to_end) if part is not None]
    return np.concatenate(parts) if len(parts) > 1 else x


def _cumulative(name: str, running: Callable[..., Any], first: int, text: str) -> Callable[..., Any]:
    def function(
        x: Any, /, *, axis: int | None = None, dtype: Any = None, out: Any = None, include_initial: bool = False
    ) -> Any:
        a = np.atleast_1d(x)
        if axis is None and a.ndim != 1:
            raise ValueArgumentError("E320", f"{name} of {a.type} needs an axis")
        a, along = operands.array_and_axis(a, axis, name)
        output = running(a, along, dtype)
        if include_initial:
            sizes = tuple(1 if k == along else length for k, length in enumerate(output.shape))
            start = operands.result(bind1(ops.Broadcast(sizes), operands.cast(first, output.dtype)))
            output = np.concatenate([start, output], along)
        return operands.finished(output, out)

    return operands.described(function, name, text)


cumulative_sum: Callable[..., Any] = _cumulative(
    "cumulative_sum",
    cumsum,
    0,
    "The sums of all elements up to each, along `axis`, which a vector need not say; `include_initial`: after a 0.",
)
cumulative_prod: Callable[..., Any] = _cumulative(
    "cumulative_prod",
    cumprod,
    1,
    "The products of all elements up to each, along `axis`, which a vector need not say; `include_initial`: after a 1.",
)


@promoted("y", "x", to=floating)
def trapezoid(y: Any, x: Any = None, dx: float = 1.0, axis: int = -1) -> Any:
    """Return the integral of samples along an axis by the trapezoidal rule.

    Args:
        y: the samples.
        x: where they are; None: at distances of `dx`.
        dx: the distance of neighbours.
        axis: the axis.

    >>> np.trapezoid(np.array([0, 1, 4]), dx=0.5)
    array(1.5)
    """
    y, wanted = summed(y, None)
    along = operands.axis_of(axis, y.ndim, "trapezoid")
    middle = np.multiply(operands.cut(y, along, 1, None) + operands.cut(y, along, -1), 0.5)
    if x is None:
        return np.multiply(sum(middle, along), dx).astype(wanted, copy=False)
    steps = diff(summed(x, None)[0], axis=axis if x.ndim > 1 else -1)
    if steps.ndim == 1:
        steps = np.reshape(steps, tuple(-1 if i == along else 1 for i in range(y.ndim)))
    return sum(middle * steps, along).astype(wanted, copy=False)
