# SPDX-License-Identifier: Apache-2.0
"""`-symbol.json` of every generation of MXNet, as nodes in topological order.

graph := {"nodes": [node...], "heads": [entry...], "attrs": {name: [type, value]...}, ...}
node  := {"op": str, "name": str, "attrs" | "attr" | "param": {str: str...}?, "inputs": [entry...], ...}
entry := [node, output] or [node, output, version]
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field
from itertools import accumulate
from typing import Any, NoReturn

from hybridize.base.errors import LoadError
from hybridize.base.frozen import frozen
from hybridize.formats.cursor import open_for_reading

Entry = tuple[int, int]
"""Node and output."""

VERSION = 10901
"""Of MXNet: what is written says that it wrote it."""
VARIABLE = "null"
LABELLED = {"SoftmaxOutput", "LinearRegressionOutput", "LogisticRegressionOutput", "MAERegressionOutput", "SVMOutput"}
"""Operators with a label that inference does not look at."""
_NORMS = "BatchNorm", "_contrib_BatchNormWithReLU", "_contrib_SyncBatchNorm"
AUXILIARY = {op: {3: "moving_mean", 4: "moving_var"} for op in _NORMS}
"""Positions of inputs that operators change while training: auxiliary states, which are variables of the graph."""
_DEPTH = 32
"""Graphs lie in nodes of graphs so deep at most."""
_ZEROS = ("_zeros", "_npi_zeros")
# Hidden attributes, spelled without underscores before 0.9.
_OLD_HIDDEN = ("lr_mult", "wd_mult", "ctx_group", "force_mirroring", "mirror_stage")


def tree_of(op: str, name: str, inputs: Sequence[Entry], attributes: Mapping[str, Any], **more: Any) -> dict[str, Any]:
    """Return a node as MXNet's JSON has it.

    Args:
        op: the operator, or `VARIABLE`.
        name: of the node.
        inputs: what it is applied to.
        attributes: written as texts, in alphabetical order.
        more: further members: `subgraphs`.
    """
    texts = {key: str(value) for key, value in sorted(attributes.items())}
    written = {"attrs": texts} if texts else {}
    return {"op": op, "name": name, **written, "inputs": [[*entry, 0] for entry in inputs], **more}


def laid_out(nodes: Sequence[Any], outputs: Iterable[int], heads: Iterable[Entry]) -> dict[str, Any]:
    """Return a graph as MXNet's JSON has it.

    Args:
        nodes: as objects of JSON, each after its inputs.
        outputs: how many each of them has, hidden ones included.
        heads: the results.
    """
    return {
        "nodes": nodes,
        "arg_nodes": [number for number, node in enumerate(nodes) if node["op"] == VARIABLE],
        "node_row_ptr": list(accumulate(outputs, initial=0)),
        "heads": [[*head, 0] for head in heads],
    }


@frozen
class SymbolNode:
    """One node: a variable (`op` is `null`), or an operator applied to outputs of earlier nodes."""

    op: str
    name: str
    attributes: dict[str, str] = field(default_factory=dict)
    inputs: tuple[Entry, ...] = ()
    subgraphs: tuple[Subgraph, ...] = ()
    """The bodies of control flow."""


@frozen
class Subgraph:
    """A graph in a node of control flow."""

    graph: SymbolGraph
    inputs: tuple[str, ...]
    """Names of its variables, in the order in which the node speaks of them."""


@frozen
class SymbolGraph:
    """A graph by MXNet's operators."""

    nodes: tuple[SymbolNode, ...]
    """In topological order."""
    heads: tuple[Entry, ...]
    """The results."""
    attributes: dict[str, Any] = field(default_factory=dict)
    """Of the graph: `mxnet_version`, `is_np_shape`, ours begin with `hybridize_`."""
    source: str = ""
    """The file that it comes from, for messages."""

    @property
    def np_shape(self) -> bool:
        """True if it was saved under NumPy semantics: no size is unknown by being 0."""
        return bool(self.attributes.get("is_np_shape", 0))

    @property
    def variables(self) -> list[str]:
        """Names of inputs and parameters, in order."""
        return [node.name for node in self.nodes if node.op == VARIABLE]


