# SPDX-License-Identifier: Apache-2.0
"""Describe this machine in words; what it can do is measured by `compiler.limits`."""

from __future__ import annotations

import os
import platform
from pathlib import Path


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
