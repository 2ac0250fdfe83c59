# SPDX-License-Identifier: Apache-2.0
"""Truth of values while capturing: a Python bool where the call knows it, a value of the graph where data decides."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, NoReturn

from hybridize.array.ndarray import ndarray
from hybridize.array.operators import functions, not_one
from hybridize.array.symbol import Symbol
from hybridize.base.errors import CaptureError
from hybridize.base.faces import Face
from hybridize.base.locations import SourceLoc
from hybridize.capture.control.rolled import is_rolled
from hybridize.capture.control.rolled_lists import length
from hybridize.capture.control.special import KNOWN, method
from hybridize.capture.trace.recording import current_trace
from hybridize.contract.places import static
from hybridize.contract.snapshots import MISSING

RESULT = "the result"
"""The name under which an `Undecided` is refused that the function returns."""


class Undecided(ABC):
    """A value of which data decides what it is: a list whose items data selects, `a and b` of two types.

    It can be asked for its truth, and for what its class says; all else is refused. A class names the special methods
    that Python would call, and what is said of each: `class Mixed(Undecided, refuses={"__len__": "the length"})`.
    """

    __slots__ = ("loc",)

    def __init_subclass__(cls, refuses: Mapping[str, str] = MappingProxyType({})) -> None:
        for name, what in refuses.items():
            setattr(cls, name, _refusing(what))

    def __init__(self, loc: SourceLoc | None = None) -> None:
        trace = current_trace()
        self.loc: SourceLoc | None = trace.root.location() if loc is None and trace is not None else loc
        """The user's line that made it."""

    @abstractmethod
    def truth(self) -> Any:
        """A bool, or a symbol."""

    @abstractmethod
    def refused(self, what: str) -> CaptureError:
        """The error for any other use; `what` it is."""

    def __bool__(self) -> bool:
        raise self.refused("bool()")

    def __float__(self) -> float:
        raise self.refused("float()")

    def __int__(self) -> int:
        raise self.refused("int()")

    def __index__(self) -> int:
        raise self.refused("an index")


def _refusing(what: str) -> Callable[..., NoReturn]:
    def method(self: Undecided, *args: Any) -> NoReturn:
        raise self.refused(what)

    return method


def refusal(code: str, what: str, *, help: str = "", loc: SourceLoc | None = None) -> CaptureError:
    """Return the error for what the capture cannot do, which no `except` of the user's can swallow."""
    trace = current_trace()
    return (CaptureError if trace is None else trace.refusal)(code, what, help=help, loc=loc)


def plain(value: Any) -> Any:
    """The number that a symbol stands for, where it stands for one among the arguments; else the value itself."""
    if type(value) is Symbol and value.weak is not None:
        trace = current_trace()
        number = None if trace is None else trace.number_of(value)
        return value if number is None else number
    if type(value) is tuple and any(type(part) in (Symbol, tuple) for part in value):
        return tuple(map(plain, value))
    return value


def is_one(value: Any) -> bool:
    """Tell whether a value is a number or an array of one element: its truth and comparisons raise nothing."""
    return type(value) in (bool, int, float) or (isinstance(value, (Symbol, ndarray)) and value.size == 1)


def truth(value: Any) -> Any:
    """`value` as a Python bool, or, where it depends on data, as a symbol of type bool[]."""
    kind = type(value)
    if kind is bool:
        return value
    if issubclass(kind, ndarray):
        trace = current_trace()
        if trace is None:
            return bool(value)
        value = trace.lift(value)
    elif kind is not Symbol:
        if isinstance(value, Face):
            return truth(value.array)
        if isinstance(value, Undecided):
            return truth(value.truth())
        if is_rolled(value):
            return truth(length(value) > 0)
        return bool(value) if kind in KNOWN else _of_object(value)
    if value.weak is not None:
        trace = current_trace()
        decided = None if trace is None else trace.root.numbers.truth(value, trace)
        if decided is not None:
            return decided
    if value.size != 1:
        raise not_one("bool", value.type)
    if value.dtype.kind != "b":
        value = functions.not_equal(value, 0)
    trace = current_trace()
    if trace is not None and trace.root.decisions is not None and (known := trace.decided(value)) is not None:
        return bool(known)
    return value if value.shape == () else functions.reshape(value, ())


def _of_object(value: Any) -> Any:
    """The truth of an object, which its class may tell by a method of the user's."""
    trace = current_trace()
    member = method(trace, value, "__bool__")
    if member is not None:
        answer = member()
        if type(answer) is not bool and not (type(answer) is Symbol and answer.weak is bool):
            raise TypeError(f"__bool__ should return bool, returned {type(answer).__name__}")
        return truth(answer)
    if static(type(value), "__bool__") is MISSING:
        counted = method(trace, value, "__len__")
        if counted is not None:
            length = counted()
            return truth(length) if type(length) is Symbol else bool(Sized(length))
    return bool(value)


class Sized:
    """Has a length that a `__len__` of the user's gave: Python says what is wrong with it."""

    def __init__(self, length: Any) -> None:
        self._length = length

    def __len__(self) -> int:
        length: int = self._length
        return length


def as_bool(known: Any) -> Any:
    """Return the answer of `truth` as Python's `bool()` gives it: no array, even where data decides."""
    return Symbol.of(known._trace, known.operand(), weak=bool) if type(known) is Symbol else known


def bool_(value: Any) -> Any:
    """`bool(value)`."""
    return as_bool(truth(value))


def not_(value: Any) -> Any:
    """`not value`."""
    known = truth(value)
    return as_bool(functions.logical_not(known)) if type(known) is Symbol else not known
