# SPDX-License-Identifier: Apache-2.0
"""Carry out the bands of a program, of rows (`bands`) and of lines (`rolling`): plans by blocks of rows, memory of one
block, threads that share the blocks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import field
from typing import Final

from hybridize.base.dims import hint, same
from hybridize.base.frozen import changed, frozen
from hybridize.machine.target import Target
from hybridize.schedule import contraction, thresholds
from hybridize.schedule.bands import Axes, BandMember, Memory, Run, find_runs, has_unknown_panels
from hybridize.schedule.grouping import FusionGroup, Grouping, NodeStep, Unit
from hybridize.schedule.kernel import Kernel
from hybridize.schedule.memory import InnerBlock, Life, ScratchBlock, assigned, most_alive, rounded
from hybridize.schedule.parallel import Split
from hybridize.schedule.rolling import RollingMember, RollingRun, find_rolling
from hybridize.schedule.sharing import Sharing
from hybridize.schedule.steps import Address, Band, BandPart, RollingCut, RowCut


@frozen(eq=False)
class Placed:
    """A step in a band."""

    axes: Axes = ()
    """Those that count its rows, slowest first."""
    local: Mapping[ScratchBlock, int] = field(default_factory=dict)
    """Memory of which there is one block, with the bytes of a row."""
    plan: contraction.MatrixPlan | None = None
    """Of a product: by blocks of rows."""
    fill: Kernel | None = None
    """Packs the matrices of a product, before the band begins or before the blocks of each member of the batch."""
    packed: ScratchBlock | None = None
    """The place that they are packed to."""
    members: tuple[tuple[int, int], ...] = ()
    """Of each axis of the batch its size, and the bytes from one matrix to the next, if those of one member are packed
    at a time.
    """
    band: Band | None = None

    def part(self, memories: Sequence[Memory]) -> BandPart:
        """The step's part in the band; its addresses are in these memories."""
        assert self.band is not None
        return BandPart(self.band, tuple(map(self._row_bytes, memories)))

    def _row_bytes(self, memory: Memory) -> int:
        return self.local.get(memory, 0) if isinstance(memory, ScratchBlock) else 0

    def packing_part(self) -> BandPart | None:
        """The part of the step that packs its matrices; None where that comes before the band."""
        assert self.band is not None
        return BandPart(self.band, members=self.members) if self.members else None


@frozen(eq=False)
class SettledBand:
    """A band and its memory."""

    members: tuple[int, ...]
    """Its steps."""
    cut: RowCut | RollingCut
    own: Sequence[ScratchBlock]
    """Memory that each thread has for itself."""
    split: Split | None


@frozen(eq=False)
class Bands:
    """Those of one program, and the memory that it needs with them."""

    placed: Mapping[int, Placed]
    """Their steps."""
    settled: Sequence[SettledBand]
    blocks: Mapping[ScratchBlock, Life]
    """All memory that lies within no other: how much, and from when to when."""
    inner: Sequence[InnerBlock]

    def of(self, number: int) -> Placed | None:
        """The place of a step in a band."""
        return self.placed.get(number)

    def keeps(self, memory: Memory | None) -> bool:
        """Tell whether a band keeps a few lines only of some memory: it stores the zeros around them itself."""
        return any(
            isinstance(one.cut, RollingCut) and any(block is memory for block in one.own) for one in self.settled
        )

    def located(self, locate: Callable[[ScratchBlock], Address]) -> Bands:
        """The bands with their addresses, now that memory has some."""
        placed = dict(self.placed)
        for number, one in enumerate(self.settled):
            own = dict.fromkeys(map(locate, one.own))
            band = Band(number, one.cut, tuple(own), one.split)
            placed |= {member: changed(placed[member], band=band) for member in one.members}
        return changed(self, placed=placed)

    def together(self, count: int, others: Iterable[tuple[int, int]] = ()) -> Iterable[Sequence[int]]:
        """The steps in order, those of one band together; `others` are the first and last steps of other bands."""
        spans = dict(others) | {one.members[0]: one.members[-1] for one in self.settled}
        number = 0
        while number < count:
            last = spans.get(number, number)
            yield range(number, last + 1)
            number = last + 1


NO_BANDS: Final = Bands({}, (), {}, ())
"""Of a program whose steps are pending."""


