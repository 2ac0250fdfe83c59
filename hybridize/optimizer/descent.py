# SPDX-License-Identifier: Apache-2.0
"""Gradient descent with and without momentum, by the gradient itself or by its sign."""

from __future__ import annotations

from typing import Any, ClassVar

from hybridize.array import np
from hybridize.base.settings import number
from hybridize.optimizer.base import Optimizer, Scalars, gradient, register
from hybridize.optimizer.kernels import Slots


class Momentum(Optimizer):
    """The base of optimizers with a momentum, which may be 0; then nothing is remembered for it."""

    scalar_names: ClassVar[tuple[str, ...]] = ("momentum",)
    _other_slots: ClassVar[int] = 0

    def __init__(self, learning_rate: float | None, momentum: float, **kwargs: Any) -> None:
        super().__init__(learning_rate=learning_rate, **kwargs)
        self.momentum: float = number("momentum", momentum, low=0.0)

    @property
    def slot_count(self) -> int:
        """Arrays that the formula always remembers, and the velocity if there is momentum."""
        return self._other_slots + int(self.momentum != 0)


@register
class SGD(Momentum):
    """Step against the gradient, with momentum if you ask for it (stochastic gradient descent).

        v = momentum * v - lr * g;   w = w + v

    Polyak, "Some methods of speeding up the convergence of iteration methods" (1964); with `nesterov` as `NAG`.

    Args:
        learning_rate: step size; 0.1 unless a scheduler says it.
        momentum: part of the step before that is made again; 0 remembers nothing.
        lazy_update: accepted; it is about sparse gradients.
        nesterov: look ahead along the momentum.
        kwargs: of `Optimizer`.

    >>> from hybridize import np, optimizer
    >>> update = optimizer.get_updater(optimizer.SGD(learning_rate=0.1, momentum=0.9))
    >>> weight = np.array([1.0, 2.0])
    >>> update(0, np.array([0.5, -0.5]), weight)
    >>> weight.round(3)
    array([0.95, 2.05])
    """

    default_rate: ClassVar[float] = 0.1
    nesterov: bool

    def __init__(
        self,
        learning_rate: float | None = None,
        momentum: float = 0.0,
        lazy_update: bool = False,
        nesterov: bool = False,
        **kwargs: Any,
    ) -> None:
        super().__init__(learning_rate, momentum, **kwargs)
        self.nesterov = bool(nesterov)

    def flags(self) -> dict[str, bool]:
        return {"nesterov": self.nesterov}

    @staticmethod
    def formula(w: Any, g: Any, slots: Slots, s: Scalars) -> tuple[Any, Slots]:
        g = gradient(w, g, s)
        if not slots:
            return w - s.lr * g, ()
        (v,) = slots
        v = s.momentum * v - s.lr * g
        return (w + s.momentum * v - s.lr * g if s.nesterov else w + v), (v,)


@register
class NAG(SGD):
    """Step against the gradient at a point further along the momentum (Nesterov's accelerated gradient).

        v = momentum * v - lr * g;   w = w + momentum * v - lr * g

    Sutskever, Martens, Dahl and Hinton, "On the importance of initialization and momentum in deep learning" (2013).

    Args:
        learning_rate: step size; 0.1 unless a scheduler says it.
        momentum: part of the step before that is made again.
        kwargs: of `Optimizer`.

    >>> from hybridize import np, optimizer
    >>> update = optimizer.get_updater(optimizer.NAG(learning_rate=0.1, momentum=0.9))
    >>> weight = np.array([1.0, 2.0])
    >>> update(0, np.array([0.5, -0.5]), weight)
    >>> weight.round(3)
    array([0.905, 2.095])
    """

    def __init__(self, learning_rate: float | None = None, momentum: float = 0.9, **kwargs: Any) -> None:
        super().__init__(learning_rate, momentum, nesterov=True, **kwargs)


