# SPDX-License-Identifier: Apache-2.0
"""Reading a binary file that is not trusted: every read is checked against what is left, errors name the offset."""

from __future__ import annotations

import io
import os
import struct
from typing import Any, BinaryIO, NoReturn

import numpy
from numpy.typing import NDArray

from hybridize.base.dtypes import DType
from hybridize.base.errors import LoadError

MAX_AXES = 32
"""More axes than any array of MXNet or NumPy of its time can have."""


class Cursor:
    """A position in a file of known size."""

    def __init__(self, file: BinaryIO, name: str) -> None:
        self.file = file
        self.name = name
        self.at = 0
        self.end = file.seek(0, os.SEEK_END)
        file.seek(0)

    @classmethod
    def over(cls, data: bytes, name: str = "bytes") -> Cursor:
        """A cursor over bytes in memory."""
        return cls(io.BytesIO(data), name)

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
        data = self.file.read(count)
        if len(data) != count:
            self.fail(f"{what} needs {count} bytes, {len(data)} could be read")
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
        """The elements of an array in C order, read straight into memory of its own."""
        count = checked_size(shape, dtype)
        if count is None or count * dtype.itemsize > self.left:
            self.fail(f"{what} of shape {shape} needs more than the {self.left} bytes that are left")
        start = self.at
        array = numpy.empty(shape, dtype)
        if count:
            flat = array.reshape(-1).view(numpy.uint8)
            if self.file.readinto(flat.data) != flat.size:  # type: ignore[attr-defined]
                self.fail(f"{what}: the file ends early", start)
            self.at += flat.size
        if dtype == numpy.bool_ and count and array.view(numpy.uint8).max() > 1:
            self.fail(f"{what} holds bytes other than 0 and 1, which are not booleans", start)
        return array

    def done(self, what: str) -> None:
        """Demand that nothing follows."""
        if self.left:
            self.fail(f"{self.left} bytes follow the end of {what}")


def malformed(name: str, what: str, at: int) -> LoadError:
    """The error of a file that breaks its format at byte `at`."""
    return LoadError("E601", f"{name} is malformed at byte {at}: {what}")


def checked_size(shape: tuple[int, ...], dtype: DType) -> int | None:
    """Number of elements of an array, or None when no array of that shape can exist."""
    if len(shape) > MAX_AXES or any(size < 0 for size in shape):
        return None
    count, span = 1, dtype.itemsize
    for size in shape:
        count *= size
        span *= max(size, 1)  # NumPy refuses (0, 2**62) too: its strides would overflow
    return count if span < 1 << 62 else None


def open_for_reading(path: str | os.PathLike[str]) -> BinaryIO:
    """Open a file; a missing one is a `LoadError` as well as an ordinary message."""
    try:
        return open(path, "rb")
    except OSError as error:
        what = f"cannot read {os.fspath(path)}: {error.strerror}"
        raise LoadError("E600", what, help=f"look at the path; relative ones begin at {os.getcwd()}") from error
