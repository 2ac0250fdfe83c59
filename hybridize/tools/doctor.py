# SPDX-License-Identifier: Apache-2.0
"""`hybridize doctor`: what of this machine is used, what is odd about it, and what to do."""

from __future__ import annotations

import os
import platform
import re
import textwrap
from collections.abc import Callable, Iterator, Mapping
from importlib import metadata

import numpy

import hybridize
from hybridize import system
from hybridize.array import np
from hybridize.base.config import CONFIG
from hybridize.base.errors import DeviceError
from hybridize.base.frozen import frozen
from hybridize.capture import Function
from hybridize.compiler import default_target, disk
from hybridize.runtime import processors, webgpu
from hybridize.runtime.cuda import counting
from hybridize.runtime.pool import POOL, THREADS
from hybridize.system.interruptions import let_through
from hybridize.tools.tables import WIDTH

OPTIONAL = {
    "torch": "PyTorch modules",
    "tensorflow-cpu": "Keras models, tf.function",
    "jax": "functions of JAX",
    "onnx": "hybridize.onnx",
    "ziglang": "libraries without a C compiler, or for other machines",
    "pillow": "images",
    "matplotlib": "plots",
    "starlette": "hybridize serve",
    "mpi4py": "training on several machines",
    "wgpu": "HYBRIDIZE_DEVICE=webgpu",
}
"""Packages that hybridize uses where they are installed, with what they are for."""
REQUIRED = ("numpy", "llvmlite", "ml_dtypes", "typer", "rich")
_LABEL = 16
_SWITCHES: dict[str, tuple[str, Callable[[], bool]]] = {
    "HYBRIDIZE_DISABLE": ("every call runs Python, nothing is compiled", lambda: CONFIG.disable),
    "CHECK": ("the graph is verified after each pass, so compilation is slower", lambda: CONFIG.check),
    "HYBRIDIZE_TARGET": ("code is for that target, which this machine may exceed", lambda: bool(CONFIG.target)),
    "HYBRIDIZE_MACHINE": ("these choices replace measured ones", lambda: bool(CONFIG.machine)),
    "HYBRIDIZE_TRACEBACK": ("tracebacks show the frames of hybridize", lambda: CONFIG.full_tracebacks),
}
_REMEDIES = {
    disk.NO_PROCESSOR: "mount /proc in this container or chroot",
    disk.NO_COMPILER: "install hybridize as files, not in a zip file, and start the process again",
}
"""Of problems of the disk cache that another folder does not mend."""


@frozen
class Checkup:
    """One line of the report: a part of the machine, its state, and what is odd about it with the remedy."""

    part: str
    state: str
    odd: str = ""
    remedy: str = ""


def report(root: str = system.ROOT, version: Callable[[str], str | None] | None = None) -> str:
    """Return the whole report, in lines of at most 80 columns.

    Args:
        root: the folder below which the files of the operating system are.
        version: tells the version of an installed package; None where it is not installed.
    """
    checkups = [*_machine(root), _gpus(), _disk(), *_variables(), *_packages(version or installed), _trial()]
    lines = [line for one in checkups for line in _folded(f"{one.part:<{_LABEL - 2}}  ", one.state)]
    odd = [one for one in checkups if one.odd]
    lines += ["", f"{len(odd)} odd:" if odd else "Nothing is odd."]
    for one in odd:
        lines += _folded("  ! ", f"{one.part}: {one.odd}") + _folded("    ", one.remedy)
    return "\n".join(lines)


def _folded(label: str, text: str) -> list[str]:
    return textwrap.wrap(text, WIDTH, initial_indent=label, subsequent_indent=" " * len(label)) or [label.rstrip()]


def _machine(root: str) -> Iterator[Checkup]:
    """The processor, its units, caches and threads."""
    target = default_target()
    bits = f", {target.vector_bytes * 8} bits at once"
    yield Checkup("processor", f"{_model(root)}, {system.PROCESSOR}; code for {target.name}{bits}")
    sizes = [(level, system.cache_bytes(level, root)) for level in (1, 2, 3)]
    listed = ", ".join(f"L{level} {_size(count)}" for level, count in sizes if count)
    unknown = "" if listed else "the operating system does not tell their sizes, so code is made for common ones"
    yield Checkup("caches", listed or "unknown", unknown, "set HYBRIDIZE_MACHINE=l1_bytes=32768,l2_bytes=524288")
    yield _threads(root)


