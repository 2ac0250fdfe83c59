# SPDX-License-Identifier: Apache-2.0
"""The memory of an array, as all rooms ask for it: none but `array` reaches for the slot in which it lies.

    buffer_of        of what type, how large and whose it is: waits for nothing
    host_view        the elements as NumPy's array, once all calls have run that write them
    pending_view     the same memory, in which elements may be still to come
    content_of       the elements where they are: NumPy's array, or the buffer of a device
    host_copy, at_host    the elements of an array, or of memory, to be read at the host: those of a device are copied
    overwrite        other elements in the same memory
    rebind           other memory, with other elements
    address_of, memory_key, bounds_of, is_row_major     where the elements are
    owner_of, is_exposed, notify_written                who else has them, or should hear of them
    share_elements, some_share_elements                 whether two of them lie in the same place

An array at the host has an array of NumPy's for its buffer: nothing stands between an operation and its operands.
Memory of another kind is a class with the members of `ArrayBuffer`. That of a device (`runtime.device_buffers`) gives
elements to those alone who ask for a copy; `host_view` of it is refused, as one would compute at the host with what it
gives. What runs where the memory is takes `buffer_of`, as calls wait for each other there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from operator import attrgetter
from typing import Any, Protocol, runtime_checkable

import numpy
from numpy.lib.array_utils import byte_bounds
from numpy.typing import NDArray

from hybridize.array.device import AWAY
from hybridize.array.ndarray import ndarray, written
from hybridize.base.access import ACCESS
from hybridize.base.dtypes import DType
from hybridize.base.errors import ArgumentError

_NUMPY = numpy.ndarray


@runtime_checkable
class ArrayBuffer(Protocol):
    """Elements of one type in the memory of one device, and how they lie there: the words are those of NumPy's arrays.

    To ask for a property waits for nothing; to read or write elements waits for who writes them.
    """

    @property
    def shape(self) -> tuple[int, ...]:
        """Sizes of the axes."""

    @property
    def dtype(self) -> DType:
        """Element type."""

    @property
    def strides(self) -> tuple[int, ...]:
        """Bytes from one element to the next, along each axis."""

    @property
    def ndim(self) -> int:
        """Number of axes."""

    @property
    def size(self) -> int:
        """Number of elements."""

    @property
    def nbytes(self) -> int:
        """Bytes of the elements."""

    @property
    def base(self) -> Any:
        """The owner of the memory, or a view between it and this; None if this owns it."""

    @property
    def device(self) -> str:
        """The kind of memory, `cpu` at the host."""

    def __array__(self) -> NDArray[Any]:
        """Return the elements at the host; those that are there already are not copied."""

    def __getitem__(self, key: Any, /) -> Any:
        """Return a view of elements at a basic key."""

    def __setitem__(self, key: Any, value: Any, /) -> None:
        """Write elements at a basic key."""


buffer_of: Callable[[ndarray], ArrayBuffer] = attrgetter("_memory")
"""Returns the memory of an array, for its type, its sizes and its identity; elements may be still to come.

Neither this nor the next two are functions of Python's: imperative operations and calls of programs ask by them.
"""
pending_view: Callable[[ndarray], NDArray[Any]] = attrgetter("_memory")
"""Returns the memory of an array at the host, for who reads it later or writes it; elements may be still to come."""
host_view: Callable[[ndarray], NDArray[Any]] = attrgetter("_data")
"""Returns the elements of an array at the host, once they are there.

It is the memory itself where that is the host's, else a copy: write by `overwrite`. Of a device it is refused (E705).
"""

content_of: Callable[[ndarray], Any] = attrgetter("_content")
"""Returns the elements of an array where they are, once they are there: NumPy's, or a `DeviceBuffer`, whose views are
views of it. The operands of `ops` are such."""


def filled(x: ndarray, number: float) -> Any:
    """Return new elements of the type of an array, each a number, in the memory in which that is."""
    buffer = x._away()
    if buffer is None:
        return numpy.full(x.shape, number, x.dtype)
    elements = buffer.alike()
    elements[...] = number
    return elements


def host_copy(x: ndarray) -> NDArray[Any]:
    """Return the elements of an array at the host, to be read alone: those of a device are copied."""
    return x._elements()


def is_away(memory: Any) -> bool:
    """Tell whether memory is a device's."""
    return bool(AWAY) and not isinstance(memory, (_NUMPY, numpy.generic)) and hasattr(memory, "to_host")


def at_host(memory: Any) -> NDArray[Any]:
    """Return the elements of memory at the host, to be read alone: those of a device are copied."""
    elements: NDArray[Any] = memory.to_host() if is_away(memory) else memory
    return elements


def row_by_row(memory: Any) -> Any:
    """Return memory whose elements lie row by row: this, or a copy where it is."""
    return memory.dense() if is_away(memory) else numpy.asarray(memory, order="C")


