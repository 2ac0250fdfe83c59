# SPDX-License-Identifier: Apache-2.0
"""Feeds: what Python does around each call of a program that holds a training step, besides writing its arrays."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy

from hybridize.array.ndarray import ndarray
from hybridize.array.storage import STATE
from hybridize.array.traced import Variable
from hybridize.base.dtypes import DType
from hybridize.base.errors import StateError
from hybridize.base.frozen import frozen
from hybridize.contract.places import variable_of


class Feed(ABC):
    """Numbers of a program that Python computes before each call: what comes of schedules and counts."""

    @abstractmethod
    def begin(self) -> bool:
        """Begin a call: fill the arrays that the program reads, count what it does.

        False, and as if not called, where the program is not what the function does now.
        """

    @abstractmethod
    def rollback(self) -> None:
        """Undo the last `begin`: the call did not take place."""


class Reading(Feed):
    """A number of Python's that a program reads, at each call as it is when its turn comes."""

    def __init__(self, read: Callable[[], float], dtype: DType) -> None:
        self._read = read
        self.array = ndarray(numpy.zeros((), dtype))

    def begin(self) -> bool:
        """Read it."""
        self.array._data[...] = self._read()
        return True

    def rollback(self) -> None:
        """Nothing was changed."""


class Setting(Feed):
    """An attribute that a program sets."""

    def __init__(self, owner: Any, name: str, value: Any) -> None:
        self._owner, self._name, self._value = owner, name, value
        self._before: Any = None

    def begin(self) -> bool:
        """Set it."""
        self._before = getattr(self._owner, self._name, None)
        setattr(self._owner, self._name, self._value)
        return True

    def rollback(self) -> None:
        """Put what was before back."""
        setattr(self._owner, self._name, self._before)


@frozen
class Transaction:
    """The transaction around each call of a program that deals with gradients: its feeds begin, or are rolled back."""

    marks: dict[int, Any]
    """Leaves of the arguments that are read while recording: the variable that each is, None for a constant."""
    fresh: dict[Variable, bool]
    """Variables whose gradients are written or used, and whether they are fresh at the end."""
    feeds: tuple[Feed, ...]
    """In the order of the program's lines."""

    def takes(self, leaves: Sequence[Any]) -> bool:
        """Tell whether these arguments have gradients attached as it was captured for."""
        return all(
            (variable_of(leaves[position]) if type(leaves[position]) is ndarray else None) is mark
            for position, mark in self.marks.items()
        )

    def holds(self) -> bool:
        """Tell whether the program is what the function does now: begin a call, and roll it back."""
        if not self.feeds:
            return True
        with STATE:
            right = self.begin()
            if right:
                try:
                    self.rollback()
                except BaseException:  # an interruption, which may have come before anything was put back
                    self.rollback()
                    raise
        return right

    def begin(self) -> bool:
        """Begin a call; False, with nothing changed, where the program is not what the function does now."""
        ready = 0
        try:
            for feed in self.feeds:
                if not feed.begin():
                    break
                ready += 1
            else:
                return True
        except BaseException:  # an interruption, too, of which this loop may be the place
            self._undo(ready)
            raise
        self._undo(ready)
        return False

    @contextmanager
    def call(self, took: Sequence[None]) -> Iterator[None]:
        """Run a call under the lock of state; it took place where `took` is not empty, even if it raises.

        Raises:
            StateError E557: the program is not what the function does now.
        """
        with STATE:
            if not self.begin():
                raise StateError(
                    "E557", "the optimizer is not what this program was compiled for: its settings, or which "
                    "gradients are fresh, have changed",
                    help="call the function, which compiles another one",
                )  # fmt: skip
            try:
                yield
            except BaseException:
                if not took:
                    self.rollback()
                raise

    def rollback(self) -> None:
        """Undo what `begin` has done: the call did not take place."""
        self._undo(len(self.feeds))

    def _undo(self, ready: int) -> None:
        for feed in reversed(self.feeds[:ready]):
            feed.rollback()

    def commit(self) -> None:
        """Say that a call has written its gradients."""
        for variable, fresh in self.fresh.items():
            variable.fresh = fresh


NO_TRANSACTION = Transaction({}, {}, ())
