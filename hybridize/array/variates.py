# SPDX-License-Identifier: Apache-2.0
"""The usual distributions of `np.random`, permutations and choices: programs draw them themselves.

Functions take NumPy's arguments; the default dtype is float32.
"""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import numpy

from hybridize import ops
from hybridize.array import draws
from hybridize.array import functions as np
from hybridize.array.functions import elementwise, searching
from hybridize.array.functions.bounds import require
from hybridize.array.functions.factors import cholesky
from hybridize.array.ndarray import ndarray, wrap
from hybridize.array.operands import array, creates, public, sizes_from
from hybridize.array.single import CompiledDraw
from hybridize.base.dtypes import DType, as_dtype, float32, float64, int64, uint64
from hybridize.base.errors import ShapeError, ValueArgumentError
from hybridize.ops import Operand
from hybridize.ops.library.variates import normal_pairs


@creates("ctx", "device", "out")
def uniform(low: Any = 0.0, high: Any = 1.0, size: Any = None, dtype: Any = None) -> ndarray:
    """Draw uniform numbers from [low, high); float32 unless you pass a dtype.

    >>> np.random.seed(0)
    >>> np.random.uniform(0, 10, size=3).round(3)
    array([3.99 , 8.805, 7.357])
    """
    width = high - low if isinstance(low, (int, float)) and isinstance(high, (int, float)) else np.subtract(high, low)
    return draws.scaled(draws.unit(draws.shape_of_draws(size, low, high), draws.float_of(dtype)), low, width)


@public
def rand(*size: int, **kwargs: Any) -> ndarray:
    """Draw uniform numbers from [0, 1) in an array of the given sizes.

    >>> np.random.seed(0)
    >>> np.random.rand(2, 2).round(3)
    array([[0.399, 0.881],
           [0.736, 0.605]])
    """
    return uniform(size=size, **kwargs)


@public
def random(size: Any = None, dtype: Any = None) -> ndarray:
    """Draw uniform numbers from [0, 1).

    >>> np.random.seed(0)
    >>> np.random.random(3).round(3)
    array([0.399, 0.881, 0.736])
    """
    return uniform(size=size, dtype=dtype)


random_sample = random
ranf = random
sample = random


