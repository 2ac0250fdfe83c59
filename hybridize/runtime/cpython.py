# SPDX-License-Identifier: Apache-2.0
"""The layout of CPython's and NumPy's objects: offsets that the emitted entry reads, probed, and functions it calls.

Nothing is taken on trust: `supported()` builds arrays, looks at their memory and compares. Where another NumPy or
another Python differs, compiled programs run through `Executable.run` instead, at the cost of some microseconds.
"""

from __future__ import annotations

import ctypes
import mmap
import sys
from collections import OrderedDict
from collections.abc import Sequence
from functools import cache
from itertools import compress, starmap
from operator import eq, is_
from types import CellType
from typing import Any, Final

import numpy
from numpy.typing import NDArray

from hybridize import system
from hybridize.base.access import READERS
from hybridize.base.dtypes import uint8
from hybridize.base.once import once
from hybridize.runtime.externals import address

HEAD: Final = 16
"""Bytes that every object begins with. They are more in builds without a GIL, and in some for debugging."""
OB_TYPE: Final = 8
ARRAY_DATA: Final = 16
ARRAY_NDIM: Final = 24
ARRAY_DIMS: Final = 32
ARRAY_DESCR: Final = 56
ARRAY_FLAGS: Final = 64
USABLE: Final = 0x101
"""Flags of an array that is C-contiguous and aligned."""
FLOAT_VALUE: Final = 16
CELL_CONTENTS: Final = 16
DICT_USED: Final = 16
"""Offset in a dict of the number of its items."""
DICT_VERSION: Final = 24
"""Offset in a dict of the number that every change of it renews, where `has_versions`."""
FUNCTION_WORDS: Final = {"__code__": 48, "__defaults__": 56, "__kwdefaults__": 64}
"""Offsets in a function of what it keeps by these names; null where that is None."""
LIST_ITEMS: Final = 24
"""Offset in a list of the address of its items."""
SEQUENCE_SIZE: Final = 16
"""Offset in a tuple or list of the number of its items."""
TUPLE_ITEMS: Final = tuple.__basicsize__
"""Offset in a tuple of its items."""
MEMBER: Final = 40
"""Offset in the descriptor of a slot of the address of what describes it."""
MEMBER_OFFSET: Final = 16
"""Offset, in what describes a slot, of the slot's own offset in instances."""

# Words of the process table: what the entry needs from outside, so that its code holds no address and no symbol.
EXTERNALS: Final = (
    "PyObject_Vectorcall", "PyObject_CallNoArgs", "PyObject_CallOneArg", "PyEval_SaveThread", "PyEval_RestoreThread",
    "Py_IncRef", "Py_DecRef", "PyType_GenericAlloc", "PyTuple_New", "PyTuple_SetItem", "PyList_New", "PyList_SetItem",
    "PyLong_AsLongLong", "PyErr_Occurred", "PyErr_Clear", "aligned_alloc", "free", "memcpy", "PyErr_NoMemory",
    "PyErr_SetObject", "PyDict_GetItemWithError", "PyDict_Next", "PyObject_GetAttr", "madvise",
    "PyObject_GetBuffer", "PyBuffer_Release", "PyCapsule_New", "PyCapsule_IsValid",
    "PyArray_NewFromDescr", "PyArray_SetBaseObject", "ndarray", "bytes",
    "float_class", "int_class", "None", "True", "tuple_items", "readers", "page_bytes", "scratch",
    "scratch_bytes",
)  # fmt: skip
WORD: Final = {name: number for number, name in enumerate(EXTERNALS)}

_API_ARRAY_TYPE: Final = 2
_API_NEW_FROM_DESCR: Final = 94
_API_SET_BASE_OBJECT: Final = 282
_ABI: Final = 2
"""The generation of NumPy's C functions in which those numbers stand for these functions."""


def _word(address: int) -> int:
    return int(ctypes.c_int64.from_address(address).value)


def _pointer(address: int) -> int:
    """Return the address that lies at an address; 0 where it is none that a process has, and must not be followed."""
    word = _word(address)
    return word if 1 << 16 <= word < 1 << 52 and word % 8 == 0 else 0


