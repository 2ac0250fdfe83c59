# SPDX-License-Identifier: Apache-2.0
"""Numbers that are one line over the rounds of a loop (induction variables): what `range` counts, and sums of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hybridize.base.dims import Size, same
from hybridize.base.dtypes import int64
from hybridize.base.frozen import frozen
from hybridize.graph import Node, Value
from hybridize.ops import Add, Broadcast, Iota, Mul, Neg, SizeOf, Sub, size_of
from hybridize.ops.op import Operand, bind1

_DEPTH = 16


@frozen
class Line:
    """`start`, `start + step`, ...: so many numbers."""

    start: Size
    step: Size
    count: Size
    ends_early: bool = False
    """True if data may end the loop before: then they are so many at most."""

    @property
    def moves(self) -> bool:
        """True if they are not one number all along."""
        return not same(self.step, 0)

    def is_same(self, other: Line) -> bool:
        """Tell whether another line is known to be this one."""
        pairs = ((self.start, other.start), (self.step, other.step), (self.count, other.count))
        return all(same(one, another) for one, another in pairs)

    @property
    def last(self) -> Size:
        """The last of them."""
        return self.start + self.step * (self.count - 1)

    @property
    def ends(self) -> tuple[Size, Size]:
        """The least and the greatest."""
        return (self.start, self.last) if self.step >= 0 else (self.last, self.start)

    def operand(self) -> Operand:
        """The numbers, as an array of the program."""
        count: Any = self.count
        numbers = bind1(Iota((count,), 0, int64))
        for op, size, neutral in ((Mul(), self.step, 1), (Add(), self.start, 0)):
            if type(size) is not int or size != neutral:
                numbers = bind1(op, numbers, bind1(Broadcast((count,)), size_of(size)))
        return numbers


def line_of(
    value: Value, producer: Callable[[Value], Node | None], leaf: Callable[[Value], Line | None], depth: int = 0
) -> Line | None:
    """Return the line that an integer is over the rounds of a loop; None where it is none.

    Args:
        value: it.
        producer: gives the node that makes a value; None for inputs and constants.
        leaf: gives the line that an input or constant is.
        depth: of the search so far.
    """
    node = producer(value)
    if node is None:
        return leaf(value)
    if depth > _DEPTH or value.type.shape or value.type.dtype != int64:
        return None
    parts = [line_of(x, producer, leaf, depth + 1) for x in node.inputs]
    if any(part is None for part in parts):
        return None
    return _combined(node.op, [part for part in parts if part is not None])


def _combined(op: Any, parts: list[Line]) -> Line | None:
    """Return the line that an operation gives of lines."""
    count = next((part.count for part in parts if part.moves), 1)
    early = any(part.ends_early for part in parts)
    match op:
        case SizeOf():
            return Line(op.size, 0, 1)
        case Add():
            return Line(parts[0].start + parts[1].start, parts[0].step + parts[1].step, count, early)
        case Sub():
            return Line(parts[0].start - parts[1].start, parts[0].step - parts[1].step, count, early)
        case Neg():
            return Line(-parts[0].start, -parts[0].step, count, early)
        case Mul() if not (parts[0].moves and parts[1].moves):
            moving, fixed = (parts[0], parts[1]) if parts[0].moves else (parts[1], parts[0])
            return Line(fixed.start * moving.start, fixed.start * moving.step, count, early)
    return None
