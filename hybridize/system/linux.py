# SPDX-License-Identifier: Apache-2.0
"""Linux: glibc's functions, and what the kernel tells in /proc and /sys.

Files are looked for under a root, so that tests bring their own.
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Collection, Iterator
from functools import cache
from typing import Any, Final

from hybridize.system import posix
from hybridize.system.imports import IMPORTS
from hybridize.system.interruptions import let_through, suppress
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

NAME: Final[str] = "linux"
PROCESSOR: Final[str] = FAMILY
START_METHOD: Final[str] = "fork"
"""It sends the data of the parent without a copy, and functions that have no name."""
HAS_LARGE_PAGES: Final[bool] = True
_ROOT: Final = "/"
_ANONYMOUS: Final = 0x20
_HUGEPAGE: Final = 14

# ------------------------------------------------------------------------------------------------- machine code


@cache
def pages() -> posix.PosixPages:
    """Return the object that manages pages."""
    return posix.PosixPages(_ANONYMOUS, None if PROCESSOR == "x86_64" else _flush())


def _flush() -> Any:
    """Return what synchronises caches of instructions; None without libgcc, when only the kernel does in `mprotect`."""
    try:
        clear = ctypes.CDLL("libgcc_s.so.1").__clear_cache
    except (OSError, AttributeError) as error:
        let_through(error)
        return None
    clear.restype, clear.argtypes = None, [ctypes.c_void_p, ctypes.c_void_p]
    return lambda address, nbytes: clear(address, address + nbytes)


def function_address(name: str) -> int:
    """Return the address of a function of the process or, where Python was built without it, of libm."""
    return posix.address_in(_libraries(), name)


@cache
def _libraries() -> tuple[Any, ...]:
    libraries = [ctypes.CDLL(None)]
    with suppress(OSError):  # another C library, which has its mathematics within
        libraries.append(ctypes.CDLL("libm.so.6"))
    return tuple(libraries)


THREADS: Final = ("pthread_create", "pthread_join", "pthread_sigmask", "syscall", "clock_gettime", "sched_yield")
"""Functions that the pool's code calls; the number of the system call `futex` comes after them."""
_FUTEX: Final = {"x86_64": 202, "aarch64": 98}


@cache
def thread_words() -> tuple[int, ...] | None:
    """Return the functions of threads and the number of `futex`."""
    if PROCESSOR not in _FUTEX or os.uname().sysname != "Linux":
        return None
    return *map(function_address, THREADS), _FUTEX[PROCESSOR]


@cache
def gpu_driver() -> Any:
    """Return the library of NVIDIA's driver; `OSError` where there is none."""
    return ctypes.CDLL("libcuda.so.1")


@cache
def gpu_counter() -> Any:
    """Return the library that tells of NVIDIA's GPUs without starting one; `OSError` where there is none."""
    return ctypes.CDLL("libnvidia-ml.so.1")


HOW_TO_ALLOW_CODE: Final[str] = "allow it to this process in the security policy, as SELinux's execmem does"


# ------------------------------------------------------------------------------------------------------------ memory


