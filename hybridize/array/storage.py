# SPDX-License-Identifier: Apache-2.0
"""The part that views of one buffer share: a version that every write through us bumps, and who listens to writes."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Iterable
from typing import Any, Protocol

from numpy.typing import NDArray

from hybridize.array.device import Device
from hybridize.base.access import ACCESS
from hybridize.base.access import STATE as STATE
from hybridize.base.forks import renewed
from hybridize.base.locations import SourceLoc, user_location

# Entered again where a watcher dies while it is told of a write, and its end writes something.
_lock = renewed(threading.RLock())


class Watcher(Protocol):
    """Somebody who keeps a copy of the buffer, packed or cast: `dirty[0]` becomes 1 when the buffer is written."""

    dirty: NDArray[Any]


class Storage:
    """The identity of a buffer, shared by every array that views it."""

    __slots__ = ("__weakref__", "_exposed", "_watchers", "device", "recorded", "tape_uses", "version", "written_at")

    def __init__(self) -> None:
        self.device: Device | None = None
        """The device of the arrays; None: `cpu(0)`."""
        self.version: int = 0
        """Number of writes through hybridize."""
        self.recorded: bool = False
        """True if values with a history were written to it through some array: only that array knows which."""
        self.tape_uses: int = 0
        """The number of values that a tape keeps in it for a backward pass; if any, the user's line of a write is
        noted.
        """
        self.written_at: SourceLoc | None = None
        """The user's line of the first write since a tape began to keep something."""
        self._exposed = False
        self._watchers: tuple[weakref.ref[Any], ...] = ()

    def __reduce__(self) -> tuple[Any, ...]:
        """A copy is of a buffer of its own, which nobody watches yet."""
        return Storage, ()

    @property
    def exposed(self) -> bool:
        """True if somebody else can write the buffer unseen: a NumPy or DLPack view was handed out or taken in."""
        return self._exposed

    @exposed.setter
    def exposed(self, value: bool) -> None:
        if value and not self._exposed:
            if ACCESS.queue is not None:
                ACCESS.queue.before_exposure()
            self._exposed = True
            self.touch()  # whoever keeps a copy must stop

    def touch(self) -> None:
        """Say that the buffer was written; called after the writing, never before."""
        if self.tape_uses:
            self.tape_uses, self.written_at = 0, user_location()
        if not self._watchers:
            self.version += 1
            return
        with _lock:
            self.version += 1
            # Held until the lock is free: the end of a watcher may run anything.
            watchers = [reference() for reference in self._watchers]
            for watcher in watchers:
                if watcher is not None:
                    watcher.dirty[0] = 1

    def watch(self, watcher: Watcher) -> None:
        """Tell `watcher` of every later write, for as long as it lives."""
        with _lock:
            alive = tuple(reference for reference in self._watchers if reference() is not None)
            if not any(reference() is watcher for reference in alive):
                alive += (weakref.ref(watcher),)
            self._watchers = alive


def settle(watcher: Watcher, copied: Iterable[tuple[Storage, int]], unless: Watcher | None = None) -> bool:
    """Clear `dirty[0]` of a watcher whose copies are of these versions; False where a buffer was written since then.

    Not while `unless` is dirty. No write comes between the comparison and the clearing.
    """
    with _lock:
        if (unless is not None and unless.dirty[0]) or any(storage.version != version for storage, version in copied):
            return False
        watcher.dirty[0] = 0
        return True
