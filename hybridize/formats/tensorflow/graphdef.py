# SPDX-License-Identifier: Apache-2.0
"""Graphs and functions of TensorFlow as `ForeignGraph`s: whoever has their messages, a SavedModel or a live function.

A node's outputs are `node:0`, `node:1`, ... where TensorFlow says `node:output_argument:number` in functions, and
`node:number` in graphs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy
from numpy.typing import NDArray

from hybridize.base.errors import LoadError
from hybridize.formats.cursor import malformed
from hybridize.formats.foreign.checks import check_program
from hybridize.formats.foreign.program import ForeignGraph, ForeignProgram, FunctionName, Node, Port, calls
from hybridize.formats.tensorflow.messages import DTYPES, SCHEMAS, array_of, sizes_of, type_of_number
from hybridize.formats.tensorflow.vocabulary import TENSORFLOW, Handle
from hybridize.formats.wire import Message, parse

OUTPUTS: Final[dict[str, tuple[str, ...]]] = {
    op: tuple(names.split())
    for op, names in {
        "FusedBatchNorm": "y batch_mean batch_variance reserve_space_1 reserve_space_2",
        "FusedBatchNormV2": "y batch_mean batch_variance reserve_space_1 reserve_space_2",
        "FusedBatchNormV3": "y batch_mean batch_variance reserve_space_1 reserve_space_2 reserve_space_3",
        "FusedBatchNormGrad": "x_backprop scale_backprop offset_backprop reserve_space_3 reserve_space_4",
        "FusedBatchNormGradV2": "x_backprop scale_backprop offset_backprop reserve_space_3 reserve_space_4",
        "FusedBatchNormGradV3": "x_backprop scale_backprop offset_backprop reserve_space_4 reserve_space_5",
        "BroadcastGradientArgs": "r0 r1",
        "SparseSoftmaxCrossEntropyWithLogits": "loss backprop",
        "SoftmaxCrossEntropyWithLogits": "loss backprop",
        "TopK": "values indices", "TopKV2": "values indices",
        "Unique": "y idx", "UniqueV2": "y idx", "UniqueWithCounts": "y idx count", "ListDiff": "out idx",
        "StatelessRandomGetKeyCounter": "key counter", "StatelessRandomGetKeyCounterAlg": "key counter alg",
        "TensorListPopBack": "output_handle tensor", "TensorListConcatV2": "tensor lengths",
        "MaxPoolWithArgmax": "output argmax", "LogMatrixDeterminant": "sign log_abs_determinant",
        "Qr": "q r", "Svd": "s u v", "SelfAdjointEigV2": "e v", "Eig": "e v", "Lu": "lu p",
        "NonMaxSuppressionV4": "selected_indices valid_outputs",
        "NonMaxSuppressionV5": "selected_indices selected_scores valid_outputs",
        "CombinedNonMaxSuppression": "nmsed_boxes nmsed_scores nmsed_classes valid_detections",
        "Switch": "output_false output_true", "RefSwitch": "output_false output_true", "Merge": "output value_index",
        "LookupTableExportV2": "keys values",
    }.items()
}  # fmt: skip
"""Output arguments of operators that have several, each one tensor. All others have one, of one tensor or a list."""


class _Refers:
    """The nodes of one graph, by name, and how they refer to each other's outputs."""

    def __init__(
        self, nodes: Sequence[Message], arguments: Sequence[str], functions: Mapping[str, Message], source: str
    ):
        self.nodes = {node.get("name", ""): node for node in nodes}
        self.arguments = frozenset(arguments)
        self.functions, self.source = functions, source
        self.places = {name: number for number, name in enumerate(self.nodes)}

    def node(self, name: str, text: str) -> Message:
        """The node of a name."""
        node = self.nodes.get(name)
        if node is None:
            raise malformed(self.source, f"there is no node {name!r}, of which {text!r} is an output", 0)
        return node

    def value(self, text: str) -> tuple[str, int]:
        """The node and the number of its output that a text means; of an argument the number is -1."""
        parts = text.split(":")
        name, number = parts[0], parts[-1] if len(parts) > 1 else "0"
        if len(parts) == 1 and name in self.arguments:
            return name, -1
        if not number.isascii() or not number.isdigit() or len(number) > 6 or len(parts) > 3:
            raise malformed(self.source, f"{text!r} is no output of a node", 0)
        first = 0
        if len(parts) == 3:
            op = self.node(name, text).get("op", "")
            outputs = OUTPUTS.get(op) or self._of_function(op)
            if outputs:
                if parts[1] not in outputs:
                    raise malformed(self.source, f"operator {op} has no output {parts[1]!r}: {text!r}", 0)
                first = outputs.index(parts[1])
        return name, first + int(number)

    def _of_function(self, op: str) -> tuple[str, ...]:
        """Output arguments of a function whose name is an operator."""
        function = self.functions.get(op)
        return () if function is None else tuple(arg.get("name", "") for arg in function["signature"].get("output", ()))

    def needs(self, name: str) -> list[str]:
        """Names of the nodes that must have run before a node."""
        names = (
            text[1:] if text.startswith("^") else text.partition(":")[0] for text in self.nodes[name].get("input", ())
        )
        return [one for one in names if one not in self.arguments]

    def ordered(self, wanted: Sequence[str]) -> list[Message]:
        """The nodes that these need, and they themselves, each behind those that it needs."""
        order: list[Message] = []
        states: dict[str, bool] = {}  # False: what it needs is being gone through
        todo = sorted(dict.fromkeys(wanted), key=lambda name: self.places.get(name, 0), reverse=True)
        while todo:  # not by recursion: graphs are thousands of nodes deep
            name = todo[-1]
            state = states.get(name)
            if state is None:
                self.node(name, name)
                states[name] = False
                todo += [one for one in self.needs(name) if not states.get(one)][::-1]
                continue
            todo.pop()
            if not state:
                missing = [one for one in self.needs(name) if not states.get(one)]
                if missing:
                    raise malformed(self.source, f"the nodes {name!r} and {missing[0]!r} need each other", 0)
                states[name] = True
                order.append(self.nodes[name])
        return order


