# SPDX-License-Identifier: Apache-2.0
"""The base of optimizers: settings, counts of updates, and a formula; and how strings name them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from hybridize.array import np
from hybridize.array.buffer import buffer_of, content_of, is_away
from hybridize.array.device import AWAY
from hybridize.array.ndarray import ndarray
from hybridize.base.dtypes import bfloat16, float16, float32
from hybridize.base.errors import ArgumentError, ScheduledError, StateError, UndefinedError, ValueArgumentError
from hybridize.base.participation import ReadPolicy, WritePolicy, outside_only
from hybridize.base.settings import keywords_of, number, whole
from hybridize.base.spans import LISTENERS, OPERATION, is_heard, span
from hybridize.lr_scheduler import LRScheduler
from hybridize.ops.op import capturing
from hybridize.optimizer.captured import captured_rate, captured_step
from hybridize.optimizer.kernels import Binding, Slots, compiled, kernel_for, updated, zeros_beside

if TYPE_CHECKING:
    from hybridize.base.registry import ClassDecorator

Scalars = SimpleNamespace
"""Values that a formula reads besides arrays: numbers that may differ at each call, and flags that choose the formula.
"""


class Optimizer:
    """Change weights by their gradients.

    The base of optimizers: a subclass defines `formula`, or `step` or `update` as in MXNet.

    Args:
        rescale_grad: factor on each gradient, before all else.
        param_idx2name: names of the indices, for `set_lr_mult` and `set_wd_mult`.
        wd: weight decay.
        clip_gradient: rescaled gradients are cut to [-clip_gradient, clip_gradient], element by element.
        learning_rate: step size, `default_rate` where nothing says it; with a scheduler, its `base_lr`.
        lr_scheduler: the learning rate as a function of the number of updates.
        sym: of MXNet 1.x's symbols; only None.
        begin_num_update: the number of updates that are done already.
        multi_precision: float16 and bfloat16 weights are updated by way of a float32 copy.
        param_dict: parameters by index, whose `lr_mult` and `wd_mult` count.
        aggregate_num: accepted; all parameters of a step are updated by one call of the trainer anyway.
        use_fused_step: accepted; updates are compiled, always.

    Raises:
        ArgumentError E352: an unknown keyword.
        ValueArgumentError E353: a setting that is no number, or not in its range.

    >>> from hybridize import optimizer
    >>> optimizer.Optimizer.create_optimizer("sgd", learning_rate=0.1).learning_rate
    0.1
    """

    __hybridize_read__ = ReadPolicy.IDENTITY
    __hybridize_write__ = WritePolicy.IN_TURN
    __hybridize_fed__: ClassVar[Mapping[str, type | None]] = {
        "lr": float, "learning_rate": float, "num_update": int, "rescale_grad": float, "_index_update_count": None,
    }  # fmt: skip
    """Steps change these: who reads one inside of a compiled step gets what it is at each call."""

    opt_registry: ClassVar[dict[str, type[Optimizer]]] = {}
    """Optimizers by name in lower case."""
    default_rate: ClassVar[float] = 0.01
    scalar_names: ClassVar[tuple[str, ...]] = ()
    """The settings that the formula reads as numbers, besides the learning rate and the decay."""
    _scale: float
    """`rescale_grad` as it was given, where a trainer sets it at each step."""
    begin_num_update: int
    num_update: int
    multi_precision: bool

    def __init__(
        self,
        rescale_grad: float = 1.0,
        param_idx2name: Mapping[Any, str] | None = None,
        wd: float = 0.0,
        clip_gradient: float | None = None,
        learning_rate: float | None = None,
        lr_scheduler: LRScheduler | None = None,
        sym: Any = None,
        begin_num_update: int = 0,
        multi_precision: bool = False,
        param_dict: Mapping[Any, Any] | None = None,
        aggregate_num: int | None = None,
        use_fused_step: bool | None = None,
        **unknown: Any,
    ) -> None:
        if unknown or sym is not None:
            raise _unknown(type(self), next(iter(unknown), "sym"))
        self.rescale_grad: float = number("rescale_grad", rescale_grad)
        self.lr_scheduler: LRScheduler | None = _schedule(lr_scheduler)
        if lr_scheduler is not None and learning_rate is not None:
            lr_scheduler.base_lr = number("learning_rate", learning_rate)
        self.lr: float = self.default_rate if learning_rate is None else number("learning_rate", learning_rate)
        self.wd: float = number("wd", wd, low=0.0)
        self.clip_gradient: float | None = (
            None if clip_gradient is None else number("clip_gradient", clip_gradient, low=0.0)
        )
        self.multi_precision = bool(multi_precision)
        self.begin_num_update = self.num_update = whole("begin_num_update", begin_num_update, 0)
        self.idx2name: dict[Any, str] = dict(param_idx2name or {})
        self.param_dict: dict[Any, Any] = dict(param_dict or {})
        self.lr_mult: dict[Any, float] = {}
        self.wd_mult: dict[Any, float] = {}
        self._index_update_count: dict[Any, int] = {}
        self._bindings: dict[Any, Binding] = {}
        self.set_wd_mult({})

    def __repr__(self) -> str:
        return f"{type(self).__name__}(learning_rate={self._rate()!r}, wd={self.wd!r})"

    def __getstate__(self) -> dict[str, Any]:
        """A copy binds its own buffers."""
        return {**vars(self), "_bindings": {}}

    # ---------------------------------------------------------------------------------------- what subclasses say

    @property
    def slot_count(self) -> int:
        """The number of arrays like the weight that the formula remembers from update to update."""
        return 0

    def flags(self) -> dict[str, bool]:
        """Settings that choose the formula; part of what `formula` is given."""
        return {}

    def flags_of(self, index: Any) -> dict[str, bool]:
        """Settings that choose the formula of one weight, besides `flags`."""
        return {}

    def scalars(self, lr: float, wd: float, t: int) -> dict[str, float]:
        """Return the numbers that the formula reads at update `t` of a weight, counted from 1.

        `rescale` and `clip` are not among them: every formula gets them.
        """
        numbers = {"lr": lr, "wd": wd}
        for name in self.scalar_names:  # no comprehension, which costs a frame at each step
            numbers[name] = getattr(self, name)
        return numbers

    @staticmethod
    def formula(w: Any, g: Any, slots: Slots, s: Scalars) -> tuple[Any, Slots]:
        """Return the new weight and the new slots, by array operations on the arguments alone.

        Args:
            w: the weight.
            g: the gradient, as it is; `gradient(w, g, s)` is rescaled, clipped and has the weight decay added.
            slots: what the update before gave.
            s: `scalars` and `flags`, as attributes; the numbers may be arrays without axes.
        """
        raise UndefinedError("E328", "this optimizer has no formula", help="override formula, step or update")

    # ------------------------------------------------------------------------------------------------ learning rate

    @property
    def learning_rate(self) -> float:
        """The present learning rate.

        Raises:
            StateError E563: it is read inside of a compiled function, where it is another one at each call.
        """
        if capturing():
            raise StateError(
                "E563",
                "the learning rate is read inside a compiled function, which would keep its present value",
                help="read it before the call and pass it as an argument",
            )
        return self._rate()

    @learning_rate.setter
    def learning_rate(self, lr: float) -> None:
        self.set_learning_rate(lr)

    def _rate(self) -> float:
        return self.lr if self.lr_scheduler is None else self.lr_scheduler(self.num_update)

    def set_learning_rate(self, lr: float) -> None:
        """Use another learning rate from now on; nothing is compiled again.

        Raises:
            ScheduledError E560: there is a scheduler.
        """
        if self.lr_scheduler is not None:
            raise ScheduledError(
                "E560",
                "the learning rate comes from the optimizer's lr_scheduler",
                help="set lr_scheduler.base_lr, or create the optimizer without a scheduler",
            )
        if capturing():
            captured_rate(self, lr)
        else:
            self.lr = number("learning_rate", lr)

    @outside_only("changes the factors that the parameters are updated with")
    def set_lr_mult(self, args_lr_mult: Mapping[Any, float]) -> None:
        """Set factors on the learning rate, by index or name."""
        self.lr_mult = dict(args_lr_mult)

    @outside_only("changes the factors that the parameters are updated with")
    def set_wd_mult(self, args_wd_mult: Mapping[Any, float]) -> None:
        """Set factors on the weight decay, by index or name; 0 for named parameters that are no `weight` or `gamma`."""
        self.wd_mult = {name: 0.0 for name in self.idx2name.values() if not name.endswith(("weight", "gamma"))}
        self.wd_mult.update(args_wd_mult)

    def _get_lr(self, index: Any) -> float:
        rate = self._rate()
        parameter = self.param_dict.get(index)
        return rate * (self._factor(index, self.lr_mult) if parameter is None else parameter.lr_mult)

    def _get_wd(self, index: Any) -> float:
        parameter = self.param_dict.get(index)
        return self.wd * (self._factor(index, self.wd_mult) if parameter is None else parameter.wd_mult)

    def _get_lrs(self, indices: Sequence[Any]) -> list[float]:
        return [self._get_lr(index) for index in indices]

    def _get_wds(self, indices: Sequence[Any]) -> list[float]:
        return [self._get_wd(index) for index in indices]

    def _factor(self, index: Any, factors: Mapping[Any, float]) -> float:
        return factors.get(index, factors.get(self.idx2name.get(index), 1.0)) if factors else 1.0

    def _update_count(self, index: Any) -> None:
        """Count an update of one index, or of each of a list."""
        counts = self._index_update_count
        for one in index if isinstance(index, (list, tuple)) else (index,):
            count = counts[one] = counts.get(one, self.begin_num_update) + 1
            if count > self.num_update:
                self.num_update = count

    def _set_current_context(self, device_id: int) -> None:
        """All devices are one memory."""

    # -------------------------------------------------------------------------------------------------- updates

    def create_state(self, index: Any, weight: ndarray) -> Any:
        """Make the state of a weight's updates: None, an array, or a tuple of arrays, all zero."""
        slots = tuple(zeros_beside(weight, weight.shape, weight.dtype) for _ in range(self.slot_count))
        return slots if len(slots) > 1 else slots[0] if slots else None

    def create_state_multi_precision(self, index: Any, weight: ndarray) -> Any:
        """Return what `create_state` returns, after a float32 copy of the weight if `multi_precision` asks for one."""
        if not self._by_master(weight):
            return self.create_state(index, weight)
        master = zeros_beside(weight, weight.shape, float32)
        master[...] = weight
        return master, self.create_state(index, master)

    def _by_master(self, weight: ndarray) -> bool:
        return self.multi_precision and weight.dtype in (float16, bfloat16)

    def update(self, index: Any, weight: Any, grad: Any, state: Any) -> None:
        """Update one weight, or each of a list.

        Args:
            index: which weight it is.
            weight: changed in place.
            grad: not changed.
            state: what `create_state` gave; changed in place.
        """
        if isinstance(index, (list, tuple)):
            self.step(index, weight, grad, state)
        else:
            self.step([index], [weight], [grad], [state])

    def update_multi_precision(self, index: Any, weight: Any, grad: Any, state: Any) -> None:
        """Update one weight, or each of a list, with the states that `create_state_multi_precision` returned.

        Args:
            index: which weight it is, or a list.
            weight: changed in place.
            grad: not changed.
            state: changed in place; before it, the float32 copy of a short weight, which is updated in its place.
        """
        if not isinstance(index, (list, tuple)):
            index, weight, grad, state = [index], [weight], [grad], [state]
        own = type(self).update is not Optimizer.update  # MXNet 1.x's way, for one weight at a time
        if not own and not any(map(self._by_master, weight)):
            self.update(index, weight, grad, state)
            return
        for one, w, g, entry in zip(index, weight, grad, state, strict=True):
            if self._by_master(w):
                master, inner = entry
                self.update(one, master, g.astype(float32), inner)
                w[...] = master
            else:
                self.update(one, w, g, entry)

    def step(self, indices: Sequence[Any], weights: Sequence[Any], grads: Sequence[Any], states: Sequence[Any]) -> None:
        """Update each weight of a list once.

        Args:
            indices: which weights they are, each once.
            weights: changed in place.
            grads: one for each, of its shape.
            states: what `create_state` gave for each; changed in place.

        Raises:
            ArgumentError E356: a gradient is not like its weight.
            StateError E562: while a program is captured, in a branch or loop that depends on data.
        """
        if capturing():
            captured_step(self, indices, weights, grads, states)
            return
        if LISTENERS and is_heard(OPERATION):
            return span(OPERATION, f"{type(self).__name__}.step", self.step, indices, weights, grads, states)
        formula, fast = type(self).formula, compiled() and not (AWAY and any(map(is_away, map(buffer_of, weights))))
        known: dict[tuple[Any, ...], tuple[dict[str, float], tuple[float, ...], dict[str, bool]]] = {}
        differ = type(self).flags_of is not Optimizer.flags_of
        for index, weight, grad, state in zip(indices, weights, grads, states, strict=True):
            self._update_count(index)
            numbers = self._get_lr(index), self._get_wd(index), self._index_update_count[index]
            key = (*numbers, *self.flags_of(index).items()) if differ else numbers
            if key not in known:  # mostly the same for all weights
                s, flags = self._settings(*numbers, index)
                known[key] = s, tuple(s.values()), flags
            s, values, flags = known[key]
            slots: Slots = state if type(state) is tuple else () if state is None else (state,)
            bound = self._bindings.get(index) if fast else None
            data = content_of(grad) if isinstance(grad, ndarray) else None  # kept until the update is done
            if bound is None or not bound.holds(formula, weight, data, slots, flags):
                kernel = kernel_for(formula, weight, grad, slots, tuple(s), flags) if fast else None
                if kernel is None:
                    updated(formula, weight, grad, slots, s, flags)
                    continue
                bound = self._bindings[index] = Binding(kernel, weight, grad, slots, flags)
            bound.run(values)

    def _settings(self, lr: float, wd: float, t: int, index: Any) -> tuple[dict[str, float], dict[str, bool]]:
        """Numbers and flags of a weight's formula: the optimizer's own, and those that all have."""
        s, flags = self.scalars(lr, wd, t), {**self.flags(), **self.flags_of(index)}
        s["rescale"] = self.rescale_grad
        if self.clip_gradient is not None:
            s["clip"] = self.clip_gradient
            flags["clips"] = True
        flags["decays"] = wd != 0
        return s, flags

    # ------------------------------------------------------------------------------------------------- registry

    @staticmethod
    def register(klass: _Class) -> _Class:
        """Make a class of optimizers known by its name in lower case. Use it as a decorator.

        `create` and `gluon.Trainer` find the class then. Return the class.

        >>> from hybridize import optimizer
        >>> @optimizer.register
        ... class Slow(optimizer.SGD):
        ...     default_rate = 0.001
        >>> optimizer.create("slow").learning_rate
        0.001
        """
        Optimizer.opt_registry[klass.__name__.lower()] = klass
        return klass

    @staticmethod
    def kind(name: Any) -> type[Optimizer]:
        """Return the class of optimizers of a name.

        Raises:
            ValueArgumentError E354: there is none.
        """
        kind = Optimizer.opt_registry.get(name.lower()) if isinstance(name, str) else None
        if kind is None:
            known = ", ".join(sorted(Optimizer.opt_registry))
            raise ValueArgumentError(
                "E354", f"{name!r} is not an optimizer", help=f"use one of {known}, or an Optimizer"
            )
        return kind

    @staticmethod
    def create_optimizer(name: Any, **kwargs: Any) -> Optimizer:
        """Return a new optimizer by its name.

        Args:
            name: of a class, in any case, such as `"adam"`.
            kwargs: arguments of the class.

        Raises:
            ValueArgumentError E354: there is no such optimizer.

        >>> from hybridize import optimizer
        >>> optimizer.create("sgd", learning_rate=0.5).learning_rate
        0.5
        """
        return Optimizer.kind(name)(**kwargs)


