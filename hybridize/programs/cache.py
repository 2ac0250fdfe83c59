# SPDX-License-Identifier: Apache-2.0
"""The cache of programs that a function or module keeps: by the keys of its calls, at most so many of them."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import suppress
from typing import Generic, TypeVar

from hybridize.programs.families import Family

P = TypeVar("P")


class ProgramCache(Generic[P]):
    """Programs by key, the least recently used key first, and what was seen of calls that differ in sizes only.

    Who changes it holds a lock; who looks for a program need not: lists are replaced, not changed.

    Args:
        limit: programs that are kept, and families; the oldest program of the least recently used key goes first.
        general: tells which programs of a key are for calls of many sizes; they come, and go, after the others.
    """

    def __init__(self, limit: int, general: Callable[[P], bool] = lambda program: False) -> None:
        self.limit = limit
        self._general = general
        self.evictions = 0
        """Programs that had to go."""
        self.families: OrderedDict[Hashable, Family] = OrderedDict()
        self._programs: OrderedDict[Hashable, list[P]] = OrderedDict()

    def __len__(self) -> int:
        return sum(map(len, self._programs.values()))

    def __iter__(self) -> Iterator[P]:
        """All programs, the least recently made of each key first."""
        for programs in list(self._programs.values()):
            yield from reversed(programs)

    def of(self, key: Hashable) -> Sequence[P]:
        """The programs of a key, the latest first."""
        return self._programs.get(key, ())

    def newest(self) -> list[P]:
        """The latest program of each key, of the most recently used key first."""
        return [programs[0] for programs in reversed(self._programs.values())]

    def used(self, key: Hashable) -> None:
        """Hear that a program of this key is used."""
        if len(self._programs) > 1:
            with suppress(KeyError):  # another thread may have evicted it
                self._programs.move_to_end(key)

    def add(self, key: Hashable, program: P, outdated: Callable[[P], bool] = lambda program: False) -> None:
        """Add a program, and forget those of its key that are outdated."""
        programs = [program, *(other for other in self.of(key) if not outdated(other))]
        self._programs[key] = sorted(programs, key=self._general)
        self._programs.move_to_end(key)
        self._evict()

    def _evict(self) -> None:
        while len(self) > self.limit:
            oldest, others = next(iter(self._programs.items()))
            self.evictions += 1
            exact = sum(not self._general(one) for one in others)
            rest = [*others[: exact - 1], *others[exact:]] if exact else others[:-1]
            if rest:
                self._programs[oldest] = rest
            else:
                del self._programs[oldest]

    def replace(self, before: P, after: P) -> None:
        """Put a program in the place of another one."""
        for key, programs in self._programs.items():
            if any(one is before for one in programs):
                self._programs[key] = [after if one is before else one for one in programs]

    def remove(self, gone: Callable[[P], bool]) -> None:
        """Forget some programs."""
        for key, programs in list(self._programs.items()):
            rest = [one for one in programs if not gone(one)]
            if not rest:
                del self._programs[key]
            elif len(rest) < len(programs):
                self._programs[key] = rest

    def forget(self, key: Hashable) -> None:
        """Forget the programs of a key, and what was seen of its calls."""
        self._programs.pop(key, None)
        self.families.pop(key, None)

    def family(self, key: Hashable) -> Family:
        """Return the family of a key, among those last asked for: a key keeps the arguments in it alive."""
        family = self.families.setdefault(key, Family())
        self.families.move_to_end(key)
        while len(self.families) > self.limit:
            self.families.popitem(last=False)
        return family

    def clear(self) -> None:
        """Forget everything."""
        self._programs.clear()
        self.families.clear()
        self.evictions = 0
