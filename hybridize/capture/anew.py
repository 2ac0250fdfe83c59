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
from typing import TYPE_CHECKING, Any

import numpy

from hybridize.array.ndarray import ndarray
from hybridize.array.symbol import Symbol
from hybridize.base.errors import CaptureError
from hybridize.base.types import TensorType
from hybridize.capture.guards import (
    AttributeGuard,
    CellGuard,
    GlobalGuard,
    Guard,
    ItemGuard,
    WholeGuard,
    differences,
)
from hybridize.capture.marks import mark_of
from hybridize.capture.numbers import EXACT
from hybridize.capture.step import Feed
from hybridize.graph import Value
from hybridize.ops.op import imperatively

if TYPE_CHECKING:
    from hybridize.capture.record import Captured
    from hybridize.capture.trace import Input, Trace

Place = tuple[Any, ...]
"""The key of a guard."""
LIMIT = 512
"""Places that one function reads anew."""


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


class Anew:
    """What one capture reads anew."""

    def __init__(self) -> None:
        self.places: Mapping[Place, Guard] = {}
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


class Changes:
    """Which numbers and arrays from outside were replaced between the captures of one function."""

    def __init__(self) -> None:
        self._places: dict[Place, Guard] = {}
        self._settled: dict[Place, Guard] = {}
        """Those of which the function asks more than their values."""

    def see(self, captured: Iterable[Captured]) -> None:
        """Note what is not as it was when programs were captured."""
        found = _moved(captured).items()
        self._places.update({place: guard for place, guard in found if place not in self._settled})
        while len(self._places) > LIMIT:
            del self._places[next(iter(self._places))]

    def captured(self, capture: Callable[[Mapping[Place, Guard] | None], Captured], *, alone: bool) -> Captured:
        """A capture that reads them anew, or where that cannot be, and there is no other way, one that guards them."""
        if not self._places:
            return capture(None)
        try:
            return capture(dict(self._places))
        except Exception:
            if not alone:
                raise
        made = capture(None)  # if the error is the user's, it comes again
        self._settled = {**self._places, **self._settled} if len(self._settled) < LIMIT else {}
        self._places.clear()
        return made


def _moved(captured: Iterable[Captured]) -> dict[Place, Guard]:
    """Where numbers and arrays have been replaced by others since programs that keep state were captured."""
    found: dict[Place, Guard] = {}
    for stock in captured:
        if not stock.effects and not stock.step.feeds:
            continue
        for guard in (*stock.guards, *stock.seen):
            if isinstance(guard, WholeGuard):
                for key, then, now in differences(guard):
                    if _alike(then, now):
                        found["item", id(guard.owner), key] = guard
            elif not guard.holds() and _alike(guard.expected, guard.now()):
                place = _place(guard)
                if place is not None:
                    found[place] = guard
    return found


def _alike(then: Any, now: Any) -> bool:
    """Whether one may stand for the other in a program."""
    if type(then) is ndarray:
        return type(now) is ndarray and now.type == then.type
    return type(then) in (int, float) and type(now) is type(then)


def _place(guard: Guard) -> Place | None:
    match guard:
        case GlobalGuard():
            return "name", id(guard.names), guard.name
        case CellGuard():
            return "cell", id(guard.cell)
        case AttributeGuard():
            return "attribute", id(guard.owner), guard.name
        case ItemGuard():
            return "item", id(guard.owner), guard.key
    return None


def _nothing() -> None:
    """Stands for the array of no call."""
