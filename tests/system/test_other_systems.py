"""The ends of macOS and Windows, with planted answers: nothing of them runs here but their own lines."""

import ctypes
import mmap
import os
import struct
import subprocess
import sys
import types

import pytest

from hybridize import system
from hybridize.codegen.llvm.engine import compile_module, host_target
from hybridize.system import linux, macos, windows

# ------------------------------------------------------------------------------------------------------------- macOS

SILICON = {
    "hw.perflevel0.physicalcpu": 4,
    "hw.physicalcpu": 8,
    "hw.perflevel0.l1dcachesize": 131072,
    "hw.l1dcachesize": 65536,
    "hw.perflevel0.l2cachesize": 12 << 20,
    "hw.l2cachesize": 4 << 20,
    "hw.cpufamily": 0x1B588BB3,
    "hw.optional.arm.FEAT_DotProd": 1,
    "hw.optional.arm.FEAT_FP16": 1,
    "hw.optional.arm.FEAT_BF16": 0,
    "hw.optional.arm.AdvSIMD": 1,
    "machdep.cpu.brand_string": "Apple M1",
    "kern.bootsessionuuid": "0A1B-2C3D",
}
INTEL = {
    "hw.physicalcpu": 6,
    "hw.l1dcachesize": 32768,
    "hw.l2cachesize": 262144,
    "hw.l3cachesize": 12 << 20,
    "machdep.cpu.brand_string": "Intel(R) Core(TM) i7-8700B CPU @ 3.20GHz",
    "machdep.cpu.vendor": "GenuineIntel",
    "machdep.cpu.features": "FPU SSE SSE2 SSE4.1 SSE4.2 MOVBE OSXSAVE F16C AVX1.0 FMA",
    "machdep.cpu.leaf7_features": "BMI1 AVX2 BMI2",
    "machdep.cpu.extfeatures": "LZCNT SYSCALL",
}


def answers(table, monkeypatch, processor):
    """Plant a `sysctlbyname` that writes what a Mac would."""

    def ask(name, out, size, new, new_size):
        if name.decode() not in table:
            return -1
        value = table[name.decode()]
        content = (
            value.encode() + b"\0" if isinstance(value, str) else value.to_bytes(4 if value < 1 << 31 else 8, "little")
        )
        if out is not None:
            ctypes.memmove(out, content, len(content))
        size._obj.value = len(content)
        return 0

    monkeypatch.setattr(macos, "_process", lambda: types.SimpleNamespace(sysctlbyname=ask))
    monkeypatch.setattr(macos, "PROCESSOR", processor)


def test_apple_silicon(monkeypatch):
    answers(SILICON, monkeypatch, "aarch64")
    assert macos.cores(range(8)) == 4, "the fast ones"
    assert macos.cores(range(2)) == 2
    assert [macos.cache_bytes(level) for level in (1, 2, 3, 4)] == [131072, 12 << 20, 0, 0]
    assert macos.processor_flags() == {"asimd", "asimddp", "asimdhp"}
    assert macos.processor_name() == "Apple M1"
    assert macos.processor_facts() == ("Apple M1", str(0x1B588BB3), "asimd asimddp asimdhp")
    assert macos.boot_name() == "0A1B-2C3D"
    assert macos.quota() is None


def test_an_intel_mac(monkeypatch):
    answers(INTEL, monkeypatch, "x86_64")
    assert macos.cores(range(12)) == 6
    assert [macos.cache_bytes(level) for level in (1, 2, 3)] == [32768, 262144, 12 << 20]
    assert macos.processor_flags() >= {"avx", "avx2", "fma", "f16c", "bmi1", "bmi2", "movbe", "abm", "sse4_1", "sse4_2"}
    assert any("GenuineIntel" in fact for fact in macos.processor_facts())


def test_a_mac_that_tells_nothing(monkeypatch):
    answers({}, monkeypatch, "aarch64")
    assert (macos.cores(range(8)), macos.cache_bytes(1), macos.processor_name(), macos.boot_name()) == (1, 0, "", "")
    assert macos.processor_flags() == frozenset()


@pytest.mark.parametrize(("answer", "state", "start"), [(136, 2, 5_000_007), (136, 5, -1), (0, 2, 0)])
def test_processes_of_a_mac(monkeypatch, answer, state, start):
    """A running one, one that has ended and not been waited for, and one of another user's, of which nobody tells."""

    def ask(process, kind, argument, out, size):
        assert (process, kind, size) == (os.getpid(), 3, 136)
        ctypes.memmove(out, struct.pack("=II112xQQ", 0, state, 5, 7), 136)
        return answer

    monkeypatch.setattr(macos, "_process", lambda: types.SimpleNamespace(proc_pidinfo=ask))
    assert macos.process_start(os.getpid()) == start


