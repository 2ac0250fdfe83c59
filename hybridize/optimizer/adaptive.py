# SPDX-License-Identifier: Apache-2.0
"""Steps that are divided by how large the gradients of each element have been."""

from __future__ import annotations

from typing import Any, ClassVar

from hybridize.array import np
from hybridize.array.ndarray import ndarray
from hybridize.base.errors import ShapeError, ValueArgumentError
from hybridize.base.settings import number
from hybridize.optimizer.base import Optimizer, Scalars, gradient, register
from hybridize.optimizer.kernels import Slots, zeros_beside


@register
class AdaGrad(Optimizer):
    """Divide the gradient by the root of the sum of all its squares so far.

        h = h + g^2;   w = w - lr * g / (sqrt(h) + epsilon)

    Duchi, Hazan and Singer, "Adaptive subgradient methods for online learning and stochastic optimization" (2011).

    Args:
        learning_rate: step size; 0.01 unless a scheduler says it.
        epsilon: keeps the divisor from 0.
        eps: MXNet 1.x's name of `epsilon`.
        kwargs: of `Optimizer`.

    >>> from hybridize import np, optimizer
    >>> update = optimizer.get_updater(optimizer.AdaGrad(learning_rate=0.1))
    >>> weight = np.array([1.0, 2.0])
    >>> update(0, np.array([0.5, -0.5]), weight)
    >>> weight.round(3)
    array([0.9, 2.1])
    """

    slot_count = 1
    """The sum of squares."""
    scalar_names: ClassVar[tuple[str, ...]] = ("epsilon",)

    def __init__(
        self, learning_rate: float | None = None, epsilon: float = 1e-6, eps: float | None = None, **kwargs: Any
    ) -> None:
        super().__init__(learning_rate=learning_rate, **kwargs)
        self.epsilon: float = number("epsilon", epsilon if eps is None else eps, low=0.0)

    @staticmethod
    def formula(w: Any, g: Any, slots: Slots, s: Scalars) -> tuple[Any, Slots]:
        g = gradient(w, g, s)
        h = slots[0] + g * g
        return w - s.lr * g / (np.sqrt(h) + s.epsilon), (h,)


