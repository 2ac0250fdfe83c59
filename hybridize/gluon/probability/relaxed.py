# SPDX-License-Identifier: Apache-2.0
"""Events that are not quite decided, so that their samples have gradients: relaxed by a temperature T.

Source: Maddison et al., The concrete distribution, 2017.
"""

from __future__ import annotations

import math
from typing import Any

from hybridize.array import np, npx
from hybridize.gluon.probability.composed import TransformedDistribution
from hybridize.gluon.probability.constraint import Constraint, OpenInterval, Real, Simplex
from hybridize.gluon.probability.distribution import Probable, ProbableEvents
from hybridize.gluon.probability.numerics import softplus
from hybridize.gluon.probability.transformation import ExpTransform, SigmoidTransform


class _Logit(Probable):
    """The logit of a relaxed Bernoulli number: a logistic number around `logit`, over T."""

    has_grad = True
    support: Constraint = Real()

    def __init__(self, T: Any, prob: Any, logit: Any, validate_args: bool | None) -> None:
        self.T = T
        super().__init__(prob, logit, validate_args)

    def _draw(self, shape: tuple[int, ...]) -> Any:
        return np.random.logistic(self.logit, 1.0, shape) / self.T

    def log_prob(self, value: Any) -> Any:
        apart = self.logit - self.T * value
        return np.log(self.T) + apart - 2 * softplus(apart)


class _Logarithms(ProbableEvents):
    """The logarithms of relaxed one-hot vectors."""

    has_grad = True
    support: Constraint = Real()
    event_dim = 1

    def __init__(self, T: Any, num_events: int, prob: Any, logit: Any, validate_args: bool | None) -> None:
        self.T, self.num_events = T, num_events
        super().__init__(prob, logit, validate_args)

    def _draw(self, shape: tuple[int, ...]) -> Any:
        noise = np.random.gumbel(0.0, 1.0, (*shape, self.num_events), device=self._device)
        return npx.log_softmax((self.logit + noise) / self.T, -1)

    def log_prob(self, value: Any) -> Any:
        scores = npx.log_softmax(self.logit - value * self.T, -1)
        return np.sum(scores, -1) + math.lgamma(self.num_events) + (self.num_events - 1) * np.log(self.T)


class _Relaxed(TransformedDistribution):
    """With the parameters of what is transformed."""

    has_grad = True
    _base_dist: Any

    @property
    def T(self) -> Any:  # noqa: N802 - MXNet's name
        """The temperature: at 0 all is decided."""
        return self._base_dist.T

    @property
    def prob(self) -> Any:
        """The probability of 1, or of each event."""
        return self._base_dist.prob

    @property
    def logit(self) -> Any:
        """The logarithm of the odds of 1, or of the probability of each event."""
        return self._base_dist.logit


class RelaxedBernoulli(_Relaxed):
    """Describe a number between 0 and 1 that lies near 0 or near 1, so that gradients pass through samples.

    Args:
        T: the temperature.
        prob: of 1.
        logit: log(prob / (1 - prob)); one of both is given.
        validate_args: as for `Distribution`.

    >>> from hybridize import np
    >>> from hybridize.gluon import probability
    >>> distribution = probability.RelaxedBernoulli(T=0.5, prob=np.array([0.25, 0.75]))
    >>> distribution.sample().shape
    (2,)
    """

    support: Constraint = OpenInterval(0, 1)

    def __init__(self, T: Any, prob: Any = None, logit: Any = None, validate_args: bool | None = None) -> None:
        super().__init__(_Logit(T, prob, logit, validate_args), SigmoidTransform(), validate_args)


class RelaxedOneHotCategorical(_Relaxed):
    """Describe a vector of shares that is near 1 at one event, so that gradients pass through samples.

    Args:
        T: the temperature.
        num_events: how many events there are.
        prob: [..., num_events]
        logit: [..., num_events], log(prob) up to a constant; one of both is given.
        validate_args: as for `Distribution`.

    >>> from hybridize import np
    >>> from hybridize.gluon import probability
    >>> distribution = probability.RelaxedOneHotCategorical(T=0.5, num_events=2, prob=np.array([0.25, 0.75]))
    >>> distribution.sample().sum().round(3)
    array(1.)
    """

    support: Constraint = Simplex()

    def __init__(
        self, T: Any, num_events: int, prob: Any = None, logit: Any = None, validate_args: bool | None = None
    ) -> None:
        super().__init__(_Logarithms(T, num_events, prob, logit, validate_args), ExpTransform(), validate_args)
