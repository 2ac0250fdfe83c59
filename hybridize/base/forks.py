# SPDX-License-Identifier: Apache-2.0
"""Locks in a process that forks: the child has the forking thread only, and nobody who would release what others held.

A lock over a few lines of Python is free again in the child (`renewed`): what it protects is whole between any two of
these lines, or made again by whoever finds it missing. A lock over work that must not be cut in two, in libraries of
others at that, is waited for: the process is forked while no other thread holds it (`awaited`).
"""

from __future__ import annotations

import os
import threading
import weakref
from collections.abc import Callable
from typing import Any, Final, TypeVar

L = TypeVar("L", bound=Any)

_renewed: Final[set[weakref.ref[Any]]] = set()
"""References that leave by themselves: a `WeakSet`, whose functions are Python's, costs twice what a lock does."""
_awaited: Final[list[tuple[int, Any]]] = []
_in_child: Final[list[Callable[[], object]]] = []
_REENTRANT: Final = type(threading.RLock())


class _Forking(threading.local):
    """The locks that the present thread holds while it forks."""

    held: list[Any]


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
    _awaited.append((level, lock))
    _awaited.sort(key=lambda pair: pair[0])
    return lock


def in_child(function: Callable[[], object]) -> None:
    """Call `function` in a forked child, once its locks are as they should be."""
    _in_child.append(function)


def _before() -> None:
    _thread.held = []
    for _, lock in _awaited:
        lock.acquire()
        _thread.held.append(lock)


def _after() -> None:
    while _thread.held:
        _thread.held.pop().release()


def _after_in_child() -> None:
    _after()
    for reference in list(_renewed):
        lock: Any = reference()
        if lock is not None and not _is_mine(lock):
            lock._at_fork_reinit()
    for function in _in_child:
        function()


def _is_mine(lock: Any) -> bool:
    """Tell whether the forking thread itself holds a lock, which it is going to release."""
    return isinstance(lock, _REENTRANT) and bool(lock._is_owned())  # type: ignore[attr-defined]


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before, after_in_parent=_after, after_in_child=_after_in_child)
