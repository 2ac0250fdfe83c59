# SPDX-License-Identifier: Apache-2.0
"""Feeds: what Python does around each call of a program that holds a training step, besides writing its arrays."""

from __future__ import annotations

import weakref
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import field
from itertools import count
from typing import Any, Final

import numpy
from numpy.typing import NDArray

from hybridize.array.buffer import content_of, host_view, overwrite
from hybridize.array.ndarray import ndarray, wrap
from hybridize.array.placing import on_device
from hybridize.array.storage import STATE, Storage
from hybridize.array.traced import Variable
from hybridize.base.dtypes import DType
from hybridize.base.errors import StateError
from hybridize.base.frozen import frozen
from hybridize.base.nested import DICTS, Structure, flatten, object_classes
from hybridize.base.types import TensorType
from hybridize.contract.places import Attribute, Place, held_by, variable_of
from hybridize.contract.snapshots import MISSING
from hybridize.graph import Graph, Value

TRAINING = (
    "holds a trainer's step, whose schedule and counts are Python's",
    "net.save_parameters(path) and trainer.save_states(path) keep a training, net.save(path) the net",
)
"""The reason and the remedy for a program with a step, see `Feed.in_files`."""


@frozen(eq=False)
class FeedInFile:
    """Facts about a feed that a file holds in its place: arrays by name, and the program of what it fills."""

    names: Mapping[int, str] = field(default_factory=dict)
    """Names of arrays that the program reads and writes, by their identity."""
    array: ndarray | None = None
    """The array that the feed fills, which `graph` computes."""
    graph: Graph | None = None
    """Its inputs: `states`, in order. Its outputs: that array, then new values of the states that are written."""
    states: tuple[ndarray, ...] = ()
    """Arrays of the file that take the place of what Python counts and schedules."""
    writes: tuple[int, ...] = ()
    """Positions in `states`."""
    left_out: tuple[str, ...] = ()
    """Descriptions of what Python does besides, and a file cannot."""


SharedStates = dict[tuple[str, int], ndarray]
"""States of a file by their kind and the identity of whom they belong to, the same for all its programs."""


class Feed(ABC):
    """Numbers of a program that Python computes before each call: what comes of schedules and counts."""

    place: Place | None = None
    """The place outside that it reads, where it does nothing else."""
    in_files: tuple[str, str] = TRAINING
    """The reason why a file cannot hold it, after the name of the function, and the remedy."""

    @property
    def is_read(self) -> bool:
        """True if it does nothing but read for the program."""
        return self.place is not None

    def before(self) -> Any:
        """Return what `begin` is about to change, as `rollback` takes it; None where it changes nothing outside."""
        return None

    @abstractmethod
    def begin(self, before: Any) -> bool:
        """Begin a call: fill the arrays that the program reads, count what it does.

        It may be left at any line, by an exception of a signal's handler; `rollback` sees to what was done until then.

        Args:
            before: what `before` gave just now.

        Returns:
            False where the program is not what the function does now.
        """

    def in_file(self, shared: SharedStates) -> FeedInFile | None:
        """Return what stands for it in a file that holds state, while a call has begun; None where nothing can.

        Args:
            shared: the states of the file so far; takes new ones.
        """
        return None

    def rollback(self, before: Any) -> None:
        """Undo a `begin`, or as much of it as was done: the call did not take place. Undoing twice does no harm."""
        assert before is None, "who changes something undoes it"


def fed_array(data: NDArray[Any]) -> ndarray:
    """Return an array that a feed fills before each call, over this memory: nobody is to keep what is made of it."""
    array = ndarray(data)
    array.storage.exposed = True
    _FED.add(array.storage)
    return array


def fed_copy(x: ndarray) -> ndarray:
    """Return an array beside one on a device, which a feed fills before each call."""
    array = on_device(content_of(x).copy())
    array.storage.exposed = True
    return array


_FED: Final[weakref.WeakSet[Storage]] = weakref.WeakSet()


def is_fed(array: ndarray) -> bool:
    """Tell whether a feed fills an array: such numbers go with arrays of any device, as Python's do."""
    return array.storage in _FED


ArrayOf = Callable[[Any], ndarray | None]
PARTS = 256
"""Containers and leaves in what calls read again part by part."""
_LEAVES = (int, float, bool, str, bytes)


def is_nested(value: Any) -> bool:
    """Tell whether a value is a list, dict, tuple or named tuple, of which a call may find another one."""
    return type(value) in (list, tuple, *DICTS) or (isinstance(value, tuple) and hasattr(value, "_fields"))


def own_array(value: Any) -> ndarray | None:
    """Return an array of ours; None for all else."""
    return value if isinstance(value, ndarray) else None


def parts_of(value: Any, array_of: ArrayOf = own_array) -> tuple[list[Any], Structure] | None:
    """Return the leaves of a nested value and its structure; None where it is none, or holds what no call reads again.

    A call reads arrays, numbers, strings and None again, of not more than `PARTS` in all: a circle has no end.

    Args:
        value: any.
        array_of: gives the array of ours over the memory of an array that calls read; None for all else.
    """
    if not is_nested(value):
        return None
    counter = count(1)
    leaves, structure = flatten(value, lambda _: False, lambda _: next(counter) > PARTS)
    known = all(type(leaf) in _LEAVES or array_of(leaf) is not None for leaf in leaves)
    return (leaves, structure) if known and not object_classes(structure) and _has_plain_keys(structure) else None


def _has_plain_keys(structure: Structure) -> bool:
    return all(type(key) in (str, int) for key in structure.keys) and all(map(_has_plain_keys, structure.children))


