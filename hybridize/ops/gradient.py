# SPDX-License-Identifier: Apache-2.0
"""The reverse sweep; a graph applied, and its pullback, as operand functions: composites and control flow use them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Protocol, TypeVar

from hybridize.base.dtypes import is_inexact
from hybridize.base.errors import HybridizeError
from hybridize.base.locations import user_location
from hybridize.graph import Graph, Node, Value
from hybridize.ops.arithmetic import add
from hybridize.ops.complexes import pulled_back
from hybridize.ops.op import Operand, bind, constant
from hybridize.ops.views import full

Point = TypeVar("Point", bound=Hashable)
Place_co = TypeVar("Place_co", bound=Hashable, covariant=True)
_Node = TypeVar("_Node", bound="Reversible[Any]")


def apply(graph: Graph, inputs: Sequence[Operand]) -> list[Operand]:
    """The nodes of `graph` applied under the current interpreter."""
    here = _applied(graph, inputs)
    return [here[value] for value in graph.outputs]


def _applied(graph: Graph, inputs: Sequence[Operand]) -> dict[Value, Operand]:
    here: dict[Value, Operand] = dict(zip(graph.inputs, inputs, strict=True))
    here.update((value, constant(array)) for value, array in graph.constants.items())
    for node in graph.nodes:
        op: Any = node.op
        here.update(zip(node.outputs, bind(op, *(here[value] for value in node.inputs)), strict=True))
    return here


def pullback(
    graph: Graph, inputs: Sequence[Operand], cotangents: Sequence[Operand | None], wrt: Collection[int] = ()
) -> tuple[Operand | None, ...]:
    """Cotangents of the inputs of `graph` from those of its outputs, None where none arrives.

    The graph is run again under the current interpreter, then its ops' own rules from the last to the first. Of inputs
    of integers and bools those alone have cotangents whose numbers are in `wrt`.
    """
    return swept(graph, _applied(graph, inputs), cotangents, wrt)


def swept(
    graph: Graph, here: Mapping[Value, Operand], cotangents: Sequence[Operand | None], wrt: Collection[int] = ()
) -> tuple[Operand | None, ...]:
    """The same where the graph was run already: `here` is what its values are under the current interpreter."""
    active = {value for number, value in enumerate(graph.inputs) if is_inexact(value.type.dtype) or number in wrt}
    for node in graph.nodes:
        active.update(differentiated(node, active))
    arrived = Arrived[Value]()
    for value, cotangent in zip(graph.outputs, cotangents, strict=True):
        if cotangent is not None and value in active:
            arrived.add(value, cotangent)

    def apply(node: Node, cotangents: Cotangents) -> Iterator[tuple[Value, Operand | None]]:
        results = tuple(here[value] for value in node.outputs)
        gradients = passed_back(node, cotangents, results, [here[value] for value in node.inputs])
        return ((value, one) for value, one in zip(node.inputs, gradients, strict=True) if value in active)

    reverse(reversed(graph.nodes), arrived, apply)
    return tuple(arrived.get(value) for value in graph.inputs)


def differentiated(node: Node, active: Collection[Value]) -> Iterator[Value]:
    """Yield the outputs of a node that are differentiated where its inputs among `active` are.

    They are of floats; or of integers or bools that are computed of such, whose gradient was asked for as in MXNet.
    """
    reached = [value for value in node.inputs if value in active]
    if reached:
        exact = any(not is_inexact(value.type.dtype) for value in reached)
        yield from (value for value in node.outputs if exact or is_inexact(value.type.dtype))


def passed_back(
    node: Node, cotangents: Cotangents, results: Sequence[Operand], inputs: Sequence[Operand]
) -> Sequence[Operand | None]:
    """Cotangents of the inputs of a node from those of its outputs; who has no gradient says so at the node's line."""
    op: Any = node.op
    try:
        gradients = pulled_back(op, None, filled(node, cotangents), tuple(results), *inputs)
    except HybridizeError as error:
        if node.loc is not None and error.loc == user_location():  # not a line of the rule's own
            error.loc = node.loc
        raise
    return gradients


Cotangents = Sequence[Operand | None]
"""Cotangents of the outputs of a node, None where none has arrived."""


class Arrived(dict[Point, Operand]):
    """Cotangents by where they have arrived: at values of a graph, at edges of a tape."""

    def add(self, point: Point, cotangent: Operand) -> None:
        """Take what arrives at a value or an edge; what comes by several ways is summed."""
        before = self.get(point)
        self[point] = cotangent if before is None else add(before, cotangent)


class Reversible(Protocol[Place_co]):
    """A node that a reverse sweep goes through."""

    @property
    def outputs(self) -> Sequence[Place_co]:
        """The values or edges where cotangents of its outputs arrive."""


def reverse(
    nodes: Iterable[_Node],
    arrived: Arrived[Point],
    apply: Callable[[_Node, Cotangents], Iterable[tuple[Point, Operand | None]]],
) -> None:
    """Run a reverse sweep: carry cotangents from the outputs of nodes to their inputs, and let go of the former.

    Args:
        nodes: the newest first.
        arrived: the cotangents from which the sweep begins; afterwards what arrived at those that no node makes.
        apply: given a node and the cotangents of its outputs, of which one at least is there, says what arrives where.
    """
    for node in nodes:
        cotangents = []
        reached = False
        for point in node.outputs:
            cotangents.append(arrived.pop(point, None))
            reached = reached or cotangents[-1] is not None
        if reached:
            for point, cotangent in apply(node, cotangents):
                if cotangent is not None:
                    arrived.add(point, cotangent)


def filled(node: Node, cotangents: Cotangents) -> tuple[Operand | None, ...]:
    """Cotangents of all outputs of a node of a graph, zeros where none has arrived and the rule wants all."""
    if getattr(node.op, "takes_absent", False):
        return tuple(cotangents)
    return tuple(full(0, v.type) if g is None else g for v, g in zip(node.outputs, cotangents, strict=True))
