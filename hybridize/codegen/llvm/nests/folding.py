# SPDX-License-Identifier: Apache-2.0
"""The accumulators of folds that run in one loop, as registers: steps and combinations of their monoids."""

from __future__ import annotations

from collections.abc import Sequence

from hybridize.base.dtypes import DType
from hybridize.codegen.llvm.functions.table import constant, emit_call, register, select
from hybridize.codegen.llvm.nests import memory
from hybridize.codegen.llvm.nests.memory import Width
from hybridize.codegen.llvm.text import Function, shuffled
from hybridize.loops.expr import CallExpr, Const, Expr, Fold
from hybridize.loops.monoids import applied, monoid
from hybridize.machine.target import Target

State = list[str]
"""A register of each accumulator of each fold."""


class Folding:
    """Folds that have one variable, and so one loop."""

    def __init__(self, f: Function, target: Target, folds: Sequence[Fold]) -> None:
        self.f = f
        self.target = target
        self.folds: tuple[Fold, ...] = tuple(folds)
        self._monoids = [monoid(fold) for fold in folds]
        self.accumulators: list[DType] = [dtype for reduction in self._monoids for dtype in reduction.accumulators]

    def types(self, lanes: int) -> list[str]:
        """Of the registers of a state."""
        return [register(dtype, lanes) for dtype in self.accumulators]

    def empty(self, lanes: int) -> State:
        """The state of no elements."""
        return [
            constant(number, dtype, lanes)
            for reduction in self._monoids
            for number, dtype in zip(reduction.empty, reduction.accumulators, strict=True)
        ]

    def entered(self, elements: Sequence[Sequence[str]], lanes: int) -> State:
        """The state of one element of each fold."""
        return [
            total
            for reduction, element in zip(self._monoids, elements, strict=True)
            for total in self._computed(reduction.enter, element, lanes)
        ]

    def stepped(self, state: State, elements: Sequence[Sequence[str]], lanes: int) -> State:
        """A state, and one more element of each fold."""
        return [
            total
            for reduction, own, element in zip(self._monoids, self._own(state), elements, strict=True)
            for total in self._computed(reduction.step, [*own, *element], lanes)
        ]

    def combined(self, x: State, y: State, lanes: int) -> State:
        """Two states as one, `x` of the earlier elements."""
        return [
            total
            for reduction, first, second in zip(self._monoids, self._own(x), self._own(y), strict=True)
            for total in self._computed(reduction.combine, [*first, *second], lanes)
        ]

    def results(self, state: State, lanes: int) -> list[State]:
        """The results of each fold."""
        return [
            self._computed(reduction.results, own, lanes)
            for reduction, own in zip(self._monoids, self._own(state), strict=True)
        ]

    def only_active(self, elements: Sequence[Sequence[str]], width: Width) -> list[State]:
        """Elements of the lanes that count; neutral ones in the others."""
        if width.mask is None:
            return [list(element) for element in elements]
        return [
            [
                value
                if neutral is None
                else memory.only_active(
                    self.f, value, constant(neutral, dtype, width.lanes), register(dtype, width.lanes), width
                )
                for value, neutral, dtype in zip(element, reduction.neutral, reduction.entering, strict=True)
            ]
            for reduction, element in zip(self._monoids, elements, strict=True)
        ]

    def across(self, state: State, lanes: int, left: int = 1) -> State:
        """Fold the lanes of vectors into scalars, or vectors of fewer, halves first."""
        while lanes > left:
            half = lanes // 2
            parts = [
                [self._half(total, dtype, lanes, start) for total, dtype in zip(state, self.accumulators, strict=True)]
                for start in (0, half)
            ]
            if half == 1:
                parts = [
                    [
                        self.f.op(f"extractelement <1 x {register(dtype, 1)}> {total}, i64 0")
                        for total, dtype in zip(part, self.accumulators, strict=True)
                    ]
                    for part in parts
                ]
            state, lanes = self.combined(parts[0], parts[1], half), half
        return state

    @property
    def levelled(self) -> bool:
        """True if they are summed in levels, as that keeps one of them accurate."""
        return any(reduction.levelled for reduction in self._monoids)

    def _own(self, state: State) -> list[State]:
        """The part of each fold."""
        parts, first = [], 0
        for reduction in self._monoids:
            parts.append(state[first : first + len(reduction.accumulators)])
            first += len(reduction.accumulators)
        return parts

    def _half(self, total: str, dtype: DType, lanes: int, start: int) -> str:
        return shuffled(self.f, register(dtype, lanes), total, range(start, start + lanes // 2))

    def _computed(self, formulas: Sequence[Expr], arguments: Sequence[str], lanes: int) -> State:
        def make(expr: Expr, parts: tuple[str, ...]) -> str:
            match expr:
                case Const(value=value, dtype=dtype):
                    return constant(value, dtype, lanes)
                case CallExpr(function=function, args=args, dtype=dtype):
                    of = args[0].dtype
                    return emit_call(
                        self.f, function, list(parts), arg_dtype=of, result_dtype=dtype, lanes=lanes, target=self.target
                    )
            return select(self.f, parts[0], parts[1], parts[2], expr.dtype, lanes)

        return list(applied(formulas, arguments, make))
