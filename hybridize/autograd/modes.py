# SPDX-License-Identifier: Apache-2.0
"""Gluon's names for the modes of a thread. All are context managers."""

from __future__ import annotations

import threading
from collections.abc import Callable
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
        outer = THREAD.recording, THREAD.training, before, fewer, more, self._outer
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
        active = ACTIVE
        THREAD.recording, THREAD.training, STACK.interpreters, more, fewer, self._outer = self._outer
        active += more
        if fewer:
            del active[-1:]
        if LOCKED:
            super().__exit__()
        else:
            BUSY[0] -= 1
            THREAD.depth -= 1


_NOBODY: Final[tuple[Interpreter, ...]] = ()


def record(train_mode: bool | None = True) -> AbstractContextManager[None]:
    """Record operations for a backward pass; layers behave as in training unless `train_mode` is False.

    Operations on arrays with `attach_grad`, and on what was computed of them, are remembered in this thread.
    `train_mode=None` leaves the behaviour of layers as it is.
    """
    return _Recording(True, train_mode)


def pause(train_mode: bool | None = False) -> AbstractContextManager[None]:
    """Record nothing for a while; what is computed is a constant to what is recorded later."""
    return _Recording(False, train_mode)


def train_mode() -> AbstractContextManager[None]:
    """Let layers behave as in training: dropout drops."""
    return modes.mode(training=True)


def predict_mode() -> AbstractContextManager[None]:
    """Let layers behave as in prediction: dropout is the identity."""
    return modes.mode(training=False)


def is_recording() -> bool:
    """Tell whether operations are being recorded in this thread."""
    return modes.is_recording()


def is_training() -> bool:
    """Tell whether layers behave as in training in this thread."""
    return modes.is_training()


class _Set(threading.local):
    """The modes that `set_recording` and `set_training` have entered in a thread, each with the switch before it."""

    def __init__(self) -> None:
        self.modes: list[tuple[str, bool, AbstractContextManager[None]]] = []


_SET = _Set()


def _set(switch: str, on: bool, mode: Callable[[], AbstractContextManager[None]]) -> bool:
    """Turn a switch of this thread, and return what it was; turning back leaves the mode that was entered."""
    before: bool = getattr(THREAD, switch)
    if on != before:
        if _SET.modes and _SET.modes[-1][:2] == (switch, on):
            _SET.modes.pop()[2].__exit__(None, None, None)
        else:
            entered = mode()
            entered.__enter__()
            _SET.modes.append((switch, before, entered))
    return before


@outside_only("changes the mode of the thread", help="with autograd.record(): and the like hold for a part of it")
def set_recording(is_record: bool) -> bool:
    """Record operations from now on, or no more; return whether they were recorded before."""
    return _set("recording", bool(is_record), lambda: _Recording(bool(is_record), None))


@outside_only("changes the mode of the thread", help="with autograd.train_mode(): and the like hold for a part of it")
def set_training(train_mode: bool) -> bool:
    """Let layers behave as in training from now on, or as in prediction; return how they did before."""
    return _set("training", bool(train_mode), lambda: modes.mode(training=bool(train_mode)))


def begin() -> None:
    """Be in no mode, with nobody in charge: for a process that was forked in the middle of anything, to begin with."""
    THREAD.recording = THREAD.training = THREAD.disabled = False
    STACK.interpreters = [BOTTOM.value]
    ACTIVE.clear()
    BUSY[0] = THREAD.depth = 0
