# SPDX-License-Identifier: Apache-2.0
"""The encodings of WebAssembly: LEB128 numbers, names, vectors, sections."""

from __future__ import annotations

from collections.abc import Iterable

from hybridize.base.errors import CodegenError

PADDED = 5
"""Bytes of a number that a relocation may change."""


class ByteReader:
    """Reads a range of bytes from front to back."""

    def __init__(self, data: bytes, start: int = 0, stop: int | None = None) -> None:
        self.data = data
        self.position: int = start
        self.stop: int = len(data) if stop is None else stop

    @property
    def done(self) -> bool:
        """True if nothing is left."""
        return self.position >= self.stop

    def take(self, count: int) -> bytes:
        """The next bytes.

        Raises:
            CodegenError E967: there are fewer.
        """
        end = self.position + count
        if end > self.stop:
            raise CodegenError("E967", f"the object ends at byte {self.stop}, in the middle of something")
        content = self.data[self.position : end]
        self.position = end
        return content

    def byte(self) -> int:
        """The next byte."""
        return self.take(1)[0]

    def unsigned(self) -> int:
        """An unsigned LEB128 number."""
        return self._number()[0]

    def signed(self) -> int:
        """A signed LEB128 number."""
        result, bits = self._number()
        return result - (1 << bits) if result >> (bits - 1) else result

    def _number(self) -> tuple[int, int]:
        """The bits of a LEB128 number, and how many they are."""
        result = bits = 0
        while True:
            byte = self.byte()
            result |= (byte & 0x7F) << bits
            bits += 7
            if byte < 0x80:
                return result, bits

    def name(self) -> str:
        """A string with its length before it."""
        return self.take(self.unsigned()).decode()


def unsigned(value: int, width: int = 1) -> bytes:
    """`value` as LEB128, in at least `width` bytes."""
    encoding = bytearray()
    while True:
        value, low = value >> 7, value & 0x7F
        if not value and len(encoding) + 1 >= width:
            return bytes([*encoding, low])
        encoding.append(low | 0x80)


def signed(value: int, width: int = 1) -> bytes:
    """`value` as signed LEB128, in at least `width` bytes."""
    encoding = bytearray()
    while True:
        value, low = value >> 7, value & 0x7F
        last = (value == 0 and not low & 0x40) or (value == -1 and low & 0x40)
        if last and len(encoding) + 1 >= width:
            return bytes([*encoding, low])
        encoding.append(low | 0x80)


def name(text: str) -> bytes:
    """A string."""
    raw = text.encode()
    return unsigned(len(raw)) + raw


def vector(items: Iterable[bytes]) -> bytes:
    """A sequence: its length, its items."""
    parts = list(items)
    return unsigned(len(parts)) + b"".join(parts)


def section(number: int, content: bytes) -> bytes:
    """A section of a module."""
    return bytes([number]) + unsigned(len(content)) + content
