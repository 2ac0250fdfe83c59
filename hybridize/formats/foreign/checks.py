# SPDX-License-Identifier: Apache-2.0
"""Refusals of programs before they are walked, so that the walk can trust them, whoever wrote the file."""

from __future__ import annotations

import functools
import inspect
import math
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

from hybridize.base.errors import LoadError
from hybridize.formats.foreign.program import ForeignGraph, ForeignProgram, Node, calls, graphs_of
from hybridize.formats.foreign.vocabulary import Row

MOST_NODES: Final = 1_000_000
"""Nodes of a program with its functions written out at each call: forty functions that call the next one twice have a
million millions."""


def every_graph(program: ForeignProgram) -> Iterator[ForeignGraph]:
    """Yield all graphs of a program: the main one, its functions', and those inside of nodes."""
    waiting = [program.graph, *program.functions.values()]
    while waiting:
        graph = waiting.pop()
        yield graph
        waiting += [inner for node in graph.nodes for inner in graphs_of(node)]


def check_program(program: ForeignProgram) -> None:
    """Refuse a program that cannot be walked.

    Raises:
        LoadError E606: it has operators without a row: the first such node, and a list of the operators.
        LoadError E603: a node has too many inputs or too few, or reads what nobody has computed before it; a value is
            computed twice; functions call themselves, or each other without end.
    """
    missing = [
        node for graph in every_graph(program) for node in graph.nodes
        if program.vocabulary.find(node.op, node.version) is None and node.op not in program.functions
    ]  # fmt: skip
    if missing:
        raise missing_operators(program, missing)
    _check_calls(program)
    _check_values(program, program.graph, [{*program.weights, *program.state}])
    for function in program.functions.values():
        _check_values(program, function, [])


def missing_operators(program: ForeignProgram, nodes: Sequence[Node]) -> LoadError:
    """Return the error for nodes whose operators have no row."""
    counts = Counter(node.op for node in nodes)
    listed = ", ".join(f"{op} ({count})" if count > 1 else op for op, count in sorted(counts.items()))
    first = nodes[0]
    version = f" (operator set {first.version})" if first.version else ""
    what = f"{program.source}: operator {first.op}, node {first.name!r}{version}, is not supported"
    remedies = dict.fromkeys(filter(None, (program.vocabulary.remedy(op) for op in counts)))
    return LoadError("E606", what, help="; ".join((f"hybridize lacks {listed}", *remedies)))


def unknown_attributes(program: ForeignProgram, node: Node, names: Sequence[str]) -> LoadError:
    """Return the error for attributes of a node that nothing is known of: what they change would not happen."""
    several = "attributes" if len(names) > 1 else "attribute"
    what = f"{place(program, node)} has the {several} {', '.join(names)}, which hybridize does not know of it"
    help = f"leave it out of the model if {program.vocabulary.name} computes the same without it"
    return LoadError("E603", what, help=help, loc=node.loc)


def place(program: ForeignProgram, node: Node) -> str:
    """`model.onnx: operator Conv, node '/conv1/Conv'`."""
    named = f", node {node.name!r}" if node.name else ""
    return f"{program.source}: operator {node.op}{named}"


def _check_values(program: ForeignProgram, graph: ForeignGraph, around: Sequence[set[str]]) -> None:
    """Compare names of values: each is computed once, before it is read."""
    own = {port.name for port in graph.inputs} | graph.constants.keys()
    for node in graph.nodes:
        for name in node.inputs:
            if name and name not in own and not any(name in names for names in around):
                raise LoadError("E603", f"{place(program, node)}: the value {name!r} is not there")
        row = program.vocabulary.find(node.op, node.version)
        if row is not None:
            _check_count(program, node, row)
        for inner in graphs_of(node):
            _check_values(program, inner, [*around, own])
        for name in node.outputs:
            if name and name in own:
                raise LoadError("E603", f"{place(program, node)}: the value {name!r} is there already")
            own.add(name)
    for port in graph.outputs:
        if port.name not in own and not any(port.name in names for names in around):
            raise LoadError("E603", f"an output of {program.source}: the value {port.name!r} is not there")


def _check_count(program: ForeignProgram, node: Node, row: Row) -> None:
    least, most = _counts(row)
    count = len(node.inputs)
    if not least <= count <= most and (count < least or any(node.inputs[int(most) :])):
        takes = f"{least}" if least == most else f"{least} or more" if math.isinf(most) else f"{least} to {most}"
        raise LoadError("E603", f"{place(program, node)} has {count} inputs, it takes {takes}")


@functools.lru_cache(maxsize=4096)
def _counts(row: Row) -> tuple[int, float]:
    """Least and most inputs that a row takes: its function says so."""
    try:
        parameters = [*inspect.signature(row.function).parameters.values()]
    except (TypeError, ValueError):  # NumPy's, for instance
        return 0, math.inf
    parameters = parameters[not row.plain :]  # the first one is the node
    positional = [one for one in parameters if one.kind in (one.POSITIONAL_ONLY, one.POSITIONAL_OR_KEYWORD)]
    least = sum(one.default is one.empty for one in positional)
    return least, math.inf if any(one.kind is one.VAR_POSITIONAL for one in parameters) else len(positional)


def _check_calls(program: ForeignProgram) -> None:
    """Count the nodes of functions that are written out where they are called, from those on that call no other."""
    called = {name: Counter(_called(program, graph)) for name, graph in program.functions.items()}
    nodes: dict[str, int] = {}
    waiting = [(name, False) for name in called]
    entered: set[str] = set()
    while waiting:
        name, ready = waiting.pop()
        if ready:
            nodes[name] = _nodes(program.functions[name]) + sum(
                nodes[inner] * times for inner, times in called[name].items()
            )
        elif name in entered and name not in nodes:
            raise LoadError("E603", f"{program.source}: the function {name!r} calls itself")
        elif name not in entered:
            entered.add(name)
            waiting += [(name, True), *((inner, False) for inner in called[name])]
    total = _nodes(program.graph) + sum(nodes[name] for name in _called(program, program.graph))
    if total > MOST_NODES:
        raise LoadError("E603", f"{program.source}: with its functions at each call the model has {total:,} nodes")


def _called(program: ForeignProgram, graph: ForeignGraph) -> Iterator[str]:
    """Yield the functions that a graph calls, once for each call."""
    for node in graph.nodes:
        if node.op in program.functions and program.vocabulary.find(node.op, node.version) is None:
            yield node.op
        yield from (name for name in calls(node) if name in program.functions)
        for inner in graphs_of(node):
            yield from _called(program, inner)


def _nodes(graph: ForeignGraph) -> int:
    return sum(1 + sum(map(_nodes, graphs_of(node))) for node in graph.nodes)
