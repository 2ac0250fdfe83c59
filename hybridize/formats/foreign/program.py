# SPDX-License-Identifier: Apache-2.0
"""`ForeignProgram`: a model of another framework as plain data, whatever file or object it was read from."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy
from numpy.typing import NDArray

from hybridize.base.dtypes import CODES, DType
from hybridize.base.frozen import changed, frozen
from hybridize.formats.cursor import in_memory

if TYPE_CHECKING:
    from hybridize.base.locations import SourceLoc
    from hybridize.formats.foreign.vocabulary import Vocabulary


@frozen(eq=False)
class Port:
    """An input or output of a graph, as the model declares it."""

    name: str
    dtype: DType | None = None
    """None: the model does not say, or it is no array."""
    shape: tuple[int | str | None, ...] | None = None
    """A size is a number, the name that the model has for it, or None; None: the number of axes is not known."""

    def __str__(self) -> str:
        """`state: f32[2,batch,128]`."""
        code = "array" if self.dtype is None else CODES[self.dtype]
        sizes = "..." if self.shape is None else ",".join("?" if size is None else str(size) for size in self.shape)
        return f"{self.name}: {code}[{sizes}]"


@frozen(eq=False)
class Node:
    """One application of an operator. Values have names, each unique in its graph."""

    op: str
    """The operator; of another domain than the framework's own `domain::Name`."""
    inputs: tuple[str, ...]
    """Names of values; the empty string where an optional input is left out."""
    outputs: tuple[str, ...]
    """Names of values; the empty string where nobody wants an output."""
    attributes: Mapping[str, Any] = field(default_factory=dict)
    """Ints, floats, strs, NumPy arrays, tuples of them, `ForeignGraph`s, `FunctionName`s."""
    name: str = ""
    version: int = 0
    """Of the operator set that the node is written in."""
    after: tuple[str, ...] = ()
    """Values whose nodes must have run before (control inputs), where those have effects."""
    loc: SourceLoc | None = None
    """The user's line, where the framework knows it."""


@frozen(eq=False)
class FunctionName:
    """An attribute that names a function of the program."""

    function: str


@frozen(eq=False)
class Reference:
    """An attribute of a node in a function whose value is the attribute of this name of the node that calls it."""

    name: str


@frozen(eq=False)
class ForeignGraph:
    """Nodes in an order in which each stands behind those whose values it reads.

    A graph that is an attribute of a node reads values of the graphs around it, too.
    """

    inputs: tuple[Port, ...]
    nodes: tuple[Node, ...]
    outputs: tuple[Port, ...]
    """Their names are those of values."""
    constants: Mapping[str, NDArray[Any]] = field(default_factory=dict)
    """Values that are fixed; those of the main graph that are weights stand in `ForeignProgram.weights` instead."""
    declared: Mapping[str, Port] = field(default_factory=dict)
    """Types that the model declares of values in between; each is compared with ours."""
    attributes: tuple[str, ...] = ()
    """Of a function: the attributes that its nodes refer to."""
    defaults: Mapping[str, Any] = field(default_factory=dict)
    """Of a function: values of attributes where a call leaves them out."""

    @cached_property
    def free(self) -> Mapping[str, None]:
        """Names of the values that it reads from outside, by graphs inside of it, too."""
        own = {port.name for port in self.inputs} | self.constants.keys()
        names: dict[str, None] = {}
        for node in self.nodes:
            for name in (*node.inputs, *(name for inner in graphs_of(node) for name in inner.free)):
                if name and name not in own:
                    names[name] = None
            own |= set(node.outputs)
        return names | {port.name: None for port in self.outputs if port.name not in own}

    @cached_property
    def last_uses(self) -> Mapping[int, Sequence[str]]:
        """The values of its own nodes that nobody reads after a node, by the node's number."""
        last: dict[str, int] = {}
        for number, node in enumerate(self.nodes):
            for name in (*node.inputs, *node.outputs, *(name for inner in graphs_of(node) for name in inner.free)):
                last[name] = number
        own = {name for node in self.nodes for name in node.outputs} - {port.name for port in self.outputs}
        uses: dict[int, list[str]] = {}
        for name, number in last.items():
            if name in own:
                uses.setdefault(number, []).append(name)
        return uses


def without_file(program: ForeignProgram) -> ForeignProgram:
    """Return the same program, of which no array but weights lies in a mapped file: that may change."""
    functions = {name: _graph_in_memory(graph) for name, graph in program.functions.items()}
    state = {name: in_memory(array) for name, array in program.state.items()}
    return changed(program, graph=_graph_in_memory(program.graph), functions=functions, state=state)


def _graph_in_memory(graph: ForeignGraph) -> ForeignGraph:
    constants = {name: in_memory(array) for name, array in graph.constants.items()}
    return changed(graph, nodes=tuple(map(_node_in_memory, graph.nodes)), constants=constants)


def _node_in_memory(node: Node) -> Node:
    attributes = {name: _value_in_memory(value) for name, value in node.attributes.items()}
    same = all(attributes[name] is value for name, value in node.attributes.items())
    return node if same else changed(node, attributes=attributes)


def _value_in_memory(value: Any) -> Any:
    if isinstance(value, numpy.ndarray):
        return in_memory(value)
    if isinstance(value, ForeignGraph):
        return _graph_in_memory(value)
    if isinstance(value, tuple) and value and isinstance(value[0], (numpy.ndarray, ForeignGraph)):
        return tuple(map(_value_in_memory, value))
    return value


def calls(node: Node) -> Iterator[str]:
    """Yield the names of the functions that attributes of a node name."""
    for one in node.attributes.values():
        if isinstance(one, FunctionName):
            yield one.function
        elif isinstance(one, tuple):
            yield from (part.function for part in one if isinstance(part, FunctionName))


def graphs_of(node: Node) -> Iterator[ForeignGraph]:
    """Yield the graphs that are attributes of a node."""
    for one in node.attributes.values():
        if isinstance(one, ForeignGraph):
            yield one
        elif isinstance(one, tuple) and one and isinstance(one[0], ForeignGraph):  # of one kind, and often long
            yield from one


@frozen(eq=False)
class ForeignProgram:
    """A model: its main graph, the functions that nodes may call, and the arrays that calls read or write."""

    source: str
    """The file, for messages."""
    vocabulary: Vocabulary
    graph: ForeignGraph
    functions: Mapping[str, ForeignGraph] = field(default_factory=dict)
    weights: Mapping[str, NDArray[Any]] = field(default_factory=dict)
    """Arrays by the name of the value in the main graph; views of the mapped file where that can be."""
    state: Mapping[str, NDArray[Any]] = field(default_factory=dict)
    """First values of what calls change, by the name of the variable."""
    trained: frozenset[str] = frozenset()
    """Names of weights that are to be trained, where the model says so; all floats otherwise."""
    named: bool = False
    """True if several outputs are a dict by their names, False if they are a tuple."""
    metadata: Mapping[str, str] = field(default_factory=dict)
    """The producer, the version, the description: what `inspect` shows."""
