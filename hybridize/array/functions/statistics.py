# SPDX-License-Identifier: Apache-2.0
"""Covariances and histograms, and more statistics of what is not NaN."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy

from hybridize import ops
from hybridize.array import functions as np
from hybridize.array.functions.bounds import require
from hybridize.array.functions.reductions import summed, without_nan
from hybridize.array.functions.searching import data_dependent, shares
from hybridize.array.methods import functions
from hybridize.array.operands import array, check_real, described, operand, result
from hybridize.array.operands import count as count_of
from hybridize.array.policies import double, promoted, together
from hybridize.base.dtypes import DType, float32, float64, int64, is_complex, is_float, is_inexact
from hybridize.base.errors import ArgumentError, CaptureError, ShapeError, ValueArgumentError
from hybridize.base.promotion import floating


@promoted("m", "y", to=floating)
def cov(
    m: Any,
    y: Any = None,
    rowvar: bool = True,
    bias: bool = False,
    ddof: int | None = None,
    fweights: Any = None,
    aweights: Any = None,
    *,
    dtype: Any = None,
) -> Any:
    """Return the covariances of variables, which are rows unless `rowvar` is False.

    Args:
        m: [variables, observations], or the other way round unless `rowvar`; a vector is one variable.
        y: more variables, in the same form.
        rowvar: variables are rows.
        bias: divide by the number n of observations, not by n - 1.
        ddof: divide by n - ddof, whatever `bias` says.
        fweights: how often each observation was made, integers.
        aweights: the importance of each observation.
        dtype: of the result.

    Returns:
        [variables, variables]; of one variable an array without axes.

    Raises:
        ShapeError E118, E135: more than two axes; weights of another number than observations.
        ValueArgumentError E345: negative weights.

    >>> np.cov(np.array([[1, 2, 3], [3, 2, 1]]))
    array([[ 1., -1.],
           [-1.,  1.]])
    """
    covariance, wanted = _covariance(m, y, rowvar, dtype, bias, ddof, fweights, aweights)
    return covariance.astype(wanted, copy=False)


def _covariance(
    m: Any,
    y: Any,
    rowvar: bool,
    dtype: Any,
    bias: bool = False,
    ddof: int | None = None,
    fweights: Any = None,
    aweights: Any = None,
) -> tuple[Any, DType]:
    """The covariances in the dtype that sums are kept in, and the dtype of the result."""
    x = _variables(m, rowvar, "m")
    if y is not None:
        x = np.concatenate([x, _variables(y, rowvar, "y")], 0)
    x, wanted = summed(x, dtype)
    ddof = (0 if bias else 1) if ddof is None else ddof
    weights = _weights(x, fweights, aweights)
    centre = np.average(x, 1, weights)
    centred = np.subtract(x, np.expand_dims(centre, 1))
    if weights is None:
        factor: Any = float(x.shape[1] - ddof)
        right = centred
    else:
        total = np.sum(weights)
        spread = 1.0 if aweights is None else np.sum(weights * array(aweights, float64).astype(x.dtype)) / total
        factor = np.maximum(total - ddof * spread, 0.0)
        right = np.multiply(centred, weights)
    if isinstance(factor, float):
        factor = max(factor, 0.0)
    product = np.divide(np.matmul(centred, functions.conj(np.swapaxes(right, 0, 1))), factor)
    return np.reshape(product, ()) if product.shape == (1, 1) else product, wanted


def _variables(m: Any, rowvar: bool, name: str) -> Any:
    """[variables, observations]"""
    x = array(m)
    if x.ndim > 2:
        raise ShapeError("E118", f"cov takes a vector or a matrix for {name}, got {x.type}")
    if x.ndim < 2:
        return np.reshape(x, (1, -1))
    return x if rowvar or (x.shape[0] == 1 and name == "y") else np.swapaxes(x, 0, 1)


def _weights(x: Any, fweights: Any, aweights: Any) -> Any:
    """The weight of each observation; None: they all are 1."""
    weights = None
    for name, weight in (("fweights", fweights), ("aweights", aweights)):
        if weight is None:
            continue
        one = array(weight, float64)
        check_real(f"cov: {name}", one)
        if one.shape != x.shape[1:]:
            raise ShapeError("E135", f"cov: {name} {one.type} for {x.shape[1]} observations", help="give one for each")
        if name == "fweights" and is_float(one.dtype):
            require(np.all(np.equal(one, one.round())), "cov: fweights are integers")
        require(np.all(np.less_equal(0, one)), f"cov: {name} are not negative")
        one = one.astype(x.dtype, copy=False)
        weights = one if weights is None else weights * one
    return weights


@promoted("x", "y", to=floating)
def corrcoef(x: Any, y: Any = None, rowvar: bool = True, *, dtype: Any = None) -> Any:
    """Return the correlations of variables, from -1 to 1; arguments are those of `cov`.

    >>> np.corrcoef(np.array([[1, 2, 3], [3, 2, 1]])).round(4)
    array([[ 1., -1.],
           [-1.,  1.]])
    """
    covariance, wanted = _covariance(x, y, rowvar, dtype)
    if not covariance.ndim:
        return (covariance / covariance).astype(wanted, copy=False)
    scale = covariance.diagonal() ** 0.5
    scaled = covariance / np.expand_dims(scale, 1) / scale
    if is_complex(scaled.dtype):
        return np.clip(scaled.real, -1.0, 1.0) + np.clip(scaled.imag, -1.0, 1.0) * 1j
    return np.clip(scaled, -1.0, 1.0).astype(wanted, copy=False)


def _arg_extreme(reduce: Callable[..., Any], worst: float, text: str) -> Callable[..., Any]:
    def function(a: Any, axis: int | None = None, out: Any = None, keepdims: bool = False) -> Any:
        x = array(a)
        if is_inexact(x.dtype):
            require(np.logical_not(np.any(np.all(np.isnan(x), axis))), f"{name}: no slice is all NaN")
        return reduce(without_nan(x, worst), axis, out, keepdims)

    name = f"nan{reduce.__name__}"
    return described(function, name, f"{text}\n\nRaises:\n    ValueArgumentError E345: there is none.")


nanargmax: Callable[..., Any] = _arg_extreme(
    np.argmax, -math.inf, "The index of the first largest non-NaN element along `axis`, int64."
)
nanargmin: Callable[..., Any] = _arg_extreme(
    np.argmin, math.inf, "The index of the first smallest non-NaN element along `axis`, int64."
)


@shares(of_nan=False)
def nanquantile() -> None:
    """Return the value below which the share `q` of the elements lies that are not NaN; see `quantile`.

    >>> np.nanquantile(np.array([1, np.nan, 3]), 0.5)
    array(2.)
    """


@shares(100, of_nan=False)
def nanpercentile() -> None:
    """Return the value below which `q` percent of the elements lie that are not NaN; see `quantile`.

    >>> np.nanpercentile(np.array([1, np.nan, 3]), 50)
    array(2.)
    """


def _histogram(
    a: Any, bins: Any = 10, range: Any = None, density: bool | None = None, weights: Any = None
) -> tuple[Any, Any]:
    """Counts of elements between neighbours of `bins`, edges or their number; the last edge is within the last bin."""
    if isinstance(bins, str):
        what = f"histogram of bins={bins!r} cannot be compiled: data decides how many there are"
        raise CaptureError("E403", what, help="pass a number of bins, or their edges")
    x = np.ravel(array(a))
    edges = _edges(x, bins, range)
    n = edges.shape[0] - 1
    places = np.subtract(np.searchsorted(edges, x, "right"), 1)
    places = np.where(np.equal(x, edges[n]), n - 1, places)
    inside = np.logical_and(np.less_equal(edges[0], x), np.less_equal(x, edges[n]))
    each = np.zeros(x.shape, int64) + 1 if weights is None else np.ravel(array(weights))
    points = np.expand_dims(np.where(inside, places, n), 1)  # behind the last bin there is one for the rest
    heights = result(ops.scatter_nd(operand(np.zeros(n + 1, each.dtype)), operand(points), operand(each), "add"))[:n]
    wide = float64 in (x.dtype, each.dtype, getattr(bins, "dtype", x.dtype))
    if density:
        heights = np.divide(np.divide(heights, np.diff(edges)), np.sum(heights))
        heights = heights if wide else heights.astype(float32)
    return heights, edges if wide else edges.astype(float32)


def _edges(x: Any, bins: Any, range: Any) -> Any:
    """The edges of bins, in float64: where only their number is said, at even distance over all elements."""
    if bins is None:
        raise ArgumentError("E344", "histogram: bins must be a number of bins or their edges, got None")
    if not isinstance(bins, int):
        edges = array(bins, float64).astype(float64, copy=False)
        if edges.ndim != 1:
            raise ValueArgumentError("E345", f"histogram: the bins must be a vector, got {edges.type}")
        require(np.all(np.less_equal(edges[:-1], edges[1:])), "histogram: bins ascend")
        return edges
    if count_of(bins, "histogram: bins") < 1:
        raise ValueArgumentError("E345", f"histogram needs at least one bin, got {bins}")
    ends = range if range is not None else (np.min(x), np.max(x)) if x.size else (0.0, 1.0)
    low, high = together(ends, double)
    require(np.less_equal(low, high), "histogram: range ascends")
    aside = np.where(np.equal(low, high), 0.5, 0.0)
    return np.linspace(low - aside, high + aside, bins + 1)


def _check_array(args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    """Refuse a list that is no array, whoever is going to compute."""
    if isinstance(data := args[0] if args else kwargs.get("a"), (list, tuple)):
        array(data)


histogram: Callable[..., Any] = data_dependent("histogram", numpy.histogram, captured=_histogram, check=_check_array)
