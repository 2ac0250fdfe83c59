# SPDX-License-Identifier: Apache-2.0
"""Faces: arrays of a program as the users of another library know theirs.

A function that is written for another array library is captured like any other. Where it computes, it holds *faces*
instead of symbols: the operators, methods and attributes of a face are that library's, and inside is the array of ours
that all is done with. The rooms of capture know no more of the library than what is declared here: a face is taken
apart into its array where sides of a branch or rounds of a loop are joined, and put together again.
"""

from __future__ import annotations

import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from contextvars import ContextVar
from typing import Any, Final, Protocol

from hybridize.base.frozen import frozen
from hybridize.base.loading import load_module


class Face:
    """An array under the interface of another library."""

    __slots__ = ()

    array: Any
    """A symbol of the program that is being captured."""
    of: Any
    """The library's array from outside that it stands for; None for arguments and all that the program makes."""

    def is_a(self, kind: Any) -> bool:
        """Tell whether it stands for an instance of a class."""
        return isinstance(self, kind)

    @classmethod
    def made(cls, array: Any) -> Any:
        """Put it together again: the face of a symbol; where a call has an array of ours, that array as `shown`."""
        return cls.shown(array)

    @classmethod
    def shown(cls, array: Any) -> Any:
        """Return an array of ours as one of the library, over the same memory: what calls of a program give and keep.

        Args:
            array: of ours, or one of the library already.
        """
        return array


class FaceTuple(tuple[Any, ...]):
    """Numbers of the program, in a tuple of another library's own: the sizes of an array."""

    __slots__ = ()

    @classmethod
    def made(cls, numbers: Sequence[Any]) -> Any:
        """Put it together again, of numbers of the program; where a call has Python's, as `shown`."""
        return cls.shown(tuple(numbers))

    @classmethod
    def shown(cls, numbers: tuple[Any, ...]) -> Any:
        """Return the numbers that a call has as an object of that class."""
        return numbers


class Library(ABC):
    """Another array library, as the capture of a function that is written for it asks it."""

    @abstractmethod
    def holds(self, value: Any) -> bool:
        """Tell whether a value is an array of the library, which was there before the capture."""

    @abstractmethod
    def array(self, value: Any) -> Any:
        """Return an array of ours over the memory of one of the library; for one object always the same."""

    @abstractmethod
    def memory(self, value: Any) -> Any:
        """Return an array of ours over the memory of one of the library, to read it at one call; None where a gradient
        goes to it, and for all that is none.
        """

    @abstractmethod
    def face(self, symbol: Any, value: Any = None) -> Face:
        """Return a symbol as functions of the library know it; `value` is the library's array that it stands for."""

    def argument(self, leaf: Any) -> Any:
        """Return what a function gets for a leaf of a call that is no array: of what stands for an object, that."""
        return leaf

    @abstractmethod
    def apply(self, recording: Any, function: Any, args: Any, kwargs: dict[str, Any]) -> Any:
        """Return what a program has in the place of a call of the library; `recording` is a part of it."""

    @abstractmethod
    def number(self, face: Face, kind: type | None) -> Any:
        """Return the one element of an array as a Python number of the program, of a kind or of its own."""

    @abstractmethod
    def text_kind(self, recording: Any, face: Face) -> str:
        """Return the word by which recipes of text (`runtime.recipes`) know what an array is shown as."""

    @abstractmethod
    def requires_grad(self, recording: Any, face: Face) -> bool:
        """Tell whether a gradient goes through an array."""

    @abstractmethod
    def differentiates(self, recording: Any) -> bool:
        """Tell whether gradients go through anything that a program has met so far."""

    @abstractmethod
    def is_leaf(self, recording: Any, symbol: Any) -> bool:
        """Tell whether an array of a program is one from outside, or a view of one, that a gradient goes to."""

    @abstractmethod
    def depend(self, recording: Any, value: Any, name: str = "") -> None:
        """Depend on what an object of the library holds, before code that nobody follows looks into it.

        Args:
            recording: a part of the program.
            value: whatever the program has found outside of it.
            name: the method that is called; "" where Python may go through the object, or take an item.
        """

    @abstractmethod
    def call(self, function: Any) -> Callable[..., Any] | None:
        """Return what a program calls for something of the library that can be called; None for all else."""


