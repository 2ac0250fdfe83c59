# SPDX-License-Identifier: Apache-2.0
"""Work between two questions of a program that data decides: graphs for what comes again, as each turn of a loop does.

A *stretch* is steps, one after the other, of which none asks; with its addresses, it is the same work each time. So the
host asks for all launches of a turn at once, where it would ask for each.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

from hybridize.base.frozen import frozen
from hybridize.runtime.device_steps import (
    Asking,
    Bases,
    DeviceLaunch,
    perform,
    recorded,
    work_of,
    work_of_step,
    work_size,
)
from hybridize.runtime.devices import Accelerator, DeviceGraph
from hybridize.runtime.plan import PlanStep

KEPT: Final = 64
"""Stretches that have graphs: a few loops within each other, each with its state in two places in turn."""
SEEN: Final = 256
"""Stretches that are remembered: the second time that one comes, it gets graphs."""
FEWEST: Final = 2
"""Launches of a stretch that has graphs, at least."""


@frozen(eq=False)
class _Part:
    """Steps that follow each other: of known work, or one that asks."""

    steps: Sequence[PlanStep]
    size: int | None
    """Launches and copies, at most; None for a step that asks."""


class Stretches:
    """The stretches of programs on one device.

    Args:
        device: where they run.
        launch: asks for a launch.
        most: launches of a graph.
        most_recorded: launches of a stretch that has graphs, at most.
        name: of the program, for errors.
    """

    def __init__(
        self, device: Accelerator, launch: Callable[[DeviceLaunch], None], most: int, most_recorded: int, name: str
    ) -> None:
        self._device, self._launch, self._name = device, launch, name
        self._most, self._most_recorded = most, most_recorded
        self._parts: dict[int, tuple[Sequence[PlanStep], list[_Part]]] = {}
        """Of steps, by their identity: they are here, so that no others have it."""
        self._graphs: OrderedDict[tuple[Any, ...], list[DeviceGraph]] = OrderedDict()
        self._seen: OrderedDict[tuple[Any, ...], None] = OrderedDict()

    def clear(self) -> None:
        """Give back the graphs."""
        self._graphs.clear()
        self._seen.clear()
        self._parts.clear()

    def perform(self, steps: Sequence[PlanStep], bases: Bases) -> None:
        """Have the device do the work of steps."""
        if len(self._parts) > SEEN:  # of calls with sizes of their own
            self.clear()
        perform(self._work(steps, bases), self._device, self._launch)

    def _work(self, steps: Sequence[PlanStep], bases: Bases) -> Asking:
        """Iterate over what the host has to ask in between; stretches are asked for here."""
        for part in self._parts_of(steps):
            if part.size is None:
                yield from work_of_step(part.steps[0], bases, self._work)
            elif part.size:
                self._stretch(part, bases)

    def _parts_of(self, steps: Sequence[PlanStep]) -> list[_Part]:
        known = self._parts.get(id(steps))
        if known is None:
            known = self._parts[id(steps)] = (steps, [*_cut(steps)])
        return known[1]

    def _stretch(self, part: _Part, bases: Bases) -> None:
        key = (part, *bases.values())
        graphs = self._graphs.get(key)
        if graphs is None and self._comes_again(part, key):
            spare = self._graphs.popitem(last=False)[1] if len(self._graphs) >= KEPT else ()
            work = work_of(part.steps, bases)
            graphs = self._graphs[key] = recorded(work, self._device, self._launch, self._most, spare, self._name)
        if graphs is None:
            perform(work_of(part.steps, bases), self._device, self._launch)
            return
        self._graphs.move_to_end(key)
        for graph in graphs:
            graph.launch()

    def _comes_again(self, part: _Part, key: tuple[Any, ...]) -> bool:
        assert part.size is not None
        if not FEWEST <= part.size <= self._most_recorded:
            return False
        if key in self._seen:
            return True
        self._seen[key] = None
        while len(self._seen) > SEEN:
            self._seen.popitem(last=False)
        return False


def _cut(steps: Sequence[PlanStep]) -> Iterator[_Part]:
    """The parts of steps, in order."""
    first, size = 0, 0
    for number, step in enumerate(steps):
        own = work_size([step])
        if own is not None:
            size += own
            continue
        yield _Part(steps[first:number], size)
        yield _Part([step], None)
        first, size = number + 1, 0
    yield _Part(steps[first:], size)
