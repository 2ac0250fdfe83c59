# SPDX-License-Identifier: Apache-2.0
"""Expressions as MXNet's JSON, and back."""

from __future__ import annotations

import inspect
import json
from itertools import accumulate
from typing import Any

from hybridize import nd
from hybridize.array import random
from hybridize.array.functions.normalization import keep
from hybridize.array.operands import operand, result
from hybridize.autograd import is_training
from hybridize.base.errors import CaptureError
from hybridize.base.frozen import changed
from hybridize.base.participation import outside_only
from hybridize.formats.atomic import write_atomically
from hybridize.formats.mxnet.attributes import Attributes, parse_value
from hybridize.formats.mxnet.control_flow import CONTROL, locations
from hybridize.formats.mxnet.execute import ExecutionMode, check_supported, execute
from hybridize.formats.mxnet.lost_roles import with_roles
from hybridize.formats.mxnet.symbol import AUXILIARY, VARIABLE, SymbolGraph, SymbolNode, parse_symbol, read_symbol
from hybridize.symbol.control import COND, FOREACH, WHILE, BodyExpression, ControlFlow
from hybridize.symbol.expression import GROUP, OUTPUT, Expression, group, var
from hybridize.symbol.operators import OPERATORS, outputs_of

VERSION = 10901
_SCALARS = {
    "add": ("_plus_scalar", "_plus_scalar"), "subtract": ("_minus_scalar", "_rminus_scalar"),
    "multiply": ("_mul_scalar", "_mul_scalar"), "divide": ("_div_scalar", "_rdiv_scalar"),
    "true_divide": ("_div_scalar", "_rdiv_scalar"), "power": ("_power_scalar", "_rpower_scalar"),
    "mod": ("_mod_scalar", "_rmod_scalar"), "maximum": ("_maximum_scalar", "_maximum_scalar"),
    "minimum": ("_minimum_scalar", "_minimum_scalar"), "equal": ("_npi_equal_scalar", "_npi_equal_scalar"),
    "not_equal": ("_npi_not_equal_scalar", "_npi_not_equal_scalar"),
    "less": ("_npi_less_scalar", "_npi_greater_scalar"), "greater": ("_npi_greater_scalar", "_npi_less_scalar"),
    "less_equal": ("_npi_less_equal_scalar", "_npi_greater_equal_scalar"),
    "greater_equal": ("_npi_greater_equal_scalar", "_npi_less_equal_scalar"),
}  # fmt: skip
"""MXNet's operators of NumPy's functions on an array and a number, on the right and on the left."""
_ARRAYS = {
    "add": "broadcast_add", "subtract": "broadcast_sub", "multiply": "broadcast_mul", "divide": "broadcast_div",
    "true_divide": "broadcast_div", "power": "broadcast_power", "mod": "broadcast_mod",
    "maximum": "broadcast_maximum", "minimum": "broadcast_minimum", "negative": "negative", "absolute": "abs",
    "exp": "exp", "log": "log", "sqrt": "sqrt", "sin": "sin", "cos": "cos", "tanh": "tanh", "square": "square",
    **{word: f"_npi_{word}" for word in ("equal", "not_equal", "less", "less_equal", "greater", "greater_equal")},
}  # fmt: skip
"""MXNet's operators of NumPy's functions on arrays alone. Other functions of `np` mean something else there."""
_CANONICAL = {
    "batch_flatten": "Flatten", "broadcast_axes": "broadcast_axis", "broadcast_divide": "broadcast_div",
    "broadcast_minus": "broadcast_sub", "broadcast_modulo": "broadcast_mod", "broadcast_multiply": "broadcast_mul",
    "broadcast_plus": "broadcast_add", "broadcast_subtract": "broadcast_sub", "broadcast_true_divide": "broadcast_div",
    "cast": "Cast", "concat": "Concat", "eye": "_eye", "flatten": "Flatten", "flip": "reverse", "full": "_full",
    "identity": "_copy", "linspace": "_linspace", "max_axis": "max", "min_axis": "min", "ones": "_ones", "pad": "Pad",
    "ravel_multi_index": "_ravel_multi_index", "reshape": "Reshape", "shuffle": "_shuffle", "split": "SliceChannel",
    "split_v2": "_split_v2", "stop_gradient": "BlockGrad", "sum_axis": "sum", "swapaxes": "SwapAxis",
    "unravel_index": "_unravel_index", "zeros": "_zeros", "arange": "_arange",
    **{f"linalg_{word}": f"_linalg_{word}" for word in ("det", "gemm", "gemm2", "inverse", "potrf", "slogdet", "syrk")},
    **{f"random_{word}": f"_random_{word}" for word in ("exponential", "gamma", "normal", "poisson", "uniform")},
}  # fmt: skip
"""The names that operators have in files, where functions have others. MXNet knows the latter as well."""


