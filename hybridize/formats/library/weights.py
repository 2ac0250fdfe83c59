# SPDX-License-Identifier: Apache-2.0
"""The arrays that programs read: each once, laid out in the library or in a safetensors file beside it."""

from __future__ import annotations

import hashlib
from typing import Any, Final

import numpy
from numpy.typing import NDArray

from hybridize.base.dtypes import DType
from hybridize.base.frozen import frozen
from hybridize.codegen.llvm.library.model import MARKER_BYTES
from hybridize.formats.tensors import safetensors_content

ALIGNMENT: Final = 64


class Arrays:
    """Arrays by number, equal ones once."""

    def __init__(self) -> None:
        self.arrays: list[NDArray[Any]] = []
        self._numbers: dict[tuple[DType, tuple[int, ...], bytes], int] = {}
        self._seen: dict[int, tuple[int, NDArray[Any]]] = {}
        """By address; with the array itself, so that the address stands for no other."""

    def add(self, array: NDArray[Any]) -> int:
        """The number of an array."""
        seen = self._seen.get(id(array))
        if seen is not None:
            return seen[0]
        content = numpy.ascontiguousarray(array).reshape(array.shape)
        key = (content.dtype, content.shape, hashlib.sha256(_bytes(content)).digest())
        number = self._numbers.setdefault(key, len(self.arrays))
        if number == len(self.arrays):
            self.arrays.append(content)
        self._seen[id(array)] = (number, array)
        return number


@frozen(eq=False)
class Stored:
    """Arrays in their places."""

    content: bytes
    """All of them, from the first offset on; or the whole file."""
    offsets: tuple[int, ...]
    marker: bytes
    """The bytes that stand for them in the object until they are written there; empty for a file."""


def _bytes(array: NDArray[Any]) -> memoryview:
    """The memory of a contiguous array; NumPy has no buffers of some dtypes."""
    return array.reshape(-1).view(numpy.uint8).data


def inside(arrays: list[NDArray[Any]], name: str) -> Stored:
    """Arrays one after the other, each on cache lines of its own."""
    offsets, content = [], bytearray()
    for array in arrays:
        content += bytes(-len(content) % ALIGNMENT)
        offsets.append(len(content))
        content += _bytes(array)
    digest = hashlib.sha512(b"weights of " + name.encode() + content).digest()
    return Stored(bytes(content), tuple(offsets), digest[:MARKER_BYTES])


def beside(arrays: list[NDArray[Any]]) -> Stored:
    """A safetensors file. Its data begins on a cache line, and its length is a whole number of words."""
    tensors = {f"weight.{number}": array for number, array in enumerate(arrays)}
    total = sum(array.nbytes for array in arrays)
    if total % 8 or not arrays:
        tensors["padding"] = numpy.zeros(8 - total % 8, numpy.uint8)
    content, begins = safetensors_content(tensors, {"format": "hybridize"}, ALIGNMENT)
    return Stored(content, tuple(begins[f"weight.{number}"] for number in range(len(arrays))), b"")


def filled(object_: bytes, stored: Stored) -> bytes:
    """An object with the weights in the room that was left for them."""
    offset = object_.find(stored.marker)
    assert offset >= 0, "the object has lost the marker of its weights"
    assert object_.find(stored.marker, offset + 1) < 0, "the object has two markers for weights"
    image = bytearray(object_)
    image[offset + MARKER_BYTES : offset + MARKER_BYTES + len(stored.content)] = stored.content
    return bytes(image)
