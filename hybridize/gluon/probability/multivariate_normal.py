# SPDX-License-Identifier: Apache-2.0
"""The normal distribution of vectors."""

from __future__ import annotations

import math
from typing import Any, ClassVar

from hybridize.array import np
from hybridize.base.errors import ArgumentError
from hybridize.gluon.probability.constraint import Constraint, LowerCholesky, PositiveDefinite, Real
from hybridize.gluon.probability.distribution import Distribution
from hybridize.gluon.probability.numerics import cached_property


class MultivariateNormal(Distribution):
    """Describe normal vectors [n].

    Args:
        loc: [..., n], the mean.
        cov: [..., n, n], the covariance.
        precision: its inverse.
        scale_tril: its lower Cholesky factor; one of the three is given.
        validate_args: as for `Distribution`.

    >>> from hybridize import np
    >>> from hybridize.gluon import probability
    >>> distribution = probability.MultivariateNormal(np.zeros(2), cov=np.eye(2))
    >>> distribution.log_prob(np.zeros(2)).round(3), distribution.sample().shape
    (array(-1.838), (2,))
    """

    has_grad = True
    support: Constraint = Real()
    arg_constraints: ClassVar[Any] = {
        "loc": Real(), "cov": PositiveDefinite(), "precision": PositiveDefinite(), "scale_tril": LowerCholesky(),
    }  # fmt: skip
    _depths: ClassVar[Any] = {"loc": 1, "cov": 2, "precision": 2, "scale_tril": 2}

    def __init__(
        self,
        loc: Any,
        cov: Any = None,
        precision: Any = None,
        scale_tril: Any = None,
        validate_args: bool | None = None,
    ) -> None:
        forms = {"cov": cov, "precision": precision, "scale_tril": scale_tril}
        pairs = [(name, value) for name, value in forms.items() if value is not None]
        if len(pairs) != 1:
            raise _NotOne("E316", f"MultivariateNormal takes one of {', '.join(forms)}, got {len(pairs)}")
        self.loc = loc
        setattr(self, *pairs[0])
        super().__init__(1, validate_args)

    @cached_property
    def scale_tril(self) -> Any:
        """The lower Cholesky factor of the covariance."""
        if "cov" in vars(self):
            return np.linalg.cholesky(self.cov)
        # inverse(L L') = flip(K) flip(K)' with K the factor of the flipped precision, so L' = inverse of flip(K)
        factor = np.flip(np.linalg.cholesky(np.flip(self.precision, (-1, -2))), (-1, -2))
        return np.swapaxes(np.linalg.inv(factor), -1, -2)

    @cached_property
    def cov(self) -> Any:
        """The covariance."""
        if "scale_tril" in vars(self):
            return np.matmul(self.scale_tril, np.swapaxes(self.scale_tril, -1, -2))
        return np.linalg.inv(self.precision)

    @cached_property
    def precision(self) -> Any:
        """The inverse of the covariance."""
        if "cov" in vars(self):
            return np.linalg.inv(self.cov)
        inverse = np.linalg.inv(self.scale_tril)
        return np.matmul(np.swapaxes(inverse, -1, -2), inverse)

    @property
    def mean(self) -> Any:
        return self.loc

    @property
    def variance(self) -> Any:
        return np.sum(self.scale_tril**2, -1)

    def half_log_det(self) -> Any:
        """Return half of the logarithm of the covariance's determinant."""
        return np.sum(np.log(np.diagonal(self.scale_tril, axis1=-2, axis2=-1)), -1)

    def _draw(self, shape: tuple[int, ...]) -> Any:
        noise = np.random.normal(0.0, 1.0, (*shape, self.loc.shape[-1], 1), device=self._device)
        return self.loc + np.squeeze(np.matmul(self.scale_tril, noise), -1)

    def log_prob(self, value: Any) -> Any:
        apart = self._validate_samples(value) - self.loc
        along = np.squeeze(np.matmul(self.precision, np.expand_dims(apart, -1)), -1)
        height = 0.5 * self.loc.shape[-1] * math.log(2 * math.pi) + self.half_log_det()
        return -0.5 * np.sum(apart * along, -1) - height

    def entropy(self) -> Any:
        flat = 0.5 * self.scale_tril.shape[-1] * math.log(2 * math.pi * math.e)
        return self.half_log_det() + flat


class _NotOne(ArgumentError, ValueError):
    """None or several of arguments that say the same."""
