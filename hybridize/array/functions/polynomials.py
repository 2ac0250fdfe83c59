# SPDX-License-Identifier: Apache-2.0
"""Polynomials as vectors of coefficients, the highest power first, as in NumPy's functions of them."""

from __future__ import annotations

import warnings
from typing import Any

import numpy

from hybridize.array import functions as np
from hybridize.array.functions.bounds import require
from hybridize.array.functions.factors import inv, lstsq
from hybridize.array.functions.searching import data_dependent
from hybridize.array.ndarray import ndarray
from hybridize.array.operands import array, check_real, count, one_of, public
from hybridize.array.policies import promoted
from hybridize.base.dtypes import int64, is_inexact
from hybridize.base.errors import ShapeError, ValueArgumentError
from hybridize.base.promotion import floating

_characteristic = data_dependent("poly", numpy.poly)


def _coefficients(p: Any, name: str) -> Any:
    """A vector of coefficients; a number is a polynomial of degree 0."""
    x = np.atleast_1d(array(p))
    if x.ndim != 1:
        raise ShapeError("E118", f"{name} takes vectors of coefficients, got {x.type}")
    return x


@promoted("p", "x")
def polyval(p: Any, x: Any) -> Any:
    """Return the values of a polynomial at `x`, by Horner's rule; `p` begins with the highest power.

    >>> np.polyval(np.array([1, 0, 2]), np.array([0, 3]))
    array([ 2., 11.])
    """
    if p.ndim != 1:
        raise ShapeError("E118", f"polyval takes a vector of coefficients, got {p.type}")
    total = np.zeros_like(x)
    for k in range(p.shape[0]):
        total = np.add(np.multiply(total, x), p[k])
    return total


@public
def vander(x: Any, N: int | None = None, increasing: bool = False) -> Any:
    """Return the powers of each element of a vector as rows.

    Args:
        x: a vector.
        N: how many powers; as many as elements unless you pass a number.
        increasing: begin with the power 0; the last column otherwise.

    >>> np.vander(np.array([2, 3]), 3)
    array([[4., 2., 1.],
           [9., 3., 1.]])
    """
    a = array(x)
    if a.ndim != 1:
        raise ShapeError("E118", f"vander takes a vector, got {a.type}")
    a = a if is_inexact(a.dtype) else a.astype(int64)
    length = a.shape[0] if N is None else count(N, "vander: N")
    powers = [np.ones_like(a)]
    for _ in range(length - 1):
        powers.append(np.multiply(powers[-1], a))
    columns = powers[:length] if increasing else powers[:length][::-1]
    return np.stack(columns, 1) if columns else np.reshape(a[:0], (a.shape[0], 0))


@public
def poly(seq_of_zeros: Any) -> Any:
    """Return the coefficients of the polynomial with given roots, the first one 1.

    That of a matrix is NumPy's, imperatively.

    >>> np.poly(np.array([1, 2]))
    array([ 1., -3.,  2.])
    """
    points = np.atleast_1d(array(seq_of_zeros))
    if points.ndim == 2 and points.shape[0] == points.shape[1] and points.shape[0]:
        return _characteristic(points)
    if points.ndim != 1:
        raise ShapeError("E118", f"poly takes a vector of roots or a square matrix, got {points.type}")
    points = points.astype(floating(points.dtype), copy=False)
    coefficients = np.ones_like(points[:1]) if points.shape[0] else np.zeros(1, points.dtype) + 1
    for k in range(points.shape[0]):
        nothing = np.zeros(1, coefficients.dtype)
        coefficients = np.subtract(
            np.concatenate([coefficients, nothing]), np.multiply(np.concatenate([nothing, coefficients]), points[k])
        )
    return coefficients


def _long(p: Any, length: int) -> Any:
    return np.concatenate([np.zeros(length - p.shape[0], p.dtype), p]) if p.shape[0] < length else p


def _together(name: str, a1: Any, a2: Any) -> tuple[Any, Any]:
    x, y = _coefficients(a1, name), _coefficients(a2, name)
    length = max(x.shape[0], y.shape[0])
    return _long(x, length), _long(y, length)


@promoted("a1", "a2")
def polyadd(a1: Any, a2: Any) -> Any:
    """Return the sum of two polynomials, whose coefficients begin with the highest power.

    >>> np.polyadd(np.array([1, 2]), np.array([1, 0, 0]))
    array([1., 1., 2.])
    """
    return np.add(*_together("polyadd", a1, a2))


@promoted("a1", "a2")
def polysub(a1: Any, a2: Any) -> Any:
    """Return the difference of two polynomials, whose coefficients begin with the highest power.

    >>> np.polysub(np.array([1, 2]), np.array([1, 1]))
    array([0., 1.])
    """
    return np.subtract(*_together("polysub", a1, a2))


@promoted("a1", "a2")
def polymul(a1: Any, a2: Any) -> Any:
    """Return the product of two polynomials, whose coefficients begin with the highest power.

    A program cannot leave them out, since their number depends on the data: it asserts that there are none.

    >>> np.polymul(np.array([1, 1]), np.array([1, -1]))
    array([ 1.,  0., -1.])
    """
    return np.convolve(*(_led(_coefficients(p, "polymul")) for p in (a1, a2)))


