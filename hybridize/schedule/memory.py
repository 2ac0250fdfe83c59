# SPDX-License-Identifier: Apache-2.0
"""Offsets from live ranges: blocks that are never alive together share memory."""

from __future__ import annotations

from dataclasses import field

from hybridize.base.dims import bounds, hint, is_symbolic, maximum, same
from hybridize.base.frozen import mutable

ALIGN = 64


@mutable(eq=False)
class Block:
    """Scratch that lives from one step to another, both included."""

    nbytes: int
    first: int
    last: int
    offset: int = 0


def assign(blocks: list[Block]) -> int:
    """Give every block its offset, best fit in order of birth; returns the bytes needed.

    Blocks whose live ranges meet never overlap. O(n * blocks alive at once).
    """
    if any(is_symbolic(block.nbytes) for block in blocks):
        return _assign_slots(blocks)
    alive: list[Block] = []
    top = 0
    for block in sorted(blocks, key=lambda block: (block.first, -block.nbytes)):
        alive = [other for other in alive if other.last >= block.first]
        block.offset = _best_gap(alive, rounded(block.nbytes))
        top = max(top, block.offset + rounded(block.nbytes))
        alive.append(block)
    return top


def _assign_slots(blocks: list[Block]) -> int:
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
        slot.held.append(block)
    top = 0
    for slot in slots:
        for block in slot.held:
            block.offset = top
        top = top + slot.nbytes
    return top


@mutable(eq=False)
class _Slot:
    """Memory of blocks that live one after the other."""

    nbytes: int
    last: int = -1
    """The last step of the last of them."""
    held: list[Block] = field(default_factory=list)


def _misfit(slot: int, need: int) -> tuple[int, int]:
    """How badly a block suits a slot: least where the slot is as large whatever the sizes, most where either may be."""
    if same(slot, need):
        return 0, 0
    known = bounds(slot - need)[0] >= 0 or bounds(need - slot)[0] >= 0
    return (1 if known else 2), abs(hint(slot) - hint(need))


def rounded(nbytes: int) -> int:
    """Bytes that a block takes up."""
    return (nbytes + ALIGN - 1) // ALIGN * ALIGN


def _best_gap(alive: list[Block], nbytes: int) -> int:
    """Start of the smallest hole between blocks that takes `nbytes`, or the end of them all."""
    end, best, best_size = 0, -1, 1 << 62
    for block in sorted(alive, key=lambda block: block.offset):
        hole = block.offset - end
        if nbytes <= hole < best_size:
            best, best_size = end, hole
        end = max(end, block.offset + rounded(block.nbytes))
    return end if best < 0 else best
