# SPDX-License-Identifier: Apache-2.0
"""Buffers that machine code can take: aligned copies of constants, dense copies of operands."""

from __future__ import annotations

import math
import threading
from typing import Any, Final

import numpy
from numpy.typing import NDArray

from hybridize import system
from hybridize.base.dtypes import DType
from hybridize.base.forks import renewed
from hybridize.runtime.cpython import USABLE

ALIGNMENT = 64
"""Constants and scratch begin on a cache line, which is also the widest vector register."""

LARGE = 32 << 10
"""Bytes from which an array is worth placing: what is smaller lies in the first cache, which hides a crossed line."""


def aligned(shape: tuple[int, ...], dtype: DType) -> NDArray[Any]:
    """An array of zeros that begins on a cache line: kernels bound by reading take up to a third less time on it."""
    nbytes = math.prod(shape) * dtype.itemsize
    storage = numpy.zeros(nbytes + ALIGNMENT, dtype=numpy.uint8)
    start = -storage.ctypes.data % ALIGNMENT
    return storage[start : start + nbytes].view(dtype).reshape(shape)


_PAGE: Final = 2 << 20
"""Bytes of a large page."""
_CHUNK: Final = 8 << 20
"""Bytes that weights are cut from. They are kept as long as any of the weights."""
_lock = renewed(threading.RLock())
_chunk: list[tuple[NDArray[numpy.uint8], int]] = []
"""The chunk that the next weights are cut from, and how much of it is taken."""


def weights(shape: tuple[int, ...], dtype: DType) -> NDArray[Any]:
    """An array of zeros for what lives long and is read again and again, in large pages of memory with others.

    A network that is read from memory at each call takes a quarter longer from small pages, of which the processor does
    not know enough at once, and beyond which it fetches nothing ahead. NumPy asks for large pages from 4 MiB on.
    """
    nbytes = math.prod(shape) * dtype.itemsize
    if not LARGE <= nbytes <= _CHUNK // 2:
        return aligned(shape, dtype)
    extent = -(-nbytes // ALIGNMENT) * ALIGNMENT
    with _lock:
        chunk, start = _chunk.pop() if _chunk else (_chunk_of_memory(), 0)
        if start + extent > len(chunk):
            chunk, start = _chunk_of_memory(), 0
        _chunk.append((chunk, start + extent))
    return chunk[start : start + nbytes].view(dtype).reshape(shape)


def _chunk_of_memory() -> NDArray[numpy.uint8]:
    """Zeros that begin with a large page, where the system has such pages."""
    memory = system.large_memory(_CHUNK + _PAGE)
    if memory is None:
        return aligned((_CHUNK,), numpy.dtype(numpy.uint8))
    whole = numpy.frombuffer(memory, numpy.uint8)
    start = -whole.ctypes.data % _PAGE
    return whole[start : start + _CHUNK]


def uninitialized(shape: tuple[int, ...], dtype: DType) -> NDArray[Any]:
    """An array that holds anything, for what writes all of it; a large one begins on a cache line."""
    nbytes = math.prod(shape) * dtype.itemsize
    if nbytes < LARGE:
        return numpy.empty(shape, dtype)
    storage = numpy.empty(nbytes + ALIGNMENT, dtype=numpy.uint8)
    start = -storage.ctypes.data % ALIGNMENT
    return storage[start : start + nbytes].view(dtype).reshape(shape)


def zeros(shape: tuple[int, ...], dtype: DType) -> NDArray[Any]:
    """An array of zeros; a large one begins on a cache line."""
    return aligned(shape, dtype) if math.prod(shape) * dtype.itemsize >= LARGE else numpy.zeros(shape, dtype)


def aligned_copy(array: NDArray[Any], immutable: bool = False) -> NDArray[Any]:
    """A read-only, C-contiguous copy that begins on a cache line; nothing has no place.

    With `immutable`, that nobody writes the array, it is itself the copy where it is such.
    """
    if not array.size:
        array = numpy.empty(array.shape, array.dtype)
        array.setflags(write=False)
        return array
    if immutable and not array.flags.writeable and array.ctypes.data % ALIGNMENT == 0 and dense(array) is array:
        return array
    copy = aligned(array.shape, array.dtype)
    copy[...] = array
    copy.setflags(write=False)
    return copy


def dense(array: NDArray[Any]) -> NDArray[Any]:
    """`array` itself where it is a plain, contiguous, aligned NumPy array in native byte order; else a copy that is."""
    if type(array) is numpy.ndarray and array.flags.num & USABLE == USABLE and array.dtype.isnative:
        return array
    copy = zeros(array.shape, array.dtype.newbyteorder("="))
    copy[...] = array
    return copy