def _threads(root: str) -> Checkup:
    """Count the threads that programs use, and say what limits them."""
    count, here, allowed = os.cpu_count() or 1, system.affinity(), system.quota(root)
    usable = POOL.team()[2] if POOL.possible() else 1
    state = f"{usable} of {count} logical processors"
    wish = os.environ.get("HYBRIDIZE_NUM_THREADS", "").strip()
    if not POOL.possible():
        return Checkup("threads", state, "programs use one thread: the pool needs Linux on x86-64 or AArch64")
    if wish and not (wish.isdecimal() and 0 < int(wish) <= THREADS):
        odd = f"HYBRIDIZE_NUM_THREADS={wish} is no number of threads"
        return Checkup("threads", state, odd, f"set it to 1 to {THREADS}, or unset it")
    if wish and int(wish) > usable_cores(root):
        odd = f"HYBRIDIZE_NUM_THREADS={wish} is more than the {usable_cores(root)} cores that this process may use"
        return Checkup("threads", state, odd, "unset it; threads beyond the cores wait for each other")
    if allowed is not None and allowed < len(here):
        odd = f"the cgroup of this process grants the time of {allowed} of {len(here)} processors"
        return Checkup("threads", state, odd, "raise the limit of the container (docker run --cpus), if you can")
    if len(here) < count:
        odd = f"the affinity mask allows {len(here)} of {count} processors"
        return Checkup("threads", state, odd, "start the process without taskset or numactl, if you can")
    return Checkup("threads", state)


def usable_cores(root: str) -> int:
    """Return how many cores this process may use."""
    return processors.usable(root)


def _gpus() -> Checkup:
    """The GPUs of WebGPU if they are used; else those of NVIDIA's and their driver, which is not started."""
    if CONFIG.device == "webgpu":
        return _webgpu()
    shown = counting.described()
    state = ", ".join(f"{name} ({arch})" if arch else name for name, arch in shown)
    if not shown:
        if CONFIG.device != "cuda":
            return Checkup("GPUs", "none of NVIDIA's")
        odd = "HYBRIDIZE_DEVICE=cuda, and NVIDIA's driver is missing or shows no GPU to this process"
        return Checkup("GPUs", "none", odd, "run nvidia-smi, and look at CUDA_VISIBLE_DEVICES")
    use = "used" if CONFIG.device == "cuda" else "not used, as HYBRIDIZE_DEVICE is not cuda"
    state = f"{state}; driver {counting.build() or 'unknown'}; {use}"
    old = [name for name, arch in shown if arch and int(arch.removeprefix("sm_")) < counting.OLDEST]
    if CONFIG.device == "cuda" and old:
        odd = f"{', '.join(old)} cannot run kernels for sm_{counting.OLDEST}, the oldest that there are"
        return Checkup("GPUs", state, odd, "choose others by CUDA_VISIBLE_DEVICES, or unset HYBRIDIZE_DEVICE")
    return Checkup("GPUs", state)


def _webgpu() -> Checkup:
    """The GPUs that WebGPU shows."""
    try:
        names = webgpu.described()
    except DeviceError as error:
        return Checkup("GPUs", "none", error.what, error.help or "")
    odd = "" if names else "HYBRIDIZE_DEVICE=webgpu, and WebGPU shows no GPU to this process"
    return Checkup("GPUs", f"{', '.join(names) or 'none'}; by WebGPU", odd, "install the GPU's driver of Vulkan")


def _disk() -> Checkup:
    """The folder where machine code is kept for later processes."""
    folder = disk.folder()
    if folder is None:
        odd = f"{disk.problem() or 'HYBRIDIZE_CACHE=0'}: each process compiles its programs anew"
        return Checkup("disk cache", "off", odd, "unset HYBRIDIZE_CACHE, or set HYBRIDIZE_CACHE_DIR to a folder")
    records = folder.entries()
    contents = f"{len(records):,} records, {_size(sum(one.nbytes for one in records))} of {_size(folder.limit_bytes)}"
    problem = disk.problem()
    return Checkup(
        "disk cache",
        f"{folder.path}: {contents}",
        f"{problem}; each process compiles its programs anew" if problem else "",
        _REMEDIES.get(problem, "set HYBRIDIZE_CACHE_DIR to a folder that you alone can write"),
    )


