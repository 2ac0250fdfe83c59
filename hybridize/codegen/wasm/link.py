# SPDX-License-Identifier: Apache-2.0
"""Relocatable objects as one module: memory laid out, indices and addresses written in, names exported.

Memory is the stack, then constants and variables, then what the host has for itself, from the exported global
`__heap_base` on. A stack that grows too large ends below 0, which traps, and overwrites nothing.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence

from hybridize.base.errors import CodegenError
from hybridize.base.frozen import frozen
from hybridize.codegen.wasm.binary import PADDED, ByteReader, name, section, signed, unsigned, vector
from hybridize.codegen.wasm.relocatable import CODE, MAGIC, Fix, LinkSymbol, Relocatable, read

STACK_BYTES = 1 << 18
PAGE = 1 << 16
HEAP_ALIGN = 64
_I32, _CONST, _MUTABLE = b"\x7f", b"\x00", b"\x01"
_FUNCTION, _TABLE, _MEMORY, _GLOBAL = (bytes([kind]) for kind in range(4))


@frozen
class Linked:
    """A module, and what it needs."""

    module: bytes
    imports: tuple[str, ...]
    """Functions of C's library that the host gives, from the namespace `env`."""
    exports: tuple[str, ...]
    """Functions, and variables as globals that hold their addresses."""


