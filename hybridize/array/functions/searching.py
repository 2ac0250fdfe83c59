# SPDX-License-Identifier: Apache-2.0
"""Functions that order and pick elements: sort, take, topk, quantiles, and those whose result size is data."""

from __future__ import annotations

import builtins
import math
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from typing import Any

import numpy

from hybridize import ops
from hybridize.array import functions as np
from hybridize.array import operands
from hybridize.array.buffer import host_copy
from hybridize.array.device import AWAY
from hybridize.array.functions.bounds import check, from_front, require
from hybridize.array.ndarray import ndarray, taping
from hybridize.array.operands import indices as index_operand
from hybridize.array.placing import arrays_in, unsupported
from hybridize.array.policies import exact, like, promoted
from hybridize.array.symbol import Symbol
from hybridize.array.traced import Traced
from hybridize.base import dims, errors
from hybridize.base.dtypes import as_dtype, bool_, complex64, complex128, float32, float64, int64, is_float, is_inexact
from hybridize.base.loading import load_module
from hybridize.base.promotion import floating
from hybridize.base.types import same_shape
from hybridize.ops.op import ACTIVE, Op, Operand, bind1, capturing, taped

_SORTS = (None, "quicksort", "mergesort", "heapsort", "stable")


def plainly(kind: Any, order: Any, name: str, kinds: Sequence[Any] = _SORTS) -> None:
    """Refuse to sort in another way than the one there is, which is stable, and by fields, which arrays have not."""
    operands.one_of(kind, kinds, name, "kind")
    if order is not None:
        raise errors.ValueArgumentError("E345", f"{name}: order names fields, but arrays have no fields, got {order!r}")


def _sorting(name: str, op: Callable[[int, bool], Op], text: str) -> Callable[..., Any]:
    def function(
        a: Any, axis: int | None = -1, kind: Any = None, order: Any = None, *, stable: bool | None = None,
        descending: bool = False,
    ) -> Any:  # fmt: skip
        if isinstance(kind, bool):  # MXNet 2 has `descending` in the place of NumPy's `kind`
            kind, descending = None, kind
        plainly(kind, order, name)
        x, along = operands.array_and_axis(a, axis, name)
        return operands.result(bind1(op(along, bool(descending)), operands.operand(x)))

    return operands.described(function, name, text)


sort: Callable[..., Any] = _sorting(
    "sort",
    ops.Sort,
    "Sorted along `axis` (flat when None), smallest first, NaN last; always stable. `descending`, as in the array API "
    "standard: largest first, NaN before all.",
)
argsort: Callable[..., Any] = _sorting(
    "argsort", ops.ArgSort, "The indices that sort along `axis` (flat when None), int64; see `sort`."
)


@operands.public
def take(a: Any, indices: Any, axis: int | None = None, mode: str = "raise", out: Any = None) -> Any:
    """Return the elements at `indices` along an axis; of the flat array, where `axis` is None.

    Float indices lose their fractions, as in MXNet.

    Args:
        a: any array.
        indices: integers of any shape, which takes the place of `axis`.
        axis: an axis of `a`.
        mode: `raise` counts negative indices from the end and refuses those out of bounds, `clip` takes the nearest
            element (-1 is the first one), `wrap` begins again after the last.
        out: where to write the result.

    Raises:
        OutOfBoundsError E110: an index is out of bounds.
        ValueArgumentError E345: there is no such mode.

    >>> np.take(np.array([10, 20, 30]), [2, 0])
    array([30., 10.])
    """
    x, axis_index = operands.array_and_axis(a, axis, "take")
    numbers = within(indices, x.shape[axis_index], mode, f"take from axis {axis_index} of {x.type}")
    return operands.finished(picked(x, numbers, axis_index), out)


def within(indices: Any, length: int, mode: Any, what: str) -> Any:
    """Indices along an axis within its bounds.

    Args:
        indices: int64 ones.
        length: of the axis.
        mode: `raise` counts negative ones from the end and refuses those out of bounds, `clip` takes the nearest,
            `wrap` begins again after the last.
        what: whose indices, of what: "take from axis 0 of f32[3]".

    Raises:
        OutOfBoundsError E110: one is out of bounds, or none is within.
        ValueArgumentError E345: there is no such mode.
    """
    operands.one_of(mode, ("raise", "clip", "wrap"), what.partition(" ")[0], "mode")
    numbers = index_operand(indices)
    if mode == "raise":
        return operands.result(from_front(numbers, length, what))
    positions = operands.result(numbers)
    if not length:
        if 0 not in operands.shape_of(numbers):
            raise errors.OutOfBoundsError("E110", f"{what}: it has no elements")
        return positions
    return np.mod(positions, length) if mode == "wrap" else np.minimum(np.maximum(positions, 0), length - 1)


