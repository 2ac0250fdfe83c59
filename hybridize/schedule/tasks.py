# SPDX-License-Identifier: Apache-2.0
"""Groups of steps that run beside each other (*fork-join*): branches of a program, each on a thread of its own.

Steps that threads share one after the other (`parallel`) are best where each is large. Small ones are not worth it, or
cannot be cut; but those of two branches do not wait for each other. A *group* is a run of consecutive steps. Those that
depend on each other, directly or through others of the group, are one *task*, in the order of the program; a task of
one step that can be cut may be several, each a part of its turns. Threads take whole tasks. What runs is decided by
estimated times: a group is made where its longest thread ends before its steps would, one after the other.

Whatever a step of a group reads or writes is kept for the whole group, so that tasks never meet in memory. Steps with
an effect (an assertion, printing) are in no group, and so happen in the order of the program; bands are in none either.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence

from hybridize.base.dims import hint
from hybridize.base.frozen import frozen
from hybridize.schedule import thresholds
from hybridize.schedule.memory import ScratchBlock, keep_through, rounded
from hybridize.schedule.parallel import Split, estimated_us, shared_us


@frozen
class UnitWork:
    """The work of a unit, and into how many parts it can be cut."""

    nbytes: int
    flops: int
    most: int
    """Parts of it that different tasks may be."""
    alone_us: float
    """Estimated time on one thread."""
    shared_us: float
    """Estimated time of the step by itself, shared by threads if it can be."""


@frozen
class TaskPart:
    """The turns of a step from `index / count` of them on."""

    step: int
    index: int = 0
    count: int = 1

    def __str__(self) -> str:
        return f"{self.step}" if self.count == 1 else f"{self.step} ({self.index + 1} of {self.count})"


Task = tuple[TaskPart, ...]
"""Steps that one thread runs, one after the other."""


@frozen
class TaskGroup:
    """Tasks that threads take, in this order the caller, from the end the others."""

    first: int
    last: int
    """The steps of all of them, or units while these are not yet steps."""
    tasks: tuple[Task, ...]
    us: float
    """Estimated time until all are done."""
    split: Split | None = None
    """The threads, and all of the work."""

    def of_steps(self, steps: Mapping[int, Sequence[int]], split: Split) -> TaskGroup:
        """The same of steps: those of each unit, the last of which is what is cut."""
        tasks = tuple(tuple(_of_steps(task, steps)) for task in self.tasks)
        return TaskGroup(steps[self.first][0], steps[self.last][-1], tasks, self.us, split)

    def __str__(self) -> str:
        tasks = " | ".join(", ".join(map(str, task)) for task in self.tasks)
        slots = "" if self.split is None else f" on {self.split.text([len(self.tasks)])}"
        return f"steps {self.first} to {self.last} beside each other{slots}: {tasks}"


def _of_steps(task: Task, steps: Mapping[int, Sequence[int]]) -> Iterator[TaskPart]:
    for part in task:
        *before, main = steps[part.step]
        if not part.index:
            yield from map(TaskPart, before)
        yield TaskPart(main, part.index, part.count)


class TaskFinder:
    """Finds the groups of one program: told of its units as they are made, in order."""

    def __init__(self, threads: int) -> None:
        self._threads = threads
        self._works: dict[int, UnitWork] = {}
        self._before: dict[int, set[int]] = {}
        self._readers: dict[Hashable, set[int]] = {}
        self._writers: dict[Hashable, set[int]] = {}

    def meets(self, memory: Hashable, unit: int, *, writes: bool) -> None:
        """Tell that a unit reads or writes some of a memory. All that do are told of before the first is made."""
        (self._writers if writes else self._readers).setdefault(memory, set()).add(unit)

    def order(self) -> None:
        """Have units that read a memory come after all before them that write some of it."""
        for memory, readers in self._readers.items():
            for writer in self._writers.get(memory, ()):
                for reader in readers:
                    if writer < reader:
                        self.depends(reader, writer)

    def after_readers(self, memory: Hashable, number: int) -> None:
        """Have a unit that writes something else into a memory come after all that read it."""
        for reader in self._readers.get(memory, ()):
            self.depends(number, reader)

    def after_first(self, memory: Hashable, number: int) -> None:
        """Have all that meet in a memory come after a unit that stores zeros around it."""
        for units in (self._readers, self._writers):
            for unit in units.get(memory, ()):
                self.depends(unit, number)

    def tell(self, number: int, nbytes: int, flops: int, loops: Sequence[int] = (1,), *, whole: bool = False) -> None:
        """Tell of a unit that may be in a group; without it, the unit is in none.

        Args:
            number: its place in the order.
            nbytes: what it reads and writes.
            flops: its operations.
            loops: turns of each of its loops that threads share when it runs by itself; 1 where they do not.
            whole: whether it has steps before or after its loop, which a part would have to wait for.
        """
        alone = estimated_us(nbytes, flops)
        shared = sum(shared_us(alone / len(loops), turns, self._threads) for turns in loops)
        self._works[number] = UnitWork(nbytes, flops, 1 if whole or len(loops) > 1 else loops[0], alone, shared)

    def depends(self, number: int, before: int) -> None:
        """Tell that a unit must come after another."""
        if before != number:
            self._before.setdefault(max(number, before), set()).add(min(number, before))

    def exclude(self, number: int) -> None:
        """Tell that a unit is in no group after all."""
        self._works.pop(number, None)

    def find(self, count: int) -> list[TaskGroup]:
        """The groups that pay, of the units from 0 on: the least time of all by dynamic programming."""
        times = [0.0] + [math.inf] * count
        chosen: list[TaskGroup | None] = [None] * (count + 1)
        for end in range(count):
            work = self._works.get(end)
            alone = times[end] + (0.0 if work is None else work.shared_us)
            if alone <= times[end + 1]:
                times[end + 1], chosen[end + 1] = alone, None
            for group in self._from(end, count):
                after = times[end] + group.us
                if after < times[group.last + 1]:
                    times[group.last + 1], chosen[group.last + 1] = after, group
        return self._walked(chosen, times)

    def _walked(self, chosen: Sequence[TaskGroup | None], times: Sequence[float]) -> list[TaskGroup]:
        """The groups on the way back from the end."""
        groups: list[TaskGroup] = []
        at = len(times) - 1
        while at:
            group = chosen[at]
            if group is not None:
                groups.append(group)
            at = at - 1 if group is None else group.first
        return groups[::-1]

    def _from(self, first: int, count: int) -> Iterator[TaskGroup]:
        """The groups that begin with a unit and pay."""
        chain_of: dict[int, int] = {}  # the first unit of the chain that each unit is in
        works, before = self._works, self._before
        apart = total = 0.0
        count_of_chains = 0
        for unit in range(first, min(first + thresholds.TASK_UNITS, count)):
            work = works.get(unit)
            if work is None:
                return
            joined = {chain_of[other] for other in before.get(unit, ()) if other >= first}
            own = chain_of[unit] = min(joined) if joined else unit
            if len(joined) > 1:
                chain_of = {one: own if chain in joined else chain for one, chain in chain_of.items()}
            count_of_chains += 1 - len(joined)
            apart += work.shared_us
            total += work.alone_us
            most = thresholds.TASK_GAIN * apart
            if count_of_chains < 2 or total / self._threads + thresholds.LOOP_US >= most:
                continue
            chains: dict[int, list[int]] = {}
            for one, chain in chain_of.items():
                chains.setdefault(chain, []).append(one)
            # A chain of several units is on one thread, whatever the others do.
            several = (sum([works[one].alone_us for one in chain]) for chain in chains.values() if len(chain) > 1)
            if max(several, default=0.0) + thresholds.LOOP_US >= most:
                continue
            division, us = self._balanced(list(chains.values()))
            if us < most:
                yield TaskGroup(first, unit, division, us)

    def _balanced(self, chains: Sequence[Sequence[int]]) -> tuple[tuple[Task, ...], float]:
        """The tasks of some chains of units, and the time until the last is done; the longest units are cut where that
        helps.
        """
        counts = dict.fromkeys((chain[0] for chain in chains if len(chain) == 1), 1)
        lanes = self._lanes(chains, counts)
        for unit in sorted(counts, key=lambda unit: (-self._works[unit].alone_us, unit)):
            most = min(self._threads, self._works[unit].most)
            if most < 2:
                continue
            other = self._lanes(chains, {**counts, unit: most})
            if max(time for time, _ in other) < max(time for time, _ in lanes):
                counts[unit], lanes = most, other
        first, *others = (tasks for _, tasks in lanes)
        # Workers take from the end: the long tasks of theirs stand there.
        rest = sorted((one for tasks in others for one in tasks), key=lambda one: one[0])
        return tuple(task for _, task in (*first, *rest)), max(time for time, _ in lanes) + thresholds.LOOP_US

    def _lanes(
        self, chains: Sequence[Sequence[int]], counts: Mapping[int, int]
    ) -> list[tuple[float, list[tuple[float, Task]]]]:
        """Tasks for each thread, the longest first to whoever is free first."""
        tasks: list[tuple[float, Task]] = []
        for chain in chains:
            count = counts.get(chain[0], 1) if len(chain) == 1 else 1
            us = sum(self._works[unit].alone_us for unit in chain) / count
            tasks += [(us, tuple(TaskPart(unit, index, count) for unit in chain)) for index in range(count)]
        lanes: list[tuple[float, list[tuple[float, Task]]]] = [(0.0, []) for _ in range(self._threads)]
        for us, task in sorted(tasks, key=lambda one: -one[0]):
            at = min(range(self._threads), key=lambda lane: lanes[lane][0])
            lanes[at] = lanes[at][0] + us, [*lanes[at][1], (us, task)]
        return lanes

    def work_of(self, group: TaskGroup) -> tuple[int, int]:
        """Bytes and operations of a group."""
        works = [self._works[unit] for unit in range(group.first, group.last + 1)]
        return sum(work.nbytes for work in works), sum(work.flops for work in works)


def keep_apart(group: TaskGroup, blocks: Iterable[ScratchBlock], alive: int) -> bool:
    """Keep all memory of a group's units as long as the group lasts; False, and nothing, where that takes too much of
    it. `alive` are the bytes that the program needs without.
    """
    within = [block for block in blocks if block.first <= group.last and block.last >= group.first]
    more = max(alive // thresholds.TASK_MEMORY_SHARE, thresholds.TASK_BYTES)
    if sum(hint(rounded(block.nbytes)) for block in within) > alive + more:
        return False
    keep_through(within, group.first, group.last)
    return True
