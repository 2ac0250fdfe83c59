# SPDX-License-Identifier: Apache-2.0
"""Steps that only copy: outputs, borders, matrices that are packed."""

from __future__ import annotations

from collections.abc import Iterable

from hybridize.base.dims import same
from hybridize.base.frozen import changed, frozen
from hybridize.graph import Value
from hybridize.loops.index import Space
from hybridize.loops.kernel import Param, Statement
from hybridize.loops.measure import kernel_bytes
from hybridize.schedule.contraction.copies import border
from hybridize.schedule.device.nests import nests_of
from hybridize.schedule.grouping import NodeStep
from hybridize.schedule.kernel import Kernel
from hybridize.schedule.parallel import shared_loops
from hybridize.schedule.pending.base import PendingSteps, Scheduling, StepOperations
from hybridize.schedule.steps import (
    Address,
    LoopStep,
    Provenance,
    loop_step,
)
from hybridize.schedule.storage import address_of
from hybridize.schedule.together import LoopedStatement


def copied_outputs(program: Scheduling) -> Iterable[tuple[Value, int]]:
    """Outputs that are an input, a constant, or a value that has its home in another output."""
    for value, slots in program.grouping.output_slots.items():
        if not same(value.type.size, 0):
            for slot in slots[1:] if value in program.storage.memory else slots:
                yield value, slot


@frozen(eq=False)
class PendingCopy(PendingSteps):
    """A value that an output is a copy of."""

    kernel: Kernel
    slot: int
    value: Value

    def steps(self, program: Scheduling) -> list[StepOperations]:
        to = Address("output", self.slot, 0)
        return [(loop_step(Provenance(("copy",), ()), self.kernel, to, program.storage.first(self.value)), 0)]


def pending_copy(program: Scheduling, value: Value, slot: int) -> PendingCopy:
    """The copy of a value in an output."""
    space = Space(program.interner, {0: value.type.size})
    dtype, size = value.type.dtype, value.type.size
    number = program.grouping.literals.get(value)
    element = number or program.interner.load(dtype, 1, (space.axis(0),))
    params = (Param(dtype, size, True), Param(dtype, size, False))
    statement = LoopedStatement((size,), Statement(0, space.axis(0), element))
    nests = nests_of(program.target, params, (), program.interner)
    kernel = nests.kernel(params, (), [nests.nest([statement])])
    return PendingCopy(kernel, slot, value)


def borders(program: Scheduling, number: int) -> Iterable[StepOperations]:
    """Store zeros around the values that a step stores."""
    for first, value in program.storage.bordered:
        if first == number and not program.bands.keeps(program.storage.memory.get(value)):
            kernel = border(value.type.shape, program.grouping.places.own(value), value.type.dtype, program.target)
            yield loop_step(Provenance(("border",), ()), kernel, program.storage.around(value)), 0


def packings(program: Scheduling, number: int) -> Iterable[StepOperations]:
    """Pack the matrices of a product in a band, all at once or those of each member of the batch."""
    placed, unit = program.bands.of(number), program.order[number] if number < len(program.order) else None
    if placed is None or placed.packed is None or placed.fill is None:
        return
    assert isinstance(unit, NodeStep)
    part, addresses = placed.packing_part(), (address_of(placed.packed), program.storage.first(unit.operands[1]))
    step, flops = copying(program, "pack", placed.fill, *addresses)
    if part is not None:
        assert isinstance(step, LoopStep)
        _, _, batch = part.band.cut.extent
        step = changed(step, part=part, nbytes=step.nbytes * batch)
    yield step, flops


def copying(program: Scheduling, word: str, kernel: Kernel, *addresses: Address) -> StepOperations:
    """A step that only copies, shared by threads where that pays."""
    nbytes = kernel_bytes(kernel.elements)
    split = program.sharing.split(nbytes, 0, [], lambda: any(shared_loops(kernel)))
    if split is not None:
        split = changed(split, loops=shared_loops(kernel))
    return loop_step(Provenance((word,), ()), kernel, *addresses, split=split), 0
