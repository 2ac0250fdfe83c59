# SPDX-License-Identifier: Apache-2.0
"""The kernels of running totals: `cum_sum`, `cum_prod`, `cum_max` of few long columns.

    totals     blocks add up the parts of a column, but for the last one
    offsets    a block for each column: running totals of these
    prefixes   blocks have the running totals of parts, from what came before on

A column that is no longer than a part, or one of many, needs the last kernel only.
"""

from __future__ import annotations

from hybridize.base.dims import is_symbolic, maximum, same
from hybridize.base.dtypes import DType
from hybridize.schedule.device import thresholds
from hybridize.schedule.device.routine_kernels import RoutineKernel
from hybridize.schedule.kernel import Launch


def prefix_kernels(n: int, columns: int, dtype: DType) -> tuple[RoutineKernel, ...]:
    """Decide the kernels for columns of `n` results of a type."""
    threads, tile, state = thresholds.THREADS, part_length(n, columns), max(4, dtype.itemsize)
    more = parts_of(n, columns) - 1

    def by_blocks(part: str, blocks: int, states: int = 2 * threads * state + 16) -> RoutineKernel:
        return RoutineKernel(part, Launch(blocks, threads, states), blocks, tile)

    whole = by_blocks("prefixes", columns * (more + 1))
    if same(more, 0):
        return (whole,)
    totals = by_blocks("totals", columns * more, threads * state)
    if same(more, 1):
        return totals, whole
    return totals, by_blocks("offsets", columns * (more + 1 - maximum(more, 1))), whole


def parts_of(n: int, columns: int) -> int:
    """Count the parts of a column."""
    length = part_length(n, columns)
    return (n + length - 1) // length


def part_length(n: int, columns: int) -> int:
    """Count the elements of a part, but for the last one: whole turns of a block."""
    if not is_symbolic(columns) and columns >= thresholds.PART_BLOCKS:
        return n
    turn, blocks = thresholds.THREADS, thresholds.PART_BLOCKS
    return maximum(thresholds.PART_TERMS, turn * ((n + turn * blocks - 1) // (turn * blocks)))


def totals_bytes(n: int, columns: int, dtype: DType) -> int:
    """Count the bytes of the totals of a column's parts."""
    return 0 if same(parts_of(n, columns), 1) else parts_of(n, columns) * max(4, dtype.itemsize)
