# SPDX-License-Identifier: Apache-2.0
"""How many processors this process may use: the affinity mask, the cgroup's quota, and no core twice.

Files are looked for under `root`, so that tests bring their own.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator
from pathlib import Path

ROOT = Path("/")


def usable(root: Path = ROOT) -> int:
    """Threads that can run at once without getting in each other's way, at least one."""
    mask = affinity()
    return max(1, min(_cores(mask, root), quota(root) or len(mask)))


def affinity() -> Collection[int]:
    """The processors that this process may run on."""
    if hasattr(os, "sched_getaffinity"):
        return os.sched_getaffinity(0)
    return range(os.cpu_count() or 1)


def _cores(mask: Collection[int], root: Path) -> int:
    """Physical cores among the processors: two threads of one core share the unit that kernels keep busy."""
    folder = root / "sys/devices/system/cpu"
    return len({_text(folder / f"cpu{number}/topology/thread_siblings_list") or str(number) for number in mask})


def quota(root: Path = ROOT) -> int | None:
    """Whole processors that the cgroup and those around it grant, rounded down, or None without a limit.

    Down, as what exceeds the quota is taken back by stopping all threads for the rest of a period.
    """
    limits = [quota / period for quota, period in _quotas(root) if quota > 0 and period > 0]
    return max(1, int(min(limits))) if limits else None


def _quotas(root: Path) -> Iterator[tuple[float, float]]:
    """Quota and period, in one unit, of each cgroup from this process's own up to the outermost."""
    for line in _text(root / "proc/self/cgroup").splitlines():
        number, _, rest = line.partition(":")
        controllers, _, path = rest.partition(":")
        if number == "0" and not controllers:
            for folder in _upwards(root / "sys/fs/cgroup", path):
                yield _numbers(_text(folder / "cpu.max"))
        elif "cpu" in controllers.split(","):
            for mount in ("cpu", controllers):
                for folder in _upwards(root / "sys/fs/cgroup" / mount, path):
                    yield _numbers(f"{_text(folder / 'cpu.cfs_quota_us')} {_text(folder / 'cpu.cfs_period_us')}")


def _upwards(mount: Path, path: str) -> Iterator[Path]:
    """The folder of a cgroup and those around it, down from the mount; in a container only the last may exist."""
    parts = [part for part in path.split("/") if part not in ("", "..")]
    for count in range(len(parts), -1, -1):
        yield mount.joinpath(*parts[:count])


def _numbers(text: str) -> tuple[float, float]:
    """`quota period`; (0, 0) where there is no limit or no such file."""
    try:
        quota, period = map(float, text.split())
    except ValueError:  # "max 100000", nothing, or something we do not know
        return 0.0, 0.0
    return quota, period


def _text(path: Path) -> str:
    try:
        return path.read_text().strip()
    except OSError:
        return ""
