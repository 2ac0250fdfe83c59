# SPDX-License-Identifier: Apache-2.0
"""Replace every composite by its body, and what has a gradient of its own."""

from __future__ import annotations

from typing import Any

from hybridize.graph import Graph
from hybridize.ops import Composite, CustomGradient
from hybridize.passes.pipeline import Rewriter


class Inline:
    """Replace every composite by its body, at any depth.

    Args:
        differentiated: the graph is to be differentiated yet, so that what has a gradient of its own has to stay.
    """

    name = "inline"

    def __init__(self, *, differentiated: bool = False) -> None:
        self._kinds = (Composite,) if differentiated else (Composite, CustomGradient)

    def __call__(self, graph: Graph) -> Graph:
        """Bodies are inlined before they are copied, so a composite of composites costs one copy a level."""
        if not any(isinstance(node.op, self._kinds) for node in graph.nodes):
            return graph
        rewriter = Rewriter(graph)
        for node in graph.nodes:
            if isinstance(node.op, self._kinds):
                op: Any = node.op
                inputs = [rewriter.now(value) for value in node.inputs]
                before = len(rewriter.builder.nodes)
                rewriter.replace(node, rewriter.builder.inline(self(op.body), inputs))
                rewriter.builder.locate(before, node.loc)
            else:
                rewriter.keep(node)
        return rewriter.finish()
