# SPDX-License-Identifier: Apache-2.0
"""The schedule as the plan has it: steps with their arguments in order, and the order in which they run.

All that is missing is what code generation adds: the names of functions, and the sizes that they are to be given.
"""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterator, Sequence

from hybridize.base.dtypes import CODES
from hybridize.runtime.plan import (
    FLAG,
    Buffer,
    PlanAddress,
    PlanArgument,
    PlanBand,
    PlanLaunch,
    PlanLines,
    PlanNode,
    PlanPacking,
    PlanRegion,
    PlanRolling,
    PlanRows,
    PlanScans,
    PlanShare,
    PlanState,
    PlanStep,
    PlanStop,
    PlanTable,
    PlanTasks,
    plain,
)
from hybridize.schedule.parallel import Split
from hybridize.schedule.steps import (
    NOWHERE,
    Address,
    Band,
    BandPart,
    ContractionStep,
    LoopStep,
    RegionStep,
    RollingBlock,
    RollingCut,
    RoutineStep,
    RowCut,
    ScheduleStep,
    SharedStep,
)
from hybridize.schedule.tasks import TaskGroup


def planned(step: ScheduleStep, flops: int) -> PlanStep:
    """A step as the plan has it."""
    arguments: list[PlanArgument] = [place(address) for address, _ in step.operands()]
    access = "".join("w" if writes else "r" for _, writes in step.operands())
    if isinstance(step, LoopStep) and step.numbers:
        place_of = len(step.kernel.params) - 1
        arguments.insert(place_of, PlanTable(CODES[step.kernel.params[-1].dtype], step.numbers))
        access = f"{access[:place_of]}r{access[place_of:]}"
    if step.workspace != NOWHERE or isinstance(step, RegionStep):
        arguments.append(place(step.workspace))
        access += "s"
    if isinstance(step, RoutineStep) and step.leaves_note:
        arguments.append(PlanAddress(FLAG, 0, 0))
        access += "w"
    return PlanStep(
        kind=step.kind,
        ops=step.provenance.ops,
        lines=step.provenance.lines,
        arguments=tuple(arguments),
        access=access,
        shape=tuple(map(plain, step.shape)),
        bytes=plain(step.moved),
        flops=plain(flops),
        launches=tuple(PlanLaunch("", None if turns is None else plain(turns)) for turns in launches(step)),
        share=share(step.split) if isinstance(step, SharedStep) else None,
        region=region(step) if isinstance(step, RegionStep) else None,
    )


def launches(step: ScheduleStep) -> list[int | None]:
    """The functions that a step calls: for each the turns of which it may run a range, if it may."""
    match step:
        case RegionStep():
            return []
        case _ if step.is_empty:
            return []
        case SharedStep(in_blocks=Band(cut=RowCut(batch=batch, blocks=blocks))):
            return [batch * blocks.rows]
        case ContractionStep(in_blocks=Band(), plan=plan):
            return [plan.units]
        case LoopStep(split=Split(loops=loops)):
            return [None if loop is None else loop.turns for loop in loops]
        case ContractionStep(split=Split(), plan=plan):
            return [plan.units]
    return [None]


def region(step: RegionStep) -> PlanRegion:
    """Control flow as the plan has it."""
    inputs = step.addresses[len(step.outputs) :]
    there = [
        k
        for k, home in enumerate(step.state)
        if home.kind == "steady" and k not in step.unread and step.addresses[k] == inputs[k]
    ]
    return PlanRegion(
        control=step.control,
        outputs=tuple(map(Buffer.of, step.outputs)),
        inputs=tuple(map(Buffer.of, step.inputs)),
        bodies=tuple(body.plan for body in step.bodies),
        gives=step.gives,
        state=tuple(PlanState(home.kind, home.stack, plain(home.offset)) for home in step.state),
        length=plain(step.length),
        reverse=step.reverse,
        stacked=step.stacked,
        unread=(*step.unread, *there),
        scratch_offset=plain(step.scratch_offset),
        acts=False,
    )


def share(split: Split | None) -> PlanShare | None:
    """The work that threads share."""
    if split is None:
        return None
    own = tuple(map(plain, split.strides))
    return PlanShare(own, plain(split.nbytes), plain(split.flops), split.wakes, split.slots)


