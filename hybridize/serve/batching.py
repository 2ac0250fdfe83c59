# SPDX-License-Identifier: Apache-2.0
"""`RequestQueue`: the requests that wait for one model, joined to batches, on one event loop.

A queue is touched by the thread of its loop alone. Short calls run there: handing one to a thread takes longer than the
call. Long ones, and those that may compile, run on the thread of the model, and requests gather meanwhile. Requests
that come in one turn of the loop make one batch without waiting for each other.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final

import numpy
from numpy.typing import NDArray

from hybridize.base.errors import CodegenError, HybridizeError, InternalError
from hybridize.serve.loaded import LoadedModel
from hybridize.serve.refusals import Refusal
from hybridize.serve.telemetry import MeasuredCall

_SHORT: Final = 0.5e-3
"""Seconds of a call up to which it runs on the loop's own thread."""
_TICKS: Final = 2e-3
"""Seconds from which the loop's clock, which counts milliseconds, is good enough."""
_RECENT: Final = 0.1
"""Weight of the last call in the mean of a call's seconds."""
_SHAPES: Final = 4096
"""Shapes of calls that are remembered as compiled."""

Arrays = list[NDArray[Any]]
Measured = Callable[[MeasuredCall], None]
"""Hears of each call of the model."""


class _Waiting:
    """A request in the queue."""

    __slots__ = ("arrays", "begin", "deadline", "future", "key", "rows")

    def __init__(self, arrays: Arrays, key: Any, rows: int, deadline: float, future: asyncio.Future[Arrays]) -> None:
        self.arrays, self.key, self.rows, self.deadline, self.future = arrays, key, rows, deadline, future
        self.begin = time.perf_counter()


class _Outcome:
    """Results of a call of the model, and when they came."""

    __slots__ = ("begin", "end", "error", "outputs")

    def __init__(self, outputs: Arrays | None, error: Exception | None, begin: float, end: float) -> None:
        self.outputs, self.error, self.begin, self.end = outputs, error, begin, end


