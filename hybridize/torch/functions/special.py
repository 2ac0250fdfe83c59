# SPDX-License-Identifier: Apache-2.0
"""Functions of real numbers, of torch's own names and of torch.special's: integers become floats."""

from __future__ import annotations

import math
from collections.abc import Callable

import torch

from hybridize import ops
from hybridize.base.dtypes import bfloat16, float16, float32
from hybridize.base.errors import CaptureError
from hybridize.formats.torch_export.registry import operand
from hybridize.ops import Operand, type_of
from hybridize.torch.functions.rules import aten, float_operand, kind
from hybridize.torch.functions.table import computes


def _of_reals(name: str, *others: str, by: str | None = None) -> None:
    names = [name, *others]
    if name.rpartition(".")[0] == "" and hasattr(torch.special, name):
        names.append(f"special.{name}")

    @computes(*names)
    def entry(input: Operand) -> Operand:
        return aten(f"{by or name}.default", kind(float_operand(input), type_of(input).shape), input)


for _name in ("tanh", "exp", "log", "log1p", "log2", "log10", "expm1", "sqrt", "rsqrt", "sin", "cos", "tan", "sinh",
              "cosh", "erf", "erfc", "erfinv", "exp2", "reciprocal", "sinc"):  # fmt: skip
    _of_reals(_name)
for _name in ("asin", "acos", "atan", "asinh", "acosh", "atanh"):
    _of_reals(_name, f"arc{_name[1:]}")
_of_reals("sigmoid", "special.expit")
_of_reals("lgamma", "special.gammaln")
_of_reals("digamma", "special.psi")
_of_reals("special.entr", by="special_entr")


@computes("logit", "special.logit")
def _logit(input: Operand, eps: float | None = None) -> Operand:
    return aten("logit.default", kind(float_operand(input), type_of(input).shape), input, eps)


def _in_floats(input: Operand, function: Callable[[Operand], Operand]) -> Operand:
    """Return a function of real numbers; short floats are computed in float32 and rounded once."""
    of = kind(float_operand(input), type_of(input).shape)
    wide = float32 if of.dtype in (float16, bfloat16) else of.dtype
    return ops.cast(function(operand(input, wide, of.shape)), of.dtype)


@computes("special.ndtr")
def _ndtr(input: Operand) -> Operand:
    """The share of the standard normal distribution that is below: by erfc, which keeps small ones exact."""

    def function(x: Operand) -> Operand:
        angle = ops.mul(x, ops.like(-math.sqrt(0.5), x))
        return ops.mul(ops.like(0.5, x), aten("erfc.default", type_of(x), angle))

    return _in_floats(input, function)


@computes("special.ndtri")
def _ndtri(input: Operand) -> Operand:
    def function(x: Operand) -> Operand:
        centred = ops.sub(ops.mul(ops.like(2, x), x), ops.like(1, x))
        return ops.mul(ops.like(math.sqrt(2), x), ops.erfinv(centred))

    return _in_floats(input, function)


@computes("mvlgamma", "special.multigammaln")
def _mvlgamma(input: Operand, p: int) -> Operand:
    """The logarithm of the gamma function of p dimensions: a sum of those of one."""

    def function(x: Operand) -> Operand:
        total = ops.like(p * (p - 1) / 4 * math.log(math.pi), x)
        for number in range(p):
            total = ops.add(total, ops.gammaln(ops.sub(x, ops.like(number / 2, x))))
        return total

    return _in_floats(input, function)


def _digamma(n: int, input: Operand) -> Operand:
    if n:
        raise CaptureError(
            "E422",
            f"the polygamma function of order {n} cannot be compiled",
            help="polygamma(0, x), or keep it outside",
        )
    return aten("digamma.default", kind(float_operand(input), type_of(input).shape), input)


@computes("torch.polygamma", "special.polygamma")
def _polygamma(n: int, input: Operand) -> Operand:
    return _digamma(n, input)


@computes("Tensor.polygamma", "polygamma_")
def _polygamma_of(input: Operand, n: int) -> Operand:
    return _digamma(n, input)


@computes("angle")
def _angle(input: Operand) -> Operand:
    """Pi of what is negative, 0 of the rest; NaN of NaN."""

    def function(x: Operand) -> Operand:
        turned = ops.where(ops.lt(x, ops.like(0, x)), ops.like(math.pi, x), ops.like(0, x))
        return ops.where(ops.isnan(x), x, turned)

    return _in_floats(input, function)
