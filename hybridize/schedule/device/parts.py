# SPDX-License-Identifier: Apache-2.0
"""Cut folds that are too long for the few rows that there are into parts: a launch folds each part, the next one folds
what the parts gave, in order.

    out[i] = sum(v < n: x[i, v])
    becomes     part[p, i] = sum(v < n / parts: x[i, p * (n / parts) + v])
                out[i] = sum(p < parts: part[p, i])

Where no number of parts that is worth it divides a fold, the last part is shorter: its last elements are neutral.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hybridize.base.dims import is_symbolic, product
from hybridize.base.dtypes import bool_, int64
from hybridize.base.frozen import frozen
from hybridize.loops.expr import Expr, Fold, const
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
        value = _part(fold, count, part, here, space)
        number = first + len(buffers)
        buffers.append(Param(fold.dtype, count * results, True))
        parts.append(LoopedStatement((), Statement(number, place, value)))
        after.ranges[fold.variable] = count
        load = interner.load(fold.dtype, number, (after.affine([(after.axis(fold.variable), results), (row, 1)]),))
        known[id(fold)] = interner.fold(fold.dtype, fold.kind, count, fold.variable, (load,))
    whole = tuple(LoopedStatement((), _with(one, after, known)) for one in statements)
    return FoldParts((count, *rows), tuple(parts), whole, tuple(buffers))


def _part(fold: Fold, count: int, part: Expr, here: Mapping[int, Expr], space: Space) -> Expr:
    """Return the fold of one of so many parts of a fold's elements, over the axes of a space."""
    interner, (chain, elements) = space.interner, nested(fold)
    if fold.size % count == 0:
        size = fold.size // count
        space.ranges.update(chain)
        space.ranges[fold.variable] = size
        index = space.affine([(part, size), (space.axis(fold.variable), 1)])
        of = tuple(moved(element, space, {**here, fold.variable: index}) for element in fold.elements)
        return interner.fold(fold.dtype, fold.kind, size, fold.variable, of)
    total = product(size for _, size in chain)
    size = -(-total // count)
    space.ranges[fold.variable] = size
    index = space.affine([(part, size), (space.axis(fold.variable), 1)])
    inside = space.call(bool_, "lt", (index, interner.number(total)))
    places = space.divided([size for _, size in chain], space.call(int64, "min", (index, interner.number(total - 1))))
    axes = {variable: place for (variable, _), place in zip(chain, places, strict=True)}
    of = tuple(
        interner.select(
            inside,
            moved(element, space, {**here, **axes}),
            interner.const(element.dtype, const(neutral or 0, element.dtype).value),
        )
        for element, neutral in zip(elements, monoid(fold).neutral, strict=True)
    )
    return interner.fold(fold.dtype, fold.kind, size, fold.variable, of)


def _count(rows: tuple[int, ...], folds: Sequence[Fold], *, along: bool) -> int:
    """Count the parts of all folds: as many as divide them, or as are wanted."""
    totals = {product(size for _, size in nested(fold)[0]) for fold in folds}
    if len(totals) > 1 or any(map(is_symbolic, (*rows, *totals))) or not all(map(_may_be_cut, folds)):
        return 1
    inside = {id(node) for fold in folds for element in fold.elements for node in upward(element)}
    if any(id(fold) in inside for fold in folds):
        return 1
    (terms,), each = totals, product(rows)
    if along:
        wanted = min(thresholds.PART_BLOCKS // max(1, each), terms // thresholds.PART_TERMS)
    else:
        wanted = min(thresholds.PART_THREADS // max(1, each), -(-terms // thresholds.THREAD_TERMS))
    if wanted < 2:
        return 1
    sizes = {fold.size for fold in folds}
    count = next((one for one in range(wanted, wanted // 2, -1) if all(size % one == 0 for size in sizes)), wanted)
    if any(size % count for size in sizes):
        count = -(-terms // -(-terms // count))  # none is empty
    return count


def _may_be_cut(fold: Fold) -> bool:
    """Tell whether what a fold gives is a state that others may go on from."""
    of = monoid(fold)
    return of.nests and of.accumulators == (fold.dtype,)


def _with(one: Statement, space: Space, known: dict[int, Expr]) -> Statement:
    """Return a statement with other expressions in the place of some."""
    memo = dict(known)
    for root in (one.index, one.value):
        for node in upward(root):
            if id(node) not in memo:
                memo[id(node)] = space.remade(node, tuple(memo[id(child)] for child in children(node)))
    return Statement(one.buffer, memo[id(one.index)], memo[id(one.value)])
