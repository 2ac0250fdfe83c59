# SPDX-License-Identifier: Apache-2.0
"""Bytes with addresses: buffers of a device, each with its own range, and what is known of each byte."""

from __future__ import annotations

from bisect import bisect_right
from typing import NamedTuple

import numpy as np

from hybridize.base.errors import DeviceMemoryError
from tests.device.fault import Fault
from tests.device.shadow import Shadow

GLOBAL, SHARED, LOCAL = 0x7F00_0000_0000, 1 << 52, 1 << 53
"""Where generic addresses of each space begin."""
DEVICES = 1 << 10
"""How many devices have addresses of their own."""
GARBAGE = 0xA7
WRITTEN = 0xFF
"""Of `known`, whose bytes are 0 where nothing was written."""


class Span(NamedTuple):
    """An argument that is a pointer, and how many bytes may be reached by it."""

    address: int
    nbytes: int


def _room(nbytes: int, fill: int) -> np.ndarray:
    """Return bytes that can be seen as wider numbers, too, also at their end."""
    return np.full(-(-nbytes // 16) * 16 or 16, fill, np.uint8)


class Bytes:
    """Some memory: content, what of it was written, and who did."""

    def __init__(self, nbytes: int, name: str, has_blocks: bool = False, is_private: bool = False) -> None:
        self.nbytes, self.name = nbytes, name
        self.has_blocks, self.is_private = has_blocks, is_private
        self.content = _room(nbytes, GARBAGE)
        self.known = _room(nbytes, 0)
        self._shadow: Shadow | None = None

    @property
    def shadow(self) -> Shadow:
        if self._shadow is None:
            self._shadow = Shadow(self.nbytes, self.has_blocks)
        return self._shadow

    def forget(self) -> None:
        """Fill it with garbage that was never written."""
        self.content[:] = GARBAGE
        self.known[:] = 0


class Buffer(Bytes):
    """What one `alloc` returned."""

    def __init__(self, address: int, nbytes: int, name: str) -> None:
        super().__init__(nbytes, name, has_blocks=True)
        self.address, self.is_freed = address, False

    @property
    def end(self) -> int:
        return self.address + self.nbytes


class Heap:
    """The memory of a device. An address is never used twice, so a pointer to what was freed is known for what it is.

    Args:
        nbytes: How much it has.
        number: Which device's it is: others have other addresses.
    """

    def __init__(self, nbytes: int, number: int = 0) -> None:
        self.nbytes, self.used = nbytes, 0
        self._buffers: list[Buffer] = []
        self._addresses: list[int] = []
        self._top = GLOBAL + (number % DEVICES << 40)

    def alloc(self, nbytes: int, name: str = "") -> int:
        if nbytes < 0:
            raise Fault(f"alloc: {nbytes} bytes")
        if self.used + nbytes > self.nbytes:
            what = f"{nbytes} bytes asked, {self.nbytes - self.used} of {self.nbytes} are free"
            raise DeviceMemoryError("E706", what, help="drop arrays, or use smaller batches")
        at = self._top
        self._top = at + (-(-nbytes // 256) + 2) * 256  # a gap that no pointer may cross
        self._buffers.append(Buffer(at, nbytes, name or f"buffer {len(self._buffers)}"))
        self._addresses.append(at)
        self.used += nbytes
        return at

    def free(self, address: int) -> None:
        at = bisect_right(self._addresses, address) - 1
        if at < 0 or self._addresses[at] != address:
            raise Fault(f"free: {address:#x} is not the address of a buffer")
        buffer = self._buffers[at]
        if buffer.is_freed:
            raise Fault(f"free: {buffer.name} at {address:#x} is freed a second time")
        buffer.is_freed = True
        buffer.content = buffer.known = np.zeros(0, np.uint8)
        self.used -= buffer.nbytes

    def find(self, address: int, nbytes: int = 1) -> Buffer | None:
        """Return the buffer that has all of some bytes, also one that is freed."""
        at = bisect_right(self._addresses, address) - 1
        if at < 0:
            return None
        buffer = self._buffers[at]
        return buffer if address + nbytes <= buffer.end else None

    def range(self, address: int, nbytes: int, what: str) -> tuple[Buffer, slice]:
        """Return a buffer that lives, and where in it some bytes are; for what the host asks."""
        buffer = self.find(address, nbytes)
        if buffer is None:
            raise Fault(f"{what}: {nbytes} bytes at {address:#x} are in no buffer")
        if buffer.is_freed:
            raise Fault(f"{what}: {buffer.name} at {buffer.address:#x} is freed")
        start = address - buffer.address
        return buffer, slice(start, start + nbytes)

    def living(self) -> list[Buffer]:
        return [one for one in self._buffers if not one.is_freed]
