# SPDX-License-Identifier: Apache-2.0
"""TFLite files as `ForeignProgram`s: subgraphs as graphs, buffers as weights, variables with their first values."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

import numpy
from numpy.typing import NDArray

from hybridize.base.dtypes import DType, complex64, int16
from hybridize.base.errors import ArgumentError, LoadError
from hybridize.base.frozen import changed, frozen
from hybridize.formats.cursor import bytes_of, checked_size, malformed
from hybridize.formats.flat import parse
from hybridize.formats.foreign.checks import check_program
from hybridize.formats.foreign.program import ForeignGraph, ForeignProgram, FunctionName, Node, Port
from hybridize.formats.foreign.walk import settled
from hybridize.formats.tflite.messages import (
    CUSTOM,
    IDENTIFIER,
    NIBBLES,
    OPERATORS,
    OTHERS,
    RESOURCE,
    SCHEMAS,
    TYPES,
    VERSION,
)
from hybridize.formats.tflite.rows import TFLITE, first_values
from hybridize.formats.tflite.spectra import PARTS
from hybridize.formats.tflite.vocabulary import COMPLEX, MOVING, QUANTIZED, SHORT, Quantization
from hybridize.formats.wire import Message

ROUNDINGS: Final = ("float", "reference")
_ALIGNED: Final = 16
_LARGEST: Final = 1 << 30
"""Bytes of the largest array that is made of a sparse one."""
_SPARSEST: Final = 256
"""Elements of a sparse array for each that is stored, at most, but for small ones: more are claimed by broken files."""
_SMALL: Final = 1 << 16
"""Elements of a sparse array that may have any number of them stored."""
_LARGEST_STATE: Final = 1 << 26
"""Bytes of the largest variable that begins as zeros."""
_GRAPHS: Final = {"CALL_ONCE": ("init",), "IF": ("then", "else"), "WHILE": ("condition", "body")}
"""Attributes that are numbers of graphs, by operator."""


def read(path: str | os.PathLike[str], rounding: str = "float", signature: str | None = None) -> ForeignProgram:
    """Read a model.

    Args:
        path: of the file.
        rounding: how integers that stand for numbers are rounded: `float`, once, as LiteRT does where users run it, or
            `reference`, twice, as its reference kernels and TFLite for microcontrollers do.
        signature: its name; None: the first graph of the file.

    Raises:
        ArgumentError E398: there is no such rounding.
        LoadError: E601 malformed, E602 newer than what is read, E603 what no row takes, E605 there is no such
            signature, E606 operators that are not supported.
    """
    return program(bytes_of(path), os.path.basename(os.fspath(path)), rounding, signature)


def program(
    data: bytes | memoryview, name: str, rounding: str = "float", signature: str | None = None
) -> ForeignProgram:
    """Read a model from bytes; see `read`."""
    if rounding not in ROUNDINGS:
        raise ArgumentError("E398", f"load with rounding={rounding!r}", help=f"use one of {', '.join(ROUNDINGS)}")
    view = memoryview(data)
    if len(view) < 8 or bytes(view[4:8]) != IDENTIFIER:
        raise malformed(name, "it is no TFLite model: TFL3 does not stand at byte 4", 4)
    return _Reader(view, name, rounding).program(signature)


def tensors(data: bytes | memoryview, name: str, signature: str | None = None) -> TensorTable:
    """Return the tensors of the graph of a signature, or of the first one, and which are its inputs and outputs."""
    reader = _Reader(memoryview(data), name, ROUNDINGS[0])
    number, _ = reader.chosen(signature)
    table = reader.model["graphs"][number]
    names = {key: {side: sorted(entry.get("name", "") for entry in one.get(side, ())) for side in ("inputs", "outputs")}
             for key, (_, one) in sorted(signatures(reader.model).items())}  # fmt: skip
    return TensorTable(reader.tensors(number), table["inputs"].tolist(), table["outputs"].tolist(), names)


@frozen(eq=False)
class StoredTensor:
    """One tensor of a subgraph."""

    name: str
    """Of the value: that of a signature, or its own."""
    label: str
    """Its own."""
    type: int
    shape: tuple[int, ...]
    port: Port
    array: NDArray[Any] | None
    variable: bool
    """True if an operator writes it, and it begins as zeros."""
    quantization: Quantization | None


class TensorTable(NamedTuple):
    """The tensors of a graph, in order, and which are its inputs and outputs."""

    every: list[StoredTensor]
    inputs: list[int]
    outputs: list[int]
    signatures: dict[str, dict[str, list[str]]]
    """The names of inputs and outputs of each signature of the model."""


class _Reader:
    def __init__(self, data: memoryview, name: str, rounding: str) -> None:
        self.data, self.name, self.rounding = data, name, rounding
        self.model = parse(data, "Model", SCHEMAS, name)
        if self.model.get("version", 0) != VERSION:
            text = f"{name} is written in version {self.model.get('version', 0)} of TFLite's schema"
            raise LoadError("E602", text, help=f"hybridize reads version {VERSION}")
        self.buffers: list[Message] = self.model.get("buffers", [])
        self.codes = [self.code(one) for one in self.model.get("codes", ())]

    def fail(self, what: str) -> LoadError:
        return malformed(self.name, what, 0)

    def code(self, code: Message) -> tuple[str, int]:
        """The name of an operator, and its version."""
        number = max(code.get("byte", 0), code.get("code", 0))
        if not 0 <= number < len(OPERATORS):
            raise LoadError("E602", f"{self.name} has the operator number {number}",
                            help=f"hybridize knows {len(OPERATORS)} operators of TFLite")  # fmt: skip
        name = code.get("custom", "") if number == CUSTOM else OPERATORS[number]
        return name or "CUSTOM", code.get("version", 1)

    def program(self, signature: str | None) -> ForeignProgram:
        tables: list[Message] = self.model.get("graphs", [])
        if not tables:
            raise self.fail("it has no graph")
        place, key = self.chosen(signature)
        graphs = {_function(number): self.graph(number, table) for number, table in enumerate(tables)}
        self.check_calls(graphs)
        graph = graphs[_function(place)]
        main = changed(graph, constants={name: array for name, array in graph.constants.items() if not array.ndim})
        weights = {name: array for name, array in graph.constants.items() if array.ndim}
        functions: dict[str, ForeignGraph] = {}
        calls = _calls(graph)
        while calls:
            name = calls.pop()
            functions[name] = graphs[name]
            calls |= _calls(graphs[name]) - functions.keys()
        version = next((self.buffer(one.get("buffer", 0)).tobytes() for one in self.model.get("metadata", ())
                        if one.get("name") == "min_runtime_version"), b"")  # fmt: skip
        notes = {
            "description": self.model.get("description", ""),
            "runtime": version.rstrip(b"\0").decode("ascii", "replace"),
            "signature": key,
        }
        zeros = {one.name: numpy.zeros(one.shape, one.port.dtype) for one in self.tensors(place) if one.variable}
        program = ForeignProgram(self.name, TFLITE, main, functions, weights, zeros,
                                 metadata={key: text for key, text in notes.items() if text})  # fmt: skip
        check_program(program)
        return settled(first_values(program))

    def chosen(self, signature: str | None) -> tuple[int, str]:
        """The number of a signature's graph, and its name."""
        known = signatures(self.model)
        if signature is None:
            return 0, next((key for key, (number, _) in known.items() if not number), "")
        if signature not in known:
            raise LoadError("E605", f"{self.name} has no signature {signature!r}",
                            help=f"it has {', '.join(known) or 'none'}")  # fmt: skip
        number = known[signature][0]
        if number >= len(self.model["graphs"]):
            raise self.fail(f"the signature {signature!r} has the graph number {number}")
        return number, signature

    def check_calls(self, graphs: Mapping[str, ForeignGraph]) -> None:
        """Refuse graphs that call themselves: what each calls is read before it, so an order must exist."""
        calls = {name: _calls(graph) for name, graph in graphs.items()}
        while calls:
            leaves = [name for name, others in calls.items() if not others & calls.keys()]
            if not leaves:
                raise self.fail("a graph calls itself")
            for name in leaves:
                del calls[name]

    # ------------------------------------------------------------------------------------------------------- graphs

    def graph(self, number: int, table: Message) -> ForeignGraph:
        tensors = self.tensors(number)
        nodes = [Node("VAR_HANDLE", (), (one.name,), {"name": one.name}, one.name) for one in tensors if one.variable]
        nodes += [self.node(one, tensors) for one in table.get("operators", ())]
        inputs, outputs = (
            [self.at(tensors, one, "a tensor of a graph") for one in table.get(key, ())]
            for key in ("inputs", "outputs")
        )
        wholes = [one for one in outputs if one.port.dtype == complex64]
        nodes += [Node("COMPLEX", (one.name,), (f"{one.name}:whole",), {}, one.name) for one in wholes]
        used = {name for node in nodes for name in node.inputs} | {one.name for one in outputs}
        constants = {one.name: one.array for one in tensors if one.array is not None and one.name in used}
        self.check_order(nodes, constants.keys() | {one.name for one in inputs}, outputs)
        return ForeignGraph(
            tuple(one.port for one in inputs),
            tuple(nodes),
            tuple(changed(one.port, name=f"{one.name}:whole") if one in wholes else one.port for one in outputs),
            constants,
            {one.name: Port(one.name, one.port.dtype, one.port.shape or None) for one in tensors
             if one.port.dtype not in (None, complex64) and one.array is None and not one.variable},
        )  # fmt: skip

    def tensors(self, number: int) -> list[StoredTensor]:
        """The tensors of a graph."""
        table = self.model["graphs"][number]
        return [self.tensor(name, one)
                for name, one in zip(self.names(number, table), table.get("tensors", ()), strict=True)]  # fmt: skip

    def check_order(self, nodes: Sequence[Node], first: set[str], outputs: Sequence[StoredTensor]) -> None:
        """Refuse graphs that read what is not there yet, or make a value twice."""
        there = set(first)
        for node in nodes:
            lacking = [name for name in node.inputs if name and name not in there]
            if lacking:
                raise self.fail(f"operator {node.op}, node {node.name!r}, reads {lacking[0]!r} before it is computed")
            there |= set(node.outputs)
        lacking = [one.name for one in outputs if one.name not in there]
        if lacking:
            raise self.fail(f"the output {lacking[0]!r} is not computed")

    def names(self, number: int, table: Message) -> list[str]:
        """A name for each tensor, no two the same: that of a signature, its own, or its own with its number."""
        known: dict[int, str] = {}
        for signature in self.model.get("signatures", ()):
            if signature.get("graph", 0) == number:
                for key in ("outputs", "inputs"):
                    known |= {one.get("tensor", 0): one["name"] for one in signature.get(key, ()) if one.get("name")}
                break
        names: dict[str, None] = {}
        tensors = table.get("tensors", ())
        reserved = set(known.values())
        double = len(reserved) != len(known)
        for place, one in enumerate(tensors):
            name = known.get(place, "") if not double else ""
            if not name:
                name = one.get("name") or str(place)
                name = f"{name}:{place}" if name in names or name in reserved else name
            while name in names:
                name = f"{name}:{place}"
            names[name] = None
        return list(names)

    def at(self, tensors: Sequence[StoredTensor], number: Any, what: str) -> StoredTensor:
        place = int(number)
        if not 0 <= place < len(tensors):
            raise self.fail(f"{what} has the number {place}, there are {len(tensors)}")
        return tensors[place]

    def node(self, operator: Message, tensors: Sequence[StoredTensor]) -> Node:
        number = operator.get("code", 0)
        if number >= len(self.codes):
            raise self.fail(f"an operator has the code number {number}, there are {len(self.codes)}")
        op, version = self.codes[number]
        inputs = [
            None if one == -1 else self.at(tensors, one, f"an input of {op}") for one in operator.get("inputs", ())
        ]
        outputs = [self.at(tensors, one, f"an output of {op}") for one in operator.get("outputs", ())]
        options = {**dict.fromkeys(_GRAPHS.get(op, ()), 0), **operator.get("options", {})}
        attributes = {name: self.attribute(op, name, value) for name, value in options.items()}
        if "custom" in operator:
            attributes["custom"] = operator["custom"]
        types = [one.port.dtype for one in outputs]
        attributes["types"] = tuple(types)
        place = outputs[0].name if outputs else ""
        for one in (*inputs, *outputs):
            if one is not None and one.type in OTHERS:
                what = f"{self.name}: operator {op}, node {place!r}, has the tensor {one.name!r} of {OTHERS[one.type]}"
                raise LoadError("E603", what)
        scaled = [one for one in (*inputs, *outputs) if one is not None and one.quantization is not None]
        if scaled and op not in MOVING:
            op += SHORT if any(one.port.dtype == int16 for one in scaled) else QUANTIZED
            attributes["rounding"] = self.rounding
            for key, side in (("of", inputs), ("to", outputs)):
                attributes[key] = tuple(None if one is None else one.quantization for one in side)
        if op not in PARTS and any(one is not None and one.port.dtype == complex64 for one in inputs):
            op += COMPLEX
        return Node(op, tuple("" if one is None else one.name for one in inputs), tuple(one.name for one in outputs),
                    attributes, place, version)  # fmt: skip

    def attribute(self, op: str, name: str, value: Any) -> Any:
        if isinstance(value, numpy.ndarray):
            return tuple(value.tolist())
        if name in _GRAPHS.get(op, ()):
            if not 0 <= value < len(self.model["graphs"]):
                raise self.fail(f"{op} has the graph number {value}, there are {len(self.model['graphs'])}")
            return FunctionName(_function(value))
        return value

    # ------------------------------------------------------------------------------------------------------- arrays

    def tensor(self, name: str, tensor: Message) -> StoredTensor:
        number = tensor.get("type", 0)
        shape = tuple(int(size) for size in tensor.get("shape", ()))
        declared = tuple(int(size) for size in tensor.get("signature", shape))
        if number not in TYPES and number not in OTHERS and number != RESOURCE:
            raise LoadError("E602", f"{self.name}: the tensor {name!r} has the type number {number}",
                            help="hybridize does not know it")  # fmt: skip
        dtype = TYPES.get(number)
        sizes = tuple(None if size < 0 else size for size in (declared if len(declared) == len(shape) else shape))
        data = self.buffer(tensor.get("buffer", 0))
        array = None
        if dtype is not None and (len(data) or (0 in shape and tensor.get("buffer", 0))):
            array = self.array(tensor, name, number, dtype, shape, data)
        quantization = self.quantization(tensor, name, shape)
        variable = bool(tensor.get("variable")) and dtype is not None and array is None
        if variable and dtype is not None:
            count = checked_size(shape, dtype)
            if count is None or count * dtype.itemsize > _LARGEST_STATE:
                raise self.fail(f"the variable {name!r} cannot have the shape {list(shape)}")
        port = Port(name, dtype, sizes)
        return StoredTensor(name, tensor.get("name", ""), number, shape, port, array, variable, quantization)

    def quantization(self, tensor: Message, name: str, shape: tuple[int, ...]) -> Quantization | None:
        table = tensor.get("quantization", {})
        scales = table.get("scales")
        dtype = TYPES.get(tensor.get("type", 0))
        if scales is None or not len(scales) or dtype is None or dtype.kind not in "iu":
            return None
        zeros, axis = table.get("zeros", numpy.zeros(0, "i8")), table.get("axis", 0)
        zeros = numpy.zeros(len(scales), "i8") if not len(zeros) else zeros
        many = len(scales) > 1
        if len(zeros) not in (1, len(scales)) or (many and (not 0 <= axis < len(shape) or shape[axis] != len(scales))):
            raise self.fail(f"the tensor {name!r} of shape {list(shape)} has {len(scales)} scales and {len(zeros)} "
                            f"zeros along axis {axis}")  # fmt: skip
        if not (numpy.isfinite(scales).all() and (scales > 0).all()):
            raise self.fail(f"the tensor {name!r} has a scale that is no positive number")
        low, high = (numpy.iinfo(dtype).min, numpy.iinfo(dtype).max)
        if ((zeros < low) | (zeros > high)).any():
            raise self.fail(f"the tensor {name!r} of {dtype} has a zero that is none")
        return Quantization(numpy.array(scales, "f4"), numpy.broadcast_to(zeros, scales.shape).astype("i4"), axis)

    def buffer(self, number: int) -> NDArray[Any]:
        """The bytes of a buffer: in the table, or behind it in files of more than 2 GiB."""
        if not 0 <= number < max(len(self.buffers), 1):
            raise self.fail(f"a tensor has the buffer number {number}, there are {len(self.buffers)}")
        table = self.buffers[number] if self.buffers else {}
        begin, size = table.get("offset", 0), table.get("size", 0)
        if begin > 1:
            if begin + size > len(self.data):
                raise self.fail(f"a buffer has {size} bytes from byte {begin} on, the file has {len(self.data)}")
            return numpy.ndarray((size,), "u1", self.data, begin)
        data: NDArray[Any] = table.get("data", numpy.zeros(0, "u1"))
        return data

    def array(
        self, tensor: Message, name: str, number: int, dtype: DType, shape: tuple[int, ...], data: NDArray[Any]
    ) -> NDArray[Any]:
        """The elements where they lie; copies of what is not aligned, sparse, or of four bits."""
        count = checked_size(shape, dtype)
        if count is None:
            raise self.fail(f"the tensor {name!r} cannot have the shape {list(shape)}")
        if number == NIBBLES:
            halves = numpy.stack([data << 4, data]).view("i1") >> 4
            values = halves.T.reshape(-1)[: count if not tensor.get("sparsity") else None]
        elif len(data) % dtype.itemsize:
            raise self.fail(f"the tensor {name!r} of {dtype} has {len(data)} bytes")
        else:
            aligned = data if data.ctypes.data % _ALIGNED == 0 else data.copy()
            values = aligned.view(dtype)
        if dtype.kind == "b" and len(data) and data.max() > 1:
            raise self.fail(f"the tensor {name!r} holds bytes other than 0 and 1, which are not booleans")
        if "sparsity" in tensor:
            return self.dense(tensor["sparsity"], name, shape, values)
        if len(values) != count:
            raise self.fail(f"the tensor {name!r} of shape {list(shape)} has {len(values)} elements")
        return values.reshape(shape)

    def dense(self, sparsity: Message, name: str, shape: tuple[int, ...], values: NDArray[Any]) -> NDArray[Any]:
        """A sparse array, dense: level after level, the places of what is stored."""
        order, blocks = sparsity.get("order", ()), sparsity.get("blocks", ())
        axes, rank = sparsity.get("axes", []), len(shape)

        def wrong(what: str) -> LoadError:
            return self.fail(f"the sparse tensor {name!r} of shape {list(shape)}: {what}")

        if sorted(order) != list(range(len(axes))) or len(axes) != rank + len(blocks):
            raise wrong(f"{len(axes)} levels in the order {list(order)}")
        if any(not 0 <= axis < rank for axis in blocks) or len(set(map(int, blocks))) != len(blocks):
            raise wrong(f"blocks along the axes {list(blocks)}")
        if math.prod(shape) * values.itemsize > _LARGEST:
            raise wrong(f"it is larger than {_LARGEST} bytes")
        if math.prod(shape) > max(_SMALL, _SPARSEST * len(values)):
            raise wrong(f"of its {math.prod(shape)} elements only {len(values)} are stored")
        inner = {int(axis): axes[list(order).index(rank + k)].get("size", 0) for k, axis in enumerate(blocks)}
        if any(size < 1 or shape[axis] % size for axis, size in inner.items()):
            raise wrong(f"blocks of {list(inner.values())}")
        sizes = [size // inner.get(axis, 1) for axis, size in enumerate(shape)] + [inner[int(axis)] for axis in blocks]
        places: dict[int, NDArray[Any]] = {}
        count = 1
        for level, table in zip(map(int, order), axes, strict=True):
            if table.get("format", 0):
                segments, indices = (numpy.asarray(table.get(key, {}).get("values", ()), "i8")
                                     for key in ("segments", "indices"))  # fmt: skip
                fits = len(segments) == count + 1 and segments[0] == 0 and segments[-1] == len(indices)
                if not fits or (numpy.diff(segments) < 0).any():
                    raise wrong(f"segments of level {level} do not fit")
                if len(indices) and not (indices.min() >= 0 and indices.max() < sizes[level]):
                    raise wrong(f"an index of level {level} is outside of it")
                parents = numpy.repeat(numpy.arange(count), numpy.diff(segments))
            else:
                if table.get("size", 0) != sizes[level] or count * sizes[level] > math.prod(shape):
                    raise wrong(f"level {level} has {table.get('size', 0)} elements")
                parents = numpy.repeat(numpy.arange(count), sizes[level])
                indices = numpy.tile(numpy.arange(sizes[level]), count)
            places = {axis: at[parents] for axis, at in places.items()}
            places[level], count = indices, len(indices)
        if count > len(values):
            raise wrong(f"{len(values)} elements of {count}")
        whole = [places[axis] * inner.get(axis, 1) for axis in range(rank)]
        for k, axis in enumerate(blocks):
            whole[axis] = whole[axis] + places[rank + k]
        dense = numpy.zeros(shape, values.dtype)
        dense[tuple(whole)] = values[:count]
        return dense


def signatures(model: Message) -> dict[str, tuple[int, Message]]:
    """Return the numbers of graphs, and the tables, of signatures by their names."""
    return {one["key"]: (one.get("graph", 0), one) for one in model.get("signatures", ()) if "key" in one}


def _function(number: int) -> str:
    return f"graph {number}"


def _calls(graph: ForeignGraph) -> set[str]:
    """The graphs that a graph calls, by name."""
    return {one.function for node in graph.nodes for one in node.attributes.values() if isinstance(one, FunctionName)}
