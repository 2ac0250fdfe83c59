# SPDX-License-Identifier: Apache-2.0
"""Rows of ONNX with graphs inside: branches, loops, scans; and sequences, whose number of arrays is known."""

from __future__ import annotations

from typing import Any

from hybridize import ops
from hybridize.base.dtypes import bool_
from hybridize.base.errors import ShapeError
from hybridize.formats.foreign.known import Known
from hybridize.formats.foreign.program import ForeignGraph
from hybridize.formats.foreign.vocabulary import Application, Value
from hybridize.formats.onnx.vocabulary import ONNX
from hybridize.ops import bind
from hybridize.ops.op import type_of


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
    names = n.walk.closed(branches, n.around)
    operands = [n.around[name] for name in names]
    types = [type_of(x) for x in operands]
    bodies = [n.walk.body(graph, types, names, n.around) for graph in branches]
    then, orelse = ([value.type for value in body.outputs] for body in bodies)
    if [str(kind) for kind in then] != [str(kind) for kind in orelse]:
        kinds = " and ".join(f"({', '.join(map(str, one))})" for one in (then, orelse))
        raise ShapeError("E162", f"{n.place}: the branches give {kinds}", help="a branch on data gives the same types")
    predicate = ops.reshape(ops.cast(condition, bool_), ())
    return tuple(bind(ops.Cond(*bodies), predicate, *operands))
