"""How many processors there are to use: affinity, physical cores, quotas of cgroups of both versions."""

import os
import subprocess
import sys

import numpy
import pytest

from hybridize import system
from hybridize.codegen.levels import runnable
from hybridize.runtime import pool, processors
from hybridize.system import linux


def write(root, files):
    for path, text in files.items():
        target = root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text + "\n", newline="\n")


TREE = "sys/fs/cgroup"
V1 = "4:memory:/a\n3:cpu,cpuacct:/a/b\n0::/"


@pytest.mark.parametrize(
    ("files", "quota"),
    [
        ({}, None),
        ({"proc/self/cgroup": "0::/a/b", f"{TREE}/a/b/cpu.max": "max 100000"}, None),
        ({"proc/self/cgroup": "0::/a/b", f"{TREE}/a/b/cpu.max": "300000 100000"}, 3),
        ({"proc/self/cgroup": "0::/a/b", f"{TREE}/a/b/cpu.max": "max 100000", f"{TREE}/a/cpu.max": "250000 100000"}, 2),
        ({"proc/self/cgroup": "0::/a", f"{TREE}/a/cpu.max": "50000 100000"}, 1),
        ({"proc/self/cgroup": "0::/../..", f"{TREE}/cpu.max": "400000 200000"}, 2),
        ({"proc/self/cgroup": "0::/not/there", f"{TREE}/cpu.max": "400000 100000"}, 4),
        ({"proc/self/cgroup": "0::/a", f"{TREE}/a/cpu.max": "nonsense"}, None),
        (
            {
                "proc/self/cgroup": V1,
                f"{TREE}/cpu/a/b/cpu.cfs_quota_us": "200000",
                f"{TREE}/cpu/a/b/cpu.cfs_period_us": "100000",
            },
            2,
        ),
        (
            {
                "proc/self/cgroup": V1,
                f"{TREE}/cpu,cpuacct/cpu.cfs_quota_us": "500000",
                f"{TREE}/cpu,cpuacct/cpu.cfs_period_us": "100000",
            },
            5,
        ),
        (
            {
                "proc/self/cgroup": V1,
                f"{TREE}/cpu/a/b/cpu.cfs_quota_us": "-1",
                f"{TREE}/cpu/a/b/cpu.cfs_period_us": "100000",
            },
            None,
        ),
    ],
)
def test_quota(tmp_path, files, quota):
    write(tmp_path, files)
    assert system.quota(str(tmp_path)) == quota


def test_threads_of_one_core_count_once(tmp_path, monkeypatch):
    monkeypatch.setattr(system, "affinity", lambda: {0, 1, 2, 5})
    assert processors.usable(str(tmp_path)) == 4
    folder = "sys/devices/system/cpu/cpu{}/topology/thread_siblings_list"
    write(tmp_path, {folder.format(n): siblings for n, siblings in ((0, "0-1"), (1, "0-1"), (2, "2,5"), (5, "2,5"))})
    assert processors.usable(str(tmp_path)) == 2


def test_the_quota_bounds_the_affinity(tmp_path, monkeypatch):
    monkeypatch.setattr(system, "affinity", lambda: set(range(8)))
    write(tmp_path, {"proc/self/cgroup": "0::/", f"{TREE}/cpu.max": "300000 100000"})
    assert processors.usable(str(tmp_path)) == 3


@pytest.mark.parametrize(
    ("mask", "limit", "threads"),
    [
        ({0, 63, 64, 65, 127, 300}, "max 100000", 6),
        (set(range(128)), "max 100000", 64),
        (set(range(64, 192)), "1200000 100000", 12),
        (set(range(1024)), "max 100000", 512),
    ],
)
def test_hosts_of_more_than_64_processors(tmp_path, monkeypatch, mask, limit, threads):
    """Two processors of each core, 64 apart as servers number them, where the host has so many."""
    monkeypatch.setattr(system, "affinity", lambda: mask)
    folder = "sys/devices/system/cpu/cpu{}/topology/thread_siblings_list"
    if len(mask) >= 128:
        write(tmp_path, {folder.format(n): f"{n & ~64},{n | 64}" for n in mask})
    write(tmp_path, {"proc/self/cgroup": "0::/pod", f"{TREE}/pod/cpu.max": limit})
    assert processors.usable(str(tmp_path)) == threads
    workers = pool.Pool()
    monkeypatch.setattr(workers, "_usable", lambda: threads)
    assert workers.slots() == (min(threads, pool.THREADS) if workers.possible() else 1)


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="no affinity here")
def test_affinity_is_heeded():
    one = min(os.sched_getaffinity(0))
    code = f"import os; os.sched_setaffinity(0, {{{one}}}); from hybridize.runtime import processors; print(processors.usable())"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "1"


V3 = "fpu sse sse2 avx avx2 bmi1 bmi2 f16c fma abm movbe xsave"
V4 = f"{V3} avx512f avx512bw avx512cd avx512dq avx512vl"


