# SPDX-License-Identifier: Apache-2.0
"""The array of pointers that a program is called with: its inputs, then its constants."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy

from hybridize.base.dtypes import uint8
from hybridize.base.types import TensorType
from hybridize.graph import Graph, Value
from hybridize.schedule.steps import Address, Constant, Derived, Fixed, Stable, ThreadPoolHandle


class Slots:
    """The inputs and constants of one program, each by its slot, to which constants are added while it is scheduled."""

    def __init__(self, graph: Graph, derived: Mapping[Value, Derived]) -> None:
        """`derived` are the constants that stand for values of the graph."""
        self._first = len(graph.inputs)
        self._constants: list[Constant] = [*graph.constants.values(), *derived.values()]
        self._numbers = {value: k for k, value in enumerate((*graph.inputs, *graph.constants, *derived))}
        self._packed: dict[tuple[Any, ...], int] = {}
        self.reads: set[int] = set()
        """Slots that steps read."""

    def of(self, value: Value) -> int:
        """The slot of an input, or of a constant of the graph."""
        return self._numbers[value]

    def add(self, constants: Sequence[Constant]) -> tuple[int, ...]:
        """Add constants, which steps read; returns where their pointers will be."""
        first = self._first + len(self._constants)
        self._constants += constants
        slots = tuple(range(first, first + len(constants)))
        self.reads.update(slots)
        return slots

    def packed(self, key: tuple[Any, ...], make: Callable[[], Derived]) -> Address:
        """The address of a packed constant, which is made once for a key."""
        slot = self._packed.get(key)
        if slot is None:
            slot = self._packed[key] = self.add([make()])[0]
        return Address("input", slot, 0)

    def constants(self) -> tuple[Constant, ...]:
        """The constants, those empty that no step reads: numbers within kernels, and what others are derived of."""
        return tuple(
            constant
            if not isinstance(constant, numpy.ndarray | Derived) or self._first + k in self.reads
            else numpy.empty(0, (constant.type if isinstance(constant, Derived) else constant).dtype)
            for k, constant in enumerate(self._constants)
        )


def type_of(constant: Constant) -> TensorType:
    """The type of a constant as steps read it."""
    if isinstance(constant, ThreadPoolHandle | Stable | Fixed):
        return TensorType((0,), uint8)
    return constant.type if isinstance(constant, Derived) else TensorType(constant.shape, constant.dtype)
