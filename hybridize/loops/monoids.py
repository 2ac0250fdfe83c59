# SPDX-License-Identifier: Apache-2.0
"""The monoids of folds: each says its accumulators, how an element enters them, how two states combine, what results.

A fold begins with the state `empty`, takes its elements one by one by `step`, and gives `results` of the last state.
Any number of states may be kept side by side (lanes of vectors, threads, parts of a long row, unrolled chains), each of
them over some of the elements in order, and put together by `combine`. All of it is data, formulas of `Slot`s:
`interpret` computes them, code generation writes them, and nothing else knows what a monoid is called.

Accumulators of 16-bit floats are float32; results are rounded once.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

from hybridize.base.dtypes import DType, bool_, is_float
from hybridize.base.frozen import frozen
from hybridize.base.precision import wide
from hybridize.loops.expr import CallExpr, Expr, Fold, Select, call, const, select
from hybridize.loops.functions import FUNCTIONS

T = TypeVar("T")
Number = float | int | bool


@frozen
class Slot(Expr):
    """One of the numbers that a formula is given, by its place among them."""

    number: int


@frozen
class Monoid:
    """A way of folding elements; its formulas are of a state's accumulators, then of an element or another state."""

    entering: tuple[DType, ...]
    """Dtypes of the parts of an element, in which it is computed with."""
    accumulators: tuple[DType, ...]
    empty: tuple[Number, ...]
    """The state of no elements."""
    neutral: tuple[Number | None, ...]
    """An element that changes no state; None for a part of it that does not matter."""
    enter: tuple[Expr, ...]
    """The state of one element."""
    step: tuple[Expr, ...]
    """A state, and an element after it, as one state."""
    combine: tuple[Expr, ...]
    """Two states as one. Where it matters, the first one is of earlier elements."""
    results: tuple[Expr, ...]
    rounds: bool = False
    """True if sums of its terms in another order have other last bits."""
    levelled: bool = False
    """True if many elements are folded in levels of few: rounding adds up along a chain."""

    @property
    def nests(self) -> bool:
        """True if a fold of folds is a fold over both: what enters and what results are the state."""
        return self.enter == self.results and len(self.enter) == 1

    @property
    def weight(self) -> int:
        """Instructions of a step, roughly, beyond the one that each fold has."""
        return sum(weights(self.step)) - 1


def weights(formulas: Sequence[Expr]) -> list[int]:
    """Return the weight of each call and choice of formulas, shared ones counted once."""
    costs: list[int] = []

    def weigh(expr: Expr, parts: tuple[None, ...]) -> None:
        if isinstance(expr, CallExpr | Select):
            costs.append(FUNCTIONS[expr.function].weight if isinstance(expr, CallExpr) else 1)

    applied(formulas, [None] * 8, weigh)
    return costs


def applied(
    formulas: Sequence[Expr], arguments: Sequence[T], make: Callable[[Expr, tuple[T, ...]], T]
) -> tuple[T, ...]:
    """Put arguments into formulas: `make(part, values of its parts)` gives the value of a number, call or choice."""
    known: dict[int, T] = {}

    def value(expr: Expr) -> T:
        if isinstance(expr, Slot):
            return arguments[expr.number]
        if id(expr) not in known:
            known[id(expr)] = make(expr, tuple(value(part) for part in _parts(expr)))
        return known[id(expr)]

    return tuple(value(formula) for formula in formulas)


def _parts(expr: Expr) -> tuple[Expr, ...]:
    if isinstance(expr, Select):
        return expr.condition, expr.then, expr.orelse
    return expr.args if isinstance(expr, CallExpr) else ()


# The table


def _of_function(
    function: str, empty: Callable[[DType], Number], rounds: bool = False, levelled: bool = False
) -> _Maker:
    """The monoid of a function of two numbers that does not care how they are grouped."""

    def make(dtype: DType) -> Monoid:
        x, y = (Slot(dtype, number) for number in range(2))
        nothing, result, floating = empty(dtype), (call(function, x, y),), is_float(dtype)
        return Monoid(
            (dtype,),
            (dtype,),
            (nothing,),
            (nothing,),
            (x,),
            result,
            result,
            (x,),
            rounds and floating,
            levelled and floating,
        )

    return make


def _zero(dtype: DType) -> Number:
    return const(0, dtype).value


def _one(dtype: DType) -> Number:
    return const(1, dtype).value


def _least(dtype: DType) -> Number:
    if dtype == bool_ or dtype.kind == "u":
        return const(0, dtype).value
    return -(1 << (8 * dtype.itemsize - 1)) if dtype.kind == "i" else -math.inf


def _greatest(dtype: DType) -> Number:
    if dtype == bool_:
        return True
    return (1 << (8 * dtype.itemsize - (dtype.kind == "i"))) - 1 if dtype.kind in "iu" else math.inf


