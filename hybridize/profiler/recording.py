# SPDX-License-Identifier: Apache-2.0
"""ProfilerSettings and states of the profiler, and what it has heard: events for a file, sums for tables."""

from __future__ import annotations

import contextvars
import math
import os
import threading
import time
import weakref
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import Any, Final

from hybridize.base.advice import warn
from hybridize.base.errors import ArgumentError, ValueArgumentError
from hybridize.base.forks import in_child, renewed
from hybridize.base.frozen import frozen, mutable
from hybridize.base.loading import load_module
from hybridize.base.participation import outside_only
from hybridize.base.spans import (
    COMPILATION,
    KERNEL,
    MACHINE_CODE,
    OPERATION,
    PART,
    PROGRAM,
    KernelSpan,
    NamedSpan,
    listen,
    unlisten,
)

KINDS: Final = {
    OPERATION: "profile_imperative", PROGRAM: "profile_symbolic", MACHINE_CODE: "profile_symbolic",
    COMPILATION: "profile_symbolic",
}  # fmt: skip
"""The setting by which each kind of span is heard."""


@mutable
class ProfilerSettings:
    """Keywords of `set_config`."""

    filename: str = "profile.json"
    profile_all: bool = False
    profile_symbolic: bool = True
    profile_imperative: bool = True
    profile_memory: bool = True
    profile_kernels: bool = False
    continuous_dump: bool = False
    dump_period: float = 1.0


@frozen
class TracedEvent:
    """Something for the file, as browsers read it."""

    kind: str
    """The category."""
    name: str
    phase: str
    """`X`: from `begin` for `length`; `C`: a number that changed; `i`: a moment."""
    begin: float
    """Microseconds since the profiler was loaded."""
    length: float
    thread: int
    details: dict[str, Any]


@mutable
class SpanSum:
    """The count of what ran under one name, and its milliseconds."""

    count: int = 0
    total: float = 0.0
    least: float = math.inf
    most: float = 0.0

    def add(self, value: float) -> None:
        """Count one more."""
        self.count += 1
        self.total += value
        self.least, self.most = min(self.least, value), max(self.most, value)


SCOPE: Final = contextvars.ContextVar("profiler_scope", default="")
"""The name of the `scope` block that runs."""


