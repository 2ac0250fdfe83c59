# SPDX-License-Identifier: Apache-2.0
"""From a graph to a schedule: group, order, place in memory, finish each step."""

from __future__ import annotations

import dataclasses
import functools
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, TypeGuard

import numpy

from hybridize.base.dims import hint, is_symbolic, maximum, product, same
from hybridize.base.frozen import changed, frozen
from hybridize.base.types import TensorType
from hybridize.graph import Graph, Node, Value
from hybridize.graph.constants import LITERAL_ELEMENTS, one_number
from hybridize.graph.ir import Array
from hybridize.loops.expr import Const, Expr, Load, Region, Routine
from hybridize.loops.index import Interner, Space
from hybridize.loops.kernel import Kernel, Param, Statement
from hybridize.loops.measure import bytes_moved, kernel_bytes, walk
from hybridize.machine.arithmetic import Arithmetic
from hybridize.machine.target import Target
from hybridize.ops import Effect, effect_of
from hybridize.runtime.plan import Buffer, Plan, PlanAddress, PlanStep, Size, plain
from hybridize.schedule import regions
from hybridize.schedule.banding import Bands
from hybridize.schedule.bands import Access, BandMember, suits_band
from hybridize.schedule.contraction import (
    Product,
    ProductPlan,
    make_packing,
    make_plan,
    packing_kernel,
    packing_pays,
    winograd,
)
from hybridize.schedule.contraction.arrangement import Arrangement, OperandReading, reading
from hybridize.schedule.contraction.copies import border, into_home, leaves_as_it_is
from hybridize.schedule.contraction.copies import packed as panels_of_taps
from hybridize.schedule.contraction.ending import ending_of, is_along, is_read, plain_ending
from hybridize.schedule.contraction.lanes import LanePlan
from hybridize.schedule.contraction.matrices import MatrixLayout, MatrixProduct, memory_order, where_they_lie
from hybridize.schedule.contraction.product import Strides
from hybridize.schedule.contraction.taps import TapPlan, shared_by
from hybridize.schedule.derived import derived, packed, part, steps_of
from hybridize.schedule.draft import Draft, Drafts
from hybridize.schedule.epilogue import epilogue_of, following
from hybridize.schedule.finish import Numbering, finish, finish_rows, suits_rows
from hybridize.schedule.flattening import flattened
from hybridize.schedule.grouping import FusionGroup, Grouping, NodeStep
from hybridize.schedule.hoisting import hoisted, stable_nodes
from hybridize.schedule.homes import Home, in_order, is_contiguous, ordered
from hybridize.schedule.joining import joined
from hybridize.schedule.layouts import assign as layouts_of
from hybridize.schedule.lower import Lowerings
from hybridize.schedule.memory import ALIGN, ScratchBlock, assign, most_alive
from hybridize.schedule.merging import merged
from hybridize.schedule.nests import Nests
from hybridize.schedule.order import find_dependencies, last_readers, order_of
from hybridize.schedule.parallel import Split, shared_loops
from hybridize.schedule.reach import Reaches
from hybridize.schedule.rolling import RollingBands, RollingMember
from hybridize.schedule.routines import WRITE_OVER, scratch_of
from hybridize.schedule.sharing import Sharing
from hybridize.schedule.slots import Slots, type_of
from hybridize.schedule.steps import (
    NOWHERE,
    Address,
    Band,
    BandPart,
    Constant,
    Derived,
    DerivedPart,
    Epilogue,
    Fixed,
    KnownSource,
    LoopStep,
    ProductStep,
    Provenance,
    RegionStep,
    RollingBand,
    RollingPart,
    RoutineStep,
    Schedule,
    ScheduleStep,
    SharedStep,
    SideStore,
    Stable,
    TapStep,
    ThreadPoolHandle,
    loop_step,
    statements_of,
)
from hybridize.schedule.storage import Storage, address_of
from hybridize.schedule.tasks import TaskFinder, TaskGroup, keep_apart
from hybridize.schedule.together import LoopedStatement
from hybridize.schedule.updates import (
    Updates,
    admissible,
    equal_pairs,
    proven_updates,
)


def literal(array: Array, interner: Interner) -> Const | None:
    """The number that all elements of a constant are, where they are one."""
    value = one_number(array, LITERAL_ELEMENTS)
    if value is None:
        return None
    kind = array.dtype.kind
    return interner.const(array.dtype, bool(value) if kind == "b" else int(value) if kind in "iu" else float(value))


def schedule(
    graph: Graph,
    target: Target,
    slots: int = 1,
    known: Mapping[int, KnownSource] | None = None,
    updates: Updates | None = None,
) -> Schedule:
    """Decide what is computed where, how and in which order, and where it is kept.

    `graph` is optimised: its composites are inlined. Up to `slots` threads share steps that are worth it. Constants
    follow the inputs in the array of pointers, derived ones and those of sub-graphs after the graph's own. Inputs whose
    numbers are in `known` are constants of the program around or seldom change; what is computed of them alone is no
    step of a call, and matrices among them are packed beforehand, each where that pays. `updates` says of outputs which
    input they are the new value of: where it can, the plan has them take its place (see `schedule.updates`).
    """
    return _scheduled(graph, _Machine(target, slots), known or {}, updates or {})


@frozen(eq=False)
class _Machine:
    """The machine that a graph is scheduled for, and whether constants may be derived."""

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


def _scheduled(graph: Graph, machine: _Machine, known: Mapping[int, KnownSource], updates: Updates) -> Schedule:
    """`schedule`, of a body too."""
    lowerings = Lowerings(Interner(), machine.target)
    if not machine.derives:
        return _Scheduler(graph, machine, lowerings, {}, {}, updates).result()
    sources: dict[Value, KnownSource] = {graph.inputs[k]: source for k, source in known.items()}
    sources |= graph.constants
    stable = stable_nodes(graph, sources, machine.within)
    whole = joined(graph, lambda value: value in sources or value in stable, machine.target)

    def is_stable(value: Value) -> bool:
        return value in sources or value in stable or value in whole.constants

    turned = flattened(whole.graph, is_stable, lowerings)
    surely = whole.constants | turned.constants
    rest, derivations = hoisted(
        turned.graph, sources, lowerings, lambda cone: _derived(cone, sources, machine), machine.within, surely
    )
    made_of = {**whole.made_of, **{node: whole.made_of.get(of[0], of) for node, of in turned.made_of.items()}}
    return _Scheduler(rest, machine, lowerings, sources, derivations, updates, made_of).result()


