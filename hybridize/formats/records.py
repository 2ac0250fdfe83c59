# SPDX-License-Identifier: Apache-2.0
"""RecordIO, the form in which MXNet keeps many small pieces of bytes in one file.

A record is a magic number, a word with its length and which part of a whole it is, its bytes, and zeros up to a
multiple of four. Where the bytes of a record hold the magic number at a multiple of four, the record is cut there and
the number left out, so that a reader that has lost its way finds the next record.
"""

from __future__ import annotations

import struct
from typing import BinaryIO, Final

from hybridize.base.errors import ArgumentError, LoadError

MAGIC: Final = struct.pack("<I", 0xCED7230A)
LONGEST: Final = (1 << 29) - 1
"""Bytes of one part."""
_WHOLE, _FIRST, _MIDDLE, _LAST = range(4)


def record_bytes(data: bytes) -> bytes:
    """Return a record as it stands in a file.

    Raises:
        ArgumentError E3004: it is longer than a record can be.
    """
    if len(data) > LONGEST:
        raise ArgumentError("E3004", f"a record can have at most {LONGEST} bytes, got {len(data)}", help="split it")
    cuts = _cuts(data)
    if not cuts:
        return _part(_WHOLE, data)
    begins = [0, *(cut + 4 for cut in cuts)]
    ends = [*cuts, len(data)]
    kinds = [_FIRST, *[_MIDDLE] * (len(cuts) - 1), _LAST]
    return b"".join(_part(kind, data[begin:end]) for kind, begin, end in zip(kinds, begins, ends, strict=True))


def _cuts(data: bytes) -> list[int]:
    """The multiples of four at which the magic number stands."""
    positions, at = [], data.find(MAGIC)
    while at >= 0:
        if at % 4 == 0:
            positions.append(at)
            at = data.find(MAGIC, at + 4)
        else:
            at = data.find(MAGIC, at + 1)
    return positions


def _part(kind: int, data: bytes) -> bytes:
    return b"".join((MAGIC, struct.pack("<I", kind << 29 | len(data)), data, bytes(-len(data) % 4)))


def read_record(file: BinaryIO, path: str) -> bytes | None:
    """Read the record at the position of a file; None at its end.

    Raises:
        LoadError E666: there is no whole record.
    """
    parts: list[bytes] = []
    while True:
        start = file.tell()
        head = file.read(8)
        if not head and not parts:
            return None
        if len(head) < 8 or head[:4] != MAGIC:
            raise _damaged(path, start, f"a record begins with {MAGIC.hex(' ')}, here is {head[:4].hex(' ')}")
        (word,) = struct.unpack("<I", head[4:])
        kind, length = word >> 29, word & LONGEST
        if kind > _LAST or (kind in (_WHOLE, _FIRST)) is bool(parts):
            raise _damaged(path, start, f"a part of kind {kind} stands where another part of a record should")
        data = file.read(length)
        padding = file.read(-length % 4)
        if len(data) < length or len(padding) < -length % 4:
            raise _damaged(path, start, f"a part of {length} bytes is cut off")
        parts.append(data)
        if kind in (_WHOLE, _LAST):
            return MAGIC.join(parts)


def _damaged(path: str, start: int, what: str) -> LoadError:
    return LoadError("E666", f"{path}: at byte {start}: {what}", help="download or create the file again")
