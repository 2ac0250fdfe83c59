# SPDX-License-Identifier: Apache-2.0
"""Objects that users begin, end and count: tasks, frames, events, counters, moments, in domains of their own."""

from __future__ import annotations

import contextvars
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import Any, Self

from hybridize.base.errors import StateError, ValueArgumentError
from hybridize.base.participation import ReadPolicy
from hybridize.profiler.recording import PROFILE, SCOPE

_PLACES = {"global": "g", "process": "p", "thread": "t", "task": "t", "marker": "t"}


class _Named:
    """Something with a name."""

    __hybridize_read__ = ReadPolicy.OUTSIDE

    def __init__(self, name: str) -> None:
        self.name = name

    def __str__(self) -> str:
        return self.name


class Domain(_Named):
    """Group profiling objects under a name.

    Args:
        name: the category under which they are shown.

    >>> from hybridize import profiler
    >>> domain = profiler.Domain("training")
    >>> task = domain.new_task("epoch")
    >>> task.start()
    >>> task.stop()
    """

    def new_task(self, name: str) -> Task:
        """Make a task."""
        return Task(self, name)

    def new_frame(self, name: str) -> Frame:
        """Make a frame."""
        return Frame(self, name)

    def new_counter(self, name: str, value: float | None = None) -> Counter:
        """Make a counter."""
        return Counter(self, name, value)

    def new_marker(self, name: str) -> Marker:
        """Make a marker."""
        return Marker(self, name)


class _Stretch(_Named):
    """Something with a start and a stop, and a `with` block for both; it may be started again."""

    def __init__(self, kind: str, name: str) -> None:
        super().__init__(name)
        self._kind = kind
        self._began: int | None = None

    def start(self) -> None:
        """Note when it begins."""
        self._began = time.perf_counter_ns()

    def stop(self) -> None:
        """Note when it ends, if the profiler is running.

        Raises:
            StateError E579: it was not started.
        """
        if self._began is None:
            what = f"{type(self).__name__} {self.name} ends, which has not begun"
            raise StateError("E579", what, help="call start() first")
        if PROFILE.listens:
            PROFILE.add(self._kind, self.name, self._began, time.perf_counter_ns())
        self._began = None

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()


class _Work(_Stretch):
    def __init__(self, domain: Domain, name: str) -> None:
        super().__init__(domain.name, name)


class Task(_Work):
    """Measure a piece of work, in any thread.

    Args:
        domain: its domain.
        name: its name in the profile.

    >>> from hybridize import profiler
    >>> task = profiler.Task(profiler.Domain("training"), "epoch")
    >>> task.start()
    >>> task.stop()
    """


class Frame(_Work):
    """Measure a piece of work that repeats: a batch, an epoch.

    Args:
        domain: its domain.
        name: its name in the profile.

    >>> from hybridize import profiler
    >>> frame = profiler.Frame(profiler.Domain("training"), "batch")
    >>> frame.start()
    >>> frame.stop()
    """


class Event(_Stretch):
    """Measure a piece of work in one thread, without a domain.

    Args:
        name: the name in the profile.

    >>> from hybridize import profiler
    >>> event = profiler.Event("reading")
    >>> event.start()
    >>> event.stop()
    """

    def __init__(self, name: str) -> None:
        super().__init__("event", name)


class _Member(_Named):
    """Something of a domain that is noted at moments."""

    def __init__(self, domain: Domain, name: str) -> None:
        super().__init__(name)
        self._domain = domain

    def _note(self, phase: str, name: str, value: Any) -> None:
        if PROFILE.listens:
            PROFILE.note(self._domain.name, self.name, phase, time.perf_counter_ns(), details={name: value})


class Counter(_Member):
    """Record a number that changes.

    Args:
        domain: its domain.
        name: its name in the profile.
        value: the first number, which is recorded; None: 0, which is not.

    >>> from hybridize import profiler
    >>> counter = profiler.Counter(profiler.Domain("training"), "batches", 0)
    >>> counter += 1
    """

    def __init__(self, domain: Domain, name: str, value: float | None = None) -> None:
        super().__init__(domain, name)
        self.value: float = 0
        """The present number."""
        if value is not None:
            self.set_value(value)

    def set_value(self, value: float) -> None:
        """Set the number."""
        self.value = value
        self._note("C", self.name, value)

    def increment(self, delta: float = 1) -> None:
        """Add a number."""
        self.set_value(self.value + delta)

    def decrement(self, delta: float = 1) -> None:
        """Subtract a number."""
        self.set_value(self.value - delta)

    def __iadd__(self, delta: float) -> Self:
        self.increment(delta)
        return self

    def __isub__(self, delta: float) -> Self:
        self.decrement(delta)
        return self


class Marker(_Member):
    """Record moments under a name.

    Args:
        domain: its domain.
        name: their name in the profile.

    >>> from hybridize import profiler
    >>> profiler.Marker(profiler.Domain("training"), "epoch").mark("process")
    """

    def mark(self, scope: str = "process") -> None:
        """Record the present moment.

        Args:
            scope: what the line in the profile spans: `global`, `process`, `thread`, `task` or `marker`.

        Raises:
            ValueArgumentError E361: another scope.
        """
        if scope not in _PLACES:
            raise ValueArgumentError("E361", f"the scope of a mark must be one of {', '.join(_PLACES)}, got {scope!r}")
        self._note("i", "s", _PLACES[scope])


@contextmanager
def scope(name: str = "<unk>:", append_mode: bool = True) -> Iterator[str]:
    """Write the name of this `with` block into the events of its body.

    Args:
        name: a colon is put behind it where it has none.
        append_mode: behind the name of the block around.

    >>> from hybridize import np, profiler
    >>> with profiler.scope("forward"):
    ...     y = np.ones(2) + 1
    """
    name = name if name.endswith(":") else f"{name}:"
    token: contextvars.Token[str] = SCOPE.set(f"{SCOPE.get()}{name}" if append_mode else name)
    try:
        yield SCOPE.get()
    finally:
        SCOPE.reset(token)