@register
class Signum(Momentum):
    """Step by the same length for every element, in the direction of the sign of its momentum.

        m = momentum * m + (1 - momentum) * g;   w = (1 - lr * wd_lh) * w - lr * sign(m)

    Bernstein, Wang, Azizzadenesheli and Anandkumar, "signSGD: compressed optimisation for non-convex problems" (2018).
    Without momentum, sign(g), and the weight decay is taken off the weight. (MXNet stores -m; so do we.)

    Args:
        learning_rate: step size; 0.01 unless a scheduler says it.
        momentum: of the gradient.
        wd_lh: weight decay that is taken off the weight, as in Loshchilov and Hutter's paper on AdamW.
        kwargs: of `Optimizer`.

    >>> from hybridize import np, optimizer
    >>> update = optimizer.get_updater(optimizer.Signum(learning_rate=0.1))
    >>> weight = np.array([1.0, 2.0])
    >>> update(0, np.array([0.5, -0.5]), weight)
    >>> weight.round(3)
    array([0.9, 2.1])
    """

    def __init__(
        self, learning_rate: float | None = None, momentum: float = 0.9, wd_lh: float = 0.0, **kwargs: Any
    ) -> None:
        super().__init__(learning_rate, momentum, **kwargs)
        self.wd_lh: float = number("wd_lh", wd_lh, low=0.0)

    def scalars(self, lr: float, wd: float, t: int) -> dict[str, float]:
        factor = 1.0 - lr * (self.wd_lh if self.momentum else self.wd_lh + wd)
        return super().scalars(lr, wd, t) | {"rest": 1.0 - self.momentum, "kept": factor}

    @staticmethod
    def formula(w: Any, g: Any, slots: Slots, s: Scalars) -> tuple[Any, Slots]:
        if not slots:
            return s.kept * w - s.lr * np.sign(gradient(w, g, s, decay=False)), ()
        (m,) = slots
        m = s.momentum * m - s.rest * gradient(w, g, s)
        return s.kept * w + s.lr * np.sign(m), (m,)


@register
class SignSGD(Signum):
    """`Signum` without momentum: w = (1 - lr * (wd + wd_lh)) * w - lr * sign(g).

    Args:
        learning_rate: step size; 0.01 unless a scheduler says it.
        momentum: of the gradient; with one it is `Signum`.
        kwargs: of `Signum`.

    >>> from hybridize import np, optimizer
    >>> update = optimizer.get_updater(optimizer.SignSGD(learning_rate=0.1))
    >>> weight = np.array([1.0, 2.0])
    >>> update(0, np.array([0.5, -0.5]), weight)
    >>> weight.round(3)
    array([0.9, 2.1])
    """

    def __init__(self, learning_rate: float | None = None, momentum: float = 0.0, **kwargs: Any) -> None:
        super().__init__(learning_rate, momentum, **kwargs)


@register
class DCASGD(Momentum):
    """Descend, and correct gradients that were computed some updates ago.

        v = momentum * v - lr * (g + lamda * g^2 * (w - w'));   w' = w;   w = w + v

    where w' is the weight before the update before. Zheng and others, "Asynchronous stochastic gradient descent with
    delay compensation" (2017).

    Args:
        learning_rate: step size; 0.1 unless a scheduler says it.
        momentum: part of the step before that is made again; 0 remembers nothing of it.
        lamda: of the correction.
        kwargs: of `Optimizer`.

    >>> from hybridize import np, optimizer
    >>> update = optimizer.get_updater(optimizer.DCASGD(learning_rate=0.1))
    >>> weight = np.array([1.0, 2.0])
    >>> update(0, np.array([0.5, -0.5]), weight)
    >>> weight.round(3)
    array([0.95, 2.05])
    """

    default_rate: ClassVar[float] = 0.1
    scalar_names: ClassVar[tuple[str, ...]] = ("momentum", "lamda")
    _other_slots = 1
    """The weight before."""

    def __init__(
        self, learning_rate: float | None = None, momentum: float = 0.0, lamda: float = 0.04, **kwargs: Any
    ) -> None:
        super().__init__(learning_rate, momentum, **kwargs)
        self.lamda: float = number("lamda", lamda, low=0.0)

    def create_state(self, index: Any, weight: Any) -> Any:
        state = super().create_state(index, weight)
        before = state[0] if isinstance(state, tuple) else state
        before[...] = weight
        return state

    @staticmethod
    def formula(w: Any, g: Any, slots: Slots, s: Scalars) -> tuple[Any, Slots]:
        g = gradient(w, g, s)
        step = s.lr * (g + s.lamda * g * g * (w - slots[0]))
        if len(slots) == 1:
            return w - step, (w,)
        v = s.momentum * slots[1] - step
        return w + v, (w, v)
