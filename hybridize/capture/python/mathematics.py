# SPDX-License-Identifier: Apache-2.0
"""Elements of arrays as Python numbers, and the module `math` on numbers that data decides.

`float(x[0])`, `int(x.sum())` and `x.item()` give a symbol that stands for a Python number: arithmetic with it is
Python's, in 64 bits, and no gradient goes through it. What Python refuses, a logarithm of 0 say, stops the program at
that line. Numbers that calls know go to Python itself.
"""

from __future__ import annotations

import builtins
import functools
import math
import operator
from collections.abc import Callable
from typing import Any

import numpy

from hybridize import ops
from hybridize.array.functions.divisors import euclid
from hybridize.array.ndarray import ndarray
from hybridize.array.operators import not_one
from hybridize.array.symbol import Symbol, described
from hybridize.base.dims import is_symbolic
from hybridize.base.dtypes import bool_, float64, int64
from hybridize.base.errors import CaptureError
from hybridize.base.faces import Face
from hybridize.base.tracebacks import as_python
from hybridize.capture.control.joining import is_mixed
from hybridize.capture.control.truth import plain
from hybridize.capture.python.semantics import Semantics
from hybridize.capture.trace.bounds import WHOLE
from hybridize.capture.trace.recording import Recording, current_trace
from hybridize.loops.functions import FUNCTIONS
from hybridize.ops.analysis import ANALYSIS, SMOOTH
from hybridize.ops.library.decimals import MOST_DIGITS, decimal
from hybridize.ops.op import Op, Operand, bind1, constant, in_charge

_KINDS: dict[str, type] = {"b": bool, "i": int, "u": int}


def scalar(symbol: Symbol, what: str) -> Symbol:
    """Give the one element of an array as a Python number that data decides.

    Raises:
        ShapeError E130: the array has several.
    """
    if symbol.weak is not None:
        return symbol
    if symbol.size != 1:
        raise not_one(what, symbol.type)
    kind = _KINDS.get(symbol.dtype.kind, float)
    value = symbol.operand()
    if symbol.shape != ():
        value = bind1(ops.Reshape(()), value)
    trace = in_charge(Recording)
    if symbol.dtype == numpy.uint64:
        trace.outside(value, int, 0, WHOLE[1])
    dtype = {bool: bool_, int: int64, float: float64}[kind]
    if value.type.dtype != dtype:
        value = bind1(ops.Cast(dtype), value)
    return Symbol.of(trace, bind1(ops.StopGradient(), value) if kind is float else value, weak=kind)


def is_by_data(x: Any) -> bool:
    """Tell whether data decides what a value is as a Python number."""
    if isinstance(x, ndarray):
        return True
    trace = current_trace()
    if type(x) is not Symbol or trace is None:
        return False
    return x.weak is None or not trace.root.numbers.is_known(x, trace)


def to_float(x: Any) -> Any:
    """Give `float(x)` of an array or symbol."""
    symbol = scalar(in_charge(Recording).lifted(x), "float")
    if symbol.weak is float:
        return symbol
    return Symbol.of(in_charge(Recording), bind1(ops.Cast(float64), symbol.operand()), weak=float)


def to_int(x: Any, rounding: Op | None = None) -> Any:
    """Give `int(x)` of an array or symbol, or what another way of rounding gives.

    Raises:
        ValueError, OverflowError: what Python raises, where it is a number that calls know.
    """
    symbol = scalar(in_charge(Recording).lifted(x), "int")
    trace = in_charge(Recording)
    if symbol.weak is int:
        return _decided(symbol)
    value = symbol.operand()
    if symbol.weak is bool:
        return _decided(Symbol.of(trace, bind1(ops.Cast(int64), value), weak=int))
    error = ValueError("cannot convert float NaN to integer")
    trace.root.numbers.require(bind1(ops.Not(), bind1(ops.Isnan(), value)), error)
    value = bind1(rounding or ops.Trunc(), value)
    trace.outside(value, float, *WHOLE)
    return _decided(Symbol.of(trace, bind1(ops.Cast(int64), value), weak=int))


def _decided(number: Symbol) -> Any:
    """Return the number that data decides, where the program is specialized on it; else the symbol."""
    known = in_charge(Recording).decided(number)
    return number if known is None else known


