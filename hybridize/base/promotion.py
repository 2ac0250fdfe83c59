# SPDX-License-Identifier: Apache-2.0
"""The promotion table: which dtype an operation on several dtypes computes in. Ours, not an accident of NumPy's.

    bool  <  integers  <  floats  <  complex numbers

1. Python numbers are weak: they take the dtype of the arrays beside them, unless they are of a higher kind: a float
   beside integers or bools gives float32 (the default float), an int beside bools gives int64. NumPy's scalar objects
   (`numpy.float64(2)`) count as Python numbers, so that `x / numpy.sqrt(d)` stays float32.
2. A float beside integers or bools is that float, whatever the widths.
3. Of two floats, the wider; float16 with bfloat16 gives float32, the smallest that holds both.
4. Integers mix as in NumPy (the smallest that holds both). uint64 with a signed integer has none: float64.
5. A complex number beside floats has parts of the wider dtype of both: complex64, or complex128 where there is a
   float64. Beside integers and bools it keeps its own; a Python complex number beside them gives complex64.
6. Division of integers, and functions such as `exp` of integers or bools, give float32. Comparisons give bool.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import Any

import numpy

from hybridize.base import dtypes

Number = bool | int | float | complex | numpy.generic
NUMBERS = (int, float, complex, numpy.generic)
"""Classes of weak operands (bool is an int)."""

EXACT = 1 << 53
"""Integers up to here are the same in 64-bit floats, and their sums are far from the end of 64 bits."""
_KIND = {"b": bool, "i": int, "u": int, "f": float, "c": complex}


@cache
def python_kind(kind: type) -> type:
    """The kind of a class of numbers: Python's own class, or the one that NumPy's scalars of a class count as."""
    return _KIND.get(numpy.dtype(kind).kind, float) if issubclass(kind, numpy.generic) else kind


@cache
def number_dtype(kind: type) -> dtypes.DType:
    """The dtype in which a number of a class is part of a program: 64 bits for Python's, NumPy's scalars their own."""
    if issubclass(kind, numpy.generic):
        return numpy.dtype(kind)
    return {bool: dtypes.bool_, int: dtypes.int64, float: dtypes.float64, complex: dtypes.complex128}[kind]


def weak_kind(number: Any) -> type:
    """bool, int, float or complex: what kind of Python number a weak operand is."""
    if isinstance(number, numpy.generic):
        return _KIND.get(number.dtype.kind, float)
    if isinstance(number, (float, complex)):
        return float if isinstance(number, float) else complex
    return bool if isinstance(number, bool) else int


@cache
def promote(x: dtypes.DType, y: dtypes.DType) -> dtypes.DType:
    """The dtype that both `x` and `y` compute in (rules 2 to 5)."""
    if x == y:
        return x
    if dtypes.is_complex(x) or dtypes.is_complex(y):
        return (
            dtypes.complex128 if dtypes.complex128 in (dtypes.complex_of(x), dtypes.complex_of(y)) else dtypes.complex64
        )
    if dtypes.is_float(x) and dtypes.is_float(y):
        if {x, y} == {dtypes.float16, dtypes.bfloat16}:
            return dtypes.float32
        return x if x.itemsize > y.itemsize else y
    if dtypes.is_float(x) or dtypes.is_float(y):
        return x if dtypes.is_float(x) else y
    if x == dtypes.bool_ or y == dtypes.bool_:
        return y if x == dtypes.bool_ else x
    both = numpy.promote_types(x, y)
    return both if dtypes.is_integer(both) else dtypes.float64


@cache
def with_weak(dtype: dtypes.DType, kind: type) -> dtypes.DType:
    """The dtype of an array of `dtype` beside a Python number of `kind` (rule 1)."""
    if kind is complex:
        return dtypes.complex_of(dtype)
    if kind is float and not dtypes.is_inexact(dtype):
        return dtypes.float32
    if kind is int and dtype == dtypes.bool_:
        return dtypes.int64
    return dtype


_WEAK_ALONE: dict[type, dtypes.DType] = {
    bool: dtypes.bool_,
    int: dtypes.int64,
    float: dtypes.float32,
    complex: dtypes.complex64,
}


def default_dtype(kind: type) -> dtypes.DType:
    """The dtype that a Python number of `kind` has when it stands alone: bool, int64, float32 or complex64."""
    return _WEAK_ALONE[kind]


def result_dtype(strong: Iterable[dtypes.DType], weak: Iterable[type] = ()) -> dtypes.DType:
    """The dtype that arrays of dtypes `strong` and Python numbers of kinds `weak` compute in together."""
    result: dtypes.DType | None = None
    for dtype in strong:
        result = dtype if result is None else promote(result, dtype)
    kinds = set(weak)
    if result is None:
        return next((_WEAK_ALONE[kind] for kind in (complex, float, int) if kind in kinds), dtypes.bool_)
    for kind in kinds:
        result = with_weak(result, kind)
    return result


@cache
def floating(dtype: dtypes.DType) -> dtypes.DType:
    """The dtype in which a function that needs floats computes (rule 6); complex numbers stay what they are."""
    return dtype if dtypes.is_inexact(dtype) else dtypes.float32


@cache
def accumulator(dtype: dtypes.DType) -> dtypes.DType:
    """The dtype of a sum or product of many: as in NumPy, integers and bools widen to 64 bits, others keep theirs."""
    if dtypes.is_inexact(dtype):
        return dtype
    return numpy.dtype(numpy.uint64) if dtype.kind == "u" else dtypes.int64
