# SPDX-License-Identifier: Apache-2.0
"""The less usual distributions of `np.random`.

Some are formulas of uniform, normal and gamma numbers, and part of programs as those are. The others, mostly counts,
need a number of steps that depends on each draw: NumPy draws them, keyed by our state. A program calls it for them when
it runs (`ops.foreign`), which `explain` says and a file does not have, and draws the same numbers.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NoReturn

import numpy
from numpy.typing import NDArray

from hybridize.array import functions as np
from hybridize.array import operands as operand_rules
from hybridize.array.draws import above_0, check_shares, key, not_negative, shape_of_draws, unit
from hybridize.array.functions.bounds import require
from hybridize.array.ndarray import wrap
from hybridize.array.traced import Traced
from hybridize.array.variates import chisquare, exponential, gamma, normal, randint
from hybridize.base.dtypes import DType, as_dtype, float32, float64, int64, is_float
from hybridize.base.errors import ShapeError, StateError, ValueArgumentError
from hybridize.base.frozen import frozen
from hybridize.base.loading import load_module
from hybridize.base.promotion import NUMBERS
from hybridize.base.types import TensorType
from hybridize.ops.foreign import call_op
from hybridize.ops.op import ACTIVE, Operand, bind1, capturing
from hybridize.runtime.foreign import Callee


@operand_rules.public
def standard_exponential(size: Any = None, dtype: Any = None, method: str = "zig", out: Any = None) -> Any:
    """Draw exponential numbers with mean 1; `method` has no effect.

    >>> np.random.seed(0)
    >>> np.random.standard_exponential(3).round(3)
    array([0.919, 0.127, 0.307])
    """
    operand_rules.one_of(method, ("zig", "inv"), "standard_exponential", "method")
    return exponential(1.0, size, dtype, out=out)


@operand_rules.public
def standard_gamma(shape: Any, size: Any = None, dtype: Any = None, out: Any = None) -> Any:
    """Draw gamma numbers of scale 1.

    >>> np.random.seed(0)
    >>> np.random.standard_gamma(2, size=3).round(3)
    array([2.858, 3.572, 1.733])
    """
    return gamma(shape, 1.0, size, dtype, out=out)


@operand_rules.public
def standard_t(df: Any, size: Any = None) -> Any:
    """Draw numbers of Student's t distribution with `df` degrees of freedom.

    >>> np.random.seed(0)
    >>> np.random.standard_t(5, size=3).round(3)
    array([-0.183, -0.561, -1.29 ])
    """
    above_0(df, "standard_t: df")
    sizes = shape_of_draws(size, df)
    return normal(0.0, 1.0, sizes) * np.sqrt(np.divide(df, chisquare(df, sizes)))


@operand_rules.public
def triangular(left: Any, mode: Any, right: Any, size: Any = None) -> Any:
    """Draw numbers between `left` and `right` whose density is a triangle with its top at `mode`.

    >>> np.random.seed(0)
    >>> np.random.triangular(0, 1, 4, size=3).round(3)
    array([1.315, 2.219, 3.423])
    """
    low, top, high = (operand_rules.array(end).astype(float64) for end in (left, mode, right))
    require(
        np.logical_and(np.less_equal(low, top), np.logical_and(np.less_equal(top, high), np.less(low, high))),
        "random.triangular: left <= mode <= right, and left < right",
    )
    u = unit(shape_of_draws(size, left, mode, right), float64)
    width = high - low
    below = low + np.sqrt(u * width * (top - low))
    above = high - np.sqrt((1.0 - u) * width * (high - top))
    return np.where(np.less_equal(u, (top - low) / width), below, above).astype(float32)


@operand_rules.public
def wald(mean: Any, scale: Any, size: Any = None) -> Any:
    """Draw inverse Gaussian numbers with mean `mean` and scale `scale`.

    Source: Michael, Schucany and Haas, Generating random variates using transformations with multiple roots, 1976.

    >>> np.random.seed(0)
    >>> np.random.wald(1, 2, size=3).round(3)
    array([0.402, 0.826, 1.181])
    """
    above_0(mean, "wald: mean")
    above_0(scale, "wald: scale")
    sizes = shape_of_draws(size, mean, scale)
    m, s = (operand_rules.array(p).astype(float64) for p in (mean, scale))
    y = m * np.square(normal(0.0, 1.0, sizes, float64))
    # The smaller root, without cancellation: m + (y - sqrt(4 s y + y^2)) m / (2 s) times its conjugate.
    ratio = y / (2.0 * s)
    first = m / (1.0 + ratio + np.sqrt(ratio * (ratio + 2.0)))
    u = unit(sizes, float64)
    return np.where(np.less_equal(u, m / (m + first)), first, m * m / first).astype(float32)


@operand_rules.public
def geometric(p: Any, size: Any = None) -> Any:
    """Draw the numbers of trials of probability `p` until one succeeds, as int64.

    >>> np.random.seed(0)
    >>> np.random.geometric(0.3, size=4)
    array([3, 1, 1, 2], dtype=int64)
    """
    _probability(p, "geometric: p", above=True)
    u = unit(shape_of_draws(size, p), float64, open_at_zero=True)
    chance = operand_rules.array(p).astype(float64)
    many = np.log(u) / np.log1p(-np.where(np.equal(chance, 1.0), 0.5, chance))
    return np.where(np.equal(chance, 1.0), 1.0, np.maximum(_below_int64(many + 1.0), 1.0)).astype(int64)


def _below_int64(x: Any) -> Any:
    return np.floor(np.where(np.less(x, 9.2e18), x, 9.2e18))


@operand_rules.public
def logseries(p: Any, size: Any = None) -> Any:
    """Draw numbers of the logarithmic series distribution, as int64.

    Source: Kemp, Efficient generation of logarithmically distributed pseudo-random variables, 1981.

    >>> np.random.seed(0)
    >>> np.random.logseries(0.6, size=4)
    array([1, 1, 1, 1], dtype=int64)
    """
    chance = operand_rules.array(p).astype(float64)
    inside = np.logical_and(np.less_equal(0.0, chance), np.less(chance, 1.0))
    require(inside, "random.logseries: p is from 0 to below 1")
    sizes = shape_of_draws(size, p)
    v, u = unit(sizes, float64, open_at_zero=True), unit(sizes, float64, open_at_zero=True)
    q = -np.expm1(np.log1p(-chance) * u)
    q = np.where(q > 0, q, 1e-300)
    many = _below_int64(1.0 + np.log(v) / np.where(np.less(q, 1.0), np.log(q), -1e-300))
    numbers = np.where(np.less_equal(v, q * q), np.maximum(many, 1.0), np.where(np.greater_equal(v, q), 1.0, 2.0))
    return np.where(np.greater_equal(v, chance), 1.0, numbers).astype(int64)


@operand_rules.public
def dirichlet(alpha: Any, size: Any = None) -> Any:
    """Draw shares that sum to 1, [..., n], with the concentrations `alpha` [n].

    >>> np.random.seed(0)
    >>> np.random.dirichlet(np.array([1, 2, 3])).sum().round(3)
    array(1.)
    """
    a = operand_rules.array(alpha)
    if a.ndim != 1:
        raise ShapeError("E118", f"dirichlet takes a vector of concentrations, got {a.type}")
    above_0(a, "dirichlet: alpha")
    shape = (*(() if size is None else operand_rules.sizes_from(size)), a.shape[0])
    parts = gamma(np.broadcast_to(a.astype(float64), shape), 1.0, shape, float64)
    return (parts / np.sum(parts, -1, keepdims=True)).astype(float32)


def _probability(p: Any, what: str, above: bool = False) -> None:
    """Refuse what is no probability; `above`: nor may it be 0."""
    chance = operand_rules.array(p)
    low = np.less(0.0, chance) if above else np.less_equal(0.0, chance)
    rule = "is above 0, and not above 1" if above else "is from 0 to 1"
    require(np.logical_and(low, np.less_equal(chance, 1.0)), f"random.{what} {rule}")


@frozen
class _Draw:
    """A function of Python that programs call (`runtime.foreign`): NumPy draws numbers of a size.

    Its operands are the key and the parameters.
    """

    name: str
    parameters: tuple[str, ...]
    shape: tuple[int, ...]
    """Of the result."""
    size: tuple[int, ...]
    """The one that NumPy is asked for."""
    dtype: DType
    options: tuple[tuple[str, Any], ...]
    learnt: Sequence[int]
    """The parameters of numbers that move with them, which is refused."""
    keeps: bool = False

    def run(self, operands: Sequence[NDArray[Any]]) -> tuple[list[NDArray[Any]], None]:
        """Draw."""
        by, *values = operands
        random = load_module("numpy.random")
        draw = getattr(random.Generator(random.SFC64(by.tolist())), self.name)
        arguments = dict(zip(self.parameters, values, strict=True))
        numbers = numpy.asarray(draw(**arguments, size=self.size, **dict(self.options)))
        return [numbers.astype(self.dtype, copy=False)], None

    def gradient(self, wanted: tuple[int, ...]) -> NoReturn:
        """Refuse to be differentiated.

        Raises:
            StateError E547: always.
        """
        raise _no_gradient(self.name)


def _no_gradient(name: str) -> StateError:
    what = f"random.{name} is drawn by NumPy, so no gradient passes it"
    return StateError("E547", what, help="call it on x.detach(), which has no gradient")


_CALLEES: weakref.WeakValueDictionary[_Draw, Callee] = weakref.WeakValueDictionary()
"""By what they draw, so that programs of equal draws have equal texts; programs keep them."""


def _by_numpy(
    name: str, text: str, *, kind: DType = int64, along: int | None = None, **checks: Callable[[Any, str], None]
) -> Callable[..., Any]:
    """A distribution that NumPy draws from a generator that our state keys.

    Args:
        name: NumPy's.
        text: what is drawn.
        kind: the dtype, unless another one is asked for.
        along: the number of a parameter that is a vector, which the last axis of a result is as long as.
        checks: its parameters, and what refuses values of each, named in words.
    """
    parameters = tuple(checks)

    def draw(*args: Any, **kwargs: Any) -> Any:
        arguments = dict(zip((*parameters, "size"), args, strict=False)) | kwargs
        unknown = arguments.keys() - {*parameters, "size", "dtype", "method"}
        missing = [one for one in parameters if one not in arguments]
        if unknown or missing or len(args) > len(parameters) + 1:
            takes = ", ".join((*parameters, "size"))
            raise TypeError(f"{name}({takes}): missing {missing}, unknown {sorted(unknown)}")
        for one, check in checks.items():
            check(arguments[one], f"{name}: {one}")
        values = [_parameter(arguments[one]) for one in parameters]
        size, dtype, method = arguments.get("size"), arguments.get("dtype"), arguments.get("method")
        if along is None:
            sizes = shape = tuple(map(int, shape_of_draws(size, *map(operand_rules.result, values))))
        else:
            sizes = () if size is None else tuple(map(int, operand_rules.sizes_from(size)))
            shape = (*sizes, *operand_rules.shape_of(values[along]))
        wanted = kind if dtype is None else as_dtype(dtype)
        learnt = tuple(range(1, len(parameters) + 1)) if is_float(wanted) else ()
        options = () if method is None else (("method", method),)
        what = _Draw(name, parameters, shape, sizes, wanted, options, learnt)
        if ACTIVE and capturing():
            callee = _CALLEES.setdefault(what, Callee(what))
            return operand_rules.result(
                bind1(call_op(f"random.{name}", callee, [TensorType(shape, wanted)]), key(), *values)
            )
        if is_float(wanted) and any(type(value) is Traced and value.edge is not None for value in values):
            raise _no_gradient(name)
        (numbers,), _ = what.run([key(), *(value.data if type(value) is Traced else value for value in values)])
        return wrap(numbers)

    return operand_rules.described(draw, name, f"{text}; drawn by NumPy, which programs call.")


def _parameter(x: Any) -> Operand:
    """The operand of a parameter: Python's numbers in 64 bits."""
    if isinstance(x, (list, tuple)) and not operand_rules.has_arrays(x):
        return operand_rules.outside_operand(numpy.asarray(x))
    value = operand_rules.operand(x)
    if isinstance(value, operand_rules.Weak):
        return value.value
    return operand_rules.outside_operand(numpy.asarray(value)) if isinstance(value, NUMBERS) else value


