# SPDX-License-Identifier: Apache-2.0
"""The nodes that values of a graph come from, while it is being recorded."""

from __future__ import annotations

from hybridize.graph import Builder, Node, Value


class Producers:
    """Finds the node that makes a value; looks at each node once.

    Args:
        builder: of the graph.
    """

    def __init__(self, builder: Builder) -> None:
        self._builder = builder
        self._found: dict[Value, Node] = {}
        self._seen = 0

    def forget(self, nodes: int) -> None:
        """Hear that the nodes from a number on were undone."""
        self._seen = min(self._seen, nodes)

    def of(self, value: Value) -> Node | None:
        """Return the node that makes a value; None for inputs, constants and values of other graphs."""
        nodes = self._builder.nodes
        for node in nodes[self._seen :]:
            for output in node.outputs:
                self._found[output] = node
        self._seen = len(nodes)
        return self._found.get(value)
