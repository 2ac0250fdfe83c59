# SPDX-License-Identifier: Apache-2.0
"""Cut folds that are too long for the few rows that there are into parts: a launch folds each part, the next one folds
what the parts gave, in order.

    out[i] = sum(v < n: x[i, v])
    becomes     part[p, i] = sum(v < n / parts: x[i, p * (n / parts) + v])
                out[i] = sum(p < parts: part[p, i])
"""

from __future__ import annotations

from collections.abc import Sequence

from hybridize.base.dims import hint, is_symbolic, product
from hybridize.base.frozen import frozen
from hybridize.loops.expr import Expr, Fold
from hybridize.loops.index import Interner, Space, children, upward
from hybridize.loops.kernel import Param, Statement
from hybridize.loops.monoids import monoid, nested
from hybridize.schedule.device import thresholds
from hybridize.schedule.together import LoopedStatement, moved


@frozen
class FoldParts:
    """Rows and statements of two launches in the place of one, and the buffers between them."""

    rows: tuple[int, ...]
    parts: tuple[LoopedStatement, ...]
    whole: tuple[LoopedStatement, ...]
    buffers: tuple[Param, ...]


def in_parts(
    rows: tuple[int, ...],
    statements: Sequence[Statement],
    folds: Sequence[Fold],
    first: int,
    interner: Interner,
    *,
    along: bool,
) -> FoldParts | None:
    """Cut the folds of statements that store one result for each row; None where that does not pay, or they cannot be.

    Args:
        rows: sizes of the axes that count results.
        statements: each stores one.
        folds: those that are one number for a row.
        first: the number of the first buffer between the launches.
        interner: of the expressions.
        along: True if elements of a fold lie closer together than those of rows: threads share them.
    """
    count = _count(rows, folds, along=along)
    if count < 2:
        return None
    results = product(rows)
    space = Space(interner, dict(enumerate((count, *rows))))
    part, here = space.axis(0), {axis: space.axis(axis + 1) for axis in range(len(rows))}
    place = space.flat(tuple(map(space.axis, range(len(rows) + 1))), (count, *rows))
    known: dict[int, Expr] = {}
    buffers, parts = list[Param](), list[LoopedStatement]()
    after = Space(interner, dict(enumerate(rows)))
    row = after.flat(tuple(map(after.axis, range(len(rows)))), rows)
    for fold in folds:
        size = fold.size // count
        space.ranges.update(nested(fold)[0])
        space.ranges[fold.variable] = size
        index = space.affine([(part, size), (space.axis(fold.variable), 1)])
        elements = tuple(moved(element, space, {**here, fold.variable: index}) for element in fold.elements)
        value = interner.fold(fold.dtype, fold.kind, size, fold.variable, elements)
        number = first + len(buffers)
        buffers.append(Param(fold.dtype, count * results, True))
        parts.append(LoopedStatement((), Statement(number, place, value)))
        after.ranges[fold.variable] = count
        load = interner.load(fold.dtype, number, (after.affine([(after.axis(fold.variable), results), (row, 1)]),))
        known[id(fold)] = interner.fold(fold.dtype, fold.kind, count, fold.variable, (load,))
    whole = tuple(LoopedStatement((), _with(one, after, known)) for one in statements)
    return FoldParts((count, *rows), tuple(parts), whole, tuple(buffers))


def _count(rows: tuple[int, ...], folds: Sequence[Fold], *, along: bool) -> int:
    """The parts of all folds, which divide each evenly."""
    sizes = {fold.size for fold in folds}
    if not folds or len(sizes) > 1 or any(map(is_symbolic, (*rows, *sizes))) or not all(map(_may_be_cut, folds)):
        return 1
    inside = {id(node) for fold in folds for element in fold.elements for node in upward(element)}
    if any(id(fold) in inside for fold in folds):
        return 1
    (size,), each = sizes, hint(product(rows))
    terms = min(hint(product(one for _, one in nested(fold)[0])) for fold in folds)
    if along:
        wanted = min(thresholds.PART_BLOCKS // max(1, each), terms // thresholds.PART_TERMS)
    else:
        wanted = min(thresholds.PART_THREADS // max(1, each), terms // thresholds.THREAD_TERMS)
    return next((count for count in range(min(wanted, size), 1, -1) if size % count == 0), 1)


def _may_be_cut(fold: Fold) -> bool:
    """Tell whether what a fold gives is a state that others may go on from."""
    of = monoid(fold)
    return of.nests and of.accumulators == (fold.dtype,)


def _with(one: Statement, space: Space, known: dict[int, Expr]) -> Statement:
    """A statement with other expressions in the place of some."""
    memo = dict(known)
    for root in (one.index, one.value):
        for node in upward(root):
            if id(node) not in memo:
                memo[id(node)] = space.remade(node, tuple(memo[id(child)] for child in children(node)))
    return Statement(one.buffer, memo[id(one.index)], memo[id(one.value)])
