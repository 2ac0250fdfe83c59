# SPDX-License-Identifier: Apache-2.0
"""Give folds over the same elements one variable, so that they run in one loop and a row is read once for all.

Each keeps its accumulators, its vectors and the order of its terms, and so its bits. Folds share a loop where they are
of one number per row, over as many elements, of which they read some in common, in the same vectors; where none needs
another, not even through a third; and where their accumulators fit the registers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field

from hybridize.base.dims import same
from hybridize.base.frozen import changed, mutable
from hybridize.loops.expr import Expr, Fold, Load
from hybridize.loops.index import Space, bit, upward
from hybridize.loops.measure import walk
from hybridize.loops.monoids import monoid, nested
from hybridize.schedule import thresholds
from hybridize.schedule.nests import Nests
from hybridize.schedule.together import LoopedStatement


@mutable
class _Loop:
    """Folds that share a loop; its variables are those of the first one."""

    chain: list[tuple[int, int]]
    free: int
    level: int
    vectors: object
    registers: int
    order: bool | None
    """True or False if sums are taken in levels or not; None where that leaves all bits as they are."""
    loads: set[int]
    others: dict[int, int] = field(default_factory=dict)
    """Variables of further folds, and those of the first one in their place."""


def share_loops(
    nests: Nests,
    rows: int,
    statements: Sequence[LoopedStatement],
    spaces: Sequence[Space],
    lane: int | None = None,
    lanes: int = 1,
) -> Sequence[LoopedStatement]:
    """Return the statements of a nest over `rows` axes with shared variables, their index arithmetic by their `spaces`.

    Row axis `lane`, if given, is in vectors of `lanes`.
    """
    folds = row_folds(rows, statements, spaces)
    return _Sharing(nests, lane, lanes).shared(folds, statements, spaces) if len(folds) > 1 else statements


class _Sharing:
    """Finds the loops of a nest."""

    def __init__(self, nests: Nests, lane: int | None, lanes: int) -> None:
        self._nests = nests
        self._lane = 0 if lane is None else bit(lane)
        self._lanes = lanes
        registers = nests.target.registers
        self._most = registers - registers // thresholds.ELEMENT_REGISTERS_SHARE

    def shared(
        self, folds: Sequence[tuple[Fold, Space]], statements: Sequence[LoopedStatement], spaces: Sequence[Space]
    ) -> Sequence[LoopedStatement]:
        """Return the statements with shared variables."""
        loops: list[_Loop] = []
        levels: dict[int, int] = {}
        for fold, space in folds:
            below = [levels[id(node)] for node in walk(*fold.elements) if id(node) in levels]
            levels[id(fold)] = 1 + max(below, default=0)
            loop = self._loop(fold, space, levels[id(fold)])
            if not any(self._joins(loop, fold, space, other) for other in loops):
                loops.append(loop)
        names = {variable: first for loop in loops for variable, first in loop.others.items()}
        sizes = {variable: size for loop in loops for variable, size in loop.chain}
        if not names:
            return statements
        return [_with_names(one, space, names, sizes) for one, space in zip(statements, spaces, strict=True)]

    def _loop(self, fold: Fold, space: Space, level: int) -> _Loop:
        chain, elements = nested(fold)
        reduction, free = monoid(fold), space.interner.free(fold)
        fold_lanes = None if free & self._lane else self._nests.vectors.fold(fold, None)
        lanes = self._lanes if free & self._lane else 1 if fold_lanes is None else fold_lanes.lanes.step
        target = self._nests.target
        return _Loop(
            chain=chain,
            free=free,
            level=level,
            vectors=None
            if fold_lanes is None
            else ([variable for variable, _ in chain].index(fold_lanes.variable), fold_lanes.lanes),
            registers=sum(max(1, lanes // target.lanes(max(4, dtype.itemsize))) for dtype in reduction.accumulators),
            order=reduction.levelled if reduction.rounds else None,
            loads=_loads(elements),
        )

    def _joins(self, loop: _Loop, fold: Fold, space: Space, other: _Loop) -> bool:
        """Have a fold join another loop, if it may."""
        alike = (loop.free, loop.level, loop.vectors) == (other.free, other.level, other.vectors)
        sizes = len(loop.chain) == len(other.chain) and all(
            same(one[1], of[1]) for one, of in zip(loop.chain, other.chain, strict=True)
        )
        ordered = None in (loop.order, other.order) or loop.order == other.order
        if not (alike and sizes and ordered) or loop.registers + other.registers > self._most:
            return False
        names = {one[0]: of[0] for one, of in zip(loop.chain, other.chain, strict=True)}
        space.ranges.update(other.chain)
        loads = _loads([renamed(part, space, names) for part in nested(fold)[1]])
        if loads.isdisjoint(other.loads):
            return False
        other.loads |= loads
        other.registers += loop.registers
        other.order = loop.order if other.order is None else other.order
        other.others |= names
        return True


def row_folds(rows: int, statements: Sequence[LoopedStatement], spaces: Sequence[Space]) -> list[tuple[Fold, Space]]:
    """Return the folds that are one number per row and read nothing that the nest stores; needed ones come first."""
    stored = {one.statement.buffer for one in statements}
    axes = sum(bit(axis) for axis in range(rows))
    pairs: dict[int, tuple[Fold, Space]] = {}
    for one, space in zip(statements, spaces, strict=True):
        for root in (one.statement.index, one.statement.value):
            if space.interner.facts(root).folds:
                folds = (node for node in upward(root) if isinstance(node, Fold))
                pairs.update((id(fold), (fold, space)) for fold in folds if not space.interner.free(fold) & ~axes)
    return [pair for pair in pairs.values() if not _reads(pair[0], stored)]


def _reads(fold: Fold, stored: set[int]) -> bool:
    return any(isinstance(node, Load) and node.operand in stored for node in walk(fold))


def _loads(elements: Sequence[Expr]) -> set[int]:
    return {id(node) for node in walk(*elements, folds=False) if isinstance(node, Load)}


def renamed(expr: Expr, space: Space, names: Mapping[int, int]) -> Expr:
    """Return an expression with fold variables, free ones too, replaced by others."""
    return space.rewrite_deep(
        expr,
        {variable: space.interner.axis(first) for variable, first in names.items()},
        lambda load, indices: space.interner.load(load.dtype, load.operand, indices),
        lambda fold: names.get(fold.variable, fold.variable),
        {},
    )


def _with_names(one: LoopedStatement, space: Space, names: dict[int, int], sizes: dict[int, int]) -> LoopedStatement:
    space.ranges.update(sizes)
    index, value = (renamed(root, space, names) for root in (one.statement.index, one.statement.value))
    return changed(one, statement=changed(one.statement, index=index, value=value))
