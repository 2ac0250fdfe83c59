# SPDX-License-Identifier: Apache-2.0
"""`Distribution`: what all distributions do, of their parameters, and how their samples are shaped."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar

from hybridize.array import np
from hybridize.array.device import OTHERS, Device
from hybridize.array.placing import common_device
from hybridize.base import dims
from hybridize.base.errors import ArgumentError, ShapeError, StateError, ValueArgumentError
from hybridize.base.participation import ReadPolicy
from hybridize.gluon.probability.constraint import Constraint, Interval, Real, Simplex
from hybridize.gluon.probability.numerics import cached_property, lacking, logit2prob, prob2logit


class Distribution:
    """Draw samples and compute densities. The base of distributions.

    Parameters are arrays or numbers that broadcast to one shape, the shape of the batch.

    Args:
        event_dim: the number of last axes of a sample that are one event.
        validate_args: check the parameters, and what is asked about; by default what `set_default_validate_args` said.

    Raises:
        ValueArgumentError E345: a parameter breaks its constraint; a compiled program says so when it runs.

    >>> from hybridize.gluon import probability
    >>> normal = probability.Normal(np.zeros(3), 1.0)
    >>> isinstance(normal, probability.Distribution)
    True
    >>> normal.sample_n((2,)).shape, normal.mean
    ((2, 3), array([0., 0., 0.]))
    """

    __hybridize_read__ = ReadPolicy.CONTENT

    has_grad = False
    """True if samples have gradients by the parameters."""
    has_enumerate_support = False
    """True if all values can be listed."""
    support: Any = None
    """The constraint that samples obey."""
    arg_constraints: ClassVar[Mapping[str, Constraint]] = {}
    """The constraints of the parameters, by name."""
    _depths: ClassVar[Mapping[str, int]] = {}
    """The number of last axes of a parameter that are of one event, where there are any."""
    _validate_args = False

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any: ...  # its parameters

    @staticmethod
    def set_default_validate_args(value: bool) -> None:
        """Check arguments from now on, or not, where a distribution does not say."""
        if not isinstance(value, bool):
            raise ValueArgumentError("E345", f"set_default_validate_args takes a bool, got {value!r}")
        Distribution._validate_args = value

    def __init__(self, event_dim: int = 0, validate_args: bool | None = None, **parameters: Any) -> None:
        vars(self).update(parameters)
        self.event_dim = event_dim
        if validate_args is not None:
            self._validate_args = validate_args
        if self._validate_args:
            for name, constraint in self.arg_constraints.items():
                if name in vars(self):
                    setattr(self, name, constraint.check(getattr(self, name), f"{type(self).__name__}: {name}"))

    # ------------------------------------------------------------------------------------------------ its shapes

    @property
    def batch_shape(self) -> tuple[int, ...]:
        """The shape that the parameters broadcast to, without the axes of an event."""
        shapes = []
        for name in self.arg_constraints:
            if name in vars(self):
                shape = tuple(getattr(getattr(self, name), "shape", ()))
                shapes.append(shape[: len(shape) - self._depths.get(name, 0)])
        sizes = dims.broadcast(*shapes) if shapes else ()
        if sizes is None:
            what = f"{type(self).__name__}: parameters of the shapes {', '.join(map(str, shapes))} do not broadcast"
            raise ShapeError("E101", what)
        return tuple(sizes)

    @property
    def _device(self) -> Device | None:
        """The device of its parameters, where noise is drawn; None where it is the present one."""
        return common_device(vars(self).values()) if OTHERS else None

    def broadcast_to(self, batch_shape: Any) -> Any:
        """Return a distribution of the same kind whose parameters are broadcast to `batch_shape`."""
        distribution = copy.copy(self)
        for name, value in vars(self).items():
            if isinstance(value, Distribution):
                vars(distribution)[name] = value.broadcast_to(batch_shape)
            elif name in self.arg_constraints:
                depth = self._depths.get(name, 0)
                shape = tuple(getattr(value, "shape", ()))
                vars(distribution)[name] = np.broadcast_to(value, (*_sizes(batch_shape), *shape[len(shape) - depth :]))
        return distribution

    # ---------------------------------------------------------------------------------------------- what it gives

    def sample(self, size: Any = None) -> Any:
        """Draw numbers of the shape `size`, which the batch broadcasts to. None: of the batch's own shape."""
        return self._draw(self.batch_shape if size is None else _sizes(size))

    def sample_n(self, size: Any = None) -> Any:
        """Draw `size` times the batch. The axes of the batch are the last ones."""
        return self._draw((*(() if size is None else _sizes(size)), *self.batch_shape))

    def _draw(self, shape: tuple[int, ...]) -> Any:
        """Numbers of a shape, which the axes of an event follow."""
        raise self._lacks("sample")

    def log_prob(self, value: Any) -> Any:
        """Return the logarithm of the density, or of the probability, at `value`."""
        raise self._lacks("log_prob")

    def pdf(self, value: Any) -> Any:
        """Return the density, or the probability, at `value`."""
        return np.exp(self.log_prob(value))

    def cdf(self, value: Any) -> Any:
        """Return the probability of `value` and below."""
        raise self._lacks("cdf")

    def icdf(self, value: Any) -> Any:
        """Return the number whose `cdf` is `value`."""
        raise self._lacks("icdf")

    def enumerate_support(self) -> Any:
        """Return all values that there are, along a first axis."""
        raise self._lacks("enumerate_support")

    @property
    def mean(self) -> Any:
        """The mean."""
        raise self._lacks("mean")

    @property
    def variance(self) -> Any:
        """The variance."""
        raise self._lacks("variance")

    @property
    def stddev(self) -> Any:
        """The standard deviation."""
        return np.sqrt(self.variance)

    def entropy(self) -> Any:
        """Return the entropy, in nats."""
        raise self._lacks("entropy")

    def perplexity(self) -> Any:
        """Return exp(entropy)."""
        return np.exp(self.entropy())

    # ---------------------------------------------------------------------------------------------------- the rest

    def _validate_samples(self, value: Any) -> Any:
        """Check `value` against the support, where arguments are checked."""
        return self.support.check(value, f"{type(self).__name__}: value") if self._validate_args else value

    def _lacks(self, what: str) -> StateError:
        return lacking(self, what)

    def __repr__(self) -> str:
        sizes = [
            f"{name}: size {tuple(getattr(vars(self)[name], 'shape', ()))}"
            for name in self.arg_constraints
            if name in vars(self)
        ]
        return f"{type(self).__name__}({', '.join([*sizes, f'event_dim: {self.event_dim}'])})"


