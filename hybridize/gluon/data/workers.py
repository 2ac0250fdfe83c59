# SPDX-License-Identifier: Apache-2.0
"""Worker processes of a loader: each makes whole batches, and sends them back.

A worker is asked through one pipe and answers through the same. It reads in a thread of its own, so the asking side
never waits for one that computes, and no two sides wait for each other. It ends when it is told to, or when the other
end of its pipe is gone.
"""

from __future__ import annotations

import multiprocessing
import os
import queue
import signal
import threading
import time
import traceback
import warnings
from collections import deque
from collections.abc import Callable
from multiprocessing.connection import Connection, wait
from typing import Any, NoReturn

from hybridize import system
from hybridize.array import random
from hybridize.autograd.modes import begin
from hybridize.base.errors import ArgumentError, StateError, ValueArgumentError
from hybridize.base.forks import renewed
from hybridize.base.loading import LOADING, load_module
from hybridize.base.participation import ReadPolicy
from hybridize.gluon.data.transport import portable, receive, send, unpacked
from hybridize.runtime.pool import set_num_threads

Make = Callable[[Any, Callable[[], bool]], Any]
"""Makes a batch of the numbers of its samples; asks now and then whether to go on."""

_GRACE = 2.0
"""Seconds that a worker has to end by itself."""


class Worker:
    """One process, as its loader sees it."""

    __hybridize_read__ = ReadPolicy.OUTSIDE

    def __init__(self, number: int, process: Any, connection: Connection) -> None:
        self.number = number
        self.process = process
        self.connection = connection
        self.requests: deque[tuple[int, int, int]] = deque()
        """Requests that it has still to answer, in order: serial, iteration, batch."""


class Workers:
    """The processes of one loader, and the batches that have arrived.

    Args:
        make: makes a batch.
        count: how many processes.
    """

    __hybridize_read__ = ReadPolicy.OUTSIDE

    def __init__(self, make: Make, count: int) -> None:
        self._pid = os.getpid()
        self._lock = renewed(threading.RLock())
        self._serial = 0
        self._arrived: dict[tuple[int, int], tuple[str, bytes, list[Any], int]] = {}
        self._running: set[int] = set()
        self._workers: list[Worker] = []
        if multiprocessing.current_process().daemon:
            raise ValueArgumentError(
                "E375",
                "a DataLoader in a worker process cannot have worker processes of its own",
                help="use num_workers=0 in the worker, or thread_pool=True",
            )
        method: str | None = multiprocessing.get_start_method(allow_none=True)
        if method is None:
            method = system.START_METHOD
        context = multiprocessing.get_context(method)
        load_module("numpy.random")  # here, once, rather than in each worker, which seeds it
        if method == "fork":
            load_module("multiprocessing.popen_fork")  # which starting a process would import

        try:
            for number in range(count):
                self._workers.append(self._started(context, method, number, make))
        except BaseException:
            self.shutdown()
            raise

    def _started(self, context: Any, method: str, number: int, make: Make) -> Worker:
        ours, theirs = multiprocessing.Pipe()
        inherited = [worker.connection for worker in self._workers] + [ours] if method == "fork" else []
        process = context.Process(
            target=_work, args=(theirs, inherited, make, method == "fork"), name=f"DataLoader-{number}", daemon=True
        )
        try:
            with warnings.catch_warnings():
                # Python 3.12 and later warn of threads that a forked process lacks: ours are made anew there.
                warnings.filterwarnings("ignore", ".*multi-threaded.*fork", DeprecationWarning)
                process.start()
        except Exception as error:
            if method == "fork":
                raise
            raise ArgumentError(
                "E383",
                f"the data set cannot be sent to a worker started by {method!r}: {error}",
                help="define functions and classes at the top level of a module, or use thread_pool=True",
            ) from error
        finally:
            theirs.close()
        return Worker(number, process, ours)

    @property
    def alive(self) -> bool:
        """Tell whether there are workers, and they are this process's own, not those of the one it was forked from."""
        return bool(self._workers) and self._pid == os.getpid()

    def begin(self) -> int:
        """The number of a new iteration."""
        with self._lock:
            self._serial += 1
            self._running.add(self._serial)
            return self._serial

    def ask(self, iteration: int, batch: int, seed: int, indices: Any) -> None:
        """Let the worker that has least to do make a batch."""
        with self._lock:
            self._check()
            self._serial += 1
            worker = min(self._workers, key=lambda worker: len(worker.requests))
            try:
                worker.requests.append((self._serial, iteration, batch))
                worker.connection.send((self._serial, iteration, seed, indices))
            except OSError:
                self._died(worker)
            except BaseException:
                self.shutdown(grace=0)  # half a message may be on its way
                raise

    def take(self, iteration: int, batch: int, timeout: float) -> Any:
        """A batch that was asked for.

        Raises:
            StateError E570: a worker has died.
            StateError E571: the batch did not come in time.
            StateError E572: the data set or the batchify function raised something that cannot be sent.
            Exception: what the data set or the batchify function raised.
        """
        deadline = time.monotonic() + timeout
        with self._lock:
            while (iteration, batch) not in self._arrived:
                self._check()
                if not self._arrival(deadline - time.monotonic()):
                    self.shutdown(grace=0)
                    raise late(batch, timeout)
            kind, body, buffers, number = self._arrived.pop((iteration, batch))
        value = unpacked(body, buffers)
        if kind == "batch":
            return value
        error, text = value
        where = f"in worker {number} of a DataLoader, making batch {batch}"
        if error is None:
            raise StateError("E572", f"an exception {where}, of a class that cannot be sent:\n{text}")
        error.add_note(f"{where}:\n{text}")
        raise error

    def end(self, iteration: int) -> None:
        """Nobody will take what is left of an iteration."""
        if not self.alive:
            return
        with self._lock:
            self._running.discard(iteration)
            for key in [key for key in self._arrived if key[0] == iteration]:
                del self._arrived[key]
            for worker in self._workers:
                if any(request[1] == iteration for request in worker.requests):
                    try:
                        worker.connection.send(iteration)
                    except OSError:
                        continue  # it has died, and the next to ask will be told
                    except BaseException:
                        self.shutdown(grace=0)  # half a message may be on its way
                        raise

    def shutdown(self, grace: float = _GRACE) -> None:
        """End the processes; those that do not end by themselves are stopped."""
        workers, self._workers = self._workers, []
        if self._pid != os.getpid():
            return  # a forked process may neither end nor wait for its parent's workers
        self._arrived.clear()
        for worker in workers:
            try:
                worker.connection.send(None)
            except OSError:
                continue
            finally:
                worker.connection.close()
        deadline = time.monotonic() + grace
        for worker in workers:
            worker.process.join(max(0.0, deadline - time.monotonic()))
            for stop in (worker.process.terminate, worker.process.kill):
                if worker.process.is_alive():
                    stop()
                    worker.process.join(1)
            worker.process.close()

    def _check(self) -> None:
        if not self._workers:
            raise StateError("E570", "the workers of this DataLoader have ended", help="iterate over it again")

    def _arrival(self, seconds: float) -> bool:
        """Wait for anything to arrive; whether it did."""
        by_source: dict[Any, Worker] = {}
        for worker in self._workers:
            by_source[worker.connection] = by_source[worker.process.sentinel] = worker
        # Their own end, of a pipe or of a process, is an arrival too.
        ready = wait(list(by_source), max(0.0, seconds))
        for worker in dict.fromkeys(by_source[source] for source in ready):
            try:
                if not worker.connection.poll():
                    self._died(worker)
                kind, serial, body, buffers = receive(worker.connection)
                expected, iteration, batch = worker.requests.popleft()
                assert serial == expected
                if iteration in self._running and kind != "skipped":
                    self._arrived[iteration, batch] = kind, body, buffers, worker.number
            except (EOFError, OSError):
                self._died(worker)
            except BaseException:
                self.shutdown(grace=0)  # half a message may have been read: Ctrl-C comes at any time
                raise
        return bool(ready)

    def _died(self, worker: Worker) -> NoReturn:
        worker.process.join(1)
        code = worker.process.exitcode
        batch = f" while it made batch {worker.requests[0][2]}" if worker.requests else ""
        self.shutdown(grace=0)
        raise StateError(
            "E570",
            f"worker {worker.number} of a DataLoader died{batch}: {_described(code)}",
            help="num_workers=0 runs the data set in this process, where its fault shows"
            + ("; SIGKILL often means that memory ran out" if code == system.KILLED else ""),
        )


