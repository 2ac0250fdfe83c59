# SPDX-License-Identifier: Apache-2.0
"""The tables by which machine code starts the graphs of programs on a device (`codegen/runtimes/device_entry.c`).

    Starter          what all programs of a device have in common: the driver's functions, and who must wait
    StartableGraphs  the graphs of one program, and the addresses that each of them is for
    StartableGraph   one of them, which has the memory of its results

A call whose arguments are at the addresses of a graph, and whose results have memory that nobody else has, needs no
Python: the graph is started, and new arrays are over that memory. So a graph that is in the table keeps the memory of
its results, which no other call is given, and a loop meets the same addresses again. `StartableGraph.drop` gives it
back.
"""

from __future__ import annotations

import ctypes
import sys
import time
import weakref
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import Any, Final, Protocol

import numpy
from numpy.typing import NDArray

from hybridize.base.errors import HybridizeError
from hybridize.base.forks import in_child
from hybridize.base.frozen import frozen
from hybridize.runtime import cpython
from hybridize.runtime.device_buffers import ASKING, NOBODY, START, DeviceBuffer, DeviceMemory
from hybridize.runtime.externals import address

NUMBERS: Final = 63
"""Words of numbers that a call may have at most: a kernel writes them, whose arguments they are."""
RECENT: Final = 16
"""Programs that a device remembers, for errors."""
STARTER: Final = (
    "recorded", "untidy", "failed", "inherited", "asking", "started", "result", "place", "push", "launch", "pop",
    "call", "numbers", "context", "stream", "recent",
)  # fmt: skip
"""Words of a `Starter`; the last one is the first of `RECENT`."""
DEVICE: Final = (
    "starter", "accelerator", "buffer_class", "buffer_memory", "buffer_layout", "memory_accelerator", "memory_address",
    "memory_users", "origin", "nobody", "variable", "present", "known", "is_present", "PyContextVar_Get", "failed",
    "number", "buffer_words", "storage_words", "buffers", "storages", "bound", "bound_count", "hosts", "host_count",
    "numbers", "number_count", "number_words", "states", "state_count", "storage_exposed", "askers", "host_states",
    "host_state_count", "derived", "dirty", "derived_count", "derived_buffer", "rows", "row_count", "row_words",
)  # fmt: skip
"""Words of what machine code knows of a program on a device."""
ROW: Final = ("holder", "graph", "used", "block", "is_sent")
"""The first words of a row of `StartableGraphs`; numbers and addresses follow."""
_AFTER: Final = len(ROW)
_BLOCK, _IS_SENT = ROW.index("block"), ROW.index("is_sent")
_FIELD: Final = {name: number for number, name in enumerate(STARTER)}
_WORD: Final = {name: number for number, name in enumerate(DEVICE)}
_TABLES: Final = ("buffers", "storages", "bound", "derived")
_PAUSE: Final = 2e-5
"""Seconds."""


class Starter:
    """The words of a device that machine code reads before it calls the driver, and the names of what was started."""

    def __init__(self) -> None:
        self.words: Any = (ctypes.c_int64 * (len(STARTER) - 1 + RECENT))()
        self._numbers: dict[str, int] = {}
        self._names: list[str] = []
        self.idle: list[Callable[[], int]] = []
        """Tell how many bytes programs keep for their next call, which are free to others where memory is short."""
        _STARTERS.add(self)

    def set(self, **words: int) -> None:
        """Set words by their names."""
        for name, word in words.items():
            self.words[_FIELD[name]] = word

    def get(self, name: str) -> int:
        """Return a word."""
        word: int = self.words[_FIELD[name]]
        return word

    def number(self, name: str) -> int:
        """Return the number by which the table of recent programs has a name."""
        number = self._numbers.get(name)
        if number is None:
            self._names.append(name)
            number = self._numbers[name] = len(self._names) - 1
        return number

    def note(self, name: str) -> None:
        """Say what is started."""
        words, count = self.words, self.words[_STARTED]
        words[_RECENT + count % RECENT] = self.number(name)
        words[_STARTED] = count + 1

    @property
    def recent(self) -> list[str]:
        """The names of what was started last, the latest last."""
        count = self.words[_STARTED]
        numbers = [self.words[_RECENT + number % RECENT] for number in range(max(0, count - RECENT), count)]
        return [self._names[number] for number in numbers]

    @contextmanager
    def recording(self) -> Iterator[None]:
        """Keep machine code from starting graphs in the body of a `with`, where nobody is about to start one."""
        self.words[_RECORDED] += 1
        try:
            while self.words[_ASKING] and not sys.is_finalizing():
                time.sleep(_PAUSE)
            yield
        finally:
            self.words[_RECORDED] -= 1


