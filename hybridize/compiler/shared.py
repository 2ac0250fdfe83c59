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

from hybridize.base.digests import digest
from hybridize.base.interruptions import let_through, suppress
from hybridize.base.loading import LOADING
from hybridize.compiler import disk
from hybridize.compiler.folder import described, is_foreign, opened_own

MINIMUM: Final = 1 << 20
"""Bytes from which on a file pays: a mapping takes a descriptor, whole pages, and a tenth of a millisecond."""
SUFFIX: Final = ".shared"
_PART: Final = ".part"
_POLL_S: Final = 0.002
_PATIENCE_S: Final = 30.0
"""After so many seconds in which another process has not written a file, this one has its own copy."""
_OWN: Final = os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK if hasattr(os, "O_NOFOLLOW") else 0


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

        name = digest(repr((_boot(), key, nbytes)).encode()).hex() + SUFFIX
        path = os.path.join(tempfile.gettempdir(), f"hybridize-{os.geteuid()}")
        os.makedirs(path, 0o700, exist_ok=True)
        with opened_own(path, _OWN) as folder:
            return _read(folder, name, nbytes) or _written(folder, name, nbytes, fill)
    except OSError as problem:
        let_through(problem)
        disk.note(f"nothing is shared with other processes: {described(problem)}")
        return None


def _boot() -> str:
    with open("/proc/sys/kernel/random/boot_id") as file:
        return file.read().strip()


def _read(folder: int, name: str, nbytes: int) -> Any:
    """Map a file that is there; None where there is none."""
    try:
        file = os.open(name, os.O_RDONLY | _OWN, dir_fd=folder)
    except FileNotFoundError:
        return None
    try:
        until = time.monotonic() + _PATIENCE_S
        while not _locked(file, shared=True):  # somebody looks whether anybody uses it
            if time.monotonic() > until:
                raise TimeoutError(0, "another process has it for itself", name)
            time.sleep(_POLL_S)
        status = os.fstat(file)
        if not stat.S_ISREG(status.st_mode) or is_foreign(status) or status.st_size != nbytes:
            raise PermissionError(0, "not used, as others may write it", name)
        # Its descriptor is a copy of `file`, which has the same lock.
        return mmap.mmap(file, nbytes, access=mmap.ACCESS_COPY) if status.st_nlink else None
    finally:
        os.close(file)


def _written(folder: int, name: str, nbytes: int, fill: Callable[[Any], bool]) -> Any:
    """Write a file, or map the one that another process is writing."""
    part = name + _PART
    until = time.monotonic() + _PATIENCE_S
    while time.monotonic() < until:
        file = os.open(part, os.O_RDWR | os.O_CREAT | _OWN, 0o600, dir_fd=folder)
        try:
            if _locked(file) and _is_at(file, folder, part):
                return _read(folder, name, nbytes) or _write(folder, file, name, nbytes, fill)
        finally:
            os.close(file)
        time.sleep(_POLL_S)
        there = _read(folder, name, nbytes)
        if there is not None:
            return there
    disk.note(f"nothing is shared with other processes: one has been writing {name} for {_PATIENCE_S:.0f} s")
    return None


def _write(folder: int, file: int, name: str, nbytes: int, fill: Callable[[Any], bool]) -> Any:
    """Fill the part that this process alone has a lock on, and give it its name."""
    try:
        os.posix_fallocate(file, 0, nbytes)  # a full disk is an error here, and the end of the process later
        os.ftruncate(file, nbytes)
        if not fill(mmap.mmap(file, nbytes)):
            return None
        os.rename(name + _PART, name, src_dir_fd=folder, dst_dir_fd=folder)
        _locked(file, shared=True)
        _remove_unused(folder, name)
        return mmap.mmap(file, nbytes, access=mmap.ACCESS_COPY)
    finally:
        with suppress(OSError):  # after the rename there is none
            os.unlink(name + _PART, dir_fd=folder)


def _remove_unused(folder: int, but: str) -> None:
    """Remove the files that no process maps or writes."""
    with os.scandir(folder) as entries:
        names = [entry.name for entry in entries if entry.name.endswith((SUFFIX, SUFFIX + _PART)) and entry.name != but]
    for name in names:
        with suppress(OSError):  # another process has just removed it
            file = os.open(name, os.O_RDONLY | _OWN, dir_fd=folder)
            try:
                if _locked(file):
                    os.unlink(name, dir_fd=folder)
            finally:
                os.close(file)


def _locked(file: int, *, shared: bool = False) -> bool:
    """Take the lock of a file, if no other process has one that excludes it."""
    with LOADING:
        import fcntl  # late: few processes share anything

    try:
        fcntl.flock(file, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _is_at(file: int, folder: int, name: str) -> bool:
    """Tell whether a name is still that of an open file."""
    try:
        return os.path.samestat(os.fstat(file), os.stat(name, dir_fd=folder, follow_symlinks=False))
    except FileNotFoundError:
        return False
