# SPDX-License-Identifier: Apache-2.0
"""`np.random.default_rng` and the objects that draw from a state of their own, with the functions of `np.random`.

Their numbers are those of our one generator (Philox4x32-10), not NumPy's: equal seeds give equal numbers here, the
same imperatively and in programs. A generator from outside of a program is one of its states, as weights are, and a
call leaves it where the imperative function does.
"""

from __future__ import annotations

import builtins
import operator
from collections.abc import Callable, Sequence
from functools import wraps
from inspect import Parameter, signature
from typing import Any

import numpy

from hybridize.array import np, random
from hybridize.array.draws import bits, drawing_from, of_the_system, state, write
from hybridize.array.functions.searching import picked
from hybridize.array.ndarray import ndarray
from hybridize.array.operands import array, array_and_axis, axis_of, finished, public
from hybridize.array.symbol import Symbol
from hybridize.base.dtypes import uint64
from hybridize.base.errors import ArgumentError, CaptureError, ValueArgumentError
from hybridize.base.loading import load_module
from hybridize.base.participation import outside_only
from hybridize.ops.op import ACTIVE, capturing

_NAME = "Philox4x32-10"


def _words(seed: Any) -> tuple[int, int]:
    """The state that a seed stands for: None, an integer, or a sequence of them."""
    if seed is None:
        if ACTIVE and capturing():
            raise CaptureError(
                "E404",
                "a generator without a seed inside a compiled function: every call would draw the same numbers",
                help="pass a seed, or create the generator outside the compiled function",
            )
        return of_the_system(), 0
    if isinstance(seed, (list, tuple, numpy.ndarray)) or hasattr(seed, "generate_state"):
        sequence = seed if hasattr(seed, "generate_state") else load_module("numpy.random").SeedSequence(seed)
        return int(sequence.generate_state(1, numpy.uint64)[0]), 0
    try:
        number = operator.index(seed)
    except TypeError:
        what = f"default_rng: a seed is an integer, a sequence of them or None, got {seed!r:.60}"
        raise ArgumentError("E344", what) from None
    if number < 0:
        raise ValueArgumentError("E345", f"default_rng: a seed must not be negative, got {number}")
    return number % (1 << 64), 0


_SELF = Parameter("self", Parameter.POSITIONAL_OR_KEYWORD)