def gathered(
    order: Sequence[Unit], after: Mapping[Unit, AbstractSet[Unit]], grouping: Grouping, target: Target
) -> list[Unit]:
    """The units of a program, the one that alone reads a large value right after the one that stores it, if it can be.

    Bands are of consecutive steps, and others may stand among them in the user's text: they come before or after all of
    them. Such a value needs no memory as a whole then; to have others wait for a band would cost memory. `after` are
    the units that must come after each.
    """
    large: dict[Unit, set[Unit]] = {}
    """Units that alone read a large value, and those that store one."""
    for value, owner in grouping.owner.items():
        readers = grouping.readers.get(value, ())
        if (
            hint(value.type.nbytes) * thresholds.LARGE_SHARE >= target.l2_bytes
            and len(readers) == 1
            and value not in grouping.output_slots
        ):
            reader = _step_of(next(iter(readers)), grouping)
            if not isinstance(reader, NodeStep) or reader.tiled is not None:  # a routine is in no band
                large.setdefault(reader, set()).add(_step_of(owner, grouping))
    units: list[Unit] = []
    for unit in order:
        sources, place = large.get(unit, ()), len(units)
        for source in range(max(0, place - thresholds.WRITER_STEPS), place):
            if units[source] not in sources:
                continue
            first = source
            while first and units[first - 1] in large.get(units[first], ()):
                first -= 1
            chain, between = units[first : source + 1], units[source + 1 :]
            if not any(_is_after(one, chain, after) for one in between):
                units[first:] = [*between, *chain]
                break
            if not _is_after(unit, between, after):
                place = source + 1
                break
        units.insert(place, unit)
    return units


def _step_of(unit: Unit, grouping: Grouping) -> Unit:
    """The step that a unit is computed in: an epilogue with what it ends."""
    owner = (
        grouping.owner.get(unit.contraction) if isinstance(unit, FusionGroup) and unit.contraction is not None else None
    )
    return unit if owner is None else owner


def _is_after(unit: Unit, others: Sequence[Unit], after: Mapping[Unit, AbstractSet[Unit]]) -> bool:
    """Tell whether a unit must come after one of others, or stay where it is: it has an effect."""
    return (isinstance(unit, NodeStep) and unit.effect) or any(unit in after[other] for other in others)


def settled_bands(
    members: Sequence[BandMember | RollingMember | None],
    outputs: int,
    blocks: Sequence[ScratchBlock],
    sharing: Sharing,
    target: Target,
) -> Bands:
    """Find the bands among steps, None for one that is in none, and say which memory they need, when, and how much.

    `outputs` are the bytes of what a call returns, besides the blocks of scratch.
    """
    settling = _Settling(blocks, sharing, target)
    for run in settling.chosen(members, outputs):
        match run:
            case Run():
                settling.settle(run)
            case RollingRun():
                settling.settle_lines(run)
    return settling.result()


