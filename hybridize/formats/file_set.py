# SPDX-License-Identifier: Apache-2.0
"""Several files that appear together: written to a folder of their own, checked there, and then put in place.

Where anything fails before that, nothing has changed. Each file is replaced by one rename, so a reader sees the old
one or the new one; where a rename fails, those before it are taken back.

Nobody takes them back where the process is killed between two renames: then each file is the old one or the new one,
whole, and not all are of one export. Formats say where that cannot work: a library knows its own file of weights, sizes
of MXNet's graph and parameters have to fit. An archive is one file. What a killed writer leaves is one file or folder
`.NAME.*.part` beside the target, which nothing reads and the next writer in the same folder removes (`leftovers`).
"""

from __future__ import annotations

import errno
import os
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress

from hybridize import system
from hybridize.base.errors import WriteError
from hybridize.formats.atomic import UMASK, destination, refused, split
from hybridize.formats.leftovers import make_temporary_folder
from hybridize.system.interruptions import let_through


@contextmanager
def temporary_folder(path: str | os.PathLike[str]) -> Iterator[str]:
    """A folder beside `path` to write to; it is removed with whatever is left in it.

    Raises:
        ArgumentError E338: that is no path of a file.
        WriteError E335: the folder of `path` is not there, or nothing may be written to it, or the disk is full, or
            there is no folder for temporary files.
    """
    folder, name = split(path)
    try:
        temporary = make_temporary_folder(folder, name)
    except OSError as error:
        let_through(error)
        raise refused(os.path.join(folder, name), error) from error
    try:
        yield temporary
    except OSError as error:
        let_through(error)
        full = error.errno in (errno.ENOSPC, errno.EDQUOT)
        nowhere = error.errno == errno.ENOENT and error.filename is None  # `tempfile` finds no folder
        if not full and not nowhere and not str(error.filename or "").startswith(temporary):
            raise  # of something else than the files, or says where already
        raise refused(os.path.join(folder, name), error) from error
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def put_in_place(files: Sequence[str], folder: str, root: str | None = None) -> list[str]:
    """Move files to `folder`, all or none; returns their names there.

    Args:
        files: their paths.
        folder: for all of them.
        root: the folder in which they are; those in folders of it come to folders of the same names. None: all are in
            one folder.

    Raises:
        WriteError E335: one of them cannot be put there; nothing has changed.
    """
    for file in files:
        if not os.path.islink(file):
            os.chmod(file, (0o777 if os.access(file, os.X_OK) else 0o666) & ~UMASK)
            system.sync(file)
    names = [os.path.basename(file) if root is None else os.path.relpath(file, root) for file in files]
    paths = [os.path.join(folder, name) for name in names]
    for path in paths:
        try:
            os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
        except OSError as error:
            let_through(error)
            raise refused(path, error) from error
    targets = [path if os.path.islink(file) else destination(path) for file, path in zip(files, paths, strict=True)]
    backups = [f"{file}.before" for file in files]
    placed: list[int] = []
    number = 0
    try:
        for number, target in enumerate(targets):
            with suppress(FileNotFoundError):
                os.link(target, backups[number])
        for number, target in enumerate(targets):
            system.replace(files[number], target)
            placed.append(number)
    except BaseException as error:
        for done in placed:
            if os.path.exists(backups[done]):
                system.replace(backups[done], targets[done])
            else:
                os.unlink(targets[done])
        let_through(error)
        if isinstance(error, OSError) and not isinstance(error, WriteError):
            raise refused(paths[number], error) from error
        raise
    system.sync(folder)
    return paths
