# SPDX-License-Identifier: Apache-2.0
"""Expressions as MXNet's JSON, and back."""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from hybridize import ndarray as nd
from hybridize.array import legacy
from hybridize.base.errors import CaptureError, LoadError
from hybridize.base.nested import listed
from hybridize.base.participation import outside_only
from hybridize.formats.atomic import write_atomically
from hybridize.formats.mxnet import symbol
from hybridize.formats.mxnet.attributes import Attributes, parse_value
from hybridize.formats.mxnet.lost_roles import with_roles
from hybridize.formats.mxnet.words import PAIRS, SYNONYMS, Words
from hybridize.symbol.control import BODIES, COND, FOREACH, WHILE, BodyExpression, ControlFlow
from hybridize.symbol.expression import GROUP, OUTPUT, Expression, group, var
from hybridize.symbol.file_operators import ARRAYS, GROUPS, FileOperator, parameters_of
from hybridize.symbol.operators import OPERATORS, Shaping, outputs_of

_ROUNDS = 1 << 31
"""MXNet counts rounds by 32 bits."""
_WORDS = PAIRS | {name: PAIRS[word] for name, word in SYNONYMS.items()}
_MIRRORED = {"less": "greater", "less_equal": "greater_equal", "greater": "less", "greater_equal": "less_equal"}
_NUMPY = {name: _WORDS[name] for name in (
    "add", "subtract", "multiply", "divide", "true_divide", "power", "mod", "maximum", "minimum",
)} | {word: Words(
    f"_npi_{word}", f"_npi_{word}", f"_npi_{word}_scalar", f"_npi_{_MIRRORED.get(word, word)}_scalar"
) for word in ("equal", "not_equal", *_MIRRORED)}  # fmt: skip
"""MXNet's operators of NumPy's functions on two operands; comparisons give bools."""
_UNARY = {
    "absolute": "abs", **{word: word for word in ("negative", "exp", "log", "sqrt", "sin", "cos", "tanh", "square")}
}  # fmt: skip
"""MXNet's operators of NumPy's functions on one array. Other functions of `np` mean something else there."""
_CANONICAL = {
    **{f"{start}{name}": words.broadcast for start in ("", "broadcast_") for name, words in _WORDS.items()},
    **{f"elemwise_{name}": words.equal for name, words in _WORDS.items()},
    "batch_flatten": "Flatten", "broadcast_axes": "broadcast_axis",
    "cast": "Cast", "concat": "Concat", "eye": "_eye", "flatten": "Flatten", "flip": "reverse", "full": "_full",
    "identity": "_copy", "linspace": "_linspace", "max_axis": "max", "min_axis": "min", "ones": "_ones", "pad": "Pad",
    "ravel_multi_index": "_ravel_multi_index", "reshape": "Reshape", "shuffle": "_shuffle", "split": "SliceChannel",
    "split_v2": "_split_v2", "stop_gradient": "BlockGrad", "sum_axis": "sum", "swapaxes": "SwapAxis",
    "unravel_index": "_unravel_index", "zeros": "_zeros", "arange": "_arange",
    **{f"linalg_{word}": f"_linalg_{word}" for word in ("det", "gemm", "gemm2", "inverse", "potrf", "slogdet", "syrk")},
    **{f"random_{word}": f"_random_{word}" for word in ("exponential", "gamma", "normal", "poisson", "uniform")},
}  # fmt: skip
"""The names that operators have in files, where functions have others. MXNet knows the latter as well."""


def to_json(expression: Expression, remove_amp_cast: bool = True) -> str:
    """Return MXNet's JSON of the expression.

    Raises:
        CaptureError E468: a call has no counterpart there.

    >>> sym.var("a").tojson()[:1]
    '{'
    """
    return json.dumps({**_tree(expression), "attrs": {"mxnet_version": ["int", symbol.VERSION]}}, indent=2)


