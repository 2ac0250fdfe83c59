# SPDX-License-Identifier: Apache-2.0
"""Distributions of all real numbers, with a place and a width, and those of their absolute values."""

from __future__ import annotations

import math
from typing import Any, ClassVar

from hybridize.array import np, npx
from hybridize.gluon.probability.composed import Folded
from hybridize.gluon.probability.constraint import Constraint, Interval, NonNegative, Positive, Real
from hybridize.gluon.probability.distribution import Distribution, ExponentialFamily
from hybridize.gluon.probability.transformation import AbsTransform

EULER_GAMMA = 0.5772156649015329


class Uniform(Distribution):
    """Draw numbers between two bounds, all with the same density.

    Args:
        low: the lower bound.
        high: the upper bound.
        validate_args: as for `Distribution`.

    >>> from hybridize import np
    >>> from hybridize.gluon import probability
    >>> distribution = probability.Uniform(0.0, 4.0)
    >>> distribution.log_prob(np.array(1.0)).round(3), distribution.sample().shape
    (array(-1.386), ())
    """

    has_grad = True
    arg_constraints: ClassVar[Any] = {"low": Real(), "high": Real()}

    def __init__(self, low: Any = 0.0, high: Any = 1.0, validate_args: bool | None = None) -> None:
        super().__init__(0, validate_args, low=low, high=high)

    @property
    def support(self) -> Any:
        """Within the bounds."""
        return Interval(self.low, self.high)

    @property
    def mean(self) -> Any:
        return (self.low + self.high) / 2

    @property
    def variance(self) -> Any:
        return (self.high - self.low) ** 2 / 12

    def _draw(self, shape: tuple[int, ...]) -> Any:
        return np.random.uniform(self.low, self.high, shape)

    def log_prob(self, value: Any) -> Any:
        value = self._validate_samples(value)
        inside = np.logical_and(np.less_equal(self.low, value), np.less_equal(value, self.high))
        return np.where(inside, -np.log(self.high - self.low), -np.inf)

    def cdf(self, value: Any) -> Any:
        value = self._validate_samples(value)
        return np.clip((value - self.low) / (self.high - self.low), 0, 1)

    def icdf(self, value: Any) -> Any:
        return value * (self.high - self.low) + self.low

    def entropy(self) -> Any:
        return np.log(self.high - self.low)


class _Located(Distribution):
    """With a place `loc` and a width `scale`, by which samples are differentiated."""

    has_grad = True
    support: Constraint = Real()
    arg_constraints: ClassVar[Any] = {"loc": Real(), "scale": Positive()}
    _deviation: ClassVar[float] = 1.0
    """The standard deviation over the scale."""

    def __init__(self, loc: Any = 0.0, scale: Any = 1.0, validate_args: bool | None = None) -> None:
        super().__init__(0, validate_args, loc=loc, scale=scale)

    @property
    def mean(self) -> Any:
        return self.loc

    @property
    def variance(self) -> Any:
        return self.stddev**2

    @property
    def stddev(self) -> Any:
        return self.scale * self._deviation

    def _standardized(self, value: Any) -> Any:
        return (self._validate_samples(value) - self.loc) / self.scale


class Normal(_Located, ExponentialFamily):
    """Draw normal numbers and compute their densities.

    Args:
        loc: the mean.
        scale: the standard deviation.
        validate_args: as for `Distribution`.

    >>> from hybridize import np
    >>> from hybridize.gluon import probability
    >>> distribution = probability.Normal(0.0, 2.0)
    >>> distribution.log_prob(np.array(0.0)).round(3), distribution.sample().shape
    (array(-1.612), ())
    """

    def _draw(self, shape: tuple[int, ...]) -> Any:
        return np.random.normal(self.loc, self.scale, shape)

    def log_prob(self, value: Any) -> Any:
        return self._standardized(value) ** 2 * -0.5 - np.log(self.scale) - 0.5 * math.log(2 * math.pi)

    def cdf(self, value: Any) -> Any:
        return 0.5 * (1 + npx.erf(self._standardized(value) / math.sqrt(2)))

    def icdf(self, value: Any) -> Any:
        return self.loc + self.scale * npx.erfinv(2 * value - 1) * math.sqrt(2)

    def entropy(self) -> Any:
        return 0.5 + 0.5 * math.log(2 * math.pi) + np.log(self.scale)


