# SPDX-License-Identifier: Apache-2.0
"""The file: a module, then custom sections with weights, description and checksum, which other tools pass over.

code | "hybridize.weights" | "hybridize.webgpu" (JSON, deflated) | "hybridize" (JSON) | "hybridize.crc32" (of all before
its last four bytes). Files that are for processors alone have no "hybridize.webgpu".
"""

from __future__ import annotations

import json
import os
import struct
import zlib
from collections.abc import Mapping, Sequence
from typing import Any, Final

from hybridize.base.errors import CodegenError, LoadError
from hybridize.base.frozen import frozen
from hybridize.codegen.wasm.binary import ByteReader, name, section, unsigned
from hybridize.codegen.wasm.relocatable import MAGIC
from hybridize.formats.cursor import open_for_reading

FORMAT: Final = 1
"""The version of the file, which its loader knows too."""
WEIGHTS: Final = "hybridize.weights"
KERNELS: Final = "hybridize.webgpu"
DESCRIPTION: Final = "hybridize"
CHECKSUM: Final = "hybridize.crc32"
_CUSTOM: Final = 0


@frozen(eq=False)
class Wasm:
    """A file, read."""

    description: dict[str, Any]
    """See `formats.wasm.description`."""
    code_bytes: int
    weight_bytes: int
    kernels: dict[str, Any] | None
    """See `formats.wasm.kernels`; None in a file that is for processors alone."""


def packed(
    code: bytes, weights: Sequence[memoryview], description: dict[str, Any], kernels: Mapping[str, Any] | None = None
) -> list[bytes | memoryview]:
    """The file of a module, in parts: weights are not copied."""
    text = _json(description)
    title = name(WEIGHTS)
    parts: list[bytes | memoryview] = [code, bytes([_CUSTOM]) + unsigned(len(title) + sum(map(len, weights))) + title]
    parts += weights
    if kernels is not None:
        parts.append(section(_CUSTOM, name(KERNELS) + zlib.compress(_json(kernels), 9)))
    parts.append(section(_CUSTOM, name(DESCRIPTION) + text) + section(_CUSTOM, name(CHECKSUM) + bytes(4))[:-4])
    checksum = 0
    for part in parts:
        checksum = zlib.crc32(part, checksum)
    return [*parts, struct.pack("<I", checksum)]


def _json(content: Mapping[str, Any]) -> bytes:
    return json.dumps(content, separators=(",", ":"), ensure_ascii=False).encode()


def read_wasm(path: str | os.PathLike[str]) -> Wasm:
    """Read what a module of ours says of itself.

    Raises:
        LoadError E600: the file cannot be read.
        LoadError E604: it is not whole, was changed, is of a later version, or somebody else's.
    """
    with open_for_reading(path) as file:
        data = file.read()
    where = os.fspath(path)
    if not data.startswith(MAGIC):
        raise _unsound(where, "it does not begin like WebAssembly")
    if struct.unpack("<I", data[-4:])[0] != zlib.crc32(memoryview(data)[:-4]):
        raise _unsound(where, "its checksum is not that of its bytes")
    try:
        sections = _sections(data)
        _, first, end = sections[DESCRIPTION]
        description = json.loads(data[first:end])
        code_bytes, first, end = sections[WEIGHTS]
        version = description["program"]["format"]
        _, begin, stop = sections.get(KERNELS, (0, 0, 0))
        kernels = json.loads(zlib.decompress(data[begin:stop])) if stop else None
    except (CodegenError, KeyError, TypeError, ValueError, zlib.error) as error:
        raise _unsound(where, f"it lacks what hybridize writes ({error})") from None
    if version != FORMAT:
        raise _unsound(where, f"it is of version {version}, and this hybridize reads version {FORMAT}")
    return Wasm(description, code_bytes, end - first, kernels)


def _unsound(where: str, what: str) -> LoadError:
    return LoadError(
        "E604",
        f"{where} is no valid hybridize WebAssembly module: {what}",
        help="export or copy it again",
    )


def _sections(data: bytes) -> dict[str, tuple[int, int, int]]:
    """Of each custom section, where it begins, where its content begins and where it ends."""
    reader, sections = ByteReader(data, len(MAGIC)), {}
    while not reader.done:
        start, kind, size = reader.position, reader.byte(), reader.unsigned()
        end = reader.position + size
        if kind == _CUSTOM:
            title = reader.name()
            sections[title] = (start, reader.position, end)
        reader.position = end
    return sections
