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
from numpy.lib.array_utils import byte_bounds
from numpy.lib.stride_tricks import as_strided
from numpy.typing import NDArray

from hybridize.base.errors import DeviceError, InternalError
from hybridize.base.hooks import Hook
from hybridize.base.types import TensorType
from hybridize.runtime.devices import Accelerator, check_fork, is_inherited

_ORIGIN: Final = numpy.zeros(16, numpy.uint8)
"""The bytes over which layouts lie: they are arrays of NumPy's for what they say, and their elements stay unread."""
NOBODY: Final[frozenset[int]] = frozenset()
"""The users of memory that no other library has: this very object."""
_WORK: Final = 10_000
"""Candidates that are looked at before two views are taken to share elements."""
START: Final[int] = _ORIGIN.__array_interface__["data"][0]
"""Their address."""


def _nobody(source: DeviceBuffer, to: DeviceBuffer) -> None:
    raise InternalError("E918", "nobody has loaded the kernels that copy views of devices")


OPERATION: Final[Hook[Callable[[], str]]] = Hook(str)
"""Gives the name of the operation that runs in this thread, for errors."""
STRIDED: Final[Hook[Callable[[DeviceBuffer, DeviceBuffer], None]]] = Hook(_nobody)
"""Copies elements that lie in other strides, of one dtype and shape, on one device, to where none of them lies."""


class DeviceMemory:
    """Bytes of a device, which are free again when nobody has a buffer of them."""

    __slots__ = ("__weakref__", "accelerator", "address", "nbytes", "users")

    def __init__(self, accelerator: Accelerator, nbytes: int, address: int | None = None) -> None:
        """`address` is that of a block, where there is one already."""
        self.accelerator: Accelerator = accelerator
        self.nbytes: int = nbytes
        self.users: frozenset[int] = NOBODY
        """Streams on which others use it, see `runtime.dlpack`."""
        self.address: int = accelerator.alloc(max(nbytes, 1)) if address is None else address

    @property
    def origin(self) -> tuple[int, int]:
        """A key of the first byte: its address where others have the memory, too, else this object, whose address
        programs exchange.
        """
        return (id(self), 0) if self.users is NOBODY else (id(self.accelerator), self.address)

    def exchange(self, other: DeviceMemory) -> None:
        """Let two memories of one device and one size have each other's bytes, for all buffers over them.

        Threads that have read the address of this one keep the other until they have asked for their work.
        """
        self.address, other.address = other.address, self.address
        for thread in [*ASKING]:
            thread.memories.append(other)

    def __del__(self, is_inherited: Callable[[Accelerator], bool] = is_inherited) -> None:
        if hasattr(self, "address") and not is_inherited(self.accelerator):
            self.accelerator.free(self.address, self.users)


class Asking:
    """A `with` block that reads addresses and asks for work there: memory that another thread exchanges meanwhile stays
    until the end of the block, also where that thread drops it.
    """

    __slots__ = ("memories",)

    def __enter__(self) -> None:
        self.memories: list[DeviceMemory] = []
        ASKING.append(self)

    def __exit__(self, *_: object) -> None:
        ASKING.remove(self)


ASKING: Final[list[Asking]] = []
"""Those in which threads are: state has no spare memory then, which such a thread might still read."""


class BorrowedMemory(DeviceMemory):
    """Bytes of a device that another library has: it has them back when the device is done with them.

    Args:
        accelerator: the device.
        address: of the first byte.
        nbytes: how many.
        owner: when that goes, the bytes are another's.
    """

    __slots__ = ("_owner",)

    def __init__(self, accelerator: Accelerator, address: int, nbytes: int, owner: object) -> None:
        self.accelerator = accelerator
        self.nbytes = nbytes
        self.users = NOBODY
        self.address = address
        self._owner = owner

    @property
    def origin(self) -> tuple[int, int]:
        """A key of the first byte: its address."""
        return id(self.accelerator), self.address

    def __del__(self, is_inherited: Callable[[Accelerator], bool] = is_inherited) -> None:
        if not is_inherited(self.accelerator):
            self.accelerator.give_back(self._owner, self.users)