def to_json(expression: Expression) -> str:
    """Return MXNet's JSON of an expression.

    Raises:
        CaptureError E450: a call has no counterpart there.
    """
    return json.dumps({**_tree(expression), "attrs": {"mxnet_version": ["int", VERSION]}}, indent=2)


def _tree(expression: Expression) -> dict[str, Any]:
    """The nodes and heads of an expression, or of a body."""
    nodes: list[dict[str, Any]] = []
    numbers: dict[int, int] = {}
    parts = [part for part in expression._in_order() if part.word not in (GROUP, OUTPUT)]
    for part in parts:
        numbers[id(part)] = len(nodes)
        nodes.append(_variable(part) if part.function is None else _call(part, numbers))
    members = expression.args if expression.word == GROUP else [expression]
    heads = [entry for member in members for entry in _entries(member, numbers)]
    return {
        "nodes": nodes,
        "arg_nodes": [number for number, node in enumerate(nodes) if node["op"] == VARIABLE],
        "node_row_ptr": list(accumulate((part.outputs for part in parts), initial=0)),
        "heads": heads,
    }


def _entries(part: Expression, numbers: dict[int, int]) -> list[list[int]]:
    if part.word == OUTPUT:
        return [[numbers[id(part.args[0])], part.args[1], 0]]
    return [[numbers[id(part)], output, 0] for output in range(part.outputs)]


def _variable(part: Expression) -> dict[str, Any]:
    hidden = dict(part.attributes)
    if part.shape_hint is not None:
        hidden["__shape__"] = str(part.shape_hint)
    return {"op": VARIABLE, "name": part.name, **({"attrs": hidden} if hidden else {}), "inputs": []}


def _call(part: Expression, numbers: dict[int, int]) -> dict[str, Any]:
    more: dict[str, Any] = {}
    if isinstance(part.function, ControlFlow):
        word, attributes, arrays = part.word, _control_attributes(part.function, len(part.args)), list(part.args)
        more = {"subgraphs": [_body(body, part) for body in part.function.bodies]}
    elif isinstance(part.function, FileOperator):
        word, attributes, arrays = part.function.op, dict(part.function.attributes), list(part.args)
    else:
        word, attributes, arrays = _described(part)
    inputs = [_entries(one, numbers)[0] for one in arrays]
    attributes = dict(sorted((attributes | part.attributes).items()))
    return {"op": word, "name": part.name, **({"attrs": attributes} if attributes else {}), "inputs": inputs, **more}


def _control_attributes(function: ControlFlow, inputs: int) -> dict[str, str]:
    """The attributes of a loop or branch: all but those that only other operators have, as texts."""
    given = {name: str(value) for name, value in function.given.items() if not name.startswith("__")}
    return given | {"num_args": str(inputs + len(function.bodies))}


def _body(body: BodyExpression, part: Expression) -> dict[str, Any]:
    tree = _tree(body.results)
    if body.inputs != tuple(tree["nodes"][number]["name"] for number in tree["arg_nodes"]):
        what = (
            f"a body of {part.name} has inputs that it does not use, or in another order than MXNet's files have them"
        )
        raise CaptureError("E450", what, help="load it by gluon.SymbolBlock")
    return tree


