# SPDX-License-Identifier: Apache-2.0
"""Values, nodes, graphs, and the builder that alone makes nodes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from functools import cached_property
from typing import Any, Protocol

import numpy
from numpy.typing import NDArray

from hybridize.base.digests import digest
from hybridize.base.dims import SizeScope, hint
from hybridize.base.errors import GraphError, InternalError
from hybridize.base.frozen import frozen
from hybridize.base.hooks import Hook
from hybridize.base.loading import LOADING
from hybridize.base.locations import SourceLoc
from hybridize.base.types import TensorType

Array = NDArray[Any]


def hashed(*parts: bytes | memoryview) -> str:
    """The SHA-256 of bytes."""
    with LOADING:
        import hashlib  # late: it loads OpenSSL, and `import hybridize` hashes nothing

    total = hashlib.sha256()
    for part in parts:
        total.update(part)
    return total.hexdigest()


class OpLike(Protocol):
    """All that a graph knows of an op. Equality and hash are by its fields."""

    @property
    def name(self) -> str:
        """The word that stands for the op in text form."""

    @property
    def graphs(self) -> Mapping[str, Graph]:
        """The closed graphs inside, by the parameters that hold them."""

    def infer(self, *inputs: TensorType) -> tuple[TensorType, ...]:
        """Types of the outputs."""


class Value:
    """A typed value. It exists once and is compared by identity; it has no operators."""

    __slots__ = ("name", "type")

    def __init__(self, type: TensorType, name: str = "") -> None:
        self.type: TensorType = type
        self.name: str = name
        """The user's name of it (an argument or a parameter), for messages and files; may be empty."""

    def __repr__(self) -> str:
        return f"Value({self.name or '%'}: {self.type})"


@frozen(eq=False)
class Node:
    """One application of an op."""

    op: OpLike
    inputs: tuple[Value, ...]
    outputs: tuple[Value, ...]
    loc: SourceLoc | None = None


@frozen(eq=False)
class Graph:
    """A program: inputs, constants, nodes in topological order, outputs. Immutable."""

    inputs: tuple[Value, ...]
    nodes: tuple[Node, ...]
    outputs: tuple[Value, ...]
    constants: Mapping[Value, Array] = field(default_factory=dict)

    def op_names(self) -> list[str]:
        """Names of the ops, in order; composites count as one."""
        return [node.op.name for node in self.nodes]

    @cached_property
    def scope(self) -> SizeScope | None:
        """The scope of the size symbols, which all stand in inputs, with what it assumes; None without symbols."""
        return next((scope for value in self.inputs if (scope := value.type.scope) is not None), None)

    @cached_property
    def kinds(self) -> frozenset[type]:
        """The classes of the ops."""
        return frozenset([type(node.op) for node in self.nodes])

    def has(self, *kinds: type) -> bool:
        """Tell whether there is an op of one of some classes."""
        return any(issubclass(kind, kinds) for kind in self.kinds)

    @cached_property
    def most_elements(self) -> int:
        """The number of elements of the largest result of a node; of sizes that are not known, as in the first call."""
        kinds = {id(kind): kind for node in self.nodes for kind in [value.type for value in node.outputs]}
        return max([hint(kind.size) for kind in kinds.values()], default=0)

    @cached_property
    def text(self) -> str:
        """The text form (see the package docstring)."""
        return PRINTER.value(self)

    @cached_property
    def fingerprint(self) -> str:
        """A hash of the text without the users' names; equal fingerprints are one program."""
        return digest(PRINTER.value(self, names=False).encode()).hex()

    def __str__(self) -> str:
        return self.text

    def __eq__(self, other: object) -> bool:
        """Compare as programs, so that ops with equal sub-graphs are equal."""
        return self is other or (isinstance(other, Graph) and self.fingerprint == other.fingerprint)

    def __hash__(self) -> int:
        return hash(self.fingerprint)

    def nested(self) -> Iterator[Graph]:
        """This graph and all inside its ops, in an order that equal graphs share."""
        yield self
        for node in self.nodes:
            for inner in node.op.graphs.values():
                yield from inner.nested()

    def uses(self) -> dict[Value, int]:
        """Count the reads of each value, by nodes and as outputs."""
        count: dict[Value, int] = {}
        for node in self.nodes:
            for value in node.inputs:
                count[value] = count.get(value, 0) + 1
        for value in self.outputs:
            count[value] = count.get(value, 0) + 1
        return count


