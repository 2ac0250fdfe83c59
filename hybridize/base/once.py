# SPDX-License-Identifier: Apache-2.0
"""Make things once in a process: `functools.cache` lets two threads that come at the same time make them twice.

One of the two is dropped then, which is no matter for plain values, but is for memory and code that others point to.
"""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable
from typing import TypeVar

from hybridize.base.forks import renewed

T = TypeVar("T")


def once(function: Callable[[], T]) -> Callable[[], T]:
    """A function that calls `function` at its first call only; who comes meanwhile waits.

    >>> made = once(lambda: print("made") or 7)
    >>> made(), made()
    made
    (7, 7)
    """
    lock = renewed(threading.RLock())
    results: list[T] = []

    @functools.wraps(function)
    def call() -> T:
        if not results:
            with lock:
                if not results:
                    results.append(function())
        return results[0]

    return call
