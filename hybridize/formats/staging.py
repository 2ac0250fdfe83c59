# SPDX-License-Identifier: Apache-2.0
"""Several files that appear together: written to a folder of their own, checked there, and then put in place.

Where anything fails before that, nothing has changed. Each file is replaced by one rename, so a reader sees the old
one or the new one; where a rename fails, those before it are taken back.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress

from hybridize.base.errors import ArgumentError
from hybridize.formats.atomic import UMASK, sync


@contextmanager
def staging(path: str | os.PathLike[str]) -> Iterator[str]:
    """A folder beside `path` to write to; it is removed with whatever is left in it.

    Raises:
        ArgumentError E335: the folder of `path` is not there, or nothing may be written to it.
    """
    folder, name = os.path.split(os.path.abspath(path))
    try:
        temporary = tempfile.mkdtemp(prefix=f".{name}.", suffix=".part", dir=folder)
    except OSError as error:
        text = f"cannot write to {folder}: {error.strerror or error}"
        raise ArgumentError("E335", text, help="make the folder first") from error
    try:
        yield temporary
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def place(files: Sequence[str], folder: str) -> list[str]:
    """Move files to `folder`, all or none; returns their names there.

    Raises:
        ArgumentError E335: one of them cannot be put there.
    """
    try:
        return _place(files, folder)
    except OSError as error:
        text = f"cannot write {error.filename2 or error.filename or folder}: {error.strerror or error}"
        raise ArgumentError("E335", text, help="the files that were there before are as they were") from error


def _place(files: Sequence[str], folder: str) -> list[str]:
    for file in files:
        os.chmod(file, (0o777 if os.access(file, os.X_OK) else 0o666) & ~UMASK)
        sync(file)
    targets = [os.path.join(folder, os.path.basename(file)) for file in files]
    kept = {target: f"{file}.before" for file, target in zip(files, targets, strict=True)}
    placed: list[str] = []
    for target, before in kept.items():
        with suppress(FileNotFoundError):
            os.link(target, before)
    try:
        for file, target in zip(files, targets, strict=True):
            os.replace(file, target)
            placed.append(target)
    except BaseException:
        for target in placed:
            if os.path.exists(kept[target]):
                os.replace(kept[target], target)
            else:
                os.unlink(target)
        raise
    sync(folder)
    return targets