def readers_of(nodes: Iterable[Node]) -> dict[Value, list[Node]]:
    """The nodes that read each value, each once, in their order."""
    readers: dict[Value, list[Node]] = {}
    for node in nodes:
        inputs = node.inputs
        for value in inputs if len(inputs) < 2 else dict.fromkeys(inputs):
            known = readers.get(value)
            if known is None:
                readers[value] = [node]
            else:
                known.append(node)
    return readers


def needed(nodes: Sequence[Node], values: set[Value], stays: Callable[[Node], bool] | None = None) -> list[Node]:
    """Find the nodes that compute some values, in their order.

    Args:
        nodes: in topological order.
        values: grows by all that they depend on.
        stays: tells which nodes are there besides, with what they depend on.
    """
    result: list[Node] = []
    for node in reversed(nodes):
        if not values.isdisjoint(node.outputs) or (stays is not None and stays(node)):
            values.update(node.inputs)
            result.append(node)
    return result[::-1]


def nodes_inside(op: OpLike) -> Iterator[Node]:
    """List the nodes of the graphs inside an op, and of those inside of theirs."""
    for graph in op.graphs.values():
        for part in graph.nested():
            yield from part.nodes


class Builder:
    """Collects nodes in order; the only maker of nodes. `finish` gives the immutable graph."""

    def __init__(self) -> None:
        self.inputs: list[Value] = []
        self.nodes: list[Node] = []
        self.constants: dict[Value, Array] = {}

    def input(self, type: TensorType, name: str = "") -> Value:
        """Add an input."""
        value = Value(type, name)
        self.inputs.append(value)
        return value

    def constant(self, array: Array, name: str = "") -> Value:
        """Add a constant; the array is copied, so later writes to it do not reach the graph."""
        array = numpy.array(array, order="C", copy=True)
        array.setflags(write=False)
        value = Value(TensorType(array.shape, array.dtype), name)
        self.constants[value] = array
        return value

    def add(self, op: OpLike, inputs: Sequence[Value], loc: SourceLoc | None = None) -> tuple[Value, ...]:
        """Apply `op`; returns its outputs, typed by `op.infer`."""
        types = op.infer(*[value.type for value in inputs])
        outputs = tuple([Value(type) for type in types])
        self.nodes.append(Node(op, tuple(inputs), outputs, loc))
        return outputs

    def finish(self, outputs: Iterable[Value]) -> Graph:
        """The graph of everything added so far, returning `outputs`."""
        return Graph(tuple(self.inputs), tuple(self.nodes), tuple(outputs), dict(self.constants))

    def inline(self, graph: Graph, inputs: Sequence[Value], loc: SourceLoc | None = None) -> tuple[Value, ...]:
        """Add the nodes of `graph`, its inputs replaced by `inputs`, as of a line if one is given; returns its outputs
        here.
        """
        if len(inputs) != len(graph.inputs):
            raise GraphError("E902", f"a graph of {len(graph.inputs)} inputs was given {len(inputs)}")
        here: dict[Value, Value] = dict(zip(graph.inputs, inputs, strict=True))
        for value, array in graph.constants.items():
            here[value] = copy = Value(value.type, value.name)
            self.constants[copy] = array
        for node in graph.nodes:
            outputs = []
            for value in node.outputs:
                here[value] = copy = Value(value.type, value.name)
                outputs.append(copy)
            operands = tuple([here[value] for value in node.inputs])
            self.nodes.append(Node(node.op, operands, tuple(outputs), loc or node.loc))
        return tuple(here[value] for value in graph.outputs)

    def locate(self, start: int, loc: SourceLoc | None) -> None:
        """Give the nodes from number `start` on the source line `loc`: where the user wrote what they are part of."""
        if loc is not None:
            self.nodes[start:] = [Node(node.op, node.inputs, node.outputs, loc) for node in self.nodes[start:]]


class Printer(Protocol):
    """The functions that print graphs and digest them, registered by `graph.text`."""

    def __call__(self, graph: Graph, *, names: bool = True) -> str:
        """The text of `graph`, with or without the users' names of its values."""


def _no_printer(graph: Graph, *, names: bool = True) -> str:
    raise InternalError("E917", "a graph was printed before `graph.text` was imported")


PRINTER: Hook[Printer] = Hook(_no_printer)
"""Filled by `graph.text`, which keeps this file free of syntax."""