def _derived(cone: Graph, sources: Mapping[Value, KnownSource], machine: _Machine) -> Derived:
    """The only output of a graph whose inputs are known as a constant."""
    once = changed(machine, slots=1, derives=False)
    of = _scheduled(cone, once, {}, {})
    known = [(sources[value], value.type) for value in cone.inputs]
    arrays = [array for array in of.constants if isinstance(array, numpy.ndarray)]
    assert len(arrays) == len(of.constants), "what is derived has plain constants"
    inner = [(array, TensorType(array.shape, array.dtype)) for array in arrays]
    (output,) = cone.outputs
    return derived([*known, *inner], of.steps, of.scratch_bytes, output.type, cone.fingerprint, cone.op_names())


@frozen
class _PackedSecond:
    """The packed second operand of a contraction with windows."""

    place: ScratchBlock | Address
    fill: Kernel | None
    """Packs it in each call; None where it is a constant."""


class _Scheduler:
    def __init__(
        self,
        graph: Graph,
        machine: _Machine,
        lowerings: Lowerings,
        known: Mapping[Value, KnownSource],
        derived: Mapping[Value, Derived],
        updates: Updates,
        joined: Mapping[Node, Sequence[Node]] | None = None,
    ) -> None:
        """`known` are the constants and stable inputs that constants may be derived of, `derived` those of the graph's
        values that are. Nodes that are `joined` stand for several.
        """
        self.joined = joined or {}
        self.machine = machine
        self.threads = machine.slots
        self.graph = graph
        # What a body writes over is memory of the program's own: it need not stop first where it fails.
        self.updates = equal_pairs(graph, updates) if machine.within else admissible(graph, updates)
        self.target = machine.target
        self.interner = lowerings.interner
        self.known: dict[Value, KnownSource] = dict(known)
        self.known |= {value: DerivedPart(one, 0) for value, one in derived.items()}
        literals = {}
        for value, array in graph.constants.items():
            number = literal(array, self.interner)
            if number is not None:
                literals[value] = number
        self.lowerings = lowerings
        self.layouts = layouts_of(graph, self.lowerings)
        last = [] if machine.within else [graph.outputs[output] for output in self.updates]
        self.grouping = Grouping(graph, self.lowerings, literals, last, self.layouts)
        self.drafts = Drafts(self.grouping)
        self.reaches = Reaches(self.drafts)
        self.slots = Slots(graph, derived)
        self.sharing = Sharing(self.threads, machine.turns, self.slots)
        self.tasks = TaskFinder(self.threads)
        order = order_of(self.grouping, graph, self.updates, self.target, self.threads, is_within=machine.within)
        self.order = order.units
        self.storage = Storage(self.grouping, self.slots, last_readers(order, self.grouping))
        if self.threads > 1:
            find_dependencies(order, self.grouping, self.tasks)
        self.bands = Bands(self.target, self.threads)
        self.rolling = RollingBands(self.target, self.threads)

    # Steps

    def _provenance(self, nodes: Iterable[Node]) -> Provenance:
        """The origin of a step that computes nodes, joined ones as the program says them."""
        return _provenance_of(one for node in nodes for one in self.joined.get(node, (node,)))

    def result(self) -> Schedule:
        makers = []
        for number, unit in enumerate(self.order):
            makers.append(self._loops(unit, number) if isinstance(unit, FusionGroup) else self._own(unit, number))
        makers += [self._copy(value, slot) for value, slot in self._copies()]
        outputs = sum(hint(value.type.nbytes) for n, value in enumerate(self.graph.outputs) if n not in self.updates)
        self.bands.settle(len(makers), outputs, self.storage, self.sharing)
        if self.machine.derives:
            self.rolling.settle(self.storage.blocks, self.sharing)
        groups = self._groups(outputs) if self.threads > 1 else []
        loops = self._shared_loops([group for group, _ in groups])
        scratch_bytes = assign(self.storage.blocks)
        self.bands.place(address_of)
        self.rolling.place(address_of)
        entries: list[StepOperations] = []
        places: dict[int, range] = {}
        for numbers in self.bands.together(len(makers), (*self.rolling.spans(), *loops.items())):
            begin = len(entries)
            before = [one for number in numbers for one in (*self._borders(number), *self._packings(number))]
            # What is packed for each member of a batch is beside the steps of its band.
            entries += sorted(before, key=lambda one: isinstance(one[0], LoopStep) and one[0].part is not None)
            own = [one for number in numbers for one in _several(makers[number]())]
            entries += _in_loop(own, numbers[0]) if numbers[0] in loops else own
            places[numbers[0]] = range(begin, len(entries))
        beside = tuple(group.of_steps(places, split) for group, split in groups)
        stopping = not self.machine.within
        steps, updates = proven_updates([step for step, _ in entries], self.updates, self.interner, stopping=stopping)
        steps = merged(steps)
        constants = self.slots.constants()
        plan = Plan(
            tuple(Buffer.of(value.type) for value in self.graph.inputs),
            tuple(Buffer.of(type_of(constant)) for constant in constants),
            tuple(Buffer.of(value.type) for value in self.graph.outputs),
            plain(scratch_bytes),
            _beside(tuple(_described(step, flops) for step, flops in entries), beside),
            teams=tuple(slot for slot, constant in enumerate(constants) if isinstance(constant, ThreadPoolHandle)),
            updates=updates,
            layouts=self._layouts_kept(steps),
            bands=tuple(_bands(step for step, _ in entries)),
            groups=tuple(tuple(tuple(part.step for part in task) for task in group.tasks) for group in beside),
        )
        work = (sum(step.moved for step, _ in entries), sum(flops for _, flops in entries))
        reads = frozenset(self.slots.reads)
        return Schedule(plan, steps, constants, reads, scratch_bytes, work, beside)

    def _shared_loops(self, groups: Sequence[TaskGroup]) -> dict[int, int]:
        """Have scans that follow each other share loops, if that pays; the memory of one lives as long as the other's.
        Returns the first and the last of each loop.

        Those of task groups have a thread each instead.
        """
        grouped = {number for group in groups for number in range(group.first, group.last + 1)}
        first, loops = 0, {}
        while first < len(self.order):
            last = first
            while last + 1 < len(self.order) and all(
                self._may_share_loop(number, last + 1, grouped) for number in range(first, last + 1)
            ):
                last += 1
            if last > first:
                loops[first] = last
                for block in self.storage.blocks:
                    if block.first <= last and block.last >= first:
                        block.first, block.last = min(block.first, first), max(block.last, last)
            first = last + 1
        return loops

    def _may_share_loop(self, number: int, other: int, grouped: Collection[int]) -> bool:
        """Tell whether two units are scans that may share a loop."""
        one, two = self.order[number], self.order[other]
        if number in grouped or other in grouped:
            return False
        if not (regions.is_scan(one, self.grouping) and regions.is_scan(two, self.grouping)):
            return False
        return regions.may_share_loop(self.graph, one.node, two.node)

    def _groups(self, outputs: int) -> list[tuple[TaskGroup, Split]]:
        """The groups of units that run beside each other, their memory kept apart."""
        for first, value in self.storage.bordered:
            self.tasks.after_first(value, first)
        for at in range(len(self.order)):
            if self.bands.of(at) is not None or self.rolling.of(at):
                self.tasks.exclude(at)
        alive = most_alive(self.storage.blocks) + outputs
        groups = []
        for group in self.tasks.find(len(self.order)):
            nbytes, flops = self.tasks.work_of(group)
            if self.sharing.is_worth(nbytes, flops, lambda: True) and keep_apart(group, self.storage.blocks, alive):
                split = self.sharing.split(nbytes, flops, [], lambda: True)
                assert split is not None
                groups.append((group, split))
        return groups

    def _layouts_kept(self, steps: Iterable[ScheduleStep]) -> tuple[tuple[str, int], ...]:
        """Count the stored values that do not lie in the order of their axes, by how they lie; those of bodies, too."""
        counts = Counter(str(home) for value, home in self.layouts.items() if value in self.storage.memory)
        for step in steps:
            for body in step.bodies if isinstance(step, RegionStep) else ():
                counts.update(dict(body.plan.layouts))
        return tuple(sorted(counts.items()))

    def _borders(self, number: int) -> Iterable[StepOperations]:
        """Store zeros around the values that a step stores."""
        for first, value in self.storage.bordered:
            if first == number and not self.rolling.keeps(self.storage.memory.get(value)):
                kernel = border(value.type.shape, self.grouping.places.own(value), value.type.dtype, self.target)
                yield loop_step(Provenance(("border",), ()), kernel, self.storage.around(value)), 0

    def _packings(self, number: int) -> Iterable[StepOperations]:
        """Pack the matrices of a product in a band, all at once or those of each member of the batch."""
        placed, unit = self.bands.of(number), self.order[number] if number < len(self.order) else None
        if placed is None or placed.packed is None or placed.fill is None:
            return
        assert isinstance(unit, NodeStep)
        part, addresses = placed.packing_part(), (address_of(placed.packed), self.storage.first(unit.operands[1]))
        step, flops = self._copying("pack", placed.fill, *addresses)
        if part is not None:
            assert isinstance(step, LoopStep)
            step = changed(step, part=part, nbytes=step.nbytes * part.band.batch)
        yield step, flops

    def _copies(self) -> Iterable[tuple[Value, int]]:
        """Outputs that are an input, a constant, or a value that has its home in another output."""
        for value, slots in self.grouping.output_slots.items():
            if not same(value.type.size, 0):
                for slot in slots[1:] if value in self.storage.memory else slots:
                    yield value, slot

    def _copy(self, value: Value, slot: int) -> Any:
        space = Space(self.interner, {0: value.type.size})
        dtype, size = value.type.dtype, value.type.size
        number = self.grouping.literals.get(value)
        element = number or self.interner.load(dtype, 1, (space.axis(0),))
        params = (Param(dtype, size, True), Param(dtype, size, False))
        statement = LoopedStatement((size,), Statement(0, space.axis(0), element))
        kernel = Kernel(params, (), (Nests(self.target, params, self.interner).nest((), [statement]),))

        def make() -> tuple[ScheduleStep, int]:
            to = Address("output", slot, 0)
            return loop_step(Provenance(("copy",), ()), kernel, to, self.storage.first(value)), 0

        return make

    def _loops(self, group: FusionGroup, number: int) -> Any:
        draft = self.drafts.of(group)
        merged = self._merged(draft, number)
        for value in group.materialised:
            self.storage.keep(value, number)
        numbering, order, rows = self._numbered(draft, merged)
        kernel = finish(draft, numbering, self.target, self.threads)
        lanes = max((nest.lanes for nest in kernel.nests), default=1)
        provenance = self._provenance(node for _, node, _ in reversed(group.members))
        flops = sum(local.cost * value.type.size for value, _, local in group.members)
        nbytes = kernel_bytes(kernel)
        local = [row.nbytes * lanes for row in rows]
        # Where there is only one row, threads share it: the next nest reads what all of them stored in this one.
        own = local if group.rows else [0] * len(local)
        split = self.sharing.split(nbytes, flops, own, lambda: any(shared_loops(kernel)))
        if split is not None:
            split = dataclasses.replace(split, loops=shared_loops(kernel))
        loops = () if split is None else split.loops
        turns = [1 if loop is None else hint(loop.turns) for loop in loops]
        self.tasks.tell(number, nbytes, flops, turns or [1])
        blocks = [self.storage.own_scratch(size, split if group.rows else None, number) for size in local]
        if group.rows or not any(self.interner.facts(statement.value).folds for statement in draft.statements):
            one_by_one = all(nest.lane is None for nest in kernel.nests)
            offered = functools.partial(
                self._loop_member, number, draft, nbytes, flops, tuple(zip(blocks, local, strict=True))
            )
            self.bands.offer(number, hint(nbytes) if one_by_one and kernel.nests else 0, offered)

        def make() -> tuple[ScheduleStep, int]:
            addresses = (*map(self.storage.around, order), *map(address_of, blocks))
            placed = self.bands.of(number)
            if placed is None:
                return loop_step(provenance, kernel, *addresses, nbytes=nbytes, split=split), flops
            rows = finish_rows(draft, placed.axes, numbering, self.target)
            part = placed.part((*map(self.storage.of, order), *blocks))
            return loop_step(provenance, rows, *addresses, nbytes=nbytes, part=part), flops

        return make

    def _access(self, value: Value, index: Expr, *, written: bool) -> Access:
        root = self.grouping.places.root(value)
        elements = self.grouping.places.own(root).elements
        return Access(self.storage.of(value), elements, value.type.dtype.itemsize, index, written)

    def _loads(self, numbers: Mapping[int, Value], *roots: Expr) -> Iterable[Access]:
        """The accesses of expressions, whose loads name values by these numbers."""
        for node in walk(*roots):
            if isinstance(node, Load) and node.operand in numbers:
                yield self._access(numbers[node.operand], node.indices[0], written=False)

    def _loop_member(
        self, number: int, draft: Draft, nbytes: int, flops: int, own: tuple[tuple[ScratchBlock, int], ...]
    ) -> BandMember | None:
        """A kernel as one that may share a band."""
        values = {n: value for n, value in enumerate(draft.buffers) if n not in draft.row_local}
        if any(same(value.type.size, 0) for value in values.values()):
            return None
        accesses = [
            self._access(values[s.buffer], s.index, written=True) for s in draft.statements if s.buffer in values
        ]
        accesses += self._loads(values, *(expr for s in draft.statements for expr in (s.index, s.value)))
        rows = draft.group.rows

        def suits(axes: tuple[int, ...]) -> bool:
            return rows is not None or suits_rows(draft, axes, self.target)

        return BandMember(number, draft.space, tuple(accesses), rows, 1, suits, nbytes, flops, own)

    def _merged(self, draft: Draft, number: int) -> dict[int, int]:
        """Buffers that take over the memory of another one, which dies in this step."""
        for value in draft.group.materialised:
            if value in self.grouping.output_slots or value in self.grouping.places or same(value.type.size, 0):
                continue
            target = draft.buffers.index(value)
            for source in draft.in_place(target):
                other = draft.buffers[source]
                home = self.storage.memory.get(other)
                alike = same(other.type.size, value.type.size) and other.type.dtype == value.type.dtype
                alike = alike and self.grouping.places.own(other) == self.grouping.places.own(value)
                if alike and isinstance(home, ScratchBlock) and self.storage.dies_at(other, number):
                    self.tasks.after_readers(other, number)
                    self.storage.take_over(value, home, number)
                    return {target: source}
        return {}

    def _numbered(self, draft: Draft, merged: dict[int, int]) -> tuple[Numbering, list[Value], list[TensorType]]:
        """Params in the order of the draft's buffers, merged ones once; rows after them."""
        written = {statement.buffer for statement in draft.statements}
        used = written | draft.read_buffers()
        params: list[Param] = []
        order: list[Value] = []
        buffers: dict[int, int] = {}
        back = {source: target for target, source in merged.items()}
        for number, value in enumerate(draft.buffers):
            if number in draft.row_local or number in merged or number not in used:
                continue
            buffers[number] = len(params)
            order.append(value)
            params.append(Param(value.type.dtype, draft.elements(number), number in written or number in back))
        for target, source in merged.items():
            buffers[target] = buffers[source]
        locals_: list[Param] = []
        rows: list[TensorType] = []
        for number in sorted(draft.row_local):
            length = 1
            statement = next(s for s in draft.statements if s.buffer == number)
            for axis in statement.inner:
                length *= draft.space.ranges[axis]
            dtype = draft.buffers[number].type.dtype
            buffers[number] = len(params) + len(locals_)
            locals_.append(Param(dtype, length, True))
            rows.append(TensorType((length,), dtype))
        return Numbering(tuple(params), tuple(locals_), buffers), order, rows

    def _own(self, step: NodeStep, number: int) -> Any:
        lowered = self.lowerings.of(step.node)
        group = step.epilogue
        if isinstance(lowered, Region):
            return self._region(step.node, lowered, number)
        if isinstance(lowered, Routine):
            self._write_over(step.node, lowered, number)
        for value in group.materialised if group is not None else step.node.outputs:
            if value in self.grouping.owner:
                self.storage.keep(value, number)
        if isinstance(lowered, Routine):
            return self._routine(step.node, lowered, number)
        if isinstance(step.tiled, Arrangement):
            return self._tapped(step, step.tiled, number)
        assert step.product is not None
        return self._product(step, step.product, number)

    def _write_over(self, node: Node, routine: Routine, number: int) -> None:
        """Have a routine that can write over its first operand do so, where that is scratch and dies in this step.

        What becomes an output is made there: the zeros, say, to which the gradient of an embedding is added.
        """
        if routine.name not in WRITE_OVER:
            return
        (value,), (base, *others) = node.outputs, node.inputs
        places, memory = self.grouping.places, self.storage.memory.get(base)
        if value in places or places.root(base) is not base:
            return
        if (
            not isinstance(memory, ScratchBlock)
            or not self.storage.dies_at(base, number)
            or base in map(places.root, others)
        ):
            return
        slots = self.grouping.output_slots.get(value)
        if slots is None:
            self.storage.take_over(value, memory, number)
        elif len(slots) == 1 and self._is_free(slots[0], memory.first) and self._is_alone(base, memory):
            self.storage.blocks.remove(memory)
            self.storage.memory[base] = Address("output", slots[0], 0)
        else:
            return
        self.tasks.after_readers(base, number)

    def _is_free(self, slot: int, number: int) -> bool:
        """Tell whether an output may be written from a step on: no old value lies there that anybody reads, and nothing
        is asserted any more.
        """
        if slot not in self.updates:
            return True
        old, places = self.graph.inputs[self.updates[slot]], self.grouping.places
        if old in places.views() or any(places.root(value) is old for value in self.grouping.readers):
            return False
        return not any(isinstance(unit, NodeStep) and unit.effect for unit in self.order[number:])

    def _is_alone(self, value: Value, memory: ScratchBlock) -> bool:
        """Tell whether only loops store a value, and it alone lies in its memory, which could as well be elsewhere."""
        owner = self.grouping.owner[value]
        if not isinstance(owner, FusionGroup) or owner.contraction is not None or memory.bordered:
            return False
        return sum(other is memory for other in self.storage.memory.values()) == 1

    def _tapped(self, step: NodeStep, arranged: Arrangement, number: int) -> Any:
        """A contraction with windows: its operands brought into their homes, the tiles, results brought into theirs."""
        x, w = step.operands
        dtype = arranged.contraction.accumulate
        home_of = self.grouping.places.home
        homes = (home_of(x), x.type.dtype), (home_of(w), w.type.dtype)
        stable = self.known.get(self.grouping.places.root(w)) is not None
        fewer = winograd.winograd_reading(
            arranged, homes[0][0], (x.type.dtype, w.type.dtype), self.target, stable=stable
        )
        read = fewer or reading(arranged, *homes, self.target)
        plan = read.plan
        copied = self.storage.scratch(read.home.elements * dtype.itemsize, number) if read.copied else None
        packing = self._packed_second(arranged, read, w, number)
        out = step.node.outputs[0]
        draft = None if step.epilogue is None else self.drafts.of(step.epilogue)
        if draft is None:
            param, store = plain_ending(self.interner, out.type, home_of(out))
            values, params, stores = [out], [param], [store]
        else:
            values, params, stores = ending_of(draft, out)
        results = [out] if draft is None else list(draft.group.materialised)
        turned = self._turned(arranged, results, values, stores, number)
        nodes = [step.node] if draft is None else [step.node, *(n for _, n, _ in reversed(draft.group.members))]
        provenance = self._provenance(nodes)
        nbytes = x.type.nbytes + w.type.nbytes + bytes_moved(params, [(out.type.shape, statements_of(stores))])
        flops = sum(2 * product(part.contraction.sizes) for part in arranged.phases)
        by_lines = changed(plan, by_lanes=False) if isinstance(plan, LanePlan) else plan
        if copied is None and not turned and (packing is None or packing.fill is None):
            self._offer_rolling(number, by_lines, x, values, stores, (nbytes, flops))
        if self.threads > 1 and isinstance(plan, TapPlan):
            plan = shared_by(plan, hint(read.home.elements) * dtype.itemsize, self.threads, self.target)
        split = self.sharing.split(
            nbytes, flops, [plan.scratch_bytes], lambda: is_symbolic(plan.units) or plan.units > 1
        )
        workspace = self.storage.own_scratch(plan.scratch_bytes, split, number)
        filled = packing is not None and packing.fill is not None
        turns = 1 if split is None else hint(plan.units)
        self.tasks.tell(number, nbytes, flops, [turns], whole=filled or copied is not None or bool(turned))

        def make() -> list[StepOperations]:
            steps: list[StepOperations] = []
            first = self.storage.around(x)
            if copied is not None:
                kernel = into_home(x.type.shape, (home_of(x), x.type.dtype), (read.home, dtype), self.target)
                steps.append(self._copying("copy in", kernel, address_of(copied), first))
                first = address_of(copied)
            second = self.storage.around(w) if packing is None else address_of(packing.place)
            if packing is not None and packing.fill is not None:
                steps.append(self._copying("pack", packing.fill, second, self.storage.around(w)))
            stored = [address_of(turned[k][2]) if k in turned else self.storage.around(v) for k, v in enumerate(values)]
            addresses = (first, second, *stored)
            own = address_of(workspace)
            part, sharing, tiling = None, split, plan
            if self.rolling.of(number):
                part, sharing, tiling = self.rolling.part(number), None, by_lines
            what = tiling, tuple(params), tuple(stores), out.type, nbytes
            tap = TapStep(provenance, addresses, own, sharing, part, *what)
            steps.append((tap, flops))
            for value, home, block in turned.values():
                kind, shape = value.type.dtype, arranged.contraction.shape
                tile_home = ordered(shape, arranged.result_order())
                kernel = into_home(shape, (tile_home, kind), (home, kind), self.target)
                steps.append(self._copying("copy out", kernel, self.storage.around(value), address_of(block)))
            return steps

        return make

    def _offer_rolling(
        self,
        number: int,
        plan: TapPlan | LanePlan | winograd.WinogradPlan,
        x: Value,
        values: Sequence[Value],
        stores: Sequence[SideStore],
        work: tuple[int, int],
    ) -> None:
        """Offer a contraction whose operands lie where its tiles read them for a rolling band."""
        if isinstance(plan, winograd.WinogradPlan):
            return
        memories, places = tuple(map(self.storage.of, values)), self.grouping.places
        elements = tuple(places.own(places.root(value)).elements for value in values)
        sizes = tuple(value.type.dtype.itemsize for value in values)
        self.rolling.offer(
            RollingMember(number, plan, tuple(stores), self.storage.of(x), memories, elements, sizes, *work)
        )

    def _copying(self, word: str, kernel: Kernel, *addresses: Address) -> StepOperations:
        """A step that only copies, shared by threads where that pays."""
        nbytes = kernel_bytes(kernel)
        split = self.sharing.split(nbytes, 0, [], lambda: any(shared_loops(kernel)))
        if split is not None:
            split = dataclasses.replace(split, loops=shared_loops(kernel))
        return loop_step(Provenance((word,), ()), kernel, *addresses, split=split), 0

    def _turned(
        self,
        arranged: Arrangement,
        results: Sequence[Value],
        values: Sequence[Value],
        stores: list[SideStore],
        number: int,
    ) -> dict[int, tuple[Value, Home, ScratchBlock]]:
        """Scratch for what tiles would store an element here and an element there: it is copied to its home afterwards.

        `results` are the values that are stored, `values` those in whose memory. `stores` is changed to store there. A
        value may be a reshape of the result: its home is then told as one of the result's shape.
        """
        copies: dict[int, tuple[Value, Home, ScratchBlock]] = {}
        shape, places = arranged.contraction.shape, self.grouping.places
        space = Space(self.interner, dict(enumerate(shape)))
        axes = tuple(space.axis(axis) for axis in range(len(shape)))
        tile_home = ordered(shape, arranged.result_order())
        if arranged.column >= len(shape):
            return copies  # lanes are added up: each sum is stored for itself
        for k, store in enumerate(stores):
            if is_along(store.index, arranged.column) or any(is_read(store.param, other) for other in stores):
                continue
            if sum(other.param == store.param for other in stores) > 1:
                continue
            for value in results:
                home = places.home(value)
                if len(value.type.shape) != len(shape) or not all(map(same, value.type.shape, shape)):
                    if not same(value.type.size, product(shape)) or not is_contiguous(home, value.type.shape):
                        continue
                    home = changed(in_order(shape), offset=home.offset, elements=home.elements)
                inside = places.root(value) is values[store.param] and value not in self.layouts
                if inside and store.index is home.address(space, axes):
                    block = self.storage.scratch(tile_home.elements * value.type.dtype.itemsize, number)
                    copies[store.param] = value, home, block
                    stores[k] = SideStore(store.param, tile_home.address(space, axes), store.value)
        return copies

    def _packed_second(
        self, arranged: Arrangement, read: OperandReading | winograd.WinogradReading, w: Value, number: int
    ) -> _PackedSecond | None:
        """The second operand of a contraction with windows, packed; None where it is read as it lies."""
        plan, source = read.plan, (self.grouping.places.home(w), w.type.dtype)
        dtype = arranged.contraction.accumulate
        if isinstance(read, winograd.WinogradReading):
            elements = read.plan.packed_elements
            fill = winograd.transformed_weights(arranged, read.plan, source, self.target)
        elif not read.packed:
            return None
        elif isinstance(plan, TapPlan):
            elements, fill = plan.packed_elements, panels_of_taps(arranged.contraction, plan, source, self.target)
        else:
            elements = read.second.elements
            fill = into_home(w.type.shape, source, (read.second, dtype), self.target)
        root = self.grouping.places.root(w)
        known = self.known.get(root)
        if isinstance(self.storage.memory.get(root), ScratchBlock) and leaves_as_it_is(fill):
            return None
        if known is None or is_symbolic(elements):
            return _PackedSecond(self.storage.scratch(elements * dtype.itemsize, number), fill)
        key = (root, w.type, str(fill))
        return _PackedSecond(self.slots.packed(key, lambda: packed(known, root.type, fill)), None)

    def _product(self, step: NodeStep, product: Product, number: int) -> Any:
        out, draft = step.node.outputs[0], None if step.epilogue is None else self.drafts.of(step.epilogue)
        if draft is not None:
            out = next(value for value in draft.group.materialised if self.grouping.takes_sums(step, value))
        product = self._reaching(step, self._where_it_lies(step, product, out))
        packed = self._packed(step.operands[1], product)
        product = changed(product, packed=packed is not None)
        ending, order = (None, []) if draft is None else epilogue_of(draft, out, product)
        plan = make_plan(product, self.target, following(ending))
        own = plan.scratch.nbytes
        nbytes = product.x_bytes + product.w_bytes + out.type.nbytes
        split = self.sharing.split(nbytes, product.flops, [own], lambda: is_symbolic(plan.units) or plan.units > 1)
        workspace = self.storage.own_scratch(own, split, number)
        self.tasks.tell(number, nbytes, product.flops, [1 if split is None else hint(plan.units)])
        nodes = [step.node] if draft is None else [step.node, *(n for _, n, _ in reversed(draft.group.members))]
        provenance = self._provenance(nodes)
        if suits_band(plan) and out not in self.grouping.places:
            offered = functools.partial(
                self._product_member,
                number,
                step,
                plan,
                out,
                (ending, order),
                packed,
                (nbytes, product.flops),
                workspace,
            )
            self.bands.offer(number, hint(nbytes), offered)

        def make() -> tuple[ScheduleStep, int]:
            first, second = step.operands
            addresses = (
                self.storage.first(out),
                self.storage.first(first),
                self.storage.first(second) if packed is None else packed,
                *(self.storage.around(value) for value in order),
            )
            own = address_of(workspace)
            placed = self.bands.of(number)
            if placed is None:
                return ProductStep(provenance, addresses, own, split, None, plan, out.type, ending), product.flops
            assert placed.plan is not None
            if placed.packed is not None:
                addresses = (*addresses[:2], address_of(placed.packed), *addresses[3:])
            matrices = Address("scratch", 0, 0) if packed is None else packed
            memories = (self.storage.of(out), self.storage.of(first), matrices, *map(self.storage.of, order), workspace)
            part = placed.part(memories)
            return ProductStep(provenance, addresses, own, None, part, placed.plan, out.type, ending), product.flops

        return make

    def _where_it_lies(self, step: NodeStep, product: Product, out: Value) -> Product:
        """A product whose operands and result lie where they have their places."""
        assert isinstance(step.tiled, MatrixProduct)
        home_of, merged = self.grouping.places.home, step.tiled.is_merged
        if any(same(value.type.size, 0) for value in (*step.operands, out)):
            return product
        x, w = (
            memory_order(home_of(value), value.type.shape, merged=merged and number == 0)
            for number, value in enumerate(step.operands)
        )
        at = MatrixLayout(None)
        if not self.grouping.places.is_ordered(out):
            layout = memory_order(home_of(out), out.type.shape, merged=merged)
            assert layout is not None
            at = layout
        assert x is not None
        assert w is not None
        return where_they_lie(product, x, w, at)

    def _reaching(self, step: NodeStep, product: Product) -> Product:
        """A product that leaves out what masks hide."""
        assert isinstance(step.tiled, MatrixProduct)
        rows_of_one = not step.tiled.is_merged or same(step.tiled.batch, 1)
        if product.gates > 1 or not rows_of_one:
            return product
        reach = None if step.epilogue is not None else self.reaches.asked(step.node.outputs[0])
        filled = None
        if not product.transpose_x and not product.shared_x and product.x_strides is None:
            filled = self.reaches.filled(step.operands[0])
        return product if reach is filled is None else changed(product, read_columns=reach, filled=filled)

    def _product_member(
        self,
        number: int,
        step: NodeStep,
        plan: ProductPlan,
        out: Value,
        ending: tuple[Epilogue | None, list[Value]],
        packed: Address | None,
        work: tuple[int, int],
        workspace: ScratchBlock,
    ) -> BandMember | None:
        """A product as one that may share a band; what has no elements lies nowhere."""
        of, (x, w), places = plan.product, step.operands, self.grouping.places
        if any(same(value.type.size, 0) for value in (out, x, w, *ending[1])):
            return None
        space = Space(self.interner, {0: of.batch, 1: of.m, 2: of.columns, 3: of.k, 4: of.n})

        def place(value: Value, axes: tuple[int, int], strides: Strides | None, *, shared: bool = False) -> Expr:
            offset = places.home(value).offset
            if strides is None:
                all_axes = axes if shared else (0, *axes)
                flat = space.flat(tuple(map(space.axis, all_axes)), tuple(space.ranges[axis] for axis in all_axes))
                return space.affine([(flat, 1)], offset)
            terms: list[tuple[Expr, int]] = [(space.axis(axes[0]), strides.row), (space.axis(axes[1]), 1)]
            left = space.axis(0)
            for size, stride in reversed(strides.members):
                terms.append((space.mod(left, size), stride))
                left = space.floordiv(left, size)
            return space.affine(terms, offset)

        rows, columns = ((3, 1) if of.transpose_x else (1, 3)), ((4, 3) if of.transpose_w else (3, 4))
        accesses = [self._access(out, place(out, (1, 2), of.out_strides), written=True)]
        accesses.append(self._access(x, place(x, rows, of.x_strides, shared=of.shared_x), written=False))
        if packed is None:
            accesses.append(self._access(w, place(w, columns, of.w_strides, shared=of.shared_w), written=False))
        epilogue, order = ending
        if epilogue is not None:
            numbers = dict(enumerate(order))
            accesses += [self._access(order[side.param], side.index, written=True) for side in epilogue.side_stores]
            sides = [expr for side in epilogue.side_stores for expr in (side.index, side.value)]
            accesses += self._loads(numbers, epilogue.value, *sides)
        return BandMember(
            number,
            space,
            tuple(accesses),
            (0, 1),
            of.batch,
            lambda axes: axes == tuple(sorted(axes)),  # blocks have rows of one matrix, which lie together
            *work,
            ((workspace, 0),),
            plan,
            following(epilogue),
        )

    def _packed(self, w: Value, product: Product) -> Address | None:
        """Return the address of the packed w of a product; None if w is known only to the call, or packing does not
        pay.
        """
        source, start = self._source(w)
        arithmetic = Arithmetic(product.dtype, self.target)
        if source is None or product.w_strides is not None or not packing_pays(product, arithmetic):
            return None
        packing = make_packing(product, arithmetic)
        key = (self.grouping.places.root(w), start, w.type, packing)
        return self.slots.packed(
            key, lambda: packed(part(source, start, w.type), w.type, packing_kernel(packing, self.target))
        )

    def _source(self, value: Value) -> tuple[KnownSource | None, int]:
        """Return the constant or stable input that holds `value`, if one does, and the value's first element there."""
        places = self.grouping.places
        return self.known.get(places.root(value)), places.home(value).offset

    def _routine(self, node: Node, routine: Routine, number: int) -> Any:
        inputs = tuple(value.type for value in node.inputs)
        outputs = tuple(value.type for value in node.outputs)
        scratch = scratch_of(routine, inputs, outputs)
        workspace = self.storage.scratch(scratch.nbytes, number)
        if effect_of(node.op) is Effect.PURE:
            kinds = (*inputs, *outputs)
            self.tasks.tell(number, sum(kind.nbytes for kind in kinds), sum(kind.size for kind in kinds))

        def make() -> tuple[ScheduleStep, int]:
            addresses = tuple(self.storage.first(value) for value in (*node.outputs, *node.inputs))
            own = address_of(workspace)
            step = RoutineStep(self._provenance([node]), addresses, own, inputs, outputs, routine, scratch)
            return step, sum(kind.size for kind in (*inputs, *outputs))

        return make

    def _region(self, node: Node, region: Region, number: int) -> Any:
        op: Any = node.op
        inputs = tuple(value.type for value in node.inputs)
        outputs = tuple(value.type for value in node.outputs)
        length = getattr(op, "length", 1)
        stacked: tuple[int, ...] = tuple(op.stacked(inputs)) if region.kind == "scan" else ()
        of = regions.bodies_of(node, region)
        unread = regions.unread_state(of.state, node.outputs, {value: self._is_read(value) for value in node.outputs})
        for k, value in enumerate(node.outputs):
            if value in self.grouping.owner and k not in unread:
                self.storage.keep(value, number)
        known = self._known_operands(node, region, of, stacked)
        beside = regions.scans_around(self.order, number, self.grouping)
        bodies = self._bodies(of, known, length, apart=1 < self.threads <= beside)
        state, state_bytes = regions.settled(of, bodies[-1].plan.updates, inputs)
        skip = int(region.kind == "cond")
        packed = {k + skip for k in known if k >= len(state) and not any(k in body.reads for body in bodies)}
        made_before = [
            (
                constant,
                self.storage.scratch(constant.type.nbytes, number),
                self.storage.scratch(constant.scratch_bytes, number),
            )
            for body in bodies
            for constant in body.constants
            if self._is_made_here(constant)
        ]
        start = state_bytes + ALIGN
        workspace = self.storage.scratch(
            start + functools.reduce(maximum, (body.scratch_bytes for body in bodies)), number
        )
        shares = any(isinstance(one, ThreadPoolHandle) for body in bodies for one in body.constants)
        nbytes, flops = (length * max((body.work[kind] for body in bodies), key=hint) for kind in range(2))
        # A host's threads may not know loops within loops; and signals come to the main thread only.
        if effect_of(op) is Effect.PURE and not shares and not regions.ends_by_data(op):
            self.tasks.tell(number, nbytes, flops, whole=bool(made_before))

        def make() -> list[StepOperations]:
            before = [
                (step, 0)
                for constant, block, own in made_before
                for step in self._made_here(constant, node, address_of(block), address_of(own), number)
            ]
            blocks = {id(constant): block for constant, block, _ in made_before}
            addresses = (
                *(NOWHERE if k in unread else self.storage.first(value) for k, value in enumerate(node.outputs)),
                *(NOWHERE if k in packed else self.storage.first(value) for k, value in enumerate(node.inputs)),
            )
            step = RegionStep(
                provenance=self._provenance([node]),
                addresses=addresses,
                workspace=address_of(workspace),
                inputs=inputs,
                outputs=outputs,
                control=region.kind,
                bodies=bodies,
                gives=of.gives,
                constants=tuple(
                    tuple(
                        address_of(blocks[id(constant)])
                        if id(constant) in blocks
                        else self._constant_address(constant, node)
                        for constant in body.constants
                    )
                    for body in bodies
                ),
                state=state,
                length=length,
                reverse=getattr(op, "reverse", False),
                stacked=stacked,
                unread=unread,
                scratch_offset=start,
            )
            return [*before, (step, flops)]

        return make

    def _bodies(
        self, of: regions.Bodies, known: Mapping[int, KnownSource], length: int, *, apart: bool
    ) -> tuple[Schedule, ...]:
        """Schedule the functions of a region; `apart` if there are as many of its kind beside each other as threads."""

        def scheduled(machine: _Machine) -> tuple[Schedule, ...]:
            offers: list[Updates] = [*[{}] * (len(of.graphs) - 1), of.offers]
            return tuple(_scheduled(graph, machine, known, one) for graph, one in zip(of.graphs, offers, strict=True))

        machine = changed(self.machine, depth=self.machine.depth + 1, turns=self.machine.turns * hint(length))
        if apart:
            # Each has a thread of its own, without a word between them, unless both together need much memory.
            alone = scheduled(changed(machine, slots=1))
            if not any(self._is_made_here(constant) for body in alone for constant in body.constants):
                return alone
        return scheduled(machine)

    def _is_read(self, value: Value) -> bool:
        """Tell whether anything reads a value that a step of its own gives, or it lies within another one."""
        grouping = self.grouping
        return value in grouping.output_slots or value in grouping.places or bool(grouping.readers.get(value))

    def _known_operands(
        self, node: Node, region: Region, of: regions.Bodies, stacked: Collection[int]
    ) -> dict[int, KnownSource]:
        """The sources of constants among the inputs of a region's bodies: what the program around knows, and, of a
        loop, what is the same in all turns.
        """
        known: dict[int, KnownSource] = {}
        skip = int(region.kind == "cond")
        for k, value in enumerate(node.inputs[skip:]):
            source, start = self._source(value)
            if source is not None and (of.state[k].kind == "steady" if k < len(of.state) else k not in stacked):
                known[k] = part(source, start, value.type)
        if self.machine.derives:
            for k in regions.fixed_operands(node, region, of.state, stacked):
                known.setdefault(k, Fixed(self.machine.depth, k, 0, node.inputs[k].type.dtype.itemsize))
        return known

    def _is_made_here(self, constant: Constant) -> TypeGuard[Derived]:
        """Tell whether a constant of a body is made before the loop, of operands of the region that this program has.

        What is derived of weights alone is handed in from around the whole program.
        """
        if not isinstance(constant, Derived):
            return False
        return any(isinstance(source, Fixed) and source.depth == self.machine.depth for source in constant.sources)

    def _made_here(
        self, constant: Derived, node: Node, to: Address, own: Address, number: int
    ) -> tuple[ScheduleStep, ...]:
        """The steps before a loop that make a constant of its body."""
        sources = [self._constant_address(source, node) for source in constant.sources]
        return steps_of(constant, sources, to, own, (number + 1) * len(self.order) + len(self.order))

    def _constant_address(self, constant: Constant, node: Node) -> Address:
        """The address at which a constant of a body, or a source of one, is handed to a region."""
        depth = self.machine.depth
        if isinstance(constant, numpy.ndarray) and not constant.size:
            return NOWHERE
        match constant:
            case Fixed(depth=at, input=k, offset=offset, itemsize=itemsize) if at == depth:
                base = self.storage.first(node.inputs[k])
                return address_of(base, offset * itemsize)
            case Stable(input=k, offset=offset, itemsize=itemsize) if not depth:
                self.slots.reads.add(k)
                return Address("input", k, offset * itemsize)
            case Fixed(depth=at, input=k, offset=offset, itemsize=itemsize) if at == depth - 1:
                self.slots.reads.add(k)
                return Address("input", k, offset * itemsize)
        return Address("input", self.slots.add([constant])[0], 0)