class DeviceBuffer:
    """Elements of one type in the memory of a device: an `array.buffer.ArrayBuffer`.

    Args:
        memory: whose bytes they are.
        layout: an array of NumPy's that lies as the elements do, `_ORIGIN` being the first byte of the memory.
        number: of the device.
        offset: of the first element in the memory, where that is known.
    """

    __slots__ = ("__weakref__", "_layout", "_shift", "base", "number")

    def __init__(self, memory: DeviceMemory, layout: NDArray[Any], number: int, offset: int | None = None) -> None:
        self._layout = layout
        self._shift = offset
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
        return self.base.address + self.offset

    @property
    def offset(self) -> int:
        """Bytes from the beginning of the memory to the first element."""
        shift = self._shift
        if shift is None:
            start: int = self._layout.__array_interface__["data"][0]
            shift = self._shift = start - START
        return shift

    @property
    def bounds(self) -> tuple[int, int]:
        """The addresses of the first byte that an element has, and of the one behind the last."""
        low, high = byte_bounds(self._layout)
        return self.base.address + low - START, self.base.address + high - START

    def overlaps(self, other: object) -> bool:
        """Tell whether two buffers have an element in common; of views where that is hard to tell, it is assumed."""
        if not isinstance(other, DeviceBuffer) or other.base.accelerator is not self.base.accelerator:
            return False
        if other.base is not self.base:  # memory that others have, too, may have come several times
            (low, high), (first, end) = self.bounds, other.bounds
            return low < end and first < high and bool(self.size and other.size)
        try:
            return numpy.shares_memory(self._layout, other._layout, max_work=_WORK)  # type: ignore[arg-type]
        except numpy.exceptions.TooHardError:
            return True

    # --------------------------------------------------------------------------------------------------- elements

    def __getitem__(self, key: Any, /) -> DeviceBuffer:
        """Return a view of elements at a basic key."""
        key = key if isinstance(key, tuple) else (key,)
        part = self._layout[key if any(one is Ellipsis for one in key) else (*key, Ellipsis)]
        return DeviceBuffer(self.base, part, self.number)

    def __setitem__(self, key: Any, value: Any, /) -> None:
        """Write elements at a basic key: numbers, an array of NumPy's, or a buffer, whichever device has it."""
        part = self[key]
        if not part.flags.writeable:
            raise ValueError("assignment destination is read-only")
        if not isinstance(value, DeviceBuffer):
            part._write(value)
        elif value.base.accelerator is not self.accelerator:
            part._brought(value)
        elif value.dtype != self.dtype:
            raise TypeError(f"elements of {value.dtype} are written as {self.dtype}")
        else:
            part._copy_of(value)

    def _copy_of(self, source: DeviceBuffer) -> None:
        """Copy elements of the same device, which are repeated along axes of size 1."""
        source = source.laid(numpy.broadcast_to(_without_ones(source.layout, self.ndim), self.shape))
        if not self.size:
            return
        if self.overlaps(source):
            source = source.copy()
        if self.flags.c_contiguous and source.flags.c_contiguous:
            with Asking():
                self.accelerator.copy(self.address, source.address, self.nbytes)
        else:
            STRIDED.value(source, self)

    def _brought(self, source: DeviceBuffer) -> None:
        """Copy elements of another device, by way of the host where it is of another kind."""
        here, there = self.accelerator, source.accelerator
        if type(here) is not type(there) or source.dtype != self.dtype or not source.size:
            self._write(source.to_host())
            return
        source = source.dense()
        alike = self.flags.c_contiguous and self.shape == source.shape
        to = self if alike else new_buffer(here, self.number, source.shape, source.dtype)
        with Asking():
            here.copy_from(there, to.address, source.address, source.nbytes)
        if to is not self:
            self._copy_of(to)

    def _write(self, values: Any) -> None:
        whole = _without_ones(numpy.asarray(values), self.ndim)
        numpy.broadcast_to(whole, self.shape)  # raises where they do not fit
        if whole.ndim and whole.dtype == self.dtype:
            few = numpy.ascontiguousarray(whole)
        else:
            few = numpy.empty(whole.shape, self.dtype)
            few[...] = whole if whole.ndim else values  # NumPy minds what becomes of a number
        if not self.flags.c_contiguous or few.shape != self.shape:
            self._copy_of(sent(few, self.accelerator, self.number))
        elif self.nbytes:
            with Asking():
                self.accelerator.copy_in(self.address, few)

    def to_host(self) -> NDArray[Any]:
        """Return a copy of the elements at the host, once they are written."""
        if not self.flags.c_contiguous:
            return self.copy().to_host()
        values = numpy.empty(self.shape, self.dtype)
        if values.nbytes:
            with Asking():
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

    def alike(self) -> DeviceBuffer:
        """Return a buffer of the same type in the same memory, row by row, that nobody has written."""
        return new_buffer(self.accelerator, self.number, self.shape, self.dtype)

    def dense(self) -> DeviceBuffer:
        """Return the elements row by row: these, or a copy."""
        return self if self.flags.c_contiguous else self.copy()

    def aligned(self) -> DeviceBuffer:
        """Return the elements row by row, from where the device's programs may load several at once: these, or a
        copy.
        """
        is_so = self.flags.c_contiguous and self.address % self.base.accelerator.alignment == 0
        return self if is_so else self.copy()

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

    @property
    def real(self) -> DeviceBuffer:
        """The view of the real parts."""
        return self.laid(self._layout.real)

    @property
    def imag(self) -> DeviceBuffer:
        """The view of the imaginary parts of complex numbers; zeros of others."""
        if self.dtype.kind == "c":
            return self.laid(self._layout.imag)
        zeros = self.alike()
        zeros[...] = 0
        return zeros

    def view(self, dtype: Any) -> DeviceBuffer:
        """Return a view of the bytes as another dtype."""
        return self.laid(self._layout.view(dtype))

    def __array_function__(self, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
        """Answer those functions of NumPy's that make views, or ask for sizes or places; others would read elements."""
        name = function.__name__
        if name in ("may_share_memory", "shares_memory"):
            return isinstance(args[0], DeviceBuffer) and args[0].overlaps(args[1])
        if name in ("shape", "ndim", "size"):
            return function(self._layout, *args[1:], **kwargs)
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
            DeviceError E708: it is the memory of a device that the process has of the one that it was forked from.
            DeviceError E705: always else.
        """
        check_fork()
        raise unsupported(OPERATION.value() or "an operation", TensorType(self.shape, self.dtype), self.device)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        self.refuse()


def _without_ones(x: NDArray[Any], ndim: int) -> NDArray[Any]:
    """Return a view of an array without axes of size 1 in front that are more than there is room for."""
    more = x.ndim - ndim
    first: Any = (*(0,) * more, ...)
    return x[first] if more > 0 and set(x.shape[:more]) == {1} else x


def unsupported(what: str, type: TensorType, device: object) -> DeviceError:
    """Return the error for an operation on an array of a device that has no code there."""
    return DeviceError(
        "E705",
        f"{what} reads {type} on {device}, and has no code for devices yet",
        help="x.as_in_ctx(cpu()) gives a copy to compute with",
    )


def new_buffer(
    accelerator: Accelerator, number: int, shape: tuple[int, ...], dtype: Any, address: int | None = None
) -> DeviceBuffer:
    """Return a buffer, row by row, in memory of its own: that at an address, or such as nobody has written."""
    layout = row_major(shape, dtype)
    return DeviceBuffer(DeviceMemory(accelerator, layout.nbytes, address), layout, number, 0)


def row_major(shape: tuple[int, ...], dtype: Any) -> NDArray[Any]:
    """Return the layout of elements that lie row by row, from the first byte of a memory on."""
    dtype = numpy.dtype(dtype)
    strides = [dtype.itemsize]
    for size in shape[:0:-1]:
        strides.insert(0, strides[0] * max(size, 1))  # as NumPy's own, where there are no elements
    return as_strided(_ORIGIN[: dtype.itemsize].view(dtype), shape, strides[: len(shape)])


def sent(values: NDArray[Any], accelerator: Accelerator, number: int) -> DeviceBuffer:
    """Return a copy of an array in the memory of a device."""
    address = accelerator.send(values)
    buffer = new_buffer(accelerator, number, values.shape, values.dtype, address)
    if address is None:
        buffer[...] = values
    return buffer


def lying_at(
    memory: DeviceMemory,
    start: int,
    shape: tuple[int, ...],
    strides: tuple[int, ...],
    dtype: Any,
    number: int,
    writeable: bool = True,
) -> DeviceBuffer:
    """Return the buffer of a memory whose first element is `start` bytes behind the first byte."""
    kind = numpy.dtype(dtype)
    all_bytes = as_strided(_ORIGIN[:1], (memory.nbytes + kind.itemsize,), (1,))
    one = all_bytes[start : start + kind.itemsize].view(kind)
    return DeviceBuffer(memory, as_strided(one, shape, strides, writeable=writeable), number)


def borrowed(array: NDArray[Any], accelerator: Accelerator, number: int, writeable: bool) -> DeviceBuffer:
    """Return a buffer over the addresses of an array of NumPy's, which is kept until the device is done with them."""
    first, last = byte_bounds(array)
    start = array.__array_interface__["data"][0] - first
    memory = BorrowedMemory(accelerator, first, last - first, array)
    return lying_at(memory, start, array.shape, array.strides, array.dtype, number, writeable)
