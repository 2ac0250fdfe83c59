# SPDX-License-Identifier: Apache-2.0
"""A size as data: what `x.sum() / x.shape[0]` divides by where the size is not known before the call."""

from __future__ import annotations

from typing import Any

import numpy
from numpy.typing import NDArray

from hybridize.base.dims import is_symbolic
from hybridize.base.dtypes import int64
from hybridize.base.frozen import frozen
from hybridize.base.types import TensorType
from hybridize.loops import expr as loops
from hybridize.loops.expr import Element
from hybridize.ops.op import Op, Operand, bind1


@frozen
class SizeOf(Op):
    """`size`, as an i64 without axes. It takes no operands: the program knows the sizes of its call."""

    differentiable = False

    size: int

    def infer(self) -> tuple[TensorType, ...]:
        return (TensorType((), int64),)

    def reference(self) -> tuple[NDArray[Any], ...]:
        return (numpy.asarray(self.size, int64),)

    def lower(self, *, types: tuple[TensorType, ...]) -> tuple[Element, ...]:
        return (lambda index: loops.index(self.size),)


def size_of(size: Any) -> Operand:
    """A size as an i64 operand without axes."""
    if is_symbolic(size):
        size.scope.contain(size)
    return bind1(SizeOf(size))
