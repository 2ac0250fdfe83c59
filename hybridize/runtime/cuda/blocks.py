# SPDX-License-Identifier: Apache-2.0
"""Memory in blocks: the driver gives large chunks, of which blocks are cut; what is freed is joined and used again.

To ask the driver takes tens of microseconds, and to give back waits for the whole GPU. One stream does all work in the
order in which it was asked for, so a block may be used again as soon as its owner has gone: what still reads it was
asked for before.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Callable
from typing import Final

ALIGNMENT: Final = 512
"""Bytes; the driver itself gives addresses aligned to 256."""
SMALL: Final = 1 << 20
"""Bytes up to which blocks are cut of small chunks, so that they do not break up the large ones."""
SMALL_CHUNK: Final = 2 << 20
CHUNK: Final = 20 << 20
_STEP: Final = 2 << 20
"""A chunk for a block of more than half a chunk is as large as that, rounded up to this."""


class _Piece:
    """A block, or what is free between two; they lie one after the other in a chunk."""

    __slots__ = ("after", "before", "is_free", "is_large", "nbytes", "start")

    def __init__(self, start: int, nbytes: int, is_large: bool) -> None:
        self.start = start
        self.nbytes = nbytes
        self.is_large = is_large
        """True if it lies in a large chunk."""
        self.is_free = False
        self.before: _Piece | None = None
        self.after: _Piece | None = None


def _rounded(nbytes: int) -> int:
    return max(1, -(-nbytes // ALIGNMENT)) * ALIGNMENT


class Blocks:
    """The memory of a device.

    Args:
        reserve: gives the address of so many bytes, or None where there are not so many.
        release: takes them back.
    """

    def __init__(self, reserve: Callable[[int], int | None], release: Callable[[int], None]) -> None:
        self._reserve = reserve
        self._release = release
        self._pieces: dict[int, _Piece] = {}
        """The blocks that somebody has, by their addresses."""
        self._free: tuple[list[tuple[int, int]], list[tuple[int, int]]] = ([], [])
        """Sizes and addresses of what is free, in small chunks and in large ones; the least that fits is taken."""
        self._free_pieces: dict[int, _Piece] = {}
        self._chunks: dict[int, int] = {}
        """Sizes of the chunks, by their addresses."""

    @property
    def unused(self) -> int:
        """Bytes of the chunks that no block has."""
        return sum(nbytes for free in self._free for nbytes, _ in free)

    def __contains__(self, address: int) -> bool:
        return address in self._pieces

    def take(self, nbytes: int) -> int | None:
        """Return the address of a block; None where the device has no memory for it."""
        wanted = _rounded(nbytes)
        return self._taken(self._fitting(wanted) or self._grown(wanted), wanted)

    def known(self, nbytes: int) -> int | None:
        """Return the address of a block of the chunks that there are, without the driver; None where they are full."""
        wanted = _rounded(nbytes)
        return self._taken(self._fitting(wanted), wanted)

    def _taken(self, piece: _Piece | None, nbytes: int) -> int | None:
        """The address of a piece, of which `nbytes` are needed."""
        if piece is None:
            return None
        self._cut(piece, nbytes)
        self._pieces[piece.start] = piece
        return piece.start

    def give_back(self, address: int) -> None:
        """Let a block be used again."""
        piece = self._pieces.pop(address)
        after, before = piece.after, piece.before
        if after is not None and after.is_free:
            self._remove(after)
            self._join(piece, after)
        if before is not None and before.is_free:
            self._remove(before)
            self._join(before, piece)
            piece = before
        self._add(piece)

    def shrink(self) -> None:
        """Give the chunks back of which nobody has a block."""
        for address, nbytes in list(self._chunks.items()):
            piece = self._free_pieces.get(address)
            if piece is not None and piece.nbytes == nbytes:
                self._remove(piece)
                del self._chunks[address]
                self._release(address)

    def _fitting(self, nbytes: int) -> _Piece | None:
        """The least free piece that is large enough, which is free no more."""
        free = self._free[nbytes > SMALL]
        at = bisect_left(free, (nbytes, 0))
        if at == len(free):
            return None
        piece = self._free_pieces[free[at][1]]
        self._remove(piece)
        return piece

    def _grown(self, nbytes: int) -> _Piece | None:
        """The piece that a new chunk is."""
        if nbytes <= SMALL:
            size = SMALL_CHUNK
        else:
            size = CHUNK if nbytes <= CHUNK // 2 else -(-nbytes // _STEP) * _STEP
        address = self._reserve(size)
        if address is None and size > nbytes:
            size, address = nbytes, self._reserve(nbytes)
        if address is None:
            return None
        self._chunks[address] = size
        return _Piece(address, size, nbytes > SMALL)

    def _cut(self, piece: _Piece, nbytes: int) -> None:
        """Leave `nbytes` of a piece, and let the others be free."""
        if piece.nbytes == nbytes:
            return
        rest = _Piece(piece.start + nbytes, piece.nbytes - nbytes, piece.is_large)
        rest.before, rest.after, piece.after, piece.nbytes = piece, piece.after, rest, nbytes
        if rest.after is not None:
            rest.after.before = rest
        self._add(rest)

    @staticmethod
    def _join(piece: _Piece, after: _Piece) -> None:
        """Let a piece have the memory of the next one."""
        piece.nbytes += after.nbytes
        piece.after = after.after
        if after.after is not None:
            after.after.before = piece

    def _add(self, piece: _Piece) -> None:
        piece.is_free = True
        self._free_pieces[piece.start] = piece
        insort(self._free[piece.is_large], (piece.nbytes, piece.start))

    def _remove(self, piece: _Piece) -> None:
        piece.is_free = False
        del self._free_pieces[piece.start]
        free = self._free[piece.is_large]
        del free[bisect_left(free, (piece.nbytes, piece.start))]
