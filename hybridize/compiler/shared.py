# SPDX-License-Identifier: Apache-2.0
"""Files that all processes of this machine map, so that there is one copy in memory of what each would have of its own.

They lie in a folder of the user's own below the system's folder for temporary files. Whoever is the first to ask for
the bytes of a key writes them; the others wait for it, and map the file. A process has a lock on each file that it maps
(flock), which ends with the mapping, however the process ends. Who writes another file removes those that nobody
has a lock on. What a process writes to a mapping goes to copies of its pages.

Names of files hold the number of this start of the system: a file that was not whole on the disk when the machine
stopped is never looked at again.
"""

from __future__ import annotations

import mmap
import os
import stat
import time
from collections.abc import Callable
from typing import Any, Final

from hybridize import system
from hybridize.base.digests import digest
from hybridize.base.loading import LOADING
from hybridize.compiler import disk
from hybridize.compiler.folder import described
from hybridize.system.interruptions import let_through, suppress

MINIMUM: Final = 1 << 20
"""Bytes from which on a file pays: a mapping takes a descriptor, whole pages, and a tenth of a millisecond."""
SUFFIX: Final = ".shared"
_PART: Final = ".part"
_POLL_S: Final = 0.002
_PATIENCE_S: Final = 30.0
"""After so many seconds in which another process has not written a file, this one has its own copy."""


def mapped(key: str, nbytes: int, fill: Callable[[Any], bool]) -> Any:
    """Return the bytes of a key in a mapping, writable, whose pages all processes share until one writes to them.

    None where there can be no such file: the caller has the bytes in memory of its own then.

    Args:
        key: equal keys mean equal bytes.
        nbytes: the size.
        fill: writes the bytes into a buffer of zeros; False: this could not be done now, and nobody gets them.
    """
    try:
        with LOADING:
            import tempfile  # late: few processes share anything

        boot = system.boot_name()
        if not boot:
            raise OSError(0, "the operating system does not tell one start of the machine from another")
        name = digest(repr((boot, key, nbytes)).encode()).hex() + SUFFIX
        path = os.path.join(tempfile.gettempdir(), f"hybridize-{system.user_name()}")
        os.makedirs(path, 0o700, exist_ok=True)
        with system.PrivateFolder(path, follow=False) as folder:
            return _read(folder, name, nbytes) or _written(folder, name, nbytes, fill)
    except OSError as problem:
        let_through(problem)
        disk.note(f"nothing is shared with other processes: {described(problem)}")
        return None


def _read(folder: system.PrivateFolder, name: str, nbytes: int) -> Any:
    """Map a file that is there; None where there is none."""
    try:
        file = folder.open(name)
    except FileNotFoundError:
        return None
    try:
        until = time.monotonic() + _PATIENCE_S
        while not system.lock_file(file, shared=True):  # somebody looks whether anybody uses it
            if time.monotonic() > until:
                raise TimeoutError(0, "another process has it for itself", name)
            time.sleep(_POLL_S)
        status = os.fstat(file)
        if not stat.S_ISREG(status.st_mode) or system.is_foreign(status) or status.st_size != nbytes:
            raise PermissionError(0, "not used, as others may write it", name)
        # Its descriptor is a copy of `file`, which has the same lock.
        return mmap.mmap(file, nbytes, access=mmap.ACCESS_COPY) if status.st_nlink else None
    finally:
        os.close(file)


def _written(folder: system.PrivateFolder, name: str, nbytes: int, fill: Callable[[Any], bool]) -> Any:
    """Write a file, or map the one that another process is writing."""
    part = name + _PART
    until = time.monotonic() + _PATIENCE_S
    while time.monotonic() < until:
        file = folder.open(part, os.O_RDWR | os.O_CREAT)
        try:
            if system.lock_file(file) and folder.is_at(file, part):
                return _read(folder, name, nbytes) or _write(folder, file, name, nbytes, fill)
        finally:
            os.close(file)
        time.sleep(_POLL_S)
        there = _read(folder, name, nbytes)
        if there is not None:
            return there
    disk.note(f"nothing is shared with other processes: one has been writing {name} for {_PATIENCE_S:.0f} s")
    return None


def _write(folder: system.PrivateFolder, file: int, name: str, nbytes: int, fill: Callable[[Any], bool]) -> Any:
    """Fill the part that this process alone has a lock on, and give it its name."""
    try:
        system.reserve(file, nbytes)  # a full disk is an error here, and the end of the process later
        if not fill(mmap.mmap(file, nbytes)):
            return None
        folder.rename(name + _PART, name)
        system.lock_file(file, shared=True)
        _remove_unused(folder, name)
        return mmap.mmap(file, nbytes, access=mmap.ACCESS_COPY)
    finally:
        with suppress(OSError):  # after the rename there is none
            folder.remove(name + _PART)


def _remove_unused(folder: system.PrivateFolder, but: str) -> None:
    """Remove the files that no process maps or writes."""
    endings = SUFFIX, SUFFIX + _PART
    for name in [entry.name for entry in folder.scan() if entry.name.endswith(endings) and entry.name != but]:
        with suppress(OSError):  # another process has just removed it
            file = folder.open(name)
            try:
                if system.lock_file(file):
                    folder.remove(name)
            finally:
                os.close(file)
