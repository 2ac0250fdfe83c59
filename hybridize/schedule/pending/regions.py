# SPDX-License-Identifier: Apache-2.0
"""Control flow, its bodies scheduled as programs of their own."""

from __future__ import annotations

import functools
from collections.abc import Collection, Mapping
from typing import Any, TypeGuard

import numpy

from hybridize.base.dims import hint, maximum
from hybridize.base.frozen import changed, frozen
from hybridize.base.types import TensorType
from hybridize.graph import Node, Value
from hybridize.loops.expr import Region
from hybridize.loops.index import Space
from hybridize.loops.kernel import Param, Statement
from hybridize.ops import Effect, effect_of
from hybridize.runtime.plan import CONDITION_BYTES
from hybridize.schedule import regions
from hybridize.schedule.derived import part, steps_of
from hybridize.schedule.device.nests import nests_of
from hybridize.schedule.memory import ScratchBlock
from hybridize.schedule.pending.base import PendingSteps, Scheduling, StepOperations, Surroundings
from hybridize.schedule.steps import (
    NOWHERE,
    Address,
    Constant,
    Derived,
    Fixed,
    KnownSource,
    Provenance,
    RegionStep,
    Schedule,
    ScheduleStep,
    Stable,
    StateHome,
    ThreadPoolHandle,
    loop_step,
)
from hybridize.schedule.storage import address_of
from hybridize.schedule.together import LoopedStatement
from hybridize.schedule.updates import (
    Updates,
)


@frozen(eq=False)
class PendingRegion(PendingSteps):
    """Control flow without the addresses of what it reads and writes, and the constants that are made before it."""

    number: int
    node: Node
    control: str
    gives: tuple[int, ...]
    bodies: tuple[Schedule, ...]
    state: tuple[StateHome, ...]
    length: int
    stacked: tuple[int, ...]
    unread: tuple[int, ...]
    packed: frozenset[int]
    """Inputs that bodies read packed only."""
    made_before: tuple[tuple[Derived, ScratchBlock, ScratchBlock], ...]
    """Constants of bodies that are made of the region's operands: each with its place, and scratch to make it."""
    inputs: tuple[TensorType, ...]
    outputs: tuple[TensorType, ...]
    workspace: ScratchBlock
    scratch_offset: int
    flops: int
    shifted: tuple[regions.ShiftedStack, ...]
    """Stacks that are copied after the loop."""

    def steps(self, program: Scheduling) -> list[StepOperations]:
        node, first = self.node, program.storage.first
        before = [
            (step, 0)
            for constant, block, own in self.made_before
            for step in _made_here(program, constant, node, address_of(block), address_of(own), self.number)
        ]
        blocks = {id(constant): block for constant, block, _ in self.made_before}
        addresses = (
            *(NOWHERE if k in self.unread else first(value) for k, value in enumerate(node.outputs)),
            *(NOWHERE if k in self.packed else first(value) for k, value in enumerate(node.inputs)),
        )
        step = RegionStep(
            provenance=program.provenance([node]),
            addresses=addresses,
            workspace=address_of(self.workspace),
            inputs=self.inputs,
            outputs=self.outputs,
            control=self.control,
            bodies=self.bodies,
            gives=self.gives,
            constants=tuple(
                tuple(
                    address_of(blocks[id(constant)])
                    if id(constant) in blocks
                    else _constant_address(program, constant, node)
                    for constant in body.constants
                )
                for body in self.bodies
            ),
            state=self.state,
            length=self.length,
            reverse=getattr(node.op, "reverse", False),
            stacked=self.stacked,
            unread=self.unread,
            scratch_offset=self.scratch_offset,
        )
        return [*before, (step, self.flops), *(_shifted(program, node, one) for one in self.shifted)]


def pending_region(program: Scheduling, node: Node, region: Region, number: int) -> PendingRegion:
    """Control flow, its bodies scheduled, that waits for its memory."""
    op: Any = node.op
    inputs = tuple(value.type for value in node.inputs)
    outputs = tuple(value.type for value in node.outputs)
    length = getattr(op, "length", 1)
    stacked: tuple[int, ...] = tuple(op.stacked(inputs)) if region.kind == "scan" else ()
    of = regions.bodies_of(node, region, shifts=program.target.device is not None)
    unread = regions.unread_state(of.state, node.outputs, {value: _is_read(program, value) for value in node.outputs})
    for k, value in enumerate(node.outputs):
        if value in program.grouping.owner and k not in unread:
            program.storage.keep(value, number)
    known = _known_operands(program, node, region, of, stacked)
    beside = regions.scans_around(program.order, number, program.grouping)
    bodies = _bodies(program, of, known, length, apart=1 < program.threads <= beside)
    state, state_bytes = regions.settled(of, bodies[-1].plan.updates, inputs)
    skip = int(region.kind == "cond")
    packed = {k + skip for k in known if k >= len(state) and not any(k in body.reads for body in bodies)}
    made_before = [
        (
            constant,
            program.storage.scratch(constant.type.nbytes, number),
            program.storage.scratch(constant.scratch_bytes, number),
        )
        for body in bodies
        for constant in body.constants
        if _is_made_here(constant, program.setting.depth)
    ]
    start = state_bytes + CONDITION_BYTES
    workspace = program.storage.scratch(
        start + functools.reduce(maximum, (body.scratch_bytes for body in bodies)), number
    )
    shares = any(isinstance(one, ThreadPoolHandle) for body in bodies for one in body.constants)
    nbytes, flops = (length * max((body.work[kind] for body in bodies), key=hint) for kind in range(2))
    # A host's threads may not know loops within loops; and signals come to the main thread only.
    if effect_of(op) is Effect.PURE and not shares and not regions.ends_by_data(op):
        program.tasks.tell(number, nbytes, flops, whole=bool(made_before))

    return PendingRegion(
        number=number,
        node=node,
        control=region.kind,
        gives=of.gives,
        bodies=bodies,
        state=state,
        length=length,
        stacked=stacked,
        unread=unread,
        packed=frozenset(packed),
        made_before=tuple(made_before),
        inputs=inputs,
        outputs=outputs,
        workspace=workspace,
        scratch_offset=start,
        flops=flops,
        shifted=of.shifted,
    )


