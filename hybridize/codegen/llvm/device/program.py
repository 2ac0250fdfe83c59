# SPDX-License-Identifier: Apache-2.0
"""A scheduled graph as kernels of a GPU: one module, the plan of what launches them, PTX.

    build_kernels(graph, target) -> DeviceProgram

Equal kernels are written once, however many steps launch them.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Collection, Iterator, Sequence
from typing import Any, Final

from hybridize.base.dims import same
from hybridize.base.frozen import changed, frozen
from hybridize.codegen.llvm.derivations import array_of, derivation
from hybridize.codegen.llvm.device.assertions import emit_assertion
from hybridize.codegen.llvm.device.nests import emit_nest
from hybridize.codegen.llvm.device.products import emit_sums_of_parts, emit_tiles
from hybridize.codegen.llvm.device.routines import emit_routine_kernel
from hybridize.codegen.llvm.objects import assembly
from hybridize.codegen.llvm.text import Function, Module
from hybridize.graph import Graph
from hybridize.graph.ir import Array
from hybridize.machine.target import Target
from hybridize.runtime.plan import (
    Buffer,
    Derivation,
    KernelLaunch,
    Plan,
    PlanMaker,
    PlanNote,
    PlanReport,
    PlanStep,
    plain,
)
from hybridize.schedule import Schedule, schedule
from hybridize.schedule.device.contractions import BlockPlan
from hybridize.schedule.device.refusals import refused
from hybridize.schedule.kernel import Kernel, Launch
from hybridize.schedule.launches import planned, running_order
from hybridize.schedule.routines import Types
from hybridize.schedule.steps import (
    ContractionStep,
    Derived,
    LoopStep,
    RegionStep,
    RoutineStep,
    ScheduleStep,
    Stable,
)

_PARAMS: Final = 512
"""Addresses and sizes that a kernel takes in the 4 KiB of every version of PTX."""
_MOST_PARAMS: Final = 4095
"""Those that it takes at most."""
_MORE_PARAMS: Final = "+ptx81"
"""The version from which on it takes as many, of CUDA 12.1."""


@frozen(eq=False)
class DeviceProgram:
    """A program as kernels, with what the runtime keeps."""

    schedule: Schedule
    plan: Plan
    """Its steps launch kernels."""
    module: Module
    target: Target
    constants: tuple[Array, ...]
    """In slot order, after the inputs; empty ones for what is derived."""
    sources: tuple[Array, ...]
    """The constants that the plan's derivations read, by number."""

    def ptx(self) -> str:
        """Compile the kernels to PTX, of the oldest version that knows the processor."""
        return ptx_of(self.module, self.target)


def ptx_of(module: Module, target: Target) -> str:
    """Compile kernels to PTX, of the oldest version that knows the processor, and so many params of a kernel."""
    most = max((one.params_count for one in module.functions.values()), default=0)
    return assembly(module.text(), target if most <= _PARAMS else changed(target, features=_MORE_PARAMS))


def build_kernels(graph: Graph, target: Target, stable: Collection[int] = ()) -> DeviceProgram:
    """Schedule a graph for a GPU, and write its kernels.

    The inputs numbered `stable` are the same at most calls.

    Raises:
        DeviceError E705: a part of the graph has no code on devices yet.
    """
    known = {number: Stable(number, 0, graph.inputs[number].type.dtype.itemsize) for number in stable}
    program = schedule(graph, target, known=known)
    writer = _Writer(target)
    steps = writer.steps(program.steps, program.plan.steps)
    sources: list[Array] = []
    derivations = tuple(
        writer.derive(slot, constant, sources)
        for slot, constant in enumerate(program.constants)
        if isinstance(constant, Derived)
    )
    # Last: whatever the code relies on has been assumed by now.
    sizes = () if graph.scope is None else tuple(graph.scope.lines())
    makers = tuple(writer.makers.values())
    plan = changed(
        program.plan, steps=steps, derivations=derivations, sizes=sizes, makers=makers, notes=tuple(writer.notes)
    )
    constants = tuple(map(array_of, program.constants))
    return DeviceProgram(program, plan, writer.module, target, constants, tuple(sources))


