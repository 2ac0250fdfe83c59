# SPDX-License-Identifier: Apache-2.0
"""Arrays from outside read from copies, for as long as they seldom change.

    Copy                an array as programs read it, of one version of its buffer; all programs share it
        RowByRow        one that lies otherwise (a transposed view, a slice with steps), row by row
        PackedMatrix    a matrix as contractions read it
    PackedMachine       the backend of a program with such copies

A write through us makes the program's entries dirty (`Storage.touch`), so the next call comes here through the slow
path, packs again into the same memory and clears the mark. No call is reading the copy then: the write waited for those
that were, and later ones find the mark. Where writes come too often for packing to pay, or somebody else
may write unseen, the program is compiled again to read in place, and stays so. A copy row by row pays always: a call
would make one itself.
"""

from __future__ import annotations

import threading
import time
import weakref
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy
from numpy.typing import NDArray

from hybridize import compiler
from hybridize.array.ndarray import ndarray
from hybridize.array.storage import Storage, Watcher, settle
from hybridize.base.access import await_writer, while_reading
from hybridize.base.forks import renewed
from hybridize.compiler.archived import Code, executable
from hybridize.graph import Graph
from hybridize.programs.backends import Machine, Memory
from hybridize.programs.donation import donated
from hybridize.runtime.buffers import aligned
from hybridize.runtime.cpython import USABLE
from hybridize.runtime.executable import Executable, Packer

LIMIT_BYTES = 1 << 30
"""Memory of all packed copies of the process; programs made when it is used up read in place."""
PATIENCE = 20
"""Packing again is too soon within so many times as long as packing takes."""
STRIKES = 4
"""After so many times in a row too soon, the program reads in place."""


class Copy(ABC):
    """An array as programs read it, of one version of its buffer."""

    __slots__ = ("__weakref__", "_array", "_lock", "buffer", "storage", "version")

    def __init__(self, array: ndarray, buffer: NDArray[Any]) -> None:
        """`array` is kept alive: what is at its address stays what it was."""
        self.storage: Storage = array.storage
        self.buffer = buffer
        self.version = -1
        """Of the storage when it was copied; -1 before."""
        self._array = array._data
        self._lock = renewed(threading.RLock())

    def refresh(self) -> bool | None:
        """Copy again if the buffer was written since; returns whether it was, None where somebody is writing."""
        with self._lock:
            version = self.storage.version  # first: what is written while copying is copied again
            if version == self.version:
                return False
            if not self._fill():
                return None
            self.version = version
            return True

    @abstractmethod
    def _fill(self) -> bool:
        """Copy; False, and nothing is done, while another thread writes in place."""


class RowByRow(Copy):
    """An array that lies otherwise, row by row."""

    __slots__ = ()

    def __init__(self, array: ndarray) -> None:
        super().__init__(array, aligned(array.shape, array.dtype))

    def _fill(self) -> bool:
        return while_reading(numpy.copyto, self.buffer, self._array)


class PackedMatrix(Copy):
    """A matrix as contractions read it."""

    __slots__ = ("_packer", "_rows")

    def __init__(self, packer: Packer, array: ndarray, rows: RowByRow | None) -> None:
        """`rows` is the matrix row by row, where it lies otherwise."""
        super().__init__(array, packer.empty())
        self._packer = packer
        self._rows = rows

    def _fill(self) -> bool:
        rows = self._rows
        if rows is None:
            return self._packer.fill(self.buffer, self._array)
        with rows._lock:  # nobody else copies it again meanwhile
            return rows.refresh() is not None and self._packer.fill(self.buffer, rows.buffer)


class Copies:
    """The copies that a program reads."""

    __slots__ = ("all", "packed", "rows")

    def __init__(self, packed: Sequence[PackedMatrix] = (), rows: Mapping[int, RowByRow] | None = None) -> None:
        self.packed = tuple(packed)
        """For each packer of the executable, in their order."""
        self.rows = dict(rows or {})
        """By the number of the input in whose place they are read."""
        self.all: tuple[Copy, ...] = (*self.rows.values(), *self.packed)

    @property
    def nbytes(self) -> int:
        """Their memory."""
        return sum(copy.buffer.nbytes for copy in self.all)

    def inputs(self, given: Sequence[NDArray[Any]]) -> Sequence[NDArray[Any]]:
        """Put what lies row by row in the place of what does not."""
        if not self.rows:
            return given
        read = list(given)
        for number, copy in self.rows.items():
            read[number] = copy.buffer
        return read


