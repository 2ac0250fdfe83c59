# SPDX-License-Identifier: Apache-2.0
"""Windows: kernel32, the universal C runtime, and folders by their paths.

The functions that `ctypes` has on Windows only are asked for by name, so that this module can be imported anywhere.
"""

from __future__ import annotations

import ctypes
import os
import struct
import sys
import time
from collections.abc import Callable, Collection, Iterator
from functools import cache
from types import TracebackType
from typing import Any, Final

from hybridize.system.imports import IMPORTS
from hybridize.system.interruptions import let_through, suppress

NAME: Final[str] = "windows"
PROCESSOR: Final[str] = "aarch64" if "ARM64" in sys.version else "x86_64"
"""Of the interpreter: one for x86-64 runs on ARM64, too, where Windows translates it."""
START_METHOD: Final[str] = "spawn"
HAS_LARGE_PAGES: Final[bool] = False
KILLED: Final[int | None] = None
_ROOT: Final = "/"
_BYTES: Final[int] = getattr(os, "O_BINARY", 0) | getattr(os, "O_NOINHERIT", 0)
READ: Final[int] = os.O_RDONLY | _BYTES

# --------------------------------------------------------------------------------------------------------- functions

_POINTER, _WORD, _SIZE, _BOOL = ctypes.c_void_p, ctypes.c_uint32, ctypes.c_size_t, ctypes.c_int
_SIGNATURES: Final[dict[str, tuple[Any, list[Any]]]] = {
    "CloseHandle": (_BOOL, [_POINTER]),
    "FlushInstructionCache": (_BOOL, [_POINTER, _POINTER, _SIZE]),
    "GetComputerNameW": (_BOOL, [_POINTER, _POINTER]),
    "GetCurrentProcess": (_POINTER, []),
    "GetExitCodeProcess": (_BOOL, [_POINTER, _POINTER]),
    "GetLogicalProcessorInformationEx": (_BOOL, [_WORD, _POINTER, _POINTER]),
    "GetProcessAffinityMask": (_BOOL, [_POINTER, _POINTER, _POINTER]),
    "GetProcessTimes": (_BOOL, [_POINTER] * 5),
    "IsProcessorFeaturePresent": (_BOOL, [_WORD]),
    "LockFileEx": (_BOOL, [_POINTER, _WORD, _WORD, _WORD, _WORD, _POINTER]),
    "OpenProcess": (_POINTER, [_WORD, _BOOL, _WORD]),
    "QueryInformationJobObject": (_BOOL, [_POINTER, _WORD, _POINTER, _WORD, _POINTER]),
    "VirtualAlloc": (_POINTER, [_POINTER, _SIZE, _WORD, _WORD]),
    "VirtualFree": (_BOOL, [_POINTER, _SIZE, _WORD]),
    "VirtualProtect": (_BOOL, [_POINTER, _SIZE, _WORD, _POINTER]),
}


@cache
def _kernel() -> Any:
    """Return kernel32, with the functions that are called here typed."""
    library = getattr(ctypes, "WinDLL")("kernel32", use_last_error=True)  # noqa: B009 - of Windows only
    for name, (returns, takes) in _SIGNATURES.items():
        function = getattr(library, name)
        function.restype, function.argtypes = returns, takes
    return library


def _last_error() -> OSError:
    error: OSError = getattr(ctypes, "WinError")(_error_number())  # noqa: B009 - of Windows only
    return error


def _error_number() -> int:
    number: int = getattr(ctypes, "get_last_error")()  # noqa: B009 - of Windows only
    return number


# ------------------------------------------------------------------------------------------------- machine code

_COMMIT_RESERVE: Final = 0x3000
_RELEASE: Final = 0x8000
_READ_WRITE: Final = 0x04
_EXECUTE_READ: Final = 0x20


class WindowsPages:
    """Pages by `VirtualAlloc` and `VirtualProtect`."""

    def __init__(self) -> None:
        self._kernel = _kernel()

    def new(self, nbytes: int) -> int:
        """Return the address of fresh pages."""
        base = self._kernel.VirtualAlloc(None, nbytes, _COMMIT_RESERVE, _READ_WRITE)
        if not base:
            raise _last_error()
        return int(base)

    def make_executable(self, address: int, nbytes: int) -> None:
        """Let pages be run, and written no more."""
        before = _WORD()
        if not self._kernel.VirtualProtect(address, nbytes, _EXECUTE_READ, ctypes.byref(before)):
            raise _last_error()
        self._kernel.FlushInstructionCache(self._kernel.GetCurrentProcess(), address, nbytes)

    def give_back(self, address: int, nbytes: int) -> None:
        """Free pages, all that were made at once."""
        self._kernel.VirtualFree(address, 0, _RELEASE)


@cache
def pages() -> WindowsPages:
    """Return the object that manages pages."""
    return WindowsPages()