def graph_of(function: Message, functions: Mapping[str, Message], source: str) -> ForeignGraph:
    """Return a function as a graph; its inputs and outputs have the names of the function's arguments.

    Args:
        function: the message `Function`.
        functions: all of them by name.
        source: the file, for messages.
    """
    signature = function.get("signature", {})
    inputs = [
        _port(arg, _shape_of_argument(function, number, source))
        for number, arg in enumerate(signature.get("input", ()))
    ]
    refers = _Refers(function.get("node", ()), [port.name for port in inputs], functions, source)
    returns = function.get("ret", {})
    results = []
    for arg in signature.get("output", ()):
        if arg.get("name", "") not in returns:
            raise malformed(source, f"the function {signature.get('name')} does not return {arg.get('name')!r}", 0)
        results.append(returns[arg["name"]])
    effects = list(function.get("control_ret", {}).values())
    return _graph(refers, inputs, results, effects, [_port(arg, None) for arg in signature.get("output", ())])


def _graph(
    refers: _Refers, inputs: Sequence[Port], results: Sequence[str], effects: Sequence[str], outputs: Sequence[Port]
) -> ForeignGraph:
    ends = [refers.value(text) for text in results]
    order = refers.ordered([*effects, *(name for name, number in ends if number >= 0)])
    used: dict[str, int] = {}
    for name, number in ends:
        used[name] = max(used.get(name, 0), number)
    for node in order:
        for text in node.get("input", ()):
            if not text.startswith("^"):
                name, number = refers.value(text)
                used[name] = max(used.get(name, 0), number)
    nodes, constants = [], {}
    for message in order:
        op, name = message.get("op", ""), message.get("name", "")
        if op == "NoOp":
            continue  # an order of others, which they have by now
        attributes = _attributes(message, refers.source)
        if op == "Const" and isinstance(attributes.get("value"), numpy.ndarray):
            constants[f"{name}:0"] = attributes["value"]
            continue
        nodes.append(Node(
            op,
            tuple(_name(*refers.value(text)) for text in message.get("input", ()) if not text.startswith("^")),
            tuple(f"{name}:{k}" for k in range(used.get(name, -1) + 1)),
            attributes,
            name,
            after=tuple(text[1:] for text in message.get("input", ()) if text.startswith("^")),
        ))  # fmt: skip
    names = [_name(*end) for end in ends]
    ports = tuple(Port(name, port.dtype, port.shape) for name, port in zip(names, outputs, strict=True))
    return ForeignGraph(tuple(inputs), tuple(nodes), ports, constants)


def _name(node: str, number: int) -> str:
    return node if number < 0 else f"{node}:{number}"


def _port(arg: Message, shape: tuple[int | None, ...] | None) -> Port:
    return Port(arg.get("name", ""), DTYPES.get(arg.get("type", 0)), shape)


def _shape_of_argument(function: Message, number: int, source: str) -> tuple[int | None, ...] | None:
    """The sizes that a function declares for an argument."""
    shapes = function.get("attr", {}).get("_input_shapes", {}).get("list", {}).get("shape", ())
    if number < len(shapes):
        return sizes_of(shapes[number])
    for data in function.get("arg_attr", ()):
        entry = parse(data, "ArgAttrs", SCHEMAS, source)
        if entry.get("key", 0) == number:
            listed = entry.get("value", {}).get("attr", {}).get("_output_shapes", {}).get("list", {}).get("shape", ())
            return sizes_of(listed[0]) if listed else None
    return None


# ----------------------------------------------------------------------------------------------------------- attributes


def _attributes(node: Message, source: str) -> dict[str, Any]:
    """The attributes of a node but those that begin with `_`: notes of TensorFlow's own."""
    attributes = {}
    for data in node.get("attr", ()):
        if data[:1] == b"\x0a" and data[2:3] == b"_":  # the key comes first; not parsed to be passed over
            continue
        entry = parse(data, "NamedAttr", SCHEMAS, source)
        key = entry.get("key", "")
        value = _attribute(entry.get("value", {}), source, f"attribute {key} of node {node.get('name')!r}")
        if value is not None:
            attributes[key] = value
    return attributes


