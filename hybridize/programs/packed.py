# SPDX-License-Identifier: Apache-2.0
"""Arrays from outside read from copies, for as long as they seldom change.

    Copy                an array as programs read it, of one version of its buffer; all programs share it
        RowByRow        one that lies otherwise (a transposed view, a slice with steps), row by row
        DerivedCopy     a constant derived of one or several: a weight as contractions read it, a factor, a product
    PackedMachine       the backend of a program with such copies

A write through us makes the program's entries dirty (`Storage.touch`), so the next call comes here through the slow
path, derives again into the same memory and clears the mark. No call is reading the copy then: the write waited for
those that were, and later ones find the mark. Where writes come too often for that to pay, or somebody else may write
unseen, the program is compiled again to compute of what lies in place, and stays so. A copy row by row pays always: a
call would make one itself.
"""

from __future__ import annotations

import threading
import time
import weakref
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack
from functools import partial
from typing import Any

import numpy
from numpy.typing import NDArray

from hybridize import compiler
from hybridize.array.buffer import address_of, host_view, memory_key
from hybridize.array.ndarray import ndarray
from hybridize.array.storage import Storage, Watcher, settle
from hybridize.base.access import await_writer, while_reading
from hybridize.base.forks import renewed
from hybridize.compiler import identity, shared
from hybridize.compiler.archived import Code, executable
from hybridize.graph import Graph
from hybridize.programs.backends import Machine, Memory
from hybridize.programs.donation import donated
from hybridize.programs.origins import origin_of
from hybridize.runtime import abi
from hybridize.runtime.buffers import ALIGNMENT, aligned
from hybridize.runtime.cpython import USABLE
from hybridize.runtime.executable import Deriver, Executable
from hybridize.runtime.plan import PlanSource

LIMIT_BYTES = 1 << 30
"""Memory of all packed copies of the process; programs made when it is used up read in place."""
PATIENCE = 20
"""Deriving again is too soon within so many times as long as it takes."""
STRIKES = 4
"""After so many times in a row too soon, the program reads in place."""


class Copy(ABC):
    """An array that programs read in place of others, of one version of their buffers."""

    __slots__ = ("__weakref__", "_arrays", "_lock", "buffer", "storages", "versions")

    def __init__(self, arrays: Sequence[ndarray], buffer: NDArray[Any]) -> None:
        """`arrays` are kept alive: what is at their addresses stays what it was."""
        self.storages: tuple[Storage, ...] = tuple(array.storage for array in arrays)
        self.buffer: NDArray[Any] = buffer
        self.versions: tuple[int, ...] = (-1,) * len(self.storages)
        """Of the storages when it was copied; -1 before."""
        self._arrays = [host_view(array) for array in arrays]
        self._lock = renewed(threading.RLock())

    @property
    def exposed(self) -> bool:
        """True if somebody else may write unseen."""
        return any(storage.exposed for storage in self.storages)

    @property
    def copied(self) -> Iterable[tuple[Storage, int]]:
        """The storages with their versions when it was copied."""
        return zip(self.storages, self.versions, strict=True)

    def refresh(self) -> bool | None:
        """Copy again if a buffer was written since; returns whether it was, None where somebody is writing."""
        with self._lock:
            # First: what is written while copying is copied again.
            versions = tuple([storage.version for storage in self.storages])
            if versions == self.versions:
                return False
            if not self._fill():
                return None
            self.versions = versions
            return True

    @abstractmethod
    def _fill(self) -> bool:
        """Copy; False, and nothing is done, while another thread writes in place."""


class RowByRow(Copy):
    """An array that lies otherwise, row by row."""

    __slots__ = ()

    def __init__(self, array: ndarray) -> None:
        super().__init__([array], aligned(array.shape, array.dtype))

    def _fill(self) -> bool:
        return while_reading(numpy.copyto, self.buffer, self._arrays[0])


class DerivedCopy(Copy):
    """A constant that a program derives of arrays."""

    __slots__ = ("_deriver", "_is_there", "_rows", "_sources", "origin")

    def __init__(self, deriver: Deriver, arrays: Mapping[int, ndarray], rows: Mapping[int, RowByRow]) -> None:
        """`arrays` are its sources by the number of their input, `rows` those row by row that lie otherwise."""
        super().__init__(list(arrays.values()), deriver.empty())
        self._deriver = deriver
        self._rows = dict(rows)
        self._sources = {number: host_view(array) for number, array in arrays.items()}
        origins = {number: None if number in rows else origin_of(array) for number, array in arrays.items()}
        sources = [(origins[one.number], one.offset) for one in deriver.sources if one.kind == "input"]
        self.origin: tuple[Any, ...] | None = None if None in origins.values() else (deriver.layout, *sources)
        """Names its sources and its layout, in the same words in all processes; None where others have not the same."""
        self._is_there = False

    def lie_in(self, buffer: NDArray[Any]) -> None:
        """Be what lies somewhere, derived of the first version of each source."""
        self.buffer = buffer
        self._is_there = True

    def derived_to(self, target: NDArray[Any]) -> bool:
        """Derive of the first version of each source; False where that is not to be had now."""
        return self._deriver.fill(target, self._sources) and not any(storage.version for storage in self.storages)

    def _fill(self) -> bool:
        if self._is_there:
            self._is_there = False
            if not any(storage.version for storage in self.storages):
                return True
        with ExitStack() as locks:
            sources = dict(self._sources)
            # In one order in all threads, so that none waits for another that waits for it.
            for number, rows in sorted(self._rows.items(), key=lambda item: id(item[1])):
                locks.enter_context(rows._lock)  # nobody else copies it again meanwhile
                if rows.refresh() is None:
                    return False
                sources[number] = rows.buffer
            return self._deriver.fill(self.buffer, sources)


