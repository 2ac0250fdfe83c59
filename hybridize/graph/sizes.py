# SPDX-License-Identifier: Apache-2.0
"""A graph of sizes that are not known, made into the graph of given ones."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

from hybridize.base import dims
from hybridize.base.dims import SizeSymbol
from hybridize.base.types import Shape, TensorType
from hybridize.graph.ir import Graph, Node, Value
from hybridize.graph.text import field_names


def sizes_of(graph: Graph, shapes: Sequence[Shape]) -> dict[SizeSymbol, int] | None:
    """The sizes by which the inputs of a graph have these shapes; None where it does not hold for them."""
    sizes = bound(graph, shapes)
    return sizes if sizes is None or graph.scope is None or graph.scope.holds(sizes) else None


def bound(graph: Graph, shapes: Sequence[Shape]) -> dict[SizeSymbol, int] | None:
    """The same whatever is assumed of sizes by now: compiling assumes more than what a graph was captured with."""
    if len(shapes) != len(graph.inputs):
        return None
    if any(len(shape) != value.type.ndim for shape, value in zip(shapes, graph.inputs, strict=True)):
        return None
    symbolic = [size for value in graph.inputs for size in value.type.shape]
    sizes = dims.bind(symbolic, [size for shape in shapes for size in shape])
    if sizes is None or graph.scope is None:
        return sizes
    return sizes if sizes.keys() >= set(graph.scope.symbols) else None


def with_sizes(graph: Graph, sizes: Mapping[SizeSymbol, int] | None = None) -> Graph:
    """The graph for these sizes; None: for those of the call that it was captured at."""
    if graph.scope is None:
        return graph
    return _Exact(sizes if sizes is not None else {one: one.hint for one in graph.scope.symbols}).graph(graph)


def is_exact(op: Any) -> bool:
    """Tell whether no parameter of an op is a size that only calls know."""
    parts = [getattr(op, name) for name in field_names(type(op))]
    return all(dims.known(part) if isinstance(part, tuple) else not dims.is_symbolic(part) for part in parts)


def exact(op: Any, sizes: Mapping[SizeSymbol, int]) -> Any:
    """An op for these sizes; itself where it depends on none."""
    return _Exact(sizes).literal(op)


class _Exact:
    """The values of one graph, typed anew; graphs inside too."""

    def __init__(self, sizes: Mapping[SizeSymbol, int]) -> None:
        self.sizes = sizes

    def graph(self, graph: Graph) -> Graph:
        values: dict[Value, Value] = {}
        inputs = [self.value(value, values) for value in graph.inputs]
        constants = {self.value(value, values): array for value, array in graph.constants.items()}
        nodes = [
            Node(
                self.literal(node.op),
                tuple(values[value] for value in node.inputs),
                tuple(self.value(value, values) for value in node.outputs),
                node.loc,
            )
            for node in graph.nodes
        ]
        return Graph(tuple(inputs), tuple(nodes), tuple(values[value] for value in graph.outputs), constants)

    def value(self, value: Value, values: dict[Value, Value]) -> Value:
        kind = value.type
        shape = tuple(dims.value(size, self.sizes) for size in kind.shape)
        exact = values[value] = Value(TensorType(shape, kind.dtype), value.name)
        return exact

    def literal(self, part: Any) -> Any:
        """A parameter of an op, or an op, for these sizes; itself where it depends on none."""
        if dims.is_symbolic(part):
            return part.at(self.sizes)
        if isinstance(part, Graph):
            return self.graph(part)
        if isinstance(part, tuple):
            return tuple(map(self.literal, part))
        fields = field_names(type(part)) if dataclasses.is_dataclass(part) else ()
        changed = {name: self.literal(getattr(part, name)) for name in fields}
        if all(changed[name] is getattr(part, name) for name in fields):
            return part
        return dataclasses.replace(part, **changed)