class ExponentialFamily(Distribution):
    """Draw samples and compute densities exp(<t(x), theta> - F(theta) + k(x)). The base of such distributions.

    >>> from hybridize.gluon import probability
    >>> isinstance(probability.Normal(), probability.ExponentialFamily)
    True
    """


class Probable(Distribution):
    """A distribution that is given `prob` or `logit`, and has both."""

    arg_constraints: ClassVar[Any] = {"prob": Interval(0, 1), "logit": Real()}
    event_dim = 0
    """The number of last axes of a sample that are one event."""
    _binary = True

    def __init__(self, prob: Any = None, logit: Any = None, validate_args: bool | None = None) -> None:
        if (prob is None) == (logit is None):
            raise _BothGiven("E316", f"{type(self).__name__} takes prob or logit, one of them")
        parameters = {"logit": logit} if prob is None else {"prob": prob}
        super().__init__(self.event_dim, validate_args, **parameters)

    @cached_property
    def prob(self) -> Any:
        """The probability of 1, or of each event."""
        return logit2prob(self.logit, self._binary)

    @cached_property
    def logit(self) -> Any:
        """The logarithm of the odds of 1, or of the probability of each event, up to a constant."""
        return prob2logit(self.prob, self._binary)


class ProbableEvents(Probable):
    """With several events, whose probabilities lie along the last axis of `prob` or `logit`."""

    arg_constraints: ClassVar[Any] = {"prob": Simplex(), "logit": Real()}
    _depths: ClassVar[Any] = {"prob": 1, "logit": 1}
    _binary = False


class _BothGiven(ArgumentError, ValueError):
    """Two arguments that say the same."""


def _sizes(size: Any) -> tuple[int, ...]:
    return tuple(size) if isinstance(size, (tuple, list)) else (size,)
