# SPDX-License-Identifier: Apache-2.0
"""The kernels of a program in WGSL, whose arrays may lie in any buffers.

write_kernels(program) -> {name: WgslKernel}
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType

from hybridize.base.dtypes import BY_CODE, DType, float64
from hybridize.codegen.llvm.device.program import DeviceProgram
from hybridize.codegen.llvm.text import Module
from hybridize.codegen.wgsl.ranges import MOST
from hybridize.codegen.wgsl.writing import write_kernel
from hybridize.machine.target import Target
from hybridize.runtime.plan import KernelLaunch, PlanStep
from hybridize.runtime.webgpu.kernels import WgslKernel
from hybridize.schedule.device.refusals import CPU, refused
from hybridize.schedule.steps import ContractionStep, Derived, LoopStep, RegionStep, RoutineStep, ScheduleStep


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
