# SPDX-License-Identifier: Apache-2.0
"""Decide the order in which long folds are summed: in blocks of turns, and blocks of blocks.

A sum of many terms in order has an error that grows with their number; one of blocks that are summed apart has that of
a block and of the number of blocks. Where vectors are summed, a turn is a vector of terms.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from hybridize.base.dims import is_symbolic
from hybridize.loops.expr import Fold
from hybridize.loops.monoids import monoid, nested
from hybridize.schedule import thresholds
from hybridize.schedule.kernel import FoldLanes, FoldLevels, Panels


def levels_of(
    folds: Iterable[Fold], lanes: Iterable[FoldLanes], panels: Panels | None, varies: Callable[[Fold], bool]
) -> tuple[FoldLevels, ...]:
    """The levels of folds that are long enough to have some, by their variables.

    Args:
        folds: all of a nest.
        lanes: their vectors.
        panels: the panels that some of them are added up in.
        varies: tells of a fold whether it differs between the lanes of a vector, and runs turn by turn there.
    """
    loops: dict[int, list[Fold]] = {}
    for fold in folds:
        loops.setdefault(fold.variable, []).append(fold)
    spread = {one.variable: one for one in lanes}
    terms = {nested(fold)[0][-1][0]: panels.terms for fold in panels.folds} if panels is not None else {}
    levels = []
    for variable, of in loops.items():
        if not any(monoid(fold).levelled for fold in of):
            continue
        one, size = spread.get(variable), of[0].size
        always = one is not None and not any(map(varies, loops[one.fold]))
        turns = () if always else _levels(size, terms.get(variable, 1))
        vectors = () if one is None else _levels(size, one.lanes.step)
        if turns or vectors:
            levels.append(FoldLevels(variable, turns, vectors))
    return tuple(levels)


def _levels(size: int, step: int) -> tuple[int, ...]:
    """The turns of a block of each level, outermost first, where a turn has `step` terms."""
    turns = thresholds.FOLD_TURNS if is_symbolic(size) else size // step
    levels, block = [], thresholds.FOLD_BLOCK
    while turns > 2 * block:
        levels.append(block)
        block *= thresholds.FOLD_BLOCK
    return tuple(reversed(levels))
