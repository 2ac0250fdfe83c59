# SPDX-License-Identifier: Apache-2.0
"""DLPack's exchange for memory of devices: a buffer as a capsule, and a capsule of another library as a buffer.

Both sides work on streams of their own. Who takes a capsule says which stream it uses, and the producer lets that one
wait for what it was asked before. So both may read and write the memory, in the order of the hand-over.

NumPy makes our capsules and takes those of others, as it does at the host: an array of NumPy's lies over the addresses,
which nobody reads, and the device is written into the structure of the capsule. So NumPy's functions end the exchange,
which may be called in any thread, and when the interpreter has ended.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from ctypes import Structure, c_char_p, c_int32, c_uint8, c_uint64, c_void_p, py_object, pythonapi
from typing import Any, Final

import numpy

from hybridize.base.dtypes import bfloat16, uint16
from hybridize.base.errors import ArgumentError, DeviceError
from hybridize.runtime.device_buffers import DeviceBuffer, borrowed
from hybridize.runtime.devices import Accelerator, is_there, opened

HOST: Final = (1, 0)
"""The computer's memory, as DLPack has it."""
CUDA: Final = 2
"""DLPack's number of NVIDIA's GPUs."""
LEGACY: Final = 1
"""`CU_STREAM_LEGACY`: CUDA's stream that is used where nobody names one."""
NO_ORDER: Final = -1
"""In the place of a stream: whoever takes the memory looks after the order itself."""
_READ_ONLY, _COPIED = 1, 2
"""Flags of a structure with a version."""
_UNSIGNED, _BFLOAT = 1, 4
"""DLPack's kinds of numbers."""
_VERSIONED: Final = b"dltensor_versioned"
_NAMES: Final = {b"dltensor": 0, _VERSIONED: 32}
"""Names of capsules that nobody has taken, and where in their structures the `_Tensor` is."""
_FLAGS: Final = 24
"""Offset of the flags in the structure of a capsule with a version."""


class _Tensor(Structure):
    """The beginning of a `DLTensor`."""

    _fields_ = (("data", c_void_p), ("kind", c_int32), ("number", c_int32), ("ndim", c_int32), ("code", c_uint8))


def _structure(capsule: Any) -> tuple[int, bytes]:
    """The address of the structure of a capsule that nobody has taken, and the capsule's name.

    Raises:
        ArgumentError E307: it is no such capsule.
    """
    is_valid, pointer = pythonapi["PyCapsule_IsValid"], pythonapi["PyCapsule_GetPointer"]
    is_valid.argtypes = pointer.argtypes = [py_object, c_char_p]
    pointer.restype = c_void_p
    for name in _NAMES:
        if is_valid(capsule, name):
            return pointer(capsule, name), name
    what = f"from_dlpack takes a capsule of DLPack that nobody has taken, got {capsule!r}"
    raise ArgumentError("E307", what, help="a capsule can be taken once")


def _tensor(capsule: Any) -> _Tensor:
    address, name = _structure(capsule)
    return _Tensor.from_address(address + _NAMES[name])


def place_of(capsule: Any) -> tuple[int, int]:
    """Return the kind and the number of the device of a capsule, as DLPack has them."""
    tensor = _tensor(capsule)
    return tensor.kind, tensor.number


# ------------------------------------------------------------------------------------------------------ to others


class _Addresses:
    """Memory of a device as NumPy takes it; its elements must not be read."""

    def __init__(self, buffer: DeviceBuffer, typestr: str, is_read_only: bool) -> None:
        self._buffer = buffer
        self.__array_interface__ = _interface(buffer, typestr, is_read_only)


def _interface(buffer: DeviceBuffer, typestr: str, is_read_only: bool) -> dict[str, Any]:
    return {
        "shape": buffer.shape, "typestr": typestr, "data": (buffer.address, is_read_only), "strides": buffer.strides,
        "version": 3,
    }  # fmt: skip


def exported(buffer: DeviceBuffer, stream: Any, options: Mapping[str, Any], is_copied: bool = False) -> Any:
    """Return a capsule over the memory of a buffer.

    Args:
        buffer: what is handed over.
        stream: of the taker's: None for the usual one, -1 where it looks after the order itself, 1 and 2 for CUDA's
            two default ones, else the address of one.
        options: `max_version`, where the taker knows versions.
        is_copied: nobody else has the memory.

    Raises:
        ArgumentError E300: there is no such stream.
        BufferError: the taker is too old to be told that the memory is read-only.
    """
    lend(buffer, stream)
    dtype = uint16 if buffer.dtype == bfloat16 else buffer.dtype
    addresses = _Addresses(buffer, dtype.str, not buffer.flags.writeable)
    capsule = numpy.asarray(addresses).__dlpack__(**options)
    address, name = _structure(capsule)
    tensor = _tensor(capsule)
    tensor.kind, tensor.number = buffer.accelerator.dlpack, buffer.number
    if dtype != buffer.dtype:
        tensor.code = _BFLOAT
    if is_copied and name == _VERSIONED:
        c_uint64.from_address(address + _FLAGS).value |= _COPIED
    return capsule


