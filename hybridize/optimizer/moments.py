# SPDX-License-Identifier: Apache-2.0
"""Adam and its kin: a moving average of the gradients over the root of one of their squares.

MXNet's conventions hold: `epsilon` is added to the root before the bias is taken out (Adam, AdamW), which is the form
at the end of section 2 of Kingma and Ba's paper, and after it in Nadam and LAMB.
"""

from __future__ import annotations

import math
from typing import Any, ClassVar

from hybridize.array import np
from hybridize.base.recorded import choose
from hybridize.base.settings import number
from hybridize.optimizer.base import Optimizer, Scalars, gradient, register
from hybridize.optimizer.kernels import Slots


class _Moments(Optimizer):
    """The base of optimizers that remember a mean m and a mean of squares v."""

    default_rate: ClassVar[float] = 0.001
    slot_count = 2
    """m and v."""
    scalar_names: ClassVar[tuple[str, ...]] = ("beta1", "beta2", "epsilon")

    def __init__(self, learning_rate: float | None, beta1: float, beta2: float, epsilon: float, **kwargs: Any) -> None:
        super().__init__(learning_rate=learning_rate, **kwargs)
        self.beta1: float = number("beta1", beta1, low=0.0, below=1.0)
        self.beta2: float = number("beta2", beta2, low=0.0, below=1.0)
        self.epsilon: float = number("epsilon", epsilon, low=0.0)

    def scalars(self, lr: float, wd: float, t: int) -> dict[str, float]:
        return super().scalars(lr, wd, t) | {"rest1": 1.0 - self.beta1, "rest2": 1.0 - self.beta2}

    def _unbiased(self, lr: float, t: int) -> float:
        """The learning rate that takes out the bias of m and v, which begin at 0."""
        rate: float = lr * _root(1.0 - self.beta2**t) / (1.0 - self.beta1**t)
        return rate


def _root(x: Any) -> Any:
    """Return the square root of a number of Python's, or of one that is recorded for a file (`stated`)."""
    return math.sqrt(x) if type(x) is float else x.root()


class _Corrected(_Moments):
    """The base of optimizers that take the bias of m and v out of the learning rate, unless told not to."""

    correct_bias: bool

    def __init__(
        self,
        learning_rate: float | None = None,
        beta1: float = 0.9,
        beta2: float = 0.999,
        epsilon: float = 1e-6,
        correct_bias: bool = True,
        **kwargs: Any,
    ) -> None:
        super().__init__(learning_rate, beta1, beta2, epsilon, **kwargs)
        self.correct_bias = bool(correct_bias)

    def scalars(self, lr: float, wd: float, t: int) -> dict[str, float]:
        return super().scalars(self._unbiased(lr, t) if self.correct_bias else lr, wd, t)


