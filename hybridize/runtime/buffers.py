# SPDX-License-Identifier: Apache-2.0
"""Buffers that machine code can take: aligned copies of constants, dense copies of operands."""

from __future__ import annotations

import math
from typing import Any

import numpy
from numpy.typing import NDArray

from hybridize.base.dtypes import DType
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


def zeros(shape: tuple[int, ...], dtype: DType) -> NDArray[Any]:
    """An array of zeros; a large one begins on a cache line."""
    return aligned(shape, dtype) if math.prod(shape) * dtype.itemsize >= LARGE else numpy.zeros(shape, dtype)


def aligned_copy(array: NDArray[Any]) -> NDArray[Any]:
    """A read-only, C-contiguous copy that begins on a cache line; nothing has no place."""
    if not array.size:
        array = numpy.empty(array.shape, array.dtype)
        array.setflags(write=False)
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
