# SPDX-License-Identifier: Apache-2.0
"""Take elements of operands where few are taken of what is computed of these element by element.

    take(x - m - log(s), label)  =  take(x, label) - m - log(s)        m and s one number a row

The same numbers, and what they are taken of need not be in memory as a whole: the scores of a classifier, less their
logarithm's sum, of which the loss asks one a row.
"""

from __future__ import annotations

from hybridize import ops
from hybridize.base.dims import hint, same
from hybridize.base.locations import SourceLoc
from hybridize.graph import Graph, Node, Value
from hybridize.ops import Op
from hybridize.passes.pipeline import Rewriter

_FEWER = 4
"""The factor by which what is taken is less than what it is taken of."""
_STEPS = 8
"""At most so many operations are done for what is taken."""


class TakeFromOperands:
    """Let elements be taken before they are computed with, where few are taken."""

    name = "take_from_operands"

    def __call__(self, graph: Graph) -> Graph:
        """One sweep down."""
        if not graph.has(ops.TakeAlongAxis):
            return graph
        producers = {value: node for node in graph.nodes for value in node.outputs}
        rewriter = Rewriter(graph)
        for node in graph.nodes:
            taker = _Taker(rewriter, producers, node) if _is_worth(node, producers) else None
            if taker is None:
                rewriter.keep(node)
            else:
                rewriter.replace(node, (taker.of(node.inputs[0]),))
        return rewriter.finish() if rewriter.values else graph


def _is_worth(node: Node, producers: dict[Value, Node]) -> bool:
    if not isinstance(node.op, ops.TakeAlongAxis):
        return False
    x, indices = node.inputs
    maker = producers.get(x)
    return maker is not None and _is_passed(maker) and hint(indices.type.size) * _FEWER <= hint(x.type.size)


def _is_passed(node: Node) -> bool:
    """Tell whether an element of what a node computes is computed of those at its place."""
    (y, *others) = node.outputs
    return (
        isinstance(node.op, Op)
        and node.op.by_element
        and not others
        and all(value.type.shape == y.type.shape for value in node.inputs)
    )


class _Taker:
    """The elements that a node takes, of values that its operand is computed of."""

    def __init__(self, rewriter: Rewriter, producers: dict[Value, Node], node: Node) -> None:
        assert isinstance(node.op, ops.TakeAlongAxis)
        self._builder, self._now = rewriter.builder, rewriter.now
        self._producers = producers
        self._op, self._axis = node.op, node.op.axis
        self._indices, self._loc = node.inputs[1], node.loc
        self._known: dict[Value, Value] = {}
        self._left = _STEPS

    def of(self, value: Value) -> Value:
        """Take of a value: of its operands where it is elementwise or repeats them."""
        if value not in self._known:
            self._known[value] = self._elements(value)
        return self._known[value]

    def _elements(self, value: Value) -> Value:
        node = self._producers.get(value)
        if node is not None and self._is_repeated(node):
            return self._add(ops.Broadcast(self._indices.type.shape), [self._now(node.inputs[0])], node.loc)
        if node is not None and self._left and _is_passed(node):
            self._left -= 1
            assert isinstance(node.op, Op)
            return self._add(node.op, [self.of(one) for one in node.inputs], node.loc)
        return self._add(self._op, [self._now(value), self._now(self._indices)], self._loc)

    def _is_repeated(self, node: Node) -> bool:
        """Tell whether a node repeats its operand along the axis, and along no other that is taken whole."""
        if not isinstance(node.op, ops.Broadcast):
            return False
        source, shape = node.inputs[0].type.shape, node.outputs[0].type.shape
        own = self._axis - (len(shape) - len(source))
        return own < 0 or same(source[own], 1)

    def _add(self, op: Op, inputs: list[Value], loc: SourceLoc | None) -> Value:
        return self._builder.add(op, inputs, loc)[0]