def picked(x: Any, numbers: Any, axis: int) -> Any:
    """Elements of an array along an axis at int64 indices that are known to be within bounds."""
    return operands.result(bind1(ops.Gather(axis), operands.operand(x), operands.operand(numbers)))


def along(x: Any, numbers: Any, axis: int) -> Any:
    """One element of an array along an axis for each int64 index; they are known to be within bounds."""
    index = operands.operand(numbers)
    sizes = operands.shape_of(index)
    if len(sizes) != x.ndim:
        raise errors.ShapeError("E134", f"take_along_axis: indices of {len(sizes)} axes for {x.type}")
    shape = dims.broadcast((*x.shape[:axis], 1, *x.shape[axis + 1 :]), (*sizes[:axis], 1, *sizes[axis + 1 :]))
    if shape is None:
        raise errors.ShapeError("E134", f"take_along_axis: indices {list(sizes)} do not fit {x.type}")
    index = operands.broadcast(index, (*shape[:axis], sizes[axis], *shape[axis + 1 :]))
    values = operands.broadcast(operands.operand(x), (*shape[:axis], x.shape[axis], *shape[axis + 1 :]))
    return operands.result(bind1(ops.TakeAlongAxis(axis), values, index))


@operands.public
def take_along_axis(arr: Any, indices: Any, axis: int | None = -1) -> Any:
    """Return one element along an axis for each index; the other axes go together.

    Raises:
        OutOfBoundsError E110: an index is out of bounds.

    >>> x = np.array([[3, 1, 2], [7, 9, 8]])
    >>> np.take_along_axis(x, np.argsort(x, axis=1), axis=1)
    array([[1., 2., 3.],
           [7., 8., 9.]])
    """
    x, axis_index = operands.array_and_axis(arr, axis, "take_along_axis")
    what = f"take_along_axis of axis {axis_index} of {x.type}"
    return along(x, operands.result(from_front(index_operand(indices), x.shape[axis_index], what)), axis_index)


@operands.public
def gather_nd(data: Any, indices: Any) -> Any:
    """Return the elements at the points that `indices` [k, ...] lists by columns.

    >>> npx.gather_nd(np.array([[1, 2], [3, 4]]), np.array([[0, 1], [1, 0]]))
    array([2., 3.])
    """
    x, points = operands.array(data), index_operand(indices)
    count = operands.shape_of(points)[0]
    if count > x.ndim:
        raise errors.ShapeError("E134", f"gather_nd: {count} indices for each element, but {x.type} has {x.ndim} axes")
    order = (*range(1, len(operands.shape_of(points))), 0)
    columns = points_within(bind1(ops.Transpose(order), points), x.shape[:count], f"gather_nd of {x.type}")
    return operands.result(bind1(ops.GatherND(), operands.operand(x), columns))


def points_within(points: Operand, sizes: tuple[int, ...], what: str) -> Operand:
    """Points [..., k] of axes of `sizes`, checked, negative numbers counted from the front."""
    ends = operands.broadcast(operands.strong(list(sizes), int64), operands.shape_of(points))
    check(points, operands.operand(-operands.result(ends)), ends, what)
    return operands.operand(
        np.where(
            np.less(operands.result(points), 0),
            operands.result(points) + operands.result(ends),
            operands.result(points),
        )
    )


@operands.public
def pick(data: Any, index: Any, axis: int = -1, keepdims: bool = False, mode: str = "clip") -> Any:
    """Return one element along an axis for each index.

    Indices out of bounds stand for the nearest element (`mode` clip), or begin again (`wrap`), as in MXNet.

    >>> npx.pick(np.array([[1, 2], [3, 4]]), np.array([0, 1]))
    array([1., 4.])
    """
    operands.one_of(mode, ("clip", "wrap"), "pick", "mode")
    x = operands.array(data)
    axis_index = operands.axis_of(axis, x.ndim, "pick")
    numbers = operands.result(index_operand(index))
    if numbers.ndim < x.ndim:
        numbers = np.expand_dims(numbers, axis_index)
    length = x.shape[axis_index]
    numbers = np.mod(numbers, length) if mode == "wrap" else np.minimum(np.maximum(numbers, 0), length - 1)
    elements = along(x, numbers, axis_index)
    return elements if keepdims else np.reshape(elements, x.shape[:axis_index] + x.shape[axis_index + 1 :])


