# SPDX-License-Identifier: Apache-2.0
"""Machine code of a text of PTX: the driver's compiler makes it, which takes as long as LLVM does, and it is kept.

A file is one of the driver's release and of the GPU's architecture. A driver may refuse the code of a file
nevertheless: then the text is compiled again.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from ctypes import byref, c_int, c_size_t, c_void_p, cast, create_string_buffer, sizeof, string_at
from typing import TYPE_CHECKING, Any, Final

from hybridize.base.digests import digest
from hybridize.base.errors import CodegenError, DeviceError
from hybridize.runtime.cuda.library import NO_IMAGE
from hybridize.runtime.cuda.work import CudaModule
from hybridize.runtime.stores import STORE

if TYPE_CHECKING:
    from hybridize.runtime.cuda.context import CudaContext

_LOG, _LOG_BYTES = 5, 6
"""`CU_JIT_ERROR_LOG_BUFFER` and its size, options of what is linked."""
_PTX: Final = 1
"""`CU_JIT_INPUT_PTX`."""


def module(gpu: CudaContext, text: str, *made_for: str) -> CudaModule:
    """Return the kernels of a text of PTX, which is compiled unless a process did that before.

    Args:
        gpu: where they run.
        text: of PTX.
        made_for: what the code depends on besides: the architecture, the release of the driver.

    Raises:
        CodegenError E907: the driver does not take it.
    """
    parts = ("cubin", *made_for, digest(text.encode()).hex())
    image = STORE.value.find(*parts)
    if image is not None:
        loaded = CudaModule(gpu)
        if loaded.takes(image):
            return loaded
    image = linked(gpu, text)
    STORE.value.keep(image, *parts)
    loaded = CudaModule(gpu)
    if not loaded.takes(image):
        raise gpu.driver.error("cuModuleLoadDataEx", NO_IMAGE)
    return loaded


def linked(gpu: CudaContext, text: str) -> bytes:
    """Return the machine code that the driver makes of a text of PTX.

    Raises:
        CodegenError E907: it does not take the text.
    """
    log, source = create_string_buffer(1 << 14), create_string_buffer(text.encode())
    image, nbytes = c_void_p(), c_size_t()

    def must(name: str, *args: Any) -> None:
        result = gpu.driver.result(name, *args)
        if result:
            raise _refused(gpu, name, result, log.value.decode(errors="replace").strip(), text)

    with gpu.current(), _link(gpu, log) as link:
        must("cuLinkAddData_v2", link, _PTX, source, len(source), None, 0, None, None)
        must("cuLinkComplete", link, byref(image), byref(nbytes))
        return string_at(image, nbytes.value)


@contextmanager
def _link(gpu: CudaContext, log: Any) -> Iterator[c_void_p]:
    """A link of the driver's for the body of a `with`; the code belongs to it, and it writes to `log` meanwhile."""
    options, values, link = (c_int * 2)(_LOG, _LOG_BYTES), (c_void_p * 2)(cast(log, c_void_p), sizeof(log)), c_void_p()
    gpu.call("cuLinkCreate_v2", 2, options, values, byref(link))
    try:
        yield link
    finally:
        gpu.driver.result("cuLinkDestroy", link)


def _refused(gpu: CudaContext, name: str, result: int, words: str, text: str) -> Exception:
    """The error for a text that the driver does not take: what is wrong with it, or with the GPU."""
    error = gpu.driver.error(name, result)
    if not words or isinstance(error, DeviceError):
        return error
    what = f"the driver refuses a module of {len(text.splitlines())} lines: {error.what}\n{words}"
    return CodegenError("E907", what, help="please report it")
