# SPDX-License-Identifier: Apache-2.0
"""Arithmetic on the elements of matrices, and loops over lines of them: what factorizations are written in.

A line is a run of consecutive elements. Loops over lines go by whole vectors, then by single elements.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from hybridize.base.dtypes import DType
from hybridize.codegen.llvm.functions.vectors import Vectors
from hybridize.codegen.llvm.text import Function, broadcast, is_number, shuffled, vector
from hybridize.machine.target import Target

Position = str | int
"""An i64: a register, or a number."""


def _known(number: str) -> Position:
    """A number that is known as such."""
    return int(number) if is_number(number) else number


class Reals(Vectors):
    """Writes arithmetic on floats of one dtype: on single ones, and by `of` on several at once."""

    def __init__(self, f: Function, dtype: DType, target: Target) -> None:
        super().__init__(f, dtype, 1, target)
        self.width: int = target.lanes(dtype.itemsize)
        """Lanes of a whole vector."""

    # Positions

    def plus(self, x: Position, y: Position) -> Position:
        """x + y."""
        return _known(self.f.plus(x, y))

    def minus(self, x: Position, y: Position) -> Position:
        """x - y."""
        return _known(self.f.minus(x, y))

    def times(self, x: Position, y: Position) -> Position:
        """x y."""
        return _known(self.f.times(x, y))

    def at(self, base: str, position: Position) -> str:
        """The address of an element."""
        return self.f.element(base, position, self.type)

    # Elements

    def load(self, base: str, position: Position = 0, lanes: int = 1) -> str:
        """Consecutive elements."""
        return self.f.op(f"load {self.of(lanes).type}, ptr {self.at(base, position)}, align {self.dtype.itemsize}")

    def store(self, value: str, base: str, position: Position = 0, lanes: int = 1) -> None:
        """Write consecutive elements."""
        self.f.do(f"store {self.of(lanes).type} {value}, ptr {self.at(base, position)}, align {self.dtype.itemsize}")

    def splat(self, value: str, lanes: int) -> str:
        """A number in every lane."""
        return broadcast(self.f, value, self.type, lanes)

    # Numbers that change while a routine runs

    def variable(self, value: str | None = None) -> str:
        """Memory for a number."""
        pointer = self.f.alloca(self.type)
        if value is not None:
            self.store(value, pointer)
        return pointer

    def counter(self, value: Position | None = None) -> str:
        """Memory for an i64."""
        pointer = self.f.alloca("i64")
        if value is not None:
            self.put(value, pointer)
        return pointer

    def get(self, pointer: str) -> str:
        """The i64 in memory."""
        return self.f.load(pointer)

    def put(self, value: Position, pointer: str) -> None:
        """Write an i64."""
        self.f.store(value, pointer)

    @contextmanager
    def whilst(self, condition: Callable[[], str]) -> Iterator[None]:
        """Write a loop that turns while `condition`, written at its head, gives a true i1."""
        f = self.f
        head, body, after = f.fresh("head"), f.fresh("body"), f.fresh("after")
        f.enter(head)
        f.branch(condition(), body, after, begin=body)
        yield
        f.jump(head)
        f.begin_block(after)

    # Work that several threads may share: see `codegen.llvm.device.matrices`. They meet for a number of a line, as a
    # dot product, and have to meet again before the next one.

    def meet(self) -> None:
        """Have threads wait for each other, where there are several: what each stored before, all may read after."""

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Write what one thread does for all."""
        yield

    @contextmanager
    def spread(self, start: Position, stop: Position) -> Iterator[str]:
        """Write what runs for each number of a range, in any order; gives the number."""
        with self.f.loop(start, stop) as loop:
            yield loop.index

    @contextmanager
    def each_line(self, start: Position, stop: Position) -> Iterator[tuple[Reals, str]]:
        """Write what runs for each line of a range, in any order; gives what writes a line, and its number."""
        with self.f.loop(start, stop) as loop:
            yield self, loop.index

    @contextmanager
    def each_pair(self, count: Position) -> Iterator[tuple[Reals, str, str]]:
        """Write what runs for each two of so many lines, for pairs that share one in the order of their numbers; gives
        what writes a pair, and both numbers.
        """
        with self.f.loop(0, count) as first, self.f.loop(self.plus(first.index, 1), count) as second:
            yield self, first.index, second.index

    def agree(self, pointer: str, choose: Callable[[str, str], str]) -> None:
        """Give all threads the counter that `choose`, which is given two at a time, prefers."""

    def farthest_from_zero(self, start: Position, stop: Position, element: Callable[[Position], str]) -> str:
        """The number, from `start` on, of the first element with the largest magnitude, which no NaN has but the first.

        `element` gives the address of each.
        """
        first = self.abs(self.load(element(start)))
        with self.f.loop(self.plus(start, 1), stop, carry=[(self.type, first), ("i64", str(start))]) as loop:
            best, number = loop.values
            magnitude = self.abs(self.load(element(loop.index)))
            more = self.compare("ogt", magnitude, best)
            magnitude = self.select(more, magnitude, best)
            loop.following = [magnitude, self.f.op(f"select i1 {more}, i64 {loop.index}, i64 {number}")]
        return loop.results[1]

    def extreme(self, line: str, start: Position, stop: Position, word: str) -> str:
        """Position of the first element that is extreme (`ogt`, `olt`) in a part of a line that is not empty."""
        f = self.f
        carry = [(self.type, self.load(line, start)), ("i64", str(start))]
        with f.loop(self.plus(start, 1), stop, carry=carry) as loop:
            value = self.load(line, loop.index)
            more = self.compare(word, value, loop.values[0])
            position = f.op(f"select i1 {more}, i64 {loop.index}, i64 {loop.values[1]}")
            loop.following = [self.select(more, value, loop.values[0]), position]
        return loop.results[1]

    def first_from(self, least: str, line: str, count: Position) -> str:
        """The first element of a line whose magnitude is that at least; 0 of none."""
        f = self.f
        with f.loop(0, count, carry=[(self.type, self.number(0))]) as loop:
            value = self.load(line, loop.index)
            first = self.compare("oeq", loop.values[0], self.number(0))
            large = self.compare("oge", self.abs(value), least)
            is_leading = f.op(f"and i1 {first}, {large}")
            loop.following = [self.select(is_leading, value, loop.values[0])]
        return loop.results[0]

    # Lines

    def each(self, count: Position, body: Callable[[str, int], None]) -> None:
        """Call body(offset, lanes) so that every element of a line is met once."""
        whole = self._whole(count)
        if whole != 0:
            with self.f.loop(0, whole, self.width) as loop:
                body(loop.index, self.width)
        if whole != count:
            with self.f.loop(whole, count) as loop:
                body(loop.index, 1)

    def across(self, value: str, combine: Callable[[str, str, str], str]) -> str:
        """The lanes of a whole vector as one number, by halves: combine(type, x, y)."""
        f, lanes = self.f, self.width
        while lanes > 1:
            lanes //= 2
            of = self.of(2 * lanes).type
            low, high = (shuffled(f, of, value, range(first, first + lanes)) for first in (0, lanes))
            value = combine(f"<{lanes} x {self.type}>", low, high)
        return value if self.width == 1 else f.op(f"extractelement <1 x {self.type}> {value}, i32 0")

    def total(self, count: Position, term: Callable[[str, int, str], str]) -> str:
        """The sum over a line: term(offset, lanes, total) adds to the total."""
        return self._folded(count, term, lambda of, x, y: self.f.op(f"fadd {of} {x}, {y}"))

    def largest(self, line: str, count: Position) -> str:
        """The largest magnitude of a line; 0 of none. What is no number does not count."""

        def wider(of: str, condition: str, x: str, y: str) -> str:
            return self.f.op(f"select {condition} {self.f.op(f'fcmp ogt {of} {x}, {y}')}, {of} {x}, {of} {y}")

        def term(offset: str, lanes: int, best: str) -> str:
            magnitude = self.of(lanes).abs(self.load(line, offset, lanes))
            return wider(self.of(lanes).type, vector("i1", lanes), magnitude, best)

        def combine(of: str, x: str, y: str) -> str:
            return wider(of, of.replace(self.type, "i1"), x, y)

        return self._folded(count, term, combine)

    def _folded(
        self, count: Position, term: Callable[[str, int, str], str], combine: Callable[[str, str, str], str]
    ) -> str:
        """A line as one number, from 0 on, by whole vectors and then by single elements."""
        f = self.f
        whole, first = self._whole(count), self.number(0)
        if whole != 0:
            zero = "zeroinitializer" if self.width > 1 else first
            with f.loop(0, whole, self.width, carry=[(self.of(self.width).type, zero)]) as loop:
                loop.following = [term(loop.index, self.width, loop.values[0])]
            first = self.across(loop.results[0], combine)
        if whole == count:
            return first
        with f.loop(whole, count, carry=[(self.type, first)]) as loop:
            loop.following = [term(loop.index, 1, loop.values[0])]
        return loop.results[0]

    def _whole(self, count: Position) -> Position:
        """Elements of a line in whole vectors."""
        if self.width == 1:
            return 0
        return (
            count // self.width * self.width if isinstance(count, int) else self.f.op(f"and i64 {count}, {-self.width}")
        )

    def length_of(self, x: str, y: str) -> str:
        """The square root of x^2 + y^2, without overflow."""
        left, right = self.abs(x), self.abs(y)
        more = self.compare("ogt", left, right)
        large, small = self.select(more, left, right), self.select(more, right, left)
        ratio = self.div(small, large)
        length = self.mul(large, self.sqrt(self.fma(ratio, ratio, self.number(1))))
        return self.select(self.compare("oeq", large, self.number(0)), large, length)

    def norm(self, line: str, count: Position) -> str:
        """The length of a line, without overflow."""
        largest = self.largest(line, count)
        self.meet()

        def term(offset: str, lanes: int, total: str) -> str:
            v = self.of(lanes)
            part = v.div(self.load(line, offset, lanes), self.splat(largest, lanes))
            return v.fma(part, part, total)

        length = self.mul(largest, self.sqrt(self.total(count, term)))
        return self.select(self.compare("oeq", largest, self.number(0)), largest, length)

    def dot(self, x: str, y: str, count: Position) -> str:
        """The sum of products of two lines."""

        def term(offset: str, lanes: int, total: str) -> str:
            return self.of(lanes).fma(self.load(x, offset, lanes), self.load(y, offset, lanes), total)

        return self.total(count, term)

    def add_multiples(self, to: str, lines: Sequence[tuple[str, str]], count: Position) -> None:
        """Add to a line each (factor, line)."""

        def part(offset: str, lanes: int) -> None:
            total = self.load(to, offset, lanes)
            for factor, line in lines:
                total = self.of(lanes).fma(self.splat(factor, lanes), self.load(line, offset, lanes), total)
            self.store(total, to, offset, lanes)

        self.each(count, part)

    def scale(self, line: str, op: str, factor: str, count: Position) -> None:
        """Multiply or divide (`fmul`, `fdiv`) a line by a number."""

        def part(offset: str, lanes: int) -> None:
            value = self.of(lanes).op(op, self.load(line, offset, lanes), self.splat(factor, lanes))
            self.store(value, line, offset, lanes)

        self.each(count, part)

    def copy(self, to: str, source: str, count: Position) -> None:
        """Copy a line."""
        self.each(count, lambda offset, lanes: self.store(self.load(source, offset, lanes), to, offset, lanes))

    def fill(self, to: str, value: str, count: Position) -> None:
        """Write a number throughout a line."""
        self.each(count, lambda offset, lanes: self.store(self.splat(value, lanes), to, offset, lanes))

    def unit_line(self, to: str, position: Position, length: Position) -> None:
        """Write a line of zeros with a 1 at a position."""
        self.fill(to, self.number(0), length)
        self.store(self.number(1), to, position)

    def identity(self, to: str, lines: Position, length: Position) -> None:
        """Write lines of zeros, each with a 1 at the position of its number."""
        self.fill(to, self.number(0), self.times(lines, length))
        with self.f.loop(0, lines) as loop:
            self.store(self.number(1), to, self.plus(self.times(loop.index, length), loop.index))

    def swap(self, x: str, y: str, count: Position) -> None:
        """Exchange two lines."""

        def part(offset: str, lanes: int) -> None:
            left, right = self.load(x, offset, lanes), self.load(y, offset, lanes)
            self.store(right, x, offset, lanes)
            self.store(left, y, offset, lanes)

        self.each(count, part)

    def rotate(self, x: str, y: str, cosine: str, sine: str, count: Position) -> None:
        """Replace lines x and y by c x - s y and s x + c y."""

        def part(offset: str, lanes: int) -> None:
            v, left, right = self.of(lanes), self.load(x, offset, lanes), self.load(y, offset, lanes)
            c, s = self.splat(cosine, lanes), self.splat(sine, lanes)
            self.store(v.fma(c, left, v.neg(v.mul(s, right))), x, offset, lanes)
            self.store(v.fma(s, left, v.mul(c, right)), y, offset, lanes)

        self.each(count, part)

    def turn(
        self, lines: str, k: Position, above: Position, by: tuple[str, str], length: Position, notes: Sequence[str]
    ) -> None:
        """Rotate line k and the one above it by (cosine, sine), which a thread alone notes for `turn_as_noted`."""
        x, y = self.at(lines, self.times(k, length)), self.at(lines, self.times(above, length))
        self.rotate(x, y, *by, length)

    def turn_as_noted(self, lines: str, stop: str, start: Position, length: Position, notes: Sequence[str]) -> None:
        """Rotate lines as one thread noted, from line `start` down to the one behind the least `stop` of threads."""

    def subtract_combination(
        self, to: str, first: Position, count: Position, factor: Callable[[Position], str],
        line: Callable[[Position], str], length: Position, group: int = 4,
    ) -> None:  # fmt: skip
        """Subtract factor(k) line(k) from a line, for k from `first` to `count`, some at once."""
        f = self.f
        many = self.minus(count, first)
        if isinstance(many, int):
            whole: Position = many // group * group
        else:
            whole = f.op(f"sub i64 {many}, {f.op(f'and i64 {many}, {group - 1}')}")
        middle = self.plus(first, whole)
        for start, stop, step in ((first, middle, group), (middle, count, 1)):
            if start == stop:
                continue
            with f.loop(start, stop, step) as loop:
                lines = [self.plus(loop.index, k) for k in range(step)]
                self.add_multiples(to, [(self.neg(factor(k)), line(k)) for k in lines], length)
