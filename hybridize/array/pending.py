# SPDX-License-Identifier: Apache-2.0
"""Asynchronous calls: they return before their programs have run, which one thread does in the order of the calls.

    set_asynchronous   turns that on and off
    Job                one such call: what its program reads and writes, how to run it, how to undo what it began
    QUEUE              the calls to be run: `put` by `programs.queued`, worked off by a thread
    Failed             stands in the place of the elements that a call should have made, and did not

A *pending* array has its type, its sizes and its memory; its elements are there later. While calls are asynchronous,
`ndarray._data`, by which all of the package reaches the elements of an array (`array.buffer`), is a property that
waits for the last program that is to write this memory (*read after write*). What writes in place comes by
`base.access`, which asks the queue first, and so waits for those that read it, too (*write after read*). Type and sizes
are asked of `ndarray._memory`, the bare slot, and wait for nothing. Where they are not asynchronous, `_data` is the
slot itself.

Memory is told apart by its owner, the array of NumPy's that all views of it have for their base. Memory that somebody
else may read and write unseen (`Storage.exposed`) is neither read nor written by pending programs: calls copy what they
are given of it, and those that write it run at once.

A call that fails ends all that were called after it and have not run: they would not have been called, had the error
been raised at once. What they began is undone, the last one first. The error is raised where somebody waits for one of
these calls, once; and wherever one of their results is used, each time.

As long as one thread alone uses arrays, its eager operations run beside the programs of the queue, memory by memory.
When a second one is seen, the programs that write arrays keep all others out while they run, as they do where calls
are not asynchronous (`base.access`): between asking for the memory of an array and using it, another thread might call
a program that writes it.
"""

from __future__ import annotations

import atexit
import sys
import threading
import time
import traceback
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from queue import SimpleQueue
from threading import get_ident
from typing import TYPE_CHECKING, Any, Final, NoReturn

import numpy
from numpy.typing import NDArray

from hybridize.array.buffer import owner_of
from hybridize.array.device import AWAY
from hybridize.array.ndarray import ndarray, reach_slots
from hybridize.base.access import ACCESS, MARK, READERS, STATE, WRITER, begin_writing
from hybridize.base.config import CONFIG
from hybridize.base.errors import HybridizeError, StateError
from hybridize.base.forks import awaited, in_child, renewed
from hybridize.base.locations import SourceLoc
from hybridize.base.modes import BUSY
from hybridize.base.settings import whole
from hybridize.base.tracebacks import trim
from hybridize.runtime.waiting import await_event, without_state

if TYPE_CHECKING:
    from threading import Event
    from types import TracebackType


LIMIT: Final = 16
"""Calls that may be pending, unless said otherwise."""
_PAUSE: Final = 2e-5
"""Seconds."""
_SWITCH: Final = 1e-4
"""Seconds after which a thread of Python's lets another one run that waits: the next program is not to wait for 5 ms,
which is Python's default, until the present line of the user's is done.
"""
_slot: Final[Any] = vars(ndarray)["_memory"]


class Failure:
    """An error of a call, which is raised where somebody waits."""

    __slots__ = ("error", "traceback")
    error: BaseException
    traceback: TracebackType | None

    def __init__(self, error: BaseException) -> None:
        self.error = error
        self.traceback = error.__traceback__

    def throw(self) -> NoReturn:
        """Raise it; it counts as heard from now on."""
        QUEUE.heard(self)
        raise self.error.with_traceback(self.traceback)  # that of each raising would be added to it


class Failed:
    """The elements of an array whose program failed: whatever uses them raises the error."""

    __slots__ = ("_failure",)

    def __init__(self, failure: Failure) -> None:
        self._failure = failure

    def _throw(self, *args: Any, **kwargs: Any) -> Any:
        self._failure.throw()

    if not TYPE_CHECKING:
        __hash__ = None
        __getattr__ = __array__ = __array_ufunc__ = __array_function__ = __getitem__ = __setitem__ = _throw
        __len__ = __iter__ = __bool__ = __int__ = __float__ = __complex__ = __index__ = __contains__ = _throw
        __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = __neg__ = __pos__ = __abs__ = __invert__ = _throw
        __reduce__ = __repr__ = __str__ = _throw