class Bounded(_Moments):
    """The base of optimizers whose steps are as long as the weight, within bounds."""

    bias_correction = True

    def __init__(
        self,
        learning_rate: float | None = None,
        beta1: float = 0.9,
        beta2: float = 0.999,
        epsilon: float = 1e-6,
        lower_bound: float | None = None,
        upper_bound: float | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(learning_rate, beta1, beta2, epsilon, **kwargs)
        self.lower_bound: float | None = None if lower_bound is None else number("lower_bound", lower_bound, low=0.0)
        self.upper_bound: float | None = None if upper_bound is None else number("upper_bound", upper_bound, low=0.0)

    def scalars(self, lr: float, wd: float, t: int) -> dict[str, float]:
        corrects = self.bias_correction
        return super().scalars(lr, wd, t) | {
            "of_mean": 1.0 / (1.0 - self.beta1**t) if corrects else 1.0,
            "of_square": 1.0 / (1.0 - self.beta2**t) if corrects else 1.0,
            "lowest": 0.0 if self.lower_bound is None else self.lower_bound,
            "highest": math.inf if self.upper_bound is None else self.upper_bound,
        }


def norm(x: Any) -> Any:
    """The length of an array as a vector."""
    return np.sqrt(np.sum(x * x))


def bounded(length: Any, s: Scalars) -> Any:
    """A length cut to the bounds."""
    return np.minimum(np.maximum(length, s.lowest), s.highest)


def ratio(length: Any, other: Any, value: Any) -> Any:
    """`value`, but 1 where one of two lengths is 0."""
    return np.where(np.logical_and(length > 0.0, other > 0.0), value, 1.0)


def quotient(length: Any, other: Any) -> Any:
    """One length over the other, 1 where one of them is 0."""
    return ratio(length, other, length / np.where(other > 0.0, other, 1.0))


def averages(g: Any, slots: Slots, s: Scalars) -> Slots:
    """The next m and v."""
    return s.beta1 * slots[0] + s.rest1 * g, s.beta2 * slots[1] + s.rest2 * g * g


@register
class Adam(_Moments):
    """Step by the mean of the gradients over the root of the mean of their squares (adaptive moments).

        m = beta1 * m + (1 - beta1) * g;   v = beta2 * v + (1 - beta2) * g^2
        w = w - lr * sqrt(1 - beta2^t) / (1 - beta1^t) * m / (sqrt(v) + epsilon)

    Kingma and Ba, "Adam: a method for stochastic optimization" (2015).

    Args:
        learning_rate: step size; 0.001 unless a scheduler says it.
        beta1: what the mean keeps.
        beta2: what the mean of squares keeps.
        epsilon: keeps the divisor from 0.
        lazy_update: accepted; it is about sparse gradients.
        kwargs: of `Optimizer`.

    >>> from hybridize import np, optimizer
    >>> update = optimizer.get_updater(optimizer.Adam(learning_rate=0.1))
    >>> weight = np.array([1.0, 2.0])
    >>> update(0, np.array([0.5, -0.5]), weight)
    >>> weight.round(3)
    array([0.9, 2.1])
    """

    def __init__(
        self,
        learning_rate: float | None = None,
        beta1: float = 0.9,
        beta2: float = 0.999,
        epsilon: float = 1e-8,
        lazy_update: bool = False,
        **kwargs: Any,
    ) -> None:
        super().__init__(learning_rate, beta1, beta2, epsilon, **kwargs)

    def scalars(self, lr: float, wd: float, t: int) -> dict[str, float]:
        return super().scalars(self._unbiased(lr, t), wd, t)

    @staticmethod
    def formula(w: Any, g: Any, slots: Slots, s: Scalars) -> tuple[Any, Slots]:
        m, v = averages(gradient(w, g, s), slots, s)
        return w - s.lr * m / (np.sqrt(v) + s.epsilon), (m, v)


@register
class AdamW(_Corrected):
    """Step as Adam, and subtract the weight decay from the weight instead of adding it to the gradient.

        w = w - lr_t * (m / (sqrt(v) + epsilon) + wd * w),   lr_t as in `Adam`, or lr without `correct_bias`

    Loshchilov and Hutter, "Decoupled weight decay regularization" (2019). As in MXNet the decay goes with lr_t.

    Args:
        learning_rate: step size; 0.001 unless a scheduler says it.
        beta1: what the mean keeps.
        beta2: what the mean of squares keeps.
        epsilon: keeps the divisor from 0.
        correct_bias: take out the bias of the averages.
        kwargs: of `Optimizer`.

    >>> from hybridize import np, optimizer
    >>> update = optimizer.get_updater(optimizer.AdamW(learning_rate=0.1))
    >>> weight = np.array([1.0, 2.0])
    >>> update(0, np.array([0.5, -0.5]), weight)
    >>> weight.round(3)
    array([0.9, 2.1])
    """

    @staticmethod
    def formula(w: Any, g: Any, slots: Slots, s: Scalars) -> tuple[Any, Slots]:
        m, v = averages(gradient(w, g, s, decay=False), slots, s)
        step = m / (np.sqrt(v) + s.epsilon)
        return w - s.lr * (step + s.wd * w if s.decays else step), (m, v)


@register
class Adamax(_Moments):
    """Step as Adam, with the largest gradient so far, which decays, in place of the root.

        m = beta1 * m + (1 - beta1) * g;   u = max(beta2 * u, |g|);   w = w - lr / (1 - beta1^t) * m / u

    Kingma and Ba (2015), algorithm 2. Where every gradient was 0, nothing happens (MXNet gives NaN).

    Args:
        learning_rate: step size; 0.002 unless a scheduler says it.
        beta1: what the mean keeps.
        beta2: what the largest keeps.
        kwargs: of `Optimizer`.

    >>> from hybridize import np, optimizer
    >>> update = optimizer.get_updater(optimizer.Adamax(learning_rate=0.1))
    >>> weight = np.array([1.0, 2.0])
    >>> update(0, np.array([0.5, -0.5]), weight)
    >>> weight.round(3)
    array([0.9, 2.1])
    """

    default_rate: ClassVar[float] = 0.002

    def __init__(
        self, learning_rate: float | None = None, beta1: float = 0.9, beta2: float = 0.999, **kwargs: Any
    ) -> None:
        super().__init__(learning_rate, beta1, beta2, 0.0, **kwargs)

    def scalars(self, lr: float, wd: float, t: int) -> dict[str, float]:
        return super().scalars(lr / (1.0 - self.beta1**t), wd, t)

    @staticmethod
    def formula(w: Any, g: Any, slots: Slots, s: Scalars) -> tuple[Any, Slots]:
        g = gradient(w, g, s)
        m = s.beta1 * slots[0] + s.rest1 * g
        u = np.maximum(s.beta2 * slots[1], np.abs(g))
        return w - s.lr * m / np.where(u == 0.0, 1.0, u), (m, u)


@register
class Nadam(_Moments):
    """Step as Adam, with Nesterov's momentum on a schedule.

        mu_t = beta1 * (1 - 0.96^(t * schedule_decay) / 2);   P_t = mu_1 * ... * mu_t
        w = w - lr * (mu_(t+1) * m / (1 - P_(t+1)) + (1 - mu_t) * g / (1 - P_t)) / (sqrt(v / (1 - beta2^t)) + epsilon)

    Dozat, "Incorporating Nesterov momentum into Adam" (2016). P_t is of the updates of a weight; MXNet's, of all.

    Args:
        learning_rate: step size; 0.001 unless a scheduler says it.
        beta1: what the mean keeps.
        beta2: what the mean of squares keeps.
        epsilon: keeps the divisor from 0.
        schedule_decay: how fast mu goes to beta1.
        kwargs: of `Optimizer`.

    >>> from hybridize import np, optimizer
    >>> update = optimizer.get_updater(optimizer.Nadam(learning_rate=0.1))
    >>> weight = np.array([1.0, 2.0])
    >>> update(0, np.array([0.5, -0.5]), weight)
    >>> weight.round(3)
    array([0.894, 2.106])
    """

    def __init__(
        self,
        learning_rate: float | None = None,
        beta1: float = 0.9,
        beta2: float = 0.999,
        epsilon: float = 1e-8,
        schedule_decay: float = 0.004,
        **kwargs: Any,
    ) -> None:
        super().__init__(learning_rate, beta1, beta2, epsilon, **kwargs)
        self.schedule_decay: float = number("schedule_decay", schedule_decay, low=0.0)
        self._product = (0.0, 0.0, 0, 1.0)

    def _mu(self, t: int) -> float:
        mu: float = self.beta1 * (1.0 - 0.5 * 0.96 ** (t * self.schedule_decay))
        return mu

    def _products(self, t: int) -> float:
        """P_t, multiplied in the order of the updates, so that a resumed training has the same bits."""
        carried = getattr(t, "carried", None)
        if carried is not None:
            product_now: float = carried("schedule_product", self._products, lambda before: before * self._mu(t))
            return product_now
        beta1, decay, known, product = self._product
        if known > t or (beta1, decay) != (self.beta1, self.schedule_decay):
            known, product = 0, 1.0
        for one in range(known + 1, t + 1):
            product *= self._mu(one)
        self._product = (self.beta1, self.schedule_decay, t, product)
        return product

    def scalars(self, lr: float, wd: float, t: int) -> dict[str, float]:
        product, ahead = self._products(t), self._mu(t + 1)
        return super().scalars(lr, wd, t) | {
            "of_mean": ahead / (1.0 - product * ahead),
            "of_gradient": (1.0 - self._mu(t)) / (1.0 - product),
            "of_square": 1.0 / (1.0 - self.beta2**t),
        }

    @staticmethod
    def formula(w: Any, g: Any, slots: Slots, s: Scalars) -> tuple[Any, Slots]:
        g = gradient(w, g, s)
        m, v = averages(g, slots, s)
        step = (s.of_mean * m + s.of_gradient * g) / (np.sqrt(v * s.of_square) + s.epsilon)
        return w - s.lr * step, (m, v)


@register
class LAMB(Bounded):
    """Step as Adam, and scale the step to the length of the weight, for large batches.

        d = m' / (sqrt(v') + epsilon) + wd * w;   w = w - lr * |w| / |d| * d

    where m' and v' are without bias, |w| lies within the bounds, and the ratio is 1 where one of the norms is 0.
    You and others, "Large batch optimization for deep learning: training BERT in 76 minutes" (2020), algorithm 2.

    Args:
        learning_rate: step size; 0.001 unless a scheduler says it.
        beta1: what the mean keeps.
        beta2: what the mean of squares keeps.
        epsilon: keeps the divisor from 0.
        lower_bound: of |w|.
        upper_bound: of |w|.
        bias_correction: take out the bias of the averages.
        kwargs: of `Optimizer`.

    >>> from hybridize import np, optimizer
    >>> update = optimizer.get_updater(optimizer.LAMB(learning_rate=0.1))
    >>> weight = np.array([1.0, 2.0])
    >>> update(0, np.array([0.5, -0.5]), weight)
    >>> weight.round(3)
    array([0.842, 2.158])
    """

    bias_correction: bool

    def __init__(
        self,
        learning_rate: float | None = None,
        beta1: float = 0.9,
        beta2: float = 0.999,
        epsilon: float = 1e-6,
        lower_bound: float | None = None,
        upper_bound: float | None = None,
        bias_correction: bool = True,
        **kwargs: Any,
    ) -> None:
        super().__init__(learning_rate, beta1, beta2, epsilon, lower_bound, upper_bound, **kwargs)
        self.bias_correction = bool(bias_correction)

    @staticmethod
    def formula(w: Any, g: Any, slots: Slots, s: Scalars) -> tuple[Any, Slots]:
        m, v = averages(gradient(w, g, s, decay=False), slots, s)
        d = m * s.of_mean / (np.sqrt(v * s.of_square) + s.epsilon)
        d = d + s.wd * w if s.decays else d
        return w - s.lr * quotient(bounded(norm(w), s), norm(d)) * d, (m, v)


@register
class AdaBelief(_Corrected):
    """Step as Adam, with the variance of the gradients around their mean in place of their squares.

        m = beta1 * m + (1 - beta1) * g;   v = beta2 * v + (1 - beta2) * (g - m)^2 + epsilon
        w = w - lr * sqrt(1 - beta2^t) / (1 - beta1^t) * m / (sqrt(v) + epsilon)

    Zhuang and others, "AdaBelief optimizer: adapting stepsizes by the belief in observed gradients" (2020).

    Args:
        learning_rate: step size; 0.001 unless a scheduler says it.
        beta1: what the mean keeps.
        beta2: what the variance keeps.
        epsilon: keeps the divisor from 0.
        correct_bias: take out the bias of the averages.
        kwargs: of `Optimizer`.

    >>> from hybridize import np, optimizer
    >>> update = optimizer.get_updater(optimizer.AdaBelief(learning_rate=0.1))
    >>> weight = np.array([1.0, 2.0])
    >>> update(0, np.array([0.5, -0.5]), weight)
    >>> weight.round(3)
    array([0.889, 2.111])
    """

    @staticmethod
    def formula(w: Any, g: Any, slots: Slots, s: Scalars) -> tuple[Any, Slots]:
        g = gradient(w, g, s)
        m = s.beta1 * slots[0] + s.rest1 * g
        v = s.beta2 * slots[1] + s.rest2 * (g - m) * (g - m) + s.epsilon
        return w - s.lr * m / (np.sqrt(v) + s.epsilon), (m, v)


@register
class FTML(_Moments):
    """Step from a mean of all weights so far (follow the moving leader).

        v = beta2 * v + (1 - beta2) * g^2;   d' = (1 - beta1^t) / lr * (sqrt(v / (1 - beta2^t)) + epsilon)
        z = beta1 * z + (1 - beta1) * g - (d' - beta1 * d) * w;   w = -z / d';   d = d'

    Zheng and Kwok, "Follow the moving leader in deep learning" (2017). At a rate of 0 nothing changes.

    Args:
        learning_rate: step size; 0.0025 unless a scheduler says it.
        beta1: what the leader keeps, near 0.5.
        beta2: what the mean of squares keeps.
        epsilon: keeps the divisor from 0.
        kwargs: of `Optimizer`.

    >>> from hybridize import np, optimizer
    >>> update = optimizer.get_updater(optimizer.FTML(learning_rate=0.1))
    >>> weight = np.array([1.0, 2.0])
    >>> update(0, np.array([0.5, -0.5]), weight)
    >>> weight.round(3)
    array([0.9, 2.1])
    """

    default_rate: ClassVar[float] = 0.0025
    slot_count: int = 3
    """d, v and z."""

    def __init__(
        self,
        learning_rate: float | None = None,
        beta1: float = 0.6,
        beta2: float = 0.999,
        epsilon: float = 1e-8,
        **kwargs: Any,
    ) -> None:
        super().__init__(learning_rate, beta1, beta2, epsilon, **kwargs)

    def scalars(self, lr: float, wd: float, t: int) -> dict[str, float]:
        return super().scalars(lr, wd, t) | {
            "per_rate": choose(lr != 0.0, lambda: (1.0 - self.beta1**t) / lr, lambda: 0.0),
            "of_square": 1.0 / (1.0 - self.beta2**t),
        }

    @staticmethod
    def formula(w: Any, g: Any, slots: Slots, s: Scalars) -> tuple[Any, Slots]:
        before, v, z = slots
        moves = s.per_rate > 0.0
        g = gradient(w, g, s)
        v = np.where(moves, s.beta2 * v + s.rest2 * g * g, v)
        d = np.where(moves, s.per_rate * (np.sqrt(v * s.of_square) + s.epsilon), before)
        z = np.where(moves, s.beta1 * z + s.rest1 * g - (d - s.beta1 * before) * w, z)
        return np.where(moves, -z / np.where(moves, d, 1.0), w), (d, v, z)