def _variables() -> Iterator[Checkup]:
    """Variables of the environment that change what programs do."""
    for name, (meaning, is_set) in _SWITCHES.items():
        if is_set():
            value = os.environ.get(name, "")
            yield Checkup(name, value or "set by the program", meaning, f"unset {name}, unless you mean it")


def _packages(version: Callable[[str], str | None]) -> Iterator[Checkup]:
    """Versions: of Python, of what hybridize needs, and of what it uses where it is installed."""
    wanted_ranges = ranges()
    release = f"hybridize {hybridize.__version__}, Python {platform.python_version()}"
    state = ", ".join([release, *(f"{name} {version(name) or 'missing'}" for name in REQUIRED)])
    yield Checkup("versions", state)
    for name in [*REQUIRED, *OPTIONAL]:
        number, wanted = version(name), wanted_ranges.get(_normal(name), "")
        use = OPTIONAL.get(name)
        odd, remedy = "", f"pip install '{name}{wanted}'"
        if number is None:
            odd = "" if use else f"{name} is not installed"
        elif not fits(number, wanted):
            odd = f"{name} {number} is installed, hybridize is made for {name}{wanted}"
        if use is not None:
            yield Checkup(name, f"{number or 'not installed'} ({use})", odd, remedy)
        elif odd:
            yield Checkup(name, number or "not installed", odd, remedy)


def installed(name: str) -> str | None:
    """Return the version of an installed package, None where it is not installed."""
    names = ("tensorflow-cpu", "tensorflow") if name == "tensorflow-cpu" else (name,)
    for one in names:
        try:
            return metadata.version(one)
        except metadata.PackageNotFoundError:
            continue
    return None


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def ranges() -> Mapping[str, str]:
    """Return the range of versions of each package that hybridize was released for, as its metadata say.

    An extra that repeats a package with one exact version, as `dev` does, is no range.
    """
    result: dict[str, str] = {}
    try:
        lines = metadata.requires("hybridize") or []
    except metadata.PackageNotFoundError:  # run from a folder
        lines = []
    for line in lines:
        parsed = re.match(r"([\w.-]+)(?:\[[^]]*\])?\s*([^;]*)", line)
        if parsed and "==" not in parsed[2]:
            result.setdefault(_normal(parsed[1]), parsed[2].strip(" ()"))
    return result


def fits(version: str, wanted: str) -> bool:
    """Tell whether a version is in a range such as `>=2.13,<2.14`."""
    number = _release(version)
    for relation, limit in re.findall(r"(>=|<=|<|>)\s*([\d.]+)", wanted):
        bound = _release(limit)
        same = max(len(number), len(bound))
        a, b = (one + (0,) * (same - len(one)) for one in (number, bound))
        if not {">=": a >= b, "<=": a <= b, "<": a < b, ">": a > b}[relation]:
            return False
    return True


def _release(version: str) -> tuple[int, ...]:
    return tuple(map(int, re.findall(r"\d+", version.partition("+")[0].partition("rc")[0])))


def _trial() -> Checkup:
    """Compile a small program, run it, and compare its result with NumPy's."""
    x = numpy.linspace(-1, 1, 7, dtype=numpy.float32)
    try:
        function = Function(lambda x: np.exp(x) + 1)
        result = function(np.array(x)).asnumpy()
    except Exception as error:
        let_through(error)
        what = " ".join(str(error).split())
        return Checkup("a program", "fails", what, "reinstall hybridize and llvmlite in a new environment")
    if not numpy.allclose(result, numpy.exp(x) + 1, 1e-5):
        return Checkup("a program", "wrong", "its result differs from NumPy's", "report it with this text")
    return Checkup("a program", "is not compiled" if CONFIG.disable else "compiles, and gives NumPy's result")


def _model(root: str) -> str:
    """The name of the processor, as the operating system has it."""
    return system.processor_name(root) or platform.processor() or "unknown"


def _size(count: float) -> str:
    """Bytes in the unit that suits them."""
    for unit in ("B", "KiB", "MiB"):
        if count < 1024:
            return f"{count:.0f} {unit}"
        count /= 1024
    return f"{count:.1f} GiB"