def _tree(expression: Expression) -> dict[str, Any]:
    """The nodes and heads of an expression, or of a body."""
    nodes: list[dict[str, Any]] = []
    outputs: list[int] = []
    entries: dict[int, list[symbol.Entry]] = {}
    spelled: dict[int, list[Expression]] = {}
    waiting = list(reversed(expression._in_order()))
    while waiting:
        part = waiting.pop()
        if part.word == GROUP or id(part) in entries:
            continue
        if part.word == OUTPUT:
            entries[id(part)] = [entries[id(part.args[0])][part.args[1]]]
        elif id(part) in spelled:
            entries[id(part)] = [entries[id(result)][0] for result in spelled[id(part)]]
        elif results := _spelled(part):
            spelled[id(part)] = results
            waiting += [part, *reversed([one for result in results for one in result._in_order()])]
        else:
            entries[id(part)] = [(len(nodes), output) for output in range(part.outputs)]
            nodes.append(_variable(part) if part.function is None else _call(part, entries))
            outputs.append(part.outputs)
    members = expression.args if expression.word == GROUP else [expression]
    heads = [entry for member in members for entry in entries[id(member)]]
    return symbol.laid_out(nodes, outputs, heads)


def _spelled(part: Expression) -> list[Expression]:
    """The results of a layer, or of a function of `np` or `npx` that `nd` has, by functions of `nd`; [] of others."""
    if isinstance(part.function, Shaping):
        results = part.function.spelled(part.args, part.name)
        if results is None:
            what = f"{part.name} is the layer {part.word}, which becomes operators of MXNet's files only with shapes"
            raise CaptureError("E468", what, help="hybridize the net, call it once, and net.export(path)")
        return results
    if part.function is None or isinstance(part.function, (ControlFlow, FileOperator)) or _operator(part):
        return []
    word, args, kwargs = legacy.shared().get(part.word, ""), list(part.args), dict(part.kwargs)
    if part.word == "concatenate" and not kwargs.keys() - {"axis"}:
        word, kwargs = "concat", {"dim": kwargs.get("axis", args[1] if len(args) > 1 else 0)}
        args = listed(args[0])
    if not word:
        return []
    if word in OPERATORS:
        values = inspect.signature(getattr(nd, word)).bind(*args, **kwargs).arguments
        args = [one for one in values.values() if isinstance(one, Expression)]
        kwargs = {name: one for name, one in values.items() if not isinstance(one, Expression) and one is not None}
    return [Expression(word, getattr(nd, word), args, kwargs, name=part.name, outputs=part.outputs)]


def _variable(part: Expression) -> dict[str, Any]:
    hidden = dict(part.attributes)
    if part.shape_hint is not None:
        hidden["__shape__"] = str(part.shape_hint)
    return symbol.tree_of(symbol.VARIABLE, part.name, (), hidden)


def _call(part: Expression, entries: dict[int, list[symbol.Entry]]) -> dict[str, Any]:
    more: dict[str, Any] = {}
    if isinstance(part.function, ControlFlow):
        word, arrays, bodies = part.word, list(part.args), part.function.bodies
        attributes = part.function.attributes | {"num_args": len(arrays) + len(bodies)}
        more = {"subgraphs": [_body(body, part) for body in bodies]}
    elif isinstance(part.function, FileOperator):
        word, attributes, arrays = part.function.op, dict(part.function.attributes), list(part.args)
    else:
        word, attributes, arrays = _described(part)
    inputs = [entries[id(one)][0] for one in arrays]
    return symbol.tree_of(word, part.name, inputs, attributes | part.attributes, **more)


def _body(body: BodyExpression, part: Expression) -> dict[str, Any]:
    tree = _tree(body.results)
    if body.inputs != tuple(tree["nodes"][number]["name"] for number in tree["arg_nodes"]):
        what = f"a body of {part.name} has unused inputs, or has them in another order than MXNet's files"
        raise CaptureError("E468", what, help="load it with gluon.SymbolBlock")
    return tree


