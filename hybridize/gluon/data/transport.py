# SPDX-License-Identifier: Apache-2.0
"""Send batches from worker processes: large arrays in memory that both processes map, the rest through a pipe.

The memory has no name (`memfd_create`), only a descriptor that is sent along. So nothing is left behind, however a
process ends, and it is given back when the last array in it goes.
"""

from __future__ import annotations

import io
import mmap
import os
import weakref
from multiprocessing.connection import Connection
from multiprocessing.reduction import ForkingPickler, recv_handle, send_handle
from typing import Any

from hybridize import system

SHARED_FROM = 1 << 15
"""Bytes of arrays from which a memory of their own is cheaper than the pipe."""
_ALIGNMENT = 64
IN_USE_AT_MOST = 128
"""Memories that are mapped at a time; a program that keeps all batches would run out of descriptors."""
_IN_USE: weakref.WeakSet[mmap.mmap] = weakref.WeakSet()


def send(connection: Connection, kind: str, serial: int, value: Any = None) -> None:
    """Send one message; `value` is anything that can be sent to another process, arrays anywhere in it."""
    body, buffers = _packed(value)
    sizes = [buffer.nbytes for buffer in buffers]
    memory = system.shared_memory() if sum(sizes) >= SHARED_FROM else None
    if memory is None:
        connection.send((kind, serial, body, [bytes(buffer) for buffer in buffers], None))
        return
    try:
        os.ftruncate(memory, sum(map(_aligned, sizes)))
        with mmap.mmap(memory, 0) as mapped:
            at = 0
            for buffer in buffers:
                mapped[at : at + buffer.nbytes] = buffer
                at += _aligned(buffer.nbytes)
        connection.send((kind, serial, body, [], sizes))
        send_handle(connection, memory, None)
    finally:
        os.close(memory)


def receive(connection: Connection) -> tuple[str, int, bytes, list[Any]]:
    """One message, still packed: its kind, its number, and what `unpacked` takes."""
    kind, serial, body, buffers, sizes = connection.recv()
    if sizes is None:
        # Arrays of a batch are the user's to write.
        return kind, serial, body, [bytearray(buffer) for buffer in buffers]
    memory = recv_handle(connection)
    try:
        mapped = _mapped(memory)
    finally:
        os.close(memory)
    views, at = [], 0
    for size in sizes:
        views.append(mapped[at : at + size])
        at += _aligned(size)
    return kind, serial, body, views


def _mapped(memory: int) -> memoryview:
    """Map a memory; copy it instead if many are mapped already, each of which keeps a descriptor open."""
    mapped = mmap.mmap(memory, 0)
    if len(_IN_USE) < IN_USE_AT_MOST:
        _IN_USE.add(mapped)
        return memoryview(mapped)
    with mapped:
        return memoryview(bytearray(mapped))


def unpacked(body: bytes, buffers: list[Any]) -> Any:
    """Unpack a message."""
    return ForkingPickler.loads(body, buffers=buffers)


def portable(error: Exception) -> bool:
    """Tell whether an exception arrives as what it is: its class can be found and made again there."""
    try:
        again = unpacked(*_packed(error))
    except Exception:
        return False
    return type(again) is type(error) and str(again) == str(error)


def _packed(value: Any) -> tuple[bytes, list[memoryview]]:
    buffers: list[memoryview] = []
    file = io.BytesIO()
    ForkingPickler(file, 5, True, lambda buffer: buffers.append(buffer.raw())).dump(value)
    return file.getvalue(), buffers


def _aligned(size: int) -> int:
    return -(-size // _ALIGNMENT) * _ALIGNMENT