def copyable(array: ndarray) -> bool:
    """Tell whether a copy of an array can be known to be up to date, and there may be sense in one."""
    storage = array._storage
    return (storage is None or not storage.exposed) and (array._data.ndim >= 2 or not lies_row_by_row(array))


def lies_row_by_row(array: ndarray) -> bool:
    """Tell whether programs can read an array where it is."""
    return bool(array._data.flags.num & USABLE == USABLE)


_copies: weakref.WeakValueDictionary[tuple[Any, ...], Copy] = weakref.WeakValueDictionary()
_lock = renewed(threading.RLock())
"""As all locks here, one that a signal's handler may enter again which calls the program that it has interrupted."""


def packed_bytes() -> int:
    """Memory of all copies of the process."""
    return sum(copy.buffer.nbytes for copy in list(_copies.values()))


def shared_copies(packers: Sequence[Packer], stable: Mapping[int, ndarray]) -> Copies | None:
    """The copies that a program reads, made or found; None where the process has too many bytes of them.

    Args:
        packers: of the program.
        stable: arrays by the number of their input; those that do not lie row by row are read from copies that do.
    """
    with _lock:
        found = _Found(packed_bytes())
        rows = {
            number: found.copy(("rows", *_place(array)), array._data.nbytes, partial(RowByRow, array))
            for number, array in stable.items()
            if not lies_row_by_row(array)
        }
        packed = []
        for packer in packers:
            array = stable[packer.input]
            copy = rows.get(packer.input)
            where = _place(array) if copy is not None else (id(array.storage), array._data.ctypes.data + packer.offset)
            key = (*where, packer.offset if copy is not None else 0, packer.layout)
            packed.append(found.copy(key, packer.nbytes, partial(PackedMatrix, packer, array, copy)))
        if found.total > LIMIT_BYTES:
            return None
        _copies.update(found.made)
        return Copies(packed, rows)


class _Found:
    """Copies that are there, and those that are to be."""

    def __init__(self, total: int) -> None:
        self.total = total
        self.made: dict[tuple[Any, ...], Any] = {}

    def copy(self, key: tuple[Any, ...], nbytes: int, make: Callable[[], Any]) -> Any:
        """The copy of a key, made where there is none."""
        copy = _copies.get(key) or self.made.get(key)
        if copy is None:
            self.total += nbytes
            if self.total > LIMIT_BYTES:
                return None
            copy = self.made[key] = make()
        return copy


def _place(array: ndarray) -> tuple[Any, ...]:
    """The elements that an array is over, as a key."""
    data = array._data
    return id(array.storage), data.ctypes.data, data.shape, data.strides, data.dtype


NO_COPIES = Copies()


class _Mark:
    """A watcher that only tells: its copies are not what the parameters are."""

    __slots__ = ("__weakref__", "dirty")

    def __init__(self) -> None:
        self.dirty = numpy.ones(1, dtype=numpy.int64)