class Door(Protocol):
    """The door of another library, for compiled functions that get its arrays."""

    def called(self, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Return the result of a call of a compiled function with arrays of the library among its arguments."""

    def program(self, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Return the program that such a call runs where nothing is differentiated."""


class Counterpart(Protocol):
    """A compiled function over arrays of another library, where it was called with such."""

    def programs(self) -> list[Any]:
        """Return its programs, the least recently made first."""

    def forget(self, program: Any) -> None:
        """Forget one of them."""

    def clear(self) -> None:
        """Forget all."""

    def saved(self, samples: Sequence[Any] | None, notes: list[str], steps: bool = False) -> Any:
        """Return them as plain data, with samples of calls where those are given; `steps` as of `Function.saved`."""

    def chain(self, fallback: Callable[..., Any]) -> Callable[..., Any]:
        """Return a callable for calls of programs that have entries, which gives all others to `fallback`."""


@frozen
class Foreign:
    """Another library whose arrays compiled functions may get."""

    module: str
    """The name of its module; while that is not loaded, nobody has arrays of it."""
    array: str
    """The name of its class of arrays there."""
    door: str
    """The module that compiles functions of such arrays, a `Door`."""

    def arrays(self) -> type | None:
        """Return the class of arrays; None where the library is not loaded, or what is loaded has only its name."""
        kind: type | None = getattr(sys.modules.get(self.module), self.array, None)
        return kind


FOREIGN: list[Foreign] = []
"""All that there are."""


def door_of(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Door | None:
    """Return the door of a library that an argument, or an item of one, is an array of; None where there is none."""
    for one in FOREIGN:
        kind = one.arrays()
        if kind is not None and _holds((args, kwargs), kind, 8):
            door: Door = load_module(one.door)
            return door
    return None


TRACED_ELSEWHERE: Final[ContextVar[bool]] = ContextVar("traced_elsewhere", default=False)
"""True while another library traces the user's Python: hybridized functions in it are what they were made of."""


class OtherLibrary(BaseException):
    """A function that was taken for one over arrays of ours uses another library: it is captured again, for that.

    No exception of the user's, so that nobody who catches those does so.
    """

    def __init__(self, door: str) -> None:
        super().__init__(door)
        self.door = door


def check_own(value: Any) -> None:
    """Refuse what is an array, a module or a function of another library, in a function that is over ours.

    Raises:
        OtherLibrary: it is one.
    """
    for one in FOREIGN:
        if one.module in sys.modules and any(name.partition(".")[0] == one.module for name in _modules_of(value)):
            raise OtherLibrary(one.door)


def has_array_class(kind: type) -> bool:
    """Tell whether a class is another library's of arrays."""
    for one in FOREIGN:
        theirs = one.arrays()
        if theirs is not None and issubclass(kind, theirs):
            return True
    return False


def _modules_of(value: Any) -> set[str]:
    """Return the modules that a value is from: its own, and those of its class, or of the class it is a method of."""
    modules = {getattr(value, "__module__", None)}
    for owner in (value, getattr(value, "__self__", None)):
        kind = owner if isinstance(owner, type) else type(owner)
        modules.update(vars(one).get("__module__") for one in kind.__mro__)
    return {name for name in modules if isinstance(name, str)}


def _holds(value: Any, kind: type, depth: int) -> bool:
    """Tell whether a value is an instance of a class, or a container with one, not too deep."""
    if isinstance(value, kind):
        return True
    if depth and isinstance(value, (tuple, list, dict)):
        parts = value.values() if isinstance(value, dict) else value
        return any(_holds(part, kind, depth - 1) for part in parts)
    return False
