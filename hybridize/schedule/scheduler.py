# SPDX-License-Identifier: Apache-2.0
"""From a graph to a schedule: group, order, place in memory, finish each step."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence

import numpy

from hybridize.base.dims import hint
from hybridize.base.frozen import changed, frozen
from hybridize.base.memo import Memo, remembering
from hybridize.base.types import TensorType
from hybridize.graph import Graph, Node, Value
from hybridize.graph.constants import LITERAL_ELEMENTS, one_number
from hybridize.graph.ir import Array
from hybridize.loops.expr import Const, Region, Routine
from hybridize.loops.index import Interner
from hybridize.machine.target import Target
from hybridize.runtime.plan import Buffer, Plan, plain
from hybridize.schedule import regions
from hybridize.schedule.alignment import with_alignment
from hybridize.schedule.banding import NO_BANDS, Bands, settled_bands
from hybridize.schedule.contraction.arrangement import Arrangement
from hybridize.schedule.derived import derived
from hybridize.schedule.device.contractions import ImplicitProduct
from hybridize.schedule.device.refusals import refused
from hybridize.schedule.device.routines import NOT_ON_DEVICES
from hybridize.schedule.draft import Drafts
from hybridize.schedule.flattening import flattened
from hybridize.schedule.fours import in_fours
from hybridize.schedule.grouping import FusionGroup, Grouping, Unit
from hybridize.schedule.hoisting import hoisted, stable_nodes
from hybridize.schedule.joining import joined
from hybridize.schedule.launches import planned, running_order
from hybridize.schedule.layouts import assign as layouts_of
from hybridize.schedule.lower import Lowerings
from hybridize.schedule.memory import keep_through, most_alive
from hybridize.schedule.merging import merged
from hybridize.schedule.order import find_dependencies, last_readers, order_of
from hybridize.schedule.parallel import Split
from hybridize.schedule.pending import (
    PendingSteps,
    Scheduling,
    StepOperations,
    Surroundings,
    borders,
    copied_outputs,
    packings,
    pending_copy,
    pending_loops,
    pending_maps,
    pending_product,
    pending_region,
    pending_routine,
    pending_taps,
    write_over,
)
from hybridize.schedule.prologues import prologues
from hybridize.schedule.reach import Reaches
from hybridize.schedule.sharing import Sharing
from hybridize.schedule.slots import Slots, type_of
from hybridize.schedule.steps import (
    Derived,
    DerivedPart,
    KnownSource,
    RegionStep,
    Schedule,
    ScheduleStep,
    ThreadPoolHandle,
)
from hybridize.schedule.storage import ProgramMemory, address_of
from hybridize.schedule.tasks import TaskFinder, TaskGroup, keep_apart
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
    with remembering(Memo()):
        return _scheduled(in_fours(graph, target), Surroundings(target, slots), known or {}, updates or {})


def _scheduled(graph: Graph, setting: Surroundings, known: Mapping[int, KnownSource], updates: Updates) -> Schedule:
    """`schedule`, of a body too."""
    lowerings = Lowerings(Interner(), setting.target)
    if not setting.derives:
        return _finished(_scheduling(graph, setting, lowerings, known={}, derived={}, updates=updates, joined={}))
    sources: dict[Value, KnownSource] = {graph.inputs[k]: source for k, source in known.items()}
    sources |= graph.constants
    stable = stable_nodes(graph, sources, setting.within)

    def is_known(value: Value) -> bool:
        return value in sources or value in stable

    def number_of(value: Value) -> Const | None:
        return literal(graph.constants[value], lowerings.interner) if value in graph.constants else None

    on_device = setting.target.device is not None
    light = prologues(graph, lambda value: not on_device and is_known(value), number_of, lowerings)
    whole = joined(light.graph, is_known, setting.target)

    def is_stable(value: Value) -> bool:
        return value in sources or value in stable or value in whole.constants

    turned = flattened(whole.graph, is_stable, lowerings)
    surely, cones = light.constants | whole.constants | turned.constants, Memo()
    rest, derivations = hoisted(
        turned.graph,
        sources,
        lowerings,
        lambda cone: _derived(cone, sources, setting, cones),
        within=setting.within,
        surely=surely,
        stable=stable if turned.graph is graph else None,
    )
    turned_of = {node: whole.made_of.get(of[0], of) for node, of in turned.made_of.items()}
    made_of = {**light.made_of, **whole.made_of, **turned_of}
    return _finished(
        _scheduling(rest, setting, lowerings, known=sources, derived=derivations, updates=updates, joined=made_of)
    )


def _derived(cone: Graph, sources: Mapping[Value, KnownSource], setting: Surroundings, cones: Memo) -> Derived:
    """The only output of a graph whose inputs are known as a constant; equal graphs are scheduled once."""
    once = changed(setting, slots=1, derives=False)
    of = cones.of(cone, lambda: _scheduled(cone, once, {}, {}))
    known = [(sources[value], value.type) for value in cone.inputs]
    arrays = [array for array in of.constants if isinstance(array, numpy.ndarray)]
    assert len(arrays) == len(of.constants), "what is derived has plain constants"
    inner = [(array, TensorType(array.shape, array.dtype)) for array in arrays]
    (output,) = cone.outputs
    return derived([*known, *inner], of.steps, of.scratch_bytes, output.type, cone.fingerprint, cone.op_names())


def _scheduling(
    graph: Graph,
    setting: Surroundings,
    lowerings: Lowerings,
    known: Mapping[Value, KnownSource],
    derived: Mapping[Value, Derived],
    updates: Updates,
    joined: Mapping[Node, Sequence[Node]],
) -> Scheduling:
    """Group and order a graph.

    `known` are the constants and stable inputs that constants may be derived of, `derived` those of the graph's values
    that are. Nodes that are `joined` stand for several.
    """
    # What a body writes over is memory of the program's own: it need not stop first where it fails.
    updates = equal_pairs(graph, updates) if setting.within else admissible(graph, updates)
    if setting.target.device is not None:
        updates = {}
    numbers = {value: literal(array, lowerings.interner) for value, array in graph.constants.items()}
    literals = {value: number for value, number in numbers.items() if number is not None}
    layouts = layouts_of(graph, lowerings)
    last = [] if setting.within else [graph.outputs[output] for output in updates]
    grouping = Grouping(graph, lowerings, literals, last, layouts)
    drafts, slots, tasks = Drafts(grouping), Slots(graph, derived), TaskFinder(setting.slots)
    order = order_of(grouping, graph, updates, setting.target, setting.slots, is_within=setting.within)
    if setting.slots > 1:
        find_dependencies(order, grouping, tasks)
    return Scheduling(
        graph=graph,
        setting=setting,
        updates=updates,
        lowerings=lowerings,
        layouts=layouts,
        grouping=grouping,
        drafts=drafts,
        reaches=Reaches(drafts),
        order=order.units,
        known={**known, **{value: DerivedPart(one, 0) for value, one in derived.items()}},
        joined=joined,
        slots=slots,
        storage=ProgramMemory(grouping, slots, last_readers(order, grouping)),
        sharing=Sharing(setting.slots, setting.turns, slots),
        tasks=tasks,
        bands=NO_BANDS,
        scheduled=_scheduled,
    )


def _pending(program: Scheduling, unit: Unit, number: int) -> PendingSteps:
    """A unit as steps that wait for their memory; what it stores has some from here on."""
    if isinstance(unit, FusionGroup):
        return pending_loops(program, unit, number)
    step = unit
    lowered = program.lowerings.of(step.node)
    group = step.epilogue
    if program.target.device is not None and isinstance(lowered, Routine) and lowered.name in NOT_ON_DEVICES:
        what = getattr(step.node.op, "title", step.node.op.name)  # of what NumPy computes: the name that users know
        raise refused(what, program.target, "" if step.node.loc is None else str(step.node.loc))
    if isinstance(lowered, Region):
        return pending_region(program, step.node, lowered, number)
    if isinstance(lowered, Routine):
        write_over(program, step.node, lowered, number)
    for value in group.materialised if group is not None else step.node.outputs:
        if value in program.grouping.owner:
            program.storage.keep(value, number)
    if isinstance(lowered, Routine):
        return pending_routine(program, step.node, lowered, number)
    if isinstance(step.tiled, Arrangement):
        return pending_taps(program, step, step.tiled, number)
    if isinstance(step.tiled, ImplicitProduct):
        return pending_maps(program, step, step.tiled, number)
    assert step.product is not None
    return pending_product(program, step, step.product, number)


@frozen(eq=False)
class ProgramPlaces:
    """The places of all pending steps together: who runs with whom, and the scratch that all of them take."""

    groups: Sequence[tuple[TaskGroup, Split]]
    loops: Mapping[int, int]
    """The first and the last unit of each loop that scans share."""
    bands: Bands
    scratch_bytes: int


@frozen(eq=False)
class FinishedSteps:
    """The steps of a program with their operations, and the groups of them that run beside each other."""

    entries: Sequence[StepOperations]
    beside: tuple[TaskGroup, ...]


def _finished(program: Scheduling) -> Schedule:
    """A program whose units are in order: pending steps, places, finished steps, the plan."""
    pending = pending_steps(program)
    places = settled(program, pending)
    return _described_program(program, finished_steps(program, pending, places), places.scratch_bytes)


def pending_steps(program: Scheduling) -> list[PendingSteps]:
    """Every unit, and every output that is a copy, as steps that wait for their memory."""
    pending = [_pending(program, unit, number) for number, unit in enumerate(program.order)]
    return [*pending, *(pending_copy(program, value, slot) for value, slot in copied_outputs(program))]


def settled(program: Scheduling, pending: Sequence[PendingSteps]) -> ProgramPlaces:
    """Bands, groups and loops of steps, and a place for all memory."""
    outputs = sum(hint(value.type.nbytes) for n, value in enumerate(program.graph.outputs) if n not in program.updates)
    members = [] if program.target.device is not None else [one.member(program) for one in pending]
    bands = settled_bands(members, outputs, program.storage.blocks, program.sharing, program.target)
    program.storage.settle(bands.blocks)
    groups = _groups(program, bands, outputs) if program.threads > 1 else []
    loops = {} if program.target.device is not None else _shared_loops(program, [group for group, _ in groups])
    scratch_bytes = program.storage.place(bands.inner)
    return ProgramPlaces(groups, loops, bands.located(address_of), scratch_bytes)


def finished_steps(program: Scheduling, pending: Sequence[PendingSteps], places: ProgramPlaces) -> FinishedSteps:
    """The steps in order, with their addresses: borders and matrices that are packed come before what needs them."""
    program = changed(program, bands=places.bands)
    entries: list[StepOperations] = []
    ranges: dict[int, range] = {}
    for numbers in program.bands.together(len(pending), places.loops.items()):
        begin = len(entries)
        before = [one for number in numbers for one in (*borders(program, number), *packings(program, number))]
        # What is packed for each member of a batch is beside the steps of its band.
        entries += sorted(before, key=lambda one: one[0].band is not None)
        own = [one for number in numbers for one in pending[number].steps(program)]
        entries += _in_loop(own, numbers[0]) if numbers[0] in places.loops else own
        ranges[numbers[0]] = range(begin, len(entries))
    return FinishedSteps(entries, tuple(group.of_steps(ranges, split) for group, split in places.groups))


def _described_program(program: Scheduling, finished: FinishedSteps, scratch_bytes: int) -> Schedule:
    """The schedule: updates that are proven, kernels that differ in numbers made one, the runtime's plan."""
    entries, beside = finished.entries, finished.beside
    stopping = not program.setting.within
    steps, updates = proven_updates([step for step, _ in entries], program.updates, stopping=stopping)
    device = program.target.device
    if device is None:
        steps = merged(steps)
    elif program.setting.derives and not program.setting.within:
        steps = tuple(with_alignment(steps, device))
    constants = program.slots.constants()
    plan = Plan(
        tuple(Buffer.of(value.type) for value in program.graph.inputs),
        tuple(Buffer.of(type_of(constant)) for constant in constants),
        tuple(Buffer.of(value.type) for value in program.graph.outputs),
        plain(scratch_bytes),
        tuple(planned(step, flops) for step, (_, flops) in zip(steps, entries, strict=True)),
        teams=tuple(slot for slot, constant in enumerate(constants) if isinstance(constant, ThreadPoolHandle)),
        updates=updates,
        layouts=_layouts_kept(program, steps),
        order=running_order(steps, beside, [output for output, _ in updates] if stopping else ()),
    )
    work = (sum(step.moved for step, _ in entries), sum(flops for _, flops in entries))
    reads = frozenset(program.slots.reads)
    return Schedule(
        plan=plan, steps=steps, constants=constants, reads=reads, scratch_bytes=scratch_bytes, work=work, groups=beside
    )


