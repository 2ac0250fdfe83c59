# SPDX-License-Identifier: Apache-2.0
"""Rows of jaxprs that compute element by element. An axis of size 1, and an operand without axes, stretch."""

from __future__ import annotations

import math
from collections.abc import Callable

from hybridize import ops
from hybridize.base.dtypes import BY_NAME, bfloat16, bool_, float16, float32, float64, is_float, is_inexact
from hybridize.formats.foreign.arrays import elementwise, stretched
from hybridize.formats.foreign.known import Known
from hybridize.formats.foreign.walk import Application
from hybridize.formats.jaxpr.vocabulary import JAXPR, dtype_of
from hybridize.ops import complexes, composites
from hybridize.ops.library.bessel import scaled_bessel_i0, scaled_bessel_i1
from hybridize.ops.library.errors import erfc
from hybridize.ops.library.floats import next_after
from hybridize.ops.library.gammas import polygamma
from hybridize.ops.op import Operand, type_of
from hybridize.ops.views import wide


def _quotient(x: Operand, y: Operand) -> Operand:
    kind = type_of(x).dtype
    if is_inexact(kind):
        return ops.div(x, y)
    quotient = ops.floor_div(x, y) if kind.kind == "u" else composites.integer_quotient(x, y)
    nought = ops.like(0, y)
    return ops.where(ops.eq(y, nought), ops.bit_not(nought), quotient)  # by 0, all bits are 1


def _remainder(x: Operand, y: Operand) -> Operand:
    rest = ops.fmod(x, y)
    return rest if is_inexact(type_of(x).dtype) else ops.where(ops.eq(y, ops.like(0, y)), x, rest)


def _digamma(x: Operand) -> Operand:
    """The derivative of `lgamma`; at 0 as at its other poles it is no number."""
    kind = type_of(x).dtype
    result = ops.cast(ops.digamma(ops.cast(x, wide(kind))), kind)
    return ops.where(ops.eq(x, ops.like(0, x)), ops.like(math.nan, x), result)


def _complement(x: Operand) -> Operand:
    return ops.eq(x, ops.like(False, x)) if type_of(x).dtype == bool_ else ops.bit_not(x)


def maximum(x: Operand, y: Operand) -> Operand:
    """The larger one; of bools, either."""
    return ops.bit_or(x, y) if type_of(x).dtype == bool_ else ops.max(x, y)


def minimum(x: Operand, y: Operand) -> Operand:
    """The smaller one; of bools, both."""
    return ops.bit_and(x, y) if type_of(x).dtype == bool_ else ops.min(x, y)


def unsigned(x: Operand) -> Operand:
    """The bits of integers or floats as an unsigned integer of their width."""
    kind = type_of(x).dtype
    return x if kind.kind == "u" else ops.bitcast(x, BY_NAME[f"uint{8 * kind.itemsize}"])


def _down(x: Operand, y: Operand) -> Operand:
    """Bits moved down, zeros in their place."""
    kind = type_of(x).dtype
    moved = ops.shift_right(unsigned(x), unsigned(y))
    return moved if kind.kind == "u" else ops.bitcast(moved, kind)


def _leading_zeros(x: Operand) -> Operand:
    """The number of bits above the highest that is 1."""
    word, width = unsigned(x), 8 * type_of(x).dtype.itemsize
    for step in (1, 2, 4, 8, 16, 32):
        if step < width:
            word = ops.bit_or(word, ops.shift_right(word, ops.like(step, word)))
    kind = type_of(x).dtype
    count = ops.sub(ops.like(width, word), ops.bit_count(word))
    return count if kind.kind == "u" else ops.bitcast(count, kind)


def _in_order(compare: Callable[[Operand, Operand], Operand]) -> Callable[[Operand, Operand], Operand]:
    """Return a comparison by the total order of floats: -NaN, -infinity, ..., -0, 0, ..., infinity, NaN."""

    def word(x: Operand) -> Operand:
        kind = type_of(x).dtype
        if not is_float(kind):
            return x
        bits = ops.bitcast(x, BY_NAME[f"int{8 * kind.itemsize}"])
        below = ops.shift_right(bits, ops.like(8 * kind.itemsize - 1, bits))
        return ops.bit_xor(bits, ops.bit_and(below, ops.like((1 << (8 * kind.itemsize - 1)) - 1, bits)))

    return lambda x, y: compare(word(x), word(y))