def read_symbol(path: str | os.PathLike[str]) -> SymbolGraph:
    """Read a `-symbol.json`.

    Raises:
        LoadError E600: the file cannot be opened.
        LoadError E602: it is no graph of MXNet; the message names the key.
    """
    with open_for_reading(path) as file:
        return parse_symbol(file.read(), os.fspath(path))


def parse_symbol(data: bytes | str, source: str = "text") -> SymbolGraph:
    """Read the JSON of a graph."""
    return _Reader(source).graph(data)


def without_zeros(nodes: list[SymbolNode]) -> list[SymbolNode]:
    """Take states that are zeros from the inputs of `RNN`: it begins with zeros where it is given none.

    Files say them for one batch: MXNet 2.x of the size that it met, 1.x of none, `(4, 0, 24)`, which is not known.
    """
    result = []
    for node in nodes:
        has_lengths = node.attributes.get("use_sequence_length") in ("1", "True", "true")
        states = node.inputs[2 : len(node.inputs) - has_lengths]
        if node.op == "RNN" and states and all(nodes[source].op in _ZEROS for source, _ in states):
            inputs = node.inputs[:2] + node.inputs[2 + len(states) :]
            node = SymbolNode(node.op, node.name, node.attributes, inputs, node.subgraphs)
        result.append(node)
    return result


