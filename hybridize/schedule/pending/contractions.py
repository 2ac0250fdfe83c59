# SPDX-License-Identifier: Apache-2.0
"""Contractions: their operands brought to where tiles read them, the tiles, results brought into their homes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hybridize.base.dims import hint, is_symbolic, product, same
from hybridize.base.dtypes import DType
from hybridize.base.frozen import changed, frozen
from hybridize.graph import Value
from hybridize.loops.expr import Expr
from hybridize.loops.index import Space
from hybridize.loops.kernel import Statement, roots_of
from hybridize.loops.measure import bytes_moved
from hybridize.machine.arithmetic import converts_quickly
from hybridize.machine.target import Target
from hybridize.schedule.bands import BandMember, is_large, suits_band
from hybridize.schedule.contraction import (
    ContractionPlan,
    MatrixPlan,
    Product,
    make_packing,
    make_plan,
    packing_kernel,
    packing_of_taps,
    packing_pays,
    winograd,
)
from hybridize.schedule.contraction.arrangement import Arrangement, OperandReading, reading
from hybridize.schedule.contraction.copies import into_home, leaves_as_it_is
from hybridize.schedule.contraction.ending import Ending, is_along, is_read, plain_ending
from hybridize.schedule.contraction.lanes import LanePlan
from hybridize.schedule.contraction.matrices import MatrixLayout, MatrixProduct, memory_order, where_they_lie
from hybridize.schedule.contraction.product import place
from hybridize.schedule.contraction.taps import TapPlan, narrowed, shared_by
from hybridize.schedule.derived import packed, part
from hybridize.schedule.device.contractions import BlockPlan, ImplicitProduct, plan_of_maps, plan_of_matrices
from hybridize.schedule.epilogue import ending_of, ending_of_product
from hybridize.schedule.grouping import NodeStep
from hybridize.schedule.homes import in_order, is_contiguous, ordered
from hybridize.schedule.kernel import Kernel
from hybridize.schedule.memory import ScratchBlock
from hybridize.schedule.parallel import Split
from hybridize.schedule.pending.base import PendingSteps, Scheduling, StepOperations
from hybridize.schedule.pending.copies import copying
from hybridize.schedule.prologues import PrologueOp, prologue_of, prologue_of_taps
from hybridize.schedule.rolling import RollingMember
from hybridize.schedule.steps import (
    NOWHERE,
    Address,
    ContractionStep,
    Derived,
    Provenance,
)
from hybridize.schedule.storage import address_of


@frozen(eq=False)
class OperandCopy:
    """The place of an operand for the tiles: of a copy of it, or its panels; of a result, the place that they store."""

    place: ScratchBlock | Address
    kernel: Kernel | None
    """Copies it in each call; None where it is a constant."""


@frozen(eq=False)
class PendingContraction(PendingSteps):
    """A contraction without the addresses of what it reads and writes, and the copies before and after it."""

    number: int
    provenance: Provenance
    operands: tuple[Value, Value]
    plan: ContractionPlan
    by_lines: ContractionPlan
    """The plan in a rolling band, which goes line by line."""
    out: Value
    ending: Ending
    values: tuple[Value, ...]
    """Those that the params of the epilogue are, in order, then those of the prologue."""
    copies: tuple[OperandCopy | None, OperandCopy | None]
    """Of the operands, where these are not read as they lie."""
    turned: Mapping[int, OperandCopy]
    """By their params, what tiles store elsewhere first."""
    nbytes: int
    flops: int
    split: Split | None
    workspace: ScratchBlock

    def member(self, program: Scheduling) -> BandMember | RollingMember | None:
        return self._of_rows(program) if isinstance(self.plan, MatrixPlan) else self._of_lines(program)

    def _of_rows(self, program: Scheduling) -> BandMember | None:
        (x, w), places, out = self.operands, program.grouping.places, self.out
        if not isinstance(self.plan, MatrixPlan) or not suits_band(self.plan):
            return None
        if not is_large(self.nbytes, program.target):
            return None
        if out in places or any(same(value.type.size, 0) for value in (out, x, w, *self.values)):
            return None  # what has no elements lies nowhere
        of = self.plan.product
        offsets = tuple([places.home(value).offset for value in (out, x, w)])
        # Products of equal layers are one object.
        _, space, (stored, read, columns) = program.lowerings.results.of(
            (_accesses_of, id(of), *offsets), lambda: _accesses_of(program, of, offsets)
        )
        accesses = [program.access(out, stored, written=True), program.access(x, read, written=False)]
        if self.copies[1] is None:
            accesses.append(program.access(w, columns, written=False))
        sides = [store for store in self.ending.stores if self.values[store.buffer] is not out]
        accesses += [program.access(self.values[side.buffer], side.index, written=True) for side in sides]
        accesses += program.loads(dict(enumerate(self.values)), self.ending.stores[-1].value, *roots_of(sides))
        return BandMember(
            number=self.number,
            space=space,
            accesses=tuple(accesses),
            rows=(0, 1),
            batch=of.batch,
            suits=lambda axes: axes == tuple(sorted(axes)),  # blocks have rows of one matrix, which lie together
            nbytes=self.nbytes,
            flops=of.flops,
            own=((self.workspace, 0),),
            plan=self.plan,
            following=self.ending.following,
        )

    def _of_lines(self, program: Scheduling) -> RollingMember | None:
        if not isinstance(self.by_lines, TapPlan | LanePlan) or not program.setting.derives:
            return None
        if self.turned or any(copy is not None and copy.kernel is not None for copy in self.copies):
            return None  # its operands do not lie where the tiles read them
        values, places = self.values, program.grouping.places
        return RollingMember(
            number=self.number, plan=self.by_lines, stores=self.ending.stores,
            x=program.storage.of(self.operands[0]), memories=tuple(map(program.storage.of, values)),
            elements=tuple(places.own(places.root(value)).elements for value in values),
            itemsizes=tuple(value.type.dtype.itemsize for value in values), nbytes=self.nbytes,
            flops=self.flops,
        )  # fmt: skip

    def steps(self, program: Scheduling) -> list[StepOperations]:
        storage, steps = program.storage, list[StepOperations]()
        # Tiles of matrices begin at the first element; those that walk homes are told where it is in the memory.
        first = storage.first if isinstance(self.plan, MatrixPlan | BlockPlan) else storage.around
        operands = []
        for word, value, copy in zip(("copy in", "pack"), self.operands, self.copies, strict=True):
            operands.append(first(value) if copy is None else address_of(copy.place))
            if copy is not None and copy.kernel is not None:
                steps.append(copying(program, word, copy.kernel, operands[-1], storage.around(value)))
        stored = [first(value) if value is self.out else storage.around(value) for value in self.values]
        for param, copy in self.turned.items():
            stored[param] = address_of(copy.place)
        plan, split, part, placed = self.plan, self.split, None, program.bands.of(self.number)
        if placed is not None:
            matrices = Address("scratch", 0, 0) if self.copies[1] is None else self.copies[1].place
            memories = (storage.of(self.operands[0]), matrices, *map(storage.of, self.values), self.workspace)
            plan, split, part = placed.plan or self.by_lines, None, placed.part(memories)
            if placed.packed is not None:
                operands[1] = address_of(placed.packed)
        needless = program.target.device is not None and same(self.workspace.nbytes, 0)
        own, addresses = NOWHERE if needless else address_of(self.workspace), (*operands, *stored)
        step = ContractionStep(
            provenance=self.provenance, addresses=addresses, workspace=own, split=split, part=part, plan=plan,
            ending=self.ending, out=self.out.type, nbytes=self.nbytes,
        )  # fmt: skip
        steps.append((step, self.flops))
        for param, copy in self.turned.items():
            assert copy.kernel is not None
            to = storage.around(self.values[param])
            steps.append(copying(program, "copy out", copy.kernel, to, address_of(copy.place)))
        return steps


def _accesses_of(
    program: Scheduling, of: Product, offsets: Sequence[int]
) -> tuple[Product, Space, tuple[Expr, Expr, Expr]]:
    """The place of an element of the result and of both operands, over axes that all of them share."""
    space = Space(program.interner, {0: of.batch, 1: of.m, 2: of.columns, 3: of.k, 4: of.n})
    rows, columns = ((3, 1) if of.transpose_x else (1, 3)), ((4, 3) if of.transpose_w else (3, 4))
    axes = (0, 1, 2), (rows if of.shared_x else (0, *rows)), (columns if of.shared_w else (0, *columns))
    strides = of.out_strides, of.x_strides, of.w_strides
    stored, x, w = (place(space, *where) for where in zip(axes, strides, offsets, strict=True))
    return of, space, (stored, x, w)


def pending_product(program: Scheduling, step: NodeStep, of: Product, number: int) -> PendingContraction:
    """A product of matrices that waits for its memory."""
    out, draft = step.node.outputs[0], None if step.epilogue is None else program.drafts.of(step.epilogue)
    if draft is not None:
        out = next(value for value in draft.group.materialised if program.grouping.takes_sums(step, value))
    of = _where_it_lies(program, step, of, out)
    if program.target.device is not None:
        return _pending_blocks(program, step, of, out, number)
    of = _reaching(program, step, of)
    if isinstance(step.node.op, PrologueOp):
        of = changed(of, prologue=prologue_of(step.node.op, step.operands[1:], of, program.lowerings))
    is_narrow = of.stored != of.arithmetic(program.target).accumulate
    is_narrow = is_narrow and converts_quickly(of.stored, program.target)
    packing = _packed_matrices(program, step.operands[1], _stored_as(program, of, packed=of.packed, narrow=is_narrow))
    assert packing is not None or of.prologue is None, "only packed panels have a prologue"
    of = _stored_as(program, of, packed=packing is not None, narrow=packing is not None and is_narrow)
    ending, values = _ended_product(program, step, of, out)
    plan = make_plan(of, program.target, ending.following)
    nbytes = of.x_bytes + of.w_bytes + out.type.nbytes
    values = [*values, *step.operands[2:]]
    return _pending(
        program,
        step,
        number,
        plans=(plan, plan),
        ended=(ending, values),
        out=out,
        copies=(None, packing),
        turned={},
        nbytes=nbytes,
        flops=of.flops,
    )


def _pending_blocks(program: Scheduling, step: NodeStep, of: Product, out: Value, number: int) -> PendingContraction:
    """A product of matrices on a device, whose operands are read as they lie."""
    plan = plan_of_matrices(of, program.target)
    nbytes = of.x_bytes + of.w_bytes + out.type.nbytes
    ended = _ended_product(program, step, of, out)
    return _pending(
        program, step, number, plans=(plan, plan), ended=ended, out=out, copies=(None, None), turned={},
        nbytes=nbytes, flops=of.flops,
    )  # fmt: skip


def pending_maps(program: Scheduling, step: NodeStep, of: ImplicitProduct, number: int) -> PendingContraction:
    """A contraction by index maps on a device, whose operands are read as they lie."""
    (x, w), out = step.operands, step.node.outputs[0]
    home_of = program.grouping.places.home
    plan = plan_of_maps(of, (home_of(x).strides, home_of(w).strides), program.target)
    ending, values, _ = _ended_maps(program, step, out)
    nbytes = x.type.nbytes + w.type.nbytes + bytes_moved(ending.params, [(out.type.shape, ending.stores)])
    flops = sum(2 * one.grid.batch * one.grid.m * one.grid.n * one.grid.k for one in plan.launches)
    return _pending(
        program, step, number, plans=(plan, plan), ended=(ending, values), out=out, copies=(None, None), turned={},
        nbytes=nbytes, flops=flops,
    )  # fmt: skip


def _ended_maps(program: Scheduling, step: NodeStep, out: Value) -> tuple[Ending, Sequence[Value], list[Value]]:
    """The epilogue of a contraction by index maps, the values of its params, and those that it stores."""
    if step.epilogue is None:
        home = program.grouping.places.home(out)
        space = Space(program.interner, dict(enumerate(out.type.shape)))
        at = home.address(space, tuple(map(space.axis, range(out.type.ndim))))
        return plain_ending(space, out.type.dtype, home.elements, at), [out], [out]
    draft = program.drafts.of(step.epilogue)
    ending, values = ending_of(draft, out)
    return ending, values, list(draft.group.materialised)


def _ended_product(program: Scheduling, step: NodeStep, of: Product, out: Value) -> tuple[Ending, Sequence[Value]]:
    """The epilogue of a product, and the values of its params."""
    if step.epilogue is None:
        return _plain_product(program, of, out), [out]
    return ending_of_product(program.drafts.of(step.epilogue), out, of)


def _stored_as(program: Scheduling, of: Product, *, packed: bool, narrow: bool) -> Product:
    """A product whose second operand is stored so; one object for one."""
    if (of.packed, of.narrow) == (packed, narrow):
        return of
    key = (_stored_as, id(of), packed, narrow)
    return program.lowerings.results.of(key, lambda: (of, changed(of, packed=packed, narrow=narrow)))[1]


def _plain_product(program: Scheduling, of: Product, out: Value) -> Ending:
    """The epilogue of a product that is stored as it is."""
    dtype, elements = out.type.dtype, program.grouping.places.own(out).elements

    def make() -> tuple[Product, Ending]:
        space = Space(program.interner, {0: of.batch, 1: of.m, 2: of.columns})
        return of, plain_ending(space, dtype, elements, place(space, (0, 1, 2), of.out_strides))

    return program.lowerings.results.of((_plain_product, id(of), dtype.num, elements), make)[1]


def _pending(
    program: Scheduling,
    step: NodeStep,
    number: int,
    plans: tuple[ContractionPlan, ContractionPlan],
    ended: tuple[Ending, Sequence[Value]],
    out: Value,
    copies: tuple[OperandCopy | None, OperandCopy | None],
    turned: Mapping[int, OperandCopy],
    nbytes: int,
    flops: int,
) -> PendingContraction:
    """A contraction that is decided: how threads share it, and its scratch."""
    (plan, by_lines), (ending, values) = plans, ended
    own = plan.scratch_bytes
    split = program.sharing.split(nbytes, flops, [own], lambda: is_symbolic(plan.units) or plan.units > 1)
    workspace = program.storage.own_scratch(own, split, number)
    whole = bool(turned) or any(copy is not None and copy.kernel is not None for copy in copies)
    program.tasks.tell(number, nbytes, flops, [1 if split is None else hint(plan.units)], whole=whole)
    draft = None if step.epilogue is None else program.drafts.of(step.epilogue)
    nodes = [step.node, *(() if draft is None else (node for _, node, _ in reversed(draft.group.members)))]
    provenance, (x, w) = program.provenance(nodes), step.operands[:2]
    return PendingContraction(
        number=number, provenance=provenance, operands=(x, w), plan=plan, by_lines=by_lines, out=out,
        ending=ending, values=tuple(values), copies=copies, turned=turned, nbytes=nbytes, flops=flops,
        split=split, workspace=workspace,
    )  # fmt: skip


def _where_it_lies(program: Scheduling, step: NodeStep, product: Product, out: Value) -> Product:
    """A product whose operands and result lie where they have their places."""
    assert isinstance(step.tiled, MatrixProduct)
    home_of, merged = program.grouping.places.home, step.tiled.is_merged
    if any(same(value.type.size, 0) for value in (*step.operands, out)):
        return product
    if all(map(program.grouping.places.is_ordered, (*step.operands[:2], out))):
        return product
    x, w = (
        memory_order(home_of(value), value.type.shape, merged=merged and number == 0)
        for number, value in enumerate(step.operands[:2])
    )
    at = MatrixLayout(None)
    if not program.grouping.places.is_ordered(out):
        layout = memory_order(home_of(out), out.type.shape, merged=merged)
        assert layout is not None
        at = layout
    assert x is not None
    assert w is not None
    return where_they_lie(product, x, w, at)


def _reaching(program: Scheduling, step: NodeStep, product: Product) -> Product:
    """A product that leaves out what masks hide."""
    assert isinstance(step.tiled, MatrixProduct)
    rows_of_one = not step.tiled.is_merged or same(step.tiled.batch, 1)
    if product.gates > 1 or not rows_of_one:
        return product
    reach = None if step.epilogue is not None else program.reaches.asked(step.node.outputs[0])
    filled = None
    if not product.transpose_x and not product.shared_x and product.x_strides is None:
        filled = program.reaches.filled(step.operands[0])
    return product if reach is filled is None else changed(product, read_columns=reach, filled=filled)


def _packed_matrices(program: Scheduling, w: Value, product: Product) -> OperandCopy | None:
    """The packed w of a product, a constant; None if w is known only to the call, or packing does not pay."""
    source, start = program.source(w)
    arithmetic = product.arithmetic(program.target)
    if source is None or product.w_strides is not None or not packing_pays(product, arithmetic):
        return None
    packing = make_packing(product, arithmetic)

    def derived() -> Derived:
        return packed(part(source, start, w.type), w.type, packing_kernel(packing, program.target))

    key = (program.grouping.places.root(w), start, w.type, packing)
    return OperandCopy(program.slots.packed(key, derived), None)


def pending_taps(program: Scheduling, step: NodeStep, arranged: Arrangement, number: int) -> PendingContraction:
    """A contraction with windows: its operands brought into their homes, the tiles, results brought into theirs."""
    (x, w, *others), out, dtype = step.operands, step.node.outputs[0], arranged.contraction.precision.accumulate
    home_of = program.grouping.places.home
    homes = (home_of(x), x.type.dtype), (home_of(w), w.type.dtype)
    stable = program.known.get(program.grouping.places.root(w)) is not None
    fewer = winograd.winograd_reading(
        arranged, homes[0][0], (x.type.dtype, w.type.dtype), program.target, stable=stable
    )
    read = fewer or reading(arranged, *homes, program.target)
    first = None
    if read.copied:
        kernel = into_home(x.type.shape, homes[0], (read.home, dtype), program.target)
        first = OperandCopy(program.storage.scratch(read.home.elements * dtype.itemsize, number), kernel)
    ending, values, results = _ended_maps(program, step, out)
    ending, turned = _turned(program, arranged, results, values, ending, number)
    nbytes = x.type.nbytes + w.type.nbytes + bytes_moved(ending.params, [(out.type.shape, ending.stores)])
    flops = sum(2 * product(part.contraction.sizes) for part in arranged.phases)
    plan: ContractionPlan = changed(read.plan, stores=ending.in_tiles)
    if isinstance(plan, TapPlan) and stable and _is_narrow(plan, w.type.dtype, program.target):
        prologue = None
        if isinstance(step.node.op, PrologueOp):
            prologue = prologue_of_taps(step.node.op, step.operands[1:], len(ending.params), program.lowerings)
            ending, values = changed(ending, params=(*ending.params, *prologue.params)), [*values, *others]
            prologue = changed(prologue, params=())  # which are those of the epilogue
        plan = narrowed(plan, w.type.dtype, prologue)
    second = _packed_second(program, arranged, read, plan, w, number)
    by_lines = changed(plan, by_lanes=False) if isinstance(plan, LanePlan) else plan
    if program.threads > 1 and isinstance(plan, TapPlan):
        plan = shared_by(plan, hint(read.home.elements) * dtype.itemsize, program.threads, program.target)
    return _pending(
        program,
        step,
        number,
        plans=(plan, by_lines),
        ended=(ending, values),
        out=out,
        copies=(first, second),
        turned=turned,
        nbytes=nbytes,
        flops=flops,
    )


def _turned(
    program: Scheduling,
    arranged: Arrangement,
    results: Sequence[Value],
    values: Sequence[Value],
    ending: Ending,
    number: int,
) -> tuple[Ending, dict[int, OperandCopy]]:
    """Scratch for what tiles would store an element here and an element there: it is copied to its home afterwards.

    `results` are the values that are stored, `values` those in whose memory. Returns the epilogue that stores there. A
    value may be a reshape of the result: its home is then told as one of the result's shape.
    """
    copies: dict[int, OperandCopy] = {}
    shape, places, stores = arranged.contraction.shape, program.grouping.places, list(ending.stores)
    space = Space(program.interner, dict(enumerate(shape)))
    axes = tuple(space.axis(axis) for axis in range(len(shape)))
    tile_home = ordered(shape, arranged.result_order())
    if arranged.column >= len(shape):
        return ending, copies  # lanes are added up: each sum is stored for itself
    for k, store in enumerate(stores):
        if is_along(store.index, arranged.column) or any(is_read(store.buffer, other) for other in stores):
            continue
        if sum(other.buffer == store.buffer for other in stores) > 1:
            continue
        for value in results:
            home, kind = places.home(value), value.type.dtype
            if len(value.type.shape) != len(shape) or not all(map(same, value.type.shape, shape)):
                if not same(value.type.size, product(shape)) or not is_contiguous(home, value.type.shape):
                    continue
                home = changed(in_order(shape), offset=home.offset, elements=home.elements)
            inside = places.root(value) is values[store.buffer] and value not in program.layouts
            if inside and store.index is home.address(space, axes):
                block = program.storage.scratch(tile_home.elements * kind.itemsize, number)
                kernel = into_home(shape, (tile_home, kind), (home, kind), program.target)
                copies[store.buffer] = OperandCopy(block, kernel)
                stores[k] = Statement(store.buffer, tile_home.address(space, axes), store.value)
    return changed(ending, stores=tuple(stores)), copies


def _is_narrow(plan: TapPlan, stored: DType, target: Target) -> bool:
    """Tell whether panels of a known operand have its elements as they are stored."""
    return stored != plan.elements.dtype and converts_quickly(stored, target) and not is_symbolic(plan.packed_elements)


def _packed_second(
    program: Scheduling,
    arranged: Arrangement,
    read: OperandReading | winograd.WinogradReading,
    plan: ContractionPlan,
    w: Value,
    number: int,
) -> OperandCopy | None:
    """The second operand of a contraction with windows, packed as a plan has it; None where it is read as it lies."""
    source = (program.grouping.places.home(w), w.type.dtype)
    dtype = arranged.contraction.precision.accumulate
    if isinstance(read, winograd.WinogradReading):
        elements = read.plan.packed_elements
        fill = winograd.transformed_weights(arranged, read.plan, source, program.target)
    elif not read.packed:
        return None
    elif isinstance(plan, TapPlan):
        packing = packing_of_taps(plan, arranged.contraction, *source)
        elements, fill = plan.packed_elements, packing_kernel(packing, program.target)
    else:
        elements = read.second.elements
        fill = into_home(w.type.shape, source, (read.second, dtype), program.target)
    root = program.grouping.places.root(w)
    known = program.known.get(root)
    if isinstance(program.storage.memory.get(root), ScratchBlock) and leaves_as_it_is(fill):
        return None
    if known is None or is_symbolic(elements):
        return OperandCopy(program.storage.scratch(elements * dtype.itemsize, number), fill)
    key = (root, w.type, str(fill))
    return OperandCopy(program.slots.packed(key, lambda: packed(known, root.type, fill)), None)
