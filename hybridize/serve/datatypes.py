# SPDX-License-Identifier: Apache-2.0
"""The protocol's words for element types, and arrays of numbers as JSON has them."""

from __future__ import annotations

import math
from typing import Any, Final

import numpy
from numpy.typing import NDArray

from hybridize.base.dtypes import bfloat16
from hybridize.serve.refusals import refuse

DTYPES: Final[dict[str, numpy.dtype[Any]]] = {
    "BOOL": numpy.dtype(numpy.bool_),
    "UINT8": numpy.dtype(numpy.uint8), "UINT16": numpy.dtype(numpy.uint16),
    "UINT32": numpy.dtype(numpy.uint32), "UINT64": numpy.dtype(numpy.uint64),
    "INT8": numpy.dtype(numpy.int8), "INT16": numpy.dtype(numpy.int16),
    "INT32": numpy.dtype(numpy.int32), "INT64": numpy.dtype(numpy.int64),
    "FP16": numpy.dtype(numpy.float16), "FP32": numpy.dtype(numpy.float32), "FP64": numpy.dtype(numpy.float64),
    "BF16": bfloat16,
}  # fmt: skip
DATATYPES: Final[dict[numpy.dtype[Any], str]] = {dtype: word for word, dtype in DTYPES.items()}
_AXES: Final = 32
"""More axes than any array of a program has."""
_MOST: Final = 1 << 40


def dtype_of(word: Any, name: str) -> numpy.dtype[Any]:
    """Return the dtype of a datatype such as "FP32"; refuse others, with the name of the tensor."""
    dtype = DTYPES.get(word) if isinstance(word, str) else None
    if dtype is None:
        shown = "strings (BYTES)" if word == "BYTES" else f"the datatype {str(word)[:40]!r}"
        refuse(f"input {name!r} has {shown}; models here take {', '.join(DTYPES)}")
    return dtype


def shape_of(shape: Any, name: str) -> tuple[int, ...]:
    """Return a shape as a tuple; refuse what is none: negative sizes, numbers with a fraction, too many axes."""
    if not isinstance(shape, list) or not all(type(size) is int and size >= 0 for size in shape):
        refuse(f"input {name!r} needs a shape, a list of sizes from 0 on, got {str(shape)[:80]}")
    if len(shape) > _AXES or math.prod(shape) > _MOST:
        refuse(f"input {name!r} has the shape {str(shape)[:80]}: at most {_AXES} axes and 2**40 elements")
    return tuple(shape)


def from_numbers(data: Any, dtype: numpy.dtype[Any], shape: tuple[int, ...], name: str) -> NDArray[Any]:
    """Return the array of a list of numbers, flat or nested; refuse numbers that the dtype does not hold."""
    if not isinstance(data, list):
        refuse(f"input {name!r} needs data, a list of numbers, got {type(data).__name__}")
    try:
        values = numpy.array(data) if data else numpy.zeros(0, dtype)
    except (ValueError, OverflowError, RecursionError, MemoryError):
        refuse(f"input {name!r}: data must be numbers, flat or nested as the shape says")
    size = math.prod(shape)
    nested = values.ndim > 1 and values.shape != shape
    if values.size != size or nested:
        shown = f"data of shape {list(values.shape)}" if nested else f"{values.size} numbers"
        refuse(f"input {name!r} has the shape {list(shape)}, which is {size} numbers, and {shown}")
    kind, wanted = values.dtype.kind, dtype.kind
    if not (kind == "b" if wanted == "b" else kind in ("iu" if wanted in "iu" else "iuf")) and size:
        refuse(f"input {name!r} is {DATATYPES[dtype]}; its data is {_KINDS.get(kind, 'no numbers')}")
    if wanted in "iu" and size:
        limits = numpy.iinfo(dtype)
        if int(values.min()) < limits.min or int(values.max()) > limits.max:
            refuse(f"input {name!r} is {DATATYPES[dtype]}, which holds {limits.min} to {limits.max}; its data does not")
    return values.astype(dtype, copy=False).reshape(shape)


_KINDS: Final = {"b": "booleans", "i": "integers", "u": "integers", "f": "numbers with a fraction", "U": "strings"}


def from_bytes(data: memoryview | bytes, dtype: numpy.dtype[Any], shape: tuple[int, ...], name: str) -> NDArray[Any]:
    """Return the array whose elements lie in `data`, little-endian, row after row; refuse another number of bytes."""
    count = math.prod(shape)
    if len(data) != count * dtype.itemsize:
        refuse(
            f"input {name!r} is {DATATYPES[dtype]}{list(shape)}, which is {count * dtype.itemsize} bytes; "
            f"got {len(data)}"
        )
    array: NDArray[Any] = numpy.frombuffer(data, numpy.uint8).view() if not count else numpy.frombuffer(data, dtype)
    if not count:
        return numpy.zeros(shape, dtype)
    if dtype.kind == "b" and array.view(numpy.uint8).max() > 1:
        refuse(f"input {name!r} is BOOL; its bytes must be 0 or 1")
    return array.reshape(shape)
