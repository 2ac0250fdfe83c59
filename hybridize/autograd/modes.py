# SPDX-License-Identifier: Apache-2.0
"""Gluon's names for the modes of a thread. All are context managers."""

from __future__ import annotations

from contextlib import AbstractContextManager

from hybridize.base import modes


def record(train_mode: bool = True) -> AbstractContextManager[None]:
    """Record operations for a backward pass; layers behave as in training unless `train_mode` is False."""
    return modes.mode(recording=True, training=train_mode)


def pause(train_mode: bool = False) -> AbstractContextManager[None]:
    """Record nothing for a while."""
    return modes.mode(recording=False, training=train_mode)


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
