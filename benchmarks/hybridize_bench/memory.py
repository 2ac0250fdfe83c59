# SPDX-License-Identifier: Apache-2.0
"""Does memory stay flat: many calls of one program, and calls with many shapes. And how much does a call take."""

from __future__ import annotations

import ctypes
import gc
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy

from hybridize import hybridize, np
from hybridize.runtime import cpython
from hybridize_bench.peers import F32, Batches, Layers
from hybridize_bench.peers.ours import gluon, network_step_of, step_of
from hybridize_bench.peers.sequences import ours as sequences
from hybridize_bench.sequences.training import SequenceTraining
from hybridize_bench.training_workloads import AnyTraining, Training

CALLS = 10
"""Calls before a peak is measured, and while it is."""
LEAST, ENOUGH_S = 3, 2.0
"""The same of calls that take long: so many at least, and no more once they have taken so many seconds."""


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


def peak_of(call: Callable[[], object]) -> int:
    """The most memory that `call` takes, again and again, beyond what is held between two calls, in bytes.

    In a process that runs with `peak.c`. Our own block of scratch, which waits for the next call, is given back first:
    it is a part of the calls.
    """
    _several(call)
    gc.collect()
    release_scratch()
    before = held()
    _several(call)
    most = ctypes.CDLL(None).peak_most
    most.restype = ctypes.c_longlong
    return int(most()) - before


def _several(call: Callable[[], object]) -> None:
    """Call a few times, less often what takes long."""
    begin, calls = time.perf_counter(), 0
    while calls < LEAST or (calls < CALLS and time.perf_counter() - begin < ENOUGH_S):
        call()
        calls += 1


def held() -> int:
    """Return the bytes that the process has of the C library's memory; the most of them is counted anew."""
    begin = ctypes.CDLL(None).peak_begin
    begin.restype = ctypes.c_longlong
    return int(begin())


def held_between_calls() -> int:
    """The same, of what no call needs."""
    gc.collect()
    release_scratch()
    return held()


def release_scratch() -> int:
    """Free the block of scratch that this process keeps for its next call; returns how large it was."""
    table = cpython.process_table()
    block, nbytes = (int(table[cpython.WORD[word]]) for word in ("scratch", "scratch_bytes"))
    table[cpython.WORD["scratch"]] = table[cpython.WORD["scratch_bytes"]] = 0
    free = ctypes.CDLL(None).free
    free.argtypes, free.restype = [ctypes.c_void_p], None
    free(block)
    return nbytes


def planned(training: AnyTraining, weights: Any, batches: Batches) -> int:
    """Return the bytes that a call of a compiled step takes by its plan."""
    x, y = map(np.array, batches[0])
    if isinstance(training, SequenceTraining):
        step = sequences.step_of(training, weights)
    else:
        step = step_of(training, weights) if isinstance(training, Training) else network_step_of(training, weights)
    peak: int = hybridize(step).program(x, y).memory.peak_bytes
    return peak
