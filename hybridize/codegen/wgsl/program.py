# SPDX-License-Identifier: Apache-2.0
"""A graph as kernels in WGSL, and what launches them.

    build_wgsl(graph, target) -> WgslProgram
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from typing import Final

from hybridize.base.frozen import frozen
from hybridize.codegen.llvm.device.program import DeviceProgram, build_kernels
from hybridize.codegen.wgsl.ranges import MOST
from hybridize.codegen.wgsl.writing import write_kernel
from hybridize.graph import Graph
from hybridize.graph.ir import Array
from hybridize.machine.target import Target, named_target
from hybridize.runtime.device_steps import Copy, Launch, Question, work_of
from hybridize.runtime.plan import KernelLaunch, Plan, PlanAddress, PlanLaunch, PlanStep, Quantity
from hybridize.runtime.webgpu.kernels import WgslKernel
from hybridize.schedule.device.refusals import refused


@frozen
class WgslLaunch:
    """One launch of a kernel."""

    kernel: str
    """A name of `WgslProgram.modules`."""
    buffers: tuple[tuple[str, int], ...]
    """(kind, slot) of each storage buffer in the order of the bindings, see `PlanAddress`."""
    words: tuple[Quantity, ...]
    """The words of the call, each of 32 bits."""
    blocks: Quantity


@frozen
class WgslCopy:
    """Bytes that go from a buffer to a buffer, from an offset on each; they do not overlap."""

    to: tuple[str, int]
    to_offset: int
    source: tuple[str, int]
    source_offset: int
    nbytes: int


WgslWork = WgslLaunch | WgslCopy


@frozen(eq=False)
class WgslProgram:
    """A program as kernels in WGSL."""

    plan: Plan
    modules: Mapping[str, str]
    """The text of each kernel, whose entry point is `main`."""
    bindings: Mapping[str, tuple[bool, ...]]
    """Of each kernel the storage buffers that it binds, from binding 1 on: True if it writes to it."""
    launches: tuple[WgslWork, ...]
    constants: tuple[Array, ...]
    """In slot order, after the inputs; empty ones for what is derived."""
    sources: tuple[Array, ...]
    derivations: Mapping[int, tuple[WgslWork, ...]]
    """The launches that make the constants of some slots, see `Plan.derivations`."""


def write_kernels(program: DeviceProgram) -> dict[str, WgslKernel]:
    """Write the kernels of a program whose arrays may lie in any buffers."""
    blocks: dict[str, int] = {}
    for launch in _launches_of([*program.plan.steps, *(step for one in program.plan.makers for step in one.steps)]):
        most = launch.blocks if isinstance(launch.blocks, int) else MOST
        blocks[launch.function] = max(blocks.get(launch.function, 0), most)
    return {
        name: write_kernel(function, program.module, blocks[name])
        for name, function in program.module.functions.items()
    }


def _launches_of(steps: Iterable[PlanStep]) -> Iterator[KernelLaunch]:
    """All launches, those of control flow too."""
    for step in steps:
        for body in () if step.region is None else step.region.bodies:
            yield from _launches_of(body.steps)
        for launch in step.launches:
            assert isinstance(launch, KernelLaunch)
            yield launch


def build_wgsl(graph: Graph, target: Target | None = None, stable: Collection[int] = ()) -> WgslProgram:
    """Schedule a graph for WebGPU, and write its kernels.

    Raises:
        DeviceError E705: a part of the graph has no code there.
    """
    target = target or named_target("webgpu")
    program = build_kernels(graph, target, stable)
    binder = _Binder(write_kernels(program), target)
    plan = program.plan
    makers = {one.function: one.steps for one in plan.makers}
    launches = binder.launches(plan.steps)
    derivations = {one.slot: binder.launches(makers[one.function]) for one in plan.derivations}
    return WgslProgram(
        plan, binder.modules, binder.bindings, launches, program.constants, program.sources, derivations
    )  # fmt: skip


_SPACE: Final = 40
"""Bits of an address that are the offset within its memory."""


class _Binder:
    """Makes modules of kernels for launches whose buffers are known."""

    def __init__(self, kernels: Mapping[str, WgslKernel], target: Target) -> None:
        self._kernels, self._target = kernels, target
        self._names: dict[tuple[str, tuple[int, ...]], str] = {}
        self.modules: dict[str, str] = {}
        self.bindings: dict[str, tuple[bool, ...]] = {}

    def launches(self, steps: Iterable[PlanStep]) -> tuple[WgslWork, ...]:
        """The launches of steps in order."""
        return tuple(one for step in steps for one in self._of_step(step))

    def _of_step(self, step: PlanStep) -> Iterator[WgslWork]:
        if step.region is None:
            places = [one for one in step.arguments if isinstance(one, PlanAddress)]
            for launch in step.launches:
                yield self._launch(launch, [((one.kind, one.slot), one.offset) for one in places])
            return
        bases = {(one.kind, one.slot): number << _SPACE for number, one in enumerate(step.arguments, 1) if isinstance(one, PlanAddress)}
        memories = {at >> _SPACE: base for base, at in bases.items()}

        def place(at: int) -> tuple[tuple[str, int], int]:
            return memories.get(at >> _SPACE, ("nowhere", 0)), at & ((1 << _SPACE) - 1)

        for work in work_of([step], bases):
            match work:
                case Launch():
                    yield self._launch(work.launch, [place(at) for at in work.addresses])
                case Copy():
                    yield WgslCopy(*place(work.to), *place(work.source), work.nbytes)
                case Question():
                    what = f"{', '.join(step.ops)}, whose way data decides,"
                    raise refused(what, self._target, ", ".join(step.lines))

    def _launch(self, launch: PlanLaunch, places: Sequence[tuple[tuple[str, int], Quantity]]) -> WgslLaunch:
        """A launch over arrays that begin at these places of buffers."""
        assert isinstance(launch, KernelLaunch)
        kernel = self._kernels[launch.function]
        numbers: dict[tuple[str, int], int] = {}
        buffers = tuple(numbers.setdefault(places[number][0], len(numbers)) for number in kernel.used)
        name = self._names.get((kernel.name, buffers))
        if name is None:
            name = self._names[kernel.name, buffers] = f"kernel{len(self._names)}"
            self.modules[name], self.bindings[name] = kernel.text(buffers), kernel.bindings(buffers)
        words = (*(offset for _, offset in places), *launch.sizes, launch.blocks, 0)
        return WgslLaunch(name, tuple(numbers), words, launch.blocks)
