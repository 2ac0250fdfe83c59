# SPDX-License-Identifier: Apache-2.0
"""Decide how the loops of a nest run: from rows and statements to axes with kinds, bodies and vectors.

Nothing of it changes what a nest means, and all of it depends on the nest, its kernel's arrays and the target alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from hybridize.base.dims import is_symbolic, same
from hybridize.loops.expr import Fold, Load
from hybridize.loops.index import Interner, bit
from hybridize.loops.kernel import Param, Statement, roots_of
from hybridize.loops.measure import step_along, walk
from hybridize.machine.target import Target
from hybridize.schedule import kernel, thresholds
from hybridize.schedule.levels import levels_of
from hybridize.schedule.panels import find_panels, find_side_by_side
from hybridize.schedule.tiles import find_tiles, in_order
from hybridize.schedule.together import LoopedStatement, together
from hybridize.schedule.vectors import Widths


class Nests:
    """Makes the nests of a kernel over `arrays`, its params and locals."""

    def __init__(self, target: Target, arrays: Iterable[Param], interner: Interner) -> None:
        self.target = target
        self.vectors: Widths = Widths(target, arrays)
        self.interner = interner

    def nest(self, statements: Sequence[LoopedStatement]) -> kernel.Nest:
        """A nest of statements without rows."""
        return _Decisions(self, (), statements, None, 1, apart=False).nest()

    def nests(
        self,
        rows: tuple[int, ...],
        statements: Sequence[LoopedStatement],
        lane: int | None = None,
        lanes: int = 1,
        *,
        apart: bool = False,
    ) -> list[kernel.Nest]:
        """The nests of statements that run for each row: on a processor it is one.

        Row axis `lane`, if given, is in vectors of `lanes`. `apart`: each row by itself, so that any can be run.
        """
        return [_Decisions(self, rows, statements, lane, lanes, apart=apart).nest()]

    def kernel(self, params: Sequence[Param], locals_: Sequence[Param], nests: Sequence[kernel.Nest]) -> kernel.Kernel:
        """The kernel of nests over params and rows that it keeps."""
        return kernel.Kernel(tuple(params), tuple(locals_), tuple(nests))


class _Decisions:
    """Those of one nest."""

    def __init__(
        self,
        of: Nests,
        rows: tuple[int, ...],
        statements: Sequence[LoopedStatement],
        lane: int | None,
        lanes: int,
        *,
        apart: bool,
    ) -> None:
        self._target, self._vectors, self._interner = of.target, of.vectors, of.interner
        self._rows = rows
        self._looped = statements
        self._statements = [one.statement for one in statements]
        self._values = [statement.value for statement in self._statements]
        self._stored = {statement.buffer for statement in self._statements}
        self._lane, self._lanes, self._apart_rows = lane, lanes, apart
        self._all_folds = self._found_folds()
        self._folds = list({fold.variable: fold for fold in self._all_folds}.values())
        """One of each loop."""
        self._few = self._apart()

    def nest(self) -> kernel.Nest:
        """The nest, decided."""
        groups, rows = together(self._looped), self._row_axes()
        vertical = self._lane is not None and _only_vectors(rows[self._lane].kind)
        lanes = [self._fold(fold) for fold in self._folds if not (vertical and self._varies(fold))]
        spread = tuple(fold for fold in lanes if fold is not None)
        bodies = tuple(self._body(group, last=group is groups[-1]) for group in groups)
        panels = next((row.kind for row in rows if isinstance(row.kind, kernel.Panels)), None)
        levels = levels_of(self._all_folds, spread, panels, self._is_vertical)
        return kernel.Nest(rows, bodies, spread, self._few, levels)

    # Rows

    def _row_axes(self) -> tuple[kernel.LoopAxis, ...]:
        axes, lane = [kernel.LoopAxis(size) for size in self._rows], self._lane
        reordered = self._reordered()
        if reordered is not None:
            axes[-1] = kernel.LoopAxis(self._rows[-1], reordered)
        elif lane is not None:
            narrow = min(self._lanes, self._vectors.base(*self._values))
            axes[lane] = self._vectors.axis(self._rows[lane], (self._lanes, narrow))
        return tuple(axes)

    def _reordered(self) -> kernel.Panels | kernel.SideBySide | None:
        """Another order of the last row axis, where nothing is stored but one element per row."""
        if self._apart_rows or not self._rows or any(one.sizes for one in self._looped):
            return None
        if self._lane is None:
            return find_side_by_side(self._rows, self._statements, self._interner, self._target)
        if self._lane == len(self._rows) - 1:
            return find_panels(self._rows, self._lanes, self._statements, self._interner, self._target)
        return None

    # Folds

    def _found_folds(self) -> list[Fold]:
        """All folds."""
        folding = [root for root in roots_of(self._statements) if self._interner.facts(root).folds]
        return [node for node in walk(*folding) if isinstance(node, Fold)]

    def _apart(self) -> kernel.Few | None:
        """Rows so short that they have code of their own."""
        if not self._rows or self._lane is not None:
            return None
        sizes = [one.sizes[-1] for one in self._looped if one.sizes] + [fold.size for fold in self._folds]
        return self._vectors.few(sizes, self._values)

    def _fold(self, fold: Fold) -> kernel.FoldLanes | None:
        """Vectors of a fold: those of short rows only within rows, as other folds are hoisted out of them."""
        outer = sum(bit(axis) for axis in range(len(self._rows) - 1))
        hoisted = not self._interner.free(fold) & ~outer and not self._reads_stored(fold)
        return self._vectors.fold(fold, None if hoisted else self._few)

    def _varies(self, fold: Fold) -> bool:
        """Tell whether a fold differs between the rows of a vector."""
        return self._lane is not None and bool(self._interner.free(fold) & bit(self._lane) or self._reads_stored(fold))

    def _is_vertical(self, fold: Fold) -> bool:
        """Tell whether a fold may differ between the lanes of rows, or of the inner loop that has vectors."""
        rows = len(self._rows)
        inner = {rows + len(one.sizes) - 1 for one in self._looped if one.sizes}
        return self._varies(fold) or bool(self._interner.free(fold) & sum(map(bit, inner)))

    def _reads_stored(self, fold: Fold) -> bool:
        return any(isinstance(node, Load) and node.operand in self._stored for node in walk(fold))

    # Blocks

    def _body(self, group: Sequence[LoopedStatement], last: bool) -> kernel.Body:
        sizes, first = group[0].sizes, len(self._rows)
        statements = tuple(one.statement for one in group)
        axes = [kernel.LoopAxis(size) for size in sizes]
        if self._lane is not None or not sizes:
            return kernel.Body(tuple(axes), statements)
        innermost = first + len(sizes) - 1
        if len(statements) == 1 and _is_copy(statements[0], innermost):
            axes[-1] = kernel.LoopAxis(sizes[-1], kernel.Memcpy())
            return kernel.Body(tuple(axes), statements)
        values = [statement.value for statement in statements]
        axes[-1] = self._vectors.axis(sizes[-1], self._vectors.widths(sizes[-1], values), self._few)
        tiles = find_tiles(sizes, first, statements, self._vectors)
        if tiles is not None:
            axes[tiles[0]] = kernel.LoopAxis(sizes[tiles[0]], tiles[1])
        return kernel.Body(tuple(axes), statements, self._fetches(statements, innermost) if last and self._rows else ())

    def _fetches(self, statements: Sequence[Statement], axis: int) -> tuple[kernel.Fetch, ...]:
        """The loads along `axis` of the last statements, with the distance to the same element of the next row.

        A row is read several times but only once from afar: that time waits, at each new page anew.
        """
        fetches, row = [], len(self._rows) - 1
        for load in walk(*(statement.value for statement in statements), indices=False, folds=False):
            if not isinstance(load, Load) or load.operand in self._stored or not in_order(load, axis):
                continue
            step = step_along(load.indices[0], row)
            if step is None or is_symbolic(step):
                continue
            near = self._target.l1_bytes // thresholds.NEAR_ROW_SHARE
            if thresholds.FETCHED_BYTES <= step * load.dtype.itemsize <= near:
                fetches.append(kernel.Fetch(load, step))
        return tuple(fetches)


def _only_vectors(kind: kernel.AxisKind) -> bool:
    """Tell whether no turn of an axis is a single index."""
    return isinstance(kind, kernel.Panels) or (isinstance(kind, kernel.Lanes) and 1 not in (*kind.whole, kind.rest))


def _is_copy(statement: Statement, axis: int) -> bool:
    """Tell whether a statement copies elements that lie one after the other along `axis`."""
    source = statement.value
    if not isinstance(source, Load) or source.operand == statement.buffer or not in_order(source, axis):
        return False
    step = step_along(statement.index, axis)
    return step is not None and same(step, 1)
