# SPDX-License-Identifier: Apache-2.0
"""Copying a graph, its scans changed on the way: what every pass over scans has in common."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from typing import ClassVar

from hybridize.base.locations import SourceLoc
from hybridize.graph import Graph, Node, Value
from hybridize.ops import Broadcast, GraphTracer, Op, Operand, Scan, bind, broadcast, interpreting
from hybridize.passes.common import EliminateCommon
from hybridize.passes.dead import EliminateDead
from hybridize.passes.pipeline import Rewriter
from hybridize.passes.scans.opened import OpenScan
from hybridize.passes.simplify import Simplify


class OuterGraph:
    """A graph in the making, in which nodes are written before and after scans."""

    def __init__(self, graph: Graph) -> None:
        self.rewriter: Rewriter = Rewriter(graph)
        self.used: set[Value] = set(graph.outputs) | {value for node in graph.nodes for value in node.inputs}
        """The values of the old graph that somebody reads."""
        self._makers: dict[Value, Node] = {}
        self._position = 0

    def write(self, loc: SourceLoc | None, function: Callable[[], Operand]) -> Operand:
        """Add the nodes of a function of operands, as of a line of the user's."""
        builder = self.rewriter.builder
        before = len(builder.nodes)
        with interpreting(GraphTracer(builder)):
            result = function()
        builder.locate(before, loc)
        return result

    def replace(self, value: Value, other: Value) -> None:
        """Let another value stand for one, and for all that it stands for."""
        values = self.rewriter.values
        values.update({old: other for old, now in values.items() if now is value})
        values[value] = other

    def number(self, value: Value) -> Value | None:
        """The constant without axes that a value is everywhere; None where it is not known to be one number."""
        node = self._maker(value)
        if node is None or not isinstance(node.op, Broadcast) or node.inputs[0].type.ndim:
            return None
        return node.inputs[0] if node.inputs[0] in self.rewriter.builder.constants else None

    def is_zero(self, value: Value) -> bool:
        """Tell whether a value is known to be 0 everywhere."""
        number = self.number(value)
        array = self.rewriter.builder.constants.get(value if number is None else number)
        return array is not None and not array.any()

    def repeated(self, value: Value) -> Value | None:
        """The value that another one is along its whole first axis; None where it is not known to be so."""
        node = self._maker(value)
        if node is None or not isinstance(node.op, Broadcast):
            return None
        (source,) = node.inputs
        if source.type.ndim == value.type.ndim:
            return None
        shape = value.type.shape[1:]
        result: Value = self.write(node.loc, lambda: broadcast(source, shape))
        return result

    def _maker(self, value: Value) -> Node | None:
        nodes = self.rewriter.builder.nodes
        for node in nodes[self._position :]:
            self._makers.update(dict.fromkeys(node.outputs, node))
        self._position = len(nodes)
        return self._makers.get(value)


class ScanPass(ABC):
    """Base of the passes that change scans one by one."""

    name: ClassVar[str]

    def __call__(self, graph: Graph) -> Graph:
        """One sweep down."""
        if not graph.has(Scan):
            return graph
        writer, changed = OuterGraph(graph), False
        for node in graph.nodes:
            if isinstance(node.op, Scan):
                inputs = tuple(map(writer.rewriter.now, node.inputs))
                changed |= self.change(Node(node.op, inputs, node.outputs, node.loc), writer)
            else:
                writer.rewriter.keep(node)
        return cleaned(writer.rewriter.finish()) if changed else graph

    @abstractmethod
    def change(self, node: Node, writer: OuterGraph) -> bool:
        """Write a scan, whose operands are those of the new graph, and all around it; tells whether it is another."""


def cleaned(graph: Graph) -> Graph:
    """The graph without what passes over scans leave behind: views of views, equal nodes, dead ones."""
    return EliminateDead()(EliminateCommon()(Simplify()(graph)))


class Mapped:
    """Nodes of a body, written for all steps at once: values of the body by what they are outside."""

    def __init__(self, scan: OpenScan, writer: OuterGraph) -> None:
        self._scan, self._writer = scan, writer
        self._steady: dict[Value, Value] = {one.inner: one.operand for one in scan.constants}
        """Values that are the same at each step."""
        self._stacked: dict[Value, Value] = {one.inner: one.operand for one in scan.slices}
        self._repeated: dict[Value, Value] = {}
        same = scan.steady()
        self._makers = {value: node for node in scan.nodes for value in node.outputs if value in same}

    def know(self, stacked: Mapping[Value, Value]) -> None:
        """Take note of what values of the body are when they are stacked."""
        same = self._steady.keys() | self._makers.keys() | self._scan.literals.keys()
        self._stacked.update((value, one) for value, one in stacked.items() if value not in same)

    def steady(self, value: Value) -> Value | None:
        """Return what is the same at each step as it is outside, written if need be; None where a value is no such."""
        if value not in self._steady:
            if value in self._scan.literals:
                self._steady[value] = self._writer.rewriter.builder.constant(self._scan.literals[value])
            elif value in self._makers:
                self.write(self._makers[value])
        return self._steady.get(value)

    def stacked(self, value: Value) -> Value:
        """The values of all steps."""
        if value in self._stacked:
            return self._stacked[value]
        if value not in self._repeated:
            one = self.steady(value)
            assert one is not None
            shape = (self._scan.length, *one.type.shape)
            self._repeated[value] = self._writer.write(None, lambda: broadcast(one, shape))
        return self._repeated[value]

    def write(self, node: Node) -> None:
        """Write a node that has a rule for all steps, or is the same at each; all of its operands are known."""
        op = node.op
        assert isinstance(op, Op)
        operands = [None if value in self._stacked else self.steady(value) for value in node.inputs]
        if None not in operands:
            if node.outputs[0] not in self._steady:
                results = self._writer.write(node.loc, lambda: bind(op, *operands))
                self._steady.update(zip(node.outputs, results, strict=True))
            return
        along = [one is None or not op.shares for one in operands]
        arguments = [
            self.stacked(value) if is_along else one
            for value, one, is_along in zip(node.inputs, operands, along, strict=True)
        ]
        results = self._writer.write(node.loc, lambda: op.mapped(self._scan.length, along, *arguments))
        assert results is not None
        self._stacked.update(zip(node.outputs, results, strict=True))


def maps(node: Node) -> bool:
    """Tell whether a node of a body has a rule for all steps at once."""
    return isinstance(node.op, Op) and (
        node.op.by_element or node.op.axes_named is not None or type(node.op).mapped is not Op.mapped
    )
