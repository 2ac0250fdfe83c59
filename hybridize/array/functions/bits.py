# SPDX-License-Identifier: Apache-2.0
"""Numbers by their bits: bits packed into bytes, neighbours among the floats, mantissa and exponent."""

from __future__ import annotations

import math
from typing import Any

from hybridize import ops
from hybridize.array import functions as np
from hybridize.array import operands as operand_rules
from hybridize.array.functions.keywords import universal
from hybridize.array.policies import double, together
from hybridize.base.dtypes import bool_, is_inexact, uint8
from hybridize.base.errors import DTypeError, ShapeError
from hybridize.ops.library.floats import mantissa_and_exponent, next_after
from hybridize.ops.library.logarithms import log_add_exp2
from hybridize.ops.op import bind1


@universal(1, typed=0)
def bitwise_count(x: Any) -> Any:
    """Return the number of bits that are 1 in the absolute value of each integer, as uint8.

    >>> np.bitwise_count(np.array([0, 7, -8], dtype="int32"))
    array([0, 3, 1], dtype=uint8)
    """
    a = operand_rules.array(x)
    if is_inexact(a.dtype):
        raise DTypeError("E205", f"bitwise_count of {a.type}: expected integers or bools")
    a = a.astype(uint8) if a.dtype == bool_ else np.absolute(a) if a.dtype.kind == "i" else a
    return operand_rules.result(bind1(ops.BitCount(), operand_rules.operand(a))).astype(uint8)


@universal(2)
def nextafter(x1: Any, x2: Any) -> Any:
    """Return the float beside x1 in the direction of x2.

    >>> np.nextafter(np.array([1.0]), 2) > 1
    array([ True])
    """
    pair = operand_rules.aligned(*operand_rules.operands(x1, x2), name="nextafter", float_only=True)
    return operand_rules.result(next_after(*pair))


@universal(1)
def spacing(x: Any) -> Any:
    """Return the distance from each element to the next float away from 0, with its sign.

    >>> np.spacing(np.array([1, 1024]))
    array([1.1920929e-07, 1.2207031e-04])
    """
    a = operand_rules.floats(x)
    away = np.where(np.less(a, 0), -math.inf, math.inf).astype(a.dtype)
    return np.where(np.isfinite(a), np.subtract(nextafter(a, away), a), math.nan)


@universal(1)
def modf(x: Any) -> tuple[Any, Any]:
    """Split each element into its fraction and its integer part, both with its sign; return them as a tuple.

    >>> np.modf(np.array([1.5, -2.25]))
    (array([ 0.5 , -0.25]), array([ 1., -2.]))
    """
    a = operand_rules.floats(x)
    whole = np.trunc(a)
    fraction = np.where(np.equal(np.absolute(a), math.inf), 0.0, np.subtract(a, whole))
    return np.copysign(fraction, a), whole


@universal(1)
def frexp(x: Any) -> tuple[Any, Any]:
    """Split each element into a mantissa from 0.5 to 1 and an exponent of 2, as int32.

    Return both as a tuple: x = mantissa * 2**exponent. The exponent of 0 is 0.

    >>> np.frexp(np.array([8, 0.75, 0]))
    (array([0.5 , 0.75, 0.  ]), array([4, 0, 0], dtype=int32))
    """
    mantissa, exponent = mantissa_and_exponent(operand_rules.operand(operand_rules.floats(x)))
    return operand_rules.result(mantissa), operand_rules.result(exponent)


@universal(2)
def float_power(x1: Any, x2: Any) -> Any:
    """Return x1 to the power of x2 in float64; of complex numbers in complex128.

    >>> np.float_power(np.array([2, 3]), -1)
    array([0.5       , 0.33333333], dtype=float64)
    """
    return np.power(*together((x1, x2), double))


@universal(2)
def logaddexp2(x1: Any, x2: Any) -> Any:
    """Return log2(2**x1 + 2**x2) without overflow.

    >>> np.logaddexp2(np.array([3.0, 200.0]), np.array([3.0, 0.0]))
    array([  4., 200.])
    """
    pair = operand_rules.aligned(*operand_rules.operands(x1, x2), name="logaddexp2", float_only=True)
    return operand_rules.result(log_add_exp2(*pair))


_ORDERS = ("big", "little")


@operand_rules.public
def packbits(a: Any, /, axis: int | None = None, bitorder: str = "big") -> Any:
    """Pack eight elements as the bits of one uint8: 1 where they are not 0.

    `bitorder` says which one is the first of eight, the highest bit (`big`) or the lowest (`little`); the last byte is
    filled up with zeros.

    >>> np.packbits(np.array([1, 0, 0, 0, 0, 0, 1, 1], dtype="uint8"))
    array([131], dtype=uint8)
    """
    operand_rules.one_of(bitorder, _ORDERS, "packbits", "bitorder")
    x = operand_rules.array(a)
    if is_inexact(x.dtype):
        raise DTypeError("E205", f"packbits of {x.type}: expected integers or bools")
    x, along = operand_rules.array_and_axis(x, axis, "packbits")
    rows = np.moveaxis(np.not_equal(x, 0) if x.dtype != bool_ else x, along, -1).astype(uint8)
    count = -(-rows.shape[-1] // 8)
    rows = np.concatenate([rows, np.zeros((*rows.shape[:-1], count * 8 - rows.shape[-1]), uint8)], -1)
    places = np.arange(7, -1, -1, dtype=uint8) if bitorder == "big" else np.arange(8, dtype=uint8)
    packed = np.sum(np.left_shift(np.reshape(rows, (*rows.shape[:-1], count, 8)), places), -1, dtype=uint8)
    return np.moveaxis(packed, -1, along)


@operand_rules.public
def unpackbits(a: Any, /, axis: int | None = None, count: int | None = None, bitorder: str = "big") -> Any:
    """Unpack the bits of uint8 numbers, eight elements of 0 or 1 for each, as uint8.

    `count`: how many; below 0, so many fewer; zeros follow where there are fewer bits.

    Raises:
        DTypeError E205: another dtype.
        ShapeError E135: `count` leaves out more bits than there are.

    >>> np.unpackbits(np.array([131], dtype="uint8"))
    array([1, 0, 0, 0, 0, 0, 1, 1], dtype=uint8)
    """
    operand_rules.one_of(bitorder, _ORDERS, "unpackbits", "bitorder")
    x = operand_rules.array(a)
    if x.dtype != uint8:
        raise DTypeError("E205", f"unpackbits takes uint8, got {x.type}", help="cast first: x.astype('uint8')")
    x, along = operand_rules.array_and_axis(x, axis, "unpackbits")
    rows = np.moveaxis(x, along, -1)
    places = np.arange(7, -1, -1, dtype=uint8) if bitorder == "big" else np.arange(8, dtype=uint8)
    bits = np.bitwise_and(np.right_shift(np.expand_dims(rows, -1), places), 1)
    total = rows.shape[-1] * 8
    bits = np.reshape(bits, (*rows.shape[:-1], total))
    if count is not None:
        wanted = count if count >= 0 else total + count
        if wanted < 0:
            raise ShapeError("E135", f"unpackbits: {-count} bits fewer than {total}")
        bits = bits[..., : min(wanted, total)]
        bits = np.concatenate([bits, np.zeros((*bits.shape[:-1], max(wanted - total, 0)), uint8)], -1)
    return np.moveaxis(bits, -1, along)
