# SPDX-License-Identifier: Apache-2.0
"""Arrays of another library as the emitted entry sees them: through the C functions that DLPack defines for it.

A library that takes part in DLPack's exchange has a capsule `__dlpack_c_exchange_api__` in its class of arrays. Its
functions look at the memory of an array, and make an array over memory, in nanoseconds and without Python.
"""

from __future__ import annotations

import ctypes
from typing import Any, Final

import numpy

from hybridize.base.dtypes import DType

EXCHANGE: Final = ("type", "parameter", "look", "make", "body", "traits", "usual", "other", "flag")
"""Words of an exchange: the two classes; the functions that look at an array and that make one; where instances keep a
pointer to their body, and bodies a word of traits; the two such words of arrays that are no more than memory; the name
of an attribute that is True of arrays that are differentiated."""
TENSOR_BYTES: Final = 48
"""Of a `DLTensor`."""
DATA: Final = 0
DEVICE: Final = 8
WORD: Final = 16
"""Offset of the number of axes and the dtype, `tensor_word`."""
SHAPE: Final = 24
STRIDES: Final = 32
BYTE_OFFSET: Final = 40
HEADER: Final = 32
"""Bytes of a `DLManagedTensorVersioned` before its `DLTensor`: version, context, deleter, flags."""
DELETER: Final = 16
CPU: Final = 1
"""The device's word: the computer's memory."""
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

    def __init__(
        self, classes: tuple[type, type], addresses: dict[str, int], body: int, traits: int, plain: tuple[int, int],
        flag: str,
    ) -> None:  # fmt: skip
        """Arrays are exactly of one of `classes`; `plain` are the words of traits of those that are no more than
        memory.
        """
        self._keep = classes, flag
        values: dict[str, Any] = {**addresses, "body": body, "traits": traits, "flag": id(flag)}
        values["type"], values["parameter"] = map(id, classes)
        values["usual"], values["other"] = plain
        self._words = numpy.array([values[name] for name in EXCHANGE], dtype=numpy.int64)
        self.address: int = self._words.ctypes.data
