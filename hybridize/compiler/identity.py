# SPDX-License-Identifier: Apache-2.0
"""Identify the compiler and the processor, which a stored program depends on besides its graph.

Both are told without LLVM, and in half a millisecond, as a process that finds its programs on the disk has few of them.
"""

from __future__ import annotations

import os
import struct
import sys
import time
from collections.abc import Collection, Sequence
from functools import cache

import numpy

from hybridize import system
from hybridize.base.digests import digest
from hybridize.system.interruptions import let_through

PARTS = ("base", "graph", "loops", "machine", "ops", "passes", "schedule", "codegen", "compiler", "runtime", "system")
"""The packages that machine code and plans are made by and read by."""
OF_DEVICES = ("codegen/llvm/device", "codegen/wgsl", "runtime/cuda", "runtime/webgpu")
"""Folders in them by which programs of devices alone are made and read."""

_ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
_LOADED = (".py", ".pyc", ".so", ".ll")
"""Endings of files that hold code."""
_LOADED_NS = time.time_ns() - 10**9
"""The compiler is loaded about now; a second is more than it takes from its first module to this one."""


@cache
def compiler() -> str | None:
    """A digest that changes whenever the compiler may have; None where that cannot be told (a package in a zip file).

    The files are not read, which would take ten times as long: any change of one changes the time of its last change,
    which nobody can set, and another installation lies elsewhere.
    """
    return files(_ROOT, PARTS, _LOADED_NS, OF_DEVICES)


@cache
def of_devices() -> str | None:
    """A digest of what the compiler has besides for devices, in the same way."""
    return files(_ROOT, OF_DEVICES, _LOADED_NS)


def files(root: str, parts: Sequence[str], before_ns: int, without: Sequence[str] = ()) -> str | None:
    """A digest of where the modules in folders of `root` lie, the times of their last changes, their numbers and sizes.

    Folders `without` are left out.

    None where there are no folders, and where a file has changed since the time `before_ns`: what this process has
    loaded may then be another compiler than the one that lies there.
    """
    chunks = ["\0".join((root, sys.version, numpy.__version__)).encode()]
    try:
        others = {_path(root, part) for part in without}
        newest = max(_add_files(_path(root, part), chunks, others) for part in parts)
    except OSError as error:
        let_through(error)
        return None
    return digest(b"\0\0".join(chunks)).hex() if newest < before_ns else None


def _path(root: str, part: str) -> str:
    return os.path.join(root, *part.split("/"))


def _add_files(folder: str, chunks: list[bytes], others: Collection[str]) -> int:
    """Add names, times of the last changes, numbers and sizes of files; returns when the last of them changed."""
    files: dict[str, tuple[int, int, int]] = {}
    folders, newest = [], 0
    with os.scandir(folder) as entries:
        for entry in entries:
            name = entry.name
            if name.endswith(_LOADED):
                status = entry.stat()
                files[name] = facts = status.st_ctime_ns, status.st_ino, status.st_size
                if facts[0] > newest:
                    newest = facts[0]
            elif name != "__pycache__" and entry.is_dir():
                folders.append(entry.path)
    names = sorted(files)
    numbers: list[int] = []
    for name in names:
        numbers += files[name]
    # Words of 64 bits: to write so many numbers as text takes as long as to ask for them.
    chunks.append("\0".join([folder, *names, ""]).encode() + struct.pack(f"<{len(numbers)}Q", *numbers))
    for inner in sorted(folders):
        if inner not in others:
            newest = max(newest, _add_files(inner, chunks, others))
    return newest


@cache
def processor() -> str | None:
    """A digest of what the operating system says of the first core; None where it says nothing."""
    facts = system.processor_facts()
    sizes = [system.cache_bytes(1), system.cache_bytes(2)]
    return digest(repr([system.NAME, system.PROCESSOR, sizes, facts]).encode()).hex() if facts else None
