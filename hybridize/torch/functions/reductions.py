# SPDX-License-Identifier: Apache-2.0
"""Functions of torch that make fewer elements of many, and those that go along an axis: sums, extremes, statistics."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

import torch

from hybridize import ops
from hybridize.array.functions import statistics
from hybridize.array.functions.reductions import diff as differences
from hybridize.array.operands import result
from hybridize.base.dims import product
from hybridize.base.dtypes import bool_, float32, float64, int64, is_float, uint8
from hybridize.ops import Operand, composites, type_of
from hybridize.ops.library.histories import with_gradient_of
from hybridize.ops.library.norms import log_cum_sum_exp, log_sum_exp, norm, root
from hybridize.torch.functions import rules
from hybridize.torch.functions.operands import between, flattened, operand
from hybridize.torch.functions.pointwise import MAXIMUM, MINIMUM, Joined, aligned, divide, multiply, subtract
from hybridize.torch.functions.sorting import by
from hybridize.torch.functions.table import computes
from hybridize.torch.memory import dtype_of


def _axes(input: Operand, dim: Any) -> tuple[int, ...]:
    return rules.axes_of(dim, type_of(input).ndim)


def _along(
    by: Callable[[Operand, tuple[int, ...]], Operand], x: Operand, dim: Any, keepdim: bool, dtype: Any = None
) -> Operand:
    """Return what a function over axes makes of a tensor, in another dtype where one is said."""
    axes = _axes(x, dim)
    wide = x if dtype is None else ops.cast(x, dtype_of(dtype))
    return ops.reshape(by(wide, axes), rules.reduced(type_of(x).shape, axes, keepdim))


def _whole(input: Operand, dtype: torch.dtype | None) -> torch.dtype:
    """Return the dtype of a sum: integers are added up in int64."""
    of = rules.torch_dtype(type_of(input).dtype)
    return dtype or (of if of.is_floating_point else torch.int64)


def _mean_dtype(input: Operand, dtype: torch.dtype | None) -> torch.dtype:
    mean_dtype = dtype or rules.torch_dtype(type_of(input).dtype)
    rules.expect(mean_dtype.is_floating_point)
    return mean_dtype


@computes("sum")
def sum_of(input: Operand, dim: Any = None, keepdim: bool = False, *, dtype: torch.dtype | None = None) -> Operand:
    """Return sums along axes, of integers in int64."""
    if dtype is torch.bool:
        return _any(ops.cast(input, bool_), dim, keepdim)
    return _along(ops.sum, input, dim, keepdim, _whole(input, dtype))


@computes("mean")
def _mean(input: Operand, dim: Any = None, keepdim: bool = False, *, dtype: torch.dtype | None = None) -> Operand:
    return _along(composites.mean, input, dim, keepdim, _mean_dtype(input, dtype))


def _without_nan(input: Operand) -> Operand:
    return ops.where(ops.isnan(input), ops.like(0, input), input) if is_float(type_of(input).dtype) else input


@computes("nansum")
def _nansum(input: Operand, dim: Any = None, keepdim: bool = False, *, dtype: torch.dtype | None = None) -> Operand:
    return sum_of(_without_nan(input), dim, keepdim, dtype=dtype)


@computes("nanmean")
def _nanmean(input: Operand, dim: Any = None, keepdim: bool = False, *, dtype: torch.dtype | None = None) -> Operand:
    mean_dtype = _mean_dtype(input, dtype)
    count = sum_of(ops.cast(ops.bit_not(ops.isnan(input)), rules.kind(mean_dtype, ()).dtype), dim, keepdim)
    return ops.div(_nansum(input, dim, keepdim, dtype=mean_dtype), count)


@computes("prod")
def _prod(
    input: Operand, dim: int | None = None, keepdim: bool = False, *, dtype: torch.dtype | None = None
) -> Operand:
    if dtype is torch.bool:
        return all_of(ops.cast(input, bool_), dim, keepdim)
    return _along(ops.prod, input, dim, keepdim, _whole(input, dtype))


@computes("count_nonzero")
def _count_nonzero(input: Operand, dim: Any = None) -> Operand:
    return sum_of(ops.cast(input, bool_), dim)


def _truth(name: str, by: Callable[[Operand, tuple[int, ...]], Operand]) -> Callable[..., Operand]:
    @computes(name)
    def entry(input: Operand, dim: Any = None, keepdim: bool = False) -> Operand:
        of, x = type_of(input).dtype, ops.cast(input, bool_)
        along_none = isinstance(dim, (tuple, list)) and not dim
        return ops.cast(x if along_none else _along(by, x, dim, keepdim), uint8 if of == uint8 else bool_)

    return entry


_any = _truth("any", ops.any)
all_of: Callable[..., Operand] = _truth("all", ops.all)


@computes("_is_any_true")
def _is_any_true(input: Operand) -> Operand:
    return _any(input)


# Extremes.


def _check_some(input: Operand, dim: Any) -> None:
    """Check that there are elements to choose from."""
    rules.expect(all(type_of(input).shape[axis] != 0 for axis in _axes(input, dim)))


def _far(name: str, by: Callable[[Operand, tuple[int, ...]], Operand]) -> Callable[..., Operand]:
    @computes(name)
    def entry(input: Operand, dim: Any = (), keepdim: bool = False) -> Operand:
        _check_some(input, dim)
        return _along(by, input, dim, keepdim)

    return entry


largest: Callable[..., Operand] = _far("amax", ops.shared_reduce_max)
least: Callable[..., Operand] = _far("amin", ops.shared_reduce_min)


@computes("aminmax")
def _aminmax(input: Operand, *, dim: Any = None, keepdim: bool = False) -> Any:
    rules.expect(not isinstance(dim, (tuple, list)))
    dim = () if dim is None else dim
    return torch.return_types.aminmax((least(input, dim, keepdim), largest(input, dim, keepdim)))


def _extreme(name: str, pair: Joined, far: Callable[..., Operand], position: Callable[[Operand, int], Operand]) -> None:
    @computes(name)
    def entry(input: Operand, dim: Any = None, keepdim: bool = False, *, other: Any = None) -> Any:
        """In torch's three forms: of all elements, along an axis with positions, of two tensors."""
        if rules.is_tensor(dim) or other is not None:
            return pair(*aligned(input, dim if other is None else other))
        rules.expect(not isinstance(dim, (tuple, list)))
        if dim is None:
            row = flattened(input)
            return _shared(row, far(row))
        _check_some(input, dim)
        return getattr(torch.return_types, name)(_picked(position, input, dim, keepdim))


