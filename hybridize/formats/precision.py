# SPDX-License-Identifier: Apache-2.0
"""The precision of a program's outputs: that of the shortest float that was rounded to on the way to them.

`float(x.sum())` of float32 is a float64 that is as precise as a sum of float32, and two right computations of it differ
by as much. Files are compared with what is expected by that.
"""

from __future__ import annotations

from collections.abc import Iterable

from hybridize.base.dtypes import is_float
from hybridize.graph import Graph, Value, nodes_inside
from hybridize.ops.op import Op

_EXACT = 8
"""Bytes of the longest float: inputs and constants are the same for both sides, whatever their type."""


def precision_of_outputs(graph: Graph) -> tuple[int, ...]:
    """Return for each output the bytes of the shortest float that it was computed in."""
    bytes_of: dict[Value, int] = {}
    for node in graph.nodes:
        least = min((bytes_of.get(value, _EXACT) for value in node.inputs), default=_EXACT)
        # Loops hand on what they like: of what is inside of an op, all counts.
        inside = _floats(value for inner in nodes_inside(node.op) for value in inner.outputs)
        for value in node.outputs:
            rounds = is_float(value.type.dtype) and not (isinstance(node.op, Op) and node.op.view)
            own = value.type.dtype.itemsize if rounds else _EXACT
            bytes_of[value] = min(least, own, *inside)
    return tuple(bytes_of.get(value, _EXACT) for value in graph.outputs)


def _floats(values: Iterable[Value]) -> list[int]:
    """Bytes of those that are floats."""
    return [value.type.dtype.itemsize for value in values if is_float(value.type.dtype)]
