# SPDX-License-Identifier: Apache-2.0
"""The nodes that values of a program come from, while it is being recorded."""

from __future__ import annotations

from hybridize.capture.trace.scope import GraphScope
from hybridize.graph import Node, Value


class Producers:
    """Finds the node that makes a value; looks at each node once.

    Args:
        program: that is being recorded.
    """

    def __init__(self, program: GraphScope) -> None:
        self._program = program
        self._found: dict[Value, Node] = {}
        self._seen = 0

    def forget(self, nodes: int) -> None:
        """Hear that the nodes from a number on were undone."""
        self._seen = min(self._seen, nodes)

    def of(self, value: Value) -> Node | None:
        """Return the node that makes a value; None for inputs, constants and values of branches."""
        nodes = self._program.builder.nodes
        for node in nodes[self._seen :]:
            for output in node.outputs:
                self._found[output] = node
        self._seen = len(nodes)
        return self._found.get(value)
