# SPDX-License-Identifier: Apache-2.0
"""Conditions: what must stay as true of the Python numbers among the arguments as it was while capturing.

`Decided` is the same of values that data decides: a program is specialized on them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy
from numpy.typing import NDArray

from hybridize.array.buffer import host_copy
from hybridize.array.ndarray import ndarray
from hybridize.base.frozen import frozen
from hybridize.base.locations import SourceLoc
from hybridize.graph import Graph
from hybridize.ops.evaluate import evaluate


@frozen
class Condition:
    """Something that must be as true of the numbers among the arguments as it was, or as large."""

    graph: Graph
    positions: tuple[Any, ...]
    """For each input of the graph, the leaf of the arguments that it is; for a number from outside, what reads it."""
    expected: bool | int | float
    loc: SourceLoc | None

    def holds(self, leaves: Sequence[Any]) -> bool:
        """Tell whether it is so for a call."""
        values = [leaves[one] if type(one) is int else one.now() for one in self.positions]
        if any(value is None for value in values):
            return False
        arrays = [numpy.asarray(x, value.type.dtype) for x, value in zip(values, self.graph.inputs, strict=True)]
        return bool(type(self.expected)(evaluate(self.graph, arrays)[0]) == self.expected)


class HeldOutside:
    """Reads an array from outside, as it is before each call."""

    __slots__ = ("array",)

    def __init__(self, array: ndarray) -> None:
        self.array: ndarray = array

    def now(self) -> Any:
        """Return it."""
        return host_copy(self.array)


@frozen
class Decided:
    """Values that data decides, and that must be what they were (a guard on data)."""

    graph: Graph
    """Computes them."""
    positions: tuple[Any, ...]
    """For each input of the graph, the leaf of the arguments that it is, or what reads it outside."""
    expected: tuple[bool | int, ...]
    loc: SourceLoc | None

    def arrays(self, leaves: Sequence[Any]) -> list[NDArray[Any]]:
        """The inputs of the graph for a call."""
        values = [leaves[one] if type(one) is int else one.now() for one in self.positions]
        return [
            host_copy(x) if isinstance(x, ndarray) else numpy.asarray(x, value.type.dtype)
            for x, value in zip(values, self.graph.inputs, strict=True)
        ]

    def change(self, values: Sequence[NDArray[Any]]) -> str:
        """Say which value is another one than it was; empty where none is."""
        for one, then in zip(values, self.expected, strict=True):
            now = one.reshape(()).item()
            if now != then:
                return f"a value that data decides was {then!r} and is {now!r}"
        return ""
