# SPDX-License-Identifier: Apache-2.0
"""Groups of fused nodes as kernels."""

from __future__ import annotations

from collections.abc import Mapping

from hybridize.base.dims import hint, same
from hybridize.base.frozen import changed, frozen
from hybridize.graph import Value
from hybridize.loops.expr import Expr, Load
from hybridize.loops.kernel import Param
from hybridize.loops.measure import kernel_bytes, walk
from hybridize.schedule.bands import BandMember, is_large
from hybridize.schedule.draft import Draft
from hybridize.schedule.finish import Numbering, finish, finish_rows, suits_rows
from hybridize.schedule.grouping import FusionGroup
from hybridize.schedule.kernel import Kernel
from hybridize.schedule.memory import ScratchBlock
from hybridize.schedule.parallel import Split, shared_loops
from hybridize.schedule.pending.base import PendingSteps, Scheduling, StepOperations
from hybridize.schedule.steps import (
    Provenance,
    loop_step,
)
from hybridize.schedule.storage import address_of


@frozen(eq=False)
class PendingLoops(PendingSteps):
    """A kernel without the addresses of what it reads and writes."""

    number: int
    provenance: Provenance
    draft: Draft
    numbering: Numbering
    kernel: Kernel
    values: tuple[Value, ...]
    """Those that its params are, in order."""
    scratch: tuple[ScratchBlock, ...]
    """The rows that it keeps."""
    row_bytes: tuple[int, ...]
    """Bytes of each of these, for one thread."""
    nbytes: int
    flops: int
    split: Split | None

    def member(self, program: Scheduling) -> BandMember | None:
        draft, nests = self.draft, self.kernel.nests
        folds = any(draft.space.interner.facts(statement.value).folds for statement in draft.statements)
        if (folds and not draft.group.rows) or not nests or any(nest.lane is not None for nest in nests):
            return None
        if not is_large(self.nbytes, program.target):
            return None
        values = {n: value for n, value in enumerate(draft.buffers) if n not in draft.row_local}
        if any(same(value.type.size, 0) for value in values.values()):
            return None
        touched = draft.results.of(_touched_by, lambda: _touched_by(draft))
        accesses = [
            program.access(values[buffer], index, written=written)
            for buffer, index, written in touched
            if buffer in values
        ]
        rows = draft.group.rows

        def suits(axes: tuple[int, ...]) -> bool:
            return rows is not None or suits_rows(draft, axes, program.target)

        own = tuple(zip(self.scratch, self.row_bytes, strict=True))
        return BandMember(
            number=self.number,
            space=draft.space,
            accesses=tuple(accesses),
            rows=rows,
            batch=1,
            suits=suits,
            nbytes=self.nbytes,
            flops=self.flops,
            own=own,
        )

    def steps(self, program: Scheduling) -> list[StepOperations]:
        addresses = (*map(program.storage.around, self.values), *map(address_of, self.scratch))
        placed, kernel, split, part = program.bands.of(self.number), self.kernel, self.split, None
        if placed is not None:
            kernel, split = finish_rows(self.draft, placed.axes, self.numbering, program.target), None
            part = placed.part((*map(program.storage.of, self.values), *self.scratch))
        step = loop_step(self.provenance, kernel, *addresses, nbytes=self.nbytes, split=split, part=part)
        return [(step, self.flops)]


