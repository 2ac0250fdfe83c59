# SPDX-License-Identifier: Apache-2.0
"""Arrays of another library as the emitted entry sees them: through C functions, without Python.

A library that takes part in DLPack's exchange has a capsule `__dlpack_c_exchange_api__` in its class of arrays. Its
functions look at the memory of an array, and make an array over memory, in nanoseconds: `Exchange`.

Arrays of others show their memory by Python's buffer protocol, and a function of theirs makes one of a capsule of
DLPack: `ViewExchange`.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import numpy

from hybridize.base.dtypes import DType

EXCHANGE: Final = (
    "type", "parameter", "look", "make", "body", "traits", "usual", "other", "flag",
    "maker", "operands", "operand_count", "capsule", "tensor", "deleter",
)  # fmt: skip
"""Words of an exchange: the two classes; the functions that look at an array and that make one; where instances keep a
pointer to their body, and bodies a word of traits; the two such words of arrays that are no more than memory; the name
of an attribute that rows of arguments ask for.

Where arrays are views, `look` is 0, and `maker` is the object that is called with a capsule of the name `capsule` and
the `operands`. `tensor` and `deleter` are where blocks for results have these.
"""
HEADER: Final = 32
"""Bytes of a `DLManagedTensorVersioned` before its `DLTensor`: version, context, deleter, flags."""
DELETER: Final = 16
UNVERSIONED_DELETER: Final = 56
"""Offset of the deleter in a `DLManagedTensor`, which begins with its `DLTensor`."""
_VERSION: Final = 1
_NAME: Final = b"dlpack_exchange_api"
_FUNCTIONS: Final = {"make": 4, "look": 5}
"""Words of the API at which functions are; before them come its version and an older API."""
_CODES: Final = {"i": 0, "u": 1, "f": 2, "c": 5, "b": 6}
_BFLOAT: Final = 4


def tensor_word(dtype: DType, ndim: int) -> int:
    """Return the word in which DLPack keeps number of axes and dtype."""
    code = _CODES.get(dtype.kind, _BFLOAT)
    return ndim | code << 32 | 8 * dtype.itemsize << 40 | 1 << 48


def functions(cls: type) -> dict[str, int] | None:
    """Return the addresses of the functions of a library's class of arrays; None where it has none that we know."""
    capsule = getattr(cls, "__dlpack_c_exchange_api__", None)
    if capsule is None:
        return None
    pointer = ctypes.pythonapi.PyCapsule_GetPointer
    pointer.restype = ctypes.c_void_p
    pointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
    address = pointer(capsule, _NAME)
    while address and ctypes.c_uint32.from_address(address).value != _VERSION:
        address = ctypes.c_void_p.from_address(address + 8).value
    if not address:
        return None
    addresses = {name: ctypes.c_int64.from_address(address + 8 * at).value for name, at in _FUNCTIONS.items()}
    return addresses if all(addresses.values()) else None


class Exchange:
    """The words by which an emitted entry takes arrays of a library, and makes them."""

    __slots__ = ("_keep", "_words", "address")

    views = False
    """True if arrays are looked at by the buffer protocol."""

    def __init__(
        self, classes: tuple[type, type], addresses: dict[str, int], body: int, traits: int, plain: tuple[int, int],
        flag: str,
    ) -> None:  # fmt: skip
        """Arrays are exactly of one of `classes`; `plain` are the words of traits of those that are no more than
        memory. `flag` is the name of the attribute that is True of arrays that are differentiated.
        """
        values = {**addresses, "body": body, "traits": traits, "tensor": HEADER, "deleter": DELETER}
        values["usual"], values["other"] = plain
        self._put(classes, flag, values, ())

    def _put(self, classes: tuple[type, type], flag: str, values: Mapping[str, int], keep: Sequence[Any]) -> None:
        self._keep = classes, flag, *keep
        values = {**dict.fromkeys(EXCHANGE, 0), **values, "flag": id(flag)}
        values["type"], values["parameter"] = map(id, classes)
        self._words = numpy.array([values[name] for name in EXCHANGE], dtype=numpy.int64)
        self.address: int = self._words.ctypes.data

    def takes(self, dtype: DType) -> bool:
        """Tell whether entries take and make arrays of a dtype."""
        return True

    def word(self, dtype: DType, ndim: int) -> int:
        """Return the word of a row for arguments of a dtype."""
        return tensor_word(dtype, ndim)


class ViewExchange(Exchange):
    """The same for a library whose arrays show their memory by the buffer protocol."""

    __slots__ = ("_formats",)

    views = True

    def __init__(
        self, cls: type, maker: Callable[..., Any], operands: Sequence[Any], formats: Mapping[DType, str],
        flag: str = "",
    ) -> None:  # fmt: skip
        """Arrays are exactly of class `cls`; `maker(capsule, *operands)` makes one of a capsule of DLPack, whose memory
        it frees by the capsule's own function once nobody needs it. `formats` are those of the buffers, `flag` is the
        name of an attribute that rows may ask for.
        """
        objects = numpy.array([0, *map(id, operands)], dtype=numpy.int64)
        name = ctypes.create_string_buffer(b"dltensor")
        self._formats = {dtype: int.from_bytes(text.encode(), "little") for dtype, text in formats.items()}
        values = {
            "maker": id(maker), "operands": objects.ctypes.data, "operand_count": len(objects),
            "capsule": ctypes.addressof(name), "deleter": UNVERSIONED_DELETER,
        }  # fmt: skip
        self._put((cls, cls), flag, values, (maker, *operands, objects, name))

    def takes(self, dtype: DType) -> bool:
        """Tell whether arrays of a dtype show their memory."""
        return dtype in self._formats

    def word(self, dtype: DType, ndim: int) -> int:
        """Return the bytes of the buffer's format."""
        return self._formats[dtype]


def formats_of(arrays: Sequence[Any]) -> dict[DType, str]:
    """Return the formats of the buffers of arrays of one element, by dtype, and those alone whose memory can be taken
    as it is.
    """
    formats = {}
    for array in arrays:
        try:
            view = memoryview(array)
        except (TypeError, ValueError, BufferError):
            continue
        dtype = numpy.asarray(array).dtype
        if len(view.format) <= _FORMAT_BYTES and view.itemsize == dtype.itemsize and view.c_contiguous:
            formats[dtype] = view.format
    return formats


_FORMAT_BYTES: Final = 7
"""Of formats that are looked at: a zero follows."""
