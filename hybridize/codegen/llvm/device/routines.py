# SPDX-License-Identifier: Apache-2.0
"""Routines as kernels of a GPU: what a processor runs for a unit, a thread runs."""

from __future__ import annotations

from hybridize.base.dtypes import uint8
from hybridize.codegen.llvm.device.threads import kernel_function
from hybridize.codegen.llvm.routines.emit import write_routine
from hybridize.codegen.llvm.text import Function, Module
from hybridize.loops.kernel import Param
from hybridize.machine.target import Target
from hybridize.schedule.routines import WRITE_OVER
from hybridize.schedule.steps import RoutineStep


def emit_routine_kernel(module: Module, name: str, step: RoutineStep, target: Target) -> Function:
    """Write the function `name`: `(ptr output..., ptr input..., ptr scratch)`."""
    assert step.launch is not None
    over = step.routine.name in WRITE_OVER
    params: list[tuple[str, Param | None]] = []
    for letter, types in (("o", step.outputs), ("i", step.inputs)):
        for number, kind in enumerate(types):
            shared = over and number == 0
            params.append((f"{letter}{number}", Param(kind.dtype, kind.size, letter == "o", shared=shared)))
    params.append(("scratch", Param(uint8, step.scratch.nbytes, True)))
    f = kernel_function(module, name, params, step.launch.threads)
    write_routine(f, step.routine, step.inputs, step.outputs, step.scratch, target)
    return f