class PackedMachine(Machine):
    """Machine code that reads `stable`, arrays by the number of their input, from copies where that pays.

    Matrices are packed; what does not lie row by row is copied so that it does. Without copies (none pays, or they were
    given up) it is a plain `Machine`, which copies what does not lie row by row at each call.
    """

    def __init__(
        self,
        graph: Graph,
        name: str,
        stable: Mapping[int, ndarray],
        unless: Watcher,
        clock: Callable[[], float] = time.perf_counter,
        threads: int | None = None,
        codes: Sequence[Code] = (),
        updates: Mapping[int, int] | None = None,
    ) -> None:
        """Entries are not made clean while `unless` is dirty. Nothing is compiled where one of `codes` fits.

        `updates` are outputs that only are the new values of inputs (see `compiler.compile`).
        """
        there = executable(codes, graph, name=name, stable=stable, threads=threads) if codes else None
        self._updates = updates
        self.executable = there or compiler.compile(graph, name=name, stable=stable, threads=threads, updates=updates)
        self.renewed = False
        """True if the executable was replaced since somebody last set this to False: entries are to be made again."""
        self._graph, self._name, self._threads, self._unless, self._clock = graph, name, threads, unless, clock
        self._lock = renewed(threading.RLock())
        self._entries: list[weakref.ref[Any]] = []
        self._mark = _Mark()
        self._last = float("-inf")
        self._strikes = 0
        self._copies = NO_COPIES
        copies = shared_copies(self.executable.packers, stable)
        if copies is not None:
            self._copies = copies
            for copy in copies.all:
                copy.storage.watch(self._mark)
        elif self.executable.packers:
            self.executable = compiler.compile(graph, name=name, threads=threads, updates=updates)

    @property
    def memory(self) -> Memory:
        """As planned, and the copies, which other programs may share."""
        return Memory(self.executable.peak_bytes, self._copies.nbytes)

    def now(self) -> tuple[Executable, Copies]:
        """Return what entries are to be made of: the executable, and the copies it reads."""
        with self._lock:
            return self.executable, self._copies

    def watch(self, entry: Watcher, copies: Copies) -> None:
        """Let an entry over copies that `now` gave be called only while they are what the parameters are."""
        if not copies.all:
            return
        entry.dirty[0] = 1
        with self._lock:
            if copies is not self._copies:
                return  # given up meanwhile: the entry is never called
            self._entries = [known for known in self._entries if known() is not None] + [weakref.ref(entry)]
            for copy in self._copies.all:
                copy.storage.watch(entry)
            self._settle()

    def run(self, inputs: Sequence[NDArray[Any]]) -> list[NDArray[Any]]:
        """Call the program, with fresh copies."""
        return self._run(inputs, in_place=False)

    def update(self, inputs: Sequence[NDArray[Any]]) -> list[NDArray[Any]]:
        """Call it and have it write new values of state in place where it can: those outputs are the inputs then."""
        return self._run(inputs, in_place=True)

    def _run(self, inputs: Sequence[NDArray[Any]], *, in_place: bool) -> list[NDArray[Any]]:
        while True:
            with self._lock:
                ready = self._refresh()
                executable, copies = self.executable, self._copies
            if not ready:
                await_writer()  # without the lock, which the writer may need
                continue
            there = donated(executable.plan.updates, inputs) if in_place else None
            if not copies.all:
                return executable.run(inputs, None, there)
            packed = [copy.buffer for copy in copies.packed]
            outputs = executable.run_unless(self._mark.dirty, copies.inputs(inputs), packed, there)
            if outputs is not None:
                return outputs

    def _refresh(self) -> bool:
        """Bring the copies up to date, or give them up; False where somebody is writing."""
        copies = self._copies
        if not copies.all:
            return True
        if any(copy.storage.exposed for copy in copies.all):
            self._keep({number: copy for number, copy in copies.rows.items() if not copy.storage.exposed})
            return self._refresh()
        if None in [copy.refresh() for copy in copies.rows.values()]:
            return False
        if copies.packed and not self._pack(copies.packed):
            return False
        self._settle()
        return True

    def _pack(self, copies: Sequence[PackedMatrix]) -> bool:
        """Pack what was written again, or have done with it where that comes too often; False where somebody writes."""
        start = self._clock()
        first = copies[0].version == -1
        written = [copy.refresh() for copy in copies]
        if None in written:
            return False
        if any(written) and not first:
            end = self._clock()
            self._strikes = self._strikes + 1 if start - self._last < PATIENCE * (end - start) else 0
            self._last = end
            if self._strikes >= STRIKES:
                self._keep(self._copies.rows)
        return True

    def _settle(self) -> None:
        copied = [(copy.storage, copy.version) for copy in self._copies.all]
        settle(self._mark, copied)
        for reference in self._entries:
            entry = reference()
            if entry is not None:
                settle(entry, copied, self._unless)

    def _keep(self, rows: Mapping[int, RowByRow]) -> None:
        """Have no copies but these from now on; entries over the others stay dirty for ever."""
        if self._copies.packed:
            self.executable = compiler.compile(
                self._graph, name=self._name, threads=self._threads, updates=self._updates
            )
        self._copies, self._entries = Copies(rows=rows), []
        self.renewed = True
