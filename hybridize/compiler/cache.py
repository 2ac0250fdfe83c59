# SPDX-License-Identifier: Apache-2.0
"""Executables kept in memory for the next equal graph: the least recently used go first when the bytes run out."""

from __future__ import annotations

import threading
import weakref
from collections import OrderedDict
from dataclasses import field

from hybridize.base.forks import renewed
from hybridize.base.frozen import mutable
from hybridize.compiler.disk import DiskInfo
from hybridize.compiler.functions import FunctionCacheInfo
from hybridize.runtime.compiled import CompiledProgram

Key = tuple[str, ...]


@mutable
class ExecutableCacheInfo:
    """Counts since the start or the last `clear`."""

    hits: int = 0
    misses: int = 0
    entries: int = 0
    bytes: int = 0
    disk: DiskInfo = field(default_factory=DiskInfo)
    """Look-ups on the disk, made when this cache had nothing."""
    functions: FunctionCacheInfo = field(default_factory=FunctionCacheInfo)
    """Functions of programs that were nowhere: compiled, or known from other programs."""


class Cache:
    """A bounded map from keys to executables; safe to use from several threads.

    An executable that somebody still holds is found even after it was evicted.
    """

    def __init__(self, limit_bytes: int, entry_bytes: int = 0) -> None:
        """`entry_bytes` is what each executable costs besides what it says it holds."""
        self.limit_bytes = limit_bytes
        self.entry_bytes = entry_bytes
        self._lock = renewed(threading.RLock())
        self._entries: OrderedDict[Key, tuple[CompiledProgram, int]] = OrderedDict()
        self._alive: weakref.WeakValueDictionary[Key, CompiledProgram] = weakref.WeakValueDictionary()
        self._info = ExecutableCacheInfo()

    def get(self, key: Key, *, again: bool = False) -> CompiledProgram | None:
        """The executable of `key`, if it is still there; `again` does not count a second miss."""
        with self._lock:
            executable = self._alive.get(key)
            if executable is None:
                self._info.misses += not again
                return None
            self._info.hits += 1
            self._keep(key, executable)
            return executable

    def put(self, key: Key, executable: CompiledProgram) -> None:
        """Add an executable; forgets others where the limit asks for it."""
        with self._lock:
            self._alive[key] = executable
            self._keep(key, executable)

    def info(self) -> ExecutableCacheInfo:
        """Counts and sizes of now."""
        with self._lock:
            return ExecutableCacheInfo(self._info.hits, self._info.misses, len(self._entries), self._info.bytes)

    def clear(self) -> None:
        """Forget everything; executables that are still held live on."""
        with self._lock:
            self._entries.clear()
            self._alive.clear()
            self._info = ExecutableCacheInfo()

    def _keep(self, key: Key, executable: CompiledProgram) -> None:
        if key in self._entries:
            self._entries.move_to_end(key)
            return
        size = executable.held_bytes + self.entry_bytes
        if size > self.limit_bytes:
            return
        self._entries[key] = (executable, size)
        self._info.bytes += size
        while self._info.bytes > self.limit_bytes:
            _, (_, freed) = self._entries.popitem(last=False)
            self._info.bytes -= freed
