# SPDX-License-Identifier: Apache-2.0
"""Learning rates that change as training goes on, under MXNet's names.

A scheduler is a function of the number of updates alone: asked twice it says the same twice, in whatever order, so a
training that is resumed goes on where it stood. (MXNet's own count the calls, and overwrite `base_lr` as they go.)
"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Callable, Iterable
from typing import Any

from hybridize.base.errors import UndefinedError, ValueArgumentError
from hybridize.base.names import refuses
from hybridize.base.participation import ReadPolicy, WritePolicy
from hybridize.base.recorded import choose, cosine, largest, least
from hybridize.base.settings import number, whole


class LRScheduler:
    """Return the learning rate for a number of updates.

    A subclass defines `__call__`, or `decayed` to keep the warm-up.

    Args:
        base_lr: the rate once warm-up is over.
        warmup_steps: updates that warm-up takes; 0 is none.
        warmup_begin_lr: the rate that warm-up begins at.
        warmup_mode: `linear` goes up in equal steps, `constant` stays at `warmup_begin_lr`.

    Raises:
        ValueArgumentError E350: values that do not go together, or an unknown mode.
        ValueArgumentError E353: a setting that is no number, or not in its range.

    >>> from hybridize import lr_scheduler
    >>> class Halving(lr_scheduler.LRScheduler):
    ...     def decayed(self, num_update):
    ...         return self.base_lr / 2**num_update
    >>> Halving(base_lr=1.0)(3)
    0.125
    """

    __hybridize_read__ = ReadPolicy.CONTENT
    __hybridize_write__ = WritePolicy.IN_TURN

    def __init__(
        self,
        base_lr: float = 0.01,
        warmup_steps: int = 0,
        warmup_begin_lr: float = 0.0,
        warmup_mode: str = "linear",
    ) -> None:
        self.base_lr: float = number("base_lr", base_lr)
        self.warmup_steps: int = whole("warmup_steps", warmup_steps, 0)
        self.warmup_begin_lr: float = number("warmup_begin_lr", warmup_begin_lr)
        self.warmup_mode = warmup_mode
        if self.warmup_begin_lr > self.base_lr:
            raise _refused(f"warm-up goes up: warmup_begin_lr={warmup_begin_lr!r} is above base_lr={base_lr!r}")
        if warmup_mode not in ("linear", "constant"):
            raise _refused(f"warmup_mode must be 'linear' or 'constant', got {warmup_mode!r}")

    def get_warmup_lr(self, num_update: int) -> float:
        """Return the rate during warm-up."""
        if self.warmup_mode == "constant":
            return self.warmup_begin_lr
        return self.warmup_begin_lr + (self.base_lr - self.warmup_begin_lr) * num_update / self.warmup_steps

    def __call__(self, num_update: int) -> float:
        """The rate of update number `num_update`, counted from 1."""
        warm, decayed = self.get_warmup_lr, self.decayed
        rate: float = choose(num_update < self.warmup_steps, lambda: warm(num_update), lambda: decayed(num_update))
        return rate

    def decayed(self, num_update: int) -> float:
        """Return the rate after warm-up, of update number `num_update`."""
        what = f"{type(self).__name__} does not say which learning rate follows warm-up"
        raise UndefinedError("E328", what, help="define decayed(self, num_update) or __call__(self, num_update)")


def _reduced(rate: Any, factor: float, times: Any) -> Any:
    """Return a rate times a factor, so often; of Python's numbers one after the other, which rounds as MXNet does."""
    return _reduced_one_by_one(rate, factor, times) if isinstance(times, int) else rate * factor**times


@functools.lru_cache
def _reduced_one_by_one(rate: float, factor: float, times: int) -> float:
    for _ in range(times):
        rate *= factor
    return rate


class FactorScheduler(LRScheduler):
    """Multiply the rate by `factor` after every `step` updates: base_lr * factor ** ((num_update - 1) // step).

    Args:
        step: updates between two changes.
        factor: from 0 to 1.
        stop_factor_lr: the rate goes no lower.
        base_lr: the rate at the beginning.
        warmup_steps: see `LRScheduler`, as for the two that follow.
        warmup_begin_lr: likewise.
        warmup_mode: likewise.

    >>> from hybridize import lr_scheduler
    >>> rate = lr_scheduler.FactorScheduler(step=10, factor=0.5, base_lr=1.0)
    >>> [rate(update) for update in (1, 11, 21)]
    [1.0, 0.5, 0.25]
    """

    def __init__(
        self,
        step: int,
        factor: float = 1.0,
        stop_factor_lr: float = 1e-8,
        base_lr: float = 0.01,
        warmup_steps: int = 0,
        warmup_begin_lr: float = 0.0,
        warmup_mode: str = "linear",
    ) -> None:
        super().__init__(base_lr, warmup_steps, warmup_begin_lr, warmup_mode)
        self.step: int = whole("step", step, 1)
        self.factor: float = _checked_factor(factor)
        self.stop_factor_lr: float = number("stop_factor_lr", stop_factor_lr)

    def decayed(self, num_update: int) -> float:
        times = largest(num_update - 1, 0) // self.step
        # Where nothing has been taken off, the user's own rate stands, however low.
        rate: float = choose(
            times > 0,
            lambda: largest(_reduced(self.base_lr, self.factor, times), self.stop_factor_lr),
            lambda: self.base_lr,
        )
        return rate


