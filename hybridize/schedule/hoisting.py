# SPDX-License-Identifier: Apache-2.0
"""Take what depends on constants and stable inputs alone out of the calls (*hoisting*).

Such values are stable themselves. Where the rest of the graph reads one, there is a border: it becomes a derived
constant, if to read it from memory costs less than to compute it at each call. What only moves elements stays with
its readers, which read through it, and the border lies before it.

A value is made by a graph of its own, all the way from constants and inputs; what two of them have in common is made
twice, which costs nothing at a call. What is shared within the graph of one is computed once.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Collection, Mapping

from hybridize.base.dims import hint
from hybridize.base.dtypes import bool_
from hybridize.graph import Graph, Node, Value, is_exact, readers_of
from hybridize.graph.constants import LITERAL_ELEMENTS, one_number
from hybridize.loops.contraction import Contraction
from hybridize.ops import Effect, effect_of
from hybridize.runtime.plan import BYTES_PER_US, FLOPS_PER_US
from hybridize.schedule import thresholds
from hybridize.schedule.contraction.arrangement import Arrangement
from hybridize.schedule.contraction.matrices import MatrixProduct
from hybridize.schedule.device.contractions import ImplicitProduct
from hybridize.schedule.lower import Lowerings
from hybridize.schedule.steps import Derived, KnownSource


def hoisted(
    graph: Graph,
    known: Mapping[Value, KnownSource],
    lowerings: Lowerings,
    derive: Callable[[Graph], Derived],
    within: bool = False,
    surely: Collection[Value] = (),
    stable: Mapping[Value, Node] | None = None,
) -> tuple[Graph, dict[Value, Derived]]:
    """Return the graph without what is computed once, and the constants that its nodes read instead.

    Args:
        graph: optimised.
        known: its constants and stable inputs.
        lowerings: of its nodes.
        derive: makes the only output of a graph, whose inputs are `known`, a constant.
        within: the graph is a body of control flow. It may never run, so it has no loops run for it beforehand, which
            might not end.
        surely: stable values that become constants whatever it saves.
        stable: the graph's `stable_nodes`, where they are known.
    """
    if stable is None:
        stable = stable_nodes(graph, known, within)
    if not stable:
        return graph, {}
    return _Hoisting(graph, known, lowerings, stable, surely).result(derive)


def stable_nodes(graph: Graph, known: Mapping[Value, KnownSource], within: bool) -> dict[Value, Node]:
    """The nodes that compute of known values alone, by what they compute; `within` is as in `hoisted`."""
    makers: dict[Value, Node] = {}
    for node in graph.nodes:
        for value in node.inputs:
            if value not in known and value not in makers:
                break
        else:
            if _is_pure(node, within):
                makers.update(dict.fromkeys(node.outputs, node))
    return makers


def _is_pure(node: Node, within: bool) -> bool:
    if effect_of(node.op) is not Effect.PURE or not is_exact(node.op) or (within and node.op.graphs):
        return False
    return all(value.type.scope is None for value in node.outputs)


class _Hoisting:
    """The decisions for one graph."""

    def __init__(
        self,
        graph: Graph,
        known: Mapping[Value, KnownSource],
        lowerings: Lowerings,
        stable: Mapping[Value, Node],
        surely: Collection[Value],
    ) -> None:
        self._graph, self._known, self._lowerings, self._stable = graph, known, lowerings, stable
        self._surely = surely
        self._readers = readers_of(graph.nodes)
        self._outputs = set(graph.outputs)
        self._kept: set[Node] = set()
        """Stable nodes that calls compute all the same."""
        self._enlarged = 0
        self._border: dict[Value, list[Node]] = {}
        """The values that become constants, with the nodes that make each."""

    def result(self, derive: Callable[[Graph], Derived]) -> tuple[Graph, dict[Value, Derived]]:
        """As `hoisted` gives it."""
        for value, node in self._stable.items():
            outside = any(not self._is_stable(reader) for reader in self._readers.get(value, ()))
            if outside or value in self._outputs:
                self._settle(value, node)
        border = {value: nodes for value, nodes in self._border.items() if self._stable[value] not in self._kept}
        if not border:
            return self._graph, {}
        graph = self._graph
        rest = tuple(node for node in graph.nodes if node in self._kept or not self._is_stable(node))
        constants = {value: derive(self._cone(value, nodes)) for value, nodes in border.items()}
        return Graph(graph.inputs, rest, graph.outputs, graph.constants), constants

    @functools.cached_property
    def _positions(self) -> dict[Node, int]:
        return {node: position for position, node in enumerate(self._graph.nodes)}

    def _is_stable(self, node: Node) -> bool:
        return bool(node.outputs) and node.outputs[0] in self._stable

    def _settle(self, value: Value, node: Node) -> None:
        """Make a value that calls read a constant, or have them compute it of what it is made of."""
        pending = [(value, node)]
        while pending:
            value, node = pending.pop()
            if value in self._border or node in self._kept:
                continue
            base = None if value in self._surely else self._moved(value, node)
            if base is None or value.type.nbytes < base.type.nbytes:
                nodes = self._makers(value)
                if value in self._surely or self._pays(value, nodes):
                    self._border[value] = nodes
                    continue
            self._kept.add(node)
            pending += [(one, self._stable[one]) for one in node.inputs if one in self._stable]

    def _moved(self, value: Value, node: Node) -> Value | None:
        """The stable value of which another one shows elements, or repeats them; None where it computes something."""
        lowered = self._lowerings.of(node)
        if not isinstance(lowered, tuple):
            return None
        local = lowered[node.outputs.index(value)]
        if local.cost or len(local.reads) != 1:
            return None
        base = node.inputs[local.reads[0].operand]
        return base if base in self._stable else None

    def _makers(self, value: Value) -> list[Node]:
        """The stable nodes that a value depends on, in order."""
        makers: set[Node] = set()
        front = [value]
        while front:
            node = self._stable.get(front.pop())
            if node is not None and node not in makers:
                makers.add(node)
                front += node.inputs
        return sorted(makers, key=self._positions.__getitem__)

    def _pays(self, value: Value, nodes: list[Node]) -> bool:
        """Tell whether reading a value costs less than computing it at each call, and memory of it is to be had."""
        work = sum(map(self._operations, nodes))
        if not work or self._is_of_indices(value, nodes, work):
            return False
        read = sum(one.type.nbytes for one in self._sources(nodes))
        enlarged = max(0, value.type.nbytes - read)
        if self._enlarged + enlarged > thresholds.DERIVED_BYTES:
            return False
        times, is_stored = self._reads_of(value)
        saved = work * times / FLOPS_PER_US + (read - (0 if is_stored else value.type.nbytes)) / BYTES_PER_US
        if saved < thresholds.DERIVED_US:
            return False
        self._enlarged += enlarged
        return True

    def _is_of_indices(self, value: Value, nodes: list[Node], work: int) -> bool:
        """Tell whether a value is an index, cast, or a mask that some comparisons of indices make.

        It is computed where it is read, and is nowhere as a whole; what a mask hides can be left out (`reach`).
        """
        numbers = all(one.type.size == 1 for one in self._sources(nodes))
        most = thresholds.MASK_OPS if value.type.dtype == bool_ else thresholds.INDEX_VALUE_OPS
        return numbers and work <= most * value.type.size

    def _sources(self, nodes: list[Node]) -> dict[Value, None]:
        """The values that nodes read and none of them makes."""
        return {value: None for node in nodes for value in node.inputs if value not in self._stable}

    def _operations(self, node: Node) -> int:
        """The cost of a node, in additions; 0 where it only moves elements."""
        match self._lowerings.of(node):
            case tuple() as locals_:
                return sum(local.cost * local.type.size for local in locals_)
            case (
                MatrixProduct(contraction=contraction)
                | Arrangement(contraction=contraction)
                | ImplicitProduct(contraction=contraction)
            ):
                return _flops(contraction)
        return thresholds.UNCOUNTED_OPS

    def _reads_of(self, value: Value) -> tuple[int, bool]:
        """Count how often calls compute an element of a value where it is read; tell whether they store it."""
        times, front, seen = 1, [value], {value}
        while front:
            one = front.pop()
            if one in self._outputs:
                return 1, True
            for node in self._readers.get(one, ()):
                if self._is_stable(node) and node not in self._kept:
                    continue
                lowered = self._lowerings.of(node)
                if not isinstance(lowered, tuple):
                    return 1, True
                for output, local in zip(node.outputs, lowered, strict=True):
                    if local.cost:
                        times = max(times, hint(output.type.size) // max(1, value.type.size))
                    elif output not in seen:
                        seen.add(output)
                        front.append(output)
        return times, False

    def _cone(self, value: Value, nodes: list[Node]) -> Graph:
        """The graph of a value: its inputs are known, its constants one number each."""
        sources = self._sources(nodes)
        constants = self._graph.constants
        numbers = {
            one: constants[one]
            for one in sources
            if one in constants and one_number(constants[one], LITERAL_ELEMENTS) is not None
        }
        inputs = tuple(one for one in sources if one not in numbers)
        return Graph(inputs, tuple(nodes), (value,), numbers)


def _flops(contraction: Contraction) -> int:
    total = 2
    for size in contraction.sizes:
        total *= size
    return total
