# SPDX-License-Identifier: Apache-2.0
"""macOS on Apple silicon and Intel: what it tells by `sysctlbyname`, and where it differs from Linux."""

from __future__ import annotations

import ctypes
import os
import struct
from collections.abc import Collection
from functools import cache
from typing import Any, Final

from hybridize.system import posix
from hybridize.system.imports import IMPORTS
from hybridize.system.interruptions import let_through
from hybridize.system.posix import FAMILY
from hybridize.system.posix import KILLED as KILLED
from hybridize.system.posix import READ as READ
from hybridize.system.posix import PrivateFolder as PrivateFolder
from hybridize.system.posix import allow_open_files as allow_open_files
from hybridize.system.posix import at_fork as at_fork
from hybridize.system.posix import c_library as c_library
from hybridize.system.posix import file_content as file_content
from hybridize.system.posix import forget as forget
from hybridize.system.posix import give_way as give_way
from hybridize.system.posix import host_name as host_name
from hybridize.system.posix import is_foreign as is_foreign
from hybridize.system.posix import is_in_use as is_in_use
from hybridize.system.posix import lock_file as lock_file
from hybridize.system.posix import replace as replace
from hybridize.system.posix import user_name as user_name

NAME: Final[str] = "macos"
PROCESSOR: Final[str] = {"arm64": "aarch64"}.get(FAMILY, FAMILY)
START_METHOD: Final[str] = "spawn"
"""A forked process may not use Accelerate, Objective-C or dispatch, which its parent has begun to use."""
HAS_LARGE_PAGES: Final[bool] = False
_ROOT: Final = "/"
_ANONYMOUS: Final = 0x1000

# ------------------------------------------------------------------------------------------------- machine code


@cache
def pages() -> posix.PosixPages:
    """Return the object that manages pages.

    Fresh pages that were written may be made executable, as LLVM's own compilers at run time do, but for a program that
    is signed as hardened and lacks the entitlement `allow-unsigned-executable-memory`: it is refused, and told so.
    """
    flush = ctypes.CDLL(None).sys_icache_invalidate
    flush.restype, flush.argtypes = None, [ctypes.c_void_p, ctypes.c_size_t]
    return posix.PosixPages(_ANONYMOUS, flush)


def function_address(name: str) -> int:
    """Return the address of a function of the process, in which libSystem has the mathematics, too."""
    return posix.address_in((_process(),), name)


@cache
def _process() -> Any:
    return ctypes.CDLL(None)


THREADS: Final = (
    "pthread_create", "pthread_join", "pthread_sigmask", "__ulock_wait", "__ulock_wake", "sched_yield",
    "clock_gettime_nsec_np",
)  # fmt: skip
"""Functions that the pool's code calls (`threads_macos.h`); libc++ waits by the calls of the system among them, too."""


def thread_words() -> tuple[int, ...] | None:
    """Return the functions of threads; None where a release of the system has lost one."""
    words = tuple(map(function_address, THREADS))
    return words if all(words) and PROCESSOR in ("x86_64", "aarch64") else None


def gpu_driver() -> Any:
    """Raise `OSError`: this system has no driver of NVIDIA's."""
    raise OSError("macOS has no driver of NVIDIA's")


gpu_counter = gpu_driver


HOW_TO_ALLOW_CODE: Final[str] = (
    "sign the program that runs Python with the entitlement com.apple.security.cs.allow-unsigned-executable-memory"
)


# ------------------------------------------------------------------------------------------------------------ memory


def large_memory(nbytes: int) -> Any:
    """Return None: the system itself chooses the size of pages."""
    return None


def shared_memory() -> int | None:
    """Return None: memory of several processes has a name here, which would be left behind."""
    return None


# ------------------------------------------------------------------------------------------------------------- files

_F_PREALLOCATE: Final = 42
_ALL: Final = 4
_FROM_THE_END: Final = 3
_F_FULLFSYNC: Final = 51


def reserve(file: int, nbytes: int) -> None:
    """Give an open file bytes on the disk."""
    with IMPORTS:
        import fcntl  # late: few processes share anything

    fcntl.fcntl(file, _F_PREALLOCATE, struct.pack("=Iiqqq", _ALL, _FROM_THE_END, 0, nbytes, 0))
    os.ftruncate(file, nbytes)


def sync(path: str | os.PathLike[str]) -> None:
    """Wait until a file or folder is on the disk, and not only in its own memory, where `fsync` leaves it."""
    with IMPORTS:
        import fcntl  # late: most processes write no file

    descriptor = os.open(path, os.O_RDONLY)
    try:
        fcntl.fcntl(descriptor, _F_FULLFSYNC)
    except OSError as error:  # a file system that has no such wish
        let_through(error)
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def cache_folder(program: str) -> str:
    """Return `~/Library/Caches/` and the program's name; XDG_CACHE_HOME goes before it."""
    with IMPORTS:
        from platformdirs.macos import MacOS  # late: it costs milliseconds

    folder = MacOS(program, appauthor=False).user_cache_dir
    return folder if os.path.isabs(folder) else ""


