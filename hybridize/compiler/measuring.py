# SPDX-License-Identifier: Apache-2.0
"""Measure which choices are fastest on this machine: small programs, one for each value, timed in interleaved pairs.

The programs are made by the code generator that makes all programs, so a choice is measured as it will be used. All of
them are one module for LLVM. A pair is the present value and another one, back to back over the same memory, so that
whatever else the machine does meets both. A choice is made anew only where another value is faster by more than
`GAIN` in the median of the pairs; how many pairs there are depends on how far the median is from that: 128 on a quiet
machine, up to 1024 on a noisy one.
"""

from __future__ import annotations

import ctypes
import math
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, Final

import numpy
from numpy.typing import NDArray

from hybridize.base.dtypes import float32
from hybridize.base.errors import InternalError
from hybridize.base.frozen import frozen
from hybridize.base.loading import LOADING
from hybridize.base.types import TensorType
from hybridize.graph import Builder, Graph
from hybridize.machine.choices import CHOICES, with_fields
from hybridize.machine.target import Target
from hybridize.ops.matmul import Matmul
from hybridize.ops.op import Op
from hybridize.runtime.buffers import aligned
from hybridize.runtime.image import Loaded
from hybridize.runtime.plan import Plan

GAIN: Final = 1.08
"""Another value must be faster by more than this: less is noise on some machines, and not worth two kinds of code."""
_FIRST, _MOST = 128, 1024
"""Pairs at first and at most; as many again are added as long as they do not tell."""
_CERTAIN = 4.0
"""Standard deviations by which the count of pairs on one side of `GAIN` must differ from a half."""
_PLACED = 32
"""Pairs over one and the same memory: where pages happen to lie makes a difference, too."""
_SECONDS = 0.1
"""Longer than this nothing is compared: what is not certain by then stays as it is."""

Ratios = Callable[[int], Sequence[float]]
"""`ratios(count)`: so many more pairs, each as the time of the present value over that of the other."""


@frozen
class Experiment:
    """A program that tells the values of one choice apart."""

    field: str
    sizes: tuple[int, int, int]
    """Rows and columns of the product, and the terms of each sum."""
    flipped: bool = False
    """True if w is stored [n, k], and the same at most calls, so that it may be packed."""

    def graph(self) -> Graph:
        """The program."""
        m, n, k = self.sizes
        builder = Builder()
        x, w = (builder.input(TensorType(shape, float32)) for shape in ((m, k), (n, k) if self.flipped else (k, n)))
        product: Op = Matmul(False, self.flipped)
        return builder.finish(builder.add(product, [x, w]))

    def values(self, target: Target) -> tuple[int, ...]:
        """The values that are compared on a machine, the present one among them."""
        present = getattr(target, self.field)
        return tuple(value for value in CHOICES[self.field] if value == present or self.worth(target, value))

    def worth(self, target: Target, value: int) -> bool:
        """Tell whether a value may be the fastest: code of many terms in a turn takes long to compile, and where tiles
        load several terms at once, a turn has these anyway.
        """
        return self.field != "unroll" or (not target.by_lane and value <= (2 if target.registers >= 32 else 4))

    @property
    def stable(self) -> tuple[int, ...]:
        """Inputs that may be packed."""
        return (1,) if self.flipped else ()


EXPERIMENTS: Final = (
    Experiment("unroll", (24, 64, 512)),
    Experiment("packs_from", (1, 256, 512), flipped=True),
)
"""One for each of `machine.choices.CHOICES`. The first is bound by multiplying, its w in the second-level cache; the
second by reading w from there."""


def measured(target: Target) -> tuple[dict[str, dict[int, float]], float]:
    """Measure all choices on this machine.

    Args:
        target: this machine, with the choices to compare others with.

    Returns:
        For each choice the speed of each other value, as a multiple of the present one's; of those that are not
        certain to be faster by more than `GAIN`, no more than that: whoever takes what is above it has decided. And
        the seconds that it took, the code generator being loaded.
    """
    with LOADING:
        from hybridize.codegen.llvm import program  # noqa: F401 - late: see the package

    begin = time.perf_counter()
    racers = _racers(target)
    speeds: dict[str, dict[int, float]] = {}
    for (field, value), racer in racers.items():
        present = racers[field, getattr(target, field)]
        if racer is not present:
            speeds.setdefault(field, {})[value] = speed(partial(_pairs, present, racer))
    return speeds, time.perf_counter() - begin


def chosen(target: Target, speeds: Mapping[str, Mapping[int, float]]) -> dict[str, int]:
    """Choose the value of each choice: the present one, or the fastest of those that are faster by more than `GAIN`."""
    values: dict[str, int] = {}
    for field in CHOICES:
        others = speeds.get(field, {})
        best = max(others, key=others.__getitem__, default=None)
        changes = best is not None and others[best] > GAIN
        values[field] = best if changes and best is not None else getattr(target, field)
    return values


