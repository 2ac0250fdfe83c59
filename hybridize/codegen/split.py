# SPDX-License-Identifier: Apache-2.0
"""An object taken apart into the code of single functions.

A function stands in a section of its own, and so do the constants that the text names. Those that the code generator
makes share sections by their sizes: a function brings along the ones that it refers to.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from hybridize.base.errors import CodegenError
from hybridize.codegen import elf
from hybridize.codegen.elf import Object, Table
from hybridize.codegen.functions import Chunk, FunctionCode

SECTION: Final = ".text."
"""The beginning of the name of a function's section; the rest is the function's own."""


def split(content: bytes) -> dict[str, FunctionCode]:
    """Return the functions of an object, by name; each is in a section that `SECTION` and its name name.

    Raises:
        CodegenError E967: it is no object, or of a kind that LLVM does not write for our targets.
    """
    obj = elf.read(content)
    references = dict(obj.relocations())
    functions = {
        number: section.name.removeprefix(SECTION)
        for number, section in enumerate(obj.sections)
        if section.name.startswith(SECTION)
    }
    units = {number: section.unit for number, section in enumerate(obj.sections) if section.unit}
    for number, rows in references.items():
        units.pop(number, None)
        symbols = obj.symbols[rows["symbol"]]
        for section in set(symbols["section"][symbols["info"] & 15 == elf.SECTION_SYMBOL].tolist()):
            units.pop(section, None)  # the reference moves it, and one cannot tell to which constant
    return {name: _Extraction(obj, references, functions, units).function(n) for n, name in functions.items()}


class _Extraction:
    """One function on its way out of an object."""

    def __init__(
        self, obj: Object, references: Mapping[int, Table], functions: Mapping[int, str], units: Mapping[int, int]
    ) -> None:
        """`units` are the bytes of each constant in sections from which single ones can be taken."""
        self.obj, self.references, self.functions, self.units = obj, references, functions, units
        self.symbols: dict[tuple[str, int, int], int] = {}
        """Numbers of what is referred to."""
        self.constants: dict[int, dict[int, int]] = {}
        """For each section of constants that is referred to, in order, the places of the single ones by their offsets
        there.
        """

    def function(self, number: int) -> FunctionCode:
        """The function whose section has this number."""
        code = self._whole(number)
        whole: dict[int, Chunk] = {}
        while len(whole) < len(self.constants):  # constants may refer to others
            section = list(self.constants)[len(whole)]
            whole[section] = Chunk(b"", 1, b"") if section in self.units else self._whole(section)
        chunks = (self._single(section) if section in self.units else chunk for section, chunk in whole.items())
        return FunctionCode(self.obj.machine, code, tuple(chunks), tuple(self.symbols))

    def _single(self, number: int) -> Chunk:
        """The single constants of a section that are referred to."""
        section, unit = self.obj.sections[number], self.units[number]
        content = b"".join(section.data[start : start + unit] for start in self.constants[number])
        return Chunk(content, section.alignment, b"")

    def _whole(self, number: int) -> Chunk:
        """A section."""
        section, rows = self.obj.sections[number], self.references.get(number)
        if rows is None:
            return Chunk(bytes(section.data), section.alignment, b"")
        rows, symbols = rows.copy(), rows["symbol"].tolist()
        numbers = {symbol: self._symbol(symbol) for symbol in dict.fromkeys(symbols)}
        rows["symbol"] = [numbers[symbol] for symbol in symbols]
        return Chunk(bytes(section.data), section.alignment, rows.tobytes())

    def _symbol(self, number: int) -> int:
        """The number of what a symbol of the object is."""
        _, _, _, section, value, _ = self.obj.symbols[number].tolist()
        if section == elf.UNDEFINED:
            key = self.obj.name(number), 0, 0
        elif section in self.functions:
            key = self.functions[section], 0, value
        else:
            whole = self.obj.sections[section] if section < elf.RESERVED else None
            if whole is None or (whole.flags & elf.WRITE and not whole.name.startswith(elf.RELOCATED)):
                raise CodegenError("E967", f"{self.obj.name(number)!r} is no constant of a function")
            singles, unit = self.constants.setdefault(section, {}), self.units.get(section, 0)
            if unit:
                value += singles.setdefault(value // unit * unit, len(singles)) * unit - value // unit * unit
            key = "", list(self.constants).index(section), value
        return self.symbols.setdefault(key, len(self.symbols))
