# SPDX-License-Identifier: Apache-2.0
"""The file itself: named tensors one after the other behind a header, as safetensors has it, mapped and checked.

    length of the header (8 bytes, little-endian) | header, JSON, with spaces up to a multiple of 64 bytes | tensors
    {"__metadata__": {"format": "hybridize", "version": "2", "checksum": HEX, "program": HEX}, NAME: {"dtype": "F32",
     "shape": [2, 3], "data_offsets": [0, 24]}, ...}

Tensors stand in the order of the header without gaps. What is large and a multiple of 64 bytes comes first, then the
dtypes from the widest on, so every tensor is aligned to its elements and most to a cache line. `checksum` is the
CRC-32 of the header with zeros in its place, `program` the BLAKE2b of the tensor `hybridize:program`, where checksums
of the others stand: CRC-32s of small ones, `sums` of large ones, which take a third of the time.
Checksums find damage. They do not protect against malice: whoever can write a file can write its checksums.
"""

from __future__ import annotations

import json
import math
import mmap
import os
import threading
from binascii import crc32
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

import numpy
from numpy.typing import NDArray

from hybridize import system
from hybridize.base.digests import digest
from hybridize.base.dtypes import BY_CODE as _BY_CODE
from hybridize.base.dtypes import CODES, DType, bool_, uint8
from hybridize.base.errors import LoadError, ReadError
from hybridize.base.forks import renewed
from hybridize.compiler import shared
from hybridize.formats.cursor import MAX_AXES, checked_size, forget, unreadable

VERSION: Final = "2"
PROGRAM: Final = "hybridize:program"
"""The tensor that describes the others."""
_PREFIX: Final = b'{"__metadata__":{"format":"hybridize","version":"'
_CHECKSUM: Final = b'","checksum":"'
_DIGITS: Final = 8
_LINE: Final = 64
_LARGE: Final = 1 << 16
"""Bytes from which on `sums` pay."""
_ROW: Final = 1021
"""A prime: what is exchanged or lost comes in blocks of other sizes, so that it changes sums of rows and of columns."""
_ROWS: Final = 32
"""Rows that are added at once: the second-level cache holds them, so that memory is read once."""
_WORD: Final = numpy.dtype("<u8")
_INTEGERS: Final = frozenset({int})
_QUOTED: Final = 400
"""Characters of a file that errors repeat."""
_CODES: Final = {
    code: _BY_CODE[code.lower()]
    for code in ("BOOL", "I8", "I16", "I32", "I64", "U8", "U16", "U32", "U64", "F16", "BF16", "F32", "F64")
}
_NAMES: Final = {dtype: code for code, dtype in _CODES.items()}

Array = NDArray[Any]


class TensorEntry:
    """The position of a tensor in the file."""

    __slots__ = ("dtype", "end", "shape", "start")

    def __init__(self, dtype: DType, shape: tuple[int, ...], start: int, end: int) -> None:
        self.dtype: DType = dtype
        self.shape: tuple[int, ...] = shape
        self.start: int = start
        """In bytes from the beginning of the file."""
        self.end: int = end

    @property
    def nbytes(self) -> int:
        """Its size."""
        return self.end - self.start


