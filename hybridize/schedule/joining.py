# SPDX-License-Identifier: Apache-2.0
"""Join products of one operand with several stable matrices into one product (*horizontal fusion*).

    y = x v,  z = x w        becomes        yz = x [v w],  y and z being columns of yz

The joined matrix is a derived constant, so joining costs no call anything. The parts are views of the result; what
follows all of them alike, a bias or an activation, follows the whole, so that it stays in the product's epilogue.

It pays in two cases. Parts that meet in one elementwise computation are its gates, which a product makes side by side:
nothing is stored between. And narrow parts leave panels unfilled, of which the whole has fewer. A column's sum has the
same terms in the same order as before, so results are equal to the bit: products that sum
otherwise, as dot products or in several sets of sums (few rows), are left alone.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from hybridize.base.dims import hint, is_symbolic, same
from hybridize.base.frozen import changed, frozen
from hybridize.graph import Graph, Node, OpLike, Value, readers_of
from hybridize.machine.arithmetic import Arithmetic
from hybridize.machine.target import Target
from hybridize.ops import Broadcast, Concat, Matmul, Op, Slice
from hybridize.schedule import thresholds
from hybridize.schedule.contraction import Product, gates_fit, packing_pays
from hybridize.schedule.contraction.panels import column_panels, panel_vectors, row_tiles
from hybridize.schedule.contraction.product import normalised
from hybridize.schedule.contraction.tiling import make_tiling


@frozen(eq=False)
class Joining:
    """A graph whose products are joined."""

    graph: Graph
    constants: frozenset[Value]
    """Joined matrices and vectors: stable, and worth being computed once."""
    made_of: Mapping[Node, tuple[Node, ...]]
    """The nodes that each joined one stands for, as the program says them."""


def joined(graph: Graph, stable: Callable[[Value], bool], target: Target) -> Joining:
    """Join the products of a graph where that pays.

    Args:
        graph: optimised.
        stable: tells whether a value depends on constants and stable inputs alone.
        target: the machine.
    """
    sets: dict[tuple[Value, OpLike], list[Node]] = {}
    for node in graph.nodes:
        if isinstance(node.op, Matmul) and not node.op.transpose_x and not stable(node.inputs[0]):
            x, w = node.inputs
            if w.type.ndim == 2 and stable(w) and not any(map(is_symbolic, w.type.shape)):
                sets.setdefault((x, node.op), []).append(node)
    several = [nodes for nodes in sets.values() if len(nodes) > 1]
    return _Joining(graph, stable, target).result(several) if several else Joining(graph, frozenset(), {})


class _Joining:
    """The decisions for one graph."""

    def __init__(self, graph: Graph, stable: Callable[[Value], bool], target: Target) -> None:
        self._graph, self._stable, self._target = graph, stable, target
        self._producers = {value: node for node in graph.nodes for value in node.outputs}
        self._readers = readers_of(graph.nodes)
        self._removed_nodes: set[Node] = set()
        """Nodes that joined ones stand for."""
        self._before: list[Node] = []
        """Nodes that join matrices and vectors."""
        self._at: dict[Node, list[Node]] = {}
        """Nodes in the place of the first product of each set."""
        self._constants: list[Value] = []
        self._made_of: dict[Node, tuple[Node, ...]] = {}

    def result(self, sets: Sequence[list[Node]]) -> Joining:
        """As `joined` gives it."""
        for nodes in sets:
            for chosen in self._choices(nodes):
                self._join(chosen)
        graph = self._graph
        if not self._at:
            return Joining(graph, frozenset(), {})
        # What is stable comes first: joined matrices are made of matrices that came later than the first product.
        first = [node for node in graph.nodes if self._is_stable(node)]
        rest: list[Node] = []
        for node in graph.nodes:
            rest += self._at.get(node, [])
            if node not in self._removed_nodes and not self._is_stable(node):
                rest.append(node)
        whole = Graph(graph.inputs, (*first, *self._before, *rest), graph.outputs, graph.constants)
        return Joining(whole, frozenset(self._constants), self._made_of)

    def _is_stable(self, node: Node) -> bool:
        return bool(node.outputs) and all(map(self._stable, node.outputs))

    # Which

    def _choices(self, nodes: Sequence[Node]) -> list[list[Node]]:
        """The sets of products of one operand that are faster as one, and sum in the same order."""
        arithmetic = Arithmetic(nodes[0].inputs[0].type.dtype, self._target)
        if not arithmetic.is_float:
            return []
        left = [node for node in nodes if _sums_in_order(self._product([node]), arithmetic)]
        choices = []
        for meeting in self._meetings(left):
            gated = changed(self._product(meeting), gates=len(meeting))
            if gates_fit(gated, arithmetic) and _sums_in_order(gated, arithmetic) and _is_large(meeting):
                choices.append(meeting)
                left = [node for node in left if node not in meeting]
        if len(left) > 1 and _is_large(left):
            whole = self._product(left)
            parts = sum(_panels(self._product([node]), arithmetic) for node in left)
            if _panels(whole, arithmetic) <= thresholds.JOINED_PANELS * parts and _sums_in_order(whole, arithmetic):
                choices.append(left)
        return choices

    def _product(self, nodes: Sequence[Node]) -> Product:
        """Products of one operand as one."""
        (x, _), op = nodes[0].inputs, nodes[0].op
        assert isinstance(op, Matmul)
        n = sum(node.outputs[0].type.shape[1] for node in nodes)
        return Product(
            dtype=x.type.dtype,
            m=x.type.shape[0],
            n=n,
            k=x.type.shape[1],
            batch=1,
            transpose_x=False,
            transpose_w=op.transpose_w,
        )

    def _meetings(self, nodes: Sequence[Node]) -> list[list[Node]]:
        """Sets of products as wide as each other that elementwise computations read together, and nobody else."""
        meetings: list[tuple[list[Node], set[Node]]] = []
        for node in nodes:
            ahead = self._ahead(node.outputs[0])
            if ahead is None:
                continue
            for others, common in meetings:
                if common & ahead and same(others[0].outputs[0].type.shape[1], node.outputs[0].type.shape[1]):
                    others.append(node)
                    common &= ahead
                    break
            else:
                meetings.append(([node], ahead))
        return [others for others, _ in meetings if len(others) > 1]

    def _ahead(self, value: Value) -> set[Node] | None:
        """The elementwise nodes that a value goes into, one after the other; None where others read it."""
        nodes: set[Node] = set()
        front = [value]
        if value in self._graph.outputs:
            return None
        while front:
            one = front.pop()
            for reader in self._readers.get(one, ()):
                alike = (
                    isinstance(reader.op, Op)
                    and reader.op.by_element
                    and reader.outputs[0].type.shape == one.type.shape
                )
                if not alike and one is value:
                    return None
                if alike and reader not in nodes:
                    nodes.add(reader)
                    front += reader.outputs
        return nodes

    # How

    def _join(self, nodes: Sequence[Node]) -> None:
        """Join products, and what follows them all alike."""
        first = nodes[0]
        assert isinstance(first.op, Matmul)
        x, matrices = first.inputs[0], [node.inputs[1] for node in nodes]
        w = self._concatenated(matrices, 0 if first.op.transpose_w else 1)
        at = self._at[first] = []
        (y,) = self._added(first.op, (x, w), nodes, at)
        wholes: dict[Value, tuple[Value, tuple[Value, ...]]] = {}
        parts = tuple(node.outputs[0] for node in nodes)
        wholes[parts[0]] = y, parts
        for node in self._graph.nodes:
            if any(value in wholes for value in node.inputs):
                self._follow(node, wholes, at)
        for whole, values in wholes.values():
            start = 0
            for value in values:
                m, n = value.type.shape
                if (
                    any(reader not in self._removed_nodes for reader in self._readers.get(value, ()))
                    or value in self._graph.outputs
                ):
                    cut: Op = Slice((0, start), (m, start + n), (1, 1))
                    at.append(Node(cut, (whole,), (value,), self._producers[value].loc))
                start = start + n

    def _follow(self, node: Node, wholes: dict[Value, tuple[Value, tuple[Value, ...]]], at: list[Node]) -> None:
        """Have the whole go through an elementwise node that all parts go through, each by one like it."""
        op = node.op
        if not isinstance(op, Op) or not op.by_element or node in self._removed_nodes:
            return
        count = len(next(iter(wholes.values()))[1])
        alike = [node, *(self._like(node, part, wholes) for part in range(1, count))]
        nodes = [one for one in alike if one is not None]
        if len(nodes) != count or len(set(nodes)) != count:
            return
        columns = [one.outputs[0].type.shape[-1] for one in nodes]
        shape = wholes[next(value for value in node.inputs if value in wholes)][0].type.shape
        operands: list[Value] = []
        added: list[Node] = []
        for position, value in enumerate(node.inputs):
            if value in wholes:
                operands.append(wholes[value][0])
                continue
            other = self._spread([one.inputs[position] for one in nodes], columns, shape, added)
            if other is None:
                return
            operands.append(other)
        at += added
        outputs = self._added(op, tuple(operands), nodes, at)
        for number, output in enumerate(outputs):
            values = tuple(one.outputs[number] for one in nodes)
            wholes[values[0]] = output, values

    def _like(self, node: Node, part: int, wholes: Mapping[Value, tuple[Value, tuple[Value, ...]]]) -> Node | None:
        """The node that does for another part what one does for the first."""
        read = next(value for value in node.inputs if value in wholes)
        for reader in self._readers.get(wholes[read][1][part], ()):
            alike = reader.op == node.op and reader not in self._removed_nodes
            if alike and all(
                wholes[value][1][part] is other
                for value, other in zip(node.inputs, reader.inputs, strict=True)
                if value in wholes
            ):
                return reader
        return None

    def _spread(
        self, operands: Sequence[Value], columns: Sequence[int], shape: tuple[int, ...], added: list[Node]
    ) -> Value | None:
        """Join operands that are stable rows, or one stable number, repeated for each row of their part."""
        bases = []
        for operand in operands:
            producer = self._producers.get(operand)
            if producer is None or not isinstance(producer.op, Broadcast) or not self._stable(producer.inputs[0]):
                return None
            bases.append(producer.inputs[0])
        base = bases[0]
        if any(one.type.ndim != base.type.ndim or one.type.shape[:-1] != base.type.shape[:-1] for one in bases):
            return None
        if any(not same(size, 1) for size in base.type.shape[:-1]):
            return None
        if base.type.ndim == 0 or all(same(one.type.shape[-1], 1) for one in bases):
            if any(one is not base for one in bases):
                return None
        elif all(same(one.type.shape[-1], n) for one, n in zip(bases, columns, strict=True)):
            base = self._concatenated(bases, base.type.ndim - 1)
        else:
            return None
        (whole,) = self._added(Broadcast(shape), (base,), [self._producers[one] for one in operands], added)
        return whole

    def _concatenated(self, values: Sequence[Value], axis: int) -> Value:
        """A constant of stable values, one after the other."""
        op: Op = Concat(axis)
        (whole,) = (Value(type) for type in op.infer(*(value.type for value in values)))
        self._before.append(Node(op, tuple(values), (whole,)))
        self._constants.append(whole)
        return whole

    def _added(self, op: Op, operands: tuple[Value, ...], instead: Sequence[Node], to: list[Node]) -> tuple[Value, ...]:
        """Add a node instead of several; returns its outputs."""
        outputs = tuple(Value(type) for type in op.infer(*(value.type for value in operands)))
        node = Node(op, operands, outputs, instead[0].loc)
        to.append(node)
        self._made_of[node] = tuple(instead)
        if not isinstance(op, Broadcast):  # others may read what was spread
            self._removed_nodes.update(instead)
        return outputs


def _sums_in_order(product: Product, arithmetic: Arithmetic) -> bool:
    """Tell whether each element of a product is one sum, in the order of its terms."""
    product = normalised(product)
    if not all(map(hint, (product.m, product.n, product.k))):
        return False
    tiling = make_tiling(changed(product, packed=packing_pays(product, arithmetic)), arithmetic)
    if tiling.form != "rows" or tiling.order == "streams":
        return False
    return all(
        tiling.summation.sets(height, section.vectors) == 1
        for section in tiling.sections
        for height in (
            section.heights
            if is_symbolic(product.m)
            else [part.height for part in row_tiles(product.m, section.heights[0])]
        )
    )


def _is_large(nodes: Sequence[Node]) -> bool:
    return sum(node.inputs[1].type.nbytes for node in nodes) >= thresholds.JOINED_BYTES


def _panels(product: Product, arithmetic: Arithmetic) -> int:
    """The panels into which the columns of a packed product are cut."""
    return sum(part.count for part in column_panels(product.n, arithmetic.lanes, panel_vectors(arithmetic), "copy"))
