# SPDX-License-Identifier: Apache-2.0
"""The stages of a compilation in order, each timed: passes, LLVM IR, machine code."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from hybridize.base.config import CONFIG
from hybridize.base.errors import CodegenError
from hybridize.base.loading import LOADING
from hybridize.compiler import disk, measured, stored
from hybridize.compiler.cache import ExecutableCacheInfo, Key
from hybridize.compiler.entry import entry_code
from hybridize.compiler.functions import FUNCTIONS
from hybridize.compiler.host import host_target, renew
from hybridize.compiler.pool import have_pool
from hybridize.compiler.work import CACHE, Arrays, Work, program_of
from hybridize.graph import Graph
from hybridize.machine.choices import settings
from hybridize.machine.target import Target, named_target
from hybridize.runtime import effects
from hybridize.runtime.executable import Executable
from hybridize.runtime.image import Image, Loaded
from hybridize.runtime.plan import Plan
from hybridize.runtime.pool import POOL


def default_target() -> Target:
    """This machine, its choices as the user or else measurements say; or the one that `HYBRIDIZE_TARGET` names.

    Raises:
        CodegenError E960: there is no target of that name.
        ArgumentError E392: `HYBRIDIZE_MACHINE` has a word that it cannot have.
    """
    overrides = settings(CONFIG.machine)
    if CONFIG.target:
        return overrides.applied(named_target(CONFIG.target))
    return overrides.applied(host_target() if overrides.complete else measured.target())


def compile(
    graph: Graph,
    target: Target | None = None,
    *,
    name: str = "program",
    stable: Collection[int] = (),
    threads: int | None = None,
    updates: Mapping[int, int] | None = None,
) -> Executable:
    """Compile a graph, or return what an equal graph was compiled to.

    Graphs are equal when their text and the values of their constants are. Safe to call from several threads; one
    compiles at a time. What another process has compiled is taken from the disk, without passes, schedule or LLVM.

    Args:
        graph: the program, as captured or imported; passes are run here.
        target: the machine to compile for; None is `default_target()`.
        name: what errors and `explain` call the program.
        stable: numbers of inputs that are the same at most calls. What is computed of them alone, and how
            they are packed, whoever binds the inputs makes and refreshes (see `Executable.derivers`); `run` makes it at
            each call.
        threads: how many a call may use; None is what `set_num_threads` says.
        updates: for outputs the input that each is the new value of, and whose memory it takes where the plan can have
            it so (see `Plan.updates`).
    """
    machine = target if target is not None else default_target()
    if graph.scope is not None:
        graph.scope.capturing = False
    slots = POOL.slots(threads)
    offers = dict(updates or {})
    code = _key(graph, machine, stable, slots, offers)
    key = (*code, str(threads))
    return program_of(key, code, lambda: _HostWork(graph, machine, name, stable, slots, threads, offers))


class _HostWork(Work[Executable]):
    """One graph on its way to machine code of a processor."""

    def __init__(
        self,
        graph: Graph,
        target: Target,
        name: str,
        stable: Collection[int],
        slots: int,
        threads: int | None,
        updates: Mapping[int, int],
    ) -> None:
        super().__init__(graph, target, name, stable)
        self.slots, self.threads, self.updates = slots, threads, updates

    def loaded(self, code: stored.StoredCode) -> Loaded | None:
        if not isinstance(code, Image):
            return None
        try:
            return Loaded(code)
        except CodegenError:  # a library of this process lacks a function: the compiler says which, or does without
            return None

    def compiled(self, file: str | None) -> Executable:
        """Compile, and keep the result on the disk for later processes."""
        with LOADING:
            from hybridize.codegen.llvm.engine import check_runnable, compile_program  # late: see the package

        check_runnable(self.target)
        renew()
        graph = self.optimized()
        built = self._built()
        self.shown.say(f"machine code of {len(built.module.functions):,} functions")
        with self.watch.stage("llvm"):
            image = compile_program(built.module, self.target, FUNCTIONS, self.slots)
            loaded = Loaded(image)
        stored.keep(file, self.graph, graph, image, built.plan, (built.constants, built.sources))
        return self.program(loaded, built.plan, built.constants, built.sources)

    def _built(self) -> Any:
        with LOADING:
            from hybridize.codegen.llvm.program import build  # late: see the package

        graph = self.optimized()
        self.shown.say(f"schedule of {len(graph.nodes):,} operations")
        with self.watch.stage("codegen"):
            return build(graph, self.target, stable=self.stable, slots=self.slots, updates=self.updates)

    def program(self, loaded: Loaded, plan: Plan, constants: Arrays, sources: Arrays) -> Executable:
        return Executable(
            loaded,
            loaded.address("program"),
            plan,
            constants,
            sources,
            **self.described,
            effects=effects.connect(loaded),
            code_bytes=loaded.nbytes,
            llvm_text=lambda: self._built().module.text(),
            entry_code=entry_code,
            team=POOL.team(self.threads) if plan.teams and have_pool() else None,
            updates=self.updates,
        )


def _key(graph: Graph, target: Target, stable: Collection[int], slots: int, updates: Mapping[int, int]) -> Key:
    """Return the key by which two compilations are the same.

    The text, in which constants stand by value or digest, the machine, what is stable, threads that may share,
    outputs that are to take an input's place.
    """
    return graph.fingerprint, repr(target), repr(sorted(stable)), str(slots), repr(sorted(updates.items()))


def cache_info() -> ExecutableCacheInfo:
    """Counts and bytes of the memory cache, and of the disk cache."""
    info = CACHE.info()
    info.disk, info.functions = disk.info(), FUNCTIONS.info()
    return info


def cache_clear() -> None:
    """Forget all compiled programs; those in use live on, and so does what is on the disk."""
    CACHE.clear()
    FUNCTIONS.clear()
