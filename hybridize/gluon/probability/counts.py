# SPDX-License-Identifier: Apache-2.0
"""Distributions of counts: of successes, of failures, of events."""

from __future__ import annotations

from typing import Any, ClassVar

from hybridize.array import np, npx
from hybridize.base.errors import ValueArgumentError
from hybridize.gluon.probability import constraint
from hybridize.gluon.probability.distribution import ExponentialFamily, Probable
from hybridize.gluon.probability.numerics import softplus


class Bernoulli(Probable, ExponentialFamily):
    """Describe a number that is 1 with a probability, and 0 otherwise.

    Args:
        prob: of 1.
        logit: log(prob / (1 - prob)); one of both is given.
        validate_args: as for `Distribution`.

    >>> from hybridize import np
    >>> from hybridize.gluon import probability
    >>> distribution = probability.Bernoulli(prob=0.25)
    >>> distribution.log_prob(np.array(1.0)).round(3), distribution.sample().shape
    (array(-1.386), ())
    """

    support: constraint.Constraint = constraint.Boolean()
    has_enumerate_support = True

    @property
    def mean(self) -> Any:
        return self.prob

    @property
    def variance(self) -> Any:
        return self.prob * (1 - self.prob)

    def _draw(self, shape: tuple[int, ...]) -> Any:
        return np.random.bernoulli(self.prob, size=shape)

    def log_prob(self, value: Any) -> Any:
        value, logit = self._validate_samples(value), self.logit
        return value * logit - softplus(logit)

    def entropy(self) -> Any:
        return softplus(self.logit) - self.prob * self.logit

    def enumerate_support(self) -> Any:
        values = np.arange(2.0, device=self._device).reshape(2, *(1 for _ in self.batch_shape))
        return np.broadcast_to(values, (2, *self.batch_shape))


class Binomial(Probable):
    """Describe the number of successes in n trials.

    Args:
        n: the number of them, an integer that is known when it is made.
        prob: of 1.
        logit: log(prob / (1 - prob)); one of both is given.
        validate_args: as for `Distribution`.

    >>> from hybridize import np
    >>> from hybridize.gluon import probability
    >>> distribution = probability.Binomial(4, prob=0.5)
    >>> distribution.log_prob(np.array(2.0)).round(3), distribution.sample().shape
    (array(-0.981), ())
    """

    n: int

    def __init__(self, n: Any = 1, prob: Any = None, logit: Any = None, validate_args: bool | None = None) -> None:
        if n < 0 or n % 1 != 0:
            raise ValueArgumentError("E345", f"Binomial: n must be an integer of 0 or more, got {n}")
        self.n = int(n)
        super().__init__(prob, logit, validate_args)

    @property
    def support(self) -> Any:
        """0 to n."""
        return constraint.IntegerInterval(0, self.n)

    @property
    def mean(self) -> Any:
        return self.n * self.prob

    @property
    def variance(self) -> Any:
        return self.n * self.prob * (1 - self.prob)

    def _draw(self, shape: tuple[int, ...]) -> Any:
        return np.sum(np.random.bernoulli(self.prob, size=(self.n, *shape)), 0)

    def log_prob(self, value: Any) -> Any:
        value, n, logit = self._validate_samples(value), float(self.n), self.logit
        ways = npx.gammaln(n + 1) - npx.gammaln(value + 1) - npx.gammaln(n - value + 1)
        return ways + value * logit - n * softplus(logit)


class Geometric(Probable):
    """Describe the number of failures before the first success.

    Args:
        prob: of a success.
        logit: log(prob / (1 - prob)); one of both is given.
        validate_args: as for `Distribution`.

    >>> from hybridize import np
    >>> from hybridize.gluon import probability
    >>> distribution = probability.Geometric(prob=0.5)
    >>> distribution.log_prob(np.array(1.0)).round(3), distribution.sample().shape
    (array(-1.386), ())
    """

    support: constraint.Constraint = constraint.NonNegativeInteger()

    @property
    def mean(self) -> Any:
        return 1 / self.prob - 1

    @property
    def variance(self) -> Any:
        return (1 / self.prob - 1) / self.prob

    def _draw(self, shape: tuple[int, ...]) -> Any:
        return np.floor(np.log1p(-np.random.uniform(0.0, 1.0, shape, device=self._device)) / np.log1p(-self.prob))

    def log_prob(self, value: Any) -> Any:
        value = self._validate_samples(value)
        return value * np.log1p(-self.prob) + np.log(self.prob)

    def entropy(self) -> Any:
        return (softplus(self.logit) - self.prob * self.logit) / self.prob


class NegativeBinomial(Probable):
    """Describe the number of successes before the n-th failure. Its mean is n prob / (1 - prob).

    Args:
        n: the number of failures, which need not be an integer.
        prob: of a success.
        logit: log(prob / (1 - prob)); one of both is given.
        validate_args: as for `Distribution`.

    >>> from hybridize import np
    >>> from hybridize.gluon import probability
    >>> distribution = probability.NegativeBinomial(2, prob=0.5)
    >>> distribution.log_prob(np.array(1.0)).round(3), distribution.sample().shape
    (array(-1.386), ())
    """

    support: constraint.Constraint = constraint.NonNegativeInteger()
    arg_constraints: ClassVar[Any] = {"n": constraint.GreaterThanEq(0), **Probable.arg_constraints}

    def __init__(self, n: Any, prob: Any = None, logit: Any = None, validate_args: bool | None = None) -> None:
        self.n = n
        super().__init__(prob, logit, validate_args)

    @property
    def mean(self) -> Any:
        return self.n * np.exp(self.logit)

    @property
    def variance(self) -> Any:
        return self.n * self.prob / (1 - self.prob) ** 2

    def _draw(self, shape: tuple[int, ...]) -> Any:
        return np.random.poisson(np.random.gamma(self.n, np.exp(self.logit), shape))

    def log_prob(self, value: Any) -> Any:
        value, n = self._validate_samples(value), self.n
        ways = npx.gammaln(value + n) - npx.gammaln(value + 1) - npx.gammaln(n)
        return ways + n * np.log1p(-self.prob) + value * np.log(self.prob)


class Poisson(ExponentialFamily):
    """Describe the number of events where `rate` are expected.

    Args:
        rate: the mean.
        validate_args: as for `Distribution`.

    >>> from hybridize import np
    >>> from hybridize.gluon import probability
    >>> distribution = probability.Poisson(2.0)
    >>> distribution.log_prob(np.array(1.0)).round(3), distribution.sample().shape
    (array(-1.307), ())
    """

    support: constraint.Constraint = constraint.NonNegativeInteger()
    arg_constraints: ClassVar[Any] = {"rate": constraint.Positive()}

    def __init__(self, rate: Any = 1.0, validate_args: bool | None = None) -> None:
        super().__init__(0, validate_args, rate=rate)

    @property
    def mean(self) -> Any:
        return self.rate

    variance = mean

    def _draw(self, shape: tuple[int, ...]) -> Any:
        return np.random.poisson(self.rate, shape)

    def log_prob(self, value: Any) -> Any:
        value = self._validate_samples(value)
        rate = float(self.rate) if isinstance(self.rate, (int, float)) else self.rate
        return value * np.log(rate) - rate - npx.gammaln(value + 1)
