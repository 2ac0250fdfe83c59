# SPDX-License-Identifier: Apache-2.0
"""`cp.async`: copies from global to shared memory that are there when the thread that began them has waited."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from tests.device.access import Place, Site

if TYPE_CHECKING:
    from tests.device.grid import Grid


class Pending(NamedTuple):
    """Copies that threads have begun: bytes that will come, and the group of each thread in which they are."""

    lanes: np.ndarray
    group: np.ndarray
    target: Place
    content: np.ndarray
    site: Site


class Copy(NamedTuple):
    """One instruction: where to, and from where."""

    to: Site
    source: Site

    def __call__(self, grid: Grid, target: np.ndarray, source: np.ndarray, count: np.ndarray) -> None:
        """Begin copies of so many bytes a thread; what is over is 0."""
        nbytes = self.to.nbytes
        count = np.broadcast_to(count, grid.count)
        if not np.isin(count, (0, nbytes)).all():
            raise self.to.instruction.fault("a copy of a part of its bytes, or of more")
        (place,) = self.to.places(grid, np.broadcast_to(target, grid.count))
        content = np.zeros((grid.count, nbytes), np.uint8)
        reading = np.flatnonzero(count)
        if reading.size:
            words = self.source.load(grid.part(reading), np.broadcast_to(source, grid.count)[reading])
            content[reading] = np.stack(words if isinstance(words, tuple) else (words,), 1).view(np.uint8)
        # Until a thread has waited, its bytes are unknown, whatever was there before.
        place.memory.known[place.offsets[:, None] + np.arange(nbytes)] = 0
        self.to.note(grid, place, reads=False)
        grid.pending.append(Pending(grid.lanes, grid.groups[grid.lanes], place, content, self.to))


def commit(grid: Grid) -> None:
    """Close the group of copies that each thread has open."""
    grid.groups[grid.lanes] += 1


def wait(grid: Grid, newest: int, also_open: bool = False) -> None:
    """Let the copies of all groups but the newest ones of each thread be there."""
    last = np.full(grid.padded, -1)
    last[grid.lanes] = grid.groups[grid.lanes] - newest - (not also_open)
    rest = []
    for one in grid.pending:
        done = one.group <= last[one.lanes]
        if done.any():
            memory, span = one.target.memory, one.target.offsets[done][:, None] + np.arange(one.site.nbytes)
            memory.content[span] = one.content[done]
            memory.known[span] = 0xFF
            at = np.flatnonzero(np.isin(grid.lanes, one.lanes[done]))
            offsets = one.target.offsets[done]
            one.site.note(grid.part(at), Place(memory, offsets), reads=False)
        if not done.all():
            left = ~done
            place = Place(one.target.memory, one.target.offsets[left])
            rest.append(Pending(one.lanes[left], one.group[left], place, one.content[left], one.site))
    grid.pending = rest