def _described(part: Expression) -> tuple[str, dict[str, str], list[Expression]]:
    """MXNet's operator of a call, its attributes and its arrays."""
    word, args, kwargs = part.word, list(part.args), dict(part.kwargs)
    if word in _SCALARS and len(args) == 2 and any(isinstance(one, (int, float)) for one in args):
        left = isinstance(args[0], (int, float))
        number, array = (args[0], args[1]) if left else (args[1], args[0])
        return _SCALARS[word][left], {"scalar": str(number)}, [array]
    legacy = part.function is getattr(nd, word, None)
    if word in _ARRAYS and not legacy and not kwargs and all(isinstance(one, Expression) for one in args):
        return _ARRAYS[word], {}, args
    if not legacy:
        what = f"{word} has no counterpart in MXNet's files"
        raise CaptureError("E450", what, help="write it by functions of sym: sym.sum(x) for np.sum(x)")
    arrays: list[Expression] = []
    attributes: dict[str, str] = {}
    named = word not in OPERATORS
    values = _named(part, args, kwargs) if named else {str(number): one for number, one in enumerate(args)} | kwargs
    for name, value in values.items():
        several = value if isinstance(value, (tuple, list)) else [value]
        if several and all(isinstance(one, Expression) for one in several):
            arrays += several
        elif any(isinstance(one, Expression) or hasattr(one, "shape") for one in several):
            what = f"{word} is applied to arrays that are no variables, which MXNet's files have no place for"
            raise CaptureError("E450", what, help="make them variables: sym.var(name)")
        elif value is not None:
            attributes[name] = str(value)
    if word in ("concat", "stack", "Concat", "add_n"):
        attributes["num_args"] = str(len(arrays))
    return _CANONICAL.get(word, word), attributes, arrays


def _named(part: Expression, args: list[Any], kwargs: dict[str, Any]) -> dict[str, Any]:
    """The arguments of a call by their names, those of `*args` and `**kwargs` among them."""
    assert part.function is not None
    bound = inspect.signature(part.function).bind(*args, **kwargs).arguments
    found: dict[str, Any] = {}
    for name, value in bound.items():
        found |= value if isinstance(value, dict) else {name: value}
    return found


@outside_only("writes a file")
def save(expression: Expression, fname: Any, remove_amp_cast: bool = True) -> None:
    """Write MXNet's JSON of an expression to a file; an existing one is replaced when the new one is whole."""
    write_atomically(fname, [to_json(expression).encode()])


class FileOperator:
    """An operator of a file, as a function of arrays."""

    def __init__(self, node: SymbolNode, graph: SymbolGraph, outputs: int) -> None:
        self.op, self.attributes = node.op, node.attributes
        self.given = {key: _value(text) for key, text in node.attributes.items()}
        names = [f"x{number}" for number in range(len(node.inputs))]
        variables = tuple(SymbolNode(VARIABLE, name) for name in names)
        call = changed(node, inputs=tuple((number, 0) for number in range(len(names))))
        heads = tuple((len(names), output) for output in range(outputs))
        self._graph = SymbolGraph((*variables, call), heads, graph.attributes, graph.source)
        self._names = names

    def __call__(self, *arrays: Any) -> Any:
        """Apply it."""

        def told(name: str, found: Any, momentum: float) -> None:
            keep(arrays[self._names.index(name)], result(found), momentum)

        feeds = {name: operand(x) for name, x in zip(self._names, arrays, strict=True)}
        found = [result(x) for x in execute(self._graph, feeds, ExecutionMode(is_training(), random.key, told))]
        return found[0] if len(found) == 1 else found


def of_graph(graph: SymbolGraph) -> Expression:
    """Return the expression that a graph of a file is."""
    graph = with_roles(graph)
    check_supported(graph)
    return _of_nodes(graph)


def _of_nodes(graph: SymbolGraph) -> Expression:
    made: list[Expression] = []
    variables: dict[str, Expression] = {}
    for node in graph.nodes:
        if node.op == VARIABLE:  # bodies in files of MXNet 2 have some twice
            made.append(variables.setdefault(node.name, _read_variable(node)))
            continue
        if node.op in CONTROL:
            made.append(_read_control(node, graph, [made[source]._chosen(output) for source, output in node.inputs]))
            continue
        attributes = {key: _value(text) for key, text in node.attributes.items()}
        args = [made[source]._chosen(output) for source, output in node.inputs]
        count = max(outputs_of(node.op, attributes, len(args)), 1 + max(_read(graph, len(made)), default=0))
        call = Expression(node.op, FileOperator(node, graph, count), args, {}, name=node.name, outputs=count)
        call.name = node.name
        call.attributes = {key: text for key, text in node.attributes.items() if key.startswith("__")}
        for position in AUXILIARY.get(node.op, ()):
            if position < len(args) and args[position].function is None:
                args[position].auxiliary = True
        made.append(call)
    heads = [made[node]._chosen(output) for node, output in graph.heads]
    whole = len(heads) == 1 or (
        len({node for node, _ in graph.heads}) == 1 and len(heads) == made[graph.heads[0][0]].outputs
    )
    return (heads[0] if len(heads) == 1 else made[graph.heads[0][0]]) if whole else group(heads)


