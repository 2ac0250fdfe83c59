# SPDX-License-Identifier: Apache-2.0
"""The promotion table: which dtype an operation on several dtypes computes in. Ours, not an accident of NumPy's.

    bool  <  integers  <  floats

1. Python numbers are weak: they take the dtype of the arrays beside them, unless they are of a higher kind: a float
   beside integers or bools gives float32 (the default float), an int beside bools gives int64. NumPy's scalar objects
   (`numpy.float64(2)`) count as Python numbers, so that `x / numpy.sqrt(d)` stays float32.
2. A float beside integers or bools is that float, whatever the widths.
3. Of two floats, the wider; float16 with bfloat16 gives float32, the smallest that holds both.
4. Integers mix as in NumPy (the smallest that holds both). uint64 with a signed integer has none: float64.
5. Division of integers, and functions such as `exp` of integers or bools, give float32. Comparisons give bool.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import Any

import numpy

from hybridize.base.dtypes import DType, bfloat16, bool_, float16, float32, float64, int64, is_float, is_integer

Number = bool | int | float | numpy.generic
NUMBERS = (int, float, numpy.generic)
"""Classes of weak operands (bool is an int)."""

EXACT = 1 << 53
"""Integers up to here are the same in 64-bit floats, and their sums are far from the end of 64 bits."""
_KIND = {"b": bool, "i": int, "u": int, "f": float}


@cache
def python_kind(kind: type) -> type:
    """bool, int or float for a class of numbers: Python's own, or the one that NumPy's scalars of a class count as."""
    return _KIND.get(numpy.dtype(kind).kind, float) if issubclass(kind, numpy.generic) else kind


@cache
def number_dtype(kind: type) -> DType:
    """The dtype in which a number of a class is part of a program: 64 bits for Python's, NumPy's scalars their own."""
    if issubclass(kind, numpy.generic):
        return numpy.dtype(kind)
    return {bool: bool_, int: int64, float: float64}[kind]


def weak_kind(number: Any) -> type:
    """bool, int or float: what kind of Python number a weak operand is."""
    if isinstance(number, numpy.generic):
        return _KIND.get(number.dtype.kind, float)
    return bool if isinstance(number, bool) else int if isinstance(number, int) else float


@cache
def promote(x: DType, y: DType) -> DType:
    """The dtype that both `x` and `y` compute in (rules 2 to 4)."""
    if x == y:
        return x
    if is_float(x) and is_float(y):
        if {x, y} == {float16, bfloat16}:
            return float32
        return x if x.itemsize > y.itemsize else y
    if is_float(x) or is_float(y):
        return x if is_float(x) else y
    if x == bool_ or y == bool_:
        return y if x == bool_ else x
    both = numpy.promote_types(x, y)
    return both if is_integer(both) else float64


@cache
def with_weak(dtype: DType, kind: type) -> DType:
    """The dtype of an array of `dtype` beside a Python number of `kind` (rule 1)."""
    if kind is float and not is_float(dtype):
        return float32
    if kind is int and dtype == bool_:
        return int64
    return dtype


_WEAK_ALONE: dict[type, DType] = {bool: bool_, int: int64, float: float32}


def default_dtype(kind: type) -> DType:
    """The dtype that a Python number of `kind` has when it stands alone: bool, int64 or float32."""
    return _WEAK_ALONE[kind]


def result_dtype(strong: Iterable[DType], weak: Iterable[type] = ()) -> DType:
    """The dtype that arrays of dtypes `strong` and Python numbers of kinds `weak` compute in together."""
    result: DType | None = None
    for dtype in strong:
        result = dtype if result is None else promote(result, dtype)
    kinds = set(weak)
    if result is None:
        return float32 if float in kinds else int64 if int in kinds else bool_
    for kind in kinds:
        result = with_weak(result, kind)
    return result


@cache
def floating(dtype: DType) -> DType:
    """The dtype in which a function that needs floats computes (rule 5)."""
    return dtype if is_float(dtype) else float32


@cache
def accumulator(dtype: DType) -> DType:
    """The dtype of a sum or product of many: floats keep theirs, integers and bools widen to 64 bits, as in NumPy."""
    if is_float(dtype):
        return dtype
    return numpy.dtype(numpy.uint64) if dtype.kind == "u" else int64
