# SPDX-License-Identifier: Apache-2.0
"""Loads and stores: each thread's address checked, then bytes moved and noted."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from tests.device.assembly import Instruction, Type
from tests.device.memory import LOCAL, SHARED, Bytes
from tests.device.shadow import Access

if TYPE_CHECKING:
    from tests.device.grid import Grid


class Place(NamedTuple):
    """A memory, where in it each thread's bytes are, and which threads: all of those that run, or a part."""

    memory: Bytes
    offsets: np.ndarray
    chosen: np.ndarray | None = None


class Site:
    """One instruction that reaches memory: its space, width, and the arguments from which its pointer may come."""

    def __init__(
        self, number: int, one: Instruction, space: str, type: Type, count: int, roots: frozenset[str]
    ) -> None:
        self.number, self.instruction, self.space, self.roots = number, one, space, roots
        self.dtype = np.dtype(f"u{type.nbytes}")
        self.count, self.nbytes = count, self.dtype.itemsize * count
        self.shift = self.dtype.itemsize.bit_length() - 1
        self.full = np.array(-1, f"i{self.dtype.itemsize}").view(self.dtype)[()]
        self.is_fixed = "nc" in one.modifiers
        self.writes = one.name == "st"

    # Where

    def places(self, grid: Grid, address: np.ndarray) -> list[Place]:
        """Find the bytes of each thread."""
        if int(np.bitwise_or.reduce(address, axis=None)) & (self.nbytes - 1):
            bad = np.flatnonzero(np.atleast_1d(address) & (self.nbytes - 1))[0]
            raise self.instruction.fault(f"{self._at(grid, address, bad)} is not a multiple of {self.nbytes}")
        space = self.space or self._generic(grid, address)
        if space == "global":
            return self._global(grid, address)
        memory, row, size, base = grid.window(space)
        offset = address if self.space else address - base
        low, high = int(offset.min()), int(offset.max())
        if low < 0 or high + self.nbytes > size:
            bad = np.flatnonzero((np.atleast_1d(offset) < 0) | (np.atleast_1d(offset) + self.nbytes > size))[0]
            raise self.instruction.fault(
                f"{self._at(grid, offset, bad)} is outside of the {size} bytes of {space} memory"
            )
        return [Place(memory, offset + row)]

    def _generic(self, grid: Grid, address: np.ndarray) -> str:
        low, high = int(address.min()), int(address.max())
        for space, first, end in (("global", 0, SHARED), ("shared", SHARED, LOCAL), ("local", LOCAL, LOCAL << 1)):
            if first <= low and high < end:
                return space
        raise self.instruction.fault("threads address different spaces, or none")

    def _global(self, grid: Grid, address: np.ndarray) -> list[Place]:
        low, high = int(address.min()), int(address.max()) + self.nbytes
        spans = grid.spans(self)
        for first, last, buffer in spans:
            if first <= low and high <= last:
                return [Place(buffer, address - buffer.address)]
        every = np.broadcast_to(address, grid.count)
        rest, result = np.ones(grid.count, bool), []
        for first, last, buffer in spans:
            inside = rest & (every >= first) & (every + self.nbytes <= last)
            if inside.any():
                rest &= ~inside
                result.append(Place(buffer, every[inside] - buffer.address, np.flatnonzero(inside)))
        if rest.any():
            bad = int(np.flatnonzero(rest)[0])
            raise self.instruction.fault(f"{self._at(grid, every, bad)} {grid.outside(self, int(every[bad]))}")
        return result

    def _at(self, grid: Grid, address: np.ndarray, index: int) -> str:
        place = int(np.broadcast_to(address, max(grid.count, np.size(address))).ravel()[index])
        return f"address {place:#x} of {grid.thread(index)}"

    # What

    def load(self, grid: Grid, address: np.ndarray) -> tuple[np.ndarray, ...] | np.ndarray:
        """Return what each thread reads."""
        places = self.places(grid, address)
        if len(places) == 1:
            values = self._read(grid, places[0])
        else:
            values = [np.empty(grid.count, self.dtype) for _ in range(self.count)]
            for one in places:
                for whole, part in zip(values, self._read(grid, one), strict=True):
                    whole[one.chosen] = part
        return values[0] if self.count == 1 else tuple(values)

    def _read(self, grid: Grid, one: Place) -> list[np.ndarray]:
        memory = one.memory
        first = one.offsets >> self.shift
        content, known = memory.content.view(self.dtype), memory.known.view(self.dtype)
        is_known, values = grid.is_known(self, memory), []
        for k in range(self.count):
            at = first + k if k else first
            if not is_known and not (known.take(at) == self.full).all():
                bad = int(np.flatnonzero(np.atleast_1d(known.take(at) != self.full))[0])
                place = int(np.atleast_1d(one.offsets)[bad])
                raise self.instruction.fault(
                    f"{grid.thread(bad)} reads byte {place} of {memory.name} before it is written"
                )
            values.append(content.take(at))
        if grid.is_tracked(self, memory):
            self.note(grid, one, reads=True)
        return values

    def store(self, grid: Grid, address: np.ndarray, *values: np.ndarray) -> None:
        """Write each thread's numbers."""
        for one in self.places(grid, address):
            content, known = one.memory.content.view(self.dtype), one.memory.known.view(self.dtype)
            first = one.offsets >> self.shift
            for k, value in enumerate(values):
                part = value if one.chosen is None or value.ndim == 0 else value[one.chosen]
                if first.ndim == 0 and part.ndim:
                    part = part[-1]
                content[first + k] = part
                known[first + k] = self.full
            self.note(grid, one, reads=False)

    def note(self, grid: Grid, one: Place, reads: bool) -> None:
        """Tell the shadow of a memory who was there."""
        if one.memory.is_private:
            return
        moment, who, block = grid.moment, grid.who, grid.block
        if one.chosen is not None:
            who, block = who[one.chosen], block if block.ndim == 0 else block[one.chosen]
        places = np.broadcast_to(one.offsets, who.shape)
        grid.watched.add(one.memory.shadow)
        one.memory.shadow.note(reads, Access(places, self.nbytes, who, block, self.instruction, self.is_fixed), moment)
