# SPDX-License-Identifier: Apache-2.0
"""`GraphReader`: graphs, functions, nodes and arrays of ONNX messages as plain data, whatever rows there are."""

from __future__ import annotations

import math
import os
from graphlib import CycleError, TopologicalSorter
from typing import Any, Final

import numpy
from numpy.typing import NDArray

from hybridize.base.errors import LoadError
from hybridize.base.locations import SourceLoc
from hybridize.formats.cursor import bytes_of, checked_size, malformed
from hybridize.formats.foreign.program import ForeignGraph, Node, Port, Reference, graphs_of
from hybridize.formats.onnx.messages import (
    DTYPES,
    NAMES,
    NARROW,
    STRING,
    UINT8,
    WIDENING,
)
from hybridize.formats.wire import Message

_OWN: Final = ("", "ai.onnx")
"""Names of the domain of ONNX's own operators."""
_LARGE: Final = 1024
"""A constant of more elements is a weight: it may be read where it lies, and need not be in the program."""
_FIELDS: Final = {1: "float", 14: "float", 7: "int64", 11: "double", 15: "double", 12: "uint64", 13: "uint64"}
_ALIGNED: Final = 16


def of_function(function: Message, name: str) -> ForeignGraph:
    """Read a function that no file has, with the versions of operator sets that it names."""
    return GraphReader(name, None).function(function)


