# SPDX-License-Identifier: Apache-2.0
"""MXNet 1's random functions: `shape` numbers for each set of parameters, whose axes come first.

`nd.random.normal(loc, scale, shape)` of two numbers gives `shape`; of arrays [2, 3] it gives [2, 3, *shape].
"""

from __future__ import annotations

import math
from collections.abc import Callable
from contextlib import nullcontext
from inspect import signature
from typing import Any

from hybridize.array import np, random
from hybridize.array.device import as_device
from hybridize.array.draws import seed
from hybridize.array.legacy_rules import by_position, named_as
from hybridize.array.operands import array, several
from hybridize.array.variates import categorical
from hybridize.base import dims
from hybridize.base.dtypes import as_dtype, float32
from hybridize.base.errors import ShapeError
from hybridize.base.names import refuses

_Function = Callable[..., Any]


def sampled(function: _Function) -> _Function:
    """A function of parameters, a shape and a dtype as one of MXNet 1's."""
    names = function.__code__.co_varnames[2 : function.__code__.co_argcount]
    defaults = dict(zip(names, function.__defaults__ or (), strict=True))

    @named_as(function, *by_position(**defaults, shape=None, dtype=None, ctx=None))
    def call(*args: Any, shape: Any = None, dtype: Any = None, ctx: Any = None, **kwargs: Any) -> Any:
        args, more = args[: len(names)], args[len(names) :]
        if more:
            shape, *others = more
            for one in others:  # a dtype and a device, in this order or the other
                if one is not None and not hasattr(one, "device_type"):
                    dtype = one
        sizes = () if shape is None else tuple(several(shape))
        arguments = dict(zip(names, args, strict=False)) | kwargs
        arrays = {name: array(value) for name, value in arguments.items() if hasattr(value, "shape")}
        outer = dims.broadcast(*(x.shape for x in arrays.values())) if arrays else ()
        if outer is None:
            types = " and ".join(str(x.type) for x in arrays.values())
            what = f"{function.__name__}: parameters do not broadcast: {types}"
            raise ShapeError("E101", what)
        for name, x in arrays.items():
            arguments[name] = np.reshape(np.broadcast_to(x, outer), (*outer, *(1 for _ in sizes)))
        whole = (*outer, *sizes) if arrays or sizes else (1,)
        kind = float32 if dtype in (None, "None") else as_dtype(dtype)
        with nullcontext() if ctx is None else as_device(ctx):
            return function(whole, kind, **arguments)

    return call


@sampled
def uniform(shape: Any, dtype: Any, low: Any = 0.0, high: Any = 1.0) -> Any:
    """Draw uniform numbers from [low, high): `shape` numbers for each pair of ends.

    >>> nd.random.uniform(0, nd.array([1, 10]), shape=3).shape
    (2, 3)
    """
    return random.uniform(low, high, shape, dtype)


@sampled
def normal(shape: Any, dtype: Any, loc: Any = 0.0, scale: Any = 1.0) -> Any:
    """Draw normal numbers: `shape` numbers for each mean and standard deviation.

    >>> nd.random.normal(0, 1, shape=(2, 3)).shape
    (2, 3)
    """
    return random.normal(loc, scale, shape, dtype)


@sampled
def exponential(shape: Any, dtype: Any, scale: Any = 1.0) -> Any:
    """Draw exponential numbers with mean `scale`: `shape` numbers for each.

    >>> nd.random.exponential(2, shape=3).shape
    (3,)
    """
    return random.exponential(scale, shape).astype(dtype)


@sampled
def gamma(shape: Any, dtype: Any, alpha: Any = 1.0, beta: Any = 1.0) -> Any:
    """Draw gamma numbers of shape `alpha` and scale `beta`: `shape` numbers for each pair.

    >>> nd.random.gamma(2, 3, shape=3).shape
    (3,)
    """
    return random.gamma(alpha, beta, shape, dtype)


@sampled
def poisson(shape: Any, dtype: Any, lam: Any = 1.0) -> Any:
    """Draw counts with mean `lam`: `shape` counts for each.

    >>> nd.random.poisson(4, shape=3).shape
    (3,)
    """
    return random.poisson(lam, shape).astype(dtype)


@sampled
def binomial(shape: Any, dtype: Any, n: Any = 1, p: Any = 0.5) -> Any:
    """Draw counts of successes in `n` trials of probability `p`: `shape` counts for each pair.

    >>> nd.random.binomial(10, 0.5, shape=3).shape
    (3,)
    """
    return random.binomial(n, p, shape).astype(dtype)


