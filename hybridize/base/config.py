# SPDX-License-Identifier: Apache-2.0
"""Configuration from the environment, read once at import; tests and tools may set the fields."""

from __future__ import annotations

import os

from hybridize import system
from hybridize.base.errors import ArgumentError
from hybridize.base.frozen import mutable


def _flag(name: str, default: str = "") -> bool:
    return os.environ.get(name, default).strip().lower() not in ("", "0", "false", "no", "off")


def _bytes(name: str, default: int) -> int:
    text = os.environ.get(name, "").strip()
    if text and not text.isdecimal():
        raise ArgumentError("E348", f"{name} must be a number of bytes, got {text!r}")
    return int(text) if text else default


def _is_asynchronous() -> bool:
    engines = {"": False, "NaiveEngine": False, "ThreadedEngine": True, "ThreadedEnginePerDevice": True}
    name = os.environ.get("MXNET_ENGINE_TYPE", "").strip()
    if name not in engines:
        raise ArgumentError("E348", f"MXNET_ENGINE_TYPE takes {', '.join(filter(None, engines))}, got {name!r}")
    return engines[name]


def _device() -> str:
    name = os.environ.get("HYBRIDIZE_DEVICE", "").strip()
    if name not in ("", "cuda", "webgpu", "emulated"):
        what = f"HYBRIDIZE_DEVICE takes cuda or webgpu, got {name!r}"
        raise ArgumentError("E348", what, help="leave it out to compute on the CPU")
    return name


def _cache_folder() -> str:
    named = os.environ.get("HYBRIDIZE_CACHE_DIR", "")
    if named:
        return os.path.abspath(named)
    return system.cache_folder("hybridize")


@mutable
class Configuration:
    """Switches of the whole process."""

    disable: bool = _flag("HYBRIDIZE_DISABLE")
    """Run the user's Python instead of compiled programs (HYBRIDIZE_DISABLE=1)."""
    asynchronous: bool = _is_asynchronous()
    """Let calls return before their programs have run, from the beginning (MXNET_ENGINE_TYPE=ThreadedEngine, or
    ThreadedEnginePerDevice; NaiveEngine, as nothing: do not)."""
    explain: bool = _flag("HYBRIDIZE_EXPLAIN")
    """Print one line to stderr for each recompilation, with its reason (HYBRIDIZE_EXPLAIN=1)."""
    progress: bool = _flag("HYBRIDIZE_PROGRESS", "1")
    """Show on terminals what takes longer than two seconds (HYBRIDIZE_PROGRESS=0: do not)."""
    cache: bool = _flag("HYBRIDIZE_CACHE", "1")
    """Keep machine code on the disk for other processes, and use what they kept (HYBRIDIZE_CACHE=0: do not)."""
    cache_folder: str = _cache_folder()
    """The folder of the disk cache (HYBRIDIZE_CACHE_DIR, else `hybridize` in XDG_CACHE_HOME or in ~/.cache); empty:
    none.
    """
    cache_bytes: int = _bytes("HYBRIDIZE_CACHE_BYTES", 256 << 20)
    """The bytes that it may hold (HYBRIDIZE_CACHE_BYTES)."""
    full_tracebacks: bool = os.environ.get("HYBRIDIZE_TRACEBACK", "").strip().lower() == "full"
    """Keep the frames of this package in tracebacks of errors (HYBRIDIZE_TRACEBACK=full)."""
    check: bool = _flag("CHECK")
    """Verify the graph after every pass (CHECK=1); tests set it."""
    target: str = os.environ.get("HYBRIDIZE_TARGET", "")
    """Name of the target to compile for instead of this machine at its widest: avx512, avx2 or baseline."""
    device: str = _device()
    """The kind of `gpu(0)` (HYBRIDIZE_DEVICE): `cuda`, of NVIDIA's, `webgpu`, of any maker's, `emulated`, which tests
    bring; empty: none.
    """
    device_check: bool = _flag("HYBRIDIZE_DEVICE_CHECK")
    """Wait after each kernel of a device, so that an error names the one that caused it (HYBRIDIZE_DEVICE_CHECK=1)."""
    tf32: bool = _flag("HYBRIDIZE_TF32") or _flag("MXNET_CUDA_TENSOR_OP_MATH_ALLOW_CONVERSION")
    """Let tensor cores of a device multiply float32 as tf32, factors of 11 bits (HYBRIDIZE_TF32=1, or MXNet's
    MXNET_CUDA_TENSOR_OP_MATH_ALLOW_CONVERSION=1).
    """
    machine: str = os.environ.get("HYBRIDIZE_MACHINE", "")
    """The user's choices for this machine, in the words of `machine.choices`: `unroll=2,packs_from=1`, or `table`."""


CONFIG = Configuration()
