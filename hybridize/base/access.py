# SPDX-License-Identifier: Apache-2.0
"""A readers-writer lock over the memory of all arrays: a value written by one thread is seen whole by the others.

Programs run, and NumPy computes, without the GIL; meanwhile another thread may write the array that they read. Three
numbers, changed only by who holds the GIL, keep the two apart:

    READERS         programs that are reading memory without the GIL, or call back to Python before they have ended
    WRITER          1 while a thread writes in place, or waits until READERS is 0 in order to; it holds STATE
    ACCESS.writes   a sequence count (seqlock): another number once anything was written

A *program* counts itself among the readers for as long as it runs, and waits beforehand while another thread writes.
A *large write* holds STATE, raises WRITER, waits for the readers to leave and writes. A *small write* is done under the
GIL in one go, where there are no readers. What *NumPy* computes of arrays counts nobody: it looks at the sequence count
before and after, and computes again where it has changed.

Nobody waits for ever: readers hold nothing while they are counted, and run no Python of the user's (`pause_reading`); a
waiting writer is let in before new readers, and readers that waited for a write before the next one. Who waits sleeps
for some microseconds at a time, so that signals are heard; what a handler raises leaves the numbers as they were.

Where calls return before their programs have run (`array.pending`), the queue of these calls is known here. It counts
as a reader for as long as it is there, so that every write in place comes by `_in_turn`, which asks it first.
"""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable
from ctypes import c_int64
from functools import wraps
from threading import get_ident
from typing import Any, Final, Protocol, TypeVar

from hybridize.base.forks import awaited, in_child
from hybridize.system.interruptions import let_through

T = TypeVar("T")

STATE: Final = awaited(threading.RLock(), 0)
"""Held from reading a state to committing it, by compiled programs that write one and by random draws, and by who
writes many elements in place.

So no two threads draw the same numbers, and no update is lost, also where a program runs without the GIL. A process is
forked while nobody else holds it: who would release it in the child, and what would the state be worth?
"""

READERS: Final = c_int64(0)
"""Emitted entries count here, too; its address is stable. It is true where there are any."""
WRITER: Final = c_int64(0)
"""Emitted entries look at it."""
NOBODY: Final = c_int64(0)
"""Always 0: the WRITER of those who are it themselves."""

SMALL: Final = 500
"""Elements up to which NumPy writes without releasing the GIL."""
_PAUSE: Final = 2e-5
"""Seconds."""
MARK: Final = (None,)
"""The entry by which `ACCESS.told` grows."""


class Pending(Protocol):
    """Calls that have returned, and whose programs are still to run."""

    def before_write(self, arrays: tuple[Any, ...]) -> None:
        """Wait for the programs that read or write what is about to be written in place; STATE is held.

        Args:
            arrays: those of the write, among other things; where there is none, it may write anything.
        """

    def before_exposure(self) -> None:
        """Wait for all of them, before somebody else may read and write memory unseen."""

    def wait_all(self) -> None:
        """Wait for all of them, and raise what the first that failed has raised."""


class _Access:
    """The numbers that Python alone looks at."""

    __slots__ = ("marks", "queue", "queued", "standing", "waiting", "writes")

    def __init__(self) -> None:
        self.writes: int = 0
        """Writes begun since the process began: the same object for as long as nobody writes."""
        self.queued: set[int] = set()
        """Threads that wait for a write to end."""
        self.waiting: set[int] = set()
        """Threads that wait for STATE in order to read what is written all the time."""
        self.marks: list[Any] = []
        """A list that is not empty while anybody writes; see `tell`."""
        self.queue: Pending | None = None
        """The calls that have returned before they were done; None where calls return when they are done."""
        self.standing: int = 0
        """The number of READERS that no write waits for: the queue, which it asks, and the program that runs of it."""


ACCESS: Final = _Access()


def tell(marks: list[Any]) -> None:
    """Let `marks` be one longer while anybody writes: who has nothing but that to look at takes a careful way then."""
    ACCESS.marks = marks


def await_writer() -> None:
    """Wait while another thread writes. When it has returned there is none, until Python lets other threads run."""
    while WRITER and not STATE._is_owned() and not sys.is_finalizing():  # type: ignore[attr-defined]
        _queue()


def _queue() -> None:
    me = get_ident()
    try:
        ACCESS.queued.add(me)
        while WRITER and not sys.is_finalizing():
            time.sleep(_PAUSE)
    finally:
        ACCESS.queued.discard(me)


def begin_reading() -> None:
    """Count a program among the readers once no other thread writes; what it calls next, without a look at signals or
    at other threads, must be the program.

    Whoever calls it says `READERS.value -= 1` when the program has ended.
    """
    await_writer()
    READERS.value += 1


