# SPDX-License-Identifier: Apache-2.0
"""`TracedGraph`: what TensorFlow traces of an object for one kind of call, as a graph of ours.

TensorFlow traces it as it does for `tf.function`; the functions of its graph are walked, as those of a SavedModel are.
Variables are inputs of the graph behind the tensors, and those that a call assigns outputs behind the results.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import tensorflow as tf
from numpy.typing import NDArray

from hybridize.base.dims import is_symbolic
from hybridize.base.errors import CaptureError, HybridizeError
from hybridize.base.frozen import changed, frozen
from hybridize.base.loading import LOADING
from hybridize.base.locations import SourceLoc, is_users
from hybridize.base.nested import Structure, flatten
from hybridize.base.types import TensorType
from hybridize.formats.foreign.program import ForeignGraph, ForeignProgram
from hybridize.graph import Graph
from hybridize.tensorflow.internals import functions_of
from hybridize.tensorflow.memory import as_array, dtype_of
from hybridize.tensorflow.rules import with_rules

with LOADING:
    from hybridize.formats.tensorflow.draws import GENERATOR
    from hybridize.formats.tensorflow.functional import functional
    from hybridize.formats.tensorflow.graphdef import program_of_functions
    from hybridize.formats.tensorflow.messages import SCHEMAS
    from hybridize.formats.tensorflow.vocabulary import Handle
    from hybridize.formats.wire import parse


@frozen(eq=False)
class TracedGraph:
    """A graph of what an object computes for calls of one kind."""

    graph: Graph
    """Inputs: the tensors of a call, in order, then `variables`. Outputs: the tensors of the result, then the new
    values of `written`."""
    variables: tuple[Any, ...]
    """Variables of TensorFlow that calls read."""
    names: tuple[str, ...]
    """Their names, each once."""
    written: tuple[Any, ...]
    """Variables that calls assign."""
    written_names: tuple[str, ...]
    structure: Structure
    """Of the result, whose leaves are outputs in this order."""
    sensitive: tuple[Any, ...]
    """Variables that are to be trained: tapes watch them."""
    original: Callable[..., Any]
    """Computes the same in TensorFlow, of the tensors alone."""
    is_differentiable: bool = True
    """False if it has gradients that somebody wrote, and that are no functions of tensors: they are TensorFlow's."""

    @property
    def results(self) -> int:
        """The number of outputs that are tensors of the result."""
        return len(self.graph.outputs) - len(self.written)


def trace(
    target: Callable[..., Any], arguments: Callable[[Sequence[Any]], tuple[Any, Any]], kinds: Mapping[str, TensorType],
    name: str, generator: Callable[[], Any], freeze: bool = False,
) -> TracedGraph:  # fmt: skip
    """Trace an object for calls of one kind.

    Args:
        target: the object.
        arguments: makes the arguments of a call, positional ones and keywords, of its tensors.
        kinds: the types of those by their names; sizes that are dims are open.
        name: of the object, for messages.
        generator: gives the variable of the random numbers that have no seed.
        freeze: values of variables that calls do not assign are constants.

    Raises:
        CaptureError E420: an operator that is not supported, at the user's line.
        HybridizeError: what rows refuse, at the user's line.
    """

    def call(*tensors: Any) -> Any:
        args, kwargs = arguments(tensors)
        return target(*args, **kwargs)

    specs = [
        tf.TensorSpec([None if is_symbolic(size) else size for size in kind.shape], tf.as_dtype(kind.dtype))
        for kind in kinds.values()
    ]
    concrete = tf.function(call).get_concrete_function(*specs)
    return _walked(concrete, generator, kinds, name, freeze, call)


def _walked(
    concrete: Any,
    generator: Callable[[], Any],
    kinds: Mapping[str, TensorType],
    name: str,
    freeze: bool,
    original: Callable[..., Any],
) -> TracedGraph:
    root = concrete.function_def.signature.name
    library = (*concrete.graph.as_graph_def().library.function, concrete.function_def)
    definitions = {one.signature.name: one for one in library}
    bound, variables = _bound(concrete, name)
    lines = _Lines(concrete.graph, root)
    with_their_rules, differentiable = with_rules(definitions, lines.graphs)
    try:
        program = program_of_functions(_parsed(with_their_rules, name), root, bound, source=name)
    except HybridizeError as error:
        if error.code != "E606":
            raise
        functions, differentiable = _parsed(definitions, name), False
        try:
            program = program_of_functions(functions, root, bound, source=name)
        except HybridizeError as error:
            raise _unsupported(error, functions, lines) from None
    types = {one: _type_of(variable) for one, variable in variables.items()}
    constants = {one: as_array(v.read_value()).copy() for one, v in variables.items()} if freeze else {}
    graph, names, written = functional(lines.put_into(program), kinds, types, constants)
    if GENERATOR in written:
        variables[GENERATOR] = generator()
    structure, leaves = _result(concrete, name)
    outputs = (*(graph.outputs[k] for k in leaves), *graph.outputs[len(graph.outputs) - len(written) :])
    return TracedGraph(
        Graph(graph.inputs, graph.nodes, outputs, graph.constants), tuple(variables[one] for one in names), names,
        tuple(variables[one] for one in written), written, structure,
        tuple(one for one in variables.values() if one.trainable), original, differentiable,
    )  # fmt: skip


