# SPDX-License-Identifier: Apache-2.0
"""Bands: consecutive steps that run a few rows at a time, one after the other (*tiling across operators*).

What lies between them is then read from the second-level cache, not from afar, and where nobody else wants it there
need not be more of it than those rows. Steps share a band if they share rows: each reads, of what others of the band
store, the rows that it computes and no more. Which elements are computed together changes no bit of them.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Sequence
from dataclasses import field

from hybridize.base.dims import hint, is_symbolic, product, proven, same
from hybridize.base.frozen import changed, frozen
from hybridize.loops.expr import Axis, Expr
from hybridize.loops.index import Index, Space
from hybridize.machine.target import Target
from hybridize.schedule import thresholds
from hybridize.schedule.contraction import MatrixPlan, Product
from hybridize.schedule.contraction import thresholds as tiles
from hybridize.schedule.contraction.blocks import RowBlocks
from hybridize.schedule.contraction.ending import Following
from hybridize.schedule.grouping import radix
from hybridize.schedule.memory import ScratchBlock
from hybridize.schedule.steps import Address

Memory = ScratchBlock | Address
"""Memory that a value has for itself, or shares with others that lie within it or took it over."""
Axes = tuple[int, ...]


@frozen(eq=False)
class Access:
    """A place in a step that reads or writes memory."""

    memory: Memory
    elements: int
    """Of all of the memory."""
    itemsize: int
    index: Expr
    written: bool


@frozen(eq=False)
class BandMember:
    """A step that may share a band: each of its rows can be computed by itself."""

    number: int
    space: Space
    accesses: tuple[Access, ...]
    rows: Axes | None
    """The axes that count its rows, in any order; None where any of its axes may."""
    batch: int
    """Members of a batch, whose matrices differ: a block has rows of one of them."""
    suits: Callable[[Axes], bool]
    """Tell whether it runs well with rows that these axes count."""
    nbytes: int
    flops: int
    own: tuple[tuple[ScratchBlock, int], ...]
    """Scratch that each thread needs for itself, with its bytes."""
    plan: MatrixPlan | None = None
    """Of a product, as it would be alone."""
    following: Following = "nothing"
    _known_axes: dict[tuple[int, int], Axes | None] = field(default_factory=dict)

    def row_axes(self, access: Access, total: int) -> Axes | None:
        """`row_axes` of one of its accesses, which is asked for each run that it may be in."""
        own = id(access), total
        if own not in self._known_axes:
            key = row_axes, id(access.index), access.elements, total, self.rows, self._ranges
            results = self.space.interner.results
            self._known_axes[own] = results.of(key, lambda: row_axes(self, access, total))
        return self._known_axes[own]

    @functools.cached_property
    def touched(self) -> Sequence[tuple[Memory, Sequence[Access]]]:
        """The memory that it reads or writes, each once, with how it does."""
        by_memory: dict[Memory, list[Access]] = {}
        for access in self.accesses:
            by_memory.setdefault(access.memory, []).append(access)
        return tuple(by_memory.items())

    @functools.cached_property
    def read(self) -> frozenset[Memory]:
        """The memory that it reads."""
        return frozenset([access.memory for access in self.accesses if not access.written])

    @functools.cached_property
    def stored(self) -> frozenset[Memory]:
        """The memory that it writes."""
        return frozenset([access.memory for access in self.accesses if access.written])

    @functools.cached_property
    def _ranges(self) -> tuple[tuple[int, int], ...]:
        """The axes with their sizes."""
        return tuple(self.space.ranges.items())

    @functools.cached_property
    def total(self) -> int | None:
        """All of its rows; None where they are not known by themselves."""
        return None if self.rows is None else product(self.space.ranges[axis] for axis in self.rows)


def is_large(nbytes: int, target: Target) -> bool:
    """Tell whether a step that moves so many bytes may share a band."""
    return hint(nbytes) * thresholds.BAND_STEP_SHARE >= target.l2_bytes


def suits_band(plan: MatrixPlan) -> bool:
    """Tell whether the product of a plan has tiles of rows, which compute any of them in the same way, whichever are
    computed with them. Where the number of rows is not known, it may have dot products too: not in a band.
    """
    tiling, of = plan.tiling, plan.product
    packs = any(section.pack for section in tiling.sections[:1])
    return (
        (tiling.form == "rows" or (tiling.form == "either" and has_unknown_panels(of)))
        and tiling.order != "streams"
        and same(tiling.x_row, 0)
        and not plan.empty
        and not (packs and has_unknown_panels(of) and not of.transpose_w and of.w_strides is None)
    )


def has_unknown_panels(product: Product) -> bool:
    """Tell whether the panels of w have a size that only the call knows: they are never packed whole."""
    return is_symbolic(product.n) or is_symbolic(product.k)


@frozen(eq=False)
class Run:
    """Consecutive members that share their rows."""

    members: tuple[BandMember, ...]
    total: int
    """Rows of each."""
    batch: int
    axes: dict[int, Axes]
    """For each step the axes that count its rows, slowest first."""
    row_bytes: dict[Memory, int]
    """Bytes of a row of the memory that is shared, and of that which is read or written row by row."""
    shared: frozenset[Memory]
    """Memory that one member stores and another reads."""
    blocks: RowBlocks | None = None
    """Of each member; None where a band is not faster."""

    @property
    def rows(self) -> int:
        """Rows of each member of the batch."""
        return self.total // self.batch

    @property
    def span(self) -> tuple[int, int]:
        """The first and last step."""
        return self.members[0].number, self.members[-1].number

    @property
    def work(self) -> tuple[int, int]:
        """Bytes that are read and written, and operations."""
        return sum(member.nbytes for member in self.members), sum(member.flops for member in self.members)

    def is_cut(self) -> bool:
        """Tell whether there may be several blocks, which threads can share."""
        assert self.blocks is not None
        units = self.batch * self.blocks.count
        return is_symbolic(units) or units > 1


class _Touched:
    """The accesses of members to one memory."""

    __slots__ = ("accesses", "checked", "is_read", "is_stored")

    def __init__(self) -> None:
        self.accesses: list[tuple[BandMember, Access]] = []
        self.checked = 0
        """Of them, from the first on, those that are known to name the rows of their members."""
        self.is_read = self.is_stored = False

    def add(self, member: BandMember, accesses: Sequence[Access]) -> None:
        """Add those of one more member."""
        self.accesses += [(member, access) for access in accesses]
        self.is_stored = self.is_stored or any(access.written for access in accesses)
        self.is_read = self.is_read or not all(access.written for access in accesses)

    @property
    def is_between(self) -> bool:
        """True for memory that members store and read."""
        return self.is_read and self.is_stored


class SharedRows:
    """Holds what members have in common that share their rows: which axes of each count them, in the same memory.

    Members that are at odds are so among any others, too.
    """

    def __init__(self, members: Iterable[BandMember] = ()) -> None:
        self.members: list[BandMember] = []
        self.agree: bool = True
        """True as long as all members do, by their rows."""
        self._total: int | None = None
        self._batch: int | None = None
        self._touched: dict[Memory, _Touched] = {}
        self._axes: dict[int, Axes] = {}
        self._chained = 0
        self._chains: list[set[Memory]] = []
        """Memory that the first members store, by those that hang together."""
        for member in members:
            if not self.add(member):
                break

    def add(self, member: BandMember) -> bool:
        """Take in a member; returns False where it is at odds with others."""
        self.members.append(member)
        self.agree = self.agree and self._agrees(member)
        return self.agree

    def _agrees(self, member: BandMember) -> bool:
        if not same(member.batch, 1):
            if self._batch is not None and not same(self._batch, member.batch):
                return False
            self._batch = member.batch
        touched: list[_Touched] = []
        for memory, accesses in member.touched:
            one = self._touched.get(memory)
            if one is None:
                one = self._touched[memory] = _Touched()
            one.add(member, accesses)
            touched.append(one)
        if self._total is None:
            self._total, touched = member.total, [*self._touched.values()]
        elif member.total is not None and not same(self._total, member.total):
            return False
        total = self._total
        return total is None or all(self._is_of_rows(one, total) for one in touched if one.is_between)

    def _is_of_rows(self, touched: _Touched, total: int) -> bool:
        """Tell whether all accesses to some memory name the rows, as others of their members do."""
        while touched.checked < len(touched.accesses):
            member, access = touched.accesses[touched.checked]
            rows = member.row_axes(access, total)
            if rows is None:
                return False
            axes = self._axes.get(member.number)
            if axes is None and touched.is_between:
                axes = self._axes[member.number] = rows
                if not member.suits(rows):
                    return False
            if axes != rows:
                return False
            touched.checked += 1
        return True

    def is_run(self) -> bool:
        """Tell whether members, added in order, agree and hang together by what some store and later ones read."""
        for member in self.members[self._chained :]:
            fed = [part for part in self._chains if not part.isdisjoint(member.read)]
            self._chains = [part for part in self._chains if part.isdisjoint(member.read)]
            self._chains.append(set(member.stored).union(*fed))
        self._chained = len(self.members)
        return self.agree and self._chained > 1 and len(self._chains) == 1 and self._total is not None

    def run(self) -> Run:
        """The run of the members, which are one."""
        total, between, others = self._total, dict[Memory, int](), dict[Memory, int]()
        assert total is not None
        shared: list[Memory] = []
        for memory, touched in self._touched.items():
            if touched.is_between or self._is_of_rows(touched, total):
                first, last = touched.accesses[0], touched.accesses[-1]
                nbytes = first[1].elements // total * last[1].itemsize
                (between if touched.is_between else others)[memory] = nbytes
                if touched.is_between and any(one is not first[0] for one, _ in touched.accesses):
                    shared.append(memory)
        batch = 1 if self._batch is None else self._batch
        return Run(tuple(self.members), total, batch, dict(self._axes), between | others, frozenset(shared))


def find_runs(
    members: Iterable[BandMember | None], target: Target, threads: int, fits: Callable[[Run], bool]
) -> list[Run]:
    """The bands among the steps of a program, in order; of steps whose rows depend on each other, None is given.

    A band `fits` if memory is spent on it; if one with a further member does not, it ends before that.
    """
    steps = [*members, None]
    runs: list[Run] = []
    front: list[BandMember] = []
    rows: SharedRows | None = None  # of the front, where that is a run
    run: Run | None = None
    at = end = 0
    while at < len(steps):
        member = steps[at]
        rows = _longest(front, rows, member)
        longer = None if rows is None else rows.run()
        if longer is not None:
            longer = changed(longer, blocks=blocks_of(longer, target, threads))
            if longer.blocks is not None and not fits(longer):
                longer = changed(longer, blocks=None)
        if longer is not None and (run is None or _goes_on(longer, run)):
            front, at = list(longer.members), at + 1
            if longer.blocks is not None:
                run, end = longer, at
        elif run is not None:
            runs.append(run)
            run, rows, front, at = None, None, [], end
        else:
            # What one stores may be read later only, together with what another one does.
            front, at = [] if member is None else [*front, member][1 - thresholds.BAND_STEPS :], at + 1
    return runs


def _goes_on(longer: Run, run: Run) -> bool:
    """Tell whether a run is one that is a band, and some members more: with the next ones it may be one again."""
    more = len(longer.members) - len(run.members)
    return longer.members[0] is run.members[0] and 0 < more <= thresholds.BAND_AHEAD


def _longest(front: Sequence[BandMember], rows: SharedRows | None, member: BandMember | None) -> SharedRows | None:
    """A member and as many before it as are a run with it; `rows` are those of all before it, where these are one."""
    if member is None or all(member.read.isdisjoint(other.stored) for other in front):
        return None
    first = max(0, len(front) + 1 - thresholds.BAND_STEPS)
    if rows is not None and not first and rows.add(member) and rows.is_run():
        return rows
    for start in range(_least(front, member, first), len(front)):
        run = SharedRows((*front[start:], member))
        if run.is_run():
            return run
    return None


def _least(front: Sequence[BandMember], member: BandMember, first: int) -> int:
    """The number, from `first` on, of the first before a member from which on none is at odds with others."""
    rows, least = SharedRows([member]), len(front)
    while least > first and rows.add(front[least - 1]):
        least -= 1
    return least


def run_of(members: Sequence[BandMember]) -> Run | None:
    """The run of some members; None where they do not share their rows."""
    rows = SharedRows(members)
    return rows.run() if rows.is_run() else None


def row_axes(member: BandMember, access: Access, total: int) -> Axes | None:
    """The axes that count the rows of what a member reads or writes at an access, slowest first.

    None where the access is not to a row that they name: to part of another one, or to the same row for several.
    """
    length = access.elements // total
    if not same(length * total, access.elements) or same(length, 0):
        return None
    index, space = access.index, member.space
    constant, terms = (index.constant, index.terms) if isinstance(index, Index) else (0, ((index, 1),))
    rows: list[tuple[Expr, int]] = []
    rest: list[tuple[Expr, int]] = []
    for atom, coefficient in terms:
        counts = isinstance(atom, Axis) and atom.number >= 0 and same(coefficient % length, 0)
        rows.append((atom, coefficient // length)) if counts else rest.append((atom, coefficient))
    low, high = space.bounds(space.affine(rest, constant))
    if not proven(low, 0) or not proven(length - high):
        return None
    axes = radix(space, space.affine(rows), total)
    if axes is None or any(axis < 0 for axis in axes):
        return None
    if member.rows is not None and set(axes) != {a for a in member.rows if not same(space.ranges[a], 1)}:
        return None
    return axes


def blocks_of(run: Run, target: Target, threads: int) -> RowBlocks | None:
    """Cut the rows of each member into blocks; None where a band is not faster."""
    moved = {memory: hint(row) for memory, row in run.row_bytes.items()}
    total, rows = hint(run.total), hint(run.rows)
    row_bytes = max(1, sum(moved.values()))
    if row_bytes * total * thresholds.FAR_SHARE <= target.l2_bytes:
        return None
    size = max(tiles.BLOCK_ROWS, target.l2_bytes // thresholds.BLOCK_SHARE // row_bytes)
    matrices = sum(hint(one.plan.w_bytes) for one in run.members if one.plan is not None)
    if matrices * thresholds.WEIGHT_SHARE > target.l2_bytes:
        between = sum(moved[memory] for memory in run.shared)
        size = max(size, matrices // max(1, between))
        if size > thresholds.FAR_BLOCK_ROWS:
            return None
    if threads > 1:
        size = max(tiles.BLOCK_ROWS, min(size, total // (thresholds.BLOCKS_OF_THREAD * threads)))
    even = -(-rows // -(-rows // size))
    blocks = RowBlocks(run.rows, -(-even // tiles.BLOCK_ROWS) * tiles.BLOCK_ROWS)
    return blocks if hint(run.batch) * hint(blocks.count) > 1 else None
