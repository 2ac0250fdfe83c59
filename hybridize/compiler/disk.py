# SPDX-License-Identifier: Apache-2.0
"""The disk cache: what this process would compile may have been compiled before by another.

A file is found by a digest of what it was made from, which holds the compiler itself, so that nothing is ever found
that this compiler would not have made. Whatever goes wrong (no home, a full disk, a damaged file) means that there is
no file: the program is compiled, and the file written anew where that is possible.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import Any

from hybridize.base.config import CONFIG
from hybridize.base.digests import digest
from hybridize.base.errors import LoadError
from hybridize.base.frozen import mutable
from hybridize.compiler import identity
from hybridize.compiler.folder import KERNELS, SUFFIX, Folder
from hybridize.runtime import serialization
from hybridize.runtime.stores import STORE

NO_COMPILER = "not used: the compiler's own files are younger than this process, or not to be found"
NO_PROCESSOR = "not used: the operating system does not say what processor this is"
NO_HOME = "not used: this user has no home folder"


@mutable
class DiskInfo:
    """Counts of look-ups on the disk since the start or the last clearing; those of functions are counted apart."""

    hits: int = 0
    misses: int = 0
    damaged: int = 0
    """Records that were there and no good; programs count among the misses, too."""
    read_bytes: int = 0
    written_bytes: int = 0
    problem: str = ""
    """The reason why the folder cannot be used, if it cannot."""


_folders: dict[tuple[str, int], Folder] = {}
_info = DiskInfo()


def folder() -> Folder | None:
    """The folder of the files; None where there shall be none."""
    if not CONFIG.cache or not CONFIG.cache_folder:
        return None
    key = (CONFIG.cache_folder, CONFIG.cache_bytes)
    return _folders.get(key) or _folders.setdefault(key, Folder(*key))


def name(*parts: str | None) -> str | None:
    """The name of the file of what this compiler makes from `parts` on this machine; None where any is not known.

    The machine, not only the target: a folder may be shared, and not every machine runs what another may compile.
    """
    if folder() is None:
        return None
    compiler, processor = identity.compiler(), identity.processor()
    if compiler is None or None in parts:
        compiler = None
        tell(NO_COMPILER)
    if processor is None:
        tell(NO_PROCESSOR)
    if compiler is None or processor is None:
        return None
    return digest(repr((compiler, processor, *parts)).encode()).hex()


def find(name: str | None, classes: Iterable[type], suffix: str = SUFFIX) -> Any:
    """The value that was kept under a name, made of `classes`; None where there is none.

    `suffix` is the kind of file: look-ups of functions are counted by those who ask.
    """
    home = folder()
    if home is None or name is None:
        return None
    content = home.read(name, suffix)
    if content is not None:
        try:
            written_for, value = serialization.load(content, classes)
            if written_for == name:
                _info.hits += suffix == SUFFIX
                _info.read_bytes += len(content)
                return value
            problem = "it is the file of something else"
        except (LoadError, TypeError, ValueError) as error:
            problem = error.what if isinstance(error, LoadError) else str(error)
        _info.damaged += 1
        note(f"{name[:12]} is made anew: {problem}")
    _info.misses += suffix == SUFFIX
    tell(home.problem)
    return None


def keep(name: str | None, value: Any, suffix: str = SUFFIX) -> None:
    """Keep a value for other processes, if that is possible."""
    home = folder()
    if home is None or name is None:
        return
    content = serialization.dump((name, value))
    if home.write(name, content, suffix):
        _info.written_bytes += len(content)
    tell(home.problem)


def info() -> DiskInfo:
    """Counts of now."""
    return DiskInfo(_info.hits, _info.misses, _info.damaged, _info.read_bytes, _info.written_bytes, _info.problem)


def forget_counts() -> None:
    """Begin to count anew; the files stay."""
    global _info
    _info = DiskInfo()


def tell(problem: str) -> None:
    """Say once why the folder is of no use."""
    if problem and problem != _info.problem:
        _info.problem = problem
        note(problem)


def problem() -> str:
    """Return why nothing can be kept, as far as that is known without writing; empty where it can, or shall not be."""
    home = folder()
    if home is None:
        return NO_HOME if CONFIG.cache else ""
    if name() is None:
        return _info.problem
    return "" if home.writable() else home.problem


def note(text: str) -> None:
    """Print a line for those who want to know (HYBRIDIZE_EXPLAIN=1)."""
    if CONFIG.explain:
        print(f"hybridize: disk cache: {text}", file=sys.stderr)


class _Kernels:
    """Keeps what the driver of a device has made of kernels, for the runtime."""

    def find(self, *parts: str) -> bytes | None:
        content = find(name(*parts), (), KERNELS)
        return content if isinstance(content, bytes) else None

    def keep(self, content: bytes, *parts: str) -> None:
        keep(name(*parts), content, KERNELS)


STORE.fill(_Kernels())
