# SPDX-License-Identifier: Apache-2.0
"""Distributions of positive numbers, and of shares."""

from __future__ import annotations

import math
from typing import Any, ClassVar

import numpy

from hybridize.array import np, npx
from hybridize.gluon.probability import constraint
from hybridize.gluon.probability.composed import TransformedDistribution
from hybridize.gluon.probability.distribution import Distribution, ExponentialFamily
from hybridize.gluon.probability.located import EULER_GAMMA
from hybridize.gluon.probability.numerics import cached_property, clipped
from hybridize.gluon.probability.transformation import AffineTransform, ExpTransform, PowerTransform


class Exponential(ExponentialFamily):
    """Describe the time until an event that happens at any time with the same rate.

    Args:
        scale: the mean; 1 / rate.
        validate_args: as for `Distribution`.

    >>> from hybridize import np
    >>> from hybridize.gluon import probability
    >>> distribution = probability.Exponential(2.0)
    >>> distribution.log_prob(np.array(2.0)).round(3), distribution.sample().shape
    (array(-1.693), ())
    """

    has_grad = True
    support: constraint.Constraint = constraint.NonNegative()
    arg_constraints: ClassVar[Any] = {"scale": constraint.Positive()}

    def __init__(self, scale: Any = 1.0, validate_args: bool | None = None) -> None:
        super().__init__(0, validate_args, scale=scale)

    @cached_property
    def rate(self) -> Any:
        """The number of times that it happens in one unit of time."""
        return 1 / self.scale

    @property
    def mean(self) -> Any:
        return self.scale

    @property
    def variance(self) -> Any:
        return self.scale**2

    stddev = mean

    def _draw(self, shape: tuple[int, ...]) -> Any:
        return np.random.exponential(self.scale, shape)

    def log_prob(self, value: Any) -> Any:
        return -np.log(self.scale) - self._validate_samples(value) / self.scale

    def cdf(self, value: Any) -> Any:
        return -np.expm1(-self._validate_samples(value) / self.scale)

    def icdf(self, value: Any) -> Any:
        return -self.scale * np.log1p(-value)

    def entropy(self) -> Any:
        return 1.0 + np.log(self.scale)


class Gamma(ExponentialFamily):
    """Describe the gamma distribution.

    Args:
        shape: its shape, k.
        scale: 1 / rate; the mean is shape * scale.
        validate_args: as for `Distribution`.

    >>> from hybridize import np
    >>> from hybridize.gluon import probability
    >>> distribution = probability.Gamma(2.0, 1.0)
    >>> distribution.log_prob(np.array(2.0)).round(3), distribution.sample().shape
    (array(-1.307), ())
    """

    has_grad = True
    support: constraint.Constraint = constraint.NonNegative()
    arg_constraints: ClassVar[Any] = {"shape": constraint.Positive(), "scale": constraint.Positive()}

    def __init__(self, shape: Any, scale: Any = 1.0, validate_args: bool | None = None) -> None:
        super().__init__(0, validate_args, shape=shape, scale=scale)

    @property
    def mean(self) -> Any:
        return self.shape * self.scale

    @property
    def variance(self) -> Any:
        return self.shape * self.scale**2

    def _draw(self, shape: tuple[int, ...]) -> Any:
        return np.random.gamma(self.shape, self.scale, shape)

    def log_prob(self, value: Any) -> Any:
        value, k = self._validate_samples(value), self.shape
        return (k - 1) * np.log(value) - value / self.scale - k * np.log(self.scale) - npx.gammaln(k)

    def entropy(self) -> Any:
        k = self.shape
        return k + np.log(self.scale) + npx.gammaln(k) + (1 - k) * npx.digamma(k)


class Chi2(Gamma):
    """Describe the sum of the squares of `df` standard normal numbers (chi-square).

    Args:
        df: degrees of freedom.
        validate_args: as for `Distribution`.

    >>> from hybridize import np
    >>> from hybridize.gluon import probability
    >>> distribution = probability.Chi2(4.0)
    >>> distribution.log_prob(np.array(2.0)).round(3), distribution.sample().shape
    (array(-1.693), ())
    """

    def __init__(self, df: Any, validate_args: bool | None = None) -> None:
        super().__init__(df / 2, 2.0, validate_args)

    @property
    def df(self) -> Any:
        """Degrees of freedom."""
        return self.shape * 2


