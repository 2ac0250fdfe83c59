# SPDX-License-Identifier: Apache-2.0
"""Products of matrices."""

from __future__ import annotations

from hybridize.base.dims import hint, is_symbolic, same
from hybridize.base.frozen import changed, frozen
from hybridize.graph import Value
from hybridize.loops.expr import Expr
from hybridize.loops.index import Space
from hybridize.loops.kernel import Kernel
from hybridize.machine.arithmetic import converts_quickly
from hybridize.schedule.bands import BandMember, suits_band
from hybridize.schedule.contraction import (
    Product,
    ProductPlan,
    make_packing,
    make_plan,
    packing_kernel,
    packing_pays,
)
from hybridize.schedule.contraction.matrices import MatrixLayout, MatrixProduct, memory_order, where_they_lie
from hybridize.schedule.contraction.packing import Packing
from hybridize.schedule.contraction.product import Strides
from hybridize.schedule.derived import packed, part
from hybridize.schedule.epilogue import epilogue_of, following
from hybridize.schedule.grouping import NodeStep
from hybridize.schedule.memory import ScratchBlock
from hybridize.schedule.parallel import Split
from hybridize.schedule.pending.base import PendingSteps, Scheduling, StepOperations
from hybridize.schedule.prologues import PrologueOp, prologue_of
from hybridize.schedule.steps import (
    Address,
    Epilogue,
    ProductStep,
    Provenance,
)
from hybridize.schedule.storage import address_of


@frozen(eq=False)
class PendingProduct(PendingSteps):
    """A product without the addresses of what it reads and writes."""

    number: int
    provenance: Provenance
    operands: tuple[Value, Value]
    plan: ProductPlan
    out: Value
    epilogue: Epilogue | None
    values: tuple[Value, ...]
    """Those that the params of the epilogue are, in order, then those of the prologue."""
    packed: Address | None
    """The constant that the second operand is packed in."""
    nbytes: int
    split: Split | None
    workspace: ScratchBlock

    @property
    def banded_bytes(self) -> int:
        return hint(self.nbytes) if suits_band(self.plan) else 0

    def member(self, program: Scheduling) -> BandMember | None:
        of, (x, w), places, out = self.plan.product, self.operands, program.grouping.places, self.out
        if out in places or any(same(value.type.size, 0) for value in (out, x, w, *self.values)):
            return None  # what has no elements lies nowhere
        space = Space(program.interner, {0: of.batch, 1: of.m, 2: of.columns, 3: of.k, 4: of.n})

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
        accesses = [program.access(out, place(out, (1, 2), of.out_strides), written=True)]
        accesses.append(program.access(x, place(x, rows, of.x_strides, shared=of.shared_x), written=False))
        if self.packed is None:
            accesses.append(program.access(w, place(w, columns, of.w_strides, shared=of.shared_w), written=False))
        if self.epilogue is not None:
            stores = self.epilogue.side_stores
            accesses += [program.access(self.values[side.param], side.index, written=True) for side in stores]
            sides = [expr for side in stores for expr in (side.index, side.value)]
            accesses += program.loads(dict(enumerate(self.values)), self.epilogue.value, *sides)
        return BandMember(
            self.number,
            space,
            tuple(accesses),
            (0, 1),
            of.batch,
            lambda axes: axes == tuple(sorted(axes)),  # blocks have rows of one matrix, which lie together
            self.nbytes,
            of.flops,
            ((self.workspace, 0),),
            self.plan,
            following(self.epilogue),
        )

    def steps(self, program: Scheduling) -> list[StepOperations]:
        storage, (first, second) = program.storage, self.operands
        placed, plan, split, part = program.bands.of(self.number), self.plan, self.split, None
        matrices = storage.first(second) if self.packed is None else self.packed
        if placed is not None:
            assert placed.plan is not None
            within = Address("scratch", 0, 0) if self.packed is None else self.packed
            memories = (storage.of(self.out), storage.of(first), within, *map(storage.of, self.values), self.workspace)
            plan, split, part = placed.plan, None, placed.part(memories)
            matrices = matrices if placed.packed is None else address_of(placed.packed)
        addresses = (storage.first(self.out), storage.first(first), matrices, *map(storage.around, self.values))
        own = address_of(self.workspace)
        step = ProductStep(self.provenance, addresses, own, split, part, plan, self.out.type, self.epilogue)
        return [(step, self.plan.product.flops)]


def pending_product(program: Scheduling, step: NodeStep, product: Product, number: int) -> PendingProduct:
    """A product of matrices that waits for its memory."""
    out, draft = step.node.outputs[0], None if step.epilogue is None else program.drafts.of(step.epilogue)
    if draft is not None:
        out = next(value for value in draft.group.materialised if program.grouping.takes_sums(step, value))
    product = _reaching(program, step, _where_it_lies(program, step, product, out))
    if isinstance(step.node.op, PrologueOp):
        prologue = prologue_of(step.node.op, step.operands[1:], product, program.lowerings)
        product = changed(product, prologue=prologue)
    is_narrow = product.stored != product.arithmetic(program.target).accumulate
    is_narrow = is_narrow and converts_quickly(product.stored, program.target)
    packed = _packed(program, step.operands[1], changed(product, narrow=is_narrow))
    assert packed is not None or product.prologue is None, "only packed panels have a prologue"
    product = changed(product, packed=packed is not None, narrow=packed is not None and is_narrow)
    ending, order = (None, []) if draft is None else epilogue_of(draft, out, product)
    after = following(ending)
    plan = program.lowerings.results.of((make_plan, product, after), lambda: make_plan(product, program.target, after))
    own = plan.scratch.nbytes
    nbytes = product.x_bytes + product.w_bytes + out.type.nbytes
    split = program.sharing.split(nbytes, product.flops, [own], lambda: is_symbolic(plan.units) or plan.units > 1)
    workspace = program.storage.own_scratch(own, split, number)
    program.tasks.tell(number, nbytes, product.flops, [1 if split is None else hint(plan.units)])
    nodes = [step.node] if draft is None else [step.node, *(n for _, n, _ in reversed(draft.group.members))]
    provenance = program.provenance(nodes)
    return PendingProduct(
        number,
        provenance,
        (step.operands[0], step.operands[1]),
        plan,
        out,
        ending,
        (*order, *step.operands[2:]),
        packed,
        nbytes,
        split,
        workspace,
    )


def _where_it_lies(program: Scheduling, step: NodeStep, product: Product, out: Value) -> Product:
    """A product whose operands and result lie where they have their places."""
    assert isinstance(step.tiled, MatrixProduct)
    home_of, merged = program.grouping.places.home, step.tiled.is_merged
    if any(same(value.type.size, 0) for value in (*step.operands, out)):
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


def _packed(program: Scheduling, w: Value, product: Product) -> Address | None:
    """Return the address of the packed w of a product; None if w is known only to the call, or packing does not
    pay.
    """
    source, start = program.source(w)
    arithmetic = product.arithmetic(program.target)
    if source is None or product.w_strides is not None or not packing_pays(product, arithmetic):
        return None
    packing = program.lowerings.results.of((make_packing, product), lambda: make_packing(product, arithmetic))
    key = (program.grouping.places.root(w), start, w.type, packing)
    return program.slots.packed(
        key, lambda: packed(part(source, start, w.type), w.type, _packing_kernel(program, packing))
    )


def _packing_kernel(program: Scheduling, packing: Packing) -> Kernel:
    """The kernel that packs a matrix, one for equal packings."""
    return program.lowerings.results.of((packing_kernel, packing), lambda: packing_kernel(packing, program.target))
