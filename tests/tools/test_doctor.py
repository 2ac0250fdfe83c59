"""`hybridize doctor` on machines that are odd, and on one that is not."""

import os
import sys

import pytest

from hybridize.base.config import CONFIG
from hybridize.compiler import identity
from hybridize.runtime.pool import POOL
from hybridize.tools import doctor

LIKED = {
    "numpy": "2.2.0",
    "llvmlite": "0.45.1",
    "ml_dtypes": "0.5.1",
    "typer": "0.16",
    "rich": "14.0",
}
OWN_RANGES = doctor.ranges
RANGES = {"llvmlite": ">=0.45", "torch": "<2.14,>=2.13", "numpy": ">=2"}


@pytest.fixture(autouse=True)
def plain(monkeypatch, tmp_path):
    monkeypatch.setattr(CONFIG, "check", False)  # as users have it; tests set it
    monkeypatch.setitem(doctor._SWITCHES, "HYBRIDIZE_MACHINE", ("", lambda: False))  # the same
    monkeypatch.setattr(CONFIG, "cache", True)
    monkeypatch.setattr(CONFIG, "cache_folder", str(tmp_path / "cache"))
    monkeypatch.setattr(doctor, "ranges", lambda: RANGES)
    monkeypatch.setattr(doctor.system, "affinity", lambda: range(os.cpu_count() or 1))
    monkeypatch.setattr(doctor.system, "cache_bytes", lambda level, root="/": 32768 << level)
    for name in ("processor", "compiler"):  # cached for the process, and not by what is planted here
        monkeypatch.setattr(identity, name, lambda: "this one")
    for name in ("HYBRIDIZE_NUM_THREADS", "HYBRIDIZE_DISABLE"):
        monkeypatch.delenv(name, raising=False)


def report(root="/nowhere", **versions):
    text = doctor.report(str(root), (LIKED | versions).get)
    assert max(map(len, text.splitlines())) <= 80, text
    return text, " ".join(text.split())


def test_nothing_is_odd():
    text, words = report(torch="2.13.0")
    assert text.splitlines()[-1] == "Nothing is odd."
    assert "compiles, and gives NumPy's result" in words
    assert "L1 64 KiB, L2 128 KiB, L3 256 KiB" in words
    assert "torch 2.13.0 (PyTorch modules)" in words
    assert "onnx not installed (hybridize.onnx)" in words


H100, V100 = ("NVIDIA H100", "sm_90"), ("Tesla V100", "sm_70")
NO_GPU = "HYBRIDIZE_DEVICE=cuda, and NVIDIA's driver is missing or shows no GPU to this process run nvidia-smi"
OLD_GPU = "Tesla V100 cannot run kernels for sm_80, the oldest that there are choose others by CUDA_VISIBLE_DEVICES"


@pytest.mark.parametrize(
    ("shown", "device", "says", "odd"),
    [
        ([], "", "GPUs none of NVIDIA's", ""),
        ([], "cuda", "GPUs none", NO_GPU),
        ([H100, ("MIG-1", "")], "", "GPUs NVIDIA H100 (sm_90), MIG-1; driver 550.54; not used, as HYBRIDIZE_DEVICE is not cuda", ""),
        ([H100], "cuda", "GPUs NVIDIA H100 (sm_90); driver 550.54; used", ""),
        ([H100, V100], "cuda", "Tesla V100 (sm_70); driver 550.54; used", OLD_GPU),
    ],
)  # fmt: skip
def test_gpus_are_named_without_their_driver(shown, device, says, odd, monkeypatch):
    monkeypatch.setattr(CONFIG, "device", device)
    monkeypatch.setattr(doctor.counting, "described", lambda: shown)
    monkeypatch.setattr(doctor.counting, "build", lambda: "550.54")
    _, words = report()
    assert says in words and (odd in words if odd else words.endswith("Nothing is odd."))


@pytest.mark.parametrize(
    ("names", "says", "odd"),
    [
        (["Arc A770 (Vulkan)", "llvmpipe (Vulkan)"], "GPUs Arc A770 (Vulkan), llvmpipe (Vulkan); by WebGPU", ""),
        ([], "GPUs none; by WebGPU", "WebGPU shows no GPU to this process install the GPU's driver"),
        (None, "GPUs none", "needs the package wgpu pip install 'hybridize[webgpu]'"),
    ],
)
def test_gpus_of_webgpu_are_named(names, says, odd, monkeypatch):
    monkeypatch.setattr(CONFIG, "device", "webgpu")
    if names is None:
        monkeypatch.setitem(sys.modules, "wgpu", None)
    else:
        monkeypatch.setattr(doctor.webgpu, "described", lambda: names)
    _, words = report()
    assert says in words and (odd in words if odd else words.endswith("Nothing is odd."))