_RECORDED, _ASKING, _STARTED, _RECENT = (_FIELD[name] for name in ("recorded", "asking", "started", "recent"))
_STARTERS: Final[weakref.WeakSet[Starter]] = weakref.WeakSet()


def _inherit() -> None:
    """In a forked child: machine code starts nothing on devices that the parent has opened."""
    for starter in _STARTERS:
        starter.set(inherited=1)


in_child(_inherit)


class StartedGraph(Protocol):
    """A graph that machine code may start."""

    @property
    def address(self) -> int:
        """The driver's handle of it."""

    def launch(self) -> None:
        """Start it."""


class _GraphRow:
    """A row of a table, and what is there."""

    def __init__(self, words: NDArray[numpy.int64]) -> None:
        self.words = words
        self.instance: StartableGraph | None = None

    @property
    def used(self) -> int:
        """Its place among all that was started, when it was started last; -1 where there is nothing to be started."""
        return int(self.words[ROW.index("used")]) if self.instance is not None else -1

    def send(self, write: Callable[[int, Sequence[int]], None], count: int) -> None:
        """Have its numbers written where its graph reads them, unless they are there."""
        if not self.words[_IS_SENT]:
            write(int(self.words[_BLOCK]), self.words[_AFTER : _AFTER + count].tolist())
            self.words[_IS_SENT] = 1

    def clear(self) -> None:
        """Let machine code find nothing there."""
        self.words[0] = 0
        self.instance = None

    def fill(self, instance: StartableGraph, words: Sequence[int]) -> None:
        """Let machine code find an instance there, whose words follow that for itself."""
        self.clear()
        self.instance = instance
        self.words[1:] = words
        self.words[0] = id(instance)


class StartableGraph:
    """A graph that is in the table of a program, with the memory of its results and what it was recorded for."""

    __slots__ = ("__weakref__", "_keep", "_lock", "_place", "_send", "graph", "memories")

    def __init__(
        self, place: _GraphRow, graph: StartedGraph, memories: Sequence[DeviceMemory], keep: Sequence[Any],
        lock: AbstractContextManager[Any], send: Callable[[_GraphRow], None],
    ) -> None:  # fmt: skip
        self._place, self._keep, self._lock, self._send = place, keep, lock, send
        self.graph = graph
        self.memories: tuple[DeviceMemory, ...] = tuple(memories)
        """Those of the results: where nobody but this tuple has them, they can be written."""

    def __call__(self) -> bool:
        """Start the graph where machine code may not, and tell whether it was."""
        with self._lock:
            if not self.is_there:
                return False
            try:
                self._send(self._place)
                self.graph.launch()
            except HybridizeError:  # the way of all calls says where
                return False
        return True

    @property
    def is_there(self) -> bool:
        """True until it is dropped."""
        return self._place.instance is self

    @property
    def used(self) -> int:
        """Its place among all that was started, when machine code started it last."""
        return self._place.used if self.is_there else -1

    @property
    def idle_bytes(self) -> int:
        """Bytes of results that nobody has."""
        memories = self.memories if self.is_there else ()
        counts = _references(memories)
        return sum(one.nbytes for one, count in zip(memories, counts, strict=True) if count == _ALONE)

    def drop(self) -> None:
        """Take the graph out of the table, and let go of the memory of its results."""
        if self.is_there:
            self._place.clear()