def _any(_: Any, what: str) -> None:
    """Nothing to check: NumPy does."""


poisson: Callable[..., Any] = _by_numpy("poisson", "Counts of mean `lam`, int64", lam=not_negative)
binomial: Callable[..., Any] = _by_numpy(
    "binomial", "Successes of `n` trials of probability `p`, int64", n=not_negative, p=_probability
)
negative_binomial: Callable[..., Any] = _by_numpy(
    "negative_binomial", "Numbers of failures among trials of probability `p` until `n` succeed, int64",
    n=not_negative, p=partial(_probability, above=True),
)  # fmt: skip
hypergeometric: Callable[..., Any] = _by_numpy(
    "hypergeometric", "Numbers of good ones among `nsample` that are taken of `ngood` good and `nbad` bad ones, int64",
    ngood=not_negative, nbad=not_negative, nsample=not_negative,
)  # fmt: skip
multivariate_hypergeometric: Callable[..., Any] = _by_numpy(
    "multivariate_hypergeometric", "Numbers of each colour among `nsample` that are taken of so many of each, int64",
    along=0, colors=not_negative, nsample=not_negative,
)  # fmt: skip
_outcomes = _by_numpy("multinomial", "Counts of outcomes, int64", along=1, n=_any, pvals=_any)


@operand_rules.creates()
def multinomial(n: int, pvals: Any, size: Any = None) -> Any:
    """Count the outcomes of `n` draws with the probabilities of a vector, as int64. NumPy draws; exports refuse it.

    >>> np.random.seed(0)
    >>> np.random.multinomial(10, [0.2, 0.8]).sum()
    array(10, dtype=int64)
    """
    if n < 0:
        raise ValueArgumentError("E345", f"random.multinomial: a number of draws must not be negative, got {n}")
    p = operand_rules.array(pvals)
    if p.ndim != 1:
        raise ShapeError("E118", f"multinomial takes a vector of probabilities, got {p.type}")
    if p.shape == (0,):
        return np.zeros((*shape_of_draws(size), 0), int64)
    check_shares(p, "multinomial")
    exact = operand_rules.array(pvals, float64).astype(float64)
    return _outcomes(n, exact / np.sum(exact), size)  # NumPy allows no sum above 1 in 64 bits