@operands.public
def topk(
    data: Any, axis: int | None = -1, k: int = 1, ret_typ: str = "indices", is_ascend: bool = False, dtype: Any = None
) -> Any:
    """Return the `k` largest elements along an axis, or their indices; the smallest with `is_ascend`.

    Args:
        data: any array.
        axis: None: of the flat array.
        k: how many; 0 or less: all.
        ret_typ: `indices` (in `dtype`, float32 unless said), `value`, `both` (a list) or `mask` (ones where they are).
        is_ascend: the smallest first.
        dtype: of indices.

    >>> npx.topk(np.array([3, 1, 2]), k=2)
    array([0., 2.])
    >>> npx.topk(np.array([3, 1, 2]), k=2, ret_typ="value")
    array([3., 2.])
    """
    operands.one_of(ret_typ, ("indices", "value", "both", "mask"), "topk", "ret_typ")
    x, axis_index = operands.array_and_axis(data, axis, "topk")
    k = x.shape[axis_index] if k < 1 else k
    if k > x.shape[axis_index]:
        raise errors.ShapeError("E134", f"topk: {k} of {x.shape[axis_index]} along axis {axis} of {x.type}")
    order = operands.result(bind1(ops.ArgSort(axis_index, not is_ascend), operands.operand(x)))
    chosen = operands.cut(order, axis_index, k)
    if ret_typ == "indices":
        return chosen.astype(_index_dtype(dtype))
    if ret_typ == "mask":
        return np.less(argsort(order, axis_index), k).astype(x.dtype)
    values = along(x, chosen, axis_index)
    return values if ret_typ == "value" else [values, chosen.astype(_index_dtype(dtype))]


def _index_dtype(dtype: Any) -> Any:
    return float32 if dtype is None else as_dtype(dtype)


@promoted("a", "v")
def searchsorted(a: Any, v: Any, side: str = "left", sorter: Any = None) -> Any:
    """Return the positions at which `v` go into the ascending array `a`.

    NaN is greater than all numbers, as it is sorted. `sorter`: the indices that sort `a`, where it is not.

    >>> np.searchsorted(np.array([1, 3, 5]), np.array([0, 3, 9]))
    array([0, 1, 3], dtype=int64)
    """
    x = a if sorter is None else take(a, sorter)
    if x.ndim != 1:
        raise errors.ShapeError("E118", f"searchsorted takes a vector, got {x.type}", help="search a row or x.ravel()")
    operands.one_of(side, ("left", "right"), "searchsorted", "side")
    compare: Callable[..., Any] = np.less if side == "left" else np.less_equal
    columns = np.expand_dims(v, v.ndim)
    before = compare(x, columns)
    if is_float(x.dtype):
        beyond = np.isnan(columns)
        numbers = np.logical_not(np.isnan(x)) if side == "left" else True
        before = np.logical_or(before, np.logical_and(beyond, numbers))
    return np.sum(before, -1).astype(int64)


@promoted("x", "bins")
def digitize(x: Any, bins: Any, right: bool = False) -> Any:
    """Return the number of the bin that each element falls into; `bins` ascend or descend.

    Raises:
        ValueArgumentError E345: they do neither.

    >>> np.digitize(np.array([0.5, 2.5, 9]), np.array([1, 2, 3]))
    array([0, 2, 3], dtype=int64)
    """
    side = "left" if right else "right"
    operands.check_real("digitize", x, bins)
    if bins.ndim != 1:
        raise errors.ShapeError("E118", f"digitize: the bins must be a vector, got {bins.type}")
    rising, falling = np.all(np.less_equal(bins[:-1], bins[1:])), np.all(np.less_equal(bins[1:], bins[:-1]))
    require(np.logical_or(rising, falling), "digitize: bins ascend or descend", "sort them first: np.sort(bins)")
    if isinstance(rising, Symbol):
        return np.where(rising, searchsorted(bins, x, side), _descending(bins, x, side))
    return searchsorted(bins, x, side) if rising else _descending(bins, x, side)


def _descending(edges: Any, x: Any, side: str) -> Any:
    return np.subtract(edges.shape[0], searchsorted(edges[::-1], x, side))