JAXPR.plain({
    "add": elementwise(ops.add), "add_any": elementwise(ops.add), "sub": elementwise(ops.sub),
    "mul": elementwise(ops.mul), "div": elementwise(_quotient), "rem": elementwise(_remainder),
    "max": elementwise(maximum), "min": elementwise(minimum), "atan2": elementwise(ops.arctan2),
    "nextafter": elementwise(next_after), "complex": elementwise(complexes.from_parts),
    "eq": elementwise(ops.eq), "ne": elementwise(ops.ne), "lt": elementwise(ops.lt), "le": elementwise(ops.le),
    "gt": elementwise(ops.gt), "ge": elementwise(ops.ge),
    "eq_to": elementwise(_in_order(ops.eq)), "lt_to": elementwise(_in_order(ops.lt)),
    "le_to": elementwise(_in_order(ops.le)),
    "and": elementwise(ops.bit_and), "or": elementwise(ops.bit_or), "xor": elementwise(ops.bit_xor),
    "not": _complement, "population_count": ops.bit_count, "clz": _leading_zeros,
    "shift_left": elementwise(ops.shift_left), "shift_right_arithmetic": elementwise(ops.shift_right),
    "shift_right_logical": elementwise(_down),
    "neg": ops.neg, "sign": ops.sign, "floor": ops.floor, "ceil": ops.ceil, "is_finite": ops.isfinite,
    "square": lambda x: ops.mul(x, x), "exp": ops.exp, "exp2": ops.exp2, "expm1": ops.expm1, "log": ops.log,
    "log1p": ops.log1p, "sqrt": ops.sqrt, "rsqrt": ops.rsqrt, "cbrt": ops.cbrt, "logistic": ops.sigmoid,
    "sin": ops.sin, "cos": ops.cos, "tan": ops.tan, "asin": ops.arcsin, "acos": ops.arccos, "atan": ops.arctan,
    "sinh": ops.sinh, "cosh": ops.cosh, "tanh": ops.tanh, "asinh": ops.arcsinh, "acosh": ops.arccosh,
    "atanh": ops.arctanh, "erf": ops.erf, "erf_inv": ops.erfinv, "erfc": erfc,
    "lgamma": ops.gammaln, "digamma": _digamma,
    "bessel_i0e": scaled_bessel_i0, "bessel_i1e": scaled_bessel_i1,
    "real": complexes.real, "imag": complexes.imag,
    **dict.fromkeys(("copy", "copy_p", "name", "sharding_constraint", "layout_constraint", "pvary"), lambda x: x),
    "stop_gradient": ops.stop_gradient, "zeros_like": lambda x: ops.like(0, x),
})  # fmt: skip


@JAXPR("abs")
def absolute(n: Application, x: Operand) -> Operand:
    """The absolute value."""
    return x if type_of(x).dtype.kind == "u" else ops.abs(x)


@JAXPR("conj")
def conjugate(n: Application, x: Operand) -> Operand:
    """The conjugate, of real numbers as complex ones."""
    return complexes.conj(x) if type_of(x).dtype.kind == "c" else complexes.from_parts(x, ops.like(0, x))


@JAXPR("pow")
def power(n: Application, x: Operand, y: Operand) -> Operand:
    """A power, of the dtype of its base; exponents may be integers."""
    return elementwise(ops.pow)(x, ops.cast(y, type_of(x).dtype))


@JAXPR("integer_pow")
def integer_power(n: Application, x: Operand) -> Operand:
    """A power by a number that is known: products of squares."""
    exponent = n.integer("y")
    result, square, left = None, x, abs(exponent)
    while left:
        if left & 1:
            result = square if result is None else ops.mul(result, square)
        left >>= 1
        square = ops.mul(square, square) if left else square
    result = ops.like(1, x) if result is None else result
    return ops.div(ops.like(1, x), result) if exponent < 0 else result


@JAXPR("polygamma", known=(0,))
def derivative_of_digamma(n: Application, order: Known, x: Operand) -> Operand:
    """A derivative of digamma whose order is a known number."""
    (number,) = set(order.list())
    return polygamma(int(number), x)


