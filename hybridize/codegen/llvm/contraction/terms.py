# SPDX-License-Identifier: Apache-2.0
"""The innermost loop of register tiles: the terms of a tap, of which a product of matrices has one.

    sums[row][column] += x[row offset + k] w[k][column]     each row of x broadcast, w in vectors along its columns

Strides are numbers where the tile has one walk through its operands, registers where products share it. Pointers go
from term to term; x is addressed by the number of the term where its terms lie at a known distance.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from hybridize.base.frozen import frozen
from hybridize.codegen.llvm.contraction.arithmetic import ArithmeticEmitter
from hybridize.codegen.llvm.registers import fetch
from hybridize.codegen.llvm.text import Function
from hybridize.schedule.contraction.panels import Summation

LoadVector = Callable[[int, str, str], str]
"""`load(number, k, pointer)`: the register of a vector of a term of a panel, as it is computed with."""
EachTurn = Callable[[str, list[str]], list[str]]
"""`turn(k, values)` writes what else a turn does, and gives the values that it hands on besides its sums."""


def bring_line(f: Function, pointer: str) -> None:
    """Have the line of memory at `pointer` brought into the second-level cache; it need not exist."""
    function = f.module.declare("llvm.prefetch.p0", "void", ["ptr", "i32", "i32", "i32"])
    f.do(f"call void {function}(ptr {pointer}, i32 0, i32 2, i32 1)")


@frozen
class TermLoop:
    """The loop over the terms of a tile: rows at these offsets from x, vectors at these from w."""

    f: Function
    arithmetic: ArithmeticEmitter
    offsets: Sequence[str]
    columns: Sequence[str | int]
    along_x: int | str
    """Bytes of x from one term to the next: a number, or a register."""
    along_w: int | str
    load: LoadVector
    counts_terms: bool = False
    """True if vectors are loaded by the number of the term, too."""
    ahead: int = 0
    """Bytes from where w is read to where it is fetched; 0: nowhere."""
    row_bytes: int = 0
    """Of a term of w that are fetched."""
    converts: bool = False
    """True if vectors of w are converted where they are loaded: every instruction beside the sums counts then."""

    def summed(
        self,
        x: str,
        w: str,
        begin: Sequence[str],
        terms: tuple[str | int, str | int],
        summation: Summation,
        others: Sequence[str] = (),
        each_turn: EachTurn | None = None,
    ) -> list[str]:
        """The sums, row by row, after these terms, from the first to the last; x is that of term 0, w of the first.

        A small tile has several sets of sums, which take terms in turn, or each multiply-add would wait for the one
        before it. `others` are pointers that turns hand on besides; they come behind the sums.
        """
        f, count = self.f, len(begin)
        start, stop = (int(one) if isinstance(one, str) and one.isdecimal() else one for one in terms)
        sets = summation.sets(len(self.offsets), len(self.columns))
        step = sets if sets > 1 else summation.unroll
        whole = whole_steps(f, start, stop, step)
        sums, rest = [*begin, *[self.arithmetic.zero] * (count * (sets - 1))], list(others)
        walks = isinstance(self.along_x, str)
        if walks:
            x = f.at(x, f.times(f.operand(start), self.along_x))
        for first, last, together in ((start, whole, step), (whole, stop, 1)):
            if f.operand(first) == f.operand(last):
                continue
            kinds = ["ptr", *[self.arithmetic.vector] * len(sums), *["ptr"] * len(rest), *["ptr"] * walks]
            values = [w, *sums, *rest, *[x] * walks]
            with f.loop(first, last, together, list(zip(kinds, values, strict=True))) as loop:
                near = loop.values[-1] if walks else f.at(x, f.times(loop.index, self.along_x))
                own, further = loop.values[1 : 1 + len(sums)], loop.values[1 + len(sums) : len(kinds) - walks]
                own, panel, near = self._turn(own, loop.values[0], near, loop.index, together, count)
                further = further if each_turn is None else each_turn(loop.index, further)
                panel = _further(f, panel, self.along_w, together)
                loop.following = [panel, *own, *further, *[near] * walks]
            w, sums, rest = loop.results[0], loop.results[1 : 1 + len(sums)], loop.results[1 + len(sums) :]
            if walks:
                *rest, x = rest
            sums = in_one(f, self.arithmetic, sums, count)
        return [*sums, *rest]

    def _turn(
        self, sums: Sequence[str], w: str, x: str, first: str, terms: int, count: int
    ) -> tuple[list[str], str, str]:
        """One turn of so many terms, each added to the next set of `count` sums; w and x, where they go along, too."""
        f, following = self.f, list(sums)
        for term in range(terms):
            own = slice(term * count % len(sums), term * count % len(sums) + count)
            at_x, at_w = _further(f, x, self.along_x, term), _further(f, w, self.along_w, term)
            k = f.plus(first, term) if self.counts_terms else ""
            following[own] = self._term(at_x, at_w, k, following[own])
            x = f.at(x, self.along_x) if isinstance(self.along_x, str) else x
            w = f.at(w, self.along_w) if isinstance(self.along_w, str) else w
        return following, w, x

    def _term(self, x: str, w: str, k: str, sums: Sequence[str]) -> list[str]:
        """One term: every row times every vector of w."""
        f, arithmetic, vectors = self.f, self.arithmetic, len(self.columns)
        columns = [self.load(number, k, f.at(w, column)) for number, column in enumerate(self.columns)]
        if self.ahead:
            fetch(f, w, self.ahead, self.row_bytes)
        following = []
        for i, offset in enumerate(self.offsets):
            at = f.at(x, offset)
            as_bits = self.converts and arithmetic.broadcasts_bits
            one = arithmetic.broadcast_as_bits(f, at) if as_bits else arithmetic.broadcast(f, at)
            following += [
                arithmetic.multiply_add(f, one, column, sums[i * vectors + v]) for v, column in enumerate(columns)
            ]
        return following


def _further(f: Function, pointer: str, along: int | str, terms: int) -> str:
    """A pointer so many terms further; where it goes from term to term, it is there."""
    return pointer if isinstance(along, str) else f.at(pointer, terms * along)


def whole_steps(f: Function, start: str | int, stop: str | int, step: int) -> str | int:
    """The end of the whole steps from `start` on."""
    if step == 1:
        return stop
    first, last = f.operand(start), f.operand(stop)
    if first.isdecimal() and last.isdecimal():
        return int(first) + (int(last) - int(first)) // step * step
    count = last if first == "0" else f.op(f"sub i64 {last}, {first}")
    return f.op(f"sub i64 {last}, {f.op(f'urem i64 {count}, {step}')}")


def in_one(f: Function, arithmetic: ArithmeticEmitter, sets: list[str], count: int) -> list[str]:
    """Sets of `count` sums added up."""
    total = sets[:count]
    for first in range(count, len(sets), count):
        others = sets[first : first + count]
        total = [arithmetic.add(f, x, y, arithmetic.lanes) for x, y in zip(total, others, strict=True)]
    return total