_LIBRARIES: Final = ("ucrtbase", "ntdll", "kernel32", "kernelbase")
_ALLOCATOR: Final = {"aligned_alloc": "_aligned_malloc", "free": "_aligned_free"}
"""Names in the C standard, and those of the functions of Windows that do the same, the first by way of a thunk."""
_SWAPPED: Final = bytes.fromhex("4889c8 4889d1 4889c2 48b8"), bytes.fromhex("ffe0")
"""Code before and behind an address, which calls it with its two arguments in the other order.

mov rax, rcx; mov rcx, rdx; mov rdx, rax; mov rax, ADDRESS; jmp rax
"""


@cache
def _libraries() -> tuple[Any, ...]:
    return ctypes.pythonapi, *(ctypes.CDLL(name) for name in _LIBRARIES)


def function_address(name: str) -> int:
    """Return the address of a function of CPython, of the C runtime or of the system."""
    if name == "aligned_alloc":
        return _aligned_alloc() if PROCESSOR == "x86_64" else 0
    return _address(_ALLOCATOR.get(name, name))


def _address(name: str) -> int:
    for library in _libraries():
        try:
            function = getattr(library, name)
        except AttributeError:
            continue
        return int(ctypes.cast(function, _POINTER).value or 0)
    return 0


@cache
def _aligned_alloc() -> int:
    """Make the function of the C standard of the one that takes the size first."""
    before, behind = _SWAPPED
    code = before + struct.pack("<Q", _address(_ALLOCATOR["aligned_alloc"])) + behind
    place = pages().new(len(code))
    ctypes.memmove(place, code, len(code))
    pages().make_executable(place, len(code))
    return place


@cache
def c_library() -> Any:
    """Return the universal C runtime."""
    return ctypes.PyDLL("ucrtbase")


THREADS: Final = (
    "CreateThread", "WaitForSingleObject", "CloseHandle", "WaitOnAddress", "WakeByAddressAll",
    "QueryPerformanceCounter", "SwitchToThread",
)  # fmt: skip
"""Functions that the pool's code calls (`threads_windows.h`)."""


def thread_words() -> tuple[int, ...] | None:
    """Return the functions of threads and the frequency of the counter."""
    words = tuple(map(function_address, THREADS))
    frequency = ctypes.c_int64()
    ask = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p)(function_address("QueryPerformanceFrequency"))
    if PROCESSOR != "x86_64" or not all(words) or not ask(ctypes.byref(frequency)):
        return None
    return *words, frequency.value


@cache
def gpu_driver() -> Any:
    """Return the library of NVIDIA's driver; `OSError` where there is none."""
    return ctypes.CDLL("nvcuda.dll")


@cache
def gpu_counter() -> Any:
    """Return the library that tells of NVIDIA's GPUs without starting one; `OSError` where there is none."""
    return ctypes.CDLL("nvml.dll")


HOW_TO_ALLOW_CODE: Final[str] = "switch Arbitrary Code Guard off for the program that runs Python"


# ------------------------------------------------------------------------------------------------------------ memory


def large_memory(nbytes: int) -> Any:
    """Return None: large pages are a privilege that users do not have."""
    return None


def forget(mapped: Any, start: int, nbytes: int) -> None:
    """Do nothing: the system takes back pages as it needs them."""


def shared_memory() -> int | None:
    """Return None: a descriptor cannot be sent."""
    return None


# ------------------------------------------------------------------------------------------------------------- files

_TRIES: Final = 40
_PAUSE_S: Final = 0.005


def _patiently(function: Callable[[], object]) -> None:
    """Do something with a file that another process may have open for a moment: scanners and indexers open all."""
    for _ in range(_TRIES - 1):
        try:
            function()
        except PermissionError as error:
            let_through(error)
            time.sleep(_PAUSE_S)
        else:
            return
    function()


class WindowsFolder:
    """A folder by its path. Nobody but the user can write to those below LOCALAPPDATA; of others, users take care."""

    __slots__ = ("_path",)

    def __init__(self, path: str, follow: bool = True) -> None:
        if not follow and os.path.islink(path):
            raise PermissionError(0, "not used, as it is a link", path)
        if not os.path.isdir(path):
            raise FileNotFoundError(2, "there is no such folder", path)
        self._path = os.path.abspath(path)

    def __enter__(self) -> WindowsFolder:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        pass

    def _at(self, name: str) -> str:
        return os.path.join(self._path, name)

    def open(self, name: str, flags: int = os.O_RDONLY) -> int:
        """Open a file of bytes."""
        return os.open(self._at(name), flags | _BYTES, 0o600)

    def rename(self, old: str, new: str) -> None:
        """Give a file another name, in place of the file of that name."""
        replace(self._at(old), self._at(new))

    def link(self, old: str, new: str) -> bool:
        """Give a file a second name, unless a file has it; False where the file system has no links."""
        try:
            with suppress(FileExistsError):
                os.link(self._at(old), self._at(new))
        except OSError as error:
            let_through(error)
            return False
        return True

    def remove(self, name: str) -> None:
        """Remove a file."""
        _patiently(lambda: os.unlink(self._at(name)))

    def touch(self, file: int, name: str) -> None:
        """Set the times of an open file to now."""
        os.utime(self._at(name))

    def scan(self) -> Iterator[os.DirEntry[str]]:
        """Yield what is in the folder."""
        with os.scandir(self._path) as entries:
            yield from entries

    def is_at(self, file: int, name: str) -> bool:
        """Tell whether a name is that of an open file."""
        try:
            return os.path.samestat(os.fstat(file), os.stat(self._at(name)))
        except FileNotFoundError:
            return False


