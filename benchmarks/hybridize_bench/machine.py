# SPDX-License-Identifier: Apache-2.0
"""Describe this machine in words; what it can do is measured by `compiler.limits`."""

from __future__ import annotations

import os
import platform
from collections.abc import Collection, Iterable
from contextlib import suppress
from importlib import metadata
from pathlib import Path

FEATURES = {
    "AVX2": "avx2",
    "AVX-512": "avx512f",
    "VNNI": "avx512_vnni",
    "bf16": "avx512_bf16",
    "fp16": "avx512_fp16",
    "AMX bf16": "amx_bf16",
    "AMX int8": "amx_int8",
    "Neon": "asimd",
    "SVE": "sve",
}
"""Instruction sets that decide how fast a runtime may be, and their flags in Linux."""


def features(flags: Collection[str]) -> str:
    """The instruction sets that matter, of those that a processor has; a processor with AVX-512 may lack AMX.

    >>> features(("avx2", "avx512f", "avx512_vnni")), features(("avx2", "avx512f", "amx_bf16", "amx_int8"))
    ('AVX2, AVX-512, VNNI, no AMX', 'AVX2, AVX-512, AMX bf16, AMX int8')
    """
    found = [name for name, flag in FEATURES.items() if flag in flags]
    if "avx512f" in flags and not any(flag.startswith("amx") for flag in flags):
        found.append("no AMX")
    return ", ".join(found)


def versions(packages: Iterable[str]) -> str:
    """The packages that are installed, with their versions."""
    found = []
    for package in packages:
        with suppress(metadata.PackageNotFoundError):
            found.append(f"{package} {metadata.version(package)}")
    return ", ".join(found)


def describe() -> str:
    """Processor, cores, instruction sets, caches, system, Python, in one line."""
    facts: dict[str, str] = {}
    for line in _text("/proc/cpuinfo").split("\n\n")[0].splitlines():
        key, _, value = line.partition(":")
        facts[key.strip()] = value.strip()
    name = facts.get("model name", platform.processor() or platform.machine())
    version = f" (family {facts['cpu family']} model {facts.get('model', '?')})" if "cpu family" in facts else ""
    flags = facts.get("flags", facts.get("Features", "")).split()
    caches = [
        f"L{_text(folder / 'level')}{'d' if _text(folder / 'type') == 'Data' else ''} {_text(folder / 'size')}"
        for folder in sorted(Path("/sys/devices/system/cpu/cpu0/cache").glob("index*"))
        if _text(folder / "type") != "Instruction"
    ]
    system = (platform.system(), f"Python {platform.python_version()}")
    parts = [name + version, f"{os.cpu_count()} CPUs", features(flags), *caches, *system]
    return ", ".join(part for part in parts if part)


def _text(path: str | Path) -> str:
    try:
        return Path(path).read_text().strip()
    except OSError:  # another system, or a container that hides it
        return ""
