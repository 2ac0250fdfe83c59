# SPDX-License-Identifier: Apache-2.0
"""Routines: sorting, scattering, factors of matrices."""

from __future__ import annotations

from hybridize.base.frozen import frozen
from hybridize.base.types import TensorType
from hybridize.graph import Node, Value
from hybridize.loops.expr import Routine
from hybridize.ops import Effect, effect_of
from hybridize.schedule.device.routine_kernels import RoutineKernel
from hybridize.schedule.device.routines import kernels_of, scratch_on_device
from hybridize.schedule.grouping import FusionGroup, NodeStep
from hybridize.schedule.memory import ScratchBlock
from hybridize.schedule.pending.base import PendingSteps, Scheduling, StepOperations
from hybridize.schedule.routines import WRITE_OVER, RoutineScratch, scratch_of
from hybridize.schedule.steps import (
    Address,
    Provenance,
    RoutineStep,
)
from hybridize.schedule.storage import address_of


@frozen(eq=False)
class PendingRoutine(PendingSteps):
    """A routine without the addresses of what it reads and writes."""

    provenance: Provenance
    node: Node
    routine: Routine
    inputs: tuple[TensorType, ...]
    outputs: tuple[TensorType, ...]
    scratch: RoutineScratch
    workspace: ScratchBlock
    kernels: tuple[RoutineKernel, ...]

    def steps(self, program: Scheduling) -> list[StepOperations]:
        addresses = tuple(program.storage.first(value) for value in (*self.node.outputs, *self.node.inputs))
        kinds, own = (self.inputs, self.outputs), address_of(self.workspace)
        step = RoutineStep(self.provenance, addresses, own, *kinds, self.routine, self.scratch, kernels=self.kernels)
        return [(step, sum(kind.size for kind in (*self.inputs, *self.outputs)))]


def pending_routine(program: Scheduling, node: Node, routine: Routine, number: int) -> PendingRoutine:
    """A routine that waits for its memory."""
    inputs = tuple(value.type for value in node.inputs)
    outputs = tuple(value.type for value in node.outputs)
    device, kernels = program.target.device, tuple[RoutineKernel, ...]()
    scratch = scratch_of(routine, inputs, outputs)
    nbytes = scratch.nbytes
    if device is not None:
        kernels = kernels_of(routine, inputs, outputs, device)
        scratch, nbytes = scratch_on_device(routine, inputs, outputs, device)
    workspace = program.storage.scratch(nbytes, number)
    if effect_of(node.op) is Effect.PURE:
        kinds = (*inputs, *outputs)
        program.tasks.tell(number, sum(kind.nbytes for kind in kinds), sum(kind.size for kind in kinds))

    return PendingRoutine(
        provenance=program.provenance([node]),
        node=node,
        routine=routine,
        inputs=inputs,
        outputs=outputs,
        scratch=scratch,
        workspace=workspace,
        kernels=kernels,
    )


def write_over(program: Scheduling, node: Node, routine: Routine, number: int) -> None:
    """Have a routine that can write over its first operand do so, where that is scratch and dies in this step.

    What becomes an output is made there: the zeros, say, to which the gradient of an embedding is added.
    """
    if routine.name not in WRITE_OVER:
        return
    (value,), (base, *others) = node.outputs, node.inputs
    places, memory = program.grouping.places, program.storage.memory.get(base)
    if value in places or places.root(base) is not base:
        return
    if (
        not isinstance(memory, ScratchBlock)
        or not program.storage.dies_at(base, number)
        or base in map(places.root, others)
    ):
        return
    slots = program.grouping.output_slots.get(value)
    if slots is None:
        program.storage.take_over(value, memory, number)
    elif len(slots) == 1 and _is_free(program, slots[0], memory.first) and _is_alone(program, base, memory):
        program.storage.blocks.remove(memory)
        program.storage.memory[base] = Address("output", slots[0], 0)
    else:
        return
    program.tasks.after_readers(base, number)


def _is_free(program: Scheduling, slot: int, number: int) -> bool:
    """Tell whether an output may be written from a step on: no old value lies there that anybody reads, and nothing
    is asserted any more.
    """
    if slot not in program.updates:
        return True
    old, places = program.graph.inputs[program.updates[slot]], program.grouping.places
    if old in places.views() or any(places.root(value) is old for value in program.grouping.readers):
        return False
    return not any(isinstance(unit, NodeStep) and unit.effect for unit in program.order[number:])


def _is_alone(program: Scheduling, value: Value, memory: ScratchBlock) -> bool:
    """Tell whether only loops store a value, and it alone lies in its memory, which could as well be elsewhere."""
    owner = program.grouping.owner[value]
    if not isinstance(owner, FusionGroup) or owner.contraction is not None or memory.bordered:
        return False
    return sum(other is memory for other in program.storage.memory.values()) == 1
