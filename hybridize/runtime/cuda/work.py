# SPDX-License-Identifier: Apache-2.0
"""The work of a GPU: kernels of modules, events between launches, graphs of launches.

Each of them has a handle of the driver's. It may die at any moment, in any thread, so nothing of them calls the driver
then: handles go to a list, and whoever calls the driver next gives them back.
"""

from __future__ import annotations

from collections.abc import Sequence
from ctypes import byref, c_int, c_void_p
from typing import Any, Final

from hybridize.runtime.cuda.context import CudaContext
from hybridize.runtime.cuda.library import NO_IMAGE
from hybridize.runtime.cuda.signatures import CopyNode, KernelNode, UpdateResult

_LOCAL_BYTES, _REGISTERS, _DYNAMIC_BYTES = 3, 4, 8
"""Attributes of kernels."""
_ON_DEVICE: Final = 2
"""`CU_MEMORYTYPE_DEVICE`."""
_COPY: Final = 1 << 30
"""Bytes of a node that copies, at most: the driver has a limit for the pitch, which is below 2 GiB."""
_STATIC_LIMIT: Final = 48 << 10
"""Bytes of dynamic shared memory that a kernel has without asking."""
_UNTIMED: Final = 2
"""`CU_EVENT_DISABLE_TIMING`."""
_OTHER_CODE: Final = frozenset({NO_IMAGE, 209, 222, 223})
"""Results for an image that is none, or one of another architecture, version or driver."""


class CudaFunction:
    """A function of a module."""

    def __init__(self, module: CudaModule, name: str, handle: c_void_p) -> None:
        self.module = module
        """It is there for as long as a kernel of it is."""
        self.name = name
        self.handle = handle
        self.shared_bytes: int = _STATIC_LIMIT
        """The most dynamic shared memory that it was allowed."""

    @property
    def registers(self) -> int:
        """Registers of a thread."""
        return self._attribute(_REGISTERS)

    @property
    def local_bytes(self) -> int:
        """Bytes that a thread has in memory in place of registers."""
        return self._attribute(_LOCAL_BYTES)

    def allow(self, shared_bytes: int) -> None:
        """Let it have so much dynamic shared memory; the GPU is entered."""
        if shared_bytes > self.shared_bytes:
            self.module.gpu.call("cuFuncSetAttribute", self.handle, _DYNAMIC_BYTES, shared_bytes)
            self.shared_bytes = shared_bytes

    def _attribute(self, number: int) -> int:
        value = c_int()
        with self.module.gpu.entered() as call:
            call("cuFuncGetAttribute", byref(value), number, self.handle)
        return value.value


class CudaModule:
    """Kernels by name, of machine code."""

    def __init__(self, gpu: CudaContext) -> None:
        self.gpu = gpu
        self._kernels: dict[str, CudaFunction] = {}
        self._handle = c_void_p()

    def takes(self, image: bytes) -> bool:
        """Load machine code; False where it is none that this driver and this GPU know."""
        with self.gpu.current():
            result = self.gpu.driver.result("cuModuleLoadDataEx", byref(self._handle), image, 0, None, None)
        if result and result not in _OTHER_CODE:
            raise self.gpu.driver.error("cuModuleLoadDataEx", result)
        return not result

    def __getitem__(self, name: str) -> CudaFunction:
        kernel = self._kernels.get(name)
        if kernel is None:
            handle = c_void_p()
            with self.gpu.entered() as call:
                call("cuModuleGetFunction", byref(handle), self._handle, name.encode())
            kernel = self._kernels[name] = CudaFunction(self, name, handle)
        return kernel

    def __del__(self) -> None:
        if self._handle:
            self.gpu.drop("cuModuleUnload", self._handle)


class CudaEvent:
    """A place in the order of the work; others may have had the handle before."""

    def __init__(self, gpu: CudaContext) -> None:
        self._spare = gpu.events
        try:
            self.handle = self._spare.pop()
        except IndexError:
            self.handle = c_void_p()
            gpu.call("cuEventCreate", byref(self.handle), _UNTIMED)

    def __del__(self) -> None:
        if self.handle:
            self._spare.append(self.handle)


class CudaRecording:
    """Launches and copies on their way to a graph, each of which comes after the one before; the GPU is entered.

    It is made node by node. What a stream does could be captured instead; but then, until the end, neither this thread
    nor the collector of garbage in it may free memory of any library's, nor anybody wait for the whole GPU.
    """

    def __init__(self, gpu: CudaContext) -> None:
        self._gpu = gpu
        self.handle = c_void_p()
        gpu.call("cuGraphCreate", byref(self.handle), 0)
        self.kernels: list[CudaFunction] = []
        """Those that are launched."""
        self._last, self._count = c_void_p(), 0
        """The node that was added last, and 1 if there is one."""

    def launch(
        self, function: CudaFunction, blocks: Sequence[int], threads: Sequence[int], shared_bytes: int, arguments: Any
    ) -> None:
        """Add a launch; of the arguments their addresses, which are read at once."""
        node = KernelNode(function.handle, *blocks, *threads, shared_bytes, arguments)
        self._add("cuGraphAddKernelNode_v2", byref(node))
        self.kernels.append(function)

    def copy(self, to: int, source: int, nbytes: int) -> None:
        """Add a copy."""
        for start in range(0, nbytes, _COPY):
            size = min(_COPY, nbytes - start)
            node = CopyNode(WidthInBytes=size, Height=1, Depth=1, src_address=source + start, dst_address=to + start)
            node.srcMemoryType = node.dstMemoryType = _ON_DEVICE
            node.srcPitch = node.dstPitch = size
            node.srcHeight = node.dstHeight = 1
            self._add("cuGraphAddMemcpyNode", byref(node), self._gpu.handle)

    def _add(self, name: str, *params: Any) -> None:
        node = c_void_p()
        self._gpu.call(name, byref(node), self.handle, byref(self._last), self._count, *params)
        self._last, self._count = node, 1

    def end(self) -> None:
        """Give it back."""
        self._gpu.call("cuGraphDestroy", self.handle)


class CudaGraph:
    """Launches and copies that the driver starts as one."""

    name = "a graph"
    """The program, for errors."""

    def __init__(self, gpu: CudaContext) -> None:
        self._gpu = gpu
        self._handle = c_void_p()
        self.kernels: list[CudaFunction] = []
        """They live for as long as the graph does."""

    @property
    def address(self) -> int:
        """The driver's handle."""
        return self._handle.value or 0

    def take(self, recorded: CudaRecording) -> None:
        """Do from now on what was recorded; the GPU is entered.

        Raises:
            DeviceMemoryError E706: there is no memory.
        """
        call = self._gpu.call
        if self._handle:
            reason = UpdateResult()
            result = self._gpu.driver.result("cuGraphExecUpdate_v2", self._handle, recorded.handle, byref(reason))
            if result:  # of other nodes, or what else the driver minds in one that it has, and not in a new one
                call("cuGraphExecDestroy", self._handle)
                self._handle = c_void_p()
        if not self._handle:
            call("cuGraphInstantiateWithFlags", byref(self._handle), recorded.handle, 0)
        self.kernels = recorded.kernels

    def launch(self) -> None:
        """Do all of it, after what was asked for before."""
        gpu = self._gpu
        gpu.starter.note(self.name)
        gpu.start(self._handle)

    def __del__(self) -> None:
        if self._handle:
            self._gpu.drop("cuGraphExecDestroy", self._handle)
