# SPDX-License-Identifier: Apache-2.0
"""Relocatable objects made into an image: sections in their places, references between them resolved.

    code, constants, addresses | next page: variables, variables that begin as zeros

Nothing of it depends on where the image will be loaded. What does (addresses of functions of the process, pointers in
constants) is a word of the part that is written while loading, and the image lists those words. Code reaches a
function of the process through its word; a call, which is an instruction too short for that, by way of a jump.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any, Final

import numpy

from hybridize.base.errors import CodegenError
from hybridize.codegen import elf
from hybridize.codegen.elf import Object, Section, Table
from hybridize.codegen.functions import Chunk, FunctionCode
from hybridize.codegen.references import PROCESSORS, Meaning, Offsets
from hybridize.runtime.image import Image

_UNREAD: Final = (".eh_frame", ".note")
"""Sections that only debuggers and exceptions read."""


def link(content: bytes, machine: str) -> Image:
    """The image of an object. It exports what that defines and does not hide.

    Args:
        content: the object, which names its processor but not its operating system.
        machine: what it is for (`machine.Target.machine`).

    Raises:
        CodegenError E967: the object holds something that code of ours never has, or is of another processor.
    """
    return _linked(elf.read(content), machine)


def link_functions(
    functions: Mapping[str, FunctionCode], exported: Collection[str], variables: Mapping[str, int], machine: str
) -> Image:
    """The image of functions that need each other.

    Args:
        functions: their code, by name.
        exported: the names of those that the image exports.
        variables: bytes of variables that it exports, too, which begin as zeros.
        machine: as for `link`.

    Raises:
        CodegenError E967: the code holds something that code of ours never has.
    """
    return _linked(_joined(functions, exported, variables), machine)


def _linked(obj: Object, machine: str) -> Image:
    if obj.machine != machine.partition("-")[0]:
        raise CodegenError("E967", f"the object is for {obj.machine}, and its image shall be for {machine}")
    linker = _Linker(obj)
    for section, relocations in obj.relocations():
        if section in linker.starts:
            linker.relocate(section, relocations)
    return linker.image(machine)


_CODE, _CONSTANTS, _VARIABLES = 1, 2, 3
"""Sections of functions that are joined."""


def _joined(functions: Mapping[str, FunctionCode], exported: Collection[str], variables: Mapping[str, int]) -> Object:
    """Put functions into one object, each constant once."""
    code, constants, zeros = _Sections(), _Sections(), 0
    symbols = _Symbols()
    for name, nbytes in variables.items():
        symbols.define(name, elf.GLOBAL_OBJECT, _VARIABLES, zeros, 0)
        zeros += -(-nbytes // _ALIGNED) * _ALIGNED
    for name, function in functions.items():
        hidden = 0 if name in exported else elf.HIDDEN
        symbols.define(name, elf.GLOBAL_FUNCTION, _CODE, code.place(function.code), hidden)
    for name, function in functions.items():
        places = [constants.place(chunk) for chunk in function.constants]
        numbers = [_CONSTANTS if not of else symbols.number(of) for of, _, _ in function.symbols]
        moves = [offset + (0 if of else places[number]) for of, number, offset in function.symbols]
        to = numpy.array([numbers, moves], numpy.int64)
        code.refer(function.code, symbols.value(name), to)
        for chunk, place in zip(function.constants, places, strict=True):
            constants.refer(chunk, place, to)
    sections = (
        Section(name="", type=0, flags=0, data=memoryview(b""), nbytes=0, alignment=1, info=0),
        code.section("code", elf.ALLOCATED | elf.EXECUTABLE),
        constants.section("constants", elf.ALLOCATED),
        Section(
            name="variables",
            type=elf.ZEROS,
            flags=elf.ALLOCATED | elf.WRITE,
            data=memoryview(b""),
            nbytes=zeros,
            alignment=_ALIGNED,
            info=0,
        ),
        *code.relocations(_CODE),
        *constants.relocations(_CONSTANTS),
    )
    (machine,) = {function.machine for function in functions.values()}
    return Object(machine, sections, *symbols.table())


_ALIGNED: Final = 64
"""Bytes that variables lie apart, as lines of the cache do."""


class _Sections:
    """A section made of chunks of several functions."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []
        self._end, self._alignment = 0, 1
        self._rows: list[Table] = []
        self._places: dict[tuple[bytes, int], int] = {}

    def place(self, chunk: Chunk) -> int:
        """Return the offset of a chunk, which is added unless an equal one without references is there."""
        key = chunk.content, chunk.alignment
        place = None if chunk.references else self._places.get(key)
        if place is None:
            place = -(-self._end // chunk.alignment) * chunk.alignment
            self._parts += bytes(place - self._end), chunk.content
            self._end, self._alignment = place + len(chunk.content), max(self._alignment, chunk.alignment)
            if not chunk.references:
                self._places[key] = place
        return place

    def refer(self, chunk: Chunk, place: int, to: Offsets) -> None:
        """Add the references of a chunk that is at `place`; `to` has the symbols of the object and what to add."""
        if chunk.references:
            rows = numpy.frombuffer(chunk.references, elf.RELOCATION).copy()
            numbers, moves = to[:, rows["symbol"]]
            rows["offset"] += place
            rows["addend"] += moves
            rows["symbol"] = numbers
            self._rows.append(rows)

    def section(self, name: str, flags: int) -> Section:
        """The section."""
        data = memoryview(b"".join(self._parts))
        return Section(
            name=name, type=elf.PROGBITS, flags=flags, data=data, nbytes=len(data), alignment=self._alignment, info=0
        )

    def relocations(self, number: int) -> Iterator[Section]:
        """The section of its references, where it has some; its own number is `number`."""
        if self._rows:
            rows = numpy.concatenate(self._rows)
            yield Section(
                name="",
                type=elf.RELOCATIONS,
                flags=0,
                data=memoryview(rows.tobytes()),
                nbytes=rows.nbytes,
                alignment=8,
                info=number,
            )


class _Symbols:
    """The symbols of functions that are joined."""

    def __init__(self) -> None:
        self._rows: list[tuple[int, int, int, int, int, int]] = []
        self._names: dict[str, int] = {}
        self._words = bytearray(b"\0")
        for section in (0, _CODE, _CONSTANTS, _VARIABLES):
            self._rows.append((0, elf.SECTION_SYMBOL, 0, section, 0, 0))

    def define(self, name: str, info: int, section: int, value: int, other: int) -> None:
        """Add a symbol."""
        self._names[name] = len(self._rows)
        self._rows.append((len(self._words), info, other, section, value, 0))
        self._words += name.encode() + b"\0"

    def number(self, name: str) -> int:
        """The number of a symbol, one of the process where the functions do not define it."""
        if name not in self._names:
            self.define(name, elf.GLOBAL_FUNCTION, elf.UNDEFINED, 0, 0)
        return self._names[name]

    def value(self, name: str) -> int:
        """The offset of a symbol in its section."""
        return self._rows[self._names[name]][4]

    def table(self) -> tuple[Table, bytes]:
        """The symbols, and their names."""
        return numpy.array(self._rows, elf.SYMBOL), bytes(self._words)


class _Linker:
    """One object on its way."""

    def __init__(self, obj: Object) -> None:
        self.obj = obj
        self.processor = PROCESSORS[obj.machine]
        self.starts: dict[int, int] = {}
        """The offset of each section that is kept."""
        self.words: dict[tuple[int, int] | str, int] = {}
        """The words that hold an address: of a function by its name, of a section's byte by number and offset."""
        self.jumps: dict[str, int] = {}
        """The offset of the jump to each function of the process."""
        self.pointers: list[tuple[int, int]] = []
        numbers = [number for number, section in enumerate(obj.sections) if _is_loaded(section)]
        fixed, variable = self._split(numbers)
        end = self._lay_out(fixed, 0)
        # How many words and jumps there will be is known once the references have been read; they have room enough.
        self.free = -(-end // 16) * 16
        room = self.free + (8 + len(self.processor.jump)) * self._references(numbers)
        self.variables = -(-room // self.processor.page) * self.processor.page
        filled = [number for number in variable if obj.sections[number].type != elf.ZEROS]
        self.data_end = self._lay_out(filled, self.variables)
        self.end = self._lay_out([number for number in variable if number not in filled], self.data_end)
        self.memory = numpy.zeros(self.data_end if variable else room, numpy.uint8)
        for number in [*fixed, *filled]:
            data = numpy.frombuffer(obj.sections[number].data, numpy.uint8)
            self.memory[self.starts[number] : self.starts[number] + len(data)] = data
        starts = numpy.full(len(obj.sections), -1, numpy.int64)
        starts[list(self.starts)] = list(self.starts.values())
        self.inside = _of_sections(starts, obj.symbols) >= 0
        """Of each symbol, whether it is within the image."""
        self.targets = numpy.where(self.inside, _of_sections(starts, obj.symbols) + obj.symbols["value"], -1)
        """Of each such symbol, where."""

    def _split(self, numbers: list[int]) -> tuple[list[int], list[int]]:
        """Part the sections: those that are written only while loading, code first; and those the program writes."""
        sections = self.obj.sections
        variable = [
            n for n in numbers if sections[n].flags & elf.WRITE and not sections[n].name.startswith(elf.RELOCATED)
        ]
        fixed = [n for n in numbers if n not in variable]
        return sorted(fixed, key=lambda n: not sections[n].flags & elf.EXECUTABLE), variable

    def _lay_out(self, numbers: list[int], start: int) -> int:
        """Lay sections out one after the other; returns the end."""
        for number in numbers:
            section = self.obj.sections[number]
            start = -(-start // section.alignment) * section.alignment
            self.starts[number] = start
            start += section.nbytes
        return start

    def _references(self, numbers: list[int]) -> int:
        """No more words, nor jumps, can be needed than these."""
        words = [number for number, kind in self.processor.kinds.items() if kind.meaning is Meaning.WORD]
        symbols: set[int] = set()
        for section, relocations in self.obj.relocations():
            if section in numbers:
                outside = self.obj.symbols["section"][relocations["symbol"]] == elf.UNDEFINED
                symbols.update(relocations["symbol"][outside | numpy.isin(relocations["type"], words)].tolist())
        return len(symbols)

    def relocate(self, section: int, relocations: Table) -> None:
        """Resolve the references that stand in a section."""
        for number in sorted(set(relocations["type"].tolist())):  # numpy.unique would load numpy.ma, which takes 10 ms
            same = relocations[relocations["type"] == number]
            kind = self.processor.kinds.get(number)
            symbols = same["symbol"]
            if kind is None:
                raise self._unresolved(number, int(symbols[0]))
            offsets = same["offset"] + self.starts[section]
            match kind.meaning:
                case Meaning.WORD:
                    targets = self._each(symbols, self._word)
                case Meaning.CALL:
                    targets = self._each(symbols, self._function)
                case _:
                    targets = self.targets[symbols]
                    if not self.inside[symbols].all():
                        raise self._unresolved(number, int(symbols[~self.inside[symbols]][0]))
            targets = targets + same["addend"]
            if kind.write is None:
                self.pointers += zip(offsets.tolist(), targets.tolist(), strict=True)
            else:
                kind.write(self.memory, offsets, targets)

    def _each(self, symbols: Table, where: Any) -> Offsets:
        offsets = {symbol: where(symbol) for symbol in sorted(set(symbols.tolist()))}
        return numpy.array([offsets[symbol] for symbol in symbols.tolist()], numpy.int64)

    def _unresolved(self, kind: int, symbol: int) -> CodegenError:
        return CodegenError("E967", f"a reference of type {kind} to {self.obj.name(symbol)!r} cannot be resolved")

    def _outside(self, symbol: int) -> str:
        """The name of a symbol that is not within the image."""
        name = self.obj.name(symbol)
        if self.obj.symbols["section"][symbol] != elf.UNDEFINED or not name:
            raise self._unresolved(0, symbol)
        return name

    def _word(self, symbol: int) -> int:
        """Return the offset of the word with the address of a symbol, which is added if it is not there."""
        if not self.inside[symbol]:
            return self._external(self._outside(symbol))
        entry = self.obj.symbols[symbol]
        key = (int(entry["section"]), int(entry["value"]))
        if key not in self.words:
            self.words[key] = self._allocate(bytes(8))
            self.pointers.append((self.words[key], int(self.targets[symbol])))
        return self.words[key]

    def _external(self, name: str) -> int:
        """Return the offset of the word with the address of a function of the process, which is added if it is not
        there.
        """
        if name not in self.words:
            self.words[name] = self._allocate(bytes(8))
        return self.words[name]

    def _function(self, symbol: int) -> int:
        """Return the offset at which a function can be called: its own, or that of a jump to one of the process."""
        if self.inside[symbol]:
            return int(self.targets[symbol])
        name = self._outside(symbol)
        if name not in self.jumps:
            word, offset = self._external(name), self._allocate(self.processor.jump)
            self.processor.write_jump(self.memory, numpy.array([offset]), numpy.array([word]))
            self.jumps[name] = offset
        return self.jumps[name]

    def _allocate(self, content: bytes) -> int:
        offset, self.free = self.free, self.free + len(content)
        self.memory[offset : self.free] = numpy.frombuffer(content, numpy.uint8)
        return offset

    def image(self, machine: str) -> Image:
        """Make the image of the linked sections."""
        obj, symbols = self.obj, self.obj.symbols
        exported = (symbols["info"] >> 4 != 0) & (symbols["other"] & 3 == 0) & self.inside
        return Image(
            machine=machine,
            code=self.memory[: self.free].tobytes(),
            data_offset=self.variables,
            data=self.memory[self.variables :].tobytes(),
            zeros=self.end - self.data_end,
            exports=tuple(
                (obj.name(number), int(self.targets[number])) for number in numpy.flatnonzero(exported).tolist()
            ),
            externals=tuple((key, offset) for key, offset in self.words.items() if isinstance(key, str)),
            pointers=tuple(self.pointers),
        )


def _of_sections(values: Offsets, symbols: Table) -> Offsets:
    """For each symbol the value of its section; -1 where it lies in none of them."""
    numbers = symbols["section"].astype(numpy.int64)
    within = numbers < len(values)
    return numpy.where(within, values[numpy.where(within, numbers, 0)], -1)


def _is_loaded(section: Section) -> bool:
    """Tell whether a section is part of the running program."""
    if not section.flags & elf.ALLOCATED or section.type == elf.UNWINDING or section.name.startswith(_UNREAD):
        return False
    if section.flags & elf.THREAD_LOCAL or section.type not in (elf.PROGBITS, elf.ZEROS):
        raise CodegenError("E967", f"a section {section.name} does not belong in an image")
    return True
