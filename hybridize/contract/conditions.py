# SPDX-License-Identifier: Apache-2.0
"""Conditions: what must stay as true of the Python numbers among the arguments as it was while capturing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy

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
