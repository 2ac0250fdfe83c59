# SPDX-License-Identifier: Apache-2.0
"""The optimizers of MXNet 1.9.1, where 2.0's have other formulas, defaults or orders of arguments.

All else is that of `hybridize.optimizer`. `create` finds both by their names; what a user registers goes before.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from hybridize import optimizer
from hybridize.array import np
from hybridize.base.advice import warn
from hybridize.base.names import face, replacing
from hybridize.optimizer.base import Scalars, gradient
from hybridize.optimizer.kernels import Slots


class _Rated(optimizer.Optimizer):
    """The base of optimizers whose default learning rate goes before that of a scheduler."""

    def __init__(self, learning_rate: float | None = None, *args: Any, **kwargs: Any) -> None:
        schedule = kwargs.get("lr_scheduler")
        if schedule is not None and learning_rate is None:
            learning_rate = self.default_rate
            base = getattr(schedule, "base_lr", learning_rate)
            if base != learning_rate:
                warn(
                    f"{type(self).__name__}'s default learning_rate, {learning_rate:g}, replaces the scheduler's "
                    f"base_lr, {base:g}, as in MXNet 1.9.1: pass learning_rate={base:g}"
                )
        initialize: Any = super().__init__
        initialize(learning_rate, *args, **kwargs)


class _ClipsDecay(optimizer.Optimizer):
    """The base of optimizers that clip the gradient with its weight decay."""

    def flags(self) -> dict[str, bool]:
        return super().flags() | {"clips_decay": True}


class SGD(optimizer.SGD):
    """`hybridize.optimizer.SGD`, of rate 0.01.

    Args:
        momentum: part of the step before that is made again.
        lazy_update: accepted.
        kwargs: of `Optimizer`.
    """

    default_rate: ClassVar[float] = 0.01

    def __init__(self, momentum: float = 0.0, lazy_update: bool = True, **kwargs: Any) -> None:
        super().__init__(momentum=momentum, lazy_update=lazy_update, **kwargs)


class NAG(optimizer.NAG):
    """`hybridize.optimizer.NAG`, of rate 0.01 and without momentum.

    Args:
        momentum: part of the step before that is made again.
        kwargs: of `Optimizer`.
    """

    default_rate: ClassVar[float] = 0.01

    def __init__(self, momentum: float = 0.0, **kwargs: Any) -> None:
        super().__init__(momentum=momentum, **kwargs)


class Signum(_Rated, optimizer.Signum):
    """`hybridize.optimizer.Signum`; its default rate goes before a scheduler's."""


class FTML(_ClipsDecay, optimizer.FTML):
    """`hybridize.optimizer.FTML`, of rate 0.01; the gradient is clipped with its decay.

    Args:
        beta1: what the leader keeps.
        beta2: what the mean of squares keeps.
        epsilon: keeps the divisor from 0.
        kwargs: of `Optimizer`.
    """

    default_rate: ClassVar[float] = 0.01

    def __init__(self, beta1: float = 0.6, beta2: float = 0.999, epsilon: float = 1e-8, **kwargs: Any) -> None:
        super().__init__(beta1=beta1, beta2=beta2, epsilon=epsilon, **kwargs)


class LARS(optimizer.LARS):
    """`hybridize.optimizer.LARS`, of rate 0.01.

    Args:
        momentum: part of the step before that is made again.
        lazy_update: accepted.
        eta: how much of its length a weight moves.
        eps: keeps the divisor from 0.
        kwargs: of `Optimizer`.
    """

    default_rate: ClassVar[float] = 0.01

    def __init__(
        self, momentum: float = 0.0, lazy_update: bool = True, eta: float = 0.001, eps: float = 0.0, **kwargs: Any
    ) -> None:
        super().__init__(momentum=momentum, lazy_update=lazy_update, eta=eta, **{"epsilon": eps, **kwargs})


class LAMB(_Rated, optimizer.LAMB):
    """`hybridize.optimizer.LAMB`; its default rate goes before a scheduler's."""


