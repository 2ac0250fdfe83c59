# SPDX-License-Identifier: Apache-2.0
"""Positions of the greatest or least elements: the first one, and the first NaN where there is one.

Where the axis is the last, lanes search stretches of a line, each remembering its best and where; halves are then
compared until one is left. Elsewhere lanes run across lines.
"""

from __future__ import annotations

from collections.abc import Sequence

from hybridize.base import dims
from hybridize.base.dtypes import DType
from hybridize.codegen.llvm.routines.cells import Cells
from hybridize.codegen.llvm.text import Function, vector
from hybridize.machine.target import Target

SMALL = 1 << 31
"""Lines shorter than this have positions of 32 bits."""
UNROLLED = 4
"""Vectors that are searched side by side, as one comparison waits for the one before it."""


class Search:
    """Writes the search along lines of `n` elements, for `%i0` and `%o0` of a routine."""

    def __init__(self, f: Function, key: DType, position: DType, n: int, greatest: bool, target: Target) -> None:
        self.f = f
        self.n = n
        self.greatest = greatest
        self.target = target
        self.cells = Cells(f, key)
        self.positions = Cells(f, position)

    @property
    def lanes(self) -> int:
        """Lanes for a line that lies in order; 1 where it is too short, or of unknown length."""
        if dims.is_symbolic(self.n) or self.n >= SMALL:
            return 1
        base = self.target.lanes(max(4, self.cells.dtype.itemsize))
        return next((lanes for lanes in (UNROLLED * base, base) if self.n >= 2 * lanes), 1)

    def across(self, start: str, stride: str, lanes: int) -> str:
        """Positions in `lanes` lines beside each other, whose elements are `stride` apart, from `start` on."""
        f, cells, kind = self.f, self.cells, self.positions.type(lanes)
        first = cells.load_number("%i0", start, lanes)
        carry = [(cells.number_type(lanes), first), (kind, "zeroinitializer" if lanes > 1 else "0")]
        with f.loop(1, self.n, carry=carry) as loop:
            at = f.op(f"add i64 {start}, {f.op(f'mul i64 {loop.index}, {stride}')}")
            here = self.positions.splat(loop.index, lanes)
            loop.following = self._better(cells.load_number("%i0", at, lanes), here, loop.values, kind, lanes)
        return loop.results[1]

    def along(self, start: str) -> str:
        """Position in one line whose elements follow each other from `start` on."""
        f, cells, lanes = self.f, self.cells, self.lanes
        if lanes == 1:
            return self.across(start, "1", 1)
        kind, whole = vector("i32", lanes), self.n // lanes * lanes
        steps = f"<{', '.join(f'i32 {lane}' for lane in range(lanes))}>"
        carry = [(cells.number_type(lanes), cells.load_number("%i0", start, lanes)), (kind, steps), (kind, steps)]
        with f.loop(lanes, whole, lanes, carry) as loop:
            best, where, last = loop.values
            here = f.op(f"add {kind} {last}, splat (i32 {lanes})")
            x = cells.load_number("%i0", f.op(f"add i64 {start}, {loop.index}"), lanes)
            loop.following = [*self._better(x, here, [best, where], kind, lanes), here]
        found = loop.results[:2]
        if whole < self.n:  # elements that are met twice change nothing: equal ones do not beat each other
            last_start = self.n - lanes
            here = f.op(f"add {kind} {steps}, splat (i32 {last_start})")
            x = cells.load_number("%i0", f.op(f"add i64 {start}, {last_start}"), lanes)
            found = self._better(x, here, found, kind, lanes)
        _, where = self._halved(found[0], found[1], lanes)
        return f.op(f"zext i32 {where} to {self.positions.type(1)}")

    def _better(self, x: str, here: str, held: Sequence[str], kind: str, lanes: int) -> list[str]:
        """The best so far and where, after `x`, which comes later."""
        better = self.cells.beyond(x, held[0], self.greatest, lanes)
        return [
            self.cells.choose(better, x, held[0], self.cells.number_type(lanes), lanes),
            self.cells.choose(better, here, held[1], kind, lanes),
        ]

    def _halved(self, best: str, where: str, lanes: int) -> tuple[str, str]:
        """The best of all lanes and where: of equal ones the first."""
        f = self.f
        while lanes > 1:
            half = lanes // 2
            low, high = (
                (self._half(best, self.cells.number_scalar, lanes, side), self._half(where, "i32", lanes, side))
                for side in (0, 1)
            )
            flags = vector("i1", half)
            above = self.cells.beyond(high[0], low[0], self.greatest, half)
            below = self.cells.beyond(low[0], high[0], self.greatest, half)
            apart = f.op(f"or {flags} {above}, {below}")
            earlier = f.op(f"icmp slt {vector('i32', half)} {high[1]}, {low[1]}")
            take = self.cells.choose(apart, above, earlier, flags, half)
            best = self.cells.choose(take, high[0], low[0], self.cells.number_type(half), half)
            where = self.cells.choose(take, high[1], low[1], vector("i32", half), half)
            lanes = half
        return best, where

    def _half(self, value: str, scalar: str, lanes: int, side: int) -> str:
        """The lower or upper half of a vector; a scalar at last."""
        if lanes == 2:
            return self.f.op(f"extractelement {vector(scalar, 2)} {value}, i32 {side}")
        of, half = vector(scalar, lanes), lanes // 2
        order = ", ".join(f"i32 {lane}" for lane in range(side * half, (side + 1) * half))
        return self.f.op(f"shufflevector {of} {value}, {of} poison, <{half} x i32> <{order}>")
