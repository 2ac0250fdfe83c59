# SPDX-License-Identifier: Apache-2.0
"""Tensors in other dtypes, and copies: what is as it should be is the tensor itself, as torch has it."""

from __future__ import annotations

from typing import Any

import torch

from hybridize.array import layouts
from hybridize.array.symbol import Symbol
from hybridize.base.errors import CaptureError
from hybridize.capture.trace.recording import active_trace
from hybridize.ops import Operand, type_of
from hybridize.torch.functions.operands import operand
from hybridize.torch.functions.rules import cast, expect, fits, is_tensor, overwritten, torch_dtype
from hybridize.torch.functions.table import computes, views
from hybridize.torch.memory import device_of_call, dtype_of


def check_device(device: Any) -> None:
    """Check that a device is the one that programs run on.

    Raises:
        CaptureError E422: it is another one.
    """
    here = device_of_call()
    if device is not None and torch.device(device).type != here.type:
        raise CaptureError("E422", f"this program runs on {here}, not on {device}", help=f'device="{here}"')


def tensor_of_operand(x: Operand) -> Symbol:
    """Return a tensor of its own for an operand."""
    trace = active_trace()
    return Symbol.of(trace, x)


def converted(input: Symbol, dtype: torch.dtype | None, copy: bool = False) -> Symbol:
    """Return a tensor in another dtype; itself where it has it and no copy is asked for."""
    wanted = input.dtype if dtype is None else dtype_of(dtype)
    return input if wanted == input.dtype and not copy else tensor_of_operand(cast(input.operand(), wanted))


@views("Tensor.to")
def _to(
    input: Symbol,
    *args: Any,
    device: Any = None,
    dtype: torch.dtype | None = None,
    other: Symbol | None = None,
    non_blocking: bool = False,
    copy: bool = False,
    memory_format: Any = None,
) -> Symbol:
    """In torch's forms: to(dtype, non_blocking, copy), to(device, dtype, non_blocking, copy), to(other, ...)."""
    flags = []
    for x in args:
        if isinstance(x, torch.dtype):
            dtype = x
        elif isinstance(x, Symbol):
            other = x
        elif isinstance(x, bool):
            flags.append(x)
        elif x is not None:
            device = x
    check_device(device)
    if other is not None:
        dtype = torch_dtype(other.dtype)
    return converted(input, dtype, flags[1] if len(flags) > 1 else copy)


@views("Tensor.type_as")
def _type_as(input: Symbol, other: Symbol) -> Symbol:
    return converted(input, torch_dtype(other.dtype))


@views("Tensor.cpu")
def _cpu(input: Symbol, memory_format: Any = None) -> Symbol:
    return input


def _cast(name: str, dtype: torch.dtype) -> None:
    @views(f"Tensor.{name}")
    def entry(input: Symbol, memory_format: Any = None) -> Symbol:
        return converted(input, dtype)


for _name, _dtype in {
    "float": torch.float32, "double": torch.float64, "half": torch.float16, "bfloat16": torch.bfloat16,
    "long": torch.int64, "int": torch.int32, "short": torch.int16, "char": torch.int8, "byte": torch.uint8,
    "bool": torch.bool,
}.items():  # fmt: skip
    _cast(_name, _dtype)


@computes("clone")
def _clone(input: Operand, *, memory_format: Any = None) -> Operand:
    return input


@views("contiguous")
def _contiguous(input: Symbol, memory_format: Any = torch.contiguous_format) -> Symbol:
    return input if layouts.lies_by_rows(input.shape, input.steps_between()) else tensor_of_operand(input.operand())


@views("resolve_conj", "resolve_neg", "real", "conj")
def _itself(input: Symbol) -> Symbol:
    return input


@computes("conj_physical")
def _copied(input: Operand) -> Operand:
    return input


@computes("fill", whole="value")
def _fill(input: Operand, value: Any) -> Operand:
    of = type_of(input)
    expect(not is_tensor(value) or not type_of(value).shape)
    return overwritten(input, operand(value, of.dtype, of.shape))


@computes("zero_")
def _zero(input: Operand) -> Operand:
    return _fill(input, 0)


@computes("copy_")
def _copy(input: Operand, src: Operand, non_blocking: bool = False) -> Operand:
    of = type_of(input)
    return overwritten(input, fits(cast(src, of.dtype), of.shape))