PrivateFolder = WindowsFolder


def is_foreign(status: os.stat_result) -> bool:
    """Return False: a status does not say who may write."""
    return False


def file_content(file: int, *, writable: bool = False) -> Any:
    """Read a file: no other file can take the place of one that is mapped."""
    with IMPORTS:
        import mmap  # late: not all programs read files

    memory = mmap.mmap(-1, os.fstat(file).st_size)
    with open(file, "rb", buffering=0, closefd=False) as stream, memoryview(memory) as whole:
        at = 0
        while count := stream.readinto(whole[at:]):
            at += count
    return memory


def replace(old: str | os.PathLike[str], new: str | os.PathLike[str]) -> None:
    """Put a file in the place of another one."""
    _patiently(lambda: os.replace(old, new))


_DENIED, _SHARED, _LOCKED, _MAPPED = 5, 32, 33, 1224


def is_in_use(error: OSError) -> bool:
    """Tell it by the system's number; that of what is denied says no more."""
    return getattr(error, "winerror", None) in (_DENIED, _SHARED, _LOCKED, _MAPPED)


_AT_ONCE, _ALONE = 1, 2


def lock_file(file: int, *, shared: bool = False) -> bool:
    """Take the lock of an open file, at a byte behind all that files hold: locked bytes cannot be read here."""
    with IMPORTS:
        import msvcrt  # late, and of Windows only

    handle = getattr(msvcrt, "get_osfhandle")(file)  # noqa: B009 - of Windows only
    overlapped = ctypes.create_string_buffer(struct.pack("=QQIIQ", 0, 0, 0xFFFFFFF0, 0x7FFFFFFF, 0))
    locked = _kernel().LockFileEx(handle, _AT_ONCE | (0 if shared else _ALONE), 0, 1, 0, overlapped)
    return bool(locked)


def reserve(file: int, nbytes: int) -> None:
    """Give an open file bytes on the disk, which a file without holes has as soon as it has the size."""
    os.ftruncate(file, nbytes)


def sync(path: str | os.PathLike[str]) -> None:
    """Wait until a file is on the disk; names in a folder are in the journal of the file system."""
    if os.path.isdir(path):
        return
    descriptor = os.open(path, os.O_RDWR | _BYTES)  # what is only read cannot be flushed
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def cache_folder(program: str) -> str:
    r"""Return the program's name and `\\Cache` in LOCALAPPDATA."""
    with IMPORTS:
        from platformdirs.windows import Windows  # late: it costs milliseconds

    try:
        return Windows(program, appauthor=False).user_cache_dir
    except OSError as error:  # the account of a service has no such folder
        let_through(error)
        return ""


# --------------------------------------------------------------------------------------------------------- processes

_LIMITED_INFORMATION: Final = 0x1000
_STILL_ACTIVE: Final = 259
_NO_SUCH_PROCESS: Final = 87


def at_fork(**functions: Callable[[], object]) -> None:
    """Do nothing: no process is a copy of another."""


def process_start(process: int) -> int:
    """Return when a process began, in tenths of microseconds since 1601."""
    handle = _kernel().OpenProcess(_LIMITED_INFORMATION, False, process)
    if not handle:
        return -1 if _error_number() == _NO_SUCH_PROCESS else 0
    try:
        code, times = _WORD(), (ctypes.c_uint64 * 4)()
        if _kernel().GetExitCodeProcess(handle, ctypes.byref(code)) and code.value != _STILL_ACTIVE:
            return -1
        places = [ctypes.addressof(times) + 8 * number for number in range(4)]
        return int(times[0]) if _kernel().GetProcessTimes(handle, *places) else 0
    finally:
        _kernel().CloseHandle(handle)


def process_space() -> str:
    """Return the one name there is."""
    return NAME


def host_name() -> str:
    """Return the name of this machine."""
    name, size = ctypes.create_unicode_buffer(256), _WORD(256)
    return name.value if _kernel().GetComputerNameW(name, ctypes.byref(size)) else ""