def _picked(
    position: Callable[[Operand, int], Operand], x: Operand, dim: int, keepdim: bool
) -> tuple[Operand, Operand]:
    """Return elements along an axis with their positions: a gradient goes to the one at the position alone."""
    shape, axes = type_of(x).shape, _axes(x, dim)
    if not axes:
        return x, operand(0, int64)
    places = ops.reshape(position(x, *axes), rules.reduced(shape, axes, True))
    values = ops.take_along_axis(x, places, *axes)
    return ops.reshape(values, rules.reduced(shape, axes, keepdim)), ops.reshape(
        places, rules.reduced(shape, axes, keepdim)
    )


_extreme("max", MAXIMUM, largest, ops.arg_max)
_extreme("min", MINIMUM, least, ops.arg_min)


def _position(name: str, by: Callable[[Operand, int], Operand]) -> None:
    @computes(name, kinds="fiu")
    def entry(input: Operand, dim: int | None = None, keepdim: bool = False) -> Operand:
        _check_some(input, dim)
        shape, axes = type_of(input).shape, _axes(input, dim)
        if not shape:
            return operand(0, int64)
        place = by(flattened(input), 0) if dim is None else by(input, *axes)
        return ops.reshape(place, rules.reduced(shape, axes, keepdim))


_position("argmax", ops.arg_max)
_position("argmin", ops.arg_min)


# Statistics.


def _spread(name: str, by: Callable[[Operand, tuple[int, ...], float], Operand]) -> None:
    def spread(
        input: Operand, dim: Any = None, unbiased: Any = None, keepdim: bool = False, *, correction: Any = None
    ) -> Operand:
        """In torch's forms: (unbiased), (dim, unbiased, keepdim), (dim, correction=, keepdim=)."""
        if isinstance(dim, bool):
            dim, unbiased = None, dim
        correction = (1 if unbiased is None else int(unbiased)) if correction is None else correction
        rules.expect(is_float(type_of(input).dtype))
        return _along(lambda x, axes: by(x, axes, correction), input, dim, keepdim)

    @functools.wraps(spread)
    def with_mean(input: Operand, dim: Any = None, unbiased: Any = None, keepdim: bool = False, **named: Any) -> Any:
        along = None if isinstance(dim, bool) else dim
        return spread(input, dim, unbiased, keepdim, **named), _along(composites.mean, input, along, keepdim)

    computes(name)(spread)
    computes(f"{name}_mean")(with_mean)


