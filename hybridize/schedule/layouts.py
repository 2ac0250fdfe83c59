# SPDX-License-Identifier: Apache-2.0
"""Choose the homes of the values of a graph (*layout assignment*): who lies channels last, and who has a halo.

Contractions with windows want their first operand channels last, with a halo as wide as their windows leave it, and
store their results so. That spreads through whatever computes its result axis by axis (elementwise operations,
concatenations, slices, folds over windows), whose operands and results lie best alike. Inputs, constants and outputs of
the program lie in the order of their axes, and so does what products of matrices, routines and regions read: where
homes meet, the loop that stores or reads converts.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from hybridize.graph import Graph, Node, Value
from hybridize.loops.index import bit
from hybridize.schedule.contraction.arrangement import Arrangement
from hybridize.schedule.homes import Halo, Home, is_in_order, no_halo, ordered, wider
from hybridize.schedule.lower import Lowerings, Read


def assign(graph: Graph, lowerings: Lowerings) -> dict[Value, Home]:
    """The homes of values that do not lie in the order of their axes."""
    windows = [(node, found) for node in graph.nodes if isinstance(found := lowerings.of(node), Arrangement)]
    windows = [(node, found) for node, found in windows if found.has_windows]
    if not windows:
        return {}
    alike = _Classes()
    for node in graph.nodes:
        _join_alike(alike, node, lowerings)
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


def _join_alike(alike: _Classes, node: Node, lowerings: Lowerings) -> None:
    """Make one class of values of which one is computed of the other axis by axis.

    Elementwise operations, concatenations, slices, folds over windows: along each axis of the result only that axis of
    the operand is walked, so both are best walked in one order.
    """
    lowered = lowerings.of(node)
    if not isinstance(lowered, tuple):
        return
    op: Any = node.op
    if op.joined_along is not None:
        for part in node.inputs:
            alike.join(part, node.outputs[0])
    for value, local in zip(node.outputs, lowered, strict=True):
        for read in local.reads:
            operand = node.inputs[read.operand]
            if operand.type.ndim == value.type.ndim and _axis_by_axis(read, lowerings):
                alike.join(operand, value)


def _axis_by_axis(read: Read, lowerings: Lowerings) -> bool:
    """Tell whether an operand's index along each axis depends on no other axis of the result."""
    rank = len(read.indices)
    return read.identity or not any(
        lowerings.interner.facts(index).free & bit(axis)
        for k, index in enumerate(read.indices)
        for axis in range(rank)
        if axis != k
    )


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
