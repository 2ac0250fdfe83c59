# SPDX-License-Identifier: Apache-2.0
"""The ends of Linux and macOS share this: the C library of the process, pages, folders by descriptor, locks, users."""

from __future__ import annotations

import ctypes
import os
import stat
from collections.abc import Callable, Iterator
from functools import cache
from types import TracebackType
from typing import Any, Final

from hybridize.system.imports import IMPORTS
from hybridize.system.interruptions import let_through, suppress

# 0 where the module is only imported, on a system that has no such flags.
_CLOEXEC: Final[int] = getattr(os, "O_CLOEXEC", 0)
_NOFOLLOW: Final[int] = getattr(os, "O_NOFOLLOW", 0)
_NONBLOCK: Final[int] = getattr(os, "O_NONBLOCK", 0)
_DIRECTORY: Final[int] = getattr(os, "O_DIRECTORY", 0)
READ: Final = os.O_RDONLY | _CLOEXEC
KILLED: Final[int | None] = -9
"""SIGKILL, which the standard numbers."""
_OWN: Final = _NOFOLLOW | _NONBLOCK | _CLOEXEC
"""Neither a link nor a pipe without a writer leads a reader elsewhere, or makes it wait."""
_READ_WRITE: Final = 1 | 2
_READ_RUN: Final = 1 | 4
_PRIVATE: Final = 2
"""PROT_* and MAP_PRIVATE are the same numbers on both systems; `mmap` is a module that is loaded later."""
FAMILY: Final[str] = os.uname().machine if hasattr(os, "uname") else ""
"""The processors, as the system calls them; nothing where the module is only imported."""
_DONTNEED: Final = 4
_FAILED: Final = ctypes.c_void_p(-1).value

# ------------------------------------------------------------------------------------------------- machine code


class PosixPages:
    """Pages by `mmap` and `mprotect`.

    Args:
        anonymous: the number of MAP_ANONYMOUS.
        flush: makes processors fetch what was written to an address, so many bytes; None: the system itself does.
    """

    def __init__(self, anonymous: int, flush: Callable[[int, int], object] | None) -> None:
        library = ctypes.CDLL(None, use_errno=True)
        self._flags = _PRIVATE | anonymous
        self._flush = flush
        self._map = library.mmap
        self._map.restype = ctypes.c_void_p
        self._map.argtypes = [ctypes.c_void_p, ctypes.c_size_t, *[ctypes.c_int] * 3, ctypes.c_long]
        self._protect = library.mprotect
        self._protect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
        self._unmap = library.munmap
        self._unmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t]

    def new(self, nbytes: int) -> int:
        """Return the address of fresh pages."""
        base = self._map(None, nbytes, _READ_WRITE, self._flags, -1, 0)
        if base == _FAILED or base is None:
            raise _last_error()
        return int(base)

    def make_executable(self, address: int, nbytes: int) -> None:
        """Let pages be run, and written no more."""
        if self._protect(address, nbytes, _READ_RUN):
            raise _last_error()
        if self._flush is not None:
            self._flush(address, nbytes)

    def give_back(self, address: int, nbytes: int) -> None:
        """Free pages."""
        self._unmap(address, nbytes)


def _last_error() -> OSError:
    number = ctypes.get_errno()
    return OSError(number, os.strerror(number))


def address_in(libraries: tuple[Any, ...], name: str) -> int:
    """Return the address of a function in the first of the libraries that has it; 0 where none has."""
    for library in libraries:
        try:
            function = getattr(library, name)
        except AttributeError:
            continue
        return int(ctypes.cast(function, ctypes.c_void_p).value or 0)
    return 0


@cache
def c_library() -> Any:
    """Return the C library of the process."""
    return ctypes.PyDLL(None)


# ------------------------------------------------------------------------------------------------------------ memory


def forget(mapped: Any, start: int, nbytes: int) -> None:
    """Let the system take back whole pages of a mapped file."""
    mapped.madvise(_DONTNEED, start, nbytes)


# ------------------------------------------------------------------------------------------------------------- files


