# SPDX-License-Identifier: Apache-2.0
"""Short samples of what can be called many times: means of enough calls, those left out that the system interrupted."""

from __future__ import annotations

import resource
import time
from collections.abc import Sequence
from typing import Protocol

SAMPLE_S = 5e-4
"""A sample is the mean of enough calls to last this long: far above the clock's grain, far below a time slice."""


class CallTimer(Protocol):
    """Times calls: `timeit.CallTimer`, or the C function of `hybridize_bench.c_calls`."""

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
    (found,) = sample_in_turns((timer,), seconds)
    return found


def sample_in_turns(timers: Sequence[CallTimer], seconds: float) -> list[tuple[list[float], int]]:
    """The same of several calls, a sample of each in turn, for about `seconds` each.

    The clock of a core follows its work within milliseconds, so that only turns as short compare what it can do.
    """
    for timer in timers:
        timer.timeit(1)
    numbers = [calls_per_sample(timer) for timer in timers]
    clean: list[list[float]] = [[] for _ in timers]
    disturbed: list[list[float]] = [[] for _ in timers]
    end = time.perf_counter() + seconds * len(timers)
    while not clean[0] + disturbed[0] or time.perf_counter() < end:
        for timer, number, undisturbed, others in zip(timers, numbers, clean, disturbed, strict=True):
            before = resource.getrusage(resource.RUSAGE_SELF).ru_nivcsw
            mean = timer.timeit(number) / number
            switched = resource.getrusage(resource.RUSAGE_SELF).ru_nivcsw != before
            (others if switched else undisturbed).append(mean)
    # Long calls on a busy machine are interrupted nearly always; then all samples say more than the few clean ones.
    return [
        (few + many, 0) if len(few) < (len(few) + len(many)) / 4 else (few, len(many))
        for few, many in zip(clean, disturbed, strict=True)
    ]