def _normal(shape: tuple[int, ...], dtype: DType) -> Any:
    """Standard normal numbers."""
    count = math.prod(shape)
    both = draws.drawn(_PAIRS[float64 if dtype == float64 else float32], (-(-count // 2),))
    return np.reshape(both[:count], shape).astype(dtype, copy=False)


def _few_pairs(key: numpy.ndarray[Any, Any], count: int, dtype: DType) -> numpy.ndarray[Any, Any]:
    """The same of few."""
    first, second = draws.UNITS[dtype, True](key, 2 * count).reshape(2, count)
    radius, angle = numpy.sqrt(numpy.log(first) * dtype.type(-2)), second * dtype.type(2.0 * math.pi)
    return numpy.concatenate([radius * numpy.cos(angle), radius * numpy.sin(angle)])


_PAIRS = {
    dtype: CompiledDraw(partial(normal_pairs, dtype=dtype), "normal numbers", few=partial(_few_pairs, dtype=dtype))
    for dtype in (float32, float64)
}


@creates("ctx", "device", "out")
def normal(loc: Any = 0.0, scale: Any = 1.0, size: Any = None, dtype: Any = None) -> ndarray:
    """Draw normal numbers with mean `loc` and standard deviation `scale`; float32 unless you pass a dtype.

    >>> np.random.seed(0)
    >>> np.random.normal(10, 2, size=3).round(3)
    array([9.757, 9.205, 7.3  ])
    """
    draws.not_negative(scale, "normal: scale")
    return draws.scaled(_normal(draws.shape_of_draws(size, loc, scale), draws.float_of(dtype)), loc, scale)


@public
def randn(*size: int, **kwargs: Any) -> ndarray:
    """Draw standard normal numbers in an array of the given sizes.

    >>> np.random.seed(0)
    >>> np.random.randn(3).round(3)
    array([-0.122, -0.398, -1.35 ])
    """
    return normal(size=size, **kwargs)


@public
def standard_normal(size: Any = None, dtype: Any = None) -> ndarray:
    """Draw standard normal numbers.

    >>> np.random.seed(0)
    >>> np.random.standard_normal(3).round(3)
    array([-0.122, -0.398, -1.35 ])
    """
    return normal(size=size, dtype=dtype)


@public
def lognormal(
    mean: Any = 0.0, sigma: Any = 1.0, size: Any = None, dtype: Any = None, ctx: Any = None, device: Any = None
) -> Any:
    """Draw numbers whose logarithms are normal, with mean `mean` and standard deviation `sigma`.

    >>> np.random.seed(0)
    >>> np.random.lognormal(size=3).round(3)
    array([0.886, 0.672, 0.259])
    """
    return np.exp(normal(mean, sigma, size, dtype, ctx, device))


@creates("ctx", "device", "out")
def randint(low: Any, high: Any = None, size: Any = None, dtype: Any = None) -> ndarray:
    """Draw integers from [low, high), or from [0, low); int64 unless you pass a dtype.

    Raises:
        ValueArgumentError E316: no integer is there, or one that `dtype` does not hold.
        ValueArgumentError E345: the same of bounds that are arrays; there may be 2**32 integers between them at most.

    >>> np.random.seed(0)
    >>> np.random.randint(0, 10, size=5)
    array([3, 8, 7, 6, 9], dtype=int64)
    """
    wanted = int64 if dtype is None else as_dtype(dtype)
    low, high = (0, low) if high is None else (low, high)
    if _has_axes(low) or _has_axes(high):
        return _between(low, high, size, wanted)
    low, high = int(low), int(high)
    if low >= high:
        raise ValueArgumentError("E316", f"randint: the range [{low}, {high}) is empty")
    ends = numpy.iinfo(wanted) if wanted.kind in "iu" else None
    if ends is not None and not ends.min <= low <= high - 1 <= ends.max:
        raise ValueArgumentError("E316", f"randint: {wanted.name} cannot represent all of [{low}, {high})")
    shape, width = draws.shape_of_draws(size), high - low
    if width <= 1 << 32:
        wide = uint64 if wanted == uint64 else int64
        bounds = wrap(numpy.array(width, uint64)), wrap(numpy.array(low, wide))
        return draws.drawn(_INTEGERS[wide], shape, *bounds).astype(wanted, copy=False)
    words = draws.bits((*shape, 2)).astype(uint64)
    numbers = (words[..., 0] << numpy.uint64(32)) | words[..., 1]
    numbers = numbers % numpy.uint64(width) if width < 1 << 64 else numbers
    if wanted == uint64:
        return numbers + numpy.uint64(low)
    return (numbers.astype(int64) + low).astype(wanted)


def _integers(key: Operand, shape: tuple[int, ...], width: Operand, low: Operand) -> Operand:
    """Integers from `low` on, one of `width` (u64); the upper halves of products, as in `_upper_half`."""
    words = ops.cast(ops.random_bits(key, shape), uint64)
    number = ops.shift_right(ops.mul(words, ops.broadcast(width, shape)), ops.like(32, words))
    return ops.add(ops.cast(number, ops.type_of(low).dtype), ops.broadcast(low, shape))


_INTEGERS = {dtype: CompiledDraw(_integers, "random integers") for dtype in (int64, uint64)}


def _has_axes(x: Any) -> bool:
    return isinstance(x, (list, tuple)) or getattr(x, "ndim", 0) > 0


def _between(low: Any, high: Any, size: Any, dtype: DType) -> Any:
    """Integers between bounds that are arrays."""
    first, last = array(low).astype(int64), array(high).astype(int64)
    width = np.subtract(last, first)
    fine = np.logical_and(np.less(0, width), np.less_equal(width, 1 << 32))
    require(fine, "random.randint: low < high <= low + 2**32, where they are arrays")
    words = draws.bits(draws.shape_of_draws(size, first, last))
    numbers = (words.astype(uint64) * width.astype(uint64)) >> numpy.uint64(32)  # uniform up to width / 2**32
    return (numbers.astype(int64) + first).astype(dtype)


def _exponentials(key: Operand, shape: tuple[int, ...], dtype: DType) -> Operand:
    """Exponential numbers of mean 1."""
    return ops.neg(ops.log(ops.uniform_numbers(key, shape, dtype, 0.5)))


def _few_exponentials(key: numpy.ndarray[Any, Any], count: int, dtype: DType) -> numpy.ndarray[Any, Any]:
    return -1 * numpy.asarray(numpy.log(draws.UNITS[dtype, True](key, count)))


_EXPONENTIALS = {
    dtype: CompiledDraw(
        partial(_exponentials, dtype=dtype), "exponential numbers", few=partial(_few_exponentials, dtype=dtype)
    )
    for dtype in (float32, float64)
}


@creates("ctx", "device", "out")
def exponential(scale: Any = 1.0, size: Any = None, dtype: Any = None) -> Any:
    """Draw exponential numbers with mean `scale`.

    >>> np.random.seed(0)
    >>> np.random.exponential(2, size=3).round(3)
    array([1.837, 0.254, 0.614])
    """
    draws.not_negative(scale, "exponential: scale")
    return draws.scaled(_exponential(size, dtype, scale), 0.0, scale)


def _exponential(size: Any, dtype: Any, *parameters: Any) -> Any:
    wanted = draws.float_of(dtype)
    numbers = draws.drawn(
        _EXPONENTIALS[float64 if wanted == float64 else float32], draws.shape_of_draws(size, *parameters)
    )
    return numbers.astype(wanted, copy=False)


def _open(size: Any, dtype: Any, *parameters: Any) -> Any:
    return draws.unit(draws.shape_of_draws(size, *parameters), draws.float_of(dtype), open_at_zero=True)


@creates("ctx", "device", "out")
def gumbel(loc: Any = 0.0, scale: Any = 1.0, size: Any = None, dtype: Any = None) -> Any:
    """Draw Gumbel numbers: the argmax of logits plus such numbers is a draw from their softmax.

    >>> np.random.seed(0)
    >>> np.random.gumbel(size=3).round(3)
    array([0.085, 2.062, 1.181])
    """
    draws.not_negative(scale, "gumbel: scale")
    return draws.scaled(-np.log(_exponential(size, dtype, loc, scale)), loc, scale)


@creates("ctx", "device", "out")
def logistic(loc: Any = 0.0, scale: Any = 1.0, size: Any = None, dtype: Any = None) -> Any:
    """Draw logistic numbers with mean `loc` and scale `scale`.

    >>> np.random.seed(0)
    >>> np.random.logistic(size=3).round(3)
    array([-0.409,  1.997,  1.024])
    """
    draws.not_negative(scale, "logistic: scale")
    u = _open(size, dtype, loc, scale)
    return draws.scaled(np.log(u) - np.log1p(-u), loc, scale)


@creates("ctx", "device", "out")
def laplace(loc: Any = 0.0, scale: Any = 1.0, size: Any = None, dtype: Any = None) -> Any:
    """Draw Laplace numbers with mean `loc` and scale `scale`.

    >>> np.random.seed(0)
    >>> np.random.laplace(size=3).round(3)
    array([-0.226,  1.431,  0.638])
    """
    draws.not_negative(scale, "laplace: scale")
    u = _open(size, dtype, loc, scale) - 0.5
    return draws.scaled(-np.sign(u) * np.log1p(abs(u) * -2.0), loc, scale)


@creates("ctx", "device", "out")
def rayleigh(scale: Any = 1.0, size: Any = None) -> Any:
    """Draw Rayleigh numbers with the scale `scale`.

    >>> np.random.seed(0)
    >>> np.random.rayleigh(size=3).round(3)
    array([1.355, 0.504, 0.783])
    """
    draws.not_negative(scale, "rayleigh: scale")
    return draws.scaled(np.sqrt(_exponential(size, None, scale) * 2.0), 0.0, scale)


@creates("ctx", "device", "out")
def weibull(a: Any, size: Any = None) -> Any:
    """Draw Weibull numbers of shape `a`.

    >>> np.random.seed(0)
    >>> np.random.weibull(2, size=3).round(3)
    array([0.958, 0.357, 0.554])
    """
    draws.not_negative(a, "weibull: a")
    return np.power(_exponential(size, None, a), np.divide(1.0, a))


@creates("ctx", "device", "out")
def pareto(a: Any, size: Any = None) -> Any:
    """Draw Pareto II numbers of shape `a`.

    >>> np.random.seed(0)
    >>> np.random.pareto(3, size=3).round(3)
    array([0.358, 0.043, 0.108])
    """
    draws.above_0(a, "pareto: a")
    return np.exp(np.divide(_exponential(size, None, a), a)) - 1.0


@creates("ctx", "device", "out")
def power(a: Any, size: Any = None) -> Any:
    """Draw numbers from [0, 1) with the density a x**(a - 1).

    >>> np.random.seed(0)
    >>> np.random.power(3, size=3).round(3)
    array([0.736, 0.958, 0.903])
    """
    draws.above_0(a, "power: a")
    return np.power(_open(size, None, a), np.divide(1.0, a))


@public
def standard_cauchy(size: Any = None) -> Any:
    """Draw standard Cauchy numbers.

    >>> np.random.seed(0)
    >>> np.random.standard_cauchy(3).round(3)
    array([-0.328,  2.538,  0.914])
    """
    return np.tan((_open(size, None) - 0.5) * math.pi)


@creates("ctx", "device", "out")
def bernoulli(prob: Any = None, logit: Any = None, size: Any = None, dtype: Any = None) -> Any:
    """Draw 1 with probability `prob`, or sigmoid(`logit`), and 0 otherwise; float32 unless you pass a dtype.

    >>> np.random.seed(0)
    >>> np.random.bernoulli(0.5, size=6)
    array([1., 0., 0., 0., 0., 1.])
    """
    if (prob is None) == (logit is None):
        raise ValueArgumentError("E316", "bernoulli takes either prob or logit")
    if prob is None:
        prob = np.divide(1.0, np.add(np.exp(-array(logit)), 1.0))
    else:
        inside = (
            np.logical_and(np.less_equal(0.0, prob), np.less_equal(prob, 1.0))
            if draws.is_array(prob)
            else 0 <= prob <= 1
        )
        require(inside, "random.bernoulli: prob is from 0 to 1")
    return np.less(draws.unit(draws.shape_of_draws(size, prob), float32), prob).astype(draws.float_of(dtype))


@creates("ctx", "device", "out")
def gamma(shape: Any, scale: Any = 1.0, size: Any = None, dtype: Any = None) -> Any:
    """Draw gamma numbers with mean shape * scale; gradients go to both parameters.

    Source: Marsaglia and Tsang, A simple method for generating gamma variables, 2000. A shape below 1 is drawn as
    one above, times a power of a uniform number.

    >>> np.random.seed(0)
    >>> np.random.gamma(2, 3, size=3).round(3)
    array([ 8.574, 10.716,  5.2  ])
    """
    draws.not_negative(shape, "gamma: shape")
    draws.not_negative(scale, "gamma: scale")
    sizes, wanted = draws.shape_of_draws(size, shape, scale), draws.float_of(dtype)
    wide = float64 if wanted == float64 else float32
    return draws.scaled(_standard_gamma(shape, sizes, wide), 0.0, scale).astype(wanted)


def _standard_gamma(shape: Any, sizes: tuple[int, ...], dtype: DType) -> Any:
    """Gamma numbers of scale 1. Those of a shape below 1 are ones of a shape above, times a power of uniform ones."""
    if not draws.is_array(shape):
        at_least_1 = wrap(numpy.full((), shape if shape >= 1 else shape + 1, dtype))
        number = draws.drawn(_GAMMA, sizes, at_least_1)
        if shape >= 1:
            return number
        return number * np.power(draws.unit(sizes, dtype, open_at_zero=True), 1.0 / shape if shape else math.inf)
    k = array(shape, None).astype(dtype)
    small = np.less(k, 1.0)
    number = draws.drawn(_GAMMA, sizes, np.broadcast_to(np.where(small, k + 1.0, k), sizes))
    boost = np.power(draws.unit(sizes, dtype, open_at_zero=True), np.divide(1.0, np.where(small, k, 1.0)))
    return np.where(small, number * boost, number)


_GAMMA = CompiledDraw(lambda key, shape, alpha: ops.standard_gamma(key, ops.broadcast(alpha, shape)), "gamma numbers")


@creates()
def chisquare(df: Any, size: Any = None, dtype: Any = None) -> Any:
    """Draw chi-square numbers with `df` degrees of freedom.

    >>> np.random.seed(0)
    >>> np.random.chisquare(2, size=3).round(3)
    array([3.007, 4.128, 1.418])
    """
    draws.above_0(df, "chisquare: df")
    return gamma(np.multiply(df, 0.5) if draws.is_array(df) else df * 0.5, 2.0, size, dtype)


@creates()
def beta(a: Any, b: Any, size: Any = None, dtype: Any = None) -> Any:
    """Draw numbers of the beta distribution with the parameters `a` and `b`.

    >>> np.random.seed(0)
    >>> np.random.beta(2, 3, size=3).round(3)
    array([0.661, 0.685, 0.345])
    """
    draws.above_0(a, "beta: a")
    draws.above_0(b, "beta: b")
    sizes = draws.shape_of_draws(size, a, b)
    x, y = gamma(a, 1.0, sizes, dtype), gamma(b, 1.0, sizes, dtype)
    return x / (x + y)


@creates()
def f(dfnum: Any, dfden: Any, size: Any = None) -> Any:
    """Draw numbers of Fisher's F distribution with `dfnum` and `dfden` degrees of freedom.

    >>> np.random.seed(0)
    >>> np.random.f(2, 5, size=3).round(3)
    array([3.396, 4.102, 0.647])
    """
    draws.above_0(dfnum, "f: dfnum")
    draws.above_0(dfden, "f: dfden")
    sizes = draws.shape_of_draws(size, dfnum, dfden)
    return np.divide(chisquare(dfnum, sizes) / dfnum, chisquare(dfden, sizes) / dfden)


@public
def permutation(x: Any) -> ndarray:
    """Return the integers below `x`, or the rows of an array, in random order.

    >>> np.random.seed(0)
    >>> np.random.permutation(4)
    array([0, 3, 2, 1], dtype=int64)
    """
    count = int(x) if isinstance(x, int) else array(x).shape[0]
    order = np.argsort(draws.bits((count,)))
    return order if isinstance(x, int) else searching.picked(array(x), order, 0)


@public
def shuffle(x: Any) -> None:
    """Put the rows of an array into random order, in place.

    >>> np.random.seed(0)
    >>> x = np.arange(4)
    >>> np.random.shuffle(x)
    >>> x
    array([0., 3., 2., 1.])
    """
    x[...] = permutation(x)


@creates("ctx", "device", "out")
def choice(a: Any, size: Any = None, replace: bool = True, p: Any = None) -> Any:
    """Draw elements of a vector, rows of a matrix, or integers below a number.

    Args:
        a: an array, whose first axis is drawn from, or a number.
        size: the shape of the result; None: one draw.
        replace: whether an element can be drawn more than once.
        p: the probability of each; None: all have the same.

    >>> np.random.seed(0)
    >>> np.random.choice(5, size=3)
    array([1, 4, 3], dtype=int64)
    >>> np.random.choice(np.array([[1, 2], [3, 4]]), size=3).shape
    (3, 2)
    """
    source: Any = None if isinstance(a, int) else array(a)
    if source is not None and not source.ndim:
        source, a = None, int(source)
    count = a if source is None else source.shape[0]
    shape = draws.shape_of_draws(size)
    total = math.prod(shape)
    if count < 1 and total:
        raise ValueArgumentError("E345", f"random.choice: the population is empty, got {a!r}")
    if p is not None:
        p = array(p)
        if p.shape != (count,):
            raise ShapeError("E135", f"choice: probabilities {p.type} for {count} elements", help="give one for each")
        draws.check_shares(p, "choice")
    if not replace and total > count:
        raise ShapeError("E135", f"choice: cannot draw {total} of {count} elements without replacement")
    if replace and p is None:
        chosen = randint(0, count, shape)
    elif replace:
        chosen = np.minimum(np.searchsorted(np.cumsum(p), draws.unit(shape, float32), "right"), count - 1)
    else:
        if p is not None:
            require(
                np.greater_equal(np.sum(np.greater(p, 0.0)), total),
                f"random.choice: {total} have a probability",
            )
        keys = -gumbel(size=(count,)) - (np.log(p) if p is not None else 0.0)
        chosen = np.reshape(np.argsort(keys)[:total], shape)
    return chosen if source is None else searching.picked(source, chosen, 0)


@public
def categorical(data: Any, shape: Any = (), get_prob: bool = False, dtype: Any = "int32") -> Any:
    """Draw indices along the last axis with the probabilities `data`; the result has the other axes, then `shape`.

    Where `get_prob`, also the logarithms of their probabilities.

    >>> np.random.seed(0)
    >>> np.random.categorical(np.array([0.1, 0.0, 0.9]), shape=5)
    array([2, 2, 0, 2, 2], dtype=int32)
    """
    p = array(data)
    draws.not_negative(p, "categorical: data")
    shares = np.divide(p, np.sum(p, -1, keepdims=True))
    sizes = () if shape is None else sizes_from(shape)
    logits = np.log(elementwise.stop_gradient(shares))
    drawn = np.moveaxis(np.argmax(logits + gumbel(size=(math.prod(sizes), *p.shape)), -1), 0, -1)
    indices = np.reshape(drawn, p.shape[:-1] + sizes).astype(dtype)
    if not get_prob:
        return indices
    chosen = np.log(np.take_along_axis(p, drawn, -1))  # not of all: that of a share of 0 has no gradient
    whole = elementwise.stop_gradient(np.log(np.sum(p, -1, keepdims=True)))
    return [indices, np.reshape(chosen - whole, p.shape[:-1] + sizes)]


@public
def multivariate_normal(mean: Any, cov: Any, size: Any = None) -> Any:
    """Draw normal vectors with a mean and a covariance matrix, which has to be positive definite.

    Raises:
        ShapeError E118: the mean is no vector, or the covariance no matrix of its size.
        LinAlgError E525: the covariance has no factors; imperatively, NumPy's.

    >>> np.random.multivariate_normal(np.zeros(2), np.eye(2)).shape
    (2,)
    """
    centre, covariance = array(mean), np.array(cov, float64)
    if centre.ndim != 1 or covariance.shape != centre.shape * 2:
        raise ShapeError("E118", f"multivariate_normal takes [n] and [n, n], got {centre.type} and {covariance.type}")
    factor = cholesky(covariance, upper=True)
    drawn = _normal((*(() if size is None else sizes_from(size)), centre.shape[0]), float32)
    return drawn @ factor.astype(float32) + centre


@public
def uniform_like(data: Any, low: float = 0.0, high: float = 1.0) -> Any:
    """Draw uniform numbers from [low, high) in the shape and dtype of `data`.

    >>> np.random.seed(0)
    >>> np.random.uniform_like(np.zeros((1, 2))).round(3)
    array([[0.399, 0.881]])
    """
    x = array(data)
    return uniform(low, high, x.shape, x.dtype)


@public
def normal_like(data: Any, loc: float = 0.0, scale: float = 1.0) -> Any:
    """Draw normal numbers in the shape and dtype of `data`, with mean `loc` and standard deviation `scale`.

    >>> np.random.seed(0)
    >>> np.random.normal_like(np.zeros((1, 2))).round(3)
    array([[ 0.991, -0.925]])
    """
    x = array(data)
    return normal(loc, scale, x.shape, x.dtype)


@creates("ctx", "device")
def uniform_n(low: Any = 0.0, high: Any = 1.0, batch_shape: Any = None, dtype: Any = None) -> ndarray:
    """Draw uniform numbers from [low, high), `batch_shape` of them for each pair of ends.

    >>> np.random.uniform_n(np.array([0, 100]), 200, batch_shape=(3,)).shape
    (3, 2)
    """
    return uniform(low, high, _several(batch_shape, low, high), dtype)


@creates("ctx", "device")
def normal_n(loc: Any = 0.0, scale: Any = 1.0, batch_shape: Any = None, dtype: Any = None) -> ndarray:
    """Draw normal numbers, `batch_shape` of them for each mean and standard deviation.

    >>> np.random.normal_n(np.array([0, 100]), 1, batch_shape=(3,)).shape
    (3, 2)
    """
    return normal(loc, scale, _several(batch_shape, loc, scale), dtype)


def _several(batch_shape: Any, *parameters: Any) -> tuple[int, ...]:
    outer = () if batch_shape is None else sizes_from(batch_shape)
    return (*outer, *draws.shape_of_draws(None, *parameters))
