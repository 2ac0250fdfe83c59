# SPDX-License-Identifier: Apache-2.0
"""Ops that see numbers as bits: how many are 1, and the same bits as another dtype."""

from __future__ import annotations

from typing import Any

import numpy
from numpy.typing import NDArray

from hybridize.base.dtypes import (
    REALS,
    DType,
    bool_,
)
from hybridize.base.errors import DTypeError
from hybridize.base.frozen import frozen
from hybridize.base.types import TensorType
from hybridize.loops import expr as loops
from hybridize.loops.expr import Element
from hybridize.ops.elementwise import INTEGER, Unary, UnaryFunction, unary
from hybridize.ops.op import Op, Operand, bind1


def _count(x: NDArray[Any]) -> NDArray[Any]:
    """The bits of the number in two's complement, where NumPy counts those of the absolute value."""
    counted: NDArray[Any] = numpy.bitwise_count(x.view(f"u{x.dtype.itemsize}")).astype(x.dtype)
    return counted


class BitCount(Unary, scalar="popcount", meaning=_count, slope=lambda g, y, x: None):
    """The number of bits that are 1, in the dtype of x; those of a negative number in two's complement."""

    takes = INTEGER


@frozen
class Bitcast(Op):
    """The same bits as another dtype of the same width."""

    differentiable = False
    by_element = True

    dtype: DType

    rematerialised = True

    def infer(self, x: TensorType) -> tuple[TensorType, ...]:
        wrong = self.dtype not in REALS or bool_ in (self.dtype, x.dtype)
        if wrong or self.dtype.itemsize != x.dtype.itemsize:
            raise DTypeError("E235", f"{x} cannot be viewed as {self.dtype}", help="use a dtype of the same width")
        return (x.with_dtype(self.dtype),)

    def reference(self, x: NDArray[Any]) -> tuple[NDArray[Any], ...]:
        return (numpy.array(x).view(self.dtype),)

    def lower(self, x: Element, *, types: tuple[TensorType, ...]) -> tuple[Element, ...]:
        return (lambda index: loops.call("bitcast", x(index), dtype=self.dtype),)


bit_count: UnaryFunction = unary(BitCount)


def bitcast(x: Operand, dtype: DType) -> Operand:
    """The same bits as another dtype of the same width."""
    return bind1(Bitcast(dtype), x)
