# SPDX-License-Identifier: Apache-2.0
"""Bring the elements of an operand into shared memory: the panels of a tile, each thread its share."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import nullcontext
from typing import Final

from hybridize.base.dims import Size, is_symbolic, same
from hybridize.base.frozen import frozen
from hybridize.codegen.llvm.contraction.arithmetic import ArithmeticEmitter
from hybridize.codegen.llvm.device.numbers import WholeNumbers, all_of
from hybridize.codegen.llvm.text import vector
from hybridize.codegen.llvm.threads import SharedMemory, begin_copy
from hybridize.schedule.device.contractions import BlockSums
from hybridize.schedule.device.operands import BlockOperand
from hybridize.schedule.device.tiles import VECTOR_BYTES


@frozen
class OperandMember:
    """The part of an operand that one member of a batch is."""

    pointer: str
    """Of the operand."""
    index: str
    """Of the member's element at the first index of all other axes."""
    borders: tuple[str, ...]
    """The indices of the borders there."""


def member_of(numbers: WholeNumbers, pointer: str, operand: BlockOperand, number: str) -> OperandMember:
    """Return the member of a batch with this number."""
    places = numbers.places(number, operand.batch.sizes)
    index = numbers.plus(numbers.dot(places, operand.batch.steps), operand.first)
    borders = (numbers.plus(numbers.dot(places, border.batch), border.first) for border in operand.borders)
    return OperandMember(pointer, index, tuple(borders))


COPIED: Final = (4, 8, 16)
"""Bytes of neighbours that are copied without a register between."""


@frozen
class _Fetch:
    """An element of a panel that a thread brings: where it is, where it goes, and where it counts.

    Where a thread brings several at once, it is the first of them.
    """

    term: str
    index: str
    """Of the element at term 0."""
    borders: tuple[str, ...]
    """The indices of the borders at term 0."""
    inside: tuple[str, ...]
    """Conditions that do not depend on the term."""
    to: str
    """Within the panels of the operand."""
    is_there: str
    """A condition without which the panel has no such element; empty where it has one for each thread."""


