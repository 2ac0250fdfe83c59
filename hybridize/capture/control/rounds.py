# SPDX-License-Identifier: Apache-2.0
"""The rounds of what a `for` statement goes through: rows of arrays, `range`, and `enumerate`, `zip`, `reversed` of
these.

Python asks an iterator for one item after the other. A loop of the graph has one body for all rounds, whose number may
be a size that only the call knows; so what it goes through is kept as it was written, a `Rounds`. It gives the item of
a round in two ways: by the round's number, which may be a value of the program, and as slices of arrays that a `Scan`
goes along. To all that is not a `for` statement it is the iterable that Python would have made, of a number of items
that is known then.
"""

from __future__ import annotations

import builtins
import operator
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from typing import Any

from hybridize.array.symbol import Symbol
from hybridize.base.dims import Size, is_symbolic, same
from hybridize.base.faces import Face
from hybridize.base.tracebacks import as_python
from hybridize.capture.control.rolled import EarlierItems, is_rolled
from hybridize.capture.control.rolled_lists import rows_of
from hybridize.capture.control.signals import Unrollable
from hybridize.capture.trace.lines import Line
from hybridize.capture.trace.recording import Recording, current_trace
from hybridize.ops import size_of
from hybridize.ops.op import in_charge

Take = Callable[[Any], Symbol]
"""Gives, of an array, the slice that a round has of it along the first axis; of a `Line`, the number of a round."""


class Rounds(ABC):
    """The rounds of a loop: how many there are, and the item of each."""

    count: Size

    @abstractmethod
    def at(self, number: Any) -> Any:
        """Return the item of a round, whose number Python knows or the program."""

    @abstractmethod
    def sliced(self, take: Take) -> Any:
        """Return the item of a round as slices of what a scan goes along."""

    @abstractmethod
    def after(self, number: int) -> Rounds:
        """Return the rounds but the first ones."""

    def __iter__(self) -> Iterator[Any]:
        return map(self.at, range(int(self.count)))


class ArrayRows(Rounds):
    """The rows of an array."""

    array: Symbol
    count: int

    def __init__(self, array: Symbol) -> None:
        self.array, self.count = array, array.shape[0]

    def at(self, number: Any) -> Any:
        return self.array[number]

    def sliced(self, take: Take) -> Any:
        return take(self.array)

    def after(self, number: int) -> Rounds:
        return self.of(self.array[number:]) if number else self

    def of(self, array: Symbol) -> Rounds:
        """Return the rows of another array, as of this one."""
        return ArrayRows(array)

    def backward(self) -> Rounds:
        """Return the same, the last row first."""
        return self.of(self.array[::-1])


class FacedRows(ArrayRows):
    """The rows of an array that has a face."""

    def __init__(self, face: Face) -> None:
        super().__init__(face.array)
        self.kind: type[Face] = type(face)

    def at(self, number: Any) -> Any:
        return self.kind.made(super().at(number))

    def sliced(self, take: Take) -> Any:
        return self.kind.made(super().sliced(take))

    def of(self, array: Symbol) -> Rounds:
        return FacedRows(self.kind.made(array))


class ListItems(Rounds):
    """The items of a list that a scan has made."""

    rows: Any
    count: Size

    def __init__(self, rows: Any) -> None:
        self.rows, self.count = rows, rows.count

    def at(self, number: Any) -> Any:
        return self.rows.item(number)

    def sliced(self, take: Take) -> Any:
        return self.rows.made(map(take, self.rows.arrays))

    def after(self, number: int) -> Rounds:
        return ListItems(self.rows.cut(slice(number, None))) if number else self

    def backward(self) -> Rounds:
        """Return the same, the last item first."""
        return ListItems(self.rows.cut(slice(None, None, -1)))


class Range(Rounds):
    """`range`, whose ends may be sizes that are not known."""

    start: Size
    stop: Size
    step: int

    def __init__(self, start: Size, stop: Size, step: int) -> None:
        self.start, self.stop, self.step = start, stop, step
        self.count: Size = _length(start, stop, step)

    def line(self) -> Line:
        """The numbers, one for each round."""
        return Line(self.start, self.step, self.count)

    def at(self, number: Any) -> Any:
        scaled = number if self.step == 1 else number * self.step
        if type(number) is not Symbol or not is_symbolic(self.start):
            return scaled + self.start if type(self.start) is not int or self.start else scaled
        trace = in_charge(Recording)
        return scaled + Symbol.of(trace, size_of(self.start), weak=int)

    def sliced(self, take: Take) -> Any:
        return take(self.line())

    def after(self, number: int) -> Rounds:
        return Range(self.start + number * self.step, self.stop, self.step) if number else self

    def backward(self) -> Rounds:
        """Return the same, the last number first."""
        last = self.start + (self.count - 1) * self.step
        return Range(last, self.start - (1 if self.step > 0 else -1), -self.step)

    # To all else it is Python's.

    def known(self) -> range:
        """Return Python's range, on whose length the program then depends."""
        return range(operator.index(self.start), operator.index(self.stop), self.step)

    def __eq__(self, other: object) -> bool:
        return self.known() == (other.known() if isinstance(other, Range) else other)


