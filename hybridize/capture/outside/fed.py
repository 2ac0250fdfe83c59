# SPDX-License-Identifier: Apache-2.0
"""Numbers and arrays from outside that are others at each call: read again instead of guarded.

At first they are guards, and a program holds for those that it met. Where a function that keeps state was captured
again because such a guard failed (`self.count += 1`, `average[name] = 0.9 * average[name] + w`), the next program reads
the place at each call: a number is an input, and what the code decides by it is a condition; an array is copied. What
asks which array it is (writes to it, keeping or returning it) is captured with guards, as before.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Collection, Iterable
from typing import Any, Protocol

import numpy

from hybridize.array.layouts import share_elements
from hybridize.array.ndarray import ndarray
from hybridize.array.symbol import Symbol
from hybridize.array.traced import FREED, LOST
from hybridize.base.access import consistently
from hybridize.base.errors import CaptureError
from hybridize.base.promotion import EXACT
from hybridize.capture.outside.tracing import Tracing
from hybridize.contract.feeds import Feed, fed_array
from hybridize.contract.guards import Guard
from hybridize.contract.places import Key, Place, variable_of
from hybridize.graph import Value
from hybridize.ops.op import imperatively


class Number(Feed):
    """A number from outside, at each call as it is then."""

    def __init__(self, read: Callable[[], Any], kind: type) -> None:
        self._read, self._kind = read, kind
        self.array = fed_array(numpy.zeros((), "int64" if kind is int else "float64"))

    def now(self) -> Any:
        """The number; None where there is none of its kind that 64 bits hold."""
        value = self._read()
        if type(value) is int and abs(value) > EXACT:
            return None
        return value if type(value) is self._kind else None

    def begin(self, before: Any) -> bool:
        """Read it."""
        value = self.now()
        if value is not None:
            self.array._data[...] = value
        return value is not None


class Contents(Feed):
    """The elements of an array from outside, at each call of the array that is there then."""

    def __init__(self, read: Callable[[], Any], now: ndarray) -> None:
        self._read, self._kind, self._lost = read, now.type, None
        self.array = fed_array(numpy.zeros(now.shape, now.dtype))
        lost = variable_of(now)
        if lost is LOST or lost is FREED:
            self._lost = lost
            lost.mark(self.array)
        self.written: list[ndarray] = []
        """Arrays that the program writes, which must be other memory."""
        self._last: Callable[[], ndarray | None] = _nothing
        self._version = -1

    def begin(self, before: Any) -> bool:
        """Copy them, if they are not those of the last call."""
        now = self._read()
        if type(now) is not ndarray or variable_of(now) is not self._lost:
            return False  # a gradient may have been attached to the very array of the last call
        storage = now.storage
        if now is self._last() and storage.version == self._version and not storage.exposed:
            return True
        if now.type != self._kind:
            return False
        if not self.apart(now):
            return False
        version = storage.version  # first: what is written while it is copied is copied again
        self._last = _nothing  # a copy that is interrupted is none
        consistently(numpy.copyto, self.array._data, now._data)
        self._last, self._version = weakref.ref(now), version
        return True

    def apart(self, now: ndarray | None) -> bool:
        """Tell whether the program writes no memory of an array."""
        return now is None or not any(share_elements(now._data, other._data) for other in self.written)


class ProgramInput(Protocol):
    """An input of the program, as those see it who decide about the world outside."""

    @property
    def array(self) -> ndarray:
        """The array of this call."""

    @property
    def position(self) -> int:
        """The number of the leaf of the arguments; negative for an array from outside."""


class FedReads:
    """The places that one capture lets calls read."""

    def __init__(self, places: Collection[Key]) -> None:
        self.places = places
        """Places outside whose values have changed since a program was captured."""
        self.numbers: dict[Value, Number] = {}
        self._arrays: dict[int, Contents] = {}
        self._known: dict[Key, Symbol] = {}
        self.seen: dict[Key, Guard] = {}
        """Guards that are not needed, as their places tell by themselves of changes: where to look for such changes."""

    def read(self, program: Tracing, place: Place, value: Any) -> Symbol | None:
        """Give what calls of the program find at a place; None where it is to be guarded."""
        if place.key not in self.places:
            return None
        if place.key not in self._known:
            feed: Number | Contents
            if type(value) in (int, float):
                feed = Number(place.read, type(value))
            elif type(value) is ndarray:
                feed = Contents(place.read, value)
            else:
                return None
            with imperatively():
                if not feed.begin(None):
                    return None
            program.feed(feed, None)
            symbol = program.lift(feed.array)
            if isinstance(feed, Number):
                number = symbol._cell.value
                self.numbers[number] = feed
                symbol = Symbol.of(symbol._trace, number, weak=feed._kind)
            else:
                self._arrays[id(feed.array)] = feed
            self._known[place.key] = symbol
        return self._known[place.key]

    def check(self, program: Tracing, entry: ProgramInput | None, what: str) -> None:
        """Refuse what asks for the very array; the function is captured with guards then."""
        if entry is not None and id(entry.array) in self._arrays:
            raise program.refusing(CaptureError(
                "E431", f"an array that is replaced outside between calls is {what}", help="use a copy of it"
            ))  # fmt: skip

    def finish(self, program: Tracing, written: Iterable[ProgramInput]) -> None:
        """Hear what the program writes."""
        entries = list(written)
        for feed in self._arrays.values():
            feed.written = [entry.array for entry in entries if entry.position < 0]
            if not feed.apart(feed._last()) or any(entry.position >= 0 for entry in entries):
                raise program.refusing(CaptureError(
                    "E431", "an array that is replaced outside between calls may share memory with one that is written",
                    help="use a copy of it",
                ))  # fmt: skip


def _nothing() -> None:
    """Stands for the array of no call."""
