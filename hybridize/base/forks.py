# SPDX-License-Identifier: Apache-2.0
"""Locks in a process that forks: the child has the forking thread only, and nobody who would release what others held.

A lock over a few lines of Python is free again in the child (`renewed`): what it protects is whole between any two of
these lines, or made again by whoever finds it missing. A lock over work that must not be cut in two, in libraries of
others at that, is waited for: the process is forked while no other thread holds it (`awaited`). These are taken in
the order of their levels, by whoever holds several of them as by whoever forks:

    0   base.access.STATE         a state between being read and being committed
    1   compiler.compile          a compilation
    2   codegen.llvm.engine       calls of LLVM
    3   base.loading.LOADING      modules that are loaded late, which each of the others may have to wait for
"""

from __future__ import annotations

import threading
import weakref
from collections import deque
from collections.abc import Callable
from itertools import compress
from operator import itemgetter, methodcaller
from typing import Any, Final, TypeVar

from hybridize import system

L = TypeVar("L", bound=Any)

_renewed: Final[set[weakref.ref[Any]]] = set()
"""References that leave by themselves: a `WeakSet`, whose functions are Python's, costs twice what a lock does."""
_awaited: Final[list[tuple[int, Any]]] = []
_in_child: Final[list[Callable[[], object]]] = []
_REENTRANT: Final = type(threading.RLock())
_ACQUIRE: Final = methodcaller("acquire")
_RELEASE: Final = methodcaller("release")


class _Forking(threading.local):
    """The locks that the present thread holds while it forks, above None."""

    def __init__(self) -> None:
        self.locks: list[Any] = []


_thread: Final = _Forking()


def renewed(lock: L) -> L:
    """A lock of `threading` that other threads of the parent do not hold in a forked child."""
    _renewed.add(weakref.ref(lock, _renewed.discard))
    return lock


def awaited(lock: L, level: int) -> L:
    """A lock of `threading` that no other thread holds while the process is forked.

    Args:
        lock: one that may be entered again; what is called while it is held may not wait for the forking thread.
        level: those that are taken while this one is held have a higher one, so that nobody waits in a circle.
    """
    _awaited[:] = sorted([*_awaited, (level, lock)], key=itemgetter(0))  # in one go: another thread may be forking
    return lock


def in_child(function: Callable[[], object]) -> None:
    """Call `function` in a forked child, once its locks are as they should be."""
    _in_child.append(function)


def _before() -> None:
    """Take all locks that are waited for. What a signal handler raises meanwhile is raised once they are taken."""
    raised: BaseException | None = None
    while not _thread.locks:
        try:
            locks = [lock for _, lock in _awaited]
            _thread.locks = [None]
            # In one go of C's, as a handler's exception between a lock and the note of it would leave it locked.
            _thread.locks.extend(compress(locks, map(_ACQUIRE, locks)))
            if len(_awaited) != len(locks):  # who was waited for has loaded a module that has another
                _after()
        except BaseException as error:
            raised = raised or error
            _after()
    if raised is not None:
        raise raised


def _after() -> None:
    if _thread.locks:
        deque(map(_RELEASE, iter(_thread.locks.pop, None)), maxlen=0)


def _after_in_child() -> None:
    _after()
    for reference in list(_renewed):
        lock: Any = reference()
        # What the forking thread itself holds, it is going to release.
        if lock is not None and not (isinstance(lock, _REENTRANT) and lock._is_owned()):  # type: ignore[attr-defined]
            lock._at_fork_reinit()
    for function in _in_child:
        function()


system.at_fork(before=_before, after_in_parent=_after, after_in_child=_after_in_child)
system.at_fork(before=_before, after_in_parent=_after)  # for when a handler raises where one of them begins
