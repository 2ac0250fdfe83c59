# SPDX-License-Identifier: Apache-2.0
"""Rows of ONNX with graphs inside: branches, loops, scans; and sequences, whose number of arrays is known."""

from __future__ import annotations

from typing import Any

from hybridize import ops
from hybridize.base.dtypes import bool_
from hybridize.base.errors import HybridizeError, ShapeError
from hybridize.formats.foreign.known import Known
from hybridize.formats.foreign.program import ForeignGraph
from hybridize.formats.foreign.vocabulary import Application, Value
from hybridize.formats.onnx.elementwise import logical_not
from hybridize.formats.onnx.vocabulary import ONNX
from hybridize.ops import bind
from hybridize.ops.op import Operand, type_of
from hybridize.runtime.recipes import recipe_of_error


def _graph(n: Application, name: str) -> ForeignGraph:
    graph = n.attributes.get(name)
    if not isinstance(graph, ForeignGraph):
        n.fail(f"the attribute {name} must be a graph")
    return graph


@ONNX("If", values=True)
def branch(n: Application, condition: Value) -> Any:
    """One branch or the other: at once where the condition is known, else both are in the program."""
    branches = _graph(n, "then_branch"), _graph(n, "else_branch")
    if isinstance(condition, Known):
        return tuple(n.walk.graph(branches[not condition.item()], n.around))
    predicate = ops.reshape(ops.cast(condition, bool_), ())
    names = n.walk.closed(branches, n.around)
    operands = [n.around[name] for name in names]
    types = [type_of(x) for x in operands]
    bodies: list[Any] = []
    for graph in branches:
        try:
            bodies.append(n.walk.body(graph, types, names, n.around))
        except HybridizeError as error:
            bodies.append(error)
    for which, (body, other) in enumerate(zip(bodies, bodies[::-1], strict=True)):
        if isinstance(body, HybridizeError):
            if isinstance(other, HybridizeError):
                raise body
            return _only(n, branches[1 - which], predicate, which == 1, body)
    then, orelse = ([value.type for value in body.outputs] for body in bodies)
    if [str(kind) for kind in then] != [str(kind) for kind in orelse]:
        kinds = " and ".join(f"({', '.join(map(str, one))})" for one in (then, orelse))
        raise ShapeError("E162", f"{n.place}: the branches give {kinds}", help="a branch on data gives the same types")
    return tuple(bind(ops.Cond(*bodies), predicate, *operands))


def _only(n: Application, graph: ForeignGraph, predicate: Operand, holds: bool, error: HybridizeError) -> Any:
    """The one branch that inputs of these sizes can take: models have branches for inputs of other sizes."""
    what = f"{n.place}: the condition is {not holds}, and that branch cannot take inputs of these sizes: {error}"
    failure = ShapeError("E162", what.partition("\n")[0])
    bind(ops.Assert(str(failure), repr(recipe_of_error(failure))), predicate if holds else logical_not(predicate))
    return tuple(n.walk.graph(graph, n.around))
