# SPDX-License-Identifier: Apache-2.0
"""The functions of steps: kernels, products, contractions with windows, routines. Equal ones are written once."""

from __future__ import annotations

import functools
from collections.abc import Iterator

from hybridize.base.frozen import changed
from hybridize.base.memo import Memo
from hybridize.codegen.llvm.contraction.step import emit_contraction
from hybridize.codegen.llvm.nests.kernels import emit_kernel, emit_rows
from hybridize.codegen.llvm.routines.emit import calls_back, emit_routine
from hybridize.codegen.llvm.table import FunctionTable
from hybridize.codegen.llvm.text import Function
from hybridize.machine.target import Target
from hybridize.runtime.plan import Plan, PlanRegion, PlanStep
from hybridize.schedule import Schedule
from hybridize.schedule.contraction.lanes import LanePlan
from hybridize.schedule.contraction.tiles import MatrixPlan
from hybridize.schedule.kernel import Kernel
from hybridize.schedule.parallel import Split
from hybridize.schedule.steps import (
    Band,
    ContractionStep,
    LoopStep,
    RegionStep,
    RoutineStep,
    ScheduleStep,
)


class StepFunctions:
    """Writes the functions of steps into a module, and their names into the plan."""

    def __init__(self, functions: FunctionTable, target: Target) -> None:
        self._functions = functions
        self._module = functions.module
        self._target = target
        self._contractions = Memo()
        """Functions of contractions, by their decisions: text is only made of new ones."""
        self._kernels: dict[int, tuple[Kernel, str]] = {}
        """Kernels and their functions, by identity."""

    def plan(self, schedule: Schedule) -> Plan:
        """The plan of a schedule, with the functions of its steps."""
        pairs = zip(schedule.steps, schedule.plan.steps, strict=True)
        return changed(schedule.plan, steps=tuple(self.step(step, planned) for step, planned in pairs))

    def step(self, step: ScheduleStep, planned: PlanStep) -> PlanStep:
        """The plan's step with the functions of the schedule's."""
        if isinstance(step, RegionStep):
            region = planned.region
            assert region is not None
            return changed(planned, region=self._region(step, region))
        if not planned.launches:
            return planned
        names = zip(self._names(step), planned.launches, strict=True)
        return changed(planned, launches=tuple(self._functions.launch(name, launch.turns) for name, launch in names))

    def _region(self, step: RegionStep, region: PlanRegion) -> PlanRegion:
        return changed(region, bodies=tuple(map(self.plan, step.bodies)), acts=calls_back(step))

    def _names(self, step: ScheduleStep) -> Iterator[str]:
        """The functions that a step calls, in order."""
        match step:
            case LoopStep(in_blocks=Band(), kernel=kernel):
                yield self._functions.once("loops", f"rows of {kernel}", lambda name: self._rows(name, kernel))
            case LoopStep(kernel=kernel, split=None):
                yield self._kernel(kernel)
            case LoopStep(kernel=kernel, split=Split() as split):
                yield from self._nests(kernel, split)
            case ContractionStep():
                yield self._tiles(step, ranged=step.split is not None or step.in_blocks is not None)
            case RoutineStep(routine=routine, inputs=inputs, outputs=outputs, scratch=scratch):
                yield emit_routine(self._module, routine, inputs, outputs, scratch, self._target)

    def _kernel(self, kernel: Kernel) -> str:
        """The function of a kernel; many steps may run the very same one, which is printed once then."""
        known = self._kernels.get(id(kernel))
        if known is None or self._module.functions[known[1]].seldom:
            name = self._functions.once(
                "loops", str(kernel), lambda name: emit_kernel(self._module, name, kernel, self._target)
            )
            known = self._kernels[id(kernel)] = kernel, name
        return known[1]

    def _rows(self, name: str, kernel: Kernel) -> Function:
        return emit_rows(self._module, name, kernel, self._target)

    def _nests(self, kernel: Kernel, split: Split) -> Iterator[str]:
        """The functions of a kernel's nests, or of some together, whose loops threads share."""
        before = 0
        for loop in split.loops:
            count = 1 if loop is None else loop.nests
            part = Kernel(kernel.params, kernel.locals, kernel.nests[before : before + count])
            before += count
            if loop is None:
                yield self._kernel(part)
                continue
            write = functools.partial(emit_kernel, self._module, kernel=part, target=self._target, shared=loop)
            yield self._functions.once("loops", f"{loop} of {part}", write)

    def _tiles(self, step: ContractionStep, *, ranged: bool) -> str:
        """The function of a contraction, of a range of its units where that is asked for."""
        return self._contractions.of((step.plan, step.ending, ranged), lambda: self._new_tiles(step, ranged=ranged))

    def _new_tiles(self, step: ContractionStep, *, ranged: bool) -> str:
        """`_tiles`, found by text: epilogues over expressions of other programs may be equal, too."""
        kinds = {MatrixPlan: "product", LanePlan: "lanes"}
        key = f"{step.plan!r} {step.ending}{' ranged' if ranged else ''}"
        write = functools.partial(emit_contraction, self._module, step=step, target=self._target, ranged=ranged)
        return self._functions.once(kinds.get(type(step.plan), "taps"), key, write)
