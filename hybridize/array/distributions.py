# SPDX-License-Identifier: Apache-2.0
"""The less usual distributions of `np.random`.

Some are formulas of uniform, normal and gamma numbers, and part of programs as those are. The others, mostly counts,
need a number of steps that depends on each draw: NumPy draws them, imperatively, keyed by our state; in a program they
are refused.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy

from hybridize.array.draws import above_0, key, not_negative, shape_of_draws, unit
from hybridize.array.functions.bounds import require
from hybridize.array.functions.elementwise import (
    divide,
    equal,
    expm1,
    floor,
    greater_equal,
    less,
    less_equal,
    log,
    log1p,
    logical_and,
    maximum,
    sqrt,
    square,
    where,
)
from hybridize.array.functions.reductions import sum
from hybridize.array.functions.shapes import broadcast_to
from hybridize.array.ndarray import ndarray, wrap
from hybridize.array.operands import array, public, sizes_from
from hybridize.array.random import chisquare, exponential, gamma, normal, randint
from hybridize.base.dtypes import as_dtype, float32, float64, int64
from hybridize.base.errors import CaptureError, ShapeError
from hybridize.base.loading import load_module
from hybridize.ops.op import ACTIVE, capturing


@public
def standard_exponential(size: Any = None, dtype: Any = None, method: str = "zig", out: Any = None) -> Any:
    """Exponential numbers with mean 1; `method` says nothing about the result."""
    return exponential(1.0, size, dtype, out=out)


@public
def standard_gamma(shape: Any, size: Any = None, dtype: Any = None, out: Any = None) -> Any:
    """Gamma numbers of scale 1."""
    return gamma(shape, 1.0, size, dtype, out=out)


@public
def standard_t(df: Any, size: Any = None) -> Any:
    """Numbers of Student's t distribution with `df` degrees of freedom."""
    above_0(df, "standard_t: df")
    sizes = shape_of_draws(size, df)
    return normal(0.0, 1.0, sizes) * sqrt(divide(df, chisquare(df, sizes)))


@public
def triangular(left: Any, mode: Any, right: Any, size: Any = None) -> Any:
    """Numbers between `left` and `right` whose density is a triangle with its top at `mode`."""
    low, top, high = (array(end).astype(float64) for end in (left, mode, right))
    require(
        logical_and(less_equal(low, top), logical_and(less_equal(top, high), less(low, high))),
        "random.triangular: left <= mode <= right, and left < right",
    )
    u = unit(shape_of_draws(size, left, mode, right), float64)
    width = high - low
    below = low + sqrt(u * width * (top - low))
    above = high - sqrt((1.0 - u) * width * (high - top))
    return where(less_equal(u, (top - low) / width), below, above).astype(float32)


@public
def wald(mean: Any, scale: Any, size: Any = None) -> Any:
    """Inverse Gaussian numbers.

    Source: Michael, Schucany and Haas, Generating random variates using transformations with multiple roots, 1976.
    """
    above_0(mean, "wald: mean")
    above_0(scale, "wald: scale")
    sizes = shape_of_draws(size, mean, scale)
    m, s = (array(p).astype(float64) for p in (mean, scale))
    y = m * square(normal(0.0, 1.0, sizes, float64))
    # The smaller root, without cancellation: m + (y - sqrt(4 s y + y^2)) m / (2 s) times its conjugate.
    ratio = y / (2.0 * s)
    first = m / (1.0 + ratio + sqrt(ratio * (ratio + 2.0)))
    u = unit(sizes, float64)
    return where(less_equal(u, m / (m + first)), first, m * m / first).astype(float32)


@public
def geometric(p: Any, size: Any = None) -> Any:
    """Numbers of trials of probability `p` until one succeeds, int64."""
    _probability(p, "geometric: p", above=True)
    u = unit(shape_of_draws(size, p), float64, open_at_zero=True)
    chance = array(p).astype(float64)
    many = log(u) / log1p(-where(equal(chance, 1.0), 0.5, chance))
    return where(equal(chance, 1.0), 1.0, maximum(_below_int64(many + 1.0), 1.0)).astype(int64)


def _below_int64(x: Any) -> Any:
    return floor(where(less(x, 9.2e18), x, 9.2e18))


@public
def logseries(p: Any, size: Any = None) -> Any:
    """Numbers of the logarithmic series distribution, int64.

    Source: Kemp, Efficient generation of logarithmically distributed pseudo-random variables, 1981.
    """
    chance = array(p).astype(float64)
    inside = logical_and(less_equal(0.0, chance), less(chance, 1.0))
    require(inside, "random.logseries: p is from 0 to below 1")
    sizes = shape_of_draws(size, p)
    v, u = unit(sizes, float64, open_at_zero=True), unit(sizes, float64, open_at_zero=True)
    q = -expm1(log1p(-chance) * u)
    q = where(q > 0, q, 1e-300)
    many = _below_int64(1.0 + log(v) / where(less(q, 1.0), log(q), -1e-300))
    found = where(less_equal(v, q * q), maximum(many, 1.0), where(greater_equal(v, q), 1.0, 2.0))
    return where(greater_equal(v, chance), 1.0, found).astype(int64)


@public
def dirichlet(alpha: Any, size: Any = None) -> Any:
    """Shares that sum to 1, [..., n], of concentrations [n]."""
    a = array(alpha)
    if a.ndim != 1:
        raise ShapeError("E118", f"dirichlet takes a vector of concentrations, got {a.type}")
    above_0(a, "dirichlet: alpha")
    shape = (*(() if size is None else sizes_from(size)), a.shape[0])
    parts = gamma(broadcast_to(a.astype(float64), shape), 1.0, shape, float64)
    return (parts / sum(parts, -1, keepdims=True)).astype(float32)