def _described(part: Expression) -> tuple[str, dict[str, str], list[Expression]]:
    """MXNet's operator of a call, its attributes and its arrays."""
    word, args, kwargs = part.word, list(part.args), dict(part.kwargs)
    operator = _operator(part)
    numbers = [isinstance(one, (int, float)) for one in args]
    if len(args) == 2 and any(numbers) and not kwargs:
        pair = PAIRS.get(operator.removeprefix("broadcast_")) if operator else _NUMPY.get(word)
        if pair is not None:
            name = pair.reverse if numbers[0] else pair.scalar
            return name, {"scalar": str(args[not numbers[0]])}, [args[numbers[0]]]
    if operator is None and not kwargs and all(isinstance(one, Expression) for one in args):
        name_of_arrays = _NUMPY[word].broadcast if word in _NUMPY else _UNARY.get(word)
        if name_of_arrays is not None:
            return name_of_arrays, {}, args
    if operator is None:
        what = f"{word} has no counterpart in MXNet's files"
        raise CaptureError("E468", what, help="use functions of sym: sym.sum(x) for np.sum(x)")
    arrays: list[Expression] = []
    attributes: dict[str, str] = {}
    named = word not in OPERATORS
    values = _arguments(part, args, kwargs) if named else {str(number): one for number, one in enumerate(args)} | kwargs
    for name, value in values.items():
        several = listed(value)
        if several and all(isinstance(one, Expression) for one in several):
            arrays += several
        elif any(isinstance(one, Expression) or hasattr(one, "shape") for one in several):
            what = f"{word} is applied to arrays that are no variables, which MXNet's files have no place for"
            raise CaptureError("E468", what, help="replace them by variables: sym.var(name)")
        elif value is not None or (named and _defaults(part).get(name, value) is not None):
            attributes[name] = str(value)
    if word in ("concat", "stack", "Concat", "add_n"):
        attributes["num_args"] = str(len(arrays))
    return operator, _SPELLED.get(operator, dict)(attributes), arrays


def _split_of(attributes: dict[str, str]) -> dict[str, str]:
    """The attributes of `_split_v2`: its indices begin with 0."""
    cuts = parse_value(attributes.pop("indices_or_sections"))
    where = {"sections": str(cuts)} if isinstance(cuts, int) else {"indices": str((0, *cuts))}
    return {"axis": "0", **attributes, **where}


_SPELLED: dict[str, Callable[[dict[str, str]], dict[str, str]]] = {
    "_split_v2": _split_of,
    "_full": lambda attributes: {"value" if name == "val" else name: text for name, text in attributes.items()},
}
"""Attributes of operators by the names that MXNet's files have."""


def _defaults(part: Expression) -> dict[str, Any]:
    """The defaults of a function's parameters that have one."""
    assert part.function is not None
    parameters = inspect.signature(part.function).parameters.values()
    return {one.name: one.default for one in parameters if one.name not in ARRAYS}


def _operator(part: Expression) -> str | None:
    """Return the name of the operator that a function of `nd` or of its groups is; None of another one."""
    word = part.word
    if part.function is getattr(nd, word, None):
        return _CANONICAL.get(word, word)
    groups = {start: group() for start, group in GROUPS.items()} | {"": nd._internal}
    return next((start + word for start, group in groups.items() if part.function is vars(group).get(word)), None)


def _arguments(part: Expression, args: list[Any], kwargs: dict[str, Any]) -> dict[str, Any]:
    """The arguments of a call by their names, those of `*args` and `**kwargs` among them."""
    assert part.function is not None
    bound = inspect.signature(part.function).bind(*args, **kwargs).arguments
    values: dict[str, Any] = {}
    for name, value in bound.items():
        values |= value if isinstance(value, dict) else {name: value}
    return values


@outside_only("writes a file")
def save(expression: Expression, fname: Any, remove_amp_cast: bool = True) -> None:
    """Write MXNet's JSON of the expression to a file.

    >>> import os, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "x-symbol.json")
    >>> (sym.var("a") + 1).save(path)
    >>> os.path.exists(path)
    True
    """
    write_atomically(fname, [to_json(expression).encode()])


