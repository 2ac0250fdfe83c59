# SPDX-License-Identifier: Apache-2.0
"""Gamma numbers by rejection: the formulas of `loops.draws`, first for vectors of elements, then for single ones.

The first candidates of whole vectors are made and judged by the test that needs no logarithm. Elements that it does
not settle are marked by NaN, and those beyond the last whole vector too; for them, candidates are made one after the
other until one is accepted.
"""

from __future__ import annotations

from collections.abc import Sequence

from hybridize.base.dtypes import DType, bool_, uint32, uint64
from hybridize.base.errors import CodegenError
from hybridize.base.types import TensorType
from hybridize.codegen.llvm.functions.table import constant, emit_call, emit_cast, register, select
from hybridize.codegen.llvm.routines.reals import Reals
from hybridize.codegen.llvm.routines.units import each_unit
from hybridize.codegen.llvm.text import Function, shuffled
from hybridize.loops.draws import TERMS, Term, candidates, judged, squeezed
from hybridize.loops.expr import CallExpr, Cast, Const, Expr, Load, Routine, Select
from hybridize.machine.target import Target

_ATTEMPTS = 1 << 16
"""The numbers of attempts that a counter tells apart."""


def write_gamma(
    f: Function, routine: Routine, inputs: Sequence[TensorType], outputs: Sequence[TensorType], target: Target
) -> None:
    """Write the body of `standard_gamma`: operands are the key and the shapes."""
    reals = Reals(f, inputs[1].dtype, target)
    words = _words(f)
    if target.device is not None:
        with each_unit(f, inputs[1].size) as (position,):
            _accepted_candidate(f, reals, words, position)
        return
    count, lanes = f.size(inputs[1].size), reals.width
    whole = f.op(f"and i64 {count}, {-2 * lanes}") if lanes > 1 else "0"
    if lanes > 1:
        with f.loop("0", whole, 2 * lanes) as loop:
            _first_candidates(f, reals, words, loop.index)
    with f.loop(whole, count) as loop:
        reals.store(reals.number(float("nan")), "%o0", loop.index)
    with f.loop("0", count) as loop:
        value = reals.load("%o0", loop.index)
        with f.when(reals.compare("uno", value, value)):
            _accepted_candidate(f, reals, words, loop.index)


def _words(f: Function) -> list[str]:
    """The words of seed and stream."""
    halves = []
    for number in (0, 1):
        both = f.load(f.element("%i0", number))
        halves += [both, f.op(f"lshr i64 {both}, 32")]
    return [f.op(f"trunc i64 {half} to i32") for half in halves]


def _first_candidates(f: Function, reals: Reals, words: Sequence[str], first: str) -> None:
    """Make those of two vectors of elements from `first` on; NaN where the quick test does not accept."""
    lanes, dtype = reals.width, reals.dtype
    formulas = _Formulas(f, lanes, reals.target)
    steps = ", ".join(f"i64 {lane}" for lane in range(lanes))
    start = formulas.spread(f.op(f"lshr i64 {first}, 1"), uint64)
    pair = f.op(f"add {register(uint64, lanes)} {start}, <{steps}>")
    key = [formulas.given(formulas.spread(word, uint32), uint32) for word in words]
    attempt = formulas.given(constant(0, uint32, lanes), uint32)
    x, u = candidates(TERMS, formulas.given(pair, uint64), attempt, (key[:2], key[2:]), dtype)
    shapes = reals.load("%i1", first, 2 * lanes)
    double, single = reals.of(2 * lanes).type, reals.of(lanes).type
    sides = []
    for side in (0, 1):
        every_other = shuffled(f, double, shapes, range(side, 2 * lanes, 2))
        value, accepted = squeezed(TERMS, formulas.given(every_other, dtype), x[side], u[side])
        unsettled = constant(float("nan"), dtype, lanes)
        sides.append(select(f, formulas.value(accepted), formulas.value(value), unsettled, dtype, lanes))
    picks = (lane + side * lanes for lane in range(lanes) for side in (0, 1))
    both = shuffled(f, single, sides[0], picks, sides[1])
    reals.store(both, "%o0", first, 2 * lanes)


def _accepted_candidate(f: Function, reals: Reals, words: Sequence[str], position: str) -> None:
    """Make candidates for one element until one is accepted."""
    shape = reals.load("%i1", position)
    attempt = reals.counter(0)
    with reals.whilst(lambda: f.op(f"icmp slt i64 {reals.get(attempt)}, {_ATTEMPTS}")):
        formulas = _Formulas(f, 1, reals.target)
        key = [formulas.given(word, uint32) for word in words]
        number = reals.get(attempt)
        turn = formulas.given(f.op(f"trunc i64 {number} to i32"), uint32)
        pair = formulas.given(f.op(f"lshr i64 {position}, 1"), uint64)
        second = formulas.given(f.op(f"trunc i64 {position} to i1"), bool_)
        both = candidates(TERMS, pair, turn, (key[:2], key[2:]), reals.dtype)
        x, u = (TERMS.choose(second, *numbers[::-1]) for numbers in both)
        value, accepted = judged(TERMS, formulas.given(shape, reals.dtype), x, u)
        reals.store(formulas.value(value), "%o0", position)
        following = f.op(f"add i64 {number}, 1")
        reals.put(f.op(f"select i1 {formulas.value(accepted)}, i64 {_ATTEMPTS}, i64 {following}"), attempt)


class _Formulas:
    """Writes expressions of given registers."""

    def __init__(self, f: Function, lanes: int, target: Target) -> None:
        self._f = f
        self._lanes = lanes
        self._target = target
        self._given: list[str] = []
        self._known: dict[int, tuple[Expr, str]] = {}

    def given(self, value: str, dtype: DType) -> Term:
        """A register as a number of formulas."""
        self._given.append(value)
        return Term(Load(dtype, len(self._given) - 1, ()))

    def spread(self, value: str, dtype: DType) -> str:
        """A single number in every lane."""
        f, kind, scalar = self._f, register(dtype, self._lanes), register(dtype, 1)
        one = f.op(f"insertelement {kind} poison, {scalar} {value}, i32 0")
        return f.op(f"shufflevector {kind} {one}, {kind} poison, <{self._lanes} x i32> zeroinitializer")

    def value(self, term: Term) -> str:
        """The register of a formula's result."""
        return self._value(term.expr)

    def _value(self, expr: Expr) -> str:
        entry = self._known.get(id(expr))
        if entry is None:
            entry = self._known[id(expr)] = expr, self._written(expr)
        return entry[1]

    def _written(self, expr: Expr) -> str:
        f, lanes = self._f, self._lanes
        match expr:
            case Load(operand=number):
                return self._given[number]
            case Const(dtype=dtype, value=value):
                return constant(value, dtype, lanes)
            case Cast(dtype=dtype, x=x):
                return emit_cast(f, self._value(x), x.dtype, dtype, lanes)
            case Select(condition=condition, then=then, orelse=orelse):
                mask, one, other = (self._value(part) for part in (condition, then, orelse))
                return select(f, mask, one, other, expr.dtype, lanes)
            case CallExpr(function=function, args=args):
                values = [self._value(arg) for arg in args]
                return emit_call(
                    f,
                    function,
                    values,
                    arg_dtype=args[0].dtype,
                    result_dtype=expr.dtype,
                    lanes=lanes,
                    target=self._target,
                )
        raise CodegenError("E956", f"{type(expr).__name__} is no part of a formula")