def pending_loops(program: Scheduling, group: FusionGroup, number: int) -> PendingLoops:
    """A group as a kernel that waits for its memory."""
    draft = program.drafts.of(group)
    merged = _merged(program, draft, number)
    for value in group.materialised:
        program.storage.keep(value, number)
    numbering, order = _numbered(program, draft, merged)
    kernel = finish(draft, numbering, program.target, program.threads)
    lanes = max((nest.lanes for nest in kernel.nests), default=1)
    provenance = program.provenance(node for _, node, _ in reversed(group.members))
    flops = draft.results.of(_flops_of, lambda: _flops_of(draft))
    nbytes = kernel_bytes(kernel.elements)
    local = [row.size * row.dtype.itemsize * lanes for row in kernel.arguments[len(numbering.params) :]]
    # Where there is only one row, threads share it: the next nest reads what all of them stored in this one.
    own = local if group.rows else [0] * len(local)
    split = program.sharing.split(nbytes, flops, own, lambda: any(shared_loops(kernel)))
    if split is not None:
        split = changed(split, loops=shared_loops(kernel))
    loops = () if split is None else split.loops
    turns = [1 if loop is None else hint(loop.turns) for loop in loops]
    program.tasks.tell(number, nbytes, flops, turns or [1])
    blocks = [program.storage.own_scratch(size, split if group.rows else None, number) for size in local]
    return PendingLoops(
        number=number,
        provenance=provenance,
        draft=draft,
        numbering=numbering,
        kernel=kernel,
        values=tuple(order),
        scratch=tuple(blocks),
        row_bytes=tuple(local),
        nbytes=nbytes,
        flops=flops,
        split=split,
    )


def _flops_of(draft: Draft) -> int:
    return sum(local.cost * value.type.size for value, _, local in draft.group.members)


def _touched_by(draft: Draft) -> tuple[tuple[int, Expr, bool], ...]:
    """The buffers that statements store, where, and those that they load."""
    stored = [(one.buffer, one.index, True) for one in draft.statements]
    parts = walk(*(expr for one in draft.statements for expr in (one.index, one.value)))
    return (*stored, *((part.operand, part.indices[0], False) for part in parts if isinstance(part, Load)))


def _merged(program: Scheduling, draft: Draft, number: int) -> dict[int, int]:
    """Buffers that take over the memory of another one, which dies in this step."""
    for value in draft.group.materialised:
        if value in program.grouping.output_slots or value in program.grouping.places or same(value.type.size, 0):
            continue
        target = draft.buffers.index(value)
        for source in draft.in_place(target):
            other = draft.buffers[source]
            home = program.storage.memory.get(other)
            alike = same(other.type.size, value.type.size) and other.type.dtype == value.type.dtype
            alike = alike and program.grouping.places.own(other) == program.grouping.places.own(value)
            if alike and isinstance(home, ScratchBlock) and program.storage.dies_at(other, number):
                program.tasks.after_readers(other, number)
                program.storage.take_over(value, home, number)
                return {target: source}
    return {}


def _numbered(program: Scheduling, draft: Draft, merged: dict[int, int]) -> tuple[Numbering, list[Value]]:
    """Params in the order of the draft's buffers, merged ones once; rows after them."""
    # Of equal drafts buffers are of equal types, and lie equally.
    key = (_numbers_of, *merged.items())
    numbering, order = draft.results.of(key, lambda: _numbers_of(draft, merged))
    return numbering, [draft.buffers[number] for number in order]


def _numbers_of(draft: Draft, merged: Mapping[int, int]) -> tuple[Numbering, tuple[int, ...]]:
    written = {statement.buffer for statement in draft.statements}
    used = written | draft.read_buffers()
    params: list[Param] = []
    order: list[int] = []
    buffers: dict[int, int] = {}
    back = {source: target for target, source in merged.items()}
    for number, value in enumerate(draft.buffers):
        if number in draft.row_local or number in merged or number not in used:
            continue
        buffers[number] = len(params)
        order.append(number)
        params.append(Param(value.type.dtype, draft.elements(number), number in written or number in back))
    for target, source in merged.items():
        buffers[target] = buffers[source]
    locals_: list[Param] = []
    for number in sorted(draft.row_local):
        length = 1
        statement = next(s for s in draft.statements if s.buffer == number)
        for axis in statement.inner:
            length *= draft.space.ranges[axis]
        dtype = draft.buffers[number].type.dtype
        buffers[number] = len(params) + len(locals_)
        locals_.append(Param(dtype, length, True))
    return Numbering(tuple(params), tuple(locals_), buffers), tuple(order)
