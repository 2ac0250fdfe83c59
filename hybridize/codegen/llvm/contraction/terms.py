# SPDX-License-Identifier: Apache-2.0
"""The innermost loop of register tiles: the terms of a tap, of which a product of matrices has one.

    sums[row][column] += x[row offset + k] w[k][column]     each row of x broadcast, w in vectors along its columns

Strides are numbers where the tile has one walk through its operands, registers where products share it. Pointers go
from term to term; x is addressed by the number of the term where its terms lie at a known distance, unless the distance
of its rows is a register: an address has room for one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from hybridize.base.frozen import changed, frozen
from hybridize.codegen.llvm.contraction.arithmetic import ArithmeticEmitter
from hybridize.codegen.llvm.contraction.by_lane import Broadcasts, Place, broadcasts, place_of
from hybridize.codegen.llvm.registers import fetch
from hybridize.codegen.llvm.text import Function, LoopBlock
from hybridize.schedule.contraction.panels import Summation

_PAIR_REACH, _PAIR_BYTES = 1024, 16
"""Bytes before a pointer that a load of two vectors of NEON reaches, and what its distance is a multiple of."""
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
    apart: str = ""
    """The register of the bytes from one row to the next, whose offsets then are their numbers; nothing in the function
    changes it."""
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
        rest: int | None = None,
    ) -> list[str]:
        """The sums, row by row, after these terms, from the first to the last; x is that of term 0, w of the first.

        A small tile has several sets of sums, which take terms in turn, or each multiply-add would wait for the one
        before it. `others` are pointers that turns hand on besides; they come behind the sums. `rest` are the terms
        beyond whole turns, where that is known though their number is not; there is a whole turn then.
        """
        middle = self._middle
        if middle:
            x = self.f.op(f"freeze ptr {self.f.at(x, middle)}")  # LLVM would add it to each distance again
            counted = changed(self, offsets=[str(int(offset) - middle) for offset in self.offsets])
            return counted.summed(
                x, w, begin, terms, summation=summation, others=others, each_turn=each_turn, rest=rest
            )
        f, count = self.f, len(begin)
        start, stop = (int(one) if isinstance(one, str) and one.isdecimal() else one for one in terms)
        sets = summation.sets(len(self.offsets), len(self.columns))
        steps = [sets if sets > 1 else summation.unroll]
        if 1 < sets < self._together:
            steps.insert(0, self._together)
        ends = [whole_steps(f, start, stop, step) if rest is None else f.plus(f.operand(stop), -rest) for step in steps]
        loops = [
            (first, last, together)
            for first, last, together in zip((start, *ends), (*ends, stop), (*steps, 1), strict=True)
            if f.operand(first) != f.operand(last)
        ]
        sums, further = [*begin, *[self.arithmetic.zero] * (count * (sets - 1))], list(others)
        walks = isinstance(self.along_x, str)
        if walks:
            x = f.at(x, f.times(f.operand(start), self.along_x))
        for number, (first, last, together) in enumerate(loops):
            kinds = ["ptr", *[self.arithmetic.vector] * len(sums), *["ptr"] * len(further), *["ptr"] * walks]
            values = [w, *sums, *further, *[x] * walks]
            with self._loop(x, first, last, together, list(zip(kinds, values, strict=True)), rest) as (loop, near):
                near = loop.values[-1] if walks else near
                own, others = loop.values[1 : 1 + len(sums)], loop.values[1 + len(sums) : len(kinds) - walks]
                own, panel, near = self._turn(own, loop.values[0], near, loop.index, together, count)
                others = others if each_turn is None else each_turn(loop.index, others)
                panel = _further(f, panel, self.along_w, together)
                loop.following = [panel, *own, *others, *[near] * walks]
            w, sums, further = loop.results[0], loop.results[1 : 1 + len(sums)], loop.results[1 + len(sums) :]
            if walks:
                *further, x = further
            if all(later == 1 for _, _, later in loops[number + 1 :]):
                sums = in_one(f, self.arithmetic, sums, count)
        return [*sums, *further]

    @contextmanager
    def _loop(
        self,
        x: str,
        first: str | int,
        last: str | int,
        together: int,
        carry: Sequence[tuple[str, str]],
        rest: int | None,
    ) -> Iterator[tuple[LoopBlock, str]]:
        """Write a loop over terms, so many a turn; gives where x is, too, unless x goes from term to term."""
        f, some = self.f, rest is not None
        if not self.apart:
            with f.loop(first, last, together, carry, some=some) as loop:
                yield loop, x if isinstance(self.along_x, str) else f.at(x, f.times(loop.index, self.along_x))
            return
        assert not isinstance(self.along_x, str), "x walks, and an address of its rows takes their distance"
        begin, end = (f.at(x, f.times(f.operand(one), self.along_x)) for one in (first, last))
        with f.loop(begin, end, together * self.along_x, carry, some=some, walks=True) as loop:
            yield loop, loop.index

    @property
    def _middle(self) -> int:
        """Bytes of x that rows are to be counted from, where pairs of loads do not reach the last of them otherwise:
        those of the first row are the farthest that they reach before it.
        """
        if self._together <= self.arithmetic.lanes or not all(text.isdecimal() for text in map(str, self.offsets)):
            return 0
        last = max(map(int, self.offsets))
        return min(last // 2 // _PAIR_BYTES * _PAIR_BYTES, _PAIR_REACH) if last >= _PAIR_REACH else 0

    @property
    def _together(self) -> int:
        """Terms of a row that one load brings."""
        arithmetic = self.arithmetic
        return arithmetic.turn_terms if self.along_x == arithmetic.bytes and not self.apart else 1

    def _turn(
        self, sums: Sequence[str], w: str, x: str, first: str, terms: int, count: int
    ) -> tuple[list[str], str, str]:
        """One turn of so many terms, each added to the next set of `count` sums; w and x, where they go along, too."""
        f, following = self.f, list(sums)
        places = self._places(terms)
        elements = broadcasts(f, self.arithmetic, x, {one for term in places for one in term}) if places else None
        for term in range(terms):
            own = slice(term * count % len(sums), term * count % len(sums) + count)
            at_x, at_w = _further(f, x, self.along_x, term), _further(f, w, self.along_w, term)
            k = f.plus(first, term) if self.counts_terms else ""
            if elements is None:
                following[own] = self._term(at_x, at_w, k, following[own])
            else:
                if isinstance(self.along_x, str) and term:
                    elements = broadcasts(f, self.arithmetic, x, places[0])
                at = places[0 if isinstance(self.along_x, str) else term]
                following[own] = self._term_by_lane(elements, at, at_w, k, following[own])
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
            at = f.multiple(x, offset, self.apart) if self.apart else f.at(x, offset)
            as_bits = self.converts and arithmetic.broadcasts_bits
            one = arithmetic.broadcast_as_bits(f, at) if as_bits else arithmetic.broadcast(f, at)
            following += [
                arithmetic.multiply_add(f, one, column, sums[i * vectors + v]) for v, column in enumerate(columns)
            ]
        return following

    def _places(self, terms: int) -> list[list[Place]]:
        """The places of the rows of each term of a turn from x; of one term, where x walks; none, where elements are
        broadcast as they are loaded.
        """
        if not self.arithmetic.by_lane or self.apart:
            return []
        along = 0 if isinstance(self.along_x, str) else self.along_x
        return [[place_of(offset, term * along) for offset in self.offsets] for term in range(terms if along else 1)]

    def _term_by_lane(
        self, elements: Broadcasts, places: Sequence[Place], w: str, k: str, sums: Sequence[str]
    ) -> list[str]:
        """`_term` of elements that lie in vectors: two vectors of w at a time, which one instruction loads."""
        f, vectors, following, arithmetic = self.f, len(self.columns), list(sums), self.arithmetic
        add = arithmetic.pairs_added if arithmetic.takes_halves else arithmetic.multiply_add
        for first in range(0, vectors, 2):
            pair = range(first, min(first + 2, vectors))
            columns = [self.load(number, k, f.at(w, self.columns[number])) for number in pair]
            columns = arithmetic.halves_apart(f, columns) if arithmetic.takes_halves else columns
            if self.ahead and first == 0:
                fetch(f, w, self.ahead, self.row_bytes)
            for i, place in enumerate(places):
                one = elements.element(place)
                for number, column in zip(pair, columns, strict=True):
                    at = i * vectors + number
                    following[at] = add(f, one, column, sums[at])
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
