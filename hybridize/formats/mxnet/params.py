# SPDX-License-Identifier: Apache-2.0
"""MXNet's `.params`: the binary list in its four array formats, and the door to the zip of 2.x.

    u64 0x112, u64 0, u64 n, n arrays, u64 m, m names (u64 length, UTF-8), end of file; m is n or 0
    array V2/V3:  u32 magic, i32 storage, [shape of the stored values], shape, i32 device, i32 id, i32 dtype,
                  [for each index array: i32 dtype, shape], values, [index arrays]
    array V1:     u32 magic, shape, i32 device, i32 id, i32 dtype, values
    array V0:     u32 ndim, ndim u32, i32 device, i32 id, i32 dtype, values
    shape:        i32 ndim, ndim i64

An array that MXNet calls "none" (no shape, no data) is None. `read_params` makes sparse arrays dense, `read_stored`
keeps them as they are.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy
from numpy.typing import NDArray

from hybridize.base import dtypes
from hybridize.base.advice import warn
from hybridize.base.dtypes import DType
from hybridize.base.errors import ArgumentError, DTypeError
from hybridize.base.loading import LOADING
from hybridize.formats.atomic import write_atomically
from hybridize.formats.cursor import MAX_AXES, Cursor, bytes_of, malformed
from hybridize.formats.mxnet.sparse import CSR, ROW_SPARSE, SparseArray, checked, dense

Arrays = dict[str, NDArray[Any] | None] | list[NDArray[Any] | None]
"""The contents of a file: arrays by name, or, where the file names none, in order."""
One = NDArray[Any] | SparseArray | None
Stored = dict[str, One] | list[One]
"""The same, sparse arrays as they are."""

V1, V2, V3, LIST = 0xF993FAC8, 0xF993FAC9, 0xF993FACA, 0x112
STORAGES = {1: ROW_SPARSE, 2: CSR}
"""The storage types but for 0, which is dense, by MXNet's code: the number of arrays of indices."""

DTYPES: tuple[DType, ...] = (
    dtypes.float32, dtypes.float64, dtypes.float16, dtypes.uint8, dtypes.int32, dtypes.int8, dtypes.int64,
    dtypes.bool_, dtypes.int16, dtypes.uint16, dtypes.uint32, dtypes.uint64, dtypes.bfloat16,
)  # fmt: skip
"""By MXNet's dtype code."""
CODES = {dtype: code for code, dtype in enumerate(DTYPES)}


def read_params(path: str | os.PathLike[str], *, mapped: bool = False) -> Arrays:
    """Read a `.params` (or `.npz`, `.npy`) file of any generation of MXNet; make sparse arrays dense, with a warning.

    Args:
        path: of the file.
        mapped: the arrays are views of the file, not copies, for who copies them anyway: they cannot be written, begin
            at any byte, and hold what the file holds.

    Raises:
        LoadError E600: the file cannot be opened.
        LoadError E601: the file is malformed; the message names the byte.
    """
    return _all_dense(_read(Cursor(bytes_of(path), os.fspath(path), copied=not mapped)), os.fspath(path))


def parse_params(data: bytes | memoryview, name: str = "bytes") -> Arrays:
    """Read what `read_params` reads from bytes in memory."""
    return _all_dense(_read(Cursor(data, name)), name)


def read_stored(path: str | os.PathLike[str]) -> Stored:
    """Read what `read_params` reads, sparse arrays as they are."""
    return _read(Cursor(bytes_of(path), os.fspath(path)))


def parse_stored(data: bytes | bytearray | memoryview, name: str = "bytes") -> Stored:
    """Read what `read_stored` reads from bytes in memory."""
    return _read(Cursor(data, name))


def _all_dense(arrays: Stored, source: str) -> Arrays:
    def densify(key: object, array: One) -> NDArray[Any] | None:
        if not isinstance(array, SparseArray):
            return array
        result = dense(array)
        if isinstance(result, str):
            raise malformed(source, f"the sparse array {key!r}: {result}", 0)
        warn(f"{source}: {key!r} is stored as {array.storage}, and made dense")
        return result

    if isinstance(arrays, dict):
        return {name: densify(name, array) for name, array in arrays.items()}
    return [densify(number, array) for number, array in enumerate(arrays)]