@register
class GroupAdaGrad(Optimizer):
    """Step as AdaGrad for a matrix, with one sum for each row: of the mean of its squares.

        h = h + mean(g^2);   w = w - lr * g / sqrt(h + epsilon)

    Args:
        eps: keeps the divisor from 0.
        kwargs: of `Optimizer`; it has no weight decay.

    Raises:
        ValueArgumentError E345: a weight decay.

    >>> from hybridize import np, optimizer
    >>> update = optimizer.get_updater(optimizer.GroupAdaGrad(learning_rate=0.1))
    >>> weight = np.array([[1.0, 2.0]])
    >>> update(0, np.array([[0.5, -0.5]]), weight)
    >>> weight.round(3)
    array([[0.9, 2.1]])
    """

    slot_count = 1
    """The sums, [rows, 1]."""
    scalar_names: ClassVar[tuple[str, ...]] = ("epsilon",)

    def __init__(self, eps: float = 1e-5, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.epsilon: float = number("eps", eps, low=0.0)

    def create_state(self, index: Any, weight: ndarray) -> Any:
        if weight.ndim != 2:
            raise ShapeError("E101", f"GroupAdaGrad updates matrices, got {weight.type}", help="use AdaGrad")
        if self._get_wd(index):
            what = f"GroupAdaGrad has no weight decay, got wd={self._get_wd(index)}"
            raise ValueArgumentError("E345", what, help="pass wd=0, or use AdaGrad")
        return zeros_beside(weight, (weight.shape[0], 1), weight.dtype)

    @staticmethod
    def formula(w: Any, g: Any, slots: Slots, s: Scalars) -> tuple[Any, Slots]:
        g = gradient(w, g, s)
        h = slots[0] + np.mean(g * g, 1, keepdims=True)
        return w - s.lr * g / np.sqrt(h + s.epsilon), (h,)


@register
class RMSProp(Optimizer):
    """Divide the gradient by the root of a moving average of its squares or, if `centered`, of their variance.

        n = rho * n + (1 - rho) * g^2
        not centered:  w = w - lr * g / (sqrt(n) + epsilon)
        centered:      a = rho * a + (1 - rho) * g
                       d = momentum * d - lr * g / sqrt(n - a^2 + epsilon);   w = w + d

    Tieleman and Hinton, lecture 6.5 of "Neural networks for machine learning" (2012); Graves, "Generating sequences
    with recurrent neural networks" (2013), equations 38 to 45.

    Args:
        learning_rate: step size; 0.001 unless a scheduler says it.
        rho: what the averages keep.
        momentum: of the centered form; the other has none.
        epsilon: keeps the divisor from 0.
        centered: choose Graves's form.
        clip_weights: weights are cut to [-clip_weights, clip_weights] after the step.
        gamma1: MXNet 1.x's name of `rho`.
        gamma2: MXNet 1.x's name of `momentum`.
        kwargs: of `Optimizer`.

    >>> from hybridize import np, optimizer
    >>> update = optimizer.get_updater(optimizer.RMSProp(learning_rate=0.1))
    >>> weight = np.array([1.0, 2.0])
    >>> update(0, np.array([0.5, -0.5]), weight)
    >>> weight.round(3)
    array([0.684, 2.316])
    """

    default_rate: ClassVar[float] = 0.001
    scalar_names: ClassVar[tuple[str, ...]] = ("rho", "epsilon", "momentum")
    centered: bool

    def __init__(
        self,
        learning_rate: float | None = None,
        rho: float = 0.9,
        momentum: float = 0.9,
        epsilon: float = 1e-8,
        centered: bool = False,
        clip_weights: float | None = None,
        gamma1: float | None = None,
        gamma2: float | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(learning_rate=learning_rate, **kwargs)
        self.rho: float = number("rho", rho if gamma1 is None else gamma1, low=0.0, below=1.0)
        self.momentum: float = number("momentum", momentum if gamma2 is None else gamma2, low=0.0)
        self.epsilon: float = number("epsilon", epsilon, low=0.0)
        self.centered = bool(centered)
        self.clip_weights: float | None = number("clip_weights", clip_weights, low=0.0) if clip_weights else None

    @property
    def slot_count(self) -> int:
        """The average of squares; centered, those of gradients and of squares, and the step."""
        return 3 if self.centered else 1

    def flags(self) -> dict[str, bool]:
        return {"clips_weights": self.clip_weights is not None}

    def scalars(self, lr: float, wd: float, t: int) -> dict[str, float]:
        return super().scalars(lr, wd, t) | {"rest": 1.0 - self.rho, "limit": self.clip_weights or 0.0}

    @staticmethod
    def formula(w: Any, g: Any, slots: Slots, s: Scalars) -> tuple[Any, Slots]:
        g = gradient(w, g, s)
        n = s.rho * slots[len(slots) // 2] + s.rest * g * g
        state: Slots
        if len(slots) == 3:
            a = s.rho * slots[0] + s.rest * g
            # No less than 0, which rounding can bring about where a gradient hardly changes.
            d = s.momentum * slots[2] - s.lr * g / np.sqrt(np.maximum(n - a * a, 0.0) + s.epsilon)
            w, state = w + d, (a, n, d)
        else:
            within = getattr(s, "within_root", False)
            w, state = w - s.lr * g / (np.sqrt(n + s.epsilon) if within else np.sqrt(n) + s.epsilon), (n,)
        return (np.maximum(np.minimum(w, s.limit), -s.limit) if s.clips_weights else w), state


@register
class AdaDelta(Optimizer):
    """Divide the gradient by the root of a moving average of its squares, and multiply by that of the steps.

        n = rho * n + (1 - rho) * g^2
        d = sqrt(a + epsilon) / sqrt(n + epsilon) * g
        a = rho * a + (1 - rho) * d^2;   w = w - lr * d

    Zeiler, "ADADELTA: an adaptive learning rate method" (2012).

    Args:
        learning_rate: factor on the step; 1.0 unless a scheduler says it.
        rho: what the averages keep.
        epsilon: what the first steps come from.
        kwargs: of `Optimizer`.

    >>> from hybridize import np, optimizer
    >>> update = optimizer.get_updater(optimizer.AdaDelta(rho=0.9))
    >>> weight = np.array([1.0, 2.0])
    >>> update(0, np.array([0.5, -0.5]), weight)
    >>> weight.round(3)
    array([0.997, 2.003])
    """

    default_rate: ClassVar[float] = 1.0
    slot_count = 2
    """The averages of squared gradients and of squared steps."""
    scalar_names: ClassVar[tuple[str, ...]] = ("rho", "epsilon")

    def __init__(
        self, learning_rate: float | None = None, rho: float = 0.9, epsilon: float = 1e-6, **kwargs: Any
    ) -> None:
        super().__init__(learning_rate=learning_rate, **kwargs)
        self.rho: float = number("rho", rho, low=0.0, below=1.0)
        self.epsilon: float = number("epsilon", epsilon, low=0.0)

    def scalars(self, lr: float, wd: float, t: int) -> dict[str, float]:
        return super().scalars(lr, wd, t) | {"rest": 1.0 - self.rho}

    @staticmethod
    def formula(w: Any, g: Any, slots: Slots, s: Scalars) -> tuple[Any, Slots]:
        g = gradient(w, g, s)
        n = s.rho * slots[0] + s.rest * g * g
        d = np.sqrt(slots[1] + s.epsilon) / np.sqrt(n + s.epsilon) * g
        return w - s.lr * d, (n, s.rho * slots[1] + s.rest * d * d)


@register
class Ftrl(Optimizer):
    """Follow the regularized leader: weights that matter little become exactly 0.

        n' = n + g^2;   z = z + g - (sqrt(n') - sqrt(n)) / lr * w
        w = -sign(z) * max(|z| - lamda1, 0) / ((beta + sqrt(n')) / lr + wd)

    McMahan and others, "Ad click prediction: a view from the trenches" (2013), algorithm 1. Where lr is 0, nothing
    changes.

    Args:
        learning_rate: step size; 0.1 unless a scheduler says it.
        lamda1: the L1 penalty.
        beta: added to the roots.
        kwargs: of `Optimizer`; `wd` is the L2 penalty.

    >>> from hybridize import np, optimizer
    >>> update = optimizer.get_updater(optimizer.Ftrl(learning_rate=0.1))
    >>> weight = np.array([1.0, 2.0])
    >>> update(0, np.array([0.5, -0.5]), weight)
    >>> weight.round(3)
    array([0.299, 0.699])
    """

    default_rate: ClassVar[float] = 0.1
    slot_count = 2
    """z and n."""
    scalar_names: ClassVar[tuple[str, ...]] = ("lamda1", "beta")

    def __init__(
        self, learning_rate: float | None = None, lamda1: float = 0.01, beta: float = 1.0, **kwargs: Any
    ) -> None:
        super().__init__(learning_rate=learning_rate, **kwargs)
        self.lamda1: float = number("lamda1", lamda1, low=0.0)
        self.beta: float = number("beta", beta, low=0.0)

    @staticmethod
    def formula(w: Any, g: Any, slots: Slots, s: Scalars) -> tuple[Any, Slots]:
        z, n = slots
        g = gradient(w, g, s, decay=False)
        root, before = np.sqrt(n + g * g), np.sqrt(n)
        moves = s.lr > 0.0  # a schedule may end at 0, by which nothing can be divided
        lr = s.lr + (1.0 - moves)
        summed = z + g - (root - before) / lr * w
        left = np.sign(summed) * np.maximum(np.abs(summed) - s.lamda1, 0.0)
        updates = (-left / ((s.beta + root) / lr + s.wd), summed, n + g * g)
        w, z, n = (np.where(moves, new, old) for new, old in zip(updates, (w, z, n), strict=True))
        return w, (z, n)
