# SPDX-License-Identifier: Apache-2.0
"""The threads that programs share: how many, where their table is, and what becomes of them in a forked child.

The code (`codegen/runtimes/pool.c`) is made known by `install`; the table it works on lies here. A program is given a
*team*: three words that say which function runs its loops, on which pool, with how many threads. As long as there is no
pool, or where a team has one thread, programs run their loops themselves.

No worker ever runs Python. All of this outlives the interpreter: workers are parked or in a kernel when the process
ends, and nothing they look at is freed.
"""

from __future__ import annotations

import atexit
import ctypes
import os
import threading
from typing import Any, Final

import numpy
from numpy.typing import NDArray

from hybridize import system
from hybridize.base.errors import ArgumentError
from hybridize.base.forks import in_child, renewed
from hybridize.runtime import processors
from hybridize.runtime.buffers import aligned

PARALLEL: Final = "hybridize_parallel"
SHUTDOWN: Final = "hybridize_shutdown"
"""The functions that the code exports."""
THREADS: Final = 255
"""The most threads a loop can have."""
CHUNKS_EACH: Final = 4
"""Chunks of a loop for each of its threads: with more, one that comes late leaves less for the end."""

_LINE = 8
"""Words of a cache line: what different threads write stands on different lines."""
WORD: Final = {
    "system": 0, "ticket": _LINE, "body": 2 * _LINE, "data": 2 * _LINE + 1, "count": 2 * _LINE + 2,
    "chunks": 2 * _LINE + 3, "threads": 2 * _LINE + 4, "rounding": 2 * _LINE + 5,
    "done": 3 * _LINE, "lock": 4 * _LINE, "waiting": 5 * _LINE,
    "sleepers": 6 * _LINE, "workers": 7 * _LINE, "ceiling": 7 * _LINE + 1, "stop": 7 * _LINE + 2, "thread": 8 * _LINE,
}  # fmt: skip
"""Words of the pool's table: a line of functions and numbers that it needs of the system, the loop, the workers."""
TEAM: Final = {"parallel": 0, "pool": 1, "threads": 2}
"""Words of a team."""

Words = NDArray[numpy.int64]


def _words(count: int) -> Words:
    return aligned((count,), numpy.dtype(numpy.int64))


class Pool:
    """The workers of this process and the teams that use them."""

    def __init__(self) -> None:
        self._table = _words(WORD["thread"] + THREADS)
        self._teams: dict[int | None, Words] = {}
        self._lock = renewed(threading.RLock())
        self._chosen: int | None = None
        self._processors = 0
        self._parallel = 0
        self._shutdown: Any = None

    @staticmethod
    def possible() -> bool:
        """Tell whether this system has what the pool is made of."""
        return system.thread_words() is not None

    def install(self, parallel: int, shutdown: int) -> None:
        """Give the pool its code, which must stay where it is until the process ends."""
        with self._lock:
            if self._parallel:
                return
            words = system.thread_words() or ()
            self._table[: len(words)] = words
            self._table[WORD["ceiling"]] = THREADS
            self._shutdown = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_void_p)(shutdown)
            self._parallel = parallel
            for team in self._teams.values():
                team[TEAM["parallel"]] = parallel
            atexit.register(self.shutdown)

    @property
    def installed(self) -> bool:
        """Tell whether the pool's code is there."""
        return self._parallel != 0

    @property
    def workers(self) -> int:
        """Threads made so far, callers aside."""
        return int(self._table[WORD["workers"]])

    def shutdown(self) -> bool:
        """End all workers, unless a loop is running; whether that was done. The next loop makes new ones."""
        return self._shutdown is None or bool(self._shutdown(self._table.ctypes.data))

    def team(self, threads: int | None = None) -> Words:
        """The three words for programs that use at most `threads`, or what is chosen for all; never freed."""
        with self._lock:
            team = self._teams.get(threads)
            if team is None:
                team = _words(len(TEAM))
                team[:] = self._parallel, self._table.ctypes.data, self._number(threads)
                self._teams[threads] = team
        return team

    def slots(self, threads: int | None = None) -> int:
        """For how many threads to make a program: as many as it says, or as are chosen or usable for all."""
        if not self.possible():
            return 1
        return min(threads or max(self._number(None), self._usable()), THREADS)

    def _number(self, threads: int | None) -> int:
        return min(threads or self._chosen or _from_environment() or self._usable(), THREADS)

    def _usable(self) -> int:
        """Asked once: the answer is spread over a dozen files."""
        if not self._processors:
            self._processors = processors.usable()
        return self._processors

    def choose(self, threads: int | None) -> None:
        """Set the number for all programs that do not say their own; None is the default."""
        with self._lock:
            self._chosen = threads
            self._refresh()

    def _refresh(self) -> None:
        if None in self._teams:
            self._teams[None][TEAM["threads"]] = self._number(None)

    def forget_workers(self) -> None:
        """Begin anew in a forked child, which has none of its parent's other threads."""
        for name in ("ticket", "lock", "waiting", "sleepers", "workers", "stop"):
            self._table[WORD[name]] = 0
        self._processors = 0  # whoever forks may give each child processors of its own
        self._refresh()


POOL: Final = Pool()
in_child(POOL.forget_workers)


def set_num_threads(count: int) -> None:
    """Let each call of a compiled program use at most `count` threads, the calling one among them.

    Takes effect at the next call. Without it programs use `HYBRIDIZE_NUM_THREADS`, and where that is not set either,
    one thread for each processor that the process may use: those in its affinity mask, within the quota of its cgroup,
    each physical core once. A program that was made with `threads=` keeps its own number. Results do not depend on it.

    Args:
        count: threads, from 1 on.

    Raises:
        ArgumentError E302: `count` is not a positive integer.

    >>> import hybridize
    >>> hybridize.set_num_threads(1)
    """
    if not _is_number(count):
        raise ArgumentError("E302", f"the number of threads must be a positive integer, got {count!r}")
    POOL.choose(count)


def _is_number(count: object) -> bool:
    return isinstance(count, int) and not isinstance(count, bool) and count > 0


def _from_environment() -> int | None:
    """Read HYBRIDIZE_NUM_THREADS; None where it is empty.

    Raises:
        ArgumentError E302: it is not a positive integer.
    """
    text = os.environ.get("HYBRIDIZE_NUM_THREADS", "").strip()
    if not text:
        return None
    if not text.isdecimal() or int(text) < 1:
        raise ArgumentError("E302", f"HYBRIDIZE_NUM_THREADS must be a positive integer, got {text!r}")
    return int(text)