def try_reading() -> bool:
    """Do as `begin_reading` does unless another thread writes, on which somebody who holds locks cannot wait."""
    if WRITER and not STATE._is_owned():  # type: ignore[attr-defined]
        return False
    READERS.value += 1
    return True


def while_reading(read: Callable[..., object], *args: Any) -> bool:
    """Call `read(*args)`, which is not Python, as a reader; False, and nothing is done, while another thread writes."""
    call = map(read, *((one,) for one in args))  # by `map`, as no signal's handler runs while it is counted
    if not try_reading():
        return False
    try:
        _ = [*call]
    finally:
        READERS.value -= 1
    return True


def pause_reading(call: Callable[..., object], *args: Any) -> None:
    """Call `call(*args)`, which may be the user's Python, on behalf of a running program: writers are let through."""
    READERS.value -= 1
    try:
        call(*args)
    finally:
        try:
            await_writer()
        finally:
            READERS.value += 1


def begin_writing() -> bool:
    """Keep all others out: who holds STATE may write once this has returned. False if this thread is writing already.

    Where it is True, `WRITER.value = 0; del ACCESS.told[-1:]` ends it, in a `finally` and not in a function, as a
    signal's handler may run where a function begins.
    """
    if WRITER:
        ACCESS.writes += 1
        _await_readers()  # the handler of a signal may find them here
        return False
    if READERS or ACCESS.queued:
        _await_turn()
    WRITER.value = 1
    ACCESS.writes += 1
    ACCESS.marks += MARK
    return True


def _await_turn() -> None:
    """Wait until those have begun who waited for the last write, and until nobody reads; later readers wait."""
    me = (get_ident(),)
    while ACCESS.queued.difference(me) and not sys.is_finalizing():
        time.sleep(_PAUSE)
    WRITER.value = 1
    try:
        _await_readers()
    finally:
        WRITER.value = 0


def _await_readers() -> None:
    while READERS.value > ACCESS.standing and not sys.is_finalizing():
        time.sleep(_PAUSE)


def exclusively(write: Callable[..., T], *args: Any) -> T:
    """Return `write(*args)`, called while no program reads and no other thread writes."""
    access = ACCESS
    if access.waiting:
        give_way()
    with STATE:
        if WRITER or READERS or access.queued:
            return _in_turn(write, args)
        # `begin_writing` where it has nothing to wait for, of which large writes in place would be half the cost.
        WRITER.value = 1
        access.writes += 1
        access.marks += MARK
        try:
            return write(*args)
        finally:
            WRITER.value = 0
            del access.marks[-1:]


def _in_turn(write: Callable[..., T], args: tuple[Any, ...]) -> T:
    """Return `write(*args)`, called when it is its turn; STATE is held."""
    if ACCESS.queue is not None:
        ACCESS.queue.before_write(args)
    if not begin_writing():
        return write(*args)
    try:
        return write(*args)
    finally:
        WRITER.value = 0
        del ACCESS.marks[-1:]


def consistently(read: Callable[..., T], *args: Any) -> T:
    """Return `read(*args)`, a value of arrays that were not written meanwhile: it is computed again where they were.

    Args:
        read: computes without side effects; it runs no Python of the user's.
        args: of it.
    """
    if WRITER:
        await_writer()
    writes = ACCESS.writes
    try:
        result = read(*args)
    except Exception as error:
        let_through(error)
        if ACCESS.writes == writes:
            raise
    else:
        if ACCESS.writes == writes:
            return result
    return _as_writer(read, *args)


def _as_writer(read: Callable[..., T], *args: Any) -> T:
    """Return `read(*args)` while nobody writes, however often others do."""
    me = get_ident()
    try:
        ACCESS.waiting.add(me)
        with STATE:
            ACCESS.waiting.discard(me)
            return exclusively(read, *args)
    finally:
        ACCESS.waiting.discard(me)


def give_way() -> None:
    """Let those have STATE first who wait for it in order to read; who writes again and again says so before it."""
    me = (get_ident(),)
    while ACCESS.waiting.difference(me) and not STATE._is_owned() and not sys.is_finalizing():  # type: ignore[attr-defined]
        time.sleep(_PAUSE)


def consistent(compute: Callable[..., T]) -> Callable[..., T]:
    """Decorate a function of arrays without side effects: it computes `consistently`, which costs next to nothing."""

    @wraps(compute)
    def call(*args: Any) -> T:
        if not WRITER:
            writes = ACCESS.writes
            result = compute(*args)
            if ACCESS.writes is writes:
                return result
        return consistently(compute, *args)

    return call


def _alone() -> None:
    """In a forked child: nobody else reads, and nobody else writes, as STATE was waited for."""
    READERS.value = ACCESS.standing
    if not STATE._is_owned():  # type: ignore[attr-defined]
        WRITER.value = 0
    ACCESS.queued &= {get_ident()}
    ACCESS.waiting &= {get_ident()}


in_child(_alone)
