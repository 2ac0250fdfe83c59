# SPDX-License-Identifier: Apache-2.0
"""Loops and branches of MXNet 2.0's exports, which come without their attributes, by the names that it gave.

MXNet 2.0 writes `_npx_foreach`, `_npx_cond` and `_npx_while_loop` without any attribute, and cannot read them itself.
The variables of the graphs inside still bear the names that it gave them:

    _npx_foreach   data_subgraph0, ...: slices; state_subgraph0, ...: states; others: parameters of the body
    _npx_cond      data_subgraph0, ...: the inputs

The inputs of the node stand in the order in which the graphs first speak of them, those of a loop sorted into slices,
states and parameters. How often a `_npx_while_loop` runs at most is nowhere in its file.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import NoReturn

from hybridize.base.advice import warn
from hybridize.base.errors import LoadError
from hybridize.base.frozen import changed
from hybridize.formats.mxnet.symbol import Entry, Subgraph, SymbolGraph, SymbolNode

_NAME = re.compile(r"(data|state)_subgraph(\d{1,6})")
_FOREACH, _COND, _WHILE = "_npx_foreach", "_npx_cond", "_npx_while_loop"


def with_roles(graph: SymbolGraph) -> SymbolGraph:
    """Return the graph with MXNet 1.x's `_foreach` and `_cond` in place of MXNet 2.0's, nodes inside of nodes too.

    Warns where it depends on all states of a loop being read by its body, which the file does not say.

    Raises:
        LoadError E606: what an input of a node is cannot be told; the message names operator and node.
    """
    if not any(node.op in (_FOREACH, _COND, _WHILE) or node.subgraphs for node in graph.nodes):
        return graph
    return changed(graph, nodes=tuple(_with_role(node, graph.source) for node in graph.nodes))


def _with_role(node: SymbolNode, source: str) -> SymbolNode:
    inside = tuple(Subgraph(with_roles(changed(one.graph, source=source)), one.inputs) for one in node.subgraphs)
    node = changed(node, subgraphs=inside)
    if node.op == _FOREACH:
        return _foreach(node, source)
    if node.op == _COND:
        return _cond(node, source)
    if node.op == _WHILE:
        _fail(node, source, "its attributes are not in the file, so nobody knows how often it runs at most")
    return node


def _fail(node: SymbolNode, source: str, what: str) -> NoReturn:
    raise LoadError(
        "E606", f"{source}: operator {node.op}, node {node.name!r}: {what}",
        help="MXNet 2.0 exports loops without their attributes; build the net here and load its parameters",
    )  # fmt: skip


def _foreach(node: SymbolNode, source: str) -> SymbolNode:
    if len(node.subgraphs) != 1:
        _fail(node, source, f"it has {len(node.subgraphs)} graphs, a loop has one")
    (body,) = node.subgraphs
    written: dict[str, list[tuple[int, str]]] = {"data": [], "state": [], "": []}
    for name in body.inputs:
        match = _NAME.fullmatch(name)
        written[match[1] if match else ""].append((int(match[2]) if match else 0, name))
    entries = _entries(node, source, [name for several in written.values() for _, name in several])
    names = list(dict.fromkeys(body.inputs))
    slices, states = ([name for _, name in sorted({*written[role]})] for role in ("data", "state"))
    if {number for number, _ in written["state"]} != {*range(len(states))}:
        _fail(node, source, f"its body does not read the state before {states[-1]}, which the file then leaves out")
    rest = list(dict.fromkeys(name for _, name in written[""]))
    outputs = len(body.graph.heads) - len(states)
    if not slices or outputs < 0:
        _fail(node, source, f"its body has {len(slices)} slices, {len(states)} states, {len(body.graph.heads)} results")
    warn(
        f"{source}: {_FOREACH}, node {node.name!r}, was exported without its attributes; by the names in its body it "
        f"has {len(slices)} data, {len(states)} states and {outputs} outputs, which is right unless the body has a "
        "state that it never reads"
    )
    attributes = {
        "in_data_locs": _numbers(names.index(name) for name in slices),
        "in_state_locs": _numbers(names.index(name) for name in states),
        "remain_locs": _numbers(names.index(name) for name in rest),
        "num_out_data": str(outputs),
        "num_outputs": str(len(body.graph.heads)),
    }
    inputs = tuple(entries[name] for name in [*slices, *states, *rest])
    return SymbolNode("_foreach", node.name, attributes, inputs, (Subgraph(body.graph, tuple(names)),))


def _cond(node: SymbolNode, source: str) -> SymbolNode:
    if len(node.subgraphs) != 3:
        _fail(node, source, f"it has {len(node.subgraphs)} graphs, a branch has three")
    names = list(dict.fromkeys(name for one in node.subgraphs for name in one.inputs))
    if len(names) != len(node.inputs):
        _fail(node, source, f"its graphs speak of {len(names)} inputs, and it has {len(node.inputs)}")
    attributes = {}
    inside = []
    for word, one in zip(("cond", "then", "else"), node.subgraphs, strict=True):
        own = tuple(dict.fromkeys(one.inputs))
        attributes[f"{word}_input_locs"] = _numbers(map(names.index, own))
        inside.append(Subgraph(one.graph, own))
    attributes["num_outputs"] = str(len(node.subgraphs[1].graph.heads))
    return SymbolNode("_cond", node.name, attributes, node.inputs, tuple(inside))


def _entries(node: SymbolNode, source: str, names: Sequence[str]) -> dict[str, Entry]:
    """Return the input of the node that each name is; a name that comes twice is the same one."""
    if len(names) != len(node.inputs):
        _fail(node, source, f"its body takes {len(names)} inputs, and it has {len(node.inputs)}")
    entries: dict[str, Entry] = {}
    for name, entry in zip(names, node.inputs, strict=True):
        if entries.setdefault(name, entry) != entry:
            _fail(node, source, f"its body's {name} is two inputs")
    return entries


def _numbers(places: Iterable[int]) -> str:
    return str(list(places))
