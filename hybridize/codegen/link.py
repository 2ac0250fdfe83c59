# SPDX-License-Identifier: Apache-2.0
"""One relocatable object made into an image: sections in their places, references between them resolved.

    code, constants, addresses | next page: variables, variables that begin as zeros

Nothing of it depends on where the image will be loaded. What does (addresses of functions of the process, pointers in
constants) is a word of the part that is written while loading, and the image lists those words. Code reaches a
function of the process through its word; a call, which is an instruction too short for that, by way of a jump.
"""

from __future__ import annotations

from typing import Final

import numpy

from hybridize.base.errors import CodegenError
from hybridize.codegen import elf
from hybridize.codegen.elf import Object, Section, Table
from hybridize.runtime.image import Image

PAGE: Final = {"x86_64": 1 << 12}
"""The largest page that the operating system may have."""

_UNREAD: Final = (".eh_frame", ".note")
"""Sections that only debuggers and exceptions read."""

# Kinds of references on x86-64.
_ABSOLUTE, _RELATIVE, _GOT, _CALL, _RELATIVE_WORD = 1, 2, 9, 4, 24
_GOT_RELAXABLE: Final = (41, 42)
_JUMP: Final = b"\xff\x25"
"""jmp [rip + offset]"""


def link(content: bytes) -> Image:
    """The image of an object. It exports what the module defines and does not hide.

    Raises:
        CodegenError E967: the object holds something that code of ours never has.
    """
    obj = elf.read(content)
    if obj.machine not in PAGE:
        raise CodegenError("E967", f"there is no linker for {obj.machine}")
    linker = _Linker(obj)
    for section, records in obj.relocations():
        if section in linker.places:
            linker.relocate(section, records)
    return linker.image()


