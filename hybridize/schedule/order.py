# SPDX-License-Identifier: Apache-2.0
"""The order of a program's units: each after what it needs, otherwise as the program has them."""

from __future__ import annotations

import heapq
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet

from hybridize.base.errors import CodegenError
from hybridize.base.frozen import frozen
from hybridize.graph import Graph, Value
from hybridize.machine.target import Target
from hybridize.schedule import regions
from hybridize.schedule.banding import gathered
from hybridize.schedule.dying import earlier, when_read
from hybridize.schedule.grouping import FusionGroup, Grouping, NodeStep, Unit
from hybridize.schedule.tasks import TaskFinder
from hybridize.schedule.updates import Updates, asserted_first, readers_first


@frozen(eq=False)
class Order:
    """The units in order."""

    units: tuple[Unit, ...]
    after: Mapping[Unit, AbstractSet[Unit]]
    """The units that must come after each."""
    numbers: Mapping[Unit, int]
    """The place of each unit in the order; an epilogue's is that of what it ends."""


def order_of(
    grouping: Grouping, graph: Graph, updates: Updates, target: Target, threads: int, *, is_within: bool
) -> Order:
    """Order the units of a grouping; `is_within` for a body of control flow, which writes over nothing of others."""
    units: list[Unit] = [*grouping.steps, *(g for g in grouping.groups if g.contraction is None)]
    within = {step.epilogue: step for step in grouping.steps if step.epilogue is not None}
    after = _dependencies(grouping, units, within)
    if not is_within:
        asserted_first(grouping, graph, updates, after)
    readers_first(graph, grouping, updates, after)
    order = _sorted(units, after)
    order = when_read(earlier(order, after, grouping, within), after, grouping)
    order = gathered(order, after, grouping, target)
    order = regions.scans_beside(order, after, grouping, threads)
    return Order(tuple(order), after, _numbers(order))


def _dependencies(
    grouping: Grouping, units: Sequence[Unit], within: Mapping[FusionGroup, NodeStep]
) -> dict[Unit, set[Unit]]:
    """For each unit those that read what it stores, or that it must come before for another reason."""

    def unit_of(unit: Unit) -> Unit:
        return within.get(unit, unit) if isinstance(unit, FusionGroup) else unit

    after: dict[Unit, set[Unit]] = {unit: set() for unit in units}
    for value, owner in grouping.owner.items():
        for reader in grouping.readers.get(value, ()):
            after[unit_of(owner)].add(unit_of(reader))
    for step in grouping.steps:
        if step.following is not None:
            after[step].add(step.following)
    for unit, later in after.items():
        later.discard(unit)
    return after


def _sorted(units: Sequence[Unit], after: Mapping[Unit, AbstractSet[Unit]]) -> list[Unit]:
    """Sort units so that each comes after what it waits for; of those that may come next, the program's first one."""
    waits: dict[Unit, int] = dict.fromkeys(units, 0)
    for later in after.values():
        for reader in later:
            waits[reader] += 1
    number = {unit: i for i, unit in enumerate(units)}
    ready = [(unit.last, number[unit]) for unit in units if not waits[unit]]
    heapq.heapify(ready)
    order: list[Unit] = []
    while ready:
        unit = units[heapq.heappop(ready)[1]]
        order.append(unit)
        for reader in after[unit]:
            waits[reader] -= 1
            if not waits[reader]:
                heapq.heappush(ready, (reader.last, number[reader]))
    if len(order) != len(units):
        raise CodegenError("E952", "the schedule has a cycle")
    return order


def _numbers(order: Sequence[Unit]) -> dict[Unit, int]:
    index: dict[Unit, int] = {}
    for i, unit in enumerate(order):
        index[unit] = i
        if isinstance(unit, NodeStep) and unit.epilogue is not None:
            index[unit.epilogue] = i
    return index


def find_dependencies(order: Order, grouping: Grouping, tasks: TaskFinder) -> None:
    """Tell which units must come after each other, those among them that meet in the memory of a value."""
    number = order.numbers
    for unit, later in order.after.items():
        for other in later:
            tasks.depends(number[other], number[unit])
    root = grouping.places.root
    for value, unit in grouping.owner.items():
        tasks.meets(root(value), number[unit], writes=True)
    for value, units in grouping.readers.items():
        for unit in units:
            tasks.meets(root(value), number[unit], writes=False)
    tasks.order()


def last_readers(order: Order, grouping: Grouping) -> dict[Value, int]:
    """The last unit that reads each stored value."""
    last: dict[Value, int] = {}
    for value, units in grouping.readers.items():
        root = grouping.places.root(value)
        last[root] = max(last.get(root, -1), *(order.numbers[unit] for unit in units), -1)
    return last
