# SPDX-License-Identifier: Apache-2.0
"""Count the processors that this process may use (affinity mask, cgroup quota, no core twice); features and caches.

Files are looked for under `root`, so that tests bring their own.
"""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterator
from functools import cache
from typing import Any

import numpy

from hybridize.base.interruptions import let_through
from hybridize.base.x86 import SSE2, X86_V3, X86_V4

ROOT = "/"


def usable(root: str = ROOT) -> int:
    """Threads that can run at once without getting in each other's way, at least one."""
    mask = affinity()
    return max(1, min(_cores(mask, root), quota(root) or len(mask)))


def affinity() -> Collection[int]:
    """The processors that this process may run on."""
    if hasattr(os, "sched_getaffinity"):
        return os.sched_getaffinity(0)
    return range(os.cpu_count() or 1)


def _cores(mask: Collection[int], root: str) -> int:
    """Physical cores among the processors: two threads of one core share the unit that kernels keep busy."""
    files = {number: f"sys/devices/system/cpu/cpu{number}/topology/thread_siblings_list" for number in mask}
    return len({_text(root, file) or str(number) for number, file in files.items()})


def quota(root: str = ROOT) -> int | None:
    """Whole processors that the cgroup and those around it grant, rounded down, or None without a limit.

    Down, as what exceeds the quota is taken back by stopping all threads for the rest of a period.
    """
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


_SHORT = 1 << 14
"""Bytes of a file that are read: more than such files have."""


def _text(root: str, path: str) -> str:
    """The content of a file under `root`, or nothing. Such files are short, and the kernel writes them in one piece."""
    try:
        file = os.open(os.path.join(root, path), os.O_RDONLY | os.O_CLOEXEC)  # `open` asks ten times as much for text
        try:
            return os.read(file, _SHORT).decode(errors="replace").strip()
        finally:
            os.close(file)
    except OSError as error:
        let_through(error)
        return ""


_SYSCONF = {1: 188, 2: 191}
"""Numbers by which glibc tells the size of a data cache, by its level: Python has no names for them."""


def cache_bytes(level: int, root: str = ROOT) -> int:
    """Size of a data cache of the first processor, 0 where nobody tells (containers, other systems)."""
    nbytes = _by_glibc(level) if root == ROOT and level in _SYSCONF else 0
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


_GROUPS = {"X86_V3": X86_V3, "X86_V4": X86_V4, "ASIMD": "asimd", "ASIMDDP": "asimddp"}
"""Features by the words that NumPy tells, which are levels of the x86-64 psABI, or ARM's names."""


@cache
def features(root: str = ROOT) -> frozenset[str]:
    """Features of the first processor by Linux's names, as far as they matter to code; empty where nobody tells.

    NumPy has asked the processor already; only releases that do not tell levels need the operating system.
    """
    core: Any = getattr(getattr(numpy, "_core", None), "_multiarray_umath", None)
    flags = getattr(core, "__cpu_features__", {}) if root == ROOT else {}
    if not _GROUPS.keys() <= flags.keys():
        line = re.search(r"^(?:flags|Features)\s*:(.*)$", _text(root, "proc/cpuinfo"), re.MULTILINE)
        return frozenset(line[1].split() if line else ())
    own = [names for group, names in _GROUPS.items() if flags[group]]
    return frozenset(" ".join(own if flags["ASIMD"] else [SSE2, *own]).split())
