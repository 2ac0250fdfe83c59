# SPDX-License-Identifier: Apache-2.0
"""Choose vectors: how many lanes the loops of a nest and its folds have, and how what is left of them ends."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from hybridize.base import dims
from hybridize.base.dims import bounds, is_symbolic, same
from hybridize.loops.expr import Axis, Expr, Fold, Load
from hybridize.loops.index import Index
from hybridize.loops.kernel import Param
from hybridize.loops.measure import walk, weight, widest
from hybridize.loops.monoids import monoid, nested
from hybridize.machine.target import Target
from hybridize.schedule import thresholds
from hybridize.schedule.kernel import Few, FoldLanes, Lanes, LoopAxis


def typical(size: int) -> int:
    """A size, to choose loops by. One that is not known counts as many: with few, no choice costs much."""
    if not dims.is_symbolic(size):
        return size
    return min(max(dims.hint(size), thresholds.FULL_VECTORS), dims.bounds(size)[1])


def lanes_for(base: int, cost: int, size: int, target: Target | None = None) -> int:
    """Lanes for a loop over `size` elements: several registers' worth where the body is cheap, none mostly empty.

    Vectors side by side hide each other's latency, which the machine cannot look far enough ahead to do; with many
    registers that pays even where some constants and temporaries no longer fit. Without a target there are few.
    """
    light, middling = thresholds.VECTOR_WEIGHTS
    if target is not None and target.registers > thresholds.FEW_REGISTERS:
        light, middling = thresholds.VECTOR_WEIGHTS_IN_PLACE if target.adds_in_place else thresholds.MANY_VECTOR_WEIGHTS
    lanes = base * (4 if cost <= light else 2 if cost <= middling else 1)
    most = dims.bounds(size)[1]
    while lanes > 1 and lanes >= 2 * most:
        lanes //= 2
    return lanes


class Widths:
    """Chooses the vectors of nests over some arrays."""

    def __init__(self, target: Target, arrays: Iterable[Param]) -> None:
        self._target = target
        self._masks = all(target.masks(array.dtype.itemsize) for array in arrays)
        """Vectors of all arrays are loaded and stored under a mask by one instruction."""

    def base(self, *values: Expr) -> int:
        """Lanes of one register for what is computed in expressions."""
        return self._target.lanes(widest(*values))

    def widths(self, size: int, values: Sequence[Expr]) -> tuple[int, int]:
        """Lanes of a loop over `size` elements of expressions, and of a narrower one for what that leaves."""
        base = self.base(*values)
        lanes = lanes_for(base, weight(*values), size, self._target)
        return lanes, min(lanes, base)

    def over(self, start: int, stop: int, widths: tuple[int, int]) -> Lanes:
        """A loop from `start` to `stop`; the narrower width is only used where those are not known."""
        count = stop - start
        wide, narrow = widths
        if not is_symbolic(start) and not is_symbolic(stop):
            return Lanes((wide,) if count >= wide else (), _holding(count % wide))
        whole = tuple(dict.fromkeys(widths))
        if narrow > 1 and self.ends_masked(count, narrow):
            return Lanes(whole, narrow, always=True)
        return Lanes(whole, 0 if narrow == 1 or same(count % narrow, 0) else narrow)

    def axis(self, size: int, widths: tuple[int, int], few: Few | None = None) -> LoopAxis:
        """A whole axis; shorter code where rows of its size are few."""
        lanes = self.over(0, size, widths)
        if few is None or not lanes.always or not same(few.size, size):
            return LoopAxis(size, lanes)
        many = min(widths[0], 2 * widths[1])
        return LoopAxis(size, Lanes((many,), many, always=True), Lanes((), widths[1], always=True))

    def ends_masked(self, count: int, lanes: int) -> bool:
        """Tell whether a loop ends with a masked turn that always runs."""
        return self._masks and bounds(count)[0] > 0 and not same(count % lanes, 0)

    def few(self, sizes: Sequence[int], values: Sequence[Expr]) -> Few | None:
        """Code apart for short rows: where all that is done along rows is of one `size`, and that is not known."""
        if not sizes or not all(is_symbolic(size) and same(size, sizes[0]) for size in sizes):
            return None
        lanes = self.base(*values)
        return Few(sizes[0], lanes) if lanes > 1 and self.ends_masked(sizes[0], lanes) else None

    def fold(self, fold: Fold, few: Few | None) -> FoldLanes | None:
        """Vectors of a fold to one number; None where it is better computed term by term."""
        chain, elements = nested(fold)
        outer, (variable, size) = _lane_last(chain, elements)
        reduction = monoid(fold)
        base = self.base(*elements, fold)
        lanes = lanes_for(base, weight(*elements) + reduction.weight, size, self._target)
        if len(reduction.accumulators) > 1:
            room = self._target.registers // (thresholds.STATE_REGISTERS_SHARE * len(reduction.accumulators))
            lanes = min(lanes, base * max(1, room))
        if lanes == 1:
            return None
        if not is_symbolic(size):
            vectors = Lanes((lanes,) if size >= lanes else (), lanes if size % lanes else 0)
            return FoldLanes(fold.variable, variable, vectors)
        # Wide vectors come first. What they leave is added in narrower ones, for short rows as much as for the rest of
        # long ones; where there are loops around, all is.
        narrow = min(lanes, base)
        whole = (narrow,) if outer else tuple(dict.fromkeys((lanes, narrow)))
        if not self.ends_masked(size, narrow):
            return FoldLanes(fold.variable, variable, Lanes(whole, 0 if same(size % narrow, 0) else narrow))
        if outer or few is None or not same(few.size, size):
            return FoldLanes(fold.variable, variable, Lanes(whole, narrow, always=True))
        many = min(lanes, 2 * narrow)
        whole = tuple(dict.fromkeys((lanes, many)))
        return FoldLanes(fold.variable, variable, Lanes(whole, many, always=True), Lanes((), narrow, always=True))


def _holding(count: int) -> int:
    """The fewest lanes, a power of two, that hold so many elements; 0 for none."""
    return 1 << (count - 1).bit_length() if count else 0


def _lane_last(chain: list[tuple[int, int]], elements: Sequence[Expr]) -> tuple[list[tuple[int, int]], tuple[int, int]]:
    """The chain with the variable last along which loads are in order."""
    if len(chain) == 1:
        return [], chain[0]
    scores = {variable: 0 for variable, _ in chain}
    for expr in walk(*elements):
        if isinstance(expr, Load):
            address = expr.indices[0]
            terms = address.terms if isinstance(address, Index) else ((address, 1),)
            for atom, coefficient in terms:
                if isinstance(atom, Axis) and atom.number in scores and same(coefficient, 1):
                    scores[atom.number] += 1
    best = max(range(len(chain)), key=lambda k: (scores[chain[k][0]] * min(16, typical(chain[k][1])), k))
    return [link for k, link in enumerate(chain) if k != best], chain[best]
