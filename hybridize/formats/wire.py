# SPDX-License-Identifier: Apache-2.0
"""Protocol buffers without their library: messages read, and written, by tables of their fields.

    SCHEMAS = schemas('''
        Model: 1 version int, 2 producer text, 7 graph Graph, 8 sets Set*, 14 notes text{}
        Graph: ...
    ''')
    model = parse(data, "Model", SCHEMAS, "model.onnx")      {"version": 10, "graph": {...}, ...}

A field is its number, the name that we give it, and its kind: `int` (signed), `bool`, `float`, `double`, `fixed32`,
`text`, `bytes` (a view of the data), or another message; `*` behind it says that it is repeated, `[]` that it is
numbers of which there may be many, as an array, `{}` that it is a map from text. Fields that are absent in the data are
absent in the dict; those that the table lacks are passed over. Data is not trusted: each length is compared with what
is left, and messages nest no deeper than `DEEPEST`.
"""

from __future__ import annotations

import struct
import sys
from array import array
from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple

from hybridize.formats.cursor import malformed

DEEPEST: Final = 100
"""Messages inside of messages: more than any writer makes, and Python's stack holds them."""
_FIXED: Final = {"float": "f", "double": "d", "fixed32": "I", "fixed64": "Q"}
_SIZES: Final = {1: 8, 5: 4}
_WIRES: Final = {"float": 5, "fixed32": 5, "double": 1, "fixed64": 1, "int": 0, "bool": 0}

_CODES: Final = {"float": "f", "double": "d", "int": "q", "bool": "b"}

Message = dict[str, Any]


class Field(NamedTuple):
    """One field of a message."""

    number: int
    name: str
    kind: str
    many: str
    """`*`, `[]`, `{}` or nothing."""


Schemas = Mapping[str, Mapping[int, Field]]


def schemas(text: str) -> Schemas:
    """Return tables of fields from lines `Message: number name kind, ...`."""
    tables: dict[str, dict[int, Field]] = {}
    for line in filter(str.strip, text.splitlines()):
        message, _, rest = line.partition(":")
        fields = {}
        for part in filter(None, map(str.strip, rest.split(","))):
            number, name, kind = part.split()
            many = next((end for end in ("{}", "[]", "*") if kind.endswith(end)), "")
            fields[int(number)] = Field(int(number), name, kind.removesuffix(many), many)
        tables[message.strip()] = fields
    return tables


class _Reader:
    """The bytes of one file, for messages of errors."""

    def __init__(self, data: memoryview, tables: Schemas, name: str) -> None:
        self.data, self.tables, self.name = data, tables, name

    def varint(self, at: int, end: int) -> tuple[int, int]:
        data = self.data
        value = shift = 0
        start = at
        while at < end and shift < 70:
            byte = data[at]
            at += 1
            if byte < 128:
                return value | byte << shift, at
            value |= (byte & 127) << shift
            shift += 7
        raise malformed(self.name, "a number does not end", start)

    def fields(self, at: int, end: int) -> Iterator[tuple[int, int, int, int]]:
        """Yield number, wire type, and where the value of each field begins and ends; of a varint, the value twice."""
        data = self.data
        while at < end:
            start = at
            key = data[at]
            at += 1
            if key > 127:
                key, at = self.varint(start, end)
            wire = key & 7
            if wire == 0:
                value, at = self.varint(at, end)
                yield key >> 3, 0, value, value
                continue
            if wire == 2:
                size, at = self.varint(at, end)
            elif wire in _SIZES:
                size = _SIZES[wire]
            else:
                raise malformed(self.name, f"a field has the unknown wire type {wire}", start)
            if size > end - at:
                raise malformed(self.name, f"field {key >> 3} needs {size} bytes, {end - at} are left", start)
            yield key >> 3, wire, at, at + size
            at += size

    def message(self, kind: str, at: int, end: int, depth: int) -> Message:
        if depth > DEEPEST:
            raise malformed(self.name, f"messages are nested deeper than {DEEPEST}", at)
        table = self.tables[kind]
        result: Message = {}
        for number, wire, begin, stop in self.fields(at, end):
            field = table.get(number)
            if field is None:
                continue
            if field.many == "{}":
                self.entry(field, wire, begin, stop, result.setdefault(field.name, {}), depth)
            elif field.many == "[]":
                numbers = result.setdefault(field.name, array(_CODES[field.kind]))
                if wire == 2:
                    self.pack(field.kind, begin, stop, numbers)
                else:
                    numbers.append(self.value(field, wire, begin, stop, depth))
            elif field.many and wire == 2 and field.kind in _WIRES:
                self.pack(field.kind, begin, stop, result.setdefault(field.name, []))
            elif field.many:
                result.setdefault(field.name, []).append(self.value(field, wire, begin, stop, depth))
            else:
                result[field.name] = self.value(field, wire, begin, stop, depth)
        return result

    def entry(self, field: Field, wire: int, begin: int, stop: int, result: dict[str, Any], depth: int) -> None:
        if wire != 2:
            raise malformed(self.name, f"the field {field.name} is no message", begin)
        key, item = "", None
        for number, inner, at, end in self.fields(begin, stop):
            if number == 1:
                key = self.text(inner, at, end)
            elif number == 2:
                item = self.value(field, inner, at, end, depth)
        result[key] = item if item is not None else {} if field.kind in self.tables else ""

    def value(self, field: Field, wire: int, begin: int, stop: int, depth: int) -> Any:
        kind = field.kind
        wanted = _WIRES.get(kind, 2)
        if wire != wanted:
            raise malformed(self.name, f"the field {field.name} has wire type {wire}, not {wanted}", min(begin, stop))
        if kind == "int":
            return begin - (1 << 64) if begin >> 63 else begin
        if kind == "bool":
            return bool(begin)
        if kind in _FIXED:
            return struct.unpack_from("<" + _FIXED[kind], self.data, begin)[0]
        if kind == "text":
            return self.text(wire, begin, stop)
        if kind == "bytes":
            return self.data[begin:stop]
        return self.message(kind, begin, stop, depth + 1)

    def text(self, wire: int, begin: int, stop: int) -> str:
        if wire != 2:
            raise malformed(self.name, "a text is none", begin)
        try:
            return str(self.data[begin:stop], "utf-8")
        except UnicodeDecodeError as error:
            raise malformed(self.name, f"a text is not UTF-8 ({error.reason})", begin + error.start) from None

    def pack(self, kind: str, begin: int, stop: int, numbers: list[Any] | array[Any]) -> None:
        """Add the numbers that stand one behind the other to others."""
        if kind in _FIXED:
            code = _FIXED[kind]
            width = struct.calcsize("<" + code)
            if (stop - begin) % width:
                raise malformed(self.name, f"{stop - begin} bytes are no numbers of {width}", begin)
            if isinstance(numbers, array) and sys.byteorder == "little":
                numbers.frombytes(self.data[begin:stop])
            else:
                numbers.extend(one for (one,) in struct.iter_unpack("<" + code, self.data[begin:stop]))
            return
        at = begin
        while at < stop:
            value, at = self.varint(at, stop)
            numbers.append(self.value(Field(0, "", kind, ""), 0, value, value, 0))


