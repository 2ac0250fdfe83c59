# SPDX-License-Identifier: Apache-2.0
"""Keep one value, of which others are computed again, instead of all these, for what reads them much later.

    a = x / sqrt(2);  b = x / 2;  c = erf(a) + 1;  y = b c        the forward pass of a GELU
    dx = (a, b, c in the backward pass)                           reads three values: x alone is kept, a third of them

A training step reads in its backward pass what its forward pass made. What is elementwise in what is kept anyway, or in
something smaller, is computed again where it is read, as part of the loop that reads it; so it goes through memory
neither twice nor at all. The numbers are the same to the bit.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator
from typing import Any

from hybridize import ops
from hybridize.base.dims import hint
from hybridize.graph import Graph, Node, Value
from hybridize.ops import Op
from hybridize.passes.again import CHAIN, chain, is_cheap
from hybridize.passes.pipeline import Rewriter

_BYTES = 1 << 18
"""Smaller values stay in a near cache until they are read."""
_WIDEST = 16
"""The bytes of an element, at most."""
_PRODUCTS = 2
"""A value is read late where at least so many products come before the reader and after the value."""
_DEAR = 1
"""At most so many operations that are done again for a value are exponentials and the like: each costs about what
reading and writing memory does.
"""
_SMALLER = 8
"""The factor by which a value is smaller that may be kept for another one."""
_FOREVER = 1 << 60


class KeepLess:
    """Compute elementwise values again where they are read late, of fewer bytes that are kept."""

    name = "keep_less"

    def __call__(self, graph: Graph) -> Graph:
        """One choice for all values, then one sweep down."""
        if graph.most_elements * _WIDEST < _BYTES or sum(map(_is_product, graph.nodes)) <= _PRODUCTS:
            return graph
        choice = _Choice(graph)
        readers = choice.result()
        return _written(graph, readers, choice.redone(readers)) if readers else graph


def _is_product(node: Node) -> bool:
    return isinstance(node.op, ops.Matmul | ops.Contract) or bool(node.op.graphs)


class _Choice:
    """The values that are computed again, and for which readers."""

    def __init__(self, graph: Graph) -> None:
        self._producers: dict[Value, Node] = {}
        self._passed: list[int] = []
        """Products before each node."""
        self._last: dict[Value, int] = dict.fromkeys((*graph.inputs, *graph.constants), _FOREVER)
        """The last node that reads each value, or later."""
        at: dict[Value, int] = {}
        late: dict[Value, set[Node]] = defaultdict(set)
        products, pinned = 0, set(graph.outputs)
        for number, node in enumerate(graph.nodes):
            for value in node.inputs:
                self._last[value] = max(self._last.get(value, 0), number)
                if value in at and products - self._passed[at[value]] >= _PRODUCTS:
                    late[value].add(node)
                    if _is_product(node) or _op(node).overlaps:
                        pinned.add(value)
            self._passed.append(products)
            products += _is_product(node)
            self._producers.update(dict.fromkeys(node.outputs, node))
            at.update(dict.fromkeys(node.outputs, number))
        self._last.update(dict.fromkeys(graph.outputs, _FOREVER))
        self._late = {
            value: readers
            for value, readers in late.items()
            if value not in pinned and _op(self._producers[value]).by_element and _bytes(value) >= _BYTES
        }
        self._again: set[Value] = set()
        self._kept: dict[Value, int] = {}
        """Until where values are kept that are not read so late."""

    def result(self) -> dict[Value, set[Node]]:
        """The values to compute again, each with the nodes that read it late."""
        for value in reversed(self._late):
            if self._chain(value, None) is not None:
                self._again.add(value)
        served = self._served()
        for root in sorted(served, key=lambda one: _saved(one, served[one]), reverse=True):
            values = [value for value in served[root] if self._is_open(value) and self._chain(value, root) is not None]
            if root not in self._again and _saved(root, values) > 0:
                self._again.update(values)
                self._kept[root] = max(self._last[value] for value in values)
        return {value: self._late[value] for value in self._late if value in self._again}

    def redone(self, values: Collection[Value]) -> set[Node]:
        """All operations that compute values again."""
        nodes: set[Node] = set()
        for value in values:
            nodes |= self._chain(value, None) or set()
        return nodes

    def _served(self) -> dict[Value, list[Value]]:
        """The values that are computed of each one that might be kept for them."""
        served: dict[Value, list[Value]] = defaultdict(list)
        for value in filter(self._is_open, self._late):
            for root in self._roots(value):
                if self._chain(value, root) is not None:
                    served[root].append(value)
        return served

    def _is_open(self, value: Value) -> bool:
        """Tell whether nothing is decided of a value."""
        return value not in self._again and value not in self._kept

    def _roots(self, value: Value) -> Iterator[Value]:
        """The values that a value is elementwise in, nearest first."""
        seen, todo = {value}, [value]
        for _ in range(CHAIN):
            if not todo:
                return
            node = self._producers.get(todo.pop(0))
            for one in node.inputs if node is not None and _is_passed(node) else ():
                if one not in seen and one in self._producers and one not in self._again:
                    seen.add(one)
                    todo.append(one)
                    if _bytes(one) >= _BYTES:
                        yield one

    def _chain(self, value: Value, root: Value | None) -> set[Node] | None:
        """The operations that compute a value of a root and of what is there anyway; None where there are too many."""
        nodes = chain(value, self._producers, lambda one: one is root or self._is_there(one, value), _is_passed)
        return nodes if nodes is not None and sum(not is_cheap(node) for node in nodes) <= _DEAR else None

    def _is_there(self, one: Value, value: Value) -> bool:
        """Tell whether a value is in memory about when another one is last read, or is small enough to stay."""
        if one in self._again:
            return False
        until = max(self._last[one], self._kept.get(one, 0))
        near = until >= self._last[value] or self._passed[until] == self._passed[self._last[value]]
        return near or _bytes(one) * _SMALLER <= _bytes(value)


def _op(node: Node) -> Any:
    return node.op


def _is_passed(node: Node) -> bool:
    """Tell whether a node is computed again in the loop that reads it: by elements, or as a view of fewer."""
    return (
        isinstance(node.op, Op)
        and len(node.outputs) == 1
        and (node.op.by_element or isinstance(node.op, ops.Broadcast))
    )


def _saved(root: Value, values: Iterable[Value]) -> int:
    """Count the bytes that are not kept where one value is kept for others."""
    return sum(map(_bytes, values)) - _bytes(root)


def _bytes(value: Value) -> int:
    return int(hint(value.type.nbytes))


def _written(graph: Graph, readers: dict[Value, set[Node]], redone: Collection[Node]) -> Graph:
    """The graph with copies of values before those that read them late."""
    rewriter = Rewriter(graph)
    makers = {value: node for node in redone for value in node.outputs}
    copies: dict[Value, Value] = {}

    def copy(value: Value) -> Value:
        node = makers.get(value)
        if node is None:
            return rewriter.now(value)
        if value not in copies:
            (copies[value],) = rewriter.builder.add(_op(node), [copy(one) for one in node.inputs], node.loc)
        return copies[value]

    products = since = 0
    for node in graph.nodes:
        if products - since >= _PRODUCTS:  # what reads them later still reads copies of its own
            copies, since = {}, products
        products += _is_product(node)
        if any(node in readers.get(value, ()) for value in node.inputs):
            inputs = [copy(value) if node in readers.get(value, ()) else rewriter.now(value) for value in node.inputs]
            rewriter.replace(node, rewriter.builder.add(_op(node), inputs, node.loc))
        else:
            rewriter.keep(node)
    return rewriter.finish()
