# SPDX-License-Identifier: Apache-2.0
"""The NumPy backend: a graph evaluated node by node, by the ops' own specifications. It is the meaning of graphs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy
from numpy.typing import NDArray

from hybridize.base.errors import ArgumentError
from hybridize.base.types import TensorType
from hybridize.graph import Graph, Value, sizes_of, with_sizes

Array = NDArray[Any]


def evaluate(graph: Graph, inputs: Sequence[Array]) -> list[Array]:
    """The outputs of `graph` for `inputs`, by `reference`, control flow and composites included.

    Sizes that are not known in the graph are those of the inputs.

    A value is let go after its last use. Floating-point warnings are off: NaN and infinity are values.

    Raises:
        ArgumentError E341: the inputs are not those that the graph takes.
    """
    arrays = [numpy.asarray(x) for x in inputs]
    if graph.scope is not None:
        sizes = sizes_of(graph, [x.shape for x in arrays])
        graph = graph if sizes is None else with_sizes(graph, sizes)
    types = [TensorType(x.shape, x.dtype) for x in arrays]
    if types != [value.type for value in graph.inputs]:
        takes, got = (", ".join(map(str, kinds)) for kinds in ([value.type for value in graph.inputs], types))
        raise ArgumentError("E341", f"a graph with inputs ({takes}) got ({got})")
    values: dict[Value, Array] = dict(zip(graph.inputs, arrays, strict=True))
    values.update(graph.constants)
    left = graph.uses()
    with numpy.errstate(all="ignore"):
        for node in graph.nodes:
            op: Any = node.op
            results = op.reference(*(values[value] for value in node.inputs))
            values.update(zip(node.outputs, results, strict=True))
            for value in node.inputs:
                left[value] -= 1
            for value in (*node.inputs, *node.outputs):
                if not left.get(value):
                    values.pop(value, None)
    return [values[value] for value in graph.outputs]
