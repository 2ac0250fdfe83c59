# SPDX-License-Identifier: Apache-2.0
"""Ask the result of a ReLU where it is 0, not its operand, where the result is kept for something else anyway.

    mask = 0 >= x;  y = where(mask, 0, x);  ...;  dw = contract(y, g);  dx = where(mask, 0, dy)
                                                                      =  where(0 >= y, 0, dy)

It is kept for a product, or for windows: the gradient of a pooling looks for the largest elements of y. The same for
every x, NaN, infinities and both zeros among them. So a step of training keeps no mask of its own from the
forward pass to the backward one, a fifth of what it keeps of such a layer.
"""

from __future__ import annotations

from hybridize import ops
from hybridize.base.dtypes import is_float
from hybridize.graph import Graph, Node, Value
from hybridize.ops import Op
from hybridize.passes.pipeline import Rewriter

_FARTHER = 4
"""The factor by which a mask waits longer for its reader than y would wait in addition: y is four times as large."""


class MasksOfResults:
    """Let masks of ReLUs that are read late be computed of what is kept."""

    name = "masks_of_results"

    def __call__(self, graph: Graph) -> Graph:
        """One sweep down."""
        if not graph.has(*_PRODUCTS) or not graph.has(ops.Ge) or not _reads_masks_twice(graph):
            return graph
        readers: dict[Value, list[int]] = {}
        producers: dict[Value, Node] = {}
        for number, node in enumerate(graph.nodes):
            producers.update(dict.fromkeys(node.outputs, node))
            for value in node.inputs:
                readers.setdefault(value, []).append(number)
        outputs = set(graph.outputs)
        masks: dict[int, tuple[Value, Value, Node]] = {}
        for number, node in enumerate(graph.nodes):
            if not isinstance(node.op, ops.Ge) or node.outputs[0] in outputs:
                continue
            if _is_zero(graph, producers, node.inputs[0]):
                masks.update(_late(graph, node, number, readers))
        if not masks:
            return graph
        rewriter = Rewriter(graph)
        for number, node in enumerate(graph.nodes):
            if number not in masks:
                rewriter.keep(node)
                continue
            zero, result, mask = masks[number]
            (again,) = rewriter.builder.add(mask.op, [rewriter.now(zero), rewriter.now(result)], mask.loc)
            inputs = [again if value is mask.outputs[0] else rewriter.now(value) for value in node.inputs]
            rewriter.builder.nodes.append(Node(node.op, tuple(inputs), node.outputs, node.loc))
        return rewriter.finish()


_PRODUCTS = (ops.Contract, ops.Matmul)


def _reads_masks_twice(graph: Graph) -> bool:
    """Tell whether something else than a ReLU may read the mask of one: few forward passes have such."""
    masks = {node.outputs[0] for node in graph.nodes if isinstance(node.op, ops.Ge)}
    reads = [value for node in graph.nodes for value in node.inputs if value in masks]
    return len(reads) > len(set(reads))


def _keeps(node: Node) -> bool:
    """Tell whether what a node reads is in memory for it, rather than computed where it is read."""
    return isinstance(node.op, _PRODUCTS) or (isinstance(node.op, Op) and node.op.overlaps)


def _late(
    graph: Graph, mask: Node, number: int, readers: dict[Value, list[int]]
) -> dict[int, tuple[Value, Value, Node]]:
    """The readers of a mask that may ask the result, each with the 0, the result and the mask; none, or all."""
    zero, x = mask.inputs
    (of,) = mask.outputs
    users = [(k, graph.nodes[k]) for k in readers.get(of, ())]
    results = [k for k, node in users if isinstance(node.op, ops.Where) and node.inputs == (of, zero, x)]
    if len(results) != 1 or not is_float(x.type.dtype):
        return {}
    (result,) = graph.nodes[results[0]].outputs
    keepers = [k for k in readers.get(result, ()) if _keeps(graph.nodes[k])]
    others = [k for k, _ in users if k != results[0]]
    if not others or not keepers:
        return {}
    last = max(others)
    if _FARTHER * max(0, last - max(keepers)) >= last - number:
        return {}
    return dict.fromkeys(others, (zero, result, mask))


def _is_zero(graph: Graph, producers: dict[Value, Node], value: Value) -> bool:
    """Tell whether a value is 0 everywhere, as far as constants tell."""
    while value in producers and isinstance(producers[value].op, ops.Broadcast | ops.Reshape):
        value = producers[value].inputs[0]
    array = graph.constants.get(value)
    return array is not None and not array.any()
