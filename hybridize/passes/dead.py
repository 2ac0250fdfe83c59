# SPDX-License-Identifier: Apache-2.0
"""Remove what no output needs."""

from __future__ import annotations

from hybridize.graph import Graph, Node, Value
from hybridize.ops import Effect, effect_of


class EliminateDead:
    """Remove nodes and constants that no output needs; what reaches the world stays."""

    name = "eliminate_dead"

    def __call__(self, graph: Graph) -> Graph:
        """One sweep from the outputs up."""
        live: set[Value] = set(graph.outputs)
        kept: list[Node] = []
        for node in reversed(graph.nodes):
            if not live.isdisjoint(node.outputs) or effect_of(node.op) is Effect.WORLD:
                live.update(node.inputs)
                kept.append(node)
        constants = {value: array for value, array in graph.constants.items() if value in live}
        if len(kept) == len(graph.nodes) and len(constants) == len(graph.constants):
            return graph
        return Graph(graph.inputs, tuple(reversed(kept)), graph.outputs, constants)
