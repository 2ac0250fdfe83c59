# SPDX-License-Identifier: Apache-2.0
"""Does memory stay flat: many calls of one program, and calls with many shapes."""

from __future__ import annotations

import gc
import os
from pathlib import Path
from typing import Any

import numpy

from hybridize import hybridize, np
from hybridize.tools.peers import F32, Layers
from hybridize.tools.peers.ours import gluon


def resident_bytes() -> int:
    """Resident set of this process, in bytes (Linux)."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


def measure(layers: Layers, x: F32, calls: int, shapes: int) -> dict[str, float]:
    """Resident bytes before and after `calls` calls, and before and after the second half of `shapes` shapes.

    A tenth as many calls, and the first half of the shapes, come before the first reading: they fill caches.
    """
    net, argument = gluon(layers), np.array(x)
    net.hybridize()
    for _ in range(max(calls // 10, 1)):
        net(argument)
    gc.collect()
    before_calls = resident_bytes()
    for _ in range(calls):
        net(argument)
    gc.collect()
    after_calls = resident_bytes()

    @hybridize
    def chain(x: Any) -> Any:
        return np.tanh(x) * 2 + 1

    # Each (rows, columns) pair comes once; the first half fills the caches up to their limits.
    pairs = [(1 + i % 97, 1 + i // 97) for i in range(shapes)]
    half = len(pairs) // 2
    for rows, columns in pairs[:half]:
        chain(np.array(numpy.ones((rows, columns), numpy.float32)))
    gc.collect()
    before_shapes = resident_bytes()
    for rows, columns in pairs[half:]:
        chain(np.array(numpy.ones((rows, columns), numpy.float32)))
    gc.collect()
    return {
        "before_calls": before_calls,
        "after_calls": after_calls,
        "before_shapes": before_shapes,
        "after_shapes": resident_bytes(),
    }