def item(symbol: Symbol, *args: Any) -> Any:
    """Give `x.item()`, `x.item(3)` or `x.item(1, 2)`."""
    if len(args) == 1 and not isinstance(args[0], tuple):
        symbol = symbol.reshape(-1)[args[0]]
    elif args:
        symbol = symbol[args[0] if len(args) == 1 else args]
    return scalar(symbol, "item()")


def member(symbol: Symbol, name: str) -> Any:
    """Give an attribute of a Python number that data decides, or a method of it.

    Raises:
        CaptureError E427: Python needs the number for it.
    """
    kind: Any = symbol.weak
    if name in ("real", "numerator"):
        return symbol if kind is float else to_int(symbol)
    if name == "imag":
        return kind(0) + 0
    if name == "denominator":
        return 1
    if name == "conjugate":
        return functools.partial(member, symbol, "real")
    if name == "is_integer":
        return functools.partial(_is_integer, symbol)
    raise refused(f"{kind.__name__}.{name}", symbol)


def _is_integer(symbol: Symbol) -> Any:
    if symbol.weak is not float:
        return True
    value = symbol.operand()
    whole = bind1(ops.BitAnd(), bind1(ops.Isfinite(), value), bind1(ops.Eq(), value, bind1(ops.Trunc(), value)))
    return Symbol.of(in_charge(Recording), whole, weak=bool)


_MOST = 1024
"""Elements of an array that become numbers of their own."""


def to_list(symbol: Symbol) -> Any:
    """Give `x.tolist()`."""
    if symbol.shape == ():
        return scalar(symbol, "tolist()")
    if symbol.size > _MOST:
        raise in_charge(Recording).refusal(
            "E401",
            f"tolist() of {described(symbol)}: more than {_MOST} elements would each become a separate number",
            help="keep the array: np and npx compute with all elements at once",
        )
    return [to_list(symbol[i]) for i in range(symbol.shape[0])]


def refused(
    name: str,
    x: Any,
    help: str = "compute it with operators, or with np and npx on arrays; or call it outside, on the result",
) -> CaptureError:
    """Make the error for a function of Python's that needs a number which only data knows."""
    what = "an array" if getattr(x, "weak", None) is None else f"a {x.weak.__name__} that depends on data"
    return in_charge(Recording).refusal(
        "E427",
        f"{name}() of {what}: Python needs the value, but a captured array has none",
        help=help,
    )


# ------------------------------------------------------------------------------------------------- the module `math`

_ONE: dict[str, type[Op]] = {word: op for word, op in SMOOTH.items() if hasattr(math, word) and word != "log"}
_ONE |= {f"a{word[3:]}": op for word, op in SMOOTH.items() if word.startswith("arc")}
_ONE |= {"lgamma": ops.Gammaln, "fabs": ops.Abs}
_TWO: dict[str, type[Op]] = {
    "atan2": ops.Arctan2,
    "hypot": ops.Hypot,
    "copysign": ops.Copysign,
    "fmod": ops.Fmod,
    "pow": ops.Pow,
}
_OVERFLOWING = frozenset({"exp", "exp2", "expm1", "sinh", "cosh", "gamma", "lgamma", "hypot", "pow"})
_TESTS: dict[str, type[Op]] = {word: op for word, op in ANALYSIS.items() if FUNCTIONS[op.scalar].truth}
_ROUNDINGS: dict[str, type[Op]] = {"floor": ops.Floor, "ceil": ops.Ceil, "trunc": ops.Trunc}


