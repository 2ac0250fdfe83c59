# SPDX-License-Identifier: Apache-2.0
"""Offsets from live ranges: blocks that are never alive together share memory."""

from __future__ import annotations

from dataclasses import dataclass

ALIGN = 64


@dataclass(eq=False, slots=True)
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
    alive: list[Block] = []
    top = 0
    for block in sorted(blocks, key=lambda block: (block.first, -block.nbytes)):
        alive = [other for other in alive if other.last >= block.first]
        block.offset = _best_gap(alive, _rounded(block.nbytes))
        top = max(top, block.offset + _rounded(block.nbytes))
        alive.append(block)
    return top


def _rounded(nbytes: int) -> int:
    return -(-nbytes // ALIGN) * ALIGN


def _best_gap(alive: list[Block], nbytes: int) -> int:
    """Start of the smallest hole between blocks that takes `nbytes`, or the end of them all."""
    end, best, best_size = 0, -1, 1 << 62
    for block in sorted(alive, key=lambda block: block.offset):
        hole = block.offset - end
        if nbytes <= hole < best_size:
            best, best_size = end, hole
        end = max(end, block.offset + _rounded(block.nbytes))
    return end if best < 0 else best