def field_numbers(data: bytes | memoryview, name: str) -> Iterator[tuple[int, int]]:
    """Yield number and wire type of each field of a message, whatever it is.

    Raises:
        LoadError E601: the data is no message.
    """
    view = memoryview(data)
    for number, wire, _, _ in _Reader(view, {}, name).fields(0, len(view)):
        yield number, wire


def parse(data: bytes | memoryview, message: str, tables: Schemas, name: str) -> Message:
    """Return the fields of a message as a dict.

    Args:
        data: all of the message; fields of kind `bytes` are views of it.
        message: its name in the tables.
        tables: of the format; see `schemas`.
        name: of the file, for messages.

    Raises:
        LoadError E601: the data is not such a message; it names the byte.
    """
    view = memoryview(data)
    return _Reader(view, tables, name).message(message, 0, len(view), 0)


# -------------------------------------------------------------------------------------------------------------- writing


def serialized(fields: Mapping[str, Any], message: str, tables: Schemas) -> bytes:
    """Return the bytes of a message; fields that are None or empty lists are left out.

    Args:
        fields: by the names of the table; of repeated ones lists, of maps dicts, of messages dicts.
        message: its name in the tables.
        tables: of the format.
    """
    return b"".join(serialized_parts(fields, message, tables))


def serialized_parts(fields: Mapping[str, Any], message: str, tables: Schemas) -> Iterator[bytes | memoryview]:
    """Yield the bytes of a message, those of arrays where they lie; see `serialized`."""
    for field in tables[message].values():
        value = fields.get(field.name)
        if value is None:
            continue
        if field.many == "{}":
            for key, item in value.items():
                entry = b"".join((*_one(1, "text", key, tables), *_one(2, field.kind, item, tables)))
                yield from _one(field.number, "bytes", entry, tables)
        elif field.many:
            if field.kind in _WIRES and len(value):
                yield from _one(field.number, "bytes", b"".join(_plain(field.kind, one) for one in value), tables)
            elif field.kind not in _WIRES:
                for one in value:
                    yield from _one(field.number, field.kind, one, tables)
        else:
            yield from _one(field.number, field.kind, value, tables)


def _one(number: int, kind: str, value: Any, tables: Schemas) -> Iterator[bytes | memoryview]:
    yield _varint(number << 3 | _WIRES.get(kind, 2))
    if kind in _WIRES:
        yield _plain(kind, value)
    elif kind in tables:
        parts = list(serialized_parts(value, kind, tables))
        yield _varint(sum(map(len, parts)))
        yield from parts
    else:
        data = memoryview(value.encode() if kind == "text" else value).cast("B")
        yield _varint(len(data))
        yield data


def _plain(kind: str, value: Any) -> bytes:
    if kind in _FIXED:
        return struct.pack("<" + _FIXED[kind], value)
    return _varint(int(value) & (1 << 64) - 1)


def _varint(value: int) -> bytes:
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)
    return bytes(out)
