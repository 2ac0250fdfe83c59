# SPDX-License-Identifier: Apache-2.0
"""The threads of routines: each has a unit of its own, a part that knows nothing of the others.

A unit is computed by one thread as a processor computes it: all of a matrix that is factorised, all of a line that is
sorted. Where a routine has one unit, the rest of the device waits.
"""

from __future__ import annotations

from typing import Final

from hybridize.base.dims import hint, product
from hybridize.loops.expr import Routine
from hybridize.machine.device import DeviceTarget
from hybridize.schedule.device import thresholds
from hybridize.schedule.kernel import Launch
from hybridize.schedule.routines import Types

NOT_ON_DEVICES: Final = frozenset({"print", "foreign", "hosted"})
"""Routines that are Python's."""


def units_of(routine: Routine, inputs: Types, outputs: Types) -> int:
    """Count the units of a routine."""
    first = inputs[0]
    match routine.name:
        case "cum_sum" | "cum_prod" | "cum_max" | "sort" | "arg_sort":
            return product(size for axis, size in enumerate(first.shape) if axis != routine.parameters[0])
        case "cholesky" | "lu" | "solve_triangular" | "qr" | "eigh" | "svd":
            return product(first.shape[:-2])
        case "scatter_nd":
            return product(first.shape[inputs[1].shape[-1] :])
    return outputs[0].size if outputs else 1


def launch_of(units: int, device: DeviceTarget) -> Launch:
    """The threads of so many units: those of few are spread over the processors of the device."""
    threads = thresholds.THREADS if hint(units) > thresholds.FEW_UNITS else device.warp
    return Launch((units + threads - 1) // threads, threads)
