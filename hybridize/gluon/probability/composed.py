# SPDX-License-Identifier: Apache-2.0
"""Distributions made of others: with axes of the batch taken for an event, or with transformed samples."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from typing import Any

from hybridize.array import np
from hybridize.gluon.probability.constraint import dependent_property
from hybridize.gluon.probability.distribution import Distribution, _sizes
from hybridize.gluon.probability.numerics import sum_right_most
from hybridize.gluon.probability.transformation import ComposeTransform, Transformation


class Independent(Distribution):
    """Take the last axes of a batch as one event: multiply its probabilities along these axes.

    Args:
        base_distribution: of the single numbers.
        reinterpreted_batch_ndims: the number of axes.
        validate_args: as for `Distribution`.

    >>> from hybridize import np
    >>> from hybridize.gluon import probability
    >>> distribution = probability.Independent(probability.Normal(np.zeros(3), 1.0), 1)
    >>> distribution.log_prob(np.zeros(3)).round(3)
    array(-2.757)
    """

    def __init__(
        self, base_distribution: Distribution, reinterpreted_batch_ndims: int, validate_args: bool | None = None
    ) -> None:
        self.base_dist = base_distribution
        self.reinterpreted_batch_ndims = reinterpreted_batch_ndims
        super().__init__(reinterpreted_batch_ndims + base_distribution.event_dim, validate_args)

    @property
    def batch_shape(self) -> tuple[int, ...]:
        shape = self.base_dist.batch_shape
        return shape[: len(shape) - self.reinterpreted_batch_ndims]

    def broadcast_to(self, batch_shape: Any) -> Any:
        shape = self.base_dist.batch_shape
        event = shape[len(shape) - self.reinterpreted_batch_ndims :]
        base = self.base_dist.broadcast_to((*_sizes(batch_shape), *event))
        return Independent(base, self.reinterpreted_batch_ndims, self._validate_args)

    @property
    def has_enumerate_support(self) -> bool:  # type: ignore[override]
        """True if all values can be listed: those of several numbers are not."""
        return self.reinterpreted_batch_ndims == 0 and self.base_dist.has_enumerate_support

    @dependent_property
    def support(self) -> Any:
        """That of the single numbers."""
        return self.base_dist.support

    @property
    def mean(self) -> Any:
        return self.base_dist.mean

    @property
    def variance(self) -> Any:
        return self.base_dist.variance

    def _draw(self, shape: tuple[int, ...]) -> Any:
        of_batch = self.base_dist.batch_shape
        return self.base_dist.sample((*shape, *of_batch[len(of_batch) - self.reinterpreted_batch_ndims :]))

    def log_prob(self, value: Any) -> Any:
        return sum_right_most(self.base_dist.log_prob(value), self.reinterpreted_batch_ndims)

    def entropy(self) -> Any:
        return sum_right_most(self.base_dist.entropy(), self.reinterpreted_batch_ndims)

    def enumerate_support(self) -> Any:
        if self.reinterpreted_batch_ndims:
            raise self._lacks("enumerate_support")
        return self.base_dist.enumerate_support()


class TransformedDistribution(Distribution):
    """Transform the samples of another distribution.

    Args:
        base_dist: the other.
        transforms: one transformation or several, the first one first.
        validate_args: as for `Distribution`.

    >>> from hybridize import np
    >>> from hybridize.gluon import probability
    >>> base = probability.Normal(0.0, 1.0)
    >>> distribution = probability.TransformedDistribution(base, probability.ExpTransform())
    >>> distribution.log_prob(np.array(1.0)).round(3)
    array(-0.919)
    """

    def __init__(
        self,
        base_dist: Distribution,
        transforms: Transformation | Sequence[Transformation],
        validate_args: bool | None = None,
    ) -> None:
        self._base_dist = base_dist
        self._transforms = [transforms] if isinstance(transforms, Transformation) else list(transforms)
        self._chain = ComposeTransform(self._transforms)
        super().__init__(max(base_dist.event_dim, self._chain.event_dim), validate_args)

    @property
    def batch_shape(self) -> tuple[int, ...]:
        return super().batch_shape if self.arg_constraints else self._base_dist.batch_shape

    def broadcast_to(self, batch_shape: Any) -> Any:
        copy = super().broadcast_to(batch_shape)
        if not self.arg_constraints:
            return copy
        own = {name: getattr(copy, name) for name in self.arg_constraints}  # the base is made of them, and the steps
        return type(self)(**own, validate_args=self._validate_args)

    def sample(self, size: Any = None) -> Any:
        return self._chain(self._base_dist.sample(size)) if not self.arg_constraints else super().sample(size)

    def sample_n(self, size: Any = None) -> Any:
        return self._chain(self._base_dist.sample_n(size)) if not self.arg_constraints else super().sample_n(size)

    def _draw(self, shape: tuple[int, ...]) -> Any:
        with self._device or nullcontext():  # the base is made of numbers
            return self._chain(self._base_dist.sample(shape))

    def log_prob(self, value: Any) -> Any:
        y = self._validate_samples(value)
        total: Any = 0.0
        for one in reversed(self._transforms):
            x = one.inv(y)
            total = total - sum_right_most(one.log_det_jacobian(x, y), self.event_dim - one.event_dim)
            y = x
        return total + sum_right_most(self._base_dist.log_prob(y), self.event_dim - self._base_dist.event_dim)

    def cdf(self, value: Any) -> Any:
        base = self._base_dist.cdf(self._chain.inv(self._validate_samples(value)))
        return self._chain.sign * (base - 0.5) + 0.5

    def icdf(self, value: Any) -> Any:
        return self._chain(self._base_dist.icdf(self._chain.sign * (value - 0.5) + 0.5))


class Folded(TransformedDistribution):
    """|x| of a number x that is as likely as -x."""

    def log_prob(self, value: Any) -> Any:
        value = self._validate_samples(value)
        log_density = self._base_dist.log_prob(value) + np.log(2.0)
        return np.where(np.less(value, 0), -np.inf, log_density)

    def cdf(self, value: Any) -> Any:
        return 2 * self._base_dist.cdf(self._validate_samples(value)) - 1

    def icdf(self, value: Any) -> Any:
        return self._base_dist.icdf((value + 1) / 2)