class PosixFolder:
    """A folder by its descriptor."""

    __slots__ = ("_descriptor",)

    def __init__(self, path: str, follow: bool = True) -> None:
        flags = os.O_RDONLY | _DIRECTORY | _CLOEXEC | (0 if follow else _NOFOLLOW)
        self._descriptor = os.open(path, flags)
        try:
            if is_foreign(os.fstat(self._descriptor)):
                raise PermissionError(0, "not used, as others may write to it", path)
        except BaseException:
            self._close()
            raise

    def __enter__(self) -> PosixFolder:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._close()

    def _close(self) -> None:
        os.close(self._descriptor)

    def open(self, name: str, flags: int = os.O_RDONLY) -> int:
        """Open a file, no link, by flags of Python's `os` that all systems have; one that is made is the user's."""
        return os.open(name, flags | _OWN, 0o600, dir_fd=self._descriptor)

    def rename(self, old: str, new: str) -> None:
        """Give a file another name, in place of the file of that name."""
        os.rename(old, new, src_dir_fd=self._descriptor, dst_dir_fd=self._descriptor)

    def link(self, old: str, new: str) -> bool:
        """Give a file a second name, unless a file has it; False where the file system has no links."""
        try:
            with suppress(FileExistsError):
                os.link(old, new, src_dir_fd=self._descriptor, dst_dir_fd=self._descriptor, follow_symlinks=False)
        except OSError as error:
            let_through(error)
            return False
        return True

    def remove(self, name: str) -> None:
        """Remove a file."""
        os.unlink(name, dir_fd=self._descriptor)

    def touch(self, file: int, name: str) -> None:
        """Set the times of an open file to now."""
        os.utime(file)

    def scan(self) -> Iterator[os.DirEntry[str]]:
        """Yield what is in the folder."""
        with os.scandir(self._descriptor) as entries:
            yield from entries

    def is_at(self, file: int, name: str) -> bool:
        """Tell whether a name is that of an open file."""
        try:
            there = os.stat(name, dir_fd=self._descriptor, follow_symlinks=False)
        except FileNotFoundError:
            return False
        return os.path.samestat(os.fstat(file), there)


PrivateFolder = PosixFolder


def is_foreign(status: os.stat_result) -> bool:
    """Tell whether somebody else owns a file or folder, or may write to it."""
    return status.st_uid != os.geteuid() or bool(status.st_mode & (stat.S_IWGRP | stat.S_IWOTH))


def file_content(file: int, *, writable: bool = False) -> Any:
    """Map a file."""
    with IMPORTS:
        import mmap  # late: not all programs read files

    return mmap.mmap(file, 0, access=mmap.ACCESS_COPY if writable else mmap.ACCESS_READ)


def replace(old: str | os.PathLike[str], new: str | os.PathLike[str]) -> None:
    """Put a file in the place of another one."""
    os.replace(old, new)


def is_in_use(error: OSError) -> bool:
    """Return False: who has a file open keeps it when another one takes its place."""
    return False


def lock_file(file: int, *, shared: bool = False) -> bool:
    """Take the lock of an open file by `flock`."""
    with IMPORTS:
        import fcntl  # late: few processes share anything

    try:
        fcntl.flock(file, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


# --------------------------------------------------------------------------------------------------------- processes


def at_fork(**functions: Callable[[], object]) -> None:
    """Call functions around each fork."""
    os.register_at_fork(**functions)


def is_there(process: int) -> bool:
    """Tell whether there may be a process of this number."""
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError as error:  # another user's
        let_through(error)
    return True


def host_name() -> str:
    """Return the name of this machine in its network."""
    return os.uname().nodename


def user_name() -> str:
    """Return the number of this user."""
    return str(os.geteuid())


def give_way() -> None:
    """Let another thread run."""
    os.sched_yield()


def allow_open_files(count: int) -> None:
    """Raise the soft limit of open files, up to the hard one."""
    with IMPORTS:
        import resource  # late: servers alone ask for it

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if resource.RLIM_INFINITY not in (soft, hard) and soft < min(count, hard):
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(count, hard), hard))
