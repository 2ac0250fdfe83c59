# SPDX-License-Identifier: Apache-2.0
"""Random numbers, all from one counter-based generator (Philox4x32-10) and one state: `np.random`, `hybridize.random`.

`state` (`draws`) is an ordinary array of two words: the seed, and the number of draws so far, each of which takes a
stream of its own. A draw reads it and adds one. So inside a compiled function it is an input that is written, a seeded
compiled function draws what the same imperative one draws, and `dropout` differs at every call.

Functions take NumPy's arguments; the default dtype is float32.
"""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import numpy

from hybridize import ops
from hybridize.array.device import begin_on
from hybridize.array.draws import (
    UNITS,
    above_0,
    check_shares,
    drawn,
    float_of,
    given_to,
    is_array,
    not_negative,
    scaled,
    shape_of_draws,
    unit,
)
from hybridize.array.draws import bits as bits
from hybridize.array.draws import key as key
from hybridize.array.draws import seed as seed
from hybridize.array.draws import state as state
from hybridize.array.functions import searching
from hybridize.array.functions.bounds import require
from hybridize.array.functions.creation import array as array_of
from hybridize.array.functions.elementwise import (
    add,
    divide,
    exp,
    greater,
    greater_equal,
    less,
    less_equal,
    log,
    log1p,
    logical_and,
    minimum,
    multiply,
    sign,
    sqrt,
    subtract,
    tan,
    where,
)
from hybridize.array.functions.elementwise import power as raised
from hybridize.array.functions.factors import cholesky
from hybridize.array.functions.reductions import argmax, cumsum, sum
from hybridize.array.functions.searching import argsort, searchsorted
from hybridize.array.functions.shapes import broadcast_to, reshape
from hybridize.array.ndarray import ndarray, wrap
from hybridize.array.operands import array, public, sizes_from
from hybridize.array.single import CompiledDraw
from hybridize.base.dtypes import DType, as_dtype, float32, float64, int64, uint64
from hybridize.base.errors import ShapeError, ValueArgumentError
from hybridize.base.loading import load_module
from hybridize.base.missing import missing
from hybridize.ops import Operand


@public
def uniform(
    low: Any = 0.0,
    high: Any = 1.0,
    size: Any = None,
    dtype: Any = None,
    ctx: Any = None,
    device: Any = None,
    out: Any = None,
) -> ndarray:
    """Uniform numbers from [low, high)."""
    begin_on(ctx if ctx is not None else device)
    width = high - low if isinstance(low, (int, float)) and isinstance(high, (int, float)) else subtract(high, low)
    return given_to(out, scaled(unit(shape_of_draws(size, low, high), float_of(dtype)), low, width))


@public
def rand(*size: int, **kwargs: Any) -> ndarray:
    """Uniform numbers from [0, 1) of the given sizes."""
    return uniform(size=size, **kwargs)


@public
def random(size: Any = None, dtype: Any = None) -> ndarray:
    """Uniform numbers from [0, 1)."""
    return uniform(size=size, dtype=dtype)


random_sample = ranf = sample = random


