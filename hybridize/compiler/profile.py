# SPDX-License-Identifier: Apache-2.0
"""Profile a program: compile and run a variant of it that reads the clock between steps."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

import numpy
from numpy.typing import NDArray

from hybridize.base import dims
from hybridize.base.types import TensorType
from hybridize.compiler.timed import Timed
from hybridize.graph import Graph
from hybridize.machine.target import Target
from hybridize.runtime import effects
from hybridize.runtime.buffers import zeros
from hybridize.runtime.executable import Executable

LEAST_CALLS = 5
"""Calls that are timed, however long they take; one before them fills the caches."""


class RefusedError(Exception):
    """A program raises for the inputs that it was to be measured on; `error` is what a call would raise."""

    def __init__(self, error: BaseException) -> None:
        super().__init__(str(error))
        self.error = error


def random_input(type: TensorType, seed: int = 0) -> NDArray[Any]:
    """An array of a type to measure with: normal floats, zeros for what may be an index or a condition."""
    shape = tuple(dims.hint(size) for size in type.shape)
    if type.dtype.kind in "biu":
        return numpy.zeros(shape, type.dtype)
    return numpy.random.default_rng(seed).standard_normal(shape).astype(type.dtype)


def step_seconds(
    graph: Graph, target: Target, executable: Executable, inputs: Sequence[NDArray[Any]], *, seconds: float = 0.2
) -> list[float]:
    """Median seconds of each step of `executable`, run over and over for about `seconds`.

    `graph` is what it was made of, optimised. What reading the clock costs is measured beside and taken off. The time
    of steps in a band, or beside each other, is shared out among them as is estimated. State that calls write in place
    is a copy, which is as in `inputs` before each call; nothing is printed.

    Raises:
        RefusedError: an assertion of the program does not hold for `inputs`.
    """
    of_times = Timed(graph, target, executable)
    timed, stamps = of_times.executable, of_times.stamps()
    originals, inputs = inputs, [*inputs]
    for _, number in timed.plan.updates:
        inputs[number] = zeros(originals[number].shape, originals[number].dtype)
    donated = {output: inputs[number] for output, number in timed.plan.updates}
    derived = [deriver.made(originals) for deriver in timed.derivers]
    noted: list[NDArray[numpy.int64]] = []

    def call() -> None:
        for _, number in timed.plan.updates:
            inputs[number][...] = originals[number]
        timed.run(inputs, derived or None, donated, [stamps])
        refusal = effects.outcome()
        if refusal is not None:
            raise RefusedError(refusal)
        noted.append(stamps.copy())

    with effects.unprinted():
        call()
        begin = time.perf_counter()
        while len(noted) <= LEAST_CALLS or time.perf_counter() - begin < seconds:
            call()
    steps = numpy.diff(numpy.array(noted)[1:], axis=1)
    cost = steps[:, 0].min()
    times = [float(max(0.0, median - cost) / 1e9) for median in numpy.median(steps[:, 1:], axis=0)]
    for several in (node for node in of_times.nodes if len(node) > 1):
        together, costs = sum(times[step] for step in several), [executable.kernels[step].cost_us for step in several]
        for step, own in zip(several, costs, strict=True):
            times[step] = together * own / (sum(costs) or 1.0)
    return times
