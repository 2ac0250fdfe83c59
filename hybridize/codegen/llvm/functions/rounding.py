# SPDX-License-Identifier: Apache-2.0
"""floor, ceil, trunc and rint of vectors of floats, also where they are not instructions (x86-64 before SSE4.1).

LLVM then calls the C library for each element. Here the adder rounds: a float of 2^mantissa or more is an integer, so
adding that number and taking it away leaves the nearest one.
"""

from __future__ import annotations

from hybridize.codegen.llvm.functions.vectors import Vectors

ROUNDINGS = ("floor", "ceil", "trunc", "rint")


def rounded(v: Vectors, function: str, x: str) -> str:
    """`x` rounded by one of `ROUNDINGS`; zeros keep their sign, NaN and infinity stay."""
    if v.target.rounds:
        return v.intrinsic(function, x)
    size, limit, one = v.abs(x), v.number(2.0**v.mantissa), v.number(1.0)
    nearest = v.sub(v.add(size, limit), limit)
    if function == "trunc":
        nearest = v.select(v.compare("ogt", nearest, size), v.sub(nearest, one), nearest)
    result = v.copysign(nearest, x)
    if function == "floor":
        result = v.select(v.compare("ogt", result, x), v.sub(result, one), result)
    if function == "ceil":
        # From -1 up to 0 the sum is 0, which must be a negative one.
        result = v.select(v.compare("olt", result, x), v.copysign(v.add(result, one), x), result)
    return v.select(v.compare("olt", size, limit), result, x)