def _shared_loops(program: Scheduling, groups: Sequence[TaskGroup]) -> dict[int, int]:
    """Have scans that follow each other share loops, if that pays; the memory of one lives as long as the other's.
    Returns the first and the last of each loop.

    Those of task groups have a thread each instead.
    """
    grouped = {number for group in groups for number in range(group.first, group.last + 1)}
    first, loops = 0, {}
    while first < len(program.order):
        last = first
        while last + 1 < len(program.order) and all(
            _may_share_loop(program, number, last + 1, grouped) for number in range(first, last + 1)
        ):
            last += 1
        if last > first:
            loops[first] = last
            keep_through(program.storage.blocks, first, last)
        first = last + 1
    return loops


def _may_share_loop(program: Scheduling, number: int, other: int, grouped: Collection[int]) -> bool:
    """Tell whether two units are scans that may share a loop."""
    one, two = program.order[number], program.order[other]
    if number in grouped or other in grouped:
        return False
    if not (regions.is_scan(one, program.grouping) and regions.is_scan(two, program.grouping)):
        return False
    return regions.may_share_loop(program.graph, one.node, two.node)


def _groups(program: Scheduling, bands: Bands, outputs: int) -> list[tuple[TaskGroup, Split]]:
    """The groups of units that run beside each other, their memory kept apart."""
    for first, value in program.storage.bordered:
        program.tasks.after_first(value, first)
    for at in range(len(program.order)):
        if bands.of(at) is not None:
            program.tasks.exclude(at)
    alive = most_alive(program.storage.blocks) + outputs
    groups = []
    for group in program.tasks.find(len(program.order)):
        nbytes, flops = program.tasks.work_of(group)
        if program.sharing.is_worth(nbytes, flops, lambda: True) and keep_apart(group, program.storage.blocks, alive):
            split = program.sharing.split(nbytes, flops, [], lambda: True)
            assert split is not None
            groups.append((group, split))
    return groups


def _layouts_kept(program: Scheduling, steps: Iterable[ScheduleStep]) -> tuple[tuple[str, int], ...]:
    """Count the stored values that do not lie in the order of their axes, by how they lie; those of bodies, too."""
    counts = Counter(str(home) for value, home in program.layouts.items() if value in program.storage.memory)
    for body in (body for step in steps for body in step.programs):
        counts.update(dict(body.plan.layouts))
    return tuple(sorted(counts.items()))


def _in_loop(steps: Sequence[StepOperations], loop: int) -> list[StepOperations]:
    """Steps with scans that share a loop: what is made before it comes before all of these."""
    scans = [(changed(step, loop=loop), flops) for step, flops in steps if isinstance(step, RegionStep)]
    return [*((step, flops) for step, flops in steps if not isinstance(step, RegionStep)), *scans]
