# SPDX-License-Identifier: Apache-2.0
"""Logarithms of sums of powers."""

from __future__ import annotations

import math

from hybridize.ops.analysis import exp2, log1p
from hybridize.ops.arithmetic import abs, add, eq, gt, mul, neg, sub, where
from hybridize.ops.composite import composite
from hybridize.ops.op import Operand, type_of
from hybridize.ops.views import cast, like, wide


@composite("logaddexp2")
def log_add_exp2(x: Operand, y: Operand) -> Operand:
    """Return log2(2^x + 2^y) of floats of one dtype, without overflow: the larger one, and what the other one adds."""
    dtype = type_of(x).dtype
    x, y = cast(x, wide(dtype)), cast(y, wide(dtype))
    half, same = like(0.5, x), eq(x, y)
    larger = where(same, add(mul(half, x), mul(half, y)), where(gt(x, y), x, y))  # at a tie both have half the gradient
    apart = where(same, like(0, x), sub(x, y))  # also of two infinities
    more = mul(log1p(exp2(neg(abs(apart)))), like(math.log2(math.e), x))
    return cast(add(larger, where(same, like(1, x), more)), dtype)
