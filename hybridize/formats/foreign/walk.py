# SPDX-License-Identifier: Apache-2.0
"""`Walk`: apply a foreign program to operands, node by node, under whatever interpreter is in charge.

Imperatively that runs the model; while something is captured, the model becomes part of the program. Nothing here is
Python that capture follows: it applies ops, as our own functions of arrays do.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, NoReturn

import numpy
from numpy.typing import NDArray

from hybridize.base.dtypes import int32, int64
from hybridize.base.errors import CaptureError, HybridizeError, InternalError, LoadError
from hybridize.base.frozen import changed
from hybridize.base.locations import at_node
from hybridize.formats.foreign.checks import every_graph, missing_operators, place, unknown_attributes
from hybridize.formats.foreign.known import (
    LARGEST,
    Assembled,
    Known,
    KnownInterpreter,
    NoArray,
    TooLargeError,
    operand_of,
)
from hybridize.formats.foreign.program import ForeignGraph, ForeignProgram, Node, Reference, graphs_of
from hybridize.formats.foreign.vocabulary import Row, Value
from hybridize.graph import Graph
from hybridize.ops.op import Operand, interpreting, type_of
from hybridize.ops.tracing import make_graph

_OF_PYTHON: Final = (TypeError, ValueError, LookupError, ArithmeticError, AttributeError, RecursionError)
"""Errors of Python that rows raise of nodes which are not as the framework has them."""


class ReadAttributes(Mapping[str, Any]):
    """The attributes of one node, which note what a row asks for: `unread` are the names that it has not asked for."""

    __slots__ = ("_values", "unread")

    def __init__(self, values: Mapping[str, Any]) -> None:
        self._values = values
        self.unread: set[str] = set(values)

    def __getitem__(self, name: str) -> Any:
        self.unread.discard(name)
        return self._values[name]

    def __iter__(self) -> Iterator[str]:
        self.unread.clear()
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)


class Application:
    """One node as its row sees it: attributes by kind, and the walk around it.

    Errors of attributes name the file, the node and the values that are taken.
    """

    __slots__ = ("around", "attributes", "node", "walk")

    def __init__(self, node: Node, attributes: Mapping[str, Any], walk: Walk, around: Mapping[str, Value]) -> None:
        self.node: Node = node
        self.around: Mapping[str, Value] = around
        """The values that graphs which are attributes of the node may read, by name."""
        self.attributes: ReadAttributes = ReadAttributes(attributes)
        """Those of the node, references to the attributes of a function resolved."""
        self.walk: Walk = walk

    @property
    def place(self) -> str:
        """`model.onnx: operator Conv, node '/conv1/Conv'`."""
        return self.walk.place(self.node)

    def fail(self, what: str, help: str = "") -> NoReturn:
        """Refuse the node for what no row takes.

        Raises:
            LoadError E603: always.
        """
        raise LoadError("E603", f"{self.place}: {what}", help=help, loc=self.node.loc)

    def key(self) -> Operand:
        """Return the key of the next draw of random numbers."""
        if self.walk.key is None:
            self.fail("it draws random numbers, and nobody gives keys here")
        return self.walk.key()

    def has(self, name: str) -> bool:
        """Tell whether an attribute is there."""
        return name in self.attributes

    def integer(self, name: str, default: int | None = None) -> int:
        """Return an attribute that is an integer."""
        value = self._value(name, default)
        if isinstance(value, (bool, int, numpy.integer)):
            return int(value)
        self.fail(f"the attribute {name} must be an integer, it is {value!r}")

    def flag(self, name: str, default: bool = False) -> bool:
        """Return an attribute that is 0 or 1."""
        return bool(self.integer(name, int(default)))

    def number(self, name: str, default: float | None = None) -> float:
        """Return an attribute that is a number."""
        value = self._value(name, default)
        if isinstance(value, (bool, int, float, numpy.number)):
            return float(value)
        self.fail(f"the attribute {name} must be a number, it is {value!r}")

    def text(self, name: str, default: str | None = None, options: Sequence[str] = ()) -> str:
        """Return an attribute that is a word, one of `options` where there are any."""
        value = self._value(name, default)
        if not isinstance(value, str):
            self.fail(f"the attribute {name} must be a word, it is {value!r}")
        if options and value not in options:
            self.fail(f"the attribute {name} is {value!r}", help=f"it may be {', '.join(options)}")
        return value

    def integers(self, name: str, default: Sequence[int] | None = None) -> tuple[int, ...]:
        """Return an attribute that is a list of integers."""
        value = self._value(name, default)
        if isinstance(value, (tuple, list, range)) and all(isinstance(one, (int, numpy.integer)) for one in value):
            return tuple(map(int, value))
        self.fail(f"the attribute {name} must be integers, it is {value!r}")

    def numbers(self, name: str, default: Sequence[float] | None = None) -> tuple[float, ...]:
        """Return an attribute that is a list of numbers."""
        value = self._value(name, default)
        if isinstance(value, (tuple, list)) and all(isinstance(one, (int, float, numpy.number)) for one in value):
            return tuple(map(float, value))
        self.fail(f"the attribute {name} must be numbers, it is {value!r}")

    def array(self, name: str) -> NDArray[Any]:
        """Return an attribute that is an array."""
        value = self._value(name, None)
        if isinstance(value, numpy.ndarray):
            return value
        self.fail(f"the attribute {name} must be an array, it is {value!r}")

    def _value(self, name: str, default: Any) -> Any:
        value = self.attributes.get(name, default)
        if value is None:
            self.fail(f"the attribute {name} is missing")
        return value

    def axis(self, x: Operand, name: str = "axis", default: int | None = None) -> int:
        """Return an attribute that names an axis of an operand, from 0 on."""
        return self.axis_of(self.integer(name, default), type_of(x).ndim)

    def axis_of(self, axis: int, ndim: int) -> int:
        """Return an axis, from 0 on, of so many; negative ones count from the end."""
        if not -ndim <= axis < ndim:
            self.fail(f"there is no axis {axis} of {ndim}")
        return axis % ndim

    def axes_of(self, axes: Sequence[int], ndim: int) -> tuple[int, ...]:
        """Return axes, from 0 on, of so many; each once."""
        chosen = tuple(self.axis_of(int(axis), ndim) for axis in axes)
        if len(set(chosen)) < len(chosen):
            self.fail(f"an axis is named twice: {list(axes)}")
        return chosen

    def known(self, value: Value, position: int) -> Known:
        """Return an input that must be known.

        Raises:
            CaptureError E463: it is data.
        """
        if isinstance(value, Known):
            return value
        name = self.node.inputs[position] if position < len(self.node.inputs) else "?"
        maker = self.walk.maker(name)
        of = f"which {maker} computes from data" if maker else "which is an input of the model"
        raise CaptureError(
            "E463",
            f"{self.place} needs to know {name!r}, {of}: shapes, axes and counts are part of a program",
            loc=self.node.loc,
            help="make it a constant of the model, or compute it from the shapes of inputs",
        )


class Walk:
    """One pass over a foreign program.

    Args:
        program: the model.
        state: the variables, by name: what rows read and replace while the walk goes on.
        key: gives the key u64[2] of a draw, a new one at each call; None: random numbers are refused.
        number: gives the number that a bool or integer of data is, None where it cannot tell; the program then holds
            for this number alone. None: nothing can be told.
    """

    def __init__(
        self,
        program: ForeignProgram,
        state: dict[str, Value] | None = None,
        key: Callable[[], Operand] | None = None,
        number: Callable[[Operand], int | None] | None = None,
    ) -> None:
        self.program = program
        self.state: dict[str, Value] = {} if state is None else state
        self.key = key
        self._number = number
        self._makers: dict[str, Node] = {}

    def __call__(self, inputs: Mapping[str, Value], weights: Mapping[str, Operand]) -> list[Value]:
        """Return the outputs of the main graph: operands or known values, a list for a sequence.

        Args:
            inputs: by name.
            weights: by name, all of the program's.

        Raises:
            CaptureError E463: a shape is data.
            InternalError E979: a value is not of the type that the model says: a defect of a row.
        """
        return self.graph(self.program.graph, {**weights, **inputs})

    # ------------------------------------------------------------------------------------------------------- graphs

    def graph(
        self, graph: ForeignGraph, around: Mapping[str, Value], attributes: Mapping[str, Any] | None = None
    ) -> list[Value]:
        """Return the outputs of a graph.

        Args:
            graph: of the program, or an attribute of one of its nodes.
            around: its inputs, and of an attribute the values of the graphs around it.
            attributes: of a function, those of its call.
        """
        values: dict[str, Value] = dict(around)
        for name, array in graph.constants.items():
            if name not in around:
                values[name] = Known(array, array.dtype)
        last = graph.last_uses
        for number, node in enumerate(graph.nodes):
            with at_node(node.loc):
                results = self.node(node, values, attributes)
            for name, value in zip(node.outputs, results, strict=False):
                if name:
                    values[name] = value
                    self._makers[name] = node
                    self._check(graph, node, name, value)
            for name in last.get(number, ()):
                values.pop(name, None)
        return [self._read(values, port.name, None) for port in graph.outputs]

    def node(self, node: Node, values: Mapping[str, Value], attributes: Mapping[str, Any] | None) -> Sequence[Value]:
        """Return the results of a node.

        Args:
            node: of the graph at hand.
            values: those that it may read, by name.
            attributes: of the function that it is a node of.
        """
        inputs = [self._read(values, name, node) for name in node.inputs]
        own = node.attributes if attributes is None else resolved(node, attributes)
        row = self.program.vocabulary.find(node.op, node.version)
        body = self.program.functions.get(node.op) if row is None else None
        if body is not None:
            self._refuse_unknown(node, own, own.keys() - set(body.attributes))
            return self.function(body, inputs, own)
        if row is None:
            raise missing_operators(self.program, [node])
        n = Application(node, own, self, values)
        results = self._applied(row, n, inputs)
        self._refuse_unknown(node, own, n.attributes.unread)
        return results

    def _refuse_unknown(self, node: Node, attributes: Mapping[str, Any], unread: Iterable[str]) -> None:
        """Refuse a node with an attribute that nobody has read: what it changes would not happen."""
        idle = self.program.vocabulary.idle
        names = [name for name in sorted(unread) if not idle(node.op, name, attributes[name])]
        if names:
            raise unknown_attributes(self.program, node, names)

    def _applied(self, row: Row, n: Application, inputs: Sequence[Value]) -> Sequence[Value]:
        """The results of a row; errors name the node."""
        node = n.node
        try:
            if row.values:
                return _several(row.function(n, *inputs))
            known = row.positions(len(inputs))
            for position in known:
                if inputs[position] is not None:
                    n.known(inputs[position], position)
            if row.folds and inputs and all(x is None or isinstance(x, Known) for x in inputs):
                results = folded(row, n, inputs)
                if results is not None:
                    return results
            for name, x in zip(node.inputs, inputs, strict=True):
                if isinstance(x, (NoArray, list)) and row.mixed is None:
                    n.fail(f"its input {name!r} is no array")
            operands = [x if k in known or row.mixed is not None else operand_of(x) for k, x in enumerate(inputs)]
            return _several(row.function(*operands) if row.plain else row.function(n, *operands))
        except HybridizeError as error:
            if not error.within and error.code not in ("E463", "E603", "E606"):
                error.within = self.place(node)
            raise
        except _OF_PYTHON as error:  # what no row has asked for: attributes and inputs of other types, or out of range
            kinds = ", ".join("nothing" if x is None else described(x) for x in inputs) or "no inputs"
            what = f"{self.place(node)} cannot be computed of {kinds}: {type(error).__name__}: {error}"
            raise LoadError("E603", what) from error

    def function(self, body: ForeignGraph, inputs: Sequence[Value], attributes: Mapping[str, Any]) -> list[Value]:
        """Return the outputs of a function of the program for these inputs; those that a call leaves out are None."""
        ports = [port.name for port in body.inputs]
        values = dict(zip(ports, [*inputs, *[None] * (len(ports) - len(inputs))], strict=False))
        known = {name: attributes[name] for name in body.attributes if name in attributes}
        return self.graph(body, values, {**body.defaults, **known})

    def closed(self, graphs: Sequence[ForeignGraph], around: Mapping[str, Value]) -> list[str]:
        """List the values around these graphs that they read and that are data: a body takes them as operands."""
        names = dict.fromkeys(name for graph in graphs for name in graph.free)
        return [name for name in names if name in around and not isinstance(around[name], (Known, list, type(None)))]

    def body(
        self, graph: ForeignGraph, types: Sequence[Any], names: Sequence[str], around: Mapping[str, Value]
    ) -> Graph:
        """Return a graph that is an attribute as a graph of ours: its inputs, then the values around it by name.

        Args:
            graph: what is walked.
            types: of its inputs and then of the others.
            names: of the values around it that it takes, see `closed`.
            around: all values around it; those that are known stay so.
        """
        ports = [port.name for port in graph.inputs]

        def run(*operands: Operand) -> list[Operand]:
            inner = dict(zip([*ports, *names], operands, strict=True))
            return [operand_of(value) for value in self.graph(graph, {**around, **inner})]

        return make_graph(run, types)

    def decided(self, value: Value) -> Known | None:
        """The number that data decides; the program holds for it alone. None where it cannot be told."""
        if isinstance(value, Known) or value is None:
            return value
        number = None if self._number is None else self._number(value)
        return None if number is None else Known.of(number, type_of(value).dtype)

    # ------------------------------------------------------------------------------------------------------- values

    def _read(self, values: Mapping[str, Value], name: str, node: Node | None) -> Value:
        if not name:
            return None
        try:
            return values[name]
        except KeyError:
            where = f"an output of {self.program.source}" if node is None else self.place(node)
            raise LoadError("E603", f"{where}: the value {name!r} is not there") from None

    def _check(self, graph: ForeignGraph, node: Node, name: str, value: Value) -> None:
        """Compare the dtype of a value with what the model says; what models say of sizes need not be so."""
        port = graph.declared.get(name)
        if port is None or port.dtype is None or isinstance(value, (list, Assembled)) or value is None:
            return
        if isinstance(value, NoArray):
            raise LoadError("E603", f"{self.place(node)}: the model says {port}, and it is no array")
        kind = value.type if isinstance(value, Known) else type_of(value)
        if kind.dtype != port.dtype:
            raise InternalError(
                "E979",
                f"{self.place(node)}: the model says {port}, and hybridize computed {kind}",
                help="please report it: a row of hybridize is wrong, or the model is",
            )

    def place(self, node: Node) -> str:
        """`model.onnx: operator Conv, node '/conv1/Conv'`."""
        return place(self.program, node)

    def maker(self, name: str) -> str:
        """Describe the node that computes a value; empty where it is an input."""
        node = self._makers.get(name)
        return "" if node is None else f"operator {node.op}" + (f", node {node.name!r}," if node.name else "")


def _several(results: Any) -> Sequence[Value]:
    return results if isinstance(results, tuple) else (results,)


def folded(row: Row, n: Application, inputs: Sequence[Value]) -> Sequence[Value] | None:
    """Return the results of a row whose inputs are all known; None where they are better computed by the program."""
    if any(x is not None and x.array.size > LARGEST for x in inputs):
        return None
    try:
        with interpreting(KnownInterpreter()):
            return _several(row.function(*inputs) if row.plain else row.function(n, *inputs))
    except TooLargeError:
        return None


def resolved(node: Node, attributes: Mapping[str, Any]) -> dict[str, Any]:
    """Attributes of a node in a function, those of the call in place of references to them."""
    pairs = {name: attributes.get(one.name) if isinstance(one, Reference) else one
             for name, one in node.attributes.items()}  # fmt: skip
    return {name: one for name, one in pairs.items() if one is not None}


# ----------------------------------------------------------------------------------------------------- before a walk


def fixed_names(program: ForeignProgram) -> set[str]:
    """Names of the arrays of a program that are no weights but shapes, axes, counts and scales: what rows must know.

    Those that a node reads where its row needs a known value, and small arrays of integers and bools; of floats single
    ones that conditions are computed of.
    """
    names = {
        name for name, array in program.weights.items()
        if (array.dtype in (int32, int64) or array.dtype.kind == "b") and array.size <= 1024
    }  # fmt: skip
    deciding = {name for name in known_names(program, deciding=True) & program.weights.keys()
                if program.weights[name].size == 1}  # fmt: skip
    return (names | deciding | known_names(program)) & program.weights.keys()


def known_names(program: ForeignProgram, deciding: bool = False, by_graphs: bool = True) -> set[str]:
    """Names of the values that must be known: those that rows need, and what these are computed of.

    Args:
        program: whose names.
        deciding: instead, names of values that are better known: those that decide what is computed.
        by_graphs: of what a node with graphs gives, all that it takes counts, which may be more than is needed.
    """
    names: set[str] = set()
    count = -1
    while count != len(names):  # graphs inside of nodes may need what graphs around them compute
        count = len(names)
        for graph in every_graph(program):
            for node in reversed(graph.nodes):
                row = program.vocabulary.find(node.op, node.version)
                if row is None:
                    continue
                needed = range(row.decides) if deciding else [*row.positions(len(node.inputs)), *(row.mixed or ())]
                names.update(node.inputs[position] for position in needed if position < len(node.inputs))
                inside = tuple(graphs_of(node))
                if row.by_types or names.isdisjoint(node.outputs) or (inside and not by_graphs):
                    continue
                names.update(node.inputs)
                for inner in inside:
                    pairs = zip(node.outputs, inner.outputs, strict=False)
                    names.update(port.name for output, port in pairs if output in names)
        names.discard("")
    return names


def settled(program: ForeignProgram) -> ForeignProgram:
    """The same program with the arrays that rows must know among the constants of its graph."""
    fixed = fixed_names(program)
    graph = program.graph
    constants = {**graph.constants, **{name: program.weights[name] for name in fixed}}
    weights = {name: array for name, array in program.weights.items() if name not in fixed}
    return changed(program, graph=changed(graph, constants=constants), weights=weights)


def described(value: Value) -> str:
    """The type of a value, for messages."""
    if isinstance(value, Known):
        return str(value.type)
    return "a sequence" if isinstance(value, list) else str(type_of(value))
