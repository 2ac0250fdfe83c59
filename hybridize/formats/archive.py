# SPDX-License-Identifier: Apache-2.0
"""Our own archive: one safetensors file. The tensors are weights and constants, the header says the rest.

    __metadata__: {"format": "hybridize", "version": "1", "program": JSON, "checksum": sha256 of JSON and tensors}
    tensors:      "weight:NAME" (what the function read from outside), "constant:SHA256" (of the graphs)
    program:      {"name", "argument_names", "options", "signatures": [{"graph": text, "arguments": structure,
                  "leaves": [...], "result": structure, "result_leaves": [...], "state": [...],
                  "writes": [...], "training": bool}]}

Graphs are in their text form, so an archive holds no code: every op is looked up by name and typed again.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections import namedtuple
from collections.abc import Iterable, Iterator
from typing import Any

import numpy
from numpy.typing import NDArray
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save_file

from hybridize.base.dtypes import CODES
from hybridize.base.errors import ArgumentError, HybridizeError, LoadError
from hybridize.base.nested import Structure
from hybridize.base.types import TensorType
from hybridize.formats.atomic import replacing
from hybridize.formats.saved import Leaf, SavedProgram, SavedSignature
from hybridize.graph import Graph, parse, verify
from hybridize.graph.text import digest
from hybridize.ops import OPS

FORMAT, VERSION = "hybridize", "1"
_STRUCTURES = ("leaf", "none", "tuple", "list", "dict", "namedtuple")
_PLAIN = (type(None), bool, int, float, str)


# ----------------------------------------------------------------------------------------------------------- writing


def write_archive(path: str | os.PathLike[str], program: SavedProgram) -> None:
    """Write a program to one file, atomically.

    Raises:
        ArgumentError E304: a constant argument or key that no file can hold.
    """
    tensors = {f"weight:{name}": array for name, array in program.weights.items()}
    for signature in program.signatures:
        for array in _constants(signature.graph):
            if digest(array) in signature.graph.text:  # small ones stand there themselves
                tensors[f"constant:{digest(array)}"] = array
    tensors = {name: numpy.ascontiguousarray(array).reshape(array.shape) for name, array in tensors.items()}
    text = json.dumps(_program_out(program), separators=(",", ":"))
    metadata = {"format": FORMAT, "version": VERSION, "program": text, "checksum": _checksum(text, tensors)}
    with replacing(path) as temporary:
        save_file(tensors, temporary, metadata)


def _constants(graph: Graph) -> Iterator[NDArray[Any]]:
    """All of them, in sub-graphs too."""
    yield from graph.constants.values()
    for node in graph.nodes:
        for value in vars(node.op).values():
            for item in value if isinstance(value, tuple) else (value,):
                if isinstance(item, Graph):
                    yield from _constants(item)


def _program_out(program: SavedProgram) -> dict[str, Any]:
    return {
        "name": program.name,
        "argument_names": list(program.argument_names),
        "options": dict(program.options),
        "signatures": [_signature_out(signature) for signature in program.signatures],
    }


def _signature_out(signature: SavedSignature) -> dict[str, Any]:
    return {
        "graph": signature.graph.text,
        "arguments": _structure_out(signature.arguments),
        "leaves": [_leaf_out(leaf) for leaf in signature.leaves],
        "result": _structure_out(signature.result),
        "result_leaves": [_leaf_out(leaf) for leaf in signature.result_leaves],
        "state": list(signature.state),
        "writes": list(signature.writes),
        "training": signature.training,
    }


def _leaf_out(leaf: Leaf) -> list[Any]:
    return [leaf.kind] if leaf.kind == "array" else [leaf.kind, _plain(leaf.value)]


def _plain(value: Any) -> Any:
    if type(value) not in _PLAIN:
        raise ArgumentError(
            "E304",
            f"an argument, result or key {value!r} of class {type(value).__name__} cannot be saved",
            help="arrays, numbers, strings and None can",
        )
    return value


def _structure_out(structure: Structure) -> dict[str, Any]:
    out: dict[str, Any] = {"kind": structure.kind}
    if structure.children:
        out["children"] = [_structure_out(child) for child in structure.children]
    if structure.kind == "dict":
        out["keys"] = [_plain(key) for key in structure.keys]
    if structure.cls is not None:
        out["class"] = [structure.cls.__name__, *structure.cls._fields]  # type: ignore[attr-defined]
    return out


def _checksum(text: str, tensors: dict[str, NDArray[Any]]) -> str:
    total = hashlib.sha256(text.encode())
    for name in sorted(tensors):
        array = tensors[name]
        total.update(f"\n{name} {TensorType(array.shape, array.dtype)}\n".encode())
        if array.size:
            total.update(array.reshape(-1).view(numpy.uint8).data)
    return total.hexdigest()


# ----------------------------------------------------------------------------------------------------------- reading


def read_archive(path: str | os.PathLike[str]) -> SavedProgram:
    """Read a program back.

    Raises:
        LoadError E600: the file cannot be opened.
        LoadError E604: it is no archive of hybridize, is damaged, or of a later version.
    """
    source = os.fspath(path)
    try:
        metadata, tensors = _open(source)
    except OSError as error:
        raise LoadError("E600", f"cannot read {source}: {error.strerror or error}") from error
    except (SafetensorError, ValueError, TypeError, OverflowError) as error:
        raise LoadError("E604", f"{source} is no archive of hybridize: {error}") from error
    return _Reader(source, tensors).program(metadata)


def _open(source: str) -> tuple[dict[str, str], dict[str, NDArray[Any]]]:
    with safe_open(source, framework="numpy") as file:
        return dict(file.metadata() or {}), {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118


class _Reader:
    def __init__(self, source: str, tensors: dict[str, NDArray[Any]]) -> None:
        self.source = source
        self.tensors = tensors

    def fail(self, what: str) -> LoadError:
        return LoadError("E604", f"{self.source} is no sound archive of hybridize: {what}")

    def program(self, metadata: dict[str, str]) -> SavedProgram:
        if metadata.get("format") != FORMAT:
            raise self.fail("its header does not say that it is one")
        if metadata.get("version") != VERSION:
            raise LoadError(
                "E605",
                f"{self.source} is an archive of version {metadata.get('version')}, this hybridize reads {VERSION}",
            )
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
            name=_word(tree["name"]),
            signatures=tuple(self._signature(part, weights, constants) for part in tree["signatures"]),
            weights=weights,
            argument_names=tuple(map(_word, tree["argument_names"])),
            options={_word(key): value for key, value in tree["options"].items()},
        )

    def _signature(
        self, tree: dict[str, Any], weights: dict[str, NDArray[Any]], constants: dict[str, NDArray[Any]]
    ) -> SavedSignature:
        graph = parse(tree["graph"], OPS, constants)
        verify(graph)
        signature = SavedSignature(
            graph=graph,
            arguments=_structure_in(tree["arguments"]),
            leaves=tuple(map(_leaf_in, tree["leaves"])),
            result=_structure_in(tree["result"]),
            result_leaves=tuple(map(_leaf_in, tree["result_leaves"])),
            state=tuple(map(_word, tree["state"])),
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
        for name, value in zip(signature.state, graph.inputs[arguments:], strict=True):
            weight = weights[name]
            if TensorType(weight.shape, weight.dtype) != value.type:
                raise self.fail(f"weight {name!r} is not {value.type}")
        for position, output in zip(signature.writes, graph.outputs[results:], strict=True):
            if type(position) is not int or not 0 <= position < len(graph.inputs):
                raise self.fail(f"it writes to input {position!r}")
            if graph.inputs[position].type != output.type:
                raise self.fail(f"it writes {output.type} to {graph.inputs[position].type}")


def _word(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{value!r} is no string")
    return value


def _leaf_in(tree: list[Any]) -> Leaf:
    kind, *value = tree
    if kind not in ("array", "scalar", "constant") or len(value) != (kind != "array"):
        raise ValueError(f"{tree!r} is no leaf")
    if value and type(value[0]) not in _PLAIN:
        raise ValueError(f"{tree!r} is no leaf")
    return Leaf(kind, *value)


def _structure_in(tree: dict[str, Any]) -> Structure:
    kind = tree["kind"]
    children = tuple(_structure_in(child) for child in tree.get("children", ()))
    if kind not in _STRUCTURES or (children and kind in ("leaf", "none")):
        raise ValueError(f"{kind!r} is no structure")
    keys: tuple[Any, ...] = ()
    if kind == "dict":
        keys = tuple(tree["keys"])
        if len(set(keys)) != len(children) or any(type(key) not in _PLAIN for key in keys):
            raise ValueError("the keys of a dict do not fit")
    cls = None
    if kind == "namedtuple":
        name, *fields = map(_word, tree["class"])
        if len(fields) != len(children):
            raise ValueError("the fields of a named tuple do not fit")
        cls = _named_tuple(name, fields)
    return Structure(kind, children, keys, cls)


def _named_tuple(name: str, fields: Iterable[str]) -> type:
    # Names that are no identifiers are refused there, so nothing of the file is run.
    return namedtuple(name, fields)