def _normal(shape: tuple[int, ...], dtype: DType) -> Any:
    """Standard normal numbers."""
    count = math.prod(shape)
    both = drawn(_PAIRS[float64 if dtype == float64 else float32], (-(-count // 2),))
    return reshape(both[:count], shape).astype(dtype, copy=False)


def _pairs(key: Operand, shape: tuple[int], dtype: DType) -> Operand:
    """Twice as many normal numbers, by Box and Muller's method: two from each pair of uniform ones."""
    both = ops.uniform_numbers(key, (2, *shape), dtype, 0.5)
    first, second = (ops.reshape(ops.slice(both, (k, 0), (k + 1, *shape), (1, 1)), shape) for k in range(2))
    logarithm, angle = ops.log(first), ops.mul(second, ops.like(2.0 * math.pi, second))
    radius = ops.sqrt(ops.mul(logarithm, ops.like(-2.0, logarithm)))
    return ops.concat(ops.mul(radius, ops.cos(angle)), ops.mul(radius, ops.sin(angle)), axis=0)


def _few_pairs(key: numpy.ndarray[Any, Any], count: int, dtype: DType) -> numpy.ndarray[Any, Any]:
    """The same of few."""
    first, second = UNITS[dtype, True](key, 2 * count).reshape(2, count)
    radius, angle = numpy.sqrt(numpy.log(first) * dtype.type(-2)), second * dtype.type(2.0 * math.pi)
    return numpy.concatenate([radius * numpy.cos(angle), radius * numpy.sin(angle)])


_PAIRS = {
    dtype: CompiledDraw(partial(_pairs, dtype=dtype), "normal numbers", few=partial(_few_pairs, dtype=dtype))
    for dtype in (float32, float64)
}


@public
def normal(
    loc: Any = 0.0,
    scale: Any = 1.0,
    size: Any = None,
    dtype: Any = None,
    ctx: Any = None,
    device: Any = None,
    out: Any = None,
) -> ndarray:
    """Normal numbers with mean `loc` and standard deviation `scale`."""
    begin_on(ctx if ctx is not None else device)
    not_negative(scale, "normal: scale")
    return given_to(out, scaled(_normal(shape_of_draws(size, loc, scale), float_of(dtype)), loc, scale))


@public
def randn(*size: int, **kwargs: Any) -> ndarray:
    """Standard normal numbers of the given sizes."""
    return normal(size=size, **kwargs)


@public
def standard_normal(size: Any = None, dtype: Any = None) -> ndarray:
    """Standard normal numbers."""
    return normal(size=size, dtype=dtype)


@public
def lognormal(
    mean: Any = 0.0, sigma: Any = 1.0, size: Any = None, dtype: Any = None, ctx: Any = None, device: Any = None
) -> Any:
    """Numbers whose logarithms are normal."""
    return exp(normal(mean, sigma, size, dtype, ctx, device))


@public
def randint(
    low: Any,
    high: Any = None,
    size: Any = None,
    dtype: Any = None,
    ctx: Any = None,
    device: Any = None,
    out: Any = None,
) -> ndarray:
    """Integers from [low, high), or from [0, low); int64 unless said.

    Raises:
        ValueArgumentError E316: no integer is there, or one that `dtype` does not hold.
        ValueArgumentError E345: the same of bounds that are arrays; there may be 2**32 integers between them at most.
    """
    begin_on(ctx if ctx is not None else device)
    wanted = int64 if dtype is None else as_dtype(dtype)
    low, high = (0, low) if high is None else (low, high)
    if _has_axes(low) or _has_axes(high):
        return given_to(out, _between(low, high, size, wanted))
    low, high = int(low), int(high)
    if low >= high:
        raise ValueArgumentError("E316", f"randint: no integer is in [{low}, {high})")
    ends = numpy.iinfo(wanted) if wanted.kind in "iu" else None
    if ends is not None and not ends.min <= low <= high - 1 <= ends.max:
        raise ValueArgumentError("E316", f"randint: {wanted.name} does not hold all of [{low}, {high})")
    shape, width = shape_of_draws(size), high - low
    if width <= 1 << 32:
        wide = uint64 if wanted == uint64 else int64
        bounds = wrap(numpy.array(width, uint64)), wrap(numpy.array(low, wide))
        return given_to(out, drawn(_INTEGERS[wide], shape, *bounds).astype(wanted, copy=False))
    words = bits((*shape, 2)).astype(uint64)
    numbers = (words[..., 0] << numpy.uint64(32)) | words[..., 1]
    numbers = numbers % numpy.uint64(width) if width < 1 << 64 else numbers
    if wanted == uint64:
        return given_to(out, numbers + numpy.uint64(low))
    return given_to(out, (numbers.astype(int64) + low).astype(wanted))


def _integers(key: Operand, shape: tuple[int, ...], width: Operand, low: Operand) -> Operand:
    """Integers from `low` on, one of `width` (u64); the upper halves of products, as in `_upper_half`."""
    words = ops.cast(ops.random_bits(key, shape), uint64)
    number = ops.shift_right(ops.mul(words, ops.broadcast(width, shape)), ops.like(32, words))
    return ops.add(ops.cast(number, ops.type_of(low).dtype), ops.broadcast(low, shape))


_INTEGERS = {dtype: CompiledDraw(_integers, "random integers") for dtype in (int64, uint64)}


def _has_axes(x: Any) -> bool:
    return isinstance(x, (list, tuple)) or getattr(x, "ndim", 0) > 0


def _upper_half(words: Any, width: Any) -> Any:
    """The upper half of a 64-bit product: a number below `width`, off from uniform by at most width / 2**32."""
    return (words.astype(uint64) * width) >> numpy.uint64(32)


def _between(low: Any, high: Any, size: Any, dtype: DType) -> Any:
    """Integers between bounds that are arrays."""
    first, last = array(low).astype(int64), array(high).astype(int64)
    width = subtract(last, first)
    fine = logical_and(less(0, width), less_equal(width, 1 << 32))
    require(fine, "random.randint: low < high <= low + 2**32, where they are arrays")
    words = bits(shape_of_draws(size, first, last))
    return (_upper_half(words, width.astype(uint64)).astype(int64) + first).astype(dtype)


def _exponentials(key: Operand, shape: tuple[int, ...], dtype: DType) -> Operand:
    """Exponential numbers of mean 1."""
    return ops.neg(ops.log(ops.uniform_numbers(key, shape, dtype, 0.5)))


def _few_exponentials(key: numpy.ndarray[Any, Any], count: int, dtype: DType) -> numpy.ndarray[Any, Any]:
    return -1 * numpy.asarray(numpy.log(UNITS[dtype, True](key, count)))


_EXPONENTIALS = {
    dtype: CompiledDraw(
        partial(_exponentials, dtype=dtype), "exponential numbers", few=partial(_few_exponentials, dtype=dtype)
    )
    for dtype in (float32, float64)
}


@public
def exponential(
    scale: Any = 1.0, size: Any = None, dtype: Any = None, ctx: Any = None, device: Any = None, out: Any = None
) -> Any:
    """Exponential numbers with mean `scale`."""
    begin_on(ctx if ctx is not None else device)
    not_negative(scale, "exponential: scale")
    return given_to(out, scaled(_exponential(size, dtype, scale), 0.0, scale))


def _exponential(size: Any, dtype: Any, *parameters: Any) -> Any:
    wanted = float_of(dtype)
    found = drawn(_EXPONENTIALS[float64 if wanted == float64 else float32], shape_of_draws(size, *parameters))
    return found.astype(wanted, copy=False)


def _open(size: Any, dtype: Any, *parameters: Any) -> Any:
    return unit(shape_of_draws(size, *parameters), float_of(dtype), open_at_zero=True)


@public
def gumbel(
    loc: Any = 0.0,
    scale: Any = 1.0,
    size: Any = None,
    dtype: Any = None,
    ctx: Any = None,
    device: Any = None,
    out: Any = None,
) -> Any:
    """Gumbel numbers: what to add to logits so that their argmax is a draw from the softmax."""
    begin_on(ctx if ctx is not None else device)
    not_negative(scale, "gumbel: scale")
    return given_to(out, scaled(-log(_exponential(size, dtype, loc, scale)), loc, scale))


@public
def logistic(
    loc: Any = 0.0,
    scale: Any = 1.0,
    size: Any = None,
    dtype: Any = None,
    ctx: Any = None,
    device: Any = None,
    out: Any = None,
) -> Any:
    """Logistic numbers."""
    begin_on(ctx if ctx is not None else device)
    not_negative(scale, "logistic: scale")
    u = _open(size, dtype, loc, scale)
    return given_to(out, scaled(log(u) - log1p(-u), loc, scale))


@public
def laplace(
    loc: Any = 0.0,
    scale: Any = 1.0,
    size: Any = None,
    dtype: Any = None,
    ctx: Any = None,
    device: Any = None,
    out: Any = None,
) -> Any:
    """Laplace numbers."""
    begin_on(ctx if ctx is not None else device)
    not_negative(scale, "laplace: scale")
    u = _open(size, dtype, loc, scale) - 0.5
    return given_to(out, scaled(-sign(u) * log1p(abs(u) * -2.0), loc, scale))


@public
def rayleigh(scale: Any = 1.0, size: Any = None, ctx: Any = None, device: Any = None, out: Any = None) -> Any:
    """Rayleigh numbers."""
    begin_on(ctx if ctx is not None else device)
    not_negative(scale, "rayleigh: scale")
    return given_to(out, scaled(sqrt(_exponential(size, None, scale) * 2.0), 0.0, scale))


@public
def weibull(a: Any, size: Any = None, ctx: Any = None, device: Any = None, out: Any = None) -> Any:
    """Weibull numbers of shape `a`."""
    begin_on(ctx if ctx is not None else device)
    not_negative(a, "weibull: a")
    return given_to(out, raised(_exponential(size, None, a), divide(1.0, a)))


@public
def pareto(a: Any, size: Any = None, ctx: Any = None, device: Any = None, out: Any = None) -> Any:
    """Pareto II numbers of shape `a`."""
    begin_on(ctx if ctx is not None else device)
    above_0(a, "pareto: a")
    return given_to(out, exp(divide(_exponential(size, None, a), a)) - 1.0)


@public
def power(a: Any, size: Any = None, ctx: Any = None, device: Any = None, out: Any = None) -> Any:
    """Numbers from [0, 1] with density a x**(a - 1)."""
    begin_on(ctx if ctx is not None else device)
    above_0(a, "power: a")
    return given_to(out, raised(_open(size, None, a), divide(1.0, a)))


@public
def standard_cauchy(size: Any = None) -> Any:
    """Cauchy numbers."""
    return tan((_open(size, None) - 0.5) * math.pi)


@public
def bernoulli(
    prob: Any = None,
    logit: Any = None,
    size: Any = None,
    dtype: Any = None,
    ctx: Any = None,
    device: Any = None,
    out: Any = None,
) -> Any:
    """1 with probability `prob` (or sigmoid(`logit`)), else 0; float32 unless said."""
    begin_on(ctx if ctx is not None else device)
    if (prob is None) == (logit is None):
        raise ValueArgumentError("E316", "bernoulli takes prob or logit, one of them")
    if prob is None:
        prob = divide(1.0, add(exp(-array(logit)), 1.0))
    else:
        inside = logical_and(less_equal(0.0, prob), less_equal(prob, 1.0)) if is_array(prob) else 0 <= prob <= 1
        require(inside, "random.bernoulli: prob is from 0 to 1")
    return given_to(out, less(unit(shape_of_draws(size, prob), float32), prob).astype(float_of(dtype)))


@public
def gamma(
    shape: Any,
    scale: Any = 1.0,
    size: Any = None,
    dtype: Any = None,
    ctx: Any = None,
    device: Any = None,
    out: Any = None,
) -> Any:
    """Gamma numbers with mean shape * scale; they have gradients by both.

    Source: Marsaglia and Tsang, A simple method for generating gamma variables, 2000. A shape below 1 is drawn as
    one above, times a power of a uniform number.
    """
    begin_on(ctx if ctx is not None else device)
    not_negative(shape, "gamma: shape")
    not_negative(scale, "gamma: scale")
    sizes, wanted = shape_of_draws(size, shape, scale), float_of(dtype)
    wide = float64 if wanted == float64 else float32
    return given_to(out, scaled(_standard_gamma(shape, sizes, wide), 0.0, scale).astype(wanted))


def _standard_gamma(shape: Any, sizes: tuple[int, ...], dtype: DType) -> Any:
    """Gamma numbers of scale 1. Those of a shape below 1 are ones of a shape above, times a power of uniform ones."""
    if not is_array(shape):
        at_least_1 = wrap(numpy.full((), shape if shape >= 1 else shape + 1, dtype))
        number = drawn(_GAMMA, sizes, at_least_1)
        if shape >= 1:
            return number
        return number * raised(unit(sizes, dtype, open_at_zero=True), 1.0 / shape if shape else math.inf)
    k = array(shape, None).astype(dtype)
    small = less(k, 1.0)
    number = drawn(_GAMMA, sizes, broadcast_to(where(small, k + 1.0, k), sizes))
    boost = raised(unit(sizes, dtype, open_at_zero=True), divide(1.0, where(small, k, 1.0)))
    return where(small, number * boost, number)


_GAMMA = CompiledDraw(lambda key, shape, alpha: ops.standard_gamma(key, ops.broadcast(alpha, shape)), "gamma numbers")


@public
def chisquare(df: Any, size: Any = None, dtype: Any = None, ctx: Any = None, device: Any = None) -> Any:
    """Chi-square numbers of `df` degrees of freedom."""
    begin_on(ctx if ctx is not None else device)
    above_0(df, "chisquare: df")
    return gamma(multiply(df, 0.5) if is_array(df) else df * 0.5, 2.0, size, dtype)


@public
def beta(a: Any, b: Any, size: Any = None, dtype: Any = None, ctx: Any = None, device: Any = None) -> Any:
    """Beta numbers."""
    begin_on(ctx if ctx is not None else device)
    above_0(a, "beta: a")
    above_0(b, "beta: b")
    sizes = shape_of_draws(size, a, b)
    x, y = gamma(a, 1.0, sizes, dtype), gamma(b, 1.0, sizes, dtype)
    return x / (x + y)


@public
def f(dfnum: Any, dfden: Any, size: Any = None, ctx: Any = None, device: Any = None) -> Any:
    """Numbers of Fisher's F distribution."""
    begin_on(ctx if ctx is not None else device)
    above_0(dfnum, "f: dfnum")
    above_0(dfden, "f: dfden")
    sizes = shape_of_draws(size, dfnum, dfden)
    return divide(chisquare(dfnum, sizes) / dfnum, chisquare(dfden, sizes) / dfden)


@public
def permutation(x: Any) -> ndarray:
    """The integers below `x`, or the rows of an array, in random order."""
    count = int(x) if isinstance(x, int) else array(x).shape[0]
    order = argsort(bits((count,)))
    return order if isinstance(x, int) else searching.picked(array(x), order, 0)


@public
def shuffle(x: Any) -> None:
    """Put the rows of an array into random order, in place."""
    x[...] = permutation(x)


@public
def choice(
    a: Any, size: Any = None, replace: bool = True, p: Any = None, ctx: Any = None, device: Any = None, out: Any = None
) -> Any:
    """Elements of `a` (or integers below it), each with the same probability or with those of `p`."""
    begin_on(ctx if ctx is not None else device)
    source: Any = None if isinstance(a, int) else array(a)
    if source is not None and not source.ndim:
        source, a = None, int(source)
    count = a if source is None else source.shape[0]
    shape = shape_of_draws(size)
    total = math.prod(shape)
    if count < 1 and total:
        raise ValueArgumentError("E345", f"random.choice: there is nothing to choose from, got {a!r}")
    if p is not None:
        p = array(p)
        if p.shape != (count,):
            raise ShapeError("E135", f"choice: probabilities {p.type} for {count} elements", help="one for each")
        check_shares(p, "choice")
    if not replace and total > count:
        raise ShapeError("E135", f"choice: cannot draw {total} of {count} elements without replacement")
    if replace and p is None:
        chosen = randint(0, count, shape)
    elif replace:
        chosen = _drawn(p, shape)
    else:
        if p is not None:
            require(greater_equal(sum(greater(p, 0.0)), total), f"random.choice: {total} elements have a probability")
        keys = -gumbel(size=(count,)) - (log(p) if p is not None else 0.0)
        chosen = reshape(argsort(keys)[:total], shape)
    return given_to(out, chosen if source is None else searching.picked(source, chosen, 0))


def _drawn(p: Any, shape: tuple[int, ...]) -> Any:
    """Indices drawn with the probabilities of a vector."""
    return minimum(searchsorted(cumsum(p), unit(shape, float32), "right"), p.shape[-1] - 1)


@public
def categorical(logits: Any, size: Any = None) -> Any:
    """An index along the last axis, drawn with the probabilities of the softmax; int64."""
    x = array(logits)
    shape = (() if size is None else sizes_from(size)) + x.shape
    return argmax(x + gumbel(size=shape), -1)


@public
def multivariate_normal(mean: Any, cov: Any, size: Any = None) -> Any:
    """Normal vectors with a mean and a covariance, which has to be positive definite.

    Raises:
        ShapeError E118: the mean is no vector, or the covariance no matrix of its size.
        LinAlgError E525: the covariance has no factors; imperatively, NumPy's.
    """
    centre, covariance = array(mean), array_of(cov, float64)
    if centre.ndim != 1 or covariance.shape != centre.shape * 2:
        raise ShapeError(
            "E118",
            f"multivariate_normal takes a mean [n] and a covariance [n, n], got {centre.type} and {covariance.type}",
        )
    factor = cholesky(covariance, upper=True)
    drawn = _normal((*(() if size is None else sizes_from(size)), centre.shape[0]), float32)
    return drawn @ factor.astype(float32) + centre


@public
def uniform_like(data: Any, low: float = 0.0, high: float = 1.0) -> Any:
    """Uniform numbers in the shape and dtype of `data`."""
    x = array(data)
    return uniform(low, high, x.shape, x.dtype)


@public
def normal_like(data: Any, loc: float = 0.0, scale: float = 1.0) -> Any:
    """Normal numbers in the shape and dtype of `data`."""
    x = array(data)
    return normal(loc, scale, x.shape, x.dtype)


_DISTRIBUTIONS = (
    "binomial", "dirichlet", "geometric", "hypergeometric", "integers", "logseries", "multinomial",
    "multivariate_hypergeometric", "negative_binomial", "noncentral_chisquare", "noncentral_f", "poisson",
    "random_integers", "standard_exponential", "standard_gamma", "standard_t", "triangular", "vonmises", "wald", "zipf",
)  # fmt: skip
_GENERATORS = ("Generator", "RandomState", "default_rng", "get_state", "set_state", "bytes")
_LATER = dict.fromkeys(_DISTRIBUTIONS, "distributions") | dict.fromkeys(_GENERATORS, "generators")
"""Names of other modules, which are loaded when they are asked for."""


def __getattr__(name: str) -> Any:
    if name in _LATER:
        found = globals()[name] = getattr(load_module(f"hybridize.array.{_LATER[name]}"), name)
        return found
    what = "numpy.random.{} on x.asnumpy(), outside of compiled functions"
    theirs = not name.startswith("__") and hasattr(numpy.random, name)
    raise missing(
        "hybridize.np.random",
        name,
        {**globals(), **_LATER},
        {name: what.format(name)} if theirs else {},
    )


def __dir__() -> list[str]:
    return sorted({*globals(), *_LATER})
