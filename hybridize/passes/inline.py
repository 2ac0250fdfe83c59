# SPDX-License-Identifier: Apache-2.0
"""Replace every composite by its body, what has a gradient of its own, and ops that machine code computes by others."""

from __future__ import annotations

from typing import Any

from hybridize.graph import Graph, Node
from hybridize.ops import Composite, CustomGradient, Op, make_graph
from hybridize.ops.hosted import is_hosted
from hybridize.passes.pipeline import Rewriter


class Inline:
    """Replace every composite by its body, at any depth, and every op that has an expansion by that.

    Args:
        differentiated: the graph is to be differentiated yet, so that what has a gradient of its own has to stay.
    """

    name = "inline"

    def __init__(self, *, differentiated: bool = False) -> None:
        self._kinds = (Composite,) if differentiated else (Composite, CustomGradient)
        self._expands = not differentiated

    def __call__(self, graph: Graph) -> Graph:
        """Bodies are inlined before they are copied, so a composite of composites costs one copy a level."""
        replaced = {kind for kind in {type(node.op) for node in graph.nodes} if self._may_replace(kind)}
        bodies = [self._body(node) if type(node.op) in replaced else None for node in graph.nodes]
        if all(body is None for body in bodies):
            return graph
        rewriter, inner = Rewriter(graph), {id(body): self(body) for body in bodies if body is not None}
        for node, body in zip(graph.nodes, bodies, strict=True):
            if body is None:
                rewriter.keep(node)
                continue
            rewriter.replace(node, rewriter.builder.inline(inner[id(body)], rewriter.operands(node), node.loc))
        return rewriter.finish()

    def _may_replace(self, kind: type) -> bool:
        """Tell whether ops of a class may have a graph that replaces them."""
        return issubclass(kind, self._kinds) or (
            self._expands and issubclass(kind, Op) and kind.expansion is not Op.expansion
        )

    def _body(self, node: Node) -> Graph | None:
        """The graph that replaces a node; None where it stays."""
        op: Any = node.op
        if isinstance(op, self._kinds):
            body: Graph = op.body
            return body
        kinds = [value.type for value in node.inputs]
        if is_hosted(node):
            return None
        expansion = op.expansion(*kinds)
        return None if expansion is None else make_graph(expansion, kinds)