def late(batch: int, timeout: float) -> StateError:
    """Make the error of a loader whose worker, process or thread, takes too long for a batch."""
    what = f"batch {batch} of a DataLoader did not come within {timeout:g} s"
    return StateError("E571", what, help="timeout=... waits longer; num_workers=0 shows where the data set waits")


def _described(code: int | None) -> str:
    if code is None:
        return "it closed its pipe"
    if code >= 0:
        return f"exit code {code}"
    try:
        return signal.Signals(-code).name
    except ValueError:
        return f"signal {-code}"


# ------------------------------------------------------------------------------------------------- in the other process


def _work(connection: Connection, inherited: list[Connection], make: Make, forked: bool) -> None:
    """Make batches until told to stop."""
    for other in inherited:
        other.close()  # or a worker would keep the pipes of another one open
    if forked:
        begin()  # who forked may have been recording
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the process that has the loader, which ends this one
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    set_num_threads(1)  # the workers are the parallelism
    tasks: queue.SimpleQueue[Any] = queue.SimpleQueue()
    over: set[int] = set()
    threading.Thread(target=_receive, args=(connection, tasks, over), daemon=True).start()

    def wanted(iteration: int) -> bool:
        return iteration not in over and None not in over

    while (task := tasks.get()) is not None:
        serial, iteration, seed, indices = task
        try:
            kind, value = "skipped", None
            if wanted(iteration):
                _seed(seed)
                value = make(indices, lambda it=iteration: wanted(it))  # type: ignore[misc]
                if value is not None or wanted(iteration):  # None may be a batch of the user's
                    kind = "batch"
            send(connection, kind, serial, value)
        except Exception as error:
            if not _sent_error(connection, serial, error):
                return


def _sent_error(connection: Connection, serial: int, error: Exception) -> bool:
    """Send an error to the loader; False if it could not be sent."""
    text = "".join(traceback.format_exception(error)).rstrip()
    try:
        send(connection, "error", serial, (error if portable(error) else None, text))
    except OSError:
        return False
    return True


def _receive(connection: Connection, tasks: queue.SimpleQueue[Any], over: set[Any]) -> None:
    """Put what arrives in the queue: tasks, numbers of iterations that are over, None for the end."""
    while True:
        try:
            message = connection.recv()
        except (EOFError, OSError):
            message = None
        if isinstance(message, int):
            over.add(message)
            continue
        if message is None:
            over.add(None)
            tasks.put(None)
            time.sleep(_GRACE)
            os._exit(1)  # whatever the data set does, nobody waits for it
        tasks.put(message)


def _seed(seed: int) -> None:
    """Every batch has random numbers of its own, whichever worker makes it: ours, Python's and NumPy's."""
    with LOADING:
        import random as pythons

        import numpy.random  # late, and loaded before forking: one that a data set loads in a worker would seed itself

    random.seed(seed)
    pythons.seed(seed)
    numpy.random.seed(seed % (1 << 32))
