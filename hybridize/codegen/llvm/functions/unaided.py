# SPDX-License-Identifier: Apache-2.0
"""The rarer functions of float64 where there is no C library to ask, for one lane, below 2 ulp.

Most are made of logarithms, exponentials, roots and quotients of sums of two floats (`pairs`), so that formulas which
cancel or magnify an error stay plain. Angles are in `circular`. Source of special cases: C23, annex F.10.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable

from hybridize.codegen.llvm.functions import circular, pairs, wide
from hybridize.codegen.llvm.functions import float64 as double
from hybridize.codegen.llvm.functions.gamma import log_gamma
from hybridize.codegen.llvm.functions.pairs import Pair, added, chosen, minus, multiplied, numbers, over, plus, times
from hybridize.codegen.llvm.functions.vectors import Vectors

Rule = Callable[..., str]

INF, NAN = math.inf, math.nan
PI, HALF_PI = (math.pi, 1.2246467991473532e-16), (math.pi / 2, 6.123233995736766e-17)
QUARTER_PI = (math.pi / 4, 3.061616997868383e-17)
LN2 = (0.6931471805599453, 2.3190468138462996e-17)
OF_BASE = {"log2": (1.4426950408889634, 2.0355273740931033e-17), "log10": (0.4342944819032518, 1.098319650216765e-17)}
"""1 / ln 2 and 1 / ln 10."""
# (arctan(r) / r - 1) / r^2 as a function of r^2 up to tan(pi/8)^2; Chebyshev, 2^-64.
ARCTAN = (
    -0.01391822929102443, 0.030635704112969498, -0.04104436265755082, 0.04719395030027433, -0.05258041554297779,
    0.058819252531928636, -0.06666642020055166, 0.07692306736000173, -0.0909090906700999, 0.11111111110754729,
    -0.14285714285711518, 0.19999999999999993, -0.3333333333333333,
)  # fmt: skip
# (erf(x) / x - 2 / sqrt(pi)) / x^2 as a function of x^2 below 1; Chebyshev, 2^-78.
ERF = (
    -1.7988652209572032e-14, 4.1558617352790287e-13, -6.652074187842492e-12, 9.41507214265476e-11,
    -1.2289855746585177e-09, 1.4807147150533316e-08, -1.636584253801154e-07, 1.6462114292902008e-06,
    -1.4925650356656707e-05, 0.0001205533298176089, -0.0008548327023450544, 0.005223977625442186,
    -0.026866170645131252, 0.11283791670955126, -0.37612638903183754,
)  # fmt: skip
TWO_OVER_ROOT_PI = (1.1283791670955126, 1.533545961316588e-17)
# erfc(x) e^(x^2) as a function of (x - 2) / (x + 2) for x from 0.45 to 6.6; Chebyshev, 2^-66.
ERFC = (
    -4.892826308005607e-09, 7.75340728820586e-09, 6.404974054154689e-08, 7.411208691059658e-08,
    -1.305450936043976e-07, -5.044306101152176e-07, -4.163504773280981e-07, 1.1934265406090523e-06,
    3.7506208002515063e-06, 1.3936215477979137e-06, -1.3961644637292872e-05, -2.758043116344809e-05,
    2.7524877687730494e-05, 0.0001743612314984391, 4.355563510497798e-05, -0.0009819770301009363,
    -0.0008471432519389651, 0.006997461739291161, 0.0037328924043438794, -0.0789785810157331, 0.24165819424246637,
    -0.4271858474139584, 0.25539567631050575,
)  # fmt: skip
SINH = tuple(1 / math.factorial(2 * k + 1) for k in range(9, 0, -1))


def _single(w: Vectors, x: str) -> Pair:
    return x, w.number(0.0)


# Logarithms


def _logarithm(w: Vectors, x: str, base: str) -> str:
    y = w.add(*times(w, pairs.log(w, _single(w, x)), numbers(w, OF_BASE[base])))
    return _log_specials(w, x, y, 0.0)


def _log_specials(w: Vectors, x: str, y: str, pole: float) -> str:
    """The values of a logarithm beyond the numbers that it is for."""
    y = w.select(w.compare("olt", x, w.number(INF)), y, x)
    y = w.select(w.compare("olt", x, w.number(pole)), w.number(NAN), y)
    return w.select(w.compare("oeq", x, w.number(pole)), w.number(-INF), y)


def _log_of_more(w: Vectors, x: Pair) -> Pair:
    """log(1 + x) for x >= -1 / 2."""
    return pairs.log(w, plus(w, _single(w, w.number(1.0)), x))


def log1p(w: Vectors, x: str) -> str:
    """log(1 + x)."""
    y = _log_specials(w, x, w.add(*pairs.log(w, added(w, w.number(1.0), x))), -1.0)
    return w.select(w.compare("olt", w.abs(x), w.number(2.0**-54)), x, y)


def logaddexp(w: Vectors, x: str, y: str) -> str:
    """log(e^x + e^y)."""
    greater = w.select(w.compare("ogt", x, y), x, y)
    equal = w.compare("oeq", x, y)
    gap = w.select(equal, w.number(0.0), w.neg(w.abs(w.sub(x, y))))
    result = w.add(greater, log1p(w, double.EXPONENTIALS.exp(w, gap)))
    return w.select(w.compare("uno", x, y), w.add(x, y), result)


def arcsinh(w: Vectors, x: str) -> str:
    """log(1 + a + a^2 / (1 + sqrt(1 + a^2))) of a = |x|."""
    a = w.abs(x)
    large = w.compare("ogt", a, w.number(2.0**500))
    inside = w.select(large, w.number(1.0), a)
    square = multiplied(w, inside, inside)
    one = _single(w, w.number(1.0))
    more = over(w, square, plus(w, one, pairs.root(w, plus(w, one, square))))
    near = _log_of_more(w, plus(w, _single(w, inside), more))
    y = w.add(*chosen(w, large, _log_of_double(w, w.select(large, a, w.number(1.0))), near))
    y = w.select(w.compare("olt", a, w.number(2.0**-30)), w.fma(w.mul(a, w.mul(a, a)), w.number(-1 / 6), a), y)
    return w.copysign(w.select(w.compare("olt", a, w.number(INF)), y, a), x)


def _log_of_double(w: Vectors, x: str) -> Pair:
    return plus(w, pairs.log(w, _single(w, x)), numbers(w, LN2))


def arccosh(w: Vectors, x: str) -> str:
    """log(1 + t + sqrt(t (x + 1))) of t = x - 1."""
    large = w.compare("ogt", x, w.number(2.0**500))
    inside = w.select(w.compare("oge", x, w.number(1.0)), w.select(large, w.number(1.0), x), w.number(1.0))
    less = added(w, inside, w.number(-1.0))
    root = pairs.root(w, times(w, less, added(w, inside, w.number(1.0))))
    near = _log_of_more(w, plus(w, root, less))
    y = w.add(*chosen(w, large, _log_of_double(w, w.select(large, x, w.number(1.0))), near))
    y = w.select(w.compare("olt", x, w.number(1.0)), w.number(NAN), y)
    return w.select(w.compare("olt", x, w.number(INF)), y, x)


def arctanh(w: Vectors, x: str) -> str:
    """log(1 + 2 a / (1 - a)) / 2 of a = |x|."""
    a = w.abs(x)
    inside = w.select(w.compare("olt", a, w.number(1.0)), a, w.number(0.0))
    more = over(w, _single(w, w.add(inside, inside)), added(w, w.number(1.0), w.neg(inside)))
    y = w.mul(w.add(*_log_of_more(w, more)), w.number(0.5))
    y = w.select(w.compare("olt", a, w.number(2.0**-30)), w.fma(w.mul(a, w.mul(a, a)), w.number(1 / 3), a), y)
    y = w.select(w.compare("oeq", a, w.number(1.0)), w.number(INF), y)
    y = w.copysign(w.select(w.compare("ole", a, w.number(1.0)), y, w.number(NAN)), x)
    return w.select(w.compare("uno", x, x), x, y)


# Powers


def power(w: Vectors, x: str, y: str) -> str:
    """|x|^y by logarithms, then the sign and the special cases."""
    a = w.abs(x)
    some = w.logic("and", w.compare("ogt", a, w.number(0.0)), w.compare("olt", a, w.number(INF)))
    exponent = w.at_most(w.at_least(y, w.number(-(2.0**75))), w.number(2.0**75))
    z = times(w, pairs.log(w, _single(w, w.select(some, a, w.number(1.0)))), _single(w, exponent))
    beyond = w.compare("ogt", w.abs(z[0]), w.number(800.0))
    limit = w.copysign(w.number(800.0), z[0])
    e, n, k = pairs.exp(w, chosen(w, beyond, _single(w, limit), z))
    result = w.scaled(w.add(*e), n, k)
    rising = w.logic("xor", w.compare("olt", a, w.number(1.0)), w.compare("ogt", y, w.number(0.0)))
    edge = w.select(rising, w.number(INF), w.number(0.0))
    result = w.select(w.compare("uno", x, y), w.add(x, y), w.select(some, result, edge))
    return wide.power_of(w, (x, a), y, result)


def hypot(w: Vectors, x: str, y: str) -> str:
    """The root of x^2 + y^2, both divided by a power of two near the greater."""
    a, b = w.abs(x), w.abs(y)
    more = w.compare("ogt", a, b)
    greater = w.select(more, a, b)
    bits = w.iop("and", w.to_bits(greater), 0x7FF << 52)
    # 2^-k for a greater one of 2^k; its halves keep both factors normal.
    k = w.to_float(w.iop("sub", w.iop("lshr", bits, 52), 1023))
    k = w.at_most(w.at_least(k, w.number(-1022.0)), w.number(1000.0))
    whole = w.f.op(f"fptosi double {k} to i64")
    down = w.iop("sub", w.integer(0), whole)
    sides = [w.scaled(one, k, down) for one in (a, b)]
    length = pairs.root(w, plus(w, *(multiplied(w, one, one) for one in sides)))
    y = w.scaled(w.add(*length), k, whole)
    infinite = w.logic("or", *(w.compare("oeq", side, w.number(INF)) for side in (a, b)))
    return w.select(infinite, w.number(INF), y)


def _two_powers(w: Vectors, x: str) -> tuple[Pair, Pair, str, str]:
    """e^|x| / 2^n and e^-|x| / 2^n, n as a float and as an integer."""
    a = w.at_most(w.abs(x), w.number(720.0))
    e, n, k = pairs.exp(w, _single(w, a))
    inverse = over(w, _single(w, w.number(1.0)), e)
    few = w.compare("olt", n, w.number(100.0))
    halving = w.power_of_two(w.choose(few, w.iop("mul", k, -2), w.integer(-200)))
    return e, (w.mul(inverse[0], halving), w.mul(inverse[1], halving)), n, k


def sinh(w: Vectors, x: str) -> str:
    """(e^x - e^-x) / 2, by its series near 0."""
    e, inverse, n, k = _two_powers(w, x)
    y = w.scaled(w.mul(w.add(*plus(w, e, minus(w, inverse))), w.number(0.5)), n, k)
    a = w.abs(x)
    z = w.mul(a, a)
    y = w.select(w.compare("olt", a, w.number(0.5)), w.fma(w.mul(w.poly(z, SINH), z), a, a), y)
    return w.copysign(w.select(w.compare("olt", a, w.number(INF)), y, a), x)


def cosh(w: Vectors, x: str) -> str:
    """(e^x + e^-x) / 2."""
    e, inverse, n, k = _two_powers(w, x)
    y = w.scaled(w.mul(w.add(*plus(w, e, inverse)), w.number(0.5)), n, k)
    return w.select(w.compare("uno", x, x), x, y)


# Inverse circular functions


def _arctan_ratio(w: Vectors, y: Pair, x: Pair) -> Pair:
    """arctan(y / x) for y, x >= 0, in [0, pi/2]; 0 where both are 0, pi/4 where both are infinite."""
    steep = w.compare("ogt", y[0], x[0])
    low, high = chosen(w, steep, x, y), chosen(w, steep, y, x)
    one = _single(w, w.number(1.0))
    infinite, nothing = w.compare("oeq", high[0], w.number(INF)), w.compare("oeq", high[0], w.number(0.0))
    both = w.select(w.compare("oeq", low[0], w.number(INF)), w.number(1.0), w.number(0.0))
    low = chosen(w, infinite, _single(w, both), low)
    high = chosen(w, w.logic("or", infinite, nothing), one, high)
    # So that sums are finite, and quotients have all their digits.
    large = w.select(w.compare("ogt", high[0], w.number(2.0**900)), w.number(0.25), w.number(1.0))
    scale = w.select(w.compare("olt", high[0], w.number(2.0**-900)), w.number(2.0**120), large)
    low, high = ((w.mul(a, scale), w.mul(b, scale)) for a, b in (low, high))
    # (t - 1) / (t + 1) of t = low / high is (low - high) / (low + high).
    shifted = w.compare("ogt", low[0], w.mul(high[0], w.number(math.tan(math.pi / 8))))
    above = chosen(w, shifted, plus(w, low, minus(w, high)), low)
    below = chosen(w, shifted, plus(w, low, high), high)
    t = over(w, above, below)
    z = w.mul(t[0], t[0])
    rest = w.fma(w.mul(w.poly(z, ARCTAN), z), t[0], w.mul(t[1], w.sub(w.number(1.0), z)))
    angle = pairs.settled(w, t[0], rest)
    angle = chosen(w, shifted, plus(w, numbers(w, QUARTER_PI), angle), angle)
    return chosen(w, steep, plus(w, numbers(w, HALF_PI), minus(w, angle)), angle)


def _one_minus_square(w: Vectors, x: str) -> Pair:
    """sqrt(1 - x^2)."""
    one = w.number(1.0)
    return pairs.root(w, times(w, added(w, one, w.neg(x)), added(w, one, x)))


def _within_one(w: Vectors, x: str, y: str) -> str:
    return w.select(w.compare("ole", w.abs(x), w.number(1.0)), y, w.number(NAN))


def _inside(w: Vectors, x: str) -> str:
    """|x| where an angle has it for sine."""
    return w.at_most(w.abs(x), w.number(1.0))


def arctan(w: Vectors, x: str) -> str:
    """Inverse tangent."""
    y = w.add(*_arctan_ratio(w, _single(w, w.abs(x)), _single(w, w.number(1.0))))
    return w.copysign(w.select(w.compare("uno", x, x), x, y), x)


def arctan2(w: Vectors, y: str, x: str) -> str:
    """The angle of (x, y)."""
    angle = _arctan_ratio(w, _single(w, w.abs(y)), _single(w, w.abs(x)))
    left = w.iop("icmp slt", w.to_bits(x), 0)  # -0.0 too
    angle = chosen(w, left, plus(w, numbers(w, PI), minus(w, angle)), angle)
    return w.select(w.compare("uno", x, y), w.add(x, y), w.copysign(w.add(*angle), y))


def arcsin(w: Vectors, x: str) -> str:
    """Inverse sine."""
    a = _inside(w, x)
    y = w.add(*_arctan_ratio(w, _single(w, a), _one_minus_square(w, a)))
    y = w.select(w.compare("olt", a, w.number(2.0**-30)), a, y)
    return _within_one(w, x, w.copysign(y, x))


def arccos(w: Vectors, x: str) -> str:
    """Inverse cosine."""
    a = _inside(w, x)
    angle = _arctan_ratio(w, _one_minus_square(w, a), _single(w, a))
    left = w.compare("olt", x, w.number(0.0))
    return _within_one(w, x, w.add(*chosen(w, left, plus(w, numbers(w, PI), minus(w, angle)), angle)))


# The error function


def _erf_near(w: Vectors, x: str) -> Pair:
    """erf(x) for |x| < 1."""
    z = w.mul(x, x)
    line = times(w, _single(w, x), numbers(w, TWO_OVER_ROOT_PI))
    return plus(w, line, _single(w, w.mul(w.mul(w.poly(z, ERF), z), x)))


def _erfc_far(w: Vectors, x: str) -> Pair:
    """1 - erf(x) for x from 0.45 on; what is beyond 6.6 counts as 6.6."""
    a = w.at_most(x, w.number(6.6))
    t = over(w, added(w, a, w.number(-2.0)), added(w, a, w.number(2.0)))
    e, n, k = pairs.exp(w, minus(w, multiplied(w, a, a)))
    # The last step of Horner's rule by pairs: what is lost there would be lost of the whole.
    slope = w.poly(t[0], ERFC[:-1])
    line, lost = multiplied(w, t[0], slope)
    total, rest = added(w, w.number(ERFC[-1]), line)
    whole = times(w, e, (total, w.add(rest, w.fma(t[1], slope, lost))))
    return w.scaled(whole[0], n, k), w.scaled(whole[1], n, k)


def erf(w: Vectors, x: str) -> str:
    """The error function."""
    a = w.abs(x)
    far = plus(w, _single(w, w.number(1.0)), minus(w, _erfc_far(w, a)))
    small = w.compare("olt", a, w.number(1.0))
    near = _erf_near(w, w.select(small, x, w.number(0.0)))
    y = w.select(small, w.abs(w.add(*near)), w.add(*far))
    return w.copysign(w.select(w.compare("uno", x, x), x, y), x)


def _above(w: Vectors, y: str, a: str) -> str:
    """erf(y) - a for y < 1."""
    whole, rest = _erf_near(w, y)
    return w.add(w.sub(whole, a), rest)


def _below(w: Vectors, y: str, rest: str) -> str:
    """rest - erfc(y) for y from 0.45 on."""
    whole, more = _erfc_far(w, y)
    return w.sub(w.sub(rest, whole), more)


def erfinv(w: Vectors, x: str) -> str:
    """The inverse of the error function."""
    return double.inverse_of_erf(w, x, log=double.log, near=_above, far=_below)


UNAIDED: dict[str, Rule] = {
    "log2": functools.partial(_logarithm, base="log2"), "log10": functools.partial(_logarithm, base="log10"),
    "log1p": log1p, "logaddexp": logaddexp, "arcsinh": arcsinh, "arccosh": arccosh, "arctanh": arctanh, "pow": power,
    "hypot": hypot, "sinh": sinh, "cosh": cosh, "arctan": arctan, "arctan2": arctan2, "arcsin": arcsin,
    "arccos": arccos, "erf": erf, "erfinv": erfinv, "gammaln": log_gamma, "sin": circular.sin, "cos": circular.cos,
    "tan": circular.tan,
}  # fmt: skip
"""Rules for the functions that a processor asks the C library for."""