def boot_name() -> str:
    """Return nothing: there is none. Times at which processes began are those of the clock, and differ anyway."""
    return ""


def user_name() -> str:
    """Return the name that the user has here."""
    return os.environ.get("USERNAME", "")


def give_way() -> None:
    """Let another thread run."""
    time.sleep(0)


def allow_open_files(count: int) -> None:
    """Do nothing: connections are not limited by number."""


# -------------------------------------------------------------------------------------------------------- processors

_CORE, _CACHE = 0, 2


@cache
def _records(relation: int) -> tuple[bytes, ...]:
    """Return what the system tells of each core or cache."""
    size = _WORD()
    _kernel().GetLogicalProcessorInformationEx(relation, None, ctypes.byref(size))
    answer = ctypes.create_string_buffer(size.value or 1)
    if not size.value or not _kernel().GetLogicalProcessorInformationEx(relation, answer, ctypes.byref(size)):
        return ()
    text, records, at = answer.raw[: size.value], [], 0
    while at + 8 <= len(text):
        nbytes = struct.unpack_from("<I", text, at + 4)[0]
        if not nbytes:
            break
        records.append(text[at : at + nbytes])
        at += nbytes
    return tuple(records)


def affinity() -> Collection[int]:
    """Return the processors of the affinity mask, in the group of this process; all where it is in several groups."""
    mask, whole = _SIZE(), _SIZE()
    process = _kernel().GetCurrentProcess()
    if _kernel().GetProcessAffinityMask(process, ctypes.byref(mask), ctypes.byref(whole)) and mask.value:
        return {number for number in range(64) if mask.value >> number & 1}
    return range(os.cpu_count() or 1)


def cores(processors: Collection[int], root: str = _ROOT) -> int:
    """Count the cores that have one of the processors; a group has 64."""
    masks = []
    for record in _records(_CORE):
        groups = struct.unpack_from("<H", record, 30)[0]
        pairs = [struct.unpack_from("<QH", record, 32 + 16 * number) for number in range(groups)]
        masks.append(sum(mask << 64 * group for mask, group in pairs))
    wanted = sum(1 << number for number in processors)
    return sum(1 for mask in masks if mask & wanted) or len(processors)


_RATE_CONTROL: Final = 15
_ENABLED, _HARD_CAP = 1, 4


def quota(root: str = _ROOT) -> int | None:
    """Return the processors whose time the job of this process grants, as those of containers do."""
    answer = (_WORD * 2)()
    known = _kernel().QueryInformationJobObject(None, _RATE_CONTROL, answer, ctypes.sizeof(answer), None)
    flags, rate = answer
    if not known or flags & (_ENABLED | _HARD_CAP) != _ENABLED | _HARD_CAP:
        return None
    return max(1, rate * (os.cpu_count() or 1) // 10_000)


_INSTRUCTIONS: Final = 1


def cache_bytes(level: int, root: str = _ROOT) -> int:
    """Return the size of the first data cache of a level."""
    for record in _records(_CACHE):
        number, _, _, nbytes, kind = struct.unpack_from("<BBHII", record, 8)
        if number == level and kind != _INSTRUCTIONS:
            return int(nbytes)
    return 0


_FEATURES: Final = {
    "x86_64": {10: "sse2", 36: "ssse3", 37: "sse4_1", 38: "sse4_2", 39: "avx", 40: "avx2", 41: "avx512f"},
    "aarch64": {19: "asimd", 34: "atomics", 43: "asimddp", 46: "sve", 66: "i8mm", 67: "asimdhp", 68: "bf16"},
}
"""Features by the numbers that Windows has for them; of x86-64 it has not all."""


def processor_flags(root: str = _ROOT) -> frozenset[str]:
    """Return the features that Windows tells."""
    has = _kernel().IsProcessorFeaturePresent
    return frozenset(name for number, name in _FEATURES[PROCESSOR].items() if has(number))


_KEY: Final = r"HARDWARE\DESCRIPTION\System\CentralProcessor\0"


def _described(*names: str) -> list[str]:
    """Read what the registry says of the first processor."""
    with IMPORTS:
        import winreg  # late, and of Windows only

    registry: Any = winreg
    texts = []
    for name in names:
        with suppress(OSError), registry.OpenKey(registry.HKEY_LOCAL_MACHINE, _KEY) as key:
            texts.append(str(registry.QueryValueEx(key, name)[0]).strip())
    return texts


def processor_facts(root: str = _ROOT) -> tuple[str, ...]:
    """Return the name, the vendor, the family and the features."""
    texts = _described("ProcessorNameString", "VendorIdentifier", "Identifier")
    return *texts, " ".join(sorted(processor_flags()))


def processor_name(root: str = _ROOT) -> str:
    """Return the name that the registry has."""
    return next(iter(_described("ProcessorNameString")), "")
