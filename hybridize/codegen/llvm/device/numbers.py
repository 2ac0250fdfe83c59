# SPDX-License-Identifier: Apache-2.0
"""Whole numbers of a kernel: indices and addresses of 32 bits where sizes prove that they fit, else of 64.

A GPU has registers of 32 bits: numbers of 64 take two, and several instructions. What is known is computed here.
"""

from __future__ import annotations

from collections.abc import Sequence

from hybridize.base.dims import Size, is_symbolic, known
from hybridize.codegen.llvm.text import Function, is_number
from hybridize.codegen.llvm.threads import LARGEST
from hybridize.schedule.device.contractions import BlockSums


class WholeNumbers:
    """Writes whole numbers of one width, none of which overflows: as text, registers or literals."""

    def __init__(self, f: Function, *, is_small: bool) -> None:
        self.f = f
        self.type = "i32" if is_small else "i64"

    def of(self, x: str | Size) -> str:
        """Return a number, or a size of the call."""
        if isinstance(x, str):
            return x
        return self.f.size(x) if is_symbolic(x) else str(x)

    def narrowed(self, x: str) -> str:
        """Return an i64 register as a number."""
        return x if self.type == "i64" or is_number(x) else self.f.op(f"trunc i64 {x} to i32")

    def wide(self, x: str) -> str:
        """Return a number, not below 0, as an i64."""
        return x if self.type == "i64" or is_number(x) else self.f.op(f"zext nneg i32 {x} to i64")

    def plus(self, *numbers: str | Size) -> str:
        """Return the sum of numbers, those that are known last."""
        known, total = 0, ""
        for number in numbers:
            x = self.of(number)
            if is_number(x):
                known += int(x)
            else:
                total = self.f.op(f"add nsw {self.type} {total}, {x}") if total else x
        if not total:
            return str(known)
        return self.f.op(f"add nsw {self.type} {total}, {known}") if known else total

    def times(self, x: str | Size, factor: str | Size) -> str:
        """Return the product of two numbers."""
        x, by = self.of(x), self.of(factor)
        if is_number(x) and is_number(by):
            return str(int(x) * int(by))
        if "0" in (x, by):
            return "0"
        return x if by == "1" else by if x == "1" else self.f.op(f"mul nsw {self.type} {x}, {by}")

    def over(self, x: str, divisor: str | Size) -> str:
        """Return the quotient of two numbers, the first one not below 0."""
        return self._divided("udiv", x, divisor)

    def rest(self, x: str, divisor: str | Size) -> str:
        """Return the remainder of the division."""
        return self._divided("urem", x, divisor)

    def _divided(self, word: str, x: str, divisor: str | Size) -> str:
        by = self.of(divisor)
        if is_number(x) and is_number(by):
            return str(int(x) // int(by) if word == "udiv" else int(x) % int(by))
        if by == "1":
            return x if word == "udiv" else "0"
        return self.f.op(f"{word} {self.type} {x}, {by}")

    def places(self, index: str, sizes: Sequence[Size]) -> list[str]:
        """Return the indices of axes that are counted as one, the last one fastest."""
        result = []
        for size in reversed(sizes[1:]):
            result.append(self.rest(index, size))
            index = self.over(index, size)
        return [index, *reversed(result)] if sizes else []

    def dot(self, places: Sequence[str], steps: Sequence[Size]) -> str:
        """Return the sum of indices times their steps."""
        return self.plus(*(self.times(place, step) for place, step in zip(places, steps, strict=True)))

    def is_below(self, x: str, bound: str | Size) -> str:
        """Return an i1: a number is not below 0, and below a bound."""
        return self.f.test("ult", x, self.of(bound), self.type)

    def element(self, base: str, index: str, type: str) -> str:
        """Return the address of an element of an array."""
        return base if index == "0" else self.f.op(f"getelementptr {type}, ptr {base}, {self.type} {index}")


def all_of(f: Function, conditions: Sequence[str]) -> str:
    """Return an i1 that holds where all do; empty where there are none."""
    first, *others = conditions or [""]
    for other in others:
        first = f.op(f"and i1 {first}, {other}")
    return first


def numbers_of(f: Function, sums: BlockSums) -> WholeNumbers:
    """Return the numbers of a kernel: of 32 bits where no index is larger, those beyond the last tile counted too."""
    grid, sizes = sums.grid, [sums.grid.batch, sums.grid.m, sums.grid.n, sums.grid.k, sums.grid.part_elements]
    for operand in sums.operands:
        sizes += [operand.elements, operand.first, *(size for one in operand.borders for size in (one.size, one.first))]
        for walk in (operand.batch, operand.along, operand.terms):
            sizes += [*walk.sizes, *walk.steps]
    if not known(sizes):
        return WholeNumbers(f, is_small=False)
    tile = grid.tile
    beyond = [tile.m, tile.n, 2 * tile.k]
    most = [grid.batch * (grid.m + tile.m) * (grid.n + tile.n), grid.part_elements, grid.k + 2 * tile.k]
    for operand in sums.operands:
        steps = [abs(step) for walk in (operand.along, operand.terms) for step in walk.steps]
        most.append(2 * operand.elements + abs(operand.first) + max(beyond) * sum(steps))
        most += [2 * one.size * one.divisor + abs(one.first) + max(beyond) * sum(map(abs, (*one.along, *one.terms)))
                 for one in operand.borders]  # fmt: skip
    return WholeNumbers(f, is_small=max(most) < LARGEST)