def _read_control(node: SymbolNode, graph: SymbolGraph, inputs: list[Expression]) -> Expression:
    """A loop or a branch, whose bodies are expressions.

    Raises:
        LoadError E603: its attributes do not fit its inputs or its bodies.
    """
    bodies = []
    for one in node.subgraphs:
        whole = _of_nodes(one.graph)
        bodies.append(
            BodyExpression(whole if whole.word == GROUP else group([whole]), tuple(dict.fromkeys(one.inputs)))
        )
    given = _given(Attributes(node.op, node.name, node.attributes, graph.source), bodies, len(inputs))
    call = Expression(
        node.op, ControlFlow(node.op, bodies, given), inputs, name=node.name, outputs=given["num_outputs"]
    )
    call.name = node.name
    call.attributes = {key: text for key, text in node.attributes.items() if key.startswith("__")}
    return call


def _given(a: Attributes, bodies: list[BodyExpression], inputs: int) -> dict[str, Any]:
    """The attributes of a loop or branch, checked against its bodies and its number of inputs."""
    results = [body.results.outputs for body in bodies]
    given: dict[str, Any] = {"num_outputs": a.integer("num_outputs", results[-1])}
    if a.op == FOREACH:
        own = len(bodies[0].inputs)
        given |= {f"{word}_locs": locations(a, f"{word}_locs", own) for word in ("in_data", "in_state", "remain")}
        places = [place for name, several in given.items() if name != "num_outputs" for place in several]
        if not given["in_data_locs"] or sorted(places) != list(range(own)) or own != inputs:
            a.fail(f"its body takes {own} inputs; the node has {inputs}, and tells the places of {len(places)}")
    else:
        for word, body in zip(("cond", "func") if a.op == WHILE else ("cond", "then", "else"), bodies, strict=True):
            given[f"{word}_input_locs"] = locations(a, f"{word}_input_locs", inputs)
            if len(given[f"{word}_input_locs"]) != len(body.inputs):
                a.fail(f"its graph {word} takes {len(body.inputs)} inputs, {word}_input_locs has another number")
        if results[0] != 1 or len({*results[1:], given["num_outputs"]}) != 1:
            a.fail(f"its graphs have {results} results, and the node {given['num_outputs']}")
    if a.op != COND:
        given["num_out_data"] = a.integer("num_out_data", 0)
        if a.op == WHILE:
            given["func_var_locs"] = locations(a, "func_var_locs", len(bodies[1].inputs))
            given["max_iterations"] = a.integer("max_iterations", 0)
        states = given["in_state_locs" if a.op == FOREACH else "func_var_locs"]
        if not results[-1] == given["num_outputs"] == given["num_out_data"] + len(states):
            a.fail(f"it has {len(states)} states and {given['num_out_data']} outputs, its body {results[-1]} results")
    return given


def _read(graph: SymbolGraph, number: int) -> list[int]:
    """The outputs of a node that are read."""
    entries = [entry for node in graph.nodes for entry in node.inputs] + list(graph.heads)
    return [output for source, output in entries if source == number]


def _read_variable(node: SymbolNode) -> Expression:
    made = var(node.name, attr=dict(node.attributes))
    shape = node.attributes.get("__shape__")
    found = _value(shape) if shape else None
    if isinstance(found, tuple) and all(isinstance(size, int) for size in found):
        made.shape_hint = tuple(max(size, 0) for size in found)
        made.attributes.pop("__shape__")
    return made


def _value(text: str) -> Any:
    try:
        return parse_value(text)
    except (ValueError, TypeError):
        return text


@outside_only("reads a file")
def load(fname: Any) -> Expression:
    """Read an expression from a file of MXNet's JSON.

    Raises:
        LoadError: it is malformed, or has operators that are not supported.
    """
    return of_graph(read_symbol(fname))


def load_json(json_str: str) -> Expression:
    """Read an expression from MXNet's JSON."""
    return of_graph(parse_symbol(json_str))