zipf: Callable[..., Any] = _by_numpy("zipf", "Numbers k with probabilities as k**-a, int64", a=_any)
vonmises: Callable[..., Any] = _by_numpy(
    "vonmises", "Angles around `mu`, closer with larger `kappa`", kind=float32, mu=_any, kappa=not_negative
)
noncentral_chisquare: Callable[..., Any] = _by_numpy(
    "noncentral_chisquare", "Noncentral chi-square numbers", kind=float32, df=above_0, nonc=not_negative
)
noncentral_f: Callable[..., Any] = _by_numpy(
    "noncentral_f", "Noncentral F", kind=float32, dfnum=above_0, dfden=above_0, nonc=not_negative
)


@operand_rules.public
def random_integers(low: int, high: int | None = None, size: Any = None) -> Any:
    """Draw integers from `low` to `high`, both included, or from 1 to `low`; int64.

    >>> np.random.seed(0)
    >>> np.random.random_integers(1, 6, size=5)
    array([3, 6, 5, 4, 6], dtype=int64)
    """
    low, high = (1, low) if high is None else (low, high)
    return randint(low, high + 1, size)


@operand_rules.public
def integers(low: Any, high: Any = None, size: Any = None, dtype: Any = None, endpoint: bool = False) -> Any:
    """Draw integers from [low, high), or from [0, low); `endpoint` includes `high`; int64 unless you pass a dtype.

    >>> np.random.seed(0)
    >>> np.random.integers(1, 6, size=5, endpoint=True)
    array([3, 6, 5, 4, 6], dtype=int64)
    """
    low, high = (0, low) if high is None else (low, high)
    if endpoint:
        high = high + 1 if isinstance(high, int) else operand_rules.array(high) + 1
    return randint(low, high, size, dtype)
