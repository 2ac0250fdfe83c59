# SPDX-License-Identifier: Apache-2.0
"""Elementary functions over vectors: at most 2 ulp in float32, special values as in C.

    EMITTERS[function](f, args, dtype, lanes, target) -> register

The frequent ones (exp, log, tanh, ...) are written in float32 where they are used; the rare ones compute in float64
(`wide`) in a function of their own, once per module. For float64 itself see `float64`.
Half floats are float32 in registers.

Source: polynomials of Cephes (S. Moshier) for exp, log, sin, cos; of N. Juffa for erf; others fitted for this file.
"""

from __future__ import annotations

import functools
from collections.abc import Callable

from hybridize.base.dtypes import DType, float32
from hybridize.codegen.llvm.functions import float64 as double
from hybridize.codegen.llvm.functions import wide
from hybridize.codegen.llvm.functions.exponentials import LOG2E, Exponentials
from hybridize.codegen.llvm.functions.gamma import gamma, log_gamma
from hybridize.codegen.llvm.functions.templates import Template, template
from hybridize.codegen.llvm.functions.unaided import UNAIDED
from hybridize.codegen.llvm.functions.vectors import Vectors
from hybridize.codegen.llvm.text import Function
from hybridize.machine.target import Target

Rule = Callable[..., str]
Emitter = Callable[[Function, list[str], DType, int, Target], str]

LN2_HIGH, LN2_LOW = 0.693359375, -2.12194440054690583e-4
EXPONENTIALS = Exponentials(
    ln2=(LN2_HIGH, LN2_LOW),
    minus_one=(  # 2^-28 of e^r
        0.0013814320554956794, 0.00836885068565607, 0.041668400168418884, 0.1666651964187622, 0.4999999403953552,
    ),
    tangent=(
        -0.005704987328499556, 0.0206390880048275, -0.05373971536755562, 0.13331441581249237, -0.3333328068256378,
    ),
    least=-104.0, most=89.0, ends_of_two=(-151.0, 129.0), near=2.0**-25, lost=20.0, flat=10.0, full=18.0,
)  # fmt: skip
LOG = (
    7.0376836292e-2, -1.1514610310e-1, 1.1676998740e-1, -1.2420140846e-1, 1.4249322787e-1, -1.6668057665e-1,
    2.0000714765e-1, -2.4999993993e-1, 3.3333331174e-1,
)  # fmt: skip
SIN = (-1.9515295891e-4, 8.3321608736e-3, -1.6666654611e-1)
COS = (2.443315711809948e-5, -1.388731625493765e-3, 4.166664568298827e-2)
ERF_SMALL = (-5.96761703e-4, 4.99119423e-3, -2.67681349e-2, 1.12819925e-1, -3.76125336e-1, 1.28379166e-1)
ERF_LARGE = (-1.72853470e-5, 3.83197126e-4, -3.88396438e-3, 2.42546219e-2, -1.06777877e-1, -6.34846687e-1,
             -1.28717512e-1)  # fmt: skip
REDUCIBLE = 2.0**20
"""Up to here sin and cos reduce their argument by themselves; the C library does it beyond."""


# Logarithms


def _split(v: Vectors, x: str) -> tuple[str, str]:
    """The significand in [sqrt 1/2, sqrt 2) and the exponent as an integer, of normal positive x."""
    root_half = 0x3F3504F3
    moved = v.iop("sub", v.to_bits(x), v.integer(root_half))
    fraction = v.iop("add", v.iop("and", moved, v.integer(0x7FFFFF)), v.integer(root_half))
    return v.from_bits(fraction), v.iop("ashr", moved, v.integer(23))


def _log_parts(v: Vectors, x: str) -> tuple[str, str, str]:
    """f, log(1 + f) - f, and e, where x = (1 + f) 2^e; also of subnormal x."""
    small = v.compare("olt", x, v.number(2.0**-126))
    m, k = _split(v, v.select(small, v.mul(x, v.number(2.0**23)), x))
    e = v.sub(v.to_float(k), v.select(small, v.number(23.0), v.number(0.0)))
    f = v.sub(m, v.number(1.0))
    return f, _log_tail(v, f), e


def _log_tail(v: Vectors, f: str) -> str:
    """log(1 + f) - f."""
    z = v.mul(f, f)
    return v.mul(z, v.fma(f, v.poly(f, LOG), v.number(-0.5)))