@sampled
def negative_binomial(shape: Any, dtype: Any, k: Any = 1, p: Any = 1.0) -> Any:
    """Draw counts of failures before the `k`-th success, each of probability `p`: `shape` counts for each pair.

    >>> nd.random.negative_binomial(3, 0.5, shape=3).shape
    (3,)
    """
    return random.poisson(random.gamma(k, (1.0 - p) / p, shape, "float32"), shape).astype(dtype)


@sampled
def generalized_negative_binomial(shape: Any, dtype: Any, mu: Any = 1.0, alpha: Any = 1.0) -> Any:
    """Draw counts with mean `mu` and variance mu + alpha mu**2: `shape` counts for each pair.

    >>> nd.random.generalized_negative_binomial(3, 0.5, shape=3).shape
    (3,)
    """
    return random.poisson(random.gamma(1.0 / alpha, alpha * mu, shape, "float32"), shape).astype(dtype)


def randn(*shape: int, loc: Any = 0.0, scale: Any = 1.0, dtype: Any = None, ctx: Any = None) -> Any:
    """Draw normal numbers in an array of the given sizes.

    >>> nd.random.randn(2, 3).shape
    (2, 3)
    """
    return normal(loc, scale, shape=shape or (1,), dtype=dtype, ctx=ctx)


def _like(function: _Function) -> _Function:
    """The numbers in the shape and dtype of an array."""

    @named_as(function, *by_position("data"), *list(signature(function).parameters.values())[:-3])
    def call(data: Any, *args: Any, **kwargs: Any) -> Any:
        x = array(data)
        return function(*args, shape=x.shape, dtype=x.dtype, **kwargs)

    return call


@sampled
def exponential_by_rate(shape: Any, dtype: Any, lam: Any = 1.0) -> Any:
    """Draw exponential numbers with mean `1 / lam`: `shape` numbers for each.

    >>> nd.random_exponential(2, shape=3).shape
    (3,)
    """
    return random.exponential(1.0 / lam, shape).astype(dtype)


def rand_zipfian(true_classes: Any, num_sampled: int, range_max: int, ctx: Any = None) -> Any:
    """Draw classes by a law of Zipf; return them and how often they, and the true classes, are expected.

    Args:
        true_classes: an array of classes.
        num_sampled: how many to draw.
        range_max: how many classes there are.
        ctx: the device.

    >>> classes, expected_true, expected = nd.contrib.rand_zipfian(nd.array([3]), 4, 10)
    >>> classes.shape
    (4,)
    """
    whole = math.log(range_max + 1)
    with nullcontext() if ctx is None else as_device(ctx):
        drawn = np.exp(random.uniform(0.0, whole, (num_sampled,), "float64")) - 1.0
    sampled = np.mod(drawn.astype("int64"), range_max)

    def expected(classes: Any) -> Any:
        number = array(classes).astype("float64")
        return np.log((number + 2.0) / (number + 1.0)) / whole * num_sampled

    return [sampled, expected(true_classes), expected(sampled)]


def shuffle(data: Any) -> Any:
    """Return the rows of an array in random order, as a new array.

    >>> nd.random.shuffle(nd.arange(4)).shape
    (4,)
    """
    return random.permutation(array(data))


def randint(low: int, high: int, shape: Any = (1,), dtype: Any = "int32", ctx: Any = None) -> Any:
    """Draw integers from [low, high).

    >>> nd.random.randint(0, 10, shape=(2, 3)).shape
    (2, 3)
    """
    return random.randint(low, high, shape, None if dtype in (None, "None") else dtype, ctx=ctx)


_DRAWS = (
    binomial, exponential, gamma, generalized_negative_binomial, negative_binomial, normal, poisson, uniform,
)  # fmt: skip
FUNCTIONS: dict[str, _Function] = {
    **{draw.__name__: draw for draw in (*_DRAWS, categorical, randint, randn, shuffle)},
    "multinomial": categorical, "seed": seed,
    **{f"{draw.__name__}_like": _like(draw) for draw in _DRAWS}, "exponential_like": _like(exponential_by_rate),
}  # fmt: skip
"""By their names below `nd.random`."""

multinomial = categorical
__getattr__: Callable[[str], Any] = refuses("nd.random", globals())
