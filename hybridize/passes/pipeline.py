# SPDX-License-Identifier: Apache-2.0
"""Passes in a row, through sub-graphs too."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any, Protocol

from hybridize.base.config import CONFIG
from hybridize.graph import Builder, Graph, Node, Value, verify


class Pass(Protocol):
    """A step of the pipeline."""

    @property
    def name(self) -> str:
        """A verb, as it stands in messages."""

    def __call__(self, graph: Graph) -> Graph:
        """The rewritten graph; the same object where nothing changed."""


Watch = Callable[[str, Graph, Graph], object]
"""Given the name of a pass, the graph before it and the graph after it."""


class Pipeline:
    """Passes, run in order; sub-graphs of control flow are run through the same ones."""

    def __init__(self, *passes: Pass) -> None:
        self.passes = passes

    def run(self, graph: Graph, watch: Watch | None = None) -> Graph:
        """Apply every pass to `graph` and to the graphs inside it; `watch` sees each graph before and after."""
        first, *rest = self.passes
        graph = map_subgraphs(self._checked(first, graph, watch), lambda inner: self.run(inner, watch))
        for step in rest:
            graph = self._checked(step, graph, watch)
        return graph

    def _checked(self, step: Pass, graph: Graph, watch: Watch | None) -> Graph:
        result = step(graph)
        if watch is not None:
            watch(step.name, graph, result)
        return verify(result, after=step.name) if CONFIG.check and result is not graph else result


def map_subgraphs(graph: Graph, change: Callable[[Graph], Graph]) -> Graph:
    """`graph` with every graph inside its ops replaced by `change` of it."""
    nodes: list[Node] = []
    changed = False
    for node in graph.nodes:
        inner = node.op.graphs
        if not inner:
            nodes.append(node)
            continue
        outer = {name: change(sub) for name, sub in inner.items()}
        if any(outer[name] is not sub for name, sub in inner.items()):
            op: Any = node.op
            node = Node(dataclasses.replace(op, **outer), node.inputs, node.outputs, node.loc)
            changed = True
        nodes.append(node)
    return dataclasses.replace(graph, nodes=tuple(nodes)) if changed else graph


class Rewriter:
    """A copy of a graph in the making: `values` says which new value stands for each old one."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.builder: Builder = Builder()
        self.builder.inputs = list(graph.inputs)
        self.builder.constants = dict(graph.constants)
        self.values: dict[Value, Value] = {}

    def now(self, value: Value) -> Value:
        """Return the value that replaces `value` of the old graph; itself if nothing does."""
        return self.values.get(value, value)

    def operands(self, node: Node) -> tuple[Value, ...]:
        """Return what replaces the operands of a node: the very tuple where nothing does."""
        if not self.values or self.values.keys().isdisjoint(node.inputs):
            return node.inputs
        now = self.values.get
        return tuple([now(value, value) for value in node.inputs])

    def keep(self, node: Node, operands: tuple[Value, ...] | None = None) -> None:
        """Take a node over, its operands replaced; the node itself where they are the same.

        Args:
            node: of the old graph.
            operands: of it now, where they were asked for.
        """
        inputs = self.operands(node) if operands is None else operands
        self.builder.nodes.append(node if inputs is node.inputs else Node(node.op, inputs, node.outputs, node.loc))

    def replace(self, node: Node, outputs: tuple[Value, ...]) -> None:
        """Let `outputs` stand for the results of `node`, which is not taken over."""
        self.values.update(zip(node.outputs, outputs, strict=True))

    def finish(self) -> Graph:
        """The new graph."""
        return self.builder.finish([self.now(value) for value in self.graph.outputs])
