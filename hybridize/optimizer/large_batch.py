# SPDX-License-Identifier: Apache-2.0
"""Steps that are made as long as the weight of each layer allows, for large batches."""

from __future__ import annotations

from typing import Any, ClassVar

from hybridize.array import np
from hybridize.base.errors import ValueArgumentError
from hybridize.base.recorded import choose
from hybridize.base.settings import number, whole
from hybridize.optimizer.base import Scalars, gradient, register
from hybridize.optimizer.descent import SGD, Momentum
from hybridize.optimizer.kernels import Slots
from hybridize.optimizer.moments import Bounded, averages, bounded, norm, quotient, ratio

_PLAIN = ("gamma", "beta", "bias")
"""Ends of names of weights whose steps LARS leaves as long as they are."""


@register
class LARS(SGD):
    """Descend, with a rate for each weight: the learning rate times eta |w| / (|g| + wd |w| + epsilon).

        v = momentum * v - lr * ratio * (g + wd * w);   w = w + v

    where g in the ratio is rescaled but not clipped, and the ratio is 1 where |w| or |g| is 0, and for weights whose
    name, in `param_idx2name`, ends in `gamma`, `beta` or `bias`.
    You, Gitman and Ginsburg, "Large batch training of convolutional networks" (2017).

    Args:
        learning_rate: step size; 0.1 unless a scheduler says it.
        momentum: part of the step before that is made again; 0 remembers nothing.
        eta: how much of its length a weight moves.
        epsilon: keeps the divisor from 0.
        lazy_update: accepted; it is about sparse gradients.
        kwargs: of `Optimizer`.

    >>> from hybridize import np, optimizer
    >>> update = optimizer.get_updater(optimizer.LARS(learning_rate=10))
    >>> weight = np.array([1.0, 2.0])
    >>> update(0, np.array([0.5, -0.5]), weight)
    >>> weight.round(3)
    array([0.984, 2.016])
    """

    scalar_names: ClassVar[tuple[str, ...]] = ("momentum", "eta", "epsilon")

    def __init__(
        self,
        learning_rate: float | None = None,
        momentum: float = 0.0,
        eta: float = 0.001,
        epsilon: float = 1e-8,
        lazy_update: bool = False,
        **kwargs: Any,
    ) -> None:
        super().__init__(learning_rate, momentum, lazy_update, **kwargs)
        self.eta: float = number("eta", eta, low=0.0)
        self.epsilon: float = number("epsilon", epsilon, low=0.0)

    def flags(self) -> dict[str, bool]:
        return super().flags() | {"plain": False}

    def flags_of(self, index: Any) -> dict[str, bool]:
        return {"plain": self.idx2name.get(index, "").endswith(_PLAIN)}

    @staticmethod
    def formula(w: Any, g: Any, slots: Slots, s: Scalars) -> tuple[Any, Slots]:
        rate = s.lr
        if not s.plain:
            length, slope = norm(w), norm(g * s.rescale)
            rate = s.lr * ratio(length, slope, s.eta * length / (slope + s.wd * length + s.epsilon))
        g = gradient(w, g, s)
        if not slots:
            return w - rate * g, ()
        v = s.momentum * slots[0] - rate * g
        return w + v, (v,)


@register
class LANS(Bounded):
    """Step as LAMB, with gradients of length 1 and Nesterov's momentum.

        g = g / |g|;   m and v as Adam's, without bias
        d = m / (sqrt(v) + epsilon) + wd * w;   e = g / (sqrt(v) + epsilon) + wd * w
        w' = w - lr * beta1 * |w| / |d| * d;    w = w' - lr * (1 - beta1) * |w| / |e| * e

    where |w| lies within the bounds, a ratio is 1 where one of its lengths is 0, and e is of w'.
    Zheng, Lin, Zha and Li, "Accelerated large batch optimization of BERT pretraining in 54 minutes" (2020).

    Args:
        learning_rate: step size; 0.001 unless a scheduler says it.
        beta1: what the mean keeps.
        beta2: what the mean of squares keeps.
        epsilon: keeps the divisor from 0.
        lower_bound: of |w|.
        upper_bound: of |w|.
        kwargs: of `Optimizer`.

    >>> from hybridize import np, optimizer
    >>> update = optimizer.get_updater(optimizer.LANS(learning_rate=0.1))
    >>> weight = np.array([1.0, 2.0])
    >>> update(0, np.array([0.5, -0.5]), weight)
    >>> weight.round(3)
    array([0.842, 2.158])
    """

    @staticmethod
    def formula(w: Any, g: Any, slots: Slots, s: Scalars) -> tuple[Any, Slots]:
        g = g * s.rescale
        slope = norm(g)
        g = g / np.where(slope > 0.0, slope, 1.0)
        if getattr(s, "clips", False):
            g = np.maximum(np.minimum(g, s.clip), -s.clip)
        m, v = averages(g, slots, s)
        root = np.sqrt(v * s.of_square) + s.epsilon
        length = bounded(norm(w), s)
        for part, share in ((m * s.of_mean / root, s.beta1), (g / root, s.rest1)):
            d = part + s.wd * w if s.decays else part
            w = w - s.lr * share * quotient(length, norm(d)) * d
        return w, (m, v)


