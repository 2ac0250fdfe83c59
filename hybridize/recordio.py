# SPDX-License-Identifier: Apache-2.0
"""MXNet's `recordio`: files of many pieces of bytes, in order or by keys, and images with labels in them."""

from __future__ import annotations

import numbers
import os
import struct
from collections.abc import Callable
from typing import Any, BinaryIO, NamedTuple, TextIO

import numpy
from numpy.typing import NDArray

from hybridize.base.errors import ArgumentError, LoadError, ReadError, StateError, WriteError
from hybridize.base.names import refuses
from hybridize.base.participation import ReadPolicy
from hybridize.formats.pictures import decoded, encoded
from hybridize.formats.records import read_record, record_bytes

_HEAD = struct.Struct("<IfQQ")


class IRHeader(NamedTuple):
    """The head of an image's record.

    >>> from hybridize import recordio
    >>> recordio.IRHeader(flag=0, label=5.0, id=1, id2=0)
    IRHeader(flag=0, label=5.0, id=1, id2=0)
    """

    flag: int
    """The number of labels that follow it; 0 where the label is in it."""
    label: Any
    id: int
    """The number of the image, of which `id2` is the other half."""
    id2: int


class MXRecordIO:
    """Read or write a file of records, one after the other.

        record = recordio.MXRecordIO("data.rec", "w")
        record.write(b"one")
        record.close()
        recordio.MXRecordIO("data.rec", "r").read()

    A reader that is sent to another process opens the file there, at the same position.

    Args:
        uri: path of the file.
        flag: `r` to read, `w` to write.

    Raises:
        ArgumentError E3004: another flag.
        ReadError E600: it cannot be read.
        WriteError E335: it cannot be written.

    >>> from hybridize import recordio
    >>> import os, tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = os.path.join(folder.name, "data.rec")
    >>> record = recordio.MXRecordIO(path, "w")
    >>> record.write(b"one")
    >>> record.close()
    >>> recordio.MXRecordIO(path, "r").read()
    b'one'
    >>> folder.cleanup()
    """

    __hybridize_read__ = ReadPolicy.OUTSIDE

    _file: BinaryIO | None = None

    def __init__(self, uri: str, flag: str) -> None:
        if flag not in ("r", "w"):
            raise ArgumentError("E3004", f"a record file is opened with 'r' or 'w', got {flag!r}")
        self.uri: str = os.fspath(uri)
        self.flag = flag
        self.writable: bool = flag == "w"
        self._pid = 0
        self.open()

    @property
    def is_open(self) -> bool:
        """True if it can be read or written."""
        return self._file is not None

    def open(self) -> None:
        """Open the file at its start; to write, empty."""
        try:
            self._file = open(self.uri, "wb" if self.writable else "rb")  # noqa: SIM115 - closed by `close`
        except OSError as error:
            raise _unopened(self.uri, self.writable, error) from error
        self._pid = os.getpid()

    def close(self) -> None:
        """Close the file. What was written goes to the disk."""
        if self._file is not None:
            self._file.close()
            self._file = None

    def __del__(self) -> None:
        self.close()

    def __enter__(self) -> MXRecordIO:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def __getstate__(self) -> dict[str, Any]:
        if self.writable and self.is_open:
            raise StateError("E579", f"{self.uri} is open for writing in this process", help="close the file first")
        position = None if self._file is None else self._file.tell()
        return {name: value for name, value in vars(self).items() if name != "_file"} | {"position": position}

    def __setstate__(self, state: dict[str, Any]) -> None:
        position = state.pop("position")
        vars(self).update(state)
        if position is not None:
            self.open()
            self._opened().seek(position)

    def _opened(self) -> BinaryIO:
        """The file, opened anew in a process that has taken it over from another."""
        if self._file is None:
            raise StateError("E579", f"{self.uri} is closed", help="call open(), or reset()")
        if self._pid != os.getpid():
            if self.writable:
                raise StateError("E579", f"{self.uri} is written by another process", help="write it in that process")
            position = self._file.tell()
            self.open()
            self._file.seek(position)
        return self._file

    def reset(self) -> None:
        """Start again at the first record; a file that is written becomes empty."""
        self.close()
        self.open()

    def write(self, buf: bytes) -> None:
        """Add a record.

        Raises:
            ArgumentError E3004: it is longer than 512 MB, or no bytes.
            StateError E579: the file is open to read, or closed.
        """
        if not self.writable:
            raise StateError("E579", f"{self.uri} is open for reading", help="open it with 'w'")
        if not isinstance(buf, (bytes, bytearray, memoryview)):
            raise ArgumentError("E3004", f"a record must be bytes, got {type(buf).__name__}", help="text.encode()")
        self._opened().write(record_bytes(bytes(buf)))

    def read(self) -> bytes | None:
        """Read the next record; None after the last.

        Raises:
            LoadError E666: there is no whole record.
            StateError E579: the file is open to write, or closed.
        """
        if self.writable:
            raise StateError("E579", f"{self.uri} is open for writing", help="open it with 'r'")
        return read_record(self._opened(), self.uri)


