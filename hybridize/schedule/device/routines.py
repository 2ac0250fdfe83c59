# SPDX-License-Identifier: Apache-2.0
"""The kernels of routines on a device.

Most routines consist of *units*, parts that know nothing of each other: a small matrix to be factorised, a column to be
summed up, an element to be drawn. A thread computes a unit as a processor computes it. Where there is one unit, the
rest of the device waits, and the step says so. Of these kinds many threads share a unit:

    sorts       a block sorts a line, many blocks a long one: see `sorts`
    prefixes    blocks add up columns, where there are few, or parts of them: see `prefixes`
    scatters    elements are copied, tuples are sorted by the rows that they name, and each row takes its own in order
    matrices    a block has a matrix, or a column of the right side of equations

All of it follows from sizes alone.
"""

from __future__ import annotations

from typing import Final

from hybridize.base.dims import hint, maximum, product, same
from hybridize.base.dtypes import int64
from hybridize.loops.expr import Routine
from hybridize.machine.device import DeviceTarget
from hybridize.schedule.device import thresholds
from hybridize.schedule.device.prefixes import prefix_kernels, totals_bytes
from hybridize.schedule.device.routine_kernels import RoutineKernel, each, is_more, team
from hybridize.schedule.device.sorts import sorting_kernels
from hybridize.schedule.kernel import Launch
from hybridize.schedule.routines import RoutineScratch, Types, laid_out, scratch_of

NOT_ON_DEVICES: Final = frozenset({"foreign", "hosted"})
"""Routines that are Python's, and give results."""
_PREFIXES: Final = frozenset({"cum_sum", "cum_prod", "cum_max"})
_SPECTRA: Final = frozenset({"qr", "eigh", "svd"})
_BY_BLOCKS: Final = frozenset({"cholesky", "lu", "solve_triangular"}) | _SPECTRA
_SORTS: Final = frozenset({"sort", "arg_sort"})


def kernels_of(routine: Routine, inputs: Types, outputs: Types, device: DeviceTarget) -> tuple[RoutineKernel, ...]:
    """Decide the kernels of a routine."""
    if routine.name == "print":
        return ()
    if not outputs:
        return (RoutineKernel("note", Launch(1, device.warp), 1),)
    first, units = inputs[0], _units(routine, inputs, outputs)
    if same(units, 0) or all(same(one.size, 0) for one in outputs):
        return ()
    if routine.name in _SORTS and is_more(n := first.shape[routine.parameters[0]], thresholds.SHORT_LINE):
        shared = _shared_bytes(routine, inputs, outputs, device)
        numbered = routine.name == "arg_sort"
        kernels = sorting_kernels(n, units, first.dtype.itemsize, device, numbered=numbered, shared=shared)
        tile = kernels[0].tile
        return (*kernels, *([each("finish", first.size, device, tile)] if tile else []))
    if _is_prefixes(routine, inputs, outputs):
        return prefix_kernels(first.shape[routine.parameters[0]], units, outputs[0].dtype)
    if _is_by_blocks(routine, inputs):
        n = first.shape[-1]
        if routine.name in _SPECTRA:
            threads, numbers = min(device.threads, thresholds.SPECTRUM_THREADS), 1 if routine.name == "qr" else 2
            return (RoutineKernel("spectra", Launch(units, threads, threads // device.warp * numbers * 8), units),)
        if routine.name != "lu":
            return (RoutineKernel("matrices", Launch(units, team(n, device)), units),)
        threads = team(maximum(n, thresholds.THREADS), device)  # all of the rest of a matrix changes at once
        states = 16 * -(-threads // device.warp)
        return (RoutineKernel("matrices", Launch(units, threads, states), units),)
    if routine.name == "scatter_nd":
        tuples = product(inputs[1].shape[:-1])
        copy = each("copy", first.size, device)
        if same(inputs[2].size, 0):
            return (copy,)
        sorting = sorting_kernels(tuples, 1, int64.itemsize, device, numbered=True)
        return copy, *sorting, each("scatter", inputs[2].size, device, sorting[0].tile)
    return (each("units", units, device),)


def scratch_on_device(
    routine: Routine, inputs: Types, outputs: Types, device: DeviceTarget
) -> tuple[RoutineScratch, int]:
    """Lay out the scratch of a routine's unit; returns the bytes of all units, too."""
    if routine.name == "scatter_nd":
        words = 8 * product(inputs[1].shape[:-1])
        layout = laid_out((name, words) for name in ("keys", "other keys", "numbers", "other numbers"))
        return layout, layout.nbytes
    if _is_prefixes(routine, inputs, outputs):
        columns = _units(routine, inputs, outputs)
        nbytes = totals_bytes(inputs[0].shape[routine.parameters[0]], columns, outputs[0].dtype)
        return laid_out([("totals", nbytes)] if nbytes else []), nbytes * columns
    layout = scratch_of(routine, inputs, outputs)
    if _shared_bytes(routine, inputs, outputs, device):
        return RoutineScratch(), 0
    return layout, layout.nbytes * _units(routine, inputs, outputs) if outputs else 0


def _is_by_blocks(routine: Routine, inputs: Types) -> bool:
    """Tell whether a block has a matrix, or a column of the right side of equations.

    Of orthogonal factors, eigenvalues and singular values the sums of blocks have an order of their own.
    Of equations that are solved from the last one on, blocks sum in another order than threads do, so those of many
    columns are left to these. Where orders are the same, a size like that of the call decides which only a call knows.
    """
    if routine.name not in _BY_BLOCKS:
        return False
    m, n = inputs[0].shape[-2:]
    if routine.name in _SPECTRA:
        return is_more(m * n, thresholds.BLOCK_ELEMENTS - 1)
    if routine.name == "solve_triangular":
        lower, _, transposed = routine.parameters
        columns, ahead = inputs[1].shape[-1], lower != transposed
        if not ahead and is_more(columns, thresholds.FEW_COLUMNS - 1):
            return False
        if not ahead or (same(columns, 1) and not transposed):
            return is_more(n, thresholds.BLOCK_MATRIX - 1)
    return hint(n) >= thresholds.BLOCK_MATRIX


def _is_prefixes(routine: Routine, inputs: Types, outputs: Types) -> bool:
    """Tell whether blocks have the running totals of columns: few long ones."""
    if routine.name not in _PREFIXES or not is_more(inputs[0].shape[routine.parameters[0]], thresholds.LONG_FOLD):
        return False
    return hint(_units(routine, inputs, outputs)) <= thresholds.FEW_RESULTS


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


def _shared_bytes(routine: Routine, inputs: Types, outputs: Types, device: DeviceTarget) -> int:
    """The scratch of a line that a block sorts, where it lies in shared memory."""
    if routine.name not in _SORTS:
        return 0
    n = inputs[0].shape[routine.parameters[0]]
    if is_more(n, thresholds.LONG_LINE) or n <= thresholds.SHORT_LINE:
        return 0
    areas = scratch_of(routine, inputs, outputs)
    nbytes = sum(-(-size // 16) * 16 for _, size in areas.areas)
    return nbytes if nbytes <= device.shared_bytes else 0
