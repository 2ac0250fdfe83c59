# SPDX-License-Identifier: Apache-2.0
"""LLVM's relocatable WebAssembly object, read.

The format is that of the tool conventions: a module whose custom sections `linking` and `reloc.*` name the symbols and
the offsets that depend on where they end up.
"""

from __future__ import annotations

from enum import IntEnum

from hybridize.base.errors import CodegenError
from hybridize.base.frozen import frozen
from hybridize.codegen.wasm.binary import ByteReader

MAGIC = b"\0asm\x01\0\0\0"
TYPE, IMPORT, FUNCTION, CODE, DATA = 1, 2, 3, 10, 11
"""Numbers of sections."""
# 9 lists functions whose addresses are taken, as do the relocations; 12 counts the segments of data.
_SECTIONS = frozenset((0, TYPE, IMPORT, FUNCTION, 9, 12, CODE, DATA))
_SEGMENTS, _SYMBOLS = 5, 8
_UNDEFINED, _EXPLICIT_NAME, _LOCAL, _HIDDEN = 0x10, 0x40, 0x02, 0x04


class Fix(IntEnum):
    """Kinds of relocations that code without exceptions and threads has."""

    FUNCTION_INDEX_LEB = 0
    TABLE_INDEX_SLEB = 1
    TABLE_INDEX_I32 = 2
    MEMORY_ADDR_LEB = 3
    MEMORY_ADDR_SLEB = 4
    MEMORY_ADDR_I32 = 5
    TYPE_INDEX_LEB = 6
    GLOBAL_INDEX_LEB = 7
    TABLE_NUMBER_LEB = 20


_WITH_ADDEND = frozenset((Fix.MEMORY_ADDR_LEB, Fix.MEMORY_ADDR_SLEB, Fix.MEMORY_ADDR_I32))


@frozen
class Import:
    """A function of the host."""

    name: str
    type: int


@frozen
class LinkSymbol:
    """A function, a piece of data, or one of the globals and tables that every object knows."""

    kind: str
    """function, data, global or table."""
    name: str
    index: int
    """Of a function among all; of the segment of data; -1 for data that is nowhere."""
    offset: int = 0
    """Of data in its segment."""
    exported: bool = False


@frozen
class DataSegment:
    """A run of initial data."""

    content: bytes
    align: int


@frozen
class Relocation:
    """An offset whose content depends on where a symbol ends up."""

    section: int
    """CODE or DATA."""
    kind: Fix
    offset: int
    """From the start of the section's content."""
    index: int
    """Of a symbol, or of a type."""
    addend: int


@frozen
class Relocatable:
    """An object."""

    types: bytes
    """The content of its section, as it is: type indices stay."""
    imports: tuple[Import, ...]
    """Functions of the host, first in the order of functions."""
    functions: bytes
    code: bytes
    segments: tuple[DataSegment, ...]
    segment_starts: tuple[int, ...]
    """The offset at which the content of each segment begins, from the start of the section's content."""
    symbols: tuple[LinkSymbol, ...]
    relocations: tuple[Relocation, ...]
    has_table: bool
    """True if functions are called through pointers."""


def read(data: bytes) -> Relocatable:
    """Read an object.

    Raises:
        CodegenError E967: these bytes are no object, or hold what our programs never need.
    """
    if not data.startswith(MAGIC):
        raise CodegenError("E967", "these bytes are not WebAssembly")
    reader = ByteReader(data, len(MAGIC))
    sections: dict[int, ByteReader] = {}
    order: list[int] = []
    customs: list[tuple[str, ByteReader]] = []
    while not reader.done:
        number = reader.byte()
        size = reader.unsigned()
        content = ByteReader(data, reader.position, reader.position + size)
        reader.take(size)
        if number not in _SECTIONS:
            raise CodegenError("E967", f"the object has a section {number}, which no program of ours needs")
        order.append(number)
        if number == 0:
            customs.append((content.name(), content))
        else:
            sections[number] = content
    imports, has_table, names = _imports(sections.get(IMPORT))
    contents, starts = _data(sections.get(DATA))
    aligns: list[int] = []
    symbols: list[LinkSymbol] = []
    relocations: list[Relocation] = []
    for title, content in customs:
        if title == "linking":
            aligns, symbols = _linking(content, names)
        elif title in ("reloc.CODE", "reloc.DATA"):
            relocations += _relocations(content, order)
    if "linking" not in [title for title, _ in customs]:
        raise CodegenError("E967", "the module is not a relocatable object: it says nothing of its symbols")
    if len(aligns) != len(contents):
        raise CodegenError("E967", f"the object has {len(contents)} segments of data and describes {len(aligns)}")
    segments = tuple(DataSegment(content, align) for content, align in zip(contents, aligns, strict=True))
    return Relocatable(
        types=_rest(sections.get(TYPE)),
        imports=tuple(imports),
        functions=_rest(sections.get(FUNCTION)),
        code=_rest(sections.get(CODE)),
        segments=segments,
        segment_starts=tuple(starts),
        symbols=tuple(symbols),
        relocations=tuple(relocations),
        has_table=has_table,
    )


