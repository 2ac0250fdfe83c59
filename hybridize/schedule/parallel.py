# SPDX-License-Identifier: Apache-2.0
"""Choose the steps that are worth several threads, and cut their work.

All of this is a guess about time. Results do not depend on it: whatever the cut, every element is computed by the same
code, in the same order.
"""

from __future__ import annotations

from hybridize.base.dims import hint, is_symbolic
from hybridize.base.frozen import frozen

FLOPS_PER_US, BYTES_PER_US = 60_000, 50_000
"""Of one core, roughly: what is estimated to take 100 us takes 25 to 50 here."""
WORTH_US = 100.0
"""Estimated work for which workers are woken. Measured: a step of 25 us takes as long with a worker that must be woken
first, and half as long with one that is awake."""
AWAKE_US = 30.0
"""Estimated work for which those are used that are awake: they do not fall asleep at once after a loop."""
RANGE_US = 10.0
"""Estimated work that one range has at least."""
GROWTH = 32
"""A program for many sizes may be called with so many times the work that it was compiled for."""


@frozen
class Split:
    """A step that threads share."""

    slots: int
    """Threads at most."""
    nbytes: int
    """Bytes read and written."""
    flops: int
    team: int
    """The slot, among the inputs, of who runs its loop: see `runtime.pool`."""
    strides: tuple[int, ...]
    """Bytes between the threads' own parts of each of the step's last addresses."""


def estimated_us(nbytes: int, flops: int) -> float:
    """Roughly how long a step takes on one core."""
    return hint(flops) / FLOPS_PER_US + hint(nbytes) / BYTES_PER_US


def worth(nbytes: int, flops: int, awake: bool) -> bool:
    """Tell whether a step may be worth waking threads, or handing work to those that are `awake`."""
    growth = GROWTH if is_symbolic(nbytes) or is_symbolic(flops) else 1
    return estimated_us(nbytes, flops) * growth >= (min(AWAKE_US, WORTH_US) if awake else WORTH_US)