def of_graph(graph: symbol.SymbolGraph) -> Expression:
    """Return the expression that a graph of a file is.

    Raises:
        LoadError E606: an operator is not supported; E603: its attributes or its inputs are not what it takes.
    """
    graph = with_roles(graph)
    _check_operators(graph, graph.source)
    return _of_nodes(graph, graph.source)


def _check_operators(graph: symbol.SymbolGraph, source: str) -> None:
    """Refuse a graph that has operators of which there is nothing here, naming all of them."""
    for node in graph.nodes:
        for one in node.subgraphs:
            _check_operators(one.graph, source)
    missing = [
        node for node in graph.nodes if node.op not in (symbol.VARIABLE, *BODIES) and parameters_of(node.op) is None
    ]
    if missing:
        names = ", ".join(sorted({node.op for node in missing}))
        what = f"{source}: operator {missing[0].op}, node {missing[0].name!r}, is not supported yet"
        raise LoadError("E606", what, help=f"the graph needs {names}")


def _of_nodes(graph: symbol.SymbolGraph, source: str) -> Expression:
    expressions: list[Expression] = []
    variables: dict[str, Expression] = {}
    read = _last_outputs(graph)
    for number, node in enumerate(graph.nodes):
        if node.op == symbol.VARIABLE:  # bodies in files of MXNet 2 have some twice
            expressions.append(variables.setdefault(node.name, _read_variable(node)))
            continue
        args = [_result(expressions[entry], output, source) for entry, output in node.inputs]
        if node.op in BODIES:
            call = _read_control(node, source, args)
        else:
            function = FileOperator(node, source, graph.np_shape)
            count = max(outputs_of(node.op, function.keywords), 1 + read[number])
            call = Expression(node.op, function, args, {}, name=node.name, outputs=count)
        call.name, call.loc = node.name, None  # errors are at the line that computes it
        call.attributes = {key: text for key, text in node.attributes.items() if key.startswith("__")}
        for position in symbol.AUXILIARY.get(node.op, ()):
            if position < len(args) and args[position].function is None:
                args[position].auxiliary = True
        expressions.append(call)
    heads = [_result(expressions[node], output, source) for node, output in graph.heads]
    whole = len(heads) == 1 or (
        len({node for node, _ in graph.heads}) == 1 and len(heads) == expressions[graph.heads[0][0]].outputs
    )
    return (heads[0] if len(heads) == 1 else expressions[graph.heads[0][0]]) if whole else group(heads)


def _result(call: Expression, output: int, source: str) -> Expression:
    """Return one result of a node."""
    if output >= call.outputs:
        raise LoadError("E603", f"{source}: output {output} of node {call.name!r} is not supported")
    expression: Expression = call._chosen(output)
    return expression


def _read_control(node: symbol.SymbolNode, source: str, inputs: list[Expression]) -> Expression:
    """A loop or a branch, whose bodies are expressions.

    Raises:
        LoadError E603: its attributes do not fit its inputs or its bodies.
    """
    bodies = []
    if len(node.subgraphs) != len(BODIES[node.op]):
        raise LoadError("E603", f"{source}: operator {node.op}, node {node.name!r}, has {len(node.subgraphs)} graphs")
    for one in node.subgraphs:
        whole = _of_nodes(one.graph, source)
        bodies.append(
            BodyExpression(whole if whole.word == GROUP else group([whole]), tuple(dict.fromkeys(one.inputs)))
        )
    attributes = _attributes(Attributes(node.op, node.name, node.attributes, source), bodies, len(inputs))
    loop = ControlFlow(node.op, bodies, attributes, f"{source}: operator {node.op}, node {node.name!r}")
    return Expression(node.op, loop, inputs, name=node.name, outputs=attributes["num_outputs"])


