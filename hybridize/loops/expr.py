# SPDX-License-Identifier: Apache-2.0
"""Expressions of the loop IR, and what a lowering may return."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from hybridize.base import dims
from hybridize.base.dtypes import DType, bool_, int64
from hybridize.base.frozen import frozen
from hybridize.loops.functions import FUNCTIONS


@frozen(eq=False)
class Expr:
    """Base of all expressions.

    An expression equals itself only: parts are shared, and to compare, hash or write them as trees would take time that
    is exponential in their depth. An `Interner` makes equal ones the same; the text of a kernel has each part once.
    """

    dtype: DType


@frozen(eq=False)
class Const(Expr):
    """A number."""

    value: float | int | bool


@frozen(eq=False)
class Axis(Expr):
    """Index along output axis `number` (>= 0), or the variable of a fold (< 0); always int64."""

    number: int


@frozen(eq=False)
class Load(Expr):
    """One element of input `operand` at `indices`, one i64 expression per axis, each within bounds."""

    operand: int
    indices: tuple[Expr, ...]


@frozen(eq=False)
class CallExpr(Expr):
    """A scalar function, by its name in `FUNCTIONS`."""

    function: str
    args: tuple[Expr, ...]


@frozen(eq=False)
class Select(Expr):
    """`then` where `condition` (bool) holds, else `orelse`; both are evaluated, so both must be in bounds."""

    condition: Expr
    then: Expr
    orelse: Expr


@frozen(eq=False)
class Cast(Expr):
    """`x` as another dtype: floats to integers truncate, to bool compare with zero."""

    x: Expr


@frozen(eq=False)
class Fold(Expr):
    """Reduce elements over `variable` (an Axis with a negative number) from 0 to size - 1.

    Its value is the first result. Folds of one kernel have the same variable only where they run in one loop.
    """

    kind: str
    """The name of a monoid (`loops.monoids`)."""
    size: int
    variable: int
    elements: tuple[Expr, ...]
    """The parts of an element, as many as the monoid takes: mostly one."""

    @property
    def body(self) -> Expr:
        """The first part of an element."""
        return self.elements[0]


@frozen(eq=False)
class FoldResult(Expr):
    """Another result of a fold than its first, by its number from 0."""

    fold: Fold
    number: int


Element = Callable[[tuple[Expr, ...]], Expr]
"""The element of a value at an index: a function from index expressions to an expression."""


def const(value: complex, dtype: DType) -> Const:
    """A number of the given dtype."""
    if dtype == bool_:
        return Const(dtype, bool(value))
    return Const(dtype, float(value.real) if dtype.kind not in "iu" else int(value.real))


def index(value: int) -> Const:
    """An i64 constant, for index arithmetic."""
    return Const(int64, value)


def axis(number: int) -> Axis:
    """The index along an output axis."""
    return Axis(int64, number)


def call(function: str, *args: Expr, dtype: DType | None = None) -> Expr:
    """Apply a scalar function; the result has the dtype of the first argument, or bool, unless given."""
    result = dtype if dtype is not None else bool_ if FUNCTIONS[function].truth else args[0].dtype
    return CallExpr(result, function, args)


def cast(x: Expr, dtype: DType) -> Expr:
    """`x` as `dtype`; nothing when it is so already."""
    return x if x.dtype == dtype else Cast(dtype, x)


def select(condition: Expr, then: Expr, orelse: Expr) -> Expr:
    """`then` where `condition` holds, else `orelse`."""
    return Select(then.dtype, condition, then, orelse)


def add(x: Expr, y: Expr) -> Expr:
    """Index sum, folding constants, so that affine indices stay recognisable."""
    if isinstance(x, Const) and isinstance(y, Const) and x.dtype == int64:
        return index(whole(x) + whole(y))
    if _is(x, 0) or _is(y, 0):
        return y if _is(x, 0) else x
    return call("add", x, y)


def mul(x: Expr, y: Expr) -> Expr:
    """Index product, folding constants."""
    if isinstance(x, Const) and isinstance(y, Const) and x.dtype == int64:
        return index(whole(x) * whole(y))
    if _is(x, 0) or _is(y, 0):
        return index(0)
    if _is(x, 1) or _is(y, 1):
        return y if _is(x, 1) else x
    return call("mul", x, y)


def whole(number: Const) -> int:
    """The value of an i64 constant, which may be a size that is not known."""
    value: Any = number.value
    return value if dims.is_symbolic(value) else int(value)


def _is(x: Expr, number: int) -> bool:
    return isinstance(x, Const) and not dims.is_symbolic(x.value) and x.value == number


@frozen
class Routine:
    """Something no scalar expression says well (sort, cumulative sum, scatter, ...): a named loop nest of codegen."""

    name: str
    parameters: tuple[Any, ...] = ()


@frozen
class Region:
    """Control flow over closed sub-graphs: `cond`, `while_loop` or `scan`."""

    kind: str
    graphs: Sequence[Any]
