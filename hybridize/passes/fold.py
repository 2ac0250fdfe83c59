# SPDX-License-Identifier: Apache-2.0
"""Compute what is known before the program runs."""

from __future__ import annotations

import numpy

from hybridize.graph import Graph, Node, Value, is_exact
from hybridize.graph.ir import Array
from hybridize.ops import Assert, Broadcast, Cond, Effect, Op, effect_of
from hybridize.passes.pipeline import Rewriter

EXPANDED = 16
"""Elements up to which even what expands (`Op.expands`) is worth folding: its consumers fold then."""


class FoldConstants:
    """Replace a node whose operands are all constants by its value, computed by the op's own specification.

    Arrays of one number, of whatever size, are computed as that number and broadcast again. Of a condition that is
    known only the branch taken stays, and an assertion that holds does not. Loops are left to machine code.
    """

    name = "fold_constants"

    def __init__(self, limit_bytes: int) -> None:
        self.limit_bytes = limit_bytes

    def __call__(self, graph: Graph) -> Graph:
        """One sweep down: folded results are constants for the nodes below."""
        rewriter = Rewriter(graph)
        constants = rewriter.builder.constants
        filled: dict[Value, Value] = {}
        known_values = set(constants)
        for node in graph.nodes:
            inputs = rewriter.operands(node)
            if inputs and known_values.isdisjoint(inputs):
                rewriter.keep(node, inputs)
                continue
            known = [constants[value] for value in inputs if value in constants]
            numbers = [filled[value] for value in inputs if value in filled]
            if isinstance(node.op, Cond) and inputs[0] in constants:
                branch = node.op.then if constants[inputs[0]] else node.op.orelse
                rewriter.replace(node, rewriter.builder.inline(branch, inputs[1:]))
                known_values.update(value for value in map(rewriter.now, node.outputs) if value in constants)
            elif isinstance(node.op, Assert) and inputs[0] in constants and constants[inputs[0]].all():
                rewriter.replace(node, ())
            elif len(known) == len(inputs) and self._worthwhile(node):
                results = _computed(node, known)
                rewriter.replace(node, tuple(rewriter.builder.constant(result) for result in results))
                known_values.update(map(rewriter.now, node.outputs))
            elif inputs and len(numbers) == len(inputs) and isinstance(node.op, Op) and node.op.by_element:
                (result,) = _computed(node, [constants[value] for value in numbers])
                number = rewriter.builder.constant(result)
                spread: Op = Broadcast(node.outputs[0].type.shape)
                (value,) = rewriter.builder.add(spread, [number], node.loc)
                filled[value] = number
                known_values.add(value)
                rewriter.replace(node, (value,))
            else:
                rewriter.keep(node, inputs)
                if isinstance(node.op, Broadcast) and inputs[0] in constants and inputs[0].type.ndim == 0:
                    filled[node.outputs[0]] = inputs[0]
                    known_values.add(node.outputs[0])
        return rewriter.finish() if rewriter.values else graph

    def _worthwhile(self, node: Node) -> bool:
        # Loops may turn any number of times, and their specification is slow.
        if not isinstance(node.op, Op) or node.op.repeats or effect_of(node.op) is not Effect.PURE:
            return False
        if not is_exact(node.op) or any(value.type.scope is not None for value in node.outputs):
            return False
        if node.op.expands:
            return all(value.type.size <= EXPANDED for value in node.outputs)
        return sum(value.type.nbytes for value in node.outputs) <= self.limit_bytes


def _computed(node: Node, operands: list[Array]) -> tuple[Array, ...]:
    assert isinstance(node.op, Op)
    with numpy.errstate(all="ignore"):
        results: tuple[Array, ...] = node.op.reference(*operands)
    return results