def _led(p: Any) -> Any:
    """A polynomial without leading zeros, but for its last coefficient."""
    if p.shape[0] < 2:
        return p
    if not isinstance(p, ndarray):
        require(np.not_equal(p[0], 0), "polymul: the first coefficient is not 0")
        return p
    places = numpy.flatnonzero(p.detach().asnumpy())
    return p[int(places[0]) if places.size else p.shape[0] - 1 :]


@public
def polyder(p: Any, m: int = 1) -> Any:
    """Return the `m`-th derivative of a polynomial, whose coefficients begin with the highest power.

    >>> np.polyder(np.array([1, 2, 3]))
    array([2., 2.])
    """
    if m < 0:
        raise ValueArgumentError("E345", f"polyder: an order must not be negative, got {m}")
    x = _coefficients(p, "polyder")
    for _ in range(m):
        n = x.shape[0] - 1
        x = np.multiply(x[:-1], np.arange(n, 0, -1, dtype=x.dtype if is_inexact(x.dtype) else int64))
    return x


@promoted("p", "k", to=floating)
def polyint(p: Any, m: int = 1, k: Any = None) -> Any:
    """Return the `m`-th integral of a polynomial, whose coefficients begin with the highest power.

    Args:
        p: the coefficients.
        m: how often to integrate.
        k: the constants of integration: one for each, or one for all.

    >>> np.polyint(np.array([2, 2]))
    array([1., 2., 0.])
    """
    if m < 0:
        raise ValueArgumentError("E345", f"polyint: an order must not be negative, got {m}")
    x = _coefficients(p, "polyint")
    constants = np.zeros(m, x.dtype) if k is None else np.atleast_1d(k)
    if constants.shape[0] == 1 < m:
        constants = constants * (np.zeros(m, x.dtype) + 1)
    if constants.shape[0] < m:
        raise ShapeError("E134", f"polyint: {constants.shape[0]} constants for {m} integrals", help=f"give 1 or {m}")
    for one in range(m):
        whole = np.divide(x, np.arange(x.shape[0], 0, -1, dtype=x.dtype))
        x = np.concatenate([whole, constants[one : one + 1]])
    return x


@promoted("x", "y", "w", to=floating)
def polyfit(
    x: Any, y: Any, deg: int, rcond: float | None = None, full: bool = False, w: Any = None, cov: Any = False
) -> Any:
    """Return the polynomial of degree `deg` that comes closest to points, by least squares.

    Args:
        x: [m], where the points are.
        y: [m] or [m, k]: their values, of one curve or of k.
        deg: the degree.
        rcond: singular values below this share of the largest one count as 0; m times the dtype's epsilon unless said.
        full: also return the residuals, the rank, the singular values and `rcond`.
        w: [m], factors of the residuals.
        cov: also return the covariance of the coefficients, scaled by the residuals; `unscaled`: not scaled.

    Returns:
        [deg + 1] or [deg + 1, k].

    Raises:
        ShapeError E118: the points are no vectors of one length, or there are none.
        ValueArgumentError E345: a negative degree; too few points for a covariance.

    >>> np.polyfit(np.array([0, 1, 2]), np.array([1, 3, 5]), 1).round(3)
    array([2., 1.])
    """
    at, values, dtype = x, y, x.dtype
    check_real("polyfit", at, values)
    if deg < 0:
        raise ValueArgumentError("E345", f"polyfit: a degree must not be negative, got {deg}")
    if at.ndim != 1 or values.ndim not in (1, 2) or not at.shape[0] or at.shape[0] != values.shape[0]:
        raise ShapeError("E118", f"polyfit takes [m] and [m] or [m, k], got {at.type} and {values.type}")
    if isinstance(cov, str):
        one_of(cov, ("unscaled",), "polyfit", "cov")
    count, order = at.shape[0], deg + 1
    small = count * float(numpy.finfo(dtype).eps) if rcond is None else rcond
    left, right = vander(at, order), values
    if w is not None:
        if w.shape != at.shape:
            raise ShapeError("E118", f"polyfit needs one weight for each of {count} points, got {w.type}")
        left = np.multiply(left, np.expand_dims(w, 1))
        right = np.multiply(right, w if right.ndim == 1 else np.expand_dims(w, 1))
    scale = (left * left).sum(0) ** 0.5
    coefficients, residuals, rank, singular = lstsq(left / scale, right, small)
    coefficients = coefficients / (scale if right.ndim == 1 else np.expand_dims(scale, 1))
    if full:
        return coefficients, residuals, rank, singular, small
    if isinstance(rank, ndarray) and int(rank) != order:
        warnings.warn("Polyfit may be poorly conditioned", numpy.exceptions.RankWarning, stacklevel=3)
    if cov is False or cov is None:
        return coefficients
    spread = inv(left.T / np.expand_dims(scale, 1) @ (left / scale)) / np.outer(scale, scale)
    if cov != "unscaled":
        if count <= order:
            what = f"polyfit: {count} points are too few for the covariance of {order} coefficients"
            raise ValueArgumentError("E345", what, help="cov='unscaled' needs fewer points")
        left_over = np.sum(np.square(right - left @ coefficients), 0) / (count - order)
        spread = spread * left_over if values.ndim == 1 else np.expand_dims(spread, 2) * left_over
    return coefficients, spread