def containers_in(value: Any) -> Iterator[Any]:
    """List the lists and dicts in a nested value that can be changed, itself among them."""
    if isinstance(value, (list, dict)):
        yield value
    if isinstance(value, (list, tuple, dict)):
        for part in value.values() if isinstance(value, dict) else value:
            yield from containers_in(part)


_NOTHING: Final = nullcontext()
FeedStates = list[tuple[Feed, Any]]
"""Feeds that a call has begun with, and what undoes each."""


def roll_back(pairs: Iterable[tuple[Feed, Any]]) -> None:
    """Undo what has begun, last first."""
    for feed, before in reversed(list(pairs)):
        feed.rollback(before)


class Reading(Feed):
    """A number of Python's that a program reads, at each call as it is when its turn comes.

    Args:
        read: gives it.
        dtype: of the number in the program.
        setting: the name of a state of files that stands for it, and whose number it is; None where none can.
    """

    in_files: tuple[str, str] = (
        "reads a number of Python's schedule at each call",
        "read it outside, and pass it as an argument",
    )

    def __init__(self, read: Callable[[], float], dtype: DType, setting: tuple[str, object] | None = None) -> None:
        self._read, self._setting = read, setting
        self.array: ndarray = fed_array(numpy.zeros((), dtype))

    @property
    def is_read(self) -> bool:
        return True

    def begin(self, before: Any) -> bool:
        """Read it."""
        overwrite(self.array, self._read())
        return True

    def in_file(self, shared: SharedStates) -> FeedInFile | None:
        """Let a state stand for it, which the host sets."""
        if self._setting is None:
            return None
        name, owner = self._setting
        state = shared.setdefault((name, id(owner)), wrap(host_view(self.array).copy()))
        value = Value(TensorType((), self.array.dtype), name=name)
        return FeedInFile({id(state): name}, self.array, Graph((value,), (), (value,), {}), (state,))


class Setting(Feed):
    """An attribute that a program sets."""

    in_files: tuple[str, str] = (
        "sets an attribute that goes by the order of its lines",
        "set it outside of the function",
    )

    def __init__(self, owner: Any, name: str, value: Any) -> None:
        self._place, self._value = Attribute(owner, name), value

    def before(self) -> Any:
        """Return what the object itself has there; MISSING for nothing."""
        return held_by(self._place.owner, self._place.name)

    def begin(self, before: Any) -> bool:
        """Set it."""
        self._place.write(self._value)
        return True

    def rollback(self, before: Any) -> None:
        """Put what was before back; take the attribute away where there was none."""
        if before is not MISSING or self.before() is not MISSING:
            self._place.write(before)


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
            (variable_of(leaves[position]) if isinstance(leaves[position], ndarray) else None) is mark
            for position, mark in self.marks.items()
        )

    def holds(self) -> bool:
        """Tell whether the program is what the function does now: begin a call, and roll it back."""
        if not self.feeds:
            return True
        progress: FeedStates = []
        with STATE:
            try:
                right = self.begin(progress)
                self.rollback(progress)
                return right
            except BaseException:  # an interruption, which may have come before `rollback` had begun
                self.rollback(progress)
                raise

    def begin(self, progress: FeedStates) -> bool:
        """Begin a call; False where the program is not what the function does now.

        Args:
            progress: takes what `rollback` undoes; also where this raises, or is interrupted.
        """
        for feed in self.feeds:
            before = feed.before()
            progress.append((feed, before))
            if not feed.begin(before):
                return False
        return True

    def start(self, progress: FeedStates) -> None:
        """Begin a call, as `begin` does; where it cannot, nothing has begun.

        Raises:
            StateError E557: the program is not what the function does now.
        """
        try:
            if not self.begin(progress):
                raise StateError(
                    "E557", "the optimizer is not what this program was compiled for: its settings, or which "
                    "gradients are fresh, have changed",
                    help="call the function, which compiles another program",
                )  # fmt: skip
        except BaseException:
            self.rollback(progress)
            raise

    def lock(self, writes: bool = False) -> AbstractContextManager[Any]:
        """Return the lock of state, under which a call begins and writes; nothing where it does neither."""
        return STATE if writes or self.feeds else _NOTHING

    def call(self, took: Sequence[None]) -> AbstractContextManager[None]:
        """Begin a call, the block of a `with` under `lock`; it took place where `took` is not empty, even if it raises.

        Raises:
            StateError E557: the program is not what the function does now.
        """
        return TransactedCall(self, took) if self.feeds else _NOTHING

    @staticmethod
    def rollback(progress: FeedStates) -> None:
        """Undo what `begin` has done: the call did not take place."""
        try:
            roll_back(progress)
        except BaseException:  # an interruption, which may have come before anything was put back
            roll_back(progress)
            raise

    def commit(self) -> None:
        """Say that a call has written its gradients."""
        for variable, fresh in self.fresh.items():
            variable.fresh = fresh


NO_TRANSACTION = Transaction({}, {}, ())


class TransactedCall:
    """One call, whose feeds begin and are rolled back.

    A generator would do, but for interruptions: one that comes where it has begun, and before its block does, leaves it
    so for as long as somebody keeps the exception.
    """

    __slots__ = ("_feed_states", "_took", "_transaction")

    def __init__(self, transaction: Transaction, took: Sequence[None]) -> None:
        self._transaction, self._took = transaction, took
        self._feed_states: FeedStates = []

    def __enter__(self) -> None:
        self._transaction.start(self._feed_states)

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is not None and not self._took:
            self._transaction.rollback(self._feed_states)