@JAXPR("round")
def nearest(n: Application, x: Operand) -> Operand:
    """The nearest whole number; halves to the even one, or away from 0."""
    if n.integer("rounding_method") == 1:
        return ops.round(x)
    whole = ops.trunc(x)
    far = ops.ge(ops.abs(ops.sub(x, whole)), ops.like(0.5, x))
    return ops.where(far, ops.add(whole, ops.copysign(ops.like(1, x), x)), whole)


@JAXPR("select_n")
def selected(n: Application, which: Operand, *cases: Operand) -> Operand:
    """Elements of one of several arrays, by a bool or a number."""
    which, *arrays = stretched(which, *cases)
    if type_of(which).dtype == bool_:
        return ops.where(which, arrays[1], arrays[0]) if len(arrays) > 1 else arrays[0]
    result = arrays[-1]
    for number in reversed(range(len(arrays) - 1)):
        result = ops.where(ops.le(which, ops.like(number, which)), arrays[number], result)
    return result


@JAXPR("clamp")
def clamped(n: Application, low: Operand, x: Operand, high: Operand) -> Operand:
    """Numbers moved between two."""
    return elementwise(minimum)(elementwise(maximum)(x, low), high)


@JAXPR("convert_element_type")
def converted(n: Application, x: Operand) -> Operand:
    """An array as another dtype."""
    return ops.cast(x, dtype_of(n, "new_dtype"))


@JAXPR("bitcast_convert_type")
def same_bits(n: Application, x: Operand) -> Operand:
    """The bits as another dtype; narrower ones are a new last axis, wider ones take the last axis away."""
    kind, wanted = type_of(x), dtype_of(n, "new_dtype")
    if kind.dtype == wanted:
        return x
    if bool_ in (kind.dtype, wanted):
        n.fail(f"the bits of {kind} as {wanted}")
    if kind.dtype.itemsize == wanted.itemsize:
        return ops.bitcast(x, wanted)
    wide = unsigned(x)
    if kind.dtype.itemsize > wanted.itemsize:
        count = kind.dtype.itemsize // wanted.itemsize
        wide = ops.broadcast(ops.reshape(wide, (*kind.shape, 1)), (*kind.shape, count))
        place = ops.iota(type_of(wide).shape, kind.ndim, type_of(wide).dtype)
        moved = ops.shift_right(wide, ops.mul(place, ops.like(8 * wanted.itemsize, place)))
        part = ops.cast(moved, BY_NAME[f"uint{8 * wanted.itemsize}"])
        return part if wanted.kind == "u" else ops.bitcast(part, wanted)
    word = BY_NAME[f"uint{8 * wanted.itemsize}"]
    wide = ops.cast(wide, word)
    place = ops.iota(kind.shape, kind.ndim - 1, word)
    moved = ops.shift_left(wide, ops.mul(place, ops.like(8 * kind.dtype.itemsize, place)))
    whole = ops.sum(moved, (kind.ndim - 1,))
    return whole if wanted.kind == "u" else ops.bitcast(whole, wanted)


_FORMS = {float16: (5, 10), bfloat16: (8, 7), float32: (8, 23), float64: (11, 52)}
"""Bits of the exponent and of the mantissa."""


@JAXPR("reduce_precision")
def reduced(n: Application, x: Operand) -> Operand:
    """Floats rounded to a format of fewer bits, in their own dtype."""
    kind = type_of(x).dtype
    form = n.integer("exponent_bits"), n.integer("mantissa_bits")
    if form == _FORMS.get(kind):
        return x
    for other, bits in _FORMS.items():
        if bits == form and other.itemsize < kind.itemsize:
            return ops.cast(ops.cast(x, other), kind)
    own = _FORMS[kind]
    if form[0] != own[0] or not is_float(kind) or form[1] > own[1]:
        n.fail(f"{form[0]} bits of exponent and {form[1]} of mantissa", help="use those of a dtype")
    bits, drop = unsigned(x), own[1] - form[1]
    odd = ops.bit_and(ops.shift_right(bits, ops.like(drop, bits)), ops.like(1, bits))
    up = ops.add(ops.add(bits, ops.like((1 << (drop - 1)) - 1, bits)), odd)  # half to even
    short = ops.bitcast(ops.bit_and(up, ops.bit_not(ops.like((1 << drop) - 1, bits))), kind)
    return ops.where(ops.isnan(x), x, short)