StepOperations = tuple[ScheduleStep, int]
"""A step and its operations."""


def _in_loop(steps: Sequence[StepOperations], loop: int) -> list[StepOperations]:
    """Steps with scans that share a loop: what is made before it comes before all of these."""
    scans = [(changed(step, loop=loop), flops) for step, flops in steps if isinstance(step, RegionStep)]
    return [*((step, flops) for step, flops in steps if not isinstance(step, RegionStep)), *scans]


def _several(steps: StepOperations | list[StepOperations]) -> list[StepOperations]:
    return steps if isinstance(steps, list) else [steps]


def _provenance_of(nodes: Iterable[Node]) -> Provenance:
    ops, lines = [], []
    for node in nodes:
        ops.append(node.op.name)
        if node.loc is not None and str(node.loc) not in lines:
            lines.append(str(node.loc))
    return Provenance(tuple(ops), tuple(lines))


def _described(step: ScheduleStep, flops: int) -> PlanStep:
    """A step as the plan tells it; codegen names its function later."""
    operands = [(_plain(address), writes) for address, writes in step.operands() if address != NOWHERE]
    return PlanStep(
        "",
        step.kind,
        step.provenance.ops,
        step.provenance.lines,
        tuple(address for address, writes in operands if not writes),
        tuple(address for address, writes in operands if writes),
        tuple(map(plain, step.shape)),
        plain(step.moved),
        plain(flops),
        1 if step.sharing is None else step.sharing.slots,
    )


def _beside(steps: tuple[PlanStep, ...], groups: Sequence[TaskGroup]) -> tuple[PlanStep, ...]:
    """The steps, those of groups told how many threads run beside each other."""
    threads = {
        number: group.split.slots
        for group in groups
        if group.split is not None
        for number in range(group.first, group.last + 1)
    }
    return tuple(
        dataclasses.replace(step, threads=threads.get(number, step.threads)) for number, step in enumerate(steps)
    )


def _bands(steps: Iterable[ScheduleStep]) -> Iterable[tuple[int, int, int, Size, Size]]:
    """The bands among steps, as the plan tells them."""
    members: dict[Band | RollingBand, list[int]] = {}
    for number, step in enumerate(steps):
        if isinstance(step, SharedStep) and isinstance(step.part, BandPart | RollingPart):
            members.setdefault(step.part.band, []).append(number)
    for band, numbers in members.items():
        if isinstance(band, RollingBand):
            yield numbers[0], numbers[-1], band.size, plain(band.units), 1
        else:
            yield numbers[0], numbers[-1], band.blocks.size, plain(band.blocks.rows), plain(band.batch)


def _plain(address: Address) -> PlanAddress:
    return PlanAddress(address.kind, address.slot, plain(address.offset))