class Laplace(_Located):
    """Describe the Laplace distribution: two exponential distributions back to back.

    Args:
        loc: the mean.
        scale: the mean distance from it.
        validate_args: as for `Distribution`.

    >>> from hybridize import np
    >>> from hybridize.gluon import probability
    >>> distribution = probability.Laplace(0.0, 1.0)
    >>> distribution.log_prob(np.array(0.0)).round(3), distribution.sample().shape
    (array(-0.693), ())
    """

    _deviation = math.sqrt(2)

    def _draw(self, shape: tuple[int, ...]) -> Any:
        return np.random.laplace(self.loc, self.scale, shape)

    def log_prob(self, value: Any) -> Any:
        return -np.log(2 * self.scale) - np.abs(self._standardized(value))

    def cdf(self, value: Any) -> Any:
        z = self._standardized(value)
        return 0.5 - 0.5 * np.sign(z) * np.expm1(-np.abs(z))

    def icdf(self, value: Any) -> Any:
        centred = value - 0.5
        return self.loc - self.scale * np.sign(centred) * np.log1p(-2 * np.abs(centred))

    def entropy(self) -> Any:
        return 1 + np.log(2 * self.scale)


class Cauchy(_Located):
    """Describe the Cauchy distribution, which has no mean.

    Args:
        loc: the median.
        scale: half of the width at half of the height.
        validate_args: as for `Distribution`.

    >>> from hybridize import np
    >>> from hybridize.gluon import probability
    >>> distribution = probability.Cauchy(0.0, 1.0)
    >>> distribution.log_prob(np.array(0.0)).round(3), distribution.sample().shape
    (array(-1.145), ())
    """

    @property
    def mean(self) -> Any:
        return np.full(self.batch_shape, math.nan, device=self._device)

    variance = mean
    stddev = mean

    def _draw(self, shape: tuple[int, ...]) -> Any:
        return self.icdf(np.random.uniform(0.0, 1.0, shape, device=self._device))

    def log_prob(self, value: Any) -> Any:
        return -math.log(math.pi) - np.log(self.scale) - np.log1p(self._standardized(value) ** 2)

    def cdf(self, value: Any) -> Any:
        return np.arctan(self._standardized(value)) / math.pi + 0.5

    def icdf(self, value: Any) -> Any:
        return np.tan(math.pi * (value - 0.5)) * self.scale + self.loc

    def entropy(self) -> Any:
        return math.log(4 * math.pi) + np.log(self.scale)


class Gumbel(_Located):
    """Describe the distribution of the largest of many numbers.

    Args:
        loc: the mode.
        scale: its width.
        validate_args: as for `Distribution`.

    >>> from hybridize import np
    >>> from hybridize.gluon import probability
    >>> distribution = probability.Gumbel(0.0, 1.0)
    >>> distribution.log_prob(np.array(0.0)).round(3), distribution.sample().shape
    (array(-1.), ())
    """

    _deviation = math.pi / math.sqrt(6)

    @property
    def mean(self) -> Any:
        return self.loc + self.scale * EULER_GAMMA

    def _draw(self, shape: tuple[int, ...]) -> Any:
        return np.random.gumbel(self.loc, self.scale, shape)

    def log_prob(self, value: Any) -> Any:
        z = self._standardized(value)
        return -z - np.exp(-z) - np.log(self.scale)

    def cdf(self, value: Any) -> Any:
        return np.exp(-np.exp(-self._standardized(value)))

    def icdf(self, value: Any) -> Any:
        return self.loc - self.scale * np.log(-np.log(value))

    def entropy(self) -> Any:
        return np.log(self.scale) + (1 + EULER_GAMMA)


