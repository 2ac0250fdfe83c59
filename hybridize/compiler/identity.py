# SPDX-License-Identifier: Apache-2.0
"""Identify the compiler and the processor, which a stored program depends on besides its graph.

Both are told without LLVM, and in half a millisecond, as a process that finds its programs on the disk has few of them.
"""

from __future__ import annotations

import os
import sys
import time
from functools import cache

import numpy

from hybridize.base.digests import digest
from hybridize.base.interruptions import let_through
from hybridize.runtime.processors import cache_bytes

PARTS = ("base", "graph", "loops", "machine", "ops", "passes", "schedule", "codegen", "compiler", "runtime")
"""The packages that machine code and plans are made by and read by."""

_LOADED_NS = time.time_ns() - 10**9
"""The compiler is loaded about now; a second is more than it takes from its first module to this one."""
_PER_CORE = ("processor", "cpu MHz", "physical id", "siblings", "core id", "cpu cores", "apicid", "initial apicid",
             "bogomips", "BogoMIPS")  # fmt: skip
"""Lines of /proc/cpuinfo that differ between cores or from one moment to the next."""


@cache
def compiler() -> str | None:
    """A digest that changes whenever the compiler may have; None where that cannot be told (a package in a zip file).

    The files are not read, which would take ten times as long: any change of one changes the time of its last change,
    which nobody can set, and another installation lies elsewhere.
    """
    root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    return files(root, PARTS, _LOADED_NS)


def files(root: str, parts: tuple[str, ...], before_ns: int) -> str | None:
    """A digest of where the modules in folders of `root` lie, their sizes and times.

    None where there are no folders, and where a file has changed since the time `before_ns`: what this process has
    loaded may then be another compiler than the one that lies there.
    """
    found = [root, sys.version, numpy.__version__]
    try:
        newest = max(_add_files(os.path.join(root, part), found) for part in parts)
    except OSError as error:
        let_through(error)
        return None
    return digest("\n".join(sorted(found)).encode()).hex() if newest < before_ns else None


def _add_files(folder: str, found: list[str]) -> int:
    """Add what is to be told of each file; returns when the last of them changed."""
    newest = 0
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.name.endswith((".py", ".pyc", ".so")):
                status = entry.stat()
                newest = max(newest, status.st_ctime_ns)
                found.append(f"{entry.path} {status.st_size} {status.st_mtime_ns} {status.st_ctime_ns}")
            elif entry.name != "__pycache__" and entry.is_dir():
                newest = max(newest, _add_files(entry.path, found))
    return newest


@cache
def processor() -> str | None:
    """A digest of what the operating system says of the first core; None where it says nothing."""
    try:
        file = os.open("/proc/cpuinfo", os.O_RDONLY | os.O_CLOEXEC)
        try:
            text = os.read(file, 1 << 14).decode(errors="replace")  # the kernel writes it core by core, as it is read
        finally:
            os.close(file)
    except OSError as error:
        let_through(error)
        return None
    first = text.partition("\n\n")[0].splitlines()
    facts = [line for line in first if line.partition(":")[0].strip() not in _PER_CORE]
    return digest(repr([os.uname().machine, [cache_bytes(1), cache_bytes(2)], facts]).encode()).hex() if facts else None
