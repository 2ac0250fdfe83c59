# SPDX-License-Identifier: Apache-2.0
"""Tensor bundles: the variables of a SavedModel or a checkpoint, an index and its shards of data.

The index is a table of sorted strings (an SSTable of LevelDB's kind): blocks of entries whose keys share prefixes, and
an index of the blocks at the end. Values are messages that say where in which shard an array lies.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import Any, Final

import numpy
from numpy.typing import NDArray

from hybridize.base.errors import LoadError
from hybridize.formats.cursor import bytes_of, checked_size, malformed
from hybridize.formats.tensorflow.messages import DTYPES, SCHEMAS, size_in_bytes, sizes_of, type_of_number
from hybridize.formats.wire import Message, parse

_MAGIC: Final = 0xDB4775248B80FB57
_FOOTER: Final = 48
_TRAILER: Final = 5
"""Bytes behind a block: how it is compressed, and a checksum."""
_NEWEST: Final = 1
"""The version of bundles that every reader must know."""


class Bundle:
    """The arrays of a tensor bundle by their keys.

    Args:
        prefix: the path before `.index`.
        name: of the model, for messages.

    Raises:
        LoadError: E601 malformed, E602 of a later version.
    """

    prefix: str
    name: str

    def __init__(self, prefix: str, name: str) -> None:
        self.prefix, self.name = prefix, name
        self.index: str = f"{name}/variables.index"
        data = bytes_of(prefix + ".index")
        self.entries: dict[str, Message] = {}
        header: Message = {}
        for key, value in self._table(data):
            if key:
                self.entries[str(key, "utf-8", "replace")] = parse(value, "Entry", SCHEMAS, self.index)
            else:
                header = parse(value, "Header", SCHEMAS, self.index)
        self.shards: Any = header.get("shards", 1)
        if header.get("versions", {}).get("min_consumer", 0) > _NEWEST:
            version = header["versions"]["min_consumer"]
            raise LoadError("E602", f"{self.index} is of version {version}", help=f"hybridize reads up to {_NEWEST}")
        if header.get("endian", 0):
            raise LoadError("E603", f"{self.index}: its numbers are big-endian, which is not supported")
        self._files: dict[int, memoryview] = {}

    def array(self, key: str) -> NDArray[Any]:
        """Return an array: a view of the mapped file.

        Raises:
            LoadError: E601 malformed, E603 of a type that is not supported.
        """
        entry = self.entries[key]
        number = entry.get("dtype", 0)
        if number not in DTYPES:
            raise LoadError("E603", f"{self.name}: the variable {key!r} is of {type_of_number(number)}, which is not "
                            "supported")  # fmt: skip
        dtype, sizes = DTYPES[number], sizes_of(entry.get("shape", {}))
        shape = tuple(-1 if size is None else size for size in sizes or ())
        if sizes is None or checked_size(shape, dtype) is None:
            raise malformed(self.index, f"{key!r} cannot have the shape {list(shape)}", 0)
        if entry.get("slices"):
            raise LoadError("E603", f"{self.name}: the variable {key!r} is stored in slices, which is not supported",
                            help="save the model again without a sharding callback")  # fmt: skip
        data = self._data(key, entry)
        if len(data) != size_in_bytes(shape, dtype):
            raise malformed(self.index, f"{key!r} of shape {list(shape)} has {len(data)} bytes", 0)
        array: NDArray[Any] = numpy.ndarray(shape, dtype, data)
        if dtype == numpy.bool_ and array.size and array.view(numpy.uint8).max() > 1:
            raise malformed(self.name, f"the variable {key!r} holds bytes other than 0 and 1", 0)
        return array

    def _data(self, key: str, entry: Message) -> memoryview:
        number, offset, size = (entry.get(one, 0) for one in ("shard", "offset", "size"))
        if not 0 <= number < self.shards:
            raise malformed(self.index, f"{key!r} is in shard {number} of {self.shards}", 0)
        if number not in self._files:
            self._files[number] = bytes_of(f"{self.prefix}.data-{number:05d}-of-{self.shards:05d}")
        data = self._files[number]
        if not (offset >= 0 and 0 <= size <= len(data) - offset):
            raise malformed(self.index, f"{key!r} is at bytes {offset} to {offset + size} of {len(data)}", 0)
        return data[offset : offset + size]

    def _table(self, data: memoryview) -> Iterator[tuple[bytes, memoryview]]:
        """The keys and values of a table."""
        if len(data) < _FOOTER or struct.unpack_from("<Q", data, len(data) - 8)[0] != _MAGIC:
            raise malformed(self.index, "it is no index of a tensor bundle", max(len(data) - 8, 0))
        at, numbers = len(data) - _FOOTER, []
        for _ in range(4):
            number, at = _number(data, at, len(data), self.index)
            numbers.append(number)
        for _, handle in self._block(data, *numbers[2:]):
            offset, at = _number(handle, 0, len(handle), self.index)
            size, _ = _number(handle, at, len(handle), self.index)
            yield from self._block(data, offset, size)

    def _block(self, data: memoryview, offset: int, size: int) -> Iterator[tuple[bytes, memoryview]]:
        """The entries of a block: the bytes that a key shares with the one before, its others, the value."""
        if size < 4 or offset + size + _TRAILER > len(data):
            raise malformed(self.index, f"a block of {size} bytes is not in the file", min(offset, len(data)))
        if data[offset + size]:
            raise LoadError("E603", f"{self.index} is compressed, which is not supported",
                            help="TensorFlow writes it uncompressed")  # fmt: skip
        block = data[offset : offset + size]
        restarts = struct.unpack_from("<I", block, size - 4)[0]
        end = size - 4 - 4 * restarts
        if end < 0:
            raise malformed(self.index, f"a block of {size} bytes has {restarts} restarts", offset)
        at, key = 0, b""
        while at < end:
            shared, at = _number(block, at, end, self.index)
            fresh, at = _number(block, at, end, self.index)
            length, at = _number(block, at, end, self.index)
            if shared > len(key) or fresh + length > end - at:
                raise malformed(self.index, "an entry reaches beyond its block", offset + at)
            key = key[:shared] + bytes(block[at : at + fresh])
            at += fresh
            yield key, block[at : at + length]
            at += length


def _number(data: memoryview | bytes, at: int, end: int, name: str) -> tuple[int, int]:
    value = shift = 0
    start = at
    while at < end and shift < 64:
        byte = data[at]
        value |= (byte & 127) << shift
        at += 1
        if byte < 128:
            return value, at
        shift += 7
    raise malformed(name, "a number does not end", start)
