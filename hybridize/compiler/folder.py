# SPDX-License-Identifier: Apache-2.0
"""A folder of files that outlive the process: private, bounded in bytes, shared by any number of processes.

What is read here is run, so the folder and each file must belong to the user and be writable by nobody else. Files are
written under another name and renamed: a reader sees all of a file or none of it, whoever is killed at what moment, and
of two who write the same the later one wins. There are no locks. What is damaged nevertheless is told by its checksum
(`runtime.serialization`), so nothing waits for the disk. Any failure means: there is no such file.
"""

from __future__ import annotations

import itertools
import os
import stat
import time

from hybridize import system
from hybridize.base.frozen import frozen
from hybridize.system.interruptions import let_through, suppress

SUFFIX = ".image"
FUNCTIONS = ".functions"
KERNELS = ".kernels"
"""Of records: of programs and of what a process needs once; of functions; of what a device's driver has made. They go
when there are too many bytes.
"""
LASTING = ".machine.json"
"""Of files that stay until somebody clears the folder: others go by what stands in them."""
_RECORDS = SUFFIX, FUNCTIONS, KERNELS
_PART = ".part"
_ABANDONED_S = 3600.0
"""After so many seconds a file that is being written is one that a killed process left."""
_REFRESH_S = 3600.0
"""Precision of the time at which a file was last used: to write it takes as long as to read the file."""
_LOOK_EVERY = 32
"""After so many files the bytes of the folder are counted anew: others write, too. It takes milliseconds."""
_FULL = 0.9
"""The part of the limit that stays when the least recently used files go."""

_part = itertools.count()


@frozen
class CachedFile:
    """A file in the folder."""

    name: str
    nbytes: int
    used: float
    """The time of the last read or write, in seconds since 1970, give or take an hour."""


class Folder:
    """Records by name, in one folder of the file system."""

    def __init__(self, path: str, limit_bytes: int) -> None:
        """The folder is made when something is first written to it."""
        self.path = path
        self.limit_bytes = limit_bytes
        self.problem: str = ""
        """The reason why the folder could not be used the last time that it could not."""
        self.until_look: int = os.urandom(1)[0] % _LOOK_EVERY
        """Records until the bytes are counted; begins anywhere, so that of processes that write few some do it."""
        self._bytes = 0

    def read(self, name: str, suffix: str = SUFFIX) -> bytes | None:
        """The content of a file, if it is there and can be trusted."""
        try:
            with system.PrivateFolder(self.path) as folder:
                file = folder.open(name + suffix)
                try:
                    return self._content(folder, file, name + suffix)
                finally:
                    os.close(file)
        except FileNotFoundError:
            return None
        except OSError as problem:
            let_through(problem)
            self.problem = described(problem)
            return None

    def _content(self, folder: system.PrivateFolder, file: int, name: str) -> bytes | None:
        status = os.fstat(file)
        if not stat.S_ISREG(status.st_mode) or system.is_foreign(status):
            raise PermissionError(0, "not used, as others may write it", os.path.join(self.path, name))
        if time.time() - status.st_mtime > _REFRESH_S:
            with suppress(OSError):
                folder.touch(file, name)
        # A signal, or somebody who cuts the file off meanwhile, may make it less: the checksum tells.
        return os.read(file, status.st_size) if status.st_size <= self.limit_bytes else None

    def write(self, name: str, content: bytes, suffix: str = SUFFIX, *, first: bool = False) -> bool:
        """Keep a file, in place of one of that name; returns whether there is one.

        With `first`, a file of that name that is there by now stays as it is.
        """
        if len(content) > self.limit_bytes:
            return False
        try:
            os.makedirs(self.path, 0o700, exist_ok=True)
            with system.PrivateFolder(self.path) as folder:
                self._write(folder, name + suffix, content, first)
                self._make_room(folder, len(content))
        except OSError as problem:
            let_through(problem)
            self.problem = described(problem)
            return False
        return True

    def writable(self) -> bool:
        """Tell whether a file could be written, as far as that is known without writing one."""
        try:
            os.makedirs(self.path, 0o700, exist_ok=True)
            with system.PrivateFolder(self.path):
                if os.access(self.path, os.W_OK | os.X_OK):
                    return True
                self.problem = f"{self.path} cannot be written"
                return False
        except OSError as problem:
            let_through(problem)
            self.problem = described(problem)
            return False

    def entries(self) -> list[CachedFile]:
        """All files, the least recently used first."""
        try:
            with system.PrivateFolder(self.path) as folder:
                return self._files(folder, _RECORDS)
        except FileNotFoundError:
            return []
        except OSError as problem:
            let_through(problem)
            self.problem = described(problem)
            return []

    def clear(self) -> int:
        """Remove all files; returns how many bytes they were."""
        freed = 0
        with suppress(OSError), system.PrivateFolder(self.path) as folder:
            for file in self._files(folder, (*_RECORDS, LASTING, _PART)):
                freed += _removed(folder, file)
        return freed

    def _write(self, folder: system.PrivateFolder, name: str, content: bytes, first: bool) -> None:
        part = f".{name}.{os.getpid()}.{next(_part)}{_PART}"
        file = folder.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL)
        try:
            with open(file, "wb", buffering=0) as target:
                left = memoryview(content)
                while left:
                    left = left[target.write(left) or 0 :]
            if first and folder.link(part, name):
                folder.remove(part)
            else:
                folder.rename(part, name)
        except BaseException:
            with suppress(OSError):
                folder.remove(part)
            raise

    def _make_room(self, folder: system.PrivateFolder, added: int) -> None:
        """Remove the least recently used files when there are too many bytes."""
        self._bytes += added
        self.until_look -= 1
        if self.until_look >= 0 and self._bytes <= self.limit_bytes:
            return
        self.until_look = _LOOK_EVERY - 1
        files = self._files(folder, (*_RECORDS, _PART))
        self._bytes = sum(file.nbytes for file in files)
        enough = self.limit_bytes * _FULL if self._bytes > self.limit_bytes else self.limit_bytes
        for file in files:
            abandoned = file.name.endswith(_PART) and time.time() - file.used > _ABANDONED_S
            if abandoned or self._bytes > enough:
                self._bytes -= _removed(folder, file)

    def _files(self, folder: system.PrivateFolder, suffixes: tuple[str, ...]) -> list[CachedFile]:
        """Files of some kinds, the least recently used first; no other file is ever touched."""
        entries = []
        for file in folder.scan():
            if file.name.endswith(suffixes):
                with suppress(OSError):  # another process has just removed it
                    status = file.stat(follow_symlinks=False)
                    if stat.S_ISDIR(status.st_mode):
                        continue  # not ours, and its size is no bytes of files
                    entries.append(CachedFile(file.name, status.st_size, status.st_mtime))
        return sorted(entries, key=lambda entry: entry.used)


def _removed(folder: system.PrivateFolder, file: CachedFile) -> int:
    try:
        folder.remove(file.name)
    except OSError as error:
        let_through(error)
        return 0
    return file.nbytes


def described(problem: OSError) -> str:
    """Say in a few words why a file or folder could not be used."""
    where = f"{problem.filename}: " if isinstance(problem.filename, str) else ""
    return f"{where}{problem.strerror or problem}"