class Profile:
    """The spans heard since the last reset, and what is heard at all."""

    def __init__(self) -> None:
        self.settings: ProfilerSettings = ProfilerSettings()
        self.state: str = "stop"
        self.paused: bool = False
        self.events: list[TracedEvent] = []
        self.times: dict[str, dict[str, SpanSum]] = {}
        """Sums by kind and name."""
        self.memory: dict[str, SpanSum] = {}
        """Kilobytes of each call, by the name of the program."""
        self.kernels: dict[str, dict[tuple[int, str], tuple[dict[str, Any], SpanSum]]] = {}
        """By the name of the program, the number and the name of the kernel: what it is, and its sum."""
        self.names: dict[int, str] = {}
        """Names of threads that the file has, by the system's numbers."""
        self._timeline: Any = None
        self._sizes: dict[int, tuple[weakref.ref[Any], float]] = {}
        """Kilobytes of a call of each program, by the identity of its machine code."""
        self.origin: int = time.perf_counter_ns()
        self.written: Callable[[], object] | None = None
        """Writes the file so far, for `continuous_dump`."""
        self._period_began = time.perf_counter()
        self.lock: AbstractContextManager[object] = renewed(threading.RLock())

    @property
    def listens(self) -> bool:
        """True if what happens now is recorded."""
        return self.state == "run" and not self.paused

    def changed(self, state: str | None = None, paused: bool | None = None) -> None:
        """Go on in another state."""
        with self.lock:
            unlisten(self.hear, None if self._timeline is None else self._timeline.variant)
            self.state = self.state if state is None else state
            self.paused = self.paused if paused is None else paused
            if self.listens:
                listen(self.hear, self._variant())

    def _variant(self) -> Callable[[Any], Any] | None:
        """Return what gives the variants of programs that tell of kernels, where these are heard of."""
        if not self.settings.profile_kernels:
            return None
        if self._timeline is None:
            timeline = load_module("hybridize.compiler.timeline")  # late: few ask for kernels
            self._timeline = timeline.Timeline(self.hear_kernels, self.hear)
        variant: Callable[[Any], Any] = self._timeline.variant
        return variant

    def hear(self, kind: str, what: str | NamedSpan, begin: int, end: int) -> None:
        """Take down a span."""
        settings = self.settings
        if not (settings.profile_all or getattr(settings, KINDS[kind])):
            return
        name = what if isinstance(what, str) else what.name
        self.add(kind, name, begin, end)
        if kind == MACHINE_CODE and (settings.profile_all or settings.profile_memory):
            self._remember(name, what)

    def hear_kernels(self, what: NamedSpan, kernels: Sequence[KernelSpan], lost: int) -> None:
        """Take down the kernels of a call and their parts, some of which may be lost."""
        with self.lock:
            sums = self.kernels.setdefault(what.name, {})
            for one in kernels:
                if one.kind == KERNEL:
                    _, total = sums.setdefault((one.details["kernel"], one.name), (one.details, SpanSum()))
                    total.add((one.end - one.begin) / 1e6)
        for one in kernels:
            self.note(one.kind, one.name, "X", one.begin, one.end - one.begin, one.details, one.thread)
        if lost:
            details = {"s": "t", "parts": lost}
            self.note(PART, f"{lost} parts of kernels are not shown", "i", kernels[-1].end, details=details)

    def _remember(self, name: str, what: Any) -> None:
        """Count the memory of a call."""
        with self.lock:
            known, kilobytes = self._sizes.get(id(what), (None, 0.0))
            if known is None or known() is not what:
                kilobytes = what.peak_bytes / 1024
                self._sizes[id(what)] = weakref.ref(what), kilobytes
            self.memory.setdefault(name, SpanSum()).add(kilobytes)

    def add(self, kind: str, name: str, begin: int, end: int) -> None:
        """Take down that something ran, from `begin` to `end`, in nanoseconds of `perf_counter`."""
        with self.lock:
            self.times.setdefault(kind, {}).setdefault(name, SpanSum()).add((end - begin) / 1e6)
        self.note(kind, name, "X", begin, end - begin)

    def note(
        self, kind: str, name: str, phase: str, begin: int, length: int = 0, details: dict[str, Any] | None = None,
        thread: int = 0,
    ) -> None:  # fmt: skip
        """Take down an event for the file, of this thread unless another one is named."""
        here = threading.get_native_id()
        self.names.setdefault(here, threading.current_thread().name)
        self.names.setdefault(thread or here, f"hybridize worker {thread}")
        details, scope = dict(details or {}), SCOPE.get()
        if scope:
            details["scope"] = scope
        at, end = _microseconds(begin - self.origin), _microseconds(begin + length - self.origin)
        self.events.append(TracedEvent(kind, name, phase, at, end - at, thread or here, details))
        if self.settings.continuous_dump and time.perf_counter() - self._period_began >= self.settings.dump_period:
            self._period_began = time.perf_counter()
            if self.written is not None:
                self.written()

    def reset(self) -> None:
        """Forget the sums."""
        with self.lock:
            self.times, self.memory, self.kernels, self._sizes = {}, {}, {}, {}

    def begin(self) -> None:
        """Begin anew in a forked child, where nobody listens: what the parent heard is the parent's."""
        self.state, self.paused, self.events, self.names = "stop", False, [], {}
        self.reset()


def _microseconds(nanoseconds: int) -> float:
    """Round to 1/1024 microseconds, so that sums are exact: readers find that an event ends where the next begins."""
    return round(nanoseconds * 1.024) / 1024


PROFILE: Final = Profile()
in_child(PROFILE.begin)

_ACCEPTED: Final = frozenset({
    "profile_api", "aggregate_stats", "profile_process", "gpu_memory_profile_filename_prefix", "mode",
})  # fmt: skip
"""Settings of MXNet's that change nothing: sums are always kept, and there is neither an interface of C nor a GPU."""


def check_process(profile_process: str) -> None:
    """Refuse to profile another process.

    Raises:
        ValueArgumentError E361: another process than this one is asked for.
    """
    if profile_process != "worker":
        what = f"the profiler hears of this process, which MXNet calls 'worker', got {profile_process!r}"
        raise ValueArgumentError("E361", what)


