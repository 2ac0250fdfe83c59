"""The meaning of a kernel, slowly: each element by itself, in Python and NumPy scalars.

Tests hold the machine code against it. It shares no code with codegen and computes sums in order; what each scalar
function means is written down here a second time, apart from the reference of the op that is made of it.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy
from numpy.typing import NDArray

from hybridize.base.dtypes import DType, bool_, converted
from hybridize.loops.expr import Axis, CallExpr, Cast, Const, Expr, Fold, FoldResult, Load, Select
from hybridize.loops.index import Index
from hybridize.loops.kernel import ElementKernel, LoopNest, Statement
from hybridize.loops.monoids import applied, monoid
from hybridize.ops import special

Scalar = Any
"""A NumPy scalar."""
Meaning = Callable[..., Any]
"""From the dtype of the result and the arguments."""


def _by(function: Callable[..., Any]) -> Meaning:
    """The meaning that a NumPy function has for arrays without axes."""
    return lambda dtype, *args: function(*map(numpy.asarray, args))


def _bits_of(x: Any) -> Any:
    """The bits of the number in two's complement, where NumPy counts those of the absolute value."""
    return numpy.bitwise_count(x.view(f"u{x.dtype.itemsize}")).astype(x.dtype)


def _through_float(function: Callable[[float], float]) -> Meaning:
    """The meaning that a function of Python floats has; NaN is handed on."""

    def meaning(dtype: DType, x: Scalar) -> float:
        number = float(x)
        return number if math.isnan(number) else function(number)

    return meaning


def _logical(of_bools: Callable[[bool, bool], bool], function: Callable[..., Any]) -> Meaning:
    """The meaning of arithmetic, which for bools is one of logic."""

    def meaning(dtype: DType, x: Scalar, y: Scalar) -> Any:
        if numpy.asarray(x).dtype == bool_:
            return of_bools(bool(x), bool(y))
        return function(numpy.asarray(x), numpy.asarray(y))

    return meaning


def _either(x: bool, y: bool) -> bool:
    return x or y


def _both(x: bool, y: bool) -> bool:
    return x and y


def _differ(x: bool, y: bool) -> bool:
    return x != y


def _divided(function: Callable[..., Any]) -> Meaning:
    """The meaning of a division or remainder: 0 for integers divided by 0."""

    def meaning(dtype: DType, x: Scalar, y: Scalar) -> Any:
        if dtype.kind in "iu" and int(y) == 0:
            return 0
        return function(numpy.asarray(x), numpy.asarray(y))

    return meaning


def _shifted(function: Callable[..., Any]) -> Meaning:
    """The meaning of a shift: all bits go where it is by as many as there are, or more."""

    def meaning(dtype: DType, x: Scalar, y: Scalar) -> Any:
        if not 0 <= int(y) < 8 * dtype.itemsize:
            return -1 if function is numpy.right_shift and dtype.kind == "i" and x < 0 else 0
        return function(numpy.asarray(x), numpy.asarray(y))

    return meaning


def _power(dtype: DType, x: Scalar, y: Scalar) -> Any:
    if dtype.kind == "i" and int(y) < 0:
        return {1: 1, -1: 1 if int(y) % 2 == 0 else -1}.get(int(x), 0)
    return numpy.power(numpy.asarray(x), numpy.asarray(y))


def _upper_half(dtype: DType, x: Scalar, y: Scalar) -> int:
    bits = 8 * dtype.itemsize
    return (int(x) * int(y) >> bits) & ((1 << bits) - 1)


def _same_bits(dtype: DType, x: Scalar) -> Any:
    return numpy.asarray(x).reshape(1).view(dtype)[0]


def _sigmoid(x: float) -> float:
    return 1 / (1 + math.exp(-x)) if x >= 0 else math.exp(x) / (1 + math.exp(x))


def _rsqrt(x: float) -> float:
    return math.nan if x < 0 else math.copysign(math.inf, x) if x == 0 else 1 / math.sqrt(x)