def test_a_process_that_a_mac_does_not_have(monkeypatch):
    monkeypatch.setattr(macos, "_process", lambda: types.SimpleNamespace(proc_pidinfo=lambda *_: 0))
    assert macos.process_start(1 << 30) == -1


def test_the_disk_of_a_mac_is_waited_for(tmp_path, monkeypatch):
    """By its own wish, and where a file system has none by `fsync`."""
    import fcntl

    done, path = [], tmp_path / "file"
    path.write_text("x")
    monkeypatch.setattr(fcntl, "fcntl", lambda file, number: done.append(number))
    monkeypatch.setattr(os, "fsync", lambda file: done.append("fsync"))
    macos.sync(path)
    assert done == [51]

    def refuse(file, number):
        raise OSError(45, "Operation not supported")

    monkeypatch.setattr(fcntl, "fcntl", refuse)
    macos.sync(tmp_path)
    assert done == [51, "fsync"]


def test_a_mac_reserves_bytes(tmp_path, monkeypatch):
    import fcntl

    told = []
    monkeypatch.setattr(
        fcntl, "fcntl", lambda file, number, record: told.append((number, struct.unpack("=Iiqqq", record)))
    )
    file = os.open(tmp_path / "file", os.O_RDWR | os.O_CREAT)
    macos.reserve(file, 5000)
    assert told == [(42, (4, 3, 0, 5000, 0))] and os.fstat(file).st_size == 5000
    os.close(file)


def test_folders_of_caches_elsewhere(monkeypatch):
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setenv("HOME", "/Users/me")
    assert macos.cache_folder("hybridize") == "/Users/me/Library/Caches/hybridize"
    monkeypatch.setenv("LOCALAPPDATA", "C:\\Users\\me\\AppData\\Local")
    folder = windows.cache_folder("hybridize").replace("/", "\\")  # the separator is that of this machine
    assert folder == "C:\\Users\\me\\AppData\\Local\\hybridize\\Cache"


@pytest.mark.parametrize("end", [macos, windows])
def test_what_other_systems_do_not_have(end):
    assert (end.large_memory(1 << 20), end.shared_memory(), end.START_METHOD) == (None, None, "spawn")
    assert not end.HAS_LARGE_PAGES
    assert end.process_space() == end.NAME


# ----------------------------------------------------------------------------------------------------------- Windows


def core(*masks):
    groups = b"".join(struct.pack("<QH6x", mask, group) for group, mask in enumerate(masks))
    return struct.pack("<IIBB20xH", 0, 32 + len(groups), 0, 0, len(masks)) + groups


def cache(level, nbytes, kind):
    return struct.pack("<IIBBHII", 2, 52, level, 8, 64, nbytes, kind) + bytes(32)


CORES = [core(0b11), core(0b1100), core(0, 0b11)]
CACHES = [cache(1, 32768, 1), cache(1, 49152, 2), cache(2, 1 << 20, 0)]


class FakeKernel:
    """kernel32 of a machine of three cores, of which the last is in another group."""

    def __init__(self):
        self.mask, self.rate, self.features, self.error = 0b1111, (0, 0), {40, 41}, 0
        self.processes = {7: (259, 1234), 8: (0, 99)}
        self.closed = []

    def GetLogicalProcessorInformationEx(self, relation, out, size):  # noqa: N802 - Windows' name
        content = b"".join(CORES if relation == 0 else CACHES)
        if out is None:
            size._obj.value = len(content)
            return 0
        ctypes.memmove(out, content, len(content))
        return 1

    def GetCurrentProcess(self):  # noqa: N802
        return -1

    def GetProcessAffinityMask(self, process, mask, whole):  # noqa: N802
        mask._obj.value = self.mask
        return 1

    def QueryInformationJobObject(self, job, kind, out, size, length):  # noqa: N802
        assert (job, kind, size) == (None, 15, 8)
        out[0], out[1] = self.rate
        return 1

    def IsProcessorFeaturePresent(self, number):  # noqa: N802
        return number in self.features

    def OpenProcess(self, rights, inherit, process):  # noqa: N802
        assert rights == 0x1000
        return process if process in self.processes else 0

    def GetExitCodeProcess(self, handle, code):  # noqa: N802
        code._obj.value = self.processes[handle][0]
        return 1

    def GetProcessTimes(self, handle, creation, *others):  # noqa: N802
        ctypes.c_uint64.from_address(creation).value = self.processes[handle][1]
        return 1

    def CloseHandle(self, handle):  # noqa: N802
        self.closed.append(handle)

    def GetComputerNameW(self, name, size):  # noqa: N802
        name.value = "DESK"
        return 1


