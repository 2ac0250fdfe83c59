# SPDX-License-Identifier: Apache-2.0
"""Parameters read from packed copies, for as long as they seldom change.

    Copy            one matrix, packed; shared by all programs that read it, of all signatures
    PackedMachine   the backend of a program with such copies

A write through us makes the program's entries dirty (`Storage.touch`), so the next call comes here through the slow
path, packs again into the same memory and clears the mark. No call is reading the copy then: the write waited for those
that were, and later ones find the mark. Where writes come too often for packing to pay, or somebody else
may write unseen, the program is compiled again to read in place, and stays so.
"""

from __future__ import annotations

import threading
import time
import weakref
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy
from numpy.typing import NDArray

from hybridize import compiler
from hybridize.array.ndarray import ndarray
from hybridize.array.storage import Storage, Watcher, settle
from hybridize.base.access import await_writer
from hybridize.base.forks import renewed
from hybridize.compiler.archived import Code, executable
from hybridize.graph import Graph
from hybridize.programs.backends import Machine, Memory
from hybridize.programs.donation import donated
from hybridize.runtime.cpython import USABLE
from hybridize.runtime.executable import Executable, Packer

LIMIT_BYTES = 1 << 30
"""Memory of all packed copies of the process; programs made when it is used up read in place."""
PATIENCE = 20
"""Packing again is too soon within so many times as long as packing takes."""
STRIKES = 4
"""After so many times in a row too soon, the program reads in place."""


class Copy:
    """A matrix as contractions read it, of one version of its buffer."""

    __slots__ = ("__weakref__", "_array", "_lock", "_packer", "buffer", "storage", "version")

    def __init__(self, packer: Packer, array: ndarray) -> None:
        """`array` is kept alive: what is at its address stays what it was."""
        self.storage: Storage = array.storage
        self.buffer = packer.empty()
        self.version = -1
        """Of the storage when it was packed; -1 before."""
        self._array = array._data
        self._packer = packer
        self._lock = renewed(threading.RLock())

    def refresh(self) -> bool | None:
        """Pack again if the buffer was written since; returns whether it was, None where somebody is writing."""
        with self._lock:
            version = self.storage.version  # first: what is written while packing is packed again
            if version == self.version:
                return False
            if not self._packer.fill(self.buffer, self._array):
                return None
            self.version = version
            return True


def packable(array: ndarray) -> bool:
    """Tell whether a copy of an array can be known to be up to date, and there may be sense in one."""
    data, storage = array._data, array._storage
    return data.ndim >= 2 and data.flags.num & USABLE == USABLE and (storage is None or not storage.exposed)


_copies: weakref.WeakValueDictionary[tuple[Any, ...], Copy] = weakref.WeakValueDictionary()
_lock = renewed(threading.RLock())
"""As all locks here, one that a signal's handler may enter again which calls the program that it has interrupted."""


def packed_bytes() -> int:
    """Memory of all packed copies of the process."""
    return sum(copy.buffer.nbytes for copy in list(_copies.values()))


def shared_copies(packers: Sequence[Packer], arrays: Sequence[ndarray]) -> tuple[Copy, ...] | None:
    """For each packer the copy of its array, made or found; None where the process has too many bytes of them."""
    with _lock:
        found: list[Copy] = []
        total = packed_bytes()
        for packer, array in zip(packers, arrays, strict=True):
            key = (id(array.storage), array._data.ctypes.data + packer.offset, packer.layout)
            copy = _copies.get(key)
            if copy is None:
                total += packer.nbytes
                if total > LIMIT_BYTES:
                    return None
                copy = _copies[key] = Copy(packer, array)
            found.append(copy)
        return tuple(found)


class _Mark:
    """A watcher that only tells: its copies are not what the parameters are."""

    __slots__ = ("__weakref__", "dirty")

    def __init__(self) -> None:
        self.dirty = numpy.ones(1, dtype=numpy.int64)


class PackedMachine(Machine):
    """Machine code that reads the matrices among `stable`, arrays by the number of their input, from packed copies.

    Without copies (none pays, or they were given up) it is a plain `Machine`.
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
        self._copies: tuple[Copy, ...] = ()
        if self.executable.packers:
            arrays = [stable[packer.input] for packer in self.executable.packers]
            copies = shared_copies(self.executable.packers, arrays)
            if copies is None:
                self.executable = compiler.compile(graph, name=name, threads=threads, updates=updates)
            else:
                self._copies = copies
                for copy in copies:
                    copy.storage.watch(self._mark)

    @property
    def memory(self) -> Memory:
        """As planned, and the copies, which other programs may share."""
        return Memory(self.executable.peak_bytes, sum(copy.buffer.nbytes for copy in self._copies))

    def now(self) -> tuple[Executable, tuple[Copy, ...]]:
        """Return what entries are to be made of: the executable, and for each of its packers the copy it reads."""
        with self._lock:
            return self.executable, self._copies

    def watch(self, entry: Watcher, copies: tuple[Copy, ...]) -> None:
        """Let an entry over copies that `now` gave be called only while they are what the parameters are."""
        if not copies:
            return
        entry.dirty[0] = 1
        with self._lock:
            if copies is not self._copies:
                return  # given up meanwhile: the entry is never called
            self._entries = [known for known in self._entries if known() is not None] + [weakref.ref(entry)]
            for copy in self._copies:
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
            if not copies:
                return executable.run(inputs, None, there)
            outputs = executable.run_unless(self._mark.dirty, inputs, [copy.buffer for copy in copies], there)
            if outputs is not None:
                return outputs

    def _refresh(self) -> bool:
        """Bring the copies up to date, or give them up; False where somebody is writing."""
        if not self._copies:
            return True
        start = self._clock()
        first = self._copies[0].version == -1
        if any(copy.storage.exposed for copy in self._copies):
            self._give_up()
            return True
        written = [copy.refresh() for copy in self._copies]
        if None in written:
            return False
        if any(written) and not first:
            end = self._clock()
            self._strikes = self._strikes + 1 if start - self._last < PATIENCE * (end - start) else 0
            self._last = end
            if self._strikes >= STRIKES:
                self._give_up()
                return True
        self._settle()
        return True

    def _settle(self) -> None:
        copied = [(copy.storage, copy.version) for copy in self._copies]
        settle(self._mark, copied)
        for reference in self._entries:
            entry = reference()
            if entry is not None:
                settle(entry, copied, self._unless)

    def _give_up(self) -> None:
        """Read in place from now on; entries over the copies stay dirty for ever."""
        self.executable = compiler.compile(self._graph, name=self._name, threads=self._threads, updates=self._updates)
        self._copies, self._entries = (), []
        self.renewed = True
