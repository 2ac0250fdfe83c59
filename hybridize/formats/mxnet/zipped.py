# SPDX-License-Identifier: Apache-2.0
"""MXNet 2.x's `.params`: a zip of `.npy` members, sparse arrays in folders of their own; and a lone `.npy`.

NumPy's own reader is not used on files that are not trusted: it allocates what a header claims before it looks for
the data, and it does not know `<b2`, MXNet's name of bfloat16.
"""

from __future__ import annotations

import ast
import io
import lzma
import re
import struct
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from typing import Any

import numpy
from numpy.typing import NDArray

from hybridize.base import dtypes
from hybridize.base.dtypes import DType
from hybridize.base.errors import DTypeError, LoadError
from hybridize.formats.cursor import Cursor, checked_size, malformed
from hybridize.formats.mxnet.sparse import CSR, ROW_SPARSE, SparseArray, checked

MAGIC = b"\x93NUMPY"
_BFLOAT16 = ("<b2", "<V2", "|V2", "bfloat16")
_MAX_RATIO = 1032
"""Deflate cannot compress better than this, so a member cannot grow by more."""
_MAX_HEADER = 1 << 16
_LOCAL = struct.Struct("<26xHH")
"""The header before a member, which ends with the lengths of its name and of its extra field."""
_TEXT_OF_MXNET = re.compile(rb"\{'descr': '\|s(\d\d?)\{'descr': '<i8', 'fortran_order': False, 'shape': \(\), \} *\n")
"""The header that MXNet 2.0 writes for a word: its own dtype, and behind it a header of another one."""
_PARTS = {CSR: ("shape", "data", "indptr", "indices"), ROW_SPARSE: ("shape", "data", "indices")}
Member = NDArray[Any] | SparseArray
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
    return numpy.array(array.T, order="C") if fortran else array


def _header(cursor: Cursor, data: bytes, start: int, text: bool) -> tuple[DType, bool, tuple[int, ...]]:
    theirs = _TEXT_OF_MXNET.fullmatch(data) if text else None
    if theirs is not None and (word := _text_dtype(f"|S{int(theirs[1])}")) is not None:
        return word, False, ()
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


def read_zip(cursor: Cursor) -> dict[str, Member | None] | list[Member | None]:
    """All arrays of a zip; in order when they are called arr_0, arr_1, ..."""
    try:
        members = _members(cursor)
    except LoadError:
        raise
    except _ZIP_ERRORS as error:
        raise malformed(cursor.name, f"the zip archive cannot be read ({error})", 0) from error
    arrays: dict[str, Member | None] = {}
    for name, array in members.items():
        folder, _, part = name.rpartition("/")
        if folder and f"{folder}/format" in members:
            if part == "format":
                arrays[folder] = _sparse(cursor, folder, members)
        else:
            arrays[name] = array
    if arrays and list(arrays) == [f"arr_{index}" for index in range(len(arrays))]:
        return list(arrays.values())
    return arrays


def _members(cursor: Cursor) -> dict[str, NDArray[Any]]:
    members: dict[str, NDArray[Any]] = {}
    with zipfile.ZipFile(_File(cursor.data)) as archive:
        for info in archive.infolist():
            at = info.header_offset
            name = info.filename.removesuffix(".npy")
            if name == info.filename or name in members:
                raise malformed(cursor.name, f"the member {info.filename!r} is not an array, or comes twice", at)
            if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
                raise malformed(cursor.name, f"the member {info.filename!r} is compressed in an unknown way", at)
            if info.compress_size > cursor.end or info.file_size > info.compress_size * _MAX_RATIO:
                raise malformed(cursor.name, f"the member {info.filename!r} claims an impossible size", at)
            content = _content(cursor, archive, info)
            part = Cursor(content, f"{cursor.name}:{info.filename}", copied=cursor.copied)
            members[name] = read_npy(part, text=name.endswith("/format"))
    return members


