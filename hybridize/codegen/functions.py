# SPDX-License-Identifier: Apache-2.0
"""The machine code of single functions, as data: it can be stored, and linked in any company.

Which function it is, the text tells that it was made of, with names of its module as numbers (`codegen.llvm.parts`).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Mapping, Sequence

from hybridize.base.digests import digest
from hybridize.base.frozen import changed, frozen


@frozen
class Chunk:
    """Bytes in a row: the instructions of a function, or constants that it refers to."""

    content: bytes
    alignment: int
    references: bytes
    """Rows of `codegen.elf.RELOCATION`; a symbol is a number in the function's `symbols`."""


@frozen
class FunctionCode:
    """The machine code of a function."""

    machine: str
    """The family of processors."""
    code: Chunk
    constants: tuple[Chunk, ...]
    symbols: tuple[tuple[str, int, int], ...]
    """The targets of its references, each with an offset: a function by its name, or, with the name empty, the
    constants of that number.
    """

    @property
    def nbytes(self) -> int:
        """Memory that it takes, but for names."""
        return sum(len(one.content) + len(one.references) for one in (self.code, *self.constants))

    def refers_to(self, names: Collection[str]) -> set[str]:
        """Return those of `names` that it refers to."""
        return {name for name, _, _ in self.symbols if name in names}


@frozen
class FunctionKey:
    """A digest of all that a function's code depends on, in two halves: it is found by one, and the other tells
    whether it is of that function.
    """

    digest: bytes
    check: bytes


def function_key(text: str) -> FunctionKey:
    """Return the key of code that is made of a text."""
    both = digest(text.encode(), 64)
    return FunctionKey(both[:32], both[32:])


class CodeStore(ABC):
    """The code of functions that were compiled before, outlined."""

    @abstractmethod
    def find(self, keys: Iterable[FunctionKey]) -> Mapping[FunctionKey, FunctionCode]:
        """The code of those functions that are there."""

    @abstractmethod
    def keep(self, functions: Mapping[FunctionKey, FunctionCode]) -> None:
        """Keep code for those who ask for the same later."""


def outlined(function: FunctionCode, names: Sequence[str]) -> FunctionCode:
    """Return a function whose references to `names` are by number."""
    return _renamed(function, {name: str(number) for number, name in enumerate(names)})


def named(function: FunctionCode, names: Sequence[str]) -> FunctionCode:
    """Undo `outlined`, for a module in which the functions have these names."""
    return _renamed(function, {str(number): name for number, name in enumerate(names)})


def _renamed(function: FunctionCode, names: Mapping[str, str]) -> FunctionCode:
    symbols = tuple((names.get(name, name), number, offset) for name, number, offset in function.symbols)
    return changed(function, symbols=symbols)
