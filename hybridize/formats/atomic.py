# SPDX-License-Identifier: Apache-2.0
"""Atomic writing: a reader sees the old file or the new one, never a part, whatever happens in between.

A link is followed: what it leads to is replaced. What is no file (a device, a pipe) is never replaced.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import Final

from hybridize import system
from hybridize.base.errors import ArgumentError, WriteError
from hybridize.formats.leftovers import make_temporary_file
from hybridize.system.interruptions import let_through

UMASK = os.umask(0)
os.umask(UMASK)
"""The permissions that this process takes from the files that it makes."""
_REMEDIES: Final = {
    errno.ENOENT: "make the folder first",
    errno.ENOTDIR: "a file is in the way of a folder; choose another place",
    errno.EISDIR: "choose another name, or say one after the folder",
    errno.EACCES: "choose a folder that you may write to",
    errno.EPERM: "choose a folder that you may write to",
    errno.EROFS: "choose a folder that you may write to",
    errno.ENOSPC: "make room, or choose another disk",
    errno.EDQUOT: "make room, or choose another disk",
    errno.ENAMETOOLONG: "choose a shorter name",
    errno.EXDEV: "a link leads to another file system; say the file that it leads to",
}


def split(path: str | os.PathLike[str]) -> tuple[str, str]:
    """The folder, from the root on, and the name of a file to be written.

    Raises:
        ArgumentError E338: it is no path, or names a folder.
        WriteError E335: it is relative, and there is no working directory any more.
    """
    text: object = path.__fspath__() if isinstance(path, os.PathLike) else path
    if not isinstance(text, str) or "\0" in text:
        raise ArgumentError("E338", f"a path must be a string or pathlib.Path, got {path!r}", help='pass "folder/name"')
    folder, name = os.path.split(text)
    if name in ("", ".", ".."):
        raise ArgumentError("E338", f"{text!r} does not name a file", help="add a file name after the folder")
    try:
        return os.path.abspath(folder), name
    except FileNotFoundError as error:
        gone = refused(text, FileNotFoundError(errno.ENOENT, "the working directory was removed", text))
        gone.help = "say the path from the root on, or change to another folder with os.chdir"
        raise gone from error


def refused(path: str, error: OSError) -> WriteError:
    """The error for a file that the system would not write."""
    reason = error.strerror or str(error)
    remedy = _REMEDIES.get(error.errno or 0, "choose another place")
    if error.errno == errno.ENOENT and error.filename is None:  # of `tempfile`
        remedy = "set TMPDIR to a folder that you may write to"
    if system.is_in_use(error):
        remedy = f"close what has {os.path.basename(path)} open or runs it, or choose another name or folder"
    failure = WriteError("E335", f"cannot write {path}: {reason}", help=remedy)
    failure.errno, failure.strerror, failure.filename = error.errno, reason, path
    return failure


def destination(path: str) -> str:
    """The file to replace: where a link leads, or the path itself.

    Raises:
        WriteError E335: what is there is no file.
    """
    real = os.path.realpath(path)
    try:
        mode = os.stat(real).st_mode
    except OSError:
        return real  # not there; what else is wrong shows when it is written
    if stat.S_ISDIR(mode):
        raise refused(path, IsADirectoryError(errno.EISDIR, "it is a folder"))
    if not stat.S_ISREG(mode):
        what = "a device" if stat.S_ISBLK(mode) or stat.S_ISCHR(mode) else "a pipe or a socket"
        raise refused(path, OSError(errno.EINVAL, f"it is {what}, no file"))
    return real


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[str]:
    """Give the name of a temporary file beside `path` to write to; it replaces `path` once it is on the disk.

    Raises:
        ArgumentError E338: that is no path of a file.
        WriteError E335: it cannot be written there.
    """
    location = os.path.join(*split(path))
    target = destination(location)
    folder, name = os.path.split(target)
    try:
        temporary = make_temporary_file(folder, name)
        try:
            yield temporary
            os.chmod(temporary, 0o666 & ~UMASK)  # mkstemp's 0600 is not what a saved model should have
            system.sync(temporary)
            system.replace(temporary, target)
        except BaseException:
            with suppress(FileNotFoundError):  # linkers remove what they cannot finish
                os.unlink(temporary)
            raise
        system.sync(folder)  # makes the rename itself durable
    except WriteError:
        raise
    except OSError as error:
        let_through(error)
        raise refused(location, error) from error


def write_atomically(path: str | os.PathLike[str], chunks: Iterable[bytes | memoryview]) -> None:
    """Write `chunks` to `path` through a temporary file beside it, flushed to the disk before it is renamed.

    Raises:
        ArgumentError E338: that is no path of a file.
        WriteError E335: it cannot be written there.
    """
    with replacing(path) as temporary, open(temporary, "wb") as file:
        for chunk in chunks:
            file.write(chunk)
