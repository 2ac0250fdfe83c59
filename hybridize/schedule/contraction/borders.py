# SPDX-License-Identifier: Apache-2.0
"""Cut a contraction where its indices leave the first operand, so that this is read as it lies (*border classes*).

    convolution with padding 1 and a window of 3     x[y + r - 1]
        y = 0: r from 1        y from 1 to the last but one: all r        the last y: r below 2

Along each axis of the result, indices that see the same elements of the window are one range; what several axes have
makes boxes, as the nine of an image: its middle, four sides, four corners. In each of them no index leaves x, and the
terms that would be 0 are not summed.
"""

from __future__ import annotations

import itertools

from hybridize.base import dims
from hybridize.base.dims import same
from hybridize.base.frozen import frozen
from hybridize.base.types import Shape
from hybridize.loops.contraction import Subscript, outside
from hybridize.schedule.contraction import thresholds
from hybridize.schedule.contraction.parts import Part, restricted


def borders(part: Part, shape: Shape) -> tuple[Part, ...] | None:
    """Cut a part into parts whose indices do not leave the first operand, of this shape.

    None where an index that does has several axes of the result or of sums in it, where sizes that matter are not
    known, or where there would be too many parts.
    """
    contraction = part.contraction
    sizes, rank = contraction.sizes, contraction.rank
    if part.is_empty:
        return (part,)
    leaving = []
    for index, size, leaves in zip(contraction.x, shape, outside(contraction.x, sizes, shape), strict=True):
        if leaves:
            crossing = _leaving(index, size, sizes, rank)
            if crossing is None:
                return None
            leaving.append(crossing)
    if not leaving:
        return (part,)
    cuts: dict[int, set[int]] = {}
    for one in leaving:
        if one.row is not None:
            firsts = one.firsts()
            if firsts is None:
                return None
            cuts.setdefault(one.row, {0}).update(firsts)
    ranges = []
    for axis, cut in cuts.items():
        begins = sorted(cut)
        ends = [*begins[1:], sizes[axis]]
        ranges.append([(axis, (begin, end - begin)) for begin, end in zip(begins, ends, strict=True)])
    boxes = list(itertools.islice(itertools.product(*ranges), thresholds.BORDER_PARTS + 1))
    if len(boxes) > thresholds.BORDER_PARTS:
        return None
    return tuple(_box(part, dict(box), leaving) for box in boxes)


def share_inside(index: Subscript, size: int, sizes: tuple[int, ...], rank: int) -> float:
    """Return the share of the elements that an index of an axis of that size names, over all terms, which exist.

    1 where that is not known: then no part of the result could leave terms out.
    """
    crossing = _leaving(index, size, sizes, rank)
    if (
        crossing is None
        or crossing.row is None
        or crossing.sum is None
        or crossing.rows * crossing.terms > thresholds.COUNTED_TERMS
    ):
        return 1.0
    return sum(crossing.inside(row)[1] for row in range(crossing.rows)) / max(1, crossing.rows * crossing.terms)


@frozen
class _Leaving:
    """An index that leaves its operand: row_factor * row + factor * sum + offset, each where it has one."""

    row: int | None
    row_factor: int
    rows: int
    sum: int | None
    factor: int
    terms: int
    offset: int
    size: int
    """Of the operand along this axis."""

    def inside(self, row: int) -> tuple[int, int]:
        """The first index of the sum, and the number of them, whose element exists for this row."""
        base = self.offset + self.row_factor * row
        if self.sum is None:
            return (0, 1) if 0 <= base < self.size else (0, 0)
        last = self.size - 1
        low, high = (-base, last - base) if self.factor > 0 else (base - last, base)
        by = abs(self.factor)
        first, end = max(0, -(-low // by)), min(self.terms, high // by + 1)
        return (first, end - first) if first < end else (0, 0)

    def firsts(self) -> list[int] | None:
        """The rows from which on other elements of the window exist; None where those are too many."""
        reach = (self.terms - 1) * self.factor
        low, high = self.offset + min(0, reach), self.offset + max(0, reach)
        by, last = abs(self.row_factor), self.size - 1
        # Rows from `begin` to `end` see all elements.
        lead, tail = (-low, last - high) if self.row_factor > 0 else (high - last, low)
        begin = min(self.rows, max(0, -(-lead // by)))
        end = max(begin, min(self.rows, tail // by + 1))
        if max(begin, self.rows - end) > thresholds.BORDER_INDICES:
            return None
        near = [*range(begin), *range(end, self.rows)]
        rows = (row for row in (*near, begin, end) if row < self.rows)
        return [row for row in rows if row == 0 or self.inside(row) != self.inside(row - 1)]


def _leaving(index: Subscript, size: int, sizes: tuple[int, ...], rank: int) -> _Leaving | None:
    """An index in parts; None where it has several axes of a kind, or where one matters that is not known."""
    rows = [term for term in index.terms if term[0] < rank]
    sums = [term for term in index.terms if term[0] >= rank]
    if len(rows) > 1 or len(sums) > 1 or not same(index.divisor, 1):
        return None
    row, row_factor = rows[0] if rows else (None, 1)
    inner, factor = sums[0] if sums else (None, 1)
    count = 1 if row is None else sizes[row]
    terms = 1 if inner is None else sizes[inner]
    if not dims.known((index.offset, row_factor, factor, count, terms, size)):
        return None
    return _Leaving(
        row=row, row_factor=row_factor, rows=count, sum=inner, factor=factor, terms=terms, offset=index.offset,
        size=size,
    )  # fmt: skip


def _box(part: Part, spans: dict[int, tuple[int, int]], leaving: list[_Leaving]) -> Part:
    """The part of some ranges of rows, with the terms that exist there."""
    contraction = part.contraction
    ranges: dict[int, tuple[int, int]] = {}
    for one in leaving:
        first, count = one.inside(0 if one.row is None else spans[one.row][0])
        axis = one.sum
        if axis is None:
            if count:
                continue
            axis, first = contraction.rank, 0  # none of the sum
        if axis in ranges:
            begin = max(first, ranges[axis][0])
            count = max(0, min(first + count, sum(ranges[axis])) - begin)
            first = begin if count else 0
        ranges[axis] = (first, count)
    return restricted(part, {**spans, **ranges})
