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

from hybridize import system
from hybridize.base.digests import digest
from hybridize.base.loading import LOADING
from hybridize.system.interruptions import suppress

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
    return system.process_start(int(match[3])) != int(match[4])


def _prefix(name: str) -> str:
    process = os.getpid()
    return f".{name[:_LONGEST]}.{_machine()}-{_boot()}-{process}-{system.process_start(process)}-"


@cache
def _machine() -> str:
    """A digest of the name of the machine and of what numbers processes in it."""
    return digest(f"{system.host_name()} {system.process_space()}".encode()).hex()[:8]


@cache
def _boot() -> str:
    """A digest of the name of this run of the machine."""
    return digest(system.boot_name().encode()).hex()[:8]
