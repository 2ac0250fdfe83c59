# SPDX-License-Identifier: Apache-2.0
"""What this machine is, and what one core of it can do at best, measured."""

from __future__ import annotations

import os
import platform
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np


@dataclass(frozen=True)
class Limits:
    """What one core is seen to do: the machine can do at least this much."""

    l2_gb_per_s: float
    """Reading twice 192 KiB of float32, by BLAS's dot product: 1e9 bytes a second."""
    memory_gb_per_s: float
    """Reading twice 64 MiB in the same way."""
    gflops: float
    """1e9 float32 operations a second that BLAS reaches in a product of two 768 by 768 matrices."""


def best_seconds(function: Callable[[], object], seconds: float) -> float:
    """The least time that one call took, of as many as fit into `seconds`."""
    best, end = float("inf"), time.perf_counter() + seconds
    while (begin := time.perf_counter()) < end:
        function()
        best = min(best, time.perf_counter() - begin)
    return best


def read_gb_per_s(size_bytes: int, seconds: float) -> float:
    """Speed of reading two arrays of `size_bytes`, in 1e9 bytes a second; repeated, because one pass is short."""
    x = np.ones(size_bytes // 4, np.float32)
    y = np.ones(size_bytes // 4, np.float32)
    repeat = max(1, (8 << 20) // size_bytes)

    def read() -> None:
        for _ in range(repeat):
            x.dot(y)

    return 2 * size_bytes * repeat / best_seconds(read, seconds) / 1e9


def measure(seconds: float) -> Limits:
    """Measure each limit for about `seconds`, on the CPU and with the threads this process has."""
    n = 768
    x, y, out = (np.ones((n, n), np.float32) for _ in range(3))
    return Limits(
        l2_gb_per_s=read_gb_per_s(192 << 10, seconds),
        memory_gb_per_s=read_gb_per_s(64 << 20, seconds),
        gflops=2 * n**3 / best_seconds(lambda: np.dot(x, y, out=out), seconds) / 1e9,
    )


def describe() -> str:
    """Processor, cores, caches, system, Python, in one line."""
    facts: dict[str, str] = {}
    for line in _text("/proc/cpuinfo").split("\n\n")[0].splitlines():
        key, _, value = line.partition(":")
        facts[key.strip()] = value.strip()
    name = facts.get("model name", platform.processor() or platform.machine())
    version = f" (family {facts['cpu family']} model {facts.get('model', '?')})" if "cpu family" in facts else ""
    flags = facts.get("flags", "").split()
    widest = next((word for word in ("avx512f", "avx2", "sse4_2") if word in flags), "")
    caches = [
        f"L{_text(folder / 'level')}{'d' if _text(folder / 'type') == 'Data' else ''} {_text(folder / 'size')}"
        for folder in sorted(Path("/sys/devices/system/cpu/cpu0/cache").glob("index*"))
        if _text(folder / "type") != "Instruction"
    ]
    system = (platform.system(), f"Python {platform.python_version()}")
    parts = [name + version, f"{os.cpu_count()} CPUs", widest, *caches, *system]
    return ", ".join(part for part in parts if part)


def _text(path: str | Path) -> str:
    try:
        return Path(path).read_text().strip()
    except OSError:  # another system, or a container that hides it
        return ""