def _checked(name: str, op: Op, *operands: Operand) -> Symbol:
    """Apply an op to floats; stop the program where `math` raises: a NaN or infinity that comes of none."""
    result = bind1(op, *operands)
    numbers = in_charge(Recording).root.numbers
    if name in ("gamma", "lgamma"):
        (x,) = operands
        above = bind1(ops.Gt(), x, constant(numpy.zeros(())))
        between = bind1(ops.Ne(), x, bind1(ops.Floor(), x))
        pole = bind1(ops.Not(), bind1(ops.BitOr(), bind1(ops.BitOr(), above, between), bind1(ops.Isinf(), x)))
        numbers.require(bind1(ops.Not(), pole), ValueError("math domain error"))
    both: Callable[[Operand, Operand], Operand] = functools.partial(bind1, ops.BitAnd())
    fine = functools.reduce(both, [bind1(ops.Not(), bind1(ops.Isnan(), x)) for x in operands])
    domain = bind1(ops.BitAnd(), fine, bind1(ops.Isnan(), result))
    numbers.require(bind1(ops.Not(), domain), ValueError("math domain error"))
    if name == "pow":
        zero, negative = (
            bind1(op, x, constant(numpy.zeros(()))) for op, x in zip((ops.Eq(), ops.Lt()), operands, strict=True)
        )
        numbers.require(bind1(ops.Not(), both(zero, negative)), ValueError("math domain error"))
    finite = functools.reduce(both, [bind1(ops.Isfinite(), x) for x in operands])
    error = OverflowError("math range error") if name in _OVERFLOWING else ValueError("math domain error")
    infinite = bind1(ops.BitAnd(), finite, bind1(ops.Isinf(), result))
    numbers.require(bind1(ops.Not(), infinite), error)
    return Symbol.of(in_charge(Recording), result, weak=float)


def _value(x: Any) -> Operand:
    if isinstance(x, (Symbol, ndarray)):
        return to_float(x).operand()
    return constant(numpy.asarray(float(x)))


def _log(x: Any, *base: Any) -> Any:
    numbers = [
        _checked("log", ops.Log(), _value(one)) if is_by_data(one) else math.log(plain(one)) for one in (x, *base)
    ]
    return numbers[0] if not base else numbers[0] / numbers[1]


def _gcd(args: tuple[Any, ...]) -> Any:
    divisor = constant(numpy.zeros((), "int64"))
    for x in args:
        if isinstance(x, (Symbol, ndarray)) and scalar(in_charge(Recording).lifted(x), "gcd").weak is float:
            raise TypeError("'float' object cannot be interpreted as an integer")
        value = to_int(x).operand() if is_by_data(x) else constant(numpy.asarray(operator.index(plain(x)), "int64"))
        divisor = euclid(divisor, value)
    return Symbol.of(in_charge(Recording), divisor, weak=int)


def _isclose(a: Any, b: Any, *, rel_tol: float = 1e-9, abs_tol: float = 0.0) -> Any:
    rel_tol, abs_tol = plain(rel_tol), plain(abs_tol)
    if rel_tol < 0 or abs_tol < 0:
        raise ValueError("tolerances must be non-negative")
    x, y = _value(a), _value(b)
    size = bind1(ops.Max(), bind1(ops.Abs(), x), bind1(ops.Abs(), y))
    most = bind1(
        ops.Max(),
        bind1(ops.Mul(), constant(numpy.asarray(float(rel_tol))), size),
        constant(numpy.asarray(float(abs_tol))),
    )
    near = bind1(ops.Le(), bind1(ops.Abs(), bind1(ops.Sub(), x, y)), most)
    finite = bind1(ops.BitAnd(), bind1(ops.Isfinite(), x), bind1(ops.Isfinite(), y))
    answer = bind1(ops.BitOr(), bind1(ops.Eq(), x, y), bind1(ops.BitAnd(), finite, near))
    return Symbol.of(in_charge(Recording), answer, weak=bool)


