# SPDX-License-Identifier: Apache-2.0
"""Run scans that go the same way over the same steps as one, where they have work in common.

The gradient of a scan needs the state before every step: it asks for a scan with the same body that emits them. That
and the scan itself are one then, and nothing is run twice.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from hybridize.base.dims import same
from hybridize.graph import Graph, Node, Value
from hybridize.ops import Scan
from hybridize.passes.common import EliminateCommon
from hybridize.passes.scans.opened import OpenScan, fresh, is_pure
from hybridize.passes.scans.trim import TrimScans


class MergeScans:
    """Make one scan of those that share work and do not wait for each other."""

    name = "merge_scans"

    def __call__(self, graph: Graph) -> Graph:
        """Pair after pair."""
        before = graph
        while True:
            merged = _one_pair(graph)
            if merged is None:
                return graph if graph is before else TrimScans()(graph)
            graph = merged


def _one_pair(graph: Graph) -> Graph | None:
    scans = [node for node in graph.nodes if isinstance(node.op, Scan) and node.outputs and is_pure(node)]
    needs = _needs(graph, scans) if len(scans) > 1 else {}
    for number, late in enumerate(scans):
        for early in scans[:number]:
            if _alike(early, late) and needs[early] == needs[late] and not _waits(graph, late, early):
                joined = _joined(early, late)
                if joined is not None:
                    return _replaced(graph, (early, late), joined)
    return None


def _alike(one: Node, other: Node) -> bool:
    assert isinstance(one.op, Scan)
    assert isinstance(other.op, Scan)
    if not same(one.op.length, other.op.length) or one.op.reverse != other.op.reverse:
        return False
    return not set(one.inputs).isdisjoint(other.inputs)


def _needs(graph: Graph, nodes: Sequence[Node]) -> dict[Node, frozenset[Value]]:
    """The inputs of a graph that nodes depend on. Joined, results would depend on those of both.

    A graph may be cut between what depends on some inputs, cotangents say, and what does not.
    """
    needs = {value: frozenset([value]) for value in graph.inputs}
    for node in graph.nodes:
        whole = frozenset().union(*(needs.get(value, frozenset()) for value in node.inputs))
        needs.update(dict.fromkeys(node.outputs, whole))
    return {node: needs[node.outputs[0]] for node in nodes if node.outputs}


def _waits(graph: Graph, late: Node, early: Node) -> bool:
    """Tell whether a node depends on another one."""
    reached = set(early.outputs)
    for node in graph.nodes:
        if not reached.isdisjoint(node.inputs):
            if node is late:
                return True
            reached.update(node.outputs)
    return False


def _joined(early: Node, late: Node) -> Node | None:
    """The two as one; None where no step has less to do than those of both."""
    whole, other = OpenScan(early), OpenScan(fresh(late))
    count = len(whole.nodes) + len(other.nodes)
    states = len(whole.carries) + len(other.carries)
    whole.carries += other.carries
    whole.slices += other.slices
    whole.constants += other.constants
    whole.emitted += other.emitted
    whole.nodes += other.nodes
    whole.literals |= other.literals
    node = whole.node()
    # Tried on a graph of its own: whether anything is shared shows when equal states and operands are one.
    alone = Graph(tuple(dict.fromkeys(node.inputs)), (node,), node.outputs)
    left = OpenScan(next((one for one in TrimScans()(alone).nodes if isinstance(one.op, Scan)), node))
    left.run(EliminateCommon())
    return node if len(left.nodes) < count or len(left.carries) < states else None


def _replaced(graph: Graph, pair: tuple[Node, Node], joined: Node) -> Graph:
    nodes = [joined if node is pair[0] else node for node in graph.nodes if node is not pair[1]]
    return Graph(graph.inputs, tuple(_in_order(graph, nodes)), graph.outputs, graph.constants)


def _in_order(graph: Graph, nodes: Sequence[Node]) -> Iterable[Node]:
    """The nodes so that each comes behind those it reads, and otherwise as they are; effects stay in order."""
    makers = {value: node for node in nodes for value in node.outputs}
    done: set[Node] = set()
    order: list[Node] = []
    effect: Node | None = None
    before: dict[Node, Node] = {}
    for node in nodes:
        if not is_pure(node):
            if effect is not None:
                before[node] = effect
            effect = node

    def wanted(node: Node) -> list[Node]:
        needs = [makers[value] for value in node.inputs if value in makers]
        return [one for one in (*needs, *((before[node],) if node in before else ())) if one not in done]

    for node in nodes:
        stack = [node]
        while stack:
            top = stack[-1]
            if top in done:
                stack.pop()
                continue
            missing = wanted(top)
            if missing:
                stack += missing
            else:
                stack.pop()
                done.add(top)
                order.append(top)
    return order
