# SPDX-License-Identifier: Apache-2.0
"""Elementary functions of float64: the frequent ones as vectors, the others by the C library, lane by lane."""

from __future__ import annotations

import math
from collections.abc import Callable

from hybridize.codegen.llvm.functions import wide
from hybridize.codegen.llvm.functions.gamma import gamma
from hybridize.codegen.llvm.functions.vectors import Vectors

Rule = Callable[..., str]

LOG2E = 1.4426950408889634
# (tanh x / x - 1) / x^2 as a function of x^2 below 5/8, Chebyshev, 2^-57.
TANH = (
    6.485163482793113e-06, -3.12011014257974e-05, 9.257116129556769e-05, -0.0002375906496055562, 0.0005896606577757043,
    -0.0014557754120478055, 0.0035921217511549622, -0.008863235103240878, 0.021869488519008305, -0.05396825396789699,
    0.13333333333333042, -0.3333333333333333,
)  # fmt: skip


def _expm1_of(w: Vectors, r: str) -> str:
    """e^r - 1 for |r| <= ln 2 / 2."""
    return w.fma(w.poly(r, wide.EXP), w.mul(r, r), r)


def _reduced(w: Vectors, x: str) -> tuple[str, str, str]:
    """r, n and n as an integer, where x = n ln 2 + r and |r| <= ln 2 / 2."""
    n, k = w.rounded(x, LOG2E)
    r = w.fma(n, w.number(-wide.LN2_HIGH), x)
    return w.fma(n, w.number(-wide.LN2_LOW), r), n, k


def _exp_minus_one(w: Vectors, x: str) -> tuple[str, str, str]:
    """The pieces of e^x: expm1 of the remainder, and the power of two as a float and as an integer."""
    r, n, k = _reduced(w, x)
    return _expm1_of(w, r), n, k


def _exp(w: Vectors, x: str) -> str:
    x = w.at_least(w.at_most(x, w.number(710.0)), w.number(-746.0))
    p, n, k = _exp_minus_one(w, x)
    return w.scaled(w.add(p, w.number(1.0)), n, k)


def _exp2(w: Vectors, x: str) -> str:
    x = w.at_least(w.at_most(x, w.number(1025.0)), w.number(-1076.0))
    n, k = w.rounded(x, 1.0)
    p = _expm1_of(w, w.mul(w.sub(x, n), w.number(math.log(2))))
    return w.scaled(w.add(p, w.number(1.0)), n, k)


def _expm1(w: Vectors, x: str) -> str:
    inside = w.at_least(w.at_most(x, w.number(710.0)), w.number(-40.0))
    p, _, k = _exp_minus_one(w, inside)
    half = w.power_of_two(w.iop("sub", k, w.integer(1)))
    y = w.fma(half, p, w.sub(half, w.number(0.5)))
    return w.select(w.compare("olt", w.abs(x), w.number(2.0**-54)), x, w.add(y, y))


def _tanh(w: Vectors, x: str) -> str:
    """As in float32."""
    a = w.at_most(w.abs(x), w.number(22.0))
    p, n, k = _exp_minus_one(w, w.add(a, a))
    e = w.scaled(w.add(p, w.number(1.0)), n, k)
    far = w.sub(w.number(1.0), w.div(w.number(2.0), w.add(e, w.number(1.0))))
    z = w.mul(x, x)
    near = w.fma(w.mul(w.poly(z, TANH), z), x, x)
    return w.copysign(w.select(w.compare("olt", a, w.number(0.625)), near, far), x)


def _sigmoid(w: Vectors, x: str) -> str:
    """As in float32."""
    r, n, k = _reduced(w, w.at_least(w.at_most(x, w.number(38.0)), w.number(-746.0)))
    r = w.neg(r)
    power = w.scaled(w.number(0.75), n, k)
    whole = w.add(power, w.number(0.75))
    return w.div(power, w.fma(w.poly(r, [0.75 * c for c in (*wide.EXP, 1.0)]), r, whole))


def _log(w: Vectors, x: str) -> str:
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
    result = w.add(greater, w.per_lane("log1p", _exp(w, gap)))
    return w.select(w.compare("uno", x, y), w.add(x, y), result)


def _erfinv(w: Vectors, x: str) -> str:
    """Halley's steps on erf, or on erfc, which does not cancel near 1.

    From the approximation above, or, beyond what it was made for, from erfc(y) ~ exp(-y^2) / (y sqrt(pi)).
    """
    a = w.abs(x)
    rest = w.sub(w.number(1.0), a)
    far = w.neg(w.per_lane("log", rest))
    far_y = w.sqrt(w.fma(w.per_lane("log", w.mul(far, w.number(math.pi))), w.number(-0.5), far))
    y = w.select(w.compare("olt", far, w.number(15.0)), wide.erfinv(w, a), far_y)
    for _ in range(3):
        error = w.select(
            w.compare("olt", a, w.number(0.5)),
            w.sub(w.per_lane("erf", y), a),
            w.sub(rest, w.per_lane("erfc", y)),
        )
        slope = w.mul(_exp(w, w.neg(w.mul(y, y))), w.number(2 / math.sqrt(math.pi)))
        step = w.div(error, slope)
        y = w.sub(y, w.div(step, w.fma(y, step, w.number(1.0))))
    y = w.select(w.compare("oeq", a, w.number(1.0)), w.number(wide.INF), y)
    y = w.select(w.compare("ogt", a, w.number(1.0)), w.number(wide.NAN), y)
    return w.copysign(y, x)


def _rsqrt(w: Vectors, x: str) -> str:
    return w.div(w.number(1.0), w.sqrt(x))


_NAMES = {
    "arcsin": "asin", "arccos": "acos", "arctan": "atan", "arcsinh": "asinh", "arccosh": "acosh", "arctanh": "atanh",
    "arctan2": "atan2", "gammaln": "lgamma",
}  # fmt: skip
_SAME = (
    "log2", "log10", "log1p", "sin", "cos", "tan", "sinh", "cosh", "erf", "pow", "hypot",
)  # fmt: skip
RULES: dict[str, Rule] = {
    **{name: wide.library(name) for name in _SAME},
    **{name: wide.library(libm) for name, libm in _NAMES.items()},
    "exp": _exp,
    "exp2": _exp2,
    "expm1": _expm1,
    "tanh": _tanh,
    "sigmoid": _sigmoid,
    "log": _log,
    "logaddexp": _logaddexp,
    "erfinv": _erfinv,
    "rsqrt": _rsqrt,
    "cbrt": wide.cbrt,
    "gamma": gamma,
}
