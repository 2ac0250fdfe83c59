# SPDX-License-Identifier: Apache-2.0
"""Python's garbage collector, asked to look less often while a program is made.

Capturing and compiling make hundreds of thousands of objects, nearly all of which live until the program is there.
Python counts what is made, and looks through all that a process holds, PyTorch's own objects among it, after some of
them: of the first call of a small Transformer that was two fifths.
"""

from __future__ import annotations

import gc
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from hybridize.base.forks import in_child, renewed

_YOUNG: Final = 100_000
"""How many objects more than before are made until the collector looks: the garbage of some tens of megabytes."""
_lock: Final = renewed(threading.Lock())
_within: Final[Counter[int]] = Counter()
"""How many times each thread is in `seldom`; those that are not are not there."""
_before = gc.get_threshold()
"""What the process had when the first of them entered."""


@contextmanager
def seldom() -> Iterator[None]:
    """Let the collector look for garbage less often, for all threads; who has turned it off, or sees to it less often
    still, is left alone.
    """
    global _before
    thread = threading.get_ident()
    with _lock:
        if not _within:
            _before = gc.get_threshold()
            if 0 < _before[0] < _YOUNG:
                gc.set_threshold(_YOUNG, *_before[1:])
        _within[thread] += 1
    try:
        yield
    finally:
        with _lock:
            _leave(thread, 1)


def _leave(thread: int, times: int) -> None:
    _within[thread] -= times
    if not _within[thread]:
        del _within[thread]
    if not _within and gc.get_threshold() == (_YOUNG, *_before[1:]):  # else somebody has changed them meanwhile
        gc.set_threshold(*_before)


def _alone() -> None:
    """In a forked child only the forking thread goes on."""
    for thread in set(_within) - {threading.get_ident()}:
        _leave(thread, _within[thread])


in_child(_alone)