def _attributes(a: Attributes, bodies: list[BodyExpression], inputs: int) -> dict[str, Any]:
    """The attributes of a loop or branch, checked against its bodies and its number of inputs."""
    results = [body.results.outputs for body in bodies]
    attributes: dict[str, Any] = {"num_outputs": a.integer("num_outputs", results[-1])}
    if a.op == FOREACH:
        own = len(bodies[0].inputs)
        attributes |= {f"{word}_locs": _locations(a, f"{word}_locs", own) for word in ("in_data", "in_state", "remain")}
        places = [place for name, several in attributes.items() if name != "num_outputs" for place in several]
        if not attributes["in_data_locs"] or sorted(places) != list(range(own)) or own != inputs:
            a.fail(f"its body takes {own} inputs; the node has {inputs}, and tells the places of {len(places)}")
    else:
        for word, body in zip(BODIES[a.op], bodies, strict=True):
            attributes[f"{word}_input_locs"] = _locations(a, f"{word}_input_locs", inputs)
            if len(attributes[f"{word}_input_locs"]) != len(body.inputs):
                a.fail(f"its graph {word} takes {len(body.inputs)} inputs, {word}_input_locs has another number")
        if results[0] != 1 or len({*results[1:], attributes["num_outputs"]}) != 1:
            a.fail(f"its graphs have {results} results, and the node {attributes['num_outputs']}")
    if a.op != COND:
        attributes["num_out_data"] = a.integer("num_out_data", 0)
        if a.op == WHILE:
            attributes["func_var_locs"] = _locations(a, "func_var_locs", len(bodies[1].inputs))
            attributes["max_iterations"] = a.integer("max_iterations", 0)
            if not 0 <= attributes["max_iterations"] < _ROUNDS:
                a.fail(f"max_iterations is {attributes['max_iterations']}, which is no number of rounds below 2**31")
        states = attributes["in_state_locs" if a.op == FOREACH else "func_var_locs"]
        if not results[-1] == attributes["num_outputs"] == attributes["num_out_data"] + len(states):
            a.fail(f"it has {len(states)} states and {attributes['num_out_data']} outputs, but its body {results[-1]}")
    return attributes


def _locations(a: Attributes, name: str, count: int) -> list[int]:
    """Return an attribute that is a list of numbers of inputs, of which there are so many."""
    locations = list(a.integers(name))
    if not all(0 <= one < count for one in locations):
        a.fail(f"{name} is {locations}, of {count} inputs")
    return locations


def _last_outputs(graph: symbol.SymbolGraph) -> list[int]:
    """The greatest output of each node that is read; 0 where none is."""
    maxima = [0] * len(graph.nodes)
    for source, output in [*(entry for node in graph.nodes for entry in node.inputs), *graph.heads]:
        maxima[source] = max(maxima[source], output)
    return maxima


def _read_variable(node: symbol.SymbolNode) -> Expression:
    variable = var(node.name, attr=dict(node.attributes))
    with suppress(ValueError):
        sizes = parse_value(node.attributes.get("__shape__", ""))
        if isinstance(sizes, tuple) and all(isinstance(size, int) for size in sizes):
            variable.shape_hint = tuple(max(size, 0) for size in sizes)
            variable.attributes.pop("__shape__")
    return variable


@outside_only("reads a file")
def load(fname: Any) -> Expression:
    """Read an expression from a file of MXNet's JSON.

    Raises:
        LoadError: it is malformed, or has operators that are not supported.

    >>> import os, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "x-symbol.json")
    >>> (sym.var("a") + 1).save(path)
    >>> sym.load(path).list_arguments()
    ['a']
    """
    return of_graph(symbol.read_symbol(fname))


def load_json(json_str: str) -> Expression:
    """Read an expression from MXNet's JSON.

    >>> sym.load_json((sym.var("a") + 1).tojson()).list_arguments()
    ['a']
    """
    return of_graph(symbol.parse_symbol(json_str))
