# SPDX-License-Identifier: Apache-2.0
"""Values whose gradients are those of other ones, or are said."""

from __future__ import annotations

import functools
from collections.abc import Callable

from hybridize.base.types import TensorType
from hybridize.ops.arithmetic import mul
from hybridize.ops.custom import CustomGradient
from hybridize.ops.op import Op, Operand, bind, bind1, capturing, type_of
from hybridize.ops.tracing import make_graph


def with_gradient_of(other: Operand, value: Operand) -> Operand:
    """Return a value with the gradient of another one, of the same type: no gradient goes to what the value is of."""
    kind = type_of(value)
    return bind1((_gradient_of_once if kind.scope is None else _gradient_of)(kind), other, value)


def _gradient_of(kind: TensorType) -> CustomGradient:
    body = make_graph(lambda other, value: [value], (kind, kind))
    back = make_graph(lambda gradient: [gradient], (kind,))
    return CustomGradient("a value with the gradient of another one", body, back, 1, (0,), (0,))


def with_slope(
    title: str, function: Callable[[Operand], Operand], slope: Callable[[Operand], Operand], x: Operand
) -> Operand:
    """Return an elementwise function of `x`, with a slope that is not the one of the operations it is made of."""
    if not capturing():
        return function(x)
    kind = type_of(x)
    forward = make_graph(lambda x: [function(x)], (kind,))
    backward = make_graph(lambda g, x: [mul(g, slope(x))], (kind, kind))
    return bind(CustomGradient(title, forward, backward, 1, (0, 2), (0,)), x)[0]


_HEAD = "a head with a gradient of its own"


def head(x: Operand, value: Operand, slope: Operand, scaled: bool = False) -> Operand:
    """Return a value whose gradient goes to `x` and is `slope`, whatever arrives at it, or, `scaled`, times that.

    The three are of one type. As in MXNet 1 it does not matter what is computed of the value.
    """
    kind = type_of(x)
    return bind1((_head_once if kind.scope is None else _head)(kind, scaled), x, value, slope)


def _head(kind: TensorType, scaled: bool) -> CustomGradient:
    body = make_graph(lambda x, value, slope: [value], (kind, kind, kind))
    if scaled:
        back = make_graph(lambda gradient, slope: [mul(gradient, slope)], (kind, kind))
        return CustomGradient("a head with a scaled gradient", body, back, 1, (0, 4), (0,))
    return CustomGradient(_HEAD, body, make_graph(lambda slope: [slope], (kind,)), 1, (4,), (0,))


_gradient_of_once, _head_once = functools.lru_cache(256)(_gradient_of), functools.lru_cache(256)(_head)
"""The same, remembered for types whose sizes are known: a symbol that were a key would be its number from then on."""


def is_head(op: Op) -> bool:
    """Tell whether an op is a `head` that takes no notice of what arrives."""
    return isinstance(op, CustomGradient) and op.title == _HEAD