class Panel:
    """The panels of one operand in shared memory, a stage after the other."""

    def __init__(
        self,
        numbers: WholeNumbers,
        arithmetic: ArithmeticEmitter,
        memory: SharedMemory,
        sums: BlockSums,
        side: int,
        member: OperandMember,
        *,
        copies: bool,
    ) -> None:
        """Reserve the panels of x, the operand of side 0, or of w; `copies`: elements may go there past registers."""
        operand, tile, at_once = sums.operands[side], sums.grid.tile, sums.neighbours[side]
        span = (tile.m, tile.n)[side]
        self.f, self.numbers, self.arithmetic = numbers.f, numbers, arithmetic
        self.operand, self.member = operand, member
        self.span = span
        """Rows or columns of the tile."""
        self.rows = (tile.rows, tile.columns)[side]
        """Those of a thread."""
        self.tile = tile
        self._bytes = tile.panel_bytes(arithmetic.bytes)
        self.stage = tile.stage_elements(span, arithmetic.bytes)
        """Elements from one stage to the next."""
        self.type = arithmetic.element if tile.unit in ("bf16", "f16") else arithmetic.type
        """LLVM's type of an element."""
        self.is_by_rows = tile.unit == "tf32" or (tile.of_warps and operand.by_terms)
        """True if rows lie one after the other, terms side by side; else terms lie one after the other."""
        self.pitch = tile.pitch(span, arithmetic.bytes, by_rows=self.is_by_rows)
        self._at_once = at_once
        self._apart = 1 if self.is_by_rows == operand.by_terms else self.pitch
        """Places from one of the elements that a thread brings at once to the next."""
        is_raw = self.type == arithmetic.element
        together = is_raw and (at_once == 1 or self._apart == 1) and self._bytes * at_once in COPIED
        self.is_copied = copies and together
        """True if elements go to shared memory without a register between."""
        self.array = memory.array(self.type, tile.stages * self.stage, self._bytes)
        self._fetches: list[_Fetch] = []

    def apart(self, number: int) -> int:
        """Count the rows of the tile between a thread's first one and that of the group which begins with `number`."""
        return number * (self.span // self.rows)

    def place(self, along: str, term: str) -> str:
        """Return the place of an element within a stage."""
        outer, inner = (along, term) if self.is_by_rows else (term, along)
        return self.numbers.plus(self.numbers.times(outer, self.pitch), inner)

    # Shares of threads

    def share(self, thread: str, first: str, count: Size, width: int, gate: Size) -> None:
        """Have the threads share each panel: neighbours bring elements that lie side by side.

        Args:
            thread: the number of the thread.
            first: the first row or column of the tile.
            count: those that there are.
            width: those of the tile, of each gate.
            gate: from those of one gate to those of the next; 0 where there is one gate.
        """
        numbers, operand = self.numbers, self.operand
        for along, term, is_there in self._shares(thread):
            offset = "0" if same(gate, 0) else numbers.times(numbers.over(along, width), gate)
            index = numbers.plus(first, along if offset == "0" else numbers.rest(along, width))
            inside = () if _divides(width, count) else (numbers.is_below(index, count),)
            places = numbers.places(numbers.plus(index, offset), operand.along.sizes)
            self._fetches.append(
                _Fetch(
                    term=term,
                    index=numbers.plus(self.member.index, numbers.dot(places, operand.along.steps)),
                    borders=tuple(
                        numbers.plus(at, numbers.dot(places, border.along))
                        for at, border in zip(self.member.borders, operand.borders, strict=True)
                    ),
                    inside=inside,
                    to=self.place(along, term),
                    is_there=is_there,
                )
            )

    def _shares(self, thread: str) -> Iterator[tuple[str, str, str]]:
        """Iterate over (index along the tile, term, condition) of each element of a panel that a thread brings."""
        numbers, threads, at_once = self.numbers, self.tile.threads, self._at_once
        count = self.span * self.tile.k // at_once
        fast = (self.tile.k if self.operand.by_terms else self.span) // at_once
        for first in range(0, count, threads):
            is_there = "" if first + threads <= count else numbers.is_below(thread, count - first)
            if threads % fast == 0:
                inner, outer = numbers.rest(thread, fast), numbers.plus(numbers.over(thread, fast), first // fast)
            elif fast % threads == 0:
                inner, outer = numbers.plus(thread, first % fast), str(first // fast)
            else:
                linear = numbers.plus(thread, first)
                inner, outer = numbers.rest(linear, fast), numbers.over(linear, fast)
            inner = numbers.times(inner, at_once)
            yield (outer, inner, is_there) if self.operand.by_terms else (inner, outer, is_there)

    # Elements

    def fetched(self, first: str, k: Size) -> list[str]:
        """The elements that a thread brings of the panels from term `first` on; zeros where there are none."""
        return [
            self._guarded(all_of(self.f, [there, one.is_there] if one.is_there else [there]), index)
            for one, there, index in self._elements(first, k)
        ]

    def store(self, values: Iterator[str], stage: str) -> None:
        """Put brought elements into the panels of a stage."""
        for one in self._fetches:
            with self.f.when(one.is_there) if one.is_there else nullcontext():
                self._store(next(values), self._place(one, stage))

    def _store(self, several: str, place: str) -> None:
        """Put the elements that a thread has brought at once where the first one goes, and further on."""
        f, kind = self.f, vector(self.type, self._at_once)
        if self._apart == 1 or self._at_once == 1:
            align = min(VECTOR_BYTES, self._at_once * self._bytes)
            f.do(f"store {kind} {several}, ptr {place}, align {align}")
            return
        for number in range(self._at_once):
            one = f.op(f"extractelement {kind} {several}, i64 {number}")
            f.do(f"store {self.type} {one}, ptr {f.element(place, number * self._apart, self.type)}")

    def copy(self, first: str, k: Size, stage: str) -> None:
        """Begin to copy the elements from term `first` on into the panels of a stage."""
        nbytes = self._at_once * self._bytes
        for one, there, index in self._elements(first, k):
            source = self.numbers.element(self.member.pointer, index, self.arithmetic.element)
            with self.f.when(one.is_there) if one.is_there else nullcontext():
                begin_copy(self.f, self._place(one, stage), source, nbytes, there)

    def _place(self, one: _Fetch, stage: str) -> str:
        begin = self.numbers.times(stage, self.stage)
        return self.numbers.element(self.array, self.numbers.plus(begin, one.to), self.type)

    def _elements(self, first: str, k: Size) -> Iterator[tuple[_Fetch, str, str]]:
        """Iterate over the elements that a thread brings, with an i1 that tells whether there is one, and the index."""
        numbers, operand = self.numbers, self.operand
        is_whole = _divides(self.tile.k, k)
        there = numbers.is_below(first, k) if is_whole else ""
        places: dict[str, list[str]] = {}
        for one in self._fetches:
            term = numbers.plus(first, one.term)
            conditions = [there if is_whole else numbers.is_below(term, k), *one.inside]
            at = places.setdefault(one.term, [])
            if not at:
                at += numbers.places(term, operand.terms.sizes)
            index = numbers.plus(one.index, numbers.dot(at, operand.terms.steps))
            for begin, border in zip(one.borders, operand.borders, strict=True):
                value = numbers.plus(begin, numbers.dot(at, border.terms))
                if not same(border.divisor, 1):
                    rest, value = numbers.rest(value, border.divisor), numbers.over(value, border.divisor)
                    conditions.append(self.f.test("eq", rest, "0", numbers.type))
                    index = numbers.plus(index, numbers.times(value, border.step))
                conditions.append(numbers.is_below(value, border.size))
            yield one, all_of(self.f, conditions), index

    def _guarded(self, there: str, index: str) -> str:
        """Return the elements that a thread brings at once where they are there, else 0."""
        f, before, arithmetic = self.f, self.f.label, self.arithmetic
        kind, memory = vector(self.type, self._at_once), vector(arithmetic.element, self._at_once)
        then, after = f.fresh("there"), f.fresh("past")
        f.branch(there, then, after, begin=then)
        pointer = self.numbers.element(self.member.pointer, index, self.arithmetic.element)
        value = f.op(f"load {memory}, ptr {pointer}, align {self._at_once * arithmetic.stored_bytes}")
        if memory != kind:
            value = arithmetic.widen(f, value, self._at_once)
        last = f.label
        f.enter(after)
        nothing = "zeroinitializer" if self._at_once > 1 else "0" if kind.startswith("i") else "0.0"
        return f.op(f"phi {kind} [ {nothing}, %{before} ], [ {value}, %{last} ]")


def _divides(width: int, count: Size) -> bool:
    """Tell whether there are surely no tiles that are not full."""
    return not is_symbolic(count) and count % width == 0
