# SPDX-License-Identifier: Apache-2.0
"""Functions of analysis of two arguments: powers, angles, lengths, remainders."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy
from numpy.typing import NDArray

from hybridize.base.dtypes import float64, is_inexact
from hybridize.ops.analysis import log, sigmoid, trunc
from hybridize.ops.arithmetic import add, div, eq, mul, neg, sign, sub, where
from hybridize.ops.elementwise import SIGNED_NUMBER, Binary, BinaryFunction, Gradient, binary
from hybridize.ops.op import OfComplex, Operand, type_of
from hybridize.ops.views import cast, like

if TYPE_CHECKING:
    pass


def _power(x: NDArray[Any], y: NDArray[Any]) -> NDArray[Any]:
    """NumPy's power, and for negative powers of integers the truncated value: 0, but for bases 1 and -1."""
    if is_inexact(x.dtype) or x.dtype.kind == "u":
        return numpy.asarray(numpy.power(x, y))
    whole = numpy.power(x, numpy.maximum(y, 0))
    sign_of = numpy.where(x == 1, 1, numpy.where(x == -1, 1 - 2 * (y & 1), 0))
    return numpy.where(y < 0, sign_of, whole).astype(x.dtype)


class Pow(Binary, meaning=_power):
    """x to the power of y. Negative powers of integers are truncated: 0 but for bases 1 and -1."""

    of_complex = OfComplex.HOLOMORPHIC
    takes = SIGNED_NUMBER

    @staticmethod
    def slope(g: Operand, z: Operand, x: Operand, y: Operand) -> tuple[Gradient, Gradient]:
        """Take 0 as the slope in x where y is 0, and in y where x is 0: x**(y - 1) and log(x) would be infinite."""
        zero, one = like(0, x), like(1, x)
        by_x = where(eq(y, zero), zero, mul(mul(g, y), pow(x, sub(y, where(eq(y, zero), zero, one)))))
        base, dtype = where(eq(x, zero), one, x), type_of(x).dtype
        wide = dtype if is_inexact(dtype) else float64  # integers have no logarithms of their own
        by_y = cast(mul(cast(mul(g, z), wide), log(cast(base, wide))), dtype)
        return by_x, where(eq(x, zero), zero, by_y)


class Fmod(Binary, meaning=numpy.fmod, slope=lambda g, z, x, y: (g, neg(mul(g, trunc(div(x, y)))))):
    """The remainder of x / y with the sign of x; 0 for an integer divided by 0."""

    takes = SIGNED_NUMBER
    smooth = False


class Arctan2(Binary, meaning=numpy.arctan2):
    """The angle of the point (y, x), from -pi to pi: the first operand is the ordinate."""

    @staticmethod
    def slope(g: Operand, z: Operand, x: Operand, y: Operand) -> tuple[Gradient, Gradient]:
        """At the origin, which has no angle, it is 0."""
        square = add(mul(x, x), mul(y, y))
        nothing = eq(square, like(0, square))
        scale = where(nothing, like(0, g), div(g, where(nothing, like(1, square), square)))
        return mul(scale, y), neg(mul(scale, x))


class Hypot(Binary, meaning=numpy.hypot, slope=lambda g, z, x, y: (mul(g, div(x, z)), mul(g, div(y, z)))):
    """sqrt(x x + y y), without overflow"""


class Copysign(Binary, meaning=numpy.copysign, slope=lambda g, z, x, y: (mul(g, mul(sign(x), sign(z))), None)):
    """The magnitude of x with the sign of y."""

    smooth = False


class LogAddExp(
    Binary, meaning=numpy.logaddexp, slope=lambda g, z, x, y: (mul(g, sigmoid(sub(x, y))), mul(g, sigmoid(sub(y, x))))
):
    """log(exp(x) + exp(y)), without overflow"""


pow: BinaryFunction = binary(Pow)
fmod: BinaryFunction = binary(Fmod)
arctan2: BinaryFunction = binary(Arctan2)
hypot: BinaryFunction = binary(Hypot)
copysign: BinaryFunction = binary(Copysign)
log_add_exp: BinaryFunction = binary(LogAddExp)
