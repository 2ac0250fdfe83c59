# SPDX-License-Identifier: Apache-2.0
"""Compute what is known before the program runs."""

from __future__ import annotations

import numpy

from hybridize.graph import Graph, Node
from hybridize.graph.ir import Buffer
from hybridize.ops import Broadcast, Effect, Iota, Op, effect_of
from hybridize.passes.pipeline import Rewriter

EXPANDING = (Broadcast, Iota)
"""Ops whose result says no more than their operands: as a loop they cost nothing, as a constant they cost memory."""
EXPANDED = 16
"""Elements up to which even those are worth folding: their consumers fold then."""


class FoldConstants:
    """Replace a node whose operands are all constants by its value, computed by the op's own specification."""

    name = "fold_constants"

    def __init__(self, limit_bytes: int) -> None:
        self.limit_bytes = limit_bytes

    def __call__(self, graph: Graph) -> Graph:
        """One sweep down: folded results are constants for the nodes below."""
        rewriter = Rewriter(graph)
        constants = rewriter.builder.constants
        for node in graph.nodes:
            operands = [constants.get(rewriter.now(value)) for value in node.inputs]
            known = [array for array in operands if array is not None]
            if len(known) == len(operands) and self._worthwhile(node) and isinstance(node.op, Op):
                with numpy.errstate(all="ignore"):
                    results: tuple[Buffer, ...] = node.op.reference(*known)
                rewriter.replace(node, tuple(rewriter.builder.constant(result) for result in results))
            else:
                rewriter.keep(node)
        return rewriter.finish() if rewriter.values else graph

    def _worthwhile(self, node: Node) -> bool:
        if effect_of(node.op) is not Effect.PURE:
            return False
        if isinstance(node.op, EXPANDING):
            return all(value.type.size <= EXPANDED for value in node.outputs)
        return sum(value.type.nbytes for value in node.outputs) <= self.limit_bytes