def _content(cursor: Cursor, archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> bytes | memoryview:
    """The bytes of a member; those that are stored as they are, where they lie."""
    if info.compress_type != zipfile.ZIP_STORED or info.flag_bits & 1:
        return archive.read(info)  # refuses what is encrypted
    at = info.header_offset
    head = bytes(cursor.data[at : at + _LOCAL.size])
    if len(head) < _LOCAL.size or head[:4] != b"PK\3\4":
        raise malformed(cursor.name, f"the member {info.filename!r} is not where it has to be", at)
    start = at + _LOCAL.size + sum(_LOCAL.unpack(head))
    content = cursor.data[start : start + info.file_size]
    if info.file_size != info.compress_size or len(content) != info.file_size or zlib.crc32(content) != info.CRC:
        raise malformed(cursor.name, f"the member {info.filename!r} is damaged: its checksum differs", start)
    return content


class _File(io.RawIOBase):
    """Bytes in memory as a file, without a copy."""

    def __init__(self, data: memoryview) -> None:
        self._data = data
        self._at = 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = 0) -> int:
        at = offset + (0, self._at, len(self._data))[whence]
        if at < 0:
            raise OSError("before the start of the file")
        self._at = at
        return at

    def tell(self) -> int:
        return self._at

    def readinto(self, buffer: Any) -> int:
        part = self._data[self._at : self._at + len(buffer)]
        buffer[: len(part)] = part
        self._at += len(part)
        return len(part)


def _sparse(cursor: Cursor, folder: str, members: dict[str, NDArray[Any]]) -> SparseArray:
    """Return the array whose parts are `folder/{data,indices,indptr,format,shape}` (scipy's layout)."""
    word = members[f"{folder}/format"].tobytes().replace(b"\0", b"").decode("latin-1")
    parts = _PARTS.get(word, ())
    if not parts or any(f"{folder}/{part}" not in members for part in parts):
        raise malformed(cursor.name, f"the sparse array {folder!r} of format {word!r} is incomplete", 0)
    extent, values, *indices = (members[f"{folder}/{part}"] for part in parts)
    if extent.ndim != 1 or extent.dtype not in dtypes.INTEGERS:
        raise malformed(cursor.name, f"the shape of the sparse array {folder!r} is not a vector of integers", 0)
    result = checked(word, tuple(int(size) for size in extent), values, *indices)
    if isinstance(result, str):
        raise malformed(cursor.name, f"the sparse array {folder!r}: {result}", 0)
    return result


# ----------------------------------------------------------------------------------------------------------- writing


def npy_chunks(array: NDArray[Any]) -> Iterator[bytes | memoryview]:
    """The bytes of a `.npy` file, as MXNet 2.0 reads them.

    Its header takes 64 or 128 bytes with what is before it: MXNet 2.0 reads the length of a longer one wrongly.

    Raises:
        DTypeError E202: MXNet has no such dtype.
    """
    if array.dtype not in dtypes.CODES and array.dtype.kind != "S":
        raise DTypeError("E202", f"MXNet's files have no dtype {array.dtype}")
    descr = _BFLOAT16[0] if array.dtype == dtypes.bfloat16 else array.dtype.str
    text = f"{{'descr': {descr!r}, 'fortran_order': False, 'shape': {array.shape}, }}"
    length = -(-(len(text) + 11) // 64) * 64 - 10
    yield MAGIC + b"\1\0" + struct.pack("<H", length) + text.ljust(length - 1).encode() + b"\n"
    if array.size:
        yield numpy.ascontiguousarray(array).reshape(-1).view(numpy.uint8).data


def zip_chunks(arrays: Mapping[str, Member]) -> Iterator[bytes | memoryview]:
    """The bytes of a zip of arrays by name, nothing compressed, sparse ones in a folder for each."""
    sink = _Sink()
    with zipfile.ZipFile(sink, "w") as archive:  # type: ignore[call-overload]
        for name, array in arrays.items():
            for member, part in _members_of(name, array):
                info = zipfile.ZipInfo(f"{member}.npy")
                info.file_size = part.nbytes + 128  # whether the sizes need 64 bits
                with archive.open(info, "w") as file:
                    for chunk in npy_chunks(part):
                        file.write(chunk)
                yield from sink.taken()
    yield from sink.taken()


def _members_of(name: str, array: Member) -> Iterator[tuple[str, NDArray[Any]]]:
    if not isinstance(array, SparseArray):
        yield name, array
        return
    yield f"{name}/data", array.values
    yield f"{name}/indices", array.indices
    if array.starts is not None:
        yield f"{name}/indptr", array.starts
    yield f"{name}/format", numpy.array(array.storage.encode())
    yield f"{name}/shape", numpy.array(array.shape, numpy.int64)


class _Sink:
    """A file to which a zip is written from its start to its end; what was written is taken as it comes."""

    def __init__(self) -> None:
        self._chunks: list[bytes | memoryview] = []

    def write(self, chunk: bytes | memoryview) -> int:
        self._chunks.append(chunk)
        return len(chunk)

    def flush(self) -> None:
        """Nothing waits."""

    def taken(self) -> list[bytes | memoryview]:
        """Give what was written since the last time."""
        chunks, self._chunks = self._chunks, []
        return chunks