def _log_specials(v: Vectors, x: str, y: str, pole: float) -> str:
    """-inf at the pole, NaN left of it, x itself for infinity and NaN."""
    infinity = v.number(float("inf"))
    y = v.select(v.compare("olt", x, infinity), y, x)
    y = v.select(v.compare("olt", x, v.number(pole)), v.number(float("nan")), y)
    return v.select(v.compare("oeq", x, v.number(pole)), v.number(float("-inf")), y)


def log(v: Vectors, x: str) -> str:
    """Natural logarithm."""
    f, tail, e = _log_parts(v, x)
    y = v.add(f, v.fma(e, v.number(LN2_LOW), tail))
    return _log_specials(v, x, v.fma(e, v.number(LN2_HIGH), y), 0.0)


def log2(v: Vectors, x: str) -> str:
    """Logarithm to base 2; exact for powers of two."""
    f, tail, e = _log_parts(v, x)
    excess = v.number(LOG2E - 1)
    y = v.add(v.fma(f, excess, v.mul(tail, excess)), tail)
    return _log_specials(v, x, v.add(v.add(y, f), e), 0.0)


def log10(v: Vectors, x: str) -> str:
    """Logarithm to base 10."""
    f, tail, e = _log_parts(v, x)
    y = v.mul(tail, v.number(7.00731903251827651129e-4))
    y = v.fma(f, v.number(7.00731903251827651129e-4), y)
    y = v.fma(e, v.number(2.48745663981195213739e-4), y)
    y = v.fma(tail, v.number(4.3359375e-1), y)
    y = v.fma(f, v.number(4.3359375e-1), y)
    return _log_specials(v, x, v.fma(e, v.number(3.0078125e-1), y), 0.0)


def log1p(v: Vectors, x: str) -> str:
    """log(1 + x): the rounding error of 1 + x is added to the reduced argument."""
    u = v.fixed(v.add(x, v.number(1.0)))
    lost = v.sub(x, v.sub(u, v.number(1.0)))
    m, k = _split(v, u)
    biased = v.iop("sub", v.integer(127), k)
    biased = v.choose(v.iop("icmp sgt", biased, 0), biased, v.integer(0))
    scale = v.from_bits(v.iop("shl", biased, v.integer(23)))
    f = v.fma(lost, scale, v.sub(m, v.number(1.0)))
    e = v.to_float(k)
    y = v.add(f, v.fma(e, v.number(LN2_LOW), _log_tail(v, f)))
    y = _log_specials(v, x, v.fma(e, v.number(LN2_HIGH), y), -1.0)
    return v.select(v.compare("oeq", x, v.number(0.0)), x, y)


def logaddexp(v: Vectors, x: str, y: str) -> str:
    """log(e^x + e^y)."""
    greater = v.select(v.compare("ogt", x, y), x, y)
    equal = v.compare("oeq", x, y)  # infinities of one sign too, whose difference is NaN
    gap = v.select(equal, v.number(0.0), v.neg(v.abs(v.sub(x, y))))
    result = v.add(greater, log1p(v, EXPONENTIALS.exp(v, gap)))
    return v.select(v.compare("uno", x, y), v.add(x, y), result)


# Others


def erf(v: Vectors, x: str) -> str:
    """The error function: a polynomial near 0, 1 - e^q(|x|) elsewhere."""
    t = v.at_most(v.abs(x), v.number(4.0))
    q = v.fma(v.poly(t, ERF_LARGE), t, v.neg(t))
    p, n, k = EXPONENTIALS.pieces(v, q)
    large = v.copysign(v.sub(v.number(1.0), v.scaled(v.add(p, v.number(1.0)), n, k)), x)
    small = v.fma(v.poly(v.mul(x, x), ERF_SMALL), x, x)
    return v.select(v.compare("ogt", t, v.number(0.927734375)), large, small)


def rsqrt(v: Vectors, x: str) -> str:
    """1 / sqrt(x)."""
    return v.div(v.number(1.0), v.sqrt(x))


def _sine(v: Vectors, r: str) -> str:
    z = v.mul(r, r)
    return v.fma(v.mul(v.poly(z, SIN), z), r, r)


def _cosine(v: Vectors, r: str) -> str:
    z = v.mul(r, r)
    return v.fma(v.poly(z, COS), v.mul(z, z), v.fma(z, v.number(-0.5), v.number(1.0)))


