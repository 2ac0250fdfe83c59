# SPDX-License-Identifier: Apache-2.0
"""Arrays in the memory of a device: type, sizes and place of the elements, and the copies that bring them to the host.

A buffer says of itself what NumPy's arrays say; elements are read and written by whole copies alone. Who computes with
them runs a program where they are.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Final, NoReturn

import numpy
from numpy.lib.stride_tricks import as_strided
from numpy.typing import NDArray

from hybridize.base.errors import DeviceError, InternalError
from hybridize.base.hooks import Hook
from hybridize.base.types import TensorType
from hybridize.runtime.devices import Accelerator, check_fork, is_inherited

_ORIGIN: Final = numpy.zeros(16, numpy.uint8)
"""The bytes over which layouts lie: they are arrays of NumPy's for what they say, and their elements stay unread."""
_START: Final[int] = _ORIGIN.__array_interface__["data"][0]


def _nobody(source: DeviceBuffer, to: DeviceBuffer) -> None:
    raise InternalError("E918", "nobody has loaded the kernels that copy views of devices")


STRIDED: Final[Hook[Callable[[DeviceBuffer, DeviceBuffer], None]]] = Hook(_nobody)
"""Copies elements that lie in other strides, of one dtype and shape, on one device, to where none of them lies."""


class DeviceMemory:
    """Bytes of a device, which are free again when nobody has a buffer of them."""

    __slots__ = ("__weakref__", "accelerator", "address", "nbytes")

    def __init__(self, accelerator: Accelerator, nbytes: int) -> None:
        self.accelerator: Accelerator = accelerator
        self.nbytes: int = nbytes
        self.address: int = accelerator.alloc(max(nbytes, 1))

    def exchange(self, other: DeviceMemory) -> None:
        """Let two memories of one device and one size have each other's bytes, for all buffers over them."""
        self.address, other.address = other.address, self.address

    def __del__(self, is_inherited: Callable[[Accelerator], bool] = is_inherited) -> None:
        if hasattr(self, "address") and not is_inherited(self.accelerator):
            self.accelerator.free(self.address)


