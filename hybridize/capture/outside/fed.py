# SPDX-License-Identifier: Apache-2.0
"""Numbers, arrays and containers from outside that are others at each call: read again instead of guarded.

At first they are guards, and a program holds for those that it met. Where a function that keeps state was captured
again because such a guard failed (`self.count += 1`, `average[name] = 0.9 * average[name] + w`), the next program reads
the place at each call: a number is an input, and what the code decides by it is a condition; an array is copied. Of a
list, dict or tuple in whose place another one comes (`y, self.states = lstm(x, self.states)`) the form is what the
program holds for, and each part is read so. What asks which array or container it is (writes to it, keeping or
returning it) is captured with guards, as before.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any, Protocol

import numpy

from hybridize.array.buffer import buffer_of, host_view, overwrite, share_elements
from hybridize.array.device import is_away
from hybridize.array.nd_array import fresh, holds_nd
from hybridize.array.ndarray import ndarray
from hybridize.array.symbol import Symbol
from hybridize.array.traced import LOST
from hybridize.base.access import consistently
from hybridize.base.faces import Face, Library
from hybridize.base.nested import Structure, unflatten
from hybridize.base.promotion import EXACT
from hybridize.capture.outside.tracing import Tracing
from hybridize.contract.feeds import ArrayOf, Feed, containers_in, fed_array, fed_copy, is_nested, own_array, parts_of
from hybridize.contract.guards import Guard
from hybridize.contract.places import Key, Place, variable_of
from hybridize.contract.snapshots import same
from hybridize.graph import Value
from hybridize.ops.op import imperatively


class Number(Feed):
    """A number from outside, at each call as it is then."""

    def __init__(self, read: Callable[[], Any], kind: type) -> None:
        self._read, self._kind = read, kind
        self.array: ndarray = fed_array(numpy.zeros((), "int64" if kind is int else "float64"))

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
            overwrite(self.array, value)
        return value is not None


class Contents(Feed):
    """The elements of an array from outside, at each call of the array that is there then."""

    def __init__(self, read: Callable[[], ndarray | None], now: ndarray) -> None:
        self._read, self._kind, self._lost = read, (type(now), now.type, now.device), None
        array = fed_copy(now) if is_away(now.device) else fed_array(numpy.zeros(now.shape, now.dtype))
        self.array: Any | ndarray = fresh(array) if holds_nd(now) else array
        lost = variable_of(now)
        if lost is LOST:
            self._lost = lost
            lost.mark(self.array)
        self.written: list[ndarray] = []
        """Arrays that the program writes, which must be other memory."""
        self._last: Callable[[], ndarray | None] = _nothing
        self._version = -1

    def begin(self, before: Any) -> bool:
        """Copy them, if they are not those of the last call."""
        now = self._read()
        if not isinstance(now, ndarray) or variable_of(now) is not self._lost:
            return False  # a gradient may have been attached to the very array of the last call
        storage = now.storage
        if now is self._last() and storage.version == self._version and not storage.exposed:
            return True
        if (type(now), now.type, now.device) != self._kind:
            return False
        if not self.apart(now):
            return False
        version = storage.version  # first: what is written while it is copied is copied again
        self._last = _nothing  # a copy that is interrupted is none
        if is_away(now.device):
            overwrite(self.array, buffer_of(now))
        else:
            consistently(numpy.copyto, host_view(self.array), host_view(now))
        self._last, self._version = weakref.ref(now), version
        return True

    def apart(self, now: ndarray | None) -> bool:
        """Tell whether the program writes no memory of an array."""
        return now is None or not any(share_elements(now, other) for other in self.written)


class Form(Feed):
    """The form of a container from outside, in whose place another one may come: its structure, and what is fixed."""

    def __init__(
        self, read: Callable[[], Any], structure: Structure, fixed: Mapping[int, Any], array_of: ArrayOf
    ) -> None:
        self._read, self._structure, self._fixed, self._array_of = read, structure, fixed, array_of
        self.changed: list[Any] = []
        """Containers that the program changes, none of which may be in it."""
        self._parts: list[Any] = []
        """Its leaves when the call began, arrays by weak references: no state of an earlier call is kept alive."""

    def begin(self, before: Any) -> bool:
        """Look whether what is there has this form."""
        now = self._read()
        parts = parts_of(now, self._array_of)
        if parts is None or parts[1] != self._structure or not self.apart(now):
            return False
        self._parts = [leaf if self._array_of(leaf) is None else weakref.ref(leaf) for leaf in parts[0]]
        return all(same(parts[0][number], value) for number, value in self._fixed.items())

    def apart(self, now: Any) -> bool:
        """Tell whether the program changes no container in one."""
        return not self.changed or not {id(one) for one in containers_in(now)} & {id(one) for one in self.changed}

    def now(self) -> Any:
        """Read what is there."""
        return self._read()

    def part(self, number: int) -> Any:
        """Return a leaf of what was there when the call began; None where it is no more."""
        leaf = self._parts[number]
        return leaf() if type(leaf) is weakref.ref else leaf


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

    def __init__(self, places: Mapping[Key, Guard], library: Library | None) -> None:
        self._library = library
        self._array_of: ArrayOf = own_array if library is None else library.memory
        self.places = places
        """Places outside whose values have changed since a program was captured, and what was found there then."""
        self.numbers: dict[Value, Number] = {}
        self._arrays: dict[int, Contents] = {}
        self._forms: list[Form] = []
        self._containers: dict[int, Any] = {}
        """Lists and dicts that stand for those which calls find, by identity."""
        self._known: dict[Key, Any] = {}
        self.seen: dict[Key, Guard] = {}
        """Guards that are not needed, as their places tell by themselves of changes: where to look for such changes."""

    def read(self, program: Tracing, place: Place, value: Any) -> Any:
        """Give what calls of the program find at a place; None where it is to be guarded."""
        if not self.reads(place):
            return None
        if place.key not in self._known:
            if is_nested(value):
                replacement = self._container(program, place, value)
            else:
                feed = self._feed(place, place.read, value)
                replacement = None if feed is None or not _begins(feed) else self._fed(program, feed)
            if replacement is None:
                return None
            self._known[place.key] = replacement
        return self._known[place.key]

    def reads(self, place: Place) -> bool:
        """Tell whether calls may read a place."""
        return place.key in self.places

    def _container(self, program: Tracing, place: Place, value: Any) -> Any:
        """Give a container of what calls find in the one at a place: arrays, and numbers that were others before."""
        array_of = self._array_of
        parts, before = parts_of(value, array_of), parts_of(self.places[place.key].expected, array_of)
        if parts is None:
            return None
        leaves, structure = parts
        known: Sequence[Any] = before[0] if before is not None and before[1] == structure else leaves
        moved = [
            number
            for number, (leaf, then) in enumerate(zip(leaves, known, strict=True))
            if array_of(leaf) is not None or (type(leaf) in (int, float) and not same(leaf, then))
        ]
        form = Form(place.read, structure, {n: leaf for n, leaf in enumerate(leaves) if n not in moved}, array_of)
        form.place = place
        feeds = {number: self._feed(place, partial(form.part, number), leaves[number]) for number in moved}
        if not form.begin(None) or not all(feed is not None and _begins(feed) for feed in feeds.values()):
            return None
        program.feed(form, None)
        self._forms.append(form)
        container = unflatten(structure, [
            self._fed(program, feed) if (feed := feeds.get(number)) is not None else leaf
            for number, leaf in enumerate(leaves)
        ])  # fmt: skip
        self._containers.update((id(one), one) for one in containers_in(container))
        return container

    def _fed(self, program: Tracing, feed: Number | Contents) -> Symbol | Face:
        """Let calls begin with a feed; give what it reads."""
        program.feed(feed, None)
        symbol = program.lift(feed.array)
        if isinstance(feed, Number):
            number = symbol._cell.value
            self.numbers[number] = feed
            return Symbol.of(symbol._trace, number, weak=feed._kind)
        self._arrays[id(feed.array)] = feed
        return symbol if self._library is None else self._library.face(symbol)

    def _feed(self, place: Place, read: Callable[[], Any], value: Any) -> Number | Contents | None:
        """Give a feed of a number or an array at a place, or in the container there; None for anything else."""
        array_of = self._array_of
        if type(value) in (int, float):
            feed: Number | Contents = Number(read, type(value))
        elif (array := array_of(value)) is not None:
            feed = Contents(lambda: array_of(read()), array)
        else:
            return None
        feed.place = place
        return feed

    def is_container(self, value: Any) -> bool:
        """Tell whether a list or dict stands for one that calls find outside."""
        return id(value) in self._containers

    def check_container(self, program: Tracing, value: Any, what: str) -> None:
        """Refuse what asks for the very container; the function is captured with guards then."""
        if self.is_container(value):
            raise program.refusal(
                "E431", f"a {type(value).__name__} that is replaced between calls is {what}",
                help="use a copy",
            )  # fmt: skip

    def check(self, program: Tracing, entry: ProgramInput | None, what: str) -> None:
        """Refuse what asks for the very array; the function is captured with guards then."""
        if entry is not None and id(entry.array) in self._arrays:
            raise program.refusal(
                "E431", f"an array that is replaced between calls is {what}", help="use a copy"
            )  # fmt: skip

    def finish(
        self, program: Tracing, written: Iterable[ProgramInput], changed: Iterable[Any], changes_arguments: bool
    ) -> None:
        """Hear what the program writes.

        Args:
            program: the trace.
            written: its inputs that it writes.
            changed: containers from outside that it changes.
            changes_arguments: it changes containers among the arguments.
        """
        entries, containers = list(written), list(changed)
        for feed in self._arrays.values():
            feed.written = [entry.array for entry in entries if entry.position < 0]
            if not feed.apart(feed._last()) or any(entry.position >= 0 for entry in entries):
                raise program.refusal(
                    "E431", "an array that is replaced outside between calls may share memory with one that is written",
                    help="use a copy",
                )  # fmt: skip
        for form in self._forms:
            form.changed = containers
            if changes_arguments or not form.apart(form.now()):
                raise program.refusal(
                    "E431", "a container that is replaced outside between calls may be one that is changed",
                    help="use a copy",
                )  # fmt: skip


def _begins(feed: Feed) -> bool:
    with imperatively():
        return feed.begin(None)


def _nothing() -> None:
    """Stands for the array of no call."""
