# SPDX-License-Identifier: Apache-2.0
"""Gradient rules that compute only what somebody waits for: an op's own rule computes the gradients of all inputs.

Only those are here whose other half would cost something. A compiled backward program needs none: dead code goes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from hybridize.autograd.fused import FullyConnected
from hybridize.ops import Div, Matmul, Mul, div, matmul, mul
from hybridize.ops.op import Operand

Partial = Callable[[Any, Operand, Sequence[Operand], Sequence[Any]], tuple[Operand | None, ...]]


def partial(rule: Any, edges: Sequence[Any]) -> Partial | None:
    """The rule for a node of which some inputs are constants; None where the op's own will do."""
    if None not in edges:
        return None
    found = _RULES.get(type(rule))
    return _div if found is None and type(rule) is Div and edges[1] is None else found


def _mul(op: Mul, g: Operand, xs: Sequence[Operand], edges: Sequence[Any]) -> tuple[Operand | None, ...]:
    return (
        None if edges[0] is None else mul(g, xs[1]),
        None if edges[1] is None else mul(g, xs[0]),
    )


def _matmul(op: Matmul, g: Operand, xs: Sequence[Operand], edges: Sequence[Any]) -> tuple[Operand | None, ...]:
    x, w = xs
    by_x = by_w = None
    if edges[0] is not None:
        by_x = matmul(w, g, op.transpose_w, True) if op.transpose_x else matmul(g, w, False, not op.transpose_w)
    if edges[1] is not None:
        by_w = matmul(g, x, True, op.transpose_x) if op.transpose_w else matmul(x, g, not op.transpose_x, False)
    return by_x, by_w


def _div(op: Div, g: Operand, xs: Sequence[Operand], edges: Sequence[Any]) -> tuple[Operand | None, ...]:
    return div(g, xs[1]), None


_RULES: dict[Any, Partial] = {Mul: _mul, Matmul: _matmul, FullyConnected: FullyConnected.partial}