class _Linker:
    """One object on its way."""

    def __init__(self, obj: Object) -> None:
        self.obj = obj
        self.places: dict[int, int] = {}
        """Where each section that is kept begins."""
        self.words: dict[tuple[int, int] | str, int] = {}
        """The words that hold an address: of a function by its name, of a section's byte by number and offset."""
        self.jumps: dict[str, int] = {}
        """Where the jump to each function of the process is."""
        self.pointers: list[tuple[int, int]] = []
        kept = [number for number, section in enumerate(obj.sections) if _kept(section)]
        code, rest = self._split(kept)
        end = self._place(code, 0)
        # How many words and jumps there will be is known once the references have been read; they have room enough.
        self.table = self.free = -(-end // 16) * 16
        room = self.table + 16 * self._references(kept)
        self.variables = -(-room // PAGE[obj.machine]) * PAGE[obj.machine]
        filled = [number for number in rest if obj.sections[number].type != elf.ZEROS]
        self.data_end = self._place(filled, self.variables)
        self.end = self._place([number for number in rest if number not in filled], self.data_end)
        self.memory = bytearray(self.data_end if rest else room)
        for number in [*code, *filled]:
            data = obj.sections[number].data
            self.memory[self.places[number] : self.places[number] + len(data)] = data

    def _split(self, kept: list[int]) -> tuple[list[int], list[int]]:
        """What is written only while loading, code first; and what the program writes."""
        sections = self.obj.sections
        variable = [
            n for n in kept if sections[n].flags & elf.WRITE and not sections[n].name.startswith(".data.rel.ro")
        ]
        fixed = [n for n in kept if n not in variable]
        return sorted(fixed, key=lambda n: not sections[n].flags & elf.EXECUTABLE), variable

    def _place(self, numbers: list[int], start: int) -> int:
        """Lay sections out one after the other; returns the end."""
        for number in numbers:
            section = self.obj.sections[number]
            start = -(-start // section.alignment) * section.alignment
            self.places[number] = start
            start += section.nbytes
        return start

    def _references(self, kept: list[int]) -> int:
        """No more words, nor jumps, can be needed than these."""
        symbols: set[int] = set()
        for section, records in self.obj.relocations():
            if section in kept:
                outside = self.obj.symbols["section"][records["symbol"]] == elf.UNDEFINED
                through = numpy.isin(records["type"], (_GOT, *_GOT_RELAXABLE))
                symbols.update(records["symbol"][outside | through].tolist())
        return len(symbols)

    def relocate(self, section: int, records: Table) -> None:
        """Resolve the references that stand in a section."""
        obj, start = self.obj, self.places[section]
        owners = obj.symbols["section"][records["symbol"]]
        inside = numpy.isin(owners, list(self.places))
        near = inside & numpy.isin(records["type"], (_RELATIVE, _CALL))
        self._relocate_near(start, records[near])
        for record, within in zip(records[~near], inside[~near], strict=True):
            kind, symbol, place = int(record["type"]), int(record["symbol"]), start + int(record["offset"])
            addend = int(record["addend"])
            if kind == _ABSOLUTE and within:
                self._pointer(place, self._target(symbol) + addend)
            elif kind == _RELATIVE_WORD and within:
                self._write(place, self._target(symbol) + addend - place, 8)
            elif kind in (_GOT, *_GOT_RELAXABLE) and (within or self._outside(symbol)):
                self._write(place, self._word(symbol, within) + addend - place, 4)
            elif kind == _CALL and self._outside(symbol):
                self._write(place, self._jump(obj.name(symbol)) + addend - place, 4)
            else:
                raise CodegenError("E967", f"a reference of type {kind} to {obj.name(symbol)!r} cannot be resolved")

    def _relocate_near(self, start: int, records: Table) -> None:
        """Distances within the image, all at once: large programs have many thousands."""
        if not len(records):
            return
        base = numpy.zeros(len(self.obj.sections), numpy.int64)
        base[list(self.places)] = list(self.places.values())
        symbols = self.obj.symbols[records["symbol"]]
        places = records["offset"] + start
        distances = base[symbols["section"]] + symbols["value"] + records["addend"] - places
        if not len(self.memory) < 1 << 31:
            raise CodegenError("E967", "a module of 2 GiB is too large for its own references")
        memory = numpy.frombuffer(self.memory, numpy.uint8)
        memory[places[:, None] + numpy.arange(4)] = distances.astype("<i4").view(numpy.uint8).reshape(-1, 4)

    def _outside(self, symbol: int) -> bool:
        return bool(self.obj.symbols["section"][symbol] == elf.UNDEFINED) and bool(self.obj.name(symbol))

    def _target(self, symbol: int) -> int:
        record = self.obj.symbols[symbol]
        return self.places[int(record["section"])] + int(record["value"])

    def _word(self, symbol: int, within: bool) -> int:
        """Where the word with the address of a symbol is."""
        record = self.obj.symbols[symbol]
        key = (int(record["section"]), int(record["value"])) if within else self.obj.name(symbol)
        place = self.words.get(key)
        if place is None:
            place = self.words[key] = self._allocate(b"\0" * 8)
            if within:
                self._pointer(place, self._target(symbol))
        return place

    def _jump(self, name: str) -> int:
        """Where a jump to the function `name` of the process is."""
        place = self.jumps.get(name)
        if place is None:
            word = self.words.get(name)
            if word is None:
                word = self.words[name] = self._allocate(b"\0" * 8)
            place = self._allocate(_JUMP + b"\0" * 6)
            self._write(place + 2, word - place - 6, 4)
            self.jumps[name] = place
        return place

    def _allocate(self, content: bytes) -> int:
        place, self.free = self.free, self.free + len(content)
        self.memory[place : self.free] = content
        return place

    def _pointer(self, place: int, target: int) -> None:
        self.pointers.append((place, target))

    def _write(self, place: int, value: int, nbytes: int) -> None:
        self.memory[place : place + nbytes] = value.to_bytes(nbytes, "little", signed=True)

    def image(self) -> Image:
        """What has come of it."""
        obj, symbols = self.obj, self.obj.symbols
        exported = (symbols["info"] >> 4 != 0) & (symbols["other"] & 3 == 0) & (symbols["section"] != elf.UNDEFINED)
        exports = [(obj.name(number), self._target(number)) for number in numpy.flatnonzero(exported).tolist()]
        externals = [(key, place) for key, place in self.words.items() if isinstance(key, str)]
        return Image(
            obj.machine,
            bytes(self.memory[: self.free]),
            self.variables,
            bytes(self.memory[self.variables :]),
            self.end - self.data_end,
            tuple(exports),
            tuple(externals),
            tuple(self.pointers),
        )


def _kept(section: Section) -> bool:
    """Whether a section is part of the running program."""
    if not section.flags & elf.ALLOCATED or section.type == elf.UNWINDING or section.name.startswith(_UNREAD):
        return False
    if section.flags & elf.THREAD_LOCAL or section.type not in (elf.PROGBITS, elf.ZEROS):
        raise CodegenError("E967", f"a section {section.name} has no place in an image")
    return True
