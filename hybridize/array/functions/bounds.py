# SPDX-License-Identifier: Apache-2.0
"""Bounds checks: of indices whose values are known at once, of the others by an assertion of the program.

An index that is out of bounds is an `OutOfBoundsError`, imperatively at the user's line. A program that is captured has
no values yet: it asserts, as `npx.assert_` does, and a call that fails changes nothing; but for indices that are within
bounds by what made them, as `argmax` of the axis does.
"""

from __future__ import annotations

from typing import Any

import numpy

from hybridize import ops
from hybridize.array.operands import broadcast, cast, shape_of, strong
from hybridize.array.staging import staging
from hybridize.base import dims
from hybridize.base.dtypes import bool_, int64
from hybridize.base.errors import ValueArgumentError
from hybridize.ops.library.bounds import check as check_indices
from hybridize.ops.op import Operand, bind, bind1, constant


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
    if isinstance(index, numpy.ndarray) or not _proven(index, low, high):
        check_indices(index, low, high, what, help)


def _proven(index: Operand, low: Any, high: Any) -> bool:
    """Tell whether indices are within bounds whatever the call."""
    if not (isinstance(low, int) and isinstance(high, int)):
        return False
    bounds = staging().between(index)
    if bounds is None:
        return False
    least, most = bounds
    if least < -dims.FAR or (not dims.is_symbolic(most) and most > dims.FAR):
        return False  # beyond any axis, and beyond what sizes are computed with
    return dims.proven(least - low, 0) and dims.proven(high - 1 - most, 0)


def _everywhere(number: Any, shape: Any) -> Operand:
    return broadcast(cast(number, int64), shape) if isinstance(number, int) else number


def from_front(index: Operand, length: int, what: str) -> Operand:
    """Indices of an axis of `length`, checked, the negative ones counted from the front."""
    check(index, -length, length, what)
    if isinstance(index, numpy.ndarray):
        if not dims.is_symbolic(length):
            positions: Operand = numpy.where(index < 0, index + length, index)
            return positions
        if not (index < 0).any():
            return index
        index = constant(index)
    elif _proven(index, 0, length):
        return index
    shape = shape_of(index)
    moved = bind1(ops.Add(), index, _everywhere(length, shape))
    return bind1(ops.Where(), bind1(ops.Lt(), index, _everywhere(0, shape)), moved, index)


def require(condition: Any, rule: str, help: str = "") -> None:
    """Refuse arguments that break a rule: at once where their values are known, else by an assertion of the program.

    Args:
        condition: a Python bool, or an array of bools that are all to be true.
        rule: what holds of the arguments: "normal: scale is not negative".
        help: a remedy.

    Raises:
        ValueArgumentError E345: it does not hold.
    """
    if isinstance(condition, (bool, numpy.bool_)):
        holds = bool(condition)
    else:
        fine = strong(condition, bool_)
        if not isinstance(fine, numpy.ndarray):
            axes = tuple(range(len(shape_of(fine))))
            bind(ops.Permitted(rule), bind1(ops.All(axes), fine) if axes else fine)
            return
        holds = bool(fine.all())
    if not holds:
        raise ValueArgumentError("E345", rule, help=help)
