# SPDX-License-Identifier: Apache-2.0
"""Routines as kernels of a GPU: a thread runs what a processor runs for a unit; others are for many threads."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from hybridize.base.dtypes import uint8
from hybridize.codegen.llvm.device import matrices, merging, prefixes, scatters, sorting
from hybridize.codegen.llvm.routines.emit import write_routine
from hybridize.codegen.llvm.text import Function, Module
from hybridize.codegen.llvm.threads import kernel_function, thread_of_all
from hybridize.loops.kernel import Param
from hybridize.machine.target import Target
from hybridize.schedule.device.routine_kernels import RoutineKernel
from hybridize.schedule.routines import WRITE_OVER
from hybridize.schedule.steps import RoutineStep


def emit_routine_kernel(
    module: Module, name: str, step: RoutineStep, kernel: RoutineKernel, target: Target
) -> Function:
    """Write the function `name`: `(ptr output..., ptr input..., ptr scratch)`."""
    over = step.routine.name in WRITE_OVER
    params: list[tuple[str, Param | None]] = []
    for letter, types in (("o", step.outputs), ("i", step.inputs)):
        for number, kind in enumerate(types):
            shared = over and number == 0
            params.append((f"{letter}{number}", Param(kind.dtype, kind.size, letter == "o", shared=shared)))
    params.append(("scratch", Param(uint8, step.scratch.nbytes, True)))
    numbers = ["width"] if kernel.rounds else []
    least = int(kernel.part == "spectra")
    launch = kernel.launch
    f = kernel_function(module, name, params, launch.threads, launch.blocks, least=least, numbers=numbers)
    if kernel.part == "units":
        f.unit = thread_of_all(f)
        write_routine(f, step.routine, step.inputs, step.outputs, step.scratch, target)
    elif kernel.part in ("matrices", "spectra"):
        matrices.write(f, step, kernel, target)
    elif kernel.part in _OF_LINES:
        lines = scatters.TupleLines if step.routine.name == "scatter_nd" else sorting.AxisLines
        _OF_LINES[kernel.part](f, lines(f, step), kernel)
    else:
        _WRITERS[kernel.part](f, step, kernel)
    return f


_OF_LINES: Final[Mapping[str, Callable[[Function, Any, RoutineKernel], None]]] = {
    "sort": sorting.write_sort,
    "runs": merging.write_runs,
    "merge": merging.write_merge,
    "finish": merging.write_finish,
}
_WRITERS: Final[Mapping[str, Callable[[Function, RoutineStep, RoutineKernel], None]]] = {
    **dict.fromkeys(("totals", "offsets", "prefixes"), prefixes.write),
    "copy": scatters.write_copy,
    "scatter": scatters.write_rows,
}
