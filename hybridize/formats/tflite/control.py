# SPDX-License-Identifier: Apache-2.0
"""Rows of TFLite with graphs inside: branches and loops."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hybridize import ops
from hybridize.base import dims
from hybridize.base.dtypes import bool_
from hybridize.base.errors import ShapeError
from hybridize.formats.foreign.known import Known, NoArray, operand_of
from hybridize.formats.foreign.program import ForeignGraph
from hybridize.formats.foreign.vocabulary import Value
from hybridize.formats.foreign.walk import Application
from hybridize.formats.tflite.vocabulary import TFLITE
from hybridize.graph import Graph
from hybridize.ops import bind
from hybridize.ops.op import Op, Operand, type_of
from hybridize.ops.tracing import make_graph


def _graph(n: Application, name: str) -> ForeignGraph:
    return n.walk.program.functions[n.attributes[name].function]


def _body(
    n: Application, graph: ForeignGraph, arguments: Sequence[Value], carried: Sequence[int], ends: Sequence[int] | None
) -> Graph:
    """A graph of the model as one of ours.

    Args:
        n: the node that has it.
        graph: of the model.
        arguments: of the graph.
        carried: those that ours takes; the others are known.
        ends: the results that it gives; None: it is a condition.
    """

    def run(*operands: Operand) -> list[Operand]:
        values = list(arguments)
        for k, x in zip(carried, operands, strict=True):
            values[k] = x
        results = n.walk.function(graph, values, {})
        return [_predicate(operand_of(results[0]))] if ends is None else [operand_of(results[k]) for k in ends]

    return make_graph(run, [type_of(arguments[k]) for k in carried])


def _operands(n: Application, arguments: Sequence[Value]) -> list[Operand]:
    """The arguments of a branch or a loop on data."""
    if any(isinstance(x, NoArray) for x in arguments):
        n.fail("it reads or writes variables inside, which is not supported",
               help="read them before it, and write them behind it")  # fmt: skip
    return [operand_of(x) for x in arguments]


def _predicate(x: Operand) -> Operand:
    return ops.reshape(ops.cast(x, bool_), ())


@TFLITE("IF", values=True)
def branch(n: Application, condition: Value, *arguments: Value) -> Sequence[Value]:
    """One branch or the other: at once where the condition is known, else both are in the program."""
    graphs = _graph(n, "then"), _graph(n, "else")
    if isinstance(condition, Known):
        return tuple(n.walk.function(graphs[not condition.item()], arguments, {}))
    operands = _operands(n, arguments)
    every = range(len(operands))
    bodies = [_body(n, graph, operands, every, range(len(graph.outputs))) for graph in graphs]
    then, orelse = ([str(value.type) for value in body.outputs] for body in bodies)
    if then != orelse:
        raise ShapeError("E162", f"{n.place}: the branches give ({', '.join(then)}) and ({', '.join(orelse)})",
                         help="a branch on data gives the same types")  # fmt: skip
    return tuple(bind(ops.Cond(*bodies), _predicate(condition), *operands))


@TFLITE("WHILE", values=True)
def loop(n: Application, *arguments: Value) -> Any:
    """The arguments, replaced by what the body gives for them while the condition holds.

    Known ones that the body hands on as they are stay known: sizes, as a rule. A loop that counts up to a known number
    is a scan, which has a gradient.
    """
    condition, body = _graph(n, "condition"), _graph(n, "body")
    if len(body.inputs) != len(body.outputs) or len(arguments) != len(body.inputs):
        n.fail(f"its body takes {len(body.inputs)} values and gives {len(body.outputs)}, it has {len(arguments)}")
    stays = [isinstance(x, Known) and own.name == new.name
             for x, own, new in zip(arguments, body.inputs, body.outputs, strict=True)]  # fmt: skip
    carried = [k for k, same in enumerate(stays) if not same]
    if not carried:
        n.fail("nothing changes from round to round")
    values = list(arguments)
    for k, x in zip(carried, _operands(n, [arguments[k] for k in carried]), strict=True):
        values[k] = x
    count = _rounds(condition, body, arguments)
    once = _body(n, body, values, carried, carried)
    if count is None:
        operation: Op = ops.While(_body(n, condition, values, carried, None), once)
    else:
        operation = ops.Scan(once, count, False, len(carried))
    results = iter(bind(operation, *(values[k] for k in carried)))
    return tuple(x if same else next(results) for x, same in zip(values, stays, strict=True))


def _rounds(condition: ForeignGraph, body: ForeignGraph, arguments: Sequence[Value]) -> Any:
    """The number of rounds of a loop that goes on while values which it counts up are below known ones; else None."""
    makers, steps = ({name: node for node in graph.nodes for name in node.outputs} for graph in (condition, body))
    places = {port.name: k for k, port in enumerate(condition.inputs)}

    def known(graph: ForeignGraph, name: str) -> Any:
        """A whole number that is the same in all rounds."""
        value = graph.constants.get(name)
        if value is None and graph is condition and name in places:
            k = places[name]
            stays = isinstance(arguments[k], Known) and body.inputs[k].name == body.outputs[k].name
            return arguments[k].item() if stays and arguments[k].dtype.kind == "i" else None
        return int(value.reshape(-1)[0]) if value is not None and value.size == 1 and value.dtype.kind == "i" else None

    todo, counts = [condition.outputs[0].name], []
    while todo:
        node = makers.get(todo.pop())
        if node is not None and node.op == "LOGICAL_AND":
            todo += node.inputs
            continue
        if node is None or node.op != "LESS" or node.inputs[0] not in places:
            return None
        k, bound = places[node.inputs[0]], known(condition, node.inputs[1])
        adds, own = steps.get(body.outputs[k].name), body.inputs[k].name
        if bound is None or adds is None or adds.op != "ADD" or own not in adds.inputs:
            return None
        step = known(body, adds.inputs[1 - adds.inputs.index(own)])
        begin = arguments[k]
        if not isinstance(begin, Known) or begin.dtype.kind != "i" or step is None or step < 1:
            return None
        counts.append(-((begin.item() - bound) // step))
    least = counts[0]
    for one in counts[1:]:
        least = one if dims.same(one, least) else one + least - dims.maximum(one, least)
    return dims.maximum(least, 0)
