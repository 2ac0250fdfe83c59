# SPDX-License-Identifier: Apache-2.0
"""Broadcast elements of x as lanes of vectors, for machines whose multiply-adds take one lane for all (NEON).

The elements that a turn of a tile's loop sees lie in *runs*, one behind the other: the terms of a row, or the rows of a
term, or both in a line of a window. A run is read by whole vectors, the last of which begins where it ends with the
run. So nothing beside the run is read, and an element costs a fraction of a load.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from hybridize.base.frozen import frozen
from hybridize.codegen.llvm.contraction.arithmetic import ArithmeticEmitter
from hybridize.codegen.llvm.text import Function
from hybridize.schedule.contraction.panels import Window, windows

Place = tuple[str, int]
"""The bytes of an element from x: those of a register, if there is a name, and of a number."""


def place_of(offset: str | int, more: int = 0) -> Place:
    """Return the place of what lies so many bytes behind an offset, which is a number or a register."""
    text = str(offset)
    return ("", int(text) + more) if text.lstrip("-").isdecimal() else (text, more)


@frozen
class Broadcasts:
    """The elements of x that a turn, or a term of it, broadcasts: each vector is loaded where it is first needed."""

    f: Function
    arithmetic: ArithmeticEmitter
    x: str
    windows: Mapping[Place, tuple[str, Window]]
    """For each element the register of its run, and where in the run its vector is."""
    loaded: dict[tuple[str, int, int], str]
    lanes: dict[Place, str]

    def element(self, place: Place) -> str:
        """An element in every lane: the multiply-adds take it from its own."""
        if place not in self.lanes:
            self.lanes[place] = self._broadcast(place)
        return self.lanes[place]

    def _broadcast(self, place: Place) -> str:
        f, arithmetic = self.f, self.arithmetic
        base, window = self.windows[place]
        run = f.at(self.x, base) if base else self.x
        if window.lanes == 1 and not arithmetic.takes_halves:
            return arithmetic.broadcast(f, f.at(run, window.start))
        key = base, window.start, window.lanes
        if key not in self.loaded:
            self.loaded[key] = arithmetic.load_computed(f, f.at(run, window.start), window.lanes)
        return arithmetic.lane(f, self.loaded[key], window.lanes, window.lane)


def broadcasts(f: Function, arithmetic: ArithmeticEmitter, x: str, places: Collection[Place]) -> Broadcasts:
    """Return what broadcasts the elements at these places from `x`."""
    by_run: dict[str, set[int]] = {}
    for base, place in places:
        by_run.setdefault(base, set()).add(place)
    of = {
        (base, place): (base, window)
        for base, run in by_run.items()
        for place, window in windows(run, arithmetic.bytes, arithmetic.turn_terms).items()
    }
    return Broadcasts(f, arithmetic, x, of, {}, {})
