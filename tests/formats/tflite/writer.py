# SPDX-License-Identifier: Apache-2.0
"""TFLite models of our own making: a writer of flatbuffers by the tables of slots, without their library."""

from __future__ import annotations

import struct
from typing import Any

import numpy

from hybridize.formats.flat import _CODES
from hybridize.formats.tflite.messages import OPERATORS, SCHEMAS, TYPES

NUMBERS = {dtype: number for number, dtype in reversed(TYPES.items()) if number != 17}


class _Writer:
    """Tables one behind the other, those that a table refers to behind it."""

    def __init__(self) -> None:
        self.out = bytearray(b"\0\0\0\0TFL3")

    def align(self, size: int, ahead: int = 0) -> None:
        while (len(self.out) + ahead) % size:
            self.out.append(0)

    def table(self, kind: str, values: dict[str, Any]) -> int:
        slots = {field.name: (slot, field) for slot, field in SCHEMAS[kind].items()}
        fields: list[tuple[int, str, Any]] = []
        for name, value in values.items():
            slot, field = slots[name]
            if field.kind.endswith("?"):
                union = SCHEMAS[field.kind[:-1]]
                type_ = next(number for number, one in union.items() if value[0] == one.name)
                value = (union[type_].kind, value[1])
                fields += [(slot - 1, "u8", type_), (slot, "table", value)]
            elif field.many:
                fields.append((slot, "vector", (field.kind, value)))
            elif field.kind in _CODES:
                fields.append((slot, field.kind, value))
            else:
                fields.append((slot, field.kind if field.kind == "text" else "table", (field.kind, value)))
        count = 4 + 2 * (1 + max((slot for slot, _, _ in fields), default=-1))
        self.align(8, count)
        start = len(self.out)
        self.out += bytes(count)
        at = len(self.out)
        offset, places = 4, {}
        for slot, code, _ in fields:
            size = struct.calcsize(_CODES.get(code, "I"))
            offset += -offset % size
            places[slot] = offset
            offset += size
        self.out += bytes(offset)
        struct.pack_into("<HH", self.out, start, count, offset)
        struct.pack_into("<i", self.out, at, at - start)
        for slot, code, value in fields:
            struct.pack_into("<H", self.out, start + 4 + 2 * slot, places[slot])
            place = at + places[slot]
            if code in _CODES:
                struct.pack_into("<" + _CODES[code], self.out, place, value)
                continue
            if code == "vector":
                to = self.vector(*value)
            else:
                to = self.text(value[1]) if code == "text" else self.table(*value)
            struct.pack_into("<I", self.out, place, to - place)
        return at

    def vector(self, kind: str, values: Any) -> int:
        if kind in _CODES:
            data = numpy.asarray(values, "<" + _CODES[kind] if kind != "bool" else "?")
            self.align(16, 4)
            at = len(self.out)
            self.out += struct.pack("<I", len(data)) + data.tobytes()
            return at
        self.align(4)
        at = len(self.out)
        self.out += struct.pack("<I", len(values)) + bytes(4 * len(values))
        for k, value in enumerate(values):
            to = self.text(value) if kind == "text" else self.table(kind, value)
            struct.pack_into("<I", self.out, at + 4 + 4 * k, to - (at + 4 + 4 * k))
        return at

    def text(self, text: str) -> int:
        self.align(4)
        at = len(self.out)
        self.out += struct.pack("<I", len(text.encode())) + text.encode() + b"\0"
        return at


def written(model: dict[str, Any]) -> bytes:
    """Return the bytes of a model, given as nested dicts by our names of fields."""
    writer = _Writer()
    at = writer.table("Model", model)
    struct.pack_into("<I", writer.out, 0, at)
    return bytes(writer.out)


class Builder:
    """A model of one or more graphs, tensor after tensor."""

    def __init__(self) -> None:
        self.buffers: list[dict[str, Any]] = [{}]
        self.codes: list[dict[str, Any]] = []
        self.graphs: list[dict[str, Any]] = []
        self.new_graph()

    def new_graph(self) -> None:
        self.graphs.append({"tensors": [], "inputs": [], "outputs": [], "operators": []})

    def tensor(self, shape: Any, dtype: Any = "f4", scale: Any = None, zero: Any = 0, axis: int = 0, name: str = "",
               **more: Any) -> int:  # fmt: skip
        graph = self.graphs[-1]
        number = NUMBERS[numpy.dtype(dtype)] if dtype != "resource" else 13
        one = {"shape": list(shape), "type": number, "name": name or f"t{len(graph['tensors'])}", **more}
        if scale is not None:
            scales = numpy.atleast_1d(numpy.asarray(scale, "f4"))
            zeros = numpy.broadcast_to(numpy.asarray(zero, "i8"), scales.shape)
            one["quantization"] = {"scales": scales, "zeros": zeros, "axis": axis}
        graph["tensors"].append(one)
        return len(graph["tensors"]) - 1

    def constant(self, array: Any, *args: Any, **kwargs: Any) -> int:
        array = numpy.asarray(array)
        self.buffers.append({"data": numpy.frombuffer(array.tobytes(), "u1")})
        return self.tensor(array.shape, array.dtype, *args, buffer=len(self.buffers) - 1, **kwargs)

    def input(self, *args: Any, **kwargs: Any) -> int:
        number = self.tensor(*args, **kwargs)
        self.graphs[-1]["inputs"].append(number)
        return number

    def operator(self, op: str, inputs: Any, outputs: Any, options: Any = None, version: int = 1, **more: Any) -> None:
        number = OPERATORS.index(op) if op in OPERATORS else 32
        code = {"byte": min(number, 127), "code": number, "version": version}
        if number == 32:
            code["custom"] = op
        if code not in self.codes:
            self.codes.append(code)
        one = {"code": self.codes.index(code), "inputs": list(inputs), "outputs": list(outputs), **more}
        if options:
            one["options"] = options
        self.graphs[-1]["operators"].append(one)

    def outputs(self, *numbers: int) -> None:
        self.graphs[-1]["outputs"] += numbers

    def bytes(self, **more: Any) -> bytes:
        """Return the file."""
        return written({"version": 3, "codes": self.codes, "graphs": self.graphs, "buffers": self.buffers,
                        "description": "of our own making", **more})  # fmt: skip


def doubling(dtype: str, *scale: float, **more: Any) -> bytes:
    """A model that adds its input to itself."""
    b = Builder()
    x, y = b.input((1, 2), dtype, *scale, name="serving_default_x:0"), b.tensor((1, 2), dtype, *scale)
    b.operator("ADD", [x, x], [y], ("add", {}), version=2)
    b.outputs(y)
    return b.bytes(**more)
