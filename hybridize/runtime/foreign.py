# SPDX-License-Identifier: Apache-2.0
"""Functions of Python that programs call while they run, by machine code's way back into Python (`runtime.effects`).

A program names such a function by a `Callee`, a text that this process leads to the function; in another process it
leads nowhere. A call may keep Python's objects for the backward pass of its run: it gives a *ticket*, a number that the
program carries there like any other value. What was kept lives as long as the run's `KeptCalls` does.
"""

from __future__ import annotations

import itertools
import threading
import weakref
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Protocol

import numpy
from numpy.typing import NDArray

from hybridize.base.errors import StateError
from hybridize.base.frozen import frozen
from hybridize.base.types import TensorType

Arrays = Sequence[NDArray[Any]]


class ForeignFunction(Protocol):
    """A function that a program calls."""

    @property
    def keeps(self) -> bool:
        """True if calls keep something for a backward pass: then the last result of a program's call is the ticket."""

    @property
    def learnt(self) -> Sequence[int]:
        """Operands that have gradients."""

    def run(self, operands: Arrays) -> tuple[Arrays, Any]:
        """Return the results, ticket aside, and what is kept; operands may be read until it returns."""

    def gradient(self, wanted: tuple[int, ...]) -> Callee:
        """Return the function that gives cotangents of the operands `wanted`.

        Its operands are the cotangents of those results that are floats, the ticket where there is one, and the
        operands.
        """


class Callee(str):
    """The text by which a program names a function of Python, which lives as long as the program."""

    function: ForeignFunction

    def __new__(cls, function: ForeignFunction) -> Callee:
        """Name a function."""
        callee = super().__new__(cls, next(_NUMBERS))
        callee.function = function
        _CALLEES[str(callee)] = callee
        return callee


_NUMBERS = map(str, itertools.count(1))
_CALLEES: weakref.WeakValueDictionary[str, Callee] = weakref.WeakValueDictionary()
_TICKETS = itertools.count(1)


def function_of(name: str, title: str) -> ForeignFunction:
    """Return the function that a text names.

    Raises:
        StateError E573: it was a function of another process.
    """
    callee = _CALLEES.get(name)
    if callee is None:
        raise StateError(
            "E573",
            f"{title} is Python code of the process that captured the program",
            help="hybridize the function in this process",
        )
    return callee.function


@frozen(eq=False)
class _Record:
    """One call: its results, and what it keeps."""

    name: str
    results: Arrays
    ticket: int
    residuals: Any


class KeptCalls:
    """The calls of one run, for its backward pass, and for those who compute the same again."""

    def __init__(self, around: KeptCalls | None = None) -> None:
        """`around` is told of all calls, too."""
        self._records: list[_Record] = []
        self._around = around

    def add(self, record: _Record) -> None:
        """Take a call."""
        self._records.append(record)
        if self._around is not None:
            self._around.add(record)

    def of(self, ticket: int) -> Any:
        """Return what the call with a ticket keeps; None where none has it."""
        residuals = next((one.residuals for one in self._records if one.ticket == ticket), None)
        return self._around.of(ticket) if residuals is None and self._around is not None else residuals

    def again(self) -> dict[str, deque[_Record]]:
        """Return the calls in their order, by function."""
        records: dict[str, deque[_Record]] = {}
        for one in self._records:
            records.setdefault(one.name, deque()).append(one)
        return records


class _Thread(threading.local):
    calls: KeptCalls | None = None
    again: dict[str, deque[_Record]] | None = None

    def __init__(self) -> None:
        self.loose: dict[int, Any] = {}
        """Objects of calls that no `KeptCalls` is for: their backward pass is part of the same run, and takes them."""


_thread = _Thread()


@contextmanager
def keeping(calls: KeptCalls | None, again: KeptCalls | None = None) -> Iterator[None]:
    """Have the calls of this thread kept; those of `again` are not made once more, but give what they gave."""
    before = _thread.calls, _thread.again
    _thread.calls, _thread.again = calls, None if again is None else again.again()
    try:
        yield
    finally:
        _thread.calls, _thread.again = before


@contextmanager
def observed() -> Iterator[KeptCalls]:
    """Give the calls that this thread makes within, which are kept as before."""
    outer = _thread.calls
    _thread.calls = seen = KeptCalls(outer)
    try:
        yield seen
    finally:
        _thread.calls = outer


def kept_by(ticket: int) -> Any:
    """Return what the call with a ticket keeps; None where it is gone."""
    if _thread.calls is not None and (residuals := _thread.calls.of(ticket)) is not None:
        return residuals
    return _thread.loose.pop(ticket, None)


def call(name: str, title: str, operands: Arrays, types: Sequence[TensorType]) -> list[NDArray[Any]]:
    """Return the results of a function that a program calls.

    Args:
        name: of the function.
        title: what users call it.
        operands: what it is called with, which it may read until this returns.
        types: of the results that the program expects, with the ticket.

    Raises:
        StateError E573: it was a function of another process; E574: the results are other than at the capture.
    """
    again = None if _thread.again is None else _thread.again.get(name)
    record = None
    if again:  # in turn, and from the start for who computes it all once more
        record = again[0]
        again.rotate(-1)
    else:
        function = function_of(name, title)
        results, residuals = function.run(operands)
        ticket = next(_TICKETS) if function.keeps else 0
        if function.keeps:
            results = [*results, numpy.array(ticket, numpy.int64)]
        actual = [TensorType(one.shape, one.dtype) for one in results]
        if actual != list(types):
            shown = [", ".join(map(str, kinds)) for kinds in (types, actual)]
            raise StateError(
                "E574",
                f"{title} returned ({shown[1]}), but ({shown[0]}) when the program was captured",
                help="sizes and dtypes of its results must follow from those of its arguments",
            )
        record = _Record(name, results, ticket, residuals)
    if _thread.calls is not None:
        _thread.calls.add(record)
    elif record.ticket:
        _thread.loose[record.ticket] = record.residuals
    return list(record.results)
