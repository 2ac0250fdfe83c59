# SPDX-License-Identifier: Apache-2.0
"""Ways down decision trees, a few side by side: the next node of one is waited for while the others go on.

Rows of one tree go side by side, so that its nodes stay in the first cache; for the last few rows, trees of one row do.
"""

from __future__ import annotations

from collections.abc import Sequence

from hybridize.base import dims
from hybridize.base.dims import same
from hybridize.base.types import TensorType
from hybridize.codegen.llvm.routines.cells import Cells
from hybridize.codegen.llvm.routines.units import each_unit
from hybridize.codegen.llvm.text import Function
from hybridize.loops.expr import Routine
from hybridize.machine.target import Target
from hybridize.schedule import thresholds


def write(
    f: Function, routine: Routine, inputs: Sequence[TensorType], outputs: Sequence[TensorType], target: Target
) -> None:
    """Write the body of `descent` with the parameter depth."""
    rows, trees = inputs[0].shape[0], inputs[3].shape[0]
    ways = _Ways(f, routine.parameters[0], inputs)
    if target.device is not None:
        with each_unit(f, trees, rows) as (tree, row):
            ways.write([(tree, row)])
        return
    whole = rows // thresholds.DESCENTS_TOGETHER * thresholds.DESCENTS_TOGETHER
    if dims.is_symbolic(rows) or whole:
        with f.loop(0, trees) as tree, f.loop(0, whole, thresholds.DESCENTS_TOGETHER) as row:
            ways.write([(tree.index, f.plus(row.index, k)) for k in range(thresholds.DESCENTS_TOGETHER)])
    if same(whole, rows):
        return
    with f.loop(whole, rows) as row:
        several = trees // thresholds.DESCENTS_TOGETHER * thresholds.DESCENTS_TOGETHER
        for start, stop, count in ((0, several, thresholds.DESCENTS_TOGETHER), (several, trees, 1)):
            if start != stop:
                with f.loop(start, stop, count) as tree:
                    ways.write([(f.plus(tree.index, k), row.index) for k in range(count)])


class _Ways:
    """The operands of a descent."""

    def __init__(self, f: Function, depth: int, inputs: Sequence[TensorType]) -> None:
        x, splits, links, _ = inputs
        self.f = f
        self.depth = depth
        self.rows, self.columns = x.shape
        self.nodes, self.fields = links.shape
        self.numbers, self.links = Cells(f, x.dtype), Cells(f, links.dtype)
        self.type = self.numbers.scalar
        self.ends = [f.op(f"trunc i64 {f.size(size)} to i32") for size in (splits.shape[0], self.columns)]

    def write(self, pairs: Sequence[tuple[str, str]]) -> None:
        """The ways of pairs of a tree and a row, side by side."""
        f = self.f
        starts = [f.times(row, self.columns) for _, row in pairs]
        roots = [("i32", self.links.load("%i3", tree, 1)) for tree, _ in pairs]
        with f.loop(0, self.depth, carry=roots) as turn:
            steps = [self._step(way, start) for way, start in zip(turn.values, starts, strict=True)]
            turn.following = [way for way, _ in steps]
            turn.more = steps[0][1]
            for _, goes_on in steps[1:]:
                turn.more = f.op(f"or i1 {turn.more}, {goes_on}")
        for (tree, row), way in zip(pairs, turn.results, strict=True):
            place = f.plus(f.times(tree, self.rows), row)
            last = f.op(f"sext i32 {way} to i64")
            f.store(last, f.element("%o0", place))

    def _within(self, number: str, end: str) -> tuple[str, str]:
        """An i1 that tells whether a number is below the end, and the number, or the last one, as i64."""
        f = self.f
        below = f.op(f"icmp ult i32 {number}, {end}")
        last = f.op(f"sub i32 {end}, 1")
        return below, f.op(f"zext i32 {f.op(f'select i1 {below}, i32 {number}, i32 {last}')} to i64")

    def _step(self, way: str, start: str) -> tuple[str, str]:
        """The link from a node, and an i1 that tells whether it leads to another; a leaf stays."""
        f = self.f
        inner, node = self._within(way, self.ends[0])
        first = f.times(node, self.fields)
        column, least, more, neither = (self.links.load("%i2", f.plus(first, k), 1) for k in range(4))
        _, column = self._within(column, self.ends[1])
        value, split = self.numbers.load("%i0", f.plus(start, column), 1), self.numbers.load("%i1", node, 1)
        at_most = f.op(f"fcmp ole {self.type} {value}, {split}")
        is_nan = f.op(f"fcmp uno {self.type} {value}, {split}")
        link = f.op(f"select i1 {at_most}, i32 {least}, i32 {more}")
        link = f.op(f"select i1 {is_nan}, i32 {neither}, i32 {link}")
        link = f.op(f"select i1 {inner}, i32 {link}, i32 {way}")
        return link, f.op(f"icmp ult i32 {link}, {self.ends[0]}")
