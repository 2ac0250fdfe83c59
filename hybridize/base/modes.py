# SPDX-License-Identifier: Apache-2.0
"""Recording and training: two switches per thread, and one cell that compiled code looks at.

A compiled call must not ask Python which mode it is in. It reads `BUSY`, the number of threads that are in any
mode but the default (predicting, not recording, not capturing); only when that is not zero does the slow path ask.
"""

from __future__ import annotations

import sys
import threading
from contextlib import ContextDecorator
from copy import copy
from typing import Any, Self

import numpy

from hybridize.base.forks import in_child, renewed

BUSY = numpy.zeros(1, dtype=numpy.int64)
"""BUSY[0]: threads in a mode other than the default. Its address is stable; compiled entries read it."""
IDLE = numpy.zeros(1, dtype=numpy.int64)
"""Always 0: the `BUSY` of entries that are right in any mode."""

_lock = renewed(threading.RLock())
LOCKED = not getattr(sys, "_is_gil_enabled", lambda: True)()
"""True if counting needs the lock: with the GIL, no thread runs in the middle of a line without a call."""


class _Switches(threading.local):
    recording: bool = False
    training: bool = False
    disabled: bool = False
    recomputing: bool = False
    """True while a function is recomputed, as `checkpoint` does: state that it keeps was moved the first time."""
    depth: int = 0
    """The number of times that `BUSY` counts this thread."""
    standing: int = 0
    """1 if one of them is for a mode that was set without a `with` block."""


THREAD = _Switches()
"""Those of the present thread."""


class _Process:
    np_arrays: bool = False
    """True after `set_np()`: loaders of `hybridize.mxnet` give arrays of `np`."""


PROCESS = _Process()
"""Switches of the whole process."""


def is_recording() -> bool:
    """Tell whether operations are being recorded for a backward pass in this thread."""
    return THREAD.recording


def is_training() -> bool:
    """Tell whether layers behave as in training (dropout drops) in this thread."""
    return THREAD.training


def is_disabled() -> bool:
    """Tell whether hybridized objects run the user's Python instead, in this thread."""
    return THREAD.disabled


class Busy(ContextDecorator):
    """Sends every compiled call of any thread through its slow path for the length of a `with` block.

    This and what derives from it change the state of a thread in a few lines without a call among them. Between such
    lines Python does not let a signal's handler run: Ctrl-C comes before all of them or after.
    """

    def _recreate_cm(self) -> Self:
        return copy(self)  # one for each call of a decorated function

    def __enter__(self) -> None:
        if LOCKED:
            with _lock:
                BUSY[0] += 1
                THREAD.depth += 1
        else:
            BUSY[0] += 1
            THREAD.depth += 1

    def __exit__(self, *_: object) -> None:
        if LOCKED:
            with _lock:
                BUSY[0] -= 1
                THREAD.depth -= 1
        else:
            BUSY[0] -= 1
            THREAD.depth -= 1


busy = Busy


def count_busy(by: int) -> None:
    """Count more, or fewer, reasons of no thread's own for which compiled calls go through their slow path."""
    with _lock:
        BUSY[0] += by


class Mode(Busy):
    """Sets the given switches for the length of a `with` block; None leaves a switch as it is."""

    _outer: tuple[tuple[bool, bool, bool], Any] | None = None
    """The settings before this was entered, and what this held then, if it was entered before."""

    def __init__(
        self, *, recording: bool | None = None, training: bool | None = None, disabled: bool | None = None
    ) -> None:
        self._recording, self._training, self._disabled = recording, training, disabled

    def __enter__(self) -> None:
        recording, training, disabled = before = THREAD.recording, THREAD.training, THREAD.disabled
        outer = before, self._outer
        if self._recording is not None:
            recording = self._recording
        if self._training is not None:
            training = self._training
        if self._disabled is not None:
            disabled = self._disabled
        if LOCKED:
            Busy.__enter__(self)
        else:
            BUSY[0] += 1
            THREAD.depth += 1
        self._outer = outer
        THREAD.recording, THREAD.training, THREAD.disabled = recording, training, disabled

    def __exit__(self, *_: object) -> None:
        assert self._outer is not None
        (recording, training, disabled), self._outer = self._outer
        if self._recording is not None:
            THREAD.recording = recording
        if self._training is not None:
            THREAD.training = training
        if self._disabled is not None:
            THREAD.disabled = disabled
        if LOCKED:
            Busy.__exit__(self)
        else:
            BUSY[0] -= 1
            THREAD.depth -= 1


mode = Mode


def _alone() -> None:
    """In a forked child: the threads that the parent counted are not here."""
    BUSY[0] = THREAD.depth


in_child(_alone)


def listen() -> None:
    """Let the handler of a signal that has come run now: it does where a Python function begins.

    The last line of a `with` block above that may take long. What waits until the end of the block would otherwise be
    raised in `__exit__`, before its first line.
    """
