# SPDX-License-Identifier: Apache-2.0
"""Prologues: light expressions that elements of a second operand go through where tiles load them.

A weight that is stored in few bits, with a scale for each channel, is read as it is stored: its panels hold the stored
elements, and a register of them is converted and scaled on its way to the multiplication.
"""

from __future__ import annotations

from hybridize.base.dtypes import DType, float32
from hybridize.base.frozen import frozen
from hybridize.loops.expr import Cast, Expr, Load
from hybridize.loops.kernel import Param, prologue_text

BATCH, COLUMN, TERM = 0, 2, 3
"""The axes of the prologue of a product of matrices."""


@frozen
class Prologue:
    """The elementwise computation that makes an element of the second operand of one in memory, and of few others.

    An expression over the axes of the operand; the element in memory is a load of operand -1.
    """

    stored: DType
    """Of the element in memory."""
    value: Expr
    params: tuple[Param, ...]

    @property
    def makes_floats(self) -> bool:
        """True if all that it does is to make float32 of the element in memory."""
        return isinstance(self.value, Cast) and self.value.dtype == float32 and isinstance(self.value.x, Load)

    def __str__(self) -> str:
        return prologue_text(self.params, self.value)
