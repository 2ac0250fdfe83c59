# SPDX-License-Identifier: Apache-2.0
"""Lay out the memory of a model: words, states, constants that are derived of weights."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from hybridize.base.frozen import frozen
from hybridize.codegen.llvm.library.model import LibraryModel, Version
from hybridize.runtime.plan import Derivation
from hybridize.runtime.pool import TEAM

MODEL: Final = {
    "memory": 0,
    "weights": 8,
    "mapped": 16,
    "spare": 24,
    "lock": 32,
    "parallel": 40 + 8 * TEAM["parallel"],
    "self": 40 + 8 * TEAM["pool"],
    "threads": 40 + 8 * TEAM["threads"],
    "parallel_for": 40 + 8 * len(TEAM),
    "context": 48 + 8 * len(TEAM),
    "calls": 56 + 8 * len(TEAM),
}
"""Offsets in bytes; see `runtimes/library.h`."""
OPTIONS: Final = {"weights": 0, "processor": 8, "parallel_for": 16, "context": 24, "threads": 32}
"""Of the members of `NAME_options`."""
NAME_BYTES: Final = 16
"""Of the name of a level, with a zero."""
LEVEL: Final = {"name": 0, "x86_level": NAME_BYTES, "nbytes": NAME_BYTES + 8, "setup": NAME_BYTES + 16}
STATE: Final = {"name": 0, "dtype": 8, "nbytes": 16, "offset": 24, "ndim": 32, "sizes": 40}
"""Offsets in a row of the table of states; see `runtimes/states.c`."""
LINE: Final = 64


def aligned(nbytes: int) -> int:
    """Filled up to whole cache lines."""
    return -(-nbytes // LINE) * LINE


@frozen(eq=False)
class DerivedConstant:
    """A constant that is derived when a model is made."""

    arrays: tuple[int, ...]
    """The arrays that it is derived of, by their numbers."""
    scratch_bytes: int
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
        offset = aligned(MODEL["calls"] + 8 * len(model.variants))
        for _, nbytes in model.states:
            self.states.append(offset)
            offset += aligned(nbytes)
        self.head = offset
        """Bytes before the derived constants."""
        self.derived: list[list[DerivedConstant]] = []
        """For each level."""
        self.nbytes: list[int] = []
        """For each level, all of a model's memory."""
        self._places: list[dict[tuple[tuple[int, ...], str], int]] = []
        for level in range(len(model.levels)):
            self._add(model, level)

    def _add(self, model: LibraryModel, level: int) -> None:
        offsets: dict[tuple[tuple[int, ...], str], int] = {}
        derived = []
        offset = self.head
        for number, variant in enumerate(model.variants):
            version = variant.versions[level]
            for one in version.built.plan.derivations:
                key = (_arrays(version, one), one.layout)
                if key not in offsets:
                    offsets[key] = offset
                    derived.append(DerivedConstant(key[0], one.scratch_bytes, one.function, number, offset))
                    offset += aligned(one.nbytes)
        self._places.append(offsets)
        self.derived.append(derived)
        self.nbytes.append(offset)

    def place(self, level: int, version: Version, derivation: Derivation) -> int:
        """Return the offset of a derived constant that a program reads."""
        return self._places[level][_arrays(version, derivation), derivation.layout]


def _arrays(version: Version, derivation: Derivation) -> tuple[int, ...]:
    """The arrays that a constant is derived of: a library has no inputs that are stable."""
    return tuple(version.sources[source.number] for source in derivation.sources)


def scratch_offsets(start: int, sizes: Sequence[int]) -> tuple[list[int], int]:
    """Place arrays of these sizes one after the other, each on cache lines of its own; returns their offsets and the
    end.
    """
    offsets = []
    for nbytes in sizes:
        offsets.append(start)
        start += aligned(nbytes)
    return offsets, start
