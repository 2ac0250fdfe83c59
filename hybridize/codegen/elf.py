# SPDX-License-Identifier: Apache-2.0
"""Relocatable ELF objects as LLVM writes them, read: sections, symbols, relocations.

64-bit little-endian only. It says what stands in the object and decides nothing; `codegen.link` does.
"""

from __future__ import annotations

import struct
from typing import Any, Final

import numpy
from numpy.typing import NDArray

from hybridize.base.errors import CodegenError
from hybridize.base.frozen import frozen

MACHINES: Final = {62: "x86_64", 183: "aarch64"}
"""Families of processors by their number in the ELF header."""

WRITE: Final = 1
ALLOCATED: Final = 2
EXECUTABLE: Final = 4
MERGED: Final = 0x10
STRINGS: Final = 0x20
THREAD_LOCAL: Final = 0x400
"""Flags of sections."""

RELOCATED: Final = ".data.rel.ro"
"""The beginning of the names of sections that are written only while loading, though they have the flag."""

PROGBITS: Final = 1
SYMBOLS: Final = 2
RELOCATIONS: Final = 4
ZEROS: Final = 8
UNWINDING: Final = 0x70000001
"""Types of sections: contents, the table of symbols, relocations with addends, memory that begins as zeros, and what
x86-64 calls the tables for exceptions."""

GLOBAL_FUNCTION: Final = 0x12
GLOBAL_OBJECT: Final = 0x11
SECTION_SYMBOL: Final = 3
"""Kinds of symbols: bound everywhere, those of a section."""

HIDDEN: Final = 2
"""The visibility of symbols that are bound within the image only."""

UNDEFINED: Final = 0
ABSOLUTE: Final = 0xFFF1
"""Sections of symbols that lie in none: they come from outside; they are numbers."""

RESERVED: Final = 0xFF00
"""From here on numbers of sections mean something else, as `ABSOLUTE` does."""

_SECTION = struct.Struct("<IIQQQQIIQQ")
SYMBOL: Final = numpy.dtype([
    ("name", "<u4"), ("info", "u1"), ("other", "u1"), ("section", "<u2"), ("value", "<i8"), ("size", "<i8"),
])  # fmt: skip
RELOCATION: Final = numpy.dtype([("offset", "<i8"), ("type", "<u4"), ("symbol", "<u4"), ("addend", "<i8")])

Table = NDArray[Any]


@frozen
class Section:
    """A part of the object."""

    name: str
    type: int
    flags: int
    data: memoryview
    """Empty where the type is `ZEROS`."""
    nbytes: int
    alignment: int
    info: int
    """Of relocations: the number of the section that they change."""
    unit: int = 0
    """The size of each of its constants, where a section has them one by one, and any may stand elsewhere."""


@frozen
class Object:
    """A relocatable object file."""

    machine: str
    """x86_64 or aarch64."""
    sections: tuple[Section, ...]
    symbols: Table
    """Records of name (an offset into `names`), info, other, section, value, size."""
    names: bytes
    """The names of the symbols, each ended by a zero."""

    def name(self, symbol: int) -> str:
        """The name of the symbol of that number."""
        start = int(self.symbols["name"][symbol])
        return self.names[start : self.names.index(b"\0", start)].decode()

    def relocations(self) -> list[tuple[int, Table]]:
        """For each section that has some, its number and rows of offset, type, symbol, addend."""
        return [
            (section.info, numpy.frombuffer(section.data, RELOCATION))
            for section in self.sections
            if section.type == RELOCATIONS
        ]


def read(content: bytes) -> Object:
    """Read an object.

    Raises:
        CodegenError E967: it is none, or of a kind that LLVM does not write for our targets.
    """
    machine = MACHINES.get(int.from_bytes(content[18:20], "little"))
    if content[:6] != b"\x7fELF\2\1" or content[16:18] != b"\1\0" or machine is None:
        raise CodegenError("E967", "the code generator did not write a relocatable ELF object of a known processor")
    (start,) = struct.unpack_from("<Q", content, 40)
    size, count, naming = struct.unpack_from("<HHH", content, 58)
    view = memoryview(content)
    headers = [_SECTION.unpack_from(content, start + size * number) for number in range(count)]
    words = _data(view, headers[naming]).tobytes()
    sections = tuple(
        Section(
            name=words[header[0] : words.index(b"\0", header[0])].decode(),
            type=header[1],
            flags=header[2],
            data=_data(view, header),
            nbytes=header[5],
            alignment=max(1, header[8]),
            info=header[7],
            unit=header[9] if header[2] & (MERGED | STRINGS) == MERGED else 0,
        )
        for header in headers
    )
    symbols = next((number for number, section in enumerate(sections) if section.type == SYMBOLS), None)
    if symbols is None:
        raise CodegenError("E967", "the object has no table of symbols")
    names = sections[headers[symbols][6]].data.tobytes()
    return Object(machine, sections, numpy.frombuffer(sections[symbols].data, SYMBOL), names)


def _data(view: memoryview, header: tuple[Any, ...]) -> memoryview:
    return view[:0] if header[1] == ZEROS else view[header[4] : header[4] + header[5]]