def _rest(reader: ByteReader | None) -> bytes:
    """The content of a section; an empty vector where it is missing."""
    return b"\0" if reader is None else reader.data[reader.position : reader.stop]


def _imports(reader: ByteReader | None) -> tuple[list[Import], bool, list[str]]:
    """Functions of the host, whether there is a table, and the names of globals."""
    functions: list[Import] = []
    has_table, names = False, []
    for _ in range(reader.unsigned() if reader is not None else 0):
        assert reader is not None
        reader.name()
        title, kind = reader.name(), reader.byte()
        if kind == 0:
            functions.append(Import(title, reader.unsigned()))
        elif kind == 3:
            reader.take(2)
            names.append(title)
        elif kind in (1, 2):
            has_table = has_table or kind == 1
            if kind == 1:
                reader.byte()
            for _ in range(1 + (reader.byte() & 1)):
                reader.unsigned()
        else:
            raise CodegenError("E967", f"the object imports {title}, of a kind ({kind}) that no program of ours needs")
    if names not in ([], ["__stack_pointer"]):
        raise CodegenError("E967", f"the object imports the globals {', '.join(names)}; only __stack_pointer is there")
    return functions, has_table, [function.name for function in functions]


def _data(reader: ByteReader | None) -> tuple[list[bytes], list[int]]:
    contents, starts = [], []
    if reader is not None:
        first = reader.position
        for _ in range(reader.unsigned()):
            if reader.byte() != 0 or reader.byte() != 0x41:  # into memory 0, at an i32 constant
                raise CodegenError("E967", "a segment of data has no constant offset")
            reader.signed()
            reader.byte()
            size = reader.unsigned()
            starts.append(reader.position - first)
            contents.append(reader.take(size))
    return contents, starts


def _linking(reader: ByteReader, imported: list[str]) -> tuple[list[int], list[LinkSymbol]]:
    """Alignments of segments, and the symbols."""
    version = reader.unsigned()
    if version != 2:
        raise CodegenError("E967", f"the object's symbols are of version {version}; 2 is known")
    aligns: list[int] = []
    symbols: list[LinkSymbol] = []
    while not reader.done:
        kind, size = reader.byte(), reader.unsigned()
        end = reader.position + size
        if kind == _SEGMENTS:
            for _ in range(reader.unsigned()):
                reader.name()
                aligns.append(1 << reader.unsigned())
                reader.unsigned()
        elif kind == _SYMBOLS:
            symbols = [_symbol(reader, imported) for _ in range(reader.unsigned())]
        reader.position = end
    return aligns, symbols


def _symbol(reader: ByteReader, imported: list[str]) -> LinkSymbol:
    kind, flags = reader.byte(), reader.unsigned()
    defined = not flags & _UNDEFINED
    exported = defined and not flags & (_LOCAL | _HIDDEN)
    if kind == 1:
        title = reader.name()
        if not defined:
            return LinkSymbol("data", title, -1)
        index, offset = reader.unsigned(), reader.unsigned()
        reader.unsigned()
        return LinkSymbol("data", title, index, offset, exported)
    word = {0: "function", 2: "global", 5: "table"}.get(kind)
    if word is None:
        raise CodegenError("E967", f"the object has a symbol of kind {kind}, which no program of ours needs")
    index = reader.unsigned()
    title = reader.name() if defined or flags & _EXPLICIT_NAME else imported[index] if word == "function" else word
    return LinkSymbol(word, title, index, 0, exported)


def _relocations(reader: ByteReader, order: list[int]) -> list[Relocation]:
    section = order[reader.unsigned()]
    relocations = []
    for _ in range(reader.unsigned()):
        number = reader.byte()
        if number not in tuple(Fix):
            raise CodegenError("E967", f"the object has a relocation of kind {number}, which is not known")
        kind = Fix(number)
        offset, index = reader.unsigned(), reader.unsigned()
        relocations.append(Relocation(section, kind, offset, index, reader.signed() if kind in _WITH_ADDEND else 0))
    return relocations
