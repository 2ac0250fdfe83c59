# SPDX-License-Identifier: Apache-2.0
"""Lay out the memory of a model: words, states, packed copies of weights."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from hybridize.base.frozen import frozen
from hybridize.codegen.llvm.library.model import LibraryModel
from hybridize.runtime.plan import Pack
from hybridize.runtime.pool import TEAM

WORD: Final = {
    "memory": 0,  # what malloc gave
    "weights": 8,
    "mapped": 16,  # the file of weights, or null
    "spare": 24,  # scratch that no call uses
    "lock": 32,
    "team": 40,  # three words, see `runtime.pool`
    "parallel_for": 40 + 8 * len(TEAM),
    "context": 48 + 8 * len(TEAM),
    "calls": 56 + 8 * len(TEAM),  # the function of each variant
}
"""Offsets in bytes."""
LINE: Final = 64


def aligned(nbytes: int) -> int:
    """Filled up to whole cache lines."""
    return -(-nbytes // LINE) * LINE


@frozen(eq=False)
class PackedCopy:
    """A packed copy that is made when a model is."""

    array: int
    function: str
    """As the module of its version calls it."""
    variant: int
    """The variant whose module holds the function."""
    offset: int
    """In the memory of the model."""


class Layout:
    """The memory of a model at each level."""

    def __init__(self, model: LibraryModel) -> None:
        self.states: list[int] = []
        """The offset of each state."""
        offset = aligned(WORD["calls"] + 8 * len(model.variants))
        for _, nbytes in model.states:
            self.states.append(offset)
            offset += aligned(nbytes)
        self.head = offset
        """Bytes before the packed copies."""
        self.copies: list[list[PackedCopy]] = []
        """For each level."""
        self.nbytes: list[int] = []
        """For each level, all of a model's memory."""
        self._packed: list[dict[tuple[int, str], int]] = []
        for level in range(len(model.levels)):
            self._add(model, level)

    def _add(self, model: LibraryModel, level: int) -> None:
        found: dict[tuple[int, str], int] = {}
        copies = []
        offset = self.head
        for number, variant in enumerate(model.variants):
            version = variant.versions[level]
            for pack in version.built.plan.packs:
                key = (version.arrays[pack.slot], pack.layout)
                if key not in found:
                    found[key] = offset
                    copies.append(PackedCopy(key[0], pack.function, number, offset))
                    offset += aligned(pack.nbytes)
        self._packed.append(found)
        self.copies.append(copies)
        self.nbytes.append(offset)

    def packed(self, level: int, array: int, pack: Pack) -> int:
        """Return the offset of the packed copy that a program reads instead of an array."""
        return self._packed[level][array, pack.layout]


def scratch_offsets(start: int, sizes: Sequence[int]) -> tuple[list[int], int]:
    """Place arrays of these sizes one after the other, each on cache lines of its own; returns their offsets and the
    end.
    """
    offsets = []
    for nbytes in sizes:
        offsets.append(start)
        start += aligned(nbytes)
    return offsets, start
