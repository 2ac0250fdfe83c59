# SPDX-License-Identifier: Apache-2.0
"""A graph as a drawing: a box for each argument, operation and result; arrays from outside stand in what reads them."""

from __future__ import annotations

from collections.abc import Collection

from hybridize.base.drawing import Box, Drawing
from hybridize.graph.ir import Graph, Node, Value

MOST = 800
"""Operations of the largest graph that is drawn."""
_LETTERS, _NAMED = 48, 4
"""Letters of a line, and arrays from outside that are named, of one box."""


def drawn(graph: Graph, outside: Collection[Value] = ()) -> Drawing | None:
    """Make the drawing of a graph; None of one that is too large to be looked at.

    Args:
        graph: what to draw.
        outside: inputs that are no arguments: parameters, globals.
    """
    if len(graph.nodes) > MOST:
        return None
    boxes: list[Box] = []
    numbers: dict[Value, int] = {}
    beside = {*outside, *graph.constants}
    used = {value for node in graph.nodes for value in node.inputs} | {*graph.outputs}
    for value in graph.inputs:
        if value not in beside and value in used:
            numbers[value] = len(boxes)
            boxes.append(Box((value.name or "argument", str(value.type)), kind="argument"))
    for node in graph.nodes:
        reads = tuple(numbers[value] for value in node.inputs if value in numbers)
        for value in node.outputs:
            numbers[value] = len(boxes)
        boxes.append(Box(_lines(node, beside, graph), reads, tip="" if node.loc is None else node.loc.described()))
    for number, value in enumerate(graph.outputs):
        name = "result" if len(graph.outputs) == 1 else f"result {number}"
        lines = (name, str(value.type)) if value in numbers else (name, str(value.type), "from outside")
        boxes.append(Box(lines, (numbers[value],) if value in numbers else (), kind="result"))
    return Drawing(tuple(boxes))


def _lines(node: Node, beside: Collection[Value], graph: Graph) -> tuple[str, ...]:
    """The text of an operation: its word, what it gives, what it reads from outside."""
    lines = [node.op.name, *filter(None, [", ".join(str(value.type) for value in node.outputs)])]
    read = [value for value in node.inputs if value in beside]
    for value in read[:_NAMED]:
        word = value.name or ("constant" if value in graph.constants else "outside")
        lines.append(f"{word}: {value.type}")
    if len(read) > _NAMED:
        lines.append(f"and {len(read) - _NAMED} more from outside")
    return tuple(line if len(line) <= _LETTERS else f"{line[: _LETTERS - 2]} …" for line in lines)
