# SPDX-License-Identifier: Apache-2.0
"""Operands of entries: numbers as tensors, and what a program asserts of the numbers in one."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy

from hybridize import ops
from hybridize.base.dims import is_symbolic, product
from hybridize.base.dtypes import DType, is_float
from hybridize.base.frozen import frozen
from hybridize.base.locations import user_location
from hybridize.capture.trace.recording import current_trace
from hybridize.graph import Value
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


def flattened(x: Operand) -> Operand:
    """Return the elements of a tensor as one axis."""
    return ops.reshape(x, (product(type_of(x).shape),))


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


def underived(result: Operand, message: str, *sources: Any, error: type[Exception] = RuntimeError) -> Operand:
    """Return the result of a function of tensors of which PyTorch has no derivative: a pass back raises its error."""
    floats = [one for one in (result, *sources) if isinstance(one, Value) and is_float(type_of(one).dtype)]
    if len(floats) < 2 or floats[0] is not result:
        return result
    of, *kinds = map(type_of, floats)

    def back(cotangent: Operand) -> list[Operand]:
        never = ops.lt(ops.abs(cotangent), ops.like(-1, cotangent))  # no pass knows; so it stays in the pass back
        required(ops.any(never, tuple(range(type_of(cotangent).ndim))), message, error)
        return [ops.full(0, kind) for kind in kinds]

    body, pulled = ops.make_graph(lambda x, *_: [x], (of, *kinds)), ops.make_graph(back, (of,))
    return ops.bind(ops.CustomGradient(message, body, pulled, 1, (0,), tuple(range(1, len(floats)))), *floats)[0]


def check_constants(function: str, **operands: Operand | None) -> None:
    """Check that no gradient goes through arguments by which PyTorch has no derivative of a function.

    Raises:
        RuntimeError: one does; in PyTorch's words.
    """
    trace: Any = current_trace()
    for name, x in operands.items():
        if x is not None and trace.differentiated and trace.root.library.is_live(trace, x):
            raise RuntimeError(
                f"The function '{function}' is not differentiable with respect to argument '{name}'. This input cannot "
                "have requires_grad True."
            )


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
