# SPDX-License-Identifier: Apache-2.0
"""Tensors and arrays over the same memory, and their types."""

from __future__ import annotations

import weakref
from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext
from contextvars import ContextVar
from itertools import chain
from typing import Any, Final

import ml_dtypes
import numpy
import torch
from numpy.typing import NDArray

from hybridize.array.buffer import content_of
from hybridize.array.device import AWAY, cpu, gpu
from hybridize.array.ndarray import ndarray, wrap
from hybridize.base.config import CONFIG
from hybridize.base.dtypes import BY_NAME, DType
from hybridize.base.errors import CaptureError, DeviceError, DTypeError
from hybridize.base.loading import load_module
from hybridize.base.types import TensorType
from hybridize.torch.internals import as_torch, is_overriding

ARGUMENTS: ContextVar[tuple[Any, Mapping[int, torch.Tensor]]] = ContextVar("ARGUMENTS", default=((), {}))
"""Arguments of the call that is being captured, arrays in the place of tensors; these by the identity of those."""
_CPU: Final = torch.device("cpu")
HOME: ContextVar[torch.device] = ContextVar("HOME", default=_CPU)
"""The device of the weights of the module that is called."""
_NOTHING: Final = nullcontext()


def device_of_call() -> torch.device:
    """Return the device on which the program runs that is being captured: that of the tensors of the call, or of the
    weights.
    """
    _, tensors = ARGUMENTS.get()
    with as_torch():
        devices = [tensor.device for tensor in tensors.values()]
    return next((device for device in devices if device.type != "cpu"), HOME.get())


def device_of(module: Any) -> torch.device:
    """Return the device of the weights of a module."""
    if not isinstance(module, torch.nn.Module):
        return _CPU
    first = next(chain(module.parameters(), module.buffers()), None)
    return _CPU if first is None else first.device


def present() -> AbstractContextManager[Any]:
    """Return a context in which new arrays are where the call runs, whichever device is the present one around it."""
    device = device_of_call() if CONFIG.device == "cuda" and uses_gpus() else _CPU
    if device.type == "cuda":
        return gpu(on_device().number_of(device))
    return cpu() if AWAY else _NOTHING


def in_order() -> AbstractContextManager[None]:
    """Return a context in which programs wait for PyTorch's work on GPUs, and that for theirs."""
    ordered: AbstractContextManager[None] = on_device().ordered() if uses_gpus() else _NOTHING
    return ordered


def uses_gpus() -> bool:
    """Tell whether PyTorch has used a GPU in this process."""
    return bool(torch.cuda.is_initialized())  # type: ignore[no-untyped-call]


def on_device() -> Any:
    """Return what knows of tensors on GPUs."""
    return load_module("hybridize.torch.on_device")


def check_class(tensor: torch.Tensor) -> None:
    """See that a tensor is of a class whose functions are torch's.

    Raises:
        CaptureError E420: its class overrides them, or their results are of it.
    """
    kind = type(tensor)
    if kind not in (torch.Tensor, torch.nn.Parameter) and is_overriding(kind):
        raise CaptureError(
            "E420",
            f"a tensor of class {kind.__name__}, which overrides functions of PyTorch",
            help="x.as_subclass(torch.Tensor) is a plain tensor over the same memory",
        )


def as_memory(tensor: torch.Tensor) -> Any:
    """The tensor's elements without a copy: an array of NumPy's, or a buffer of the device that they are on.

    Raises:
        DeviceError E702: the tensor is not a dense one in the computer's memory, or on a GPU that this process uses.
    """
    try:
        array: NDArray[Any] = tensor.numpy()
    except (TypeError, RuntimeError):  # what needs more than a look at its memory
        return _as_memory(tensor)
    return array


def _as_memory(tensor: torch.Tensor) -> Any:
    kind = tensor.device.type
    if kind not in ("cpu", "cuda") or tensor.layout is not torch.strided:
        raise DeviceError(
            "E702",
            f"a tensor on {tensor.device}, layout {tensor.layout}, cannot be read",
            help="move it first: x.cpu(), x.to_dense()",
        )
    tensor = tensor.detach()
    if tensor.is_conj() or tensor.is_neg():
        tensor = tensor.resolve_conj().resolve_neg()
    if kind == "cuda":
        return on_device().buffer_of(tensor)
    if tensor.dtype is torch.bfloat16:
        return tensor.view(torch.int16).numpy().view(ml_dtypes.bfloat16)
    array: NDArray[Any] = tensor.numpy()
    return array


def as_tensor(array: Any) -> torch.Tensor:
    """A NumPy array, or a buffer of a device, as a tensor, without a copy."""
    if type(array) is not numpy.ndarray:
        tensor: torch.Tensor = on_device().tensor_of(array)
        return tensor
    if array.dtype.kind == "V":  # bfloat16, which torch does not know by NumPy's name
        return as_tensor(array.view(numpy.int16)).view(torch.bfloat16)
    return torch.from_numpy(array if array.flags.writeable else _writable(array))


def _writable(array: NDArray[Any]) -> NDArray[Any]:
    """Return a view that NumPy broadcast, and protects, as torch has it, which does not; of what is constant a copy."""
    root = array
    while isinstance(root.base, numpy.ndarray):
        root = root.base
    if not root.flags.writeable:
        return array.copy()
    return numpy.asarray(_Exposed(array))


class _Exposed:
    """The memory of an array, as one that may be written."""

    def __init__(self, array: NDArray[Any]) -> None:
        self._array = array  # which it keeps
        address, _ = array.__array_interface__["data"]
        self.__array_interface__ = {**array.__array_interface__, "data": (address, False)}


_KNOWN: dict[int, tuple[ndarray, weakref.ref[torch.Tensor]]] = {}
"""Arrays of ours over the memory of tensors, by the identity of the array."""


def array_of(tensor: torch.Tensor, array: ndarray | None = None) -> ndarray:
    """Return an array of ours over the memory of a tensor, which `tensor_of` leads back to it; None: a new one."""
    if array is None:
        array = wrap(as_memory(tensor.detach() if tensor.requires_grad else tensor))
    array.storage.exposed = True  # torch writes without a word
    number = id(array)
    _KNOWN[number] = array, weakref.ref(tensor, lambda _: _KNOWN.pop(number, None))
    return array


def tensor_of(array: ndarray) -> torch.Tensor:
    """Return the tensor that an array of ours is over, where it is one's, else a new one."""
    known = _KNOWN.get(id(array))
    tensor = known[1]() if known is not None and known[0] is array else None
    return as_tensor(content_of(array)) if tensor is None else tensor


def dtype_of(dtype: torch.dtype) -> DType:
    """PyTorch's dtype as ours.

    Raises:
        DTypeError E223: we do not compute with it.
    """
    name = str(dtype).removeprefix("torch.")
    if name not in BY_NAME or dtype.is_complex:
        raise DTypeError("E223", f"tensors of {dtype} cannot be part of a program", help="convert it: x.float()")
    return BY_NAME[name]


def type_of(tensor: torch.Tensor) -> TensorType:
    """Type of a tensor of known sizes."""
    return TensorType(tuple(tensor.shape), dtype_of(tensor.dtype))