# --------------------------------------------------------------------------------------------------------- processes

_TASK_INFO: Final = 3
"""PROC_PIDTBSDINFO, of which the answer is a `struct proc_bsdinfo`."""
_INFO_BYTES: Final = 136
_START_AT: Final = 120
"""Offset of the seconds and microseconds at which the process began; before them stand its state and names."""
_STATE_AT: Final = 4
_ZOMBIE: Final = 5


def process_start(process: int) -> int:
    """Return when a process began, in microseconds since 1970."""
    ask = _process().proc_pidinfo
    ask.restype = ctypes.c_int
    ask.argtypes = [ctypes.c_int, ctypes.c_int, ctypes.c_uint64, ctypes.c_void_p, ctypes.c_int]
    answer = ctypes.create_string_buffer(_INFO_BYTES)
    if ask(process, _TASK_INFO, 0, answer, _INFO_BYTES) != _INFO_BYTES:  # it has ended, or is another user's
        return 0 if posix.is_there(process) else -1
    if struct.unpack_from("=I", answer, _STATE_AT)[0] == _ZOMBIE:
        return -1
    seconds, microseconds = struct.unpack_from("=QQ", answer, _START_AT)
    return int(seconds * 1_000_000 + microseconds)


def process_space() -> str:
    """Return the one name there is."""
    return NAME


def boot_name() -> str:
    """Return the system's random name of this run."""
    return _text("kern.bootsessionuuid")


# -------------------------------------------------------------------------------------------------------- processors


def _value(name: str) -> bytes:
    """Ask the system for what it has by a name; nothing where it has none."""
    ask = _process().sysctlbyname
    ask.restype = ctypes.c_int
    ask.argtypes = [ctypes.c_char_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t]
    size = ctypes.c_size_t()
    if ask(name.encode(), None, ctypes.byref(size), None, 0):
        return b""
    answer = ctypes.create_string_buffer(size.value + 1)
    if ask(name.encode(), answer, ctypes.byref(size), None, 0):
        return b""
    return answer.raw[: size.value]


def _text(name: str) -> str:
    return _value(name).partition(b"\0")[0].decode(errors="replace").strip()


def _number(*names: str) -> int:
    """Return the number by the first of the names that the system knows; 0 where it knows none."""
    return next((int.from_bytes(value, "little") for value in map(_value, names) if value), 0)


def affinity() -> Collection[int]:
    """Return all processors: threads cannot be bound to some."""
    return range(os.cpu_count() or 1)


def cores(processors: Collection[int], root: str = _ROOT) -> int:
    """Count the cores of the fastest kind: others come late in a loop that all take the same share of."""
    return max(1, min(_number("hw.perflevel0.physicalcpu", "hw.physicalcpu") or 1, len(processors)))


def quota(root: str = _ROOT) -> int | None:
    """Return None: there is no limit to a process's time."""
    return None


_CACHES: Final = {1: "l1dcachesize", 2: "l2cachesize", 3: "l3cachesize"}


def cache_bytes(level: int, root: str = _ROOT) -> int:
    """Return the size of a data cache of the fastest kind of core."""
    name = _CACHES.get(level)
    return _number(f"hw.perflevel0.{name}", f"hw.{name}") if name else 0


_FEATURES: Final = {
    "AdvSIMD": "asimd", "FEAT_LSE": "atomics", "FEAT_FP16": "asimdhp", "FEAT_RDM": "asimdrdm",
    "FEAT_DotProd": "asimddp", "FEAT_FHM": "asimdfhm", "FEAT_FCMA": "fcma", "FEAT_BF16": "bf16", "FEAT_I8MM": "i8mm",
}  # fmt: skip
"""Features of AArch64: Apple's names, and Linux's."""
_OTHER_NAMES: Final = {"avx1.0": "avx", "lzcnt": "abm", "sse4.1": "sse4_1", "sse4.2": "sse4_2"}
"""Features of x86-64 that Linux calls otherwise."""


def processor_flags(root: str = _ROOT) -> frozenset[str]:
    """Return the features of the processor."""
    if PROCESSOR == "aarch64":
        return frozenset(ours for apples, ours in _FEATURES.items() if _number(f"hw.optional.arm.{apples}"))
    words = [_text(f"machdep.cpu.{name}") for name in ("features", "leaf7_features", "extfeatures")]
    return frozenset(_OTHER_NAMES.get(word, word) for word in " ".join(words).lower().split())


def processor_facts(root: str = _ROOT) -> tuple[str, ...]:
    """Return the brand, the vendor, the family and the features."""
    texts = [_text(f"machdep.cpu.{name}") for name in ("brand_string", "vendor")]
    return *filter(None, texts), str(_number("hw.cpufamily")), " ".join(sorted(processor_flags()))


def processor_name(root: str = _ROOT) -> str:
    """Return the brand."""
    return _text("machdep.cpu.brand_string")
