# SPDX-License-Identifier: Apache-2.0
"""Loops and branches in ONNX.

    while   Loop, whose condition is computed before it and at the end of each round
    scan    Scan; rows that are read from the end to the front are so here, too
    cond    If

Graphs inside of nodes read what is around them by name. So an operand that stays as it is is no state of a loop, and
constants are those of the model.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy

from hybridize import ops
from hybridize.base import dims
from hybridize.base.dtypes import bool_, int64
from hybridize.base.types import TensorType
from hybridize.formats.onnx.writer import FileValue, NodeWriter, Write, info
from hybridize.graph import Graph, Node

_NUMBER: Final = TensorType((), int64)
_TRUTH: Final = TensorType((), bool_)


def _fixed(body: Graph, count: int) -> list[bool]:
    """For each of the first inputs of a body, if the body hands it on as it is."""
    return [body.outputs[k] is body.inputs[k] for k in range(count)]


def _variables(w: NodeWriter, node: Node, body: Graph, fixed: Sequence[bool]) -> tuple[list[FileValue], list[Any]]:
    """The inputs of a body: those that stay are values around it, the others have names of its own, and types."""
    entries, inputs = [], []
    for value, inner, stays in zip(node.inputs, body.inputs, fixed, strict=True):
        if stays:
            entries.append(w.entry(value))
            continue
        name = w.root.fresh("state")
        entries.append(FileValue(name, inner.type.shape))
        inputs.append(info(name, inner.type, named=False))
    return entries, inputs


def write_while(w: NodeWriter, node: Node, op: Any) -> None:
    """Write a loop that goes on while its condition holds."""
    fixed = _fixed(op.body, len(node.inputs))
    starts = [w.entry(value) if stays else FileValue(w.full(value), value.type.shape)
              for value, stays in zip(node.inputs, fixed, strict=True)]  # fmt: skip
    (first,) = w.inside(op.cond, starts)
    entries, inputs = _variables(w, node, op.body, fixed)
    head = [info(w.root.fresh("round"), _NUMBER), info(w.root.fresh("going"), _TRUTH)]
    body = w.body([*head, *inputs], "body")
    results = body.graph(op.body, entries, fixed)
    after = [entry if stays else result for entry, result, stays in zip(entries, results, fixed, strict=True)]
    (again,) = body.inside(op.cond, after)
    changed = [k for k, stays in enumerate(fixed) if not stays]
    graph = body.closed([(again.name, _TRUTH), *((results[k].name, op.body.outputs[k].type) for k in changed)])
    names = [w.root.fresh("loop") for _ in changed]
    w.append("Loop", ["", first.name, *(starts[k].name for k in changed)], names, body=graph)
    _finish(w, node, fixed, names)


def write_scan(w: NodeWriter, node: Node, op: Any) -> None:
    """Write a loop over rows; where it has none, over the numbers of its rounds."""
    carried = op.num_carry
    if not dims.is_symbolic(op.length) and not op.length:  # which runtimes do not go over
        for k, value in enumerate(node.outputs):
            if k < carried:
                w.alias(node.inputs[k], value)
            else:
                w.entries[value] = FileValue(w.constant(0, value.type.dtype), ())
        return
    rows = op.stacked([value.type for value in node.inputs])
    fixed = [k not in rows and (k >= carried or op.body.outputs[k] is op.body.inputs[k])
             for k in range(len(node.inputs))]  # fmt: skip
    states = [k for k in range(carried) if not fixed[k]]
    slices = [value for k, value in enumerate(node.inputs) if k in rows]
    entries, inputs = _variables(w, node, op.body, fixed)
    scanned = [w.full(value) for value in slices]
    if not rows:
        inputs.append(info(w.root.fresh("row"), _NUMBER))
        count = w.add("Reshape", [w.size(op.length), w.constant(numpy.zeros(0))])
        scanned = [w.add("Range", [w.constant(0), count, w.constant(1)])]
    starts = [w.full(node.inputs[k]) for k in states]
    body = w.body(inputs, "body")
    results = body.graph(op.body, entries, fixed[:carried])
    puts = range(carried, len(op.body.outputs))
    graph = body.closed([(results[k].name, op.body.outputs[k].type) for k in (*states, *puts)])
    names = [w.root.fresh("scan") for _ in (*states, *puts)]
    backwards = int(op.reverse)
    w.append(
        "Scan", [*starts, *scanned], names, body=graph, num_scan_inputs=len(scanned),
        scan_input_directions=[backwards] * len(scanned), scan_output_directions=[backwards] * len(puts) or None,
    )  # fmt: skip
    _finish(w, node, fixed[:carried], names)


def _finish(w: NodeWriter, node: Node, fixed: Sequence[bool], names: Sequence[str]) -> None:
    """Say what the results are: what stays is the operand, the others are the loop's."""
    left = iter(names)
    for k, value in enumerate(node.outputs):
        if k < len(fixed) and fixed[k]:
            w.alias(node.inputs[k], value)
        else:
            w.entries[value] = FileValue(next(left), value.type.shape)


def write_cond(w: NodeWriter, node: Node, op: Any) -> None:
    """Write a branch on data."""
    condition, *inputs = node.inputs
    entries = [w.entry(value) for value in inputs]
    graphs = {}
    for word, branch in (("then_branch", op.then), ("else_branch", op.orelse)):
        body = w.body([], word)
        results = body.graph(branch, entries)
        graphs[word] = body.closed(
            [(result.name, value.type) for result, value in zip(results, branch.outputs, strict=True)]
        )
    names = [w.root.fresh("if") for _ in node.outputs]
    w.append("If", [w.full(condition)], names, **graphs)
    w.put(node, *names)


def write_custom(w: NodeWriter, node: Node, op: Any) -> None:
    """Write what has a gradient of its own as what it computes."""
    outputs = w.inside(op.body, [w.entry(value) for value in node.inputs])
    w.entries.update(zip(node.outputs, outputs, strict=True))


CONTROL: Final[dict[type, Write]] = {
    ops.While: write_while, ops.Scan: write_scan, ops.Cond: write_cond, ops.CustomGradient: write_custom,
}  # fmt: skip