@outside_only("sets up the profiler")
def set_config(**kwargs: Any) -> None:
    """Choose what to record, and where to write it.

    Args:
        filename: the file that `dump` writes, `profile.json`.
        profile_all: all kinds.
        profile_symbolic: calls of compiled functions, runs of their machine code, compilations; the default.
        profile_imperative: operations of imperative code; the default.
        profile_memory: the memory that calls of programs need; the default.
        profile_kernels: each kernel of compiled calls, and what each thread did of it. Each program is compiled once
            more for this, with clocks between its kernels.
        continuous_dump: write the file while the program runs, at each `dump_period`.
        dump_period: seconds.
        profile_api, aggregate_stats: accepted; sums are always kept.
        profile_process: `worker`, which is this one.

    Raises:
        ArgumentError E300: an unknown keyword.
        ValueArgumentError E361: another process, or a period that is not positive.

    >>> from hybridize import profiler
    >>> profiler.set_config(profile_memory=False, filename="profile.json")
    """
    known = ProfilerSettings.__dataclass_fields__
    for name, value in kwargs.items():
        if name not in known and name not in _ACCEPTED:
            text = f"the profiler has no setting {name!r}"
            raise ArgumentError("E300", text, help=f"its settings are {', '.join(known)}")
        if name == "profile_process":
            check_process(value)
        if name == "dump_period" and not value > 0:
            raise ValueArgumentError("E361", f"dump_period must be a positive number of seconds, got {value!r}")
    if "filename" in kwargs:
        kwargs["filename"] = os.fspath(kwargs["filename"])
    PROFILE.settings = ProfilerSettings(**{name: value for name, value in kwargs.items() if name in known})


def profiler_set_config(mode: str = "symbolic", filename: str = "profile.json") -> None:
    """Choose what to record by MXNet's old keywords. It warns that it is deprecated: use `set_config`.

    Args:
        mode: `symbolic` records compiled functions; `all` records all kinds.
        filename: the file that `dump` writes.

    >>> import warnings
    >>> from hybridize import profiler
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore")
    ...     profiler.profiler_set_config(mode="all", filename="profile.json")
    """
    warn("profiler.profiler_set_config is deprecated: use profiler.set_config", DeprecationWarning)
    set_config(profile_all=mode == "all", profile_imperative=mode == "all", filename=filename)


@outside_only("starts or stops the profiler")
def set_state(state: str = "stop", profile_process: str = "worker") -> None:
    """Start or stop recording: `run`, `stop`.

    Args:
        state: `run` or `stop`.
        profile_process: `worker`, which is this process.

    Raises:
        ValueArgumentError E361: another state, or another process.

    >>> from hybridize import np, profiler
    >>> profiler.set_state("run")
    >>> y = np.ones(2) + 1
    >>> profiler.set_state("stop")
    >>> len(profiler.dumps(reset=True)) > 0
    True
    """
    check_process(profile_process)
    if state not in ("run", "stop"):
        raise ValueArgumentError("E361", f"the profiler's state must be 'run' or 'stop', got {state!r}")
    PROFILE.changed(state=state)


def profiler_set_state(state: str = "stop") -> None:
    """Start or stop recording: MXNet's old name of `set_state`. It warns that it is deprecated.

    Args:
        state: `run` or `stop`.

    Raises:
        ValueArgumentError E361: another state.

    >>> import warnings
    >>> from hybridize import profiler
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore")
    ...     profiler.profiler_set_state("run")
    ...     profiler.profiler_set_state("stop")
    """
    warn("profiler.profiler_set_state is deprecated: use profiler.set_state", DeprecationWarning)
    set_state(state)


@outside_only("stops the profiler")
def pause(profile_process: str = "worker") -> None:
    """Stop recording until `resume`.

    Args:
        profile_process: `worker`, which is this process.

    >>> from hybridize import profiler
    >>> profiler.set_state("run")
    >>> profiler.pause()
    >>> profiler.resume()
    >>> profiler.set_state("stop")
    """
    check_process(profile_process)
    PROFILE.changed(paused=True)


@outside_only("starts the profiler")
def resume(profile_process: str = "worker") -> None:
    """Continue recording after `pause`.

    Args:
        profile_process: `worker`, which is this process.

    >>> from hybridize import profiler
    >>> profiler.set_state("run")
    >>> profiler.pause()
    >>> profiler.resume()
    >>> profiler.set_state("stop")
    """
    check_process(profile_process)
    PROFILE.changed(paused=False)
