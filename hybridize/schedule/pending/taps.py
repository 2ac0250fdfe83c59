# SPDX-License-Identifier: Apache-2.0
"""Contractions with windows: their operands brought into their homes, the tiles, results brought into theirs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hybridize.base.dims import hint, is_symbolic, product, same
from hybridize.base.frozen import changed, frozen
from hybridize.base.types import TensorType
from hybridize.graph import Value
from hybridize.loops.index import Space
from hybridize.loops.kernel import Param
from hybridize.loops.measure import bytes_moved
from hybridize.schedule.contraction import (
    winograd,
)
from hybridize.schedule.contraction.arrangement import Arrangement, OperandReading, reading
from hybridize.schedule.contraction.copies import into_home, leaves_as_it_is
from hybridize.schedule.contraction.copies import packed as panels_of_taps
from hybridize.schedule.contraction.ending import ending_of, is_along, is_read, plain_ending
from hybridize.schedule.contraction.lanes import LanePlan
from hybridize.schedule.contraction.taps import TapPlan, shared_by
from hybridize.schedule.derived import packed
from hybridize.schedule.grouping import NodeStep
from hybridize.schedule.homes import Home, in_order, is_contiguous, ordered
from hybridize.schedule.kernel import Kernel
from hybridize.schedule.memory import ScratchBlock
from hybridize.schedule.parallel import Split
from hybridize.schedule.pending.base import PendingSteps, Scheduling, StepOperations
from hybridize.schedule.pending.copies import copying
from hybridize.schedule.rolling import RollingMember
from hybridize.schedule.steps import (
    Address,
    Provenance,
    SideStore,
    TapStep,
    statements_of,
)
from hybridize.schedule.storage import address_of


@frozen
class PackedSecond:
    """The packed second operand of a contraction with windows."""

    place: ScratchBlock | Address
    fill: Kernel | None
    """Packs it in each call; None where it is a constant."""


@frozen(eq=False)
class PendingTaps(PendingSteps):
    """A contraction with windows, without addresses, and the copies before and after it."""

    number: int
    provenance: Provenance
    arranged: Arrangement
    operands: tuple[Value, Value]
    read: OperandReading | winograd.WinogradReading
    plan: TapPlan | LanePlan | winograd.WinogradPlan
    rolling_plan: TapPlan | LanePlan | winograd.WinogradPlan
    """The plan in a rolling band, which goes line by line."""
    copied: ScratchBlock | None
    """The place of a copy of the first operand."""
    packed: PackedSecond | None
    values: tuple[Value, ...]
    """Those that the params of the epilogue are, in order."""
    params: tuple[Param, ...]
    stores: tuple[SideStore, ...]
    turned: Mapping[int, tuple[Value, Home, ScratchBlock]]
    """By their params, what tiles store elsewhere first: the value, its home, and the scratch."""
    out: TensorType
    nbytes: int
    flops: int
    split: Split | None
    workspace: ScratchBlock

    def rolling_member(self, program: Scheduling) -> RollingMember | None:
        is_packed_here = self.packed is not None and self.packed.fill is not None
        if self.copied is not None or self.turned or is_packed_here:
            return None  # its operands do not lie where the tiles read them
        if isinstance(self.rolling_plan, winograd.WinogradPlan):
            return None
        values, places, of = self.values, program.grouping.places, program.storage.of
        elements = tuple(places.own(places.root(value)).elements for value in values)
        sizes = tuple(value.type.dtype.itemsize for value in values)
        memories, work = tuple(map(of, values)), (self.nbytes, self.flops)
        x = of(self.operands[0])
        return RollingMember(self.number, self.rolling_plan, self.stores, x, memories, elements, sizes, *work)

    def steps(self, program: Scheduling) -> list[StepOperations]:
        around, (x, w) = program.storage.around, self.operands
        home, dtype = program.grouping.places.home(x), self.arranged.contraction.accumulate
        steps: list[StepOperations] = []
        first = around(x)
        if self.copied is not None:
            kernel = into_home(x.type.shape, (home, x.type.dtype), (self.read.home, dtype), program.target)
            steps.append(copying(program, "copy in", kernel, address_of(self.copied), first))
            first = address_of(self.copied)
        second = around(w) if self.packed is None else address_of(self.packed.place)
        if self.packed is not None and self.packed.fill is not None:
            steps.append(copying(program, "pack", self.packed.fill, second, around(w)))
        turned = {param: block for param, (_, _, block) in self.turned.items()}
        stored = [address_of(turned[k]) if k in turned else around(value) for k, value in enumerate(self.values)]
        is_rolling = program.rolling.of(self.number)
        tap = TapStep(
            self.provenance,
            (first, second, *stored),
            address_of(self.workspace),
            None if is_rolling else self.split,
            program.rolling.part(self.number) if is_rolling else None,
            self.rolling_plan if is_rolling else self.plan,
            self.params,
            self.stores,
            self.out,
            self.nbytes,
        )
        steps.append((tap, self.flops))
        for value, to, block in self.turned.values():
            kind, shape = value.type.dtype, self.arranged.contraction.shape
            tile_home = ordered(shape, self.arranged.result_order())
            kernel = into_home(shape, (tile_home, kind), (to, kind), program.target)
            steps.append(copying(program, "copy out", kernel, around(value), address_of(block)))
        return steps


def pending_taps(program: Scheduling, step: NodeStep, arranged: Arrangement, number: int) -> PendingTaps:
    """A contraction with windows: its operands brought into their homes, the tiles, results brought into theirs."""
    x, w = step.operands
    dtype = arranged.contraction.accumulate
    home_of = program.grouping.places.home
    homes = (home_of(x), x.type.dtype), (home_of(w), w.type.dtype)
    stable = program.known.get(program.grouping.places.root(w)) is not None
    fewer = winograd.winograd_reading(
        arranged, homes[0][0], (x.type.dtype, w.type.dtype), program.target, stable=stable
    )
    read = fewer or reading(arranged, *homes, program.target)
    plan = read.plan
    copied = program.storage.scratch(read.home.elements * dtype.itemsize, number) if read.copied else None
    packing = _packed_second(program, arranged, read, w, number)
    out = step.node.outputs[0]
    draft = None if step.epilogue is None else program.drafts.of(step.epilogue)
    if draft is None:
        param, store = plain_ending(program.interner, out.type, home_of(out))
        values, params, stores = [out], [param], [store]
    else:
        values, params, stores = ending_of(draft, out)
    results = [out] if draft is None else list(draft.group.materialised)
    turned = _turned(program, arranged, results, values, stores, number)
    nodes = [step.node] if draft is None else [step.node, *(n for _, n, _ in reversed(draft.group.members))]
    provenance = program.provenance(nodes)
    nbytes = x.type.nbytes + w.type.nbytes + bytes_moved(params, [(out.type.shape, statements_of(stores))])
    flops = sum(2 * product(part.contraction.sizes) for part in arranged.phases)
    by_lines = changed(plan, by_lanes=False) if isinstance(plan, LanePlan) else plan
    if program.threads > 1 and isinstance(plan, TapPlan):
        plan = shared_by(plan, hint(read.home.elements) * dtype.itemsize, program.threads, program.target)
    split = program.sharing.split(
        nbytes, flops, [plan.scratch_bytes], lambda: is_symbolic(plan.units) or plan.units > 1
    )
    workspace = program.storage.own_scratch(plan.scratch_bytes, split, number)
    filled = packing is not None and packing.fill is not None
    turns = 1 if split is None else hint(plan.units)
    program.tasks.tell(number, nbytes, flops, [turns], whole=filled or copied is not None or bool(turned))

    return PendingTaps(
        number,
        provenance,
        arranged,
        (x, w),
        read,
        plan,
        by_lines,
        copied,
        packing,
        tuple(values),
        tuple(params),
        tuple(stores),
        turned,
        out.type,
        nbytes,
        flops,
        split,
        workspace,
    )


def _turned(
    program: Scheduling,
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
    shape, places = arranged.contraction.shape, program.grouping.places
    space = Space(program.interner, dict(enumerate(shape)))
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
            inside = places.root(value) is values[store.param] and value not in program.layouts
            if inside and store.index is home.address(space, axes):
                block = program.storage.scratch(tile_home.elements * value.type.dtype.itemsize, number)
                copies[store.param] = value, home, block
                stores[k] = SideStore(store.param, tile_home.address(space, axes), store.value)
    return copies


def _packed_second(
    program: Scheduling, arranged: Arrangement, read: OperandReading | winograd.WinogradReading, w: Value, number: int
) -> PackedSecond | None:
    """The second operand of a contraction with windows, packed; None where it is read as it lies."""
    plan, source = read.plan, (program.grouping.places.home(w), w.type.dtype)
    dtype = arranged.contraction.accumulate
    if isinstance(read, winograd.WinogradReading):
        elements = read.plan.packed_elements
        fill = winograd.transformed_weights(arranged, read.plan, source, program.target)
    elif not read.packed:
        return None
    elif isinstance(plan, TapPlan):
        elements, fill = plan.packed_elements, panels_of_taps(arranged.contraction, plan, source, program.target)
    else:
        elements = read.second.elements
        fill = into_home(w.type.shape, source, (read.second, dtype), program.target)
    root = program.grouping.places.root(w)
    known = program.known.get(root)
    if isinstance(program.storage.memory.get(root), ScratchBlock) and leaves_as_it_is(fill):
        return None
    if known is None or is_symbolic(elements):
        return PackedSecond(program.storage.scratch(elements * dtype.itemsize, number), fill)
    key = (root, w.type, str(fill))
    return PackedSecond(program.slots.packed(key, lambda: packed(known, root.type, fill)), None)
