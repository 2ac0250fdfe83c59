# SPDX-License-Identifier: Apache-2.0
"""One program for all batch sizes: how many are compiled for many sizes, and what a size that is not known costs."""

from __future__ import annotations

import statistics
import time
import timeit
from collections.abc import Callable
from typing import Any

import numpy

from hybridize import hybridize, np
from hybridize_bench.workloads import layers_and_input

COMPARED = (33, 64, 1000)
"""Batch sizes at which programs of every size are set beside exact ones."""
LARGEST = 2000
ROUNDS = 9


def measure(count: int) -> dict[str, Any]:
    """Call the chapter's net with `count` random batch sizes, then time it beside one compiled for each size.

    Returns:
        programs: how many were compiled; seconds: what all those calls took; slowest_s: the slowest of them;
        ratios: for each of `COMPARED`, the symbolic program's time over the exact one's.
    """
    layers, _ = layers_and_input(1)
    random = numpy.random.default_rng(0)
    weights = [(np.array(weight), np.array(bias)) for weight, bias in layers]

    def net(x: Any) -> Any:
        for weight, bias in weights[:-1]:
            x = np.maximum(x @ weight.T + bias, 0)
        weight, bias = weights[-1]
        return x @ weight.T + bias

    def batch(size: int) -> Any:
        return np.array(random.standard_normal((size, layers[0][0].shape[1])).astype(numpy.float32))

    general = hybridize(net)
    times = []
    for size in random.integers(1, LARGEST, count):
        x = batch(int(size))
        begin = time.perf_counter()
        general(x)
        times.append(time.perf_counter() - begin)
    programs = general.cache_info().programs
    ratios = {}
    for size in COMPARED:
        x = batch(size)
        exact = hybridize(net, dynamic=False)
        ratios[str(size)] = ratio(general, exact, x)
    return {"programs": programs, "seconds": sum(times), "slowest_s": max(times), "ratios": ratios}


def ratio(one: Callable[..., Any], other: Callable[..., Any], x: Any) -> float:
    """Time of one function over that of another, in turns: the median over the rounds."""
    timers = [timeit.Timer("f(x)", globals={"f": function, "x": x}) for function in (one, other)]
    number = max(1, round(0.005 / max(timer.timeit(3) / 3 for timer in timers)))
    found = []
    for _ in range(ROUNDS):
        first, second = (min(timer.repeat(3, number)) for timer in timers)
        found.append(first / second)
    return statistics.median(found)