@pytest.fixture
def kernel(monkeypatch):
    fake = FakeKernel()
    monkeypatch.setattr(windows, "_kernel", lambda: fake)
    monkeypatch.setattr(windows, "_error_number", lambda: fake.error)
    monkeypatch.setattr(windows, "PROCESSOR", "x86_64")
    windows._records.cache_clear()
    yield fake
    windows._records.cache_clear()


def test_processors_of_windows(kernel, monkeypatch):
    assert windows.affinity() == {0, 1, 2, 3}
    assert windows.cores({0, 1, 2, 3}) == 2
    assert windows.cores({1, 2}) == 2
    assert windows.cores({0, 1, 65}) == 2, "in another group"
    kernel.mask = 0
    assert windows.affinity() == range(os.cpu_count())
    assert [windows.cache_bytes(level) for level in (1, 2, 3)] == [49152, 1 << 20, 0]
    assert windows.processor_flags() == {"avx2", "avx512f"}


@pytest.mark.parametrize(
    ("rate", "quota"), [((0, 0), None), ((1, 5000), None), ((4, 5000), None), ((5, 2500), 2), ((5, 100), 1)]
)
def test_the_job_limits_processors(kernel, monkeypatch, rate, quota):
    """Only a hard cap that is on: hundredths of a per cent of all processors."""
    monkeypatch.setattr(os, "cpu_count", lambda: 8)
    kernel.rate = rate
    assert windows.quota() == quota


def test_processes_of_windows(kernel):
    assert (windows.process_start(7), windows.process_start(8)) == (1234, -1)
    kernel.error = 87
    assert windows.process_start(9) == -1, "there is none"
    kernel.error = 5
    assert windows.process_start(9) == 0, "another user's"
    assert kernel.closed == [7, 8]
    assert (windows.host_name(), windows.boot_name()) == ("DESK", "")


def test_files_of_a_folder_of_windows(tmp_path):
    with windows.PrivateFolder(str(tmp_path)) as folder:
        file = folder.open("a", os.O_WRONLY | os.O_CREAT | os.O_EXCL)
        os.write(file, b"1")
        assert folder.is_at(file, "a") and not folder.is_at(file, "absent")
        os.utime(tmp_path / "a", (0, 0))
        folder.touch(file, "a")
        os.close(file)
        assert os.stat(tmp_path / "a").st_mtime > 1e9
        folder.rename("a", "b")
        assert folder.link("b", "c") and folder.link("b", "c")
        folder.remove("b")
        assert [entry.name for entry in folder.scan()] == ["c"]
        with pytest.raises(FileExistsError):
            folder.open("c", os.O_WRONLY | os.O_CREAT | os.O_EXCL)
    with pytest.raises(FileNotFoundError):
        windows.PrivateFolder(str(tmp_path / "absent"))
    (tmp_path / "way").symlink_to(tmp_path)
    with pytest.raises(PermissionError, match="it is a link"):
        windows.PrivateFolder(str(tmp_path / "way"), follow=False)


def test_a_file_that_a_scanner_has_open_is_replaced_a_little_later(tmp_path, monkeypatch):
    (tmp_path / "a").write_text("new")
    (tmp_path / "b").write_text("old")
    tries, replace = [], os.replace

    def shared(old, new):
        tries.append(1)
        if len(tries) < 3:
            raise PermissionError(13, "it is used by another process")
        replace(old, new)

    monkeypatch.setattr(os, "replace", shared)
    with windows.PrivateFolder(str(tmp_path)) as folder:
        folder.rename("a", "b")
    assert (len(tries), (tmp_path / "b").read_text()) == (3, "new")


def test_a_file_that_stays_open_is_an_error(tmp_path, monkeypatch):
    pauses = []

    def refuse(path):
        raise PermissionError(13, "it is used by another process")

    monkeypatch.setattr(os, "unlink", refuse)
    monkeypatch.setattr(windows.time, "sleep", pauses.append)
    with windows.PrivateFolder(str(tmp_path)) as folder, pytest.raises(PermissionError):
        folder.remove("a")
    assert 0.1 < sum(pauses) < 1


def test_a_file_is_waited_for_by_a_descriptor_that_may_write(tmp_path, monkeypatch):
    import fcntl

    modes = []
    monkeypatch.setattr(os, "fsync", lambda file: modes.append(fcntl.fcntl(file, fcntl.F_GETFL) & os.O_ACCMODE))
    (tmp_path / "file").write_text("x")
    windows.sync(tmp_path / "file")
    windows.sync(tmp_path)
    assert modes == [os.O_RDWR]