def is_row_major(x: ndarray) -> bool:
    """Tell whether the elements of an array lie row by row, one after the other."""
    return bool(x._memory.flags.c_contiguous)


def address_of(x: ndarray) -> int:
    """Return where the first element of an array is, for who runs where the memory is."""
    return int(x._memory.ctypes.data if not AWAY or x._away() is None else x._away().address)


def bounds_of(x: ndarray) -> tuple[int, int]:
    """Return the addresses of the first byte that an element has, and of the one behind the last."""
    buffer = x._away() if AWAY else None
    bounds: tuple[int, int] = byte_bounds(x._memory) if buffer is None else buffer.bounds
    return bounds


def same_place(x: ndarray, y: ndarray) -> bool:
    """Tell whether two arrays lie in exactly the same memory."""
    if AWAY and (x._away() is not None or y._away() is not None):
        return memory_key(x) == memory_key(y)
    return bool(x._memory.__array_interface__ == y._memory.__array_interface__)


def memory_key(x: ndarray) -> tuple[Any, ...]:
    """Return a key that two arrays over exactly the same elements have in common."""
    data: Any = x._memory
    if AWAY and x._away() is not None:
        owner, start = data.base.origin
        return (owner, start + data.offset if data.size else id(x), data.shape, data.strides, data.dtype)
    return (data.__array_interface__["data"][0] if data.size else id(x), data.shape, data.strides, data.dtype)


def is_exposed(x: ndarray) -> bool:
    """Tell whether somebody else can write the memory of an array unseen, or read it at any time."""
    return x._storage is not None and x._storage.exposed


def owner_of(data: ArrayBuffer) -> Any:
    """Return the object that owns the memory of a buffer: those that share memory have one owner."""
    base = data.base
    while base is not None:
        if type(base) is not _NUMPY:
            return base
        data, base = base, base.base
    return data


_WORK = 10_000
"""Candidates that are looked at before two arrays are taken to share elements."""


def share_elements(x: ndarray, y: ndarray) -> bool:
    """Tell whether an element of two arrays is the same memory: of interleaved views none is.

    Of views whose strides make that hard to tell, it is assumed.
    """
    one, other = x._memory, y._memory
    if AWAY and (x._away() is not None or y._away() is not None):
        return x._away() is not None and bool(x._away().overlaps(other))
    if not numpy.may_share_memory(one, other):
        return False
    try:
        return numpy.shares_memory(one, other, max_work=_WORK)  # type: ignore[arg-type]  # the stub knows -1 and 0 only
    except numpy.exceptions.TooHardError:
        return True


def some_share_elements(arrays: Iterable[ndarray]) -> bool:
    """Tell whether two of some arrays share elements; only those are compared whose memory overlaps."""
    spans = [(*bounds_of(x), x) for x in arrays if x.size]
    reaching: list[tuple[int, ndarray]] = []
    for low, high, x in sorted(spans, key=lambda span: span[0]):
        reaching = [(end, y) for end, y in reaching if end > low]
        if any(share_elements(x, y) for _, y in reaching):
            return True
        reaching.append((high, x))
    return False


def overwrite(x: ndarray, values: Any) -> None:
    """Write all elements of an array that nobody keeps a copy of; `ndarray.store` tells those who do.

    Raises:
        ArgumentError E306: it is a read-only view.
    """
    if x._away() is None:
        _ = x._data  # once calls have run that write or read it at the host
        values = at_host(values)  # as the state of random numbers, where data on a device decides how many are drawn
    check_writable(x)
    x._memory[...] = values


def replaced(x: ndarray, memory: Any) -> bool:
    """Let an array of a device, and all views of it, have other memory of their size: tell whether that can be.

    Args:
        x: the array.
        memory: of the same device, type and sizes, which nobody else has; it has what the array had.
    """
    buffer = x._away() if AWAY else None
    if buffer is None or is_exposed(x) or not is_away(memory):
        return False
    exchanged: bool = buffer.exchange(memory)
    return exchanged


def check_writable(x: ndarray) -> None:
    """Refuse to write an array whose memory must not change.

    Raises:
        ArgumentError E306: it is a read-only view.
    """
    memory = x._memory
    if isinstance(memory, numpy.ndarray) and not memory.flags.writeable:  # elements may be elsewhere
        raise ArgumentError("E306", f"{x.type} is a read-only view", help="copy it first: x.copy()")


def rebind(x: ndarray, data: NDArray[Any]) -> None:
    """Let an array have other memory, of its type and sizes; whoever keeps copies of the elements is told."""
    ACCESS.writes += 1
    x._data = data
    written(x)


def notify_written(arrays: Iterable[ndarray]) -> None:
    """Tell whoever keeps copies of arrays that they were written."""
    for array in arrays:
        if array._storage is not None:
            array._storage.touch()
