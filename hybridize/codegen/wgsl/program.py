# SPDX-License-Identifier: Apache-2.0
"""A graph as kernels in WGSL, and what launches them.

build_wgsl(graph, target) -> WgslProgram
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from hybridize.base.dims import Dim, is_symbolic, parse_scope
from hybridize.base.dtypes import BY_CODE, DType, float64
from hybridize.base.frozen import frozen
from hybridize.codegen.llvm.device.program import DeviceProgram, build_kernels
from hybridize.codegen.llvm.text import Module
from hybridize.codegen.wgsl.ranges import MOST
from hybridize.codegen.wgsl.writing import write_kernel
from hybridize.graph import Graph
from hybridize.graph.ir import Array
from hybridize.machine.target import Target, named_target
from hybridize.runtime.device_steps import DeviceCopy, DeviceLaunch, work_of
from hybridize.runtime.plan import (
    FLAG,
    KernelLaunch,
    Plan,
    PlanAddress,
    PlanLaunch,
    PlanReport,
    PlanStep,
    Quantity,
    filled,
    plain,
)
from hybridize.runtime.webgpu.kernels import WgslKernel
from hybridize.schedule.device.refusals import CPU, refused
from hybridize.schedule.steps import ContractionStep, Derived, LoopStep, RegionStep, RoutineStep, ScheduleStep


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
    to_offset: Quantity
    source: tuple[str, int]
    source_offset: Quantity
    nbytes: Quantity


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

    def text(self) -> str:
        """All modules, to look at."""
        return "\n".join(f"// {name}\n{text}" for name, text in self.modules.items())


def write_kernels(program: DeviceProgram) -> dict[str, WgslKernel]:
    """Write the kernels of a program whose arrays may lie in any buffers.

    Raises:
        DeviceError E705: it has arrays of float64.
    """
    derived = [step for one in program.schedule.constants if isinstance(one, Derived) for step in one.steps]
    plan = program.plan
    users = any(BY_CODE[one.dtype] == float64 for one in (*plan.inputs, *plan.outputs))
    _check_types(
        [*program.schedule.steps, *derived], program.target, "use float32: x.astype('float32')" if users else CPU
    )
    blocks: dict[str, int] = {}
    for launch in _launches_of([*program.plan.steps, *(step for one in program.plan.makers for step in one.steps)]):
        most = launch.blocks if isinstance(launch.blocks, int) else MOST
        blocks[launch.function] = max(blocks.get(launch.function, 0), most)
    return write_module(program.module, blocks)


def write_module(module: Module, blocks: Mapping[str, int] = MappingProxyType({})) -> dict[str, WgslKernel]:
    """Write the functions of a module; `blocks` are those of a launch at most, where that is known."""
    return {name: write_kernel(function, module, blocks.get(name, MOST)) for name, function in module.functions.items()}


def _check_types(steps: Iterable[ScheduleStep], target: Target, remedy: str) -> None:
    """Refuse arrays of float64, whose operations would be a hundred instructions each.

    Routines are looked at first: factors of float32 are computed in float64, behind casts.
    """
    for step in sorted(steps, key=lambda one: not isinstance(one, RoutineStep)):
        if isinstance(step, RegionStep):
            for body in step.bodies:
                _check_types(body.steps, target, remedy)
            continue
        if float64 in _dtypes(step):
            what = f"{', '.join(dict.fromkeys(step.provenance.ops))} of float64"
            raise refused(what, target, ", ".join(step.provenance.lines), remedy)


def _dtypes(step: ScheduleStep) -> set[DType]:
    """The types of the arrays of a step."""
    match step:
        case LoopStep(kernel=kernel):
            return {one.dtype for one in (*kernel.params, *kernel.locals)}
        case ContractionStep(plan=plan, ending=ending):
            return {plan.elements.types.operand, plan.elements.types.result, *(one.dtype for one in ending.params)}
        case RoutineStep(inputs=inputs, outputs=outputs) if outputs:  # assertions only copy what they say
            return {one.dtype for one in (*inputs, *outputs)}
    return set()


def _launches_of(steps: Iterable[PlanStep]) -> Iterator[KernelLaunch]:
    """All launches, those of control flow too."""
    for step in steps:
        for body in () if step.region is None else step.region.bodies:
            yield from _launches_of(body.steps)
        yield from (one for one in step.launches if isinstance(one, KernelLaunch))


def build_wgsl(graph: Graph, target: Target | None = None, stable: Collection[int] = ()) -> WgslProgram:
    """Schedule a graph for WebGPU, and write its kernels.

    Raises:
        DeviceError E705: a part of the graph has no code there.
    """
    return bound_to_plan(build_kernels(graph, target or named_target("webgpu"), stable))


def bound_to_plan(program: DeviceProgram) -> WgslProgram:
    """Write a program's kernels for buffers as its plan has them.

    Raises:
        DeviceError E705: it has arrays of float64, or control flow that is not known before a call.
    """
    plan = program.plan
    binder = _Binder(write_kernels(program), program.target, parse_scope(plan.sizes)[1])
    makers = {one.function: one.steps for one in plan.makers}
    launches = binder.launches(plan.steps)
    derivations = {one.slot: binder.launches(makers[one.function]) for one in plan.derivations}
    return WgslProgram(
        plan,
        modules=binder.modules,
        bindings=binder.bindings,
        launches=launches,
        constants=program.constants,
        sources=program.sources,
        derivations=derivations,
    )


@frozen
class _Place:
    """A byte of a buffer, as an address that work computes with."""

    base: tuple[str, int]
    offset: Any

    def __add__(self, offset: Any) -> _Place:
        return _Place(self.base, self.offset + offset)


class _Binder:
    """Makes modules of kernels for launches whose buffers are known."""

    def __init__(self, kernels: Mapping[str, WgslKernel], target: Target, symbols: Mapping[str, Dim]) -> None:
        self._kernels, self._target, self._symbols = kernels, target, symbols
        self._names: dict[tuple[str, tuple[int, ...]], str] = {}
        self.modules: dict[str, str] = {}
        self.bindings: dict[str, tuple[bool, ...]] = {}

    def launches(self, steps: Iterable[PlanStep]) -> tuple[WgslWork, ...]:
        """The launches of steps in order."""
        return tuple(one for step in steps for one in self._of_step(step))

    def _of_step(self, step: PlanStep) -> Iterator[WgslWork]:
        # With dims for the sizes of the call, places are computed as they are with numbers.
        exact = filled(step, self._symbols)
        open_way = _open_way(exact)
        if open_way:
            raise refused(f"{', '.join(step.ops)}, {open_way},", self._target, ", ".join(step.lines))
        places = (one for one in _arguments(exact) if one.kind != "nowhere")
        bases: dict[tuple[str, int], Any] = {base: _Place(base, 0) for base in ((one.kind, one.slot) for one in places)}
        bases[FLAG, 0] = _Place((FLAG, 0), 0)  # for bodies, which share it
        for work in work_of([exact], bases):
            match work:
                case DeviceLaunch():
                    yield self._launch(work.launch, list(map(_place, work.addresses)))
                case DeviceCopy():
                    to, source = _place(work.to), _place(work.source)
                    yield WgslCopy(to.base, plain(to.offset), source.base, plain(source.offset), plain(work.nbytes))

    def _launch(self, launch: PlanLaunch, places: Sequence[_Place]) -> WgslLaunch:
        """A launch over arrays that begin at these places."""
        assert isinstance(launch, KernelLaunch)
        kernel = self._kernels[launch.function]
        numbers: dict[tuple[str, int], int] = {}
        buffers = tuple(numbers.setdefault(places[number].base, len(numbers)) for number in kernel.used)
        name = self._names.get((kernel.name, buffers))
        if name is None:
            name = self._names[kernel.name, buffers] = f"kernel{len(self._names)}"
            self.modules[name], self.bindings[name] = kernel.text(buffers), kernel.bindings(buffers)
        blocks = plain(launch.blocks)
        words = (*(plain(one.offset) for one in places), *map(plain, launch.sizes), blocks, 0)
        return WgslLaunch(name, tuple(numbers), words, blocks)


def _place(address: Any) -> _Place:
    """An address of work; that of an argument without memory is 0."""
    return address if isinstance(address, _Place) else _Place(("nowhere", 0), 0)


def _arguments(step: PlanStep) -> list[PlanAddress]:
    return [one for one in step.arguments if isinstance(one, PlanAddress)]


def _open_way(step: PlanStep) -> str:
    """Name what of a step is not known before it runs; nothing, if its launches are."""
    if any(isinstance(one, PlanReport) for one in step.launches):
        return "which Python does"
    region = step.region
    if region is None:
        return ""
    if region.control != "scan":
        return "whose way data decides"
    if is_symbolic(region.length):
        return "whose length only a call knows"
    return next(filter(None, (_open_way(one) for body in region.bodies for one in body.steps)), "")