def speed(ratios: Ratios, clock: Callable[[], float] = time.perf_counter) -> float:
    """Median of as many pairs as it takes to be certain on which side of `GAIN` it is.

    The test is a sign test: it asks nothing of the noise but that it meets both of a pair alike. Where the time is up
    before it is certain, and where `_MOST` pairs do not tell, the median stands; uncertain ones are at most `GAIN`.
    """
    samples: list[float] = []
    end = clock() + _SECONDS
    while True:
        samples += ratios(len(samples) or _FIRST)
        above = sum(ratio > GAIN for ratio in samples)
        median = sorted(samples)[len(samples) // 2]
        if abs(2 * above - len(samples)) > _CERTAIN * math.sqrt(len(samples)) or len(samples) >= _MOST:
            return median
        if clock() > end:
            return min(median, GAIN)


class _Racer:
    """One program, and how it is called over given memory."""

    def __init__(self, loaded: Loaded, name: str, graph: Graph, plan: Plan) -> None:
        self._loaded = loaded
        self._call = ctypes.PYFUNCTYPE(None, *[ctypes.c_void_p] * 3)(loaded.address(name))  # keeps other threads out
        self.inputs = [value.type.nbytes for value in graph.inputs]
        self.outputs = [value.type.nbytes for value in graph.outputs]
        self.scratch = int(plan.scratch_bytes)
        self._sources = list(range(len(self.inputs)))
        for one in sorted(plan.derivations, key=lambda one: one.slot):
            if len(one.inputs) != 1 or one.slot != len(self._sources) - len(self.inputs):
                raise InternalError("E919", "a program that is measured has constants besides its packed inputs")
            (number,) = one.inputs
            self._sources.append(number)
            self.inputs[number] = max(self.inputs[number], one.nbytes)

    def placed(self, memory: _Memory) -> Callable[[], int]:
        """Return a function that runs the program once and tells the nanoseconds that it took."""
        inputs = memory.table([memory.inputs[source] for source in self._sources])
        outputs, scratch = memory.table(memory.outputs), memory.scratch.ctypes.data
        call, clock = self._call, time.perf_counter_ns

        def nanoseconds() -> int:
            begin = clock()
            call(inputs, outputs, scratch)
            return clock() - begin

        return nanoseconds


class _Memory:
    """Memory for two programs over the same inputs: each packed copy lies where what it is made of would."""

    def __init__(self, one: _Racer, two: _Racer) -> None:
        self.inputs = [_block(max(sizes)) for sizes in zip(one.inputs, two.inputs, strict=True)]
        self.outputs = [_block(size) for size in one.outputs]
        self.scratch = _block(max(one.scratch, two.scratch))
        self._tables: list[NDArray[Any]] = []

    def table(self, blocks: Sequence[NDArray[Any]]) -> int:
        """Return the address of an array of pointers to the blocks."""
        self._tables.append(numpy.array([block.ctypes.data for block in blocks], numpy.uintp))
        return int(self._tables[-1].ctypes.data)


def _block(nbytes: int) -> NDArray[Any]:
    block = aligned((max(1, -(-nbytes // float32.itemsize)),), float32)
    block.fill(0.5)  # touched, so that it is more than the one page of zeros
    return block


def _pairs(present: _Racer, other: _Racer, count: int) -> list[float]:
    """Time `count` pairs: `present` over `other`. Each comes first every other time."""
    ratios: list[float] = []
    memories: list[_Memory] = []
    for _ in range(count // _PLACED):
        memories.append(_Memory(present, other))  # all of them, or the next would lie where this one did
        one, two = (racer.placed(memories[-1]) for racer in (present, other))
        for warm in (one, two, one, two):
            warm()
        for _ in range(_PLACED // 2):
            first, second = one(), two()
            fourth, third = two(), one()
            ratios += [first / second, third / fourth]
    return ratios


def _racers(target: Target) -> dict[tuple[str, int], _Racer]:
    """Compile the programs of all experiments and values, as one module."""
    with LOADING:
        from hybridize.codegen.llvm.engine import compile_module  # late: see the package
        from hybridize.codegen.llvm.program import build
        from hybridize.codegen.llvm.text import joined

    wanted = [
        (experiment, value, experiment.graph()) for experiment in EXPERIMENTS for value in experiment.values(target)
    ]
    built = {
        f"{experiment.field}{value}": build(
            graph, with_fields(target, {experiment.field: value}), stable=experiment.stable
        )
        for experiment, value, graph in wanted
    }
    loaded = compile_module(joined({key: program.module for key, program in built.items()}, "program"), target)
    racers = {}
    for experiment, value, graph in wanted:
        key = f"{experiment.field}{value}"
        racers[experiment.field, value] = _Racer(loaded, f"{key}.program", graph, built[key].plan)
    return racers
