# SPDX-License-Identifier: Apache-2.0
"""What the views of one buffer share: a version that every write through us bumps, and who wants to hear of it."""

from __future__ import annotations

import threading
import weakref
from typing import Any, Protocol

from numpy.typing import NDArray

_lock = threading.Lock()


class Watcher(Protocol):
    """Somebody who keeps a copy of the buffer, packed or cast: `dirty[0]` becomes 1 when the buffer is written."""

    dirty: NDArray[Any]


class Storage:
    """The identity of a buffer, shared by every array that views it."""

    __slots__ = ("__weakref__", "_watchers", "exposed", "version")

    def __init__(self) -> None:
        self.version = 0
        """Number of writes through hybridize."""
        self.exposed = False
        """Whether somebody else can write the buffer unseen: a NumPy or DLPack view was handed out or taken in."""
        self._watchers: tuple[weakref.ref[Any], ...] = ()

    def touch(self) -> None:
        """Say that the buffer was written."""
        self.version += 1
        for reference in self._watchers:
            watcher = reference()
            if watcher is not None:
                watcher.dirty[0] = 1

    def watch(self, watcher: Watcher) -> None:
        """Tell `watcher` of every later write, for as long as it lives."""
        with _lock:
            alive = tuple(reference for reference in self._watchers if reference() is not None)
            if not any(reference() is watcher for reference in alive):
                alive += (weakref.ref(watcher),)
            self._watchers = alive