def _numpy_api() -> int:
    """Address of NumPy's table of C functions."""
    capsule_pointer = ctypes.pythonapi.PyCapsule_GetPointer
    capsule_pointer.restype = ctypes.c_void_p
    capsule_pointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
    umath: Any = numpy._core.multiarray  # type: ignore[attr-defined]
    return int(capsule_pointer(umath._ARRAY_API, None))


def _numpy_abi() -> int:
    """Return the generation of NumPy's C functions; 0 where it does not tell."""
    version = getattr(numpy._core.multiarray, "_get_ndarray_c_version", int)  # type: ignore[attr-defined]
    return int(version()) >> 24


def _probe_array(array: NDArray[Any]) -> bool:
    at, count = id(array), array.ndim
    if ctypes.c_int32.from_address(at + ARRAY_NDIM).value != count:
        return False
    # The strides follow the sizes: two words that differ by so much are their addresses, and may be followed.
    dims = _pointer(at + ARRAY_DIMS)
    if count and (not dims or _word(at + ARRAY_DIMS + 8) != dims + 8 * count):
        return False
    return (
        _word(at + OB_TYPE) == id(numpy.ndarray)
        and _word(at + ARRAY_DATA) == array.ctypes.data
        and [_word(dims + 8 * k) for k in range(count)] == list(array.shape)
        and _word(at + ARRAY_DESCR) == id(array.dtype)
        and ctypes.c_int32.from_address(at + ARRAY_FLAGS).value == array.flags.num
    )


@cache
def supported() -> bool:
    """Tell whether this interpreter and this NumPy lay out their objects as the entry expects."""
    if object.__basicsize__ != HEAD or _numpy_abi() != _ABI:
        return False
    if ctypes.sizeof(ctypes.c_void_p) != 8 or sys.byteorder != "little":
        return False
    base = numpy.arange(120, dtype=numpy.float32).reshape(2, 3, 4, 5)
    cases: list[NDArray[Any]] = [
        base,
        base[:, 1:, ::2],
        base.T,
        numpy.array(7, dtype=numpy.int64),
        numpy.zeros((0, 3), dtype=numpy.bool_),
    ]
    if not all(_probe_array(case) for case in cases):
        return False
    if base.flags.num & USABLE != USABLE or base.T.flags.num & USABLE == USABLE:
        return False
    if _word(id(2.5) + OB_TYPE) != id(float) or ctypes.c_double.from_address(id(2.5) + FLOAT_VALUE).value != 2.5:
        return False
    cell = CellType(base)
    if _word(id(cell) + CELL_CONTENTS) != id(base):
        return False
    if not _probe_function():
        return False
    if [_word(id(one) + DICT_USED) for one in ({}, {1: 2, 3: 4}, OrderedDict(x=1))] != [0, 2, 1]:
        return False
    sequences: list[Any] = [(), [], (1, 2), [1, 2, 3]]
    if [_word(id(one) + SEQUENCE_SIZE) for one in sequences] != list(map(len, sequences)) or not _items_supported():
        return False
    return _word(_numpy_api() + 8 * _API_ARRAY_TYPE) == id(numpy.ndarray)


def _probe_function() -> bool:
    def plain() -> None: ...

    def full(x: int = 1, *, y: int = 2) -> None: ...

    pairs = [(id(getattr(full, name)), _word(id(full) + offset)) for name, offset in FUNCTION_WORDS.items()]
    none = [_word(id(plain) + offset) for name, offset in FUNCTION_WORDS.items() if name != "__code__"]
    return all(x == y for x, y in pairs) and not any(none)


@cache
def has_versions() -> bool:
    """Tell whether dicts have version numbers, as Python's had until 3.12: no two contents have the same one."""
    seen: list[int] = []
    tried: dict[str, Any] = {}
    owner = _Owner()
    fields = vars(owner)
    for number in range(40):
        owner.x = number
        fields[f"y{number % 4}"] = tried[f"y{number % 16}"] = number
        seen += [_word(id(one) + DICT_VERSION) for one in (tried, fields)]
    owner.x = "other"
    seen.append(_word(id(fields) + DICT_VERSION))
    del fields["x"], tried["y1"]
    seen += [_word(id(one) + DICT_VERSION) for one in (tried, fields)]
    tried.clear()
    seen.append(_word(id(tried) + DICT_VERSION))
    return supported() and len(set(seen)) == len(seen) and 0 not in seen