class GraphReader:
    """Reads the parts of one model.

    Args:
        name: of the file, for messages.
        folder: where the files lie that it keeps large arrays in; None: there are none.
    """

    folder: str | None
    name: str

    def __init__(self, name: str, folder: str | None) -> None:
        self.name, self.folder = name, folder
        self.files: dict[str, memoryview] = {}
        self.versions: dict[str, int] = {}
        self.weights: dict[str, NDArray[Any]] = {}

    def fail(self, what: str) -> LoadError:
        return malformed(self.name, what, 0)

    def unsupported(self, what: str, number: int) -> LoadError:
        """The error for an array or input of a type that is none of ours."""
        if number not in NAMES:
            return self.fail(f"{what} is of type {number}, which there is not")
        return LoadError("E606", f"{self.name}: {what} is of {NAMES[number]}, which is not supported")

    def opsets(self, opsets: list[Message]) -> dict[str, int]:
        return {"" if one.get("domain", "") in _OWN else one["domain"]: one.get("version", 0) for one in opsets}

    def function(self, function: Message) -> ForeignGraph:
        outer = self.versions
        self.versions = outer | self.opsets(function.get("opsets", []))
        try:
            defaults = dict(self.attribute(one) for one in function.get("defaults", ()))
            return ForeignGraph(
                tuple(Port(name) for name in function.get("input", ())),
                tuple(_in_order([self.node(one) for one in function.get("node", ())])),
                tuple(Port(name) for name in function.get("output", ())),
                attributes=(*function.get("attribute", ()), *defaults),
                defaults=defaults,
            )
        finally:
            self.versions = outer

    def graph(self, graph: Message, main: bool = False) -> ForeignGraph:
        nodes = _in_order([self.node(one) for one in graph.get("node", ())])
        exact = _unwidened(nodes) | {one.get("name", "") for one in graph.get("output", ())}
        arrays = {}
        for one in graph.get("initializer", ()):
            name = one.get("name", "")
            arrays[name] = self.tensor(one) if name in exact or one.get("dtype") not in NARROW else self.widened(one)
        for one in graph.get("sparse", ()):
            arrays[one.get("values", {}).get("name", "")] = self.sparse(one)
        for number, node in enumerate(nodes):
            value = node.attributes.get("value")
            if main and node.op == "Constant" and isinstance(value, numpy.ndarray) and value.size > _LARGE:
                arrays[node.outputs[0]] = value
                nodes[number] = None  # type: ignore[call-overload]
        if main:
            self.weights |= {name: array for name, array in arrays.items() if array.dtype != object}
            arrays = {name: array for name, array in arrays.items() if array.dtype == object}
        inputs = [self.port(one, one.get("name") not in exact) for one in graph.get("input", ())]
        known = {one.get("name", "") for one in graph.get("initializer", ())}
        for port, one in zip(inputs, graph.get("input", ()), strict=True):
            if main and port.dtype is None and port.name not in known and "tensor" in one.get("type", {}):
                raise self.unsupported(f"the input {port.name!r}", one["type"]["tensor"].get("dtype", 0))
        declared = [self.port(one) for key in ("info", "output") for one in graph.get(key, ())]
        return ForeignGraph(
            tuple(one for one in inputs if one.name not in known),
            tuple(node for node in nodes if node is not None),
            tuple(self.port(one) for one in graph.get("output", ())),
            arrays,
            {one.name: one for one in declared if one.dtype is not None},
        )

    def port(self, info: Message, widened: bool = False) -> Port:
        kind = info.get("type", {}).get("tensor")
        if kind is None:
            return Port(info.get("name", ""))
        shape = None
        if "shape" in kind:
            shape = tuple(map(_size, kind["shape"].get("dim", ())))
        number = kind.get("dtype", 0)
        if not widened or number not in NARROW:
            return Port(info.get("name", ""), DTYPES.get(number), shape)
        return Port(info.get("name", ""), numpy.dtype(NARROW[number][1]), shape)

    def node(self, node: Message) -> Node:
        domain = node.get("domain", "")
        op = operator_of(domain, node.get("op", ""))
        attributes = dict(self.attribute(one) for one in node.get("attr", ()))
        name = node.get("name") or next(iter(node.get("output", ())), "")
        return Node(
            op, tuple(node.get("input", ())), tuple(node.get("output", ())), attributes, name,
            self.versions.get("" if domain in _OWN else domain, 1), loc=SourceLoc(self.name, 0, name),
        )  # fmt: skip

    def attribute(self, attribute: Message) -> tuple[str, Any]:
        name = attribute.get("name", "")
        if attribute.get("ref"):
            return name, Reference(attribute["ref"])
        match attribute.get("type", 0):
            case 1:
                return name, attribute.get("f", 0.0)
            case 2:
                return name, attribute.get("i", 0)
            case 3:
                return name, _text(attribute.get("s", b""))
            case 4:
                return name, self.tensor(attribute.get("t", {}))
            case 5:
                return name, self.graph(attribute.get("g", {}))
            case 6:
                return name, tuple(attribute.get("floats", ()))
            case 7:
                return name, tuple(attribute.get("ints", ()))
            case 8:
                return name, tuple(map(_text, attribute.get("strings", ())))
            case 9:
                return name, tuple(self.tensor(one) for one in attribute.get("tensors", ()))
            case 10:
                return name, tuple(self.graph(one) for one in attribute.get("graphs", ()))
            case 11:
                return name, self.sparse(attribute.get("sparse", {}))
            case 13:
                return name, self.port({"name": name, "type": attribute.get("tp", {})})
        for key, kind in (("f", 1), ("i", 2), ("s", 3), ("t", 4), ("g", 5), ("floats", 6), ("ints", 7), ("strings", 8)):
            if key in attribute:  # of IR versions that did not say the kind
                return self.attribute(attribute | {"type": kind})
        return name, None

    # ------------------------------------------------------------------------------------------------------- arrays

    def tensor(self, tensor: Message) -> NDArray[Any]:
        """The array of a tensor; of text, an array of objects."""
        number, shape = tensor.get("dtype", 0), tuple(tensor.get("dims", ()))
        name = tensor.get("name", "")
        if number == STRING:
            return numpy.array([bytes(one) for one in tensor.get("string", ())], object).reshape(shape)
        if number not in DTYPES:
            raise self.unsupported(f"the array {name!r}", number)
        dtype = DTYPES[number]
        count = checked_size(shape, dtype)
        if count is None:
            raise self.fail(f"the array {name!r} cannot have the shape {list(shape)}")
        if tensor.get("location") == 1:
            return self.external(tensor, name, dtype, shape)
        if "raw" in tensor:
            return self.view(tensor["raw"], name, dtype, shape)
        values = numpy.asarray(tensor.get(_FIELDS.get(number, "int32"), ()))
        if dtype.kind == "c":
            parts = values.astype("f4" if dtype.itemsize == 8 else "f8")
            flat = parts.view(dtype) if len(parts) % 2 == 0 else parts
        elif number in (10, 16):
            flat = values.astype("u2").view(dtype)
        else:
            flat = values.astype(dtype)
        if len(flat) != count:
            raise self.fail(f"the array {name!r} of shape {list(shape)} has {len(flat)} elements")
        return flat.reshape(shape)

    def widened(self, tensor: Message) -> NDArray[Any]:
        """The array of a tensor of a type that is none of ours, in a wider one that has all of its numbers."""
        kind, wide, bits = NARROW[tensor["dtype"]]
        name, shape = tensor.get("name", ""), tuple(tensor.get("dims", ()))
        count = checked_size(shape, numpy.dtype(numpy.uint8))
        if count is None:
            raise self.fail(f"the array {name!r} cannot have the shape {list(shape)}")
        packed = self.tensor({**tensor, "dtype": UINT8, "dims": [-(-count * bits // 8)]})
        parts = [packed >> shift & (1 << bits) - 1 for shift in range(0, 8, bits)]
        numbers: NDArray[Any] = numpy.stack(parts, -1).reshape(-1)[:count].astype(numpy.uint8).view(kind)
        return numbers.astype(wide).reshape(shape)

    def view(self, data: memoryview, name: str, dtype: numpy.dtype[Any], shape: tuple[int, ...]) -> NDArray[Any]:
        """The elements where they lie; of few a copy where the file has not aligned them."""
        size = math.prod(shape) * dtype.itemsize
        if len(data) != size:
            raise self.fail(f"the array {name!r} of shape {list(shape)} needs {size} bytes, it has {len(data)}")
        array: NDArray[Any] = numpy.ndarray(shape, dtype, data)
        if dtype == numpy.bool_ and array.size and array.view(numpy.uint8).max() > 1:
            raise self.fail(f"the array {name!r} holds bytes other than 0 and 1, which are not booleans")
        return array if array.size > _LARGE or array.ctypes.data % _ALIGNED == 0 else array.copy()

    def external(self, tensor: Message, name: str, dtype: numpy.dtype[Any], shape: tuple[int, ...]) -> NDArray[Any]:
        """The elements in a file beside the model, never outside of its folder."""
        where = {one.get("key", ""): one.get("value", "") for one in tensor.get("external", ())}
        location = where.get("location", "")
        if self.folder is None:
            raise LoadError("E601", f"{self.name}: the array {name!r} is in another file, {location!r}",
                            help="load the model by its path")  # fmt: skip
        folder = os.path.realpath(self.folder)
        path = os.path.realpath(os.path.join(folder, location.replace("\0", "")))
        if not location or "\0" in location or os.path.isabs(location) or os.path.commonpath([path, folder]) != folder:
            raise self.fail(f"the array {name!r} is in {location!r}, which is not below the model's folder")
        if os.path.exists(path) and not os.path.isfile(path):
            raise self.fail(f"the array {name!r} is in {location!r}, which is no file")
        if path not in self.files:
            self.files[path] = bytes_of(path)
        data = self.files[path]
        size = math.prod(shape) * dtype.itemsize
        try:
            offset, length = int(where.get("offset") or 0), int(where.get("length") or size)
        except ValueError:
            raise self.fail(f"the place of the array {name!r} in {location!r} is no number") from None
        if length != size or not 0 <= offset <= len(data) - size:
            raise self.fail(f"the array {name!r} needs {size} bytes at byte {offset} of {location!r}, which has "
                            f"{len(data)}")  # fmt: skip
        return self.view(data[offset : offset + size], name, dtype, shape)

    def sparse(self, sparse: Message) -> NDArray[Any]:
        """A sparse array, dense."""
        shape = tuple(sparse.get("dims", ()))
        values, indices = self.tensor(sparse.get("values", {})), self.tensor(sparse.get("indices", {}))
        count = checked_size(shape, values.dtype)
        if count is None or count > 1 << 28:
            raise self.fail(f"a sparse array cannot have the shape {list(shape)}")
        dense = numpy.zeros(shape, values.dtype)
        try:
            if indices.ndim == 1:
                dense.reshape(-1)[indices] = values
            else:
                dense[tuple(indices.T)] = values
        except (IndexError, ValueError) as error:
            raise self.fail(f"a sparse array of shape {list(shape)}: {error}") from None
        return dense


def _in_order(nodes: list[Node]) -> list[Node]:
    """Nodes behind those whose values they read, which ONNX asks for and ONNX Runtime does not; cycles stay."""
    makers = {name: number for number, node in enumerate(nodes) for name in node.outputs if name}
    reads = [
        [makers[name] for name in (*node.inputs, *(name for inner in graphs_of(node) for name in inner.free))
         if name in makers] for node in nodes
    ]  # fmt: skip
    if all(maker < number for number, own in enumerate(reads) for maker in own):
        return nodes
    try:
        return [nodes[number] for number in TopologicalSorter(dict(enumerate(reads))).static_order()]
    except CycleError:
        return nodes


def _unwidened(nodes: list[Node]) -> set[str]:
    """Names of values whose very type some node needs: all but those that nodes only widen."""
    names = {name for node in nodes for inner in graphs_of(node) for name in inner.free}
    for node in nodes:
        names.update(name for k, name in enumerate(node.inputs) if k not in WIDENING.get(node.op, ()))
    return names


def _size(dim: Message) -> int | str | None:
    """A size as a model declares it; some writers have -1 for one that is not known."""
    size: int | str | None = dim.get("name") or dim.get("size")
    return None if isinstance(size, int) and size < 0 else size


def operator_of(domain: str, name: str) -> str:
    """The name of an operator, with its domain where that is not ONNX's own."""
    return name if domain in _OWN else f"{domain}::{name}"


def _text(data: Any) -> str:
    return bytes(data).decode("utf-8", "replace")
