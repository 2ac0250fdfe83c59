# SPDX-License-Identifier: Apache-2.0
"""A driver of NVIDIA's that does nothing and says that all went well: what is left of a call is the host's own work.

    use()        the devices of this process are its two GPUs

The three functions that a call of a program needs are machine code that returns 0. So a count of instructions has
nothing of a driver in it, and says nothing of how long one takes.
"""

from __future__ import annotations

import ctypes
import itertools
import mmap
from typing import Any, Final

_NOTHING: Final = bytes.fromhex("31c0c3")
"""`return 0`, on x86-64."""
_QUIET: Final = ("cuCtxPushCurrent_v2", "cuGraphLaunch", "cuCtxPopCurrent_v2")
_OUT: Final = {
    "cuDriverGetVersion": 12040,
    "nvmlDeviceGetCount_v2": 2,
    "cuDevicePrimaryCtxRetain": 1,
    "cuMemAlloc_v2": 1 << 32,
    "cuStreamCreate": 1 << 20,
    "cuModuleGetFunction": 1,
    "cuGraphInstantiateWithFlags": 1 << 24,
    "cuStreamEndCapture": 1,
    "cuEventCreate": 1,
    "cuLinkCreate_v2": 1,
    "cuModuleLoadDataEx": 1,
}
"""What functions write where their first argument points, or the second; memory, streams and graphs are new ones."""


class SilentDriver:
    """The library: its functions are attributes."""

    def __init__(self) -> None:
        self._page = mmap.mmap(-1, mmap.PAGESIZE, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
        self._page.write(_NOTHING)
        self._numbers = itertools.count(1)
        self._kept: list[Any] = []

    def __getattr__(self, name: str) -> Any:
        from hybridize.runtime.cuda.signatures import COUNTING, SIGNATURES

        signatures = {**SIGNATURES, **COUNTING}
        if name not in signatures:
            raise AttributeError(name)
        kind = ctypes.CFUNCTYPE(ctypes.c_int, *signatures[name])
        if name in _QUIET:
            return kind(ctypes.addressof(ctypes.c_char.from_buffer(self._page)))
        function = kind(lambda *args: self._called(name, *args))
        self._kept.append(function)
        return function

    def _called(self, name: str, *args: Any) -> int:
        if name == "cuDeviceGetAttribute":
            args[0][0] = {75: 9, 76: 0}.get(args[1], 0)
        elif name == "cuDeviceGetName":
            ctypes.memmove(args[0], b"silent\0", 7)
        elif name == "cuMemGetInfo_v2":
            args[0][0] = args[1][0] = 1 << 36
        elif name == "cuMemHostAlloc":
            block = ctypes.create_string_buffer(args[1])
            self._kept.append(block)
            args[0][0] = ctypes.addressof(block)
        elif name == "cuLinkComplete":
            self._kept.append(image := ctypes.create_string_buffer(b"image"))
            args[1][0], args[2][0] = ctypes.addressof(image), len(image)
        elif name in _OUT:
            at = next(place for place, one in enumerate(args) if hasattr(one, "contents"))
            step = 1 << 28 if name == "cuMemAlloc_v2" else 64
            is_new = _OUT[name] > 1 << 16
            args[at][0] = _OUT[name] + (step * next(self._numbers) if is_new else 0)
        return 0


def use() -> None:
    """Let the GPUs of this process be of such a driver; nothing has used one yet."""
    from hybridize import system
    from hybridize.base.config import CONFIG

    CONFIG.device = "cuda"
    driver = SilentDriver()
    system.gpu_driver = lambda: driver  # type: ignore[assignment]
    system.gpu_counter = lambda: driver  # type: ignore[assignment]
