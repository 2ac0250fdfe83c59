# SPDX-License-Identifier: Apache-2.0
"""The complementary error function, exact in parts of itself where it is small."""

from __future__ import annotations

import math
from typing import Final

from hybridize.base.dtypes import bfloat16, float32, float64
from hybridize.ops.analysis import erf, exp
from hybridize.ops.arithmetic import add, div, ge, max, min, mul, neg, sub, where
from hybridize.ops.custom import CustomGradient
from hybridize.ops.op import Operand, bind, capturing, type_of
from hybridize.ops.tracing import make_graph
from hybridize.ops.views import cast, like, wide

_SHORT: Final = (
    0.28209478757089007, 0.28209570629650843, 0.24680219150865546, 0.17666101682177196, 0.08233783241182614,
    -0.006487549518898107, -0.019610552659949765, -0.18506099691885308, 0.20417163535331115, -0.06307239226896291,
)  # fmt: skip
_LONG: Final = (
    0.2820947917738805, 0.28209479177226876, 0.2468329430480136, 0.1763092287762731, 0.0837474697272336,
    -0.004420737186555014, -0.05655202680830324, -0.055574092440758754, 0.013097294316734297, -0.05096367097013068,
    0.5111799856148217, -1.6034856722546322, 4.186197301482352, -8.739214783132727, 13.12897233185865,
    -13.84818704332237, 10.188152891213258, -5.114943815393572, 1.6579843817470088, -0.3068786756811786,
    0.02355703491952102,
)  # fmt: skip
"""erfc(x) exp(x^2) / t by powers of t = 2 / (2 + x) for x from 0.5 on, fitted at Chebyshev's points: errors of 5e-8 and
8e-15 of the whole."""


def erfc(x: Operand) -> Operand:
    """Return 1 - erf(x)."""
    kind = type_of(x)
    y = cast(x, wide(kind.dtype))
    if not capturing():
        return cast(_erfc(y), kind.dtype)
    inner = type_of(y)
    forward = make_graph(lambda x: [_erfc(x)], (inner,))
    backward = make_graph(lambda g, x: [_slope(g, x)], (inner, inner))
    return cast(bind(CustomGradient("erfc", forward, backward, 1, (0, 2), (0,)), y)[0], kind.dtype)


def _slope(g: Operand, x: Operand) -> Operand:
    return mul(g, mul(like(-2 / math.sqrt(math.pi), x), exp(neg(mul(x, x)))))


def _erfc(x: Operand) -> Operand:
    dtype = type_of(x).dtype
    far = min(max(x, like(0.5, x)), like(32, x))  # from where on it is 0
    t = div(like(2, x), add(far, like(2, x)))
    coefficients = _LONG if dtype == float64 else _SHORT
    total = like(coefficients[-1], x)
    for one in coefficients[-2::-1]:
        total = add(mul(total, t), like(one, x))
    # x^2 = high^2 + (x - high)(x + high), the first of which is exact: it may be large, and is an exponent
    high = cast(cast(far, float32 if dtype == float64 else bfloat16), dtype)
    rest = mul(sub(far, high), add(far, high))
    small = mul(mul(exp(neg(mul(high, high))), exp(neg(rest))), mul(t, total))
    return where(ge(x, like(0.5, x)), small, sub(like(1, x), erf(x)))
