# SPDX-License-Identifier: Apache-2.0
"""Waiting for what another thread runs, which may need the lock of state meanwhile."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from hybridize.base.access import STATE


@contextmanager
def without_state() -> Iterator[None]:
    """Give the lock of state away for the length of a `with` block, if this thread has it."""
    hold = STATE._release_save() if STATE._is_owned() else None  # type: ignore[attr-defined]
    try:
        yield
    finally:
        if hold is not None:
            STATE._acquire_restore(hold)  # type: ignore[attr-defined]


def await_event(event: threading.Event) -> None:
    """Wait until an event is set, without the lock of state."""
    with without_state():
        event.wait()
