# SPDX-License-Identifier: Apache-2.0
"""Reading a binary file that is not trusted: every read is checked against what is left, errors name the offset."""

from __future__ import annotations

import mmap
import os
import stat
import struct
from contextlib import suppress
from typing import Any, BinaryIO, NoReturn

import numpy
from numpy.typing import NDArray

from hybridize import system
from hybridize.base.dtypes import DType
from hybridize.base.errors import LoadError, ReadError

MAX_AXES = 32
"""More axes than any array of MXNet or NumPy of its time can have."""


class Cursor:
    """A position in the bytes of a file.

    Args:
        data: all of them.
        name: of the file, for messages.
        copied: arrays are copies, which can be written; False: views of the bytes, as they lie there.
    """

    def __init__(self, data: bytes | bytearray | memoryview, name: str = "bytes", *, copied: bool = True) -> None:
        self.data: memoryview[int] = memoryview(data)
        self.name = name
        self.copied = copied
        self.at: int = 0
        self.end: int = len(self.data)

    @property
    def left(self) -> int:
        """Bytes not read yet."""
        return self.end - self.at

    def fail(self, what: str, at: int | None = None) -> NoReturn:
        """Raise the `LoadError` of this file at this offset."""
        raise malformed(self.name, what, self.at if at is None else at)

    def take(self, count: int, what: str) -> bytes:
        """The next `count` bytes."""
        if not 0 <= count <= self.left:
            self.fail(f"{what} needs {count} bytes, {self.left} are left")
        data = bytes(self.data[self.at : self.at + count])
        self.at += count
        return data

    def number(self, code: str, what: str) -> int:
        """One little-endian integer; `code` as in `struct`."""
        value: int = struct.unpack("<" + code, self.take(struct.calcsize("<" + code), what))[0]
        return value

    def text(self, count: int, what: str) -> str:
        """`count` bytes of UTF-8."""
        start = self.at
        try:
            return self.take(count, what).decode()
        except UnicodeDecodeError as error:
            self.fail(f"{what} is not UTF-8 ({error.reason})", start + error.start)

    def array(self, dtype: DType, shape: tuple[int, ...], what: str) -> NDArray[Any]:
        """The elements of an array in C order: a copy, or a view of the bytes."""
        count = checked_size(shape, dtype)
        if count is None or count * dtype.itemsize > self.left:
            self.fail(f"{what} of shape {shape} needs more than the {self.left} bytes that are left")
        start = self.at
        # Not `frombuffer`, which takes no array without elements.
        array: NDArray[Any] = numpy.ndarray(shape, dtype, self.data, start)
        self.at += array.nbytes
        if dtype == numpy.bool_ and count and array.view(numpy.uint8).max() > 1:
            self.fail(f"{what} holds bytes other than 0 and 1, which are not booleans", start)
        return array.copy() if self.copied else array

    def done(self, what: str) -> None:
        """Demand that nothing follows."""
        if self.left:
            self.fail(f"{self.left} bytes follow the end of {what}")


def malformed(name: str, what: str, at: int) -> LoadError:
    """The error of a file that breaks its format at byte `at`."""
    help = "check that this is the file that you mean, and that it was copied in full"
    return LoadError("E601", f"{name} is malformed at byte {at}: {what}", help=help)


def checked_size(shape: tuple[int, ...], dtype: DType) -> int | None:
    """Number of elements of an array, or None when no array of that shape can exist."""
    if len(shape) > MAX_AXES or any(size < 0 for size in shape):
        return None
    count, span = 1, dtype.itemsize
    for size in shape:
        count *= size
        span *= max(size, 1)  # NumPy refuses (0, 2**62) too: its strides would overflow
    return count if span < 1 << 62 else None


def in_memory(array: NDArray[Any]) -> NDArray[Any]:
    """Return an array itself where it lies in memory of its own, else a copy: what a file holds may change."""
    return array if _under(array) is None else array.copy()


def forget(array: NDArray[Any]) -> None:
    """Let the system take back the whole pages of a mapped file below an array, which nobody will read again soon.

    What was written to them through the mapping is lost: nobody may have written, nor do it now.
    """
    under = _under(array)
    mapped = under.obj if isinstance(under, memoryview) else under
    if isinstance(mapped, mmap.mmap) and array.nbytes:
        start = array.ctypes.data - numpy.frombuffer(mapped, numpy.uint8).ctypes.data
        first = -(-start // mmap.PAGESIZE) * mmap.PAGESIZE
        end = (start + array.nbytes) // mmap.PAGESIZE * mmap.PAGESIZE
        if first < end:
            system.forget(mapped, first, end - first)


def _under(array: NDArray[Any]) -> Any:
    """Return the memory that an array is a view of; None where it has its memory itself."""
    base: Any = array
    while isinstance(base, numpy.ndarray):
        base = base.base
    return base


def open_for_reading(path: str | os.PathLike[str]) -> BinaryIO:
    """Open a file; a missing one is a `ReadError` as well as an ordinary message."""
    try:
        return open(path, "rb")
    except OSError as error:
        raise unreadable(path, error) from error


def unreadable(path: str | os.PathLike[str], error: OSError) -> ReadError:
    """Return the error for a file that the system does not read."""
    what = f"cannot read {os.fspath(path)}: {error.strerror or error}"
    try:
        remedy = f"check the path; relative paths begin at {os.getcwd()}"
    except FileNotFoundError:
        remedy = "say the path from the root on: the working directory was removed"
    failure = ReadError("E600", what, help=remedy)
    failure.errno, failure.strerror, failure.filename = error.errno, error.strerror, os.fspath(path)
    return failure


def bytes_of(path: str | os.PathLike[str]) -> memoryview:
    """The bytes of a file, mapped where its system can; those of a pipe are read.

    Raises:
        ReadError E600: there is none, or it is neither.
    """
    with open_for_reading(path) as file:
        try:
            status = os.fstat(file.fileno())
            if stat.S_ISREG(status.st_mode) and status.st_size:
                with suppress(OSError):
                    return memoryview(system.file_content(file.fileno())).toreadonly()
            if stat.S_ISREG(status.st_mode) or stat.S_ISFIFO(status.st_mode):
                return memoryview(file.read())
            problem = "it is no file"
        except OSError as error:
            problem = error.strerror or str(error)
    raise ReadError("E600", f"cannot read {os.fspath(path)}: {problem}", help="pass the path of a file")