def _references(objects: Sequence[object]) -> list[int]:
    """The number of references to each of some objects, with those of who counts them."""
    return [*map(sys.getrefcount, objects)]


_ALONE: Final = _references([object()])[0]
"""The number for an object that only the sequence has."""


@frozen
class CallNumbers:
    """The numbers of a call: those among the arguments, and arrays of the host from outside."""

    hosts: tuple[tuple[Any, Any], ...] = ()
    """The arrays, and the memory of each, an array of NumPy's."""
    places: tuple[tuple[int, int, int], ...] = ()
    """For what kernels read: the input, or `~k` of an array, its place among the bytes of all, and its own bytes."""
    count: int = 0
    """Words of all."""


@frozen
class CallStates:
    """The states that a call writes: arrays that were there before it."""

    bound: tuple[int, ...] = ()
    """Numbers of the bound arrays that are."""
    exposed: int = 0
    """The slot of an array's storage that says that others may see it."""
    at_host: tuple[tuple[int, NDArray[Any]], ...] = ()
    """Numbers of the arrays at the host that are, each with where its new value is."""


class StartableGraphs:
    """The graphs of a program that machine code may start.

    Args:
        starter: of the device.
        accelerator: the device.
        name: of the program, for errors.
        lock: held by who looks for a graph of the program, changes it or starts it.
        inputs: number of arguments that are read.
        numbers: what is read at the host.
        bound: arrays of the device outside of the arguments, which the program reads.
        states: what is written.
        buffers: for each result a buffer like its own, which has no memory.
        storages: for each result what makes an array of the buffer.
        derived: who derives constants of arrays. A slot `buffer` has the constant, and the word `dirty` says that it
            has to be derived anew.
        count: of graphs.
    """

    def __init__(
        self,
        starter: Starter,
        accelerator: Any,
        *,
        name: str,
        lock: AbstractContextManager[Any],
        inputs: int,
        numbers: CallNumbers,
        bound: Sequence[Any],
        states: CallStates,
        buffers: Sequence[DeviceBuffer],
        storages: Sequence[Any],
        derived: Sequence[Any],
        count: int,
    ) -> None:
        self._lock, self._starter, self._accelerator, self._numbers = lock, starter, accelerator, numbers
        size = _AFTER + numbers.count + inputs + 3 * len(bound) + len(derived)
        size += 2 * (len(states.bound) + len(buffers))
        rows = numpy.zeros((count, size), numpy.int64)
        self._places = [_GraphRow(row) for row in rows]
        words = {
            name: [*map(id, objects)]
            for name, objects in zip(_TABLES, (buffers, storages, bound, derived), strict=True)
        }
        words["dirty"] = [one.dirty.ctypes.data for one in derived]
        words["hosts"] = [id(one) for pair in numbers.hosts for one in pair]
        words["numbers"] = [word for place in numbers.places for word in place]
        words["states"] = [*states.bound]
        words["host_states"] = [word for k, x in states.at_host for word in (k, x.ctypes.data, x.nbytes)]
        self._tables = {name: numpy.array(addresses, numpy.int64) for name, addresses in words.items()}
        self._failed = _failing(starter, accelerator)
        self._keep: list[Any] = [rows, starter, accelerator, bound, buffers, storages, derived]
        self.states: CallStates = states
        fields = {
            "starter": ctypes.addressof(starter.words),
            "accelerator": id(accelerator),
            "buffer_class": id(DeviceBuffer),
            **_offsets(),
            "origin": START,
            "nobody": id(NOBODY),
            "PyContextVar_Get": address("PyContextVar_Get"),
            "failed": id(self._failed),
            "number": starter.number(name),
            "buffer_words": DeviceBuffer.__basicsize__ // 8,
            "storage_words": type(storages[0]).__basicsize__ // 8 if storages else 0,
            "bound_count": len(bound),
            "host_count": len(numbers.hosts),
            "number_count": len(numbers.places),
            "number_words": numbers.count,
            "state_count": len(states.bound),
            "storage_exposed": states.exposed,
            "askers": id(ASKING),
            "host_state_count": len(states.at_host),
            "derived_count": len(derived),
            "derived_buffer": (cpython.member_offset(type(derived[0]), "buffer") or 0) if derived else 0,
            "rows": rows.ctypes.data,
            "row_count": count,
            "row_words": size,
        }
        fields |= {name: table.ctypes.data for name, table in self._tables.items()}
        self.words: NDArray[numpy.int64] = numpy.zeros(len(DEVICE), numpy.int64)
        for field, word in fields.items():
            self.words[_WORD[field]] = word

    def present(self, variable: Any, device: Any) -> None:
        """Say which device has to be the present one: the last item of what a context variable has."""
        known: list[Any] = []
        words = self.words

        def is_present() -> bool:
            devices = variable.get()
            if devices[-1] != device:
                return False
            words[_WORD["known"]] = id(devices)
            known[:] = [devices]
            return True

        self._keep += [variable, device, known, is_present]
        for field, one in (("variable", variable), ("present", device), ("is_present", is_present)):
            self.words[_WORD[field]] = id(one)

    def add(
        self, graph: StartedGraph, block: int, inputs: Sequence[int], bound: Sequence[tuple[DeviceBuffer, int]],
        derived: Sequence[DeviceBuffer], spares: Sequence[DeviceMemory], memories: Sequence[DeviceMemory],
        keep: Sequence[Any],
    ) -> StartableGraph:  # fmt: skip
        """Let machine code start a graph, in the place of the one that it has not started for longest.

        Args:
            graph: what is started.
            block: the address of the numbers that it reads, which only it reads; 0 for none.
            inputs: the addresses of the arrays that it is for, 0 for numbers; as `number_word` gives them those that no
                kernel reads.
            bound: for each array outside its buffer, and the address of its memory: the very number.
            derived: constants, one of each who derives them.
            spares: memory for new values of states.
            memories: of its results, which it writes.
            keep: whatever else it uses.
        """
        count = self._numbers.count
        if count and not self._starter.get("numbers"):
            self._accelerator.load_writer()
        place = min(self._places, key=lambda one: one.used)
        words: list[int] = [graph.address, self._starter.get("started"), block, int(not count), *[0] * count, *inputs]
        for buffer, start in bound:
            words += id(buffer), id(buffer.base), id(start)
        words += map(id, derived)
        numbers = [one.address for one in (*spares, *memories)]
        for memory, number in zip((*spares, *memories), numbers, strict=True):
            words += id(memory), id(number)
        owned = [bound, derived, numbers, spares, keep]
        instance = StartableGraph(place, graph, memories, owned, self._lock, self._send)
        place.fill(instance, words)
        return instance

    def _send(self, place: _GraphRow) -> None:
        place.send(self._accelerator.write_words, self._numbers.count)


def number_word(value: NDArray[Any]) -> int:
    """Return the bits of a number that an argument is, as machine code compares them."""
    bits = value.view(numpy.uint32 if value.itemsize == 4 else numpy.int64)
    return int(bits)


def _failing(starter: Starter, accelerator: Any) -> Callable[[], bool]:
    def failed() -> bool:
        """Take note of a call of the driver that has failed."""
        name = ("cuCtxPushCurrent_v2", "cuGraphLaunch", "cuLaunchKernel")[starter.get("place")]
        accelerator.failed_to_start(name, starter.get("result"))
        return False

    return failed


def _offsets() -> dict[str, int]:
    """The places of what machine code reads of buffers and memory."""
    known = {"layout": "_layout", "memory": "base"}
    offsets = {f"buffer_{name}": cpython.member_offset(DeviceBuffer, slot) for name, slot in known.items()}
    for name in ("accelerator", "address", "users"):
        offsets[f"memory_{name}"] = cpython.member_offset(DeviceMemory, name)
    return {name: offset or 0 for name, offset in offsets.items()}


def is_supported() -> bool:
    """Tell whether machine code can read buffers of devices in this interpreter."""
    return cpython.supported() and all(_offsets().values())
