# SPDX-License-Identifier: Apache-2.0
"""Have products read flattened images as they lie: their stable matrices are permuted instead (*flattening*).

    y = reshape(v) w^T        becomes        y = reshape(transpose(v)) reshape(transpose(reshape(w)))^T

where v, an image, lies channels last. The left operand is then the memory of v, and the matrix on the right a derived
constant, made once for each version of w. Before, every call turned v into the order of its axes, an element here and
an element there. Terms are summed in the order in which they lie.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from hybridize.base.dims import is_symbolic, same
from hybridize.base.frozen import frozen
from hybridize.graph import Graph, Node, Value, readers_of
from hybridize.ops import Matmul, Op, Reshape, Transpose
from hybridize.schedule.homes import Home
from hybridize.schedule.layouts import assign
from hybridize.schedule.lower import Lowerings


@frozen(eq=False)
class Flattening:
    """A graph whose products read images as they lie."""

    graph: Graph
    constants: frozenset[Value]
    """Permuted matrices: stable, and worth being computed once."""
    made_of: Mapping[Node, tuple[Node, ...]]
    """The node that each new product stands for, as the program says it."""


def flattened(graph: Graph, stable: Callable[[Value], bool], lowerings: Lowerings) -> Flattening:
    """Permute the matrices of products that read flattened images, where these will not lie in the order of their axes.

    Args:
        graph: optimised.
        stable: tells whether a value depends on constants and stable inputs alone.
        lowerings: of its nodes.
    """
    flat = {
        node.outputs[0]: node.inputs[0]
        for node in graph.nodes
        if isinstance(node.op, Reshape) and node.outputs[0] not in graph.outputs and _is_flattened(node)
    }
    readers = readers_of(graph.nodes) if flat else {}
    chosen = {
        value: readers[value]
        for value in readers
        if value in flat and all(_multiplies(one, value, stable) for one in readers[value])
    }
    if not chosen:
        return Flattening(graph, frozenset(), {})
    homes = assign(graph, lowerings)
    orders = {value: _order(homes.get(flat[value])) for value in chosen}
    return _permuted(graph, {value: (flat[value], order) for value, order in orders.items() if order})


def _is_flattened(node: Node) -> bool:
    """Tell whether a reshape makes one row of each image of several axes."""
    (x,), shape = node.inputs, node.outputs[0].type.shape
    if len(shape) != 2 or x.type.ndim < 3 or any(map(is_symbolic, x.type.shape[1:])):
        return False
    return same(shape[0], x.type.shape[0])


def _multiplies(node: Node, value: Value, stable: Callable[[Value], bool]) -> bool:
    """Tell whether a node multiplies a value, its first operand alone, by a stable matrix."""
    if not isinstance(node.op, Matmul) or node.op.transpose_x or node.inputs[0] is not value:
        return False
    w = node.inputs[1]
    return w is not value and w.type.ndim == 2 and stable(w)


def _order(home: Home | None) -> tuple[int, ...]:
    """The order of the axes of images that lie one after the other, without a halo; empty where they lie otherwise."""
    return home.order if home is not None and not home.has_halo and home.order[0] == 0 else ()


def _permuted(graph: Graph, images: Mapping[Value, tuple[Value, tuple[int, ...]]]) -> Flattening:
    """The graph with products of images in their orders, for each flattened value the image and its order."""
    nodes: list[Node] = []
    constants: list[Value] = []
    made_of: dict[Node, tuple[Node, ...]] = {}
    turned: dict[Value, Value] = {}

    def added(op: Op, *operands: Value) -> Value:
        (output,) = (Value(type) for type in op.infer(*(value.type for value in operands)))
        nodes.append(Node(op, operands, (output,)))
        return output

    for node in graph.nodes:
        if any(value in images for value in node.outputs):
            continue
        x = node.inputs[0] if node.inputs else None
        if x is None or x not in images:
            nodes.append(node)
            continue
        assert isinstance(node.op, Matmul)
        image, order = images[x]
        if x not in turned:
            turned[x] = added(Reshape(x.type.shape), added(Transpose(order), image))
        w = node.inputs[1]
        sizes, columns = image.type.shape[1:], w.type.shape[0 if node.op.transpose_w else 1]
        of = (columns, *sizes) if node.op.transpose_w else (*sizes, columns)
        inner = tuple(axis - 1 for axis in order[1:])
        axes = (0, *(axis + 1 for axis in inner)) if node.op.transpose_w else (*inner, len(sizes))
        matrix = added(Reshape(w.type.shape), added(Transpose(axes), added(Reshape(of), w)))
        constants.append(matrix)
        again = Node(node.op, (turned[x], matrix), node.outputs, node.loc)
        made_of[again] = (node,)
        nodes.append(again)
    return Flattening(Graph(graph.inputs, tuple(nodes), graph.outputs, graph.constants), frozenset(constants), made_of)