@promoted("x", "xp", "fp", to=floating)
def interp(x: Any, xp: Any, fp: Any, left: Any = None, right: Any = None, period: Any = None) -> Any:
    """Interpolate linearly through the points (xp, fp).

    The result has the dtype of the arrays, where NumPy gives float64.

    Args:
        x: where to interpolate.
        xp: the places of the points; they ascend, unless there is a period.
        fp: their values.
        left: the value before the first point; that of the first one unless said.
        right: the value behind the last point.
        period: the values repeat at this distance.

    >>> np.interp(np.array([0.5, 2.5]), np.array([0, 1, 2]), np.array([0, 10, 40]))
    array([ 5., 40.])
    """
    at, points, values = x, xp, fp
    operands.check_real("interp", at, points)
    if period is not None:
        period = abs(period)
        at, points = np.mod(at, period), np.mod(points, period)
        order = argsort(points)
        points, values = take(points, order), take(values, order)
        points = np.concatenate([points[-1:] - period, points, points[:1] + period])
        values = np.concatenate([values[-1:], values, values[:1]])
        left = right = None
    if points.ndim != 1 or not same_shape(points.shape, values.shape):
        what = f"interp takes points as two vectors of one length, got {points.type} and {values.type}"
        raise errors.ShapeError("E113", what)
    n = points.shape[0]
    upper = np.minimum(np.maximum(searchsorted(points, at, "right"), 1), n - 1)
    lower = np.maximum(upper - 1, 0)
    x0, x1, y0, y1 = (picked(p, i, 0) for p in (points, values) for i in (lower, upper))
    y = np.add(y0, np.multiply(np.subtract(y1, y0), np.divide(np.subtract(at, x0), np.subtract(x1, x0))))
    y = np.where(np.less(at, points[0]), values[0] if left is None else left, y)
    y = np.where(np.less_equal(points[n - 1], at), values[n - 1], y)  # also where the last places are equal
    return y if right is None else np.where(np.less(points[n - 1], at), right, y)


def merged(x: Any, axis: Any, name: str) -> tuple[Any, int, tuple[int, ...]]:
    """(`x` with the axes of `axis` as one, which one that is, the shape of `x` with 1 for each of them)."""
    axes = operands.axes_of(axis, x.ndim, name)
    shape = tuple(1 if i in axes else size for i, size in enumerate(x.shape))
    if len(axes) == 1:
        return x, axes[0], shape
    rest = tuple(i for i in range(x.ndim) if i not in axes)
    sizes = (*(x.shape[i] for i in rest), math.prod(x.shape[i] for i in axes))
    return np.reshape(np.transpose(x, (*rest, *axes)), sizes), len(rest), shape


def shares(whole: int = 1, *, of_nan: bool = True) -> Callable[[Callable[[], None]], Callable[..., Any]]:
    """Make a function of the values below which shares of the elements lie, under the name and text of another.

    Args:
        whole: the share that all elements are.
        of_nan: NaN is an element, of which all is NaN.
    """

    def decorate(named: Callable[[], None]) -> Callable[..., Any]:
        name = named.__name__

        def function(
            a: Any, q: Any, axis: Any = None, out: Any = None, overwrite_input: bool = False, method: str = "linear",
            keepdims: bool = False, interpolation: Any = None,
        ) -> Any:  # fmt: skip
            method = interpolation or method
            operands.one_of(method, tuple(QUANTILES), name, "method")
            share = operands.result(operands.strong(q, float64))
            share = share if whole == 1 else np.divide(share, float(whole))
            inside = np.logical_and(np.less_equal(0.0, share), np.less_equal(share, 1.0))
            require(inside, f"{name}: q is from 0 to {whole}")
            flat, axis_index, shape = merged(operands.array(a), axis, name)
            operands.check_real(name, flat)
            flat = flat if is_float(flat.dtype) else flat.astype(float32)
            ordered = np.moveaxis(sort(flat, axis_index), axis_index, -1)  # NaN is sorted last
            n: Any = float(ordered.shape[-1])
            if not of_nan:
                n = np.sum(np.logical_not(np.isnan(ordered)), -1, keepdims=True).astype(float64)
            at, weight = QUANTILES[method](n, np.reshape(share, (-1,)))
            low = np.floor(at)
            weight = np.subtract(at, low) if weight is None else weight
            places = (np.maximum(np.minimum(place, n - 1.0), 0.0).astype(int64) for place in (low, low + 1.0))
            below, above = ((picked if of_nan else along)(ordered, place, ordered.ndim - 1) for place in places)
            weight = weight.astype(ordered.dtype)
            quantiles = np.where(
                np.equal(weight, 0), below, np.add(below, np.multiply(np.subtract(above, below), weight))
            )
            if of_nan:
                quantiles = np.where(np.isnan(ordered[..., -1:]), math.nan, quantiles)
            quantiles = np.moveaxis(quantiles, -1, 0)
            return operands.finished(
                np.reshape(quantiles, share.shape + (shape if keepdims else quantiles.shape[1:])), out
            )

        return operands.described(function, name, str(named.__doc__))

    return decorate