def lend(buffer: DeviceBuffer, stream: Any) -> None:
    """Let another library use the memory of a buffer on a stream of its own, after what was asked for until now.

    Raises:
        ArgumentError E300: there is no such stream.
    """
    if stream is not None and (type(stream) is not int or stream < NO_ORDER or stream == 0):
        what = f"a stream must be None, -1, 1, 2 or the address of one, got {stream!r}"
        raise ArgumentError("E300", what, help="1 is CUDA's default stream; 0 is not clear")
    number = LEGACY if stream is None else stream
    buffer.base.users |= {number}
    if number != NO_ORDER:
        buffer.accelerator.precede(number)


def interface(buffer: DeviceBuffer) -> dict[str, Any]:
    """Return what `__cuda_array_interface__` says of a buffer.

    Raises:
        AttributeError: it is not a GPU's, or the interface has no such dtype.
    """
    accelerator = buffer.accelerator
    if accelerator.dlpack != CUDA or buffer.dtype == bfloat16:
        raise AttributeError(f"__cuda_array_interface__ knows no {buffer.dtype} on {buffer.device}")
    lend(buffer, NO_ORDER)
    facts = _interface(buffer, buffer.dtype.str, not buffer.flags.writeable)
    return {**facts, "stream": accelerator.stream_number}


# ---------------------------------------------------------------------------------------------------- from others


class _AtHost:
    """A capsule as NumPy takes it: it says that the memory is the computer's."""

    def __init__(self, capsule: Any) -> None:
        self._capsule = capsule

    def __dlpack__(self, **options: Any) -> Any:
        return self._capsule

    def __dlpack_device__(self) -> tuple[int, int]:
        return HOST


def accelerator_of(place: tuple[int, int]) -> Accelerator:
    """Return the device that a producer names.

    Raises:
        DeviceError E702: this process uses none of its kind.
    """
    kind, number = place
    if is_there(number) and opened(number).dlpack == kind:
        return opened(number)
    what = f"an array of another library is on device {number} of DLPack's kind {kind}, which this process does not use"
    raise DeviceError("E702", what, help="HYBRIDIZE_DEVICE=cuda lets it use NVIDIA's GPUs")


def taken(producer: Any, accelerator: Accelerator, number: int) -> DeviceBuffer:
    """Return a buffer over the memory of another library's array, or of a capsule.

    Args:
        producer: has `__dlpack__`.
        accelerator: the device of the memory.
        number: of the device.
    """
    stream = accelerator.stream_number
    try:
        capsule = producer.__dlpack__(stream=stream, max_version=(1, 0))
    except TypeError:  # of before versions
        capsule = producer.__dlpack__(stream=stream)
    address, name = _structure(capsule)
    tensor = _Tensor.from_address(address + _NAMES[name])
    is_bfloat = tensor.code == _BFLOAT
    with _said_to_be(tensor, *HOST, _UNSIGNED if is_bfloat else tensor.code):
        array = numpy.from_dlpack(_AtHost(capsule))
    array = array.view(bfloat16) if is_bfloat else array
    is_read_only = name == _VERSIONED and c_uint64.from_address(address + _FLAGS).value & _READ_ONLY
    return borrowed(array, accelerator, number, writeable=not is_read_only)


@contextmanager
def _said_to_be(tensor: _Tensor, kind: int, number: int, code: int) -> Iterator[None]:
    """Let a structure name another device and kind of numbers in the body of a `with`; its producer reads it later."""
    before = tensor.kind, tensor.number, tensor.code
    tensor.kind, tensor.number, tensor.code = kind, number, code
    try:
        yield
    finally:
        tensor.kind, tensor.number, tensor.code = before


def taken_by_interface(producer: Any) -> DeviceBuffer:
    """Return a buffer over the memory of an array that has `__cuda_array_interface__`.

    Raises:
        DeviceError E702: this process does not use its GPU.
    """
    facts = dict(producer.__cuda_array_interface__)
    stream = facts.pop("stream", None)
    address, _ = facts["data"]
    number = accelerator_of((CUDA, 0)).place_of(address) if address else 0  # without elements it may be nowhere
    accelerator = accelerator_of((CUDA, number))
    if stream is not None:
        accelerator.follow(stream)
    owner = _Owned(producer, facts)
    array = numpy.asarray(owner)
    return borrowed(array, accelerator, number, writeable=array.flags.writeable)


class _Owned:
    """Addresses that another library's array says it has."""

    def __init__(self, producer: Any, facts: dict[str, Any]) -> None:
        self._producer = producer
        self.__array_interface__ = facts