def _read(cursor: Cursor) -> Stored:
    start = bytes(cursor.data[:6])
    if start[:2] != b"PK" and start[1:6] != b"NUMPY":
        return _read_list(cursor)
    with LOADING:
        from hybridize.formats.mxnet import zipped  # late: zipfile and its compressions cost more than the rest

    return zipped.read_zip(cursor) if start[:2] == b"PK" else [zipped.read_npy(cursor)]


# ----------------------------------------------------------------------------------------------------------- reading


def _read_list(cursor: Cursor) -> Stored:
    if cursor.number("Q", "the magic number") != LIST:
        cursor.fail("this is no .params file: it begins neither with 0x112, nor as a zip, nor as .npy", 0)
    cursor.number("Q", "the reserved word")
    count = cursor.number("Q", "the number of arrays")
    if count > cursor.left // 4:  # an array takes four bytes at least
        cursor.fail(f"{count} arrays do not fit into {cursor.left} bytes", 16)
    arrays = [_read_array(cursor, index) for index in range(count)]
    names = _read_names(cursor, count)
    cursor.done("the list")
    return dict(zip(names, arrays, strict=True)) if names else arrays


def _read_names(cursor: Cursor, arrays: int) -> list[str]:
    start = cursor.at
    count = cursor.number("Q", "the number of names")
    if count not in (0, arrays):
        cursor.fail(f"{arrays} arrays have {count} names", start)
    names: dict[str, None] = {}
    for index in range(count):
        start = cursor.at
        name = cursor.text(cursor.number("Q", f"the length of name {index}"), f"name {index}")
        if name in names:
            cursor.fail(f"the name {name!r} comes twice", start)
        names[name] = None
    return list(names)


def _read_array(cursor: Cursor, index: int) -> One:
    what = f"array {index}"
    start = cursor.at
    magic = cursor.number("I", f"the magic number of {what}")
    if magic in (V2, V3):
        return _read_new(cursor, magic, what)
    if magic == V1:
        shape = _read_shape(cursor, what)
    elif magic <= MAX_AXES:
        shape = tuple(cursor.number("I", f"the shape of {what}") for _ in range(magic))
    else:
        cursor.fail(f"{what} begins with {magic:#x}, which is not an array format of MXNet", start)
    if not shape:
        return None
    _read_device(cursor, what)
    return cursor.array(_read_dtype(cursor, what), shape, what)


def _read_new(cursor: Cursor, magic: int, what: str) -> One:
    start = cursor.at
    storage = cursor.number("i", f"the storage type of {what}")
    if storage and (storage not in STORAGES or magic == V3):
        cursor.fail(f"{what} has the unknown storage type {storage}", start)
    stored = _read_shape(cursor, what) if storage else None
    shape = _read_shape(cursor, what)
    if shape is None or (magic == V2 and shape == ()):
        return None
    _read_device(cursor, what)
    dtype = _read_dtype(cursor, what)
    if not storage:
        return cursor.array(dtype, shape, what)
    return _read_sparse(cursor, storage, dtype, stored, shape, what)


def _read_shape(cursor: Cursor, what: str) -> tuple[int, ...] | None:
    start = cursor.at
    axes = cursor.number("i", f"the number of axes of {what}")
    if axes == -1:
        return None
    if not 0 <= axes <= MAX_AXES:
        cursor.fail(f"{what} has {axes} axes", start)
    shape = tuple(cursor.number("q", f"the shape of {what}") for _ in range(axes))
    if any(size < 0 for size in shape):
        cursor.fail(f"{what} has the negative size {min(shape)}", start)
    return shape


def _read_device(cursor: Cursor, what: str) -> None:
    """The device an array came from says nothing about where it is wanted now."""
    cursor.take(8, f"the device of {what}")


def _read_dtype(cursor: Cursor, what: str) -> DType:
    start = cursor.at
    code = cursor.number("i", f"the dtype of {what}")
    if not 0 <= code < len(DTYPES):
        cursor.fail(f"{what} has the unknown dtype code {code}", start)
    return DTYPES[code]


