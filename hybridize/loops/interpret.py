# SPDX-License-Identifier: Apache-2.0
"""The meaning of a kernel, slowly: each element by itself, in Python and NumPy scalars.

Tests hold the machine code against it. It shares no code with codegen and computes sums in order.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy
from numpy.typing import NDArray

from hybridize.base.dtypes import bool_, converted, is_float
from hybridize.loops.expr import Axis, CallExpr, Cast, Const, Expr, Fold, Load, Select
from hybridize.loops.index import Index, identity
from hybridize.loops.kernel import Kernel, Nest, Statement

Scalar = Any
"""A NumPy scalar of the expression's dtype."""


def interpret(kernel: Kernel, buffers: Sequence[NDArray[Any]]) -> None:
    """Run `kernel` on flat arrays, one per param; what it stores is written into them."""
    with numpy.errstate(all="ignore"):
        for nest in kernel.nests:
            for row in itertools.product(*map(range, nest.rows)):
                locals_ = [numpy.zeros(local.size, local.dtype) for local in kernel.locals]
                _run_row(nest, row, [*buffers, *locals_])


def _run_row(nest: Nest, row: tuple[int, ...], buffers: list[NDArray[Any]]) -> None:
    for statement in nest.statements:
        for inner in itertools.product(*map(range, statement.sizes)):
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
                return apply(function, [self.value(arg) for arg in args], expr.dtype)
            case Fold():
                return self._fold(expr)
        raise TypeError(f"{type(expr).__name__} is no expression of the loop IR")

    def _fold(self, fold: Fold) -> Any:
        # A short float is summed in float32, as NumPy and the machine code do.
        narrow = is_float(fold.dtype) and fold.dtype.itemsize == 2
        wide = numpy.dtype(numpy.float32) if narrow else fold.dtype
        total = wide.type(identity(fold.kind, fold.dtype))
        combine = _COMBINE[fold.kind]
        for i in range(fold.size):
            body = _Evaluation({**self._axes, fold.variable: i}, self._buffers).value(fold.body)
            total = wide.type(combine(total, wide.type(body)))
        return total


_COMBINE: dict[str, Callable[[Any, Any], Any]] = {
    "sum": numpy.add,
    "prod": numpy.multiply,
    "max": numpy.maximum,
    "min": numpy.minimum,
    "any": numpy.logical_or,
    "all": numpy.logical_and,
}

_NUMPY: dict[str, Callable[..., Any]] = {
    "neg": numpy.negative, "abs": numpy.abs, "sign": numpy.sign, "floor": numpy.floor, "ceil": numpy.ceil,
    "round": numpy.rint, "trunc": numpy.trunc, "sqrt": numpy.sqrt, "cbrt": numpy.cbrt, "exp": numpy.exp,
    "exp2": numpy.exp2, "expm1": numpy.expm1, "log": numpy.log, "log2": numpy.log2, "log10": numpy.log10,
    "log1p": numpy.log1p, "sin": numpy.sin, "cos": numpy.cos, "tan": numpy.tan, "arcsin": numpy.arcsin,
    "arccos": numpy.arccos, "arctan": numpy.arctan, "sinh": numpy.sinh, "cosh": numpy.cosh, "tanh": numpy.tanh,
    "arcsinh": numpy.arcsinh, "arccosh": numpy.arccosh, "arctanh": numpy.arctanh, "isnan": numpy.isnan,
    "isinf": numpy.isinf, "isfinite": numpy.isfinite, "signbit": numpy.signbit, "popcount": numpy.bitwise_count,
    "not": numpy.invert, "add": numpy.add, "sub": numpy.subtract, "mul": numpy.multiply, "div": numpy.divide,
    "floordiv": numpy.floor_divide, "mod": numpy.remainder, "fmod": numpy.fmod, "pow": numpy.power,
    "max": numpy.maximum, "min": numpy.minimum, "fmax": numpy.fmax, "fmin": numpy.fmin, "arctan2": numpy.arctan2,
    "hypot": numpy.hypot, "copysign": numpy.copysign, "nextafter": numpy.nextafter, "logaddexp": numpy.logaddexp,
    "and": numpy.bitwise_and, "or": numpy.bitwise_or, "xor": numpy.bitwise_xor, "shl": numpy.left_shift,
    "shr": numpy.right_shift, "eq": numpy.equal, "ne": numpy.not_equal, "lt": numpy.less, "le": numpy.less_equal,
    "gt": numpy.greater, "ge": numpy.greater_equal,
}  # fmt: skip

_FLOATS: dict[str, Callable[[float], float]] = {
    "erf": math.erf,
    "gamma": lambda x: float("nan") if (x < 0 and x == math.floor(x)) or x == -math.inf else _gamma(x),
    "gammaln": lambda x: math.inf if math.isinf(x) or (x <= 0 and x == math.floor(x)) else math.lgamma(x),
    "sigmoid": lambda x: 1 / (1 + math.exp(-x)) if x >= 0 else math.exp(x) / (1 + math.exp(x)),
    "rsqrt": lambda x: math.nan if x < 0 else math.copysign(math.inf, x) if x == 0 else 1 / math.sqrt(x),
}


def _gamma(x: float) -> float:
    if x == 0:
        return math.copysign(math.inf, x)
    try:
        return math.gamma(x)
    except OverflowError:
        return math.inf


def apply(function: str, args: Sequence[Scalar], dtype: numpy.dtype[Any]) -> Any:
    """One scalar function of the table `FUNCTIONS`, by NumPy."""
    arrays = [numpy.asarray(arg) for arg in args]
    if function == "bitcast":
        return arrays[0].reshape(1).view(dtype)[0]
    if function == "umulh":
        bits = 8 * dtype.itemsize
        return (int(args[0]) * int(args[1]) >> bits) & ((1 << bits) - 1)
    if function == "erfinv":
        return _erfinv(float(args[0]))
    if function in _FLOATS:
        x = float(args[0])
        return x if math.isnan(x) else _FLOATS[function](x)
    if arrays[0].dtype == bool_ and function in ("add", "max", "fmax", "mul", "min", "fmin", "sub"):
        x, y = bool(args[0]), bool(args[1])
        return x != y if function == "sub" else x or y if function in ("add", "max", "fmax") else x and y
    if function in ("shl", "shr") and not 0 <= int(args[1]) < 8 * dtype.itemsize:
        return -1 if function == "shr" and dtype.kind == "i" and args[0] < 0 else 0
    if function == "pow" and dtype.kind == "i" and int(args[1]) < 0:
        base = int(args[0])
        return {1: 1, -1: 1 if int(args[1]) % 2 == 0 else -1}.get(base, 0)
    if function in ("floordiv", "mod", "fmod") and dtype.kind in "iu" and int(args[1]) == 0:
        return 0
    return _NUMPY[function](*arrays)


def _erfinv(y: float) -> float:
    """Newton's method on erf, from Winitzki's approximation."""
    if not abs(y) < 1:
        return math.copysign(math.inf, y) if abs(y) == 1 else math.nan
    a = 0.147
    logarithm = math.log1p(-y * y)
    half = 2 / (math.pi * a) + logarithm / 2
    x = math.copysign(math.sqrt(math.sqrt(half * half - logarithm / a) - half), y)
    for _ in range(4):
        x -= (math.erf(x) - y) / (2 / math.sqrt(math.pi) * math.exp(-x * x))
    return x
