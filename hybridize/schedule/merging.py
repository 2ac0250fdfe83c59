# SPDX-License-Identifier: Apache-2.0
"""Kernels that differ only in numbers become one (*function merging*): each of its steps brings a table of them along.

A loop of the user's that capture unrolls (the updates of a solver, a schedule of coefficients) is a chain of kernels
that are alike but for floats. Each would be written, compiled, and kept by itself; merged, the time of compiling does
not grow with the length of the chain. A number that all of them have in one place stays a constant of the code, and
so do those that decide more than a value: sizes, indices, what is compared or selected by index.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

from hybridize.base.dtypes import DType, float32, float64
from hybridize.loops.expr import Axis, CallExpr, Cast, Const, Expr, Fold, FoldResult, Load, Select
from hybridize.loops.index import Index, Interner, upward
from hybridize.loops.kernel import Param, Statement
from hybridize.schedule.kernel import Body, Kernel, Lanes, Memcpy, Nest, Plain
from hybridize.schedule.steps import LoopStep, ScheduleStep

_FLOATS = (float32, float64)
"""The dtypes of numbers that are read from tables: what lies in memory is what is computed with."""


def merged(steps: Sequence[ScheduleStep]) -> tuple[ScheduleStep, ...]:
    """The steps of a schedule, those that run alike kernels over the kernel that these have become."""
    loops = [number for number, step in enumerate(steps) if isinstance(step, LoopStep) and _may_merge(step)]
    if len(loops) < 2:
        return tuple(steps)
    alike: dict[tuple[Any, ...], list[tuple[int, list[Const]]]] = {}
    interner, outlines = Interner(), dict[int, tuple[tuple[Any, ...], list[Const]]]()
    for number in loops:
        step = steps[number]
        assert isinstance(step, LoopStep)
        known = outlines.get(id(step.kernel))  # equal groups have one kernel
        if known is None:
            outlining = _Outlining(interner, len(step.kernel.params))
            outline = outlining.kernel(step.kernel)
            known = outlines[id(step.kernel)] = _identity(outline), outlining.constants
        alike.setdefault(known[0], []).append((number, known[1]))
    result = list(steps)
    for members in alike.values():
        _merge(result, members, interner)
    return tuple(result)


def _may_merge(step: LoopStep) -> bool:
    """Tell whether a step calls a kernel of plain loops and vectors, whose decisions name no expression."""
    kernel, kinds = step.kernel, (Plain, Lanes, Memcpy)
    return (
        step.part is None
        and not any(param.table for param in kernel.params)
        and all(
            isinstance(axis.kind, kinds)
            for nest in kernel.nests
            for axis in (*nest.rows, *(axis for body in nest.bodies for axis in body.axes))
        )
        and not any(body.fetches for nest in kernel.nests for body in nest.bodies)
    )


def _identity(kernel: Kernel) -> tuple[Any, ...]:
    """Return what kernels over expressions of one interner are equal by."""
    nests = [
        (
            *(nest.rows, nest.folds, nest.few),
            *(
                (body.axes, *((one.buffer, id(one.index), id(one.value)) for one in body.statements))
                for body in nest.bodies
            ),
        )
        for nest in kernel.nests
    ]
    return (kernel.params, kernel.locals, *nests)


def _merge(steps: list[ScheduleStep], members: Sequence[tuple[int, list[Const]]], interner: Interner) -> None:
    """Let steps whose kernels differ in numbers alone run one kernel; `members` are their positions and numbers."""
    if all(numbers is members[0][1] for _, numbers in members):
        return
    columns: dict[tuple[int, ...], int] = {}
    entries: dict[int, int] = {}
    for place, column in enumerate(zip(*(numbers for _, numbers in members), strict=True)):
        if any(number is not column[0] for number in column):
            entries[place] = columns.setdefault(tuple(map(id, column)), len(columns))
    first = steps[members[0][0]]
    assert isinstance(first, LoopStep)
    kernel = first.kernel
    if entries:
        outlining = _Outlining(interner, len(kernel.params), entries)
        kernel = outlining.kernel(kernel)
        table = Param(members[0][1][next(iter(entries))].dtype, len(columns), written=False, table=True)
        kernel = dataclasses.replace(kernel, params=(*kernel.params, table))
    places = {entry: place for place, entry in entries.items()}
    for number, numbers in members:
        values = tuple(float(numbers[places[entry]].value) for entry in range(len(columns)))
        steps[number] = dataclasses.replace(steps[number], kernel=kernel, numbers=values)  # type: ignore[arg-type]


class _Outlining:
    """Rewrites kernels to read numbers from a table: all floats of one dtype, or those that have `entries`."""

    def __init__(self, interner: Interner, table: int, entries: Mapping[int, int] | None = None) -> None:
        """`table` is the number of the buffer, which comes before the kernel's locals; `entries` are positions there by
        the numbers' places in the kernel.
        """
        self.constants: list[Const] = []
        """The floats that can be read from a table, place by place."""
        self._interner, self._table, self._entries = interner, table, entries
        self._memo: dict[int, Expr] = {}
        self._dtype: DType | None = None

    def kernel(self, kernel: Kernel) -> Kernel:
        """The kernel over a table; its params are left as they are."""
        return dataclasses.replace(kernel, nests=tuple(map(self._nest, kernel.nests)))

    def _nest(self, nest: Nest) -> Nest:
        return dataclasses.replace(nest, bodies=tuple(map(self._body, nest.bodies)))

    def _body(self, body: Body) -> Body:
        statements = (
            Statement(self._buffer(one.buffer), self._value(one.index), self._value(one.value))
            for one in body.statements
        )
        return dataclasses.replace(body, statements=tuple(statements))

    def _buffer(self, number: int) -> int:
        """The number of a buffer once there is a table."""
        return number + (number >= self._table)

    def _value(self, root: Expr) -> Expr:
        memo = self._memo
        for expr in upward(root):
            if id(expr) not in memo:
                memo[id(expr)] = self._rewritten(expr)
        return memo[id(root)]

    def _rewritten(self, expr: Expr) -> Expr:
        """The expression over parts that are rewritten, made once by the interner of all kernels."""
        interner, memo = self._interner, self._memo
        match expr:
            case CallExpr(dtype=dtype, function=function, args=args):
                return interner.call(dtype, function, tuple([self._part(arg) for arg in args]))
            case Load(dtype=dtype, operand=operand, indices=indices):
                return interner.load(dtype, self._buffer(operand), tuple([memo[id(index)] for index in indices]))
            case Const(dtype=dtype, value=value):
                return interner.const(dtype, value)
            case Axis(number=number):
                return interner.axis(number)
            case Index(constant=constant, terms=terms):
                return interner.index(constant, tuple([(memo[id(atom)], factor) for atom, factor in terms]))
            case Select(condition=condition, then=then, orelse=orelse):
                return interner.select(memo[id(condition)], self._part(then), self._part(orelse))
            case Cast(dtype=dtype, x=x):
                return interner.cast(memo[id(x)], dtype)
            case Fold(dtype=dtype, kind=kind, size=size, variable=variable, elements=elements):
                return interner.fold(dtype, kind, size, variable, tuple([memo[id(element)] for element in elements]))
            case FoldResult(dtype=dtype, fold=fold, number=number):
                of = memo[id(fold)]
                assert isinstance(of, Fold)
                return interner.result(dtype, of, number)
        raise TypeError(f"{type(expr).__name__} is not an expression of the loop IR")

    def _part(self, part: Expr) -> Expr:
        """An operand; a number that may be read from the table is met here, once for each operand that it is."""
        if not isinstance(part, Const) or part.dtype not in _FLOATS or part.dtype != (self._dtype or part.dtype):
            return self._memo[id(part)]
        self._dtype = part.dtype
        place = len(self.constants)
        number = self._interner.const(part.dtype, part.value)
        self.constants.append(number)
        entry = place if self._entries is None else self._entries.get(place)
        if entry is None:
            return number
        return self._interner.load(part.dtype, self._table, (self._interner.number(entry),))