def test_the_cache_folder_cannot_be_written(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setattr(CONFIG, "cache_folder", str(tmp_path / "file" / "cache"))
    _, words = report()
    assert "Not a directory; each process compiles its programs anew" in words
    assert "set HYBRIDIZE_CACHE_DIR to a folder that you alone can write" in words


def test_no_right_to_write(tmp_path, monkeypatch):
    monkeypatch.setattr(doctor.os, "access", lambda path, mode: False)  # root may write everywhere
    monkeypatch.setattr(CONFIG, "cache_folder", str(tmp_path / "own"))
    assert "cannot be written; each process compiles its programs anew" in report()[1]


@pytest.mark.parametrize(
    ("unknown", "problem", "remedy"),
    [
        ("processor", "does not say what processor this is", "mount /proc in this container or chroot"),
        ("compiler", "the compiler's own files are younger than this process", "install hybridize as files"),
    ],
)
def test_records_have_no_names(unknown, problem, remedy, monkeypatch):
    monkeypatch.setattr(identity, unknown, lambda: None)
    _, words = report()
    assert "disk cache: not used: " in words and problem in words
    assert f"each process compiles its programs anew {remedy}" in words


def test_no_home(monkeypatch):
    monkeypatch.setattr(CONFIG, "cache_folder", "")
    assert "disk cache: not used: this user has no home folder: each process compiles its programs anew" in report()[1]


def test_no_cache(monkeypatch):
    monkeypatch.setattr(CONFIG, "cache", False)
    assert "disk cache: HYBRIDIZE_CACHE=0: each process compiles its programs anew" in report()[1]


def test_disabled(monkeypatch):
    monkeypatch.setattr(CONFIG, "disable", True)
    monkeypatch.setenv("HYBRIDIZE_DISABLE", "1")
    _, words = report()
    assert "HYBRIDIZE_DISABLE: every call runs Python, nothing is compiled unset HYBRIDIZE_DISABLE" in words


@pytest.mark.skipif(not POOL.possible(), reason="one thread on this system")
def test_the_affinity_mask_allows_one_processor(monkeypatch):
    monkeypatch.setattr(doctor.os, "cpu_count", lambda: 8)
    monkeypatch.setattr(doctor.system, "affinity", lambda: {3})
    assert "threads: the affinity mask allows 1 of 8 processors start the process without taskset" in report()[1]


@pytest.mark.skipif(not POOL.possible(), reason="one thread on this system")
def test_the_cgroup_grants_one_processor(tmp_path, monkeypatch):
    monkeypatch.setattr(doctor.os, "cpu_count", lambda: 8)
    monkeypatch.setattr(doctor.system, "affinity", lambda: range(8))
    (tmp_path / "proc/self").mkdir(parents=True)
    (tmp_path / "proc/self/cgroup").write_text("0::/\n")
    (tmp_path / "proc/cpuinfo").write_text("model name\t: Some Processor 9000\n")
    (tmp_path / "sys/fs/cgroup").mkdir(parents=True)
    (tmp_path / "sys/fs/cgroup/cpu.max").write_text("150000 100000\n")
    _, words = report(tmp_path)
    assert "the cgroup of this process grants the time of 1 of 8 processors raise the limit of the container" in words
    assert "processor Some Processor 9000" in words


@pytest.mark.skipif(not POOL.possible(), reason="one thread on this system")
@pytest.mark.parametrize(("wish", "odd"), [("many", "is no number of threads"), ("200", "is more than the")])
def test_a_wish_for_threads(monkeypatch, wish, odd):
    monkeypatch.setenv("HYBRIDIZE_NUM_THREADS", wish)
    assert f"HYBRIDIZE_NUM_THREADS={wish} {odd}" in report()[1]


def test_versions_that_do_not_fit():
    _, words = report(llvmlite="0.44.0", torch="2.14.1+cpu")
    assert "llvmlite 0.44.0 is installed, hybridize is made for llvmlite>=0.45 pip install 'llvmlite>=0.45'" in words
    assert "torch 2.14.1+cpu is installed, hybridize is made for torch<2.14,>=2.13" in words


def test_a_package_that_is_missing():
    assert "rich is not installed pip install 'rich'" in report(rich=None)[1]


def test_a_program_that_fails(monkeypatch):
    def broken(function):
        raise RuntimeError("no code for this machine")

    monkeypatch.setattr(doctor, "Function", broken)
    assert "a program: no code for this machine reinstall hybridize and llvmlite" in report()[1]


@pytest.mark.parametrize(
    ("version", "wanted", "fits"),
    [
        ("2.13.0", ">=2.13,<2.14", True),
        ("2.13", ">=2.13.0", True),
        ("2.14.0", ">=2.13,<2.14", False),
        ("2.9.1", ">=2.13", False),
        ("0.5.1rc1", ">=0.5", True),
        ("3", "", True),
    ],
)
def test_ranges(version, wanted, fits):
    assert doctor.fits(version, wanted) is fits


def test_own_ranges_are_read():
    """Of the metadata of this installation, whose `dev` extra pins torch."""
    own = OWN_RANGES()
    assert ">=0.4" in own["llvmlite"]
    assert "<" in own["torch"]
    assert "typer" in own