def place(address: Address) -> PlanAddress:
    """An address as the plan has it."""
    return PlanAddress(address.kind, address.slot, plain(address.offset))


def running_order(
    steps: Sequence[ScheduleStep], groups: Sequence[TaskGroup] = (), updates: Collection[int] = ()
) -> tuple[PlanNode, ...]:
    """The order in which steps run; a program some of whose outputs are `updates` of inputs ends where it has failed.

    So it does behind a loop that may last long, if it has not written over an input yet.
    """
    stopping = _first_write(steps, updates) if updates else 0
    nodes: list[PlanNode] = []
    done = 0
    for group in groups:
        nodes += _in_turn(steps, range(done, group.first), stopping)
        work = share(group.split)
        assert work is not None
        tasks = tuple(tuple((part.step, part.index, part.count) for part in task) for task in group.tasks)
        nodes.append(PlanTasks(group.first, group.last, tasks, work))
        done = group.last + 1
    nodes += _in_turn(steps, range(done, len(steps)), stopping)
    return tuple(nodes)


def _first_write(steps: Sequence[ScheduleStep], updates: Collection[int]) -> int:
    """The first step that writes over an input."""
    return next(
        number
        for number, step in enumerate(steps)
        for address, writes in step.operands()
        if writes and address.kind == "output" and address.slot in updates
    )


def _in_turn(steps: Sequence[ScheduleStep], numbers: range, stopping: int) -> Iterator[PlanNode]:
    """Steps one after the other, but for those that share a band or a loop with those beside them."""
    for shared, some in itertools.groupby(numbers, key=lambda number: steps[number].together):
        members = [*some]
        match shared:
            case int():
                yield PlanScans(members[0], members[-1])
                if members[-1] < stopping and any(steps[number].lasting for number in members):
                    yield PlanStop(None)
            case Band(cut=RollingCut() as cut):
                yield _rolling(shared, cut, members)
            case Band(cut=RowCut() as cut):
                yield _band(shared, cut, [(number, steps[number]) for number in members])
            case None:
                for number in members:
                    yield number
                    if number >= stopping:
                        continue
                    if steps[number].interruptible or steps[number].lasting:
                        yield PlanStop(None)
                    elif steps[number].asserts:
                        yield PlanStop(place(steps[number].addresses[0]))


def _band(band: Band, cut: RowCut, steps: Sequence[tuple[int, ScheduleStep]]) -> PlanBand:
    rows, packing = [], []
    for number, step in steps:
        match step:
            case LoopStep(part=BandPart(packs=True, members=members), kernel=kernel):
                each = tuple((plain(size), plain(stride)) for size, stride in members)
                to = kernel.params[0]
                packing.append(PlanPacking(number, each, plain(to.size * to.dtype.itemsize)))
            case SharedStep(part=BandPart(local=local)):
                rows.append(PlanRows(number, tuple(map(plain, local))))
    return PlanBand(
        steps=tuple(rows),
        block=cut.blocks.size,
        rows=plain(cut.blocks.rows),
        count=plain(cut.blocks.count),
        batch=plain(cut.batch),
        own=tuple(map(place, band.own)),
        share=share(band.split),
        packing=tuple(packing),
        in_turn=cut.in_turn,
    )


def _rolling(band: Band, cut: RollingCut, numbers: Sequence[int]) -> PlanRolling:
    return PlanRolling(
        first=numbers[0],
        last=numbers[-1],
        size=cut.size,
        units=cut.total,
        parts=band.units,
        memories=tuple(
            PlanLines(place(at), one.line_bytes, one.count) for at, one in zip(band.own, cut.lines, strict=True)
        ),
        blocks=tuple(map(_record, cut.blocks)),
        share=share(band.split),
    )


def _record(block: RollingBlock) -> tuple[int, ...]:
    """The numbers of a block: three of each step, then five of each memory."""
    numbers = [number for units in block.units for number in units]
    for first, moved, zeros in zip(block.firsts, block.moved, block.zeros, strict=True):
        numbers += [first, *moved, *zeros]
    return tuple(numbers)
