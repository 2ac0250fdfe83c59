# SPDX-License-Identifier: Apache-2.0
"""Archives of version 1, which are read and no longer written. One safetensors file; the header says the rest.

__metadata__: {"format": "hybridize", "version": "1", "program": JSON, "checksum": sha256 of JSON and tensors}
tensors:      "weight:NAME" (what the function read from outside), "constant:SHA256" (of the graphs)
program:      {"name", "argument_names", "options", "signatures": [{"graph": text, "arguments": structure,
"leaves": [...], "result": structure, "result_leaves": [...], "state": [...],
"writes": [...], "training": bool}]}
"""

from __future__ import annotations

import hashlib
import json
from typing import Any

import numpy
from numpy.typing import NDArray
from safetensors import SafetensorError, safe_open

from hybridize.base.dtypes import CODES
from hybridize.base.errors import HybridizeError, LoadError
from hybridize.base.types import TensorType
from hybridize.formats.archive.container import later, unsound
from hybridize.formats.archive.description import arguments_in, check_scalars, leaf_in, structure_in, word
from hybridize.formats.saved import SavedProgram, SavedSignature
from hybridize.graph import parse, verify
from hybridize.graph.text import digest
from hybridize.ops import OPS

FORMAT, VERSION = "hybridize", "1"


def read(source: str) -> SavedProgram:
    """Read a program.

    Raises:
        LoadError E600: the file cannot be opened.
        LoadError E604, E605: it is no archive of hybridize, is damaged, or of a later version.
    """
    try:
        metadata, tensors = _open(source)
    except OSError as error:
        raise LoadError("E600", f"cannot read {source}: {error.strerror or error}") from error
    except (SafetensorError, ValueError, TypeError, OverflowError) as error:
        raise unsound(source, str(error)) from error
    return _Reader(source, tensors).program(metadata)


def _open(source: str) -> tuple[dict[str, str], dict[str, NDArray[Any]]]:
    with safe_open(source, framework="numpy") as file:
        return dict(file.metadata() or {}), {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118


class _Reader:
    def __init__(self, source: str, tensors: dict[str, NDArray[Any]]) -> None:
        self.source = source
        self.tensors = tensors

    def fail(self, what: str) -> LoadError:
        return unsound(self.source, what)

    def program(self, metadata: dict[str, str]) -> SavedProgram:
        if metadata.get("format") != FORMAT:
            raise self.fail("its header does not say that it is one")
        if metadata.get("version") != VERSION:
            raise later(self.source, str(metadata.get("version")))
        text = metadata.get("program", "")
        for name, array in self.tensors.items():
            if array.dtype not in CODES:
                raise self.fail(f"tensor {name!r} has the dtype {array.dtype}")
        if metadata.get("checksum") != _checksum(text, self.tensors):
            raise self.fail("its checksum does not fit its contents")
        try:
            return self._program(json.loads(text))
        except HybridizeError as error:
            if isinstance(error, LoadError):
                raise
            raise self.fail(error.what) from error
        except (KeyError, TypeError, ValueError, AttributeError, IndexError, RecursionError, OverflowError) as error:
            raise self.fail(f"the description of the program is not whole ({error!r})") from error

    def _program(self, tree: dict[str, Any]) -> SavedProgram:
        weights = {n.removeprefix("weight:"): a for n, a in self.tensors.items() if n.startswith("weight:")}
        constants = {n.removeprefix("constant:"): a for n, a in self.tensors.items() if n.startswith("constant:")}
        for name, array in constants.items():
            if digest(array) != name:
                raise self.fail(f"constant {name} has another content")
            array.setflags(write=False)
        return SavedProgram(
            name=word(tree["name"]),
            signatures=tuple(self._signature(part, weights, constants) for part in tree["signatures"]),
            weights=weights,
            argument_names=tuple(map(word, tree["argument_names"])),
            options={word(key): value for key, value in tree["options"].items()},
        )

    def _signature(
        self, tree: dict[str, Any], weights: dict[str, NDArray[Any]], constants: dict[str, NDArray[Any]]
    ) -> SavedSignature:
        graph = parse(tree["graph"], OPS, constants)
        verify(graph)
        signature = SavedSignature(
            graph=graph,
            arguments=arguments_in(tree["arguments"], len(tree["leaves"])),
            leaves=tuple(map(leaf_in, tree["leaves"])),
            result=structure_in(tree["result"]),
            result_leaves=tuple(map(leaf_in, tree["result_leaves"])),
            state=tuple(map(word, tree["state"])),
            writes=tuple(tree["writes"]),
            training=bool(tree["training"]),
        )
        self._agrees(signature, weights)
        return signature

    def _agrees(self, signature: SavedSignature, weights: dict[str, NDArray[Any]]) -> None:
        """The parts fit each other: leaves and structures, inputs and weights, outputs and writes."""
        graph = signature.graph
        arguments = sum(leaf.kind != "constant" for leaf in signature.leaves)
        results = sum(leaf.kind != "constant" for leaf in signature.result_leaves)
        if (
            signature.arguments.leaves != len(signature.leaves)
            or signature.result.leaves != len(signature.result_leaves)
            or len(graph.inputs) != arguments + len(signature.state)
            or len(graph.outputs) != results + len(signature.writes)
        ):
            raise self.fail("a graph and the description of its arguments and results do not fit")
        check_scalars(signature.leaves, graph.inputs[:arguments])
        check_scalars(signature.result_leaves, graph.outputs[:results])
        for name, value in zip(signature.state, graph.inputs[arguments:], strict=True):
            weight = weights[name]
            if TensorType(weight.shape, weight.dtype) != value.type:
                raise self.fail(f"weight {name!r} is not {value.type}")
        for position, output in zip(signature.writes, graph.outputs[results:], strict=True):
            if type(position) is not int or not 0 <= position < len(graph.inputs):
                raise self.fail(f"it writes to input {position!r}")
            if graph.inputs[position].type != output.type:
                raise self.fail(f"it writes {output.type} to {graph.inputs[position].type}")


def _checksum(text: str, tensors: dict[str, NDArray[Any]]) -> str:
    total = hashlib.sha256(text.encode())
    for name in sorted(tensors):
        array = tensors[name]
        total.update(f"\n{name} {TensorType(array.shape, array.dtype)}\n".encode())
        if array.size:
            total.update(array.reshape(-1).view(numpy.uint8).data)
    return total.hexdigest()
