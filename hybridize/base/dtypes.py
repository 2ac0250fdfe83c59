# SPDX-License-Identifier: Apache-2.0
"""Element types: NumPy's dtype objects, plus bfloat16, with the short codes used in every message."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy

from hybridize.base.errors import DTypeError

DType = numpy.dtype[Any]

bool_: DType = numpy.dtype(numpy.bool_)
int8: DType = numpy.dtype(numpy.int8)
int16: DType = numpy.dtype(numpy.int16)
int32: DType = numpy.dtype(numpy.int32)
int64: DType = numpy.dtype(numpy.int64)
uint8: DType = numpy.dtype(numpy.uint8)
uint16: DType = numpy.dtype(numpy.uint16)
uint32: DType = numpy.dtype(numpy.uint32)
uint64: DType = numpy.dtype(numpy.uint64)
float16: DType = numpy.dtype(numpy.float16)
bfloat16: DType = numpy.dtype(ml_dtypes.bfloat16)
float32: DType = numpy.dtype(numpy.float32)
float64: DType = numpy.dtype(numpy.float64)
complex64: DType = numpy.dtype(numpy.complex64)
complex128: DType = numpy.dtype(numpy.complex128)

CODES: dict[DType, str] = {
    bool_: "bool", int8: "i8", int16: "i16", int32: "i32", int64: "i64",
    uint8: "u8", uint16: "u16", uint32: "u32", uint64: "u64",
    float16: "f16", bfloat16: "bf16", float32: "f32", float64: "f64", complex64: "c64", complex128: "c128",
}  # fmt: skip
BY_CODE: dict[str, DType] = {code: dtype for dtype, code in CODES.items()}
BY_NAME: dict[str, DType] = {dtype.name: dtype for dtype in CODES} | {"bool_": bool_}

FLOATS = (float16, bfloat16, float32, float64)
COMPLEXES = (complex64, complex128)
SIGNED = (int8, int16, int32, int64)
UNSIGNED = (uint8, uint16, uint32, uint64)
INTEGERS = SIGNED + UNSIGNED
# Looked up by hash: NumPy takes a third of a microsecond to tell two dtypes apart.
_FLOATS, _INTEGERS = frozenset(FLOATS), frozenset(INTEGERS)

REALS = (bool_, *INTEGERS, *FLOATS)
"""Dtypes of numbers that machine code computes with: complex ones are NumPy's (`ops.hosted`)."""

# Python's own number classes as dtypes: MXNet's default float is float32.
_PYTHON: dict[Any, DType] = {float: float32, int: int64, bool: bool_, complex: complex64}


def as_dtype(spec: Any) -> DType:
    """Return the dtype that `spec` (a name, a class, a NumPy dtype) stands for.

    Raises:
        DTypeError E201: `spec` names no dtype that hybridize computes with.
    """
    known = _PYTHON.get(spec) if isinstance(spec, type) else None
    if known is not None:
        return known
    if isinstance(spec, str) and spec in BY_NAME:
        return BY_NAME[spec]
    try:
        is_array = hasattr(spec, "__array__") and not isinstance(spec, type)  # of which NumPy takes the dtype, in part
        dtype: DType = numpy.dtype(object if is_array else spec)
    except TypeError:
        dtype = numpy.dtype(object)
    if not dtype.isnative:
        dtype = dtype.newbyteorder("=")
    if dtype not in CODES:
        raise DTypeError("E201", f"{spec!r} is not a supported dtype", help=f"use one of {', '.join(sorted(BY_NAME))}")
    return dtype


def is_float(dtype: DType) -> bool:
    """Tell whether `dtype` is one of the four floating-point types."""
    return dtype in _FLOATS


def is_complex(dtype: DType) -> bool:
    """Tell whether `dtype` is one of the two of complex numbers."""
    return dtype.kind == "c"


def is_inexact(dtype: DType) -> bool:
    """Tell whether `dtype` is of floats or of complex numbers, which have gradients."""
    return dtype in _FLOATS or dtype.kind == "c"


def part_of(dtype: DType) -> DType:
    """The floats that the parts of complex numbers are, those that numbers of `dtype` become included."""
    return float64 if dtype in (float64, complex128) else float32


def complex_of(dtype: DType) -> DType:
    """The complex numbers that numbers of `dtype` become: complex128 of float64, else complex64."""
    return complex128 if dtype in (float64, complex128) else complex64


def is_integer(dtype: DType) -> bool:
    """Tell whether `dtype` is a signed or unsigned integer (bool is not)."""
    return dtype in _INTEGERS


CASTINGS = ("no", "equiv", "safe", "same_kind", "unsafe")
"""NumPy's words for the casts that are allowed."""


def castable(source: DType, result: DType, casting: str) -> bool:
    """Tell whether a conversion is one of those that a word of `CASTINGS` allows, as NumPy says.

    NumPy does not know bfloat16: it is a float with fewer digits than all others, and holds bytes.
    """
    if bfloat16 not in (source, result):
        return bool(numpy.can_cast(source, result, casting))  # type: ignore[arg-type]
    if source == result or casting == "unsafe":
        return True
    if result == bfloat16:
        safe, same_kind = source in (bool_, int8, uint8), not is_complex(source)
    else:
        safe, same_kind = result in (float32, float64), is_float(result)
    return {"safe": safe, "same_kind": same_kind}.get(casting, False)


def truncates(source: DType, result: DType) -> bool:
    """Tell whether a conversion makes integers of floats, of which NumPy leaves much to the machine (`converted`)."""
    return result.kind in "iu" and source.kind not in "iub"


def converted(x: numpy.ndarray[Any, Any], dtype: DType) -> numpy.ndarray[Any, Any]:
    """`x` as `dtype`: floats truncate to integers; beyond the range they become its ends, NaN 0, on every machine."""
    with numpy.errstate(invalid="ignore", over="ignore"):
        result: numpy.ndarray[Any, Any] = x.astype(dtype)
        if not truncates(x.dtype, dtype):
            return result
        wide = x if x.dtype.kind == "f" else x.astype(float32)
        ends = numpy.iinfo(dtype)
        low, high = (wide.dtype.type(float(end)) for end in (ends.min - 1, ends.max + 1))
        inside = (wide > low) & (wide < high)
        if inside.all():
            return result
        result[~inside & (wide <= low)] = ends.min
        result[~inside & (wide >= high)] = ends.max
        result[numpy.isnan(wide)] = 0
        return result


NO_INDEX = -(1 << 63)
"""The int64 number of a float that is no number: out of all bounds, as an index."""


def index_numbers(x: numpy.ndarray[Any, Any]) -> numpy.ndarray[Any, Any]:
    """Floats that hold indices as int64; NaN becomes `NO_INDEX`."""
    indices = converted(x, int64)
    missing = numpy.isnan(x)
    if missing.any():
        indices[missing] = NO_INDEX
    return indices


def code(dtype: DType) -> str:
    """The short code of `dtype`, as in `f32[2,3]`."""
    return CODES[dtype]
