# SPDX-License-Identifier: Apache-2.0
"""The Python array API standard's namespace (2025.12), stricter than `np`: `hybridize.array_api`.

Numbers from lists keep their kind: `asarray([1, 2])` is int64 and `arange(3)` is int64; the default float is float32.
`astype` and the functions take no lists, and names that the standard lacks are not here.

Source: https://data-apis.org/array-api/2025.12/
"""

from __future__ import annotations

import builtins
from collections.abc import Callable
from typing import Any

import numpy

from hybridize.array import np
from hybridize.array.device import Device, cpu
from hybridize.array.device import check_device as _check_device
from hybridize.array.functions import creation, elementwise
from hybridize.array.functions import shapes as _shapes
from hybridize.base.dtypes import as_dtype, bool_
from hybridize.base.dtypes import complex64 as _default_complex
from hybridize.base.dtypes import float32 as _default
from hybridize.base.dtypes import int64 as _default_int
from hybridize.base.names import late, places

_OF_NP = (
    "abs acos acosh add all any argmax argmin argsort asin asinh atan atan2 atanh bitwise_and bitwise_invert "
    "bitwise_left_shift bitwise_or bitwise_right_shift bitwise_xor broadcast_shapes broadcast_to ceil clip complex128 "
    "complex64 concat conj copysign cos cosh count_nonzero cumulative_prod cumulative_sum diff divide e empty "
    "empty_like equal exp expand_dims expm1 eye flip float32 float64 floor from_dlpack full full_like greater "
    "greater_equal hypot iinfo imag inf int16 int32 int64 int8 isdtype isfinite isin isinf isnan less less_equal "
    "linspace log log10 log1p log2 logaddexp logical_and logical_not logical_or logical_xor matmul max maximum mean "
    "min minimum moveaxis multiply nan negative newaxis nextafter nonzero not_equal ones ones_like permute_dims pi "
    "positive pow prod real reciprocal remainder repeat result_type roll round searchsorted sign signbit sin sinh "
    "sort sqrt square squeeze stack std subtract sum take take_along_axis tan tanh tensordot tile tril triu trunc "
    "uint16 uint32 uint64 uint8 unique_all unique_counts unique_inverse unique_values unstack var where zeros "
    "zeros_like"
)

bool = numpy.bool_
__array_api_version__ = "2025.12"


def asarray(obj: Any, /, *, dtype: Any = None, device: Any = None, copy: Any = None) -> Any:
    """An array of `obj`; bools stay bool, integers become int64, floats float32, complex numbers complex64."""
    if dtype is None and not hasattr(obj, "dtype"):
        kind = numpy.asarray(obj).dtype.kind
        dtype = {"b": bool_, "i": _default_int, "u": _default_int, "c": _default_complex}.get(kind, _default)
    return creation.asarray(obj, dtype, device=device, copy=copy)


def arange(start: Any, /, stop: Any = None, step: Any = 1, *, dtype: Any = None, device: Any = None) -> Any:
    """start, start + step, ...; int64 where all three are integers."""
    if dtype is None and np.result_type(*(part for part in (start, stop, step) if part is not None)).kind == "i":
        dtype = _default_int
    return creation.arange(start, stop, step, dtype, device=device)


def astype(x: Any, dtype: Any, /, *, copy: Any = True, device: Any = None) -> Any:
    """`x` as another dtype."""
    _check_device(device)
    return elementwise.astype(x, dtype, copy=copy)


class _FloatInformation:
    """The ends of a dtype of floats, as Python's numbers."""

    eps: float
    max: float
    min: float
    bits: int
    smallest_normal: float

    def __init__(self, dtype: Any) -> None:
        information = np.finfo(dtype)
        self.dtype: numpy.dtype[Any] = information.dtype
        self.bits = int(information.bits)
        self.eps, self.max, self.min = float(information.eps), float(information.max), float(information.min)
        self.smallest_normal = float(information.smallest_normal)


def finfo(type: Any, /) -> _FloatInformation:
    """The ends of a dtype of floats, or of that of an array."""
    return _FloatInformation(getattr(type, "dtype", type) if not isinstance(type, builtins.type) else type)


def broadcast_arrays(*arrays: Any) -> tuple[Any, ...]:
    """The arrays stretched to the shape that they have together; read-only views."""
    return tuple(np.broadcast_arrays(*arrays))


def meshgrid(*arrays: Any, indexing: str = "xy") -> tuple[Any, ...]:
    """Arrays of the coordinates of a grid."""
    return tuple(np.meshgrid(*arrays, indexing=indexing))


def floor_divide(x1: Any, x2: Any, /) -> Any:
    """The largest integer not above x1 / x2; where one of both is infinite the limit, where NumPy has NaN or -1."""
    floor = np.floor_divide(x1, x2)
    if not np.isdtype(floor.dtype, "real floating"):
        return floor
    quotient = np.divide(x1, x2)
    infinite = np.logical_or(np.isinf(x1), np.isinf(x2))
    return np.where(np.logical_and(infinite, np.not_equal(x2, 0)), quotient, floor)


def reshape(x: Any, /, shape: Any, *, copy: Any = None) -> Any:
    """The same elements under another shape, one size may be -1."""
    return _shapes.reshape(x, shape, copy=copy)


def can_cast(from_: Any, to: Any, /) -> Any:
    """Tell whether promotion of both gives `to`."""
    return np.result_type(from_, to) == np.result_type(to)


class _Information:
    """The answers to the questions that the standard asks a namespace about itself."""

    def capabilities(self) -> dict[str, Any]:
        """Boolean indexing and data-dependent shapes work imperatively."""
        return {"boolean indexing": True, "data-dependent shapes": True, "max dimensions": 64}

    def default_device(self) -> Device:
        """The CPU."""
        return cpu()

    def devices(self) -> tuple[Device, ...]:
        """The CPU."""
        return (cpu(),)

    def default_dtypes(self, *, device: Any = None) -> dict[str, Any]:
        """Default dtypes by kind."""
        return {
            "real floating": _default, "complex floating": _default_complex, "integral": _default_int,
            "indexing": _default_int,
        }  # fmt: skip

    def dtypes(self, *, device: Any = None, kind: Any = None) -> dict[str, Any]:
        """Dtypes by name."""
        names = (
            "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float32", "float64",
            "complex64", "complex128",
        )  # fmt: skip
        return {name: as_dtype(name) for name in names if kind is None or np.isdtype(name, kind)}


def __array_namespace_info__() -> _Information:  # noqa: N807 - a name of the standard
    return _Information()


PLACES = places("hybridize.array", {"np": _OF_NP, "linalg": "matrix_transpose vecdot vector_norm"}) | {
    "fft": "hybridize.array.fft",
    "linalg": "hybridize.array.array_api_linalg",
}
"""Places of the names that the standard shares with others."""

__all__ = sorted(
    [
        *PLACES, "arange", "asarray", "astype", "bool", "broadcast_arrays", "can_cast", "finfo", "floor_divide",
        "meshgrid", "reshape",
    ]
)  # fmt: skip

__dir__: Callable[[], list[str]]
__getattr__: Callable[[str], Any]
__getattr__, __dir__ = late(globals(), PLACES)
