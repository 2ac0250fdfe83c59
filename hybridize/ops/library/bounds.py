# SPDX-License-Identifier: Apache-2.0
"""Bounds checks of indices: at once where their values are known, else by an assertion of the program."""

from __future__ import annotations

from typing import Any

import numpy

from hybridize import ops
from hybridize.base import dims
from hybridize.base.dtypes import NO_INDEX
from hybridize.base.errors import OutOfBoundsError
from hybridize.ops.op import Operand, bind, type_of


def check(index: Operand, low: Any, high: Any, what: str, help: str = "") -> None:
    """Refuse int64 indices that are below `low`, or not below `high`.

    Args:
        index: an operand.
        low: a number, or an operand of the shape of `index`.
        high: the same.
        what: who asks, and of what: "take from axis 0 of f32[3]".
        help: a remedy, where there is a better one than to look at the bounds.

    Raises:
        OutOfBoundsError E110: where the values are known.
    """
    if isinstance(index, numpy.ndarray):
        if _outside(index, low, high):
            wrong = index[(index < low) | (index >= high)][0]
            shown = "NaN" if wrong == NO_INDEX else wrong
            raise OutOfBoundsError("E110", f"{what}: index {shown} is out of bounds", help=help or _bounds(low, high))
        return
    least, most = (ops.like(end, index) if isinstance(end, int) else end for end in (low, high))
    fine = ops.bit_and(ops.ge(index, least), ops.lt(index, most))
    ndim = type_of(index).ndim
    message = f"{what}: an index is out of bounds; {help or _bounds(low, high)}"
    bind(ops.Bounds(message), ops.all(fine, tuple(range(ndim))) if ndim else fine)


def _outside(index: numpy.ndarray[Any, Any], low: Any, high: Any) -> bool:
    if not index.size:
        return False
    if isinstance(low, int) and isinstance(high, int):  # sizes among them may be symbols, which compare with integers
        return bool(int(index.min()) < low or int(index.max()) >= high)
    return bool(((index < low) | (index >= high)).any())


def _bounds(low: Any, high: Any) -> str:
    if all(isinstance(end, int) and not dims.is_symbolic(end) for end in (low, high)):
        return f"indices run from {low} to {high - 1}" if high > low else "test x.size first"
    return "indices run from 0 to n - 1" if isinstance(low, int) and low == 0 else "indices run from -n to n - 1"
