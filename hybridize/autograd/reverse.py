# SPDX-License-Identifier: Apache-2.0
"""Reverse mode on a graph: the graph that also computes gradients of its first output.

The ops' own rules (`Op.vjp`) are ops again, so the result is an ordinary graph: optimised, compiled, differentiated
once more. What the rules need of the forward pass is computed once: the pipeline merges equal nodes.
"""

from __future__ import annotations

from collections.abc import Sequence

from hybridize.base.dtypes import is_float
from hybridize.base.errors import GraphError
from hybridize.graph import Graph
from hybridize.ops.gradient import pullback
from hybridize.ops.op import Operand, interpreting
from hybridize.ops.record import Recorder
from hybridize.ops.views import full


def gradient_graph(graph: Graph, wrt: Sequence[int]) -> Graph:
    """The graph with the gradients of the sum of its first output as further outputs.

    Args:
        graph: any graph of floats.
        wrt: positions of the inputs whose gradients are wanted.

    Returns:
        A graph of the same inputs; its outputs are those of `graph`, then one gradient for each of `wrt`.

    Raises:
        GraphError E905: the first output or a wanted input is no float, so it has no gradient.
    """
    for value in (graph.outputs[0], *(graph.inputs[position] for position in wrt)):
        if not is_float(value.type.dtype):
            raise GraphError("E905", f"gradients are those of floats, got {value.type}")
    recorder = Recorder()
    inputs = [recorder.builder.input(value.type, value.name) for value in graph.inputs]
    outputs = recorder.builder.inline(graph, inputs)
    with interpreting(recorder):
        ones: list[Operand | None] = [full(1, graph.outputs[0].type)]
        arrived = pullback(graph, inputs, ones + [None] * (len(outputs) - 1))
        gradients: list[Operand] = [
            full(0, graph.inputs[position].type) if arrived[position] is None else arrived[position] for position in wrt
        ]
    return recorder.builder.finish([*outputs, *gradients])
