# SPDX-License-Identifier: Apache-2.0
"""ONNX files as `ForeignProgram`s: nodes, functions, and weights as views of the mapped file."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Final

from hybridize.base.dtypes import is_float
from hybridize.base.errors import LoadError
from hybridize.formats.cursor import bytes_of
from hybridize.formats.foreign.checks import check_program
from hybridize.formats.foreign.program import ForeignGraph, ForeignProgram, Port
from hybridize.formats.foreign.walk import settled
from hybridize.formats.onnx.graphs import GraphReader, operator_of
from hybridize.formats.onnx.messages import (
    NEWEST_IR,
    NEWEST_OPSET,
    SCHEMAS,
)
from hybridize.formats.onnx.rows import ONNX
from hybridize.formats.wire import Message, parse

OLDEST_OPSET: Final = 7


def read(path: str | os.PathLike[str]) -> ForeignProgram:
    """Read a model.

    Raises:
        LoadError: E601 malformed, E602 newer or older than what is read, E606 operators that are not supported.
    """
    source = os.fspath(path)
    return program(bytes_of(path), os.path.basename(source), os.path.dirname(source) or ".")


def program(data: bytes | memoryview, name: str, folder: str | None = None) -> ForeignProgram:
    """Read a model from bytes.

    Args:
        data: the file.
        name: of the file, for messages.
        folder: where the files lie that it keeps large arrays in; None: there are none.
    """
    return _ModelReader(name, folder).program(parse(data, "Model", SCHEMAS, name))


def program_of_node(node: bytes, version: int, ports: Mapping[str, Port]) -> ForeignProgram:
    """Read one node of ONNX's own operators as a program of it alone.

    Args:
        node: a `NodeProto`, serialized.
        version: of the operator set.
        ports: its inputs by name.
    """
    reader = GraphReader("node", None)
    reader.versions = {"": version}
    one = reader.node(parse(node, "Node", SCHEMAS, "node"))
    inputs = tuple(ports[name] for name in dict.fromkeys(filter(None, one.inputs)))
    graph = ForeignGraph(inputs, (one,), tuple(map(Port, filter(None, one.outputs))))
    program = ForeignProgram("node", ONNX, graph)
    check_program(program)
    return program


class _ModelReader(GraphReader):
    def program(self, model: Message) -> ForeignProgram:
        if "graph" not in model or not model.get("opsets"):
            raise self.fail("it is no ONNX model: it has no graph, or no operator set")
        if not 0 <= model.get("ir", 0) <= NEWEST_IR:
            text = f"{self.name} is of ONNX IR version {model['ir']}"
            raise LoadError("E602", text, help=f"hybridize reads up to {NEWEST_IR}")
        self.versions = self.opsets(model["opsets"])
        version = self.versions.get("", 0)
        if not OLDEST_OPSET <= version <= NEWEST_OPSET and "" in self.versions:
            text = f"{self.name} is written in operator set {version} of ONNX"
            help = f"hybridize reads {OLDEST_OPSET} to {NEWEST_OPSET}; onnx.version_converter changes a model's"
            raise LoadError("E602", text, help=help)
        functions = {}
        for one in model.get("functions", ()):
            functions[operator_of(one.get("domain", ""), one.get("name", ""))] = self.function(one)
        graph = self.graph(model["graph"], main=True)
        notes = {
            "producer": model.get("producer", ""),
            "producer version": model.get("producer_version", ""),
            "operator set": ", ".join(f"{domain or 'ai.onnx'} {number}" for domain, number in self.versions.items()),
            "domain": model.get("domain", ""),
            "version": str(model.get("version") or ""),
            "graph": model["graph"].get("name", ""),
            "description": model.get("doc", ""),
            "graph description": model["graph"].get("doc", ""),
            **{one.get("key", ""): one.get("value", "") for one in model.get("metadata", ())},
        }
        nodes = [node for one in (graph, *functions.values()) for node in one.nodes]
        statistics = {name for node in nodes if node.op == "BatchNormalization" for name in node.inputs[3:5]}
        trained = {name for name, array in self.weights.items() if is_float(array.dtype)} - statistics
        program = ForeignProgram(self.name, ONNX, graph, functions, self.weights, trained=frozenset(trained),
                                 metadata={key: text for key, text in notes.items() if text})  # fmt: skip
        check_program(program)
        return settled(program)
