# SPDX-License-Identifier: Apache-2.0
"""Norms along axes, and roots and logarithms of sums: where a root has no slope, its gradient is 0."""

from __future__ import annotations

import math

from hybridize.base import dims
from hybridize.base.dtypes import int64
from hybridize.ops.analysis import exp, isfinite, isnan, log, sqrt
from hybridize.ops.arithmetic import abs, add, eq, ge, mul, sign, sub, where
from hybridize.ops.op import Operand, type_of
from hybridize.ops.powers import pow
from hybridize.ops.reductions import reduce_max, shared_reduce_max, shared_reduce_min
from hybridize.ops.slicing import iota
from hybridize.ops.views import broadcast, like, reshape, spread, stop_gradient, sum


def root(x: Operand, order: float = 2.0) -> Operand:
    """Return the root of what is not negative; its gradient where that is 0 is 0."""
    none = eq(x, like(0, x))
    safe = where(none, like(1, x), x)
    return where(none, like(0, x), sqrt(safe) if order == 2 else pow(safe, like(1 / order, safe)))


def norm(x: Operand, order: float, axes: tuple[int, ...]) -> Operand:
    """Return (sum |x|^order)^(1 / order) along axes, for infinite orders the largest or smallest, for 0 the count."""
    size = abs(x)
    if order == 1:
        return sum(size, axes)
    if math.isinf(order):
        return shared_reduce_max(size, axes) if order > 0 else shared_reduce_min(size, axes)
    if order == 0:
        one = like(1, size)
        return sum(where(isnan(size), one, sign(size)), axes)  # of slope 0, not without one
    total = sum(mul(x, x) if order == 2 else pow(size, like(order, x)), axes)
    return root(total, order) if order > 0 else pow(total, like(1 / order, total))  # 0 where an element is


def log_sum_exp(x: Operand, axes: tuple[int, ...]) -> Operand:
    """Return log(sum(exp(x))) along axes, -infinity of nothing."""
    shape = type_of(x).shape
    if 0 in [shape[axis] for axis in axes]:
        total = sum(x, axes)  # 0, and its gradient goes on
        return add(total, like(-math.inf, total))
    most = stop_gradient(reduce_max(x, axes))
    level = where(isfinite(most), most, like(0, most))
    return add(log(sum(exp(sub(x, spread(level, shape, axes))), axes)), level)


def log_cum_sum_exp(x: Operand, axis: int) -> Operand:
    """Return the logarithms of the running sums of exp(x) along an axis.

    Each element stands against all before it: a running maximum as level would let small ones vanish.
    """
    of = type_of(x).shape
    sizes = (*of[: axis + 1], of[axis], *of[axis + 1 :])
    apart = broadcast(reshape(x, (*of[:axis], 1, *of[axis:])), sizes)
    before = ge(iota(sizes, axis, int64), iota(sizes, axis + 1, int64))
    return log_sum_exp(where(before, apart, like(-math.inf, apart)), (axis + 1,))


def differences(x: Operand, y: Operand) -> Operand:
    """Return each row of one array less each row of another: [..., m, n, k].

    Args:
        x: [..., m, k].
        y: [..., n, k]; the axes before stretch to one shape.
    """
    left, right = type_of(x).shape, type_of(y).shape
    shape = (*(dims.broadcast(left[:-2], right[:-2]) or ()), left[-2], *right[-2:])
    x, y = reshape(x, (*left[:-1], 1, left[-1])), reshape(y, (*right[:-2], 1, *right[-2:]))

    def wide(one: Operand) -> Operand:
        own = type_of(one).shape
        return broadcast(reshape(one, ((1,) * (len(shape) - len(own)) + tuple(own))), shape)

    return sub(wide(x), wide(y))