def _deviation(x: Operand, axes: tuple[int, ...], correction: float) -> Operand:
    """The root of the variance, whose gradient where that is 0 is 0."""
    dtype = type_of(x).dtype
    whole = float32 if dtype.itemsize < 4 else float64
    return ops.cast(root(composites.variance(ops.cast(x, whole), axes, correction)), dtype)


_spread("var", composites.variance)
_spread("std", _deviation)


@computes("cov", kinds="fiu")
def _cov(input: Operand, *, correction: int = 1, fweights: Any = None, aweights: Any = None) -> Operand:
    rules.expect(type_of(input).ndim <= 2)
    weights = {"fweights": fweights, "aweights": aweights}
    arrays = {name: one if one is None else result(one) for name, one in weights.items()}
    return by(statistics.cov, ops.cast(input, dtype_of(rules.float_operand(input))), ddof=correction, **arrays)


@computes("corrcoef", kinds="fiu")
def _corrcoef(input: Operand) -> Operand:
    rules.expect(type_of(input).ndim <= 2)
    return by(statistics.corrcoef, ops.cast(input, dtype_of(rules.float_operand(input))))


def _sorted(input: Operand, axis: int) -> tuple[Operand, Operand]:
    order = ops.arg_sort(input, axis)
    return ops.take_along_axis(input, order, axis), order