class Copies:
    """The copies that a program reads."""

    __slots__ = ("all", "derived", "rows")

    def __init__(self, derived: Sequence[DerivedCopy] = (), rows: Mapping[int, RowByRow] | None = None) -> None:
        self.derived: tuple[DerivedCopy, ...] = tuple(derived)
        """For each deriver of the executable, in their order."""
        self.rows: dict[int, RowByRow] = dict(rows or {})
        """By the number of the input in whose place they are read."""
        self.all: tuple[Copy, ...] = (*self.rows.values(), *self.derived)

    @property
    def storages(self) -> Iterable[Storage]:
        """The storages of all that they are copies of."""
        return (storage for copy in self.all for storage in copy.storages)

    @property
    def nbytes(self) -> int:
        """Their memory."""
        return sum(copy.buffer.nbytes for copy in self.all)

    def inputs(self, arrays: Sequence[NDArray[Any]]) -> Sequence[NDArray[Any]]:
        """Put what lies row by row in the place of what does not."""
        if not self.rows:
            return arrays
        read = list(arrays)
        for number, copy in self.rows.items():
            read[number] = copy.buffer
        return read


def lies_row_by_row(array: ndarray) -> bool:
    """Tell whether programs can read an array where it is."""
    return bool(host_view(array).flags.num & USABLE == USABLE)


_copies: weakref.WeakValueDictionary[tuple[Any, ...], Copy] = weakref.WeakValueDictionary()
_lock = renewed(threading.RLock())
"""As all locks here, one that a signal's handler may enter again which calls the program that it has interrupted."""


def packed_bytes() -> int:
    """Memory of all copies of the process."""
    return sum(copy.buffer.nbytes for copy in list(_copies.values()))


def shared_copies(derivers: Sequence[Deriver], stable: Mapping[int, ndarray], maker: str = "") -> Copies | None:
    """The copies that a program reads, made or found; None where the process has too many bytes of them.

    Args:
        derivers: of the program.
        maker: names who wrote their code; empty: what they make is not shared with other processes.
        stable: arrays by the number of their input; those that do not lie row by row are read from copies that do.
    """
    with _lock:
        registry = _Registry(packed_bytes())
        rows = {
            number: registry.copy(("rows", *_place(array)), array.nbytes, partial(RowByRow, array))
            for number, array in stable.items()
            if not lies_row_by_row(array)
        }
        derived = []
        for deriver in derivers:
            arrays = {number: stable[number] for number in deriver.inputs}
            scattered = {number: rows[number] for number in arrays if number in rows}
            key = (deriver.layout, *(_place_of(source, arrays, scattered) for source in deriver.sources))
            derived.append(registry.copy(key, deriver.nbytes, partial(DerivedCopy, deriver, arrays, scattered)))
        if registry.total > LIMIT_BYTES:
            return None
        if maker:
            _lie_together([one for one in registry.copies.values() if isinstance(one, DerivedCopy)], maker)
        _copies.update(registry.copies)
        return Copies(derived, rows)


