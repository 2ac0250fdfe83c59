# SPDX-License-Identifier: Apache-2.0
"""Compute equal things once."""

from __future__ import annotations

from hybridize.base.dtypes import is_complex
from hybridize.graph import Graph, OpLike, Value
from hybridize.graph.text import INLINE
from hybridize.ops import Effect, effect_of
from hybridize.passes.pipeline import Rewriter


class EliminateCommon:
    """Compute once what the same op makes of the same operands; small equal constants become one."""

    name = "eliminate_common"

    def __call__(self, graph: Graph) -> Graph:
        """One sweep down; ops are compared by their fields."""
        rewriter = Rewriter(graph)
        self._constants(graph, rewriter)
        seen: dict[tuple[OpLike, tuple[Value, ...]], tuple[Value, ...]] = {}
        # Two results of one value are a kernel's copy, and of complex numbers kernels know none.
        results = {value for value in graph.outputs if is_complex(value.type.dtype)}
        for node in graph.nodes:
            inputs = rewriter.operands(node)
            if effect_of(node.op) is not Effect.WORLD:
                key = node.op, inputs
                known = seen.setdefault(key, node.outputs)  # hashed once, as nearly all are new
                if known is not node.outputs:
                    if results.isdisjoint(node.outputs):
                        rewriter.replace(node, known)
                        continue
                    seen[key] = node.outputs
            rewriter.keep(node, inputs)
        return rewriter.finish() if rewriter.values else graph

    def _constants(self, graph: Graph, rewriter: Rewriter) -> None:
        """Bytes tell -0.0 from 0.0, so that they stay two."""
        seen: dict[tuple[object, bytes], Value] = {}
        for value, array in graph.constants.items():
            if array.size <= INLINE:
                first = seen.setdefault((value.type, array.tobytes()), value)
                if first is not value:
                    rewriter.values[value] = first
                    del rewriter.builder.constants[value]
