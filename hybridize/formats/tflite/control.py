# SPDX-License-Identifier: Apache-2.0
"""Rows of TFLite with graphs inside: branches and loops."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hybridize import ops
from hybridize.base.dtypes import bool_
from hybridize.base.errors import ShapeError
from hybridize.base.types import TensorType
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


def _body(n: Application, graph: ForeignGraph, types: Sequence[TensorType], is_condition: bool = False) -> Graph:
    """A graph of the model as one of ours; of a condition, its result without axes."""

    def run(*operands: Operand) -> list[Operand]:
        results = [operand_of(value) for value in n.walk.function(graph, operands, {})]
        return [_predicate(one) for one in results] if is_condition else results

    return make_graph(run, types)


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
    bodies = [_body(n, graph, [type_of(x) for x in operands]) for graph in graphs]
    then, orelse = ([str(value.type) for value in body.outputs] for body in bodies)
    if then != orelse:
        raise ShapeError("E162", f"{n.place}: the branches give ({', '.join(then)}) and ({', '.join(orelse)})",
                         help="a branch on data gives the same types")  # fmt: skip
    return tuple(bind(ops.Cond(*bodies), _predicate(condition), *operands))


@TFLITE("WHILE", values=True)
def loop(n: Application, *arguments: Value) -> Any:
    """The arguments, replaced by what the body gives for them while the condition holds."""
    operands = _operands(n, arguments)
    types = [type_of(x) for x in operands]
    condition, body = _body(n, _graph(n, "condition"), types, True), _body(n, _graph(n, "body"), types)
    return tuple(bind(ops.While(condition, body), *operands))
