# SPDX-License-Identifier: Apache-2.0
"""Reorder nests that only fold, so that memory is read as it lies.

Side by side: rows that are folded along memory are taken a few at a time, each a stream of its own, as one stream
alone does not keep the memory busy. Panels: rows in the lanes of vectors are folded across memory; instead of one
vector's column from top to bottom, pages of each matrix row are added to totals in the first cache.
"""

from __future__ import annotations

from collections.abc import Sequence

from hybridize.base import dims
from hybridize.base.dtypes import bool_
from hybridize.loops.expr import Fold, Load
from hybridize.loops.index import Interner, bit, upward
from hybridize.loops.kernel import Statement
from hybridize.loops.measure import walk, weight, widest
from hybridize.loops.monoids import monoid
from hybridize.machine.target import Target
from hybridize.schedule import thresholds
from hybridize.schedule.kernel import Panels, SideBySide


def find_side_by_side(
    rows: Sequence[int], statements: Sequence[Statement], interner: Interner, target: Target
) -> SideBySide | None:
    """Return a way to fold rows, each of which stores one element per statement, side by side; None where that does
    not pay.
    """
    folds = _row_folds(len(rows), statements, interner)
    if not folds:
        return None
    of_row = thresholds.ROW_REGISTERS * max(_totals(folds).values())
    streams = min(thresholds.SIDE_BY_SIDE, target.registers // of_row)
    if streams < 2 or dims.bounds(rows[-1])[1] < streams or any(dims.is_symbolic(fold.size) for fold in folds):
        return None
    inside = [node for fold in folds for node in walk(*fold.elements) if isinstance(node, Fold)]
    light = all(weight(*fold.elements) + monoid(fold).weight <= thresholds.LIGHT_FOLD for fold in folds)
    # A fold of nothing but a fold is written as one loop nest.
    plain = not any(isinstance(part, Fold) for fold in folds for part in fold.elements)
    return SideBySide(streams, folds) if light and plain and all(node in folds for node in inside) else None


def find_panels(
    rows: Sequence[int], lanes: int, statements: Sequence[Statement], interner: Interner, target: Target
) -> Panels | None:
    """Return a way to fold rows, the last axis of which is in vectors of `lanes`, in panels; None where that does not
    pay.
    """
    columns = rows[-1]
    if dims.is_symbolic(columns):
        return None
    folds = _row_folds(len(rows), statements, interner)
    totals = [dtype for fold in folds for dtype in monoid(fold).accumulators]
    if not 0 < len(totals) <= thresholds.COLUMN_TOTALS or bool_ in totals:
        return None
    itemsize = max(4, widest(*folds))
    lanes = min(lanes, 2 * target.lanes(itemsize))
    # Columns that stay in the second cache are read as fast from top to bottom.
    far = any(dims.bounds(fold.size)[1] * columns * itemsize * 2 > target.l2_bytes for fold in folds)
    page = thresholds.PAGE_BYTES // itemsize
    pages = min(thresholds.PANEL_BYTES // thresholds.PAGE_BYTES // len(totals), -(-columns // page))
    return Panels(page, pages, lanes, thresholds.PANEL_TERMS, folds) if far and columns >= 4 * lanes else None


def _totals(folds: Sequence[Fold]) -> dict[int, int]:
    """Return the number of accumulators in each loop, by its variable."""
    totals: dict[int, int] = {}
    for fold in folds:
        totals[fold.variable] = totals.get(fold.variable, 0) + len(monoid(fold).accumulators)
    return totals


def _row_folds(rows: int, statements: Sequence[Statement], interner: Interner) -> tuple[Fold, ...]:
    """The folds that are one number for each row, and not the same for all; none where one reads what the nest stores.

    Such a fold may run only after that statement of its own row.
    """
    all_rows, own = sum(bit(axis) for axis in range(rows)), bit(rows - 1)
    folds = {id(node): node for s in statements for node in upward(s.value) if isinstance(node, Fold)}
    inner = [fold for fold in folds.values() if not interner.free(fold) & ~all_rows]
    stored = {statement.buffer for statement in statements}
    if any(isinstance(node, Load) and node.operand in stored for node in walk(*inner)):
        return ()
    return tuple(fold for fold in inner if interner.free(fold) & own)
