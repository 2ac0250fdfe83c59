# SPDX-License-Identifier: Apache-2.0
"""Elementary functions of float64: the frequent ones as vectors, the others by the C library, lane by lane."""

from __future__ import annotations

import math
from collections.abc import Callable

from hybridize.codegen.llvm.functions import wide
from hybridize.codegen.llvm.functions.exponentials import Exponentials
from hybridize.codegen.llvm.functions.gamma import gamma
from hybridize.codegen.llvm.functions.vectors import Vectors

Rule = Callable[..., str]

EXPONENTIALS = Exponentials(
    ln2=(wide.LN2_HIGH, wide.LN2_LOW),
    minus_one=wide.EXP,
    tangent=(  # Chebyshev, 2^-57
        6.485163482793113e-06, -3.12011014257974e-05, 9.257116129556769e-05, -0.0002375906496055562,
        0.0005896606577757043, -0.0014557754120478055, 0.0035921217511549622, -0.008863235103240878,
        0.021869488519008305, -0.05396825396789699, 0.13333333333333042, -0.3333333333333333,
    ),
    least=-746.0, most=710.0, ends_of_two=(-1076.0, 1025.0), near=2.0**-54, lost=40.0, flat=22.0, full=38.0,
)  # fmt: skip


def log(w: Vectors, x: str) -> str:
    """f - (f^2 / 2 - s (f^2 / 2 + R)), s = f / (2 + f): the form of fdlibm, below 1 ulp."""
    small = w.compare("olt", x, w.number(2.0**-1022))
    scaled = w.select(small, w.mul(x, w.number(2.0**54)), x)
    root_half = 0x3FE6A09E667F3BCD
    moved = w.iop("sub", w.to_bits(scaled), w.integer(root_half))
    fraction = w.iop("add", w.iop("and", moved, w.integer((1 << 52) - 1)), w.integer(root_half))
    e = w.to_float(w.iop("ashr", moved, w.integer(52)))
    e = w.sub(e, w.select(small, w.number(54.0), w.number(0.0)))
    f = w.sub(w.from_bits(fraction), w.number(1.0))
    s = w.div(f, w.add(f, w.number(2.0)))
    z = w.mul(s, s)
    half_square = w.mul(w.mul(f, f), w.number(0.5))
    inner = w.fma(s, w.fma(w.poly(z, wide.ARTANH), z, half_square), w.mul(e, w.number(wide.LN2_LOW)))
    y = w.fma(e, w.number(wide.LN2_HIGH), w.sub(f, w.sub(half_square, inner)))
    y = w.select(w.compare("olt", x, w.number(wide.INF)), y, x)
    y = w.select(w.compare("olt", x, w.number(0.0)), w.number(wide.NAN), y)
    return w.select(w.compare("oeq", x, w.number(0.0)), w.number(-wide.INF), y)


def _logaddexp(w: Vectors, x: str, y: str) -> str:
    greater = w.select(w.compare("ogt", x, y), x, y)
    equal = w.compare("oeq", x, y)
    gap = w.select(equal, w.number(0.0), w.neg(w.abs(w.sub(x, y))))
    result = w.add(greater, w.per_lane("log1p", EXPONENTIALS.exp(w, gap)))
    return w.select(w.compare("uno", x, y), w.add(x, y), result)


def _erfinv(w: Vectors, x: str) -> str:
    def near(w: Vectors, y: str, a: str) -> str:
        return w.sub(w.per_lane("erf", y), a)

    def far(w: Vectors, y: str, rest: str) -> str:
        return w.sub(rest, w.per_lane("erfc", y))

    return inverse_of_erf(w, x, wide.library("log"), near, far)


def inverse_of_erf(w: Vectors, x: str, log: Rule, near: Rule, far: Rule) -> str:
    """Halley's steps on erf(y) - |x|, which `near` gives, or on 1 - |x| - erfc(y), which does not cancel near 1.

    From the approximation above, or, beyond what it was made for, from erfc(y) ~ exp(-y^2) / (y sqrt(pi)).
    """
    a = w.abs(x)
    rest = w.sub(w.number(1.0), a)
    size = w.neg(log(w, rest))
    far_y = w.sqrt(w.fma(log(w, w.mul(size, w.number(math.pi))), w.number(-0.5), size))
    y = w.select(w.compare("olt", size, w.number(15.0)), wide.erfinv(w, a), far_y)
    for _ in range(3):
        error = w.select(w.compare("olt", a, w.number(0.5)), near(w, y, a), far(w, y, rest))
        slope = w.mul(EXPONENTIALS.exp(w, w.neg(w.mul(y, y))), w.number(2 / math.sqrt(math.pi)))
        step = w.div(error, slope)
        y = w.sub(y, w.div(step, w.fma(y, step, w.number(1.0))))
    y = w.select(w.compare("oeq", a, w.number(1.0)), w.number(wide.INF), y)
    y = w.select(w.compare("ogt", a, w.number(1.0)), w.number(wide.NAN), y)
    return w.copysign(y, x)


def _rsqrt(w: Vectors, x: str) -> str:
    return w.div(w.number(1.0), w.sqrt(x))


_NAMES = {
    "arcsin": "asin", "arccos": "acos", "arctan": "atan", "arcsinh": "asinh", "arccosh": "acosh", "arctanh": "atanh",
    "arctan2": "atan2",
}  # fmt: skip
_SAME = (
    "log2", "log10", "log1p", "sin", "cos", "tan", "sinh", "cosh", "erf", "pow", "hypot",
)  # fmt: skip
RULES: dict[str, Rule] = {
    **wide.BOTH,
    **{name: wide.library(name) for name in _SAME},
    **{name: wide.library(libm) for name, libm in _NAMES.items()},
    "exp": EXPONENTIALS.exp,
    "exp2": EXPONENTIALS.exp2,
    "expm1": EXPONENTIALS.expm1,
    "tanh": EXPONENTIALS.tanh,
    "sigmoid": EXPONENTIALS.sigmoid,
    "log": log,
    "logaddexp": _logaddexp,
    "erfinv": _erfinv,
    "rsqrt": _rsqrt,
    "gamma": gamma,
}
