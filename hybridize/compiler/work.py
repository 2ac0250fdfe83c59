# SPDX-License-Identifier: Apache-2.0
"""One graph on its way to code, for whichever machine: passes, the disk, the memory of what was compiled."""

from __future__ import annotations

import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Generic, TypeVar, cast

from numpy.typing import NDArray

from hybridize.base import constructors as constructors  # of the many classes that a compilation makes objects of
from hybridize.base.collector import seldom
from hybridize.base.forks import awaited
from hybridize.base.progress import NOBODY, showing
from hybridize.compiler import disk, stored
from hybridize.compiler.cache import Cache, Key
from hybridize.graph import Graph
from hybridize.machine.target import Target
from hybridize.passes import PIPELINE
from hybridize.runtime.compiled import CompiledProgram
from hybridize.runtime.plan import Plan

CACHE_BYTES = 128 << 20
"""Code and constants kept for graphs that come again."""

ENTRY_BYTES = 16 << 10
"""The cost of any executable besides its code, measured: its plan, its graph, its table."""

CACHE = Cache(CACHE_BYTES, ENTRY_BYTES)
_compiling = awaited(threading.RLock(), 1)

P = TypeVar("P", bound=CompiledProgram)
Arrays = Sequence[NDArray[Any]]


class _Stopwatch:
    """Milliseconds by stage."""

    def __init__(self) -> None:
        self.times: dict[str, float] = {}

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Add the duration of a `with` block to a stage."""
        start = time.perf_counter()
        yield
        self.times[name] = self.times.get(name, 0.0) + 1e3 * (time.perf_counter() - start)


class Work(ABC, Generic[P]):
    """Base of the compilations of one graph."""

    def __init__(self, graph: Graph, target: Target, name: str, stable: Collection[int]) -> None:
        self.graph, self.target, self.name = graph, target, name
        self.stable = tuple(stable)  # not what was given: a dict would keep its arrays for as long as the cache
        self.watch = _Stopwatch()
        self.shown = NOBODY
        self._optimized: Graph | None = None

    def optimized(self) -> Graph:
        """The graph after all passes, which a program from the disk is made without."""
        if self._optimized is None:
            self.shown.say(f"passes over {len(self.graph.nodes):,} operations")
            with self.watch.stage("passes"):
                self._optimized = PIPELINE.run(self.graph)
        return self._optimized

    def from_disk(self, file: str | None) -> P | None:
        """Load the program that an earlier process made of such a graph; None if there is none that fits."""
        start = time.perf_counter()
        program = stored.find(file)
        if program is None:
            return None
        loaded = self.loaded(program.code)
        if loaded is None:
            return None
        plan = stored.plan_of(program, self.graph)
        constants, sources = stored.constants_of(program, self.graph, self.optimized)
        self.watch.times["disk"] = 1e3 * (time.perf_counter() - start)
        return self.program(loaded, plan, constants, sources)

    @abstractmethod
    def loaded(self, code: stored.StoredCode) -> Any:
        """Return the code of a file, ready to be run; None where it cannot be."""

    @abstractmethod
    def compiled(self, file: str | None) -> P:
        """Compile, and keep the result on the disk for later processes."""

    @abstractmethod
    def program(self, loaded: Any, plan: Plan, constants: Arrays, sources: Arrays) -> P:
        """Return the program, of code that is ready."""

    @property
    def described(self) -> dict[str, Any]:
        """The facts that all programs are told of themselves."""
        graphs = (self.graph, self._optimized or self.graph)
        constants = {id(array): array.nbytes for graph in graphs for array in graph.constants.values()}
        return {
            "name": self.name,
            "optimized": self.optimized,
            "graph_bytes": sum(constants.values()),
            "timings": self.watch.times,
        }


def program_of(key: Key, code: Sequence[str | None], work: Callable[[], Work[P]]) -> P:
    """Return the program of a key: from memory, from the disk, or compiled; one thread compiles at a time.

    Args:
        key: by which two programs are the same.
        code: by which two files of programs are; there is none where a part of it is not known.
        work: begins to make it.
    """
    program = CACHE.get(key)
    if program is None:
        with _compiling, seldom():
            program = CACHE.get(key, again=True)
            if program is None:
                new = work()
                with showing(f"compiling {new.name}") as new.shown:
                    program = new.from_disk(disk.name(*code)) or new.compiled(disk.name(*code))
                CACHE.put(key, program)
    return cast(P, program)
