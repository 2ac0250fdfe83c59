# SPDX-License-Identifier: Apache-2.0
"""Distributions of one of several events, by number or one-hot, and of how often each happens."""

from __future__ import annotations

from typing import Any

from hybridize.array import np, npx
from hybridize.base.errors import ValueArgumentError
from hybridize.gluon.probability.constraint import Constraint, IntegerInterval, Simplex
from hybridize.gluon.probability.distribution import ProbableEvents


class _OfEvents(ProbableEvents):
    """With `num_events` events, whose probabilities lie along the last axis of `prob` or `logit`."""

    num_events: int

    def __init__(self, num_events: Any, prob: Any = None, logit: Any = None, validate_args: bool | None = None) -> None:
        if not num_events > 0:
            name = type(self).__name__
            raise ValueArgumentError("E345", f"{name}: num_events must be an integer of 1 or more, got {num_events}")
        self.num_events = int(num_events)
        super().__init__(prob, logit, validate_args)

    def _log_probs(self) -> Any:
        return npx.log_softmax(self.logit, -1)

    def _numbers(self, shape: tuple[int, ...]) -> Any:
        """Numbers of events, drawn: the largest of the logits and Gumbel noise."""
        noise = np.random.gumbel(0.0, 1.0, (*shape, self.num_events), device=self._device)
        return np.argmax(self.logit + noise, -1)

    def _all_numbers(self) -> Any:
        numbers = np.arange(float(self.num_events), device=self._device)
        numbers = numbers.reshape(-1, *(1 for _ in self.batch_shape))
        return np.broadcast_to(numbers, (self.num_events, *self.batch_shape))


class _OfOneEvent(_OfEvents):
    """One of the events."""

    has_enumerate_support = True

    def entropy(self) -> Any:
        return -np.sum(npx.softmax(self.logit, -1) * self._log_probs(), -1)


class Categorical(_OfOneEvent):
    """Describe the number of an event.

    Args:
        num_events: how many there are.
        prob: [..., num_events]
        logit: [..., num_events], log(prob) up to a constant; one of both is given.
        validate_args: as for `Distribution`.

    >>> from hybridize import np
    >>> from hybridize.gluon import probability
    >>> distribution = probability.Categorical(2, prob=np.array([0.25, 0.75]))
    >>> distribution.log_prob(np.array(1.0)).round(3), distribution.sample().shape
    (array(-0.288), ())
    """

    @property
    def support(self) -> Any:
        """0 to num_events - 1."""
        return IntegerInterval(0, self.num_events - 1)

    def _draw(self, shape: tuple[int, ...]) -> Any:
        return self._numbers(shape)

    def log_prob(self, value: Any) -> Any:
        value = np.array(self._validate_samples(value), None) if not hasattr(value, "shape") else value
        self._validate_samples(value)
        log_probs = self._log_probs() + np.expand_dims(np.zeros_like(value, dtype="float32"), -1)
        return npx.pick(log_probs, np.broadcast_to(value, log_probs.shape[:-1]), -1)

    def enumerate_support(self) -> Any:
        return self._all_numbers()


class OneHotCategorical(_OfOneEvent):
    """Describe a vector that is 1 at the number of an event, and 0 elsewhere.

    Args:
        num_events: how many there are.
        prob: [..., num_events]
        logit: [..., num_events], log(prob) up to a constant; one of both is given.
        validate_args: as for `Distribution`.

    >>> from hybridize import np
    >>> from hybridize.gluon import probability
    >>> distribution = probability.OneHotCategorical(2, prob=np.array([0.25, 0.75]))
    >>> distribution.log_prob(np.array([0.0, 1.0])).round(3), distribution.sample().shape
    (array(-0.288), (2,))
    """

    support: Constraint = Simplex()
    event_dim = 1

    @property
    def mean(self) -> Any:
        return self.prob

    @property
    def variance(self) -> Any:
        return self.prob * (1 - self.prob)

    def _draw(self, shape: tuple[int, ...]) -> Any:
        return npx.one_hot(self._numbers(shape), self.num_events)

    def log_prob(self, value: Any) -> Any:
        return np.sum(self._validate_samples(value) * self._log_probs(), -1)

    def enumerate_support(self) -> Any:
        return npx.one_hot(self._all_numbers(), self.num_events)


class Multinomial(_OfEvents):
    """Describe the counts of each event in `total_count` trials.

    Args:
        num_events: how many events there are.
        prob: [..., num_events]
        logit: [..., num_events], log(prob) up to a constant; one of both is given.
        total_count: the number of trials.
        validate_args: as for `Distribution`.

    >>> from hybridize import np
    >>> from hybridize.gluon import probability
    >>> distribution = probability.Multinomial(2, prob=np.array([0.5, 0.5]), total_count=2)
    >>> distribution.log_prob(np.array([1.0, 1.0])).round(3), distribution.sample().shape
    (array(-0.693), (2,))
    """

    event_dim = 1
    total_count: int

    def __init__(
        self,
        num_events: Any,
        prob: Any = None,
        logit: Any = None,
        total_count: int = 1,
        validate_args: bool | None = None,
    ) -> None:
        if not isinstance(total_count, (int, float)) or total_count < 0 or total_count % 1:
            raise ValueArgumentError("E345", f"Multinomial: total_count must be an integer >= 0, got {total_count}")
        self.total_count = int(total_count)
        super().__init__(num_events, prob, logit, validate_args)

    @property
    def support(self) -> Any:
        """0 to total_count."""
        return IntegerInterval(0, self.total_count)

    @property
    def mean(self) -> Any:
        return self.prob * self.total_count

    @property
    def variance(self) -> Any:
        return self.total_count * self.prob * (1 - self.prob)

    def _draw(self, shape: tuple[int, ...]) -> Any:
        return np.sum(npx.one_hot(self._numbers((self.total_count, *shape)), self.num_events), 0)

    def log_prob(self, value: Any) -> Any:
        value = self._validate_samples(value)
        ways = npx.gammaln(np.sum(value, -1) + 1) - np.sum(npx.gammaln(value + 1), -1)
        return ways + np.sum(self._log_probs() * value, -1)
