# SPDX-License-Identifier: Apache-2.0
"""The launches of a routine, as data."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from hybridize.base.dims import hint, is_symbolic, maximum, same
from hybridize.base.dims import text as size_text
from hybridize.base.frozen import changed, frozen
from hybridize.machine.device import DeviceTarget
from hybridize.schedule.device import thresholds
from hybridize.schedule.kernel import Launch

_BY_BLOCKS: Final = frozenset({"sort", "runs", "merge", "prefixes", "totals", "offsets", "matrices", "spectra"})


@frozen
class RoutineKernel:
    """A kernel of a routine, and what launches it."""

    part: str
    """Its work: `units`, `note`, `copy`, `finish` and `scatter` by a thread each, others by a block each."""
    launch: Launch
    units: int
    """Those that do it."""
    tile: int = 0
    """Elements of a run, and of the parts of lines that blocks merge or add up; 0 where a block has all of a line."""
    rounds: int = 0
    """Launches that merge, at most: each makes runs twice as long."""
    length: int = 0
    """Of the lines that are merged."""

    def launches(self) -> Iterator[tuple[Launch, tuple[int, ...]]]:
        """Iterate over its launches, each with the numbers that it is given besides addresses."""
        if not self.rounds:
            yield self.launch, ()
        for width in self._widths():
            blocks = self.launch.blocks
            if is_symbolic(self.length):  # none where a line is no longer than a run
                more = (self.length - 1) // width
                blocks = blocks * (more + 1 - maximum(more, 1))
            yield changed(self.launch, blocks=blocks), (width,)

    def _widths(self) -> list[int]:
        return [self.tile << number for number in range(self.rounds)]

    def __str__(self) -> str:
        if self.part in _BY_BLOCKS:
            runs = f"; {self.rounds} launches, from {self.tile} elements on" if self.rounds else ""
            return f"{self.launch}: {self.part}, a block each{runs}"
        if self.part == "units" and same(self.units, 1):
            return f"{self.launch}: one of them does all of it"
        return f"{self.launch}: {self.part} of {size_text(self.units)}, a thread each"


def each(part: str, units: int, device: DeviceTarget, tile: int = 0) -> RoutineKernel:
    """A thread for each unit; those of few are spread over the processors of the device."""
    threads = thresholds.THREADS if hint(units) > thresholds.FEW_UNITS else device.warp
    return RoutineKernel(part, Launch.of(units, threads), units, tile)


def is_more(n: int, limit: int) -> bool:
    """Tell whether a size is more than that, or may be in another call."""
    return is_symbolic(n) or n > limit


def team(n: int, device: DeviceTarget) -> int:
    """The threads of a block that shares so many elements."""
    if is_symbolic(n):
        return thresholds.THREADS
    return min(device.threads, -(-max(1, n) // device.warp) * device.warp)