class DCASGD(optimizer.DCASGD):
    """`hybridize.optimizer.DCASGD`, of rate 0.01; the correction is by the gradient without its decay.

        v = momentum * v - lr * (g + wd * w + lamda * g^2 * (w - w'))

    Args:
        momentum: part of the step before that is made again.
        lamda: of the correction.
        kwargs: of `Optimizer`.
    """

    default_rate: ClassVar[float] = 0.01

    def __init__(self, momentum: float = 0.0, lamda: float = 0.04, **kwargs: Any) -> None:
        super().__init__(momentum=momentum, lamda=lamda, **kwargs)

    @staticmethod
    def formula(w: Any, g: Any, slots: Slots, s: Scalars) -> tuple[Any, Slots]:
        g = gradient(w, g, s, decay=False)
        step = s.lr * (g + s.wd * w + s.lamda * g * g * (w - slots[0]))
        if len(slots) == 1:
            return w - step, (w,)
        v = s.momentum * slots[1] - step
        return w + v, (w, v)


class SGLD(optimizer.SGLD):
    """`hybridize.optimizer.SGLD`, of rate 0.01."""

    default_rate: ClassVar[float] = 0.01


class Adam(_Rated, _ClipsDecay, optimizer.Adam):
    """`hybridize.optimizer.Adam`; the gradient is clipped with its decay."""


class AdaGrad(optimizer.AdaGrad):
    """`hybridize.optimizer.AdaGrad` with the decay taken off the weight, and epsilon within the root.

        h = h + g^2;   w = w - lr * (g / sqrt(h + eps) + wd * w)

    Args:
        eps: keeps the divisor from 0.
        kwargs: of `Optimizer`.
    """

    def __init__(self, eps: float = 1e-7, **kwargs: Any) -> None:
        super().__init__(**{"epsilon": eps, **kwargs})

    @staticmethod
    def formula(w: Any, g: Any, slots: Slots, s: Scalars) -> tuple[Any, Slots]:
        g = gradient(w, g, s, decay=False)
        h = slots[0] + g * g
        return w - s.lr * (g / np.sqrt(h + s.epsilon) + s.wd * w), (h,)


class RMSProp(_Rated, _ClipsDecay, optimizer.RMSProp):
    """`hybridize.optimizer.RMSProp` with epsilon within the root; the gradient is clipped with its decay."""

    def flags(self) -> dict[str, bool]:
        return super().flags() | {"within_root": True}


class AdaDelta(optimizer.AdaDelta):
    """`hybridize.optimizer.AdaDelta` without a learning rate, its decay taken off the weight: w = w - d - wd * w.

    Args:
        rho: what the averages keep.
        epsilon: what the first steps come from.
        kwargs: of `Optimizer`.
    """

    def __init__(self, rho: float = 0.9, epsilon: float = 1e-5, **kwargs: Any) -> None:
        super().__init__(rho=rho, epsilon=epsilon, **kwargs)

    @staticmethod
    def formula(w: Any, g: Any, slots: Slots, s: Scalars) -> tuple[Any, Slots]:
        g = gradient(w, g, s, decay=False)
        n = s.rho * slots[0] + s.rest * g * g
        d = np.sqrt(slots[1] + s.epsilon) / np.sqrt(n + s.epsilon) * g
        return w - d - s.wd * w, (n, s.rho * slots[1] + s.rest * d * d)


class Ftrl(optimizer.Ftrl):
    """`hybridize.optimizer.Ftrl`, with the arguments in another order.

    Args:
        lamda1: the L1 penalty.
        learning_rate: step size.
        beta: added to the roots.
        kwargs: of `Optimizer`.
    """

    def __init__(
        self, lamda1: float = 0.01, learning_rate: float | None = None, beta: float = 1.0, **kwargs: Any
    ) -> None:
        super().__init__(learning_rate, lamda1, beta, **kwargs)


class Adamax(_Rated, _ClipsDecay, optimizer.Adamax):
    """`hybridize.optimizer.Adamax`; the gradient is clipped with its decay."""


class Nadam(_Rated, _ClipsDecay, optimizer.Nadam):
    """`hybridize.optimizer.Nadam`; the gradient is clipped with its decay."""


_KINDS = replacing(globals(), optimizer)
"""Those of this module, by those of `hybridize.optimizer`."""


def create(name: Any, **kwargs: Any) -> optimizer.Optimizer:
    """The optimizer of a name, made with these keywords.

    Args:
        name: in any case.
        kwargs: of the optimizer.

    Raises:
        ValueArgumentError E354: there is none.
    """
    kind = optimizer.Optimizer.kind(name)
    result: optimizer.Optimizer = _KINDS.get(kind, kind)(**kwargs)
    return result


__dir__: Callable[[], list[str]]
__getattr__: Callable[[str], Any]
__getattr__, __dir__ = face(globals(), optimizer.__name__)
