# SPDX-License-Identifier: Apache-2.0
"""Replace every composite by its body."""

from __future__ import annotations

from hybridize.graph import Graph
from hybridize.ops import Composite
from hybridize.passes.pipeline import Rewriter


class Inline:
    """Replace every composite by its body, at any depth."""

    name = "inline"

    def __call__(self, graph: Graph) -> Graph:
        """Bodies are inlined before they are copied, so a composite of composites costs one copy a level."""
        if not any(isinstance(node.op, Composite) for node in graph.nodes):
            return graph
        rewriter = Rewriter(graph)
        for node in graph.nodes:
            if isinstance(node.op, Composite):
                inputs = [rewriter.now(value) for value in node.inputs]
                before = len(rewriter.builder.nodes)
                rewriter.replace(node, rewriter.builder.inline(self(node.op.body), inputs))
                rewriter.builder.locate(before, node.loc)
            else:
                rewriter.keep(node)
        return rewriter.finish()
