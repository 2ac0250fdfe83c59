# SPDX-License-Identifier: Apache-2.0
"""Running times, and sums that a loop adds to."""

from __future__ import annotations

from typing import Any

from hybridize.base.errors import ArgumentError
from hybridize.tools.timing import Benchmark as Benchmark
from hybridize.tools.timing import Timer as Timer


class Accumulator:
    """Keep `n` sums, and add a number to each at once.

    Args:
        n: how many sums.

    >>> from hybridize import d2l
    >>> sums = d2l.Accumulator(2)
    >>> sums.add(1, 2.5)
    >>> sums.add(3, 0)
    >>> sums[0], sums[1]
    (4.0, 2.5)
    """

    def __init__(self, n: int) -> None:
        self.data: list[float] = [0.0] * n
        """The sums so far."""

    def add(self, *args: Any) -> None:
        """Add a number to each sum; arrays of one element are numbers."""
        if len(args) != len(self.data):
            raise ArgumentError("E300", f"the accumulator has {len(self.data)} sums, got {len(args)} numbers to add")
        self.data = [total + float(number) for total, number in zip(self.data, args, strict=True)]

    def reset(self) -> None:
        """Start again from zero."""
        self.data = [0.0] * len(self.data)

    def __getitem__(self, index: int) -> float:
        return self.data[index]
