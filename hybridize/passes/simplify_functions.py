# SPDX-License-Identifier: Apache-2.0
"""Identities of elementary functions that take fewer instructions, for at most 2 ulp of the result.

Unlike those of `simplify` they are not exact to the bit; NaN, infinities and signs of zero stay.
"""

from __future__ import annotations

from hybridize import ops
from hybridize.base import dims
from hybridize.graph import Value
from hybridize.ops import Op
from hybridize.passes.simplify import Operands, RewriteContext, filled, rewrites


@rewrites(ops.Mul)
def half_of_one_and_tanh(context: RewriteContext, op: Op, operands: Operands) -> Value | None:
    """(1 + tanh u) / 2 = sigmoid(2 u), also as y / 2 times the sum or half of y times it: no tail cancels."""
    for x, y in (operands, operands[::-1]):
        found = _angle(context, y)
        if found is not None:
            if context.number(x) == 0.5:
                return _sigmoid_of_twice(context, found)
            rest = _other_factor(context, x)
            return None if rest is None else context.apply(op, rest, _sigmoid_of_twice(context, found))
        product = context.producer(y, ops.Mul)
        if context.number(x) == 0.5 and product is not None:
            for rest, factor in (product.inputs, product.inputs[::-1]):
                found = _angle(context, factor)
                if found is not None:
                    return context.apply(op, rest, _sigmoid_of_twice(context, found))
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
    views: list[Op] = []
    while (view := context.producer(y, ops.Broadcast) or context.producer(y, ops.Reshape)) is not None:
        assert isinstance(view.op, Op)
        views.append(view.op)
        (y,) = view.inputs
    root = context.producer(y, ops.Sqrt)
    if root is None or dims.hint(y.type.size) * 2 > dims.hint(x.type.size):
        return None
    copies = context.apply(ops.Rsqrt(), *root.inputs)
    for view_op in reversed(views):
        copies = context.apply(view_op, copies)
    return context.apply(ops.Mul(), x, copies)
