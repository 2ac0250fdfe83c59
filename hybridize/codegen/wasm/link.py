# SPDX-License-Identifier: Apache-2.0
"""One relocatable object as a module: memory laid out, addresses written in, names exported.

Memory is the stack, then constants and variables, then what the host has for itself, from the exported global
`__heap_base` on. A stack that grows too large ends below 0, which traps, and overwrites nothing.
"""

from __future__ import annotations

import struct

from hybridize.base.errors import CodegenError
from hybridize.base.frozen import frozen
from hybridize.codegen.wasm.binary import PADDED, name, section, signed, unsigned, vector
from hybridize.codegen.wasm.relocatable import CODE, MAGIC, Fix, Relocatable, Symbol, read

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


def link(data: bytes) -> Linked:
    """Make a module of an object.

    It exports `memory`, `__heap_base`, the object's own names, and where functions are called through pointers also
    `__indirect_function_table`.

    Raises:
        CodegenError E967: the bytes are no object, or hold what our programs never need.
        CodegenError E963: the object needs data that is nowhere.
    """
    source = read(data)
    for symbol in source.symbols:
        if symbol.kind == "data" and symbol.index < 0:
            raise CodegenError("E963", f"the object needs {symbol.name}, which is nowhere")
    places, end = _layout(source)
    table = _Table()
    code, segments = _fixed(source, places, table)
    heap = _aligned(end, HEAP_ALIGN)
    variables = [s for s in source.symbols if s.kind == "data" and s.exported]
    functions = [s for s in source.symbols if s.kind == "function" and s.exported]
    constants = [(s.name, places[s.index] + s.offset) for s in variables] + [("__heap_base", heap)]
    exports = [name("memory") + _MEMORY + unsigned(0)]
    exports += [name(s.name) + _FUNCTION + unsigned(s.index) for s in functions]
    exports += [name(title) + _GLOBAL + unsigned(1 + k) for k, (title, _) in enumerate(constants)]
    parts = [MAGIC, section(1, source.types), _import_section(source), section(3, source.functions)]
    if source.has_table:
        parts.append(section(4, vector([b"\x70\x00" + unsigned(1 + len(table.functions))])))
        exports.append(name("__indirect_function_table") + _TABLE + unsigned(0))
    parts.append(section(5, vector([b"\x00" + unsigned(-(-heap // PAGE))])))
    # The stack pointer is global 0, as in the object, where it is the only one.
    values = [(_MUTABLE, STACK_BYTES), *((_CONST, address) for _, address in constants)]
    parts.append(section(6, vector(_I32 + kind + _constant(value) for kind, value in values)))
    parts.append(section(7, vector(exports)))
    if table.functions:
        parts.append(section(9, vector([b"\x00" + _constant(1) + vector(map(unsigned, table.functions))])))
    parts.append(section(10, code))
    filled = [(place, content) for place, content in zip(places, segments, strict=True) if any(content)]
    parts.append(section(11, vector(b"\x00" + _constant(at) + unsigned(len(x)) + x for at, x in filled)))
    names = tuple(s.name for s in (*functions, *variables))
    return Linked(b"".join(parts), tuple(each.name for each in source.imports), names)


def _aligned(value: int, align: int) -> int:
    return -(-value // align) * align


def _constant(value: int) -> bytes:
    """`i32.const value; end`."""
    return b"\x41" + signed(value) + b"\x0b"


def _import_section(source: Relocatable) -> bytes:
    items = (name("env") + name(each.name) + _FUNCTION + unsigned(each.type) for each in source.imports)
    return section(2, vector(items))


def _layout(source: Relocatable) -> tuple[list[int], int]:
    """Addresses of the segments, and where they end."""
    places, end = [], STACK_BYTES
    for segment in source.segments:
        end = _aligned(end, segment.align)
        places.append(end)
        end += len(segment.content)
    return places, end


class _Table:
    """Functions whose addresses are taken; 0 stays free, so that no function is the null pointer."""

    def __init__(self) -> None:
        self.functions: list[int] = []

    def index(self, function: int) -> int:
        if function not in self.functions:
            self.functions.append(function)
        return 1 + self.functions.index(function)


def _fixed(source: Relocatable, places: list[int], table: _Table) -> tuple[bytes, list[bytes]]:
    """Code and data with addresses in them. Indices of functions, types and globals are those of the object."""
    code = bytearray(source.code)
    segments = [bytearray(segment.content) for segment in source.segments]
    for fix in source.relocations:
        if fix.kind in (Fix.FUNCTION_INDEX_LEB, Fix.TYPE_INDEX_LEB, Fix.GLOBAL_INDEX_LEB, Fix.TABLE_NUMBER_LEB):
            continue
        symbol: Symbol = source.symbols[fix.index]
        if fix.kind in (Fix.TABLE_INDEX_SLEB, Fix.TABLE_INDEX_I32):
            value = table.index(symbol.index)
        else:
            value = places[symbol.index] + symbol.offset + fix.addend
        if fix.kind in (Fix.MEMORY_ADDR_I32, Fix.TABLE_INDEX_I32):
            raw = struct.pack("<I", value)
        else:
            raw = unsigned(value, PADDED) if fix.kind is Fix.MEMORY_ADDR_LEB else signed(value, PADDED)
        into, offset = (code, fix.offset) if fix.section == CODE else _in_segment(source, segments, fix.offset)
        into[offset : offset + len(raw)] = raw
    return bytes(code), [bytes(segment) for segment in segments]


def _in_segment(source: Relocatable, segments: list[bytearray], offset: int) -> tuple[bytearray, int]:
    """The segment that an offset into the section of data falls into, and where."""
    number = max(k for k, start in enumerate(source.segment_starts) if start <= offset)
    return segments[number], offset - source.segment_starts[number]