def _by_data(name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Give `math.name(*args)` where data decides one of the arguments."""
    if name in _ONE and len(args) == 1:
        return _checked(name, _ONE[name](), _value(args[0]))
    if name in _TWO and len(args) == 2:
        return _checked(name, _TWO[name](), *map(_value, args))
    if name == "log" and 1 <= len(args) <= 2:
        return _log(*args)
    if name in _TESTS and len(args) == 1:
        return Symbol.of(in_charge(Recording), bind1(_TESTS[name](), _value(args[0])), weak=bool)
    if name in _ROUNDINGS and len(args) == 1:
        return to_int(args[0], _ROUNDINGS[name]())
    if name == "degrees" and len(args) == 1:
        return to_float(args[0]) * (180 / math.pi)
    if name == "radians" and len(args) == 1:
        return to_float(args[0]) * (math.pi / 180)
    if name == "isclose":
        return _isclose(*args, **kwargs)
    if name == "gcd" and args:
        return _gcd(args)
    if name == "prod":
        return functools.reduce(operator.mul, args[0], kwargs.get("start", 1))
    raise refused(f"math.{name}", next(x for x in _every(args, kwargs) if is_by_data(x)))


def _every(args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[Any]:
    """The arguments, and what the lists and tuples among them hold."""
    values: list[Any] = []
    for x in (*args, *kwargs.values()):
        values += x if isinstance(x, (list, tuple)) else [x]
    return values


def _mathematical(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    @as_python
    def compute(router: Semantics, *args: Any, **kwargs: Any) -> Any:
        args = tuple(map(_bare, args))
        if any(map(is_by_data, _every(args, kwargs))):
            return _by_data(name, args, kwargs)
        return function(*map(known, args), **{key: known(x) for key, x in kwargs.items()})

    return compute


def _bare(x: Any) -> Any:
    """Give the symbol of an array of another library; whatever else as it is."""
    return x.array if isinstance(x, Face) else x


def known(x: Any) -> Any:
    """Give an argument with the numbers that symbols in it stand for."""
    if type(x) in (list, tuple):
        return type(x)(map(known, x))
    return plain(x)


# ------------------------------------------------------------------------------------------------------- the builtins


@as_python
def _float(router: Semantics, *args: Any) -> Any:
    args = tuple(map(_bare, args))
    if len(args) == 1 and isinstance(args[0], (Symbol, ndarray)):
        return to_float(args[0])
    return float(*args)


@as_python
def _int(router: Semantics, *args: Any, **kwargs: Any) -> Any:
    args = tuple(map(_bare, args))
    if len(args) == 1 and is_symbolic(args[0]):
        return args[0]
    if len(args) == 1 and not kwargs and is_by_data(args[0]):
        return to_int(args[0])
    return int(*map(plain, args), **kwargs)


@as_python
def _round(router: Semantics, number: Any, ndigits: Any = None) -> Any:
    if type(number) is Symbol and number.weak is not None and is_by_data(number):
        return to_int(number, ops.Round()) if ndigits is None else _to_decimal(number, operator.index(plain(ndigits)))
    if isinstance(number, ndarray):
        number = in_charge(Recording).lift(number)
    return round(plain(number)) if ndigits is None else round(plain(number), plain(ndigits))


_MOST_ZEROS = 18
"""Twice a power of ten up to this one is an integer of 64 bits."""


def _to_decimal(number: Symbol, digits: int) -> Any:
    """Give `round(number, digits)` of a number that data decides, of the class of the number."""
    trace = in_charge(Recording)
    most = MOST_DIGITS if number.weak is float else _MOST_ZEROS
    if abs(digits) > MOST_DIGITS or digits < -most:
        raise refused("round", number, help=f"round to {MOST_DIGITS} digits after the point at most, {most} before it")
    if number.weak is float:
        value = decimal(number.operand(), digits)
        if is_mixed(number):
            trace.root.numbers.mixed.add(value)
        return Symbol.of(trace, value, weak=float)
    if digits >= 0:
        return to_int(number)
    unit = 10**-digits
    rest = number % (2 * unit)  # of two units, which tells even multiples from odd ones
    over = rest % unit
    is_up = (2 * over > unit) | ((2 * over == unit) & (rest >= unit))
    return number - over + unit * is_up


@as_python
def _pow(router: Semantics, base: Any, exp: Any, mod: Any = None) -> Any:
    if mod is None:
        return operator.pow(base, exp)
    for x in (base, exp, mod):
        if is_by_data(x) and not (isinstance(x, (Symbol, ndarray)) and getattr(x, "weak", None) is None):
            raise refused("pow", x)
    return pow(*map(plain, (base, exp, mod)))


REPLACED: dict[Any, Callable[..., Any]] = {
    getattr(math, name): _mathematical(name, getattr(math, name))
    for name in dir(math)
    if callable(getattr(math, name)) and not name.startswith("_")
} | {builtins.float: _float, builtins.int: _int, builtins.round: _round, builtins.pow: _pow}
"""Replacements of functions, called with the router before the arguments."""
ELEMENTS: dict[str, Callable[..., Any]] = {"item": item, "asscalar": item, "tolist": to_list}
"""Methods of arrays that give Python numbers."""
