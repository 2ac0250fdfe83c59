# SPDX-License-Identifier: Apache-2.0
"""Functions of each element by itself: arithmetic, comparisons, logic, bits, and the usual functions of analysis."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy

from hybridize import ops
from hybridize.array.annotations import ArrayLike
from hybridize.array.functions.keywords import named, placed, universal
from hybridize.array.methods import functions
from hybridize.array.ndarray import bare, direct, history, is_content, ndarray, store, taping, view, wrap
from hybridize.array.operands import (
    Weak,
    aligned,
    array,
    broadcast,
    cast,
    check_real,
    common_dtype,
    common_kind,
    common_shape,
    dtype_of,
    finished,
    float_operand,
    made_in_order,
    one_of,
    open_shapes,
    operand,
    operands,
    public,
    result,
    shape_of,
    strong,
    typed,
    whole,
)
from hybridize.array.placing import arrays_in, looks, one_device, short_tape
from hybridize.array.policies import together
from hybridize.array.staging import staging
from hybridize.array.symbol import Symbol
from hybridize.array.traced import Traced
from hybridize.base import dims, dtypes, modes
from hybridize.base.access import ACCESS
from hybridize.base.advice import warn
from hybridize.base.errors import ArgumentError, DTypeError, HybridizeError, ShapeError, ValueArgumentError
from hybridize.base.promotion import NUMBERS, floating, python_kind, result_dtype, weak_kind
from hybridize.base.tracebacks import trim
from hybridize.base.types import surely_same
from hybridize.loops.functions import FUNCTIONS
from hybridize.ops.analysis import ANALYSIS
from hybridize.ops.complexes import FromParts
from hybridize.ops.elementwise import Binary
from hybridize.ops.library.errors import erfcx as library_erfcx
from hybridize.ops.library.errors import log_ndtr as library_log_ndtr
from hybridize.ops.library.floats import scaled
from hybridize.ops.op import ACTIVE, OPS, Op, Operand, bind1, capturing

_NUMPY = numpy.ndarray


def _unary(
    name: str, op: type[Op], text: str, kind: str = "float", ufunc: numpy.ufunc | None = None
) -> Callable[..., Any]:
    """A function of one argument.

    Args:
        name: its name; NumPy's ufunc of the same name is the short way.
        op: its primitive.
        text: what it computes.
        kind: `float` (integers become float32), `number` (any dtype, kept), `integral` (nothing to do for integers),
            or `test` (floats to bool).
        ufunc: NumPy's, where it has another name; None and no such name: no short way.
    """
    theirs = ufunc if ufunc is not None else getattr(numpy, name, None)
    primitive = op()

    def compute(x: Any) -> Any:
        x = operand(x)
        weak = x.kind if isinstance(x, Weak) and kind == "number" else None
        dtype = dtype_of(x)
        if kind == "integral" and not dtypes.is_inexact(dtype):
            return copy(x) if isinstance(x, _NUMPY) else result(cast(x, dtype), weak)
        if kind == "number":
            if dtype == dtypes.bool_ and name != "abs":
                raise DTypeError("E205", f"{name} does not take {typed(x)}", help="cast first: x.astype(int)")
            if dtype == dtypes.bool_:
                return copy(x) if isinstance(x, _NUMPY) else result(cast(x, dtype), weak)
            return result(bind1(primitive, cast(x, dtype)), weak)
        return result(bind1(primitive, cast(x, floating(dtype))), weak)

    compute.__doc__ = text
    general = universal(1, typed=0 if kind == "test" else None, name=name)(compute)
    return _at_once(theirs, primitive=primitive)(general)


def _binary(
    name: str, op: type[Binary], text: str, kind: str = "number", ufunc: numpy.ufunc | None = None
) -> Callable[..., Any]:
    """A function of two arguments, which are promoted and broadcast.

    Args:
        name: its name; NumPy's ufunc of the same name is the short way.
        op: its primitive.
        text: what it computes.
        kind: `number` (any dtype but bool), `any` (bool too), `float`, `integer` (bool too), `shift` (of integers),
            or `compare`.
        ufunc: NumPy's, where it has another name.
    """
    theirs: Any = ufunc if ufunc is not None else getattr(numpy, name)
    integers = kind in ("number", "any", "compare", "integer", "shift")
    primitive = op()
    of_bools = OPS[op.of_bools]() if op.of_bools else primitive

    of_floats = primitive if kind not in ("integer", "shift") else None

    def compute(x: Any, y: Any) -> Any:
        if of_floats is not None and type(x) is Symbol and type(y) is Symbol and _are_alike_floats(x, y):
            return result(bind1(of_floats, x.operand(), y.operand()))
        x, y = operands(x, y) if list in (type(x), type(y)) else (operand(x), operand(y))
        dtype = common_dtype((x, y), float_only=kind == "float")
        if (kind in ("number", "shift") and dtype == dtypes.bool_) or (
            kind in ("integer", "shift") and dtypes.is_inexact(dtype)
        ):
            raise DTypeError("E205", f"{name} cannot take {typed(x)} and {typed(y)}", help="cast first: x.astype(...)")
        weak = common_kind((x, y))
        if weak is not None:
            # Between captured Python numbers, Python's own arithmetic: 64 bits.
            dtype = dtypes.float64 if weak is float or kind == "float" else dtype
            weak = bool if kind == "compare" else float if kind == "float" else weak
        if op in (ops.Max, ops.Min) and isinstance(x, (Weak, *NUMBERS)) and modes.is_recording():
            x, y = y, x  # at a tie of an array and a number the array has the gradient, else the sign of its zero
        if kind == "compare" and dtype.kind in "iu":
            comparison = _compared(primitive, theirs, x, y, dtype, name)
            if comparison is not None:
                return result(comparison, weak)
        left, right = aligned(x, y, name=name, dtype=dtype)
        return result(bind1(of_bools if dtype == dtypes.bool_ else primitive, left, right), weak)

    compute.__doc__ = text
    general = universal(2, typed=0 if kind == "compare" else None, name=name)(compute)
    return _at_once(theirs, _FLOATS | _INTEGERS if integers else _FLOATS, 2, integers=integers)(general)


def _are_alike_floats(x: Symbol, y: Symbol) -> bool:
    """Tell whether two arrays of a program are of one shape and one dtype, of floats."""
    if x.weak is not None or y.weak is not None or x.dtype != y.dtype:
        return False
    return dtypes.is_float(x.dtype) and surely_same(x.shape, y.shape)


_FLOATS = frozenset((dtypes.float32, dtypes.float64))
_INTEGERS = frozenset((dtypes.int32, dtypes.int64))
_WHOLE = _INTEGERS | {dtypes.bool_}


def _at_once(
    compute: Any, supported: frozenset[dtypes.DType] = _FLOATS, count: int = 1, *,
    primitive: Op | None = None, integers: bool | None = None,
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:  # fmt: skip
    """Give a universal function a short way, which gives what it does, to the last bit.

    Args:
        compute: a function of NumPy's arrays of one dtype; None: only where a tape records there is a short way.
        supported: these dtypes.
        count: of the arrays.
        primitive: the op of one array that a tape applies.
        integers: it also takes an array and a number, as `direct` says.
    """
    short = supported if compute is not None else frozenset()

    def decorate(general: Callable[..., Any]) -> Callable[..., Any]:
        def of_one(x: Any, /, out: Any = None, **keywords: Any) -> Any:
            try:
                if out is not None or keywords:
                    return general(x, out=out, **keywords)
                if type(x) is ndarray:
                    if not ACTIVE:
                        data = x._data
                        if data.dtype in short:  # `at_once`, written out
                            writes = ACCESS.writes
                            try:
                                data = compute(data)
                            except (ValueError, OverflowError, TypeError):
                                return general(x)
                            if ACCESS.writes is writes:
                                array = bare()  # `wrap`, written out: 15 ns of the 330 beyond NumPy's
                                array._data = data if type(data) is _NUMPY else numpy.asarray(data)
                                array._storage = None
                                return array
                    elif primitive is not None and (tape := short_tape()) is not None:
                        dtype = x._data.dtype
                        if dtype is dtypes.float32 or dtype is dtypes.float64:
                            return tape.unary(primitive, x)
                return general(x)
            except HybridizeError as error:
                trim(error)
                raise

        def of_two(x1: ArrayLike, x2: ArrayLike, /, out: Any = None, **keywords: Any) -> Any:
            try:
                if out is not None or keywords:
                    return general(x1, x2, out=out, **keywords)
                if not ACTIVE:
                    if type(x1) is ndarray and type(x2) is ndarray:
                        x, y = x1._data, x2._data
                        dtype = x.dtype
                        if y.dtype is dtype and dtype in short:
                            writes = ACCESS.writes
                            try:
                                data = compute(x, y)
                            except (ValueError, OverflowError, TypeError):
                                return general(x1, x2)
                            if ACCESS.writes is writes:
                                array = bare()
                                array._data = data if type(data) is _NUMPY else numpy.asarray(data)
                                array._storage = None
                                return array
                    elif integers is not None:
                        data = direct(compute, x1, x2, integers=integers)
                        if data is not None:
                            return wrap(data)
                return general(x1, x2)
            except HybridizeError as error:
                trim(error)
                raise

        return named(of_one if count == 1 else of_two, general.__name__, general.__doc__, count)

    return decorate


def _compared(op: Op, ufunc: Any, x: Any, y: Any, dtype: dtypes.DType, name: str) -> Operand | None:
    """A comparison of integers with a Python number that is, or may be, none of their dtype; None for all others."""
    number: Any = next((one for one in (x, y) if isinstance(one, NUMBERS)), x if isinstance(x, Weak) else y)
    if not isinstance(number, (Weak, *NUMBERS)):
        return None
    shape, ends = common_shape((x, y), name), numpy.iinfo(dtype)

    def constant_where(sign: int) -> Operand:
        """Give the answer for all elements at once, where the number is beyond them all on one side."""
        answer = ufunc(sign, 0) if number is x else ufunc(0, sign)
        return broadcast(cast(bool(answer), dtypes.bool_), shape)

    if not isinstance(number, Weak):
        whole = int(number.real)
        return None if ends.min <= whole <= ends.max else constant_where(1 if whole > 0 else -1)
    if dtype != numpy.uint64:
        return None if dtype == dtypes.int64 else bind1(op, *aligned(x, y, name=name, dtype=dtypes.int64))
    if number.kind is bool or dtype_of(number.value).kind == "u":
        return None
    negative = broadcast(bind1(ops.Lt(), number.value, cast(0, dtype_of(number.value))), shape)
    sides = [one.value if isinstance(one, Weak) else one for one in (x, y)]  # no check: the negative are told apart
    return bind1(ops.Where(), negative, constant_where(-1), bind1(op, *aligned(*sides, name=name, dtype=dtype)))


negative: Callable[..., Any] = _unary("negative", ops.Neg, "-x", "number")
absolute: Callable[..., Any] = _unary("abs", ops.Abs, "The absolute value of x.", "number", numpy.absolute)
sign: Callable[..., Any] = _unary("sign", ops.Sign, "-1, 0 or 1; NaN of NaN.", "number")
rint: Callable[..., Any] = _unary("rint", ops.Round, "The nearest integer, halves to even.", "integral")
fix: Callable[..., Any] = _unary("fix", ops.Trunc, "The integer part of x.", "integral", numpy.trunc)


def _analytic(word: str, op: type[Op]) -> Callable[..., Any]:
    """The function of an op of analysis, whose results are of the kind that its scalar function says."""
    scalar = FUNCTIONS[ANALYSIS[word].scalar]
    return _unary(word, op, str(op.__doc__), "float" if scalar.smooth else "test" if scalar.truth else "integral")


_ANALYTIC = {word: _analytic(word, op) for word, op in ANALYSIS.items() if word not in ("round", "sigmoid")}
"""The functions of analysis by name: all of `ops.analysis.ANALYSIS` but two, which have more arguments, and stand
elsewhere."""


def __getattr__(name: str) -> Any:
    """Give a function of analysis, as `sin`: they are names of this module like those above and below."""
    if name not in _ANALYTIC:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return _ANALYTIC[name]


add: Callable[..., Any] = _binary("add", ops.Add, "x1 + x2", "any")
subtract: Callable[..., Any] = _binary("subtract", ops.Sub, "x1 - x2")
multiply: Callable[..., Any] = _binary("multiply", ops.Mul, "x1 * x2", "any")
divide: Callable[..., Any] = _binary("divide", ops.Div, "x1 / x2; integers give float32.", "float")
floor_divide: Callable[..., Any] = _binary("floor_divide", ops.FloorDiv, "The largest integer not above x1 / x2.")
mod: Callable[..., Any] = _binary("mod", ops.Mod, "x1 - x2 floor(x1 / x2), with the sign of x2.")
fmod: Callable[..., Any] = _binary("fmod", ops.Fmod, "The remainder of x1 / x2, with the sign of x1.")
arctan2: Callable[..., Any] = _binary("arctan2", ops.Arctan2, "The angle of the point (x2, x1).", "float")
hypot: Callable[..., Any] = _binary("hypot", ops.Hypot, "sqrt(x1**2 + x2**2)", "float")
copysign: Callable[..., Any] = _binary("copysign", ops.Copysign, "x1 with the sign of x2.", "float")
logaddexp: Callable[..., Any] = _binary("logaddexp", ops.LogAddExp, "log(exp(x1) + exp(x2))", "float")
maximum: Callable[..., Any] = _binary("maximum", ops.Max, "The larger of x1 and x2; NaN where either is.", "any")
minimum: Callable[..., Any] = _binary("minimum", ops.Min, "The smaller of x1 and x2; NaN where either is.", "any")
fmax: Callable[..., Any] = _binary("fmax", ops.FMax, "The larger of x1 and x2; the other where one is NaN.", "any")
fmin: Callable[..., Any] = _binary("fmin", ops.FMin, "The smaller of x1 and x2; the other where one is NaN.", "any")
equal: Callable[..., Any] = _binary("equal", ops.Eq, "Whether x1 == x2.", "compare")
not_equal: Callable[..., Any] = _binary("not_equal", ops.Ne, "Whether x1 != x2.", "compare")
less: Callable[..., Any] = _binary("less", ops.Lt, "Whether x1 < x2.", "compare")
less_equal: Callable[..., Any] = _binary("less_equal", ops.Le, "Whether x1 <= x2.", "compare")
greater: Callable[..., Any] = _binary("greater", ops.Gt, "Whether x1 > x2.", "compare")
greater_equal: Callable[..., Any] = _binary("greater_equal", ops.Ge, "Whether x1 >= x2.", "compare")
bitwise_and: Callable[..., Any] = _binary("bitwise_and", ops.BitAnd, "x1 & x2", "integer")
bitwise_or: Callable[..., Any] = _binary("bitwise_or", ops.BitOr, "x1 | x2", "integer")
bitwise_xor: Callable[..., Any] = _binary("bitwise_xor", ops.BitXor, "x1 ^ x2", "integer")
left_shift: Callable[..., Any] = _binary("left_shift", ops.ShiftLeft, "x1 * 2**x2 of integers.", "shift")
right_shift: Callable[..., Any] = _binary("right_shift", ops.ShiftRight, "x1 // 2**x2 of integers.", "shift")
_pow = _binary("power", ops.Pow, "x1 to the power of x2.")


@public
def power(x1: ArrayLike, x2: ArrayLike, /, out: Any = None, **keywords: Any) -> Any:
    """Return x1 to the power of x2 for each pair of elements.

    A negative Python integer as the exponent of integers is refused, as in NumPy.

    >>> np.power(np.array([1, 2, 3]), 2)
    array([1., 4., 9.])
    """
    if keywords or isinstance(out, tuple):
        return _pow(x1, x2, out, **keywords)
    if Symbol in (type(x1), type(x2)) and _is_whole(x1) and _is_whole(x2):
        # Python's own numbers: whether the power is an int or a float is decided by the sign of the exponent.
        x2 = int(x2)
        if type(x1) is not Symbol:
            return x1**x2
        if x2 < 0:
            return _pow(multiply(x1, 1.0), float(x2), out=out)
    exponent = x2 if type(x2) is Symbol and x2.weak is not None and python_kind(x2.weak) is int else None
    if exponent is not None and not _is_float(x1):
        outlier = staging().outside(exponent.operand(), int, 0, int(numpy.iinfo(dtypes.int64).max))
        if outlier is not None:
            raise _negative_power()
    if isinstance(x2, (int, float)) and not isinstance(x2, bool):
        if x2 == 2 and dtype_of(operand(x1)) != dtypes.bool_:
            return placed(square(x1) if not isinstance(x2, float) or _is_float(x1) else _pow(x1, x2), out, True)
        if x2 == 0.5 and _is_float(x1):
            return placed(functions.sqrt(x1), out, True)
        if isinstance(x2, int) and x2 < 0 and not _is_float(x1):
            raise _negative_power()
    return _pow(x1, x2, out=out)


power = _at_once(numpy.power, count=2)(named(power, "power", power.__doc__, 2))


def _negative_power() -> DTypeError:
    return DTypeError("E205", "integers have no negative integer powers", help="cast first: x.astype(float)")


def _is_whole(x: Any) -> bool:
    """Tell whether `x` is a Python int, here or in a program."""
    return x.weak in (int, bool) if type(x) is Symbol else isinstance(x, int)


def _is_float(x: Any) -> bool:
    return dtypes.is_inexact(dtype_of(operand(x)))


@universal(1)
def fabs(x: Any) -> Any:
    """Return the absolute value of each real number.

    Integers stay integers, where NumPy gives floats.

    >>> np.fabs(np.array([-1.5, 2]))
    array([1.5, 2. ])
    """
    check_real("fabs", array(x))
    return absolute(x)


@_at_once(numpy.square)
@universal(1)
def square(x: Any) -> Any:
    """Return x * x for each element.

    >>> np.square(np.array([-2, 3]))
    array([4., 9.])
    """
    x = array(x) if not isinstance(x, Symbol) else x
    return multiply(x, x)


@_at_once(numpy.positive)
@universal(1)
def positive(x: Any) -> Any:
    """Return a copy of x, as +x does.

    >>> np.positive(np.array([1, -2]))
    array([ 1., -2.])
    """
    return x if type(x) is Symbol and x.weak is not None else copy(x)


@_at_once(lambda x: 1 / x)
@universal(1)
def reciprocal(x: Any) -> Any:
    """Return 1 / x for each element.

    Integers give float32, where NumPy gives integers.

    >>> np.reciprocal(np.array([2, 4], dtype="int64"))
    array([0.5 , 0.25])
    """
    return divide(1, x)


@universal(2)
def divmod(x1: Any, x2: Any) -> tuple[Any, Any]:
    """Return `floor_divide(x1, x2)` and `mod(x1, x2)` as a tuple.

    >>> np.divmod(np.array([7, -7]), 3)
    (array([ 2., -3.]), array([1., 2.]))
    """
    return floor_divide(x1, x2), mod(x1, x2)


@_at_once(numpy.invert, _WHOLE)
@universal(1)
def invert(x: Any) -> Any:
    """Return every bit of an integer turned over; of bools, whether they are false.

    >>> np.invert(np.array([0, 7], dtype="int32"))
    array([-1, -8], dtype=int32)
    """
    x = operand(x)
    if dtypes.is_inexact(dtype_of(x)):
        raise DTypeError(
            "E205",
            f"invert of {typed(x)}: expected integers or bools",
            help="compare first, ~(x > 0), or cast: x.astype(bool)",
        )
    return result(bind1(ops.Not(), cast(x, dtype_of(x))), x.kind if isinstance(x, Weak) else None)


def truth(x: Any) -> Operand:
    """The bool operand of an argument: whether each element is not zero."""
    return strong(x, dtypes.bool_)


def _logical(name: str, op: type[Op], text: str) -> Callable[..., Any]:
    primitive = op()

    def function(x1: Any, x2: Any) -> Any:
        left, right = aligned(truth(x1), truth(x2), name=name)
        return result(bind1(primitive, left, right))

    function.__doc__ = text
    return _at_once(getattr(numpy, name), _FLOATS | _WHOLE, 2)(universal(2, typed=0, name=name)(function))


logical_and: Callable[..., Any] = _logical("logical_and", ops.BitAnd, "Whether both are true (not zero).")
logical_or: Callable[..., Any] = _logical("logical_or", ops.BitOr, "Whether one of both is true (not zero).")
logical_xor: Callable[..., Any] = _logical("logical_xor", ops.BitXor, "Whether exactly one of both is true (not zero).")


@_at_once(numpy.logical_not, _FLOATS | _WHOLE)
@universal(1, typed=0)
def logical_not(x: Any) -> Any:
    """Return whether each element is false (zero).

    >>> np.logical_not(np.array([0, 1, 2]))
    array([ True, False, False])
    """
    return result(bind1(ops.Not(), truth(x)))


@universal(1, typed=0)
def signbit(x: Any) -> Any:
    """Return whether the sign of each element is negative; that of -0.0 is.

    >>> np.signbit(np.array([1, -0.0, -2]))
    array([False,  True,  True])
    """
    return less(copysign(1.0, x), 0)


@universal(1, typed=0)
def isposinf(x: Any) -> Any:
    """Return whether each element is positive infinity.

    >>> np.isposinf(np.array([1, np.inf, -np.inf]))
    array([False,  True, False])
    """
    check_real("isposinf", array(x))
    return equal(x, math.inf)


@universal(1, typed=0)
def isneginf(x: Any) -> Any:
    """Return whether each element is negative infinity.

    >>> np.isneginf(np.array([1, np.inf, -np.inf]))
    array([False, False,  True])
    """
    check_real("isneginf", array(x))
    return equal(x, -math.inf)


@_at_once(lambda x: x * (180.0 / math.pi))
@universal(1)
def degrees(x: Any) -> Any:
    """Return angles in degrees of angles in radians.

    >>> np.degrees(np.array([0, np.pi]))
    array([  0., 180.])
    """
    check_real("degrees", array(x))
    return multiply(x, 180.0 / math.pi)


@_at_once(lambda x: x * (math.pi / 180.0))
@universal(1)
def radians(x: Any) -> Any:
    """Return angles in radians of angles in degrees.

    >>> np.radians(np.array([0, 180])).round(4)
    array([0.    , 3.1416])
    """
    check_real("radians", array(x))
    return multiply(x, math.pi / 180.0)


@universal(2, typed=1)
def ldexp(x1: Any, x2: Any) -> Any:
    """Return x1 * 2**x2, rounded once: the inverse of `frexp`.

    >>> np.ldexp(np.array([0.5, 3]), np.array([2, -1], dtype="int32"))
    array([2. , 1.5])
    """
    check_real("ldexp", array(x1), array(x2))
    exponent = operand(x2)
    if dtypes.is_float(dtype_of(exponent)):
        x, y = together((x1, x2), floating, weak=True)
        return multiply(x, functions.exp2(y))
    x, exponent = strong(x1), cast(exponent, dtype_of(exponent))
    shape = common_shape((x, exponent), "ldexp")
    return result(scaled(broadcast(cast(x, floating(dtype_of(x))), shape), broadcast(exponent, shape)))


@public
def sinc(x: Any, /) -> Any:
    """Return sin(pi x) / (pi x) for each element, and 1 at 0.

    >>> np.sinc(np.array([0, 0.5, 1])).round(4)
    array([ 1.    ,  0.6366, -0.    ])
    """
    angle = multiply(x, math.pi)
    return where(equal(angle, 0), 1.0, divide(functions.sin(angle), where(equal(angle, 0), 1.0, angle)))


@public
def digamma(x: Any, /) -> Any:
    """Return the logarithmic derivative of the gamma function; NaN at 0 and at negative integers.

    >>> npx.digamma(np.array([1, 2])).round(4)
    array([-0.5772,  0.4228])
    """
    return result(ops.digamma(float_operand(x)))


@public
def erfcx(x: Any, /) -> Any:
    """Return exp(x * x) * (1 - erf(x)): the complementary error function without the factor that makes it small.

    >>> npx.erfcx(np.array([0, 1, 100])).round(4)
    array([1.    , 0.4276, 0.0056])
    """
    return result(library_erfcx(float_operand(x)))


@public
def log_ndtr(x: Any, /) -> Any:
    """Return the logarithm of the part of the standard normal distribution below x, also where that part is near 0.

    >>> npx.log_ndtr(np.array([0, -20])).round(4)
    array([  -0.6931, -203.9172])
    """
    return result(library_log_ndtr(float_operand(x)))


@universal(2)
def heaviside(x1: Any, x2: Any) -> Any:
    """Return the step function: 0 where x1 < 0, x2 where x1 == 0, 1 where x1 > 0.

    >>> np.heaviside(np.array([-1, 0, 2]), 0.5)
    array([0. , 0.5, 1. ])
    """
    check_real("heaviside", array(x1), array(x2))
    step = greater(x1, 0)
    dtype = common_dtype((operand(x1), operand(x2)), float_only=True)
    return where(functions.isnan(x1), x1, where(equal(x1, 0), x2, step.astype(dtype))).astype(dtype, copy=False)


@public
def where(condition: ArrayLike, x: ArrayLike = None, y: ArrayLike = None, /) -> Any:
    """Choose elements from `x` where `condition` is true, and from `y` elsewhere; all three are broadcast.

    Without x and y, the indices of the elements of `condition` that are not zero, as `np.nonzero`.

    Raises:
        ValueArgumentError E345: x without y.

    >>> np.where(np.array([1, -2, 3]) > 0, np.array([10, 20, 30]), 0)
    array([10.,  0., 30.])
    """
    if x is None or y is None:
        if x is not None or y is not None:
            raise ValueArgumentError("E345", "where takes both x and y, or neither", help="np.where(condition, x, y)")
        return functions.nonzero(condition)
    if not ACTIVE and type(condition) is ndarray and condition._data.dtype is dtypes.bool_:
        # Of two arrays: NumPy takes a number that an integer dtype does not hold for another one.
        data = direct(partial(numpy.where, condition._data), x, y, integers=type(x) is type(y))
        if data is not None:
            return wrap(data)
    chosen = truth(condition)
    x, y = operands(x, y)
    dtype = common_dtype((x, y))
    shape = shape_of(chosen) if shape_of(x) == shape_of(y) == () else _where_shape(chosen, x, y)
    return result(
        bind1(
            ops.Where(), broadcast(chosen, shape), broadcast(cast(x, dtype), shape), broadcast(cast(y, dtype), shape)
        ),
        common_kind((x, y)) if shape == () else None,
    )


def _where_shape(condition: Operand, x: Operand, y: Operand) -> tuple[int, ...]:
    shape = dims.broadcast(*open_shapes((condition, x, y)))
    if shape is None:
        types = f"{typed(condition)}, {typed(x)} and {typed(y)}"
        raise ShapeError("E101", f"where: shapes do not broadcast: {types}")
    return shape


@public
def clip(
    a: ArrayLike,
    min: ArrayLike = None,
    max: ArrayLike = None,
    out: Any = None,
    *,
    a_min: ArrayLike = None,
    a_max: ArrayLike = None,
) -> Any:
    """Return elements limited to a range: those below `min` become `min`, those above `max` become `max`.

    NaN stays NaN. The gradient at a limit is 1. MXNet's keywords `a_min` and `a_max` mean `min` and `max`.

    >>> np.clip(np.array([-2, 0.5, 9]), 0, 1)
    array([0. , 0.5, 1. ])
    """
    low, high = min if a_min is None else a_min, max if a_max is None else a_max
    if dtypes.is_integer(a.dtype if isinstance(a, (ndarray, Symbol)) else dtypes.bool_):
        ends = numpy.iinfo(a.dtype)  # a limit that no element is beyond is none
        low = None if type(low) is int and low <= ends.min else _limit(low, a.dtype, maximum, ends.min)
        high = None if type(high) is int and high >= ends.max else _limit(high, a.dtype, minimum, ends.max)
    a = a if low is None else maximum(low, a)
    a = a if high is None else minimum(high, a)
    return finished(array(a) if low is not None or high is not None else copy(a), out)


def _limit(limit: Any, dtype: dtypes.DType, nearer: Callable[..., Any], end: int) -> Any:
    """A limit of integers; a number that only calls know as the nearest one that `dtype` holds."""
    if type(limit) is Symbol and limit.weak is int:
        return astype(nearer(result(strong(limit, dtypes.int64)), end), dtype)
    return limit


def root(x: Any) -> Any:
    """The square root of a sum of squares: where that is 0 its gradient is 0, not infinite."""
    if not modes.is_recording():
        return functions.sqrt(x)
    nothing = equal(x, 0)
    return where(nothing, 0.0, functions.sqrt(where(nothing, 1.0, x)))


@public
def nan_to_num(
    x: Any, copy: bool = True, nan: float = 0.0, posinf: float | None = None, neginf: float | None = None
) -> Any:
    """Replace NaN and infinities by finite numbers.

    Args:
        x: an array.
        copy: False: an array of floats is written in place, and returned.
        nan: in the place of NaN.
        posinf: in the place of infinity; the largest finite number unless you pass one.
        neginf: in the place of negative infinity; the smallest finite number unless you pass one.

    >>> np.nan_to_num(np.array([1, np.nan, np.inf]), posinf=99)
    array([ 1.,  0., 99.])
    """
    target, x = x, array(x)
    if not copy and x is target and dtypes.is_inexact(x.dtype):
        x[...] = nan_to_num(x, True, nan, posinf, neginf)
        return x
    if dtypes.is_complex(x.dtype):
        parts = (nan_to_num(part, True, nan, posinf, neginf) for part in (functions.real(x), functions.imag(x)))
        return result(bind1(FromParts(), *map(operand, parts)))
    if not dtypes.is_float(x.dtype):
        return _copy(x) if copy else x
    largest = float(numpy.finfo(x.dtype).max) if x.dtype.kind == "f" else 3.3895313892515355e38
    values = where(functions.isnan(x), nan, x)
    values = where(equal(x, math.inf), largest if posinf is None else posinf, values)
    return where(equal(x, -math.inf), -largest if neginf is None else neginf, values)


@public
def around(a: Any, decimals: int = 0, out: Any = None) -> Any:
    """Return elements rounded to a number of decimals, halves to even.

    Args:
        a: an array.
        decimals: digits behind the point; negative: to tens (-1), hundreds (-2), ...
        out: an array that the result is written to.

    >>> np.around(np.array([1.25, 0.375, 17]), 1)
    array([ 1.2,  0.4, 17. ])
    """
    if whole(decimals, "around: decimals") == 0:
        return rint(a, out)
    x = array(a)
    if not dtypes.is_inexact(x.dtype) and x.dtype != dtypes.bool_:
        return finished(_copy(x) if decimals > 0 else _tens(x, -decimals), out)
    scale = 10.0**decimals
    return finished(array(divide(rint(multiply(x, scale)), scale)), out)


def _tens(x: Any, zeros: int) -> Any:
    """Integers rounded to multiples of a power of ten, halves to the even multiple."""
    unit = 10**zeros
    if unit > numpy.iinfo(x.dtype).max:
        return multiply(x, 0)
    below = floor_divide(x, unit)
    rest = subtract(x, multiply(below, unit))
    up = greater(rest, unit // 2) | (equal(rest, unit // 2) & equal(mod(below, 2), 1))
    return multiply(add(below, up.astype(x.dtype)), unit)


@public
def astype(x: Any, dtype: Any, /, *, copy: bool = True, casting: str = "unsafe", order: str = "K") -> Any:
    """Return an array cast to another dtype.

    Floats become integers without their fractions; beyond the range the nearest end, 0 of NaN, as no library promises
    it. Bools are whether an element is not 0.

    Of complex numbers that become real the imaginary part is dropped, with NumPy's `ComplexWarning`.

    Raises:
        DTypeError E207: `casting` does not allow it.

    >>> np.astype(np.array([1.7, -2.7, 300]), "uint8")
    array([  1,   0, 255], dtype=uint8)
    """
    wanted = dtypes.as_dtype(dtype)
    made_in_order(order, "astype")
    if casting != "unsafe":
        source = dtype_of(operand(x))
        if not can_cast(source, wanted, casting):
            what = f"astype of {typed(operand(x))} to {dtypes.code(wanted)} is not a {casting!r} cast"
            raise DTypeError("E207", what, help="casting='unsafe' allows all casts")
    if type(x) is ndarray and not ACTIVE and x._data.dtype.kind != "c":
        return wrap(dtypes.converted(x._data, wanted)) if copy or x._data.dtype != wanted else x
    x = array(x)
    if x.dtype == wanted:
        return x if not copy else _copy(x)
    if dtypes.is_complex(x.dtype) and not dtypes.is_complex(wanted) and wanted != dtypes.bool_:
        warn("the imaginary part is dropped: x.real says so without a warning", numpy.exceptions.ComplexWarning)
        return astype(functions.real(x), wanted)
    return result(cast(operand(x), wanted))


@public
def copy(a: Any, order: str = "K") -> Any:
    """A copy that shares nothing with `a`."""
    made_in_order(order, "copy")
    x = operand(a)
    if is_content(x):
        return result(x.copy())
    if type(x) is not Traced:
        return result(cast(x, dtype_of(x)))
    tape = taping()
    assert tape is not None, "histories are a tape's"
    return tape.copy(x)


def apart_from(x: Any, y: Any) -> Any:
    """Return `y`, copied where it lies in the memory of `x`, as what NumPy need not move does; it is nobody's view.

    What is captured has values, not memory, so there the result of an operation is never a view.
    """
    if isinstance(y, ndarray) and isinstance(x, ndarray) and numpy.may_share_memory(y._content, x._content):
        return copy(y)
    return y


_copy = copy


@public
def detach(x: Any) -> Any:
    """Return an array over the same memory through which no gradient goes.

    >>> x = np.array([1, 2])
    >>> x.attach_grad()
    >>> with autograd.record():
    ...     y = (x * x.detach()).sum()
    >>> y.backward()
    >>> x.grad
    array([1., 2.])
    """
    if type(x) is ndarray and not (ACTIVE and capturing()):
        same = view(x, x._content)
        if history(x) is not None:
            same._traced = Traced(same._content, None, same.storage)
        return same
    if type(x) is ndarray:
        x = staging().lift(x)
    return x.view_by(ops.StopGradient()) if type(x) is Symbol and x.weak is None else stop_gradient(x)


@public
def stop_gradient(data: Any) -> Any:
    """Return the same values, through which no gradient goes.

    >>> x = np.array([1, 2])
    >>> x.attach_grad()
    >>> with autograd.record():
    ...     y = (x * npx.stop_gradient(x)).sum()
    >>> y.backward()
    >>> x.grad
    array([1., 2.])
    """
    if type(data) is ndarray and not ACTIVE:
        return wrap(data._data.copy())
    return apart_from(data, result(bind1(ops.StopGradient(), strong(data))))


@public
def result_type(*arrays_and_dtypes: Any) -> dtypes.DType:
    """Return the dtype that arrays, numbers and dtypes compute in together.

    Python's and NumPy's numbers take the dtype of the arrays beside them.

    >>> np.result_type(np.ones(2, dtype="float16"), 2.5)
    dtype('float16')
    """
    numbers = [x for x in arrays_and_dtypes if isinstance(x, NUMBERS)]
    others = [x for x in arrays_and_dtypes if not isinstance(x, NUMBERS)]
    return result_dtype(map(_dtype_named, others), map(weak_kind, numbers))


def _dtype_named(x: Any) -> dtypes.DType:
    """The dtype of an array, or the one that `x` stands for."""
    if x is None:
        raise ArgumentError("E344", "None is not a dtype", help="pass a dtype such as 'float32'")
    return x.dtype if isinstance(x, (ndarray, Symbol, numpy.ndarray, numpy.generic)) else dtypes.as_dtype(x)


@public
def promote_types(type1: Any, type2: Any) -> dtypes.DType:
    """Return the dtype that two dtypes compute in together.

    Integers beside floats take the dtype of the floats: int64 and float32 give float32, where NumPy gives float64.

    >>> np.promote_types("int64", "float32")
    dtype('float32')
    """
    for one in (type1, type2):
        if one is None:
            raise ArgumentError("E344", "promote_types: None is not a dtype", help="pass a dtype such as 'float32'")
    return result_dtype((dtypes.as_dtype(type1), dtypes.as_dtype(type2)))


@public
def can_cast(from_: Any, to: Any, casting: Any = "safe") -> bool:
    """Tell whether NumPy's rules allow the cast from a dtype, or from the dtype of an array, to another dtype.

    Raises:
        ArgumentError E344: a Python number, which has no dtype of its own.

    >>> np.can_cast("int32", "float64"), np.can_cast("float64", "int32")
    (True, False)
    """
    one_of(casting, dtypes.CASTINGS, "can_cast", "casting")
    if isinstance(from_, (bool, int, float, complex)):
        what = f"can_cast: {from_!r} is a Python number, which takes the dtype of the arrays beside it"
        raise ArgumentError("E344", what, help="pass a dtype or an array: can_cast(np.int64, ...)")
    if to is None:
        raise ArgumentError("E344", "can_cast: None is not a dtype", help="pass a dtype such as 'float32'")
    return dtypes.castable(_dtype_named(from_), dtypes.as_dtype(to), casting)


_LINEAR = ("add", "subtract")


def inplace(name: str, x: Any, y: Any) -> Any:
    """`x += y` and its like: computed as `x + y`, written to `x` in the dtype of `x`."""
    if looks():
        one_device(name, list(arrays_in((x, y))), x)
    tape, function = taping() if ACTIVE else None, getattr(functions, name)
    if tape is not None and name not in _LINEAR and dtypes.is_inexact(x.dtype):
        y = array(y)  # the gradient of what is written depends on what was there
        value = function(copy(x) if tape.concerns(x, operand(y)) else x, y)
    else:
        value = function(x, y)
    if type(x) is Symbol and x.weak is not None:
        return value  # a Python number, which is not written but replaced
    wanted: dtypes.DType = x.dtype
    if value.shape != x.shape:
        raise ShapeError("E102", f"{name} in place: the result {value.type} does not fit into {x.type}")
    if not dtypes.castable(value.dtype, wanted, "same_kind"):
        raise DTypeError(
            "E206",
            f"{name} in place: {value.type} cannot be stored in {x.type}",
            help="write x = x + y, which creates a new array of the result's dtype",
        )
    if tape is not None:
        update = operand(value)
        if dtypes.is_inexact(wanted) and tape.concerns(x, update):
            tape.write(x, (), cast(update, wanted))
            return x
    if type(x) is ndarray and type(value) is ndarray:
        content = value._content
        store(x, ..., content if type(content) is _NUMPY else cast(content, wanted))
    else:
        x[...] = value
    return x
