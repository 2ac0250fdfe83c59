# SPDX-License-Identifier: Apache-2.0
"""Rows of TFLite with graphs inside: branches and loops."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hybridize import ops
from hybridize.base.dtypes import bool_
from hybridize.base.errors import ShapeError
from hybridize.formats.foreign.known import Known, NoArray, operand_of
from hybridize.formats.foreign.program import ForeignGraph
from hybridize.formats.foreign.vocabulary import Value
from hybridize.formats.foreign.walk import Application
from hybridize.formats.tflite.vocabulary import TFLITE
from hybridize.graph import Graph
from hybridize.ops import bind
from hybridize.ops.op import Operand, type_of
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

    Known ones that the body hands on as they are stay known: sizes, as a rule.
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
    goes_on, round_ = (_body(n, graph, values, carried, ends) for graph, ends in ((condition, None), (body, carried)))
    results = iter(bind(ops.While(goes_on, round_), *(values[k] for k in carried)))
    return tuple(x if same else next(results) for x, same in zip(values, stays, strict=True))