@shares()
def quantile() -> None:
    """Return the value below which the share `q` of the elements lies, along an axis.

    Args:
        a: any array.
        q: shares from 0 to 1.
        axis: an axis, several, or None: all elements.
        out: where to write the result.
        overwrite_input: says nothing: the array stays as it is.
        method: what to do between two elements: linear, lower, higher, nearest, midpoint, or one of the others of
            NumPy (inverted_cdf, averaged_inverted_cdf, closest_observation, interpolated_inverted_cdf, hazen, weibull,
            median_unbiased, normal_unbiased; Hyndman and Fan 1996).
        keepdims: keep reduced axes with size 1.
        interpolation: the same as `method`, by its former name.

    Raises:
        ValueArgumentError E345: an unknown method; a share below 0 or above 1.

    >>> np.quantile(np.array([1, 2, 3, 4, 5]), 0.25)
    array(2.)
    """


@shares(100)
def percentile() -> None:
    """Return the value below which `q` percent of the elements lie, along an axis; see `quantile`.

    >>> np.percentile(np.array([1, 2, 3, 4, 5]), 50)
    array(3.)
    """


_Quantile = Callable[[float, Any], tuple[Any, Any]]


def _continuous(alpha: float, beta: float) -> _Quantile:
    """The position n q + alpha + q (1 - alpha - beta) - 1 among the ordered elements, whose fraction is the weight."""
    return lambda n, q: (q * n + (alpha + q * (1 - alpha - beta)) - 1.0, None)


def _of_ends(position: Callable[[Any], Any]) -> _Quantile:
    """A whole position near (n - 1) q."""
    return lambda n, q: (position(q * (n - 1.0)), 0.0 * q)


def _inverted(n: float, q: Any) -> tuple[Any, Any]:
    at = q * n - 1.0
    return np.ceil(at), 0.0 * q


def _averaged(n: float, q: Any) -> tuple[Any, Any]:
    at = q * n - 1.0
    return at, np.where(np.equal(at, np.floor(at)), 0.5, 1.0)


def _closest(n: float, q: Any) -> tuple[Any, Any]:
    at = q * n - 1.5
    low = np.floor(at)
    return np.where(np.logical_and(np.equal(at, low), np.equal(np.mod(low, 2.0), 1.0)), low, low + 1.0), 0.0 * q


def _midpoint(n: float, q: Any) -> tuple[Any, Any]:
    at = q * (n - 1.0)
    return at, np.where(np.equal(at, np.floor(at)), 0.0, 0.5)


QUANTILES: dict[str, _Quantile] = {
    "linear": lambda n, q: (q * (n - 1.0), None), "lower": _of_ends(np.floor), "higher": _of_ends(np.ceil),
    "nearest": _of_ends(np.rint), "midpoint": _midpoint, "inverted_cdf": _inverted, "averaged_inverted_cdf": _averaged,
    "closest_observation": _closest, "interpolated_inverted_cdf": _continuous(0.0, 1.0),
    "hazen": _continuous(0.5, 0.5), "weibull": _continuous(0.0, 0.0),
    "median_unbiased": _continuous(1 / 3, 1 / 3), "normal_unbiased": _continuous(3 / 8, 3 / 8),
}  # fmt: skip
"""By the names of NumPy: of n elements and shares q, the position of the element below and the weight of the next
one, or None for the fraction of the position."""