class FisherSnedecor(Distribution):
    """Describe Fisher's F distribution.

    Args:
        df1: degrees of freedom of the numerator.
        df2: those of the denominator.
        validate_args: as for `Distribution`.

    >>> from hybridize import np
    >>> from hybridize.gluon import probability
    >>> distribution = probability.FisherSnedecor(4.0, 8.0)
    >>> distribution.log_prob(np.array(1.0)).round(3), distribution.sample().shape
    (array(-0.823), ())
    """

    support: constraint.Constraint = constraint.NonNegative()
    arg_constraints: ClassVar[Any] = {"df1": constraint.Positive(), "df2": constraint.Positive()}

    def __init__(self, df1: Any, df2: Any, validate_args: bool | None = None) -> None:
        super().__init__(0, validate_args, df1=df1, df2=df2)

    @property
    def mean(self) -> Any:
        return np.where(np.less_equal(self.df2, 2), math.nan, self.df2 / (self.df2 - 2))

    @property
    def variance(self) -> Any:
        df1, df2 = self.df1, self.df2
        value = 2 * df2**2 * (df1 + df2 - 2) / (df1 * (df2 - 2) ** 2 * (df2 - 4))
        return np.where(np.less_equal(df2, 4), math.nan, value)

    def _draw(self, shape: tuple[int, ...]) -> Any:
        return np.random.f(self.df1, self.df2, shape)

    def log_prob(self, value: Any) -> Any:
        value = self._validate_samples(value)
        a, b, ratio = self.df1 / 2, self.df2 / 2, self.df1 / self.df2
        beta = npx.gammaln(a) + npx.gammaln(b) - npx.gammaln(a + b)
        return np.log(ratio) * a + (a - 1) * np.log(value) - (a + b) * np.log1p(ratio * value) - beta


class Weibull(TransformedDistribution):
    """Describe the Weibull distribution: a power of an exponential number.

    Args:
        concentration: its shape.
        scale: times that power.
        validate_args: as for `Distribution`.

    >>> from hybridize import np
    >>> from hybridize.gluon import probability
    >>> distribution = probability.Weibull(2.0)
    >>> distribution.log_prob(np.array(1.0)).round(3), distribution.sample().shape
    (array(-0.307), ())
    """

    has_grad = True
    support: constraint.Constraint = constraint.NonNegative()
    arg_constraints: ClassVar[Any] = {"concentration": constraint.Positive(), "scale": constraint.Positive()}
    concentration: Any
    scale: Any

    def __init__(self, concentration: Any, scale: Any = 1.0, validate_args: bool | None = None) -> None:
        self.concentration, self.scale = concentration, scale
        steps = [PowerTransform(1 / concentration), AffineTransform(0.0, scale)]
        super().__init__(Exponential(), steps, validate_args)

    @property
    def mean(self) -> Any:
        return self.scale * np.exp(npx.gammaln(1 + 1 / self.concentration))

    @property
    def variance(self) -> Any:
        k = self.concentration
        return self.scale**2 * (np.exp(npx.gammaln(1 + 2 / k)) - np.exp(2 * npx.gammaln(1 + 1 / k)))

    def entropy(self) -> Any:
        k = self.concentration
        return EULER_GAMMA * (1 - 1 / k) + np.log(self.scale / k) + 1


class Pareto(TransformedDistribution):
    """Describe the Pareto distribution of the first kind.

    Args:
        alpha: its shape.
        scale: the least number.
        validate_args: as for `Distribution`.

    >>> from hybridize import np
    >>> from hybridize.gluon import probability
    >>> distribution = probability.Pareto(3.0)
    >>> distribution.log_prob(np.array(2.0)).round(3), distribution.sample().shape
    (array(-1.674), ())
    """

    has_grad = True
    arg_constraints: ClassVar[Any] = {"alpha": constraint.Positive(), "scale": constraint.Positive()}
    alpha: Any
    scale: Any

    def __init__(self, alpha: Any, scale: Any = 1.0, validate_args: bool | None = None) -> None:
        self.alpha, self.scale = alpha, scale
        super().__init__(Exponential(1 / alpha), [ExpTransform(), AffineTransform(0.0, scale)], validate_args)

    @constraint.dependent_property
    def support(self) -> Any:
        """`scale` and above."""
        return constraint.GreaterThanEq(self.scale)

    @property
    def mean(self) -> Any:
        a = np.clip(self.alpha, 1, None)
        return a * self.scale / (a - 1)

    @property
    def variance(self) -> Any:
        a = np.clip(self.alpha, 2, None)
        return self.scale**2 * a / ((a - 1) ** 2 * (a - 2))

    def entropy(self) -> Any:
        return np.log(self.scale / self.alpha) + 1 / self.alpha + 1