def _circular(v: Vectors, x: str, turn: int, library: str) -> str:
    """sin(x + turn * pi / 2); large arguments go to the C library."""
    f = v.f
    on_device = v.target.device is not None
    inside = x if on_device else v.at_most(v.at_least(x, v.number(-REDUCIBLE)), v.number(REDUCIBLE))
    w = v.wide()
    remainder, quadrant = wide.quarter_turns(w, v.widened(inside))
    r = v.narrowed(remainder)
    k = f.op(f"trunc {w.itype} {quadrant} to {v.itype}") if w.itype != v.itype else quadrant
    if turn:
        k = v.iop("add", k, v.integer(turn))
    odd = v.iop("icmp ne", v.iop("and", k, v.integer(1)), 0)
    sign = v.iop("shl", v.iop("and", k, v.integer(2)), v.integer(30))
    y = v.select(odd, _cosine(v, r), _sine(v, r))
    y = v.from_bits(v.iop("xor", v.to_bits(y), sign))
    if on_device:
        return y
    far = v.any(v.compare("one", x, inside))
    rare, after, start = f.fresh("rare"), f.fresh("after"), f.label
    f.branch(far, rare, after, begin=rare)
    exact = v.per_lane(library, x)
    end = f.label
    f.enter(after)
    return f.op(f"phi {v.type} [ {y}, %{start} ], [ {exact}, %{end} ]")


def sin(v: Vectors, x: str) -> str:
    """Sine."""
    y = _circular(v, x, 0, "sinf")
    return v.select(v.compare("oeq", x, v.number(0.0)), x, y)


def cos(v: Vectors, x: str) -> str:
    """Cosine."""
    return _circular(v, x, 1, "cosf")


INLINE: dict[str, Rule] = {
    "exp": EXPONENTIALS.exp, "exp2": EXPONENTIALS.exp2, "expm1": EXPONENTIALS.expm1, "tanh": EXPONENTIALS.tanh,
    "sigmoid": EXPONENTIALS.sigmoid, "log": log, "log2": log2, "log10": log10, "log1p": log1p, "erf": erf,
    "rsqrt": rsqrt,
}  # fmt: skip
"""Rules in float32 that are written where they are used."""

CALLED: dict[str, Rule] = {
    "sin": sin, "cos": cos, "logaddexp": logaddexp, "gamma": wide.through(gamma), **wide.SINGLE,
}  # fmt: skip
"""Rules in float32 with a function of their own."""


_UNAIDED: dict[str, Rule] = {"gammaln": wide.through(log_gamma)}


@functools.lru_cache(256)
def _template(name: str, arity: int, lanes: int, target: Target) -> Template | None:
    """The instructions of a rule that is written where it is used."""
    return template(lambda f, *args: INLINE[name](Vectors(f, float32, lanes, target), *args), arity)


def _apply(name: str, f: Function, args: list[str], dtype: DType, lanes: int, target: Target) -> str:
    v = Vectors(f, dtype, lanes, target)
    if dtype == float32 and name in INLINE:
        known = _template(name, len(args), lanes, target)
        return INLINE[name](v, *args) if known is None else known.write(f, args)
    rule = (CALLED if dtype == float32 else double.RULES)[name]
    if target.device is not None:  # it has no C library, and a call there would keep what it passes in memory
        return (_UNAIDED if dtype == float32 else UNAIDED).get(name, rule)(v, *args)
    callee = f"hy.{name}.{v.suffix}"
    if callee not in f.module.functions:
        params = [(v.type, f"x{number}") for number in range(len(args))]
        body = Function(f.module, callee, params, returns=v.type, attributes="nounwind")
        body.do(f"ret {v.type} {rule(Vectors(body, dtype, lanes, target), *(f'%{name}' for _, name in params))}")
    return f.op(f"call {v.type} @{callee}({', '.join(f'{v.type} {arg}' for arg in args)})")


def _emitter(name: str) -> Emitter:
    def emit(f: Function, args: list[str], dtype: DType, lanes: int, target: Target) -> str:
        return _apply(name, f, args, dtype, lanes, target)

    return emit


EMITTERS: dict[str, Emitter] = {name: _emitter(name) for name in sorted({*INLINE, *CALLED})}
"""Float functions that are not instructions: `(f, args, dtype, lanes, target)` -> the register of the result."""