class Job:
    """A call that has returned."""

    __slots__ = ("alone", "arrays", "done", "ended", "failure", "line", "reads", "run", "undo", "writes")

    def __init__(
        self,
        run: Callable[[], None],
        undo: Callable[[], None],
        reads: Iterable[NDArray[Any]],
        writes: Iterable[NDArray[Any]],
        *,
        alone: bool,
        line: SourceLoc | None,
    ) -> None:
        """`run` is called by the thread of the queue; `undo` takes back what the call began, if it does not take place.

        `reads` and `writes` are the memory that it reads and writes; with `alone`, some that was there before it is
        among the latter. `line` is the user's, of the call.
        """
        self.run: Callable[[], None] = run
        self.undo: Callable[[], None] = undo
        self.reads: dict[int, Any] = {id(owner): owner for owner in map(owner_of, reads)}
        self.writes: dict[int, Any] = {id(owner): owner for owner in map(owner_of, writes)}
        """Owners by their identity, which they keep for as long as they are here."""
        self.alone: bool = alone
        self.line: SourceLoc | None = line
        self.arrays: list[ndarray] = []
        """Those of its results."""
        self.failure: Failure | None = None
        self.ended: bool = False
        self.done: Event = threading.Event()

    def end(self, failure: Failure | None = None) -> tuple[Any, ...]:
        """Take note that it has run, or that it never will; `done` is set afterwards.

        Returns:
            what nobody needs any more, to be dropped before that, and without a lock: the end of something may run
            anything.
        """
        self.failure, self.ended = failure, True
        if failure is not None:
            for array in self.arrays:
                _slot.__set__(array, Failed(failure))
        contents = self.run, self.undo, self.arrays, self.reads, self.writes
        self.run = self.undo = _nothing
        self.arrays, self.reads = [], {}
        if failure is None:
            self.writes = {}  # else its owners are looked for until somebody has heard of it
        return contents


def _nothing() -> None:
    """Do nothing."""


