# SPDX-License-Identifier: Apache-2.0
"""A call's part of a product that threads share: which turns of a loop a range of units means (see
`schedule.contraction.units`).
"""

from __future__ import annotations

from hybridize.base.dims import maximum
from hybridize.base.frozen import frozen
from hybridize.codegen.llvm.contraction.arithmetic import ArithmeticEmitter
from hybridize.codegen.llvm.contraction.out import Out
from hybridize.codegen.llvm.text import Function
from hybridize.schedule.contraction.blocks import RowBlocks
from hybridize.schedule.contraction.tiles import MatrixPlan
from hybridize.schedule.contraction.units import Axis


@frozen
class Share:
    """A call's part of the work: the units from `start` to `stop`, which are registers, of `units` along `axis`."""

    axis: Axis
    units: int
    start: str
    stop: str

    def turns(self, f: Function, axis: Axis, count: str | int) -> tuple[str | int, str | int]:
        """First and last (exclusive) of `count` turns along `axis` that belong to this call."""
        if axis != self.axis:
            return 0, count
        units = f.size(self.units)
        turns = count if isinstance(count, str) else f.size(count)
        if units == turns:
            return self.start, self.stop
        first, last = (
            f.op(f"udiv i64 {f.op(f'mul i64 {unit}, {turns}')}, {units}") for unit in (self.start, self.stop)
        )
        return first, last


@frozen
class BlockOfRows:
    """The part of a call that computes some rows of one member of a batch: `count` of them from `start` on, which are
    registers.
    """

    start: str
    count: str
    blocks: RowBlocks

    def turns(self, f: Function, axis: Axis, count: str | int) -> tuple[str | int, str | int]:
        """All turns along any other axis."""
        return 0, count


@frozen
class Whole:
    """The part of a call that does all the work."""

    def turns(self, f: Function, axis: Axis, count: str | int) -> tuple[str | int, str | int]:
        """All turns."""
        return 0, count


@frozen
class BatchMember(Out):
    """One member of the batch of a product, as the function that computes it sees it."""

    x: str
    w: str
    share: Share | BlockOfRows | Whole

    def stretch(self, start: int, stop: int, step: int) -> tuple[str | int, str | int]:
        """The part of the columns `start` to `stop` that a call computes, `step` being what is computed together."""
        first, last = self.share.turns(self.f, "panels", (stop - start) // maximum(step, 1))
        if isinstance(first, int):
            return start, stop
        f = self.f
        return f.plus(f.times(first, step), start), f.plus(f.times(f.operand(last), step), start)


@frozen
class PartOfMember:
    """Some columns of a member: base of what writes them."""

    member: BatchMember

    @property
    def f(self) -> Function:
        """The function of the product."""
        return self.member.f

    @property
    def plan(self) -> MatrixPlan:
        """The plan of the product."""
        return self.member.plan

    @property
    def arithmetic(self) -> ArithmeticEmitter:
        """Of its elements."""
        return self.member.arithmetic


def line_of(f: Function, unit: str, before: str, lines: str, units: str) -> str:
    """The line of a part that a unit is, of so many `units`, or its first or last one where that belongs to others.

    `before` are the lines of the parts before it, `lines` its own.
    """
    if lines == units:
        return unit
    line = unit if before == "0" else f.op(f"sub i64 {unit}, {before}")
    return f.between(line, "0", lines)
