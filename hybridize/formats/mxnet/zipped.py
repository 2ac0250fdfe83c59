# SPDX-License-Identifier: Apache-2.0
"""MXNet 2.x's `.params`: a zip of `.npy` members, sparse arrays in folders of their own; and a lone `.npy`.

NumPy's own reader is not used on files that are not trusted: it allocates what a header claims before it looks for
the data, and it does not know `<b2`, MXNet's name of bfloat16.
"""

from __future__ import annotations

import ast
import lzma
import re
import struct
import zipfile
import zlib
from typing import Any

import numpy
from numpy.typing import NDArray

from hybridize.base import dtypes
from hybridize.base.dtypes import DType
from hybridize.base.errors import LoadError
from hybridize.formats.cursor import Cursor, checked_size, malformed
from hybridize.formats.mxnet.sparse import dense

MAGIC = b"\x93NUMPY"
_BFLOAT16 = ("<b2", "<V2", "|V2", "bfloat16")
_MAX_RATIO = 1032
"""Deflate cannot compress better than this, so a member cannot grow by more."""
_MAX_HEADER = 1 << 16
_ZIP_ERRORS = (
    zipfile.BadZipFile, zipfile.LargeZipFile, zlib.error, lzma.LZMAError, EOFError, NotImplementedError, RuntimeError,
    struct.error, OverflowError, ValueError, IndexError, KeyError, OSError,
)  # fmt: skip


def read_npy(cursor: Cursor, *, text: bool = False) -> NDArray[Any]:
    """One `.npy` array; nothing may follow it. `text` asks for a short byte string instead of numbers."""
    start = cursor.at
    if cursor.take(6, "the magic of .npy") != MAGIC:
        cursor.fail("this is no .npy array", start)
    version = cursor.take(2, "the version of .npy")
    length = cursor.number("H" if version[0] == 1 else "I", "the length of the .npy header")
    if version[0] not in (1, 2, 3) or length > _MAX_HEADER:
        cursor.fail(f"a .npy header of version {version[0]} and {length} bytes", start)
    dtype, fortran, shape = _header(cursor, cursor.take(length, "the .npy header"), start, text)
    array = cursor.array(dtype, shape[::-1] if fortran else shape, "the array")
    cursor.done("the array")
    return numpy.ascontiguousarray(array.T) if fortran else array


def _header(cursor: Cursor, data: bytes, start: int, text: bool) -> tuple[DType, bool, tuple[int, ...]]:
    try:
        header = ast.literal_eval(data.decode("latin-1").strip())
    except (ValueError, SyntaxError, MemoryError, RecursionError, TypeError):
        cursor.fail("the .npy header is not a Python dictionary", start)
    if not isinstance(header, dict) or set(header) != {"descr", "fortran_order", "shape"}:
        cursor.fail("the .npy header lacks descr, fortran_order or shape", start)
    shape, fortran = header["shape"], header["fortran_order"]
    if not isinstance(shape, tuple) or any(type(size) is not int for size in shape) or type(fortran) is not bool:
        cursor.fail(f"the .npy header has the shape {shape!r} and fortran_order {fortran!r}", start)
    dtype = _text_dtype(header["descr"]) if text else _dtype(header["descr"])
    if dtype is None or checked_size(shape, dtype) is None:
        cursor.fail(f"the .npy header has the dtype {header['descr']!r} and shape {shape!r}", start)
    return dtype, fortran, shape


def _dtype(descr: object) -> DType | None:
    if descr in _BFLOAT16:
        return dtypes.bfloat16
    for dtype in dtypes.CODES:
        if descr == dtype.str and dtype != dtypes.bfloat16:
            return dtype
    return None


def _text_dtype(descr: object) -> DType | None:
    match = re.fullmatch(r"[|<]([SU])(\d{1,2})", descr) if isinstance(descr, str) else None
    return numpy.dtype(match[0]) if match and int(match[2]) else None


def read_zip(cursor: Cursor) -> dict[str, NDArray[Any] | None] | list[NDArray[Any] | None]:
    """All arrays of a zip, sparse ones dense; in order when they are called arr_0, arr_1, ..."""
    try:
        members = _members(cursor)
    except LoadError:
        raise
    except _ZIP_ERRORS as error:
        raise malformed(cursor.name, f"the zip archive cannot be read ({error})", 0) from error
    arrays: dict[str, NDArray[Any] | None] = {}
    for name, array in members.items():
        folder, _, part = name.rpartition("/")
        if folder and f"{folder}/format" in members:
            if part == "format":
                arrays[folder] = _dense(cursor, folder, members)
        else:
            arrays[name] = array
    if arrays and list(arrays) == [f"arr_{index}" for index in range(len(arrays))]:
        return list(arrays.values())
    return arrays


def _members(cursor: Cursor) -> dict[str, NDArray[Any]]:
    members: dict[str, NDArray[Any]] = {}
    with zipfile.ZipFile(cursor.file) as archive:
        for info in archive.infolist():
            at = info.header_offset
            name = info.filename.removesuffix(".npy")
            if name == info.filename or name in members:
                raise malformed(cursor.name, f"the member {info.filename!r} is not an array, or comes twice", at)
            if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
                raise malformed(cursor.name, f"the member {info.filename!r} is compressed in an unknown way", at)
            if info.compress_size > cursor.end or info.file_size > info.compress_size * _MAX_RATIO:
                raise malformed(cursor.name, f"the member {info.filename!r} claims an impossible size", at)
            part = Cursor.over(archive.read(info), f"{cursor.name}:{info.filename}")
            members[name] = read_npy(part, text=name.endswith("/format"))
    return members


def _dense(cursor: Cursor, folder: str, members: dict[str, NDArray[Any]]) -> NDArray[Any]:
    """Make the array dense whose parts are `folder/{data,indices,indptr,format,shape}` (scipy's layout)."""
    word = members[f"{folder}/format"].tobytes().replace(b"\0", b"").decode("latin-1")
    parts = {"csr": ("shape", "data", "indptr", "indices"), "row_sparse": ("shape", "data", "indices")}.get(word, ())
    if not parts or any(f"{folder}/{part}" not in members for part in parts):
        raise malformed(cursor.name, f"the sparse array {folder!r} of format {word!r} is incomplete", 0)
    extent, values, *indices = (members[f"{folder}/{part}"] for part in parts)
    if extent.ndim != 1 or extent.dtype not in dtypes.INTEGERS:
        raise malformed(cursor.name, f"the shape of the sparse array {folder!r} is not a vector of integers", 0)
    result = dense(tuple(int(size) for size in extent), values, *indices)
    if isinstance(result, str):
        raise malformed(cursor.name, f"the sparse array {folder!r}: {result}", 0)
    return result
