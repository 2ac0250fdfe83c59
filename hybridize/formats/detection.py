# SPDX-License-Identifier: Apache-2.0
"""Telling formats apart by what files hold, not by what they are called."""

from __future__ import annotations

import os
from itertools import islice

from hybridize.base.errors import LoadError
from hybridize.formats.cursor import bytes_of, open_for_reading
from hybridize.formats.wire import field_numbers

_HEAD = 4096
_MOST_FIELDS = 4096
_LAST_FIELD = 32
SAVED_MODEL = "saved_model.pb"
"""The file by which a folder is a SavedModel of TensorFlow."""
_KERAS = (b"config.json", b"metadata.json", b"model.weights.h5")
_LIBRARIES = (b"\x7fELF", b"\xcf\xfa\xed\xfe")  # of Linux, of macOS


def detect(path: str | os.PathLike[str]) -> str:
    """The format of a file.

    Returns:
        `archive` (ours), `safetensors` (weights of somebody else), `symbol` (MXNet's `-symbol.json`), `params`
        (MXNet's `.params`, `.npz`, `.npy`), `torch` (a zip of `torch.save` or `torch.export`), `onnx`, `tflite`,
        `saved_model` (the folder), `keras` (a `.keras` file or one of HDF5), `library` (of C) or `wasm`. A missing file
        with a `-symbol.json` beside it, the name that `export` was given, is `symbol`.

    Raises:
        LoadError E600: the file cannot be opened.
        LoadError E608: it is in no known format.
    """
    if not os.path.exists(path) and os.path.exists(f"{os.fspath(path)}-symbol.json"):
        return "symbol"
    if os.path.isfile(os.path.join(path, SAVED_MODEL)):
        return "saved_model"
    with open_for_reading(path) as file:
        head = file.read(_HEAD)
        size = file.seek(0, os.SEEK_END)
    kind = _detect(head, size) or ("onnx" if _is_onnx(path) else None)
    if kind is None:
        raise LoadError(
            "E608",
            f"{os.fspath(path)} is not in a format that hybridize reads",
            help="it reads its own archives, MXNet's -symbol.json and .params, models of ONNX and TFLite, SavedModels",
        )
    return kind


def _detect(head: bytes, size: int) -> str | None:
    if head[:8] == b"\x12\x01\0\0\0\0\0\0" or head[:6] == b"\x93NUMPY":
        return "params"
    if head[:4] in _LIBRARIES or head[:2] == b"MZ":
        return "library"
    if head[4:8] == b"TFL3":
        return "tflite"
    if head[:4] == b"\0asm":
        return "wasm"
    if head[:8] == b"\x89HDF\r\n\x1a\n" or (head[:4] == b"PK\3\4" and head[30:].startswith(_KERAS)):
        return "keras"
    if head[:4] == b"PK\3\4":
        return "torch" if b"/data.pkl" in head or b"archive_format" in head or b"/version" in head else "params"
    if head.lstrip()[:1] == b"{" and b'"nodes"' in head:
        return "symbol"
    length = int.from_bytes(head[:8], "little")
    if 0 < length <= size - 8 and head[8:9] == b"{":
        return "archive" if b'"format":"hybridize"' in head or b'"program"' in head else "safetensors"
    return None


def _is_onnx(path: str | os.PathLike[str]) -> bool:
    """Tell whether a file is a message with a graph (field 7) and operator sets (8), as models of ONNX are."""
    try:
        fields = set(islice(field_numbers(bytes_of(path), os.fspath(path)), _MOST_FIELDS))
    except LoadError:
        return False
    return {(7, 2), (8, 2)} <= fields and all(number <= _LAST_FIELD for number, _ in fields)
