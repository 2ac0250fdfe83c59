# SPDX-License-Identifier: Apache-2.0
"""The inputs of a program that is being recorded: arguments, and arrays from outside, which are lifted.

Arrays that already exist become inputs, never constants (but under `freeze`), and what is written to them is written
back after each call. Arrays over the same memory are one cell.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy
from numpy.typing import NDArray

from hybridize.array import random
from hybridize.array.buffer import content_of, host_copy, memory_key
from hybridize.array.device import OTHERS
from hybridize.array.layouts import row_major
from hybridize.array.nd_array import ND
from hybridize.array.ndarray import ndarray, wrap
from hybridize.array.symbol import Cell, Symbol
from hybridize.base.dims import SizeScope
from hybridize.base.locations import SourceLoc
from hybridize.base.promotion import number_dtype
from hybridize.base.types import TensorType
from hybridize.capture.trace.scope import GraphScope
from hybridize.contract.feeds import is_fed
from hybridize.graph import Value

FROZEN = -2
"""The position of an array that `freeze` made a constant."""


@dataclass(slots=True, eq=False)
class Input:
    """An input of the program: an array, or a Python number."""

    symbol: Symbol
    value: Value
    array: ndarray
    """The array of this call; of a number, one that holds it."""
    position: int
    """The number of the leaf of the arguments; -1 for a lifted array."""
    written_at: SourceLoc | None = None
    """The first line that writes to it, where one does."""


@dataclass(slots=True, eq=False)
class KnownArray:
    """An array object that existed before the call, as the program knows it. Two over one memory have one cell."""

    entry: Input
    """The input that its memory is."""
    symbol: Symbol
    """Its own: two symbols are one where the arrays are one object."""
    arguments: int = 0
    """The number of leaves of the arguments that it is."""
    outside: ndarray | None = None
    """The array itself where it was found outside."""


class Inputs:
    """All inputs of one program.

    Args:
        program: whose they are.
        on_alias: is told of a further array over the memory of one that is known.
        sizes: the assumptions of the program about sizes of arguments that are not known; None where all are.
        freeze: arrays from outside are constants.
    """

    def __init__(
        self, program: GraphScope, on_alias: Callable[[Input, ndarray], None], sizes: SizeScope | None, freeze: bool
    ) -> None:
        self._program, self._on_alias, self._sizes, self._freeze = program, on_alias, sizes, freeze
        self.entries: list[Input] = []
        self.layouts: dict[int, tuple[int, ...] | None] = {}
        """Leaves of the arguments whose strides the program depends on: whether a reshape is a view or a copy. None
        where it depends on their being laid out row by row only."""
        self.bound: dict[int, ndarray] = {}
        """Leaves of the arguments that are over the memory of an array from outside: the program takes them for it."""
        self.foreign: dict[int, ndarray] = {}
        """NumPy arrays of the user's, by identity."""
        self.compared: list[ndarray] | None = None
        """Arrays from outside that arguments were compared to by identity; None where no argument was asked about."""
        self._by_array: dict[int, KnownArray] = {}
        self._by_symbol: dict[int, KnownArray] = {}
        self._by_memory: dict[tuple[Any, ...], Input] = {}
        self._by_cell: dict[Cell, Input] = {}

    def of_cell(self, cell: Cell) -> Input | None:
        """Return the input whose buffer a cell is."""
        return self._by_cell.get(cell)

    def argument(self, array: ndarray, position: int, name: str, kind: TensorType) -> Symbol:
        """Add an array among the arguments, of a type, and return its symbol."""
        same = self._by_memory.get(memory_key(array))
        if same is not None:
            value = self._program.builder.input(same.value.type, name)
            symbol = self._object(array, same, name).symbol
            self.entries.append(Input(symbol, value, array, position))
        else:
            symbol = self.add(array, position, name, kind).symbol
        self._by_symbol[id(symbol)].arguments += 1
        return symbol

    def number_argument(self, value: Any, kind: type, position: int, name: str) -> Symbol:
        """Add a Python number among the arguments, and return its symbol."""
        operand = self._program.builder.input(TensorType((), number_dtype(kind)), name)
        symbol = Symbol.of(self._program, operand, name, weak=kind)
        self.entries.append(Input(symbol, operand, wrap(numpy.asarray(value)), position))
        return symbol

    def lift(self, array: ndarray, name: str = "") -> Symbol:
        """Return the symbol of an array that exists already: of an input, or of a constant under `freeze`."""
        of_array = self._by_array.get(id(array))
        if of_array is not None:
            known: Input | None = of_array.entry
        else:
            memory = memory_key(array)
            known = self._by_memory.get(memory)
        if known is not None:
            if known.position >= 0:
                self.bound[known.position] = array
            self._on_alias(known, array)
            of_array = self._object(array, known, name)
            of_array.outside = array
            return of_array.symbol
        if self._freeze and array is not random.state:  # what the user calls constant are weights
            value = self._program.builder.constant(host_copy(array), name)
            entry = self._remember(
                Input(self._placed(Symbol.of(self._program, value, name), array), value, array, FROZEN), memory
            )
        else:
            entry = self._added(array, -1, name, array.type, memory)
        self._by_symbol[id(entry.symbol)].outside = array
        return entry.symbol

    def add(self, array: ndarray, position: int, name: str, kind: TensorType | None = None) -> Input:
        """Add an array over memory that no other input has."""
        return self._added(array, position, name, kind or array.type, memory_key(array))

    def _added(self, array: ndarray, position: int, name: str, kind: TensorType, memory: tuple[Any, ...]) -> Input:
        value = self._program.builder.input(kind, name)
        entry = Input(self._placed(Symbol.of(self._program, value, name), array), value, array, position)
        self.entries.append(entry)
        return self._remember(entry, memory)

    def rebind(self, symbol: Symbol, value: Value) -> None:
        """Let an array have a buffer of its own from now on, which holds `value`: views of it keep the one it had.

        Of an input that is what each call leaves in its memory.
        """
        before = symbol._cell
        entry = self._by_cell.pop(before, None)
        symbol._cell = Cell(value)
        symbol._cell.device = before.device
        if entry is not None:
            self._by_cell[symbol._cell] = entry

    def _placed(self, symbol: Symbol, array: ndarray) -> Symbol:
        """The symbol of an array, of its class and on its device."""
        symbol.of_nd = type(array) is ND
        symbol.of_numpy = self._is_users(array)
        if OTHERS:
            symbol._cell.device = None if is_fed(array) else array.device
        return symbol

    def _remember(self, entry: Input, memory: tuple[Any, ...]) -> Input:
        """Remember an input over memory that no other has, by the key of that."""
        self._by_array[id(entry.array)] = self._by_symbol[id(entry.symbol)] = KnownArray(entry, entry.symbol)
        self._by_memory[memory] = entry
        self._by_cell[entry.symbol._cell] = entry
        return entry

    def _object(self, array: ndarray, entry: Input, name: str) -> KnownArray:
        """Return an array over the memory of an input: a known one, or a further one with a symbol of its own."""
        known = self._by_array.get(id(array))
        if known is None:
            symbol = Symbol(self._program, entry.symbol._cell, (), name)
            symbol.of_nd, symbol.of_numpy = type(array) is ND, self._is_users(array)
            self._by_array[id(array)] = self._by_symbol[id(symbol)] = known = KnownArray(entry, symbol)
        return known

    def object_of(self, symbol: Symbol) -> KnownArray | None:
        """Return the array that existed before the call and that a symbol is; None for views of it and all others."""
        return self._by_symbol.get(id(symbol))

    def compare(self, left: Symbol, right: Symbol) -> bool:
        """Hear that two arrays were asked for being one object; tell whether calls may answer otherwise.

        Arrays from outside are guarded by their places, and those that the program makes are its own.
        """
        one, other = self.object_of(left), self.object_of(right)
        if one is None or other is None or not (one.arguments or other.arguments):
            return False
        if one is other and one.arguments == 1 and one.outside is None:
            return False
        self.compare_arguments().extend(known.outside for known in (one, other) if known.outside is not None)
        return True

    def foreign_array(self, array: NDArray[Any]) -> ndarray:
        """Remember an array of NumPy's as the user's, so that it is lifted where it is used; return it as ours."""
        if id(array) not in self.foreign:
            self.foreign[id(array)] = wrap(array if type(array) is numpy.ndarray else array.view(numpy.ndarray))
            self.foreign[id(array)].storage.exposed = True  # NumPy writes without a word
        return self.foreign[id(array)]

    def is_foreign(self, symbol: Symbol) -> bool:
        """Tell whether a symbol is an array of NumPy's from outside, or a view of one."""
        entry = self.of_cell(symbol._cell)
        return entry is not None and entry.position < 0 and self._is_users(entry.array)

    def _is_users(self, array: ndarray) -> bool:
        """Tell whether an array stands for one of NumPy's from outside."""
        return any(array is x for x in self.foreign.values())

    def layout(self, cell: Cell) -> tuple[int, ...] | None:
        """Return the strides, in elements, of an array that exists already; the program then depends on them."""
        entry = self._by_cell.get(cell)
        if entry is None:
            return None
        data: Any = content_of(entry.array)
        if entry.value.type.scope is not None:
            if data.flags.c_contiguous:
                self.layouts[entry.position] = None
                return row_major(entry.value.type.shape)
            self.pin_sizes("the strides of an array may depend on them")
        if entry.position >= 0:
            self.layouts[entry.position] = data.strides
        return tuple(stride // data.itemsize for stride in data.strides)

    def compare_arguments(self) -> list[ndarray]:
        """Let the program depend on which of its arguments are one object; return `compared`."""
        if self.compared is None:
            self.compared = []
        return self.compared

    def pin_sizes(self, why: str) -> None:
        """Let the program hold for the sizes of this call only, and remember why."""
        if self._sizes is None:
            return
        self._sizes.why = self._sizes.why or why
        for symbol in self._sizes.symbols:
            symbol.low = symbol.high = symbol.hint
