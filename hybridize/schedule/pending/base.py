# SPDX-License-Identifier: Apache-2.0
"""A step that waits for the places of memory, and all that was decided of a program before its steps."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence

from hybridize.base.frozen import frozen
from hybridize.base.locations import SourceLoc
from hybridize.graph import Graph, Node, Value
from hybridize.loops.expr import Expr, Load
from hybridize.loops.index import Interner
from hybridize.loops.measure import walk
from hybridize.machine.target import Target
from hybridize.schedule.banding import Bands
from hybridize.schedule.bands import Access, BandMember
from hybridize.schedule.draft import Drafts
from hybridize.schedule.grouping import Grouping, Unit
from hybridize.schedule.homes import Home
from hybridize.schedule.lower import Lowerings
from hybridize.schedule.reach import Reaches
from hybridize.schedule.rolling import RollingMember
from hybridize.schedule.sharing import Sharing
from hybridize.schedule.slots import Slots
from hybridize.schedule.steps import KnownSource, Provenance, Schedule, ScheduleStep
from hybridize.schedule.storage import ProgramMemory
from hybridize.schedule.tasks import TaskFinder
from hybridize.schedule.updates import Updates


@frozen(eq=False)
class Surroundings:
    """The machine that a graph is scheduled for, what it is within, and whether constants may be derived."""

    target: Target
    slots: int
    derives: bool = True
    depth: int = 0
    """The number of loops and branches that the graph is within."""
    turns: int = 1
    """Of the loops that it is in, all together, as far as that is known."""

    @property
    def within(self) -> bool:
        """True for a body of control flow, which may never run."""
        return self.depth > 0


Scheduled = Callable[[Graph, Surroundings, Mapping[int, KnownSource], Updates], Schedule]
"""Schedules a graph, of a body of control flow too."""


@frozen(eq=False)
class Scheduling:
    """One program while it is scheduled: its groups and their order, the machine, and where things are added up."""

    graph: Graph
    setting: Surroundings
    updates: Updates
    lowerings: Lowerings
    layouts: Mapping[Value, Home]
    """The homes of values that do not lie in the order of their axes."""
    grouping: Grouping
    drafts: Drafts
    reaches: Reaches
    order: Sequence[Unit]
    known: Mapping[Value, KnownSource]
    """The constants and stable inputs that constants may be derived of."""
    joined: Mapping[Node, Sequence[Node]]
    """The nodes that a node stands for, where these are several."""
    slots: Slots
    storage: ProgramMemory
    sharing: Sharing
    tasks: TaskFinder
    bands: Bands
    scheduled: Scheduled

    @property
    def target(self) -> Target:
        """The processor."""
        return self.setting.target

    @property
    def threads(self) -> int:
        """Threads that may share the program."""
        return self.setting.slots

    @property
    def interner(self) -> Interner:
        """Makes equal expressions the same."""
        return self.lowerings.interner

    def provenance(self, nodes: Iterable[Node]) -> Provenance:
        """The origin of a step that computes nodes, joined ones as the program says them."""
        origins = [one for node in nodes for one in self.joined.get(node, (node,))]
        places = {id(one.loc): one.loc for one in origins if one.loc is not None}
        return Provenance(
            tuple([one.op.name for one in origins]), tuple(dict.fromkeys(map(self._line, places.values())))
        )

    def _line(self, loc: SourceLoc) -> str:
        """A line of the user's as text; one of the program's nodes has it."""
        return self.lowerings.results.of((str, id(loc)), lambda: str(loc))

    def access(self, value: Value, index: Expr, *, written: bool) -> Access:
        """A place in the memory of a value that a step reads or writes."""
        root = self.grouping.places.root(value)
        elements = self.grouping.places.own(root).elements
        return Access(self.storage.of(value), elements, value.type.dtype.itemsize, index, written)

    def source(self, value: Value) -> tuple[KnownSource | None, int]:
        """The constant or stable input that holds `value`, if one does, and the value's first element there."""
        places = self.grouping.places
        return self.known.get(places.root(value)), places.home(value).offset

    def loads(self, numbers: Mapping[int, Value], *roots: Expr) -> Iterable[Access]:
        """The accesses of expressions, whose loads name values by these numbers."""
        for node in walk(*roots):
            if isinstance(node, Load) and node.operand in numbers:
                yield self.access(numbers[node.operand], node.indices[0], written=False)


StepOperations = tuple[ScheduleStep, int]
"""A step and its operations."""


class PendingSteps(ABC):
    """A unit of the program as steps that wait for the places of memory: what each reads, needs and may be split in."""

    def member(self, program: Scheduling) -> BandMember | RollingMember | None:
        """It as a member of a band, of rows or of lines; None where it is in none."""
        return None

    @abstractmethod
    def steps(self, program: Scheduling) -> list[StepOperations]:
        """The steps, memory and bands having their places."""