@pytest.mark.skipif("baseline" not in runnable(), reason="levels are of x86-64")
@pytest.mark.parametrize(
    ("flags", "levels"),
    [
        (V4, ("avx512", "avx2", "baseline")),
        (V3, ("avx2", "baseline")),
        (V4.replace(" avx512vl", ""), ("avx2", "baseline")),
        (V4.replace(" bmi2", ""), ("baseline",)),
        ("fpu sse sse2", ("baseline",)),
        (None, ("baseline",)),
    ],
)
def test_levels_by_the_flags_of_the_first_processor(tmp_path, flags, levels):
    if flags is not None:
        write(tmp_path, {"proc/cpuinfo": f"processor\t: 0\nflags\t\t: {flags}\nbugs\t\t:\n\nflags\t\t: {V4}"})
    assert runnable(str(tmp_path)) == levels


@pytest.mark.parametrize("words", ["fp asimd evtstrm aes crc32 atomics asimddp", "fp asimd", ""])
def test_features_of_arm(tmp_path, words):
    """Linux calls the line otherwise there."""
    write(tmp_path, {"proc/cpuinfo": f"processor\t: 0\nBogoMIPS\t: 50.00\nFeatures\t: {words}\nCPU part\t: 0xd08\n"})
    assert processors.features(str(tmp_path)) == frozenset(words.split())


CORE = "processor\t: {}\nBogoMIPS\t: 50.00\nFeatures\t: fp asimd\nCPU implementer\t: {}\nCPU architecture: 8\nCPU variant\t: 0x4\nCPU part\t: {}\nCPU revision\t: 1\n\n"


@pytest.mark.parametrize(
    ("cores", "name"),
    [
        ([("0x41", "0xd0c")] * 80, "Neoverse-N1"),
        ([("0x41", "0xd4f")], "Neoverse-V2"),
        ([("0x41", "0xd03")] * 4, "Cortex-A53"),
        ([("0x41", "0xd05")] * 4 + [("0x41", "0xd0b")] * 4, "Cortex-A55 + Cortex-A76"),
        ([("0x61", "0x022"), ("0x61", "0x023")] * 4, "Apple M1 (Icestorm) + Apple M1 (Firestorm)"),
        ([("0xc0", "0xac3")], "Ampere-1"),
        ([("0x41", "0xfff")], "AArch64 processor of implementer 0x41, part 0xfff"),
        ([("0x7f", "0x001")], "AArch64 processor of implementer 0x7f, part 0x001"),
        ([("many", "0xd0c")], ""),
        ([], ""),
    ],
)
def test_names_of_arm(tmp_path, cores, name):
    """Each kind of core once, by the numbers that Linux has in place of a name."""
    write(tmp_path, {"proc/cpuinfo": "".join(CORE.format(number, *core) for number, core in enumerate(cores))})
    assert linux.processor_name(str(tmp_path)) == name


def test_cores_that_tell_half_of_their_numbers(tmp_path):
    """The part of the next core is not that of this one."""
    half = CORE.format(0, "0x61", "0x022").replace("CPU part\t: 0x022\n", "")
    write(tmp_path, {"proc/cpuinfo": half + CORE.format(1, "0x41", "0xd0c")})
    assert linux.processor_name(str(tmp_path)) == "Neoverse-N1"


@pytest.mark.parametrize(
    ("told", "found"), [("ASIMD", {"asimd"}), ("X86_V3", set(processors.X86_V3.split())), ("", {"sse2"})]
)
def test_features_that_numpy_tells(monkeypatch, told, found):
    words = dict.fromkeys(("X86_V3", "X86_V4", "ASIMD", "ASIMDDP"), False)
    monkeypatch.setattr(
        numpy._core._multiarray_umath, "__cpu_features__", words | dict.fromkeys([told] * bool(told), True)
    )
    assert processors.features.__wrapped__() == found


def test_levels_are_what_llvm_says():
    import llvmlite.binding as llvm

    host = {name for name, present in llvm.get_host_cpu_features().items() if present}
    wanted = {"avx512": "avx512f avx512bw avx512cd avx512dq avx512vl", "avx2": "avx2 fma f16c bmi2", "baseline": "sse2"}
    levels = tuple(level for level, names in wanted.items() if host.issuperset(names.split()))
    assert runnable() == levels
    assert runnable(os.path.join(system.ROOT, ".")) == levels, "by the operating system, not by NumPy"


def cache(index, kind, level, size):
    folder = f"sys/devices/system/cpu/cpu0/cache/index{index}"
    return {f"{folder}/type": kind, f"{folder}/level": level, f"{folder}/size": size}


@pytest.mark.parametrize(
    ("files", "sizes"),
    [
        ({}, (0, 0)),
        (
            cache(0, "Data", "1", "48K") | cache(1, "Instruction", "1", "32K") | cache(2, "Unified", "2", "2048K"),
            (48 << 10, 2 << 20),
        ),
        (cache(0, "Instruction", "1", "64K") | cache(1, "Data", "1", "16K"), (16 << 10, 0)),
        (cache(0, "Data", "1", "nonsense") | cache(3, "Unified", "2", "K"), (0, 0)),
    ],
)
def test_caches_by_the_operating_system(tmp_path, files, sizes):
    write(tmp_path, files)
    assert tuple(system.cache_bytes(level, str(tmp_path)) for level in (1, 2)) == sizes


def test_a_c_library_that_does_not_tell_caches(monkeypatch):
    def refuse(number):
        raise OSError(22, "Invalid argument")

    told = [system.cache_bytes(level) for level in (1, 2)]
    monkeypatch.setattr(os, "sysconf", refuse)
    files = [system.cache_bytes(level) for level in (1, 2)]
    assert all(size in (0, known) for size, known in zip(files, told, strict=True))