class Queue:
    """The pending calls, and the thread that runs them."""

    def __init__(self) -> None:
        self.limit = LIMIT
        self._jobs: deque[Job] = deque()
        """In the order of the calls; the first may be running."""
        self.reading: dict[int, Job] = {}
        """The last job that reads memory, by the identity of its owner."""
        self.writing: dict[int, Job] = {}
        """The last job that writes it, or should have and failed, as long as nobody has heard of that."""
        self._failure: Failure | None = None
        """That of which nobody has heard yet."""
        self._lock = renewed(threading.RLock())
        """Over all of these; nothing is waited for while it is held."""
        self._turn = renewed(threading.RLock())
        """Held by who runs a program: this thread, or another one whose call is not asynchronous."""
        self._running = awaited(threading.RLock(), 0)
        """Held by the thread while it runs a job, so that no process is forked in the middle of one."""
        self._thread: threading.Thread | None = None
        self._wake: SimpleQueue[bool] = SimpleQueue()
        """An item for each job, False at the end of the thread."""
        self._only = 0
        """The thread that has turned this on: while no other uses arrays, programs run beside eager operations."""
        self.is_shared: bool = False
        """True if several threads use arrays."""
        self._interval = _SWITCH
        """Python's own, before this was turned on."""
        in_child(self._in_child)

    # ------------------------------------------------------------------------------------------------- on and off

    def turn_on(self) -> None:
        """Let calls be asynchronous."""
        self._only, self.is_shared = get_ident(), False
        ACCESS.standing = 1
        READERS.value += 1
        BUSY[0] += 1  # entries leave all calls to Python
        type.__setattr__(ndarray, "_data", property(_reached, _slot.__set__))
        type.__setattr__(ndarray, "_content", property(_reached_anywhere, _slot.__set__))
        self._interval = sys.getswitchinterval()
        sys.setswitchinterval(min(self._interval, _SWITCH))
        ACCESS.queue = self
        atexit.unregister(self._at_exit)
        atexit.register(self._at_exit)

    def turn_off(self) -> None:
        """Wait for all calls, and let later ones return when they are done; errors wait for `wait_all`."""
        while ACCESS.queue is not None:
            self._wait_idle()
            with self._lock:
                if not self._jobs:
                    ACCESS.queue = None
                    if self.is_shared:  # from now on a thread that was in the middle of `share` marks nothing
                        self.is_shared = False
                        del ACCESS.marks[-1:]
        reach_slots()
        BUSY[0] -= 1
        READERS.value -= 1
        ACCESS.standing = 0
        sys.setswitchinterval(self._interval)
        thread, self._thread = self._thread, None
        if thread is not None:
            self._wake.put(False)
            thread.join()

    def share(self) -> None:
        """Take note of a second thread: from now on programs that write keep all others out."""
        if self.is_worker:
            return
        with self._lock:
            if self.is_shared or ACCESS.queue is None:
                return
            self.is_shared = True
            ACCESS.marks += MARK  # eager operations take the careful way
        with self._running:  # the job that began before
            pass

    # ----------------------------------------------------------------------------------------------------- calls

    def make_room(self) -> None:
        """Wait while as many calls are pending as may be."""
        while len(self._jobs) >= self.limit:
            with self._lock:
                first = self._jobs[0] if self._jobs else None
            if first is not None:
                self._wait(first)

    def put(self, job: Job) -> bool:
        """Have a job run in its turn; one that comes after a failure of which nobody has heard yet fails, too.

        False, and nothing is done, where calls are not asynchronous any more.
        """
        if get_ident() != self._only and not self.is_shared:
            self.share()
        with self._lock:
            if ACCESS.queue is None:
                return False
            if self._failure is not None:
                self.writing.update(dict.fromkeys(job.writes, job))
                job.undo()
                job.end(self._failure)
                job.done.set()
                return True
            self._jobs.append(job)  # first: a child that is forked here runs it, and waits for nothing else
            self.reading.update(dict.fromkeys(job.reads, job))
            self.writing.update(dict.fromkeys(job.writes, job))
            self._start()
            self._wake.put(True)
            return True

    def hand_out(self, job: Job, arrays: Iterable[ndarray]) -> None:
        """Name the arrays whose elements a job makes."""
        with self._lock:
            if not job.ended:
                job.arrays = list(arrays)
            elif job.failure is not None:
                for array in arrays:
                    _slot.__set__(array, Failed(job.failure))

    @contextmanager
    def turn(self) -> Iterator[None]:
        """Keep the queue from running anything, once it has run all there is, for the length of a `with` block.

        Raises:
            what a call before has raised, if nobody has heard of it.
        """
        while not self.is_mine:
            self.wait_all()
            with without_state():
                self._turn.acquire()
            if not self._jobs:
                break
            self._turn.release()
        else:
            yield
            return
        try:
            yield
        finally:
            self._turn.release()

    @property
    def is_mine(self) -> bool:
        """True if this thread runs a program just now, which calls Python."""
        return bool(self._turn._is_owned())  # type: ignore[attr-defined]

    @property
    def is_worker(self) -> bool:
        """True in the thread that runs the jobs."""
        return self._thread is not None and self._thread.ident == get_ident()

    # --------------------------------------------------------------------------------------------------- waiting

    def settle(self, data: NDArray[Any]) -> None:
        """Wait until memory is written that is about to be read.

        Raises:
            what the call has raised that should have written it, if nobody has heard of it.
        """
        job = self.writing.get(id(owner_of(data)))
        while job is not None:
            self._wait(job)
            if job.failure is not None:
                job.failure.throw()
            job = self.writing.get(id(owner_of(data)))

    def before_write(self, arrays: tuple[Any, ...]) -> None:
        """Wait for the jobs that read or write memory of these arrays; for all of them, where there is none."""
        if get_ident() != self._only and not self.is_shared:
            self.share()
        owners = [id(owner_of(array)) for array in arrays if type(array) is numpy.ndarray]
        if not owners or self.is_worker:
            self._wait_idle()
            return
        while jobs := [job for owner in owners for job in (self._using(owner),) if job is not None]:
            for job in jobs:
                self._wait(job)
                if job.failure is not None:
                    job.failure.throw()

    def before_exposure(self) -> None:
        """Wait for all jobs, before somebody else may read and write memory unseen."""
        self._wait_idle()

    def wait_all(self) -> None:
        """Wait for all jobs.

        Raises:
            what the first that failed has raised, if nobody has heard of it.
        """
        self._wait_idle()
        failure = self._failure
        if failure is not None:
            failure.throw()

    def heard(self, failure: Failure) -> None:
        """Take note that somebody has heard of a failure: calls are run again, and state can be read."""
        with self._lock:
            if self._failure is failure:
                self._failure = None
                self.writing = {key: job for key, job in self.writing.items() if job.failure is not failure}

    def unheard(self) -> BaseException | None:
        """Return the error of which nobody has heard, who has now."""
        failure = self._failure
        if failure is None:
            return None
        self.heard(failure)
        return failure.error

    def _using(self, owner: int) -> Job | None:
        """Return the last job that reads memory, or that writes it, which comes after those that read it before."""
        reads, writes = self.reading.get(owner), self.writing.get(owner)
        return writes if reads is None or (writes is not None and writes.failure is not None) else reads

    def _wait_idle(self) -> None:
        if self.is_mine or self.is_worker:
            return  # what is called from a program runs at once
        while True:
            with self._lock:
                last = self._jobs[-1] if self._jobs else None
            if last is None:
                return
            self._wait(last)

    def _wait(self, job: Job) -> None:
        """Wait until a job has ended, without the lock of state, which it may need.

        Raises:
            StateError E590: the job waits for the program that runs in this thread.
        """
        if job.done.is_set():
            return
        if self.is_mine or self.is_worker:
            raise StateError(
                "E590", "Python code called by a program waits for the result of a call that waits for this program",
                help="pass that array as an argument, or call waitall() before the program",
            )  # fmt: skip
        with self._lock:
            self._start()
        await_event(job.done)

    # ----------------------------------------------------------------------------------------------- the thread

    def _start(self) -> None:
        """Start the thread, where there is none: after a fork, too."""
        if self._thread is None:
            self._thread = thread = threading.Thread(target=self._work, name="hybridize calls", daemon=True)
            thread.start()

    def _work(self) -> None:
        """Run jobs until told to end."""
        while self._wake.get():
            if self._jobs:
                self._run(self._jobs[0])

    def _run(self, job: Job) -> None:
        try:
            self._run_in_turn(job)
        except BaseException as error:
            # Whatever it is: this thread hears no signals.
            trim(error)
            if job.line is not None:
                error.add_note(f"raised by an asynchronous call, at {job.line.described()}")
                if isinstance(error, HybridizeError) and error.loc is None:
                    error.loc = job.line
            self._fail(Failure(error))
            return
        with self._lock:
            self._jobs.popleft()
            for known, mine in ((self.reading, job.reads), (self.writing, job.writes)):
                for key in mine:
                    if known.get(key) is job:
                        del known[key]
            contents = job.end()
        del contents
        job.done.set()

    def _run_in_turn(self, job: Job) -> None:
        """Run a job while no other program does; where several threads use arrays, it is kept apart from them all."""
        while True:
            strict = job.alone and self.is_shared
            if strict:
                STATE.acquire()
            if self._turn.acquire(blocking=False):
                break
            if strict:
                STATE.release()  # who has the turn may wait for it
            time.sleep(_PAUSE)
        try:
            with self._running:
                if job.alone:
                    ACCESS.writes += 1
                if strict:
                    self._run_alone(job)
                elif self.is_shared:
                    job.run()
                else:
                    ACCESS.standing = 2  # no write in place waits for it that has asked the queue
                    try:
                        job.run()
                    finally:
                        ACCESS.standing = 1
        finally:
            self._turn.release()
            if strict:
                STATE.release()

    def _run_alone(self, job: Job) -> None:
        entered = begin_writing()
        try:
            job.run()
        finally:
            if entered:
                WRITER.value = 0
                del ACCESS.marks[-1:]

    def _fail(self, failure: Failure) -> None:
        """End the first job and all that come after it; what they began is undone, the last one first."""
        with self._lock:
            self._failure = failure  # later calls fail from now on
        with STATE, self._lock:
            ended = list(self._jobs)
            self._jobs.clear()
            self.reading.clear()
            for job in reversed(ended):
                job.undo()
            contents = [job.end(failure) for job in ended]
        del contents
        for job in ended:
            job.done.set()

    def _in_child(self) -> None:
        """In a forked child: its thread will be another one, for what is pending here as well as in the parent."""
        self._thread = None
        self._wake = SimpleQueue()
        if ACCESS.queue is None:
            return
        BUSY[0] += 1
        self._only = get_ident()
        if self.is_shared:
            ACCESS.marks += MARK
        for job in self._jobs:
            job.done = threading.Event()
            self._wake.put(True)

    def _at_exit(self) -> None:
        """Run what is pending, and show an error of which nobody has heard."""
        self._wait_idle()
        error = self.unheard()
        if error is not None:
            print("hybridize: an asynchronous call failed, and nobody waited for it", file=sys.stderr)
            traceback.print_exception(error)


