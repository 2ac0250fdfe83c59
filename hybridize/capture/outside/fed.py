# SPDX-License-Identifier: Apache-2.0
"""Numbers and arrays from outside that are others at each call: read anew instead of guarded.

At first they are guards, and a program holds for those that it met. Where a function that keeps state was captured
again because such a guard failed (`self.count += 1`, `average[name] = 0.9 * average[name] + w`), the next program reads
the place at each call: a number is an input, and what the code decides by it is a condition; an array is copied. What
asks which array it is (writes to it, keeping or returning it) is captured with guards, as before.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy

from hybridize.array.ndarray import ndarray
from hybridize.array.symbol import Symbol
from hybridize.base.errors import CaptureError
from hybridize.base.types import TensorType
from hybridize.capture.trace.recording import Input, Trace
from hybridize.contract.attached import mark_of
from hybridize.contract.conditions import EXACT
from hybridize.contract.feeds import Feed
from hybridize.contract.guards import (
    AttributeGuard,
    Guard,
)
from hybridize.graph import Value
from hybridize.ops.op import imperatively

Place = tuple[Any, ...]
"""The key of a guard."""


class Number(Feed):
    """A number from outside, at each call as it is then."""

    def __init__(self, read: Callable[[], Any], kind: type) -> None:
        self._read, self._kind = read, kind
        self.array = ndarray(numpy.zeros((), "int64" if kind is int else "float64"))

    def now(self) -> Any:
        """The number; None where there is none of its kind that 64 bits hold."""
        value = self._read()
        if type(value) is int and abs(value) > EXACT:
            return None
        return value if type(value) is self._kind else None

    def prepare(self) -> bool:
        """Read it."""
        value = self.now()
        if value is not None:
            self.array._data[...] = value
        return value is not None

    def failed(self) -> None:
        """Nothing was changed."""


class Contents(Feed):
    """The elements of an array from outside, at each call of the array that is there then."""

    def __init__(self, read: Callable[[], Any], kind: TensorType) -> None:
        self._read, self._kind = read, kind
        self.array = ndarray(numpy.zeros(kind.shape, kind.dtype))
        self.array.storage.exposed = True  # it is written at each call: nobody is to keep a copy
        self.written: list[ndarray] = []
        """What the program writes, which must be other memory."""
        self._last: Callable[[], ndarray | None] = _nothing
        self._version = -1

    def prepare(self) -> bool:
        """Copy them, if they are not those of the last call."""
        now = self._read()
        if type(now) is not ndarray:
            return False
        storage = now.storage
        if now is self._last() and storage.version == self._version and not storage.exposed:
            return True
        if now.type != self._kind or mark_of(now) is not None:
            return False
        if not self.apart(now):
            return False
        self.array._data[...] = now._data
        self._last, self._version = weakref.ref(now), storage.version
        return True

    def apart(self, now: ndarray | None) -> bool:
        """Whether the program writes no memory of an array."""
        return now is None or not any(numpy.may_share_memory(now._data, other._data) for other in self.written)

    def failed(self) -> None:
        """Nothing was changed."""


class FedReads:
    """What one capture reads anew."""

    def __init__(self, places: Mapping[Place, Guard]) -> None:
        self.places = places
        """Where values have changed since a program was captured."""
        self.numbers: dict[Value, Number] = {}
        self._arrays: dict[int, Contents] = {}
        self._known: dict[Place, Symbol] = {}
        self.seen: dict[Place, Guard] = {}
        """What tells by itself of changes, and needs no guard."""

    def read(self, trace: Trace, place: Place, guard: Guard) -> Symbol | None:
        """What `guard` would guard, as the program finds it at each call; None where it is to be guarded."""
        if place not in self.places or place in trace.guards:
            return None
        if place not in self._known:
            value = guard.expected
            feed: Number | Contents
            if type(value) in (int, float):
                feed = Number(guard.now, type(value))
            elif type(value) is ndarray:
                feed = Contents(guard.now, value.type)
            else:
                return None
            with imperatively():
                if not feed.prepare():
                    return None
            trace.feed(feed)
            symbol = trace.lift(feed.array)
            if isinstance(feed, Number):
                value = symbol._cell.value
                self.numbers[value] = feed
                symbol = Symbol.of(trace, value, weak=feed._kind)
            else:
                self._arrays[id(feed.array)] = feed
            self._known[place] = symbol
        return self._known[place]

    def watched(self, trace: Trace, guard: AttributeGuard) -> Symbol | None:
        """What an attribute that tells of changes has, as the program finds it at each call; None where it depends."""
        if type(guard.expected) not in (int, float, ndarray):
            return None
        place: Place = "attribute", id(guard.owner), guard.name
        if place in trace.written_attributes:
            return None
        new = self.read(trace, place, guard)
        if new is None:
            self.seen.setdefault(place, guard)
        return new

    def check(self, trace: Trace, entry: Input | None, what: str) -> None:
        """Refuse what asks for the very array; the function is captured with guards then."""
        if entry is not None and id(entry.array) in self._arrays:
            raise trace.refusing(CaptureError(
                "E431", f"an array from outside, which is another one at each call, is {what}", help="use a copy of it"
            ))  # fmt: skip

    def finish(self, trace: Trace, written: Iterable[Input]) -> None:
        """Hear what the program writes."""
        entries = list(written)
        for feed in self._arrays.values():
            feed.written = [entry.array for entry in entries if entry.position < 0 and entry.array is not None]
            if not feed.apart(feed._last()) or any(entry.position >= 0 for entry in entries):
                raise trace.refusing(CaptureError(
                    "E431", "an array from outside, which is another one at each call, may be one that is written",
                    help="use a copy of it",
                ))  # fmt: skip


def _nothing() -> None:
    """Stands for the array of no call."""