@register
class LBSGD(Momentum):
    """Descend by the mean gradient of `batch_scale` batches, with a rate that grows at the beginning of training.

        c = c + g;   at every batch_scale-th update:
        g = c / batch_scale;   v = momentum * v - lr * factor * (g + wd * w);   w = w + v;   c = 0

    The factor goes from 1 to `batch_scale` in `warmup_epochs`; with `lars` it is sqrt(|w|^2 / (|g|^2 + wd |w|^2)),
    from 0.01 to 100. Goyal and others, "Accurate, large minibatch SGD" (2017).

    Args:
        learning_rate: step size; 0.01 unless a scheduler says it.
        momentum: part of the step before that is made again; 0 remembers nothing.
        warmup_strategy: `linear`, `power2`, `sqrt`, or `lars`.
        warmup_epochs: the epochs in which the factor grows.
        batch_scale: the number of batches of a step.
        updates_per_epoch: the number of batches of an epoch.
        begin_epoch: the number of epochs that are done already.
        num_epochs: accepted for MXNet, which does not read it either.
        kwargs: of `Optimizer`.

    >>> from hybridize import np, optimizer
    >>> update = optimizer.get_updater(optimizer.LBSGD(learning_rate=0.1))
    >>> weight = np.array([1.0, 2.0])
    >>> update(0, np.array([0.5, -0.5]), weight)
    >>> weight.round(3)
    array([0.95, 2.05])
    """

    _other_slots = 1
    """The sum of gradients."""

    def __init__(
        self,
        learning_rate: float | None = None,
        momentum: float = 0.0,
        warmup_strategy: str = "linear",
        warmup_epochs: int = 5,
        batch_scale: int = 1,
        updates_per_epoch: int = 32,
        begin_epoch: int = 0,
        num_epochs: int = 60,
        **kwargs: Any,
    ) -> None:
        super().__init__(learning_rate, momentum, **kwargs)
        if warmup_strategy not in ("linear", "power2", "sqrt", "lars"):
            what = f"warmup_strategy is linear, power2, sqrt or lars, got {warmup_strategy!r}"
            raise ValueArgumentError("E353", what)
        self.warmup_strategy = warmup_strategy
        self.warmup_epochs: int = whole("warmup_epochs", warmup_epochs, 0)
        self.batch_scale: int = whole("batch_scale", batch_scale, 1)
        self.updates_per_epoch: int = whole("updates_per_epoch", updates_per_epoch, 1)
        self.begin_epoch: int = whole("begin_epoch", begin_epoch, 0)
        self.num_epochs = num_epochs

    def flags(self) -> dict[str, bool]:
        return {"lars": self.warmup_strategy == "lars"}

    def scalars(self, lr: float, wd: float, t: int) -> dict[str, float]:
        count = self.begin_epoch * self.updates_per_epoch + t
        due = choose(count % self.batch_scale > 0, lambda: 0.0, lambda: 1.0)
        return super().scalars(lr * self._factor_at(count), wd, t) | {"share": 1.0 / self.batch_scale, "due": due}

    def _factor_at(self, count: int) -> float:
        """The factor on the rate after so many batches."""
        warm = self.warmup_epochs * self.updates_per_epoch
        if self.warmup_strategy == "lars":
            return 1.0
        done = {"linear": 1.0, "power2": 2.0, "sqrt": 0.5}[self.warmup_strategy]
        factor: float = choose(
            count < warm,
            lambda: 1.0 if warm <= 1 else 1.0 + (self.batch_scale - 1) * (count / warm) ** done,
            lambda: float(self.batch_scale),
        )
        return factor

    @staticmethod
    def formula(w: Any, g: Any, slots: Slots, s: Scalars) -> tuple[Any, Slots]:
        total, due = slots[0] + g, s.due > 0.0
        g, rate = total * s.share, s.lr
        if s.lars:
            length, slope = np.sum(w * w), np.sum(g * g)
            rate = rate * np.minimum(np.maximum(np.sqrt(length / (slope + s.wd * length + 1e-18)), 0.01), 100.0)
        step = rate * gradient(w, g, s)
        rest = np.where(due, 0.0, total)
        if len(slots) == 1:
            return np.where(due, w - step, w), (rest,)
        v = np.where(due, s.momentum * slots[1] - step, slots[1])
        return np.where(due, w + v, w), (rest, v)
