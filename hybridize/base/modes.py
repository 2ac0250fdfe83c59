# SPDX-License-Identifier: Apache-2.0
"""Recording and training: two switches per thread, and one cell that compiled code looks at.

A compiled call must not ask Python which mode it is in. It reads `BUSY`, the number of threads that are in any
mode but the default (predicting, not recording, not capturing); only when that is not zero does the slow path ask.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

import numpy

BUSY = numpy.zeros(1, dtype=numpy.int64)
"""BUSY[0]: threads in a mode other than the default. Its address is stable; compiled entries read it."""

_lock = threading.Lock()


class _Modes(threading.local):
    recording: bool = False
    training: bool = False
    disabled: bool = False
    depth: int = 0


_modes = _Modes()


def is_recording() -> bool:
    """Whether operations are being recorded for a backward pass in this thread."""
    return _modes.recording


def is_training() -> bool:
    """Whether layers behave as in training (dropout drops) in this thread."""
    return _modes.training


def is_disabled() -> bool:
    """Whether hybridized objects run the user's Python instead, in this thread."""
    return _modes.disabled


@contextmanager
def mode(
    *, recording: bool | None = None, training: bool | None = None, disabled: bool | None = None
) -> Iterator[None]:
    """Set the given switches for the length of a `with` block; None leaves a switch as it is."""
    before = (_modes.recording, _modes.training, _modes.disabled)
    _modes.recording = before[0] if recording is None else recording
    _modes.training = before[1] if training is None else training
    _modes.disabled = before[2] if disabled is None else disabled
    with busy():
        try:
            yield
        finally:
            _modes.recording, _modes.training, _modes.disabled = before


@contextmanager
def busy() -> Iterator[None]:
    """Send every compiled call of any thread through its slow path for the length of a `with` block."""
    with _lock:
        BUSY[0] += 1
    try:
        yield
    finally:
        with _lock:
            BUSY[0] -= 1
