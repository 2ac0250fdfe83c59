# SPDX-License-Identifier: Apache-2.0
"""The cache of programs that a function or module keeps: by the keys of its calls, at most so many of them."""

from __future__ import annotations

import itertools
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator, Sequence
from typing import Generic, TypeVar

from hybridize.programs.families import Family

P = TypeVar("P")


class _Row(Generic[P]):
    """The programs of one key."""

    __slots__ = ("programs", "used")

    def __init__(self) -> None:
        self.programs: Sequence[P] = ()
        """The latest first. Replaced, never changed, as others may be going through them."""
        self.used = 0
        """The time, by the clock of the cache, at which one of them was last used."""


class ProgramCache(Generic[P]):
    """Programs by key, the least recently used key first, and what was seen of calls that differ in sizes only.

    Who changes it holds a lock. Who looks for a program need not, nor who says that one is used: that changes no dict,
    so that others may be going through it.

    Args:
        limit: programs that are kept, and families; the oldest program of the least recently used key goes first.
        general: tells which programs of a key are for calls of many sizes; they come, and go, after the others.
    """

    def __init__(self, limit: int, general: Callable[[P], bool] = lambda program: False) -> None:
        self.limit = limit
        self._general = general
        self.evictions: int = 0
        """Programs that had to go."""
        self.families: OrderedDict[Hashable, Family] = OrderedDict()
        self._rows: dict[Hashable, _Row[P]] = {}
        self._clock = itertools.count(1)

    def _by_use(self) -> list[tuple[Hashable, _Row[P]]]:
        """Return the rows, the least recently used first."""
        return sorted(self._rows.items(), key=lambda row: row[1].used)

    def __len__(self) -> int:
        return sum(len(row.programs) for row in list(self._rows.values()))

    def __iter__(self) -> Iterator[P]:
        """All programs, the least recently made of each key first."""
        for _, row in self._by_use():
            yield from reversed(row.programs)

    def of(self, key: Hashable) -> Sequence[P]:
        """The programs of a key, the latest first."""
        row = self._rows.get(key)
        return () if row is None else row.programs

    def newest(self) -> list[P]:
        """The latest program of each key, of the most recently used key first."""
        return [row.programs[0] for _, row in reversed(self._by_use())]

    def used(self, key: Hashable) -> None:
        """Hear that a program of this key is used."""
        if len(self._rows) > 1:
            row = self._rows.get(key)
            if row is not None:  # else another thread has evicted it
                row.used = next(self._clock)

    def add(self, key: Hashable, program: P, outdated: Callable[[P], bool] = lambda program: False) -> None:
        """Add a program, and forget those of its key that are outdated."""
        programs = [program, *(other for other in self.of(key) if not outdated(other))]
        row: _Row[P] = _Row()
        row.programs, row.used = sorted(programs, key=self._general), next(self._clock)
        self._rows[key] = row
        self._evict()

    def _evict(self) -> None:
        while len(self) > self.limit:
            oldest, row = self._by_use()[0]
            self.evictions += 1
            others = row.programs
            exact = sum(not self._general(one) for one in others)
            self._keep(oldest, row, [*others[: exact - 1], *others[exact:]] if exact else others[:-1])

    def _keep(self, key: Hashable, row: _Row[P], programs: Sequence[P]) -> None:
        """Let a row have some of its programs left."""
        if programs:
            row.programs = programs
        else:
            del self._rows[key]

    def remove(self, gone: Callable[[P], bool]) -> None:
        """Forget some programs."""
        for key, row in list(self._rows.items()):
            self._keep(key, row, [one for one in row.programs if not gone(one)])

    def family(self, key: Hashable) -> Family:
        """Return the family of a key, among those last asked for: a key keeps the arguments in it alive."""
        family = self.families.setdefault(key, Family())
        self.families.move_to_end(key)
        while len(self.families) > self.limit:
            self.families.popitem(last=False)
        return family

    def clear(self) -> None:
        """Forget everything."""
        self._rows.clear()
        self.families.clear()
        self.evictions = 0
