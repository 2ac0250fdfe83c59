# SPDX-License-Identifier: Apache-2.0
"""`decimal`: float64 numbers rounded to decimals, as Python's `round(x, digits)` does it: exactly, ties to even.

The product with a power of ten is computed with its rounding error (T. J. Dekker, "A floating-point technique for
extending the available precision", 1971), which decides what looks like a tie.
"""

from __future__ import annotations

from hybridize import ops
from hybridize.base.dtypes import float64, int64
from hybridize.ops.op import Operand

MOST_DIGITS = 22
"""A power of ten up to this one is a float."""
_HALF = -(1 << 27)
"""The bits of the upper half of a float's 53 digits."""


def decimal(x: Operand, digits: int) -> Operand:
    """Return float64 numbers rounded to so many digits after the point; before it where that is negative."""
    near = _tens(ops.abs(x), float(10**-digits)) if digits < 0 else _fractions(ops.abs(x), 10**digits)
    return ops.copysign(near, x)


def _tens(x: Operand, unit: float) -> Operand:
    """Return the nearest multiples of a power of ten."""
    rest = ops.fmod(x, ops.like(2 * unit, x))  # of two units, which tells even multiples from odd ones
    is_odd = ops.ge(rest, ops.like(unit, x))
    over = ops.where(is_odd, ops.sub(rest, ops.like(unit, x)), rest)
    half = ops.like(unit / 2, x)
    is_up = ops.bit_or(ops.gt(over, half), ops.bit_and(ops.eq(over, half), is_odd))
    near = ops.where(is_up, ops.add(x, ops.sub(ops.like(unit, x), over)), ops.sub(x, over))
    return ops.where(ops.isfinite(x), near, x)


def _fractions(x: Operand, scale: int) -> Operand:
    """Return the nearest fractions with a power of ten for denominator."""
    product = ops.mul(x, ops.like(float(scale), x))
    near = ops.round(product)
    beyond, error = ops.sub(product, near), _error(x, scale, product)
    nothing, half = ops.like(0.0, x), ops.like(0.5, x)
    up = ops.bit_and(ops.eq(beyond, half), ops.gt(error, nothing))
    down = ops.bit_and(ops.eq(beyond, ops.neg(half)), ops.lt(error, nothing))
    # Beyond 2**52 all products are integers, and their errors up to a half.
    halves = ops.mul(near, half)
    tie = ops.bit_and(ops.eq(ops.abs(error), half), ops.ne(halves, ops.round(halves)))
    one = ops.like(1.0, x)
    step = ops.where(up, one, ops.where(down, ops.neg(one), ops.where(tie, ops.add(error, error), nothing)))
    whole = ops.add(near, step)
    has_digits = ops.lt(product, ops.like(2.0**53, x))
    return ops.where(has_digits, ops.div(whole, ops.like(float(scale), x)), x)


def _error(x: Operand, factor: int, product: Operand) -> Operand:
    """Return what a product with an integer of at most 52 significant bits lacks."""
    head = ops.bitcast(ops.bit_and(ops.bitcast(x, int64), ops.like(_HALF, ops.bitcast(x, int64))), float64)
    tail = ops.sub(x, head)
    shift = max(factor.bit_length() - 26, 0)
    upper = factor >> shift << shift
    high, low = ops.like(float(upper), x), ops.like(float(factor - upper), x)
    error = ops.sub(ops.mul(head, high), product)
    error = ops.add(ops.add(error, ops.mul(head, low)), ops.mul(tail, high))
    return ops.add(error, ops.mul(tail, low))
