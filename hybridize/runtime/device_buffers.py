# SPDX-License-Identifier: Apache-2.0
"""Arrays in the memory of a device: type, sizes and place of the elements, and the copies that bring them to the host.

A buffer says of itself what NumPy's arrays say; elements are read and written by whole copies alone. Who computes with
them runs a program where they are.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, NoReturn

import numpy
from numpy.lib.stride_tricks import as_strided
from numpy.typing import NDArray

from hybridize.base.errors import DeviceError
from hybridize.base.types import TensorType
from hybridize.runtime.devices import Accelerator, check_fork, is_inherited

_ORIGIN: Final = numpy.zeros(16, numpy.uint8)
"""The bytes over which layouts lie: they are arrays of NumPy's for what they say, and their elements stay unread."""
_START: Final[int] = _ORIGIN.__array_interface__["data"][0]


class DeviceMemory:
    """Bytes of a device, which are free again when nobody has a buffer of them."""

    __slots__ = ("__weakref__", "accelerator", "address", "nbytes")

    def __init__(self, accelerator: Accelerator, nbytes: int) -> None:
        self.accelerator: Accelerator = accelerator
        self.nbytes: int = nbytes
        self.address: int = accelerator.alloc(max(nbytes, 1))

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
        if isinstance(value, DeviceBuffer):
            if part._is_copied(value):
                return
            value = value.to_host()
        part._write(value)

    def _is_copied(self, source: DeviceBuffer) -> bool:
        """Copy elements that lie alike in devices of one kind; tell whether they do."""
        alike = self.shape == source.shape and self.dtype == source.dtype and self.flags.c_contiguous
        here, there = self.accelerator, source.accelerator
        if not (alike and type(here) is type(there) and not self.overlaps(source) and source.flags.c_contiguous):
            return False
        if self.nbytes and here is there:
            here.copy(self.address, source.address, self.nbytes)
        elif self.nbytes:
            here.copy_from(there, self.address, source.address, self.nbytes)
        return True

    def _write(self, values: Any) -> None:
        accelerator = self.accelerator
        if self.flags.c_contiguous:
            whole = numpy.empty(self.shape, self.dtype)
            whole[...] = values
            if whole.nbytes:
                accelerator.copy_in(self.address, whole)
            return
        bytes_around, elements = self._around()
        elements[...] = values
        accelerator.copy_in(self.base.address + self._span()[0], bytes_around)

    def to_host(self) -> NDArray[Any]:
        """Return a copy of the elements at the host, once they are written."""
        if not self.flags.c_contiguous:
            return self._around()[1].copy()
        values = numpy.empty(self.shape, self.dtype)
        if values.nbytes:
            self.accelerator.copy_out(self.address, values)
        return values

    def _around(self) -> tuple[NDArray[Any], NDArray[Any]]:
        """The bytes between the ends of the elements, at the host, and the elements among them."""
        first, last = self._span()
        content = numpy.empty(last - first, numpy.uint8)
        self.accelerator.copy_out(self.base.address + first, content)
        start = self._offset - first
        return content, numpy.ndarray(self.shape, self.dtype, content, start, self.strides)

    def copied_to(self, accelerator: Accelerator, number: int) -> DeviceBuffer:
        """Return a copy of the elements, row by row, in the memory of a device."""
        copied = new_buffer(accelerator, number, self.shape, self.dtype)
        copied[...] = self
        return copied

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
