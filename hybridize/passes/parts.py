# SPDX-License-Identifier: Apache-2.0
"""Compute by parts what is computed of a concatenation element by element, where parts end in convolutions.

    relu(concat(conv(x, v), conv(x, w)) + b)  =  concat(relu(conv(x, v) + b[:n]), relu(conv(x, w) + b[n:]))

So each convolution can have its part as an epilogue, and stores it where it stays; the whole is walked no second time.
"""

from __future__ import annotations

from hybridize import ops
from hybridize.base.dims import same
from hybridize.base.frozen import frozen
from hybridize.base.locations import SourceLoc
from hybridize.graph import Graph, Node, Value, readers_of
from hybridize.ops import Op
from hybridize.ops.elementwise import Elementwise
from hybridize.passes.pipeline import Rewriter


@frozen
class JoinedParts:
    """The operands of a concatenation, and its axis."""

    axis: int
    values: tuple[Value, ...]

    def is_cut_as(self, other: JoinedParts) -> bool:
        """Tell whether two concatenations are cut at the same places."""
        return (
            self.axis == other.axis
            and len(self.values) == len(other.values)
            and all(
                same(one.type.shape[self.axis], two.type.shape[self.axis])
                for one, two in zip(self.values, other.values, strict=True)
            )
        )


class ComputeParts:
    """Move elementwise operations of a concatenation that nobody else reads to its parts."""

    name = "compute_parts"

    def __call__(self, graph: Graph) -> Graph:
        """One sweep down: what is computed of parts is itself a concatenation of parts."""
        if not graph.has(ops.Concat):
            return graph
        return _PartWriter(graph).result()


class _PartWriter:
    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._rewriter = Rewriter(graph)
        self._producers = {value: node for node in graph.nodes for value in node.outputs}
        self._counts = graph.uses()
        self._readers = readers_of(graph.nodes)
        self._outputs = set(graph.outputs)
        self._parts: dict[Value, JoinedParts] = {}
        """Of values of the old graph that are read by parts only."""
        self._cuts: dict[tuple[Value, int, int, int], Value] = {}

    def result(self) -> Graph:
        for node in self._graph.nodes:
            parts = self._computed(node)
            if parts is None:
                self._rewriter.keep(node)
                if isinstance(node.op, ops.Concat) and self._ends_in_contraction(node):
                    inputs = tuple(map(self._rewriter.now, node.inputs))
                    self._note(node.outputs[0], JoinedParts(node.op.axis, inputs))
            else:
                (joined,) = self._rewriter.builder.add(ops.Concat(parts.axis), parts.values, node.loc)
                self._rewriter.replace(node, (joined,))
                self._note(node.outputs[0], parts)
        return self._rewriter.finish() if self._rewriter.values else self._graph

    def _note(self, value: Value, parts: JoinedParts) -> None:
        """Keep the parts of a value that only elementwise operations read."""
        readers = self._readers.get(value, ())
        if value not in self._outputs and readers and all(_is_elementwise(node.op) for node in readers):
            self._parts[value] = parts

    def _computed(self, node: Node) -> JoinedParts | None:
        """The parts of an elementwise operation of parts, computed; None of any other."""
        parts = next((self._parts[value] for value in node.inputs if value in self._parts), None)
        if parts is None:
            return None
        assert isinstance(node.op, Op)
        values, start = [], 0
        for k, part in enumerate(parts.values):
            size = part.type.shape[parts.axis]
            inputs = [self._part(value, parts, k, start, node.loc) for value in node.inputs]
            values.append(self._rewriter.builder.add(node.op, inputs, node.loc)[0])
            start = start + size
        return JoinedParts(parts.axis, tuple(values))

    def _part(self, value: Value, like: JoinedParts, k: int, start: int, loc: SourceLoc | None) -> Value:
        """The elements of an operand that belong to part `k`, which begins at `start`."""
        parts = self._parts.get(value)
        if parts is not None and parts.is_cut_as(like):
            return parts.values[k]
        stop = start + like.values[k].type.shape[like.axis]
        key = (value, like.axis, start, stop)
        if key not in self._cuts:
            self._cuts[key] = self._cut(value, like.axis, start, stop, loc)
        return self._cuts[key]

    def _cut(self, value: Value, axis: int, start: int, stop: int, loc: SourceLoc | None) -> Value:
        """The elements from `start` to `stop` along an axis; of what is broadcast, the part that is."""
        node = self._producers.get(value)
        if node is None or not isinstance(node.op, ops.Broadcast):
            return self._slice(self._rewriter.now(value), axis, start, stop, loc)
        shape = value.type.shape
        source = self._rewriter.now(node.inputs[0])
        own = axis - (len(shape) - source.type.ndim)
        if own >= 0 and not same(source.type.shape[own], 1):
            source = self._slice(source, own, start, stop, loc)
        op: Op = ops.Broadcast((*shape[:axis], stop - start, *shape[axis + 1 :]))
        return self._rewriter.builder.add(op, [source], loc)[0]

    def _slice(self, value: Value, axis: int, start: int, stop: int, loc: SourceLoc | None) -> Value:
        shape = value.type.shape
        starts = tuple(start if k == axis else 0 for k in range(len(shape)))
        stops = tuple(stop if k == axis else size for k, size in enumerate(shape))
        op: Op = ops.Slice(starts, stops, (1,) * len(shape))
        return self._rewriter.builder.add(op, [value], loc)[0]

    def _ends_in_contraction(self, node: Node) -> bool:
        """Tell whether a part of a concatenation is a contraction, or elementwise of one, that nobody else reads."""
        for value in node.inputs:
            at = self._producers.get(value)
            while at is not None and self._counts.get(at.outputs[0]) == 1:
                if isinstance(at.op, ops.Contract):
                    return True
                at = self._producers.get(at.inputs[0]) if _is_elementwise(at.op) else None
        return False


def _is_elementwise(op: object) -> bool:
    return isinstance(op, Elementwise | ops.Where | ops.Cast)
