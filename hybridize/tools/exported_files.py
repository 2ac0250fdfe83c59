# SPDX-License-Identifier: Apache-2.0
"""C libraries and WebAssembly on the command line: what they say of themselves, and what they give."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy
from numpy.typing import NDArray

from hybridize.base.dtypes import BY_NAME
from hybridize.base.errors import ArgumentError, LoadError, ShapeError
from hybridize.base.types import TensorType
from hybridize.formats import checking
from hybridize.formats.library.platforms import host
from hybridize.formats.library.reading import read_library
from hybridize.formats.wasm.container import read_wasm
from hybridize.tools.tables import Grid


def library(path: Path) -> list[Grid]:
    """Describe a C library: inputs, outputs, the machines it is for, and its parts.

    Raises:
        LoadError E600, E642: it cannot be read, or is not one of ours.
    """
    facts = read_library(path)
    levels = ", ".join(facts.platform.levels)
    notes = [f"{path.name} is a C library for {facts.platform.name}, with code for {levels}, {facts.nbytes:,} bytes"]
    beside = path.with_name(f"{facts.name}.safetensors")
    if beside.is_file():
        notes.append(f"its weights may be in {beside.name}, {beside.stat().st_size:,} bytes")
    rows = [(one.name, "code" if one.code else "data", f"{one.nbytes:,}") for one in facts.sections]
    return [_arrays(facts.description, notes), Grid("sections", ("name", "kind", "bytes"), rows, words=2)]


def module(path: Path) -> list[Grid]:
    """Describe the inputs and outputs of a WebAssembly module.

    Raises:
        LoadError E600, E604: it cannot be read, or is not one of ours.
    """
    facts = read_wasm(path)
    nbytes = path.stat().st_size
    code, weights = facts.code_bytes, facts.weight_bytes
    notes = [f"{path.name} is WebAssembly, {code:,} bytes of code, {weights:,} of weights, {nbytes:,} in all"]
    if facts.kernels is not None:
        refused = facts.kernels.get("refused")
        notes.append(f"no kernels for WebGPU: {refused}" if refused else "with kernels for WebGPU")
    return [_arrays(facts.description, notes)]


def _arrays(description: Mapping[str, Any], notes: Sequence[str]) -> Grid:
    rows = [
        (kind, str(one["name"]), str(one["dtype"]), _shape(one))
        for kind in ("input", "output")
        for one in description[f"{kind}s"]
    ]
    notes = [*notes, *(f"sizes: {line}" for line in description.get("sizes", ()))]
    notes += ["it draws random numbers"] if description.get("random") else []
    return Grid(str(description["name"]), ("", "name", "dtype", "shape"), rows, tuple(notes), words=4)


def _shape(one: Mapping[str, Any]) -> str:
    return f"[{','.join(map(str, one['shape']))}]"


def run_library(path: Path, inputs: Sequence[NDArray[Any]]) -> list[NDArray[Any]]:
    """Call a C library with arrays in a process of its own, and return its results.

    Raises:
        LoadError E642, E643: it is not one of ours, or for another machine.
        ArgumentError E310, ShapeError E120: the arrays are not those that it takes.
    """
    facts = read_library(path)
    if facts.platform.name != host():
        raise LoadError(
            "E643",
            f"{path} is a library for {facts.platform.name}, but this machine is {host()}",
            help=f"export it for this machine as well: hybridize compile ... -f library -t {host()}",
        )
    beside = path.with_name(f"{facts.name}.safetensors")
    weights = str(beside) if beside.is_file() else ""
    arguments, types = _arguments(facts.description, inputs)
    (answer,) = checking.run_library(str(path), facts.name, [arguments], types, weights=weights)
    return _outputs(path, answer)


def run_module(path: Path, inputs: Sequence[NDArray[Any]]) -> list[NDArray[Any]]:
    """Call a WebAssembly module with arrays by its loader in Node.js, and return its results.

    Raises:
        LoadError E604, E643: it is not one of ours, or its loader is not beside it.
        ArgumentError E310, ShapeError E120: the arrays are not those that it takes.
    """
    facts = read_wasm(path)
    loader = path.with_suffix(".mjs")
    if not loader.is_file():
        raise LoadError("E643", f"{path} needs {loader.name}, which is not beside it", help="copy that file as well")
    arguments, types = _arguments(facts.description, inputs)
    (answer,) = checking.run_module(str(loader), [arguments], types)
    return _outputs(path, answer)


def _arguments(
    description: Mapping[str, Any], inputs: Sequence[NDArray[Any]]
) -> tuple[tuple[NDArray[Any], ...], list[TensorType]]:
    """The arrays as the file takes them, and the types of what it gives."""
    wanted = description["inputs"]
    if len(inputs) != len(wanted):
        takes = ", ".join(f"{one['name']} {one['dtype']}{_shape(one)}" for one in wanted)
        text = f"{description['name']} takes {len(wanted)} arrays ({takes}), got {len(inputs)}"
        raise ArgumentError("E310", text, help="pass --input once for each input, in order")
    arguments = []
    for array, one in zip(inputs, wanted, strict=True):
        if array.dtype.name != one["dtype"] or array.ndim != len(one["shape"]):
            text = f"{one['name']} must be {one['dtype']}{_shape(one)}, got {array.dtype}{list(array.shape)}"
            remedy = "convert it before it is saved: x.astype(...)"
            if array.ndim != len(one["shape"]):
                remedy = "reshape it before it is saved: x.reshape(...)"
            raise ArgumentError("E310", text, help=remedy)
        arguments.append(numpy.ascontiguousarray(array).reshape(array.shape))
    types = [TensorType((0,) * len(one["shape"]), BY_NAME[one["dtype"]]) for one in description["outputs"]]
    return tuple(arguments), types


def _outputs(path: Path, answer: checking.Answer) -> list[NDArray[Any]]:
    if answer.code & 0xFF == checking.SIZE:
        raise ShapeError("E120", f"{path}: {answer.text}")
    if answer.code:
        raise ArgumentError("E310", f"{path}: {answer.text}")
    return list(answer.outputs)