def _shifted(program: Scheduling, node: Node, one: regions.ShiftedStack) -> StepOperations:
    """The copy of a stack of states before each turn: the first one, then those after the turns."""
    op: Any = node.op
    to, stack, first = node.outputs[one.output], node.outputs[one.stack], node.inputs[one.state]
    dtype, total, row = to.type.dtype, to.type.size, first.type.size
    begin, rest = (total - row, 0) if op.reverse else (0, row)
    params = (Param(dtype, total, True), Param(dtype, total, False), Param(dtype, row, False))
    nests = nests_of(program.target, params, (), program.interner)
    space = Space(program.interner, {0: total})
    parts = ((row, begin, 2, 0), (total - row, rest, 1, row - rest))
    kernel = nests.kernel(params, (), [
        nests.nest([LoopedStatement((size,), Statement(
            0, space.affine([(space.axis(0), 1)], start),
            program.interner.load(dtype, operand, (space.affine([(space.axis(0), 1)], offset),)),
        ))])
        for size, start, operand, offset in parts
    ])  # fmt: skip
    where = program.storage.first
    return loop_step(Provenance(("copy",), ()), kernel, where(to), where(stack), where(first)), 0


def _bodies(
    program: Scheduling, of: regions.Bodies, known: Mapping[int, KnownSource], length: int, *, apart: bool
) -> tuple[Schedule, ...]:
    """Schedule the functions of a region; `apart` if there are as many of its kind beside each other as threads."""

    def scheduled(setting: Surroundings) -> tuple[Schedule, ...]:
        offers: list[Updates] = [*[{}] * (len(of.graphs) - 1), of.offers]
        return tuple(
            program.scheduled(graph, setting, known, one) for graph, one in zip(of.graphs, offers, strict=True)
        )

    setting = changed(program.setting, depth=program.setting.depth + 1, turns=program.setting.turns * hint(length))
    if apart:
        # Each has a thread of its own, without a word between them, unless both together need much memory.
        alone = scheduled(changed(setting, slots=1))
        if not any(_is_made_here(constant, program.setting.depth) for body in alone for constant in body.constants):
            return alone
    return scheduled(setting)


def _is_read(program: Scheduling, value: Value) -> bool:
    """Tell whether anything reads a value that a step of its own gives, or it lies within another one."""
    grouping = program.grouping
    return value in grouping.output_slots or value in grouping.places or bool(grouping.readers.get(value))


def _known_operands(
    program: Scheduling, node: Node, region: Region, of: regions.Bodies, stacked: Collection[int]
) -> dict[int, KnownSource]:
    """The sources of constants among the inputs of a region's bodies: what the program around knows, and, of a
    loop, what is the same in all turns.
    """
    known: dict[int, KnownSource] = {}
    skip = int(region.kind == "cond")
    for k, value in enumerate(node.inputs[skip:]):
        source, start = program.source(value)
        if source is not None and (of.state[k].kind == "steady" if k < len(of.state) else k not in stacked):
            known[k] = part(source, start, value.type)
    if program.setting.derives:
        for k in regions.fixed_operands(node, region, of.state, stacked):
            known.setdefault(k, Fixed(program.setting.depth, k, 0, node.inputs[k].type.dtype.itemsize))
    return known


def _is_made_here(constant: Constant, depth: int) -> TypeGuard[Derived]:
    """Tell whether a constant of a body is made before the loop, of operands of the region that this program has.

    What is derived of weights alone is handed in from around the whole program.
    """
    if not isinstance(constant, Derived):
        return False
    return any(isinstance(source, Fixed) and source.depth == depth for source in constant.sources)


def _made_here(
    program: Scheduling, constant: Derived, node: Node, to: Address, own: Address, number: int
) -> tuple[ScheduleStep, ...]:
    """The steps before a loop that make a constant of its body."""
    sources = [_constant_address(program, source, node) for source in constant.sources]
    return steps_of(constant, sources, to, own, (number + 1) * len(program.order) + len(program.order))


def _constant_address(program: Scheduling, constant: Constant, node: Node) -> Address:
    """The address at which a constant of a body, or a source of one, is handed to a region."""
    depth = program.setting.depth
    if isinstance(constant, numpy.ndarray) and not constant.size:
        return NOWHERE
    match constant:
        case Fixed(depth=at, input=k, offset=offset, itemsize=itemsize) if at == depth:
            base = program.storage.first(node.inputs[k])
            return address_of(base, offset * itemsize)
        case Stable(input=k, offset=offset, itemsize=itemsize) if not depth:
            program.slots.reads.add(k)
            return Address("input", k, offset * itemsize)
        case Fixed(depth=at, input=k, offset=offset, itemsize=itemsize) if at == depth - 1:
            program.slots.reads.add(k)
            return Address("input", k, offset * itemsize)
    return Address("input", program.slots.add([constant])[0], 0)
