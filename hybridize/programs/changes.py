# SPDX-License-Identifier: Apache-2.0
"""Changes between the captures of one function: numbers, arrays and containers of them from outside that were
replaced, and other numbers among the arguments.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any

from hybridize.base.errors import CaptureError, DeviceError
from hybridize.contract.call import Call
from hybridize.contract.captured import Captured
from hybridize.contract.feeds import ArrayOf, is_nested, own_array, parts_of
from hybridize.contract.guards import Guard
from hybridize.contract.places import Content, Item, Items, Key
from hybridize.contract.snapshots import differences, rebuilt, same
from hybridize.system.interruptions import let_through

LIMIT = 512
"""Places that one function reads anew."""


class Changes:
    """Finds the numbers, arrays and containers from outside that were replaced between the captures of one function.

    And the integers among the arguments that captured programs depend on, and that calls differ in.
    """

    def __init__(self) -> None:
        self._places: dict[Key, Guard] = {}
        self._settled: dict[Key, Guard] = {}
        """Those of which the function asks more than their values."""
        self._numbers: set[int] = set()
        """Leaves of the arguments."""
        self._fixed: set[int] = set()
        """Those that the function needs for more than to index with them."""

    def see(self, captured: Collection[Captured], call: Call, array_of: ArrayOf = own_array) -> None:
        """Note what is not as it was when programs were captured; `array_of` is as of `parts_of`."""
        self._numbers |= {
            position
            for one in captured
            if one.call.structure == call.structure
            for position, value in one.numbers.items()
            if type(value) is int and type(call.leaves[position]) is int and call.leaves[position] != value
        } - self._fixed
        guards = _moved(captured, array_of).items()
        self._places.update({place: guard for place, guard in guards if place not in self._settled})
        while len(self._places) > LIMIT:
            del self._places[next(iter(self._places))]

    def captured(self, capture: Callable[[Mapping[Key, Guard], Collection[int]], Captured], *, alone: bool) -> Captured:
        """A capture that reads them anew, or where that cannot be, and there is no other way, one that guards them.

        Raises:
            DeviceError E705: a device cannot do it, which another way would only hide.
        """
        if not self._places and not self._numbers:
            return capture({}, ())
        try:
            return self._anew(capture)
        except Exception as error:
            let_through(error)
            if not alone or (isinstance(error, DeviceError) and error.code == "E705"):
                raise
        captured = capture({}, ())  # if the error is the user's, it comes again
        self._fixed |= self._numbers
        self._numbers.clear()
        self._settled = {**self._places, **self._settled} if len(self._settled) < LIMIT else {}
        self._places.clear()
        return captured

    def _anew(self, capture: Callable[[Mapping[Key, Guard], Collection[int]], Captured]) -> Captured:
        """A capture that reads all of them anew, or where a very container is asked for, all but the containers."""
        try:
            return capture(dict(self._places), frozenset(self._numbers))
        except CaptureError as error:
            whole = {place: guard for place, guard in self._places.items() if is_nested(guard.expected)}
            if error.code != "E431" or not whole:
                raise
        rest = {place: guard for place, guard in self._places.items() if place not in whole}
        captured = capture(rest, frozenset(self._numbers))
        self._places, self._settled = rest, {**whole, **self._settled}
        return captured


def _moved(captured: Iterable[Captured], array_of: ArrayOf) -> dict[Key, Guard]:
    """Find the places of what was replaced since programs that keep state were captured."""
    guards: dict[Key, Guard] = {}
    for one in captured:
        if not one.effects and not one.transaction.feeds:
            continue
        for guard in (*one.guards, *one.seen):
            if type(guard.place) is Content:
                for key, then, now in differences(guard.place.owner, guard.expected):
                    if _alike(then := rebuilt(then), now, array_of):
                        place = Item(guard.place.owner, key)
                        guards[place.key] = Guard.on(place, then, guard.loc)
            elif type(guard.place) is Items:
                for index, then in zip(guard.place.indices, guard.expected.parts, strict=True):
                    place = Item(guard.place.owner, index)
                    now = place.read()
                    if not same(now, then) and _alike(then, now, array_of):
                        guards[place.key] = Guard.on(place, then, guard.loc)
            elif not guard.holds() and _alike(guard.expected, guard.now(), array_of):
                guards[guard.place.key] = guard
    return guards


def _alike(then: Any, now: Any, array_of: ArrayOf) -> bool:
    """Tell whether one may stand for the other in a program."""
    if (one := array_of(then)) is not None:
        other = array_of(now)
        return other is not None and other.type == one.type and other.device == one.device
    if (before := parts_of(then, array_of)) is not None:
        after = parts_of(now, array_of)
        if after is None or after[1] != before[1]:
            return False
        return all(same(y, x) or _alike(x, y, array_of) for x, y in zip(before[0], after[0], strict=True))
    return type(then) in (int, float) and type(now) is type(then)