class StudentT(Distribution):
    """Describe Student's t distribution.

    Args:
        df: degrees of freedom.
        loc: the median.
        scale: its width.
        validate_args: as for `Distribution`.

    >>> from hybridize import np
    >>> from hybridize.gluon import probability
    >>> distribution = probability.StudentT(3.0)
    >>> distribution.log_prob(np.array(0.0)).round(3), distribution.sample().shape
    (array(-1.001), ())
    """

    support: Constraint = Real()
    arg_constraints: ClassVar[Any] = {"df": Positive(), "loc": Real(), "scale": Positive()}

    def __init__(self, df: Any, loc: Any = 0.0, scale: Any = 1.0, validate_args: bool | None = None) -> None:
        super().__init__(0, validate_args, df=df, loc=loc, scale=scale)

    @property
    def mean(self) -> Any:
        return np.where(np.less_equal(self.df, 1), math.nan, self.loc)

    @property
    def variance(self) -> Any:
        finite = self.scale**2 * self.df / (self.df - 2)
        return np.where(np.less_equal(self.df, 1), math.nan, np.where(np.less_equal(self.df, 2), math.inf, finite))

    def _draw(self, shape: tuple[int, ...]) -> Any:
        noise = np.random.normal(0.0, 1.0, shape, device=self._device)
        ratio = noise * np.sqrt(self.df / np.random.chisquare(self.df, shape))
        return self.loc + ratio * self.scale

    def log_prob(self, value: Any) -> Any:
        df = self.df
        z = (self._validate_samples(value) - self.loc) / self.scale
        height = npx.gammaln((df + 1) / 2) - npx.gammaln(df / 2) - np.log(self.scale) - 0.5 * np.log(df * math.pi)
        return height - 0.5 * (df + 1) * np.log1p(z**2 / df)

    def entropy(self) -> Any:
        half = 0.5 * (self.df + 1)
        beta = npx.gammaln(0.5 * self.df) + npx.gammaln(0.5) - npx.gammaln(half)
        slope = half * (npx.digamma(half) - npx.digamma(0.5 * self.df))
        return np.log(self.scale) + slope + 0.5 * np.log(self.df) + beta


class _Half(Folded):
    """The base of |x| of numbers x that lie around 0."""

    has_grad = True
    support: Constraint = NonNegative()
    arg_constraints: ClassVar[Any] = {"scale": Positive()}
    _whole: ClassVar[type[_Located]]
    """The distribution of x."""

    def __init__(self, scale: Any = 1.0, validate_args: bool | None = None) -> None:
        self.scale = scale
        super().__init__(self._whole(0.0, scale), AbsTransform(), validate_args)

    def entropy(self) -> Any:
        return self._base_dist.entropy() - math.log(2)


class HalfNormal(_Half):
    """Describe |x| of a normal x around 0.

    Args:
        scale: the standard deviation of x.
        validate_args: as for `Distribution`.

    >>> from hybridize import np
    >>> from hybridize.gluon import probability
    >>> distribution = probability.HalfNormal(1.0)
    >>> distribution.log_prob(np.array(1.0)).round(3), distribution.sample().shape
    (array(-0.726), ())
    """

    _whole = Normal

    @property
    def loc(self) -> Any:
        """The mean of x: 0."""
        return self._base_dist.mean

    @property
    def mean(self) -> Any:
        return self.scale * math.sqrt(2 / math.pi)

    @property
    def variance(self) -> Any:
        return self.scale**2 * (1 - 2 / math.pi)


class HalfCauchy(_Half):
    """Describe |x| of a number x of a Cauchy distribution around 0.

    Args:
        scale: the width of that of x.
        validate_args: as for `Distribution`.

    >>> from hybridize import np
    >>> from hybridize.gluon import probability
    >>> distribution = probability.HalfCauchy(1.0)
    >>> distribution.log_prob(np.array(1.0)).round(3), distribution.sample().shape
    (array(-1.145), ())
    """

    _whole = Cauchy

    @property
    def mean(self) -> Any:
        return np.full(self.batch_shape, math.inf, device=self._device)

    variance = mean
