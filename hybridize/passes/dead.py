# SPDX-License-Identifier: Apache-2.0
"""Remove what no output needs."""

from __future__ import annotations

from hybridize.graph import Graph, Value, needed
from hybridize.ops import Effect, effect_of


class EliminateDead:
    """Remove nodes and constants that no output needs; what reaches the world stays."""

    name = "eliminate_dead"

    def __call__(self, graph: Graph) -> Graph:
        """One sweep from the outputs up."""
        live: set[Value] = set(graph.outputs)
        nodes = needed(graph.nodes, live, lambda node: effect_of(node.op) is Effect.WORLD)
        constants = {value: array for value, array in graph.constants.items() if value in live}
        if len(nodes) == len(graph.nodes) and len(constants) == len(graph.constants):
            return graph
        return Graph(graph.inputs, tuple(nodes), graph.outputs, constants)