class Container:
    """A mapped file. Each tensor is checked when it is first asked for; arrays over it are written on copies."""

    def __init__(
        self, source: str, data: Any, entries: dict[str, TensorEntry], program: str, identity: str, on_disk: bool = True
    ) -> None:
        self.source = source
        self.entries = entries
        self.identity = identity
        """Names what the file holds: the digest of its header, which has one of all checksums."""
        self._data = data
        self._on_disk = on_disk
        self._lock = renewed(threading.RLock())
        self._program = program
        self._checks: dict[str, int] = {}
        self._arrays: dict[str, Array] = {}

    def fail(self, what: str) -> LoadError:
        """The error of a file that is not as an archive has to be."""
        return unsound(self.source, what)

    def program(self) -> Any:
        """Read the description of the program, and check it."""
        entry = self.entries.get(PROGRAM)
        if entry is None:
            raise self.fail("it has no description")
        text = bytes(self._data[entry.start : entry.end])
        if digest(text).hex() != self._program:  # of more bits than the others: it says where machine code begins
            raise damaged(self.source, "its description")
        names = [name for name in self.entries if name != PROGRAM]
        try:
            tree = json.loads(text.decode())  # bytes would be searched for their encoding
            checks = tree["checks"]
        except (ValueError, TypeError, LookupError, RecursionError) as error:
            raise self.fail(f"its description cannot be read ({error})") from error
        if type(checks) is not list or len(checks) != len(names) or not _INTEGERS.issuperset(map(type, checks)):
            raise self.fail("its checksums are not one for each tensor")
        self._checks = dict(zip(names, checks, strict=True))
        return tree

    def array(self, name: str) -> Array:
        """A tensor; writing to the array changes a copy of the page, not the file."""
        known = self._arrays.get(name)
        return self._first(name) if known is None else known

    def _first(self, name: str) -> Array:
        """Check a tensor that nobody has yet, and leave it on the disk: most of an embedding is never read."""
        entry = self.entries.get(name)
        if entry is None:
            raise self.fail(f"it has no tensor {name!r}")
        with self._lock:  # a page that is forgotten while another thread writes to it would be the file's again
            known = self._arrays.get(name)
            if known is None:
                self.check(name)
                # Not `frombuffer`, which takes no tensor without elements.
                known = numpy.ndarray(entry.shape, entry.dtype, self._data, entry.start)
                if self._on_disk:
                    forget(known)
                self._arrays[name] = known
        return known

    def with_tensors(self, tensors: Mapping[str, Array]) -> bytes:
        """The bytes of the file with other contents of some tensors, of the same types."""
        described = self.program()
        contents: dict[str, Array] = {}
        for name, entry in self.entries.items():
            if name in tensors:
                contents[name] = numpy.ascontiguousarray(tensors[name]).reshape(entry.shape)
                described["checks"][len(contents) - 1] = checksum(contents[name])
            elif name != PROGRAM:
                contents[name] = numpy.ndarray(entry.shape, entry.dtype, self._data, entry.start)
        return b"".join(chunks(contents, json.dumps(described, separators=(",", ":")).encode()))

    def content(self, name: str) -> bytes:
        """The bytes of a section."""
        content = self.bytes_of(name)
        self.check(name)
        return content

    def bytes_of(self, name: str) -> bytes:
        """The bytes of a section, for who has a better checksum of them."""
        entry = self.entries.get(name)
        if entry is None:
            raise self.fail(f"it has no section {name!r}")
        return bytes(self._data[entry.start : entry.end])

    def check(self, name: str) -> None:
        """Make sure that a tensor is not damaged.

        Raises:
            LoadError E614: it is.
        """
        if not self.holds(name):
            raise damaged(self.source, repr(name))

    def holds(self, name: str) -> bool:
        """Tell whether a tensor has its checksum, and bytes that its dtype can have."""
        entry = self.entries[name]
        part = memoryview(self._data)[entry.start : entry.end]
        if _checksum(part) != self._checks[name]:
            return False
        return entry.dtype != bool_ or not entry.nbytes or int(numpy.frombuffer(part, uint8).max()) <= 1


def unsound(source: str, what: str) -> LoadError:
    """The error of a file that is not an archive."""
    return LoadError("E604", f"{source} is not a valid hybridize archive: {shortened(what)}", help="save it again")


def damaged(source: str, what: str) -> LoadError:
    """The error of a checksum."""
    return LoadError("E614", f"{source} is damaged: the checksum of {shortened(what)} differs", help="copy it again")


def shortened(text: str) -> str:
    """A text that may quote a file, whose words can be as long as they like."""
    return text if len(text) <= _QUOTED else f"{text[:_QUOTED]}..."


def opened(source: str) -> Container | None:
    """The file, mapped; None where it is not an archive of this kind: another safetensors file, say.

    Raises:
        ReadError E600: the file cannot be opened.
        LoadError E604, E614: it is none, or its header is damaged.
        LoadError E605: it is of another version.
    """
    return _container(source, _mapped(source))


def received(source: str, content: Any, *, common: bool = True) -> Container | None:
    """As `opened`, for the bytes of a file, which `source` says the origin of. They are copied, so that weights can
    be written and lie as in a file that is mapped; where they are many and `common`, to a file that all processes map.
    """
    whole = memoryview(content)
    if common and len(whole) >= shared.MINIMUM:
        container = _container(source, whole, on_disk=False)
        if container is None:
            return None

        def fill(memory: Any) -> bool:
            container.program()
            for name in container.entries:
                if name != PROGRAM:
                    container.check(name)  # what is damaged here shall not be what others find
            memory[:] = whole
            return True

        mapping = shared.mapped(f"archive {container.identity}", len(whole), fill)
        if mapping is not None:
            return _container(source, mapping)
    data = mmap.mmap(-1, max(len(whole), 1))
    data[: len(whole)] = whole
    return _container(source, data, on_disk=False)


def _container(source: str, data: Any, on_disk: bool = True) -> Container | None:
    """The file that lies in memory; None where it is no archive."""
    if data[8 : 8 + len(_PREFIX)] != _PREFIX:
        return None
    length = int.from_bytes(data[:8], "little")
    if length > len(data) - 8:
        raise unsound(source, f"its header has {length} bytes, the file {len(data)}")
    head = bytes(data[8 : 8 + length])
    version, _, rest = head[len(_PREFIX) : len(_PREFIX) + _LINE].partition(b'"')
    if version != VERSION.encode() and rest:
        raise LoadError(
            "E605",
            f"{source} is an archive of version {shortened(version.decode(errors='replace'))}, "
            f"this hybridize reads version {VERSION}",
            help="load it with the release of hybridize that wrote it",
        )
    at = len(_PREFIX) + len(version) + len(_CHECKSUM)
    blank = b"".join([head[:at], b"0" * _DIGITS, head[at + _DIGITS :]])
    if _hex(blank).encode() != head[at : at + _DIGITS]:
        raise damaged(source, "its header")
    try:
        tree = json.loads(head.decode())
        metadata = tree.pop("__metadata__")
        entries = _entries(tree, 8 + length, len(data))
        return Container(source, data, entries, metadata["program"], digest(head).hex(), on_disk)
    except (ValueError, TypeError, LookupError, AttributeError, RecursionError) as error:
        raise unsound(source, f"its header cannot be read ({error})") from error