def _middle(name: str, skips: bool) -> None:
    @computes(name, kinds="fiu")
    def entry(input: Operand, dim: int | None = None, keepdim: bool = False) -> Any:
        """The lower one of those in the middle; NaN is last in order, and what is found where it is not skipped."""
        of = type_of(input)
        x = flattened(input) if dim is None or not of.ndim else input
        axis = rules.axis_of(dim or 0, type_of(x).ndim)
        size = type_of(x).shape[axis]
        if dim is None and size == 0:
            dtype = rules.torch_dtype(of.dtype)
            return operand(math.nan if dtype.is_floating_point else torch.iinfo(dtype).min, of.dtype)
        _check_some(x, axis)
        lone = rules.reduced(type_of(x).shape, (axis,), True)
        ordered, order = _sorted(x, axis)
        if not is_float(of.dtype):
            place: Any = operand((size - 1) // 2, int64, lone)
        else:
            missing = ops.reshape(ops.sum(ops.cast(ops.isnan(x), int64), (axis,)), lone)
            count = operand(size, int64, type_of(missing).shape)
            last, zero, two = ops.like(1, count), ops.like(0, count), ops.like(2, count)
            some = ops.max(ops.sub(count, missing), last)
            place = ops.floor_div(ops.sub(some if skips else count, last), two)
            if not skips:
                place = ops.where(ops.gt(missing, zero), ops.sub(count, missing), place)
        values = ops.take_along_axis(ordered, place, axis)
        if dim is None:
            return _shared(x, ops.reshape(values, ()))
        shape = rules.reduced(of.shape, _axes(input, dim), keepdim)
        indices = ops.reshape(ops.take_along_axis(order, place, axis), shape)
        return getattr(torch.return_types, name)([ops.reshape(values, shape), indices])


def _shared(x: Operand, element: Operand) -> Operand:
    """Return what was found in a row, its gradient shared by all that are equal to it, NaN among them."""
    kind = type_of(x)
    if not is_float(kind.dtype) or not kind.shape:
        return element
    value = ops.spread(ops.stop_gradient(element), kind.shape, (0,))
    same = ops.bit_or(ops.eq(x, value), ops.bit_and(ops.isnan(x), ops.isnan(value)))
    count = ops.sum(ops.cast(same, kind.dtype), (0,))
    return with_gradient_of(ops.div(ops.sum(ops.where(same, x, ops.like(0, x)), (0,)), count), element)


_middle("median", False)
_middle("nanmedian", True)


def _quantile(name: str, skips: bool) -> None:
    @computes(name)
    def entry(
        input: Operand, q: Any, dim: int | None = None, keepdim: bool = False, *, interpolation: str = "linear"
    ) -> Operand:
        """Between the two elements in order that are nearest to the place of each share."""
        of = type_of(input)
        rules.expect(of.dtype in (float32, float64))
        rules.expect(0 not in of.shape)
        shares = q if rules.is_tensor(q) else operand(q, of.dtype)
        rules.expect(type_of(shares).ndim <= 1)
        between(shares, "quantile() q values must be in the range [0, 1]")
        many = type_of(shares).ndim == 1
        x = flattened(input) if dim is None else input if of.ndim else ops.reshape(input, (1,))
        axis = rules.axis_of(0 if dim is None else dim, type_of(x).ndim)
        size = type_of(x).shape[axis]
        order = (*(k for k in range(type_of(x).ndim) if k != axis), axis)
        ordered = ops.sort(ops.transpose(x, order), len(order) - 1)  # what is chosen along is last
        rows, count = type_of(ordered).shape[:-1], product(type_of(shares).shape)
        wide = (*rows, count)
        missing = ops.sum(ops.cast(ops.isnan(ordered), int64), (len(rows),))
        some = ops.sub(operand(size, int64, rows), missing) if skips else operand(size, int64, rows)
        last = ops.cast(ops.sub(ops.max(some, operand(1, int64, rows)), operand(1, int64, rows)), of.dtype)
        place = ops.mul(
            ops.broadcast(ops.reshape(shares, (*(1,) * len(rows), count)), wide),
            ops.broadcast(ops.reshape(last, (*rows, 1)), wide),
        )
        if interpolation == "lower":
            place = ops.floor(place)
        elif interpolation == "higher":
            place = ops.ceil(place)
        elif interpolation == "nearest":
            place = ops.round(place)
        if not skips:  # NaN is last in order, and all there is where there is one
            lost = ops.gt(missing, ops.like(0, missing))
            place = ops.where(ops.spread(lost, wide, (len(rows),)), ops.spread(last, wide, (len(rows),)), place)
        low = ops.floor(place)
        below = ops.take_along_axis(ordered, ops.cast(low, int64), len(rows))
        above = ops.take_along_axis(ordered, ops.cast(ops.ceil(place), int64), len(rows))
        quantiles = below
        if interpolation in ("linear", "midpoint"):
            share = ops.like(0.5, place) if interpolation == "midpoint" else ops.sub(place, low)
            # From the nearer end, as lerp goes.
            apart = ops.sub(above, below)
            quantiles = ops.where(
                ops.lt(share, ops.like(0.5, share)),
                ops.add(below, ops.mul(share, apart)),
                ops.sub(above, ops.mul(apart, ops.sub(ops.like(1, share), share))),
            )
        left = rules.reduced(of.shape, _axes(input, dim), keepdim)
        first = ops.transpose(quantiles, (len(rows), *range(len(rows))))
        return ops.reshape(first, (count, *left) if many else left)


_quantile("quantile", False)
_quantile("nanquantile", True)


@computes("logsumexp", "special.logsumexp")
def _logsumexp(input: Operand, dim: Any, keepdim: bool = False) -> Operand:
    return _along(log_sum_exp, input, dim, keepdim, rules.float_operand(input))


# Norms.


@computes("linalg.vector_norm")
def vector_norm(
    x: Operand, ord: Any = 2, dim: Any = None, keepdim: bool = False, *, dtype: torch.dtype | None = None
) -> Operand:
    """Return the norm of order `ord` of elements along axes."""
    rules.expect(is_float(type_of(x).dtype))
    order = float(ord)
    if math.isinf(order):
        _check_some(x, dim)
    by = _farthest if math.isinf(order) else norm
    return _along(lambda x, axes: by(x, order, axes), x, dim, keepdim, dtype)


def _farthest(x: Operand, order: float, axes: tuple[int, ...]) -> Operand:
    """Return the norm of an infinite order: its gradient is shared by all that are equal to it, and by no NaN."""
    size = ops.abs(x)
    result = (ops.reduce_max if order > 0 else ops.reduce_min)(size, axes)
    same = ops.eq(size, ops.spread(ops.stop_gradient(result), type_of(size).shape, axes))
    count = ops.max(ops.sum(ops.cast(same, type_of(x).dtype), axes), ops.like(1, result))
    shared = ops.div(ops.sum(ops.where(same, size, ops.like(0, size)), axes), count)
    return with_gradient_of(shared, result)


@computes("dist")
def _dist(input: Operand, other: Operand, p: Any = 2) -> Operand:
    return vector_norm(subtract(input, other), p)


# Along an axis.


def _running(name: str, by: Callable[[Operand, int], Operand]) -> None:
    @computes(name)
    def entry(input: Operand, dim: int, *, dtype: torch.dtype | None = None) -> Operand:
        x, axis = ops.cast(input, dtype_of(_whole(input, dtype))), rules.axis_of(dim, type_of(input).ndim)
        return by(x, axis) if type_of(x).ndim and 0 not in type_of(x).shape else x


_running("cumsum", ops.cum_sum)
_running("cumprod", ops.cum_prod)


def _running_extreme(name: str, sign: int) -> None:
    @computes(name)
    def entry(input: Operand, dim: int) -> Any:
        """The extreme up to each element, and the last place where it is."""
        of = type_of(input)
        axis = rules.axis_of(dim, of.ndim)
        make = getattr(torch.return_types, name)
        if not of.ndim:
            return make([input, operand(0, int64)])
        x = ops.stop_gradient(input) if is_float(of.dtype) else ops.cast(input, int64)
        runs = ops.cum_max(x if sign > 0 else ops.neg(x), axis)
        best = runs if sign > 0 else ops.neg(runs)
        here = ops.iota(of.shape, axis, int64)
        is_best = ops.eq(x, best)
        if is_float(of.dtype):
            is_best = ops.bit_or(is_best, ops.isnan(x))
        places = ops.cum_max(ops.where(is_best, here, ops.like(0, here)), axis)
        return make([ops.take_along_axis(input, places, axis), places])


_running_extreme("cummax", 1)
_running_extreme("cummin", -1)


@computes("logcumsumexp", kinds="f")
def _logcumsumexp(input: Operand, dim: int) -> Operand:
    ndim = type_of(input).ndim
    axis = rules.axis_of(dim, ndim)
    return log_cum_sum_exp(input, axis) if ndim else input


@computes("diff")
def _diff(input: Operand, n: int = 1, dim: int = -1, prepend: Any = None, append: Any = None) -> Operand:
    axis = rules.axis_of(dim, type_of(input).ndim)
    rules.expect(type_of(input).ndim)
    ends = {"prepend": prepend, "append": append}
    dtype = rules.kind(rules.common(input, *(end for end in ends.values() if end is not None)), ()).dtype
    arrays = {name: result(ops.cast(end, dtype)) for name, end in ends.items() if end is not None}
    return by(differences, ops.cast(input, dtype), n=n, axis=axis, **arrays)


def _steps(y: Operand, x: Any, dx: Any, axis: int) -> tuple[Operand, Any]:
    """Return the sums of neighbours along an axis, and the distances between them."""
    rules.expect(all(type_of(one).dtype != bool_ for one in (y, x) if rules.is_tensor(one)))
    size = type_of(y).shape[axis]
    sums = ops.add(ops.part(y, axis, 1, size), ops.part(y, axis, 0, size - 1))
    if not rules.is_tensor(x):
        return sums, dx
    points = x
    shape = type_of(points).shape
    if len(shape) == 1:
        points = ops.reshape(points, tuple(shape[0] if k == axis else 1 for k in range(type_of(y).ndim)))
        along = axis
    else:
        along = axis - type_of(y).ndim + len(shape)
    size = type_of(points).shape[along]
    return sums, ops.sub(ops.part(points, along, 1, size), ops.part(points, along, 0, size - 1))


def _areas(y: Operand, x: Any, dx: Any, axis: int) -> Operand:
    return divide(multiply(*_steps(y, x, dx, axis)), 2)


@computes("trapezoid", "trapz")
def _trapezoid(y: Operand, x: Any = None, *, dx: Any = 1, dim: int = -1) -> Operand:
    axis = rules.axis_of(dim, type_of(y).ndim)
    if type_of(y).shape[axis] == 0:
        shape = tuple(size for k, size in enumerate(type_of(y).shape) if k != axis)
        return operand(0, rules.kind(rules.as_float(rules.common(y)), ()).dtype, shape)
    areas = _areas(y, x, dx, axis)
    return ops.sum(areas, (axis + type_of(areas).ndim - type_of(y).ndim,))


@computes("cumulative_trapezoid")
def _cumulative_trapezoid(y: Operand, x: Any = None, *, dx: Any = 1, dim: int = -1) -> Operand:
    axis = rules.axis_of(dim, type_of(y).ndim)
    areas = _areas(y, x, dx, axis)
    return ops.cum_sum(areas, axis + type_of(areas).ndim - type_of(y).ndim)
