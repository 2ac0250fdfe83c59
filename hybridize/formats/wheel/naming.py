# SPDX-License-Identifier: Apache-2.0
"""Names and versions of packages, and the platforms that an installer knows machines by."""

from __future__ import annotations

import keyword
import re
import struct
import sys
from typing import Final

from hybridize.base.errors import ArgumentError
from hybridize.formats.deployable import identifier
from hybridize.formats.library.platforms import Platform

_NAME: Final = re.compile(r"[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?")
_VERSION: Final = re.compile(
    r"([1-9][0-9]*!)?(0|[1-9][0-9]*)(\.(0|[1-9][0-9]*))*((a|b|rc)(0|[1-9][0-9]*))?"
    r"(\.post(0|[1-9][0-9]*))?(\.dev(0|[1-9][0-9]*))?(\+[a-z0-9]+([.][a-z0-9]+)*)?"
)
"""Versions in their normal form, as the specification of version specifiers has it."""
_SYSTEMS: Final = {
    "x86_64-windows": "win_amd64",
    "x86_64-macos": "macosx_11_0_x86_64",
    "aarch64-macos": "macosx_11_0_arm64",
}
_LEAST: Final = 17
"""The glibc 2.17 of 2012: older systems, and the names of wheels for them, are of no use to Python 3.10."""


def check_package(name: str, version: str) -> str:
    """Return the name by which Python imports a package.

    Args:
        name: as pip knows the package: `my-model`.
        version: in its normal form: `1.0`, `2.1rc1`.

    Raises:
        ArgumentError E337: a package cannot have that name or version.
    """
    module = identifier(name)
    if not _NAME.fullmatch(name):
        raise ArgumentError(
            "E337", f"name must be made of letters, digits, '-', '_' and '.', as in 'my-model', got {name!r}"
        )
    if keyword.iskeyword(module) or module in sys.stdlib_module_names:
        raise ArgumentError(
            "E337", f"name must not be one that Python has already, got {name!r}", help=f'say name="{name}-net"'
        )
    if not _VERSION.fullmatch(version):
        raise ArgumentError("E337", f"version must be one in its normal form, as in '1.0' or '2.1rc1', got {version!r}")
    return module


def tags(platform: Platform, library: bytes) -> list[str]:
    """Return the tags of a wheel with this library: of Linux by the release of glibc that the library needs.

    Args:
        platform: of the library.
        library: the bytes of its file.
    """
    if platform.system != "linux":
        return [f"py3-none-{_SYSTEMS[platform.name]}"]
    release = max(_LEAST, glibc(library))
    older = [f"manylinux2014_{platform.processor}"] if release == _LEAST else []
    return [f"py3-none-{one}" for one in (f"manylinux_2_{release}_{platform.processor}", *older)]


def glibc(library: bytes) -> int:
    """Return the minor number of the newest glibc 2.x whose functions an ELF library needs.

    Args:
        library: the bytes of the file, sound, as a linker has written it.
    """
    table, size, count = struct.unpack_from("<Q", library, 40) + struct.unpack_from("<HH", library, 58)
    releases = [0]
    for number in range(count):
        kind, _, _, offset, _, link, entries = struct.unpack_from("<IQQQQII", library, table + number * size + 4)
        if kind != 0x6FFFFFFE:  # SHT_GNU_verneed
            continue
        strings = struct.unpack_from("<Q", library, table + link * size + 24)[0]
        at = offset
        for _ in range(entries):
            _, versions, _, first, following = struct.unpack_from("<HHIII", library, at)
            inner = at + first
            for _ in range(versions):
                name, step = struct.unpack_from("<II", library, inner + 8)
                word = library[strings + name : library.index(b"\0", strings + name)].decode()
                if word.startswith("GLIBC_2."):
                    releases.append(int(word.split(".")[1]))
                inner += step
            at += following
    return max(releases)
