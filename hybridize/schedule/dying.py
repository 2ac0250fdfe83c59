# SPDX-License-Identifier: Apache-2.0
"""Move steps that wait for no one but hold a value alive: what they make of it is less than half as large.

The number of the largest element of each window, say, of which a gradient asks: found when the gradient is, it keeps
the images that the pooling has read through all of the steps between; found behind the pooling, a number for each
window is kept. And what is made of nothing, such as the zeros that a gradient is scattered to, is made when it is read
first. Steps only change places, so bits stay as they are.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet

from hybridize.base.dims import hint
from hybridize.graph import Value
from hybridize.schedule import thresholds
from hybridize.schedule.grouping import FusionGroup, Grouping, NodeStep, Unit


def earlier(
    order: Sequence[Unit],
    after: Mapping[Unit, AbstractSet[Unit]],
    grouping: Grouping,
    ends: Mapping[FusionGroup, NodeStep],
) -> list[Unit]:
    """The units in an order in which those come early whose coming lets a larger value die.

    Args:
        order: the units, each after what it needs.
        after: the units that must come after each.
        grouping: who stores and reads which value.
        ends: the step that each epilogue is the end of.
    """

    def unit_of(unit: Unit) -> Unit:
        return ends.get(unit, unit) if isinstance(unit, FusionGroup) else unit

    place = {unit: number for number, unit in enumerate(order)}
    needs: dict[Unit, list[Unit]] = {unit: [] for unit in order}
    for unit, later in after.items():
        for other in later:
            needs[other].append(unit)
    stored: dict[Unit, int] = dict.fromkeys(order, 0)
    users: dict[Value, set[Unit]] = {}
    root = grouping.places.root
    outside = {root(value) for value in grouping.output_slots}
    for value, owner in grouping.owner.items():
        if root(value) is value:
            stored[unit_of(owner)] += hint(value.type.nbytes)
        users.setdefault(root(value), set()).add(unit_of(owner))
        users[root(value)].update(unit_of(reader) for reader in grouping.readers.get(value, ()))
    dying: dict[Unit, list[Value]] = {unit: [] for unit in order}
    for value, units in users.items():
        if value in grouping.owner and value not in outside and hint(value.type.nbytes) >= thresholds.DYING_BYTES:
            dying[max(units, key=place.__getitem__)].append(value)
    moved: dict[Unit, int] = {}
    for unit in order:
        freed = [value for value in dying[unit] if unit_of(grouping.owner[value]) is not unit]
        if sum(hint(value.type.nbytes) for value in freed) < max(thresholds.DYING_TIMES * stored[unit], 1):
            continue
        others = {other for value in freed for other in users[value]} | set(needs[unit])
        others.discard(unit)
        first = max((moved.get(other, place[other]) for other in others), default=place[unit])
        if first < place[unit] - 1:
            moved[unit] = first
    if not moved:
        return list(order)
    return sorted(order, key=lambda unit: (moved.get(unit, place[unit]), unit in moved, place[unit]))


def when_read(order: Sequence[Unit], after: Mapping[Unit, AbstractSet[Unit]], grouping: Grouping) -> list[Unit]:
    """The units in an order in which those that read nothing come right before the first that must come after them.

    Args:
        order: the units, each after what it needs.
        after: the units that must come after each.
        grouping: who stores and reads which value.
    """
    waiting = {unit for units in after.values() for unit in units}
    waiting.update(unit for units in grouping.readers.values() for unit in units)
    before: dict[Unit, list[Unit]] = {}
    place = {unit: number for number, unit in enumerate(order)}
    for unit in order:
        if isinstance(unit, FusionGroup) and unit not in waiting and after[unit]:
            stored = sum(hint(value.type.nbytes) for value in unit.materialised)
            if stored >= thresholds.DYING_BYTES:
                before.setdefault(min(after[unit], key=place.__getitem__), []).append(unit)
    moved = {unit for units in before.values() for unit in units}
    return [one for unit in order if unit not in moved for one in (*before.get(unit, ()), unit)]
