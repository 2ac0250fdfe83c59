# SPDX-License-Identifier: Apache-2.0
"""Stopwatches as the chapter uses them: a `Benchmark` that prints, a `Timer` that adds up."""

from __future__ import annotations

import itertools
import time
from types import TracebackType


class Timer:
    """Record several running times, in seconds of a monotonic clock. A new timer starts at once.

    >>> import hybridize
    >>> timer = hybridize.Timer()
    >>> timer.stop() >= 0
    True
    >>> len(timer.times)
    1
    """

    def __init__(self) -> None:
        self.times: list[float] = []
        """Seconds of each finished run."""
        self.start()

    def start(self) -> None:
        """Start a run; the one in progress, if any, is dropped."""
        self._begin = time.perf_counter()

    def stop(self) -> float:
        """End the run: record its time and return it, in seconds."""
        self.times.append(time.perf_counter() - self._begin)
        return self.times[-1]

    def avg(self) -> float:
        """Return the mean time of a run, in seconds; 0.0 before the first run has ended."""
        return sum(self.times) / len(self.times) if self.times else 0.0

    def sum(self) -> float:
        """Return the seconds of all runs together."""
        return sum(self.times)

    def cumsum(self) -> list[float]:
        """Return the seconds up to the end of each run, as a list."""
        return list(itertools.accumulate(self.times))


class Benchmark:
    """Print the running time of the body of a `with` statement.

    Args:
        description: what stands before the time.

    The line is `description: 1.2345 sec`. It is printed when the body ends without an error.

    >>> import hybridize
    >>> with hybridize.Benchmark("work"):
    ...     sum(range(10))
    45
    work: ... sec
    """

    def __init__(self, description: str = "Done") -> None:
        self.description = description
        self.seconds: float | None = None
        """Seconds the body took; None until it has ended."""

    def __enter__(self) -> Benchmark:
        self._timer = Timer()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.seconds = self._timer.stop()
        if kind is None:
            print(f"{self.description}: {self.seconds:.4f} sec")
