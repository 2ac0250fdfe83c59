# SPDX-License-Identifier: Apache-2.0
"""Temporary files and folders `.NAME.WRITER.part` beside the target, and the sweep of those whose writer was killed.

Nothing reads them, and the next writer in the same folder removes what is abandoned. The name tells the writer: the
machine, with the numbers of processes that it counts in (each container has its own), its start, the process and the
start of that. So a file is removed where its process is known not to be there any more, and never that of a living
writer. Where the machine was started anew since, it has to be a day old: another machine may be called the same.
What other machines wrote, to a folder that is shared, is theirs to sweep.
"""

from __future__ import annotations

import os
import re
import time
from functools import cache
from typing import Final

from hybridize.base.digests import digest
from hybridize.base.interruptions import let_through, suppress
from hybridize.base.loading import LOADING

_PART: Final = ".part"
_NAME: Final = re.compile(r"\..*\.([0-9a-f]{8})-([0-9a-f]{8})-([0-9]+)-([0-9]+)-[^.]*\.part")
_LONGEST: Final = 100
"""Characters of a target's name in that of its temporary file, which is longer by that of the writer."""
_DAY_S: Final = 24 * 3600


def make_temporary_file(folder: str, name: str) -> str:
    """Make an empty file in `folder` to write what is going to be called `name`, and sweep the folder."""
    with LOADING:
        import tempfile  # late: it costs more than all formats, and most processes write no file

    sweep(folder)
    descriptor, path = tempfile.mkstemp(prefix=_prefix(name), suffix=_PART, dir=folder)
    os.close(descriptor)
    return path


def make_temporary_folder(folder: str, name: str) -> str:
    """Make a folder in `folder` to write what is going to be called `name`, and sweep `folder`."""
    with LOADING:
        import tempfile

    sweep(folder)
    return tempfile.mkdtemp(prefix=_prefix(name), suffix=_PART, dir=folder)


def sweep(folder: str) -> None:
    """Remove what writers that are gone have left in a folder."""
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            if entry.name.startswith(".") and entry.name.endswith(_PART):
                with suppress(OSError):  # somebody else sweeps, too
                    if _is_abandoned(entry):
                        _remove(entry)


def _remove(entry: os.DirEntry[str]) -> None:
    with LOADING:
        import shutil

    if entry.is_dir(follow_symlinks=False):
        shutil.rmtree(entry.path, ignore_errors=True)
    else:
        os.unlink(entry.path)


def _is_abandoned(entry: os.DirEntry[str]) -> bool:
    match = _NAME.fullmatch(entry.name)
    if match is None or match[1] != _machine():
        return False
    if match[2] != _boot():
        return time.time() - entry.stat(follow_symlinks=False).st_mtime > _DAY_S
    return _started(int(match[3])) != int(match[4])


def _prefix(name: str) -> str:
    process = os.getpid()
    return f".{name[:_LONGEST]}.{_machine()}-{_boot()}-{process}-{_started(process)}-"


@cache
def _machine() -> str:
    """A digest of the name of the machine and of what numbers processes in it."""
    try:
        world = os.readlink("/proc/self/ns/pid")
    except OSError as error:
        let_through(error)
        world = ""
    return digest(f"{os.uname().nodename} {world}".encode()).hex()[:8]


@cache
def _boot() -> str:
    """A digest of what Linux calls this run of the machine."""
    return digest(_content("/proc/sys/kernel/random/boot_id")).hex()[:8]


def _started(process: int) -> int:
    """Return the time a process began at, since the machine did; -1 where there is none, 0 where nobody says."""
    text = _content(f"/proc/{process}/stat")
    if text:
        state, *_ = fields = text.rpartition(b")")[2].split()  # its name, in brackets, may have spaces
        return -1 if state in (b"Z", b"X") else int(fields[19])
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return -1
    except OSError as error:  # another user's
        let_through(error)
    return 0


def _content(path: str) -> bytes:
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError as error:
        let_through(error)
        return b""
