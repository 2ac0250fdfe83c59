# SPDX-License-Identifier: Apache-2.0
"""A GPU: its primary context, one stream of ours, and everything in the order in which it was asked for.

The primary context is the one that PyTorch uses, too: it is never reset, and it is the current one of a thread only
while that calls the driver here, so that the thread's own device stays what it was.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from ctypes import (
    addressof,
    byref,
    c_float,
    c_int,
    c_size_t,
    c_uint64,
    c_void_p,
    create_string_buffer,
    sizeof,
)  # fmt: skip
from typing import Any, Final

from numpy.typing import NDArray

from hybridize.base.config import CONFIG
from hybridize.base.errors import DeviceMemoryError
from hybridize.base.forks import renewed
from hybridize.runtime.cuda.blocks import Blocks
from hybridize.runtime.cuda.library import OUT_OF_MEMORY, Driver, driver
from hybridize.runtime.cuda.staging import PinnedCopies
from hybridize.runtime.cuda.work import CudaEvent, CudaFunction, CudaGraph, CudaModule

_MAJOR, _MINOR = 75, 76
"""Attributes of a GPU: the two numbers of its architecture."""
_BESIDE_OTHERS: Final = 1
"""`CU_STREAM_NON_BLOCKING`: it does not wait for the default stream, on which others work."""
_OF_THIS_THREAD: Final = 1
"""`CU_STREAM_CAPTURE_MODE_THREAD_LOCAL`: what other threads ask of the driver meanwhile is theirs."""


class Gpu:
    """A GPU of NVIDIA's, as an `Accelerator`.

    Args:
        number: of those that `CUDA_VISIBLE_DEVICES` shows.

    Raises:
        DeviceError E709: the driver is missing, too old, or does not start.
    """

    def __init__(self, number: int) -> None:
        self.driver: Driver = driver()
        self.call: Callable[..., None] = self.driver
        """Calls the driver; who uses it has entered the GPU."""
        self.events: list[c_void_p] = []
        """Events that nobody has any more."""
        self.timed_events: list[c_void_p] = []
        self.when_scarce: list[Callable[[], object]] = []
        """Called where memory is short, to drop what can be made again."""
        self._lock = renewed(threading.RLock())
        """Held by who calls the driver: what is asked for together comes together, and graphs record one thread."""
        self._freed: deque[int] = deque()
        self._dropped: deque[tuple[str, c_void_p]] = deque()
        self._recording: list[CudaFunction] | None = None
        device, self._context, self.stream = c_int(), c_void_p(), c_void_p()
        self.call("cuDeviceGet", byref(device), number)
        self.name: str = self._name(device.value)
        self.arch: str = f"sm_{self._attribute(device.value, _MAJOR)}{self._attribute(device.value, _MINOR)}"
        self.call("cuDevicePrimaryCtxRetain", byref(self._context), device)
        self._blocks = Blocks(self._reserve, self._release)
        self._staging = PinnedCopies(self)
        with self.entered() as call:
            call("cuStreamCreate", byref(self.stream), _BESIDE_OTHERS)

    def _name(self, device: int) -> str:
        name = create_string_buffer(256)
        self.call("cuDeviceGetName", name, len(name), device)
        return name.value.decode(errors="replace")

    def _attribute(self, device: int, number: int) -> int:
        value = c_int()
        self.call("cuDeviceGetAttribute", byref(value), number, device)
        return value.value

    # -------------------------------------------------------------------------------------------------- the order

    @contextmanager
    def entered(self) -> Iterator[Callable[..., None]]:
        """Let this thread call the driver, with the GPU's context, in the body of a `with`; the value calls it."""
        with self._lock:
            self.call("cuCtxPushCurrent_v2", self._context)
            try:
                self._tidy()
                yield self.call
            finally:
                self.driver.leave()

    def drop(self, function: str, handle: c_void_p) -> None:
        """Give a handle back by a function of the driver's, when it is called next."""
        self._dropped.append((function, handle))

    def _tidy(self) -> None:
        """Give back what nobody has any more; while a graph is recorded the driver takes nothing."""
        while self._freed:
            self._blocks.give_back(self._freed.popleft())
        while self._dropped and self._recording is None:
            self.call(*self._dropped.popleft())

    def checked(self) -> None:
        """Wait for what was started last, where the user wants to know what fails (`HYBRIDIZE_DEVICE_CHECK`)."""
        if CONFIG.device_check and self._recording is None:
            self.call("cuStreamSynchronize", self.stream)

    # ----------------------------------------------------------------------------------------------------- memory

    def alloc(self, nbytes: int) -> int:
        """Return the address of a block; where memory is short, what can be made again and unused chunks go first."""
        with self.entered():
            address = self._blocks.take(nbytes)
            if address is None:
                for drop in self.when_scarce:
                    drop()
                self._tidy()
                self._shrink()
                address = self._blocks.take(nbytes)
            if address is None:
                free, total = self._memory()
                what = f"{self.name} has no memory for {nbytes} bytes: {free} of {total} are free"
                raise DeviceMemoryError("E706", what, help="drop arrays, or use smaller batches")
            return address

    def free(self, address: int) -> None:
        """Let a block be used again by what is asked for next; any thread may say so, at any moment."""
        self._freed.append(address)

    def empty_cache(self) -> None:
        """Give memory back to the driver that nobody has."""
        with self.entered():
            self._shrink()

    def memory(self) -> tuple[int, int]:
        """Return the bytes that are free, those that this process could use again among them, and all bytes."""
        with self.entered():
            return self._memory()

    def _memory(self) -> tuple[int, int]:
        free, total = c_size_t(), c_size_t()
        self.call("cuMemGetInfo_v2", byref(free), byref(total))
        return free.value + self._blocks.unused, total.value

    def _shrink(self) -> None:
        self.call("cuStreamSynchronize", self.stream)  # what uses the chunks is done
        self._blocks.shrink()

    def _reserve(self, nbytes: int) -> int | None:
        address = c_uint64()
        result = self.driver.result("cuMemAlloc_v2", byref(address), nbytes)
        if result and result != OUT_OF_MEMORY:
            raise self.driver.error("cuMemAlloc_v2", result)
        return None if result else address.value

    def _release(self, address: int) -> None:
        self.call("cuMemFree_v2", address)

    # ----------------------------------------------------------------------------------------------------- copies

    def copy_in(self, address: int, array: NDArray[Any]) -> None:
        """Copy an array to the device."""
        with self.entered():
            self._staging.copy_in(address, array)

    def copy_out(self, address: int, array: NDArray[Any]) -> None:
        """Fill an array, which lies row by row, from the device."""
        with self.entered():
            self._staging.copy_out(address, array)

    def copy(self, to: int, source: int, nbytes: int) -> None:
        """Copy bytes of the device."""
        with self.entered() as call:
            call("cuMemcpyDtoDAsync_v2", to, source, nbytes, self.stream)

    # ------------------------------------------------------------------------------------------------------- work

    def load(self, code: str) -> CudaModule:
        """Compile a text of PTX."""
        return CudaModule(self, code)

    def launch(
        self,
        function: CudaFunction,
        blocks: Sequence[int],
        threads: int | Sequence[int],
        shared_bytes: int,
        arguments: Sequence[int],
    ) -> None:
        """Run a kernel; each argument is read in the size that the kernel declares."""
        sizes = (threads, 1, 1) if isinstance(threads, int) else threads
        values = (c_uint64 * len(arguments))(*arguments)
        with self.entered() as call:
            function.allow(shared_bytes)
            self.driver.recent.append(function.name)
            if self._recording is not None:
                self._recording.append(function)
            call("cuLaunchKernel", function.handle, *blocks, *sizes, shared_bytes, self.stream, _each(values), None)
            self.checked()

    @contextmanager
    def capture(self, graph: CudaGraph | None = None) -> Iterator[CudaGraph]:
        """Record launches and copies of the body of a `with` as a graph, its value.

        Args:
            graph: one that does this from now on in place of what it did; none: a new one.
        """
        graph = graph if graph is not None else CudaGraph(self)
        recorded = c_void_p()
        with self.entered() as call:
            call("cuStreamBeginCapture_v2", self.stream, _OF_THIS_THREAD)
            kernels: list[CudaFunction] = []
            self._recording = kernels
            try:
                yield graph
            except BaseException:
                self._recording = None
                if self.driver.result("cuStreamEndCapture", self.stream, byref(recorded)) == 0 and recorded:
                    call("cuGraphDestroy", recorded)
                raise
            self._recording = None
            call("cuStreamEndCapture", self.stream, byref(recorded))
            graph.take(recorded)
            graph.kernels = kernels

    def event(self, timed: bool = False) -> CudaEvent:
        """Return a place after all that was asked for until now."""
        with self.entered() as call:
            event = CudaEvent(self, timed)
            call("cuEventRecord", event.handle, self.stream)
            return event

    def wait(self, event: CudaEvent | None = None) -> None:
        """Wait for an event, or for everything."""
        with self.entered() as call:
            if event is None:
                call("cuStreamSynchronize", self.stream)
            else:
                call("cuEventSynchronize", event.handle)

    def milliseconds(self, first: CudaEvent, last: CudaEvent) -> float:
        """Return the time between two events that are timed and over."""
        elapsed = c_float()
        with self.entered() as call:
            call("cuEventElapsedTime", byref(elapsed), first.handle, last.handle)
        return elapsed.value


def _each(values: Any) -> Any:
    """The addresses of words, one for each, as the driver takes arguments."""
    return (c_void_p * len(values))(*range(addressof(values), addressof(values) + sizeof(values), 8))