def large_memory(nbytes: int) -> Any:
    """Return zeros, for which the kernel takes pages of 2 MiB wherever such a page fits between the ends."""
    with IMPORTS:
        import mmap  # late: it is a library to be loaded

    memory = mmap.mmap(-1, nbytes, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    with suppress(OSError):  # a kernel without large pages
        memory.madvise(_HUGEPAGE, 0, nbytes)
    return memory


def shared_memory() -> int | None:
    """Return a descriptor of memory without a name, where the C library knows `memfd_create`."""
    create = getattr(os, "memfd_create", None)
    return None if create is None else int(create("hybridize", os.MFD_CLOEXEC))


# ------------------------------------------------------------------------------------------------------------- files


def reserve(file: int, nbytes: int) -> None:
    """Give an open file bytes on the disk."""
    os.posix_fallocate(file, 0, nbytes)
    os.ftruncate(file, nbytes)


def sync(path: str | os.PathLike[str]) -> None:
    """Wait until a file or folder is on the disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def cache_folder(program: str) -> str:
    """Return the folder that the XDG specification says: relative ones are ignored."""
    caches = os.environ.get("XDG_CACHE_HOME", "")
    if not os.path.isabs(caches):
        home = os.path.expanduser("~")
        if not os.path.isabs(home):  # a user without a home
            return ""
        caches = os.path.join(home, ".cache")
    return os.path.join(caches, program)


# --------------------------------------------------------------------------------------------------------- processes


def process_start(process: int) -> int:
    """Return when a process began, in ticks since the machine did."""
    text = _content(f"/proc/{process}/stat")
    if text:
        state, *_ = fields = text.rpartition(b")")[2].split()  # its name, in brackets, may have spaces
        return -1 if state in (b"Z", b"X") else int(fields[19])
    return 0 if posix.is_there(process) else -1


def process_space() -> str:
    """Return the name of the namespace of process numbers."""
    try:
        return os.readlink("/proc/self/ns/pid")
    except OSError as error:
        let_through(error)
        return ""


def boot_name() -> str:
    """Return the kernel's random name of this run."""
    return _content("/proc/sys/kernel/random/boot_id").decode().strip()


def _content(path: str) -> bytes:
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError as error:
        let_through(error)
        return b""


# -------------------------------------------------------------------------------------------------------- processors


def affinity() -> Collection[int]:
    """Return the processors of the affinity mask."""
    if hasattr(os, "sched_getaffinity"):
        return os.sched_getaffinity(0)
    return range(os.cpu_count() or 1)


def cores(processors: Collection[int], root: str = _ROOT) -> int:
    """Count physical cores."""
    files = {number: f"sys/devices/system/cpu/cpu{number}/topology/thread_siblings_list" for number in processors}
    return len({_text(root, file) or str(number) for number, file in files.items()})


def quota(root: str = _ROOT) -> int | None:
    """Return the processors that the cgroup and those around it grant."""
    limits = [quota / period for quota, period in _quotas(root) if quota > 0 and period > 0]
    return max(1, int(min(limits))) if limits else None


def _quotas(root: str) -> Iterator[tuple[float, float]]:
    """Quota and period, in one unit, of each cgroup from this process's own up to the outermost."""
    for line in _text(root, "proc/self/cgroup").splitlines():
        number, _, rest = line.partition(":")
        controllers, _, path = rest.partition(":")
        if number == "0" and not controllers:
            for folder in _upwards("sys/fs/cgroup", path):
                yield _numbers(_text(root, f"{folder}/cpu.max"))
        elif "cpu" in controllers.split(","):
            for mount in dict.fromkeys(("cpu", controllers)):
                for folder in _upwards(f"sys/fs/cgroup/{mount}", path):
                    quota, period = (_text(root, f"{folder}/cpu.cfs_{word}_us") for word in ("quota", "period"))
                    yield _numbers(f"{quota} {period}")


def _upwards(mount: str, path: str) -> Iterator[str]:
    """The folder of a cgroup and those around it, down from the mount; in a container only the last may exist."""
    parts = [part for part in path.split("/") if part not in ("", "..")]
    for count in range(len(parts), -1, -1):
        yield "/".join([mount, *parts[:count]])


def _numbers(text: str) -> tuple[float, float]:
    """`quota period`; (0, 0) where there is no limit or no such file."""
    try:
        quota, period = map(float, text.split())
    except ValueError:  # "max 100000", nothing, or something we do not know
        return 0.0, 0.0
    return quota, period


_SHORT: Final = 1 << 14
"""Bytes of a file that are read: more than such files have."""


def _text(root: str, path: str) -> str:
    """The content of a file under `root`, or nothing. Such files are short, and the kernel writes them in one piece."""
    try:
        file = os.open(os.path.join(root, path), READ)  # `open` asks ten times as much for text
        try:
            return os.read(file, _SHORT).decode(errors="replace").strip()
        finally:
            os.close(file)
    except OSError as error:
        let_through(error)
        return ""


_SYSCONF: Final = {1: 188, 2: 191}
"""Numbers by which glibc tells the size of a data cache, by its level: Python has no names for them."""


def cache_bytes(level: int, root: str = _ROOT) -> int:
    """Return the size of a data cache of the first processor."""
    nbytes = _by_glibc(level) if root == _ROOT and level in _SYSCONF else 0
    folder = "sys/devices/system/cpu/cpu0/cache"
    for index in range(0 if nbytes else 8):
        kind, number, size = (_text(root, f"{folder}/index{index}/{name}") for name in ("type", "level", "size"))
        if kind in ("Data", "Unified") and number == str(level) and size[-1:] == "K" and size[:-1].isdecimal():
            return int(size[:-1]) << 10
    return nbytes


def _by_glibc(level: int) -> int:
    try:
        return max(0, os.sysconf(_SYSCONF[level]))
    except (ValueError, OSError) as error:  # another C library has no such numbers
        let_through(error)
        return 0


_HWCAP: Final = {
    16: "fp asimd evtstrm aes pmull sha1 sha2 crc32 atomics fphp asimdhp cpuid asimdrdm jscvt fcma lrcpc dcpop sha3 "
    "sm3 sm4 asimddp sha512 sve asimdfhm dit uscat ilrcpc flagm ssbs sb paca pacg",
    26: "dcpodp sve2 sveaes svepmull svebitperm svesha3 svesm4 flagm2 frint svei8mm svef32mm svef64mm svebf16 i8mm "
    "bf16",
}
"""Features of AArch64 by the kernel's names, from the lowest bit on, of the words that `getauxval` has for them."""


def processor_flags(root: str = _ROOT) -> frozenset[str]:
    """Return the features of the first processor, as the kernel calls them."""
    if root == _ROOT and PROCESSOR == "aarch64":
        return _by_auxiliary_vector()
    text = _text(root, "proc/cpuinfo")
    line = (text.partition("\nflags")[2] or text.partition("\nFeatures")[2]).partition("\n")[0]
    return frozenset(line.partition(":")[2].split())


def _by_auxiliary_vector() -> frozenset[str]:
    """Features by what the kernel told this process as it began: an emulator gives its own /proc/cpuinfo no thought."""
    ask = ctypes.CDLL(None).getauxval
    ask.restype, ask.argtypes = ctypes.c_ulong, [ctypes.c_ulong]
    return frozenset(
        name for word, names in _HWCAP.items() for bit, name in enumerate(names.split()) if ask(word) >> bit & 1
    )


_PER_CORE: Final = ("processor", "cpu MHz", "physical id", "siblings", "core id", "cpu cores", "apicid",
                    "initial apicid", "bogomips", "BogoMIPS")  # fmt: skip
"""Lines of /proc/cpuinfo that differ between cores or from one moment to the next."""
_CORE_BYTES: Final = 1 << 11
"""Read of /proc/cpuinfo at once: about as much as it says of a core."""


def processor_facts(root: str = _ROOT) -> tuple[str, ...]:
    """Return what the kernel says of the first processor, but for what differs between cores or moments."""
    try:
        file = os.open(os.path.join(root, "proc/cpuinfo"), READ)
        try:
            text = b""
            while b"\n\n" not in text and (more := os.read(file, _CORE_BYTES)):
                text += more  # the kernel writes it core by core, as it is read: of a large machine that takes long
        finally:
            os.close(file)
    except OSError as error:
        let_through(error)
        return ()
    lines = text.partition(b"\n\n")[0].decode(errors="replace").splitlines()
    return tuple(line for line in lines if line.partition(":")[0].strip() not in _PER_CORE)


def processor_name(root: str = _ROOT) -> str:
    """Return the name of the model: x86-64's by the kernel, AArch64's by the numbers that the cores tell."""
    names = (line.partition(":")[2].strip() for line in processor_facts(root) if line.startswith("model name"))
    if name := next(names, ""):
        return name
    with IMPORTS:
        from hybridize.system import arm  # late: only reports ask

    return arm.names(_content(os.path.join(root, "proc/cpuinfo")).decode(errors="replace"))
