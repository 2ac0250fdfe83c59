# SPDX-License-Identifier: Apache-2.0
"""The operations that compute a value again that is not kept: one rule for all that choose what is kept.

They differ in what is there anyway, and in which operations may be done again: `autograd.split` and `scans.residuals`
ask each op (`Op.rematerialised`), `kept` those that are part of the loop that reads the value.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from hybridize.graph import Node, Value
from hybridize.ops import Op

CHAIN = 8
"""At most so many operations are done again for one value."""


def is_cheap(node: Node) -> bool:
    """Tell whether an operation costs less than reading what it gives: elementwise but no exponential, or a view."""
    return isinstance(node.op, Op) and node.op.rematerialised


def chain(
    value: Value,
    makers: Mapping[Value, Node],
    is_there: Callable[[Value], bool],
    may_be: Callable[[Node], bool] = is_cheap,
) -> set[Node] | None:
    """Return the operations that compute a value of what is there; None where there are none, or more than `CHAIN`.

    Args:
        value: which is computed, also where it is there.
        makers: the nodes that give values; one that none gives cannot be computed.
        is_there: tells whether a value need not be computed.
        may_be: tells whether an operation may be done again.
    """
    nodes: set[Node] = set()
    todo = [value]
    while todo:
        one = todo.pop()
        if one is not value and is_there(one):
            continue
        node = makers.get(one)
        if node in nodes:
            continue
        if node is None or not may_be(node) or len(nodes) == CHAIN:
            return None
        nodes.add(node)
        todo += node.inputs
    return nodes