_Class = TypeVar("_Class", bound=type[Optimizer])
register: ClassDecorator = Optimizer.register
create: Callable[..., Optimizer] = Optimizer.create_optimizer


def gradient(w: Any, g: Any, s: Scalars, *, decay: bool = True) -> Any:
    """The gradient that a formula goes by: rescaled, clipped by value, and with the weight decay added.

    With the flag `clips_decay` the decay is added before the gradient is clipped.

    Args:
        w: the weight.
        g: the gradient as it was computed.
        s: what the formula reads.
        decay: whether the decay is part of the gradient; formulas that take it off the weight say False.
    """
    g = g * s.rescale
    decay = decay and s.decays
    first = decay and getattr(s, "clips_decay", False)
    if first:
        g = g + s.wd * w
    if getattr(s, "clips", False):
        g = np.maximum(np.minimum(g, s.clip), -s.clip)
    return g + s.wd * w if decay and not first else g


def _schedule(value: Any) -> LRScheduler | None:
    if value is not None and not callable(value):
        what = f"lr_scheduler must be a function of the number of updates, got {value!r}"
        raise ValueArgumentError("E353", what, help="use a scheduler of hybridize.lr_scheduler, or pass learning_rate")
    schedule: LRScheduler | None = value
    return schedule


def _unknown(kind: type, name: str) -> ArgumentError:
    known = keywords_of(kind) - {"sym"}
    return ArgumentError("E352", f"{kind.__name__} takes no {name!r}", help=f"it takes {', '.join(sorted(known))}")
