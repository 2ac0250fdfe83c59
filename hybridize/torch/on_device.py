# SPDX-License-Identifier: Apache-2.0
"""PyTorch's tensors on GPUs: their memory as buffers of ours, ours as tensors, and the order of both streams.

PyTorch works in the same context, on its current stream. What a call reads is there when that stream is so far, and
what it writes is there for what PyTorch asks of that stream next. Nobody waits at the host.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, Final

import numpy
import torch

from hybridize.array.device import check_device, gpu
from hybridize.base.dtypes import BY_NAME
from hybridize.runtime import dlpack
from hybridize.runtime.device_buffers import BorrowedMemory, DeviceBuffer, lying_at
from hybridize.runtime.devices import Accelerator

_TAKEN: Final[ContextVar[dict[int, Accelerator] | None]] = ContextVar("_TAKEN", default=None)
"""The devices whose tensors the present call has, by their numbers; None outside of calls."""


def number_of(device: torch.device) -> int:
    """Return the number of a GPU."""
    return torch.cuda.current_device() if device.index is None else device.index


def stream_of(number: int) -> int:
    """Return PyTorch's current stream on a GPU: its address, or the number of CUDA's default one."""
    return int(torch.cuda.current_stream(number).cuda_stream) or dlpack.LEGACY


def buffer_of(tensor: torch.Tensor) -> DeviceBuffer:
    """Return a buffer over the memory of a tensor, whose elements are there for what is asked of the device next.

    Raises:
        DeviceError E702: this process does not use the GPU.
    """
    number = number_of(tensor.device)
    accelerator = dlpack.accelerator_of((dlpack.CUDA, number))
    check_device(gpu(number))
    _wait(accelerator, number)
    dtype = numpy.dtype(BY_NAME[str(tensor.dtype).removeprefix("torch.")])
    strides = tuple(step * dtype.itemsize for step in tensor.stride())
    reach = sum((size - 1) * step for size, step in zip(tensor.shape, strides, strict=True)) if tensor.numel() else 0
    memory = BorrowedMemory(accelerator, tensor.data_ptr(), reach + dtype.itemsize, tensor)
    return lying_at(memory, 0, tuple(tensor.shape), strides, dtype, number)


def tensor_of(buffer: DeviceBuffer) -> torch.Tensor:
    """Return a tensor over the memory of a buffer; what PyTorch asks of its current stream next finds the elements."""
    stream = stream_of(buffer.number)
    buffer.accelerator.lasting.add(stream)  # PyTorch never ends its streams
    return from_capsule(dlpack.exported(buffer, stream, {"max_version": (1, 0)}))


def from_capsule(capsule: Any) -> torch.Tensor:
    """Return the tensor of a capsule."""
    tensor: torch.Tensor = torch.utils.dlpack.from_dlpack(capsule)
    return tensor


@contextmanager
def ordered() -> Iterator[None]:
    """Let PyTorch's streams wait for what the body of a `with` has asked of devices whose tensors it took."""
    if _TAKEN.get() is not None:
        yield
        return
    devices: dict[int, Accelerator] = {}
    before = _TAKEN.set(devices)
    try:
        yield
    finally:
        _TAKEN.reset(before)
        for number, accelerator in devices.items():
            accelerator.precede(stream_of(number))


def _wait(accelerator: Accelerator, number: int) -> None:
    """Let a device wait for PyTorch, once in a call."""
    devices = _TAKEN.get()
    if devices is None or number not in devices:
        accelerator.follow(stream_of(number))
    if devices is not None:
        devices[number] = accelerator
