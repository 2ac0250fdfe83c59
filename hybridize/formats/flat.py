# SPDX-License-Identifier: Apache-2.0
"""FlatBuffers without their library: tables read by tables of their slots.

    SCHEMAS = schemas('''
        Model: 0 version u32, 2 graphs Graph*, 3 note text
        Operator: 0 code u32, 4 options Options?
        Options: 1 conv Conv, 2 pool Pool
        ...
    ''')
    model = parse(data, "Model", SCHEMAS, "model.tflite")      {"version": 3, "graphs": [{...}], ...}

A field is its slot, the name that we give it, and its kind: a number (`i32`, `f32`, ...), `bool`, `text`, another
table, or with `?` behind it a union, whose type lies in the slot before; `*` says that it is a vector. Vectors of
numbers are views of the data. Fields that are absent in the data are absent in the dict. Data is not trusted: each
offset is compared with what there is, and tables that are shared again and again do not multiply.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping
from typing import Any, Final

import numpy
from numpy.typing import NDArray

from hybridize.base.errors import LoadError
from hybridize.formats.cursor import malformed
from hybridize.formats.wire import Field, Message, Schemas

_CODES: Final = {"i8": "b", "u8": "B", "i16": "h", "u16": "H", "i32": "i", "u32": "I", "i64": "q", "u64": "Q",
                 "f32": "f", "f64": "d", "bool": "?"}  # fmt: skip
_NUMBERS: Final = {kind: struct.Struct("<" + code) for kind, code in _CODES.items()}
_SHARED: Final = 8
"""Bytes that may be read for each byte of the data: writers share little, and what is crafted to is refused."""


class _Reader:
    """The bytes of one file, and how much of them may still be read."""

    def __init__(self, data: memoryview, tables: Schemas, name: str) -> None:
        self.data, self.tables, self.name = data, tables, name
        self.left = _SHARED * len(data)

    def fail(self, what: str, at: int) -> LoadError:
        return malformed(self.name, what, at)

    def spend(self, count: int, at: int) -> None:
        self.left -= count
        if self.left < 0:
            raise self.fail("it refers to the same bytes again and again", at)

    def number(self, kind: str, at: int) -> Any:
        code = _NUMBERS[kind]
        if not 0 <= at <= len(self.data) - code.size:
            raise self.fail(f"an offset leads to byte {at} of {len(self.data)}", at)
        return code.unpack_from(self.data, at)[0]

    def inside(self, at: int) -> int:
        """Follow the offset that lies at a byte."""
        return at + int(self.number("u32", at))

    def table(self, kind: str, at: int) -> Message:
        slots = at - self.number("i32", at)
        count, size = self.number("u16", slots), self.number("u16", slots + 2)
        if count < 4 or slots + count > len(self.data) or size < 4 or at + size > len(self.data):
            raise self.fail(f"a table {kind} does not lie within the file", at)
        self.spend(size, at)
        result: Message = {}
        for slot, field in self.fields(kind).items():
            offset = self.offset(slots, count, slot)
            if not offset:
                continue
            width = 4 if field.many or field.kind not in _NUMBERS else _NUMBERS[field.kind].size
            if not 4 <= offset <= size - width:
                raise self.fail(f"the field {field.name} does not lie within its table", slots + 4 + 2 * slot)
            if field.kind.endswith("?"):
                before = self.offset(slots, count, slot - 1)
                value = self.union(field, self.number("u8", at + before) if before else 0, at + offset)
            else:
                value = self.value(field, at + offset)
            if value is not None:
                result[field.name] = value
        return result

    def offset(self, slots: int, count: int, slot: int) -> int:
        entry = 4 + 2 * slot
        return int(self.number("u16", slots + entry)) if entry + 2 <= count else 0

    def union(self, field: Field, type_: int, at: int) -> Message | None:
        """The table that a union is, and its fields that the schema has not, as `field` and their number."""
        if not type_:
            return None
        one, place = self.tables[field.kind.removesuffix("?")].get(type_), self.inside(at)
        kind = "" if one is None else one.kind
        return self.table(kind, place) | self.others(kind, place)

    def others(self, kind: str, at: int) -> Message:
        """The offsets of a table's fields that the schema has not."""
        slots = at - self.number("i32", at)
        count, known = self.number("u16", slots), self.fields(kind)
        others = (slot for slot in range((count - 4) // 2) if slot not in known)
        offsets = {slot: self.offset(slots, count, slot) for slot in others}
        return {f"field {slot}": offset for slot, offset in offsets.items() if offset}

    def fields(self, kind: str) -> Mapping[int, Field]:
        return self.tables[kind] if kind else {}

    def value(self, field: Field, at: int) -> Any:
        if field.many:
            return self.vector(field.kind, self.inside(at))
        if field.kind in _NUMBERS:
            return self.number(field.kind, at)
        return self.text(self.inside(at)) if field.kind == "text" else self.table(field.kind, self.inside(at))

    def vector(self, kind: str, at: int) -> NDArray[Any] | list[Any]:
        count = self.number("u32", at)
        width = _NUMBERS[kind].size if kind in _NUMBERS else 4
        if count * width > len(self.data) - at - 4:
            raise self.fail(f"a vector of {count} elements is longer than the file", at)
        if kind in _NUMBERS:
            dtype = numpy.dtype("u1" if kind == "bool" else "<" + kind[0] + str(width))
            return numpy.ndarray((count,), dtype, self.data, at + 4)
        self.spend(4 * count, at)
        places = [self.inside(at + 4 + 4 * n) for n in range(count)]
        return [self.text(place) if kind == "text" else self.table(kind, place) for place in places]

    def text(self, at: int) -> str:
        count = self.number("u32", at)
        if count > len(self.data) - at - 4:
            raise self.fail(f"a text of {count} bytes is longer than the file", at)
        self.spend(count, at)
        try:
            return str(self.data[at + 4 : at + 4 + count], "utf-8")
        except UnicodeDecodeError as error:
            raise self.fail(f"a text is not UTF-8 ({error.reason})", at + 4 + error.start) from None


def parse(data: bytes | memoryview, table: str, tables: Schemas, name: str) -> Message:
    """Return the fields of the root table as a dict.

    Args:
        data: the file.
        table: the root's name in the tables.
        tables: of the format; see `hybridize.formats.wire.schemas`.
        name: of the file, for messages.

    Raises:
        LoadError E601: the data is no such table; it names the byte.
    """
    reader = _Reader(memoryview(data), tables, name)
    return reader.table(table, reader.inside(0))
