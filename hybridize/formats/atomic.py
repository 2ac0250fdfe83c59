# SPDX-License-Identifier: Apache-2.0
"""Atomic writing: a reader sees the old file or the new one, never a part, whatever happens in between."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import BinaryIO

_UMASK = os.umask(0)
os.umask(_UMASK)


def write_atomically(path: str | os.PathLike[str], chunks: Iterable[bytes | memoryview]) -> None:
    """Write `chunks` to `path` through a temporary file beside it, flushed to the disk before it is renamed."""

    def fill(file: BinaryIO) -> None:
        for chunk in chunks:
            file.write(chunk)

    fill_atomically(path, fill)


def fill_atomically(path: str | os.PathLike[str], fill: Callable[[BinaryIO], None]) -> None:
    """Like `write_atomically`; `fill` writes the open file."""
    target = Path(path)
    descriptor, temporary = tempfile.mkstemp(prefix=f".{target.name}.", suffix=".part", dir=target.parent)
    try:
        with os.fdopen(descriptor, "wb") as file:
            fill(file)
            file.flush()
            os.fchmod(file.fileno(), 0o666 & ~_UMASK)  # mkstemp's 0600 is not what a saved model should have
            os.fsync(file.fileno())
        os.replace(temporary, target)
    except BaseException:
        os.unlink(temporary)
        raise
    _sync_folder(target.parent)


def _sync_folder(folder: Path) -> None:
    """Make the rename itself durable."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