def _parsed(definitions: Mapping[str, Any], name: str) -> dict[str, Any]:
    return {key: parse(one.SerializeToString(), "Function", SCHEMAS, name) for key, one in definitions.items()}


def _bound(concrete: Any, name: str) -> tuple[list[Handle | NDArray[Any]], dict[str, Any]]:
    """The last arguments of a function, and the variables by the names of their handles."""
    known = {id(variable.handle): variable for variable in concrete.graph.variables}
    bound: list[Handle | NDArray[Any]] = []
    variables: dict[str, Any] = {}
    names: dict[int, str] = {}
    for outside, _ in concrete.graph.captures:
        if outside.dtype not in (tf.resource, tf.variant):
            bound.append(as_array(outside))
            continue
        variable = known.get(id(outside))
        if variable is None:
            raise CaptureError(
                "E420", f"{name} uses a resource that is no variable (a table, a queue, an iterator): {outside!r}",
                help="call it outside, and pass tensors",
            )  # fmt: skip
        if id(outside) not in names:
            names[id(outside)] = _unique(variable.name.removesuffix(":0"), variables)
            variables[names[id(outside)]] = variable
        bound.append(Handle(names[id(outside)]))
    return bound, variables


def _type_of(variable: Any) -> TensorType:
    if not variable.shape.is_fully_defined():
        text = f"the variable {variable.name} may hold tensors of several sizes"
        raise CaptureError("E420", text, help="make it of one shape")
    return TensorType(tuple(variable.shape), dtype_of(variable.dtype))


def _unique(name: str, others: Mapping[str, Any]) -> str:
    number, result = 1, name
    while result in others:
        result, number = f"{name}_{number}", number + 1
    return result


def _result(concrete: Any, name: str) -> tuple[Structure, tuple[int, ...]]:
    """The structure of a result, and for each of its leaves the number of the output."""
    structured = concrete.structured_outputs
    leaves = tf.nest.flatten(structured, expand_composites=False)
    odd = [one for one in leaves if one is not None and not isinstance(one, tf.Tensor)]
    if odd:
        raise CaptureError(
            "E420", f"{name} returns a {type(odd[0]).__name__}, which no program makes", help="return tensors",
        )  # fmt: skip
    numbers = iter(range(len(leaves)))
    packed = tf.nest.pack_sequence_as(structured, [None if one is None else next(numbers) for one in leaves])
    order, structure = flatten(plain(packed))
    return structure, tuple(order)


def plain(value: Any) -> Any:
    """Containers as Python's own: TensorFlow wraps those that objects keep."""
    if isinstance(value, Mapping):
        return {key: plain(one) for key, one in value.items()}
    if isinstance(value, tuple):
        items = [plain(one) for one in value]
        return type(value)(*items) if hasattr(value, "_fields") else tuple(items)
    return [plain(one) for one in value] if isinstance(value, list) else value


# ---------------------------------------------------------------------------------------------------------------- lines


class _Lines:
    """The user's lines of nodes, by the functions that they are of.

    Args:
        graph: TensorFlow's graph of the function.
        root: the name of the function.
    """

    def __init__(self, graph: Any, root: str) -> None:
        self.graphs = {root: graph, **functions_of(graph)}

    def line(self, function: str, node: str) -> SourceLoc | None:
        """The line of a node; None where TensorFlow does not tell."""
        graph = self.graphs.get(function)
        if graph is None:
            return None
        try:
            frames = graph.get_operation_by_name(node).traceback or ()  # none of what was loaded
        except (KeyError, ValueError):
            return None
        for frame in reversed(list(frames)):
            if is_users(frame.filename):
                return SourceLoc(frame.filename, frame.lineno, frame.name)
        return None

    def put_into(self, program: ForeignProgram) -> ForeignProgram:
        """The program with lines at its nodes."""
        functions = {name: self._marked(name, graph) for name, graph in program.functions.items()}
        return changed(program, functions=functions)

    def _marked(self, function: str, graph: ForeignGraph) -> ForeignGraph:
        if function not in self.graphs:
            return graph
        return changed(graph, nodes=tuple(changed(node, loc=self.line(function, node.name)) for node in graph.nodes))


def _unsupported(error: HybridizeError, functions: Mapping[str, Any], lines: _Lines) -> CaptureError:
    """The refusal of a program with operators that have no row, at the line of the first of them."""
    match = re.search("operator ([^ ,]+), node '([^']*)'", error.what)
    places = [
        lines.line(name, match[2])
        for name, function in functions.items()
        for node in function.get("node", ())
        if match is not None and (node.get("op"), node.get("name")) == (match[1], match[2])
    ]
    return CaptureError("E420", error.what, loc=next((one for one in places if one is not None), None), help=error.help)