class MXIndexedRecordIO(MXRecordIO):
    """Read or write a file of records by keys, whose positions are in a second file.

    Args:
        idx_path: path of the second file: a key, a tab and a position in each line.
        uri: path of the records.
        flag: `r` to read, `w` to write.
        key_type: makes a key of its text.

    Raises:
        LoadError E666: a line of the second file is not of that form.

    >>> from hybridize import recordio
    >>> import os, tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> files = os.path.join(folder.name, "data.idx"), os.path.join(folder.name, "data.rec")
    >>> record = recordio.MXIndexedRecordIO(*files, "w")
    >>> record.write_idx(7, b"seven")
    >>> record.close()
    >>> recordio.MXIndexedRecordIO(*files, "r").read_idx(7)
    b'seven'
    >>> folder.cleanup()
    """

    fidx: TextIO | None = None
    """The second file, while it is being written."""

    def __init__(self, idx_path: str, uri: str, flag: str, key_type: Any = int) -> None:
        self.idx_path: str = os.fspath(idx_path)
        self.idx: dict[Any, int] = {}
        """Positions by keys."""
        self.keys: list[Any] = []
        """The keys, in the order in which they were written."""
        self.key_type = key_type
        super().__init__(uri, flag)

    def open(self) -> None:
        super().open()
        try:
            if self.writable:
                self.idx, self.keys = {}, []
                self.fidx = open(self.idx_path, "w", encoding="utf-8")  # noqa: SIM115 - closed by `close`
            elif not self.idx:
                with open(self.idx_path, encoding="utf-8") as file:
                    self._read_index(file.read())
        except OSError as error:
            self.close()
            raise _unopened(self.idx_path, self.writable, error) from error

    def _read_index(self, text: str) -> None:
        for number, line in enumerate(text.splitlines(), 1):
            if not line.strip():
                continue
            try:
                key, position = line.strip().split("\t")
                self.idx[self.key_type(key)] = int(position)
                self.keys.append(self.key_type(key))
            except ValueError as error:
                what = f"{self.idx_path}:{number}: {error}"
                raise LoadError("E666", what, help="each line must be a key, a tab and a position") from None

    def close(self) -> None:
        super().close()
        if self.fidx is not None:
            self.fidx.close()
            self.fidx = None

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in super().__getstate__().items() if name != "fidx"}

    def seek(self, idx: Any) -> None:
        """Go to the record of a key. `read` returns it then.

        Raises:
            ArgumentError E3004: there is no such key.
        """
        try:
            position = self.idx[idx]
        except (KeyError, TypeError):
            raise ArgumentError("E3004", f"{self.uri} has no record {idx!r}", help="its keys are in .keys") from None
        if self.writable:
            raise StateError("E579", f"{self.uri} is open for writing", help="open it with 'r'")
        self._opened().seek(position)

    def tell(self) -> int:
        """Return the position at which the next record is written."""
        return self._opened().tell()

    def read_idx(self, idx: Any) -> bytes | None:
        """Read the record of a key.

        Raises:
            ArgumentError E3004: there is no such key.
            LoadError E666: there is no whole record at its position.
        """
        self.seek(idx)
        return self.read()

    def write_idx(self, idx: Any, buf: bytes) -> None:
        """Add a record and its key."""
        key, position = self.key_type(idx), self.tell()
        self.write(buf)
        assert self.fidx is not None
        self.fidx.write(f"{key}\t{position}\n")
        self.idx[key] = position
        self.keys.append(key)


class ScannedRecordIO(MXIndexedRecordIO):
    """Read a file of records by their numbers, without a second file: the positions come from one pass over the file.

    Args:
        uri: path of the records.

    Raises:
        LoadError E666: the file ends within a record, or has other bytes between records.

    >>> import os, tempfile
    >>> from hybridize import recordio
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "data.rec")
    ...     record = recordio.MXRecordIO(path, "w")
    ...     record.write(b"one")
    ...     record.write(b"two")
    ...     record.close()
    ...     recordio.ScannedRecordIO(path).read_idx(1)
    b'two'
    """

    def __init__(self, uri: str) -> None:
        super().__init__("", uri, "r")

    def open(self) -> None:
        MXRecordIO.open(self)
        if self.idx:
            return
        file = self._opened()
        position = file.tell()
        while self.read() is not None:
            self.idx[len(self.keys)] = position
            self.keys.append(len(self.keys))
            position = file.tell()
        file.seek(0)


