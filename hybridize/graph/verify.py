# SPDX-License-Identifier: Apache-2.0
"""The invariants of a graph, checked: run after capture, after every pass in tests, and before scheduling."""

from __future__ import annotations

from hybridize.base.dims import SizeScope
from hybridize.base.errors import GraphError, HybridizeError
from hybridize.base.types import TensorType
from hybridize.graph.ir import Graph, Node, Value


def verify(graph: Graph, after: str = "") -> Graph:
    """Return `graph`; raise unless it is well formed.

    Each value is defined once, and before it is read; constants have the type and the layout that they claim; the
    XX
    Args:
        graph: any graph.
        after: the name of the pass that made it, for the message.

    Raises:
        GraphError E904: it is not; the message says where, and holds the graph.
    """
    return _verified(graph, after, graph.scope)


def _verified(graph: Graph, after: str, scope: SizeScope | None) -> Graph:
    """Return a graph, or one inside of it; `scope` is that of the size symbols of the whole."""
    defined: set[Value] = set()
    for value in (*graph.inputs, *graph.constants):
        _define(graph, value, defined, after)
    for value, array in graph.constants.items():
        if value.type != TensorType(array.shape, array.dtype) or not array.flags.c_contiguous or array.flags.writeable:
            raise _error(graph, f"a constant of {value.type} is not held as such", after)
    for k, node in enumerate(graph.nodes):
        _check_node(graph, k, node, defined, after, scope)
    for value in graph.outputs:
        if value not in defined:
            raise _error(graph, "an output is not defined in it", after)
    return graph


def _check_node(graph: Graph, k: int, node: Node, defined: set[Value], after: str, scope: SizeScope | None) -> None:
    where = f"node {k}, {node.op.name}"
    for value in node.inputs:
        if value not in defined:
            raise _error(graph, f"{where}: an input is not defined before it", after)
    for inner in node.op.graphs.values():
        _verified(inner, after, scope)
    try:
        types = node.op.infer(*(value.type for value in node.inputs))
    except HybridizeError as error:
        raise _error(graph, f"{where}: {error}", after) from error
    actual = tuple(value.type for value in node.outputs)
    if actual != types:
        outputs, inferred = (", ".join(map(str, kinds)) for kinds in (actual, types))
        raise _error(graph, f"{where}: outputs are {outputs}, but the op infers {inferred}", after)
    if any(kind.scope not in (None, scope) for kind in actual):
        raise _error(graph, f"{where}: a size of {', '.join(map(str, actual))} is of another program", after)
    for value in node.outputs:
        _define(graph, value, defined, after)


def _define(graph: Graph, value: Value, defined: set[Value], after: str) -> None:
    if value in defined:
        raise _error(graph, f"a value of {value.type} is defined twice", after)
    defined.add(value)


def _error(graph: Graph, what: str, after: str) -> GraphError:
    try:
        text = str(graph)
    except KeyError:  # an undefined value has no number
        text = ", ".join(graph.op_names())
    return GraphError("E904", f"{what}{f' (after {after})' if after else ''}\n{text}")
