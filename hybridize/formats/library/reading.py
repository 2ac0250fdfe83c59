# SPDX-License-Identifier: Apache-2.0
"""Read the description in an exported library of any machine from its bytes; nothing of it is run."""

from __future__ import annotations

import json
import os
import struct
from collections.abc import Iterator
from typing import Any, Final

from hybridize.base.dtypes import BY_NAME
from hybridize.base.errors import LoadError
from hybridize.base.frozen import frozen
from hybridize.formats.cursor import open_for_reading
from hybridize.formats.library.platforms import PLATFORMS, Platform

_HEAD: Final = b'{"name":"'
_ELF_MACHINES: Final = {62: "x86_64", 183: "aarch64"}
_PE_MACHINES: Final = {0x8664: "x86_64", 0xAA64: "aarch64"}
_MACHO_MACHINES: Final = {0x01000007: "x86_64", 0x0100000C: "aarch64"}
_LONGEST: Final = 1 << 20
"""Bytes of a description, which has a line for each input and output."""


@frozen
class MappedSection:
    """A part of the file that is mapped into memory."""

    name: str
    nbytes: int
    code: bool
    """True if it holds instructions."""


@frozen
class LibraryFile:
    """A shared library of ours."""

    name: str
    """Its functions are NAME_create and so on."""
    platform: Platform
    description: dict[str, Any]
    sections: tuple[MappedSection, ...]
    nbytes: int


def read_library(path: str | os.PathLike[str]) -> LibraryFile:
    """Read what a shared library says of itself: of Linux, Windows or macOS.

    Raises:
        LoadError E600: the file cannot be read.
        LoadError E642: it is no shared library, damaged, or not one of ours.
    """
    with open_for_reading(path) as file:
        data = file.read()
    where = os.fspath(path)
    try:
        processor, system, sections = _parts(data)
    except (struct.error, UnicodeDecodeError, KeyError, ValueError) as error:
        raise _strange(where, f"its headers are not those of a shared library ({error})") from None
    platform = PLATFORMS.get(f"{processor}-{system}")
    description = _description(data)
    if platform is None or description is None:
        raise _strange(where, "it lacks what hybridize writes")
    return LibraryFile(description["name"], platform, description, tuple(sections), len(data))


def _strange(where: str, what: str) -> LoadError:
    return LoadError("E642", f"{where} is not a hybridize library: {what}", help='net.export(path, format="library")')


def _description(data: bytes) -> dict[str, Any] | None:
    """The text that NAME_describe gives."""
    at = data.find(_HEAD)
    while at >= 0:
        end = data.find(b"\0", at, at + _LONGEST)
        try:
            tree = json.loads(data[at:end]) if end > 0 else None
        except (ValueError, RecursionError):
            tree = None
        if _is_sound(tree):
            return tree
        at = data.find(_HEAD, at + 1)
    return None


def _is_sound(tree: Any) -> bool:
    """Tell whether a description has all that one of ours has."""
    if not isinstance(tree, dict) or not isinstance(tree.get("name"), str) or not tree["name"].isidentifier():
        return False
    arrays: list[Any] = []
    for part in (tree.get("inputs"), tree.get("outputs")):
        if not isinstance(part, list):
            return False
        arrays += part
    return isinstance(tree.get("sizes"), list) and all(map(_is_array, arrays))


def _is_array(one: Any) -> bool:
    if not isinstance(one, dict) or not isinstance(one.get("shape"), list):
        return False
    return isinstance(one.get("name"), str) and isinstance(one.get("dtype"), str) and one["dtype"] in BY_NAME


def _parts(data: bytes) -> tuple[str, str, list[MappedSection]]:
    """Processor, system, sections.

    Raises:
        struct.error, UnicodeDecodeError, KeyError, ValueError: the headers are not sound.
    """
    if data[:6] == b"\x7fELF\2\1":
        if struct.unpack_from("<H", data, 16)[0] != 3:
            raise ValueError("it is an object or a program")
        return _ELF_MACHINES[struct.unpack_from("<H", data, 18)[0]], "linux", list(_elf(data))
    if data[:4] == b"\xcf\xfa\xed\xfe":
        if struct.unpack_from("<I", data, 12)[0] != 6:
            raise ValueError("it is an object or a program")
        return _MACHO_MACHINES[struct.unpack_from("<I", data, 4)[0]], "macos", list(_macho(data))
    if data[:2] == b"MZ":
        at = struct.unpack_from("<I", data, 60)[0]
        if data[at : at + 4] == b"PE\0\0":
            return _PE_MACHINES[struct.unpack_from("<H", data, at + 4)[0]], "windows", list(_pe(data, at + 4))
    raise ValueError("it begins like none")


def _text(data: bytes, at: int, longest: int) -> str:
    end = data.find(b"\0", at, at + longest)
    return data[at : end if end >= 0 else at + longest].decode()


def _elf(data: bytes) -> Iterator[MappedSection]:
    table, size, count, names = struct.unpack_from("<Q", data, 40) + struct.unpack_from("<HHH", data, 58)
    strings = struct.unpack_from("<Q", data, table + names * size + 24)[0]
    for number in range(count):
        title, _, flags, _, _, nbytes = struct.unpack_from("<IIQQQQ", data, table + number * size)
        if flags & 2:  # it is in memory
            yield MappedSection(_text(data, strings + title, 64), nbytes, bool(flags & 4))


def _pe(data: bytes, at: int) -> Iterator[MappedSection]:
    count, optional = struct.unpack_from("<H", data, at + 2) + struct.unpack_from("<H", data, at + 16)
    for number in range(count):
        header = at + 20 + optional + 40 * number
        nbytes, flags = struct.unpack_from("<I", data, header + 8) + struct.unpack_from("<I", data, header + 36)
        yield MappedSection(_text(data, header, 8), nbytes, bool(flags & 0x20))


def _macho(data: bytes) -> Iterator[MappedSection]:
    at = 32
    for _ in range(struct.unpack_from("<I", data, 16)[0]):
        command, size = struct.unpack_from("<II", data, at)
        if size < 8:
            raise ValueError(f"a command of {size} bytes")
        if command == 0x19:  # a segment
            for number in range(struct.unpack_from("<I", data, at + 64)[0]):
                header = at + 72 + 80 * number
                nbytes, flags = struct.unpack_from("<Q", data, header + 40) + struct.unpack_from(
                    "<I", data, header + 64
                )
                title = f"{_text(data, header + 16, 16)},{_text(data, header, 16)}"
                yield MappedSection(title, nbytes, bool(flags & 0x80000400))
        at += size