class RequestQueue:
    """The queue of one model.

    Args:
        model: what is called.
        max_batch: rows of one call, of several requests; 1: each request is a call of its own.
        max_wait: seconds that a request waits for others.
        limit: requests that may wait; further ones are refused.
        max_programs: programs that requests of new sizes may make of the model.
        measured: hears of each call.
    """

    def __init__(
        self, model: LoadedModel, *, max_batch: int, max_wait: float, limit: int, max_programs: int, measured: Measured
    ) -> None:
        self.model = model
        self._max_batch, self._max_wait, self._limit = max_batch, max_wait, limit
        self._max_programs = max_programs
        self._measured = measured
        self._loop = asyncio.get_running_loop()
        self._pending: deque[_Waiting] = deque()
        self._busy = False
        self._turn: asyncio.Handle | None = None
        self._pool: ThreadPoolExecutor | None = None
        self._shapes: set[Any] = set(model.shapes)
        self._seconds = model.seconds
        self._until = 0.0
        self._joining = 0.0
        """Seconds that joining the requests of the current call took."""
        self._idle = asyncio.Event()
        self._idle.set()

    def __len__(self) -> int:
        """The number of requests that wait."""
        return sum([not one.future.done() for one in self._pending])

    def at_once(self, arrays: Arrays) -> Arrays | None:
        """Return the outputs of a request that need not wait: nobody else does, and the call is short; else None.

        Raises:
            Refusal: the model raises.
        """
        if self._pending or self._busy or self._max_batch > 1 or self._seconds > _SHORT:
            return None
        if tuple([array.shape for array in arrays]) not in self._shapes:
            return None
        begin = time.perf_counter()
        try:
            outputs = self.model.run(arrays)
        except Exception as error:
            raise _refusal(error, self.model.label) from error
        self._note(MeasuredCall(1, 1, running=time.perf_counter() - begin))
        return outputs

    def submit(self, arrays: Arrays, deadline: float) -> asyncio.Future[Arrays]:
        """Return the future of a request's outputs. Cancelling it takes the request out of the queue.

        Args:
            arrays: the inputs, checked.
            deadline: by the loop's clock; what waits longer is refused.

        Raises:
            Refusal RESOURCE_EXHAUSTED: too many requests wait.
        """
        if len(self._pending) >= self._limit:  # of which some may have been given up
            self._pending = deque([one for one in self._pending if not one.future.done()])
        if len(self._pending) >= self._limit:
            text = f"{self.model.label} has {self._limit} requests waiting, and takes no more; try again later"
            raise Refusal("RESOURCE_EXHAUSTED", text, "full")
        future: asyncio.Future[Arrays] = self._loop.create_future()
        rows, key = self._rows(arrays)
        self._pending.append(_Waiting(arrays, key, rows, deadline, future))
        self._idle.clear()
        if not self._busy and self._turn is None:
            self._schedule()
        elif self._turn is not None and self._max_wait and self._full():
            self._turn.cancel()
            self._turn = self._loop.call_soon(self._flush)
        return future

    async def drained(self) -> None:
        """Wait until no request waits or runs, and end the thread."""
        await self._idle.wait()
        if self._pool is not None:
            self._pool.shutdown(wait=False)

    def _rows(self, arrays: Arrays) -> tuple[int, Any]:
        """The rows of a request, and what those that it is joined with have in common; None: with none."""
        if self._max_batch == 1:
            return 1, None
        sizes = {array.shape[0] if array.ndim else -1 for array in arrays}
        rows = sizes.pop()
        if sizes or rows < 0:
            return 1, None
        if not 0 < rows < self._max_batch:
            return rows, None
        return rows, tuple([(array.dtype, array.shape[1:]) for array in arrays])

    def _full(self) -> bool:
        return sum([one.rows for one in self._pending]) >= self._max_batch

    def _schedule(self) -> None:
        if not self._max_wait or self._max_batch == 1 or self._full():
            self._turn = self._loop.call_soon(self._flush)
        elif self._max_wait >= _TICKS:
            self._turn = self._loop.call_later(self._max_wait, self._flush)
        else:
            self._until = time.perf_counter() + self._max_wait
            self._turn = self._loop.call_soon(self._look)

    def _look(self) -> None:
        """Run the next batch when its time has come; until then look again in each turn of the loop."""
        if time.perf_counter() < self._until:
            self._turn = self._loop.call_soon(self._look)
        else:
            self._flush()

    def _gathered(self) -> list[_Waiting]:
        """The requests of the next call, out of the queue; those that are late or cancelled are left out."""
        batch: list[_Waiting] = []
        rows = 0
        now = self._loop.time()
        pending = self._pending
        while pending:
            one = pending[0]
            if one.future.done() or one.deadline <= now:
                pending.popleft()
                if not one.future.done():
                    one.future.set_exception(late(self.model.label))
                continue
            if batch and (one.key is None or one.key != batch[0].key or rows + one.rows > self._max_batch):
                break
            pending.popleft()
            batch.append(one)
            rows += one.rows
            if one.key is None:
                break
        return batch

    def _flush(self) -> None:
        """Run the next batch, on this thread or on the model's."""
        self._turn = None
        batch = self._gathered()
        if not batch:
            self._next()
            return
        begin = time.perf_counter()
        arrays = _joined(batch)
        self._joining = time.perf_counter() - begin
        shapes = tuple([array.shape for array in arrays])
        known = shapes in self._shapes
        if known and self._seconds <= _SHORT:
            self._finish(batch, self._timed(arrays))
            self._next()
            return
        if not known and self.model.compiles and self.model.programs >= self._max_programs and self._shapes:
            text = (
                f"{self.model.label} was compiled to {self._max_programs} programs, and takes no other sizes; "
                f"got {', '.join(str(list(shape)) for shape in shapes)}"
            )
            self._fail(batch, Refusal("INVALID_ARGUMENT", text, "sizes"))
            self._next()
            return
        self._busy = True
        if self._pool is None:
            self._pool = ThreadPoolExecutor(1, f"serve-{self.model.name}")
        self._pool.submit(self._away, batch, arrays, shapes)

    def _away(self, batch: list[_Waiting], arrays: Arrays, shapes: Any) -> None:
        """Run a batch on the model's thread."""
        self._loop.call_soon_threadsafe(self._back, batch, shapes, self._timed(arrays))

    def _back(self, batch: list[_Waiting], shapes: Any, outcome: _Outcome) -> None:
        self._busy = False
        if outcome.error is None and len(self._shapes) < _SHAPES:
            self._shapes.add(shapes)
        self._finish(batch, outcome)
        self._next()

    def _timed(self, arrays: Arrays) -> _Outcome:
        begin = time.perf_counter()
        try:
            return _Outcome(self.model.run(arrays), None, begin, time.perf_counter())
        except Exception as error:
            return _Outcome(None, error, begin, time.perf_counter())

    def _finish(self, batch: list[_Waiting], outcome: _Outcome) -> None:
        error, outputs = outcome.error, outcome.outputs
        if outputs is not None:
            rows = sum([one.rows for one in batch])
            if len(batch) == 1:
                if not batch[0].future.done():
                    batch[0].future.set_result(outputs)
                self._note(self._measured_call(batch, rows, outcome))
                return
            if all(output.ndim and output.shape[0] == rows for output in outputs):
                at = 0
                for one in batch:
                    end = at + one.rows
                    if not one.future.done():
                        one.future.set_result([output[at:end] for output in outputs])
                    at = end
                self._note(self._measured_call(batch, rows, outcome))
                return
            error = ValueError("an output of a batch has no row for each of the inputs'")
        if len(batch) > 1:  # one of them is wrong: each is asked alone, so that the others have their results
            for one in reversed(batch):
                one.key = None
                self._pending.appendleft(one)
            return
        self._fail(batch, _refusal(error or ValueError("no outputs"), self.model.label))

    def _fail(self, batch: Sequence[_Waiting], refusal: Refusal) -> None:
        for one in batch:
            if not one.future.done():
                one.future.set_exception(refusal)

    def _next(self) -> None:
        if self._pending:
            if self._turn is None:
                self._schedule()
        elif not self._busy:
            self._idle.set()

    def _measured_call(self, batch: Sequence[_Waiting], rows: int, outcome: _Outcome) -> MeasuredCall:
        """The times of a call that has just been answered."""
        ready = outcome.begin - self._joining
        return MeasuredCall(
            len(batch), rows, waiting=sum([ready - one.begin for one in batch]), joining=self._joining,
            running=outcome.end - outcome.begin, splitting=time.perf_counter() - outcome.end,
        )  # fmt: skip

    def _note(self, call: MeasuredCall) -> None:
        self._seconds += _RECENT * (call.running - self._seconds)
        self._measured(call)


def late(label: str) -> Refusal:
    """Return the refusal of a request whose time is over."""
    return Refusal("DEADLINE_EXCEEDED", f"{label} did not answer in the time that the request allows", "late")


def _joined(batch: Sequence[_Waiting]) -> Arrays:
    if len(batch) == 1:
        return batch[0].arrays
    return [numpy.concatenate(columns) for columns in zip(*[one.arrays for one in batch], strict=True)]


def _refusal(error: Exception, label: str) -> Refusal:
    """The answer to a request at which the model raises: the request's fault, unless hybridize is at fault itself."""
    text = str(error) or type(error).__name__
    own = isinstance(error, (InternalError, CodegenError)) or not isinstance(error, (HybridizeError, IndexError))
    what = "\n".join(line for line in text.splitlines() if not line.lstrip().startswith("/"))
    if isinstance(error, MemoryError):
        return Refusal("RESOURCE_EXHAUSTED", f"{label} has no memory for this request", "memory")
    return Refusal("INTERNAL" if own else "INVALID_ARGUMENT", f"{label}: {what}", "model")
