# SPDX-License-Identifier: Apache-2.0
"""Functions of torch that go element by element: arithmetic, comparisons, choices, bits."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

import torch

from hybridize import ops
from hybridize.array.functions import elementwise
from hybridize.array.operators import functions
from hybridize.array.symbol import Symbol
from hybridize.base.dtypes import bool_, float32, is_float
from hybridize.base.types import TensorType
from hybridize.capture.python.mathematics import ELEMENTS
from hybridize.ops import Operand, composites, type_of
from hybridize.ops.library.floats import next_after
from hybridize.ops.library.histories import with_gradient_of
from hybridize.ops.library.logarithms import log_add_exp2
from hybridize.torch.functions import rules
from hybridize.torch.functions.conversions import tensor_of_operand
from hybridize.torch.functions.operands import operand, required, underived
from hybridize.torch.functions.sorting import by
from hybridize.torch.functions.table import BY_NAME, computes, views
from hybridize.torch.memory import dtype_of


def _same_type(name: str, function: Callable[[Operand], Operand], *others: str, kinds: str = "") -> None:
    @computes(name, *others, kinds=kinds)
    def entry(input: Operand, inplace: bool = False) -> Operand:
        return function(input)


_same_type("abs", ops.abs, "absolute")
_same_type("bitwise_not", ops.bit_not, kinds="iub")
_same_type("relu", composites.relu, kinds="fiu")


@computes("sign", "sgn")
def _sign(input: Operand) -> Operand:
    """-1, 0 or 1; 0 of NaN, where ours is NaN."""
    if not is_float(type_of(input).dtype):
        return input if type_of(input).dtype.kind == "b" else ops.sign(input)
    return ops.where(ops.isnan(input), ops.like(0, input), ops.sign(input))


def _whole_part(*names: str, by: Callable[[Operand], Operand]) -> None:
    @computes(*names, kinds="fiu")
    def entry(input: Operand) -> Operand:
        return by(input) if is_float(type_of(input).dtype) else input


_whole_part("floor", by=ops.floor)
_whole_part("ceil", by=ops.ceil)
_whole_part("trunc", "fix", by=ops.trunc)


@computes("neg", "negative")
def negative(input: Operand) -> Operand:
    """Return numbers with the other sign."""
    rules.expect(type_of(input).dtype.kind != "b")
    return ops.neg(input)


@computes("round", "special.round", kinds="fiu")
def _round(input: Operand, *, decimals: int = 0) -> Operand:
    of = type_of(input)
    if not is_float(of.dtype):
        return input
    if not decimals:
        return ops.round(input)
    scale = ops.like(10.0 ** abs(decimals), input)
    up, down = (ops.mul, ops.div) if decimals > 0 else (ops.div, ops.mul)
    return down(ops.round(up(input, scale)), scale)


@computes("frac")
def _frac(input: Operand) -> Operand:
    return ops.sub(input, ops.stop_gradient(ops.trunc(input)))


@computes("square")
def _square(input: Operand) -> Operand:
    x = ops.cast(input, dtype_of(rules.common(input, 2)))
    return ops.mul(x, x)


def _scaled(name: str, factor: float) -> None:
    @computes(name)
    def entry(input: Operand) -> Operand:
        x = ops.cast(input, dtype_of(rules.float_operand(input)))
        return ops.mul(x, ops.like(factor, x))


_scaled("deg2rad", math.pi / 180)
_scaled("rad2deg", 180 / math.pi)


# Of two.

Joined = Callable[[Operand, Operand], Operand]


def _joined(by: Joined, x: Any, y: Any, real: bool, dtype: torch.dtype | None = None) -> Operand:
    dtype = dtype or rules.common(x, y)
    return by(*aligned(x, y, dtype=rules.as_float(dtype) if real else dtype))


def _of_two(*names: str, by: Joined, real: bool = False, kinds: str = "") -> Callable[..., Operand]:
    """Register a function of two, either of which may be a number."""

    @computes(*names, kinds=kinds)
    def entry(input: Any, other: Any) -> Operand:
        return _joined(by, input, other, real)

    return entry


def _of_tensors(*names: str, by: Joined, real: bool = False, kinds: str = "", dtype: torch.dtype | None = None) -> None:
    """Register a function of two tensors, in the dtype that they have in common or in another one."""

    @computes(*names, kinds=kinds)
    def entry(input: Operand, other: Operand) -> Operand:
        return _joined(by, input, other, real, dtype)


def larger(function: Joined) -> Joined:
    """Return the larger or smaller of two, whose gradient goes to both where one is NaN, as torch has it."""

    def chosen(x: Operand, y: Operand) -> Operand:
        extreme = function(x, y)
        if not is_float(type_of(x).dtype):
            return extreme
        return ops.where(ops.bit_or(ops.isnan(x), ops.isnan(y)), ops.add(x, y), extreme)

    return chosen


def _times_log(logarithm: Callable[[Operand], Operand], pole: float) -> Callable[[Operand, Operand], Operand]:
    """Return x times a logarithm, infinite at `pole`, which is 0 where x is."""

    def product(x: Operand, y: Operand) -> Operand:
        infinite = ops.bit_or(ops.le(y, ops.like(pole, y)), ops.eq(y, ops.like(math.inf, y)))
        nothing = ops.bit_and(ops.eq(x, ops.like(0, x)), infinite)
        safe = ops.where(nothing, ops.like(1, y), y)
        product = ops.mul(x, logarithm(safe))
        at_pole = ops.bit_and(nothing, ops.eq(y, ops.like(pole, y)))  # the slope there is 0 / 0
        steep = ops.add(product, ops.mul(y, ops.where(at_pole, ops.like(math.nan, y), ops.like(0, y))))
        return with_gradient_of(steep, ops.where(nothing, ops.like(0, x), product))

    return product


def _divided(function: Joined, x: Any, y: Any) -> Operand:
    """Return a division; of whole numbers the program asserts that none is by 0, as torch raises a RuntimeError."""
    left, right = aligned(x, y)
    if not is_float(type_of(right).dtype) and not (type(y) is int and y):
        required(ops.ne(right, ops.like(0, right)), "ZeroDivisionError")
    return function(left, right)


@computes("remainder", kinds="fiu")
def _remainder(input: Any, other: Any) -> Operand:
    return _divided(ops.mod, input, other)


@computes("fmod", kinds="fiu")
def _fmod(input: Operand, other: Any) -> Operand:
    return _divided(ops.fmod, input, other)


def _wide(function: Joined, x: Any, y: Any) -> Operand:
    """Return a product or quotient; beside a number, or a tensor without axes, floats of 16 bits are float32 in it."""
    dtype = dtype_of(rules.common(x, y))
    beside_number = not rules.is_tensor(y) or (not type_of(y).shape and rules.is_tensor(x) and type_of(x).shape != ())
    if not (beside_number and is_float(dtype) and dtype.itemsize < 4):
        return function(*aligned(x, y))
    return ops.cast(function(*aligned(x, y, dtype=torch.float32)), dtype)


@computes("mul", "multiply")
def multiply(input: Any, other: Any) -> Operand:
    """Return products."""
    return _wide(ops.mul, *((input, other) if rules.is_tensor(input) else (other, input)))


xlogy: Callable[..., Operand] = _of_two("xlogy", "special.xlogy", by=_times_log(ops.log, 0.0), real=True)
_of_two("special.xlog1py", by=_times_log(ops.log1p, -1.0), real=True)
_of_two("bitwise_and", by=ops.bit_and, kinds="iub")
_of_two("bitwise_or", by=ops.bit_or, kinds="iub")
_of_two("bitwise_xor", by=ops.bit_xor, kinds="iub")


@computes("copysign")
def _copysign(input: Operand, other: Any) -> Operand:
    return _joined(ops.copysign, input, other, real=True)


MINIMUM, MAXIMUM = larger(ops.shared_min), larger(ops.shared_max)
_of_tensors("minimum", by=MINIMUM)
_of_tensors("maximum", by=MAXIMUM)
_of_tensors("fmin", by=ops.fmin)
_of_tensors("fmax", by=ops.fmax)
_of_tensors("atan2", "arctan2", by=ops.arctan2, real=True)
_of_tensors("hypot", by=ops.hypot, kinds="f")
_of_tensors("logaddexp", by=ops.log_add_exp, real=True, kinds="f")
_of_tensors("logaddexp2", by=log_add_exp2, real=True, kinds="f")


def _next_after(x: Operand, y: Operand) -> Operand:
    """The float beside x towards y, with the gradient of x; without one where they are equal, as in torch."""
    return with_gradient_of(ops.where(ops.eq(x, y), ops.stop_gradient(x), x), next_after(x, y))


_of_tensors("nextafter", by=_next_after, kinds="f")


def aligned(*xs: Any, dtype: torch.dtype | None = None) -> list[Operand]:
    """Return tensors and numbers in the dtype that they have in common, or in the given one, and in the same sizes."""
    of = rules.kind(rules.common(*xs) if dtype is None else dtype, rules.shape_of(*xs))
    return [operand(x, of.dtype, of.shape) for x in xs]


def _is_bool(x: Any) -> bool:
    return isinstance(x, bool) or (rules.is_tensor(x) and type_of(x).dtype.kind == "b")


def _with_factor(function: Joined, name: str, *others: str) -> Callable[..., Operand]:
    @computes(name, *others, held="alpha")
    def entry(input: Any, other: Any, *, alpha: Any = 1) -> Operand:
        x, y = aligned(input, other)
        rules.expect(is_float(type_of(x).dtype) or float not in (type(alpha), getattr(alpha, "kind", None)))
        rules.expect(not isinstance(alpha, bool) or _is_bool(x))
        rules.expect(name != "sub" or all(not _is_bool(x) for x in (input, other)))
        return function(x, _times(y, alpha))

    return entry


add: Callable[..., Operand] = _with_factor(ops.add, "add")
subtract: Callable[..., Operand] = _with_factor(ops.sub, "sub", "subtract")


@computes("rsub", held="alpha")
def _rsub(input: Operand, other: Any, *, alpha: Any = 1) -> Operand:
    return subtract(other, input, alpha=alpha)


@computes("div", "divide", "true_divide")
def divide(input: Any, other: Any, *, rounding_mode: str | None = None) -> Operand:
    """Return quotients: floats, or rounded ones in the common dtype."""
    dtype = rules.common(input, other)
    if rounding_mode is None:
        if not dtype.is_floating_point:
            return ops.div(*aligned(input, other, dtype=rules.as_float(dtype)))
        if not rules.is_tensor(input) and dtype.itemsize < 4:  # as the operator of Python's does it
            return multiply(ops.div(ops.like(1, other), other), input)
        return _wide(ops.div, input, other)
    rules.expect(rounding_mode in ("floor", "trunc"))
    rules.expect(dtype is not torch.bool)
    function = ops.floor_div if rounding_mode == "floor" else _cut_quotient
    return (_wide if dtype.is_floating_point and rules.is_tensor(input) else _divided)(function, input, other)


def _cut_quotient(x: Operand, y: Operand) -> Operand:
    if is_float(type_of(x).dtype):
        return ops.trunc(ops.div(x, y))
    return composites.integer_quotient(x, y)


@computes("floor_divide")
def _floor_divide(input: Any, other: Any) -> Operand:
    quotient = divide(input, other, rounding_mode="floor")
    return underived(quotient, "derivative for aten::floor_divide is not implemented", input, other)


@computes("pow")
def _pow(input: Any, exponent: Any) -> Operand:
    dtype = rules.common(input, exponent)
    if not dtype.is_floating_point and not rules.is_tensor(exponent):
        rules.check(
            rules.number_of(exponent) >= 0, RuntimeError("Integers to negative integer powers are not allowed.")
        )
    if dtype not in (torch.float32, torch.float64):
        rules.check_fits(exponent, dtype_of(dtype))
    if dtype is torch.bool and isinstance(exponent, bool):
        return input if exponent else ops.like(True, input)
    if exponent in (0.5, -0.5) and dtype.is_floating_point and not rules.is_tensor(exponent):
        return (ops.sqrt if exponent > 0 else ops.rsqrt)(*aligned(input, dtype=dtype))
    return ops.pow(*aligned(input, exponent))


@computes("float_power")
def _float_power(input: Any, exponent: Any) -> Operand:
    return ops.pow(*aligned(input, exponent, dtype=torch.float64))


@computes("ldexp")
def _ldexp(input: Operand, other: Operand) -> Operand:
    rules.expect(not _is_bool(other) or not is_float(type_of(input).dtype))
    return _joined(lambda x, n: ops.mul(x, ops.exp2(n)), input, other, real=True)


@computes("heaviside", alike="input values")
def _heaviside(input: Operand, values: Operand) -> Operand:
    x, at = aligned(input, values)
    zero = ops.like(0, x)
    step = ops.where(ops.eq(x, zero), at, ops.cast(ops.gt(x, zero), type_of(x).dtype))
    return underived(step, "derivative for aten::heaviside is not implemented", input, values)


@computes("bitwise_left_shift")
def _left_shift(input: Any, other: Any) -> Operand:
    x, count = aligned(input, other)
    zero = ops.like(0, x)
    return ops.where(_is_shift(count), ops.shift_left(x, ops.where(_is_shift(count), count, zero)), zero)


@computes("bitwise_right_shift")
def _right_shift(input: Any, other: Any) -> Operand:
    x, count = aligned(input, other)
    most = ops.like(8 * type_of(x).dtype.itemsize - 1, count)
    return ops.shift_right(x, ops.where(_is_shift(count), count, most))


def _is_shift(count: Operand) -> Operand:
    """Tell of each count whether it is one of bits; other ones shift everything away."""
    bits = 8 * type_of(count).dtype.itemsize
    return ops.bit_and(ops.ge(count, ops.like(0, count)), ops.lt(count, ops.like(bits, count)))


def _of_integers(name: str) -> None:
    @computes(name, kinds="iu")
    def entry(input: Operand, other: Operand) -> Operand:
        x, y = aligned(input, other)
        symbol: Symbol = getattr(functions, name)(tensor_of_operand(x), tensor_of_operand(y))
        return symbol.operand()


_of_integers("gcd")
_of_integers("lcm")


# Of three.


@computes("lerp", kinds="f", alike="input end weight", scales="weight")
def _lerp(input: Operand, end: Operand, weight: Any) -> Operand:
    """From the end that is nearer, as torch does: either end is exactly itself."""
    dtype = type_of(input).dtype
    width = float32 if dtype.itemsize < 4 and not rules.is_tensor(weight) else dtype
    x, y, w = aligned(input, end, weight, dtype=rules.torch_dtype(width))
    apart, near = ops.sub(y, x), ops.lt(ops.abs(w), ops.like(0.5, w))
    result = ops.where(near, ops.add(x, ops.mul(w, apart)), ops.sub(y, ops.mul(apart, ops.sub(ops.like(1, w), w))))
    return ops.cast(result, dtype)


@computes("addcmul", kinds="fiu", scales="value")
def _addcmul(input: Operand, tensor1: Operand, tensor2: Operand, *, value: Any = 1) -> Operand:
    x, y, z = aligned(input, tensor1, tensor2)
    return ops.add(x, _times(ops.mul(y, z), value))


@computes("addcdiv", scales="value")
def _addcdiv(input: Operand, tensor1: Operand, tensor2: Operand, *, value: Any = 1) -> Operand:
    x, y, z = aligned(input, tensor1, tensor2)
    rules.expect(any(is_float(type_of(one).dtype) for one in (tensor1, tensor2)))
    return ops.add(x, ops.div(_times(y, value), z))


def _times(x: Operand, factor: Any) -> Operand:
    if type(factor) in (int, float) and factor == 1:
        return x
    return ops.mul(x, operand(factor, type_of(x).dtype, type_of(x).shape))


@computes("clamp", "clip", held="min max")
def _clamp(input: Operand, min: Any = None, max: Any = None) -> Operand:
    bounds = [bound for bound in (min, max) if bound is not None]
    rules.expect(bounds)
    result = rules.kind(rules.common(input, *bounds), rules.shape_of(input, *bounds))
    rules.expect(result.dtype.kind != "b")
    return _bounded(input, min, max, result)


def _bounded(input: Operand, min: Any, max: Any, result: TensorType) -> Operand:
    """The gradient is of the input from bound to bound, of a bound for what is beyond; of NaN it is 0."""
    x = operand(input, result.dtype, result.shape)
    low, high = (None if bound is None else operand(bound, result.dtype, result.shape) for bound in (min, max))
    value = x if low is None else ops.max(x, low)
    value = value if high is None else ops.min(value, high)
    if not is_float(result.dtype):
        return value
    value = ops.stop_gradient(value)
    if high is not None and rules.is_tensor(max):
        above = ops.gt(x, high) if low is None else ops.bit_or(ops.gt(x, high), ops.lt(high, low))
        value = ops.where(above, ops.where(ops.isnan(value), ops.add(high, value), high), value)  # NaN is kept
    if low is not None and rules.is_tensor(min):
        below = ops.lt(x, low) if high is None else ops.bit_and(ops.lt(x, low), ops.lt(low, high))
        value = ops.where(below, low, value)
    inside = [test(x, bound) for test, bound in ((ops.ge, low), (ops.le, high)) if bound is not None]
    return ops.where(functools.reduce(ops.bit_and, inside), x, value)


@computes("clamp_min", held="min")
def clamp_min(input: Operand, min: Any) -> Operand:
    """Return numbers, and the bound for those below; at the bound the gradient goes through."""
    return _clamp(input, min, None)


@computes("clamp_max", held="max")
def _clamp_max(input: Operand, max: Any) -> Operand:
    return _clamp(input, None, max)


@computes("torch.where", fills="input other")
def where(condition: Operand, input: Any = None, other: Any = None) -> Any:
    """Return elements of one or the other, by a condition; the places where it holds if there is neither."""
    if input is None:
        return BY_NAME["nonzero"].function(condition, as_tuple=True)
    rules.expect(type_of(condition).dtype.kind == "b")
    return _chosen(
        condition, input, other, rules.kind(rules.common(input, other), rules.shape_of(condition, input, other))
    )


def _chosen(condition: Operand, x: Any, y: Any, result: TensorType) -> Operand:
    parts = (operand(one, result.dtype, result.shape) for one in (x, y))
    return ops.where(ops.broadcast(condition, result.shape), *parts)


@computes("Tensor.where", fills="other")
def _where_not(input: Operand, condition: Operand, other: Any) -> Operand:
    return where(condition, input, other)


@computes("masked_fill", held="value")
def _masked_fill(input: Operand, mask: Operand, value: Any) -> Operand:
    rules.expect(type_of(mask).dtype.kind == "b")
    rules.expect(not rules.is_tensor(value) or not type_of(value).shape)
    result = rules.kind(rules.torch_dtype(type_of(input).dtype), rules.shape_of(input, mask))
    return _chosen(mask, value, input, result)


@computes("nan_to_num")
def _nan_to_num(
    input: Operand, nan: float | None = None, posinf: float | None = None, neginf: float | None = None
) -> Operand:
    return by(elementwise.nan_to_num, input, nan=0.0 if nan is None else nan, posinf=posinf, neginf=neginf)


# What is true.


def _comparison(function: Joined, name: str, *others: str) -> Callable[..., Operand]:
    @computes(name, *others)
    def entry(input: Operand, other: Any) -> Operand:
        return function(*aligned(input, other))

    return entry


equal: Callable[..., Operand] = _comparison(ops.eq, "eq")
not_equal: Callable[..., Operand] = _comparison(ops.ne, "ne", "not_equal")
_comparison(ops.lt, "lt", "less")
_comparison(ops.le, "le", "less_equal")
_comparison(ops.gt, "gt", "greater")
_comparison(ops.ge, "ge", "greater_equal")


_of_tensors("logical_and", by=ops.bit_and, dtype=torch.bool)
_of_tensors("logical_or", by=ops.bit_or, dtype=torch.bool)
_of_tensors("logical_xor", by=ops.bit_xor, dtype=torch.bool)


@computes("logical_not")
def _logical_not(input: Operand) -> Operand:
    return ops.bit_not(ops.cast(input, bool_))


def _of_floats_alone(name: str, test: Callable[[Operand], Operand], of_others: bool = False) -> None:
    @computes(name)
    def entry(input: Operand) -> Operand:
        of = type_of(input)
        return test(input) if is_float(of.dtype) else operand(of_others, bool_, of.shape)


_of_floats_alone("isnan", ops.isnan)
_of_floats_alone("isinf", ops.isinf)
_of_floats_alone("isfinite", ops.isfinite, True)
_of_floats_alone("isposinf", lambda x: ops.eq(x, ops.like(math.inf, x)))
_of_floats_alone("isneginf", lambda x: ops.eq(x, ops.like(-math.inf, x)))
_of_floats_alone("isreal", lambda x: operand(True, bool_, type_of(x).shape), True)


@computes("signbit")
def _signbit(input: Operand) -> Operand:
    of = type_of(input)
    if of.dtype.kind in "bu":
        return operand(False, bool_, of.shape)
    signed = ops.copysign(ops.like(1, input), input) if is_float(of.dtype) else input
    return ops.lt(signed, ops.like(0, input))


@computes("isclose", alike="input other")
def _isclose(
    input: Operand, other: Operand, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False
) -> Operand:
    x, y = aligned(input, other)
    close = ops.eq(x, y)
    real = is_float(type_of(x).dtype)
    if real and equal_nan:
        close = ops.bit_or(close, ops.bit_and(ops.isnan(x), ops.isnan(y)))
    if not rtol and not atol:
        return close
    wide = rules.as_float(rules.torch_dtype(type_of(x).dtype))
    left, right = aligned(x, y, dtype=wide)
    allowed = ops.add(ops.like(atol, left), ops.abs(ops.mul(ops.like(rtol, left), right)))
    apart = ops.abs(ops.sub(left, right))
    return ops.bit_or(close, ops.bit_and(ops.isfinite(apart), ops.le(apart, allowed)))


def number(x: Operand) -> Any:
    """Return a tensor without axes as a Python number of the program."""
    return ELEMENTS["item"](tensor_of_operand(x))


def _all(x: Operand) -> Operand:
    return ops.all(x, tuple(range(type_of(x).ndim)))


@views("allclose")
def _allclose(input: Symbol, other: Symbol, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False) -> Any:
    return number(_all(_isclose(input.operand(), other.operand(), rtol, atol, equal_nan)))


@views("equal")
def _equal(input: Symbol, other: Symbol) -> Any:
    if len(input.shape) != len(other.shape) or any(m != n for m, n in zip(input.shape, other.shape, strict=True)):
        return False
    x, y = aligned(input.operand(), other.operand())
    return number(_all(ops.eq(x, y)))
