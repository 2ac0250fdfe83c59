# SPDX-License-Identifier: Apache-2.0
"""The kernels that sort lines.

    sort     a block merges runs of its line, twice as long in each round
    runs     a block sorts as many elements of a longer line as its shared memory has room for
    merge    blocks merge neighbouring runs, a tile of the result each: a launch for each round

Lines whose length only a call knows are runs: of these, launches that have nothing to merge are left out.
"""

from __future__ import annotations

import math

from hybridize.base.dims import bounds
from hybridize.machine.device import DeviceTarget
from hybridize.schedule.device import thresholds
from hybridize.schedule.device.routine_kernels import RoutineKernel, is_more, team
from hybridize.schedule.kernel import Launch


def sorting_kernels(
    n: int, lines: int, itemsize: int, device: DeviceTarget, *, numbered: bool, shared: int = 0
) -> list[RoutineKernel]:
    """Decide the kernels that sort lines of `n` keys of so many bytes, with their numbers if they are `numbered`.

    A block has `shared` bytes for a line, where it sorts a whole one.
    """
    if not is_more(n, thresholds.LONG_LINE):
        return [RoutineKernel("sort", Launch(lines, team(n, device), shared), lines)]
    tile = run_length(itemsize, device)
    tiles = lines * ((n + tile - 1) // tile)
    runs = RoutineKernel("runs", Launch(tiles, team(tile, device), 2 * tile * (itemsize + 8 * numbered)), tiles, tile)
    rounds = ((min(bounds(n)[1], thresholds.MOST_SORTED) - 1) // tile).bit_length()
    if not rounds:
        return [runs]
    launch = Launch(tiles, min(device.threads, thresholds.THREADS), tile * itemsize)
    return [runs, RoutineKernel("merge", launch, tiles, tile, rounds, n)]


def run_length(itemsize: int, device: DeviceTarget) -> int:
    """Count the elements of a run, a power of 2: two copies of them and of their numbers fit the memory of a block."""
    return 1 << int(math.log2(device.shared_bytes // (2 * (itemsize + 8))))
