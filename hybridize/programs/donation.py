# SPDX-License-Identifier: Apache-2.0
"""State that a program writes where it lies: which outputs are new values of a state, and which may be so at a call."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy
from numpy.lib.array_utils import byte_bounds
from numpy.typing import NDArray

from hybridize.contract.captured import Captured, FormattedText, Output
from hybridize.runtime.cpython import USABLE

Pairs = Sequence[tuple[int, int]]
"""Outputs and the inputs whose buffers they are written over."""


def updates_of(captured: Captured) -> dict[int, int]:
    """For each output that only is the new value of an array that is there before the call, the input that it is."""
    written = [source.written for source in captured.sources]
    others = {result.index for result in captured.results if result.kind in ("array", "number")}
    others |= {one.index for one in captured.stand_ins if isinstance(one, Output)}
    others |= {number for one in captured.stand_ins if isinstance(one, FormattedText) for number in one.outputs}
    return {
        source.written: number
        for number, source in enumerate(captured.sources)
        if source.written >= 0
        and source.written not in others and written.count(source.written) == 1
    }  # fmt: skip


def donated(pairs: Pairs, inputs: Sequence[NDArray[Any]]) -> dict[int, NDArray[Any]]:
    """The arrays that the program may write in place of outputs: those that nothing else among the inputs overlaps."""
    if not pairs:
        return {}
    bounds = [byte_bounds(array) for array in inputs]
    crossed: set[int] = set()
    reach, furthest = 0, -1
    for number in sorted(range(len(inputs)), key=bounds.__getitem__):
        start, stop = bounds[number]
        if start == stop:
            continue
        if start < reach:
            crossed |= {number, furthest}
        if stop > reach:
            reach, furthest = stop, number
    return {
        output: inputs[number]
        for output, number in pairs
        if number not in crossed and _written_at_once(inputs[number])
    }  # fmt: skip


def _written_at_once(array: NDArray[Any]) -> bool:
    """Tell whether machine code can write an array where it is."""
    return type(array) is numpy.ndarray and array.flags.num & USABLE == USABLE and bool(array.flags.writeable)