class Beta(ExponentialFamily):
    """Describe the beta distribution of a share between 0 and 1.

    Args:
        alpha: its first shape.
        beta: its second shape.
        validate_args: as for `Distribution`.

    >>> from hybridize import np
    >>> from hybridize.gluon import probability
    >>> distribution = probability.Beta(2.0, 2.0)
    >>> distribution.log_prob(np.array(0.5)).round(3), distribution.sample().shape
    (array(0.405), ())
    """

    has_grad = True
    support: constraint.Constraint = constraint.UnitInterval()
    arg_constraints: ClassVar[Any] = {"alpha": constraint.Positive(), "beta": constraint.Positive()}

    def __init__(self, alpha: Any, beta: Any, validate_args: bool | None = None) -> None:
        super().__init__(0, validate_args, alpha=alpha, beta=beta)

    @property
    def mean(self) -> Any:
        return self.alpha / (self.alpha + self.beta)

    @property
    def variance(self) -> Any:
        a, b = self.alpha, self.beta
        return a * b / ((a + b) ** 2 * (a + b + 1))

    def _draw(self, shape: tuple[int, ...]) -> Any:
        return clipped(np.random.beta(self.alpha, self.beta, shape))

    def _log_beta(self) -> Any:
        return npx.gammaln(self.alpha) + npx.gammaln(self.beta) - npx.gammaln(self.alpha + self.beta)

    def log_prob(self, value: Any) -> Any:
        value = self._validate_samples(value)
        return (self.alpha - 1) * np.log(value) + (self.beta - 1) * np.log1p(-value) - self._log_beta()

    def entropy(self) -> Any:
        a, b = self.alpha, self.beta
        slopes = (a - 1) * npx.digamma(a) + (b - 1) * npx.digamma(b) - (a + b - 2) * npx.digamma(a + b)
        return self._log_beta() - slopes


class Dirichlet(ExponentialFamily):
    """Describe shares that sum to 1.

    Args:
        alpha: [..., n], the weights of n shares.
        validate_args: as for `Distribution`.

    >>> from hybridize import np
    >>> from hybridize.gluon import probability
    >>> distribution = probability.Dirichlet(np.array([1.0, 1.0]))
    >>> distribution.log_prob(np.array([0.5, 0.5])).round(3), distribution.sample().shape
    (array(0.), (2,))
    """

    has_grad = True
    support: constraint.Constraint = constraint.Simplex()
    arg_constraints: ClassVar[Any] = {"alpha": constraint.Positive()}
    _depths: ClassVar[Any] = {"alpha": 1}

    def __init__(self, alpha: Any, validate_args: bool | None = None) -> None:
        super().__init__(1, validate_args, alpha=alpha)

    @property
    def mean(self) -> Any:
        return self.alpha / np.sum(self.alpha, -1, keepdims=True)

    @property
    def variance(self) -> Any:
        total = np.sum(self.alpha, -1, keepdims=True)
        return self.alpha * (total - self.alpha) / ((total + 1) * total**2)

    def _draw(self, shape: tuple[int, ...]) -> Any:
        drawn = np.random.gamma(self.alpha, 1.0, (*shape, self.alpha.shape[-1]))
        return np.maximum(drawn / np.sum(drawn, -1, keepdims=True), float(numpy.finfo("float32").eps))

    def _log_beta(self) -> Any:
        return np.sum(npx.gammaln(self.alpha), -1) - npx.gammaln(np.sum(self.alpha, -1))

    def log_prob(self, value: Any) -> Any:
        value = self._validate_samples(value)
        return np.sum(np.log(value) * (self.alpha - 1), -1) - self._log_beta()

    def entropy(self) -> Any:
        total = np.sum(self.alpha, -1)
        slopes = np.sum((self.alpha - 1) * npx.digamma(self.alpha), -1)
        return self._log_beta() + np.sum(self.alpha - 1, -1) * npx.digamma(total) - slopes
