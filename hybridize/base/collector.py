# SPDX-License-Identifier: Apache-2.0
"""Python's garbage collector, asked to look less often while a program is made.

Capturing and compiling make hundreds of thousands of objects, nearly all of which live until the program is there.
Python counts what is made, and looks through all that a process holds, PyTorch's own objects among it, after some of
them: of the first call of a small Transformer that was two fifths.

At the end it would look at once, at what the call has made and at what is middle-aged, the modules that were loaded: a
twentieth of such a call. So what is new is looked at here, once; what is left of it, and what was looked at before, is
old from then on, as it would be after Python's next look.
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
"""Objects more than before that are made until the collector looks: the garbage of some tens of megabytes."""
_UNSEEN: Final = 500_000
"""New objects that are old after one look until all are looked at: the garbage of some tens of megabytes, at most. In a
process that holds many objects, a quarter of these, as Python has it: looking at all takes time for each.
"""
_lock: Final = renewed(threading.RLock())
_within: Final[Counter[int]] = Counter()
"""Times that each thread has entered `seldom`; those that are not in it are not there."""
_before = gc.get_threshold()
"""The thresholds that the process had when the first of them entered."""
_unseen = 0
"""New objects that were made old since all were looked at."""
_bound = _UNSEEN
"""So many of them, and all are looked at."""
_left_alone = False
"""True once frozen objects were there. Python counts them one by one, and servers that fork freeze millions."""


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
            was_last = _leave(thread, 1)
        if was_last:
            _look()


def _leave(thread: int, times: int) -> bool:
    """Note that a thread leaves; tell whether it was the last one, and Python looks as often as before again."""
    _within[thread] -= times
    if not _within[thread]:
        del _within[thread]
    if _within or gc.get_threshold() != (_YOUNG, *_before[1:]):  # somebody has changed them meanwhile
        return False
    gc.set_threshold(*_before)
    return True


def _look() -> None:
    """Do what Python would at the next object: look at what is new; and let what is there be old, where it would look
    at more.

    Who has turned the collector off, or has ever frozen objects, is left alone.
    """
    global _unseen, _bound, _left_alone
    new = gc.get_count()[0]
    if not gc.isenabled() or new <= gc.get_threshold()[0]:
        return
    gc.collect(0)
    if _left_alone or gc.get_count()[1] <= gc.get_threshold()[1]:
        return
    _left_alone = gc.get_freeze_count() > 0
    if _left_alone:
        return
    _unseen += new
    if _unseen > _bound:
        _unseen = 0
        gc.collect()
        _bound = max(_UNSEEN, len(gc.get_objects()) // 4)
    else:
        gc.freeze()  # all go to those that are never looked at,
        gc.unfreeze()  # and from there to the old ones


def _alone() -> None:
    """In a forked child only the forking thread goes on."""
    for thread in set(_within) - {threading.get_ident()}:
        _leave(thread, _within[thread])


in_child(_alone)