MEANINGS: dict[str, Meaning] = {
    "neg": _by(numpy.negative),
    "abs": _by(numpy.abs),
    "sign": _by(numpy.sign),
    "floor": _by(numpy.floor),
    "ceil": _by(numpy.ceil),
    "round": _by(numpy.rint),
    "trunc": _by(numpy.trunc),
    "sqrt": _by(numpy.sqrt),
    "rsqrt": _through_float(_rsqrt),
    "cbrt": _by(numpy.cbrt),
    "exp": _by(numpy.exp),
    "exp2": _by(numpy.exp2),
    "expm1": _by(numpy.expm1),
    "log": _by(numpy.log),
    "log2": _by(numpy.log2),
    "log10": _by(numpy.log10),
    "log1p": _by(numpy.log1p),
    "sin": _by(numpy.sin),
    "cos": _by(numpy.cos),
    "tan": _by(numpy.tan),
    "arcsin": _by(numpy.arcsin),
    "arccos": _by(numpy.arccos),
    "arctan": _by(numpy.arctan),
    "sinh": _by(numpy.sinh),
    "cosh": _by(numpy.cosh),
    "tanh": _by(numpy.tanh),
    "arcsinh": _by(numpy.arcsinh),
    "arccosh": _by(numpy.arccosh),
    "arctanh": _by(numpy.arctanh),
    "erf": _through_float(math.erf),
    "erfinv": _by(special.erfinv),
    "gammaln": _by(special.gammaln),
    "gamma": _by(special.gamma),
    "sigmoid": _through_float(_sigmoid),
    "isnan": _by(numpy.isnan),
    "isinf": _by(numpy.isinf),
    "isfinite": _by(numpy.isfinite),
    "signbit": _by(numpy.signbit),
    "not": _by(numpy.invert),
    "popcount": _by(_bits_of),
    "add": _logical(_either, numpy.add),
    "sub": _logical(_differ, numpy.subtract),
    "mul": _logical(_both, numpy.multiply),
    "div": _by(numpy.divide),
    "floordiv": _divided(numpy.floor_divide),
    "mod": _divided(numpy.remainder),
    "fmod": _divided(numpy.fmod),
    "pow": _power,
    "max": _logical(_either, numpy.maximum),
    "min": _logical(_both, numpy.minimum),
    "fmax": _logical(_either, numpy.fmax),
    "fmin": _logical(_both, numpy.fmin),
    "arctan2": _by(numpy.arctan2),
    "hypot": _by(numpy.hypot),
    "copysign": _by(numpy.copysign),
    "nextafter": _by(numpy.nextafter),
    "logaddexp": _by(numpy.logaddexp),
    "and": _by(numpy.bitwise_and),
    "or": _by(numpy.bitwise_or),
    "xor": _by(numpy.bitwise_xor),
    "shl": _shifted(numpy.left_shift),
    "shr": _shifted(numpy.right_shift),
    "umulh": _upper_half,
    "eq": _by(numpy.equal),
    "ne": _by(numpy.not_equal),
    "lt": _by(numpy.less),
    "le": _by(numpy.less_equal),
    "gt": _by(numpy.greater),
    "ge": _by(numpy.greater_equal),
    "bitcast": _same_bits,
}
"""Every scalar function."""


def interpret(kernel: ElementKernel, buffers: Sequence[NDArray[Any]]) -> None:
    """Run `kernel` on flat arrays, one per param; what it stores is written into them."""
    with numpy.errstate(all="ignore"):
        for nest in kernel.nests:
            for row in itertools.product(*map(range, nest.rows)):
                locals_ = [numpy.zeros(local.size, local.dtype) for local in kernel.locals]
                _run_row(nest, row, [*buffers, *locals_])


def _run_row(nest: LoopNest, row: tuple[int, ...], buffers: list[NDArray[Any]]) -> None:
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
                return MEANINGS[function](expr.dtype, *(self.value(arg) for arg in args))
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
            return expr.dtype.type(MEANINGS[function](expr.dtype, *parts))
    return parts[1] if parts[0] else parts[2]
