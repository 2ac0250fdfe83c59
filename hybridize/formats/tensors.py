# SPDX-License-Identifier: Apache-2.0
"""safetensors files: weights by name, read whatever wrote them, and written.

u64 length of the header | header, JSON | tensors, without gaps
{NAME: {"dtype": "F32", "shape": [2, 3], "data_offsets": [0, 24]}, ..., "__metadata__": {...}}

The header is not trusted: it is checked before anything is made of what it claims.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from typing import Any

import numpy
from numpy.typing import NDArray

from hybridize.base.dtypes import BY_CODE, CODES, DType, uint8
from hybridize.formats.cursor import Cursor, bytes_of

_MAX_HEADER = 100_000_000
"""Bytes, as in the format's own reader."""
_KEYS = {"dtype", "shape", "data_offsets"}


def read_safetensors(path: str | os.PathLike[str], *, mapped: bool = False) -> dict[str, NDArray[Any]]:
    """Read the arrays of a safetensors file by name.

    Args:
        path: of the file.
        mapped: the arrays are views of the file, not copies; they cannot be written.

    Raises:
        LoadError E600: the file cannot be opened.
        LoadError E601: it is malformed, or of a dtype that hybridize has not; the message names the byte.
    """
    return _read(Cursor(bytes_of(path), os.fspath(path), copied=not mapped))


def parse_safetensors(data: bytes, name: str = "bytes") -> dict[str, NDArray[Any]]:
    """Read what `read_safetensors` reads from bytes in memory."""
    return _read(Cursor(data, name))


def safetensors_content(
    tensors: Mapping[str, NDArray[Any]], metadata: Mapping[str, str], alignment: int = 8
) -> tuple[bytes, dict[str, int]]:
    """Return the content of a file of arrays, and the byte at which each of them begins.

    Args:
        tensors: the arrays by name. Those with the widest elements come first, so each is aligned to its element.
        metadata: of the file.
        alignment: of the first array, in bytes. The header is filled up with spaces, as the format allows.
    """
    order = sorted(tensors, key=lambda name: (-tensors[name].dtype.itemsize, name))
    header: dict[str, Any] = {"__metadata__": dict(metadata)}
    begins, at = {}, 0
    for name in order:
        array = tensors[name]
        begins[name], at = at, at + array.nbytes
        header[name] = {
            "dtype": CODES[array.dtype].upper(),
            "shape": list(array.shape),
            "data_offsets": [begins[name], at],
        }
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-(8 + len(text)) % alignment)
    contents = [numpy.ascontiguousarray(tensors[name]).reshape(-1).view(uint8).data for name in order]
    start = 8 + len(text)
    content = b"".join([len(text).to_bytes(8, "little"), text, *contents])
    return content, {name: start + begin for name, begin in begins.items()}


def _read(cursor: Cursor) -> dict[str, NDArray[Any]]:
    length = cursor.number("Q", "the length of the header")
    if length > min(cursor.left, _MAX_HEADER):
        cursor.fail(f"a header of {length} bytes, {cursor.left} are left", 0)
    try:
        tree = json.loads(cursor.take(length, "the header").decode())
    except (ValueError, RecursionError) as error:
        cursor.fail(f"the header is not JSON ({error})", 8)
    if not isinstance(tree, dict):
        cursor.fail("the header is no JSON object", 8)
    tree.pop("__metadata__", None)
    entries = {name: _entry(cursor, name, entry) for name, entry in tree.items()}
    arrays = {}
    start = cursor.at
    for name, (dtype, shape, begin, end) in sorted(entries.items(), key=lambda item: item[1][2:]):
        if start + begin != cursor.at:
            cursor.fail(f"the tensor {name!r} does not follow the one before it", start + begin)
        arrays[name] = cursor.array(dtype, shape, f"the tensor {name!r}")
        if start + end != cursor.at:
            cursor.fail(f"the tensor {name!r} of {dtype}{list(shape)} has {end - begin} bytes", start + begin)
    cursor.done("the tensors")
    return {name: arrays[name] for name in tree}


def _entry(cursor: Cursor, name: str, entry: Any) -> tuple[DType, tuple[int, ...], int, int]:
    if not isinstance(entry, dict) or set(entry) != _KEYS:
        cursor.fail(f"the tensor {name!r} lacks dtype, shape or data_offsets", 8)
    code, shape, offsets = entry["dtype"], entry["shape"], entry["data_offsets"]
    listed = isinstance(shape, list) and isinstance(offsets, list) and len(offsets) == 2
    if not listed or any(type(one) is not int or not 0 <= one < 1 << 62 for one in [*shape, *offsets]):
        cursor.fail(f"the tensor {name!r} has the shape {shape!r:.80} and the offsets {offsets!r:.80}", 8)
    dtype = BY_CODE.get(code.lower()) if isinstance(code, str) else None
    if dtype is None:
        cursor.fail(f"the tensor {name!r} has the dtype {code!r:.80}, which hybridize has not", 8)
    return dtype, tuple(shape), *offsets
