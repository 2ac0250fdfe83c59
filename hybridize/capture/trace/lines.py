# SPDX-License-Identifier: Apache-2.0
"""Numbers that are one line over the rounds of a loop (induction variables): what `range` counts, and sums of it.

In nested loops a number may go along with the rounds of several: `i + j`, an `Affine` sum of their lines. It is a line
of one loop only where no other one moves it: `i` is the same in all rounds of the inner loop.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field
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


@frozen
class Affine:
    """A number and lines that begin at 0, each over the rounds of a loop of its own (an affine form)."""

    start: Size
    lines: Mapping[Any, Line] = field(default_factory=dict)
    """By the loop whose rounds they go along with."""

    @property
    def ends(self) -> tuple[Size, Size]:
        """The least and the greatest that it may be."""
        low = high = self.start
        for line in self.lines.values():
            least, greatest = line.ends
            low, high = low + least, high + greatest
        return low, high

    def over(self, loop: Any) -> Line | None:
        """Return the line that it is over the rounds of a loop; None where it is one over others, or does not move."""
        if list(self.lines) != [loop]:
            return None
        line = self.lines[loop]
        return Line(self.start, line.step, line.count, line.ends_early)

    def plus(self, other: Affine) -> Affine:
        """Return the sum."""
        lines = dict(self.lines)
        for loop, line in other.lines.items():
            step = lines[loop].step + line.step if loop in lines else line.step
            lines[loop] = Line(0, step, line.count, line.ends_early)
        moving = {loop: line for loop, line in lines.items() if line.moves}
        return Affine(self.start + other.start, moving)

    def times(self, factor: Size) -> Affine:
        """Return the product with a number that is the same in all rounds."""
        lines = {
            loop: Line(0, line.step * factor, line.count, line.ends_early)
            for loop, line in self.lines.items()
            if not same(factor, 0)
        }
        return Affine(self.start * factor, lines)


def affine_of(
    value: Value, producer: Callable[[Value], Node | None], leaf: Callable[[Value], Affine | None], depth: int = 0
) -> Affine | None:
    """Return what an integer is over the rounds of loops; None where it is no sum of lines.

    Args:
        value: it.
        producer: gives the node that makes a value; None for inputs and constants.
        leaf: gives what an input or constant is.
        depth: of the search so far.
    """
    node = producer(value)
    if node is None:
        return leaf(value)
    if depth > _DEPTH or value.type.shape or value.type.dtype != int64:
        return None
    parts = [affine_of(x, producer, leaf, depth + 1) for x in node.inputs]
    if any(part is None for part in parts):
        return None
    return _combined(node.op, [part for part in parts if part is not None])


def _combined(op: Any, parts: list[Affine]) -> Affine | None:
    """Return what an operation gives of such sums."""
    match op:
        case SizeOf():
            return Affine(op.size)
        case Add():
            return parts[0].plus(parts[1])
        case Sub():
            return parts[0].plus(parts[1].times(-1))
        case Neg():
            return parts[0].times(-1)
        case Mul() if not (parts[0].lines and parts[1].lines):
            moving, fixed = (parts[0], parts[1]) if parts[0].lines else (parts[1], parts[0])
            return moving.times(fixed.start)
    return None