def _mapped(source: str) -> Any:
    """The bytes of a file; those that are written are copied, page by page."""
    try:
        file = os.open(source, system.READ)
        try:
            if not os.fstat(file).st_size:
                return b""
            return system.file_content(file, writable=True)
        finally:
            os.close(file)
    except OSError as error:
        raise unreadable(source, error) from error
    except ValueError as error:
        raise ReadError("E600", f"cannot read {source}: {error}") from error


def _entries(tree: Mapping[str, Any], start: int, size: int) -> dict[str, TensorEntry]:
    """Return the positions of the tensors, which lie one after the other from `start` to the end."""
    numbers: list[Any] = []
    for entry in tree.values():
        numbers += entry["shape"]
        numbers += entry["data_offsets"]
    if not _INTEGERS.issuperset(map(type, numbers)) or min(numbers, default=0) < 0:
        raise ValueError("sizes and offsets are integers from 0")
    entries = {}
    at = start
    for name, entry in tree.items():
        dtype, shape, (begin, end) = _CODES[entry["dtype"]], tuple(entry["shape"]), entry["data_offsets"]
        if begin + start != at or end - begin != math.prod(shape) * dtype.itemsize:
            raise ValueError(f"{name!r} is not where it has to be")
        if len(shape) > MAX_AXES or (begin == end and checked_size(shape, dtype) is None):
            raise ValueError(f"{name!r} is larger than an array can be")
        at = end + start
        entries[name] = TensorEntry(dtype, shape, start + begin, at)
    if at != size:
        raise ValueError(f"the file has {size} bytes, its tensors end at {at}")
    return entries


def laid_out(tensors: Mapping[str, Array]) -> dict[str, Array]:
    """The tensors in the order in which they stand in a file, each as its bytes are."""
    order = sorted(tensors, key=lambda name: (tensors[name].nbytes % _LINE != 0, -tensors[name].dtype.itemsize))
    return {name: numpy.ascontiguousarray(tensors[name]).reshape(tensors[name].shape) for name in order}


def checksum(array: Array) -> int:
    """Return the checksum that `Container` compares."""
    return _checksum(_bytes(array))


def _checksum(content: memoryview) -> int:
    return sums(content) if len(content) >= _LARGE else crc32(content)


def sums(content: memoryview) -> int:
    """A checksum of bytes that are many, at the speed of memory.

    They are words of 64 bits in rows of `_ROW`. The low 64 bits are the sum of all words, the 32 above it the CRC-32 of
    the sums of columns, those of rows, and the bytes that fill no row.
    """
    count = len(content) // (8 * _ROW)
    table = numpy.frombuffer(content, _WORD, count * _ROW).reshape(count, _ROW)
    columns: Any = numpy.zeros(_ROW, _WORD)
    rows: Any = numpy.empty(count, _WORD)
    for begin in range(0, count, _ROWS):
        part = table[begin : begin + _ROWS]
        columns += numpy.add.reduce(part, 0)
        numpy.add.reduce(part, 1, out=rows[begin : begin + _ROWS])
    total = int(numpy.add.reduce(columns))
    return crc32(content[8 * _ROW * count :], crc32(rows, crc32(columns))) << 64 | total


sums(memoryview(bytes(8 * _ROW)))  # NumPy looks for what adds words when that is first asked: with hybridize, not later


def chunks(tensors: Mapping[str, Array], program: bytes) -> Iterator[bytes | memoryview]:
    """The bytes of a file of tensors that `laid_out` gave, and a description."""
    described = {**tensors, PROGRAM: numpy.frombuffer(program, uint8)}
    offsets: list[Sequence[int]] = []
    at = 0
    for array in described.values():
        offsets.append((at, at + array.nbytes))
        at += array.nbytes
    metadata = {"format": "hybridize", "version": VERSION, "checksum": "0" * _DIGITS, "program": digest(program).hex()}
    header = {"__metadata__": metadata} | {
        name: {"dtype": _NAMES[array.dtype], "shape": array.shape, "data_offsets": offset}
        for (name, array), offset in zip(described.items(), offsets, strict=True)
    }
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-(8 + len(text)) % _LINE)
    start = len(_PREFIX) + len(VERSION) + len(_CHECKSUM)
    yield len(text).to_bytes(8, "little")
    yield text[:start] + _hex(text).encode() + text[start + _DIGITS :]
    for array in described.values():
        yield _bytes(array)


def _hex(content: bytes) -> str:
    return f"{crc32(content):08x}"


def _bytes(array: Array) -> memoryview:
    return array.reshape(-1).view(uint8).data if array.nbytes else memoryview(b"")


def type_text(entry: TensorEntry) -> str:
    """`f32[2,3]`."""
    return f"{CODES[entry.dtype]}[{','.join(map(str, entry.shape))}]"
