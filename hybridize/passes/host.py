# SPDX-License-Identifier: Apache-2.0
"""Have NumPy compute what kernels do not know: complex numbers."""

from __future__ import annotations

from typing import Any

from hybridize.base.dtypes import is_complex
from hybridize.graph import Builder, Graph, Node, Value
from hybridize.ops import StopGradient
from hybridize.ops.hosted import Hosted, is_hosted
from hybridize.passes.pipeline import Rewriter


class HostComplex:
    """Replace each node that touches complex numbers by one that NumPy computes, control flow as a whole.

    Outputs that no such node makes are copied by one, since the copies of a schedule are kernels, too.
    """

    name = "host_complex"

    def __call__(self, graph: Graph) -> Graph:
        """One sweep down."""
        values = [value for node in graph.nodes for value in node.outputs] + [*graph.inputs, *graph.constants]
        if "c" not in {value.type.dtype.kind for value in values}:
            return graph
        results = [value for value in graph.outputs if is_complex(value.type.dtype)]
        if not results and not any(map(_has_to_go, graph.nodes)):
            return graph
        rewriter = Rewriter(graph)
        for node in graph.nodes:
            if not _has_to_go(node):
                rewriter.keep(node)
                continue
            _replace(rewriter, node)
        definitions = {value for node in rewriter.builder.nodes for value in node.outputs}
        outputs = []
        for value in map(rewriter.now, graph.outputs):
            if is_complex(value.type.dtype) and value not in definitions:
                op: Any = StopGradient()
                (value,) = rewriter.builder.add(_hosted(op, (value,)), (value,))
            definitions.discard(value)  # a second output of one value is a copy of it
            outputs.append(value)
        changed = rewriter.builder.finish(outputs)
        return graph if changed.nodes == graph.nodes and changed.outputs == graph.outputs else changed


def _has_to_go(node: Node) -> bool:
    """Tell whether a node is one that NumPy is to compute, and does not say so yet."""
    return is_hosted(node) and not isinstance(node.op, Hosted)


def _replace(rewriter: Rewriter, node: Node) -> None:
    inputs = tuple(rewriter.now(value) for value in node.inputs)
    before = len(rewriter.builder.nodes)
    rewriter.replace(node, rewriter.builder.add(_hosted(node.op, inputs), inputs))
    rewriter.builder.locate(before, node.loc)


def _hosted(op: Any, inputs: tuple[Value, ...]) -> Hosted:
    builder = Builder()
    return Hosted(op.name, builder.finish(builder.add(op, [builder.input(value.type) for value in inputs])))
