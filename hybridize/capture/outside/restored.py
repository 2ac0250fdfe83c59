# SPDX-License-Identifier: Apache-2.0
"""Writes that a program takes back itself: what is set for the time of a call, and is put back at its end.

The effects of a call happen one after the other when its arrays are computed, so nobody sees what a place holds between
two writes to it. Where the last one leaves there what was there before the call, no call has to write at all.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from hybridize.base.frozen import frozen
from hybridize.base.locations import SourceLoc
from hybridize.contract.captured import SideEffect, target_of
from hybridize.contract.places import Attribute, Closure, Global, Item, Key, Place
from hybridize.contract.snapshots import MISSING, own, same

_KINDS = (Attribute, Global, Closure)
"""Places that nothing else is another way to, besides the dict that a name is in."""


@frozen
class FirstWrite:
    """A place before the first write of a program to it."""

    place: Place
    value: Any
    """The value there; MISSING for nothing, as where an attribute is that of the class."""
    loc: SourceLoc | None
    """The line of the write."""


def restored(
    effects: Sequence[SideEffect], writes: Mapping[Key, FirstWrite], changed: Collection[int]
) -> list[FirstWrite]:
    """List the places to which effects write, and where they leave what was there.

    Args:
        effects: of a call, in their order.
        writes: the places before it.
        changed: identities of containers that are changed otherwise than by a write to one place.
    """
    targets = [target_of(effect) for effect in effects]
    numbers: dict[Key, list[int]] = {}
    for number, target in enumerate(targets):
        if target is not None:
            numbers.setdefault(target.key, []).append(number)
    result = []
    for key, where in numbers.items():
        before = writes.get(key)
        if before is None or type(before.place) not in _KINDS or isinstance(before.place.owner, type):
            continue
        if None in targets[where[0] : where[-1]]:
            continue  # a function of the user's may look at the place
        values = [effects[number].arguments[0] for number in where]
        if not same(values[-1], before.value) or (before.value is not MISSING and MISSING in map(_marked, values)):
            continue  # what is deleted and set again stands behind the others
        place = before.place
        if isinstance(place, (Attribute, Global)):
            table = place.owner if isinstance(place, Global) else own(place.owner)
            if id(table) in changed or Item(table, place.name).key in numbers:
                continue
        result.append(before)
    return result


def _marked(value: Any) -> Any:
    """Give MISSING for itself and None for all else, as values of programs are not to be compared."""
    return MISSING if value is MISSING else None