def _from(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function of `np.random` as a method that draws from the state of its object."""

    @wraps(function)
    def method(self: _Drawing, *args: Any, **kwargs: Any) -> Any:
        with drawing_from(self._state):
            return function(*args, **kwargs)

    own = signature(function)
    described: Any = method
    described.__signature__ = own.replace(parameters=[_SELF, *own.parameters.values()])
    return method


class _Drawing:
    """Base of both classes of generators: a state, and the distributions that one class calls as the other does."""

    _state: ndarray | Symbol

    def __init__(self, seed: Any = None) -> None:
        self._state = np.array(numpy.array(_words(seed), uint64), uint64)

    def __reduce__(self) -> tuple[Any, ...]:
        return _again, (type(self), self._seed_and_draws())

    def _seed_and_draws(self) -> tuple[int, int]:
        """The seed and the number of draws."""
        seed, draws = array(self._state).asnumpy().tolist()
        return seed, draws

    def _restore(self, words: tuple[int, int]) -> None:
        write(self._state, words)

    def bytes(self, length: int) -> builtins.bytes:
        """Draw random bytes. Imperative only.

        >>> len(np.random.default_rng(7).bytes(4))
        4
        """
        with drawing_from(self._state):
            return bytes(length)


def _again(kind: type[_Drawing], words: tuple[int, int]) -> _Drawing:
    generator = kind(0)
    generator._restore(words)
    return generator


class BitGenerator:
    """The state of a generator, to look at and to put back."""

    def __init__(self, of: _Drawing) -> None:
        self._of = of

    @property
    def state(self) -> dict[str, Any]:
        """The seed and the number of draws so far, as a dict that may be put back."""
        return _state_of(self._of._seed_and_draws())

    @state.setter
    def state(self, value: dict[str, Any]) -> None:
        self._of._restore(_state_in(value))


def _state_of(words: Sequence[int]) -> dict[str, Any]:
    """Words of the generator as `state` and `get_state` give them."""
    seed, draws = words
    return {"bit_generator": _NAME, "state": {"seed": seed, "draws": draws}}


def _state_in(value: Any) -> tuple[int, int]:
    """The words of what `state` or `get_state` has given."""
    if not isinstance(value, dict) or value.get("bit_generator") != _NAME:
        what = f"a state of {_NAME} is wanted, got {value!r:.60}"
        raise ArgumentError("E344", what, help="pass a state from np.random.get_state() or bit_generator.state")
    return int(value["state"]["seed"]), int(value["state"]["draws"])


class Generator(_Drawing):
    """Draw random numbers from a state of its own; `default_rng` makes one.

    Methods take the arguments of NumPy's; floats are float32 unless said.

    >>> generator = np.random.Generator(7)
    >>> generator.normal(size=2).round(3)
    array([ 0.   , -0.305])
    """

    def __repr__(self) -> str:
        return f"Generator({_NAME})"

    @property
    def bit_generator(self) -> BitGenerator:
        """Its state."""
        return BitGenerator(self)

    @_from
    def random(size: Any = None, dtype: Any = None, out: Any = None) -> Any:  # noqa: N805 - `_from` takes `self`
        """Draw uniform numbers from [0, 1).

        >>> np.random.default_rng(7).random(3).round(3)
        array([0.955, 0.75 , 0.114])
        """
        return random.uniform(size=size, dtype=dtype, out=out)

    def choice(
        self, a: Any, size: Any = None, replace: bool = True, p: Any = None, axis: int = 0, shuffle: bool = True
    ) -> Any:
        """Draw elements of `a` along an axis, or integers below it.

        >>> np.random.default_rng(7).choice(5, size=3)
        array([4, 3, 0], dtype=int64)
        """
        with drawing_from(self._state):
            if isinstance(a, int) or not array(a).ndim:
                return random.choice(a, size, replace, p)
            x = array(a)
            along = axis_of(axis, x.ndim, "choice")
            chosen = random.choice(x.shape[along], size, replace, p)
            return picked(x, chosen, along)

    def permutation(self, x: Any, axis: int = 0) -> Any:
        """Return the integers below `x`, or the slices of an array along an axis, in random order.

        >>> np.random.default_rng(7).permutation(4)
        array([3, 2, 1, 0], dtype=int64)
        """
        with drawing_from(self._state):
            if isinstance(x, int):
                return random.permutation(x)
            a = array(x)
            along = axis_of(axis, a.ndim, "permutation")
            return picked(a, np.argsort(bits((a.shape[along],))), along)

    def shuffle(self, x: Any, axis: int = 0) -> None:
        """Put the slices of an array along an axis into random order, in place.

        >>> x = np.arange(4)
        >>> np.random.default_rng(7).shuffle(x)
        >>> x
        array([3., 2., 1., 0.])
        """
        x[...] = self.permutation(x, axis)

    def permuted(self, x: Any, *, axis: int | None = None, out: Any = None) -> Any:
        """Return the elements along an axis, each vector of them in a random order of its own.

        >>> np.random.default_rng(7).permuted(np.array([[1, 2, 3], [4, 5, 6]]), axis=1)
        array([[3., 2., 1.],
               [4., 5., 6.]])
        """
        a = array(x)
        flat, along = array_and_axis(a, axis, "permuted")
        with drawing_from(self._state):
            order = np.argsort(bits(flat.shape), along)
        output = np.reshape(np.take_along_axis(flat, order, along), a.shape)
        return finished(output, out)

    def spawn(self, n_children: int) -> list[Generator]:
        """Return new generators, whose seeds this one draws.

        >>> len(np.random.default_rng(7).spawn(2))
        2
        """
        with drawing_from(self._state):
            words = bits((n_children, 2)).astype(uint64)
        seeds = (words[:, 0] << numpy.uint64(32)) | words[:, 1]
        children = []
        for k in range(n_children):
            child = Generator(0)
            child._state[0] = seeds[k]
            children.append(child)
        return children


class RandomState(_Drawing):
    """Draw random numbers from a state of its own, under the names of NumPy's older generator.

    >>> np.random.RandomState(7).randint(0, 10, size=3)
    array([9, 7, 1], dtype=int64)
    """

    def seed(self, seed: Any = None) -> None:
        """Start over from a seed.

        >>> state = np.random.RandomState(7)
        >>> state.seed(8)
        >>> state.randint(0, 10, size=3)
        array([5, 7, 3], dtype=int64)
        """
        self._restore(_words(seed))

    def get_state(self, legacy: bool = True) -> dict[str, Any]:
        """Return the seed and the number of draws so far, as a dict.

        >>> sorted(np.random.RandomState(7).get_state())
        ['bit_generator', 'state']
        """
        return _state_of(self._seed_and_draws())

    def set_state(self, state: dict[str, Any]) -> None:
        """Put back a state that `get_state` has returned.

        >>> draws = np.random.RandomState(7)
        >>> draws.set_state(draws.get_state())
        """
        self._restore(_state_in(state))


@public
def default_rng(seed: Any = None) -> Generator:
    """Return a generator with a state of its own, which begins at a seed.

    Args:
        seed: an integer, a sequence of them, a `numpy.random.SeedSequence`; None: one of the system; or a generator,
            which is returned.

    Raises:
        ArgumentError E344, ValueArgumentError E345: another seed, or a negative one.
        CaptureError E404: in a program, none.

    >>> np.random.default_rng(7).uniform(size=2).round(3)
    array([0.955, 0.75 ])
    """
    return seed if isinstance(seed, Generator) else Generator(seed)


@outside_only("gives the state of all random numbers to Python")
def get_state(legacy: bool = True) -> dict[str, Any]:
    """Return the seed of `np.random` and the number of draws so far, as a dict.

    >>> sorted(np.random.get_state())
    ['bit_generator', 'state']
    """
    return _state_of(state.asnumpy().tolist())


@public
def set_state(state: dict[str, Any]) -> None:
    """Put back a state that `get_state` has returned.

    >>> state = np.random.get_state()
    >>> x = np.random.uniform()
    >>> np.random.set_state(state)
    >>> x == np.random.uniform()
    array(True)
    """
    write(_OF_ALL, _state_in(state))


_OF_ALL = state


@outside_only("gives random bytes to Python")
def bytes(length: int) -> builtins.bytes:
    """Draw random bytes. Imperative only.

    >>> len(np.random.bytes(4))
    4
    """
    if ACTIVE and capturing():
        raise CaptureError(
            "E404",
            "random.bytes inside a compiled function: bytes are not an array",
            help="use np.random.randint(0, 256, n)",
        )
    words: numpy.ndarray[Any, Any] = bits((-(-length // 4),)).asnumpy()
    return words.astype("<u4").tobytes()[:length]


_OF_BOTH = (
    "beta binomial chisquare dirichlet exponential f gamma geometric gumbel hypergeometric laplace logistic lognormal "
    "logseries multinomial multivariate_normal negative_binomial noncentral_chisquare noncentral_f normal pareto "
    "poisson power rayleigh standard_cauchy standard_exponential standard_gamma standard_normal standard_t triangular "
    "uniform vonmises wald weibull zipf"
)
_OF_GENERATOR = "integers multivariate_hypergeometric"
_OF_RANDOM_STATE = "choice permutation rand randint randn random random_integers random_sample shuffle"
for _class, _names in ((_Drawing, _OF_BOTH), (Generator, _OF_GENERATOR), (RandomState, _OF_RANDOM_STATE)):
    for _name in _names.split():
        setattr(_class, _name, _from(getattr(random, _name)))
