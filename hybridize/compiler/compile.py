# SPDX-License-Identifier: Apache-2.0
"""The stages of a compilation in order, each timed: passes, LLVM IR, machine code."""

from __future__ import annotations

import ctypes
import threading
import time
from collections.abc import Collection, Iterator
from contextlib import contextmanager

from hybridize.base.config import CONFIG
from hybridize.codegen.target import Target, named_target
from hybridize.compiler.cache import Cache, CacheInfo, Key
from hybridize.compiler.entry import entry_code
from hybridize.graph import Graph
from hybridize.passes import PIPELINE
from hybridize.runtime import effects
from hybridize.runtime.executable import Executable

CACHE_BYTES = 128 << 20
"""Machine code and constants kept for graphs that come again."""

ENTRY_BYTES = 60 << 10
"""What any executable costs, measured: the pages that its code lies in, its plan, its graph, its table."""

_cache = Cache(CACHE_BYTES, ENTRY_BYTES)
_compiling = threading.RLock()


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


def default_target() -> Target:
    """This machine, or the one that `HYBRIDIZE_TARGET` names."""
    from hybridize.codegen.llvm.engine import host_target  # late: see the package

    return named_target(CONFIG.target) if CONFIG.target else host_target()


def compile(
    graph: Graph, target: Target | None = None, *, name: str = "program", stable: Collection[int] = ()
) -> Executable:
    """Compile a graph, or return what an equal graph was compiled to.

    Graphs are equal when their text after all passes and the values of their constants are. Safe to call from several
    threads; one compiles at a time.

    Args:
        graph: the program, as captured or imported; passes are run here.
        target: the machine to compile for; None is `default_target()`.
        name: what errors and `explain` call the program.
        stable: numbers of inputs that are the same at most calls. The program may read them from packed copies, which
            whoever binds the inputs makes and refreshes (see `Executable.packers`); `run` makes them at each call.
    """
    machine = target if target is not None else default_target()
    watch = _Stopwatch()
    with watch.stage("passes"):
        optimized = PIPELINE.run(graph)
        key = _key(optimized, machine, stable)
    found = _cache.get(key)
    if found is not None:
        return found
    with _compiling:
        found = _cache.get(key, again=True)
        if found is None:
            found = _compile(optimized, machine, name, stable, watch)
            _cache.put(key, found)
    return found


def _compile(graph: Graph, target: Target, name: str, stable: Collection[int], watch: _Stopwatch) -> Executable:
    from hybridize.codegen.llvm.engine import compile_module  # late: see the package
    from hybridize.codegen.llvm.program import build

    with watch.stage("codegen"):
        built = build(graph, target, stable=stable)
        text = built.module.text()
    with watch.stage("llvm"):
        loaded = compile_module(text, target)
    acts = effects.VARIABLE in built.module.globals
    if acts:
        ctypes.c_void_p.from_address(loaded.address(effects.VARIABLE)).value = effects.address()
    return Executable(
        loaded,
        loaded.address("program"),
        built.plan,
        built.constants,
        name=name,
        optimized=graph,
        effects=acts,
        code_bytes=loaded.nbytes,
        timings=watch.times,
        llvm_text=lambda: build(graph, target, stable=stable).module.text(),
        entry_code=entry_code(),
    )


def _key(graph: Graph, target: Target, stable: Collection[int]) -> Key:
    """What makes two compilations the same.

    The text, in which constants stand by value or digest, the machine, and what may be packed.
    """
    return graph.fingerprint, repr(target), repr(sorted(stable))


def cache_info() -> CacheInfo:
    """Counts and bytes of the memory cache."""
    return _cache.info()


def cache_clear() -> None:
    """Forget all compiled programs; those in use live on."""
    _cache.clear()