QUEUE: Final = Queue()


def _reached(array: ndarray) -> NDArray[Any]:
    """Return the memory of an array, once it has the elements that calls were to write to it."""
    queue = QUEUE
    if not queue.is_shared and get_ident() != queue._only:
        queue.share()
    data: NDArray[Any] = _slot.__get__(array)
    if queue.writing:
        if type(data) is numpy.ndarray:
            queue.settle(data)
        data = _slot.__get__(array)  # what has failed meanwhile has other elements
    return data if type(data) is numpy.ndarray else data.__array__()  # what has failed raises what the call has raised


def _reached_anywhere(array: ndarray) -> Any:
    """Return the same, or the buffer of an array on a device, where all is done in the order of the calls."""
    return array._away() if AWAY and array._away() is not None else _reached(array)


_switching = renewed(threading.RLock())


def set_asynchronous(on: bool, pending: int | None = None) -> bool:
    """Choose whether calls of compiled programs return at once, or when they are done.

    Args:
        on: True for at once.
        pending: how many calls may wait, 16 by default. A further call blocks until there is room.

    Returns:
        The choice before: True or False.

    Raises:
        ValueArgumentError E353: `pending` is no integer from 1 on.
        StateError E590: a program that this thread runs has called this.
        Exception: an error of an asynchronous call, when you turn them off, if nothing has raised it before.

    >>> from hybridize import engine, np
    >>> before = engine.set_asynchronous(True)
    >>> y = np.ones(2) + 1
    >>> engine.set_asynchronous(before)
    True
    """
    limit = LIMIT if pending is None else whole("pending", pending, 1)
    if QUEUE.is_mine:
        raise StateError(
            "E590", "asynchronous calls are switched on or off while this thread runs a program",
            help="switch them outside the code that the program calls",
        )  # fmt: skip
    with _switching:
        before = ACCESS.queue is not None
        if on:
            QUEUE.limit = limit
            if not before:
                QUEUE.turn_on()
        elif before:
            QUEUE.turn_off()
    if not on and (error := QUEUE.unheard()) is not None:
        raise error
    return before


if CONFIG.asynchronous:
    set_asynchronous(True)