class _Writer:
    """Writes the kernels of steps into one module."""

    def __init__(self, target: Target) -> None:
        self.module = Module(target.halves)
        self.makers: dict[str, PlanMaker] = {}
        self.notes: dict[PlanNote, int] = {}
        self._target = target
        self._written: dict[str, str] = {}

    def steps(self, steps: Sequence[ScheduleStep], planned: Sequence[PlanStep]) -> tuple[PlanStep, ...]:
        """Write the kernels of some steps; returns the plan's steps with their launches."""
        return tuple(self._step(step, one) for step, one in zip(steps, planned, strict=True))

    def _step(self, step: ScheduleStep, planned: PlanStep) -> PlanStep:
        if isinstance(step, RoutineStep) and step.routine.name == "print":
            report = PlanReport("print", note=_note(step, step.inputs))
            return changed(planned, launches=(report,))
        if not isinstance(step, RegionStep):
            launches = tuple(self._launches(step))
            count = max((self.module.functions[one.function].params_count for one in launches), default=0)
            if count > _MOST_PARAMS:
                what = f"a kernel of {count} arrays ({', '.join(planned.ops)}), above {_MOST_PARAMS},"
                raise refused(what, self._target, ", ".join(planned.lines), "combine fewer arrays at a time")
            return changed(planned, launches=launches)
        assert planned.region is not None
        bodies = tuple(changed(body.plan, steps=self.steps(body.steps, body.plan.steps)) for body in step.bodies)
        return changed(planned, region=changed(planned.region, bodies=bodies))

    def derive(self, slot: int, derived: Derived, arrays: list[Array]) -> Derivation:
        """Write the kernels that make a derived constant; returns what the plan says of it, see `derivation`."""
        name = self._written.setdefault(f"derive {derived.key}", f"derive{len(self.makers)}")
        if name not in self.makers:
            steps = self.steps(derived.steps, [planned(step, 0) for step in derived.steps])
            self.makers[name] = PlanMaker(name, steps, running_order(derived.steps))
        return derivation(slot, derived, name, arrays, self._target)

    def _launches(self, step: ScheduleStep) -> Iterator[KernelLaunch]:
        for name, launch, *numbers in self._kernels(step):
            symbols = self.module.functions[name].symbols
            sizes = (*numbers, *(symbols[number].name for number in sorted(symbols)))
            yield KernelLaunch(name, sizes=sizes, blocks=plain(launch.blocks), threads=launch.threads)
        assert all(one.startswith("llvm.") for one in self.module.declarations), "it asks the C library"

    def _kernels(self, step: ScheduleStep) -> Iterator[tuple[str, Launch, *tuple[int, ...]]]:
        """Iterate over the functions that a step launches, each with the numbers that it is given besides sizes."""
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
                    of: dict[str, Any] = {"plan": plan, "sums": sums, "ending": ending, "target": self._target}
                    yield self._once("product", key, functools.partial(emit_tiles, **of)), sums.grid.launch
                    if sums.grid.after is not None:
                        parts = functools.partial(emit_sums_of_parts, **of)
                        yield self._once("parts", f"after {key}", parts), sums.grid.after
            case RoutineStep(outputs=()):
                number = self._noted(step)
                write = functools.partial(emit_assertion, step=step, number=number, target=self._target)
                yield self._once("asserts", f"{number} {step.inputs}", write), step.kernels[0].launch
            case RoutineStep():
                for one in step.kernels:
                    write = functools.partial(emit_routine_kernel, step=step, kernel=one, target=self._target)
                    operands = f"{one} {step.routine} {step.inputs} {step.outputs}"
                    name = self._once(step.routine.name, operands, write)
                    for launch, numbers in one.launches():
                        yield name, launch, *numbers
            case _:
                raise TypeError(f"{type(step).__name__} is scheduled for a device")

    def _noted(self, step: RoutineStep) -> int:
        """Return the number of the note that an assertion leaves, from 1 on."""
        return self.notes.setdefault(_note(step, step.inputs[1:]), len(self.notes) + 1)

    def _once(self, kind: str, key: str, write: Callable[[Module, str], Function]) -> str:
        """Write a function unless an equal one is there; returns its name."""
        name = self._written.get(key)
        if name is None:
            name = self._written[key] = f"{kind}{len(self._written)}"
            write(self.module, name)
        return name


def _note(step: RoutineStep, operands: Types) -> PlanNote:
    message, recipe = map(str, step.routine.parameters)
    return PlanNote(step.routine.name, message, recipe, tuple(map(Buffer.of, operands)))