def _of_extreme(less: str, worst: Callable[[DType], Number]) -> _Maker:
    """The most extreme number and where it stands first; elements are a number and its position, from 0 on and growing.

    A NaN beats every number, and nothing beats a NaN. A state of no elements is the worst number at position 0: no
    element beats it that is not better, and where none is, the first one is right. `less`: "le" or "ge", what does not
    beat.
    """

    def make(dtype: DType, position: DType) -> Monoid:
        x, i, y, j = (Slot(kind, number) for number, kind in enumerate((dtype, position) * 2))

        def beats(challenger: Expr, holder: Expr) -> Expr:
            if not is_float(dtype):
                return call({"le": "gt", "ge": "lt"}[less], challenger, holder)
            return call("and", call("not", call(less, challenger, holder)), call("eq", holder, holder))

        later, earlier = beats(y, x), beats(x, y)
        level = call("not", call("or", later, earlier))
        second = call("or", later, call("and", level, call("lt", j, i)))
        nothing = worst(dtype)
        return Monoid(
            (dtype, position),
            (dtype, position),
            (nothing, 0),
            (nothing, None),
            (x, i),
            (select(later, y, x), select(later, j, i)),
            (select(second, y, x), select(second, j, i)),
            (x, i),
        )

    return make


def _max_and_sum_of_exp(dtype: DType) -> Monoid:
    """The largest number m, and the sum of exp(x - m), which is made smaller whenever m grows.

    As with m known beforehand, the sum is NaN where m is NaN or infinite. While it is -inf, elements are counted, which
    the first finite one makes 0 times as much.
    """
    m, s, n, t = (Slot(dtype, number) for number in range(4))
    one = const(1, dtype)

    def merged(other: Expr) -> tuple[Expr, Expr]:
        # One of the sums is multiplied, by a factor of at most 1; two infinities are no distance apart.
        apart = select(call("eq", m, n), const(0, dtype), call("sub", n, m))
        factor, grows = call("exp", call("neg", call("abs", apart))), call("gt", n, m)
        total, added = select(grows, call("mul", s, factor), s), select(grows, other, call("mul", other, factor))
        return call("max", m, n), call("add", total, added)

    return Monoid(
        (dtype,),
        (dtype, dtype),
        (-math.inf, 0.0),
        (-math.inf,),
        (m, one),
        merged(one),
        merged(t),
        (m, call("add", s, call("sub", m, m))),
        rounds=True,
        levelled=True,
    )


_Maker = Callable[..., Monoid]
_TABLE: Mapping[str, _Maker] = {
    "sum": _of_function("add", _zero, rounds=True, levelled=True),
    "prod": _of_function("mul", _one, rounds=True),
    "max": _of_function("max", _least),
    "min": _of_function("min", _greatest),
    "any": _of_function("or", _zero),
    "all": _of_function("and", _one),
    "arg_max": _of_extreme("le", _least),
    "arg_min": _of_extreme("ge", _greatest),
    "max_exp": _max_and_sum_of_exp,
}
KINDS = frozenset(_TABLE)
"""The names of all monoids."""


@functools.cache
def _monoid_of(kind: str, dtypes: tuple[DType, ...]) -> Monoid:
    return _TABLE[kind](*dtypes)


def monoid(fold: Fold) -> Monoid:
    """Return the monoid of a fold, for the dtypes of its elements."""
    return _monoid_of(fold.kind, tuple(wide(element.dtype) for element in fold.elements))


@frozen
class OnePass:
    """Two folds over the same elements, of which one needs the other, as one: of their results, that fold's is 1."""

    kind: str
    elements: tuple[Expr, ...]
    """Of both, in the variable of the one that needs the other."""
    first: Fold
    """The one that is needed; it is result 0 if its elements are these, in its own variable."""


def one_pass(fold: Fold) -> OnePass | None:
    """Return how a fold is one pass with a fold that it needs; None where there is no monoid for that."""
    match fold:
        case Fold(kind="sum", elements=(CallExpr(function="exp", args=(CallExpr(function="sub", args=(x, most)),)),)):
            if isinstance(most, Fold) and most.kind == "max" and most.dtype == fold.dtype and inner(most) is None:
                return OnePass("max_exp", (x,), most)
    return None


def inner(fold: Fold) -> Fold | None:
    """Return the fold that is all that `fold` folds, where both are as one over all their variables; else None."""
    body = fold.body
    if not isinstance(body, Fold) or not monoid(fold).nests:
        return None
    return body if body.kind == fold.kind and body.dtype == fold.dtype else None


def nested(fold: Fold) -> tuple[list[tuple[int, int]], tuple[Expr, ...]]:
    """Variables and sizes of directly nested folds of one kind, outermost first, and the innermost elements."""
    chain = [(fold.variable, fold.size)]
    while (child := inner(fold)) is not None:
        chain.append((child.variable, child.size))
        fold = child
    return chain, fold.elements