WINDOWS_FUNCTION = """
define win64cc i64 @sized(i64 %size, i64 %alignment) {
  %many = mul i64 %size, 1000
  %both = add i64 %many, %alignment
  ret i64 %both
}
define i64 @call(ptr %function, i64 %first, i64 %second) {
  %result = call win64cc i64 %function(i64 %first, i64 %second)
  ret i64 %result
}
"""


@pytest.mark.skipif(system.PROCESSOR != "x86_64", reason="code of x86-64")
def test_the_allocator_of_windows_is_called_as_the_standard_says(monkeypatch):
    """(alignment, size) becomes (size, alignment); run here, with Windows' calling convention."""
    loaded = compile_module(WINDOWS_FUNCTION, host_target())
    monkeypatch.setattr(windows, "_address", lambda name: {"_aligned_malloc": loaded.address("sized")}[name])
    monkeypatch.setattr(windows, "pages", linux.pages)
    monkeypatch.setattr(windows, "PROCESSOR", "x86_64")
    windows._aligned_alloc.cache_clear()
    try:
        call = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64)(loaded.address("call"))
        assert call(windows.function_address("aligned_alloc"), 64, 7) == 7064
    finally:
        windows._aligned_alloc.cache_clear()


def test_what_is_freed_is_what_was_aligned(monkeypatch):
    monkeypatch.setattr(windows, "_address", lambda name: name)
    assert windows.function_address("free") == "_aligned_free"
    assert windows.function_address("memcpy") == "memcpy"


def test_pages_of_windows(monkeypatch):
    """Written, then run and read only, then flushed, then freed whole."""
    calls = []

    class Kernel:
        def __getattr__(self, name):
            return lambda *values: calls.append((name, *values)) or 0x5000

    monkeypatch.setattr(windows, "_kernel", Kernel)
    pages = windows.WindowsPages()
    assert pages.new(100) == 0x5000
    pages.make_executable(0x5000, 100)
    pages.give_back(0x5000, 100)
    first, protect, _, flush, free = calls
    assert first == ("VirtualAlloc", None, 100, 0x3000, 0x04)
    assert protect[:4] == ("VirtualProtect", 0x5000, 100, 0x20)
    assert flush[0] == "FlushInstructionCache" and flush[2:] == (0x5000, 100)
    assert free == ("VirtualFree", 0x5000, 0, 0x8000)


# ------------------------------------------------------------------------------------------------- callers, elsewhere


def test_nothing_is_shared_where_a_start_has_no_name(monkeypatch):
    """As on Windows: the caller has the bytes in memory of its own."""
    from hybridize.compiler import disk, shared

    notes = []
    monkeypatch.setattr(disk, "note", notes.append)
    monkeypatch.setattr(system, "boot_name", lambda: "")
    assert shared.mapped("key", mmap.PAGESIZE, lambda memory: True) is None
    assert notes == [
        "nothing is shared with other processes: the operating system does not tell one start of the machine from another"
    ]


def test_the_disk_cache_in_a_folder_by_its_path(tmp_path, monkeypatch):
    """Records are read, replaced, counted and cleared as in a folder by its descriptor."""
    from hybridize.compiler.folder import Folder

    monkeypatch.setattr(system, "PrivateFolder", windows.PrivateFolder)
    monkeypatch.setattr(system, "is_foreign", windows.is_foreign)
    folder = Folder(str(tmp_path / "cache"), 1 << 20)
    assert folder.read("a") is None
    assert folder.write("a", b"one") and folder.write("a", b"two") and folder.write("a", b"three", first=True)
    assert folder.read("a") == b"two"
    assert [(one.name, one.nbytes) for one in folder.entries()] == [("a.image", 3)]
    assert folder.clear() == 3 and folder.entries() == []


def test_a_cache_folder_that_two_systems_share(monkeypatch):
    """Records of a processor are told apart by the system, too, on which code for it has another convention."""
    from hybridize.compiler import identity

    names = set()
    for name in ("linux", "macos", "windows"):
        monkeypatch.setattr(system, "NAME", name)
        names.add(identity.processor.__wrapped__())
    assert len(names) == 3


def test_an_end_for_another_system_is_chosen_by_its_name():
    code = (
        "import sys, types; package = types.ModuleType('hybridize'); package.__path__ = ['hybridize'];"
        "sys.modules['hybridize'] = package; sys.platform = sys.argv[1]; import hybridize.system as s; print(s.NAME)"
    )
    run = [
        subprocess.run([sys.executable, "-c", code, name], capture_output=True, text=True)
        for name in ("darwin", "win32", "linux")
    ]
    assert [done.stdout.strip() for done in run] == ["macos", "windows", "linux"]
