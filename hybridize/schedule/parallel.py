# SPDX-License-Identifier: Apache-2.0
"""Which steps are worth several threads, and how their work is cut.

All of this is a guess about time. Results do not depend on it: whatever the cut, every element is computed by the same
code, in the same order.
"""

from __future__ import annotations

from hybridize.base.dims import Size, hint, is_symbolic
from hybridize.base.frozen import frozen

WORTH_US = 100.0
"""Estimated work from which a step is cut; estimates are of a slow core, here it takes 25 to 50 us. Measured: a step
of 25 us takes as long with a worker that must be woken first, and half as long with one that is awake."""
AWAKE_US = 30.0
"""The same for a step that follows another one that is cut: workers do not fall asleep at once."""
RANGE_US = 10.0
"""Estimated work that one range has at least."""
GROWTH = 32
"""A program for many sizes may be called with so many times the work that it was compiled for."""


@frozen
class Split:
    """A step that threads share."""

    slots: int
    """Threads at most."""
    work_us: float
    """Estimated duration on one thread, for the sizes that the program is compiled for."""
    team: int
    """The slot, among the inputs, of who runs its loop: see `runtime.pool`."""
    strides: tuple[int, ...]
    """Bytes between the threads' own parts of each of the step's last places."""

    def grain(self, turns: Size) -> int:
        """The fewest of so many turns that a range of them has."""
        return max(1, int(hint(turns) * RANGE_US / max(self.work_us, RANGE_US)))


def estimated_us(nbytes: int, flops: int) -> float:
    """Roughly how long a step takes on one core."""
    return hint(flops) / 60_000 + hint(nbytes) / 50_000


def worth(nbytes: int, flops: int, awake: bool) -> bool:
    """Whether a step is worth the trouble of waking threads, or of handing work to those that are awake."""
    growth = GROWTH if is_symbolic(nbytes) or is_symbolic(flops) else 1
    return estimated_us(nbytes, flops) * growth >= (min(AWAKE_US, WORTH_US) if awake else WORTH_US)
