# SPDX-License-Identifier: Apache-2.0
"""Choose the homes of the values of a graph (*layout assignment*): who lies channels last, and who has a halo.

Contractions with windows want their first operand channels last, with a halo as wide as their windows leave it, and
store their results so. That spreads through elementwise operations and concatenations, whose operands and results lie
best alike. Inputs, constants and outputs of the program lie in the order of their axes, and so does what products of
matrices, routines and regions read: where homes meet, the loop that stores or reads converts.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from hybridize.base.dims import same
from hybridize.graph import Graph, Node, Value
from hybridize.schedule.contraction.arrangement import Arrangement
from hybridize.schedule.homes import Halo, Home, is_in_order, no_halo, ordered, wider
from hybridize.schedule.lower import Lowerings


def assign(graph: Graph, lowerings: Lowerings) -> dict[Value, Home]:
    """The homes of values that do not lie in the order of their axes."""
    windows = [(node, found) for node in graph.nodes if isinstance(found := lowerings.of(node), Arrangement)]
    windows = [(node, found) for node, found in windows if found.has_windows]
    if not windows:
        return {}
    alike = _Classes()
    for node in graph.nodes:
        _join_elementwise(alike, node, lowerings)
    orders: dict[Value, tuple[int, ...]] = {}
    halos: dict[Value, Halo] = {}
    for node, found in windows:
        x, result = node.inputs[int(found.swapped)], node.outputs[0]
        orders.setdefault(alike.of(result), found.result_order())
        orders.setdefault(alike.of(x), found.operand_order())
        if orders[alike.of(x)] == found.operand_order():
            halos[x] = wider(halos.get(x, no_halo(x.type.shape)), found.halo)
    fixed = set(_fixed(graph, lowerings))
    homes = {}
    for node in graph.nodes:
        for value in node.outputs:
            order = orders.get(alike.of(value))
            if order is not None and value not in fixed and len(order) == value.type.ndim:
                home = ordered(value.type.shape, order, halos.get(value))
                if not is_in_order(home, value.type.shape):
                    homes[value] = home
    return homes


class _Classes:
    """Values that lie alike (union-find)."""

    def __init__(self) -> None:
        self._parent: dict[Value, Value] = {}

    def of(self, value: Value) -> Value:
        """The value that stands for a class."""
        while value in self._parent:
            value = self._parent[value]
        return value

    def join(self, one: Value, other: Value) -> None:
        """Make one class of two."""
        a, b = self.of(one), self.of(other)
        if a is not b:
            self._parent[a] = b


def _join_elementwise(alike: _Classes, node: Node, lowerings: Lowerings) -> None:
    lowered = lowerings.of(node)
    if not isinstance(lowered, tuple):
        return
    op: Any = node.op
    if op.joined_along is not None:
        for part in node.inputs:
            alike.join(part, node.outputs[0])
    for value, local in zip(node.outputs, lowered, strict=True):
        for read in () if local.folds else local.reads:
            operand = node.inputs[read.operand]
            shapes = zip(operand.type.shape, value.type.shape, strict=False)
            if read.identity and operand.type.ndim == value.type.ndim and all(same(a, b) for a, b in shapes):
                alike.join(operand, value)


def _fixed(graph: Graph, lowerings: Lowerings) -> Iterable[Value]:
    """The values that lie in the order of their axes, whoever reads them."""
    yield from graph.inputs
    yield from graph.constants
    yield from graph.outputs
    for node in graph.nodes:
        lowered = lowerings.of(node)
        if not isinstance(lowered, tuple | Arrangement):
            yield from node.inputs
            yield from node.outputs
