# SPDX-License-Identifier: Apache-2.0
"""A program as an archive: weights and constants as tensors, all else as sections of bytes beside them."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import numpy
from numpy.typing import NDArray

from hybridize.base.digests import digest as bytes_digest
from hybridize.base.dims import is_symbolic
from hybridize.base.dims import text as size_text
from hybridize.base.dtypes import CODES, uint8
from hybridize.base.errors import CodegenError, ValueArgumentError
from hybridize.base.version import VERSION
from hybridize.compiler import archived
from hybridize.compiler.archived import CompiledCode
from hybridize.compiler.stored import constants_in
from hybridize.formats.archive.container import checksum, chunks, laid_out
from hybridize.formats.archive.description import arguments_out, leaf_out, structure_out
from hybridize.formats.archive.lines import lines_out
from hybridize.formats.atomic import write_atomically
from hybridize.formats.saved import SavedProgram, SavedSignature
from hybridize.graph.text import digest
from hybridize.machine.target import NAMES, labelled_target, named_target
from hybridize.runtime import abi
from hybridize.runtime.entry import state_offset

Array = NDArray[Any]

Targets = str | Sequence[str] | None
"""Names of targets; None and `"native"` stand for this machine's level, and nothing for no machine code."""


def write_archive(path: str | os.PathLike[str], program: SavedProgram, targets: Targets = None) -> None:
    """Write a program to one file, atomically.

    Args:
        path: of the file; one that is there is replaced when the new one is whole.
        program: what is written.
        targets: machines to bring machine code along for; see `Function.save`.

    Raises:
        ArgumentError E304: a constant argument or key that no file can hold.
        ValueArgumentError E345: a target that there is not.
    """
    write_atomically(path, _Writer(program, chosen(targets)).chunks())


def content(program: SavedProgram, targets: Targets = None) -> bytes:
    """Return the bytes of the file that `write_archive` would write."""
    return b"".join(_Writer(program, chosen(targets)).chunks())


def chosen(targets: Targets) -> tuple[str, ...]:
    """The targets that are asked for, by the labels that files know them by.

    Raises:
        ValueArgumentError E345: there is no such target.
    """
    choice = (targets,) if isinstance(targets, str) else targets
    names = ("native",) if choice is None else tuple(choice)
    labels = (label for name in names for label in (archived.native() if name == "native" else (_label(name),)))
    return tuple(dict.fromkeys(labels))


def _label(name: str) -> str:
    try:
        target = named_target(name)
    except CodegenError as error:
        raise _no_code(name) from error
    if not target.system:
        raise _no_code(name)
    return target.label


def _no_code(name: str) -> ValueArgumentError:
    known = ", ".join(one for one in NAMES if labelled_target(one).system)
    return ValueArgumentError(
        "E345",
        f"archives cannot hold code for {name!r}",
        help=f"use native, {known}; of another operating system as in avx2-windows, aarch64-macos, avx2-linux",
    )


class _Writer:
    def __init__(self, program: SavedProgram, targets: tuple[str, ...]) -> None:
        self.program = program
        self.targets = targets if program.options.get("backend") != "numpy" else ()
        self.tensors: dict[str, Array] = {f"weight:{name}": array for name, array in program.weights.items()}
        self.threads = False
        """True if any code may use threads."""

    def chunks(self) -> Iterator[bytes | memoryview]:
        program = self.program
        signatures = [self._signature(number, one) for number, one in enumerate(program.signatures)]
        tree: dict[str, Any] = {
            "writer": VERSION,
            "name": program.name,
            "argument_names": list(program.argument_names),
            "options": dict(program.options),
            "signatures": signatures,
            "process": [code for target in self.targets for code in self._process(target)],
        }
        if program.none_defaults:
            tree["none_defaults"] = list(program.none_defaults)
        tensors = laid_out(self.tensors)
        tree["checks"] = [checksum(array) for array in tensors.values()]
        return chunks(tensors, json.dumps(tree, separators=(",", ":")).encode())

    def _signature(self, number: int, signature: SavedSignature) -> dict[str, Any]:
        graph = signature.graph
        for array in constants_in(graph):
            name = digest(array)
            if name in graph.text:  # small ones stand there themselves
                self.tensors[f"constant:{name}"] = array
        self._section(f"hybridize:graph:{number}", graph.text.encode())
        self._section(f"hybridize:lines:{number}", json.dumps(lines_out(graph), separators=(",", ":")).encode())
        for position, sample in enumerate(signature.samples):
            for kind, arrays in (("input", sample.inputs), ("output", sample.outputs)):
                for k, array in enumerate(arrays):
                    self.tensors[f"sample:{number}:{position}:{kind}:{k}"] = array
        return {
            "inputs": [[value.name, CODES[value.type.dtype], _shape(value.type.shape)] for value in graph.inputs],
            "sizes": [] if graph.scope is None else [*graph.scope.lines()],
            "arguments": arguments_out(signature.arguments),
            "leaves": [leaf_out(leaf) for leaf in signature.leaves],
            "result": structure_out(signature.result),
            "result_leaves": [leaf_out(leaf) for leaf in signature.result_leaves],
            "state": list(signature.state),
            "writes": list(signature.writes),
            "training": signature.training,
            "samples": [[len(sample.inputs), len(sample.outputs)] for sample in signature.samples],
            "codes": [self._program_code(number, signature, target) for target in self.targets],
        }

    def _program_code(self, number: int, signature: SavedSignature, target: str) -> dict[str, Any]:
        code = archived.program_code(signature.graph, target, _stable(signature), self._named_by(signature))
        self.threads = self.threads or code.threads
        return self._code(f"hybridize:code:{number}:{target}", "program", target, (), code)

    def _named_by(self, signature: SavedSignature) -> Callable[[Array], str | None]:
        known: dict[int, str] = {}

        def named(array: Array) -> str | None:
            if array.nbytes <= archived.SMALL_BYTES:
                return None
            name = known.setdefault(id(array), digest(array))
            self.tensors[f"constant:{name}"] = array
            return name

        return named

    def _process(self, target: str) -> Iterable[dict[str, Any]]:
        """Write the code that a process needs once to run any program of the file."""
        offset = state_offset()
        kinds: list[tuple[str, tuple[int, ...]]] = [] if offset is None else [("entry", (offset,))]
        if self.threads:
            kinds.append(("pool", ()))
        for kind, numbers in kinds:
            code = archived.process_code(kind, target, numbers)
            yield self._code(f"hybridize:code:{kind}:{target}", kind, target, numbers, code)

    def _code(self, section: str, kind: str, target: str, numbers: Sequence[int], code: CompiledCode) -> dict[str, Any]:
        self._section(section, code.content)
        return {
            "section": section,
            "kind": kind,
            "target": target,
            "abi": abi.NUMBER,
            "numbers": list(numbers),
            "digest": bytes_digest(code.content).hex(),
            "said": code.facts,
        }

    def _section(self, name: str, content: bytes) -> None:
        self.tensors[name] = numpy.frombuffer(content, uint8)


def _shape(shape: Sequence[Any]) -> list[int | str]:
    return [size_text(size) if is_symbolic(size) else size for size in shape]


def _stable(signature: SavedSignature) -> list[int]:
    """Numbers of the inputs that a loaded function may derive constants of."""
    if signature.training:
        return []
    inputs = signature.graph.inputs
    first = len(inputs) - len(signature.state)
    return [k for k in range(first, len(inputs)) if k not in signature.writes]
