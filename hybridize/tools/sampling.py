# SPDX-License-Identifier: Apache-2.0
"""Short samples of what can be called many times: means of enough calls, those left out that the system interrupted."""

from __future__ import annotations

import resource
import time
from typing import Protocol

SAMPLE_S = 5e-4
"""A sample is the mean of enough calls to last this long: far above the clock's grain, far below a time slice."""


class CallTimer(Protocol):
    """Times calls: `timeit.CallTimer`, or the C function of `hybridize.tools.c_calls`."""

    def timeit(self, number: int = ...) -> float:
        """Seconds of so many calls."""


def calls_per_sample(timer: CallTimer) -> int:
    """Find a number of calls that last about `SAMPLE_S`."""
    number = 1
    while (seconds := timer.timeit(number)) < SAMPLE_S / 4 and number < 1 << 20:
        number *= 2
    return max(1, round(number * SAMPLE_S / max(seconds, 1e-9)))


def sample(timer: CallTimer, seconds: float) -> tuple[list[float], int]:
    """Times of a call for about `seconds`, and how many samples the system interrupted (those are left out)."""
    timer.timeit(1)
    number = calls_per_sample(timer)
    clean: list[float] = []
    disturbed: list[float] = []
    end = time.perf_counter() + seconds
    while not clean + disturbed or time.perf_counter() < end:
        before = resource.getrusage(resource.RUSAGE_SELF).ru_nivcsw
        mean = timer.timeit(number) / number
        switched = resource.getrusage(resource.RUSAGE_SELF).ru_nivcsw != before
        (disturbed if switched else clean).append(mean)
    # Long calls on a busy machine are interrupted nearly always; then all samples say more than the few clean ones.
    if len(clean) < (len(clean) + len(disturbed)) / 4:
        return clean + disturbed, 0
    return clean, len(disturbed)
