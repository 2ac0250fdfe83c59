# SPDX-License-Identifier: Apache-2.0
"""Functions of real numbers, of torch's own names and of torch.special's: integers become floats."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable

import torch

from hybridize import ops
from hybridize.ops import Operand
from hybridize.ops.analysis import SMOOTH
from hybridize.ops.library.bessel import bessel_i0, bessel_i1, scaled_bessel_i0, scaled_bessel_i1
from hybridize.ops.library.errors import erfc, erfcx, log_ndtr
from hybridize.ops.library.gammas import polygamma
from hybridize.torch.functions.rules import expect, float_operand, in_floats
from hybridize.torch.functions.table import computes
from hybridize.torch.memory import dtype_of


def _of_reals(name: str, function: Callable[[Operand], Operand], *others: str) -> None:
    names = [name, *others]
    if name.rpartition(".")[0] == "" and hasattr(torch.special, name):
        names.append(f"special.{name}")

    @computes(*names)
    def entry(input: Operand) -> Operand:
        return function(ops.cast(input, dtype_of(float_operand(input))))


for _name in SMOOTH:
    if hasattr(torch, _name):
        _of_reals(_name, getattr(ops, _name), *([f"a{_name[3:]}"] if _name.startswith("arc") else []))
_of_reals("special.expit", ops.sigmoid)
_of_reals("erfc", erfc)
_of_reals("special.erfcx", erfcx)
_of_reals("special.log_ndtr", log_ndtr)
_of_reals("i0", bessel_i0)
_of_reals("special.i0e", scaled_bessel_i0)
_of_reals("special.i1", bessel_i1)
_of_reals("special.i1e", scaled_bessel_i1)
_of_reals("reciprocal", lambda x: ops.div(ops.like(1, x), x))
_of_reals("lgamma", ops.gammaln, "special.gammaln")
_of_reals("digamma", ops.digamma, "special.psi")


@computes("sinc", "special.sinc")
def _sinc(input: Operand) -> Operand:
    """sin(pi x) / (pi x), and 1 at 0, where its slope is 0."""

    def function(x: Operand) -> Operand:
        middle = ops.eq(x, ops.like(0, x))
        angle = ops.mul(ops.where(middle, ops.like(1, x), x), ops.like(math.pi, x))
        return ops.where(middle, ops.like(1, x), ops.div(ops.sin(angle), angle))

    return in_floats(function, input)


@computes("special.entr")
def _entr(input: Operand) -> Operand:
    """-x log x, 0 at 0, -infinity of what is negative."""

    def function(x: Operand) -> Operand:
        zero = ops.like(0, x)
        positive = ops.bit_or(ops.gt(x, zero), ops.isnan(x))
        inner = ops.where(positive, x, ops.like(1, x))
        apart = ops.where(ops.lt(x, zero), ops.like(-math.inf, x), zero)
        return ops.where(positive, ops.neg(ops.mul(inner, ops.log(inner))), apart)

    return in_floats(function, input)


@computes("logit", "special.logit")
def _logit(input: Operand, eps: float | None = None) -> Operand:
    """log(x / (1 - x)), of x between eps and 1 - eps where eps is given."""

    def function(x: Operand) -> Operand:
        if eps is not None:
            low, high = ops.like(eps, x), ops.like(1 - eps, x)
            x = ops.where(ops.lt(x, low), low, ops.where(ops.gt(x, high), high, x))
        return ops.sub(ops.log(x), ops.log1p(ops.neg(x)))

    return in_floats(function, input)


@computes("special.ndtr")
def _ndtr(input: Operand) -> Operand:
    """The share of the standard normal distribution that is below: by erfc, which keeps small ones exact."""

    def function(x: Operand) -> Operand:
        angle = ops.mul(x, ops.like(-math.sqrt(0.5), x))
        return ops.mul(ops.like(0.5, x), erfc(angle))

    return in_floats(function, input)


@computes("special.ndtri")
def _ndtri(input: Operand) -> Operand:
    def function(x: Operand) -> Operand:
        centred = ops.sub(ops.mul(ops.like(2, x), x), ops.like(1, x))
        return ops.mul(ops.like(math.sqrt(2), x), ops.erfinv(centred))

    return in_floats(function, input)


@computes("mvlgamma", "special.multigammaln")
def _mvlgamma(input: Operand, p: int) -> Operand:
    """The logarithm of the gamma function of p dimensions: a sum of those of one."""

    def function(x: Operand) -> Operand:
        total = ops.like(p * (p - 1) / 4 * math.log(math.pi), x)
        for number in range(p):
            total = ops.add(total, ops.gammaln(ops.sub(x, ops.like(number / 2, x))))
        return total

    return in_floats(function, input)


@computes("torch.polygamma", "special.polygamma")
def _polygamma(n: int, input: Operand) -> Operand:
    expect(n >= 0)
    return in_floats(functools.partial(polygamma, n), input)


@computes("Tensor.polygamma", "polygamma_")
def _polygamma_of(input: Operand, n: int) -> Operand:
    return _polygamma(n, input)


@computes("angle")
def _angle(input: Operand) -> Operand:
    """Pi of what is negative, 0 of the rest; NaN of NaN."""

    def function(x: Operand) -> Operand:
        turned = ops.where(ops.lt(x, ops.like(0, x)), ops.like(math.pi, x), ops.like(0, x))
        return ops.where(ops.isnan(x), x, turned)

    return in_floats(function, input)
