# SPDX-License-Identifier: Apache-2.0
"""The types that sums of products are read, added up and given in."""

from __future__ import annotations

from hybridize.base.dtypes import DType, float32, is_float
from hybridize.base.frozen import frozen


@frozen
class Precision:
    """The types in which a contraction reads its operands, adds up, and gives its result."""

    operand: DType
    accumulate: DType
    """Products and sums are computed in it; elements of the operands are converted to it first."""
    result: DType
    """Each sum is rounded to it once."""

    @property
    def is_default(self) -> bool:
        """True if it is what the operands have where nobody asks for another one."""
        return self == default_precision(self.operand)

    def __str__(self) -> str:
        if self.is_default:
            return self.operand.name
        rounded = "" if self.result == self.accumulate else f" to {self.result.name}"
        return f"{self.operand.name} in {self.accumulate.name}{rounded}"


def wide(dtype: DType) -> DType:
    """The dtype that sums and products of `dtype` are kept in."""
    return float32 if is_float(dtype) and dtype.itemsize == 2 else dtype


def default_precision(dtype: DType) -> Precision:
    """The precision of operands and a result of a dtype: numbers of 16 bits are summed in float32."""
    return Precision(dtype, wide(dtype), dtype)
