# SPDX-License-Identifier: Apache-2.0
"""Transformations of random numbers: forwards, backwards, and by how much they stretch."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hybridize.array import np, npx
from hybridize.base.participation import ReadPolicy
from hybridize.gluon.hybrid_block import HybridBlock
from hybridize.gluon.probability.numerics import clipped, lacking, prob2logit, softplus, sum_right_most


class Transformation:
    """Transform numbers, y = t(x), and back. The base of transformations.

    >>> from hybridize import np
    >>> from hybridize.gluon import probability
    >>> t = probability.ExpTransform()
    >>> t(np.zeros(2)), t.inv(np.ones(2))
    (array([1., 1.]), array([0., 0.]))
    """

    __hybridize_read__ = ReadPolicy.CONTENT

    bijective = False
    """True if each y comes of one x."""
    event_dim = 0
    """The number of last axes that are transformed together."""

    @property
    def sign(self) -> Any:
        """1 where it rises, -1 where it falls."""
        raise lacking(self, "sign")

    @property
    def inv(self) -> Transformation:
        """The transformation back."""
        return InverseTransformation(self)

    def __call__(self, x: Any) -> Any:
        return self._forward_compute(x)

    def _forward_compute(self, x: Any) -> Any:
        raise lacking(self, "_forward_compute")

    def _inverse_compute(self, y: Any) -> Any:
        raise lacking(self, "inverse")

    def log_det_jacobian(self, x: Any, y: Any) -> Any:
        """log |dy/dx| at x, which gives y."""
        raise lacking(self, "log_det_jacobian")


class InverseTransformation(Transformation):
    """A transformation the other way round."""

    bijective: bool
    event_dim: int

    def __init__(self, forward: Transformation) -> None:
        self._forward = forward
        self.bijective, self.event_dim = forward.bijective, forward.event_dim

    @property
    def sign(self) -> Any:
        return self._forward.sign

    @property
    def inv(self) -> Transformation:
        return self._forward

    def _forward_compute(self, x: Any) -> Any:
        return self._forward._inverse_compute(x)

    def _inverse_compute(self, y: Any) -> Any:
        return self._forward._forward_compute(y)

    def log_det_jacobian(self, x: Any, y: Any) -> Any:
        return -self._forward.log_det_jacobian(y, x)


class TransformBlock(Transformation, HybridBlock, layer=False):
    """Transform numbers with parameters that are learned, such as a normalizing flow.

    The base of such transformations.

    >>> from hybridize import gluon, np
    >>> from hybridize.gluon import probability
    >>> class Shift(probability.TransformBlock):
    ...     def __init__(self):
    ...         super().__init__()
    ...         self.by = gluon.Parameter("by", shape=(1,), init="ones")
    ...     def _forward_compute(self, x):
    ...         return x + self.by.data()
    >>> shift = Shift()
    >>> shift.initialize()
    >>> shift(np.zeros(2))
    array([1., 1.])
    """

    __hybridize_read__ = ReadPolicy.IDENTITY

    def __call__(self, x: Any) -> Any:
        return self._forward_compute(x)


class ComposeTransform(Transformation):
    """Apply transformations one after the other, the first in the list first.

    >>> from hybridize import np
    >>> from hybridize.gluon import probability
    >>> t = probability.ComposeTransform([probability.AffineTransform(1.0, 2.0), probability.AbsTransform()])
    >>> t(np.array([-2.0]))
    array([3.])
    """

    bijective: bool
    event_dim: int

    def __init__(self, parts: Sequence[Transformation]) -> None:
        self._parts = list(parts)
        self.bijective = all(part.bijective for part in self._parts)
        self.event_dim = max((part.event_dim for part in self._parts), default=0)

    @property
    def sign(self) -> Any:
        sign: Any = 1
        for part in self._parts:
            sign = sign * part.sign
        return sign

    @property
    def inv(self) -> Transformation:
        return ComposeTransform([part.inv for part in reversed(self._parts)])

    def _forward_compute(self, x: Any) -> Any:
        for part in self._parts:
            x = part(x)
        return x

    def _inverse_compute(self, y: Any) -> Any:
        return self.inv(y)

    def log_det_jacobian(self, x: Any, y: Any) -> Any:
        total: Any = 0
        for number, part in enumerate(self._parts):
            after = y if number == len(self._parts) - 1 else part(x)
            total = total + sum_right_most(part.log_det_jacobian(x, after), self.event_dim - part.event_dim)
            x = after
        return total if self._parts else np.zeros_like(x)


class ExpTransform(Transformation):
    """Return exp(x).

    >>> from hybridize import np
    >>> from hybridize.gluon import probability
    >>> probability.ExpTransform()(np.zeros(2))
    array([1., 1.])
    """

    bijective = True
    sign = 1

    def _forward_compute(self, x: Any) -> Any:
        return np.exp(x)

    def _inverse_compute(self, y: Any) -> Any:
        return np.log(y)

    def log_det_jacobian(self, x: Any, y: Any) -> Any:
        return x


class AffineTransform(Transformation):
    """Return loc + scale x.

    >>> from hybridize import np
    >>> from hybridize.gluon import probability
    >>> probability.AffineTransform(1.0, 2.0)(np.array([0.0, 1.0]))
    array([1., 3.])
    """

    bijective = True
    event_dim: int

    def __init__(self, loc: Any, scale: Any, event_dim: int = 0) -> None:
        self._loc, self._scale, self.event_dim = loc, scale, event_dim

    @property
    def sign(self) -> Any:
        return np.sign(self._scale)

    def _forward_compute(self, x: Any) -> Any:
        return self._loc + self._scale * x

    def _inverse_compute(self, y: Any) -> Any:
        return (y - self._loc) / self._scale

    def log_det_jacobian(self, x: Any, y: Any) -> Any:
        return sum_right_most(np.ones_like(x) * np.log(np.abs(self._scale)), self.event_dim)


class PowerTransform(Transformation):
    """Return x to the power of `exponent`, for positive numbers.

    >>> from hybridize import np
    >>> from hybridize.gluon import probability
    >>> probability.PowerTransform(2.0)(np.array([1.0, 3.0]))
    array([1., 9.])
    """

    bijective = True
    sign = 1

    def __init__(self, exponent: Any) -> None:
        self._exponent = exponent

    def _forward_compute(self, x: Any) -> Any:
        return np.power(x, self._exponent)

    def _inverse_compute(self, y: Any) -> Any:
        return np.power(y, 1 / self._exponent)

    def log_det_jacobian(self, x: Any, y: Any) -> Any:
        return np.log(np.abs(self._exponent * y / x))


class SigmoidTransform(Transformation):
    """Return 1 / (1 + exp(-x)). The result stays away from 0 and 1 by the rounding of float32.

    >>> from hybridize import np
    >>> from hybridize.gluon import probability
    >>> probability.SigmoidTransform()(np.zeros(2))
    array([0.5, 0.5])
    """

    bijective = True
    sign = 1

    def _forward_compute(self, x: Any) -> Any:
        return clipped(npx.sigmoid(x))

    def _inverse_compute(self, y: Any) -> Any:
        return prob2logit(y)

    def log_det_jacobian(self, x: Any, y: Any) -> Any:
        return -softplus(-x) - softplus(x)


class SoftmaxTransform(Transformation):
    """Return the softmax over the last axis.

    >>> from hybridize import np
    >>> from hybridize.gluon import probability
    >>> probability.SoftmaxTransform()(np.zeros(2))
    array([0.5, 0.5])
    """

    event_dim = 1

    def _forward_compute(self, x: Any) -> Any:
        return npx.softmax(x, -1)

    def _inverse_compute(self, y: Any) -> Any:
        return np.log(y)


class AbsTransform(Transformation):
    """Return |x|. The way back returns the positive number.

    >>> from hybridize import np
    >>> from hybridize.gluon import probability
    >>> probability.AbsTransform()(np.array([-1.0, 2.0]))
    array([1., 2.])
    """

    def _forward_compute(self, x: Any) -> Any:
        return np.abs(x)

    def _inverse_compute(self, y: Any) -> Any:
        return y