class _Reader:
    """Checks everything it reads, since nothing about a file is certain."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.depth = 0

    def fail(self, where: str, what: str) -> NoReturn:
        raise LoadError("E602", f"{self.source} is not an MXNet graph: {where} {what}")

    def graph(self, data: bytes | str) -> SymbolGraph:
        try:
            tree = json.loads(data)
        except (ValueError, RecursionError) as error:
            self.fail("its text", f"is not JSON ({error})")
        return self.of_tree(tree)

    def of_tree(self, tree: Any) -> SymbolGraph:
        """The graph that parsed JSON is."""
        if not isinstance(tree, dict) or not isinstance(tree.get("nodes"), list):
            self.fail("nodes", "is missing or no list")
        nodes = [self.node(node, f"nodes[{i}]", len(tree["nodes"])) for i, node in enumerate(tree["nodes"])]
        nodes = without_zeros(self.with_states(nodes))
        heads = self.entries(tree.get("heads"), "heads", len(nodes))
        order = self.sorted(nodes, heads)
        new_number = {node: position for position, node in enumerate(order)}
        moved = [
            SymbolNode(n.op, n.name, n.attributes, tuple((new_number[i], out) for i, out in n.inputs), n.subgraphs)
            for n in (nodes[i] for i in order)
        ]
        if not self.depth:  # MXNet 2.x writes those of bodies twice, in nodes that it cannot read itself
            self.distinct([node.name for node in moved if node.op == VARIABLE])
        attributes = self.graph_attributes(tree.get("attrs", {}))
        return SymbolGraph(tuple(moved), tuple((new_number[i], out) for i, out in heads), attributes, self.source)

    def with_states(self, nodes: list[SymbolNode]) -> list[SymbolNode]:
        """The nodes, and the auxiliary states that files from before MXNet 0.9 leave out, by the names they had."""
        added: list[SymbolNode] = []
        whole = []
        for node in nodes:
            states = AUXILIARY.get(node.op, {})
            if states and len(node.inputs) == min(states):
                here = range(len(nodes) + len(added), len(nodes) + len(added) + len(states))
                added += [SymbolNode(VARIABLE, f"{node.name}_{word}") for word in states.values()]
                inputs = (*node.inputs, *((number, 0) for number in here))
                node = SymbolNode(node.op, node.name, node.attributes, inputs, node.subgraphs)
            whole.append(node)
        return [*whole, *added]

    def distinct(self, names: list[str]) -> None:
        seen: set[str] = set()
        for name in names:
            if name in seen:
                self.fail("nodes", f"has two variables called {name!r}")
            seen.add(name)

    def node(self, node: Any, where: str, count: int) -> SymbolNode:
        if not isinstance(node, dict):
            self.fail(where, "is not an object")
        op, name = node.get("op"), node.get("name")
        if not isinstance(op, str) or not isinstance(name, str):
            self.fail(where, "lacks op or name")
        inputs = self.entries(node.get("inputs", []), f"{where}.inputs", count)
        if op == VARIABLE and inputs:
            self.fail(where, "is a variable with inputs")
        subgraphs = tuple(
            self.subgraph(one, f"{where}.subgraphs[{i}]") for i, one in enumerate(self.listed(node, where))
        )
        return SymbolNode(op, name, self.attributes(node, where), inputs, subgraphs)

    def listed(self, node: dict[str, Any], where: str) -> list[Any]:
        """The graphs in a node."""
        graphs = node.get("subgraphs", [])
        if not isinstance(graphs, list) or not all(isinstance(one, dict) for one in graphs):
            self.fail(f"{where}.subgraphs", "is no list of graphs")
        return graphs

    def subgraph(self, tree: Any, where: str) -> Subgraph:
        """A graph in a node, and its inputs in the order of the file."""
        self.depth += 1
        if self.depth > _DEPTH:
            self.fail(where, "lies too deep")
        graph = self.of_tree(tree)
        self.depth -= 1
        return Subgraph(graph, tuple(node["name"] for node in tree["nodes"] if node["op"] == VARIABLE))

    def attributes(self, node: dict[str, Any], where: str) -> dict[str, str]:
        """The union of `attr`, `attrs` and `param`; user attributes of old files do not hide the operator's."""
        merged: dict[str, str] = {}
        for key in ("attr", "attrs", "param"):
            part = node.get(key, {})
            if not isinstance(part, dict) or any(not isinstance(value, str) for value in part.values()):
                self.fail(f"{where}.{key}", "is not an object of strings")
            merged.update(part)
        for key in _OLD_HIDDEN:
            if key in merged:
                merged[f"__{key}__"] = merged.pop(key)
        return merged

    def entries(self, entries: Any, where: str, count: int) -> tuple[Entry, ...]:
        if not isinstance(entries, list):
            self.fail(where, "is missing or no list")
        for i, entry in enumerate(entries):
            if (
                not isinstance(entry, list)
                or len(entry) not in (2, 3)
                or any(type(number) is not int for number in entry)
                or not 0 <= entry[0] < count
                or not 0 <= entry[1] < 1 << 16
            ):
                self.fail(f"{where}[{i}]", f"is not an entry [node, output] of {count} nodes: {entry!r:.80}")
        return tuple((entry[0], entry[1]) for entry in entries)

    def graph_attributes(self, attributes: Any) -> dict[str, Any]:
        if not isinstance(attributes, dict):
            self.fail("attrs", "is not an object")
        plain: dict[str, Any] = {}
        for key, value in attributes.items():
            if not isinstance(value, list) or len(value) != 2:
                self.fail(f"attrs.{key}", "is not a pair of type and value")
            plain[key] = value[1]
        return plain

    def sorted(self, nodes: list[SymbolNode], heads: tuple[Entry, ...]) -> list[int]:
        """Ids of the nodes that the heads need, each after its inputs. Hand-made files may be in any order."""
        order: list[int] = []
        state = [0] * len(nodes)  # 1: its inputs are being visited; 2: done
        for head, _ in heads:
            stack = [(head, 0)]
            while stack:
                node, position = stack.pop()
                if position == 0:
                    if state[node] == 2:
                        continue
                    state[node] = 1
                inputs = nodes[node].inputs
                if position == len(inputs):
                    state[node] = 2
                    order.append(node)
                    continue
                stack.append((node, position + 1))
                following = inputs[position][0]
                if state[following] == 1:
                    self.fail(f"nodes[{following}]", "depends on itself")
                if state[following] == 0:
                    stack.append((following, 0))
        return order
