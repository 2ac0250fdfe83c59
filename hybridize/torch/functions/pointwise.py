# SPDX-License-Identifier: Apache-2.0
"""Functions of torch that go element by element."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from hybridize import ops
from hybridize.formats.torch_export.registry import operand
from hybridize.ops import Operand, type_of
from hybridize.torch.functions.rules import as_float, aten, common, float_operand, kind, shape_of, torch_dtype
from hybridize.torch.functions.table import computes


def _of_reals(name: str, aten_name: str) -> None:
    @computes(name)
    def entry(input: Operand) -> Operand:
        return aten(aten_name, kind(float_operand(input), type_of(input).shape), input)


for _name in ("tanh", "sigmoid", "exp", "log", "log1p", "log2", "log10", "expm1", "sqrt", "rsqrt", "sin", "cos", "tan",
              "asin", "acos", "atan", "sinh", "cosh", "asinh", "acosh", "atanh", "erf", "erfc", "erfinv", "exp2",
              "reciprocal", "lgamma", "digamma"):  # fmt: skip
    _of_reals(_name, f"{_name}.default")


def _same_type(name: str, aten_name: str) -> None:
    @computes(name)
    def entry(input: Operand, inplace: bool = False) -> Operand:
        return aten(aten_name, type_of(input), input)


for _name in ("abs", "neg", "floor", "ceil", "trunc", "sign", "bitwise_not", "relu"):
    _same_type(_name, f"{_name}.default")


def _of_two(*names: str, by: str, real: bool = False) -> None:
    @computes(*names)
    def entry(input: Any, other: Any) -> Operand:
        dtype = common(input, other)
        return aten(by, kind(as_float(dtype) if real else dtype, shape_of(input, other)), input, other)


_of_two("mul", "multiply", by="mul.Tensor")
_of_two("minimum", by="minimum.default")
_of_two("maximum", by="maximum.default")
_of_two("remainder", by="remainder.Tensor")
_of_two("fmod", by="fmod.Tensor")
_of_two("atan2", "arctan2", by="atan2.default", real=True)


def _with_factor(name: str, *others: str) -> Callable[..., Operand]:
    @computes(name, *others)
    def entry(input: Any, other: Any, *, alpha: Any = 1) -> Operand:
        result = kind(common(input, other), shape_of(input, other))
        return aten(f"{name}.Tensor", result, input, other, alpha=alpha)

    return entry


_with_factor("add")
_with_factor("sub", "subtract")


@computes("div", "divide", "true_divide")
def _div(input: Any, other: Any, *, rounding_mode: str | None = None) -> Operand:
    dtype = common(input, other)
    if rounding_mode is None:
        return aten("div.Tensor", kind(as_float(dtype), shape_of(input, other)), input, other)
    return aten("div.Tensor_mode", kind(dtype, shape_of(input, other)), input, other, rounding_mode=rounding_mode)


@computes("floor_divide")
def _floor_divide(input: Any, other: Any) -> Operand:
    return _div(input, other, rounding_mode="floor")


@computes("pow", "float_power")
def _pow(input: Any, exponent: Any) -> Operand:
    return aten("pow.Tensor_Tensor", kind(common(input, exponent), shape_of(input, exponent)), input, exponent)


def _comparison(*names: str, by: str) -> None:
    @computes(*names)
    def entry(input: Any, other: Any) -> Operand:
        dtype, shape = kind(common(input, other), ()).dtype, shape_of(input, other)
        return aten(f"{by}.Tensor", kind(torch.bool, shape), operand(input, dtype, shape), operand(other, dtype, shape))


for _names in (
    ("eq",),
    ("ne", "not_equal"),
    ("lt", "less"),
    ("le", "less_equal"),
    ("gt", "greater"),
    ("ge", "greater_equal"),
):
    _comparison(*_names, by=_names[0])


@computes("where")
def _where(condition: Operand, input: Any, other: Any) -> Operand:
    result = kind(common(input, other), shape_of(condition, input, other))
    return aten("where.self", result, condition, input, other)


@computes("clone")
def _clone(input: Operand, *, memory_format: Any = None) -> Operand:
    return input


@computes("Tensor.to")
def _to(input: Operand, *args: Any, dtype: Any = None, **kwargs: Any) -> Operand:
    given = [torch_dtype(type_of(x).dtype) if hasattr(x, "type") else x for x in args]
    found = next((x for x in given if isinstance(x, torch.dtype)), dtype)
    return input if found is None else ops.cast(input, kind(found, ()).dtype)


for _name, _dtype in {
    "float": torch.float32, "double": torch.float64, "half": torch.float16, "bfloat16": torch.bfloat16,
    "long": torch.int64, "int": torch.int32, "short": torch.int16, "char": torch.int8, "byte": torch.uint8,
    "bool": torch.bool,
}.items():  # fmt: skip

    @computes(f"Tensor.{_name}")
    def _cast(input: Operand, memory_format: Any = None, dtype: torch.dtype = _dtype) -> Operand:
        return ops.cast(input, kind(dtype, ()).dtype)
