# SPDX-License-Identifier: Apache-2.0
"""Gluon's names for the modes of a thread. All are context managers."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Any, Final

from hybridize.autograd.tape import TAPE
from hybridize.base import modes
from hybridize.base.modes import BUSY, LOCKED, THREAD
from hybridize.base.participation import outside_only
from hybridize.ops.op import ACTIVE, BOTTOM, STACK, Interpreter, capturing, taped


class _Recording(modes.Busy):
    """The switches, and the tape in charge or not: all or nothing, whenever Ctrl-C comes (see `base.modes.Busy`)."""

    _outer: tuple[Any, ...] | None = None
    """The settings before, and what this held then, if it was entered before."""

    def __init__(self, on: bool, train_mode: bool | None) -> None:
        self._on, self._train_mode = on, train_mode

    def __enter__(self) -> None:
        before = STACK.interpreters
        chosen, more, fewer = before, _NOBODY, _NOBODY
        if not capturing():  # what is captured is differentiated as a graph, if at all
            chosen, more, fewer = taped(TAPE if self._on else None).chosen()
        on, training, active = self._on, self._train_mode, ACTIVE
        outer = THREAD.recording, THREAD.training, before, self._outer
        if training is None:
            training = THREAD.training
        if LOCKED:
            super().__enter__()
        else:
            BUSY[0] += 1
            THREAD.depth += 1
        THREAD.recording, THREAD.training, STACK.interpreters, self._outer = on, training, chosen, outer
        active += more
        if fewer:
            del active[-1:]

    def __exit__(self, *_: object) -> None:
        assert self._outer is not None
        active, now = ACTIVE, STACK.interpreters
        THREAD.recording, THREAD.training, then, self._outer = self._outer
        if now is not then:  # in the block, `set_recording` may have changed it
            if TAPE in then and TAPE not in now:
                active += [TAPE]
            if TAPE in now and TAPE not in then:
                del active[-1:]
        STACK.interpreters = then
        if LOCKED:
            super().__exit__()
        else:
            BUSY[0] -= 1
            THREAD.depth -= 1


_NOBODY: Final[tuple[Interpreter, ...]] = ()


def record(train_mode: bool | None = True) -> AbstractContextManager[None]:
    """Record operations for a backward pass, inside a `with` block.

    Layers behave as in training unless `train_mode` is False.

    Operations on arrays with `attach_grad`, and on what was computed of them, are remembered in this thread.
    `train_mode=None` leaves the behaviour of layers as it is.

    >>> from hybridize import autograd, np
    >>> x = np.array([1.0, 2.0])
    >>> x.attach_grad()
    >>> with autograd.record():
    ...     y = (x**2).sum()
    >>> y.backward()
    >>> x.grad
    array([2., 4.])
    """
    return _Recording(True, train_mode)


def pause(train_mode: bool | None = False) -> AbstractContextManager[None]:
    """Stop recording inside a `with` block. A later backward pass sees its results as constants.

    >>> from hybridize import autograd
    >>> with autograd.record():
    ...     with autograd.pause():
    ...         print(autograd.is_recording())
    False
    """
    return _Recording(False, train_mode)


def train_mode() -> AbstractContextManager[None]:
    """Let layers behave as in training, inside a `with` block: dropout drops.

    >>> from hybridize import autograd
    >>> with autograd.train_mode():
    ...     print(autograd.is_training(), autograd.is_recording())
    True False
    """
    return modes.mode(training=True)


def predict_mode() -> AbstractContextManager[None]:
    """Let layers behave as in prediction, inside a `with` block: dropout returns its input.

    >>> from hybridize import autograd
    >>> with autograd.record(), autograd.predict_mode():
    ...     print(autograd.is_training(), autograd.is_recording())
    False True
    """
    return modes.mode(training=False)


def is_recording() -> bool:
    """Tell whether operations are being recorded in this thread.

    >>> from hybridize import autograd
    >>> with autograd.record():
    ...     print(autograd.is_recording())
    True
    """
    return modes.is_recording()


def is_training() -> bool:
    """Tell whether layers behave as in training in this thread.

    >>> from hybridize import autograd
    >>> autograd.is_training()
    False
    """
    return modes.is_training()


@outside_only("changes the mode of the thread", help="use a block: with autograd.record():")
def set_recording(is_recording: bool) -> bool:
    """Record operations from now on, or no more, and tell whether they were recorded before.

    The end of a `with` block puts back what was before it.

    >>> from hybridize import autograd
    >>> before = autograd.set_recording(True)
    >>> autograd.set_recording(before)
    True
    """
    before = THREAD.recording
    if bool(is_recording) != before:
        chosen, more, fewer = taped(TAPE if is_recording else None).chosen()
        THREAD.recording, STACK.interpreters = bool(is_recording), chosen
        ACTIVE.extend(more)
        if fewer:
            del ACTIVE[-1:]
        _count_mode()
    return before


@outside_only("changes the mode of the thread", help="use a block: with autograd.train_mode():")
def set_training(train_mode: bool) -> bool:
    """Let layers behave as in training from now on, or as in prediction, and tell whether they did so before.

    >>> from hybridize import autograd
    >>> before = autograd.set_training(True)
    >>> autograd.set_training(before)
    True
    """
    before, THREAD.training = THREAD.training, bool(train_mode)
    _count_mode()
    return before


def _count_mode() -> None:
    """Count this thread among the busy ones where it is in a mode without a `with` block."""
    standing = THREAD.standing
    if THREAD.depth == standing:  # a block counts it until its end, which puts the mode back
        more = int(THREAD.recording or THREAD.training) - standing
        THREAD.depth, THREAD.standing = THREAD.depth + more, standing + more
        modes.count_busy(more)


def begin() -> None:
    """Be in no mode, with nobody in charge: for a process that was forked in the middle of anything, to begin with."""
    THREAD.recording = THREAD.training = THREAD.disabled = False
    STACK.interpreters = [BOTTOM.value]
    ACTIVE.clear()
    BUSY[0] = THREAD.depth = THREAD.standing = 0
