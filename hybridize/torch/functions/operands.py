# SPDX-License-Identifier: Apache-2.0
"""Operands of entries: numbers as tensors, and what a program asserts of the numbers in one."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy

from hybridize import ops
from hybridize.base.dims import is_symbolic
from hybridize.base.dtypes import DType
from hybridize.base.frozen import frozen
from hybridize.base.locations import user_location
from hybridize.ops import Operand, type_of
from hybridize.runtime.recipes import name_of


@frozen
class SizeNumber:
    """A Python number that only a call knows: `x / n ** 0.5` where `n` is a size.

    Python computes it in float64, outside of all tensors, and a tensor takes it in its own dtype, as any number.
    """

    operand: Operand
    """Without axes; of float64, int64 or bool, by its kind."""
    kind: type = float
    """float, int or bool."""


def operand(x: Any, dtype: DType, shape: Sequence[int] = ()) -> Operand:
    """Return a tensor or number as an operand of a dtype, broadcast to `shape`."""
    if isinstance(x, SizeNumber):
        x = x.operand
    elif is_symbolic(x):
        x = ops.size_of(x)
    elif isinstance(x, (bool, int, float)):
        if type(x) is float and dtype.kind in "iu":
            x = int(x) if math.isfinite(x) else 0
        x = ops.scalar(_around(x, dtype) if type(x) is int and dtype.kind in "iu" else x, dtype)
    x = ops.cast(x, dtype)
    return ops.broadcast(x, tuple(shape))


def _around(x: int, dtype: DType) -> int:
    """Return the integer of a dtype that has the same last bits, as PyTorch takes what is beyond its ends."""
    limits = numpy.iinfo(dtype)
    low, count = int(limits.min), int(limits.max) - int(limits.min) + 1
    return (x - low) % count + low


def required(fine: Operand, message: str, error: type[Exception] = RuntimeError) -> None:
    """Let the program raise `error` with PyTorch's message, at the user's line, unless all of `fine` (bool) hold."""
    every = ops.all(fine, tuple(range(type_of(fine).ndim)))
    line = user_location()
    note = "" if line is None else f"  {line.described()}"
    recipe = name_of(error), ("tuple", (("constant", message),)), ("dict", ()), note
    ops.bind(ops.Assert(message, repr(recipe)), every)


def within(index: Operand, size: int, low: int = 0, message: str = "") -> Operand:
    """Indices that are from `low` up to `size`, or else PyTorch's error: an `IndexError`, unless it has a `message`.

    Those that have one are RuntimeErrors of PyTorch's.
    """
    fine = ops.bit_and(ops.ge(index, ops.like(low, index)), ops.lt(index, ops.like(size, index)))
    if message:
        required(fine, message)
    else:
        ops.bind(ops.Bounds("an index is out of range"), ops.all(fine, tuple(range(type_of(index).ndim))))
    return index


def within_axis(index: Operand, size: int, axis: int) -> Operand:
    """Indices along an axis, from 0 up to its size, of functions whose error is a RuntimeError in PyTorch."""
    known = "" if is_symbolic(size) else f" with size {size}"
    return within(index, size, message=f"an index is out of bounds for dimension {axis}{known}")


def between(x: Operand, message: str) -> None:
    """Let the program raise unless all of `x` are numbers from 0 to 1."""
    required(ops.bit_and(ops.ge(x, ops.like(0, x)), ops.le(x, ops.like(1, x))), message)