class _Owner:
    x: Any


@cache
def _items_supported() -> bool:
    """Tell whether lists and tuples hold pointers to their items where `same_items` looks for them."""
    if object.__basicsize__ != HEAD or ctypes.sizeof(ctypes.c_void_p) != 8:
        return False
    items = [object() for _ in range(100)]
    items.append(items[0])  # by which it has moved
    copy = tuple(items)
    words = [id(item) for item in items]
    at = _pointer(id(items) + LIST_ITEMS), id(copy) + TUPLE_ITEMS
    # Word by word: what lies behind the first other one may be no memory of this process.
    return all(start and all(_word(start + 8 * k) == word for k, word in enumerate(words)) for start in at)


def items_address(items: list[Any]) -> int:
    """Return the address of the pointers to the items of a list."""
    return _word(id(items) + LIST_ITEMS)


_FEW: Final = 32
"""Items that are compared sooner than a C function is called."""


def same_items(items: list[Any] | tuple[Any, ...], expected: tuple[Any, ...]) -> bool:
    """Tell whether a list or tuple holds the very objects that a tuple holds, at the cost of comparing memory."""
    count = len(expected)
    if len(items) != count:
        return False
    if count < _FEW or not _items_supported():
        return all(map(is_, items, expected))
    if type(items) is list:
        at = ctypes.c_void_p.from_address(id(items) + LIST_ITEMS)  # ctypes reads it when memcmp is called, not before
    else:
        at = ctypes.c_void_p(id(items) + TUPLE_ITEMS)
    operands: Sequence[Any] = (at, ctypes.c_void_p(id(expected) + TUPLE_ITEMS), ctypes.c_size_t(8 * count))
    # Another thread may change the list, and with it the memory of its items, between any two lines of Python. Here the
    # last look at its length, the look at its address and memcmp follow each other in C, which keeps the GIL.
    right_length = map(eq, map(len, (items,)), (count,))
    differs: int = next(starmap(system.c_library().memcmp, compress((operands,), right_length)), 1)
    return differs == 0


def member_offset(cls: type, name: str) -> int | None:
    """Byte offset of slot `name` in instances of `cls`, or None where it cannot be proven."""
    descriptor: Any = next((vars(base)[name] for base in cls.__mro__ if name in vars(base)), None)
    if type(descriptor).__name__ != "member_descriptor" or object.__basicsize__ != HEAD:
        return None
    # PyMemberDescrObject: head, type, name, qualified name, then a pointer to PyMemberDef {name, int type, offset}.
    member = _pointer(id(descriptor) + MEMBER)
    offset = _word(member + MEMBER_OFFSET) if member else 0
    if not 16 <= offset <= cls.__basicsize__ - 8:
        return None
    probe: object = object.__new__(cls)
    witness = object()
    descriptor.__set__(probe, witness)
    matches = _word(id(probe) + offset) == id(witness)
    descriptor.__delete__(probe)
    return offset if matches and _word(id(probe) + offset) == 0 else None


@once
def process_table() -> NDArray[numpy.int64]:
    """The table of externals, one for the process; its last two words are the cached scratch block (see `scratch`)."""
    table = numpy.zeros(len(EXTERNALS), dtype=numpy.int64)
    for name in EXTERNALS[: WORD["PyArray_NewFromDescr"]]:
        if name != "madvise" or system.HAS_LARGE_PAGES:
            table[WORD[name]] = address(name)
    table[WORD["PyArray_NewFromDescr"]] = _word(_numpy_api() + 8 * _API_NEW_FROM_DESCR)
    table[WORD["PyArray_SetBaseObject"]] = _word(_numpy_api() + 8 * _API_SET_BASE_OBJECT)
    things = (
        ("ndarray", numpy.ndarray),
        ("bytes", uint8),
        ("float_class", float),
        ("int_class", int),
        ("None", None),
        ("True", True),
    )
    for name, thing in things:
        table[WORD[name]] = id(thing)
    table[WORD["tuple_items"]] = TUPLE_ITEMS
    table[WORD["readers"]] = ctypes.addressof(READERS)
    table[WORD["page_bytes"]] = mmap.PAGESIZE
    return table