def _attribute(attr: Message, source: str, what: str) -> Any:
    for kind, value in attr.items():
        match kind:
            case "s":
                return _text(value)
            case "type":
                return type_of_number(value)
            case "shape":
                return ShapeAttribute(sizes_of(value))
            case "tensor":
                return array_of(value, source, what)
            case "func":
                return FunctionName(value.get("name", ""))
            case "list":
                return tuple(_attribute({one: item}, source, what) for one, items in value.items() for item in items)
            case _:
                return value
    return None


class ShapeAttribute:
    """A shape that is an attribute; `sizes` is None where the number of axes is not known."""

    def __init__(self, sizes: tuple[int | None, ...] | None) -> None:
        self.sizes = sizes

    def __repr__(self) -> str:
        return "[...]" if self.sizes is None else str(["?" if size is None else size for size in self.sizes])


def _text(data: Any) -> str:
    return bytes(data).decode("utf-8", "replace")


# ------------------------------------------------------------------------------------------------------------- programs


def program_of_functions(
    functions: Mapping[str, Message],
    name: str,
    bound: Sequence[Handle | NDArray[Any]],
    *,
    source: str = "tf.function",
    inputs: Sequence[Port] | None = None,
    outputs: Sequence[str] | None = None,
    weights: Mapping[str, NDArray[Any]] | None = None,
    trained: frozenset[str] = frozenset(),
    metadata: Mapping[str, str] | None = None,
) -> ForeignProgram:
    """Return a function of TensorFlow, with all that it calls, as a program.

    Args:
        functions: messages `Function` by name.
        name: of the function.
        bound: its last arguments, which are not a call's: handles of variables, and constants.
        source: the file, for messages.
        inputs: how callers see the other arguments; as the function has them where None is given.
        outputs: names of the results; the function's own where None is given.
        weights: first values of the variables by the names of their handles; none where callers have them.
        trained: names of the variables that are to be trained.
        metadata: notes.

    Raises:
        LoadError: E601 malformed, E606 operators that are not supported.
    """
    function = function_of(functions, name, source)
    graph = graph_of(function, functions, source)
    own = len(graph.inputs) - len(bound)
    if own < 0:
        raise malformed(source, f"{name} has {len(graph.inputs)} arguments and {len(bound)} of them are bound", 0)
    ports = graph.inputs[:own] if inputs is None else tuple(inputs)
    ends = (
        [arg.get("name", "") for arg in function.get("signature", {}).get("output", ())] if outputs is None else outputs
    )
    if len(ports) != own or len(ends) != len(graph.outputs):
        raise malformed(source, f"{name} has {own} arguments and {len(graph.outputs)} results, a signature names "
                        f"{len(ports)} and {len(ends)}", 0)  # fmt: skip
    _check_types(function, own, name, source)
    nodes, constants = [], {}
    names = [f"bound:{number}" for number in range(len(bound))]
    for value_name, value in zip(names, bound, strict=True):
        if isinstance(value, Handle):
            nodes.append(Node("VarHandleOp", (), (value_name,), {"shared_name": value.name}, value.name))
        else:
            constants[value_name] = value
    call = Node(
        "PartitionedCall", (*(port.name for port in ports), *names), tuple(ends), {"f": FunctionName(name)}, name
    )
    last = (Port(one, port.dtype, port.shape) for port, one in zip(graph.outputs, ends, strict=True))
    whole = ForeignGraph(ports, (*nodes, call), tuple(last), constants)
    called = _called(whole, functions, source)
    program = ForeignProgram(source, TENSORFLOW, whole, called, weights or {}, trained=trained,
                             named=outputs is not None, metadata=metadata or {})  # fmt: skip
    check_program(program)
    return program


def _check_types(function: Message, own: int, name: str, source: str) -> None:
    """Refuse a function that takes or gives what is no array of numbers."""
    signature = function.get("signature", {})
    for word, args in (("takes", signature.get("input", ())[:own]), ("gives", signature.get("output", ()))):
        for arg in args:
            if arg.get("type", 0) not in DTYPES:
                kind = type_of_number(arg.get("type", 0))
                what = f"{source}: {name} {word} {arg.get('name')!r}, which is of type {kind}"
                raise LoadError("E603", what, help="save a function of arrays of numbers")


def function_of(functions: Mapping[str, Message], name: str, source: str) -> Message:
    """Return the function of a name."""
    try:
        return functions[name]
    except KeyError:
        raise LoadError("E601", f"{source} has no function {name!r}") from None


def _called(graph: ForeignGraph, functions: Mapping[str, Message], source: str) -> dict[str, ForeignGraph]:
    """The functions that a graph calls, and those that they call, by name."""
    graphs: dict[str, ForeignGraph] = {}
    waiting = [graph]
    while waiting:
        for node in waiting.pop().nodes:
            for name in (*calls(node), *((node.op,) if node.op in functions else ())):
                if name not in graphs:
                    graphs[name] = graph_of(function_of(functions, name, source), functions, source)
                    waiting.append(graphs[name])
    return graphs
