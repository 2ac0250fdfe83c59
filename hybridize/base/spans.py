# SPDX-License-Identifier: Apache-2.0
"""Spans: what runs, and from when to when, told to whoever listens: operations, programs, machine code, compilations.

While somebody listens, compiled calls take their way through Python, where spans are told, and so do imperative
operations (see `base.modes` and `base.access`). While nobody does, they cost a look at a list there, and nothing else.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any, Final, Protocol, TypeVar

from hybridize.base import modes
from hybridize.base.access import ACCESS, MARK
from hybridize.base.forks import in_child, renewed
from hybridize.base.frozen import frozen

T = TypeVar("T")

OPERATION: Final = "operator"
"""An operation of imperative code; what it calls is part of it."""
PROGRAM: Final = "program"
"""A call of a compiled function, with what Python does before and after."""
MACHINE_CODE: Final = "machine code"
"""A run of a program's machine code: forward, or back."""
COMPILATION: Final = "compilation"
"""A function captured and compiled."""


KERNEL: Final = "kernel"
"""A step of a program's machine code, or several that run together, from the caller's first part to the last."""
PART: Final = "part of a kernel"
"""The part of a kernel that one thread did at a time."""


@frozen
class KernelSpan:
    """A kernel that has run, or a part of it."""

    kind: str
    """`KERNEL` or `PART`."""
    name: str
    """As reports name it: its operations."""
    details: dict[str, Any]
    """The kernel's number, kind, lines, and the like."""
    begin: int
    """Nanoseconds of `perf_counter`."""
    end: int
    thread: int
    """The system's number of the thread."""


class NamedSpan(Protocol):
    """Whatever has a name."""

    name: str


Listener = Callable[[str, "str | NamedSpan", int, int], object]
"""Hears of a span that has ended: its kind, what ran, and when it began and ended, in nanoseconds of `perf_counter`."""

LISTENERS: Final[list[Listener]] = []
"""Whoever listens, to all threads."""
VARIANTS: Final[list[Callable[[Any], Any]]] = []
"""Of those who hear of kernels: returns a program that does what another does, and tells of its kernels."""
_lock = renewed(threading.RLock())


class _Running(threading.local):
    """The kinds of the spans that have begun in the present thread and not ended."""

    def __init__(self) -> None:
        self.kinds: set[str] = set()


_RUNNING = _Running()


def is_heard(kind: str) -> bool:
    """Tell whether anybody hears of a span that begins now: nobody does of one within another of its kind."""
    return bool(LISTENERS) and kind not in _RUNNING.kinds


def span(kind: str, what: str | NamedSpan, call: Callable[..., T], *args: Any, **kwargs: Any) -> T:
    """Call a function, and tell the listeners how long it ran, where its span is `told`."""
    if not is_heard(kind):
        return call(*args, **kwargs)
    running = _RUNNING.kinds
    running.add(kind)
    begin = time.perf_counter_ns()
    try:
        return call(*args, **kwargs)
    finally:
        end = time.perf_counter_ns()
        running.discard(kind)
        for listener in tuple(LISTENERS):
            listener(kind, what, begin, end)


def listen(listener: Listener, variant: Callable[[Any], Any] | None = None) -> None:
    """Tell a listener of every span, until `unlisten`; of kernels, its `variant` of each program does."""
    with _lock:
        if variant is not None:
            VARIANTS.append(variant)
        if not LISTENERS:
            modes.count_busy(1)
            ACCESS.marks += MARK
        LISTENERS.append(listener)


def unlisten(listener: Listener, variant: Callable[[Any], Any] | None = None) -> None:
    """Tell a listener no more, nor run its variants; one that does not listen is left alone."""
    with _lock:
        if variant in VARIANTS:
            VARIANTS.remove(variant)
        if listener in LISTENERS:
            LISTENERS.remove(listener)
            if not LISTENERS:
                modes.count_busy(-1)
                del ACCESS.marks[-1:]


in_child(VARIANTS.clear)
in_child(LISTENERS.clear)  # what made the others slow has been forgotten there, too