def _probability(p: Any, what: str, above: bool = False) -> None:
    """Refuse what is no probability; `above`: nor may it be 0."""
    chance = array(p)
    low = less(0.0, chance) if above else less_equal(0.0, chance)
    rule = "is above 0, and not above 1" if above else "is from 0 to 1"
    require(logical_and(low, less_equal(chance, 1.0)), f"random.{what} {rule}")


Checks = tuple[Callable[[Any], None], ...]


def _by_numpy(name: str, parameters: tuple[str, ...], checks: Checks, text: str) -> Callable[..., Any]:
    """A distribution that NumPy draws from a generator that our state keys.

    Args:
        name: NumPy's.
        parameters: their names.
        checks: of each parameter.
        text: what is drawn.
    """

    def draw(*args: Any, **kwargs: Any) -> Any:
        given = dict(zip((*parameters, "size"), args, strict=False)) | kwargs
        unknown = given.keys() - {*parameters, "size", "dtype", "method"}
        missing = [one for one in parameters if one not in given]
        if unknown or missing or len(args) > len(parameters) + 1:
            takes = ", ".join((*parameters, "size"))
            raise TypeError(f"{name}({takes}): missing {missing}, unknown {sorted(unknown)}")
        if ACTIVE and capturing():
            raise CaptureError(
                "E403",
                f"random.{name} cannot be compiled: how many steps a draw takes depends on the draw",
                help="draw outside of the compiled function and pass the numbers in",
            )
        for one, check in zip(parameters, checks, strict=True):
            check(given[one])
        dtype = given.pop("dtype", None)
        values = {one: _values(value) for one, value in given.items()}
        found = numpy.asarray(getattr(_generator(), name)(**values))
        wanted = as_dtype(dtype) if dtype is not None else float32 if found.dtype.kind == "f" else int64
        return wrap(found.astype(wanted, copy=False))

    draw.__name__ = draw.__qualname__ = name
    draw.__doc__ = f"{text}; imperatively."
    return public(draw)


def _values(x: Any) -> Any:
    if isinstance(x, (list, tuple)):
        return type(x)(map(_values, x))
    return x.asnumpy() if isinstance(x, ndarray) else x


def _generator() -> Any:
    """A generator of NumPy's for one draw."""
    random = load_module("numpy.random")
    return random.Generator(random.Philox(key=key()))


def _any(_: Any) -> None:
    """Nothing to check: NumPy does."""


def _count(what: str) -> Callable[[Any], None]:
    return lambda n: not_negative(n, what)


poisson = _by_numpy("poisson", ("lam",), (partial(not_negative, what="poisson: lam"),), "Counts of mean `lam`, int64")
binomial = _by_numpy(
    "binomial",
    ("n", "p"),
    (_count("binomial: n"), partial(_probability, what="binomial: p")),
    "Numbers of successes among `n` trials of probability `p`, int64",
)
negative_binomial = _by_numpy(
    "negative_binomial",
    ("n", "p"),
    (_count("negative_binomial: n"), partial(_probability, what="negative_binomial: p", above=True)),
    "Numbers of failures among trials of probability `p` until `n` succeed, int64",
)
hypergeometric = _by_numpy(
    "hypergeometric",
    ("ngood", "nbad", "nsample"),
    (_count("hypergeometric: ngood"), _count("hypergeometric: nbad"), _count("hypergeometric: nsample")),
    "Numbers of good ones among `nsample` that are taken of `ngood` good and `nbad` bad ones, int64",
)
multivariate_hypergeometric = _by_numpy(
    "multivariate_hypergeometric",
    ("colors", "nsample"),
    (_count("multivariate_hypergeometric: colors"), _count("multivariate_hypergeometric: nsample")),
    "Numbers of each colour among `nsample` that are taken of so many of each, int64",
)
zipf = _by_numpy("zipf", ("a",), (_any,), "Numbers k with probabilities as k**-a, int64")
vonmises = _by_numpy(
    "vonmises",
    ("mu", "kappa"),
    (_any, partial(not_negative, what="vonmises: kappa")),
    "Angles around `mu`, the closer the larger `kappa`",
)
noncentral_chisquare = _by_numpy(
    "noncentral_chisquare",
    ("df", "nonc"),
    (partial(above_0, what="noncentral_chisquare: df"), partial(not_negative, what="noncentral_chisquare: nonc")),
    "Noncentral chi-square numbers",
)
noncentral_f = _by_numpy(
    "noncentral_f",
    ("dfnum", "dfden", "nonc"),
    (
        partial(above_0, what="noncentral_f: dfnum"),
        partial(above_0, what="noncentral_f: dfden"),
        partial(not_negative, what="noncentral_f: nonc"),
    ),
    "Noncentral F numbers",
)


@public
def random_integers(low: int, high: int | None = None, size: Any = None) -> Any:
    """Integers from `low` to `high`, both included, or from 1 to `low`; int64."""
    low, high = (1, low) if high is None else (low, high)
    return randint(low, high + 1, size)


@public
def integers(low: Any, high: Any = None, size: Any = None, dtype: Any = None, endpoint: bool = False) -> Any:
    """Integers from [low, high), or from [0, low); with `endpoint` also `high` itself; see `randint`."""
    low, high = (0, low) if high is None else (low, high)
    if endpoint:
        high = high + 1 if isinstance(high, int) else array(high) + 1
    return randint(low, high, size, dtype)
