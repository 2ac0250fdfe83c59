# SPDX-License-Identifier: Apache-2.0
"""Atomic writing: a reader sees the old file or the new one, never a part, whatever happens in between."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

UMASK = os.umask(0)
os.umask(UMASK)
"""What this process takes from the permissions of the files that it makes."""


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[str]:
    """Give the name of a temporary file beside `path` to write to; it replaces `path` once it is on the disk."""
    import tempfile  # late: it costs more than all other formats, and most processes write no file

    folder, name = os.path.split(os.path.abspath(path))
    descriptor, temporary = tempfile.mkstemp(prefix=f".{name}.", suffix=".part", dir=folder)
    os.close(descriptor)
    try:
        yield temporary
        os.chmod(temporary, 0o666 & ~UMASK)  # mkstemp's 0600 is not what a saved model should have
        sync(temporary)
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise
    sync(folder)  # makes the rename itself durable


def write_atomically(path: str | os.PathLike[str], chunks: Iterable[bytes | memoryview]) -> None:
    """Write `chunks` to `path` through a temporary file beside it, flushed to the disk before it is renamed."""
    with replacing(path) as temporary, open(temporary, "wb") as file:
        for chunk in chunks:
            file.write(chunk)


def sync(path: str | os.PathLike[str]) -> None:
    """Wait until a file, or the names in a folder, are on the disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
