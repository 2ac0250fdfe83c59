# SPDX-License-Identifier: Apache-2.0
"""The machine code of single functions, kept in memory and on the disk: a new program of functions that are known is
linked, not compiled.

What one compilation adds is a *pack*, one file; an index says in which pack a function is. Whoever writes the index
later wins: what another process has added meanwhile is compiled once more. A damaged or missing file means that its
functions are not there.
"""

from __future__ import annotations

import struct
import threading
from collections import OrderedDict
from collections.abc import Iterable, Mapping

import numpy

from hybridize.base.digests import digest
from hybridize.base.forks import renewed
from hybridize.base.frozen import frozen, mutable
from hybridize.codegen.functions import Chunk, CodeStore, FunctionCode, FunctionKey
from hybridize.compiler import disk
from hybridize.compiler.folder import FUNCTIONS as SUFFIX

MEMORY_BYTES = 16 << 20
"""Code kept in memory."""

INDEXED = 4096
"""Functions that the index knows, the latest; a row of it takes `2 * _SHORT` bytes."""

_SHORT = 16
"""Bytes of a digest by which the index knows functions and packs: what it leads to is asked for the rest."""


@mutable
class FunctionCacheInfo:
    """Counts since the start or the last clearing: functions that were there, on the disk among them, and others."""

    hits: int = 0
    from_disk: int = 0
    misses: int = 0
    bytes: int = 0
    """Of code in memory."""


@frozen
class FunctionIndex:
    """The file that says which pack a function is in: short digests of the two in turn, the oldest first."""

    rows: bytes


@frozen
class FunctionPack:
    """The functions that one compilation has added."""

    keys: tuple[FunctionKey, ...]
    functions: tuple[FunctionCode, ...]


_PACK_CLASSES = (FunctionPack, FunctionKey, FunctionCode, Chunk)


class FunctionStore(CodeStore):
    """The code of functions in memory, the least recently used of which goes first, and on the disk."""

    def __init__(self, limit_bytes: int) -> None:
        self.limit_bytes = limit_bytes
        self._lock = renewed(threading.RLock())
        self._functions: OrderedDict[bytes, tuple[FunctionKey, FunctionCode]] = OrderedDict()
        self._info = FunctionCacheInfo()

    def find(self, keys: Iterable[FunctionKey]) -> Mapping[FunctionKey, FunctionCode]:
        keys = list(keys)
        with self._lock:
            code = self._in_memory(keys)
            missing = [key for key in keys if key not in code]
            if missing:
                loaded = self._from_disk(missing)
                self._info.from_disk += len(loaded)
                code |= loaded
            self._info.hits += len(code)
            self._info.misses += len(keys) - len(code)
            return code

    def keep(self, functions: Mapping[FunctionKey, FunctionCode]) -> None:
        if not functions:
            return
        with self._lock:
            self._add(functions)
        pack = FunctionPack(tuple(functions), tuple(functions.values()))
        short = digest(b"".join(key.check for key in functions))[:_SHORT]
        disk.keep(_pack_name(short), pack, SUFFIX)
        rows = b"".join(key.digest[:_SHORT] + short for key in functions)
        disk.keep(_index_name(), FunctionIndex((_index() + rows)[-INDEXED * 2 * _SHORT :]), SUFFIX)

    def info(self) -> FunctionCacheInfo:
        """Counts of now."""
        with self._lock:
            return FunctionCacheInfo(self._info.hits, self._info.from_disk, self._info.misses, self._info.bytes)

    def clear(self) -> None:
        """Forget what is in memory, and begin to count anew."""
        with self._lock:
            self._functions.clear()
            self._info = FunctionCacheInfo()

    def _in_memory(self, keys: Iterable[FunctionKey]) -> dict[FunctionKey, FunctionCode]:
        code = {}
        for key in keys:
            own, function = self._functions.get(key.digest, (None, None))
            if own == key and function is not None:
                self._functions.move_to_end(key.digest)
                code[key] = function
        return code

    def _from_disk(self, keys: Iterable[FunctionKey]) -> dict[FunctionKey, FunctionCode]:
        """Read the packs in which functions are; what else is in them comes to memory, too."""
        rows = _index()
        packs = dict.fromkeys(_pack_of(rows, key.digest[:_SHORT]) for key in keys) if rows else {}
        functions: dict[FunctionKey, FunctionCode] = {}
        for short in packs:
            pack = disk.find(_pack_name(short), _PACK_CLASSES, SUFFIX) if short else None
            if isinstance(pack, FunctionPack):
                functions |= zip(pack.keys, pack.functions, strict=True)
        self._add(functions)
        return {key: functions[key] for key in keys if key in functions}

    def _add(self, functions: Mapping[FunctionKey, FunctionCode]) -> None:
        for key, function in functions.items():
            before = self._functions.pop(key.digest, None)
            if before is not None:
                self._info.bytes -= before[1].nbytes
            self._functions[key.digest] = key, function
            self._info.bytes += function.nbytes
        while self._info.bytes > self.limit_bytes:
            _, (_, function) = self._functions.popitem(last=False)
            self._info.bytes -= function.nbytes


FUNCTIONS = FunctionStore(MEMORY_BYTES)
"""The functions of the process."""


def _pack_name(short: bytes) -> str | None:
    return disk.name("functions", short.hex())


def _index_name() -> str | None:
    return disk.name("index of functions")


def _index() -> bytes:
    """The rows of the index; none where there is no good one."""
    index = disk.find(_index_name(), [FunctionIndex], SUFFIX)
    return index.rows if isinstance(index, FunctionIndex) and len(index.rows) % (2 * _SHORT) == 0 else b""


def _pack_of(rows: bytes, short: bytes) -> bytes:
    """The pack that the last row of a function names; nothing where it has none."""
    words = numpy.frombuffer(rows, "<u8").reshape(-1, 4)
    first, second = struct.unpack("<2Q", short)
    places = numpy.flatnonzero((words[:, 0] == first) & (words[:, 1] == second))
    return words[places[-1], 2:].tobytes() if len(places) else b""