class DeviceBuffer:
    """Elements of one type in the memory of a device: an `array.buffer.ArrayBuffer`.

    Args:
        memory: whose bytes they are.
        layout: an array of NumPy's that lies as the elements do, `_ORIGIN` being the first byte of the memory.
        number: of the device.
    """

    __slots__ = ("__weakref__", "_layout", "base", "number")

    def __init__(self, memory: DeviceMemory, layout: NDArray[Any], number: int) -> None:
        self._layout = layout
        self.base: DeviceMemory = memory
        """The memory: the owner that all views of it share."""
        self.number: int = number

    # ------------------------------------------------------------------------------------------------- what it is

    @property
    def shape(self) -> tuple[int, ...]:
        """Sizes of the axes."""
        return self._layout.shape

    @property
    def dtype(self) -> Any:
        """Element type."""
        return self._layout.dtype

    @property
    def strides(self) -> tuple[int, ...]:
        """Bytes from one element to the next, along each axis."""
        return self._layout.strides

    @property
    def ndim(self) -> int:
        """Number of axes."""
        return self._layout.ndim

    @property
    def size(self) -> int:
        """Number of elements."""
        return self._layout.size

    @property
    def nbytes(self) -> int:
        """Bytes of the elements."""
        return self._layout.nbytes

    @property
    def itemsize(self) -> int:
        """Bytes of an element."""
        return self._layout.itemsize

    @property
    def flags(self) -> Any:
        """NumPy's flags of such an array: `c_contiguous`, ..."""
        return self._layout.flags

    @property
    def device(self) -> str:
        """The device."""
        return f"gpu({self.number})"

    @property
    def accelerator(self) -> Accelerator:
        """The device itself, of this process.

        Raises:
            DeviceError E708: the process that this one was forked from has made the buffer.
        """
        if is_inherited(self.base.accelerator):
            check_fork()
        return self.base.accelerator

    @property
    def address(self) -> int:
        """The address of the first element, for the device."""
        return self.base.address + self._offset

    @property
    def _offset(self) -> int:
        start: int = self._layout.__array_interface__["data"][0]
        return start - _START

    def _span(self) -> tuple[int, int]:
        """The bytes of the memory from the first that an element has to the last, which is not among them."""
        if not self.size:
            return 0, 0
        reach = [(size - 1) * stride for size, stride in zip(self.shape, self.strides, strict=True)]
        low = sum(step for step in reach if step < 0)
        return self._offset + low, self._offset + sum(reach) - low + self.itemsize

    @property
    def bounds(self) -> tuple[int, int]:
        """The addresses of the first byte that an element has, and of the one behind the last."""
        first, last = self._span()
        return self.base.address + first, self.base.address + last

    def overlaps(self, other: object) -> bool:
        """Tell whether two buffers may have an element in common: the bytes between their ends do."""
        if not isinstance(other, DeviceBuffer) or other.base is not self.base:
            return False
        (first, last), (start, end) = self._span(), other._span()
        return first < end and start < last

    # --------------------------------------------------------------------------------------------------- elements

    def __getitem__(self, key: Any, /) -> DeviceBuffer:
        """Return a view of elements at a basic key."""
        key = key if isinstance(key, tuple) else (key,)
        part = self._layout[key if any(one is Ellipsis for one in key) else (*key, Ellipsis)]
        return DeviceBuffer(self.base, part, self.number)

    def __setitem__(self, key: Any, value: Any, /) -> None:
        """Write elements at a basic key: numbers, an array of NumPy's, or a buffer, whichever device has it."""
        part = self[key]
        if not isinstance(value, DeviceBuffer):
            part._write(value)
        elif value.base.accelerator is not self.accelerator:
            part._write(value.to_host())
        elif value.dtype != self.dtype:
            raise TypeError(f"elements of {value.dtype} are written as {self.dtype}")
        else:
            part._copy_of(value)

    def _copy_of(self, source: DeviceBuffer) -> None:
        """Copy elements of the same device, which are repeated along axes of size 1."""
        source = source.laid(numpy.broadcast_to(source.layout, self.shape))
        if not self.size:
            return
        if self.overlaps(source):
            source = source.copy()
        if self.flags.c_contiguous and source.flags.c_contiguous:
            self.accelerator.copy(self.address, source.address, self.nbytes)
        else:
            STRIDED.value(source, self)

    def _write(self, values: Any) -> None:
        if self.flags.c_contiguous:
            whole = numpy.empty(self.shape, self.dtype)
            whole[...] = values
            if whole.nbytes:
                self.accelerator.copy_in(self.address, whole)
            return
        whole = numpy.asarray(values)
        numpy.broadcast_to(whole, self.shape)  # raises where they do not fit
        few = numpy.empty(whole.shape[max(whole.ndim - self.ndim, 0) :], self.dtype)
        few[...] = whole
        self._copy_of(sent(few, self.base.accelerator, self.number))

    def to_host(self) -> NDArray[Any]:
        """Return a copy of the elements at the host, once they are written."""
        if not self.flags.c_contiguous:
            return self.copy().to_host()
        values = numpy.empty(self.shape, self.dtype)
        if values.nbytes:
            self.accelerator.copy_out(self.address, values)
        return values

    def part(self, start: int, shape: tuple[int, ...], dtype: Any) -> DeviceBuffer:
        """Return a buffer of the bytes from one of these on, row by row; these are bytes that lie in order."""
        kind = numpy.dtype(dtype)
        layout = self._layout[start : start + math.prod(shape) * kind.itemsize].view(kind).reshape(shape)
        return DeviceBuffer(self.base, layout, self.number)

    def copied_to(self, accelerator: Accelerator, number: int) -> DeviceBuffer:
        """Return a copy of the elements, row by row, in the memory of a device."""
        copied = new_buffer(accelerator, number, self.shape, self.dtype)
        copied[...] = self
        return copied

    def copy(self, order: str = "C") -> DeviceBuffer:
        """Return a copy of the elements, row by row, in the same memory."""
        return self.copied_to(self.accelerator, self.number)

    def dense(self) -> DeviceBuffer:
        """Return the elements row by row: these, or a copy."""
        return self if self.flags.c_contiguous else self.copy()

    # ------------------------------------------------------------------------------------- views, as NumPy has them

    @property
    def layout(self) -> NDArray[Any]:
        """An array of NumPy's that lies as the elements do; its own elements must not be read."""
        return self._layout

    def laid(self, layout: NDArray[Any]) -> DeviceBuffer:
        """Return the view of the memory that a view of `layout` says."""
        return DeviceBuffer(self.base, layout, self.number)

    @property
    def T(self) -> DeviceBuffer:  # noqa: N802
        """The transpose."""
        return self.laid(self._layout.T)

    def transpose(self, *axes: Any) -> DeviceBuffer:
        """Return the view with axes in another order."""
        return self.laid(self._layout.transpose(*axes))

    def reshape(self, *shape: Any, order: str = "C") -> DeviceBuffer:
        """Return a view under another shape; a copy where NumPy would make one."""
        layout = self._layout.view()
        try:
            layout.shape = shape[0] if len(shape) == 1 else shape
        except AttributeError:
            return self.copy().reshape(*shape)
        return self.laid(layout)

    def view(self, dtype: Any) -> DeviceBuffer:
        """Return a view of the bytes as another dtype."""
        return self.laid(self._layout.view(dtype))

    def __array_function__(self, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
        """Answer those functions of NumPy's that make views, or ask for places; others would compute at the host."""
        name = function.__name__
        if name in ("may_share_memory", "shares_memory"):
            return isinstance(args[0], DeviceBuffer) and args[0].overlaps(args[1])
        if name in ("broadcast_to", "moveaxis", "swapaxes", "expand_dims"):
            return self.laid(function(self._layout, *args[1:], **kwargs))
        self.refuse()

    def __array_ufunc__(self, *args: Any, **kwargs: Any) -> Any:
        self.refuse()

    def exchange(self, other: DeviceBuffer) -> bool:
        """Have the memory of another buffer for all who have this one's, and the other way round; tell whether both are
        all of their memory, and alike.
        """
        if self.base.accelerator is not other.base.accelerator or self.base.nbytes != other.base.nbytes:
            return False
        whole = self.flags.c_contiguous and other.flags.c_contiguous and self.nbytes == other.nbytes == self.base.nbytes
        if whole:
            self.base.exchange(other.base)
        return whole

    def wait(self) -> None:
        """Wait until all is done that was asked of the device."""
        self.accelerator.wait()

    def refuse(self) -> NoReturn:
        """Refuse to have elements read at the host by who would compute with them there.

        Raises:
            DeviceError E705: always.
        """
        raise unsupported("an operation", TensorType(self.shape, self.dtype), self.device)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        self.refuse()


def unsupported(what: str, type: TensorType, device: object) -> DeviceError:
    """Return the error for an operation on an array of a device, which can only copy it."""
    return DeviceError(
        "E705",
        f"{what} reads {type} on {device}, where hybridize does not compute yet",
        help="x.as_in_ctx(cpu()) gives a copy to compute with",
    )


def new_buffer(accelerator: Accelerator, number: int, shape: tuple[int, ...], dtype: Any) -> DeviceBuffer:
    """Return a buffer that nobody has written, row by row, in memory of its own."""
    dtype = numpy.dtype(dtype)
    layout = as_strided(_ORIGIN[: dtype.itemsize].view(dtype), shape, _row_major(shape, dtype.itemsize))
    return DeviceBuffer(DeviceMemory(accelerator, layout.nbytes), layout, number)


def _row_major(shape: tuple[int, ...], itemsize: int) -> tuple[int, ...]:
    strides = [itemsize]
    for size in shape[:0:-1]:
        strides.append(strides[-1] * max(size, 1))  # as NumPy's own, where there are no elements
    return tuple(reversed(strides[: len(shape)]))


def sent(values: NDArray[Any], accelerator: Accelerator, number: int) -> DeviceBuffer:
    """Return a copy of an array in the memory of a device."""
    buffer = new_buffer(accelerator, number, values.shape, values.dtype)
    buffer[...] = values
    return buffer