for _name in ("__len__", "__getitem__", "__contains__", "__reversed__", "__hash__", "__repr__", "index"):
    setattr(Range, _name, lambda self, *args, _name=_name: getattr(self.known(), _name)(*args))


class IteratedRounds(Rounds):
    """Rounds that Python gives as an iterator: it goes on, wherever it is gone through."""

    _iterator: Iterator[Any] | None = None

    def __iter__(self) -> Iterator[Any]:
        if self._iterator is None:
            self._iterator = super().__iter__()
        return self._iterator

    def __next__(self) -> Any:
        return next(iter(self))

    def end(self) -> None:
        """Hear that a loop has gone through it to its end."""
        self._iterator = iter(())

    @property
    def is_fresh(self) -> bool:
        """True if nobody has gone through it yet."""
        return self._iterator is None


class Backward(IteratedRounds):
    """`reversed` of rows or of a range."""

    def __init__(self, rounds: Any) -> None:
        self.rounds: Any = rounds.backward()
        self.count: Size = rounds.count

    def at(self, number: Any) -> Any:
        return self.rounds.at(number)

    def sliced(self, take: Take) -> Any:
        return self.rounds.sliced(take)

    def after(self, number: int) -> Rounds:
        return self.rounds.after(number)  # type: ignore[no-any-return]


class Zipped(IteratedRounds):
    """`zip`, of as many rounds as the shortest of its parts."""

    def __init__(self, parts: tuple[Rounds, ...]) -> None:
        self.parts = parts
        self.count = parts[0].count
        for part in parts[1:]:
            if not same(part.count, self.count) and part.count < self.count:
                self.count = part.count

    def at(self, number: Any) -> Any:
        return tuple(part.at(number) for part in self.parts)

    def sliced(self, take: Take) -> Any:
        return tuple(part.sliced(take) for part in self.parts)

    def after(self, number: int) -> Rounds:
        return Zipped(tuple(part.after(number) for part in self.parts))


def _length(start: Size, stop: Size, step: int) -> Size:
    if not (is_symbolic(start) or is_symbolic(stop)):
        return len(range(start, stop, step))
    span = stop - start if step > 0 else start - stop
    if span <= 0:
        return 0
    return span if abs(step) == 1 else (span + abs(step) - 1) // abs(step)


def rounds_of(trace: Recording, iterable: Any) -> Rounds | None:
    """Return the rounds of what a loop goes through; None where nothing but Python knows its items."""
    iterable = trace.lifted(iterable)
    if isinstance(iterable, IteratedRounds):
        return iterable if iterable.is_fresh else None
    if isinstance(iterable, Rounds):
        return iterable
    if type(iterable) is range:
        return Range(iterable.start, iterable.stop, iterable.step)
    if type(iterable) is Symbol and iterable.weak is None and iterable.shape:
        return ArrayRows(iterable)
    if isinstance(iterable, Face) and iterable.array.shape:
        return FacedRows(iterable)
    if is_rolled(iterable) and not any(type(item) is EarlierItems for item in iterable):
        try:
            return ListItems(rows_of(iterable))
        except Unrollable:
            return None
    return None


@as_python
def made_range(numbers: list[Any]) -> Any:
    """Return `range` of numbers that Python knows, or sizes that it does not."""
    if not any(map(is_symbolic, numbers)):
        return range(*numbers)
    start, stop, step = (0, numbers[0], 1) if len(numbers) == 1 else (*numbers, 1)[:3]
    if is_symbolic(step) or not step:
        return range(*numbers)
    return Range(start, stop, step)


def of_builtin(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Return what `enumerate`, `zip` or `reversed` gives of what a scan may go along; NotImplemented for all else."""
    trace = current_trace()
    if trace is None or not args:
        return NotImplemented
    parts = [rounds_of(trace, arg) for arg in args]
    match function:
        case builtins.enumerate:
            start = args[1] if len(args) == 2 else kwargs.get("start", 0)
            plain = len(args) + len(kwargs) <= 2 and kwargs.keys() <= {"start"} and type(start) is int
            if parts[0] is not None and plain:
                return Zipped((Range(start, start + parts[0].count, 1), parts[0]))
        case builtins.zip:
            strict = kwargs.get("strict", False)
            if all(part is not None for part in parts) and kwargs.keys() <= {"strict"}:
                whole = not strict or all(same(part.count, parts[0].count) for part in parts)  # type: ignore[union-attr]
                if whole:
                    return Zipped(tuple(part for part in parts if part is not None))
        case builtins.reversed:
            if len(args) == 1 and not kwargs and isinstance(parts[0], (ArrayRows, ListItems, Range)):
                return Backward(parts[0])
    return NotImplemented
