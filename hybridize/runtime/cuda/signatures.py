# SPDX-License-Identifier: Apache-2.0
"""The functions of the driver that are called: the types of their arguments. All return a number, 0 for success.

Names have the suffix of their version, which the driver's header adds by macros.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from ctypes import POINTER, Structure, c_char, c_char_p, c_int, c_size_t, c_uint, c_uint64, c_void_p
from typing import Any, Final


class UpdateResult(Structure):
    """The reason why an instantiated graph cannot become another one: `CUgraphExecUpdateResultInfo`."""

    _fields_ = (("result", c_int), ("errorNode", c_void_p), ("errorFromNode", c_void_p))


class KernelNode(Structure):
    """A launch in a graph: `CUDA_KERNEL_NODE_PARAMS`, of version 2."""

    _fields_ = (
        ("func", c_void_p), ("gridDimX", c_uint), ("gridDimY", c_uint), ("gridDimZ", c_uint), ("blockDimX", c_uint),
        ("blockDimY", c_uint), ("blockDimZ", c_uint), ("sharedMemBytes", c_uint), ("kernelParams", POINTER(c_void_p)),
        ("extra", c_void_p), ("kern", c_void_p), ("ctx", c_void_p),
    )  # fmt: skip


def _side(name: str) -> tuple[tuple[str, Any], ...]:
    """The fields of what is copied, or of where it goes; the address of the header is named for the device."""
    return (
        (f"{name}XInBytes", c_size_t), (f"{name}Y", c_size_t), (f"{name}Z", c_size_t), (f"{name}LOD", c_size_t),
        (f"{name}MemoryType", c_int), (f"{name}Host", c_void_p), (f"{name}_address", c_uint64),
        (f"{name}Array", c_void_p), (f"{name}Reserved", c_void_p), (f"{name}Pitch", c_size_t),
        (f"{name}Height", c_size_t),
    )  # fmt: skip


class CopyNode(Structure):
    """A copy in a graph: `CUDA_MEMCPY3D`, of version 2."""

    _fields_ = (*_side("src"), *_side("dst"), ("WidthInBytes", c_size_t), ("Height", c_size_t), ("Depth", c_size_t))


_HANDLE: Final = c_void_p
"""A context, a stream, an event, a module, a function, a graph."""
_OUT: Final = POINTER(c_void_p)
_INT: Final = POINTER(c_int)
_ADDRESS: Final = c_uint64
_ADDRESS_OUT: Final = POINTER(c_uint64)
_SIZE_OUT: Final = POINTER(c_size_t)
_TEXT_OUT: Final = POINTER(c_char_p)
_HOST: Final = c_void_p
_TEXT: Final = POINTER(c_char)

SIGNATURES: Final[Mapping[str, Sequence[Any]]] = {
    "cuInit": (c_uint,),
    "cuDriverGetVersion": (_INT,),
    "cuGetErrorName": (c_int, _TEXT_OUT),
    "cuGetErrorString": (c_int, _TEXT_OUT),
    "cuDeviceGet": (_INT, c_int),
    "cuDeviceGetName": (_TEXT, c_int, c_int),
    "cuDeviceGetAttribute": (_INT, c_int, c_int),
    "cuDevicePrimaryCtxRetain": (_OUT, c_int),
    "cuCtxPushCurrent_v2": (_HANDLE,),
    "cuCtxPopCurrent_v2": (_OUT,),
    "cuCtxSynchronize": (),
    "cuMemGetInfo_v2": (_SIZE_OUT, _SIZE_OUT),
    "cuMemAlloc_v2": (_ADDRESS_OUT, c_size_t),
    "cuMemFree_v2": (_ADDRESS,),
    "cuMemHostAlloc": (_OUT, c_size_t, c_uint),
    "cuMemcpyHtoDAsync_v2": (_ADDRESS, _HOST, c_size_t, _HANDLE),
    "cuMemcpyDtoHAsync_v2": (_HOST, _ADDRESS, c_size_t, _HANDLE),
    "cuMemcpyDtoDAsync_v2": (_ADDRESS, _ADDRESS, c_size_t, _HANDLE),
    "cuMemcpyPeerAsync": (_ADDRESS, _HANDLE, _ADDRESS, _HANDLE, c_size_t, _HANDLE),
    "cuCtxEnablePeerAccess": (_HANDLE, c_uint),
    "cuPointerGetAttribute": (_HOST, c_int, _ADDRESS),
    "cuStreamCreate": (_OUT, c_uint),
    "cuStreamSynchronize": (_HANDLE,),
    "cuStreamWaitEvent": (_HANDLE, _HANDLE, c_uint),
    "cuEventCreate": (_OUT, c_uint),
    "cuEventRecord": (_HANDLE, _HANDLE),
    "cuEventSynchronize": (_HANDLE,),
    "cuEventQuery": (_HANDLE,),
    "cuLinkCreate_v2": (c_uint, _INT, _OUT, _OUT),
    "cuLinkAddData_v2": (_HANDLE, c_int, _HOST, c_size_t, _TEXT, c_uint, _INT, _OUT),
    "cuLinkComplete": (_HANDLE, _OUT, _SIZE_OUT),
    "cuLinkDestroy": (_HANDLE,),
    "cuModuleLoadDataEx": (_OUT, _HOST, c_uint, _INT, _OUT),
    "cuModuleUnload": (_HANDLE,),
    "cuModuleGetFunction": (_OUT, _HANDLE, c_char_p),
    "cuFuncGetAttribute": (_INT, c_int, _HANDLE),
    "cuFuncSetAttribute": (_HANDLE, c_int, c_int),
    "cuLaunchKernel": (_HANDLE, *[c_uint] * 7, _HANDLE, _OUT, _OUT),
    "cuGraphCreate": (_OUT, c_uint),
    "cuGraphAddKernelNode_v2": (_OUT, _HANDLE, _OUT, c_size_t, POINTER(KernelNode)),
    "cuGraphAddMemcpyNode": (_OUT, _HANDLE, _OUT, c_size_t, POINTER(CopyNode), _HANDLE),
    "cuGraphInstantiateWithFlags": (_OUT, _HANDLE, c_uint64),
    "cuGraphExecUpdate_v2": (_HANDLE, _HANDLE, POINTER(UpdateResult)),
    "cuGraphLaunch": (_HANDLE, _HANDLE),
    "cuGraphExecDestroy": (_HANDLE,),
    "cuGraphDestroy": (_HANDLE,),
}

COUNTING: Final[Mapping[str, Sequence[Any]]] = {
    "nvmlInit_v2": (),
    "nvmlShutdown": (),
    "nvmlDeviceGetCount_v2": (POINTER(c_uint),),
    "nvmlDeviceGetHandleByIndex_v2": (c_uint, _OUT),
    "nvmlDeviceGetUUID": (_HANDLE, _TEXT, c_uint),
    "nvmlDeviceGetName": (_HANDLE, _TEXT, c_uint),
    "nvmlDeviceGetCudaComputeCapability": (_HANDLE, _INT, _INT),
    "nvmlSystemGetDriverVersion": (_TEXT, c_uint),
}
"""Those of the library that counts."""


def declared(library: Any, signatures: Mapping[str, Sequence[Any]]) -> dict[str, Any]:
    """Return the functions of a library by name, with the types of their arguments.

    Raises:
        AttributeError: the library is older than one of them.
    """
    functions = {}
    for name, types in signatures.items():
        function = getattr(library, name)
        function.argtypes, function.restype = list(types), c_int
        functions[name] = function
    return functions
