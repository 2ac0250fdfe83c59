# SPDX-License-Identifier: Apache-2.0
"""Reorder nests that only fold, so that memory is read as it lies.

Side by side: rows that are folded along memory are taken a few at a time, each a stream of its own, as one stream
alone does not keep the memory busy. Panels: rows in the lanes of vectors are folded across memory; instead of one
vector's column from top to bottom, pages of each matrix row are added to totals in the first cache.
"""

from __future__ import annotations

from collections.abc import Callable

from hybridize.base import dims
from hybridize.base.dtypes import bool_
from hybridize.base.frozen import frozen
from hybridize.loops.expr import Expr, Fold, Load
from hybridize.loops.index import bit, upward
from hybridize.loops.kernel import Nest
from hybridize.loops.measure import walk, weight, widest
from hybridize.machine.target import Target

LIGHT = 6
"""Instructions per element up to which a fold waits for memory rather than for arithmetic."""
SIDE_BY_SIDE = 4
"""Rows at a time: measured, two or four streams read a quarter more bytes a second than one or eight."""
TALL = 8
"""Matrix rows that are folded in registers before a panel's totals are read and written."""
PAGE_BYTES = 4096
"""Of a matrix row that is the least of a panel: threads may share panels by pages."""
PANEL_BYTES = 16384
"""Of a matrix row that is taken at once, for all folds together: reading on for four pages took 6 to 8 % less time than
for one (4096 x 4096), and the totals still fit the first cache."""
TOTALS = 4
"""Most folds whose totals are kept at a time."""

Free = Callable[[Expr], int]
"""The axes on which an expression depends, as bits."""


@frozen
class SideBySide:
    """Folds of several rows in the turns of one loop; those that others need come first."""

    folds: tuple[Fold, ...]
    rows: int


@frozen
class Panel:
    """Folds whose totals are kept for a panel of columns; those that others need come first."""

    folds: tuple[Fold, ...]
    page: int
    """Columns that are not divided among threads."""
    columns: int
    """At most so many at a time; whole pages."""
    lanes: int


def find_side_by_side(nest: Nest, free: Free, target: Target) -> SideBySide | None:
    """Return a way to fold rows side by side; None where that does not pay."""
    rows = min(SIDE_BY_SIDE, target.registers // 8)
    if nest.lane is not None or not _only_folds(nest) or dims.bounds(nest.rows[-1])[1] < rows:
        return None
    folds = _row_folds(nest, free)
    if any(dims.is_symbolic(fold.size) for fold in folds):
        return None
    inside = [node for fold in folds for node in walk(fold.body) if isinstance(node, Fold)]
    light = all(weight(fold.body) <= LIGHT for fold in folds)
    # A fold of nothing but a fold is written as one loop nest.
    plain = not any(isinstance(fold.body, Fold) for fold in folds)
    return SideBySide(folds, rows) if folds and light and plain and all(node in folds for node in inside) else None


def find_panel(nest: Nest, free: Free, target: Target) -> Panel | None:
    """Return a way to fold rows in panels; None where that does not pay."""
    if nest.lane is None or nest.lane != len(nest.rows) - 1 or not _only_folds(nest):
        return None
    columns = nest.rows[-1]
    if dims.is_symbolic(columns):
        return None
    folds = _row_folds(nest, free)
    if not 0 < len(folds) <= TOTALS or any(fold.dtype == bool_ for fold in folds):
        return None
    itemsize = max(4, widest(*folds))
    lanes = min(nest.lanes, 2 * target.lanes(itemsize))
    # Columns that stay in the second cache are read as fast from top to bottom.
    far = any(dims.bounds(fold.size)[1] * columns * itemsize * 2 > target.l2_bytes for fold in folds)
    page = PAGE_BYTES // itemsize
    pages = min(PANEL_BYTES // PAGE_BYTES // len(folds), -(-columns // page))
    return Panel(folds, page, pages * page, lanes) if far and columns >= 4 * lanes else None


def _only_folds(nest: Nest) -> bool:
    """Tell whether nothing is stored but one element per row."""
    return bool(nest.rows) and not any(statement.sizes for statement in nest.statements)


def _row_folds(nest: Nest, free: Free) -> tuple[Fold, ...]:
    """The folds that are one number for each row, and not the same for all; none where one reads what the nest stores.

    Such a fold may run only after that statement of its own row.
    """
    rows = sum(bit(axis) for axis in range(len(nest.rows)))
    own = bit(len(nest.rows) - 1)
    found = {id(node): node for s in nest.statements for node in upward(s.value) if isinstance(node, Fold)}
    folds = tuple(fold for fold in found.values() if not free(fold) & ~rows and free(fold) & own)
    stored = {statement.buffer for statement in nest.statements}
    late = any(isinstance(node, Load) and node.operand in stored for node in walk(*folds))
    return () if late else folds
