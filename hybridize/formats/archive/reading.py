# SPDX-License-Identifier: Apache-2.0
"""An archive as a program. What only a run needs is read at once: what goes in and out, weights, code for this machine.

Graphs are read when somebody looks inside (`graph.Deferred`), samples and code for other machines when they are asked
for. This module is loaded with hybridize and brings along nothing that is not.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, TypeVar

from numpy.typing import NDArray

from hybridize.base import dims
from hybridize.base.digests import digest as content_digest
from hybridize.base.dims import Dim, parse_scope
from hybridize.base.dtypes import BY_CODE
from hybridize.base.errors import HybridizeError, LoadError
from hybridize.base.loading import LOADING
from hybridize.base.nested import Structure
from hybridize.base.types import TensorType
from hybridize.compiler.archived import Code
from hybridize.formats.archive.container import PROGRAM, Container, damaged, opened, received, unsound
from hybridize.formats.archive.description import arguments_in, check_scalars, leaf_in, structure_in, word
from hybridize.formats.cursor import MAX_AXES
from hybridize.formats.saved import CheckedCall, Leaf, SavedProgram, SavedSignature
from hybridize.graph import Deferred, Graph, Value, parse, verify
from hybridize.graph.text import digest
from hybridize.ops import OPS

Array = NDArray[Any]
T = TypeVar("T")

_MALFORMED = (KeyError, TypeError, ValueError, AttributeError, IndexError, RecursionError, OverflowError)
"""Exceptions that reading anything but what was written may raise."""


def read_archive(path: str | os.PathLike[str]) -> SavedProgram:
    """Read a program.

    Its weights are views of the file, mapped so that writing to one changes a copy in memory and never the file, and
    each is checked when it is first asked for. Replace the file if you must, never write into it while it is in use.

    Raises:
        LoadError E600: the file cannot be opened.
        LoadError E604: it is no archive of hybridize, or its parts do not fit each other.
        LoadError E605: it was written by another version.
        LoadError E614: it is damaged: a checksum does not fit. For weights, when they are asked for.
    """
    program = read_if_archive(path)
    if program is None:
        raise unsound(os.fspath(path), "its header does not say that it is one")
    return program


def read_if_archive(path: str | os.PathLike[str]) -> SavedProgram | None:
    """`read_archive` for archives; None for all other files, so that they are looked at but once."""
    container = opened(os.fspath(path))
    return None if container is None else _guarded(container, partial(_program, container))


def read_received(name: str, content: Any, *, common: bool = True) -> SavedProgram:
    """`read_archive` for the bytes of a file, which came some other way, as `name` says; `common` as of `received`."""
    container = received(name, content, common=common)
    if container is None:
        raise unsound(name, "its header does not say that it is one")
    return _guarded(container, partial(_program, container))


def _guarded(container: Container, read: Callable[[], T]) -> T:
    """Return what `read` returns; whatever it raises means that the file is not sound."""
    try:
        return read()
    except LoadError:
        raise
    except HybridizeError as error:
        raise container.fail(error.what) from error
    except _MALFORMED as error:
        raise container.fail(f"the description of the program is not whole ({error!r})") from error


def _program(container: Container) -> SavedProgram:
    tree = container.program()
    for name, entry in container.entries.items():
        if name.startswith("hybridize:") and not name.startswith("hybridize:code:") and name != PROGRAM:
            container.check(name)  # small: graphs and lines
        elif not name.startswith(("weight:", "constant:", "sample:", "hybridize:")) and entry.nbytes:
            raise container.fail(f"nothing is known of its tensor {name!r}")
    signatures = tree["signatures"]
    if not isinstance(signatures, list):
        raise TypeError("signatures are a list")
    codes = [_code(container, part) for part in tree["process"]]
    return SavedProgram(
        name=word(tree["name"]),
        signatures=tuple([_signature(container, number, part) for number, part in enumerate(signatures)]),
        weights=_Tensors(container, "weight:"),
        argument_names=tuple(map(word, tree["argument_names"])),
        none_defaults=tuple(map(word, tree.get("none_defaults", ()))),
        options=_options(tree["options"]),
        process=tuple(codes),
        file=partial(_with_weights, container),
        identity=container.identity,
    )


def _with_weights(container: Container, weights: Mapping[str, Array]) -> bytes:
    return container.with_tensors({f"weight:{name}": array for name, array in weights.items()})


def _options(tree: Any) -> dict[str, Any]:
    """Keywords of `hybridize`."""
    flags = [tree.get(name, False) for name in ("freeze", "winograd", "modeless")]
    if tree.get("backend", "llvm") not in ("llvm", "numpy") or any(type(flag) is not bool for flag in flags):
        raise ValueError(f"its options are {tree!r}")
    return {word(key): value for key, value in tree.items()}


def _signature(container: Container, number: int, tree: dict[str, Any]) -> SavedSignature:
    lines = tuple(map(word, tree["sizes"]))
    scope, symbols = parse_scope(lines) if lines else (None, {})
    inputs = _inputs(tree["inputs"], symbols)
    leaves, result_leaves = tuple(map(leaf_in, tree["leaves"])), tuple(map(leaf_in, tree["result_leaves"]))
    arguments, result = arguments_in(tree["arguments"], len(leaves)), structure_in(tree["result"])
    state, writes = tuple(map(word, tree["state"])), tuple(tree["writes"])
    count = _count(arguments, leaves)
    outputs = _count(result, result_leaves) + len(writes)
    if len(inputs) != count + len(state):
        raise ValueError("a graph and the description of its arguments do not fit")
    check_scalars(leaves, inputs[:count])
    for name, value in zip(state, inputs[count:], strict=True):
        entry = container.entries[f"weight:{name}"]
        if (entry.shape, entry.dtype) != (value.type.shape, value.type.dtype):
            raise ValueError(f"weight {name!r} is not {value.type}")
    if writes and any(type(position) is not int or not 0 <= position < len(inputs) for position in writes):
        raise ValueError(f"it writes to inputs {writes}")
    read = partial(_graph, container, number, inputs, lines, symbols, result_leaves, writes)
    return SavedSignature(
        graph=Deferred(inputs, lambda: _guarded(container, read), scope),
        arguments=arguments,
        leaves=leaves,
        result=result,
        result_leaves=result_leaves,
        state=state,
        writes=writes,
        training=tree["training"] is True,
        samples=_Samples(container, number, tree["samples"], (count, outputs)),
        codes=tuple([_code(container, part) for part in tree["codes"]]),
    )


def _count(structure: Structure, leaves: Sequence[Leaf]) -> int:
    """Count the leaves that are arrays of the graph."""
    if structure.leaves != len(leaves):
        raise ValueError("a structure and its leaves do not fit")
    return len([leaf for leaf in leaves if leaf.kind != "constant"])


def _inputs(parts: list[Any], symbols: Mapping[str, Dim]) -> tuple[Value, ...]:
    """Read the inputs of the graph."""
    values = []
    for name, code, shape in parts:
        sizes = tuple([dims.parse(part, symbols) if isinstance(part, str) else part for part in shape])
        if len(sizes) > MAX_AXES:
            raise ValueError(f"an input has {len(sizes)} axes")
        for size in sizes:
            if not (size >= 0 if type(size) is int else dims.is_symbolic(size)):
                raise ValueError(f"{size!r} is not a size")
        values.append(Value(TensorType(sizes, BY_CODE[code]), word(name)))
    return tuple(values)


def _graph(
    container: Container,
    number: int,
    inputs: tuple[Value, ...],
    lines: tuple[str, ...],
    symbols: Mapping[str, Dim],
    results: Sequence[Leaf],
    writes: tuple[int, ...],
) -> Graph:
    """A graph from its text."""
    with LOADING:
        from hybridize.formats.archive.lines import with_lines  # late: most processes only run programs

    text = container.content(f"hybridize:graph:{number}").decode()
    graph = verify(parse(text, OPS, _GraphConstants(container), inputs, symbols))
    header = text.partition("\n")[0] if text.startswith("sizes(") else ""
    if len(graph.inputs) != len(inputs) or header != (f"sizes({', '.join(map(json.dumps, lines))})" if lines else ""):
        raise ValueError("a graph takes other inputs than its description says")
    count = len(graph.outputs) - len(writes)
    if count != sum(leaf.kind != "constant" for leaf in results):
        raise ValueError("a graph and the description of its results do not fit")
    check_scalars(results, graph.outputs[:count])
    for position, output in zip(writes, graph.outputs[count:], strict=True):
        if str(graph.inputs[position].type) != str(output.type):
            raise ValueError(f"it writes {output.type} to {graph.inputs[position].type}")
    return with_lines(graph, json.loads(container.content(f"hybridize:lines:{number}")))


def _code(container: Container, tree: dict[str, Any]) -> Code:
    section, expected = word(tree["section"]), bytes.fromhex(tree["digest"])
    numbers, facts = tree["numbers"], tree["said"]
    if [type(number) for number in (tree["abi"], *numbers)] != [int] * (1 + len(numbers)) or type(facts) is not dict:
        raise ValueError(f"{section} is for no runtime")

    def read() -> bytes:
        content = container.bytes_of(section)
        if content_digest(content) != expected:  # of more bits than the checksum: this is what will be run
            raise damaged(container.source, repr(section))
        return content

    entry = container.entries[section]
    constant = _Constants(container).__getitem__
    return Code(
        word(tree["kind"]), word(tree["target"]), tree["abi"], tuple(numbers), entry.nbytes, facts, read, constant
    )


class _Tensors(Mapping[str, Array]):
    """Tensors of one kind by name, checked when they are asked for."""

    def __init__(self, container: Container, prefix: str) -> None:
        self._container = container
        self._prefix = prefix

    def __getitem__(self, name: str) -> Array:
        full = self._prefix + name
        if full not in self._container.entries:
            raise KeyError(name)
        return self._container.array(full)

    def __iter__(self) -> Iterator[str]:
        prefix = self._prefix
        return (name[len(prefix) :] for name in self._container.entries if name.startswith(prefix))

    def __len__(self) -> int:
        return sum(1 for _ in self)


class _Constants(_Tensors):
    """Constants by their digests."""

    def __init__(self, container: Container) -> None:
        super().__init__(container, "constant:")

    def __getitem__(self, name: str) -> Array:
        array = super().__getitem__(name)
        array.setflags(write=False)
        return array


class _GraphConstants(_Constants):
    """Constants that graphs name: by these digests, not only under them."""

    def __getitem__(self, name: str) -> Array:
        array = super().__getitem__(name)
        if digest(array) != name:
            raise self._container.fail(f"constant {name} has another content")
        return array


class _Samples(Sequence[CheckedCall]):
    """The calls that a file holds with what they gave, checked when they are asked for."""

    def __init__(self, container: Container, number: int, counts: Any, expected: tuple[int, int]) -> None:
        self._container = container
        self._number = number
        self._counts = [(inputs, outputs) for inputs, outputs in counts]
        if self._counts.count(expected) != len(self._counts):
            raise ValueError("samples are of other arguments and results")

    def __len__(self) -> int:
        return len(self._counts)

    def __getitem__(self, position: Any) -> Any:
        if isinstance(position, slice):
            return tuple(self[k] for k in range(len(self))[position])
        position = range(len(self))[position]
        inputs, outputs = self._counts[position]
        return CheckedCall(self._arrays(position, "input", inputs), self._arrays(position, "output", outputs))

    def _arrays(self, position: int, kind: str, count: int) -> tuple[Array, ...]:
        names = [f"sample:{self._number}:{position}:{kind}:{k}" for k in range(count)]
        return tuple([self._container.array(name) for name in names])
