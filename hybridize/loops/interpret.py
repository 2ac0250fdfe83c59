# SPDX-License-Identifier: Apache-2.0
"""The meaning of a kernel, slowly: each element by itself, in Python and NumPy scalars.

Tests hold the machine code against it. It shares no code with codegen and computes sums in order.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import numpy
from numpy.typing import NDArray

from hybridize.base.dtypes import converted
from hybridize.loops.expr import Axis, CallExpr, Cast, Const, Expr, Fold, FoldResult, Load, Select
from hybridize.loops.functions import FUNCTIONS, Scalar
from hybridize.loops.index import Index
from hybridize.loops.kernel import Kernel, Nest, Statement
from hybridize.loops.monoids import applied, monoid


def interpret(kernel: Kernel, buffers: Sequence[NDArray[Any]]) -> None:
    """Run `kernel` on flat arrays, one per param; what it stores is written into them."""
    with numpy.errstate(all="ignore"):
        for nest in kernel.nests:
            for row in itertools.product(*(range(axis.size) for axis in nest.rows)):
                locals_ = [numpy.zeros(local.size, local.dtype) for local in kernel.locals]
                _run_row(nest, row, [*buffers, *locals_])


def _run_row(nest: Nest, row: tuple[int, ...], buffers: list[NDArray[Any]]) -> None:
    for body in nest.bodies:
        for inner in itertools.product(*map(range, body.sizes)):
            for statement in body.statements:
                _store(statement, dict(enumerate((*row, *inner))), buffers)


def _store(statement: Statement, axes: dict[int, int], buffers: list[NDArray[Any]]) -> None:
    evaluation = _Evaluation(axes, buffers)
    index = int(evaluation.value(statement.index))
    buffer = buffers[statement.buffer]
    assert 0 <= index < buffer.size, "store out of bounds"
    buffer[index] = evaluation.value(statement.value)


class _Evaluation:
    """Values of expressions at one index."""

    def __init__(self, axes: dict[int, int], buffers: list[NDArray[Any]]) -> None:
        self._axes = axes
        self._buffers = buffers
        self._known: dict[int, Scalar] = {}
        self._folded: dict[int, tuple[Scalar, ...]] = {}

    def value(self, expr: Expr) -> Scalar:
        """The value of `expr`, each shared expression computed once."""
        found = self._known.get(id(expr))
        if found is None:
            found = self._known[id(expr)] = expr.dtype.type(self._value(expr))
        return found

    def _value(self, expr: Expr) -> Any:
        match expr:
            case Const(value=value):
                return value
            case Axis(number=number):
                return self._axes[number]
            case Index(constant=constant, terms=terms):
                return constant + sum(int(self.value(atom)) * coefficient for atom, coefficient in terms)
            case Load(operand=operand, indices=(index,)):
                address = int(self.value(index))
                assert 0 <= address < self._buffers[operand].size, "load out of bounds"
                return self._buffers[operand][address]
            case Select(condition=condition, then=then, orelse=orelse):
                values = self.value(then), self.value(orelse)
                return values[0] if self.value(condition) else values[1]
            case Cast(dtype=dtype, x=x):
                return converted(numpy.asarray(self.value(x)), dtype)
            case CallExpr(function=function, args=args):
                return FUNCTIONS[function].meaning(expr.dtype, *(self.value(arg) for arg in args))
            case Fold():
                return self._results(expr)[0]
            case FoldResult(fold=fold, number=number):
                return self._results(fold)[number]
        raise TypeError(f"{type(expr).__name__} is not an expression of the loop IR")

    def _results(self, fold: Fold) -> tuple[Scalar, ...]:
        found = self._folded.get(id(fold))
        if found is None:
            found = self._folded[id(fold)] = self._fold(fold)
        return found

    def _fold(self, fold: Fold) -> tuple[Scalar, ...]:
        made = monoid(fold)
        state = tuple(dtype.type(number) for dtype, number in zip(made.accumulators, made.empty, strict=True))
        for i in range(fold.size):
            evaluation = _Evaluation({**self._axes, fold.variable: i}, self._buffers)
            element = (
                dtype.type(evaluation.value(part)) for dtype, part in zip(made.entering, fold.elements, strict=True)
            )
            state = applied(made.step, (*state, *element), meaning)
        return applied(made.results, state, meaning)


def meaning(expr: Expr, parts: tuple[Scalar, ...]) -> Scalar:
    """Return the value of a number, call or choice in a monoid's formula, given those of its parts."""
    match expr:
        case Const(value=value):
            return expr.dtype.type(value)
        case CallExpr(function=function):
            return expr.dtype.type(FUNCTIONS[function].meaning(expr.dtype, *parts))
    return parts[1] if parts[0] else parts[2]