def _unopened(path: str, writable: bool, error: OSError) -> LoadError | WriteError:
    what = error.strerror or error
    if writable:
        return WriteError("E335", f"cannot write {path}: {what}")
    return ReadError("E600", f"cannot read {path}: {what}")


def pack(header: Any, s: bytes) -> bytes:
    """Put a header before the bytes of an image.

    Args:
        header: an `IRHeader`, or its four parts; the label is a number, or several.
        s: the bytes.

    >>> from hybridize import recordio
    >>> recordio.unpack(recordio.pack(recordio.IRHeader(0, 5.0, 1, 0), b"data"))
    (IRHeader(flag=0, label=5.0, id=1, id2=0), b'data')
    """
    _, label, id, id2 = header
    if isinstance(label, numbers.Number):
        return _HEAD.pack(0, label, id, id2) + s
    labels = numpy.asarray(label, "<f4")
    return _HEAD.pack(labels.size, 0, id, id2) + labels.tobytes() + s


def unpack(s: bytes) -> tuple[Any, bytes]:
    """Split the bytes of a record into the header and the bytes of the image.

    Args:
        s: the record.

    Returns:
        An `IRHeader`, whose label is a number or a float32 array, and the bytes.

    Raises:
        LoadError E666: there are too few bytes.

    >>> from hybridize import recordio
    >>> header, content = recordio.unpack(recordio.pack((0, 5.0, 1, 0), b"data"))
    >>> header.label, content
    (5.0, b'data')
    """
    if len(s) < _HEAD.size:
        raise LoadError("E666", f"the header of an image record needs {_HEAD.size} bytes, but the record has {len(s)}")
    header = IRHeader(*_HEAD.unpack_from(s))
    rest = s[_HEAD.size :]
    if header.flag > 0:
        if len(rest) < 4 * header.flag:
            raise LoadError("E666", f"{header.flag} labels need {4 * header.flag} bytes, the record has {len(rest)}")
        header = header._replace(label=numpy.frombuffer(rest, "<f4", header.flag))
        rest = rest[4 * header.flag :]
    return header, rest


def pack_img(header: Any, img: Any, quality: int = 95, img_fmt: str = ".jpg") -> bytes:
    """Compress an image and put a header before it.

    Args:
        header: see `pack`.
        img: uint8 (height, width, channels), blue before green before red, as OpenCV has it; or (height, width).
        quality: of JPEG 1 to 100; of PNG how much to compress, 0 to 9.
        img_fmt: `.jpg` or `.png`.

    Raises:
        ArgumentError E378: Pillow is not installed.
        ArgumentError E3005: no such image, or another format.

    >>> from hybridize import recordio
    >>> import numpy
    >>> record = recordio.pack_img((0, 5.0, 1, 0), numpy.zeros((4, 4, 3), dtype="uint8"), img_fmt=".png")
    >>> recordio.unpack_img(record)[1].shape
    (4, 4, 3)
    """
    return pack(header, encoded(_reversed(numpy.asarray(img)), img_fmt, quality))


def unpack_img(s: bytes, iscolor: int = -1) -> tuple[Any, NDArray[Any]]:
    """Split the bytes of a record into the header and the image.

    Args:
        s: the bytes.
        iscolor: 1 for three channels, 0 for brightness alone, -1 as it is stored.

    Returns:
        An `IRHeader` and a NumPy array, blue before green before red, as OpenCV has it.

    Raises:
        ArgumentError E378: Pillow is not installed.
        LoadError E666, E667: there are too few bytes, or they are no image.

    >>> from hybridize import image, recordio
    >>> import numpy
    >>> record = recordio.pack_img((0, 5.0, 1, 0), numpy.zeros((4, 4, 3), dtype="uint8"), img_fmt=".png")
    >>> header, image = recordio.unpack_img(record)
    >>> header.label, image.shape
    (5.0, (4, 4, 3))
    """
    header, data = unpack(s)
    pixels = decoded(data, {-1: None, 0: 1}.get(iscolor, 3))
    return header, pixels[:, :, 0] if pixels.shape[2] == 1 else _reversed(pixels)


def _reversed(pixels: NDArray[Any]) -> NDArray[Any]:
    """Red, green, blue in the other order; opacity stays last."""
    if pixels.ndim < 3 or pixels.shape[2] < 3:
        return pixels
    return numpy.ascontiguousarray(pixels[:, :, [2, 1, 0, *range(3, pixels.shape[2])]])


__getattr__: Callable[[str], Any] = refuses(__name__, globals())
