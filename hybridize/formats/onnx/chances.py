# SPDX-License-Identifier: Apache-2.0
"""Rows of ONNX that draw random numbers: those of hybridize's own generator; seeds of nodes start no other."""

from __future__ import annotations

from typing import Any

from hybridize import ops
from hybridize.base.dtypes import DType, float32, int32
from hybridize.formats.foreign.walk import Application
from hybridize.formats.onnx.elementwise import dtype_of
from hybridize.formats.onnx.vocabulary import ONNX
from hybridize.ops.library.variates import choices, normal_numbers
from hybridize.ops.op import Operand, type_of
from hybridize.ops.randomness import uniform_numbers


def _uniform(n: Application, shape: Any, dtype: DType) -> Operand:
    low, high = n.number("low", 0.0), n.number("high", 1.0)
    y = uniform_numbers(n.key(), shape, float32 if dtype.itemsize < 4 else dtype)
    return ops.cast(ops.add(ops.mul(y, ops.like(high - low, y)), ops.like(low, y)), dtype)


def _normal(n: Application, shape: Any, dtype: DType) -> Operand:
    y = normal_numbers(n.key(), shape, dtype)
    return ops.add(ops.mul(y, ops.like(n.number("scale", 1.0), y)), ops.like(n.number("mean", 0.0), y))


for _name, _draw in {"RandomUniform": _uniform, "RandomNormal": _normal}.items():

    @ONNX(_name, folds=False)
    def drawn(n: Application, draw: Any = _draw) -> Operand:
        """Random numbers."""
        return draw(n, n.integers("shape"), dtype_of(n, "dtype", float32))

    @ONNX(f"{_name}Like", folds=False)
    def drawn_like(n: Application, x: Operand, draw: Any = _draw) -> Operand:
        """Random numbers, as many as an array has elements."""
        return draw(n, type_of(x).shape, dtype_of(n, "dtype", type_of(x).dtype))


@ONNX("Bernoulli", folds=False)
def bernoulli(n: Application, x: Operand) -> Operand:
    """One with the chance that an element is, else zero."""
    chance = uniform_numbers(n.key(), type_of(x).shape, float32)
    return ops.cast(ops.lt(chance, ops.cast(x, float32)), dtype_of(n, "dtype", type_of(x).dtype))


@ONNX("Multinomial", folds=False)
def multinomial(n: Application, x: Operand) -> Operand:
    """Numbers of classes, drawn by the logarithms of their chances."""
    return ops.cast(choices(n.key(), x, n.integer("sample_size", 1)), dtype_of(n, "dtype", int32))