@operands.public
def median(a: Any, axis: Any = None, out: Any = None, overwrite_input: bool = False, keepdims: bool = False) -> Any:
    """Return the middle element along an axis; the mean of two, where their number is even.

    Args:
        a: an array.
        axis: an axis, several in a tuple, or None for all.
        out: an array that the result is written to.
        overwrite_input: has no effect: `a` stays.
        keepdims: reduced axes stay with size 1.

    >>> np.median(np.array([[1, 9, 3], [4, 6, 8]]), axis=1)
    array([3., 6.])
    """
    flat, axis_index, shape = merged(operands.array(a), axis, "median")
    n = flat.shape[axis_index]
    ordered = sort(flat, axis_index)
    medians = np.mean(operands.cut(ordered, axis_index, (n - 1) // 2, n // 2 + 1), axis_index)
    if n and is_inexact(ordered.dtype):  # NaN is sorted last
        medians = np.where(np.isnan(ordered[(*(slice(None),) * axis_index, n - 1)]), math.nan, medians)
    return operands.finished(np.reshape(medians, shape) if keepdims else medians, out)


@promoted("element", "test_elements")
def isin(
    element: Any, test_elements: Any, assume_unique: bool = False, invert: bool = False, *, kind: str | None = None
) -> Any:
    """Return whether each element is one of `test_elements`; with `invert`, whether it is none of them.

    `assume_unique` and `kind` (`sort`, `table`) choose NumPy's method, and say nothing about the result.

    >>> np.isin(np.array([1, 2, 3]), [2, 5])
    array([False,  True, False])
    """
    operands.one_of(kind, (None, "sort", "table"), "isin", "kind")
    present = np.any(np.equal(np.expand_dims(element, element.ndim), np.ravel(test_elements)), -1)
    return np.logical_not(present) if invert else present


@operands.public
def unravel_index(indices: Any, shape: Any, order: str = "C") -> tuple[Any, ...]:
    """Return flat indices as an index for each axis of `shape`.

    Raises:
        OutOfBoundsError E110: an index is out of bounds.

    >>> np.unravel_index(np.array([6], dtype="int64"), (3, 4))
    (array([1], dtype=int64), array([2], dtype=int64))
    """
    operands.one_of(order, ("C", "F"), "unravel_index", "order")
    sizes = operands.sizes_from(shape)
    numbers = index_operand(indices)
    check(numbers, 0, math.prod(sizes), f"unravel_index into {list(sizes)}")
    flat, coordinates = operands.result(numbers), []
    for length in reversed(sizes) if order == "C" else sizes:
        coordinates.append(np.mod(flat, length))
        flat = np.floor_divide(flat, length)
    return tuple(reversed(coordinates)) if order == "C" else tuple(coordinates)


@operands.public
def ravel_multi_index(multi_index: Any, dims: Any, mode: Any = "raise", order: str = "C") -> Any:
    """Return flat indices of an index for each axis of `dims`.

    Args:
        multi_index: indices for each axis.
        dims: the sizes of the axes.
        mode: `raise` refuses indices out of bounds, `clip` takes the nearest, `wrap` begins again after the last; one
            for all axes, or a tuple of one for each.
        order: `C`, the last axis runs fastest, or `F`, the first one does.

    Raises:
        OutOfBoundsError E110: an index is out of bounds.
        ShapeError E134: another number of indices than of axes.

    >>> np.ravel_multi_index((np.array([1], dtype="int64"), np.array([2], dtype="int64")), (3, 4))
    array([6], dtype=int64)
    """
    operands.one_of(order, ("C", "F"), "ravel_multi_index", "order")
    sizes = operands.sizes_from(dims)
    modes = tuple(mode) if isinstance(mode, (tuple, list)) else (mode,) * len(sizes)
    parts = list(multi_index)
    if not len(parts) == len(sizes) == len(modes):
        raise errors.ShapeError(
            "E134", f"ravel_multi_index: {len(parts)} indices, {len(modes)} modes for {list(sizes)}"
        )
    columns = []
    for axis, (part, length, how) in enumerate(zip(parts, sizes, modes, strict=True)):
        what = f"ravel_multi_index into {list(sizes)}, axis {axis}"
        if how == "raise":  # none is counted from the end
            numbers = index_operand(part)
            check(numbers, 0, length, what)
            columns.append((operands.result(numbers), length))
        else:
            columns.append((within(part, length, how, what), length))
    (flat, _), *rest = columns if order == "C" else columns[::-1]
    for index, length in rest:
        flat = flat * length + index
    return flat


@operands.public
def allclose(a: Any, b: Any, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False) -> Any:
    """Return whether all elements of both arrays are equal within rtol * abs(b) + atol, as a bool array without axes.

    Args:
        a: an array.
        b: an array, which is broadcast.
        rtol: the tolerance that grows with `b`.
        atol: the tolerance that does not.
        equal_nan: NaN equals NaN.

    >>> np.allclose(np.array([1.0, 2.0]), np.array([1.0, 2.000001]))
    array(True)
    """
    return np.all(isclose(a, b, rtol, atol, equal_nan))


@promoted("a", "b", to=exact, weak=True)
def isclose(a: Any, b: Any, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False) -> Any:
    """Return whether elements of both arrays are equal within rtol * abs(b) + atol.

    >>> np.isclose(np.array([1.0, 2.0]), np.array([1.0, 2.1]))
    array([ True, False])
    """
    near = np.less_equal(abs(np.subtract(a, b)), np.add(np.multiply(abs(b), rtol), atol))
    close = np.where(np.less(abs(b), math.inf), near, np.equal(a, b))
    return np.where(~np.equal(a, a) & ~np.equal(b, b), True, close) if equal_nan else close


@promoted("a1", "a2")
def array_equal(a1: Any, a2: Any, equal_nan: bool = False) -> Any:
    """Return whether both have one shape and equal elements, as a bool array without axes.

    Args:
        a1: an array.
        a2: an array.
        equal_nan: NaN equals NaN.

    >>> np.array_equal(np.array([1, 2]), np.array([1, 2]))
    array(True)
    """
    if a1.shape != a2.shape:
        return operands.array(False)
    same = np.equal(a1, a2)
    return np.all(same | (~np.equal(a1, a1) & ~np.equal(a2, a2)) if equal_nan else same)


@promoted("a1", "a2")
def array_equiv(a1: Any, a2: Any) -> Any:
    """Return whether both broadcast to one shape and have equal elements there, as a bool array without axes.

    >>> np.array_equiv(np.array([1, 1]), 1)
    array(True)
    """
    return operands.array(False) if dims.broadcast(a1.shape, a2.shape) is None else np.all(np.equal(a1, a2))


@operands.public
def one_hot(data: Any, depth: int, on_value: float = 1.0, off_value: float = 0.0, dtype: Any = None) -> Any:
    """Return an array with a new last axis of size `depth`: `on_value` at the index of each element.

    Args:
        data: indices.
        depth: the size of the new axis.
        on_value: at the index.
        off_value: elsewhere.
        dtype: of the result, float32 unless you pass one.

    >>> npx.one_hot(np.array([1, 0]), 3)
    array([[0., 1., 0.],
           [1., 0., 0.]])
    """
    numbers = operands.result(index_operand(data))
    here = np.equal(np.expand_dims(numbers, numbers.ndim), np.arange(operands.sizes_from(depth)[0], dtype=int64))
    kind = float32 if dtype is None else as_dtype(dtype)
    return np.where(here, *(np.full((), value, kind) for value in (on_value, off_value)))


def _places(obj: Any, name: str) -> numpy.ndarray[Any, Any]:
    """Integers or bools that name positions.

    Raises:
        KeyTypeError E204: they are no such.
    """
    places = numpy.asarray(obj)
    if places.dtype.kind not in "iub":
        if places.size or isinstance(obj, (ndarray, numpy.ndarray)):
            raise errors.KeyTypeError("E204", f"{name}: positions must be integers or bools, got {obj!r:.60}")
        places = places.astype(int64)
    return places


@promoted("arr", "values", to=like)
def insert(arr: Any, obj: Any, values: Any, axis: int | None = None) -> Any:
    """Return an array with `values` put in before some positions along an axis.

    Args:
        arr: an array.
        obj: the positions: an integer, integers, or a slice.
        values: what is put in.
        axis: the axis; None: of the flat array.

    >>> np.insert(np.array([1, 4]), 1, np.array([2, 3]))
    array([1., 2., 3., 4.])
    """
    x, axis_index = operands.array_and_axis(arr, axis, "insert")
    length = x.shape[axis_index]
    before = numpy.arange(length)[obj] if isinstance(obj, slice) else _places(obj, "insert")
    if before.dtype == bool_:
        before = numpy.flatnonzero(before)
    if before.size == 1 and values.ndim <= x.ndim:  # as many as there are values go in at one position
        values = np.reshape(values, (1,) * (x.ndim - values.ndim) + values.shape)
        values = values if before.ndim else np.moveaxis(values, 0, axis_index)
        before = numpy.repeat(before, values.shape[axis_index])
    source = numpy.insert(numpy.arange(length), before, -1)
    output = picked(x, numpy.where(source < 0, 0, source), axis_index)
    order = numpy.argsort(numpy.where(before < 0, before + length, before), axis=None, kind="stable")
    output[(slice(None),) * axis_index + (numpy.flatnonzero(source < 0)[numpy.argsort(order)],)] = values
    return output


@operands.public
def delete(arr: Any, obj: Any, axis: int | None = None) -> Any:
    """Return an array without the elements at some positions along an axis.

    Args:
        arr: an array.
        obj: the positions: an integer, integers, or a slice.
        axis: the axis; None: of the flat array.

    >>> np.delete(np.array([1, 2, 3, 4]), [0, 2])
    array([2., 4.])
    """
    x, axis_index = operands.array_and_axis(arr, axis, "delete")
    gone = obj if isinstance(obj, (slice, int)) else _places(obj, "delete")
    return x[(slice(None),) * axis_index + (numpy.delete(numpy.arange(x.shape[axis_index]), gone),)]


def data_dependent(
    name: str,
    function: Callable[..., Any],
    recorded: Callable[..., Any] | None = None,
    captured: Callable[..., Any] | None = None,
    check: Callable[[tuple[Any, ...], dict[str, Any]], None] | None = None,
) -> Callable[..., Any]:
    """A function of NumPy whose result has a size, or needs a method, that compiled code does not have by itself.

    Imperatively NumPy computes it on the arrays' values; on a device it is what is captured, or else recorded.

    Args:
        name: what it is called.
        function: NumPy's.
        recorded: what is called instead where a gradient must pass; None: that is an error.
        captured: what is called instead while capturing; None: that is an error that names the function.
        check: refuses arguments, positional and by name, whoever is going to compute.
    """

    def call(*args: Any, **kwargs: Any) -> Any:
        if check is not None:
            check(args, kwargs)
        if ACTIVE and capturing():
            if captured is not None:
                return captured(*args, **kwargs)
            raise errors.CaptureError(
                "E403",
                f"{name} cannot be compiled: NumPy computes it, and the size or dtype of its result may depend on "
                f"the data",
                help="call it outside the compiled function and pass its result as an argument",
            )
        if ACTIVE and taping() is not None:
            if recorded is not None and _has_history((*args, *kwargs.values())):
                return recorded(*args, **kwargs)
            with taped(None):
                output = call(*args, **kwargs)
            has_floats = builtins.any(is_inexact(x.dtype) for x in arrays_in([output]))
            if has_floats and _has_history((*args, *kwargs.values())):
                raise errors.StateError(
                    "E547",
                    f"{name} is computed by NumPy, so it has no gradient",
                    help="call it on x.detach(), which has no gradient",
                )
            return output
        there = captured or recorded
        if AWAY and there is not None and _is_away((*args, *kwargs.values())):
            return there(*args, **kwargs)
        if AWAY and name not in _OF_PLACES:
            away = [x for x in arrays_in((*args, *kwargs.values())) if isinstance(x, ndarray) and x._away() is not None]
            if away and name not in _SHOWING:
                raise unsupported(name, away[0].type, away[0].device)
            args = tuple([host_copy(x) if builtins.any(x is one for one in away) else x for x in args])
        return _as_ours(function(*(_as_numpy(a) for a in args), **{k: _as_numpy(a) for k, a in kwargs.items()}), args)

    text = f"NumPy's `{name}`{'' if captured is not None else ', imperatively; it cannot be compiled'}."
    return operands.described(call, name.rpartition(".")[2], text)


_OF_PLACES = frozenset({"may_share_memory", "shares_memory"})
"""Functions that read no elements."""
_SHOWING = frozenset({"array2string", "array_repr", "array_str"})
"""Functions that copy the elements to the host, as `print` does."""


def recorded(name: str, module: str) -> Callable[..., Any]:
    """A function of a module of these, which is loaded when a gradient must pass it for the first time."""

    @cache
    def load() -> Callable[..., Any]:
        function: Callable[..., Any] = getattr(load_module(f"hybridize.array.functions.{module}"), name)
        return function

    def call(*args: Any, **kwargs: Any) -> Any:
        return load()(*args, **kwargs)

    return call


def _is_away(values: Iterable[Any]) -> bool:
    """Tell whether one of nested arrays is in the memory of a device."""
    return builtins.any(x._away() is not None for x in arrays_in(values) if isinstance(x, ndarray))


def _has_history(values: Iterable[Any]) -> bool:
    """Tell whether a gradient would have to pass one of nested arrays."""
    lifted = [operands.operand(x) for x in arrays_in(values) if isinstance(x, ndarray)]
    return builtins.any(type(x) is Traced and x.edge is not None for x in lifted)


def _as_numpy(x: Any) -> Any:
    if isinstance(x, (list, tuple)):
        parts = [_as_numpy(part) for part in x]
        return type(x)(parts) if type(x) in (list, tuple) else x
    if isinstance(x, (ndarray, Symbol)) or hasattr(x, "__hybridize_function__"):
        return operands.operand(x)
    return x


def _as_ours(x: Any, args: Any) -> Any:
    """NumPy's result as arrays of ours; float64 as float32 and complex128 as complex64, unless one of them went in."""
    if isinstance(x, tuple) and hasattr(x, "_fields"):
        return type(x)(*(_as_ours(part, args) for part in x))
    if isinstance(x, (list, tuple)):
        return type(x)(_as_ours(part, args) for part in x)
    if isinstance(x, (numpy.ndarray, numpy.generic)):
        data = numpy.asarray(x)
        wide = any(operands.dtype_of(operands.operand(a)) in (float64, complex128) for a in args if hasattr(a, "dtype"))
        short = None if wide else {float64: float32, complex128: complex64}.get(data.dtype)
        return operands.result(data.copy() if short is None else data.astype(short))
    return x