def link(*objects: bytes) -> Linked:
    """Make one module of objects, which share memory and nothing else: none refers to another.

    It exports `memory`, `__heap_base`, the objects' own names, and where functions are called through pointers also
    `__indirect_function_table`.

    Raises:
        CodegenError E967: the bytes are no object, or hold what our programs never need.
        CodegenError E963: an object needs data that is nowhere.
        CodegenError E976: two objects export one name.
    """
    sources = [read(data) for data in objects]
    for symbol in (symbol for source in sources for symbol in source.symbols):
        if symbol.kind == "data" and symbol.index < 0:
            raise CodegenError("E963", f"the object needs {symbol.name}, which is not defined anywhere")
    parts, imports, heap = _placed(sources)
    table = _Table()
    fixed = [_fixed(part, table) for part in parts]
    functions = [(s.name, part.function(s.index)) for part in parts for s in _exported(part.source, "function")]
    variables = [(s.name, part.starts[s.index] + s.offset) for part in parts for s in _exported(part.source, "data")]
    names = tuple(title for title, _ in (*functions, *variables))
    twice = sorted({title for title in names if names.count(title) > 1})
    if twice:
        raise CodegenError("E976", f"two objects export {', '.join(twice)}; each name may be exported once")
    constants = [*variables, ("__heap_base", heap)]
    exports = [name("memory") + _MEMORY + unsigned(0)]
    exports += [name(title) + _FUNCTION + unsigned(index) for title, index in functions]
    exports += [name(title) + _GLOBAL + unsigned(1 + k) for k, (title, _) in enumerate(constants)]
    types = [_items(source.types) for source in sources]
    imported = (name("env") + name(title) + _FUNCTION + unsigned(kind) for title, kind in imports.items())
    sections = [MAGIC, section(1, _joined(types)), section(2, vector(imported))]
    sections.append(section(3, vector(unsigned(index) for part in parts for index in part.function_types)))
    if any(source.has_table for source in sources):
        sections.append(section(4, vector([b"\x70\x00" + unsigned(1 + len(table.functions))])))
        exports.append(name("__indirect_function_table") + _TABLE + unsigned(0))
    sections.append(section(5, vector([b"\x00" + unsigned(-(-heap // PAGE))])))
    # The stack pointer is global 0, as in the objects, where it is the only one.
    values = [(_MUTABLE, STACK_BYTES), *((_CONST, address) for _, address in constants)]
    sections.append(section(6, vector(_I32 + kind + _constant(value) for kind, value in values)))
    sections.append(section(7, vector(exports)))
    if table.functions:
        sections.append(section(9, vector([b"\x00" + _constant(1) + vector(map(unsigned, table.functions))])))
    sections.append(section(10, _joined([_items(code) for code, _ in fixed])))
    contents = [
        pair for part, (_, data) in zip(parts, fixed, strict=True) for pair in zip(part.starts, data, strict=True)
    ]
    filled = [(offset, content) for offset, content in contents if any(content)]
    sections.append(section(11, vector(b"\x00" + _constant(at) + unsigned(len(x)) + x for at, x in filled)))
    return Linked(b"".join(sections), tuple(imports), names)


@frozen(eq=False)
class _Part:
    """An object with its offsets in the module."""

    source: Relocatable
    starts: tuple[int, ...]
    """Addresses of its segments."""
    imported: tuple[int, ...]
    """For each import of its own, the import of the module that it is."""
    first_function: int
    """Index of the first function that it defines."""
    first_type: int

    def function(self, index: int) -> int:
        """The index in the module of a function of the object."""
        own = index - len(self.imported)
        return self.imported[index] if own < 0 else self.first_function + own

    @property
    def function_types(self) -> list[int]:
        """Of each function that it defines, in the module."""
        reader = ByteReader(self.source.functions)
        return [self.first_type + reader.unsigned() for _ in range(reader.unsigned())]


def _placed(sources: Sequence[Relocatable]) -> tuple[list[_Part], dict[str, int], int]:
    """The objects one after the other; the types of the imports by their names; where memory is the host's."""
    imports: dict[str, int] = {}
    first_type, first_types = 0, []
    for source in sources:
        first_types.append(first_type)
        for each in source.imports:
            imports.setdefault(each.name, first_type + each.type)
        first_type += _items(source.types)[0]
    numbers = {title: number for number, title in enumerate(imports)}
    parts, end, defined = [], STACK_BYTES, len(imports)
    for source, first in zip(sources, first_types, strict=True):
        starts = []
        for segment in source.segments:
            end = _aligned(end, segment.align)
            starts.append(end)
            end += len(segment.content)
        imported = tuple(numbers[each.name] for each in source.imports)
        parts.append(_Part(source, tuple(starts), imported, defined, first))
        defined += _items(source.functions)[0]
    return parts, imports, _aligned(end, HEAP_ALIGN)


def _exported(source: Relocatable, kind: str) -> list[LinkSymbol]:
    return [symbol for symbol in source.symbols if symbol.kind == kind and symbol.exported]


def _items(content: bytes) -> tuple[int, bytes]:
    """Split a vector into the number of its items, and their bytes."""
    reader = ByteReader(content)
    count = reader.unsigned()
    return count, content[reader.position :]


def _joined(vectors: Sequence[tuple[int, bytes]]) -> bytes:
    return unsigned(sum(count for count, _ in vectors)) + b"".join(items for _, items in vectors)


def _aligned(value: int, align: int) -> int:
    return -(-value // align) * align


def _constant(value: int) -> bytes:
    """`i32.const value; end`."""
    return b"\x41" + signed(value) + b"\x0b"


class _Table:
    """Functions whose addresses are taken; 0 stays free, so that no function is the null pointer."""

    def __init__(self) -> None:
        self.functions: list[int] = []

    def index(self, function: int) -> int:
        if function not in self.functions:
            self.functions.append(function)
        return 1 + self.functions.index(function)


def _fixed(part: _Part, table: _Table) -> tuple[bytes, list[bytes]]:
    """Code and data with indices and addresses in them. The stack pointer and the table are 0 in every object."""
    source = part.source
    code = bytearray(source.code)
    segments = [bytearray(segment.content) for segment in source.segments]
    for fix in source.relocations:
        match fix.kind:
            case Fix.GLOBAL_INDEX_LEB | Fix.TABLE_NUMBER_LEB:
                continue
            case Fix.TYPE_INDEX_LEB:
                value = part.first_type + fix.index
            case Fix.FUNCTION_INDEX_LEB:
                value = part.function(source.symbols[fix.index].index)
            case Fix.TABLE_INDEX_SLEB | Fix.TABLE_INDEX_I32:
                value = table.index(part.function(source.symbols[fix.index].index))
            case _:
                symbol = source.symbols[fix.index]
                value = part.starts[symbol.index] + symbol.offset + fix.addend
        if fix.kind in (Fix.MEMORY_ADDR_I32, Fix.TABLE_INDEX_I32):
            raw = struct.pack("<I", value)
        elif fix.kind in (Fix.TABLE_INDEX_SLEB, Fix.MEMORY_ADDR_SLEB):
            raw = signed(value, PADDED)
        else:
            raw = unsigned(value, PADDED)
        into, offset = code, fix.offset
        if fix.section != CODE:
            number = max(k for k, start in enumerate(source.segment_starts) if start <= offset)
            into, offset = segments[number], offset - source.segment_starts[number]
        into[offset : offset + len(raw)] = raw
    return bytes(code), [bytes(segment) for segment in segments]
