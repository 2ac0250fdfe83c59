# SPDX-License-Identifier: Apache-2.0
"""The kernels of routines on a device.

Most routines consist of *units*, parts that know nothing of each other: a matrix to be factorised, a column to be
summed up, an element to be drawn. A thread computes a unit as a processor computes it. Where there is one unit, the
rest of the device waits, and the step says so. Three kinds have threads that work together:

    sort        a block for each long line: all its threads merge runs, twice as long in each round
    prefixes    a block for each long column, where there are few: running totals of as many elements as it has threads
    scatters    elements are copied, tuples are sorted by the rows that they name, and each row takes its own in order

All of it follows from sizes alone.
"""

from __future__ import annotations

from typing import Final

from hybridize.base.dims import hint, is_symbolic, product, same
from hybridize.base.dims import text as size_text
from hybridize.base.frozen import frozen
from hybridize.loops.expr import Routine
from hybridize.machine.device import DeviceTarget
from hybridize.schedule.device import thresholds
from hybridize.schedule.kernel import Launch
from hybridize.schedule.routines import RoutineScratch, Types, laid_out, scratch_of

NOT_ON_DEVICES: Final = frozenset({"print", "foreign", "hosted"})
"""Routines that are Python's."""
_PREFIXES: Final = frozenset({"cum_sum", "cum_prod", "cum_max"})
_SORTS: Final = frozenset({"sort", "arg_sort"})


@frozen
class RoutineKernel:
    """A launch of a routine."""

    part: str
    """Its work: `units` and `note` by a thread each, `sort`, `prefixes` and `order` by a block each, `copy` and
    `scatter` by a thread for each element."""
    launch: Launch
    units: int
    """Those that do it."""

    def __str__(self) -> str:
        if self.part == "units" and same(self.units, 1):
            return f"{self.launch}: one of them does all of it"
        each = "a block each" if self.part in _BY_BLOCKS else "a thread each"
        return f"{self.launch}: {self.part} of {size_text(self.units)}, {each}"


_BY_BLOCKS: Final = frozenset({"sort", "prefixes", "order"})


def kernels_of(routine: Routine, inputs: Types, outputs: Types, device: DeviceTarget) -> tuple[RoutineKernel, ...]:
    """Decide the kernels of a routine."""
    if not outputs:
        return (RoutineKernel("note", Launch(1, device.warp), 1),)
    first, units = inputs[0], _units(routine, inputs, outputs)
    if same(units, 0) or all(same(one.size, 0) for one in outputs):
        return ()
    if routine.name in _SORTS and _is_more(n := first.shape[routine.parameters[0]], thresholds.SHORT_LINE):
        shared = _shared_bytes(routine, inputs, outputs, device)
        return (RoutineKernel("sort", Launch(units, _team(n, device), shared), units),)
    few = hint(units) <= thresholds.FEW_RESULTS
    if routine.name in _PREFIXES and few and _is_more(first.shape[routine.parameters[0]], thresholds.LONG_FOLD):
        threads = thresholds.THREADS
        states = 2 * max(4, outputs[0].dtype.itemsize) * threads + 16
        return (RoutineKernel("prefixes", Launch(units, threads, states), units),)
    if routine.name == "scatter_nd":
        tuples = product(inputs[1].shape[:-1])
        copy = _each("copy", first.size, device)
        if same(inputs[2].size, 0):
            return (copy,)
        order = RoutineKernel("order", Launch(1, _team(tuples, device)), 1)
        return copy, order, _each("scatter", inputs[2].size, device)
    return (_each("units", units, device),)


def scratch_on_device(
    routine: Routine, inputs: Types, outputs: Types, device: DeviceTarget
) -> tuple[RoutineScratch, int]:
    """Lay out the scratch of a routine's unit; returns the bytes of all units, too."""
    if routine.name == "scatter_nd":
        words = 8 * product(inputs[1].shape[:-1])
        layout = laid_out((name, words) for name in ("keys", "other keys", "numbers", "other numbers"))
        return layout, layout.nbytes
    layout = scratch_of(routine, inputs, outputs)
    if _shared_bytes(routine, inputs, outputs, device):
        return RoutineScratch(), 0
    return layout, layout.nbytes * _units(routine, inputs, outputs) if outputs else 0


def _is_more(n: int, limit: int) -> bool:
    """Tell whether a line is longer than that, or may be in another call."""
    return is_symbolic(n) or n > limit


def _units(routine: Routine, inputs: Types, outputs: Types) -> int:
    first = inputs[0]
    match routine.name:
        case "cum_sum" | "cum_prod" | "cum_max" | "sort" | "arg_sort":
            return product(size for axis, size in enumerate(first.shape) if axis != routine.parameters[0])
        case "cholesky" | "lu" | "qr" | "eigh" | "svd":
            return product(first.shape[:-2])
        case "solve_triangular":
            return product(first.shape[:-2]) * inputs[1].shape[-1]
    return outputs[0].size


def _each(part: str, units: int, device: DeviceTarget) -> RoutineKernel:
    """A thread for each unit; those of few are spread over the processors of the device."""
    threads = thresholds.THREADS if hint(units) > thresholds.FEW_UNITS else device.warp
    return RoutineKernel(part, Launch((units + threads - 1) // threads, threads), units)


def _team(n: int, device: DeviceTarget) -> int:
    """The threads of a block that sorts so many elements."""
    if is_symbolic(n):
        return thresholds.THREADS
    return min(device.threads, -(-max(1, n) // device.warp) * device.warp)


def _shared_bytes(routine: Routine, inputs: Types, outputs: Types, device: DeviceTarget) -> int:
    """The scratch of a line that a block sorts, where it lies in shared memory."""
    if routine.name not in _SORTS:
        return 0
    n = inputs[0].shape[routine.parameters[0]]
    if is_symbolic(n) or n <= thresholds.SHORT_LINE:
        return 0
    areas = scratch_of(routine, inputs, outputs)
    nbytes = sum(-(-size // 16) * 16 for _, size in areas.areas)
    return nbytes if nbytes <= device.shared_bytes else 0
