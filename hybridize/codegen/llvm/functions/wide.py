# SPDX-License-Identifier: Apache-2.0
"""The rarer functions of float32, computed in float64 so that plain formulas are accurate to half an ulp.

Cores (`exp`, `log`, `arctan`, ...) take and return float64 vectors, for arguments that fit float32. `SINGLE` are the
functions of float32 made of them.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from hybridize.codegen.llvm.functions.rounding import rounded
from hybridize.codegen.llvm.functions.turns import far_quarter_turns
from hybridize.codegen.llvm.functions.vectors import Vectors

Rule = Callable[..., str]

INF, NAN = float("inf"), float("nan")
LN2_HIGH, LN2_LOW = 6.93147180369123816490e-01, 1.90821492927058770002e-10
# pi/2 in two parts; the first has 33 bits, so that its product with up to 2^20 quarter turns is exact.
HALF_PI_HIGH, HALF_PI_LOW = 1.57079632673412561417e00, 6.07710050650619224932e-11
EXP = tuple(1 / math.factorial(k) for k in range(13, 1, -1))
ARTANH = tuple(2 / (2 * k + 1) for k in range(10, 0, -1))
SIN = tuple((-1) ** k / math.factorial(2 * k + 1) for k in range(8, 0, -1))
COS = tuple((-1) ** k / math.factorial(2 * k) for k in range(8, 0, -1))
# Of FreeBSD's cbrt: the first guess t has a third of the bits of y, and this bias; 1 / cbrt(t^3 / y) to 23 bits.
CBRT_BIAS = 715094163
CBRT = (
    0.145996192886612446982,
    -0.758397934778766047437,
    1.621429720105354466140,
    -1.88497979543377169875,
    1.87595182427177009643,
)
# arctan(sqrt s) / sqrt s on [0, tan(pi/8)^2], Chebyshev, 3e-14.
ARCTAN = (
    0.030643576430440984, -0.05873288412548816, 0.07563385785694479, -0.09078349078551037, 0.11110381840871641,
    -0.14285690294890238, 0.19999999602363222, -0.3333333333078472, 0.999999999999973,
)  # fmt: skip
# erfinv(x) / x as a function of w = -log(1 - x^2): of w - 2.5 below 5, of sqrt(w) - 3 above; Chebyshev, 1e-8.
ERFINV_CENTRE = (
    1.2346577102436407e-10, 4.340626805280267e-10, -1.0861761269691781e-08, 1.650364403919863e-08,
    4.786897084450662e-07, -3.426266209724415e-06, -4.996000110117302e-06, 0.00021826412521550322,
    -0.0012527079573557967, -0.00417732508045775, 0.24664027674858424, 1.5014093517481764,
)  # fmt: skip
ERFINV_TAIL = (
    -3.437390147420548e-05, 0.000169035126126386, -0.0002736249463667079, -0.00013173649560769876,
    0.0014752574201712515, -0.0035616019912898065, 0.005687101989482819, -0.007643744772015514, 0.0094453981683142,
    1.0016752853193525, 2.83297679964746,
)  # fmt: skip


# Cores, over float64


def exp(w: Vectors, x: str) -> str:
    """e^x, for results that are normal numbers; beyond, 0 and infinity."""
    x = w.at_least(w.at_most(x, w.number(700.0)), w.number(-700.0))
    n, k = w.rounded(x, 1.4426950408889634)
    r = w.fma(n, w.number(-LN2_HIGH), x)
    r = w.fma(n, w.number(-LN2_LOW), r)
    p = w.fma(w.poly(r, EXP), w.mul(r, r), r)
    return w.mul(w.add(p, w.number(1.0)), w.power_of_two(k))


def log(w: Vectors, x: str) -> str:
    """Natural logarithm of normal numbers; -inf at 0, NaN below, infinity of infinity."""
    root_half = 0x3FE6A09E667F3BCD
    moved = w.iop("sub", w.to_bits(x), w.integer(root_half))
    fraction = w.iop("add", w.iop("and", moved, w.integer((1 << 52) - 1)), w.integer(root_half))
    e = w.to_float(w.iop("ashr", moved, w.integer(52)))
    f = w.sub(w.from_bits(fraction), w.number(1.0))
    s = w.div(f, w.add(f, w.number(2.0)))
    z = w.mul(s, s)
    tail = w.fma(w.mul(w.poly(z, ARTANH), z), s, w.mul(e, w.number(LN2_LOW)))
    y = w.fma(e, w.number(LN2_HIGH), w.fma(s, w.number(2.0), tail))
    y = w.select(w.compare("olt", x, w.number(INF)), y, x)
    y = w.select(w.compare("olt", x, w.number(0.0)), w.number(NAN), y)
    return w.select(w.compare("oeq", x, w.number(0.0)), w.number(-INF), y)


def cbrt(w: Vectors, x: str) -> str:
    """Cube root of any number, 0.67 ulp: a third of the exponent, a polynomial, and a step of Newton.

    The step starts from few bits, so that its square is exact and nothing but the quotient rounds.
    """
    a = w.abs(x)
    small = w.compare("olt", a, w.number(2.0**-1022))
    y = w.select(small, w.mul(a, w.number(2.0**54)), a)
    # The upper half of the bits as a float, by way of the digits of 2^52 and more; back likewise.
    upper = w.iop("or", w.iop("lshr", w.to_bits(y), w.integer(32)), w.integer(0x433 << 52))
    third = w.fma(w.sub(w.from_bits(upper), w.number(2.0**52)), w.number(1 / 3), w.number(1.5 * 2.0**52 + CBRT_BIAS))
    t = w.from_bits(w.iop("shl", w.to_bits(third), w.integer(32)))
    t = w.mul(t, w.poly(w.mul(w.mul(t, t), w.div(t, y)), CBRT))
    t = w.from_bits(w.iop("and", w.iop("add", w.to_bits(t), w.integer(1 << 31)), w.integer(-1 << 30)))
    quotient = w.div(y, w.mul(t, t))
    step = w.div(w.sub(quotient, t), w.add(w.add(t, t), quotient))
    t = w.mul(w.fma(t, step, t), w.select(small, w.number(2.0**-18), w.number(1.0)))
    usual = w.logic("and", w.compare("olt", a, w.number(INF)), w.compare("ogt", a, w.number(0.0)))
    return w.copysign(w.select(usual, t, a), x)


def quarter_turns(w: Vectors, x: str) -> tuple[str, str]:
    """x as k pi/2 + r with |r| <= pi/4; returns r and the integer k. For |x| <= 2^20; on a device for any float32."""
    n, k = w.rounded(x, 2 / math.pi)
    r = w.fma(n, w.number(-HALF_PI_HIGH), x)
    r = w.fma(n, w.number(-HALF_PI_LOW), r)
    if w.target.device is None:
        return r, k
    far = w.f.op(f"xor i1 {w.compare('ole', w.abs(x), w.number(2.0**20))}, true")
    far_r, far_k = far_quarter_turns(w, x)
    return w.select(far, far_r, r), w.f.op(f"select i1 {far}, {w.itype} {far_k}, {w.itype} {k}")


def arctan_ratio(w: Vectors, y: str, x: str) -> str:
    """arctan(y / x) for y, x >= 0, in [0, pi/2]; 0 where both are 0, pi/4 where both are infinite."""
    steep = w.compare("ogt", y, x)
    low, high = w.select(steep, x, y), w.select(steep, y, x)
    # NaN in either must reach the quotient: `steep` is false then, so low is y and high is x.
    t = w.div(low, high)
    t = w.select(w.compare("oeq", low, high), w.number(1.0), t)
    t = w.select(w.compare("oeq", high, w.number(0.0)), w.number(0.0), t)
    shifted = w.compare("ogt", t, w.number(math.tan(math.pi / 8)))
    t = w.select(shifted, w.div(w.sub(t, w.number(1.0)), w.add(t, w.number(1.0))), t)
    p = w.mul(w.poly(w.mul(t, t), ARCTAN), t)
    p = w.add(p, w.select(shifted, w.number(math.pi / 4), w.number(0.0)))
    return w.select(steep, w.sub(w.number(math.pi / 2), p), p)


# Functions of float32


def through(core: Rule) -> Rule:
    """Widen the arguments, compute, round once."""

    def rule(v: Vectors, *args: str) -> str:
        return v.narrowed(core(v.wide(), *(v.widened(arg) for arg in args)))

    return rule


def _near_zero(core: Rule, cubic: float, limit: float) -> Rule:
    """Replace an odd function by x + cubic x^3 where |x| <= limit, where the formula would cancel."""

    def rule(w: Vectors, x: str) -> str:
        small = w.mul(x, w.fma(w.mul(x, x), w.number(cubic), w.number(1.0)))
        return w.select(w.compare("olt", w.abs(x), w.number(limit)), small, core(w, x))

    return rule


def _sinh(w: Vectors, x: str) -> str:
    e = exp(w, w.abs(x))
    y = w.mul(w.sub(e, w.div(w.number(1.0), e)), w.number(0.5))
    return w.copysign(y, x)


def _cosh(w: Vectors, x: str) -> str:
    e = exp(w, w.abs(x))
    return w.mul(w.add(e, w.div(w.number(1.0), e)), w.number(0.5))


def _tan(w: Vectors, x: str) -> str:
    r, k = quarter_turns(w, x)
    z = w.mul(r, r)
    sine = w.fma(w.mul(w.poly(z, SIN), z), r, r)
    cosine = w.fma(w.poly(z, COS), z, w.number(1.0))
    odd = w.iop("icmp ne", w.iop("and", k, w.integer(1)), 0)
    return w.div(w.select(odd, w.neg(cosine), sine), w.select(odd, sine, cosine))


def _tan_single(v: Vectors, x: str) -> str:
    f = v.f
    if v.target.device is not None:
        return v.select(v.compare("oeq", x, v.number(0.0)), x, through(_tan)(v, x))
    inside = v.at_most(v.at_least(x, v.number(-(2.0**20))), v.number(2.0**20))
    y = through(_tan)(v, inside)
    rare, after, start = f.fresh("rare"), f.fresh("after"), f.label
    f.branch(v.any(v.compare("one", x, inside)), rare, after, begin=rare)
    exact = v.per_lane("tanf", x)
    end = f.label
    f.enter(after)
    y = f.op(f"phi {v.type} [ {y}, %{start} ], [ {exact}, %{end} ]")
    return v.select(v.compare("oeq", x, v.number(0.0)), x, y)


def _arcsinh(w: Vectors, x: str) -> str:
    a = w.abs(x)
    return w.copysign(log(w, w.add(a, w.sqrt(w.fma(a, a, w.number(1.0))))), x)


def _arccosh(w: Vectors, x: str) -> str:
    y = log(w, w.add(x, w.sqrt(w.fma(x, x, w.number(-1.0)))))
    return w.select(w.compare("olt", x, w.number(1.0)), w.number(NAN), y)


def _arctanh(w: Vectors, x: str) -> str:
    quotient = w.div(w.add(x, w.number(1.0)), w.sub(w.number(1.0), x))
    return w.mul(log(w, quotient), w.number(0.5))


def _arctan(w: Vectors, x: str) -> str:
    return w.copysign(arctan_ratio(w, w.abs(x), w.number(1.0)), x)


def _one_minus_square(w: Vectors, x: str) -> str:
    return w.sqrt(w.mul(w.sub(w.number(1.0), x), w.add(x, w.number(1.0))))


def _arcsin(w: Vectors, x: str) -> str:
    return w.copysign(arctan_ratio(w, w.abs(x), _one_minus_square(w, x)), x)


def _arccos(w: Vectors, x: str) -> str:
    angle = arctan_ratio(w, _one_minus_square(w, x), w.abs(x))
    left = w.compare("olt", x, w.number(0.0))
    return w.select(left, w.sub(w.number(math.pi), angle), angle)


def _arctan2(w: Vectors, y: str, x: str) -> str:
    angle = arctan_ratio(w, w.abs(y), w.abs(x))
    left = w.iop("icmp slt", w.to_bits(x), 0)  # -0.0 too
    angle = w.copysign(w.select(left, w.sub(w.number(math.pi), angle), angle), y)
    return w.select(w.compare("uno", x, y), w.add(x, y), angle)


def _hypot(w: Vectors, x: str, y: str) -> str:
    length = w.sqrt(w.fma(x, x, w.mul(y, y)))
    infinite = w.logic("or", *(w.compare("oeq", w.abs(side), w.number(INF)) for side in (x, y)))  # even beside a NaN
    return w.select(infinite, w.number(INF), length)


def _pow(w: Vectors, x: str, y: str) -> str:
    """|x|^y by logarithms, then the rest."""
    zero, one = w.number(0.0), w.number(1.0)
    a = w.abs(x)
    z = w.mul(log(w, a), y)
    power = exp(w, z)
    power = w.select(w.compare("olt", z, w.number(-600.0)), zero, power)
    power = w.select(w.compare("ogt", z, w.number(600.0)), w.number(INF), power)
    power = w.select(w.compare("oeq", a, one), w.select(w.compare("uno", y, y), y, one), power)
    return power_of(w, (x, a), y, power)


def power_of(w: Vectors, base: tuple[str, str], y: str, power: str) -> str:
    """x^y, given x, |x| and |x|^y: the sign, and the cases of IEEE 754-2019, 9.2.1."""
    (x, a), zero, one = base, w.number(0.0), w.number(1.0)
    half = w.mul(y, w.number(0.5))
    whole = w.compare("oeq", rounded(w, "trunc", y), y)
    halfway = w.compare("one", rounded(w, "trunc", half), half)
    odd = w.logic("and", whole, halfway)
    power = w.select(odd, w.copysign(power, x), power)
    negative = w.logic("and", w.compare("olt", x, zero), w.compare("one", a, w.number(INF)))
    broken = w.logic("and", negative, w.logic("xor", whole, "true" if w.lanes == 1 else "splat (i1 true)"))
    power = w.select(broken, w.number(NAN), power)
    certain = w.logic("or", w.compare("oeq", y, zero), w.compare("oeq", x, one))  # even beside a NaN
    return w.select(certain, one, power)


def erfinv(w: Vectors, x: str) -> str:
    """The inverse of erf to eight digits, for |x| <= 1 - 2^-24."""
    t = w.neg(log(w, w.mul(w.sub(w.number(1.0), x), w.add(x, w.number(1.0)))))
    centre = w.poly(w.sub(t, w.number(2.5)), ERFINV_CENTRE)
    tail = w.poly(w.sub(w.sqrt(w.at_least(t, w.number(0.0))), w.number(3.0)), ERFINV_TAIL)
    y = w.mul(w.select(w.compare("ogt", t, w.number(5.0)), tail, centre), x)
    edge = w.compare("oeq", w.abs(x), w.number(1.0))
    return w.select(edge, w.mul(x, w.number(INF)), y)


def library(name: str) -> Rule:
    """A function of the C library, lane by lane."""

    def rule(w: Vectors, *args: str) -> str:
        return w.per_lane(name, *args)

    return rule


BOTH: dict[str, Rule] = {
    "cbrt": cbrt,
    "gammaln": library("lgamma"),
}
"""Rules in float64, for any argument; those of float32 go through them."""
SINGLE: dict[str, Rule] = {
    "tan": _tan_single,
    "sinh": through(_near_zero(_sinh, 1 / 6, 2.0**-10)),
    "cosh": through(_cosh),
    "arcsinh": through(_near_zero(_arcsinh, -1 / 6, 2.0**-10)),
    "arccosh": through(_arccosh),
    "arctanh": through(_near_zero(_arctanh, 1 / 3, 2.0**-10)),
    "arctan": through(_arctan),
    "arcsin": through(_arcsin),
    "arccos": through(_arccos),
    "arctan2": through(_arctan2),
    "hypot": through(_hypot),
    "pow": through(_pow),
    "erfinv": through(erfinv),
    **{name: through(rule) for name, rule in BOTH.items()},
}