class MultiFactorScheduler(LRScheduler):
    """Multiply the rate by `factor` after each of the updates that `step` lists.

    Args:
        step: numbers of updates, each greater than the one before.
        factor: from 0 to 1.
        base_lr: the rate at the beginning.
        warmup_steps: see `LRScheduler`, as for the two that follow.
        warmup_begin_lr: likewise.
        warmup_mode: likewise.

    >>> from hybridize import lr_scheduler
    >>> rate = lr_scheduler.MultiFactorScheduler(step=[5, 8], factor=0.5, base_lr=1.0)
    >>> [rate(update) for update in (1, 6, 9)]
    [1.0, 0.5, 0.25]
    """

    def __init__(
        self,
        step: Iterable[int],
        factor: float = 1.0,
        base_lr: float = 0.01,
        warmup_steps: int = 0,
        warmup_begin_lr: float = 0.0,
        warmup_mode: str = "linear",
    ) -> None:
        super().__init__(base_lr, warmup_steps, warmup_begin_lr, warmup_mode)
        if not isinstance(step, Iterable):
            raise _refused(f"step must be a list of numbers of updates, got {step!r}")
        self.step: list[int] = [whole("each step", one, 1) for one in step]
        if not self.step or any(a >= b for a, b in itertools.pairwise(self.step)):
            raise _refused(f"step must be a list that goes up, got {step!r}")
        self.factor: float = _checked_factor(factor)

    def decayed(self, num_update: int) -> float:
        times = sum(num_update > step for step in self.step)
        return self.base_lr * self.factor**times


class _Until(LRScheduler):
    """Schedulers that go from `base_lr` to `final_lr` and are there at update `max_update`."""

    def __init__(
        self,
        max_update: int,
        base_lr: float = 0.01,
        final_lr: float = 0.0,
        warmup_steps: int = 0,
        warmup_begin_lr: float = 0.0,
        warmup_mode: str = "linear",
    ) -> None:
        super().__init__(base_lr, warmup_steps, warmup_begin_lr, warmup_mode)
        self.max_update: int = whole("max_update", max_update, 1)
        self.final_lr: float = number("final_lr", final_lr)
        if self.max_update <= self.warmup_steps:
            raise _refused(f"warm-up of {warmup_steps} updates is not over at max_update={max_update}")

    def _progress(self, num_update: int) -> float:
        """The part of the way that lies behind, from 0 to 1."""
        steps = self.max_update - self.warmup_steps
        progress: float = least(largest(num_update - self.warmup_steps, 0), steps) / steps
        return progress

    def _between(self, left: float) -> float:
        """The rate where this part of the way down is left."""
        return self.final_lr + (self.base_lr - self.final_lr) * left


class PolyScheduler(_Until):
    """Decrease the rate by a power: final_lr + (base_lr - final_lr) * (1 - t) ** pwr, where t goes from 0 to 1.

    Args:
        max_update: number of the update at which `final_lr` is reached.
        base_lr: the rate at the beginning.
        pwr: the power.
        final_lr: the rate at the end and from there on.
        warmup_steps: see `LRScheduler`, as for the two that follow.
        warmup_begin_lr: likewise.
        warmup_mode: likewise.

    >>> from hybridize import lr_scheduler
    >>> rate = lr_scheduler.PolyScheduler(max_update=10, base_lr=1.0, pwr=2)
    >>> [rate(update) for update in (0, 5, 10)]
    [1.0, 0.25, 0.0]
    """

    def __init__(
        self,
        max_update: int,
        base_lr: float = 0.01,
        pwr: float = 2,
        final_lr: float = 0.0,
        warmup_steps: int = 0,
        warmup_begin_lr: float = 0.0,
        warmup_mode: str = "linear",
    ) -> None:
        super().__init__(max_update, base_lr, final_lr, warmup_steps, warmup_begin_lr, warmup_mode)
        self.power: float = number("pwr", pwr, low=0.0)

    def decayed(self, num_update: int) -> float:
        return self._between((1.0 - self._progress(num_update)) ** self.power)


class CosineScheduler(_Until):
    """Decrease the rate by half a wave.

    The rate is final_lr + (base_lr - final_lr) * (1 + cos(pi t)) / 2, where t goes from 0 to 1.

    As in Loshchilov and Hutter, "SGDR: stochastic gradient descent with warm restarts" (2017), without restarts.

    Args:
        max_update: number of the update at which `final_lr` is reached.
        base_lr: the rate at the beginning.
        final_lr: the rate at the end and from there on.
        warmup_steps: see `LRScheduler`, as for the two that follow.
        warmup_begin_lr: likewise.
        warmup_mode: likewise.

    >>> from hybridize import lr_scheduler
    >>> rate = lr_scheduler.CosineScheduler(max_update=10, base_lr=1.0)
    >>> [rate(update) for update in (0, 5, 10)]
    [1.0, 0.5, 0.0]
    """

    def decayed(self, num_update: int) -> float:
        return self._between((1.0 + cosine(math.pi * self._progress(num_update))) / 2.0)


def _checked_factor(factor: float) -> float:
    checked = number("factor", factor, low=0.0)
    if checked > 1.0:
        raise _refused(f"factor is at most 1, so that the rate goes down, got {factor!r}")
    return checked


def _refused(what: str) -> ValueArgumentError:
    return ValueArgumentError("E350", what)


__getattr__: Callable[[str], Any] = refuses(
    __name__,
    globals(),
)
