# SPDX-License-Identifier: Apache-2.0
"""Gluon's names for the modes of a thread. All are context managers."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager

from hybridize.autograd.tape import TAPE
from hybridize.base import modes
from hybridize.ops.op import capturing, taped


@contextmanager
def _recording(on: bool, train_mode: bool | None) -> Iterator[None]:
    with modes.mode(recording=on, training=train_mode):
        if capturing():  # what is captured is differentiated as a graph, if at all
            yield
            return
        with taped(TAPE if on else None):
            yield


def record(train_mode: bool | None = True) -> AbstractContextManager[None]:
    """Record operations for a backward pass; layers behave as in training unless `train_mode` is False.

    Operations on arrays with `attach_grad`, and on what was computed of them, are remembered in this thread.
    `train_mode=None` leaves the behaviour of layers as it is.
    """
    return _recording(True, train_mode)


def pause(train_mode: bool | None = False) -> AbstractContextManager[None]:
    """Record nothing for a while; what is computed is a constant to what is recorded later."""
    return _recording(False, train_mode)


def train_mode() -> AbstractContextManager[None]:
    """Let layers behave as in training: dropout drops."""
    return modes.mode(training=True)


def predict_mode() -> AbstractContextManager[None]:
    """Let layers behave as in prediction: dropout is the identity."""
    return modes.mode(training=False)


def is_recording() -> bool:
    """Whether operations are being recorded in this thread."""
    return modes.is_recording()


def is_training() -> bool:
    """Whether layers behave as in training in this thread."""
    return modes.is_training()
