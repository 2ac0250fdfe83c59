# SPDX-License-Identifier: Apache-2.0
"""A scheduled graph as kernels of a GPU: one module, the launches of its steps in order, PTX.

    build_kernels(graph, target) -> DeviceProgram

Equal kernels are written once, however many steps launch them.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Self

from hybridize.base.dims import same
from hybridize.base.frozen import changed, frozen
from hybridize.codegen.llvm.device.nests import emit_nest
from hybridize.codegen.llvm.device.products import emit_sums_of_parts, emit_tiles
from hybridize.codegen.llvm.objects import assembly
from hybridize.codegen.llvm.text import Function, Module
from hybridize.graph import Graph
from hybridize.machine.target import Target
from hybridize.runtime.plan import Plan, PlanAddress, Quantity, filled, plain, sized
from hybridize.schedule import Schedule, schedule
from hybridize.schedule.device.contractions import BlockPlan
from hybridize.schedule.device.refusals import refused
from hybridize.schedule.kernel import Kernel, Launch
from hybridize.schedule.launches import place
from hybridize.schedule.steps import Address, ContractionStep, Derived, LoopStep, ScheduleStep, Stable


@frozen
class KernelLaunch:
    """One launch of a kernel: its blocks are numbered along one axis."""

    function: str
    blocks: Quantity
    threads: int
    """Of a block."""
    arguments: tuple[PlanAddress, ...]
    sizes: tuple[Quantity, ...]
    """The size symbols that follow the addresses as int64."""
    step: int
    """The number of the step that it is of."""

    def at(self, sizes: Mapping[str, int]) -> Self:
        """The launch in a call with these sizes, by the names of the symbols."""
        return changed(
            self,
            blocks=sized(self.blocks, sizes),
            arguments=tuple(filled(one, sizes) for one in self.arguments),
            sizes=tuple(sized(one, sizes) for one in self.sizes),
        )


@frozen
class DeviceProgram:
    """The kernels of a program, and their launches."""

    schedule: Schedule
    plan: Plan
    """That of the schedule, with what holds of its sizes."""
    module: Module
    target: Target
    launches: tuple[KernelLaunch, ...]
    derivations: tuple[tuple[int, tuple[KernelLaunch, ...]], ...]
    """The launches that make each derived constant, by its number among the constants: their inputs are its sources,
    their only output is the constant, their scratch is their own."""

    def ptx(self) -> str:
        """Compile the kernels to PTX, of the oldest version that knows the processor."""
        return assembly(self.module.text(), self.target)


def build_kernels(graph: Graph, target: Target, stable: Collection[int] = ()) -> DeviceProgram:
    """Schedule a graph for a GPU, and write its kernels.

    The inputs numbered `stable` are the same at most calls.

    Raises:
        DeviceError E705: a part of the graph has no code on devices yet.
    """
    known = {number: Stable(number, 0, graph.inputs[number].type.dtype.itemsize) for number in stable}
    program = schedule(graph, target, known=known)
    writer = _Writer(target)
    launches = writer.launches(program.steps)
    derivations = tuple(
        (number, writer.launches(constant.steps))
        for number, constant in enumerate(program.constants)
        if isinstance(constant, Derived)
    )
    # Last: whatever the code relies on has been assumed by now.
    sizes = () if graph.scope is None else tuple(graph.scope.lines())
    return DeviceProgram(program, changed(program.plan, sizes=sizes), writer.module, target, launches, derivations)


def arguments_of(step: ScheduleStep) -> tuple[Address, ...]:
    """The addresses that the kernels of a step get: its own, and scratch for parts of sums."""
    has_parts = isinstance(step, ContractionStep) and isinstance(step.plan, BlockPlan) and step.plan.scratch_bytes
    return (*step.addresses, step.workspace) if has_parts else step.addresses


class _Writer:
    """Writes the kernels of steps into one module."""

    def __init__(self, target: Target) -> None:
        self.module = Module(target.halves)
        self._target = target
        self._written: dict[str, str] = {}

    def launches(self, steps: Sequence[ScheduleStep]) -> tuple[KernelLaunch, ...]:
        """Write the kernels of some steps; returns their launches in order."""
        return tuple(launch for number, step in enumerate(steps) for launch in self._step(number, step))

    def _step(self, number: int, step: ScheduleStep) -> Iterator[KernelLaunch]:
        before, places = set(self.module.declarations), tuple(map(place, arguments_of(step)))
        for name, launch in self._kernels(step):
            symbols = self.module.functions[name].symbols
            sizes = tuple(symbols[number].name for number in sorted(symbols))
            yield KernelLaunch(name, plain(launch.blocks), launch.threads, places, sizes, number)
        outside = [one for one in self.module.declarations if one not in before and not one.startswith("llvm.")]
        if outside:
            ops = ", ".join(dict.fromkeys(step.provenance.ops))
            what = f"{ops}: it calls {outside[0]} of the C library, and"
            raise refused(what, self._target, ", ".join(step.provenance.lines))

    def _kernels(self, step: ScheduleStep) -> Iterator[tuple[str, Launch]]:
        """The functions that a step launches, in order."""
        if step.is_empty:
            return
        match step:
            case LoopStep(kernel=kernel):
                for nest in kernel.nests:
                    assert nest.launch is not None
                    if same(nest.launch.blocks, 0) or not nest.bodies:
                        continue
                    part = Kernel(kernel.params, kernel.locals, (nest,))
                    write = functools.partial(emit_nest, kernel=kernel, nest=nest, target=self._target)
                    yield self._once("loops", str(part), write), nest.launch
            case ContractionStep(plan=BlockPlan() as plan, ending=ending):
                for sums in plan.launches:
                    if same(sums.grid.launch.blocks, 0):
                        continue
                    key = f"{plan.elements!r} {plan.sizes!r} {sums!r} {bool(plan.scratch_bytes)} {ending}"
                    how = {"plan": plan, "sums": sums, "ending": ending, "target": self._target}
                    yield self._once("product", key, functools.partial(emit_tiles, **how)), sums.grid.launch
                    if sums.grid.after is not None:
                        write = functools.partial(emit_sums_of_parts, **how)
                        yield self._once("parts", f"after {key}", write), sums.grid.after
            case _:
                raise TypeError(f"{type(step).__name__} is scheduled for a device")

    def _once(self, kind: str, key: str, write: Callable[[Module, str], Function]) -> str:
        """Write a function unless an equal one is there; returns its name."""
        name = self._written.get(key)
        if name is None:
            name = self._written[key] = f"{kind}{len(self._written)}"
            write(self.module, name)
        return name