class _Settling:
    """Settles one band after the other, each with the memory that those before it leave."""

    def __init__(self, blocks: Sequence[ScratchBlock], sharing: Sharing, target: Target) -> None:
        self._target = target
        self._sharing = sharing
        self._threads = sharing.threads
        self._lives = {block: Life(block.nbytes, block.first, block.last) for block in blocks}
        self._apart: dict[ScratchBlock, InnerBlock] = {}
        """Memory that lies within other memory."""
        self._placed: dict[int, Placed] = {}
        self._settled: list[SettledBand] = []
        self._instead: dict[ScratchBlock, ScratchBlock] = {}
        """Memory that lies in place of other memory, which stays as long; and that one, which lies in place of none."""

    def result(self) -> Bands:
        """The bands, and the memory as they have it."""
        blocks = {block: life for block, life in self._lives.items() if block not in self._apart}
        return Bands(self._placed, tuple(self._settled), blocks, tuple(self._apart.values()))

    def _keep_through(self, first: int, last: int) -> None:
        """Have all that is alive in a band live through it."""
        for block, life in self._lives.items():
            if block not in self._apart and life.first <= last and life.last >= first:
                self._lives[block] = Life(life.nbytes, min(life.first, first), max(life.last, last))

    def _scratch(self, nbytes: int, first: int, last: int) -> ScratchBlock:
        """New memory."""
        block = ScratchBlock(nbytes, first, last)
        self._lives[block] = Life(nbytes, first, last)
        return block

    def chosen(self, members: Sequence[BandMember | RollingMember | None], outputs: int) -> list[Run | RollingRun]:
        """The bands: of rows, as far as memory is spent on them, and of lines."""
        rows = [one if isinstance(one, BandMember) else None for one in members]
        lines = [one for one in members if isinstance(one, RollingMember)]
        alone = most_alive(self._lives.values()) if any(rows) else 0
        room = alone + (alone + outputs) // thresholds.BAND_MEMORY_SHARE

        def fits(run: Run) -> bool:
            return self._needed(run) <= room

        of_rows = find_runs(rows, self._target, self._threads, fits) if any(rows) else []
        return [*of_rows, *find_rolling(lines, self._target, self._threads)]

    def settle_lines(self, run: RollingRun) -> None:
        """Settle a band of lines."""
        split = self._sharing.split(*run.work, run.block_bytes, lambda: True)
        for block, nbytes in zip(run.blocks, run.block_bytes, strict=True):
            needed = nbytes if split is None else rounded(nbytes) * split.slots
            self._lives[block] = changed(self._lives[block], nbytes=needed)
        members = tuple(member.number for member in run.members)
        self._settled.append(SettledBand(members, run.cut, run.blocks, split))
        self._placed |= {number: Placed() for number in members}
        self._keep_through(*run.span)

    def _needed(self, run: Run) -> int:
        """The bytes of scratch that are alive in a band, as it would be settled, at most."""
        assert run.blocks is not None
        first, last = run.span
        own = {memory: run.blocks.most * row for memory, row in self._local(run).items()}
        slots = self._threads if self._sharing.is_worth(*run.work, run.is_cut) else 1
        packed, in_turn = 0, self._is_in_turn(run, slots)
        for member in run.members:
            own |= dict(member.own)
            if member.plan is not None:
                packing, alone = self._packing(member.plan), member.plan.scratch
                # Without the panels, which are packed before; a block has at most as many sums.
                size = alone.nbytes if packing is None else alone.nbytes - alone.sums
                own |= {block: size for block, _ in member.own}
                packed += rounded(self._packed_bytes(member.plan.product, packing, in_turn=in_turn))
        within = most_alive(changed(self._lives[block], nbytes=size) for block, size in own.items())
        apart = {*own, *self._taken_over(run)}
        lives = (life for block, life in self._lives.items() if block not in apart)
        around = (life for life in lives if life.first <= last and life.last >= first)
        return sum((hint(rounded(life.nbytes)) for life in around), hint(packed) + within * slots)

    def settle(self, run: Run) -> None:
        """Settle a band of rows."""
        assert run.blocks is not None
        first, last = run.span
        local = self._local(run)
        own = {memory: run.blocks.most * row for memory, row in local.items()}
        slots = self._threads if self._sharing.is_worth(*run.work, run.is_cut) else 1
        in_turn = self._is_in_turn(run, slots)
        for member in run.members:
            placed = Placed(run.axes[member.number], local)
            if member.plan is not None:
                placed = self._replanned(run, placed, member, in_turn=in_turn)
            self._placed[member.number] = placed
            for block, size in member.own:
                own[block] = size if placed.plan is None else placed.plan.scratch.nbytes
        # What a block of rows needs lives from step to step, and each thread has it once.
        lives = {block: changed(self._lives[block], nbytes=size) for block, size in own.items()}
        offsets, size = assigned(lives)
        threads = self._sharing.split(*run.work, [size] * len(set(offsets.values())), run.is_cut)
        whole = self._scratch(size if threads is None else rounded(size) * threads.slots, first, last)
        self._apart |= {block: InnerBlock(block, whole, offset) for block, offset in offsets.items()}
        for taker, giver in self._taken_over(run).items():
            self._lives[giver] = changed(self._lives[giver], last=self._lives[taker].last)
            self._apart[taker] = InnerBlock(taker, giver, 0)
            self._instead[taker] = giver
        members = tuple(member.number for member in run.members)
        self._settled.append(SettledBand(members, RowCut(run.batch, run.blocks, in_turn), tuple(offsets), threads))
        self._keep_through(first, last)

    def _taken_over(self, run: Run) -> dict[ScratchBlock, ScratchBlock]:
        """The memory that outlives a band, each in place of what an earlier step reads last, row for row.

        Where that lies in place of other memory itself, since an earlier band, the other one is given.
        """
        (first, last), lives = run.span, self._lives
        rows = [
            (memory, row)
            for memory, row in run.row_bytes.items()
            if isinstance(memory, ScratchBlock) and not memory.bordered
        ]
        placed = [(self._instead.get(memory, memory), row) for memory, row in rows]
        givers = [(one, row) for one, row in placed if lives[one].first < first and lives[one].last < last]
        donors: dict[ScratchBlock, ScratchBlock] = {}
        for taker, row in rows:
            if first < lives[taker].first <= last < lives[taker].last:
                for giver, other in givers:
                    suits = lives[giver].last < lives[taker].first and same(row, other)
                    suits = suits and same(lives[giver].nbytes, lives[taker].nbytes)
                    if suits and giver not in donors.values():
                        donors[taker] = giver
                        break
        return donors

    def _local(self, run: Run) -> dict[ScratchBlock, int]:
        """The memory that nobody outside of a band uses, with the bytes of a row of it.

        Steps are given a pointer to where all rows would begin, which lies before the memory that there is: addresses
        must be so wide that this does not wrap around.
        """
        if self._target.pointer_bytes < 8:
            return {}
        first, last = run.span
        return {
            memory: row
            for memory, row in run.row_bytes.items()
            if isinstance(memory, ScratchBlock)
            and not memory.bordered
            and first <= self._lives[memory].first
            and self._lives[memory].last <= last
        }

    def _packing(self, plan: contraction.MatrixPlan) -> contraction.Packing | None:
        """Return the packing that a product would have at each call by itself: in a band it is done before, once."""
        product = plan.product
        packs = any(section.pack for section in plan.tiling.sections) and not has_unknown_panels(product)
        packs = packs and not product.packed
        return contraction.make_packing(product, product.arithmetic(self._target)) if packs else None

    def _is_in_turn(self, run: Run, slots: int) -> bool:
        """Tell whether the members of a batch are done one after the other, so that there is memory for the packed
        matrices of one; `slots` threads share the blocks of each then, and end together.

        As memory of one block is, the matrices are given by a pointer to where those of all members would begin.
        """
        assert run.blocks is not None
        if same(run.batch, 1) or self._target.pointer_bytes < 8:
            return False
        if slots > 1 and hint(run.blocks.count) < thresholds.MEMBER_BLOCKS * slots:
            return False
        plans = [member.plan for member in run.members if member.plan is not None]
        return any(
            _has_members(plan.product) and (_turns(plan.product) or self._packing(plan) is not None) for plan in plans
        )

    def _packed_bytes(self, product: contraction.Product, packing: contraction.Packing | None, *, in_turn: bool) -> int:
        """The bytes of the matrices that are packed, or brought in order, for a product."""
        in_turn = in_turn and _has_members(product)
        if packing is not None:
            return packing.matrix_bytes if in_turn else packing.nbytes
        if not _turns(product):
            return 0
        return contraction.of_one_member(product).w_bytes if in_turn else product.w_bytes

    def _replanned(self, run: Run, placed: Placed, member: BandMember, *, in_turn: bool) -> Placed:
        """Plan a product by blocks of rows; what it would pack at each call is packed before the band, once, or for
        each member of the batch `in_turn`.
        """
        assert member.plan is not None
        product, fill = member.plan.product, None
        packing = self._packing(member.plan)
        in_turn = in_turn and _has_members(product)
        packed = contraction.of_one_member(product) if in_turn else product
        turns = _turns(product)
        if in_turn and (turns or packing is not None):
            size = product.dtype.itemsize
            members = tuple((count, stride * size) for count, stride in contraction.members_of(product))
            placed = changed(placed, members=members)
        if turns:
            fill = contraction.ordering_kernel(packed, self._target)
            product = changed(product, transpose_w=False, w_strides=None)
        elif packing is not None:
            packing = contraction.make_packing(packed, product.arithmetic(self._target))
            fill = contraction.packing_kernel(packing, self._target)
            product = changed(product, packed=True, w_strides=None)
        if fill is not None:
            param = fill.params[0]
            placed = changed(placed, fill=fill, packed=self._scratch(param.size * param.dtype.itemsize, *run.span))
        return changed(placed, plan=contraction.make_plan(product, self._target, member.following, run.blocks))


def _turns(product: contraction.Product) -> bool:
    """Tell whether the matrices of a product are brought in order, each [k, n], before its band: their panels have no
    known size.
    """
    return (product.transpose_w or product.w_strides is not None) and not product.packed and has_unknown_panels(product)


def _has_members(product: contraction.Product) -> bool:
    """Tell whether the second operand of a product is several matrices, one for each member of the batch."""
    return not product.shared_w and not same(product.batch, 1)
