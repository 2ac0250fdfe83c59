# SPDX-License-Identifier: Apache-2.0
"""Have a fold that needs another one over the same elements run in one pass with it, where a row is long.

The sum of exp(x - max x) is one pass over x with a monoid that knows how to go on when the maximum grows
(`loops.monoids`). It computes more for each element, and sums in another order: rows that stay near are read twice.
"""

from __future__ import annotations

from collections.abc import Sequence

from hybridize.base.dims import bounds, hint
from hybridize.base.frozen import changed
from hybridize.loops.expr import Expr, Fold, Load
from hybridize.loops.index import Space, bit, children, upward
from hybridize.loops.measure import walk
from hybridize.loops.monoids import one_pass
from hybridize.machine.target import Target
from hybridize.schedule.grouping import row_limit
from hybridize.schedule.siblings import renamed, row_folds
from hybridize.schedule.together import LoopedStatement


def in_one_pass(
    target: Target,
    rows: int,
    statements: Sequence[LoopedStatement],
    spaces: Sequence[Space],
    lane: int | None,
) -> Sequence[LoopedStatement]:
    """Return the statements of a nest over `rows` axes, pairs of folds over long rows in one pass each.

    `lane`: the row axis that is in vectors, if one is.
    """
    limit = row_limit(target, along=lane is None)
    replaced: dict[int, Expr] = {}
    folds = row_folds(rows, statements, spaces)
    for fold, space in folds:
        fusion, interner = one_pass(fold), space.interner
        if fusion is None or not any(fusion.first is other for other, _ in folds) or not _is_longer(fold, limit, space):
            continue
        names = {fusion.first.variable: fold.variable}
        space.ranges[fold.variable] = space.ranges[fusion.first.variable] = fold.size
        if all(renamed(x, space, names) is y for x, y in zip(fusion.first.elements, fusion.elements, strict=True)):
            both = interner.fold(fusion.first.dtype, fusion.kind, fold.size, fold.variable, fusion.elements)
            replaced[id(fusion.first)] = both
            replaced[id(fold)] = interner.result(fold.dtype, both, 1)
    if not replaced:
        return statements
    return [_with(one, space, replaced) for one, space in zip(statements, spaces, strict=True)]


def _is_longer(fold: Fold, limit: int, space: Space) -> bool:
    """Tell whether a fold reads rows of more bytes than `limit`, and never empty ones."""
    along = bit(fold.variable)
    loads = (node for node in walk(*fold.elements) if isinstance(node, Load) and space.interner.free(node) & along)
    itemsize = max((load.dtype.itemsize for load in loads), default=0)
    return hint(fold.size) * itemsize > limit and bounds(fold.size)[0] > 0


def _with(one: LoopedStatement, space: Space, replaced: dict[int, Expr]) -> LoopedStatement:
    memo = dict(replaced)
    for root in (one.statement.index, one.statement.value):
        for node in upward(root):
            if id(node) not in memo:
                memo[id(node)] = space.remade(node, tuple(memo[id(child)] for child in children(node)))
    index, value = (memo[id(root)] for root in (one.statement.index, one.statement.value))
    return changed(one, statement=changed(one.statement, index=index, value=value))
