# SPDX-License-Identifier: Apache-2.0
"""Identities of elementary functions that take fewer instructions, for at most 2 ulp of the result.

Unlike those of `simplify` they are not exact to the bit; NaN, infinities and signs of zero stay.
"""

from __future__ import annotations

from hybridize import ops
from hybridize.base import dims
from hybridize.graph import Node, Value
from hybridize.ops import Op
from hybridize.passes.simplify import Operands, RewriteContext, filled, rewrites


@rewrites(ops.Mul)
def half_of_one_and_tanh(context: RewriteContext, op: Op, operands: Operands) -> Value | None:
    """(1 + tanh u) / 2 = sigmoid(2 u), also as y / 2 times the sum or half of y times it: no tail cancels."""
    if not context.has(ops.Tanh):
        return None
    for x, y in (operands, operands[::-1]):
        angle = _angle(context, y)
        if angle is not None:
            if context.number(x) == 0.5:
                return _sigmoid_of_twice(context, angle)
            rest = _other_factor(context, x)
            return None if rest is None else context.apply(op, rest, _sigmoid_of_twice(context, angle))
        product = context.producer(y, ops.Mul)
        if context.number(x) == 0.5 and product is not None:
            for rest, factor in (product.inputs, product.inputs[::-1]):
                angle = _angle(context, factor)
                if angle is not None:
                    return context.apply(op, rest, _sigmoid_of_twice(context, angle))
    return None


def _angle(context: RewriteContext, value: Value) -> Value | None:
    """U where `value` is 1 + tanh u."""
    node = context.producer(value, ops.Add)
    if node is None:
        return None
    for x, y in (node.inputs, node.inputs[::-1]):
        tanh = context.producer(y, ops.Tanh)
        if tanh is not None and context.number(x) == 1:
            return tanh.inputs[0]
    return None


def _other_factor(context: RewriteContext, value: Value) -> Value | None:
    """Y where `value` is y / 2."""
    node = context.producer(value, ops.Mul)
    if node is None:
        return None
    x, y = node.inputs
    return y if context.number(x) == 0.5 else x if context.number(y) == 0.5 else None


def _sigmoid_of_twice(context: RewriteContext, u: Value) -> Value:
    product = context.producer(u, ops.Mul)
    for x, y in (product.inputs, product.inputs[::-1]) if product is not None else ():
        factor = context.number(x)
        if factor is not None:  # 2 (c y) = (2 c) y
            return context.apply(ops.Sigmoid(), context.apply(ops.Mul(), filled(context, u, 2 * factor), y))
    return context.apply(ops.Sigmoid(), context.apply(ops.Mul(), filled(context, u, 2), u))


@rewrites(ops.Div)
def over_copies_of_a_root(context: RewriteContext, op: Op, operands: Operands) -> Value | None:
    """x / sqrt(v) = x rsqrt(v) where v is copied: a division per root instead of one per element.

    Roots are far from where a reciprocal overflows or loses digits, and hardly ever exact: at most 2 ulp are at stake.
    """
    x, y = operands
    y, views = _copied(context, y)
    root = context.producer(y, ops.Sqrt)
    if root is None or not _is_copied_often(x, y):
        return None
    return _times_copies(context, x, context.apply(ops.Rsqrt(), *root.inputs), views)


@rewrites(ops.Div)
def over_copies_of_a_total_of_powers(context: RewriteContext, op: Op, operands: Operands) -> Value | None:
    """x / sum(x) = x (1 / sum(x)) for x = exp(u - max u), a softmax: a division per row instead of one per element.

    The largest x is 1, so the sum is between 1 and the number of terms, far from where a reciprocal overflows or loses
    digits. Where all u are -infinity, a maximum that is cut at a number and a sum that is 1 instead of 0 do as well.
    """
    x, y = operands
    y, views = _copied(context, y)
    total = _total(context, y)
    if total is None or total.inputs[0] is not x or not _is_copied_often(x, y) or not _is_power(context, x):
        return None
    return _times_copies(context, x, context.apply(op, filled(context, y, 1), y), views)


def _copied(context: RewriteContext, value: Value) -> tuple[Value, list[Op]]:
    """The value of which another one holds copies, and the views that make it."""
    views: list[Op] = []
    while (view := context.producer(value, ops.Broadcast) or context.producer(value, ops.Reshape)) is not None:
        assert isinstance(view.op, Op)
        views.append(view.op)
        (value,) = view.inputs
    return value, views


def _is_copied_often(x: Value, y: Value) -> bool:
    return dims.hint(y.type.size) * 2 <= dims.hint(x.type.size)


def _times_copies(context: RewriteContext, x: Value, factor: Value, views: list[Op]) -> Value:
    for view_op in reversed(views):
        factor = context.apply(view_op, factor)
    return context.apply(ops.Mul(), x, factor)


def _total(context: RewriteContext, value: Value) -> Node | None:
    """The sum that a value is, or is where that is more than 0."""
    chosen = context.producer(value, ops.Where)
    if chosen is not None:
        condition, value, other = chosen.inputs
        comparison = context.producer(condition, ops.Gt)
        if comparison is None or comparison.inputs[0] is not value:
            return None
        if context.number(comparison.inputs[1]) != 0 or context.number(other) != 1:
            return None
    return context.producer(value, ops.Sum)


def _is_power(context: RewriteContext, value: Value) -> bool:
    """Tell whether a value is exp(u - max u), the maximum perhaps cut at a number."""
    power = context.producer(value, ops.Exp)
    less = None if power is None else context.producer(power.inputs[0], ops.Sub)
    if less is None:
        return False
    top, _ = _copied(context, less.inputs[1])
    cut = context.producer(top, ops.Max)
    if cut is not None:
        if context.number(cut.inputs[1]) is None:
            return False
        (top, _) = cut.inputs
    largest = context.producer(top, ops.ReduceMax)
    return largest is not None and largest.inputs[0] is less.inputs[0]
