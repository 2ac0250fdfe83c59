# SPDX-License-Identifier: Apache-2.0
"""Lines of the user's source: for each node a line of a file, beside the graph's text, which has none."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import Any

from hybridize.base.locations import SourceLoc, cell
from hybridize.formats.archive.description import word
from hybridize.graph import Graph, Node


def lines_out(graph: Graph) -> dict[str, Any]:
    """The lines of all nodes as JSON: `[file, line, function]` in numbers, or 0, those inside of ops included."""
    files: dict[str, int] = {}
    functions: dict[str, int] = {}
    nodes: list[Any] = []
    for node in _nodes(graph):
        loc = node.loc
        if loc is None:
            nodes.append(0)
        else:
            file = files.setdefault(cell(loc.file) or loc.file, len(files))  # a cell's file is of this session alone
            nodes.append([file, loc.line, functions.setdefault(loc.function, len(functions))])
    return {"files": list(files), "functions": list(functions), "nodes": nodes}


def with_lines(graph: Graph, tree: dict[str, Any]) -> Graph:
    """A graph that was read from its text, with what `lines_out` gave.

    Raises:
        ValueError, TypeError, LookupError: it is not of this graph.
    """
    files, functions = list(map(word, tree["files"])), list(map(word, tree["functions"]))
    known: dict[tuple[int, ...], SourceLoc] = {}
    locs: list[SourceLoc | None] = []
    for entry in tree["nodes"]:
        if entry == 0:
            locs.append(None)
            continue
        file, line, function = key = tuple(entry)
        if not all(type(number) is int and number >= 0 for number in key):
            raise ValueError(f"{entry!r} is not a line")
        locs.append(known.setdefault(key, SourceLoc(files[file], line, functions[function])))
    left = iter(locs)
    placed = _placed(graph, left)
    if next(left, known) is not known:
        raise ValueError("there are more lines than nodes")
    return placed


def _nodes(graph: Graph) -> Iterator[Node]:
    for node in graph.nodes:
        yield node
        for inner in node.op.graphs.values():
            yield from _nodes(inner)


def _placed(graph: Graph, locs: Iterator[SourceLoc | None]) -> Graph:
    nodes = []
    for node in graph.nodes:
        try:
            loc = next(locs)
        except StopIteration:
            raise ValueError("there are fewer lines than nodes") from None
        op: Any = node.op
        inner = {name: _placed(sub, locs) for name, sub in node.op.graphs.items()}
        nodes.append(Node(dataclasses.replace(op, **inner) if inner else op, node.inputs, node.outputs, loc))
    return Graph(graph.inputs, tuple(nodes), graph.outputs, graph.constants)