def _read_sparse(
    cursor: Cursor, storage: int, dtype: DType, stored: tuple[int, ...] | None, shape: tuple[int, ...], what: str
) -> SparseArray:
    start = cursor.at
    kinds: list[tuple[DType, tuple[int, ...]]] = []
    for _ in range(storage):
        code, extent = _read_dtype(cursor, what), _read_shape(cursor, what)
        if extent is None:
            cursor.fail(f"an index array of the sparse {what} has no shape", start)
        kinds.append((code, extent))
    if stored is None:
        cursor.fail(f"the values of the sparse {what} have no shape", start)
    count = kinds[-1][1][:1]
    if stored[:1] == (0,) and count not in ((), (0,)):
        stored = (*count, *stored[1:])  # MXNet writes this size before it waits for the array, whose others are right
    values = cursor.array(dtype, stored, what)
    indices = [cursor.array(code, extent, f"the indices of {what}") for code, extent in kinds]
    result = checked(STORAGES[storage], shape, values, *indices)
    if isinstance(result, str):
        cursor.fail(f"the sparse {what}: {result}", start)
    return result


# ----------------------------------------------------------------------------------------------------------- writing


Writable = Mapping[str, One] | Sequence[One]


def write_params(path: str | os.PathLike[str], arrays: Writable, *, np_shape: bool = False) -> None:
    """Write arrays by name, or in order, as a binary list, atomically.

    The arrays are V2, which every MXNet since 0.12 reads; when one has no axes or no elements, which V2 cannot say,
    all are V3 (MXNet reads that under NumPy semantics only); `np_shape` asks for V3 in any case.

    Raises:
        DTypeError E202: MXNet has no such dtype.
        ArgumentError E303: a name is no string, or an array is sparse that would have to be V3.
    """
    write_atomically(path, _chunks(arrays, np_shape))


def serialize_params(arrays: Writable, *, np_shape: bool = False) -> bytes:
    """The bytes that `write_params` writes."""
    return b"".join(_chunks(arrays, np_shape))


def _chunks(arrays: Writable, np_shape: bool) -> Iterator[bytes | memoryview]:
    names = list(arrays) if isinstance(arrays, Mapping) else []
    values = list(arrays.values()) if isinstance(arrays, Mapping) else list(arrays)
    if any(not isinstance(name, str) for name in names):
        raise ArgumentError("E303", f"names of arrays must be strings, got {names!r}")
    for value in values:
        if value is not None and value.dtype not in CODES:
            raise DTypeError("E202", f"MXNet's files have no dtype {value.dtype}")
    v3 = np_shape or any(isinstance(value, numpy.ndarray) and not (value.ndim and value.size) for value in values)
    if v3 and any(isinstance(value, SparseArray) for value in values):
        raise ArgumentError(
            "E303", "sparse arrays cannot be in one .params file with arrays that have no axes or no elements",
            help="npx.savez writes them all, or make the sparse ones dense: x.tostype('default')",
        )  # fmt: skip
    magic = V3 if v3 else V2
    yield struct.pack("<QQQ", LIST, 0, len(values))
    for value in values:
        yield from _array_chunks(value, magic)
    yield struct.pack("<Q", len(names))
    for name in names:
        encoded = name.encode()
        yield struct.pack("<Q", len(encoded)) + encoded


def _array_chunks(value: One, magic: int) -> Iterator[bytes | memoryview]:
    if value is None:
        yield struct.pack("<Iii", magic, 0, 0 if magic == V2 else -1)
        return
    if isinstance(value, SparseArray):
        yield from _sparse_chunks(value)
        return
    yield struct.pack("<Ii", magic, 0) + _shape_bytes(value.shape)
    yield struct.pack("<iii", 1, 0, CODES[value.dtype])
    yield from _data_chunks(value)


def _sparse_chunks(value: SparseArray) -> Iterator[bytes | memoryview]:
    code = next(code for code, storage in STORAGES.items() if storage == value.storage)
    indices = [array.astype(dtypes.int64) for array in value.index_arrays]
    yield struct.pack("<Ii", V2, code) + _shape_bytes(value.values.shape) + _shape_bytes(value.shape)
    yield struct.pack("<iii", 1, 0, CODES[value.dtype])
    for array in indices:
        yield struct.pack("<i", CODES[dtypes.int64]) + _shape_bytes(array.shape)
    for array in (value.values, *indices):
        yield from _data_chunks(array)


def _shape_bytes(shape: tuple[int, ...]) -> bytes:
    return struct.pack(f"<i{len(shape)}q", len(shape), *shape)


def _data_chunks(array: NDArray[Any]) -> Iterator[memoryview]:
    if array.size:
        yield numpy.ascontiguousarray(array).reshape(-1).view(numpy.uint8).data
