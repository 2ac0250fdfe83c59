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
    """Base of transformations y = t(x)."""

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
    """Base of transformations with parameters that are learned, such as normalizing flows."""

    __hybridize_read__ = HybridBlock.__hybridize_read__
    __call__ = Transformation.__call__


class ComposeTransform(Transformation):
    """Transformations one after the other, the first one first."""

    def __init__(self, parts: Sequence[Transformation]) -> None:
        self._parts = list(parts)
        self.bijective: bool = all(part.bijective for part in self._parts)
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
    """exp(x)"""

    bijective = True
    sign = 1

    def _forward_compute(self, x: Any) -> Any:
        return np.exp(x)

    def _inverse_compute(self, y: Any) -> Any:
        return np.log(y)

    def log_det_jacobian(self, x: Any, y: Any) -> Any:
        return x


class AffineTransform(Transformation):
    """loc + scale x"""

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
    """x to the power of `exponent`, of positive numbers."""

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
    """1 / (1 + exp(-x)), away from 0 and 1 by the rounding of float32."""

    bijective = True
    sign = 1

    def _forward_compute(self, x: Any) -> Any:
        return clipped(npx.sigmoid(x))

    def _inverse_compute(self, y: Any) -> Any:
        return prob2logit(y)

    def log_det_jacobian(self, x: Any, y: Any) -> Any:
        return -softplus(-x) - softplus(x)


class SoftmaxTransform(Transformation):
    """The softmax over the last axis."""

    event_dim = 1

    def _forward_compute(self, x: Any) -> Any:
        return npx.softmax(x, -1)

    def _inverse_compute(self, y: Any) -> Any:
        return np.log(y)


class AbsTransform(Transformation):
    """|x|; back to the positive number."""

    def _forward_compute(self, x: Any) -> Any:
        return np.abs(x)

    def _inverse_compute(self, y: Any) -> Any:
        return y
