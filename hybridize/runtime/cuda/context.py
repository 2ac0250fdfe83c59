# SPDX-License-Identifier: Apache-2.0
"""The primary context of a GPU, and one stream of ours in it: all work is done in the order in which it was asked for.

PyTorch uses the same context: it is never reset, and it is the current one of a thread only while that calls the driver
here, so that the thread's own device stays what it was.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from ctypes import byref, c_int, c_void_p
from typing import Final

from hybridize.base.config import CONFIG
from hybridize.base.forks import renewed
from hybridize.runtime.cuda.library import Driver
from hybridize.runtime.device_entry import Starter

_BESIDE_OTHERS: Final = 1
"""`CU_STREAM_NON_BLOCKING`: it does not wait for the default stream, on which others work."""


class CudaContext:
    """The context of a device of the driver's, and a stream.

    Args:
        driver: what is called.
        device: the driver's number of it.
    """

    def __init__(self, driver: Driver, device: c_int) -> None:
        self.driver = driver
        self.call: Callable[..., None] = driver
        """Calls the driver; who uses it has entered the context."""
        self.events: list[c_void_p] = []
        """Events that nobody has any more."""
        self._lock = renewed(threading.RLock())
        """Held by who asks for work: what is asked for together comes together, and graphs record one thread."""
        self._dropped: deque[tuple[str, c_void_p]] = deque()
        self.handle, self.stream = c_void_p(), c_void_p()
        self._outside = byref(c_void_p())
        """The place for the context that a thread leaves, which the driver writes."""
        driver.begin("cuDevicePrimaryCtxRetain", byref(self.handle), device)
        self.arriving = c_void_p()
        """A second stream, on which large arrays come from the host while kernels run."""
        with self.current() as call:
            for stream in (self.stream, self.arriving):
                call("cuStreamCreate", byref(stream), _BESIDE_OTHERS)
        self.starter: Starter = driver.starter
        """The words that machine code reads before it starts graphs."""
        self.starter.set(context=self.handle.value or 0, stream=self.stream.value or 0)

    @contextmanager
    def entered(self) -> Iterator[Callable[..., None]]:
        """Let this thread ask for work in the body of a `with`, and no other; the value calls the driver."""
        with self._lock, self.current() as call:
            self.tidy()
            yield call

    @contextmanager
    def current(self) -> Iterator[Callable[..., None]]:
        """Let this thread call the driver in the body of a `with`, while others may, too: to wait, above all."""
        self.call("cuCtxPushCurrent_v2", self.handle)
        try:
            yield self.call
        finally:
            self.driver.pop(self._outside)  # also where the GPU has failed

    def start(self, graph: c_void_p) -> None:
        """Ask for a graph, after what was asked for before: as in `entered`, with nothing around the driver's calls."""
        driver = self.driver
        with self._lock:
            if self.is_untidy or CONFIG.device_check or driver.has_failed:
                with self.current() as call:
                    self.tidy()
                    call("cuGraphLaunch", graph, self.stream)
                    self.checked()
                return
            result = driver.push(self.handle)
            if result:
                raise driver.error("cuCtxPushCurrent_v2", result)
            try:
                result = driver.launch(graph, self.stream)
            finally:
                driver.pop(self._outside)
        if result:
            raise driver.error("cuGraphLaunch", result)

    def drop(self, function: str, handle: c_void_p) -> None:
        """Give a handle back by a function of the driver's, when it is called next."""
        self._dropped.append((function, handle))
        self.starter.set(untidy=1)

    @property
    def is_untidy(self) -> bool:
        """True if there is something to give back."""
        return bool(self._dropped)

    def tidy(self) -> None:
        """Give back what nobody has any more."""
        self.starter.set(untidy=0)  # first: what comes to it meanwhile is seen
        while self._dropped:
            function, handle = self._dropped.popleft()
            if function == "cuModuleUnload":  # nobody promises that the driver waits for kernels of the module
                self.call("cuStreamSynchronize", self.stream)
            self.call(function, handle)

    def checked(self) -> None:
        """Wait for what was started last, where the user wants to know what fails (`HYBRIDIZE_DEVICE_CHECK`)."""
        if CONFIG.device_check:
            self.call("cuStreamSynchronize", self.stream)
