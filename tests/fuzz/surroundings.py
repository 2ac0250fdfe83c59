# SPDX-License-Identifier: Apache-2.0
"""What random programs run in: memory full of NaN, and steps shared by threads however small they are."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy

from hybridize.schedule import thresholds


@contextmanager
def shared(everything: bool) -> Iterator[None]:
    """Whether every step that can be shared is, in the smallest ranges."""
    before = thresholds.WORTH_US, thresholds.RANGE_US
    if everything:
        thresholds.WORTH_US, thresholds.RANGE_US = 0.0, 1e-9
    try:
        yield
    finally:
        thresholds.WORTH_US, thresholds.RANGE_US = before


@contextmanager
def poisoned() -> Iterator[None]:
    """Memory that nobody has written, as that of rows that a step keeps, is full of NaN."""
    empty = numpy.empty

    def full(*args: Any, **named: Any) -> Any:
        made = empty(*args, **named)
        made.fill(255) if made.dtype == numpy.uint8 else None
        return made

    numpy.empty = full
    try:
        yield
    finally:
        numpy.empty = empty