def _lie_together(copies: Sequence[DerivedCopy], maker: str) -> None:
    """Have new copies of what other processes read, too, lie in a file that all of them map."""
    parts: list[tuple[DerivedCopy, slice]] = []
    end = 0
    for copy in copies:
        if copy.origin is not None:
            start = -(-end // ALIGNMENT) * ALIGNMENT
            end = start + copy.buffer.nbytes
            parts.append((copy, slice(start, end)))
    if end < shared.MINIMUM:
        return

    def fill(memory: Any) -> bool:
        whole = numpy.frombuffer(memory, numpy.uint8)
        return all(copy.derived_to(whole[part]) for copy, part in parts)

    memory = shared.mapped(repr((maker, [copy.origin for copy, _ in parts])), end, fill)
    if memory is not None:
        whole = numpy.frombuffer(memory, numpy.uint8)
        for copy, part in parts:
            copy.lie_in(whole[part])


def _place_of(source: PlanSource, arrays: Mapping[int, ndarray], rows: Mapping[int, RowByRow]) -> tuple[Any, ...]:
    """The source of a constant as a key: the elements of an input; of constants the layout tells."""
    if source.kind == "constant":
        return ()
    array = arrays[source.number]
    if source.number in rows:
        return (*_place(array), source.offset)
    return id(array.storage), address_of(array) + source.offset


class _Registry:
    """Copies that are there, and those that are to be."""

    def __init__(self, total: int) -> None:
        self.total = total
        self.copies: dict[tuple[Any, ...], Any] = {}

    def copy(self, key: tuple[Any, ...], nbytes: int, make: Callable[[], Any]) -> Any:
        """The copy of a key, made where there is none."""
        copy = _copies.get(key) or self.copies.get(key)
        if copy is None:
            self.total += nbytes
            if self.total > LIMIT_BYTES:
                return None
            copy = self.copies[key] = make()
        return copy


def _place(array: ndarray) -> tuple[Any, ...]:
    """The elements that an array is over, as a key."""
    return id(array.storage), *memory_key(array)


NO_COPIES = Copies()


def _maker(of_file: bool) -> str:
    """Name who wrote the code of a program, as other processes do; empty where that is not known.

    The files of arrays say which code came with them.
    """
    return f"the file, for runtime {abi.NUMBER}" if of_file else identity.compiler() or ""


class _Mark:
    """A watcher that only tells: its copies are not what the parameters are."""

    __slots__ = ("__weakref__", "dirty")

    def __init__(self) -> None:
        self.dirty = numpy.ones(1, dtype=numpy.int64)


class PackedMachine(Machine):
    """Machine code that reads `stable`, arrays by the number of their input, from copies where that pays.

    Matrices are packed, what is computed of them alone is computed once; what does not lie row by row is copied so that
    it does. Without copies (none pays, or they were
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
        binary = executable(codes, graph, name=name, stable=stable, threads=threads) if codes else None
        self._updates = updates
        self.executable: Executable = binary or compiler.compile(
            graph, name=name, stable=stable, threads=threads, updates=updates
        )
        self.renewed: bool = False
        """True if the executable was replaced since somebody last set this to False: entries are to be made again."""
        self._graph, self._name, self._threads, self._unless, self._clock = graph, name, threads, unless, clock
        self._lock = renewed(threading.RLock())
        self._entries: list[weakref.ref[Any]] = []
        self._mark = _Mark()
        self._last = float("-inf")
        self._strikes = 0
        self._copies = NO_COPIES
        copies = shared_copies(self.executable.derivers, stable, _maker(binary is not None))
        if copies is not None:
            self._copies = copies
            for storage in copies.storages:
                storage.watch(self._mark)
        elif self.executable.derivers:
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
            for storage in self._copies.storages:
                storage.watch(entry)
            self._settle()

    def run(self, inputs: Sequence[NDArray[Any]]) -> list[NDArray[Any]]:
        """Call the program, with fresh copies."""
        return self._run(inputs, {}, in_place=False)

    def update(
        self, inputs: Sequence[NDArray[Any]], into: Mapping[int, NDArray[Any]] | None = None
    ) -> list[NDArray[Any]]:
        """Call it and have it write new values of state in place where it can: those outputs are the inputs then.

        `into` has the memory of other outputs, by their numbers; for the rest the call makes some.
        """
        return self._run(inputs, into or {}, in_place=True)

    def _run(
        self, inputs: Sequence[NDArray[Any]], into: Mapping[int, NDArray[Any]], *, in_place: bool
    ) -> list[NDArray[Any]]:
        while True:
            with self._lock:
                ready = self._refresh()
                executable, copies = self.executable, self._copies
            if not ready:
                await_writer()  # without the lock, which the writer may need
                continue
            targets = {**donated(executable.plan.updates, inputs), **into} if in_place else None
            if not copies.all:
                return executable.run(inputs, None, targets)
            derived = [copy.buffer for copy in copies.derived]
            outputs = executable.run_unless(self._mark.dirty, copies.inputs(inputs), derived, targets)
            if outputs is not None:
                return outputs

    def _refresh(self) -> bool:
        """Bring the copies up to date, or give them up; False where somebody is writing."""
        copies = self._copies
        if not copies.all:
            return True
        if any(copy.exposed for copy in copies.all):
            self._keep({number: copy for number, copy in copies.rows.items() if not copy.exposed})
            return self._refresh()
        if None in [copy.refresh() for copy in copies.rows.values()]:
            return False
        if copies.derived and not self._derive(copies.derived):
            return False
        self._settle()
        return True

    def _derive(self, copies: Sequence[DerivedCopy]) -> bool:
        """Derive again of what was written, or have done with it where that comes too often; False where somebody
        writes.
        """
        start = self._clock()
        first = -1 in copies[0].versions
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
        copied = [pair for copy in self._copies.all for pair in copy.copied]
        settle(self._mark, copied)
        for reference in self._entries:
            entry = reference()
            if entry is not None:
                settle(entry, copied, self._unless)

    def _keep(self, rows: Mapping[int, RowByRow]) -> None:
        """Have no copies but these from now on; entries over the others stay dirty for ever."""
        if self._copies.derived:
            self.executable = compiler.compile(
                self._graph, name=self._name, threads=self._threads, updates=self._updates
            )
        self._copies, self._entries = Copies(rows=rows), []
        self.renewed = True
