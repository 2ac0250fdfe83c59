# SPDX-License-Identifier: Apache-2.0
"""Graphs compiled for a device: the text of its kernels, and the plan that launches them."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Any

from hybridize.base.config import CONFIG
from hybridize.base.frozen import changed
from hybridize.base.loading import LOADING, load_module
from hybridize.compiler import identity, stored
from hybridize.compiler.work import Arrays, Work, program_of
from hybridize.graph import Graph
from hybridize.machine.target import DEVICE_NAMES, Target, named_target
from hybridize.runtime.device_code import DeviceExecutable
from hybridize.runtime.plan import Plan


def device_target(arch: str) -> Target:
    """Return the target for devices of an architecture: itself, or the newest that runs what is older.

    Its products of float32 are exact, unless the configuration says otherwise.
    """
    older = [name for name in DEVICE_NAMES if 0 < _number(name) <= _number(arch)]
    target = named_target(arch if arch in DEVICE_NAMES else max(older, key=_number, default=DEVICE_NAMES[0]))
    assert target.device is not None
    if CONFIG.tf32 and target.device.tensor_cores:
        return changed(target, device=changed(target.device, tf32=True))
    return target


def _number(arch: str) -> int:
    match = re.search(r"\d+", arch)
    return int(match[0]) if match else 0


def compile_kernels(
    graph: Graph, arch: str, *, name: str = "program", stable: Collection[int] = ()
) -> DeviceExecutable:
    """Compile a graph for devices of an architecture, or return what an equal graph was compiled to.

    As `compile`: caches in memory and on the disk, one thread at a time.

    Args:
        graph: the program, as captured; passes are run here.
        arch: of the device, as `sm_90`.
        name: what errors and `explain` call the program.
        stable: numbers of inputs that are the same at most calls, see `compile`.

    Raises:
        DeviceError E705: a part of the graph has no code on devices yet.
    """
    target = device_target(arch)
    if graph.scope is not None:
        graph.scope.capturing = False
    key = (graph.fingerprint, repr(target), repr(sorted(stable)))
    return program_of(key, (*key, identity.of_devices()), lambda: _DeviceWork(graph, target, name, stable))


def text_of(module: Any, target: Target, program: Any = None) -> str:
    """Return kernels in the language of the target's devices, those of a module or of a whole program; empty where
    there are none.
    """
    if not module.functions:
        return ""
    text: str
    if target.device is not None and target.device.ptx is not None:
        text = load_module("hybridize.codegen.llvm.device.program").ptx_of(module, target)
        return text
    wgsl = load_module("hybridize.codegen.wgsl.program")
    kernels = wgsl.write_module(module) if program is None else wgsl.write_kernels(program)
    text = load_module("hybridize.runtime.webgpu.kernels").written(kernels)
    return text


class _DeviceWork(Work[DeviceExecutable]):
    """One graph on its way to kernels."""

    def loaded(self, code: stored.StoredCode) -> str | None:
        return code if isinstance(code, str) else None

    def compiled(self, file: str | None) -> DeviceExecutable:
        graph, built = self.optimized(), self._built()
        self.shown.say(f"{len(built.module.functions):,} kernels")
        with self.watch.stage("llvm"):
            text = text_of(built.module, self.target, built)
        stored.keep(file, self.graph, graph, text, built.plan, (built.constants, built.sources))
        return self.program(text, built.plan, built.constants, built.sources)

    def _built(self) -> Any:
        with LOADING:
            from hybridize.codegen.llvm.device.program import build_kernels  # late: see the package

        graph = self.optimized()
        self.shown.say(f"schedule of {len(graph.nodes):,} operations")
        with self.watch.stage("codegen"):
            return build_kernels(graph, self.target, self.stable)

    def program(self, loaded: str, plan: Plan, constants: Arrays, sources: Arrays) -> DeviceExecutable:
        return DeviceExecutable(
            loaded,
            plan,
            constants,
            sources,
            **self.described,
            machine=self.target.name,
            llvm_text=lambda: self._built().module.text(),
        )
