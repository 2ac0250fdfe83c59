# SPDX-License-Identifier: Apache-2.0
"""Offsets from live ranges: blocks that are never alive together share memory."""

from __future__ import annotations

import itertools
from bisect import bisect, insort
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import field
from heapq import heappop, heappush

from hybridize.base.dims import bounds, hint, is_symbolic, maximum, same
from hybridize.base.frozen import frozen, mutable
from hybridize.schedule import thresholds

ALIGN = 64


@mutable(eq=False)
class ScratchBlock:
    """Scratch that lives from one step to another, both included."""

    nbytes: int
    first: int
    last: int
    offset: int = 0
    bordered: bool = False
    """True if zeros are stored in it first, by a step of its own."""


@frozen
class Life:
    """The bytes of memory, and the steps from which and to which it lives."""

    nbytes: int
    first: int
    last: int


@frozen(eq=False)
class InnerBlock:
    """Memory that lies within other memory, so many bytes behind its start."""

    block: ScratchBlock
    around: ScratchBlock
    offset: int


def assigned(lives: Mapping[ScratchBlock, Life]) -> tuple[dict[ScratchBlock, int], int]:
    """The offset of each of some blocks that live so, beside each other, and the bytes that all of them need."""
    blocks = [ScratchBlock(life.nbytes, life.first, life.last) for life in lives.values()]
    nbytes = assign(blocks)
    return {block: one.offset for block, one in zip(lives, blocks, strict=True)}, nbytes


def keep_through(blocks: Iterable[ScratchBlock], first: int, last: int) -> None:
    """Have all that is alive at one of these steps, which run more than once or beside each other, live through all."""
    for block in blocks:
        if block.first <= last and block.last >= first:
            block.first, block.last = min(block.first, first), max(block.last, last)


def assign(blocks: list[ScratchBlock]) -> int:
    """Give every block its offset; returns the bytes needed.

    Best fit in order of birth; where that needs more than is ever alive, the largest first, if that needs less: what
    is placed behind others that die soon parts the memory that they leave. Blocks whose live ranges meet never overlap.
    O(n * holes at once), and O(n * n) of few.
    """
    if any(is_symbolic(block.nbytes) for block in blocks):
        return _assign_slots(blocks)
    offsets, top = _by_birth(blocks)
    if len(blocks) <= thresholds.PAIRED_BLOCKS and top > most_alive(blocks):
        others, lower = _by_size(blocks)
        if lower < top:
            offsets, top = others, lower
    for block, offset in offsets:
        block.offset = offset
    return top


_Offsets = list[tuple[ScratchBlock, int]]


def _by_birth(blocks: Iterable[ScratchBlock]) -> tuple[_Offsets, int]:
    """The offset of each block in the smallest hole that there is when it is born; and the bytes needed."""
    alive: list[tuple[int, int, int, int]] = []  # what dies first, first
    holes, offsets = _Holes(), []
    for number, block in enumerate(sorted(blocks, key=lambda block: (block.first, -block.nbytes))):
        while alive and alive[0][0] < block.first:
            _, _, offset, nbytes = heappop(alive)
            holes.give(offset, nbytes)
        nbytes = rounded(block.nbytes)
        offset = holes.take(nbytes)
        offsets.append((block, offset))
        heappush(alive, (block.last, number, offset, nbytes))
    return offsets, holes.top


def _by_size(blocks: Iterable[ScratchBlock]) -> tuple[_Offsets, int]:
    """The offset of each block, the largest first, in the smallest gap between those that it meets; the same."""
    placed: list[tuple[int, int, int, ScratchBlock]] = []  # by offset
    for number, block in enumerate(sorted(blocks, key=lambda block: (-block.nbytes, block.first))):
        nbytes, end = rounded(block.nbytes), 0
        best, best_size = -1, 1 << 63
        for start, stop, _, other in placed:
            if other.first > block.last or other.last < block.first:
                continue
            if nbytes <= start - end < best_size:
                best, best_size = end, start - end
            end = max(end, stop)
        offset = end if best < 0 else best
        insort(placed, (offset, offset + nbytes, number, block))
    return [(block, start) for start, _, _, block in placed], max((stop for _, stop, _, _ in placed), default=0)


class _Holes:
    """Memory that no block has: where each hole starts and ends, in order. The last one has no end."""

    def __init__(self) -> None:
        self.top = 0
        """The bytes that blocks have reached so far."""
        self._starts = [0]
        self._ends = [1 << 62]

    def take(self, nbytes: int) -> int:
        """The start of the smallest hole with so many bytes, which are taken from it."""
        if not nbytes:
            return 0
        starts, ends = self._starts, self._ends
        best, best_size = -1, 1 << 63
        for number, (start, end) in enumerate(zip(starts, ends, strict=True)):
            if nbytes <= end - start < best_size:
                best, best_size = number, end - start
        offset = starts[best]
        if best_size == nbytes:
            del starts[best], ends[best]
        else:
            starts[best] += nbytes
        self.top = max(self.top, offset + nbytes)
        return offset

    def give(self, offset: int, nbytes: int) -> None:
        """Make a block a hole again, one with the holes that it touches."""
        if not nbytes:
            return
        starts, ends, end = self._starts, self._ends, offset + nbytes
        at = bisect(starts, offset)
        if starts[at] == end:
            starts[at] = offset
        else:
            starts.insert(at, offset)
            ends.insert(at, end)
        if at and ends[at - 1] == offset:
            del ends[at - 1], starts[at]


def _assign_slots(blocks: list[ScratchBlock]) -> int:
    """The same for sizes that are not known: slots one after the other, each as large as the largest of its blocks.

    Which hole is the smallest depends on the sizes of the call; which blocks share a slot must not.
    """
    slots: list[_Slot] = []
    for block in sorted(blocks, key=lambda block: (block.first, -hint(block.nbytes))):
        need = rounded(block.nbytes)
        free = [slot for slot in slots if slot.last < block.first]
        slot = min(free, key=lambda slot: _misfit(slot.nbytes, need), default=None)
        if slot is None:
            slot = _Slot(need)
            slots.append(slot)
        slot.nbytes = maximum(slot.nbytes, need)
        slot.last = block.last
        slot.blocks.append(block)
    top = 0
    for slot in slots:
        for block in slot.blocks:
            block.offset = top
        top = top + slot.nbytes
    return top


def most_alive(blocks: Iterable[ScratchBlock | Life]) -> int:
    """The most bytes that are alive at once, where sizes are as expected: no offsets need fewer."""
    changes: Counter[int] = Counter()
    for block in blocks:
        changes[block.first] += hint(rounded(block.nbytes))
        changes[block.last + 1] -= hint(rounded(block.nbytes))
    return max(itertools.accumulate(changes[step] for step in sorted(changes)), default=0)


@mutable(eq=False)
class _Slot:
    """Memory of blocks that live one after the other."""

    nbytes: int
    last: int = -1
    """The last step of the last of them."""
    blocks: list[ScratchBlock] = field(default_factory=list)


def _misfit(slot: int, need: int) -> tuple[int, int]:
    """Score a block against a slot: least if the slot is as large whatever the sizes, most if either may be larger."""
    if same(slot, need):
        return 0, 0
    known = bounds(slot - need)[0] >= 0 or bounds(need - slot)[0] >= 0
    return (1 if known else 2), abs(hint(slot) - hint(need))


def rounded(nbytes: int) -> int:
    """Bytes that a block takes up."""
    return (nbytes + ALIGN - 1) // ALIGN * ALIGN
